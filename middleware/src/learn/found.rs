//! What was found out about the rows of a table.
//!
//! Rules are tried by the hundred, many with the same conditions or edits, and on several threads: what is found out
//! for one rule is shared with the others. Nothing is computed while other threads wait.

use std::{
    mem::size_of,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::rows::Rows;
use crate::rules::{Condition, Edit};

/// Octets that tables of a kind remember at most.
const MOST_REMEMBERED: usize = 64 << 20;

/// The hash of a text; two of them are none.
pub(super) fn hash_of(text: &str) -> u64 {
    xxh3_64(text.as_bytes()).max(2)
}

/// What edits make of a row: hash of the text, and the new shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) hash: u64,
    pub(super) shape: u64,
}

impl Form {
    pub(super) const SAME: Self = Self { hash: 1, shape: 0 };

    pub(super) fn new(text: &str, shape: u64) -> Self {
        let hash = hash_of(text);
        Self { hash, shape }
    }

    /// Whether it is that of a text.
    pub(super) fn is_of(self, text: &str) -> bool {
        self.hash == hash_of(text)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) form: Form,
    pub(super) at: u32,
}

/// A form, once it is known. Two threads may find it out both: they find the same.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// 0 as long as it is not known.
    hash: AtomicU64,
    shape: AtomicU64,
}

impl Known {
    pub(super) fn get(&self) -> Option<Form> {
        let hash = self.hash.load(Ordering::Acquire);
        let shape = self.shape.load(Ordering::Relaxed);
        (hash != 0).then_some(Form { hash, shape })
    }

    pub(super) fn set(&self, form: Form) {
        self.shape.store(form.shape, Ordering::Relaxed);
        self.hash.store(form.hash, Ordering::Release);
    }
}

/// What was found out about the rows as they are now.
#[derive(Debug, Default)]
pub(super) struct Found(Mutex<Answers>);

#[derive(Debug, Default)]
struct Answers {
    holding: FxHashMap<Condition, Arc<Rows>>,
    edited: FxHashMap<Vec<Edit>, Arc<Vec<Known>>>,
}

impl Found {
    /// Guards two maps, for a look or an entry.
    fn answers(&self) -> MutexGuard<'_, Answers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The rows, of so many, that satisfy a condition.
    pub(super) fn holding(
        &self,
        condition: &Condition,
        rows: usize,
        ask: impl FnOnce() -> Rows,
    ) -> Arc<Rows> {
        if let Some(known) = self.answers().holding.get(condition) {
            return Arc::clone(known);
        }
        let found = Arc::new(ask());
        let mut answers = self.answers();
        if (answers.holding.len() + 1) * rows / 8 > MOST_REMEMBERED {
            answers.holding.clear();
        }
        answers
            .holding
            .insert(condition.clone(), Arc::clone(&found));
        found
    }

    /// What edits make of each of so many rows.
    pub(super) fn edited(&self, edits: &Vec<Edit>, rows: usize) -> Arc<Vec<Known>> {
        let mut answers = self.answers();
        if let Some(forms) = answers.edited.get(edits) {
            return Arc::clone(forms);
        }
        if (answers.edited.len() + 1) * rows * size_of::<Known>() > MOST_REMEMBERED {
            answers.edited.clear();
        }
        let forms: Arc<Vec<Known>> = Arc::new((0..rows).map(|_| Known::default()).collect());
        answers.edited.insert(edits.clone(), Arc::clone(&forms));
        forms
    }
}
