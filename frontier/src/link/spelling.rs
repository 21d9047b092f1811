//! Which octets does the server really see?
//!
//! The URL parser leaves two equivalences of RFC 3986 section 6.2.2 alone: the case of the hex digits of
//! an escape, and escapes of unreserved characters. Both reach the server as the same octets.

/// The canonical spelling of a parsed URL, or `None` when it already is: hex digits upper case, escaped
/// unreserved characters (`A`–`Z`, `a`–`z`, `0`–`9`, `-`, `.`, `_`, `~`) decoded. Everything else stays as
/// it is, a stray `%` too. Idempotent.
///
/// `%2E` in a path was read as a dot by the parser already, so decoding never makes a dot segment.
pub fn canonical_spelling(url: &str) -> Option<String> {
    let bytes = url.as_bytes();
    let first = memchr::memchr_iter(b'%', bytes).find(|&at| is_respelled(bytes, at))?;
    let mut out = String::with_capacity(url.len());
    let mut copied = 0;
    for at in std::iter::once(first)
        .chain(memchr::memchr_iter(b'%', &bytes[first + 1..]).map(|i| first + 1 + i))
    {
        let Some(octet) = escaped_octet(bytes, at) else {
            continue;
        };
        out.push_str(&url[copied..at]);
        copied = at + 3;
        if is_unreserved(octet) {
            out.push(char::from(octet));
        } else {
            out.push('%');
            out.push(char::from(bytes[at + 1].to_ascii_uppercase()));
            out.push(char::from(bytes[at + 2].to_ascii_uppercase()));
        }
    }
    out.push_str(&url[copied..]);
    // Decoding can complete an escape (`%2%35` holds a stray `%2` before an escaped `5`): leave such a
    // URL as it is, because the server would read the result differently.
    let completes_an_escape = memchr::memchr_iter(b'%', out.as_bytes()).count()
        != memchr::memchr_iter(b'%', bytes).count()
            - memchr::memchr_iter(b'%', bytes)
                .filter(|&at| escaped_octet(bytes, at).is_some_and(is_unreserved))
                .count()
        || count_escapes(out.as_bytes()) != count_kept_escapes(bytes);
    (!completes_an_escape).then_some(out)
}

fn count_escapes(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'%', bytes)
        .filter(|&at| escaped_octet(bytes, at).is_some())
        .count()
}

fn count_kept_escapes(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'%', bytes)
        .filter(|&at| escaped_octet(bytes, at).is_some_and(|octet| !is_unreserved(octet)))
        .count()
}

fn is_respelled(bytes: &[u8], at: usize) -> bool {
    escaped_octet(bytes, at).is_some_and(|octet| {
        is_unreserved(octet)
            || bytes[at + 1].is_ascii_lowercase()
            || bytes[at + 2].is_ascii_lowercase()
    })
}

fn escaped_octet(bytes: &[u8], at: usize) -> Option<u8> {
    let high = char::from(*bytes.get(at + 1)?).to_digit(16)?;
    let low = char::from(*bytes.get(at + 2)?).to_digit(16)?;
    Some((high * 16 + low) as u8)
}

const fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~')
}

#[cfg(test)]
mod tests {
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
        assert_eq!(canonical_spelling("http://e.org/%%34%31"), None);
    }
}
