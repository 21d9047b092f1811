//! What one trial says about the belief on each level.

use super::{company::Company, kind::Kind, kinds::KindsOfBeliefs};
use crate::predict::{
    belief::{About, Belief, Change, Level, Scrutiny, prior, prior_of, prior_under_full},
    evidence::Ratios,
    form::Edit,
};

/// What the claims of an edit on wider levels say of one on a narrower level, in one trial.
#[derive(Default)]
pub(super) struct Wider {
    /// Whether any of them fails, or may.
    pub(super) fail: bool,
    /// Whether any of them does, or cannot be told.
    pub(super) doubtful: bool,
    /// Whether the last trials speak for any of them.
    pub(super) is_believed: bool,
    /// Weight of those that this is a trial of, and that nothing speaks against.
    covering: f32,
    /// Weight of the one about the path, if it is such a one.
    of_path: f32,
    /// The same of the one about the shape of the path, which says nothing of other shapes.
    of_shape: f32,
    /// The same of the one about names on all paths of the host, and how often it was tried.
    of_names: (f32, u32),
}

impl Wider {
    /// What a narrower claim weighs; `company`: which parameters are one choice on the site.
    pub(super) fn prior(&self, edit: &Edit, level: Level, company: &Company) -> f32 {
        let weight = if level == Level::PathAndRest && !self.doubtful {
            prior_under_full(edit, level)
        } else {
            prior(edit, level)
        };
        if company.is_one_choice(edit) {
            weight * prior_of(edit) / prior(edit, Level::Host)
        } else {
            weight
        }
    }

    pub(super) fn note(&mut self, belief: &Belief, is_claimed: bool) {
        self.is_believed |= !belief.is_doubted();
        if belief.level == Level::WhereHeld {
            // It says nothing of the first page of a rest.
            return;
        }
        let is_doubtful = belief.has_failed() || belief.is_vague(Scrutiny::Usual);
        let fails = is_doubtful || belief.is_full();
        self.doubtful |= is_doubtful;
        self.fail |= fails;
        if is_claimed && !fails {
            let weight = belief.weight_now();
            let covering = match belief.level {
                Level::Path => &mut self.of_path,
                Level::Shape => &mut self.of_shape,
                Level::HostNames => {
                    self.of_names = (weight, belief.seen());
                    return;
                }
                _ => &mut self.covering,
            };
            *covering = weight.max(*covering);
        }
    }

    /// Weight of those that say what one on this level says, which was tried so often. A path says less than an action that is a part of it; one
    /// about names on all paths has to have been tried as often.
    pub(super) fn covering(
        &self,
        (level, seen): (Level, u32),
        is_action_in_path: impl FnOnce() -> bool,
    ) -> f32 {
        if level == Level::HostNames {
            return self.covering;
        }
        let mut covering = self.covering.max(self.of_shape);
        if self.of_names.1 >= seen {
            covering = covering.max(self.of_names.0);
        }
        if level == Level::Action && is_action_in_path() {
            covering
        } else {
            covering.max(self.of_path)
        }
    }
}

/// A decided trial.
#[derive(Clone, Copy)]
pub(super) struct Heard {
    pub(super) success: bool,
    /// Names of the content and of what the edit calls irrelevant.
    pub(super) group: u64,
    pub(super) value: u64,
    pub(super) about: About,
    /// Whether what the edit fails for may be an exception.
    pub(super) is_mostly_right: bool,
}

/// What it did to a belief.
pub(super) struct Told {
    /// Whether the belief speaks of such trials.
    pub(super) is_claimed: bool,
    pub(super) change: Change,
    /// Whether the belief is extended to a new kind, or that excepted.
    pub(super) noted: Option<bool>,
}

impl Heard {
    /// Whether what the edit calls irrelevant there has had its say, so that a claim may be no more than that: folders, or one value of a
    /// parameter.
    pub(super) fn is_stuck(self, belief: &Belief, ratios: &Ratios) -> bool {
        match self.about {
            About::Head => belief.is_full(),
            About::Query => belief.is_filled_by(self.value, ratios),
            About::Alias | About::Path => false,
        }
    }

    pub(super) fn by(
        self,
        belief: &mut Belief,
        edit: &Edit,
        kinds: &mut KindsOfBeliefs,
        (key, kind): (u64, impl Fn() -> Kind),
        ratios: &Ratios,
    ) -> Told {
        let Self {
            success,
            group,
            value,
            about,
            is_mostly_right,
        } = self;
        // A claim says nothing of kinds that it was not tried on: what they show is not held against it. Nor of those that
        // always fail: the first failure is taken back, this one is none.
        let is_claimed = !kinds.is_strange(key, &kind);
        let excepted = (is_claimed && !success).then(|| kinds.except(key, kind()));
        if let Some(is_last) = excepted.flatten() {
            belief.forgive(is_last, ratios);
            return Told {
                is_claimed: false,
                change: Change::None,
                noted: Some(false),
            };
        }
        let was_counted = belief.is_counted();
        let change = if is_claimed {
            let most = belief.level.per_content(edit);
            belief.count(success, group, value, most, about, ratios)
        } else {
            Change::None
        };
        if belief.is_counted() && !was_counted {
            kinds.start(key);
        }
        // Before it is tested, from the first failure on.
        let may_except = is_mostly_right && belief.level > Level::Path;
        let is_noted = belief.is_counted() || (may_except && (!success || kinds.knows(key)));
        let noted = is_noted.then(|| kinds.note(key, kind(), success));
        Told {
            is_claimed,
            change,
            noted: noted.flatten(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::form::Param;

    /// Whether a claim that fails by chance at this rate, whatever it is tried on, ever has enough evidence.
    fn passes(rate: f64, kinds: u64, run: u64) -> bool {
        let edit = Edit::Params(vec![Param::Any("no".into())]);
        let ratios = Ratios::for_risk(0.02);
        let mut belief = Belief::new(0, Level::Names, 7, 1.0);
        belief.stand_alone();
        let mut known = KindsOfBeliefs::default();
        let draw = |at: u64, of: u64| {
            let hash = xxhash_rust::xxh3::xxh3_64_with_seed(
                &[at.to_le_bytes(), of.to_le_bytes()].concat(),
                run,
            );
            (hash >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..1500).any(|at| {
            let kind = if kinds == 0 {
                0
            } else {
                1 + (draw(at, 1) * kinds as f64) as u32
            };
            let heard = Heard {
                success: draw(at, 2) >= rate,
                group: at,
                value: 0,
                about: About::Query,
                is_mostly_right: true,
            };
            heard.by(
                &mut belief,
                &edit,
                &mut known,
                (1, || [0, 0, 0, kind]),
                &ratios,
            );
            belief.has_enough() && belief.is_counted()
        })
    }

    #[test]
    fn exceptions_let_no_more_claims_pass_that_fail_by_chance() {
        let runs = 250;
        let passed = |rate, kinds| (0..runs).filter(|run| passes(rate, kinds, *run)).count();
        for rate in [0.05, 0.1] {
            // Without kinds: each time that a claim is tried anew counts as one more hypothesis.
            let without = passed(rate, 0);
            assert!(without < 190, "{rate}: {without}");
            for kinds in [2, 10, 40] {
                let with = passed(rate, kinds);
                assert!(
                    with.abs_diff(without) <= 5,
                    "{rate} {kinds}: {with} for {without}"
                );
            }
        }
    }
}
