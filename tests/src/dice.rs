//! Chance that is the same in every run: the generator `SplitMix64` (Steele, Lea, Flood 2014).

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A number that looks drawn at random for each seed.
#[must_use]
pub const fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(STEP);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Numbers drawn one after another.
#[derive(Clone, Copy, Debug)]
pub struct Dice(pub u64);

impl Dice {
    /// The next number, from 0 to below `end`.
    pub const fn below(&mut self, end: u64) -> u64 {
        let drawn = mix(self.0);
        self.0 = self.0.wrapping_add(STEP);
        drawn % end
    }
}
