//! What are the parts of a URL?
//!
//! A [`Form`] is a URL taken apart: origin, path segments, and parameters (`;name=value` of the path
//! included). An [`Edit`] says that some part does not matter. Forms are never put together again: they
//! are only compared, by hash, so no URL is ever made up.

mod change;
mod edit;
mod hashed;
mod heap;
mod params;
mod part;
mod piece;
mod shape;
mod signs;

use std::cell::Cell;

use smallvec::SmallVec;
use url::Url;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use edit::ANY;
pub use edit::Edit;
pub(super) use edit::Effect;
pub(super) use hashed::{Hashed, Present};
pub use params::Param;
pub(super) use part::{Kind, Part, is_same};
pub use piece::Whole;
pub(super) use piece::{leaves_number, piece};
use shape::class_of;
use signs::Signs;

/// A URL taken apart.
#[derive(Debug, PartialEq, Eq)]
pub struct Form<'u> {
    pub(super) origin: Part<'u>,
    pub(super) segments: Segments<'u>,
    pub(super) params: Params<'u>,
    keys: Keys,
}

/// Segments of a path; few have more.
type Segments<'u> = SmallVec<[Part<'u>; 6]>;
/// Names and values of parameters.
type Params<'u> = SmallVec<[(Part<'u>, Part<'u>); 4]>;

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

impl Keys {
    /// Forgets what an edit may have changed. `of_params`: origin and path are as they were.
    fn forget(&mut self, of_params: bool) {
        if of_params {
            self.whole.set(0);
            self.names.set(0);
        } else {
            *self = Self::default();
        }
    }
}

/// A name that is made once.
fn once(known: &Cell<u64>, make: impl FnOnce() -> u64) -> u64 {
    if known.get() == 0 {
        known.set(make());
    }
    known.get()
}

impl Clone for Form<'_> {
    fn clone(&self) -> Self {
        let mut copy = Self {
            origin: self.origin.clone(),
            segments: Segments::with_capacity(self.segments.len()),
            params: Params::with_capacity(self.params.len()),
            keys: self.keys.clone(),
        };
        for segment in &self.segments {
            copy.segments.push(segment.clone());
        }
        for (name, value) in &self.params {
            copy.params.push((name.clone(), value.clone()));
        }
        copy
    }
}

impl<'u> Form<'u> {
    /// Takes a URL apart.
    pub fn of(url: &'u Url) -> Self {
        Self::parse(url.as_str())
    }

    /// Takes the text of a canonical URL apart.
    pub fn parse(text: &'u str) -> Self {
        let octets = text.as_bytes();
        let colon = octets.iter().position(|octet| *octet == b':');
        let has_scheme = colon.is_some_and(|at| octets[at..].starts_with(b"://"));
        let mut signs = Signs::new(octets);
        if let (true, Some(colon)) = (has_scheme, colon) {
            // The two slashes before the host.
            signs.skip_to(colon + 3);
        }
        let path_at = signs.end(|sign| matches!(sign, b'/' | b'?'));
        let mut form = Self {
            origin: Part::found(Kind::Origin, &text[..path_at]),
            segments: Segments::new(),
            params: Params::new(),
            keys: Keys::default(),
        };
        let is_end = |sign| matches!(sign, b'/' | b'?' | b';');
        let pair = |from: usize, (equals, end): (Option<usize>, usize)| {
            let (name, value) = match equals {
                Some(at) if !is_token(&text[from..at]) => (&text[from..at], &text[at + 1..end]),
                Some(_) => nameless(&text[from..end]),
                None => without_name(&text[from..end]),
            };
            (
                Part::found(Kind::Name, name),
                Part::found(Kind::Value, value),
            )
        };
        let mut at = path_at;
        while octets.get(at) == Some(&b'/') || form.segments.is_empty() {
            let is_slash = octets.get(at) == Some(&b'/');
            let from = at + usize::from(is_slash);
            if is_slash {
                at = signs.end(is_end);
            }
            (form.segments).push(Part::found(Kind::Segment, &text[from..at]));
            // Parameters that a segment has behind `;`, which is part of the name.
            while octets.get(at) == Some(&b';') {
                let ends = signs.end_of_pair(is_end);
                form.params.push(pair(at, ends));
                at = ends.1;
            }
        }
        while at < octets.len() {
            let ends = signs.end_of_pair(|sign| matches!(sign, b'&' | b';'));
            form.params.push(pair(at + 1, ends));
            at = ends.1;
        }
        form
    }

    /// Name of the whole.
    pub fn key(&self) -> u64 {
        once(&self.keys.whole, || {
            self.key_with(
                self.params
                    .iter()
                    .map(|(name, value)| (name.hash(), value.hash())),
            )
        })
    }

    /// Name of the whole if it had these parameters, by the hashes of their names and values.
    fn key_with(&self, params: impl Iterator<Item = (u64, u64)>) -> u64 {
        params.fold(self.path_key(), |hash, (name, value)| {
            join(join(hash, name), value)
        })
    }

    /// Name of origin and path.
    pub(super) fn path_key(&self) -> u64 {
        once(&self.keys.path, || {
            let segments = self.segments.iter();
            segments.fold(self.origin.hash(), |hash, segment| {
                join(hash, segment.hash())
            })
        })
    }

    /// Name of origin and generalised path: numbers and long or composed names do not count.
    pub(super) fn shape_key(&self) -> u64 {
        once(&self.keys.shape, || self.make_shape_key())
    }

    fn make_shape_key(&self) -> u64 {
        let last = self.segments.len().saturating_sub(1);
        let segments = self.segments.iter().enumerate();
        segments.fold(self.origin.hash(), |hash, (i, segment)| {
            join(hash, class_of(segment, i == 0, i == last).hash())
        })
    }

    /// Name of the kind of page that the last segment speaks of: a folder, an extension (files that are numbered, which
    /// are mostly lists, apart), anything else.
    pub(super) fn kind_key(&self) -> u64 {
        let last = self.segments.last().map_or("", |last| last);
        let stem = last.rsplit_once('.').map_or("", |(stem, _)| stem);
        let is_numbered = stem.ends_with(|sign: char| sign.is_ascii_digit());
        join(
            class_of(last, false, true).hash(),
            u64::from(self.params.is_empty()) | u64::from(is_numbered) << 1,
        )
    }

    /// Name of the set of parameter names.
    pub(super) fn names_key(&self) -> u64 {
        once(&self.keys.names, || {
            let names = || self.params.iter().map(|(name, _)| name.hash());
            if self.params.len() <= FEW {
                return of_few(names());
            }
            let mut names: Vec<u64> = names().collect();
            names.sort_unstable();
            names.dedup();
            names.into_iter().fold(7, join)
        })
    }
}

/// Stands for the name of what has none, and cannot be one: `?363073689` has a value.
pub(super) const NAMELESS: &str = "#";
/// The same in a path, where the sign before the name is part of it.
pub(super) const NAMELESS_IN_PATH: &str = ";#";

/// Name and value of a parameter without `=`: a word is a name without a value, anything with a digit a value without a name.
fn without_name(text: &str) -> (&str, &str) {
    if text.bytes().any(|octet| octet.is_ascii_digit()) {
        nameless(text)
    } else {
        (text, "")
    }
}

/// Name and value of what has no name.
fn nameless(text: &str) -> (&str, &str) {
    match text.strip_prefix(';') {
        Some(value) => (NAMELESS_IN_PATH, value),
        None => (NAMELESS, text),
    }
}

/// Octets of a name from which on it may be a token; numbers are short before that.
const LEAST_TOKEN: usize = 6;

/// Whether the name of a parameter is none, but a token that the site makes anew (`?7f3a09=1`): hexadecimal, but for a sign or a
/// letter before it, or digits and letters in turn.
fn is_token(name: &str) -> bool {
    let name = name.strip_prefix(';').unwrap_or(name).as_bytes();
    // Most names have no digit.
    if name.len() < LEAST_TOKEN || !name.iter().any(u8::is_ascii_digit) {
        return false;
    }
    let is_hex = |octets: &[u8]| octets.iter().all(u8::is_ascii_hexdigit);
    let changes = |octets: &[u8]| {
        let differ = |two: &&[u8]| two[0].is_ascii_digit() != two[1].is_ascii_digit();
        octets.windows(2).filter(differ).count()
    };
    is_hex(name)
        || (name.len() > LEAST_TOKEN && is_hex(&name[1..]))
        || (name.iter().all(u8::is_ascii_alphanumeric) && changes(name) >= 3)
}

/// Parameters that few URLs have more of.
const FEW: usize = 8;

/// Name of a set of few names.
fn of_few(names: impl Iterator<Item = u64>) -> u64 {
    let (mut sorted, mut len) = ([0; FEW], 0);
    for name in names {
        let mut at = len;
        while at > 0 && sorted[at - 1] > name {
            sorted[at] = sorted[at - 1];
            at -= 1;
        }
        if at > 0 && sorted[at - 1] == name {
            // Those behind it go back.
            sorted.copy_within(at + 1..=len, at);
        } else {
            sorted[at] = name;
            len += 1;
        }
    }
    sorted[..len].iter().fold(7, |all, name| join(all, *name))
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
    use proptest::prelude::*;

    use super::*;
    use crate::cut::Cut;

    fn any_param() -> impl Strategy<Value = Param> {
        ("[ab]", "[x*]").prop_flat_map(|(name, value)| {
            prop_oneof![
                Just(Param::Any(name.as_str().into())),
                Just(Param::Wild(name.as_str().into())),
                Just(Param::Value(name.into(), value.into())),
            ]
        })
    }

    fn any_edit() -> impl Strategy<Value = Edit> {
        let path = || prop::collection::vec("[xyX]?", 0..3);
        prop_oneof![
            ("http://[ef]", "http://[ef]").prop_map(|(from, to)| Edit::Origin { from, to }),
            (path(), path()).prop_map(|(from, to)| Edit::Prefix { from, to }),
            (path(), path()).prop_map(|(from, to)| Edit::Suffix { from, to }),
            (path(), "[ab]", path()).prop_map(|(path, name, to)| Edit::Move { path, name, to }),
            ("[.xy]{0,2}", "[.xy]{0,2}").prop_map(|(from, to)| Edit::Extension { from, to }),
            Just(Edit::HostNumber),
            (0..3usize, 2..4usize).prop_map(|(at, of)| Edit::Superfluous { at, of }),
            (
                prop_oneof![
                    (0..3usize, 1..4usize).prop_map(|(at, of)| Whole::Segment { at, of }),
                    "[ab]".prop_map(|name| Whole::Value { name }),
                ],
                prop::sample::select(vec!["x", "X", "."]),
                prop::sample::select(Cut::ALL.to_vec())
            )
                .prop_map(|(of, sign, cut)| Edit::Piece {
                    of,
                    sign: sign.into(),
                    cut
                }),
            ("[ab]", any::<bool>()).prop_map(|(name, last)| Edit::Repeated { name, last }),
            (0..3usize).prop_map(|drop| Edit::Head { drop }),
            (0..3usize).prop_map(|keep| Edit::Tail { keep }),
            (prop::collection::vec(0..2usize, 1..3), 2..4usize)
                .prop_map(|(at, of)| Edit::Segments { at, of }),
            prop::collection::vec(any_param(), 1..4).prop_map(Edit::Params),
            (
                (prop::collection::vec(0..2usize, 1..3), 2..4usize),
                prop::collection::vec(any_param(), 1..3)
            )
                .prop_map(|((at, of), params)| Edit::Both {
                    path: Edit::Segments { at, of }.into(),
                    params,
                }),
            prop::sample::select(vec![
                Edit::Case,
                Edit::QueryCase,
                Edit::AllParams,
                Edit::Order
            ]),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        #[test]
        fn what_an_edit_will_do_is_told_before(
            url in "http://[ef][1*]?/([xyX*]?/){0,3}x?(;a=x)?(\\?([abA]=[xX*]?&?){0,4})?",
            edit in any_edit(),
        ) {
            let form = Form::parse(&url);
            // Names that are known before are known after, or forgotten.
            let _ = (form.key(), form.shape_key(), form.names_key());
            let mut after = form.clone();
            let is_applied = edit.apply(&mut after);
            let effect = edit.effect(&form);
            prop_assert_eq!(effect.is_some(), is_applied);
            prop_assert_eq!(edit.key_after(&form), after.key());
            let undone = edit.undo(&form).map(|form| form.key());
            let hashed = Hashed::from(edit);
            let mut again = form.clone();
            prop_assert_eq!(hashed.apply(&mut again), is_applied);
            prop_assert_eq!((again.key(), again.names_key()), (after.key(), after.names_key()));
            prop_assert_eq!(hashed.effect(&form), effect);
            prop_assert_eq!(hashed.changes(&form), after != form);
            prop_assert_eq!(hashed.key_after(&form), after.key());
            prop_assert_eq!(hashed.key_before(&form), undone);
            if let Some(effect) = effect {
                prop_assert_eq!(effect.dropped, form.params.len() - after.params.len());
            }
            let mut anew = after.clone();
            anew.keys = Keys::default();
            for part in &mut anew.segments {
                *part = Part::new(Kind::Segment, part.to_string());
            }
            for (name, value) in &mut anew.params {
                *name = Part::new(Kind::Name, name.to_string());
                *value = Part::new(Kind::Value, value.to_string());
            }
            prop_assert_eq!(after.key(), anew.key());
            prop_assert_eq!(after.path_key(), anew.path_key());
            prop_assert_eq!(after.shape_key(), anew.shape_key());
            prop_assert_eq!(after.names_key(), anew.names_key());
        }
    }

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
    fn names_that_are_tokens_are_none() {
        let name = |url: &str| Form::parse(url).params[0].0.to_string();
        for token in [
            "7f3a09=1",
            "1699999999=",
            "a7X2b9Q=x",
            "deadbeef1=",
            "x7f3a09=1",
            "_1699999999=",
            "363073689",
        ] {
            assert_eq!(name(&format!("http://e.org/?{token}")), NAMELESS, "{token}");
            let in_path = format!("http://e.org/a;{token}");
            assert_eq!(name(&in_path), NAMELESS_IN_PATH, "{token}");
        }
        for word in [
            "id",
            "page2",
            "filter10",
            "sha256sum",
            "f[1]",
            "utm_source",
            "decade",
            "12",
            "mp3player",
        ] {
            assert_eq!(name(&format!("http://e.org/?{word}=1")), word);
        }
    }

    #[test]
    fn a_part_of_the_path_and_parameters_go_where_all_of_them_are_there() {
        let edit: Edit = "segments [0] of 2 are ignored and s is ignored, ;t is ignored"
            .parse()
            .unwrap();
        let made = |url: &str| after(&edit, url);
        assert!(made("http://e.org/7/a;t=7?s=7").is_some());
        assert_eq!(
            made("http://e.org/7/a;t=7?s=7"),
            made("http://e.org/8/a;t=8?s=9")
        );
        assert_ne!(
            made("http://e.org/7/a;t=7?s=7"),
            made("http://e.org/7/b;t=7?s=7")
        );
        for other in ["7/a;t=7", "7/a?s=7", "a;t=7?s=7"] {
            assert_eq!(made(&format!("http://e.org/{other}")), None, "{other}");
        }
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
    fn what_has_no_name_is_a_value_unless_it_is_a_word() {
        let parts = |url: &str| -> Vec<(String, String)> {
            let form = Form::parse(url);
            let pairs = form.params.iter();
            pairs
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .collect()
        };
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let url = "http://e.org/a;7f/b;v?363&print&x2=";
        let wanted = [
            (";#", "7f"),
            (";v", ""),
            ("#", "363"),
            ("print", ""),
            ("x2", ""),
        ];
        assert_eq!(parts(url), wanted.map(|(name, value)| pair(name, value)));
        let any = Edit::Params(vec![Param::Any("#".into())]);
        assert_eq!(
            after(&any, "http://e.org/a?363"),
            after(&any, "http://e.org/a?7f")
        );
    }

    #[test]
    fn extensions_are_aliases_and_of_several_parameters_one_counts() {
        let html = Edit::Extension {
            from: ".html".into(),
            to: String::new(),
        };
        let key = |url: &str| Some(Form::parse(url).key());
        assert_eq!(
            after(&html, "http://e.org/a.html?x=1"),
            key("http://e.org/a?x=1")
        );
        assert_eq!(after(&html, "http://e.org/.html"), None);
        assert_eq!(after(&html, "http://e.org/a.htm"), None);
        let plain = Form::parse("http://e.org/a?x=1");
        let alias = html.undo(&plain).map(|form| form.key());
        assert_eq!(alias, key("http://e.org/a.html?x=1"));
        let one = |last| Edit::Repeated {
            name: "t".into(),
            last,
        };
        let url = "http://e.org/?t=1&x=2&t=3&t=4";
        assert_eq!(after(&one(false), url), key("http://e.org/?t=1&x=2"));
        assert_eq!(after(&one(true), url), key("http://e.org/?x=2&t=4"));
        assert_eq!(after(&one(true), "http://e.org/?t=1&x=2"), None);
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
