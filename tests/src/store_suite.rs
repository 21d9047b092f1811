//! What must every store do?
//!
//! Each contract is a function over [`Material`], a store that may be able to close and open again;
//! [`store_contracts!`](crate::store_contracts) makes a test of each. The last one plays random
//! histories on the store and on a model of plain maps, and compares all answers.

#![expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "these are the bodies of tests, and a failed test is a panic"
)]

use std::collections::{BTreeMap, HashMap, HashSet};

use nodust_frontier::{
    Admitted, BeliefId, Candidate, Commit, Fingerprint, HostKey, LedgerEntry, Origin, Prediction,
    Probability, Queued, RawUrl, SeenAs, Store, Ticket, Via,
};
use proptest::prelude::*;

/// A store under test.
pub trait Material {
    /// The store.
    fn store(&self) -> &dyn Store;
    /// Closes the store and opens it again; `false` if it is of a kind that does not outlive closing.
    fn reopen(&mut self) -> bool;
}

/// A link of `host` with everything but its URL at its defaults.
pub fn link(host: u8, number: u64) -> Admitted {
    let text = format!("http://h{host}.example/{number}");
    Candidate::resolve(RawUrl::new(&text), &Via::seed())
        .expect("the text is a URL")
        .seal(&Via::seed(), 0)
}

/// An entry for the queue.
pub fn waiting(host: u8, number: u64, priority: u8) -> Queued {
    let mut admitted = link(host, number);
    admitted.priority = priority;
    Queued {
        admitted,
        attempt: 0,
    }
}

/// A fingerprint that is as good as a hash.
pub fn name(number: u64) -> Fingerprint {
    let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    Fingerprint::from_parts(7, bits ^ (bits >> 31))
}

/// A belief about a host.
pub fn belief(host: u8, number: u8) -> BeliefId {
    BeliefId::of(&host_key(host).to_string(), &format!("rule {number}"))
}

/// The host that [`link`] gives its links.
pub fn host_key(host: u8) -> HostKey {
    HostKey::from_text(&format!("h{host}.example"))
}

/// What the store says about each name.
pub fn known(store: &dyn Store, names: &[Fingerprint]) -> Vec<Option<SeenAs>> {
    let mut found = Vec::new();
    store.lookup(names, &mut found).unwrap();
    assert_eq!(found.len(), names.len());
    found
}

fn see(store: &dyn Store, seen: Vec<(Fingerprint, SeenAs)>) {
    store
        .commit(Commit {
            seen,
            ..Commit::default()
        })
        .unwrap();
}

fn push(store: &dyn Store, queued: Vec<Queued>) {
    store
        .commit(Commit {
            queued,
            ..Commit::default()
        })
        .unwrap();
}

fn settle(store: &dyn Store, ticket: Ticket) {
    store
        .commit(Commit {
            settled: vec![ticket],
            ..Commit::default()
        })
        .unwrap();
}

/// The first reason stays, save that `Admitted` replaces `Dropped`; also within one commit.
pub fn a_name_keeps_its_first_reason(material: &mut dyn Material) {
    let class_of = SeenAs::ClassOf(belief(0, 1));
    let reasons = [SeenAs::Admitted, SeenAs::Dropped, class_of];
    let mut names = Vec::new();
    let mut expected = Vec::new();
    for (at, &first) in (0..).zip(&reasons) {
        for (then, &second) in (0..).zip(&reasons) {
            let upgraded = first == SeenAs::Dropped && second == SeenAs::Admitted;
            let stays = if upgraded { second } else { first };
            let (apart, together) = (name(at * 10 + then), name(100 + at * 10 + then));
            see(material.store(), vec![(apart, first)]);
            see(material.store(), vec![(apart, second)]);
            see(
                material.store(),
                vec![(together, first), (together, second)],
            );
            names.extend([apart, together]);
            expected.extend([Some(stays), Some(stays)]);
        }
    }
    assert_eq!(known(material.store(), &names), expected);
    assert_eq!(material.store().seen_len(), names.len() as u64);
    if material.reopen() {
        assert_eq!(known(material.store(), &names), expected);
        assert_eq!(material.store().seen_len(), names.len() as u64);
    }
}

/// Withdrawing a belief forgets its classes and nothing else, and a commit that withdraws and sees
/// withdraws first.
pub fn a_withdrawn_belief_forgets_its_classes(material: &mut dyn Material) {
    let (falls, stays) = (SeenAs::ClassOf(belief(0, 1)), SeenAs::ClassOf(belief(0, 2)));
    let names: Vec<_> = (0..5).map(name).collect();
    see(
        material.store(),
        vec![
            (names[0], falls),
            (names[1], stays),
            (names[2], SeenAs::Admitted),
            (names[3], SeenAs::Dropped),
            (names[4], falls),
        ],
    );
    material
        .store()
        .commit(Commit {
            withdrawn: vec![(host_key(0), belief(0, 1))],
            seen: vec![(names[4], SeenAs::Admitted)],
            ..Commit::default()
        })
        .unwrap();
    let expected = [
        None,
        Some(stays),
        Some(SeenAs::Admitted),
        Some(SeenAs::Dropped),
        Some(SeenAs::Admitted),
    ];
    assert_eq!(known(material.store(), &names), expected);
    assert_eq!(material.store().seen_len(), 4);
    if material.reopen() {
        assert_eq!(known(material.store(), &names), expected);
        see(material.store(), vec![(names[0], stays)]);
        assert_eq!(known(material.store(), &names[..1]), [Some(stays)]);
        assert_eq!(material.store().seen_len(), 5);
    }
}

/// Highest priority first, then oldest, even for what comes while others are handed out.
pub fn a_queue_hands_out_by_priority_and_age(material: &mut dyn Material) {
    let store = material.store();
    push(store, (0..200).map(|n| waiting(0, n, 128)).collect());
    let (_, first) = store.take(&host_key(0)).unwrap().unwrap();
    assert_eq!(first, waiting(0, 0, 128));
    push(
        store,
        vec![
            waiting(0, 900, 200),
            waiting(0, 901, 10),
            waiting(1, 902, 0),
        ],
    );
    push(store, (200..300).map(|n| waiting(0, n, 128)).collect());
    let mut order = vec![waiting(0, 900, 200)];
    order.extend((1..300).map(|n| waiting(0, n, 128)));
    order.push(waiting(0, 901, 10));
    for expected in order {
        let (ticket, entry) = store.take(&host_key(0)).unwrap().unwrap();
        assert_eq!(entry, expected);
        assert_eq!(ticket.priority, expected.admitted.priority);
        assert_eq!(ticket.host, host_key(0));
    }
    assert_eq!(store.take(&host_key(0)).unwrap(), None);
    assert_eq!(store.hosts().unwrap(), [host_key(1)]);
    assert_eq!(store.queue_len(), 303);
}

/// What is put back is first again; what is settled never comes back; the rest does after a restart.
pub fn a_queue_gives_back_what_was_not_settled(material: &mut dyn Material) {
    push(
        material.store(),
        (0..40).map(|n| waiting(0, n, 128)).collect(),
    );
    let store = material.store();
    let (first, entry) = store.take(&host_key(0)).unwrap().unwrap();
    store.put_back(&first);
    let (again, same) = store.take(&host_key(0)).unwrap().unwrap();
    assert_eq!((&again, &same), (&first, &entry));
    let (second, _) = store.take(&host_key(0)).unwrap().unwrap();
    settle(store, second.clone());
    settle(store, second);
    assert_eq!(store.queue_len(), 39);
    if material.reopen() {
        let store = material.store();
        assert_eq!(store.queue_len(), 39);
        assert_eq!(store.hosts().unwrap(), [host_key(0)]);
        for n in (0..40).filter(|n| *n != 1) {
            let (ticket, entry) = store.take(&host_key(0)).unwrap().unwrap();
            assert_eq!(entry, waiting(0, n, 128));
            settle(store, ticket);
        }
        assert_eq!(store.take(&host_key(0)).unwrap(), None);
        assert!(store.hosts().unwrap().is_empty());
        push(store, vec![waiting(0, 99, 128)]);
        let (ticket, _) = store.take(&host_key(0)).unwrap().unwrap();
        assert!(ticket.position > first.position, "positions are used once");
    }
}

/// Every field of a link comes back as it was.
pub fn a_link_comes_back_as_it_was(material: &mut dyn Material) {
    let mut entry = waiting(0, 1, 77);
    entry.attempt = 3;
    entry.admitted = Admitted {
        merged_by: Some(belief(0, 9)),
        probe: Some(Prediction {
            belief: belief(0, 8),
            probability: Probability::new(0.875).unwrap(),
        }),
        depth: 12_345,
        redirects: 4,
        origin: Origin::Redirect,
        generation: u64::MAX,
        key: name(5),
        class: name(6),
        led_from: Some(name(7)),
        ..entry.admitted
    };
    let dropped = LedgerEntry {
        belief: belief(0, 9),
        stage: Some("rules".into()),
        admitted: entry.admitted.clone(),
    };
    material
        .store()
        .commit(Commit {
            queued: vec![entry.clone()],
            ledger: vec![dropped.clone()],
            ..Commit::default()
        })
        .unwrap();
    material.reopen();
    let store = material.store();
    assert_eq!(store.take(&host_key(0)).unwrap().unwrap().1, entry);
    let found = store.dropped_by(&host_key(0), belief(0, 9), 9).unwrap();
    assert_eq!(found, [dropped]);
}

/// The ledger finds by belief and by class, replaces an entry of the same key, and gives back once.
pub fn a_ledger_finds_replaces_and_recalls(material: &mut dyn Material) {
    let entry = |host, number, class, by| {
        let mut admitted = link(host, number);
        admitted.class = name(class);
        LedgerEntry {
            belief: by,
            stage: None,
            admitted,
        }
    };
    let (one, two) = (belief(0, 1), belief(0, 2));
    let store = material.store();
    store
        .commit(Commit {
            ledger: vec![
                entry(0, 1, 50, one),
                entry(0, 2, 50, one),
                entry(0, 3, 51, two),
                entry(1, 1, 50, one),
                entry(0, 2, 50, two),
            ],
            ..Commit::default()
        })
        .unwrap();
    assert_eq!(store.ledger_len(), 4);
    assert_eq!(store.dropped_by(&host_key(0), two, 1).unwrap().len(), 1);
    let taken = entry(0, 1, 50, one).admitted;
    for _ in 0..2 {
        store
            .commit(Commit {
                recalled: vec![(host_key(0), taken.class, taken.key)],
                ..Commit::default()
            })
            .unwrap();
        assert_eq!(store.ledger_len(), 3);
    }
    material.reopen();
    let store = material.store();
    assert_eq!(store.ledger_len(), 3);
    assert!(store.dropped_by(&host_key(0), one, 9).unwrap().is_empty());
    assert_eq!(store.dropped_by(&host_key(0), two, 9).unwrap().len(), 2);
    let class = store.dropped_in_class(&host_key(0), name(50), 9).unwrap();
    assert_eq!(class, [entry(0, 2, 50, two)]);
    let mut all = 0;
    store
        .ledger_scan(&mut |host, entry| {
            assert_eq!(host, entry.admitted.url.host());
            all += 1;
            all < 2
        })
        .unwrap();
    assert_eq!(all, 2, "a scan ends when it is told to");
}

/// State is read by key and by prefix, in order.
pub fn a_state_is_read_by_prefix_in_order(material: &mut dyn Material) {
    let pair = |key: &str, value: &str| (key.to_owned(), Some(value.as_bytes().to_vec()));
    material
        .store()
        .commit(Commit {
            state: vec![
                pair("b/2", "two"),
                pair("b/1", "one"),
                pair("a", "x"),
                pair("b", ""),
                pair("c", "gone"),
                ("c".into(), None),
            ],
            ..Commit::default()
        })
        .unwrap();
    material.reopen();
    let store = material.store();
    let mut found = Vec::new();
    store
        .state_scan("b", &mut |key, value| {
            found.push(format!("{key}={}", String::from_utf8_lossy(value)));
        })
        .unwrap();
    assert_eq!(found, ["b=", "b/1=one", "b/2=two"]);
    assert_eq!(store.state("a").unwrap().as_deref(), Some(&b"x"[..]));
    assert_eq!(store.state("c").unwrap(), None);
}

/// A page with very many links is one commit like any other.
pub fn a_huge_commit_is_kept_whole(material: &mut dyn Material) {
    let count = 10_000;
    push(material.store(), vec![waiting(9, 0, 128)]);
    let (ticket, _) = material.store().take(&host_key(9)).unwrap().unwrap();
    material
        .store()
        .commit(Commit {
            seen: (0..count).map(|n| (name(n), SeenAs::Admitted)).collect(),
            queued: (0..count).map(|n| waiting((n % 3) as u8, n, 128)).collect(),
            ledger: (0..count)
                .map(|n| LedgerEntry {
                    belief: BeliefId::STATIC,
                    stage: Some("normalize".into()),
                    admitted: link(5, n),
                })
                .collect(),
            settled: vec![ticket],
            state: vec![("page".into(), Some(vec![1]))],
            ..Commit::default()
        })
        .unwrap();
    material.reopen();
    let store = material.store();
    assert_eq!(store.seen_len(), count);
    assert_eq!(store.queue_len(), count);
    assert_eq!(store.ledger_len(), count);
    assert_eq!(store.state("page").unwrap(), Some(vec![1]));
    for n in (0..count).step_by(3).take(500) {
        let (_, entry) = store.take(&host_key(0)).unwrap().unwrap();
        assert_eq!(entry, waiting(0, n, 128));
    }
}

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

/// Makes a test of every contract, for what `$make` answers.
#[macro_export]
macro_rules! store_contracts {
    ($make:expr) => {
        $crate::store_contracts!(@each $make;
            a_name_keeps_its_first_reason
            a_withdrawn_belief_forgets_its_classes
            a_queue_hands_out_by_priority_and_age
            a_queue_gives_back_what_was_not_settled
            a_link_comes_back_as_it_was
            a_ledger_finds_replaces_and_recalls
            a_state_is_read_by_prefix_in_order
            a_huge_commit_is_kept_whole
        );

        ::proptest::proptest! {
            #![proptest_config(::proptest::prelude::ProptestConfig::with_cases(48))]

            #[test]
            fn a_store_equals_plain_maps(history in $crate::store_suite::histories()) {
                $crate::store_suite::a_store_equals_plain_maps(&mut $make(), &history);
            }
        }
    };
    (@each $make:expr; $($contract:ident)*) => {
        $(
            #[test]
            fn $contract() {
                $crate::store_suite::$contract(&mut $make());
            }
        )*
    };
}
