//! Pages that are not there for a while are found again, whatever was dropped meanwhile.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail as loudly as the tests do"
)]

mod common;

use std::{collections::BTreeSet, ops::Range, sync::Arc, time::Instant};

use common::{mix, words};
use nodust_frontier::{
    Chain, FetchedPage, Frontier as _, LocalFrontier, MemoryStore, Outcome, RawUrl,
    StateStore as _, Store, Turn, Via, frontier::Open,
};
use nodust_middleware::predict::{Predict, PredictConfig};

const ITEMS: u64 = 600;

/// Each page links to six others, with a session of its own.
fn links(item: u64, visit: u64) -> Vec<String> {
    let session = mix(visit);
    let others = (0..6).map(|n| match n {
        0 => 2 * item + 1,
        1 => 2 * item + 2,
        n => mix(item * 10 + n),
    });
    let link = |other: u64| format!("/item?id={}&sid={session:x}", other % ITEMS);
    others.map(link).collect()
}

/// How many contents a crawl brings of a site from which so many pages in twelve are missing from one visit to another.
fn contents(share: u64, missing: Range<u64>) -> usize {
    let chain = Chain::new().then(Predict::new(PredictConfig::default()));
    let frontier = LocalFrontier::builder(chain).build().unwrap();
    let mut out = Vec::new();
    let home = [RawUrl::new("http://h.example/item?id=0")];
    frontier.admit(&Via::seed(), &home, &mut out).unwrap();
    let (mut contents, mut visit) = (BTreeSet::new(), 0);
    while let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open).unwrap() {
        let mut of_url = lease.url().as_url().query_pairs();
        let item: u64 = of_url.next().unwrap().1.parse().unwrap();
        visit += 1;
        let (text, links) = (words(item, 90), links(item, visit));
        let links: Vec<RawUrl<'_>> = links.iter().map(|link| RawUrl::new(link)).collect();
        let is_missing = mix(item) % 12 < share && missing.contains(&visit);
        let page = if is_missing {
            FetchedPage {
                status: 404,
                ..FetchedPage::default()
            }
        } else {
            contents.insert(item);
            FetchedPage {
                status: 200,
                text: Some(&text),
                links: &links,
                ..FetchedPage::default()
            }
        };
        frontier
            .observe(lease, &Outcome::Fetched(page), &mut out)
            .unwrap();
    }
    contents.len()
}

/// Where links that were dropped as dead stayed so, three and two contents were lost.
#[test]
fn pages_that_were_missing_for_a_while_are_found() {
    for share in [4, 8] {
        assert_eq!(contents(share, 300..700) as u64, ITEMS);
    }
}

/// Before there are enough pages to learn from, nothing is learned of those that are missing, however many they are.
#[test]
fn dead_links_of_a_site_with_few_pages_fill_no_journal() {
    let store: Arc<MemoryStore> = Arc::default();
    let chain = Chain::new().then(Predict::new(PredictConfig::default()));
    let frontier = LocalFrontier::builder(chain)
        .store(Arc::clone(&store) as Arc<dyn Store>)
        .build()
        .unwrap();
    let mut out = Vec::new();
    let home = [RawUrl::new("http://h.example/")];
    frontier.admit(&Via::seed(), &home, &mut out).unwrap();
    let links: Vec<String> = (0..2000).map(|n| format!("/item?id={n}")).collect();
    let links: Vec<RawUrl<'_>> = links.iter().map(|link| RawUrl::new(link)).collect();
    let text = words(0, 90);
    while let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open).unwrap() {
        let page = match lease.url().as_url().path() {
            "/" => FetchedPage {
                status: 200,
                text: Some(&text),
                links: &links,
                ..FetchedPage::default()
            },
            _ => FetchedPage {
                status: 404,
                ..FetchedPage::default()
            },
        };
        frontier
            .observe(lease, &Outcome::Fetched(page), &mut out)
            .unwrap();
    }
    assert_eq!(frontier.totals().total.fetched, 2001);
    let mut kept = 0;
    (store.state_scan("", &mut |key, _| kept += usize::from(key.contains("/j/")))).unwrap();
    assert!(kept < 10, "{kept} entries");
}
