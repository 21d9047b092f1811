//! Would these two URLs ask the server for the same thing?
//!
//! Written with the URL parser alone, not with the code under test.

use nodust_frontier::{CanonicalUrl, link::repair};
use url::{Position, Url};

/// What a client sends for an http(s) URL, with escapes spelled one way (RFC 3986 section 6.2.2); `None`
/// for all else.
pub fn request_of(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.has_host())
        .then(|| respell(&url[Position::BeforeScheme..Position::AfterQuery]))
}

/// Upper-case hex digits; escapes of unreserved characters decoded where no stray `%` stands before them.
fn respell(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escape = text
            .get(at..at + 3)
            .filter(|e| e.starts_with('%') && e.bytes().skip(1).all(|b| b.is_ascii_hexdigit()));
        let Some(escape) = escape else {
            out.push(bytes[at]);
            at += 1;
            continue;
        };
        let octet = u8::from_str_radix(&escape[1..], 16).unwrap_or(b'%');
        let tail = &out[out.len().saturating_sub(2)..];
        let stray =
            tail.ends_with(b"%") || matches!(tail, [b'%', digit] if digit.is_ascii_hexdigit());
        if (octet.is_ascii_alphanumeric() || b"-._~".contains(&octet)) && !stray {
            out.push(octet);
        } else {
            out.extend(escape.to_ascii_uppercase().bytes());
        }
        at += 3;
    }
    String::from_utf8(out).unwrap_or_default()
}

/// What our tier 1 did to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnTheWire {
    /// No http(s) URL, and refused.
    NoUrl,
    /// The same request.
    Same,
    /// The same request once damage at the edges of the text was repaired.
    Repaired,
    /// Another request, or a refusal of a good URL.
    Destroyed,
}

/// Compares what tier 1 would send for `text` with what a browser would.
pub fn on_the_wire(text: &str) -> OnTheWire {
    let repaired = repair(text);
    let found = request_of(&repaired);
    let sent = CanonicalUrl::resolve(text, None).ok();
    match (found, sent) {
        (None, None) => OnTheWire::NoUrl,
        (Some(found), Some(sent)) if request_of(sent.as_str()).as_ref() == Some(&found) => {
            if request_of(text) == request_of(&repaired) {
                OnTheWire::Same
            } else {
                OnTheWire::Repaired
            }
        }
        // Longer than any server accepts: refused by design.
        (Some(_), None) if text.len() > CanonicalUrl::MAX_BYTES => OnTheWire::NoUrl,
        _ => OnTheWire::Destroyed,
    }
}

#[cfg(test)]
mod tests {
    use super::{OnTheWire, on_the_wire, request_of};

    #[test]
    fn escapes_are_spelled_one_way() {
        assert_eq!(
            request_of("HTTP://e.org:80/%7e%c3%2f#x").as_deref(),
            Some("http://e.org/~%C3%2F")
        );
        assert_eq!(
            request_of("http://e.org/%2%35").as_deref(),
            Some("http://e.org/%2%35")
        );
        assert_eq!(request_of("mailto:a@e.org"), None);
    }

    #[test]
    fn the_wire_is_kept_or_repaired() {
        assert_eq!(on_the_wire("http://e.org/a b"), OnTheWire::Same);
        assert_eq!(
            on_the_wire("<![CDATA[http://e.org/]]>"),
            OnTheWire::Repaired
        );
        assert_eq!(on_the_wire("/a"), OnTheWire::NoUrl);
    }
}
