//! What happens to the drops of a belief that stands, when another falls on which they may have leaned.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop with the error"
)]

mod common;
#[path = "common/mortal.rs"]
mod mortal;

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use nodust_frontier::*;

use common::{leased, page, seed};
use mortal::{Mortal, fetch_all};

/// Predicts duplicates on the word of one belief. At `/reveal` it changes its mind: `/stay` is one still,
/// `/other` on the word of another belief, `/lost` is none.
#[derive(Debug, Default)]
struct Leaning {
    is_shaken: AtomicBool,
    has_forgotten: bool,
}

impl Leaning {
    fn belief(name: &str) -> BeliefId {
        BeliefId::of("h.example", name)
    }
}

impl Middleware for Leaning {
    fn name(&self) -> StageName {
        "predict"
    }
    fn phase(&self) -> Phase {
        Phase::AfterSeen
    }
    fn judge(&self, link: &mut Candidate, _via: &Via<'_>) -> Verdict {
        let path = link.url().path();
        let is_shaken = self.is_shaken.load(Ordering::SeqCst);
        let belief = match path {
            "/other" if is_shaken => "another",
            "/lost" if is_shaken => return Verdict::Pass,
            "/stay" | "/other" | "/lost" => "shaken",
            _ => return Verdict::Pass,
        };
        Verdict::Drop(DropReason::PredictedDuplicate(Prediction {
            belief: Self::belief(belief),
            probability: Probability::new(0.99).unwrap(),
        }))
    }
    fn generation(&self, _host: &HostKey) -> u64 {
        1
    }
    fn observe(&self, seen: &Observation<'_>, effects: &mut Effects) {
        if seen.url.url.as_url().path() == "/reveal" {
            self.is_shaken.store(true, Ordering::SeqCst);
            effects.state.push(("shaken".to_owned(), Some(vec![1])));
            effects.shaken.push(Self::belief("shaken"));
        }
    }
    fn restore(&self, _key: &str, _value: &[u8]) -> Result<(), String> {
        self.is_shaken.store(true, Ordering::SeqCst);
        Ok(())
    }
    fn belief(&self, belief: BeliefId) -> Option<BeliefRecord> {
        (!self.has_forgotten).then(|| BeliefRecord {
            id: belief,
            site: "h.example".to_owned(),
            text: "it stands".to_owned(),
            standing: Standing::Active,
            trials: 70,
            failures: 0,
            earlier_trials: 0,
            earlier_failures: 0,
            undecided: 0,
            e_value: 25.0,
            exceptions: 0,
            examples: Vec::new(),
        })
    }
}

fn leaning(store: Arc<dyn Store>, stage: Leaning) -> LocalFrontier {
    LocalFrontier::builder(Chain::new().then(stage))
        .store(store)
        .exploration(Exploration::new(Probability::new(0.0).unwrap(), 0))
        .build()
        .unwrap()
}

fn ledger_of(frontier: &LocalFrontier) -> BTreeSet<(BeliefId, String)> {
    let mut ledger = BTreeSet::new();
    let each = &mut |_: &HostKey, entry: LedgerEntry| {
        ledger.insert((entry.belief, entry.admitted.url.as_str().to_owned()));
        true
    };
    frontier.store().ledger_scan(each).unwrap();
    ledger
}

const LEANING: [&str; 3] = [
    "http://h.example/stay",
    "http://h.example/other",
    "http://h.example/lost",
];

/// A crawl with three links in the ledger and the page queued that shakes their belief.
fn before_the_shake(store: Arc<dyn Store>) -> LocalFrontier {
    let frontier = leaning(store, Leaning::default());
    let root = CanonicalUrl::resolve("http://h.example/", None).unwrap();
    let links: Vec<RawUrl<'_>> = LEANING.iter().map(|url| RawUrl::new(url)).collect();
    frontier
        .admit(&Via::page(&root), &links, &mut Vec::new())
        .unwrap();
    seed(&frontier, &["http://h.example/reveal"]);
    assert_eq!(frontier.totals().ledger, 3);
    frontier
}

#[test]
fn of_a_shaken_belief_only_what_it_would_not_drop_now_comes_back() {
    let frontier = before_the_shake(Arc::new(MemoryStore::default()));
    let fetched = fetch_all(&frontier);
    assert!(
        fetched.contains(LEANING[2]) && fetched.len() == 2,
        "{fetched:?}"
    );
    let expected = [("shaken", LEANING[0]), ("another", LEANING[1])];
    let expected = expected.map(|(name, url)| (Leaning::belief(name), url.to_owned()));
    assert_eq!(ledger_of(&frontier), expected.into());
    // What stays where it is was not touched.
    assert_eq!(frontier.totals().total.recalled, 2);
}

#[test]
fn a_kill_while_the_ledger_of_a_shaken_belief_is_judged_again_loses_nothing() {
    for days in 0.. {
        let store = Mortal::new();
        let frontier = before_the_shake(store.clone());
        let lease = leased(&frontier);
        store.days.store(days, Ordering::SeqCst);
        let outlived = frontier.observe(lease, &page(&[]), &mut Vec::new()).is_ok();
        drop(frontier);
        store.days.store(u64::MAX, Ordering::SeqCst);
        let next = leaning(store, Leaning::default());
        if days == 0 {
            // Not even the page was committed: it is leased for ever in this store.
            assert_eq!(next.totals().ledger, 3);
            continue;
        }
        assert!(
            fetch_all(&next).contains(LEANING[2]),
            "killed after {days} commits"
        );
        assert_eq!(next.totals().ledger, 2);
        if outlived {
            assert!(days >= 3, "the page, what came back, and the end");
            break;
        }
    }
}

#[test]
fn what_waits_on_the_word_of_a_belief_that_nobody_holds_any_more_is_queued_again() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    drop(before_the_shake(store.clone()));
    let without = LocalFrontier::builder(Chain::new())
        .store(store.clone())
        .build()
        .unwrap();
    assert_eq!(
        without.totals().ledger,
        3,
        "the stage may be back in the next run"
    );
    drop(without);
    let forgetful = Leaning {
        has_forgotten: true,
        is_shaken: AtomicBool::new(true),
    };
    let next = leaning(store, forgetful);
    assert_eq!((next.totals().ledger, next.totals().total.recalled), (0, 3));
}
