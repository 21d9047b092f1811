//! Processes that end between two commits, and what is fetched until nothing is left.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use nodust_frontier::{
    BeliefId, Commit, Fingerprint, Frontier, HostKey, Ledger, LedgerEntry, LocalFrontier,
    MemoryStore, Queue, Queued, SeenAs, SeenStore, StateStore, Store, StoreError, Ticket, Turn,
    frontier::Open,
};

use crate::common::page;

/// A store that takes no further commit once its days are numbered and over, as after a kill.
#[derive(Debug)]
pub(crate) struct Mortal {
    inner: MemoryStore,
    pub(crate) days: AtomicU64,
}

impl Mortal {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            inner: MemoryStore::default(),
            days: AtomicU64::new(u64::MAX),
        })
    }
}

impl SeenStore for Mortal {
    fn lookup(
        &self,
        keys: &[Fingerprint],
        found: &mut Vec<Option<SeenAs>>,
    ) -> Result<(), StoreError> {
        self.inner.lookup(keys, found)
    }
    fn seen_len(&self) -> u64 {
        self.inner.seen_len()
    }
}

impl Queue for Mortal {
    fn take(&self, host: &HostKey) -> Result<Option<(Ticket, Queued)>, StoreError> {
        self.inner.take(host)
    }
    fn put_back(&self, ticket: &Ticket) {
        self.inner.put_back(ticket);
    }
    fn hosts(&self) -> Result<Vec<HostKey>, StoreError> {
        self.inner.hosts()
    }
    fn queue_len(&self) -> u64 {
        self.inner.queue_len()
    }
}

impl Ledger for Mortal {
    fn dropped_by(
        &self,
        host: &HostKey,
        belief: BeliefId,
        limit: usize,
    ) -> Result<Vec<LedgerEntry>, StoreError> {
        self.inner.dropped_by(host, belief, limit)
    }
    fn dropped_in_class(
        &self,
        host: &HostKey,
        class: Fingerprint,
        limit: usize,
    ) -> Result<Vec<LedgerEntry>, StoreError> {
        self.inner.dropped_in_class(host, class, limit)
    }
    fn ledger_scan(
        &self,
        each: &mut dyn FnMut(&HostKey, LedgerEntry) -> bool,
    ) -> Result<(), StoreError> {
        self.inner.ledger_scan(each)
    }
    fn ledger_len(&self) -> u64 {
        self.inner.ledger_len()
    }
    fn ledger_overflow(&self) -> u64 {
        self.inner.ledger_overflow()
    }
}

impl StateStore for Mortal {
    fn state(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.inner.state(key)
    }
    fn state_scan(
        &self,
        prefix: &str,
        each: &mut dyn FnMut(&str, &[u8]),
    ) -> Result<(), StoreError> {
        self.inner.state_scan(prefix, each)
    }
}

impl Store for Mortal {
    fn commit(&self, commit: Commit) -> Result<(), StoreError> {
        let left = self
            .days
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |days| {
                days.checked_sub(1)
            });
        match left {
            Ok(_) => self.inner.commit(commit),
            Err(_) => Err(StoreError::Io {
                operation: "live on",
                source: "killed".into(),
            }),
        }
    }
    fn flush(&self) -> Result<(), StoreError> {
        self.inner.flush()
    }
}

pub(crate) fn fetch_all(frontier: &LocalFrontier) -> BTreeSet<String> {
    let mut fetched = BTreeSet::new();
    while let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open).unwrap() {
        fetched.insert(lease.url().as_str().to_owned());
        frontier
            .observe(lease, &page(&[]), &mut Vec::new())
            .unwrap();
    }
    fetched
}
