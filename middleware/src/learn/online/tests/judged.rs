//! What is told of links that were explored.

use std::{cell::Cell, ops::Range};

use nodust_frontier::{Counts, Lease};

use super::{
    super::{RuleSource, host::Host, sources::Probed},
    *,
};
use crate::{
    learn::barred::Barred,
    rules::SiteRules,
    sign::{Echo, PageText},
};

fn audited() -> Chain {
    auditing(&["e.org"], &[(SESSION, Status::Active)])
}

/// Explored, and found to be duplicates, of which nobody could tell anything, and new.
fn told(total: &Counts) -> (u64, u64, u64) {
    let Counts {
        explored,
        explored_duplicates: duplicates,
        explored_new: new,
        ..
    } = *total;
    (duplicates, explored - duplicates - new, new)
}

fn offer(frontier: &LocalFrontier, url: &str) {
    let root = "http://e.org/".parse().unwrap();
    (frontier.admit(&Via::page(&root), &[RawUrl::new(url)], &mut Vec::new())).unwrap();
}

/// Topics, with a session and without.
fn offer_both(frontier: &LocalFrontier, topics: Range<u32>) {
    for t in topics {
        offer(frontier, &format!("http://e.org/v?t={t}"));
        offer(frontier, &format!("http://e.org/v?s=1&t={t}"));
    }
}

fn lease(frontier: &LocalFrontier) -> Option<Lease> {
    match frontier.lease(Instant::now(), &Open).unwrap() {
        Turn::Fetch(lease) => Some(lease),
        _ => None,
    }
}

fn answer(frontier: &LocalFrontier, lease: Lease, text: &str) {
    let page = FetchedPage {
        status: 200,
        text: Some(text),
        ..FetchedPage::default()
    };
    (frontier.observe(lease, &Outcome::Fetched(page), &mut Vec::new())).unwrap();
}

fn redirect(frontier: &LocalFrontier, lease: Lease, target: &str) {
    let outcome = Outcome::Redirected {
        status: 302,
        target: RawUrl::new(target),
    };
    (frontier.observe(lease, &outcome, &mut Vec::new())).unwrap();
}

/// All that waits, under way at a time: probes, of which there are at least eight, and the rest.
fn all_at_once(frontier: &LocalFrontier) -> (Vec<Lease>, Vec<Lease>) {
    let leases = std::iter::from_fn(|| lease(frontier));
    let (probes, pages): (Vec<_>, Vec<_>) =
        leases.partition(|lease| lease.admitted().probe.is_some());
    assert!(probes.len() > 7, "{}", probes.len());
    (probes, pages)
}

#[test]
fn equal_texts_are_told_of_before_chrome_is_known_however_often_the_rule_was_right() {
    let frontier = frontier_exploring(audited(), 0.99, 0);
    // Too few texts for that.
    crawl(&frontier, forum(0..20), topic);
    let (duplicates, untold, new) = told(&frontier.totals().total);
    assert!(duplicates > 15, "{duplicates}");
    assert_eq!((untold, new), (0, 0));
}

/// The topic, and how many pages were shown.
fn with_a_counter() -> impl Fn(&str) -> String {
    let shown = Cell::new(0);
    move |url| {
        shown.set(shown.get() + 1);
        format!("{}\nvisitor {} of today", topic(url), shown.get())
    }
}

#[test]
fn what_could_not_be_told_before_chrome_was_known_is_told_then() {
    let store: Arc<MemoryStore> = Arc::default();
    let open = || {
        LocalFrontier::builder(audited())
            .store(Arc::clone(&store) as Arc<dyn Store>)
            .exploration(Exploration::new(Probability::new(0.99).unwrap(), 0))
            .build()
            .unwrap()
    };
    let page = with_a_counter();
    let first = open();
    crawl(&first, forum(0..10), &page);
    let (duplicates, untold, new) = told(&first.totals().total);
    assert_eq!((duplicates, new), (0, 0), "no two texts are equal");
    assert!(untold > 7);
    first.flush().unwrap();
    drop(first);
    // The crawl goes on in another process.
    let second = open();
    crawl(&second, forum(10..60), &page);
    let (duplicates, untold, new) = told(&second.totals().total);
    assert!(duplicates > 50, "{duplicates}");
    assert_eq!((untold, new), (0, 0));
}

#[test]
fn a_link_that_came_back_before_the_page_that_it_was_taken_for_is_told_of_with_that_page() {
    for (known, is_right) in [(0, true), (0, false), (100, true), (100, false)] {
        let frontier = frontier_exploring(audited(), 0.99, 0);
        crawl(&frontier, forum(0..known), topic);
        let before = told(&frontier.totals().total);
        assert_eq!((before.1, before.2), (0, 0), "{known}");
        let page = if is_right { topic } else { text };
        offer_both(&frontier, 1000..1010);
        let (probes, pages) = all_at_once(&frontier);
        let explored = probes.len() as u64;
        for lease in probes {
            let text = page(lease.url().as_str());
            answer(&frontier, lease, &text);
        }
        assert_eq!(told(&frontier.totals().total), (before.0, explored, 0));
        for lease in pages {
            let text = page(lease.url().as_str());
            answer(&frontier, lease, &text);
        }
        let after = told(&frontier.totals().total);
        if is_right {
            assert_eq!(after, (before.0 + explored, 0, 0), "{known}");
        } else if known > 0 {
            assert!(after.2 > 0, "{after:?}");
        }
    }
}

#[test]
fn a_link_that_leads_to_its_own_class_is_a_copy_though_no_page_of_that_came_yet() {
    let frontier = frontier_exploring(audited(), 0.99, 0);
    offer_both(&frontier, 0..10);
    let (probes, pages) = all_at_once(&frontier);
    let explored = probes.len() as u64;
    for lease in probes {
        let home = lease.url().as_str().replace("s=1&", "");
        redirect(&frontier, lease, &home);
    }
    for lease in pages {
        let text = topic(lease.url().as_str());
        answer(&frontier, lease, &text);
    }
    assert_eq!(told(&frontier.totals().total), (explored, 0, 0));
}

#[test]
fn a_session_that_has_ended_says_nothing_of_the_link_that_came_first() {
    let frontier = frontier_exploring(audited(), 0.99, 0);
    crawl(&frontier, forum(0..100), topic);
    crawl(&frontier, ["http://e.org/login".to_owned()], text);
    let before = told(&frontier.totals().total);
    offer_both(&frontier, 1000..1010);
    let (probes, pages) = all_at_once(&frontier);
    for lease in probes {
        let text = topic(lease.url().as_str());
        answer(&frontier, lease, &text);
    }
    for lease in pages {
        redirect(&frontier, lease, "http://e.org/login");
    }
    let after = told(&frontier.totals().total);
    assert_eq!(after.2, before.2, "the probes brought the topics");
}

#[test]
fn what_another_rule_merges_says_nothing_of_the_rule_that_a_link_was_explored_for() {
    let entry = |text: &str| Entry {
        status: Status::Active,
        ..Entry::by_hand(text.parse().unwrap())
    };
    let (session, other) = (
        entry(SESSION),
        entry(&SESSION.replace("query.s", "query.r")),
    );
    let said = |entry: &Entry| Held::said(Arc::new(entry.clone()), RuleSource::File);
    let mut host = Host::new("e.org", Arc::default());
    host.heed_file(&[said(&session), said(&other)], Barred::default());
    let in_force = SiteRules::audited(
        "e.org",
        [
            (session.rule.clone(), Some(1)),
            (other.rule.clone(), Some(1)),
        ],
    );
    host.find_classes(Arc::new(in_force));
    let mut page = |url: &str, name: &str, probed: Option<Probed>| {
        let text = text(name);
        let text = PageText::new(&text, &Echo::of(&url.parse().unwrap()));
        host.page(url, text, probed)
    };
    for t in 0..100 {
        page(&format!("http://e.org/v?t={t}"), &format!("{t}"), None);
    }
    let probed = Probed {
        host: "e.org".into(),
        belief: session.rule.belief("e.org"),
    };
    let first = page("http://e.org/v?s=1&t=1000", "of this session", Some(probed));
    assert!(first.late.is_empty());
    let second = page("http://e.org/v?r=5&s=1&t=1000", "of this session", None);
    assert!(second.late.is_empty(), "both have the session");
    let third = page("http://e.org/v?t=1000", "of no session", None);
    assert_eq!(third.fallen.len(), 1);
    assert!(third.late.iter().all(|(_, was_duplicate)| !was_duplicate));
}
