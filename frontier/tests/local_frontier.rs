//! What a crawler may rely on: nothing lost, nothing fetched twice, every drop undone when its reason
//! falls.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop with the error"
)]
use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use nodust_frontier::{
    BeliefCounts, BeliefId, BeliefRecord, Candidate, CanonicalUrl, Chain, Commit, Decision,
    DropReason, Effects, Exploration, FetchFailure, FetchedPage, Fingerprint, Frontier, Gate,
    HostKey, Ledger, LedgerEntry, LocalFrontier, MemoryStore, Middleware, NotYet, Observation,
    Outcome, Phase, Prediction, Probability, Queue, Queued, RawUrl, SeenAs, SeenStore, StageName,
    Standing, StateStore, Store, StoreError, Ticket, Turn, Verdict, Via, frontier::Open,
};

/// Static normalization: `?utm` does not matter.
#[derive(Debug)]
struct Untracked;

impl Middleware for Untracked {
    fn name(&self) -> StageName {
        "normalize"
    }
    fn judge(&self, link: &mut Candidate, _via: &Via<'_>) -> Verdict {
        if let Some(class) = link.class().strip_suffix("?utm") {
            link.set_class(class.to_owned());
        }
        Verdict::Pass
    }
}

/// A learned rule, "whatever follows `!` does not matter", that can be switched on and withdrawn.
#[derive(Debug, Default)]
struct Rule {
    active: AtomicBool,
    generation: AtomicU64,
    withdraw: AtomicBool,
}

impl Rule {
    fn belief() -> BeliefId {
        BeliefId::of("h.example", "ignore !")
    }
    fn switch(&self, on: bool) {
        self.active.store(on, Ordering::SeqCst);
        self.generation.fetch_add(1, Ordering::SeqCst);
    }
}

#[derive(Debug, Clone)]
struct RuleStage(Arc<Rule>);

impl Middleware for RuleStage {
    fn name(&self) -> StageName {
        "rules"
    }
    fn judge(&self, link: &mut Candidate, _via: &Via<'_>) -> Verdict {
        if self.0.active.load(Ordering::SeqCst)
            && let Some((head, _)) = link.class().split_once('!')
        {
            let class = head.to_owned();
            link.merge_into(class, Rule::belief());
        }
        Verdict::Pass
    }
    fn generation(&self, _host: &HostKey) -> u64 {
        self.0.generation.load(Ordering::SeqCst)
    }
    fn observe(&self, _seen: &Observation<'_>, effects: &mut Effects) {
        if self.0.withdraw.swap(false, Ordering::SeqCst) {
            self.0.switch(false);
            let host = HostKey::from_text("h.example");
            effects.withdrawn.push((host, Rule::belief()));
        }
    }
    fn describe(&self, belief: BeliefId) -> Option<String> {
        (belief == Rule::belief()).then(|| "ignore !".to_owned())
    }
}

/// Predicts that every `/copy…` is a duplicate.
#[derive(Debug)]
struct Predictor;

impl Middleware for Predictor {
    fn name(&self) -> StageName {
        "predict"
    }
    fn phase(&self) -> Phase {
        Phase::AfterSeen
    }
    fn judge(&self, link: &mut Candidate, _via: &Via<'_>) -> Verdict {
        if link.url().path().starts_with("/copy") {
            return Verdict::Drop(DropReason::PredictedDuplicate(Prediction {
                belief: BeliefId::of("h.example", "copies"),
                probability: Probability::new(0.99).unwrap(),
            }));
        }
        Verdict::Pass
    }
    fn observe(&self, seen: &Observation<'_>, effects: &mut Effects) {
        if seen.url.probe.is_some() {
            effects.probe_was_duplicate = Some(true);
        }
    }
    fn describe(&self, belief: BeliefId) -> Option<String> {
        (belief == BeliefId::of("h.example", "copies")).then(|| "copies".to_owned())
    }
}

fn frontier(rule: &Arc<Rule>, share: f64) -> LocalFrontier {
    frontier_on(Arc::new(MemoryStore::default()), rule, share)
}

fn frontier_on(store: Arc<dyn Store>, rule: &Arc<Rule>, share: f64) -> LocalFrontier {
    let chain = Chain::new()
        .then(Untracked)
        .then(RuleStage(rule.clone()))
        .then(Predictor);
    LocalFrontier::builder(chain)
        .store(store)
        .exploration(Exploration::new(Probability::new(share).unwrap(), 7))
        .build()
        .unwrap()
}

fn seed(frontier: &LocalFrontier, urls: &[&str]) -> Vec<Decision> {
    let links: Vec<RawUrl<'_>> = urls.iter().map(|url| RawUrl::new(url)).collect();
    let mut out = Vec::new();
    frontier.admit(&Via::seed(), &links, &mut out).unwrap();
    out
}

fn page<'p>(links: &'p [RawUrl<'p>]) -> Outcome<'p> {
    Outcome::Fetched(FetchedPage {
        status: 200,
        links,
        ..FetchedPage::default()
    })
}

/// Fetches until nothing is left; `answer` plays the server.
fn crawl(
    frontier: &LocalFrontier,
    mut answer: impl for<'a> FnMut(&str) -> Vec<&'static str>,
) -> Vec<String> {
    let mut fetched = Vec::new();
    loop {
        match frontier.lease(Instant::now(), &Open).unwrap() {
            Turn::Fetch(lease) => {
                let path = lease.url().as_str()["http://h.example".len()..].to_owned();
                let links = answer(&path);
                let links: Vec<RawUrl<'_>> = links.into_iter().map(RawUrl::new).collect();
                frontier
                    .observe(lease, &page(&links), &mut Vec::new())
                    .unwrap();
                fetched.push(path);
            }
            Turn::Drained => return fetched,
            Turn::Wait(_) | Turn::Idle => panic!("one lease at a time and an open gate"),
        }
        assert!(frontier.totals().total.is_balanced());
    }
}

fn leased(frontier: &LocalFrontier) -> nodust_frontier::Lease {
    match frontier.lease(Instant::now(), &Open).unwrap() {
        Turn::Fetch(lease) => lease,
        other => panic!("something is queued, but: {other:?}"),
    }
}

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

#[test]
fn a_link_that_waited_is_judged_by_what_was_learned_meanwhile() {
    let rule = Arc::new(Rule::default());
    let frontier = frontier(&rule, 0.0);
    seed(&frontier, &["http://h.example/"]);
    let fetched = crawl(&frontier, |path| match path {
        "/" => vec!["/x", "/x!1", "/x!2", "/y!1"],
        "/x" => {
            rule.switch(true);
            vec!["/x!3"]
        }
        _ => vec![],
    });
    assert_eq!(fetched, ["/", "/x", "/y!1"]);
    let stats = frontier.stats().unwrap();
    assert_eq!(stats.total.saved_by["rules"], 3);
    assert_eq!(stats.ledger, 3);
    assert_eq!(stats.total.plain(), 6);
}

#[test]
fn what_a_withdrawn_belief_dropped_comes_back_and_its_classes_are_forgotten() {
    let rule = Arc::new(Rule::default());
    rule.switch(true);
    let frontier = frontier(&rule, 0.0);
    seed(&frontier, &["http://h.example/"]);
    let fetched = crawl(&frontier, |path| match path {
        "/" => vec!["/x!1", "/x!2", "/x!3", "/last"],
        "/last" => {
            rule.withdraw.store(true, Ordering::SeqCst);
            vec![]
        }
        _ => vec![],
    });
    let fetched: BTreeSet<String> = fetched.into_iter().collect();
    assert_eq!(
        fetched,
        ["/", "/last", "/x!1", "/x!2", "/x!3"]
            .map(str::to_owned)
            .into()
    );
    let stats = frontier.stats().unwrap();
    assert_eq!(
        (stats.total.saved(), stats.total.recalled, stats.ledger),
        (0, 2, 0)
    );
}

#[test]
fn exploration_fetches_its_share_and_counts_what_it_found() {
    let frontier = frontier(&Arc::default(), 0.2);
    seed(&frontier, &["http://h.example/"]);
    let copies: Vec<String> = (0..1000).map(|n| format!("/copy/{n}")).collect();
    let links: Vec<RawUrl<'_>> = copies.iter().map(|url| RawUrl::new(url)).collect();
    frontier
        .observe(leased(&frontier), &page(&links), &mut Vec::new())
        .unwrap();
    crawl(&frontier, |_| vec![]);
    let stats = frontier.stats().unwrap();
    // 1000 draws at 0.2: within five standard deviations.
    assert!(
        (137..=263).contains(&stats.total.explored),
        "{}",
        stats.total.explored
    );
    assert_eq!(stats.total.explored_duplicates, stats.total.explored);
    let explored = stats.total.explored;
    assert_eq!(stats.total.explored_of_standing(), (explored, explored));
    assert_eq!(stats.total.saved_by["predict"] + stats.total.explored, 1000);
    assert_eq!(stats.ledger, stats.total.saved());

    let recalled = frontier.second_helping().unwrap();
    assert_eq!(recalled, stats.ledger);
    assert_eq!(crawl(&frontier, |_| vec![]).len() as u64, recalled);
    assert_eq!(frontier.totals().total.saved(), 0);
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

/// Predicts on every host of a site that `?sid=` does not matter, until a page `/reveal` shows that it
/// does. It names the host of that page only.
#[derive(Debug, Default)]
struct SiteWide {
    fallen: AtomicBool,
    /// It believes it again at once, and withdraws it only the first time.
    relapses: bool,
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
        if believes && link.url().as_str().contains("?sid=") {
            return Verdict::Drop(DropReason::PredictedDuplicate(Prediction {
                belief: Self::belief(),
                probability: Probability::new(0.99).unwrap(),
            }));
        }
        Verdict::Pass
    }
    fn observe(&self, seen: &Observation<'_>, effects: &mut Effects) {
        if seen.url.url.as_url().path() == "/reveal" {
            self.fallen.store(true, Ordering::SeqCst);
            effects.state.push(("fallen".to_owned(), Some(vec![1])));
            let host = seen.url.url.host().clone();
            effects.withdrawn.push((host, Self::belief()));
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
            e_value: 25.0,
            examples: vec![(
                "http://a.example/1?sid=2".into(),
                "http://a.example/1".into(),
            )],
        })
    }
}

/// A store that takes no further commit once its days are numbered and over, as after a kill.
#[derive(Debug)]
struct Mortal {
    inner: MemoryStore,
    days: AtomicU64,
}

impl Mortal {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            inner: MemoryStore::default(),
            days: AtomicU64::new(u64::MAX),
        })
    }
}

impl SeenStore for Mortal {
    fn lookup(
        &self,
        keys: &[Fingerprint],
        found: &mut Vec<Option<SeenAs>>,
    ) -> Result<(), StoreError> {
        self.inner.lookup(keys, found)
    }
    fn seen_len(&self) -> u64 {
        self.inner.seen_len()
    }
}

impl Queue for Mortal {
    fn take(&self, host: &HostKey) -> Result<Option<(Ticket, Queued)>, StoreError> {
        self.inner.take(host)
    }
    fn put_back(&self, ticket: &Ticket) {
        self.inner.put_back(ticket);
    }
    fn hosts(&self) -> Result<Vec<HostKey>, StoreError> {
        self.inner.hosts()
    }
    fn queue_len(&self) -> u64 {
        self.inner.queue_len()
    }
}

impl Ledger for Mortal {
    fn dropped_by(
        &self,
        host: &HostKey,
        belief: BeliefId,
        limit: usize,
    ) -> Result<Vec<LedgerEntry>, StoreError> {
        self.inner.dropped_by(host, belief, limit)
    }
    fn dropped_in_class(
        &self,
        host: &HostKey,
        class: Fingerprint,
        limit: usize,
    ) -> Result<Vec<LedgerEntry>, StoreError> {
        self.inner.dropped_in_class(host, class, limit)
    }
    fn ledger_scan(
        &self,
        each: &mut dyn FnMut(&HostKey, LedgerEntry) -> bool,
    ) -> Result<(), StoreError> {
        self.inner.ledger_scan(each)
    }
    fn ledger_len(&self) -> u64 {
        self.inner.ledger_len()
    }
    fn ledger_overflow(&self) -> u64 {
        self.inner.ledger_overflow()
    }
}

impl StateStore for Mortal {
    fn state(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.inner.state(key)
    }
    fn state_scan(
        &self,
        prefix: &str,
        each: &mut dyn FnMut(&str, &[u8]),
    ) -> Result<(), StoreError> {
        self.inner.state_scan(prefix, each)
    }
}

impl Store for Mortal {
    fn commit(&self, commit: Commit) -> Result<(), StoreError> {
        let left = self
            .days
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |days| {
                days.checked_sub(1)
            });
        match left {
            Ok(_) => self.inner.commit(commit),
            Err(_) => Err(StoreError::Io {
                operation: "live on",
                source: "killed".into(),
            }),
        }
    }
    fn flush(&self) -> Result<(), StoreError> {
        self.inner.flush()
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

fn fetch_all(frontier: &LocalFrontier) -> BTreeSet<String> {
    let mut fetched = BTreeSet::new();
    while let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open).unwrap() {
        fetched.insert(lease.url().as_str().to_owned());
        frontier
            .observe(lease, &page(&[]), &mut Vec::new())
            .unwrap();
    }
    fetched
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
        "active, 70 trials, 0 failed, e-value 2.500e1; dropped 30 links",
        "example: http://a.example/1?sid=2 = http://a.example/1",
    ] {
        assert!(trace.contains(part), "{part} is not in\n{trace}");
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
    assert_eq!(stage.checkpoints.load(Ordering::SeqCst), 2);
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

/// A predictor that cannot tell of what it once believed, as after a restart with other settings.
#[derive(Debug)]
struct Forgetful;

impl Middleware for Forgetful {
    fn name(&self) -> StageName {
        "forgetful"
    }
    fn phase(&self) -> Phase {
        Phase::AfterSeen
    }
    fn judge(&self, link: &mut Candidate, via: &Via<'_>) -> Verdict {
        Predictor.judge(link, via)
    }
}

#[test]
fn a_saving_is_taken_back_from_the_stage_that_was_credited_with_it() {
    let frontier = LocalFrontier::builder(Chain::new().then(Forgetful))
        .exploration(Exploration::new(Probability::new(0.0).unwrap(), 0))
        .build()
        .unwrap();
    let links = ["http://h.example/copy1", "http://h.example/copy2"].map(RawUrl::new);
    let page = "http://h.example/".parse().unwrap();
    frontier
        .admit(&Via::page(&page), &links, &mut Vec::new())
        .unwrap();
    assert_eq!(frontier.totals().total.saved_by["forgetful"], 2);
    assert_eq!(frontier.second_helping().unwrap(), 2);
    let total = frontier.totals().total;
    assert_eq!(total.saved_by.len(), 0, "{:?}", total.saved_by);
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
            e_value: 25.0,
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
