//! What is saved of a crawl, and what is lost?

use std::{
    error::Error,
    sync::{Arc, Mutex, PoisonError},
};

use nodust_crawler::replay::{Limits, Log, Record, replay};
use nodust_frontier::{
    Admitted, BeliefCounts, BeliefRecord, CanonicalUrl, DecisionSink, Dropped, Exploration,
    LocalFrontier, Prediction, Probability,
};
use nodust_middleware::{Config, filter::ScopeKind, predict::PredictConfig, standard_chain};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Crawl, Page};

/// Share of believed duplicates that are fetched all the same: the default of a crawl.
const EXPLORATION: f64 = 0.05;

/// How a crawl is played.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one switch of the benchmark"
)]
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// What exploration depends on.
    pub seed: u64,
    /// Accepted share of wrong drops.
    pub risk: f64,
    /// Whether static normalization is in the chain.
    pub normalize: bool,
    /// Whether prediction is.
    pub predict: bool,
    /// Whether the crawl learns rewrite rules.
    pub learn: bool,
    /// In the order of a plain crawl, line by line, instead of from link to link.
    pub by_line: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            seed: 0,
            risk: PredictConfig::default().risk,
            normalize: true,
            predict: true,
            learn: false,
            by_line: false,
        }
    }
}

/// What became of a crawl.
#[derive(Clone, Debug, Default)]
pub struct Score {
    /// URLs that a plain crawl fetches.
    pub pages: usize,
    /// Their contents.
    pub contents: usize,
    /// URLs that were fetched.
    pub fetched: usize,
    /// Of `pages - contents`, those that were not fetched. Copies of a lost content count, too: [`lost`](Self::lost) tells of it.
    pub avoided: usize,
    /// Contents none of whose URLs was fetched.
    pub lost: usize,
    /// URLs that prediction or a learned rule dropped, and whose content is lost.
    pub wrong_drops: usize,
    /// URLs that static normalization held for another, and whose content is lost.
    pub wrong_merges: usize,
    /// An address of each content that is lost.
    pub examples: Vec<String>,
    /// What was believed, the busiest first.
    pub beliefs: Vec<(BeliefRecord, BeliefCounts)>,
}

impl Score {
    /// Duplicates that a program that knows all would not fetch.
    pub const fn avoidable(&self) -> usize {
        self.pages - self.contents
    }

    /// Share of the contents that is lost.
    pub fn lost_share(&self) -> f64 {
        self.lost as f64 / self.contents.max(1) as f64
    }

    /// Share of the duplicates that were avoided; 1 where there are none.
    pub fn avoided_share(&self) -> f64 {
        match self.avoidable() {
            0 => 1.0,
            of => self.avoided as f64 / of as f64,
        }
    }
}

/// Who is told what is fetched and what is not.
#[derive(Debug, Default)]
struct Witness(Mutex<Told>);

#[derive(Debug, Default)]
struct Told {
    fetched: FxHashSet<String>,
    predicted: FxHashSet<String>,
    merged: FxHashSet<String>,
}

impl DecisionSink for Witness {
    fn fetched(&self, url: &Admitted, _: Option<Prediction>) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.fetched.insert(url.url.as_str().to_owned());
    }

    fn dropped(&self, url: &str, dropped: &Dropped, _: Option<&str>) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let set = match dropped.stage {
            "predict" | "rules" => &mut told.predicted,
            _ => &mut told.merged,
        };
        set.insert(url.to_owned());
    }
}

/// Plays a crawl through chain, frontier and predictor, filters left out, and learned rules unless they are asked for, all else being as it is by default.
///
/// # Errors
/// When a setting makes no sense, or a URL is none.
pub fn play(crawl: &Crawl, setup: &Setup) -> Result<Score, Box<dyn Error>> {
    let mut config = Config {
        no_filter: true,
        no_rules: !setup.learn,
        no_normalize: !setup.normalize,
        ..Config::default()
    };
    config.scope.kind = ScopeKind::Any;
    config.predict.risk = setup.risk;
    config.predict.enabled = setup.predict;
    config.rules.learn = setup.learn;
    let mut log = Log::default();
    for page in &crawl.pages {
        log.push(record(page));
    }
    let starts = log.starts();
    let seeds: Vec<CanonicalUrl> = (starts.iter())
        .map(|url| url.parse())
        .collect::<Result<_, _>>()?;
    let share = Probability::new(EXPLORATION).ok_or("no share")?;
    let witness = Arc::new(Witness::default());
    let frontier = LocalFrontier::builder(standard_chain(&config, &seeds)?)
        .exploration(Exploration::new(share, setup.seed))
        .sink(Arc::clone(&witness) as Arc<dyn DecisionSink>)
        .build()?;
    let limits = Limits {
        ignore_links: setup.by_line,
        ..Limits::default()
    };
    replay(&frontier, &log, Some(&*witness), &limits)?;
    let beliefs = frontier.beliefs()?;
    let told = witness.0.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(Score {
        beliefs,
        ..score(crawl, &told)?
    })
}

fn record(page: &Page) -> Record {
    Record {
        url: page.url.clone(),
        status: page.redirect.is_some().then_some(302),
        text: Some(page.text.clone()),
        links: Some(page.links.clone()),
        redirect_to: page.redirect.clone(),
        canonical: page.canonical.clone(),
        ..Record::default()
    }
}

fn score(crawl: &Crawl, told: &Told) -> Result<Score, Box<dyn Error>> {
    let mut first: FxHashMap<&str, &str> = FxHashMap::default();
    let mut reached: FxHashSet<&str> = FxHashSet::default();
    let mut dropped: Vec<(&str, bool)> = Vec::new();
    let mut score = Score {
        pages: crawl.pages.len(),
        ..Score::default()
    };
    for page in &crawl.pages {
        let url: CanonicalUrl = page.url.parse()?;
        first.entry(&page.label).or_insert(&page.url);
        if told.fetched.contains(url.as_str()) {
            score.fetched += 1;
            if page.redirect.is_none() {
                reached.insert(&page.label);
            }
        } else if told.predicted.contains(url.as_str()) {
            dropped.push((&page.label, true));
        } else if told.merged.contains(url.as_str()) {
            dropped.push((&page.label, false));
        }
    }
    score.contents = first.len();
    score.lost = score.contents - reached.len();
    score.avoided = (score.avoidable() + reached.len()).saturating_sub(score.fetched);
    for (label, is_predicted) in dropped {
        if !reached.contains(label) {
            score.wrong_drops += usize::from(is_predicted);
            score.wrong_merges += usize::from(!is_predicted);
        }
    }
    let mut lost: Vec<&str> = (first.iter())
        .filter(|(label, _)| !reached.contains(*label))
        .map(|(_, url)| *url)
        .collect();
    lost.sort_unstable();
    score.examples = lost.into_iter().map(str::to_owned).collect();
    Ok(score)
}
