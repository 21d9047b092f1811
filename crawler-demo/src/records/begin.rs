//! Checks that a file of lines is one that a crawl may go on in.
//!
//! It is checked by its beginning, before anything in it changes: a crawl that goes on cuts off what is torn, and appends to
//! the rest. That must not happen to a file that was named by mistake.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    path::Path,
};

use flate2::read::MultiGzDecoder;
use serde_json::{Deserializer, Map, Value};

use super::{
    claim::{Claim, OpenError},
    lines::is_gzip,
};
use crate::files::Looks;

/// Octets that are looked at, unpacked.
const LOOKED_AT: u64 = 1 << 20;

/// What the lines of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Pages.
    Log,
    /// Decisions.
    Decisions,
}

impl Kind {
    /// The switch that names such a file.
    pub(super) const fn switch(self) -> &'static str {
        match self {
            Self::Log => "--log",
            Self::Decisions => "--decisions",
        }
    }

    /// What a line's keys say that it is.
    fn of(has: impl Fn(&str) -> bool) -> Option<Self> {
        if has("decision") {
            Some(Self::Decisions)
        } else if has("status") || has("text") || has("links") {
            Some(Self::Log)
        } else {
            None
        }
    }
}

impl Claim {
    /// Looks at the beginning of the file, and returns the URL of the first line of this kind, if there is a line.
    ///
    /// # Errors
    /// If none of its first lines is of this kind though the file is not empty, or if it cannot be read.
    pub fn first_url(&mut self, kind: Kind) -> Result<Option<String>, OpenError> {
        if !self.is_kept {
            return Ok(None);
        }
        let begin = begin(&self.path, &mut self.file).map_err(OpenError::io(&self.path))?;
        if begin.trim_ascii().is_empty() {
            return Ok(None);
        }
        let mut told = begin.split(|octet| *octet == b'\n').filter_map(told);
        match told.find(|told| told.kind == Some(kind)) {
            Some(Told { url, .. }) => Ok(Some(url)),
            None if is_one_torn(&begin) => Ok(None),
            None => Err(OpenError::Other {
                path: self.path.clone(),
                wanted: kind,
                looks: Looks::of(&begin).to_string(),
            }),
        }
    }
}

/// The beginning of a file, unpacked, behind what is nothing: a file that was emptied while another wrote it begins with NULs. Of one
/// that is not packed though its name says so it is empty.
fn begin(path: &Path, file: &mut File) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(0))?;
    let mut begin = Vec::new();
    if is_gzip(path) {
        // What cannot be unpacked is told when the file is read through.
        let _ = MultiGzDecoder::new(&mut *file)
            .take(LOOKED_AT)
            .read_to_end(&mut begin);
    } else {
        let mut lines = BufReader::new(&mut *file);
        skip_nuls(&mut lines)?;
        lines.take(LOOKED_AT).read_to_end(&mut begin)?;
    }
    file.seek(SeekFrom::Start(0))?;
    Ok(begin)
}

fn skip_nuls(lines: &mut impl BufRead) -> io::Result<()> {
    loop {
        let octets = lines.fill_buf()?;
        let nuls = octets.iter().take_while(|octet| **octet == 0).count();
        let is_all = nuls == octets.len();
        lines.consume(nuls);
        if nuls == 0 || !is_all {
            return Ok(());
        }
    }
}

/// What a line tells.
struct Told {
    url: String,
    /// None where it ends before that is told.
    kind: Option<Kind>,
}

/// What a line tells that is whole, or of which the beginning is there as a crawl writes it: the URL, and then what it is.
fn told(line: &[u8]) -> Option<Told> {
    if let Ok(line) = serde_json::from_slice::<Map<String, Value>>(line) {
        let url = line.get("url")?.as_str()?.to_owned();
        let kind = Some(Kind::of(|key| line.contains_key(key))?);
        return Some(Told { url, kind });
    }
    let rest = line.trim_ascii_start().strip_prefix(b"{\"url\":")?;
    let mut strings = Deserializer::from_slice(rest).into_iter::<String>();
    let url = strings.next()?.ok()?;
    let rest = &rest[strings.byte_offset()..];
    let key = rest.strip_prefix(b",\"").unwrap_or_default();
    let key = key.split(|octet| *octet == b'"').next().unwrap_or_default();
    let kind = Kind::of(|name| name.as_bytes() == key);
    Some(Told { url, kind })
}

/// Whether it is one line, the first that a run wrote, which a full disk or a kill cut off.
fn is_one_torn(begin: &[u8]) -> bool {
    let beginning = b"{\"url\":\"";
    let common = begin.len().min(beginning.len());
    !begin.contains(&b'\n')
        && begin[..common] == beginning[..common]
        && told(begin).is_none_or(|told| told.kind.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::LineFile;

    const LOG: &str = "{\"url\":\"http://e.org/a\",\"status\":200,\"text\":\"\"}\n";
    const DECISIONS: &str = "{\"url\":\"http://e.org/a\",\"decision\":\"fetch\",\"stage\":null}\n";

    fn first(name: &str, octets: &[u8], kind: Kind) -> Result<Option<String>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, octets).unwrap();
        let mut claim = Claim::of(&path).unwrap();
        let first = claim.first_url(kind);
        drop(claim);
        assert_eq!(std::fs::read(&path).unwrap(), octets, "it only looks");
        first.map_err(|error| error.to_string())
    }

    #[test]
    fn a_file_that_was_named_by_mistake_is_refused_and_told_what_it_looks_like() {
        for (octets, kind, looks) in [
            (&b"{\"precious\": 1}"[..], Kind::Log, "JSON of another kind"),
            (b"my notes\nand more", Kind::Decisions, "a text"),
            (b"\x89PNG\r\n\x1a\n\0\0", Kind::Log, "a binary file"),
            (LOG.as_bytes(), Kind::Decisions, "a log of a crawl"),
            (DECISIONS.as_bytes(), Kind::Log, "a file of decisions"),
            // Torn, and of the other kind.
            (&LOG.as_bytes()[..40], Kind::Decisions, "a log of a crawl"),
            (b"http://e.org/", Kind::Log, "a list of URLs"),
        ] {
            let told = first("f.jsonl", octets, kind).unwrap_err();
            assert!(told.contains(looks), "{told}");
            assert!(told.contains(kind.switch()), "{told}");
        }
    }

    #[test]
    fn what_a_crawl_left_is_gone_on_with_however_it_ended() {
        let url = Some("http://e.org/a".to_owned());
        for (whole, kind) in [(LOG, Kind::Log), (DECISIONS, Kind::Decisions)] {
            let octets = whole.as_bytes();
            for end in 0..octets.len() {
                let told = first("f.jsonl", &octets[..end], kind);
                assert!(told.is_ok(), "{end}: {told:?}");
            }
            assert_eq!(first("f.jsonl", octets, kind), Ok(url.clone()));
            let damaged = [b"\xff\0junk\n", octets].concat();
            assert_eq!(first("f.jsonl", &damaged, kind), Ok(url.clone()));
        }
        let hole = [vec![0; 3 << 20], LOG.as_bytes().to_vec()].concat();
        assert_eq!(first("f.jsonl", &hole, Kind::Log), Ok(url.clone()));
        // A line that is longer than what is looked at.
        let long = LOG.replace(
            "\"text\":\"",
            &format!("\"text\":\"{}", "x".repeat(2 << 20)),
        );
        assert_eq!(first("f.jsonl", long.as_bytes(), Kind::Log), Ok(url));
    }

    #[test]
    fn a_packed_file_is_looked_into() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f.jsonl.gz");
        let file = LineFile::create(&path).unwrap();
        file.line(&serde_json::json!({"url": "http://e.org/a", "status": 200}));
        file.finish().unwrap();
        let octets = std::fs::read(&path).unwrap();
        let is_of = |octets: &[u8], kind| first("f.jsonl.gz", octets, kind);
        assert_eq!(is_of(&octets, Kind::Log), Ok(Some("http://e.org/a".into())));
        assert!(is_of(&octets, Kind::Decisions).is_err());
        for end in 0..octets.len() - 8 {
            assert!(is_of(&octets[..end], Kind::Log).is_ok(), "{end}");
        }
    }
}
