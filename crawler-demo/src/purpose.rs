//! Tells whether a store is a crawl's or a replay's.
//!
//! The two look alike inside. A replay on the store of a crawl would take its waiting links from the queue and count them as
//! missing, and a crawl on the store of a replay would take what was never requested for fetched. So each store remembers its
//! purpose, and refuses the other.

use std::{fmt, path::Path};

use nodust_frontier::{Commit, Store, StoreError};

/// State under which the store keeps whose it is.
const PURPOSE: &str = "purpose";
/// What every version of a crawl keeps has a name that begins so.
const OF_CRAWLS: &str = "crawl/";

/// What a store is kept for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A crawl: what was fetched, and what is still to be fetched.
    Crawl,
    /// A replay: what would have been fetched of a recorded crawl.
    Replay,
}

/// The error for a store that is kept for something else.
#[derive(Debug, thiserror::Error)]
#[error(
    "{store} keeps a {kept}, which a {wanted} on it would spoil, and nothing was changed: name another folder (--store)"
)]
pub struct OtherPurpose {
    store: String,
    kept: String,
    wanted: Purpose,
}

impl Purpose {
    /// Refuses a store that is kept for something else.
    ///
    /// # Errors
    /// If the store cannot be read; a refusal is the inner result.
    pub fn check(
        self,
        store: &dyn Store,
        folder: Option<&Path>,
    ) -> Result<Result<(), OtherPurpose>, StoreError> {
        Ok(match Self::of(store)? {
            Some(kept) if kept != self.name().as_bytes() => Err(OtherPurpose {
                store: folder.map_or_else(
                    || "this store".to_owned(),
                    |folder| format!("the store {}", folder.display()),
                ),
                kept: String::from_utf8_lossy(&kept).into_owned(),
                wanted: self,
            }),
            _ => Ok(()),
        })
    }

    /// Notes that the store is kept for this purpose from now on.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub fn note(self, store: &dyn Store) -> Result<(), StoreError> {
        if store.state(PURPOSE)?.is_some() {
            return Ok(());
        }
        store.commit(Commit {
            state: vec![(PURPOSE.to_owned(), Some(self.to_string().into_bytes()))],
            ..Commit::default()
        })
    }

    /// The name of what a store is kept for, if it says so: a later version may know others. One that an earlier version wrote is a
    /// crawl's if there is anything of a crawl's own in it, and either's otherwise.
    fn of(store: &dyn Store) -> Result<Option<Vec<u8>>, StoreError> {
        if let Some(kept) = store.state(PURPOSE)? {
            return Ok(Some(kept));
        }
        let mut is_crawl = false;
        store.state_scan(OF_CRAWLS, &mut |_, _| is_crawl = true)?;
        Ok(is_crawl.then(|| Self::Crawl.name().into()))
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Crawl => "crawl",
            Self::Replay => "replay",
        }
    }
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use nodust_frontier::MemoryStore;

    use super::*;

    fn is_for(store: &MemoryStore, purpose: Purpose) -> bool {
        purpose.check(store, None).unwrap().is_ok()
    }

    #[test]
    fn a_store_is_for_what_it_was_first_used_for() {
        for (first, other) in [
            (Purpose::Crawl, Purpose::Replay),
            (Purpose::Replay, Purpose::Crawl),
        ] {
            let store = MemoryStore::default();
            assert!(is_for(&store, first) && is_for(&store, other));
            first.note(&store).unwrap();
            other.note(&store).unwrap();
            assert!(is_for(&store, first) && !is_for(&store, other));
        }
    }

    #[test]
    fn an_older_store_is_a_crawls_if_it_has_anything_of_one_and_eithers_otherwise() {
        let store = MemoryStore::default();
        let write = |key: &str| {
            let state = vec![(key.to_owned(), Some(b"[]".to_vec()))];
            store.commit(Commit {
                state,
                ..Commit::default()
            })
        };
        write("totals").unwrap();
        assert!(is_for(&store, Purpose::Crawl) && is_for(&store, Purpose::Replay));
        write("crawl/seeds").unwrap();
        assert!(is_for(&store, Purpose::Crawl) && !is_for(&store, Purpose::Replay));
    }

    #[test]
    fn the_refusal_names_both_uses_and_the_folder() {
        let store = MemoryStore::default();
        Purpose::Crawl.note(&store).unwrap();
        let told = Purpose::Replay.check(&store, Some(Path::new("st")));
        let told = told.unwrap().unwrap_err().to_string();
        let begin = "the store st keeps a crawl, which a replay on it would spoil";
        assert!(told.starts_with(begin), "{told}");
    }

    #[test]
    fn a_store_that_is_kept_for_what_nobody_here_knows_is_refused() {
        let store = MemoryStore::default();
        let state = vec![(PURPOSE.to_owned(), Some(b"survey".to_vec()))];
        let commit = Commit {
            state,
            ..Commit::default()
        };
        store.commit(commit).unwrap();
        assert!(!is_for(&store, Purpose::Crawl) && !is_for(&store, Purpose::Replay));
    }
}
