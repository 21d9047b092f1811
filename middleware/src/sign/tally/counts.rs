//! Counts the pages on which each of many texts was met.
//!
//! A usual hash table doubles its room as soon as it is full, and is then half empty. So with many entries, another
//! table is begun instead. What many pages share comes early, and is mostly found in the first table.

use hashbrown::HashTable;

use super::spread;

/// Hashes of the first table, at most: what fits in 16384 places.
const MOST: usize = 14_336;

/// A hash, and on how many pages it was met: more than one.
#[derive(Clone, Copy, Debug)]
struct Counted {
    hash: [u8; 4],
    pages: u8,
}

fn place(hash: [u8; 4]) -> u64 {
    spread(u32::from_le_bytes(hash))
}

/// Counts of pages by hash, of two and up to 255.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts(Vec<HashTable<Counted>>);

impl Counts {
    /// Counts a page more for a hash; whether it was there.
    #[inline]
    pub(super) fn add(&mut self, hash: u32) -> bool {
        let (bytes, at) = (hash.to_le_bytes(), spread(hash));
        for table in &mut self.0 {
            if let Some(counted) = table.find_mut(at, |counted| counted.hash == bytes) {
                counted.pages = counted.pages.saturating_add(1);
                return true;
            }
        }
        false
    }

    /// Pages counted for a hash.
    pub(super) fn get(&self, hash: u32) -> Option<u8> {
        let (bytes, at) = (hash.to_le_bytes(), spread(hash));
        let find = |table: &HashTable<Counted>| {
            let counted = table.find(at, |counted| counted.hash == bytes);
            counted.map(|counted| counted.pages)
        };
        self.0.iter().find_map(find)
    }

    /// Adds a hash that is not there.
    pub(super) fn put(&mut self, hash: u32, pages: u8) {
        // Every other table is twice as large, so that there are never many to look at.
        let most = MOST << (self.0.len().saturating_sub(1) / 2).min(16);
        let is_full = |table: &HashTable<Counted>| table.len() >= most;
        if self.0.last().is_none_or(is_full) {
            self.0.reserve_exact(1);
            self.0.push(HashTable::new());
        }
        let counted = Counted {
            hash: hash.to_le_bytes(),
            pages,
        };
        if let Some(table) = self.0.last_mut() {
            table.insert_unique(spread(hash), counted, |counted| place(counted.hash));
        }
    }

    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u8)> {
        let all = self.0.iter().flatten();
        all.map(|counted| (u32::from_le_bytes(counted.hash), counted.pages))
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let tables = self.0.iter().map(HashTable::allocation_size);
        self.0.capacity() * size_of::<HashTable<Counted>>() + tables.sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_counted_is_there_however_many_there_are_and_little_room_is_free() {
        let mut counts = Counts::default();
        for n in 1..=100_000u32 {
            let hash = n.wrapping_mul(0x85EB_CA6B);
            assert!(!counts.add(hash) && counts.get(hash).is_none());
            counts.put(hash, 2);
            assert!(n % 3 == 0 || counts.add(hash));
            let bytes = counts.bytes();
            assert!(n <= 15_000 || bytes < 11 * n as usize, "{bytes} for {n}");
        }
        for n in 1..=100_000u32 {
            let pages = 2 + u8::from(n % 3 > 0);
            assert_eq!(counts.get(n.wrapping_mul(0x85EB_CA6B)), Some(pages));
        }
        assert_eq!(counts.iter().count(), 100_000);
        assert!(counts.0.len() <= 6, "{}", counts.0.len());
    }
}
