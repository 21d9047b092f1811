//! The stages of the chain, in the order in which a link meets them, and the learners behind them.
//!
//! scrub → filter → normalize → *seen-set* → predict

pub mod clean;
pub mod filter;
pub mod learn;
pub mod normalize;
pub mod predict;
pub mod sample;
pub mod scrub;
pub mod sign;

pub use nodust_frontier as frontier;
