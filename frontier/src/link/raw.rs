//! A link exactly as the page spelled it.

/// Borrowed text of a link; anything may be in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RawUrl<'p> {
    text: &'p str,
    hreflang: Option<&'p str>,
}

impl<'p> RawUrl<'p> {
    /// A link with this text.
    pub const fn new(text: &'p str) -> Self {
        Self {
            text,
            hreflang: None,
        }
    }

    /// The same link with the language its `hreflang` attribute names.
    #[must_use]
    pub const fn with_hreflang(mut self, language: Option<&'p str>) -> Self {
        self.hreflang = language;
        self
    }

    /// The text as found.
    pub const fn as_str(&self) -> &'p str {
        self.text
    }

    /// Language of the target, as the link's `hreflang` attribute names it.
    pub const fn hreflang(&self) -> Option<&'p str> {
        self.hreflang
    }
}

impl<'p> From<&'p str> for RawUrl<'p> {
    fn from(text: &'p str) -> Self {
        Self::new(text)
    }
}
