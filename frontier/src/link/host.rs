//! The host that a URL's request goes to.

use std::{borrow::Borrow, fmt, sync::Arc};

use serde::{Deserialize, Serialize};
use url::Url;

/// Host and non-default port (`shop.example`, `shop.example:8080`, `[::1]:81`); cheap to clone.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HostKey(Arc<str>);

impl HostKey {
    /// The host of a URL; empty for a URL without one.
    pub fn of(url: &Url) -> Self {
        Self(Arc::from(Self::slice(url)))
    }

    /// The host as read back from a store or a configuration.
    pub fn from_text(text: &str) -> Self {
        Self(Arc::from(text))
    }

    /// Whether `url` is on this host; does not allocate.
    pub fn holds(&self, url: &Url) -> bool {
        Self::slice(url) == &*self.0
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Host and port lie side by side in a serialized URL, and a default port is never written.
    fn slice(url: &Url) -> &str {
        if url.has_host() {
            &url[url::Position::BeforeHost..url::Position::AfterPort]
        } else {
            ""
        }
    }
}

impl Borrow<str> for HostKey {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for HostKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl fmt::Display for HostKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
