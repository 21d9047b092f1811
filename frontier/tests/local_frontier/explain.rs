//! Whoever only asks changes nothing, and is told what would become of a link.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use nodust_frontier::{
    BeliefId, Chain, Commit, Decision, Exploration, Fate, FetchFailure, Frontier, LocalFrontier,
    MemoryStore, Outcome, Probability, RawUrl, Store, Via,
};

use crate::common::{leased, page, seed};
use crate::stages::{LatePredictor, Rule, Untracked, crawl, frontier};

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

#[test]
fn explaining_another_spelling_of_a_known_page_asks_nobody_behind_the_seen_set() {
    let generation = Arc::new(AtomicU64::new(0));
    let chain = Chain::new()
        .then(Untracked)
        .then(LatePredictor(generation.clone()));
    let frontier = LocalFrontier::builder(chain)
        .exploration(Exploration::new(Probability::new(0.0).unwrap(), 0))
        .build()
        .unwrap();
    seed(&frontier, &["http://h.example/copy1"]);
    generation.store(1, Ordering::SeqCst);
    let explained = |link: &str| frontier.explain(&Via::seed(), RawUrl::new(link)).unwrap();
    let trace = explained("http://h.example/copy1?utm");
    assert_eq!(trace.fate(), Some(Fate::KnownPage), "{trace}");
    assert!(
        trace.to_string().contains("predict is not asked"),
        "{trace}"
    );
    let trace = explained("http://h.example/copy2?utm");
    assert_eq!(trace.fate(), Some(Fate::Dropped), "{trace}");
    // As a crawl has it.
    let home = "http://h.example/".parse().unwrap();
    let links = ["/copy1?utm", "/copy2?utm"].map(RawUrl::new);
    let mut decisions = Vec::new();
    (frontier.admit(&Via::page(&home), &links, &mut decisions)).unwrap();
    let stages: Vec<_> = (decisions.iter())
        .map(|decision| match decision {
            Decision::Dropped(dropped) => dropped.stage,
            _ => "none",
        })
        .collect();
    assert_eq!(stages, ["normalize", "predict"]);
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
    assert_eq!(told().fate(), Some(Fate::Queued));
    assert!(
        told()
            .to_string()
            .contains("queued before, and waits to be fetched")
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
fn explaining_a_url_that_was_queued_says_whether_it_waits_was_fetched_or_failed() {
    let frontier = LocalFrontier::builder(Chain::new()).build().unwrap();
    let urls = [
        "http://h.example/a",
        "http://h.example/b",
        "http://i.example/",
    ];
    seed(&frontier, &urls);
    let fates = || {
        urls.map(|url| {
            let before = frontier.stats().unwrap();
            let told = frontier.explain(&Via::seed(), RawUrl::new(url)).unwrap();
            assert_eq!(frontier.stats().unwrap(), before);
            told.fate().unwrap()
        })
    };
    assert_eq!(fates(), [Fate::Queued; 3]);
    // In the order in which they were admitted, and explaining has not changed it.
    let a = leased(&frontier);
    assert_eq!(a.url().as_str(), urls[0]);
    assert_eq!(fates(), [Fate::Known, Fate::Queued, Fate::Queued]);
    frontier.observe(a, &page(&[]), &mut Vec::new()).unwrap();
    assert_eq!(fates(), [Fate::Fetched, Fate::Queued, Fate::Queued]);
    let failed = |code, retry_after| {
        Outcome::Failed(FetchFailure {
            code,
            detail: String::new(),
            status: None,
            retry_after,
            may_pass: false,
        })
    };
    let mut rest = [leased(&frontier), leased(&frontier)];
    rest.sort_by_key(|lease| lease.url().to_string());
    let [b, i] = rest;
    let later = Some(std::time::Duration::from_secs(1000));
    (frontier.observe(i, &failed("timeout", later), &mut Vec::new())).unwrap();
    let robots = failed(FetchFailure::ROBOTS, None);
    frontier.observe(b, &robots, &mut Vec::new()).unwrap();
    assert_eq!(fates(), [Fate::Tried, Fate::Tried, Fate::Known]);
    let told = frontier
        .explain(&Via::seed(), RawUrl::new(urls[1]))
        .unwrap()
        .to_string();
    assert!(
        told.contains("of its URLs there 1 were answered, 1 failed (robots 1)"),
        "{told}"
    );
}

#[cfg(feature = "sled")]
#[test]
fn explaining_leaves_the_order_of_a_long_queue_on_disk_as_it_is() {
    use nodust_frontier::{SledOptions, SledStore};

    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SledStore::open(folder.path(), &SledOptions::default()).unwrap());
    let builder = LocalFrontier::builder(Chain::new()).store(store);
    let frontier = builder.build().unwrap();
    let urls: Vec<String> = (0..300).map(|n| format!("http://h.example/{n}")).collect();
    seed(
        &frontier,
        &urls.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    for n in [299, 100, 0] {
        let link = RawUrl::new(&urls[n]);
        let told = frontier.explain(&Via::seed(), link).unwrap();
        assert_eq!(told.fate(), Some(Fate::Queued));
    }
    let fetched = crawl(&frontier, |_| vec![]);
    let paths = (0..300).map(|n| format!("/{n}"));
    assert!(fetched.into_iter().eq(paths), "the order has changed");
}

#[test]
fn explaining_a_url_of_a_host_of_which_nothing_came_says_that_it_failed() {
    let frontier = LocalFrontier::builder(Chain::new()).build().unwrap();
    seed(&frontier, &["http://h.example/a"]);
    let failed = Outcome::Failed(FetchFailure {
        code: FetchFailure::ROBOTS,
        detail: String::new(),
        status: None,
        retry_after: None,
        may_pass: false,
    });
    frontier
        .observe(leased(&frontier), &failed, &mut Vec::new())
        .unwrap();
    let told = frontier
        .explain(&Via::seed(), RawUrl::new("http://h.example/a"))
        .unwrap();
    assert_eq!(told.fate(), Some(Fate::Failed));
    let told = told.to_string();
    assert!(told.contains("all of its host did (robots 1)"), "{told}");
    assert!(told.ends_with("was tried, and failed.\n"), "{told}");
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
