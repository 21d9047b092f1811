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

mod histories;

use nodust_frontier::{
    Admitted, BeliefId, Candidate, Commit, Fingerprint, HostKey, LedgerEntry, Origin, Prediction,
    Probability, Queued, RawUrl, SeenAs, Store, Ticket, Via,
};

pub use histories::{Item, Step, a_store_equals_plain_maps, histories};

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
        found_on: Some(u64::MAX - 7),
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
    let mut of_two = Vec::new();
    for most in [1, 9] {
        of_two.clear();
        store
            .ledger_scan_of(&host_key(0), two, &mut |entry| {
                of_two.push(entry);
                of_two.len() < most
            })
            .unwrap();
        assert_eq!(of_two, store.dropped_by(&host_key(0), two, most).unwrap());
    }
    assert_eq!(of_two.len(), 2);
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
