//! The rules that are not to be learned.

use crate::rules::{Rule, defies};

/// Rules that are there already, and those that a person has forbidden.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Barred<'r> {
    pub(crate) known: &'r [Rule],
    pub(crate) vetoed: &'r [Rule],
}

impl Barred<'_> {
    /// Whether a rule is one of them, or does what was forbidden in other words.
    pub(crate) fn bars(self, rule: &Rule) -> bool {
        self.known.contains(rule) || self.vetoed.iter().any(|veto| defies(rule, veto))
    }
}
