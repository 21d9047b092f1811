//! The levels of generality on which a claim is made.

use serde::{Deserialize, Serialize};

use crate::predict::form::{
    Edit, Form, Hashed, Param, Part, Things, Whole, folders, hash_of, join, leaves_number, piece,
};

/// The URLs that a claim is made about, from the most specific level to the most general. Names are those of
/// `MaybeDont`'s hypotheses where they mean the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// URLs with a given path and a given rest of the query (hypothesis 4).
    PathAndRest,
    /// URLs whose path and rest of the query (or whose other segments) are given, wherever the claim was already right about two pages
    /// of these. Some lists have one page whatever number is asked for, some have many, and the first pages tell which.
    WhereHeld,
    /// URLs with a given shape of the path, given names of all parameters, and a given action of the application, which is
    /// chosen by values of some parameters (`action=history`) or by segments (`/log/`).
    Action,
    /// URLs with a given path (hypotheses 3 and 6).
    Path,
    /// URLs with a given shape of the path and given names of all parameters.
    Names,
    /// URLs with given names of all parameters, others beside those of the edit among them, on any path of two segments or more. What
    /// chooses a branch if no commit is named may not matter if one is, whatever is shown of the commit. If all paths have one shape,
    /// claims about [names](Self::Names) say as much, and none is made on this level.
    HostNames,
    /// URLs with a given shape of the path.
    Shape,
    /// All URLs of the host (hypotheses 2 and 5).
    Host,
    /// All URLs of all hosts of a registrable domain that has four or more. Each host has to confirm it.
    Domain,
}

/// Hosts of a registrable domain from which on claims are made about all of them.
pub(in crate::predict) const MANY_HOSTS: usize = 4;

/// All levels, most specific first.
pub(in crate::predict) const LEVELS: [Level; 9] = [
    Level::PathAndRest,
    Level::WhereHeld,
    Level::Action,
    Level::Path,
    Level::Names,
    Level::HostNames,
    Level::Shape,
    Level::Host,
    Level::Domain,
];

/// As many trials as one content brings: the claim is about one page.
pub(in crate::predict) const OF_ONE_PAGE: u8 = u8::MAX;

impl Level {
    /// The level's name in a belief's text form.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PathAndRest => "path_and_rest",
            Self::WhereHeld => "where_held",
            Self::Action => "action",
            Self::Path => "path",
            Self::Names => "names",
            Self::HostNames => "host_names",
            Self::Shape => "shape",
            Self::Host => "host",
            Self::Domain => "domain",
        }
    }

    /// The level with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        LEVELS.into_iter().find(|level| level.name() == name)
    }

    /// Trials that one content may contribute, so that many copies of one page (a login form, a soft error)
    /// do not stand for many pages. Where the claim is about one page, every URL that brings it is a trial.
    pub(in crate::predict) const fn per_content(self, edit: &Edit) -> u8 {
        match self {
            Self::PathAndRest => OF_ONE_PAGE,
            Self::Path if matches!(edit, Edit::AllParams) => OF_ONE_PAGE,
            Self::Action | Self::Path | Self::Names => 20,
            Self::Shape | Self::HostNames | Self::WhereHeld => 8,
            Self::Host | Self::Domain => 4,
        }
    }
}

/// Name of the context of an edit on one URL; `None` where the level means nothing, or where it takes the site
/// to tell (actions).
pub(in crate::predict) fn context(
    edit: &Hashed,
    level: Level,
    before: &Form<'_>,
    things: &Things,
) -> Option<u64> {
    let shape = |form: &Form<'_>| things.shape_key(form);
    let host = || join(11, before.origin.hash());
    if edit.is_literal() {
        return match level {
            // Folders are mirrored, their generated listings may not be: the kind of the last segment tells.
            Level::Names => Some(join(22, things.kind_key(before))),
            Level::Host if matches!(**edit, Edit::Origin { .. }) => Some(12),
            // Of all hosts of these numbers.
            Level::Host if matches!(**edit, Edit::HostNumber) => {
                Some(join(26, edit.after(before).origin.hash()))
            }
            Level::Host => Some(host()),
            _ => None,
        };
    }
    // What is said of some segments, or of all parameters, is said of URLs that have them alone.
    let is_of_some = matches!(
        **edit,
        Edit::AllParams
            | Edit::Head { .. }
            | Edit::Folders
            | Edit::Tail { .. }
            | Edit::Segments { .. }
            | Edit::Superfluous { .. }
            | Edit::Both { .. }
            | Edit::Piece {
                of: Whole::Segment { .. },
                ..
            }
    );
    if let Edit::Items { of, .. } = &**edit {
        return of_piece(of, false, level, before, things);
    }
    if let Edit::Piece { of, sign, cut } = &**edit {
        let leaves_number = leaves_number(of, sign, *cut, before);
        return of_piece(of, leaves_number, level, before, things);
    }
    match (&**edit, level) {
        (Edit::Params(_), Level::PathAndRest) => Some(join(13, edit.key_after(before))),
        (Edit::Params(_) | Edit::AllParams, Level::Path) => Some(join(14, before.path_key())),
        (Edit::Params(_) | Edit::AllParams, Level::Names) => {
            Some(join(15, join(shape(before), before.names_key())))
        }
        (Edit::Params(_), Level::HostNames) => {
            let is_told = is_beside_others(edit, before);
            is_told.then(|| join(33, join(host(), before.names_key())))
        }
        (Edit::Params(_) | Edit::Suffix { .. } | Edit::Extension { .. }, Level::Domain) => {
            Some(join(37, 0))
        }
        (Edit::Params(_), Level::Shape) => Some(join(16, shape(before))),
        (Edit::Head { .. }, Level::Path) => Some(join(17, edit.after(before).path_key())),
        (Edit::Head { .. }, Level::Shape) => Some(join(18, shape(&edit.after(before)))),
        // What holds in one part of the site need not in another.
        (Edit::Folders, Level::Shape) => {
            let mut in_first = before.clone();
            in_first.drop_folders_behind_first();
            Some(join(36, shape(&in_first)))
        }
        (Edit::Tail { .. }, Level::Names) => {
            let names = join(shape(&edit.after(before)), before.segments.len() as u64);
            Some(join(19, names))
        }
        (Edit::Tail { .. }, Level::Shape) => Some(join(25, shape(&edit.after(before)))),
        (Edit::Params(all), Level::WhereHeld) => {
            // Of the rest there is one URL with these values.
            let is_of_any = !all.iter().all(|it| matches!(it, Param::Value(..)));
            is_of_any.then(|| join(32, host()))
        }
        (Edit::Segments { .. }, Level::WhereHeld) => Some(join(32, host())),
        (Edit::Segments { .. }, Level::PathAndRest) => Some(join(23, edit.key_after(before))),
        (Edit::Segments { .. }, Level::Shape) => Some(join(20, shape(&edit.after(before)))),
        (Edit::Superfluous { .. }, Level::Shape) => Some(join(28, shape(&edit.after(before)))),
        (Edit::Folders, Level::Host) => Some(join(35, host())),
        // What holds for tokens says nothing of words, which may be a part of the site.
        (Edit::Head { .. } | Edit::Segments { .. } | Edit::Superfluous { .. }, Level::Host) => {
            Some(join(38 + u64::from(has_words(edit, before)), host()))
        }
        (Edit::Both { path, .. }, Level::Shape) => {
            let names = join(shape(&path.after(before)), before.names_key());
            Some(join(31, names))
        }
        (Edit::Both { path, .. }, Level::Host) if is_of_any_path(path) => {
            Some(join(34, join(host(), before.names_key())))
        }
        (_, Level::Shape) if !is_of_some => Some(join(21, shape(before))),
        (_, Level::Host) if !is_of_some => Some(host()),
        _ => None,
    }
}

/// Whether an edit of segments calls a word irrelevant here: a text without a digit.
fn has_words(edit: &Edit, before: &Form<'_>) -> bool {
    let is_word = |segment: &&Part<'_>| !segment.bytes().any(|octet| octet.is_ascii_digit());
    let segments = &before.segments;
    match edit {
        Edit::Head { drop } => segments.iter().take(*drop).any(|it| is_word(&it)),
        Edit::Superfluous { at, .. } => segments.get(*at).is_some_and(|it| is_word(&it)),
        Edit::Segments { at, .. } => {
            (at.iter().filter_map(|at| segments.get(*at))).any(|it| is_word(&it))
        }
        _ => false,
    }
}

/// Whether an edit may mean the same on paths of any shape.
const fn is_of_any_path(edit: &Edit) -> bool {
    matches!(
        edit,
        Edit::Origin { .. } | Edit::Suffix { .. } | Edit::Extension { .. }
    )
}

/// Whether other parameters stand beside what an edit calls irrelevant, on a path that may be one of many. (What a parameter by itself
/// does is another thing on each: claims about a number of revisions, a sort, a revision, wherever no other parameter is, lost up to 5 % of
/// four recorded sites.)
fn is_beside_others(edit: &Hashed, before: &Form<'_>) -> bool {
    let mut names = before.params.iter().map(|(name, _)| name.hash());
    before.segments.len() > 1 && names.any(|name| !edit.speaks_of(name))
}

/// Name of the context of a claim about pieces of this, or their order. Pieces leave a number or do not: what holds for `4711-some-title`
/// says nothing of `how-to-post`.
fn of_piece(
    of: &Whole,
    leaves_number: bool,
    level: Level,
    before: &Form<'_>,
    things: &Things,
) -> Option<u64> {
    let shape = |form: &Form<'_>| things.shape_key(form);
    let context = match (of, level) {
        (Whole::Segment { at, of }, Level::Shape) => {
            // Whatever the pieces look like.
            let any = Edit::Segments {
                at: vec![*at],
                of: *of,
            };
            let extension = crate::cut::extension(before.segments.get(*at)?);
            join(shape(&any.after(before)), hash_of(61, extension))
        }
        (_, Level::Host) => before.origin.hash(),
        (Whole::Value { .. }, Level::Path) => before.path_key(),
        (Whole::Value { .. }, Level::Names) => join(shape(before), before.names_key()),
        (Whole::Value { .. }, Level::Shape) => shape(before),
        _ => return None,
    };
    Some(join(29 + u64::from(leaves_number), context))
}

/// Whether there is a [context] of an edit on the level of names.
pub(in crate::predict) const fn has_names(edit: &Edit) -> bool {
    edit.is_literal()
        || edit.drops()
        || matches!(
            edit,
            Edit::Tail { .. }
                | Edit::Piece {
                    of: Whole::Value { .. },
                    ..
                }
                | Edit::Items {
                    of: Whole::Value { .. },
                    ..
                }
        )
}

/// What the edit calls irrelevant on this form, to be capped; 0 where it names it.
pub(in crate::predict) fn value_of(edit: &Hashed, before: &Form<'_>) -> u64 {
    let mut hash = 0;
    edit.irrelevant(before)
        .for_each(|part| hash = join(hash ^ 31, part.hash()));
    of_path(edit, before, hash)
}

/// The same of the path, behind what is known.
fn of_path(edit: &Edit, before: &Form<'_>, mut hash: u64) -> u64 {
    let add = |part: &Part<'_>| hash = join(hash ^ 31, part.hash());
    match edit {
        Edit::Both { path, .. } => return of_path(path, before, hash),
        Edit::Piece { of, sign, cut } => {
            let piece = piece(of, sign, *cut, before);
            return piece.map_or(hash, |piece| join(hash, hash_of(60, piece)));
        }
        Edit::Head { drop } => before.segments.iter().take(*drop).for_each(add),
        Edit::Folders => (before.segments.iter().take(folders(before))).for_each(add),
        Edit::Tail { keep } => before.segments.iter().skip(*keep).for_each(add),
        Edit::Superfluous { at, .. } => before.segments.get(*at).into_iter().for_each(add),
        Edit::Segments { at, .. } => {
            let segments = at.iter().filter_map(|at| before.segments.get(*at));
            segments.for_each(add);
        }
        _ => {}
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::Cut;

    #[test]
    fn what_is_called_irrelevant_tells_urls_apart_and_nothing_else_does() {
        let of = |edit: &Edit, url: &str| value_of(&edit.clone().into(), &Form::parse(url));
        let params = Edit::Params(vec![Param::Any("s".into()), Param::Any("t".into())]);
        let segments = Edit::Segments { at: vec![0], of: 2 };
        for (edit, one, alike, other) in [
            (
                &params,
                "/a?s=1&t=2&x=3",
                "/b?s=1&t=2&x=4",
                "/a?s=1&t=3&x=3",
            ),
            (&segments, "/en/a", "/en/b?x=1", "/fr/a"),
            (&Edit::Head { drop: 1 }, "/en/a", "/en/b?x=1", "/fr/a"),
            (&Edit::Tail { keep: 1 }, "/a/x", "/b/x", "/a/y"),
        ] {
            let [one, alike, other] =
                [one, alike, other].map(|u| of(edit, &format!("http://e.org{u}")));
            assert_eq!(one, alike);
            assert_ne!(one, other);
        }
        assert_eq!(of(&Edit::Case, "http://e.org/a"), 0);
    }

    #[test]
    fn a_claim_about_pieces_speaks_of_one_host_one_extension_and_of_numbers_or_words() {
        let behind_first = |of: Whole| Edit::Piece {
            of,
            sign: "-".into(),
            cut: Cut::BehindFirst,
        };
        let of = |edit: &Edit, level, url: &str| {
            context(
                &edit.clone().into(),
                level,
                &Form::parse(&format!("http://{url}")),
                &Things::default(),
            )
        };
        let name = behind_first(Whole::Segment { at: 1, of: 2 });
        let shape = |url| of(&name, Level::Shape, url).expect("pieces of names have shapes");
        assert_eq!(
            shape("e.org/a/17-one.html"),
            shape("e.org/a/4-two-three.html")
        );
        assert_ne!(shape("e.org/a/17-one.html"), shape("e.org/a/17-one.pdf"));
        assert_ne!(shape("e.org/a/17-one.html"), shape("e.org/a/17-one"));
        assert_ne!(shape("e.org/a/17-one"), shape("e.org/a/how-to-post"));
        assert_eq!(of(&name, Level::Names, "e.org/a/17-one"), None);
        let host = |url| of(&name, Level::Host, url);
        assert_eq!(host("e.org/a/17-one"), host("e.org/b/4-two.pdf"));
        assert_ne!(host("e.org/a/17-one"), host("m.e.org/a/17-one"));
        let value = behind_first(Whole::Value { name: "id".into() });
        for level in [Level::Path, Level::Names, Level::Shape, Level::Host] {
            let [one, alike, words] = ["17:one", "4:two", "how:to"].map(|id| {
                of(
                    &value,
                    level,
                    &format!("e.org/a?id={}", id.replace(':', "-")),
                )
            });
            assert!(one.is_some() && one == alike && one != words, "{level:?}");
        }
        let path = |url| of(&value, Level::Path, url);
        assert_ne!(path("e.org/a?id=1-x"), path("e.org/b?id=1-x"));
    }
}
