//! A store in memory, for short crawls, replays and tests.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashSet},
    sync::{Mutex, MutexGuard},
};

use rustc_hash::FxHashMap;

use super::{
    Commit, Ledger, LedgerEntry, Queue, Queued, SeenAs, SeenStore, StateStore, Store, Ticket,
};
use crate::{BeliefId, Fingerprint, HostKey, StoreError};

/// A store that keeps everything in memory, and nothing after the process ends. `flush` does nothing.
///
/// ```
/// use nodust_frontier::{Commit, Fingerprint, MemoryStore, SeenAs, SeenStore, Store};
///
/// let store = MemoryStore::default();
/// let name = Fingerprint::from_parts(1, 2);
/// store.commit(Commit { seen: vec![(name, SeenAs::Admitted)], ..Commit::default() })?;
/// let mut found = Vec::new();
/// store.lookup(&[name, Fingerprint::from_parts(1, 3)], &mut found)?;
/// assert_eq!(found, [Some(SeenAs::Admitted), None]);
/// # Ok::<(), nodust_frontier::StoreError>(())
/// ```
#[derive(Debug, Default)]
pub struct MemoryStore {
    // Guards all tables together, so that a commit is seen whole or not at all.
    tables: Mutex<Tables>,
}

type QueuePlace = (Reverse<u8>, u64);
type LedgerPlace = (u64, u64);

#[derive(Debug, Default)]
struct Tables {
    seen: FxHashMap<u64, SeenAs>,
    queues: FxHashMap<HostKey, HostQueue>,
    queued: u64,
    next_position: u64,
    ledger: FxHashMap<HostKey, BTreeMap<LedgerPlace, LedgerEntry>>,
    ledger_len: u64,
    state: BTreeMap<String, Vec<u8>>,
}

#[derive(Debug, Default)]
struct HostQueue {
    entries: BTreeMap<QueuePlace, Queued>,
    handed_out: HashSet<QueuePlace>,
    // No free entry lies before this place: saves walking over what is handed out.
    first_free: Option<QueuePlace>,
}

impl MemoryStore {
    fn tables(&self) -> MutexGuard<'_, Tables> {
        // A panic while the lock is held cannot leave a commit half applied in a way that matters more
        // than stopping the crawl would.
        self.tables
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

fn place_of(ticket: &Ticket) -> QueuePlace {
    (Reverse(ticket.priority), ticket.position)
}

impl SeenStore for MemoryStore {
    fn lookup(
        &self,
        keys: &[Fingerprint],
        found: &mut Vec<Option<SeenAs>>,
    ) -> Result<(), StoreError> {
        let tables = self.tables();
        found.extend(keys.iter().map(|key| tables.seen.get(&key.url()).copied()));
        Ok(())
    }

    fn seen_len(&self) -> u64 {
        self.tables().seen.len() as u64
    }
}

impl Queue for MemoryStore {
    fn take(&self, host: &HostKey) -> Result<Option<(Ticket, Queued)>, StoreError> {
        let mut tables = self.tables();
        let Some(queue) = tables.queues.get_mut(host) else {
            return Ok(None);
        };
        let from = queue.first_free.unwrap_or((Reverse(u8::MAX), 0));
        let found = queue
            .entries
            .range(from..)
            .find(|(place, _)| !queue.handed_out.contains(place))
            .map(|(place, entry)| (*place, entry.clone()));
        let Some((place, entry)) = found else {
            return Ok(None);
        };
        queue.handed_out.insert(place);
        queue.first_free = Some(place);
        let ticket = Ticket {
            host: host.clone(),
            position: place.1,
            priority: place.0.0,
        };
        Ok(Some((ticket, entry)))
    }

    fn put_back(&self, ticket: &Ticket) {
        let mut tables = self.tables();
        if let Some(queue) = tables.queues.get_mut(&ticket.host) {
            let place = place_of(ticket);
            queue.handed_out.remove(&place);
            queue.first_free = queue.first_free.map(|first| first.min(place));
        }
    }

    fn hosts(&self) -> Result<Vec<HostKey>, StoreError> {
        let tables = self.tables();
        Ok(tables
            .queues
            .iter()
            .filter(|(_, queue)| queue.entries.len() > queue.handed_out.len())
            .map(|(host, _)| host.clone())
            .collect())
    }

    fn queue_len(&self) -> u64 {
        self.tables().queued
    }
}

impl Ledger for MemoryStore {
    fn dropped_in_class(
        &self,
        host: &HostKey,
        class: Fingerprint,
        limit: usize,
    ) -> Result<Vec<LedgerEntry>, StoreError> {
        let tables = self.tables();
        let whole_class = (class.url(), u64::MIN)..=(class.url(), u64::MAX);
        let entries = tables
            .ledger
            .get(host)
            .into_iter()
            .flat_map(|ledger| ledger.range(whole_class.clone()));
        Ok(entries
            .take(limit)
            .map(|(_, entry)| entry.clone())
            .collect())
    }

    fn ledger_scan(
        &self,
        each: &mut dyn FnMut(&HostKey, LedgerEntry) -> bool,
    ) -> Result<(), StoreError> {
        let tables = self.tables();
        for (host, ledger) in &tables.ledger {
            for entry in ledger.values() {
                if !each(host, entry.clone()) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn ledger_scan_of(
        &self,
        host: &HostKey,
        belief: BeliefId,
        each: &mut dyn FnMut(LedgerEntry) -> bool,
    ) -> Result<(), StoreError> {
        let tables = self.tables();
        let entries = tables.ledger.get(host).into_iter();
        for entry in entries.flat_map(BTreeMap::values) {
            if entry.belief == belief && !each(entry.clone()) {
                break;
            }
        }
        Ok(())
    }

    fn ledger_len(&self) -> u64 {
        self.tables().ledger_len
    }

    fn ledger_overflow(&self) -> u64 {
        0
    }
}

impl StateStore for MemoryStore {
    fn state(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.tables().state.get(key).cloned())
    }

    fn state_scan(
        &self,
        prefix: &str,
        each: &mut dyn FnMut(&str, &[u8]),
    ) -> Result<(), StoreError> {
        let tables = self.tables();
        for (key, value) in tables.state.range(prefix.to_owned()..) {
            if !key.starts_with(prefix) {
                break;
            }
            each(key, value);
        }
        Ok(())
    }
}

impl Tables {
    fn see(&mut self, key: Fingerprint, reason: SeenAs) {
        let known = self.seen.entry(key.url()).or_insert(reason);
        if *known == SeenAs::Dropped && reason == SeenAs::Admitted {
            *known = SeenAs::Admitted;
        }
    }

    fn enqueue(&mut self, entry: Queued) {
        let place = (Reverse(entry.admitted.priority), self.next_position);
        self.next_position += 1;
        self.queued += 1;
        let queue = self
            .queues
            .entry(entry.admitted.url.host().clone())
            .or_default();
        queue.first_free = queue.first_free.map(|first| first.min(place));
        queue.entries.insert(place, entry);
    }

    fn settle(&mut self, ticket: &Ticket) {
        let Some(queue) = self.queues.get_mut(&ticket.host) else {
            return;
        };
        let place = place_of(ticket);
        queue.handed_out.remove(&place);
        if queue.entries.remove(&place).is_some() {
            self.queued -= 1;
        }
        if queue.entries.is_empty() {
            self.queues.remove(&ticket.host);
        }
    }

    fn recall(&mut self, host: &HostKey, class: Fingerprint, key: Fingerprint) {
        if let Some(ledger) = self.ledger.get_mut(host)
            && ledger.remove(&(class.url(), key.url())).is_some()
        {
            self.ledger_len -= 1;
        }
    }

    fn keep(&mut self, entry: LedgerEntry) {
        let place = (entry.admitted.class.url(), entry.admitted.key.url());
        let ledger = self
            .ledger
            .entry(entry.admitted.url.host().clone())
            .or_default();
        if ledger.insert(place, entry).is_none() {
            self.ledger_len += 1;
        }
    }
}

impl Store for MemoryStore {
    fn commit(&self, commit: Commit) -> Result<(), StoreError> {
        let mut tables = self.tables();
        for (_, belief) in &commit.withdrawn {
            tables
                .seen
                .retain(|_, reason| *reason != SeenAs::ClassOf(*belief));
        }
        for (host, class, key) in &commit.recalled {
            tables.recall(host, *class, *key);
        }
        for entry in commit.ledger {
            tables.keep(entry);
        }
        for entry in commit.queued {
            tables.enqueue(entry);
        }
        for (key, reason) in commit.seen {
            tables.see(key, reason);
        }
        for ticket in &commit.settled {
            tables.settle(ticket);
        }
        for (key, value) in commit.state {
            match value {
                Some(value) => tables.state.insert(key, value),
                None => tables.state.remove(&key),
            };
        }
        Ok(())
    }

    fn flush(&self) -> Result<(), StoreError> {
        Ok(())
    }
}
