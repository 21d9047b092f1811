//! What a rule changes in a URL.

#[cfg(test)]
mod tests;
mod text;

use std::borrow::Cow;

use super::{
    parts::{Key, Param, Parts, mask_digits},
    wrap::Wrap,
};
use crate::{
    cut::Cut,
    items::{in_order, in_order_of_segment},
    letters::{has_upper, lower},
};

/// The text that stands for a value that does not matter but whose place does.
pub const ANY: &str = "*";

/// One change to the parts of a URL. An edit whose part is absent changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Edit {
    /// Puts the query parameters in order of name.
    Sort,
    /// Removes the part.
    Drop(Key),
    /// Removes the query parameters that are not named here.
    Keep(Vec<Box<str>>),
    /// Replaces the value by [`ANY`].
    Mask(Key),
    /// Replaces the n-th run of digits within the value by `0`.
    MaskDigits(Key, u8),
    /// Replaces a piece of the value, cut at this sign (or `{year}` or `{month}` of a date), by [`ANY`], or removes it with its sign.
    MaskPiece(Key, Cut, Box<str>),
    /// Puts the items of the value, which this sign parts, in the order of their texts.
    SortItems(Key, Box<str>),
    /// Turns the value into lower case.
    Lower(Key),
    /// Turns the whole path into lower case.
    LowerPath,
    /// Gives the part this value; adds the part if it is absent.
    Set(Key, Box<str>),
    /// Removes what is around a name within the value.
    Unwrap(Key, Wrap),
    /// Puts this around the value.
    Wrap(Key, Wrap),
    /// Puts the second text around a name in the place of the first.
    Respell(Key, Wrap, Wrap),
    /// Leaves each value of a parameter that is there several times once, in order of the values.
    Unique(Key),
    /// Leaves the first value of a parameter that is there several times.
    First(Key),
    /// Gives the second part the value of the first, and removes the first.
    Move(Key, Key),
    /// Gives the second part the value of the first.
    Copy(Key, Key),
}

impl Edit {
    /// The part whose value it takes, without which it changes nothing.
    pub(crate) const fn source(&self) -> Option<&Key> {
        match self {
            Self::Drop(key)
            | Self::Mask(key)
            | Self::MaskDigits(key, _)
            | Self::MaskPiece(key, ..)
            | Self::SortItems(key, _)
            | Self::Lower(key)
            | Self::Unwrap(key, _)
            | Self::Wrap(key, _)
            | Self::Respell(key, ..)
            | Self::Unique(key)
            | Self::First(key)
            | Self::Move(key, _)
            | Self::Copy(key, _) => Some(key),
            Self::Sort | Self::Keep(_) | Self::LowerPath | Self::Set(..) => None,
        }
    }

    /// The part that it changes, if it is about one.
    pub(crate) const fn target(&self) -> Option<&Key> {
        match self {
            Self::Set(key, _) | Self::Move(_, key) | Self::Copy(_, key) => Some(key),
            _ => self.source(),
        }
    }

    /// Changes `parts`. Returns whether anything may have changed.
    pub fn apply(&self, parts: &mut Parts<'_>) -> bool {
        match self {
            // Rendering does it: see `Parts::sort_query`.
            Self::Sort => !parts.is_query_sorted(),
            Self::Drop(key) => drop_part(parts, key),
            Self::Keep(names) => {
                let had = parts.query.len();
                (parts.query).retain(|p| names.iter().any(|name| p.name == **name));
                had != parts.query.len()
            }
            Self::Mask(key) => parts.has(key) && set(parts, key, Cow::Borrowed(ANY)),
            Self::MaskDigits(key, nth) => {
                let masked = parts.get(key).and_then(|value| mask_digits(&value, *nth));
                masked.is_some_and(|value| set(parts, key, Cow::Owned(value)))
            }
            Self::MaskPiece(key, cut, sign) => {
                let left = one(parts, key).and_then(|value| {
                    let left = match key {
                        Key::Seg(_) | Key::Tail(_) => cut.out_of_segment(&value, sign, ANY),
                        _ => cut.out_of(&value, sign, ANY),
                    };
                    left.filter(|left| *left != value)
                });
                left.is_some_and(|value| set(parts, key, Cow::Owned(value)))
            }
            Self::SortItems(key, sign) => {
                let sorted = one(parts, key).and_then(|value| match key {
                    Key::Seg(_) | Key::Tail(_) => in_order_of_segment(&value, sign),
                    _ => in_order(&value, as_spelled(key, sign, &value)),
                });
                sorted.is_some_and(|value| set(parts, key, Cow::Owned(value)))
            }
            Self::Lower(key) => {
                let lower = parts
                    .get(key)
                    .filter(|value| has_upper(value))
                    .map(|value| lower(&value));
                lower.is_some_and(|value| set(parts, key, Cow::Owned(value)))
            }
            Self::LowerPath => {
                let mut changed = false;
                for segment in &mut parts.segs {
                    if has_upper(segment) {
                        *segment = Cow::Owned(lower(segment));
                        changed = true;
                    }
                }
                changed
            }
            Self::Set(key, value) => set(parts, key, Cow::Owned(String::from(&**value))),
            Self::Unwrap(key, wrap) => {
                let name = one(parts, key).and_then(|value| wrap.off(&value).map(str::to_owned));
                name.is_some_and(|name| set(parts, key, Cow::Owned(name)))
            }
            Self::Wrap(key, wrap) => {
                let wrapped = one(parts, key).and_then(|value| wrap.on(&value));
                wrapped.is_some_and(|text| set(parts, key, Cow::Owned(text)))
            }
            Self::Respell(key, old, new) => {
                let respelled = one(parts, key).and_then(|value| new.on(old.off(&value)?));
                respelled.is_some_and(|text| set(parts, key, Cow::Owned(text)))
            }
            Self::Unique(key) => parameters(parts, key).is_some_and(|(params, name)| {
                let mut values: Vec<_> =
                    params.iter().filter(|p| p.name == *name).cloned().collect();
                values.sort();
                values.dedup();
                replace_all(params, name, values)
            }),
            Self::First(key) => parameters(parts, key).is_some_and(|(params, name)| {
                let first = params.iter().find(|p| p.name == *name).cloned();
                replace_all(params, name, first.into_iter().collect())
            }),
            Self::Move(from, to) => {
                Self::Copy(from.clone(), to.clone()).apply(parts) && drop_part(parts, from)
            }
            Self::Copy(from, to) => {
                let value = parts.get(from).map(|v| recode(&v, from, to));
                value.is_some_and(|value| set(parts, to, Cow::Owned(value)))
            }
        }
    }
}

/// A sign between items as a value has it: what a space is in a query, normalization may have written in the other way.
fn as_spelled<'s>(key: &Key, sign: &'s str, value: &str) -> &'s str {
    match (key, sign) {
        (Key::Query(_), "+") if !value.contains('+') => "%20",
        (Key::Query(_), "%20") if !value.contains("%20") => "+",
        _ => sign,
    }
}

/// The parameters among which the part is, and its name.
fn parameters<'p, 'a, 'k>(
    parts: &'p mut Parts<'a>,
    key: &'k Key,
) -> Option<(&'p mut Vec<Param<'a>>, &'k str)> {
    match key {
        Key::Query(name) => Some((&mut parts.query, name)),
        Key::PathParam(name) => Some((&mut parts.path_params, name)),
        _ => None,
    }
}

/// Puts these parameters where the first of that name is, and takes the others of that name away. Returns whether that changes anything.
fn replace_all<'a>(params: &mut Vec<Param<'a>>, name: &str, values: Vec<Param<'a>>) -> bool {
    let is_same = (params.iter().filter(|p| p.name == *name)).eq(values.iter());
    let Some(at) = params
        .iter()
        .position(|p| p.name == *name)
        .filter(|_| !is_same)
    else {
        return false;
    };
    params.retain(|p| p.name != *name);
    params.splice(at..at, values);
    true
}

/// The value of a part; of several values of one name none is meant.
fn one<'p>(parts: &'p Parts<'_>, key: &Key) -> Option<Cow<'p, str>> {
    let is_one =
        |value: &Cow<'_, str>| matches!(key, Key::Seg(_) | Key::Tail(_)) || !value.contains('&');
    parts.get(key).filter(is_one)
}

/// A value as it is spelled in another place: what ends a path or parts parameters stands there as an escape, as does a plus
/// that means a space in a query and itself in a path.
fn recode(value: &str, from: &Key, to: &Key) -> String {
    let is_query = |key: &Key| matches!(key, Key::Query(_));
    let is_path = |key: &Key| {
        matches!(
            key,
            Key::Rest(_) | Key::Seg(_) | Key::Tail(_) | Key::Ext | Key::PathParam(_)
        )
    };
    if is_query(from) && is_path(to) {
        let mut text = value.replace('+', "%20").replace('?', "%3F");
        for (escape, sign) in OF_PATHS {
            text = text.replace(escape, sign);
        }
        text = text.replace(';', "%3B");
        if matches!(to, Key::Rest(_)) {
            text.replace("%2F", "/")
        } else {
            text.replace('/', "%2F")
        }
    } else if is_path(from) && is_query(to) {
        let mut text = value.to_owned();
        for (escape, sign) in OF_PATHS {
            text = text.replace(sign, escape);
        }
        text.replace('/', "%2F")
    } else {
        value.to_owned()
    }
}

/// Signs that mean themselves in a path, and something else in a query.
const OF_PATHS: [(&str, &str); 2] = [("%26", "&"), ("%2B", "+")];

fn drop_part(parts: &mut Parts<'_>, key: &Key) -> bool {
    match key {
        Key::Scheme | Key::Host | Key::Len => false,
        Key::Slash => std::mem::take(&mut parts.slash),
        Key::Ext => {
            let Some(stem) = parts.ext().map(|(stem, _)| stem.to_owned()) else {
                return false;
            };
            replace_last(parts, stem);
            true
        }
        Key::Seg(_) | Key::Tail(_) => {
            let Some(at) = position(parts, key).filter(|at| *at < parts.segs.len()) else {
                return false;
            };
            parts.remove_segment(at);
            true
        }
        Key::Rest(i) => {
            let had = parts.segs.len();
            while parts.segs.len() > usize::from(*i) {
                parts.remove_segment(parts.segs.len() - 1);
            }
            had != parts.segs.len()
        }
        Key::PathParam(name) => remove(&mut parts.path_params, name),
        Key::Query(name) => remove(&mut parts.query, name),
    }
}

fn remove(params: &mut Vec<Param<'_>>, name: &str) -> bool {
    let had = params.len();
    params.retain(|p| p.name != name);
    had != params.len()
}

fn replace_last(parts: &mut Parts<'_>, text: String) {
    if let Some(last) = parts.segs.last_mut() {
        *last = Cow::Owned(text);
    }
}

fn position(parts: &Parts<'_>, key: &Key) -> Option<usize> {
    match key {
        Key::Seg(i) => Some(usize::from(*i)),
        Key::Tail(i) => parts.index_from_end(*i),
        _ => None,
    }
}

fn set<'a>(parts: &mut Parts<'a>, key: &Key, value: Cow<'a, str>) -> bool {
    if parts.get(key).is_some_and(|old| old == value)
        && !matches!(key, Key::Query(_) | Key::PathParam(_))
    {
        return false;
    }
    match key {
        Key::Len => return false,
        Key::Scheme => parts.scheme = value,
        Key::Host => parts.host = value,
        Key::Slash => parts.slash = !parts.segs.is_empty(),
        Key::Ext => {
            let Some(stem) = parts.ext().map(|(stem, _)| stem.to_owned()) else {
                return false;
            };
            replace_last(parts, format!("{stem}.{value}"));
        }
        Key::Seg(_) | Key::Tail(_) => match position(parts, key) {
            Some(at) if at < parts.segs.len() => parts.segs[at] = value,
            Some(at) if at == parts.segs.len() && at < 255 => parts.segs.push(value),
            _ => return false,
        },
        Key::Rest(i) => {
            if usize::from(*i) > parts.segs.len() {
                return false;
            }
            drop_part(parts, key);
            parts.slash = false;
            for piece in value.split('/').take(255 - parts.segs.len()) {
                parts.segs.push(Cow::Owned(piece.to_owned()));
            }
        }
        Key::PathParam(name) => {
            let at = parts.segs.len().saturating_sub(1) as u8;
            return assign(&mut parts.path_params, at, name, value);
        }
        Key::Query(name) => return assign(&mut parts.query, 0, name, value),
    }
    true
}

/// Gives the first parameter of that name the value and removes the others.
fn assign<'a>(params: &mut Vec<Param<'a>>, at: u8, name: &str, value: Cow<'a, str>) -> bool {
    let Some(first) = params.iter().position(|p| p.name == *name) else {
        params.push(Param {
            at,
            name: Cow::Owned(name.to_owned()),
            value: Some(value),
        });
        return true;
    };
    let had = params.len();
    let mut index = 0;
    params.retain(|p| {
        index += 1;
        index - 1 <= first || p.name != *name
    });
    let changed = params[first].value.as_deref() != Some(&*value) || had != params.len();
    params[first].value = Some(value);
    changed
}
