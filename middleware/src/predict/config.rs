//! How much risk, and how much memory?

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Trust;

/// Settings of the predict stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PredictConfig {
    /// Whether the stage is in the chain. Default: `true`.
    pub enabled: bool,
    /// Accepted share of wrong drops in the long run; 0.02 is at most one in 50. Smaller asks for more
    /// trials before the first drop. Default: 0.02.
    pub risk: f64,
    /// Probability from which on a drop is made (`MaybeDont`'s `threshold`); 0 leaves it to `risk`. Default: 0.
    pub threshold: f64,
    /// Pages per site that only teach what chrome is (`MaybeDont`'s initial queue), at most. Default: 64.
    pub initial_pages: usize,
    /// Pages that every shape of URL may fetch before it has to bring new content; each new content adds
    /// 20. It ends before, too, when 300 pages in a row, and eight times as many as its contents took in the mean, brought
    /// none; after 100 (at a risk below 0.02 two by the risk) where it never brought any. 0: no such limits; login forms and the like, the same few contents 48 times in a row, end all the same. Links beyond go to the ledger.
    /// Default: 1000.
    pub budget: u32,
    /// Leave the queue of a host in the order in which links were found, instead of fetching last what
    /// seldom brings anything new. Default: `false`.
    pub breadth_first: bool,
    /// Off by default (`false`): fetch some pages twice (of each section of a site six of the first 64, later one in 128; two to four, and one in 512, where nothing came of it), to learn which lines of a page are others
    /// at each answer, so that they do not make two pages of one.
    pub refetch: bool,
    /// Edits on trial per site, at most. Default: 400.
    pub max_edits: usize,
    /// Beliefs per site, at most. Default: 20,000.
    pub max_beliefs: usize,
    /// File with beliefs that were formed elsewhere, as `nodust beliefs --export` writes it. Default: none.
    pub beliefs: Option<PathBuf>,
    /// How far those are trusted: `prior` tests them from the start, with less to prove; `active` acts
    /// upon those that were active. Default: `prior`.
    pub trust: Trust,
    /// Pages remembered per site, at most; beyond, later pages are predicted but not learned from. Default: 4,000,000.
    pub max_pages: usize,
    /// Sites (registrable domains) that are learned from at the same time, at most; links of further ones
    /// pass, so that a crawl of very many sites stays in bounded memory. Default: 4096.
    pub max_sites: usize,
    /// Memory of all sites together, in MiB; beyond, pages are predicted and audited but not remembered. Default: 1024.
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
