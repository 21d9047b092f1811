//! The earlier pages that a newcomer is compared with, and the edits tried by that.
//!
//! It is compared with the page that the beliefs take it for a copy of, with earlier aliases of it, and with the page
//! that each edit on trial says it equals; if that comparison is undecided, with a later one.

use super::{Learned, Site, canonical::whole, learn::Arrival, pair::Pair};
use crate::{
    predict::form::{Edit, Form},
    sign::{ClusterId, Sameness},
};

impl Site {
    /// What active beliefs said of a page, which they take for a copy of `rep`.
    pub(super) fn audit(
        &mut self,
        new: &mut Arrival<'_>,
        mut rep: u32,
        applied: &[u64],
        learned: &mut Learned,
    ) {
        let Some((mut rep_url, mut cluster)) = self.page(rep) else {
            return;
        };
        let form = new.reduced.key();
        let mut verdict = new.compare(cluster, &mut self.clusters, &self.book);
        let mut edits = self.edits_between(&new.form, &new.reduced, rep, applied);
        if verdict == Sameness::Unknown {
            let later = edits.iter();
            let later = later.filter_map(|edit| self.compare_later(new, rep, (form, *edit)));
            let later: Vec<_> = later.collect();
            let differs = |(_, _, verdict): &&(_, _, Sameness)| *verdict == Sameness::Different;
            // What speaks against them is heard first.
            let later = later.iter().find(differs).or_else(|| later.first());
            if let Some((page, content, again)) = later
                && let Some((url, _)) = self.page(*page)
            {
                (rep, rep_url, cluster, verdict) = (*page, url, *content, *again);
                edits = self.edits_between(&new.form, &new.reduced, rep, applied);
            }
        }
        let rep_form = self.form(&rep_url);
        new.is_same_as(cluster, verdict, false);
        let confirmed = self.is_canonical(new.canonical, rep);
        let mut told = verdict;
        for edit in edits {
            if new.tried.contains(&edit) {
                continue;
            }
            let Some(verdict) = self.verdict_on(edit, new, (cluster, verdict), form, learned)
            else {
                // What comes instead of a page does not stand for it.
                new.succeeds |= self.is_wall(edit, cluster);
                told = Sameness::Unknown;
                continue;
            };
            let pair = new.beside(rep, confirmed);
            let forms = (&new.form, &rep_form);
            self.trial_either(edit, forms, verdict, pair, learned);
            let pages = self.clusters.pages(cluster);
            new.note_told(verdict, pages, &self.edits[edit as usize]);
            new.tried.push(edit);
        }
        if new.probed.is_some() {
            learned.found(told);
        }
    }

    /// The active edits that lead from a form to a canonical one.
    pub(super) fn find_agreeing(&self, before: &Form<'_>, canonical: u64, edits: &mut Vec<u32>) {
        for number in self.active.in_order(before) {
            let edit = &self.edits[number as usize].edit;
            if edit.effect(before).is_none() {
                continue;
            }
            if edit.key_after(before) == canonical
                || self.canonical_key(&edit.after(before)) == canonical
            {
                edits.push(number);
            }
        }
    }

    /// What two contents being the same or not says of an edit, which makes this form of both; none where one of them came instead of a
    /// page. That pages at two places say the same, and little but where they are, does not say that one place is an alias of the other.
    fn verdict_on(
        &mut self,
        edit: u32,
        new: &mut Arrival<'_>,
        (cluster, verdict): (ClusterId, Sameness),
        form: u64,
        learned: &mut Learned,
    ) -> Option<Sameness> {
        let own = match verdict {
            Sameness::Different => new.content(&mut self.clusters, &self.book),
            _ => None,
        };
        let shown = (verdict, self.of_many(own), Some(cluster));
        let is_of_wall = self.meets_wall(edit, form, shown, learned);
        let is_alike = verdict == Sameness::Same
            && self.edits[edit as usize].edit.moves_pages()
            && self.clusters.differs_in_address(&new.page, cluster);
        let told = if is_alike { Sameness::Unknown } else { verdict };
        (!is_of_wall).then_some(told)
    }

    /// Aliases of a page may have come before it.
    pub(super) fn hear_aliases(&mut self, new: &mut Arrival<'_>, learned: &mut Learned) {
        let key = new.reduced.key();
        let tried = new.tried.clone();
        for (edit, rep) in self.aliases_of(&new.reduced, key) {
            if new.own == Some(rep) || tried.contains(&edit) {
                continue;
            }
            let Some((rep_url, cluster)) = self.page(rep) else {
                continue;
            };
            let verdict = new.compare(cluster, &mut self.clusters, &self.book);
            let Some(told) = self.verdict_on(edit, new, (cluster, verdict), key, learned) else {
                continue;
            };
            let rep_form = self.form(&rep_url);
            // What came before may be known by an alias of an alias.
            let between = self.edits[edit as usize].edit.undo(&new.reduced);
            let other = between.as_ref().unwrap_or(&new.form);
            let pages = (rep, new.number);
            let pair = Pair {
                pages,
                ..new.beside(rep, false)
            };
            let doubted = self.trial_either(edit, (&rep_form, other), told, pair, learned);
            let pages = self.clusters.pages(cluster);
            new.note_told(told, pages, &self.edits[edit as usize]);
            new.tried.push(edit);
            new.is_same_as(
                cluster,
                verdict,
                doubted || self.edits[edit as usize].is_vague(),
            );
        }
    }

    /// The edits that would reduce a page to this form, each with a page.
    fn aliases_of(&self, form: &Form<'_>, key: u64) -> Vec<(u32, u32)> {
        let is_awake = |edit: u32| {
            let on_trial = self.edits.get(edit as usize);
            on_trial.is_some_and(|on_trial| !on_trial.is_asleep())
        };
        let mut url = String::new();
        let mut found: Vec<(u32, u32)> = (self.firsts.under(key))
            .filter(|(edit, page)| is_awake(*edit) && self.is_filed(*page, key, *edit, &mut url))
            .collect();
        for edit in (self.results.of(form).into_iter()).filter(|edit| is_awake(*edit)) {
            if let Some(rep) = self.undone(&self.edits[edit as usize].edit, form) {
                found.push((edit, rep));
            }
        }
        found.sort_unstable();
        found
    }

    /// The page that an edit, as it shows when it is undone, would reduce to this form.
    fn undone(&self, edit: &Edit, form: &Form<'_>) -> Option<u32> {
        let alias = edit.undo(form).filter(|alias| alias != form)?;
        let mut back = alias.clone();
        (edit.apply(&mut back) && back == *form)
            .then(|| self.standing(&alias, false))
            .flatten()
            .map(|(page, _)| page)
    }

    /// What edits on trial say.
    pub(super) fn try_edits(&mut self, new: &mut Arrival<'_>, learned: &mut Learned) {
        let probed = (new.probed)
            .and_then(|id| self.beliefs.get(*self.ids.get(&id)?))
            .map(|belief| belief.edit());
        let is_open = self.is_open(&new.reduced);
        let mut url = String::new();
        for edit in self.index.in_order(&new.form) {
            let on_trial = &self.edits[edit as usize];
            let is_wanted = probed == Some(edit) || self.parts_of_active.contains(&edit);
            if on_trial.is_given_up() && !is_wanted {
                continue;
            }
            let name = &on_trial.edit;
            let effect = name.effect(&new.reduced).filter(|effect| effect.is_other);
            let Some(effect) = effect else { continue };
            let mut key = name.key_after(&new.reduced);
            let mut stands = self.stands(key);
            let is_awake = !on_trial.is_asleep();
            // What comes instead of pages stands for none.
            let mut rep = (stands.filter(|page| !self.is_wall_of(edit, *page)))
                .or_else(|| self.first_filed(key, edit, &mut url))
                .or(stands);
            if is_open && rep.is_none() && is_awake {
                // What is not believed of these names of parameters may be of those that the edit leaves.
                key = self.canonical_key(&name.after(&new.reduced));
                stands = self.stands(key);
                rep = stands.or_else(|| self.first_filed(key, edit, &mut url));
            }
            let Some(mut rep) = rep else {
                if is_awake && !on_trial.edit.is_reversible() {
                    new.to_index.push((key, edit));
                }
                continue;
            };
            if new.tried.contains(&edit) || new.own == Some(rep) {
                continue;
            }
            let Some(mut cluster) = self.pages.cluster(rep) else {
                continue;
            };
            let mut verdict = new.compare(cluster, &mut self.clusters, &self.book);
            if verdict == Sameness::Unknown {
                if let Some(later) = self.compare_later(new, rep, (key, edit)) {
                    (rep, cluster, verdict) = later;
                } else {
                    new.to_succeed.push((key, edit));
                }
            }
            let told = self.verdict_on(edit, new, (cluster, verdict), key, learned);
            if probed == Some(edit) && learned.was_duplicate.is_none() {
                // The belief fell while the probe was under way: the probe counts all the same.
                learned.found(told.map_or(Sameness::Unknown, |_| verdict));
            }
            let Some(told) = told else {
                if self.is_wall(edit, cluster) {
                    // The next one is compared with this.
                    new.to_index.push((key, edit));
                }
                continue;
            };
            let confirmed = self.is_canonical(new.canonical, rep);
            let pair = new.beside(rep, confirmed);
            let name = &self.edits[edit as usize].edit;
            let before = whole(name, effect, &new.form, &new.reduced);
            let doubted = self.trial(edit, before, told, pair, learned);
            let pages = self.clusters.pages(cluster);
            new.note_told(told, pages, &self.edits[edit as usize]);
            new.tried.push(edit);
            new.is_same_as(
                cluster,
                verdict,
                doubted || self.edits[edit as usize].is_vague(),
            );
        }
    }

    /// The first page that an edit reduces to this form, of those that are remembered for it.
    fn first_filed(&self, key: u64, edit: u32, url: &mut String) -> Option<u32> {
        let first = self.firsts.first(key, edit)?;
        self.is_filed(first, key, edit, url).then_some(first)
    }

    /// What a page is beside one that came after that which stands for both, and the content of that: the one that stands may be of
    /// another time, or have other buttons than all that an edit makes of it, so that nobody can tell. `None` where there is no such
    /// page, or nobody can tell of it either.
    fn compare_later(
        &mut self,
        new: &mut Arrival<'_>,
        stands: u32,
        (key, edit): (u64, u32),
    ) -> Option<(u32, ClusterId, Sameness)> {
        let later = self.first_filed(key, edit, &mut String::new())?;
        if later <= stands || new.own == Some(later) {
            return None;
        }
        let content = self.pages.cluster(later)?;
        let verdict = new.compare(content, &mut self.clusters, &self.book);
        (verdict != Sameness::Unknown).then_some((later, content, verdict))
    }

    fn is_canonical(&self, canonical: Option<&str>, page: u32) -> bool {
        canonical.is_some_and(|canonical| self.pages.is(page, canonical))
    }
}
