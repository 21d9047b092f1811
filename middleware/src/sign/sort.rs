//! In which order do hashes lie, fast?
//!
//! Several times a page some hundred or thousand hashes are sorted: by their octets, lowest first (radix sort,
//! Knuth, *The Art of Computer Programming* 3, 5.2.5), which takes a half to a third of the time that comparing
//! them takes.

/// Fewer are compared.
const FEW: usize = 64;

/// Sorts hashes.
pub(super) fn sort(all: &mut Vec<u32>) {
    if all.len() < FEW {
        all.sort_unstable();
        return;
    }
    let mut places = [[0u32; 256]; 4];
    for hash in all.iter() {
        for (octet, places) in hash.to_le_bytes().into_iter().zip(&mut places) {
            places[usize::from(octet)] += 1;
        }
    }
    let mut sorted = vec![0; all.len()];
    for (octet, places) in places.iter_mut().enumerate() {
        let mut before = 0;
        for place in places.iter_mut() {
            before += std::mem::replace(place, before);
        }
        for &hash in all.iter() {
            let place = &mut places[(hash >> (8 * octet)) as usize % 256];
            sorted[*place as usize] = hash;
            *place += 1;
        }
        std::mem::swap(all, &mut sorted);
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
