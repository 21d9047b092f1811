//! What does a page that was fetched teach?

use nodust_frontier::BeliefId;
use rustc_hash::FxHashMap;

use super::{Learned, Site, canonical::whole};
use crate::{
    predict::{
        belief::Belief,
        form::{Edit, Form, hash_of},
        yields::shape_of,
    },
    sign::{ChromeBook, ClusterId, Newcomer, PageText, Sameness},
};

/// A page that is being learned from.
struct Arrival<'a> {
    /// The number that it will have.
    number: u32,
    form: Form<'a>,
    /// Its form under what is believed.
    reduced: Form<'a>,
    page: Newcomer<'a>,
    compared: FxHashMap<ClusterId, Sameness>,
    /// The content that it turned out to have.
    same_as: Option<ClusterId>,
    /// Whether an edit that nobody doubts says why.
    explained: bool,
    /// Edits that had their trial: a page is one trial of an edit, however many pages it could be compared
    /// with.
    tried: Vec<u32>,
    canonical: Option<&'a str>,
    /// The belief that would have dropped it.
    probed: Option<BeliefId>,
    /// What edits make of it, where no page was found under it.
    to_index: Vec<(u64, u32)>,
    /// Forms that edits make of it under which the page that was filed could not be told from it.
    to_succeed: Vec<(u64, u32)>,
}

impl Arrival<'_> {
    fn compare(
        &mut self,
        cluster: ClusterId,
        clusters: &mut crate::sign::Clusters,
        book: &ChromeBook,
    ) -> Sameness {
        let page = &mut self.page;
        *(self.compared.entry(cluster)).or_insert_with(|| clusters.compare(page, cluster, book))
    }

    fn is_same_as(&mut self, cluster: ClusterId, verdict: Sameness, doubted: bool) {
        if verdict == Sameness::Same {
            self.same_as = self.same_as.or(Some(cluster));
            self.explained |= !doubted;
        }
    }
}

impl Site {
    pub(super) fn learn(
        &mut self,
        url: &str,
        text: &PageText,
        canonical: Option<&str>,
        probed: Option<BeliefId>,
        learned: &mut Learned,
    ) {
        let form = Form::parse(url);
        let (reduced, applied) = self.canonical(&form);
        let reduced = reduced.into_owned();
        let mut new = Arrival {
            number: self.pages.len() as u32,
            form,
            reduced,
            page: Newcomer::new(text, &self.book),
            compared: FxHashMap::default(),
            same_as: None,
            explained: false,
            tried: Vec::new(),
            canonical,
            probed,
            to_index: Vec::new(),
            to_succeed: Vec::new(),
        };
        let reduced_key = new.reduced.key();
        let shape = shape_of(&new.form);
        let stands = self.standing(&new.reduced).map(|(page, _)| page);
        match stands {
            Some(page) if !self.pages.is(page, url) => {
                self.audit(&mut new, page, &applied, learned);
            }
            Some(_) => {}
            None => self.hear_aliases(&mut new, learned),
        }
        self.try_edits(&mut new, learned);
        // Which content is it?
        let cluster = (new.same_as).or_else(|| self.clusters.find(&mut new.page, &self.book));
        let is_fresh = cluster.is_none() && new.page.current().kept() > 0;
        // Contents met since the site was full are not remembered: this may be a copy of one of them.
        let is_unknown = is_fresh && self.is_full();
        if probed.is_some()
            && learned.was_duplicate.is_none()
            && !learned.is_undecided
            && !is_unknown
        {
            // What it was to be a copy of is not known any more: the belief fell meanwhile, or was a budget.
            learned.was_duplicate = Some(!is_fresh);
        }
        let cluster = if self.is_full() {
            // Beliefs are still watched and budgets counted; nothing grows.
            cluster
        } else {
            let has_ceased = self.selectors.note(&new.form);
            let cluster = self.file(url, text, new, cluster, reduced_key, stands.is_none());
            if has_ceased && self.beliefs.is_any_of_action() {
                // What stands on a claim about an action that is none, or on a wider one but for its actions, is judged
                // anew.
                self.generation += 1;
                self.stale = true;
                learned.has_fallen = true;
            }
            Some(cluster)
        };
        // What nobody can tell any more may be new: that must not look like a drought.
        let known = cluster.filter(|_| !is_unknown);
        self.count_yield(shape, known, is_fresh, learned);
        self.since_settled += 1;
        self.settle(learned);
        if let Some(sources) = self.redirects.remove(&hash_of(40, url)) {
            let last = (self.pages.len() as u32).checked_sub(1);
            let is_last = last.is_some_and(|last| self.pages.is(last, url));
            for source in sources {
                self.redirect_bytes = self.redirect_bytes.saturating_sub(source.len());
                if is_last {
                    self.learn_redirect(&source, self.pages.len() as u32 - 1, learned);
                }
            }
        }
        self.shake(learned);
        self.file_anew();
    }

    /// URL and content of a page.
    pub(super) fn page(&self, page: u32) -> Option<(String, ClusterId)> {
        Some((
            self.pages.url(page)?.into_owned(),
            self.pages.cluster(page)?,
        ))
    }

    /// What active beliefs said of a page, which they take for a copy of `rep`.
    fn audit(&mut self, new: &mut Arrival<'_>, rep: u32, applied: &[u64], learned: &mut Learned) {
        let Some((rep_url, cluster)) = self.page(rep) else {
            return;
        };
        let rep_form = Form::parse(&rep_url);
        let reduced_key = new.reduced.key();
        let verdict = new.compare(cluster, &mut self.clusters, &self.book);
        new.is_same_as(cluster, verdict, false);
        if new.probed.is_some() {
            learned.found(verdict);
        }
        let mut edits: Vec<u32> = applied
            .iter()
            .chain(&self.canonical(&rep_form).1)
            .filter_map(|key| self.beliefs.get(*key))
            .map(Belief::edit)
            .collect();
        // Others that would have said the same must hear of it, or they would take over.
        self.find_agreeing(&new.form, reduced_key, &mut edits);
        self.find_agreeing(&rep_form, reduced_key, &mut edits);
        edits.sort_unstable();
        edits.dedup();
        let confirmed = self.is_canonical(new.canonical, rep);
        for edit in edits {
            let pages = (new.number, rep);
            let forms = (&new.form, &rep_form);
            let verdict = self.verdict_on(edit, new, cluster, verdict);
            self.trial_either(edit, forms, verdict, confirmed, pages, learned);
            new.tried.push(edit);
        }
    }

    /// The active edits that lead from a form to a canonical one.
    fn find_agreeing(&self, before: &Form<'_>, canonical: u64, edits: &mut Vec<u32>) {
        for number in self.active.in_order(before) {
            let edit = &self.edits[number as usize].edit;
            if edit.effect(before).is_none() {
                continue;
            }
            if edit.key_after(before) == canonical
                || self.canonical(&edit.after(before)).0.key() == canonical
            {
                edits.push(number);
            }
        }
    }

    /// What two contents being the same or not says of an edit. That pages at two places say the same, and
    /// little but where they are, does not say that one place is an alias of the other.
    fn verdict_on(
        &self,
        edit: u32,
        new: &Arrival<'_>,
        cluster: ClusterId,
        verdict: Sameness,
    ) -> Sameness {
        let is_alike = verdict == Sameness::Same
            && self.edits[edit as usize].edit.moves_pages()
            && self.clusters.differs_in_address(&new.page, cluster);
        if is_alike { Sameness::Unknown } else { verdict }
    }

    /// Aliases of a page may have come before it.
    fn hear_aliases(&mut self, new: &mut Arrival<'_>, learned: &mut Learned) {
        let key = new.reduced.key();
        for (edit, rep) in self.aliases_of(&new.reduced, key) {
            let Some((rep_url, cluster)) = self.page(rep) else {
                continue;
            };
            let verdict = new.compare(cluster, &mut self.clusters, &self.book);
            let rep_form = Form::parse(&rep_url);
            // What came before may be known by an alias of an alias.
            let between = self.edits[edit as usize].edit.undo(&new.reduced);
            let other = between.as_ref().unwrap_or(&new.form);
            let (pages, forms) = ((rep, new.number), (&rep_form, other));
            let told = self.verdict_on(edit, new, cluster, verdict);
            let doubted = self.trial_either(edit, forms, told, false, pages, learned);
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
        let mut found: Vec<(u32, u32)> = (self.firsts.under(key))
            .filter(|(edit, _)| is_awake(*edit))
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
            .then(|| self.standing(&alias))
            .flatten()
            .map(|(page, _)| page)
    }

    /// What edits on trial say.
    fn try_edits(&mut self, new: &mut Arrival<'_>, learned: &mut Learned) {
        let probed = (new.probed)
            .and_then(|id| self.beliefs.get(*self.ids.get(&id)?))
            .map(Belief::edit);
        let is_open = self.is_open(&new.reduced);
        for edit in self.index.in_order(&new.form) {
            let name = &self.edits[edit as usize].edit;
            let effect = name.effect(&new.reduced).filter(|effect| effect.is_other);
            let Some(effect) = effect else { continue };
            let mut key = name.key_after(&new.reduced);
            let mut stands = self.stands(key);
            if is_open
                && stands.is_none()
                && !self.edits[edit as usize].is_asleep()
                && self.firsts.first(key, edit).is_none()
            {
                // What is not believed of these names of parameters may be of those that the edit leaves.
                key = self.canonical(&name.after(&new.reduced)).0.key();
                stands = self.stands(key);
            }
            let Some(rep) = stands.or_else(|| self.firsts.first(key, edit)) else {
                let on_trial = &self.edits[edit as usize];
                if !on_trial.is_asleep() && !on_trial.edit.is_reversible() {
                    new.to_index.push((key, edit));
                }
                continue;
            };
            if new.tried.contains(&edit) {
                continue;
            }
            let Some(cluster) = self.pages.cluster(rep) else {
                continue;
            };
            let verdict = new.compare(cluster, &mut self.clusters, &self.book);
            if verdict == Sameness::Unknown && stands.is_none() {
                new.to_succeed.push((key, edit));
            }
            if probed == Some(edit) && learned.was_duplicate.is_none() {
                // The belief fell while the probe was under way: the probe counts all the same.
                learned.found(verdict);
            }
            let confirmed = self.is_canonical(new.canonical, rep);
            let pages = (new.number, rep);
            let told = self.verdict_on(edit, new, cluster, verdict);
            let name = &self.edits[edit as usize].edit;
            let before = whole(name, effect, &new.form, &new.reduced);
            let doubted = self.trial(edit, before, told, confirmed, pages, learned);
            new.is_same_as(
                cluster,
                verdict,
                doubted || self.edits[edit as usize].is_vague(),
            );
        }
    }

    /// Remembers a page; the content that it has.
    fn file(
        &mut self,
        url: &str,
        text: &PageText,
        mut new: Arrival<'_>,
        cluster: Option<ClusterId>,
        reduced_key: u64,
        stands: bool,
    ) -> ClusterId {
        let page = &mut new.page;
        let cluster = if let Some(cluster) = cluster {
            if !self.clusters.is_exact(page, cluster) && self.clusters.pages(cluster) < 3 {
                self.book.count(text.shingles());
            }
            self.clusters.join(cluster, page, &self.book);
            cluster
        } else {
            let cluster = self.clusters.open(page);
            self.book.count(text.shingles());
            cluster
        };
        self.pages.push(url, cluster);
        if stands {
            self.firsts.let_stand(reduced_key, new.number, false);
        }
        for (key, edit) in new.to_index {
            self.firsts.file_first(key, edit, new.number);
        }
        for (key, edit) in new.to_succeed {
            // The site may have changed since (a notice on every page): where another page has this content, too,
            // later ones are compared with a page of their time.
            if self
                .members
                .of(cluster)
                .any(|page| self.is_filed(page, key, edit))
            {
                self.firsts.succeed(key, edit, new.number);
            }
        }
        if !new.explained {
            self.nominate(&new.reduced, cluster);
        }
        self.members.add(cluster, new.number, !new.explained);
        cluster
    }

    /// Whether an edit makes this form of a page.
    fn is_filed(&self, page: u32, key: u64, edit: u32) -> bool {
        self.pages.url(page).is_some_and(|url| {
            let form = Form::parse(&url);
            let mut form = self.canonical(&form).0.into_owned();
            self.edits[edit as usize].edit.apply(&mut form)
                && (form.key() == key || self.canonical(&form).0.key() == key)
        })
    }

    fn count_yield(
        &mut self,
        shape: u64,
        cluster: Option<ClusterId>,
        is_fresh: bool,
        learned: &mut Learned,
    ) {
        let number = (self.pages.len() as u32).saturating_sub(1);
        let (most, base) = (self.config.max_beliefs, self.config.budget);
        let changed = (self.yields).count(shape, number, cluster, is_fresh, most, base);
        if changed.grew {
            self.generation += 1;
            self.budgets.insert(self.budget_id(shape), shape);
        }
        if let Some(shape) = changed.reopened {
            let id = self.budget_id(shape);
            learned.reopened.push(id);
            learned.risen.push((id, self.draws_of_budget(shape)));
        }
    }

    fn is_canonical(&self, canonical: Option<&str>, page: u32) -> bool {
        canonical.is_some_and(|canonical| self.pages.is(page, canonical))
    }

    /// Whether no page is remembered any more.
    pub(super) fn is_full(&self) -> bool {
        self.is_closed || self.pages.is_full() || self.pages.len() >= self.config.max_pages
    }
}
