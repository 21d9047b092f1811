//! Counters of what was found, dropped, fetched and saved.
//!
//! Always: offered = admitted + known + dropped. Saved means saved against a plain crawler: one that dedupes on the
//! exact URL without fragment, has the same scope and validity, follows the same links and has no filters. So `saved`
//! counts distinct spellings that a plain crawler would have fetched and this one did not (and did not take back from
//! the ledger since). Links that came back wait to be fetched, and count as plain all along: that figure never falls
//! because links come back.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Dropped;

/// Counters of one host or of a whole crawl; they survive restarts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Links offered.
    pub offered: u64,
    /// Of these: exact spelling already known.
    pub known: u64,
    /// Of these: queued.
    pub admitted: u64,
    /// Of these: dropped at discovery, by stage and reason code.
    pub dropped: BTreeMap<String, BTreeMap<String, u64>>,
    /// Links dropped while they waited in the queue, by stage and reason code.
    pub dropped_waiting: BTreeMap<String, BTreeMap<String, u64>>,
    /// Fetches saved against a plain crawler, by stage.
    pub saved_by: BTreeMap<String, u64>,
    /// URLs fetched, redirects and broken ones included, each once.
    pub fetched: u64,
    /// Of these: answered with a redirect.
    pub redirected: u64,
    /// Of these: answered with a final status that is not 2xx.
    pub broken: u64,
    /// Of these: fetched to test a belief.
    pub explored: u64,
    /// Of the explored: known to have been duplicates.
    pub explored_duplicates: u64,
    /// Of the explored: known to have brought something new.
    pub explored_new: u64,
    /// Of the explored that were duplicates: explored for a belief that has fallen since and whose drops were taken
    /// back.
    pub withdrawn_duplicates: u64,
    /// The same for those that brought something new.
    pub withdrawn_new: u64,
    /// Of the explored that were duplicates: explored for a belief that has not fallen since, but none of whose drops on the host
    /// stands now. All came back, as when a budget opens, or there were none yet.
    pub idle_duplicates: u64,
    /// The same for those that brought something new.
    pub idle_new: u64,
    /// Pages whose content was not met before, as the stages tell, by the measure they drop links by.
    pub contents_new: u64,
    /// Pages whose content was met before. The other pages could not be judged.
    pub contents_known: u64,
    /// Leases that ended without a usable answer, by failure code.
    pub failed: BTreeMap<String, u64>,
    /// Fetches repeated after a failure.
    pub retried: u64,
    /// Second answers that were asked for because a stage wanted them ([`Frontier::wants_refetch`](crate::Frontier::wants_refetch)). These
    /// fetches are not in `fetched`.
    pub refetched: u64,
    /// Links taken back from the ledger.
    pub recalled: u64,
    /// Of these: still in the queue, no longer saved and not yet fetched.
    pub waiting_again: u64,
    /// Links that were taken back from the ledger and then fetched, whatever came of it.
    pub returned: u64,
    /// Of these: their pages have known contents, as the stages tell, by the measure they drop links by.
    pub returned_known: u64,
    /// Of these: their pages brought new content. The others could not be judged: they redirected, failed, or have too little text.
    pub returned_new: u64,
    /// Bytes of bodies after decompression.
    pub bytes: u64,
}

impl Counts {
    /// Fetches saved against a plain crawler.
    pub fn saved(&self) -> u64 {
        self.saved_by.values().sum()
    }

    /// What a plain crawler would have fetched of the links found so far: what was fetched, was saved, or came back
    /// from the ledger to be fetched. Links that wait for the first time are left out.
    pub fn plain(&self) -> u64 {
        self.fetched + self.saved() + self.waiting_again
    }

    /// What was explored for beliefs whose drops stand: the duplicates, and all that could be judged. The ratio of the
    /// two estimates the share of these drops that is right. What fallen beliefs dropped is fetched after all, so that
    /// what was explored for them says nothing about what is dropped. The same holds for a budget that opened, until it
    /// drops links again.
    pub const fn explored_of_standing(&self) -> (u64, u64) {
        let duplicates = self
            .explored_duplicates
            .saturating_sub(self.withdrawn_duplicates + self.idle_duplicates);
        let new = self
            .explored_new
            .saturating_sub(self.withdrawn_new + self.idle_new);
        (duplicates, duplicates + new)
    }

    /// Of the explored: judged, but left out of [`explored_of_standing`](Self::explored_of_standing).
    pub const fn explored_apart(&self) -> u64 {
        self.withdrawn_duplicates + self.withdrawn_new + self.idle_duplicates + self.idle_new
    }

    /// Links dropped at discovery, over all stages and reasons.
    pub fn dropped_total(&self) -> u64 {
        self.dropped.values().flat_map(BTreeMap::values).sum()
    }

    /// Whether every link offered is accounted for.
    pub fn is_balanced(&self) -> bool {
        self.offered == self.admitted + self.known + self.dropped_total()
    }

    pub(crate) fn count(
        table: &mut BTreeMap<String, BTreeMap<String, u64>>,
        stage: &str,
        code: &str,
    ) {
        if let Some(n) = table.get_mut(stage).and_then(|codes| codes.get_mut(code)) {
            *n += 1;
        } else {
            *table
                .entry(stage.to_owned())
                .or_default()
                .entry(code.to_owned())
                .or_default() += 1;
        }
    }

    /// A link leaves the queue, fetched or dropped; `again` where it had come back from the ledger.
    pub(crate) fn waits_no_more(&mut self, again: bool) {
        // Stores of earlier versions did not count what came back.
        self.waiting_again = self.waiting_again.saturating_sub(u64::from(again));
    }

    /// Counts a drop of a link that waited; `again` where it had come back from the ledger.
    pub(crate) fn count_dropped_waiting(&mut self, dropped: &Dropped, again: bool) {
        let code = dropped.reason.code();
        Self::count(&mut self.dropped_waiting, dropped.stage, code);
        self.count_saved(dropped.stage);
        self.waits_no_more(again);
    }

    pub(crate) fn count_saved(&mut self, stage: &str) {
        if let Some(n) = self.saved_by.get_mut(stage) {
            *n += 1;
        } else {
            self.saved_by.insert(stage.to_owned(), 1);
        }
    }

    pub(crate) fn uncount_saved(&mut self, stage: &str) {
        if let Some(n) = self.saved_by.get_mut(stage) {
            *n = n.saturating_sub(1);
            if *n == 0 {
                self.saved_by.remove(stage);
            }
        }
    }
}

/// What came of acting on one belief; survives restarts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BeliefCounts {
    /// Links dropped on its word, at discovery or while they waited.
    #[serde(skip_serializing_if = "is_zero")]
    pub dropped: u64,
    /// Of the links it would have dropped: fetched to test it.
    #[serde(skip_serializing_if = "is_zero")]
    pub explored: u64,
    /// Of the explored: known to have been duplicates.
    #[serde(skip_serializing_if = "is_zero")]
    pub explored_duplicates: u64,
    /// Of the explored: known to have brought something new.
    #[serde(skip_serializing_if = "is_zero")]
    pub explored_new: u64,
    /// Of the explored that were duplicates: explored before the belief last fell.
    #[serde(skip_serializing_if = "is_zero")]
    pub withdrawn_duplicates: u64,
    /// The same for those that brought something new.
    #[serde(skip_serializing_if = "is_zero")]
    pub withdrawn_new: u64,
    /// Of the explored that were duplicates: explored since the belief last fell, if none of its drops stands.
    #[serde(skip_serializing_if = "is_zero")]
    pub idle_duplicates: u64,
    /// The same for those that brought something new.
    #[serde(skip_serializing_if = "is_zero")]
    pub idle_new: u64,
    /// Whether it fell, and has dropped nothing since.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fallen: bool,
    /// Of the dropped: taken back from the ledger.
    #[serde(skip_serializing_if = "is_zero")]
    pub recalled: u64,
    /// An upper bound on the links that were fetched because the belief was untried and whose results are not back yet.
    #[serde(skip_serializing_if = "is_zero")]
    pub first_probes: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a function of a reference"
)]
const fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl BeliefCounts {
    /// Counts what came of links that were explored. Chosen before it fell, they tell nothing of what is dropped now.
    pub(crate) fn count_verdict(&mut self, duplicates: u64, new: u64) {
        let late = u64::from(self.fallen);
        self.explored_duplicates += duplicates;
        self.explored_new += new;
        self.withdrawn_duplicates += late * duplicates;
        self.withdrawn_new += late * new;
    }

    /// Counts a drop: whoever drops stands.
    pub(crate) const fn count_drop(&mut self) {
        self.dropped += 1;
        self.fallen = false;
    }
}

impl std::ops::AddAssign for BeliefCounts {
    fn add_assign(&mut self, other: Self) {
        self.dropped += other.dropped;
        self.explored += other.explored;
        self.explored_duplicates += other.explored_duplicates;
        self.explored_new += other.explored_new;
        self.withdrawn_duplicates += other.withdrawn_duplicates;
        self.withdrawn_new += other.withdrawn_new;
        self.idle_duplicates += other.idle_duplicates;
        self.idle_new += other.idle_new;
        self.fallen |= other.fallen;
        self.recalled += other.recalled;
        self.first_probes += other.first_probes;
    }
}

/// A snapshot of the counters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stats {
    /// All hosts together.
    pub total: Counts,
    /// The counters of each host, by the host that the links are on.
    pub hosts: BTreeMap<String, Counts>,
    /// Links waiting or being fetched.
    pub queued: u64,
    /// Links in the ledger.
    pub ledger: u64,
    /// Links that the full ledger could not keep.
    pub ledger_overflow: u64,
    /// Fingerprints in the seen-set.
    pub seen: u64,
    /// Links that could not be fetched and may be available another day, except those that are already queued again by
    /// [`LocalFrontier::retry_failed`](crate::LocalFrontier::retry_failed).
    pub to_retry: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_belief_that_drops_again_stands_and_what_was_explored_before_its_fall_stays_apart() {
        let mut counts = BeliefCounts {
            explored_new: 2,
            withdrawn_new: 2,
            fallen: true,
            ..BeliefCounts::default()
        };
        counts.count_drop();
        assert!(!counts.fallen && counts.dropped == 1 && counts.withdrawn_new == 2);
        let total = Counts {
            explored_duplicates: 9,
            explored_new: 3,
            withdrawn_duplicates: 4,
            withdrawn_new: 2,
            ..Counts::default()
        };
        assert_eq!(total.explored_of_standing(), (5, 6));
    }
}
