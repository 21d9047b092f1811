//! You have a fetcher of your own: let the frontier say what comes next, and tell it what came back.
//! Run it with `cargo run -p nodust-middleware --example local_frontier`.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::time::Instant;

use nodust_middleware::{
    Config,
    frontier::{FetchedPage, Frontier, LocalFrontier, Outcome, RawUrl, Turn, Via, frontier::Open},
    standard_chain,
};

/// Stands for your HTTP client: the links of a page.
fn fetch(path: &str) -> Vec<RawUrl<'static>> {
    let links: &[&str] = match path {
        "/" => &["/a", "/b?utm_source=home", "/logo.png"],
        "/a" => &["/b", "/a#top", "/"],
        _ => &[],
    };
    links.iter().copied().map(RawUrl::new).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let start = "http://shop.example/";
    let chain = standard_chain(&Config::default(), &[start.parse()?])?;
    let frontier = LocalFrontier::builder(chain).build()?;
    let mut decisions = Vec::new();
    frontier.admit(&Via::seed(), &[start.into()], &mut decisions)?;
    while let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open)? {
        println!("fetch {}", lease.url());
        let page = FetchedPage {
            status: 200,
            links: &fetch(lease.url().as_url().path()),
            ..FetchedPage::default()
        };
        frontier.observe(lease, &Outcome::Fetched(page), &mut decisions)?;
    }
    println!("saved {} fetches", frontier.totals().total.saved());
    Ok(())
}
