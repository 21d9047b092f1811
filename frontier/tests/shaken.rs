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

/// Drops all below `/old` and `/new`, explored ones being no duplicates. At `/reveal` what it dropped is judged again: nothing of `/old`
/// is dropped any more, and nothing of `/new` if it opens wholly. At `/close` it is as in the beginning.
#[derive(Debug, Default)]
struct Gate {
    opens_wholly: bool,
    is_open: AtomicBool,
}

impl Middleware for Gate {
    fn name(&self) -> StageName {
        "predict"
    }
    fn phase(&self) -> Phase {
        Phase::AfterSeen
    }
    fn judge(&self, link: &mut Candidate, _via: &Via<'_>) -> Verdict {
        let is_open = self.is_open.load(Ordering::SeqCst);
        let passes = match link.url().path() {
            path if path.starts_with("/old") => is_open,
            path if path.starts_with("/new") => is_open && self.opens_wholly,
            _ => true,
        };
        if passes {
            return Verdict::Pass;
        }
        Verdict::Drop(DropReason::OverBudget {
            belief: Leaning::belief("gate"),
            limit: 5,
        })
    }
    fn generation(&self, _host: &HostKey) -> u64 {
        1
    }
    fn observe(&self, seen: &Observation<'_>, effects: &mut Effects) {
        effects.probe_was_duplicate = seen.url.probe.map(|_| false);
        match seen.url.url.as_url().path() {
            "/reveal" => {
                self.is_open.store(true, Ordering::SeqCst);
                effects.shaken.push(Leaning::belief("gate"));
            }
            "/close" => self.is_open.store(false, Ordering::SeqCst),
            _ => {}
        }
    }
}

fn behind_the_gate(opens_wholly: bool) -> LocalFrontier {
    let gate = Gate {
        opens_wholly,
        ..Gate::default()
    };
    LocalFrontier::builder(Chain::new().then(gate))
        .exploration(Exploration::new(Probability::new(0.2).unwrap(), 1))
        .build()
        .unwrap()
}

/// Offers a hundred links of each of these folders.
fn offer(frontier: &LocalFrontier, folders: &[&str]) {
    let root = CanonicalUrl::resolve("http://h.example/", None).unwrap();
    let links: Vec<String> = (0..100)
        .flat_map(|n| (folders.iter()).map(move |folder| format!("http://h.example/{folder}/{n}")))
        .collect();
    let links: Vec<RawUrl<'_>> = links.iter().map(|url| RawUrl::new(url)).collect();
    frontier
        .admit(&Via::page(&root), &links, &mut Vec::new())
        .unwrap();
}

/// Fetches a page, and all that is queued; what is known of links that were explored for drops that stand.
fn after(frontier: &LocalFrontier, page: &str) -> (u64, u64) {
    seed(frontier, &[page]);
    fetch_all(frontier);
    frontier.totals().total.explored_of_standing()
}

#[test]
fn while_no_drop_of_a_budget_stands_what_was_explored_for_it_says_nothing_of_what_is_dropped() {
    let frontier = behind_the_gate(true);
    offer(&frontier, &["old", "new"]);
    let before = after(&frontier, "http://h.example/");
    assert!(before.0 == 0 && before.1 > 15, "{before:?}");
    assert_eq!(after(&frontier, "http://h.example/reveal"), (0, 0));
    assert_eq!(frontier.totals().ledger, 0);
    assert_eq!(frontier.totals().total.explored_apart(), before.1);
    // What it drops from now on may be as wrong as what it dropped before.
    assert_eq!(after(&frontier, "http://h.example/close"), (0, 0));
    offer(&frontier, &["old/more"]);
    let again = after(&frontier, "http://h.example/1");
    assert!(again.1 > before.1 + 5, "{again:?}");
    let total = frontier.totals().total;
    assert_eq!((total.explored_new, total.explored_apart()), (again.1, 0));
}

#[test]
fn where_some_drops_stay_what_was_explored_for_them_goes_on_telling_of_them() {
    let frontier = behind_the_gate(false);
    offer(&frontier, &["old", "new"]);
    let before = after(&frontier, "http://h.example/");
    assert!(before.1 > 15, "{before:?}");
    assert_eq!(after(&frontier, "http://h.example/reveal"), before);
}

#[test]
fn what_was_under_way_when_a_budget_opened_says_nothing_of_what_is_dropped_either() {
    let frontier = behind_the_gate(true);
    seed(&frontier, &["http://h.example/reveal"]);
    let reveal = leased(&frontier);
    offer(&frontier, &["old"]);
    let probes: Vec<_> = (0..frontier.totals().queued - 1)
        .map(|_| leased(&frontier))
        .collect();
    assert!(probes.len() > 10);
    for lease in std::iter::once(reveal).chain(probes) {
        frontier
            .observe(lease, &page(&[]), &mut Vec::new())
            .unwrap();
    }
    fetch_all(&frontier);
    let total = frontier.totals();
    assert!(total.ledger == 0 && total.total.explored_new > 10);
    assert_eq!(total.total.explored_of_standing(), (0, 0));
}
