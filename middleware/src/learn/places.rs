//! Finds the row whose text has a given hash.
//!
//! A list in the order of the hashes, not a map: it is made, and read from one end to the other, in the order of
//! memory, so that a large one costs no more per row than a small one.

use std::cmp::Ordering;

/// Items that are sorted at once; more are first dealt out into heaps by the upper bits of their hash.
const MOST_AT_ONCE: usize = 64;
/// Items of a heap, where the heaps are not too many.
const OF_HEAP: usize = 8;
/// Most heaps, as the bits of the hash that tell them: what they end with all stays at hand.
const MOST_BITS: u32 = 13;

/// Sorts by hash, then by the other key. Hashes are taken to be evenly spread.
pub(super) fn sort_by_hash<T: Copy, K: Ord>(
    items: &mut Vec<T>,
    hash: impl Fn(&T) -> u64,
    key: impl Fn(&T) -> K,
) {
    let order = |a: &T, b: &T| -> Ordering { (hash(a), key(a)).cmp(&(hash(b), key(b))) };
    if items.len() <= MOST_AT_ONCE {
        items.sort_unstable_by(order);
        return;
    }
    let bits = (items.len() / OF_HEAP).ilog2().min(MOST_BITS);
    let heap = |item: &T| (hash(item) >> (u64::BITS - bits)) as usize;
    let mut ends = vec![0; 1 << bits];
    for item in &*items {
        ends[heap(item)] += 1;
    }
    let mut end = 0;
    for of in &mut ends {
        end += *of;
        *of = end;
    }
    let mut dealt = items.clone();
    for item in &*items {
        let place = &mut ends[heap(item)];
        *place -= 1;
        dealt[*place] = *item;
    }
    for heap in dealt.chunk_by_mut(|a, b| heap(a) == heap(b)) {
        heap.sort_unstable_by(order);
    }
    *items = dealt;
}

/// The rows of a table in order of their hashes.
#[derive(Debug, Default)]
pub(super) struct Places {
    list: Vec<(u64, u32)>,
    /// Where those begin in the list that have the same upper bits; one more than there are of these.
    begins: Vec<u32>,
    /// The bits that are not among the upper ones.
    lower: u32,
}

impl Places {
    /// Of rows with these hashes.
    pub(super) fn of(hashes: impl Iterator<Item = u64>) -> Self {
        let mut list: Vec<(u64, u32)> = hashes.zip(0..).collect();
        sort_by_hash(&mut list, |(hash, _)| *hash, |(_, at)| *at);
        Self::sorted(list)
    }

    fn sorted(list: Vec<(u64, u32)>) -> Self {
        let upper = list.len().max(2).ilog2();
        let lower = u64::BITS - upper;
        let mut begins = Vec::with_capacity((1 << upper) + 1);
        for (at, (hash, _)) in (0u32..).zip(&list) {
            let until = (hash >> lower) as usize;
            while begins.len() <= until {
                begins.push(at);
            }
        }
        begins.resize((1 << upper) + 1, list.len() as u32);
        Self {
            list,
            begins,
            lower,
        }
    }

    /// The row with this hash, the last one if there are several.
    pub(super) fn get(&self, hash: u64) -> Option<u32> {
        let upper = (hash >> self.lower) as usize;
        let [from, to] = [upper, upper + 1].map(|at| self.begins[at] as usize);
        let found = self.list[from..to].iter().rev().find(|(h, _)| *h == hash);
        found.map(|(_, at)| *at)
    }

    /// Rows of one hash, where there are several.
    pub(super) fn equals(&self) -> impl Iterator<Item = &[(u64, u32)]> {
        let runs = self.list.chunk_by(|a, b| a.0 == b.0);
        runs.filter(|run| run.len() > 1)
    }

    /// The same without the rows that go, those behind them moved up.
    pub(super) fn without(mut self, goes: impl Fn(u32) -> bool) -> Self {
        let mut next = 0;
        let moved: Vec<u32> = (0..self.list.len() as u32)
            .map(|at| {
                let now = next;
                next += u32::from(!goes(at));
                now
            })
            .collect();
        self.list.retain_mut(|(_, at)| {
            let stays = !goes(*at);
            *at = moved[*at as usize];
            stays
        });
        Self::sorted(self.list)
    }
}

#[cfg(test)]
mod tests {
    use super::{Places, sort_by_hash};
    use xxhash_rust::xxh3::xxh3_64;

    #[test]
    fn many_are_sorted_as_few_are() {
        for n in [0u32, 1, 2, 60, 64, 65, 1_000, 30_000] {
            let items = (0..n).map(|at| (xxh3_64(&(at / 2).to_le_bytes()), n - at));
            let mut items: Vec<(u64, u32)> = items.collect();
            let mut sorted = items.clone();
            sorted.sort_unstable();
            sort_by_hash(&mut items, |(hash, _)| *hash, |(_, at)| *at);
            assert_eq!(items, sorted);
        }
    }

    #[test]
    fn rows_are_found_by_their_hash_also_once_some_are_gone() {
        for n in [0u32, 1, 3, 1_000] {
            let hash = |at: u32| xxh3_64(&(at / 3).to_le_bytes());
            let places = Places::of((0..n).map(hash));
            for at in 0..n {
                assert_eq!(places.get(hash(at)), Some((at / 3 * 3 + 2).min(n - 1)));
            }
            assert_eq!(places.get(hash(n + 3)), None);
            assert_eq!(places.equals().count() as u32, (n + 1) / 3);
            let places = places.without(|at| at % 3 != 0);
            for at in 0..n {
                assert_eq!(places.get(hash(at)), Some(at / 3));
            }
        }
    }
}
