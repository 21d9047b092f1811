//! What does a site believe, and what does it cost?

use nodust_frontier::BeliefId;

use super::{Page, Site};
use crate::predict::belief::Belief;

impl Site {
    /// The text form of a belief.
    pub fn describe(&self, id: BeliefId) -> Option<String> {
        let Some(key) = self.ids.get(&id) else {
            return self.describe_budget(id);
        };
        Some(self.text_of(self.beliefs.get(key)?))
    }

    fn describe_budget(&self, id: BeliefId) -> Option<String> {
        let counts = self.yields.get(*self.budgets.get(&id)?)?;
        let url = self
            .pages
            .get(counts.example as usize)
            .map_or("?", |p| &p.url);
        Some(format!(
            "budget of a shape: {} pages brought {} new contents | as in {url}",
            counts.fetched, counts.fresh
        ))
    }

    fn text_of(&self, belief: &Belief) -> String {
        let url = |page: u32| self.pages.get(page as usize).map_or("?", |p| &p.url);
        format!(
            "{} | {:?} | {:?} | trials {} failures {} undecided {} e {:.1} | as in {} = {}",
            self.edits[belief.edit as usize].edit,
            belief.level,
            belief.state,
            belief.evidence.trials,
            belief.evidence.failures,
            belief.undecided,
            belief.e_value(),
            url(belief.example.0),
            url(belief.example.1),
        )
    }

    /// The text forms of all beliefs that were ever tried.
    pub fn beliefs(&self) -> Vec<String> {
        let mut out: Vec<String> = self
            .beliefs
            .values()
            .filter(|b| b.is_tried())
            .map(|b| self.text_of(b))
            .collect();
        out.sort_unstable();
        out
    }

    /// Registrable domain, or host.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Pages learned from.
    pub fn pages(&self) -> usize {
        self.pages.len()
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        let urls: usize = self.pages.iter().map(|p| p.url.len()).sum();
        urls + self.pages.capacity() * size_of::<Page>()
            + self.clusters.bytes()
            + self.book.bytes()
            + (self.canon.capacity() + self.trials.capacity()) * 17
            + self.members.capacity() * 33
            + self
                .members
                .values()
                .map(|m| m.capacity() * 4)
                .sum::<usize>()
            + self.yields.bytes()
            + self.beliefs.values().map(Belief::bytes).sum::<usize>()
    }
}
