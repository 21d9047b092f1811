//! What was told of a belief elsewhere?

use super::{Belief, State};
use crate::predict::{evidence::Evidence, exchange::SharedBelief};

impl Belief {
    /// Gives it evidence from elsewhere.
    pub(in crate::predict) fn set_evidence(&mut self, evidence: Evidence, undecided: u32) {
        self.tested().evidence = evidence;
        self.undecided = undecided;
    }

    /// Notes what was told of it elsewhere.
    pub(in crate::predict) fn note_told(&mut self, told: SharedBelief) {
        self.tested().told = Some(Box::new(told));
    }

    /// What was told of it elsewhere.
    pub(in crate::predict) fn told(&self) -> Option<&SharedBelief> {
        self.tested.as_ref()?.told.as_deref()
    }

    /// What was told of it elsewhere, if this crawl has not found out more: it has decided nothing, and no page spoke against it.
    pub(in crate::predict) fn hearsay(&self) -> Option<&SharedBelief> {
        let told = self.told()?;
        let Evidence {
            trials, failures, ..
        } = self.evidence();
        let is_untold = match self.state {
            State::Withdrawn => self.tries() == 0,
            State::Probation => self.tries() == 1 && failures == 0 && trials < told.trials.max(1),
            State::Proposed | State::Active => false,
        };
        Some(told).filter(|_| is_untold && self.risen() == 0)
    }
}
