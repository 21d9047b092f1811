//! Which text belongs to the site, and not to the page?
//!
//! Chrome is what more than one in twenty of a host's *distinct* pages share, digits aside, so that clocks,
//! counters and dates are chrome as well. It is learned over windows of pages, frozen, and numbered: a
//! signature says under which version it was made. Windows grow from 32 to 512 pages, so a section met late
//! gets its own chrome soon, and a new design replaces the old one. In the long windows text of more than
//! one page in a hundred counts too (rotating advertisements).

use rustc_hash::{FxHashMap, FxHashSet};

use super::Shingle;

/// Share of distinct pages above which text is chrome.
const COMMON: f64 = 0.05;
/// The same for the long windows, where rarer repetition can be told from chance.
const ROTATING: f64 = 0.012;
const FIRST_WINDOW: u32 = 32;
const LAST_WINDOW: u32 = 512;
const PRUNE_EVERY: u32 = 128;
/// Versions kept; pages signed under an older one cannot be compared any more.
const KEPT: usize = 8;

/// What is chrome, in one frozen version.
#[derive(Clone, Debug, Default)]
pub struct Chrome {
    pub(super) version: u32,
    pub(super) common: FxHashSet<u32>,
}

impl Chrome {
    /// Number of the version; 0 knows no chrome.
    pub const fn version(&self) -> u32 {
        self.version
    }

    /// Whether a shingle is chrome.
    pub fn holds(&self, shingle: &Shingle) -> bool {
        self.common.contains(&shingle.masked)
    }
}

/// On how many pages of the window something was met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Met {
    pub(super) pages: u16,
    /// Which of the window's pages was the last, so that each counts once. It is not written down: no page is
    /// counted half.
    last: u16,
}

impl Met {
    pub(super) const fn on(pages: u16) -> Self {
        Self { pages, last: 0 }
    }
}

/// Learns the chrome of a host.
#[derive(Clone, Debug)]
pub struct ChromeBook {
    pub(super) versions: Vec<Chrome>,
    pub(super) counts: FxHashMap<u32, Met>,
    /// Counts of the last window, of what was met more than once.
    pub(super) last: FxHashMap<u32, u16>,
    pub(super) pages: u32,
    pub(super) window: u32,
}

impl Default for ChromeBook {
    fn default() -> Self {
        Self {
            versions: vec![Chrome::default()],
            counts: FxHashMap::default(),
            last: FxHashMap::default(),
            pages: 0,
            window: FIRST_WINDOW,
        }
    }
}

impl ChromeBook {
    /// The version in force.
    #[expect(
        clippy::missing_panics_doc,
        reason = "the first version is never removed before another is there"
    )]
    pub fn current(&self) -> &Chrome {
        self.versions.last().expect("there is always a version")
    }

    /// An earlier version, if it is still kept.
    pub fn version(&self, version: u32) -> Option<&Chrome> {
        self.versions.iter().find(|c| c.version == version)
    }

    /// The version before the one in force.
    pub fn previous(&self) -> Option<&Chrome> {
        self.versions
            .len()
            .checked_sub(2)
            .map(|i| &self.versions[i])
    }

    /// Distinct pages of this window and the last that had the shingle, digits aside. What was met only
    /// once may not be counted.
    pub fn met(&self, shingle: &Shingle) -> u32 {
        let now = (self.counts.get(&shingle.masked)).map_or(0, |met| met.pages);
        let before = self.last.get(&shingle.masked).copied().unwrap_or_default();
        u32::from(now) + u32::from(before)
    }

    /// Counts a page whose content was new; `true` when this froze a new version.
    pub fn count(&mut self, shingles: &[Shingle]) -> bool {
        self.pages += 1;
        // A window has no more than a few hundred pages.
        let page = self.pages as u16;
        for shingle in shingles {
            let met = self.counts.entry(shingle.masked).or_default();
            if met.last != page {
                met.last = page;
                met.pages = met.pages.saturating_add(1);
            }
        }
        if self.pages >= self.window {
            return self.freeze();
        }
        if self.pages.is_multiple_of(PRUNE_EVERY) {
            self.counts.retain(|_, met| met.pages > 1);
        }
        false
    }

    /// Pages counted in the running window.
    pub const fn pages(&self) -> u32 {
        self.pages
    }

    /// Freezes what the running window has taught, before it is full.
    pub fn freeze_now(&mut self) -> bool {
        self.pages > 0 && self.freeze()
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
        let old = &self.current().common;
        let common: FxHashSet<u32> = counts
            .iter()
            .filter(|(hash, met)| {
                let count = f64::from(met.pages);
                count > enough || (count > stays && old.contains(*hash))
            })
            .map(|(hash, _)| *hash)
            .collect();
        let both = common.intersection(old).count();
        let either = common.len() + old.len() - both;
        self.last = (counts.into_iter())
            .filter(|(_, met)| met.pages > 1)
            .map(|(hash, met)| (hash, met.pages))
            .collect();
        if both as f64 >= 0.97 * either as f64 {
            return false;
        }
        let version = self.current().version + 1;
        self.versions.push(Chrome { version, common });
        if self.versions.len() > KEPT {
            self.versions.remove(0);
        }
        true
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        (self.counts.capacity() + self.last.capacity()) * 8 / 7 * 9
            + self
                .versions
                .iter()
                .map(|v| v.common.capacity() * 8 / 7 * 5)
                .sum::<usize>()
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
}
