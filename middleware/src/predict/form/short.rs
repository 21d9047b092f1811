//! What is the hash of a short text?
//!
//! That of XXH3 (64 bits, with a seed), for texts of up to sixteen octets, which most parts of a URL are. Where the seed is
//! known to the compiler, little more is left than two multiplications.

use xxhash_rust::xxh3::xxh3_64_with_seed;

// What XXH3 reads of its default secret for texts of these lengths.
const TINY: u64 = 0x396C_FEB8 ^ 0xBE4B_A423;
const SHORT: u64 = 0x1CAD_21F7_2C81_017C ^ 0xDB97_9083_E96D_D4DE;
const LOW: u64 = 0x1F67_B3B7_A4A4_4072 ^ 0x78E5_C0CC_4EE6_79CB;
const HIGH: u64 = 0x2172_FFCC_7DD0_5A82 ^ 0x8E24_43F7_7446_08B8;

fn four(octets: [u8; 4]) -> u64 {
    u64::from(u32::from_le_bytes(octets))
}

fn of_tiny(octets: &[u8], seed: u64) -> u64 {
    let len = octets.len();
    let (first, middle, last) = (octets[0], octets[len / 2], octets[len - 1]);
    let all =
        u64::from(first) << 16 | u64::from(middle) << 24 | u64::from(last) | (len as u64) << 8;
    let mut hash = all ^ TINY.wrapping_add(seed);
    hash = (hash ^ hash >> 33).wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    hash = (hash ^ hash >> 29).wrapping_mul(0x1656_67B1_9E37_79F9);
    hash ^ hash >> 32
}

fn of_short(first: u64, last: u64, len: usize, seed: u64) -> u64 {
    let seed = seed ^ u64::from((seed as u32).swap_bytes()) << 32;
    let hash = (last + (first << 32)) ^ SHORT.wrapping_sub(seed);
    let mut hash = hash ^ hash.rotate_left(49) ^ hash.rotate_left(24);
    hash = hash.wrapping_mul(0x9FB2_1C65_1E98_DF25);
    hash = (hash ^ (hash >> 35).wrapping_add(len as u64)).wrapping_mul(0x9FB2_1C65_1E98_DF25);
    hash ^ hash >> 28
}

fn of_middling(first: u64, last: u64, len: usize, seed: u64) -> u64 {
    let low = first ^ LOW.wrapping_add(seed);
    let high = last ^ HIGH.wrapping_sub(seed);
    let product = u128::from(low) * u128::from(high);
    let product = product as u64 ^ (product >> 64) as u64;
    let mut hash = (len as u64).wrapping_add(low.swap_bytes());
    hash = hash.wrapping_add(high).wrapping_add(product);
    hash = (hash ^ hash >> 37).wrapping_mul(0x1656_6791_9E37_79F9);
    hash ^ hash >> 32
}

/// The hash of a text.
#[inline]
pub(in crate::predict) fn hash_of(seed: u64, text: &str) -> u64 {
    let octets = text.as_bytes();
    let len = octets.len();
    if let (9..=16, Some(first), Some(last)) = (len, octets.first_chunk(), octets.last_chunk()) {
        let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
        of_middling(first, last, len, seed)
    } else if let (4..=8, Some(first), Some(last)) =
        (len, octets.first_chunk(), octets.last_chunk())
    {
        of_short(four(*first), four(*last), len, seed)
    } else if (1..=3).contains(&len) {
        of_tiny(octets, seed)
    } else {
        xxh3_64_with_seed(octets, seed)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_short_text_has_the_hash_that_it_should(text in "[a-z0-9é.]{0,24}", seed: u64, small in 0..60u64) {
            for seed in [seed, small] {
                prop_assert_eq!(hash_of(seed, &text), xxh3_64_with_seed(text.as_bytes(), seed));
            }
        }
    }
}
