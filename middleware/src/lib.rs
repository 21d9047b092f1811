//! The stages of the chain, in the order in which a link meets them, and the learners behind them.
//!
//! scrub → scope → filter → normalize → *seen-set* → predict

mod abroad;
pub mod chain;
pub mod clean;
pub mod config;
mod cut;
pub mod file;
pub mod filter;
mod heap;
pub mod learn;
pub mod normalize;
pub mod predict;
pub mod rules;
pub mod sample;
pub mod scrub;
pub mod sign;

pub use chain::standard_chain;
pub use config::{Config, ConfigError};
pub use nodust_frontier as frontier;
