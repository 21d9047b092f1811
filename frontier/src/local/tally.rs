//! Counters that are committed with the page that moved them.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::{Commit, HostKey, Stats, Store, StoreError, stats::Counts};

const TOTAL_KEY: &str = "frontier/total";
const HOST_PREFIX: &str = "frontier/host/";

/// Hosts whose counters are kept in memory; the store has the rest.
const HOSTS_IN_MEMORY: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct Tally {
    total: Counts,
    hosts: FxHashMap<HostKey, Counts>,
    dirty: Vec<HostKey>,
}

impl Tally {
    pub(super) fn load(store: &dyn Store) -> Result<Self, StoreError> {
        let total = store.state(TOTAL_KEY)?;
        Ok(Self {
            total: total
                .map(|bytes| read(TOTAL_KEY, &bytes))
                .unwrap_or_default(),
            ..Self::default()
        })
    }

    pub(super) fn total(&self) -> &Counts {
        &self.total
    }

    /// Moves the counters of a host and the total alike.
    pub(super) fn count(
        &mut self,
        store: &dyn Store,
        host: &HostKey,
        change: impl Fn(&mut Counts),
    ) -> Result<(), StoreError> {
        change(&mut self.total);
        if let Some(counts) = self.hosts.get_mut(host) {
            change(counts);
        } else {
            let key = host_key(host);
            let mut counts: Counts = store
                .state(&key)?
                .map(|bytes| read(&key, &bytes))
                .unwrap_or_default();
            change(&mut counts);
            self.hosts.insert(host.clone(), counts);
        }
        if !self.dirty.contains(host) {
            self.dirty.push(host.clone());
        }
        Ok(())
    }

    /// Moves only the total: for links that have no host.
    pub(super) fn count_hostless(&mut self, change: impl Fn(&mut Counts)) {
        change(&mut self.total);
    }

    /// Adds what moved to a commit.
    pub(super) fn write(&mut self, commit: &mut Commit) {
        for host in self.dirty.drain(..) {
            if let Some(counts) = self.hosts.get(&host) {
                commit.state.push((host_key(&host), Some(bytes_of(counts))));
            }
        }
        commit
            .state
            .push((TOTAL_KEY.to_owned(), Some(bytes_of(&self.total))));
        if self.hosts.len() > HOSTS_IN_MEMORY {
            self.hosts.clear();
        }
    }

    /// Sizes of the store, without counters.
    pub(super) fn sizes(store: &dyn Store) -> Stats {
        Stats {
            queued: store.queue_len(),
            ledger: store.ledger_len(),
            ledger_overflow: store.ledger_overflow(),
            seen: store.seen_len(),
            ..Stats::default()
        }
    }

    /// What the store knows.
    pub(super) fn snapshot(store: &dyn Store) -> Result<Stats, StoreError> {
        let mut hosts = BTreeMap::new();
        store.state_scan(HOST_PREFIX, &mut |key, bytes| {
            hosts.insert(key[HOST_PREFIX.len()..].to_owned(), read(key, bytes));
        })?;
        let total = store.state(TOTAL_KEY)?;
        Ok(Stats {
            total: total
                .map(|bytes| read(TOTAL_KEY, &bytes))
                .unwrap_or_default(),
            hosts,
            ..Self::sizes(store)
        })
    }
}

fn host_key(host: &HostKey) -> String {
    format!("{HOST_PREFIX}{host}")
}

fn bytes_of(counts: &Counts) -> Vec<u8> {
    serde_json::to_vec(counts).expect("counters are maps and numbers, which JSON can hold")
}

fn read(key: &str, bytes: &[u8]) -> Counts {
    serde_json::from_slice(bytes).unwrap_or_else(|why| {
        tracing::warn!(key, "counters not readable, counting from zero: {why}");
        Counts::default()
    })
}

impl Stats {
    /// Reads the counters of a store without building a frontier.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn of_store(store: &dyn Store) -> Result<Self, StoreError> {
        Tally::snapshot(store)
    }
}
