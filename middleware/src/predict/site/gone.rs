//! URLs that had no page.
//!
//! A dead link is still dead when it comes with a new session. So for URLs that were not found, their canonical forms under the beliefs
//! are remembered. Once enough of them were not found under a second spelling either, further spellings are dropped on the word of the
//! beliefs that make them one. Each belief has to prove this itself: a new page of a manual may be missing in two versions that are
//! one, and be in a third. A page that was missing under one spelling and found under another speaks against the beliefs that make the
//! two one; once there are too many such pages, what was dropped is judged again. What a belief made of a URL is forgotten when the
//! belief falls.

use hashbrown::HashTable;
use nodust_frontier::{BeliefId, Prediction};
use smallvec::SmallVec;

use super::{Applied, Learned, Site};
use crate::{
    predict::{
        codec::{In, Out},
        parts::{CHUNK, Parts, Put, Section},
    },
    sign::{push_tightly, spread},
};

/// URLs that are remembered.
const MOST: usize = 1 << 16;
/// URLs of which a second spelling was not found either, from which on further ones are dropped, and for each of which it was.
const ENOUGH: u32 = 32;
const FOR_EACH: u32 = 50;

/// What is left of URLs that were not found.
#[derive(Debug, Default)]
pub(super) struct Gone {
    /// The lowest bit says whether a second spelling was not found either.
    keys: Vec<u64>,
    index: HashTable<u32>,
    /// What was heard of the beliefs that had a part in what is left, in their order.
    by: Vec<Heard>,
}

/// How second spellings came out that a belief makes one with the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Heard {
    belief: BeliefId,
    /// URLs of which the second was not found either, and those of which it was.
    alike: u32,
    found: u32,
    /// How many of the former there must be before further ones are dropped: twice as many as when too many were found.
    enough: u32,
}

impl Heard {
    /// Whether second spellings are as dead as first ones.
    const fn tells(&self) -> bool {
        self.alike >= ENOUGH
            && self.alike >= self.enough
            && self.found.saturating_mul(FOR_EACH) <= self.alike
    }

    /// Notes that a second spelling was found; whether dead links are not dropped any more that were.
    fn hear_of_page(&mut self) -> bool {
        let told = self.tells();
        self.found = self.found.saturating_add(1);
        let ceases = told && !self.tells();
        if ceases {
            // All that was dropped is looked at each time that this happens: the next time comes later.
            self.enough = self.alike.saturating_mul(2);
        }
        ceases
    }
}

/// Beliefs that leave something of a URL.
pub(super) type By = SmallVec<[BeliefId; 4]>;

impl Gone {
    fn at(&self, key: u64) -> Option<usize> {
        let is_it = |at: &u32| self.keys[*at as usize] | 1 == key | 1;
        let found = self.index.find(spread(key | 1), is_it);
        found.map(|at| *at as usize)
    }

    /// Whether what is left of a URL is among what is left of those that were not found.
    pub(super) fn holds(&self, key: u64) -> bool {
        self.at(key).is_some()
    }

    /// Notes what is left of a URL; the lowest bit as it is kept.
    fn note(&mut self, key: u64) {
        if self.keys.len() >= MOST {
            return;
        }
        let at = self.keys.len() as u32;
        push_tightly(&mut self.keys, key);
        let keys = &self.keys;
        let hash_of = |at: &u32| spread(keys[*at as usize] | 1);
        self.index.insert_unique(spread(key | 1), at, hash_of);
    }

    /// Notes that a second spelling was not found either, once for each URL.
    fn hear_again(&mut self, at: usize, by: &[BeliefId]) {
        if self.keys[at] & 1 == 1 {
            return;
        }
        self.keys[at] |= 1;
        for belief in by {
            let heard = self.heard(*belief);
            heard.alike = heard.alike.saturating_add(1);
        }
    }

    /// Whether second spellings are as dead as first ones, by all of these beliefs.
    fn tells(&self, by: &[BeliefId]) -> bool {
        let tells = |belief| {
            let at = self.by.binary_search_by_key(belief, |heard| heard.belief);
            at.is_ok_and(|at| self.by[at].tells())
        };
        by.iter().all(tells)
    }

    /// Notes that a page was found of whose URL these beliefs leave what they [left](Self::holds) of one that was not. Whether dead links are
    /// not dropped any more that were.
    pub(super) fn hear_of_page(&mut self, by: &[BeliefId]) -> bool {
        // Where this is how others are left, nobody knows by whose word the first was.
        let is_of = |heard: &&mut Heard| by.is_empty() || by.contains(&heard.belief);
        let mut ceases = false;
        for heard in self.by.iter_mut().filter(is_of) {
            ceases |= heard.hear_of_page();
        }
        ceases
    }

    fn heard(&mut self, belief: BeliefId) -> &mut Heard {
        let at = self
            .by
            .binary_search_by_key(&belief, |heard| heard.belief)
            .unwrap_or_else(|at| {
                let heard = Heard {
                    belief,
                    alike: 0,
                    found: 0,
                    enough: 0,
                };
                self.by.insert(at, heard);
                at
            });
        &mut self.by[at]
    }

    /// Forgets everything if one of these had a part in it: what they left is not what is left now. Whether they had.
    pub(super) fn forget_what_is_of(&mut self, fallen: &[BeliefId]) -> bool {
        let is_of_them = (self.by.iter()).any(|heard| fallen.contains(&heard.belief));
        if is_of_them {
            *self = Self::default();
        }
        is_of_them
    }

    pub(super) fn save(&self, put: &mut Put<'_>) {
        for (chunk, keys) in (0..).zip(self.keys.chunks(CHUNK as usize)) {
            let mut out = Out::default();
            for key in keys {
                out.fixed64(*key);
            }
            put(Section::Gone, chunk, out.0);
        }
    }

    pub(super) fn load(parts: &Parts) -> Option<Self> {
        let mut gone = Self::default();
        for (chunk, mut from) in parts.of(Section::Gone) {
            if chunk as usize * CHUNK as usize != gone.keys.len() {
                return None;
            }
            while !from.is_empty() {
                gone.note(from.fixed64()?);
            }
        }
        Some(gone)
    }

    pub(super) fn write_counts(&self, out: &mut Out) {
        out.count(self.by.len());
        for heard in &self.by {
            out.fixed64(heard.belief.to_bits());
            for number in [heard.alike, heard.found, heard.enough] {
                out.number(u64::from(number));
            }
        }
    }

    pub(super) fn read_counts(&mut self, from: &mut In<'_>) -> Option<()> {
        let len = from.count()?;
        let mut heard = || {
            Some(Heard {
                belief: from.fixed64().map(BeliefId::from_bits)?,
                alike: from.small()?,
                found: from.small()?,
                enough: from.small()?,
            })
        };
        self.by = (0..len).map(|_| heard()).collect::<Option<_>>()?;
        Some(())
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<u64>()
            + self.index.allocation_size()
            + self.by.capacity() * size_of::<Heard>()
    }
}

impl Site {
    /// Learns that a URL has no page (404 or 410). `probed` is the belief that predicted it to be a duplicate.
    pub fn observe_gone(&mut self, url: &str, probed: Option<BeliefId>) -> Learned {
        let mut learned = Learned::default();
        if self.is_warming() {
            return learned;
        }
        let form = self.form(url);
        self.selectors.note_pageless(&form);
        let (reduced, how) = self.reduced_form(&form);
        if self.standing(&reduced, how.is_settled).is_some() {
            // Of a page that is there, one spelling is not: nothing is missed.
            return learned;
        }
        let key = reduced.key();
        let by = self.names_of(&how.applied);
        match self.gone.at(key) {
            None if self.is_full() => {}
            None => {
                self.gone.note(key & !1);
                for belief in by {
                    self.gone.heard(belief);
                }
            }
            Some(at) if !by.is_empty() => {
                self.gone.hear_again(at, &by);
                learned.was_duplicate = probed.map(|_| true);
            }
            Some(_) => {}
        }
        learned
    }

    /// Learns that a URL was fetched that is not a page with text, and leads to none.
    pub fn observe_pageless(&mut self, url: &str) -> Learned {
        self.selectors.note_pageless(&self.form(url));
        Learned::default()
    }

    /// Whether it is to be told of a URL that is [no page](Self::observe_pageless).
    pub(crate) fn hears_of_pageless(&self, url: &str) -> bool {
        !self.is_warming() && !self.is_full() && self.selectors.is_unmet(&self.form(url))
    }

    /// Whether a URL is taken for another spelling of one that was not found; `key`: what is left of it, `applied`: by whose word.
    pub(super) fn predicted_gone(&self, key: u64, applied: &Applied) -> Option<Prediction> {
        let is_gone = !applied.is_empty() && self.gone.holds(key);
        (is_gone && self.gone.tells(&self.names_of(applied)))
            .then(|| self.prediction_by(applied))?
    }

    /// The beliefs with these keys.
    pub(super) fn names_of(&self, keys: &[u64]) -> By {
        let beliefs = keys.iter().filter_map(|key| self.beliefs.get(*key));
        beliefs.map(|belief| self.id_of(&belief)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{article, see, with_sessions};
    use crate::predict::{parts::Parts, site::Site};

    fn dead(n: u64, session: u64) -> String {
        format!("{}&sid={session}x", article(10_000 + n))
    }

    /// A site on which so many URLs were not found under two spellings each.
    fn with_dead(twice: u64) -> Site {
        let mut site = with_sessions();
        for n in 0..twice {
            site.observe_gone(&dead(n, 1), None);
            site.observe_gone(&dead(n, 2), None);
        }
        site
    }

    #[test]
    fn once_enough_were_dead_under_two_spellings_third_ones_are_dropped() {
        let mut site = with_dead(31);
        site.observe_gone(&article(10_900), None);
        let dropped = |site: &Site| site.predict(&dead(900, 7)).is_some();
        assert!(!dropped(&site), "thirty-one are not enough");
        let explored = site.predict(&format!("{}&sid=7", article(3))).unwrap();
        let third = site.observe_gone(&dead(3, 9), Some(explored.belief));
        assert_eq!(third.was_duplicate, Some(true));
        assert!(!dropped(&site), "of one URL, a third spelling is none more");
        site.observe_gone(&dead(700, 1), None);
        site.observe_gone(&dead(700, 2), None);
        assert!(dropped(&site));
        assert!(site.predict(&article(10_900)).is_none(), "it was tried");
        assert!(site.predict(&dead(901, 7)).is_none(), "nobody has tried it");
    }

    #[test]
    fn where_a_second_spelling_brings_a_page_none_is_dropped_for_long() {
        let mut site = with_dead(40);
        site.observe_gone(&dead(500, 1), None);
        assert!(site.predict(&dead(500, 7)).is_some());
        see(&mut site, &dead(3, 8), 77_000);
        assert!(site.predict(&dead(500, 7)).is_none(), "one in forty");
    }

    #[test]
    fn when_dead_links_are_not_dropped_any_more_those_that_were_are_judged_again() {
        let mut site = with_dead(40);
        site.observe_gone(&dead(500, 1), None);
        let by = site.predict(&dead(500, 7)).unwrap().belief;
        assert_eq!(see(&mut site, &dead(3, 8), 77_000).shaken, [by]);
        assert!(see(&mut site, &dead(4, 8), 77_001).shaken.is_empty());
    }

    #[test]
    fn what_a_belief_left_of_dead_links_is_forgotten_when_it_falls() {
        let mut site = with_dead(40);
        let viewed = |n: u64, view: u64| format!("{}&view={view}", article(n));
        for n in 0..200 {
            see(&mut site, &viewed(n, n), n);
        }
        site.observe_gone(&viewed(10_900, 5), None);
        assert!(
            site.predict(&viewed(10_900, 6)).is_none(),
            "what sessions have shown says nothing of views"
        );
        for n in 0..40 {
            site.observe_gone(&viewed(10_950 + n, 1), None);
            site.observe_gone(&viewed(10_950 + n, 2), None);
        }
        assert!(site.predict(&viewed(10_900, 6)).is_some());
        assert!(site.predict(&dead(900, 7)).is_some());
        let fell = (0..200).find(|n| {
            let learned = see(&mut site, &viewed(*n, 1_000 + n), 80_000 + n);
            !learned.withdrawn.is_empty()
        });
        assert!(fell.is_some());
        assert!(site.predict(&viewed(10_900, 6)).is_none());
        // Nobody has asked for the article itself.
        assert!(site.predict(&dead(900, 7)).is_none());
    }

    #[test]
    fn a_spelling_of_a_page_that_is_there_says_nothing_of_others() {
        let mut site = with_sessions();
        for n in 0..80 {
            site.observe_gone(&format!("{}&sid=ended{n}", article(n)), None);
        }
        site.observe_gone(&dead(500, 1), None);
        assert!(site.predict(&dead(500, 7)).is_none());
    }

    #[test]
    fn it_is_read_back() {
        let site = with_dead(300);
        let mut parts = Parts::default();
        site.save(&mut |section, chunk, bytes| parts.put(section as u8, chunk, bytes));
        let mut again = Site::load("e.org", &parts).unwrap();
        assert!(again.predict(&dead(299, 7)).is_some());
        again.observe_gone(&dead(7_000, 1), None);
        assert!(again.predict(&dead(7_000, 7)).is_some());
        assert_eq!(again.gone.by, site.gone.by);
        assert_eq!(again.gone.keys.len(), 301);
    }
}
