//! Finds the page that stands for a form, and the first page under what an edit makes of a form.
//!
//! Every page is filed under its form by what is believed, and under what each edit on trial makes of that form. These are
//! several names per page, so a name keeps 40 bits of its hash. With a million forms, one in a million lookups then finds a
//! wrong page; and what was filed while a belief stood stays when the belief falls. So a page that is found is checked for
//! whether the form is its own. Everything that is filed under one form is in one place.

use crate::dense::{Dense, Row};

/// Edits that can be told apart.
pub(super) const MOST_EDITS: usize = STANDS[0] as usize;
/// Filed by no edit, but by what is believed: one of these says that it was confirmed in this round, the other that it was not
/// yet. They change places with each round.
const STANDS: [u16; 2] = [u16::MAX - 1, u16::MAX];
/// More pages than there are.
const NO_PAGE: u32 = u32::MAX;

/// Pages by names of forms.
#[derive(Debug, Default)]
pub(super) struct Firsts {
    all: Row<Entry>,
    is_odd_round: bool,
}

#[derive(Clone, Copy, Debug)]
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

    const fn stands(&self) -> bool {
        self.edit() >= STANDS[0]
    }
}

const fn name_of(key: u64) -> [u8; 5] {
    let [_, _, _, name @ ..] = key.to_le_bytes();
    name
}

/// A key with this name.
const fn key_of(name: [u8; 5]) -> u64 {
    // Not by copying a slice, which is a call for each entry that is looked at.
    u64::from_le_bytes([0, 0, 0, name[0], name[1], name[2], name[3], name[4]])
}

impl Dense for Entry {
    const FREE: Self = Self {
        name: [u8::MAX; 5],
        edit: [0; 2],
        page: NO_PAGE.to_le_bytes(),
    };

    fn is_free(&self) -> bool {
        self.page() == NO_PAGE
    }

    fn hash(&self) -> u64 {
        key_of(self.name)
    }
}

impl Firsts {
    /// All that is filed under a name.
    fn named(&self, name: [u8; 5]) -> impl Iterator<Item = &Entry> {
        self.all.of(key_of(name))
    }

    /// The page that stands for a form.
    pub(super) fn stands(&self, key: u64) -> Option<u32> {
        let stands = self.named(name_of(key)).find(|entry| entry.stands());
        stands.map(Entry::page)
    }

    /// The first page of which an edit makes this form, or the one that succeeded it.
    pub(super) fn first(&self, key: u64, edit: u32) -> Option<u32> {
        let edit = (edit as u16).to_le_bytes();
        let first = self.named(name_of(key)).find(|entry| entry.edit == edit);
        first.map(Entry::page)
    }

    /// All edits that make this form of a page, each with the first of its pages, or the one that succeeded it.
    pub(super) fn under(&self, key: u64) -> impl Iterator<Item = (u32, u32)> {
        let firsts = self.named(name_of(key)).filter(|entry| !entry.stands());
        firsts.map(|entry| (u32::from(entry.edit()), entry.page()))
    }

    /// What is filed under a name by an edit, or by what is believed; if there is nothing, then this.
    fn entry(&mut self, key: u64, edit: u16, page: u32) -> &mut Entry {
        let new = Entry {
            name: name_of(key),
            edit: edit.to_le_bytes(),
            page: page.to_le_bytes(),
        };
        let is_it = |entry: &Entry| entry.edit == new.edit || (entry.stands() && new.stands());
        self.all.get_or_add(new, is_it)
    }

    /// Files a page by an edit, in the place of another if there is one.
    pub(super) fn file(&mut self, key: u64, edit: u32, page: u32) {
        self.entry(key, edit as u16, page).page = page.to_le_bytes();
    }

    const fn confirmed(&self, is_confirmed: bool) -> u16 {
        STANDS[(is_confirmed == self.is_odd_round) as usize]
    }

    /// Lets a page stand for a form; whether that is confirmed in this round.
    pub(super) fn let_stand(&mut self, key: u64, page: u32, is_confirmed: bool) {
        let edit = self.confirmed(is_confirmed);
        let entry = self.entry(key, edit, page);
        (entry.edit, entry.page) = (edit.to_le_bytes(), page.to_le_bytes());
    }

    /// Confirms that a page may stand for a form: it does, unless one that was confirmed before does.
    pub(super) fn confirm(&mut self, key: u64, page: u32) {
        let confirmed = self.confirmed(true);
        let entry = self.entry(key, confirmed, page);
        if entry.edit() != confirmed {
            (entry.edit, entry.page) = (confirmed.to_le_bytes(), page.to_le_bytes());
        }
    }

    /// Ends a round: what was not confirmed in it stands no more.
    pub(super) fn end_round(&mut self) {
        let old = self.confirmed(false);
        self.all.retain(|entry| entry.edit() != old);
        self.is_odd_round = !self.is_odd_round;
    }

    /// All pages that stand for forms, and whether that was confirmed; the keys are as good as those that were filed under.
    pub(super) fn all_stands(&self) -> impl Iterator<Item = (u64, u32, bool)> {
        let confirmed = self.confirmed(true);
        let stands = self.all.iter().filter(|entry| entry.stands());
        stands.map(move |entry| (key_of(entry.name), entry.page(), entry.edit() == confirmed))
    }

    /// All others, with their edits.
    pub(super) fn all_firsts(&self) -> impl Iterator<Item = (u64, u32, u32)> {
        let firsts = self.all.iter().filter(|entry| !entry.stands());
        firsts.map(|entry| (key_of(entry.name), u32::from(entry.edit()), entry.page()))
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.all.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn key(n: u64) -> u64 {
        n.wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }

    #[test]
    fn the_page_filed_last_under_a_name_is_found_and_all_of_them_are_listed() {
        let mut firsts = Firsts::default();
        for n in 0..5000 {
            firsts.file(key(n), n as u32 % 7, 77);
            firsts.file(key(n), n as u32 % 7, n as u32);
        }
        assert!((0..5000).all(|n| firsts.first(key(n), n as u32 % 7) == Some(n as u32)));
        assert!((0..5000).all(|n| firsts.first(key(n), 1 + n as u32 % 7).is_none()));
        assert!((5000..9000).all(|n| firsts.first(key(n), 3).is_none()));
        let mut again = Firsts::default();
        for (key, edit, page) in firsts.all_firsts() {
            again.file(key, edit, page);
        }
        assert!((0..5000).all(|n| again.first(key(n), n as u32 % 7) == Some(n as u32)));
        assert!(firsts.bytes() < 5000 * 14);
    }

    #[test]
    fn what_stands_for_a_form_is_apart_from_what_edits_make_of_it() {
        let mut firsts = Firsts::default();
        firsts.file(key(1), 5, 10);
        firsts.file(key(1), 2, 11);
        firsts.confirm(key(1), 12);
        firsts.confirm(key(1), 13);
        assert_eq!(firsts.stands(key(1)), Some(12));
        firsts.let_stand(key(1), 14, true);
        assert_eq!(firsts.stands(key(1)), Some(14));
        let mut under: Vec<_> = firsts.under(key(1)).collect();
        under.sort_unstable();
        assert_eq!(under, [(2, 11), (5, 10)]);
        assert_eq!(firsts.first(key(1), 5), Some(10));
    }

    #[test]
    fn what_a_round_does_not_confirm_stands_no_more_when_it_ends() {
        let mut firsts = Firsts::default();
        firsts.file(key(1), 5, 10);
        for page in 1..4 {
            firsts.let_stand(key(page), page as u32, false);
        }
        firsts.confirm(key(1), 1);
        firsts.confirm(key(1), 2);
        firsts.confirm(key(2), 7);
        let all = |firsts: &Firsts| {
            let mut all: Vec<_> = firsts
                .all_stands()
                .map(|(_, page, is)| (page, is))
                .collect();
            all.sort_unstable();
            all
        };
        assert_eq!(all(&firsts), [(1, true), (3, false), (7, true)]);
        firsts.end_round();
        assert_eq!(all(&firsts), [(1, false), (7, false)]);
        firsts.end_round();
        assert!(all(&firsts).is_empty());
        assert_eq!(firsts.first(key(1), 5), Some(10));
    }
}
