//! Finds the values of a URL that say what kind of page it is.

use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::{
    learn::{narrow::starts, table::Table},
    rules::{Condition, Key, Parts},
};

/// Values that many URLs of the site have: they say what kind of page it is, the others which one.
#[derive(Debug, Default)]
pub(super) struct Salient {
    pub(super) counts: FxHashMap<u64, u32>,
    pub(super) least: u32,
}

impl Salient {
    pub(super) fn of(table: &Table<'_>) -> Self {
        let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
        for parts in &table.apart {
            for (key, value) in parts.pairs() {
                for start in starts(&key, &value) {
                    *counts.entry(hash(&start)).or_default() += 1;
                }
                *counts.entry(mark(&key, &value)).or_default() += 1;
            }
        }
        Self {
            counts,
            least: (table.rows.len() as u32 / 200).max(3),
        }
    }

    fn is_many(&self, mark: u64) -> bool {
        self.counts.get(&mark).copied().unwrap_or(0) >= self.least
    }

    /// Whether many URLs satisfy a condition that one of them does.
    pub(super) fn is_usual(&self, condition: &Condition) -> bool {
        matches!(condition, Condition::Is(key, value) if self.is_many(mark(key, value)))
    }

    /// Whether `least` URLs may satisfy a condition that one of them does.
    pub(super) fn is_met_by(&self, condition: &Condition, least: u32) -> bool {
        match condition {
            Condition::Is(key @ (Key::Query(_) | Key::Seg(_)), value) if least > 1 => self
                .counts
                .get(&mark(key, value))
                .is_some_and(|n| *n >= least),
            _ => true,
        }
    }

    /// What both URLs have in common, and the usual values of what only one of them has.
    pub(super) fn context(&self, a: &Parts<'_>, b: &Parts<'_>) -> Vec<Condition> {
        let mut context = Vec::new();
        for (key, value) in a.pairs() {
            let is_usual = self.is_many(mark(&key, &value));
            match b.get(&key) {
                None if matches!(key, Key::Query(_)) && is_usual => {
                    context.push(Condition::Maybe(key, value.into()));
                }
                Some(same) if same == value => match key {
                    Key::Scheme | Key::Slash | Key::Ext => {}
                    _ if is_usual => context.push(Condition::Is(key, value.into())),
                    Key::Query(_) => {
                        let mut starts = starts(&key, &value).into_iter();
                        let start = starts.rfind(|start| self.is_many(hash(start)));
                        context.push(start.unwrap_or(Condition::Has(key)));
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        for (key, value) in b.pairs() {
            let is_usual = |key: &Key| self.is_many(mark(key, &value));
            if matches!(key, Key::Query(_)) && !a.has(&key) && is_usual(&key) {
                context.push(Condition::Maybe(key, value.into()));
            }
        }
        context
    }
}

/// Stands for the condition that the part has this value.
pub(super) fn mark(key: &Key, value: &str) -> u64 {
    FxBuildHasher.hash_one((key, value))
}

fn hash(condition: &Condition) -> u64 {
    FxBuildHasher.hash_one(condition)
}
