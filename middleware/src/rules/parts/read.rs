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

/// The pieces between marks, which are octets of ASCII.
fn pieces(text: &str, mark: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(at) = text.bytes().position(|b| b == mark) else {
            return rest.take();
        };
        rest = Some(&text[at + 1..]);
        Some(&text[..at])
    })
}

/// Whether `;` separates parameters in this query: some piece between semicolons is a parameter, and every
/// piece starts with a plain name.
fn separates_by_semicolon(query: &str) -> bool {
    query.contains(';')
        && query.split(['&', ';']).all(|piece| {
            let name = piece.split('=').next().unwrap_or_default();
            !name.is_empty()
                && name
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'[' | b']'))
        })
}

impl<'a> Param<'a> {
    /// Adds the parameters between marks, which are octets of ASCII.
    fn read(text: &'a str, at: u8, is_mark: impl Fn(u8) -> bool, params: &mut Vec<Self>) {
        let mut add = |from: usize, equals: Option<usize>, to: usize| {
            let name = Cow::Borrowed(&text[from..equals.unwrap_or(to)]);
            let value = equals.map(|equals| Cow::Borrowed(&text[equals + 1..to]));
            params.push(Param { at, name, value });
        };
        let (mut from, mut equals) = (0, None);
        for (place, octet) in text.bytes().enumerate() {
            if octet == b'=' && equals.is_none() {
                equals = Some(place);
            } else if is_mark(octet) {
                add(from, equals.take(), place);
                from = place + 1;
            }
        }
        add(from, equals, text.len());
    }
}

impl<'a> Parts<'a> {
    /// Takes the text of an absolute URL apart; `None` when it is none.
    pub fn parse(url: &'a str) -> Option<Self> {
        let mut parts = Self::none();
        parts.read(url).then_some(parts)
    }

    /// Becomes the parts of a URL; what was allocated is used again. `false` when it is none: of what there is then
    /// nothing may be expected.
    pub(crate) fn read(&mut self, url: &'a str) -> bool {
        let Some((scheme, host, path, query)) = slices(url) else {
            return false;
        };
        self.scheme = Cow::Borrowed(scheme);
        self.host = Cow::Borrowed(host);
        self.segs.clear();
        self.path_params.clear();
        self.query.clear();
        let has_semicolon = memchr::memchr(b';', url.as_bytes()).is_some();
        let mut path = path.strip_prefix('/').unwrap_or(path);
        self.slash = path.ends_with('/');
        if self.slash {
            path = &path[..path.len() - 1];
        }
        if !path.is_empty() || self.slash {
            if self.segs.capacity() == 0 {
                let marks = memchr::memchr_iter(b'/', path.as_bytes()).count();
                self.segs.reserve_exact(marks + 1);
            }
            for (at, segment) in pieces(path, b'/').enumerate() {
                let Ok(at) = u8::try_from(at) else {
                    return false;
                };
                let params = if has_semicolon {
                    cut(segment, b';')
                } else {
                    None
                };
                let Some((segment, params)) = params else {
                    self.segs.push(Cow::Borrowed(segment));
                    continue;
                };
                self.segs.push(Cow::Borrowed(segment));
                Param::read(params, at, |b| b == b';', &mut self.path_params);
            }
        }
        self.separator = match query {
            Some(query) if has_semicolon && separates_by_semicolon(query) => ';',
            _ => '&',
        };
        if let Some(query) = query {
            let separator = self.separator as u8;
            let is_mark = |b: u8| b == b'&' || b == separator;
            if self.query.capacity() == 0 {
                let marks = query.bytes().filter(|b| is_mark(*b)).count();
                self.query.reserve_exact(marks + 1);
            }
            Param::read(query, 0, is_mark, &mut self.query);
        }
        true
    }
}
