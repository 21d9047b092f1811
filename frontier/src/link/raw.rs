//! A link exactly as the page spelled it.

/// The borrowed text of a link, which may be anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RawUrl<'p> {
    text: &'p str,
    hreflang: Option<&'p str>,
    nofollow: bool,
}

impl<'p> RawUrl<'p> {
    /// A link with this text.
    pub const fn new(text: &'p str) -> Self {
        Self {
            text,
            hreflang: None,
            nofollow: false,
        }
    }

    /// The same link, with the language that its `hreflang` attribute names.
    #[must_use]
    pub const fn with_hreflang(mut self, language: Option<&'p str>) -> Self {
        self.hreflang = language;
        self
    }

    /// The same link, with whether it or its page asks not to follow it (`rel="nofollow"`, robots meta). The stage
    /// `scope` drops such links; to follow them all the same, do not set this.
    #[must_use]
    pub const fn with_nofollow(mut self, nofollow: bool) -> Self {
        self.nofollow = nofollow;
        self
    }

    /// The text as found.
    pub const fn as_str(&self) -> &'p str {
        self.text
    }

    /// The language of the target, as the link's `hreflang` attribute names it.
    pub const fn hreflang(&self) -> Option<&'p str> {
        self.hreflang
    }

    /// Whether the link asks not to be followed.
    pub const fn nofollow(&self) -> bool {
        self.nofollow
    }
}

impl<'p> From<&'p str> for RawUrl<'p> {
    fn from(text: &'p str) -> Self {
        Self::new(text)
    }
}
