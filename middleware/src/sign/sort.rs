//! In which order do hashes lie, fast?
//!
//! Several times a page some hundred or thousand hashes are sorted. They lie evenly, so one pass puts nearly each at
//! its place (distribution into buckets by the highest bits, Knuth, *The Art of Computer Programming* 3, 5.2.5),
//! and what share a bucket are compared.

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
                prop_assert_eq!(all, expected);
            }
        }
    }
}
