//! Syncs the files that sled writes beside its log and does not sync itself.
//!
//! A page of its tree that is longer than an eighth of a megabyte becomes a file of its own, which the log names. sled syncs
//! neither that file nor the folder. After a power cut, the log may name a file that is not there; sled then goes on with
//! the page as it was before, while what was committed with it is there.

use std::{
    collections::HashSet,
    ffi::OsString,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use super::folder::sync_folder;

/// Where sled keeps them, below its own folder.
const FOLDER: &str = "blobs";

/// The files that hold long pages. None is ever written to again.
#[derive(Debug)]
pub(super) struct Blobs {
    folder: PathBuf,
    /// Those that are known to be on the disk.
    synced: Mutex<HashSet<OsString>>,
}

impl Blobs {
    /// Of the database in this folder.
    pub(super) fn of(database: &Path) -> Self {
        Self {
            folder: database.join(FOLDER),
            synced: Mutex::default(),
        }
    }

    /// Makes those durable that are there now. To be called before the log that names them is written.
    pub(super) fn sync(&self) -> io::Result<()> {
        let mut synced = self.synced.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let mut there = HashSet::new();
        let mut is_new = false;
        for entry in entries {
            let name = entry?.file_name();
            if !synced.contains(&name) {
                is_new = true;
                match File::open(self.folder.join(&name)) {
                    Ok(file) => file.sync_all()?,
                    // sled has removed what its log names no more.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    Err(error) => return Err(error),
                }
            }
            there.insert(name);
        }
        if is_new {
            sync_folder(&self.folder)?;
            // The folder itself comes with the first of them.
            if let Some(database) = self.folder.parent() {
                sync_folder(database)?;
            }
        }
        *synced = there;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_made_durable_once_and_those_that_go_are_forgotten() {
        let database = tempfile::tempdir().unwrap();
        let blobs = Blobs::of(database.path());
        blobs.sync().unwrap();
        let folder = database.path().join(FOLDER);
        fs::create_dir(&folder).unwrap();
        let known = || blobs.synced.lock().unwrap().len();
        for (name, expected) in [("1", 1), ("2", 2)] {
            fs::write(folder.join(name), "a page").unwrap();
            blobs.sync().unwrap();
            assert_eq!(known(), expected);
        }
        fs::remove_file(folder.join("1")).unwrap();
        blobs.sync().unwrap();
        assert_eq!(known(), 1);
    }

    /// A store with long values has such files indeed, and in that folder.
    #[test]
    fn long_values_become_files_that_are_known() {
        let folder = tempfile::tempdir().unwrap();
        let db = sled::open(folder.path()).unwrap();
        db.insert("long", vec![7u8; 1 << 20]).unwrap();
        let blobs = Blobs::of(folder.path());
        blobs.sync().unwrap();
        assert!(!blobs.synced.lock().unwrap().is_empty());
    }
}
