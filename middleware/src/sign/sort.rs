//! Sorts hashes and removes repeated ones, fast.
//!
//! For each page, some hundred or thousand hashes are sorted several times. They are evenly distributed, so one pass
//! puts nearly each in its place (distribution into buckets by the highest bits, Knuth, *The Art of Computer
//! Programming* 3, 5.2.5), and those that share a bucket are compared.

use std::{
    hash::{BuildHasher, RandomState},
    sync::LazyLock,
};

/// Fewer are compared.
const FEW: usize = 48;
/// Hashes of one bucket that are ordered by moving each to its place.
const CROWD: u32 = 16;

/// Sorts hashes.
pub(super) fn sort(all: &mut Vec<u32>) {
    // About one to a bucket, if they are hashes.
    match all.len() {
        0..FEW => all.sort_unstable(),
        FEW..200 => *all = distributed::<128>(all),
        200..400 => *all = distributed::<256>(all),
        400..800 => *all = distributed::<512>(all),
        800..1600 => *all = distributed::<1024>(all),
        1600..3200 => *all = distributed::<2048>(all),
        _ => *all = distributed::<4096>(all),
    }
}

/// Hashes in order. `BUCKETS`: a power of two.
fn distributed<const BUCKETS: usize>(all: &[u32]) -> Vec<u32> {
    let bucket = |hash: u32| (hash >> (u32::BITS - BUCKETS.ilog2())) as usize;
    let mut places = [0u32; BUCKETS];
    for &hash in all {
        places[bucket(hash)] += 1;
    }
    let mut crowds = Vec::new();
    let mut from = 0;
    for place in &mut places {
        let hashes = std::mem::replace(place, from);
        if hashes > CROWD {
            crowds.push(from as usize..(from + hashes) as usize);
        }
        from += hashes;
    }
    let mut sorted = vec![0; all.len()];
    for &hash in all {
        let place = &mut places[bucket(hash)];
        sorted[*place as usize] = hash;
        *place += 1;
    }
    // Where many share a bucket they are no hashes, or the same again and again.
    for crowd in crowds {
        sorted[crowd].sort_unstable();
    }
    order(&mut sorted);
    sorted
}

/// Orders hashes that are at their places but for a few.
fn order(all: &mut [u32]) {
    let mut highest = 0;
    for last in 0..all.len() {
        let hash = all[last];
        if hash >= highest {
            highest = hash;
            continue;
        }
        let mut at = last;
        while at > 0 && all[at - 1] > hash {
            all[at] = all[at - 1];
            at -= 1;
        }
        all[at] = hash;
    }
}

/// Of this process alone: nobody can write a text whose hashes all want the same place. What comes out does not
/// depend on it.
static KEY: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(()) | 1);

/// Hashes without those that were there before, in the order in which they come.
pub(super) fn distinct(all: impl ExactSizeIterator<Item = u32>) -> Vec<u32> {
    // Half of a table is free, so the next free place is near the one that a hash names. 0 marks a free one.
    let mask = (2 * all.len()).next_power_of_two() - 1;
    let mut known = vec![0u32; mask + 1];
    let key = *KEY;
    let mut has_zero = false;
    let (mut found, mut n) = (vec![0; all.len()], 0);
    for hash in all {
        let mut at = (u64::from(hash).wrapping_mul(key) >> 32) as usize & mask;
        while known[at] != 0 && known[at] != hash {
            at = (at + 1) & mask;
        }
        let is_new = if hash == 0 {
            !std::mem::replace(&mut has_zero, true)
        } else {
            std::mem::replace(&mut known[at], hash) == 0
        };
        found[n] = hash;
        n += usize::from(is_new);
    }
    found.truncate(n);
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn hashes_are_sorted(all in prop::collection::vec(any::<u32>(), 0..400), small in prop::collection::vec(0..300u32, 0..400)) {
            for mut all in [all, small] {
                let mut expected = all.clone();
                expected.sort_unstable();
                sort(&mut all);
                prop_assert_eq!(&all, &expected);
                expected.dedup();
                let mut found = distinct(all.into_iter().rev());
                found.sort_unstable();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
