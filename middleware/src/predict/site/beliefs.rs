//! What is believed of a site, by what it says?
//!
//! A belief is found by edit, level and context, and is never forgotten. They lie in one row, and the table
//! that finds them holds their numbers.

use hashbrown::HashTable;

use super::{belief_key, push_tightly};
use crate::predict::belief::Belief;

/// The beliefs of a site.
#[derive(Debug, Default)]
pub(super) struct Beliefs {
    all: Vec<Belief>,
    // Follows from `all`.
    by_key: HashTable<u32>,
    // Those that were tested, in order. Most never are.
    tried: Vec<u32>,
}

pub(super) fn key_of(belief: &Belief) -> u64 {
    belief_key(belief.edit(), belief.level, belief.context)
}

impl Beliefs {
    pub(super) const fn len(&self) -> usize {
        self.all.len()
    }

    fn number(&self, key: u64) -> Option<usize> {
        let is_it = |number: &u32| key_of(&self.all[*number as usize]) == key;
        Some(*self.by_key.find(key, is_it)? as usize)
    }

    pub(super) fn get(&self, key: u64) -> Option<&Belief> {
        Some(&self.all[self.number(key)?])
    }

    pub(super) fn get_mut(&mut self, key: u64) -> Option<&mut Belief> {
        let number = self.number(key)?;
        Some(&mut self.all[number])
    }

    /// Adds a belief that is not there.
    pub(super) fn add(&mut self, belief: Belief) -> &mut Belief {
        let (key, number) = (key_of(&belief), self.all.len());
        push_tightly(&mut self.all, belief);
        let all = &self.all;
        let hash = |number: &u32| key_of(&all[*number as usize]);
        self.by_key.insert_unique(key, number as u32, hash);
        if all[number].tries() > 0 {
            self.tried.push(number as u32);
        }
        &mut self.all[number]
    }

    /// All of them, in the order in which they came up.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &Belief> {
        self.all.iter()
    }

    /// Notes that a belief is being tested from now on.
    pub(super) fn note_tried(&mut self, key: u64) {
        let Some(number) = self.number(key) else {
            return;
        };
        if let Err(place) = self.tried.binary_search(&(number as u32)) {
            self.tried.insert(place, number as u32);
        }
    }

    /// All that were ever tested, in the order in which they came up.
    pub(super) fn tried(&self) -> impl Iterator<Item = &Belief> {
        self.tried.iter().map(|number| &self.all[*number as usize])
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let reserve = (self.all.capacity() - self.all.len()) * size_of::<Belief>();
        let beliefs = self.all.iter().map(Belief::bytes).sum::<usize>();
        let tried = self.tried.capacity() * size_of::<u32>();
        reserve + beliefs + tried + self.by_key.allocation_size()
    }
}
