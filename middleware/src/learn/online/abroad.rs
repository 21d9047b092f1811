//! Which sites wait for pages of others?
//!
//! A source may lead to another host (`m.e.org`), of whose pages its own site is not told. So it is noted who is to be told, too.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

/// Classes that are waited for; the oldest make room.
const MOST: usize = 1 << 16;

/// Sites by the classes of others that their sources lead to.
#[derive(Debug, Default)]
pub(super) struct Abroad {
    waiting: FxHashMap<u64, Vec<Box<str>>>,
    order: VecDeque<u64>,
}

impl Abroad {
    /// A site is to be told of the page of a class.
    pub(super) fn wait(&mut self, site: &str, class: &str) {
        let name = xxh3_64(class.as_bytes());
        let sites = self.waiting.entry(name).or_insert_with(|| {
            self.order.push_back(name);
            Vec::new()
        });
        if !sites.iter().any(|known| **known == *site) {
            sites.push(site.into());
        }
        if self.order.len() > MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.waiting.remove(&oldest);
        }
    }

    /// The sites that wait for a class, which do no longer.
    pub(super) fn take(&mut self, class: &str) -> Vec<Box<str>> {
        if self.waiting.is_empty() {
            return Vec::new();
        }
        let sites = self.waiting.remove(&xxh3_64(class.as_bytes()));
        sites.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_site_that_waits_is_told_once_and_the_oldest_make_room() {
        let mut abroad = Abroad::default();
        assert!(abroad.take("a").is_empty());
        for site in ["x", "y", "x"] {
            abroad.wait(site, "a");
        }
        assert_eq!(abroad.take("a"), ["x".into(), "y".into()]);
        assert!(abroad.take("a").is_empty());
        for n in 0..=MOST {
            abroad.wait("x", &n.to_string());
        }
        assert!(abroad.waiting.len() <= MOST && abroad.order.len() <= MOST);
        assert!(abroad.take("0").is_empty());
        assert_eq!(abroad.take(&MOST.to_string()).len(), 1);
    }
}
