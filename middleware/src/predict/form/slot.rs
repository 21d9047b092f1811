//! A place in a path for a name.
//!
//! Applications write one number or name in several ways: `?t=17`, `/topic/17`, `/topic17.html`, `/~kim`.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{
    Form, Segments,
    change::{owned, segments_of},
    part::Part,
};
use crate::cut::{around, between, ends_in_word, fits_behind};

/// What stands for the name where a slot is put into words.
const NAME: &str = "{x}";

/// A path with a place for a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Slot {
    /// Segments before the one that holds the name.
    pub before: Vec<String>,
    /// What that segment has before the name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefix: String,
    /// What that segment has after the name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suffix: String,
}

impl Slot {
    /// Where a segment holds a name, and how.
    pub(in crate::predict) fn of(segments: &[Part<'_>], at: usize, name: &str) -> Option<Self> {
        let (prefix, suffix) = around(segments.get(at)?, name)?;
        Some(Self {
            before: owned(&segments[..at]),
            prefix: prefix.to_owned(),
            suffix: suffix.to_owned(),
        })
    }

    /// All of a segment behind these.
    pub(in crate::predict) const fn bare(before: Vec<String>) -> Self {
        Self {
            before,
            prefix: String::new(),
            suffix: String::new(),
        }
    }

    /// Whether it has nothing around the name.
    pub(in crate::predict) const fn is_bare(&self) -> bool {
        self.prefix.is_empty() && self.suffix.is_empty()
    }

    /// Whether another differs in folders and in what stands before the name only.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.before.len() == other.before.len() && self.suffix == other.suffix
    }

    /// Whether nothing parts the name from a word before it.
    pub(in crate::predict) fn follows_word(&self) -> bool {
        ends_in_word(&self.prefix)
    }

    /// Whether a name can be told from what it follows.
    pub(super) fn fits(&self, name: &str) -> bool {
        fits_behind(&self.prefix, name)
    }

    /// The name in a path that begins like this.
    pub(super) fn name<'f>(&self, form: &'f Form<'_>) -> Option<&'f str> {
        let (first, rest) = form.segments.split_at_checked(self.before.len())?;
        let segment: &str = rest.first()?;
        if !first.iter().eq(self.before.iter()) {
            return None;
        }
        between(segment, &self.prefix, &self.suffix)
    }

    /// The segments up to the one that holds this name.
    pub(super) fn put<'u>(&self, name: &Part<'u>) -> Segments<'u> {
        let mut segments: Segments<'u> = segments_of(&self.before).collect();
        let Self { prefix, suffix, .. } = self;
        segments.push(if self.is_bare() {
            name.clone().turned(super::Kind::Segment)
        } else {
            Part::new(super::Kind::Segment, format!("{prefix}{}{suffix}", &**name))
        });
        segments
    }

    /// How much of it is the same on all pages: of two slots the shorter one stands for both.
    pub(in crate::predict) fn size(&self) -> (usize, usize) {
        (self.before.len(), self.texts().map(String::len).sum())
    }

    /// Its texts.
    pub(super) fn texts(&self) -> impl Iterator<Item = &String> {
        self.before.iter().chain([&self.prefix, &self.suffix])
    }

    /// Reads what `Display` writes, and behind it further segments.
    pub(in crate::predict) fn read(text: &str) -> Option<(Self, Vec<String>)> {
        let mut segments = text.strip_prefix('/')?.split('/').map(str::to_owned);
        let mut before = Vec::new();
        for segment in segments.by_ref() {
            if let Some((prefix, suffix)) = segment.split_once(NAME) {
                let (prefix, suffix) = (prefix.to_owned(), suffix.to_owned());
                let slot = Self {
                    before,
                    prefix,
                    suffix,
                };
                return Some((slot, segments.collect()));
            }
            before.push(segment);
        }
        None
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            before,
            prefix,
            suffix,
        } = self;
        before
            .iter()
            .try_for_each(|segment| write!(f, "/{segment}"))?;
        write!(f, "/{prefix}{NAME}{suffix}")
    }
}
