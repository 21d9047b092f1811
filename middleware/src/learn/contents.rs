//! Which pages of a log show one content?
//!
//! Equal words are one content. Beyond that pages are compared as a crawl does it ([`sign`](crate::sign)): hardly any
//! site shows a page twice without a clock, a counter or an advertisement that has changed in between.

use rustc_hash::FxHashMap;
use url::Url;

use super::{Sample, online::Host};
use crate::sign::{Echo, PageText};

/// The pages of all sites of a log; hosts of one registrable domain are compared with each other.
#[derive(Debug, Default)]
pub(super) struct Contents {
    sites: FxHashMap<Box<str>, Site>,
}

#[derive(Debug)]
struct Site {
    host: Host,
    /// Places of the pages among the samples, in the order in which they were told.
    told: Vec<usize>,
    /// The first page with these words.
    first: FxHashMap<u64, usize>,
    /// Pages with the words of another one, and that one.
    again: Vec<(usize, usize)>,
}

impl Contents {
    /// Takes in the page of the sample at a place; `words` names its words.
    pub(super) fn page(&mut self, at: usize, url: &Url, text: &str, words: u64) {
        let name = url.host_str().unwrap_or_default();
        let name = psl::domain_str(name).unwrap_or(name);
        if !self.sites.contains_key(name) {
            let site = Site {
                host: Host::new(name, std::sync::Arc::default()),
                told: Vec::new(),
                first: FxHashMap::default(),
                again: Vec::new(),
            };
            self.sites.insert(name.into(), site);
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
        let text = PageText::new(text, &Echo::of(url));
        site.host.page(url.as_str(), text);
    }

    /// Names the contents: each by the words of the first page that shows it, which may be on another site, too.
    pub(super) fn name(self, samples: &mut [Sample]) {
        for mut site in self.sites.into_values() {
            let mut names: FxHashMap<u32, u64> = FxHashMap::default();
            for (at, cluster) in site.told.iter().zip(site.host.contents()) {
                let name = names.entry(cluster).or_insert(samples[*at].cluster);
                samples[*at].cluster = *name;
            }
            for (at, first) in site.again {
                samples[at].cluster = samples[first].cluster;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::learn::read_samples;

    #[test]
    fn a_line_that_changes_with_every_request_makes_no_other_page() {
        let words = |n: u64| {
            let word = |i| xxhash_rust::xxh3::xxh3_64(&[n as u8, i]) % 0xff_ffff;
            let words: Vec<String> = (0..120).map(|i| format!("w{:x}", word(i))).collect();
            words
                .chunks(10)
                .map(|line| line.join(" ") + "\\n")
                .collect::<String>()
        };
        let lines = (0..120u64).map(|n| {
            format!(
                r#"{{"url":"http://e.org/?n={n}","text":"welcome\\nserved in 0.{} s\\n{}"}}"#,
                n * 37,
                words(n / 2)
            )
        });
        let log = lines.collect::<Vec<_>>().join("\n");
        let read = read_samples(log.as_bytes()).unwrap();
        let cluster = |n: usize| read.samples[n].cluster;
        assert_eq!(read.samples.len(), 120);
        assert!((0..60).all(|n| cluster(2 * n) == cluster(2 * n + 1)));
        assert!((0..59).all(|n| cluster(2 * n) != cluster(2 * n + 2)));
    }
}
