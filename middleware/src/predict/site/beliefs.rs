//! The beliefs about a site, found by what they say.
//!
//! A belief is found by edit, level and context, and is never forgotten. Most never have any evidence. These are kept
//! separately, in a compact row, since nothing is known about them but what they are found by and a few numbers.

use std::{
    borrow::Cow,
    ops::{Deref, DerefMut},
};

use hashbrown::HashTable;

use super::{belief_key, context_of, push_tightly};
use crate::{
    dense::{Dense, Row},
    predict::belief::{Belief, LEVELS, Level, Priors, Seed, State},
};

/// The beliefs of a site.
#[derive(Debug, Default)]
pub(super) struct Beliefs {
    seeds: Row<Seed>,
    priors: Priors,
    // Those of which there is more to be kept, in the order in which there was.
    grown: Vec<Belief>,
    // Follows from `grown`.
    by_key: HashTable<u32>,
    // Levels on which there is any belief about an edit, one bit each: most edits have none on the narrow ones.
    levels: Vec<u16>,
}

impl Dense for Seed {
    const FREE: Self = Self::NONE;

    fn is_free(&self) -> bool {
        self.is_none()
    }

    fn hash(&self) -> u64 {
        self.key()
    }
}

const fn bit(level: Level) -> u16 {
    1 << level as u16
}

/// Stands beside the bits of levels where there are beliefs about more than one shape.
const SHAPES: u16 = 1 << LEVELS.len();

pub(super) fn key_of(belief: &Belief) -> u64 {
    belief_key(belief.edit(), belief.level, belief.context)
}

/// Where a belief is.
#[derive(Clone, Copy, Debug)]
enum Place {
    Seed(usize),
    Grown(usize),
}

impl Beliefs {
    pub(super) const fn len(&self) -> usize {
        self.seeds.len() + self.grown.len()
    }

    fn place(&self, key: u64) -> Option<Place> {
        let seed = || Some(Place::Seed(self.seeds.find(key, |_| true)?));
        let is_it = |number: &u32| key_of(&self.grown[*number as usize]) == key;
        let grown = self.by_key.find(key, is_it);
        grown.map_or_else(seed, |number| Some(Place::Grown(*number as usize)))
    }

    fn belief_of(&self, seed: &Seed) -> Belief {
        let context = context_of(seed.key(), seed.edit(), seed.level());
        seed.belief(context, &self.priors)
    }

    pub(super) fn get(&self, key: u64) -> Option<Cow<'_, Belief>> {
        Some(match self.place(key)? {
            Place::Seed(at) => Cow::Owned(self.belief_of(self.seeds.get(at))),
            Place::Grown(number) => Cow::Borrowed(&self.grown[number]),
        })
    }

    /// The belief about an edit on a level; `context` names its context, if that means anything.
    pub(super) fn at(
        &self,
        edit: u32,
        level: Level,
        context: impl FnOnce() -> Option<u64>,
    ) -> Option<(u64, Cow<'_, Belief>)> {
        if !self.is_any_at(edit, level) {
            return None;
        }
        let key = belief_key(edit, level, context()?);
        Some((key, self.get(key)?))
    }

    pub(super) fn get_mut(&mut self, key: u64) -> Option<Changed<'_>> {
        let place = self.place(key)?;
        Some(self.change(place))
    }

    fn change(&mut self, place: Place) -> Changed<'_> {
        let now = match place {
            Place::Seed(at) => Now::Seed(at, self.belief_of(self.seeds.get(at))),
            Place::Grown(number) => Now::Grown(number),
        };
        Changed { beliefs: self, now }
    }

    /// Those that names of these hosts speak for or against.
    pub(super) fn tried_by_names(&mut self, hosts: u64) -> impl Iterator<Item = &mut Belief> {
        let is_it = move |belief: &&mut Belief| belief.is_counted() && belief.names() & hosts != 0;
        self.grown.iter_mut().filter(is_it)
    }

    /// Whether there is any belief about an edit on a level.
    pub(super) fn is_any_at(&self, edit: u32, level: Level) -> bool {
        (self.levels.get(edit as usize)).is_some_and(|levels| levels & bit(level) != 0)
    }

    /// Whether an edit was tried on paths of more than one shape.
    pub(super) fn is_of_shapes(&self, edit: u32) -> bool {
        (self.levels.get(edit as usize)).is_some_and(|levels| levels & SHAPES != 0)
    }

    /// The belief that has a key; if there is none and it `is_wanted`, it is added.
    pub(super) fn get_or_add(
        &mut self,
        key: u64,
        is_wanted: bool,
        make: impl FnOnce() -> Belief,
    ) -> Option<Changed<'_>> {
        let place = match self.place(key) {
            Some(place) => place,
            None if is_wanted => self.add(make()),
            None => return None,
        };
        Some(self.change(place))
    }

    /// Adds a belief that is not there.
    pub(super) fn put(&mut self, belief: Belief) {
        self.add(belief);
    }

    fn add(&mut self, belief: Belief) -> Place {
        let edit = belief.edit() as usize;
        if edit >= self.levels.len() {
            self.levels.resize(edit + 1, 0);
        }
        let of_level = bit(belief.level);
        if belief.level == Level::Shape && self.levels[edit] & of_level != 0 {
            self.levels[edit] |= SHAPES;
        }
        self.levels[edit] |= of_level;
        match Seed::of(&belief, key_of(&belief), &mut self.priors) {
            Some(seed) => Place::Seed(self.seeds.add(seed)),
            None => Place::Grown(self.grow(belief)),
        }
    }

    /// Adds one of which there is more to be kept: its number.
    fn grow(&mut self, belief: Belief) -> usize {
        let (key, number) = (key_of(&belief), self.grown.len());
        push_tightly(&mut self.grown, belief);
        let hash = |number: &u32| key_of(&self.grown[*number as usize]);
        self.by_key.insert_unique(key, number as u32, hash);
        number
    }

    /// All of them, those first of which there is more to be kept.
    pub(super) fn iter(&self) -> impl Iterator<Item = Cow<'_, Belief>> {
        let seeds = self.seeds.iter().map(|seed| self.belief_of(seed));
        let grown = self.grown.iter().map(Cow::Borrowed);
        grown.chain(seeds.map(Cow::Owned))
    }

    /// Those of which there is more to be kept than what they say: all that were ever tried, or heard of, among them.
    pub(super) fn grown(&self) -> impl Iterator<Item = &Belief> {
        self.grown.iter()
    }

    /// The hypotheses that are corrected for: all that were ever tested, but those that a wider one says, too.
    pub(super) fn family(&self) -> impl Iterator<Item = &Belief> {
        self.grown().filter(|belief| belief.is_in_family())
    }

    /// Whether there is a claim about one action of an application.
    pub(super) fn is_any_of_action(&self) -> bool {
        (self.levels.iter()).any(|levels| levels & bit(Level::Action) != 0)
    }

    /// Edits that are acted upon where they were right before.
    pub(super) fn acting_where_held(&self) -> impl Iterator<Item = u32> {
        let is_it =
            |belief: &&Belief| belief.level == Level::WhereHeld && belief.state == State::Active;
        self.grown().filter(is_it).map(Belief::edit)
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let grown = self.grown.capacity() * size_of::<Belief>();
        let evidence = self.grown().map(Belief::bytes_of_evidence).sum::<usize>();
        let found_by = self.by_key.allocation_size() + self.levels.capacity() * size_of::<u16>();
        self.seeds.bytes() + self.priors.bytes() + grown + evidence + found_by
    }
}

/// A belief while it is changed: then it is kept as what it has become.
#[derive(Debug)]
pub(super) struct Changed<'b> {
    beliefs: &'b mut Beliefs,
    now: Now,
}

#[derive(Debug)]
enum Now {
    /// Where its seed lies.
    Seed(usize, Belief),
    Grown(usize),
}

impl Deref for Changed<'_> {
    type Target = Belief;

    fn deref(&self) -> &Belief {
        match &self.now {
            Now::Seed(_, belief) => belief,
            Now::Grown(number) => &self.beliefs.grown[*number],
        }
    }
}

impl DerefMut for Changed<'_> {
    fn deref_mut(&mut self) -> &mut Belief {
        match &mut self.now {
            Now::Seed(_, belief) => belief,
            Now::Grown(number) => &mut self.beliefs.grown[*number],
        }
    }
}

impl Drop for Changed<'_> {
    fn drop(&mut self) {
        let Now::Seed(at, belief) = std::mem::replace(&mut self.now, Now::Grown(0)) else {
            return;
        };
        let key = self.beliefs.seeds.get(at).key();
        if let Some(seed) = Seed::of(&belief, key, &mut self.beliefs.priors) {
            *self.beliefs.seeds.get_mut(at) = seed;
        } else {
            self.beliefs.seeds.remove(at);
            self.beliefs.grow(belief);
        }
    }
}
