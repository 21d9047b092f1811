//! What are the parts of a URL?
//!
//! A [`Form`] is a URL taken apart: origin, path segments, and parameters (`;name=value` of the path
//! included). An [`Edit`] says that some part does not matter. Forms are never put together again: they
//! are only compared, by hash, so no URL is ever made up.

mod edit;

use std::{borrow::Cow, cell::Cell};

use smallvec::SmallVec;
use url::Url;
use xxhash_rust::xxh3::xxh3_64_with_seed;

pub use edit::{Edit, Param};

/// A URL taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form<'u> {
    pub(super) origin: Cow<'u, str>,
    pub(super) segments: Segments<'u>,
    pub(super) params: Params<'u>,
    keys: Keys,
}

/// Segments of a path; few have more.
type Segments<'u> = SmallVec<[Cow<'u, str>; 6]>;
/// Names and values of parameters.
type Params<'u> = SmallVec<[(Cow<'u, str>, Cow<'u, str>); 4]>;

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
        let octets = text.as_bytes();
        let colon = octets.iter().position(|b| *b == b':');
        let host_at = colon.filter(|at| octets[*at..].starts_with(b"://"));
        let host_at = host_at.map_or(0, |at| at + 3);
        let end_of = |from: usize, ends: &dyn Fn(u8) -> bool| {
            let end = octets[from..].iter().position(|b| ends(*b));
            end.map_or(octets.len(), |at| from + at)
        };
        let path_at = end_of(host_at, &|b| matches!(b, b'/' | b'?'));
        let query_at = end_of(path_at, &|b| b == b'?');
        let (mut segments, mut params) = (Segments::new(), Params::new());
        let mut from = path_at + usize::from(octets.get(path_at) == Some(&b'/'));
        loop {
            let to = end_of(from, &|b| matches!(b, b'/' | b'?'));
            push_segment(&text[from..to], &mut segments, &mut params);
            if to >= query_at {
                break;
            }
            from = to + 1;
        }
        if query_at < octets.len() {
            for pair in text[query_at + 1..].split(['&', ';']) {
                let (key, value) = name_and_value(pair);
                params.push((Cow::Borrowed(key), Cow::Borrowed(value)));
            }
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
            let names = self.params.iter().map(|(k, _)| hash_of(3, k));
            let mut names: SmallVec<[u64; 8]> = names.collect();
            names.sort_unstable();
            names.dedup();
            names.into_iter().fold(7, join)
        })
    }
}

/// A segment, and the parameters that it has behind `;`.
fn push_segment<'u>(segment: &'u str, segments: &mut Segments<'u>, params: &mut Params<'u>) {
    let Some(end) = segment.bytes().position(|b| b == b';') else {
        segments.push(Cow::Borrowed(segment));
        return;
    };
    segments.push(Cow::Borrowed(&segment[..end]));
    for pair in segment[end + 1..].split(';') {
        let (key, value) = name_and_value(pair);
        params.push((Cow::Owned(format!(";{key}")), Cow::Borrowed(value)));
    }
}

fn name_and_value(pair: &str) -> (&str, &str) {
    let sign = pair.bytes().position(|b| b == b'=');
    sign.map_or((pair, ""), |at| (&pair[..at], &pair[at + 1..]))
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
