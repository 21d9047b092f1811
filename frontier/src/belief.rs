//! Names of beliefs, their standing and their evidence.
//!
//! Learned rules and predictions share one kind of name, so that the ledger, exploration and reports treat them alike.

use std::fmt;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// The name of a belief: a hash of its host and its text form, and so the same after a restart, after an export and on
/// another machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BeliefId(u64);

impl BeliefId {
    /// Static normalization. It is not learned and never withdrawn, but its drops can be undone one class at a time,
    /// when the page that stood for the class could not be fetched.
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
    /// Its trials are counted, but it is not acted upon.
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
    /// Trials that have counted since it has been tested: its e-value is made of these.
    pub trials: u64,
    /// Of these, failed.
    pub failures: u64,
    /// Trials before that: in another crawl, or before it fell and was tested anew.
    #[serde(default)]
    pub earlier_trials: u64,
    /// Of these, failed.
    #[serde(default)]
    pub earlier_failures: u64,
    /// Trials that could not be decided. If there are too many, the belief is not acted upon though active. 0 for budgets
    /// and rules, where every trial is decided.
    #[serde(default)]
    pub undecided: u64,
    /// Evidence against its being wrong too often; a belief is acted upon from about 20 on. 1 where none is weighed:
    /// for a budget, or a rule that was proved otherwise.
    pub e_value: f64,
    /// Kinds of URLs for which it was found not to hold, and is not acted upon.
    pub exceptions: u64,
    /// Pairs of URLs that it held for: one that would be dropped, and the fetched one that stands for it.
    pub examples: Vec<(String, String)>,
}

impl BeliefRecord {
    /// How the text of a budget begins. A budget is reported like a belief but says something else: pages of URLs like the
    /// one it names have long brought nothing new.
    pub const BUDGET: &str = "budget of URLs like ";

    /// Describes a budget, if `text` is that of one: whether it is used up, how many pages were fetched, and how many
    /// of these brought something new.
    pub fn tell_budget(text: &str, standing: Standing, pages: u64, fresh: u64) -> Option<String> {
        let is_used_up = text
            .starts_with(Self::BUDGET)
            .then_some(standing == Standing::Active)?;
        let state = if is_used_up { "used up" } else { "open again" };
        Some(format!(
            "{state}: {pages} pages were fetched, {fresh} of them brought new content"
        ))
    }

    /// The words for undecided trials, to follow trials and failures; empty if there are none.
    pub fn tell_undecided(undecided: u64) -> String {
        if undecided == 0 {
            String::new()
        } else {
            format!(", {undecided} more undecided")
        }
    }

    /// The words for earlier trials, to follow an e-value; empty if there are none.
    pub fn tell_earlier(trials: u64, failures: u64) -> String {
        if trials == 0 {
            String::new()
        } else {
            let word = if trials == 1 { "trial" } else { "trials" };
            format!(" (before that, or in another crawl, {trials} {word}, {failures} failed)")
        }
    }

    /// The words for an e-value, to follow trials and failures; empty if none was weighed.
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

    /// Returns `None` unless `0 <= p <= 1`.
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

/// The claim that a link would bring known content: which belief says so, and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// The belief that says so.
    pub belief: BeliefId,
    /// How likely the fetch is to bring a duplicate.
    pub probability: Probability,
}
