//! On how many pages of late was a text met?
//!
//! Most text is met once, and takes four octets until it is forgotten; what is met again is counted.

use hashbrown::{HashTable, hash_table::OccupiedEntry};

/// Pages after which what was met on one of them only is forgotten.
const ONCE: u32 = 128;
/// The same, as a number of hashes, which more than 224 new ones a page come to: those of the last page stay. A table
/// of 32,768 places is seven eighths full with as many.
const MOST_ONCE: usize = 28_672;

/// A hash of a number, for a table.
pub(super) const fn spread(number: u32) -> u64 {
    let hash = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    hash ^ (hash >> 32)
}

/// A hash, and on how many pages it was met: more than one.
#[derive(Clone, Copy, Debug)]
struct Counted {
    hash: [u8; 4],
    pages: u8,
}

fn place(hash: [u8; 4]) -> u64 {
    spread(u32::from_le_bytes(hash))
}

/// Counts of pages by the hash of a text, up to 255.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    counts: HashTable<Counted>,
    once: HashTable<[u8; 4]>,
}

impl Tally {
    /// Counts a page by the hashes of its text, each of which is there once; `number`: which page it is.
    pub(super) fn count(&mut self, hashes: &[u32], number: u32) {
        let is_full = self.once.len() + hashes.len() > MOST_ONCE;
        let old = is_full.then(|| std::mem::take(&mut self.once));
        for hash in hashes {
            let (hash, at) = (hash.to_le_bytes(), spread(*hash));
            if let Some(counted) = self.counts.find_mut(at, |counted| counted.hash == hash) {
                counted.pages = counted.pages.saturating_add(1);
                continue;
            }
            let is_again = if let Some(old) = &old {
                old.find(at, |met| *met == hash).is_some()
            } else {
                let known = self.once.find_entry(at, |met| *met == hash);
                known.map(OccupiedEntry::remove).is_ok()
            };
            if is_again {
                let again = Counted { hash, pages: 2 };
                self.counts
                    .insert_unique(at, again, |counted| place(counted.hash));
            } else {
                self.once.insert_unique(at, hash, |met| place(*met));
            }
        }
        if number.is_multiple_of(ONCE) {
            self.once.clear();
        }
    }

    /// Pages that had it, as far as they are remembered.
    pub(super) fn get(&self, hash: u32) -> u8 {
        let (hash, at) = (hash.to_le_bytes(), spread(hash));
        let counted = self.counts.find(at, |counted| counted.hash == hash);
        counted.map_or_else(
            || u8::from(self.once.find(at, |met| *met == hash).is_some()),
            |counted| counted.pages,
        )
    }

    /// What was met more than once.
    pub(super) fn counted(&self) -> impl Iterator<Item = (u32, u8)> {
        let counts = self.counts.iter();
        counts.map(|counted| (u32::from_le_bytes(counted.hash), counted.pages))
    }

    /// All that is remembered.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, u8)> {
        let once = self.once.iter().map(|met| (u32::from_le_bytes(*met), 1));
        self.counted().chain(once)
    }

    /// Takes back one of [all](Self::all).
    pub(super) fn put(&mut self, hash: u32, pages: u8) {
        let (bytes, at) = (hash.to_le_bytes(), spread(hash));
        if pages > 1 {
            let counted = Counted { hash: bytes, pages };
            self.counts
                .insert_unique(at, counted, |counted| place(counted.hash));
        } else {
            self.once.insert_unique(at, bytes, |met| place(*met));
        }
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.counts.allocation_size() + self.once.allocation_size()
    }
}

/// Counts that do not change any more.
#[derive(Clone, Debug, Default)]
pub(super) struct Closed {
    hashes: Box<[u32]>,
    pages: Box<[u8]>,
}

impl Closed {
    /// Pages that had it.
    pub(super) fn get(&self, hash: u32) -> u8 {
        let found = self.hashes.binary_search(&hash);
        found.map_or(0, |at| self.pages[at])
    }

    /// All of them, by hash.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, u8)> {
        self.hashes.iter().copied().zip(self.pages.iter().copied())
    }

    /// Memory held, in bytes.
    pub(super) const fn bytes(&self) -> usize {
        self.hashes.len() * size_of::<u32>() + self.pages.len()
    }
}

impl FromIterator<(u32, u8)> for Closed {
    fn from_iter<T: IntoIterator<Item = (u32, u8)>>(counts: T) -> Self {
        let mut all: Vec<(u32, u8)> = counts.into_iter().collect();
        all.sort_unstable();
        let (hashes, pages): (Vec<u32>, Vec<u8>) = all.into_iter().unzip();
        Self {
            hashes: hashes.into(),
            pages: pages.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn pages_are_counted_and_outlive_the_process(
            pages in prop::collection::vec(prop::collection::btree_set(0..90u32, 0..30), 0..120),
        ) {
            let mut tally = Tally::default();
            let mut expected = HashMap::<u32, u8>::new();
            for (number, page) in (1..).zip(&pages) {
                let hashes: Vec<u32> = page.iter().copied().collect();
                tally.count(&hashes, number);
                for hash in page {
                    *expected.entry(*hash).or_default() += 1;
                }
            }
            let mut again = Tally::default();
            for (hash, pages) in tally.all() {
                again.put(hash, pages);
            }
            let closed: Closed = tally.all().collect();
            for hash in 0..90 {
                let pages = expected.get(&hash).copied().unwrap_or_default();
                prop_assert_eq!((tally.get(hash), again.get(hash), closed.get(hash)), (pages, pages, pages));
            }
        }
    }

    #[test]
    fn what_was_met_once_is_forgotten_after_a_while_and_the_table_stays_small() {
        let mut tally = Tally::default();
        tally.count(&[7, 8], 1);
        tally.count(&[8], ONCE);
        tally.count(&[7], ONCE + 1);
        assert_eq!((tally.get(7), tally.get(8)), (1, 2));
        for page in 0..50 {
            let own: Vec<u32> = (page * 1000..(page + 1) * 1000).map(|n| n + 100).collect();
            tally.count(&own, ONCE + 2);
        }
        assert!(tally.bytes() < 32_768 * 5 + 1024, "{}", tally.bytes());
    }

    #[test]
    fn what_very_long_pages_share_is_counted() {
        for own in [14_000, 15_000, 40_000] {
            let mut tally = Tally::default();
            for page in 1..6 {
                let own = (page * own..(page + 1) * own).map(|n| n + 1000);
                let hashes: Vec<u32> = (0..300).chain(own).collect();
                tally.count(&hashes, page);
            }
            assert!((0..300).all(|hash| tally.get(hash) == 5), "{own}");
        }
    }
}
