//! The stages of the chain, in the order in which a link meets them, and the learners behind them.
//!
//! scrub → scope → filter → normalize (with rewrite rules) → *seen-set* → predict
//!
//! [`standard_chain`] puts them together as a [`Config`] says. The glossary of [`frontier`] explains the terms (link, class,
//! belief, ledger …). That crate also has what drives a chain: its `LocalFrontier`, or the interface for a frontier of your own.
//!
//! # Example
//!
//! The chain alone decides which of a page's links are worth a place in a queue:
//!
//! ```
//! use nodust_middleware::{Config, frontier::{Batch, CanonicalUrl, RawUrl, Via}, standard_chain};
//!
//! let seeds: Vec<CanonicalUrl> = vec!["https://shop.example/".parse()?];
//! let page: CanonicalUrl = "https://shop.example/list".parse()?;
//!
//! let chain = standard_chain(&Config::default(), &seeds)?;
//! let links = ["/item?id=7&utm_source=mail", "/item?id=7#reviews", "https://other.test/"].map(RawUrl::new);
//! let mut batch = Batch::default();
//! chain.judge(&Via::page(&page), &links, &mut batch);
//! // The URL is what to fetch, the class what to compare by: the first two are one page, the third is out of scope.
//! let kept: Vec<_> = batch.survivors().map(|link| (link.url().as_str(), link.class())).collect();
//! assert_eq!(kept.len(), 2);
//! assert_eq!(kept[0].1, kept[1].1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod abroad;
pub mod chain;
pub mod clean;
pub mod config;
mod cut;
mod dense;
pub mod file;
pub mod filter;
mod heap;
mod items;
pub mod learn;
mod letters;
pub mod normalize;
pub mod predict;
pub mod rules;
pub mod sample;
pub mod scrub;
pub mod sign;

pub use chain::{standard_chain, standard_chain_within};
pub use config::{Config, ConfigError};
pub use nodust_frontier as frontier;
