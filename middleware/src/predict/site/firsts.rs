//! Which page stands for a form, and which came first under what an edit makes of it, until one succeeds it?
//!
//! Every page is filed under its form under what is believed, and under what each edit on trial makes of that:
//! several names a page, so a name keeps 40 bits of its hash. Of a million forms one in a million lookups then
//! finds a page that it was not asked for, which costs an edit a trial. All that is filed under one form is
//! found at one place.

use hashbrown::HashTable;

/// Edits that can be told apart.
pub(super) const MOST_EDITS: usize = u16::MAX as usize;
/// Filed by no edit, but by what is believed.
const STANDS: u16 = u16::MAX;

/// Pages by names of forms.
#[derive(Debug, Default)]
pub(super) struct Firsts(HashTable<Entry>);

#[derive(Debug)]
struct Entry {
    name: [u8; 5],
    edit: [u8; 2],
    page: [u8; 4],
}

impl Entry {
    const fn edit(&self) -> u16 {
        u16::from_le_bytes(self.edit)
    }

    const fn page(&self) -> u32 {
        u32::from_le_bytes(self.page)
    }
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
    let hash = key_of(name).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    hash ^ (hash >> 32)
}

fn hash_of(entry: &Entry) -> u64 {
    hash(entry.name)
}

impl Firsts {
    fn find(&self, key: u64, edit: u16) -> Option<u32> {
        let name = name_of(key);
        let edit = edit.to_le_bytes();
        let entry = (self.0).find(hash(name), |entry| entry.name == name && entry.edit == edit)?;
        Some(entry.page())
    }

    /// The page that stands for a form.
    pub(super) fn stands(&self, key: u64) -> Option<u32> {
        self.find(key, STANDS)
    }

    /// The first page of which an edit makes this form.
    pub(super) fn first(&self, key: u64, edit: u32) -> Option<u32> {
        self.find(key, edit as u16)
    }

    /// All edits that make this form of a page, each with the first of its pages.
    pub(super) fn under(&self, key: u64) -> impl Iterator<Item = (u32, u32)> {
        let name = name_of(key);
        (self.0.iter_hash(hash(name)))
            .filter(move |entry| entry.name == name && entry.edit() != STANDS)
            .map(|entry| (u32::from(entry.edit()), entry.page()))
    }

    fn file(&mut self, key: u64, edit: u16, page: u32) -> &mut Entry {
        let new = Entry {
            name: name_of(key),
            edit: edit.to_le_bytes(),
            page: page.to_le_bytes(),
        };
        let is_it = |entry: &Entry| entry.name == new.name && entry.edit == new.edit;
        (self.0.entry(hash(new.name), is_it, hash_of))
            .or_insert(new)
            .into_mut()
    }

    /// Files a page by an edit, unless another came first.
    pub(super) fn file_first(&mut self, key: u64, edit: u32, page: u32) {
        self.file(key, edit as u16, page);
    }

    /// Files a page in the place of the one that was filed before.
    pub(super) fn succeed(&mut self, key: u64, edit: u32, page: u32) {
        self.file(key, edit as u16, page).page = page.to_le_bytes();
    }

    /// Lets a page stand for a form, unless another does.
    pub(super) fn file_stands(&mut self, key: u64, page: u32) {
        self.file(key, STANDS, page);
    }

    /// Lets a page stand for a form.
    pub(super) fn let_stand(&mut self, key: u64, page: u32) {
        self.file(key, STANDS, page).page = page.to_le_bytes();
    }

    /// Lets no page stand for any form.
    pub(super) fn let_none_stand(&mut self) {
        self.0.retain(|entry| entry.edit() != STANDS);
    }

    /// All pages that stand for forms; the keys are as good as those that were filed under.
    pub(super) fn all_stands(&self) -> impl Iterator<Item = (u64, u32)> {
        let stands = self.0.iter().filter(|entry| entry.edit() == STANDS);
        stands.map(|entry| (key_of(entry.name), entry.page()))
    }

    /// All others, with their edits.
    pub(super) fn all_firsts(&self) -> impl Iterator<Item = (u64, u32, u32)> {
        let firsts = self.0.iter().filter(|entry| entry.edit() != STANDS);
        firsts.map(|entry| (key_of(entry.name), u32::from(entry.edit()), entry.page()))
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.0.allocation_size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn key(n: u64) -> u64 {
        n.wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }

    #[test]
    fn the_first_page_under_a_name_is_found_and_all_of_them_are_listed() {
        let mut firsts = Firsts::default();
        for n in 0..5000 {
            firsts.file_first(key(n), n as u32 % 7, n as u32);
            firsts.file_first(key(n), n as u32 % 7, 77);
        }
        assert!((0..5000).all(|n| firsts.first(key(n), n as u32 % 7) == Some(n as u32)));
        assert!((0..5000).all(|n| firsts.first(key(n), 1 + n as u32 % 7).is_none()));
        assert!((5000..9000).all(|n| firsts.first(key(n), 3).is_none()));
        let mut again = Firsts::default();
        for (key, edit, page) in firsts.all_firsts() {
            again.file_first(key, edit, page);
        }
        assert!((0..5000).all(|n| again.first(key(n), n as u32 % 7) == Some(n as u32)));
        assert!(firsts.bytes() < 8192 * 12 + 64);
    }

    #[test]
    fn what_stands_for_a_form_is_apart_from_what_edits_make_of_it() {
        let mut firsts = Firsts::default();
        firsts.file_first(key(1), 5, 10);
        firsts.file_first(key(1), 2, 11);
        firsts.file_stands(key(1), 12);
        firsts.file_stands(key(1), 13);
        assert_eq!(firsts.stands(key(1)), Some(12));
        firsts.let_stand(key(1), 14);
        assert_eq!(firsts.stands(key(1)), Some(14));
        let mut under: Vec<_> = firsts.under(key(1)).collect();
        under.sort_unstable();
        assert_eq!(under, [(2, 11), (5, 10)]);
        firsts.let_none_stand();
        assert_eq!(firsts.stands(key(1)), None);
        assert_eq!(firsts.first(key(1), 5), Some(10));
    }
}
