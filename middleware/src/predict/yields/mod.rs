//! Budgets: whether a shape of URL still brings anything new.
//!
//! No rule names an endless calendar, or a login form behind a thousand links. So pages and *new contents* are counted per shape of URL
//! (origin, generalised path, names of parameters). A shape gets a budget that grows with what it brings. It may also be ended by a
//! drought: a row of pages without any new content that is long compared with the pages before it, and longer still if there was new
//! content before. Beyond the budget, links go to the ledger, and exploration goes on as for any belief. A shape whose pages have long
//! been the same few contents (a form for logging in and one for signing up) is cut short at once, and opened again by the first explored
//! page that brings something else. What explored pages of a shape beyond its budget bring earns it more, and all of its links come back
//! from the ledger to use that up.
//!
//! If a server has a page for whatever path it is asked for, with links to more of them, each first folder is a shape of its own, and no
//! budget is ever used up. So the first pages of such shapes form a row, too, which ends with each new content of such a shape. Once these
//! pages have long been the same few contents, links on such a page wait if no URL of their shape was fetched.
//!
//! Where each page of a row was found on the one before, the row is a chain, and its next link passes for longer: there is no other.
//!
//! Links that redirect cost a fetch, too. Most of them lead to pages that are linked elsewhere, which says nothing about where the next
//! ones lead. But a shape whose links have long led to the same few contents (as links for members lead to a login form) is cut short like
//! a shape whose pages have these contents.

mod moved;
mod state;
#[cfg(test)]
mod tests;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    PredictConfig,
    form::{Form, join},
};
use crate::{
    heap::{of_map, of_set},
    sign::{ClusterId, Figures, PageText, Sketch},
};

pub(super) use moved::{Moved, Row};

/// Pages in a row of the same few contents after which a shape is cut short, at least: by the rule of succession
/// (under a uniform prior) the next is another one with a probability of 1 in 49, about the default risk.
const SAME_IN_A_ROW: u32 = 48;
/// Last pages of a row of which each was found on one of those just before, from which on the links of such pages are followed, and the length
/// of a row at which they are not any more: an endless calendar is left.
const CHAIN: u32 = SAME_IN_A_ROW / 2;
const LONG_CHAIN: u32 = 5 * SAME_IN_A_ROW;
/// Chains of one shape that are followed side by side. Where each page has several links of the shape, most pages are found on earlier ones.
const CHAINS: usize = 4;
/// Contents that are few. (With four, pages of another namespace were taken for the same on a wiki.)
const FEW: usize = 2;
/// What tells the name of shapes that differ in a folder from that of a shape.
const OF_FOLDERS: u64 = 0x666F_6C64;
/// Pages without new content that are a drought, at least.
const DROUGHT: u32 = 300;
/// The same where the shape never brought any, at least: by the rule of succession the next page does with a probability of 1 in
/// 102, if pages come in no order. Where less is to be risked it takes more of them, up to a drought.
const BARREN: u32 = 100;
/// A row, and a drought, are so many times the pages at least that the shape needed before for one new content in the mean.
const MEANS: u64 = 8;
/// Pages by which a table of other numbers shortens a drought.
const RELIEF: u32 = 4;
/// Pages that a new content earns its shape.
const EARNED: u32 = 20;
/// Pages that one which leads to a new content earns it. Where each does (a gallery) there is no end, and soon one where pages show what
/// others have at random.
const EARNED_BY_LEADING: u32 = 2;
/// Pages that led to a new content while the budget was used up, from which on they are heeded, if one in so many did of those that were explored since: its
/// whole ledger comes back. Where these are so many, half of both is forgotten.
const HEEDED: u32 = 5;
const HEEDED_ONE_IN: u32 = 8;
const MOST_BEYOND: u32 = 64;
/// Pages by which one that leads to a new content shortens a drought, and a row of the same few contents: forms to log in lead to little.
const RELIEF_BY_LEADING: u32 = 20;
const FEWER_BY_LEADING: u32 = 8;
/// Texts that are nothing but chrome of which it is known that they were met. Where there are more, each further one is new.
const MOST_BARE: usize = 1 << 13;
/// Share of what two such pages say from which on they say the same, but for what changes by chance: a form to log in beside some of the
/// members who are online. What the whole site has around its pages is a part of that, so that it is less for lists of a few lines.
const MOSTLY_SAME: f64 = 0.8;
/// Templates of tables that are told apart in a shape.
const TEMPLATES: usize = 16;
/// Pages that a shape may fetch at least when it turned out not to be a few contents.
const OPENED: u32 = 20;
/// A shape that is opened again may fetch this part of its pages once more, however few are new.
const GRANTED: u32 = 8;
/// Pages after which the novelty of a shape is trusted enough to order the queue by it.
const TRUSTED: u32 = 30;
/// Share of the pages that are new, below which a shape waits for others.
const SELDOM: f64 = 0.1;
/// URLs of a shape that redirect, for each that does not, from which on it waits for others.
const MOSTLY: u32 = 9;
/// Pages that redirects lead to, for each that was found without, up to which such pages count as linked.
const LINKED: u32 = 10;

/// What a shape may use up before its links wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// What every shape gets, 0 for no limit.
    base: u32,
    /// Pages without any new content from the first on after which it is left.
    barren: u32,
}

impl Budget {
    pub(super) fn of(config: &PredictConfig) -> Self {
        Self {
            base: config.budget,
            barren: ((2.0 / config.risk) as u32).clamp(BARREN, DROUGHT),
        }
    }
}

/// What the pages of one shape brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Yield {
    /// Pages fetched.
    pub fetched: u32,
    /// Of these, with new content.
    pub fresh: u32,
    /// Pages that led to a new content, and had none.
    pub(super) led: u32,
    /// Of these, those that have earned nothing yet: while its budget is used up they are heeded together.
    pub(super) unheeded: u32,
    /// Pages fetched beyond its budget since any were heeded.
    pub(super) beyond: u32,
    /// The contents of its pages.
    pub(super) row: Row,
    /// Pages since the last new content.
    pub(super) dry: u32,
    /// Of these, those of which a claim that never failed said what they would be copies of.
    pub(super) foretold: u32,
    /// A page of the shape.
    pub example: u32,
    /// Pages granted when it was opened again.
    pub(super) granted: u32,
    /// How often it was opened again.
    pub(super) reopened: u32,
    /// Tables of other numbers, less what new contents have earned since.
    pub(super) tables: u32,
    /// Last pages of its row that were each found on one of those just before.
    pub(super) chained: u32,
    /// The pages of the shape that came last.
    pub(super) last: [u32; CHAINS],
    /// Whether it is the row of the first pages of shapes that differ in their first folder.
    pub(super) is_of_folders: bool,
}

impl Yield {
    fn of(example: u32, is_of_folders: bool) -> Self {
        Self {
            fetched: 0,
            fresh: 0,
            led: 0,
            unheeded: 0,
            beyond: 0,
            row: Row::default(),
            dry: 0,
            foretold: 0,
            example,
            granted: 0,
            reopened: 0,
            tables: 0,
            chained: 0,
            last: [u32::MAX; CHAINS],
            is_of_folders,
        }
    }

    /// Whether so many last pages are far more than it needed before for one new content.
    fn is_long(&self, last: u32) -> bool {
        let before = u64::from(self.fetched.saturating_sub(last));
        u64::from(last) * (u64::from(self.fresh) + 1) >= MEANS * before
    }

    fn is_of_few(&self) -> bool {
        self.row.len >= SAME_IN_A_ROW && self.is_long(self.row.len)
    }

    /// Whether it is to be told whether each page of its shape is found on the one before.
    pub(super) const fn may_be_chain(&self) -> bool {
        self.row.len >= CHAIN
    }

    /// Whether a page is among those of the shape that came last.
    pub(super) fn is_last(&self, page: u32) -> bool {
        self.last.contains(&page)
    }

    /// Whether links on its last pages are followed though these have long been the same: each was found on the one before. Where pages lead
    /// from one to the next, the link that is left out is the last, and exploration would hardly ever see what is behind.
    pub(super) fn is_chain(&self, budget: Budget) -> bool {
        self.chained >= CHAIN
            && self.is_of_few()
            && self.row.len < LONG_CHAIN
            && !self.is_dry(budget)
    }

    fn is_dry(&self, budget: Budget) -> bool {
        // What a claim explains says nothing of pages of which it says nothing: it is about to drop those that it speaks of. If it is not
        // believed by then, it never may be.
        let unexplained = self.dry - self.foretold.min(self.dry).min(budget.barren / 2);
        let is_barren = self.fresh == 0 && unexplained >= budget.barren;
        is_barren || (self.dry >= DROUGHT && self.is_long(self.dry))
    }

    /// Notes the content of a page, if it has one that is remembered, and what it brought.
    fn note(&mut self, content: Option<ClusterId>, brought: Brought, is_over: bool) {
        self.fresh = (self.fresh).saturating_add(u32::from(brought == Brought::New));
        (self.dry, self.tables) = match brought {
            Brought::Nothing | Brought::Foretold => (self.dry + 1, self.tables),
            // Where each page has other numbers, there is never a drought; where few do, they are no reason to go on.
            Brought::Numbers if !is_over => (
                self.dry.saturating_sub(RELIEF),
                self.tables.saturating_add(1),
            ),
            Brought::Numbers => (self.dry, self.tables),
            Brought::New => (0, self.tables.saturating_sub(EARNED)),
        };
        let is_foretold = brought == Brought::Foretold;
        self.foretold = self.foretold.saturating_add(u32::from(is_foretold));
        self.foretold = self.foretold.min(self.dry);
        self.row.note(content);
    }

    /// What changed for its shape, which was over its budget or not before.
    fn opened(&mut self, was_over: bool, shape: u64, budget: Budget) -> Changed {
        let is_over = self.fetched >= self.limit(budget);
        let is_opened = was_over && !is_over;
        if is_opened {
            // Its whole ledger comes back each time: that must not happen for every few pages.
            self.granted = self.granted.saturating_add(self.fetched / GRANTED);
            self.beyond = 0;
            self.reopened = self.reopened.saturating_add(1);
        }
        Changed {
            reopened: is_opened.then_some(shape),
            grew: is_over != was_over,
        }
    }

    /// Pages that it may fetch.
    fn limit(&self, budget: Budget) -> u32 {
        if self.is_of_few() {
            return self.fetched;
        }
        match budget.base {
            // That first pages are seldom new says nothing of what comes behind them.
            _ if self.is_of_folders => u32::MAX,
            0 => u32::MAX,
            base if self.is_dry(budget) || self.tables >= base => self.fetched,
            base => base
                .saturating_add(self.fresh.saturating_mul(EARNED))
                .saturating_add(self.granted),
        }
    }

    /// Whether the budget is used up: pages allowed.
    pub(super) fn over(&self, budget: Budget) -> Option<u32> {
        let limit = self.limit(budget);
        (self.fetched >= limit).then_some(limit)
    }

    /// Share of pages with new content, or that led to one, where enough is known.
    pub(super) fn novelty(&self) -> Option<f64> {
        let new = self.fresh.saturating_add(self.led).saturating_add(1);
        (self.fetched >= TRUSTED).then(|| f64::from(new) / f64::from(self.fetched + 2))
    }

    /// Counts a page beyond its budget.
    fn go_on_beyond(&mut self) {
        self.beyond += 1;
        if self.beyond >= MOST_BEYOND {
            (self.unheeded, self.beyond) = (self.unheeded / 2, self.beyond / 2);
        }
    }

    /// Notes that a page of its shape led to a new content that nothing else led to. Where the budget is used up the whole ledger comes back, which
    /// must not happen for every few pages.
    fn note_leading(&mut self, is_over: bool, budget: Budget) {
        self.led = self.led.saturating_add(1);
        self.unheeded = self.unheeded.saturating_add(1);
        if is_over {
            let is_seldom = self.unheeded.saturating_mul(HEEDED_ONE_IN) < self.beyond;
            if self.unheeded < HEEDED || is_seldom {
                return;
            }
            // What was found to lead is no drought, nor a few contents.
            (self.dry, self.row.len) = (0, 0);
            let missing = (self.fetched + OPENED).saturating_sub(self.limit(budget));
            self.granted = self.granted.saturating_add(missing);
        } else {
            self.dry = self.dry.saturating_sub(RELIEF_BY_LEADING);
            self.row.len = self.row.len.saturating_sub(FEWER_BY_LEADING);
        }
        self.foretold = self.foretold.min(self.dry);
        let earned = self.unheeded.saturating_mul(EARNED_BY_LEADING);
        self.granted = self.granted.saturating_add(earned);
        (self.unheeded, self.beyond) = (0, 0);
    }
}

/// What a page brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Brought {
    /// Nothing new.
    Nothing,
    /// Nothing new, as a claim that never failed said.
    Foretold,
    /// A table of other numbers, or of other words and numbers, or other lines that many have, behind a link of such a page. It shortens a drought, but earns its shape nothing, which is left after as many of them as a budget
    /// has pages, and is opened by none: of forms to log in that show the figures of the day there is no end.
    Numbers,
    /// A new content.
    New,
}

impl Brought {
    /// Of a page that is no table.
    pub(super) const fn content(is_new: bool) -> Self {
        if is_new { Self::New } else { Self::Nothing }
    }
}

/// What an observation did to the budget of its shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Changed {
    /// The shape, if it was over its budget and is not any more: its ledger may come back.
    pub(super) reopened: Option<u64>,
    /// What may be dropped changed.
    pub(super) grew: bool,
}

/// The yields of a site.
#[derive(Clone, Debug, Default)]
pub(super) struct Yields {
    pub(super) shapes: FxHashMap<u64, Yield>,
    /// Of shapes with URLs that redirected, or with pages to which others did.
    pub(super) moved: FxHashMap<u64, Moved>,
    /// Of shapes that were cut short since their links led to the same few contents: one of these links.
    pub(super) redirecting: FxHashMap<u64, Box<str>>,
    /// Of shapes with tables that are nothing but chrome: the last one of each of the last templates.
    pub(super) tables: FxHashMap<u64, Vec<Figures>>,
    /// Names of the texts of pages that are nothing but chrome.
    pub(super) bare: FxHashSet<u32>,
    /// What the last such page of each shape says.
    pub(super) last_bare: FxHashMap<u64, Sketch>,
}

/// Name of a shape.
pub(super) fn shape_of(form: &Form<'_>) -> u64 {
    join(form.shape_key(), form.names_key())
}

/// Name of all shapes that differ from that of a form in their first folder, where they name one.
pub(super) fn folders_of(form: &Form<'_>) -> Option<u64> {
    let shape = join(form.firstless_key()?, form.names_key());
    Some(join(OF_FOLDERS, shape))
}

impl Yields {
    /// Counts a page that was fetched, of a content that is remembered or not. Pages that are nothing but chrome bring no new
    /// one, and have a name instead of a content. `is_of_folders`: whether it counts in the row of shapes that differ in their first folder.
    pub(super) fn count(
        &mut self,
        (shape, is_of_folders): (u64, bool),
        (page, is_chained): (u32, bool),
        cluster: Option<ClusterId>,
        brought: Brought,
        most: usize,
        budget: Budget,
    ) -> Changed {
        if !self.shapes.contains_key(&shape) && self.shapes.len() >= most {
            return Changed::default();
        }
        let first = || Yield::of(page, is_of_folders);
        let counts = self.shapes.entry(shape).or_insert_with(first);
        let was_few = counts.is_of_few();
        let was_over = counts.fetched >= counts.limit(budget);
        counts.fetched = counts.fetched.saturating_add(1);
        if was_over {
            counts.go_on_beyond();
        }
        counts.note(cluster, brought, was_over);
        counts.last.rotate_right(1);
        counts.last[0] = page;
        let is_chained = is_chained && counts.may_be_chain();
        counts.chained = if is_chained {
            counts.chained.saturating_add(1)
        } else {
            0
        };
        if was_few && counts.row.len == 1 && !counts.is_dry(budget) {
            // What was taken for a few contents is not: it gets a chance, if its budget was used up as well.
            let missing = (counts.fetched + OPENED).saturating_sub(counts.limit(budget));
            counts.granted = counts.granted.saturating_add(missing);
        }
        counts.opened(was_over, shape, budget)
    }

    /// Whether no URL of a shape was counted, nor left out for want of room.
    pub(super) fn is_unmet(&self, shape: u64, most: usize) -> bool {
        let is_known = self.shapes.contains_key(&shape) || self.moved.contains_key(&shape);
        !is_known && self.shapes.len() < most && self.moved.len() < most
    }

    /// Counts that a page of a shape led to a new content that nothing else led to: its drought is shorter, and it earns a little.
    pub(super) fn count_leading(&mut self, shape: u64, budget: Budget) -> Changed {
        let Some(counts) = self.shapes.get_mut(&shape) else {
            return Changed::default();
        };
        let was_over = counts.fetched >= counts.limit(budget);
        counts.note_leading(was_over, budget);
        counts.opened(was_over, shape, budget)
    }

    /// Notes a table of a shape that is nothing but chrome and was not met before: whether it has the words of an earlier one
    /// and mostly other numbers, and is no copy by that. Where each has other words, too (departures of a day), those that are compared are the last ones.
    pub(super) fn note_table(&mut self, shape: u64, text: &PageText<'_>, most: usize) -> bool {
        if !self.tables.contains_key(&shape) && self.tables.len() >= most {
            return false;
        }
        let Some(own) = Figures::of(text) else {
            return false;
        };
        let last = self.tables.entry(shape).or_default();
        let Some(at) = last.iter().position(|one| own.are_like(one)) else {
            let is_other = last.len() == TEMPLATES && last.iter().all(|one| own.are_others(one));
            last.truncate(TEMPLATES - 1);
            last.reserve_exact(1);
            last.insert(0, own);
            return is_other;
        };
        let is_other = own.are_others(&last[at]);
        last[..=at].rotate_right(1);
        if is_other {
            last[0] = own;
        }
        is_other
    }

    /// Notes a page of a shape that is nothing but chrome and was not met before: whether it says something else than all others that are,
    /// and mostly than the last one of its shape. Lists of a few things, questions out of a pool: each line stands on many pages, and no
    /// page has the lines of another. A form to log in says one thing, whatever the number of visitors is that day.
    pub(super) fn note_bare(&mut self, shape: u64, text: &PageText<'_>, most: usize) -> bool {
        let (name, said) = text.said();
        let is_met = self.bare.contains(&name);
        if !is_met && self.bare.len() < MOST_BARE {
            self.bare.insert(name);
        }
        let last = self.last_bare.get(&shape);
        let is_same = last.is_some_and(|last| last.similarity(&said) >= MOSTLY_SAME);
        if last.is_some() || self.last_bare.len() < most {
            self.last_bare.insert(shape, said);
        }
        !is_met && !is_same
    }

    /// Whether links of a shape, of which this was counted, are better followed after others: few of its pages are new, or most of its URLs redirect to what
    /// is linked under its own address, too.
    pub(super) fn comes_last(&self, shape: u64, counts: Option<&Yield>) -> bool {
        let moved = self.moved.get(&shape);
        let shown = counts.map_or(0, |counts| counts.fetched);
        (counts.and_then(Yield::novelty)).is_some_and(|novelty| novelty < SELDOM)
            || moved.is_some_and(|moved| {
                moved.away >= TRUSTED && moved.away / MOSTLY >= shown && self.is_linked(moved.to)
            })
    }

    /// Whether a shape has used up its budget: URLs allowed.
    pub(super) fn over(&self, shape: u64, budget: Budget) -> Option<u32> {
        self.over_with(shape, self.get(shape), budget)
    }

    /// The same of one of whose pages this was counted.
    pub(super) fn over_with(
        &self,
        shape: u64,
        counts: Option<&Yield>,
        budget: Budget,
    ) -> Option<u32> {
        let of_pages = counts.and_then(|counts| counts.over(budget));
        of_pages.or_else(|| {
            let moved = self.few_of_links(shape, counts, budget)?;
            Some(moved.away)
        })
    }

    /// URLs of a shape that were fetched, and of these, those that brought a new content.
    pub(super) fn spent(&self, shape: u64) -> (u64, u64) {
        let pages = self
            .get(shape)
            .map_or((0, 0), |counts| (counts.fetched, counts.fresh));
        let led = self
            .redirecting
            .get(&shape)
            .and_then(|_| self.moved.get(&shape));
        let away = led.map_or(0, |moved| moved.away);
        (u64::from(pages.0) + u64::from(away), u64::from(pages.1))
    }

    /// How often a shape was opened again.
    pub(super) fn reopened(&self, shape: u64) -> u64 {
        let of_pages = self.get(shape).map_or(0, |counts| counts.reopened);
        let of_links = self.moved.get(&shape).map_or(0, |moved| moved.reopened);
        u64::from(of_pages) + u64::from(of_links)
    }

    /// The content that pages of a shape have long been, or links of it led to, if there is one.
    pub(super) fn content_of_few(&self, shape: u64, budget: Budget) -> Option<ClusterId> {
        let counts = self.get(shape);
        let of_pages = counts.filter(|counts| counts.is_of_few());
        let of_links = self.few_of_links(shape, counts, budget);
        let row = of_pages.map(|counts| counts.row);
        let row = row.or_else(|| of_links.map(|moved| moved.contents))?;
        row.last.first().copied().filter(|last| *last != u32::MAX)
    }

    /// Whether nothing was counted.
    pub(super) fn is_empty(&self) -> bool {
        self.shapes.is_empty() && self.moved.is_empty()
    }

    pub(super) fn get(&self, shape: u64) -> Option<&Yield> {
        self.shapes.get(&shape)
    }

    pub(super) fn bytes(&self) -> usize {
        let tables: usize = self.tables.values().map(Vec::len).sum();
        of_map(&self.shapes)
            + of_map(&self.moved)
            + of_map(&self.redirecting)
            + self
                .redirecting
                .values()
                .map(|url| url.len())
                .sum::<usize>()
            + of_map(&self.tables)
            + of_set(&self.bare)
            + of_map(&self.last_bare)
            + tables * size_of::<Figures>()
    }
}
