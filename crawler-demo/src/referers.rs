//! Remembers which page led to a URL.
//!
//! Only the log uses this, so nothing of it is in the store: what is remembered is bounded and lost with the run, and a
//! page whose referer is not remembered has none in the log.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nodust_frontier::{Decision, Fingerprint};
use rustc_hash::FxHashMap;

/// Links whose page is remembered: at 32 octets each and a page's URL for all of its links, some 10 to 30
/// MB. Many are never fetched (dropped while they waited, not allowed, given up), so the oldest go first.
const MOST: usize = 1 << 18;

type Table = FxHashMap<u64, Arc<str>>;

/// The pages on which waiting links were found.
#[derive(Debug, Default)]
pub(crate) struct Referers(Mutex<Ages>);

/// The links found lately, and those found before them.
#[derive(Debug, Default)]
struct Ages {
    now: Table,
    before: Table,
}

impl Ages {
    fn insert(&mut self, link: u64, page: Arc<str>) {
        if self.now.len() >= MOST / 2 {
            self.before = std::mem::take(&mut self.now);
        }
        self.now.insert(link, page);
    }
}

impl Referers {
    /// Guards the table; never held across an await.
    fn lock(&self) -> MutexGuard<'_, Ages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers where the admitted ones of these links were found.
    pub(crate) fn found(&self, page: &str, decisions: &[Decision]) {
        let mut name: Option<Arc<str>> = None;
        let mut map = None;
        for decision in decisions {
            if let Decision::Admitted(link) = decision {
                let map = map.get_or_insert_with(|| self.lock());
                let page = name.get_or_insert_with(|| page.into());
                map.insert(link.key.url(), Arc::clone(page));
            }
        }
    }

    /// Where a link was found, and forgets it.
    pub(crate) fn take(&self, link: Fingerprint) -> Option<Arc<str>> {
        let mut ages = self.lock();
        let found = ages.now.remove(&link.url());
        found.or_else(|| ages.before.remove(&link.url()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_are_never_fetched_make_room_for_later_ones() {
        let mut ages = Ages::default();
        let page: Arc<str> = "http://e.org/".into();
        for link in 0..3 * MOST as u64 {
            ages.insert(link, Arc::clone(&page));
            assert!(ages.now.len() + ages.before.len() <= MOST);
        }
        let last = 3 * MOST as u64 - 1;
        assert!(ages.now.contains_key(&last));
        assert!(!ages.now.contains_key(&0) && !ages.before.contains_key(&0));
    }
}
