//! Opens lists of URLs, and refuses files that are none.

use std::{
    io::{self, BufRead, BufReader, Read as _},
    path::Path,
};

use serde::de::IgnoredAny;

use super::usage;
use crate::files::{self, Looks};

const BUFFER: usize = 1 << 18;

/// Octets that are looked at to tell JSON: a record whose text stands before its `url` is long.
const LOOKED_AT: u64 = 1 << 16;

/// Opens a list of URLs, one a line, for this command, and refuses what holds JSON instead, such as a log or decisions, of
/// which every line would be no URL.
pub(super) fn open(path: &Path, command: &str) -> anyhow::Result<impl BufRead + Send + use<>> {
    let mut list = BufReader::with_capacity(BUFFER, files::open_list(path)?);
    let begin = beginning(&mut list)?;
    if is_json(&begin) {
        let unpacked = match path.to_str() {
            Some("-") => String::new(),
            _ => format!("gzip -dcf {} | ", path.display()),
        };
        return Err(usage(format!(
            "{} holds JSON, such as a log of a crawl, and is not a list of URLs, one per line: extract them \
             (`{unpacked}jq -r .url | nodust {command}`)",
            files::name(path)
        )));
    }
    if is_value(&begin) {
        return Err(usage(format!(
            "{} {} and is not a list of URLs, one per line: name one",
            files::name(path),
            Looks::of(&[&begin, list.buffer()].concat())
        )));
    }
    Ok(io::Cursor::new(begin).chain(list))
}

/// Reads as far as it takes to tell [whether it is JSON](is_json): of a list that comes slowly through a pipe one line.
fn beginning(list: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut begin = Vec::new();
    let mut lines = list.take(LOOKED_AT);
    loop {
        let start = begin.len();
        let is_end = lines.read_until(b'\n', &mut begin)? == 0;
        let line = begin[start..].trim_ascii();
        if is_end || !(line.is_empty() || begins_value(line)) {
            return Ok(begin);
        }
    }
}

/// Whether lines are JSON objects, the first with a `url`. The last may be cut off.
fn is_json(begin: &[u8]) -> bool {
    let mut lines = (begin.split(|octet| *octet == b'\n'))
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty())
        .peekable();
    let has_url = |line: &&[u8]| memchr::memmem::find(line, b"\"url\"").is_some();
    lines.peek().is_some_and(has_url) && lines.all(|line| line.starts_with(b"{"))
}

/// Whether what begins so is one value of JSON after the other, whole or cut off, on however many lines. `{id}` is none, nor
/// is the host `[::1]`.
fn is_value(begin: &[u8]) -> bool {
    let begin = begin.trim_ascii_start();
    if !begins_value(begin) {
        return false;
    }
    let mut values = serde_json::Deserializer::from_slice(begin).into_iter::<IgnoredAny>();
    match values.next() {
        None => false,
        Some(Err(error)) => error.is_eof(),
        Some(Ok(_)) => (begin[values.byte_offset()..].split(|octet| *octet == b'\n'))
            .map(<[u8]>::trim_ascii)
            .all(|line| line.is_empty() || begins_value(line)),
    }
}

/// Whether an object or an array of JSON may begin here.
fn begins_value(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'{' | b'['))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_read_ahead_than_tells_lists_from_json() {
        let ahead = |mut text: &[u8]| beginning(&mut text).unwrap().len();
        assert_eq!(ahead(b"\r\nhttp://e.org/\nhttp://e.org/2\n"), 16);
        assert_eq!(ahead(b"{id}\nhttp://e.org/\nhttp://e.org/2\n"), 19);
        assert_eq!(ahead(b"{\"a\":1}\n{\"url"), 13);
        assert_eq!(ahead(&vec![b'{'; 100_000]), 1 << 16);
    }

    #[test]
    fn only_lines_that_are_all_objects_are_no_list() {
        for begin in [
            "{\"url\": \"http://e.org/\", \"te",
            "\n{\"url\":\"http://e.org/\"}\r\n\r\n{\"ur",
        ] {
            assert!(is_json(begin.as_bytes()), "{begin}");
        }
        for begin in [
            "",
            "\n",
            "http://e.org/{\"url\"}\n",
            "{id}\n",
            "{\"url\":1}\nhttp://e.org/\n",
        ] {
            assert!(!is_json(begin.as_bytes()), "{begin}");
        }
    }

    #[test]
    fn values_on_several_lines_are_no_list_and_hosts_in_brackets_are() {
        for begin in [
            "{\n  \"format\": \"nodust-rules\",\n",
            "\n[\n  \"http://e.org/\",\n",
            "[\"http://e.org/\"]\n",
            "{\"fetched\": 1}",
            "{\"input\": \"a\"}\n\n{\"inp",
        ] {
            assert!(is_value(begin.as_bytes()), "{begin}");
        }
        for begin in [
            "",
            "http://e.org/\n",
            "[::1]:8080/a\nhttp://e.org/\n",
            "[2001:db8::1]\n",
            "[\nhttp://e.org/\n",
            "{\nhttp://e.org/\n",
            "{id}\n",
            "{\"a\": 1}\nhttp://e.org/\n",
        ] {
            assert!(!is_value(begin.as_bytes()), "{begin}");
        }
    }
}
