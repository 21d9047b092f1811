//! The canonical spelling of a URL.
//!
//! The URL parser does not apply two equivalences of RFC 3986 section 6.2.2: the case of the hex digits of an escape,
//! and escapes of unreserved characters. Both reach the server as the same octets.

/// Returns the canonical spelling of a parsed URL, or `None` if it is spelled so already: hex digits in upper case,
/// escaped unreserved characters (`A`–`Z`, `a`–`z`, `0`–`9`, `-`, `.`, `_`, `~`) decoded. Everything else stays as it
/// is, even a stray `%`. Idempotent.
///
/// An escape is left alone where decoding it would change how the rest is read: `%2%35` holds a stray `%2`, which a
/// decoded `5` would complete. The parser already reads a path segment `%2E` as a dot, so decoding never makes a dot
/// segment.
///
/// ```
/// use nodust_frontier::link::canonical_spelling;
///
/// assert_eq!(canonical_spelling("http://e.org/%7eu?q=%c3%a9").as_deref(), Some("http://e.org/~u?q=%C3%A9"));
/// assert_eq!(canonical_spelling("http://e.org/~u"), None);
/// ```
pub fn canonical_spelling(url: &str) -> Option<String> {
    let bytes = url.as_bytes();
    memchr::memchr_iter(b'%', bytes).find(|&at| respelling(bytes, at).is_some())?;
    let mut out = String::with_capacity(url.len());
    let mut copied = 0;
    for at in memchr::memchr_iter(b'%', bytes) {
        let Some(respelled) = respelling(bytes, at) else {
            continue;
        };
        out.push_str(&url[copied..at]);
        copied = at + 3;
        match respelled {
            Respelled::Character(c) => out.push(c),
            Respelled::Escape(high, low) => {
                out.push('%');
                out.push(high);
                out.push(low);
            }
        }
    }
    out.push_str(&url[copied..]);
    Some(out)
}

enum Respelled {
    Character(char),
    Escape(char, char),
}

/// What the escape at `at` becomes, if it changes.
fn respelling(bytes: &[u8], at: usize) -> Option<Respelled> {
    let octet = escaped_octet(bytes, at)?;
    if is_unreserved(octet) && !follows_stray_percent(bytes, at) {
        return Some(Respelled::Character(char::from(octet)));
    }
    let (high, low) = (bytes[at + 1], bytes[at + 2]);
    (high.is_ascii_lowercase() || low.is_ascii_lowercase()).then(|| {
        let upper = |digit: u8| char::from(digit.to_ascii_uppercase());
        Respelled::Escape(upper(high), upper(low))
    })
}

/// Whether a `%` that is no escape stands so close before `at` that a character put here could complete
/// it. An escape right behind the stray sign stays for the same reason, so no longer run can do so.
fn follows_stray_percent(bytes: &[u8], at: usize) -> bool {
    let stray = |from: usize| bytes[from] == b'%' && escaped_octet(bytes, from).is_none();
    (at >= 1 && stray(at - 1)) || (at >= 2 && bytes[at - 1].is_ascii_hexdigit() && stray(at - 2))
}

fn escaped_octet(bytes: &[u8], at: usize) -> Option<u8> {
    if bytes[at] != b'%' {
        return None;
    }
    let high = char::from(*bytes.get(at + 1)?).to_digit(16)?;
    let low = char::from(*bytes.get(at + 2)?).to_digit(16)?;
    u8::try_from(high * 16 + low).ok()
}

const fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::Url;

    use super::canonical_spelling;

    #[test]
    fn hex_is_upper_case_and_unreserved_characters_are_decoded() {
        let spelled = canonical_spelling("http://e.org/%7eu/%41?q=%c3%a9%3b").unwrap();
        assert_eq!(spelled, "http://e.org/~u/A?q=%C3%A9%3B");
        assert_eq!(canonical_spelling(&spelled), None);
    }

    #[test]
    fn a_stray_percent_stays_and_never_becomes_an_escape() {
        assert_eq!(canonical_spelling("http://e.org/100%"), None);
        assert_eq!(canonical_spelling("http://e.org/%2%35"), None);
        assert_eq!(
            canonical_spelling("http://e.org/%%34%31").as_deref(),
            Some("http://e.org/%%341")
        );
        assert_eq!(
            canonical_spelling("http://e.org/100%/%7eu").as_deref(),
            Some("http://e.org/100%/~u")
        );
    }

    #[test]
    fn a_run_of_escapes_is_spelled_in_linear_time() {
        let url = format!("http://e.org/{}", "%41".repeat(20_000));
        let spelled = canonical_spelling(&url).unwrap();
        assert_eq!(spelled.len(), "http://e.org/".len() + 20_000);
    }

    /// The octets a server reads out of a text, with each reserved or undecodable escape kept apart from
    /// the character it stands for.
    fn octets(text: &str) -> Vec<(bool, u8)> {
        let bytes = text.as_bytes();
        let mut out = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let (reserved, octet, step) = super::escaped_octet(bytes, at)
                .map_or((false, bytes[at], 1), |o| (!super::is_unreserved(o), o, 3));
            out.push((reserved, octet));
            at += step;
        }
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn the_spelling_keeps_the_octets_and_is_final(tail in "[%2-7a-fA-F./?&=]{0,24}") {
            let url = Url::parse("http://e.org/").unwrap().join(&format!("/x{tail}")).unwrap();
            if let Some(spelled) = canonical_spelling(url.as_str()) {
                prop_assert_eq!(canonical_spelling(&spelled), None);
                prop_assert_eq!(octets(&spelled), octets(url.as_str()));
                let parsed = Url::parse(&spelled).unwrap();
                prop_assert_eq!(parsed.as_str(), spelled);
            }
        }
    }
}
