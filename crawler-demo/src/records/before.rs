//! What earlier runs left in a file of lines, and where the file goes on.
//!
//! It goes on after the last whole line. What follows that line was torn by a kill or a full disk, and is cut off. If there
//! is more than that, the file is damaged, and nothing is cut off.

use std::{
    borrow::Cow,
    fmt,
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    path::Path,
};

use flate2::bufread::GzDecoder;
use nodust_middleware::file::{LONGEST_LINE, NextLine, next_line};
use rustc_hash::FxHashSet;
use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_64;

use super::{claim::OpenError, lines::is_gzip};

/// Hardly any takes more octets: behind one that is damaged, the next begins within as many.
const LARGEST_MEMBER: u64 = 16 * 1024 * 1024;
/// How a member begins.
const GZIP: &[u8] = &[0x1f, 0x8b];
/// Octets read at once.
const BUFFER: usize = 64 * 1024;

/// Damaged lines of which the number is kept; the rest is counted.
const NUMBERED: usize = 10;

/// What earlier runs left in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Before {
    /// Octets of whole lines; packed octets if the file is packed.
    pub whole: u64,
    /// Octets after them, which were cut off.
    pub torn: u64,
    /// Number of different URLs that its whole lines are about, if they were counted.
    pub urls: Option<u64>,
    /// Whole lines that are about no URL, if URLs were counted.
    pub damaged: Damaged,
}

/// Damaged lines: each should be a JSON object with a `url`. They stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Damaged {
    /// How many there are.
    pub lines: u64,
    /// The numbers of the first ten of them, from 1.
    pub first: Vec<u64>,
}

impl Damaged {
    fn add(&mut self, number: u64) {
        self.lines += 1;
        if self.first.len() < NUMBERED {
            self.first.push(number);
        }
    }
}

impl fmt::Display for Damaged {
    /// `line 7`, `lines 7, 9`, `lines 7, 9 and 3 more`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first: Vec<_> = self.first.iter().map(u64::to_string).collect();
        let plural = if self.lines == 1 { "" } else { "s" };
        write!(f, "line{plural} {}", first.join(", "))?;
        match self.lines - self.first.len() as u64 {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Cuts off what stands behind the last whole line, and goes to the end.
pub(super) fn cut_torn(path: &Path, file: &mut File, counts: bool) -> Result<Before, OpenError> {
    let mut urls = counts.then(Urls::default);
    let whole = if is_gzip(path) {
        let whole = whole_members(file, urls.as_mut()).map_err(OpenError::io(path))?;
        check_torn(path, file, whole)?;
        whole
    } else {
        whole_lines(file, urls.as_mut()).map_err(OpenError::io(path))?
    };
    cut(file, whole, urls).map_err(OpenError::io(path))
}

fn cut(file: &mut File, whole: u64, urls: Option<Urls>) -> io::Result<Before> {
    let before = Before {
        whole,
        torn: file.metadata()?.len() - whole,
        urls: urls.as_ref().map(|urls| urls.met.len() as u64),
        damaged: urls.map(|urls| urls.damaged).unwrap_or_default(),
    };
    file.set_len(whole)?;
    file.seek(SeekFrom::End(0))?;
    Ok(before)
}

/// Length of the file up to its last line end; URLs of its lines are counted.
fn whole_lines(file: &mut File, urls: Option<&mut Urls>) -> io::Result<u64> {
    if let Some(urls) = urls {
        urls.read(BufReader::with_capacity(BUFFER, &mut *file))?;
    }
    let mut end = file.seek(SeekFrom::End(0))?;
    let mut buffer = vec![0; BUFFER];
    while end > 0 {
        let from = end.saturating_sub(BUFFER as u64);
        file.seek(SeekFrom::Start(from))?;
        let part = &mut buffer[..(end - from) as usize];
        file.read_exact(part)?;
        if let Some(at) = memchr::memrchr(b'\n', part) {
            return Ok(from + at as u64 + 1);
        }
        end = from;
    }
    Ok(0)
}

/// Length of the file up to the end of its last whole gzip member; URLs of its lines are counted.
fn whole_members(file: &File, mut urls: Option<&mut Urls>) -> io::Result<u64> {
    let mut reader = BufReader::new(file);
    reader.seek(SeekFrom::Start(0))?;
    let mut whole = 0;
    while !reader.fill_buf()?.is_empty() {
        let mut member = GzDecoder::new(reader);
        let read = match &mut urls {
            Some(urls) => urls.read(BufReader::with_capacity(BUFFER, &mut member)),
            None => io::copy(&mut member, &mut io::sink()).map(|_| ()),
        };
        if read.is_err() {
            break;
        }
        reader = member.into_inner();
        whole = reader.stream_position()?;
    }
    Ok(whole)
}

/// Refuses to take for torn what is more than the end of a write that was cut off: octets that are not packed at all, and
/// a member that is damaged while whole ones stand behind it.
fn check_torn(path: &Path, mut file: &File, whole: u64) -> Result<(), OpenError> {
    let mut torn = Vec::new();
    let is_more = (file.seek(SeekFrom::Start(whole)))
        .and_then(|_| file.take(LARGEST_MEMBER).read_to_end(&mut torn))
        .map_err(OpenError::io(path))? as u64
        == LARGEST_MEMBER;
    let begin = &torn[..torn.len().min(GZIP.len())];
    let is_member = |at: usize| {
        let mut member = GzDecoder::new(BufReader::new(&torn[at..]));
        io::copy(&mut member, &mut io::sink()).is_ok()
    };
    let path = path.to_owned();
    if whole == 0 && !GZIP.starts_with(begin) {
        return Err(OpenError::NotPacked(path));
    }
    if is_more || memchr::memmem::find_iter(&torn, GZIP).any(is_member) {
        return Err(OpenError::Damaged { path, at: whole });
    }
    Ok(())
}

/// The URLs of lines, each once.
#[derive(Default)]
struct Urls {
    met: FxHashSet<u64>,
    /// Lines so far.
    lines: u64,
    damaged: Damaged,
}

impl Urls {
    /// Adds those of all whole lines, or of none where they cannot be read to their end.
    fn read(&mut self, mut lines: impl BufRead) -> io::Result<()> {
        let mut line = Vec::new();
        let mut met = Vec::new();
        let mut damaged = Vec::new();
        let mut number = self.lines;
        loop {
            let found = next_line(&mut lines, &mut line, LONGEST_LINE)?;
            if found == NextLine::None {
                break;
            }
            number += 1;
            if found == NextLine::TooLong {
                damaged.push(number);
            } else if line.ends_with(b"\n") && !line.trim_ascii().is_empty() {
                match url_of(&line) {
                    Some(url) => met.push(xxh3_64(url.as_bytes())),
                    None => damaged.push(number),
                }
            }
        }
        self.met.extend(met);
        self.lines = number;
        for number in damaged {
            self.damaged.add(number);
        }
        Ok(())
    }
}

/// What a line is about; `None` where it is damaged, be it in another part.
fn url_of(line: &[u8]) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Line<'l> {
        #[serde(borrow)]
        url: Cow<'l, str>,
    }
    // From octets, strings that are passed over might be anything.
    let line = std::str::from_utf8(line).ok()?;
    serde_json::from_str(line).map(|Line { url }| url).ok()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, write::GzEncoder};

    use super::{super::LineFile, *};

    #[test]
    fn no_whole_line_is_cut_off_of_a_packed_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl.gz");
        for line in 1..4 {
            LineFile::resume(&path, false).unwrap().file.line(&line);
        }
        let mut octets = std::fs::read(&path).unwrap();
        let member = octets.len() / 3;
        octets[member + 12] ^= 0xff;
        for (octets, why) in [
            (&octets[..], format!("damaged at octet {member}")),
            (b"{\"url\": \"http://e.org/\"}\n", "is not packed".into()),
        ] {
            std::fs::write(&path, octets).unwrap();
            let told = LineFile::resume(&path, false).unwrap_err().to_string();
            assert!(
                told.contains(&why) && told.contains("move it away"),
                "{told}"
            );
            assert_eq!(std::fs::read(&path).unwrap(), octets);
        }
        // The last member alone is damaged: nothing stands behind it.
        std::fs::write(&path, &octets[..2 * member]).unwrap();
        let before = LineFile::resume(&path, false).unwrap().before.unwrap();
        assert_eq!(before.whole, member as u64);
    }

    #[test]
    fn the_urls_of_whole_lines_are_counted_each_once() {
        for name in ["a.jsonl", "a.jsonl.gz"] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(name);
            for urls in [&["a", "b"][..], &["b", "c\"d"], &["e"]] {
                let file = LineFile::resume(&path, false).unwrap().file;
                for url in urls {
                    file.line(&serde_json::json!({"depth": 1, "url": url}));
                }
            }
            let octets = std::fs::read(&path).unwrap();
            std::fs::write(&path, &octets[..octets.len() - 1]).unwrap();
            let before = LineFile::resume(&path, true).unwrap().before.unwrap();
            assert_eq!(before.urls, Some(3), "{name}");
        }
    }
    #[test]
    fn damaged_lines_are_counted_with_their_numbers_and_stay() {
        for (name, is_gzip) in [("a.jsonl", false), ("a.jsonl.gz", true)] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(name);
            let members: [&[u8]; 2] = [
                b"{\"url\": \"a\"}\n{\"url\": \"b\"}\0\0\n\n",
                b"{\"url\": \"c\", \"text\": \"\xff\"}\n{\"text\": \"d\"}\n{\"url\": \"e\"}\n{\"url\": 1}\n{\"url\": \"f",
            ];
            let pack = |lines: &[u8]| {
                let mut member = GzEncoder::new(Vec::new(), Compression::fast());
                member.write_all(lines).unwrap();
                member.finish().unwrap()
            };
            let octets = if is_gzip {
                members.map(pack).concat()
            } else {
                members.concat()
            };
            std::fs::write(&path, &octets).unwrap();
            let before = LineFile::resume(&path, true).unwrap().before.unwrap();
            assert_eq!(before.urls, Some(2), "{name}");
            assert_eq!(before.damaged.first, [2, 4, 5, 7], "{name}");
            assert_eq!(before.damaged.to_string(), "lines 2, 4, 5, 7");
            let whole = before.whole as usize;
            assert_eq!(std::fs::read(&path).unwrap(), octets[..whole], "{name}");
        }
    }

    #[test]
    fn of_many_damaged_lines_the_first_are_named() {
        let mut damaged = Damaged::default();
        damaged.add(3);
        assert_eq!(damaged.to_string(), "line 3");
        (4..=20).for_each(|number| damaged.add(number));
        assert_eq!(
            damaged.to_string(),
            "lines 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 8 more"
        );
    }
}
