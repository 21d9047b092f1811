//! Checks that results may go where they were told to go.
//!
//! A result may not go over what is read, to a file that another result goes to, or to where no file can be. A command refuses
//! before hours of work are done.

use std::path::{Path, PathBuf};

use nodust_frontier::SledStore;

use super::usage;
use crate::records::{Claim, OpenError};

/// Refuses to write over what is read, two results to one file, and results to where no file can be.
pub(super) fn check_apart<'p>(
    inputs: impl IntoIterator<Item = &'p PathBuf>,
    outputs: impl IntoIterator<Item = &'p PathBuf>,
) -> anyhow::Result<()> {
    let inputs: Vec<&PathBuf> = inputs.into_iter().collect();
    check_once(inputs.iter().copied())?;
    let inputs: Vec<Place> = (inputs.into_iter())
        .filter_map(|path| Place::of_input(path))
        .collect();
    let mut written: Vec<Place> = Vec::new();
    let mut writes_standard_output = false;
    for output in outputs {
        check_place(output)?;
        if is_standard_output(output) && std::mem::replace(&mut writes_standard_output, true) {
            return Err(usage(
                "two results would go to standard output and mix there: name a file for one of them",
            ));
        }
        let Some(place) = Place::of(output) else {
            continue;
        };
        let path = output.display();
        if inputs.contains(&place) {
            return Err(usage(format!(
                "{path} is read by this command and cannot be written over: name another file"
            )));
        }
        if written.contains(&place) {
            return Err(usage(format!(
                "two results would go to {path}: name another file for one of them"
            )));
        }
        written.push(place);
    }
    Ok(())
}

/// Refuses standard input named twice: the second time there is nothing left of it.
pub(super) fn check_once<'p>(inputs: impl IntoIterator<Item = &'p PathBuf>) -> anyhow::Result<()> {
    let named = (inputs.into_iter()).filter(|path| is_standard_input(path));
    if named.count() > 1 {
        return Err(usage(
            "standard input is named twice, and can be read only once: name a file for one of them",
        ));
    }
    Ok(())
}

/// Whether a path names standard input.
fn is_standard_input(path: &Path) -> bool {
    let names = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];
    names.iter().any(|name| path == Path::new(name))
}

/// Whether a path names standard output.
fn is_standard_output(path: &Path) -> bool {
    let names = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    names.iter().any(|name| path == Path::new(name))
}

/// Refuses results in the folder of the store that the run keeps, or of any other, which is the store's alone: that of the run may not be
/// there yet, and what lies in one goes where it goes.
pub(super) fn check_outside<'p>(
    store: Option<&Path>,
    outputs: impl IntoIterator<Item = &'p PathBuf>,
) -> anyhow::Result<()> {
    let own = store.map(|folder| (folder, whole(folder)));
    let store_around = |output: &PathBuf| {
        if output.as_os_str() == "-" {
            return None;
        }
        let output = whole(output);
        match &own {
            Some((folder, whole_folder)) if output.starts_with(whole_folder) => {
                Some(folder.to_path_buf())
            }
            _ => store_around_whole(&output),
        }
    };
    let mut outputs = outputs.into_iter();
    match outputs.find_map(|output| Some((output, store_around(output)?))) {
        None => Ok(()),
        Some((output, folder)) => Err(lies_in_store(output, &folder)),
    }
}

/// The folder of the store in which a path lies that is whole.
fn store_around_whole(output: &Path) -> Option<PathBuf> {
    let mut around = output.ancestors().skip(1);
    around
        .find(|folder| SledStore::is_in(folder))
        .map(Path::to_owned)
}

fn lies_in_store(output: &Path, folder: &Path) -> anyhow::Error {
    let way_out = if output.exists() {
        "move it out of there, and name it by its new place"
    } else {
        "name a file outside"
    };
    usage(format!(
        "{} lies in the folder of a store ({}), which holds nothing else: {way_out}",
        output.display(),
        folder.display()
    ))
}

/// A path from the root, links followed, of which the end need not be there.
fn whole(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    path.canonicalize()
        .unwrap_or_else(|_| match (path.parent(), path.file_name()) {
            (Some(folder), Some(name)) => whole(folder).join(name),
            _ => path.to_owned(),
        })
}

/// Refuses `-` for what is written line by line while a summary goes to standard output, and would be a file of that name.
pub(super) fn check_named<'p>(
    outputs: impl IntoIterator<Item = &'p PathBuf>,
) -> anyhow::Result<()> {
    if outputs.into_iter().any(|path| path.as_os_str() == "-") {
        return Err(usage(
            "logs, decisions and reports of a crawl go to files, and - is not one: give a name (/dev/stdout, if you must)",
        ));
    }
    Ok(())
}

/// Refuses results that take the place of what a running crawl writes, where they come late.
pub(super) fn check_free<'p>(
    outputs: impl IntoIterator<Item = &'p PathBuf>,
) -> Result<(), OpenError> {
    for output in outputs {
        if output.as_os_str() != "-" {
            Claim::to_replace(output)?;
        }
    }
    Ok(())
}

/// Fails where an output has no place.
fn check_place(output: &Path) -> anyhow::Result<()> {
    if output.as_os_str() == "-" {
        return Ok(());
    }
    if output.as_os_str().is_empty() {
        return Err(usage(
            "an empty name names no file: leave it out, or name one",
        ));
    }
    let folder = (output.parent()).filter(|folder| !folder.as_os_str().is_empty());
    let path = output.display();
    if output.is_dir() {
        return Err(usage(format!("{path} is a folder: name a file")));
    }
    if SledStore::owns(output) {
        return Err(usage(format!(
            "{path} is part of the store of a crawl, which would be destroyed: name another file"
        )));
    }
    if let Some(folder) = store_around_whole(&whole(output)) {
        return Err(lies_in_store(output, &folder));
    }
    match folder {
        Some(folder) if !folder.is_dir() => Err(usage(format!(
            "{path} cannot be written: there is no folder {}; make it first",
            folder.display()
        ))),
        _ => Ok(()),
    }
}

/// Where a file is or will be.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// Device and number of a file that is there, under whatever names.
    #[cfg(unix)]
    Known(u64, u64),
    /// Its path, links followed.
    Named(PathBuf),
}

impl Place {
    /// `None` for standard streams, devices, and what has no place.
    fn of(path: &Path) -> Option<Self> {
        if path.as_os_str() == "-" {
            return None;
        }
        if let Ok(named) = path.canonicalize() {
            return Self::there(&named);
        }
        Some(Self::Named(whole(path)))
    }

    /// The same of what is read, where `-` may be a file that the shell opened.
    fn of_input(path: &Path) -> Option<Self> {
        if path.as_os_str() == "-" {
            return Self::of_standard_input();
        }
        Self::of(path)
    }

    #[cfg(unix)]
    fn there(path: &Path) -> Option<Self> {
        Self::known(&path.metadata().ok()?)
    }

    #[cfg(not(unix))]
    fn there(path: &Path) -> Option<Self> {
        path.is_file().then(|| Self::Named(path.to_owned()))
    }

    #[cfg(unix)]
    fn of_standard_input() -> Option<Self> {
        use std::{fs::File, io::stdin, os::fd::AsFd as _};
        let input = stdin().as_fd().try_clone_to_owned().ok()?;
        Self::known(&File::from(input).metadata().ok()?)
    }

    #[cfg(not(unix))]
    const fn of_standard_input() -> Option<Self> {
        None
    }

    #[cfg(unix)]
    fn known(meta: &std::fs::Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        (meta.is_file()).then(|| Self::Known(meta.dev(), meta.ino()))
    }
}
