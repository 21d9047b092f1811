//! Which values of a URL say what kind of page it is?

use std::hash::BuildHasher;

use rustc_hash::FxHashMap;

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
        for row in &table.rows {
            for (key, value) in row.parts.pairs() {
                for start in starts(&key, &value) {
                    *counts.entry(hash(&start)).or_default() += 1;
                }
                let is = Condition::Is(key, value.into());
                *counts.entry(hash(&is)).or_default() += 1;
            }
        }
        Self {
            counts,
            least: (table.rows.len() as u32 / 200).max(3),
        }
    }

    fn holds(&self, condition: &Condition) -> bool {
        self.counts.get(&hash(condition)).copied().unwrap_or(0) >= self.least
    }

    /// What both URLs have in common, and the usual values of what only one of them has.
    pub(super) fn context(&self, a: &Parts<'_>, b: &Parts<'_>) -> Vec<Condition> {
        let mut context = Vec::new();
        for (key, value) in a.pairs() {
            let other = b.get(&key);
            let is = Condition::Is(key.clone(), (&*value).into());
            match other {
                None if matches!(key, Key::Query(_)) && self.holds(&is) => {
                    context.push(Condition::Maybe(key, value.into()));
                }
                Some(same) if same == value => match key {
                    Key::Scheme | Key::Slash | Key::Ext => {}
                    _ if self.holds(&is) => context.push(is),
                    Key::Query(_) => {
                        let start = starts(&key, &value).into_iter().rfind(|s| self.holds(s));
                        context.push(start.unwrap_or(Condition::Has(key)));
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        for (key, value) in b.pairs() {
            let is = Condition::Is(key.clone(), (&*value).into());
            if matches!(key, Key::Query(_)) && !a.has(&key) && self.holds(&is) {
                context.push(Condition::Maybe(key, value.into()));
            }
        }
        context
    }
}

fn hash(condition: &Condition) -> u64 {
    rustc_hash::FxBuildHasher.hash_one(condition)
}
