//! Removes what link extraction left around a link by mistake.
//!
//! Links are cut out of feeds, scripts, mails and broken markup, not always cleanly. Only damage at the edges is
//! repaired, and only where no valid reading as a URL is lost. What is inside a link (spaces, quotes, braces, tags) is
//! never removed: the URL parser percent-encodes it, as a browser does.

use std::borrow::Cow;

/// Returns the link without the damage of its extraction, always borrowed from `text`. What is cut off:
///
/// - white space, control characters, byte order marks and zero-width spaces on both sides (WHATWG
///   strips the first two as well);
/// - the wrapping of an XML `CDATA` section, whole or its end alone;
/// - a pair of quotes or angle brackets around a URL that names its scheme (RFC 3986 appendix C, with its `URL:`
///   prefix);
/// - the remains of markup after a URL that names its scheme: closing tags (`</a>`), and the end of an attribute with
///   the end of its tag (`">`, `"/>`).
///
/// ```
/// use nodust_frontier::link::repair;
///
/// assert_eq!(repair(" <![CDATA[http://e.org/a]]>\n"), "http://e.org/a");
/// assert_eq!(repair("<URL:http://e.org/a>"), "http://e.org/a");
/// assert_eq!(repair("http://e.org/a</div></p>"), "http://e.org/a");
/// assert_eq!(repair("http://e.org/a b<c>\"d"), "http://e.org/a b<c>\"d");
/// ```
pub fn repair(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(repaired(text))
}

fn repaired(text: &str) -> &str {
    // Nearly every link is whole, and shows it by its first and its last byte.
    if let [first, .., last] = text.as_bytes()
        && (first.is_ascii_alphanumeric() || *first == b'/')
        && (last.is_ascii_alphanumeric() || matches!(last, b'/' | b'-' | b'_' | b'='))
    {
        return text;
    }
    let text = trim(text);
    let (Some(first), Some(last)) = (text.chars().next(), text.chars().next_back()) else {
        return text;
    };
    if !is_suspect(first) && !matches!(last, '>' | '<') {
        return text;
    }
    // Each step takes something away, so the loop ends.
    let mut text = text;
    loop {
        let once = markup_rest(unwrapped(cdata(text)));
        if once.len() == text.len() {
            return text;
        }
        text = trim(once);
    }
}

fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| {
        c <= ' ' || c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}')
    })
}

const fn is_suspect(first: char) -> bool {
    matches!(first, '<' | '"' | '\'' | '`' | '“' | '„' | '‘' | '«' | '‹')
}

fn cdata(text: &str) -> &str {
    let text = text.strip_prefix("<![CDATA[").unwrap_or(text);
    text.strip_suffix("]]>").unwrap_or(text)
}

/// Takes off a pair of quotes or brackets around an absolute URL.
fn unwrapped(text: &str) -> &str {
    const PAIRS: [(char, char); 9] = [
        ('<', '>'),
        ('"', '"'),
        ('\'', '\''),
        ('`', '`'),
        ('“', '”'),
        ('„', '“'),
        ('‘', '’'),
        ('«', '»'),
        ('‹', '›'),
    ];
    for (open, close) in PAIRS {
        let Some(inner) = text.strip_prefix(open) else {
            continue;
        };
        let inner = trim(inner.strip_suffix(close).unwrap_or(inner));
        let inner = match inner.get(..4) {
            Some(prefix) if prefix.eq_ignore_ascii_case("url:") => trim(&inner[4..]),
            _ => inner,
        };
        return if is_absolute(inner) { inner } else { text };
    }
    text
}

/// Takes off closing tags, and the end of an attribute together with the end of its tag.
fn markup_rest(text: &str) -> &str {
    let Some(inside) = text.strip_suffix('>') else {
        return text;
    };
    if !is_absolute(text) {
        return text;
    }
    let before_slash = inside.strip_suffix('/').unwrap_or(inside).trim_end();
    if let Some(url) = before_slash.strip_suffix(['"', '\'']) {
        return url;
    }
    match inside.rfind("</") {
        Some(at) if is_tag_name(&inside[at + 2..]) => &text[..at],
        _ => text,
    }
}

fn is_tag_name(name: &str) -> bool {
    let name = name.trim_end();
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
}

fn is_absolute(text: &str) -> bool {
    let starts_with = |scheme: &str| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    starts_with("http://") || starts_with("https://")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::repair;

    #[test]
    fn wrappings_are_taken_off_around_a_url() {
        for wrapped in [
            "\u{feff} http://e.org/a\n",
            "<![CDATA[http://e.org/a]]>",
            "<![CDATA[ http://e.org/a ]]>",
            "http://e.org/a]]>",
            "\"http://e.org/a\"",
            "'http://e.org/a'",
            "“http://e.org/a”",
            "<http://e.org/a>",
            "<url: http://e.org/a>",
            "http://e.org/a</a>",
            "http://e.org/a </div></p >",
            "http://e.org/a\"></a>",
            "http://e.org/a\" />",
        ] {
            assert_eq!(repair(wrapped), "http://e.org/a", "{wrapped}");
        }
    }

    #[test]
    fn what_a_server_could_see_stays() {
        for link in [
            "",
            "/a b",
            "'quoted'/x",
            "\"/path\"",
            "http://e.org/it's",
            "http://e.org/a\"",
            "http://e.org/a<",
            "http://e.org/a\"b",
            "http://e.org/{id}/x",
            "http://e.org/a<b>c",
            "http://e.org/a<b>",
            "http://e.org/a?q=x>",
            "a</b>",
            "http://e.org/(x)",
            "javascript:\">\"",
        ] {
            assert_eq!(repair(link), link);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn repairing_twice_changes_nothing(text in "(?s)[ <>\"'a/:\\[\\]!C-]{0,6}.{0,20}[ <>\"'/a\\]]{0,8}") {
            let once = repair(&text);
            prop_assert_eq!(repair(&once), once.as_ref());
        }
    }
}
