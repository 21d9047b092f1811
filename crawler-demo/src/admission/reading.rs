//! Reads an answer: its text, its links, and where it leads.

use std::{
    borrow::Cow,
    panic::{AssertUnwindSafe, catch_unwind},
};

use nodust_frontier::Lease;

use super::{
    Again, Border,
    redirect::{base_of, redirect_of},
};
use crate::{
    charset::{decode, decode_as},
    extract::{self, Hints, Page},
    fetch::{Answer, Kind, is_xml, kind},
    words::counted,
};

/// An answer that was read.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) page: Page,
    /// Text of the page when it was asked for a second time; empty where nothing came that can be compared.
    pub(super) refetched: Option<String>,
    /// Where it leads, by status or by a refresh.
    pub(super) redirect: Option<String>,
    /// Whether the page or its headers ask that none of its links be followed.
    pub(super) nofollow: bool,
    /// Whether it is a page that has a text.
    pub(super) has_text: bool,
}

impl Border {
    /// Reads an answer; `None` where it breaks the reader, which is said in the log.
    pub(super) fn reading(&self, lease: &Lease, answer: &Answer, again: &Again) -> Option<Reading> {
        let mut hints = extract::hints(
            &self.limits.agent,
            answer.link.iter().map(String::as_str),
            answer.robots_tag.iter().map(String::as_str),
            answer.refresh.as_deref(),
        );
        hints.resolve_links(lease.url());
        // A page that breaks the reader is a page that cannot be read, and not the crawl's end.
        let read = catch_unwind(AssertUnwindSafe(|| {
            let again = match again {
                Again::NotAsked => None,
                Again::Nothing => Some(String::new()),
                Again::Page(again) => Some(self.read(again, &Hints::default()).text),
            };
            (self.read(answer, &hints), again)
        }));
        let Ok((mut page, refetched)) = read else {
            tracing::error!("{} broke the reader: please report this", lease.url());
            return None;
        };
        if page.links_over_limit > 0 {
            tracing::warn!(
                "{} of {} left out: the page has more than max_links allows, or they are longer than a URL may be",
                counted(page.links_over_limit as u64, "link"),
                lease.url(),
            );
        }
        let left_out = page.limit_links(&base_of(lease.url(), &page));
        if left_out > 0 {
            tracing::warn!(
                "the links of {}, with its own address before them, are too long in all: {} left out",
                lease.url(),
                counted(left_out as u64, "link")
            );
        }
        let redirect = redirect_of(lease.url(), answer, &page);
        let has_text = answer.is_success() && !page.text.is_empty();
        Some(Reading {
            refetched: refetched.filter(|_| has_text && redirect.is_none()),
            nofollow: page.nofollow || hints.nofollow,
            page,
            redirect: redirect.map(Cow::into_owned),
            has_text,
        })
    }

    fn read(&self, answer: &Answer, hints: &Hints) -> Page {
        // Nobody asks for what a server says of its own troubles, save the log.
        if answer.is_redirect() || answer.status >= 500 && self.log.is_none() {
            return Page::default();
        }
        let content_type = answer.content_type.as_deref();
        let mut page = match kind(content_type, &answer.body) {
            Kind::Markup => {
                let (text, encoding) = decode_as(&answer.body, content_type);
                let read = if is_xml(content_type) {
                    extract::xml
                } else {
                    extract::html
                };
                let mut page = read(&text, &self.limits);
                page.ask_in(encoding);
                page
            }
            Kind::Plain => Page {
                text: extract::plain(&decode(&answer.body, content_type)),
                ..Page::default()
            },
            Kind::Other => Page::default(),
        };
        if page.canonical.is_none() {
            page.canonical.clone_from(&hints.canonical);
        }
        page.links
            .extend(hints.links.iter().map(|href| extract::Link {
                href: href.clone(),
                ..extract::Link::default()
            }));
        if let Some((seconds, target)) = &hints.refresh {
            page.refreshes(*seconds, target);
        }
        page
    }
}
