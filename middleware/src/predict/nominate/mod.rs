//! Nominates edits from two URLs that brought the same content.
//!
//! The difference between the two forms is read as edits, from the most literal reading to the most general. Nominating
//! is cheap and often wrong; trials on later pages decide.

mod path;
mod piece;

use self::{path::paths, piece::pieces};
use super::form::{
    Edit, Form, Param, Part, Slot, differ_in_escapes, differ_in_order, owned, titled,
};
use crate::{cut::is_index, letters::lower};

/// Larger differences are chance more often than rule.
const MOST_PARAMS: usize = 5;

/// How much two forms differ, in parts; to choose the nearest of several pages.
pub(super) fn distance(a: &Form<'_>, b: &Form<'_>) -> usize {
    let (prefix, suffix) = common(a, b);
    let path = a.segments.len().max(b.segments.len()) - prefix - suffix;
    let (only_a, only_b, changed) = params(a, b);
    usize::from(a.origin != b.origin) * 2 + path + only_a.len() + only_b.len() + changed.len()
}

fn common(a: &Form<'_>, b: &Form<'_>) -> (usize, usize) {
    let prefix = a
        .segments
        .iter()
        .zip(&b.segments)
        .take_while(|(x, y)| x == y)
        .count();
    let rest = a.segments.len().min(b.segments.len()) - prefix;
    let suffix = a
        .segments
        .iter()
        .rev()
        .zip(b.segments.iter().rev())
        .take(rest)
        .take_while(|(x, y)| x == y)
        .count();
    (prefix, suffix)
}

type Pair<'f> = (&'f str, &'f str);

fn params<'f>(a: &'f Form<'_>, b: &'f Form<'_>) -> (Vec<Pair<'f>>, Vec<Pair<'f>>, Vec<&'f str>) {
    let pairs =
        |f: &'f Form<'_>| -> Vec<Pair<'f>> { f.params.iter().map(|(k, v)| (&**k, &**v)).collect() };
    let (pa, pb) = (pairs(a), pairs(b));
    let has = |ps: &[Pair<'_>], key: &str| ps.iter().any(|(k, _)| *k == key);
    let mut changed: Vec<&str> = Vec::new();
    for (key, _) in &pa {
        if has(&pb, key) && !changed.contains(key) {
            // In another order, the values of a name that is there several times are the same values.
            let values = |ps: &[Pair<'f>]| -> Vec<&'f str> {
                let of_key = ps.iter().filter(|(k, _)| k == key);
                let mut values: Vec<&str> = of_key.map(|(_, v)| *v).collect();
                values.sort_unstable();
                values
            };
            if values(&pa) != values(&pb) {
                changed.push(key);
            }
        }
    }
    let only_a = pa.iter().filter(|(k, _)| !has(&pb, k)).copied().collect();
    let only_b = pb.iter().filter(|(k, _)| !has(&pa, k)).copied().collect();
    (only_a, only_b, changed)
}

/// Of two aliases the shorter one stands for both, so that chains of aliases end.
fn oriented<T: PartialOrd>(a: T, b: T, size: impl Fn(&T) -> (usize, usize)) -> (T, T) {
    let (sa, sb) = (size(&a), size(&b));
    if sa > sb || (sa == sb && a > b) {
        (a, b)
    } else {
        (b, a)
    }
}

fn size_of_path(segments: &[String]) -> (usize, usize) {
    (segments.len(), segments.iter().map(String::len).sum())
}

/// Readings of the difference between the `new` page's form and that of an `old` one.
pub(super) fn readings(new: &Form<'_>, old: &Form<'_>) -> Vec<Edit> {
    let mut out = Vec::new();
    if escapes(new, old) {
        out.push(Edit::Escapes);
        if !is_one_after(&Edit::Escapes, new, old) {
            out.push(Edit::Spelling);
        }
        return out;
    }
    let (only_new, only_old, changed) = params(new, old);
    let query = only_new.len() + only_old.len() + changed.len();
    let parts = usize::from(new.origin != old.origin)
        + usize::from(new.segments[..] != old.segments[..])
        + usize::from(query > 0);
    if parts > 2 {
        return out;
    }
    if new.origin == old.origin && new.segments[..] != old.segments[..] {
        moves(new, old, &mut out);
        moves(old, new, &mut out);
        titles(new, old, &mut out);
        titles(old, new, &mut out);
    }
    let is_numbered = || {
        let (new, old) = (Edit::HostNumber.after(new), Edit::HostNumber.after(old));
        *new.origin == *old.origin
    };
    if new.origin != old.origin && is_numbered() {
        out.push(Edit::HostNumber);
    }
    if new.origin != old.origin {
        let both = (new.origin.to_string(), old.origin.to_string());
        let (from, to) = oriented(both.0, both.1, |s| (s.len(), 0));
        out.push(Edit::Origin { from, to });
    }
    if new.segments[..] != old.segments[..] {
        paths(new, old, &mut out);
    }
    let lowered = |f: &Form<'_>| -> Vec<(String, String)> {
        f.params.iter().map(|(k, v)| (lower(k), lower(v))).collect()
    };
    if query > 0 && new.params.len() == old.params.len() && lowered(new) == lowered(old) {
        out.push(Edit::QueryCase);
    } else if query == 0 {
        if new.params[..] != old.params[..] {
            out.push(Edit::Order);
        }
    } else if query <= MOST_PARAMS {
        if let ([], [], [name]) = (&only_new[..], &only_old[..], &changed[..]) {
            repeated(new, old, name, &mut out);
        }
        sets(&only_new, &only_old, &changed, &mut out);
    }
    // What letter case or an extension explains is no piece.
    let is_explained = (out.iter())
        .any(|edit| matches!(edit, Edit::Case | Edit::QueryCase | Edit::Extension { .. }));
    if parts == 1 && query <= changed.len() && new.origin == old.origin && !is_explained {
        pieces(new, old, &changed, &mut out);
    }
    if query > 0 && new.segments[..] == old.segments[..] {
        out.push(Edit::AllParams);
        out.extend(escapes_of_the_rest(new, old));
    }
    out
}

/// How parameters are escaped that both have, where one of the forms has some more.
fn escapes_of_the_rest(new: &Form<'_>, old: &Form<'_>) -> Option<Edit> {
    if new.params.len() > old.params.len() {
        return escapes_of_the_rest(old, new);
    }
    if new.params.len() == old.params.len() || !differ_in_escapes(new, old) {
        return None;
    }
    let (few, many) = (Edit::Escapes.after(new), Edit::Escapes.after(old));
    let is_of_both = |param: &(Part<'_>, Part<'_>)| many.params.contains(param);
    (few.params.iter().all(is_of_both)).then(|| {
        if differ_in_order(&few, &many) {
            Edit::Spelling
        } else {
            Edit::Escapes
        }
    })
}

/// Whether signs are escaped in other ways, and that is all but the order of parameters.
fn escapes(new: &Form<'_>, old: &Form<'_>) -> bool {
    let is_as_long =
        new.params.len() == old.params.len() && new.segments.len() == old.segments.len();
    let is_any = || {
        (Edit::Escapes
            .effect(new)
            .or_else(|| Edit::Escapes.effect(old)))
        .is_some()
    };
    is_as_long
        && is_any()
        && !is_one_after(&Edit::Order, new, old)
        && is_one_after(&Edit::Spelling, new, old)
}

/// Whether an edit makes one form of two.
fn is_one_after(edit: &Edit, new: &Form<'_>, old: &Form<'_>) -> bool {
    edit.key_after(new) == edit.key_after(old)
}

/// A parameter of `from` is the last segment of `to`.
fn moves(from: &Form<'_>, to: &Form<'_>, out: &mut Vec<Edit>) {
    // Behind a folder's name the name of its page may follow.
    let at = match &to.segments[..] {
        [before @ .., last] if !before.is_empty() && is_index(last) => before.len() - 1,
        all => all.len().saturating_sub(1),
    };
    for (name, value) in &from.params {
        if from.segments.len() >= 6 || to.params.iter().any(|(k, _)| k == name) {
            continue;
        }
        if let Some(slot) = Slot::of(&to.segments, at, value)
            && (value.len() >= 2 || !slot.is_bare())
        {
            out.push(Edit::Move {
                path: owned(&from.segments),
                name: name.to_string(),
                to: slot,
                behind: owned(&to.segments[at + 1..]),
            });
        }
    }
}

/// What one path has with a title is called by its id alone in the other URL.
fn titles(with: &Form<'_>, by: &Form<'_>, out: &mut Vec<Edit>) {
    let all = titled(with, by).into_iter();
    out.extend(all.map(|(from, to)| Edit::Titled { from, to }));
}

/// The values of a name are others, but for the first or the last of them.
fn repeated(new: &Form<'_>, old: &Form<'_>, name: &str, out: &mut Vec<Edit>) {
    fn of<'f>(form: &'f Form<'_>, name: &str) -> Vec<&'f str> {
        let named = form.params.iter().filter(|(k, _)| k == name);
        named.map(|(_, v)| &**v).collect()
    }
    let (new, old) = (of(new, name), of(old, name));
    if new.len() + old.len() == 2 {
        return;
    }
    for (last, is_same) in [
        (false, new.first() == old.first()),
        (true, new.last() == old.last()),
    ] {
        if is_same {
            let name = name.to_owned();
            out.push(Edit::Repeated { name, last });
        }
    }
}

fn sets(only_new: &[Pair<'_>], only_old: &[Pair<'_>], changed: &[&str], out: &mut Vec<Edit>) {
    let mut names: Vec<&str> = only_new
        .iter()
        .chain(only_old)
        .map(|(k, _)| *k)
        .chain(changed.iter().copied())
        .collect();
    names.sort_unstable();
    names.dedup();
    out.push(Edit::Params(
        names.iter().map(|n| Param::Any((*n).into())).collect(),
    ));
    if only_new.is_empty() && only_old.is_empty() {
        out.push(Edit::Params(
            names.iter().map(|n| Param::Wild((*n).into())).collect(),
        ));
    }
    if changed.is_empty() {
        for side in [only_new, only_old] {
            if !side.is_empty() && (only_new.is_empty() || only_old.is_empty()) {
                let mut values: Vec<Param> = side
                    .iter()
                    .map(|(k, v)| Param::Value((*k).into(), (*v).into()))
                    .collect();
                values.sort_unstable();
                out.push(Edit::Params(values));
            }
        }
    }
    if names.len() > 1 {
        for name in &names {
            out.push(Edit::Params(vec![Param::Any((*name).into())]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(new: &str, old: &str) -> Vec<String> {
        readings(&Form::parse(new), &Form::parse(old))
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn escapes_are_read_where_nothing_else_differs_but_order() {
        let at = |query: &str| format!("http://e.org/?{query}");
        for other in ["sort=a%2Cb&p=2", "p=2&sort=a%2Cb"] {
            let got = of(&at("sort=a,b&p=2"), &at(other));
            assert_eq!(got[0], "escapes are ignored");
            let is_both = got.contains(&"escapes and order of parameters are ignored".to_owned());
            assert_eq!(is_both, other.starts_with('p'), "{got:?}");
        }
        let talk = of("http://e.org/w/Talk:Lamps", "http://e.org/w/Talk%3ALamps");
        assert_eq!(talk, ["escapes are ignored"]);
        for other in ["sort=b,a&p=2", "p=2&sort=a,b", "sort=a%2Cc&p=2"] {
            let got = of(&at("sort=a,b&p=2"), &at(other));
            assert!(!got.contains(&"escapes are ignored".to_owned()), "{other}");
        }
    }

    #[test]
    fn escapes_are_read_beside_a_parameter_that_one_has_alone() {
        let both = |one: &str, other: &str| {
            let at = |query: &str| format!("http://e.org/?{query}");
            let of = |one: &str, other: &str| {
                let is_about_escapes = |reading: &String| reading.contains("escapes");
                let mut readings = of(&at(one), &at(other));
                readings.retain(is_about_escapes);
                readings
            };
            assert_eq!(of(one, other), of(other, one));
            of(one, other)
        };
        assert_eq!(
            both("in=a/b&q=1", "in=a%2Fb&p=1&q=1"),
            ["escapes are ignored"]
        );
        let reordered = both("q=1&in=a/b", "in=a%2Fb&p=1&q=1");
        assert_eq!(reordered, ["escapes and order of parameters are ignored"]);
        for other in ["in=a/b&p=1&q=1", "in=a%2Fc&p=1&q=1", "in=a%2Fb&p=1"] {
            assert!(both("in=a/b&q=1", other).is_empty(), "{other}");
        }
    }

    #[test]
    fn an_added_parameter_is_read_by_value_and_in_general() {
        let got = of("http://e.org/t?id=1&start=0", "http://e.org/t?id=1");
        assert!(got.contains(&"start is ignored".to_owned()));
        assert!(got.contains(&"start=0 is as absent".to_owned()));
    }

    #[test]
    fn two_fresh_parameters_are_read_as_a_set() {
        let got = of("http://e.org/t?id=1&s=5&t=6", "http://e.org/t?id=1&s=7&t=8");
        assert!(got.contains(&"s is ignored, t is ignored".to_owned()));
    }

    #[test]
    fn names_that_stand_elsewhere_in_another_way_are_read() {
        for (one, other, reading) in [
            ("~kim", "users/kim", "/users/{x} = /~{x}"),
            ("~kim7/photos/", "users/kim7/photos/", "/users/{x} = /~{x}"),
            ("topic/17", "topic17.html", "/topic/{x} = /topic{x}.html"),
            ("list/page2", "list/2", "/list/page{x} = /list/{x}"),
            ("v/T12", "wiki/12.html", "/wiki/{x}.html = /v/T{x}"),
            (
                "viewtopic.php?t=17",
                "topic17.html",
                "/viewtopic.php?t=x = /topic{x}.html",
            ),
            (
                "viewtopic.php?t=17",
                "topic/17/",
                "/viewtopic.php?t=x = /topic/{x}/",
            ),
            ("w/?title=Main", "wiki/Main", "/w/?title=x = /wiki/x"),
            ("u.php?n=kim&tab=a", "~kim?tab=a", "/u.php?n=x = /~{x}"),
        ] {
            let url = |path: &str| format!("http://e.org/{path}");
            for (one, other) in [(one, other), (other, one)] {
                let got = of(&url(one), &url(other));
                assert!(got.contains(&reading.to_owned()), "{one} {other}: {got:?}");
            }
        }
        // A number is not the end of a longer one, nor is a title what many pages have.
        for (one, other) in [
            ("topic.php?t=17", "topic117.html"),
            ("topic.php?t=a", "topica.html"),
            ("print-17", "17"),
        ] {
            let got = of(
                &format!("http://e.org/{one}"),
                &format!("http://e.org/{other}"),
            );
            assert!(!got.iter().any(|edit| edit.contains("{x}")), "{got:?}");
        }
    }

    #[test]
    fn values_of_one_name_in_another_order_are_an_order() {
        assert_eq!(
            of("http://e.org/t?f=b&f=a&x=1", "http://e.org/t?f=a&f=b&x=1"),
            ["order of parameters is ignored"]
        );
    }

    #[test]
    fn a_segment_between_others_is_read_as_superfluous() {
        let superfluous = "segment 1 of 3 is superfluous".to_owned();
        let url = "http://e.org/shop/7f3a/thing";
        assert!(of(url, "http://e.org/shop/thing").contains(&superfluous));
        assert!(of("http://e.org/shop/thing", url).contains(&superfluous));
        assert!(!of(url, "http://e.org/shop/7f3b/thing").contains(&superfluous));
        assert!(!of(url, "http://e.org/thing").contains(&superfluous));
    }

    #[test]
    fn hosts_that_differ_in_a_number_are_read_as_one() {
        let numbered = of("http://s7.e.org/a", "http://s12.e.org/a");
        let origin = "origin http://s12.e.org = http://s7.e.org";
        assert_eq!(numbered, ["number of host is ignored", origin]);
        let other = of("http://s7.e.org/a", "http://s.e.org/a");
        assert_eq!(other, ["origin http://s7.e.org = http://s.e.org"]);
        let address = of("http://10.0.0.1/a", "http://11.0.0.1/a");
        assert!(address[0].starts_with("origin"), "{address:?}");
    }

    #[test]
    fn extensions_and_repeated_parameters_are_read() {
        let html = "extension .html = nothing".to_owned();
        assert!(of("http://e.org/x/a", "http://e.org/x/a.html").contains(&html));
        assert!(of("http://e.org/x/a.html", "http://e.org/x/a").contains(&html));
        let both = of("http://e.org/a.php", "http://e.org/a.html");
        assert!(both.contains(&"extension .html = .php".to_owned()));
        let numbers = of("http://e.org/v1.2", "http://e.org/v1.3");
        assert!(!numbers.iter().any(|edit| edit.starts_with("extension")));
        let of = |new, old| {
            of(
                &format!("http://e.org/?{new}"),
                &format!("http://e.org/?{old}"),
            )
        };
        assert!(of("t=1&t=7", "t=1").contains(&"first of several t counts".to_owned()));
        assert!(of("t=7&t=1", "t=8&t=1").contains(&"last of several t counts".to_owned()));
        assert!(!of("t=7", "t=8").iter().any(|edit| edit.contains("several")));
    }

    #[test]
    fn mirrors_hosts_case_and_tails_are_read() {
        assert!(
            of(
                "http://e.org/mirror/python/lib/os.html",
                "http://e.org/3/lib/os.html"
            )
            .contains(&"prefix /mirror/python = /3".to_owned())
        );
        assert!(
            of("http://us.e.org/a", "http://www.e.org/a")
                .contains(&"origin http://www.e.org = http://us.e.org".to_owned())
        );
        assert_eq!(
            of("http://e.org/Docs", "http://e.org/docs"),
            ["case of path is ignored"]
        );
        assert!(
            of(
                "http://e.org/x/A1/ref=3/102-7",
                "http://e.org/x/A1/ref=9/103-8"
            )
            .contains(&"segments behind 2 are ignored".to_owned())
        );
    }
}
