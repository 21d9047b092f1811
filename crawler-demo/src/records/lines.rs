//! How do many threads write lines into one file, so that a kill leaves whole ones?
//!
//! ```
//! use nodust_crawler::records::LineFile;
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("lines.jsonl.gz");
//! let file = LineFile::create(&path)?;
//! file.line(&serde_json::json!({"url": "http://e.org/"}));
//! file.finish()?;
//! assert!(std::fs::metadata(&path)?.len() > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::{
    borrow::Cow,
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use flate2::{Compression, bufread::GzDecoder, write::GzEncoder};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::claim::{Claim, OpenError};
use crate::files::not_written;

/// A gzip member holds at least this many octets of lines, or it would not compress.
const MEMBER: usize = 256 * 1024;
/// Hardly any takes more octets: behind one that is damaged, the next begins within as many.
const LARGEST_MEMBER: u64 = 16 * 1024 * 1024;
/// How a member begins.
const GZIP: &[u8] = &[0x1f, 0x8b];
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

/// A file of an earlier run, to be written on.
#[derive(Debug)]
pub struct Resumed {
    /// The file, without what was torn.
    pub file: LineFile,
    /// What stood in it; `None` for a device or a pipe, which keep nothing.
    pub before: Option<Before>,
}

/// What earlier runs left in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Before {
    /// Octets of whole lines, packed if the file is.
    pub whole: u64,
    /// Octets behind them, which were cut off.
    pub torn: u64,
    /// Different URLs that its whole lines are about, if they were counted.
    pub urls: Option<u64>,
}

impl LineFile {
    /// A new file; one that exists is emptied.
    ///
    /// # Errors
    /// When the file cannot be created, or another run writes it.
    pub fn create(path: &Path) -> Result<Self, OpenError> {
        Claim::of(path)?.emptied()
    }

    /// The file of an earlier run, to be [written on](Claim::resumed); a new one if there is none.
    ///
    /// # Errors
    /// When the file cannot be opened or written on, or another run writes it.
    pub fn resume(path: &Path, counts: bool) -> Result<Resumed, OpenError> {
        Claim::of(path)?.resumed(counts)
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

impl Claim {
    /// The file without what stood in it.
    ///
    /// # Errors
    /// When it cannot be emptied.
    pub fn emptied(self) -> Result<LineFile, OpenError> {
        if self.is_kept {
            self.file.set_len(0).map_err(OpenError::io(&self.path))?;
        }
        Ok(LineFile::of(&self.path, self.file))
    }

    /// The file, to be written on after its last whole line. With `counts`, all of it is read to count the URLs of its lines.
    ///
    /// # Errors
    /// When it cannot be read or cut, or when whole lines would be cut off, too, as it is damaged in its middle.
    pub fn resumed(mut self, counts: bool) -> Result<Resumed, OpenError> {
        let before = if self.is_kept {
            Some(
                cut_torn(&mut self.file, is_gzip(&self.path), counts)
                    .map_err(OpenError::io(&self.path))?,
            )
        } else {
            None
        };
        Ok(Resumed {
            file: LineFile::of(&self.path, self.file),
            before,
        })
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

/// Cuts off what stands behind the last whole line, and goes to the end.
fn cut_torn(file: &mut File, is_gzip: bool, counts: bool) -> io::Result<Before> {
    let mut urls = counts.then(Urls::default);
    let whole = if is_gzip {
        let whole = whole_members(file, urls.as_mut())?;
        check_torn(file, whole)?;
        whole
    } else {
        if let Some(urls) = &mut urls {
            urls.read(BufReader::with_capacity(BUFFER, &mut *file))?;
        }
        whole_lines(file)?
    };
    let before = Before {
        whole,
        torn: file.metadata()?.len() - whole,
        urls: urls.map(|urls| urls.met.len() as u64),
    };
    file.set_len(whole)?;
    file.seek(SeekFrom::End(0))?;
    Ok(before)
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
fn check_torn(mut file: &File, whole: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(whole))?;
    let mut torn = Vec::new();
    let is_more = file.take(LARGEST_MEMBER).read_to_end(&mut torn)? as u64 == LARGEST_MEMBER;
    let begin = &torn[..torn.len().min(GZIP.len())];
    let is_member = |at: usize| {
        let mut member = GzDecoder::new(BufReader::new(&torn[at..]));
        io::copy(&mut member, &mut io::sink()).is_ok()
    };
    let trouble = if whole == 0 && !GZIP.starts_with(begin) {
        "it is not packed, though its name says so (.gz): give it another name".to_owned()
    } else if is_more || memchr::memmem::find_iter(&torn, GZIP).any(is_member) {
        format!(
            "it is damaged at octet {whole}, and what stands behind that would be cut off: move it away"
        )
    } else {
        return Ok(());
    };
    Err(io::Error::new(io::ErrorKind::InvalidData, trouble))
}

/// The URLs of lines, each once.
#[derive(Default)]
struct Urls {
    met: FxHashSet<u64>,
}

impl Urls {
    /// Adds those of all whole lines, or of none where they cannot be read to their end.
    fn read(&mut self, mut lines: impl BufRead) -> io::Result<()> {
        #[derive(Deserialize)]
        struct Line<'l> {
            #[serde(borrow)]
            url: Cow<'l, str>,
        }
        let mut line = Vec::new();
        let mut met = Vec::new();
        while lines.read_until(b'\n', &mut line)? > 0 {
            if line.ends_with(b"\n")
                && let Ok(Line { url }) = serde_json::from_slice(&line)
            {
                met.push(xxh3_64(url.as_bytes()));
            }
            line.clear();
        }
        self.met.extend(met);
        Ok(())
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
            std::fs::write(&path, &torn).unwrap();
            let resumed = LineFile::resume(&path, false).unwrap();
            let before = resumed.before.unwrap();
            assert_eq!(before.whole + before.torn, torn.len() as u64, "{name}");
            assert!(before.torn > 0 && before.urls.is_none(), "{name}");
            resumed.file.line(&3);
            drop(resumed);
            assert_eq!(read(&path), whole, "{name}");
        }
    }

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
            (b"{\"url\": \"http://e.org/\"}\n", "it is not packed".into()),
        ] {
            std::fs::write(&path, octets).unwrap();
            let told = LineFile::resume(&path, false).unwrap_err().to_string();
            assert!(told.contains(&why), "{told}");
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
    fn create_empties_and_resume_of_nothing_creates() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        let resumed = LineFile::resume(&path, true).unwrap();
        assert_eq!(resumed.before.map(|before| before.urls), Some(Some(0)));
        resumed.file.line(&1);
        drop(resumed);
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
}
