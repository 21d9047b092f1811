//! A crawl ends though each page has links of its own, and one of twenty that are dropped is fetched all the same.

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
use nodust_middleware::predict::{Predict, PredictConfig};

const ITEMS: u64 = 60;
/// Links of a page. Those that one of twenty explored pages has are explored in turn: with more than twenty, each brings more than one.
const LINKS: u64 = 45;
/// Fetches after which a crawl has no end.
const MOST: u64 = 20_000;

/// What a crawl fetched, explored, and found, of a site whose links have a session of the page that they are on, and redirect to
/// what has a new one, if `redirects` says so.
fn crawl(redirects: bool) -> (u64, u64, usize) {
    let chain = Chain::new().then(Predict::new(PredictConfig::default()));
    let frontier = LocalFrontier::builder(chain).build().unwrap();
    let mut out = Vec::new();
    let home = [RawUrl::new("http://h.example/item?id=0")];
    frontier.admit(&Via::seed(), &home, &mut out).unwrap();
    let (mut items, mut visit) = (BTreeSet::new(), 0);
    while let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open).unwrap() {
        visit += 1;
        if visit > MOST {
            break;
        }
        let session = mix(visit);
        let url = lease.url().as_url();
        let item: u64 = url.query_pairs().next().unwrap().1.parse().unwrap();
        if redirects && url.query().unwrap().contains("sid=") && visit % 2 == 0 {
            let target = format!("/item?id={item}&sid={session:x}");
            let outcome = Outcome::Redirected {
                target: RawUrl::new(&target),
                status: 302,
            };
            frontier.observe(lease, &outcome, &mut out).unwrap();
            continue;
        }
        items.insert(item);
        let links = (1..=LINKS).map(|n| format!("/item?id={}&sid={session:x}", (item + n) % ITEMS));
        let links: Vec<String> = links.collect();
        let links: Vec<RawUrl<'_>> = links.iter().map(|link| RawUrl::new(link)).collect();
        let text = words(item, 90);
        let page = FetchedPage {
            status: 200,
            text: Some(&text),
            links: &links,
            ..FetchedPage::default()
        };
        frontier
            .observe(lease, &Outcome::Fetched(page), &mut out)
            .unwrap();
    }
    let total = frontier.totals().total;
    (total.fetched, total.explored, items.len())
}

#[test]
fn what_is_explored_brings_no_further_links_to_be_explored() {
    for redirects in [false, true] {
        let (fetched, explored, items) = crawl(redirects);
        assert_eq!(items as u64, ITEMS);
        assert!(fetched < MOST / 2, "{redirects}: {fetched} fetched");
        assert!(explored > 100, "{redirects}: {explored} explored");
    }
}
