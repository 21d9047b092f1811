//! Which page led to this one?
//!
//! Only the log asks, so nothing of it is in the store: what is remembered is bounded and ends with the
//! run, and a page whose referer is not remembered has none in the log.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nodust_frontier::{Decision, Fingerprint};
use rustc_hash::FxHashMap;

/// Links whose page is remembered: at 32 octets each and a page's URL for all of its links, some 10 to 30
/// MB. Links found when so many wait have no referer.
const MOST: usize = 1 << 18;

/// The pages on which waiting links were found.
#[derive(Debug, Default)]
pub(crate) struct Referers(Mutex<FxHashMap<u64, Arc<str>>>);

impl Referers {
    /// Guards the table; never held across an await.
    fn lock(&self) -> MutexGuard<'_, FxHashMap<u64, Arc<str>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers where the admitted ones of these links were found.
    pub(crate) fn found(&self, page: &str, decisions: &[Decision]) {
        let mut name: Option<Arc<str>> = None;
        let mut map = None;
        for decision in decisions {
            if let Decision::Admitted(link) = decision {
                let map = map.get_or_insert_with(|| self.lock());
                if map.len() >= MOST {
                    return;
                }
                let page = name.get_or_insert_with(|| page.into());
                map.insert(link.key.url(), Arc::clone(page));
            }
        }
    }

    /// Where a link was found, and forgets it.
    pub(crate) fn take(&self, link: Fingerprint) -> Option<Arc<str>> {
        self.lock().remove(&link.url())
    }
}
