//! How does a list of URLs come in, and is it one?

use std::{
    io::{BufRead as _, BufReader, Read},
    path::Path,
};

use super::usage;
use crate::files;

const BUFFER: usize = 1 << 18;

/// Opens a list of URLs, one a line, for this command, and refuses what holds JSON instead: a log or decisions, of which
/// every line would be no URL.
pub(super) fn open(
    path: &Path,
    command: &str,
) -> anyhow::Result<BufReader<impl Read + Send + use<>>> {
    let mut list = BufReader::with_capacity(BUFFER, files::open_list(path)?);
    if is_json(list.fill_buf()?) {
        let unpacked = match path.to_str() {
            Some("-") => String::new(),
            _ => format!("zcat -f {} | ", path.display()),
        };
        return Err(usage(format!(
            "{} holds JSON, such as a log of a crawl, and is no list of URLs, one a line: take them out of it \
             (`{unpacked}jq -r .url | nodust {command}`)",
            files::name(path)
        )));
    }
    Ok(list)
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
