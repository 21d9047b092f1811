//! The page that a batch of links was found on.

use serde::{Deserialize, Serialize};
use url::Url;

use crate::{CanonicalUrl, Fingerprint};

/// How a batch of links was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Given by the operator.
    Seed,
    /// Named by a page.
    Link,
    /// Named by a redirect.
    Redirect,
    /// Named by a sitemap.
    Sitemap,
}

/// Where a batch of links came from: the page and its distance. Seeds have no page.
#[derive(Clone, Copy, Debug)]
pub struct Via<'p> {
    page: Option<&'p CanonicalUrl>,
    /// Made once for all links of the page.
    name: Option<u64>,
    base: Option<&'p Url>,
    origin: Origin,
    depth: u16,
    redirects: u8,
}

impl<'p> Via<'p> {
    /// For links given by the operator; they must be absolute.
    pub const fn seed() -> Self {
        Self {
            page: None,
            name: None,
            base: None,
            origin: Origin::Seed,
            depth: 0,
            redirects: 0,
        }
    }

    /// For links found on `page`.
    pub fn page(page: &'p CanonicalUrl) -> Self {
        Self {
            page: Some(page),
            name: Some(Fingerprint::of(page.as_url(), page.as_str()).url()),
            base: None,
            origin: Origin::Link,
            depth: 0,
            redirects: 0,
        }
    }

    /// The same, for links found in this way.
    #[must_use]
    pub const fn found_by(mut self, origin: Origin) -> Self {
        self.origin = origin;
        self
    }

    /// The same, with the page's distance from its seed in links.
    #[must_use]
    pub const fn at_depth(mut self, depth: u16) -> Self {
        self.depth = depth;
        self
    }

    /// The same, with the number of redirects that led to the page.
    #[must_use]
    pub const fn after_redirects(mut self, redirects: u8) -> Self {
        self.redirects = redirects;
        self
    }

    /// The same, with links resolved against `<base href>`.
    #[must_use]
    pub const fn with_base(mut self, base: Option<&'p Url>) -> Self {
        self.base = base;
        self
    }

    /// The page, if there is one.
    pub const fn page_url(&self) -> Option<&'p CanonicalUrl> {
        self.page
    }

    /// The URL half of the page's name, if these are its links.
    pub const fn found_on(&self) -> Option<u64> {
        match self.origin {
            Origin::Link => self.name,
            Origin::Seed | Origin::Redirect | Origin::Sitemap => None,
        }
    }

    /// The URL that links resolve against.
    pub fn base_url(&self) -> Option<&'p Url> {
        self.base.or_else(|| self.page.map(CanonicalUrl::as_url))
    }

    /// How the links were found.
    pub const fn origin(&self) -> Origin {
        self.origin
    }

    /// Whether the operator gave these links.
    pub const fn is_seed(&self) -> bool {
        matches!(self.origin, Origin::Seed)
    }

    /// The depth of a link of this batch: that of its page plus one. A redirect target has the depth of its source.
    pub const fn link_depth(&self) -> u16 {
        match self.origin {
            Origin::Link => self.depth.saturating_add(1),
            Origin::Seed | Origin::Redirect | Origin::Sitemap => self.depth,
        }
    }

    /// Number of redirects that led to a link of this batch.
    pub const fn link_redirects(&self) -> u8 {
        match self.origin {
            Origin::Redirect => self.redirects.saturating_add(1),
            _ => 0,
        }
    }
}
