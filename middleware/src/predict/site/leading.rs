//! Do copies lead to what no other page leads to?
//!
//! A gallery shows other pictures on each of its pages, and the same words: by its text the second page is a copy of the first, and
//! whoever leaves it out never meets the pictures. So a page with a content of its own is asked which page it was found on. If that
//! was a copy of an earlier page by a belief which has nothing to say of the new page's own URL, its original cannot have had the link, or it
//! would have been found there. A belief of which one copy in so many led to something new is not acted upon, until that
//! has become rare: on sites that show other products on each page at random, all are known soon.

use rustc_hash::FxHashMap;

use super::{Learned, Site, belief_key};
use crate::{
    heap::of_map,
    predict::{
        belief::State,
        codec::{In, Out},
        form::Form,
        yields::{Budget, shape_of},
    },
};

/// Copies that led to something new before a belief is not acted upon, and the share of all copies that they are at least: one in so
/// many.
const FEW: u32 = 5;
const ONE_IN: u32 = 8;
/// Copies that are told apart for each belief, of those that came last, and beliefs.
const MOST_COPIES: usize = 64;
const MOST: usize = 128;

/// The copies of one belief that led to a new content.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Led {
    count: u32,
    /// The last of them.
    last: Vec<u32>,
}

/// Copies that led to a new content, by the beliefs that say they are copies.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Leading(FxHashMap<u64, Led>);

impl Leading {
    /// Notes a copy by the belief with this key; whether it is one more.
    fn note(&mut self, key: u64, copy: u32) -> bool {
        if self.0.len() >= MOST && !self.0.contains_key(&key) {
            return false;
        }
        let led = self.0.entry(key).or_default();
        if led.last.contains(&copy) {
            return false;
        }
        if led.last.len() == MOST_COPIES {
            led.last.remove(0);
        }
        led.last.push(copy);
        led.count = led.count.saturating_add(1);
        true
    }

    /// Whether too many of so many copies led to something new.
    fn leads(&self, key: u64, copies: u32) -> bool {
        let led = self.0.get(&key).map_or(0, |led| led.count);
        led >= FEW && led.saturating_mul(ONE_IN) >= copies
    }

    pub(super) fn write(&self, out: &mut Out) {
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_unstable();
        out.count(all.len());
        for (key, led) in all {
            out.fixed64(*key);
            out.number(u64::from(led.count));
            out.count(led.last.len());
            for copy in &led.last {
                out.number(u64::from(*copy));
            }
        }
    }

    pub(super) fn read(from: &mut In<'_>) -> Option<Self> {
        let len = from.count()?;
        let mut one = || {
            let (key, count) = (from.fixed64()?, from.small()?);
            let len = from.count().filter(|len| *len <= MOST_COPIES)?;
            let last = (0..len).map(|_| from.small()).collect::<Option<_>>()?;
            Some((key, Led { count, last }))
        };
        (0..len).map(|_| one()).collect::<Option<_>>().map(Self)
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let last = self
            .0
            .values()
            .map(|led| led.last.capacity())
            .sum::<usize>();
        of_map(&self.0) + last * size_of::<u32>()
    }
}

impl Site {
    /// Whether a belief is not acted upon since its copies lead to what no other page leads to.
    pub(super) fn leads(&self, key: u64) -> bool {
        if self.leading.0.is_empty() {
            return false;
        }
        let belief = self.beliefs.get(key);
        belief.is_some_and(|belief| self.leading.leads(key, belief.seen()))
    }

    /// Learns that a page with a content of its own was found on the page of this name.
    pub(super) fn hear_of_child(&mut self, child: &Form<'_>, found_on: u64, learned: &mut Learned) {
        let Some(copy) = self.pages.named(found_on) else {
            return;
        };
        let Some((url, cluster)) = self.page(copy) else {
            return;
        };
        let original = self.members.of(cluster).find(|page| *page < copy);
        let Some(original) = original.and_then(|page| self.pages.url(page)) else {
            return;
        };
        let form = Form::parse(&url);
        if takes_after(child, &form, &Form::parse(&original)) {
            return;
        }
        let shape = shape_of(&form);
        let changed = (self.yields).count_leading(shape, Budget::of(&self.config));
        let by = self.copy_by(copy, &form);
        self.budget_changed(shape, changed, learned);
        for key in by {
            if !self.says_nothing_of(key, child) {
                continue;
            }
            let led = self.leads(key);
            if self.leading.note(key, copy) && !led && self.leads(key) {
                self.generation += 1;
                self.stale = true;
                self.round.is_urgent = true;
                learned.has_fallen = true;
                if let Some(belief) = self.beliefs.get(key) {
                    learned.reopened.extend(belief.id());
                }
            }
        }
    }

    /// The beliefs by which a page is a copy of an earlier one, whether they are acted upon or, since they lead, not.
    fn copy_by(&self, copy: u32, form: &Form<'_>) -> Vec<u64> {
        let is_original = |page: u32| {
            page < copy
                && self.pages.cluster(page).is_some()
                && self.pages.cluster(page) == self.pages.cluster(copy)
        };
        let mut by = Vec::new();
        let (reduced, how) = self.reduced_form(form);
        if !how.applied.is_empty()
            && let Some((page, _)) = self.standing(&reduced, how.is_settled)
            && is_original(page)
        {
            by.extend(how.applied);
        }
        for key in self.leading.0.keys().filter(|key| self.leads(**key)) {
            let Some(belief) = self.beliefs.get(*key) else {
                continue;
            };
            let (number, level) = (belief.edit(), belief.level);
            let edit = &self.edits[number as usize].edit;
            let is_of_it = edit.changes(form)
                && belief.state == State::Active
                && self
                    .context(number, level, form)
                    .map(|context| belief_key(number, level, context))
                    == Some(*key);
            let original = || self.stands(self.canonical_key(&edit.after(form)));
            if is_of_it && original().is_some_and(is_original) {
                by.push(*key);
            }
        }
        by.sort_unstable();
        by.dedup();
        by
    }

    /// Whether a belief leaves a URL as it is.
    fn says_nothing_of(&self, key: u64, form: &Form<'_>) -> bool {
        let belief = self.beliefs.get(key);
        belief.is_some_and(|belief| !self.edits[belief.edit() as usize].edit.changes(form))
    }
}

/// Whether a URL has something of the page that it was found on which the original of that has not: links of a copy may have its session,
/// too, and are other spellings of those of the original.
fn takes_after(child: &Form<'_>, copy: &Form<'_>, original: &Form<'_>) -> bool {
    let (child, copy, original) = (texts(child), texts(copy), texts(original));
    let is_own = |text: &&&str| copy.contains(*text) && !original.contains(*text);
    child.iter().find(is_own).is_some()
}

/// The host of a URL, its segments, and the values of its parameters.
fn texts<'f>(form: &'f Form<'_>) -> Vec<&'f str> {
    let values = form.params.iter().map(|(_, value)| &**value);
    let parts = form.segments.iter().chain([&form.origin]);
    parts.map(|part| &**part).chain(values).collect()
}
