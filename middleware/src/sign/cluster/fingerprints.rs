//! Tells the hashes in which two sets differ, from a few bits of each hash.
//!
//! Some upper bits of a set's hashes are kept, in order. The upper half of these bits is written as steps in unary, the
//! lower half as it is (Elias, *Efficient storage and retrieval by content and address of static files*, J. ACM 21,
//! 1974; Fano 1971): two bits per hash, and those of the lower half. Equal beginnings are matched one to one, so a hash
//! that only one set has is missed only if it begins like one that *only the other has*. In sets that are nearly the
//! same, these are few: with 600 of 6000 apart, one in 109 is missed.

/// Upper bits that are kept of a hash, at least.
const BITS: u32 = 14;
/// Bits of the lower half, at least.
const LEAST_LOW: u32 = 4;
/// Hashes after which it is asked whether a comparison is decided.
const STEPS: usize = 16;
/// Octets behind the last that is written, so that eight can be read at once.
const BEHIND: usize = 8;

/// The beginnings of the hashes of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::sign) struct Fingerprints {
    len: u32,
    /// The lower halves, the steps of the upper ones, and room to read.
    octets: Box<[u8]>,
}

/// How many bits of a hash are its upper half, and its lower, in a set of so many.
fn halves(len: u32) -> (u32, u32) {
    let high = len.max(1).ilog2();
    (high, BITS.saturating_sub(high).max(LEAST_LOW))
}

/// Octets of the lower halves, and of all.
fn sizes(len: u32) -> (usize, usize) {
    let (high, low) = halves(len);
    let lows = (len as usize * low as usize).div_ceil(8);
    let steps = (len as usize + (1 << high)).div_ceil(8);
    (lows, lows + steps + BEHIND)
}

fn eight(octets: &[u8], at: usize) -> u64 {
    let found = octets.get(at..).and_then(<[u8]>::first_chunk);
    found.map_or(0, |octets| u64::from_le_bytes(*octets))
}

impl Fingerprints {
    /// Of hashes that are sorted.
    pub(super) fn of(sorted: &[u32]) -> Self {
        let len = sorted.len() as u32;
        let (high, low) = halves(len);
        let (lows, size) = sizes(len);
        let mut octets = vec![0; size];
        let (lows, steps) = octets.split_at_mut(lows);
        let (mut bits, mut filled, mut written) = (0, 0, 0);
        for (number, hash) in sorted.iter().enumerate() {
            let kept = hash >> (u32::BITS - high - low);
            bits |= u64::from(kept & ((1 << low) - 1)) << filled;
            filled += low;
            if filled >= u32::BITS {
                lows[written..written + 4].copy_from_slice(&(bits as u32).to_le_bytes());
                written += 4;
                bits >>= u32::BITS;
                filled -= u32::BITS;
            }
            let step = (kept >> low) as usize + number;
            steps[step / 8] |= 1 << (step % 8);
        }
        let rest = &mut lows[written..];
        rest.copy_from_slice(&bits.to_le_bytes()[..rest.len()]);
        Self {
            len,
            octets: octets.into(),
        }
    }

    /// Hashes of the set.
    pub(super) const fn len(&self) -> usize {
        self.len as usize
    }

    /// What is kept of a hash.
    fn beginning(&self) -> impl Fn(u32) -> u32 + use<> {
        let (high, low) = halves(self.len);
        move |hash| hash >> (u32::BITS - high - low)
    }

    fn beginnings(&self) -> Beginnings<'_> {
        let (_, low) = halves(self.len);
        let (at, _) = sizes(self.len);
        Beginnings {
            octets: &self.octets,
            len: self.len,
            low,
            number: 0,
            at,
            bits: eight(&self.octets, at),
            passed: 0,
        }
    }

    /// How many of other hashes, which are sorted, are among these; `None` as soon as they cannot be at least
    /// `least`.
    pub(super) fn shared(&self, sorted: &[u32], least: usize) -> Option<usize> {
        let beginning = self.beginning();
        let mut theirs = self.beginnings();
        let mut next = theirs.next();
        let mut shared = 0;
        for (hashes, seen) in sorted.chunks(STEPS).zip((0..).step_by(STEPS)) {
            // What is left may all be shared.
            let left = (theirs.len - theirs.number) as usize + usize::from(next.is_some());
            if shared + left.min(sorted.len() - seen) < least {
                return None;
            }
            for hash in hashes {
                let mine = beginning(*hash);
                while next.is_some_and(|next| next < mine) {
                    next = theirs.next();
                }
                if next == Some(mine) {
                    shared += 1;
                    next = theirs.next();
                }
            }
        }
        (shared >= least).then_some(shared)
    }

    /// Those of other hashes, which are sorted, that are not among these. Of several that begin alike nobody knows
    /// which they are: then all.
    pub(super) fn alone(&self, sorted: &[u32]) -> Vec<u32> {
        let beginning = self.beginning();
        let mut theirs = self.beginnings();
        let mut next = theirs.next();
        let mut alone = Vec::new();
        for alike in sorted.chunk_by(|a, b| beginning(*a) == beginning(*b)) {
            let mine = beginning(alike[0]);
            while next.is_some_and(|next| next < mine) {
                next = theirs.next();
            }
            for _ in alike {
                if next != Some(mine) {
                    alone.extend_from_slice(alike);
                    break;
                }
                next = theirs.next();
            }
        }
        alone
    }

    /// Memory held, in bytes.
    pub(super) const fn bytes(&self) -> usize {
        self.octets.len()
    }

    /// How many there are, and what is to be written of them.
    pub(in crate::sign) fn parts(&self) -> (usize, &[u8]) {
        (self.len(), &self.octets)
    }

    /// As they were written.
    pub(in crate::sign) fn from_parts(len: u32, octets: &[u8]) -> Option<Self> {
        let is_whole = (len as usize) <= octets.len() * 8 && sizes(len).1 == octets.len();
        is_whole.then(|| Self {
            len,
            octets: octets.into(),
        })
    }
}

/// What is kept of hashes, in order.
struct Beginnings<'f> {
    octets: &'f [u8],
    len: u32,
    low: u32,
    /// How many were handed out.
    number: u32,
    /// Where the steps lie that are being read, those of them that are left, and how many came before.
    at: usize,
    bits: u64,
    passed: u32,
}

impl Iterator for Beginnings<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.number == self.len {
            return None;
        }
        while self.bits == 0 {
            self.at += 8;
            self.passed += u64::BITS;
            if self.at >= self.octets.len() {
                self.number = self.len;
                return None;
            }
            self.bits = eight(self.octets, self.at);
        }
        let step = self.passed + self.bits.trailing_zeros();
        self.bits &= self.bits - 1;
        let bit = self.number as usize * self.low as usize;
        let lowest = (eight(self.octets, bit / 8) >> (bit % 8)) as u32 & ((1 << self.low) - 1);
        let highest = step.wrapping_sub(self.number);
        self.number += 1;
        Some(highest << self.low | lowest)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;

    fn set(from: u64, to: u64) -> Vec<u32> {
        let mut set: Vec<u32> = (from..to)
            .map(|n| xxh3_64(&n.to_le_bytes()) as u32)
            .collect();
        set.sort_unstable();
        set.dedup();
        set
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_is_kept_of_hashes_comes_out_and_is_read_back(hashes in prop::collection::btree_set(any::<u32>(), 0..700)) {
            let sorted: Vec<u32> = hashes.into_iter().collect();
            let kept = Fingerprints::of(&sorted);
            let expected: Vec<u32> = sorted.iter().map(|hash| kept.beginning()(*hash)).collect();
            prop_assert_eq!(kept.beginnings().collect::<Vec<_>>(), expected);
            prop_assert_eq!(kept.shared(&sorted, sorted.len()), Some(sorted.len()));
            prop_assert!(kept.alone(&sorted).is_empty());
            let (len, octets) = kept.parts();
            prop_assert_eq!(Fingerprints::from_parts(len as u32, octets), Some(kept.clone()));
            prop_assert!(Fingerprints::from_parts(len as u32 + 9, octets).is_none());
        }

        #[test]
        fn octets_that_nobody_wrote_do_no_harm(len in 0..300u32, noise in prop::collection::vec(any::<u8>(), 2000)) {
            let octets = &noise[..sizes(len).1];
            let read = Fingerprints::from_parts(len, octets).unwrap();
            let other = set(0, 300);
            prop_assert!(read.shared(&other, 0).is_some_and(|shared| shared <= 300));
            prop_assert!(read.alone(&other).len() <= 300);
        }
    }

    #[test]
    fn how_sets_differ_is_told_but_for_a_hash_in_a_hundred() {
        for (shared, apart) in [(80, 10), (400, 40), (2000, 200), (6000, 600)] {
            let theirs = Fingerprints::of(&set(0, shared + apart));
            let own = set(9000, 9000 + apart);
            let mut mine = [set(0, shared), own.clone()].concat();
            mine.sort_unstable();
            let found = theirs.shared(&mine, 0).unwrap();
            for least in 0..mine.len() {
                let expected = (found >= least).then_some(found);
                assert_eq!(theirs.shared(&mine, least), expected);
            }
            let missed = found as u64 - shared;
            assert!(missed <= 2 + apart / 60, "{missed} of {apart}");
            let alone = theirs.alone(&mine);
            assert!(alone.is_sorted() && alone.len() as u64 <= apart + apart / 4 + 2);
            let listed = own.iter().filter(|hash| alone.binary_search(hash).is_ok());
            assert!(listed.count() as u64 >= apart - missed, "{shared}");
        }
    }

    #[test]
    fn long_sets_take_six_bits_a_hash_and_short_ones_two_octets() {
        let size = |len| Fingerprints::of(&set(0, len)).bytes() as u64;
        assert!(size(6000) < 6000 * 6 / 8, "{}", size(6000));
        assert!(size(700) < 700 * 9 / 8, "{}", size(700));
        assert!(size(60) < 60 * 2, "{}", size(60));
        assert!(size(0) < 16);
    }
}
