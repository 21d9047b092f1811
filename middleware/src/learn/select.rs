//! Which of the proposed rules are taken, and in which order?
//!
//! Rules are taken greedily by what they save, each judged on top of those taken before; a rule that no longer
//! holds up is narrowed or left. Since every rule taken changes what is left to explain, proposals are made
//! anew until none is taken.

use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    Options, classes,
    narrow::narrow,
    table::{Deed, Table},
};
use crate::rules::{Entry, Rule, Status};

/// Times that proposals are made anew.
const ROUNDS: usize = 5;
/// Query names that rules may ask the absence of.
const NAMES: usize = 48;

/// A rule and what it would save; the heap's greatest is the one to take first.
#[derive(Debug, PartialEq, Eq)]
struct Offer {
    saved: u64,
    changed: usize,
    rule: Rule,
    by: &'static str,
}

impl Ord for Offer {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let size = |rule: &Rule| rule.edits.len() * 2 + rule.pattern.0.len();
        self.saved
            .cmp(&other.saved)
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

/// Whether a rule that did this on known URLs may be acted upon. `added` conditions were chosen on the same
/// URLs, which makes their agreement worth less.
fn accepts(options: &Options, deed: &Deed, added: usize) -> bool {
    let passed = deed.trials - deed.failures;
    passed >= options.min_trials + added as u64
        && deed.failures as f64 <= options.fpr_max * deed.trials as f64
        && deed.fpr() <= options.fpr_max
        && deed.lost as f64 <= options.fpr_max * deed.saved as f64
}

/// Takes rules for a table, in the order in which they are to be applied. `extra` are proposals from elsewhere.
pub(crate) fn select(
    table: &mut Table,
    options: &Options,
    extra: &dyn Fn(&Table) -> Vec<Rule>,
    vetoed: &FxHashSet<Rule>,
) -> Vec<Entry> {
    let mut taken: Vec<Entry> = Vec::new();
    for _ in 0..ROUNDS {
        let names = frequent_names(table);
        let check = |deed: &Deed, added: usize| accepts(options, deed, added);
        let mut proposals: Vec<(Rule, &'static str)> = Vec::new();
        if options.algorithm.uses_classes() {
            proposals.extend(
                classes::propose(table, options.max_proposals)
                    .into_iter()
                    .filter(|(_, votes)| u64::from(*votes) >= options.min_trials.min(2))
                    .map(|(rule, _)| (rule, "classes")),
            );
        }
        proposals.extend(extra(table).into_iter().map(|rule| (rule, "tree")));
        let mut known = FxHashSet::default();
        let mut heap = BinaryHeap::new();
        for (rule, by) in proposals {
            if !known.insert(rule.clone()) {
                continue;
            }
            let deed = table.try_rule(&rule);
            if deed.trials == 0 {
                continue;
            }
            if let Some((rule, deed, _)) = narrow(table, &rule, deed, &names, &check)
                && !vetoed.contains(&rule)
            {
                heap.push(offer(rule, &deed, by));
            }
        }
        let before = taken.len();
        while let Some(Offer { rule, by, saved, .. }) = heap.pop() {
            if taken.len() >= options.max_rules {
                return taken;
            }
            // What was taken meanwhile may have done part of its work.
            let deed = table.try_rule(&rule);
            if !check(&deed, 0) {
                continue;
            }
            if deed.saved < saved && heap.peek().is_some_and(|next| next.saved > deed.saved) {
                heap.push(offer(rule, &deed, by));
                continue;
            }
            let evidence = table.evidence(&deed);
            table.adopt(&rule);
            taken.push(Entry {
                rule,
                status: Status::Active,
                by: by.to_owned(),
                evidence,
            });
        }
        if taken.len() == before {
            break;
        }
    }
    taken
}

fn offer(rule: Rule, deed: &Deed, by: &'static str) -> Offer {
    Offer {
        saved: deed.saved,
        changed: deed.changed,
        rule,
        by,
    }
}

fn frequent_names(table: &Table) -> Vec<Box<str>> {
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
