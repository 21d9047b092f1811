//! Which of the proposed rules are taken, and in which order?
//!
//! Rules are taken greedily by what they save, each judged on top of those taken before; a rule that no longer
//! holds up is narrowed or left. Since every rule taken changes what is left to explain, proposals are made
//! anew until none is taken.

use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::prior::{self, pages_for_usual, usual};
use super::{
    Options, Selection, classes,
    narrow::narrow,
    table::{Deed, Table},
};
use crate::rules::{Condition, Edit, Entry, Evidence, Key, Rule, Status};

/// Times that proposals are made anew.
const ROUNDS: usize = 5;
/// Pages that only the removal of a paging parameter makes one, if it is to be removed.
const PAGING_PAGES: u64 = 3;
/// Query names that rules may ask the absence of.
const NAMES: usize = 48;

/// A rule and what it would save; the heap's greatest is the one to take first.
#[derive(Debug, PartialEq, Eq)]
struct Offer {
    /// URLs saved, less ten for each page lost.
    worth: u64,
    changed: usize,
    rule: Rule,
    by: &'static str,
}

impl Ord for Offer {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let size = |rule: &Rule| rule.edits.len() * 2 + rule.pattern.0.len();
        self.worth
            .cmp(&other.worth)
            // Among rules that save the same, the one that touches least, then the shortest.
            .then_with(|| other.changed.cmp(&self.changed))
            .then_with(|| size(&other.rule).cmp(&size(&self.rule)))
            .then_with(|| other.rule.cmp(&self.rule))
    }
}

impl PartialOrd for Offer {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Pages that must have shown a rule right before it is believed, given what kind of rule it is: dropping a
/// parameter is right for whole sites, one value for another seldom for more than was seen.
pub(crate) fn pages_needed(rule: &Rule, options: &Options) -> u64 {
    let factor = rule
        .edits
        .iter()
        .map(|edit| match edit {
            Edit::Sort
            | Edit::LowerPath
            | Edit::Drop(Key::Slash | Key::PathParam(_))
            | Edit::Set(Key::Scheme | Key::Host, _) => 2,
            Edit::Drop(key @ Key::Query(_)) if tells_value(rule, key) => 5,
            Edit::Drop(Key::Query(name)) if prior::is_paging(name) => 6,
            Edit::Drop(Key::Query(name)) if prior::is_decoration(name) => 1,
            Edit::Drop(Key::Query(_) | Key::Ext)
            | Edit::Move(..)
            | Edit::Copy(..)
            | Edit::Lower(_)
            | Edit::Set(Key::Ext, _) => 3,
            Edit::Drop(_) => 4,
            Edit::MaskDigits(..) => 6,
            Edit::Mask(_) => 12,
            Edit::Set(Key::Query(_), _) => 20,
            // Part of a move to another path.
            Edit::Set(..) if rule.edits.iter().any(|e| matches!(e, Edit::Move(..))) => 3,
            Edit::Set(..) => 8,
        })
        .max()
        .unwrap_or(3);
    (factor * options.min_trials).div_ceil(3)
}

/// Whether the rule speaks about one value of the part, and not one that stands for "as usual".
fn tells_value(rule: &Rule, key: &Key) -> bool {
    rule.pattern.0.iter().any(|condition| match condition {
        Condition::Is(own, value) => {
            own == key
                && !matches!(
                    &**value,
                    "" | "0" | "1" | "yes" | "true" | "false" | "all" | "default"
                )
        }
        _ => false,
    })
}

/// Whether a rule that did this on known URLs may be acted upon, if `failures_max` of its groups may fail.
/// `added` conditions were chosen on the same URLs, which makes their agreement worth less.
fn accepts(options: &Options, failures_max: f64, rule: &Rule, deed: &Deed, added: usize) -> bool {
    if let Some(pages) = pages_for_usual(rule) {
        // Ten trials that went well are taken for granted.
        return deed.shown() >= pages
            && deed.failures as f64 <= failures_max * (deed.trials + 10) as f64;
    }
    let chosen = added.max(chosen_conditions(rule));
    // Error pages agree with each other whatever a value is replaced by, and the more so the more was picked.
    let sets = |edit: &Edit| matches!(edit, Edit::Set(Key::Query(_), _));
    // Where a visitor came from never says which page it is: those of a login page need not be picked apart.
    let is_way_back =
        |edit: &Edit| matches!(edit, Edit::Drop(Key::Query(name)) if prior::is_decoration(name));
    let from_giants = if rule.edits.iter().any(sets) {
        0
    } else if rule.edits.iter().all(is_way_back) {
        deed.in_giants
    } else {
        deed.in_giants / (1 + 4 * chosen as u64)
    };
    deed.pages + from_giants >= pages_needed(rule, options) + chosen as u64
        && deed.orphans.is_empty()
        && deed.failures as f64 <= failures_max * deed.trials as f64
        && deed.lost as f64 <= failures_max * deed.saved as f64
}

/// Conditions on the query that were picked among many: values, starts, absences.
fn chosen_conditions(rule: &Rule) -> usize {
    let is_chosen = |condition: &&Condition| {
        matches!(
            condition,
            Condition::Is(Key::Query(_), _) | Condition::Starts(..) | Condition::No(Key::Query(_))
        )
    };
    let edited = |condition: &&Condition| {
        matches!(condition, Condition::Is(key, _) | Condition::No(key)
            if rule.edits.iter().any(|edit| matches!(edit,
                Edit::Drop(k) | Edit::Mask(k) | Edit::Set(k, _) | Edit::Move(_, k) if k == key)))
    };
    let conditions = rule.pattern.0.iter();
    conditions.filter(is_chosen).filter(|c| !edited(c)).count()
}

/// The rule without the edits that no merged page speaks for.
fn prune(table: &Table<'_>, mut rule: Rule, deed: Deed) -> (Rule, Deed) {
    let mut deed = deed;
    let mut at = rule.edits.len();
    while at > 0 && rule.edits.len() > 1 {
        at -= 1;
        if !matches!(
            rule.edits[at],
            Edit::Drop(Key::Query(_) | Key::PathParam(_)) | Edit::Mask(_)
        ) {
            continue;
        }
        let mut fewer = rule.clone();
        fewer.edits.remove(at);
        let without = table.try_rule(&fewer);
        let own = deed.shown().saturating_sub(without.shown());
        // What turns pages must be seen to be without effect on several, not to have come along with others.
        let is_risky =
            matches!(&rule.edits[at], Edit::Drop(Key::Query(name)) if prior::is_paging(name));
        let is_idle = own == 0 && without.saved >= deed.saved;
        if (is_idle || is_risky && own < PAGING_PAGES)
            && without.shown() > 0
            && without.orphans.is_empty()
        {
            (rule, deed) = (fewer, without);
        }
    }
    (rule, deed)
}

/// What the rules taken so far did together.
#[derive(Debug, Default)]
struct Totals {
    support: u64,
    false_pairs: u64,
    lost: u64,
}

impl Totals {
    fn allow(&self, deed: &Deed, options: &Options, clusters: usize) -> bool {
        let support = (self.support + deed.support) as f64;
        (self.false_pairs + deed.false_pairs) as f64 <= options.fpr_max * support
            && (self.lost + deed.lost) as f64 <= options.loss_max * clusters as f64
    }

    fn add(&mut self, deed: &Deed) {
        self.support += deed.support;
        self.false_pairs += deed.false_pairs;
        self.lost += deed.lost;
    }
}

/// Takes rules for a table, in the order in which they are to be applied. `extra` are proposals from elsewhere.
pub(crate) fn select(
    table: &mut Table<'_>,
    options: &Options,
    extra: &dyn Fn(&Table<'_>) -> Vec<Rule>,
    vetoed: &[Rule],
) -> Vec<Entry> {
    let mut taken: Vec<Entry> = Vec::new();
    let mut totals = Totals::default();
    let clusters = table.cluster_count();
    for _ in 0..ROUNDS {
        let names = frequent_names(table);
        // Strictly right rules, and rules right but for the noise that fetching pages at different times makes.
        let strict = |rule: &Rule, deed: &Deed, added: usize| {
            accepts(options, options.fpr_max, rule, deed, added)
        };
        let loose = |rule: &Rule, deed: &Deed, added: usize| {
            accepts(options, options.failures_max, rule, deed, added)
        };
        let mut proposals: Vec<(Rule, &'static str)> = Vec::new();
        if options.algorithm.uses_classes() {
            proposals.extend(
                classes::propose(table, options.max_proposals)
                    .into_iter()
                    .filter(|(_, votes)| u64::from(*votes) >= options.min_trials.min(2))
                    .map(|(rule, _)| (rule, "classes")),
            );
        }
        proposals.extend(usual(table).into_iter().map(|rule| (rule, "usual")));
        proposals.extend(extra(table).into_iter().map(|rule| (rule, "tree")));
        let still: Vec<_> = proposals
            .iter()
            .filter_map(|(rule, by)| Some((without_paging(rule)?, *by)))
            .collect();
        proposals.extend(still);
        let mut known = FxHashSet::default();
        let mut heap = BinaryHeap::new();
        for (rule, by) in proposals {
            if !known.insert(rule.clone()) || taken.iter().any(|entry| entry.rule == rule) {
                continue;
            }
            let deed = table.try_rule(&rule);
            if deed.changed == 0 || (deed.trials == 0 && pages_for_usual(&rule).is_none()) {
                continue;
            }
            if pages_for_usual(&rule).is_some() && loose(&rule, &deed, 0) {
                heap.push(offer(rule, &deed, by));
                continue;
            }
            let mut offers = Vec::new();
            for accepts in [&strict as &dyn Fn(&Rule, &Deed, usize) -> bool, &loose] {
                if let Some((rule, deed)) = narrow(table, &rule, &deed, &names, accepts)
                    && let (rule, deed) = prune(table, rule, deed)
                    && let rule = tighten(table, rule)
                    && !vetoed.contains(&rule)
                    && !taken.iter().any(|entry| entry.rule == rule)
                {
                    offers.push(offer(rule, &deed, by));
                }
            }
            offers.dedup();
            heap.extend(offers);
        }
        let before = taken.len();
        while let Some(Offer {
            rule, by, worth, ..
        }) = heap.pop()
        {
            if taken.len() >= options.max_rules {
                return taken;
            }
            if options.selection == Selection::Naive {
                let evidence = table.evidence(&table.try_rule(&rule));
                taken.push(active(rule, by, evidence));
                continue;
            }
            // What was taken meanwhile may have done part of its work.
            let deed = table.try_rule(&rule);
            if deed.changed == 0
                || !loose(&rule, &deed, 0)
                || !totals.allow(&deed, options, clusters)
            {
                continue;
            }
            let again = offer(rule.clone(), &deed, by);
            if again.worth < worth && heap.peek().is_some_and(|next| next.worth > again.worth) {
                heap.push(again);
                continue;
            }
            totals.add(&deed);
            let evidence = table.evidence(&deed);
            table.adopt(&rule);
            taken.push(active(rule, by, evidence));
        }
        if taken.len() == before || options.selection == Selection::Naive {
            break;
        }
    }
    taken
}

/// Puts rules that a sample of the pages gave to the proof on all of them, in their order. What does not hold up
/// is narrowed or left.
pub(crate) fn confirm(
    table: &mut Table<'_>,
    options: &Options,
    rules: Vec<Entry>,
    vetoed: &[Rule],
) -> Vec<Entry> {
    let mut taken: Vec<Entry> = Vec::new();
    let mut totals = Totals::default();
    let clusters = table.cluster_count();
    let names = frequent_names(table);
    let loose = |rule: &Rule, deed: &Deed, added: usize| {
        accepts(options, options.failures_max, rule, deed, added)
    };
    let mut last: Option<Rule> = None;
    for Entry { rule, by, .. } in rules {
        if let Some(last) = last.take() {
            table.adopt(&last);
        }
        let deed = table.try_rule(&rule);
        let held = if loose(&rule, &deed, 0) {
            Some((rule, deed))
        } else {
            narrow(table, &rule, &deed, &names, &loose)
        };
        let Some((rule, deed)) = held else { continue };
        if deed.changed == 0 || vetoed.contains(&rule) || !totals.allow(&deed, options, clusters) {
            continue;
        }
        totals.add(&deed);
        let evidence = table.evidence(&deed);
        last = Some(rule.clone());
        taken.push(active(rule, &by, evidence));
    }
    taken
}

/// The same rule, but leaves alone what turns pages.
fn without_paging(rule: &Rule) -> Option<Rule> {
    let stays =
        |edit: &&Edit| !matches!(edit, Edit::Drop(Key::Query(name)) if prior::is_paging(name));
    let edits: Vec<Edit> = rule.edits.iter().filter(stays).cloned().collect();
    let is_less = !edits.is_empty() && edits.len() < rule.edits.len();
    is_less.then(|| Rule::new(rule.pattern.0.clone(), edits))
}

fn active(rule: Rule, by: &str, evidence: Evidence) -> Entry {
    Entry {
        rule,
        status: Status::Active,
        by: by.to_owned(),
        evidence,
    }
}

fn offer(rule: Rule, deed: &Deed, by: &'static str) -> Offer {
    Offer {
        worth: deed.saved.saturating_sub(10 * deed.lost),
        changed: deed.changed,
        rule,
        by,
    }
}

/// Adds what holds for every class that the rule changes: the query names that were always there. A rule seen
/// at work only beside `t` says nothing about URLs without `t`, which may need what it drops.
fn tighten(table: &Table<'_>, rule: Rule) -> Rule {
    let touches_query = rule.edits.iter().any(|edit| {
        matches!(
            edit,
            Edit::Drop(Key::Query(_)) | Edit::Mask(Key::Query(_)) | Edit::Set(Key::Query(_), _)
        )
    });
    if !touches_query {
        return rule;
    }
    let edited = |name: &str| {
        rule.edits.iter().any(|edit| match edit {
            Edit::Drop(Key::Query(own))
            | Edit::Mask(Key::Query(own))
            | Edit::Set(Key::Query(own), _) => **own == *name,
            _ => false,
        })
    };
    let mut common: Option<Vec<&str>> = None;
    for row in table.changed_by(&rule) {
        let names = row.parts.query.iter().map(|p| &*p.name);
        match &mut common {
            None => common = Some(names.filter(|name| !edited(name)).collect()),
            Some(common) => common.retain(|name| row.parts.query.iter().any(|p| p.name == *name)),
        }
    }
    let mut conditions = rule.pattern.0.clone();
    for name in common.unwrap_or_default() {
        let key = Key::query(name);
        let known =
            |c: &Condition| matches!(c, Condition::Is(k, _) | Condition::Has(k) if *k == key);
        if !conditions.iter().any(known) {
            conditions.push(Condition::Has(key));
        }
    }
    Rule::new(conditions, rule.edits)
}

fn frequent_names(table: &Table<'_>) -> Vec<Box<str>> {
    let mut count: FxHashMap<&str, usize> = FxHashMap::default();
    for row in &table.rows {
        for param in &row.parts.query {
            *count.entry(&param.name).or_default() += 1;
        }
    }
    let mut names: Vec<(&str, usize)> = count.into_iter().filter(|(_, n)| *n >= 3).collect();
    names.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    names.truncate(NAMES);
    names.into_iter().map(|(name, _)| name.into()).collect()
}
