//! nodust: a polite crawler that skips junk and duplicates, and measures the fetches it saves.
//!
//! The way of a page: [`crawl`] leases a URL from the frontier once [`politeness`] allows it, asks [`robots`] and
//! [`guard`], [`fetch`]es the page, decodes its [`charset`], [`extract`]s links and text, and hands both to the
//! frontier on a blocking thread. [`records`] writes down what happened, and [`report`] sums it up.
//!
//! ```no_run
//! # async fn example() -> Result<(), nodust_crawler::CrawlError> {
//! use nodust_crawler::{CrawlConfig, Shutdown};
//! let config = CrawlConfig { seeds: vec!["https://example.org/".into()], ..CrawlConfig::default() };
//! let report = nodust_crawler::run(config, Shutdown::new()).await?;
//! assert!(report.total.fetched > 0);
//! # Ok(())
//! # }
//! ```

mod admission;
pub mod charset;
pub mod clean;
pub mod cli;
pub mod config;
pub mod crawl;
pub mod demo;
pub mod extract;
pub mod fetch;
pub mod files;
pub mod guard;
mod handles;
pub mod learned;
pub mod politeness;
pub mod progress;
pub mod purpose;
pub mod records;
mod referers;
pub mod replay;
pub mod report;
pub mod robots;
pub mod site;
pub mod sitemap;
mod words;

pub use config::{ConfigError, CrawlConfig};
pub use crawl::{CrawlError, Parts, Shutdown, run, run_with, shutdown_on_signals};
pub use report::{Ending, Report};
