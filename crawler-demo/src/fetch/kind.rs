//! The kind of a document.

/// The kind of document that a media type names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// HTML, XHTML and other markup.
    Markup,
    /// Plain text.
    Plain,
    /// Anything else, which is not read.
    Other,
}

/// Types of text that are no text to read (CSS, and the JavaScript types of WHATWG MIME Sniffing, section 4.6).
const CODE: [&str; 6] = [
    "text/css",
    "text/ecmascript",
    "text/javascript",
    "text/jscript",
    "text/livescript",
    "text/x-javascript",
];

/// The kind of a body; without a media type, its first octets tell.
pub fn kind(content_type: Option<&str>, body: &[u8]) -> Kind {
    let Some(media) = essence(content_type) else {
        let start = body.trim_ascii_start();
        let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
        return if start.first() == Some(&b'<') {
            Kind::Markup
        } else if is_readable(start) {
            Kind::Plain
        } else {
            Kind::Other
        };
    };
    match media.as_str() {
        "text/html" | "application/xhtml+xml" | "text/xml" | "application/xml" => Kind::Markup,
        other if other.ends_with("+xml") && !other.starts_with("image/") => Kind::Markup,
        other if CODE.contains(&other) => Kind::Other,
        other if other.starts_with("text/") => Kind::Plain,
        _ => Kind::Other,
    }
}

/// Whether a body without a type is text: it has none of the octets that only binary files have, and is no PDF or PostScript (WHATWG MIME Sniffing, section 7.1).
fn is_readable(body: &[u8]) -> bool {
    let begin = &body[..body.len().min(1445)];
    let is_binary = |octet: &u8| matches!(octet, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    let is_printed = begin.starts_with(b"%PDF-") || begin.starts_with(b"%!PS-Adobe-");
    !begin.is_empty() && !is_printed && !begin.iter().any(is_binary)
}

/// Whether a media type names markup in XML.
pub(crate) fn is_xml(content_type: Option<&str>) -> bool {
    let is_of_xml = |media: String| media.ends_with("+xml") || media.ends_with("/xml");
    essence(content_type).is_some_and(is_of_xml)
}

/// A media type without its parameters; of a list, which some servers send, the first.
fn essence(content_type: Option<&str>) -> Option<String> {
    let media = content_type?.split([';', ',']).next()?.trim();
    // Some leave out the sign before the parameters.
    let media = media.split_ascii_whitespace().next()?;
    Some(media.to_ascii_lowercase())
}

/// Whether a body of this type might be read.
pub(crate) fn is_text(content_type: Option<&str>) -> bool {
    kind(content_type, b"<") != Kind::Other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_types_are_known() {
        assert_eq!(kind(Some("Text/HTML; charset=x"), b""), Kind::Markup);
        assert_eq!(kind(Some("application/rss+xml"), b""), Kind::Markup);
        assert_eq!(kind(Some("image/svg+xml"), b""), Kind::Other);
        assert_eq!(kind(Some("text/plain"), b""), Kind::Plain);
        assert_eq!(kind(Some("text/css"), b""), Kind::Other);
        assert_eq!(
            kind(Some("text/html, text/html; charset=utf-8"), b""),
            Kind::Markup
        );
        assert_eq!(kind(Some("text/html charset=utf-8"), b""), Kind::Markup);
        assert_eq!(kind(None, b" <!doctype html>"), Kind::Markup);
        for text in ["text/csv", "text/calendar", "Text/x-patch; charset=x"] {
            assert_eq!(kind(Some(text), b""), Kind::Plain, "{text}");
        }
        assert_eq!(kind(Some("text/javascript"), b""), Kind::Other);
    }

    #[test]
    fn a_body_without_a_type_is_what_its_beginning_is() {
        for (body, is) in [
            (&b"\x89PNG\r\n\x1a\n\0"[..], Kind::Other),
            (b"%PDF-1.7 and so on", Kind::Other),
            (b"h\0t\0m\0", Kind::Other),
            (b"", Kind::Other),
            ("# Überschrift\n\ttext".as_bytes(), Kind::Plain),
            (b"\xef\xbb\xbf<p>", Kind::Markup),
        ] {
            assert_eq!(kind(Some(" ; x"), body), is, "{body:?}");
            assert_eq!(kind(None, body), is, "{body:?}");
        }
    }
}
