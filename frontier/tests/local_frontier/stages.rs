//! The stages of these tests, a frontier of them, and a crawl of it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Instant,
};

use nodust_frontier::{
    BeliefId, Candidate, Chain, DropReason, Effects, Exploration, Frontier, HostKey, LocalFrontier,
    MemoryStore, Middleware, Observation, Phase, Prediction, Probability, RawUrl, StageName, Store,
    Turn, Verdict, Via, frontier::Open,
};

use crate::common::page;

/// Static normalization: `?utm` does not matter.
#[derive(Debug)]
pub(crate) struct Untracked;

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
pub(crate) struct Rule {
    pub(crate) active: AtomicBool,
    pub(crate) generation: AtomicU64,
    pub(crate) withdraw: AtomicBool,
}

impl Rule {
    pub(crate) fn belief() -> BeliefId {
        BeliefId::of("h.example", "ignore !")
    }
    pub(crate) fn switch(&self, on: bool) {
        self.active.store(on, Ordering::SeqCst);
        self.generation.fetch_add(1, Ordering::SeqCst);
    }
}

#[derive(Debug, Clone)]
pub(crate) struct RuleStage(Arc<Rule>);

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
pub(crate) struct Predictor;

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
        effects.is_new = Some(seen.url.url.as_url().path() == "/copy/3");
    }
    fn describe(&self, belief: BeliefId) -> Option<String> {
        (belief == BeliefId::of("h.example", "copies")).then(|| "copies".to_owned())
    }
}

/// The same, once it has learned so.
#[derive(Debug)]
pub(crate) struct LatePredictor(pub(crate) Arc<AtomicU64>);

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

pub(crate) fn frontier(rule: &Arc<Rule>, share: f64) -> LocalFrontier {
    frontier_on(Arc::new(MemoryStore::default()), rule, share)
}

pub(crate) fn frontier_on(store: Arc<dyn Store>, rule: &Arc<Rule>, share: f64) -> LocalFrontier {
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
pub(crate) fn crawl(
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
