//! In which order do hashes lie, and which of them are the same, fast?
//!
//! Several times a page some hundred or thousand hashes are sorted. They lie evenly, so one pass puts nearly each at
//! its place (distribution into buckets by the highest bits, Knuth, *The Art of Computer Programming* 3, 5.2.5),
//! and what share a bucket are compared.

use std::{
    hash::{BuildHasher, RandomState},
    sync::LazyLock,
};

/// Fewer are compared.
const FEW: usize = 48;
/// Buckets: at most, as a power of two.
const MOST: u32 = 12;

/// Sorts hashes.
pub(super) fn sort(all: &mut Vec<u32>) {
    if all.len() < FEW {
        all.sort_unstable();
        return;
    }
    // One or two to a bucket, if they are hashes.
    let bits = all.len().ilog2().min(MOST);
    let shift = u32::BITS - bits;
    let mut ends = vec![0u32; 1 << bits];
    for hash in all.iter() {
        ends[(hash >> shift) as usize] += 1;
    }
    let mut sum = 0;
    for end in &mut ends {
        sum += *end;
        *end = sum;
    }
    let mut sorted = vec![0; all.len()];
    for &hash in all.iter().rev() {
        let end = &mut ends[(hash >> shift) as usize];
        *end -= 1;
        sorted[*end as usize] = hash;
    }
    // Where each bucket begins is where the one before ends.
    let mut from = 0;
    for end in ends.into_iter().skip(1).chain([sum]) {
        let end = end as usize;
        if end - from > 1 {
            order(&mut sorted[from..end]);
        }
        from = end;
    }
    *all = sorted;
}

/// Orders the few of a bucket.
fn order(bucket: &mut [u32]) {
    if let [a, b] = bucket {
        if *a > *b {
            std::mem::swap(a, b);
        }
    } else {
        bucket.sort_unstable();
    }
}

/// Of this process alone: nobody can write a text whose hashes all want the same place. What comes out does not
/// depend on it.
static KEY: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(()) | 1);

/// Hashes without those that were there before, in the order in which they come.
pub(super) fn distinct(all: impl ExactSizeIterator<Item = u32>) -> Vec<u32> {
    // Half of a table is free, so the next free place is near the one that a hash names. 0 marks a free one.
    let places = (2 * all.len()).next_power_of_two();
    let mut known = vec![0u32; places];
    let mut has_zero = false;
    let mut found = Vec::with_capacity(all.len());
    for hash in all {
        let mut at = (u64::from(hash).wrapping_mul(*KEY) >> 32) as usize % places;
        while known[at] != 0 && known[at] != hash {
            at = (at + 1) % places;
        }
        let is_new = if hash == 0 {
            !std::mem::replace(&mut has_zero, true)
        } else {
            std::mem::replace(&mut known[at], hash) == 0
        };
        if is_new {
            found.push(hash);
        }
    }
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
