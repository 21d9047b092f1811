//! Checks whether copies lead to what no other page leads to.
//!
//! A gallery shows other pictures on each of its pages, but the same words. By its text, the second page is a copy of the first, and a
//! crawl that leaves it out never finds the pictures. So for each page with a content of its own, the page that it was found on is looked
//! up. If that was a copy of an earlier page by a belief that does not call the new page a copy, too, the copy's original cannot have had
//! the link, or it would have been found there. A belief of which a certain share of the copies led to something new is not acted upon
//! until that has become rare; in a part of the site (pages of one shape, one script) a smaller share is enough, and there alone it is not acted
//! upon: lists that show the same rows in a view that goes on to more of them, beside hundreds of items whose views go nowhere. On sites that show random products on each page, all are known in time; until then, the budget of the
//! shape of URLs bounds what is fetched. Copies are counted from a belief's first trial on: what they lead to is known before the belief
//! is acted upon, and, if each copy leads to the next, not after.

use std::{borrow::Cow, collections::BTreeMap};

use nodust_frontier::BeliefId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Learned, Site, beliefs::key_of};
use crate::{
    heap::of_map,
    predict::{
        belief::{Belief, LEVELS, Level, State, value_of},
        codec::{In, Out},
        form::{Form, is_token},
        yields::{Budget, folders_of, shape_of},
    },
};

/// How many copies may lead to something new before a belief is not acted upon.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// So many did.
    few: u32,
    /// That is one in so many of the last ones.
    one_in: u32,
    /// The share from which on it is acted upon again.
    again_one_in: u32,
    /// Copies of which it is counted how many led on, at most: then half of both is forgotten.
    recent: u32,
    /// It is acted upon again, too, if none of so many did.
    none_of: u32,
}

/// Of a whole site: of the last copies, those that led on are mostly of one part.
const OF_SITE: Limits = Limits {
    few: 5,
    one_in: 8,
    again_one_in: 24,
    recent: 64,
    none_of: u32::MAX,
};

/// Of a part of it. What one copy in fifty leads to is what the default risk allows to be lost; so small a share is not told from a few by chance.
const OF_PART: Limits = Limits {
    few: 2,
    one_in: 40,
    again_one_in: 80,
    recent: 400,
    none_of: 100,
};

/// The levels of claims about a part of a site.
const PARTS: [Level; 5] = [
    Level::PathAndRest,
    Level::Action,
    Level::Path,
    Level::Names,
    Level::Shape,
];

impl Limits {
    fn at(level: Level) -> Self {
        if PARTS.contains(&level) {
            OF_PART
        } else {
            OF_SITE
        }
    }
}

/// Copies that are told apart for each belief, of those that came last, and beliefs: the one whose copies are the oldest makes room. A copy
/// counts for each claim that is on trial, and a site of a hundred scripts has some hundreds.
const MOST_COPIES: usize = 64;
const MOST: usize = 4096;
/// Beliefs that are not acted upon of which it is asked with each page whether they are to be again.
const ASKED: usize = 64;

/// The copies of one belief that led to a new content.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Led {
    /// What it claims.
    edit: u32,
    count: u32,
    /// Copies of the belief before those of which they are counted.
    since: u32,
    /// Copies of it when the last one led on.
    at: u32,
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
    fn turns(&mut self, limits: Limits, copies: u32, (pages, followed): (u32, u32)) -> bool {
        if self.seems_since.is_none() {
            self.forget_old(limits.recent, copies);
        }
        let recent = |copies: u32| copies.saturating_sub(self.since);
        if !self.is_suspended {
            self.is_suspended = self.count >= limits.few
                && self.count.saturating_mul(limits.one_in) >= recent(copies);
            return self.is_suspended;
        }
        let is_few = |copies: u32| {
            self.count.saturating_mul(limits.again_one_in) < recent(copies)
                || copies.saturating_sub(self.at) >= limits.none_of
        };
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
    fn forget_old(&mut self, recent: u32, copies: u32) {
        self.since = self.since.min(copies);
        while copies - self.since > recent {
            self.since += (copies - self.since) / 2;
            self.count /= 2;
        }
    }
}

/// Copies that led to a new content, by the beliefs that say they are copies.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Leading {
    by: FxHashMap<u64, Led>,
    /// The beliefs that are not acted upon, and what they claim.
    suspended: BTreeMap<u64, u32>,
    /// What they claim.
    edits: FxHashSet<u32>,
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
    fn note(&mut self, (key, edit): (u64, u32), copies: u32, copy: u32) -> bool {
        if self.by.len() >= MOST && !self.by.contains_key(&key) {
            let others = self.by.iter().filter(|(_, led)| !led.is_suspended);
            let newest = |led: &Led| led.last.last().copied();
            let Some((oldest, _)) = others.min_by_key(|(key, led)| (newest(led), **key)) else {
                return false;
            };
            let oldest = *oldest;
            self.by.remove(&oldest);
        }
        let first = || Led {
            edit,
            ..Led::default()
        };
        let led = self.by.entry(key).or_insert_with(first);
        let is_another = push_if_new(&mut led.last, copy);
        led.count = led.count.saturating_add(u32::from(is_another));
        if is_another {
            led.at = copies;
        }
        is_another
    }

    /// The beliefs of which it is asked now whether they are to be acted upon again: some of many in turn.
    fn asked(&mut self) -> Vec<u64> {
        let (next, suspended) = (self.next, &self.suspended);
        let in_turn = suspended.range(next..).chain(suspended.range(..next));
        let asked: Vec<u64> = in_turn.take(ASKED).map(|(key, _)| *key).collect();
        if suspended.len() > ASKED {
            self.next = asked.last().map_or(0, |last| last.wrapping_add(1));
        }
        asked
    }

    /// Forgets what is known of a belief: it is to prove itself anew.
    pub(super) fn forget(&mut self, key: u64) {
        self.by.remove(&key);
        self.release(key);
    }

    fn suspend(&mut self, key: u64, edit: u32) {
        self.suspended.insert(key, edit);
        self.edits.insert(edit);
    }

    fn release(&mut self, key: u64) {
        if self.suspended.remove(&key).is_some() {
            self.edits = self.suspended.values().copied().collect();
        }
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
            out.number(u64::from(led.edit));
            out.number(u64::from(led.count));
            out.number(u64::from(led.since));
            out.number(u64::from(led.at));
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
            let (key, edit) = (from.fixed64()?, from.small()?);
            let (count, since, at) = (from.small()?, from.small()?, from.small()?);
            let (is_suspended, seems) = (from.flag()?, from.flag()?);
            let seems_at = (from.small()?, from.small()?);
            let last = read_copies(from)?;
            let led = Led {
                edit,
                count,
                since,
                at,
                last,
                is_suspended,
                seems_since: seems.then_some(seems_at),
            };
            Some((key, led))
        };
        let by: FxHashMap<u64, Led> = (0..len).map(|_| one()).collect::<Option<_>>()?;
        let suspended = by.iter().filter(|(_, led)| led.is_suspended);
        let suspended: BTreeMap<_, _> = suspended.map(|(key, led)| (*key, led.edit)).collect();
        Some(Self {
            edits: suspended.values().copied().collect(),
            suspended,
            next,
            by,
            last,
            followed,
        })
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let last = self.by.values().map(|led| led.last.capacity());
        let of_suspended = self.suspended.len() * 4 * size_of::<u64>();
        of_map(&self.by)
            + of_suspended
            + (self.last.capacity() + last.sum::<usize>()) * size_of::<u32>()
    }
}

impl Site {
    /// Whether a belief is not acted upon since its copies lead to what no other page leads to.
    pub(super) fn leads(&self, key: u64) -> bool {
        self.leading.suspended.contains_key(&key)
    }

    /// Whether a belief is not acted upon, or not in a part of the site that has half of its copies.
    pub(super) fn leads_mostly(&self, belief: &Belief) -> bool {
        let edit = belief.edit();
        let is_half = |key: &u64| {
            let part = self.beliefs.get(*key);
            part.is_some_and(|part| part.seen_here().saturating_mul(2) >= belief.seen_here())
        };
        self.leads(key_of(belief))
            || (self.leading.edits.contains(&edit)
                && (self.leading.suspended.iter()).any(|(key, of)| *of == edit && is_half(key)))
    }

    /// Whether a belief is not acted upon for a URL since its copies lead there, or those of a claim of its kind about a part of the site.
    pub(super) fn leads_for(&self, key: u64, number: u32, form: &Form<'_>) -> bool {
        self.leading.edits.contains(&number)
            && (self.leads(key) || (self.parts_of(number, form)).any(|(key, _)| self.leads(key)))
    }

    /// The beliefs about an edit that are about a part of the site to which a URL belongs.
    fn parts_of<'s>(
        &'s self,
        number: u32,
        form: &'s Form<'_>,
    ) -> impl Iterator<Item = (u64, Cow<'s, Belief>)> {
        (PARTS.into_iter()).filter_map(move |level| {
            let context = || self.context(number, level, form);
            self.beliefs.at(number, level, context)
        })
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
            let known = self.beliefs.get(key);
            let Some((edit, copies)) = known.map(|it| (it.edit(), it.seen_here())) else {
                continue;
            };
            let is_counted = !self.goes_on_in(key, child, &form);
            if is_counted && self.leading.note((key, edit), copies, copy) {
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
        let (level, edit, copies) = (belief.level, belief.edit(), belief.seen_here());
        let is_active = belief.state == State::Active;
        drop(belief);
        let limits = Limits::at(level);
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
        if !led.turns(limits, copies, (pages, followed)) {
            return;
        }
        let is_suspended = led.is_suspended;
        if is_suspended {
            self.leading.suspend(key, edit);
        } else {
            self.leading.release(key);
        }
        // A wider one may be acted upon there.
        let is_about = |acting: &u64| {
            let belief = (self.beliefs.get(*acting)).filter(|it| it.edit() == edit);
            *acting == key || (PARTS.contains(&level) && belief.is_some())
        };
        let acting = self.ids.iter().filter(|(_, acting)| is_about(acting));
        let mut ids: Vec<BeliefId> = acting.map(|(id, _)| *id).collect();
        ids.sort_unstable();
        if !is_active && ids.is_empty() {
            return;
        }
        self.generation += 1;
        self.stale = true;
        if is_suspended {
            self.round.is_urgent = true;
            learned.has_fallen = true;
            learned.reopened.extend(ids);
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
            let beliefs = by.iter().filter_map(|key| self.beliefs.get(*key));
            let edits: Vec<u32> = beliefs.map(|belief| belief.edit()).collect();
            for edit in edits {
                by.extend(self.parts_of(edit, form).map(|(key, _)| key));
            }
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
            State::Active => PARTS.contains(&belief.level) || self.leads(key),
            State::Proposed | State::Withdrawn => false,
        }
    }

    /// Whether a page that was found on a copy has in its URL what a belief calls irrelevant there (a branch that all links go on
    /// with), or has it left out, too: then a new content shows itself that it is no copy, if there is a page that it would be one of: a view
    /// that goes on (`/list?more=1&page=2`) may be the only way to what is behind it. While the belief is on trial nobody knows what it will
    /// have left out.
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
            && (self.stands(edit.key_after(child)).is_some()
                || self
                    .stands(self.canonical_key(&edit.after(child)))
                    .is_some())
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
        let Limits { few, one_in, .. } = OF_SITE;
        let turns =
            |led: &mut Led, copies, pages, followed| led.turns(OF_SITE, copies, (pages, followed));
        assert!(!turns(&mut led(few - 1), 8, 100, 0), "too few");
        assert!(
            !turns(&mut led(few), few * one_in + 1, 100, 0),
            "a smaller share"
        );
        let mut led = led(few);
        assert!(turns(&mut led, few * one_in, 100, 0) && led.is_suspended);
        for copies in (few * one_in..400).step_by(8) {
            assert!(!turns(&mut led, copies, 500, 499) && led.is_suspended);
            if led.seems_since.is_some() {
                break;
            }
        }
        assert_eq!(led.seems_since.map(|(pages, _)| pages), Some(500));
        assert!(
            !turns(&mut led, 500, 900, 499),
            "they lead to what is not known yet"
        );
        assert!(turns(&mut led, 500, 900, 500) && !led.is_suspended);
        led.count += OF_SITE.recent;
        assert!(turns(&mut led, 500, 1000, 900) && led.is_suspended);
    }

    #[test]
    fn while_it_is_waited_for_what_copies_lead_to_more_may_come() {
        let waiting = |more| {
            let mut led = Led {
                is_suspended: true,
                seems_since: Some((500, OF_SITE.recent)),
                ..led(1)
            };
            led.count += more;
            led.turns(OF_SITE, 10 * OF_SITE.recent, (900, 500))
        };
        assert!(waiting(1) && !waiting(2));
    }

    #[test]
    fn copies_of_long_ago_count_for_less() {
        let mut led = led(0);
        for copies in (0..5000).step_by(50) {
            led.count += 1;
            assert!(!led.turns(OF_SITE, copies, (100, 0)), "one in fifty");
        }
        led.count += OF_SITE.recent / 4;
        assert!(
            led.turns(OF_SITE, 5000, (100, 0)),
            "and all of the last ones"
        );
    }

    #[test]
    fn of_the_beliefs_that_whose_copies_are_the_oldest_makes_room() {
        let mut leading = Leading::default();
        for key in 0..MOST as u64 {
            let edit = key as u32 % 9;
            assert!(leading.note((key, edit), 0, 1) && !leading.note((key, edit), 0, 1));
            assert!(key == 7 || leading.note((key, edit), 5, 2));
        }
        assert!(leading.note((1 << 20, 9), 8, 3));
        let led = leading.by.get_mut(&(1 << 20)).unwrap();
        led.is_suspended = true;
        leading.suspend(1 << 20, 9);
        assert!(leading.by.len() == MOST && !leading.by.contains_key(&7));
        let mut out = Out::default();
        leading.write(&mut out);
        assert_eq!(Leading::read(&mut In(&out.0)), Some(leading));
    }
}
