//! A redirect is followed, but not for ever, and is no duplicate of the page that led to it.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use nodust_frontier::{
    Chain, Exploration, Frontier, LocalFrontier, MemoryStore, Outcome, Probability, RawUrl, Store,
    Turn, Via, frontier::Open,
};

use crate::common::{leased, page, seed};
use crate::stages::{LatePredictor, Rule, Untracked, frontier};

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

/// Of a shop that set a cookie under another address first, every page was lost.
#[test]
fn redirects_that_come_back_to_the_class_they_began_at_are_followed() {
    for was_met in [false, true] {
        let store: Arc<MemoryStore> = Arc::default();
        let open = || {
            LocalFrontier::builder(Chain::new().then(Untracked))
                .store(Arc::clone(&store) as Arc<dyn Store>)
                .build()
                .unwrap()
        };
        let links = ["http://h.example/a", "http://h.example/a?utm"];
        seed(&open(), &links[..=usize::from(was_met)]);
        for target in ["/cookie/1", "/cookie/2", "/a?utm"] {
            let moved = Outcome::Redirected {
                status: 302,
                target: RawUrl::new(target),
            };
            // Whatever is known of the way outlives the process.
            let frontier = open();
            let lease = leased(&frontier);
            frontier.observe(lease, &moved, &mut Vec::new()).unwrap();
        }
        let frontier = open();
        let lease = leased(&frontier);
        assert_eq!(lease.url().as_str(), "http://h.example/a?utm", "{was_met}");
    }
}

/// Links of a site where spellings with `?utm` redirect, in an order in which either may come first; what `leads` says, and how
/// often the process is begun anew. All paths and queries that were fetched.
fn crawl_spellings(
    links: impl Iterator<Item = String>,
    leads: impl Fn(&str) -> Option<String>,
    restart_every: usize,
) -> BTreeSet<String> {
    let store: Arc<MemoryStore> = Arc::default();
    let open = || {
        LocalFrontier::builder(Chain::new().then(Untracked))
            .store(Arc::clone(&store) as Arc<dyn Store>)
            .build()
            .unwrap()
    };
    let mut frontier = open();
    let mut fetched = BTreeSet::new();
    for link in links {
        let root = "http://h.example/".parse().unwrap();
        let link = [RawUrl::new(&link)];
        (frontier.admit(&Via::page(&root), &link, &mut Vec::new())).unwrap();
        while let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open).unwrap() {
            let path = lease.url().as_str()["http://h.example".len()..].to_owned();
            let target = leads(&path);
            let outcome = match &target {
                Some(target) => Outcome::Redirected {
                    status: 302,
                    target: RawUrl::new(target),
                },
                None => page(&[]),
            };
            frontier.observe(lease, &outcome, &mut Vec::new()).unwrap();
            fetched.insert(path);
            if fetched.len().is_multiple_of(restart_every) {
                frontier = open();
            }
        }
    }
    assert!(frontier.totals().total.is_balanced());
    fetched
}

/// Sessions that have ended lead to a login, and `http:` leads home on many a site: each page that was linked so first was lost.
#[test]
fn a_class_whose_first_spelling_leads_where_all_lead_is_fetched_under_another() {
    for (login, restart_every) in [("/login", usize::MAX), ("/login?next=", 1), ("/", 3)] {
        let spellings = |n: u32| {
            let (bare, old) = (format!("/p/{n}"), format!("/p/{n}?utm"));
            if n.is_multiple_of(3) {
                [bare, old]
            } else {
                [old, bare]
            }
        };
        let leads = |path: &str| {
            let page = path.strip_suffix("?utm")?;
            let page = if login.ends_with('=') { page } else { "" };
            Some(format!("{login}{page}"))
        };
        let fetched = crawl_spellings((0..60).flat_map(spellings), leads, restart_every);
        let pages = fetched
            .iter()
            .filter(|path| path.starts_with("/p/") && !path.contains('?'));
        assert_eq!(pages.count(), 60, "{login}");
    }
}

#[test]
fn spellings_that_lead_to_one_page_cost_no_further_ones() {
    for (target, most) in [("/news/", 60), ("/news?id=", 60 + 16)] {
        let links = (0..30).flat_map(|n| ["?utm", ""].map(|end| format!("/go/{n}{end}")));
        let leads = |path: &str| {
            let rest = path.strip_prefix("/go/")?;
            Some(format!("{target}{}", rest.trim_end_matches("?utm")))
        };
        let fetched = crawl_spellings(links, leads, 5);
        assert!((60..=most).contains(&fetched.len()), "{}", fetched.len());
    }
}

/// Crawls links of a page; `leads` says where a path redirects. All paths that were fetched.
fn crawl_over_redirects(
    frontier: &LocalFrontier,
    links: &[String],
    leads: impl Fn(&str) -> Option<String>,
) -> BTreeSet<String> {
    seed(frontier, &["http://h.example/"]);
    let links: Vec<RawUrl<'_>> = links.iter().map(|url| RawUrl::new(url)).collect();
    let first = leased(frontier);
    (frontier.observe(first, &page(&links), &mut Vec::new())).unwrap();
    let mut fetched = BTreeSet::new();
    while let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open).unwrap() {
        let path = lease.url().as_url().path().to_owned();
        let target = leads(&path);
        let outcome = match &target {
            Some(target) => Outcome::Redirected {
                status: 302,
                target: RawUrl::new(target),
            },
            None => page(&[]),
        };
        frontier.observe(lease, &outcome, &mut Vec::new()).unwrap();
        assert!(fetched.insert(path), "fetched twice");
    }
    let total = frontier.totals().total;
    assert!(total.is_balanced());
    assert!(total.explored > 10);
    assert_eq!(
        total.explored_duplicates + total.explored_new,
        total.explored
    );
    fetched
}

#[test]
fn where_an_explored_link_leads_is_fetched_over_all_hops_and_explored_once() {
    let frontier = frontier(&Arc::default(), 0.2);
    let links: Vec<String> = (0..200).map(|n| format!("/copy/{n}")).collect();
    let fetched = crawl_over_redirects(&frontier, &links, |path| {
        (!path.ends_with("/on/on")).then(|| format!("{path}/on"))
    });
    let explored = frontier.totals().total.explored;
    let ends = fetched.iter().filter(|path| path.ends_with("/on/on"));
    assert_eq!(ends.count() as u64, explored);
    assert_eq!(fetched.len() as u64, 3 * explored);
}

#[test]
fn what_an_explored_link_leads_to_comes_back_if_it_was_dropped() {
    let frontier = frontier(&Arc::default(), 0.2);
    let source = (0..200).map(|n| format!("/copy/{n}"));
    let target = (0..200).map(|n| format!("/copy/t{n}"));
    let links: Vec<String> = target.chain(source).collect();
    let to = |path: &str| {
        let number = path.strip_prefix("/copy/")?;
        (!number.starts_with('t')).then(|| format!("/copy/t{number}"))
    };
    let fetched = crawl_over_redirects(&frontier, &links, to);
    for target in fetched.iter().filter_map(|path| to(path)) {
        assert!(fetched.contains(&target), "{target}");
    }
    assert!(frontier.totals().total.recalled > 0);
}

#[test]
fn what_a_rule_merges_is_fetched_where_an_explored_link_leads_to_it() {
    let rule = Arc::new(Rule::default());
    rule.switch(true);
    let frontier = frontier(&rule, 0.2);
    let mut links = vec!["/x".to_owned(), "/y".to_owned()];
    links.extend((0..200).map(|n| format!("/x!{n}")));
    let to = |path: &str| Some(format!("/y!{}", path.strip_prefix("/x!")?));
    let fetched = crawl_over_redirects(&frontier, &links, to);
    for target in fetched.iter().filter_map(|path| to(path)) {
        assert!(fetched.contains(&target), "{target}");
    }
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
