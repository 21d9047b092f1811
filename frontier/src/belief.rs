//! What is a belief called, and how sure is it?
//!
//! Learned rules and predictions share one kind of name, so that ledger, exploration and reports
//! treat them alike.

use std::fmt;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Name of a belief: a hash of its host and its text form, hence the same after a restart, after an
/// export and on another machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BeliefId(u64);

impl BeliefId {
    /// Static normalization: not learned, never withdrawn, but its drops can be undone one class at a
    /// time when the page that stood for the class could not be fetched.
    pub const STATIC: BeliefId = BeliefId(0);

    /// The name of the belief that prints as `text` on `host`.
    pub fn of(host: &str, text: &str) -> Self {
        let mut bytes = Vec::with_capacity(host.len() + text.len() + 1);
        bytes.extend_from_slice(host.as_bytes());
        bytes.push(0);
        bytes.extend_from_slice(text.as_bytes());
        Self(xxh3_64(&bytes).max(1))
    }

    /// The name with this number, as read back from a store.
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The number to write to a store.
    pub const fn to_bits(self) -> u64 {
        self.0
    }
}

impl fmt::Display for BeliefId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// How far a belief has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It is counted and not acted upon.
    Probation,
    /// It is acted upon.
    Active,
    /// It turned out wrong, or too weak.
    Withdrawn,
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Probation => "on probation",
            Self::Active => "active",
            Self::Withdrawn => "withdrawn",
        })
    }
}

/// What the stage that holds a belief can say about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BeliefRecord {
    /// Its name.
    pub id: BeliefId,
    /// The host, or the registrable domain, that it is about.
    pub site: String,
    /// What it says, in the form that the stage reads back.
    pub text: String,
    /// How far it has come.
    pub standing: Standing,
    /// Trials that counted since it is tested: its e-value is made of these.
    pub trials: u64,
    /// Of these, failed.
    pub failures: u64,
    /// Trials before that: in another crawl, and before it fell and was tested anew.
    #[serde(default)]
    pub earlier_trials: u64,
    /// Of these, failed.
    #[serde(default)]
    pub earlier_failures: u64,
    /// Trials that could not be decided: too many of them, and it is not acted upon though active. 0 where every trial is
    /// decided: a budget, or a rule.
    #[serde(default)]
    pub undecided: u64,
    /// Evidence against its being wrong too often; acted upon from about 20 on. 1 where none is weighed: a budget, or a
    /// rule that was proved otherwise.
    pub e_value: f64,
    /// Kinds of URLs that it was found not to hold for, and is not acted upon.
    pub exceptions: u64,
    /// Pairs of URLs that it held for: one that would be dropped, and the fetched one that stands for it.
    pub examples: Vec<(String, String)>,
}

impl BeliefRecord {
    /// How the text of a budget begins, which is told like a belief and says something else: pages of URLs like the one it
    /// names have long brought nothing new.
    pub const BUDGET: &str = "budget of URLs like ";

    /// What is told of a budget, if the text is that of one: whether it is used up, of how many pages, and how many of
    /// these brought something new.
    pub fn tell_budget(text: &str, standing: Standing, pages: u64, fresh: u64) -> Option<String> {
        let is_used_up = text
            .starts_with(Self::BUDGET)
            .then_some(standing == Standing::Active)?;
        let state = if is_used_up { "used up" } else { "open again" };
        Some(format!(
            "{state}: {pages} pages were fetched, {fresh} of them brought new content"
        ))
    }

    /// What is told of undecided trials behind trials and failures: nothing where there are none.
    pub fn tell_undecided(undecided: u64) -> String {
        if undecided == 0 {
            String::new()
        } else {
            format!(", {undecided} more undecided")
        }
    }

    /// What is told of earlier trials behind an e-value: nothing where there are none.
    pub fn tell_earlier(trials: u64, failures: u64) -> String {
        if trials == 0 {
            String::new()
        } else {
            let word = if trials == 1 { "trial" } else { "trials" };
            format!(" (before that, or in another crawl, {trials} {word}, {failures} failed)")
        }
    }

    /// What is told of an e-value behind trials and failures: nothing where none was weighed.
    pub fn tell_e_value(e_value: f64) -> String {
        if (e_value - 1.0).abs() < f64::EPSILON {
            String::new()
        } else if (0.01..10_000.0).contains(&e_value) {
            format!(", e-value {e_value:.2}")
        } else {
            format!(", e-value {e_value:.2e}")
        }
    }
}

/// A probability, between 0 and 1 and never NaN.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Probability(f64);

impl Probability {
    /// What is explored unless told otherwise.
    pub(crate) const FIVE_PERCENT: Self = Self(0.05);

    /// `None` unless `0 <= p <= 1`.
    pub fn new(p: f64) -> Option<Self> {
        (0.0..=1.0).contains(&p).then_some(Self(p))
    }

    /// The number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Probability {
    type Error = &'static str;
    fn try_from(p: f64) -> Result<Self, Self::Error> {
        Self::new(p).ok_or("a probability lies between 0 and 1")
    }
}

impl From<Probability> for f64 {
    fn from(p: Probability) -> f64 {
        p.0
    }
}

/// "This link would bring content we already have": who says so, and how sure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// The belief that speaks.
    pub belief: BeliefId,
    /// How likely the fetch would bring a duplicate.
    pub probability: Probability,
}
