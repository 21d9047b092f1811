//! Have I met this before?
//!
//! One key per fingerprint would cost sled microseconds and a hundred bytes each. Instead each commit
//! appends what it learned as one small record; a block's worth of records is merged into one block; and
//! an exact table in memory, rebuilt from the blocks at open, answers.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use sled::Batch;

use super::{
    super::SeenAs,
    codec::{Reader, put_fixed, put_number},
    disk::Disk,
    keys,
    table::Table,
};
use crate::{BeliefId, Fingerprint, HostKey, StoreError};

/// Records are merged into blocks of about this size.
const BLOCK_BYTES: usize = 16 * 1024;

// Kinds of section. A record is a row of sections: kind, number of entries, entries.
const ADMITTED: u8 = 0;
const DROPPED: u8 = 1;
/// Dropped before, admitted now.
const UPGRADED: u8 = 2;
/// Fingerprint and belief.
const CLASS_OF: u8 = 3;
/// Beliefs whose classes are forgotten.
const WITHDRAWN: u8 = 4;

/// What is known, in memory.
#[derive(Debug, Default)]
pub(super) struct SeenSet {
    admitted: Table,
    dropped: Table,
    class_of: FxHashMap<u64, BeliefId>,
    len: u64,
}

impl SeenSet {
    pub(super) fn get(&self, name: u64) -> Option<SeenAs> {
        if self.admitted.contains(name) {
            Some(SeenAs::Admitted)
        } else if self.dropped.contains(name) {
            Some(SeenAs::Dropped)
        } else {
            self.class_of.get(&name).copied().map(SeenAs::ClassOf)
        }
    }

    pub(super) const fn len(&self) -> u64 {
        self.len
    }

    /// Bytes of the tables.
    pub(super) fn bytes(&self) -> usize {
        // A map's entry, its tag, and room to grow.
        let classes = self.class_of.capacity() * (size_of::<(u64, BeliefId)>() + 1) * 8 / 7;
        self.admitted.bytes() + self.dropped.bytes() + classes
    }

    /// What a commit changes, as a record; empty when it changes nothing.
    pub(super) fn plan(
        &self,
        withdrawn: &[(HostKey, BeliefId)],
        seen: &[(Fingerprint, SeenAs)],
    ) -> Vec<u8> {
        // The name of a belief covers its host.
        let withdrawn: Vec<BeliefId> = withdrawn.iter().map(|(_, belief)| *belief).collect();
        let mut fresh: FxHashMap<u64, (SeenAs, bool)> = FxHashMap::default();
        for &(name, reason) in seen {
            match fresh.entry(name.url()) {
                Entry::Occupied(mut known) => {
                    if known.get().0 == SeenAs::Dropped && reason == SeenAs::Admitted {
                        known.get_mut().0 = SeenAs::Admitted;
                    }
                }
                Entry::Vacant(free) => {
                    let known = self.get(name.url()).filter(
                        |known| !matches!(known, SeenAs::ClassOf(b) if withdrawn.contains(b)),
                    );
                    match known {
                        None => {
                            free.insert((reason, false));
                        }
                        Some(SeenAs::Dropped) if reason == SeenAs::Admitted => {
                            free.insert((reason, true));
                        }
                        Some(_) => {}
                    }
                }
            }
        }
        write_record(&withdrawn, &fresh)
    }

    /// Does what a record says. `None`: it cannot be read.
    pub(super) fn replay(&mut self, record: &[u8]) -> Option<()> {
        let mut from = Reader(record);
        while !from.is_empty() {
            let kind = from.byte()?;
            let count = usize::try_from(from.number()?).ok()?;
            let width = if kind == CLASS_OF { 16 } else { 8 };
            let mut entries = Reader(from.take(count.checked_mul(width)?)?);
            while !entries.is_empty() {
                let name = entries.fixed()?;
                match kind {
                    ADMITTED => {
                        self.admitted.insert(name);
                        self.len += 1;
                    }
                    DROPPED => {
                        self.dropped.insert(name);
                        self.len += 1;
                    }
                    UPGRADED => {
                        self.dropped.remove(name);
                        self.admitted.insert(name);
                    }
                    CLASS_OF => {
                        let belief = BeliefId::from_bits(entries.fixed()?);
                        self.class_of.insert(name, belief);
                        self.len += 1;
                    }
                    WITHDRAWN => {
                        let before = self.class_of.len();
                        self.class_of.retain(|_, belief| belief.to_bits() != name);
                        self.len -= (before - self.class_of.len()) as u64;
                    }
                    _ => return None,
                }
            }
        }
        Some(())
    }
}

fn write_record(withdrawn: &[BeliefId], fresh: &FxHashMap<u64, (SeenAs, bool)>) -> Vec<u8> {
    let mut out = Vec::with_capacity(16 + fresh.len() * 8);
    section(&mut out, WITHDRAWN, withdrawn, |out, b| {
        put_fixed(out, b.to_bits());
    });
    for kind in [ADMITTED, DROPPED, UPGRADED] {
        let names: Vec<u64> = fresh
            .iter()
            .filter(|(_, (reason, upgraded))| {
                kind == match reason {
                    SeenAs::Admitted if *upgraded => UPGRADED,
                    SeenAs::Admitted => ADMITTED,
                    SeenAs::Dropped => DROPPED,
                    SeenAs::ClassOf(_) => CLASS_OF,
                }
            })
            .map(|(name, _)| *name)
            .collect();
        section(&mut out, kind, &names, |out, name| put_fixed(out, *name));
    }
    let classes: Vec<(u64, BeliefId)> = fresh
        .iter()
        .filter_map(|(name, (reason, _))| match reason {
            SeenAs::ClassOf(belief) => Some((*name, *belief)),
            _ => None,
        })
        .collect();
    section(&mut out, CLASS_OF, &classes, |out, (name, belief)| {
        put_fixed(out, *name);
        put_fixed(out, belief.to_bits());
    });
    out
}

fn section<T>(out: &mut Vec<u8>, kind: u8, entries: &[T], put: impl Fn(&mut Vec<u8>, &T)) {
    if !entries.is_empty() {
        out.push(kind);
        put_number(out, entries.len() as u64);
        for entry in entries {
            put(out, entry);
        }
    }
}

/// Where the log of the seen-set ends on disk.
#[derive(Debug, Default)]
pub(super) struct Log {
    next_block: u64,
    first_record: u64,
    next_record: u64,
    // The records since the last block.
    tail: Vec<u8>,
}

impl Log {
    /// Reads the log and rebuilds the set.
    pub(super) fn open(disk: &Disk) -> Result<(Self, SeenSet), StoreError> {
        let mut set = SeenSet::default();
        let mut log = Self::default();
        disk.scan(&[keys::SEEN], &[keys::SEEN], |key, block| {
            let number = keys::read_number(key);
            match number.filter(|_| set.replay(block).is_some()) {
                Some(number) => log.next_block = number + 1,
                None => return Err(disk.damaged(key, "unreadable block of the seen-set")),
            }
            Ok(true)
        })?;
        disk.scan(&[keys::TAIL], &[keys::TAIL], |key, record| {
            let number = keys::read_number(key);
            match number.filter(|_| set.replay(record).is_some()) {
                Some(number) => {
                    if log.tail.is_empty() {
                        log.first_record = number;
                    }
                    log.next_record = number + 1;
                    log.tail.extend_from_slice(record);
                }
                None => return Err(disk.damaged(key, "unreadable record of the seen-set")),
            }
            Ok(true)
        })?;
        Ok((log, set))
    }

    /// Adds a record to a batch; with it a block is full, it and the records before become one value.
    pub(super) fn append(&mut self, record: &[u8], batch: &mut Batch) {
        if record.is_empty() {
            return;
        }
        self.tail.extend_from_slice(record);
        if self.tail.len() < BLOCK_BYTES {
            batch.insert(keys::of_number(keys::TAIL, self.next_record), record);
            self.next_record += 1;
            return;
        }
        for number in self.first_record..self.next_record {
            batch.remove(keys::of_number(keys::TAIL, number));
        }
        self.first_record = self.next_record;
        let block = std::mem::take(&mut self.tail);
        batch.insert(keys::of_number(keys::SEEN, self.next_block), block);
        self.next_block += 1;
    }
}
