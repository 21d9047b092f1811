//! The first links that an untried belief would drop are explored, however often their host may not be asked yet.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop with the error"
)]

mod common;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use common::{leased, page, seed};
use nodust_frontier::{
    BeliefId, Candidate, Chain, Effects, Exploration, Frontier, Gate, HostKey, LocalFrontier,
    MemoryStore, Middleware, NotYet, Observation, Probability, RawUrl, StageName, Store, Turn,
    Untried, Verdict, Via,
};

const AT_ONCE: u64 = 1;
const MOST: u64 = 5;

/// A rule, "whatever follows `!` does not matter", that is learned with the second page, and was never tried.
#[derive(Debug, Default)]
struct Rule(AtomicU64);

impl Middleware for Rule {
    fn name(&self) -> StageName {
        "rules"
    }
    fn judge(&self, link: &mut Candidate, _via: &Via<'_>) -> Verdict {
        if self.0.load(Ordering::SeqCst) > 1
            && let Some((head, _)) = link.class().split_once('!')
        {
            let class = head.to_owned();
            link.merge_into(class, BeliefId::of("h.example", "ignore !"));
        }
        Verdict::Pass
    }
    fn generation(&self, _host: &HostKey) -> u64 {
        u64::from(self.0.load(Ordering::SeqCst) > 1)
    }
    fn observe(&self, _seen: &Observation<'_>, _effects: &mut Effects) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
    fn untried(&self, _link: &Candidate, belief: BeliefId) -> Option<Untried> {
        Some(Untried {
            belief,
            at_once: AT_ONCE,
            most: MOST,
        })
    }
}

/// Lets nobody ask but each third time.
#[derive(Debug, Default)]
struct Slow(AtomicU64);

impl Gate for Slow {
    fn check(&self, _host: &HostKey, _now: Instant) -> Result<(), NotYet> {
        match self.0.fetch_add(1, Ordering::SeqCst) % 3 {
            2 => Ok(()),
            _ => Err(NotYet::For(Duration::from_millis(1))),
        }
    }
}

fn on(store: Arc<dyn Store>, rule: Rule) -> LocalFrontier {
    LocalFrontier::builder(Chain::new().then(rule))
        .exploration(Exploration::new(Probability::new(0.000_001).unwrap(), 7))
        .store(store)
        .build()
        .unwrap()
}

/// A frontier in which links wait that the rule makes one, of which it has just learned.
fn learned() -> LocalFrontier {
    let frontier = on(Arc::new(MemoryStore::default()), Rule::default());
    seed(&frontier, &["http://h.example/"]);
    let home = leased(&frontier);
    let links: Vec<String> = (0..30).map(|n| format!("/a!{n}")).collect();
    let links: Vec<RawUrl<'_>> = std::iter::once("/a")
        .chain(links.iter().map(String::as_str))
        .map(RawUrl::new)
        .collect();
    frontier
        .observe(home, &page(&links), &mut Vec::new())
        .unwrap();
    let a = leased(&frontier);
    frontier.observe(a, &page(&[]), &mut Vec::new()).unwrap();
    frontier
}

/// How many of all that wait are explored.
fn explored(frontier: &LocalFrontier) -> u64 {
    let gate = Slow::default();
    let (mut explored, mut now) = (0, Instant::now());
    loop {
        match frontier.lease(now, &gate).unwrap() {
            Turn::Fetch(lease) => {
                explored += u64::from(lease.admitted().probe.is_some());
                frontier
                    .observe(lease, &page(&[]), &mut Vec::new())
                    .unwrap();
            }
            Turn::Wait(time) => now += time,
            Turn::Idle | Turn::Drained => break,
        }
    }
    explored
}

#[test]
fn a_link_that_is_explored_is_so_when_its_host_may_be_asked() {
    let frontier = learned();
    assert_eq!(explored(&frontier), MOST);
    let stats = frontier.totals();
    assert_eq!((stats.total.explored, stats.ledger), (MOST, 30 - MOST));
}

/// They wait as they did before they were chosen.
#[test]
fn what_was_chosen_when_the_process_ended_is_under_way_no_more() {
    let frontier = learned();
    seed(&frontier, &["http://n.example/"]);
    let (mut chosen, mut other) = (Vec::new(), None);
    while other.is_none() {
        let lease = leased(&frontier);
        match lease.admitted().probe {
            Some(_) => chosen.push(lease),
            None => other = Some(lease),
        }
    }
    let n = other.unwrap();
    assert_eq!(n.url().as_str(), "http://n.example/");
    frontier.observe(n, &page(&[]), &mut Vec::new()).unwrap();
    let again = on(Arc::clone(frontier.store()), Rule(AtomicU64::new(2)));
    drop(chosen);
    assert_eq!(explored(&again), MOST);
}
