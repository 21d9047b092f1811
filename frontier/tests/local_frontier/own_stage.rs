//! What a stage of a crawler's own drops, and changes its mind about.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use nodust_frontier::{
    BeliefId, Candidate, CanonicalUrl, Chain, Decision, DropReason, Effects, Exploration,
    FetchedPage, Frontier as _, HostKey, LocalFrontier, Middleware, Observation, Outcome,
    Prediction, Probability, RawUrl, StageName, Verdict, Via,
};

use crate::common::{leased, page, seed};
use crate::stages::crawl;

/// Wants neither `/for-good…`, `/excluded…`, `/beyond…` nor `/for-now…` until it has met `/change`.
#[derive(Debug, Default)]
struct Moody {
    wants_all: AtomicBool,
}

impl Moody {
    fn belief() -> BeliefId {
        BeliefId::of("h.example", "moody")
    }
}

impl Middleware for Moody {
    fn name(&self) -> StageName {
        "moody"
    }
    fn judge(&self, link: &mut Candidate, _via: &Via<'_>) -> Verdict {
        if self.wants_all.load(Ordering::SeqCst) {
            return Verdict::Pass;
        }
        let path = link.url().path();
        let rule = "moody".into();
        let reason = if path.starts_with("/for-good") {
            let (code, detail) = ("moody", "".into());
            DropReason::Other { code, detail }
        } else if path.starts_with("/excluded") {
            DropReason::Excluded { rule }
        } else if path.starts_with("/beyond") {
            DropReason::OutOfScope { rule }
        } else if path.starts_with("/for-now") {
            DropReason::PredictedDuplicate(Prediction {
                belief: Self::belief(),
                probability: Probability::new(0.9).unwrap(),
            })
        } else {
            return Verdict::Pass;
        };
        Verdict::Drop(reason)
    }
    fn generation(&self, _host: &HostKey) -> u64 {
        1 + u64::from(self.wants_all.load(Ordering::SeqCst))
    }
    fn describe(&self, belief: BeliefId) -> Option<String> {
        (belief == Self::belief()).then(|| "not in the mood".to_owned())
    }
    fn observe(&self, seen: &Observation<'_>, effects: &mut Effects) {
        if seen.url.url.as_url().path() == "/change" {
            self.wants_all.store(true, Ordering::SeqCst);
            let host = seen.url.url.host().clone();
            effects.withdrawn.push((host, Self::belief()));
        }
    }
}

#[test]
fn a_stage_that_changes_its_mind_gets_back_what_it_dropped_by_belief_and_nothing_else() {
    let frontier = LocalFrontier::builder(Chain::new().then(Moody::default()))
        .exploration(Exploration::new(Probability::new(0.0).unwrap(), 0))
        .build()
        .unwrap();
    seed(&frontier, &["http://h.example/"]);
    let all = [
        "/for-good/1",
        "/excluded/1",
        "/beyond/1",
        "/for-now/1",
        "/for-now/2",
        "/change",
    ];
    let fetched = crawl(&frontier, |path| match path {
        "/" => all.to_vec(),
        _ => vec![],
    });
    assert_eq!(fetched, ["/", "/change", "/for-now/1", "/for-now/2"]);
    // Of the others the spellings are known, but for what lay out of scope, which is judged anew where it is found once more.
    seed(&frontier, &["http://h.example/more"]);
    let links = all.map(RawUrl::new);
    let mut out = Vec::new();
    frontier
        .observe(leased(&frontier), &page(&links), &mut out)
        .unwrap();
    let is_known: Vec<bool> = (out.iter())
        .map(|decision| matches!(decision, Decision::Known))
        .collect();
    assert_eq!(is_known, [true, true, false, true, true, true]);
    assert!(matches!(&out[2], Decision::Admitted(_)));
}

/// Remembers where pages point to.
#[derive(Debug, Default)]
struct Pointers(std::sync::Mutex<Vec<Option<String>>>);

impl Middleware for Pointers {
    fn name(&self) -> StageName {
        "pointers"
    }
    fn judge(&self, _link: &mut Candidate, _via: &Via<'_>) -> Verdict {
        Verdict::Pass
    }
    fn observe(&self, seen: &Observation<'_>, _effects: &mut Effects) {
        let target = seen.points_to.map(CanonicalUrl::as_str);
        self.0.lock().unwrap().push(target.map(str::to_owned));
    }
}

#[test]
fn a_relative_canonical_is_resolved_as_links_are_against_the_base_of_its_page() {
    let stage = Arc::new(Pointers::default());
    let frontier = LocalFrontier::builder(Chain::new().then(Arc::clone(&stage)))
        .build()
        .unwrap();
    let cases = [
        (None, "x", "http://h.example/dir/x"),
        (Some("/base/"), "x", "http://h.example/base/x"),
        (Some("//other.example/"), "x", "http://other.example/x"),
        // What is absolute stays, such as a header's.
        (
            Some("/base/"),
            "http://h.example/dir/x",
            "http://h.example/dir/x",
        ),
        // No base at all.
        (Some("http://:0/"), "x", "http://h.example/dir/x"),
    ];
    for (number, (base, canonical, target)) in cases.into_iter().enumerate() {
        seed(&frontier, &[&format!("http://h.example/dir/{number}")]);
        let page = FetchedPage {
            base,
            canonical: Some(canonical),
            ..FetchedPage::default()
        };
        frontier
            .observe(leased(&frontier), &Outcome::Fetched(page), &mut Vec::new())
            .unwrap();
        let told = stage.0.lock().unwrap().pop().flatten();
        assert_eq!(told.as_deref(), Some(target), "{base:?}");
    }
}

#[test]
fn a_page_of_which_nothing_was_said_but_its_links_was_there() {
    let frontier = LocalFrontier::builder(Chain::new()).build().unwrap();
    seed(&frontier, &["http://h.example/"]);
    let links = [RawUrl::new("/a")];
    let page = FetchedPage {
        links: &links,
        ..FetchedPage::default()
    };
    let mut out = Vec::new();
    frontier
        .observe(leased(&frontier), &Outcome::Fetched(page), &mut out)
        .unwrap();
    assert!(matches!(&out[..], [Decision::Admitted(_)]), "{out:?}");
    assert_eq!(frontier.totals().total.broken, 0);
}
