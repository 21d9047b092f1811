//! What was dropped on somebody's word waits, is explored, and comes back when that word falls.

use std::{
    collections::BTreeSet,
    sync::{Arc, atomic::Ordering},
};

use nodust_frontier::{
    Candidate, Chain, Exploration, Frontier, LocalFrontier, Middleware, Phase, Probability, RawUrl,
    StageName, Verdict, Via,
};

use crate::common::{leased, page, seed};
use crate::stages::{Predictor, Rule, crawl, frontier};

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
    let total = frontier.totals().total;
    assert_eq!(
        (total.returned, total.returned_known, total.returned_new),
        (4, 3, 1)
    );
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
