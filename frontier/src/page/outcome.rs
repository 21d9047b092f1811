//! Outcomes of fetches, and how the stages see them.

use std::time::Duration;

use url::Url;

use crate::{Admitted, CanonicalUrl, RawUrl};

/// What came of a lease.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub enum Outcome<'p> {
    /// The server answered with a final status.
    Fetched(FetchedPage<'p>),
    /// The server sent the crawler elsewhere. The target is admitted as a link of its own, even when it
    /// is of the same class as its source, or the page would be lost.
    Redirected {
        /// HTTP status (301, 302, 303, 307, 308), or 200 for a redirect by markup.
        status: u16,
        /// Where to, as sent.
        target: RawUrl<'p>,
    },
    /// No usable answer came.
    Failed(FetchFailure),
}

impl Outcome<'_> {
    /// Whether the link may bring its page another day: it was answered [so](FetchedPage::status_may_pass), or no answer came for a reason that
    /// [may pass](FetchFailure::may_pass).
    pub const fn may_pass(&self) -> bool {
        match self {
            Self::Fetched(page) => FetchedPage::status_may_pass(page.status),
            Self::Redirected { .. } => false,
            Self::Failed(failure) => failure.may_pass,
        }
    }
}

/// A page as fetched. Its default is an answer with status 200 and nothing else, to be filled with what came.
#[derive(Clone, Debug)]
pub struct FetchedPage<'p> {
    /// HTTP status; 200 by default. Links are followed by it: all of a 2xx answer, some of 404 and 410, none of others.
    pub status: u16,
    /// Visible text in document order, blocks as lines; `None` when there was none to read (not a
    /// text type, not 2xx, not parsed). Prediction and the rules of a crawl compare pages by it alone: where it is left out,
    /// no page is ever taken for a copy of another. The crate `nodust_crawler` takes it out of HTML, with links,
    /// base and `rel=canonical` (`nodust_crawler::extract::html`).
    pub text: Option<&'p str>,
    /// Visible text of a further answer for the same URL, asked for since it
    /// [was wanted](crate::Frontier::wants_refetch): what it has not in common with [`text`](Self::text) says nothing of the page. Empty where it was asked for and
    /// did not come, or is no page like the first.
    pub refetched: Option<&'p str>,
    /// Whether it came as [plain](Self::is_plain_type) text, without markup: a raw file is never taken for a copy of a page that
    /// shows it, nor the other way round, though their words are the same.
    pub is_plain: bool,
    /// Links in document order. Of a page that is not there (404, 410) those are not followed that lead deep down and deeper
    /// than it lies.
    pub links: &'p [RawUrl<'p>],
    /// `<base href>`, if the page has one: links and [`canonical`](Self::canonical) resolve against it.
    pub base: Option<&'p str>,
    /// `rel=canonical`. A hint, to be confirmed by content. That of markup is given as sent, and resolves against [`base`](Self::base) where there is
    /// one, else against the page. That of a `Link` header is relative to the page whatever its markup says (RFC 8288, section 3.1):
    /// whoever fetches makes it absolute.
    pub canonical: Option<&'p str>,
    /// Bytes of the body after decompression.
    pub bytes: u64,
}

impl Default for FetchedPage<'_> {
    fn default() -> Self {
        Self {
            status: 200,
            text: None,
            refetched: None,
            is_plain: false,
            links: &[],
            base: None,
            canonical: None,
            bytes: 0,
        }
    }
}

impl FetchedPage<'_> {
    /// What the page's links resolve against, if [`base`](Self::base) says so; `None` where it says nothing, or nothing that can be
    /// resolved against the page's own URL.
    pub fn base_url(&self, page: &CanonicalUrl) -> Option<Url> {
        let base = page.as_url().join(self.base?).ok();
        // Nothing is relative to `data:` and the like.
        base.filter(|base| !base.cannot_be_a_base())
    }

    /// Whether a server that answers with this status may bring the page another day: it was in trouble (5xx but 501 and 505) or not ready
    /// (408, 425, 429).
    pub const fn status_may_pass(status: u16) -> bool {
        matches!(status, 408 | 425 | 429 | 500 | 502..=504 | 506..=599)
    }

    /// Whether a media type names text without markup: `text/plain`, and all that is `text/…` but HTML and XML.
    pub fn is_plain_type(content_type: &str) -> bool {
        let essence = content_type.split(';').next().unwrap_or_default().trim();
        let Some((text, kind)) = essence.split_once('/') else {
            return false;
        };
        let is_markup = ["html", "xml"]
            .iter()
            .any(|markup| kind.eq_ignore_ascii_case(markup));
        text.eq_ignore_ascii_case("text") && !is_markup
    }

    /// Whether the page was there: a 2xx answer.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether the server answered that there is no such page: 404 or 410.
    pub const fn is_missing(&self) -> bool {
        matches!(self.status, 404 | 410)
    }
}

/// Why no usable answer came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchFailure {
    /// Short stable name for counters: `timeout`, `connect`, `too_large`, `robots` …
    pub code: &'static str,
    /// Words for the log.
    pub detail: String,
    /// HTTP status, if one came.
    pub status: Option<u16>,
    /// Try again after this time; `None`: not worth another try. The host is not held up: see
    /// [`Gate`](crate::Gate) for that.
    ///
    /// The frontier counts no tries: a URL for which this is always `Some` is asked for again and again for ever. Say `None` once
    /// [`Lease::attempt`](crate::Lease::attempt) has reached as many tries as it is worth.
    pub retry_after: Option<Duration>,
    /// Whether it may pass: a timeout, a host that has no address today. Given up, its link is kept for
    /// [`LocalFrontier::retry_failed`](crate::LocalFrontier::retry_failed).
    pub may_pass: bool,
}

impl FetchFailure {
    /// Code of a URL that robots.txt does not allow.
    pub const ROBOTS: &'static str = "robots";
    /// Code of a URL whose robots.txt was not to be had, so that nobody knows.
    pub const ROBOTS_UNREACHABLE: &'static str = "robots_unreachable";
    /// Code of a URL whose host lies at an address that must not be connected to.
    pub const PRIVATE_ADDRESS: &'static str = "private_address";
    /// Code of a URL whose host has no address.
    pub const NO_ADDRESS: &'static str = "dns";
    /// Code of a URL that is longer than the fetcher sends.
    pub const TOO_LONG: &'static str = "url_too_long";

    /// Whether it failed before any request was made, and so counts as no fetch.
    pub fn made_no_request(&self) -> bool {
        Self::is_before_a_request(self.code)
    }

    /// Whether what fails with this code fails before any request is made.
    pub(crate) fn is_before_a_request(code: &str) -> bool {
        matches!(
            code,
            Self::ROBOTS
                | Self::ROBOTS_UNREACHABLE
                | Self::PRIVATE_ADDRESS
                | Self::NO_ADDRESS
                | Self::TOO_LONG
        )
    }
}

/// An outcome as shown to the stages.
#[derive(Debug)]
pub struct Observation<'a> {
    /// What was fetched, with class and probe.
    pub url: &'a Admitted,
    /// What came of it.
    pub outcome: &'a Outcome<'a>,
    /// Target of a redirect, or the page's `rel=canonical`, resolved.
    pub points_to: Option<&'a CanonicalUrl>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_is_relative_to_is_no_base() {
        let page = "http://h.example/a/b".parse().unwrap();
        let base = |base| {
            let page_with = FetchedPage {
                base: Some(base),
                ..FetchedPage::default()
            };
            page_with.base_url(&page).map(|url| url.to_string())
        };
        assert_eq!(base("/c/").as_deref(), Some("http://h.example/c/"));
        for none in ["data:text/plain,x", "javascript:0", "http://["] {
            assert_eq!(base(none), None, "{none}");
        }
    }
}
