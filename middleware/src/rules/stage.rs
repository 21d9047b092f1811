//! The stage that applies rewrite rules.
//!
//! It runs after static normalization and changes only the class. The class names the belief that made it; if several
//! rules were involved, the belief is their combination, and falls with any of them.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock},
};

use serde::{Deserialize, Serialize};

use nodust_frontier::{
    BeliefId, BeliefRecord, Candidate, Effects, HostKey, Live, Middleware, Observation, StageName,
    Untried, Verdict, Via,
};

use crate::learn::online::Learner;

use super::{
    book::{RuleBook, RuleSet, site_name},
    parts::slices,
    site::SiteRules,
};

/// Name of the stage.
pub const RULES: StageName = "rules";

/// Settings of the rules stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RulesConfig {
    /// A rules file, as `nodust learn` writes it.
    pub file: Option<PathBuf>,
    /// Explore some of the links that rules of the file drop, and compare them with the pages that they were taken for.
    /// A rule that is contradicted falls for this crawl, unless it is pinned, and its links come back. Without
    /// exploration, nothing is found out. If no rule of a site may fall (this is off, or all are pinned, and none was
    /// learned), nothing that its rules drop is explored.
    pub audit: bool,
    /// Learn rules from the pages of the crawl, and apply those that later pages have proved. Off by default: it takes
    /// memory and time, rules act on less proof than beliefs do, and beside prediction it saved a tenth more on twenty
    /// recorded applications. The store keeps the rules, and the pages that they are learned from.
    pub learn: bool,
    /// Number of later pages that must confirm a rule before it is applied, beyond those that its kind needs to be proposed (1 to 24);
    /// fifty more for each page that speaks against it. With few, rules act soon, but may be wrong if what holds for the first dozens of
    /// pages does not hold for later ones.
    pub proof: u32,
    /// Most pages that are remembered for learning or audit, of all hosts together; about 600 bytes each.
    pub max_pages: usize,
}

impl Default for RulesConfig {
    fn default() -> Self {
        Self {
            file: None,
            audit: true,
            learn: false,
            proof: 8,
            max_pages: 500_000,
        }
    }
}

/// Combinations of rules that are remembered by name; beyond that the last rule answers alone.
const MAX_COMBINATIONS: usize = 100_000;

/// The stage that applies learned rules.
///
/// ```
/// use std::sync::Arc;
/// use nodust_middleware::{frontier::{Batch, Chain, RawUrl, Via}, rules::{RuleBook, Rules, SiteRules}};
///
/// let book = Arc::new(RuleBook::default());
/// let rule = "has:query.t => drop:query.f".parse()?;
/// book.publish([("e.org".to_owned(), SiteRules::new("e.org", [rule]))]);
/// let chain = Chain::new().then(Rules::new(Arc::clone(&book)));
/// let mut batch = Batch::default();
/// chain.judge(&Via::seed(), &[RawUrl::new("http://e.org/?f=1&t=2")], &mut batch);
/// let link = batch.survivors().next().unwrap();
/// assert_eq!((link.url().as_str(), link.class()), ("http://e.org/?f=1&t=2", "http://e.org/?t=2"));
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Default)]
pub struct Rules {
    book: Arc<RuleBook>,
    learner: Option<Learner>,
    /// Another stage compares what rules drop that may not fall.
    is_audited_elsewhere: bool,
    /// Guards the names of combinations, and of rules for all hosts on each; written once for each.
    combined: RwLock<HashMap<BeliefId, Vec<BeliefId>>>,
}

impl Rules {
    /// A stage that applies the rules in the book.
    pub fn new(book: Arc<RuleBook>) -> Self {
        Self {
            book,
            learner: None,
            is_audited_elsewhere: false,
            combined: RwLock::default(),
        }
    }

    /// The same stage, with a learner that publishes to the same book.
    #[must_use]
    pub fn with_learner(mut self, learner: Learner) -> Self {
        self.learner = Some(learner);
        self
    }

    /// The same stage, for use with a stage of your own that compares the explored links that these rules drop, and withdraws
    /// rules ([`withdrawn_with`](Self::withdrawn_with)). Otherwise nothing is explored of a site none of whose rules may
    /// fall, just as with what static normalization drops: nobody would compare it.
    #[must_use]
    pub const fn audited_elsewhere(mut self) -> Self {
        self.is_audited_elsewhere = true;
        self
    }

    /// The learner, if there is one.
    pub const fn learner(&self) -> Option<&Learner> {
        self.learner.as_ref()
    }

    /// The belief, with every combination that it is part of: everything that falls when it falls.
    pub fn withdrawn_with(&self, belief: BeliefId) -> Vec<BeliefId> {
        let combined = self.combined.read().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<BeliefId> = combined
            .iter()
            .filter(|(_, parts)| parts.contains(&belief))
            .map(|(id, _)| *id)
            .collect();
        all.sort_unstable();
        all.insert(0, belief);
        all
    }

    fn apply(&self, rules: &RuleSet, link: &mut Candidate) {
        let class = link.class();
        // Rules speak about classes, so their host decides; a class need not have the wire URL's.
        let host = slices(class).map_or(link.host().as_str(), |(_, host, ..)| host);
        let Some(site) = rules.site(host) else { return };
        let Some(canon) = site.canon(class) else {
            return;
        };
        let Some(belief) = self.name(site, host, &canon.fired) else {
            return;
        };
        link.merge_into(canon.class, belief);
    }

    fn name(&self, site: &SiteRules, host: &str, fired: &[usize]) -> Option<BeliefId> {
        if let Some(at) = site.answers(fired) {
            let belief = site.belief_on(at, self.site_of(host))?;
            let known_as = site.belief(at)?;
            if belief != known_as {
                self.remember(belief, &[known_as]);
            }
            return Some(belief);
        }
        let last = site.belief(*fired.last()?)?;
        if fired.len() == 1 {
            return Some(last);
        }
        let parts: Vec<BeliefId> = fired.iter().filter_map(|at| site.belief(*at)).collect();
        let text: Vec<String> = parts.iter().map(ToString::to_string).collect();
        let id = BeliefId::of(host, &text.join(" "));
        Some(if self.remember(id, &parts) { id } else { last })
    }

    /// Remembers by which names the book knows what a belief is made of; `false`: there are too many of them.
    fn remember(&self, belief: BeliefId, parts: &[BeliefId]) -> bool {
        let known = self.combined.read().unwrap_or_else(PoisonError::into_inner);
        if known.contains_key(&belief) {
            return true;
        }
        if known.len() >= MAX_COMBINATIONS {
            return false;
        }
        drop(known);
        let mut combined = (self.combined.write()).unwrap_or_else(PoisonError::into_inner);
        if combined.len() >= MAX_COMBINATIONS && !combined.contains_key(&belief) {
            return false;
        }
        combined.entry(belief).or_insert_with(|| parts.to_vec());
        true
    }

    /// The site that a host belongs to.
    fn site_of<'h>(&'h self, host: &'h str) -> &'h str {
        let learner = self.learner.as_ref();
        learner.map_or(site_name(host), |learner| learner.site_of(host))
    }
}

impl Middleware for Rules {
    fn name(&self) -> StageName {
        RULES
    }

    fn judge(&self, link: &mut Candidate, _via: &Via<'_>) -> Verdict {
        self.apply(&self.book.read(), link);
        Verdict::Pass
    }

    fn judge_all(&self, live: &mut Live<'_>, _via: &Via<'_>) {
        let rules = self.book.read();
        live.each(|link| {
            self.apply(&rules, link);
            Verdict::Pass
        });
    }

    fn generation(&self, host: &HostKey) -> u64 {
        self.book.read().generation(host.as_str())
    }

    fn observe(&self, seen: &Observation<'_>, effects: &mut Effects) {
        let Some(learner) = &self.learner else {
            return;
        };
        let before = effects.renamed.len();
        learner.observe(seen, effects);
        let Some((host, _)) = effects.renamed.get(before).cloned() else {
            return;
        };
        // What several rules dropped together, none of which may fall, is judged again, too.
        let combined = self.combined.read().unwrap_or_else(PoisonError::into_inner);
        let renamed = &effects.renamed[before..];
        let is_of_them = |part: &BeliefId| renamed.iter().any(|(_, belief)| belief == part);
        let together = combined
            .iter()
            .filter(|(_, parts)| parts.iter().any(is_of_them));
        let mut together: Vec<_> = together.map(|(id, _)| (host.clone(), *id)).collect();
        together.sort_unstable();
        effects.renamed.extend(together);
    }

    fn work(&self) -> bool {
        self.learner.as_ref().is_some_and(Learner::work)
    }

    fn checkpoint(&self, effects: &mut Effects) {
        if let Some(learner) = &self.learner {
            learner.checkpoint(effects);
        }
    }

    fn restore(&self, key: &str, value: &[u8]) -> Result<(), String> {
        match &self.learner {
            Some(learner) => learner.restore(key, value),
            None => Ok(()),
        }
    }

    fn restored(&self) -> Vec<String> {
        let learner = self.learner.as_ref();
        learner.map_or_else(Vec::new, Learner::restored)
    }

    fn belief(&self, belief: BeliefId) -> Option<BeliefRecord> {
        self.learner.as_ref()?.record(belief)
    }

    fn beliefs(&self, each: &mut dyn FnMut(BeliefRecord)) {
        if let Some(learner) = &self.learner {
            learner.records(each);
        }
    }

    fn belief_generation(&self, belief: BeliefId) -> u64 {
        let learner = self.learner.as_ref();
        learner.and_then(|l| l.activations(belief)).unwrap_or(0)
    }

    fn explores(&self, link: &Candidate, belief: BeliefId) -> bool {
        if self.is_audited_elsewhere {
            return true;
        }
        let rules = self.book.read();
        let hosts = [
            Some(link.host().as_str()),
            slices(link.class()).map(|parts| parts.1),
        ];
        let sites = hosts
            .into_iter()
            .flatten()
            .filter_map(|host| rules.site(host));
        let sites: Vec<_> = sites.collect();
        // The page that the link is taken for may have its class from a rule that may fall: then the link tells of that one.
        if sites.iter().any(|site| site.any_may_fall()) {
            return true;
        }
        let stands = |part: &BeliefId| sites.iter().any(|site| site.has(*part));
        let combined = self.combined.read().unwrap_or_else(PoisonError::into_inner);
        let parts = combined.get(&belief).map(Vec::as_slice);
        !parts.unwrap_or(&[belief]).iter().all(stands)
    }

    fn untried(&self, link: &Candidate, belief: BeliefId) -> Option<Untried> {
        self.learner.as_ref()?.untried(link.url(), belief)
    }

    fn describe(&self, belief: BeliefId) -> Option<String> {
        let parts = {
            let combined = self.combined.read().unwrap_or_else(PoisonError::into_inner);
            combined.get(&belief).cloned()
        };
        let rules = self.book.read();
        match parts {
            None => (self.learner.as_ref())
                .and_then(|learner| learner.describe(belief))
                .or_else(|| rules.describe(belief)),
            Some(parts) => {
                let lines: Vec<String> = parts.iter().filter_map(|b| rules.describe(*b)).collect();
                (!lines.is_empty()).then(|| lines.join(" ; then "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Arc, Middleware, RuleBook, Rules, SiteRules};
    use nodust_frontier::{Candidate, RawUrl, Via};

    #[test]
    fn a_class_made_by_two_rules_falls_with_either() {
        let book = Arc::new(RuleBook::default());
        let rules = ["has:query.t => drop:query.f", "has:query.t => drop:query.p"];
        let site = SiteRules::new("e.org", rules.iter().map(|r| r.parse().unwrap()));
        let (first, second) = (site.belief(0).unwrap(), site.belief(1).unwrap());
        book.publish([("e.org".to_owned(), site)]);
        let stage = Rules::new(book);
        let via = Via::seed();
        let mut link = Candidate::resolve(RawUrl::new("http://e.org/?f=1&p=2&t=3"), &via).unwrap();
        let _ = stage.judge(&mut link, &via);
        assert_eq!(link.class(), "http://e.org/?t=3");
        let belief = link.merged_by().unwrap();
        assert_eq!(stage.withdrawn_with(first), [first, belief]);
        assert_eq!(stage.withdrawn_with(second), [second, belief]);
        assert!(stage.describe(belief).unwrap().contains("; then"));
    }
}
