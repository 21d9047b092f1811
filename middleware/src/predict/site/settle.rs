//! Decides which beliefs have enough evidence to be acted upon.

use std::borrow::Cow;

use super::{Learned, Site, beliefs::key_of, draw_of};
use crate::predict::{
    belief::{Level, State},
    evidence::e_bh_threshold,
    form::Edit,
};

impl Site {
    /// The weighted e-value that activates: weighted e-BH over every hypothesis, on every level and in
    /// every context, that was ever tried and is a claim of its own, failed and repeated tries included.
    pub(super) fn threshold(&self) -> f64 {
        self.correction().1
    }

    /// The sum of the weights of all hypotheses tried, and the weighted e-value that this sum requires.
    pub fn correction(&self) -> (f64, f64) {
        // Weights have 24 bits and are counted in small numbers: the sum is exact, whatever the order.
        let mut tried = 0.0;
        let mut high = Vec::new();
        for belief in self.beliefs.family() {
            tried += belief.weight_of_tries();
            if belief.is_counted() && belief.has_enough() {
                high.push(belief.e_value() * belief.weight());
            }
        }
        (tried, e_bh_threshold(&mut high, tried))
    }

    /// Activates what has earned it, corrected for everything that was tried.
    pub(super) fn settle(&mut self, learned: &mut Learned) {
        // Looking at all beliefs takes time: on a site with many it waits for its turn.
        if self.candidates && self.since_settled * 64 >= self.beliefs.len() {
            self.candidates = false;
            self.since_settled = 0;
            let threshold = self.threshold();
            let mut chosen: Vec<u64> = self
                .beliefs
                .family()
                .filter(|b| {
                    b.state == State::Probation
                        && b.has_enough()
                        && b.e_value() * b.weight() >= threshold
                })
                .map(key_of)
                .collect();
            chosen.sort_unstable();
            let is_any_new = !chosen.is_empty();
            let mut of_rests = Vec::new();
            for key in chosen {
                let id = self.beliefs.get(key).map(|belief| self.id_of(&belief));
                let id = id.expect("it was just found");
                let mut belief = self.beliefs.get_mut(key).expect("it was just found");
                belief.activate(id);
                let draw = draw_of(&belief);
                let active = &mut self.edits[belief.edit() as usize].active;
                *active += 1;
                if belief.level == Level::PathAndRest && *active > 1 {
                    of_rests.extend(belief.examples().next().map(|pair| (belief.edit(), pair.0)));
                }
                self.ids.insert(id, key);
                if draw > 0 {
                    learned.risen.push((id, draw));
                }
            }
            if is_any_new {
                self.stale = true;
                self.round.is_urgent = true;
                self.index_active();
            }
            for (edit, page) in of_rests {
                self.say_with_rest(edit, page);
            }
        }
    }

    /// What is claimed beside a second value of another parameter may be said of all of them, if that does not matter either. (A form is
    /// the same whatever it is called for, and each link to it knows where to go back to.)
    fn say_with_rest(&mut self, edit: u32, page: u32) {
        if let Some(url) = self.pages.url(page).map(Cow::into_owned) {
            let edit = Edit::clone(&self.edits[edit as usize].edit);
            self.register(&edit, &self.form(&url), None);
        }
    }

    /// Names the beliefs that stand when one fell, or when dead links are not dropped any more: drops that were put down to them may have leaned on it.
    pub(super) fn shake(&mut self, learned: &mut Learned) {
        for less in [&learned.withdrawn, &learned.reopened] {
            learned.has_fallen |= self.gone.forget_what_is_of(less);
        }
        if !learned.has_fallen {
            return;
        }
        self.round.is_urgent = true;
        learned.shaken = (self.ids.iter())
            .filter(|(_, key)| {
                let belief = self.beliefs.get(**key);
                belief.is_some_and(|belief| belief.state == State::Active)
            })
            .map(|(id, _)| *id)
            .collect();
        // In an order that does not depend on how the table grew.
        learned.shaken.sort_unstable();
    }
}
