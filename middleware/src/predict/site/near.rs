//! Counts in which parts of a site an edit was tried.
//!
//! A claim about a host is not stretched to a section that it was never tried in: three trials on URLs of the same shape say that it was.
//! On a site whose paths are of many depths, with files of many types, hardly any shape has as many. So trials are counted by the first
//! folder, too, whatever is behind it; where those are a few more, of several shapes, and none failed, a claim about a parameter is known
//! there as well.

use rustc_hash::FxHashMap;

use crate::{
    heap::of_map,
    predict::{
        codec::{In, Out},
        form::join,
    },
};

/// Trials in a part of a site, of as many contents, after which an edit is known there.
const KNOWN: u8 = 6;
/// Shapes of which these have to be, at least: where all are of one, it is known what matters on that.
const SHAPES: usize = 3;
/// Stands for a part in which a trial failed.
const FAILED: u8 = u8::MAX;
/// Edits and parts that are counted.
const MOST: usize = 1 << 12;

/// Trials of an edit in a part of the site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Tried {
    trials: u8,
    /// The content of the last one.
    content: u32,
    /// The first shapes; 0 for none.
    shapes: [u32; SHAPES],
}

/// Trials of each edit in each part of the site.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Near(FxHashMap<u64, Tried>);

fn name(edit: u32, part: u64) -> u64 {
    join(u64::from(edit) + 1, part)
}

impl Near {
    /// Counts a trial on a URL of this shape, whose page has this content.
    pub(super) fn note(
        &mut self,
        (edit, part): (u32, u64),
        (shape, content): (u64, u64),
        success: bool,
    ) {
        let name = name(edit, part);
        if self.0.len() >= MOST && !self.0.contains_key(&name) {
            return;
        }
        let tried = self.0.entry(name).or_default();
        let (shape, content) = (shape as u32 | 1, content as u32 | 1);
        if !success {
            tried.trials = FAILED;
        } else if tried.trials < KNOWN && tried.content != content {
            tried.trials += 1;
            tried.content = content;
        }
        if !tried.shapes.contains(&shape)
            && let Some(free) = tried.shapes.iter_mut().find(|shape| **shape == 0)
        {
            *free = shape;
        }
    }

    /// Whether an edit was tried often enough in a part of the site, and never failed there.
    pub(super) fn knows(&self, edit: u32, part: u64) -> bool {
        let tried = self.0.get(&name(edit, part));
        tried.is_some_and(|tried| tried.trials == KNOWN && !tried.shapes.contains(&0))
    }

    pub(super) fn write(&self, out: &mut Out) {
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_unstable();
        out.count(all.len());
        for (name, tried) in all {
            out.fixed64(*name);
            out.number(u64::from(tried.trials));
            out.fixed32(tried.content);
            for shape in tried.shapes {
                out.fixed32(shape);
            }
        }
    }

    pub(super) fn read(from: &mut In<'_>) -> Option<Self> {
        let len = from.count().filter(|len| *len <= MOST)?;
        let mut one = || {
            let (name, trials) = (from.fixed64()?, u8::try_from(from.number()?).ok()?);
            let content = from.fixed32()?;
            let mut shapes = [0; SHAPES];
            for shape in &mut shapes {
                *shape = from.fixed32()?;
            }
            let tried = Tried {
                trials,
                content,
                shapes,
            };
            Some((name, tried))
        };
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
    fn an_edit_is_known_in_a_part_after_trials_of_some_contents_and_shapes_of_which_none_failed() {
        let mut near = Near::default();
        for n in 0..u64::from(KNOWN) {
            assert!(!near.knows(3, 7));
            near.note((3, 7), (2 * (n % 3), 2 * n), true);
            near.note((3, 8), (2, 2 * n), true);
            near.note((3, 9), (2 * (n % 3), 2), true);
        }
        assert!(near.knows(3, 7) && !near.knows(4, 7));
        assert!(!near.knows(3, 8), "one shape");
        assert!(!near.knows(3, 9), "one content");
        let mut out = Out::default();
        near.write(&mut out);
        let again = Near::read(&mut In(&out.0)).unwrap();
        assert_eq!(again, near);
        near.note((3, 7), (2, 2), false);
        for n in 0..300 {
            near.note((3, 7), (2 * (n % 3), 2 * n), true);
        }
        assert!(!near.knows(3, 7), "it failed there once");
    }
}
