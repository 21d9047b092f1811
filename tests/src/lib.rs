//! What the whole-system tests share.

pub mod conformance;
pub mod dice;
pub mod server;
pub mod store_suite;

/// The program of the guide is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../docs/embedding.md")]
mod embedding {}

use std::time::Duration;

use nodust_crawler::{CrawlConfig, Report, Shutdown};

/// Lets a crawl come to its end.
///
/// # Panics
/// When it fails, or has not ended after a time in which it would have if it ever did.
pub async fn in_time(config: CrawlConfig) -> Report {
    let running = nodust_crawler::run(config, Shutdown::new());
    tokio::time::timeout(Duration::from_secs(40), running)
        .await
        .expect("the crawl ends")
        .expect("the crawl goes well")
}
