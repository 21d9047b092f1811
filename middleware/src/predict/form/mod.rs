//! The parts of a URL, as edits see them.
//!
//! A [`Form`] is a URL taken apart: origin, path segments, and parameters (including `;name=value` of the path). An
//! [`Edit`] says that some part does not matter. Forms are never put together again: they are only compared, by hash,
//! so no URL is ever made up.

mod alike;
mod change;
mod edit;
mod escapes;
mod hashed;
mod heap;
mod items;
mod nameless;
mod params;
mod part;
mod piece;
mod properties;
mod shape;
mod signs;
mod slot;
#[cfg(test)]
mod tests;
mod things;
mod titled;
mod tokens;
mod written;

use std::cell::Cell;

use smallvec::SmallVec;
use url::Url;
use xxhash_rust::xxh3::xxh3_64_with_seed;

pub(super) use alike::Alike;
pub(in crate::predict) use change::number_of_host;
pub(super) use change::{folders, lies_between, owned};
use edit::ANY;
pub use edit::Edit;
pub(super) use edit::Effect;
pub(super) use escapes::{differ_in_escapes, differ_in_order};
pub(super) use hashed::{Hashed, Present};
pub(super) use items::differ_in_items;
pub(super) use nameless::{NAMELESS, NAMELESS_IN_PATH};
pub(super) use nameless::{is_token, is_value};
use nameless::{nameless, without_name};
pub use params::Param;
pub(super) use part::{Kind, Part, is_same};
pub use piece::Whole;
pub(super) use piece::{leaves_number, piece};
use shape::{Class, class_of};
use signs::Signs;
pub use slot::Slot;
pub(super) use things::{News, Things};
pub use titled::{ById, Title, Titled};
pub(super) use titled::{read as read_titled, titled};
pub(crate) use tokens::name_without_tokens;

/// A URL taken apart.
#[derive(Debug, PartialEq, Eq)]
pub struct Form<'u> {
    pub(super) origin: Part<'u>,
    pub(super) segments: Segments<'u>,
    pub(super) params: Params<'u>,
    /// What the parameters of its query are compared without.
    alike: Alike,
    /// Whether `;` parts any of the query.
    has_semicolons: bool,
    keys: Keys,
}

/// Segments of a path; few have more.
type Segments<'u> = SmallVec<[Part<'u>; 6]>;
/// Names and values of parameters.
type Params<'u> = SmallVec<[(Part<'u>, Part<'u>); 4]>;

/// The names of a form that were asked for, or 0. An edit that changes the form forgets them.
#[derive(Clone, Debug, Default)]
struct Keys {
    whole: Cell<u64>,
    path: Cell<u64>,
    shape: Cell<u64>,
    names: Cell<u64>,
    firstless: Cell<u64>,
    extensionless: Cell<u64>,
}

impl PartialEq for Keys {
    /// What they are follows from the form.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Keys {}

impl Keys {
    /// Forgets what an edit may have changed. `of_params`: origin and path are as they were.
    fn forget(&mut self, of_params: bool) {
        if of_params {
            self.whole.set(0);
            self.names.set(0);
        } else {
            *self = Self::default();
        }
    }
}

/// Stands for the name of a form whose general form has no such word.
const NO_WORD: u64 = 1;

/// A name that is made once.
fn once(known: &Cell<u64>, make: impl FnOnce() -> u64) -> u64 {
    if known.get() == 0 {
        known.set(make());
    }
    known.get()
}

impl Clone for Form<'_> {
    fn clone(&self) -> Self {
        let mut copy = Self {
            origin: self.origin.clone(),
            segments: Segments::with_capacity(self.segments.len()),
            params: Params::with_capacity(self.params.len()),
            alike: self.alike,
            has_semicolons: self.has_semicolons,
            keys: self.keys.clone(),
        };
        for segment in &self.segments {
            copy.segments.push(segment.clone());
        }
        for (name, value) in &self.params {
            copy.params.push((name.clone(), value.clone()));
        }
        copy
    }
}

impl<'u> Form<'u> {
    /// Takes a URL apart.
    pub fn of(url: &'u Url) -> Self {
        Self::parse(url.as_str())
    }

    /// Takes the text of a canonical URL apart.
    pub fn parse(text: &'u str) -> Self {
        let octets = text.as_bytes();
        let colon = octets.iter().position(|octet| *octet == b':');
        let has_scheme = colon.is_some_and(|at| octets[at..].starts_with(b"://"));
        let mut signs = Signs::new(octets);
        if let (true, Some(colon)) = (has_scheme, colon) {
            // The two slashes before the host.
            signs.skip_to(colon + 3);
        }
        let path_at = signs.end(|sign| matches!(sign, b'/' | b'?'));
        let mut form = Self {
            origin: Part::found(Kind::Origin, &text[..path_at]),
            segments: Segments::new(),
            params: Params::new(),
            alike: Alike::default(),
            has_semicolons: false,
            keys: Keys::default(),
        };
        let is_end = |sign| matches!(sign, b'/' | b'?' | b';');
        let pair = |from: usize, (equals, end): (Option<usize>, usize)| {
            let (name, value) = match equals {
                Some(at) if !is_token(&text[from..at]) => (&text[from..at], &text[at + 1..end]),
                Some(_) => nameless(&text[from..end]),
                None => without_name(&text[from..end]),
            };
            (
                Part::found(Kind::Name, name),
                Part::found(Kind::Value, value),
            )
        };
        let mut at = path_at;
        while octets.get(at) == Some(&b'/') || form.segments.is_empty() {
            let is_slash = octets.get(at) == Some(&b'/');
            let from = at + usize::from(is_slash);
            if is_slash {
                at = signs.end(is_end);
            }
            (form.segments).push(Part::found(Kind::Segment, &text[from..at]));
            // Parameters that a segment has behind `;`, which is part of the name.
            while octets.get(at) == Some(&b';') {
                let ends = signs.end_of_pair(is_end);
                form.params.push(pair(at, ends));
                at = ends.1;
            }
        }
        while at < octets.len() {
            form.has_semicolons |= octets[at] == b';';
            let ends = signs.end_of_pair(|sign| matches!(sign, b'&' | b';'));
            form.params.push(pair(at + 1, ends));
            at = ends.1;
        }
        form
    }

    /// Leaves the first folder, and the page's name, if that is [one of its own](folders).
    pub(super) fn drop_folders_behind_first(&mut self) {
        let folders = folders(self);
        if folders > 1 {
            self.segments.drain(1..folders);
            self.keys.forget(false);
        }
    }

    /// The name of the whole form.
    pub fn key(&self) -> u64 {
        once(&self.keys.whole, || {
            self.key_with(
                self.params
                    .iter()
                    .map(|(name, value)| (name.hash(), value.hash())),
            )
        })
    }

    /// Name of the whole if it had these parameters, by the hashes of their names and values.
    fn key_with(&self, params: impl Iterator<Item = (u64, u64)>) -> u64 {
        params.fold(self.path_key(), |hash, (name, value)| {
            join(join(hash, name), value)
        })
    }

    /// Name of origin and path.
    pub(super) fn path_key(&self) -> u64 {
        once(&self.keys.path, || {
            let segments = self.segments.iter();
            segments.fold(self.origin.hash(), |hash, segment| {
                join(hash, segment.hash())
            })
        })
    }

    /// Name of origin and generalised path: numbers and long or composed names do not count.
    pub(super) fn shape_key(&self) -> u64 {
        once(&self.keys.shape, || self.make_shape_key())
    }

    fn make_shape_key(&self) -> u64 {
        self.key_of_classes(class_of)
    }

    /// The name of its general form whatever its first segment is; none where the general form does not name that.
    pub(super) fn firstless_key(&self) -> Option<u64> {
        let key = once(&self.keys.firstless, || {
            self.make_firstless_key().unwrap_or(NO_WORD)
        });
        (key != NO_WORD).then_some(key)
    }

    fn make_firstless_key(&self) -> Option<u64> {
        let (first, behind) = self.segments.split_first()?;
        let is_named =
            class_of(first, true, behind.is_empty()) != class_of(first, false, behind.is_empty());
        is_named.then(|| self.key_of_classes(|segment, _, last| class_of(segment, false, last)))
    }

    /// The name of its general form whatever the extension of its last segment is; none where that has none.
    pub(super) fn extensionless_key(&self) -> Option<u64> {
        let key = once(&self.keys.extensionless, || {
            self.make_extensionless_key().unwrap_or(NO_WORD)
        });
        (key != NO_WORD).then_some(key)
    }

    fn make_extensionless_key(&self) -> Option<u64> {
        let last = self.segments.last()?;
        let is_named = matches!(class_of(last, false, true), Class::Text(_));
        is_named.then(|| {
            self.key_of_classes(|segment, first, last| {
                if last {
                    Class::Any
                } else {
                    class_of(segment, first, false)
                }
            })
        })
    }

    /// Name of origin and the classes of the segments. `class`: of a segment, whether it is the first, whether it is the last.
    fn key_of_classes(&self, class: impl Fn(&str, bool, bool) -> Class<'_>) -> u64 {
        let last = self.segments.len().saturating_sub(1);
        let segments = self.segments.iter().enumerate();
        segments.fold(self.origin.hash(), |hash, (i, segment)| {
            join(hash, class(segment, i == 0, i == last).hash())
        })
    }

    /// Name of the kind of page that the last segment speaks of: a folder, an extension (files that are numbered, which
    /// are mostly lists, apart), anything else. `has_extension`: whether what looks like an extension is one.
    fn kind_key(&self, has_extension: bool) -> u64 {
        let last = self.segments.last().map_or("", |last| last);
        let stem = last.rsplit_once('.').map_or("", |(stem, _)| stem);
        let class = match class_of(last, false, true) {
            Class::Text(_) if !has_extension => Class::Any,
            class => class,
        };
        let is_numbered = stem.ends_with(|sign: char| sign.is_ascii_digit());
        join(
            class.hash(),
            u64::from(self.params.is_empty()) | u64::from(is_numbered) << 1,
        )
    }

    /// Name of the set of parameter names.
    pub(super) fn names_key(&self) -> u64 {
        once(&self.keys.names, || {
            let names = || self.params.iter().map(|(name, _)| name.hash());
            if self.params.len() <= FEW {
                return of_few(names());
            }
            let mut names: Vec<u64> = names().collect();
            names.sort_unstable();
            names.dedup();
            names.into_iter().fold(7, join)
        })
    }
}

/// Parameters that few URLs have more of.
const FEW: usize = 8;

/// Name of a set of few names.
fn of_few(names: impl Iterator<Item = u64>) -> u64 {
    let (mut sorted, mut len) = ([0; FEW], 0);
    for name in names {
        let mut at = len;
        while at > 0 && sorted[at - 1] > name {
            sorted[at] = sorted[at - 1];
            at -= 1;
        }
        if at > 0 && sorted[at - 1] == name {
            // Those behind it go back.
            sorted.copy_within(at + 1..=len, at);
        } else {
            sorted[at] = name;
            len += 1;
        }
    }
    sorted[..len].iter().fold(7, |all, name| join(all, *name))
}

pub(in crate::predict) fn hash_of(seed: u64, text: &str) -> u64 {
    xxh3_64_with_seed(text.as_bytes(), seed)
}

pub(super) const fn join(a: u64, b: u64) -> u64 {
    let mixed = (a.rotate_left(23) ^ b).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ (mixed >> 29)
}

/// What was [joined](join) to `a`.
pub(super) const fn part_from(a: u64, joined: u64) -> u64 {
    let mixed = joined ^ (joined >> 29) ^ (joined >> 58);
    mixed.wrapping_mul(0xF1DE_83E1_9937_733D) ^ a.rotate_left(23)
}
