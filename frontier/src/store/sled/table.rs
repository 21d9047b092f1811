//! The table of the fingerprints in memory.

use hashbrown::HashTable;

const SHARD_BITS: u32 = 8;

/// An exact set of 64-bit fingerprints, 10 to 21 bytes each.
///
/// It is split by the highest bits, which bounds what a growing table needs beside itself, and lets all
/// of it be read in order, one sorted shard after the other.
#[derive(Debug)]
pub(super) struct Table {
    shards: Vec<HashTable<u64>>,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            shards: (0..1 << SHARD_BITS).map(|_| HashTable::new()).collect(),
        }
    }
}

/// The shard took the highest bits, and the table reads its tag from the highest bits of the hash.
const fn hash(name: u64) -> u64 {
    name ^ (name << SHARD_BITS)
}

const fn shard_of(name: u64) -> usize {
    (name >> (u64::BITS - SHARD_BITS)) as usize
}

impl Table {
    pub(super) fn contains(&self, name: u64) -> bool {
        self.shards[shard_of(name)]
            .find(hash(name), |&other| other == name)
            .is_some()
    }

    /// Adds a name that is not there.
    pub(super) fn insert(&mut self, name: u64) {
        self.shards[shard_of(name)].insert_unique(hash(name), name, |&other| hash(other));
    }

    pub(super) fn remove(&mut self, name: u64) -> bool {
        self.shards[shard_of(name)]
            .find_entry(hash(name), |&other| other == name)
            .map(hashbrown::hash_table::OccupiedEntry::remove)
            .is_ok()
    }

    pub(super) fn len(&self) -> usize {
        self.shards.iter().map(HashTable::len).sum()
    }

    /// Bytes that the tables occupy.
    pub(super) fn bytes(&self) -> usize {
        self.shards.iter().map(HashTable::allocation_size).sum()
    }

    /// Every name, in order.
    pub(super) fn sorted(&self) -> impl Iterator<Item = u64> {
        self.shards.iter().flat_map(|shard| {
            let mut names: Vec<u64> = shard.iter().copied().collect();
            names.sort_unstable();
            names
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn a_table_is_a_set_read_in_order(names in proptest::collection::vec(any::<u64>(), 0..500)) {
            let mut table = Table::default();
            let mut model = BTreeSet::new();
            for (at, &name) in names.iter().enumerate() {
                if at % 5 == 4 {
                    let gone = names[at / 2];
                    prop_assert_eq!(table.remove(gone), model.remove(&gone));
                }
                if !table.contains(name) {
                    table.insert(name);
                }
                model.insert(name);
            }
            prop_assert_eq!(table.len(), model.len());
            prop_assert!(table.sorted().eq(model));
        }
    }
}
