//! Which beliefs have earned to be acted upon?

use rustc_hash::FxHashMap;

use super::Site;
use crate::predict::{
    belief::{Level, State},
    evidence::{ENOUGH, e_bh_threshold},
    form::Form,
};

/// Trials after which a narrow context counts as a hypothesis of its own.
const NARROW_TRIALS: u32 = 20;

impl Site {
    /// The e-value that activates. The levels of an edit share their trials, so that an edit counts as one
    /// hypothesis, and each narrow context with trials of its own as one more.
    pub(super) fn threshold(&self) -> f64 {
        let mut best: FxHashMap<u32, f64> = FxHashMap::default();
        let mut high = Vec::new();
        let mut tried = 0;
        for belief in self.beliefs.values().filter(|b| b.is_tried()) {
            let e = if belief.state == State::Withdrawn {
                0.0
            } else {
                belief.e_value()
            };
            if belief.level >= Level::Names {
                let best = best.entry(belief.edit).or_default();
                *best = best.max(e);
            } else if belief.evidence.trials >= NARROW_TRIALS {
                tried += 1;
                high.push(e);
            }
        }
        tried += best.len();
        high.extend(best.into_values());
        high.retain(|e| *e >= ENOUGH);
        e_bh_threshold(&mut high, tried)
    }

    /// Activates what has earned it, corrected for everything that was tried.
    pub(super) fn settle(&mut self) {
        // Looking at all beliefs takes time: on a site with many it waits for its turn.
        if self.candidates && self.since_settled * 64 >= self.beliefs.len() {
            self.candidates = false;
            self.since_settled = 0;
            let threshold = self.threshold();
            let mut chosen: Vec<u64> = self
                .beliefs
                .iter()
                .filter(|(_, b)| b.state == State::Probation && b.e_value() >= threshold)
                .map(|(key, _)| *key)
                .collect();
            chosen.sort_unstable();
            for key in chosen {
                let belief = self.beliefs.get_mut(&key).expect("it was just found");
                belief.activate();
                self.edits[belief.edit as usize].active += 1;
                let id = self.id_of(&self.beliefs[&key]);
                self.ids.insert(id, key);
                self.stale = true;
            }
        }
        // Rebuilding looks at every page: it waits for its turn on a large site.
        if self.stale && self.since_rebuild >= (self.pages.len() / 64).min(1000) {
            self.generation += 1;
            self.rebuild();
        }
    }

    /// Files all pages anew under what is believed now.
    pub(super) fn rebuild(&mut self) {
        self.stale = false;
        self.since_rebuild = 0;
        let pages = std::mem::take(&mut self.pages);
        let mut canon = std::mem::take(&mut self.canon);
        canon.clear();
        for (number, page) in pages.iter().enumerate() {
            let key = self.canonical(&Form::parse(&page.url)).0.key();
            canon.entry(key).or_insert(number as u32);
        }
        self.canon = canon;
        self.pages = pages;
    }
}
