//! `nodust store`, and how the other subcommands open the store of a crawl.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context as _;
use nodust_frontier::{SledStore, Store, StoreError, store::sled::SledOptions};

use super::{print, usage};

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
    /// Nothing is deleted: the new name is printed.
    MoveAside {
        /// Folder given to `nodust crawl --store`; no crawl may be running on it
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let Command::MoveAside { folder } = self.command;
        check_is_store(&folder)?;
        let aside = SledStore::move_aside(&folder)
            .with_context(|| format!("cannot move the store {} aside", folder.display()))?;
        print(&aside.display().to_string())?;
        Ok(())
    }
}

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
    /// The same
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
}

impl Folder {
    /// The store in it, which must be there.
    pub(super) fn open(&self) -> anyhow::Result<Arc<dyn Store>> {
        let folder = (self.folder.as_deref().or(self.store.as_deref()))
            .ok_or_else(|| usage("name the folder given to `nodust crawl --store`"))?;
        open_existing(folder, &SledOptions::default())
    }
}

/// The store in a folder, which is made if it is not there.
pub(super) fn open(folder: &Path, options: &SledOptions) -> anyhow::Result<Arc<dyn Store>> {
    check_is_no_file(folder)?;
    Ok(Arc::new(
        SledStore::open(folder, options).map_err(with_way_out)?,
    ))
}

/// The store in a folder that must be there.
pub(super) fn open_existing(
    folder: &Path,
    options: &SledOptions,
) -> anyhow::Result<Arc<dyn Store>> {
    check_is_store(folder)?;
    open(folder, options)
}

/// A store is a folder, which need not be there yet.
pub(super) fn check_is_no_file(folder: &Path) -> anyhow::Result<()> {
    if folder.exists() && !folder.is_dir() {
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
    Err(usage(format!(
        "there is no store in {}: name the folder given to `nodust crawl --store`",
        folder.display()
    )))
}

/// The same error, with the commands that lead out of it.
pub(super) fn with_way_out(error: StoreError) -> anyhow::Error {
    let way_out = match &error {
        StoreError::Damaged { path, .. } => format!(
            "what it knew (pages seen, links that wait, what was learned) cannot be saved, not by --accept-loss either: \
             `nodust store move-aside {}` renames it, and the next crawl begins anew",
            path.display()
        ),
        StoreError::LostCommits { path, .. } => format!(
            "`nodust crawl --store {0} --accept-loss` goes on with what is left; \
             `nodust store move-aside {0}` makes room for a new store",
            path.display()
        ),
        StoreError::Format { path, .. } => format!(
            "`nodust store move-aside {}` makes room for a new store",
            path.display()
        ),
        _ => return error.into(),
    };
    anyhow::anyhow!("{error}\n{way_out}")
}
