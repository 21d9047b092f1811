//! Counts the recent pages on which a text was met.
//!
//! Most text is met only once, and takes two octets until it is forgotten; what is met again is counted.

mod counts;
mod once;

use super::sort::sort;
use counts::Counts;

pub(super) use once::Once;

/// Pages after which what was met on one of them only is forgotten.
const ONCE: u32 = 128;

/// A hash of a number, for a table.
pub(crate) fn spread(number: impl Into<u64>) -> u64 {
    let hash = number.into().wrapping_mul(0x9E37_79B9_7F4A_7C15);
    hash ^ (hash >> 32)
}

/// Counts of pages by the hash of a text, up to 255.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    counts: Counts,
    pub(super) once: Once,
}

impl Tally {
    /// Counts a page by the hashes of its text, each of which is there once; `number`: which page it is.
    pub(super) fn count(&mut self, hashes: &[u32], number: u32) {
        let old = self.once.make_room(hashes.len());
        for &hash in hashes {
            if self.counts.add(hash) {
                continue;
            }
            let is_again = match &old {
                Some(old) => old.holds(hash),
                None => self.once.remove(hash),
            };
            if is_again {
                self.counts.put(hash, 2);
            } else {
                self.once.add(hash);
            }
        }
        if number.is_multiple_of(ONCE) {
            self.once.clear();
        }
    }

    /// Pages that had it, as far as they are remembered.
    pub(super) fn get(&self, hash: u32) -> u8 {
        let met_again = self.counts.get(hash);
        met_again.unwrap_or_else(|| u8::from(self.once.holds(hash)))
    }

    /// What was met more than once.
    pub(super) fn counted(&self) -> impl Iterator<Item = (u32, u8)> {
        self.counts.iter()
    }

    /// Takes back one of [what was met more than once](Self::counted).
    pub(super) fn put(&mut self, hash: u32, pages: u8) {
        self.counts.put(hash, pages);
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.counts.bytes() + self.once.bytes()
    }
}

/// Hashes that do not change any more, by their upper half, of which there are 16 to 31 in a row: of texts that are not
/// among them, one in two thousand looks as if it were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Closed {
    /// Where each row begins and the last ends.
    rows: Box<[u32]>,
    /// The sixteen bits that follow those which name the row.
    rests: Box<[u16]>,
}

impl Closed {
    /// Hashes that share a row, at least.
    const ROW: usize = 16;

    fn bits(len: usize) -> u32 {
        (len / Self::ROW).max(1).ilog2().min(16)
    }

    /// Of hashes in any order.
    pub(super) fn of(mut all: Vec<u32>) -> Self {
        sort(&mut all);
        let bits = Self::bits(all.len());
        let row = |hash: u32| u64::from(hash) >> (u32::BITS - bits);
        let starts = (0..=1 << bits).map(|at| all.partition_point(|hash| row(*hash) < at) as u32);
        Self {
            rows: starts.collect(),
            rests: (all.iter().map(|hash| (hash >> (16 - bits)) as u16)).collect(),
        }
    }

    /// Whether it is one of them.
    pub(super) fn holds(&self, hash: u32) -> bool {
        let bits = Self::bits(self.rests.len());
        let row = (u64::from(hash) >> (u32::BITS - bits)) as usize;
        let rest = (hash >> (16 - bits)) as u16;
        let ends = self.rows.get(row..row + 2);
        ends.is_some_and(|ends| self.rests[ends[0] as usize..ends[1] as usize].contains(&rest))
    }

    /// What is known of each of them, in order: hashes that are equal to these as far as it goes.
    pub(super) fn all(&self) -> impl Iterator<Item = u32> {
        let bits = Self::bits(self.rests.len());
        let rows = (0..).zip(self.rows.windows(2));
        rows.flat_map(move |(row, ends)| {
            let rests = &self.rests[ends[0] as usize..ends[1] as usize];
            let row = ((row as u64) << (u32::BITS - bits)) as u32;
            rests
                .iter()
                .map(move |rest| row | u32::from(*rest) << (16 - bits))
        })
    }

    /// Memory held, in bytes.
    pub(super) const fn bytes(&self) -> usize {
        self.rows.len() * size_of::<u32>() + self.rests.len() * size_of::<u16>()
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
            for (hash, pages) in tally.counted() {
                again.put(hash, pages);
            }
            let tags: Vec<u16> = tally.once.tags().collect();
            again.once = Once::of_tags(&tags).unwrap();
            for hash in 0..90 {
                let pages = expected.get(&hash).copied().unwrap_or_default();
                prop_assert_eq!((tally.get(hash), again.get(hash)), (pages, pages));
            }
        }

        #[test]
        fn of_closed_hashes_all_are_found_and_few_others(all in prop::collection::btree_set(any::<u32>(), 0..2000)) {
            let closed = Closed::of(all.iter().rev().copied().collect());
            prop_assert!(all.iter().all(|hash| closed.holds(*hash)));
            let others = (0..20_000u32).map(|n| n.wrapping_mul(0x9E37_79B1));
            let wrong = others.filter(|hash| closed.holds(*hash) && !all.contains(hash));
            prop_assert!(wrong.count() < 30);
            prop_assert_eq!(Closed::of(closed.all().collect()), closed);
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
        assert!(tally.bytes() < 66 << 10, "{}", tally.bytes());
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
