//! Draws a sample of the URLs of each host.
//!
//! A sample by host keeps large hosts from drowning out small ones. Each URL draws a number from a keyed hash of its
//! spelling, and each host keeps its smallest numbers. So the sample is the same whatever the order of the list and
//! wherever it is drawn, and needs memory only for the sample. Only if hosts are left out by their size, a hash of each
//! URL is kept as well (8 bytes and overhead), because repeated URLs count once.
//!
//! A host includes its port, unless that is the default port of its scheme (`http://e.org:80/` belongs to `e.org`).
//! Otherwise, options and meaning follow courlan's `sample_urls`: spellings that differ in scheme or trailing slash are
//! one URL, start pages are never drawn, and invalid URLs are skipped.
//!
//! ```
//! use nodust_middleware::sample::{SampleConfig, sample_urls};
//!
//! let config = SampleConfig { per_host: 1, ..SampleConfig::default() };
//! let drawn = sample_urls(["http://e.org/1", "http://e.org/2", "http://f.org/1"], &config);
//! assert_eq!(drawn.len(), 2);
//! assert_eq!(drawn[1], "http://f.org/1");
//! ```

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::filter::validity::{SplitUrl, validate_url};

/// How much of each host is drawn, and which hosts are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SampleConfig {
    /// Most URLs of a host.
    pub per_host: usize,
    /// Hosts with fewer distinct URLs are left out.
    pub exclude_min: Option<usize>,
    /// Hosts with more distinct URLs are left out.
    pub exclude_max: Option<usize>,
    /// Another seed draws another sample.
    pub seed: u64,
}

impl Default for SampleConfig {
    fn default() -> Self {
        Self {
            per_host: 100,
            exclude_min: None,
            exclude_max: None,
            seed: 0,
        }
    }
}

/// What was offered and what became of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleCounts {
    /// Texts that are not valid URLs.
    pub invalid: u64,
    /// URLs of start pages, which are not drawn.
    pub start_pages: u64,
    /// URLs that took part; repeated ones each time.
    pub offered: u64,
    /// Hosts left out because of their size.
    pub hosts_left_out: u64,
    /// URLs drawn.
    pub drawn: u64,
}

/// Draws a sample from a stream of URLs.
#[derive(Debug)]
pub struct Sampler {
    config: SampleConfig,
    /// Place of each host in `drawn`.
    places: HashMap<String, usize, FxBuildHasher>,
    /// The hosts in the order they appeared.
    drawn: Vec<Drawn>,
    counts: SampleCounts,
}

#[derive(Debug, Default)]
struct Drawn {
    /// The smallest numbers drawn so far, and the URLs that drew them.
    smallest: BTreeMap<u64, Box<str>>,
    /// Names of all distinct URLs, where sizes matter.
    distinct: HashSet<u64, FxBuildHasher>,
}

impl Sampler {
    /// A sampler that has seen nothing.
    pub fn new(config: SampleConfig) -> Self {
        Self {
            config,
            places: HashMap::default(),
            drawn: Vec::new(),
            counts: SampleCounts::default(),
        }
    }

    /// Offers one URL.
    pub fn push(&mut self, url: &str) {
        let url = url.trim();
        let Some(split) = validate_url(url) else {
            self.counts.invalid += 1;
            return;
        };
        if matches!(split.path.as_str(), "" | "/") && split.query.is_empty() {
            self.counts.start_pages += 1;
            return;
        }
        self.counts.offered += 1;
        let host = host_of(&split);
        let place = *self.places.entry_ref(host.as_str()).or_insert_with(|| {
            self.drawn.push(Drawn::default());
            self.drawn.len() - 1
        });
        let number = xxh3_64_with_seed(identity(&split, &host).as_bytes(), self.config.seed);
        let counts_matter = self.config.exclude_min.is_some() || self.config.exclude_max.is_some();
        self.drawn[place].offer(number, url, self.config.per_host, counts_matter);
    }

    /// The sample, host after host in the order they first appeared, sorted within each; and the counts.
    pub fn finish(mut self) -> (Vec<String>, SampleCounts) {
        let mut sample = Vec::new();
        for drawn in self.drawn {
            let size = drawn.distinct.len();
            let left_out = self.config.exclude_min.is_some_and(|min| size < min)
                || self.config.exclude_max.is_some_and(|max| size > max);
            if left_out {
                self.counts.hosts_left_out += 1;
                continue;
            }
            let first = sample.len();
            sample.extend(drawn.smallest.into_values().map(String::from));
            sample[first..].sort_unstable();
        }
        self.counts.drawn = sample.len() as u64;
        (sample, self.counts)
    }
}

impl Drawn {
    fn offer(&mut self, number: u64, url: &str, most: usize, counts_matter: bool) {
        if counts_matter {
            self.distinct.insert(number);
        }
        if let Some(known) = self.smallest.get_mut(&number) {
            // Another spelling of a URL that is in: keep the one that sorts first, whatever came first.
            if url < &**known {
                *known = url.into();
            }
            return;
        }
        if self.smallest.len() >= most {
            match self.smallest.last_key_value() {
                Some((largest, _)) if number < *largest => {
                    self.smallest.pop_last();
                }
                _ => return,
            }
        }
        self.smallest.insert(number, url.into());
    }
}

/// The host of a URL, with its port if that is not its scheme's own.
fn host_of(split: &SplitUrl) -> String {
    let own_port = if split.scheme == "https" {
        ":443"
    } else {
        ":80"
    };
    let host = split.host.strip_suffix(own_port).unwrap_or(&split.host);
    host.to_ascii_lowercase()
}

/// What a URL is known by: neither scheme nor trailing slash nor fragment count.
fn identity(split: &SplitUrl, host: &str) -> String {
    let path = split.path.strip_suffix('/').unwrap_or(&split.path);
    format!("{host}{path}?{}", split.query)
}

/// A sample by host of a list of URLs.
pub fn sample_urls<U: AsRef<str>>(
    urls: impl IntoIterator<Item = U>,
    config: &SampleConfig,
) -> Vec<String> {
    let mut sampler = Sampler::new(config.clone());
    for url in urls {
        sampler.push(url.as_ref());
    }
    sampler.finish().0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LIST: [&str; 4] = [
        "http://t.o/t1",
        "http://test.org/test1",
        "http://test.org/test2",
        "http://test2.org/test2",
    ];

    fn draw(config: &SampleConfig) -> Vec<String> {
        sample_urls(LIST, config)
    }

    #[test]
    fn hosts_are_left_out_by_their_size() {
        let one = SampleConfig {
            per_host: 1,
            ..SampleConfig::default()
        };
        assert_eq!(draw(&one).len(), 2);
        let large = SampleConfig {
            exclude_min: Some(10),
            ..one.clone()
        };
        assert!(draw(&large).is_empty());
        let small = SampleConfig {
            exclude_max: Some(1),
            ..one
        };
        assert_eq!(draw(&small), ["http://test2.org/test2"]);
    }

    #[test]
    fn spellings_of_one_url_count_once_and_start_pages_never() {
        let urls = [
            "https://e.org/",
            "https://e.org/a/",
            "http://e.org/a",
            "HTTP://E.org/a#x",
        ];
        let config = SampleConfig {
            exclude_max: Some(1),
            ..SampleConfig::default()
        };
        assert_eq!(sample_urls(urls, &config), ["HTTP://E.org/a#x"]);
    }

    #[test]
    fn the_port_of_its_scheme_makes_no_other_host_and_any_other_port_does() {
        let urls = [
            "http://e.org/a",
            "http://e.org:80/b",
            "https://E.org:443/c",
            "http://e.org:443/d",
            "http://e.org:8080/e",
            "http://[2001:db8::80]/f",
        ];
        let one = SampleConfig {
            per_host: 1,
            ..SampleConfig::default()
        };
        assert_eq!(sample_urls(urls, &one).len(), 4);
        let large = SampleConfig {
            exclude_min: Some(3),
            ..SampleConfig::default()
        };
        assert_eq!(sample_urls(urls, &large), [urls[0], urls[1], urls[2]]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_order_of_the_list_does_not_matter(
            mut paths in prop::collection::vec("[ab]\\.example/[a-z]{1,2}/?", 1..60),
            per_host in 0..6_usize,
            seed in any::<u64>(),
        ) {
            let config = SampleConfig { per_host, seed, ..SampleConfig::default() };
            let draw = |paths: &[String]| {
                let mut drawn = sample_urls(paths.iter().map(|p| format!("http://{p}")), &config);
                drawn.sort();
                drawn
            };
            let before = draw(&paths);
            prop_assert!(before.len() <= 2 * per_host);
            paths.reverse();
            prop_assert_eq!(before, draw(&paths));
        }

        #[test]
        fn any_text_may_be_offered(texts in prop::collection::vec("\\PC{0,30}", 0..10)) {
            let _ = sample_urls(texts, &SampleConfig::default());
        }
    }
}
