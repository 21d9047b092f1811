//! Nothing is lost and nothing is fetched twice, also where fetches fail, hosts are closed and processes end.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use nodust_frontier::{
    Candidate, Chain, Decision, DropReason, Fate, FetchFailure, FetchedPage, Frontier, Gate,
    HostKey, LocalFrontier, MemoryStore, Middleware, NotYet, Outcome, RawUrl, StageName, Store,
    Turn, Verdict, Via, frontier::Open,
};

use crate::common::{leased, page, seed};
use crate::stages::{Rule, crawl, frontier, frontier_on};

#[test]
fn every_link_is_fetched_once_in_the_order_it_was_found() {
    let frontier = frontier(&Arc::default(), 0.0);
    seed(&frontier, &["http://h.example/"]);
    let fetched = crawl(&frontier, |path| match path {
        "/" => vec!["/a", "/b", "/a#x", "/"],
        "/a" => vec!["/b", "/c"],
        _ => vec!["/"],
    });
    assert_eq!(fetched, ["/", "/a", "/b", "/c"]);
    let total = frontier.totals().total;
    assert_eq!((total.fetched, total.known, total.saved()), (4, 5, 0));
}

#[test]
fn a_spelling_that_equals_the_class_of_a_known_page_is_a_counted_saving() {
    let frontier = frontier(&Arc::default(), 0.0);
    seed(&frontier, &["http://h.example/a?utm"]);
    let out = seed(&frontier, &["http://h.example/a", "http://h.example/a"]);
    assert!(matches!(
        &out[0],
        Decision::Dropped(d) if d.stage == "normalize"
            && d.reason == DropReason::KnownDuplicate { merged_by: None }
    ));
    assert_eq!(out[1], Decision::Known);
    assert_eq!(frontier.totals().total.saved(), 1);
    // The other way round, on one page and across pages.
    let out = seed(&frontier, &["http://h.example/b", "http://h.example/b?utm"]);
    assert!(matches!(&out[1], Decision::Dropped(_)));
    assert!(matches!(
        &seed(&frontier, &["http://h.example/b?utm"])[0],
        Decision::Known
    ));
}

/// Wants no link that lies more than one deep.
#[derive(Debug)]
struct Shallow;

impl Middleware for Shallow {
    fn name(&self) -> StageName {
        "shallow"
    }

    fn judge(&self, _: &mut Candidate, via: &Via<'_>) -> Verdict {
        if via.link_depth() > 1 {
            let rule = "too deep".into();
            return Verdict::Drop(DropReason::OutOfScope { rule });
        }
        Verdict::Pass
    }
}

#[test]
fn what_is_known_is_no_drop_where_it_is_met_again_out_of_scope() {
    let frontier = LocalFrontier::builder(Chain::new().then(Shallow))
        .build()
        .unwrap();
    seed(&frontier, &["http://h.example/"]);
    let fetched = crawl(&frontier, |path| match path {
        "/" => vec!["/a"],
        _ => vec!["/", "/a", "/deep"],
    });
    assert_eq!(fetched, ["/", "/a"]);
    let total = frontier.totals().total;
    assert_eq!(
        (total.known, total.dropped["shallow"]["out_of_scope"]),
        (2, 1)
    );
    let page = "http://h.example/a".parse().unwrap();
    let via = Via::page(&page).at_depth(1);
    let fate = |link| frontier.explain(&via, RawUrl::new(link)).unwrap().fate();
    assert_eq!(fate("/"), Some(Fate::Fetched));
    assert_eq!(fate("/new"), Some(Fate::Dropped));
}

#[test]
fn when_the_page_of_a_class_is_broken_another_spelling_is_fetched() {
    let frontier = frontier(&Arc::default(), 0.0);
    seed(&frontier, &["http://h.example/a?utm", "http://h.example/a"]);
    let lease = leased(&frontier);
    let gone = Outcome::Fetched(FetchedPage {
        status: 404,
        ..FetchedPage::default()
    });
    frontier.observe(lease, &gone, &mut Vec::new()).unwrap();
    assert_eq!(leased(&frontier).url().as_str(), "http://h.example/a");
    assert_eq!(frontier.totals().total.saved(), 0);
}

#[test]
fn a_page_that_is_not_there_leads_to_others_but_not_ever_deeper() {
    let followed = |status| {
        let frontier = frontier(&Arc::default(), 0.0);
        seed(&frontier, &["http://h.example/a/b/wiki/X"]);
        let links = ["/index?title=X", "Y", "X/Z", "/de/a/b/wiki/X"].map(RawUrl::new);
        let answer = Outcome::Fetched(FetchedPage {
            status,
            links: &links,
            ..FetchedPage::default()
        });
        let mut out = Vec::new();
        frontier
            .observe(leased(&frontier), &answer, &mut out)
            .unwrap();
        let admitted = out.iter().filter_map(|decision| match decision {
            Decision::Admitted(admitted) => Some(admitted.url.as_str().to_owned()),
            _ => None,
        });
        admitted.collect::<Vec<_>>()
    };
    let beside = [
        "http://h.example/index?title=X",
        "http://h.example/a/b/wiki/Y",
    ];
    assert_eq!(followed(404), beside);
    assert_eq!(followed(200).len(), 4);
    assert!(followed(500).is_empty());
}

#[test]
fn when_the_page_of_a_class_was_broken_the_next_spelling_found_is_fetched() {
    let frontier = frontier(&Arc::default(), 0.0);
    seed(&frontier, &["http://h.example/a?utm"]);
    let gone = || {
        Outcome::Fetched(FetchedPage {
            status: 404,
            ..FetchedPage::default()
        })
    };
    frontier
        .observe(leased(&frontier), &gone(), &mut Vec::new())
        .unwrap();
    assert!(matches!(
        &seed(&frontier, &["http://h.example/a"])[0],
        Decision::Admitted(_)
    ));
}

#[test]
fn a_link_sent_back_by_the_gate_is_not_taken_for_a_duplicate_of_itself() {
    struct Closed;
    impl Gate for Closed {
        fn check(&self, _host: &HostKey, _now: Instant) -> Result<(), NotYet> {
            Err(NotYet::For(Duration::from_millis(1)))
        }
    }
    let rule = Arc::new(Rule::default());
    let frontier = frontier(&rule, 0.0);
    seed(&frontier, &["http://h.example/"]);
    let links = [RawUrl::new("/x!1")];
    frontier
        .observe(leased(&frontier), &page(&links), &mut Vec::new())
        .unwrap();
    rule.switch(true);
    for _ in 0..3 {
        let later = Instant::now() + Duration::from_secs(1);
        assert!(matches!(
            frontier.lease(later, &Closed).unwrap(),
            Turn::Wait(_)
        ));
    }
    let later = Instant::now() + Duration::from_secs(2);
    let Turn::Fetch(lease) = frontier.lease(later, &Open).unwrap() else {
        panic!("the link is still wanted");
    };
    assert_eq!(lease.url().as_str(), "http://h.example/x!1");
}

#[test]
fn a_wait_may_be_as_long_as_a_duration_can_be() {
    struct Never;
    impl Gate for Never {
        fn check(&self, _host: &HostKey, _now: Instant) -> Result<(), NotYet> {
            Err(NotYet::For(Duration::MAX))
        }
    }
    let frontier = frontier(&Arc::default(), 0.0);
    seed(&frontier, &["http://h.example/", "http://other.example/"]);
    let failed = Outcome::Failed(FetchFailure {
        code: "timeout",
        detail: String::new(),
        status: None,
        retry_after: Some(Duration::MAX),
        may_pass: true,
    });
    frontier
        .observe(leased(&frontier), &failed, &mut Vec::new())
        .unwrap();
    let turn = frontier.lease(Instant::now(), &Never).unwrap();
    assert!(matches!(turn, Turn::Wait(_)), "{turn:?}");
    assert_eq!(frontier.stats().unwrap().queued, 2, "all is still there");
}

#[test]
fn a_failed_fetch_is_tried_again_and_then_given_up() {
    let frontier = frontier(&Arc::default(), 0.0);
    seed(&frontier, &["http://h.example/"]);
    let failure = |after| {
        Outcome::Failed(FetchFailure {
            code: "timeout",
            detail: String::new(),
            status: None,
            retry_after: after,
            may_pass: false,
        })
    };
    let lease = leased(&frontier);
    assert_eq!(lease.attempt(), 0);
    let again = Some(Duration::from_secs(30));
    frontier
        .observe(lease, &failure(again), &mut Vec::new())
        .unwrap();
    let now = Instant::now();
    assert!(matches!(frontier.lease(now, &Open).unwrap(), Turn::Wait(t) if t.as_secs() >= 29));
    let Turn::Fetch(lease) = frontier
        .lease(now + Duration::from_secs(31), &Open)
        .unwrap()
    else {
        panic!("its time has come");
    };
    assert_eq!(lease.attempt(), 1);
    frontier
        .observe(lease, &failure(None), &mut Vec::new())
        .unwrap();
    assert!(matches!(
        frontier
            .lease(now + Duration::from_secs(31), &Open)
            .unwrap(),
        Turn::Drained
    ));
    let total = frontier.totals().total;
    assert_eq!(
        (total.retried, total.failed["timeout"], total.fetched),
        (1, 1, 1)
    );
}

#[test]
fn a_frontier_built_on_the_same_store_goes_on_where_the_last_one_stopped() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let first = frontier_on(store.clone(), &Arc::default(), 0.0);
    seed(&first, &["http://h.example/"]);
    let links = [RawUrl::new("/a"), RawUrl::new("/b"), RawUrl::new("/a?utm")];
    first
        .observe(leased(&first), &page(&links), &mut Vec::new())
        .unwrap();
    drop(first);
    let second = frontier_on(store, &Arc::default(), 0.0);
    let again = seed(&second, &["http://h.example/"]);
    assert_eq!(again, [Decision::Known]);
    assert_eq!(crawl(&second, |_| vec![]), ["/a", "/b"]);
    let stats = second.stats().unwrap();
    assert_eq!((stats.total.fetched, stats.total.saved()), (3, 1));
    assert_eq!(stats.hosts["h.example"].fetched, 3);
}
