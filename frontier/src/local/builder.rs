//! Builds a frontier.

use std::{
    fmt,
    sync::{Arc, Mutex, RwLock, atomic::AtomicU64},
    time::Instant,
};

use super::{
    Inner, LocalFrontier, back::new_giver, chances::Chances, rotation::Rotation, tally::Tally,
    unanswered::Unanswered, under_way::UnderWay,
};
use crate::{
    Chain, DecisionSink, Exploration, FrontierError, MemoryStore, Store, chain::state_prefix,
};

/// Rows of the cache of out-of-reach links (32 bytes each).
const RECENT_ROWS: usize = 1 << 16;

/// Builds a [`LocalFrontier`].
#[must_use = "call `build`"]
pub struct LocalFrontierBuilder {
    chain: Chain,
    store: Arc<dyn Store>,
    exploration: Exploration,
    sink: Option<Arc<dyn DecisionSink>>,
    max_redirects: u8,
    only_looks: bool,
    forgets_state: bool,
}

impl fmt::Debug for LocalFrontierBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalFrontierBuilder")
            .field("chain", &self.chain)
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}

impl LocalFrontierBuilder {
    pub(super) fn new(chain: Chain) -> Self {
        Self {
            chain,
            store: Arc::new(MemoryStore::default()),
            exploration: Exploration::default(),
            sink: None,
            max_redirects: 10,
            only_looks: false,
            forgets_state: true,
        }
    }

    /// Sets where everything is kept. Default: in memory, for this frontier alone; the stages then write nothing of
    /// what they learn.
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = store;
        self.forgets_state = false;
        self
    }

    /// Sets which believed duplicates are fetched all the same. Default: 5 %, seed 0.
    pub fn exploration(mut self, exploration: Exploration) -> Self {
        self.exploration = exploration;
        self
    }

    /// Sets the sink that is told every drop.
    pub fn sink(mut self, sink: Arc<dyn DecisionSink>) -> Self {
        self.sink = Some(sink);
        self
    }

    /// Sets the largest number of redirects followed in a row. Default: 10.
    pub fn max_redirects(mut self, most: u8) -> Self {
        self.max_redirects = most;
        self
    }

    /// Makes the frontier one that is only asked ([`explain`](crate::Frontier::explain)): building it writes nothing,
    /// and a withdrawal that an earlier process began stays unfinished.
    pub fn only_looks(mut self) -> Self {
        self.only_looks = true;
        self
    }

    /// Builds the frontier, restores what the stages learned in an earlier run, and schedules the hosts that have links
    /// waiting.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn build(self) -> Result<LocalFrontier, FrontierError> {
        let mut not_restored = 0;
        for stage in self.chain.stages() {
            let prefix = state_prefix(stage.name());
            self.store.state_scan(&prefix, &mut |key, value| {
                if let Err(why) = stage.restore(&key[prefix.len()..], value) {
                    not_restored += 1;
                    tracing::warn!(stage = stage.name(), key, "state not restored: {why}");
                }
            })?;
            for why in stage.restored() {
                not_restored += 1;
                tracing::warn!(stage = stage.name(), "state not restored: {why}");
            }
        }
        let mut rotation = Rotation::default();
        let now = Instant::now();
        let mut hosts = self.store.hosts()?;
        hosts.sort_unstable();
        for host in hosts {
            rotation.wake(&host, now);
        }
        let frontier = LocalFrontier {
            inner: Mutex::new(Inner {
                rotation,
                tally: Tally::load(&*self.store)?,
                recent: vec![[0; 4]; RECENT_ROWS],
                chances: Chances::load(&*self.store)?,
                under_way: UnderWay::default(),
                unanswered: Unanswered::load(&*self.store)?,
                is_out_of_step: false,
            }),
            chain: self.chain,
            store: self.store,
            exploration: self.exploration,
            sink: self.sink,
            max_redirects: self.max_redirects,
            batches: Mutex::default(),
            observing: RwLock::default(),
            observed: AtomicU64::default(),
            forgets_state: self.forgets_state,
            not_restored,
            giver: new_giver(),
        };
        if !self.only_looks {
            let recalled = || frontier.totals().total.recalled;
            let before = recalled();
            frontier.finish_withdrawals()?;
            // What stages were told in an earlier run may not hold in this one.
            frontier.checkpoint()?;
            frontier.recall_orphans()?;
            let back = recalled().saturating_sub(before);
            if back > 0 {
                tracing::info!(
                    links = back,
                    "dropped in earlier runs, and back in the queue: what they were dropped by, or leaned on, does not hold any more, or is \
                     tested anew since other rules hold"
                );
            }
        }
        Ok(frontier)
    }
}
