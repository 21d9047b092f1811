//! Checks that a file is a log before all of it is read.
//!
//! Bad lines of a log are reported and skipped. In a file that is not a log, that would be every line: so it is refused as a
//! whole, with what it looks like.

use std::{
    io::{self, BufRead, BufReader, Cursor, Read as _},
    path::Path,
};

use serde::de::IgnoredAny;

use super::{BUFFER, Cut, Looks, Unfit, name, open};
use crate::words::counted;

/// Lines that say something among which a log has a sound one.
const LINES: u64 = 1000;
/// Octets among which it has one: more than any one line of a crawl's log.
const OCTETS: usize = 64 << 20;

/// What is wanted of a log.
pub(crate) struct Wanted<'w> {
    /// What it is called in a sentence.
    pub(crate) name: &'static str,
    /// What to give instead.
    pub(crate) instead: &'static str,
    /// Whether a line is sound, and what is wrong with it.
    pub(crate) check: &'w dyn Fn(&[u8]) -> Result<(), String>,
}

/// [Opens](open) a log; `None` for one that holds nothing, as a crawl leaves it that was killed in its first moments, which is
/// told.
///
/// # Errors
/// As `open` has them, and where no line of its beginning is sound: that is no log.
pub(crate) fn open_log(
    path: &Path,
    wanted: &Wanted<'_>,
) -> io::Result<Option<impl BufRead + Send + use<>>> {
    let mut log = BufReader::with_capacity(2 * BUFFER, open(path)?);
    let is_empty = match log.fill_buf() {
        Ok(octets) => octets.is_empty(),
        // The beginning of a packed file, of which nothing can be unpacked.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => true,
        Err(error) => return Err(Unfit::new(Cut::new(path, 1, &error).to_string()).into()),
    };
    if is_empty {
        tracing::warn!(
            "{} is empty: a crawl that has just begun, or was ended in its first moments, has written no line yet (.gz: packed none)",
            name(path)
        );
        return Ok(None);
    }
    let begin = beginning(path, &mut log, wanted)?;
    Ok(Some(Cursor::new(begin).chain(log)))
}

/// Reads as far as the first sound line.
fn beginning(path: &Path, log: &mut impl BufRead, wanted: &Wanted<'_>) -> io::Result<Vec<u8>> {
    let mut begin = Vec::new();
    let mut first: Option<(u64, String)> = None;
    let mut bad = 0;
    let mut is_end = false;
    for number in 1u64.. {
        let start = begin.len();
        let room = (OCTETS - start) as u64;
        let read = log.by_ref().take(room).read_until(b'\n', &mut begin);
        let cut =
            |error: &io::Error| Err(Unfit::new(Cut::new(path, number, error).to_string()).into());
        match read {
            Err(error) => return cut(&error),
            Ok(0) => {
                is_end = room > 0;
                break;
            }
            Ok(_) => {}
        }
        let line = &begin[start..];
        if line.trim_ascii().is_empty() {
            continue;
        }
        if begin.len() == OCTETS && !line.ends_with(b"\n") {
            let why = format!("it is longer than {} MiB", OCTETS >> 20);
            first.get_or_insert((number, why));
            bad += 1;
            break;
        }
        if is_torn(line) {
            return cut(&io::ErrorKind::UnexpectedEof.into());
        }
        let Err(why) = (wanted.check)(line) else {
            return Ok(begin);
        };
        bad += 1;
        first.get_or_insert((number, why));
        if bad == LINES {
            break;
        }
    }
    Err(no_log(path, wanted, &begin, first, bad, is_end))
}

/// Whether a record begins here and does not end, though no line follows.
fn is_torn(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"{")
        && !line.ends_with(b"\n")
        && serde_json::from_slice::<IgnoredAny>(line).is_err_and(|error| error.is_eof())
}

fn no_log(
    path: &Path,
    wanted: &Wanted<'_>,
    begin: &[u8],
    first: Option<(u64, String)>,
    bad: u64,
    is_end: bool,
) -> io::Error {
    let fault = first.map_or_else(String::new, |(line, why)| {
        let others = match (bad, is_end) {
            (1, _) => String::new(),
            (_, true) => format!(" (none of {} is sound)", counted(bad, "line")),
            (_, false) => format!(" (none of the first {} is sound)", counted(bad, "line")),
        };
        format!("; line {line}: {why}{others}")
    });
    let what = match Looks::of(begin) {
        Looks::Log | Looks::Clusters if is_end => "holds no line that can be used".to_owned(),
        Looks::Log | Looks::Clusters => "does not begin with a line that can be used".to_owned(),
        looks => format!("{looks} and is no {}", wanted.name),
    };
    let text = format!("{} {what}{fault}. Give {}", name(path), wanted.instead);
    Unfit::new(text).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(check: &dyn Fn(&[u8]) -> Result<(), String>) -> Wanted<'_> {
        Wanted {
            name: "log",
            instead: "a log",
            check,
        }
    }

    fn is_five(line: &[u8]) -> Result<(), String> {
        match line.trim_ascii() {
            b"5" => Ok(()),
            _ => Err("it is no five".to_owned()),
        }
    }

    fn ahead(text: &str) -> Result<usize, String> {
        beginning(Path::new("x"), &mut text.as_bytes(), &wanted(&is_five))
            .map(|begin| begin.len())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn no_more_is_read_ahead_than_to_the_first_sound_line() {
        assert_eq!(ahead("5\n5\n5\n"), Ok(2));
        assert_eq!(ahead("\n\n6\n5\n6\n"), Ok(6));
    }

    #[test]
    fn a_file_without_a_sound_line_is_refused_by_its_first_lines() {
        let told = ahead("\n6\n7\n").unwrap_err();
        assert_eq!(
            told,
            "x looks like a text and is no log; line 2: it is no five (none of 2 lines is sound). Give a log"
        );
        let told = ahead(&"6\n".repeat(5000)).unwrap_err();
        assert!(told.contains("none of the first 1000 lines"), "{told}");
        let told = ahead("{\"url\": ").unwrap_err();
        assert!(told.contains("breaks off in line 1"), "{told}");
        let told = ahead("\n\n").unwrap_err();
        assert!(
            told.contains("x holds nothing and is no log. Give"),
            "{told}"
        );
    }
}
