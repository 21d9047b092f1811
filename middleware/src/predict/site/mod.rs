//! What has one site taught us?
//!
//! A page that was fetched is compared with the page that each edit on trial says it equals: one trial per
//! edit and newcomer, never pairs. Content that was there before nominates new edits. Beliefs with enough
//! evidence make up the canonical form of a URL, and a URL is a predicted duplicate when a page with its
//! canonical form was *fetched*: a value never seen together with the rest of this URL is no reason to drop.

mod canonical;
mod learn;
mod propose;
mod redirect;
mod report;
mod settle;
#[cfg(test)]
mod tests;
mod trial;

use nodust_frontier::{BeliefId, Prediction, Probability};
use rustc_hash::FxHashMap;

use super::{
    belief::{Belief, Level},
    config::PredictConfig,
    evidence::Ratios,
    form::{Edit, Form, join},
    yields::{Yields, shape_of},
};
use crate::sign::{ChromeBook, ClusterId, Clusters, PageText};

#[derive(Clone, Debug)]
struct Page {
    url: Box<str>,
    cluster: ClusterId,
}

#[derive(Clone, Debug)]
struct OnTrial {
    edit: Edit,
    active: u32,
    successes: u32,
    failures: u32,
}

impl OnTrial {
    /// Edits that mostly fail are not indexed any more, only checked in passing.
    const fn is_asleep(&self) -> bool {
        self.active == 0 && self.failures >= 6 && self.failures > self.successes
    }
}

/// What an observation did to a site.
#[derive(Debug, Default)]
pub struct Learned {
    /// Beliefs that fell.
    pub withdrawn: Vec<BeliefId>,
    /// Beliefs that stand, but whose drops may have leaned on one that fell: they are to be judged anew.
    pub shaken: Vec<BeliefId>,
    /// Whether the page, fetched as a probe, brought what was predicted.
    pub was_duplicate: Option<bool>,
}

/// Everything known about one site.
#[derive(Debug)]
pub struct Site {
    name: Box<str>,
    config: PredictConfig,
    ratios: Ratios,
    book: ChromeBook,
    clusters: Clusters,
    warming: Option<Vec<(Box<str>, PageText)>>,
    pages: Vec<Page>,
    members: FxHashMap<ClusterId, Vec<u32>>,
    canon: FxHashMap<u64, u32>,
    trials: FxHashMap<u64, u32>,
    redirects: FxHashMap<u64, Vec<Box<str>>>,
    edits: Vec<OnTrial>,
    numbers: FxHashMap<Edit, u32>,
    by_part: FxHashMap<u64, Vec<u32>>,
    general: Vec<u32>,
    beliefs: FxHashMap<u64, Belief>,
    ids: FxHashMap<BeliefId, u64>,
    yields: Yields,
    /// Shapes that were ever over their budget.
    budgets: FxHashMap<BeliefId, u64>,
    candidates: bool,
    stale: bool,
    since_rebuild: usize,
    since_settled: usize,
    generation: u64,
}

fn belief_key(edit: u32, level: Level, context: u64) -> u64 {
    join(join(u64::from(edit) + 1, level as u64), context)
}

fn trial_key(edit: u32, key: u64) -> u64 {
    join(u64::from(edit) ^ 0x7472_6961, key)
}

impl Site {
    /// A site of which nothing is known.
    pub fn new(name: &str, config: &PredictConfig) -> Self {
        Self {
            name: name.into(),
            ratios: Ratios::for_risk(config.risk),
            config: config.clone(),
            book: ChromeBook::default(),
            clusters: Clusters::default(),
            warming: Some(Vec::new()),
            pages: Vec::new(),
            members: FxHashMap::default(),
            canon: FxHashMap::default(),
            trials: FxHashMap::default(),
            redirects: FxHashMap::default(),
            edits: Vec::new(),
            numbers: FxHashMap::default(),
            by_part: FxHashMap::default(),
            general: Vec::new(),
            beliefs: FxHashMap::default(),
            ids: FxHashMap::default(),
            yields: Yields::default(),
            budgets: FxHashMap::default(),
            candidates: false,
            stale: false,
            since_rebuild: 0,
            since_settled: 0,
            generation: 0,
        }
    }

    /// Grows with every change of what would be dropped.
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// Would this URL bring content that was fetched already, and who says so?
    pub fn predict(&self, url: &str) -> Option<Prediction> {
        if self.ids.is_empty() {
            return None;
        }
        let form = Form::parse(url);
        let (canonical, mut applied) = self.canonical(&form);
        let page = *self.canon.get(&canonical.key())?;
        let page_url = &*self.pages.get(page as usize)?.url;
        if page_url == url {
            return None;
        }
        // What made the fetched page stand for both counts as well.
        applied.extend(self.canonical(&Form::parse(page_url)).1);
        // The least sure of them answers for the drop.
        let weakest = applied
            .iter()
            .filter_map(|key| self.beliefs.get(key))
            .min_by(|a, b| {
                a.evidence
                    .probability()
                    .total_cmp(&b.evidence.probability())
            })?;
        let probability = weakest.evidence.probability();
        if probability < self.config.threshold {
            return None;
        }
        Some(Prediction {
            belief: self.id_of(weakest),
            probability: Probability::new(probability)?,
        })
    }

    /// Whether the shape of this URL has used up its budget: the budget's name, and the pages allowed.
    pub fn over_budget(&self, url: &str) -> Option<(BeliefId, u32)> {
        let shape = shape_of(&Form::parse(url));
        let limit = self.yields.over(shape, self.config.budget)?;
        Some((self.budget_id(shape), limit))
    }

    /// Place of a link in the queue of its host: the usual one, or behind where its shape seldom brings
    /// anything new.
    pub fn priority(&self, url: &str) -> Option<u8> {
        if self.config.breadth_first {
            return None;
        }
        let novelty = self.yields.novelty(shape_of(&Form::parse(url)))?;
        (novelty < 0.1).then_some(64)
    }

    fn budget_id(&self, shape: u64) -> BeliefId {
        BeliefId::of(&self.name, &format!("budget|{shape:016x}"))
    }

    pub(super) fn id_of(&self, belief: &Belief) -> BeliefId {
        let edit = &self.edits[belief.edit as usize].edit;
        BeliefId::of(
            &self.name,
            &format!("{edit}|{:?}|{:016x}", belief.level, belief.context),
        )
    }
}
