//! What happens when a belief falls: all that it dropped comes back, on all hosts, whenever the process ends.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop with the error"
)]

mod common;
#[path = "common/mortal.rs"]
mod mortal;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Instant,
};

use nodust_frontier::{frontier::Open, *};

use common::{leased, page, seed};
use mortal::{Mortal, fetch_all};

/// Predicts on every host of a site that `?sid=` does not matter, until a page `/reveal` shows that it
/// does. It names the host of that page only.
#[derive(Debug, Default)]
struct SiteWide {
    fallen: AtomicBool,
    /// It believes it again at once, and withdraws it only the first time.
    relapses: bool,
    /// Another belief would drop links of `/3`, too, where this one has no say.
    is_seconded: bool,
    checkpoints: AtomicU64,
}

impl SiteWide {
    fn belief() -> BeliefId {
        BeliefId::of("example", "sid is ignored")
    }
}

impl Middleware for SiteWide {
    fn name(&self) -> StageName {
        "predict"
    }
    fn phase(&self) -> Phase {
        Phase::AfterSeen
    }
    fn judge(&self, link: &mut Candidate, _via: &Via<'_>) -> Verdict {
        let believes = self.relapses || !self.fallen.load(Ordering::SeqCst);
        let of = |belief| {
            Verdict::Drop(DropReason::PredictedDuplicate(Prediction {
                belief,
                probability: Probability::new(0.99).unwrap(),
            }))
        };
        let has_say = link.not_by() != Some(Self::belief());
        if believes && (has_say || !self.is_seconded) && link.url().as_str().contains("?sid=") {
            return of(Self::belief());
        }
        if self.is_seconded && link.url().path() == "/3" {
            return of(BeliefId::of("example", "three is seven"));
        }
        Verdict::Pass
    }
    /// What waits is judged again from the first page on.
    fn generation(&self, _host: &HostKey) -> u64 {
        1 + u64::from(self.fallen.load(Ordering::SeqCst))
    }
    fn observe(&self, seen: &Observation<'_>, effects: &mut Effects) {
        if seen.url.url.as_url().path() == "/reveal" {
            self.fallen.store(true, Ordering::SeqCst);
            effects.state.push(("fallen".to_owned(), Some(vec![1])));
            let host = seen.url.url.host().clone();
            effects.withdrawn.push((host, Self::belief()));
        }
        if seen.url.url.as_url().path() == "/landing" {
            effects.late_verdicts.push(ProbeVerdict {
                host: seen.url.url.host().clone(),
                belief: Self::belief(),
                was_duplicate: true,
            });
        }
        effects.probe_was_duplicate = seen.url.probe.map(|_| false);
    }
    fn restore(&self, _key: &str, _value: &[u8]) -> Result<(), String> {
        self.fallen.store(true, Ordering::SeqCst);
        Ok(())
    }
    fn restored(&self) -> Vec<String> {
        vec!["half of it was unreadable".to_owned()]
    }
    fn checkpoint(&self, effects: &mut Effects) {
        assert!(!effects.forgets_state);
        self.checkpoints.fetch_add(1, Ordering::SeqCst);
    }
    fn beliefs(&self, each: &mut dyn FnMut(BeliefRecord)) {
        each(self.belief(Self::belief()).unwrap());
    }
    fn muted(&self, link: &Candidate, each: &mut dyn FnMut(BeliefRecord)) {
        if link.url().as_str().contains("?old_sid=") {
            self.beliefs(each);
        }
    }
    fn belief(&self, belief: BeliefId) -> Option<BeliefRecord> {
        (belief == Self::belief()).then(|| BeliefRecord {
            id: belief,
            site: "example".to_owned(),
            text: "sid is ignored".to_owned(),
            standing: if self.fallen.load(Ordering::SeqCst) {
                Standing::Withdrawn
            } else {
                Standing::Active
            },
            trials: 70,
            failures: 0,
            earlier_trials: 0,
            earlier_failures: 0,
            undecided: 5,
            e_value: 25.0,
            exceptions: 0,
            examples: vec![(
                "http://a.example/1?sid=2".into(),
                "http://a.example/1".into(),
            )],
        })
    }
}

const SIBLINGS: [&str; 3] = ["a", "b", "c"];

/// A crawl of three hosts of one site, each with ten links that the site's belief drops, and of the page
/// that shows it wrong.
fn crawl_of_siblings(store: Arc<dyn Store>, share: f64) -> LocalFrontier {
    siblings_behind(SiteWide::default(), store, share)
}

fn siblings_behind(stage: SiteWide, store: Arc<dyn Store>, share: f64) -> LocalFrontier {
    let frontier = LocalFrontier::builder(Chain::new().then(stage))
        .store(store)
        .exploration(Exploration::new(Probability::new(share).unwrap(), 7))
        .build()
        .unwrap();
    let mut links: Vec<String> = SIBLINGS
        .iter()
        .flat_map(|host| (0..10).map(move |n| format!("http://{host}.example/{n}?sid=1")))
        .collect();
    links.push("http://b.example/reveal".to_owned());
    let links: Vec<RawUrl<'_>> = links.iter().map(|link| RawUrl::new(link)).collect();
    seed(&frontier, &["http://a.example/"]);
    frontier
        .observe(leased(&frontier), &page(&links), &mut Vec::new())
        .unwrap();
    frontier
}

#[test]
fn a_belief_that_falls_on_one_host_gives_back_the_links_of_all_hosts_it_spoke_for() {
    let frontier = crawl_of_siblings(Arc::new(MemoryStore::default()), 0.0);
    assert_eq!(frontier.totals().ledger, 30);
    assert_eq!(fetch_all(&frontier).len(), 31);
    let stats = frontier.stats().unwrap();
    assert_eq!((stats.ledger, stats.queued, stats.total.saved()), (0, 0, 0));
    assert!(stats.total.is_balanced());
    let beliefs = frontier.beliefs().unwrap();
    let (record, counts) = &beliefs[0];
    assert_eq!(record.standing, Standing::Withdrawn);
    assert_eq!((counts.dropped, counts.recalled), (30, 30));
}

#[test]
fn what_a_probe_that_redirected_led_to_is_counted_when_it_is_known() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let frontier = crawl_of_siblings(Arc::clone(&store), 0.0);
    let judged = |frontier: &LocalFrontier| {
        let total = frontier.stats().unwrap().total;
        let beliefs = frontier.beliefs().unwrap();
        let of = beliefs
            .iter()
            .find(|(record, _)| record.id == SiteWide::belief());
        let of_belief = of.map(|(_, counts)| counts.explored_duplicates).unwrap();
        (total.explored, total.explored_duplicates, of_belief)
    };
    assert_eq!(judged(&frontier), (0, 0, 0));
    seed(&frontier, &["http://a.example/landing"]);
    while judged(&frontier).1 == 0 {
        frontier
            .observe(leased(&frontier), &page(&[]), &mut Vec::new())
            .unwrap();
    }
    assert_eq!(
        judged(&frontier),
        (0, 1, 1),
        "it was counted as explored when it redirected"
    );
    // Of a belief that fell meanwhile it says nothing of what stands.
    fetch_all(&frontier);
    seed(&frontier, &["http://b.example/landing"]);
    fetch_all(&frontier);
    let total = frontier.stats().unwrap().total;
    assert_eq!(
        (total.explored_duplicates, total.withdrawn_duplicates),
        (2, 2)
    );
}

#[test]
fn a_belief_that_stands_again_drops_no_link_a_second_time() {
    let stage = SiteWide {
        relapses: true,
        ..SiteWide::default()
    };
    let frontier = siblings_behind(stage, Arc::new(MemoryStore::default()), 0.0);
    assert_eq!(frontier.totals().ledger, 30);
    assert_eq!(fetch_all(&frontier).len(), 31);
    // What is found from now on is another matter.
    seed(&frontier, &["http://a.example/late"]);
    let links = [RawUrl::new("/new?sid=3")];
    frontier
        .observe(leased(&frontier), &page(&links), &mut Vec::new())
        .unwrap();
    assert_eq!(fetch_all(&frontier).len(), 0);
    let stats = frontier.stats().unwrap();
    assert_eq!((stats.ledger, stats.queued, stats.total.saved()), (1, 0, 1));
}

#[test]
fn what_others_say_of_a_link_that_came_back_is_heard_though_the_fallen_belief_stands_again() {
    let stage = SiteWide {
        relapses: true,
        is_seconded: true,
        ..SiteWide::default()
    };
    let frontier = siblings_behind(stage, Arc::new(MemoryStore::default()), 0.0);
    assert_eq!(frontier.totals().ledger, 30);
    assert_eq!(fetch_all(&frontier).len(), 31 - SIBLINGS.len());
    let stats = frontier.stats().unwrap();
    assert_eq!((stats.ledger, stats.queued, stats.total.saved()), (3, 0, 3));
}

/// The withdrawal is one commit, and so is each batch of links that comes back: the process may end
/// between any two of them.
#[test]
fn a_kill_at_any_commit_of_a_withdrawal_loses_no_link_of_any_host() {
    for days in 0.. {
        let store = Mortal::new();
        let frontier = crawl_of_siblings(store.clone(), 0.0);
        let lease = leased(&frontier);
        assert_eq!(lease.url().as_url().path(), "/reveal");
        store.days.store(days, Ordering::SeqCst);
        let outlived = frontier.observe(lease, &page(&[]), &mut Vec::new()).is_ok();
        drop(frontier);
        store.days.store(u64::MAX, Ordering::SeqCst);
        // What was leased and never settled is offered again, as by a store on disk.
        let next = LocalFrontier::builder(Chain::new().then(SiteWide::default()))
            .store(reopened(&store))
            .build()
            .unwrap();
        let fetched = fetch_all(&next);
        let again = usize::from(fetched.contains("http://b.example/reveal"));
        assert_eq!(fetched.len() - again, 30, "killed after {days} commits");
        assert_eq!(next.totals().ledger, 0);
        if outlived {
            assert!(days >= 4, "the withdrawal, three hosts, and its end");
            break;
        }
    }
}

/// Predicts that neither of two parameters matters, until one page shows that both do. The one that it names first
/// has the larger name.
#[derive(Debug, Default)]
struct Twins {
    fallen: AtomicBool,
}

impl Twins {
    fn beliefs() -> [(BeliefId, &'static str); 2] {
        let mut both = ["?a=", "?b="].map(|of| (BeliefId::of("example", of), of));
        both.sort_unstable_by(|one, other| other.cmp(one));
        both
    }
}

impl Middleware for Twins {
    fn name(&self) -> StageName {
        "predict"
    }
    fn phase(&self) -> Phase {
        Phase::AfterSeen
    }
    fn judge(&self, link: &mut Candidate, _via: &Via<'_>) -> Verdict {
        let mut beliefs = Self::beliefs().into_iter();
        let believed = beliefs.find(|(_, of)| link.url().as_str().contains(of));
        match believed.filter(|_| !self.fallen.load(Ordering::SeqCst)) {
            Some((belief, _)) => Verdict::Drop(DropReason::PredictedDuplicate(Prediction {
                belief,
                probability: Probability::new(0.99).unwrap(),
            })),
            None => Verdict::Pass,
        }
    }
    fn observe(&self, seen: &Observation<'_>, effects: &mut Effects) {
        if seen.url.url.as_url().path() == "/reveal" {
            self.fallen.store(true, Ordering::SeqCst);
            effects.state.push(("fallen".to_owned(), Some(vec![1])));
            let host = seen.url.url.host();
            let both = Self::beliefs().map(|(belief, _)| (host.clone(), belief));
            effects.withdrawn.extend(both);
        }
    }
    fn restore(&self, _key: &str, _value: &[u8]) -> Result<(), String> {
        self.fallen.store(true, Ordering::SeqCst);
        Ok(())
    }
    fn belief(&self, _belief: BeliefId) -> Option<BeliefRecord> {
        None
    }
}

/// What comes back first teaches first, so the order must not depend on kills.
#[test]
fn a_kill_leaves_the_order_in_which_the_links_of_two_beliefs_come_back() {
    let frontier_on = |store: Arc<dyn Store>| {
        let chain = Chain::new().then(Twins::default());
        let frontier = LocalFrontier::builder(chain).store(store);
        let nothing = Exploration::new(Probability::new(0.0).unwrap(), 7);
        frontier.exploration(nothing).build().unwrap()
    };
    let mut undisturbed: Option<Vec<String>> = None;
    for days in (0..8).rev() {
        let store = Mortal::new();
        let frontier = frontier_on(store.clone());
        let links: Vec<String> = (0..6)
            .map(|n| format!("/{n}?{}=1", ["a", "b"][n % 2]))
            .chain(["/reveal".to_owned()])
            .collect();
        let links: Vec<RawUrl<'_>> = links.iter().map(|link| RawUrl::new(link)).collect();
        seed(&frontier, &["http://b.example/"]);
        frontier
            .observe(leased(&frontier), &page(&links), &mut Vec::new())
            .unwrap();
        let reveal = leased(&frontier);
        store.days.store(days, Ordering::SeqCst);
        let _killed = frontier.observe(reveal, &page(&[]), &mut Vec::new());
        drop(frontier);
        store.days.store(u64::MAX, Ordering::SeqCst);
        let next = frontier_on(reopened(&store));
        let mut fetched = Vec::new();
        while let Turn::Fetch(lease) = next.lease(Instant::now(), &Open).unwrap() {
            if lease.url().as_url().path() != "/reveal" {
                fetched.push(lease.url().as_str().to_owned());
            }
            next.observe(lease, &page(&[]), &mut Vec::new()).unwrap();
        }
        assert_eq!(fetched.len(), 6);
        let undisturbed = undisturbed.get_or_insert_with(|| fetched.clone());
        assert_eq!(&fetched, undisturbed, "killed after {days} commits");
    }
}

/// The same store, with nothing handed out.
fn reopened(store: &Mortal) -> Arc<dyn Store> {
    let copy = MemoryStore::default();
    let mut commit = Commit::default();
    for host in SIBLINGS {
        let host = HostKey::from_text(&format!("{host}.example"));
        let mut tickets = Vec::new();
        while let Some((ticket, queued)) = store.take(&host).unwrap() {
            tickets.push(ticket);
            commit.queued.push(queued);
        }
        for n in tickets {
            store.put_back(&n);
        }
    }
    let handed_out = store.queue_len() - commit.queued.len() as u64;
    if handed_out > 0 {
        let link = RawUrl::new("http://b.example/reveal");
        let link = Candidate::resolve(link, &Via::seed()).unwrap();
        commit.queued.push(Queued {
            admitted: link.seal(&Via::seed(), 0),
            attempt: 0,
        });
    }
    store
        .ledger_scan(&mut |_, entry| {
            commit.ledger.push(entry);
            true
        })
        .unwrap();
    store
        .state_scan("", &mut |key, value| {
            commit.state.push((key.to_owned(), Some(value.to_vec())));
        })
        .unwrap();
    copy.commit(commit).unwrap();
    Arc::new(copy)
}

#[test]
fn what_came_of_each_belief_is_counted_and_told_after_a_restart() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let frontier = crawl_of_siblings(store.clone(), 0.5);
    let counts = BeliefCounts::of_store(&*store).unwrap()[&SiteWide::belief()];
    let probes = 30 - counts.dropped;
    assert!((5..25).contains(&probes), "{probes}");
    fetch_all(&frontier);
    drop(frontier);
    let frontier = LocalFrontier::builder(Chain::new().then(SiteWide::default()))
        .store(store)
        .build()
        .unwrap();
    let (_, counts) = frontier.beliefs().unwrap()[0];
    assert_eq!((counts.explored, counts.explored_new), (probes, probes));
    // What it dropped came back, so that these probes tell nothing of what is still dropped.
    let total = frontier.totals().total;
    assert_eq!(counts.withdrawn_new, probes);
    assert_eq!((total.explored_new, total.withdrawn_new), (probes, probes));
    assert_eq!(total.explored_of_standing(), (0, 0));
    assert_eq!(
        frontier.not_restored(),
        1,
        "it said that it could not read all"
    );
    let trace = frontier
        .explain(&Via::seed(), RawUrl::new("http://c.example/1?sid=1"))
        .unwrap();
    assert!(trace.drop_step().is_none(), "the belief has fallen");
}

#[test]
fn explaining_a_predicted_duplicate_names_belief_evidence_and_examples() {
    let frontier = crawl_of_siblings(Arc::new(MemoryStore::default()), 0.0);
    let trace = frontier
        .explain(&Via::seed(), RawUrl::new("http://c.example/77?sid=1"))
        .unwrap()
        .to_string();
    for part in [
        "on example: sid is ignored",
        "active, 70 trials, 0 failed, 5 more undecided, e-value 25.00; links: 30 dropped",
        "example: http://a.example/1?sid=2 = http://a.example/1",
    ] {
        assert!(trace.contains(part), "{part} is not in\n{trace}");
    }
}

#[test]
fn explaining_a_link_that_passes_names_the_active_belief_that_is_not_acted_upon() {
    let frontier = siblings_behind(SiteWide::default(), Arc::new(MemoryStore::default()), 0.0);
    let told = |link: &str| {
        let trace = frontier.explain(&Via::seed(), RawUrl::new(link)).unwrap();
        trace.to_string()
    };
    let muted = told("http://c.example/77?old_sid=1");
    for part in [
        "on example: sid is ignored",
        "active, but not acted upon here: 5 of its trials could not be decided, 70 counted",
    ] {
        assert!(muted.contains(part), "{part} is not in\n{muted}");
    }
    for link in ["http://c.example/77", "http://c.example/77?sid=1"] {
        assert!(!told(link).contains("not acted upon"), "{link}");
    }
}

#[test]
fn stages_are_asked_for_their_state_now_and_then_without_any_flush() {
    let stage = Arc::new(SiteWide::default());
    let frontier = LocalFrontier::builder(Chain::new().then(Shared(stage.clone())))
        .store(Arc::new(MemoryStore::default()))
        .build()
        .unwrap();
    seed(&frontier, &["http://a.example/"]);
    let links: Vec<String> = (0..600).map(|n| format!("/{n}")).collect();
    let links: Vec<RawUrl<'_>> = links.iter().map(|link| RawUrl::new(link)).collect();
    frontier
        .observe(leased(&frontier), &page(&links), &mut Vec::new())
        .unwrap();
    fetch_all(&frontier);
    // Once before the first page.
    assert_eq!(stage.checkpoints.load(Ordering::SeqCst), 3);
}

/// A stage that a test can look at from outside.
#[derive(Debug)]
struct Shared(Arc<SiteWide>);

impl Middleware for Shared {
    fn name(&self) -> StageName {
        self.0.name()
    }
    fn judge(&self, link: &mut Candidate, via: &Via<'_>) -> Verdict {
        self.0.judge(link, via)
    }
    fn checkpoint(&self, effects: &mut Effects) {
        self.0.checkpoint(effects);
    }
}
