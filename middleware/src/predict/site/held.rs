//! Claims that an edit that was right about two pages is right about the next.
//!
//! Some parameters matter for some URLs and not for others, with nothing in their names to tell which. The page number of a list is
//! irrelevant if the list has one page, its order if it has one entry, the page to come back to if no form asks for it. Each rest of a
//! URL (its path, and its other parameters with their values) would have to prove this for itself. But if two pages were right, all
//! others often are. That is a claim of its own, about the whole host: it is tried on the third and later trials of each rest, and
//! acted upon for rests that had two and no failure.

use std::borrow::Cow;

use super::{
    Applied, Learned, Site,
    kind::{PLAIN, namespaces_of, one_of_kind},
    pair::Pair,
};
use crate::predict::{
    belief::{Belief, Level, Scrutiny, State},
    form::Form,
};

/// Copies that a rest must have had. With one, a list whose first two pages are one by chance would hide all that follow.
const COPIES: u32 = 2;

impl Site {
    /// Name of the context of an edit on one URL; `None` where the level means nothing there.
    pub(super) fn context(&self, edit: u32, level: Level, before: &Form<'_>) -> Option<u64> {
        let name = &self.edits[edit as usize].edit;
        let context = self.selectors.context(name, level, before)?;
        (level != Level::WhereHeld || self.has_held(edit, before)).then_some(context)
    }

    /// The same for a trial on two pages.
    pub(super) fn context_on_trial(
        &self,
        edit: u32,
        level: Level,
        before: &Form<'_>,
        pair: &Pair<'_, '_>,
    ) -> Option<u64> {
        let context = self.context(edit, level, before)?;
        (level != Level::WhereHeld || self.is_of_one_namespace(edit, pair.newer, pair.older))
            .then_some(context)
    }

    /// Whether an edit was right about two pages with this rest, and wrong about none.
    fn has_held(&self, edit: u32, before: &Form<'_>) -> bool {
        let name = &self.edits[edit as usize].edit;
        let rest = || (self.selectors).context(name, Level::PathAndRest, before);
        let of_rest = self.beliefs.at(edit, Level::PathAndRest, rest);
        of_rest.is_some_and(|(_, belief)| {
            belief.seen() >= COPIES && !belief.has_failed() && !belief.is_mute(Scrutiny::of(name))
        })
    }

    /// The belief that an edit is right wherever it was twice, if that is acted upon and this is such a place.
    pub(super) fn decide_where_held(&self, edit: u32, before: &Form<'_>) -> Option<u64> {
        let level = Level::WhereHeld;
        let (key, belief) = (self.beliefs).at(edit, level, || self.context(edit, level, before))?;
        let name = &self.edits[edit as usize].edit;
        let kind = |way| one_of_kind(way, name, level, before, &self.selectors);
        (belief.state == State::Active
            && !belief.is_mute(Scrutiny::of(name))
            && self.kinds.strange_way(key, kind).is_none())
        .then_some(key)
    }

    /// Has an edit prove anew that it is right wherever it was twice, as another belief in it has fallen that spoke of many URLs: a site that has
    /// changed is another one than that which it was right about, and it would be told so by one explored link in twenty.
    pub(super) fn doubt_where_held(&mut self, edit: u32, before: &Form<'_>, learned: &mut Learned) {
        let level = Level::WhereHeld;
        let name = &self.edits[edit as usize].edit;
        let context = || self.selectors.context(name, level, before);
        if let Some((key, _)) = self.beliefs.at(edit, level, context) {
            self.begin_anew(key, learned);
        }
    }

    /// Whether a belief is of places where it was right before.
    pub(super) fn is_where_held(&self, key: u64) -> bool {
        self.where_held_among(&[key]).next().is_some()
    }

    /// Those of these beliefs that are of places where they were right before.
    fn where_held_among(&self, keys: &[u64]) -> impl Iterator<Item = Cow<'_, Belief>> {
        let beliefs = keys.iter().filter_map(|key| self.beliefs.get(*key));
        beliefs.filter(|belief| belief.level == Level::WhereHeld)
    }

    /// Whether what an edit calls irrelevant is of one namespace on a URL and on that of the page which stands for it: the page of
    /// `guide:a` says nothing of that of `wiki:b`. What is not there has none.
    fn is_of_one_namespace(&self, edit: u32, before: &Form<'_>, page: u32) -> bool {
        let name = &self.edits[edit as usize].edit;
        let of = |form: &Form<'_>| namespaces_of(name, form).max(PLAIN);
        let url = self.pages.url(page);
        url.is_some_and(|url| of(before) == of(&self.form(&url)))
    }

    /// Whether a belief that is of places where it was right before says nothing of this URL: it reduced the URL (`applied`), and what it
    /// calls irrelevant there is of another namespace than on the page; or the page (`also`), and there is nothing of that on
    /// the URL. That all orders of a list are one page says little of the list without any.
    pub(super) fn says_nothing_where_held(
        &self,
        (applied, also): (&Applied, &Applied),
        form: &Form<'_>,
        page: u32,
    ) -> bool {
        let is_of_other = |belief: &Belief| !self.is_of_one_namespace(belief.edit(), form, page);
        let is_plain = |belief: &Belief| !self.edits[belief.edit() as usize].edit.changes(form);
        (self
            .where_held_among(applied)
            .any(|belief| is_of_other(&belief)))
            || self.where_held_among(also).any(|belief| is_plain(&belief))
    }
}
