//! What the whole-system tests share.

pub mod conformance;
pub mod dice;
pub mod server;
pub mod store_suite;
