//! Texts that were met on one page so far.
//!
//! Most text is met only once, and forgotten again. Two octets of its hash suffice for that, at a place that other bits
//! of the hash name. Of texts that were never met, two in ten thousand look as if they had been.

use super::spread;

/// Tags at one place.
const WIDTH: usize = 16;
/// Of a place's tags, how many are taken where all are as full as they may be. Few places then have no room left.
const FULL: usize = 12;
/// Places: at least, and as many as are made where no page asks for more.
const LEAST: usize = 32;
const MOST: usize = 2048;
/// Pages like the first one for which there is room at once.
const PAGES: usize = 64;

/// Tags of hashes, by place. 0 is none.
#[derive(Clone, Debug, Default)]
pub(in crate::sign) struct Once {
    places: Vec<[u16; WIDTH]>,
    len: usize,
}

impl Once {
    /// Makes room for the hashes of one more page, and hands out what was there before where there is none left.
    pub(super) fn make_room(&mut self, hashes: usize) -> Option<Self> {
        if self.len + hashes <= self.places.len() * FULL && !self.places.is_empty() {
            return None;
        }
        let wanted = |pages: usize| (hashes * pages / FULL + 1).next_power_of_two();
        let places = wanted(PAGES).max(2 * self.places.len()).clamp(LEAST, MOST);
        let new = Self {
            places: vec![[0; WIDTH]; places.max(wanted(1))],
            len: 0,
        };
        Some(std::mem::replace(self, new))
    }

    /// Place and tag of a hash.
    fn find(&self, hash: u32) -> (usize, u16) {
        let hash = spread(hash);
        let tag = (hash >> 16) as u16;
        ((hash >> 32) as usize & (self.places.len() - 1), tag.max(1))
    }

    pub(super) fn holds(&self, hash: u32) -> bool {
        if self.places.is_empty() {
            return false;
        }
        let (place, tag) = self.find(hash);
        self.places[place].contains(&tag)
    }

    /// Takes a hash away, if it is there.
    pub(super) fn remove(&mut self, hash: u32) -> bool {
        let (place, tag) = self.find(hash);
        let found = self.places[place].iter_mut().find(|known| **known == tag);
        let is_there = found.is_some();
        if let Some(known) = found {
            *known = 0;
            self.len -= 1;
        }
        is_there
    }

    /// Adds a hash that is not there; where its place has no room, another goes.
    pub(super) fn add(&mut self, hash: u32) {
        let (place, tag) = self.find(hash);
        let tags = &mut self.places[place];
        if let Some(free) = tags.iter_mut().find(|known| **known == 0) {
            *free = tag;
            self.len += 1;
        } else {
            tags[usize::from(tag) % WIDTH] = tag;
        }
    }

    pub(super) fn clear(&mut self) {
        self.places.fill([0; WIDTH]);
        self.len = 0;
    }

    /// All tags, place by place.
    pub(in crate::sign) fn tags(&self) -> impl Iterator<Item = u16> {
        self.places.iter().flatten().copied()
    }

    /// As its [tags](Self::tags) were written.
    pub(in crate::sign) fn of_tags(tags: &[u16]) -> Option<Self> {
        let (places, rest) = tags.as_chunks();
        let is_whole = rest.is_empty() && (places.is_empty() || places.len().is_power_of_two());
        is_whole.then(|| Self {
            places: places.to_vec(),
            len: tags.iter().filter(|tag| **tag != 0).count(),
        })
    }

    /// Memory held, in bytes.
    pub(super) const fn bytes(&self) -> usize {
        self.places.capacity() * size_of::<[u16; WIDTH]>()
    }
}
