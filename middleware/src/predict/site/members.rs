//! The pages that have a content.
//!
//! Kept are the first page, and a few more that change: most contents have only one page.

use rustc_hash::FxHashMap;

use super::{ClusterId, push_tightly};
use crate::heap::of_map;

/// Pages of a content beside its first with which a newcomer is compared by URL.
pub(super) const MORE: usize = 5;
/// No page.
const NONE: u32 = u32::MAX;

/// Pages by content.
#[derive(Debug, Default)]
pub(super) struct Members {
    first: Vec<u32>,
    more: FxHashMap<ClusterId, [u32; MORE]>,
}

impl Members {
    /// The pages known of a content.
    pub(super) fn of(&self, cluster: ClusterId) -> impl Iterator<Item = u32> {
        let more = self.more.get(&cluster).copied().unwrap_or([NONE; MORE]);
        let first = self.first.get(cluster as usize).copied();
        first.into_iter().chain(more).filter(|page| *page != NONE)
    }

    /// Adds a page. Where there are as many as are kept, it takes the place of another if it `is_telling`: so
    /// new kinds of aliases find a near relative.
    pub(super) fn add(&mut self, cluster: ClusterId, page: u32, is_telling: bool) {
        if cluster as usize >= self.first.len() {
            push_tightly(&mut self.first, page);
            return;
        }
        let more = self.more.entry(cluster).or_insert([NONE; MORE]);
        if let Some(free) = more.iter_mut().find(|page| **page == NONE) {
            *free = page;
        } else if is_telling {
            more[page as usize % MORE] = page;
        }
    }

    /// Puts a page back that was read: as the first of its content, if it is; `None` where contents come up out
    /// of order.
    pub(super) fn restore_first(&mut self, cluster: ClusterId, page: u32) -> Option<()> {
        if cluster as usize == self.first.len() {
            push_tightly(&mut self.first, page);
        }
        ((cluster as usize) < self.first.len()).then_some(())
    }

    /// All pages beside the first ones.
    pub(super) fn all_more(&self) -> impl Iterator<Item = (ClusterId, [u32; MORE])> {
        self.more.iter().map(|(cluster, more)| (*cluster, *more))
    }

    /// Takes back what was [all more](Self::all_more) of a content.
    pub(super) fn put_more(&mut self, cluster: ClusterId, more: [u32; MORE]) {
        self.more.insert(cluster, more);
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.first.capacity() * size_of::<u32>() + of_map(&self.more)
    }
}
