//! On which URLs is a claim made, from the most specific to the most general?

use serde::{Deserialize, Serialize};

use crate::predict::form::{Edit, Form, Param, hash_of, join};

/// From the most specific to the most general; the names are those of `MaybeDont`'s hypotheses where they
/// mean the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Given path and the rest of the query (hypothesis 4).
    PathAndRest,
    /// Given the path (hypotheses 3 and 6).
    Path,
    /// Given the shape of the path and the names of all parameters.
    Names,
    /// Given the shape of the path.
    Shape,
    /// On the whole host (hypotheses 2 and 5).
    Host,
}

/// All levels, most specific first.
pub(in crate::predict) const LEVELS: [Level; 5] = [
    Level::PathAndRest,
    Level::Path,
    Level::Names,
    Level::Shape,
    Level::Host,
];

impl Level {
    /// The name in a belief's text form.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PathAndRest => "path_and_rest",
            Self::Path => "path",
            Self::Names => "names",
            Self::Shape => "shape",
            Self::Host => "host",
        }
    }

    /// The level of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        LEVELS.into_iter().find(|level| level.name() == name)
    }

    /// Trials that one content may contribute, so that many copies of one page (a login form, a soft error)
    /// do not stand for many pages. Where the claim is about one page, every URL that brings it is a trial.
    pub(in crate::predict) const fn per_content(self, edit: &Edit) -> u8 {
        match self {
            Self::PathAndRest => u8::MAX,
            Self::Path if matches!(edit, Edit::AllParams) => u8::MAX,
            Self::Path | Self::Names => 20,
            Self::Shape => 8,
            Self::Host => 4,
        }
    }
}

/// Names of the contexts of an edit on one URL, one a level; `None` where a level means nothing.
pub(in crate::predict) fn contexts(
    edit: &Edit,
    before: &Form<'_>,
    after: &Form<'_>,
) -> [Option<u64>; 5] {
    let host = join(11, hash_of(1, &before.origin));
    if edit.is_literal() {
        // Folders are mirrored, their generated listings may not be: the kind of the last segment tells.
        let kind = join(22, before.kind_key());
        let whole = if matches!(edit, Edit::Origin { .. }) {
            12
        } else {
            host
        };
        return [None, None, Some(kind), None, Some(whole)];
    }
    let shape = before.shape_key();
    match edit {
        Edit::Params(_) => [
            Some(join(13, after.key())),
            Some(join(14, before.path_key())),
            Some(join(15, join(shape, before.names_key()))),
            Some(join(16, shape)),
            Some(host),
        ],
        Edit::AllParams => [
            None,
            Some(join(14, before.path_key())),
            Some(join(15, join(shape, before.names_key()))),
            None,
            None,
        ],
        Edit::Head { .. } => [
            None,
            Some(join(17, after.path_key())),
            None,
            Some(join(18, after.shape_key())),
            None,
        ],
        Edit::Tail { .. } => [
            None,
            None,
            Some(join(
                19,
                join(after.shape_key(), before.segments.len() as u64),
            )),
            None,
            None,
        ],
        Edit::Segments { .. } => [
            Some(join(23, after.key())),
            None,
            None,
            Some(join(20, after.shape_key())),
            None,
        ],
        _ => [None, None, None, Some(join(21, shape)), Some(host)],
    }
}

/// What the edit calls irrelevant on this form, to be capped; 0 where it is literal.
pub(in crate::predict) fn value_of(edit: &Edit, before: &Form<'_>) -> u64 {
    let Edit::Params(edits) = edit else { return 0 };
    let mut hash = 0;
    for edit in edits {
        if let Param::Any(name) | Param::Wild(name) = edit {
            for (key, value) in &before.params {
                if key == name {
                    hash = join(hash ^ 31, hash_of(4, value));
                }
            }
        }
    }
    hash
}
