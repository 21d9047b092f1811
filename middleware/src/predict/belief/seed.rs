//! A small form for beliefs without any evidence yet.
//!
//! Most beliefs never pass their screening: for nineteen in twenty, there is nothing to keep but what they say and a
//! few small numbers.

use super::{Belief, CONFIRMED, LEVELS, Level, State};

/// A belief without evidence, in 16 octets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::predict) struct Seed {
    /// Upper and lower half of what it is found by, so that no room is left free beside them.
    key: [u32; 2],
    edit: u16,
    /// From the lowest bits on: level, streak, confirmations, whether it was screened out, whether it is alone.
    signs: u16,
    undecided: [u8; 3],
    /// Which of the [`Priors`].
    prior: u8,
}

/// What beliefs weigh as they begin: a few weights, again and again.
#[derive(Debug, Default)]
pub(in crate::predict) struct Priors(Vec<f32>);

impl Priors {
    /// The number of a weight, if there is one for it.
    fn number(&mut self, prior: f32) -> Option<u8> {
        let is_it = |known: &f32| known.to_bits() == prior.to_bits();
        let number = self.0.iter().position(is_it).unwrap_or(self.0.len());
        let number = u8::try_from(number).ok()?;
        if usize::from(number) == self.0.len() {
            self.0.push(prior);
        }
        Some(number)
    }

    /// Memory held, in bytes.
    pub(in crate::predict) const fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<f32>()
    }
}

const STREAK: u32 = 4;
const CONFIRMATIONS: u32 = STREAK + 5;
const SCREENED_OUT: u32 = CONFIRMATIONS + 2;
const ALONE: u32 = SCREENED_OUT + 1;
const MOST: u16 = 1 << (ALONE + 1);
const _: () = assert!(LEVELS.len() <= 1 << STREAK);
const _: () = assert!(CONFIRMED < 1 << (SCREENED_OUT - CONFIRMATIONS));

/// So many of the bits from one on.
const fn bits(signs: u16, from: u32, many: u32) -> u8 {
    ((signs >> from) & ((1 << many) - 1)) as u8
}

impl Seed {
    /// No belief has such signs.
    pub(in crate::predict) const NONE: Self = Self {
        key: [u32::MAX; 2],
        edit: 0,
        signs: MOST,
        undecided: [0; 3],
        prior: 0,
    };

    /// Of a belief, if there is no more to be kept of it; `key`: what it is found by, which tells its context, too.
    pub(in crate::predict) fn of(belief: &Belief, key: u64, priors: &mut Priors) -> Option<Self> {
        let Belief {
            context: _,
            tested: None,
            undecided,
            prior,
            edit,
            level,
            state: State::Proposed,
            streak: streak @ 0..32,
            confirmed,
            screened_out,
            is_alone,
        } = belief
        else {
            return None;
        };
        let [undecided @ .., 0] = undecided.to_le_bytes() else {
            return None;
        };
        let sign = |sign: u8, from: u32| u16::from(sign) << from;
        let signs = sign(*level as u8, 0)
            | sign(*streak, STREAK)
            | sign((*confirmed).min(CONFIRMED), CONFIRMATIONS)
            | sign(u8::from(*screened_out), SCREENED_OUT)
            | sign(u8::from(*is_alone), ALONE);
        Some(Self {
            key: [(key >> 32) as u32, key as u32],
            edit: *edit,
            signs,
            undecided,
            prior: priors.number(*prior)?,
        })
    }

    pub(in crate::predict) const fn is_none(&self) -> bool {
        self.signs == MOST
    }

    /// Which edit.
    pub(in crate::predict) const fn edit(&self) -> u32 {
        self.edit as u32
    }

    pub(in crate::predict) fn level(&self) -> Level {
        LEVELS[usize::from(bits(self.signs, 0, STREAK))]
    }

    /// What it is found by.
    pub(in crate::predict) const fn key(&self) -> u64 {
        let [upper, lower] = self.key;
        (upper as u64) << 32 | lower as u64
    }

    /// The belief that it is kept of, in the context that its key tells.
    pub(in crate::predict) fn belief(&self, context: u64, priors: &Priors) -> Belief {
        let [a, b, c] = self.undecided;
        Belief {
            context,
            tested: None,
            undecided: u32::from_le_bytes([a, b, c, 0]),
            prior: priors.0[usize::from(self.prior)],
            edit: self.edit,
            level: self.level(),
            state: State::Proposed,
            streak: bits(self.signs, STREAK, 5),
            confirmed: bits(self.signs, CONFIRMATIONS, 2),
            screened_out: bits(self.signs, SCREENED_OUT, 1) > 0,
            is_alone: bits(self.signs, ALONE, 1) > 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::codec::Out;

    fn written(belief: &Belief) -> Vec<u8> {
        let mut out = Out::default();
        belief.write(&mut out);
        out.0
    }

    #[test]
    fn a_belief_that_nothing_speaks_for_is_what_it_was_kept_as() {
        assert_eq!(size_of::<Seed>(), 16);
        let mut priors = Priors::default();
        for level in LEVELS {
            for streak in 0..24 {
                let mut belief = Belief::new(65_533, level, 0xFEDC_BA98_7654_3210, 0.2);
                belief.prior *= f32::from(streak % 4);
                belief.streak = streak;
                belief.confirmed = streak % 3;
                belief.screened_out = streak % 2 > 0;
                belief.is_alone = streak % 5 > 2;
                belief.undecided = 1 << streak;
                let seed = Seed::of(&belief, 9, &mut priors).unwrap();
                let again = seed.belief(belief.context, &priors);
                assert!(!seed.is_none());
                assert_eq!(written(&again), written(&belief));
                assert_eq!((again.edit(), seed.key()), (belief.edit(), 9));
            }
        }
    }

    #[test]
    fn a_belief_of_which_there_is_more_is_not_kept_so() {
        let priors = &mut Priors::default();
        let mut belief = Belief::new(1, Level::Names, 7, 1.0);
        assert!(Seed::of(&belief, 9, priors).is_some());
        belief.count_echo();
        assert!(Seed::of(&belief, 9, priors).is_none());
        let mut belief = Belief::new(1, Level::Names, 7, 1.0);
        belief.state = State::Withdrawn;
        assert!(Seed::of(&belief, 9, priors).is_none());
        belief.state = State::Proposed;
        belief.undecided = 1 << 24;
        assert!(Seed::of(&belief, 9, priors).is_none());
        for weight in 0..300u16 {
            let belief = Belief::new(1, Level::Names, 7, f32::from(weight));
            let is_known = Seed::of(&belief, 9, priors).is_some();
            assert_eq!(is_known, weight < 256, "{weight}");
        }
    }
}
