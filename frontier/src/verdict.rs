//! A stage's answer, and the reason for it.
//!
//! Reasons are data; `Display` turns them into words when somebody reads them.

use std::{borrow::Cow, fmt, sync::Arc};

use crate::{BeliefId, MalformedUrl, Prediction};

/// The stable lowercase name of a stage, as it appears in drop reasons, counters and traces.
pub type StageName = &'static str;

/// The rule that decided, as it can be written into a configuration.
pub type RuleName = Arc<str>;

/// A stage's answer about one link.
///
/// A drop by a belief ([`DropReason::belief`]) can be undone: [`LocalFrontier`](crate::LocalFrontier) keeps the link in its ledger, and
/// queues it again when a stage says that the belief [fell](crate::Effects::withdrawn). What a stage drops for any other reason is not
/// queued again, whatever it learns later: see [`DropReason::Other`].
#[must_use]
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Go on to the next stage.
    Pass,
    /// This link is not wanted.
    Drop(DropReason),
}

/// Why a link was dropped. Dropping is a normal outcome, never an error.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub enum DropReason {
    /// The text is not a URL that a crawler could fetch.
    Malformed(MalformedUrl),
    /// Outside what the operator asked to crawl (scope, depth).
    OutOfScope {
        /// The scope rule, as written in the configuration.
        rule: RuleName,
    },
    /// Its link or its page asks not to follow it (`nofollow`). If it is found elsewhere without that, it is judged as
    /// new.
    NotFollowed,
    /// The operator's filters do not want it.
    Excluded {
        /// The filter rule, as written in the configuration.
        rule: RuleName,
    },
    /// Another spelling of its class is known. `merged_by` names the belief that made the two one page; `None` if
    /// static normalization alone did.
    KnownDuplicate {
        /// The belief behind the merge.
        merged_by: Option<BeliefId>,
    },
    /// A belief says that its content is known.
    PredictedDuplicate(Prediction),
    /// Its shape has used up the budget that its novelty earned.
    OverBudget {
        /// The belief (a shape's budget) that decided.
        belief: BeliefId,
        /// Pages of this shape allowed at that time; or, where links of the shape redirect to the same few contents, the
        /// number that had redirected.
        limit: u32,
    },
    /// The reason of a stage from outside this project.
    ///
    /// Such a drop is for good, like one of [`Excluded`](Self::Excluded): the link is not kept, its spelling is known from then on, and it
    /// is not judged again when the stage's [generation](crate::Middleware::generation) grows or when it is found once more.
    /// ([`OutOfScope`](Self::OutOfScope) and [`NotFollowed`](Self::NotFollowed) keep nothing either, but a link that is found once more is
    /// judged anew.)
    ///
    /// A stage that may change its mind should return [`PredictedDuplicate`](Self::PredictedDuplicate) with a belief of its own
    /// ([`BeliefId::of`]), which it can [describe](crate::Middleware::describe) (or give the full record of, by
    /// [`belief`](crate::Middleware::belief)), and name the belief in [`Effects::withdrawn`](crate::Effects::withdrawn) once it no longer
    /// holds. Then everything that it dropped is queued again. Meanwhile, a share of what a belief drops is [explored](crate::Exploration).
    Other {
        /// A short stable name.
        code: &'static str,
        /// Anything that helps a reader; may be empty.
        detail: Cow<'static, str>,
    },
}

impl DropReason {
    /// A short stable name for counters and files.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Malformed(_) => "malformed",
            Self::OutOfScope { .. } => "out_of_scope",
            Self::NotFollowed => "nofollow",
            Self::Excluded { .. } => "excluded",
            Self::KnownDuplicate { .. } => "known_duplicate",
            Self::PredictedDuplicate(_) => "predicted_duplicate",
            Self::OverBudget { .. } => "over_budget",
            Self::Other { code, .. } => code,
        }
    }

    /// The belief that decided, if one did; such drops go to the ledger.
    pub fn belief(&self) -> Option<BeliefId> {
        match self {
            Self::KnownDuplicate { merged_by } => *merged_by,
            Self::PredictedDuplicate(p) => Some(p.belief),
            Self::OverBudget { belief, .. } => Some(*belief),
            _ => None,
        }
    }

    /// Whether a plain crawler would not have fetched the link either, so that the drop is no saving.
    pub fn is_out_of_reach(&self) -> bool {
        matches!(
            self,
            Self::Malformed(_) | Self::OutOfScope { .. } | Self::NotFollowed
        )
    }

    /// The operator's rule that decided, if one did.
    pub fn rule(&self) -> Option<&RuleName> {
        match self {
            Self::OutOfScope { rule } | Self::Excluded { rule } => Some(rule),
            _ => None,
        }
    }
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(why) => write!(f, "malformed: {why}"),
            Self::OutOfScope { rule } => write!(f, "beyond {rule}"),
            Self::NotFollowed => f.write_str("its link or its page says nofollow"),
            Self::Excluded { rule } => write!(f, "excluded by {rule}"),
            Self::KnownDuplicate { merged_by: None } => {
                f.write_str("another spelling of it is known")
            }
            Self::KnownDuplicate { merged_by: Some(b) } => {
                write!(f, "one page with a known URL by belief {b}")
            }
            Self::PredictedDuplicate(p) => write!(
                f,
                "predicted duplicate (probability {:.3}) by belief {}",
                p.probability.get(),
                p.belief
            ),
            Self::OverBudget { belief, limit } => {
                write!(
                    f,
                    "URLs like it used up their budget with {limit} pages, by belief {belief}"
                )
            }
            Self::Other { code, detail } if detail.is_empty() => f.write_str(code),
            Self::Other { code, detail } => write!(f, "{code}: {detail}"),
        }
    }
}

/// A drop, marked by the chain with the stage that decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Dropped {
    /// The stage that decided.
    pub stage: StageName,
    /// Why.
    pub reason: DropReason,
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A rule that begins with the name of its stage needs no second mention of it.
        let names_stage = self.reason.rule().is_some_and(|rule| {
            let rest = rule.strip_prefix(self.stage);
            rest.is_some_and(|rest| rest.starts_with(':'))
        });
        if names_stage {
            write!(f, "{}", self.reason)
        } else {
            write!(f, "{}: {}", self.stage, self.reason)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drop_names_its_stage_once() {
        let out = |stage, rule: &str| Dropped {
            stage,
            reason: DropReason::OutOfScope { rule: rule.into() },
        };
        let told = out("scope", "scope:host").to_string();
        assert_eq!(told, "beyond scope:host");
        let told = out("redirect", "max-redirects:10").to_string();
        assert_eq!(told, "redirect: beyond max-redirects:10");
        let told = out("scope", "scope").to_string();
        assert_eq!(told, "scope: beyond scope");
    }

    #[test]
    fn a_reason_without_detail_is_told_by_its_code_alone() {
        let told = |detail: &'static str| {
            let (code, detail) = ("mine", detail.into());
            DropReason::Other { code, detail }.to_string()
        };
        assert_eq!([told(""), told("too red")], ["mine", "mine: too red"]);
    }

    #[test]
    fn a_budget_is_named_as_the_belief_that_it_is() {
        let reason = DropReason::OverBudget {
            belief: BeliefId::from_bits(7),
            limit: 103,
        };
        let told = reason.to_string();
        assert_eq!(
            told,
            "URLs like it used up their budget with 103 pages, by belief 0000000000000007"
        );
    }
}
