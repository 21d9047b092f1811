//! Finds the edits that concern a form.
//!
//! Most edits are about one parameter, folder or host, and are found by it; the others are tried each time.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::firsts::MOST_EDITS;
use crate::{
    heap::{BLOCK, of_map},
    predict::form::{Edit, Form, Kind, Param, Whole, hash_of},
};

/// Numbers of edits; seldom more of one form.
pub(super) type Numbers = SmallVec<[u32; 16]>;

/// Numbers of edits by the parts of a URL that they speak of, each below its rank: they then sort by both.
#[derive(Debug, Default)]
pub(super) struct Index {
    by_part: FxHashMap<u64, Vec<u32>>,
    /// A bit for each part of `by_part`, which others may share: most parts of a form are none of these.
    marks: u64,
    general: Vec<u32>,
    /// All of them in the order in which they apply, while they are few.
    few: Vec<Few>,
    len: usize,
}

/// Edits that are asked one after the other.
const MOST_FEW: usize = 24;

/// One of few edits.
#[derive(Debug)]
struct Few {
    number: u32,
    /// The marks of its parts; all where it is asked each time.
    marks: u64,
    parts: Vec<u64>,
}

/// The parts of a form by which edits are found; seldom more.
type FormParts = SmallVec<[u64; 8]>;

fn parts_of(form: &Form<'_>) -> FormParts {
    let mut parts = FormParts::new();
    parts.push(form.origin.hash());
    if let [first, ..] = &form.segments[..] {
        parts.push(first.hash());
    }
    if let [.., last] = &form.segments[..] {
        parts.push(as_last(last.hash()));
    }
    for (name, _) in &form.params {
        parts.push(name.hash());
    }
    parts
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
        let parts = match edit {
            Edit::Origin { from, .. } => vec![of_text(Kind::Origin, from)],
            Edit::Prefix { from, .. } if !from.is_empty() => vec![of_first(&from[0])],
            Edit::Reshape { from, .. } if !from.before.is_empty() => {
                vec![of_first(&from.before[0])]
            }
            Edit::Titled { from, .. } if !from.before.is_empty() => {
                vec![of_first(&from.before[0])]
            }
            Edit::Suffix { from, .. } if !from.is_empty() => vec![of_last(&from[from.len() - 1])],
            Edit::Params(edits) => {
                let name = |edit: &Param| of_text(Kind::Name, edit.name());
                edits.iter().map(name).collect()
            }
            Edit::Both { params, .. } => {
                let first = params
                    .first()
                    .map(|param| of_text(Kind::Name, param.name()));
                first.into_iter().collect()
            }
            Edit::Move { name, .. }
            | Edit::Repeated { name, .. }
            | Edit::Piece {
                of: Whole::Value { name },
                ..
            }
            | Edit::Items {
                of: Whole::Value { name },
                ..
            } => {
                vec![of_text(Kind::Name, name)]
            }
            _ => Vec::new(),
        };
        self.file(parts, ranked(edit, number));
    }

    /// Files an edit that can be undone under what it makes of a form.
    pub(super) fn add_result(&mut self, edit: &Edit, number: u32) {
        let part = match edit {
            Edit::Origin { to, .. } => Some(of_text(Kind::Origin, to)),
            Edit::Prefix { to, .. } => to.first().map(|to| of_first(to)),
            Edit::Suffix { to, .. } => to.last().map(|to| of_last(to)),
            Edit::Extension { .. } => None,
            _ => return,
        };
        self.file(part.into_iter().collect(), ranked(edit, number));
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let list = |edits: &Vec<u32>| edits.capacity() * size_of::<u32>() + BLOCK;
        let few = |few: &Few| few.parts.capacity() * size_of::<u64>() + BLOCK;
        of_map(&self.by_part)
            + self.by_part.values().map(list).sum::<usize>()
            + list(&self.general)
            + self.few.capacity() * size_of::<Few>()
            + self.few.iter().map(few).sum::<usize>()
    }

    /// Files an edit under some parts, or where it is asked each time.
    fn file(&mut self, parts: Vec<u64>, number: u32) {
        if parts.is_empty() {
            self.general.push(number);
        }
        for part in &parts {
            self.marks |= mark(*part);
            self.by_part.entry(*part).or_default().push(number);
        }
        self.len += 1;
        if self.len > MOST_FEW {
            self.few = Vec::new();
            return;
        }
        let marks = parts.iter().fold(0, |marks, part| marks | mark(*part));
        let new = Few {
            number,
            marks: if parts.is_empty() { u64::MAX } else { marks },
            parts,
        };
        let place = self.few.partition_point(|few| few.number < number);
        self.few.insert(place, new);
    }

    fn found(&self, form: &Form<'_>) -> Numbers {
        let mut out = Numbers::from_slice(&self.general);
        for part in parts_of(form) {
            if self.marks & mark(part) != 0
                && let Some(edits) = self.by_part.get(&part)
            {
                out.extend_from_slice(edits);
            }
        }
        out
    }

    /// The edits that may have something to say of a form; some may be there more than once.
    pub(super) fn of(&self, form: &Form<'_>) -> Numbers {
        numbers(self.found(form))
    }

    /// The same in the order in which they apply, each once.
    pub(super) fn in_order(&self, form: &Form<'_>) -> Numbers {
        if self.len <= MOST_FEW {
            return self.few_in_order(form);
        }
        let mut edits = self.found(form);
        if edits.len() > 1 {
            edits.sort_unstable();
            edits.dedup();
        }
        numbers(edits)
    }

    fn few_in_order(&self, form: &Form<'_>) -> Numbers {
        let mut edits = Numbers::new();
        if self.few.is_empty() {
            return edits;
        }
        let parts = parts_of(form);
        let marks = parts.iter().fold(0, |marks, part| marks | mark(*part));
        for few in &self.few {
            let is_found = few.marks & marks != 0
                && (few.parts.is_empty() || few.parts.iter().any(|part| parts.contains(part)));
            if is_found {
                edits.push(few.number % (1 << BITS));
            }
        }
        edits
    }
}

fn ranked(edit: &Edit, number: u32) -> u32 {
    u32::from(edit.rank()) << BITS | number
}
