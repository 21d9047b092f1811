//! A Bloom filter: tells which fingerprints are surely new.

/// A Bloom filter over 64-bit names that are hashes already, split into cache lines (Putze, Sanders and
/// Singler 2007, "Cache-, hash- and space-efficient Bloom filters"): one memory access a question. With
/// 10 bits a name it takes about one new name in a hundred for known.
#[derive(Debug)]
pub(super) struct Bloom {
    lines: Vec<[u64; 8]>,
}

const BITS_PER_NAME: usize = 10;
const PROBES: u32 = 7;

impl Bloom {
    /// A filter for so many names, or `None` when it would take more than `max_bytes`.
    pub(super) fn new(names: usize, max_bytes: usize) -> Option<Self> {
        let lines = (names * BITS_PER_NAME).div_ceil(512).max(1);
        (lines * 64 <= max_bytes).then(|| Self {
            lines: vec![[0; 8]; lines],
        })
    }

    pub(super) fn bytes(&self) -> usize {
        self.lines.capacity() * 64
    }

    pub(super) fn insert(&mut self, name: u64) {
        let (line, bits) = self.places(name);
        for (word, bit) in bits {
            self.lines[line][word] |= bit;
        }
    }

    pub(super) fn may_contain(&self, name: u64) -> bool {
        let (line, mut bits) = self.places(name);
        bits.all(|(word, bit)| self.lines[line][word] & bit != 0)
    }

    fn places(&self, name: u64) -> (usize, impl Iterator<Item = (usize, u64)> + use<>) {
        // The bits come from a product of their own, so that names of one line do not share them.
        let line = ((u128::from(name) * self.lines.len() as u128) >> 64) as usize;
        let hash = name.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bits = (0..PROBES).map(move |probe| {
            let bit = hash >> (probe * 9) & 511;
            ((bit >> 6) as usize, 1 << (bit & 63))
        });
        (line, bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_name_is_never_called_new_and_a_new_one_rarely_known() {
        let name = |n: u64| xxhash_rust::xxh3::xxh3_64(&n.to_le_bytes());
        let mut bloom = Bloom::new(10_000, usize::MAX).unwrap();
        (0..10_000).for_each(|n| bloom.insert(name(n)));
        assert!((0..10_000).all(|n| bloom.may_contain(name(n))));
        let wrong = (10_000..110_000).filter(|n| bloom.may_contain(name(*n)));
        let wrong = wrong.count();
        assert!(wrong < 2_500, "{wrong} of 100000 new names passed");
        assert!(Bloom::new(10_000, 1000).is_none());
    }
}
