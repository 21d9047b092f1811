//! What is a part of a URL, beside its text?
//!
//! The names of forms are made of the hashes of their parts, in ever other combinations: each part is hashed once.

use std::{borrow::Cow, ops::Deref};

use super::hash_of;

/// What a part is: equal texts of two kinds have other hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::predict) enum Kind {
    Origin = 1,
    Segment = 2,
    Name = 3,
    Value = 4,
}

/// A part of a URL, and the hash of its text.
#[derive(Clone, Debug)]
pub(in crate::predict) struct Part<'u> {
    text: Cow<'u, str>,
    hash: u64,
}

impl<'u> Part<'u> {
    pub(super) fn new(kind: Kind, text: impl Into<Cow<'u, str>>) -> Self {
        let text = text.into();
        Self {
            hash: hash_of(kind as u64, &text),
            text,
        }
    }

    pub(in crate::predict) const fn hash(&self) -> u64 {
        self.hash
    }

    /// The same text as a part of another kind.
    pub(super) fn turned(self, kind: Kind) -> Self {
        Self::new(kind, self.text)
    }
}

impl Deref for Part<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

/// By their texts.
impl PartialEq for Part<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Part<'_> {}

impl PartialOrd for Part<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Part<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.text.cmp(&other.text)
    }
}

impl PartialEq<str> for Part<'_> {
    fn eq(&self, other: &str) -> bool {
        self.text == other
    }
}

impl PartialEq<String> for Part<'_> {
    fn eq(&self, other: &String) -> bool {
        self.text == *other
    }
}
