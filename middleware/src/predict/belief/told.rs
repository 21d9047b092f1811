//! What another crawl found out about a belief.

use super::{Belief, State};
use crate::predict::{evidence::Evidence, exchange::SharedBelief};

impl Belief {
    /// Gives it evidence from elsewhere.
    pub(in crate::predict) fn set_evidence(&mut self, evidence: Evidence, undecided: u32) {
        self.tested().evidence = evidence;
        self.undecided = undecided;
    }

    /// Gives it weight on the word of another crawl, and notes the trials there. What it is tested on here is evidence of
    /// its own.
    pub(in crate::predict) fn give_advance(&mut self, weight: f32, told: Evidence) {
        let rare = self.tested().rare_mut();
        rare.advance = Some(weight);
        rare.earlier = (told.trials, told.failures);
    }

    /// The weight that it was given so.
    pub(super) fn advance(&self) -> Option<f32> {
        self.rare()?.advance
    }

    /// Whether no page of this crawl has spoken against what was told.
    pub(super) fn is_as_told(&self) -> bool {
        self.tries() <= 1 && self.failures() == 0 && self.state != State::Withdrawn
    }

    /// The trials, and the failures among them, that its e-value does not include: those in another crawl and in
    /// earlier tries.
    pub fn earlier(&self) -> (u32, u32) {
        self.rare().map_or((0, 0), |rare| rare.earlier)
    }

    /// Trials [so far](Self::seen) that were made in this crawl. Those of another are among them where it is acted upon on its word.
    pub(in crate::predict) fn seen_here(&self) -> u32 {
        let is_begun_there = self.advance().is_none() && self.earlier() == (0, 0);
        let told = self.told().filter(|_| is_begun_there);
        self.seen()
            .saturating_sub(told.map_or(0, |told| told.trials))
    }

    /// Trials that could not be decided, here and in another crawl.
    pub(in crate::predict) fn all_undecided(&self) -> u32 {
        let elsewhere = self.advance().and_then(|_| Some(self.told()?.undecided));
        self.undecided.saturating_add(elsewhere.unwrap_or(0))
    }

    /// Notes what was told of it elsewhere.
    pub(in crate::predict) fn note_told(&mut self, told: SharedBelief) {
        self.tested().rare_mut().told = Some(Box::new(told));
    }

    /// What was told of it elsewhere.
    pub(in crate::predict) fn told(&self) -> Option<&SharedBelief> {
        self.rare()?.told.as_deref()
    }

    /// What was told of it elsewhere, if this crawl has not found out more: it has decided nothing, and no page spoke against it.
    /// (The trials of both are told together all the same.)
    pub(in crate::predict) fn hearsay(&self) -> Option<&SharedBelief> {
        let told = self.told()?;
        let is_untold = match self.state {
            State::Withdrawn => self.tries() == 0,
            State::Probation => self.is_as_told() && self.evidence().trials < told.trials.max(1),
            State::Proposed | State::Active => false,
        };
        Some(told).filter(|_| is_untold && self.risen() == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::{
        belief::{About, Level},
        evidence::Ratios,
    };

    #[test]
    fn what_a_page_speaks_against_weighs_no_more_than_what_was_formed_here() {
        let ratios = Ratios::for_risk(0.02);
        let mut belief = Belief::new(0, Level::Names, 7, 1.0);
        belief.start();
        let elsewhere = Evidence {
            trials: 88,
            ..Evidence::default()
        };
        belief.give_advance(10.0, elsewhere);
        let weights = |belief: &Belief| (belief.weight_now(), belief.weight_of_tries() as u32);
        let count = |belief: &mut Belief, success, group| {
            belief.count(success, group, 0, 20, About::Query, &ratios)
        };
        count(&mut belief, true, 0);
        assert_eq!(weights(&belief), (10.0, 10));
        count(&mut belief, false, 1);
        assert_eq!(weights(&belief), (1.0, 10), "its first try stays paid for");
        belief.forgive(true, &ratios);
        assert_eq!(weights(&belief), (10.0, 10), "it was an exception");
        for group in 2..4 {
            count(&mut belief, false, group);
        }
        assert_eq!(belief.state, State::Withdrawn);
        for group in 10..34 {
            count(&mut belief, true, group);
        }
        assert_eq!(
            (belief.state, belief.earlier()),
            (State::Probation, (91, 2))
        );
        let needed = (100..300).find(|group| {
            count(&mut belief, true, *group);
            belief.has_enough()
        });
        assert_eq!((needed, weights(&belief)), (Some(164), (1.0, 11)));
    }
}
