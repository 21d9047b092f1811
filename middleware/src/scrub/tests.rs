//! What the stage changes, and what it leaves alone.

use nodust_frontier::CanonicalUrl;
use proptest::prelude::*;
use url::Url;

use super::{Scrub, ScrubConfig};

fn scrubbed(set: impl FnOnce(&mut ScrubConfig), text: &str) -> String {
    let mut config = ScrubConfig::default();
    set(&mut config);
    let url: CanonicalUrl = text.parse().unwrap();
    Scrub::new(config)
        .rewrite(url.as_url())
        .unwrap_or_else(|| url.as_str().to_owned())
}

#[test]
fn by_default_nothing_changes() {
    let scrub = Scrub::default();
    for text in [
        "http://e.org/a//b?wsdl",
        "http://e.org/?u=http://x.org/&utm_source=1",
    ] {
        assert_eq!(scrub.rewrite(&Url::parse(text).unwrap()), None);
    }
}

#[test]
fn each_change_is_made_only_when_named() {
    type Case = (fn(&mut ScrubConfig), &'static str, &'static str);
    let cases: [Case; 16] = [
        (
            |c| c.drop_tracking_parameters = true,
            "http://e.org/?gclid=1&b&a",
            "http://e.org/?b&a",
        ),
        (
            |c| c.drop_session_parameters = true,
            "http://e.org/a;jsessionid=1",
            "http://e.org/a",
        ),
        (
            |c| c.sort_parameters = true,
            "http://e.org/?b=1&a=",
            "http://e.org/?a=&b=1",
        ),
        (
            |c| c.upgrade_scheme = true,
            "http://e.org/",
            "https://e.org/",
        ),
        (
            |c| c.unescape_html = true,
            "http://e.org/?a=1&amp;b=2",
            "http://e.org/?a=1&b=2",
        ),
        (
            |c| c.extract_nested_url = true,
            "http://e.org/l?next=https%3A%2F%2Fx.org%2Fp&t",
            "https://x.org/p",
        ),
        (
            |c| c.extract_nested_url = true,
            "http://e.org/p/http://x.org/p?a",
            "http://x.org/p?a",
        ),
        (
            |c| c.delete_spaces = true,
            "http://e.org/my file",
            "http://e.org/myfile",
        ),
        (
            |c| c.delete_markup = true,
            "http://e.org/{id}/a<b>c\"d",
            "http://e.org//ac",
        ),
        (
            |c| c.delete_markup = true,
            "http://e.org/a?{x}",
            "http://e.org/a",
        ),
        (
            |c| c.collapse_slashes = true,
            "http://e.org//a///b?c//d",
            "http://e.org/a/b?c//d",
        ),
        (
            |c| c.drop_blank_parameters = true,
            "http://e.org/?wsdl&a=&b=1",
            "http://e.org/?b=1",
        ),
        (
            |c| c.decode_reserved = true,
            "http://e.org/a%2Fb%3F?c=%2F%26",
            "http://e.org/a/b%3F?c=/%26",
        ),
        (
            |c| c.encode_reserved = true,
            "http://e.org/@me/(x)",
            "http://e.org/%40me/%28x%29",
        ),
        (
            |c| c.replace_undecodable = true,
            "http://e.org/caf%E9%C3%A9%/%41",
            "http://e.org/caf%EF%BF%BD%C3%A9%/A",
        ),
        (
            |c| c.lowercase_userinfo = true,
            "http://User:PaSs@e.org/",
            "http://user:pass@e.org/",
        ),
    ];
    for (set, found, wanted) in cases {
        assert_eq!(scrubbed(set, found), wanted);
    }
    assert_eq!(
        scrubbed(|c| c.drop_userinfo = true, "http://u:p@e.org/"),
        "http://e.org/"
    );
}

#[test]
fn a_change_that_leaves_no_url_is_not_made() {
    assert_eq!(
        scrubbed(|c| c.extract_nested_url = true, "http://e.org/?u=http://"),
        "http://e.org/?u=http://"
    );
}

/// Everything at once, as the most reckless operator would have it.
fn reckless() -> ScrubConfig {
    ScrubConfig {
        drop_tracking_parameters: true,
        drop_session_parameters: true,
        drop_parameters: vec!["x".into()],
        keep_parameters: Vec::new(),
        sort_parameters: true,
        plus_to_space: true,
        drop_lone_question_mark: true,
        drop_trailing_dot: true,
        drop_www: true,
        upgrade_scheme: true,
        drop_trailing_slash: true,
        drop_index_pages: true,
        unescape_html: true,
        extract_nested_url: true,
        delete_spaces: true,
        delete_markup: true,
        collapse_slashes: true,
        drop_blank_parameters: true,
        decode_reserved: true,
        encode_reserved: false,
        replace_undecodable: true,
        lowercase_userinfo: true,
        drop_userinfo: false,
    }
}

/// What the server would be asked, with escapes of unreserved characters decoded one by one: written
/// without the code under test.
fn request(url: &Url) -> Vec<(bool, u8)> {
    let text = &url[url::Position::BeforeScheme..url::Position::AfterQuery];
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let octet = text
            .get(at + 1..at + 3)
            .filter(|d| bytes[at] == b'%' && d.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let (escaped, octet, step) = octet.map_or((false, bytes[at], 1), |o| (true, o, 3));
        let plain = octet.is_ascii_alphanumeric() || b"-._~".contains(&octet);
        out.push((escaped && !plain, octet));
        at += step;
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn tier_one_keeps_the_octets_and_is_idempotent(
        text in "(https?|HTTP)://(u:P@)?(e\\.org|B\u{fc}cher\\.de|e\\.org:80)(/|[/a.%2-7A-Fa-f ;@(){}\"<\\\\]{0,12})(\\?[a&=+%2f;/ ]{0,10})?(#.{0,3})?"
    ) {
        if let (Ok(found), Ok(sent)) = (Url::parse(&text), text.parse::<CanonicalUrl>()) {
            // Markup rests behind the link are the one thing that tier 1 takes away.
            if nodust_frontier::link::repair(&text) == text {
                prop_assert_eq!(request(&found), request(sent.as_url()));
            }
            let again: CanonicalUrl = sent.as_str().parse().unwrap();
            prop_assert_eq!(again.as_str(), sent.as_str());
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "(?s).{0,30}", tail in "[{}<>\"%a-fA-F0-9&=?/;.]{0,30}") {
        let scrub = Scrub::new(reckless());
        let encode = Scrub::new(ScrubConfig { encode_reserved: true, ..ScrubConfig::default() });
        for text in [text.clone(), format!("http://u@e.org/{text}{tail}"), format!("http://e.org/?{tail}{text}")] {
            if let Ok(url) = text.parse::<CanonicalUrl>() {
                for scrub in [&scrub, &encode] {
                    if let Some(rewritten) = scrub.rewrite(url.as_url()) {
                        let _ = rewritten.parse::<CanonicalUrl>();
                    }
                }
            }
        }
    }
}
