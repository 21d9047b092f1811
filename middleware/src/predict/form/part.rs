//! A part of a URL, with its hash.
//!
//! The names of forms are made from the hashes of their parts, in many combinations: each part is hashed once.

use std::{borrow::Cow, ops::Deref, sync::Arc};

use super::hash_of;
use crate::letters::lower;

/// What a part is: equal texts of two kinds have other hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::predict) enum Kind {
    Origin = 1,
    Segment = 2,
    Name = 3,
    Value = 4,
}

/// Whether two short texts are the same: most parts have a few octets, for which asking the C library takes longer.
#[inline]
pub(in crate::predict) fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let ((chunks, rest), (others, other_rest)) = (one.as_chunks::<8>(), other.as_chunks::<8>());
    chunks
        .iter()
        .zip(others)
        .all(|(a, b)| u64::from_le_bytes(*a) == u64::from_le_bytes(*b))
        && match (one.last_chunk::<8>(), other.last_chunk::<8>()) {
            (Some(last), Some(other)) => u64::from_le_bytes(*last) == u64::from_le_bytes(*other),
            _ => rest.iter().zip(other_rest).all(|(a, b)| a == b),
        }
}

/// Text of a URL, or of an edit that has put it there: forms are copied more often than texts are made.
#[derive(Clone, Debug)]
enum Text<'u> {
    Found(&'u str),
    Put(Arc<str>),
}

/// A part of a URL, and the hash of its text.
#[derive(Clone, Debug)]
pub(in crate::predict) struct Part<'u> {
    text: Text<'u>,
    hash: u64,
}

impl<'u> Part<'u> {
    pub(super) fn new(kind: Kind, text: impl Into<Cow<'u, str>>) -> Self {
        let text = text.into();
        Self {
            hash: hash_of(kind as u64, &text),
            text: match text {
                Cow::Borrowed(text) => Text::Found(text),
                Cow::Owned(text) => Text::Put(text.into()),
            },
        }
    }

    /// A part that was found in a URL.
    #[inline]
    pub(super) fn found(kind: Kind, text: &'u str) -> Self {
        Self {
            hash: hash_of(kind as u64, text),
            text: Text::Found(text),
        }
    }

    pub(in crate::predict) const fn hash(&self) -> u64 {
        self.hash
    }

    /// The same part in lower case.
    pub(super) fn lowered(&self, kind: Kind) -> Self {
        Self::new(kind, lower(self))
    }

    /// The same text as a part of another kind.
    pub(super) fn turned(self, kind: Kind) -> Self {
        Self {
            hash: hash_of(kind as u64, &self),
            text: self.text,
        }
    }
}

impl Deref for Part<'_> {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        match &self.text {
            Text::Found(text) => text,
            Text::Put(text) => text,
        }
    }
}

/// By their texts.
impl PartialEq for Part<'_> {
    fn eq(&self, other: &Self) -> bool {
        is_same(self.as_bytes(), other.as_bytes())
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
        (**self).cmp(&**other)
    }
}

impl PartialEq<str> for Part<'_> {
    fn eq(&self, other: &str) -> bool {
        is_same(self.as_bytes(), other.as_bytes())
    }
}

impl PartialEq<String> for Part<'_> {
    fn eq(&self, other: &String) -> bool {
        is_same(self.as_bytes(), other.as_bytes())
    }
}
