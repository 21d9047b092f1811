//! Decodes the body of a page.
//!
//! The encoding is found in the order of the WHATWG encoding sniffing algorithm: byte order mark, `charset` of the
//! `Content-Type` header, a declaration within the first 1024 octets, and last a guess: UTF-8 if the octets are valid
//! UTF-8, otherwise windows-1252. Undecodable octets become U+FFFD; decoding never fails.
//!
//! ```
//! use nodust_crawler::charset::decode;
//! assert_eq!(decode("caf\u{e9}".as_bytes(), None), "café");
//! assert_eq!(decode(b"caf\xe9", None), "café");
//! assert_eq!(decode(b"\xcf\xf0", Some("text/html; charset=windows-1251")), "Пр");
//! ```

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Octets that are searched for a declaration (WHATWG HTML, section 13.2.3.2).
const PRESCAN: usize = 1024;

/// The text of a body.
pub fn decode<'b>(body: &'b [u8], content_type: Option<&str>) -> Cow<'b, str> {
    decode_as(body, content_type).0
}

/// The text of a body, and the encoding that it is in.
pub(crate) fn decode_as<'b>(
    body: &'b [u8],
    content_type: Option<&str>,
) -> (Cow<'b, str>, &'static Encoding) {
    let (encoding, skip) = sniff(body, content_type);
    let (text, _) = encoding.decode_without_bom_handling(&body[skip..]);
    (text, encoding)
}

/// The encoding of a body, and the length of its byte order mark.
pub fn sniff(body: &[u8], content_type: Option<&str>) -> (&'static Encoding, usize) {
    if let Some((encoding, length)) = Encoding::for_bom(body) {
        return (encoding, length);
    }
    if let Some(encoding) = content_type.and_then(charset_of).and_then(for_label) {
        return (encoding, 0);
    }
    let head = &body[..body.len().min(PRESCAN)];
    if let Some(encoding) = declared(head).and_then(for_label) {
        // A declaration that could be read as ASCII is none of UTF-16 (WHATWG, same section).
        let encoding = if encoding == UTF_16LE || encoding == UTF_16BE {
            UTF_8
        } else {
            encoding
        };
        return (encoding, 0);
    }
    if std::str::from_utf8(body).is_ok() {
        (UTF_8, 0)
    } else {
        (WINDOWS_1252, 0)
    }
}

fn for_label(label: &str) -> Option<&'static Encoding> {
    Encoding::for_label(label.as_bytes())
}

/// The `charset` parameter of a media type. Some servers leave out the `;` before it, or send a list of types.
pub fn charset_of(content_type: &str) -> Option<&str> {
    let lower = content_type.to_ascii_lowercase();
    let mut found = lower.match_indices("charset");
    found.find_map(|(at, name)| {
        let before = content_type[..at].chars().next_back();
        let begins = before.is_some_and(|sign| matches!(sign, ';' | ',') || sign.is_whitespace());
        let value = content_type[at + name.len()..].trim_start();
        let value = value.strip_prefix('=').filter(|_| begins)?.trim_start();
        let value = match value.strip_prefix(['"', '\'']) {
            Some(quoted) => quoted.split(['"', '\'']).next(),
            None => value.split([';', ',', ' ', '\t']).next(),
        };
        value.map(str::trim).filter(|value| !value.is_empty())
    })
}

/// What a `<meta charset>`, `<meta http-equiv>` or `<?xml encoding?>` in `head` declares. It looks for
/// the word and not for the markup around it: a page that mentions a charset this early means it.
fn declared(head: &[u8]) -> Option<&str> {
    let lower = head.to_ascii_lowercase();
    for word in [&b"charset"[..], b"encoding"] {
        for at in memchr::memmem::find_iter(&lower, word) {
            let rest = head[at + word.len()..].trim_ascii_start();
            let Some(rest) = rest.strip_prefix(b"=") else {
                continue;
            };
            let rest = rest.trim_ascii_start();
            let rest = rest
                .strip_prefix(b"\"")
                .or_else(|| rest.strip_prefix(b"'"))
                .unwrap_or(rest);
            let end = rest
                .iter()
                .position(|b| {
                    matches!(b, b'"' | b'\'' | b'>' | b';' | b'?' | b'/') || b.is_ascii_whitespace()
                })
                .unwrap_or(rest.len());
            if let Ok(label) = std::str::from_utf8(&rest[..end])
                && !label.is_empty()
            {
                return Some(label);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_charset_is_found_however_it_is_named() {
        for (media, charset) in [
            ("text/html; charset=utf-8", Some("utf-8")),
            ("text/html;Charset = \"koi8-r\"; x=y", Some("koi8-r")),
            ("text/html charset=windows-1251", Some("windows-1251")),
            ("text/html;charset=utf-8, text/html", Some("utf-8")),
            ("text/html, text/html; charset=utf-8;q=1", Some("utf-8")),
            ("text/html; charset='latin1'", Some("latin1")),
            ("text/html; xcharset=utf-8", None),
            ("text/html; charset=", None),
        ] {
            assert_eq!(charset_of(media), charset, "{media}");
        }
    }

    #[test]
    fn the_byte_order_mark_beats_the_header() {
        assert_eq!(
            decode(b"\xef\xbb\xbfa", Some("text/html; charset=iso-8859-1")),
            "a"
        );
        assert_eq!(decode(b"\xff\xfea\0", None), "a");
    }

    #[test]
    fn a_meta_declaration_is_found_in_either_form() {
        let page = b"<html><meta charset=koi8-r><p>\xf0";
        assert!(decode(page, Some("text/html")).ends_with('П'));
        let page = b"<meta http-equiv=Content-Type content='text/html; charset=koi8-r'><p>\xf0";
        assert!(decode(page, None).ends_with('П'));
        let page = b"<?xml version='1.0' encoding=\"iso-8859-2\"?>\xb1";
        assert!(decode(page, None).ends_with('ą'));
    }

    #[test]
    fn an_unknown_charset_falls_back_to_a_guess() {
        assert_eq!(decode(b"\xe9", Some("text/html; charset=klingon")), "é");
        assert_eq!(
            decode("é".as_bytes(), Some("text/html; charset=klingon")),
            "é"
        );
    }

    #[test]
    fn any_octets_decode_to_something() {
        let octets: Vec<u8> = (0..=255).collect();
        for charset in ["utf-8", "utf-16", "gb18030", "iso-2022-jp", "replacement"] {
            let header = format!("text/html; charset={charset}");
            let _ = decode(&octets, Some(&header));
        }
    }
}
