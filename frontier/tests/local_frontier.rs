//! What a crawler may rely on: nothing lost, nothing fetched twice, every drop undone when its reason
//! falls.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop with the error"
)]
mod common;

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use nodust_frontier::{
    BeliefId, Candidate, Chain, Commit, Decision, DropReason, Effects, Exploration, Fate,
    FetchFailure, FetchedPage, Frontier, Gate, HostKey, LocalFrontier, MemoryStore, Middleware,
    NotYet, Observation, Outcome, Phase, Prediction, Probability, RawUrl, StageName, Store, Turn,
    Verdict, Via, frontier::Open,
};

use common::{leased, page, seed};

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

/// The same, once it has learned so.
#[derive(Debug)]
struct LatePredictor(Arc<AtomicU64>);

impl Middleware for LatePredictor {
    fn name(&self) -> StageName {
        "predict"
    }
    fn phase(&self) -> Phase {
        Phase::AfterSeen
    }
    fn judge(&self, link: &mut Candidate, via: &Via<'_>) -> Verdict {
        match self.0.load(Ordering::SeqCst) {
            0 => Verdict::Pass,
            _ => Predictor.judge(link, via),
        }
    }
    fn generation(&self, _host: &HostKey) -> u64 {
        self.0.load(Ordering::SeqCst)
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
fn what_comes_back_is_plain_all_along_and_saved_no_more() {
    let frontier = frontier(&Arc::default(), 0.0);
    seed(&frontier, &["http://h.example/"]);
    crawl(&frontier, |path| match path {
        "/" => vec!["/copy/1", "/copy/2", "/copy/3", "/a", "/a?utm"],
        _ => vec![],
    });
    let sums = || {
        let total = frontier.totals().total;
        (
            total.fetched,
            total.saved(),
            total.waiting_again,
            total.plain(),
        )
    };
    assert_eq!(sums(), (2, 4, 0, 6));
    assert_eq!(frontier.second_helping().unwrap(), 4);
    assert_eq!(sums(), (2, 0, 4, 6));
    // A run may end here, with some of them fetched.
    let lease = leased(&frontier);
    frontier
        .observe(lease, &page(&[]), &mut Vec::new())
        .unwrap();
    assert_eq!(sums(), (3, 0, 3, 6));
    crawl(&frontier, |_| vec![]);
    assert_eq!(sums(), (6, 0, 0, 6));
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
    generation.store(1, Ordering::SeqCst);
    assert_eq!(crawl(&frontier, |_| vec![]), [""; 0]);
    let belief = BeliefId::of("h.example", "copies");
    assert_eq!(told().fate(), Some(Fate::InLedger(belief)));
    let told = told().to_string();
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
