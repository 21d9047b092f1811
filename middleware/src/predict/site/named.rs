//! What else does a page stand for, where rewrite rules make another URL of its own?
//!
//! Rules leave one page of each class, under whatever spelling came first: claims about the other spellings find no
//! counterpart. So a page is filed once more, under its name: the URL that the rules make of its own. Edits are
//! tried between that and other pages, never between the page and its name, which nobody has compared. When the
//! rules change, names that they do not make any more stand for nothing.

use nodust_frontier::BeliefId;

use super::{ClusterId, Learned, Site, canonical::Reduced, learn::Arrival};
use crate::{
    predict::form::Form,
    sign::{Newcomer, PageText},
};

/// What is known of a page under its own URL.
pub(super) struct AsItself {
    /// Its number, if it was filed.
    pub(super) own: Option<u32>,
    /// Its form under what is believed.
    pub(super) reduced_key: u64,
    /// The content that it has.
    pub(super) cluster: Option<ClusterId>,
    /// Edits that it was tried on.
    pub(super) tried: Vec<u32>,
}

impl Site {
    /// Learns from a page under its name what its URL did not teach.
    pub(super) fn learn_name(
        &mut self,
        name: &str,
        text: &PageText<'_>,
        about: (Option<&str>, Option<BeliefId>),
        page: AsItself,
        learned: &mut Learned,
    ) {
        let form = Form::parse(name);
        let mut reduced = None;
        let Reduced {
            applied,
            is_settled,
        } = self.reduce(&form, &mut reduced);
        let reduced = reduced.unwrap_or_else(|| form.clone());
        let key = reduced.key();
        if key == page.reduced_key {
            return;
        }
        let stands = self.standing(&reduced, is_settled).map(|(page, _)| page);
        let is_filed = stands.is_none() && !self.is_full() && page.own.is_some();
        let next = self.pages.len() as u32;
        let number = page.own.filter(|_| !is_filed).unwrap_or(next);
        let newcomer = Newcomer::new(text, &self.book);
        let mut new = Arrival::new(number, form, reduced, newcomer, about);
        new.own = page.own;
        new.tried = page.tried;
        match stands {
            Some(page) if new.own != Some(page) && !self.pages.is(page, name) => {
                self.audit(&mut new, page, &applied, learned);
            }
            Some(_) => {}
            None => self.hear_aliases(&mut new, learned),
        }
        self.try_edits(&mut new, learned);
        if let (true, Some(cluster)) = (is_filed, page.cluster) {
            self.pages.push_name(name, cluster);
            self.file_forms(&new, cluster, key, true);
        }
    }

    /// Whether pages of any host were named by rules.
    pub(crate) fn has_rules(&self) -> bool {
        !self.rules.is_empty()
    }

    /// The mark of the rules that pages of a host were named by.
    pub(crate) fn rules_of(&self, host: &str) -> u64 {
        self.rules.get(host).copied().unwrap_or(0)
    }

    /// The names of a host's pages that are not made of their URLs.
    pub(crate) fn names_not_made(
        &self,
        host: &str,
        is_made: impl Fn(&str, &str) -> bool,
    ) -> Vec<u32> {
        let is_gone = |page: &u32| {
            let (Some(url), Some(name)) = (
                self.pages.url(self.pages.fetched(*page)),
                self.pages.url(*page),
            ) else {
                return false;
            };
            let origin = url.split_once("://").map_or("", |(_, rest)| rest);
            let rest = origin.strip_prefix(host);
            rest.is_some_and(|rest| rest.starts_with(['/', '?'])) && !is_made(&url, &name)
        };
        self.pages.names().filter(is_gone).collect()
    }

    /// Other rules hold for a host: names that they do not make any more stand for nothing, and what was dropped since
    /// some page stood for its name is judged again.
    pub(crate) fn heed_rules(&mut self, host: &str, mark: u64, void: &[u32]) -> Learned {
        let mut learned = Learned::default();
        let before = self.rules.insert(host.into(), mark);
        if mark == 0 {
            self.rules.remove(host);
        }
        for page in void {
            self.pages.make_void(*page);
        }
        if before.is_some() {
            if let Some(warming) = &mut self.warming {
                warming.forget_names();
            }
            self.generation += 1;
            self.stale = true;
            learned.has_fallen = true;
            self.shake(&mut learned);
        }
        learned
    }
}
