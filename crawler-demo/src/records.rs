//! What was fetched, and what was decided? One JSON line each, in order.
//!
//! Lines are written whole, so that a crawl that was killed leaves whole lines; a line that was torn
//! all the same (by a full disk, say) is cut off when the file is opened to go on.
//!
//! What holds after a kill, and when the crawl goes on with the same store and files:
//!
//! - A page's lines are written before the page is committed. A plain file misses no line of what was
//!   committed, neither in the log nor among the decisions.
//! - Lines of pages that were under way may be there already. Those pages are fetched again and their
//!   lines come once more: several log lines of one URL are one fetch that counts (a replay takes the
//!   first), and equal decisions about one URL and `via` are one decision.
//! - A file of decisions has a line `{"url": "", "decision": "resume"}` (with `null` for the rest) where
//!   a run went on, so that a reader can tell. Repeats of what stands before it come only after it.
//! - A file whose name ends in `.gz` is a row of gzip members, each of whole lines: after a kill, up to
//!   256 KiB of lines of the last second are missing. Who needs every line writes a plain file.
//! - A file that is not there any more begins anew: the crawl tells it, and counts the pages that its log lacks.
//! - A crash of the machine, which a kill is not, can take what the system had not yet put on disk.
//!
//! ```
//! use nodust_crawler::records::LineFile;
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("lines.jsonl.gz");
//! let file = LineFile::create(&path)?;
//! file.line(&serde_json::json!({"url": "http://e.org/"}));
//! file.finish()?;
//! assert!(std::fs::metadata(&path)?.len() > 0);
//! # Ok::<(), std::io::Error>(())
//! ```

use std::{
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use flate2::{Compression, bufread::GzDecoder, write::GzEncoder};
use nodust_frontier::{Admitted, DecisionSink, Dropped, Prediction};
use serde::Serialize;
use sha1::{Digest, Sha1};

use crate::files::not_written;

/// A gzip member holds at least this many octets of lines, or it would not compress.
const MEMBER: usize = 256 * 1024;
/// Decision lines wait until they fill this buffer or their page is done.
const BUFFER: usize = 64 * 1024;

/// A file of JSON lines that many threads write to.
#[derive(Debug)]
pub struct LineFile {
    path: PathBuf,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    file: File,
    gzip: bool,
    /// Whole lines, not yet written.
    buffer: Vec<u8>,
    /// The first thing that went wrong; nothing is written after it.
    failed: Option<io::Error>,
}

impl LineFile {
    /// A new file; one that exists is emptied.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self::of(path, File::create(path)?))
    }

    /// The file of an earlier run, to be written on after its last whole line; a new one if there is
    /// none.
    ///
    /// # Errors
    /// When the file cannot be opened, read or cut.
    pub fn resume(path: &Path) -> io::Result<Self> {
        if path.metadata().is_ok_and(|meta| !meta.is_file()) {
            // A device or a pipe keeps nothing that could be written on.
            return Self::create(path);
        }
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let whole = if is_gzip(path) {
            whole_members(&file)?
        } else {
            whole_lines(&mut file)?
        };
        file.set_len(whole)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Self::of(path, file))
    }

    fn of(path: &Path, file: File) -> Self {
        Self {
            path: path.to_owned(),
            inner: Mutex::new(Inner {
                file,
                gzip: is_gzip(path),
                buffer: Vec::new(),
                failed: None,
            }),
        }
    }

    /// Guards the buffer and the file; never held across an await.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a line. Trouble is kept for [`flush`](Self::flush) to tell.
    pub fn line(&self, value: &impl Serialize) {
        // Serialized outside the lock: a page's text takes longer than its write.
        let line = serde_json::to_vec(value);
        let mut inner = self.lock();
        match line {
            Ok(mut line) => {
                line.push(b'\n');
                inner.buffer.extend_from_slice(&line);
                if inner.buffer.len() >= BUFFER {
                    inner.write(MEMBER);
                }
            }
            Err(error) => {
                inner.failed.get_or_insert(error.into());
            }
        }
    }

    /// Writes the lines so far, those of a gzip file once they fill a member.
    ///
    /// # Errors
    /// When this or an earlier write failed.
    pub fn flush(&self) -> io::Result<()> {
        let mut inner = self.lock();
        inner.write(MEMBER);
        self.verdict(&mut inner)
    }

    /// Writes all lines so far.
    ///
    /// # Errors
    /// When this or an earlier write failed.
    pub fn finish(&self) -> io::Result<()> {
        let mut inner = self.lock();
        inner.write(0);
        self.verdict(&mut inner)
    }

    fn verdict(&self, inner: &mut Inner) -> io::Result<()> {
        match &inner.failed {
            None => Ok(()),
            Some(error) => Err(not_written(&self.path.display().to_string(), error)),
        }
    }
}

impl Inner {
    fn write(&mut self, member: usize) {
        if self.buffer.is_empty()
            || self.failed.is_some()
            || self.gzip && self.buffer.len() < member
        {
            return;
        }
        let written = if self.gzip {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder
                .write_all(&self.buffer)
                .and_then(|()| encoder.finish())
                .and_then(|octets| self.file.write_all(&octets))
        } else {
            self.file.write_all(&self.buffer)
        };
        self.buffer.clear();
        self.failed = written.err();
    }
}

impl Drop for LineFile {
    fn drop(&mut self) {
        if let Err(error) = self.finish() {
            tracing::error!("{error}");
        }
    }
}

/// Whether a file of this name is gzipped.
pub fn is_gzip(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ext| ext.eq_ignore_ascii_case("gz"))
}

/// Length of the file up to its last line end.
fn whole_lines(file: &mut File) -> io::Result<u64> {
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

/// Length of the file up to the end of its last whole gzip member.
fn whole_members(file: &File) -> io::Result<u64> {
    let mut reader = BufReader::new(file);
    reader.seek(SeekFrom::Start(0))?;
    let mut whole = 0;
    while !reader.fill_buf()?.is_empty() {
        let mut member = GzDecoder::new(reader);
        if io::copy(&mut member, &mut io::sink()).is_err() {
            break;
        }
        reader = member.into_inner();
        whole = reader.stream_position()?;
    }
    Ok(whole)
}

/// A fetched URL, as it stands in the log.
#[derive(Debug, Serialize)]
pub struct Fetch<'p> {
    /// What was fetched.
    pub url: &'p str,
    /// HTTP status.
    pub status: u16,
    /// `Content-Type`, as sent.
    pub content_type: &'p str,
    /// Title of the page.
    pub title: &'p str,
    /// SHA-1 of the body after decompression.
    pub sha1_body: String,
    /// SHA-1 of the whole visible text.
    pub sha1_text: String,
    /// Visible text, cut to the length that the configuration says.
    pub text: &'p str,
    /// Absolute links in document order, each once, without fragment.
    pub links: &'p [String],
    /// Those of them that ask not to be followed, or whose page does (`nofollow`).
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub nofollow: &'p [String],
    /// `rel=canonical`, as sent.
    pub canonical: Option<&'p str>,
    /// Target of a redirect, absolute.
    pub redirect_to: Option<&'p str>,
    /// Links between it and its seed.
    pub depth: u16,
    /// The page it was found on: the first of all, or the sitemap. Seeds have none; nor have links that
    /// came back from the ledger, that waited while the crawl was stopped, or that were found while very
    /// many (a quarter of a million) waited.
    #[serde(rename = "ref")]
    pub referer: Option<&'p str>,
    /// Octets of the body after decompression.
    pub bytes: u64,
}

/// SHA-1 in hexadecimal digits.
pub fn sha1_hex(octets: &[u8]) -> String {
    use std::fmt::Write as _;
    let digest = Sha1::digest(octets);
    digest
        .iter()
        .fold(String::with_capacity(40), |mut hex, octet| {
            let _ = write!(hex, "{octet:02x}");
            hex
        })
}

/// Decision of the line that stands where a run went on.
pub const RESUME: &str = "resume";

#[derive(Serialize)]
struct DecisionLine<'d> {
    url: &'d str,
    decision: &'static str,
    stage: Option<&'d str>,
    reason: Option<&'d str>,
    rule: Option<String>,
    via: Option<&'d str>,
}

/// Writes decisions to a file, or nowhere.
#[derive(Debug, Default)]
pub struct Decisions {
    file: Option<LineFile>,
}

impl Decisions {
    /// Decisions go to this file, if there is one.
    pub fn new(file: Option<LineFile>) -> Self {
        Self { file }
    }

    /// Says that a crawl goes on here that was stopped or killed.
    pub fn resumed(&self) {
        let Some(file) = &self.file else { return };
        file.line(&DecisionLine {
            url: "",
            decision: RESUME,
            stage: None,
            reason: None,
            rule: None,
            via: None,
        });
    }

    /// The file.
    pub fn file(&self) -> Option<&LineFile> {
        self.file.as_ref()
    }
}

impl DecisionSink for Decisions {
    fn fetched(&self, url: &Admitted, probe: Option<Prediction>) {
        let Some(file) = &self.file else { return };
        file.line(&DecisionLine {
            url: url.url.as_str(),
            decision: if probe.is_some() { "explore" } else { "fetch" },
            stage: None,
            reason: probe.is_some().then_some("exploration"),
            rule: probe.map(|p| p.belief.to_string()),
            via: None,
        });
    }

    fn dropped(&self, url: &str, dropped: &Dropped, via: Option<&str>) {
        let Some(file) = &self.file else { return };
        let reason = &dropped.reason;
        file.line(&DecisionLine {
            url,
            decision: "drop",
            stage: Some(dropped.stage),
            reason: Some(reason.code()),
            rule: reason
                .rule()
                .map(ToString::to_string)
                .or_else(|| reason.belief().map(|belief| belief.to_string())),
            via,
        });
    }

    fn before_commit(&self) {
        let Some(file) = &self.file else { return };
        // Trouble is kept, and told after the commit: the crawl then ends.
        let _ = file.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &Path) -> String {
        let octets = std::fs::read(path).unwrap();
        if is_gzip(path) {
            let mut text = String::new();
            flate2::read::MultiGzDecoder::new(&octets[..])
                .read_to_string(&mut text)
                .unwrap();
            text
        } else {
            String::from_utf8(octets).unwrap()
        }
    }

    #[test]
    fn a_torn_end_is_cut_off_and_writing_goes_on_behind_the_last_whole_line() {
        for (name, whole) in [("a.jsonl", "1\n2\n3\n"), ("a.jsonl.gz", "1\n3\n")] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(name);
            let file = LineFile::create(&path).unwrap();
            file.line(&1);
            file.finish().unwrap();
            file.line(&2);
            drop(file);
            let octets = std::fs::read(&path).unwrap();
            let torn = if is_gzip(&path) {
                octets[..octets.len() - 3].to_vec()
            } else {
                [&octets[..], b"{\"url\": \"ht"].concat()
            };
            std::fs::write(&path, torn).unwrap();
            let file = LineFile::resume(&path).unwrap();
            file.line(&3);
            drop(file);
            assert_eq!(read(&path), whole, "{name}");
        }
    }

    #[test]
    fn lines_are_on_disk_before_what_they_tell_is_committed() {
        use nodust_frontier::{
            Chain, DropReason, Dropped, Frontier as _, LocalFrontier, RawUrl, Verdict, Via,
        };
        use std::sync::Arc;

        /// Reads the file at the moment of the commit.
        struct Witness(Decisions, PathBuf, Mutex<Vec<String>>);
        impl DecisionSink for Witness {
            fn fetched(&self, url: &Admitted, probe: Option<Prediction>) {
                self.0.fetched(url, probe);
            }
            fn dropped(&self, url: &str, dropped: &Dropped, via: Option<&str>) {
                self.0.dropped(url, dropped, via);
            }
            fn before_commit(&self) {
                self.0.before_commit();
                self.2.lock().unwrap().push(read(&self.1));
            }
        }
        #[derive(Debug)]
        struct No;
        impl nodust_frontier::Middleware for No {
            fn name(&self) -> &'static str {
                "no"
            }
            fn judge(&self, _: &mut nodust_frontier::Candidate, _: &Via<'_>) -> Verdict {
                let rule = "no".into();
                Verdict::Drop(DropReason::Excluded { rule })
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("d.jsonl");
        let decisions = Decisions::new(Some(LineFile::create(&path).unwrap()));
        decisions.resumed();
        let witness = Arc::new(Witness(decisions, path, Mutex::default()));
        let sink = Arc::clone(&witness) as Arc<dyn DecisionSink>;
        let chain = Chain::new().then(No);
        let frontier = LocalFrontier::builder(chain).sink(sink).build().unwrap();
        let links = [RawUrl::new("http://a.example/x")];
        frontier
            .admit(&Via::seed(), &links, &mut Vec::new())
            .unwrap();
        let met = witness.2.lock().unwrap();
        let told: Vec<_> = met.last().unwrap().lines().collect();
        assert_eq!(told.len(), 2);
        assert!(told[0].contains("\"decision\":\"resume\""));
        assert!(told[1].contains("http://a.example/x"));
    }

    #[test]
    fn create_empties_and_resume_of_nothing_creates() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        LineFile::resume(&path).unwrap().line(&1);
        assert_eq!(read(&path), "1\n");
        LineFile::create(&path).unwrap().line(&2);
        assert_eq!(read(&path), "2\n");
    }

    #[test]
    fn a_failed_write_is_told_with_the_name_of_the_file() {
        let path = Path::new("/dev/full");
        if !path.exists() {
            return;
        }
        let file = LineFile::create(path).unwrap();
        file.line(&1);
        let told = file.flush().unwrap_err().to_string();
        assert!(told.contains("/dev/full"), "{told}");
    }

    #[test]
    fn sha1_is_that_of_fips_180() {
        assert_eq!(sha1_hex(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
    }
}
