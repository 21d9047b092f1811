//! Pieces of segments and values that do not matter.

use serde::{Deserialize, Serialize};

use super::{ANY, Form, Kind, Part};
use crate::cut::{Cut, without_extension};

/// A part of a URL that has pieces.
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
    /// The value of a parameter that occurs once.
    Value {
        /// The name of the parameter.
        name: String,
    },
}

impl Whole {
    /// What it is of a form, extensions left aside.
    pub(super) fn of<'f>(&self, form: &'f Form<'_>) -> Option<&'f str> {
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

    /// The part of a form that it is, extension and all.
    pub(super) fn part_mut<'f, 'u>(
        &self,
        form: &'f mut Form<'u>,
    ) -> Option<(&'f mut Part<'u>, Kind)> {
        match self {
            Self::Segment { at, .. } => Some((form.segments.get_mut(*at)?, Kind::Segment)),
            Self::Value { name } => {
                let mut named = form.params.iter_mut().filter(|(of, _)| of == name);
                Some((named.next().map(|(_, value)| value)?, Kind::Value))
            }
        }
    }
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

/// Whether what is left beside it is a number.
pub(in crate::predict) fn leaves_number(
    whole: &Whole,
    sign: &str,
    cut: Cut,
    form: &Form<'_>,
) -> bool {
    let left = || {
        let text = whole.of(form)?;
        let piece = cut.piece(text, sign)?;
        let (before, behind) = (&text[..piece.start], &text[piece.end..]);
        let behind = behind.strip_prefix(sign).unwrap_or(behind);
        Some([before.strip_suffix(sign).unwrap_or(before), behind].concat())
    };
    left().is_some_and(|left| !left.is_empty() && left.bytes().all(|octet| octet.is_ascii_digit()))
}

/// Takes it away with its sign, or puts what stands for any in its place where another sign would be left; whether there
/// was one.
pub(super) fn leave_out(whole: &Whole, sign: &str, cut: Cut, form: &mut Form<'_>) -> bool {
    if whole.of(form).is_none() {
        return false;
    }
    let Some((part, kind)) = whole.part_mut(form) else {
        return false;
    };
    let left = match kind {
        Kind::Segment => cut.out_of_segment(part, sign, ANY),
        _ => cut.out_of(part, sign, ANY),
    };
    let Some(left) = left else {
        return false;
    };
    *part = Part::new(kind, left);
    true
}
