//! What a crawler may rely on: nothing lost, nothing fetched twice, every drop undone when its reason
//! falls.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop with the error"
)]

mod admission;
#[path = "../common/mod.rs"]
mod common;
mod explain;
mod gates;
mod leases;
mod ledger;
mod own_stage;
mod redirects;
mod retry;
mod retry_at_random;
mod stages;
