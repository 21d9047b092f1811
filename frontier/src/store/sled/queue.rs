//! The queue on disk.
//!
//! What one commit queues for one host and priority is stored as one chunk, because sled has a cost per key. Bits
//! beside the chunk say which of its entries are done; with the last of them, both are removed. Memory holds the first
//! few waiting entries of the hosts that are being asked, and what is handed out; the rest of the queue stays on disk.

use std::collections::{BTreeMap, VecDeque, btree_map};

use rustc_hash::FxHashMap;
use sled::IVec;

use super::{
    super::{Queued, Ticket},
    codec,
    disk::Disk,
    keys::{self, DONE, Place, QUEUE},
    pending::Batch,
};
use crate::{HostKey, StoreError};

/// Entries of a chunk; a large page makes several.
const CHUNK_ENTRIES: usize = 32;
/// A chunk is closed when it exceeds this many bytes of URLs.
const CHUNK_BYTES: usize = 8 * 1024;
/// Waiting entries of one host kept in memory.
const HEAD_ENTRIES: usize = 64;
/// Waiting entries of all hosts kept in memory (about half a kilobyte each); when there are more, all
/// are let go, and read again as they are asked for.
const ALL_HEADS_ENTRIES: usize = 200_000;

/// Part of the queue that is in memory.
#[derive(Debug, Default)]
pub(super) struct Heads {
    hosts: FxHashMap<HostKey, Head>,
    buffered: usize,
}

/// The queue of one host. `waiting` are the first entries that are neither done nor handed out, in
/// order, and all of them if `is_complete`.
#[derive(Debug, Default)]
struct Head {
    waiting: VecDeque<(Place, Queued)>,
    is_complete: bool,
    out: FxHashMap<Place, Queued>,
}

/// Entries that one commit queues, with their places.
pub(super) type Placed = Vec<(HostKey, Place, Queued)>;

impl Heads {
    pub(super) fn take(
        &mut self,
        disk: &Disk,
        host: &HostKey,
    ) -> Result<Option<(Ticket, Queued)>, StoreError> {
        if self.buffered > ALL_HEADS_ENTRIES {
            self.let_go();
        }
        if !self.hosts.contains_key(host) {
            let mut head = Head::default();
            head.fill(disk, host)?;
            if head.waiting.is_empty() {
                return Ok(None);
            }
            self.buffered += head.waiting.len();
            self.hosts.insert(host.clone(), head);
        }
        let Some(head) = self.hosts.get_mut(host) else {
            return Ok(None);
        };
        if head.waiting.is_empty() && !head.is_complete {
            head.fill(disk, host)?;
            self.buffered += head.waiting.len();
        }
        let Some((place, entry)) = head.waiting.pop_front() else {
            if head.out.is_empty() {
                self.hosts.remove(host);
            }
            return Ok(None);
        };
        self.buffered -= 1;
        head.out.insert(place, entry.clone());
        let ticket = Ticket {
            host: host.clone(),
            position: place.1,
            priority: u8::MAX - place.0,
        };
        Ok(Some((ticket, entry)))
    }

    pub(super) fn put_back(&mut self, ticket: &Ticket) {
        let place = keys::place_of(ticket);
        if let Some(head) = self.hosts.get_mut(&ticket.host)
            && let Some(entry) = head.out.remove(&place)
        {
            self.buffered += head.wait(place, entry);
        }
    }

    pub(super) fn hosts(&mut self, disk: &Disk) -> Result<Vec<HostKey>, StoreError> {
        let mut hosts = Vec::new();
        let mut from = vec![QUEUE];
        while let Some((key, _)) = disk.first_from(&from)? {
            if key.first() != Some(&QUEUE) {
                break;
            }
            let Some((host, _)) = keys::read_host(&key) else {
                return Err(disk.damaged(&key, "unreadable key of the queue"));
            };
            from = keys::after_host(QUEUE, host.as_str());
            let is_waiting = match self.hosts.get_mut(&host) {
                Some(head) => {
                    if head.waiting.is_empty() && !head.is_complete {
                        head.fill(disk, &host)?;
                        self.buffered += head.waiting.len();
                    }
                    !head.waiting.is_empty()
                }
                // A chunk stays only as long as one of its entries is not done.
                None => true,
            };
            if is_waiting {
                hosts.push(host);
            }
        }
        Ok(hosts)
    }

    /// Forgets what can be read again.
    fn let_go(&mut self) {
        self.hosts.retain(|_, head| !head.out.is_empty());
        for head in self.hosts.values_mut() {
            head.waiting.clear();
            head.is_complete = false;
        }
        self.buffered = 0;
    }

    /// Shows what a commit has queued.
    pub(super) fn show(&mut self, placed: Placed) {
        for (host, place, entry) in placed {
            if let Some(head) = self.hosts.get_mut(&host) {
                self.buffered += head.wait(place, entry);
                while head.waiting.len() > 2 * HEAD_ENTRIES {
                    head.waiting.pop_back();
                    head.is_complete = false;
                    self.buffered -= 1;
                }
            }
        }
    }

    /// Hides what a commit has settled.
    pub(super) fn hide(&mut self, settled: &[Ticket]) {
        for ticket in settled {
            let place = keys::place_of(ticket);
            if let Some(head) = self.hosts.get_mut(&ticket.host) {
                if head.out.remove(&place).is_none()
                    && let Ok(at) = head.waiting.binary_search_by_key(&place, |(p, _)| *p)
                {
                    head.waiting.remove(at);
                    self.buffered -= 1;
                }
                if head.out.is_empty() && head.waiting.is_empty() {
                    self.hosts.remove(&ticket.host);
                }
            }
        }
    }
}

impl Head {
    /// Puts an entry in its place, unless that lies beyond what memory holds; answers how many it put.
    fn wait(&mut self, place: Place, entry: Queued) -> usize {
        match self.waiting.binary_search_by_key(&place, |(p, _)| *p) {
            Ok(_) => 0,
            Err(at) if at == self.waiting.len() && !self.is_complete => 0,
            Err(at) => {
                self.waiting.insert(at, (place, entry));
                1
            }
        }
    }

    /// Reads the first waiting entries.
    fn fill(&mut self, disk: &Disk, host: &HostKey) -> Result<(), StoreError> {
        self.waiting.clear();
        self.is_complete = true;
        let prefix = keys::of_host(QUEUE, host.as_str());
        let (waiting, out) = (&mut self.waiting, &self.out);
        let mut is_complete = true;
        disk.scan(&prefix, &prefix, |key, value| {
            if waiting.len() >= HEAD_ENTRIES {
                is_complete = false;
                return Ok(false);
            }
            let (host, first, len) = read_chunk_key(disk, key, value)?;
            let is_out = |at: usize| out.contains_key(&(first.0, first.1 + at as u64));
            // What is out was not done when it was handed out, and done bits need a read.
            if (0..len).all(is_out) {
                return Ok(true);
            }
            let done = Done::read(disk, host.as_str(), first, len)?;
            let Some(entries) = codec::read_chunk(value) else {
                return Err(disk.damaged(key, "unreadable chunk of the queue"));
            };
            for (at, entry) in entries.into_iter().enumerate() {
                if !done.contains(at) && !is_out(at) {
                    waiting.push_back(((first.0, first.1 + at as u64), entry));
                }
            }
            Ok(true)
        })?;
        self.is_complete = is_complete;
        Ok(())
    }
}

fn read_chunk_key(
    disk: &Disk,
    key: &IVec,
    value: &IVec,
) -> Result<(HostKey, Place, usize), StoreError> {
    keys::read_host(key)
        .and_then(|(host, rest)| Some((host, keys::read_place(rest)?, codec::chunk_len(value)?)))
        .ok_or_else(|| disk.damaged(key, "unreadable chunk of the queue"))
}

/// Which entries of a chunk are done, one bit each.
#[derive(Debug, PartialEq)]
struct Done {
    bits: Vec<u8>,
    len: usize,
}

impl Done {
    fn read(disk: &Disk, host: &str, first: Place, len: usize) -> Result<Self, StoreError> {
        let key = keys::of_place(DONE, host, first);
        let bits = match disk.get(&key)? {
            None => vec![0; len.div_ceil(8)],
            Some(bits) if bits.len() == len.div_ceil(8) => bits.to_vec(),
            Some(_) => return Err(disk.damaged(&key, "wrong number of bits")),
        };
        Ok(Self { bits, len })
    }

    fn contains(&self, at: usize) -> bool {
        self.bits[at / 8] & (1 << (at % 8)) != 0
    }

    fn insert(&mut self, at: usize) -> bool {
        let is_new = !self.contains(at);
        self.bits[at / 8] |= 1 << (at % 8);
        is_new
    }

    fn is_all(&self) -> bool {
        (0..self.len).all(|at| self.contains(at))
    }
}

/// Adds entries to a batch; their positions begin at `position`, which is moved on.
pub(super) fn push(queued: Vec<Queued>, position: &mut u64, batch: &mut Batch) -> Placed {
    let mut groups: BTreeMap<(HostKey, u8), Vec<Queued>> = BTreeMap::new();
    for entry in queued {
        let group = (
            entry.admitted.url.host().clone(),
            u8::MAX - entry.admitted.priority,
        );
        groups.entry(group).or_default().push(entry);
    }
    let mut placed = Vec::new();
    for ((host, priority), entries) in groups {
        let mut entries = entries.into_iter().peekable();
        while entries.peek().is_some() {
            let first = (priority, *position);
            let mut bytes = 0;
            let mut chunk = Vec::new();
            while chunk.len() < CHUNK_ENTRIES
                && bytes < CHUNK_BYTES
                && let Some(entry) = entries.next()
            {
                bytes += entry.admitted.url.as_str().len();
                chunk.push(entry);
            }
            batch.insert(
                keys::of_place(QUEUE, host.as_str(), first),
                codec::chunk(chunk.iter()),
            );
            *position += chunk.len() as u64;
            for (at, entry) in (0..).zip(chunk) {
                placed.push((host.clone(), (priority, first.1 + at), entry));
            }
        }
    }
    placed
}

/// Adds to a batch that entries are done; answers how many of them were not before.
pub(super) fn settle(
    disk: &Disk,
    settled: &[Ticket],
    batch: &mut Batch,
) -> Result<u64, StoreError> {
    let mut chunks: BTreeMap<(HostKey, Place), Done> = BTreeMap::new();
    let mut count = 0;
    for ticket in settled {
        let (inverted, position) = keys::place_of(ticket);
        let Some(after) = position.checked_add(1) else {
            continue;
        };
        let bound = keys::of_place(QUEUE, ticket.host.as_str(), (inverted, after));
        let Some((key, value)) = disk.last_before(&bound)? else {
            continue;
        };
        if key.first() != Some(&QUEUE) {
            continue;
        }
        let (host, first, len) = read_chunk_key(disk, &key, &value)?;
        // `position` lies at or after the start of the chunk before `bound`, if it is of this row at all.
        let at = position.wrapping_sub(first.1);
        if host != ticket.host || first.0 != inverted || at >= len as u64 {
            continue;
        }
        let done = match chunks.entry((host, first)) {
            btree_map::Entry::Occupied(known) => known.into_mut(),
            btree_map::Entry::Vacant(free) => {
                free.insert(Done::read(disk, ticket.host.as_str(), first, len)?)
            }
        };
        count += u64::from(done.insert(at as usize));
    }
    for ((host, first), done) in chunks {
        let key = keys::of_place(DONE, host.as_str(), first);
        if done.is_all() {
            batch.remove(keys::of_place(QUEUE, host.as_str(), first));
            batch.remove(key);
        } else {
            batch.insert(key, done.bits);
        }
    }
    Ok(count)
}
