//! Reads files, whether packed or not.
//!
//! Lists, rules, beliefs and logs may be packed with gzip, whatever their names, and may begin with the byte order mark
//! that some editors put before UTF-8. What is packed in another way, or is UTF-16, is reported and not read as text.
//!
//! ```
//! use std::io::Read;
//!
//! let mut text = String::new();
//! nodust_middleware::file::unpack(&b"as it is"[..])?.read_to_string(&mut text)?;
//! assert_eq!(text, "as it is");
//! # Ok::<_, std::io::Error>(())
//! ```

use std::{
    borrow::Cow,
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

use flate2::bufread::MultiGzDecoder;
use serde::{Deserialize, de::Error as _};

/// Octets.
const BUFFER: usize = 128 * 1024;

const GZIP: &[u8] = &[0x1f, 0x8b];
/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// A reader of `source`, unpacked if it begins like gzip (RFC 1952; one member or many), without a byte order mark of
/// UTF-8.
///
/// # Errors
/// If its first octets cannot be read, or show that it is packed in another way or not UTF-8.
pub fn unpack(source: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    let mut source = BufReader::with_capacity(BUFFER, source);
    // As long as the longest beginning that is asked for.
    let mut begin = Vec::with_capacity(6);
    source.by_ref().take(6).read_to_end(&mut begin)?;
    if let Some(why) = not_read(&begin) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    let is_gzip = begin.starts_with(GZIP);
    if begin.starts_with(MARK) {
        begin.drain(..MARK.len());
    }
    let whole = io::Cursor::new(begin).chain(source);
    Ok(if is_gzip {
        Box::new(MultiGzDecoder::new(whole))
    } else {
        Box::new(whole)
    })
}

/// Why a file is not read that begins so, and what makes one of it that is.
const fn not_read(begin: &[u8]) -> Option<&'static str> {
    match begin {
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            Some("it is packed with zstd, and only gzip is unpacked here (`zstd -dc` unpacks it)")
        }
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => {
            Some("it is packed with xz, and only gzip is unpacked here (`xz -dc` unpacks it)")
        }
        // Three letters may begin a host's name: level, and a block or the end, belong to it.
        [b'B', b'Z', b'h', b'1'..=b'9', b'1', b'A', ..]
        | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, ..] => {
            Some("it is packed with bzip2, and only gzip is unpacked here (`bzip2 -dc` unpacks it)")
        }
        [b'P', b'K', 3, 4, ..] => {
            Some("it is a zip archive, and only gzip is unpacked here (`unzip -p` unpacks it)")
        }
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            Some("it is UTF-16, and UTF-8 is read here (`iconv -f UTF-16 -t UTF-8` makes it so)")
        }
        _ => None,
    }
}

/// The most octets of a line of a log or list: a longer one is skipped and reported.
pub const LONGEST_LINE: usize = 64 << 20;

/// What [`next_line`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextLine {
    /// The input is at its end.
    None,
    /// A line.
    Whole,
    /// A line longer than asked for: its beginning was kept, the rest skipped.
    TooLong,
}

/// Reads the next line, with its end, into `line`; never holds more than `most` octets of it.
///
/// # Errors
/// When the input cannot be read.
///
/// ```
/// use nodust_middleware::file::{NextLine, next_line};
///
/// let (mut input, mut line) = (&b"ab\nabcdef\nc"[..], Vec::new());
/// assert_eq!(next_line(&mut input, &mut line, 4)?, NextLine::Whole);
/// assert_eq!(next_line(&mut input, &mut line, 4)?, NextLine::TooLong);
/// assert_eq!(line, b"abcd");
/// assert_eq!(next_line(&mut input, &mut line, 4)?, NextLine::Whole);
/// assert_eq!(next_line(&mut input, &mut line, 4)?, NextLine::None);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn next_line(
    input: &mut impl BufRead,
    line: &mut Vec<u8>,
    most: usize,
) -> io::Result<NextLine> {
    line.clear();
    let (mut read, mut is_over) = (0, false);
    while !is_over {
        let octets = match input.fill_buf() {
            Ok(octets) => octets,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let end = memchr::memchr(b'\n', octets).map(|at| at + 1);
        let taken = end.unwrap_or(octets.len());
        is_over = end.is_some() || taken == 0;
        line.extend_from_slice(&octets[..taken.min(most - line.len())]);
        input.consume(taken);
        read += taken;
    }
    Ok(match read {
        0 => NextLine::None,
        _ if read > most => NextLine::TooLong,
        _ => NextLine::Whole,
    })
}

/// What is wrong with a line that should be a JSON object with a `url`. For callers that report the line number themselves:
/// the JSON error's own line count begins at 1 in each line.
///
/// ```
/// use nodust_middleware::file::fault_of_line;
///
/// let line = b"nonsense";
/// let error = serde_json::from_slice::<serde_json::Value>(line).unwrap_err();
/// assert_eq!(
///     fault_of_line(line, &error),
///     "it should be a JSON object with a \"url\" (expected ident at column 2)"
/// );
/// ```
pub fn fault_of_line(line: &[u8], error: &serde_json::Error) -> String {
    let text = error.to_string();
    let cause = match text.rfind(" at line ") {
        Some(end) => format!("{} at column {}", shown(&text[..end]), error.column()),
        None => text,
    };
    let is_object = line.trim_ascii_start().starts_with(b"{");
    if error.is_data() && is_object && !cause.starts_with("missing field") {
        return format!("a field of it holds what it should not ({cause})");
    }
    // What the parser calls the thing that it could not make is nobody's word.
    match cause.find(", expected struct ") {
        Some(end) => format!("{NO_RECORD} ({})", &cause[..end]),
        None => format!("{NO_RECORD} ({cause})"),
    }
}

/// Reads a line that should be a JSON object.
///
/// # Errors
/// If it is not an object; a list of an object's values, which serde would accept, is not one either.
///
/// ```
/// use nodust_middleware::file::object_in;
/// use serde::Deserialize;
///
/// #[derive(Debug, Deserialize)]
/// struct Line {
///     url: String,
/// }
///
/// let line: Line = object_in(br#"{"url":"http://e.org/"}"#)?;
/// assert_eq!(line.url, "http://e.org/");
/// assert!(object_in::<Line>(br#"["http://e.org/"]"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn object_in<'l, T: Deserialize<'l>>(line: &'l [u8]) -> serde_json::Result<T> {
    if line.trim_ascii_start().starts_with(b"[") {
        return Err(serde_json::Error::custom("a list is none"));
    }
    serde_json::from_slice(line)
}

/// What a line should be.
const NO_RECORD: &str = "it should be a JSON object with a \"url\"";

/// Characters that are told of what stands in a line.
const TOLD: usize = 200;

/// The text of a line, as it is shown in messages: text that is too long to read is cut.
///
/// ```
/// use nodust_middleware::file::shown;
///
/// assert_eq!(shown("http://e.org/"), "http://e.org/");
/// assert_eq!(shown(&"é".repeat(1000)), "é".repeat(200) + "…");
/// ```
pub fn shown(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(TOLD) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
    }
}

/// The whole text of a file, unpacked if it is packed.
///
/// # Errors
/// If it cannot be read, or is not UTF-8.
pub fn text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    unpack(File::open(path)?)?.read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(octets: &'static [u8]) -> Result<Vec<u8>, String> {
        let mut read = Vec::new();
        unpack(octets)
            .and_then(|mut source| source.read_to_end(&mut read))
            .map_err(|error| error.to_string())?;
        Ok(read)
    }

    #[test]
    fn what_is_packed_otherwise_is_told_with_what_unpacks_it() {
        for (octets, tool) in [
            (&b"\x28\xb5\x2f\xfd\x04\x58"[..], "zstd -dc"),
            (b"\xfd7zXZ\0\0", "xz -dc"),
            (b"BZh91AY", "bzip2 -dc"),
            (b"BZh1\x17\x72\x45", "bzip2 -dc"),
            (b"PK\x03\x04\x14", "unzip -p"),
            (b"\xff\xfeh\0", "iconv"),
            (b"\xfe\xff\0h", "iconv"),
        ] {
            let told = read(octets).unwrap_err();
            assert!(told.contains(tool), "{tool}: {told}");
        }
    }

    #[test]
    fn the_mark_before_utf8_is_passed_over_once_at_the_beginning() {
        assert_eq!(read(b"\xef\xbb\xbfhttp"), Ok(b"http".to_vec()));
        assert_eq!(read(b"\xef\xbb\xbf"), Ok(Vec::new()));
        for whole in [
            &b""[..],
            b"a",
            b"BZ",
            b"a\xef\xbb\xbfb",
            b"PK, a list",
            b"BZhang.example",
            b"BZh91.example",
            b"BZh01A.example",
        ] {
            assert_eq!(read(whole), Ok(whole.to_vec()));
        }
    }
}
