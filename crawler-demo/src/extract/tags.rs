//! Limits the attributes of a tag.
//!
//! An HTML tokenizer compares the name of each attribute with those before it (WHATWG HTML, section 13.2.5.33), so that a tag with
//! a hundred thousand takes seconds, and a page of such tags a whole night. What a tag has beyond [`MOST`] is cut out before
//! tokenizing.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memmem};

/// Attributes of a tag that are read; no page that is meant for readers has as many.
pub(super) const MOST: usize = 512;

/// Elements whose content is no markup.
const RAW: [&str; 8] = [
    "script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes",
];

/// The markup without the attributes that a tag has beyond [`MOST`].
pub(super) fn bounded(markup: &str) -> Cow<'_, str> {
    let octets = markup.as_bytes();
    let mut kept = String::new();
    let mut from = 0;
    let mut at = 0;
    // Open pictures, in which styles are markup.
    let mut pictures: usize = 0;
    while let Some(found) = memchr(b'<', &octets[at..]) {
        at += found + 1;
        let rest = &octets[at..];
        if let Some(comment) = rest.strip_prefix(b"!--") {
            at += 3 + end_of_comment(comment);
            continue;
        }
        let closes = rest.first() == Some(&b'/');
        let name = &rest[usize::from(closes)..];
        if !name.first().is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        let length = name.iter().take_while(|octet| !ends_name(**octet)).count();
        let name = &name[..length];
        at += usize::from(closes) + length;
        let tag = Tag::read(octets, at);
        if let Some(cut) = tag.beyond_most {
            kept.push_str(&markup[from..cut]);
            from = tag.end;
        }
        at = tag.end;
        if name.eq_ignore_ascii_case(b"svg") {
            let closes_itself = octets[..tag.end].ends_with(b"/");
            if closes {
                pictures = pictures.saturating_sub(1);
            } else {
                pictures += usize::from(!closes_itself);
            }
        }
        let is_raw = |raw: &&&str| name.eq_ignore_ascii_case(raw.as_bytes());
        if let Some(raw) = RAW.iter().find(is_raw).filter(|_| !closes && pictures == 0) {
            at = end_of_raw(octets, at, raw);
        }
    }
    if from == 0 {
        return markup.into();
    }
    kept.push_str(&markup[from..]);
    kept.into()
}

const fn ends_name(octet: u8) -> bool {
    octet.is_ascii_whitespace() || matches!(octet, b'/' | b'>')
}

/// Octets up to the end of a comment (WHATWG HTML, section 13.2.5.43 ff.).
fn end_of_comment(comment: &[u8]) -> usize {
    if comment.starts_with(b">") || comment.starts_with(b"->") {
        return 0;
    }
    let ends = [&b"-->"[..], b"--!>"].map(|end| memmem::find(comment, end));
    ends.into_iter().flatten().min().unwrap_or(comment.len())
}

/// Where the end tag of an element begins whose content is no markup.
fn end_of_raw(octets: &[u8], at: usize, name: &str) -> usize {
    let ends = |open: &usize| {
        let tag = octets[at + open + 1..].strip_prefix(b"/");
        tag.and_then(|tag| tag.get(..name.len()))
            .is_some_and(|tag| tag.eq_ignore_ascii_case(name.as_bytes()))
    };
    let end = memchr_iter(b'<', &octets[at..]).find(ends);
    end.map_or(octets.len(), |end| at + end)
}

/// A tag behind its name.
struct Tag {
    /// Where its `>` stands, or the markup ends.
    end: usize,
    /// Where what is too much of it begins.
    beyond_most: Option<usize>,
}

impl Tag {
    fn read(octets: &[u8], mut at: usize) -> Self {
        let skip = |at: usize, skipped: fn(&u8) -> bool| {
            at + octets[at..]
                .iter()
                .take_while(|octet| skipped(octet))
                .count()
        };
        let mut attributes = 0;
        let mut beyond_most = None;
        loop {
            at = skip(at, |octet| octet.is_ascii_whitespace() || *octet == b'/');
            if matches!(octets.get(at), None | Some(b'>')) {
                let end = at;
                return Self { end, beyond_most };
            }
            attributes += 1;
            if attributes > MOST {
                beyond_most.get_or_insert(at);
            }
            // A name may begin with `=`.
            at = skip(at + 1, |octet| !ends_name(*octet) && *octet != b'=');
            let equals = skip(at, u8::is_ascii_whitespace);
            if octets.get(equals) != Some(&b'=') {
                continue;
            }
            at = skip(equals + 1, u8::is_ascii_whitespace);
            at = match octets.get(at) {
                Some(quote @ (b'"' | b'\'')) => {
                    let value = &octets[at + 1..];
                    let length = memchr(*quote, value).map_or(value.len(), |end| end + 1);
                    at + 1 + length
                }
                _ => skip(at, |octet| !octet.is_ascii_whitespace() && *octet != b'>'),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn many(attribute: impl Fn(usize) -> String) -> String {
        (0..3 * MOST).map(attribute).collect()
    }

    #[test]
    fn what_is_too_much_of_a_tag_is_left_out() {
        for attributes in [
            many(|n| format!(" a{n}")),
            many(|n| format!("/a{n}")),
            many(|n| format!(" a{n}=\">\"")),
            many(|n| format!(" a{n} = '<b>' ")),
            many(|n| format!("\n=a{n}=x/>y").replace('>', "_")),
        ] {
            let markup = format!("é<p>x</p><a {attributes} z>é</a><b>");
            let kept = bounded(&markup);
            assert!(kept.len() < markup.len() / 2, "{kept}");
            assert!(kept.starts_with("é<p>x</p><a "), "{kept}");
            assert!(kept.ends_with(">é</a><b>"), "{kept}");
        }
    }

    #[test]
    fn nothing_that_is_no_tag_hides_one() {
        let tag = format!("<i {}>", many(|n| format!(" a{n}")));
        for before in [
            "<!-- <b c=\" -->",
            "<!-- <b c=\" --!>",
            "<!-->",
            "<svg><style></svg>",
            "<svg/><style></style>",
            "<script>a<b c=\"</script>",
            "<STYLE x>'<b c=\"</Style >",
            "<title><b c='</title>",
            "<textarea/><b c='</textarea>",
            "a < b c=\" ",
            "<! c=\">",
        ] {
            let markup = format!("{before}{tag}");
            assert!(bounded(&markup).len() < markup.len() / 2, "{before}");
        }
    }

    #[test]
    fn usual_markup_is_as_it_was() {
        let words = "word ".repeat(10 * MOST);
        for markup in [
            format!("<p>{words}</p>"),
            format!("<p title=\"{words}\">"),
            format!("<img src='data:{}'>", "a/b ".repeat(10 * MOST)),
            format!("<script>if (a<b) {{ {words} }}</script>"),
            format!("<!-- <b {words} -->"),
            format!("<p {}>", "a ".repeat(MOST)),
        ] {
            assert!(matches!(bounded(&markup), Cow::Borrowed(_)), "{markup:.60}");
        }
    }

    proptest! {
        #[test]
        fn nothing_is_changed_where_nothing_is_too_much(markup in "[<>/a-c='\"! é-]{0,80}") {
            prop_assert_eq!(bounded(&markup), &*markup);
        }
    }
}
