//! A bounded table of records that knows which of them differ from the store.
//!
//! When a table is full, its oldest records make room. A record's age is stored with it, so that a process that goes on
//! after another evicts the same ones.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Commit, Store, StoreError};

/// What a table keeps.
pub(super) trait Record: Default {
    /// Where its records stand in the store: this, and their names.
    const PREFIX: &'static str;
    /// As many are kept.
    const MOST: usize;

    fn write(&self, bytes: &mut Vec<u8>);

    /// `None` if that is not what [`write`](Self::write) writes.
    fn read(bytes: &[u8]) -> Option<Self>;
}

/// Records by name.
#[derive(Debug)]
pub(super) struct Table<T> {
    /// Each with its place in the order of age.
    all: FxHashMap<u64, (u64, T)>,
    /// Names, oldest first.
    order: BTreeMap<u64, u64>,
    moved: FxHashSet<u64>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self {
            all: FxHashMap::default(),
            order: BTreeMap::new(),
            moved: FxHashSet::default(),
        }
    }
}

impl<T: Record> Table<T> {
    pub(super) fn get(&self, name: u64) -> Option<&T> {
        self.all.get(&name).map(|(_, record)| record)
    }

    /// A record that is there, to be changed.
    pub(super) fn get_mut(&mut self, name: u64) -> Option<&mut T> {
        let (_, record) = self.all.get_mut(&name)?;
        self.moved.insert(name);
        Some(record)
    }

    /// The record of a name, to be changed; a new one if there is none.
    pub(super) fn of(&mut self, name: u64) -> &mut T {
        self.moved.insert(name);
        if !self.all.contains_key(&name) {
            while self.all.len() >= T::MOST
                && let Some((_, oldest)) = self.order.pop_first()
            {
                self.all.remove(&oldest);
                self.moved.insert(oldest);
            }
            self.order.insert(self.next_place(), name);
        }
        let place = self.order.last_key_value().map_or(0, |(place, _)| *place);
        let (_, record) = (self.all.entry(name)).or_insert_with(|| (place, T::default()));
        record
    }

    pub(super) fn remove(&mut self, name: u64) -> Option<T> {
        let (place, record) = self.all.remove(&name)?;
        self.order.remove(&place);
        self.moved.insert(name);
        Some(record)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.all.iter().map(|(name, (_, record))| (*name, record))
    }

    /// Adds everything to a commit.
    #[cfg(test)]
    pub(super) fn write_all(&self, commit: &mut Commit) {
        for (name, (place, record)) in &self.all {
            let mut bytes = place.to_le_bytes().to_vec();
            record.write(&mut bytes);
            let key = format!("{}{name:016x}", T::PREFIX);
            commit.state.push((key, Some(bytes)));
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    fn next_place(&self) -> u64 {
        self.order.last_key_value().map_or(0, |(last, _)| last + 1)
    }

    pub(super) fn load(store: &dyn Store) -> Result<Self, StoreError> {
        let mut table = Self::default();
        store.state_scan(T::PREFIX, &mut |key, bytes| {
            let name = u64::from_str_radix(&key[T::PREFIX.len()..], 16).ok();
            let read = name.and_then(|name| {
                let (place, bytes) = bytes.split_first_chunk()?;
                Some((name, u64::from_le_bytes(*place), T::read(bytes)?))
            });
            // Two of one age are of no store that this program wrote.
            match read {
                Some((name, place, record)) if !table.order.contains_key(&place) => {
                    table.order.insert(place, name);
                    table.all.insert(name, (place, record));
                }
                _ => tracing::warn!(key, "not readable, passed over"),
            }
        })?;
        Ok(table)
    }

    /// Adds what moved to a commit.
    pub(super) fn write(&mut self, commit: &mut Commit) {
        for name in self.moved.drain() {
            let bytes = self.all.get(&name).map(|(place, record)| {
                let mut bytes = place.to_le_bytes().to_vec();
                record.write(&mut bytes);
                bytes
            });
            let key = format!("{}{name:016x}", T::PREFIX);
            commit.state.push((key, bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryStore;

    #[derive(Debug, Default, PartialEq)]
    struct Number(u8);

    impl Record for Number {
        const PREFIX: &'static str = "number/";
        const MOST: usize = 4;
        fn write(&self, bytes: &mut Vec<u8>) {
            bytes.push(self.0);
        }
        fn read(bytes: &[u8]) -> Option<Self> {
            <[u8; 1]>::try_from(bytes).ok().map(|[number]| Self(number))
        }
    }

    fn names(table: &Table<Number>) -> Vec<u64> {
        table.order.values().copied().collect()
    }

    /// Its place among the oldest was kept when it was removed, so that it made room long before its time.
    #[test]
    fn a_name_that_was_removed_and_comes_again_is_new() {
        let mut table = Table::<Number>::default();
        for name in [1, 2, 3] {
            table.of(name);
        }
        table.remove(1);
        for name in [1, 4, 5] {
            table.of(name);
        }
        assert_eq!(names(&table), [3, 1, 4, 5]);
        assert!(table.get(1).is_some() && table.get(2).is_none());
    }

    #[test]
    fn the_same_make_room_after_a_restart() {
        let store = MemoryStore::default();
        let mut table = Table::<Number>::default();
        for name in [9, 2, 7, 4, 5] {
            table.of(name).0 = 1;
        }
        let mut commit = Commit::default();
        table.write(&mut commit);
        let damaged = [("number/x", vec![0; 9]), ("number/1", vec![0; 3])];
        let damaged = damaged.map(|(key, bytes)| (key.to_owned(), Some(bytes)));
        commit.state.extend(damaged);
        store.commit(commit).unwrap();
        let mut read = Table::<Number>::load(&store).unwrap();
        assert_eq!(read.all, table.all);
        for table in [&mut table, &mut read] {
            table.of(1);
            assert_eq!(names(table), [7, 4, 5, 1]);
        }
    }
}
