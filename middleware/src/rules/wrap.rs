//! The text around a name within a part: `topic` and `.html` in `topic17.html`.

use std::{fmt, str::FromStr};

use crate::cut::{between, fits_behind};

/// Stands for the name.
const NAME: char = '*';

/// The text before and after a name. It is written with a star for the name, `topic*.html`; the text before must not
/// contain a star.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Wrap {
    before: Box<str>,
    behind: Box<str>,
}

impl Wrap {
    /// Makes a wrap of these two texts; `None` if both are empty, or the first contains a star.
    pub fn new(before: &str, behind: &str) -> Option<Self> {
        let is_any = !(before.is_empty() && behind.is_empty());
        (is_any && !before.contains(NAME)).then(|| Self {
            before: before.into(),
            behind: behind.into(),
        })
    }

    /// The name within a text. If nothing separates it from a word or number before it, it must be a number.
    pub fn off<'t>(&self, text: &'t str) -> Option<&'t str> {
        between(text, &self.before, &self.behind)
    }

    /// Puts the text around a name; `None` if the name could not be recognised in the result, or is already wrapped.
    pub fn on(&self, name: &str) -> Option<String> {
        let is_on = || name.starts_with(&*self.before) && name.ends_with(&*self.behind);
        let fits = fits_behind(&self.before, name) && !is_on();
        fits.then(|| [&*self.before, name, &*self.behind].concat())
    }
}

impl fmt::Display for Wrap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{NAME}{}", self.before, self.behind)
    }
}

impl FromStr for Wrap {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (before, behind) = (text.split_once(NAME))
            .ok_or_else(|| format!("`{text}` has no `{NAME}` for the name"))?;
        Self::new(before, behind).ok_or_else(|| format!("`{text}` has nothing around the name"))
    }
}
