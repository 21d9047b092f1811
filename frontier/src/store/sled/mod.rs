//! A store on disk, kept in a sled database.
//!
//! [`SledStore`] keeps seen-set, queue, ledger and state in one sled tree. After a crash, sled recovers one batch of
//! one tree whole or not at all; across trees it promises nothing.
//!
//! # What is durable when
//!
//! A [`Commit`] is one change: after a crash, all of it is found, or nothing. After [`Store::commit`] has returned, every
//! lookup sees it. Commits gather in memory, about a quarter of a megabyte of them while as much is being written, and are
//! written as one batch. They are on disk within the time that [`FlushPolicy`] names, and after [`Store::flush`]. If the
//! process is killed in between, the last few commits may be missing when the store is opened, but never one in the middle, and
//! what was lost is fetched once more. A commit of more than 2,048 items is written as several batches, in this order: ledger
//! and queue with their names, recalls, settled with state. A crash between them fetches twice and loses nothing.
//!
//! After a write has failed (on a full disk, say), the store answers every call with [`StoreError::Io`]: nothing is
//! acknowledged that is not written. Remove the cause and open the store again. A damaged database is never replaced by
//! an empty one: [`SledStore::open`] says what is wrong, and [`SledStore::move_aside`] makes room if the operator wants
//! that.
//!
//! # Memory
//!
//! The seen-set is exact and in memory, at 10 to 21 bytes per fingerprint, until it reaches
//! [`SledOptions::seen_memory_bytes`]. Then its tables are written to the store as sorted runs (commits wait meanwhile,
//! lookups do not). Of a run, a Bloom filter of 1.3 bytes per fingerprint stays in memory, which may say "surely new"
//! but never "seen": answers stay exact, and a name that is in a run costs one read. When the filters of all runs fill
//! three quarters of the memory, further runs have none, and every lookup in them costs a read. The queue keeps a few
//! waiting entries per host in memory; ledger and state stay on disk.
//!
//! # Example
//!
//! ```
//! use nodust_frontier::{Commit, Fingerprint, SeenAs, SeenStore, SledStore, Store};
//! use nodust_frontier::store::sled::SledOptions;
//!
//! let folder = tempfile::tempdir()?;
//! let name = Fingerprint::from_parts(1, 2);
//! let store = SledStore::open(folder.path(), &SledOptions::default())?;
//! store.commit(Commit { seen: vec![(name, SeenAs::Admitted)], ..Commit::default() })?;
//! store.flush()?;
//! drop(store);
//!
//! let store = SledStore::open(folder.path(), &SledOptions::default())?;
//! let mut found = Vec::new();
//! store.lookup(&[name, Fingerprint::from_parts(1, 3)], &mut found)?;
//! assert_eq!(found, [Some(SeenAs::Admitted), None]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blobs;
mod bloom;
mod codec;
mod disk;
mod folder;
mod keys;
mod ledger;
mod log;
mod panics;
mod pending;
mod queue;
mod runs;
mod seen;
mod split;
mod table;

use std::{
    fmt, io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use serde::{Deserialize, Serialize};

pub use self::panics::panic_becomes_error;
use self::{disk::Disk, log::Log, pending::Batch, queue::Heads, seen::SeenSet};
use super::{
    Commit, Ledger, LedgerEntry, Queue, Queued, SeenAs, SeenStore, StateStore, Store, Ticket,
};
use crate::{BeliefId, Fingerprint, HostKey, StoreError};

/// When committed data reaches the disk. Whichever is chosen, sled's own thread, which also moves what is left in old
/// segments, syncs what it has written more often than that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlushPolicy {
    /// Every given number of milliseconds, by a thread of the store. A crash loses at most the commits of about this
    /// time.
    EveryMs(u64),
    /// Before a commit returns: a crash loses no commit, and each page waits for the disk.
    EachCommit,
}

/// How a store on disk is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SledOptions {
    /// When commits reach the disk. Default: every 500 ms; after a crash, what was committed since the last time is done once more.
    pub flush: FlushPolicy,
    /// Bytes of memory that the seen-set may take. Default: 4 GiB.
    pub seen_memory_bytes: u64,
    /// Most entries that the ledger keeps; further ones are only counted. Default: 10,000,000.
    pub ledger_limit: u64,
    /// Bytes of sled's page cache. Default: 64 MiB.
    pub cache_bytes: u64,
    /// Whether to open a store that has lost the last of its durable commits (a truncated file), and fetch their pages
    /// once more. By default (`false`), that is [an error](StoreError::LostCommits).
    pub accept_loss: bool,
}

impl Default for SledOptions {
    fn default() -> Self {
        Self {
            flush: FlushPolicy::EveryMs(500),
            seen_memory_bytes: 4 << 30,
            ledger_limit: 10_000_000,
            cache_bytes: 64 << 20,
            accept_loss: false,
        }
    }
}

/// A store in a folder. One process at a time can have it open.
pub struct SledStore {
    disk: Disk,
    ledger_limit: u64,
    // Guards the order of commits, and the queue in memory together with what stands on disk.
    writer: Mutex<Writer>,
    // Written only under `writer`.
    seen: RwLock<SeenSet>,
}

#[derive(Debug)]
struct Writer {
    heads: Heads,
    log: Log,
}

impl SledStore {
    /// Opens the store in the folder `path`, or creates one there.
    ///
    /// Reads the whole seen-set into memory.
    ///
    /// # Errors
    /// [`StoreError::InUse`] while another process (or this one) has it open, [`StoreError::Format`] if another version
    /// wrote it, [`StoreError::Damaged`] if it cannot be read, [`StoreError::LostCommits`] if durable commits are
    /// missing and [`SledOptions::accept_loss`] is off, [`StoreError::NotMade`] if its folder neither exists nor can be
    /// made, [`StoreError::Io`] for anything else.
    pub fn open(path: impl AsRef<Path>, options: &SledOptions) -> Result<Self, StoreError> {
        let disk = Disk::open(path.as_ref(), options)?;
        let max_bytes = usize::try_from(options.seen_memory_bytes).unwrap_or(usize::MAX);
        let mut seen = SeenSet::open(&disk, max_bytes)?;
        let durable = disk.noted_durable();
        let log = match Log::open(&disk, &mut seen)? {
            Some(log) if durable == 0 || log.counters().commits > 0 => log,
            None if disk.is_new() => {
                let mut batch = Batch::default();
                let log = Log::new(&mut batch);
                disk.write(batch)?;
                disk.sync()?;
                log
            }
            _ => {
                return Err(StoreError::Damaged {
                    path: disk.path().to_owned(),
                    detail: match durable {
                        0 => "its log of commits is missing".to_owned(),
                        _ => format!("of {durable} commits that were durable none can be read"),
                    },
                });
            }
        };
        let commits = log.counters().commits;
        if commits < durable {
            if !options.accept_loss {
                return Err(StoreError::LostCommits {
                    path: disk.path().to_owned(),
                    durable,
                    left: commits,
                });
            }
            tracing::warn!(
                path = %disk.path().display(),
                "of {durable} commits that were durable {commits} are left: what the others held is found and \
                 fetched again"
            );
        }
        if disk.is_new() {
            disk.mark()?;
        } else if commits < durable {
            disk.note_durable(commits)?;
        }
        Ok(Self {
            disk,
            ledger_limit: options.ledger_limit,
            writer: Mutex::new(Writer {
                heads: Heads::default(),
                log,
            }),
            seen: RwLock::new(seen),
        })
    }

    /// Whether the folder `path` holds a store, whatever its format and condition. Writes nothing.
    pub fn is_in(path: impl AsRef<Path>) -> bool {
        folder::is_in(path.as_ref())
    }

    /// Whether a file is part of a store, not just in its folder.
    pub fn owns(file: impl AsRef<Path>) -> bool {
        folder::owns(file.as_ref())
    }

    /// Moves the folder of a store to a free name beside it, and returns that name. For a damaged store, if the
    /// operator asks for it.
    ///
    /// # Errors
    /// If there is no such folder, it is in use, or it cannot be moved.
    pub fn move_aside(path: impl AsRef<Path>) -> io::Result<PathBuf> {
        folder::move_aside(path.as_ref())
    }

    /// Bytes that the store takes on disk.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn size_on_disk(&self) -> Result<u64, StoreError> {
        self.disk.size_on_disk()
    }

    /// Bytes of memory that the seen-set takes.
    pub fn seen_bytes(&self) -> usize {
        self.seen().bytes()
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        // A panic under the lock comes before the batch is written, or after it was shown.
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn seen(&self) -> RwLockReadGuard<'_, SeenSet> {
        self.seen.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn seen_mut(&self) -> RwLockWriteGuard<'_, SeenSet> {
        self.seen.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn commit_one(&self, commit: Commit) -> Result<(), StoreError> {
        let mut guard = self.writer();
        let writer = &mut *guard;
        let mut batch = Batch::default();
        let mut counters = writer.log.counters();
        counters.commits += 1;

        let free = self.ledger_limit.saturating_sub(counters.ledger);
        let ledger = ledger::change(
            &self.disk,
            &commit.recalled,
            &commit.ledger,
            free,
            &mut batch,
        )?;
        counters.ledger = (counters.ledger + ledger.added).saturating_sub(ledger.removed);
        counters.ledger_overflow += ledger.overflowed;

        counters.queued += commit.queued.len() as u64;
        let placed = queue::push(commit.queued, &mut counters.next_position, &mut batch);

        let record = self
            .seen()
            .plan(&self.disk, &commit.withdrawn, &commit.seen)?;
        let settled = queue::settle(&self.disk, &commit.settled, &mut batch)?;
        counters.queued = counters.queued.saturating_sub(settled);
        for (name, value) in commit.state {
            match value {
                Some(value) => batch.insert(keys::of_state(&name), value),
                None => batch.remove(keys::of_state(&name)),
            }
        }
        // If the write fails, the store answers nothing any more, so the log may be ahead of the disk.
        writer.log.append(counters, &record, &mut batch);
        self.disk.write(batch)?;

        writer.heads.show(placed);
        writer.heads.hide(&commit.settled);
        if !record.is_empty() {
            let replayed = self.seen_mut().replay(&self.disk, &record)?;
            debug_assert!(replayed.is_some(), "a record just written can be read");
        }
        if self.seen().is_full() {
            let frozen = self.seen().freeze(&self.disk, &mut writer.log)?;
            self.seen_mut().thaw(frozen);
        }
        Ok(())
    }
}

impl fmt::Debug for SledStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SledStore")
            .field("path", &self.disk.path())
            .finish_non_exhaustive()
    }
}

impl SeenStore for SledStore {
    fn lookup(
        &self,
        keys: &[Fingerprint],
        found: &mut Vec<Option<SeenAs>>,
    ) -> Result<(), StoreError> {
        self.disk.check()?;
        let seen = self.seen();
        let before = found.len();
        for key in keys {
            match seen.get(&self.disk, key.url()) {
                Ok(known) => found.push(known),
                Err(error) => {
                    found.truncate(before);
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn seen_len(&self) -> u64 {
        self.seen().len()
    }
}

impl Queue for SledStore {
    fn take(&self, host: &HostKey) -> Result<Option<(Ticket, Queued)>, StoreError> {
        self.disk.check()?;
        self.writer().heads.take(&self.disk, host)
    }

    fn put_back(&self, ticket: &Ticket) {
        self.writer().heads.put_back(ticket);
    }

    fn hosts(&self) -> Result<Vec<HostKey>, StoreError> {
        self.writer().heads.hosts(&self.disk)
    }

    fn queue_len(&self) -> u64 {
        self.writer().log.counters().queued
    }
}

impl Ledger for SledStore {
    fn dropped_in_class(
        &self,
        host: &HostKey,
        class: Fingerprint,
        limit: usize,
    ) -> Result<Vec<LedgerEntry>, StoreError> {
        ledger::dropped_in_class(&self.disk, host, class, limit)
    }

    fn ledger_scan(
        &self,
        each: &mut dyn FnMut(&HostKey, LedgerEntry) -> bool,
    ) -> Result<(), StoreError> {
        ledger::scan(&self.disk, each)
    }

    fn ledger_scan_of(
        &self,
        host: &HostKey,
        belief: BeliefId,
        each: &mut dyn FnMut(LedgerEntry) -> bool,
    ) -> Result<(), StoreError> {
        ledger::scan_of(&self.disk, host, belief, each)
    }

    fn ledger_len(&self) -> u64 {
        self.writer().log.counters().ledger
    }

    fn ledger_overflow(&self) -> u64 {
        self.writer().log.counters().ledger_overflow
    }
}

impl StateStore for SledStore {
    fn state(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let value = self.disk.get(&keys::of_state(key))?;
        Ok(value.map(|bytes| bytes.to_vec()))
    }

    fn state_scan(
        &self,
        prefix: &str,
        each: &mut dyn FnMut(&str, &[u8]),
    ) -> Result<(), StoreError> {
        let prefix = keys::of_state(prefix);
        self.disk.scan(&prefix, &prefix, |key, value| {
            let name = std::str::from_utf8(&key[1..])
                .map_err(|_| self.disk.damaged(key, "a name that is no text"))?;
            each(name, value);
            Ok(true)
        })
    }
}

impl Store for SledStore {
    fn commit(&self, commit: Commit) -> Result<(), StoreError> {
        if commit.is_empty() {
            return self.disk.check();
        }
        split::in_safe_order(commit, |part| self.commit_one(part))
    }

    fn flush(&self) -> Result<(), StoreError> {
        let commits = self.writer().log.counters().commits;
        self.disk.sync()?;
        self.disk.note_durable(commits)
    }
}

impl Drop for SledStore {
    fn drop(&mut self) {
        if !self.disk.has_failed()
            && let Err(error) = self.flush()
        {
            tracing::error!(path = %self.disk.path().display(), %error, "closing the store");
        }
    }
}

#[cfg(test)]
mod tests;
