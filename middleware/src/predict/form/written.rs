//! An edit in words, as people read it and files keep it.

use std::fmt;

use super::{Edit, Param, Whole};

impl fmt::Display for Whole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Segment { at, of } => write!(f, "segment {at} of {of}"),
            Self::Value { name } => write!(f, "value of {name}"),
        }
    }
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
            Self::Escapes => f.write_str("escapes are ignored"),
            Self::Head { drop: 1 } => f.write_str("first segment is ignored"),
            Self::Head { drop } => write!(f, "first {drop} segments are ignored"),
            Self::Folders => f.write_str("folders are ignored"),
            Self::Suffix { from, to } => write!(f, "suffix {} = {}", path(from), path(to)),
            Self::Tail { keep } => write!(f, "segments behind {keep} are ignored"),
            Self::Segments { at, of } => write!(f, "segments {at:?} of {of} are ignored"),
            Self::Superfluous { at, of } => write!(f, "segment {at} of {of} is superfluous"),
            Self::Piece { of, sign, cut } => {
                write!(f, "{of} {} {sign} is ignored", cut.words())
            }
            Self::Items { of, sign } => {
                write!(f, "order of items parted by {sign} in {of} is ignored")
            }
            Self::Move {
                path: from,
                name,
                to,
                behind,
            } => {
                let from = path(from);
                if to.is_bare() && behind.is_empty() {
                    return write!(f, "{from}?{name}=x = {}/x", path(&to.before));
                }
                write!(f, "{from}?{name}=x = {to}")?;
                behind
                    .iter()
                    .try_for_each(|segment| write!(f, "/{segment}"))
            }
            Self::Reshape { from, to } => write!(f, "{from} = {to}"),
            Self::Titled { from, to } => write!(f, "{from} = {to}"),
            Self::Extension { from, to } => {
                let none = |text: &str| if text.is_empty() { "nothing" } else { text }.to_owned();
                write!(f, "extension {} = {}", none(from), none(to))
            }
            Self::Repeated { name, last } => {
                let which = if *last { "last" } else { "first" };
                write!(f, "{which} of several {name} counts")
            }
            Self::HostNumber => f.write_str("number of host is ignored"),
            Self::AllParams => f.write_str("all parameters are ignored"),
            Self::Spelling => f.write_str("escapes and order of parameters are ignored"),
            Self::Order => f.write_str("order of parameters is ignored"),
            Self::Referrer => f.write_str("page is the one that links to it"),
            Self::LeadsBack => f.write_str("link leads back to its page"),
            Self::Params(edits) => write_params(edits, f),
            Self::Both { path, params } => {
                write!(f, "{path} and ")?;
                write_params(params, f)
            }
        }
    }
}

fn write_params(edits: &[Param], f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
