//! The contents of texts that differ from the first text of their content.
//!
//! Under later chrome, a page may no longer resemble the first page of its content enough, though it was taken for the
//! same when it came. The same text is still the same content when it comes again.

use hashbrown::HashTable;

use super::{ClusterId, push_tightly};
use crate::sign::tally::spread;

/// The text of a page.
#[derive(Clone, Copy, Debug)]
struct Text {
    hash: [u32; 2],
    content: ClusterId,
}

const fn halves(hash: u64) -> [u32; 2] {
    [hash as u32, (hash >> 32) as u32]
}

/// Texts, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(in crate::sign) struct Texts {
    all: Vec<Text>,
    // Places in `all`, where their keys are looked up.
    by_hash: HashTable<u32>,
}

impl Texts {
    /// The content that a text has, by the hash of the text.
    pub(super) fn content(&self, hash: u64) -> Option<ClusterId> {
        if self.all.is_empty() {
            return None;
        }
        let hash = halves(hash);
        let is_it = |at: &u32| self.all[*at as usize].hash == hash;
        let at = self.by_hash.find(spread(hash[0]), is_it)?;
        Some(self.all[*at as usize].content)
    }

    /// Notes a text of a content; the first content that a text had is its own.
    pub(in crate::sign) fn note(&mut self, hash: u64, content: ClusterId) {
        let Ok(number) = u32::try_from(self.all.len()) else {
            return;
        };
        if self.content(hash).is_some() {
            return;
        }
        let hash = halves(hash);
        push_tightly(&mut self.all, Text { hash, content });
        let all = &self.all;
        let hash_of = |at: &u32| spread(all[*at as usize].hash[0]);
        self.by_hash.insert_unique(spread(hash[0]), number, hash_of);
    }

    /// All of them, in order.
    pub(in crate::sign) fn all(&self) -> impl ExactSizeIterator<Item = (u64, ClusterId)> {
        self.all.iter().map(|text| {
            let [low, high] = text.hash.map(u64::from);
            (low | high << 32, text.content)
        })
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<Text>() + self.by_hash.allocation_size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_content_of_a_text_is_its_own() {
        let mut texts = Texts::default();
        assert_eq!(texts.content(3), None);
        for hash in 0..500 {
            texts.note(hash << 31, hash as ClusterId % 7);
        }
        texts.note(9 << 31, 99);
        assert_eq!(texts.content(9 << 31), Some(2));
        assert_eq!(texts.content(9), None);
        let all: Vec<_> = texts.all().collect();
        assert_eq!(all[499], (499 << 31, 2));
        assert_eq!(all.len(), 500);
    }
}
