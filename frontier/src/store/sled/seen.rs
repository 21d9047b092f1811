//! The seen-set on disk.
//!
//! One key per fingerprint would cost sled microseconds and a hundred bytes each. Instead, each commit writes what it
//! learned as one record of a [`Log`], and lookups are answered by an exact table in memory, rebuilt from the log at
//! open. What does not fit into the memory allowed goes to sorted runs in the store (see `runs`).

use std::collections::hash_map::Entry;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::{
    super::SeenAs,
    codec::{Reader, put_fixed, put_number},
    disk::Disk,
    keys,
    log::Log,
    pending::Batch,
    runs::{self, Kind, Runs},
    table::Table,
};
use crate::{BeliefId, Fingerprint, HostKey, StoreError};

// Kinds of section. A record is a row of sections: kind, number of entries, entries.
const ADMITTED: u8 = 0;
const DROPPED: u8 = 1;
/// Dropped before, admitted now.
const UPGRADED: u8 = 2;
/// Fingerprint and belief.
const CLASS_OF: u8 = 3;
/// Beliefs whose classes are forgotten.
const WITHDRAWN: u8 = 4;

/// What is known: tables in memory, and runs in the store for what they could not hold.
#[derive(Debug)]
pub(super) struct SeenSet {
    tables: Tables,
    runs: Runs,
    len: u64,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct Tables {
    admitted: Table,
    dropped: Table,
    class_of: FxHashMap<u64, BeliefId>,
}

impl Tables {
    fn get(&self, name: u64) -> Option<SeenAs> {
        if self.admitted.contains(name) {
            Some(SeenAs::Admitted)
        } else if self.dropped.contains(name) {
            Some(SeenAs::Dropped)
        } else if self.class_of.is_empty() {
            None
        } else {
            self.class_of.get(&name).copied().map(SeenAs::ClassOf)
        }
    }

    fn bytes(&self) -> usize {
        // A map's entry, its tag, and room to grow.
        let classes = self.class_of.capacity() * (size_of::<(u64, BeliefId)>() + 1) * 8 / 7;
        self.admitted.bytes() + self.dropped.bytes() + classes
    }
}

/// Runs written from full tables, until they take their place.
#[derive(Debug)]
pub(super) struct Frozen {
    runs: Vec<runs::NewRun>,
    first_block: u64,
    len: u64,
}

impl SeenSet {
    /// The runs, and empty tables.
    pub(super) fn open(disk: &Disk, max_bytes: usize) -> Result<Self, StoreError> {
        let runs = Runs::open(disk, max_bytes / 4 * 3)?;
        Ok(Self {
            tables: Tables::default(),
            len: runs.base_len,
            runs,
            max_bytes,
        })
    }

    /// Whether there are no runs.
    #[cfg(test)]
    pub(super) fn is_all_in_memory(&self) -> bool {
        self.runs.is_empty()
    }

    /// The block with which the log begins.
    pub(super) const fn first_block(&self) -> u64 {
        self.runs.first_block
    }

    pub(super) fn get(&self, disk: &Disk, name: u64) -> Result<Option<SeenAs>, StoreError> {
        match self.tables.get(name) {
            None if !self.runs.is_empty() => self.runs.get(disk, name),
            known => Ok(known),
        }
    }

    pub(super) const fn len(&self) -> u64 {
        self.len
    }

    /// Bytes of the tables, and of what is kept of the runs.
    pub(super) fn bytes(&self) -> usize {
        self.tables.bytes() + self.runs.bytes()
    }

    /// What a commit changes, as a record; empty when it changes nothing.
    pub(super) fn plan(
        &self,
        disk: &Disk,
        withdrawn: &[(HostKey, BeliefId)],
        seen: &[(Fingerprint, SeenAs)],
    ) -> Result<Vec<u8>, StoreError> {
        // The name of a belief covers its host.
        let withdrawn: Vec<BeliefId> = withdrawn.iter().map(|(_, belief)| *belief).collect();
        let mut fresh: FxHashMap<u64, (SeenAs, bool)> =
            FxHashMap::with_capacity_and_hasher(seen.len(), FxBuildHasher);
        for &(name, reason) in seen {
            match fresh.entry(name.url()) {
                Entry::Occupied(mut known) => {
                    if known.get().0 == SeenAs::Dropped && reason == SeenAs::Admitted {
                        known.get_mut().0 = SeenAs::Admitted;
                    }
                }
                Entry::Vacant(free) => {
                    let known = self.get(disk, name.url())?.filter(
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
        Ok(write_record(&withdrawn, &fresh))
    }

    /// Does what a record says. `Ok(None)`: it cannot be read.
    pub(super) fn replay(&mut self, disk: &Disk, record: &[u8]) -> Result<Option<()>, StoreError> {
        let mut from = Reader(record);
        while !from.is_empty() {
            let Some((kind, mut entries)) = read_section(&mut from) else {
                return Ok(None);
            };
            let tables = &mut self.tables;
            while let Some(name) = entries.fixed() {
                match kind {
                    ADMITTED => {
                        tables.admitted.insert(name);
                        self.len += 1;
                    }
                    DROPPED => {
                        tables.dropped.insert(name);
                        self.len += 1;
                    }
                    UPGRADED => {
                        tables.dropped.remove(name);
                        tables.admitted.insert(name);
                    }
                    CLASS_OF => {
                        let belief = BeliefId::from_bits(entries.fixed().unwrap_or_default());
                        tables.class_of.insert(name, belief);
                        self.len += 1;
                    }
                    _ => {
                        let before = tables.class_of.len();
                        tables.class_of.retain(|_, by| by.to_bits() != name);
                        let forgotten = (before - tables.class_of.len()) as u64;
                        self.len -= forgotten + self.runs.withdraw(disk, name)?;
                    }
                }
            }
        }
        Ok(Some(()))
    }

    /// Whether the tables have taken their share. They keep a quarter of the memory whatever the runs
    /// take.
    pub(super) fn is_full(&self) -> bool {
        let share = self.max_bytes.saturating_sub(self.runs.bytes());
        self.tables.bytes() > share.max(self.max_bytes / 4)
    }

    /// Writes the tables to the store as runs, and lets the log begin anew. Lookups go on meanwhile.
    pub(super) fn freeze(&self, disk: &Disk, log: &mut Log) -> Result<Frozen, StoreError> {
        let mut classes: Vec<(u64, u64)> = self
            .tables
            .class_of
            .iter()
            .map(|(name, belief)| (*name, belief.to_bits()))
            .collect();
        classes.sort_unstable();
        let (admitted, dropped) = (&self.tables.admitted, &self.tables.dropped);
        let mut new = Vec::new();
        let mut write = |kind, names: &mut dyn Iterator<Item = (u64, u64)>, count| {
            if count > 0 {
                let number = self.runs.next() + new.len() as u32;
                // Filters of all runs take at most three quarters of the memory; tables the rest.
                let max_bytes = self.max_bytes / 4 * 3;
                new.push(
                    self.runs
                        .write(disk, kind, number, names, count, max_bytes)?,
                );
            }
            Ok(())
        };
        let mut names = admitted.sorted().map(|name| (name, 0));
        write(Kind::Admitted, &mut names, admitted.len())?;
        let mut names = dropped.sorted().map(|name| (name, 0));
        write(Kind::Dropped, &mut names, dropped.len())?;
        let count = classes.len();
        write(Kind::ClassOf, &mut classes.into_iter(), count)?;

        let mut batch = Batch::default();
        let first_block = log.restart(&mut batch);
        let manifest = self.runs.manifest_with(&new, first_block, self.len);
        batch.insert(keys::MANIFEST, manifest);
        disk.write(batch)?;
        runs::remove_log(disk, first_block)?;
        Ok(Frozen {
            runs: new,
            first_block,
            len: self.len,
        })
    }

    /// Lets the runs take the place of the tables.
    pub(super) fn thaw(&mut self, frozen: Frozen) {
        self.tables = Tables::default();
        self.runs.add(frozen.runs, frozen.first_block, frozen.len);
    }
}

fn read_section<'a>(from: &mut Reader<'a>) -> Option<(u8, Reader<'a>)> {
    let kind = from.byte().filter(|kind| *kind <= WITHDRAWN)?;
    let count = usize::try_from(from.number()?).ok()?;
    let width = if kind == CLASS_OF { 16 } else { 8 };
    Some((kind, Reader(from.take(count.checked_mul(width)?)?)))
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
