//! Does a store answer as plain maps would, whatever happens to it?

use std::collections::{BTreeMap, HashMap, HashSet};

use nodust_frontier::{Commit, LedgerEntry, Queued, SeenAs, Store, Ticket};
use proptest::prelude::*;

use super::{Material, belief, host_key, known, link, name, waiting};

/// One step of a random history.
#[derive(Clone, Debug)]
pub enum Step {
    /// A commit.
    Commit(Vec<Item>),
    /// Take from a host.
    Take(u8),
    /// Put back one of those handed out.
    PutBack(usize),
    /// Close and open.
    Reopen,
}

/// One thing in a commit.
#[derive(Clone, Debug)]
pub enum Item {
    /// Names from a number on, how many, and the reason: 0 admitted, 1 dropped, more a belief.
    See(u64, u64, u8),
    /// Links of a host, how many, and the priority.
    Queue(u8, usize, u8),
    /// Settle one of those handed out.
    Settle(usize),
    /// Host, link, class and belief of a ledger entry.
    Drop(u8, u64, u64, u8),
    /// Host, link and class of an entry to take back.
    Recall(u8, u64, u64),
    /// Withdraw a belief.
    Withdraw(u8),
    /// Write a value, or remove it.
    State(u8, Option<u8>),
}

/// Random histories. Most names come from a few hundred; some steps bring thousands, so that a store
/// with little memory has to put them elsewhere.
pub fn histories() -> impl Strategy<Value = Vec<Step>> {
    let item = prop_oneof![
        4 => (0..300u64, 1..20u64, 0..4u8).prop_map(|(n, count, r)| Item::See(n, count, r)),
        1 => (0..9000u64, 1..3000u64, 0..4u8).prop_map(|(n, count, r)| Item::See(n, count, r)),
        4 => (0..3u8, 1..40usize, prop_oneof![Just(128u8), any::<u8>()])
            .prop_map(|(host, count, priority)| Item::Queue(host, count, priority)),
        4 => (0..64usize).prop_map(Item::Settle),
        3 => (0..2u8, 0..20u64, 0..4u64, 0..3u8).prop_map(|(h, n, c, b)| Item::Drop(h, n, c, b)),
        2 => (0..2u8, 0..20u64, 0..4u64).prop_map(|(h, n, c)| Item::Recall(h, n, c)),
        1 => (2..4u8).prop_map(Item::Withdraw),
        1 => (0..6u8, proptest::option::of(any::<u8>())).prop_map(|(k, v)| Item::State(k, v)),
    ];
    let step = prop_oneof![
        5 => proptest::collection::vec(item, 1..6).prop_map(Step::Commit),
        6 => (0..3u8).prop_map(Step::Take),
        1 => (0..64usize).prop_map(Step::PutBack),
        1 => Just(Step::Reopen),
    ];
    proptest::collection::vec(step, 1..50)
}

fn reason(number: u8) -> SeenAs {
    match number {
        0 => SeenAs::Admitted,
        1 => SeenAs::Dropped,
        more => SeenAs::ClassOf(belief(0, more)),
    }
}

/// The same promises, kept by plain maps.
#[derive(Default)]
struct Model {
    seen: HashMap<u64, SeenAs>,
    // By host, inverted priority and order of arrival; whether it is handed out.
    queue: BTreeMap<(u8, u8, u64), (Queued, bool)>,
    arrivals: u64,
    out: Vec<(Ticket, (u8, u8, u64))>,
    ledger: BTreeMap<(u8, u64, u64), LedgerEntry>,
    state: BTreeMap<String, Vec<u8>>,
}

impl Model {
    /// Does what the items say, in the order that stores promise, and writes them as a commit.
    fn commit(&mut self, items: &[Item]) -> Commit {
        let mut commit = Commit::default();
        for item in items {
            match *item {
                Item::Withdraw(by) => {
                    commit.withdrawn.push((host_key(0), belief(0, by)));
                    self.seen
                        .retain(|_, r| *r != SeenAs::ClassOf(belief(0, by)));
                }
                Item::Recall(host, number, class) => {
                    let key = link(host, number).key;
                    commit.recalled.push((host_key(host), name(class), key));
                    self.ledger.remove(&(host, name(class).url(), key.url()));
                }
                _ => {}
            }
        }
        for item in items {
            match *item {
                Item::See(first, count, why) => {
                    for number in first..first + count {
                        let (key, why) = (name(number), reason(why));
                        commit.seen.push((key, why));
                        let known = self.seen.entry(key.url()).or_insert(why);
                        if (*known, why) == (SeenAs::Dropped, SeenAs::Admitted) {
                            *known = why;
                        }
                    }
                }
                Item::Queue(host, count, priority) => {
                    for _ in 0..count {
                        let entry = waiting(host, self.arrivals, priority);
                        let place = (host, u8::MAX - priority, self.arrivals);
                        self.arrivals += 1;
                        self.queue.insert(place, (entry.clone(), false));
                        commit.queued.push(entry);
                    }
                }
                Item::Settle(at) if !self.out.is_empty() => {
                    let (ticket, place) = self.out.swap_remove(at % self.out.len());
                    self.queue.remove(&place);
                    commit.settled.push(ticket);
                }
                Item::Drop(host, number, class, by) => {
                    let mut admitted = link(host, number);
                    admitted.class = name(class);
                    let key = (host, admitted.class.url(), admitted.key.url());
                    let entry = LedgerEntry {
                        belief: belief(host, by),
                        stage: (by % 2 == 0).then(|| "predict".into()),
                        admitted,
                    };
                    commit.ledger.push(entry.clone());
                    self.ledger.insert(key, entry);
                }
                Item::State(key, value) => {
                    let key = format!("key/{key}");
                    let value = value.map(|v| vec![v]);
                    commit.state.push((key.clone(), value.clone()));
                    match value {
                        Some(value) => self.state.insert(key, value),
                        None => self.state.remove(&key),
                    };
                }
                _ => {}
            }
        }
        commit
    }

    fn take(&mut self, host: u8) -> Option<((u8, u8, u64), Queued)> {
        let mut row = self
            .queue
            .range_mut((host, 0, 0)..=(host, u8::MAX, u64::MAX));
        let (place, (entry, is_out)) = row.find(|(_, (_, is_out))| !*is_out)?;
        *is_out = true;
        Some((*place, entry.clone()))
    }

    fn check(&self, store: &dyn Store) {
        assert_eq!(store.seen_len(), self.seen.len() as u64);
        assert_eq!(store.queue_len(), self.queue.len() as u64);
        assert_eq!(store.ledger_len(), self.ledger.len() as u64);
        let mut hosts: Vec<_> = store.hosts().unwrap();
        hosts.sort();
        let free: HashSet<u8> = self
            .queue
            .iter()
            .filter(|(_, (_, is_out))| !is_out)
            .map(|(place, _)| place.0)
            .collect();
        let mut free: Vec<_> = free.into_iter().map(host_key).collect();
        free.sort();
        assert_eq!(hosts, free);
    }

    fn check_all(&self, store: &dyn Store) {
        self.check(store);
        let names: Vec<_> = (0..13_000).map(name).collect();
        for (name, found) in names.iter().zip(known(store, &names)) {
            assert_eq!(found, self.seen.get(&name.url()).copied());
        }
        let sorted = |mut entries: Vec<LedgerEntry>| {
            entries.sort_by_key(|e| (e.admitted.class, e.admitted.key));
            entries
        };
        let expected = |wanted: &dyn Fn(u8, &LedgerEntry) -> bool| {
            let entries = self
                .ledger
                .iter()
                .filter(|(key, entry)| wanted(key.0, entry));
            sorted(entries.map(|(_, entry)| entry.clone()).collect())
        };
        for host in 0..2 {
            for by in 0..3 {
                let found = store.dropped_by(&host_key(host), belief(host, by), 999);
                let of_belief = expected(&|h, e| h == host && e.belief == belief(host, by));
                assert_eq!(sorted(found.unwrap()), of_belief);
            }
            for class in 0..4 {
                let found = store.dropped_in_class(&host_key(host), name(class), 999);
                let of_class = expected(&|h, e| h == host && e.admitted.class == name(class));
                assert_eq!(sorted(found.unwrap()), of_class);
            }
        }
        let mut state = BTreeMap::new();
        let mut keep = |key: &str, value: &[u8]| {
            state.insert(key.to_owned(), value.to_vec());
        };
        store.state_scan("key/", &mut keep).unwrap();
        assert_eq!(state, self.state);
    }
}

/// Plays a history on a store and on the model.
pub fn a_store_equals_plain_maps(material: &mut dyn Material, history: &[Step]) {
    let mut model = Model::default();
    for step in history {
        match step {
            Step::Commit(items) => {
                let commit = model.commit(items);
                material.store().commit(commit).unwrap();
            }
            Step::Take(host) => {
                let taken = material.store().take(&host_key(*host)).unwrap();
                let expected = model.take(*host);
                assert_eq!(
                    taken.as_ref().map(|(_, entry)| entry),
                    expected.as_ref().map(|(_, entry)| entry)
                );
                if let (Some((ticket, _)), Some((place, _))) = (taken, expected) {
                    model.out.push((ticket, place));
                }
            }
            Step::PutBack(at) if !model.out.is_empty() => {
                let at = at % model.out.len();
                let (ticket, place) = model.out.swap_remove(at);
                material.store().put_back(&ticket);
                model.queue.get_mut(&place).expect("it is handed out").1 = false;
            }
            Step::PutBack(_) => {}
            Step::Reopen => {
                if material.reopen() {
                    model.out.clear();
                    model
                        .queue
                        .values_mut()
                        .for_each(|(_, is_out)| *is_out = false);
                    model.check_all(material.store());
                }
            }
        }
        model.check(material.store());
    }
    model.check_all(material.store());
}
