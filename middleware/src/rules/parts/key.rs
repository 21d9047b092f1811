//! The names of the parts of a URL.

use std::{fmt, str::FromStr};

/// The name of one part of a URL.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// `http` or `https`.
    Scheme,
    /// Host with its port.
    Host,
    /// Number of path segments.
    Len,
    /// Path segment, counted from the front.
    Seg(u8),
    /// Path segment, counted from the end.
    Tail(u8),
    /// The path from this segment to its end, slashes included.
    Rest(u8),
    /// Extension of the last segment, without its dot.
    Ext,
    /// The slash at the end of the path; its value is empty.
    Slash,
    /// `;name=value` within the path.
    PathParam(Box<str>),
    /// Query parameter; several values are joined by `&`.
    Query(Box<str>),
}

/// What is said of a scheme that no URL of a crawl has.
pub(crate) const NO_SCHEME: &str = "a scheme is `http` or `https`, in lower case";

/// Whether URLs of a crawl have this scheme.
pub(crate) fn is_scheme(value: &str) -> bool {
    // Classes may have none.
    matches!(value, "http" | "https" | "")
}

/// Why no URL has this in the name or the value of a part, where that is plain.
pub(crate) fn never_spelled(text: &str) -> Option<&'static str> {
    (!text.is_ascii()).then_some(
        "URLs have letters beyond ASCII as escapes (`%C3%BC`), and their hosts as `xn--…`",
    )
}

/// Why no parameter has this name, where that is plain.
pub(crate) fn never_names(name: &str) -> Option<&'static str> {
    (name.contains(['=', '#']))
        .then_some("the name of a parameter has no `=` and no `#`")
        .or_else(|| never_spelled(name))
}

impl Key {
    /// Why no URL has a part of this name with this value, where that is plain.
    pub(crate) fn never_has(&self, value: &str) -> Option<&'static str> {
        match self {
            Self::Scheme if !is_scheme(value) => Some(NO_SCHEME),
            Self::Host if value.bytes().any(|octet| octet.is_ascii_uppercase()) => {
                Some("a host is in lower case")
            }
            Self::Len if value.parse::<u8>().is_err() => {
                Some("`len` is a number of segments, from 0 to 255")
            }
            Self::Slash if !value.is_empty() => Some("the value of `slash` is empty"),
            Self::Ext if value.is_empty() => Some("an extension that is there is not empty"),
            _ => never_spelled(value),
        }
    }

    /// A query key.
    pub fn query(name: &str) -> Self {
        Self::Query(name.into())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scheme => f.write_str("scheme"),
            Self::Host => f.write_str("host"),
            Self::Len => f.write_str("len"),
            Self::Seg(i) => write!(f, "seg.{i}"),
            Self::Tail(i) => write!(f, "tail.{i}"),
            Self::Rest(i) => write!(f, "rest.{i}"),
            Self::Ext => f.write_str("ext"),
            Self::Slash => f.write_str("slash"),
            Self::PathParam(name) => write!(f, "param.{name}"),
            Self::Query(name) => write!(f, "query.{name}"),
        }
    }
}

impl FromStr for Key {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, rest) = text.split_once('.').unwrap_or((text, ""));
        let index = || {
            rest.parse::<u8>()
                .map_err(|_| format!("`{text}`: a number from 0 to 255 must follow `{kind}.`"))
        };
        if matches!(kind, "scheme" | "host" | "len" | "ext" | "slash") && text != kind {
            return Err(format!("`{text}`: nothing follows `{kind}`"));
        }
        let name = || match never_names(rest) {
            Some(why) => Err(format!("`{text}` is in no URL: {why}")),
            None => Ok(Box::from(rest)),
        };
        Ok(match kind {
            "scheme" => Self::Scheme,
            "host" => Self::Host,
            "len" => Self::Len,
            "ext" => Self::Ext,
            "slash" => Self::Slash,
            "seg" => Self::Seg(index()?),
            "tail" => Self::Tail(index()?),
            "rest" => Self::Rest(index()?),
            "param" => Self::PathParam(name()?),
            "query" => Self::Query(name()?),
            _ => return Err(format!("`{text}` names no part of a URL")),
        })
    }
}
