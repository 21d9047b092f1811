//! What is known about a rule on one host.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};

use crate::rules::{Entry, Status};

/// Links that are explored for a rule that is in doubt.
const DOUBTED_TRIALS: u8 = 8;

/// Pages on which a rule of a file must have been right before chance alone says which links look after it.
pub(super) const FIRST_TRIALS: u32 = 2;

/// Pages that a rule alone must have taken for others rightly, before another rule answers for what both did together.
pub(super) const PROVED_ALONE: u32 = 2;

/// A rule, and how far it has come on one host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::learn) struct Held {
    /// The rule with its status and its evidence on pages that it was not learned from. Hosts share what a file has
    /// for all of them, until it falls on one.
    pub(in crate::learn) entry: Arc<Entry>,
    /// Pages of the host that were known when it was learned.
    pub(in crate::learn) born: u32,
    /// Times that it was activated.
    pub(in crate::learn) activations: u32,
    /// Where it comes from.
    #[serde(default)]
    pub(in crate::learn) source: RuleSource,
    /// Of a rule of a file: pages that were compared with the one that it took them for.
    #[serde(default)]
    pub(in crate::learn) compared: u32,
    /// Pages that it alone took for another one, and rightly; counted up to [`PROVED_ALONE`].
    #[serde(default)]
    pub(in crate::learn) alone: u32,
    /// What a source that it took for a page led to instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::learn) doubt: Option<Doubt>,
}

/// A source led to another page than a rule took it for: that may be a login, which all lead to now and then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::learn) struct Doubt {
    /// The content that it led to.
    pub(super) content: u64,
    /// Links that are still explored to find out.
    pub(super) left: u8,
}

impl Doubt {
    pub(super) const fn of(content: u64) -> Self {
        Self {
            content,
            left: DOUBTED_TRIALS,
        }
    }
}

/// Where a rule comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::learn) enum RuleSource {
    /// The crawl has learned it.
    #[default]
    Crawl,
    /// A file has it for this site.
    File,
    /// A file has it for all sites.
    FileForAll,
}

/// Reads rules as a store holds them. One that this program knows no more, as an earlier one wrote it, is left out and
/// logged: the others hold as before.
pub(super) fn readable<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Held>, D::Error> {
    let all = Vec::<serde_json::Value>::deserialize(from)?;
    let rule = |value: &serde_json::Value| match Held::deserialize(value) {
        Ok(held) => Some(held),
        Err(why) => {
            tracing::warn!(rule = %value["entry"], "a rule of the store is left out: {why}");
            None
        }
    };
    Ok(all.iter().filter_map(rule).collect())
}

impl Held {
    /// A rule of a file, which is in force from the start.
    pub(super) const fn said(entry: Arc<Entry>, source: RuleSource) -> Self {
        Self {
            entry,
            born: 0,
            activations: 1,
            source,
            compared: 0,
            alone: 0,
            doubt: None,
        }
    }

    /// Whether there is anything to tell of it: of rules for all sites most never meet a URL of this one.
    pub(super) fn is_news(&self) -> bool {
        self.source != RuleSource::FileForAll
            || self.compared > 0
            || self.alone > 0
            || self.doubt.is_some()
            || self.entry.status == Status::Withdrawn
    }

    /// Whether links are to be explored to find out what it is worth: it acts on the word of a file alone, or is in doubt.
    pub(super) fn is_untried(&self) -> bool {
        let is_unknown = self.source != RuleSource::Crawl && self.compared < FIRST_TRIALS;
        self.is_active() && (is_unknown || self.is_doubted())
    }

    /// Whether links are to be explored since a source led elsewhere.
    pub(super) fn is_doubted(&self) -> bool {
        self.doubt.is_some_and(|doubt| doubt.left > 0)
    }

    pub(in crate::learn) fn is_active(&self) -> bool {
        self.entry.status == Status::Active
    }
}
