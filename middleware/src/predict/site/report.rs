//! Reports what is believed about a site, and the memory it takes.

use std::borrow::Cow;

use nodust_frontier::{BeliefId, BeliefRecord, Prediction, Standing};

use super::{Index, OnTrial, Site, beliefs::key_of, pair::Clarity};
use crate::{
    heap::{of_map, of_set},
    predict::{
        belief::{Belief, State},
        form::{Edit, Present},
        yields::Budget,
    },
};

impl Site {
    /// The record of a belief, or a budget, that was acted upon at some time.
    pub fn record(&self, id: BeliefId) -> Option<BeliefRecord> {
        match self.ids.get(&id) {
            Some(key) => Some(self.record_of(&*self.beliefs.get(*key)?)),
            None => self.record_of_budget(id),
        }
    }

    /// Of a budget: its trials are pages that were fetched, its failures those that brought new content.
    fn record_of_budget(&self, id: BeliefId) -> Option<BeliefRecord> {
        let shape = *self.budgets.get(&id)?;
        let of_pages = self.yields.get(shape);
        let of_folders = of_pages.is_some_and(|counts| counts.is_of_folders);
        let of_pages = of_pages.and_then(|counts| self.pages.url(counts.example));
        let of_links = self.yields.redirecting.get(&shape);
        let example = of_pages.or_else(|| Some(Cow::Borrowed(&**of_links?)));
        let (fetched, fresh) = self.yields.spent(shape);
        Some(BeliefRecord {
            id,
            site: self.name.to_string(),
            text: format!(
                "{}{}{} | {shape:016x}",
                BeliefRecord::BUDGET,
                example.as_deref().unwrap_or("?"),
                if of_folders {
                    " in folders that were not met"
                } else {
                    ""
                }
            ),
            standing: if self.yields.over(shape, Budget::of(&self.config)).is_some() {
                Standing::Active
            } else {
                Standing::Withdrawn
            },
            trials: fetched,
            failures: fresh,
            earlier_trials: 0,
            earlier_failures: 0,
            undecided: 0,
            e_value: 1.0,
            exceptions: 0,
            examples: Vec::new(),
        })
    }

    /// Calls `each` with all beliefs that were ever tried, and all budgets that were ever used up.
    pub fn records(&self, each: &mut dyn FnMut(BeliefRecord)) {
        for belief in self.beliefs.grown().filter(|b| b.is_tried()) {
            each(self.record_of(belief));
        }
        for id in self.budgets.keys() {
            if let Some(record) = self.record_of_budget(*id) {
                each(record);
            }
        }
    }

    /// Says of a URL that is dropped of which page it is taken for a copy, and whether that is by what rewrite rules make of
    /// either, and of one that is not what [keeps](Self::tell_idle) active beliefs from it; `found_on`: the name of the page whose
    /// link it is, `named`: what rules make of the URL, if that is another one.
    pub(crate) fn remarks(
        &self,
        url: &str,
        (found_on, named): (Option<u64>, Option<String>),
        each: &mut dyn FnMut(String),
    ) {
        let met = |url: &str| Some(self.predicted(&self.form(url), url, None)?.0);
        let by_name = || Some((met(named.as_deref()?)?, named.clone()));
        let mut leads_back = false;
        let back = || {
            let (page, by) = self.predicted_referrer((&self.form(url), url), found_on, None)?;
            leads_back = self.is_by(&by, &Edit::LeadsBack);
            Some((Some(page), None))
        };
        let met = met(url).map(|page| (page, None)).or_else(by_name);
        let is_met = met.is_some();
        let Some((page, name)) = met.or_else(back) else {
            // What rules make of it is what it would be known by.
            self.tell_idle((url, named.as_deref().unwrap_or(url)), each);
            return;
        };
        if let Some(name) = &name {
            each(format!(
                "as it is spelled it would pass: it is dropped by the name that rules give it, {name}"
            ));
        }
        let Some(page) = page else {
            each("taken for another spelling of a URL that was not found".to_owned());
            return;
        };
        let Some(fetched) = self.pages.url(self.pages.fetched(page)) else {
            return;
        };
        if !is_met {
            each(if leads_back {
                format!("taken to redirect to the page that it is on, {fetched}")
            } else {
                format!("taken for a copy of the page that it is on, {fetched}")
            });
            return;
        }
        let together = self.claims_together(name.as_deref().unwrap_or(url));
        if together.len() > 1 {
            each(format!(
                "by several claims together, the least sure of which answers for it: {}",
                together.join("; ")
            ));
        }
        let mut told = format!("taken for a copy of {fetched}");
        if self.pages.is_name(page)
            && let Some(name) = self.pages.url(page)
        {
            told.push_str(", by the name that rules give that page, ");
            told.push_str(&name);
        }
        each(told);
    }

    /// Whether a prediction is that of a belief with this edit.
    fn is_by(&self, prediction: &Prediction, edit: &Edit) -> bool {
        let key = self.ids.get(&prediction.belief);
        let belief = key.and_then(|key| self.beliefs.get(*key));
        belief.is_some_and(|belief| *self.edits[belief.edit() as usize].edit == *edit)
    }

    /// What is believed that makes one form of a URL and of the page that it is taken for a copy of.
    fn claims_together(&self, url: &str) -> Vec<String> {
        let (form, how) = self.reduced_form(&self.form(url));
        let also = self.standing(&form, how.is_settled).map(|(_, also)| also);
        let mut keys: Vec<u64> = how
            .applied
            .into_iter()
            .chain(also.into_iter().flatten())
            .collect();
        keys.sort_unstable();
        keys.dedup();
        self.claims_of(&keys)
    }

    /// What these beliefs say, in words.
    pub(super) fn claims_of(&self, keys: &[u64]) -> Vec<String> {
        let beliefs = keys.iter().filter_map(|key| self.beliefs.get(*key));
        let mut claims: Vec<String> = beliefs
            .map(|belief| self.claim_of(&belief).to_string())
            .collect();
        claims.sort_unstable();
        claims
    }

    /// The text forms of all beliefs that were ever tried, with their evidence.
    pub fn beliefs(&self) -> Vec<String> {
        let mut out = Vec::new();
        self.records(&mut |belief| {
            let mut line = format!(
                "{} | {} | trials {} failures {} e {:.1}",
                belief.text, belief.standing, belief.trials, belief.failures, belief.e_value
            );
            for (copy, original) in &belief.examples {
                line.push_str(" | as in ");
                line.push_str(copy);
                line.push_str(" = ");
                line.push_str(original);
            }
            out.push(line);
        });
        out.sort_unstable();
        out
    }

    pub(super) fn record_of(&self, belief: &Belief) -> BeliefRecord {
        let claim = self.claim_of(belief).to_string();
        let (earlier_trials, earlier_failures) = belief.earlier();
        BeliefRecord {
            id: self.id_of(belief),
            site: self.name.to_string(),
            text: claim,
            standing: match belief.state {
                State::Proposed | State::Probation => Standing::Probation,
                // It is not acted upon, and is to prove itself where it is told.
                State::Active if self.leads(key_of(belief)) => Standing::Probation,
                State::Active => Standing::Active,
                State::Withdrawn => Standing::Withdrawn,
            },
            trials: u64::from(belief.evidence().trials),
            failures: u64::from(belief.evidence().failures),
            earlier_trials: u64::from(earlier_trials),
            earlier_failures: u64::from(earlier_failures),
            undecided: u64::from(belief.all_undecided()),
            e_value: belief.e_value(),
            exceptions: self.kinds.exceptions(key_of(belief)) as u64,
            examples: self.examples_of(belief),
        }
    }

    /// Pairs of URLs that the belief held for, those that show it most plainly. Of a URL that redirected only the page is known that
    /// it led to: that shows nothing.
    pub(super) fn examples_of(&self, belief: &Belief) -> Vec<(String, String)> {
        let url = |page: u32| {
            let url = self.pages.url(self.pages.fetched(page));
            url.map(Cow::into_owned)
        };
        let edit = &self.edits[belief.edit() as usize].edit;
        let clarity = |(one, other): (u32, u32)| {
            let (one, other) = (self.pages.url(one)?, self.pages.url(other)?);
            Some(Clarity::of(edit, &self.form(&one), &self.form(&other)))
        };
        let most = belief.examples().map(clarity).max().flatten();
        (belief.examples())
            .filter(|pair| clarity(*pair) == most)
            .filter_map(|(copy, original)| Some((url(copy)?, url(original)?)))
            .filter(|(copy, original)| copy != original)
            .collect()
    }

    /// The registrable domain, or host.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of pages learned from, not counting their names.
    pub const fn pages(&self) -> usize {
        self.pages.fetched_ones()
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.pages.bytes()
            + self.warming.as_ref().map_or(0, super::warm::Warming::bytes)
            + self.sources.bytes()
            + self.kinds.bytes()
            + self.shown.bytes()
            + self.clusters.bytes()
            + self.book.bytes()
            + self.turning.bytes()
            + self.firsts.bytes()
            + self.members.bytes()
            + self.yields.bytes()
            + self.beliefs.bytes()
            + self.selectors.bytes()
            + self.company.bytes()
            + self.gone.bytes()
            + self.walls.bytes()
            + self.leading.bytes()
            + self.near.bytes()
            + self.bytes_of_edits()
            + of_map(&self.ids)
            + of_map(&self.budgets)
    }

    /// The same of the edits on trial, and of what they are found by.
    fn bytes_of_edits(&self) -> usize {
        let one = |on_trial: &OnTrial| {
            on_trial.edit.bytes() + on_trial.parts.capacity() * size_of::<(Present, u32)>()
        };
        let indexes = [
            &self.index,
            &self.results,
            &self.active,
            &self.active_results,
        ];
        self.edits.capacity() * size_of::<OnTrial>()
            + of_set(&self.parts_of_active)
            + self.edits.iter().map(one).sum::<usize>()
            + self.numbers.bytes()
            + self.refused.bytes()
            + indexes.into_iter().map(Index::bytes).sum::<usize>()
    }
}
