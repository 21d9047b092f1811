//! Files pages anew when beliefs rise or fall.
//!
//! When a belief rises or falls, other pages stand for other forms. Pages are filed anew a few at a time, in rounds,
//! until one round since the last change has reached all of them. Meanwhile, a lookup of who stands for a form also finds
//! pages that still wait, as far as possible: by what the believed edits made of them when they were learned.

use super::Site;

/// Pages that are filed anew with each that is learned from. More would be done sooner, and be felt by a crawler: while they wait,
/// pages are found by what was known when they were learned.
const AT_ONCE: usize = 8;

/// How far filing anew has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Round {
    /// The page whose turn is next.
    pub(super) next: u32,
    /// Rounds that are to end before all pages are filed as beliefs have it: one that began before these changed is
    /// followed by a whole one, since what it has confirmed may be wrong.
    pub(super) left: u8,
    /// Whether a belief has risen or fallen since.
    pub(super) is_urgent: bool,
}

impl Round {
    /// Whether a page has not been filed anew since beliefs changed.
    const fn awaits(self, page: u32) -> bool {
        self.left > 1 || (self.left == 1 && self.next <= page)
    }
}

impl Site {
    /// Files the next pages anew, if what is believed has changed since they were.
    pub(super) fn file_anew(&mut self) {
        if std::mem::take(&mut self.stale) && !self.pages.is_empty() {
            self.generation += 1;
            self.round.left = if self.round.next == 0 { 1 } else { 2 };
        }
        let mut url = String::new();
        for _ in 0..AT_ONCE {
            if self.round.left == 0 {
                break;
            }
            let page = self.round.next;
            if self.pages.write_url(page, &mut url).is_some() {
                let key = self.canonical_key(&self.form(&url));
                self.confirm(key, page);
            }
            self.round.next += 1;
            if self.round.next as usize == self.pages.len() {
                self.round.next = 0;
                self.firsts.end_round();
                self.round.left -= 1;
                if self.round.left == 0 {
                    self.round.is_urgent = false;
                    self.generation += 1;
                }
            }
        }
    }

    /// Confirms that a page may stand for a form. What came instead of pages gives way to those that did not, whichever is older.
    fn confirm(&mut self, key: u64, page: u32) {
        let other = (self
            .walls
            .is_any_known()
            .then(|| self.firsts.stands(key))
            .flatten())
        .filter(|other| *other != page && self.key_of_page(*other) == Some(key));
        let Some(other) = other else {
            return self.firsts.confirm(key, page);
        };
        match [page, other].map(|page| self.is_wall_where_acted(page)) {
            [true, false] => self.firsts.confirm(key, other),
            [false, true] => self.firsts.let_stand(key, page, true),
            _ => self.firsts.confirm(key, page),
        }
    }

    /// Whether a page may be filed as beliefs no longer have it.
    const fn awaits(&self, page: u32) -> bool {
        self.stale || self.round.awaits(page)
    }

    /// The name of what beliefs make of a page's URL.
    fn key_of_page(&self, page: u32) -> Option<u64> {
        let url = self.pages.url(page)?;
        Some(self.canonical_key(&self.form(&url)))
    }

    /// The page that stands for a form, for a trial.
    pub(super) fn stands(&self, key: u64) -> Option<u32> {
        let is_it = |page: &u32| self.key_of_page(*page) == Some(key);
        // Where no belief has risen or fallen or says less than before, what stood for a form a moment ago still says
        // what the form does.
        let stood = |page: &u32| !self.round.is_urgent || !self.awaits(*page) || is_it(page);
        (self.firsts.stands(key).filter(stood)).or_else(|| self.waiting(key).find(is_it))
    }

    /// Pages that wait, and may stand for a form as soon as they are filed anew; none where no belief has risen or fallen, but
    /// those that are known where one was right before.
    pub(super) fn waiting(&self, key: u64) -> impl Iterator<Item = u32> {
        let mut waiting: Vec<u32> = Vec::new();
        let is_amid = self.round.is_urgent && (self.stale || self.round.left > 0);
        if is_amid || !self.where_held.is_empty() {
            let is_active = |edit: u32| {
                let on_trial = self.edits.get(edit as usize);
                on_trial.is_some_and(|on_trial| on_trial.active > 0)
            };
            let is_late = |edit: u32, page: u32| {
                is_amid && self.awaits(page) || self.where_held.contains(&edit)
            };
            let pages = (self.firsts.under(key))
                .filter(|(edit, page)| is_active(*edit) && is_late(*edit, *page))
                .map(|(_, page)| page);
            waiting.extend(pages);
            // In an order that does not depend on how the table grew.
            waiting.sort_unstable();
            waiting.dedup();
        }
        waiting.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::{
        PredictConfig,
        parts::Parts,
        site::tests::{article, see},
    };

    fn session(id: u64, name: char) -> String {
        format!("{}&sid={name}{id}", article(id))
    }

    /// A site of so many pages, most of them met with one session only, of which it was just learned that none matters.
    fn that_just_learned(pages: u64) -> Site {
        let mut site = Site::new("e.org", &PredictConfig::default());
        for id in 0..pages {
            see(&mut site, &session(id, 'a'), id);
            if id < 50 && id % 10 == 0 {
                see(&mut site, &session(id, 'b'), id);
            }
        }
        let again = (50..pages).find(|id| {
            see(&mut site, &session(*id, 'b'), *id);
            !site.active.is_empty()
        });
        assert!(again.is_some());
        site
    }

    fn unknown(site: &Site, pages: u64) -> usize {
        let is_unknown = |id: &u64| site.predict(&session(*id, 'c')).is_none();
        (0..pages).filter(is_unknown).count()
    }

    #[test]
    fn pages_are_known_by_what_is_believed_before_and_after_they_are_filed_anew() {
        let mut site = that_just_learned(700);
        assert!(site.round.left > 0, "there are too many for one go");
        assert_eq!(unknown(&site, 700), 0);
        let mut turns = 0;
        while site.round.left > 0 {
            let id = 1000 + turns as u64;
            see(&mut site, &article(id), id);
            assert_eq!(unknown(&site, 700), 0);
            turns += 1;
        }
        let needed = site.pages.len() / AT_ONCE + 1;
        assert!((needed - 2..=needed).contains(&turns), "{turns}");
    }

    fn until_quiet(site: &mut Site) {
        for id in 1_000_000.. {
            if site.round.left == 0 && !site.stale {
                break;
            }
            see(site, &article(id), id);
            assert!(id < 1_001_000, "it ends");
        }
    }

    #[test]
    fn once_all_is_quiet_no_entry_is_out_of_date_and_every_page_is_found_whenever_beliefs_changed()
    {
        let mut site = that_just_learned(700);
        until_quiet(&mut site);
        for id in 100..110 {
            see(&mut site, &article(id), id);
        }
        // Something was confirmed, and before all pages have had their turn the belief falls.
        site.stale = true;
        for id in 5000..5060 {
            see(&mut site, &article(id), id);
        }
        assert!(site.round.next > 0 && site.round.left > 0);
        let fell = (0..60).find(|n| {
            see(&mut site, &session(200 + n, 'z'), 900_000 + n);
            site.active.is_empty()
        });
        assert!(fell.is_some());
        until_quiet(&mut site);
        for (key, page, _) in site.firsts.all_stands() {
            let of_page = site.key_of_page(page).unwrap();
            assert_eq!(of_page >> 24, key >> 24, "{:?}", site.pages.url(page));
        }
        for page in 0..site.pages.len() as u32 {
            let url = site.pages.url(page).unwrap().into_owned();
            let form = site.form(&url);
            let (canonical, _) = site.canonical(&form);
            assert!(site.standing(&canonical, false).is_some(), "{url}");
        }
    }

    #[test]
    fn a_round_that_a_restart_interrupts_goes_on_as_if_it_had_not() {
        let saved = |site: &Site| {
            let mut parts = Parts::default();
            site.save(&mut |section, chunk, bytes| parts.put(section as u8, chunk, bytes));
            parts
        };
        let mut site = that_just_learned(700);
        see(&mut site, &article(999), 999);
        let mut again = Site::load("e.org", &saved(&site)).unwrap();
        assert!(site.round.left > 0 && again.round == site.round);
        for id in 0..120 {
            assert_eq!(
                format!("{:?}", saved(&again)),
                format!("{:?}", saved(&site))
            );
            for site in [&mut site, &mut again] {
                see(site, &article(1000 + id), 1000 + id);
            }
        }
        assert_eq!(site.round.left, 0);
    }
}
