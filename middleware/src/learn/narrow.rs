//! Narrows a rule that is right for some URLs and wrong for others.
//!
//! Conditions are added one by one, each the one that keeps most of the groups that are one page and fewest of the
//! others (FOIL's gain, Quinlan 1990). Only conditions that hold for many groups are tried: values that tell single
//! pages apart would explain everything and predict nothing.

use rustc_hash::FxHashMap;

use super::{deed::Deed, table::Table};
use crate::rules::{Condition, Key, Parts, Rule};

/// Conditions that may be added to a rule.
const MAX_ADDED: usize = 4;
/// Groups that are looked at; more add nothing.
const MAX_GROUPS: usize = 4_000;
/// Members that speak for a group.
const SPEAKERS: usize = 7;

/// Whether a rule that did this may be taken, to which so many conditions were added.
pub(crate) type Accepts<'a> = &'a dyn Fn(&Rule, &Deed, usize) -> bool;

/// A rule that gets narrower, as far as anybody has asked: whoever asks for more, or for less, meets the same steps.
#[derive(Debug)]
pub(crate) struct Narrower<'t, 's> {
    table: &'t Table<'s>,
    names: &'t [Box<str>],
    /// The rule as it was, then with one condition more each, and what they do.
    steps: Vec<(Rule, Deed)>,
    is_over: bool,
}

impl<'t, 's> Narrower<'t, 's> {
    /// Of a rule that does this.
    pub(crate) fn new(
        table: &'t Table<'s>,
        rule: &Rule,
        deed: Deed,
        names: &'t [Box<str>],
    ) -> Self {
        Self {
            table,
            names,
            steps: vec![(rule.clone(), deed)],
            is_over: false,
        }
    }

    /// The first step that may be taken; `None` when no few conditions help.
    pub(crate) fn find(&mut self, accepts: Accepts<'_>) -> Option<usize> {
        let had_failures = self.steps[0].1.failures > 0;
        for added in 0..=MAX_ADDED {
            if added == self.steps.len() {
                self.go_on()?;
            }
            let (rule, deed) = &self.steps[added];
            // Conditions that only keep the rule away from what was never tried were not chosen for their success.
            if accepts(rule, deed, if had_failures { added } else { 0 }) {
                return Some(added);
            }
        }
        None
    }

    /// The rule of a step that was found, and what it does.
    pub(crate) fn step(&self, at: usize) -> (Rule, Deed) {
        self.steps[at].clone()
    }

    /// The same, if no other is asked for.
    pub(crate) fn into_step(mut self, at: usize) -> (Rule, Deed) {
        self.steps.swap_remove(at)
    }

    fn go_on(&mut self) -> Option<()> {
        let (rule, deed) = self.steps.last().filter(|_| !self.is_over)?;
        self.is_over = true;
        if deed.shown() == 0 {
            return None;
        }
        let condition = best_condition(self.table, rule, deed, self.names)?;
        let rule = rule.narrowed([condition]);
        let next = self.table.try_rule(&rule);
        let badness = |deed: &Deed| deed.failures + deed.orphans.len() as u64;
        if next.shown() == 0 || badness(&next) >= badness(deed) {
            return None;
        }
        self.steps.push((rule, next));
        self.is_over = false;
        Some(())
    }
}

fn best_condition(
    table: &Table<'_>,
    rule: &Rule,
    deed: &Deed,
    names: &[Box<str>],
) -> Option<Condition> {
    let mut votes: FxHashMap<Condition, (u64, u64)> = FxHashMap::default();
    let (mut pure, mut mixed) = (0u64, 0u64);
    let mut spare = Parts::none();
    let mut groups = table.in_order(&deed.groups);
    groups.sort_unstable_by(|a, b| table.order(a[0], b[0]));
    for group in some(&groups) {
        let is_pure = table.is_pure(group);
        *(if is_pure { &mut pure } else { &mut mixed }) += 1;
        // A condition must hold for all members that the rule changes; the first ones speak for them.
        let mut conditions: Option<Vec<Condition>> = None;
        let mut speakers = 0;
        for at in &**group {
            let parts = table.parts(*at, &mut spare);
            if !rule.pattern.matches(parts) {
                continue;
            }
            match &mut conditions {
                None => conditions = Some(features(parts, names)),
                Some(conditions) => conditions.retain(|c| c.holds(parts)),
            }
            speakers += 1;
            if speakers == SPEAKERS {
                break;
            }
        }
        for condition in conditions.into_iter().flatten() {
            let vote = votes.entry(condition).or_default();
            *(if is_pure { &mut vote.0 } else { &mut vote.1 }) += 1;
        }
    }
    let mut orphans = deed.orphans.clone();
    orphans.sort_unstable_by(|a, b| table.order(*a, *b));
    for orphan in some(&orphans) {
        mixed += 1;
        for condition in features(table.parts(*orphan, &mut spare), names) {
            votes.entry(condition).or_default().1 += 1;
        }
    }
    let before = log_share(pure, mixed);
    let mut best: Option<(f64, Condition)> = None;
    for (condition, (p, n)) in votes {
        if p < 2 || n >= mixed || rule.pattern.0.contains(&condition) {
            continue;
        }
        let gain = p as f64 * (log_share(p, n) - before);
        let better = best.as_ref().is_none_or(|(g, c)| {
            gain > *g + 1e-12 || ((gain - *g).abs() <= 1e-12 && condition < *c)
        });
        if gain > 0.0 && better {
            best = Some((gain, condition));
        }
    }
    best.map(|(_, condition)| condition)
}

/// As many of them as are looked at.
pub(super) fn some<T>(all: &[T]) -> impl Iterator<Item = &T> {
    all.iter().step_by(all.len().div_ceil(MAX_GROUPS).max(1))
}

fn log_share(pure: u64, mixed: u64) -> f64 {
    ((pure as f64 + 0.5) / (pure as f64 + mixed as f64 + 1.0)).log2()
}

/// What a value starts with, up to its first and second mark of division: `Special:Search%2F`. It ends at a space: the first words of a name are none.
pub(crate) fn starts(key: &Key, value: &str) -> Vec<Condition> {
    let mut all = Vec::new();
    let mut from = 0;
    for _ in 0..2 {
        let Some(at) = value[from..].find([':', '%', '/', ',', '_', '-', '(', '=']) else {
            break;
        };
        let mut end = from + at + 1;
        if value[from + at..].starts_with("%20") {
            break;
        }
        if value[from + at..].starts_with('%') {
            end += 2;
        }
        if end >= value.len() || !value.is_char_boundary(end) {
            break;
        }
        all.push(Condition::Starts(key.clone(), value[..end].into()));
        from = end;
    }
    all
}

/// Whether a segment is nothing but digits.
pub(super) fn is_number(segment: &str) -> bool {
    !segment.is_empty() && segment.bytes().all(|octet| octet.is_ascii_digit())
}

/// Conditions that hold for a URL and may hold for many others.
pub(super) fn features(parts: &Parts<'_>, names: &[Box<str>]) -> Vec<Condition> {
    let mut all = Vec::with_capacity(24);
    for (key, value) in parts.pairs() {
        if matches!(key, Key::Query(_) | Key::Seg(_)) {
            all.extend(starts(&key, &value));
        }
        if value.len() > 64 {
            continue;
        }
        match key {
            Key::Scheme => {}
            Key::Query(_) | Key::PathParam(_) => {
                all.push(Condition::Has(key.clone()));
                all.push(Condition::Is(key, value.into()));
            }
            Key::Seg(i) => {
                if is_number(&value) {
                    all.push(Condition::Like(key.clone(), "#".into()));
                } else {
                    all.extend(Condition::like(&key, parts));
                }
                if usize::from(i) + 1 == parts.segs.len() {
                    all.push(Condition::Is(Key::Tail(0), (&*value).into()));
                }
                all.push(Condition::Is(key, value.into()));
            }
            Key::Slash => all.push(Condition::Has(key)),
            _ => all.push(Condition::Is(key, value.into())),
        }
    }
    if !parts.slash {
        all.push(Condition::No(Key::Slash));
    }
    if !parts.has(&Key::Ext) {
        all.push(Condition::No(Key::Ext));
    }
    all.extend(
        names
            .iter()
            .map(|name| Key::Query(name.clone()))
            .filter(|key| !parts.has(key))
            .map(Condition::No),
    );
    all
}
