//! What are the parts of a URL, and which edits make two URLs one?
//!
//! A [`Form`] is a URL taken apart: origin, path segments, and parameters (`;name=value` of the path
//! included). An [`Edit`] says that some part does not matter. Forms are never put together again: they
//! are only compared, by hash, so no URL is ever made up.

use std::{borrow::Cow, cell::Cell, fmt};

use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A URL taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form<'u> {
    pub(super) origin: Cow<'u, str>,
    pub(super) segments: Vec<Cow<'u, str>>,
    pub(super) params: Vec<(Cow<'u, str>, Cow<'u, str>)>,
    keys: Keys,
}

/// The names of a form that were asked for, or 0. An edit that changes the form forgets them.
#[derive(Clone, Debug, Default)]
struct Keys {
    whole: Cell<u64>,
    path: Cell<u64>,
    shape: Cell<u64>,
    names: Cell<u64>,
}

impl PartialEq for Keys {
    /// What they are follows from the form.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Keys {}

/// A name that is made once.
fn once(known: &Cell<u64>, make: impl FnOnce() -> u64) -> u64 {
    if known.get() == 0 {
        known.set(make());
    }
    known.get()
}

impl<'u> Form<'u> {
    /// Takes a URL apart.
    pub fn of(url: &'u Url) -> Self {
        Self::parse(url.as_str())
    }

    /// Takes the text of a canonical URL apart.
    pub fn parse(text: &'u str) -> Self {
        let after_scheme = text.find("://").map_or(0, |at| at + 3);
        let path_at = text[after_scheme..]
            .find(['/', '?'])
            .map_or(text.len(), |at| at + after_scheme);
        let (path, query) = match text[path_at..].split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (&text[path_at..], None),
        };
        let mut params = Vec::new();
        let segments = path
            .strip_prefix('/')
            .unwrap_or(path)
            .split('/')
            .map(|segment| match segment.split_once(';') {
                None => Cow::Borrowed(segment),
                Some((name, rest)) => {
                    for pair in rest.split(';') {
                        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
                        params.push((Cow::Owned(format!(";{key}")), Cow::Borrowed(value)));
                    }
                    Cow::Borrowed(name)
                }
            })
            .collect();
        if let Some(query) = query {
            params.extend(query.split(['&', ';']).map(|pair| {
                let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
                (Cow::Borrowed(key), Cow::Borrowed(value))
            }));
        }
        Self {
            origin: Cow::Borrowed(&text[..path_at]),
            segments,
            params,
            keys: Keys::default(),
        }
    }

    /// Name of the whole.
    pub fn key(&self) -> u64 {
        once(&self.keys.whole, || self.make_key())
    }

    fn make_key(&self) -> u64 {
        let mut hash = hash_of(1, &self.origin);
        for segment in &self.segments {
            hash = join(hash, hash_of(2, segment));
        }
        for (key, value) in &self.params {
            hash = join(hash, hash_of(3, key));
            hash = join(hash, hash_of(4, value));
        }
        hash
    }

    /// Name of origin and path.
    pub(super) fn path_key(&self) -> u64 {
        once(&self.keys.path, || {
            let origin = hash_of(1, &self.origin);
            let segments = self.segments.iter();
            segments.fold(origin, |hash, s| join(hash, hash_of(2, s)))
        })
    }

    /// Name of origin and generalised path: numbers and long or composed names do not count.
    pub(super) fn shape_key(&self) -> u64 {
        once(&self.keys.shape, || self.make_shape_key())
    }

    fn make_shape_key(&self) -> u64 {
        let mut hash = hash_of(1, &self.origin);
        let last = self.segments.len().saturating_sub(1);
        for (i, segment) in self.segments.iter().enumerate() {
            hash = join(hash, hash_of(5, class_of(segment, i == 0, i == last)));
        }
        hash
    }

    /// Name of the kind of page that the last segment speaks of: a folder, an extension, anything else.
    pub(super) fn kind_key(&self) -> u64 {
        let last = self.segments.last().map_or("", AsRef::as_ref);
        join(
            hash_of(5, class_of(last, false, true)),
            u64::from(self.params.is_empty()),
        )
    }

    /// Name of the set of parameter names.
    pub(super) fn names_key(&self) -> u64 {
        once(&self.keys.names, || {
            let mut names: Vec<u64> = self.params.iter().map(|(k, _)| hash_of(3, k)).collect();
            names.sort_unstable();
            names.dedup();
            names.into_iter().fold(7, join)
        })
    }
}

fn class_of(segment: &str, first: bool, last: bool) -> &str {
    if segment.is_empty() {
        return "";
    }
    if segment.bytes().all(|b| b.is_ascii_digit()) {
        return "#";
    }
    let plain = segment.len() <= 14
        && segment
            .bytes()
            .all(|b| b.is_ascii_alphabetic() || b == b'.');
    if first && plain {
        return segment;
    }
    match segment.rfind('.') {
        Some(at) if last && at > 0 && segment.len() - at <= 6 => {
            let extension = &segment[at..];
            // Chapters of a manual, versions, parts.
            let is_number = extension[1..].bytes().all(|b| b.is_ascii_digit());
            if is_number { ".#" } else { extension }
        }
        _ => "*",
    }
}

pub(super) fn hash_of(seed: u64, text: &str) -> u64 {
    xxh3_64_with_seed(text.as_bytes(), seed)
}

pub(super) const fn join(a: u64, b: u64) -> u64 {
    let mixed = (a.rotate_left(23) ^ b).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ (mixed >> 29)
}

/// What does not matter about a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Param {
    /// Nothing about it matters, present or absent.
    Any(String),
    /// Its value does not matter, its presence may.
    Wild(String),
    /// With this value it is as if absent.
    Value(String, String),
}

impl Param {
    /// Name of the parameter.
    pub fn name(&self) -> &str {
        match self {
            Self::Any(name) | Self::Wild(name) | Self::Value(name, _) => name,
        }
    }
}

/// What could make two URLs one page.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edit {
    /// Scheme and host are an alias.
    Origin {
        /// Alias.
        from: String,
        /// Stands for it.
        to: String,
    },
    /// Leading segments are an alias of others (mirrored folders).
    Prefix {
        /// Alias.
        from: Vec<String>,
        /// Stand for it.
        to: Vec<String>,
    },
    /// Letter case of the path does not matter.
    Case,
    /// Letter case of parameters, names and values, does not matter.
    QueryCase,
    /// The first segments do not matter.
    Head {
        /// How many.
        drop: usize,
    },
    /// Trailing segments are an alias of others (slash, index pages, print views).
    Suffix {
        /// Alias.
        from: Vec<String>,
        /// Stand for it.
        to: Vec<String>,
    },
    /// Segments behind the first ones do not matter.
    Tail {
        /// How many matter.
        keep: usize,
    },
    /// A parameter of one path is the last segment of another (`/w/index.php?title=X` is `/wiki/X`).
    Move {
        /// Path with the parameter.
        path: Vec<String>,
        /// Name of the parameter.
        name: String,
        /// Segments before the one that stands for it.
        to: Vec<String>,
    },
    /// Some segments do not matter.
    Segments {
        /// Which, counted from 0.
        at: Vec<usize>,
        /// Segments in all.
        of: usize,
    },
    /// A set of parameters does not matter (hypotheses 2 to 6 of `MaybeDont` are this with one
    /// parameter).
    Params(Vec<Param>),
    /// No parameter matters (hypothesis 1 of `MaybeDont`).
    AllParams,
    /// The order of parameters does not matter.
    Order,
}

impl Edit {
    /// Place in the order in which edits are applied.
    pub(super) const fn rank(&self) -> u8 {
        match self {
            Self::Origin { .. } => 0,
            Self::Case | Self::QueryCase => 1,
            Self::Prefix { .. } => 2,
            Self::Head { .. } | Self::Move { .. } => 3,
            Self::Suffix { .. } => 4,
            Self::Tail { .. } => 5,
            Self::Segments { .. } => 6,
            Self::AllParams => 7,
            Self::Params(_) => 8,
            Self::Order => 9,
        }
    }

    /// Whether it can only be right or wrong for a whole site, not for one of its sections.
    pub(super) const fn is_literal(&self) -> bool {
        matches!(self, Self::Origin { .. } | Self::Prefix { .. })
    }

    /// Whether it speaks of the place of pages on the site or of the site's, which pages may repeat.
    pub(super) const fn moves_pages(&self) -> bool {
        matches!(
            self,
            Self::Origin { .. } | Self::Prefix { .. } | Self::Head { .. } | Self::Segments { .. }
        )
    }

    /// Whether what it was applied to can be told from what it made of it.
    pub(super) const fn is_reversible(&self) -> bool {
        matches!(
            self,
            Self::Origin { .. } | Self::Prefix { .. } | Self::Suffix { .. }
        )
    }

    /// The form that it would reduce to this one; `None` when there is none, or more than one.
    pub(super) fn undo<'u>(&self, form: &Form<'u>) -> Option<Form<'u>> {
        let is_fit = match self {
            Self::Origin { to, .. } => form.origin == to.as_str(),
            Self::Prefix { to, .. } => begins_with(form, to),
            Self::Suffix { to, .. } => ends_with(form, to),
            _ => false,
        };
        if !is_fit {
            return None;
        }
        let mut alias = form.clone();
        let is_undone = match self {
            Self::Origin { from, to } => replace_origin(to, from, &mut alias),
            Self::Prefix { from, to } => replace_prefix(to, from, &mut alias),
            Self::Suffix { from, to } => replace_suffix(to, from, &mut alias),
            _ => false,
        };
        alias.keys = Keys::default();
        is_undone.then_some(alias)
    }

    /// Whether it may have something to say about a form; where it has not, [`apply`](Self::apply) says so too.
    pub(super) fn may_apply(&self, form: &Form<'_>) -> bool {
        match self {
            Self::Origin { from, .. } => form.origin == from.as_str(),
            Self::Prefix { from, .. } => begins_with(form, from),
            Self::Suffix { from, .. } => ends_with(form, from),
            Self::Head { drop } => form.segments.len() > *drop,
            Self::Tail { keep } => form.segments.len() > *keep,
            Self::Segments { of, .. } => form.segments.len() == *of,
            Self::Params(edits) => {
                let mut is_any = false;
                for edit in edits {
                    let is_there = form.params.iter().any(|(name, value)| {
                        name == edit.name()
                            && !matches!(edit, Param::Value(_, wanted) if value != wanted)
                    });
                    if !is_there && matches!(edit, Param::Value(..)) {
                        return false;
                    }
                    is_any |= is_there;
                }
                is_any
            }
            Self::AllParams => !form.params.is_empty(),
            Self::Move { name, .. } => form.params.iter().any(|(key, _)| key == name),
            Self::Case | Self::QueryCase | Self::Order => true,
        }
    }

    /// Applies it; `false` when it has nothing to say about this form, which is then unchanged.
    pub fn apply(&self, form: &mut Form<'_>) -> bool {
        let is_changed = self.change(form);
        if is_changed {
            form.keys = Keys::default();
        }
        is_changed
    }

    fn change(&self, form: &mut Form<'_>) -> bool {
        match self {
            Self::Origin { from, to } => replace_origin(from, to, form),
            Self::Prefix { from, to } => replace_prefix(from, to, form),
            Self::Case => {
                let mut changed = false;
                for segment in &mut form.segments {
                    if segment.bytes().any(|b| b.is_ascii_uppercase()) {
                        *segment = Cow::Owned(segment.to_ascii_lowercase());
                        changed = true;
                    }
                }
                changed
            }
            Self::QueryCase => lower_params(form),
            Self::Head { drop } => {
                if form.segments.len() <= *drop || form.segments[*drop].is_empty() {
                    return false;
                }
                form.segments.drain(..drop);
                true
            }
            Self::Suffix { from, to } => replace_suffix(from, to, form),
            Self::Tail { keep } => {
                if form.segments.len() <= *keep {
                    return false;
                }
                form.segments.truncate(*keep);
                true
            }
            Self::Segments { at, of } => {
                if form.segments.len() != *of {
                    return false;
                }
                for i in at {
                    if form.segments[*i].is_empty() {
                        return false;
                    }
                }
                for i in at {
                    form.segments[*i] = Cow::Borrowed("*");
                }
                true
            }
            Self::Move { path, name, to } => apply_move(path, name, to, form),
            Self::Params(edits) => apply_params(edits, form),
            Self::AllParams => {
                let any = !form.params.is_empty();
                form.params.clear();
                any
            }
            Self::Order => {
                if form.params.is_sorted() {
                    return false;
                }
                form.params.sort();
                true
            }
        }
    }
}

fn replace_origin(from: &str, to: &str, form: &mut Form<'_>) -> bool {
    if form.origin != from {
        return false;
    }
    form.origin = Cow::Owned(to.to_owned());
    true
}

/// Whether a path begins with these segments, and does not end there.
fn begins_with(form: &Form<'_>, with: &[String]) -> bool {
    form.segments.len() > with.len()
        && (form.segments.iter().zip(with)).all(|(a, b)| a == b.as_str())
}

/// Whether these are the last segments of a path.
fn ends_with(form: &Form<'_>, with: &[String]) -> bool {
    let at = form.segments.len().checked_sub(with.len());
    at.is_some_and(|at| (form.segments[at..].iter().zip(with)).all(|(a, b)| a == b.as_str()))
}

fn replace_prefix(from: &[String], to: &[String], form: &mut Form<'_>) -> bool {
    if !begins_with(form, from) {
        return false;
    }
    let rest = form.segments.split_off(from.len());
    form.segments = to
        .iter()
        .map(|s| Cow::Owned(s.clone()))
        .chain(rest)
        .collect();
    true
}

fn replace_suffix(from: &[String], to: &[String], form: &mut Form<'_>) -> bool {
    if !ends_with(form, from) {
        return false;
    }
    let at = form.segments.len() - from.len();
    if at + to.len() == 0 {
        return false;
    }
    form.segments.truncate(at);
    form.segments
        .extend(to.iter().map(|s| Cow::Owned(s.clone())));
    true
}

fn apply_move(path: &[String], name: &str, to: &[String], form: &mut Form<'_>) -> bool {
    let here = form.segments.iter().eq(path.iter());
    let at = form.params.iter().position(|(k, _)| k == name);
    let Some(at) = at.filter(|_| here) else {
        return false;
    };
    let value = form.params[at].1.clone();
    if value.is_empty() || value.contains('/') {
        return false;
    }
    form.params.remove(at);
    form.segments = to.iter().map(|s| Cow::Owned(s.clone())).collect();
    form.segments.push(value);
    true
}

fn lower_params(form: &mut Form<'_>) -> bool {
    let mut changed = false;
    for text in form.params.iter_mut().flat_map(|(k, v)| [k, v]) {
        if text.bytes().any(|b| b.is_ascii_uppercase()) {
            *text = Cow::Owned(text.to_ascii_lowercase());
            changed = true;
        }
    }
    changed
}

fn apply_params(edits: &[Param], form: &mut Form<'_>) -> bool {
    let mut changed = false;
    // Values go only all together: a set of values is one observation.
    let values = edits.iter().all(|e| {
        !matches!(e, Param::Value(..))
            || form
                .params
                .iter()
                .any(|(k, v)| matches!(e, Param::Value(name, value) if k == name && v == value))
    });
    if !values {
        return false;
    }
    for edit in edits {
        match edit {
            Param::Any(name) => {
                let before = form.params.len();
                form.params.retain(|(key, _)| key != name);
                changed |= form.params.len() != before;
            }
            Param::Wild(name) => {
                for (key, value) in &mut form.params {
                    if key == name {
                        *value = Cow::Borrowed("*");
                        changed = true;
                    }
                }
            }
            Param::Value(name, wanted) => {
                let before = form.params.len();
                form.params
                    .retain(|(key, value)| key != name || value != wanted);
                changed |= form.params.len() != before;
            }
        }
    }
    changed
}

impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = |s: &[String]| {
            if s.is_empty() {
                "nothing".to_owned()
            } else {
                format!("/{}", s.join("/"))
            }
        };
        match self {
            Self::Origin { from, to } => write!(f, "origin {from} = {to}"),
            Self::Prefix { from, to } => write!(f, "prefix {} = {}", path(from), path(to)),
            Self::Case => f.write_str("case of path is ignored"),
            Self::QueryCase => f.write_str("case of parameters is ignored"),
            Self::Head { drop } => write!(f, "first {drop} segments are ignored"),
            Self::Suffix { from, to } => write!(f, "suffix {} = {}", path(from), path(to)),
            Self::Tail { keep } => write!(f, "segments behind {keep} are ignored"),
            Self::Segments { at, of } => write!(f, "segments {at:?} of {of} are ignored"),
            Self::Move {
                path: from,
                name,
                to,
            } => {
                write!(f, "{}?{name}=x = {}/x", path(from), path(to))
            }
            Self::AllParams => f.write_str("all parameters are ignored"),
            Self::Order => f.write_str("order of parameters is ignored"),
            Self::Params(edits) => {
                for (i, edit) in edits.iter().enumerate() {
                    let comma = if i > 0 { ", " } else { "" };
                    match edit {
                        Param::Any(name) => write!(f, "{comma}{name} is ignored")?,
                        Param::Wild(name) => write!(f, "{comma}value of {name} is ignored")?,
                        Param::Value(name, value) => {
                            write!(f, "{comma}{name}={value} is as absent")?;
                        }
                    }
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(edit: &Edit, url: &str) -> Option<u64> {
        let mut form = Form::parse(url);
        edit.apply(&mut form).then(|| form.key())
    }

    #[test]
    fn path_parameters_are_parameters() {
        let edit = Edit::Params(vec![Param::Any(";jsessionid".into())]);
        assert_eq!(
            after(&edit, "http://e.org/a.do;jsessionid=77?id=1"),
            Some(Form::parse("http://e.org/a.do?id=1").key())
        );
    }

    #[test]
    fn mirrored_folders_slashes_and_tails_become_one() {
        let prefix = Edit::Prefix {
            from: vec!["mirror".into(), "python".into()],
            to: vec!["3".into()],
        };
        let target = Form::parse("http://e.org/3/os.html").key();
        assert_eq!(
            after(&prefix, "http://e.org/mirror/python/os.html"),
            Some(target)
        );
        assert_eq!(after(&prefix, "http://e.org/mirror/perl/os.html"), None);
        let slash = Edit::Suffix {
            from: vec![String::new()],
            to: vec![],
        };
        assert_eq!(
            after(&slash, "http://e.org/a/"),
            Some(Form::parse("http://e.org/a").key())
        );
        assert_eq!(after(&slash, "http://e.org/"), None);
        let tail = Edit::Tail { keep: 1 };
        assert_eq!(
            after(&tail, "http://e.org/a/b/c"),
            after(&tail, "http://e.org/a/")
        );
    }

    #[test]
    fn a_set_of_parameters_goes_at_once_and_values_only_together() {
        let any = Edit::Params(vec![Param::Any("s".into()), Param::Any("t".into())]);
        let plain = Form::parse("http://e.org/?id=1").key();
        assert_eq!(after(&any, "http://e.org/?s=3&id=1&t=9"), Some(plain));
        assert_eq!(after(&any, "http://e.org/?id=1&t=9"), Some(plain));
        let values = Edit::Params(vec![
            Param::Value("sort".into(), "default".into()),
            Param::Value("order".into(), "asc".into()),
        ]);
        assert_eq!(after(&values, "http://e.org/?id=1&sort=default"), None);
        assert_eq!(
            after(&values, "http://e.org/?id=1&sort=default&order=asc"),
            Some(plain)
        );
    }
}
