//! A URL in a spelling that stands for all those its server cannot tell apart.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use url::Url;

use super::{HostKey, repair, spelling};

/// Why a text is not a URL that a crawler could fetch.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MalformedUrl {
    /// Nothing but white space.
    #[error("it is empty")]
    Empty,
    /// `javascript:`, `mailto:`, `data:` and the like.
    #[error("its scheme is neither http nor https")]
    Scheme,
    /// The URL parser refused it.
    #[error("{0}")]
    Parse(url::ParseError),
    /// A relative link without a page to resolve it against.
    #[error("it is relative and there is no page to resolve it against")]
    Relative,
    /// Longer than [`CanonicalUrl::MAX_BYTES`].
    #[error("it is longer than {max} bytes", max = CanonicalUrl::MAX_BYTES)]
    TooLong,
}

/// A URL after tier 1: what WHATWG parsing does, plus the steps of RFC 3986 section 6.2.2 that it leaves
/// out (upper-case hex, unreserved characters decoded), without fragment. The server receives the same
/// octets as for the spelling on the page.
///
/// Invariants: scheme `http` or `https`; a host; no fragment; `canonical_spelling` changes nothing.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CanonicalUrl {
    url: Url,
    host: HostKey,
}

impl CanonicalUrl {
    /// The largest length of a URL in bytes. Longer ones are refused before parsing; servers refuse them at 8 KiB or
    /// earlier.
    pub const MAX_BYTES: usize = 64 * 1024;

    /// Resolves `text` against `base`, repairs what link extraction damaged, and spells it canonically.
    ///
    /// # Errors
    /// If the text is not a URL that a crawler could fetch.
    pub fn resolve(text: &str, base: Option<&Url>) -> Result<Self, MalformedUrl> {
        let url = resolve(text, base)?;
        let host = HostKey::of(&url);
        Ok(Self { url, host })
    }

    /// Wraps a URL that came out of [`resolve`] together with its host.
    pub(crate) fn from_parts(url: Url, host: HostKey) -> Self {
        let this = Self { url, host };
        this.check_invariants();
        this
    }

    /// The parsed URL.
    pub const fn as_url(&self) -> &Url {
        &self.url
    }

    /// The text of the URL, as it is sent.
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// The host that is asked.
    pub const fn host(&self) -> &HostKey {
        &self.host
    }

    /// Reads a URL that was canonical when it was written; repairing or respelling it again would be wrong as well
    /// as slow.
    pub(crate) fn read_back(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let is_canonical =
            matches!(url.scheme(), "http" | "https") && url.has_host() && url.fragment().is_none();
        // Release builds accept a spelling that is not canonical: it can be fetched all the same.
        if !is_canonical || (cfg!(debug_assertions) && spelling::canonical_spelling(text).is_some())
        {
            return None;
        }
        let host = HostKey::of(&url);
        Some(Self::from_parts(url, host))
    }

    fn check_invariants(&self) {
        debug_assert!(matches!(self.url.scheme(), "http" | "https"));
        debug_assert!(self.url.has_host());
        debug_assert!(self.url.fragment().is_none());
        debug_assert!(spelling::canonical_spelling(self.url.as_str()).is_none());
        debug_assert!(self.host.holds(&self.url));
    }
}

pub(super) fn resolve(text: &str, base: Option<&Url>) -> Result<Url, MalformedUrl> {
    if text.len() > CanonicalUrl::MAX_BYTES {
        return Err(MalformedUrl::TooLong);
    }
    let text = repair::repair(text);
    if text.is_empty() && base.is_none() {
        return Err(MalformedUrl::Empty);
    }
    let text = base.map_or(&*text, |_| fewer_slashes(&text));
    let mut url = Url::options()
        .base_url(base)
        .parse(text)
        .map_err(|e| match e {
            url::ParseError::RelativeUrlWithoutBase => MalformedUrl::Relative,
            other => MalformedUrl::Parse(other),
        })?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(MalformedUrl::Scheme);
    }
    if url.fragment().is_some() {
        url.set_fragment(None);
    }
    if let Some(spelled) = spelling::canonical_spelling(url.as_str()) {
        url = Url::parse(&spelled).map_err(MalformedUrl::Parse)?;
    }
    Ok(url)
}

/// A link to another host as `//host/`: however many slashes stand before it (WHATWG URL, section 4.4, "special authority ignore
/// slashes state", which the parser does not know of links without a scheme).
fn fewer_slashes(text: &str) -> &str {
    let slashes = text
        .bytes()
        .take_while(|octet| matches!(octet, b'/' | b'\\'));
    &text[slashes.count().saturating_sub(2)..]
}

impl FromStr for CanonicalUrl {
    type Err = MalformedUrl;
    fn from_str(text: &str) -> Result<Self, MalformedUrl> {
        Self::resolve(text, None)
    }
}

/// Its text.
impl AsRef<str> for CanonicalUrl {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

/// As its text.
impl Serialize for CanonicalUrl {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

/// From the text that was written: anything else is an error, and nothing is repaired.
impl<'de> Deserialize<'de> for CanonicalUrl {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Some(&text)
            .filter(|text| spelling::canonical_spelling(text).is_none())
            .and_then(|text| Self::read_back(text))
            .filter(|url| url.as_str() == text)
            .ok_or_else(|| de::Error::custom(format_args!("{text:?} is no canonical URL")))
    }
}

impl fmt::Display for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.url.as_str())
    }
}

impl fmt::Debug for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CanonicalUrl({})", self.url)
    }
}
