//! Checks the rules against URLs that redirect.
//!
//! A redirecting URL (a source) shows what its target shows, so once the target is known, it is compared with the page that the rules
//! take the source for. If the source leads to another content that was not met before, the rules fall: dropping the source would
//! have lost that content. If the content was met before, nothing would have been lost, and it may be a login page to which all URLs
//! lead now and then. Then a rule falls after two sources that lead to two such contents, neither of which is behind many URLs; after
//! the first, more links are explored.

use std::sync::Arc;

use nodust_frontier::BeliefId;
use rustc_hash::FxHashSet;

use super::{
    audit::{Contradicted, key_under},
    held::Doubt,
    host::{Found, Host},
    sources::{Lead, MOST_SOURCES, Probed, Source},
};
use crate::sign::{ClusterId, Newcomer, Sameness};

/// Classes of sources, or pages, behind which a content is one that URLs of all kinds may lead to.
const MANY: usize = 5;

/// Of the sources that wait for one page so many are compared with what the rules take them for: to what more lead, all lead.
const MOST_JUDGED: usize = 64;

impl Host {
    /// Takes in that a URL redirects; `replaces`: in the place of the oldest that does.
    pub(super) fn redirect(
        &mut self,
        class: &str,
        target: &str,
        probed: Option<Probed>,
        replaces: bool,
    ) -> Found {
        let mut found = Found::default();
        let (key, goal) = (self.key_of(class), self.key_of(target));
        if replaces || self.sources.len() >= MOST_SOURCES {
            self.sources.pop();
        }
        let mut source = Source {
            class: class.into(),
            target: target.into(),
            at: self.pages.len() as u32,
            lead: Lead::Open,
            is_step: false,
            probed,
            key,
            goal,
        };
        if let Some(content) = self.content_of(goal) {
            source.lead = Lead::To(content);
        } else if key != goal
            && let Some(next) = self.sources.step_over(goal)
        {
            source.target = next.target.clone();
            source.goal = next.goal;
            source.lead = next.lead;
        }
        let (target, goal, lead) = (source.target.clone(), source.goal, source.lead);
        // What leads to it leads on.
        let before = if key == goal {
            Vec::new()
        } else {
            self.sources.arrived(key)
        };
        source.is_step = !before.is_empty();
        if lead == Lead::Open && source.leads_home() {
            // Its target is fetched whatever the rules say, and compared for itself.
            found.was_duplicate = source.probed.take().map(|_| true);
        }
        let number = self.sources.push(source);
        for number in &before {
            self.sources.leads_on(*number, (&target, goal, lead));
        }
        if let Lead::To(content) = lead {
            let content = (u64::from(content), false);
            let told = self.judge_source(number, None, content, false, &mut found);
            found.was_duplicate = told.map(|(_, was_duplicate)| was_duplicate);
            self.judge_sources(&before, None, content, &mut found);
        }
        found
    }

    /// Whether a URL is known to redirect.
    pub(super) fn knows_source(&self, class: &str) -> bool {
        self.sources.knows(class, self.key_of(class))
    }

    /// Whether a source waits for a page of this class.
    pub(super) fn awaits(&self, class: &str) -> bool {
        self.sources.awaits(self.key_of(class))
    }

    /// Content of the page that stands for a class.
    fn content_of(&self, key: u64) -> Option<ClusterId> {
        let at = self.by_class.get(&key)?;
        Some(self.pages[*at as usize].cluster)
    }

    /// Tells the sources that wait for a class that a page of it came, and what is known of it from now on. `is_new`: its content
    /// was not met before.
    pub(super) fn tell_sources(
        &mut self,
        (key, lead): (u64, Lead),
        page: &mut Newcomer<'_>,
        (content, is_new): (u64, bool),
        found: &mut Found,
    ) {
        let numbers = self.sources.arrived(key);
        for number in &numbers {
            self.sources.set_lead(*number, lead);
        }
        self.judge_sources(&numbers, Some(page), (content, is_new), found);
    }

    /// Compares what sources lead to with what the rules take them for.
    fn judge_sources(
        &mut self,
        numbers: &[u64],
        mut page: Option<&mut Newcomer<'_>>,
        (content, is_new): (u64, bool),
        found: &mut Found,
    ) {
        let (judged, others) = numbers.split_at(numbers.len().min(MOST_JUDGED));
        // One of them alone has brought it.
        let mut is_fresh = is_new;
        for number in judged {
            let page = page.as_deref_mut();
            let told = self.judge_source(*number, page, (content, is_new), is_fresh, found);
            found.late.extend(told);
            is_fresh = false;
        }
        let probed = others
            .iter()
            .filter_map(|number| self.sources.take_probed(*number));
        found.late.extend(probed.map(|probed| (probed, true)));
    }

    /// Notes that a page came of which nothing is kept.
    pub(super) fn passed(&mut self, class: &str) {
        for number in self.sources.arrived(self.key_of(class)) {
            self.sources.set_lead(number, Lead::Gone);
            self.sources.take_probed(number);
        }
    }

    /// Compares what a source leads to, on which `page` may have come just now, with what the rules take it for. Answers what
    /// came of it, if it was explored.
    fn judge_source(
        &mut self,
        number: u64,
        page: Option<&mut Newcomer<'_>>,
        (content, is_new): (u64, bool),
        is_fresh: bool,
        found: &mut Found,
    ) -> Option<(Probed, bool)> {
        let probed = self.sources.take_probed(number);
        let source = self.sources.get(number)?;
        // What is said by one class of itself is the word of the rules.
        let twin = Some(source).filter(|source| !source.leads_home());
        let twin = twin.and_then(|source| self.twin_of(&source.class, source.key));
        let verdict = match (&twin, page) {
            (None, _) => Sameness::Unknown,
            (Some(twin), _) if u64::from(twin.content) == content => Sameness::Same,
            (Some(twin), _) if self.is_doubted(u64::from(twin.content), content) => {
                Sameness::Unknown
            }
            (Some(twin), Some(page)) => self.clusters.compare(page, twin.content, &self.book),
            (Some(_), None) => Sameness::Different,
        };
        let is_same = verdict == Sameness::Same;
        let told = probed.map(|probed| (probed, is_same || !is_fresh));
        // That a source leads to what is known already (a form to log in) says nothing of the page that came before it.
        let is_telling = is_same || (verdict == Sameness::Different && is_new);
        if let Some(twin) = twin.as_ref().filter(|_| is_telling) {
            found.late.extend(self.judge_earlier(twin, is_same));
        }
        let rules = twin.map(|twin| twin.merged_by).unwrap_or_default();
        match verdict {
            Sameness::Unknown => {}
            Sameness::Same => {
                self.count_compared(&rules);
                self.count_alone(&rules);
            }
            Sameness::Different => {
                let contradicted = Contradicted::by_source(rules, None);
                self.contradict(contradicted, (content, is_new), found);
            }
        }
        told
    }

    /// Whether nobody can tell two contents apart.
    fn is_doubted(&self, a: u64, b: u64) -> bool {
        self.doubts.contains(&(a.min(b), a.max(b)))
    }

    /// Rules took something for a page that has another content than this one, which may be new.
    pub(super) fn contradict(
        &mut self,
        contradicted: Contradicted,
        (content, is_new): (u64, bool),
        found: &mut Found,
    ) {
        let Contradicted {
            rules,
            by_source,
            known,
        } = contradicted;
        if rules.is_empty() {
            return;
        }
        let is_known_common = known.is_some_and(|known| self.is_common(u64::from(known)));
        let is_own = is_new && !is_known_common && !self.leads_many(content, 2);
        if !by_source || is_own {
            self.withdraw(rules, found);
            return;
        }
        if self.is_common(content) {
            return;
        }
        let mut fallen = Vec::new();
        for at in rules {
            let doubt = self.held_at(at).filter(|held| held.is_active());
            let Some(doubt) = doubt.map(|held| held.doubt) else {
                continue;
            };
            match doubt {
                Some(doubt) if doubt.content == content => {}
                Some(doubt) if !self.is_common(doubt.content) => fallen.push(at),
                _ => {
                    if let Some(held) = self.held_at(at) {
                        held.doubt = Some(Doubt::of(content));
                        found.is_doubtful = true;
                    }
                }
            }
        }
        self.withdraw(fallen, found);
    }

    /// Whether many URLs show a content, such as a login.
    fn is_common(&self, content: u64) -> bool {
        let cluster = ClusterId::try_from(content);
        cluster.is_ok_and(|cluster| self.clusters.pages(cluster) as usize >= MANY)
            || self.leads_many(content, MANY)
    }

    /// Whether sources of so many classes lead to a content.
    fn leads_many(&self, content: u64, many: usize) -> bool {
        let Ok(content) = ClusterId::try_from(content) else {
            return false;
        };
        let mut classes = FxHashSet::default();
        let sources = self.sources.iter();
        let mut leading = sources.filter(|s| s.lead == Lead::To(content) && !s.is_step);
        leading.any(|source| {
            classes.insert(source.key);
            classes.len() >= many
        })
    }

    /// Counts a link that was explored for a rule that is in doubt; `false` when it is not.
    pub(super) fn explored(&mut self, belief: BeliefId) -> bool {
        let name = &self.name;
        let mut rules = self.rules.iter_mut();
        let held = rules.find(|held| held.entry.rule.belief(name) == belief);
        let doubt = held.and_then(|held| held.doubt.as_mut());
        let doubt = doubt.filter(|doubt| doubt.left > 0);
        doubt.map(|doubt| doubt.left -= 1).is_some()
    }

    /// Names the sources by the rules in force, and finds the pages of those that waited under another name.
    pub(super) fn name_sources(&mut self) {
        let in_force = Arc::clone(&self.in_force);
        let open = (self.sources).rename(|class| key_under(&in_force, class));
        for number in open {
            let goal = self.sources.get(number).map(|source| source.goal);
            if let Some(content) = goal.and_then(|goal| self.content_of(goal)) {
                self.sources.found(number, content);
            }
        }
    }
}
