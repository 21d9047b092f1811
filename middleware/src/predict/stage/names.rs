//! What do rewrite rules make of the URLs that a site learns from?
//!
//! Where rules fold most copies, few are fetched, and these under whatever spelling came first. Under the one that the
//! rules make of it a page can be compared with what other claims make of others.

use std::{borrow::Cow, sync::Arc};

use nodust_frontier::HostKey;

use super::{
    super::{Learned, journal::Event},
    Known, Predict,
};
use crate::rules::{RuleBook, SiteRules};

impl Predict {
    /// The same stage, behind one that applies the rules of this book.
    #[must_use]
    pub fn with_rules(mut self, book: Arc<RuleBook>) -> Self {
        self.book = Some(book);
        self
    }

    /// What the rules of a host make of a URL as it is spelled, if that is another one.
    pub(super) fn name_of(&self, host: &HostKey, url: &str) -> Option<String> {
        let rules = self.book.as_ref()?.read();
        Some(rules.site(host.as_str())?.canon(url)?.class)
    }

    /// Tells a site that other rules hold for one of its hosts, if they do.
    pub(super) fn heed_rules(&self, host: &HostKey, known: &mut Known) -> Learned {
        let host = host.as_str();
        let rules = self.book.as_ref().map(|book| book.read());
        let generation = rules.as_ref().map_or(0, |rules| rules.generation(host));
        let Known {
            site, kept, heeded, ..
        } = known;
        if (generation == 0 && !site.has_rules()) || heeded.get(host) == Some(&generation) {
            return Learned::default();
        }
        heeded.insert(host.into(), generation);
        let rules = rules.as_ref().and_then(|rules| rules.site(host));
        let mark = rules.map_or(0, |rules| mark_of(rules));
        if mark == site.rules_of(host) {
            return Learned::default();
        }
        let is_made = |url: &str, name: &str| {
            let canon = rules.and_then(|rules| rules.canon(url));
            canon.is_some_and(|canon| canon.class == name)
        };
        let event = Event::Rules {
            host: Cow::Borrowed(host),
            mark,
            void: site.names_not_made(host, is_made),
        };
        kept.remember(&event);
        event.tell(site)
    }
}

/// A number that tells lists of rules apart; 0 where there are none.
fn mark_of(rules: &SiteRules) -> u64 {
    rules.beliefs().fold(0, |mark: u64, (rule, _)| {
        (mark.rotate_left(5) ^ rule.to_bits())
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .max(1)
    })
}
