//! The settings of prediction: how much risk, and how much memory.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Trust, form::Alike};

/// Settings of the predict stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is switched by itself, and so it stands in the file"
)]
pub struct PredictConfig {
    /// Whether the stage is in the chain. Default: `true`.
    pub enabled: bool,
    /// Accepted share of wrong drops in the long run; 0.02 is at most one in 50. A smaller risk asks for more trials
    /// before the first drop. Default: 0.02.
    pub risk: f64,
    /// The least probability for a drop (`MaybeDont`'s `threshold`); 0 leaves it to `risk`. Default: 0.
    pub threshold: f64,
    /// Most pages per site that only teach what chrome is (`MaybeDont`'s initial queue). Default: 64.
    pub initial_pages: usize,
    /// Pages that every shape of URL may fetch before it has to bring new content; each new content adds 20 pages. A
    /// budget also ends when 300 pages in a row, and eight times as many as a content of the shape took on average,
    /// brought none; if the shape never brought any, after 100 pages that no claim explains (at a risk below 0.02: 2 divided by the risk). 0
    /// means no such limits; login forms and the like (the same few contents 48 times in a row) end all the same. Links
    /// beyond the budget go to the ledger. Default: 1000.
    pub budget: u32,
    /// Keep the queue of a host in the order in which links were found, instead of fetching last what seldom brings
    /// anything new. Default: `false`.
    pub breadth_first: bool,
    /// Compare URLs with their parameters in the order of their names; the order of equal names counts. Otherwise it is learned whether
    /// the order matters. [`standard_chain`](crate::standard_chain) turns it off where normalization, which makes two such URLs one class, is
    /// left out or does not sort; do so in a chain of your own without [`Normalize`](crate::normalize::Normalize). Default: `true`.
    pub sort_parameters: bool,
    /// Compare URLs with each `+` of their query written `%20`. [`standard_chain`](crate::standard_chain) turns it off where normalization
    /// does not take the two for one. Default: `true`.
    pub plus_is_space: bool,
    /// Fetch some pages twice, to learn which lines of a page change with each answer, so that they do not make two pages of one. These
    /// are, of each section of a site, six of the first 64 pages and later one in 128; if nothing came of it, two to four, and one in 512.
    /// Default: `false`.
    pub refetch: bool,
    /// Most edits on trial per site. Default: 400.
    pub max_edits: usize,
    /// Most beliefs per site. Default: 20,000.
    pub max_beliefs: usize,
    /// File with beliefs that were formed elsewhere, as `nodust beliefs --export` writes it. Default: none.
    pub beliefs: Option<PathBuf>,
    /// How far beliefs from the file are trusted: `prior` tests them from the start and asks for less evidence;
    /// `active` acts upon those that were active. Default: `prior`.
    pub trust: Trust,
    /// Most pages remembered per site; later pages are predicted but not learned from. Default: 4,000,000.
    pub max_pages: usize,
    /// Most sites (registrable domains) that are learned from at the same time. Links of further sites pass, so that a
    /// crawl of very many sites stays in bounded memory. Default: 4096.
    pub max_sites: usize,
    /// Most memory of all sites together, in MiB; beyond that, pages are predicted and audited but not remembered.
    /// Default: 1024.
    pub max_memory_mb: usize,
}

impl Default for PredictConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            risk: 0.02,
            threshold: 0.0,
            initial_pages: 64,
            budget: 1000,
            breadth_first: false,
            sort_parameters: true,
            plus_is_space: true,
            refetch: false,
            max_edits: 400,
            max_beliefs: 20_000,
            beliefs: None,
            trust: Trust::Prior,
            max_pages: 4_000_000,
            max_sites: 4096,
            max_memory_mb: 1024,
        }
    }
}

impl PredictConfig {
    /// What URLs are compared without.
    pub(super) const fn alike(&self) -> Alike {
        Alike {
            order: self.sort_parameters,
            spaces: self.plus_is_space,
        }
    }

    /// Checks the ranges.
    ///
    /// # Errors
    /// The setting, without its section, and what is wrong with it.
    pub fn validate(&self) -> Result<(), (String, String)> {
        let refuse = |key: &str, why| Err((key.to_owned(), why));
        if !(0.001..=0.2).contains(&self.risk) {
            let why = format!("is {}; it must lie between 0.001 and 0.2", self.risk);
            return refuse("risk", why);
        }
        if !(0.0..1.0).contains(&self.threshold) {
            let why = format!("is {}; it must lie between 0 and 1", self.threshold);
            return refuse("threshold", why);
        }
        Ok(())
    }
}
