//! What does a redirect teach?
//!
//! A source that leads to a page is an alias of it, without a fetch to compare.

use super::{Learned, Site, canonical::whole, pair::Pair};
use crate::{
    predict::{
        form::{Form, hash_of},
        nominate::readings,
    },
    sign::{ClusterId, Sameness},
};

/// URLs that wait for the page that they redirect to, in octets, and for one page.
const MOST_BYTES: usize = 1 << 20;
const MOST_SOURCES: usize = 8;

impl Site {
    /// Learns that `source` leads to `target`.
    pub fn observe_redirect(&mut self, source: &str, target: &str) -> Learned {
        let mut learned = Learned::default();
        let form = Form::parse(target);
        let found = (self.standing(&self.canonical(&form).0, false))
            .filter(|(page, _)| self.pages.is(*page, target));
        if let Some((page, _)) = found {
            self.learn_redirect(source, page, &mut learned);
        } else if self.redirect_bytes + source.len() < MOST_BYTES {
            let sources = self.redirects.entry(hash_of(40, target)).or_default();
            if sources.len() < MOST_SOURCES && !sources.iter().any(|known| **known == *source) {
                sources.push(source.into());
                self.redirect_bytes += source.len();
            }
        }
        self.warm_by_redirect(&mut learned);
        self.shake(&mut learned);
        learned
    }

    pub(super) fn learn_redirect(&mut self, source: &str, target: u32, learned: &mut Learned) {
        let form = Form::parse(source);
        let Some((url, cluster)) = self.page(target) else {
            return;
        };
        let (reduced, applied) = self.canonical(&form);
        let reduced = reduced.into_owned();
        // What is acted upon is audited by where the source leads.
        let mut tried: Vec<u32> = (applied.iter())
            .filter_map(|key| Some(self.beliefs.get(*key)?.edit()))
            .collect();
        tried.sort_unstable();
        tried.dedup();
        if let Some(rep) = self.stands(reduced.key()).filter(|_| !tried.is_empty()) {
            let verdict = self.is_content(rep, cluster);
            learned.found(verdict);
            for edit in &tried {
                let pair = Pair {
                    pages: (target, rep),
                    newer: &form,
                    older: rep,
                    confirmed: rep == target,
                };
                self.trial(*edit, &form, verdict, pair, learned);
            }
        }
        let mut explained = false;
        for edit in self.index.in_order(&form) {
            if tried.contains(&edit) {
                continue;
            }
            let name = &self.edits[edit as usize].edit;
            let Some(effect) = name.effect(&reduced) else {
                continue;
            };
            let key = name.key_after(&reduced);
            let before = whole(name, effect, &form, &reduced);
            let Some(rep) = self.stands(key) else {
                continue;
            };
            let verdict = self.is_content(rep, cluster);
            let pair = Pair {
                pages: (target, rep),
                newer: &form,
                older: rep,
                confirmed: rep == target,
            };
            let doubted = self.trial(edit, before, verdict, pair, learned);
            explained |= verdict == Sameness::Same && !doubted;
        }
        if !explained {
            let readings = readings(&form, &Form::parse(&url));
            let joined = self.joined(&readings, &form);
            for edit in readings.iter().chain(&joined) {
                self.register(edit, &form);
            }
        }
        self.settle(learned);
    }

    fn is_content(&self, page: u32, cluster: ClusterId) -> Sameness {
        if self.pages.cluster(page) == Some(cluster) {
            Sameness::Same
        } else {
            Sameness::Different
        }
    }
}
