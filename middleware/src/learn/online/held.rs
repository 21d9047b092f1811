//! What is known of a rule on one host?

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::rules::{Entry, Status};

/// Pages on which a rule of a file must have been right before chance alone says which links look after it.
pub(super) const FIRST_TRIALS: u32 = 2;

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

impl Held {
    /// A rule of a file, which is in force from the start.
    pub(super) const fn said(entry: Arc<Entry>, source: RuleSource) -> Self {
        Self {
            entry,
            born: 0,
            activations: 1,
            source,
            compared: 0,
        }
    }

    /// Whether there is anything to tell of it: of rules for all sites most never meet a URL of this one.
    pub(super) fn is_news(&self) -> bool {
        self.source != RuleSource::FileForAll
            || self.compared > 0
            || self.entry.status == Status::Withdrawn
    }

    /// Whether it acts on the word of a file alone.
    pub(super) fn is_untried(&self) -> bool {
        self.source != RuleSource::Crawl && self.is_active() && self.compared < FIRST_TRIALS
    }

    pub(in crate::learn) fn is_active(&self) -> bool {
        self.entry.status == Status::Active
    }
}
