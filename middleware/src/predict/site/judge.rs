//! Decides whether a link is dropped, and on the word of which belief.

use nodust_frontier::{BeliefId, DropReason, Prediction, Probability};

use super::{Applied, Site, canonical::Reduced};
use crate::predict::{
    form::{Form, hash_of, join},
    yields::{Budget, Yield, folders_of, shape_of},
};

impl Site {
    /// The prediction that this URL would bring content that was fetched already, if a belief says so.
    pub fn predict(&self, url: &str) -> Option<Prediction> {
        let predicted = || self.predicted(&self.form(url), url, None);
        Some(self.is_acting().then(predicted)??.1)
    }

    /// Whether anything is believed that could drop a link.
    pub(super) fn is_acting(&self) -> bool {
        !self.active.is_empty()
    }

    /// The same of a form, with the page whose content that is; none where that is not found. `without`: a belief that is left aside.
    pub(super) fn predicted(
        &self,
        form: &Form<'_>,
        url: &str,
        without: Option<u64>,
    ) -> Option<(Option<u32>, Prediction)> {
        let mut canonical = None;
        let Reduced {
            mut applied,
            is_settled,
        } = self.reduce_without(form, &mut canonical, without);
        let canonical = canonical.as_ref().unwrap_or(form);
        let Some((page, also)) = self.standing(canonical, is_settled) else {
            let gone = self.predicted_gone(canonical.key(), &applied)?;
            return Some((None, gone));
        };
        if also.iter().any(|key| Some(*key) == without) {
            return None;
        }
        if self.pages.is(page, url) {
            return None;
        }
        if applied.iter().any(|key| self.lacks_pairs(*key, &also))
            || self.says_nothing_where_held((&applied, &also), form, page)
        {
            return None;
        }
        // What made the fetched page stand for both counts as well.
        applied.extend(also);
        if self.is_wall_under(page, &applied) {
            return None;
        }
        // An alias that cannot be told on small pages is not acted upon there.
        if self.is_small(page) {
            let is_echo = self.is_echo(page);
            let is_vague = |key: &u64| self.is_vague_alias(*key, form, is_echo);
            if applied.iter().any(is_vague) {
                return None;
            }
        }
        Some((Some(page), self.prediction_by(&applied)?))
    }

    /// The prediction that these beliefs make together.
    pub(super) fn prediction_by(&self, applied: &Applied) -> Option<Prediction> {
        let beliefs = || applied.iter().filter_map(|key| self.beliefs.get(*key));
        if beliefs().any(|belief| belief.is_suspect()) {
            return None;
        }
        // The least sure of them answers for the drop.
        let weakest = beliefs().min_by(|a, b| {
            let (a, b) = (a.evidence(), b.evidence());
            a.probability().total_cmp(&b.probability())
        })?;
        let probability = weakest.evidence().probability();
        if probability < self.config.threshold {
            return None;
        }
        Some(Prediction {
            belief: self.id_of(&weakest),
            probability: Probability::new(probability)?,
        })
    }

    /// A name for what is left of a URL, or of what rewrite rules make of it, under what is believed; none where nothing is.
    pub(crate) fn page_name(
        &self,
        url: &str,
        named: impl FnOnce() -> Option<String>,
    ) -> Option<u64> {
        self.is_acting().then(|| {
            let named = named();
            let form = self.form(named.as_deref().unwrap_or(url));
            join(hash_of(0, &self.name), self.canonical_key(&form))
        })
    }

    /// Place of a link in the queue of its host: the usual one, or behind that.
    fn priority_of_shape(&self, shape: u64, counts: Option<&Yield>) -> Option<u8> {
        (!self.config.breadth_first && self.yields.comes_last(shape, counts)).then_some(64)
    }

    /// All that is to be said of a link: why it is dropped, if it is, and its place in the queue.
    /// `found_on`: the name of the page whose link it is; `not_by`: the belief that it is not to be dropped by; `named`: what rewrite rules
    /// make of it, if that is another URL.
    pub(crate) fn judge(
        &self,
        url: &str,
        (found_on, not_by): (Option<u64>, Option<BeliefId>),
        named: impl FnOnce() -> Option<String>,
    ) -> (Option<DropReason>, Option<u8>) {
        let is_acting = self.is_acting();
        if !is_acting && self.yields.is_empty() {
            return (None, None);
        }
        let form = self.form(url);
        let shape = shape_of(&form);
        let counts = self.yields.get(shape);
        let without = not_by.and_then(|id| self.ids.get(&id).copied());
        let predict = || {
            let by_name = || {
                let name = named()?;
                self.predicted(&self.form(&name), &name, without)
            };
            let back = || {
                let (page, prediction) =
                    self.predicted_referrer((&form, url), found_on, without)?;
                Some((Some(page), prediction))
            };
            (self.predicted(&form, url, without).or_else(by_name)).or_else(back)
        };
        let budget = Budget::of(&self.config);
        let is_next = || {
            let is_chain = counts.is_some_and(|counts| counts.is_chain(budget));
            is_chain && self.is_last_of_shape(found_on, shape)
        };
        // What a row of pages is says little of what it leads to in the end.
        let predicted = is_acting.then(predict).flatten();
        let predicted = predicted.filter(|_| !is_next());
        let drop = if let Some((_, prediction)) = predicted {
            Some(DropReason::PredictedDuplicate(prediction))
        } else {
            // Where nothing is remembered any more, a word would stay unmet.
            let is_unmet = || !self.is_full() && self.selectors.is_unmet(&form);
            let limit = self.yields.over_with(shape, counts, budget);
            let passes = || is_unmet() || is_next();
            let over = limit.filter(|_| !passes()).map(|limit| (shape, limit));
            // Of a shape that was never met what others showed that differ in their folder is all that is known.
            let of_folders = || {
                let most = self.config.max_beliefs;
                let folders = folders_of(&form).filter(|_| self.yields.is_unmet(shape, most))?;
                let limit = self.yields.over(folders, budget)?;
                // A form to log in does not lead to further ones, as what has no end does.
                let content = self.pages.cluster(self.pages.known_by_name(found_on?)?)?;
                let leads_on = self.yields.get(folders)?.row.has(content);
                leads_on.then_some((folders, limit))
            };
            over.or_else(of_folders)
                .map(|(shape, limit)| DropReason::OverBudget {
                    belief: self.budget_id(shape),
                    limit,
                })
        };
        (
            // What an explored link leads to tells whether it was rightly taken for a copy.
            drop.filter(|_| !self.sources.is_probe_for(url)),
            self.priority_of_shape(shape, counts),
        )
    }
}
