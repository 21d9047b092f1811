//! The kind of file that a URL names.
//!
//! The extension is found by a scan of the path's last segment, without a pattern. Only file types that are surely not
//! text are refused by default; an unknown extension is given the benefit of the doubt, because `.cms`, `.ghtml` or
//! `/users/j.smith` are pages.
//!
//! ```
//! use nodust_middleware::filter::extension::{extension_filter, path_extension};
//!
//! assert_eq!(path_extension("/a.d/photo.JPG"), Some("JPG"));
//! assert!(extension_filter("/page.html"));
//! assert!(!extension_filter("/report.docx"));
//! ```

/// Extensions under which servers deliver pages of text.
pub const PAGE_EXTENSIONS: &[&str] = &[
    "adp", "amp", "asp", "aspx", "cfm", "cgi", "do", "htm", "html", "htx", "jsp", "mht", "mhtml",
    "php", "php3", "php4", "php5", "phtml", "pl", "shtml", "stm", "txt", "xhtml", "xml",
];

/// Longest extension that is looked for, in bytes.
pub(super) const MAX_EXTENSION: usize = 8;

/// Words that name a file type wherever they stand behind a dot, in a path or in a parameter.
const FILE_WORDS: &[&str] = &[
    "aac", "atom", "avi", "css", "eot", "flv", "gif", "gz", "ico", "iso", "jpeg", "jpg", "js",
    "json", "m4a", "mov", "mp3", "mp4", "ogg", "pdf", "pls", "png", "svg", "swf", "tar", "tiff",
    "ttf", "webm", "webp", "woff", "xml", "zip",
];

/// Words that name a picture behind a slash or hyphen, too.
const PICTURE_WORDS: &[&str] = &["img", "jpg", "png"];

/// Whether the extension of a path, if it has one in lower case, is one that pages have: courlan's white list. It
/// refuses pages with extensions of their own (`.cms`), so only the strict profile uses it.
pub fn extension_filter(path: &str) -> bool {
    lower_case_extension(path).is_none_or(|extension| PAGE_EXTENSIONS.contains(&extension))
}

/// Two to five lower-case letters behind the last dot of a text.
pub(super) fn lower_case_extension(text: &str) -> Option<&str> {
    let dot = text.len().checked_sub(6).map_or(0, |from| {
        // Only the last six bytes can hold it; step back to a character boundary.
        (0..=from)
            .rev()
            .find(|&at| text.is_char_boundary(at))
            .unwrap_or(0)
    });
    let (_, extension) = text[dot..].rsplit_once('.')?;
    ((2..=5).contains(&extension.len()) && extension.bytes().all(|b| b.is_ascii_lowercase()))
        .then_some(extension)
}

/// The text after the last dot of the last segment of a path: one to eight letters or digits, as spelled. `None` for
/// hidden files (`/.profile`) and for names that only contain a dot.
pub fn path_extension(path: &str) -> Option<&str> {
    let bytes = path.as_bytes();
    for (length, at) in (0..bytes.len()).rev().enumerate() {
        match bytes[at] {
            b'.' => {
                let hidden = at == 0 || bytes[at - 1] == b'/';
                return (length > 0 && !hidden).then(|| &path[at + 1..]);
            }
            b if b.is_ascii_alphanumeric() && length < MAX_EXTENSION => {}
            _ => return None,
        }
    }
    None
}

/// Whether a text names a file type that is not a page, anywhere after a dot (`.jpg`), or a picture after a slash or
/// hyphen (`/img/`, `web-jpg`). Finds types hidden in parameters, too.
pub fn names_a_file_type(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr3_iter(b'.', b'/', b'-', bytes).any(|at| {
        let start = at + 1;
        let word = ascii_word(&bytes[start..]);
        if bytes[at] == b'.' {
            return is_one_of(word, FILE_WORDS) && ends_at_boundary(text, start + word.len());
        }
        // An underscore ends a word for pictures: `/img_1`.
        let head = word.split(|&b| b == b'_').next().unwrap_or(word);
        is_one_of(head, PICTURE_WORDS)
            && (head.len() < word.len() || ends_at_boundary(text, start + word.len()))
    })
}

/// The letters, digits and underscores that a text begins with.
pub(super) fn ascii_word(bytes: &[u8]) -> &[u8] {
    let end = bytes
        .iter()
        .position(|b| !(b.is_ascii_alphanumeric() || *b == b'_'))
        .unwrap_or(bytes.len());
    &bytes[..end]
}

/// Whether no letter or digit of any script follows at `at`.
pub(super) fn ends_at_boundary(text: &str, at: usize) -> bool {
    text.get(at..)
        .and_then(|rest| rest.chars().next())
        .is_none_or(|c| !(c.is_alphanumeric() || c == '_'))
}

pub(super) fn is_one_of(word: &[u8], words: &[&str]) -> bool {
    words
        .iter()
        .any(|w| word.eq_ignore_ascii_case(w.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_is_behind_the_last_dot_of_the_last_segment() {
        assert_eq!(path_extension("/a/b.tar.gz"), Some("gz"));
        assert_eq!(path_extension("/a.b/c"), None);
        assert_eq!(path_extension("/.profile"), None);
        assert_eq!(path_extension("/a."), None);
        assert_eq!(path_extension("/v1.abcdefghi"), None);
        assert_eq!(path_extension(""), None);
        assert_eq!(path_extension("/é.jpg"), Some("jpg"));
        assert_eq!(path_extension("/x.é"), None);
    }

    #[test]
    fn unknown_extensions_fail_the_white_list() {
        for good in ["/a", "/a.shtml", "/a.php6", "/a.HTML", "/a/", ""] {
            assert!(extension_filter(good), "{good}");
        }
        for bad in ["/test.js", "/ADC/Art.nsf", "/x.cms", "/é.de"] {
            assert!(!extension_filter(bad), "{bad}");
        }
    }

    #[test]
    fn file_types_are_found_wherever_they_stand_as_a_word() {
        for file in [
            "/a.pdf",
            "/get?f=a.zip&x=1",
            "/logo-jpg/",
            "/a/img/b",
            "/a.JS?x",
            "/img_1/x",
        ] {
            assert!(names_a_file_type(file), "{file}");
        }
        for page in [
            "/a.jsp", "/a.xmlé", "/imgur", "/json-en", "/image/x", "/a.js_x",
        ] {
            assert!(!names_a_file_type(page), "{page}");
        }
    }
}
