//! Whoever only asks changes nothing, and is told what would become of a link.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use nodust_frontier::{
    BeliefId, Chain, Commit, Exploration, Fate, Frontier, LocalFrontier, MemoryStore, Probability,
    RawUrl, Store, Via,
};

use crate::common::{leased, page, seed};
use crate::stages::{LatePredictor, Rule, crawl, frontier};

#[test]
fn explaining_changes_nothing_and_ends_as_admitting_would() {
    let rule = Arc::new(Rule::default());
    rule.switch(true);
    let frontier = frontier(&rule, 0.0);
    seed(&frontier, &["http://h.example/x!1"]);
    let before = frontier.stats().unwrap();
    let trace = frontier
        .explain(&Via::seed(), RawUrl::new("http://h.example/x!2"))
        .unwrap();
    let text = trace.to_string();
    assert!(text.contains("class http://h.example/x\n"), "{text}");
    assert!(text.contains("its class is known by belief"), "{text}");
    assert_eq!(frontier.stats().unwrap(), before);
    let trace = frontier
        .explain(&Via::seed(), RawUrl::new("javascript:x()"))
        .unwrap();
    assert!(trace.drop_step().is_some());
}

#[test]
fn explaining_a_seed_says_that_predictions_drop_links_only() {
    let generation = Arc::new(AtomicU64::new(0));
    let frontier = LocalFrontier::builder(Chain::new().then(LatePredictor(generation)))
        .build()
        .unwrap();
    let home = "http://h.example/".parse().unwrap();
    for (via, is_told) in [(Via::seed(), true), (Via::page(&home), false)] {
        let link = RawUrl::new("http://h.example/a");
        let told = frontier.explain(&via, link).unwrap().to_string();
        let note = "a seed: predictions do not drop it";
        assert_eq!(told.contains(note), is_told, "{told}");
    }
    let unpredicted = LocalFrontier::builder(Chain::new()).build().unwrap();
    let link = RawUrl::new("http://h.example/a");
    let told = unpredicted.explain(&Via::seed(), link).unwrap().to_string();
    assert!(!told.contains("a seed"), "{told}");
}

/// It was admitted, and dropped only while it waited: the seen-set knows the first, the ledger the second.
#[test]
fn explaining_a_link_that_was_dropped_while_it_waited_says_that_it_waits_in_the_ledger() {
    let generation = Arc::new(AtomicU64::new(0));
    let frontier = LocalFrontier::builder(Chain::new().then(LatePredictor(generation.clone())))
        .exploration(Exploration::new(Probability::new(0.0).unwrap(), 0))
        .build()
        .unwrap();
    seed(&frontier, &["http://h.example/"]);
    let links = [RawUrl::new("/copy1")];
    frontier
        .observe(leased(&frontier), &page(&links), &mut Vec::new())
        .unwrap();
    let told = || {
        let link = RawUrl::new("http://h.example/copy1");
        frontier.explain(&Via::seed(), link).unwrap()
    };
    assert_eq!(told().fate(), Some(Fate::Known));
    assert!(
        told()
            .to_string()
            .contains("queued before: it waits to be fetched, or was")
    );
    generation.store(1, Ordering::SeqCst);
    assert_eq!(crawl(&frontier, |_| vec![]), [""; 0]);
    let belief = BeliefId::of("h.example", "copies");
    assert_eq!(told().fate(), Some(Fate::InLedger(belief)));
    let told = told().to_string();
    assert!(
        told.contains("queued before, and dropped while it waited"),
        "{told}"
    );
    let last = told.lines().last().unwrap();
    assert!(
        last.contains(&format!(
            "waits in the ledger, on the word of belief {belief}"
        )),
        "{told}"
    );
}

#[test]
fn explaining_a_spelling_that_normalization_dropped_says_that_it_waits_in_the_ledger() {
    let frontier = frontier(&Arc::default(), 0.0);
    seed(&frontier, &["http://h.example/a", "http://h.example/a?utm"]);
    let told = frontier
        .explain(&Via::seed(), RawUrl::new("http://h.example/a?utm"))
        .unwrap()
        .to_string();
    let last = told.lines().last().unwrap();
    assert!(
        last.contains("in the ledger, on the word of normalization"),
        "{told}"
    );
    assert_eq!(told.matches("waits there").count(), 1, "{told}");
}

#[test]
fn a_frontier_that_only_looks_leaves_a_begun_withdrawal_as_it_is() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let key = format!("frontier/withdrawing/{}/h.example", Rule::belief());
    store
        .commit(Commit {
            state: vec![(key.clone(), Some(Vec::new()))],
            ..Commit::default()
        })
        .unwrap();
    let frontier = |looks: bool| {
        let builder = LocalFrontier::builder(Chain::new()).store(Arc::clone(&store));
        let builder = if looks { builder.only_looks() } else { builder };
        builder.build().unwrap()
    };
    let link = RawUrl::new("http://h.example/a");
    frontier(true).explain(&Via::seed(), link).unwrap();
    assert!(store.state(&key).unwrap().is_some());
    drop(frontier(false));
    assert!(store.state(&key).unwrap().is_none());
}
