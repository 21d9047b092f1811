//! Which piece of a segment or of a value does not matter?
//!
//! Many sites find a page by a number and let any title follow (`/4711-some-title`), or by a name that a session or a
//! version follows (`/some-title-7f3a.html`).

use std::{fmt, ops::Range};

use serde::{Deserialize, Serialize};

use super::{ANY, Form, Kind, Part};

/// Signs between pieces, as they are written in canonical URLs.
pub(in crate::predict) const SIGNS: [&str; 10] =
    ["-", "_", ",", ":", "~", ".", "!", "|", "%3A", "%7C"];

/// Octets of an extension, at most, with its dot.
const LONGEST_EXTENSION: usize = 6;

/// What is made of pieces.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Whole {
    /// A segment, without its extension.
    Segment {
        /// Which, counted from 0.
        at: usize,
        /// Segments in all.
        of: usize,
    },
    /// The value of a parameter that is there once.
    Value {
        /// Of which.
        name: String,
    },
}

/// Which of two pieces does not matter, by the sign between them.
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
    /// The first sign and what is behind it, so that it need not be there: `/4711-some-title` is `/4711`.
    FromFirst,
    /// The last sign and what is before it.
    UpToLast,
}

impl Cut {
    /// All of them; first those that leave more of texts with several signs.
    pub(in crate::predict) const ALL: [Self; 6] = [
        Self::BehindLast,
        Self::BeforeFirst,
        Self::BehindFirst,
        Self::BeforeLast,
        Self::FromFirst,
        Self::UpToLast,
    ];

    /// Its name in a text.
    const fn name(self) -> &'static str {
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
    pub(in crate::predict) const fn takes_sign(self) -> bool {
        matches!(self, Self::FromFirst | Self::UpToLast)
    }

    /// Where the piece is that it speaks of, if neither that nor what is left is empty.
    pub(in crate::predict) fn piece(self, text: &str, sign: &str) -> Option<Range<usize>> {
        let at = match self {
            Self::BehindFirst | Self::BeforeFirst | Self::FromFirst => text.find(sign)?,
            Self::BehindLast | Self::BeforeLast | Self::UpToLast => text.rfind(sign)?,
        };
        let (before, behind) = (0..at, at + sign.len()..text.len());
        let (piece, left) = match self {
            Self::BehindFirst | Self::BehindLast => (behind, before),
            Self::FromFirst => (at..text.len(), before),
            Self::BeforeFirst | Self::BeforeLast => (before, behind),
            Self::UpToLast => (0..behind.start, behind),
        };
        (!piece.is_empty() && !left.is_empty()).then_some(piece)
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Whole {
    /// What it is of a form, extensions left aside.
    fn of<'f>(&self, form: &'f Form<'_>) -> Option<&'f str> {
        match self {
            Self::Segment { at, of } => {
                let segments = &form.segments;
                let segment = segments.get(*at).filter(|_| segments.len() == *of)?;
                Some(without_extension(segment))
            }
            Self::Value { name } => {
                let mut all = form.params.iter().filter(|(of, _)| of == name);
                all.next()
                    .filter(|_| all.next().is_none())
                    .map(|(_, value)| &**value)
            }
        }
    }
}

/// A name without its extension, if it has one.
pub(in crate::predict) fn without_extension(name: &str) -> &str {
    let is_one = |extension: &str| {
        (2..=LONGEST_EXTENSION).contains(&extension.len())
            && extension[1..].bytes().all(|b| b.is_ascii_alphanumeric())
            && extension[1..].bytes().any(|b| b.is_ascii_alphabetic())
    };
    let at = name.rfind('.').filter(|at| *at > 0 && is_one(&name[*at..]));
    at.map_or(name, |at| &name[..at])
}

/// What it has behind that.
pub(in crate::predict) fn extension(name: &str) -> &str {
    &name[without_extension(name).len()..]
}

/// The piece that does not matter of a form.
pub(in crate::predict) fn piece<'f>(
    whole: &Whole,
    sign: &str,
    cut: Cut,
    form: &'f Form<'_>,
) -> Option<&'f str> {
    let text = whole.of(form)?;
    cut.piece(text, sign).map(|piece| &text[piece])
}

/// Takes it away with its sign, or puts what stands for any in its place where another sign would be left; whether there
/// was one.
pub(super) fn leave_out(whole: &Whole, sign: &str, cut: Cut, form: &mut Form<'_>) -> bool {
    let Some(piece) = whole.of(form).and_then(|text| cut.piece(text, sign)) else {
        return false;
    };
    let any = if cut.takes_sign() { "" } else { ANY };
    let with_any = |text: &str| format!("{}{any}{}", &text[..piece.start], &text[piece.end..]);
    match whole {
        Whole::Segment { at, .. } => {
            form.segments[*at] = Part::new(Kind::Segment, with_any(&form.segments[*at]));
        }
        Whole::Value { name } => {
            for (_, value) in form.params.iter_mut().filter(|(of, _)| of == name) {
                *value = Part::new(Kind::Value, with_any(value));
            }
        }
    }
    true
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
                let left = of(cut, none).filter(|_| none != "a-" && none != "-a");
                assert_eq!(left, None, "{cut} {none}");
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
}
