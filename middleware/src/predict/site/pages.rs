//! Which URLs were fetched, and what did each bring?
//!
//! URLs of a site have much in common. Some, the *leaders*, are kept whole and in order; of any other there is
//! kept how many octets it shares with the leader that it is most like, and the rest. So a URL is put together
//! again by one look at one leader.

use std::borrow::Cow;

use super::{
    super::{
        codec::{In, Out},
        form::{Form, Hashed},
    },
    ClusterId, push_tightly,
};

/// Octets that a URL shares with no leader, from which on it becomes one.
const OWN: usize = 12;
/// Leaders: at least, of how many pages one more, and at most.
const LEAST_LEADERS: usize = 64;
const PAGES_A_LEADER: usize = 16;
const MOST_LEADERS: usize = 4096;

#[derive(Clone, Copy, Debug)]
struct Page {
    /// Where its text begins.
    at: u32,
    cluster: ClusterId,
}

/// What the URLs of a pair of pages show of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Clarity {
    /// They differ elsewhere.
    Hardly,
    /// They differ in what it says, and elsewhere, too.
    AmidOthers,
    /// They differ in nothing else.
    Alone,
}

/// The pages of a site, by number.
#[derive(Debug, Default)]
pub(super) struct Pages {
    all: Vec<Page>,
    /// Of each page: octets shared with a leader; the leader, if there are any; the rest.
    texts: Vec<u8>,
    /// Pages kept whole, in order of their URLs.
    leaders: Vec<u32>,
}

fn shared(a: &str, b: &str) -> usize {
    let mut same = (a.as_bytes().iter().zip(b.as_bytes()))
        .take_while(|(a, b)| a == b)
        .count();
    while !b.is_char_boundary(same) {
        same -= 1;
    }
    same
}

impl Pages {
    pub(super) const fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether there is no room for the texts of further pages.
    pub(super) const fn is_full(&self) -> bool {
        self.texts.len() > (u32::MAX as usize) / 2
    }

    pub(super) fn cluster(&self, page: u32) -> Option<ClusterId> {
        Some(self.all.get(page as usize)?.cluster)
    }

    /// The clusters of all pages, in order.
    pub(super) fn clusters(&self) -> impl ExactSizeIterator<Item = ClusterId> {
        self.all.iter().map(|page| page.cluster)
    }

    fn parts(&self, page: u32) -> Option<(&str, &str)> {
        let page = page as usize;
        let from = self.all.get(page)?.at as usize;
        let to = (self.all.get(page + 1)).map_or(self.texts.len(), |next| next.at as usize);
        let mut text = In(&self.texts[from..to]);
        let shared = text.small()? as usize;
        let before = if shared == 0 {
            ""
        } else {
            let leader = text.small()?;
            self.parts(leader)?.1.get(..shared)?
        };
        Some((before, std::str::from_utf8(text.0).ok()?))
    }

    /// How plainly the URLs of two pages show what an edit says.
    pub(super) fn clarity(&self, edit: &Hashed, (one, other): (u32, u32)) -> Option<Clarity> {
        let (one, other) = (self.url(one)?, self.url(other)?);
        let (one, other) = (Form::parse(&one), Form::parse(&other));
        Some(if edit.key_after(&one) == edit.key_after(&other) {
            Clarity::Alone
        } else if edit.changes(&one) != edit.changes(&other) {
            Clarity::AmidOthers
        } else {
            Clarity::Hardly
        })
    }

    /// The URL of a page.
    pub(super) fn url(&self, page: u32) -> Option<Cow<'_, str>> {
        let (before, rest) = self.parts(page)?;
        Some(if before.is_empty() {
            Cow::Borrowed(rest)
        } else {
            let mut url = String::with_capacity(before.len() + rest.len());
            url.push_str(before);
            url.push_str(rest);
            Cow::Owned(url)
        })
    }

    /// Whether this is the URL of a page.
    pub(super) fn is(&self, page: u32, url: &str) -> bool {
        self.parts(page)
            .is_some_and(|(before, rest)| url.strip_prefix(before) == Some(rest))
    }

    /// Adds a page.
    pub(super) fn push(&mut self, url: &str, cluster: ClusterId) {
        let number = self.all.len() as u32;
        let page = Page {
            at: self.texts.len() as u32,
            cluster,
        };
        let text_of = |leader: &u32| self.parts(*leader).map_or("", |(_, text)| text);
        let place = self.leaders.partition_point(|leader| text_of(leader) < url);
        let near = place.saturating_sub(1)..(place + 1).min(self.leaders.len());
        let nearest = (self.leaders[near].iter())
            .map(|leader| (shared(text_of(leader), url), *leader))
            .max_by_key(|(shared, _)| *shared);
        let (shared, leader) = nearest.unwrap_or_default();
        let most = (LEAST_LEADERS + self.all.len() / PAGES_A_LEADER).min(MOST_LEADERS);
        let mut text = Out::default();
        if shared == 0 || (url.len() - shared >= OWN && self.leaders.len() < most) {
            text.number(0);
            text.0.extend_from_slice(url.as_bytes());
            self.leaders.insert(place, number);
        } else {
            text.count(shared);
            text.number(u64::from(leader));
            text.0.extend_from_slice(&url.as_bytes()[shared..]);
        }
        if self.texts.capacity() - self.texts.len() < text.0.len() {
            let reserve = (self.texts.len() / 8).max(4096);
            self.texts.reserve_exact(reserve.max(text.0.len()));
        }
        self.texts.extend_from_slice(&text.0);
        push_tightly(&mut self.all, page);
    }

    /// Memory held, in bytes.
    pub(super) const fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<Page>()
            + self.texts.capacity()
            + self.leaders.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_goes_in_comes_out(urls in prop::collection::vec("http://[ab]/[a-cü]{0,40}(\\?[a-z]=[0-9]{0,9})?", 0..90)) {
            let mut pages = Pages::default();
            for (number, url) in urls.iter().enumerate() {
                pages.push(url, number as u32 * 3);
            }
            for (number, url) in urls.iter().enumerate() {
                let page = number as u32;
                let found = pages.url(page);
                prop_assert_eq!(found.as_deref(), Some(url.as_str()));
                let longer = url.clone() + "x";
                prop_assert!(pages.is(page, url) && !pages.is(page, &longer));
                prop_assert_eq!(pages.cluster(page), Some(page * 3));
            }
            prop_assert!(pages.url(urls.len() as u32).is_none());
        }
    }

    #[test]
    fn addresses_of_one_kind_take_little_more_than_what_they_differ_in() {
        let mut pages = Pages::default();
        let url = |n: u32| format!("http://shop.example/articles/{}/item.php?id={n}", n % 40);
        for n in 0..10_000 {
            pages.push(&url(n), n);
        }
        assert!((0..10_000).all(|n| pages.url(n).as_deref() == Some(&url(n))));
        assert!(pages.bytes() < 10_000 * 26, "{}", pages.bytes());
    }
}
