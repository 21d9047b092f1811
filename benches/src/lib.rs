//! Helpers shared by the benchmarks.

pub mod baselines;
pub mod crawls;
