//! Finds the links in markup.
//!
//! A scan for `<a …>` tags, without building a tree. Comments, scripts and styles are skipped, quoted and bare
//! attribute values are read as in the HTML standard, and character references are decoded once. Broken markup gives
//! fewer links, never an error.

use std::borrow::Cow;

use memchr::{memchr, memmem};

/// One `<a>` tag with an `href`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor<'h> {
    /// The link, character references decoded.
    pub href: Cow<'h, str>,
    /// Language of the target, as the tag names it.
    pub hreflang: Option<Cow<'h, str>>,
    /// Whether its `rel` asks not to be followed.
    pub nofollow: bool,
}

/// The `<a>` tags of a page, in order.
///
/// ```
/// use nodust_middleware::clean::Anchors;
///
/// let page = r#"<a href="/a?x=1&amp;y=2">a</a> <!-- <a href="/b">b</a> --> <A HREF=/c rel=nofollow>c</A>"#;
/// let links: Vec<_> = Anchors::of(page).map(|a| (a.href.into_owned(), a.nofollow)).collect();
/// assert_eq!(links, [("/a?x=1&y=2".into(), false), ("/c".into(), true)]);
/// ```
#[derive(Clone, Debug)]
pub struct Anchors<'h> {
    rest: &'h str,
}

impl<'h> Anchors<'h> {
    /// The tags of `html`.
    pub const fn of(html: &'h str) -> Self {
        Self { rest: html }
    }
}

impl<'h> Iterator for Anchors<'h> {
    type Item = Anchor<'h>;

    fn next(&mut self) -> Option<Anchor<'h>> {
        while let Some((name, attributes)) = next_tag(&mut self.rest) {
            if !name.eq_ignore_ascii_case("a") {
                continue;
            }
            let (mut href, mut hreflang, mut nofollow) = (None, None, false);
            for (name, value) in attributes {
                // The first attribute of a name counts.
                if name.eq_ignore_ascii_case("href") {
                    href = href.or(Some(value));
                } else if name.eq_ignore_ascii_case("hreflang") {
                    hreflang = hreflang.or(Some(value));
                } else if name.eq_ignore_ascii_case("rel") {
                    nofollow |= value
                        .split_ascii_whitespace()
                        .any(|word| word.eq_ignore_ascii_case("nofollow"));
                }
            }
            if let Some(href) = href {
                return Some(Anchor {
                    href: decode(href),
                    hreflang: hreflang.map(decode),
                    nofollow,
                });
            }
        }
        None
    }
}

/// The `href` of the first `<base>` of a page.
pub fn base_href(html: &str) -> Option<Cow<'_, str>> {
    let mut rest = html;
    while let Some((name, mut attributes)) = next_tag(&mut rest) {
        if name.eq_ignore_ascii_case("base") {
            let href = attributes.find(|(name, _)| name.eq_ignore_ascii_case("href"));
            if let Some((_, value)) = href {
                return Some(decode(value));
            }
        }
    }
    None
}

/// Takes the next start tag off `rest`: its name and attributes.
fn next_tag<'h>(rest: &mut &'h str) -> Option<(&'h str, Attributes<'h>)> {
    loop {
        let open = memchr(b'<', rest.as_bytes())?;
        let after = &rest[open + 1..];
        if let Some(comment) = after.strip_prefix("!--") {
            // An unclosed comment hides the rest of the page, as in browsers.
            let end = memmem::find(comment.as_bytes(), b"-->")?;
            *rest = &comment[end + 3..];
            continue;
        }
        let name_end = after
            .find(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>' | '<'))
            .unwrap_or(after.len());
        let name = &after[..name_end];
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            *rest = after;
            continue;
        }
        let end = tag_end(&after[name_end..]) + name_end;
        let attributes = Attributes {
            rest: &after[name_end..end],
        };
        *rest = &after[end..];
        if ["script", "style", "template", "textarea", "title"]
            .iter()
            .any(|raw| name.eq_ignore_ascii_case(raw))
        {
            *rest = after_raw_text(rest, name);
            continue;
        }
        return Some((name, attributes));
    }
}

/// Bytes up to the `>` that ends a tag, quotes considered; all of it when none does.
fn tag_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut may_open = false;
    while at < bytes.len() {
        match bytes[at] {
            b'>' => return at,
            // A quote opens a value only right behind `=`; elsewhere it is part of a broken name.
            quote @ (b'"' | b'\'') if may_open => {
                match memchr(quote, &bytes[at + 1..]) {
                    Some(length) => at += length + 1,
                    None => return bytes.len(),
                }
                may_open = false;
            }
            b'=' => may_open = true,
            b if b.is_ascii_whitespace() => {}
            _ => may_open = false,
        }
        at += 1;
    }
    bytes.len()
}

/// What follows the end tag of an element whose content is no markup.
fn after_raw_text<'h>(text: &'h str, name: &str) -> &'h str {
    let mut from = 0;
    while let Some(at) = memmem::find(&text.as_bytes()[from..], b"</") {
        let start = from + at + 2;
        if text
            .get(start..start + name.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(name))
        {
            return &text[start..];
        }
        from = start;
    }
    ""
}

struct Attributes<'h> {
    rest: &'h str,
}

impl<'h> Iterator for Attributes<'h> {
    type Item = (&'h str, &'h str);

    fn next(&mut self) -> Option<(&'h str, &'h str)> {
        let text = self
            .rest
            .trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        // A name may begin with `=`, so that the scan always moves on.
        let first = text.chars().next()?.len_utf8();
        let name_end = text[first..]
            .find(|c: char| c.is_ascii_whitespace() || matches!(c, '=' | '/'))
            .map_or(text.len(), |at| at + first);
        let (name, rest) = text.split_at(name_end);
        let Some(value) = rest.trim_ascii_start().strip_prefix('=') else {
            self.rest = rest;
            return Some((name, ""));
        };
        let value = value.trim_ascii_start();
        let quote = value
            .as_bytes()
            .first()
            .filter(|b| matches!(b, b'"' | b'\''));
        let (value, rest) = if let Some(&quote) = quote {
            memchr(quote, &value.as_bytes()[1..]).map_or((&value[1..], ""), |length| {
                (&value[1..=length], &value[length + 2..])
            })
        } else {
            let end = value.find(|c: char| c.is_ascii_whitespace());
            value.split_at(end.unwrap_or(value.len()))
        };
        self.rest = rest;
        Some((name, value))
    }
}

/// Decodes the character references that occur in links: numeric ones, and the named ones that links need
/// (`amp`, `lt`, `gt`, `quot`, `apos`, `nbsp`). Other names, and names without their semicolon, stay as they
/// are, because `&copy=1` in a link is a parameter.
fn decode(text: &str) -> Cow<'_, str> {
    if memchr(b'&', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let reference = rest
            .bytes()
            .take(10)
            .position(|b| b == b';')
            .and_then(|end| character(&rest[..end]).map(|c| (c, end)));
        if let Some((character, end)) = reference {
            out.push(character);
            rest = &rest[end + 1..];
        } else {
            out.push('&');
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn character(reference: &str) -> Option<char> {
    if let Some(number) = reference.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => number.parse(),
        };
        return char::from_u32(code.ok()?).filter(|c| *c != '\0');
    }
    Some(match reference {
        "amp" | "AMP" => '&',
        "lt" | "LT" => '<',
        "gt" | "GT" => '>',
        "quot" | "QUOT" => '"',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Anchors, base_href};

    fn hrefs(html: &str) -> Vec<String> {
        Anchors::of(html).map(|a| a.href.into_owned()).collect()
    }

    #[test]
    fn attributes_are_read_as_browsers_do() {
        assert_eq!(
            hrefs(r#"<a href="/a"/><a href='/b'><a href=/c><A HREF = "/d" ></a>"#),
            ["/a", "/b", "/c", "/d"]
        );
        assert_eq!(hrefs(r#"<a data-href="/x" href="/a" href="/b">"#), ["/a"]);
        assert_eq!(hrefs(r#"<a title="a > b" href="/a">"#), ["/a"]);
        assert_eq!(hrefs("<a\nhref=\"/a\nb\">"), ["/a\nb"]);
        assert_eq!(hrefs("<abbr href=/x><a><a name=x>"), [""; 0]);
        assert_eq!(hrefs("<a href=/a/>"), ["/a/"]);
    }

    #[test]
    fn what_is_no_markup_holds_no_links() {
        assert_eq!(hrefs("<script>'<a href=/x>'</script><a href=/a>"), ["/a"]);
        assert_eq!(
            hrefs("<!-- <a href=/x> --><a href=/a><!-- <a href=/y>"),
            ["/a"]
        );
        assert_eq!(hrefs("a < b <a href=/a>"), ["/a"]);
    }

    #[test]
    fn references_are_decoded_once() {
        assert_eq!(
            hrefs(r#"<a href="?a&amp;amp;b&#38;c&#x26;d&copy=1&region;&">"#),
            ["?a&amp;b&c&d&copy=1&region;&"]
        );
    }

    #[test]
    fn nofollow_and_language_are_words_of_their_attributes() {
        let html = r#"<a href="/rel/nofollow-guide" hreflang=de-AT><a rel="ugc NoFollow" href=/b>"#;
        let anchors: Vec<_> = Anchors::of(html).collect();
        assert_eq!(anchors[0].hreflang.as_deref(), Some("de-AT"));
        assert!(!anchors[0].nofollow && anchors[1].nofollow);
    }

    #[test]
    fn the_first_base_counts() {
        assert_eq!(
            base_href("<base target=x><BASE href='/b/'><base href=/c>").as_deref(),
            Some("/b/")
        );
        assert_eq!(base_href("<p>"), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn no_markup_makes_it_panic(html in "(?s)([<>a\"'= /!&#;-]|href|script|</|<!--|<a |é|.){0,40}") {
            for anchor in Anchors::of(&html) {
                prop_assert!(anchor.href.len() <= html.len());
            }
            let _ = base_href(&html);
        }
    }
}
