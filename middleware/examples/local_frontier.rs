//! You have a fetcher of your own: let the frontier say what comes next, and tell it what came back.
//! Run it with `cargo run -p nodust-middleware --example local_frontier`.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::time::Instant;

use nodust_middleware::{
    Config,
    frontier::{FetchedPage, Frontier, LocalFrontier, Open, Outcome, RawUrl, Turn, Via},
    standard_chain,
};

/// Items of the shop, each of which has a page for printing that says the same.
const ITEMS: usize = 300;

/// Stands for your HTTP client: the text of a page, and its links. `nodust_crawler::extract::html` reads both out of HTML.
fn fetch(path: &str) -> (String, Vec<String>) {
    let Some(item) = path.strip_prefix("/item/") else {
        let links =
            (0..ITEMS).flat_map(|n| [format!("/item/{n}"), format!("/item/{n}?view=print")]);
        let others = ["/logo.png", "/#top", "/item/7?utm_source=home"].map(str::to_owned);
        return ("All we sell".to_owned(), links.chain(others).collect());
    };
    let item: usize = item.parse().unwrap_or_default();
    let text = (0..40).map(|at| format!("{} ", word(40 * item + at)));
    (text.collect(), vec!["/".to_owned()])
}

/// A word of its own for each number.
fn word(number: usize) -> String {
    let letters = [1, 26, 676, 17_576].map(|place| (b'a' + (number / place % 26) as u8) as char);
    letters.iter().collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let start = "http://shop.example/";
    let chain = standard_chain(&Config::default(), &[start.parse()?])?;
    // In memory. `.store(Arc::new(SledStore::open("crawl", &SledOptions::default())?))` keeps it on disk, and goes on there, with
    // `use std::sync::Arc;` and `use nodust_middleware::frontier::{SledOptions, SledStore};`.
    let frontier = LocalFrontier::builder(chain).build()?;
    let mut decisions = Vec::new();
    frontier.admit(&Via::seed(), &[start.into()], &mut decisions)?;
    // `Open` lets all hosts be asked at any time: a `Gate` of yours is polite. This loop has one thread; with several,
    // `Turn::Wait` and `Turn::Idle` are to be waited out. Calls block: from async code put them into `spawn_blocking`, and let `links` and
    // `text` move there with the lease. What came of each lease is to be told, `Outcome::Failed` too; one that was not tried goes back by
    // `release`.
    while let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open)? {
        let (text, links) = fetch(lease.url().as_url().path());
        let links: Vec<RawUrl<'_>> = links.iter().map(|link| RawUrl::new(link)).collect();
        let page = FetchedPage {
            status: 200,
            // Without it, pages are not compared, and no copies predicted.
            text: Some(&text),
            links: &links,
            ..FetchedPage::default()
        };
        decisions.clear();
        frontier.observe(lease, &Outcome::Fetched(page), &mut decisions)?;
        // What stages put off while they observed; a thread of its own does as well.
        frontier.chain().work();
    }
    frontier.flush()?;
    let stats = frontier.stats()?;
    println!("fetched {}", stats.total.fetched);
    for (stage, saved) in &stats.total.saved_by {
        println!("saved   {saved} by {stage}");
    }
    for (belief, counts) in frontier.beliefs()?.iter().filter(|(_, c)| c.dropped > 0) {
        println!("learned {} ({} dropped)", belief.text, counts.dropped);
    }
    Ok(())
}
