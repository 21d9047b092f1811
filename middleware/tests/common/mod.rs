//! What whole crawls in tests share: chance that is the same in every run, and texts made of it.

use std::fmt::Write as _;

/// The generator `SplitMix64` (Steele, Lea, Flood 2014).
pub(crate) fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// So many words, twelve a line, that no other seed has.
pub(crate) fn words(seed: u64, count: u64) -> String {
    (0..count).fold(String::new(), |mut text, n| {
        let word = mix(seed.wrapping_mul(1000) + n);
        write!(text, "w{:x}", word % 0xf_ffff).unwrap();
        text.push(if n % 12 == 11 { '\n' } else { ' ' });
        text
    })
}
