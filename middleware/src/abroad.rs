//! Keeps track of sites that wait for pages of other sites.
//!
//! A URL may redirect to another host (`m.e.org`), whose pages its own site is not told of. So it is noted which sites are to be
//! told as well.

use std::collections::{VecDeque, hash_map::Entry};

use rustc_hash::FxHashMap;

/// Pages that are waited for; the oldest make room.
const MOST: usize = 1 << 16;

/// Sites by the names of pages of others that their sources lead to.
#[derive(Debug, Default)]
pub(crate) struct Abroad {
    /// With the number of the wait.
    waiting: FxHashMap<u64, (u64, Vec<Box<str>>)>,
    /// The waits in their order, also those that are over.
    order: VecDeque<(u64, u64)>,
    waits: u64,
}

impl Abroad {
    /// A site is to be told of the page of this name.
    pub(crate) fn wait(&mut self, site: &str, name: u64) {
        let (_, sites) = self.waiting.entry(name).or_insert_with(|| {
            self.waits += 1;
            self.order.push_back((self.waits, name));
            (self.waits, Vec::new())
        });
        if !sites.iter().any(|known| **known == *site) {
            sites.push(site.into());
        }
        if self.order.len() > MOST
            && let Some((wait, oldest)) = self.order.pop_front()
            && let Entry::Occupied(waiting) = self.waiting.entry(oldest)
            && waiting.get().0 == wait
        {
            waiting.remove();
        }
    }

    /// Whether none waits for any.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The sites that wait for a page, which do no longer.
    pub(crate) fn take(&mut self, name: u64) -> Vec<Box<str>> {
        self.waiting
            .remove(&name)
            .map(|(_, sites)| sites)
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_site_that_waits_is_told_once_and_the_oldest_make_room() {
        let mut abroad = Abroad::default();
        assert!(abroad.is_empty());
        for site in ["x", "y", "x"] {
            abroad.wait(site, 1);
        }
        assert_eq!(abroad.take(1), ["x".into(), "y".into()]);
        assert!(abroad.take(1).is_empty());
        for name in 0..=MOST as u64 {
            abroad.wait("x", name);
        }
        assert!(abroad.waiting.len() <= MOST && abroad.order.len() <= MOST);
        assert!(abroad.take(0).is_empty());
        assert_eq!(abroad.take(MOST as u64).len(), 1);
    }

    #[test]
    fn a_wait_that_is_over_takes_no_room_from_the_next_for_the_same_page() {
        let mut abroad = Abroad::default();
        abroad.wait("x", 0);
        assert_eq!(abroad.take(0).len(), 1);
        for name in 1..MOST as u64 {
            abroad.wait("x", name);
        }
        abroad.wait("x", 0);
        assert_eq!(abroad.take(0).len(), 1, "the newest");
    }
}
