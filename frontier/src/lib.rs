//! The frontier of a crawl: what was found, what is wanted, what is known, what comes next.
//!
//! A page offers links. A [`Chain`] of [`Middleware`] stages judges all links of the page at once, on the CPU alone.
//! What survives is sealed as [`Admitted`], a [`CanonicalUrl`] with two fingerprints: `key` for this exact spelling and
//! `class` for what the link is compared by. The [`SeenStore`] is asked once per page, new links are queued, and one
//! [`Commit`] makes all of it durable together. A fetcher takes a [`Lease`], fetches, and hands lease and [`Outcome`]
//! back to [`Frontier::observe`], from which the stages learn. Every drop names the stage that decided, and the rule or
//! belief where there is one; a drop by belief goes to the [`Ledger`] and comes back when the belief falls.
//!
//! # Glossary
//!
//! - **link**: text of an `href`, as the page spelled it ([`RawUrl`]).
//! - **via**: the page a link was found on, and how ([`Via`]).
//! - **candidate**: a resolved link while it is being judged ([`Candidate`]).
//! - **stage**: one middleware of the chain; **verdict**: its answer; **decision**: the frontier's.
//! - **class**: the set of spellings believed to be one page, and the string that stands for it.
//! - **fingerprint**: 128-bit name of a spelling or class ([`Fingerprint`]).
//! - **seen-set**: the fingerprints already admitted or dropped.
//! - **lease**: a URL handed out to be fetched; **outcome**: what came of it; **observation**: the
//!   outcome as shown to the stages.
//! - **signature**: sketch of a page's text.
//! - **belief**: a learned rule or prediction with its evidence ([`BeliefId`]); **generation**:
//!   version of what a stage believes.
//! - **exploration**, **probe**: a believed duplicate that is fetched all the same, to audit.
//! - **ledger**: where links dropped by belief wait in case the belief is withdrawn.
//!
//! # Example
//!
//! The chain alone, for use with a frontier of your own:
//!
//! ```
//! use nodust_frontier::{Batch, Chain, RawUrl, Via};
//!
//! let chain = Chain::new();
//! let page = "http://shop.example/list".parse()?;
//! let mut batch = Batch::default();
//! chain.judge(&Via::page(&page), &[RawUrl::new("../item?id=7#top")], &mut batch);
//! let kept: Vec<_> = batch.survivors().map(|c| c.url().as_str().to_owned()).collect();
//! assert_eq!(kept, ["http://shop.example/item?id=7"]);
//! # Ok::<(), nodust_frontier::MalformedUrl>(())
//! ```

pub mod belief;
pub mod chain;
pub mod error;
pub mod explore;
pub mod frontier;
pub mod lease;
pub mod link;
pub mod local;
pub mod middleware;
pub mod page;
mod shared;
pub mod stats;
pub mod store;
pub mod verdict;

pub use belief::{BeliefId, BeliefRecord, Prediction, Probability, Standing};
pub use chain::{Batch, Chain, Fate, Live, NoSuchStage, Note, Slot, Trace};
pub use error::{FrontierError, StoreError};
pub use explore::Exploration;
pub use frontier::{Decision, DecisionSink, Frontier, Gate, NotYet, Open, Turn};
pub use lease::Lease;
pub use link::{
    Admitted, Candidate, CanonicalUrl, Fingerprint, HostKey, MalformedUrl, Origin, RawUrl, Via,
};
pub use local::{LocalFrontier, LocalFrontierBuilder};
pub use middleware::{Effects, Middleware, Phase, ProbeVerdict, Untried};
pub use page::{FetchFailure, FetchedPage, Observation, Outcome};
pub use stats::{BeliefCounts, Counts, Stats};
#[cfg(feature = "sled")]
pub use store::sled::{FlushPolicy, SledOptions, SledStore};
pub use store::{
    Commit, Ledger, LedgerEntry, MemoryStore, Queue, Queued, SeenAs, SeenStore, StateStore, Store,
    Ticket,
};
pub use url;
pub use verdict::{DropReason, Dropped, RuleName, StageName, Verdict};
