//! Decides whether two pages differ enough to be different, or so little that they are the same.

use super::{LONG, SAME, Sameness};
use crate::sign::{Sketch, signature::ENOUGH};

/// Pages below this one are different.
const DIFFERENT: f64 = 0.85;
/// Pages that differ in echoes of their URLs only are the same if at least this similar, chrome included.
const ECHOES: f64 = 0.8;
/// A run of this many shingles found in one page only is a sentence of its own.
const OWN_SENTENCE: usize = 8;
/// A difference that may be slight is of so many shingles at most.
pub(super) const SLIGHT: usize = 3 * OWN_SENTENCE;

/// Pages of which chrome leaves next to nothing are different if they are less similar than this with all of it. Menus and
/// advertisements of one content differ, too, but seldom in so much.
const WHOLES: f64 = 0.7;
/// Share of what lasts below which pages are different, whatever else has become chrome. What was forgotten of chrome counts
/// as lasting, so that more must be missing than between pages that are signed under the same.
const LASTING: f64 = 0.7;

/// How far a similarity that two sketches say is from the true one, at most, but for one in a thousand: three standard
/// deviations, at nine tenths; at `WHOLES`, which is far from all that is the same, half as many.
pub(super) const NOISE_OF_SKETCHES: f64 = 0.07;

/// Jaccard similarity below which pages are different, the one with fewer shingles having so many.
const fn limit(fewer: u32) -> f64 {
    if fewer < ENOUGH { 0.5 } else { DIFFERENT }
}

/// Shingles that sets of these sizes share at least, if their pages are not different.
pub(super) fn least_shared(fewer: u32, (a, b): (usize, usize)) -> usize {
    let limit = limit(fewer);
    let by_similarity = (limit * (a + b) as f64 / (1.0 + limit)) as usize;
    // So many are no slight difference.
    by_similarity.min(a.max(b).saturating_sub(SLIGHT))
}

/// Of shingles that were and are no chrome, so many are shared at least by pages that are not different: seven tenths, or
/// all but a slight difference of them, and half of few ones.
pub(super) fn shared_of_lasting(lasting: usize) -> usize {
    let most = (LASTING * lasting as f64).ceil() as usize;
    most.min(lasting.saturating_sub(SLIGHT))
        .max(lasting.div_ceil(2))
}

/// Shingles that sets of these sizes share at least, if as wholes they are not different.
pub(super) fn shared_by_wholes((a, b): (usize, usize)) -> usize {
    (WHOLES * (a + b) as f64 / (1.0 + WHOLES)) as usize
}

/// Whether sets are different as wholes.
pub(in crate::sign) fn of_wholes(one: &Sketch, other: &Sketch) -> bool {
    one.similarity(other) + NOISE_OF_SKETCHES < WHOLES
}

/// How two pages differ.
pub(super) struct Difference {
    /// Jaccard similarity without chrome.
    pub(super) similarity: f64,
    /// Shingles of the page that has fewer.
    pub(super) fewer: u32,
    /// Shingles of one page that the other lacks.
    pub(super) differing: usize,
    /// The longest row of them.
    pub(super) run: usize,
    /// All shingles of the page, chrome included.
    pub(super) whole: usize,
}

impl Difference {
    /// That of two sets of shingles of these sizes that share so many. The longest row is left to be looked for.
    pub(super) fn of_sets(sizes: (usize, usize), shared: usize, fewer: u32, whole: usize) -> Self {
        let (own, other) = (sizes.0 - shared, sizes.1 - shared);
        Self {
            similarity: shared as f64 / (shared + own + other).max(1) as f64,
            fewer,
            differing: own.max(other),
            run: 0,
            whole,
        }
    }

    /// What the similarity of two sketches says, of pages that have so many shingles together.
    pub(super) fn of_sketches(similarity: f64, total: u32, fewer: u32, whole: usize) -> Self {
        Self {
            similarity,
            fewer,
            differing: (f64::from(total) * (1.0 - similarity) / (1.0 + similarity)) as usize,
            run: 0,
            whole,
        }
    }

    /// A difference that is small beside the whole page proves nothing: it may be a footer with the
    /// page's name and date.
    pub(super) fn verdict(&self) -> Sameness {
        let slight = self.differing <= OWN_SENTENCE
            || (self.differing <= SLIGHT && self.differing * 20 <= self.whole);
        if self.fewer < ENOUGH {
            return if self.similarity < limit(self.fewer) && !slight {
                Sameness::Different
            } else {
                Sameness::Unknown
            };
        }
        if self.similarity >= SAME {
            if self.run < OWN_SENTENCE {
                Sameness::Same
            } else {
                Sameness::Unknown
            }
        } else if self.similarity < limit(self.fewer) && !slight {
            Sameness::Different
        } else {
            Sameness::Unknown
        }
    }

    /// Pages that differ in nothing but what repeats their own URLs: the same, unless that is much of them.
    /// A short page may be little more than its name.
    pub(super) fn of_echoes(&self) -> Sameness {
        let (whole, differing) = (self.whole as f64, self.differing as f64);
        let shared = whole - differing;
        let is_long = shared >= f64::from(LONG) && shared >= 0.7 * (whole + differing);
        if is_long || shared >= ECHOES * (whole + differing) {
            Sameness::Same
        } else {
            Sameness::Unknown
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_share_less_than_the_least_are_different() {
        for (a, b) in (10..90).flat_map(|a| (10..140).map(move |b| (a, b))) {
            for fewer in [ENOUGH - 1, ENOUGH] {
                let least = least_shared(fewer, (a, b));
                for shared in 0..least.min(a.min(b) + 1) {
                    let difference = Difference {
                        similarity: shared as f64 / (a + b - shared) as f64,
                        fewer,
                        differing: a.max(b) - shared,
                        run: 0,
                        whole: 10_000,
                    };
                    assert_eq!(
                        difference.verdict(),
                        Sameness::Different,
                        "{a} {b} {shared}"
                    );
                }
            }
        }
    }
}
