//! Imports beliefs that were formed elsewhere, and exports those of a site.

use std::collections::BTreeMap;

use nodust_frontier::{BeliefCounts, BeliefId, Standing};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    Site, belief_key, beliefs::key_of, kind::one_of_kind, selectors::Beside, trial::peers_of,
    words::words,
};
use crate::predict::{
    belief::{Belief, Level, Scrutiny, State, part_among, prior},
    evidence::Evidence,
    exchange::{SharedBelief, SharedName, Trust},
    form::{Edit, Form},
    text::Claim,
};

/// Weight among all hypotheses that evidence from elsewhere is worth at most.
const MOST_WEIGHT: f64 = 10.0;

/// Trials from elsewhere that count at most.
const MOST_TRIALS: u32 = 1 << 28;

/// Evidence as it was told.
fn evidence_of(told: &SharedBelief) -> Evidence {
    let trials = told.trials.min(MOST_TRIALS);
    Evidence {
        log_e: told.e_value.ln().clamp(-30.0, 20.0) as f32,
        trials,
        failures: told.failures.min(trials),
        alarm: 0.0,
    }
}

/// Whether a belief that was active elsewhere may be acted upon at once: it was there, and all its exceptions are known.
fn is_trustworthy(told: &SharedBelief, belief: &Belief, edit: &Edit) -> bool {
    let is_vague = told.undecided > told.trials || belief.is_mute(Scrutiny::of(edit));
    told.e_value >= 1.0 && !is_vague && told.exceptions <= told.kinds.exceptions()
}

impl Site {
    /// What a belief that another crawl tells of weighs by itself: of aliases of one kind the more of them there are the less.
    fn weight_told(&mut self, edit: u32, level: Level) -> f32 {
        let claimed = &self.edits[edit as usize].edit;
        let weight = prior(claimed, level);
        if !claimed.is_literal() {
            return weight;
        }
        let count = peers_of(edit, &self.edits, |_| true);
        let peers = *self.edits[edit as usize].peers.get_or_insert(count);
        weight * part_among(peers)
    }

    /// Imports a belief, unless the site has one of its own about the same; returns whether it did. See
    /// [`exchange`](crate::predict::BeliefFile) for what that means.
    pub fn take_in(&mut self, shared: &SharedBelief, trust: Trust) -> bool {
        let Ok(Claim {
            edit,
            level,
            context,
        }) = shared.text.parse()
        else {
            return false;
        };
        if self.beliefs.len() >= self.config.max_beliefs {
            return false;
        }
        let edit = edit.alike(self.config.alike());
        let Some(number) = self.number_told(&edit) else {
            return false;
        };
        let key = belief_key(number, level, context);
        if self.beliefs.get(key).is_some() {
            return false;
        }
        let own = self.weight_told(number, level);
        let new = |state| {
            let mut belief = Belief::new(number, level, context, own);
            belief.stand_alone();
            belief.state = state;
            belief
        };
        let undecided = shared.undecided.min(MOST_TRIALS);
        let mut belief = new(State::Active);
        belief.set_evidence(evidence_of(shared), undecided);
        let is_trusted = shared.standing == Standing::Active
            && trust == Trust::Active
            && is_trustworthy(shared, &belief, &edit);
        if is_trusted {
            let id = self.id_of(&belief);
            belief.activate(id);
            self.edits[number as usize].active += 1;
            self.ids.insert(id, key);
            // What was fetched already is filed anew with the pages that are learned from next.
            self.stale = true;
            self.round.is_urgent = true;
            self.generation += 1;
        } else if shared.standing == Standing::Withdrawn {
            belief.state = State::Withdrawn;
        } else {
            belief = new(State::Probation);
            belief.start();
            let weight = own.max(shared.e_value.min(MOST_WEIGHT) as f32);
            belief.give_advance(weight, evidence_of(shared));
        }
        let mut told = shared.evidence();
        told.kinds
            .beside
            .unnamed
            .retain(|name| self.selectors.hear_many(name.hash));
        self.kinds.take_in(key, &told.kinds, trust);
        belief.note_told(told);
        self.beliefs.put(belief);
        if is_trusted {
            self.index_active();
        }
        true
    }

    /// Once all was read back: what other crawls found to have many values is no name here either.
    pub(super) fn hear_again(&mut self) {
        let told = self.beliefs.grown().filter_map(Belief::told);
        let names = told.flat_map(|told| &told.kinds.beside.unnamed);
        let many: FxHashSet<u64> = names.map(|name| name.hash).collect();
        if many.is_empty() {
            return;
        }
        self.selectors = std::mem::take(&mut self.selectors).with_many(many);
        for page in 0..self.pages.len() as u32 {
            if !self.pages.kind(page).is_name
                && let Some(url) = self.pages.url(page)
            {
                self.selectors.note(&self.form(&url));
            }
        }
    }

    /// Calls `each` with what another crawl should know about beliefs beyond their records. Looks at all pages.
    pub fn carried(&self, each: &mut dyn FnMut(BeliefId, SharedBelief)) {
        let mut all = Vec::new();
        let mut words = Words::default();
        for belief in self.beliefs.grown().filter(|belief| belief.is_tried()) {
            let record = self.record_of(belief);
            let mut shared = SharedBelief::of(&record, &BeliefCounts::default()).evidence();
            if let Some(told) = belief.hearsay() {
                each(record.id, told.clone().with_trials_of(&shared));
                continue;
            }
            let kinds = self.kinds.shared(key_of(belief));
            if kinds.is_empty() {
                continue;
            }
            shared.kinds = kinds;
            words.want(belief, &shared);
            all.push((record.id, belief, shared));
        }
        self.find(&mut words);
        for (id, belief, mut shared) in all {
            words.put(belief, &mut shared);
            each(id, shared);
        }
    }

    /// Looks for pages that tell what kinds are.
    fn find(&self, wanted: &mut Words) {
        let edits: Vec<u32> = wanted.of_edits.keys().copied().collect();
        for page in 0..self.pages.len() as u32 {
            if wanted.missing == 0 && !wanted.is_any_beside {
                return;
            }
            let Some(url) = self.pages.url(page) else {
                continue;
            };
            let form = self.form(&url);
            let mut now = None;
            self.reduce(&form, &mut now);
            // It was tried on what others leave of it, too.
            for form in [Some(&form), now.as_ref()].into_iter().flatten() {
                for edit in &edits {
                    self.find_on(form, *edit, wanted);
                }
            }
        }
    }

    fn find_on(&self, form: &Form<'_>, number: u32, wanted: &mut Words) {
        let edit = &self.edits[number as usize].edit;
        let Some(of_edit) = wanted.of_edits.get_mut(&number) else {
            return;
        };
        if !edit.changes(form) {
            return;
        }
        for (way, kinds) in of_edit.kinds.iter_mut().enumerate() {
            if kinds.is_empty() {
                continue;
            }
            let hash = one_of_kind(way, edit, Level::Path, form, &self.selectors);
            if let Some(name @ None) = kinds.get_mut(&hash) {
                *name = Some(words(way, edit, form, &self.selectors));
                wanted.missing -= 1;
            }
        }
        if of_edit.is_beside {
            self.selectors.tell_beside(edit, form, &mut |beside| {
                if let Beside::Many(name, word) = beside {
                    of_edit.many.entry(name).or_insert(word);
                }
            });
        }
    }
}

/// What is to be found out of the kinds of an edit.
#[derive(Default)]
struct OfEdit {
    /// Words of kinds, in four ways.
    kinds: [FxHashMap<u32, Option<String>>; 4],
    /// Whether anything is known of what stands beside.
    is_beside: bool,
    /// Names of what stands beside and has many values, and their words.
    many: BTreeMap<u64, String>,
}

/// What kinds are, as pages tell.
#[derive(Default)]
struct Words {
    of_edits: BTreeMap<u32, OfEdit>,
    missing: usize,
    is_any_beside: bool,
}

impl Words {
    fn want(&mut self, belief: &Belief, shared: &SharedBelief) {
        let of_edit = self.of_edits.entry(belief.edit()).or_default();
        for (names, way) in of_edit.kinds.iter_mut().zip(shared.kinds.ways()) {
            for kind in &way.kinds {
                let new = names.insert(kind.hash, None).is_none();
                self.missing += usize::from(new);
            }
        }
        of_edit.is_beside |= !shared.kinds.beside.is_empty();
        self.is_any_beside |= of_edit.is_beside;
    }

    /// Puts in what was found, or else what was told elsewhere.
    fn put(&self, belief: &Belief, shared: &mut SharedBelief) {
        let Some(of_edit) = self.of_edits.get(&belief.edit()) else {
            return;
        };
        let told = belief.told().map(|told| told.kinds.ways());
        for (at, way) in shared.kinds.ways_mut().into_iter().enumerate() {
            let told = told.map(|told| told[at]);
            for kind in &mut way.kinds {
                let found = of_edit.kinds[at].get(&kind.hash).cloned().flatten();
                let before = || {
                    let kinds = &told?.kinds;
                    let same = kinds.iter().find(|other| other.hash == kind.hash);
                    same?.words.clone()
                };
                kind.words = found.or_else(before);
            }
        }
        if !shared.kinds.beside.is_empty() {
            let told = told.into_iter().flat_map(|told| &told[3].unnamed);
            let told = told.map(|name| (name.hash, name.words.clone()));
            let many: BTreeMap<u64, String> = told
                .chain(
                    of_edit
                        .many
                        .iter()
                        .map(|(hash, word)| (*hash, word.clone())),
                )
                .collect();
            let names = many
                .into_iter()
                .map(|(hash, words)| SharedName { words, hash });
            shared.kinds.beside.unnamed = names.collect();
        }
    }
}
