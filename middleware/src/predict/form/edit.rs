//! Which edits make two URLs one?

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Serialize};

use super::{Form, Keys};

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
    pub(in crate::predict) const fn rank(&self) -> u8 {
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
    pub(in crate::predict) const fn is_literal(&self) -> bool {
        matches!(self, Self::Origin { .. } | Self::Prefix { .. })
    }

    /// Whether it speaks of the place of pages on the site or of the site's, which pages may repeat.
    pub(in crate::predict) const fn moves_pages(&self) -> bool {
        matches!(
            self,
            Self::Origin { .. } | Self::Prefix { .. } | Self::Head { .. } | Self::Segments { .. }
        )
    }

    /// Whether what it was applied to can be told from what it made of it.
    pub(in crate::predict) const fn is_reversible(&self) -> bool {
        matches!(
            self,
            Self::Origin { .. } | Self::Prefix { .. } | Self::Suffix { .. }
        )
    }

    /// The form that it would reduce to this one; `None` when there is none, or more than one.
    pub(in crate::predict) fn undo<'u>(&self, form: &Form<'u>) -> Option<Form<'u>> {
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
    pub(in crate::predict) fn may_apply(&self, form: &Form<'_>) -> bool {
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
    let to = to.iter().map(|s| Cow::Owned(s.clone()));
    let rest = form.segments.drain(..).skip(from.len());
    form.segments = to.chain(rest).collect();
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
