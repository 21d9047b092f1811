//! What does a recorded call look like?

use std::{fs, io, path::Path};

use serde_json::{Map, Value};

/// A call of another tool's function, and what it answered.
#[derive(Clone, Debug)]
pub struct Case {
    /// The tool.
    pub peer: String,
    /// The function.
    pub function: String,
    /// Arguments by position.
    pub args: Vec<Value>,
    /// Arguments by name.
    pub kwargs: Map<String, Value>,
    /// The answer.
    pub expected: Expected,
    /// The tool's own suite marks the value as wrong.
    pub peer_calls_it_wrong: bool,
}

/// What the tool answered.
#[derive(Clone, Debug)]
pub enum Expected {
    /// This value.
    Value(Value),
    /// One of these.
    Any(Vec<Value>),
    /// An error.
    Raises,
    /// Something this runner does not compare (counts of a random sample).
    Unread,
}

impl Case {
    /// Argument `index`, or the one of that name.
    pub fn arg(&self, index: usize, name: &str) -> Option<&Value> {
        self.args.get(index).or_else(|| self.kwargs.get(name))
    }

    /// The same as text: strings, split URLs put together, and bytes that are UTF-8.
    pub fn text(&self, index: usize, name: &str) -> Option<String> {
        self.arg(index, name).and_then(text_of)
    }

    /// The same as a truth value; `default` when absent.
    pub fn flag(&self, index: usize, name: &str, default: bool) -> bool {
        self.arg(index, name)
            .and_then(Value::as_bool)
            .unwrap_or(default)
    }
}

/// A value as text: strings, split URLs put together, and bytes that are UTF-8.
pub fn text_of(value: &Value) -> Option<String> {
    if let Some(text) = value.as_str() {
        return Some(text.to_owned());
    }
    if let Some(parts) = value.get("$split").and_then(Value::as_array) {
        let part = |i: usize| parts.get(i).and_then(Value::as_str).unwrap_or_default();
        return Some(unsplit([part(0), part(1), part(2), part(3), part(4)]));
    }
    let encoded = value.get("$bytes")?.as_str()?;
    String::from_utf8(decode_base64(encoded)?).ok()
}

/// Members of a set or list, as texts.
pub fn texts_of(value: &Value) -> Option<Vec<String>> {
    value
        .get("$set")
        .unwrap_or(value)
        .as_array()?
        .iter()
        .map(text_of)
        .collect()
}

fn unsplit([scheme, host, path, query, fragment]: [&str; 5]) -> String {
    let mut text = String::new();
    if !scheme.is_empty() {
        text.push_str(scheme);
        text.push(':');
    }
    if !host.is_empty() {
        text.push_str("//");
        text.push_str(host);
        if !path.is_empty() && !path.starts_with('/') {
            text.push('/');
        }
    }
    text.push_str(path);
    for (mark, part) in [('?', query), ('#', fragment)] {
        if !part.is_empty() {
            text.push(mark);
            text.push_str(part);
        }
    }
    text
}

fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut bits, mut held) = (0_u32, 0);
    for byte in text
        .bytes()
        .filter(|b| !b.is_ascii_whitespace() && *b != b'=')
    {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push(((bits >> held) & 0xff) as u8);
        }
    }
    Some(out)
}

/// All calls of the `*.jsonl` files of a folder, and how many rows could not be read.
///
/// # Errors
/// When the folder or a file cannot be read.
pub fn read_folder(folder: &Path) -> io::Result<(Vec<Case>, usize)> {
    let mut files: Vec<_> = fs::read_dir(folder)?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
        .collect();
    files.sort();
    let mut cases = Vec::new();
    let mut unreadable = 0;
    for file in files {
        let bytes = fs::read(&file)?;
        for line in String::from_utf8_lossy(&bytes).lines() {
            if line.trim().is_empty() {
                continue;
            }
            let read = serde_json::from_str::<Value>(line)
                .ok()
                .and_then(|row| cases_of(&row));
            match read {
                Some(read) => cases.extend(read),
                None => unreadable += 1,
            }
        }
    }
    Ok((cases, unreadable))
}

/// The calls of a row: one, or one per tool for a probe.
fn cases_of(row: &Value) -> Option<Vec<Case>> {
    if let Some(answers) = row.get("out").and_then(Value::as_object) {
        let input = row.get("input")?.clone();
        let probes = answers.iter().map(|(name, answer)| {
            let (peer, function) = name.split_once('.').unwrap_or((name, name));
            let peer = if peer == "url_normalize" {
                "url-normalize"
            } else {
                peer
            };
            Case {
                peer: peer.to_owned(),
                function: function.to_owned(),
                args: vec![input.clone()],
                kwargs: Map::new(),
                expected: Expected::Value(answer.clone()),
                peer_calls_it_wrong: false,
            }
        });
        return Some(probes.collect());
    }
    let text = |key: &str| row.get(key).and_then(Value::as_str);
    let expected = if let Some(value) = row.get("expected") {
        Expected::Value(value.clone())
    } else if let Some(values) = row.get("expected_any").and_then(Value::as_array) {
        Expected::Any(values.clone())
    } else if row.get("raises").is_some() {
        Expected::Raises
    } else {
        Expected::Unread
    };
    Some(vec![Case {
        peer: text("peer")?.to_owned(),
        function: text("fn")?.to_owned(),
        args: row.get("args")?.as_array()?.clone(),
        kwargs: row
            .get("kwargs")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default(),
        expected,
        peer_calls_it_wrong: text("outcome") == Some("xfailed"),
    }])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Expected, cases_of, text_of};

    #[test]
    fn typed_values_become_texts() {
        assert_eq!(
            text_of(&json!({"$split": ["http", "e.org", "a", "q", "f"]})).as_deref(),
            Some("http://e.org/a?q#f")
        );
        assert_eq!(
            text_of(&json!({"$bytes": "aHR0cDo="})).as_deref(),
            Some("http:")
        );
        assert_eq!(text_of(&json!({"$bytes": "!"})), None);
        assert_eq!(text_of(&json!(7)), None);
    }

    #[test]
    fn odd_rows_are_no_calls() {
        assert!(cases_of(&json!({"peer": "x"})).is_none());
        assert!(cases_of(&json!([1])).is_none());
        let raising =
            cases_of(&json!({"peer": "p", "fn": "f", "args": [], "raises": "E"})).unwrap();
        assert!(matches!(raising[0].expected, Expected::Raises));
        let probe =
            cases_of(&json!({"input": "u", "out": {"surt": "x", "w3lib.f": null}})).unwrap();
        assert_eq!(probe.len(), 2);
    }
}
