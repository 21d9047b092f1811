//! Files that carry beliefs from one crawl to another.
//!
//! A JSON file that names format and version, made to be read and edited:
//!
//! ```json
//! { "format": "nodust-beliefs", "version": 1,
//!   "sites": { "e.org": [ { "text": "sid is ignored | names | 00c0ffee00c0ffee", "standing": "active",
//!                           "trials": 70, "failures": 0, "e_value": 25.3,
//!                           "examples": [["http://e.org/?id=1&sid=7", "http://e.org/?id=1"]] } ] } }
//! ```
//!
//! `text` is a [`Claim`]. An imported belief is a *prior* by default: it is tested from the start, with its e-value (at
//! most 10) as its weight among all hypotheses, so that far fewer clean trials suffice. The correction divides by the
//! sum of the weights and holds as before. If you trust the file, import beliefs that were active as [`Trust::Active`]:
//! they are acted upon at once, audited by exploration, and withdrawn like any other. A belief that was withdrawn is
//! doubted from the start either way, and what a site has found out itself is never overwritten.
//!
//! The file also carries what was found out about the kinds of URLs that a belief holds for ([`SharedKinds`]). If the file is
//! trusted, that is acted upon; otherwise only exceptions are heeded, until a page of such a kind is met. Imported kinds are
//! exported again as they were, until the site has found out as much itself.
//!
//! ```
//! use nodust_middleware::predict::BeliefFile;
//!
//! let file = BeliefFile::from_json(r#"{"format": "nodust-beliefs", "version": 1, "sites": {}}"#)?;
//! assert_eq!(BeliefFile::from_json(&file.to_json())?, file);
//! assert!(BeliefFile::from_json(r#"{"format": "nodust-beliefs", "version": 9}"#).is_err());
//! # Ok::<(), nodust_middleware::predict::ExchangeError>(())
//! ```

mod kinds;

use std::{
    collections::{BTreeMap, HashMap},
    io,
    path::Path,
    path::PathBuf,
};

use nodust_frontier::{
    BeliefCounts, BeliefId, BeliefRecord, CanonicalUrl, FrontierError, HostKey, LocalFrontier,
    Standing,
};
use serde::{Deserialize, Serialize};

use super::{
    site::KINDS,
    stage::site_of,
    text::{Claim, NotAClaim},
};

pub use kinds::{KnownKind, NotAKind, SharedKind, SharedKinds, SharedName, SharedWay};

/// What the field `format` says.
const FORMAT: &str = "nodust-beliefs";
/// The version that is written, and the newest that is read.
const VERSION: u32 = 1;

/// How far imported beliefs are trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Beliefs are tested from the start, and need fewer trials.
    #[default]
    Prior,
    /// Beliefs that were active are acted upon at once.
    Active,
}

/// One belief, as it is carried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SharedBelief {
    /// What it says: a [`Claim`].
    pub text: String,
    /// How far it had come.
    pub standing: Standing,
    /// Trials that counted, including those of earlier tries and other crawls.
    #[serde(default)]
    pub trials: u32,
    /// Of these, failed.
    #[serde(default)]
    pub failures: u32,
    /// Trials that could not be decided. A belief with more of them than trials was not acted upon where it was formed, and
    /// is tested anew.
    #[serde(default)]
    pub undecided: u32,
    /// Evidence for it; 1 says nothing.
    #[serde(default = "nothing_known")]
    pub e_value: f64,
    /// Number of kinds of URLs for which it was found not to hold. If [`kinds`](Self::kinds) names fewer, the belief is tested
    /// anew.
    #[serde(default)]
    pub exceptions: u64,
    /// What is known of the kinds of URLs that it was tried on.
    #[serde(default, skip_serializing_if = "SharedKinds::is_empty")]
    pub kinds: SharedKinds,
    /// Links that it dropped. This and the fields after it are for the reader, and not imported.
    #[serde(default)]
    pub dropped: u64,
    /// Links that it would have dropped and that were fetched to test it.
    #[serde(default)]
    pub explored: u64,
    /// Of these, duplicates.
    #[serde(default)]
    pub explored_duplicates: u64,
    /// Pairs of URLs that it held for.
    #[serde(default)]
    pub examples: Vec<(String, String)>,
}

const fn our_kinds() -> u32 {
    KINDS
}

const fn nothing_known() -> f64 {
    1.0
}

impl SharedBelief {
    /// A belief of a crawl, with what came of acting on it, but without what is known about kinds.
    pub fn of(record: &BeliefRecord, counts: &BeliefCounts) -> Self {
        let most = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        Self {
            text: record.text.clone(),
            standing: record.standing,
            trials: most(record.trials + record.earlier_trials),
            failures: most(record.failures + record.earlier_failures),
            undecided: most(record.undecided),
            e_value: record.e_value,
            exceptions: record.exceptions,
            kinds: SharedKinds::default(),
            dropped: counts.dropped,
            explored: counts.explored,
            explored_duplicates: counts.explored_duplicates,
            examples: record.examples.clone(),
        }
    }

    /// The same as far as it is evidence, without the text.
    pub(super) fn evidence(&self) -> Self {
        Self {
            text: String::new(),
            dropped: 0,
            explored: 0,
            explored_duplicates: 0,
            examples: Vec::new(),
            ..self.clone()
        }
    }

    /// The same, tried as often as another says.
    pub(super) fn with_trials_of(self, other: &Self) -> Self {
        Self {
            trials: other.trials,
            failures: other.failures,
            undecided: other.undecided,
            ..self
        }
    }

    /// What was carried of a belief, with what came of its word in this crawl.
    pub(super) fn in_crawl(self, record: &BeliefRecord, counts: &BeliefCounts) -> Self {
        Self {
            text: record.text.clone(),
            dropped: counts.dropped,
            explored: counts.explored,
            explored_duplicates: counts.explored_duplicates,
            examples: record.examples.clone(),
            ..self
        }
    }

    /// Memory held by its evidence, in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.kinds.bytes()
    }
}

/// Beliefs about sites.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BeliefFile {
    format: String,
    version: u32,
    /// How kinds are told apart: those of a file with another number are passed over.
    #[serde(default = "our_kinds")]
    kinds: u32,
    /// By site: a registrable domain, or a host without one.
    #[serde(default)]
    pub sites: BTreeMap<String, Vec<SharedBelief>>,
    /// What tells kinds apart in the file that it was read from, if that is another number, and how many beliefs had any.
    #[serde(skip)]
    other_kinds: Option<(u32, u64)>,
}

/// Why a file of beliefs cannot be used.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// It cannot be read.
    #[error("cannot read beliefs from {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is not JSON, or lacks a field.
    #[error("it is no file of beliefs: {0}")]
    Json(#[from] serde_json::Error),
    /// It is another kind of file.
    #[error("its format is {0:?}, not \"nodust-beliefs\"")]
    Format(String),
    /// It has another version, such as that of a later program.
    #[error("its version is {0}; this program reads {VERSION}")]
    Version(u32),
    /// A belief cannot be read.
    #[error("of {site}: {source}")]
    Belief {
        /// Its site.
        site: String,
        /// What is wrong.
        source: NotAClaim,
    },
    /// The numbers of a belief make no sense.
    #[error(
        "of {site}: {text:?} has {failures} failures in {trials} trials and the e-value {e_value}"
    )]
    Evidence {
        /// Its site.
        site: String,
        /// What it says.
        text: String,
        /// Its trials.
        trials: u32,
        /// Its failures.
        failures: u32,
        /// Its e-value.
        e_value: f64,
    },
}

impl Default for BeliefFile {
    fn default() -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            kinds: KINDS,
            sites: BTreeMap::new(),
            other_kinds: None,
        }
    }
}

impl BeliefFile {
    /// A file of all beliefs of a crawl, each with what is known about kinds and what came of acting on it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn of(frontier: &LocalFrontier) -> Result<Self, FrontierError> {
        let mut carried = HashMap::<BeliefId, SharedBelief>::new();
        frontier.carried(&mut |id, belief| {
            // Those of other stages are none.
            carried.extend(
                serde_json::from_str(&belief)
                    .ok()
                    .map(|belief| (id, belief)),
            );
        });
        let mut file = Self::default();
        for (record, counts) in &frontier.beliefs()? {
            // Budgets are of this crawl only.
            if record.text.parse::<Claim>().is_err() {
                continue;
            }
            let belief = carried.remove(&record.id).map_or_else(
                || SharedBelief::of(record, counts),
                |carried| carried.in_crawl(record, counts),
            );
            let site = file.sites.entry(record.site.clone()).or_default();
            site.push(belief);
        }
        Ok(file)
    }

    /// Reads and checks the text of a file.
    ///
    /// # Errors
    /// If it is not a file of beliefs, or one of a later version.
    pub fn from_json(text: &str) -> Result<Self, ExchangeError> {
        #[derive(Deserialize)]
        struct Kind {
            format: String,
            version: u32,
        }
        let kind: Kind = serde_json::from_str(text)?;
        if kind.format != FORMAT {
            return Err(ExchangeError::Format(kind.format));
        }
        if kind.version != VERSION {
            return Err(ExchangeError::Version(kind.version));
        }
        let mut file: Self = serde_json::from_str(text)?;
        let kinds = std::mem::replace(&mut file.kinds, KINDS);
        let mut passed_over = 0;
        for (site, beliefs) in &mut file.sites {
            for belief in beliefs {
                if kinds != KINDS {
                    let of_others = std::mem::take(&mut belief.kinds);
                    passed_over += u64::from(belief.exceptions > 0 || !of_others.is_empty());
                }
                belief
                    .text
                    .parse::<Claim>()
                    .map_err(|source| ExchangeError::Belief {
                        site: site.clone(),
                        source,
                    })?;
                let has_sense = belief.failures <= belief.trials
                    && belief.e_value.is_finite()
                    && belief.e_value >= 0.0;
                if !has_sense {
                    return Err(ExchangeError::Evidence {
                        site: site.clone(),
                        text: belief.text.clone(),
                        trials: belief.trials,
                        failures: belief.failures,
                        e_value: belief.e_value,
                    });
                }
            }
        }
        file.other_kinds = (passed_over > 0).then_some((kinds, passed_over));
        Ok(file)
    }

    /// Tells the operator what is not used of the file that this was read from: kinds of URLs that another program told
    /// apart in its own way.
    pub fn passed_over(&self) -> Option<String> {
        let (kinds, beliefs) = self.other_kinds?;
        let who = match beliefs {
            1 => "1 belief knows".to_owned(),
            n => format!("{n} beliefs know"),
        };
        Some(format!(
            "what {who} of kinds of URLs is passed over: they are told apart in another way (`kinds` is {kinds}, and \
             {KINDS} here). Exceptions are found out anew, and beliefs that have any are tested anew, trusted or not"
        ))
    }

    /// Whether any of its beliefs is about the site that a URL is on.
    pub fn is_of_site_of(&self, url: &CanonicalUrl) -> bool {
        let host = HostKey::of(url.as_url());
        // A file of an earlier program may name each port of a domain.
        let is_it = |name: &str| site_of(name) == site_of(host.as_str());
        (self.sites.iter()).any(|(name, beliefs)| is_it(name) && !beliefs.is_empty())
    }

    /// Reads and checks a file, which may be packed with gzip.
    ///
    /// # Errors
    /// If it cannot be read, is not a file of beliefs, or has a later version.
    pub fn read(path: &Path) -> Result<Self, ExchangeError> {
        let text = crate::file::text(path).map_err(|source| ExchangeError::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::from_json(&text)
    }

    /// The text of the file.
    #[expect(
        clippy::missing_panics_doc,
        reason = "texts and finite numbers are always JSON"
    )]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("texts and numbers are JSON")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLAIM: &str =
        r#""text": "sid is ignored | host | 0000000000000001", "standing": "active""#;

    #[test]
    fn kinds_are_read_where_they_are_told_apart_as_here_and_older_files_have_none() {
        let read = |kinds: &str, rest: &str| {
            let belief = format!("{{{CLAIM}{rest}}}");
            let file = format!(
                r#"{{"format": "nodust-beliefs", "version": 1{kinds}, "sites": {{"e.org": [{belief}]}}}}"#
            );
            BeliefFile::from_json(&file).map(|file| file.sites["e.org"][0].clone())
        };
        let old = read("", r#", "exceptions": 2"#).unwrap();
        assert!(old.kinds.is_empty() && old.exceptions == 2);
        let kinds =
            |kind: &str| format!(r#", "kinds": {{"values": {{"held": 60, "kinds": ["{kind}"]}}}}"#);
        let rest = kinds("excepted | theme=print | 77aa0013");
        let here = format!(r#", "kinds": {KINDS}"#);
        let other = format!(r#", "kinds": {}"#, KINDS + 1);
        for (number, exceptions) in [("", 1), (&*here, 1), (&*other, 0)] {
            let belief = read(number, &rest).unwrap();
            assert_eq!(belief.kinds.exceptions(), exceptions, "{number}");
        }
        let told = read("", &kinds("excepted | theme=print"))
            .unwrap_err()
            .to_string();
        assert!(
            told.contains("excepted | theme=print") && told.contains("is no kind"),
            "{told}"
        );
    }

    #[test]
    fn a_file_knows_of_which_sites_its_beliefs_are() {
        let file = format!(
            r#"{{"format": "nodust-beliefs", "version": 1,
                "sites": {{"e.org": [{{{CLAIM}}}], "127.0.0.1:8080": [{{{CLAIM}}}], "x.org": []}}}}"#
        );
        let file = BeliefFile::from_json(&file).unwrap();
        for (url, is_of_it) in [
            ("http://www.e.org/a", true),
            ("http://e.org:81/", true),
            ("http://127.0.0.1:8080/", true),
            ("http://127.0.0.1/", false),
            ("http://x.org/", false),
            ("http://e.com/", false),
        ] {
            assert_eq!(file.is_of_site_of(&url.parse().unwrap()), is_of_it, "{url}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_its_place() {
        let belief = |rest: &str| {
            format!(
                r#"{{"format": "nodust-beliefs", "version": 1, "sites": {{"e.org": [{{{rest}}}]}}}}"#
            )
        };
        for (text, told) in [
            ("[]".to_owned(), "no file of beliefs"),
            (r#"{"format": "x", "version": 1}"#.to_owned(), "\"x\""),
            (
                r#"{"format": "nodust-beliefs", "version": 2, "sites": 7}"#.to_owned(),
                "version is 2",
            ),
            (
                belief(r#""text": "gibberish", "standing": "active""#),
                "of e.org: \"gibberish\"",
            ),
            (
                belief(
                    r#""text": "sid is ignored | host | 0000000000000001", "standing": "active", "failures": 3"#,
                ),
                "3 failures in 0 trials",
            ),
        ] {
            let error = BeliefFile::from_json(&text).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }
}
