//! Chrome: text that belongs to the site and not to the page.
//!
//! Chrome is what more than one in twenty of a host's *distinct* pages share, digits aside, so that clocks, counters
//! and dates are chrome as well. It is learned over windows of pages, frozen, and numbered: a signature says under
//! which version it was made. Windows grow from 32 to 512 pages, so that a section met late gets its own chrome soon,
//! and a new design replaces the old one. In the long windows, text of more than one page in a hundred counts, too
//! (rotating advertisements).

use hashbrown::HashTable;

use super::{
    Shingle,
    sort::distinct,
    tally::{Closed, Tally, spread},
};

/// Share of distinct pages above which text is chrome.
const COMMON: f64 = 0.05;
/// The same for the long windows, where rarer repetition can be told from chance.
const ROTATING: f64 = 0.012;
const FIRST_WINDOW: u32 = 32;
const LAST_WINDOW: u32 = 512;
/// Versions kept; of what was chrome before the oldest nothing is known any more.
const KEPT: u32 = 8;

/// One frozen version of a host's chrome.
#[derive(Clone, Copy, Debug)]
pub struct Chrome<'b> {
    book: &'b ChromeBook,
    version: u32,
}

impl<'b> Chrome<'b> {
    /// All versions of the host.
    pub(super) const fn book(self) -> &'b ChromeBook {
        self.book
    }

    /// The number of the version; version 0 has no chrome.
    pub const fn version(&self) -> u32 {
        self.version
    }

    /// Whether a shingle is chrome.
    pub fn holds(&self, shingle: &Shingle) -> bool {
        self.book.held(shingle).by(self.version)
    }
}

/// The versions that hold a shingle, of those that are kept: one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Holders(u8);

impl Holders {
    const fn bit(version: u32) -> u8 {
        1 << (version % KEPT)
    }

    /// Whether a version is among them.
    pub(super) const fn by(self, version: u32) -> bool {
        self.0 & Self::bit(version) != 0
    }

    /// Whether both versions are, or neither.
    pub(super) const fn agree(self, one: u32, other: u32) -> bool {
        self.by(one) == self.by(other)
    }
}

/// A hash of what is chrome, and in which versions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    hash: [u8; 4],
    holders: Holders,
}

impl Held {
    fn place(self) -> u64 {
        spread(u32::from_le_bytes(self.hash))
    }
}

/// Learns the chrome of a host.
#[derive(Clone, Debug)]
pub struct ChromeBook {
    /// Number of the version in force; it and the ones before it are kept.
    pub(super) version: u32,
    /// What any of them holds. Versions have most of it in common.
    pub(super) common: HashTable<Held>,
    /// Counts of the running window.
    pub(super) counts: Tally,
    /// What was met more than once in the last window.
    pub(super) last: Closed,
    pub(super) pages: u32,
    pub(super) window: u32,
}

impl Default for ChromeBook {
    fn default() -> Self {
        Self {
            version: 0,
            common: HashTable::new(),
            counts: Tally::default(),
            last: Closed::default(),
            pages: 0,
            window: FIRST_WINDOW,
        }
    }
}

impl ChromeBook {
    /// The version in force.
    pub const fn current(&self) -> Chrome<'_> {
        Chrome {
            book: self,
            version: self.version,
        }
    }

    /// An earlier version, if it is still kept.
    pub fn version(&self, version: u32) -> Option<Chrome<'_>> {
        self.kept().contains(&version).then_some(Chrome {
            book: self,
            version,
        })
    }

    /// The version before the one in force.
    pub fn previous(&self) -> Option<Chrome<'_>> {
        self.version(self.version.checked_sub(1)?)
    }

    /// Numbers of the versions that are kept.
    pub(super) const fn kept(&self) -> std::ops::RangeInclusive<u32> {
        (self.version + 1).saturating_sub(KEPT)..=self.version
    }

    fn holders(&self, hash: u32) -> Holders {
        let (hash, at) = (hash.to_le_bytes(), spread(hash));
        let found = self.common.find(at, |held| held.hash == hash);
        found.map_or_else(Holders::default, |held| held.holders)
    }

    /// The versions that hold a shingle.
    pub(super) fn held(&self, shingle: &Shingle) -> Holders {
        self.holders(shingle.masked)
    }

    /// All that a version holds.
    pub(super) fn held_by(&self, version: u32) -> impl Iterator<Item = u32> {
        let held = (self.common.iter()).filter(move |held| held.holders.by(version));
        held.map(|held| u32::from_le_bytes(held.hash))
    }

    /// Notes what a version holds; it is in force from now on.
    pub(super) fn adopt(&mut self, version: u32, common: impl IntoIterator<Item = u32>) {
        let bit = Holders::bit(version);
        // The oldest makes room.
        self.common.retain(|held| {
            held.holders.0 &= !bit;
            held.holders.0 != 0
        });
        for hash in common {
            let (hash, at) = (hash.to_le_bytes(), spread(hash));
            let new = || Held {
                hash,
                holders: Holders::default(),
            };
            let held = (self.common).entry(at, |held| held.hash == hash, |held| held.place());
            held.or_insert_with(new).into_mut().holders.0 |= bit;
        }
        self.version = version;
    }

    /// Whether two distinct pages of this window, or of the last, had the shingle, digits aside: then it belongs to no
    /// single page (rotating advertisements). What was met long ago may be forgotten.
    pub fn recurs(&self, shingle: &Shingle) -> bool {
        let hash = shingle.masked;
        self.counts.get(hash) > 1 || self.last.holds(hash)
    }

    /// Counts a page whose content was new. Returns `true` if this froze a new version.
    pub fn count(&mut self, shingles: &[Shingle]) -> bool {
        self.pages += 1;
        let hashes = distinct(shingles.iter().map(|s| s.masked));
        self.counts.count(&hashes, self.pages);
        self.pages >= self.window && self.freeze()
    }

    /// Counts the chrome of a page whose content, chrome aside, was met before. If copies come in another design, they are
    /// recognised as copies only if its chrome is known.
    pub fn sustain(&mut self, shingles: &[Shingle]) {
        let held = |s: &&Shingle| self.held(s).by(self.version);
        let hashes: Vec<u32> = (shingles.iter().filter(held)).map(|s| s.masked).collect();
        self.counts.count(&distinct(hashes.into_iter()), 1);
    }

    /// The number of pages counted in the current window.
    pub const fn pages(&self) -> u32 {
        self.pages
    }

    /// Freezes what the current window has taught, before it is full.
    pub fn freeze_now(&mut self) -> bool {
        self.pages > 0 && self.freeze()
    }

    /// Makes one version of those that are kept: what any of them holds is chrome.
    pub(crate) fn settle(&mut self) {
        let all: Vec<u32> = (self.common.iter())
            .map(|held| u32::from_le_bytes(held.hash))
            .collect();
        self.adopt(self.version + 1, all);
    }

    fn freeze(&mut self) -> bool {
        let pages = f64::from(self.pages);
        let share = if self.pages >= LAST_WINDOW {
            ROTATING
        } else {
            COMMON
        };
        let enough = (pages * share).max(4.0);
        // What was chrome stays chrome while it is still about: no flicker at the threshold.
        let stays = (pages * share / 2.0).max(2.0);
        let counts = std::mem::take(&mut self.counts);
        self.pages = 0;
        self.window = (self.window * 2).min(LAST_WINDOW);
        let is_old = |hash: &u32| self.holders(*hash).by(self.version);
        let common: Vec<u32> = (counts.counted())
            .filter(|(hash, pages)| {
                let count = f64::from(*pages);
                count > enough || (count > stays && is_old(hash))
            })
            .map(|(hash, _)| hash)
            .collect();
        let both = common.iter().filter(|hash| is_old(hash)).count();
        let either = common.len() + self.held_by(self.version).count() - both;
        self.last = Closed::of(counts.counted().map(|(hash, _)| hash).collect());
        if both as f64 >= 0.97 * either as f64 {
            return false;
        }
        self.adopt(self.version + 1, common);
        true
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.counts.bytes() + self.last.bytes() + self.common.allocation_size()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Echo, shingles};
    use super::*;

    fn page(own: u32, chrome: &str) -> Vec<Shingle> {
        let name: String = own
            .to_string()
            .bytes()
            .map(|b| char::from(b + 49))
            .collect();
        shingles(&format!("{chrome}\n{name} of my own"), &Echo::default())
    }

    #[test]
    fn what_all_pages_share_is_chrome_and_clocks_too() {
        let mut book = ChromeBook::default();
        for i in 0..FIRST_WINDOW {
            book.count(&page(
                i,
                &format!("home about contact help\nit is {i}:30 now"),
            ));
        }
        assert_eq!(book.current().version(), 1);
        let kept: Vec<_> = page(900, "home about contact help\nit is 7:30 now")
            .into_iter()
            .filter(|s| !book.current().holds(s))
            .collect();
        assert_eq!(kept.len(), 1, "only the page's own line is left");
    }

    #[test]
    fn chrome_of_a_later_section_and_of_a_new_design_is_learned() {
        let mut book = ChromeBook::default();
        for i in 0..200 {
            book.count(&page(i, "home about contact help"));
        }
        for i in 200..1600 {
            book.count(&page(i, "start imprint search login"));
        }
        let current = book.current();
        assert!(current.holds(&page(1, "start imprint search login")[0]));
        assert!(!current.holds(&page(1, "home about contact help")[0]));
    }

    #[test]
    fn chrome_that_only_copies_have_stays_chrome_while_they_come() {
        for sustains in [false, true] {
            let mut book = ChromeBook::default();
            let french = |i| page(i, "accueil actualites contact aide");
            for i in 0..64 {
                book.count(&page(2 * i, "home about contact help"));
                book.count(&french(2 * i + 1));
            }
            assert!(book.current().holds(&french(1)[0]));
            for i in 1000..3000 {
                book.count(&page(i, "home about contact help"));
                if sustains && i % 20 == 0 {
                    book.sustain(&french(i));
                }
            }
            assert_eq!(book.current().holds(&french(1)[0]), sustains);
            assert!(!book.current().holds(french(1020).last().unwrap()));
        }
    }
}
