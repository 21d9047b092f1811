//! Finds the parts in the text of a URL.

use std::borrow::Cow;

use super::{Param, Parts};

/// Parameters of a URL that rules look at; each may be compared with each, and no form of a site has as many.
const MOST_PARAMS: usize = 256;

/// Which octets divide a path, or end it.
const IN_PATH: [bool; 256] = those(b"/;?");
/// Which octets divide a query, or end it.
const IN_QUERY: [bool; 256] = those(b"=&;");

const fn those(octets: &[u8]) -> [bool; 256] {
    let mut those = [false; 256];
    let mut at = 0;
    while at < octets.len() {
        those[octets[at] as usize] = true;
        at += 1;
    }
    those
}

/// Where scheme, authority, path and query lie in the text of a URL.
pub(crate) fn slices(url: &str) -> Option<(&str, &str, &str, Option<&str>)> {
    let (scheme, rest) = begin(url)?;
    let end = memchr::memchr2(b'/', b'?', rest.as_bytes()).unwrap_or(rest.len());
    let (host, rest) = rest.split_at(end);
    let (path, query) = match cut(rest, b'?') {
        Some((path, query)) => (path, Some(query)),
        None => (rest, None),
    };
    Some((scheme, host, path, query))
}

/// A URL without its fragment.
pub(crate) fn without_fragment(url: &str) -> &str {
    cut(url, b'#').map_or(url, |(url, _)| url)
}

/// The scheme, and what is behind the two slashes.
fn begin(url: &str) -> Option<(&str, &str)> {
    let octets = url.as_bytes();
    let start = memchr::memchr_iter(b'/', octets).find(|at| octets.get(at + 1) == Some(&b'/'))?;
    let scheme = match start.checked_sub(1) {
        None => "",
        Some(colon) if octets[colon] == b':' => &url[..colon],
        Some(_) => return None,
    };
    Some((scheme, &url[start + 2..]))
}

/// What is before and behind the first of these octets, which is one of ASCII.
fn cut(text: &str, mark: u8) -> Option<(&str, &str)> {
    let at = memchr::memchr(mark, text.as_bytes())?;
    Some((&text[..at], &text[at + 1..]))
}

/// Whether `;` separates parameters in this query: some piece between semicolons is a parameter, and every
/// piece starts with a plain name.
pub(crate) fn separates_by_semicolon(query: &str) -> bool {
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
    /// The parameter of a query that lies there.
    fn of(text: &'a str, from: usize, equals: Option<usize>, to: usize) -> Self {
        Self {
            at: 0,
            name: Cow::Borrowed(&text[from..equals.unwrap_or(to)]),
            value: equals.map(|equals| Cow::Borrowed(&text[equals + 1..to])),
        }
    }

    /// Adds the parameters between marks, which are octets of ASCII.
    fn read(text: &'a str, at: u8, is_mark: impl Fn(u8) -> bool, params: &mut Vec<Self>) {
        let (mut from, mut equals) = (0, None);
        for (place, octet) in text.bytes().enumerate() {
            if octet == b'=' && equals.is_none() {
                equals = Some(place);
            } else if is_mark(octet) {
                params.push(Self {
                    at,
                    ..Self::of(text, from, equals.take(), place)
                });
                from = place + 1;
            }
        }
        params.push(Self {
            at,
            ..Self::of(text, from, equals, text.len())
        });
    }
}

impl<'a> Parts<'a> {
    /// Takes the text of an absolute URL apart, without its fragment. `None` if it is not one.
    pub fn parse(url: &'a str) -> Option<Self> {
        Self::of_class(without_fragment(url))
    }

    /// Takes the name of a class apart, or a URL without fragment; `None` when it has no host.
    pub(crate) fn of_class(class: &'a str) -> Option<Self> {
        let mut parts = Self::none();
        parts.read(class).then_some(parts)
    }

    /// Becomes the parts of a class, or of a URL without fragment; what was allocated is used again. `false` when it is none: of what there is then
    /// nothing may be expected.
    pub(crate) fn read(&mut self, url: &'a str) -> bool {
        self.read_all(url).is_some()
    }

    /// Goes through the text once: [`slices`] would look at each octet several times.
    fn read_all(&mut self, url: &'a str) -> Option<()> {
        let (scheme, rest) = begin(url)?;
        let is_end = |octet: u8| matches!(octet, b'/' | b'?');
        let end = rest.bytes().position(is_end).unwrap_or(rest.len());
        let (host, rest) = rest.split_at(end);
        self.scheme = Cow::Borrowed(scheme);
        self.host = Cow::Borrowed(host);
        let rest = self.read_path(rest.strip_prefix('/').unwrap_or(rest))?;
        self.query.clear();
        self.separator = '&';
        if let Some(query) = rest.strip_prefix('?') {
            self.read_query(query);
        }
        let are_few = self.query.len() <= MOST_PARAMS && self.path_params.len() <= MOST_PARAMS;
        are_few.then_some(())
    }

    /// Takes the path apart that a text begins with; says what is behind it.
    fn read_path(&mut self, text: &'a str) -> Option<&'a str> {
        self.segs.clear();
        self.path_params.clear();
        if self.segs.capacity() == 0 && !text.is_empty() {
            let octets = text.bytes().take_while(|b| *b != b'?');
            let marks = octets.filter(|b| *b == b'/').count();
            self.segs.reserve_exact(marks + 1);
        }
        let (mut from, mut semicolon, mut end) = (0, None, text.len());
        for (place, &octet) in text.as_bytes().iter().enumerate() {
            if !IN_PATH[usize::from(octet)] {
                continue;
            }
            match octet {
                b'/' => {
                    self.add_segment(text, from, semicolon.take(), place)?;
                    from = place + 1;
                }
                b';' => semicolon = semicolon.or(Some(place)),
                _ => {
                    end = place;
                    break;
                }
            }
        }
        // Behind the slash at the end there is no segment.
        self.slash = from == end && from > 0;
        if !self.slash && end > 0 {
            self.add_segment(text, from, semicolon, end)?;
        }
        Some(&text[end..])
    }

    /// Adds the segment that lies there, with the parameters behind its first semicolon.
    fn add_segment(
        &mut self,
        text: &'a str,
        from: usize,
        semicolon: Option<usize>,
        to: usize,
    ) -> Option<()> {
        let at = u8::try_from(self.segs.len()).ok()?;
        let segment = &text[from..semicolon.unwrap_or(to)];
        self.segs.push(Cow::Borrowed(segment));
        if let Some(semicolon) = semicolon {
            let params = &text[semicolon + 1..to];
            Param::read(params, at, |b| b == b';', &mut self.path_params);
        }
        Some(())
    }

    /// Takes the query apart that a text begins with.
    fn read_query(&mut self, text: &'a str) {
        if self.query.capacity() == 0 {
            let marks = text.bytes().filter(|b| matches!(b, b'&' | b';')).count();
            self.query.reserve_exact(marks + 1);
        }
        let (mut from, mut equals) = (0, None);
        let mut has_semicolon = false;
        for (place, &octet) in text.as_bytes().iter().enumerate() {
            if !IN_QUERY[usize::from(octet)] {
                continue;
            }
            match octet {
                b'=' => equals = equals.or(Some(place)),
                b'&' => {
                    self.query.push(Param::of(text, from, equals.take(), place));
                    from = place + 1;
                }
                _ => has_semicolon = true,
            }
        }
        self.query.push(Param::of(text, from, equals, text.len()));
        if has_semicolon && separates_by_semicolon(text) {
            self.separator = ';';
            self.query.clear();
            let is_mark = |b: u8| matches!(b, b'&' | b';');
            Param::read(text, 0, is_mark, &mut self.query);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Parts, slices};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]
        #[test]
        fn parts_lie_where_the_slices_are(url in "(http:|https:|x|:)?/{0,3}[a-b:]{0,2}[/;a-b=?&#]{0,16}") {
            let Some((scheme, host, path, query)) = slices(&url) else {
                prop_assert!(Parts::of_class(&url).is_none());
                return Ok(());
            };
            let parts = Parts::of_class(&url).unwrap();
            prop_assert_eq!((&*parts.scheme, &*parts.host), (scheme, host));
            let path = path.strip_prefix('/').unwrap_or(path);
            let bare = path.strip_suffix('/').unwrap_or(path);
            prop_assert_eq!(parts.slash, bare != path);
            let segs: Vec<&str> = bare.split('/').map(|s| s.split(';').next().unwrap()).collect();
            prop_assert_eq!(&parts.segs, &segs[usize::from(path.is_empty())..]);
            let marks: &[char] = if parts.separator == ';' { &['&', ';'] } else { &['&'] };
            let names = query.map(|query| query.split(marks).map(|p| p.split('=').next().unwrap()));
            let names: Vec<&str> = names.into_iter().flatten().collect();
            prop_assert_eq!(parts.query.iter().map(|p| &*p.name).collect::<Vec<_>>(), names);
        }
    }

    #[test]
    fn a_url_of_more_parameters_than_any_form_has_is_left_alone() {
        let url = |params: usize| format!("http://e.org/?{}", vec!["a=1"; params].join("&"));
        assert!(Parts::parse(&url(256)).is_some());
        assert!(Parts::parse(&url(257)).is_none());
    }
}
