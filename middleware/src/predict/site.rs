//! What has one site taught us?
//!
//! A page that was fetched is compared with the page that each edit on trial says it equals: one trial per
//! edit and newcomer, never pairs. Content that was there before nominates new edits. Beliefs with enough
//! evidence make up the canonical form of a URL, and a URL is a predicted duplicate when a page with its
//! canonical form was *fetched*: a value never seen together with the rest of this URL is no reason to drop.

use nodust_frontier::{BeliefId, Prediction, Probability};
use rustc_hash::FxHashMap;

use super::{
    belief::{Belief, Change, LEVELS, Level, State, contexts, prior, value_of},
    config::PredictConfig,
    evidence::{ENOUGH, Ratios, e_bh_threshold},
    form::{Edit, Form, Param, hash_of, join},
    nominate::{distance, readings},
};
use crate::sign::{ChromeBook, ClusterId, Clusters, Echo, PageText, Sameness};

use crate::sign::Newcomer;

/// Members of a cluster that a newcomer is compared with by URL.
const MEMBERS: usize = 6;
/// Trials that an alias of a folder or host needs on each kind of page (folder, `.html`, …).
const LITERAL_TRIALS: u32 = 8;
/// Trials after which a narrow context counts as a hypothesis of its own.
const NARROW_TRIALS: u32 = 20;
/// Distinct texts after which the first chrome is frozen, at least.
const FIRST_CHROME: usize = 32;

#[derive(Clone, Debug)]
struct Page {
    url: Box<str>,
    cluster: ClusterId,
}

#[derive(Clone, Debug)]
struct OnTrial {
    edit: Edit,
    active: u32,
    successes: u32,
    failures: u32,
}

impl OnTrial {
    /// Edits that mostly fail are not indexed any more, only checked in passing.
    const fn is_asleep(&self) -> bool {
        self.active == 0 && self.failures >= 6 && self.failures > self.successes
    }
}

/// What an observation did to a site.
#[derive(Debug, Default)]
pub struct Learned {
    /// Beliefs that fell.
    pub withdrawn: Vec<BeliefId>,
    /// Whether the page, fetched as a probe, brought what was predicted.
    pub was_duplicate: Option<bool>,
}

/// Everything known about one site.
#[derive(Debug)]
pub struct Site {
    name: Box<str>,
    config: PredictConfig,
    ratios: Ratios,
    book: ChromeBook,
    clusters: Clusters,
    warming: Option<Vec<(Box<str>, PageText)>>,
    pages: Vec<Page>,
    members: FxHashMap<ClusterId, Vec<u32>>,
    canon: FxHashMap<u64, u32>,
    trials: FxHashMap<u64, u32>,
    redirects: FxHashMap<u64, Vec<Box<str>>>,
    edits: Vec<OnTrial>,
    numbers: FxHashMap<Edit, u32>,
    by_part: FxHashMap<u64, Vec<u32>>,
    general: Vec<u32>,
    beliefs: FxHashMap<u64, Belief>,
    ids: FxHashMap<BeliefId, u64>,
    candidates: bool,
    stale: bool,
    since_rebuild: usize,
    since_settled: usize,
    generation: u64,
}

fn belief_key(edit: u32, level: Level, context: u64) -> u64 {
    join(join(u64::from(edit) + 1, level as u64), context)
}

fn trial_key(edit: u32, key: u64) -> u64 {
    join(u64::from(edit) ^ 0x7472_6961, key)
}

impl Site {
    /// A site of which nothing is known.
    pub fn new(name: &str, config: &PredictConfig) -> Self {
        Self {
            name: name.into(),
            ratios: Ratios::for_risk(config.risk),
            config: config.clone(),
            book: ChromeBook::default(),
            clusters: Clusters::default(),
            warming: Some(Vec::new()),
            pages: Vec::new(),
            members: FxHashMap::default(),
            canon: FxHashMap::default(),
            trials: FxHashMap::default(),
            redirects: FxHashMap::default(),
            edits: Vec::new(),
            numbers: FxHashMap::default(),
            by_part: FxHashMap::default(),
            general: Vec::new(),
            beliefs: FxHashMap::default(),
            ids: FxHashMap::default(),
            candidates: false,
            stale: false,
            since_rebuild: 0,
            since_settled: 0,
            generation: 0,
        }
    }

    /// Grows with every change of what would be dropped.
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// Would this URL bring content that was fetched already, and who says so?
    pub fn predict(&self, url: &str) -> Option<Prediction> {
        if self.ids.is_empty() {
            return None;
        }
        let form = Form::parse(url);
        let (canonical, mut applied) = self.canonical(&form);
        let page = *self.canon.get(&canonical.key())?;
        let page_url = &*self.pages.get(page as usize)?.url;
        if page_url == url {
            return None;
        }
        // What made the fetched page stand for both counts as well.
        applied.extend(self.canonical(&Form::parse(page_url)).1);
        // The least sure of them answers for the drop.
        let weakest = applied
            .iter()
            .filter_map(|key| self.beliefs.get(key))
            .min_by(|a, b| {
                a.evidence
                    .probability()
                    .total_cmp(&b.evidence.probability())
            })?;
        let probability = weakest.evidence.probability();
        if probability < self.config.threshold {
            return None;
        }
        Some(Prediction {
            belief: self.id_of(weakest),
            probability: Probability::new(probability)?,
        })
    }

    fn id_of(&self, belief: &Belief) -> BeliefId {
        let edit = &self.edits[belief.edit as usize].edit;
        BeliefId::of(
            &self.name,
            &format!("{edit}|{:?}|{:016x}", belief.level, belief.context),
        )
    }

    /// The edits registered for some part of a form, in the order in which they apply.
    fn edits_for(&self, form: &Form<'_>, wanted: impl Fn(&OnTrial) -> bool) -> Vec<u32> {
        let mut out: Vec<u32> = self.general.clone();
        let mut add = |part: u64| {
            if let Some(edits) = self.by_part.get(&part) {
                out.extend(edits);
            }
        };
        add(hash_of(31, &form.origin));
        if let Some(first) = form.segments.first() {
            add(hash_of(32, first));
        }
        if let Some(last) = form.segments.last() {
            add(hash_of(33, last));
        }
        for (name, _) in &form.params {
            add(hash_of(34, name));
        }
        out.retain(|e| wanted(&self.edits[*e as usize]));
        out.sort_unstable_by_key(|e| (self.edits[*e as usize].edit.rank(), *e));
        out.dedup();
        out
    }

    /// The form that active beliefs reduce a URL to, and the beliefs that did it.
    fn canonical<'u>(&self, form: &Form<'u>) -> (Form<'u>, Vec<u64>) {
        let mut now = form.clone();
        let mut applied = Vec::new();
        let edits = self.edits_for(form, |e| e.active > 0);
        for round in 0..3 {
            let mut changed = false;
            let again;
            let edits = if round == 0 {
                &edits
            } else {
                again = self.edits_for(&now, |e| e.active > 0);
                &again
            };
            for &number in edits {
                let edit = &self.edits[number as usize].edit;
                let mut next = now.clone();
                if !edit.apply(&mut next) || next == now {
                    continue;
                }
                let mut alone = form.clone();
                let decided = if edit.apply(&mut alone) {
                    self.decide(number, form, &alone)
                } else {
                    self.decide(number, &now, &next)
                };
                if let Some(key) = decided {
                    now = next;
                    changed = true;
                    applied.push(key);
                }
            }
            if !changed {
                break;
            }
        }
        (now, applied)
    }

    /// Whether an edit may be acted upon here: the most specific level that knows decides.
    fn decide(&self, edit: u32, before: &Form<'_>, after: &Form<'_>) -> Option<u64> {
        let contexts = contexts(&self.edits[edit as usize].edit, before, after);
        let mut local: Option<&Belief> = None;
        for (level, context) in LEVELS.into_iter().zip(contexts) {
            let Some(context) = context else { continue };
            let key = belief_key(edit, level, context);
            let Some(belief) = self.beliefs.get(&key) else {
                continue;
            };
            if belief.is_vague() {
                return None;
            }
            match belief.state {
                State::Active => {
                    // A general belief is not stretched to a section that it was never tried in.
                    let known = match level {
                        Level::Host => {
                            let literal = self.edits[edit as usize].edit.is_literal();
                            let needed = if literal { LITERAL_TRIALS } else { 3 };
                            local.is_some_and(|b| b.level >= Level::Names && b.seen() >= needed)
                        }
                        Level::Shape if contexts[2].is_some() => {
                            local.is_some_and(|b| b.level >= Level::Names && b.seen() >= 1)
                        }
                        _ => true,
                    };
                    return known.then_some(key);
                }
                _ if belief.is_doubted() || belief.evidence.failures > 0 => return None,
                _ => local = Some(belief),
            }
        }
        None
    }

    /// Learns from a page. `probe` says that it was fetched though predicted to be a duplicate.
    pub fn observe(
        &mut self,
        url: &url::Url,
        text: &str,
        canonical: Option<&str>,
        probe: bool,
    ) -> Learned {
        let text = PageText::new(text, &Echo::of(url));
        let mut learned = Learned::default();
        if let Some(mut warming) = self.warming.take() {
            warming.push((url.as_str().into(), text));
            let mut distinct: Vec<u64> = warming.iter().map(|(_, t)| t.exact()).collect();
            distinct.sort_unstable();
            distinct.dedup();
            if distinct.len() < FIRST_CHROME && warming.len() < self.config.initial_pages {
                self.warming = Some(warming);
                return learned;
            }
            self.first_chrome(&warming);
            for (url, text) in warming {
                self.learn(&url, &text, None, false, &mut learned);
            }
        } else {
            self.learn(url.as_str(), &text, canonical, probe, &mut learned);
        }
        learned
    }

    /// Freezes the first version of the chrome. Texts that differ in a line only count once.
    fn first_chrome(&mut self, warming: &[(Box<str>, PageText)]) {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut contents = Clusters::default();
        let empty = ChromeBook::default();
        for (_, text) in warming {
            if !seen.insert(text.exact()) {
                continue;
            }
            let mut page = Newcomer::new(text, &empty);
            if contents.find(&mut page, &empty).is_none() {
                contents.open(&page);
            }
            self.book.count(text.shingles());
        }
        self.book.freeze_now();
    }

    #[expect(
        clippy::too_many_lines,
        reason = "the journey of one page, step by step"
    )]
    fn learn(
        &mut self,
        url: &str,
        text: &PageText,
        canonical: Option<&str>,
        probe: bool,
        learned: &mut Learned,
    ) {
        if self.pages.len() >= self.config.max_pages {
            return;
        }
        let number = self.pages.len() as u32;
        let form = Form::parse(url);
        let mut page = Newcomer::new(text, &self.book);
        let mut compared: FxHashMap<ClusterId, Sameness> = FxHashMap::default();
        let mut same_as = None;
        let mut explained = false;
        let (reduced, applied) = self.canonical(&form);
        let reduced_key = reduced.key();

        // What active beliefs said.
        if let Some(&rep) = self.canon.get(&reduced_key)
            && *self.pages[rep as usize].url != *url
        {
            let rep_url = self.pages[rep as usize].url.clone();
            let rep_form = Form::parse(&rep_url);
            let cluster = self.pages[rep as usize].cluster;
            let verdict = self.clusters.compare(&mut page, cluster, &self.book);
            compared.insert(cluster, verdict);
            if verdict == Sameness::Same {
                same_as = Some(cluster);
                explained = true;
            }
            if probe {
                learned.was_duplicate = match verdict {
                    Sameness::Same => Some(true),
                    Sameness::Different => Some(false),
                    Sameness::Unknown => None,
                };
            }
            let mut edits: Vec<u32> = applied
                .iter()
                .chain(&self.canonical(&rep_form).1)
                .filter_map(|key| self.beliefs.get(key))
                .map(|b| b.edit)
                .collect();
            // Others that would have said the same must hear of it, or they would take over.
            for before in [&form, &rep_form] {
                for edit in self.edits_for(before, |e| e.active > 0) {
                    let mut after = before.clone();
                    if self.edits[edit as usize].edit.apply(&mut after)
                        && (after.key() == reduced_key
                            || self.canonical(&after).0.key() == reduced_key)
                    {
                        edits.push(edit);
                    }
                }
            }
            edits.sort_unstable();
            edits.dedup();
            let confirmed = self.is_canonical(canonical, rep);
            for edit in edits {
                let pages = (number, rep);
                let forms = [&form, &rep_form];
                self.trial_either(edit, forms, reduced_key, verdict, confirmed, pages, learned);
            }
        } else if !self.canon.contains_key(&reduced_key) {
            // An alias of this URL may have come first.
            let waiting: Vec<(u32, u32)> = (0..self.edits.len() as u32)
                .filter(|e| !self.edits[*e as usize].is_asleep())
                .filter_map(|e| Some((e, *self.trials.get(&trial_key(e, reduced_key))?)))
                .collect();
            for (edit, rep) in waiting {
                let cluster = self.pages[rep as usize].cluster;
                let verdict = *compared
                    .entry(cluster)
                    .or_insert_with(|| self.clusters.compare(&mut page, cluster, &self.book));
                let rep_url = self.pages[rep as usize].url.clone();
                let rep_form = Form::parse(&rep_url);
                let (pages, forms) = ((rep, number), [&rep_form, &form]);
                let doubted =
                    self.trial_either(edit, forms, reduced_key, verdict, false, pages, learned);
                if verdict == Sameness::Same {
                    same_as = same_as.or(Some(cluster));
                    explained |= !doubted;
                }
            }
        }
        // What edits on trial say.
        let mut to_index = Vec::new();
        for edit in self.edits_for(&form, |_| true) {
            let mut after = reduced.clone();
            if !self.edits[edit as usize].edit.apply(&mut after) || after == reduced {
                continue;
            }
            let key = after.key();
            let indexed = trial_key(edit, key);
            let rep = self
                .canon
                .get(&key)
                .or_else(|| self.trials.get(&indexed))
                .copied();
            let Some(rep) = rep else {
                if !self.edits[edit as usize].is_asleep() {
                    to_index.push(indexed);
                }
                continue;
            };
            let cluster = self.pages[rep as usize].cluster;
            let verdict = *compared
                .entry(cluster)
                .or_insert_with(|| self.clusters.compare(&mut page, cluster, &self.book));
            let mut alone = form.clone();
            let stands_alone = self.edits[edit as usize].edit.apply(&mut alone);
            let confirmed = self.is_canonical(canonical, rep);
            let (before, after) = if stands_alone {
                (&form, &alone)
            } else {
                (&reduced, &after)
            };
            let doubted = self.trial(
                edit,
                before,
                after,
                key,
                verdict,
                confirmed,
                (number, rep),
                learned,
            );
            if verdict == Sameness::Same {
                same_as = same_as.or(Some(cluster));
                explained |= !doubted;
            }
        }
        // Which content is it?
        let cluster = same_as.or_else(|| self.clusters.find(&mut page, &self.book));
        let cluster = if let Some(cluster) = cluster {
            if !self.clusters.is_exact(&page, cluster) && self.clusters.pages(cluster) < 3 {
                self.book.count(text.shingles());
            }
            self.clusters.join(cluster);
            cluster
        } else {
            let cluster = self.clusters.open(&page);
            self.book.count(text.shingles());
            cluster
        };
        self.pages.push(Page {
            url: url.into(),
            cluster,
        });
        self.canon.entry(reduced_key).or_insert(number);
        for key in to_index {
            self.trials.entry(key).or_insert(number);
        }
        if !explained {
            self.nominate(&form, cluster);
        }
        let members = self.members.entry(cluster).or_default();
        if members.len() < MEMBERS {
            members.push(number);
        } else if !explained {
            // Keep the first and rotate the rest, so that new kinds of aliases find a near relative.
            let at = 1 + number as usize % (MEMBERS - 1);
            members[at] = number;
        }
        self.since_rebuild += 1;
        self.since_settled += 1;
        self.settle();
        drop(page);
        if let Some(sources) = self.redirects.remove(&hash_of(40, url)) {
            for source in sources {
                self.learn_redirect(&source, number, learned);
            }
        }
    }

    /// Learns that `source` leads to `target`.
    pub fn observe_redirect(&mut self, source: &str, target: &str) -> Learned {
        let mut learned = Learned::default();
        let form = Form::parse(target);
        let found = self
            .canon
            .get(&self.canonical(&form).0.key())
            .copied()
            .filter(|page| &*self.pages[*page as usize].url == target);
        if let Some(page) = found {
            self.learn_redirect(source, page, &mut learned);
        } else if self.redirects.len() < 10_000 {
            self.redirects
                .entry(hash_of(40, target))
                .or_default()
                .push(source.into());
        }
        learned
    }

    fn learn_redirect(&mut self, source: &str, target: u32, learned: &mut Learned) {
        let form = Form::parse(source);
        let cluster = self.pages[target as usize].cluster;
        let (reduced, _) = self.canonical(&form);
        let mut explained = false;
        for edit in self.edits_for(&form, |_| true) {
            let mut after = reduced.clone();
            if !self.edits[edit as usize].edit.apply(&mut after) {
                continue;
            }
            let key = after.key();
            let Some(&rep) = self.canon.get(&key) else {
                continue;
            };
            let verdict = if self.pages[rep as usize].cluster == cluster {
                Sameness::Same
            } else {
                Sameness::Different
            };
            let doubted = self.trial(
                edit,
                &form,
                &after,
                key,
                verdict,
                rep == target,
                (target, rep),
                learned,
            );
            explained |= verdict == Sameness::Same && !doubted;
        }
        if !explained {
            let url = self.pages[target as usize].url.clone();
            for edit in readings(&form, &Form::parse(&url)) {
                self.register(&edit, &form);
            }
        }
        self.canon.entry(reduced.key()).or_insert(target);
        self.settle();
    }

    fn is_canonical(&self, canonical: Option<&str>, page: u32) -> bool {
        canonical.is_some_and(|c| self.pages.get(page as usize).is_some_and(|p| *p.url == *c))
    }

    /// One trial of an edit that changes the first of two forms, or else the second.
    #[expect(clippy::too_many_arguments, reason = "a trial is made of all of these")]
    fn trial_either(
        &mut self,
        edit: u32,
        forms: [&Form<'_>; 2],
        group: u64,
        verdict: Sameness,
        confirmed: bool,
        pages: (u32, u32),
        learned: &mut Learned,
    ) -> bool {
        for before in forms {
            let mut after = before.clone();
            if self.edits[edit as usize].edit.apply(&mut after) && after != *before {
                return self.trial(
                    edit, before, &after, group, verdict, confirmed, pages, learned,
                );
            }
        }
        false
    }

    /// One trial of an edit, counted on every level; whether all levels doubt it.
    #[expect(clippy::too_many_arguments, reason = "a trial is made of all of these")]
    fn trial(
        &mut self,
        edit: u32,
        before: &Form<'_>,
        after: &Form<'_>,
        group: u64,
        verdict: Sameness,
        confirmed: bool,
        example: (u32, u32),
        learned: &mut Learned,
    ) -> bool {
        let success = match verdict {
            Sameness::Same => true,
            Sameness::Different => false,
            Sameness::Unknown => {
                self.undecided(edit, before, after);
                return false;
            }
        };
        let on_trial = &mut self.edits[edit as usize];
        if success {
            on_trial.successes += 1;
        } else {
            on_trial.failures += 1;
        }
        let value = value_of(&on_trial.edit, before);
        let wealth = prior(&on_trial.edit);
        let contexts = contexts(&on_trial.edit, before, after);
        let mut all_doubt = true;
        let mut general_fails = false;
        for (level, context) in LEVELS.into_iter().zip(contexts).rev() {
            let Some(context) = context else { continue };
            let key = belief_key(edit, level, context);
            if !self.beliefs.contains_key(&key) {
                // The narrow levels are worth their memory only where the wider ones fail.
                let narrow = matches!(level, Level::PathAndRest | Level::Path);
                if (narrow && !general_fails) || self.beliefs.len() >= self.config.max_beliefs {
                    continue;
                }
                self.beliefs
                    .insert(key, Belief::new(edit, level, context, wealth));
            }
            let belief = self.beliefs.get_mut(&key).expect("it was just put there");
            if success {
                belief.example = example;
                belief.confirmed += u32::from(confirmed);
            }
            let change = belief.count(success, group, value, &self.ratios);
            general_fails |= belief.is_doubted() || belief.evidence.failures > 0;
            all_doubt &= belief.is_doubted();
            match change {
                Change::None => {}
                Change::Candidate => self.candidates = true,
                Change::Withdrawn => {
                    let id = self.id_of(&self.beliefs[&key]);
                    self.ids.remove(&id);
                    let on_trial = &mut self.edits[edit as usize];
                    on_trial.active = on_trial.active.saturating_sub(1);
                    learned.withdrawn.push(id);
                    self.generation += 1;
                    self.rebuild();
                }
            }
        }
        all_doubt
    }

    fn undecided(&mut self, edit: u32, before: &Form<'_>, after: &Form<'_>) {
        let contexts = contexts(&self.edits[edit as usize].edit, before, after);
        for (level, context) in LEVELS.into_iter().zip(contexts) {
            let known = context.map(|c| belief_key(edit, level, c));
            if let Some(belief) = known.and_then(|key| self.beliefs.get_mut(&key)) {
                belief.undecided += 1;
            }
        }
    }

    /// Puts the difference to earlier pages of the same content into words.
    fn nominate(&mut self, form: &Form<'_>, cluster: ClusterId) {
        let Some(members) = self.members.get(&cluster) else {
            return;
        };
        let mut near: Vec<(usize, u32)> = members
            .iter()
            .map(|&m| (distance(form, &Form::parse(&self.pages[m as usize].url)), m))
            .collect();
        near.sort_unstable();
        let Some(&(nearest, _)) = near.first() else {
            return;
        };
        for (distance, member) in near {
            if distance > nearest + 1 {
                break;
            }
            let url = self.pages[member as usize].url.clone();
            for edit in readings(form, &Form::parse(&url)) {
                self.register(&edit, form);
            }
        }
    }

    fn register(&mut self, edit: &Edit, form: &Form<'_>) {
        self.register_one(edit.clone());
        // What is irrelevant one by one may only show when all of it goes at once.
        if let Edit::Params(edits) = edit
            && edits.iter().all(|e| matches!(e, Param::Any(_)))
        {
            let mut all: Vec<Param> = edits.clone();
            for (name, _) in &form.params {
                let single = Edit::Params(vec![Param::Any(name.to_string())]);
                let believed = self.numbers.get(&single).is_some_and(|n| {
                    let e = &self.edits[*n as usize];
                    e.successes >= 5 && e.failures * 50 <= e.successes
                });
                let param = Param::Any(name.to_string());
                if believed && !all.contains(&param) {
                    all.push(param);
                }
            }
            if all.len() > edits.len() && all.len() <= 6 {
                all.sort_unstable();
                self.register_one(Edit::Params(all));
            }
        }
    }

    fn register_one(&mut self, edit: Edit) {
        if self.numbers.contains_key(&edit) || self.edits.len() >= self.config.max_edits {
            return;
        }
        // Of two aliases of each other one must be the canonical one.
        let reverse = match &edit {
            Edit::Origin { from, to } => Some(Edit::Origin {
                from: to.clone(),
                to: from.clone(),
            }),
            Edit::Prefix { from, to } => Some(Edit::Prefix {
                from: to.clone(),
                to: from.clone(),
            }),
            Edit::Suffix { from, to } => Some(Edit::Suffix {
                from: to.clone(),
                to: from.clone(),
            }),
            _ => None,
        };
        if reverse.is_some_and(|r| self.numbers.contains_key(&r)) {
            return;
        }
        let number = self.edits.len() as u32;
        let parts: Vec<u64> = match &edit {
            Edit::Origin { from, .. } => vec![hash_of(31, from)],
            Edit::Prefix { from, .. } if !from.is_empty() => vec![hash_of(32, &from[0])],
            Edit::Suffix { from, .. } if !from.is_empty() => {
                vec![hash_of(33, &from[from.len() - 1])]
            }
            Edit::Params(edits) => edits.iter().map(|e| hash_of(34, e.name())).collect(),
            _ => {
                self.general.push(number);
                Vec::new()
            }
        };
        for part in parts {
            self.by_part.entry(part).or_default().push(number);
        }
        self.numbers.insert(edit.clone(), number);
        self.edits.push(OnTrial {
            edit,
            active: 0,
            successes: 0,
            failures: 0,
        });
    }

    /// The e-value that activates. The levels of an edit share their trials, so that an edit counts as one
    /// hypothesis, and each narrow context with trials of its own as one more.
    fn threshold(&self) -> f64 {
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
    fn settle(&mut self) {
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
    fn rebuild(&mut self) {
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

    /// The text form of a belief.
    pub fn describe(&self, id: BeliefId) -> Option<String> {
        let belief = self.beliefs.get(self.ids.get(&id)?)?;
        Some(self.text_of(belief))
    }

    fn text_of(&self, belief: &Belief) -> String {
        let url = |page: u32| self.pages.get(page as usize).map_or("?", |p| &p.url);
        format!(
            "{} | {:?} | {:?} | trials {} failures {} e {:.1} | as in {} = {}",
            self.edits[belief.edit as usize].edit,
            belief.level,
            belief.state,
            belief.evidence.trials,
            belief.evidence.failures,
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
            + self.beliefs.values().map(Belief::bytes).sum::<usize>()
    }
}
