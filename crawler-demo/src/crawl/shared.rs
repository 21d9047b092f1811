//! What all tasks of a crawl share.

use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use nodust_frontier::{Fingerprint, FrontierError};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use super::{CrawlError, fates::Fates, in_order::InOrder, unread::Unread};
use crate::{
    CrawlConfig, admission::Border, fetch::Fetcher, politeness::Politeness, records::Decisions,
    report::Ending, robots::Robots,
};

/// Counters of this run.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) pages: AtomicU64,
    pub(crate) sitemap_requests: AtomicU64,
    pub(super) nofollow_links: AtomicU64,
    pub(crate) links_over_limit: AtomicU64,
}

/// What all tasks of a crawl share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) config: CrawlConfig,
    pub(crate) border: Border,
    pub(crate) politeness: Arc<Politeness>,
    pub(crate) fetcher: Fetcher,
    pub(crate) robots: Robots,
    pub(super) decisions: Arc<Decisions>,
    pub(crate) places: Arc<Semaphore>,
    /// Those of requests that wait without a place for a server to answer.
    pub(super) long_waits: Arc<Semaphore>,
    /// In which order pages are observed, where several of a host are asked for at the same time.
    pub(super) in_order: Option<InOrder>,
    /// Places of pages that are observed and not yet durable: a kill now would have them fetched again,
    /// so they still count as under way.
    pub(super) not_durable: Mutex<Vec<OwnedSemaphorePermit>>,
    /// Something changed that the loop may be waiting for.
    pub(crate) wake: Notify,
    pub(crate) stop: CancellationToken,
    pub(super) ending: OnceLock<Ending>,
    pub(super) failure: Mutex<Option<CrawlError>>,
    /// The first URL of this run that was given up, and why.
    pub(super) first_failure: OnceLock<String>,
    /// What came of the first URLs of this run, as long as no page came.
    pub(super) fates: Fates,
    /// Pages of earlier runs that the log lacks, if there is one.
    pub(super) not_in_log: Option<u64>,
    pub(super) leases: AtomicUsize,
    /// Pages that may still be begun.
    pub(super) budget: AtomicU64,
    /// Tries that may still fail and be made again without counting as pages.
    pub(super) free_tries: AtomicU64,
    pub(super) counters: Counters,
    /// Links whose fetch was told, and which failed since: a further try is told no second time.
    pub(super) told: Mutex<HashSet<Fingerprint>>,
    /// Sitemaps to read.
    pub(super) sitemaps: mpsc::UnboundedSender<Unread>,
}

impl Shared {
    pub(crate) fn count(&self, counter: impl Fn(&Counters) -> &AtomicU64, by: u64) {
        counter(&self.counters).fetch_add(by, Ordering::Relaxed);
    }

    /// Whether a page may still be begun.
    pub(crate) fn has_budget(&self) -> bool {
        self.budget.load(Ordering::Relaxed) > 0
    }

    /// Lets another page be begun in place of one that was none.
    pub(super) fn give_back(&self) {
        self.budget.fetch_add(1, Ordering::Relaxed);
    }

    /// Lets another page be begun in place of a try that failed and is made again. A host on which all fail would be asked without
    /// end for a few pages, so beyond as many as there may be pages they count.
    pub(super) fn give_back_try(&self) {
        let one_less = |tries: u64| tries.checked_sub(1);
        let taken = (self.free_tries).fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
        if taken.is_ok() {
            self.give_back();
        }
    }

    /// Whether no page may be begun any more, whatever comes of those under way.
    pub(crate) fn is_used_up(&self) -> bool {
        !self.has_budget() && self.leases.load(Ordering::Relaxed) == 0
    }

    /// Gives the place of an observed page back, once the page is durable. With a store, this keeps what
    /// a kill has fetched again within the requests at the same time.
    pub(super) async fn observed(&self, place: OwnedSemaphorePermit) -> Result<(), CrawlError> {
        if self.config.store.is_none() {
            return Ok(());
        }
        let durable = {
            let mut places = lock(&self.not_durable);
            places.push(place);
            if places.len() < self.config.concurrency.div_ceil(4) {
                return Ok(());
            }
            std::mem::take(&mut *places)
        };
        self.border.sync().await?;
        drop(durable);
        self.wake.notify_one();
        Ok(())
    }

    /// Makes store and files durable.
    pub(super) async fn flush(&self) -> Result<(), CrawlError> {
        let durable = std::mem::take(&mut *lock(&self.not_durable));
        self.border.flush().await?;
        drop(durable);
        self.wake.notify_one();
        Ok(())
    }

    pub(super) fn end(&self, why: Ending) {
        let _ = self.ending.set(why);
        self.stop.cancel();
    }

    pub(super) fn fail(&self, error: CrawlError) {
        let mut failure = lock(&self.failure);
        *failure = Some(cause_of(failure.take(), error));
        drop(failure);
        self.stop.cancel();
    }
}

/// Which of two failures is told: the first, unless that is but what the other led to, met by somebody else meanwhile.
fn cause_of(first: Option<CrawlError>, next: CrawlError) -> CrawlError {
    match first {
        None | Some(CrawlError::Frontier(FrontierError::OutOfStep)) => next,
        Some(first) => first,
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn what_stopped_the_frontier_is_told_and_not_that_it_stands_still() {
        let full = || CrawlError::Records(io::ErrorKind::StorageFull.into());
        let stands_still = || CrawlError::from(FrontierError::OutOfStep);
        for (first, next) in [(full(), stands_still()), (stands_still(), full())] {
            let told = cause_of(Some(cause_of(None, first)), next);
            assert!(matches!(told, CrawlError::Records(_)), "{told}");
        }
    }
}
