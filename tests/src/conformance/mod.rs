//! Do we answer as other tools do, and where we do not, is it by design?
//!
//! Calls recorded from the test suites of other tools are made again with our functions. An answer agrees
//! (the same text, or the same request), deviates by design (in a way that the categories of [`design`]
//! name, decided by rules about the input and the expected answer), or disagrees. Calls that have no
//! counterpart here are counted, with the reason.

pub mod case;
mod courlan;
pub mod design;
mod others;
pub mod report;
pub mod request;

pub use case::{Case, Expected, read_folder};
pub use report::Report;

use std::collections::BTreeSet;

/// What came of one recorded call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The same answer.
    Agree,
    /// Another answer, and these categories say why.
    ByDesign(BTreeSet<&'static str>),
    /// Another answer: ours.
    Disagree(String),
    /// No counterpart, for this reason.
    NotApplicable(&'static str),
}

impl Outcome {
    pub(crate) fn by_design(category: &'static str) -> Self {
        Self::ByDesign(BTreeSet::from([category]))
    }

    /// Agreement of plain values.
    pub(crate) fn of<T: PartialEq + std::fmt::Debug>(ours: &T, expected: &T) -> Self {
        if ours == expected {
            Self::Agree
        } else {
            Self::Disagree(format!("{ours:?}"))
        }
    }
}

/// What a function is about; limits are set per kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Filters, validation, domains and links.
    Judge,
    /// Scrub, normalize and clean.
    Rewrite,
}

/// Makes a recorded call with our function.
pub fn replay(case: &Case) -> (Kind, Outcome) {
    if case.peer_calls_it_wrong {
        return (
            Kind::Rewrite,
            Outcome::NotApplicable("the peer's own suite calls the value wrong"),
        );
    }
    if case.peer.starts_with("courlan") {
        courlan::replay(case)
    } else {
        (Kind::Rewrite, others::replay(case))
    }
}
