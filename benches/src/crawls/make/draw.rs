//! What falls by lot, and the same way each time?
//!
//! A generator of its own, since equal seeds must give equal crawls on any machine and with any version of a
//! library. It draws behind `&self`, so that an address can be put together in one expression.

use std::{cell::Cell, ops::RangeInclusive};

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Numbers that look drawn and follow from a name and a seed (`splitmix64`).
#[derive(Clone, Debug)]
pub struct Draw(Cell<u64>);

impl Draw {
    /// The draws of this name.
    pub fn named(seed: u64, name: &str) -> Self {
        Self(Cell::new(xxh3_64_with_seed(name.as_bytes(), seed)))
    }

    fn next(&self) -> u64 {
        self.0.set(self.0.get().wrapping_add(0x9e37_79b9_7f4a_7c15));
        let mut bits = self.0.get();
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `end`; 0 where there is none.
    pub fn below(&self, end: usize) -> usize {
        (self.next() % (end.max(1) as u64)) as usize
    }

    /// A number of the range.
    pub fn between(&self, range: RangeInclusive<usize>) -> usize {
        range.start() + self.below(range.end() - range.start() + 1)
    }

    /// True once in so many draws.
    pub fn one_in(&self, many: usize) -> bool {
        self.below(many) == 0
    }

    /// So many hexadecimal digits, 16 at most.
    pub fn hex(&self, digits: usize) -> String {
        let text = format!("{:016x}", self.next());
        text[..digits.min(16)].to_owned()
    }

    /// One of these names; nothing where there are none.
    pub fn pick<'v>(&self, names: &[&'v str]) -> &'v str {
        names.get(self.below(names.len())).map_or("", |name| *name)
    }

    /// Puts them in another order.
    pub fn shuffle<V>(&self, values: &mut [V]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_and_seeds_give_equal_draws_and_others_do_not() {
        let drawn = |seed, name| {
            let draw = Draw::named(seed, name);
            (0..8).map(|_| draw.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(drawn(1, "a"), drawn(1, "a"));
        assert_ne!(drawn(1, "a"), drawn(2, "a"));
        assert_ne!(drawn(1, "a"), drawn(1, "b"));
    }

    #[test]
    fn a_shuffle_loses_nothing() {
        let mut values: Vec<usize> = (0..50).collect();
        Draw::named(3, "shuffle").shuffle(&mut values);
        assert_ne!(values, (0..50).collect::<Vec<_>>());
        values.sort_unstable();
        assert_eq!(values, (0..50).collect::<Vec<_>>());
    }
}
