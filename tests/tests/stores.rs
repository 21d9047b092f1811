//! Does every store keep the contract?

#![expect(clippy::unwrap_used, reason = "a failed test is a panic")]

use nodust_frontier::{MemoryStore, SledStore, Store, store::sled::SledOptions};
use nodust_tests::store_suite::Material;

struct InMemory(MemoryStore);

impl Material for InMemory {
    fn store(&self) -> &dyn Store {
        &self.0
    }

    fn reopen(&mut self) -> bool {
        false
    }
}

struct OnDisk {
    // `None` only between closing and opening.
    store: Option<SledStore>,
    options: SledOptions,
    folder: tempfile::TempDir,
}

impl OnDisk {
    fn new(seen_memory_bytes: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = SledOptions {
            seen_memory_bytes,
            ..SledOptions::default()
        };
        let store = Some(SledStore::open(folder.path(), &options).unwrap());
        Self {
            store,
            options,
            folder,
        }
    }
}

impl Material for OnDisk {
    fn store(&self) -> &dyn Store {
        self.store.as_ref().unwrap()
    }

    fn reopen(&mut self) -> bool {
        self.store = None;
        self.store = Some(SledStore::open(self.folder.path(), &self.options).unwrap());
        true
    }
}

mod in_memory {
    nodust_tests::store_contracts!(|| super::InMemory(super::MemoryStore::default()));
}

mod on_disk {
    nodust_tests::store_contracts!(|| super::OnDisk::new(1 << 30));
}

/// So little memory that the seen-set has to go to disk every few thousand names.
mod on_disk_with_little_memory {
    nodust_tests::store_contracts!(|| super::OnDisk::new(32 << 10));
}
