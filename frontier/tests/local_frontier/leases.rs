//! Leases that come back unfetched, to the wrong frontier, or to a stage that panics.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use nodust_frontier::{
    Admitted, Candidate, Chain, Effects, Exploration, FetchFailure, Frontier, FrontierError, Lease,
    LocalFrontier, MemoryStore, Middleware, NotYet, Observation, Open, Outcome, Probability,
    RawUrl, SledOptions, SledStore, StageName, Store, Turn, Verdict, Via,
};

use super::{
    common::{leased, page, seed},
    stages::{LatePredictor, Predictor},
};

fn on(store: Arc<dyn Store>) -> LocalFrontier {
    LocalFrontier::builder(Chain::new())
        .store(store)
        .build()
        .unwrap()
}

fn in_memory() -> LocalFrontier {
    on(Arc::new(MemoryStore::default()))
}

fn path(lease: &Lease) -> &str {
    lease.url().as_url().path()
}

fn turn(frontier: &LocalFrontier) -> Turn {
    frontier.lease(Instant::now(), &Open).unwrap()
}

/// It failed, and is to be tried again at once.
fn fail(frontier: &LocalFrontier, lease: Lease) {
    let failed = Outcome::Failed(FetchFailure {
        code: "timeout",
        detail: String::new(),
        status: None,
        retry_after: Some(Duration::ZERO),
        may_pass: true,
    });
    frontier.observe(lease, &failed, &mut Vec::new()).unwrap();
}

#[test]
fn what_is_given_back_unfetched_is_next_at_its_place_and_no_try() {
    let folder = tempfile::tempdir().unwrap();
    let on_disk = SledStore::open(folder.path().join("store"), &SledOptions::default()).unwrap();
    for store in [
        Arc::new(MemoryStore::default()) as Arc<dyn Store>,
        Arc::new(on_disk),
    ] {
        let frontier = on(store);
        let urls = [
            "http://h.example/a",
            "http://h.example/b",
            "http://h.example/c",
        ];
        seed(&frontier, &urls);
        let (a, b) = (leased(&frontier), leased(&frontier));
        assert_eq!((path(&a), path(&b)), ("/a", "/b"));
        frontier.release(b).unwrap();
        frontier.release(a).unwrap();
        let totals = frontier.totals();
        assert_eq!(
            (totals.queued, totals.total.fetched, totals.total.retried),
            (3, 0, 0)
        );
        for expected in ["/a", "/b", "/c"] {
            let lease = leased(&frontier);
            assert_eq!((path(&lease), lease.attempt()), (expected, 0));
            frontier
                .observe(lease, &page(&[]), &mut Vec::new())
                .unwrap();
        }
        assert!(matches!(turn(&frontier), Turn::Drained));
        assert!(frontier.totals().total.is_balanced());
    }
}

/// A gate of one at a time, as a polite crawler has it.
#[test]
fn a_host_that_waits_for_a_lease_goes_on_when_it_is_given_back() {
    #[derive(Debug)]
    struct Shut;
    impl nodust_frontier::Gate for Shut {
        fn check(&self, _: &nodust_frontier::HostKey, _: Instant) -> Result<(), NotYet> {
            Err(NotYet::UntilReturned)
        }
    }
    let frontier = in_memory();
    seed(&frontier, &["http://h.example/a", "http://h.example/b"]);
    let a = leased(&frontier);
    assert!(matches!(
        frontier.lease(Instant::now(), &Shut).unwrap(),
        Turn::Idle
    ));
    assert!(matches!(turn(&frontier), Turn::Idle));
    frontier.release(a).unwrap();
    assert_eq!(path(&leased(&frontier)), "/a");
}

#[test]
fn tries_that_failed_before_are_not_forgotten_when_a_later_one_is_given_back() {
    let frontier = in_memory();
    seed(&frontier, &["http://h.example/"]);
    let first = leased(&frontier);
    fail(&frontier, first);
    let second = leased(&frontier);
    assert_eq!(second.attempt(), 1);
    frontier.release(second).unwrap();
    assert_eq!(leased(&frontier).attempt(), 1);
    assert_eq!(frontier.totals().total.retried, 1);
}

#[test]
fn a_probe_that_is_given_back_is_a_probe_again() {
    let chain = Chain::new().then(Predictor);
    let frontier = LocalFrontier::builder(chain)
        .exploration(Exploration::new(Probability::new(1.0).unwrap(), 0))
        .build()
        .unwrap();
    seed(&frontier, &["http://h.example/"]);
    let home = leased(&frontier);
    let links = [RawUrl::new("/copy/1")];
    frontier
        .observe(home, &page(&links), &mut Vec::new())
        .unwrap();
    let probe = leased(&frontier);
    let before: Admitted = probe.admitted().clone();
    assert!(before.probe.is_some());
    frontier.release(probe).unwrap();
    let again = leased(&frontier);
    assert_eq!(again.admitted(), &before);
    frontier
        .observe(again, &page(&[]), &mut Vec::new())
        .unwrap();
    let totals = frontier.totals().total;
    assert_eq!((totals.fetched, totals.explored), (2, 1));
    assert!(totals.is_balanced());
}

#[test]
fn a_link_that_became_a_probe_as_it_was_leased_is_one_again() {
    let learned = Arc::new(AtomicU64::new(0));
    let frontier = LocalFrontier::builder(Chain::new().then(LatePredictor(Arc::clone(&learned))))
        .exploration(Exploration::new(Probability::new(1.0).unwrap(), 0))
        .build()
        .unwrap();
    seed(&frontier, &["http://h.example/"]);
    let home = leased(&frontier);
    let links = [RawUrl::new("/copy/1")];
    frontier
        .observe(home, &page(&links), &mut Vec::new())
        .unwrap();
    learned.store(1, Ordering::SeqCst);
    let probe = leased(&frontier);
    let before = probe.admitted().clone();
    assert!(before.probe.is_some());
    frontier.release(probe).unwrap();
    assert_eq!(leased(&frontier).admitted(), &before);
}

#[test]
fn what_was_given_back_is_queued_in_the_next_process_too() {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let store = SledStore::open(folder.path().join("store"), &SledOptions::default()).unwrap();
        on(Arc::new(store))
    };
    let frontier = open();
    seed(&frontier, &["http://h.example/"]);
    let lease = leased(&frontier);
    frontier.release(lease).unwrap();
    frontier.flush().unwrap();
    drop(frontier);
    let frontier = open();
    assert_eq!(frontier.totals().queued, 1);
    let lease = leased(&frontier);
    frontier
        .observe(lease, &page(&[]), &mut Vec::new())
        .unwrap();
    assert!(matches!(turn(&frontier), Turn::Drained));
}

#[test]
fn a_lease_of_another_frontier_is_refused_and_handed_back() {
    let (ours, other) = (in_memory(), in_memory());
    seed(&ours, &["http://h.example/"]);
    seed(&other, &["http://h.example/"]);
    let (lease, of_other) = (leased(&ours), leased(&other));
    let made = Lease::new(lease.ticket().clone(), lease.admitted().clone(), 0);
    assert!(matches!(
        ours.release(made),
        Err(FrontierError::ForeignLease { .. })
    ));
    let refused = ours.observe(of_other, &page(&[]), &mut Vec::new());
    let Err(FrontierError::ForeignLease { lease: of_other }) = refused else {
        panic!("it is not ours");
    };
    let totals = ours.totals();
    assert_eq!((totals.total.fetched, totals.queued), (0, 1));
    assert!(matches!(turn(&ours), Turn::Idle));
    for (frontier, lease) in [(&ours, lease), (&other, *of_other)] {
        frontier
            .observe(lease, &page(&[]), &mut Vec::new())
            .unwrap();
        assert!(matches!(turn(frontier), Turn::Drained));
    }
}

/// Panics on a page that has no text.
#[derive(Debug)]
struct Strict;

impl Middleware for Strict {
    fn name(&self) -> StageName {
        "strict"
    }
    fn judge(&self, _link: &mut Candidate, _via: &Via<'_>) -> Verdict {
        Verdict::Pass
    }
    fn observe(&self, seen: &Observation<'_>, _effects: &mut Effects) {
        assert!(!seen.url.url.as_str().ends_with("/bad"), "a stage panics");
    }
}

#[test]
fn a_stage_that_panics_keeps_no_host_and_its_url_is_offered_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let build = |chain| {
        let store = SledStore::open(folder.path().join("store"), &SledOptions::default()).unwrap();
        let builder = LocalFrontier::builder(chain).store(Arc::new(store));
        builder.build().unwrap()
    };
    let frontier = build(Chain::new().then(Strict));
    seed(
        &frontier,
        &["http://h.example/bad", "http://h.example/good"],
    );
    let bad = leased(&frontier);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        frontier.observe(bad, &page(&[]), &mut Vec::new())
    }));
    assert!(panicked.is_err());
    let good = leased(&frontier);
    assert_eq!(path(&good), "/good");
    frontier.observe(good, &page(&[]), &mut Vec::new()).unwrap();
    assert!(matches!(turn(&frontier), Turn::Drained));
    frontier.flush().unwrap();
    drop(frontier);
    let again = build(Chain::new());
    assert_eq!(path(&leased(&again)), "/bad");
}
