//! The first pages of a site, from which its chrome is learned.
//!
//! They teach what chrome is, and once that is known, they are learned from. Until then their texts wait, packed and in
//! bounded space.

use std::borrow::Cow;

use nodust_frontier::BeliefId;
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

use super::{Learned, Site, learn::Facts, pages::host_of};
use crate::{
    heap::{BLOCK, of_set},
    predict::{
        codec::{In, Out},
        form::{Form, name_without_tokens},
        packed,
    },
    sign::{Echo, PageText, is_marked},
};

/// Distinct texts after which the first chrome is frozen, at least.
const FIRST_CHROME: usize = 32;
/// Octets of packed texts and URLs that may wait: a site of very long pages begins with fewer of them.
const MOST_BYTES: usize = 1 << 20;
/// Redirects that a site may tell before its first chrome is frozen all the same.
const MOST_REDIRECTS: usize = 1024;

/// The first pages of a site.
#[derive(Debug, Default)]
pub(super) struct Warming {
    pages: Vec<First>,
    texts: FxHashSet<u64>,
    bytes: usize,
    redirects: usize,
}

#[derive(Debug)]
struct First {
    url: Box<str>,
    canonical: Option<Box<str>>,
    named: Option<Box<str>>,
    found_on: Option<u64>,
    /// The text, packed.
    text: Box<[u8]>,
}

impl Warming {
    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
            + self.pages.capacity() * size_of::<First>()
            + self.pages.len() * BLOCK
            + of_set(&self.texts)
    }

    /// The pages whose names `is_void` says nothing of any more, as [`Site::void_names`] tells them.
    pub(super) fn void_names(
        &self,
        is_other: impl Fn(&str) -> bool,
        is_void: impl Fn(&str, &str, &str) -> bool,
    ) -> Vec<u32> {
        let is_it = |first: &First| {
            let (host, named) = (host_of(&first.url), first.named.as_deref());
            named.is_some_and(|name| is_other(host) && is_void(host, &first.url, name))
        };
        let pages = (0..).zip(&self.pages);
        let void = pages.filter(|(_, first)| is_it(first));
        void.map(|(number, _)| number).collect()
    }

    /// These pages have no names any more.
    pub(super) fn forget_names(&mut self, void: &[u32]) {
        for page in void {
            if let Some(first) = self.pages.get_mut(*page as usize) {
                first.named = None;
            }
        }
    }

    fn text(first: &First) -> Option<PageText<'static>> {
        let url = first.url.parse().ok()?;
        let text = packed::read(&mut In(&first.text))?;
        Some(PageText::new(&text, &Echo::of(&url)))
    }
}

impl Site {
    /// Learns from a page. `probed` is the belief that predicted it to be a duplicate, if it was fetched all the same.
    pub fn observe(
        &mut self,
        url: &url::Url,
        text: &str,
        canonical: Option<&str>,
        probed: Option<BeliefId>,
    ) -> Learned {
        let facts = Facts {
            canonical,
            probed,
            ..Facts::default()
        };
        self.observe_page(url, text, facts)
    }

    /// The same with all that is known of the page: where rewrite rules make another URL of its own, it stands for that, too.
    pub(in crate::predict) fn observe_page(
        &mut self,
        url: &url::Url,
        text: &str,
        facts: Facts<'_>,
    ) -> Learned {
        let mut learned = Learned::default();
        let Some(warming) = &mut self.warming else {
            let (text, is_doubted) = self.without_turning(url, text, facts.refetched);
            let facts = Facts {
                is_doubted,
                ..facts
            };
            let text = PageText::of_page(&text, url);
            self.learn(url.as_str(), &text, facts, &mut learned);
            return learned;
        };
        let mut packed = Out::default();
        packed::write(&mut packed, text);
        let first = First {
            url: url.as_str().into(),
            canonical: facts.canonical.map(Into::into),
            named: facts.named.map(Into::into),
            found_on: facts.found_on,
            text: packed.0.into(),
        };
        warming.bytes += first.text.len() + first.url.len() + facts.named.map_or(0, str::len);
        warming.texts.insert(xxh3_64(text.as_bytes()));
        warming.pages.push(first);
        if warming.texts.len() >= FIRST_CHROME
            || warming.pages.len() >= self.config.initial_pages
            || warming.bytes >= MOST_BYTES
        {
            self.end_warming(&mut learned);
        }
        learned
    }

    /// What of a text is to be compared: all but the lines that are others at each answer, as far as pages that were fetched twice told; and whether
    /// such lines may have been left out wrongly before.
    fn without_turning<'t>(
        &mut self,
        url: &url::Url,
        text: &'t str,
        refetched: Option<&str>,
    ) -> (Cow<'t, str>, bool) {
        if !self.config.refetch {
            return (text.into(), false);
        }
        let section = self.selectors.section(&Form::of(url));
        self.turning.count(section);
        if is_marked(text) {
            return (text.into(), false);
        }
        if let Some(refetched) = refetched {
            self.turning.note(section, text, refetched);
        }
        let left = self.turning.without(section, text);
        (left, self.turning.is_doubted(section))
    }

    /// Whether a second answer for this URL is wanted, to tell which lines are others at each. Where some are left out, of one probe in four: no
    /// claim is to be found right by what the page lacks.
    pub(crate) fn wants_refetch(&self, url: &url::Url, is_probe: bool) -> bool {
        if !self.config.refetch || self.is_warming() || self.is_full() {
            return false;
        }
        let section = self.selectors.section(&Form::of(url));
        if is_probe
            && self.turning.acts(section)
            && xxh3_64(url.as_str().as_bytes()).is_multiple_of(4)
        {
            return true;
        }
        self.asked.wants(section, &self.turning)
    }

    /// Counts a redirect of a site whose chrome is not known yet.
    pub(super) fn warm_by_redirect(&mut self, learned: &mut Learned) {
        if let Some(warming) = &mut self.warming {
            warming.redirects += 1;
            if warming.redirects >= MOST_REDIRECTS {
                self.end_warming(learned);
            }
        }
    }

    /// Memory is short: what waits is learned from at once, and when nothing waits, nothing more is
    /// remembered. Beliefs are still watched.
    pub(crate) fn be_frugal(&mut self) -> Learned {
        let mut learned = Learned::default();
        if self.warming.is_some() {
            self.end_warming(&mut learned);
        } else {
            self.is_closed = true;
        }
        learned
    }

    fn end_warming(&mut self, learned: &mut Learned) {
        let Some(warming) = self.warming.take() else {
            return;
        };
        self.first_chrome(&warming);
        for first in &warming.pages {
            if let Some(text) = Warming::text(first) {
                let facts = Facts {
                    canonical: first.canonical.as_deref(),
                    probed: None,
                    named: first.named.as_deref(),
                    found_on: first.found_on,
                    refetched: None,
                    is_doubted: false,
                };
                self.learn(&first.url, &text, facts, learned);
            }
        }
    }

    /// Freezes the first version of the chrome.
    fn first_chrome(&mut self, warming: &Warming) {
        let named = |first: &First| Some((name_without_tokens(&first.url), Warming::text(first)?));
        let texts: Vec<(u64, PageText<'_>)> = warming.pages.iter().filter_map(named).collect();
        let pages: Vec<_> = texts.iter().map(|(name, text)| (*name, text)).collect();
        self.book.begin(&pages);
    }
}
