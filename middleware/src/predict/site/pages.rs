//! The URLs that were fetched, and what each brought.

use std::borrow::Cow;

use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    super::form::{Form, hash_of},
    ClusterId,
    addresses::{Addresses, Pieces},
    push_tightly,
};
use crate::heap::of_set;

/// The pages of a site, by number.
#[derive(Debug, Default)]
pub(super) struct Pages {
    urls: Addresses,
    clusters: Vec<ClusterId>,
    /// What rules make of the URL of the page before, in order.
    names: Vec<u32>,
    /// The same by the host of that page.
    names_of_hosts: FxHashMap<Box<str>, Vec<u32>>,
    /// Those of them that say nothing any more.
    void: FxHashSet<u32>,
    /// Pages that are no names, by their URLs. Made when one is first looked for: without links, redirects and canonicals none is.
    by_url: Option<HashTable<u32>>,
}

/// The name of a URL: the half of the frontier's name of it that is of the URL.
pub(in crate::predict) fn name_of(url: &str) -> u64 {
    hash_of(0, url)
}

/// What is special about a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kind {
    /// Its URL is what rules make of that of the page before.
    pub(super) is_name: bool,
    /// They do so no more, nor do they make one URL of both.
    pub(super) is_void: bool,
}

/// The host of a URL, as rules are asked for it.
pub(super) fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let host = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    host.rsplit_once('@').map_or(host, |(_, host)| host)
}

impl Pages {
    pub(super) const fn len(&self) -> usize {
        self.urls.len()
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether there is no room for the texts of further pages.
    pub(super) const fn is_full(&self) -> bool {
        self.urls.is_full()
    }

    pub(super) fn cluster(&self, page: u32) -> Option<ClusterId> {
        self.clusters.get(page as usize).copied()
    }

    /// The clusters of all pages, in order.
    pub(super) fn clusters(&self) -> impl ExactSizeIterator<Item = ClusterId> {
        self.clusters.iter().copied()
    }

    /// Writes the URL of a page in the place of another.
    pub(super) fn write_url(&self, page: u32, url: &mut String) -> Option<()> {
        let mut pieces = self.read(page)?;
        let mut text = std::mem::take(url).into_bytes();
        text.clear();
        pieces.write(&mut text);
        *url = String::from_utf8(text).ok()?;
        Some(())
    }

    /// The URL of a page.
    pub(super) fn url(&self, page: u32) -> Option<Cow<'_, str>> {
        (!self.is_void(page)).then(|| self.text(page))?
    }

    /// The pieces of the URL of a page that stands for something.
    fn read(&self, page: u32) -> Option<Pieces<'_>> {
        self.urls.pieces(page).filter(|_| !self.is_void(page))
    }

    fn is_void(&self, page: u32) -> bool {
        !self.void.is_empty() && self.void.contains(&page)
    }

    /// The URL of a page, even if it stands for nothing any more.
    pub(super) fn text(&self, page: u32) -> Option<Cow<'_, str>> {
        self.urls.text(page)
    }

    /// Whether this is the URL of a page.
    pub(super) fn is(&self, page: u32, url: &str) -> bool {
        self.read(page).is_some_and(|pieces| pieces.is(url))
    }

    /// Whether the URL of a page, taken apart, is surely this form; of some that are nobody can tell.
    pub(super) fn reads(&self, page: u32, form: &Form<'_>) -> bool {
        self.read(page).is_some_and(|pieces| pieces.reads(form))
    }

    /// The page that was fetched: of a name the page before.
    pub(super) fn fetched(&self, page: u32) -> u32 {
        page - u32::from(self.is_name(page))
    }

    /// What is special about a page.
    pub(super) fn kind(&self, page: u32) -> Kind {
        Kind {
            is_name: self.is_name(page),
            is_void: self.is_void(page),
        }
    }

    /// Pages that are no names.
    pub(super) const fn fetched_ones(&self) -> usize {
        self.len() - self.names.len()
    }

    /// Hosts with names.
    pub(super) fn hosts_with_names(&self) -> impl Iterator<Item = &str> {
        self.names_of_hosts.keys().map(AsRef::as_ref)
    }

    /// The names of a host's pages that stand for something.
    pub(super) fn names_of(&self, host: &str) -> impl Iterator<Item = u32> {
        let names = self.names_of_hosts.get(host).into_iter().flatten();
        names.copied().filter(|page| !self.is_void(*page))
    }

    /// Whether a page is a name.
    pub(super) fn is_name(&self, page: u32) -> bool {
        !self.names.is_empty() && self.names.binary_search(&page).is_ok()
    }

    /// Lets a name stand for nothing any more.
    pub(super) fn make_void(&mut self, page: u32) {
        if self.is_name(page) {
            self.void.insert(page);
        }
    }

    /// Adds what rules make of the URL of the page that was added last.
    pub(super) fn push_name(&mut self, url: &str, cluster: ClusterId) {
        let name = self.len() as u32;
        let own = name.checked_sub(1).and_then(|page| self.text(page));
        let host = own.as_deref().map_or("", host_of).to_owned();
        match self.names_of_hosts.get_mut(&*host) {
            Some(names) => names.push(name),
            None => drop(self.names_of_hosts.insert(host.into(), vec![name])),
        }
        push_tightly(&mut self.names, name);
        self.add(url, cluster);
    }

    /// Adds a page.
    pub(super) fn push(&mut self, url: &str, cluster: ClusterId) {
        self.add(url, cluster);
        if let Some(mut by_url) = self.by_url.take() {
            self.note_url(&mut by_url, self.len() as u32 - 1);
            self.by_url = Some(by_url);
        }
    }

    /// The page of a URL, by its name; of several the first.
    pub(super) fn named(&mut self, name: u64) -> Option<u32> {
        let by_url = self.by_url.take().unwrap_or_else(|| {
            let mut by_url = HashTable::new();
            for page in (0..self.len() as u32).filter(|page| !self.is_name(*page)) {
                self.note_url(&mut by_url, page);
            }
            by_url
        });
        let found = by_url.find(name, |page| self.name(*page) == name).copied();
        self.by_url = Some(by_url);
        found
    }

    /// Whether a page's URL has this name.
    pub(super) fn is_named(&self, page: u32, name: u64) -> bool {
        self.read(page).is_some() && self.name(page) == name
    }

    /// Finds pages by their names from now on.
    pub(super) fn find_by_name(&mut self) {
        self.named(0);
    }

    /// The same as [`named`](Self::named), if pages are found by their names.
    pub(super) fn known_by_name(&self, name: u64) -> Option<u32> {
        let by_url = self.by_url.as_ref()?;
        by_url.find(name, |page| self.name(*page) == name).copied()
    }

    fn name(&self, page: u32) -> u64 {
        self.text(page).map_or(0, |url| name_of(&url))
    }

    fn note_url(&self, by_url: &mut HashTable<u32>, page: u32) {
        let name = self.name(page);
        if by_url
            .find(name, |other| self.name(*other) == name)
            .is_none()
        {
            by_url.insert_unique(name, page, |other| self.name(*other));
        }
    }

    fn add(&mut self, url: &str, cluster: ClusterId) {
        self.urls.add(url);
        push_tightly(&mut self.clusters, cluster);
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.urls.bytes()
            + self.clusters.capacity() * size_of::<ClusterId>()
            + self.names.capacity() * size_of::<u32>()
            + (self.names_of_hosts.iter())
                .map(|(host, names)| host.len() + 64 + names.capacity() * size_of::<u32>())
                .sum::<usize>()
            + of_set(&self.void)
            + (self.by_url.as_ref()).map_or(0, HashTable::allocation_size)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_goes_in_comes_out(urls in prop::collection::vec("http://[ab]/[a-cü]{0,40}(\\?[a-z0-9]{0,2}=?[0-9]{0,9})?", 0..90)) {
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
                prop_assert!(pages.reads(page, &Form::parse(url)));
                for other in &urls {
                    let (one, other) = (Form::parse(url), Form::parse(other));
                    prop_assert_eq!(pages.reads(page, &other), one == other);
                }
                prop_assert_eq!(pages.cluster(page), Some(page * 3));
            }
            prop_assert!(pages.url(urls.len() as u32).is_none());
        }
    }

    #[test]
    fn a_page_is_found_by_its_url_and_not_by_what_rules_make_of_it() {
        let mut pages = Pages::default();
        let url = |n: u32| format!("http://e.org/item/{n}");
        for n in 0..500 {
            pages.push(&url(n), n);
            pages.push_name(&format!("http://e.org/i{n}"), n);
            // Before the table is made and after.
            assert!(n < 250 || pages.named(name_of(&url(n))) == Some(2 * n));
        }
        assert_eq!(pages.named(name_of(&url(77))), Some(154));
        assert_eq!(pages.named(name_of("http://e.org/i77")), None);
        pages.push(&url(77), 9);
        assert_eq!(pages.named(name_of(&url(77))), Some(154));
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
