//! What is believed of a site, by what it says?
//!
//! A belief is found by edit, level and context, and is never forgotten. They lie in one row, and the table
//! that finds them holds their numbers.

use hashbrown::HashTable;

use super::{belief_key, push_tightly};
use crate::predict::belief::{Belief, Level, State};

/// The beliefs of a site.
#[derive(Debug, Default)]
pub(super) struct Beliefs {
    all: Vec<Belief>,
    // Follows from `all`.
    by_key: HashTable<u32>,
    // Those that have evidence, in order. Most never have any.
    tested: Vec<u32>,
    // Levels on which there is any belief about an edit, one bit each: most edits have none on the narrow ones.
    levels: Vec<u8>,
}

const fn bit(level: Level) -> u8 {
    1 << level as u8
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

    /// The belief about an edit on a level; `context` names its context, if that means anything.
    pub(super) fn at(
        &self,
        edit: u32,
        level: Level,
        context: impl FnOnce() -> Option<u64>,
    ) -> Option<(u64, &Belief)> {
        if !self.is_any_at(edit, level) {
            return None;
        }
        let key = belief_key(edit, level, context()?);
        Some((key, self.get(key)?))
    }

    pub(super) fn get_mut(&mut self, key: u64) -> Option<&mut Belief> {
        let number = self.number(key)?;
        Some(&mut self.all[number])
    }

    /// Those that names of these hosts speak for or against, in the order in which they began.
    pub(super) fn tried_by_names(&mut self, hosts: u64) -> impl Iterator<Item = &mut Belief> {
        let is_it = move |belief: &&mut Belief| belief.is_counted() && belief.names() & hosts != 0;
        self.all.iter_mut().filter(is_it)
    }

    /// Whether there is any belief about an edit on a level.
    pub(super) fn is_any_at(&self, edit: u32, level: Level) -> bool {
        (self.levels.get(edit as usize)).is_some_and(|levels| levels & bit(level) != 0)
    }

    /// The belief that has a key; if there is none and it `is_wanted`, it is added.
    pub(super) fn get_or_add(
        &mut self,
        key: u64,
        is_wanted: bool,
        make: impl FnOnce() -> Belief,
    ) -> Option<&mut Belief> {
        match self.number(key) {
            Some(number) => Some(&mut self.all[number]),
            None if is_wanted => Some(self.add(make())),
            None => None,
        }
    }

    /// Adds a belief that is not there.
    pub(super) fn add(&mut self, belief: Belief) -> &mut Belief {
        let (key, number) = (key_of(&belief), self.all.len());
        let edit = belief.edit() as usize;
        if edit >= self.levels.len() {
            self.levels.resize(edit + 1, 0);
        }
        self.levels[edit] |= bit(belief.level);
        push_tightly(&mut self.all, belief);
        let all = &self.all;
        let hash = |number: &u32| key_of(&all[*number as usize]);
        self.by_key.insert_unique(key, number as u32, hash);
        if all[number].is_tested() {
            self.tested.push(number as u32);
        }
        &mut self.all[number]
    }

    /// All of them.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &Belief> {
        self.all.iter()
    }

    /// Notes that a belief has evidence from now on.
    pub(super) fn note_tested(&mut self, key: u64) {
        let Some(number) = self.number(key) else {
            return;
        };
        if let Err(place) = self.tested.binary_search(&(number as u32)) {
            self.tested.insert(place, number as u32);
        }
    }

    /// The hypotheses that are corrected for: all that were ever tested, but those that a wider one says, too.
    pub(super) fn family(&self) -> impl Iterator<Item = &Belief> {
        debug_assert!(
            self.tested.len() == self.all.iter().filter(|b| b.is_tested()).count(),
            "some evidence was not noted"
        );
        self.tested().filter(|belief| belief.is_in_family())
    }

    /// Whether there is a claim about one action of an application.
    pub(super) fn is_any_of_action(&self) -> bool {
        (self.levels.iter()).any(|levels| levels & bit(Level::Action) != 0)
    }

    /// Edits that are acted upon where they were right before.
    pub(super) fn acting_where_held(&self) -> impl Iterator<Item = u32> {
        let is_it =
            |belief: &&Belief| belief.level == Level::WhereHeld && belief.state == State::Active;
        self.tested().filter(is_it).map(Belief::edit)
    }

    fn tested(&self) -> impl Iterator<Item = &Belief> {
        self.tested.iter().map(|number| &self.all[*number as usize])
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let beliefs = self.all.capacity() * size_of::<Belief>();
        let evidence = self.tested().map(Belief::bytes_of_evidence).sum::<usize>();
        let tested = self.tested.capacity() * size_of::<u32>() + self.levels.capacity();
        beliefs + evidence + tested + self.by_key.allocation_size()
    }
}
