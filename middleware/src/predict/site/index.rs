//! Which edits have something to say of a form?
//!
//! Most edits speak of one parameter, folder or host: they are found by it, the others are asked each time.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::firsts::MOST_EDITS;
use crate::predict::form::{Edit, Form, Kind, hash_of};

/// Numbers of edits; seldom more of one form.
pub(super) type Numbers = SmallVec<[u32; 16]>;

/// Numbers of edits by the parts of a URL that they speak of, each below its rank: they then sort by both.
#[derive(Debug, Default)]
pub(super) struct Index {
    by_part: FxHashMap<u64, Vec<u32>>,
    /// A bit for each part of `by_part`, which others may share: most parts of a form are none of these.
    marks: u64,
    general: Vec<u32>,
}

const fn mark(part: u64) -> u64 {
    1 << (part % 64)
}

/// Bits of the number of an edit.
const BITS: u32 = MOST_EDITS.ilog2() + 1;

/// Numbers of edits without their ranks.
fn numbers(mut edits: Numbers) -> Numbers {
    for edit in &mut edits {
        *edit %= 1 << BITS;
    }
    edits
}

// Names of parts, by the hashes of their texts.

fn of_text(kind: Kind, text: &str) -> u64 {
    hash_of(kind as u64, text)
}

fn of_first(segment: &str) -> u64 {
    of_text(Kind::Segment, segment)
}

/// What is first may be last, too.
const fn as_last(segment: u64) -> u64 {
    segment.rotate_left(32)
}

fn of_last(segment: &str) -> u64 {
    as_last(of_text(Kind::Segment, segment))
}

impl Index {
    pub(super) fn is_empty(&self) -> bool {
        self.general.is_empty() && self.by_part.is_empty()
    }

    /// Files an edit under what it applies to.
    pub(super) fn add(&mut self, edit: &Edit, number: u32) {
        let number = ranked(edit, number);
        match edit {
            Edit::Origin { from, .. } => self.file(of_text(Kind::Origin, from), number),
            Edit::Prefix { from, .. } if !from.is_empty() => self.file(of_first(&from[0]), number),
            Edit::Suffix { from, .. } if !from.is_empty() => {
                self.file(of_last(&from[from.len() - 1]), number);
            }
            Edit::Params(edits) => {
                for edit in edits {
                    self.file(of_text(Kind::Name, edit.name()), number);
                }
            }
            Edit::Move { name, .. } | Edit::Repeated { name, .. } => {
                self.file(of_text(Kind::Name, name), number);
            }
            _ => self.general.push(number),
        }
    }

    /// Files an edit that can be undone under what it makes of a form.
    pub(super) fn add_result(&mut self, edit: &Edit, number: u32) {
        let (part, is_general) = match edit {
            Edit::Origin { to, .. } => (of_text(Kind::Origin, to), false),
            Edit::Prefix { to, .. } => to.first().map_or((0, true), |to| (of_first(to), false)),
            Edit::Suffix { to, .. } => to.last().map_or((0, true), |to| (of_last(to), false)),
            Edit::Extension { .. } => (0, true),
            _ => return,
        };
        let number = ranked(edit, number);
        if is_general {
            self.general.push(number);
        } else {
            self.file(part, number);
        }
    }

    fn file(&mut self, part: u64, number: u32) {
        self.marks |= mark(part);
        self.by_part.entry(part).or_default().push(number);
    }

    fn found(&self, form: &Form<'_>) -> Numbers {
        let mut out = Numbers::from_slice(&self.general);
        let mut add = |part: u64| {
            if self.marks & mark(part) != 0
                && let Some(edits) = self.by_part.get(&part)
            {
                out.extend_from_slice(edits);
            }
        };
        add(form.origin.hash());
        if let [first, ..] = &form.segments[..] {
            add(first.hash());
        }
        if let [.., last] = &form.segments[..] {
            add(as_last(last.hash()));
        }
        for (name, _) in &form.params {
            add(name.hash());
        }
        out
    }

    /// The edits that may have something to say of a form; some may be there more than once.
    pub(super) fn of(&self, form: &Form<'_>) -> Numbers {
        numbers(self.found(form))
    }

    /// The same in the order in which they apply, each once.
    pub(super) fn in_order(&self, form: &Form<'_>) -> Numbers {
        let mut edits = self.found(form);
        if edits.len() > 1 {
            edits.sort_unstable();
            edits.dedup();
        }
        numbers(edits)
    }
}

fn ranked(edit: &Edit, number: u32) -> u32 {
    u32::from(edit.rank()) << BITS | number
}
