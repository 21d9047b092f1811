//! What the tests of the frontier share: a seed, a page, and the turn of a crawler.

use std::time::Instant;

use nodust_frontier::{
    Decision, FetchedPage, Frontier, LocalFrontier, Outcome, RawUrl, Turn, Via, frontier::Open,
};

pub(crate) fn seed(frontier: &LocalFrontier, urls: &[&str]) -> Vec<Decision> {
    let links: Vec<RawUrl<'_>> = urls.iter().map(|url| RawUrl::new(url)).collect();
    let mut out = Vec::new();
    frontier.admit(&Via::seed(), &links, &mut out).unwrap();
    out
}

pub(crate) fn page<'p>(links: &'p [RawUrl<'p>]) -> Outcome<'p> {
    Outcome::Fetched(FetchedPage {
        status: 200,
        links,
        ..FetchedPage::default()
    })
}

pub(crate) fn leased(frontier: &LocalFrontier) -> nodust_frontier::Lease {
    match frontier.lease(Instant::now(), &Open).unwrap() {
        Turn::Fetch(lease) => lease,
        other => panic!("something is queued, but: {other:?}"),
    }
}
