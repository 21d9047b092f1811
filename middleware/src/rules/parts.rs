//! Which parts does a URL have, and what is each one worth?
//!
//! Rules speak about parts by [`Key`]: host, path segment, `;` parameter, query parameter and so on. Two
//! distinctions matter and are kept: an absent part is not an empty one (`?a` and `?a=` and no `a` are
//! three things), and a query key may have several values in an order.
//!
//! ```
//! use nodust_middleware::rules::{Key, Parts};
//!
//! let parts = Parts::parse("http://shop.example/list/item.html;s=1?b=2&a=1&a=3").unwrap();
//! assert_eq!(parts.get(&Key::Seg(0)).as_deref(), Some("list"));
//! assert_eq!(parts.get(&Key::Ext).as_deref(), Some("html"));
//! assert_eq!(parts.get(&Key::PathParam("s".into())).as_deref(), Some("1"));
//! assert_eq!(parts.get(&Key::Query("a".into())).as_deref(), Some("1&3"));
//! assert_eq!(parts.get(&Key::Query("c".into())), None);
//! ```

use std::{borrow::Cow, fmt, str::FromStr};

/// Names one part of a URL.
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

impl Key {
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
        Ok(match kind {
            "scheme" => Self::Scheme,
            "host" => Self::Host,
            "len" => Self::Len,
            "ext" => Self::Ext,
            "slash" => Self::Slash,
            "seg" => Self::Seg(index()?),
            "tail" => Self::Tail(index()?),
            "rest" => Self::Rest(index()?),
            "param" => Self::PathParam(rest.into()),
            "query" => Self::Query(rest.into()),
            _ => return Err(format!("`{text}` names no part of a URL")),
        })
    }
}

/// One `name=value`; without `=` the value is `None`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Param<'a> {
    /// Segment it hangs on; 0 in a query.
    pub(crate) at: u8,
    /// Text before `=`.
    pub(crate) name: Cow<'a, str>,
    /// Text behind `=`.
    pub(crate) value: Option<Cow<'a, str>>,
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

    fn borrowed(&self) -> Param<'_> {
        Param {
            at: self.at,
            name: Cow::Borrowed(&*self.name),
            value: self.value.as_deref().map(Cow::Borrowed),
        }
    }

    fn text(&self, out: &mut String) {
        out.push_str(&self.name);
        if let Some(value) = &self.value {
            out.push('=');
            out.push_str(value);
        }
    }
}

/// A URL taken apart. Paths of more than 255 segments are not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts<'a> {
    pub(crate) scheme: Cow<'a, str>,
    pub(crate) host: Cow<'a, str>,
    pub(crate) segs: Vec<Cow<'a, str>>,
    pub(crate) slash: bool,
    pub(crate) path_params: Vec<Param<'a>>,
    pub(crate) query: Vec<Param<'a>>,
    /// `&`, or `;` where the site separates parameters so.
    pub(crate) separator: char,
}

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

/// Parameters among which those to be taken over are looked for.
const MOST_SOUGHT: usize = 64;

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

    /// The URL with its query parameters in order of name.
    pub fn render(&self) -> String {
        let mut out = String::with_capacity(96);
        self.render_into(&mut out);
        out
    }

    /// The same, behind what `out` holds.
    pub(crate) fn render_into(&self, out: &mut String) {
        if !self.scheme.is_empty() {
            out.push_str(&self.scheme);
            out.push(':');
        }
        out.push_str("//");
        out.push_str(&self.host);
        out.push('/');
        for (at, segment) in self.segs.iter().enumerate() {
            if at > 0 {
                out.push('/');
            }
            out.push_str(segment);
            for param in self.path_params.iter().filter(|p| usize::from(p.at) == at) {
                out.push(';');
                param.text(out);
            }
        }
        if self.slash && !self.segs.is_empty() {
            out.push('/');
        }
        let mut push = |i: usize, param: &Param<'_>| {
            out.push(if i == 0 { '?' } else { self.separator });
            param.text(out);
        };
        if self.query.is_sorted_by(|a, b| a.name <= b.name) {
            self.query.iter().enumerate().for_each(|(i, p)| push(i, p));
            return;
        }
        let mut order: Vec<&Param<'_>> = self.query.iter().collect();
        order.sort_by(|a, b| a.name.cmp(&b.name));
        order.into_iter().enumerate().for_each(|(i, p)| push(i, p));
    }

    /// The value of a part; `None` when it is absent. A parameter without `=` is present and empty.
    pub fn get(&self, key: &Key) -> Option<Cow<'_, str>> {
        match key {
            Key::Scheme => Some(Cow::Borrowed(&self.scheme)),
            Key::Host => Some(Cow::Borrowed(&self.host)),
            Key::Len => Some(Cow::Owned(self.segs.len().to_string())),
            Key::Seg(i) => self.segs.get(usize::from(*i)).map(|s| Cow::Borrowed(&**s)),
            Key::Tail(i) => self
                .index_from_end(*i)
                .map(|at| Cow::Borrowed(&*self.segs[at])),
            Key::Rest(i) => self
                .segs
                .get(usize::from(*i)..)
                .filter(|rest| !rest.is_empty())
                .map(|rest| Cow::Owned(rest.join("/"))),
            Key::Ext => self.ext().map(|(_, ext)| Cow::Borrowed(ext)),
            Key::Slash => self.slash.then_some(Cow::Borrowed("")),
            Key::PathParam(name) => values(&self.path_params, name),
            Key::Query(name) => values(&self.query, name),
        }
    }

    /// Whether the part is there; cheaper than [`get`](Self::get).
    pub fn has(&self, key: &Key) -> bool {
        match key {
            Key::Query(name) => self.query.iter().any(|p| p.name == **name),
            Key::PathParam(name) => self.path_params.iter().any(|p| p.name == **name),
            Key::Seg(i) | Key::Tail(i) | Key::Rest(i) => usize::from(*i) < self.segs.len(),
            other => self.get(other).is_some(),
        }
    }

    /// Stem and extension of the last segment, if it has one: 1 to 5 letters or digits behind a dot, not
    /// all of them digits.
    pub(crate) fn ext(&self) -> Option<(&str, &str)> {
        let (stem, ext) = self.segs.last()?.rsplit_once('.')?;
        (!stem.is_empty()
            && (1..=5).contains(&ext.len())
            && ext.bytes().all(|b| b.is_ascii_alphanumeric())
            && ext.bytes().any(|b| b.is_ascii_alphabetic()))
        .then_some((stem, ext))
    }

    pub(crate) fn index_from_end(&self, back: u8) -> Option<usize> {
        self.segs.len().checked_sub(usize::from(back) + 1)
    }

    /// Removes a segment and what hangs on it.
    pub(crate) fn remove_segment(&mut self, at: usize) {
        self.segs.remove(at);
        self.path_params.retain(|p| usize::from(p.at) != at);
        for param in &mut self.path_params {
            if usize::from(param.at) > at {
                param.at -= 1;
            }
        }
        if self.segs.is_empty() {
            self.slash = false;
        }
    }

    /// Every part that is there, with its value.
    pub fn pairs(&self) -> Vec<(Key, Cow<'_, str>)> {
        let mut pairs = vec![
            (Key::Scheme, Cow::Borrowed(&*self.scheme)),
            (Key::Host, Cow::Borrowed(&*self.host)),
            (Key::Len, Cow::Owned(self.segs.len().to_string())),
        ];
        for (i, segment) in self.segs.iter().enumerate() {
            pairs.push((Key::Seg(i as u8), Cow::Borrowed(&**segment)));
        }
        if let Some((_, ext)) = self.ext() {
            pairs.push((Key::Ext, Cow::Borrowed(ext)));
        }
        if self.slash {
            pairs.push((Key::Slash, Cow::Borrowed("")));
        }
        for (params, key) in [
            (&self.path_params, Key::PathParam as fn(Box<str>) -> Key),
            (&self.query, Key::Query),
        ] {
            for (i, param) in params.iter().enumerate() {
                if params[..i].iter().all(|p| p.name != param.name) {
                    let value = values(params, &param.name).unwrap_or_default();
                    pairs.push((key((&*param.name).into()), value));
                }
            }
        }
        pairs
    }

    /// No URL's parts, for [`borrow_from`](Self::borrow_from).
    pub(crate) const fn none() -> Self {
        Self {
            scheme: Cow::Borrowed(""),
            host: Cow::Borrowed(""),
            segs: Vec::new(),
            slash: false,
            path_params: Vec::new(),
            query: Vec::new(),
            separator: '&',
        }
    }

    /// Becomes the same as other parts, borrowed from them; what was allocated is used again.
    pub(crate) fn borrow_from(&mut self, other: &'a Parts<'_>) {
        self.scheme = Cow::Borrowed(&*other.scheme);
        self.host = Cow::Borrowed(&*other.host);
        self.segs.clear();
        let segs = other.segs.iter().map(|s| Cow::Borrowed(&**s));
        self.segs.extend(segs);
        self.slash = other.slash;
        self.path_params.clear();
        let params = other.path_params.iter().map(Param::borrowed);
        self.path_params.extend(params);
        self.query.clear();
        self.query.extend(other.query.iter().map(Param::borrowed));
        self.separator = other.separator;
    }

    /// The same parts, free of the text they were read from: what `old` has, too, is taken from it.
    pub(crate) fn taken_over(self, mut old: Parts<'_>) -> Parts<'_> {
        fn one<'o>(text: Cow<'_, str>, old: Option<&mut Cow<'o, str>>) -> Cow<'o, str> {
            match old {
                Some(old) if *old == text => std::mem::take(old),
                _ => Cow::Owned(text.into_owned()),
            }
        }
        fn all<'o>(params: Vec<Param<'_>>, old: &mut [Param<'o>]) -> Vec<Param<'o>> {
            // Each is looked for among all: not worth it where there are many.
            let old = if old.len() > MOST_SOUGHT {
                &mut []
            } else {
                old
            };
            let take = |param: Param<'_>| {
                let mut old = (old.iter_mut()).find(|old| {
                    old.name == param.name && (old.value.is_some() || param.value.is_none())
                });
                let value = param.value.map(|value| {
                    let old = old.as_mut().and_then(|old| old.value.as_mut());
                    one(value, old)
                });
                let name = one(param.name, old.map(|old| &mut old.name));
                let at = param.at;
                Param { at, name, value }
            };
            params.into_iter().map(take).collect()
        }
        let segs = (self.segs.into_iter().enumerate())
            .map(|(at, segment)| one(segment, old.segs.get_mut(at)))
            .collect();
        Parts {
            scheme: one(self.scheme, Some(&mut old.scheme)),
            host: one(self.host, Some(&mut old.host)),
            segs,
            slash: self.slash,
            path_params: all(self.path_params, &mut old.path_params),
            query: all(self.query, &mut old.query),
            separator: self.separator,
        }
    }

    /// The same parts, free of the text they were read from.
    pub fn into_owned(self) -> Parts<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let params = |params: Vec<Param<'_>>| {
            params
                .into_iter()
                .map(|p| Param {
                    at: p.at,
                    name: Cow::Owned(p.name.into_owned()),
                    value: p.value.map(|v| Cow::Owned(v.into_owned())),
                })
                .collect()
        };
        Parts {
            scheme: owned(self.scheme),
            host: owned(self.host),
            segs: self.segs.into_iter().map(owned).collect(),
            slash: self.slash,
            path_params: params(self.path_params),
            query: params(self.query),
            separator: self.separator,
        }
    }
}

fn values<'p>(params: &'p [Param<'_>], name: &str) -> Option<Cow<'p, str>> {
    let mut found = params.iter().filter(|p| p.name == name);
    let first = found.next()?.value.as_deref().unwrap_or_default();
    let mut all = Cow::Borrowed(first);
    for more in found {
        let text = all.to_mut();
        text.push('&');
        text.push_str(more.value.as_deref().unwrap_or_default());
    }
    Some(all)
}

/// The shape of a text: each run of digits becomes `#`. `None` when there is no digit, or nothing else.
pub(crate) fn digit_shape(text: &str) -> Option<String> {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    if digits == 0 || digits == text.len() {
        return None;
    }
    let mut shape = String::with_capacity(text.len());
    let mut in_run = false;
    for c in text.chars() {
        if c.is_ascii_digit() {
            if !in_run {
                shape.push('#');
            }
            in_run = true;
        } else {
            shape.push(c);
            in_run = false;
        }
    }
    Some(shape)
}

/// Whether `text` has this [`digit_shape`]; allocates nothing.
pub(crate) fn has_digit_shape(text: &str, shape: &str) -> bool {
    let (mut t, mut s) = (text.as_bytes(), shape.as_bytes());
    while let Some((&want, rest)) = s.split_first() {
        s = rest;
        if want == b'#' {
            let run = t.iter().take_while(|b| b.is_ascii_digit()).count();
            let literal = usize::from(run == 0 && t.first() == Some(&b'#'));
            if run + literal == 0 {
                return false;
            }
            t = &t[run + literal..];
        } else {
            if t.first() != Some(&want) {
                return false;
            }
            t = &t[1..];
        }
    }
    t.is_empty()
}

/// The text with its `nth` run of digits (a `#` counts as one) replaced by `#`.
pub(crate) fn mask_digits(text: &str, nth: u8) -> Option<String> {
    let mut seen = 0;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let run = bytes[at..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        let run = run.max(usize::from(bytes[at] == b'#'));
        if run == 0 {
            at += 1;
            continue;
        }
        if seen == nth {
            return Some(format!("{}#{}", &text[..at], &text[at + run..]));
        }
        seen += 1;
        at += run;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Key, Parts, digit_shape, has_digit_shape, mask_digits};
    use proptest::prelude::*;

    #[test]
    fn absent_is_not_empty() {
        let parts = Parts::parse("http://e.org/?a&b=").unwrap();
        assert_eq!(parts.get(&Key::query("a")).as_deref(), Some(""));
        assert_eq!(parts.get(&Key::query("c")), None);
        assert_eq!(parts.render(), "http://e.org/?a&b=");
    }

    #[test]
    fn a_query_may_be_separated_by_semicolons() {
        let parts = Parts::parse("http://e.org/i.php?action=profile;u=32;asc").unwrap();
        assert_eq!(parts.get(&Key::query("u")).as_deref(), Some("32"));
        assert_eq!(parts.render(), "http://e.org/i.php?action=profile;asc;u=32");
        let text = Parts::parse("http://e.org/?q=a; b").unwrap();
        assert_eq!(text.get(&Key::query("q")).as_deref(), Some("a; b"));
    }

    #[test]
    fn removing_a_segment_takes_its_parameters_along() {
        let mut parts = Parts::parse("http://e.org/a;x=1/b;y=2/").unwrap();
        parts.remove_segment(0);
        assert_eq!(parts.render(), "http://e.org/b;y=2/");
        parts.remove_segment(0);
        assert_eq!(parts.render(), "http://e.org/");
    }

    #[test]
    fn digit_runs_have_a_shape() {
        assert_eq!(
            digit_shape("topic,385.msg3575").as_deref(),
            Some("topic,#.msg#")
        );
        assert_eq!(digit_shape("2015"), None);
        assert!(has_digit_shape("topic,385.msg#", "topic,#.msg#"));
        assert!(!has_digit_shape("topic,.msg7", "topic,#.msg#"));
        assert_eq!(
            mask_digits("topic,385.msg3575", 1).as_deref(),
            Some("topic,385.msg#")
        );
        assert_eq!(
            mask_digits("topic,385.msg#", 1).as_deref(),
            Some("topic,385.msg#")
        );
        assert_eq!(mask_digits("topic", 0), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn rendering_twice_changes_nothing(
            path in "(/[a-c;=.]{0,4}){0,4}", query in "(\\?[ab;=&]{0,8})?"
        ) {
            let url = format!("http://e.org{path}{query}");
            let once = Parts::parse(&url).unwrap().render();
            let twice = Parts::parse(&once).unwrap().render();
            prop_assert_eq!(once, twice);
        }

        #[test]
        fn parts_that_are_taken_over_are_the_same(
            urls in proptest::collection::vec("http://(e|f)(/[a-b;=.]{0,4}){0,3}(\\?[ab;=&]{0,8})?", 2)
        ) {
            let (new, old) = (Parts::parse(&urls[0]).unwrap(), Parts::parse(&urls[1]).unwrap());
            prop_assert_eq!(new.clone().taken_over(old), new);
        }

        #[test]
        fn anything_may_be_taken_apart_without_harm(text in "\\PC{0,40}") {
            if let Some(parts) = Parts::parse(&text) {
                let _ = (parts.render(), parts.pairs());
            }
        }
    }
}
