//! Two pages that are compared, and how plainly their URLs show what an edit says.

use super::pages::Pages;
use crate::predict::{
    belief::Belief,
    form::{Form, Hashed},
};

/// The page that an edit is tried on, and the one that it is compared with.
#[derive(Clone, Copy)]
pub(super) struct Pair<'f, 'u> {
    /// Their numbers, that of the copy first.
    pub(super) pages: (u32, u32),
    /// The URL of the newer one, which has a number but is not known by it yet.
    pub(super) newer: &'f Form<'u>,
    /// The number of the older one.
    pub(super) older: u32,
    /// Whether one of them names the other as its canonical.
    pub(super) confirmed: bool,
}

impl Pair<'_, '_> {
    /// Notes a success of an edit on them.
    pub(super) fn note_success(&self, belief: &mut Belief, edit: &Hashed, pages: &Pages) {
        let clarity = || self.ask(pages, |one, other| Clarity::of(edit, one, other));
        let is_plain = || clarity() == Some(Clarity::Alone);
        belief.note_success(self.confirmed, self.pages, is_plain);
        let are_changed =
            |one: &Form<'_>, other: &Form<'_>| edit.changes(one) && edit.changes(other);
        if edit.is_of_optional_piece() && self.ask(pages, are_changed) == Some(true) {
            belief.note_success_of_two();
        }
    }

    /// Asks something of their URLs; `None` where the older one is not known any more.
    fn ask<T>(&self, pages: &Pages, what: impl FnOnce(&Form<'_>, &Form<'_>) -> T) -> Option<T> {
        let older = pages.url(self.older)?;
        Some(what(self.newer, &self.newer.parse_alike(&older)))
    }
}

/// What the URLs of a pair of pages show of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Clarity {
    /// They differ elsewhere.
    Hardly,
    /// They differ in what it says, and elsewhere, too.
    AmidOthers,
    /// They differ in nothing else.
    Alone,
}

impl Clarity {
    /// That of two URLs.
    pub(super) fn of(edit: &Hashed, one: &Form<'_>, other: &Form<'_>) -> Self {
        if edit.key_after(one) == edit.key_after(other) {
            Self::Alone
        } else if edit.changes(one) != edit.changes(other) {
            Self::AmidOthers
        } else {
            Self::Hardly
        }
    }
}
