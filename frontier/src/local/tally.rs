//! Counters that are committed with the page that changed them.

use std::{
    collections::{BTreeMap, hash_map::Entry},
    hash::Hash,
};

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Serialize, de::DeserializeOwned};

use super::unanswered::Unanswered;
use crate::{
    BeliefCounts, BeliefId, Commit, HostKey, Stats, Store, StoreError, Ticket, Untried,
    stats::Counts,
};

const TOTAL_KEY: &str = "frontier/total";
const HOST_PREFIX: &str = "frontier/host/";
/// What beliefs did, by belief and then host: one belief may speak for many hosts.
const BELIEF_PREFIX: &str = "frontier/belief/";

/// Hosts whose counters are kept in memory; the store has the rest. As many pairs of belief and host.
const HOSTS_IN_MEMORY: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct Tally {
    total: Counts,
    hosts: FxHashMap<HostKey, Counts>,
    dirty: Dirty<HostKey>,
    beliefs: FxHashMap<(BeliefId, HostKey), BeliefCounts>,
    dirty_beliefs: Dirty<(BeliefId, HostKey)>,
    /// Links that were chosen to be explored when they were leased, and for which belief: after a restart they wait again as they
    /// did, so that no store counts them as under way.
    chosen: FxHashMap<Ticket, (BeliefId, HostKey)>,
}

/// What is still to be written, each once, in the order in which it moved.
#[derive(Debug)]
struct Dirty<T> {
    order: Vec<T>,
    known: FxHashSet<T>,
}

impl<T> Default for Dirty<T> {
    fn default() -> Self {
        Self {
            order: Vec::new(),
            known: FxHashSet::default(),
        }
    }
}

impl<T: Clone + Eq + Hash> Dirty<T> {
    fn note(&mut self, one: &T) {
        // Mostly it is that of the link before.
        if self.order.last() != Some(one) && self.known.insert(one.clone()) {
            self.order.push(one.clone());
        }
    }

    fn take(&mut self) -> Vec<T> {
        self.known.clear();
        std::mem::take(&mut self.order)
    }
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

    /// The counters of a host.
    pub(super) fn of_host(&self, store: &dyn Store, host: &HostKey) -> Result<Counts, StoreError> {
        if let Some(counts) = self.hosts.get(host) {
            return Ok(counts.clone());
        }
        let key = host_key(host);
        let stored = store.state(&key)?;
        Ok(stored.map(|bytes| read(&key, &bytes)).unwrap_or_default())
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
            let mut counts = self.of_host(store, host)?;
            change(&mut counts);
            self.hosts.insert(host.clone(), counts);
        }
        self.dirty.note(host);
        Ok(())
    }

    /// Moves the counters of a belief on a host; static normalization has none.
    pub(super) fn count_belief(
        &mut self,
        store: &dyn Store,
        belief: BeliefId,
        host: &HostKey,
        change: impl FnOnce(&mut BeliefCounts),
    ) -> Result<(), StoreError> {
        if belief == BeliefId::STATIC {
            return Ok(());
        }
        let name = (belief, host.clone());
        let counts = self.belief(store, &name)?;
        let before = Apart::counted(counts);
        change(counts);
        let now = Apart::count(counts);
        self.dirty_beliefs.note(&name);
        if now == before {
            return Ok(());
        }
        self.count(store, host, |counts| now.move_in(counts, before))
    }

    /// Whether a belief has fallen on a host, and nothing was dropped by it since.
    pub(super) fn has_fallen(
        &mut self,
        store: &dyn Store,
        belief: BeliefId,
        host: &HostKey,
    ) -> Result<bool, StoreError> {
        Ok(belief != BeliefId::STATIC && self.belief(store, &(belief, host.clone()))?.fallen)
    }

    /// What is counted of a belief on a host.
    fn belief(
        &mut self,
        store: &dyn Store,
        name: &(BeliefId, HostKey),
    ) -> Result<&mut BeliefCounts, StoreError> {
        let counts = match self.beliefs.entry(name.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let key = belief_key(name.0, &name.1);
                let stored = store.state(&key)?;
                place.insert(stored.map(|bytes| read(&key, &bytes)).unwrap_or_default())
            }
        };
        Ok(counts)
    }

    /// Whether one more probe is made for a belief that nothing was tried of on a host; if so, it is under way. `ticket`: the entry
    /// of the queue that it is chosen for as it is leased.
    pub(super) fn begins_probe(
        &mut self,
        store: &dyn Store,
        (untried, host): (&Untried, &HostKey),
        ticket: Option<&Ticket>,
    ) -> Result<bool, StoreError> {
        let name = (untried.belief, host.clone());
        let of_it = self.chosen.values().filter(|chosen| **chosen == name);
        let chosen = of_it.count() as u64;
        let counts = self.belief(store, &name)?;
        let is_one =
            counts.first_probes + chosen < untried.at_once && counts.explored < untried.most;
        match ticket {
            Some(ticket) if is_one => {
                self.chosen.insert(ticket.clone(), name);
            }
            None if is_one => self.count_belief(store, untried.belief, host, |counts| {
                counts.first_probes += 1;
            })?,
            _ => {}
        }
        Ok(is_one)
    }

    /// Notes that a probe for a belief is no longer under way, whatever came of it.
    pub(super) fn is_back(
        &mut self,
        store: &dyn Store,
        belief: BeliefId,
        ticket: &Ticket,
    ) -> Result<(), StoreError> {
        if self.chosen.remove(ticket).is_some() {
            return Ok(());
        }
        self.count_belief(store, belief, &ticket.host, |counts| {
            counts.first_probes = counts.first_probes.saturating_sub(1);
        })
    }

    /// Notes that a belief has fallen: what was explored for it tells nothing of what is still dropped.
    pub(super) fn withdraw(
        &mut self,
        store: &dyn Store,
        belief: BeliefId,
    ) -> Result<(), StoreError> {
        let mut hosts = hosts_of_belief(store, belief, |_| true)?;
        // The counters of the page at hand are not in the store yet.
        let moved = self.beliefs.keys().filter(|(of, _)| *of == belief);
        hosts.extend(moved.map(|(_, host)| host.clone()));
        hosts.sort_unstable();
        hosts.dedup();
        for host in hosts {
            self.count_belief(store, belief, &host, |counts| {
                counts.fallen = true;
                counts.withdrawn_duplicates = counts.explored_duplicates;
                counts.withdrawn_new = counts.explored_new;
            })?;
        }
        Ok(())
    }

    /// Moves only the total: for links that have no host.
    pub(super) fn count_hostless(&mut self, change: impl Fn(&mut Counts)) {
        change(&mut self.total);
    }

    /// Adds what moved to a commit.
    pub(super) fn write(&mut self, commit: &mut Commit) {
        for host in self.dirty.take() {
            if let Some(counts) = self.hosts.get(&host) {
                commit.state.push((host_key(&host), Some(bytes_of(counts))));
            }
        }
        for name in self.dirty_beliefs.take() {
            if let Some(counts) = self.beliefs.get(&name) {
                let (belief, host) = &name;
                commit
                    .state
                    .push((belief_key(*belief, host), Some(bytes_of(counts))));
            }
        }
        if self.beliefs.len() > HOSTS_IN_MEMORY {
            self.beliefs.clear();
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

/// What was explored for a belief on a host, and tells nothing of what is dropped: duplicates and others.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Apart {
    /// Explored before it fell.
    fallen: [u64; 2],
    /// Explored since, while nothing of what it dropped stands: what came back may be dropped again.
    idle: [u64; 2],
}

impl Apart {
    /// As it is counted so far.
    const fn counted(counts: &BeliefCounts) -> Self {
        Self {
            fallen: [counts.withdrawn_duplicates, counts.withdrawn_new],
            idle: [counts.idle_duplicates, counts.idle_new],
        }
    }

    /// As it is, and is counted from now on.
    fn count(counts: &mut BeliefCounts) -> Self {
        let is_idle = counts.dropped <= counts.recalled;
        let idle = |known: u64, fallen: u64| u64::from(is_idle) * known.saturating_sub(fallen);
        counts.idle_duplicates = idle(counts.explored_duplicates, counts.withdrawn_duplicates);
        counts.idle_new = idle(counts.explored_new, counts.withdrawn_new);
        Self::counted(counts)
    }

    /// Puts it into the counters of its host, where another one is so far.
    fn move_in(self, counts: &mut Counts, before: Self) {
        let moved = |at: &mut u64, now: u64, before: u64| {
            *at = (*at + now).saturating_sub(before);
        };
        moved(
            &mut counts.withdrawn_duplicates,
            self.fallen[0],
            before.fallen[0],
        );
        moved(&mut counts.withdrawn_new, self.fallen[1], before.fallen[1]);
        moved(&mut counts.idle_duplicates, self.idle[0], before.idle[0]);
        moved(&mut counts.idle_new, self.idle[1], before.idle[1]);
    }
}

fn host_key(host: &HostKey) -> String {
    format!("{HOST_PREFIX}{host}")
}

fn belief_key(belief: BeliefId, host: &HostKey) -> String {
    format!("{BELIEF_PREFIX}{belief}/{host}")
}

/// Hosts on which a belief was heeded, of those whose counters are `wanted`, or cannot be read.
pub(super) fn hosts_of_belief(
    store: &dyn Store,
    belief: BeliefId,
    wanted: impl Fn(&BeliefCounts) -> bool,
) -> Result<Vec<HostKey>, StoreError> {
    let prefix = format!("{BELIEF_PREFIX}{belief}/");
    let mut hosts = Vec::new();
    store.state_scan(&prefix, &mut |key, bytes| {
        if serde_json::from_slice(bytes).map_or(true, |counts| wanted(&counts)) {
            hosts.push(HostKey::from_text(&key[prefix.len()..]));
        }
    })?;
    Ok(hosts)
}

/// Beliefs of which links wait in the ledger, with the hosts of those links; perhaps some more.
pub(super) fn beliefs_with_a_ledger(
    store: &dyn Store,
) -> Result<Vec<(BeliefId, HostKey)>, StoreError> {
    let mut all = Vec::new();
    store.state_scan(BELIEF_PREFIX, &mut |key, bytes| {
        let name = key[BELIEF_PREFIX.len()..].split_once('/');
        let counts: BeliefCounts = read(key, bytes);
        if counts.dropped > counts.recalled
            && let Some((belief, host)) = name
            && let Ok(bits) = u64::from_str_radix(belief, 16)
        {
            all.push((BeliefId::from_bits(bits), HostKey::from_text(host)));
        }
    })?;
    Ok(all)
}

fn bytes_of(counts: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(counts).expect("counters are maps and numbers, which JSON can hold")
}

fn read<T: Default + DeserializeOwned>(key: &str, bytes: &[u8]) -> T {
    serde_json::from_slice(bytes).unwrap_or_else(|why| {
        tracing::warn!(key, "counters not readable, counting from zero: {why}");
        T::default()
    })
}

impl BeliefCounts {
    /// Reads from a store what each belief did, all hosts together, without building a frontier.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn of_store(store: &dyn Store) -> Result<BTreeMap<BeliefId, Self>, StoreError> {
        let mut all: BTreeMap<BeliefId, Self> = BTreeMap::new();
        store.state_scan(BELIEF_PREFIX, &mut |key, bytes| {
            let name = key[BELIEF_PREFIX.len()..].split_once('/');
            if let Some((belief, _)) = name
                && let Ok(bits) = u64::from_str_radix(belief, 16)
            {
                *all.entry(BeliefId::from_bits(bits)).or_default() += read(key, bytes);
            }
        })?;
        Ok(all)
    }

    /// Reads from a store what one belief did, all hosts together.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn of_belief(store: &dyn Store, belief: BeliefId) -> Result<Self, StoreError> {
        let mut sum = Self::default();
        let prefix = format!("{BELIEF_PREFIX}{belief}/");
        store.state_scan(&prefix, &mut |key, bytes| sum += read(key, bytes))?;
        Ok(sum)
    }
}

impl Stats {
    /// Reads the counters of a store without building a frontier.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn of_store(store: &dyn Store) -> Result<Self, StoreError> {
        Ok(Self {
            to_retry: Unanswered::load(store)?.len(),
            ..Tally::snapshot(store)?
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryStore;

    #[test]
    fn counters_that_cannot_be_read_hide_no_host_of_a_belief() {
        let store = MemoryStore::default();
        let belief = BeliefId::of("h", "x");
        let [broken, idle] = ["broken.example", "idle.example"].map(HostKey::from_text);
        let commit = Commit {
            state: vec![
                (belief_key(belief, &broken), Some(b"{".to_vec())),
                (
                    belief_key(belief, &idle),
                    Some(bytes_of(&BeliefCounts::default())),
                ),
            ],
            ..Commit::default()
        };
        store.commit(commit).unwrap();
        let hosts = hosts_of_belief(&store, belief, |counts| counts.dropped > 0).unwrap();
        assert_eq!(hosts, [broken]);
    }

    #[test]
    fn what_an_older_store_did_not_count_takes_nothing_from_what_is_counted() {
        let store = MemoryStore::default();
        let (old, new) = (BeliefId::of("h", "old"), BeliefId::of("h", "new"));
        let (here, there) = (
            HostKey::from_text("h.example"),
            HostKey::from_text("i.example"),
        );
        let counts = BeliefCounts {
            dropped: 9,
            recalled: 9,
            explored: 20,
            explored_new: 20,
            ..BeliefCounts::default()
        };
        let state = vec![(belief_key(old, &here), Some(bytes_of(&counts)))];
        let commit = Commit {
            state,
            ..Commit::default()
        };
        store.commit(commit).unwrap();
        let mut tally = Tally::load(&store).unwrap();
        for (host, explored) in [(&here, 15), (&there, 4)] {
            let explore = |counts: &mut BeliefCounts| counts.count_verdict(0, explored);
            tally.count_belief(&store, new, host, explore).unwrap();
        }
        let idle = |tally: &Tally| {
            let of = |host| tally.of_host(&store, host).unwrap().idle_new;
            (tally.total().idle_new, of(&here), of(&there))
        };
        assert_eq!(idle(&tally), (19, 15, 4));
        tally
            .count_belief(&store, old, &here, BeliefCounts::count_drop)
            .unwrap();
        assert_eq!(idle(&tally), (19, 15, 4));
        tally
            .count_belief(&store, new, &here, BeliefCounts::count_drop)
            .unwrap();
        assert_eq!(idle(&tally), (4, 0, 4));
        let recall = |counts: &mut BeliefCounts| counts.recalled += 1;
        tally.count_belief(&store, old, &here, recall).unwrap();
        assert_eq!(idle(&tally), (24, 20, 4));
    }
}
