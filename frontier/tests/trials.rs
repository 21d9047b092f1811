//! A further spelling of a page that was not to be had: whatever becomes of it, those that are left get their chance.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop with the error"
)]

mod common;

use std::time::Instant;

use common::{leased, page, seed};
use nodust_frontier::{
    BeliefId, Candidate, Chain, DropReason, Exploration, FetchedPage, Frontier, HostKey, Lease,
    LocalFrontier, Middleware, Outcome, Phase, Prediction, Probability, RawUrl, StageName, Turn,
    Verdict, Via, frontier::Open,
};

/// Static normalization: what follows `?` does not matter.
#[derive(Debug)]
struct Sessions;

impl Middleware for Sessions {
    fn name(&self) -> StageName {
        "normalize"
    }
    fn judge(&self, link: &mut Candidate, _via: &Via<'_>) -> Verdict {
        if let Some((class, _)) = link.url().as_str().split_once('?') {
            link.set_class(class.to_owned());
        }
        Verdict::Pass
    }
}

/// Takes every URL with `copy` in it for a copy; with its generation.
#[derive(Debug)]
struct Copies(u64);

impl Middleware for Copies {
    fn name(&self) -> StageName {
        "predict"
    }
    fn phase(&self) -> Phase {
        Phase::AfterSeen
    }
    fn judge(&self, link: &mut Candidate, _via: &Via<'_>) -> Verdict {
        if !link.url().as_str().contains("copy") {
            return Verdict::Pass;
        }
        Verdict::Drop(DropReason::PredictedDuplicate(Prediction {
            belief: BeliefId::of("h.example", "copies"),
            probability: Probability::new(0.99).unwrap(),
        }))
    }
    fn generation(&self, _host: &HostKey) -> u64 {
        self.0
    }
}

fn frontier(generation: u64) -> LocalFrontier {
    LocalFrontier::builder(Chain::new().then(Sessions).then(Copies(generation)))
        .exploration(Exploration::new(Probability::new(0.0).unwrap(), 7))
        .build()
        .unwrap()
}

fn links<'l>(all: &'l [&'l str]) -> Vec<RawUrl<'l>> {
    all.iter().map(|link| RawUrl::new(link)).collect()
}

fn to(target: &str) -> Outcome<'_> {
    Outcome::Redirected {
        status: 302,
        target: RawUrl::new(target),
    }
}

fn broken() -> Outcome<'static> {
    Outcome::Fetched(FetchedPage {
        status: 500,
        ..FetchedPage::default()
    })
}

fn observe(frontier: &LocalFrontier, lease: Lease, outcome: &Outcome<'_>) {
    frontier.observe(lease, outcome, &mut Vec::new()).unwrap();
    assert!(frontier.totals().total.is_balanced());
}

/// Fetches everything, in the order in which it comes; what was fetched.
fn fetch_all<'a>(frontier: &LocalFrontier, answer: impl Fn(&str) -> Outcome<'a>) -> Vec<String> {
    let mut fetched = Vec::new();
    while let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open).unwrap() {
        let url = lease.url().as_str().to_owned();
        observe(frontier, lease, &answer(&url));
        fetched.push(url);
    }
    fetched
}

/// The only spelling that was met so far brings nothing, so that the next that is found has its chance. What is fetched if
/// these are found.
fn fetched_of(frontier: &LocalFrontier, found: [&[&str]; 2]) -> Vec<String> {
    let lists = ["http://h.example/list/1", "http://h.example/list/2"];
    seed(frontier, &["http://h.example/a?1", lists[0], lists[1]]);
    let a = leased(frontier);
    let lists = [leased(frontier), leased(frontier)];
    observe(frontier, a, &broken());
    for (list, found) in lists.into_iter().zip(found) {
        observe(frontier, list, &page(&links(found)));
    }
    fetch_all(frontier, |_| page(&[]))
}

#[test]
fn a_spelling_that_a_belief_drops_takes_no_chance_from_others() {
    for found in [[&["/a?copy", "/a?2"][..], &[]], [&["/a?copy"], &["/a?2"]]] {
        assert_eq!(fetched_of(&frontier(1), found), ["http://h.example/a?2"]);
    }
}

#[test]
fn a_trial_that_is_dropped_when_it_is_found_is_over() {
    let found: [&[&str]; 2] = [&["/a?copy"], &["/a?2"]];
    assert_eq!(fetched_of(&frontier(0), found), ["http://h.example/a?2"]);
}

#[test]
fn where_a_trial_led_to_another_host_its_class_has_its_other_chance() {
    let frontier = frontier(1);
    seed(&frontier, &["http://h.example/"]);
    let home = leased(&frontier);
    observe(&frontier, home, &page(&links(&["/a?1", "/a?2", "/a?333"])));
    let fetched = fetch_all(&frontier, |url| match url {
        "http://h.example/a?1" | "http://m.example/a" => broken(),
        "http://h.example/a?2" => to("http://m.example/a"),
        _ => page(&[]),
    });
    assert_eq!(
        fetched,
        ["/a?1", "/a?2", "", "/a?333"].map(|path| match path {
            "" => "http://m.example/a".to_owned(),
            _ => format!("http://h.example{path}"),
        })
    );
}

/// Each answer sets a cookie that the next request lacks.
#[test]
fn where_redirects_lead_back_to_their_beginning_another_spelling_has_its_chance() {
    for on_the_way in ["/a?1", "/a?test"] {
        let frontier = frontier(1);
        seed(&frontier, &["http://h.example/"]);
        let home = leased(&frontier);
        observe(&frontier, home, &page(&links(&["/a?1", "/a?22"])));
        let fetched = fetch_all(&frontier, |url| match url {
            "http://h.example/a?1" => to(on_the_way),
            "http://h.example/a?test" => to("/a?1"),
            _ => page(&[]),
        });
        let last = fetched.last().unwrap();
        assert_eq!(last, "http://h.example/a?22", "{fetched:?}");
    }
}
