//! Checks the rules against the pages that come back.
//!
//! A page with the class of an earlier one is compared with it: that is a trial of the rules without which the two
//! would not be one. A rule from a file counts as untried until some trials succeeded.

use std::sync::Arc;

use nodust_frontier::{BeliefId, Untried};
use xxhash_rust::xxh3::xxh3_64;

use super::{
    RuleSource,
    early::FIRST_TEXTS,
    held::{FIRST_TRIALS, Held, PROVED_ALONE},
    host::{Found, Host},
    sources::{Lead, Probed},
};
use crate::{
    rules::{SiteRules, Status},
    sign::{ClusterId, Newcomer, PageText, Sameness},
};

/// Links that are explored, by chance or not, for one untried rule: some cannot be told of.
const MOST_FIRST_PROBES: u64 = 32;

/// Marks a text among the numbers of contents.
const NOT_KEPT: u64 = 1 << 63;

/// Name of the page that these rules take a class for.
pub(super) fn key_under(rules: &SiteRules, class: &str) -> u64 {
    let canon = rules.canon(class);
    xxh3_64(canon.as_ref().map_or(class, |c| &c.class).as_bytes())
}

/// What the rules take a page for.
#[derive(Debug)]
pub(super) struct Twin {
    pub(super) content: ClusterId,
    /// The rules without which it would not be taken for that.
    pub(super) merged_by: Vec<usize>,
    /// Its place among the pages. `None`: no page of the class is known, only where a URL of it leads.
    pub(super) at: Option<u32>,
}

/// Rules that took a page for another one.
#[derive(Debug, Default)]
pub(super) struct Contradicted {
    pub(super) rules: Vec<usize>,
    /// One of the two redirects.
    pub(super) by_source: bool,
    /// What the one leads to that stands for the other.
    pub(super) known: Option<ClusterId>,
}

impl Contradicted {
    pub(super) const fn by_source(rules: Vec<usize>, known: Option<ClusterId>) -> Self {
        Self {
            rules,
            by_source: true,
            known,
        }
    }
}

impl Host {
    /// Compares a page with the one that the rules take it for, and keeps nothing of it: there are as many as
    /// may be, or it is one of another site. `abroad`: the content that it has there, and whether it was not met before.
    pub(super) fn audit(
        &mut self,
        class: &str,
        text: &PageText<'_>,
        abroad: Option<(u64, bool)>,
    ) -> Found {
        let mut found = Found::default();
        if self.warming.is_none() {
            let mut page = Newcomer::new(text, &self.book);
            let key = self.key_of(class);
            let (_, contradicted) = self.compare(class, key, &mut page, &mut found);
            let known = self.clusters.find(&mut page, &self.book);
            let content = match (known, abroad) {
                (Some(content), _) => (u64::from(content), false),
                (None, Some((content, is_new))) => (content | NOT_KEPT, is_new),
                // Nobody knows which content it is: another one than all that are kept.
                (None, None) => (text.exact() | NOT_KEPT, true),
            };
            self.contradict(contradicted, content, &mut found);
            self.tell_sources((key, Lead::Gone), &mut page, content, &mut found);
        }
        found
    }

    /// Pages that rules were compared with, as far as that matters.
    pub(super) fn first_trials(&self) -> u32 {
        let compared = self.rules.iter();
        let compared = compared.map(|held| held.compared.min(FIRST_TRIALS) + held.alone);
        compared.sum()
    }

    /// Which content the page has if the rules take it for another one rightly; otherwise who takes it for that.
    pub(super) fn compare(
        &mut self,
        class: &str,
        key: u64,
        page: &mut Newcomer<'_>,
        found: &mut Found,
    ) -> (Option<ClusterId>, Contradicted) {
        let nothing = (None, Contradicted::default());
        let Some(twin) = self.twin_of(class, key) else {
            return nothing;
        };
        let verdict = self.clusters.compare(page, twin.content, &self.book);
        if verdict == Sameness::Unknown {
            return nothing;
        }
        let is_same = verdict == Sameness::Same;
        found.was_duplicate = Some(is_same);
        found.late.extend(self.judge_earlier(&twin, is_same));
        self.count_compared(&twin.merged_by);
        found.merged_by = self.beliefs_of(&twin.merged_by);
        if is_same {
            self.count_alone(&twin.merged_by);
            (Some(twin.content), Contradicted::default())
        } else {
            let contradicted = Contradicted {
                rules: twin.merged_by,
                by_source: twin.at.is_none(),
                known: twin.at.is_none().then_some(twin.content),
            };
            (None, contradicted)
        }
    }

    /// What came of the page that the rules took for another one, if it was explored and came before that. What other rules
    /// merge says nothing of the one that it was explored for.
    pub(super) fn judge_earlier(&mut self, twin: &Twin, is_same: bool) -> Option<(Probed, bool)> {
        let at = twin.at?;
        let belief = self.unjudged.get(&at)?.belief;
        let merges = |rule: &usize| self.in_force.belief_on(*rule, &self.name) == Some(belief);
        if !twin.merged_by.is_empty() && !twin.merged_by.iter().any(merges) {
            return None;
        }
        Some((self.unjudged.remove(&at)?, is_same))
    }

    /// What the rules in force take a class for that is named by `key`: the page that stands for it, or what another source
    /// leads to.
    pub(super) fn twin_of(&self, class: &str, key: u64) -> Option<Twin> {
        if let Some(at) = self.by_class.get(&key) {
            let page = &self.pages[*at as usize];
            return (*page.class != *class).then(|| Twin {
                at: Some(*at),
                content: page.cluster,
                merged_by: self.who_merges(class, &page.class),
            });
        }
        let mut sources = self.sources.of_class(key);
        sources.find_map(|source| {
            let content = match source.lead {
                Lead::To(content) if *source.class != *class => content,
                _ => return None,
            };
            Some(Twin {
                content,
                merged_by: self.who_merges(class, &source.class),
                at: None,
            })
        })
    }

    /// Whether a rule of a file acts of which its pages have shown nothing yet.
    pub(super) fn has_untried(&self) -> bool {
        self.rules.iter().any(Held::is_untried)
    }

    /// Such a rule among those that make a class one with the class of the page that stands for it; where that was
    /// not fetched yet, among those that act on the class, or else the one that answers for it.
    pub(super) fn untried(&self, class: &str, belief: BeliefId) -> Option<Untried> {
        let key = self.key_of(class);
        let twin = match &self.warming {
            Some(warming) => {
                let mut classes = warming.iter().map(|page| &*page.class);
                classes.find(|twin| self.key_of(twin) == key)
            }
            None => (self.by_class.get(&key)).map(|at| &*self.pages[*at as usize].class),
        };
        let canon = self.in_force.canon(class);
        let merges = match twin {
            Some(twin) => self.who_merges(class, twin),
            None => self.who_merges(class, canon.as_ref().map_or(class, |c| &c.class)),
        };
        let is_untried = |at: &usize| {
            let rule = self.in_force.rule(*at);
            let mut rules = self.rules.iter();
            rules.any(|held| Some(&held.entry.rule) == rule && held.is_untried())
        };
        let belief = match merges.into_iter().find(is_untried) {
            Some(at) => self.in_force.belief_on(at, &self.name)?,
            None if twin.is_none() && canon.is_none() => {
                self.held(belief).filter(|held| held.is_untried())?;
                belief
            }
            None => return None,
        };
        Some(Untried {
            belief,
            at_once: if self.is_warming() {
                FIRST_TEXTS as u64
            } else {
                u64::from(FIRST_TRIALS)
            },
            // Those that are explored for a doubt are counted here.
            most: if self.held(belief).is_some_and(Held::is_doubted) {
                u64::MAX
            } else {
                MOST_FIRST_PROBES
            },
        })
    }

    /// Notes that rules at these places were put to the test.
    pub(super) fn count_compared(&mut self, rules: &[usize]) {
        for at in rules {
            let held = self.held_at(*at);
            if let Some(held) = held.filter(|held| held.source != RuleSource::Crawl) {
                held.compared = held.compared.saturating_add(1);
            }
        }
    }

    /// Notes that rules at these places took a page for another one rightly.
    pub(super) fn count_alone(&mut self, rules: &[usize]) {
        if let [at] = rules
            && let Some(held) = self.held_at(*at)
        {
            held.alone = (held.alone + 1).min(PROVED_ALONE);
        }
    }

    /// The beliefs in rules at these places.
    pub(super) fn beliefs_of(&self, rules: &[usize]) -> Vec<BeliefId> {
        let beliefs = rules.iter();
        let beliefs = beliefs.filter_map(|at| self.in_force.belief_on(*at, &self.name));
        beliefs.collect()
    }

    /// Those of several rules that answer for what they did together: the others were right by themselves. All, where all were,
    /// or none.
    fn blamed_of(&mut self, mut rules: Vec<usize>) -> Vec<usize> {
        let mut is_proved = |at: &usize| {
            self.held_at(*at)
                .is_some_and(|held| held.alone >= PROVED_ALONE)
        };
        let unproved: Vec<usize> = rules.iter().copied().filter(|at| !is_proved(at)).collect();
        if !unproved.is_empty() {
            rules = unproved;
        }
        rules
    }

    /// Name of the page that the rules take a class for.
    pub(super) fn key_of(&self, class: &str) -> u64 {
        key_under(&self.in_force, class)
    }

    /// What is known of the rule at a place of those in force.
    pub(super) fn held_at(&mut self, at: usize) -> Option<&mut Held> {
        let rule = self.in_force.rule(at);
        (self.rules.iter_mut()).find(|held| Some(&held.entry.rule) == rule)
    }

    /// Rules that were contradicted are in force no more.
    pub(super) fn withdraw(&mut self, fallen: Vec<usize>, found: &mut Found) {
        for at in self.blamed_of(fallen) {
            let held = self.held_at(at);
            if let Some(held) = held.filter(|held| held.is_active()) {
                let entry = Arc::make_mut(&mut held.entry);
                entry.status = Status::Withdrawn;
                entry.evidence.failures += 1;
                entry.evidence.trials += 1;
                let rule = entry.rule.clone();
                let belief = rule.belief(&self.name);
                found.fallen.push(belief);
                // What it took for one page is none any more.
                self.unjudged.retain(|_, probed| probed.belief != belief);
            }
        }
    }

    /// The rules without which the two classes would not be one; all, where each of them is enough. Of those that
    /// may fall.
    pub(super) fn who_merges(&self, a: &str, b: &str) -> Vec<usize> {
        let canons = [a, b]
            .into_iter()
            .filter_map(|url| self.in_force.canon(url));
        let mut fired: Vec<usize> = canons.flat_map(|canon| canon.fired).collect();
        fired.sort_unstable();
        fired.dedup();
        fired.retain(|at| self.in_force.may_fall(*at));
        let parts_without = |at: &usize| {
            let class = |url: &str| {
                let canon = self.in_force.canon_without(url, *at);
                canon.map_or_else(|| url.to_owned(), |c| c.class)
            };
            class(a) != class(b)
        };
        let needed: Vec<usize> = fired
            .iter()
            .copied()
            .filter(|at| parts_without(at))
            .collect();
        if needed.is_empty() { fired } else { needed }
    }
}
