//! A crawl ends though each page has links of its own, and one of twenty that are dropped is fetched all the same; and what is wrong is
//! still found out.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail as loudly as the tests do"
)]

mod common;

use std::{collections::BTreeSet, time::Instant};

use common::{mix, words};
use nodust_frontier::{
    Chain, FetchedPage, Frontier as _, LocalFrontier, Outcome, RawUrl, Turn, Via, frontier::Open,
};
use nodust_middleware::{
    Config,
    predict::{Predict, PredictConfig},
    standard_chain,
};
use url::Url;

const ITEMS: u64 = 60;
/// Links of a page. Those that one of twenty explored pages has are explored in turn: with more than twenty, each brings more than one.
const LINKS: u64 = 45;

enum Answer {
    /// Text and links.
    Page(String, Vec<String>),
    Redirect(String),
}

/// What came of a crawl.
struct Crawl {
    fetched: u64,
    explored: u64,
    /// Items whose pages were fetched.
    items: usize,
}

fn item_of(url: &Url) -> u64 {
    let mut params = url.query_pairs();
    let id = params.find(|(name, _)| name == "id").unwrap().1;
    id.parse().unwrap()
}

/// Crawls from item 0 on, to the end or until so many were fetched. `answer` is told the item and the number of the visit.
fn crawl(chain: Chain, most: u64, answer: impl Fn(&Url, u64, u64) -> Answer) -> Crawl {
    let frontier = LocalFrontier::builder(chain).build().unwrap();
    let mut out = Vec::new();
    let home = [RawUrl::new("http://h.example/item?id=0")];
    frontier.admit(&Via::seed(), &home, &mut out).unwrap();
    let (mut items, mut visit) = (BTreeSet::new(), 0);
    while let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open).unwrap() {
        visit += 1;
        if visit > most {
            break;
        }
        let url = lease.url().as_url().clone();
        let item = item_of(&url);
        match answer(&url, item, visit) {
            Answer::Redirect(target) => {
                let target = RawUrl::new(&target);
                let outcome = Outcome::Redirected {
                    target,
                    status: 302,
                };
                frontier.observe(lease, &outcome, &mut out).unwrap();
            }
            Answer::Page(text, links) => {
                items.insert(item);
                let links: Vec<RawUrl<'_>> = links.iter().map(|link| RawUrl::new(link)).collect();
                let page = FetchedPage {
                    status: 200,
                    text: Some(&text),
                    links: &links,
                    ..FetchedPage::default()
                };
                let outcome = Outcome::Fetched(page);
                frontier.observe(lease, &outcome, &mut out).unwrap();
            }
        }
    }
    let total = frontier.totals().total;
    Crawl {
        fetched: total.fetched,
        explored: total.explored,
        items: items.len(),
    }
}

fn predict() -> Chain {
    Chain::new().then(Predict::new(PredictConfig::default()))
}

/// A page with links to so many of all items, each with a session of this visit.
fn with_session(path: &str, all: u64, item: u64, visit: u64) -> Answer {
    let session = mix(visit);
    let links = (1..=LINKS).map(|n| format!("{path}?id={}&sid={session:x}", (item + n) % all));
    Answer::Page(words(item, 90), links.collect())
}

#[test]
fn what_is_explored_brings_no_further_links_to_be_explored() {
    for all in [ITEMS, 10 * ITEMS] {
        let crawl = crawl(predict(), 20_000, |_, item, visit| {
            with_session("/item", all, item, visit)
        });
        assert_eq!(crawl.items as u64, all);
        let (fetched, explored) = (crawl.fetched, crawl.explored);
        assert!(fetched < 9 * all + 600, "{fetched} fetched");
        assert!(explored > 100, "{explored} explored");
    }
}

#[test]
fn nor_does_what_it_redirects_to() {
    // Each link to an item redirects to one with a new session, once.
    let renewed = crawl(predict(), 20_000, |url, item, visit| {
        let is_old = url.query().unwrap().contains("sid=") && visit % 2 == 0;
        let target = || format!("/item?id={item}&sid={:x}", mix(visit));
        if is_old {
            Answer::Redirect(target())
        } else {
            with_session("/item", ITEMS, item, visit)
        }
    });
    assert_eq!(renewed.items as u64, ITEMS);
    assert!(renewed.fetched < 10_000, "{}", renewed.fetched);
    // No link is an item's own.
    let through = crawl(predict(), 60_000, |url, item, visit| {
        let target = || format!("/item?id={item}&sid={:x}", mix(visit));
        if url.path() == "/go" {
            Answer::Redirect(target())
        } else {
            with_session("/go", ITEMS, item, visit)
        }
    });
    assert_eq!(through.items as u64, ITEMS);
    assert!(through.fetched < 60_000, "{}", through.fetched);
}

/// By a rule, and with nobody who tells whether a page is a copy.
#[test]
fn nor_does_what_a_probe_of_a_rule_redirects_to() {
    let rules = r#"{"format":"nodust-rules","version":1,"sites":[{"hosts":["h.example"],
        "rules":[{"rule":"has:query.sid => drop:query.sid"}]}]}"#;
    let crawl = crawl(by_rules(rules, false), 20_000, |url, item, visit| {
        if url.path() == "/go" {
            Answer::Redirect(format!("/item?id={item}&sid={:x}", mix(visit)))
        } else {
            with_session("/go", ITEMS, item, visit)
        }
    });
    assert_eq!(crawl.items as u64, ITEMS);
    assert!(crawl.fetched < 2000, "{}", crawl.fetched);
}

/// A chain with these rules, that predicts or not.
fn by_rules(rules: &str, predicts: bool) -> Chain {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rules.json");
    std::fs::write(&file, rules).unwrap();
    let file = file.display();
    let config = format!("[rules]\nfile = '{file}'\n[predict]\nenabled = {predicts}\n");
    let seeds = ["http://h.example/item?id=0".parse().unwrap()];
    standard_chain(&Config::from_toml(&config).unwrap(), &seeds).unwrap()
}

/// Nobody can tell, while no chrome is known, whether a page is a copy, and all that leads on may be on it.
#[test]
fn a_wrong_rule_is_found_out_where_each_page_leads_to_the_next() {
    let rules = r#"{"format":"nodust-rules","version":1,"sites":[{"hosts":["h.example"],
        "rules":[{"rule":"has:query.id => drop:query.id"}]}]}"#;
    for (learns, path) in [
        (false, "/item"),
        (true, "/item"),
        (false, "/go"),
        (true, "/go"),
    ] {
        for links in [1, 5, 20] {
            let crawl = crawl(by_rules(rules, learns), 5000, |url, item, _| {
                if url.path() == "/go" {
                    return Answer::Redirect(format!("/item?id={item}"));
                }
                let next = (1..=links).map(|n| item * links + n);
                let next = next.filter(|next| *next < 10 * ITEMS);
                let links = next.map(|next| format!("{path}?id={next}"));
                Answer::Page(words(item, 90), links.collect())
            });
            assert_eq!(
                crawl.items as u64,
                10 * ITEMS,
                "{links} links a page to {path}, learns: {learns}"
            );
        }
    }
}

/// Were all that first pages say chrome, however often one page came among them, no copy of that were ever told.
#[test]
fn a_home_page_with_a_counter_is_told_from_its_first_copies_on() {
    let crawl = crawl(predict(), 20_000, |_, item, visit| {
        let session = mix(visit);
        let others = [0, 1, 2, item + 3, item + 4, item * 2 + 3, item * 2 + 4];
        let links = others.map(|other| format!("/item?id={}&sid={session:016x}", other % ITEMS));
        let text = format!(
            "home all of our items the new ones about us and how to find us\n{}visitor number {} of today\n",
            words(item, 90),
            1000 + visit
        );
        Answer::Page(text, links.into())
    });
    assert_eq!(crawl.items as u64, ITEMS);
    assert!(crawl.fetched < 500, "{}", crawl.fetched);
}
