//! The way in which a link relates to the page that it is on.

use percent_encoding::percent_decode_str;

use crate::predict::{
    form::{Form, Part, hash_of, join},
    yields::shape_of,
};

/// Octets from which on a text with letters and digits, or any text, is one of many.
const TOKEN: usize = 16;
const LONG: usize = 40;

/// How a text on a link compares to what its page has.
fn like(text: &str, numbers: &[&str]) -> u64 {
    const SAME_NUMBER: u64 = 3;
    const OTHER_NUMBER: u64 = 4;
    const ANY: u64 = 5;
    let is_number = |octet: &u8| octet.is_ascii_digit();
    let has_both = text.bytes().any(|octet| is_number(&octet))
        && text.bytes().any(|o| o.is_ascii_alphabetic());
    if text.len() >= LONG || (text.len() >= TOKEN && has_both && !text.contains(['-', '_', '.'])) {
        return ANY;
    }
    let runs = text
        .as_bytes()
        .chunk_by(|one, other| is_number(one) == is_number(other));
    runs.fold(7, |like, run| {
        let run = std::str::from_utf8(run).unwrap_or_default();
        let name = match run.bytes().next() {
            Some(octet) if is_number(&octet) && numbers.contains(&run) => SAME_NUMBER,
            Some(octet) if is_number(&octet) => OTHER_NUMBER,
            _ => hash_of(62, run),
        };
        join(like, name)
    })
}

/// Numbers in the path and the values of a form.
fn numbers<'f>(form: &'f Form<'_>) -> Vec<&'f str> {
    let texts = || {
        form.segments
            .iter()
            .chain(form.params.iter().map(|(_, value)| value))
    };
    let runs = texts().flat_map(|text| text.split(|sign: char| !sign.is_ascii_digit()));
    runs.filter(|run| !run.is_empty()).collect()
}

/// Name of the way in which a link stands to the page that it is on; none where that is of another host, or where edits tell.
///
/// A link may have the page's address for a value (`/locale/set?locale=en&next=/guide/7`).
pub(super) fn way_of(link: &Form<'_>, page_url: &str) -> Option<u64> {
    const SAME: u64 = 2;
    const ADDRESS: u64 = 6;
    let page = &link.parse_alike(page_url);
    if link.origin.hash() != page.origin.hash() {
        return None;
    }
    if is_longer(link, page) {
        return None;
    }
    let numbers = numbers(page);
    let of_text = |text: &Part<'_>, is_same: bool| {
        if is_same {
            SAME
        } else if is_address(text, page_url) {
            ADDRESS
        } else {
            like(text, &numbers)
        }
    };
    let path = (0..)
        .zip(&link.segments)
        .fold(shape_of(page), |path, (at, segment)| {
            let there = page.segments.get(at).map(Part::hash);
            join(path, of_text(segment, there == Some(segment.hash())))
        });
    let mut params: Vec<u64> = (link.params.iter())
        .map(|param| join(param.0.hash(), of_text(&param.1, has(page, param))))
        .collect();
    params.sort_unstable();
    Some(params.into_iter().fold(join(path, 63), join))
}

/// Whether a text is the address of a page: its URL, or that without scheme and host, or without the slash that comes next, escaped or not.
fn is_address(text: &str, url: &str) -> bool {
    let behind_scheme = url.find("://").map_or(0, |at| at + 3);
    let path_at = (url[behind_scheme..].find('/')).map_or(url.len(), |at| behind_scheme + at);
    let path = &url[path_at..];
    // One word or number says too little: many a value is one.
    let bare = (path.strip_prefix('/')).filter(|bare| bare.contains(['/', '?']));
    let is = |address: &str| percent_decode_str(text).eq(percent_decode_str(address));
    !text.is_empty() && (is(url) || is(path) || bare.is_some_and(is))
}

/// Whether a form has a parameter of this name with this value.
fn has(form: &Form<'_>, (name, value): &(Part<'_>, Part<'_>)) -> bool {
    let mut params = form.params.iter();
    params.any(|(n, v)| (n.hash(), v.hash()) == (name.hash(), value.hash()))
}

/// Whether a link is its page's URL with something more, of which edits say that it does not matter, and learn where it does.
fn is_longer(link: &Form<'_>, page: &Form<'_>) -> bool {
    goes_on(link, page, |other, one| one.hash() == other.hash())
}

/// The same, or with more in a segment (`/topic/12-lamps` of `/topic/12`).
pub(super) fn is_fuller(link: &Form<'_>, page: &Form<'_>) -> bool {
    goes_on(link, page, |other, one| {
        let rest = other.strip_prefix(&**one);
        rest.is_some_and(|rest| !rest.starts_with(|sign: char| sign.is_alphanumeric()))
    })
}

/// Whether a link has what its page's URL has: each segment `in_place` of that, and all parameters.
fn goes_on(
    link: &Form<'_>,
    page: &Form<'_>,
    in_place: impl Fn(&Part<'_>, &Part<'_>) -> bool,
) -> bool {
    let mut segments = link.segments.iter().zip(&page.segments);
    page.segments.len() <= link.segments.len()
        && segments.all(|(other, one)| in_place(other, one))
        && page.params.iter().all(|param| has(link, param))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(link: &str, page: &str) -> Option<u64> {
        let [link, page] = [link, page].map(|path| format!("http://e.org/{path}"));
        way_of(&Form::parse(&link), &page)
    }

    #[test]
    fn links_that_stand_to_their_pages_in_one_way_have_one_name() {
        for (link, page, alike) in [
            (
                "thread-17-post-405.html",
                "thread-17.html",
                ("thread-9-post-77.html", "thread-9.html"),
            ),
            ("t?p=405", "t?t=17", ("t?p=6", "t?t=9")),
            (
                "t?p=405&s=0f3a5d1c9b7e2a44",
                "t?t=17",
                ("t?s=94bd7e5f2a6c1d03&p=8", "t?t=8000"),
            ),
            (
                "photo/lamp/3",
                "album/lamp",
                ("photo/desk/12", "album/desk"),
            ),
        ] {
            let name = of(link, page);
            assert!(name.is_some());
            assert_eq!(name, of(alike.0, alike.1), "{link}");
        }
    }

    #[test]
    fn another_object_another_word_and_another_page_are_other_ways() {
        let name = of("thread-17-post-405.html", "thread-17.html");
        for (link, page) in [
            ("thread-18-post-405.html", "thread-17.html"),
            ("thread-17-page-405.html", "thread-17.html"),
            ("thread-17-post-405.html", "index.php"),
            ("thread-17-post-405.html?x=1", "thread-17.html"),
        ] {
            assert_ne!(name, of(link, page), "{link} {page}");
        }
        assert_ne!(of("t?p=17&m=a", "t?t=17"), of("t?p=18&m=a", "t?t=17"));
        assert_ne!(of("t?p=17&m=a", "t?t=17"), of("t?p=17&m=b", "t?t=17"));
    }

    #[test]
    fn nothing_is_said_of_other_hosts_and_of_what_edits_say() {
        let elsewhere = Form::parse("http://other.org/t?p=1");
        assert_eq!(way_of(&elsewhere, "http://e.org/t?t=1"), None);
        for (link, page) in [
            ("t?t=17&mode=linear", "t?t=17"),
            ("album/lamp/photo/3", "album/lamp"),
            ("t/x?t=17&mode=linear", "t?t=17"),
        ] {
            assert_eq!(of(link, page), None, "{link}");
        }
    }
    #[test]
    fn links_that_have_the_address_of_their_page_stand_to_it_in_one_way() {
        let name = of("locale/set?locale=de&next=/guide/7", "guide/7");
        assert!(name.is_some());
        for (link, page) in [
            ("locale/set?locale=de&next=%2Fguide%2F812", "guide/812"),
            ("locale/set?next=guide/4&locale=de", "guide/4"),
            ("locale/set?locale=de&next=http://e.org/guide/5", "guide/5"),
        ] {
            assert_eq!(name, of(link, page), "{link} {page}");
        }
        let dated = of(
            "locale/set?next=/guide/7%3Fdate=2026-11",
            "guide/7?date=2026-11",
        );
        assert_eq!(
            dated,
            of("locale/set?next=/guide/9%3Fdate=3", "guide/9?date=3")
        );
        for (link, page) in [
            ("locale/set?locale=en&next=/guide/7", "guide/7"),
            ("locale/set?locale=de&next=/guide/8", "guide/7"),
            ("locale/set?locale=de&next=/guide", "guide/7"),
            ("locale/set?locale=de&next=", "guide/7"),
            ("set?locale=de&next=/guide/7", "guide/7"),
        ] {
            assert_ne!(name, of(link, page), "{link} {page}");
        }
    }

    #[test]
    fn a_url_is_fuller_with_a_title_behind_a_number_and_not_with_another_number() {
        let is = |link: &str, page: &str| {
            let [link, page] = [link, page].map(|path| format!("http://e.org/{path}"));
            is_fuller(&Form::parse(&link), &Form::parse(&page))
        };
        assert!(is("topic/12-lamps?page=2", "topic/12?page=2"));
        assert!(is("topic/12/last", "topic/12") && is("topic/12?page=1", "topic/12"));
        assert!(!is("topic/123", "topic/12") && !is("topic/12b", "topic/12"));
        assert!(!is("topic/12-lamps", "topic/12?page=2") && !is("topic/12", "topic/12-lamps"));
    }
}
