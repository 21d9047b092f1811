//! Properties of an edit that do not depend on a form.

use super::{Edit, Param, Whole};
use crate::items::is_within_names;

impl Edit {
    /// Place in the order in which edits are applied.
    pub(in crate::predict) const fn rank(&self) -> u8 {
        match self {
            Self::Origin { .. } | Self::HostNumber => 0,
            Self::Case | Self::QueryCase => 1,
            Self::Prefix { .. } | Self::Reshape { .. } | Self::Titled { .. } => 2,
            Self::Head { .. } => 3,
            Self::Suffix { .. } | Self::Extension { .. } => 4,
            Self::Tail { .. } => 5,
            Self::Segments { .. }
            | Self::Superfluous { .. }
            | Self::Piece { .. }
            | Self::Items { .. }
            | Self::Both { .. } => 6,
            // What others say of folders, they say of those that are there.
            Self::Folders => 7,
            Self::AllParams => 8,
            Self::Repeated { .. } | Self::Params(_) => 9,
            // Of a page that has no more use for the parameter there is nothing to move.
            // What others look at is what the site wrote.
            Self::Move { .. } | Self::Escapes => 10,
            Self::Order | Self::Spelling | Self::Referrer | Self::LeadsBack => 11,
        }
    }

    /// Whether it can only be right or wrong for a whole site, not for one of its sections.
    pub(in crate::predict) const fn is_literal(&self) -> bool {
        matches!(
            self,
            Self::Origin { .. } | Self::HostNumber | Self::Prefix { .. }
        )
    }

    /// Whether so many claims of its kind are proposed that some are right for most pages by chance, so that it takes more
    /// evidence and ends with one failure: what parts names by signs within them (`_photos` looks like `_print`), finds
    /// them elsewhere, or joins two parts of a URL.
    pub(in crate::predict) fn is_one_of_many(&self) -> bool {
        match self {
            Self::Piece { .. } | Self::Both { .. } | Self::Escapes | Self::Spelling => true,
            Self::Items { of, sign } => {
                is_within_names(sign) || matches!(of, Whole::Segment { .. })
            }
            Self::Move { .. } | Self::Reshape { .. } | Self::Titled { .. } => self.is_respelling(),
            Self::Extension { from, .. } => !from.starts_with('.') || from[1..].contains('.'),
            _ => false,
        }
    }

    /// Whether it finds a name elsewhere with text around it or behind it, of which there may be as many as words.
    pub(in crate::predict) fn is_respelling(&self) -> bool {
        match self {
            Self::Move { to, behind, .. } => !(to.is_bare() && behind.is_empty()),
            Self::Reshape { .. } | Self::Titled { .. } => true,
            _ => false,
        }
    }

    /// Whether it may speak of one page alone, so that there may be as many as pages: it finds a name elsewhere, or names values,
    /// segments, or a word of a name.
    pub(in crate::predict) fn may_be_of_one_page(&self) -> bool {
        match self {
            Self::Prefix { .. } | Self::Suffix { .. } => true,
            Self::Extension { .. } => self.is_one_of_many(),
            Self::Params(all) => all.iter().all(|it| matches!(it, Param::Value(..))),
            _ => self.is_respelling(),
        }
    }

    /// Whether it says the same as another that [may be of one page](Self::may_be_of_one_page), but for what it names: for folders
    /// and what stands before a name found elsewhere, for values, or for segments and words.
    pub(in crate::predict) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Move {
                    path,
                    name,
                    to,
                    behind,
                },
                Self::Move {
                    path: other_path,
                    name: other_name,
                    to: other_to,
                    behind: other_behind,
                },
            ) => {
                path.len() == other_path.len()
                    && name == other_name
                    && to.is_like(other_to)
                    && behind == other_behind
            }
            (
                Self::Reshape { from, to },
                Self::Reshape {
                    from: other_from,
                    to: other_to,
                },
            ) => from.is_like(other_from) && to.is_like(other_to),
            (
                Self::Titled { from, to },
                Self::Titled {
                    from: other_from,
                    to: other_to,
                },
            ) => from.title == other_from.title && to.name == other_to.name,
            (
                Self::Prefix { from, to },
                Self::Prefix {
                    from: other_from,
                    to: other_to,
                },
            )
            | (
                Self::Suffix { from, to },
                Self::Suffix {
                    from: other_from,
                    to: other_to,
                },
            ) => from.len() == other_from.len() && to.len() == other_to.len(),
            (Self::Extension { .. }, Self::Extension { .. }) => {
                self.is_one_of_many() && other.is_one_of_many()
            }
            (Self::Params(all), Self::Params(others)) => {
                let mut both = all.iter().zip(others);
                let is_like = |(one, other): (&Param, &Param)| matches!((one, other), (Param::Value(one, _), Param::Value(other, _)) if one == other);
                all.len() == others.len() && both.all(is_like)
            }
            _ => false,
        }
    }

    /// The alias that says the same the other way round.
    pub(in crate::predict) fn reverse(&self) -> Option<Self> {
        Some(match self.clone() {
            Self::Origin { from, to } => Self::Origin { from: to, to: from },
            Self::Prefix { from, to } => Self::Prefix { from: to, to: from },
            Self::Suffix { from, to } => Self::Suffix { from: to, to: from },
            Self::Extension { from, to } => Self::Extension { from: to, to: from },
            Self::Reshape { from, to } => Self::Reshape { from: to, to: from },
            Self::Both { path, params } => Self::Both {
                path: path.reverse()?.into(),
                params,
            },
            _ => return None,
        })
    }

    /// This edit of an origin or a path, and that of parameters; `None` where they are none.
    pub(in crate::predict) fn and(self, params: Self) -> Option<Self> {
        let is_of_path = matches!(
            self,
            Self::Origin { .. }
                | Self::Prefix { .. }
                | Self::Suffix { .. }
                | Self::Extension { .. }
                | Self::Segments { .. }
                | Self::Superfluous { .. }
                | Self::Piece {
                    of: Whole::Segment { .. },
                    ..
                }
        );
        match params {
            Self::Params(params) if is_of_path => Some(Self::Both {
                path: Box::new(self),
                params,
            }),
            _ => None,
        }
    }

    /// Whether it takes a piece of a name away, or a title beside it, so that the name may be there without one, too: two pages that both
    /// have one may be two.
    pub(in crate::predict) const fn is_of_optional_piece(&self) -> bool {
        matches!(self, Self::Titled { .. })
            || matches!(self, Self::Piece { cut, .. } if cut.takes_sign())
    }

    /// Whether it is about the value of one parameter that is always there: each of its trials tells of two values, and of neither alone.
    pub(in crate::predict) fn is_of_two_values(&self) -> bool {
        matches!(self, Self::Params(params) if matches!(params[..], [Param::Wild(_)]))
    }

    /// Whether it speaks of the place of pages on the site or of the site's, which pages may repeat.
    pub(in crate::predict) const fn moves_pages(&self) -> bool {
        matches!(
            self,
            Self::Origin { .. }
                | Self::HostNumber
                | Self::Prefix { .. }
                | Self::Reshape { .. }
                | Self::Titled { .. }
                | Self::Head { .. }
                | Self::Folders
                | Self::Segments { .. }
                | Self::Superfluous { .. }
                | Self::Both { .. }
                | Self::Piece {
                    of: Whole::Segment { .. },
                    ..
                }
                | Self::Items {
                    of: Whole::Segment { .. },
                    ..
                }
        )
    }

    /// Whether it says of segments, by their places, that they do not matter.
    pub(in crate::predict) const fn is_of_segments(&self) -> bool {
        matches!(
            self,
            Self::Head { .. } | Self::Folders | Self::Segments { .. } | Self::Superfluous { .. }
        )
    }

    /// Whether what it was applied to can be told from what it made of it.
    pub(in crate::predict) const fn is_reversible(&self) -> bool {
        matches!(
            self,
            Self::Origin { .. }
                | Self::Prefix { .. }
                | Self::Suffix { .. }
                | Self::Extension { .. }
        )
    }

    /// Whether all that it does is to take parameters away, or what they say.
    pub(in crate::predict) const fn drops(&self) -> bool {
        matches!(self, Self::Params(_) | Self::AllParams)
    }

    pub(super) const fn is_of_params(&self) -> bool {
        self.drops() || matches!(self, Self::Order | Self::QueryCase | Self::Repeated { .. })
    }
}
