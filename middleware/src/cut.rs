//! Cuts names into pieces at the signs within them.
//!
//! Many sites find a page by a number that any title may follow (`4711-some-title`), or by a name that a session or a
//! version follows (`some-title-7f3a.html`). Prediction and rewrite rules cut names in the same ways.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Signs between pieces, as they are written in canonical URLs.
pub(crate) const SIGNS: [&str; 12] = [
    "-", "_", ",", ":", "~", ".", "!", "|", "%2C", "%3A", "%21", "%7C",
];

/// What parts the pieces of a date that is written in eight digits (`20261117`), where no sign does: the end of its year and that of its
/// month.
pub(crate) const PARTS_OF_DATES: [&str; 2] = ["{year}", "{month}"];

/// All that may stand between pieces.
pub(crate) fn all_signs() -> impl Iterator<Item = &'static str> + Clone {
    SIGNS.into_iter().chain(PARTS_OF_DATES)
}

/// Octets of an extension, at most, with its dot.
const LONGEST_EXTENSION: usize = 6;

/// Which of two pieces does not matter, by the sign between them. In a date of eight digits (`20261117`) the end of its `{year}` or `{month}`
/// may be the sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// What is behind the first sign.
    BehindFirst,
    /// What is behind the last sign.
    BehindLast,
    /// What is before the first sign.
    BeforeFirst,
    /// What is before the last sign.
    BeforeLast,
    /// The first sign and what is behind it, so that both may be absent: `/4711-some-title` is `/4711`.
    FromFirst,
    /// The last sign and what is before it.
    UpToLast,
}

impl Cut {
    /// All of them; first those that leave more of texts with several signs.
    pub(crate) const ALL: [Self; 6] = [
        Self::BehindLast,
        Self::BeforeFirst,
        Self::BehindFirst,
        Self::BeforeLast,
        Self::FromFirst,
        Self::UpToLast,
    ];

    /// Its name in a rule.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::BehindFirst => "behind-first",
            Self::BehindLast => "behind-last",
            Self::BeforeFirst => "before-first",
            Self::BeforeLast => "before-last",
            Self::FromFirst => "from-first",
            Self::UpToLast => "up-to-last",
        }
    }

    /// Its name in the text of a belief.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::BehindFirst => "behind its first",
            Self::BehindLast => "behind its last",
            Self::BeforeFirst => "before its first",
            Self::BeforeLast => "before its last",
            Self::FromFirst => "from its first",
            Self::UpToLast => "up to its last",
        }
    }

    /// Whether the sign goes, too, and nothing stands for the piece.
    pub(crate) const fn takes_sign(self) -> bool {
        matches!(self, Self::FromFirst | Self::UpToLast)
    }

    /// Where the piece is that it speaks of, if there is text on both sides of the sign.
    pub(crate) fn piece(self, text: &str, sign: &str) -> Option<Range<usize>> {
        let sign = match self {
            _ if PARTS_OF_DATES.contains(&sign) => end_in_date(text, sign)?,
            Self::BehindFirst | Self::BeforeFirst | Self::FromFirst => {
                place(text.find(sign)?, sign)
            }
            Self::BehindLast | Self::BeforeLast | Self::UpToLast => place(text.rfind(sign)?, sign),
        };
        let (before, behind) = (0..sign.start, sign.end..text.len());
        if before.is_empty() || behind.is_empty() {
            return None;
        }
        Some(match self {
            Self::BehindFirst | Self::BehindLast => behind,
            Self::FromFirst => sign.start..text.len(),
            Self::BeforeFirst | Self::BeforeLast => before,
            Self::UpToLast => 0..behind.start,
        })
    }

    /// The text without the piece, or with `any` in its place where another sign would be left.
    pub(crate) fn out_of(self, text: &str, sign: &str, any: &str) -> Option<String> {
        let piece = self.piece(text, sign)?;
        let any = if self.takes_sign() { "" } else { any };
        Some(format!(
            "{}{any}{}",
            &text[..piece.start],
            &text[piece.end..]
        ))
    }

    /// The same of a segment, whose extension is no part of any piece.
    pub(crate) fn out_of_segment(self, segment: &str, sign: &str, any: &str) -> Option<String> {
        let (stem, extension) = segment.split_at(without_extension(segment).len());
        Some(self.out_of(stem, sign, any)? + extension)
    }
}

fn place(at: usize, sign: &str) -> Range<usize> {
    at..at + sign.len()
}

/// Where a part of a date ends that is written in eight digits: there is nothing between it and the next.
fn end_in_date(text: &str, part: &str) -> Option<Range<usize>> {
    let at = match part {
        "{year}" => 4,
        _ => 6,
    };
    is_date(text).then_some(at..at)
}

/// Whether a text is a date of eight digits, of 1900 to 2099.
fn is_date(text: &str) -> bool {
    let is_number = text.len() == 8 && text.bytes().all(|octet| octet.is_ascii_digit());
    is_number
        && ["19", "20"].contains(&&text[..2])
        && ("01"..="12").contains(&&text[4..6])
        && ("01"..="31").contains(&&text[6..])
}

/// A name without its extension, if it has one.
pub(crate) fn without_extension(name: &str) -> &str {
    let is_one = |extension: &str| {
        (2..=LONGEST_EXTENSION).contains(&extension.len())
            && extension[1..].bytes().all(|b| b.is_ascii_alphanumeric())
            && extension[1..].bytes().any(|b| b.is_ascii_alphabetic())
    };
    let at = name.rfind('.').filter(|at| *at > 0 && is_one(&name[*at..]));
    at.map_or(name, |at| &name[..at])
}

/// What it has behind that.
pub(crate) fn extension(name: &str) -> &str {
    &name[without_extension(name).len()..]
}

/// Octets that a segment has before a name, at most.
const LONGEST_PREFIX: usize = 16;

/// What stands around a name in a segment that may look so on many pages: before it a word, a sign or both, behind it an
/// extension at most. Where nothing parts the word from the name, the name is a number.
pub(crate) fn around<'s>(segment: &'s str, name: &str) -> Option<(&'s str, &'s str)> {
    let (stem, extension) = segment.split_at(without_extension(segment).len());
    let is_whole = |(prefix, _): &(&str, &str)| is_prefix(prefix) && fits_behind(prefix, name);
    // What looks like an extension may be part of the name.
    let ways = [
        segment.strip_suffix(name).map(|prefix| (prefix, "")),
        stem.strip_suffix(name).map(|prefix| (prefix, extension)),
    ];
    ways.into_iter().flatten().find(is_whole)
}

/// Whether a segment may begin like this on many pages.
pub(crate) fn is_prefix(prefix: &str) -> bool {
    let word = match prefix.as_bytes() {
        [word @ .., sign] if !sign.is_ascii_alphanumeric() && *sign != b'*' => word,
        word => word,
    };
    prefix.len() <= LONGEST_PREFIX && word.iter().all(u8::is_ascii_alphabetic)
}

/// Whether a name can be told from what it follows.
pub(crate) fn fits_behind(prefix: &str, name: &str) -> bool {
    let is_number = || name.bytes().all(|octet| octet.is_ascii_digit());
    !name.is_empty() && (!ends_in_word(prefix) || is_number())
}

/// The name that stands between these texts.
pub(crate) fn between<'t>(text: &'t str, before: &str, behind: &str) -> Option<&'t str> {
    let name = text.strip_prefix(before)?.strip_suffix(behind)?;
    fits_behind(before, name).then_some(name)
}

/// Whether a segment is what a folder's own page is called, so that it says no more than the folder.
pub(crate) fn is_index(segment: &str) -> bool {
    segment.is_empty() || segment.starts_with("index.") || segment.starts_with("default.")
}

/// Whether nothing would part a name from a word that it follows.
pub(crate) fn ends_in_word(prefix: &str) -> bool {
    prefix.ends_with(|sign: char| sign.is_ascii_alphanumeric())
}

/// The name that two segments hold, if they hold one: all of the shorter, or the number that both end with.
pub(crate) fn shared_name<'s>(one: &'s str, other: &'s str) -> Option<&'s str> {
    fn number(name: &str) -> &str {
        let name = without_extension(name);
        &name[name
            .trim_end_matches(|sign: char| sign.is_ascii_digit())
            .len()..]
    }
    if one.contains(other) {
        Some(other)
    } else if other.contains(one) {
        Some(one)
    } else {
        Some(number(one)).filter(|found| !found.is_empty() && *found == number(other))
    }
}

/// The cut that leaves the same of two texts, and the most: a wider one may join others, too.
pub(crate) fn narrowest(one: &str, other: &str) -> Option<(&'static str, Cut)> {
    let same = |sign: &str, cut: Cut| {
        // Where one of them has none, it is what the cut leaves.
        let none = |text: &str| match cut {
            Cut::FromFirst => Some(text.len()..text.len()),
            Cut::UpToLast => Some(0..0),
            _ => None,
        };
        let (a, b) = match (cut.piece(one, sign), cut.piece(other, sign)) {
            (Some(a), None) => (a, none(other)?),
            (None, Some(b)) => (none(one)?, b),
            (Some(a), Some(b)) if !cut.takes_sign() => (a, b),
            _ => return None,
        };
        // A cut that takes more than what differs would join others, too.
        let is_wider = || {
            let (a, b) = (one[a.clone()].split(sign), other[b.clone()].split(sign));
            let (a, b): (Vec<&str>, Vec<&str>) = (a.collect(), b.collect());
            (a.len() > 1 || b.len() > 1) && (a[0] == b[0] || a.last() == b.last())
        };
        let is_same = (&one[..a.start], &one[a.end..]) == (&other[..b.start], &other[b.end..]);
        (is_same && (cut.takes_sign() || !is_wider())).then_some(a.len() + b.len())
    };
    let signs = (SIGNS.into_iter()).filter(|sign| one.contains(sign) || other.contains(sign));
    let all = signs.flat_map(|sign| Cut::ALL.map(|cut| (sign, cut)));
    let of_dates = PARTS_OF_DATES.map(|part| (part, Cut::BehindFirst));
    let of_dates = of_dates
        .into_iter()
        .filter(|_| is_date(one) && is_date(other));
    all.chain(of_dates)
        .filter_map(|(sign, cut)| Some((same(sign, cut)?, sign, cut)))
        .min_by_key(|(size, ..)| *size)
        .map(|(_, sign, cut)| (sign, cut))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_before_or_behind_a_sign_and_leaves_something() {
        let of = |cut: Cut, text: &str| cut.piece(text, "-").map(|piece| text[piece].to_owned());
        for (cut, expected) in [
            (Cut::BehindFirst, "b-c"),
            (Cut::BehindLast, "c"),
            (Cut::BeforeFirst, "a"),
            (Cut::BeforeLast, "a-b"),
            (Cut::FromFirst, "-b-c"),
            (Cut::UpToLast, "a-b-"),
        ] {
            assert_eq!(of(cut, "a-b-c").as_deref(), Some(expected));
            for none in ["", "a", "-", "a-", "-a"] {
                assert_eq!(of(cut, none), None, "{cut:?} {none}");
            }
        }
        assert_eq!(of(Cut::BehindLast, "a--b").as_deref(), Some("b"));
    }

    #[test]
    fn extensions_are_no_piece() {
        for (name, extension_of) in [
            ("a-b.html", ".html"),
            ("a.mp3", ".mp3"),
            ("v1.2", ""),
            (".html", ""),
            ("a.toolong", ""),
            ("é.php", ".php"),
            ("a.é", ""),
        ] {
            assert_eq!(extension(name), extension_of, "{name}");
        }
    }

    #[test]
    fn the_cut_that_leaves_most_is_found_unless_less_differs() {
        for (one, other, expected) in [
            ("7-red-lamp", "7-old", Some(("-", Cut::BehindFirst))),
            ("red-lamp-7f", "red-lamp-91", Some(("-", Cut::BehindLast))),
            ("7f_red", "91_red", Some(("_", Cut::BeforeFirst))),
            ("red-7", "old-lamp-7", Some(("-", Cut::BeforeLast))),
            ("7", "7-red", Some(("-", Cut::FromFirst))),
            ("red~7", "7", Some(("~", Cut::UpToLast))),
            // Which of two words is a token is not to be told from one pair.
            ("red-lamp", "red-lamp-7f3a", None),
            ("red-lamp", "7f3a-red-lamp", None),
            // In the middle.
            ("20-1000-red", "20-1001-red", None),
            ("red-lamp", "old-desk", None),
            ("red", "old", None),
            ("7-", "7", None),
            ("20261117", "20261101", Some(("{month}", Cut::BehindFirst))),
            ("20261117", "20260301", Some(("{year}", Cut::BehindFirst))),
            ("20261117", "20251117", None),
            // No date, or none of eight digits.
            ("20261317", "20261301", None),
            ("2026111", "2026112", None),
            ("18261117", "18261101", None),
        ] {
            assert_eq!(narrowest(one, other), expected, "{one} {other}");
            assert_eq!(narrowest(other, one), expected, "{other} {one}");
        }
    }
}
