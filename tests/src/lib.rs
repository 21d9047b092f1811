//! What the whole-system tests share.

pub mod conformance;
pub mod server;
