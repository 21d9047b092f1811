//! Predicts which links would bring copies of fetched pages.
//!
//! While pages come in, the stage learns which parts of a site's URLs do not matter ([`Edit`]s on [`Level`]s of generality), and drops
//! links whose page, by what is believed, was fetched already. All six hypotheses of `MaybeDont` are among the edits, under the names of
//! its docs. Additional edits are about the path's segments, prefixes and suffixes, path parameters, hosts and schemes, letter case,
//! slash and index pages, sets of parameters at once, and the order of parameters. Links that show the page they are on are learned from
//! both URLs.
//!
//! ```
//! use nodust_middleware::predict::{PredictConfig, Site};
//!
//! let mut site = Site::new("e.org", &PredictConfig::default());
//! assert!(site.predict("http://e.org/?id=1&sid=77").is_none(), "nothing is known yet");
//! site.observe(&"http://e.org/?id=1".parse()?, "a text", None, None);
//! # Ok::<(), url::ParseError>(())
//! ```

mod belief;
pub(crate) mod codec;
mod config;
mod evidence;
mod exchange;
mod form;
mod journal;
pub(crate) mod kept;
mod nominate;
pub(crate) mod packed;
pub(crate) mod parts;
pub(crate) use form::name_without_tokens;
mod refetch;
mod site;
mod stage;
mod text;
mod turning;
mod yields;

pub use crate::cut::Cut;
pub use belief::{Belief, Level, State};
pub use config::PredictConfig;
pub use evidence::{Evidence, Ratios, e_bh_threshold};
pub use exchange::{
    BeliefFile, ExchangeError, KnownKind, NotAKind, SharedBelief, SharedKind, SharedKinds,
    SharedName, SharedWay, Trust,
};
pub use form::{ById, Edit, Form, Param, Slot, Title, Titled, Whole};
pub use refetch::Refetch;
pub use site::{LateVerdict, Learned, Site};
pub use stage::Predict;
use stage::site_of;
pub use text::{Claim, NotAClaim};
pub use yields::Yield;
