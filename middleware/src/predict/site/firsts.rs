//! Which page stands for all that have a name?
//!
//! The first, until one succeeds it. Every page is filed under what each edit on trial makes of its URL: many names a page, so a name keeps 40
//! bits of its hash. Of a million names one in a million lookups then finds a page that it was not asked for,
//! which costs an edit a trial.

use hashbrown::HashTable;

/// Names of pages, one page of each.
#[derive(Debug, Default)]
pub(super) struct Firsts(HashTable<Entry>);

#[derive(Debug)]
struct Entry {
    name: [u8; 5],
    page: [u8; 4],
}

fn name_of(key: u64) -> [u8; 5] {
    let [_, _, _, name @ ..] = key.to_le_bytes();
    name
}

/// A key with this name.
fn key_of(name: [u8; 5]) -> u64 {
    let mut key = [0; 8];
    key[3..].copy_from_slice(&name);
    u64::from_le_bytes(key)
}

fn hash(name: [u8; 5]) -> u64 {
    key_of(name).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl Firsts {
    /// The page under a name.
    pub(super) fn get(&self, key: u64) -> Option<u32> {
        let name = name_of(key);
        let entry = self.0.find(hash(name), |entry| entry.name == name)?;
        Some(u32::from_le_bytes(entry.page))
    }

    /// Files a page, unless another came first.
    pub(super) fn file(&mut self, key: u64, page: u32) {
        let name = name_of(key);
        let page = page.to_le_bytes();
        self.0
            .entry(
                hash(name),
                |entry| entry.name == name,
                |entry| hash(entry.name),
            )
            .or_insert(Entry { name, page });
    }

    /// Files a page in the place of the one that was filed before.
    pub(super) fn succeed(&mut self, key: u64, page: u32) {
        let name = name_of(key);
        if let Some(entry) = (self.0).find_mut(hash(name), |entry| entry.name == name) {
            entry.page = page.to_le_bytes();
        }
    }

    /// All of it; the keys are as good as those that were filed under.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, u32)> {
        self.0
            .iter()
            .map(|Entry { name, page }| (key_of(*name), u32::from_le_bytes(*page)))
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.0.capacity() * 8 / 7 * (size_of::<Entry>() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_page_under_a_name_is_found_and_all_of_them_are_listed() {
        let mut firsts = Firsts::default();
        let key = |n: u64| n.wrapping_mul(0xD6E8_FEB8_6659_FD93);
        for n in 0..5000 {
            firsts.file(key(n), n as u32);
            firsts.file(key(n), 77);
        }
        assert!((0..5000).all(|n| firsts.get(key(n)) == Some(n as u32)));
        assert!((5000..9000).all(|n| firsts.get(key(n)).is_none()));
        let mut again = Firsts::default();
        for (key, page) in firsts.iter() {
            again.file(key, page);
        }
        assert!((0..5000).all(|n| again.get(key(n)) == Some(n as u32)));
        assert!(firsts.bytes() < 8192 * 10 + 1);
    }
}
