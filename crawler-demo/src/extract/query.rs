//! The encoding in which a link's query goes to the server.
//!
//! A link's path is sent in UTF-8, its query in the encoding of the page it is on (WHATWG URL, section 4.4, "query state";
//! HTML, section 2.4.3), which is what the site's own forms and scripts expect. What is already escaped stays as it is.

use std::{borrow::Cow, fmt::Write as _};

use encoding_rs::{Encoding, UTF_8};

use super::Page;

impl Page {
    /// Escapes what is not ASCII in the queries of all links, as a page of this encoding means it.
    pub(crate) fn ask_in(&mut self, encoding: &'static Encoding) {
        let encoding = encoding.output_encoding();
        if encoding == UTF_8 {
            return;
        }
        let links = self.links.iter_mut().map(|link| &mut link.href);
        let others = [&mut self.base, &mut self.canonical, &mut self.refresh];
        for href in links.chain(others.into_iter().flatten()) {
            if let Cow::Owned(asked) = asked_in(href, encoding) {
                *href = asked;
            }
        }
    }
}

/// The text of a link, its query in an encoding.
fn asked_in<'h>(href: &'h str, encoding: &'static Encoding) -> Cow<'h, str> {
    let end = href.find('#').unwrap_or(href.len());
    let Some(begin) = href[..end].find('?') else {
        return href.into();
    };
    let query = &href[begin..end];
    if query.is_ascii() {
        return href.into();
    }
    let mut asked = String::with_capacity(href.len() * 2);
    asked.push_str(&href[..begin]);
    let mut rest = query;
    while let Some(plain) = rest.find(|sign: char| !sign.is_ascii()) {
        asked.push_str(&rest[..plain]);
        let run = &rest[plain..];
        let length = run.find(|sign: char| sign.is_ascii()).unwrap_or(run.len());
        rest = &run[length..];
        // What the encoding has no octets for is asked for as `&#1234;`, as browsers do.
        let (octets, ..) = encoding.encode(&run[..length]);
        for octet in &*octets {
            if octet.is_ascii_alphanumeric() {
                asked.push(char::from(*octet));
            } else {
                let _ = write!(asked, "%{octet:02X}");
            }
        }
    }
    asked.push_str(rest);
    asked.push_str(&href[end..]);
    asked.into()
}

#[cfg(test)]
mod tests {
    use encoding_rs::{EUC_KR, ISO_2022_JP, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};
    use proptest::prelude::*;
    use url::Url;

    use super::*;

    #[test]
    fn a_query_is_in_the_encoding_of_its_page_and_all_else_is_not() {
        for (href, encoding, asked) in [
            ("?q=日本&x", ISO_2022_JP, "?q=%1B%24BF%7CK%5C%1B%28B&x"),
            ("/поиск?q=мир#мир", WINDOWS_1251, "/поиск?q=%EC%E8%F0#мир"),
            ("?q=%D0%BC&мир", WINDOWS_1251, "?q=%D0%BC&%EC%E8%F0"),
            ("/#мир?мир", WINDOWS_1251, "/#мир?мир"),
            ("/мир", WINDOWS_1251, "/мир"),
            ("?q=caf\u{e9} au", WINDOWS_1252, "?q=caf%E9 au"),
            (
                "?q=мир",
                WINDOWS_1252,
                "?q=%26%231084%3B%26%231080%3B%26%231088%3B",
            ),
        ] {
            assert_eq!(asked_in(href, encoding), asked);
        }
    }

    #[test]
    fn pages_in_utf_8_and_utf_16_ask_in_utf_8() {
        let mut page = Page {
            canonical: Some("/?q=мир".to_owned()),
            ..Page::default()
        };
        for encoding in [UTF_8, encoding_rs::UTF_16LE] {
            page.ask_in(encoding);
            assert_eq!(page.canonical.as_deref(), Some("/?q=мир"));
        }
        page.ask_in(WINDOWS_1251);
        assert_eq!(page.canonical.as_deref(), Some("/?q=%EC%E8%F0"));
    }

    proptest! {
        #[test]
        fn a_server_reads_what_a_browser_would_send(query in "[a-zA-Z0-9=&+%é語ж한ñ日-]{0,20}") {
            let base = Url::parse("http://e.org/").unwrap();
            let href = format!("/a?{query}");
            for encoding in [WINDOWS_1251, WINDOWS_1252, SHIFT_JIS, EUC_KR] {
                if encoding.encode(&query).2 {
                    // What it has no octets for, the crate of the test leaves apart.
                    continue;
                }
                let sent = Url::options()
                    .base_url(Some(&base))
                    .encoding_override(Some(&|text| encoding.encode(text).0))
                    .parse(&href)
                    .unwrap();
                let ours = base.join(&asked_in(&href, encoding)).unwrap();
                let octets = |url: &Url| -> Vec<u8> {
                    percent_encoding::percent_decode_str(url.query().unwrap()).collect()
                };
                prop_assert_eq!(octets(&ours), octets(&sent));
            }
        }
    }
}
