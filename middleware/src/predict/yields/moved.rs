//! Where the redirecting links of a shape lead.

use super::{Budget, Changed, FEW, LINKED, MEANS, Yield, Yields};
use crate::{
    predict::codec::{In, Out},
    sign::ClusterId,
};

/// What redirects have to do with a shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::predict) struct Moved {
    /// URLs of it that redirected.
    pub(in crate::predict) away: u32,
    /// The shape that the last of them led to.
    pub(in crate::predict) to: u64,
    /// Pages of it that were fetched since a redirect led to them.
    pub(in crate::predict) here: u32,
    /// The contents that they led to, as far as these are known.
    pub(in crate::predict) contents: Row,
    /// The URLs that they led to, whether these were ever fetched or not.
    pub(in crate::predict) urls: Row,
    /// How often they turned out to lead elsewhere, after all.
    pub(in crate::predict) reopened: u32,
}

impl Moved {
    /// Whether they have led to the same few contents or URLs for so long that others will: of a shape that has so many pages itself.
    fn is_of_few(&self, pages: u32, budget: Budget) -> bool {
        let is_long = |row: Row| {
            row.len >= budget.barren
                && u64::from(row.len) >= MEANS * u64::from(pages)
                && row.is_long()
        };
        is_long(self.contents) || is_long(self.urls)
    }
}

/// What came last, a few of them, and how many in a row were one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::predict) struct Row {
    /// Each once, the last of them first.
    pub(in crate::predict) last: [u32; FEW],
    pub(in crate::predict) len: u32,
    /// What came before the row, and how many rows that were.
    pub(in crate::predict) before: u32,
    pub(in crate::predict) rows: u32,
}

impl Default for Row {
    fn default() -> Self {
        Self {
            last: [u32::MAX; FEW],
            len: 0,
            before: 0,
            rows: 0,
        }
    }
}

impl Row {
    /// Notes what comes next, if it has a name.
    pub(super) fn note(&mut self, next: Option<u32>) {
        let known = next.and_then(|next| self.last.iter().position(|last| *last == next));
        if known.is_none() && self.len > 0 {
            self.before = self.before.saturating_add(self.len);
            self.rows = self.rows.saturating_add(1);
            self.len = 0;
        }
        self.len = self.len.saturating_add(1);
        self.last[..=known.unwrap_or(FEW - 1)].rotate_right(1);
        self.last[0] = next.unwrap_or(u32::MAX);
    }

    /// Whether it is among the few that came last.
    pub(in crate::predict) fn has(&self, it: u32) -> bool {
        self.last.contains(&it)
    }

    /// Whether it is far longer than those before it in the mean.
    fn is_long(self) -> bool {
        u64::from(self.len) * (u64::from(self.rows) + 1) >= MEANS * u64::from(self.before)
    }

    pub(in crate::predict) fn write(self, out: &mut Out) {
        for number in [self.len, self.before, self.rows] {
            out.number(u64::from(number));
        }
        for last in self.last {
            out.fixed32(last);
        }
    }

    pub(in crate::predict) fn read(from: &mut In<'_>) -> Option<Self> {
        Some(Self {
            len: from.small()?,
            before: from.small()?,
            rows: from.small()?,
            last: [from.fixed32()?, from.fixed32()?],
        })
    }
}

impl Yields {
    fn moved(&mut self, shape: u64, most: usize) -> Option<&mut Moved> {
        let has_room = self.moved.len() < most || self.moved.contains_key(&shape);
        has_room.then(|| self.moved.entry(shape).or_default())
    }

    /// Counts a page that redirects led to before it was fetched.
    pub(in crate::predict) fn count_led_to(&mut self, shape: u64, most: usize) {
        if let Some(moved) = self.moved(shape, most) {
            moved.here = moved.here.saturating_add(1);
        }
    }

    /// Whether pages of a shape are found without redirects, too.
    pub(super) fn is_linked(&self, shape: u64) -> bool {
        let led = self.moved.get(&shape).map_or(0, |moved| moved.here);
        let fetched = self.get(shape).map_or(0, |counts| counts.fetched);
        fetched.saturating_sub(led).saturating_mul(LINKED) >= led
    }

    /// Notes that a URL of a shape is a page: what others of it redirected to is not what it leads to.
    pub(in crate::predict) fn note_page(
        &mut self,
        shape: u64,
        most: usize,
        budget: Budget,
    ) -> Changed {
        if !self.moved.contains_key(&shape) {
            return Changed::default();
        }
        self.change_moved(shape, most, budget, |moved| {
            moved.contents.note(None);
            moved.urls.note(None);
        })
    }

    /// Notes the content that a URL of a shape led to, if it is one that is known.
    pub(in crate::predict) fn note_content(
        &mut self,
        shape: u64,
        content: Option<ClusterId>,
        most: usize,
        budget: Budget,
    ) -> Changed {
        self.change_moved(shape, most, budget, |moved| moved.contents.note(content))
    }

    /// Counts a URL of a shape that redirected, and the name and the shape of the URL that it led to.
    pub(in crate::predict) fn count_moved(
        &mut self,
        shape: u64,
        (name, to): (u64, u64),
        most: usize,
        budget: Budget,
    ) -> Changed {
        self.change_moved(shape, most, budget, |moved| {
            moved.away = moved.away.saturating_add(1);
            moved.to = to;
            moved.urls.note(Some(name as u32));
        })
    }

    fn change_moved(
        &mut self,
        shape: u64,
        most: usize,
        budget: Budget,
        change: impl FnOnce(&mut Moved),
    ) -> Changed {
        let pages = self.get(shape);
        let is_over = pages.is_some_and(|counts| counts.over(budget).is_some());
        let pages = pages.map_or(0, |counts| counts.fetched);
        let Some(moved) = self.moved(shape, most) else {
            return Changed::default();
        };
        let was_of_few = moved.is_of_few(pages, budget);
        change(moved);
        let is_of_few = moved.is_of_few(pages, budget);
        let is_opened = was_of_few && !is_of_few && !is_over;
        moved.reopened = moved.reopened.saturating_add(u32::from(is_opened));
        Changed {
            reopened: is_opened.then_some(shape),
            grew: was_of_few != is_of_few,
        }
    }

    /// What is known of a shape whose links have led to the same few contents.
    pub(super) fn few_of_links(
        &self,
        shape: u64,
        counts: Option<&Yield>,
        budget: Budget,
    ) -> Option<&Moved> {
        let pages = counts.map_or(0, |counts| counts.fetched);
        let moved = self.moved.get(&shape)?;
        moved.is_of_few(pages, budget).then_some(moved)
    }
}
