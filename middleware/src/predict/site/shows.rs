//! What a comparison of two pages shows about an edit.
//!
//! It shows nothing if their URLs agree in what the edit is about: something else made the pages equal or different. What an
//! edit makes of a URL also finds pages that are copies by another parameter, and the same URL in another spelling.

use super::{Site, pair::Pair};
use crate::predict::{
    belief::value_of,
    form::{
        Edit, Form, Hashed, Part, Present, differ_in_escapes, differ_in_items, differ_in_order,
        folders,
    },
    nominate::distance,
};

/// What the URLs of two pages show of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    /// Nothing.
    Nothing,
    /// Of a set of parameters, that these do not matter; of other edits, all that they say.
    Of(Present),
}

impl Site {
    /// What a pair of pages shows of an edit that makes one URL of theirs; `success`: whether they are one.
    pub(super) fn shows(&self, number: u32, pair: &Pair<'_, '_>, success: bool) -> Shows {
        let edit = &self.edits[number as usize].edit;
        let Some(older) = self.pages.url(pair.older) else {
            // It is not known any more.
            return Shows::Of(edit.present(pair.newer));
        };
        let older = self.form(&older);
        if self.parts_of_active.contains(&number) && self.leans_on_set(edit, pair.newer, &older) {
            return Shows::Nothing;
        }
        match shown_of(edit, pair.newer, &older, success) {
            // One of them may be known by an alias of what it speaks of.
            Shows::Nothing => shown_of(
                edit,
                &self.canonical(pair.newer).0,
                &self.canonical(&older).0,
                success,
            ),
            shown @ Shows::Of(_) => shown,
        }
    }
}

impl Site {
    /// Whether what two URLs differ in beside what an edit of parameters speaks of is left out on the word of a claim about a set
    /// that has these parameters, too: where a place and its date go together, none of both is shown not to matter alone.
    fn leans_on_set(&self, edit: &Hashed, one: &Form<'_>, other: &Form<'_>) -> bool {
        if edit.key_after(one) == edit.key_after(other) {
            return false;
        }
        let leans = |form: &Form<'_>| {
            let (_, applied) = self.canonical(&edit.after(form));
            applied.iter().any(|key| {
                let belief = self.beliefs.get(*key);
                belief.is_some_and(|belief| {
                    (self.edits[belief.edit() as usize].edit.part(edit)).is_some()
                })
            })
        };
        leans(one) || leans(other)
    }
}

fn shown_of(edit: &Hashed, one: &Form<'_>, other: &Form<'_>, success: bool) -> Shows {
    // That one of several segments matters is shown by pages that have another one, whatever the rest is.
    // (Of what is behind others, pages show so much that what fails in one section would be given up in all.)
    let is_shown = !success && !matches!(**edit, Edit::Tail { .. });
    if agree(edit, one, other) || (!is_shown && share_one(edit, one, other)) {
        return Shows::Nothing;
    }
    Shows::Of(edit.differing(one, other))
}

/// Whether two forms are alike in what an edit speaks of.
fn agree(edit: &Hashed, one: &Form<'_>, other: &Form<'_>) -> bool {
    match &**edit {
        // They are found by more than forms, and asked of both URLs.
        Edit::Referrer | Edit::LeadsBack => false,
        Edit::Escapes => !differ_in_escapes(one, other),
        Edit::Spelling => !differ_in_escapes(one, other) || !differ_in_order(one, other),
        Edit::Order => !differ_in_order(one, other),
        Edit::Items { of, sign } => !differ_in_items(of, sign, one, other),
        Edit::AllParams => {
            let all = |form: &Form<'_>| -> Vec<(u64, u64)> {
                let params = form.params.iter();
                params
                    .map(|(name, value)| (name.hash(), value.hash()))
                    .collect()
            };
            all(one) == all(other)
        }
        Edit::Params(_)
        | Edit::Piece { .. }
        | Edit::Superfluous { .. }
        | Edit::Folders
        | Edit::Head { .. }
        | Edit::Tail { .. }
        | Edit::Segments { .. }
        | Edit::Both { .. } => agree_in_values(edit, one, other),
        Edit::Origin { .. }
        | Edit::HostNumber
        | Edit::Prefix { .. }
        | Edit::Case
        | Edit::QueryCase
        | Edit::Suffix { .. }
        | Edit::Extension { .. }
        | Edit::Move { .. }
        | Edit::Reshape { .. }
        | Edit::Titled { .. }
        | Edit::Repeated { .. } => {
            edit.changes(one) == edit.changes(other)
                && distance(one, other) == distance(&edit.after(one), &edit.after(other))
        }
    }
}

/// Whether what does not matter is the same on both, and there on both or neither.
fn agree_in_values(edit: &Hashed, one: &Form<'_>, other: &Form<'_>) -> bool {
    edit.effect(one).is_some() == edit.effect(other).is_some()
        && value_of(edit, one) == value_of(edit, other)
        && edit.present(one) == edit.present(other)
}

/// Whether one of several segments that do not matter is the same on both, so that nothing is shown of it.
fn share_one(edit: &Edit, one: &Form<'_>, other: &Form<'_>) -> bool {
    if let Edit::Both { path, .. } = edit {
        return share_one(path, one, other);
    }
    let segments = |form: &'_ Form<'_>| -> Vec<u64> {
        let hash = |segment: &Part<'_>| segment.hash();
        match edit {
            Edit::Head { drop } => form.segments.iter().take(*drop).map(hash).collect(),
            // Where both lie in one part of the site, nothing is shown of others.
            Edit::Folders => (form.segments.iter().take(folders(form).min(1)))
                .map(hash)
                .collect(),
            Edit::Tail { keep } => form.segments.iter().skip(*keep).map(hash).collect(),
            Edit::Segments { at, .. } => {
                let named = at.iter().filter_map(|at| form.segments.get(*at));
                named.map(hash).collect()
            }
            _ => Vec::new(),
        }
    };
    let (of_one, of_other) = (segments(one), segments(other));
    of_one
        .iter()
        .zip(&of_other)
        .any(|(one, other)| one == other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::form::Param;

    fn shown(edit: &Edit, one: &str, other: &str) -> Shows {
        shown_by(edit, one, other, true)
    }

    fn shown_by(edit: &Edit, one: &str, other: &str, success: bool) -> Shows {
        let (one, other) = (Form::parse(one), Form::parse(other));
        shown_of(&edit.clone().into(), &one, &other, success)
    }

    #[test]
    fn that_one_of_several_segments_matters_is_shown_whatever_the_others_are() {
        let (one, other) = ("http://e.org/kim/album/1", "http://e.org/ada/album/1");
        for edit in [
            Edit::Head { drop: 2 },
            Edit::Segments {
                at: vec![0, 1],
                of: 3,
            },
        ] {
            assert_eq!(shown(&edit, one, other), Shows::Nothing, "{edit}");
            let failed = shown_by(&edit, one, other, false);
            assert_ne!(failed, Shows::Nothing, "{edit}");
            assert_eq!(shown_by(&edit, one, one, false), Shows::Nothing, "{edit}");
        }
    }

    #[test]
    fn urls_that_agree_in_what_an_edit_says_show_nothing_of_it() {
        let params = Edit::Params(vec![Param::Any("a".into())]);
        let tail = Edit::Tail { keep: 1 };
        for (edit, one, other, differs) in [
            (&params, "/?a=1&s=1", "/?a=1&s=2", false),
            (&params, "/?a=1&s=1", "/?a=2&s=1", true),
            (&params, "/?a=1", "/", true),
            (&params, "/?a", "/?a=", false),
            (&Edit::AllParams, "/?a=1;b=2", "/?a=1&b=2", false),
            (&Edit::AllParams, "/?a=1", "/?a=2", true),
            (&Edit::Case, "/Pa/1?s=1", "/Pa/1?s=2", false),
            (&Edit::Case, "/Pa/1", "/pa/1", true),
            (&Edit::Order, "/?a=1&b=2&s=1", "/?a=1&b=2&s=2", false),
            (&Edit::Order, "/?a=1&b=2", "/?b=2&a=1", true),
            (&tail, "/x/en/1", "/x/en/2", false),
            (&tail, "/x/en/1", "/x/de/2", true),
            (&tail, "/x/en/1", "/x", true),
        ] {
            let urls = [one, other].map(|url| format!("http://e.org{url}"));
            let seen = shown(edit, &urls[0], &urls[1]);
            assert_eq!(seen != Shows::Nothing, differs, "{edit}: {one} {other}");
        }
    }

    #[test]
    fn of_a_set_those_are_shown_that_differ() {
        let set = Edit::Params(["a", "b"].map(|name| Param::Any(name.into())).into());
        let of = |one: &str, other: &str| {
            shown(
                &set,
                &format!("http://e.org/?{one}"),
                &format!("http://e.org/?{other}"),
            )
        };
        assert_eq!(of("a=1&b=1", "a=1&b=2"), Shows::Of(0b10));
        assert_eq!(of("a=1&b=1", "b=1"), Shows::Of(0b01));
        assert_eq!(of("a=1&b=1", "a=2&b=2"), Shows::Of(0b11));
        assert_eq!(of("a=1&b=1", "a=1&b=1&c=2"), Shows::Nothing);
    }
}
