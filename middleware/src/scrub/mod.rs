//! Changes of the URL that is fetched.
//!
//! What is safe for every site is done when a link is resolved, before any stage: damage of extraction is repaired, the
//! text is parsed as browsers do, and spelled canonically (tier 1, see
//! [`CanonicalUrl`](nodust_frontier::CanonicalUrl)). This stage changes the fetched URL beyond that, and only by the
//! changes that its configuration names: equivalences that otherwise change only the class (tier 2), and rewrites that
//! can give another page (tier 3, marked *destructive*).
//!
//! ```
//! use nodust_frontier::{Batch, Chain, RawUrl, Via};
//! use nodust_middleware::scrub::{Scrub, ScrubConfig};
//!
//! let as_found = |config| {
//!     let mut batch = Batch::default();
//!     let link = RawUrl::new("http://e.org/a//b?gclid=1");
//!     Chain::new().then(Scrub::new(config)).judge(&Via::seed(), &[link], &mut batch);
//!     batch.survivors().next().unwrap().url().to_string()
//! };
//! assert_eq!(as_found(ScrubConfig::default()), "http://e.org/a//b?gclid=1");
//! let mut config = ScrubConfig::default();
//! config.drop_tracking_parameters = true;
//! assert_eq!(as_found(config), "http://e.org/a//b");
//! ```

mod config;
mod destructive;

pub use config::ScrubConfig;

use nodust_frontier::{Candidate, Middleware, StageName, Verdict, Via};
use url::Url;

use crate::normalize::Equivalences;

/// Name of the stage in reports.
pub const SCRUB: StageName = "scrub";

/// Changes the fetched URL as far as the operator asked; drops nothing.
#[derive(Clone, Debug)]
pub struct Scrub {
    config: ScrubConfig,
    same: Equivalences,
    is_noop: bool,
}

impl Scrub {
    /// A stage that makes the changes that `config` names.
    pub fn new(config: ScrubConfig) -> Self {
        Self {
            same: Equivalences::new(&config.equivalences()),
            is_noop: config.is_noop(),
            config,
        }
    }

    /// The URL to fetch instead of `url`, or `None` if it stays. Destructive changes come first, in the order of the
    /// configuration's fields, then equivalences.
    pub fn rewrite(&self, url: &Url) -> Option<String> {
        if self.is_noop {
            return None;
        }
        let Some(text) = destructive::rewrite(&self.config, url) else {
            return self.same.class_of(url);
        };
        let rewritten = Url::parse(&text).ok().filter(Url::has_host)?;
        self.same.class_of(&rewritten).or(Some(text))
    }
}

impl Default for Scrub {
    fn default() -> Self {
        Self::new(ScrubConfig::default())
    }
}

impl Middleware for Scrub {
    fn name(&self) -> StageName {
        SCRUB
    }

    /// A change that would leave no URL a crawler could fetch is not made.
    fn judge(&self, link: &mut Candidate, _via: &Via<'_>) -> Verdict {
        if let Some(text) = self.rewrite(link.url())
            && let Ok(rewritten) = Url::parse(&text)
        {
            // Refused edits leave the link as it was found, which is the safe answer.
            let _ = link.edit_url(|url| *url = rewritten);
        }
        Verdict::Pass
    }
}

#[cfg(test)]
mod tests;
