//! Writes and reads the kinds of URLs that a belief was tried on.
//!
//! Kinds are told apart by hashes of what defines them. A line of a file has what is known about a kind, a description
//! for people, and its hash, by which it is read back: `excepted | theme=print | 77aa0013`.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// What is known about a kind of URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownKind {
    /// The belief held for one page of it.
    HeldOnce,
    /// It held for more.
    Held,
    /// It was found not to hold, and is not acted upon.
    Excepted,
    /// It failed for one page.
    FailedOnce,
    /// The kind was new, and one page of it could not be decided.
    UndecidedOnce,
    /// The same with two pages.
    UndecidedTwice,
}

/// What is known, and how it is written.
const WORDS: [(KnownKind, &str); 6] = [
    (KnownKind::HeldOnce, "held once"),
    (KnownKind::Held, "held"),
    (KnownKind::Excepted, "excepted"),
    (KnownKind::FailedOnce, "failed once"),
    (KnownKind::UndecidedOnce, "undecided once"),
    (KnownKind::UndecidedTwice, "undecided twice"),
];

/// What stands for a kind of which no page is known any more.
const NO_WORDS: &str = "?";

/// A kind of URLs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SharedKind {
    /// What is known about it.
    pub known: KnownKind,
    /// A description for the reader, if a page tells it.
    pub words: Option<String>,
    /// The hash that identifies it.
    pub hash: u32,
}

/// A parameter, or a place in the path, with so many values that none of them tells a kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SharedName {
    /// A description for the reader.
    pub words: String,
    /// The hash that identifies it.
    pub hash: u64,
}

/// The error for a text that is not a kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no kind of URLs: it needs {needed}, with ` | ` between")]
pub struct NotAKind {
    text: String,
    needed: &'static str,
}

impl fmt::Display for SharedKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = WORDS.iter().find(|(known, _)| *known == self.known);
        let known = known.map_or("", |(_, word)| word);
        let words = self.words.as_deref().unwrap_or(NO_WORDS);
        write!(f, "{known} | {words} | {:08x}", self.hash)
    }
}

impl FromStr for SharedKind {
    type Err = NotAKind;

    fn from_str(text: &str) -> Result<Self, NotAKind> {
        let read = || {
            let (known, rest) = text.split_once(" | ")?;
            let (words, hash) = rest.rsplit_once(" | ")?;
            let (known, _) = WORDS.iter().find(|(_, word)| *word == known)?;
            Some(Self {
                known: *known,
                words: (words != NO_WORDS).then(|| words.to_owned()),
                hash: u32::from_str_radix(hash, 16)
                    .ok()
                    .filter(|_| hash.len() == 8)?,
            })
        };
        read().ok_or_else(|| NotAKind {
            text: text.to_owned(),
            needed: "what is known (held, held once, excepted, failed once, undecided once, undecided twice), \
                     what it is, and 8 hexadecimal digits",
        })
    }
}

impl fmt::Display for SharedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} | {:016x}", self.words, self.hash)
    }
}

impl FromStr for SharedName {
    type Err = NotAKind;

    fn from_str(text: &str) -> Result<Self, NotAKind> {
        let read = || {
            let (words, hash) = text.rsplit_once(" | ")?;
            Some(Self {
                words: words.to_owned(),
                hash: u64::from_str_radix(hash, 16)
                    .ok()
                    .filter(|_| hash.len() == 16)?,
            })
        };
        read().ok_or_else(|| NotAKind {
            text: text.to_owned(),
            needed: "a parameter or a place in the path, and 16 hexadecimal digits",
        })
    }
}

impl TryFrom<String> for SharedKind {
    type Error = NotAKind;

    fn try_from(text: String) -> Result<Self, NotAKind> {
        text.parse()
    }
}

impl From<SharedKind> for String {
    fn from(kind: SharedKind) -> Self {
        kind.to_string()
    }
}

impl TryFrom<String> for SharedName {
    type Error = NotAKind;

    fn try_from(text: String) -> Result<Self, NotAKind> {
        text.parse()
    }
}

impl From<SharedName> for String {
    fn from(name: SharedName) -> Self {
        name.to_string()
    }
}

/// Kinds that are told apart in one way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedWay {
    /// Number of pages of all these kinds that the belief held for.
    #[serde(default)]
    pub held: u32,
    /// Whether there are so many kinds that they tell nothing; exceptions found before are kept.
    #[serde(default, skip_serializing_if = "is_false")]
    pub too_many: bool,
    /// The kinds, in the order in which they came.
    #[serde(default)]
    pub kinds: Vec<SharedKind>,
    /// For what stands beside: parts with so many values that they tell no kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unnamed: Vec<SharedName>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

impl SharedWay {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The kinds of URLs that a belief was tried on, in four ways.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedKinds {
    /// By what is before the first `:`, `/` or `|` in the values that the belief calls irrelevant.
    #[serde(default, skip_serializing_if = "SharedWay::is_empty")]
    pub namespaces: SharedWay,
    /// By these values.
    #[serde(default, skip_serializing_if = "SharedWay::is_empty")]
    pub values: SharedWay,
    /// For a belief about a path: by the names of the parameters.
    #[serde(default, skip_serializing_if = "SharedWay::is_empty")]
    pub names: SharedWay,
    /// By what stands beside them: folders, actions, namespaces of other values.
    #[serde(default, skip_serializing_if = "SharedWay::is_empty")]
    pub beside: SharedWay,
}

impl SharedKinds {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.ways().into_iter().all(SharedWay::is_empty)
    }

    /// The four ways, in order.
    pub const fn ways(&self) -> [&SharedWay; 4] {
        [&self.namespaces, &self.values, &self.names, &self.beside]
    }

    pub(in crate::predict) const fn ways_mut(&mut self) -> [&mut SharedWay; 4] {
        [
            &mut self.namespaces,
            &mut self.values,
            &mut self.names,
            &mut self.beside,
        ]
    }

    /// Memory held beside its own, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let of_kind = |kind: &SharedKind| {
            size_of::<SharedKind>() + kind.words.as_ref().map_or(0, |words| words.len() + 8)
        };
        let of_name = |name: &SharedName| size_of::<SharedName>() + name.words.len() + 8;
        let all = self.ways().into_iter().map(|way| {
            let kinds = way.kinds.iter().map(of_kind);
            kinds.chain(way.unnamed.iter().map(of_name)).sum::<usize>()
        });
        all.sum()
    }

    /// Number of kinds for which the belief was found not to hold.
    pub fn exceptions(&self) -> u64 {
        let all = self.ways().into_iter().flat_map(|way| &way.kinds);
        all.filter(|kind| kind.known == KnownKind::Excepted).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_read_back_as_it_was_written() {
        for (known, _) in WORDS {
            for words in [None, Some("theme=a|b, lang=".to_owned())] {
                let kind = SharedKind {
                    known,
                    words,
                    hash: 0x7f,
                };
                assert_eq!(kind.to_string().parse(), Ok(kind));
            }
        }
        let name = SharedName {
            words: "/wiki/*".to_owned(),
            hash: 7,
        };
        assert_eq!(name.to_string(), "/wiki/* | 0000000000000007");
        assert_eq!(name.to_string().parse(), Ok(name));
    }

    #[test]
    fn what_is_no_kind_is_told_why() {
        for text in [
            "",
            "held | x",
            "held | x | 7f",
            "loved | x | 0000007f",
            "held | x | 0000007g",
        ] {
            let told = text.parse::<SharedKind>().unwrap_err().to_string();
            assert!(told.contains("8 hexadecimal"), "{told}");
        }
        let told = "title | 7f".parse::<SharedName>().unwrap_err().to_string();
        assert!(told.contains("16 hexadecimal"), "{told}");
    }
}
