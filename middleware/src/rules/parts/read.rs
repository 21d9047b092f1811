//! Where do the parts lie in the text of a URL?

use std::borrow::Cow;

use super::{Param, Parts};

/// Where scheme, authority, path and query lie in the text of a URL.
pub(crate) fn slices(url: &str) -> Option<(&str, &str, &str, Option<&str>)> {
    let octets = url.as_bytes();
    let start = memchr::memchr_iter(b'/', octets).find(|at| octets.get(at + 1) == Some(&b'/'))?;
    let scheme = match start.checked_sub(1) {
        None => "",
        Some(colon) if octets[colon] == b':' => &url[..colon],
        Some(_) => return None,
    };
    let rest = &url[start + 2..];
    let end = memchr::memchr3(b'/', b'?', b'#', rest.as_bytes()).unwrap_or(rest.len());
    let (host, rest) = rest.split_at(end);
    let rest = cut(rest, b'#').map_or(rest, |(rest, _)| rest);
    let (path, query) = match cut(rest, b'?') {
        Some((path, query)) => (path, Some(query)),
        None => (rest, None),
    };
    Some((scheme, host, path, query))
}

/// What is before and behind the first of these octets, which is one of ASCII.
fn cut(text: &str, mark: u8) -> Option<(&str, &str)> {
    let at = memchr::memchr(mark, text.as_bytes())?;
    Some((&text[..at], &text[at + 1..]))
}

/// The pieces between octets of ASCII that are marks.
fn pieces(text: &str, is_mark: impl Fn(u8) -> bool) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(at) = text.bytes().position(&is_mark) else {
            return rest.take();
        };
        rest = Some(&text[at + 1..]);
        Some(&text[..at])
    })
}

/// Whether `;` separates parameters in this query: some piece between semicolons is a parameter, and every
/// piece starts with a plain name.
fn separates_by_semicolon(query: &str) -> bool {
    memchr::memchr(b';', query.as_bytes()).is_some()
        && query.split(['&', ';']).all(|piece| {
            let name = piece.split('=').next().unwrap_or_default();
            !name.is_empty()
                && name
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'[' | b']'))
        })
}

impl<'a> Param<'a> {
    fn parse(text: &'a str, at: u8) -> Self {
        let (name, value) = match cut(text, b'=') {
            Some((name, value)) => (name, Some(Cow::Borrowed(value))),
            None => (text, None),
        };
        Self {
            at,
            name: Cow::Borrowed(name),
            value,
        }
    }
}

impl<'a> Parts<'a> {
    /// Takes the text of an absolute URL apart; `None` when it is none.
    pub fn parse(url: &'a str) -> Option<Self> {
        let (scheme, host, path, query) = slices(url)?;
        let mut path = path.strip_prefix('/').unwrap_or(path);
        let mut segs = Vec::new();
        let mut path_params = Vec::new();
        let slash = path.ends_with('/');
        if slash {
            path = &path[..path.len() - 1];
        }
        if !path.is_empty() || slash {
            segs.reserve_exact(memchr::memchr_iter(b'/', path.as_bytes()).count() + 1);
            for (at, segment) in pieces(path, |b| b == b'/').enumerate() {
                let at = u8::try_from(at).ok()?;
                let Some((segment, params)) = cut(segment, b';') else {
                    segs.push(Cow::Borrowed(segment));
                    continue;
                };
                segs.push(Cow::Borrowed(segment));
                path_params.extend(pieces(params, |b| b == b';').map(|p| Param::parse(p, at)));
            }
        }
        let separator = match query {
            Some(query) if separates_by_semicolon(query) => ';',
            _ => '&',
        };
        let query = match query {
            None => Vec::new(),
            Some(query) => {
                let is_mark = |b: u8| b == b'&' || b == separator as u8;
                let marks = query.bytes().filter(|b| is_mark(*b)).count();
                let mut params = Vec::with_capacity(marks + 1);
                params.extend(pieces(query, is_mark).map(|piece| Param::parse(piece, 0)));
                params
            }
        };
        Some(Self {
            scheme: Cow::Borrowed(scheme),
            host: Cow::Borrowed(host),
            segs,
            slash,
            path_params,
            query,
            separator,
        })
    }
}
