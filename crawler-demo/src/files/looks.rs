//! Guesses what a file is that is not what was asked for.
//!
//! The guess, from its beginning, is for the operator who gave the wrong file: no reader depends on it.

use std::fmt;

use serde_json::{Map, Value};

/// Octets of a file that are looked at.
const LOOKED_AT: usize = 1 << 16;
/// Lines of a text that are looked at.
const LINES: usize = 40;

/// What a file seems to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Looks {
    Empty,
    Binary,
    Foreign,
    Log,
    Decisions,
    Clusters,
    Rules,
    Beliefs,
    Report,
    Evaluation,
    Trackers,
    Json,
    Page,
    Xml,
    Configuration,
    Table,
    Urls,
    Text,
}

/// In a sentence that begins with the name of the file.
impl fmt::Display for Looks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            Self::Empty => return f.write_str("holds nothing"),
            Self::Binary => "a binary file",
            Self::Foreign => "a text in another encoding than UTF-8 (`iconv` translates it)",
            Self::Log => "a log of a crawl (`nodust crawl --log`)",
            Self::Decisions => "a file of decisions (`nodust crawl --decisions`)",
            Self::Clusters => {
                "lines of URLs and clusters (what `nodust learn` and `nodust eval` read)"
            }
            Self::Rules => "a rules file (`nodust learn`)",
            Self::Beliefs => "a file of beliefs (`nodust beliefs --export`)",
            Self::Report => "the report of a crawl or replay (`--report`)",
            Self::Evaluation => "the report of `nodust eval`",
            Self::Trackers => "a list of trackers (what `nodust rules import` reads)",
            Self::Json => "JSON of another kind",
            Self::Page => "a web page (HTML)",
            Self::Xml => "XML, such as a sitemap",
            Self::Configuration => "a configuration file (TOML)",
            Self::Table => "a table (CSV)",
            Self::Urls => "a list of URLs",
            Self::Text => "a text",
        };
        write!(f, "looks like {words}")
    }
}

/// Whether octets that are no UTF-8 are text all the same: in UTF-16, which says so first, or in an encoding of one octet a letter,
/// without the control characters that no text has.
fn is_foreign(begin: &[u8]) -> bool {
    let is_utf_16 = begin.starts_with(b"\xff\xfe") || begin.starts_with(b"\xfe\xff");
    let is_control = |octet: &u8| matches!(octet, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f);
    is_utf_16 || !begin.iter().any(is_control)
}

impl Looks {
    /// What begins so, unpacked.
    pub(crate) fn of(begin: &[u8]) -> Self {
        let begin = &begin[..begin.len().min(LOOKED_AT)];
        let text = match std::str::from_utf8(begin) {
            Ok(text) => text,
            // A letter that the end of what is looked at cuts is no fault.
            Err(error) if error.error_len().is_none() => {
                std::str::from_utf8(&begin[..error.valid_up_to()]).unwrap_or_default()
            }
            Err(_) if is_foreign(begin) => return Self::Foreign,
            Err(_) => return Self::Binary,
        };
        if text.contains('\0') {
            return Self::Binary;
        }
        let text = text.trim();
        match text.as_bytes().first() {
            None => Self::Empty,
            Some(b'{') => Self::of_object(text),
            Some(b'<') => Self::of_markup(text),
            Some(_) => Self::of_lines(text),
        }
    }

    fn of_object(text: &str) -> Self {
        let first = text.lines().next().unwrap_or_default();
        if let Ok(object) = serde_json::from_str(first) {
            return Self::of_keys(&object);
        }
        if let Ok(object) = serde_json::from_str(text) {
            return Self::of_keys(&object);
        }
        // Longer than what is looked at.
        let has = |key: &str| text.contains(&format!("\"{key}\""));
        if has("nodust-rules") {
            Self::Rules
        } else if has("nodust-beliefs") {
            Self::Beliefs
        } else if has("fetched") && has("plain") {
            Self::Report
        } else if has("macro") && has("micro") {
            Self::Evaluation
        } else if has("providers") {
            Self::Trackers
        } else if first.starts_with("{\"url\"") {
            Self::Log
        } else {
            Self::Json
        }
    }

    fn of_keys(object: &Map<String, Value>) -> Self {
        let has = |key: &str| object.contains_key(key);
        match object.get("format").and_then(Value::as_str) {
            Some("nodust-rules") => Self::Rules,
            Some("nodust-beliefs") => Self::Beliefs,
            _ if has("url") && has("decision") => Self::Decisions,
            _ if has("url") && has("cluster") => Self::Clusters,
            _ if has("url") && (has("text") || has("links") || has("status")) => Self::Log,
            _ if has("fetched") && has("plain") => Self::Report,
            _ if has("macro") && has("micro") => Self::Evaluation,
            _ if has("providers") => Self::Trackers,
            _ => Self::Json,
        }
    }

    fn of_markup(text: &str) -> Self {
        let begin: String = text.chars().take(512).collect();
        if begin.to_ascii_lowercase().contains("<html") || begin.starts_with("<!") {
            Self::Page
        } else {
            Self::Xml
        }
    }

    fn of_lines(text: &str) -> Self {
        let lines: Vec<&str> = (text.lines().map(str::trim))
            .filter(|line| !line.is_empty())
            .take(LINES)
            .collect();
        let said = |line: &&&str| !line.starts_with('#');
        let is_url = |line: &&str| line.starts_with("http://") || line.starts_with("https://");
        let is_section =
            |line: &&str| line.starts_with('[') && line.ends_with(']') && !line.contains(' ');
        if lines.iter().find(said).is_some_and(is_url) {
            return Self::Urls;
        }
        if lines.iter().any(is_section) && lines.iter().any(|line| line.contains(" = ")) {
            return Self::Configuration;
        }
        if text.starts_with('[') {
            return Self::Json;
        }
        let columns = |line: &str, sign: char| line.matches(sign).count();
        let is_table = |sign: char| {
            let mut counts = lines.iter().map(|line| columns(line, sign));
            let first = counts.next().unwrap_or_default();
            first > 0 && lines.len() > 1 && counts.all(|count| count >= first)
        };
        if [',', ';', '\t'].into_iter().any(is_table) {
            Self::Table
        } else {
            Self::Text
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_often_confused_are_told_apart_by_their_beginning() {
        for (begin, looks) in [
            ("", Looks::Empty),
            (" \n\n", Looks::Empty),
            ("\0\x01", Looks::Binary),
            (
                "{\"url\":\"http://e.org/\",\"status\":200}\n{\"ur",
                Looks::Log,
            ),
            ("{\"url\":\"\",\"decision\":\"resume\"}\n", Looks::Decisions),
            (
                "{\"url\":\"http://e.org/\",\"cluster\":1}\n",
                Looks::Clusters,
            ),
            ("{\n  \"format\": \"nodust-rules\",\n  \"ver", Looks::Rules),
            ("{\"format\":\"nodust-rules\",\"version\":7}", Looks::Rules),
            ("{\n  \"format\": \"nodust-beliefs\"\n}\n", Looks::Beliefs),
            ("{\"fetched\":1,\"plain\":2}", Looks::Report),
            ("{\n \"macro\": {},\n \"micro\": {", Looks::Evaluation),
            ("{\"providers\": {}}", Looks::Trackers),
            ("{\"name\": \"x\"}", Looks::Json),
            ("[1, 2]\n", Looks::Json),
            ("<!DOCTYPE html>\n", Looks::Page),
            ("<?xml version=\"1.0\"?>\n<urlset>", Looks::Xml),
            ("# mine\n[crawl]\ndelay_ms = 5\n", Looks::Configuration),
            ("url,cluster\nhttp://e.org/,1\n", Looks::Table),
            ("# seeds\nhttp://e.org/?a=1,2\n", Looks::Urls),
            ("# A title\n\nSome words, and more.\n", Looks::Text),
        ] {
            assert_eq!(Looks::of(begin.as_bytes()), looks, "{begin}");
        }
        assert_eq!(Looks::of(b"\x7fELF\x02\xff\0"), Looks::Binary);
        assert_eq!(Looks::of(b"http://e.org/gr\xfc\xdfe\n"), Looks::Foreign);
        assert_eq!(Looks::of(b"\xff\xfeh\0t\0"), Looks::Foreign);
        let long = "é".repeat(LOOKED_AT);
        assert_eq!(Looks::of(&long.as_bytes()[1..]), Looks::Foreign);
        assert_eq!(Looks::of(format!("a{long}").as_bytes()), Looks::Text);
        assert_eq!(Looks::Empty.to_string(), "holds nothing");
    }
}
