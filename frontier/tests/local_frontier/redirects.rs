//! A redirect is followed, but not for ever, and is no duplicate of the page that led to it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use nodust_frontier::{
    Chain, Exploration, Frontier, LocalFrontier, Outcome, Probability, RawUrl, Turn, frontier::Open,
};

use crate::common::{leased, page, seed};
use crate::stages::{LatePredictor, Untracked, frontier};

#[test]
fn a_redirect_into_its_own_class_is_followed() {
    let frontier = frontier(&Arc::default(), 0.0);
    seed(&frontier, &["http://h.example/a"]);
    let target = RawUrl::new("/a?utm");
    let moved = Outcome::Redirected {
        status: 301,
        target,
    };
    frontier
        .observe(leased(&frontier), &moved, &mut Vec::new())
        .unwrap();
    let lease = leased(&frontier);
    assert_eq!(lease.url().as_str(), "http://h.example/a?utm");
    assert_eq!(lease.admitted().redirects, 1);
}

/// On a real blog, a page linked with and without its last slash was lost: the spelling without came
/// first, the other was dropped as its duplicate, and then the first redirected to it.
#[test]
fn a_redirect_to_a_spelling_that_was_dropped_in_its_favour_is_followed() {
    let frontier = frontier(&Arc::default(), 0.0);
    seed(&frontier, &["http://h.example/a", "http://h.example/a?utm"]);
    assert_eq!(frontier.totals().total.saved(), 1);
    let moved = Outcome::Redirected {
        status: 301,
        target: RawUrl::new("/a?utm"),
    };
    frontier
        .observe(leased(&frontier), &moved, &mut Vec::new())
        .unwrap();
    let lease = leased(&frontier);
    assert_eq!(lease.url().as_str(), "http://h.example/a?utm");
    let back = Outcome::Redirected {
        status: 301,
        target: RawUrl::new("/a"),
    };
    frontier.observe(lease, &back, &mut Vec::new()).unwrap();
    let stats = frontier.totals();
    assert_eq!((stats.queued, stats.ledger), (0, 0));
    assert_eq!((stats.total.fetched, stats.total.saved()), (2, 0));
    assert!(stats.total.is_balanced());
}

#[test]
fn a_target_of_a_redirect_that_waited_is_a_copy_like_any_link_but_none_of_its_source() {
    let learned = Arc::new(AtomicU64::new(0));
    let chain = Chain::new()
        .then(Untracked)
        .then(LatePredictor(Arc::clone(&learned)));
    let frontier = LocalFrontier::builder(chain)
        .exploration(Exploration::new(Probability::new(0.0).unwrap(), 7))
        .build()
        .unwrap();
    seed(&frontier, &["http://h.example/a", "http://h.example/b?utm"]);
    for target in ["/copy", "/b"] {
        let moved = Outcome::Redirected {
            status: 302,
            target: RawUrl::new(target),
        };
        let lease = leased(&frontier);
        frontier.observe(lease, &moved, &mut Vec::new()).unwrap();
    }
    learned.store(1, Ordering::SeqCst);
    let lease = leased(&frontier);
    assert_eq!(lease.url().as_str(), "http://h.example/b");
    frontier
        .observe(lease, &page(&[]), &mut Vec::new())
        .unwrap();
    let stats = frontier.totals();
    assert_eq!((stats.queued, stats.ledger), (0, 1), "the copy waits");
}

#[test]
fn a_redirect_loop_ends() {
    let frontier = frontier(&Arc::default(), 0.0);
    seed(&frontier, &["http://h.example/0"]);
    let mut hops = 0;
    while let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open).unwrap() {
        hops += 1;
        let next = format!("/{hops}");
        let moved = Outcome::Redirected {
            status: 302,
            target: RawUrl::new(&next),
        };
        frontier.observe(lease, &moved, &mut Vec::new()).unwrap();
    }
    assert_eq!(
        hops, 11,
        "ten redirects are followed, the eleventh is out of scope"
    );
}
