//! Files of lines that many threads write to, such that a kill leaves whole lines.
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
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use flate2::{Compression, write::GzEncoder};
use serde::Serialize;

use super::{
    before::{Before, cut_torn},
    claim::{Claim, OpenError},
};
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

/// A file of an earlier run, to be appended to.
#[derive(Debug)]
pub struct Resumed {
    /// The file, without what was torn.
    pub file: LineFile,
    /// What was in it; `None` for a device or a pipe, which keep nothing.
    pub before: Option<Before>,
}

impl LineFile {
    /// Creates a file; an existing one is emptied.
    ///
    /// # Errors
    /// If the file cannot be created, or another run is writing it.
    pub fn create(path: &Path) -> Result<Self, OpenError> {
        Claim::of(path)?.emptied()
    }

    /// Opens the file of an earlier run, to be [appended to](Claim::resumed), or a new one if there is none.
    ///
    /// # Errors
    /// If the file cannot be opened or appended to, or another run is writing it.
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

    /// Adds a line. An error is kept, and returned by [`flush`](Self::flush).
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

    /// Writes the lines so far; those of a gzip file once they fill a member.
    ///
    /// # Errors
    /// If this or an earlier write failed.
    pub fn flush(&self) -> io::Result<()> {
        let mut inner = self.lock();
        inner.write(MEMBER);
        self.verdict(&mut inner)
    }

    /// Writes all lines so far.
    ///
    /// # Errors
    /// If this or an earlier write failed.
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
    /// Empties the file and opens it.
    ///
    /// # Errors
    /// If it cannot be emptied.
    pub fn emptied(self) -> Result<LineFile, OpenError> {
        if self.is_kept {
            self.file.set_len(0).map_err(OpenError::io(&self.path))?;
        }
        Ok(LineFile::of(&self.path, self.file))
    }

    /// Opens the file, to be appended to after its last whole line. With `counts`, all of it is read to count the URLs of its
    /// lines.
    ///
    /// # Errors
    /// If it cannot be read or truncated, or if it is damaged before its end, so that whole lines would be cut off,
    /// too.
    pub fn resumed(mut self, counts: bool) -> Result<Resumed, OpenError> {
        let before = (self.is_kept)
            .then(|| cut_torn(&self.path, &mut self.file, counts))
            .transpose()?;
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

#[cfg(test)]
mod tests {
    use std::io::Read as _;

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
            let before = resumed.before.clone().unwrap();
            assert_eq!(before.whole + before.torn, torn.len() as u64, "{name}");
            assert!(before.torn > 0 && before.urls.is_none(), "{name}");
            resumed.file.line(&3);
            drop(resumed);
            assert_eq!(read(&path), whole, "{name}");
        }
    }

    #[test]
    fn create_empties_and_resume_of_nothing_creates() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        let resumed = LineFile::resume(&path, true).unwrap();
        assert_eq!(
            resumed.before.as_ref().map(|before| before.urls),
            Some(Some(0))
        );
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
