//! What was learned outlives the process: a crawl that is interrupted again and again decides like one that
//! was never disturbed.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail as loudly as the tests do"
)]

mod common;

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::Instant,
};

use common::{mix, words};
use nodust_frontier::{
    Admitted, BeliefCounts, BeliefRecord, CanonicalUrl, Chain, Commit, DecisionSink, Dropped,
    Exploration, FetchedPage, Frontier as _, Lease, LocalFrontier, MemoryStore, Outcome,
    Prediction, Probability, RawUrl, SledOptions, SledStore, Standing, Store, Turn, Via,
    frontier::Open,
};
use nodust_middleware::predict::{BeliefFile, Predict, PredictConfig, Trust};

/// Items of the site. Behind the first `HONEST` of them the session says what is shown.
const ITEMS: u64 = 1400;
const HONEST: u64 = 700;

enum Answer {
    Page(String, Vec<String>),
    Moved(String),
}

/// A shop that puts a session into every other link, and knows short links.
fn shop(url: &CanonicalUrl) -> Answer {
    let url = url.as_url();
    let of = |name: &str| {
        url.query_pairs()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.parse::<u64>().unwrap())
    };
    let id = of("id").unwrap_or(0);
    if url.path() == "/go" {
        return Answer::Moved(format!("/item?id={id}"));
    }
    let session = of("visit").filter(|_| id >= HONEST).unwrap_or(0);
    let text = format!(
        "welcome to our shop\nhelp and contact\n{}\nyou saw {id} items",
        words(id + session * 7_919, 90)
    );
    let session = |n: u64| mix(id * 31 + n) % 1000;
    let links = [
        format!("/item?id={}", id + 1),
        format!("/item?id={}&visit={}", id.saturating_sub(9), session(1)),
        format!("/item?id={}&visit={}", id.saturating_sub(30), session(2)),
        format!("/go?id={}", id + 3),
    ];
    let links = Vec::from(if id + 3 < ITEMS { &links[..] } else { &[] });
    Answer::Page(text, links)
}

/// Everything that was decided, in order.
#[derive(Debug, Default)]
struct Diary(Mutex<Vec<String>>);

impl DecisionSink for Diary {
    fn fetched(&self, url: &Admitted, probe: Option<Prediction>) {
        let line = format!("fetched {} {}", url.url, probe.is_some());
        self.0.lock().unwrap().push(line);
    }
    fn dropped(&self, url: &str, dropped: &Dropped, _via: Option<&str>) {
        self.0.lock().unwrap().push(format!("{url} {dropped}"));
    }
}

fn frontier(stage: Predict, store: Option<Arc<dyn Store>>, diary: &Arc<Diary>) -> LocalFrontier {
    let mut builder = LocalFrontier::builder(Chain::new().then(stage))
        .exploration(Exploration::new(Probability::new(0.1).unwrap(), 3))
        .sink(Arc::clone(diary) as Arc<dyn DecisionSink>);
    if let Some(store) = store {
        builder = builder.store(store);
    }
    builder.build().unwrap()
}

fn predict() -> Predict {
    Predict::new(PredictConfig::default())
}

fn lease(frontier: &LocalFrontier) -> Option<Lease> {
    match frontier.lease(Instant::now(), &Open).unwrap() {
        Turn::Fetch(lease) => Some(lease),
        Turn::Drained => None,
        other => panic!("one lease at a time and an open gate: {other:?}"),
    }
}

/// Fetches so many pages; whether something is left.
fn crawl(frontier: &LocalFrontier, diary: &Diary, pages: u64) -> bool {
    if frontier.store().seen_len() == 0 {
        let seed = [RawUrl::new("http://shop.example/item?id=0")];
        frontier
            .admit(&Via::seed(), &seed, &mut Vec::new())
            .unwrap();
    }
    for _ in 0..pages {
        let Some(lease) = lease(frontier) else {
            return false;
        };
        diary.fetched(lease.admitted(), lease.admitted().probe);
        match shop(lease.url()) {
            Answer::Moved(target) => {
                let moved = Outcome::Redirected {
                    status: 301,
                    target: RawUrl::new(&target),
                };
                frontier.observe(lease, &moved, &mut Vec::new()).unwrap();
            }
            Answer::Page(text, links) => {
                let links: Vec<RawUrl<'_>> = links.iter().map(|l| RawUrl::new(l)).collect();
                let page = Outcome::Fetched(FetchedPage {
                    status: 200,
                    text: Some(&text),
                    links: &links,
                    ..FetchedPage::default()
                });
                frontier.observe(lease, &page, &mut Vec::new()).unwrap();
            }
        }
    }
    true
}

/// All that must be equal in the end.
#[derive(Debug, PartialEq)]
struct End {
    beliefs: Vec<(BeliefRecord, BeliefCounts)>,
    ledger: BTreeSet<String>,
    stats: nodust_frontier::Stats,
}

impl End {
    fn of(frontier: &LocalFrontier) -> Self {
        let mut ledger = BTreeSet::new();
        frontier
            .store()
            .ledger_scan(&mut |_, entry| {
                ledger.insert(format!("{} {}", entry.belief, entry.admitted.url));
                true
            })
            .unwrap();
        Self {
            beliefs: frontier.beliefs().unwrap(),
            ledger,
            stats: frontier.stats().unwrap(),
        }
    }
}

fn undisturbed() -> (Vec<String>, End) {
    let diary = Arc::new(Diary::default());
    let frontier = frontier(predict(), None, &diary);
    assert!(!crawl(&frontier, &diary, u64::MAX));
    let end = End::of(&frontier);
    let lines = std::mem::take(&mut *diary.0.lock().unwrap());
    (lines, end)
}

fn assert_same(diary: &Diary, end: &End, undisturbed: &(Vec<String>, End)) {
    let lines = diary.0.lock().unwrap();
    for (n, (line, expected)) in lines.iter().zip(&undisturbed.0).enumerate() {
        assert_eq!(line, expected, "decision {n}");
    }
    assert_eq!(lines.len(), undisturbed.0.len());
    assert_eq!(*end, undisturbed.1);
}

#[test]
fn the_site_of_these_tests_teaches_something_and_takes_some_of_it_back() {
    let (lines, end) = undisturbed();
    assert!(
        lines
            .iter()
            .any(|line| line.contains("predicted duplicate"))
    );
    let (belief, counts) = &end.beliefs[0];
    assert!(counts.dropped > 500 && counts.recalled > 500, "{counts:?}");
    assert!(counts.explored > 20 && counts.explored_duplicates > 20);
    assert_eq!(belief.examples.len(), 2);
    // Where the session says what is shown, every page is fetched in the end. (What redirects to a page shows what that shows.)
    let fetched: BTreeSet<&str> = (lines.iter())
        .filter_map(|line| line.strip_prefix("fetched ")?.split(' ').next())
        .collect();
    let dropped = lines.iter().filter(|line| line.contains("predicted"));
    let mut taken_back = 0;
    for url in dropped.filter_map(|line| line.split(' ').next()) {
        let id: u64 = (url.split("id=").nth(1).unwrap())
            .split('&')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        if id >= HONEST && url.contains("visit=") {
            taken_back += 1;
            assert!(fetched.contains(url), "{url} is lost");
        }
    }
    assert!(taken_back > 0);
}

#[test]
fn a_crawl_reopened_at_arbitrary_points_decides_as_one_never_disturbed() {
    let expected = undisturbed();
    let folder = tempfile::tempdir().unwrap();
    let diary = Arc::new(Diary::default());
    let mut rest = true;
    let mut round = 0;
    while rest {
        round += 1;
        let store = SledStore::open(folder.path(), &SledOptions::default()).unwrap();
        let frontier = frontier(predict(), Some(Arc::new(store)), &diary);
        assert_eq!(frontier.not_restored(), 0);
        rest = crawl(&frontier, &diary, 1 + mix(round) % 350);
        // What is leased and never observed is offered again.
        let under_way = lease(&frontier);
        drop(under_way);
        if !rest {
            assert_same(&diary, &End::of(&frontier), &expected);
        }
    }
    assert!(round > 5, "{round} rounds");
}

#[test]
fn a_store_in_memory_gives_back_what_was_learned_too() {
    let expected = undisturbed();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let diary = Arc::new(Diary::default());
    loop {
        let frontier = frontier(predict(), Some(Arc::clone(&store)), &diary);
        if !crawl(&frontier, &diary, 333) {
            assert_same(&diary, &End::of(&frontier), &expected);
            return;
        }
    }
}

/// Crawls for a while on a store of its own.
fn interrupted(pages: u64) -> Arc<dyn Store> {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let diary = Arc::new(Diary::default());
    crawl(
        &frontier(predict(), Some(Arc::clone(&store)), &diary),
        &diary,
        pages,
    );
    store
}

fn learned(store: &dyn Store) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    store
        .state_scan("stage/predict/", &mut |key, value| {
            all.push((key.to_owned(), value.to_vec()));
        })
        .unwrap();
    all
}

fn change(store: &dyn Store, key: &str, value: Vec<u8>) {
    store
        .commit(Commit {
            state: vec![(key.to_owned(), Some(value))],
            ..Commit::default()
        })
        .unwrap();
}

#[test]
fn state_that_is_damaged_or_newer_is_told_and_the_crawl_goes_on() {
    let good = learned(&*interrupted(800));
    assert!(good.iter().any(|(key, _)| key.ends_with("/h")));
    assert!(good.iter().any(|(key, _)| key.contains("/j/")));
    let picks = (0..good.len()).step_by(1 + good.len() / 12);
    for (round, at) in picks.enumerate() {
        let store = interrupted(800);
        let (key, value) = &good[at];
        let mut bad = value.clone();
        match round % 3 {
            0 => {
                let place = mix(round as u64) as usize % bad.len();
                bad[place] ^= 0x10;
            }
            1 => bad.truncate(bad.len() / 2),
            _ => bad.clear(),
        }
        change(&*store, key, bad);
        let diary = Arc::new(Diary::default());
        let frontier = frontier(predict(), Some(Arc::clone(&store)), &diary);
        assert_eq!(frontier.not_restored(), 1, "{key}");
        assert!(!crawl(&frontier, &diary, u64::MAX));
        frontier.flush().unwrap();
    }
}

#[test]
fn a_site_written_by_a_later_version_begins_anew_and_leaves_nothing_behind() {
    let store = interrupted(800);
    let (key, mut head) = learned(&*store)
        .into_iter()
        .find(|(key, _)| key.ends_with("/h"))
        .unwrap();
    head[0] = 99;
    change(&*store, &key, head);
    let diary = Arc::new(Diary::default());
    let first = frontier(predict(), Some(Arc::clone(&store)), &diary);
    assert_eq!(first.not_restored(), 1);
    crawl(&first, &diary, 20);
    drop(first);
    let second = frontier(predict(), Some(Arc::clone(&store)), &diary);
    assert_eq!(second.not_restored(), 0);
    assert!(!crawl(&second, &diary, u64::MAX));
}

/// Stops a crawl while links wait in the ledger, changes what is stored, and goes on to the end with other
/// settings: the beliefs in whose name links wait then, and those that are acted upon.
fn waiting_and_active(
    change_store: impl Fn(&dyn Store),
    config: PredictConfig,
) -> (BTreeSet<String>, BTreeSet<String>, u64) {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let diary = Arc::new(Diary::default());
    let first = frontier(predict(), Some(Arc::clone(&store)), &diary);
    while store.ledger_len() < 100 {
        assert!(crawl(&first, &diary, 50), "little was dropped");
    }
    first.flush().unwrap();
    drop(first);
    change_store(&*store);
    let second = frontier(Predict::new(config), Some(Arc::clone(&store)), &diary);
    let mut waiting = BTreeSet::new();
    let scan = &mut |_: &_, entry: nodust_frontier::LedgerEntry| {
        waiting.insert(entry.belief.to_string());
        true
    };
    store.ledger_scan(scan).unwrap();
    let active = (second.beliefs().unwrap().into_iter())
        .filter(|(belief, _)| belief.standing == Standing::Active)
        .map(|(belief, _)| belief.id.to_string())
        .collect();
    (waiting, active, second.totals().total.recalled)
}

#[test]
fn what_beliefs_dropped_that_did_not_outlive_the_restart_is_fetched_after_all() {
    let damage = |store: &dyn Store| {
        let head = learned(store)
            .into_iter()
            .find(|(key, _)| key.ends_with("/h"));
        change(store, &head.unwrap().0, vec![1, 2, 3]);
    };
    let (waiting, active, recalled) = waiting_and_active(damage, PredictConfig::default());
    assert!(active.is_empty());
    assert!(waiting.is_empty(), "{waiting:?}");
    assert!(recalled >= 100);
}

#[test]
fn a_crawl_that_goes_on_with_another_risk_leaves_no_link_behind() {
    for risk in [0.005, 0.1] {
        let config = PredictConfig {
            risk,
            ..PredictConfig::default()
        };
        let (waiting, active, _) = waiting_and_active(|_| (), config);
        assert!(!active.is_empty(), "what was activated stays so");
        assert!(waiting.is_subset(&active), "{waiting:?} {active:?}");
    }
}

#[test]
fn what_one_crawl_learned_saves_the_next_one_trials() {
    let diary = Arc::new(Diary::default());
    let first = frontier(predict(), None, &diary);
    let mut pages = 0;
    while first.totals().total.saved() == 0 {
        assert!(crawl(&first, &diary, 100), "nothing was learned");
        pages += 100;
    }
    let file = BeliefFile::of(&first).unwrap();
    let file = BeliefFile::from_json(&file.to_json()).unwrap();
    let saved_after = |stage: Predict| {
        let diary = Arc::new(Diary::default());
        let frontier = frontier(stage, None, &diary);
        crawl(&frontier, &diary, pages);
        frontier.totals().total.saved()
    };
    let alone = saved_after(predict());
    let prior = saved_after(predict().with_beliefs(file.clone(), Trust::Prior));
    let active = saved_after(predict().with_beliefs(file, Trust::Active));
    assert!(alone < prior && prior <= active, "{alone} {prior} {active}");
}

#[test]
fn imported_beliefs_outlive_the_process_without_their_file() {
    let diary = Arc::new(Diary::default());
    let first = frontier(predict(), None, &diary);
    crawl(&first, &diary, 1200);
    let file = BeliefFile::of(&first).unwrap();
    let run = |at_once: bool| {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let diary = Arc::new(Diary::default());
        let stage = predict().with_beliefs(file.clone(), Trust::Active);
        let first = frontier(stage, Some(Arc::clone(&store)), &diary);
        if at_once {
            crawl(&first, &diary, u64::MAX);
            return End::of(&first);
        }
        crawl(&first, &diary, 60);
        drop(first);
        let second = frontier(predict(), Some(store), &diary);
        crawl(&second, &diary, u64::MAX);
        End::of(&second)
    };
    assert_eq!(run(false), run(true));
}

#[test]
fn what_was_imported_is_exported_as_it_was_after_a_restart_too() {
    let diary = Arc::new(Diary::default());
    let first = frontier(predict(), None, &diary);
    crawl(&first, &diary, 1200);
    let evidence = |frontier: &LocalFrontier| {
        let mut file = BeliefFile::of(frontier).unwrap();
        for belief in file.sites.values_mut().flatten() {
            (belief.dropped, belief.explored, belief.explored_duplicates) = (0, 0, 0);
            belief.examples.clear();
        }
        for beliefs in file.sites.values_mut() {
            beliefs.sort_by(|a, b| a.text.cmp(&b.text));
        }
        file
    };
    let told = evidence(&first);
    let kinds = told.sites.values().flatten().map(|belief| &belief.kinds);
    assert!(kinds.filter(|kinds| !kinds.is_empty()).count() > 3);
    for trust in [Trust::Prior, Trust::Active] {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let diary = Arc::new(Diary::default());
        let stage = predict().with_beliefs(told.clone(), trust);
        let second = frontier(stage, Some(Arc::clone(&store)), &diary);
        crawl(&second, &diary, 1);
        assert_eq!(evidence(&second), told, "{trust:?}");
        drop(second);
        let third = frontier(predict(), Some(Arc::clone(&store)), &diary);
        assert_eq!(evidence(&third), told, "{trust:?}");
        crawl(&third, &diary, 600);
        let later = evidence(&third);
        drop(third);
        let fourth = frontier(predict(), Some(store), &diary);
        assert_eq!(evidence(&fourth), later, "{trust:?}");
    }
}

#[test]
fn without_a_store_nothing_is_written_down() {
    let diary = Arc::new(Diary::default());
    let frontier = frontier(predict(), None, &diary);
    crawl(&frontier, &diary, 600);
    frontier.flush().unwrap();
    assert!(learned(&**frontier.store()).is_empty());
}

#[test]
fn the_store_keeps_some_hundred_bytes_a_page() {
    let store = interrupted(u64::MAX);
    let bytes: usize = learned(&*store)
        .iter()
        .map(|(key, value)| key.len() + value.len())
        .sum();
    let pages = nodust_frontier::Stats::of_store(&*store)
        .unwrap()
        .total
        .fetched;
    println!("{} bytes a page in the store", bytes as u64 / pages);
    assert!(bytes as u64 / pages < 1500);
}
