//! Several fetches of one host at a time: links to a page that is under way wait for it.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop with the error"
)]

mod common;

use std::{
    collections::{BTreeSet, HashMap},
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex},
    time::Instant,
};

use common::{leased, page, seed};
use nodust_frontier::{
    BeliefId, Candidate, CanonicalUrl, Chain, DropReason, Effects, Exploration, Fate, FetchFailure,
    Frontier, HostKey, Lease, LocalFrontier, MemoryStore, Middleware, Observation, Outcome, Phase,
    Prediction, Probability, RawUrl, StageName, Store, Turn, Verdict, Via, frontier::Open,
};

/// Takes URLs for one page that differ in what follows `!`.
#[derive(Debug, Default)]
struct Pages(Mutex<BTreeSet<String>>);

fn name(path: &str) -> &str {
    path.split('!').next().unwrap_or(path)
}

impl Middleware for Pages {
    fn name(&self) -> StageName {
        "predict"
    }
    fn phase(&self) -> Phase {
        Phase::AfterSeen
    }
    fn judge(&self, link: &mut Candidate, _via: &Via<'_>) -> Verdict {
        if !self.0.lock().unwrap().contains(name(link.url().path())) {
            return Verdict::Pass;
        }
        Verdict::Drop(DropReason::PredictedDuplicate(Prediction {
            belief: BeliefId::of("h.example", "copies"),
            probability: Probability::new(0.99).unwrap(),
        }))
    }
    fn generation(&self, _host: &HostKey) -> u64 {
        1
    }
    fn page_name(&self, url: &CanonicalUrl) -> Option<u64> {
        let mut hash = DefaultHasher::new();
        name(url.as_url().path()).hash(&mut hash);
        Some(hash.finish())
    }
    fn observe(&self, seen: &Observation<'_>, _effects: &mut Effects) {
        if let Outcome::Fetched(page) = seen.outcome
            && page.is_success()
        {
            let path = seen.url.url.as_url().path();
            self.0.lock().unwrap().insert(name(path).to_owned());
        }
    }
    fn describe(&self, _belief: BeliefId) -> Option<String> {
        Some("copies".to_owned())
    }
}

fn on(store: Arc<dyn Store>) -> LocalFrontier {
    LocalFrontier::builder(Chain::new().then(Pages::default()))
        .store(store)
        .exploration(Exploration::new(Probability::new(0.0).unwrap(), 7))
        .build()
        .unwrap()
}

/// A frontier whose seed links to these.
fn linked(store: Arc<dyn Store>, paths: &[String]) -> LocalFrontier {
    let frontier = on(store);
    seed(&frontier, &["http://h.example/"]);
    let links: Vec<RawUrl<'_>> = paths.iter().map(|path| RawUrl::new(path)).collect();
    let home = leased(&frontier);
    frontier
        .observe(home, &page(&links), &mut Vec::new())
        .unwrap();
    frontier
}

fn path(lease: &Lease) -> String {
    lease.url().as_url().path().to_owned()
}

/// All that can be leased now.
fn lease_all(frontier: &LocalFrontier) -> Vec<Lease> {
    std::iter::from_fn(|| match frontier.lease(Instant::now(), &Open).unwrap() {
        Turn::Fetch(lease) => Some(lease),
        Turn::Idle | Turn::Drained => None,
        Turn::Wait(_) => panic!("nothing waits for a time"),
    })
    .collect()
}

fn bring(frontier: &LocalFrontier, lease: Lease) {
    frontier
        .observe(lease, &page(&[]), &mut Vec::new())
        .unwrap();
    assert!(frontier.totals().total.is_balanced());
}

/// Ends so that it is not tried again.
fn fail(frontier: &LocalFrontier, lease: Lease) {
    let gone = Outcome::Failed(FetchFailure {
        code: "timeout",
        detail: String::new(),
        status: None,
        retry_after: None,
        may_pass: false,
    });
    frontier.observe(lease, &gone, &mut Vec::new()).unwrap();
}

fn paths(all: &[&str]) -> Vec<String> {
    all.iter().map(|path| (*path).to_owned()).collect()
}

#[test]
fn copies_of_a_page_under_way_wait_and_are_dropped_when_it_has_come() {
    let links = paths(&["/a", "/a!1", "/a!2", "/b!1", "/b!2", "/c"]);
    let frontier = linked(Arc::new(MemoryStore::default()), &links);
    let first = lease_all(&frontier);
    assert_eq!(
        first.iter().map(path).collect::<Vec<_>>(),
        ["/a", "/b!1", "/c"]
    );
    assert!(matches!(
        frontier.lease(Instant::now(), &Open).unwrap(),
        Turn::Idle
    ));
    for lease in first {
        bring(&frontier, lease);
    }
    assert!(lease_all(&frontier).is_empty());
    let stats = frontier.totals();
    assert_eq!((stats.total.fetched, stats.ledger), (4, 3));
}

#[test]
fn when_a_page_fails_one_of_those_that_waited_is_next_and_the_others_wait_for_that() {
    let links = paths(&["/a", "/a!1", "/a!2"]);
    let frontier = linked(Arc::new(MemoryStore::default()), &links);
    for expected in ["/a", "/a!1", "/a!2"] {
        let mut leases = lease_all(&frontier);
        assert_eq!(leases.iter().map(path).collect::<Vec<_>>(), [expected]);
        fail(&frontier, leases.remove(0));
    }
    assert!(matches!(
        frontier.lease(Instant::now(), &Open).unwrap(),
        Turn::Drained
    ));
}

#[test]
fn what_waited_for_a_page_that_is_given_back_unfetched_goes_on_and_counts_no_failure() {
    let links = paths(&["/a", "/a!1", "/a!2"]);
    let frontier = linked(Arc::new(MemoryStore::default()), &links);
    for _ in 0..40 {
        let mut leases = lease_all(&frontier);
        assert_eq!(leases.iter().map(path).collect::<Vec<_>>(), ["/a"]);
        frontier.release(leases.remove(0)).unwrap();
    }
    let mut leases = lease_all(&frontier);
    bring(&frontier, leases.remove(0));
    assert!(lease_all(&frontier).is_empty());
    assert_eq!(frontier.totals().ledger, 2);
}

/// A page that nobody is given, with a session in each link to it, must not keep a crawl for as long as it takes to ask for it
/// so many times.
#[test]
fn copies_of_a_page_that_fails_again_and_again_are_fetched_together() {
    let links: Vec<String> = (0..100).map(|n| format!("/a!{n}")).collect();
    let frontier = linked(Arc::new(MemoryStore::default()), &links);
    let (mut times, mut failed) = (0, 0);
    loop {
        let leases = lease_all(&frontier);
        if leases.is_empty() {
            break;
        }
        times += 1;
        failed += leases.len();
        for lease in leases {
            fail(&frontier, lease);
        }
    }
    assert_eq!(failed, 100);
    assert!(times < 40, "{times}");
}

#[test]
fn however_many_wait_all_are_heard_and_other_pages_in_the_end() {
    let copies = (0..500).map(|n| format!("/a!{n}"));
    let links: Vec<String> = copies
        .chain((0..20).map(|n| format!("/other/{n}")))
        .collect();
    let frontier = linked(Arc::new(MemoryStore::default()), &links);
    let mut under_way = lease_all(&frontier);
    let mut fetched = 0;
    while let Some(lease) = under_way.pop() {
        bring(&frontier, lease);
        fetched += 1;
        under_way.extend(lease_all(&frontier));
    }
    assert_eq!(fetched, 21);
    assert_eq!(frontier.totals().ledger, 499);
    assert_eq!(frontier.totals().queued, 0);
}

#[test]
fn what_waited_when_the_process_ended_is_queued_in_the_next() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let frontier = linked(store, &paths(&["/a", "/a!1", "/a!2"]));
    let under_way = lease_all(&frontier);
    assert_eq!(under_way.len(), 1);
    // The process ends with the page under way.
    let again = on(Arc::clone(frontier.store()));
    let queued = again.totals().queued;
    drop(under_way);
    assert_eq!(queued, 3);
}

#[test]
fn copies_on_other_hosts_wait_too_and_their_hosts_are_asked_again() {
    let links: Vec<String> = (0..4)
        .flat_map(|n| ["h", "m", "n"].map(|host| format!("http://{host}.example/{n}")))
        .collect();
    let frontier = linked(Arc::new(MemoryStore::default()), &links);
    let mut fetched: HashMap<String, usize> = HashMap::new();
    let mut under_way = lease_all(&frontier);
    assert_eq!(under_way.len(), 4);
    while let Some(lease) = under_way.pop() {
        *fetched.entry(path(&lease)).or_default() += 1;
        bring(&frontier, lease);
        under_way.extend(lease_all(&frontier));
    }
    assert!(fetched.len() == 4 && fetched.values().all(|times| *times == 1));
    assert_eq!(frontier.totals().ledger, 8);
}

/// It is in no queue, and was not fetched.
#[test]
fn explaining_a_link_that_waits_for_a_page_under_way_does_not_say_that_it_was_fetched() {
    let paths = ["/a".to_owned(), "/a!1".to_owned()];
    let frontier = linked(Arc::new(MemoryStore::default()), &paths);
    let fate = || {
        let link = RawUrl::new("http://h.example/a!1");
        frontier.explain(&Via::seed(), link).unwrap().fate()
    };
    assert_eq!(fate(), Some(Fate::Queued));
    let mut out = lease_all(&frontier);
    assert_eq!(out.len(), 1);
    assert_eq!(fate(), Some(Fate::Known));
    let a = out.remove(0);
    frontier.observe(a, &page(&[]), &mut Vec::new()).unwrap();
    assert_eq!(fate(), Some(Fate::Queued));
}
