//! Chooses the edits that are worth a trial.

use std::{
    borrow::Cow,
    collections::{BTreeMap, btree_map::Entry},
};

use super::{OnTrial, Site, firsts::MOST_EDITS};
use crate::{
    heap::push_with_few,
    predict::{
        belief::{LEVELS, Level, value_of},
        form::{Edit, Form, Hashed, Param},
        nominate::{distance, readings},
    },
    sign::ClusterId,
};

/// Edits that [may be of one page](Edit::may_be_of_one_page), like each other and never tried, from which on a further one is put on
/// trial only when a second content says the same, and from which on none is.
const MOST_UNTRIED: (usize, usize) = (12, 24);
/// The share of all edits that may find names elsewhere: one in so many.
const SHARE_OF_RESPELLINGS: usize = 4;

/// Contents from which an edit is read without a trial before earlier pages are filed for it, the most of these, and the most edits of a
/// site for which that is done.
const READ_AGAIN: u8 = 5;
const MOST_OLDER: u32 = 1 << 15;
const MOST_FILED: usize = 16;
/// Pages that an edit makes one rightly, for each that it makes one wrongly, at least, if they are to be filed.
const CONTRADICTED: u32 = 20;

/// Pages on which a claim was right, and not believed, from which on one value is all that it could be shown of, wherever that was.
const LONG_RIGHT: u32 = 160;

/// Pages of one content from which on sets of parameters are not read from it any more.
pub(super) const GIANT: u32 = 12;

impl Site {
    /// Puts the difference to earlier pages of the same content into words, in the forms that both have under what is
    /// believed: what is known not to matter is no part of it. Where it is known of one of them only, it is left in both.
    /// `own`: the page itself, under another name.
    pub(super) fn nominate<'u>(
        &mut self,
        (form, reduced): (&Form<'u>, &Form<'u>),
        cluster: ClusterId,
        own: Option<u32>,
    ) {
        let key = reduced.key();
        let mut near: Vec<(usize, u32, bool)> = (self.members.of(cluster))
            .filter(|page| Some(*page) != own)
            .filter_map(|page| {
                let url = self.pages.url(page)?;
                let whole = self.form(&url);
                let other = self.canonical(&whole).0;
                // Of what is one form already there is nothing to be said.
                (other.key() != key).then(|| {
                    let (of_reduced, of_whole) =
                        (distance(reduced, &other), distance(form, &whole));
                    (of_reduced.min(of_whole), page, of_whole < of_reduced)
                })
            })
            .collect();
        near.sort_unstable();
        // A content that many URLs bring (a login form, a soft error) makes any two of them look alike.
        let giant = self.clusters.pages(cluster) > GIANT;
        let Some(&(nearest, ..)) = near.first() else {
            return;
        };
        for (distance, member, is_of_wholes) in near {
            if distance > nearest + 1 {
                break;
            }
            let Some(url) = self.pages.url(member).map(Cow::into_owned) else {
                continue;
            };
            let whole = self.form(&url);
            let (one, other) = if is_of_wholes {
                (form, Cow::Borrowed(&whole))
            } else {
                (reduced, self.canonical(&whole).0)
            };
            let readings = readings(one, &other);
            let joined = self.joined(&readings, (one, &other));
            for edit in readings.iter().chain(&joined) {
                if giant && matches!(edit, Edit::Params(edits) if edits.len() > 1) {
                    continue;
                }
                self.register(edit, one, Some(cluster));
                self.note_read(edit, cluster, member);
            }
        }
    }

    /// What is irrelevant one by one may only show when all of it goes at once: a session in the path and in the query. So
    /// readings of the path are joined with those of the parameters, if they were read before and never could be tried.
    pub(super) fn joined(
        &self,
        readings: &[Edit],
        (one, other): (&Form<'_>, &Form<'_>),
    ) -> Vec<Edit> {
        let is_untried = |edit: &&Edit| {
            let number = self.numbers.get(edit, &self.edits);
            let known = number.map(|number| &self.edits[number as usize]);
            known.is_some_and(|known| known.successes + known.failures == 0)
        };
        let untried = || readings.iter().filter(is_untried);
        let is_dropped = |edit: &&Edit| {
            let Edit::Params(all) = edit else {
                return false;
            };
            let is_any = |it: &Param| matches!(it, Param::Any(_));
            let is_value = |it: &Param| matches!(it, Param::Value(..));
            all.iter().all(is_any) || all.iter().all(is_value)
        };
        let mut joined = Vec::new();
        for params in untried().filter(is_dropped) {
            let both = |path: &Edit| path.clone().and(params.clone());
            let applies = |both: &Edit| both.effect(one).or_else(|| both.effect(other)).is_some();
            // Where the folders of one have parameters, it is these that are an alias.
            let either = |path: &Edit| {
                let reverse = || path.reverse().and_then(|path| both(&path));
                both(path)
                    .filter(applies)
                    .or_else(|| reverse().filter(applies))
            };
            joined.extend(untried().filter_map(either));
        }
        joined
    }

    /// Puts an edit on trial that was read from pages of a content, if that is known, unless there is no need or no room.
    pub(super) fn register(&mut self, edit: &Edit, form: &Form<'_>, content: Option<ClusterId>) {
        // That a value does not matter is worth asking where it is not so that nothing about it matters, or one value is all that this
        // could be shown of.
        if let Edit::Params(edits) = edit
            && edits.iter().all(|e| matches!(e, Param::Wild(_)))
        {
            let wider = edits.iter().map(|e| Param::Any(e.name().into()));
            let wider = Hashed::from(Edit::Params(wider.collect()));
            let stands = (self.numbers.get(&wider, &self.edits)).is_some_and(|n| {
                self.edits[n as usize].failures == 0 && !self.is_of_one_value(n, &wider, form)
            });
            if stands {
                return;
            }
        }
        self.register_one(edit.clone(), content);
        // What is irrelevant one by one may only show when all of it goes at once.
        if let Edit::Params(edits) = edit
            && edits.iter().all(|e| matches!(e, Param::Any(_)))
        {
            let mut all: Vec<Param> = edits.clone();
            for (name, _) in &form.params {
                let single = Edit::Params(vec![Param::Any((&**name).into())]);
                let believed = self.numbers.get(&single, &self.edits).is_some_and(|n| {
                    let e = &self.edits[n as usize];
                    e.successes >= 5 && e.failures * 50 <= e.successes
                });
                let param = Param::Any((&**name).into());
                if believed && !all.contains(&param) {
                    all.push(param);
                }
            }
            if all.len() > edits.len() && all.len() <= 6 {
                all.sort_unstable();
                self.register_one(Edit::Params(all), content);
            }
        }
    }

    /// Whether a claim that parameters do not matter is not acted upon though it never failed, as the values that it leaves out of this form
    /// have contributed all that they may: where each link has one of two values, no others will.
    fn is_of_one_value(&self, number: u32, edit: &Hashed, form: &Form<'_>) -> bool {
        let value = value_of(edit, form);
        let known = |level| {
            let context = || self.selectors.context(edit, level, form);
            let known = self.beliefs.at(number, level, context);
            known.filter(|(_, belief)| belief.is_filled_by(value, &self.ratios))
        };
        let on_trial = &self.edits[number as usize];
        // In many folders of few pages none is.
        let is_long_right = || on_trial.successes >= LONG_RIGHT && known(Level::Host).is_some();
        on_trial.active == 0 && (known(Level::Names).is_some() || is_long_right())
    }

    pub(super) fn register_one(&mut self, edit: Edit, content: Option<ClusterId>) {
        if let Some(number) = self.numbers.get(&edit, &self.edits) {
            let known = &mut self.edits[number as usize];
            if known.is_given_up() {
                // It is tried again when such pairs are no rare ones any more.
                known.successes += 1;
            }
            return;
        }
        if self.may_be_added(&edit) && self.has_room(&edit, content) {
            self.put_on_trial(OnTrial::of(edit));
        }
    }

    /// Notes that an edit was read from a page of a content and an older one. Where all pages are met in one spelling before the first is in
    /// another, the page that a newcomer is to be compared with is always older than the edit, so that it is read from one content after
    /// another, and never tried. Then earlier pages are filed for it.
    fn note_read(&mut self, edit: &Edit, content: ClusterId, older: u32) {
        let Some(number) = self.numbers.get(edit, &self.edits) else {
            return;
        };
        let known = &self.edits[number as usize];
        let is_tried = known.successes + known.failures > 0;
        let is_new = known.read == 0 || known.read_of != content;
        if is_tried || !is_new || known.read >= READ_AGAIN || edit.is_reversible() {
            return;
        }
        let read = known.read + 1;
        let is_filed = |edit: &&OnTrial| edit.read >= READ_AGAIN;
        if read == READ_AGAIN && self.edits.iter().filter(is_filed).count() >= MOST_FILED {
            return;
        }
        let known = &mut self.edits[number as usize];
        (known.read, known.read_of) = (read, content);
        if read == READ_AGAIN {
            self.file_older(number, older);
        }
    }

    /// Files pages around an older one under what an edit makes of them; none, if it makes one of pages that are known to be several contents
    /// more than once in many times: what is left would be no fair sample of what it does.
    fn file_older(&mut self, number: u32, older: u32) {
        let mut url = String::new();
        let mut firsts: BTreeMap<u64, (u32, bool)> = BTreeMap::new();
        let (mut same, mut different) = (0, 0);
        let from = older.saturating_sub(MOST_OLDER / 8);
        let pages = from..(self.pages.len() as u32).min(from + MOST_OLDER);
        for page in pages {
            if self.pages.write_url(page, &mut url).is_none() {
                continue;
            }
            let form = self.form(&url);
            let edit = &self.edits[number as usize].edit;
            if edit.effect(&form).is_none() {
                continue;
            }
            let form = self.canonical(&form).0;
            if !edit.effect(&form).is_some_and(|effect| effect.is_other) {
                continue;
            }
            match firsts.entry(edit.key_after(&form)) {
                Entry::Vacant(first) => {
                    first.insert((page, true));
                }
                Entry::Occupied(mut first) => {
                    let (first, is_one) = first.get_mut();
                    let is_same = self.pages.cluster(*first) == self.pages.cluster(page);
                    *is_one &= is_same;
                    same += u32::from(is_same);
                    different += u32::from(!is_same);
                }
            }
        }
        if different * CONTRADICTED > same {
            return;
        }
        for (key, (page, is_one)) in firsts {
            if is_one && self.stands(key).is_none() && self.firsts.first(key, number).is_none() {
                self.firsts.file(key, number, page);
            }
        }
    }

    /// Whether there is room for one more edit, and this one is no alias of what is an alias of it: of two such one must be the canonical one.
    fn may_be_added(&self, edit: &Edit) -> bool {
        let is_known = |reverse| self.numbers.get(&reverse, &self.edits).is_some();
        self.edits.len() < self.config.max_edits.min(MOST_EDITS)
            && !edit.reverse().is_some_and(is_known)
    }

    /// The number of an edit that another crawl tells of, if there is room for one more. That it is known here already changes nothing,
    /// and it needs no other page that says the same.
    pub(super) fn number_told(&mut self, edit: &Edit) -> Option<u32> {
        if let Some(number) = self.numbers.get(edit, &self.edits) {
            return Some(number);
        }
        if !self.may_be_added(edit) {
            return None;
        }
        self.put_on_trial(OnTrial::of(edit.clone()));
        Some(self.edits.len() as u32 - 1)
    }

    /// Whether not too many edits like this one wait for their first trial. Where each page has a title of one word before its number
    /// (`/lamp-17.html`), a number that only one other URL of it lacks, or another name for each of its messages, each pair is read as another
    /// edit, and there is no room for what is true; but that is read again, from other contents.
    fn has_room(&mut self, edit: &Edit, content: Option<ClusterId>) -> bool {
        // Parameters of which each has another name would fill all of it; what is left is for what two contents say.
        let is_scarce = 4 * self.edits.len() >= 3 * self.config.max_edits.min(MOST_EDITS);
        if !edit.may_be_of_one_page() {
            return !is_scarce || self.refused.is_read_again(edit, content);
        }
        let (mut all, mut untried) = (0, 0);
        // What another crawl has told of is no guess.
        let is_told = |number| {
            let mut levels = LEVELS.into_iter();
            levels.any(|level| self.beliefs.is_any_at(number, level))
        };
        for (number, known) in (0..).zip(&self.edits) {
            all += usize::from(known.edit.is_respelling());
            let is_untried = known.successes + known.failures == 0;
            let counts = is_untried && known.edit.is_like(edit) && !is_told(number);
            untried += usize::from(counts);
        }
        let is_full = all >= self.config.max_edits / SHARE_OF_RESPELLINGS;
        if untried >= MOST_UNTRIED.1 || (edit.is_respelling() && is_full) {
            return false;
        }
        (!is_scarce && untried < MOST_UNTRIED.0) || self.refused.is_read_again(edit, content)
    }

    /// Puts `turned` in the place of an edit that is its reverse, if nothing was learned of that.
    pub(super) fn turn(&mut self, edit: &Edit, turned: &Edit) {
        let Some(number) = self.numbers.get(edit, &self.edits) else {
            return;
        };
        let is_any = |level| self.beliefs.is_any_at(number, level);
        if !edit.is_reversible() || LEVELS.into_iter().any(is_any) {
            return;
        }
        self.edits[number as usize].edit = turned.clone().into();
        (self.index, self.results, self.numbers) = Default::default();
        for (number, on_trial) in (0..).zip(&self.edits) {
            self.index.add(&on_trial.edit, number);
            self.results.add_result(&on_trial.edit, number);
            self.numbers
                .add(&on_trial.edit, &self.edits[..number as usize]);
        }
    }

    /// Files an edit under the parts of a URL that it speaks of.
    pub(super) fn put_on_trial(&mut self, mut on_trial: OnTrial) {
        let number = self.edits.len() as u32;
        self.index.add(&on_trial.edit, number);
        self.results.add_result(&on_trial.edit, number);
        self.numbers.add(&on_trial.edit, &self.edits);
        on_trial
            .edit
            .share_texts(self.edits.iter().map(|other| &other.edit));
        let edit = &on_trial.edit;
        for (known, other) in (0..).zip(&mut self.edits) {
            if let Some(part) = edit.part(&other.edit) {
                push_with_few(&mut on_trial.parts, (part, known));
            } else if let Some(part) = other.edit.part(edit) {
                push_with_few(&mut other.parts, (part, number));
                if other.active > 0 {
                    self.parts_of_active.insert(number);
                }
            }
        }
        push_with_few(&mut self.edits, on_trial);
    }
}
