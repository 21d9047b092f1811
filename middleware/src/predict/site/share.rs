//! What does a site make of beliefs that were formed elsewhere?

use nodust_frontier::Standing;

use super::{Site, belief_key};
use crate::predict::{
    belief::{Belief, State, prior},
    evidence::{ENOUGH, Evidence},
    exchange::{SharedBelief, Trust},
    text::Claim,
};

/// Weight among all hypotheses that evidence from elsewhere is worth at most.
const MOST_WEIGHT: f64 = 10.0;

/// Trials from elsewhere that count at most.
const MOST_TRIALS: u32 = 1_000_000;

impl Site {
    /// Takes a belief in, unless the site has one of its own about the same; whether it did. See
    /// [`exchange`](crate::predict::BeliefFile) for what that means.
    pub fn take_in(&mut self, shared: &SharedBelief, trust: Trust) -> bool {
        let Ok(Claim {
            edit,
            level,
            context,
        }) = shared.text.parse()
        else {
            return false;
        };
        self.register_one(edit.clone());
        let Some(&number) = self.numbers.get(&edit) else {
            return false;
        };
        let key = belief_key(number, level, context);
        if self.beliefs.get(key).is_some() || self.beliefs.len() >= self.config.max_beliefs {
            return false;
        }
        let own = prior(&edit, level);
        let mut belief = Belief::new(number, level, context, own);
        belief.stand_alone();
        match shared.standing {
            Standing::Withdrawn => belief.state = State::Withdrawn,
            Standing::Active
                if trust == Trust::Active
                    && shared.exceptions == 0
                    && shared.e_value >= 1.0
                    && shared.undecided <= shared.trials =>
            {
                let trials = shared.trials.min(MOST_TRIALS);
                // Trusted as one that had just enough.
                let log_e = shared.e_value.max(ENOUGH).ln();
                belief.set_evidence(Evidence {
                    log_e: log_e.min(20.0) as f32,
                    trials,
                    failures: shared.failures.min(trials),
                    alarm: 0.0,
                });
                let id = self.id_of(&belief);
                belief.activate(id);
                self.edits[number as usize].active += 1;
                self.index_active();
                self.ids.insert(id, key);
                // What was fetched already is filed anew with the pages that are learned from next.
                self.stale = true;
                self.round.is_urgent = true;
                self.generation += 1;
            }
            Standing::Active | Standing::Probation => {
                belief.start();
                belief.prior = own.max(shared.e_value.min(MOST_WEIGHT) as f32);
            }
        }
        self.beliefs.add(belief);
        true
    }
}
