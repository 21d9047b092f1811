//! Where does a crawl keep what must outlive it?

use std::{path::Path, sync::Arc};

use nodust_frontier::{MemoryStore, SledStore, Store, store::sled::SledOptions};

use super::usage;

/// The store in a folder, which is made if it is not there; in memory without a folder.
pub(super) fn open(folder: Option<&Path>) -> anyhow::Result<Arc<dyn Store>> {
    Ok(match folder {
        None => Arc::new(MemoryStore::default()),
        Some(folder) => Arc::new(SledStore::open(folder, &SledOptions::default())?),
    })
}

/// The store in a folder that must be there.
pub(super) fn open_existing(folder: &Path) -> anyhow::Result<Arc<dyn Store>> {
    if !folder.is_dir() {
        return Err(usage(format!(
            "there is no store in {}: name the folder given to `nodust crawl --store`",
            folder.display()
        )));
    }
    open(Some(folder))
}
