//! Sketches: estimate how alike two sets are from a few bytes each.
//!
//! Fast Similarity Sketching (Dahlgaard, Knudsen and Thorup, FOCS 2017) with 128 values: element `a` of round `i` falls
//! into bin `h_i(a)`, and a bin keeps the smallest value of the first round that filled it; rounds go on until no bin
//! is empty. Only 4 bits of each value are kept (b-bit minwise hashing, Li and König, WWW 2010): 1 of 16 unequal values
//! looks equal, which the estimate corrects for. Compared with 8 bits, that adds a thirtieth to the standard error at a
//! similarity of 0.9.

/// Values in a sketch.
pub const VALUES: usize = 128;
/// Bands of the candidate index.
pub const BANDS: usize = 11;
/// Values in a band.
const ROWS: usize = 7;
/// Octets of a sketch.
pub(super) const BYTES: usize = VALUES / 2;

/// The sketch of a set.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sketch([u8; BYTES]);

impl std::fmt::Debug for Sketch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sketch({:02x}{:02x}..)", self.0[0], self.0[1])
    }
}

fn mix(x: u64) -> u64 {
    finish(begin_mix(x))
}

/// All of [`mix`] but its last step, which leaves the highest bits as they are.
#[inline]
fn begin_mix(mut x: u64) -> u64 {
    x ^= x >> 30;
    x = x.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x ^= x >> 27;
    x.wrapping_mul(0x94D0_49BB_1331_11EB)
}

#[inline]
const fn finish(x: u64) -> u64 {
    x ^ (x >> 31)
}

impl Sketch {
    /// The sketch of a set.
    pub fn of(set: &[u32]) -> Self {
        let mut bins = [u64::MAX; VALUES];
        let is_empty = |bin: &u64| *bin == u64::MAX;
        let named = |element: u32, round: u64| u64::from(element) | ((round + 1) << 33);
        let hash = |element: u32, round: u64| mix(named(element, round));
        let value = |hash: u64, round: u64| (round << 48) | (hash & 0xFFFF_FFFF_FFFF);
        for &element in set {
            let hash = hash(element, 0);
            let bin = &mut bins[(hash >> 57) as usize];
            *bin = value(hash, 0).min(*bin);
        }
        for round in 1..VALUES as u64 {
            if set.is_empty() || !bins.iter().any(is_empty) {
                break;
            }
            for &element in set {
                let hash = begin_mix(named(element, round));
                let bin = &mut bins[(hash >> 57) as usize];
                // Most were filled in an earlier round, and hold less.
                if *bin >= round << 48 {
                    *bin = value(finish(hash), round).min(*bin);
                }
            }
        }
        for (round, bin) in (VALUES as u64..).zip(&mut bins) {
            if is_empty(bin) {
                let values = set.iter().map(|one| value(hash(*one, round), round));
                *bin = values.min().unwrap_or(u64::MAX);
            }
        }
        let mut values = [0; BYTES];
        for (i, bin) in bins.iter().enumerate() {
            values[i / 2] |= ((mix(*bin) & 15) as u8) << (4 * (i % 2));
        }
        Self(values)
    }

    const fn value(&self, at: usize) -> u32 {
        ((self.0[at / 2] >> (4 * (at % 2))) & 15) as u32
    }

    /// A name under which the set is filed: of sets with a Jaccard similarity of 0.9 one is shared with
    /// probability 0.999, of sets of 0.5 with probability 0.08.
    pub(super) fn band(&self, band: usize) -> u32 {
        let values = band * ROWS..(band + 1) * ROWS;
        values.fold(band as u32, |name, at| (name << 4) | self.value(at))
    }

    /// Estimate of the Jaccard similarity; standard error about 0.025 at 0.9.
    pub fn similarity(&self, other: &Self) -> f64 {
        let (own, others) = (self.0.as_chunks().0, other.0.as_chunks().0);
        // Of each value that differs one bit, eight octets at a time; at most eight of these lie on each other.
        let differing = own.iter().zip(others).fold(0, |sum, (a, b)| {
            let differ = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
            let any = differ | differ >> 2;
            sum + ((any | any >> 1) & 0x1111_1111_1111_1111)
        });
        let halves = 0x0F0F_0F0F_0F0F_0F0F;
        let octets = (differing & halves) + (differing >> 4 & halves);
        let equal = VALUES as u64 - (octets.wrapping_mul(0x0101_0101_0101_0101) >> 56);
        let chance = 1.0 / 16.0;
        ((equal as f64 / VALUES as f64 - chance) / (1.0 - chance)).clamp(0.0, 1.0)
    }

    /// The bytes to write to a store.
    pub const fn as_bytes(&self) -> &[u8; BYTES] {
        &self.0
    }

    /// The sketch as read back.
    pub const fn from_bytes(bytes: [u8; BYTES]) -> Self {
        Self(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(seed: u32, n: u32, shared: f64) -> (Vec<u32>, Vec<u32>) {
        let element = |i: u32| mix(u64::from(seed) << 32 | u64::from(i)) as u32;
        let common = (f64::from(n) * 2.0 * shared / (1.0 + shared)).round() as u32;
        let a = (0..n).map(element).collect();
        let b = (0..common).chain(n..2 * n - common).map(element).collect();
        (a, b)
    }

    #[test]
    fn similarity_is_estimated_within_a_few_percent() {
        for truth in [0.3, 0.7, 0.9] {
            let mut square = 0.0;
            for seed in 0..200 {
                let (a, b) = pair(seed, 400, truth);
                let estimate = Sketch::of(&a).similarity(&Sketch::of(&b));
                square += (estimate - truth).powi(2);
            }
            let rmse = (square / 200.0).sqrt();
            assert!(rmse < 0.05, "rmse {rmse} at {truth}");
        }
    }

    #[test]
    fn every_value_that_differs_counts_once() {
        let sketch = |octet: u8, n: usize| {
            let mut octets = [0x5A; BYTES];
            octets[..n].fill(octet);
            Sketch::from_bytes(octets)
        };
        for n in 0..=BYTES {
            for (octet, values) in [(0x5A, 0), (0x5B, 1), (0x2A, 1), (0xA5, 2), (0x4B, 2)] {
                let equal = (VALUES - values * n) as f64 / VALUES as f64;
                let expected = ((equal - 1.0 / 16.0) / (15.0 / 16.0)).clamp(0.0, 1.0);
                let found = sketch(0x5A, 0).similarity(&sketch(octet, n));
                assert!((found - expected).abs() < 1e-12, "{n} of {octet:x}");
            }
        }
    }

    #[test]
    fn alike_sets_share_a_band_and_others_do_not() {
        let share = |truth| {
            (0..300)
                .filter(|&seed| {
                    let (a, b) = pair(seed, 200, truth);
                    let (a, b) = (Sketch::of(&a), Sketch::of(&b));
                    (0..BANDS).any(|band| a.band(band) == b.band(band))
                })
                .count()
        };
        assert!(share(0.9) >= 299);
        assert!(share(0.3) <= 3);
    }
}
