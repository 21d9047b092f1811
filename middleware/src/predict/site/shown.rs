//! Checks that each parameter of a set was on pages that showed that it does not matter.
//!
//! A claim that none of a set of parameters matters has its trials on pages that have some of them. A parameter that
//! does not matter and is on all of these pages must not carry along one that is on none. So a page without some of the
//! set counts for a claim only if each of these was on enough of the claim's own pages that turned out the same. If the
//! claim is about URLs with certain names, all its pages have the same part of the set; then what was shown of the edit
//! as a whole counts.

use crate::{
    dense::{Dense, Row},
    predict::{
        belief::Level,
        codec::{In, Out},
        form::Present,
    },
};

/// Pages that must have had a parameter.
const ENOUGH: u64 = 6;
/// Bits of a counter.
const BITS: usize = 3;
/// Sets with more parameters are told by pages that have them all.
const MOST: usize = u64::BITS as usize / BITS;

/// Pages that had each of the parameters of a set, [`ENOUGH`] at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shown(u64);

impl Shown {
    /// Notes a page that was the same without those of a set of `of` parameters that are `present`; whether that says
    /// something of all of them.
    pub(super) fn note(&mut self, present: Present, of: usize) -> bool {
        let places = || (0..of.min(MOST)).map(|at| (at, at * BITS));
        for (at, place) in places() {
            let is_present = (present >> at) & 1 != 0;
            if is_present && self.count(place) < ENOUGH {
                self.0 += 1 << place;
            }
        }
        let is_whole = present.count_ones() as usize >= of;
        is_whole || (of <= MOST && places().all(|(_, place)| self.count(place) >= ENOUGH))
    }

    const fn count(self, place: usize) -> u64 {
        (self.0 >> place) & ((1 << BITS) - 1)
    }

    pub(super) fn write(self, out: &mut Out) {
        out.fixed64(self.0);
    }

    pub(super) fn read(from: &mut In<'_>) -> Option<Self> {
        Some(Self(from.fixed64()?)).filter(|shown| *shown != TOO_MANY)
    }
}

/// Of no set: a counter never comes so far.
const TOO_MANY: Shown = Shown(u64::MAX);

/// Whether pages that a claim on a level is about may have different parts of a set.
pub(super) const fn mixes(level: Level) -> bool {
    !matches!(level, Level::Names | Level::HostNames | Level::Action)
}

/// What was shown of a claim.
#[derive(Clone, Copy, Debug)]
struct Entry {
    belief: u64,
    shown: Shown,
}

impl Dense for Entry {
    const FREE: Self = Self {
        belief: u64::MAX,
        shown: TOO_MANY,
    };

    fn is_free(&self) -> bool {
        self.shown == TOO_MANY
    }

    fn hash(&self) -> u64 {
        self.belief
    }
}

/// What was shown of the claims about sets, by the beliefs' keys.
#[derive(Debug, Default)]
pub(super) struct ShownOfBeliefs(Row<Entry>);

impl ShownOfBeliefs {
    /// The same as [`Shown::note`], for one belief.
    pub(super) fn note(&mut self, belief: u64, present: Present, of: usize) -> bool {
        self.of(belief, Shown::default()).note(present, of)
    }

    /// What was shown of a belief; if that is nothing, then this.
    fn of(&mut self, belief: u64, shown: Shown) -> &mut Shown {
        let is_it = |entry: &Entry| entry.belief == belief;
        &mut self.0.get_or_add(Entry { belief, shown }, is_it).shown
    }

    pub(super) const fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Writes what is known of one belief.
    pub(super) fn write(&self, belief: u64, out: &mut Out) {
        let mut known = self.0.of(belief);
        let entry = known.find(|entry| entry.belief == belief);
        out.flag(entry.is_some());
        if let Some(entry) = entry {
            entry.shown.write(out);
        }
    }

    /// Reads what was written of one belief.
    pub(super) fn read(&mut self, belief: u64, from: &mut In<'_>) -> Option<()> {
        if from.flag()? {
            *self.of(belief, Shown::default()) = Shown::read(from)?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_set_counts_when_each_of_it_was_on_enough_pages() {
        let mut shown = Shown::default();
        for _ in 0..20 {
            assert!(!shown.note(0b01, 2));
        }
        for _ in 0..5 {
            assert!(!shown.note(0b10, 2));
        }
        assert!(shown.note(0b11, 2), "all are there");
        assert!(shown.note(0b01, 2));
    }

    #[test]
    fn sets_too_large_to_be_counted_count_as_wholes() {
        let mut shown = Shown::default();
        for _ in 0..20 {
            assert!(shown.note((1 << 22) - 1, 22));
            assert!(!shown.note((1 << 21) - 1, 22));
        }
    }

    #[test]
    fn what_was_shown_of_one_belief_says_nothing_of_another_and_survives_a_restart() {
        let mut all = ShownOfBeliefs::default();
        for _ in 0..6 {
            all.note(1, 0b11, 2);
        }
        let mut out = Out::default();
        all.write(1, &mut out);
        all.write(2, &mut out);
        let mut again = ShownOfBeliefs::default();
        let mut from = In(&out.0);
        again.read(1, &mut from).unwrap();
        again.read(2, &mut from).unwrap();
        assert!(from.is_empty());
        assert_eq!(again.0.len(), 1);
        assert!(again.note(1, 0b01, 2) && !again.note(2, 0b01, 2));
    }
}
