//! Claims a file of lines for writing.
//!
//! A crawl holds its log and decisions as long as it runs, so that no other crawl empties them or writes between its lines.
//! A file is claimed before anything in it changes: a crawl that is refused one of two files has changed neither.

use std::{
    fmt,
    fs::{File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
};

use super::begin::Kind;
use crate::files::in_words;

/// Why a file of lines cannot be written.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another command is writing it.
    #[error(
        "{} is being written by another command that is still running: wait for its end, stop it, or name another file",
        .0.display()
    )]
    InUse(PathBuf),
    /// It has the name of a packed file, but is not packed.
    #[error(
        "{} is not packed, though its name says so (.gz): move it away, or give it a name that does not end in .gz, and run the \
         command with that name",
        .0.display()
    )]
    NotPacked(PathBuf),
    /// It is not a file of this kind, so that a crawl cannot go on in it.
    #[error(
        "{} {looks}: a crawl that goes on appends to what is there, which must be what it wrote itself. For {}, name its own \
         file or one that does not exist yet; or move this one away",
        path.display(),
        wanted.switch()
    )]
    Other {
        /// The file.
        path: PathBuf,
        /// What it was named for.
        wanted: Kind,
        /// What it looks like, in words.
        looks: String,
    },
    /// It is the log of another crawl.
    #[error(
        "{} is the log of another crawl: it begins with {first}, which the store does not know. For --log, name this crawl's own \
         file, or one that does not exist yet",
        path.display()
    )]
    OfAnotherCrawl {
        /// The file.
        path: PathBuf,
        /// The URL of its first line.
        first: String,
    },
    /// It is damaged before its end.
    #[error(
        "{} is damaged at octet {at}, and going on in it would cut off everything after that: move it away and run the same \
         command again, which begins a new one{}",
        path.display(),
        LinesBefore(*at)
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Octets of whole lines before the damage.
        at: u64,
    },
    /// The system refuses it.
    #[error("could not open {}: {}", path.display(), in_words(source))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// What can be had of so many octets before a damage.
struct LinesBefore(u64);

impl fmt::Display for LinesBefore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            octets => write!(
                f,
                " (`head -c {octets} FILE | gzip -dc` prints the lines before the damage)"
            ),
        }
    }
}

impl OpenError {
    /// Of what the system says of a file.
    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io {
            path: path.to_owned(),
            source,
        }
    }
}

/// What the system says itself, or why a file is not to be had, in the form that all of reading and writing has.
impl From<OpenError> for io::Error {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Io { source, .. } => source,
            other => Self::new(io::ErrorKind::ResourceBusy, other),
        }
    }
}

/// A file that is held, but not yet changed.
#[derive(Debug)]
pub struct Claim {
    pub(super) path: PathBuf,
    pub(super) file: File,
    /// A device or a pipe keeps nothing that could be written on, and is held by nobody.
    pub(super) is_kept: bool,
    /// It was not there before.
    is_new: bool,
}

impl Claim {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Claims a file, which is created if it does not exist.
    ///
    /// # Errors
    /// If it cannot be opened, or another command holds it.
    pub fn of(path: &Path) -> Result<Self, OpenError> {
        Self::opened(path, true)
    }

    /// Takes a file, which is made if it is not there, and empties it. It may be one that cannot be read.
    pub(crate) fn to_write(path: &Path) -> Result<File, OpenError> {
        let claim = Self::opened(path, false)?;
        if claim.is_kept {
            claim.file.set_len(0).map_err(OpenError::io(path))?;
        }
        Ok(claim.file)
    }

    /// Takes a file that another is to replace, if it is there: nobody else takes it until what is answered is dropped.
    pub(crate) fn to_replace(path: &Path) -> Result<Option<File>, OpenError> {
        let is_file = path.metadata().is_ok_and(|meta| meta.is_file());
        // There a file that is open could not be replaced.
        if cfg!(windows) || !is_file {
            return Ok(None);
        }
        let opened = OpenOptions::new().write(true).open(path);
        let Ok(file) = opened.or_else(|_| File::open(path)) else {
            return Ok(None);
        };
        if is_held(&file) {
            return Err(OpenError::InUse(path.to_owned()));
        }
        Ok(Some(file))
    }

    fn opened(path: &Path, is_read: bool) -> Result<Self, OpenError> {
        let is_kept = !path.metadata().is_ok_and(|meta| !meta.is_file());
        let is_new = is_kept && !path.exists();
        let file = OpenOptions::new()
            .read(is_kept && is_read)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(OpenError::io(path))?;
        if is_kept && is_held(&file) {
            return Err(OpenError::InUse(path.to_owned()));
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            is_kept,
            is_new,
        })
    }

    /// Gives it back unused: what was not there before is not there any more.
    pub(crate) fn forgo(self) {
        if self.is_new {
            // An empty file that stays harms nobody.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Whether another holds a file; if not, it is held from now on, until it is closed.
fn is_held(file: &File) -> bool {
    // There a lock would keep readers out, too.
    if cfg!(windows) {
        return false;
    }
    // A file system that knows no locks does not keep a crawl from its log.
    matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_held_by_one_until_it_is_closed_and_a_device_by_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        std::fs::write(&path, "1\n").unwrap();
        let held = Claim::of(&path).unwrap();
        let told = Claim::of(&path).unwrap_err().to_string();
        assert!(
            told.contains("log.jsonl") && told.contains("still running"),
            "{told}"
        );
        for told in [Claim::to_write(&path).err(), Claim::to_replace(&path).err()] {
            assert!(matches!(told, Some(OpenError::InUse(_))), "{told:?}");
        }
        drop(held);
        let held = Claim::to_replace(&path).unwrap();
        assert!(Claim::of(&path).is_err());
        drop(held);
        Claim::of(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "1\n");
        let null = Path::new("/dev/null");
        let _held = Claim::of(null).unwrap();
        Claim::of(null).unwrap();
    }
}
