//! Numbers the edits.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::OnTrial;
use crate::predict::form::Edit;

/// Numbers of edits, which are looked up where they are on trial.
#[derive(Debug, Default)]
pub(super) struct Numbers(HashTable<u32>);

fn hash(edit: &impl Hash) -> u64 {
    FxBuildHasher.hash_one(edit)
}

impl Numbers {
    /// The number of an edit among those on trial.
    pub(super) fn get(&self, edit: &Edit, all: &[OnTrial]) -> Option<u32> {
        let is_it = |number: &u32| *all[*number as usize].edit == *edit;
        self.0.find(hash(edit), is_it).copied()
    }

    /// Notes the edit that is to be the next one of these.
    pub(super) fn add(&mut self, edit: &Edit, all: &[OnTrial]) {
        let hash_of = |number: &u32| hash(&*all[*number as usize].edit);
        self.0.insert_unique(hash(edit), all.len() as u32, hash_of);
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.0.allocation_size()
    }
}
