//! What came of the URLs of a run that fetched not one page.
//!
//! A crawl whose seeds lead nowhere is over at once, and the operator wants to know why.

use std::{
    collections::HashSet,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use nodust_frontier::{Decision, FetchFailure};
use xxhash_rust::xxh3::xxh3_64;

use super::lock;
use crate::admission::PageCounts;

/// URLs that are told.
const TOLD: usize = 5;

/// URLs that are given up of which each is told.
const TOLD_FAILURES: usize = 100;

/// What came of the first URLs of a run, as long as no page came.
#[derive(Debug, Default)]
pub(crate) struct Fates {
    has_page: AtomicBool,
    has_told_redirects: AtomicBool,
    /// URLs that are not tried again.
    given_up: AtomicUsize,
    /// Pages from which a crawl begins that were fetched and are no text.
    unread: AtomicUsize,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    told: Vec<(String, String)>,
    /// Hashes of the others: each may be tried several times.
    others: HashSet<u64>,
}

impl Fates {
    /// A page came, or not: then it is noted why.
    pub(super) fn answered(&self, url: &str, status: u16, page: &PageCounts) {
        self.tell_redirects(url, page);
        self.tell_unread(url, page);
        if page.is_page {
            self.has_page.store(true, Ordering::Relaxed);
            return;
        }
        let status = in_words(status);
        let why = match &page.target {
            None => status,
            Some((to, target)) => {
                let then = match target {
                    Decision::Admitted(_) => String::new(),
                    Decision::Known => ", which was met before".to_owned(),
                    Decision::Dropped(why) if why.stage == "scope" => {
                        format!(", which is left out ({why}): name it as a seed, or widen --scope")
                    }
                    Decision::Dropped(why) => format!(", which is left out ({why})"),
                };
                format!("{status}, leads to {to}{then}")
            }
        };
        self.note(url, why);
    }

    /// Says once of redirects that go on and on where the crawl stopped to follow them: no page of theirs tells.
    fn tell_redirects(&self, url: &str, page: &PageCounts) {
        if let Some((to, Decision::Dropped(why))) = &page.target
            && why.stage == "redirect"
            && !self.has_told_redirects.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(
                "{url} leads on to {to}, which is not followed ({why}): max_redirects allows no more in a row. Others like it are \
                 not logged"
            );
        }
    }

    /// Says of the first few pages from which the crawl begins that are no text why nothing comes of them, though they were fetched.
    fn tell_unread(&self, url: &str, page: &PageCounts) {
        if let Some(media) = &page.unread_as
            && self.unread.fetch_add(1, Ordering::Relaxed) < TOLD
        {
            tracing::warn!(
                "{url} is not text ({media}): it is not read, and no links of it are followed"
            );
        }
    }

    /// No usable answer came. Of the first that are given up each is told: no log has a line of them.
    pub(super) fn failed(&self, url: &str, failure: &FetchFailure) {
        if failure.retry_after.is_none() && !failure.made_no_request() {
            match self.given_up.fetch_add(1, Ordering::Relaxed) {
                ..TOLD_FAILURES => tracing::info!("{url} is given up: {}", failure.detail),
                TOLD_FAILURES => tracing::info!(
                    "more URLs are given up; RUST_LOG=nodust_crawler=debug logs them one by one"
                ),
                _ => tracing::debug!("{url} is given up: {}", failure.detail),
            }
        }
        self.note(url, failure.detail.clone());
    }

    /// Notes what came of a URL; of one that is noted already, what came of it last.
    pub(super) fn note(&self, url: &str, why: String) {
        if self.has_page.load(Ordering::Relaxed) {
            return;
        }
        let mut inner = lock(&self.inner);
        if let Some(known) = inner.told.iter_mut().find(|(known, _)| known == url) {
            known.1 = why;
        } else if inner.told.len() < TOLD {
            inner.told.push((url.to_owned(), why));
        } else {
            inner.others.insert(xxh3_64(url.as_bytes()));
        }
    }

    /// A line for each of the first, if no page came.
    pub(super) fn told(&self) -> Vec<String> {
        if self.has_page.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let inner = lock(&self.inner);
        let mut lines: Vec<_> = (inner.told.iter())
            .map(|(url, why)| format!("{url}: {why}"))
            .collect();
        if !inner.others.is_empty() {
            lines.push(format!("and {} more", inner.others.len()));
        }
        lines
    }
}

/// A status, with its name if it has one.
fn in_words(code: u16) -> String {
    let name = (reqwest::StatusCode::from_u16(code).ok()).and_then(|code| code.canonical_reason());
    match name {
        Some(name) => format!("status {code} {name}"),
        None => format!("status {code}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_urls_are_told_and_the_others_counted() {
        let fates = Fates::default();
        for n in (0..7).chain(0..7) {
            fates.answered(&format!("u{n}"), 404, &PageCounts::default());
        }
        fates.note("u0", "something else".to_owned());
        let told = fates.told();
        assert_eq!(told[0], "u0: something else");
        assert_eq!(told[1], "u1: status 404 Not Found");
        assert_eq!(told[5], "and 2 more");
    }

    #[test]
    fn where_a_page_came_nothing_is_told() {
        let fates = Fates::default();
        fates.answered("a", 599, &PageCounts::default());
        assert_eq!(fates.told(), ["a: status 599"]);
        let page = PageCounts {
            is_page: true,
            ..PageCounts::default()
        };
        fates.answered("b", 200, &page);
        fates.note("c", "gone".to_owned());
        assert!(fates.told().is_empty());
    }
}
