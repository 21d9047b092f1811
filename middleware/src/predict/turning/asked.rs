//! Chooses the pages that are fetched twice.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::Turning;
use crate::predict::codec::{In, Out};

/// Pages of a section after each of which one is to be fetched twice, and after so many more, one more: where something turned.
const SOON: [u32; 6] = [4, 6, 9, 16, 32, 64];
const LATER: u32 = 128;
/// The same where nothing did yet, once so many pages of the site were fetched twice. Before, it is as if something had. The first pages are left
/// out where nothing turned on the whole site.
const STILL: u32 = 6;
const SELDOM: [u32; 4] = [4, 9, 16, 32];
const FIRST: usize = 2;
const RARELY: u32 = 512;
/// Pages of a site, of however many sections, that may be fetched twice, and one more in so many: where something is left out, and where
/// nothing is.
const MOST: u32 = 16;
const ONE_IN: [u32; 2] = [32, 128];

/// How many pages a section has, how many of them were fetched twice, and of these had other lines; and how many are to be at least, since one had the
/// same lines where others were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fetched {
    pub(super) pages: u32,
    pub(super) twice: u32,
    pub(super) turned: u32,
    pub(super) owed: u32,
    /// Pages of it up to which it is in doubt what was left out before.
    pub(super) doubted: u32,
}

impl Fetched {
    /// Pages of a section of a site that are to be fetched twice by now.
    pub(super) fn due(self, site: Self) -> u32 {
        let passed =
            |pages: &[u32]| pages.iter().filter(|pages| **pages <= self.pages).count() as u32;
        let due = if self.turned > 0 || site.twice < STILL {
            passed(&SOON) + self.pages / LATER
        } else {
            let left_out = if site.turned > 0 { 0 } else { FIRST };
            passed(&SELDOM[left_out..]) + self.pages / RARELY
        };
        due.max(self.owed)
    }

    pub(super) fn read(from: &mut In<'_>) -> Option<Self> {
        Some(Self {
            pages: from.small()?,
            twice: from.small()?,
            turned: from.small()?,
            owed: from.small()?,
            doubted: from.small()?,
        })
    }

    pub(super) fn write(self, out: &mut Out) {
        for number in [self.pages, self.twice, self.turned, self.owed, self.doubted] {
            out.number(u64::from(number));
        }
    }
}

/// How many second answers were asked for: whether they come or not, and before they do, they are not asked for again.
#[derive(Debug, Default)]
pub(in crate::predict) struct Asked(Mutex<(u32, FxHashMap<u64, u32>)>);

impl Asked {
    /// Whether one more is to be asked for in a section; it is, then.
    pub(in crate::predict) fn wants(&self, section: u64, turning: &Turning) -> bool {
        let Some(known) = turning.sections.get(&section) else {
            return false;
        };
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (all, by_section) = &mut *asked;
        // Sections that the site has forgotten since.
        if by_section.len() > 2 * turning.sections.len() {
            by_section.retain(|section, _| turning.sections.contains_key(section));
        }
        let of_section = by_section.entry(section).or_default();
        *all = (*all).max(turning.all.twice);
        *of_section = (*of_section).max(known.twice);
        let wants = *of_section < known.due(turning.all) && *all < turning.most();
        *all += u32::from(wants);
        *of_section += u32::from(wants);
        wants
    }
}

impl Turning {
    /// Pages that may be fetched twice by now.
    fn most(&self) -> u32 {
        MOST + self.all.pages / ONE_IN[usize::from(!self.is_lively)]
    }
}
