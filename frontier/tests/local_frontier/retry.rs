//! What could not be had is asked for again when that is wanted, once, and is counted as one link all along.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use nodust_frontier::{
    BeliefCounts, BeliefId, Chain, Exploration, Fate, FetchFailure, FetchedPage, Frontier,
    LocalFrontier, MemoryStore, Outcome, Probability, RawUrl, Stats, Store, Via,
};

use crate::common::{leased, page, seed};
use crate::stages::{LatePredictor, Rule, crawl, frontier, frontier_on};

fn failed(code: &'static str, may_pass: bool) -> Outcome<'static> {
    Outcome::Failed(FetchFailure {
        code,
        detail: String::new(),
        status: None,
        retry_after: None,
        may_pass,
    })
}

fn answered(status: u16) -> Outcome<'static> {
    Outcome::Fetched(FetchedPage {
        status,
        ..FetchedPage::default()
    })
}

/// Leases all that waits, in the order of the queue; `outcome` says what comes of each.
fn fetch(frontier: &LocalFrontier, outcome: impl Fn(&str) -> Outcome<'static>) {
    while frontier.totals().queued > 0 {
        let lease = leased(frontier);
        let path = lease.url().as_url().path().to_owned();
        (frontier.observe(lease, &outcome(&path), &mut Vec::new())).unwrap();
    }
}

/// As a server in trouble answers.
fn in_trouble(path: &str) -> Outcome<'static> {
    match path {
        "/late" => failed("timeout", true),
        "/nowhere" => failed(FetchFailure::NO_ADDRESS, true),
        "/forbidden" => failed(FetchFailure::ROBOTS, false),
        "/large" => failed("too_large", false),
        "/busy" => answered(503),
        "/often" => answered(429),
        "/missing" => answered(404),
        _ => page(&[]),
    }
}

const PATHS: [&str; 8] = [
    "/late",
    "/nowhere",
    "/forbidden",
    "/large",
    "/busy",
    "/often",
    "/missing",
    "/there",
];

fn seed_all(frontier: &LocalFrontier) {
    let urls = PATHS.map(|path| format!("http://h.example{path}"));
    seed(frontier, &urls.each_ref().map(String::as_str));
}

/// A frontier that has found one link, which is a copy as soon as that is `learned`; such a share is explored.
fn of_copies(learned: &Arc<AtomicU64>, share: f64) -> LocalFrontier {
    let chain = Chain::new().then(LatePredictor(Arc::clone(learned)));
    let explored = Exploration::new(Probability::new(share).unwrap(), 0);
    let builder = LocalFrontier::builder(chain).exploration(explored);
    let frontier = builder.build().unwrap();
    seed(&frontier, &["http://h.example/"]);
    let links = [RawUrl::new("/copy/1")];
    (frontier.observe(leased(&frontier), &page(&links), &mut Vec::new())).unwrap();
    frontier
}

fn numbers(stats: &Stats) -> (u64, u64, u64, u64, u64) {
    let total = &stats.total;
    let failed = total.failed.values().sum();
    assert!(total.is_balanced());
    (
        total.fetched,
        total.broken,
        failed,
        total.retried,
        stats.to_retry,
    )
}

#[test]
fn what_may_have_passed_is_asked_for_again_and_the_rest_is_not() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let rule = Arc::new(Rule::default());
    let first = frontier_on(store.clone(), &rule, 0.0);
    seed_all(&first);
    fetch(&first, in_trouble);
    // Without an address nothing was asked, nor where robots.txt forbade it.
    assert_eq!(numbers(&first.stats().unwrap()), (6, 3, 4, 0, 4));
    drop(first);

    let later = frontier_on(store.clone(), &rule, 0.0);
    assert_eq!(later.totals().queued, 0, "not before it is wanted");
    assert_eq!(later.totals().to_retry, 4);
    assert_eq!(Stats::of_store(&*store).unwrap().to_retry, 4);
    for _ in 0..2 {
        assert_eq!(later.retry_failed().unwrap(), 4);
        assert_eq!(later.totals().queued, 4);
    }
    // What was counted of them stands until they are had.
    let stats = later.stats().unwrap();
    assert_eq!(numbers(&stats), (6, 3, 4, 0, 0));
    assert_eq!(Stats::of_store(&*store).unwrap().to_retry, 0);
    drop(later);

    // Once queued, they wait like any other.
    let last = frontier_on(store, &rule, 0.0);
    let fetched: BTreeSet<String> = crawl(&last, |_| vec!["/new"]).into_iter().collect();
    let expected = ["/busy", "/late", "/new", "/nowhere", "/often"];
    assert_eq!(fetched, expected.map(str::to_owned).into());
    // What was a fetch is a further try of one.
    let stats = last.stats().unwrap();
    assert_eq!(numbers(&stats), (8, 1, 2, 3, 0));
    assert_eq!(stats.total.failed.len(), 2);
    assert_eq!(last.retry_failed().unwrap(), 0);
}

#[test]
fn what_fails_again_is_kept_again_with_all_its_tries() {
    let frontier = frontier(&Arc::default(), 0.0);
    seed_all(&frontier);
    for round in 0..3 {
        if round > 0 {
            assert_eq!(frontier.retry_failed().unwrap(), 4);
            let lease = leased(&frontier);
            assert_eq!(lease.attempt(), 0);
            let path = lease.url().as_url().path().to_owned();
            (frontier.observe(lease, &in_trouble(&path), &mut Vec::new())).unwrap();
        }
        fetch(&frontier, in_trouble);
        let stats = frontier.stats().unwrap();
        assert_eq!(numbers(&stats), (6, 3, 4, 3 * round, 4), "{round}");
    }
}

#[test]
fn a_probe_that_failed_is_counted_as_explored_once() {
    let frontier = of_copies(&Arc::new(1.into()), 1.0);
    fetch(&frontier, |_| failed("timeout", true));
    let explored = || {
        let counts = BeliefCounts::of_store(&**frontier.store()).unwrap();
        let of_belief = counts[&BeliefId::of("h.example", "copies")];
        let total = frontier.totals().total;
        assert_eq!(total.explored, of_belief.explored);
        (total.explored, total.fetched)
    };
    assert_eq!(explored(), (1, 2));
    assert_eq!(frontier.retry_failed().unwrap(), 1);
    assert_eq!(explored(), (1, 2));
    fetch(&frontier, |_| page(&[]));
    assert_eq!(explored(), (1, 2));
}

#[test]
fn what_came_back_from_the_ledger_and_failed_waits_again_when_it_is_asked_for_again() {
    let frontier = frontier(&Arc::default(), 0.0);
    seed(&frontier, &["http://h.example/a", "http://h.example/a?utm"]);
    fetch(&frontier, |_| page(&[]));
    assert_eq!(frontier.second_helping().unwrap(), 1);
    let total = || frontier.totals().total;
    assert_eq!((total().plain(), total().waiting_again), (2, 1));
    fetch(&frontier, |_| answered(500));
    assert_eq!(
        (total().plain(), total().waiting_again, total().returned),
        (2, 0, 1)
    );
    assert_eq!(frontier.retry_failed().unwrap(), 1);
    fetch(&frontier, |_| page(&[]));
    assert_eq!(
        (total().plain(), total().waiting_again, total().returned),
        (2, 0, 1)
    );
}

#[test]
fn a_link_that_is_known_for_a_copy_by_now_is_dropped_instead_of_asked_for() {
    let learned = Arc::new(0.into());
    let frontier = of_copies(&learned, 0.0);
    fetch(&frontier, |_| failed("timeout", true));
    learned.store(1, Ordering::SeqCst);
    assert_eq!(frontier.retry_failed().unwrap(), 1);
    assert_eq!(crawl(&frontier, |_| vec![]), Vec::<String>::new());
    let stats = frontier.stats().unwrap();
    assert_eq!((stats.total.fetched, stats.total.saved()), (1, 1));
    assert_eq!((stats.total.plain(), stats.total.retried), (2, 1));
    assert_eq!((stats.ledger, stats.to_retry), (1, 0));
}

/// A page with three spellings, none of which it was given under: a crawler tries each, and keeps them all.
fn out_of_order() -> LocalFrontier {
    let frontier = frontier(&Arc::default(), 0.0);
    seed(&frontier, &["http://h.example/"]);
    let links = [RawUrl::new("/a"), RawUrl::new("/a?utm"), RawUrl::new("/b")];
    (frontier.observe(leased(&frontier), &page(&links), &mut Vec::new())).unwrap();
    assert_eq!(frontier.totals().ledger, 1);
    fetch(&frontier, |_| answered(500));
    let stats = frontier.stats().unwrap();
    assert_eq!((stats.ledger, numbers(&stats)), (0, (4, 3, 0, 0, 3)));
    frontier
}

#[test]
fn of_several_spellings_of_a_page_one_is_asked_for_again_if_that_brings_it() {
    let frontier = out_of_order();
    assert_eq!(frontier.retry_failed().unwrap(), 2);
    let fetched = crawl(&frontier, |_| vec![]);
    assert_eq!(fetched.len(), 2, "{fetched:?}");
    let stats = frontier.stats().unwrap();
    assert_eq!(numbers(&stats), (4, 1, 0, 2, 0));
    assert_eq!(frontier.retry_failed().unwrap(), 0);
}

#[test]
fn where_a_spelling_fails_again_the_next_one_is_asked_for() {
    let frontier = out_of_order();
    assert_eq!(frontier.retry_failed().unwrap(), 2);
    fetch(&frontier, |_| answered(502));
    assert_eq!(numbers(&frontier.stats().unwrap()), (4, 3, 0, 3, 3));
    assert_eq!(frontier.retry_failed().unwrap(), 2);
    // One of the names of the page is gone by now, whichever is asked for first.
    let asked = std::cell::Cell::new(0);
    fetch(&frontier, |path| {
        asked.set(asked.get() + u32::from(path == "/a"));
        match path {
            "/a" if asked.get() == 1 => answered(404),
            _ => page(&[]),
        }
    });
    assert_eq!((asked.get(), frontier.totals().to_retry), (2, 0));
}

#[test]
fn a_page_that_another_spelling_brought_is_not_asked_for_again() {
    let frontier = frontier(&Arc::default(), 0.0);
    seed(&frontier, &["http://h.example/"]);
    let links = [RawUrl::new("/a"), RawUrl::new("/a?utm")];
    (frontier.observe(leased(&frontier), &page(&links), &mut Vec::new())).unwrap();
    let (first, failed) = (leased(&frontier), failed("timeout", true));
    (frontier.observe(first, &failed, &mut Vec::new())).unwrap();
    assert_eq!(frontier.totals().to_retry, 1);
    fetch(&frontier, |_| page(&[]));
    assert_eq!(frontier.totals().to_retry, 0);
    assert_eq!(frontier.retry_failed().unwrap(), 0);
}

#[test]
fn explain_says_that_a_link_is_kept_to_be_tried_again_and_why() {
    let frontier = frontier(&Arc::default(), 0.0);
    seed_all(&frontier);
    fetch(&frontier, in_trouble);
    for (path, why) in [("late", "timeout"), ("busy", "status 503")] {
        let url = format!("http://h.example/{path}");
        let told = frontier.explain(&Via::seed(), RawUrl::new(&url)).unwrap();
        assert_eq!(told.fate(), Some(Fate::ToRetry));
        let told = told.to_string();
        assert!(told.contains(&format!("failed ({why})")), "{told}");
        assert!(told.contains("told to retry what failed"), "{told}");
    }
}

#[test]
fn spellings_that_a_belief_made_one_wait_in_the_ledger_once_one_has_come_and_come_back_with_its_fall()
 {
    let rule = Arc::new(Rule::default());
    rule.switch(true);
    let frontier = frontier(&rule, 0.0);
    seed(&frontier, &["http://h.example/"]);
    let links = ["/x!1", "/x!2", "/x!3"].map(RawUrl::new);
    (frontier.observe(leased(&frontier), &page(&links), &mut Vec::new())).unwrap();
    fetch(&frontier, |_| failed("timeout", true));
    let stats = frontier.stats().unwrap();
    assert_eq!(numbers(&stats), (4, 0, 3, 0, 3));
    assert_eq!(frontier.retry_failed().unwrap(), 1);
    assert_eq!(crawl(&frontier, |_| vec![]).len(), 1);
    let stats = frontier.stats().unwrap();
    assert_eq!(numbers(&stats), (2, 0, 0, 3, 0));
    assert_eq!((stats.total.saved(), stats.ledger), (2, 2));
    let dropped = || {
        let counts = BeliefCounts::of_store(&**frontier.store()).unwrap()[&Rule::belief()];
        counts.dropped - counts.recalled
    };
    assert_eq!(dropped(), 2);
    seed(&frontier, &["http://h.example/last"]);
    rule.withdraw.store(true, Ordering::SeqCst);
    assert_eq!(crawl(&frontier, |_| vec![]).len(), 3);
    let stats = frontier.stats().unwrap();
    assert_eq!((stats.total.saved(), stats.ledger, dropped()), (0, 0, 0));
    assert_eq!(stats.total.fetched, 5);
}

#[test]
fn what_was_to_be_fetched_whatever_is_believed_still_is_when_it_is_asked_for_again() {
    let frontier = of_copies(&Arc::new(1.into()), 0.0);
    assert_eq!(frontier.second_helping().unwrap(), 1);
    fetch(&frontier, |_| answered(503));
    assert_eq!(frontier.retry_failed().unwrap(), 1);
    assert_eq!(crawl(&frontier, |_| vec![]), ["/copy/1"]);
}

#[test]
fn what_was_asked_for_and_cannot_be_again_stays_counted_as_it_was() {
    let frontier = frontier(&Arc::default(), 0.0);
    seed(&frontier, &["http://h.example/a", "http://h.example/b"]);
    fetch(&frontier, |_| answered(500));
    assert_eq!(numbers(&frontier.stats().unwrap()), (2, 2, 0, 0, 2));
    assert_eq!(frontier.retry_failed().unwrap(), 2);
    fetch(&frontier, |path| match path {
        "/a" => failed(FetchFailure::ROBOTS_UNREACHABLE, true),
        _ => failed(FetchFailure::ROBOTS, false),
    });
    assert_eq!(numbers(&frontier.stats().unwrap()), (2, 2, 0, 0, 1));
    assert_eq!(frontier.retry_failed().unwrap(), 1);
    fetch(&frontier, |_| page(&[]));
    assert_eq!(numbers(&frontier.stats().unwrap()), (2, 1, 0, 1, 0));
}

#[test]
fn a_url_that_fails_each_time_is_tried_in_turn_with_others_of_its_host() {
    let frontier = LocalFrontier::builder(Chain::new()).build().unwrap();
    let urls = ["/bad", "/a", "/b", "/c", "/d", "/e"].map(|path| format!("http://h.example{path}"));
    seed(&frontier, &urls.each_ref().map(String::as_str));
    let mut order = Vec::new();
    while frontier.totals().queued > 0 {
        let lease = leased(&frontier);
        let path = lease.url().as_url().path().to_owned();
        let is_to_fail = path == "/bad" && lease.attempt() < 3;
        order.push(path);
        let outcome = if is_to_fail {
            Outcome::Failed(FetchFailure {
                code: "timeout",
                detail: String::new(),
                status: None,
                retry_after: Some(Duration::ZERO),
                may_pass: true,
            })
        } else {
            page(&[])
        };
        frontier.observe(lease, &outcome, &mut Vec::new()).unwrap();
    }
    let expected = ["/bad", "/a", "/bad", "/b", "/bad", "/c", "/bad", "/d", "/e"];
    assert_eq!(order, expected);
}
