//! The values that a claim was tried on, and what stood beside them.

use percent_encoding::percent_decode_str;
use smallvec::SmallVec;

use super::selectors::Selectors;
use crate::predict::{
    belief::Level,
    form::{Edit, Form, Hashed, Part, Whole, folders, hash_of, join, number_of_host, piece},
};

/// Number of the way in which kinds are named. Grows with every change of the names below: those in files of beliefs then
/// say nothing any more.
pub(in crate::predict) const KINDS: u32 = 4;

/// No namespace.
pub(super) const PLAIN: u32 = 1;

/// A word without a namespace: what holds for numbers and tokens need not for words.
const WORD: u64 = 3;

/// Octets of the longest value that is a kind.
const LONGEST: usize = 24;

/// Names of the kinds of a trial: of the namespaces and of the values of what an edit calls irrelevant, of the parameters
/// there (or of what it calls irrelevant of the path, where it speaks of both), and of what stands beside; 0 where there is none.
pub(super) type Kind = [u32; 4];

/// What of a kind is the same on all levels: namespaces, values, and what stands beside.
pub(super) type Common = [u32; 3];

/// The kind of a trial of a claim.
pub(super) fn kind_of(
    edit: &Hashed,
    level: Level,
    before: &Form<'_>,
    selectors: &Selectors,
) -> Kind {
    at_level(common(edit, before, selectors), edit, level, before)
}

/// What of the kind of a trial is the same on all levels.
pub(super) fn common(edit: &Hashed, before: &Form<'_>, selectors: &Selectors) -> Common {
    [
        forms_of(edit, before),
        values_of(edit, before),
        surroundings(edit, before, selectors),
    ]
}

/// The same with what is told apart on a level: where a claim is about a path, what holds beside some parameters need not
/// beside others.
pub(super) fn at_level(
    [namespaces, values, beside]: Common,
    edit: &Hashed,
    level: Level,
    before: &Form<'_>,
) -> Kind {
    [namespaces, values, names_at(edit, level, before), beside]
}

/// One of the names that make up the [kind](kind_of) of a trial.
pub(super) fn one_of_kind(
    way: usize,
    edit: &Hashed,
    level: Level,
    before: &Form<'_>,
    selectors: &Selectors,
) -> u32 {
    match way {
        0 => forms_of(edit, before),
        1 => values_of(edit, before),
        2 => names_at(edit, level, before),
        _ => surroundings(edit, before, selectors),
    }
}

/// Name of the names of the parameters, or of the shape of the path, where these are told apart; of an edit of a part of the path and parameters, of that part.
fn names_at(edit: &Hashed, level: Level, before: &Form<'_>) -> u32 {
    if let Edit::Both { path, .. } = &**edit {
        return of_path(path, before).map_or(0, |name| name as u32 | 1);
    }
    if level == Level::Domain {
        // One host may be an exception.
        return before.origin.hash() as u32 | 1;
    }
    let is_of_sections = level == Level::Host && edit.is_of_segments();
    if level == Level::HostNames || is_of_sections {
        // One shape of path may be an exception.
        return before.shape_key() as u32 | 1;
    }
    // A script may be another's alias for some parameters only.
    if let Edit::Suffix { from, to } = &**edit
        && !from.is_empty()
        && !to.is_empty()
    {
        return before.names_key() as u32 | 1;
    }
    let is_of_names = level == Level::Path && matches!(**edit, Edit::Params(_) | Edit::AllParams);
    if is_of_names {
        before.names_key() as u32 | 1
    } else {
        0
    }
}

/// Name of what stands beside what an edit of parameters calls irrelevant: of the folder, of the action, of the namespaces of
/// other values; 0 where nothing does.
fn surroundings(edit: &Hashed, before: &Form<'_>, selectors: &Selectors) -> u32 {
    let is_all = match &**edit {
        Edit::Params(_)
        | Edit::Both { .. }
        | Edit::Piece {
            of: Whole::Value { .. },
            ..
        }
        | Edit::Items {
            of: Whole::Value { .. },
            ..
        } => false,
        Edit::AllParams => true,
        Edit::Origin { .. } | Edit::HostNumber => return folder(before, 0),
        Edit::Prefix { from, .. } => return folder(before, from.len()),
        Edit::Reshape { from, .. } => return folder(before, from.before.len() + 1),
        Edit::Piece {
            of: Whole::Segment { at, .. },
            ..
        }
        | Edit::Items {
            of: Whole::Segment { at, .. },
            ..
        } if *at > 0 => return folder(before, 0),
        _ => return 0,
    };
    let others = (before.params.iter()).filter(|(name, _)| !is_all && !edit.speaks_of(name.hash()));
    let spaces = others.filter_map(|(name, value)| Some((name.hash(), kind_of_value(value)?)));
    let all = spaces.map(|(name, space)| join(join(53, name), space));
    // Whatever the order.
    let all = all
        .chain(selectors.beside(edit, before))
        .chain(folder_of_both(edit, before).map(u64::from))
        .reduce(u64::wrapping_add);
    all.map_or(0, |all| all as u32 | 1)
}

/// Name of the folder that an alias of folders, or a piece of a segment, stands beside where parameters go with it.
fn folder_of_both(edit: &Edit, before: &Form<'_>) -> Option<u32> {
    let Edit::Both { path, .. } = edit else {
        return None;
    };
    let behind = match &**path {
        Edit::Prefix { from, .. } => from.len(),
        Edit::Piece {
            of: Whole::Segment { at, .. },
            ..
        } if *at > 0 => 0,
        _ => return None,
    };
    Some(folder(before, behind)).filter(|folder| *folder > 0)
}

/// Name of the folder behind so many segments; 0 where there is none.
fn folder(before: &Form<'_>, behind: usize) -> u32 {
    match &before.segments[behind.min(before.segments.len())..] {
        [folder, _, ..] => join(54, folder.hash()) as u32 | 1,
        _ => 0,
    }
}

/// Name of the values that an edit calls irrelevant here; 0 where any is too long to be one of few, or none is there.
fn values_of(edit: &Hashed, before: &Form<'_>) -> u32 {
    if let Edit::Piece { .. } = &**edit {
        return of_path(edit, before).map_or(0, |piece| piece as u32 | 1);
    }
    let mut name = 0;
    let mut add = |part: &Part<'_>| {
        name = join(name, part.hash());
        is_short(part)
    };
    let all = match &**edit {
        Edit::Params(_) | Edit::Both { .. } => edit.irrelevant(before).all(&mut add),
        Edit::AllParams => before.params.iter().all(|(of, value)| {
            // Whatever their order.
            name = name.wrapping_add(join(of.hash(), value.hash()));
            is_short(value)
        }),
        _ => of_path(edit, before).is_some_and(|path| {
            name = path;
            true
        }),
    };
    if !all || name == 0 {
        return 0;
    }
    // What one parameter of a set may be, another may not.
    join(name, edit.present(before)) as u32 | 1
}

fn is_short(value: &str) -> bool {
    value.len() <= LONGEST
}

/// Name of what an edit of the path calls irrelevant here; `None` where any of it is too long to be one of few, or none is there.
fn of_path(edit: &Edit, before: &Form<'_>) -> Option<u64> {
    if let Edit::Piece { of, sign, cut } = edit {
        let piece = piece(of, sign, *cut, before).filter(|piece| is_short(piece));
        return piece.map(|piece| hash_of(60, piece));
    }
    if let Edit::HostNumber = edit {
        let number = number_of_host(before).filter(|number| is_short(number));
        return number.map(|number| hash_of(61, number));
    }
    let mut name = 0;
    let mut add = |part: &Part<'_>| {
        name = join(name, part.hash());
        is_short(part)
    };
    let segments = &before.segments;
    let all = match edit {
        Edit::Head { drop } => segments.iter().take(*drop).all(&mut add),
        Edit::Folders => (segments.iter().take(folders(before))).all(&mut add),
        Edit::Tail { keep } => segments.iter().skip(*keep).all(&mut add),
        Edit::Superfluous { at, .. } => segments.get(*at).into_iter().all(&mut add),
        Edit::Segments { at, .. } => (at.iter().filter_map(|at| segments.get(*at))).all(&mut add),
        _ => false,
    };
    (all && name != 0).then_some(name)
}

/// Name of the namespaces of the values that an edit calls irrelevant here; 0 where it names them, or there are none.
pub(super) fn namespaces_of(edit: &Hashed, before: &Form<'_>) -> u32 {
    name_of_values(edit, before, kind_of_value)
}

/// The same with words told apart from numbers and tokens.
fn forms_of(edit: &Hashed, before: &Form<'_>) -> u32 {
    let word = |value: &str| reads_as_words(value).then_some(WORD);
    name_of_values(edit, before, |value| {
        kind_of_value(value).or_else(|| word(value))
    })
}

fn name_of_values(edit: &Hashed, before: &Form<'_>, kind_of: impl Fn(&str) -> Option<u64>) -> u32 {
    let is_all = matches!(**edit, Edit::AllParams);
    let all = before.params.iter().filter(|_| is_all);
    let values = (all.map(|(_, value)| value)).chain(edit.irrelevant(before));
    let mut is_any = false;
    let mut kinds = SmallVec::<[u64; 8]>::new();
    for value in values {
        is_any = true;
        kinds.extend(kind_of(value));
    }
    if !is_any {
        return 0;
    }
    // Whatever the order, and however many plain ones there are.
    if kinds.len() > 1 {
        kinds.sort_unstable();
        kinds.dedup();
    }
    let kind = kinds.into_iter().reduce(join).unwrap_or(u64::from(PLAIN));
    kind as u32 | 1
}

/// The kind of a value that has a namespace.
fn kind_of_value(value: &str) -> Option<u64> {
    namespace(value).map(|(name, _)| hash_of(52, name))
}

/// Whether a value is made of letters, of whatever script, and of what stands between words.
pub(super) fn reads_as_words(value: &str) -> bool {
    let value = percent_decode_str(value).decode_utf8_lossy();
    let is_between = |sign: char| matches!(sign, '_' | '-' | '+' | '.' | ' ');
    value
        .chars()
        .all(|sign| sign.is_alphabetic() || is_between(sign))
        && value.chars().any(char::is_alphabetic)
        && value.chars().nth(LONGEST).is_none()
}

/// The namespace of a value that has one, and the sign behind it.
pub(super) fn namespace(value: &str) -> Option<(&str, &str)> {
    let octets = value.as_bytes();
    let mut signs = (0..)
        .zip(octets)
        .filter(|(_, b)| matches!(b, b':' | b'/' | b'|' | b'%'));
    let is_end = |(at, sign): &(usize, &u8)| {
        **sign != b'%' || {
            let escaped = octets[at + 1..].first_chunk::<2>();
            escaped.is_some_and(|e| matches!(e, b"3A" | b"3a" | b"2F" | b"2f" | b"7C" | b"7c"))
        }
    };
    let (at, sign) = signs.find(is_end)?;
    let (name, rest) = value.split_at(at);
    let sign = &rest[..if *sign == b'%' { 3 } else { 1 }];
    // What follows the name of a script says which of its pages it is.
    let (name, sign) = until_query(name).unwrap_or((name, sign));
    (name.bytes().any(|b| !b.is_ascii_digit())).then_some((name, sign))
}

/// What stands before the query of an address, and the sign between them.
fn until_query(text: &str) -> Option<(&str, &str)> {
    let signs = ["?", "%3F", "%3f"];
    let found = signs
        .into_iter()
        .filter_map(|sign| Some((text.find(sign)?, sign)));
    let (at, sign) = found.min()?;
    Some((&text[..at], sign))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::form::Param;

    #[test]
    fn values_of_one_namespace_are_of_one_kind() {
        let kind = |url: &str| {
            let edit = Edit::Params(vec![Param::Any("id".into())]).into();
            kind_of(
                &edit,
                Level::Names,
                &Form::parse(url),
                &Selectors::default(),
            )[0]
        };
        let of = |value: &str| kind(&format!("http://e.org/?id={value}&x=1"));
        assert_eq!(of("guide:a"), of("guide:b:c"));
        assert_eq!(of("guide:a"), of("guide%3Ab"));
        assert_ne!(of("guide:a"), of("wiki:a"));
        assert_eq!(of("17"), of("4"));
        assert_ne!(of("17"), of("wiki:a"));
        assert_eq!(of("10:30"), of("17"), "a time is no namespace");
        let list = "list.pl%3Fsort%3Dname%26path%3Dbin%2Fa";
        for other in ["list.pl?by=a/b", "list.pl%3fsort%3Ddate%26path%3Dbin%2Fb"] {
            assert_eq!(of(other), of(list), "{other}");
        }
        for other in [
            "edit.pl%3Fsort%3Dname%26path%3Dbin%2Fa",
            "17",
            "R%26D:p",
            "?a/b",
        ] {
            assert_ne!(of(other), of(list), "{other}");
        }
        assert_ne!(of("R%26D:p"), of("17"));
        assert_eq!(of("abc"), of("new-old"));
        assert_ne!(of("abc"), of("17"), "a word");
        for word in [
            "all+faq",
            "spec.s",
            "%C3%BCbersicht",
            "%D0%BE%D1%82%D0%B7%D1%8B%D0%B2%D1%8B",
        ] {
            assert_eq!(of(word), of("abc"), "{word}");
        }
        for token in ["", "7f", "a1b2", "-", "%FF", "abcdefghijklmnopqrstuvwxy"] {
            assert_eq!(of(token), of("17"), "{token}");
        }
        assert_eq!(kind("http://e.org/?x=1"), 0, "nothing that is irrelevant");
    }

    #[test]
    fn a_value_of_one_parameter_says_nothing_of_another_and_the_order_of_parameters_nothing() {
        let kind = |edit: Edit, url: &str| {
            let url = format!("http://e.org/?{url}");
            kind_of(
                &edit.into(),
                Level::Host,
                &Form::parse(&url),
                &Selectors::default(),
            )
        };
        let set = ["from", "page"].map(|name| Param::Any(name.into()));
        let set = || Edit::Params(set.to_vec());
        assert_ne!(kind(set(), "id=1&from=2"), kind(set(), "id=1&page=2"));
        let all = |url| kind(Edit::AllParams, url);
        assert_eq!(all("a=x&b=y"), all("b=y&a=x"));
        assert_ne!(all("a=x&b=y"), all("a=y&b=x"));
    }
}
