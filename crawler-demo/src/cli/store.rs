//! `nodust store`, and how the other subcommands open the store of a crawl.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use nodust_frontier::{FrontierError, SledStore, Store, StoreError, store::sled::SledOptions};

use super::{print, usage};
use crate::CrawlError;

/// Look after the folder that keeps a crawl
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Rename a store, damaged or not, so that the next crawl begins with an empty one
    ///
    /// Nothing is deleted, and the new name is printed. Log and decisions of the old crawl stay where they are, and the
    /// next crawl refuses to write over them.
    #[command(
        override_usage = "nodust store move-aside [OPTIONS] <DIR>\n       nodust store move-aside [OPTIONS] --store <DIR>"
    )]
    MoveAside {
        #[command(flatten)]
        folder: Folder,
    },
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let Command::MoveAside { folder } = self.command;
        let folder = folder.path()?;
        check_is_store(folder)?;
        let aside = SledStore::move_aside(folder).map_err(|error| {
            let told = match error.downcast() {
                Ok(StoreError::InUse { .. }) => in_use(folder),
                Ok(other) => other.into(),
                Err(error) => error.into(),
            };
            told.context(format!("cannot move the store {} aside", folder.display()))
        })?;
        print(&aside.display().to_string())?;
        tracing::info!("{FILES_IN_THE_WAY}");
        Ok(())
    }
}

/// What was written beside a store that is moved aside is not known here.
const FILES_IN_THE_WAY: &str = "log and decisions of that crawl, if there are any, stay where they are: the next one \
     begins anew and refuses to write over them. Move them, too, give other names (--log, --decisions), or have them \
     emptied (--overwrite)";

/// The folder of a crawl, named with or without an option.
#[derive(Debug, clap::Args)]
pub(super) struct Folder {
    /// Folder given to `nodust crawl --store`; no crawl may be running on it
    #[arg(
        value_name = "DIR",
        required_unless_present = "store",
        conflicts_with = "store"
    )]
    folder: Option<PathBuf>,
    /// The same folder
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
}

impl Folder {
    fn path(&self) -> anyhow::Result<&Path> {
        (self.folder.as_deref().or(self.store.as_deref()))
            .ok_or_else(|| usage("name the folder given to `nodust crawl --store`"))
    }

    /// The store in it, which must be there.
    pub(super) fn open(&self) -> anyhow::Result<Arc<dyn Store>> {
        open_existing(self.path()?, &SledOptions::default())
    }
}

/// The store in a folder, which is made if it is not there.
pub(super) fn open(folder: &Path, options: &SledOptions) -> anyhow::Result<Arc<dyn Store>> {
    check_is_no_file(folder)?;
    match SledStore::open(folder, options) {
        Err(error) if is_denied(&error) => Err(denied(folder)),
        opened => Ok(Arc::new(opened?)),
    }
}

/// The store in a folder that must be there, and is only looked at.
pub(super) fn open_existing(
    folder: &Path,
    options: &SledOptions,
) -> anyhow::Result<Arc<dyn Store>> {
    check_is_store(folder)?;
    match SledStore::open(folder, options) {
        Ok(store) => Ok(Arc::new(store)),
        Err(StoreError::InUse { path }) => Err(in_use(&path)),
        Err(error) if is_denied(&error) => Err(denied(folder)),
        Err(other) => Err(other.into()),
    }
}

/// Whether the system forbids what a store needs.
fn is_denied(error: &StoreError) -> bool {
    let StoreError::Io { source, .. } = error else {
        return false;
    };
    source.downcast_ref().is_some_and(is_denial)
}

fn is_denial(cause: &io::Error) -> bool {
    cause.kind() == io::ErrorKind::PermissionDenied
}

fn denied(folder: &Path) -> anyhow::Error {
    usage(format!(
        "the store {} cannot be opened: permission denied; even looking at a store needs permission to read and write in its folder",
        folder.display()
    ))
}

/// What is told of a store that another process has open where no other folder would do.
fn in_use(folder: &Path) -> anyhow::Error {
    anyhow::anyhow!(
        "the store {} is in use by another process: wait for it, or stop it (Ctrl-C ends a crawl in order, and the same command \
         goes on with it)",
        folder.display()
    )
}

/// A store is a folder, which need not be there yet.
pub(super) fn check_is_no_file(folder: &Path) -> anyhow::Result<()> {
    // A file with a slash behind its name is not there, says the system.
    let named: PathBuf = folder.components().collect();
    if named.exists() && !named.is_dir() {
        return Err(usage(format!(
            "--store {} is no folder: name a folder, which is made if it is not there",
            folder.display()
        )));
    }
    Ok(())
}

fn check_is_store(folder: &Path) -> anyhow::Result<()> {
    if SledStore::is_in(folder) {
        return Ok(());
    }
    // What may not be looked into is not said to be empty.
    let is_hidden = std::fs::read_dir(folder)
        .and_then(|mut files| {
            files
                .next()
                .map_or(Ok(()), |file| file?.metadata().map(|_| ()))
        })
        .is_err_and(|cause| is_denial(&cause));
    if is_hidden {
        return Err(denied(folder));
    }
    Err(usage(format!(
        "there is no store in {}: name the folder given to `nodust crawl --store`",
        folder.display()
    )))
}

/// The commands that lead out of trouble with a store, where there are any.
pub(super) fn way_out(error: &anyhow::Error) -> Option<String> {
    Some(match error.chain().find_map(as_store_error)? {
        StoreError::Damaged { path, .. } => format!(
            "what it knew (pages seen, links that wait, what was learned) cannot be saved, not by --accept-loss either: \
             `nodust store move-aside {}` renames it, and the next crawl begins anew",
            path.display()
        ),
        StoreError::LostCommits { path, .. } => format!(
            "add --accept-loss to the command that crawls (or replays), with all its other switches, to go on with what is \
             left; `nodust store move-aside {}` makes room for a new store",
            path.display()
        ),
        StoreError::Format { path, .. } => format!(
            "`nodust store move-aside {}` makes room for a new store",
            path.display()
        ),
        // A full disk and a damaged page look alike from here, and the first harms no store.
        StoreError::Io {
            operation: "read", ..
        } => "if this happens again though the disk has room, the store is damaged: `nodust store move-aside DIR` renames \
              it, and the next crawl begins anew"
            .to_owned(),
        _ => return None,
    })
}

/// Errors that wrap one of the store name its causes for their own.
pub(super) fn as_store_error<'e>(
    error: &'e (dyn std::error::Error + 'static),
) -> Option<&'e StoreError> {
    if let Some(error) = error.downcast_ref() {
        return Some(error);
    }
    let inner = match error.downcast_ref() {
        Some(CrawlError::Frontier(inner)) => Some(inner),
        _ => error.downcast_ref(),
    };
    match inner? {
        FrontierError::Store(error) => Some(error),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_out_is_found_however_the_error_of_the_store_is_wrapped() {
        let path = PathBuf::from("crawl");
        let damaged = || StoreError::Damaged {
            path: path.clone(),
            detail: "cut".into(),
        };
        let wrapped: [anyhow::Error; 4] = [
            damaged().into(),
            FrontierError::from(damaged()).into(),
            CrawlError::from(damaged()).into(),
            anyhow::Error::from(damaged()).context("while it was read"),
        ];
        for error in wrapped {
            let told = way_out(&error).unwrap_or_default();
            assert!(told.contains("move-aside crawl"), "{error:?}: {told}");
        }
        let io = |operation| StoreError::Io {
            operation,
            source: "sled panicked".into(),
        };
        assert!(way_out(&io("read").into()).is_some());
        assert_eq!(way_out(&io("write").into()), None);
        assert_eq!(way_out(&usage("no")), None);
    }
}
