//! What one host has shown so far.

use std::{
    collections::{BTreeMap, hash_map::Entry},
    sync::Arc,
};

use nodust_frontier::{BeliefId, Fingerprint, SeenAs};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::{
    FIRST_LESSON, Held, RuleSource,
    early::Early,
    held,
    lesson::{Homework, Lesson, Sighting},
    sources::{Lead, Probed, Sources},
};
use crate::{
    learn::barred::Barred,
    rules::{Rule, SiteRules, Status},
    sign::{ChromeBook, ClusterId, Clusters, Echo, Newcomer, PageText, Sameness},
};

/// Parameters of a query that are left out, one by one, to find the pages next to it.
const NEIGHBOURS: usize = 6;
/// Pairs of contents in doubt that are remembered.
const MOST_DOUBTS: usize = 200_000;

#[derive(Debug)]
pub(super) struct Page {
    /// Its class, before any rule of this host.
    pub(super) class: Box<str>,
    pub(super) cluster: ClusterId,
}

/// What a page brought to light.
#[derive(Debug, Default)]
pub(in crate::learn) struct Found {
    /// Beliefs in rules in force that were contradicted.
    pub(super) fallen: Vec<BeliefId>,
    /// Whether it shows what the page shows that the rules take it for.
    pub(super) was_duplicate: Option<bool>,
    /// Beliefs in the rules that take it for that.
    pub(super) merged_by: Vec<BeliefId>,
    /// The same of links that were explored before: they redirected to it, or had to wait for it to be compared with.
    pub(super) late: Vec<(Probed, bool)>,
    /// The content of the page, if it is kept, and whether it was not met before.
    pub(super) content: Option<(ClusterId, bool)>,
    /// Whether a rule is in doubt that was not.
    pub(super) is_doubtful: bool,
}

/// What a lesson left behind.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Outcome {
    #[serde(deserialize_with = "held::readable")]
    rules: Vec<Held>,
    next_lesson: usize,
}

fn active(rules: &[Held]) -> Vec<&Rule> {
    let active = rules.iter().filter(|held| held.is_active());
    active.map(|held| &held.entry.rule).collect()
}

/// Names of the class with each of its query parameters left out, and of the class as it is.
pub(super) fn near_classes(class: &str) -> Vec<u64> {
    let mut keys = vec![xxh3_64(class.as_bytes())];
    let Some((base, query)) = class.split_once('?') else {
        return keys;
    };
    let params: Vec<&str> = query.split('&').collect();
    for left_out in 0..params.len().min(NEIGHBOURS) {
        let mut text = base.to_owned();
        let others = params.iter().enumerate().filter(|(i, _)| *i != left_out);
        for (n, (_, param)) in others.enumerate() {
            text.push(if n == 0 { '?' } else { '&' });
            text.push_str(param);
        }
        keys.push(xxh3_64(text.as_bytes()));
    }
    keys
}

/// Pages, contents and rules of one host.
#[derive(Debug)]
pub(in crate::learn) struct Host {
    pub(super) name: Box<str>,
    pub(super) book: ChromeBook,
    /// New contents tell what is chrome.
    pub(super) learns_chrome: bool,
    pub(super) clusters: Clusters,
    pub(super) warming: Option<Vec<Early>>,
    pub(super) pages: Vec<Page>,
    /// Pages, by their place among all, that were explored and are the first of their class: until another one tells what
    /// they were worth.
    pub(super) unjudged: BTreeMap<u32, Probed>,
    pub(super) sources: Sources,
    /// First page of each class under the rules in force.
    pub(super) by_class: FxHashMap<u64, u32>,
    /// Content of the last page that had this class but for one parameter of its query, or for none.
    pub(super) nearly: FxHashMap<u64, ClusterId>,
    /// Pairs of contents that could not be told apart nor taken for one, the smaller first.
    pub(super) doubts: FxHashSet<(u64, u64)>,
    pub(super) rules: Vec<Held>,
    pub(super) in_force: Arc<SiteRules>,
    pub(super) next_lesson: usize,
    /// A lesson is under way.
    pub(super) is_in_class: bool,
    /// Rules of this host have been put in force, if only to fall.
    pub(super) has_published: bool,
}

impl Host {
    pub(in crate::learn) fn new(name: &str, in_force: Arc<SiteRules>) -> Self {
        Self {
            name: name.into(),
            book: ChromeBook::default(),
            learns_chrome: true,
            clusters: Clusters::default(),
            warming: Some(Vec::new()),
            pages: Vec::new(),
            unjudged: BTreeMap::new(),
            sources: Sources::default(),
            by_class: FxHashMap::default(),
            nearly: FxHashMap::default(),
            doubts: FxHashSet::default(),
            rules: Vec::new(),
            in_force,
            next_lesson: FIRST_LESSON,
            is_in_class: false,
            has_published: false,
        }
    }

    /// Pages that it was told, those that wait for the first chrome included.
    pub(super) fn told(&self) -> usize {
        self.pages.len() + self.warming.as_ref().map_or(0, Vec::len)
    }

    /// URLs that redirect, of which it was told.
    pub(super) fn sources(&self) -> usize {
        self.sources.len()
    }

    pub(super) const fn is_warming(&self) -> bool {
        self.warming.is_some()
    }

    pub(super) const fn has_published(&self) -> bool {
        self.has_published
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn rules(&self) -> &[Held] {
        &self.rules
    }

    /// Takes over rules of which no page is known any more: whatever comes from now on came later.
    pub(super) fn restore(&mut self, rules: Vec<Held>) {
        self.rules = rules;
        for held in &mut self.rules {
            held.born = 0;
            held.doubt = None;
        }
    }

    /// Takes over what a file says now: `audited` may fall, and of what it has or forbids nothing counts that was learned. What
    /// fell stays fallen. `true` when the rules in force may be other ones than before.
    pub(super) fn heed_file(&mut self, audited: &[Held], barred: Barred<'_>) -> bool {
        let before = self.rules.len();
        let said: FxHashMap<&Rule, &Held> =
            (audited.iter().map(|held| (&held.entry.rule, held))).collect();
        self.rules.retain(|held| match held.source {
            RuleSource::Crawl => !barred.bars(&held.entry.rule),
            _ => said.contains_key(&held.entry.rule),
        });
        for held in &mut self.rules {
            // What was read from a store is kept once for all hosts again.
            if let Some(of_file) = said.get(&held.entry.rule)
                && held.entry == of_file.entry
            {
                held.entry = Arc::clone(&of_file.entry);
            }
        }
        let has_lost = self.rules.len() != before;
        let mut known: FxHashSet<&Rule> = self.rules.iter().map(|held| &held.entry.rule).collect();
        let new = audited.iter().filter(|held| known.insert(&held.entry.rule));
        let new: Vec<Held> = new.cloned().collect();
        let changes = has_lost || !new.is_empty();
        self.rules.extend(new);
        changes
    }

    /// The learned rules in force, with the pages that proved them.
    pub(super) fn active(&self) -> impl Iterator<Item = (Rule, u64)> {
        let learned = (self.rules.iter()).filter(|held| held.source == RuleSource::Crawl);
        let active = learned.filter(|held| held.is_active());
        active.map(|held| (held.entry.rule.clone(), held.entry.evidence.trials))
    }

    /// Rules of a file that have fallen.
    pub(super) fn fallen_of_file(&self) -> Vec<Rule> {
        let said = (self.rules.iter()).filter(|held| held.source != RuleSource::Crawl);
        let fallen = said.filter(|held| held.entry.status == Status::Withdrawn);
        fallen.map(|held| held.entry.rule.clone()).collect()
    }

    pub(super) fn held(&self, belief: BeliefId) -> Option<&Held> {
        let mut rules = self.rules.iter();
        rules.find(|held| held.entry.rule.belief(&self.name) == belief)
    }

    /// Whether a rule acts that the belief is in.
    pub(super) fn acts(&self, belief: BeliefId) -> bool {
        self.held(belief).is_some_and(Held::is_active)
    }

    /// Whether it can tell what a link was worth that was explored for this belief: in a rule that is known here, or in one that
    /// may not fall.
    pub(super) fn holds(&self, belief: BeliefId) -> bool {
        self.held(belief).is_some() || self.in_force.has(belief)
    }

    /// Beliefs in the rules in force. A class that several rules made answers to one of them only: when one falls, the classes
    /// of all are made anew, and what others drop may be taken for a page that is of another class now.
    pub(super) fn standing(&self) -> Vec<BeliefId> {
        let rules = 0..self.in_force.len();
        // The belief in a rule for all sites that may not fall is one for all of them, and says nothing of this one.
        let is_own = |at: &usize| self.in_force.may_fall(*at) || !self.in_force.is_shared(*at);
        rules
            .filter(is_own)
            .filter_map(|at| self.in_force.belief_on(at, &self.name))
            .collect()
    }

    pub(super) fn is_due(&self) -> bool {
        !self.is_in_class && self.pages.len() >= self.next_lesson
    }

    /// The same pages compared once more, given their texts in order: what was chrome at any time that is remembered is chrome
    /// for the first page as for the last. Tells how many of them have nothing else.
    pub(in crate::learn) fn compared_anew(
        mut self,
        texts: impl Iterator<Item = String>,
    ) -> (Self, u64) {
        if let Some(warming) = self.warming.take() {
            self.freeze_chrome(warming, &mut Found::default());
        }
        self.book.settle();
        let mut anew = Self {
            book: self.book,
            learns_chrome: false,
            warming: None,
            ..Self::new(&self.name, self.in_force)
        };
        let mut bare = 0;
        for (page, text) in self.pages.iter().zip(texts) {
            let echo =
                Url::parse(&page.class).map_or_else(|_| Echo::default(), |url| Echo::of(&url));
            let text = PageText::new(&text, &echo);
            let mut found = Found::default();
            anew.file(&page.class, &text, None, &mut found);
            let is_bare = |(content, _): (ClusterId, bool)| anew.clusters.is_bare(content);
            bare += u64::from(found.content.is_some_and(is_bare));
        }
        anew.learns_chrome = true;
        (anew, bare)
    }

    /// The content of each page that it was told, but for those that wait for the first chrome.
    pub(in crate::learn) fn contents(&self) -> impl Iterator<Item = ClusterId> {
        self.pages.iter().map(|page| page.cluster)
    }

    /// `probed`: it was explored, and nobody told yet what came of it.
    pub(super) fn file(
        &mut self,
        class: &str,
        text: &PageText<'_>,
        probed: Option<Probed>,
        found: &mut Found,
    ) {
        let mut page = Newcomer::new(text, &self.book);
        let key = self.key_of(class);
        let (same_as, contradicted) = self.compare(class, key, &mut page, found);
        let near = near_classes(class);
        let mut neighbours: Vec<ClusterId> = (near.iter().filter_map(|key| self.nearly.get(key)))
            .copied()
            .collect();
        neighbours.sort_unstable();
        neighbours.dedup();
        let mut doubtful = Vec::new();
        let cluster = same_as
            .or_else(|| self.clusters.find(&mut page, &self.book))
            .or_else(|| {
                // Resemblance too small to be found by may still be too large for another page.
                neighbours.iter().copied().find(|id| {
                    let verdict = self.clusters.compare(&mut page, *id, &self.book);
                    if verdict == Sameness::Unknown {
                        doubtful.push(*id);
                    }
                    verdict == Sameness::Same
                })
            });
        let is_fresh = cluster.is_none();
        let cluster = if let Some(cluster) = cluster {
            if self.learns_chrome {
                (self.clusters).tell_of_copy(&page, cluster, &mut self.book);
            }
            self.clusters.join(cluster, &mut page, &self.book);
            cluster
        } else {
            let cluster = self.clusters.open(&page, &self.book);
            if self.learns_chrome {
                self.book.count(text.shingles());
            }
            cluster
        };
        self.nearly
            .extend(near.into_iter().map(|key| (key, cluster)));
        if self.doubts.len() < MOST_DOUBTS {
            let pairs = doubtful
                .into_iter()
                .map(|id| (id.min(cluster), id.max(cluster)));
            let pairs = pairs.filter(|(a, b)| a != b);
            self.doubts.extend(pairs.map(|(a, b)| (a.into(), b.into())));
        }
        let at = self.pages.len() as u32;
        if let Entry::Vacant(first) = self.by_class.entry(key) {
            first.insert(at);
            let untold = probed.filter(|_| found.was_duplicate.is_none());
            self.unjudged.extend(untold.map(|probed| (at, probed)));
        }
        self.pages.push(Page {
            class: class.into(),
            cluster,
        });
        found.content = Some((cluster, is_fresh));
        let content = (u64::from(cluster), is_fresh);
        self.contradict(contradicted, content, found);
        self.tell_sources((key, Lead::To(cluster)), &mut page, content, found);
    }

    /// What a lesson starts from.
    pub(super) fn homework(&mut self) -> Homework {
        self.is_in_class = true;
        let canon = |class: &str| {
            let canon = self.in_force.canon(class);
            canon.map_or_else(|| class.to_owned(), |c| c.class)
        };
        let of_page: FxHashMap<&str, ClusterId> =
            (self.pages.iter().map(|page| (&*page.class, page.cluster))).collect();
        let redirects = self.sources.iter().filter_map(|source| {
            Some(Sighting {
                class: canon(&source.class),
                cluster: u64::from(*of_page.get(&*source.target)?),
                at: source.at,
            })
        });
        let pages = (0u32..).zip(&self.pages).map(|(at, page)| Sighting {
            class: canon(&page.class),
            cluster: u64::from(page.cluster),
            at,
        });
        Homework {
            host: self.name.to_string(),
            sightings: pages.chain(redirects).collect(),
            pages: self.pages.len() as u32,
            doubts: self.doubts.clone(),
            rules: self.rules.clone(),
            in_force: Arc::clone(&self.in_force),
        }
    }

    /// What the last lesson left behind: the rules, and when the next one is due.
    pub(super) fn outcome(&self) -> Outcome {
        Outcome {
            rules: self.rules.clone(),
            next_lesson: self.next_lesson,
        }
    }

    /// Takes over what a lesson once left behind; `false` when nothing changes for any link.
    pub(super) fn take_over(&mut self, outcome: Outcome) -> bool {
        let changes = active(&outcome.rules) != active(&self.rules);
        self.rules = outcome.rules;
        self.next_lesson = outcome.next_lesson;
        changes
    }

    /// Takes over what a lesson has shown; `false` when nothing changes for any link. Rules that fell while it
    /// was held stay fallen. The next one is due when there are half as many pages more.
    pub(super) fn take_in(&mut self, lesson: Lesson) -> bool {
        self.is_in_class = false;
        let pages = lesson.pages as usize;
        self.next_lesson = pages + (pages / 2).max(FIRST_LESSON / 2);
        let fell = |rule: &Rule| {
            let now = self.rules.iter().find(|h| h.entry.rule == *rule);
            let before = lesson.before.iter().find(|h| h.entry.rule == *rule);
            now.is_some_and(|h| h.entry.status == Status::Withdrawn)
                && before.is_some_and(Held::is_active)
        };
        let mut rules = lesson.rules;
        for held in &mut rules {
            // What pages and sources said in the meantime.
            let now = self.rules.iter().find(|h| h.entry.rule == held.entry.rule);
            held.doubt = now.and_then(|h| h.doubt).filter(|_| held.is_active());
            held.compared = held.compared.max(now.map_or(0, |h| h.compared));
            held.alone = held.alone.max(now.map_or(0, |h| h.alone));
            if fell(&held.entry.rule) {
                Arc::make_mut(&mut held.entry).status = Status::Withdrawn;
            }
        }
        let changes = active(&rules) != active(&self.rules);
        self.rules = rules;
        changes
    }

    /// Names all pages by the rules in force, of which none was learned here.
    pub(super) fn find_classes(&mut self, rules: Arc<SiteRules>) {
        self.put_in_force(rules, &mut Vec::new());
        self.has_published = false;
    }

    /// Names all pages by the rules now in force, and says which classes are known from now on.
    pub(super) fn put_in_force(
        &mut self,
        rules: Arc<SiteRules>,
        known: &mut Vec<(Fingerprint, SeenAs)>,
    ) {
        self.has_published = true;
        let before = std::mem::replace(&mut self.in_force, rules);
        self.by_class.clear();
        let mut base: Option<Url> = None;
        for (at, page) in (0u32..).zip(&self.pages) {
            let canon = self.in_force.canon(&page.class);
            let class = canon.as_ref().map_or(&*page.class, |c| &c.class);
            self.by_class.entry(xxh3_64(class.as_bytes())).or_insert(at);
            let answers = canon.as_ref().and_then(|c| self.in_force.answers(&c.fired));
            let belief = answers.and_then(|at| self.in_force.belief_on(at, &self.name));
            let reason = match belief {
                Some(belief) => SeenAs::ClassOf(belief),
                // Its own class may never have been noted, as it had another one so far.
                None if before.canon(&page.class).is_some() => SeenAs::Admitted,
                None => continue,
            };
            if base.is_none() {
                base = Url::parse(&page.class).ok();
            }
            if let Some(base) = &base {
                known.push((Fingerprint::of_class(base, class), reason));
            }
        }
        self.name_sources();
    }
}
