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
    /// The server sent the crawler elsewhere. The target is admitted as a link of its own, even if it has the same
    /// class as its source; otherwise the page would be lost.
    Redirected {
        /// HTTP status (301, 302, 303, 307, 308), or 200 for a redirect by markup.
        status: u16,
        /// The target, as sent.
        target: RawUrl<'p>,
    },
    /// No usable answer came.
    Failed(FetchFailure),
}

impl Outcome<'_> {
    /// Whether the link may bring its page another day: it was answered with a [status that may pass](FetchedPage::status_may_pass), or no
    /// answer came for a reason that [may pass](FetchFailure::may_pass).
    pub const fn may_pass(&self) -> bool {
        match self {
            Self::Fetched(page) => FetchedPage::status_may_pass(page.status),
            Self::Redirected { .. } => false,
            Self::Failed(failure) => failure.may_pass,
        }
    }
}

/// A page as fetched. The default is an answer with status 200 and nothing else, to be filled in.
#[derive(Clone, Debug)]
pub struct FetchedPage<'p> {
    /// HTTP status; 200 by default. It decides which links are followed: all of a 2xx answer, some of 404 and 410, none
    /// of others.
    pub status: u16,
    /// Visible text in document order, blocks as lines; `None` if there was none to read (not a text type, not 2xx, not
    /// parsed). Prediction and rewrite rules compare pages by it alone: without it, no page is ever taken for a copy of
    /// another. The crate `nodust_crawler` extracts it from HTML, with links, base and `rel=canonical`
    /// (`nodust_crawler::extract::html`).
    pub text: Option<&'p str>,
    /// Visible text of a second answer for the same URL, asked for because it [was wanted](crate::Frontier::wants_refetch). What it does
    /// not share with [`text`](Self::text) says nothing about the page. Empty if it was asked for and did not come, or is not a page like
    /// the first.
    pub refetched: Option<&'p str>,
    /// Whether it came as [plain](Self::is_plain_type) text, without markup. A raw file is never taken for a copy of a page that
    /// shows it, or the page for a copy of the file, though their words are the same.
    pub is_plain: bool,
    /// Links in document order. Links of a missing page (404, 410) are not followed if they lead deep down and deeper than
    /// the page itself.
    pub links: &'p [RawUrl<'p>],
    /// `<base href>`, if the page has one: links and [`canonical`](Self::canonical) resolve against it.
    pub base: Option<&'p str>,
    /// `rel=canonical`: a hint, to be confirmed by content. From markup, it is given as sent, and resolves against [`base`](Self::base) if
    /// there is one, else against the page. From a `Link` header, it is relative to the page whatever the markup says (RFC 8288, section
    /// 3.1): whoever fetches makes it absolute.
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
    /// The URL that the page's links resolve against, if [`base`](Self::base) names one; `None` if there is no base, or one that
    /// cannot be resolved against the page's own URL.
    pub fn base_url(&self, page: &CanonicalUrl) -> Option<Url> {
        let base = page.as_url().join(self.base?).ok();
        // Nothing is relative to `data:` and the like.
        base.filter(|base| !base.cannot_be_a_base())
    }

    /// Whether a server that answers with this status may bring the page another day: it was in trouble (5xx except 501 and 505) or not
    /// ready (408, 425, 429).
    pub const fn status_may_pass(status: u16) -> bool {
        matches!(status, 408 | 425 | 429 | 500 | 502..=504 | 506..=599)
    }

    /// Whether a media type names text without markup: every `text/…` type except HTML and XML.
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
    /// Details, in words for the log.
    pub detail: String,
    /// HTTP status, if one came.
    pub status: Option<u16>,
    /// Try again after this time; `None` if it is not worth another try. The host is not held up by this: see
    /// [`Gate`](crate::Gate) for that.
    ///
    /// The frontier does not limit tries: a URL for which this is always `Some` is asked for again for ever. Return `None` once
    /// [`Lease::attempt`](crate::Lease::attempt) has reached your limit.
    pub retry_after: Option<Duration>,
    /// Whether the cause may pass: a timeout, or a host that has no address today. When the URL is given up, its link
    /// is then kept for [`LocalFrontier::retry_failed`](crate::LocalFrontier::retry_failed).
    pub may_pass: bool,
}

impl FetchFailure {
    /// Code of a URL that robots.txt does not allow.
    pub const ROBOTS: &'static str = "robots";
    /// Code of a URL whose robots.txt could not be fetched, so that it is not known whether it is allowed.
    pub const ROBOTS_UNREACHABLE: &'static str = "robots_unreachable";
    /// Code of a URL whose host has an address that must not be connected to.
    pub const PRIVATE_ADDRESS: &'static str = "private_address";
    /// Code of a URL whose host has no address.
    pub const NO_ADDRESS: &'static str = "dns";
    /// Code of a URL that is longer than the fetcher sends.
    pub const TOO_LONG: &'static str = "url_too_long";

    /// Whether it failed before any request was made, and so does not count as a fetch.
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
    /// The target of a redirect, or the page's `rel=canonical`, resolved.
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
