//! Several fetches of a host at a time save as much as one does.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail as loudly as the tests do"
)]

mod common;

use std::{collections::BTreeSet, collections::VecDeque, time::Instant};

use common::{mix, words};
use nodust_frontier::{
    Chain, FetchedPage, Frontier as _, Lease, LocalFrontier, Outcome, RawUrl, Turn, Via,
    frontier::Open,
};
use nodust_middleware::predict::{Predict, PredictConfig};

const ITEMS: u64 = 300;

/// Each page links to five others in four ways each, with a session and a referrer of its own.
fn links(item: u64, visit: u64) -> Vec<String> {
    let session = mix(visit);
    let others = [
        3 * item + 1,
        3 * item + 2,
        3 * item + 3,
        item * 7 + 5,
        item * 11 + 3,
    ];
    let of = |other: u64| {
        let view = ["print", "list", "full"][(mix(visit * 7 + other) % 3) as usize];
        [
            String::new(),
            format!("&sid={session:x}"),
            format!("&view={view}"),
            format!("&from={item}"),
        ]
        .map(|more| format!("/item?id={}{more}", other % ITEMS))
    };
    others.into_iter().flat_map(of).collect()
}

/// URLs that are fetched, and contents that they bring.
fn crawl(at_once: usize) -> (u64, usize) {
    let chain = Chain::new().then(Predict::new(PredictConfig::default()));
    let frontier = LocalFrontier::builder(chain).build().unwrap();
    let mut out = Vec::new();
    let home = [RawUrl::new("http://h.example/item?id=0")];
    frontier.admit(&Via::seed(), &home, &mut out).unwrap();
    let (mut contents, mut visit) = (BTreeSet::new(), 0);
    let mut under_way: VecDeque<Lease> = VecDeque::new();
    loop {
        if under_way.len() < at_once
            && let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open).unwrap()
        {
            under_way.push_back(lease);
            continue;
        }
        let Some(lease) = under_way.pop_front() else {
            break;
        };
        let mut of_url = lease.url().as_url().query_pairs();
        let item: u64 = of_url.next().unwrap().1.parse().unwrap();
        contents.insert(item);
        visit += 1;
        let (text, links) = (words(item, 90), links(item, visit));
        let links: Vec<RawUrl<'_>> = links.iter().map(|link| RawUrl::new(link)).collect();
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
    (frontier.totals().total.fetched, contents.len())
}

/// Most, in hundredths of what one at a time fetches. Where links do not wait for what is under way, it is 116 and 119.
#[test]
fn eight_at_a_time_fetch_hardly_more_than_one() {
    let (one_by_one, contents) = crawl(1);
    assert_eq!(contents as u64, ITEMS);
    for (at_once, most) in [(2, 108), (8, 115)] {
        let (fetched, contents) = crawl(at_once);
        assert_eq!(contents as u64, ITEMS);
        assert!(
            fetched * 100 <= one_by_one * most,
            "{at_once} at a time: {fetched}, one by one: {one_by_one}"
        );
    }
}
