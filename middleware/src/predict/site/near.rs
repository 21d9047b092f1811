//! Counts in which parts of a site an edit was tried.
//!
//! A claim about a host is not stretched to a section that it was never tried in: three trials on URLs of the same shape say that it was.
//! On a site whose paths are of many depths, with files of many types, hardly any shape has as many. So trials are counted by the first
//! folder, too, whatever is behind it; where those are a few more, and none failed, a claim about a parameter is known there as well.

use rustc_hash::FxHashMap;

use crate::{
    heap::of_map,
    predict::{
        codec::{In, Out},
        form::join,
    },
};

/// Trials in a part of a site, whatever their shapes, after which an edit is known there.
const KNOWN: u8 = 6;
/// Stands for a part in which a trial failed.
const FAILED: u8 = u8::MAX;
/// Edits and parts that are counted.
const MOST: usize = 1 << 12;

/// Trials of each edit in each part of the site.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Near(FxHashMap<u64, u8>);

fn name(edit: u32, part: u64) -> u64 {
    join(u64::from(edit) + 1, part)
}

impl Near {
    /// Counts a trial.
    pub(super) fn note(&mut self, edit: u32, part: u64, success: bool) {
        let name = name(edit, part);
        if self.0.len() >= MOST && !self.0.contains_key(&name) {
            return;
        }
        let trials = self.0.entry(name).or_default();
        if !success {
            *trials = FAILED;
        } else if *trials < KNOWN {
            *trials += 1;
        }
    }

    /// Whether an edit was tried often enough in a part of the site, and never failed there.
    pub(super) fn knows(&self, edit: u32, part: u64) -> bool {
        self.0.get(&name(edit, part)) == Some(&KNOWN)
    }

    pub(super) fn write(&self, out: &mut Out) {
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_unstable();
        out.count(all.len());
        for (name, trials) in all {
            out.fixed64(*name);
            out.number(u64::from(*trials));
        }
    }

    pub(super) fn read(from: &mut In<'_>) -> Option<Self> {
        let len = from.count().filter(|len| *len <= MOST)?;
        let mut one = || Some((from.fixed64()?, u8::try_from(from.number()?).ok()?));
        Some(Self((0..len).map(|_| one()).collect::<Option<_>>()?))
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        of_map(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_known_in_a_part_after_some_trials_of_which_none_failed() {
        let mut near = Near::default();
        for _ in 0..KNOWN {
            assert!(!near.knows(3, 7));
            near.note(3, 7, true);
        }
        assert!(near.knows(3, 7) && !near.knows(3, 8) && !near.knows(4, 7));
        let mut out = Out::default();
        near.write(&mut out);
        let again = Near::read(&mut In(&out.0)).unwrap();
        assert_eq!(again, near);
        near.note(3, 7, false);
        for _ in 0..300 {
            near.note(3, 7, true);
        }
        assert!(!near.knows(3, 7), "it failed there once");
    }
}
