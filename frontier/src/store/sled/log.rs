//! A log of the commits and of what each added to the seen-set.
//!
//! Each commit writes one record into the next of a few slots, which are reused. When the slots are used up, their
//! records move into the block that is being filled; when it is full, the next one begins. So a commit costs one small
//! write, and the blocks of the log are large enough to be cheap for sled and small enough to be written whole. Every
//! record and block holds the counters as they were after it, and the number of commits in them tells which is newer.

use super::{
    codec::{Reader, put_number},
    disk::Disk,
    keys,
    pending::Batch,
    runs,
    seen::SeenSet,
};
use crate::StoreError;

/// A block is full at this size. Sixteen of them, which sled keeps in one page, stay below the size at
/// which it would put the page into a file of its own.
const BLOCK_BYTES: usize = 4 * 1024;
/// Records between two writes of a block.
const SLOTS: u64 = 16;

/// Numbers that change with every commit, and are written with it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Counters {
    pub(super) commits: u64,
    pub(super) next_position: u64,
    pub(super) queued: u64,
    pub(super) ledger: u64,
    pub(super) ledger_overflow: u64,
}

impl Counters {
    pub(super) fn put(self, out: &mut Vec<u8>) {
        for number in [
            self.commits,
            self.next_position,
            self.queued,
            self.ledger,
            self.ledger_overflow,
        ] {
            put_number(out, number);
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            commits: from.number()?,
            next_position: from.number()?,
            queued: from.number()?,
            ledger: from.number()?,
            ledger_overflow: from.number()?,
        })
    }
}

/// The end of the log.
#[derive(Debug)]
pub(super) struct Log {
    counters: Counters,
    // Number of the block that is being filled.
    block: u64,
    // All records of that block, in slots or not.
    tail: Vec<u8>,
    slots_used: u64,
}

impl Log {
    /// A log without commits, and what must be written for it.
    pub(super) fn new(batch: &mut Batch) -> Self {
        let counters = Counters::default();
        let log = Self {
            counters,
            block: 0,
            tail: Vec::new(),
            slots_used: 0,
        };
        let mut value = Vec::new();
        counters.put(&mut value);
        batch.insert(keys::COUNTERS, value);
        for fence in keys::fences() {
            batch.insert(&fence, &[]);
        }
        log
    }

    /// Reads the log into `set`; `None` if the store holds none.
    pub(super) fn open(disk: &Disk, set: &mut SeenSet) -> Result<Option<Self>, StoreError> {
        let Some(bytes) = disk.get(keys::COUNTERS)? else {
            return Ok(None);
        };
        let mut log = Self {
            counters: Counters::read(&mut Reader(&bytes))
                .ok_or_else(|| disk.damaged(keys::COUNTERS, "unreadable counters"))?,
            block: set.first_block(),
            tail: Vec::new(),
            slots_used: 0,
        };
        // Blocks before the first were moved to runs; a crash may have left some.
        runs::remove_log(disk, log.block)?;
        let mut next = log.block;
        disk.scan(&[keys::BLOCK], &[keys::BLOCK], |key, value| {
            let mut from = Reader(value);
            let counters = Counters::read(&mut from);
            // A block that is missing in the middle is damage, too.
            let is_next = keys::read_number(key) == Some(next);
            match counters {
                Some(counters) if is_next && set.replay(disk, from.0)?.is_some() => {
                    log.counters = counters;
                    log.block = next;
                    log.tail = from.0.to_vec();
                }
                _ => return Err(disk.damaged(key, "unreadable block of the log")),
            }
            next += 1;
            Ok(true)
        })?;
        log.end_block_if_full();
        log.read_slots(disk, set)?;
        Ok(Some(log))
    }

    /// Reads the records after the last write of a block, oldest first.
    fn read_slots(&mut self, disk: &Disk, set: &mut SeenSet) -> Result<(), StoreError> {
        let mut records = Vec::new();
        disk.scan(&[keys::SLOT], &[keys::SLOT], |key, value| {
            let mut from = Reader(value);
            let Some(counters) = Counters::read(&mut from) else {
                return Err(disk.damaged(key, "unreadable record of the log"));
            };
            if counters.commits > self.counters.commits {
                records.push((counters, from.0.to_vec(), key.clone()));
            }
            Ok(true)
        })?;
        records.sort_by_key(|(counters, ..)| counters.commits);
        for (counters, record, key) in records {
            let follows = counters.commits == self.counters.commits + 1;
            if !follows || set.replay(disk, &record)?.is_none() {
                return Err(disk.damaged(&key, "unreadable record of the log"));
            }
            self.counters = counters;
            self.tail.extend_from_slice(&record);
            self.slots_used += 1;
        }
        Ok(())
    }

    pub(super) const fn counters(&self) -> Counters {
        self.counters
    }

    /// Adds a commit to a batch.
    pub(super) fn append(&mut self, counters: Counters, record: &[u8], batch: &mut Batch) {
        self.counters = counters;
        self.tail.extend_from_slice(record);
        let mut value = Vec::with_capacity(record.len() + 32);
        counters.put(&mut value);
        if self.tail.len() < BLOCK_BYTES && self.slots_used < SLOTS {
            value.extend_from_slice(record);
            batch.insert(keys::of_number(keys::SLOT, self.slots_used), value);
            self.slots_used += 1;
        } else {
            value.extend_from_slice(&self.tail);
            batch.insert(keys::of_number(keys::BLOCK, self.block), value);
            self.slots_used = 0;
            self.end_block_if_full();
        }
    }

    fn end_block_if_full(&mut self) {
        if self.tail.len() >= BLOCK_BYTES {
            self.tail.clear();
            self.block += 1;
        }
    }

    /// Adds to a batch that everything so far is elsewhere; answers the block with which the log goes on.
    pub(super) fn restart(&mut self, batch: &mut Batch) -> u64 {
        let mut value = Vec::new();
        self.counters.put(&mut value);
        batch.insert(keys::COUNTERS, value);
        self.block += 1;
        self.tail.clear();
        self.slots_used = 0;
        self.block
    }
}
