//! Learns from redirects.
//!
//! A URL that redirects to a page (a source) is an alias of it, without a fetch to compare. What was believed about the
//! source is judged by that page, as it would be by a page of its own: at once if the page is known, or when it is
//! fetched.

use nodust_frontier::BeliefId;

use super::{
    LateVerdict, Learned, Site,
    canonical::whole,
    pages::{host_of, name_of},
    pair::Pair,
    sources::Source,
};
use crate::{
    predict::{
        form::{Edit, Form},
        nominate::readings,
        stage::site_of,
        yields::{Brought, Budget, Changed, shape_of},
    },
    sign::{ClusterId, Newcomer, PageText, Sameness},
};

/// The page that sources lead to.
pub(super) struct Target<'t> {
    /// The number that it has, or would have if there were room.
    pub(super) number: u32,
    pub(super) url: &'t str,
    /// Its content, if that is remembered.
    pub(super) cluster: Option<ClusterId>,
    pub(super) is_fresh: bool,
    /// Edits that it was tried on, and its sources: they are one trial.
    pub(super) tried: Vec<u32>,
}

impl Target<'_> {
    /// Whether its content is that of a page, which is remembered.
    fn is_content(&self, of_page: Option<ClusterId>) -> Sameness {
        match self.cluster {
            None if !self.is_fresh => Sameness::Unknown,
            Some(_) if self.cluster == of_page => Sameness::Same,
            _ => Sameness::Different,
        }
    }
}

impl Site {
    /// Learns that `source` redirects to `target`. `probed` is the belief that predicted `source` to be a duplicate, if it was
    /// fetched all the same.
    pub fn observe_redirect(
        &mut self,
        source: &str,
        target: &str,
        probed: Option<BeliefId>,
    ) -> Learned {
        self.observe_redirect_of(source, target, (probed, None))
    }

    /// The same of a link that was `found_on` the page of this name.
    pub(in crate::predict) fn observe_redirect_of(
        &mut self,
        source: &str,
        target: &str,
        (probed, found_on): (Option<BeliefId>, Option<u64>),
    ) -> Learned {
        let mut learned = Learned::default();
        if source == target {
            return learned;
        }
        let own = Source {
            url: source.into(),
            probed,
            found_on,
            is_asked: self.hear_of_redirecting_link((source, target), found_on, &mut learned),
        };
        // What leads to the source leads to the target, too.
        let before = self.sources.take(source);
        let is_abroad = self.is_abroad(target);
        let is_own = !self.is_abroad(source);
        if is_own {
            let form = self.form(source);
            let shape = shape_of(&form);
            self.selectors.note_pageless(&form);
            let to = shape_of(&self.form(target));
            let to = (name_of(target), to);
            let (most, budget) = (self.config.max_beliefs, Budget::of(&self.config));
            let changed = self.yields.count_moved(shape, to, most, budget);
            self.links_changed(source, shape, changed, &mut learned);
        }
        // Most crawls never come to other sites.
        let is_heard = !is_abroad || self.sources.hears_abroad || own.probed.is_some();
        let own = (is_heard && is_own).then_some(own);
        if own.is_some() || !before.is_empty() {
            let end = self.sources.end_of(target);
            self.sources.leads(source, end);
            if let Some(page) = self.page_of(target, end) {
                self.learn_of_redirect(own.as_ref(), before, page, &mut learned);
            } else {
                // Where a probe leads is fetched.
                if own.as_ref().is_some_and(|own| own.probed.is_none())
                    && let Some(content) = self.content_not_fetched(target)
                {
                    let shape = shape_of(&self.form(source));
                    self.note_content_of(source, shape, Some(content), &mut learned);
                }
                for source in before.into_iter().chain(own) {
                    self.sources.let_wait(source, end);
                }
            }
        }
        self.warm_by_redirect(&mut learned);
        // That is said of pages that had waited, and of no page of this URL.
        learned.is_new = None;
        self.shake(&mut learned);
        self.file_anew();
        learned
    }

    /// Learns the content of a page of another site that sources lead to.
    pub fn observe_abroad(&mut self, url: &url::Url, text: &str) -> Learned {
        let mut learned = Learned::default();
        if self.is_warming() {
            return learned;
        }
        self.sources.hears_abroad = true;
        let sources = self.sources.take(url.as_str());
        let text = PageText::of_page(text, url);
        let mut page = Newcomer::new(&text, &self.book);
        let cluster = self.clusters.find(&mut page, &self.book);
        let mut target = Target {
            // It is none of this site's, and no example.
            number: u32::MAX,
            url: url.as_str(),
            cluster,
            is_fresh: cluster.is_none() && page.current(&self.book).kept() > 0,
            tried: Vec::new(),
        };
        self.learn_of_sources(sources, &mut target, &mut learned);
        self.shake(&mut learned);
        self.file_anew();
        learned
    }

    fn is_abroad(&self, url: &str) -> bool {
        site_of(host_of(url)) != &*self.name
    }

    /// Names of pages for which sources wait.
    pub(crate) fn awaited(&self) -> impl Iterator<Item = u64> {
        self.sources.awaited()
    }

    /// Whether a source waits for the page of a URL.
    pub(crate) fn is_awaited(&self, url: &str) -> bool {
        self.sources.is_awaited(url)
    }

    /// The page that was met under a URL, or else under the one of this name.
    fn page_of(&mut self, url: &str, name: u64) -> Option<u32> {
        let met = (self.pages.named(name_of(url))).or_else(|| self.pages.named(name));
        met.or_else(|| {
            // By a rule's word only.
            let standing = self.standing(&self.canonical(&self.form(url)).0, false);
            standing
                .map(|(page, _)| page)
                .filter(|page| self.pages.is(*page, url))
        })
    }

    /// Learns that a source, and what leads to that, lead to a page that was met before.
    fn learn_of_redirect(
        &mut self,
        own: Option<&Source>,
        before: Vec<Source>,
        page: u32,
        learned: &mut Learned,
    ) {
        let Some((url, cluster)) = self.page(page) else {
            return;
        };
        let mut target = Target {
            number: page,
            url: &url,
            cluster: Some(cluster),
            is_fresh: false,
            tried: Vec::new(),
        };
        if let Some(own) = own {
            self.learn_source(own, &mut target, learned);
        }
        self.learn_of_sources(before, &mut target, learned);
    }

    /// Learns what leads to a page that is known now.
    pub(super) fn learn_of_sources(
        &mut self,
        sources: Vec<Source>,
        target: &mut Target<'_>,
        learned: &mut Learned,
    ) {
        for source in sources {
            let mut of_source = Learned::default();
            self.learn_source(&source, target, &mut of_source);
            if let (Some(belief), Some(was_duplicate)) = (source.probed, of_source.was_duplicate) {
                learned.late.push(LateVerdict {
                    url: source.url,
                    belief,
                    was_duplicate,
                });
            }
            learned.add_all_but_verdict(of_source);
        }
    }

    fn learn_source(&mut self, source: &Source, target: &mut Target<'_>, learned: &mut Learned) {
        if let Some(page) = source.found_on.filter(|_| source.is_asked) {
            let content = target.cluster;
            self.hear_where_link_led((&source.url, page), (content, target.is_fresh), learned);
        }
        let form = self.form(&source.url);
        let shape = shape_of(&form);
        let (reduced, how) = self.reduced_form(&form);
        // What is acted upon is audited by where the source leads.
        let standing = self.standing(&reduced, how.is_settled);
        let rep =
            (standing.map(|(page, _)| page)).filter(|page| !self.pages.is(*page, &source.url));
        let mut asked = Vec::new();
        if let Some(rep) = rep {
            let verdict = target.is_content(self.pages.cluster(rep));
            asked = self.edits_between(&form, &reduced, rep, &how.applied);
            let itself = self.tried_itself(target.url, rep);
            let rep_url = self.pages.url(rep).map(std::borrow::Cow::into_owned);
            let rep_form = self.form(rep_url.as_deref().unwrap_or_default());
            let shown = (verdict, target.cluster, self.pages.cluster(rep));
            let key = reduced.key();
            let mut told = verdict;
            for edit in asked.iter().copied() {
                if is_told(target, &itself, edit, verdict) {
                    continue;
                }
                if self.meets_wall(edit, key, shown, learned) {
                    told = Sameness::Unknown;
                    continue;
                }
                let pair = pair(&form, target.number, rep);
                self.trial_either(edit, (&form, &rep_form), verdict, pair, learned);
                target.tried.push(edit);
            }
            if source.probed.is_some() && !asked.is_empty() {
                learned.found(told);
            }
        }
        let mut explained = false;
        for edit in self.index.in_order(&form) {
            if asked.contains(&edit) {
                continue;
            }
            let name = &self.edits[edit as usize].edit;
            let Some(effect) = name.effect(&reduced) else {
                continue;
            };
            let key = name.key_after(&reduced);
            let before = whole(name, effect, &form, &reduced);
            let Some(rep) = self.stands(key) else {
                continue;
            };
            let cluster = self.pages.cluster(rep);
            let verdict = target.is_content(cluster);
            if is_told(target, &self.tried_itself(target.url, rep), edit, verdict)
                || self.meets_wall(edit, key, (verdict, target.cluster, cluster), learned)
            {
                continue;
            }
            let pair = pair(&form, target.number, rep);
            let doubted = self.trial(edit, before, verdict, pair, learned);
            target.tried.push(edit);
            explained |= verdict == Sameness::Same && !doubted;
        }
        // Nobody compares pages of two sites.
        if !explained && !self.is_abroad(target.url) {
            self.propose_of_source(&form, target);
        }
        // What is nothing but chrome is known there by a text that is not at hand.
        let is_bare = target.cluster.is_some_and(|it| self.clusters.is_bare(it));
        let counts = self.yields.get(shape).filter(|_| !is_bare);
        let budget = Budget::of(&self.config);
        let opens = counts.is_some_and(|counts| target.is_fresh || counts.over(budget).is_some());
        if !is_bare {
            let content = target.cluster.filter(|_| !target.is_fresh);
            self.note_content_of(&source.url, shape, content, learned);
        }
        if opens {
            // A budget that pages of its shape have used up is opened by sources, too, but used up by pages only.
            let brought = Brought::content(target.is_fresh);
            self.count_yield((shape, false), (target.cluster, false), brought, learned);
        }
        let is_unknown = target.is_fresh && target.cluster.is_none();
        if source.probed.is_some() && learned.has_found_nothing() && !is_unknown {
            learned.was_duplicate = Some(!target.is_fresh);
        }
        // What further ones bring is known.
        target.is_fresh &= target.cluster.is_none();
        self.since_settled += 1;
        self.settle(learned);
    }

    /// Notes what a URL of a shape led to.
    fn note_content_of(
        &mut self,
        source: &str,
        shape: u64,
        content: Option<ClusterId>,
        learned: &mut Learned,
    ) {
        let (most, budget) = (self.config.max_beliefs, Budget::of(&self.config));
        let changed = (self.yields).note_content(shape, content, most, budget);
        self.links_changed(source, shape, changed, learned);
    }

    fn links_changed(&mut self, source: &str, shape: u64, changed: Changed, learned: &mut Learned) {
        if changed.grew {
            self.yields
                .redirecting
                .entry(shape)
                .or_insert_with(|| source.into());
        }
        self.budget_changed(shape, changed, learned);
    }

    /// The content that a URL is taken for, of which no page is wanted: a copy of it, or one of a shape that has long been nothing else.
    fn content_not_fetched(&self, url: &str) -> Option<ClusterId> {
        let form = self.form(url);
        let copied = self.predicted(&form, url, None).and_then(|(page, _)| page);
        let copied = copied.and_then(|page| self.pages.cluster(page));
        copied.or_else(|| {
            let budget = Budget::of(&self.config);
            self.yields.content_of_few(shape_of(&form), budget)
        })
    }

    /// Puts the difference between a source and its page into words: the source is the alias, whichever is shorter.
    fn propose_of_source(&mut self, source: &Form<'_>, at: &Target<'_>) {
        let target = &self.form(at.url);
        let says_so = |edit: &Edit| changes(edit, source) && !changes(edit, target);
        let mut readings = readings(source, target);
        for edit in &mut readings {
            if !changes(edit, source)
                && let Some(turned) = edit.reverse().filter(says_so)
            {
                self.turn(edit, &turned);
                *edit = turned;
            }
        }
        let joined = self.joined(&readings, (source, target));
        for edit in readings.iter().chain(&joined) {
            self.register(edit, source, at.cluster);
        }
    }

    /// The edits on trial that say of a page under its own URL that it is `rep`: that sources which differ from that in the
    /// same are, too, says nothing new.
    fn tried_itself(&self, url: &str, rep: u32) -> Vec<u32> {
        if self.pages.is(rep, url) {
            return Vec::new();
        }
        let form = self.form(url);
        let (reduced, how) = self.reduced_form(&form);
        let mut edits = match self.standing(&reduced, how.is_settled) {
            Some((page, _)) if page == rep => {
                self.edits_between(&form, &reduced, rep, &how.applied)
            }
            _ => Vec::new(),
        };
        let others = self.index.in_order(&form).into_iter();
        edits.extend(others.filter(|edit| {
            let edit = &self.edits[*edit as usize].edit;
            edit.changes(&reduced) && self.stands(edit.key_after(&reduced)) == Some(rep)
        }));
        edits
    }

    /// The edits that make one form of a URL and of the page that stands for it, in order: all that would have said so.
    pub(super) fn edits_between(
        &self,
        form: &Form<'_>,
        reduced: &Form<'_>,
        rep: u32,
        applied: &[u64],
    ) -> Vec<u32> {
        let Some(url) = self.pages.url(rep) else {
            return Vec::new();
        };
        let rep = self.form(&url);
        let mut edits: Vec<u32> = (applied.iter())
            .chain(&self.canonical(&rep).1)
            .filter_map(|key| self.beliefs.get(*key))
            .map(|belief| belief.edit())
            .collect();
        // Others that would have said the same must hear of it, or they would take over.
        let key = reduced.key();
        self.find_agreeing(form, key, &mut edits);
        self.find_agreeing(&rep, key, &mut edits);
        edits.sort_unstable();
        edits.dedup();
        edits
    }
}

fn changes(edit: &Edit, form: &Form<'_>) -> bool {
    edit.effect(form).is_some_and(|effect| effect.is_other)
}

/// Whether a page has said of an edit what one of its sources would: that it holds by itself or by another source, that
/// it does not by itself.
fn is_told(target: &Target<'_>, itself: &[u32], edit: u32, verdict: Sameness) -> bool {
    let (is_tried, is_own) = (target.tried.contains(&edit), itself.contains(&edit));
    if verdict == Sameness::Same {
        is_tried || is_own
    } else {
        is_tried && is_own
    }
}

/// A source and the page that it leads to, beside the one that it may be a copy of.
const fn pair<'f, 'u>(source: &'f Form<'u>, target: u32, rep: u32) -> Pair<'f, 'u> {
    Pair {
        pages: (target, rep),
        newer: source,
        older: rep,
        confirmed: rep == target,
    }
}
