//! Reads and writes files, packed or not.
//!
//! `-` is standard input or output. What begins like gzip is unpacked, whatever its name; a file to be named `….gz` is
//! packed.

mod fault;
mod log;
mod looks;

use std::{
    fs::{self, File},
    io::{self, BufWriter, IsTerminal as _, Read, Write},
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};
use nodust_middleware::file::unpack;

use crate::records::{Claim, OpenError};

pub use fault::{Cut, Unfit, in_words};
pub(crate) use fault::{is_of_name, is_unread, why};
pub(crate) use log::{Wanted, open_log};
pub(crate) use looks::Looks;

const BUFFER: usize = 128 * 1024;

/// Opens a file, or standard input for `-`; gzip is unpacked.
///
/// # Errors
/// If the file cannot be opened or its first octets cannot be read.
pub fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    if path == Path::new("-") {
        if io::stdin().is_terminal() {
            tracing::info!(
                "standard input is read: type lines and end with Ctrl-D, or name a file"
            );
        }
        unpack(io::stdin())
    } else {
        File::open(path).and_then(unpack)
    }
    .map_err(|error| not_opened(path, &error))
}

/// Whether a line of a list is a comment: no URL begins like that.
pub(crate) fn is_comment(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"#")
}

/// [Opens](open) a list of lines. If it cannot be read any further, the error is a [`Cut`].
///
/// # Errors
/// As for `open`.
pub fn open_list(path: &Path) -> io::Result<impl Read + Send + use<>> {
    Ok(Counted {
        input: open(path)?,
        path: path.to_owned(),
        lines: 0,
    })
}

/// A file of which the lines are counted that were read.
struct Counted<R> {
    input: R,
    path: PathBuf,
    lines: usize,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, octets: &mut [u8]) -> io::Result<usize> {
        match self.input.read(octets) {
            Ok(read) => {
                self.lines += memchr::memchr_iter(b'\n', &octets[..read]).count();
                Ok(read)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => Err(Cut::new(&self.path, self.lines as u64 + 1, &error).into()),
        }
    }
}

/// A file that is being written. Call [`finish`](Self::finish), or its end may be missing. Errors name the file.
pub struct Sink {
    /// What it is called in a sentence.
    name: String,
    out: Out,
}

enum Out {
    /// Standard output, or a file as it is.
    Plain(Box<dyn Write + Send>),
    /// A file packed with gzip.
    Gzip(Box<GzEncoder<BufWriter<File>>>),
}

impl std::fmt::Debug for Sink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sink")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Sink {
    /// Creates a file, or takes standard output for `-`. An existing file is emptied.
    ///
    /// # Errors
    /// If the file cannot be created, or another command is writing it.
    pub fn create(path: &Path) -> io::Result<Self> {
        Self::made(path).map_err(|error| {
            if is_in_use(&error) {
                return error;
            }
            Unfit::new(named(path, &error)).into()
        })
    }

    fn made(path: &Path) -> io::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self {
                name: OUTPUT.to_owned(),
                out: Out::Plain(Box::new(BufWriter::with_capacity(BUFFER, io::stdout()))),
            });
        }
        let file = Claim::to_write(path)?;
        let file = BufWriter::with_capacity(BUFFER, file);
        let packed = path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
        Ok(Self {
            name: path.display().to_string(),
            out: if packed {
                Out::Gzip(Box::new(GzEncoder::new(file, Compression::fast())))
            } else {
                Out::Plain(Box::new(file))
            },
        })
    }

    /// Writes what is still buffered.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn finish(self) -> io::Result<()> {
        let done = match self.out {
            Out::Plain(mut file) => file.flush(),
            Out::Gzip(file) => file.finish().and_then(|mut file| file.flush()),
        };
        done.map_err(|error| not_written(&self.name, &error))
    }
}

/// What standard output is called in a sentence.
pub(crate) const OUTPUT: &str = "standard output";

/// The same error, with the name of what was written to.
pub(crate) fn not_written(name: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("could not write to {name}: {error}"))
}

impl Write for Sink {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        match &mut self.out {
            Out::Plain(file) => file.write(octets),
            Out::Gzip(file) => file.write(octets),
        }
        .map_err(|error| not_written(&self.name, &error))
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.out {
            Out::Plain(file) => file.flush(),
            Out::Gzip(file) => file.flush(),
        }
        .map_err(|error| not_written(&self.name, &error))
    }
}

/// Writes a small file whole or not at all: whoever reads it meanwhile, or after a power cut, gets the old one or the new one. `-` is
/// standard output; if nobody reads that any more, it is not an error. A link is followed. A device, a pipe, or a file in whose folder
/// nothing may be created is written to directly.
///
/// # Errors
/// If the file cannot be written, or another command is writing it; what was there before is then kept.
pub fn replace(path: &Path, octets: &[u8]) -> io::Result<()> {
    let replaced = match place_of(path) {
        Ok(Place::File(file)) => replace_file(&file, octets),
        Ok(Place::Stream) => write(path, octets),
        Err(error) => Err(error),
    };
    if path == Path::new("-") && replaced.as_ref().is_err_and(is_unread) {
        return Ok(());
    }
    replaced.map_err(|error| match error.kind() {
        // It names what was written to.
        _ if path == Path::new("-") || is_in_use(&error) => error,
        kind if is_of_name(kind) => Unfit::new(named(path, &error)).into(),
        kind => io::Error::new(kind, named(path, &error)),
    })
}

/// Whether this says why a claim on a file failed, and names that.
fn is_in_use(error: &io::Error) -> bool {
    error
        .get_ref()
        .is_some_and(<dyn std::error::Error + Send + Sync>::is::<OpenError>)
}

fn replace_file(path: &Path, octets: &[u8]) -> io::Result<()> {
    let held = Claim::to_replace(path)?;
    // The ending stays, as it says whether to pack.
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let aside = path.with_file_name(format!(".new-{}-{name}", std::process::id()));
    let replaced = write(&aside, octets).and_then(|()| {
        if let Ok(before) = fs::metadata(path) {
            fs::set_permissions(&aside, before.permissions())?;
        }
        File::open(&aside)?.sync_all()?;
        fs::rename(&aside, path)
    });
    let Err(error) = replaced else { return Ok(()) };
    drop(fs::remove_file(&aside));
    drop(held);
    match error.kind() {
        // Its folder is read-only, or it is mounted on its own.
        io::ErrorKind::PermissionDenied
        | io::ErrorKind::ReadOnlyFilesystem
        | io::ErrorKind::ResourceBusy
        | io::ErrorKind::CrossesDevices => write(path, octets),
        _ => Err(error),
    }
}

fn write(path: &Path, octets: &[u8]) -> io::Result<()> {
    let mut sink = Sink::made(path)?;
    sink.write_all(octets)?;
    sink.finish()
}

/// Where a path leads to, links followed.
enum Place {
    /// A plain file, there or not yet: another may take its place.
    File(PathBuf),
    /// Standard output, wherever it goes, a device or a pipe: never replaced. Where root renames a file over
    /// `/dev/null`, every program loses it.
    Stream,
}

fn place_of(path: &Path) -> io::Result<Place> {
    if path == Path::new("-") {
        return Ok(Place::Stream);
    }
    match fs::metadata(path) {
        Ok(meta) if meta.is_file() && !is_output(&meta) => Ok(Place::File(fs::canonicalize(path)?)),
        Ok(_) => Ok(Place::Stream),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let target = fs::read_link(path).unwrap_or_default();
            Ok(Place::File(match path.parent() {
                Some(folder) if !target.as_os_str().is_empty() => folder.join(target),
                _ => path.to_owned(),
            }))
        }
        Err(error) => Err(error),
    }
}

/// Whether this is the file that standard output or standard error go to.
#[cfg(unix)]
fn is_output(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let outputs = ["/dev/stdout", "/dev/stderr"];
    let mut outputs = outputs.iter().filter_map(|path| fs::metadata(path).ok());
    outputs.any(|output| (output.dev(), output.ino()) == (meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
const fn is_output(_: &fs::Metadata) -> bool {
    false
}

/// The name of a file in a sentence.
pub fn name(path: &Path) -> String {
    if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

fn not_opened(path: &Path, error: &io::Error) -> io::Error {
    Unfit::new(if error.kind() == io::ErrorKind::NotFound {
        let name = path.display().to_string();
        if name.contains("://") {
            format!("{name} is a URL, and a file is read here: name one, or - for standard input")
        } else {
            format!("there is no file {name}: name one that is there, or - for standard input")
        }
    } else {
        named(path, error)
    })
    .into()
}

fn named(path: &Path, error: &io::Error) -> String {
    let name = name(path);
    match error.kind() {
        io::ErrorKind::IsADirectory => format!("{name} {}", fault::FOLDER),
        _ => format!("{name}: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_out_packed_comes_in_unpacked_whatever_it_is_called() {
        let folder = tempfile::tempdir().unwrap();
        let packed = folder.path().join("a.gz");
        let mut sink = Sink::create(&packed).unwrap();
        sink.write_all(b"one\ntwo\n").unwrap();
        sink.finish().unwrap();
        let renamed = folder.path().join("a.txt");
        std::fs::rename(&packed, &renamed).unwrap();
        assert_eq!(std::fs::read(&renamed).unwrap()[..2], [0x1f, 0x8b]);
        let mut text = String::new();
        open(&renamed).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "one\ntwo\n");
    }

    #[test]
    fn short_and_empty_files_are_read_as_they_are() {
        for octets in [&b""[..], b"\x1f", b"ab"] {
            let mut read = Vec::new();
            unpack(octets).unwrap().read_to_end(&mut read).unwrap();
            assert_eq!(read, octets);
        }
    }

    #[test]
    fn trouble_names_the_file() {
        let error = open(Path::new("/nonexistent/x")).err().unwrap();
        assert!(error.to_string().contains("/nonexistent/x"));
        assert!(error.to_string().contains("name one that is there"));
    }
}
