//! The line of a page in the log.

use std::borrow::Cow;

use nodust_frontier::{CanonicalUrl, Lease};
use rustc_hash::FxHashMap;
use url::Url;

use super::redirect::base_of;
use crate::{
    extract::Page,
    fetch::Answer,
    records::{Fetch, sha1_hex},
};

/// A log line with what it owns.
pub(super) struct LogLine<'p> {
    lease: &'p Lease,
    answer: &'p Answer,
    page: &'p Page,
    links: Vec<String>,
    nofollow: Vec<String>,
    canonical: Option<Cow<'p, str>>,
    redirect_to: Option<String>,
}

impl<'p> LogLine<'p> {
    pub(super) fn new(
        lease: &'p Lease,
        answer: &'p Answer,
        page: &'p Page,
        redirect: Option<&str>,
        is_nofollow: bool,
    ) -> Self {
        let base = base_of(lease.url(), page);
        let mut met = FxHashMap::default();
        // Each with whether it is to be followed, as it is where one of several that lead to it says so.
        let mut all: Vec<(String, bool)> = Vec::new();
        for link in &page.links {
            let Ok(url) = CanonicalUrl::resolve(&link.href, Some(&base)) else {
                continue;
            };
            let key = nodust_frontier::Fingerprint::of(url.as_url(), url.as_str());
            let at = *met.entry(key).or_insert(all.len());
            if at == all.len() {
                all.push((url.as_str().to_owned(), false));
            }
            all[at].1 |= !(is_nofollow || link.nofollow);
        }
        let nofollow = all.iter().filter(|(_, is_followed)| !is_followed);
        Self {
            lease,
            answer,
            page,
            nofollow: nofollow.map(|(link, _)| link.clone()).collect(),
            canonical: canonical_of(page, &base),
            links: all.into_iter().map(|(link, _)| link).collect(),
            redirect_to: redirect
                .and_then(|to| CanonicalUrl::resolve(to, Some(&base)).ok())
                .map(|to| to.as_str().to_owned()),
        }
    }

    /// `text_chars`: of which texts are told as many characters, at most.
    pub(super) fn record<'l>(
        &'l self,
        (referer, refetched): (Option<&'l str>, Option<&'l str>),
        text_chars: usize,
    ) -> Fetch<'l> {
        let text = &self.page.text;
        let cut = |text: &'l str| {
            let end = text.char_indices().nth(text_chars);
            &text[..end.map_or(text.len(), |(at, _)| at)]
        };
        Fetch {
            url: self.lease.url().as_str(),
            status: self.answer.status,
            content_type: self.answer.content_type.as_deref().unwrap_or_default(),
            title: &self.page.title,
            sha1_body: sha1_hex(&self.answer.body),
            sha1_text: sha1_hex(text.as_bytes()),
            text: cut(text),
            refetched: refetched.map(cut),
            links: &self.links,
            nofollow: &self.nofollow,
            canonical: self.canonical.as_deref(),
            redirect_to: self.redirect_to.as_deref(),
            depth: self.lease.admitted().depth,
            referer,
            bytes: self.answer.body.len() as u64,
        }
    }
}

/// The page's `rel=canonical`: absolute where the page has a base of its own, which the log does not tell.
fn canonical_of<'p>(page: &'p Page, base: &Url) -> Option<Cow<'p, str>> {
    let sent = page.canonical.as_deref()?;
    let resolved = (page.base.as_ref())
        .and_then(|_| CanonicalUrl::resolve(sent, Some(base)).ok())
        .map(|target| Cow::Owned(target.as_str().to_owned()));
    Some(resolved.unwrap_or(Cow::Borrowed(sent)))
}
