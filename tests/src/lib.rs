//! What the whole-system tests share.

pub mod server;
pub mod store_suite;
