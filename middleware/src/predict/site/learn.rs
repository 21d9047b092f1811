//! Learns from a page that was fetched.

use std::cell::OnceCell;

use nodust_frontier::BeliefId;
use rustc_hash::FxHashMap;

use super::{
    Applied, Learned, OnTrial, Site, canonical::Reduced, named::AsItself, pair::Pair,
    propose::GIANT, redirect::Target, selectors::Ceased,
};
use crate::{
    predict::{
        form::{Form, News},
        yields::{Brought, Budget, Changed, Yield, folders_of, shape_of},
    },
    sign::{ChromeBook, ClusterId, Newcomer, PageText, Sameness},
};

/// A page that is being learned from.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is found out by itself, in whatever order"
)]
pub(super) struct Arrival<'a> {
    /// The number that it will have.
    pub(super) number: u32,
    /// The page that it is itself, under another name.
    pub(super) own: Option<u32>,
    pub(super) form: Form<'a>,
    /// Its form under what is believed.
    pub(super) reduced: Form<'a>,
    pub(super) page: Newcomer<'a>,
    compared: FxHashMap<ClusterId, Sameness>,
    /// The content that it turned out to have.
    same_as: Option<ClusterId>,
    /// The content that it was found to have where it was looked for, if there is one.
    found: OnceCell<Option<ClusterId>>,
    /// Whether it stands for what a page stood for that came instead of one.
    pub(super) succeeds: bool,
    /// Whether what nobody can tell counts as another content: claims may owe their trials to lines that were left out.
    is_doubted: bool,
    /// Whether an edit that nobody doubts says why.
    explained: bool,
    /// Whether a claim that never failed said what it is a copy of.
    foretold: bool,
    /// Edits that had their trial: a page is one trial of an edit, however many pages it could be compared
    /// with.
    pub(super) tried: Vec<u32>,
    pub(super) canonical: Option<&'a str>,
    /// The belief that would have dropped it.
    pub(super) probed: Option<BeliefId>,
    /// What edits make of it, where no page was found under it, or one of which they do not make it any more.
    pub(super) to_index: Vec<(u64, u32)>,
    /// Forms that edits make of it under which the page that was filed could not be told from it.
    pub(super) to_succeed: Vec<(u64, u32)>,
}

impl<'a> Arrival<'a> {
    pub(super) fn new(
        number: u32,
        form: Form<'a>,
        reduced: Form<'a>,
        page: Newcomer<'a>,
        (canonical, probed, is_doubted): (Option<&'a str>, Option<BeliefId>, bool),
    ) -> Self {
        Self {
            number,
            own: None,
            form,
            reduced,
            page,
            compared: FxHashMap::default(),
            same_as: None,
            found: OnceCell::new(),
            succeeds: false,
            is_doubted,
            explained: false,
            foretold: false,
            tried: Vec::new(),
            canonical,
            probed,
            to_index: Vec::new(),
            to_succeed: Vec::new(),
        }
    }

    /// It and an older page, of which it may be a copy.
    pub(super) const fn beside(&self, older: u32, confirmed: bool) -> Pair<'_, 'a> {
        Pair {
            pages: (self.number, older),
            newer: &self.form,
            older,
            confirmed,
        }
    }

    pub(super) fn compare(
        &mut self,
        cluster: ClusterId,
        clusters: &mut crate::sign::Clusters,
        book: &ChromeBook,
    ) -> Sameness {
        let (page, is_doubted) = (&mut self.page, self.is_doubted);
        *(self.compared.entry(cluster)).or_insert_with(|| {
            match clusters.compare(page, cluster, book) {
                Sameness::Unknown if is_doubted => Sameness::Different,
                verdict => verdict,
            }
        })
    }

    /// The content that it has, if it was met before.
    pub(super) fn content(
        &mut self,
        clusters: &mut crate::sign::Clusters,
        book: &ChromeBook,
    ) -> Option<ClusterId> {
        let page = &mut self.page;
        let found = || *(self.found).get_or_init(|| clusters.find(page, book));
        self.same_as.or_else(found)
    }

    /// Whether it could not be told from another content.
    fn is_doubtful(&self) -> bool {
        (self.compared.values()).any(|verdict| *verdict == Sameness::Unknown)
    }

    /// Notes what a trial of an edit on it found. `pages`: those known to have the content. That of many (a form to log in, a page of a
    /// trap) is not one that a claim explains.
    pub(super) fn note_told(&mut self, verdict: Sameness, pages: u32, edit: &OnTrial) {
        // What long was right and is not believed says too little to be.
        let may_act = edit.active > 0 || edit.successes <= YOUNG;
        // Its first success is what proposes it, so to speak.
        let is_right = verdict == Sameness::Same && edit.failures == 0 && edit.successes > 1;
        self.foretold |= is_right && may_act && pages <= GIANT;
    }

    pub(super) fn is_same_as(&mut self, cluster: ClusterId, verdict: Sameness, doubted: bool) {
        if verdict == Sameness::Same {
            self.same_as = self.same_as.or(Some(cluster));
            self.explained |= !doubted;
        }
    }
}

/// What is known of a page beside its URL and its text.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::predict) struct Facts<'a> {
    /// What it names as its canonical.
    pub(in crate::predict) canonical: Option<&'a str>,
    /// The belief that predicted it to be a duplicate.
    pub(in crate::predict) probed: Option<BeliefId>,
    /// What rewrite rules make of its URL, if that is another.
    pub(in crate::predict) named: Option<&'a str>,
    /// Name of the page whose link it is.
    pub(in crate::predict) found_on: Option<u64>,
    /// The text of a further answer for its URL.
    pub(in crate::predict) refetched: Option<&'a str>,
    /// Whether pages like it were compared without lines that may tell them apart.
    pub(in crate::predict) is_doubted: bool,
}

/// Successes after which a claim without a failure that is not believed explains no copies: most are after 65 to 119.
const YOUNG: u32 = 160;

/// What stands for the content of a page that is nothing but chrome: a form to log in, say, which became that when a thousand links had led
/// to it, and in which a clock makes another text each time. No content has so high a number.
const fn name_of_bare(text: u64) -> ClusterId {
    (text as u32 | 1 << 31) & !1
}

impl Site {
    pub(super) fn learn(
        &mut self,
        url: &str,
        text: &PageText<'_>,
        facts: Facts<'_>,
        learned: &mut Learned,
    ) {
        let Facts {
            canonical,
            probed,
            named,
            found_on,
            refetched: _,
            is_doubted,
        } = facts;
        let form = self.form(url);
        let (reduced, how) = self.reduced_form(&form);
        let Reduced {
            applied,
            is_settled,
        } = how;
        let page = Newcomer::new(text, &self.book);
        let number = self.pages.len() as u32;
        let mut new = Arrival::new(number, form, reduced, page, (canonical, probed, is_doubted));
        let reduced_key = new.reduced.key();
        let shape = shape_of(&new.form);
        let stands = self
            .standing(&new.reduced, is_settled)
            .map(|(page, _)| page);
        self.try_beside((stands, url), (reduced_key, &applied), &mut new, learned);
        // Which content is it?
        let cluster = new.content(&mut self.clusters, &self.book);
        let is_bare = new.page.current(&self.book).kept() == 0;
        let brought = self.brought((cluster, is_bare), (shape, found_on), text);
        let is_fresh = brought != Brought::Nothing;
        if let Some(found_on) = found_on {
            self.try_referrer(&mut new, url, (found_on, cluster), learned);
        }
        if brought == Brought::New {
            self.hear_of_child((&new.form, url), found_on, learned);
        }
        self.weigh_suspended(found_on, learned);
        // Contents met since the site was full are not remembered: this may be a copy of one of them.
        let is_unknown = is_fresh && self.is_full();
        // Nor is it known whether one was met before that is nothing but chrome, or hardly differs from another.
        let is_doubtful = is_bare || new.is_doubtful();
        let is_told = !is_unknown && (cluster.is_some() || !is_doubtful);
        let cluster = if self.is_full() {
            // Beliefs are still watched and budgets counted; nothing grows.
            cluster
        } else {
            let is_first = stands.is_none() || new.succeeds;
            let filed_as = (cluster, reduced_key, is_first);
            Some(self.note_and_file(url, text, &mut new, filed_as, learned))
        };
        // What nobody can tell any more may be new: that must not look like a drought.
        let known = cluster.filter(|_| !is_unknown);
        let shown = if is_bare {
            self.content_of_bare(shape, known, text)
        } else {
            known
        };
        // Later pages of a shape are of no row of folders, but that they are new ends it.
        let is_first = self.yields.is_unmet(shape, self.config.max_beliefs);
        let folders = (is_first || brought == Brought::New)
            .then(|| folders_of(&new.form))
            .flatten();
        let counted = match brought {
            Brought::Nothing if new.foretold => Brought::Foretold,
            _ => brought,
        };
        let is_chained = self.is_chained(found_on, shape);
        self.count_page((shape, is_chained), shown, counted, learned);
        if let Some(folders) = folders {
            self.count_yield((folders, true), (known, false), brought, learned);
        }
        self.since_settled += 1;
        self.settle(learned);
        let mut target = Target {
            number,
            url,
            cluster,
            is_fresh,
            tried: new.tried,
        };
        let sources = self.sources.take(url);
        if !sources.is_empty() {
            self.yields.count_led_to(shape, self.config.max_beliefs);
        }
        self.learn_of_sources(sources, &mut target, learned);
        if let Some(name) = named {
            let own = (self.pages.len() as u32 > number).then_some(number);
            let as_itself = AsItself {
                url,
                own,
                reduced_key,
                cluster,
                tried: target.tried,
                page: (new.page.newest() == self.book.current().version()).then_some(new.page),
            };
            // What the probe was made for is asked of the URL; of its name only where that met nothing.
            let open = probed.filter(|_| learned.has_found_nothing());
            self.learn_name(name, text, (canonical, open), as_itself, learned);
        }
        // Nor can anybody tell whether it is its numbers that a page is about.
        let is_judged = !is_unknown && brought != Brought::Numbers;
        if probed.is_some() && learned.has_found_nothing() && is_judged {
            // What it was to be a copy of is not known any more: the belief fell meanwhile, or was a budget.
            learned.was_duplicate = Some(!is_fresh);
        }
        learned.tell_content(is_told.then_some(is_fresh));
        self.shake(learned);
        self.file_anew();
    }

    /// Has the trials of a page: beside the one that stands for its form, if one does, or else beside aliases that came before it, and
    /// beside those that edits on trial make of it. `reduced_key`: the name of that form; `applied`: the beliefs that reduced it to that.
    fn try_beside(
        &mut self,
        (stands, url): (Option<u32>, &str),
        (reduced_key, applied): (u64, &Applied),
        new: &mut Arrival<'_>,
        learned: &mut Learned,
    ) {
        match stands {
            Some(page) if !self.pages.is(page, url) => {
                self.audit(new, page, applied, learned);
            }
            Some(_) => {}
            None => {
                if self.gone.holds(reduced_key) {
                    let by = self.names_of(applied);
                    learned.has_fallen |= self.gone.hear_of_page(&by);
                }
                self.hear_aliases(new, learned);
            }
        }
        self.try_edits(new, learned);
    }

    /// What stands for the content of a page of which chrome leaves nothing, in the row of its shape: that may have had the content before it was
    /// all chrome.
    fn content_of_bare(
        &self,
        shape: u64,
        known: Option<ClusterId>,
        text: &PageText<'_>,
    ) -> Option<ClusterId> {
        let row = self.yields.get(shape).map(|counts| counts.row);
        let met = known.filter(|known| row.is_some_and(|row| row.has(*known)));
        met.or_else(|| text.still().map(name_of_bare)).or(known)
    }

    /// Notes the parts of a page's URL, and files it under its content and what its URL is reduced to.
    fn note_and_file(
        &mut self,
        url: &str,
        text: &PageText<'_>,
        new: &mut Arrival<'_>,
        (cluster, reduced_key, is_first): (Option<ClusterId>, u64, bool),
        learned: &mut Learned,
    ) -> ClusterId {
        let ceased = self.note_parts(&new.form);
        let cluster = self.file(url, text, new, cluster, reduced_key, is_first);
        if ceased.is_few {
            self.forget_beside(learned);
        }
        // Claims about a folder, page or extension as a part of the site are met no more, or those about it as a thing.
        let is_any_active = ceased.words.is_some() && self.is_acting();
        self.stale |= is_any_active;
        if (ceased.is_choice && self.beliefs.is_any_of_action())
            || (is_any_active && ceased.words == Some(News::Many))
        {
            // What stands on a claim about an action that is none, or on a wider one but for its actions, is judged
            // anew, and so is what stands on one about a folder that names a thing.
            self.generation += 1;
            self.stale = true;
            learned.has_fallen = true;
        }
        cluster
    }

    /// Notes the parts of a page's URL.
    pub(super) fn note_parts(&mut self, form: &Form<'_>) -> Ceased {
        self.company.note(form);
        self.selectors.note(form)
    }

    /// What a page brought of this content, if it was met before, or none.
    fn brought(
        &mut self,
        (content, is_bare): (Option<ClusterId>, bool),
        (shape, found_on): (u64, Option<u64>),
        text: &PageText<'_>,
    ) -> Brought {
        if content.is_some() {
            Brought::Nothing
        } else if !is_bare {
            Brought::New
        } else if (self.yields).note_table(shape, text, self.config.max_beliefs) {
            Brought::Numbers
        } else {
            let is_new = (self.yields).note_bare(shape, text, self.config.max_beliefs);
            match is_new {
                // What has no end leads on to itself.
                true if self.is_of_shape(found_on, shape) => Brought::Numbers,
                is_new => Brought::content(is_new),
            }
        }
    }

    /// Whether a page of a shape whose last ones were the same was found on one of those just before.
    fn is_chained(&mut self, found_on: Option<u64>, shape: u64) -> bool {
        if !(self.yields.get(shape)).is_some_and(Yield::may_be_chain) {
            return false;
        }
        self.pages.find_by_name();
        self.is_last_of_shape(found_on, shape)
    }

    /// Whether the page of this name is among the last ones of a shape, if pages are found by their names.
    pub(super) fn is_last_of_shape(&self, page: Option<u64>, shape: u64) -> bool {
        let page = page.and_then(|name| self.pages.known_by_name(name));
        page.is_some_and(|page| self.yields.get(shape).is_some_and(|it| it.is_last(page)))
    }

    /// Whether the page of this name has a URL of a shape.
    fn is_of_shape(&mut self, page: Option<u64>, shape: u64) -> bool {
        let page = page.and_then(|name| self.pages.named(name));
        let url = page.and_then(|page| self.pages.url(page));
        url.is_some_and(|url| shape_of(&self.form(&url)) == shape)
    }

    /// URL and content of a page.
    pub(super) fn page(&self, page: u32) -> Option<(String, ClusterId)> {
        Some((
            self.pages.url(page)?.into_owned(),
            self.pages.cluster(page)?,
        ))
    }

    /// Remembers a page; the content that it has.
    fn file(
        &mut self,
        url: &str,
        text: &PageText<'_>,
        new: &mut Arrival<'_>,
        cluster: Option<ClusterId>,
        reduced_key: u64,
        stands: bool,
    ) -> ClusterId {
        let page = &mut new.page;
        let cluster = if let Some(cluster) = cluster {
            self.clusters.tell_of_copy(page, cluster, &mut self.book);
            self.clusters.join(cluster, page, &self.book);
            cluster
        } else {
            let cluster = self.clusters.open(page, &self.book);
            self.book.count(text.shingles());
            cluster
        };
        self.pages.push(url, cluster);
        self.file_forms(new, cluster, reduced_key, stands);
        cluster
    }

    /// Files a page under what it stands for and what edits make of it, and puts into words what it shows.
    pub(super) fn file_forms(
        &mut self,
        new: &Arrival<'_>,
        cluster: ClusterId,
        reduced_key: u64,
        stands: bool,
    ) {
        if stands {
            self.firsts.let_stand(reduced_key, new.number, false);
        }
        for (key, edit) in &new.to_index {
            self.firsts.file(*key, *edit, new.number);
        }
        let mut other = String::new();
        for (key, edit) in &new.to_succeed {
            // The site may have changed since (a notice on every page): where another page has this content, too,
            // later ones are compared with a page of their time.
            if self
                .members
                .of(cluster)
                .any(|page| self.is_filed(page, *key, *edit, &mut other))
            {
                self.firsts.file(*key, *edit, new.number);
            }
        }
        if !new.explained {
            self.nominate((&new.form, &new.reduced), cluster, new.own);
        }
        self.members.add(cluster, new.number, !new.explained);
    }

    /// Whether an edit makes this form of a page, of its URL as it is or under what is believed now: what was filed while
    /// a belief stood that has fallen since, may be of none. `url` is room to work in.
    pub(super) fn is_filed(&self, page: u32, key: u64, edit: u32, url: &mut String) -> bool {
        self.pages.write_url(page, url).is_some_and(|()| {
            let edit = &self.edits[edit as usize].edit;
            let form = self.form(url);
            if edit.changes(&form) && edit.key_after(&form) == key {
                return true;
            }
            let mut reduced = None;
            self.reduce(&form, &mut reduced);
            let form = reduced.as_ref().unwrap_or(&form);
            edit.effect(form).is_some()
                && (edit.key_after(form) == key || self.canonical_key(&edit.after(form)) == key)
        })
    }

    /// Counts what a page brought in the row of its shape, or in that of shapes that differ from it in their first folder.
    pub(super) fn count_yield(
        &mut self,
        (shape, is_of_folders): (u64, bool),
        (content, is_chained): (Option<ClusterId>, bool),
        brought: Brought,
        learned: &mut Learned,
    ) {
        let number = (self.pages.len() as u32).saturating_sub(1);
        let (most, budget) = (self.config.max_beliefs, Budget::of(&self.config));
        let row = (shape, is_of_folders);
        let page = (number, is_chained);
        let changed = (self.yields).count(row, page, content, brought, most, budget);
        if changed.grew && is_of_folders {
            // Links are judged by what the page shows that they stand on.
            self.pages.find_by_name();
        }
        self.budget_changed(shape, changed, learned);
    }

    /// Counts a page that was fetched under a URL of a shape.
    fn count_page(
        &mut self,
        (shape, is_chained): (u64, bool),
        content: Option<ClusterId>,
        brought: Brought,
        learned: &mut Learned,
    ) {
        let (most, budget) = (self.config.max_beliefs, Budget::of(&self.config));
        let changed = self.yields.note_page(shape, most, budget);
        self.budget_changed(shape, changed, learned);
        self.count_yield((shape, false), (content, is_chained), brought, learned);
    }

    pub(super) fn budget_changed(&mut self, shape: u64, changed: Changed, learned: &mut Learned) {
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

    /// Whether no page is remembered any more.
    pub(super) fn is_full(&self) -> bool {
        self.is_closed || self.pages.is_full() || self.pages() >= self.config.max_pages
    }
}
