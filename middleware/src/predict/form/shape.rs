//! The shape of a path segment.

use std::sync::LazyLock;

use super::hash_of;

/// What is common to segments that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class<'u> {
    Empty,
    /// A number.
    Number,
    /// A long or composed name.
    Any,
    /// A name that ends in a number: chapters of a manual, versions, parts.
    Numbered,
    /// A short name that stands first, or an extension.
    Text(&'u str),
}

/// The hashes of classes without a text: empty, numbers, any, numbered.
static HASHES: LazyLock<[u64; 4]> =
    LazyLock::new(|| ["", "#", "*", ".#"].map(|name| hash_of(SEED, name)));
const SEED: u64 = 5;

impl Class<'_> {
    pub(super) fn hash(self) -> u64 {
        match self {
            Self::Empty => HASHES[0],
            Self::Number => HASHES[1],
            Self::Any => HASHES[2],
            Self::Numbered => HASHES[3],
            Self::Text(text) => hash_of(SEED, text),
        }
    }
}

/// The class of a segment. `first`, `last`: whether it is the first of its path, or the last.
pub(super) fn class_of(segment: &str, first: bool, last: bool) -> Class<'_> {
    let octets = segment.as_bytes();
    if octets.is_empty() {
        return Class::Empty;
    }
    if octets.iter().all(u8::is_ascii_digit) {
        return Class::Number;
    }
    let is_plain = |b: &u8| b.is_ascii_alphabetic() || *b == b'.';
    if first && octets.len() <= 14 && octets.iter().all(is_plain) {
        return Class::Text(segment);
    }
    if !last {
        return Class::Any;
    }
    // The last dot, if it is among the last octets and not the first of all.
    let ends = octets.iter().rev().take(6.min(octets.len() - 1));
    match (1..).zip(ends).find(|(_, octet)| **octet == b'.') {
        Some((count, _)) => {
            let (stem, extension) = segment.split_at(segment.len() - count);
            let is_number = extension.bytes().skip(1).all(|b| b.is_ascii_digit());
            if is_number {
                Class::Numbered
            } else {
                Class::Text(&segment[stem.len() - language(stem)..])
            }
        }
        None => Class::Any,
    }
}

/// Octets of the two letters that the name before an extension ends in, mostly a language: `page.de.html` is no copy of `page.en.html`.
const fn language(stem: &str) -> usize {
    match stem.as_bytes() {
        [.., _, b'.', a, b] if a.is_ascii_lowercase() && b.is_ascii_lowercase() => 3,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_long_names_are_alike_and_extensions_are_told() {
        let of = |segment| class_of(segment, false, true);
        assert_eq!(of("2026"), of("7"));
        assert_eq!(of("some-article"), of("other"));
        assert_eq!(of("a.html"), Class::Text(".html"));
        assert_eq!(of("a.de.html"), Class::Text(".de.html"));
        assert_eq!(of("a.min.js"), Class::Text(".js"));
        assert_eq!(of(".de.html"), Class::Text(".html"));
        assert_eq!(of("v1.2"), of("chapter.17"));
        assert_eq!(of(".html"), Class::Any, "a dot that begins a name");
        assert_eq!(class_of("shop", true, false), Class::Text("shop"));
        assert_eq!(class_of("shop-2", true, false), Class::Any);
        assert_eq!(class_of("a.html", false, false), Class::Any);
        assert_eq!(of("").hash(), hash_of(SEED, ""));
        assert_ne!(of("2026").hash(), of("other").hash());
    }
}
