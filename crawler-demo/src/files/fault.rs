//! What can be wrong with a file that the operator named.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::name;

/// The error for a named file that cannot be used as asked: it does not exist, may not be read or written, or holds something
/// else. Only another name, or another file of that name, helps.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unfit(String);

impl Unfit {
    /// An error with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Whether an error was caused by this one.
    pub fn is_cause_of(error: &anyhow::Error) -> bool {
        error.chain().any(|cause| {
            let inner = cause
                .downcast_ref::<io::Error>()
                .and_then(io::Error::get_ref);
            cause.is::<Self>()
                || inner
                    .and_then(|inner| inner.downcast_ref::<Self>())
                    .is_some()
        })
    }
}

impl From<Unfit> for io::Error {
    fn from(unfit: Unfit) -> Self {
        Self::new(io::ErrorKind::InvalidData, unfit)
    }
}

/// Whether the system refuses a file for what its name leads to, and not for want of room or luck.
pub(crate) const fn is_of_name(kind: io::ErrorKind) -> bool {
    use io::ErrorKind as Kind;
    matches!(
        kind,
        Kind::NotFound
            | Kind::PermissionDenied
            | Kind::IsADirectory
            | Kind::NotADirectory
            | Kind::InvalidFilename
            | Kind::ReadOnlyFilesystem
    )
}

/// A file that could not be read to its end, for example because its writer was killed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} breaks off in line {line}: {why}", name(path))]
pub struct Cut {
    /// The file.
    pub path: PathBuf,
    /// The line that could not be read, from 1.
    pub line: u64,
    /// What the system or the decompression says.
    pub why: String,
}

impl Cut {
    /// The cut for an error in a line of a file.
    pub fn new(path: &Path, line: u64, error: &io::Error) -> Self {
        let why = match error.kind() {
            io::ErrorKind::UnexpectedEof => "its end is missing".to_owned(),
            // What unpacking finds wrong.
            io::ErrorKind::InvalidInput => format!("what is packed there is damaged ({error})"),
            _ => in_words(error),
        };
        let path = path.to_owned();
        Self { path, line, why }
    }
}

impl From<Cut> for io::Error {
    fn from(cut: Cut) -> Self {
        Self::new(io::ErrorKind::InvalidData, cut)
    }
}

pub(super) const FOLDER: &str = "is a folder: name a file";

/// Whether whoever should read what is written went away.
pub(crate) fn is_unread(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

/// Why a file cannot be read that the sentence around it names, and says what to do about.
pub(crate) fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        _ => error.to_string(),
    }
}

/// What went wrong with a file, for a sentence that names the file.
pub fn in_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::IsADirectory => format!("it {FOLDER}"),
        _ => error.to_string(),
    }
}
