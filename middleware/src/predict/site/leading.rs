//! Checks whether copies lead to what no other page leads to.
//!
//! A gallery shows other pictures on each of its pages, but the same words. By its text, the second page is a copy of the first, and a
//! crawl that leaves it out never finds the pictures. So for each page with a content of its own, the page that it was found on is looked
//! up. If that was a copy of an earlier page by a belief that does not call the new page a copy, too, the copy's original cannot have had
//! the link, or it would have been found there. A belief of which a certain share of the copies led to something new is not acted upon
//! until that has become rare. On sites that show random products on each page, all are known in time; until then, the budget of the
//! shape of URLs bounds what is fetched. Copies are counted from a belief's first trial on: what they lead to is known before the belief
//! is acted upon, and, if each copy leads to the next, not after.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::{Learned, Site};
use crate::{
    heap::of_map,
    predict::{
        belief::{Belief, LEVELS, State, value_of},
        codec::{In, Out},
        form::{Form, is_token},
        yields::{Budget, folders_of, shape_of},
    },
};

/// Copies that led to something new before a belief is not acted upon, and the share of the [last copies](RECENT) that they are at least: one in so
/// many; and the share from which on it is acted upon again.
const FEW: u32 = 5;
const ONE_IN: u32 = 8;
const AGAIN_ONE_IN: u32 = 24;
/// Copies of which it is counted how many led on, at most: then half of both is forgotten. Of so many those that led on are mostly of one part of the site.
const RECENT: u32 = 64;
/// Copies that are told apart for each belief, of those that came last, and beliefs: the one whose copies are the oldest makes room. A copy
/// counts for each claim that is on trial, and a site of a hundred scripts has some hundreds.
const MOST_COPIES: usize = 64;
const MOST: usize = 4096;
/// Beliefs that are not acted upon of which it is asked with each page whether they are to be again.
const ASKED: usize = 64;

/// The copies of one belief that led to a new content.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Led {
    count: u32,
    /// Copies of the belief before those of which they are counted.
    since: u32,
    /// The last of them.
    last: Vec<u32>,
    is_suspended: bool,
    /// Pages that were known when it seemed that it may be acted upon again, and copies.
    seems_since: Option<(u32, u32)>,
}

impl Led {
    /// Asks whether it is to be acted upon, of so many copies; whether that has changed. `pages`: how many are known; `followed`: up to which of
    /// them links were followed. What copies lead to is fetched later than they are, so it is waited for; meanwhile those count that lead on, too, of
    /// whatever copies: where links wait long it is acted upon again when hardly any does any more.
    fn turns(&mut self, copies: u32, pages: u32, followed: u32) -> bool {
        if self.seems_since.is_none() {
            self.forget_old(copies);
        }
        let recent = |copies: u32| copies.saturating_sub(self.since);
        if !self.is_suspended {
            self.is_suspended =
                self.count >= FEW && self.count.saturating_mul(ONE_IN) >= recent(copies);
            return self.is_suspended;
        }
        let is_few = |copies| self.count.saturating_mul(AGAIN_ONE_IN) < recent(copies);
        let Some((since, then)) = self.seems_since else {
            self.seems_since = is_few(copies).then_some((pages, copies));
            return false;
        };
        if followed < since {
            return false;
        }
        self.is_suspended = !is_few(then);
        self.seems_since = None;
        !self.is_suspended
    }

    /// Forgets half of what was counted, while it was of many copies: what they lead to may be known by now.
    fn forget_old(&mut self, copies: u32) {
        self.since = self.since.min(copies);
        while copies - self.since > RECENT {
            self.since += (copies - self.since) / 2;
            self.count = self.count.div_ceil(2);
        }
    }
}

/// Copies that led to a new content, by the beliefs that say they are copies.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Leading {
    by: FxHashMap<u64, Led>,
    /// The beliefs that are not acted upon.
    suspended: BTreeSet<u64>,
    /// The first of them that is asked next.
    next: u64,
    /// The copies that were heard of last.
    last: Vec<u32>,
    /// The newest page of which a link was followed, while any belief is not acted upon.
    followed: u32,
}

/// Adds a copy to the last ones, unless it is among them.
fn push_if_new(last: &mut Vec<u32>, copy: u32) -> bool {
    if last.contains(&copy) {
        return false;
    }
    if last.len() == MOST_COPIES {
        last.remove(0);
    }
    last.push(copy);
    true
}

fn write_copies(copies: &[u32], out: &mut Out) {
    out.count(copies.len());
    for copy in copies {
        out.number(u64::from(*copy));
    }
}

fn read_copies(from: &mut In<'_>) -> Option<Vec<u32>> {
    let len = from.count().filter(|len| *len <= MOST_COPIES)?;
    (0..len).map(|_| from.small()).collect()
}

impl Leading {
    /// Notes a copy by the belief with this key; whether it is one more.
    fn note(&mut self, key: u64, copy: u32) -> bool {
        if self.by.len() >= MOST && !self.by.contains_key(&key) {
            let others = self.by.iter().filter(|(_, led)| !led.is_suspended);
            let newest = |led: &Led| led.last.last().copied();
            let Some((oldest, _)) = others.min_by_key(|(key, led)| (newest(led), **key)) else {
                return false;
            };
            let oldest = *oldest;
            self.by.remove(&oldest);
        }
        let led = self.by.entry(key).or_default();
        let is_another = push_if_new(&mut led.last, copy);
        led.count = led.count.saturating_add(u32::from(is_another));
        is_another
    }

    /// The beliefs of which it is asked now whether they are to be acted upon again: some of many in turn.
    fn asked(&mut self) -> Vec<u64> {
        let (next, suspended) = (self.next, &self.suspended);
        let in_turn = suspended.range(next..).chain(suspended.range(..next));
        let asked: Vec<u64> = in_turn.take(ASKED).copied().collect();
        if suspended.len() > ASKED {
            self.next = asked.last().map_or(0, |last| last.wrapping_add(1));
        }
        asked
    }

    /// Forgets what is known of a belief: it is to prove itself anew.
    pub(super) fn forget(&mut self, key: u64) {
        self.by.remove(&key);
        self.suspended.remove(&key);
    }

    pub(super) fn write(&self, out: &mut Out) {
        write_copies(&self.last, out);
        out.number(u64::from(self.followed));
        out.fixed64(self.next);
        let mut all: Vec<_> = self.by.iter().collect();
        all.sort_unstable();
        out.count(all.len());
        for (key, led) in all {
            out.fixed64(*key);
            out.number(u64::from(led.count));
            out.number(u64::from(led.since));
            out.flag(led.is_suspended);
            let (pages, copies) = led.seems_since.unwrap_or_default();
            out.flag(led.seems_since.is_some());
            out.number(u64::from(pages));
            out.number(u64::from(copies));
            write_copies(&led.last, out);
        }
    }

    pub(super) fn read(from: &mut In<'_>) -> Option<Self> {
        let (last, followed, next) = (read_copies(from)?, from.small()?, from.fixed64()?);
        let len = from.count().filter(|len| *len <= MOST)?;
        let mut one = || {
            let (key, count, since) = (from.fixed64()?, from.small()?, from.small()?);
            let (is_suspended, seems) = (from.flag()?, from.flag()?);
            let seems_at = (from.small()?, from.small()?);
            let last = read_copies(from)?;
            let led = Led {
                count,
                since,
                last,
                is_suspended,
                seems_since: seems.then_some(seems_at),
            };
            Some((key, led))
        };
        let by: FxHashMap<u64, Led> = (0..len).map(|_| one()).collect::<Option<_>>()?;
        let suspended = by.iter().filter(|(_, led)| led.is_suspended);
        Some(Self {
            suspended: suspended.map(|(key, _)| *key).collect(),
            next,
            by,
            last,
            followed,
        })
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let last = self.by.values().map(|led| led.last.capacity());
        let of_suspended = self.suspended.len() * 3 * size_of::<u64>();
        of_map(&self.by)
            + of_suspended
            + (self.last.capacity() + last.sum::<usize>()) * size_of::<u32>()
    }
}

impl Site {
    /// Whether a belief is not acted upon since its copies lead to what no other page leads to.
    pub(super) fn leads(&self, key: u64) -> bool {
        self.leading.suspended.contains(&key)
    }

    /// Learns that a page with a content of its own was found on the page of this name, or behind a link that redirects.
    pub(super) fn hear_of_child(
        &mut self,
        (child, url): (&Form<'_>, &str),
        found_on: Option<u64>,
        learned: &mut Learned,
    ) {
        let found_on = found_on.or_else(|| self.sources.first_on(url));
        let Some(copy) = found_on.and_then(|name| self.pages.named(name)) else {
            return;
        };
        let content = self.pages.cluster(copy);
        let earlier = content.and_then(|it| self.members.of(it).find(|page| *page < copy));
        let url_of = |page| self.pages.url(page);
        let (Some(original), Some(url)) = (earlier.and_then(url_of), url_of(copy)) else {
            return;
        };
        // Owned, as what is learned of it changes what it is read from.
        let url = url.into_owned();
        let form = self.form(&url);
        if takes_after(child, &form, &self.form(&original)) {
            return;
        }
        if push_if_new(&mut self.leading.last, copy) {
            let budget = Budget::of(&self.config);
            let shape = shape_of(&form);
            for shape in [Some(shape), folders_of(&form)].into_iter().flatten() {
                let changed = self.yields.count_leading(shape, budget);
                self.budget_changed(shape, changed, learned);
            }
        }
        for key in self.copy_by(copy, &form) {
            if !self.goes_on_in(key, child, &form) && self.leading.note(key, copy) {
                self.weigh_leading(key, learned);
            }
        }
    }

    /// Asks of the beliefs that are not acted upon whether they are to be again, as a link of the page of this name was followed.
    pub(super) fn weigh_suspended(&mut self, found_on: Option<u64>, learned: &mut Learned) {
        if self.leading.suspended.is_empty() {
            return;
        }
        if let Some(page) = found_on.and_then(|name| self.pages.named(name)) {
            self.leading.followed = self.leading.followed.max(page);
        }
        for key in self.leading.asked() {
            self.weigh_leading(key, learned);
        }
    }

    /// Asks whether a belief is to be acted upon.
    fn weigh_leading(&mut self, key: u64, learned: &mut Learned) {
        let Some(belief) = self.beliefs.get(key) else {
            return;
        };
        let (id, copies) = (belief.id(), belief.seen_here());
        let is_active = belief.state == State::Active;
        drop(belief);
        let is_full = self.is_full();
        let Some(led) = self.leading.by.get_mut(&key) else {
            return;
        };
        let pages = self.pages.len() as u32;
        // No page that comes is known where there is room for none: nothing is waited for.
        let followed = if is_full {
            pages
        } else {
            self.leading.followed
        };
        if !led.turns(copies, pages, followed) {
            return;
        }
        let is_suspended = led.is_suspended;
        if is_suspended {
            self.leading.suspended.insert(key);
        } else {
            self.leading.suspended.remove(&key);
        }
        if !is_active {
            return;
        }
        self.generation += 1;
        self.stale = true;
        if is_suspended {
            self.round.is_urgent = true;
            learned.has_fallen = true;
            learned.reopened.extend(id);
        }
    }

    /// The beliefs by which a page is a copy of an earlier one: those that are acted upon, what others would say in their place, and those
    /// that are not, as they are on trial or lead.
    fn copy_by(&self, copy: u32, form: &Form<'_>) -> Vec<u64> {
        let own = self.pages.cluster(copy);
        let is_original = |page: &u32| *page < copy && self.pages.cluster(*page) == own;
        let mut by = Vec::new();
        let (reduced, how) = self.reduced_form(form);
        let stands = self.standing(&reduced, how.is_settled);
        if !how.applied.is_empty() && stands.is_some_and(|(page, _)| is_original(&page)) {
            let mut edits = Vec::new();
            self.find_agreeing(form, reduced.key(), &mut edits);
            by.extend(
                edits
                    .iter()
                    .filter_map(|edit| self.decide(*edit, form).ok()),
            );
            by.extend(how.applied);
        }
        for number in self.index.in_order(form) {
            let edit = &self.edits[number as usize].edit;
            if !edit.changes(form) {
                continue;
            }
            let key = edit.key_after(form);
            let first = || self.firsts.first(key, number).filter(is_original);
            let stands = |key| self.stands(key).filter(is_original);
            let original = (stands(key).or_else(first))
                .or_else(|| stands(self.canonical_key(&edit.after(form))));
            if original.is_none() {
                continue;
            }
            let beliefs = LEVELS.into_iter().filter_map(|level| {
                let context = || self.context(number, level, form);
                self.beliefs.at(number, level, context)
            });
            by.extend(
                beliefs.filter_map(|(key, belief)| self.may_lead(&belief, key).then_some(key)),
            );
        }
        let originals = own.map(|own| self.members.of(own).filter(is_original));
        let referrers = self.claims_of_referrers(form, originals.into_iter().flatten());
        by.extend(
            (referrers.into_iter())
                .filter(|key| self.beliefs.get(*key).is_some_and(|it| it.is_counted())),
        );
        by.sort_unstable();
        by.dedup();
        by
    }

    /// Whether a belief is on trial, or is not acted upon since its copies lead.
    fn may_lead(&self, belief: &Belief, key: u64) -> bool {
        match belief.state {
            State::Probation => true,
            State::Active => self.leads(key),
            State::Proposed | State::Withdrawn => false,
        }
    }

    /// Whether a page that was found on a copy has in its URL what a belief calls irrelevant there (a branch that all links go on
    /// with), or has it left out, too: then a new content shows itself that it is no copy. While the belief is on trial nobody knows what it
    /// will have left out.
    fn goes_on_in(&self, key: u64, child: &Form<'_>, copy: &Form<'_>) -> bool {
        let Some(belief) = self.beliefs.get(key) else {
            return true;
        };
        let number = belief.edit();
        let edit = &self.edits[number as usize].edit;
        edit.changes(child)
            && (belief.state != State::Active
                || value_of(edit, child) == value_of(edit, copy)
                || self.decide_by_trials(number, child).is_ok())
    }
}

/// Whether a URL has a token of the page that it was found on which the original of that has not: links of a copy may have its session,
/// too, and are other spellings of those of the original.
fn takes_after(child: &Form<'_>, copy: &Form<'_>, original: &Form<'_>) -> bool {
    let (child, copy, original) = (texts(child), texts(copy), texts(original));
    let is_own = |text: &&str| copy.contains(text) && !original.contains(text);
    (child.iter().filter(|text| is_token(text))).any(is_own)
}

/// The segments of a URL, and the values of its parameters.
fn texts<'f>(form: &'f Form<'_>) -> Vec<&'f str> {
    let values = form.params.iter().map(|(_, value)| &**value);
    let segments = form.segments.iter().map(|segment| &**segment);
    segments.chain(values).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of which so many copies led on, of those since the first.
    fn led(count: u32) -> Led {
        Led {
            count,
            ..Led::default()
        }
    }

    #[test]
    fn what_leads_is_suspended_and_acts_again_once_links_of_later_copies_were_followed() {
        assert!(!led(FEW - 1).turns(8, 100, 0), "too few");
        assert!(!led(FEW).turns(FEW * ONE_IN + 1, 100, 0), "a smaller share");
        let mut led = led(FEW);
        assert!(led.turns(FEW * ONE_IN, 100, 0) && led.is_suspended);
        for copies in (FEW * ONE_IN..400).step_by(8) {
            assert!(!led.turns(copies, 500, 499) && led.is_suspended);
            if led.seems_since.is_some() {
                break;
            }
        }
        assert_eq!(led.seems_since.map(|(pages, _)| pages), Some(500));
        assert!(
            !led.turns(500, 900, 499),
            "they lead to what is not known yet"
        );
        assert!(led.turns(500, 900, 500) && !led.is_suspended);
        led.count += RECENT;
        assert!(led.turns(500, 1000, 900) && led.is_suspended);
    }

    #[test]
    fn while_it_is_waited_for_what_copies_lead_to_more_may_come() {
        let waiting = |more| {
            let mut led = Led {
                is_suspended: true,
                seems_since: Some((500, RECENT)),
                ..led(1)
            };
            led.count += more;
            led.turns(10 * RECENT, 900, 500)
        };
        assert!(waiting(1) && !waiting(2));
    }

    #[test]
    fn copies_of_long_ago_count_for_less() {
        let mut led = led(0);
        for copies in (0..5000).step_by(50) {
            led.count += 1;
            assert!(!led.turns(copies, 100, 0), "one in fifty");
        }
        led.count += RECENT / 4;
        assert!(led.turns(5000, 100, 0), "and all of the last ones");
    }

    #[test]
    fn of_the_beliefs_that_whose_copies_are_the_oldest_makes_room() {
        let mut leading = Leading::default();
        for key in 0..MOST as u64 {
            assert!(leading.note(key, 1) && !leading.note(key, 1));
            assert!(key == 7 || leading.note(key, 2));
        }
        assert!(leading.note(1 << 20, 3));
        assert!(leading.by.len() == MOST && !leading.by.contains_key(&7));
        let mut out = Out::default();
        leading.write(&mut out);
        assert_eq!(Leading::read(&mut In(&out.0)), Some(leading));
    }
}
