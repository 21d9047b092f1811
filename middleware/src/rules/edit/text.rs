//! The text form of an edit: a word in a rule's line.

use std::{fmt, str::FromStr};

use super::{Edit, Key};
use crate::{
    cut::{Cut, all_signs},
    items,
    rules::parts::{NO_SCHEME, is_scheme, never_names, never_spelled},
};

impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sort => f.write_str("sort"),
            Self::Drop(key) => write!(f, "drop:{key}"),
            Self::Keep(names) => write!(f, "keep:{}", names.join("&")),
            Self::Mask(key) => write!(f, "mask:{key}"),
            Self::MaskDigits(key, nth) => write!(f, "digits:{nth}:{key}"),
            Self::MaskPiece(key, cut, sign) => write!(f, "piece:{}:{sign}:{key}", cut.name()),
            Self::SortItems(key, sign) => write!(f, "items:{sign}:{key}"),
            Self::Lower(key) => write!(f, "lower:{key}"),
            Self::LowerPath => f.write_str("lower-path"),
            Self::Set(key, value) => write!(f, "set:{key}={value}"),
            Self::Unwrap(key, wrap) => write!(f, "unwrap:{key}={wrap}"),
            Self::Wrap(key, wrap) => write!(f, "wrap:{key}={wrap}"),
            Self::Respell(key, old, new) => write!(f, "respell:{key}={old}>{new}"),
            Self::Unique(key) => write!(f, "unique:{key}"),
            Self::First(key) => write!(f, "first:{key}"),
            Self::Move(from, to) => write!(f, "move:{from}>{to}"),
            Self::Copy(from, to) => write!(f, "copy:{from}>{to}"),
        }
    }
}

impl FromStr for Edit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let edit = Self::read(text)?;
        match edit.why_idle() {
            None => Ok(edit),
            Some(why) => Err(format!("`{text}`: {why}")),
        }
    }
}

impl Edit {
    /// Why it could never change anything that a URL has: nobody would notice.
    fn why_idle(&self) -> Option<String> {
        let idle = |key: &Key, why: &str| Some(format!("`{key}` {why}"));
        match self {
            Self::Set(key @ Key::Len, _)
            | Self::Copy(_, key @ Key::Len)
            | Self::Move(_, key @ Key::Len) => {
                idle(key, "follows from the path, and cannot be set")
            }
            Self::Set(Key::Scheme, value) if !is_scheme(value) => Some(NO_SCHEME.to_owned()),
            Self::Set(_, value) => never_spelled(value).map(str::to_owned),
            // It would take away what it is meant to keep.
            Self::Keep(names) => names
                .iter()
                .find_map(|name| never_names(name))
                .map(str::to_owned),
            Self::Move(key @ (Key::Scheme | Key::Host | Key::Len), _) => {
                idle(key, "cannot be taken away")
            }
            Self::Mask(key @ (Key::Len | Key::Slash)) => idle(key, "has no value to be masked"),
            Self::MaskDigits(key @ (Key::Scheme | Key::Len | Key::Slash), _) => {
                idle(key, "has no digits to be masked")
            }
            Self::Lower(key @ (Key::Scheme | Key::Host | Key::Len | Key::Slash)) => {
                idle(key, "is never in upper case")
            }
            _ => None,
        }
    }

    fn read(text: &str) -> Result<Self, String> {
        let (verb, rest) = text.split_once(':').unwrap_or((text, ""));
        let two = || {
            // `>` is never bare in a URL's query, so the last one separates.
            let (from, to) = rest
                .rsplit_once('>')
                .ok_or_else(|| format!("`{text}`: expected `{verb}:FROM>TO`"))?;
            Ok::<_, String>((from.parse()?, to.parse()?))
        };
        if matches!(verb, "sort" | "lower-path") && text != verb {
            return Err(format!("`{text}`: nothing follows `{verb}`"));
        }
        Ok(match verb {
            "sort" => Self::Sort,
            "lower-path" => Self::LowerPath,
            "drop" => match rest.parse()? {
                key @ (Key::Scheme | Key::Host | Key::Len) => {
                    return Err(format!("`{text}`: `{key}` cannot be taken away"));
                }
                key => Self::Drop(key),
            },
            "keep" if text == "keep:" => Self::Keep(Vec::new()),
            "keep" if !rest.is_empty() => Self::Keep(rest.split('&').map(Into::into).collect()),
            "mask" => Self::Mask(rest.parse()?),
            "lower" => Self::Lower(rest.parse()?),
            "unique" | "first" => match rest.parse()? {
                key @ (Key::Query(_) | Key::PathParam(_)) if verb == "unique" => Self::Unique(key),
                key @ (Key::Query(_) | Key::PathParam(_)) => Self::First(key),
                key => return Err(format!("`{text}`: `{key}` has one value at most")),
            },
            "digits" => {
                let (nth, key) = rest
                    .split_once(':')
                    .ok_or_else(|| format!("`{text}`: expected `digits:N:PART`"))?;
                let nth = nth
                    .parse()
                    .map_err(|_| format!("`{text}`: `{nth}` is no number from 0 to 255"))?;
                Self::MaskDigits(key.parse()?, nth)
            }
            "piece" => {
                let (cut, rest) = rest
                    .split_once(':')
                    .ok_or_else(|| format!("`{text}`: expected `piece:CUT:SIGN:PART`"))?;
                let is_it = |known: &Cut| known.name() == cut;
                let cut = Cut::ALL.into_iter().find(is_it).ok_or_else(|| {
                    let cuts = Cut::ALL.map(Cut::name).join(", ");
                    format!("`{text}`: `{cut}` is none of {cuts}")
                })?;
                let (sign, key) = of_sign(text, (cut.name(), rest), all_signs(), "pieces")?;
                Self::MaskPiece(key, cut, sign.into())
            }
            "items" => {
                let signs = items::SIGNS.into_iter();
                match of_sign(text, (verb, rest), signs, "items")? {
                    (_, key @ Key::Rest(_)) => {
                        return Err(format!("`{text}`: `{key}` has no items"));
                    }
                    (sign, key) => Self::SortItems(key, sign.into()),
                }
            }
            "set" => {
                let (key, value) = rest
                    .split_once('=')
                    .ok_or_else(|| format!("`{text}`: expected `set:PART=VALUE`"))?;
                Self::Set(key.parse()?, value.into())
            }
            "unwrap" | "wrap" => {
                let (key, wrap) = rest
                    .split_once('=')
                    .ok_or_else(|| format!("`{text}`: expected `{verb}:PART=BEFORE*BEHIND`"))?;
                let wrap = wrap.parse().map_err(|why| format!("`{text}`: {why}"))?;
                match named(text, key)? {
                    key if verb == "wrap" => Self::Wrap(key, wrap),
                    key => Self::Unwrap(key, wrap),
                }
            }
            "respell" => respelling(text, rest)?,
            "move" => {
                let (from, to) = two()?;
                Self::Move(from, to)
            }
            "copy" => {
                let (from, to) = two()?;
                Self::Copy(from, to)
            }
            _ => return Err(format!("`{text}` is no edit")),
        })
    }
}

/// The sign of an edit, and the part behind it, of the text behind its verb or cut. The sign may be a colon. `what`: what few parts have.
fn of_sign(
    text: &str,
    (before, rest): (&str, &str),
    mut signs: impl Iterator<Item = &'static str> + Clone,
    what: &str,
) -> Result<(&'static str, Key), String> {
    let all = signs.clone();
    let is_it = |sign: &&str| {
        let behind = rest.strip_prefix(sign);
        behind.is_some_and(|behind| behind.starts_with(':'))
    };
    let sign = signs.find(is_it).ok_or_else(|| {
        let signs = all.collect::<Vec<_>>().join(" ");
        format!("`{text}`: expected one of the signs {signs} and `:PART` behind `{before}:`")
    })?;
    match rest[sign.len() + 1..].parse()? {
        key @ (Key::Scheme | Key::Host | Key::Len | Key::Slash | Key::Ext) => {
            Err(format!("`{text}`: `{key}` has no {what}"))
        }
        key => Ok((sign, key)),
    }
}

/// The edit that respells, of the text behind its verb.
fn respelling(text: &str, rest: &str) -> Result<Edit, String> {
    let parted = rest.split_once('=').and_then(|(key, wraps)| {
        let (old, new) = wraps.rsplit_once('>')?;
        Some((key, old, new))
    });
    let (key, old, new) = parted
        .ok_or_else(|| format!("`{text}`: expected `respell:PART=BEFORE*BEHIND>BEFORE*BEHIND`"))?;
    let wrap = |wrap: &str| wrap.parse().map_err(|why| format!("`{text}`: {why}"));
    Ok(Edit::Respell(named(text, key)?, wrap(old)?, wrap(new)?))
}

/// The part of an edit with this text, if it may hold a name.
fn named(text: &str, key: &str) -> Result<Key, String> {
    match key.parse()? {
        key @ (Key::Scheme | Key::Host | Key::Len | Key::Slash | Key::Rest(_)) => {
            Err(format!("`{text}`: `{key}` holds no name"))
        }
        key => Ok(key),
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::Rule;

    #[test]
    fn edits_that_change_nothing_are_refused_with_the_reason() {
        for (edit, words) in [
            ("set:len=3", "`len` follows from the path"),
            ("copy:seg.0>len", "`len` follows from the path"),
            ("move:query.n>len", "`len` follows from the path"),
            ("set:scheme=HTTPS", "in lower case"),
            ("move:host>query.h", "`host` cannot be taken away"),
            ("mask:len", "no value to be masked"),
            ("mask:slash", "no value to be masked"),
            ("digits:0:scheme", "no digits to be masked"),
            ("lower:host", "never in upper case"),
            ("items:,:slash", "`slash` has no items"),
            ("items:,:rest.1", "`rest.1` has no items"),
            ("items:x:query.t", "one of the signs , %2C"),
        ] {
            let told = format!("=> {edit}").parse::<Rule>().unwrap_err();
            assert!(told.contains(words) && told.contains(edit), "{told}");
        }
        for edit in [
            "set:scheme=https",
            "mask:host",
            "copy:host>query.h",
            "items:%7C:query.tags",
            "items:::seg.1",
            "set:slash=",
        ] {
            let rule = format!("=> {edit}");
            assert_eq!(rule.parse::<Rule>().unwrap().to_string(), rule);
        }
    }
}
