//! Pages that come before the chrome is known.
//!
//! They wait until it is known, and are then compared like all later ones. Until then, only texts that are equal word
//! for word tell anything.

use rustc_hash::FxHashSet;

use super::{
    host::{Found, Host},
    sources::Probed,
};
use crate::{predict::name_without_tokens, sign::PageText};

/// Distinct texts after which the first chrome is frozen.
pub(super) const FIRST_TEXTS: usize = 32;
/// Pages after which it is frozen at the latest.
const FIRST_PAGES: usize = 64;

/// A page that waits until it is known what is chrome.
#[derive(Debug)]
pub(super) struct Early {
    pub(super) class: Box<str>,
    pub(super) text: PageText<'static>,
    /// It was explored, and nobody told yet what came of it.
    pub(super) probed: Option<Probed>,
}

impl Host {
    /// Takes in a page. The first ones wait until it is known what is chrome. `probed`: it was explored.
    pub(in crate::learn) fn page(
        &mut self,
        class: &str,
        text: PageText<'static>,
        probed: Option<Probed>,
    ) -> Found {
        let mut found = Found::default();
        let probed = probed.filter(|probed| self.acts(probed.belief));
        let Some(mut warming) = self.warming.take() else {
            self.file(class, &text, probed, &mut found);
            return found;
        };
        self.compare_exactly(class, &text, &mut warming, &mut found);
        warming.push(Early {
            class: class.into(),
            text,
            probed: probed.filter(|_| found.was_duplicate.is_none()),
        });
        let distinct: FxHashSet<u64> = warming.iter().map(|page| page.text.exact()).collect();
        if distinct.len() < FIRST_TEXTS && warming.len() < FIRST_PAGES {
            self.warming = Some(warming);
        } else {
            let told = found.was_duplicate;
            self.freeze_chrome(warming, &mut found);
            found.was_duplicate = told.or(found.was_duplicate);
        }
        found
    }

    /// Decides what is chrome, and files the pages that waited for that.
    pub(super) fn freeze_chrome(&mut self, warming: Vec<Early>, found: &mut Found) {
        for held in &mut self.rules {
            // These pages are about to be compared, once more where their texts were equal.
            (held.compared, held.alone) = (0, 0);
        }
        let named = |page: &'_ Early| name_without_tokens(&page.class);
        let pages: Vec<_> = warming
            .iter()
            .map(|page| (named(page), &page.text))
            .collect();
        self.book.begin(&pages);
        let last = warming.len().saturating_sub(1);
        for (at, page) in warming.into_iter().enumerate() {
            found.was_duplicate = None;
            found.merged_by.clear();
            self.file(&page.class, &page.text, page.probed.clone(), found);
            // The last one is the page that has just come.
            if at < last
                && let (Some(probed), Some(was)) = (page.probed, found.was_duplicate)
            {
                found.late.push((probed, was));
            }
        }
    }

    /// Compares a page with those of its class while nobody knows what is chrome.
    fn compare_exactly(
        &mut self,
        class: &str,
        text: &PageText<'_>,
        warming: &mut [Early],
        found: &mut Found,
    ) {
        let key = self.key_of(class);
        let mut equal = (warming.iter_mut()).filter(|page| page.text.exact() == text.exact());
        let twin = equal.find(|page| *page.class != *class && self.key_of(&page.class) == key);
        if let Some(twin) = twin {
            found.was_duplicate = Some(true);
            found
                .late
                .extend(twin.probed.take().map(|probed| (probed, true)));
            let merged_by = self.who_merges(class, &twin.class);
            self.count_compared(&merged_by);
            self.count_alone(&merged_by);
            found.merged_by = self.beliefs_of(&merged_by);
        }
    }
}
