//! What kind of document is this?

/// What kind of document a media type names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// HTML, XHTML and other markup.
    Markup,
    /// Plain text.
    Plain,
    /// None that is read.
    Other,
}

/// The kind of a body; without a media type, its first octets tell.
pub fn kind(content_type: Option<&str>, body: &[u8]) -> Kind {
    let Some(media) = essence(content_type) else {
        let start = body.trim_ascii_start();
        let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
        return if start.first() == Some(&b'<') {
            Kind::Markup
        } else {
            Kind::Other
        };
    };
    match media.as_str() {
        "text/html" | "application/xhtml+xml" | "text/xml" | "application/xml" => Kind::Markup,
        "text/plain" => Kind::Plain,
        other if other.ends_with("+xml") && !other.starts_with("image/") => Kind::Markup,
        _ => Kind::Other,
    }
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
        assert_eq!(kind(Some(" ; x"), b"\x89PNG"), Kind::Other);
    }
}
