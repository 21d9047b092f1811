//! Which edits have something to say of a form?
//!
//! Most edits speak of one parameter, folder or host: they are found by it, the others are asked each time.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use crate::predict::form::{Edit, Form};

/// Numbers of edits; seldom more of one form.
pub(super) type Numbers = SmallVec<[u32; 8]>;

/// Numbers of edits by the parts of a URL that they speak of.
#[derive(Debug, Default)]
pub(super) struct Index {
    by_part: FxHashMap<u64, Vec<u32>>,
    general: Vec<u32>,
}

/// Name of a part of a URL of some kind; it lives no longer than the index.
fn part(kind: u8, text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u8(kind);
    hasher.write(text.as_bytes());
    hasher.finish()
}

fn of_origin(origin: &str) -> u64 {
    part(0, origin)
}

fn of_first(segment: &str) -> u64 {
    part(1, segment)
}

fn of_last(segment: &str) -> u64 {
    part(2, segment)
}

fn of_param(name: &str) -> u64 {
    part(3, name)
}

impl Index {
    pub(super) fn is_empty(&self) -> bool {
        self.general.is_empty() && self.by_part.is_empty()
    }

    /// Files an edit under what it applies to.
    pub(super) fn add(&mut self, edit: &Edit, number: u32) {
        match edit {
            Edit::Origin { from, .. } => self.file(of_origin(from), number),
            Edit::Prefix { from, .. } if !from.is_empty() => self.file(of_first(&from[0]), number),
            Edit::Suffix { from, .. } if !from.is_empty() => {
                self.file(of_last(&from[from.len() - 1]), number);
            }
            Edit::Params(edits) => {
                for edit in edits {
                    self.file(of_param(edit.name()), number);
                }
            }
            Edit::Move { name, .. } => self.file(of_param(name), number),
            _ => self.general.push(number),
        }
    }

    /// Files an edit that can be undone under what it makes of a form.
    pub(super) fn add_result(&mut self, edit: &Edit, number: u32) {
        let (part, is_general) = match edit {
            Edit::Origin { to, .. } => (of_origin(to), false),
            Edit::Prefix { to, .. } => to.first().map_or((0, true), |to| (of_first(to), false)),
            Edit::Suffix { to, .. } => to.last().map_or((0, true), |to| (of_last(to), false)),
            _ => return,
        };
        if is_general {
            self.general.push(number);
        } else {
            self.file(part, number);
        }
    }

    fn file(&mut self, part: u64, number: u32) {
        self.by_part.entry(part).or_default().push(number);
    }

    /// The edits that may have something to say of a form; some may be there more than once.
    pub(super) fn of(&self, form: &Form<'_>) -> Numbers {
        let mut out = Numbers::from_slice(&self.general);
        if self.by_part.is_empty() {
            return out;
        }
        let mut add = |part: u64| {
            if let Some(edits) = self.by_part.get(&part) {
                out.extend_from_slice(edits);
            }
        };
        add(of_origin(&form.origin));
        if let Some(first) = form.segments.first() {
            add(of_first(first));
        }
        if let Some(last) = form.segments.last() {
            add(of_last(last));
        }
        for (name, _) in &form.params {
            add(of_param(name));
        }
        out
    }
}
