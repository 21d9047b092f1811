//! Static normalization: names the class of a link.
//!
//! Different spellings are often one page. The static part of this stage knows equivalences that hold on nearly every
//! site (tier 2: exact-named tracking and session parameters, order of parameters, `www.`, http and https, trailing
//! slash, index pages …); learned rules know those of a single site. Both write the *class* by which a link is
//! compared, never the URL that is fetched: if an equivalence is wrong for a site, a page is missed, but no URL is
//! requested that the site does not know.
//!
//! ```
//! use nodust_frontier::{Batch, Chain, RawUrl, Via};
//! use nodust_middleware::normalize::{Normalize, NormalizeConfig};
//!
//! let chain = Chain::new().then(Normalize::new(&NormalizeConfig::default()));
//! let mut batch = Batch::default();
//! chain.judge(&Via::seed(), &[RawUrl::new("http://www.e.org/a/?gclid=7")], &mut batch);
//! let link = batch.survivors().next().unwrap();
//! assert_eq!(link.url().as_str(), "http://www.e.org/a/?gclid=7");
//! assert_eq!(link.class(), "https://e.org/a");
//! ```

mod config;
mod equivalence;
mod names;
pub(crate) mod parts;

pub use config::NormalizeConfig;
pub use equivalence::Equivalences;
pub(crate) use equivalence::name_of;
pub use names::{SESSION_PARAMETERS, TRACKING_PARAMETERS};

use nodust_frontier::{Candidate, Middleware, StageName, Verdict, Via};

/// Name of the stage in reports.
pub const NORMALIZE: StageName = "normalize";

/// The static part of the stage. It writes the class, never the URL, and drops nothing.
#[derive(Clone, Debug)]
pub struct Normalize {
    same: Equivalences,
}

impl Normalize {
    /// A stage that applies the equivalences of `config`.
    pub fn new(config: &NormalizeConfig) -> Self {
        Self {
            same: Equivalences::new(config),
        }
    }

    /// The equivalences that it applies.
    pub const fn equivalences(&self) -> &Equivalences {
        &self.same
    }
}

impl Default for Normalize {
    fn default() -> Self {
        Self::new(&NormalizeConfig::default())
    }
}

impl Middleware for Normalize {
    fn name(&self) -> StageName {
        NORMALIZE
    }

    fn judge(&self, link: &mut Candidate, _via: &Via<'_>) -> Verdict {
        if let Some(class) = self.same.class_of(link.url()) {
            link.set_class(class);
        }
        Verdict::Pass
    }
}

#[cfg(test)]
mod tests;
