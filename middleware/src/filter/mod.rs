//! Scope and filters: what the operator wants at all.
//!
//! Two stages: [`Scope`] says where a crawl stays, and is always in force; [`Filter`] says what the operator wants
//! within it, and can be left out. Both read only the URL, so a verdict can be explained from the configuration. Each
//! drop carries the name of the rule that decided, such as `extension:jpg`, `trap:repeated-segments` or
//! `blacklist:FILE:LINE`.
//!
//! The modules also hold, as plain functions, the checks that people run over lists of URLs.
//!
//! ```
//! use nodust_frontier::{Batch, Chain, RawUrl, Via};
//! use nodust_middleware::filter::{Filter, FilterConfig};
//!
//! let chain = Chain::new().then(Filter::new(&FilterConfig::default())?);
//! let page = "http://shop.example/".parse()?;
//! let trace = chain.explain(&Via::page(&page), RawUrl::new("/logo.png"));
//! let step = trace.drop_step().expect("a picture is no text");
//! assert_eq!((step.stage, step.verdict.clone()), ("filter", nodust_frontier::Verdict::Drop(
//!     nodust_frontier::DropReason::Excluded { rule: "extension:png".into() })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod blacklist;
pub mod extension;
pub mod hostname;
pub mod hosts;
pub mod language;
mod overrides;
mod pattern;
mod rule;
pub mod scope;
mod settings;
mod stage;
pub mod structure;
pub mod trap;
pub mod validity;

pub use blacklist::{Blacklist, Listed};
pub use pattern::PatternSet;
pub use rule::{Rule, RuleError};
pub use scope::{Scope, ScopeConfig, ScopeKind};
pub use settings::{FilterConfig, LanguageConfig, Profile};
pub use stage::{FILTER, Filter, FilterError};
pub use trap::TrapConfig;
