//! Finds the pages of a log that show one content.
//!
//! Equal words are one content. Beyond that, pages are compared as in a crawl ([`sign`](crate::sign)): hardly any site shows
//! a page twice without a clock, a counter or an advertisement that has changed in between. A crawl knows chrome only from
//! the pages it has seen so far. A log is complete, so its pages are compared twice: first to learn the chrome, and then all
//! of them with that chrome left out ([`Host::compared_anew`]). Until then their texts are kept, packed. If they take too
//! much room, those of the largest site are compared anew at once, and its later pages as they come.
//!
//! A page with a counter on it that was met under one address in twenty may be chrome from its first word to its last. Whether two such
//! pages are one cannot be told: each counts as a content of its own unless it is the same word for word, and their number is reported.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use url::Url;

use super::{Sample, online::Host};
use crate::{
    predict::{
        codec::{In, Out},
        packed,
    },
    sign::{Echo, PageText},
};

/// Octets that the texts of all sites may take, packed to about half.
const MOST_KEPT: usize = 128 << 20;

/// The pages of all sites of a log; hosts of one registrable domain are compared with each other.
#[derive(Debug)]
pub(super) struct Contents {
    sites: FxHashMap<Box<str>, Site>,
    /// Octets of texts that are kept, and most of them.
    kept: usize,
    most_kept: usize,
}

impl Default for Contents {
    fn default() -> Self {
        Self {
            sites: FxHashMap::default(),
            kept: 0,
            most_kept: MOST_KEPT,
        }
    }
}

#[derive(Debug)]
struct Site {
    host: Host,
    /// Texts of its pages until these are compared anew.
    texts: Option<Out>,
    /// Places of the pages among the samples, in the order in which they were told.
    told: Vec<usize>,
    /// The first page with these words.
    first: FxHashMap<u64, usize>,
    /// Pages with the words of another one, and that one.
    again: Vec<(usize, usize)>,
    /// Pages that have nothing but chrome.
    bare: u64,
}

impl Site {
    fn new(name: &str) -> Self {
        Self {
            host: Host::new(name, Arc::default()),
            texts: Some(Out::default()),
            told: Vec::new(),
            first: FxHashMap::default(),
            again: Vec::new(),
            bare: 0,
        }
    }

    /// Octets of its texts.
    fn kept(&self) -> usize {
        self.texts.as_ref().map_or(0, |texts| texts.0.len())
    }

    /// Compares its pages anew, if that was not done before; their texts are kept no longer.
    fn compared_anew(mut self) -> Self {
        if let Some(texts) = self.texts.take() {
            let mut from = In(&texts.0);
            let texts = std::iter::from_fn(|| packed::read(&mut from));
            (self.host, self.bare) = self.host.compared_anew(texts);
        }
        self
    }
}

impl Contents {
    /// Takes in the page of the sample at a place; `words` names its words.
    pub(super) fn page(&mut self, at: usize, url: &Url, text: &str, words: u64) {
        let name = url.host_str().unwrap_or_default();
        let name = psl::domain_str(name).unwrap_or(name);
        if !self.sites.contains_key(name) {
            self.sites.insert(name.into(), Site::new(name));
        }
        let Some(site) = self.sites.get_mut(name) else {
            return;
        };
        if let Some(first) = site.first.get(&words) {
            site.again.push((at, *first));
            return;
        }
        site.first.insert(words, at);
        site.told.push(at);
        if let Some(texts) = &mut site.texts {
            self.kept -= texts.0.len();
            packed::write(texts, text);
            self.kept += texts.0.len();
        }
        let text = PageText::new(text, &Echo::of(url));
        site.host.page(url.as_str(), text, None);
        if self.kept > self.most_kept {
            self.make_room();
        }
    }

    /// Compares the pages of the site anew whose texts take most room.
    fn make_room(&mut self) {
        let sites = self.sites.iter();
        let Some((name, _)) = sites.max_by_key(|(_, site)| site.kept()) else {
            return;
        };
        let name = name.clone();
        if let Some(site) = self.sites.remove(&name) {
            self.kept -= site.kept();
            self.sites.insert(name, site.compared_anew());
        }
    }

    /// Names the contents: each by the words of the first page that shows it, which may be on another site, too. Tells how many
    /// pages have nothing but chrome.
    pub(super) fn name(self, samples: &mut [Sample]) -> u64 {
        let mut bare = 0;
        for site in self.sites.into_values() {
            let site = site.compared_anew();
            bare += site.bare;
            let mut names: FxHashMap<u32, u64> = FxHashMap::default();
            for (at, cluster) in site.told.iter().zip(site.host.contents()) {
                let name = names.entry(cluster).or_insert(samples[*at].cluster);
                samples[*at].cluster = *name;
            }
            for (at, first) in site.again {
                samples[at].cluster = samples[first].cluster;
            }
        }
        bare
    }
}

#[cfg(test)]
mod tests {
    use super::Contents;
    use crate::learn::{Sample, read_samples};

    /// Lines of words that no other page has.
    fn words(n: u64) -> String {
        let word = |i| xxhash_rust::xxh3::xxh3_64(&[n as u8, i]) % 0xff_ffff;
        let words: Vec<String> = (0..120).map(|i| format!("w{:x}", word(i))).collect();
        words.chunks(10).map(|line| line.join(" ") + "\n").collect()
    }

    #[test]
    fn a_line_that_changes_with_every_request_makes_no_other_page() {
        let lines = (0..120u64).map(|n| {
            let text = format!("welcome\nserved in 0.{} s\n{}", n * 37, words(n / 2));
            serde_json::json!({"url": format!("http://e.org/?n={n}"), "text": text}).to_string()
        });
        let log = lines.collect::<Vec<_>>().join("\n");
        let read = read_samples(log.as_bytes()).unwrap();
        let cluster = |n: usize| read.samples[n].cluster;
        assert_eq!(read.samples.len(), 120);
        assert!((0..60).all(|n| cluster(2 * n) == cluster(2 * n + 1)));
        assert!((0..59).all(|n| cluster(2 * n) != cluster(2 * n + 2)));
    }

    /// Contents among 800 lines of a log, and how many of the lines were nothing but chrome: the first 40 are of one page, the others of twenty in turn, all with a counter.
    fn with_a_counter(session: impl Fn(u64) -> String) -> (usize, u64) {
        let line = |n: u64, page: u64| {
            let text = format!("visitor number {} today\n{}", n + 1000, words(page));
            let url = format!("http://e.org/{page}?s={}", session(n));
            serde_json::json!({"url": url, "text": text}).to_string()
        };
        let home = (0..40).map(|n| line(n, n % 4 * n));
        let all = home.chain((40..840).map(|n| line(n, n % 20)));
        let log = all.collect::<Vec<_>>().join("\n");
        let read = read_samples(log.as_bytes()).unwrap();
        let contents: std::collections::BTreeSet<u64> =
            read.samples.iter().map(|sample| sample.cluster).collect();
        (contents.len(), read.bare)
    }

    #[test]
    fn copies_of_a_page_with_a_counter_are_one_where_sessions_tell_that_they_may_be() {
        let token = |n: u64| format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&n.to_le_bytes()));
        let (contents, bare) = with_a_counter(token);
        assert_eq!((contents, bare), (40, 0));
        let (contents, bare) = with_a_counter(|n| n.to_string());
        assert!(
            contents > 60 && bare > 40,
            "{contents} {bare}: and how many they are is told"
        );
    }

    /// Names of the contents of 150 pages: the first 40 as they are, 110 others beside a menu, and the first 40 once more
    /// beside that menu.
    fn with_a_menu_from_the_40th_on(most_kept: usize) -> Vec<u64> {
        let mut contents = Contents {
            most_kept,
            ..Contents::default()
        };
        // More than what a page may have that is chrome by now, and was not then.
        let menu = "all the many things that may be done here and the names of those who do them\n\
            where to find what is new and what is old and whom to ask about it at night\n";
        let mut samples = Vec::new();
        for (at, n) in (0..150).chain(0..40).enumerate() {
            let text = format!("{}{}", if at < 40 { "" } else { menu }, words(n));
            let sample = Sample::new(format!("http://e.org/{at}"), &text);
            contents.page(at, &sample.url.parse().unwrap(), &text, sample.cluster);
            samples.push(sample);
        }
        assert!(contents.kept <= most_kept);
        contents.name(&mut samples);
        samples.iter().map(|sample| sample.cluster).collect()
    }

    #[test]
    fn what_turns_out_to_be_chrome_tells_no_early_page_from_its_copy() {
        let names = with_a_menu_from_the_40th_on(usize::MAX);
        assert_eq!(names[150..], names[..40]);
        let distinct: std::collections::BTreeSet<&u64> = names.iter().collect();
        assert_eq!(distinct.len(), 150);
    }

    #[test]
    fn where_texts_take_too_much_room_pages_are_compared_with_what_is_known_of_chrome_by_then() {
        let all = with_a_menu_from_the_40th_on(usize::MAX);
        assert_ne!(
            with_a_menu_from_the_40th_on(0),
            all,
            "nothing was known yet"
        );
        assert_eq!(with_a_menu_from_the_40th_on(100_000), all);
    }
}
