//! Learns rewrite rules from URLs whose pages are known.
//!
//! Two learners propose rules into one pool: the pattern tree (Lei et al., WWW 2010) works top down from how a site's
//! URLs are built, and equivalence classes (Najork, US patent) bottom up from URLs of one page. The rules of the pool
//! are validated, narrowed and selected together ([`learn`]). [`eval`] measures the result, and [`online`] does all
//! this while a crawl goes on.
//!
//! ```
//! use nodust_middleware::learn::{Options, Sample, learn};
//!
//! let samples: Vec<Sample> = (0..40)
//!     .flat_map(|t| {
//!         let page = format!("topic {t}");
//!         [
//!             Sample::new(format!("http://f.example/view.php?t={t}"), &page),
//!             Sample::new(format!("http://f.example/view.php?ref={}&t={t}", t % 7), &page),
//!         ]
//!     })
//!     .collect();
//! let site = learn(&samples, &Options::default());
//! let canon = site.compile().canon("http://f.example/view.php?ref=new&t=99").unwrap();
//! assert_eq!(canon.class, "http://f.example/view.php?t=99");
//! ```

mod accept;
mod barred;
mod changes;
mod classes;
mod columns;
mod contents;
mod count;
mod deed;
pub mod eval;
mod explain;
mod found;
mod graph;
mod groups;
mod halves;
mod joint;
mod kinds;
mod limits;
mod luck;
mod made;
mod narrow;
mod needs;
mod offers;
pub mod online;
mod parallel;
mod part;
mod places;
mod prior;
mod rows;
mod sample;
mod sections;
mod select;
mod sinks;
mod sites;
mod table;
mod tally;
#[cfg(test)]
mod tests;
mod texts;
mod tree;
mod values;
mod wider;

use std::str::FromStr;

use rustc_hash::{FxHashMap, FxHashSet};

pub use count::{Counts, Item, count, easy_key};
pub use sample::{Sample, SampleReader, Samples, Unread, read_samples};
pub use sites::{SiteSamples, group_by_site};

use crate::rules::{Rule, Site, SiteRules, site_name, slices};
use barred::Barred;
use table::Table;

/// Which learner proposes rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// The pattern tree alone.
    Tree,
    /// Equivalence classes alone.
    Classes,
    /// Both, into one pool.
    #[default]
    Both,
}

impl Algorithm {
    /// Whether equivalence classes propose.
    pub const fn uses_classes(self) -> bool {
        matches!(self, Self::Classes | Self::Both)
    }

    /// Whether the pattern tree proposes.
    pub const fn uses_tree(self) -> bool {
        matches!(self, Self::Tree | Self::Both)
    }
}

impl FromStr for Algorithm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "tree" => Ok(Self::Tree),
            "classes" => Ok(Self::Classes),
            "both" => Ok(Self::Both),
            _ => Err(format!("`{text}`: expected `tree`, `classes` or `both`")),
        }
    }
}

/// Which of the rules that hold up on their own are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// Those that save most, one by one, if they still hold up on top of those taken before.
    Joint,
    /// Those that lead to one destination each without conflicts, by a random walk over the site's ways of writing
    /// URLs, in the order in which they chain (Lei et al. 2010, equation 7). Each still has to hold up on top of the
    /// others.
    #[default]
    Graph,
    /// All, whatever they do to each other: a baseline to measure against.
    Naive,
}

/// How rules are learned.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which learner proposes.
    pub algorithm: Algorithm,
    /// Largest share of merged pairs that may be different pages, over all rules of the site.
    pub fpr_max: f64,
    /// Largest share of the site's pages that its rules may hide.
    pub loss_max: f64,
    /// Largest share of the groups merged by one rule that may hold more than one page. Pages change while
    /// a site is crawled, so that even a perfect rule fails now and then.
    pub failures_max: f64,
    /// Groups that must have become one page each before a rule is believed.
    pub min_trials: u64,
    /// Clusters with this many URLs or more are error pages and the like: no evidence about the pages of the site.
    pub giant: usize,
    /// The most URLs that are learned from, all by default. Later ones are left out, and no rule is checked against
    /// them.
    pub max_samples: usize,
    /// If a site has more than twice as many URLs, proposals come from a part of them: about this many, all the URLs of pages drawn by
    /// hash, and at most as many of those that lead to pages with very many URLs. Rules are checked against all URLs in any case. This
    /// keeps the time for learning near that for reading; a rule for a few pages of a large site may not be found.
    pub max_proposed_from: usize,
    /// The most proposals that are tried in one round.
    pub max_proposals: usize,
    /// The most rules of a site.
    pub max_rules: usize,
    /// Whether rules about pieces of names are proposed. Such a rule merges all names that begin or end alike, numbers and
    /// words, also those of pages to come. If prediction is on, it does the same with more care.
    pub pieces: bool,
    /// Which of the rules that hold up are taken.
    pub selection: Selection,
    /// The number of threads for learning, including the caller's; 0 means 1. What is learned does not depend on it.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            algorithm: Algorithm::Both,
            fpr_max: 0.01,
            loss_max: 0.005,
            failures_max: 0.05,
            min_trials: 3,
            giant: 20,
            max_samples: usize::MAX,
            max_proposed_from: 8_000,
            max_proposals: 1_000,
            max_rules: 200,
            pieces: true,
            selection: Selection::Graph,
            threads: 1,
        }
    }
}

/// Learns the rules of a site from classes whose pages are known. Equal samples give equal rules, in whatever
/// order they come (up to [`Options::max_samples`]).
pub fn learn(samples: &[Sample], options: &Options) -> Site {
    learn_without(samples, options, &[])
}

/// As [`learn`], but never proposes the vetoed rules, nor rules that [defy](crate::rules::defies) them.
pub fn learn_without(samples: &[Sample], options: &Options, vetoed: &[Rule]) -> Site {
    let barred = Barred {
        vetoed,
        ..Barred::default()
    };
    learn_behind(samples, options, barred, &FxHashSet::default(), None)
}

/// The same, if these pairs of clusters (the smaller first) may be one content, which nobody can tell; in a crawl
/// behind the rules that are `in_force`.
pub(crate) fn learn_behind(
    samples: &[Sample],
    options: &Options,
    barred: Barred<'_>,
    doubts: &FxHashSet<(u64, u64)>,
    in_force: Option<&SiteRules>,
) -> Site {
    let samples = &samples[..samples.len().min(options.max_samples)];
    let part = part::some_pages(samples, options);
    let table = || {
        let table = match &part {
            Some(part) => Table::new(part.iter().copied(), options.giant),
            None => Table::new(samples, options.giant),
        };
        table.with_doubts(doubts.clone())
    };
    let tree = |table: &Table<'_>| {
        if options.algorithm.uses_tree() {
            tree::propose(table)
        } else {
            Vec::new()
        }
    };
    let select = |apart| select::select(&mut table(), options, &tree, barred, in_force, apart);
    let mut rules = select(false);
    if options.selection != Selection::Naive
        && rules.iter().any(|entry| halves::is_twofold(&entry.rule))
    {
        let others = select(true);
        if halves::is_better(&others, &rules) {
            rules = others;
        }
    }
    if samples.len() <= joint::MOST_URLS
        && part.is_none()
        && in_force.is_none()
        && options.selection != Selection::Naive
    {
        let select = |table: &mut Table<'_>, chain: &SiteRules, options: &Options| {
            select::select(table, options, &tree, barred, Some(chain), false)
        };
        let lesson = joint::Lesson {
            table: &table,
            options,
            barred,
            select: &select,
        };
        rules = lesson.extend(rules);
    }
    if let Some(part) = part {
        if in_force.is_none() {
            rules.extend(part::of_sinks(samples, part, options));
        }
        // A sample of pages hides which of them a rule confuses: each rule answers to all.
        let mut table = Table::to_prove_on(
            samples,
            |sample| (sample, 0),
            options.giant,
            options.threads,
        )
        .with_doubts(doubts.clone());
        rules = select::confirm(&mut table, options, rules, barred, in_force);
    }
    Site {
        hosts: hosts(samples),
        rules,
    }
}

/// Hosts of the samples, the most frequent first.
fn hosts(samples: &[Sample]) -> Vec<String> {
    let mut count: FxHashMap<&str, u64> = FxHashMap::default();
    // Most follow one of the same host: name, number, and how their URLs begin, up to the path.
    let mut run = ("", 0, "");
    for sample in samples {
        let rest = sample.url.strip_prefix(run.2).filter(|_| run.1 > 0);
        if !rest.is_some_and(|rest| rest.starts_with('/')) {
            let Some((_, host, ..)) = slices(&sample.url) else {
                continue;
            };
            *count.entry(run.0).or_default() += run.1;
            let begin = sample.url.find("//").map_or(0, |at| at + 2 + host.len());
            run = (site_name(host), 0, &sample.url[..begin]);
        }
        run.1 += 1;
    }
    *count.entry(run.0).or_default() += run.1;
    count.retain(|_, n| *n > 0);
    let mut hosts: Vec<(&str, u64)> = count.into_iter().collect();
    hosts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    hosts.into_iter().map(|(host, _)| host.to_owned()).collect()
}
