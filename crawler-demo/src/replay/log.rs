//! A recorded crawl, and its records by URL.

use std::{
    io::{self, BufRead},
    path::Path,
};

use nodust_frontier::{CanonicalUrl, FetchedPage};
use nodust_middleware::file::{LONGEST_LINE, NextLine, fault_of_line, next_line, object_in, shown};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;

use crate::{
    fetch,
    files::{self, Cut, Unfit, Wanted},
    records::sha1_hex,
};

/// Lines that are no records of which each is told; the rest is counted.
const TOLD: u64 = 10;

/// A line of a log. Only `url` is required; unknown fields are ignored.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Record {
    /// What was fetched.
    pub url: String,
    /// HTTP status; 200 if the log has none.
    pub status: Option<u16>,
    /// `Content-Type`, as sent.
    pub content_type: Option<String>,
    /// Visible text.
    pub text: Option<String>,
    /// SHA-1 of the whole text, which may have been cut in the log.
    pub sha1_text: Option<String>,
    /// Visible text of a second answer, if there was one.
    pub refetched: Option<String>,
    /// Links in document order. A log without them is replayed line by line.
    pub links: Option<Vec<String>>,
    /// Those links that ask not to be followed.
    pub nofollow: Vec<String>,
    /// `rel=canonical`.
    pub canonical: Option<String>,
    /// Target of a redirect.
    pub redirect_to: Option<String>,
    /// Octets of the body.
    pub bytes: Option<u64>,
    /// Links between it and its seed.
    pub depth: Option<u64>,
    /// The page it was found on.
    #[serde(rename = "ref")]
    pub referer: Option<String>,
}

impl Record {
    fn canonical_url(&self) -> Result<CanonicalUrl, String> {
        if self.url.is_empty() {
            return Err("it should be a JSON object with a \"url\" (it has none)".to_owned());
        }
        (self.url.parse()).map_err(|error| format!("`{}`: {error}", shown(&self.url)))
    }

    /// HTTP status.
    pub fn status(&self) -> u16 {
        self.status.unwrap_or(200)
    }

    /// Whether the server was in trouble, so that the URL may bring its page another day.
    fn may_pass(&self) -> bool {
        FetchedPage::status_may_pass(self.status())
    }

    /// Whether the log has the beginning of its text only.
    fn is_cut(&self) -> bool {
        let (Some(text), Some(whole)) = (self.text.as_deref(), self.sha1_text.as_deref()) else {
            return false;
        };
        !whole.is_empty() && sha1_hex(text.as_bytes()) != whole
    }

    /// The target of its redirect, if it is one.
    pub fn redirect(&self) -> Option<&str> {
        self.redirect_to.as_deref().filter(|to| !to.is_empty())
    }

    /// Whether it came as plain text; `false` if the log does not say.
    pub fn is_plain(&self) -> bool {
        (self.content_type.as_deref()).is_some_and(FetchedPage::is_plain_type)
    }

    /// The text, if the page was there and readable.
    pub fn readable_text(&self) -> Option<&str> {
        self.text.as_deref().filter(|_| self.is_readable())
    }

    /// The readable text of a second answer.
    pub fn readable_refetched(&self) -> Option<&str> {
        self.refetched.as_deref().filter(|_| self.is_readable())
    }

    fn is_readable(&self) -> bool {
        let is_text = match self.content_type.as_deref().map(str::trim_start) {
            None => true,
            Some(kind) => {
                // Who recorded it may have read more than a crawl does.
                let is_some_text = |begin: &str| begin.eq_ignore_ascii_case("text/");
                kind.get(..5).is_some_and(is_some_text) || fetch::is_text(Some(kind))
            }
        };
        let is_there = (200..300).contains(&self.status());
        is_text && is_there
    }
}

/// A recorded crawl, in memory.
#[derive(Debug, Default)]
pub struct Log {
    records: Vec<Record>,
    /// Canonical spelling of a URL to its record: the first one counts, but one that may have brought its page another day (408, 429,
    /// 5xx) only until that has come.
    by_url: FxHashMap<String, u32>,
    /// Where each file begins.
    starts: Vec<u32>,
    /// Lines that are no records.
    skipped: u64,
    /// Texts of which only the beginning is there.
    cut_texts: u64,
    /// Files that could not be read to their end.
    cut: Vec<Cut>,
}

impl Log {
    /// Whether any URL has a second answer.
    pub fn has_second_answers(&self) -> bool {
        let mut records = self.records.iter();
        records.any(|record| record.readable_refetched().is_some())
    }

    /// Reads one log after the other. If one breaks off, what stands before that place counts: see [`cut`](Self::cut). An
    /// empty one is left out with a warning.
    ///
    /// # Errors
    /// If a file cannot be opened or is not a log, or if all are empty.
    pub fn read(paths: &[impl AsRef<Path>]) -> io::Result<Self> {
        let mut log = Self::default();
        for path in paths {
            let path = path.as_ref();
            let start = log.records.len();
            let Some(lines) = files::open_log(path, &WANTED)? else {
                continue;
            };
            log.append(path, lines);
            log.starts.push(start as u32);
        }
        if log.records.is_empty() {
            let names: Vec<_> = (paths.iter())
                .map(|path| files::name(path.as_ref()))
                .collect();
            let names = names.join(", ");
            let text = format!("there is no page in {names}: give {}", WANTED.instead);
            return Err(Unfit::new(text).into());
        }
        Ok(log)
    }

    fn append(&mut self, path: &Path, mut lines: impl BufRead) {
        let mut line = Vec::new();
        for number in 1u64.. {
            let mut broken = None;
            match next_line(&mut lines, &mut line, LONGEST_LINE) {
                Ok(NextLine::None) => break,
                Ok(NextLine::TooLong) => {
                    let why = format!("it is longer than {} MiB", LONGEST_LINE >> 20);
                    self.tell_skipped(path, number, Some(why));
                }
                Ok(NextLine::Whole) if line.trim_ascii().is_empty() => {}
                Ok(NextLine::Whole) => match record_of(&line) {
                    Ok(record) => {
                        let taken = self.take(record);
                        self.tell_skipped(path, number, taken.err());
                    }
                    Err(NoRecord::Torn) => broken = Some(io::ErrorKind::UnexpectedEof.into()),
                    Err(NoRecord::Other(why)) => self.tell_skipped(path, number, Some(why)),
                },
                Err(error) => broken = Some(error),
            }
            if let Some(error) = broken {
                // The end of a log that was being written when its crawl was killed, for one.
                self.cut.push(Cut::new(path, number, &error));
                break;
            }
        }
    }

    fn tell_skipped(&mut self, path: &Path, line: u64, why: Option<String>) {
        let Some(why) = why else { return };
        self.skipped += 1;
        if self.skipped <= TOLD {
            tracing::warn!("{}:{line} is skipped: {why}", files::name(path));
        }
    }

    /// Adds a record. One with an invalid URL is counted and left out.
    pub fn push(&mut self, record: Record) {
        self.skipped += u64::from(self.take(record).is_err());
    }

    fn take(&mut self, record: Record) -> Result<(), String> {
        let url = record.canonical_url()?;
        let index = self.records.len() as u32;
        let known = self.by_url.entry(url.as_str().to_owned()).or_insert(index);
        let before = self.records.get(*known as usize);
        if before.is_some_and(Record::may_pass) && !record.may_pass() {
            *known = index;
        }
        self.cut_texts += u64::from(record.is_cut());
        self.records.push(record);
        Ok(())
    }

    /// The lines, in order.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// What a fetch of `url` brought; `None` if it was not recorded.
    pub fn get(&self, url: &CanonicalUrl) -> Option<&Record> {
        self.by_url
            .get(url.as_str())
            .map(|&index| &self.records[index as usize])
    }

    /// Whether its lines have the links of the pages.
    pub fn is_graph(&self) -> bool {
        self.records.iter().any(|record| record.links.is_some())
    }

    /// Where the recorded crawl began: the first URL of each file, and all others at depth 0 that no page or redirect
    /// led to.
    pub fn starts(&self) -> Vec<String> {
        let mut met = FxHashSet::default();
        let first = (self.starts.iter().copied())
            .chain(self.starts.is_empty().then_some(0))
            .filter_map(|start| self.records.get(start as usize));
        let moved: FxHashSet<&str> = (self.records.iter())
            .filter(|record| record.depth == Some(0))
            .filter_map(Record::redirect)
            .collect();
        let others = (self.records.iter()).filter(|record| {
            record.depth == Some(0)
                && record.referer.is_none()
                && !moved.contains(record.url.as_str())
        });
        (first.chain(others))
            .filter(|record| met.insert(record.url.as_str()))
            .map(|record| record.url.clone())
            .collect()
    }

    /// Lines that are no records.
    pub const fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Number of texts of which the log has only the beginning (`log_text_chars`): a replay compares what is there, and may decide
    /// otherwise than the crawl did.
    pub const fn cut_texts(&self) -> u64 {
        self.cut_texts
    }

    /// The files that could not be read to their end, in their order.
    pub fn cut(&self) -> &[Cut] {
        &self.cut
    }
}

/// What is wanted of a log that is replayed.
const WANTED: Wanted<'_> = Wanted {
    name: "log of a crawl",
    instead: "a log as `nodust crawl --log` writes it",
    check: &check,
};

fn check(line: &[u8]) -> Result<(), String> {
    match record_of(line) {
        Ok(record) => record.canonical_url().map(drop),
        Err(NoRecord::Other(why)) => Err(why),
        Err(NoRecord::Torn) => Err("its end is missing".to_owned()),
    }
}

/// Why a line is no record.
enum NoRecord {
    /// It is the last one, and its end is missing.
    Torn,
    Other(String),
}

fn record_of(line: &[u8]) -> Result<Record, NoRecord> {
    if is_decision(line) {
        let why = "it tells a decision and no fetched page";
        return Err(NoRecord::Other(why.to_owned()));
    }
    object_in(line).map_err(|error| {
        if error.is_eof() && !line.ends_with(b"\n") {
            NoRecord::Torn
        } else {
            NoRecord::Other(fault_of_line(line, &error))
        }
    })
}

/// Whether a line tells a decision, as `nodust crawl --decisions` writes them.
fn is_decision(line: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Key {
        decision: Option<serde::de::IgnoredAny>,
    }
    // Quotes within a text are escaped, so that few lines are read twice.
    memchr::memmem::find(line, b"\"decision\"").is_some()
        && serde_json::from_slice::<Key>(line).is_ok_and(|line| line.decision.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_the_log_cut_are_counted() {
        let mut log = Log::default();
        let whole = "word ".repeat(400);
        for (text, of) in [
            (&whole[..], &whole[..]),
            (&whole[..1500], &whole[..]),
            ("ever so short", "ever so short"),
        ] {
            let line = serde_json::json!({"url": "http://e.org/", "text": text, "sha1_text": sha1_hex(of.as_bytes())});
            let record = record_of(line.to_string().as_bytes());
            assert!(record.is_ok_and(|record| log.take(record).is_ok()));
        }
        assert_eq!(log.cut_texts(), 1);
    }

    #[test]
    fn what_came_as_plain_text_is_told_from_pages() {
        let is_plain = |content_type: Option<&str>| {
            let content_type = content_type.map(str::to_owned);
            let record = Record {
                content_type,
                ..Record::default()
            };
            record.is_plain()
        };
        assert!(is_plain(Some("text/plain")));
        assert!(is_plain(Some(" Text/Plain;charset=utf-8")));
        assert!(is_plain(Some("text/x.moin.wiki")));
        assert!(!is_plain(Some("text/html; charset=utf-8")) && !is_plain(Some("text/xml")));
        assert!(!is_plain(Some("application/rss+xml")));
        assert!(!is_plain(None));
    }
}
