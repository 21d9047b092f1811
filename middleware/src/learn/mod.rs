//! What do the pages teach us about their URLs?
//!
//! Two learners propose rules into one pool: the pattern tree (Lei et al., WWW 2010), top down from how a
//! site's URLs are built, and equivalence classes (Najork, US patent), bottom up from URLs of one page. The pool
//! is validated, narrowed and selected in common ([`learn`]); [`eval`] measures what came out.
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

mod classes;
mod count;
pub mod eval;
mod narrow;
mod prior;
mod sample;
mod select;
mod table;

use std::str::FromStr;

use rustc_hash::FxHashMap;

pub use count::{Counts, Item, count, easy_key};
pub use sample::{Sample, Samples, read_samples};

use crate::rules::{Rule, Site, site_name, slices};
use table::Table;

/// Who proposes rules.
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

/// How rules are learned.
#[derive(Clone, Debug)]
pub struct Options {
    /// Who proposes.
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
    /// Clusters with this many URLs or more are error pages and the like, and teach nothing.
    pub giant: usize,
    /// URLs that are learned from; later ones are left out.
    pub max_samples: usize,
    /// Proposals that are tried in one round.
    pub max_proposals: usize,
    /// Rules of a site.
    pub max_rules: usize,
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
            max_samples: 100_000,
            max_proposals: 600,
            max_rules: 200,
        }
    }
}

/// Learns the rules of a site from classes whose pages are known. Equal samples give equal rules, in whatever
/// order they come (up to [`Options::max_samples`]).
pub fn learn(samples: &[Sample], options: &Options) -> Site {
    learn_without(samples, options, &[])
}

/// The same, but never proposes the vetoed rules.
pub fn learn_without(samples: &[Sample], options: &Options, vetoed: &[Rule]) -> Site {
    let samples = &samples[..samples.len().min(options.max_samples)];
    let mut table = Table::new(samples, options.giant);
    let rules = select::select(&mut table, options, &|_| Vec::new(), vetoed);
    Site {
        hosts: hosts(samples),
        rules,
    }
}

/// Hosts of the samples, the most frequent first.
fn hosts(samples: &[Sample]) -> Vec<String> {
    let mut count: FxHashMap<&str, u64> = FxHashMap::default();
    for sample in samples {
        if let Some((_, host, ..)) = slices(&sample.url) {
            *count.entry(site_name(host)).or_default() += 1;
        }
    }
    let mut hosts: Vec<(&str, u64)> = count.into_iter().collect();
    hosts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    hosts.into_iter().map(|(host, _)| host.to_owned()).collect()
}
