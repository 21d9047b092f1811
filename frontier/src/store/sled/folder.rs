//! The folder of a store, and whether a folder is one.
//!
//! The folder of a store holds a lock, a marker with the format, a note of what is durable, and the database. A folder
//! that has other files is left alone.

use std::{
    ffi::OsStr,
    fs::{self, File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use crate::StoreError;

const FORMAT: u32 = 1;
const LOCK: &str = "lock";
const MARKER: &str = "format";
const DURABLE: &str = "durable";
pub(super) const DATABASE: &str = "sled";

/// A process that is being started holds copies of all open files until its program begins, and with them the lock of a
/// store that was closed in between.
const BORROWED: Duration = Duration::from_millis(500);

/// Moves the folder of a store to a free name beside it, and answers that name.
pub(super) fn move_aside(path: &Path) -> io::Result<PathBuf> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no folder"))?
        .to_string_lossy();
    check_is_ours(path).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    let held = match lock(path) {
        Ok(held) => held,
        Err(error @ StoreError::InUse { .. }) => {
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, error));
        }
        Err(error) => return Err(io::Error::other(error)),
    };
    for number in 1..u32::MAX {
        let aside = path.with_file_name(format!("{name}.aside-{number}"));
        // `rename` would replace an empty folder of that name.
        if !aside.exists() {
            fs::rename(path, &aside)?;
            drop(held);
            return Ok(aside);
        }
    }
    Err(io::Error::other("no free name is left"))
}

/// Takes the store for this process, for as long as the answer lives.
pub(super) fn lock(path: &Path) -> Result<File, StoreError> {
    lock_within(BORROWED, path)
}

fn lock_within(patience: Duration, path: &Path) -> Result<File, StoreError> {
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path.join(LOCK))
        .map_err(io_error("open the lock of the store"))?;
    let until = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < until => {
                thread::sleep(BORROWED / 50);
            }
            Err(TryLockError::WouldBlock) => {
                let path = path.to_owned();
                return Err(StoreError::InUse { path });
            }
            Err(TryLockError::Error(cause)) => return Err(io_error("lock the store")(cause)),
        }
    }
}

/// Whether there is a store of any format, or what a damage left of one.
pub(super) fn is_in(path: &Path) -> bool {
    let marker = path.join(MARKER);
    fs::read(&marker).is_ok_and(|text| text.starts_with(b"nodust store "))
        || (marker.is_file() && path.join(DATABASE).is_dir())
}

/// Whether a store gives a file or folder in its own this name.
fn is_ours(name: &str) -> bool {
    [LOCK, DATABASE, MARKER, DURABLE].contains(&name.trim_end_matches(".new"))
}

/// Whether a file is part of a store; one that only lies beside its files is none.
pub(super) fn owns(path: &Path) -> bool {
    let Ok(path) = path.canonicalize() else {
        return false;
    };
    path.ancestors().skip(1).any(|folder| {
        let below = path.strip_prefix(folder).ok();
        let first = below.and_then(|below| below.iter().next());
        first.and_then(OsStr::to_str).is_some_and(is_ours) && is_in(folder)
    })
}

/// Refuses a folder that has other files and no store: `/etc`, or one of photographs, is no place for one.
pub(super) fn check_is_ours(path: &Path) -> Result<(), StoreError> {
    if is_in(path) {
        return Ok(());
    }
    // What a kill leaves of a store that was being set up.
    for entry in fs::read_dir(path).map_err(io_error("look into the folder of the store"))? {
        let entry = entry.map_err(io_error("look into the folder of the store"))?;
        if !entry.file_name().to_str().is_some_and(is_ours) {
            return Err(StoreError::Foreign {
                path: path.to_owned(),
            });
        }
    }
    Ok(())
}

/// Whether the store was set up, if its format is ours.
pub(super) fn read_marker(path: &Path) -> Result<bool, StoreError> {
    let text = match fs::read_to_string(path.join(MARKER)) {
        Ok(text) => text,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(cause) => return Err(io_error("read the format of the store")(cause)),
    };
    let found = text
        .strip_prefix("nodust store ")
        .and_then(|rest| rest.trim().parse::<u32>().ok());
    match found {
        Some(FORMAT) => Ok(true),
        Some(found) => Err(StoreError::Format {
            path: path.to_owned(),
            found,
            expected: FORMAT,
        }),
        None => Err(StoreError::Damaged {
            path: path.to_owned(),
            detail: "its format file cannot be read".into(),
        }),
    }
}

pub(super) fn io_error(operation: &'static str) -> impl FnOnce(io::Error) -> StoreError {
    move |cause| StoreError::Io {
        operation,
        source: Box::new(cause),
    }
}

/// Declares the store complete.
pub(super) fn mark(path: &Path) -> Result<(), StoreError> {
    replace_file(path, MARKER, &format!("nodust store {FORMAT}\n"))
        .map_err(io_error("write the format of the store"))
}

/// Writes down how many commits are durable.
pub(super) fn note_durable(path: &Path, commits: u64) -> Result<(), StoreError> {
    replace_file(path, DURABLE, &commits.to_string()).map_err(io_error("note what is durable"))
}

/// What was noted last; 0 where nothing was.
pub(super) fn noted_durable(path: &Path) -> u64 {
    fs::read_to_string(path.join(DURABLE))
        .ok()
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or(0)
}

/// Writes a small file so that a crash leaves the old or the new text.
fn replace_file(folder: &Path, name: &str, text: &str) -> io::Result<()> {
    let draft = folder.join(format!("{name}.new"));
    let mut file = File::create(&draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&draft, folder.join(name))?;
    sync_folder(folder)
}

/// Makes the names in a folder durable, where folders can be opened.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder) {
        Ok(folder) => folder.sync_all(),
        Err(_) if cfg!(not(unix)) => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_is_held_for_a_moment_longer_is_waited_for_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let held = lock(folder.path()).unwrap();
        let second = lock(folder.path());
        assert!(matches!(second, Err(StoreError::InUse { .. })));
        let path = folder.path().to_owned();
        // So patient that the test passes however slow the machine is; where nobody waits it fails all but surely.
        let waiting = thread::spawn(move || lock_within(Duration::from_mins(1), &path));
        thread::sleep(BORROWED / 5);
        drop(held);
        assert!(waiting.join().unwrap().is_ok());
    }
}
