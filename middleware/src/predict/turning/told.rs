//! What pages that were fetched twice had at one end of a stretch.

use super::lines::Line;

/// Pages in a row whose stretch was another one, at least; and where only one of its ends is known.
const TURNED: u16 = 2;
const TURNED_ALONE: u16 = 6;
/// So many times as many for each page whose stretch was the same, up to so many pages.
const MORE: u16 = 2;
const STOOD: u16 = 5;

/// Which end of a stretch a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Side {
    Before,
    Behind,
}

/// A line that is an end of a stretch, by its name, and which.
pub(super) type End = (u32, Side);

/// What pages that were fetched twice had at one end of a stretch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// Pages that had other lines there in the other answer, since the last that had the same.
    pub(super) turned: u16,
    /// Pages that had the same, up to a number.
    pub(super) stood: u16,
    /// The other end; 0 where that was not always one line.
    pub(super) other: u32,
    /// The most lines between, and octets of the longest of them.
    pub(super) lines: u16,
    pub(super) octets: u16,
    /// Whether there were not always as many.
    pub(super) is_uneven: bool,
    /// Whether it has acted since the last doubt.
    pub(super) has_acted: bool,
}

impl Told {
    /// Of a page that had the same there.
    pub(super) const STILL: Self = Self {
        turned: 0,
        stood: 1,
        other: 0,
        lines: 0,
        octets: 0,
        is_uneven: false,
        has_acted: false,
    };

    /// Of a page that had other lines there.
    pub(super) fn of(other: u32, between: &[Line]) -> Self {
        let octets = between.iter().map(|line| line.at.len()).max();
        Self {
            turned: 1,
            stood: 0,
            other,
            lines: between.len() as u16,
            octets: u16::try_from(octets.unwrap_or_default()).unwrap_or(u16::MAX),
            is_uneven: false,
            has_acted: false,
        }
    }

    /// The same of what both answers of one page had there.
    pub(super) fn of_both(one: Option<&Self>, other: Option<&Self>) -> Option<Self> {
        let (mut both, other) = match (one, other) {
            (Some(one), Some(other)) => (*one, *other),
            (one, other) => return one.or(other).copied(),
        };
        if both.turned == 0 {
            return Some(Self {
                is_uneven: true,
                ..other
            });
        }
        // Where one answer has nothing there, the lines are not always as many either.
        both.is_uneven = both.lines != other.lines;
        if other.turned > 0 && both.other != other.other {
            both.other = 0;
        }
        both.lines = both.lines.max(other.lines);
        both.octets = both.octets.max(other.octets);
        Some(both)
    }

    /// Adds what a page more had there.
    pub(super) fn add(&mut self, page: Self) {
        if page.stood > 0 {
            self.turned = 0;
            self.stood = self.stood.saturating_add(1).min(STOOD);
            return;
        }
        if self.lines == 0 {
            (self.is_uneven, self.other) = (page.is_uneven, page.other);
        } else {
            self.is_uneven |= page.is_uneven || self.lines != page.lines;
            self.other = if self.other == page.other {
                self.other
            } else {
                0
            };
        }
        self.lines = self.lines.max(page.lines);
        self.octets = self.octets.max(page.octets);
        self.turned = self.turned.saturating_add(1);
    }

    /// Pages in a row that it takes to act.
    pub(super) fn least(self) -> u16 {
        let least = if self.other == 0 {
            TURNED_ALONE
        } else {
            TURNED
        };
        least * MORE.pow(self.stood.min(STOOD).into())
    }

    pub(super) fn acts(self) -> bool {
        (self.other != 0 || !self.is_uneven) && self.turned >= self.least()
    }
}
