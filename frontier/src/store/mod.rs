//! What must outlive the process: seen-set, queue, ledger and learned state.
//!
//! Each of these is a trait of its own, called in batches. What one page causes is written as one [`Commit`], durable
//! together or not at all. An implementation that keeps its parts in different places should document the order it
//! writes them in. The safe order is ledger, queue, seen-set, settle: a crash in between fetches twice, where the
//! opposite order loses a page for good.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Serialize};

use crate::{Admitted, BeliefId, Fingerprint, HostKey, StoreError};

mod memory;
#[cfg(feature = "sled")]
pub mod sled;

pub use memory::MemoryStore;

/// Why a fingerprint is in the seen-set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeenAs {
    /// A spelling or class that was admitted.
    Admitted,
    /// A class that was admitted on the word of a belief.
    ClassOf(BeliefId),
    /// A spelling that was dropped. It counts as known, so that it is not decided, written and counted again.
    Dropped,
}

/// The seen-set: which fingerprints were met before.
pub trait SeenStore: fmt::Debug + Send + Sync {
    /// Answers for each key, in order, appending to `found`. Writes nothing.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn lookup(
        &self,
        keys: &[Fingerprint],
        found: &mut Vec<Option<SeenAs>>,
    ) -> Result<(), StoreError>;

    /// Number of fingerprints known.
    fn seen_len(&self) -> u64;
}

/// A link that waits, with what the queue needs to order it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Queued {
    /// The link.
    pub admitted: Admitted,
    /// Number of fetches of it that failed before.
    pub attempt: u16,
}

/// Names one entry of the queue until it is settled.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Ticket {
    /// The host whose queue it is in.
    pub host: HostKey,
    /// Its position within the host, never used twice.
    pub position: u64,
    /// The priority it was queued with.
    pub priority: u8,
}

/// The queue: what comes next.
pub trait Queue: fmt::Debug + Send + Sync {
    /// Hands out the next entry of the host: highest priority, then oldest. It stays in the store until a commit
    /// settles it, and is offered again after a restart.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn take(&self, host: &HostKey) -> Result<Option<(Ticket, Queued)>, StoreError>;

    /// Puts an entry that was handed out back in its place.
    fn put_back(&self, ticket: &Ticket);

    /// Hosts with entries that are not handed out, in no particular order. Used at start-up.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn hosts(&self) -> Result<Vec<HostKey>, StoreError>;

    /// Number of entries waiting or handed out.
    fn queue_len(&self) -> u64;
}

/// A link dropped by belief, waiting in case the belief falls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// The belief that decided; [`BeliefId::STATIC`] for static normalization.
    pub belief: BeliefId,
    /// The stage that was credited with the saving, which it loses if the link comes back. `None` in entries written by
    /// a version without this field.
    pub stage: Option<Cow<'static, str>>,
    /// The link, ready to be queued.
    pub admitted: Admitted,
}

/// The ledger: what was dropped on the word of a belief, and may come back.
pub trait Ledger: fmt::Debug + Send + Sync {
    /// Returns at most `limit` entries of a host that `belief` dropped.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn dropped_by(
        &self,
        host: &HostKey,
        belief: BeliefId,
        limit: usize,
    ) -> Result<Vec<LedgerEntry>, StoreError> {
        let mut found = Vec::new();
        if limit > 0 {
            self.ledger_scan_of(host, belief, &mut |entry| {
                found.push(entry);
                found.len() < limit
            })?;
        }
        Ok(found)
    }

    /// Returns at most `limit` entries of one class.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn dropped_in_class(
        &self,
        host: &HostKey,
        class: Fingerprint,
        limit: usize,
    ) -> Result<Vec<LedgerEntry>, StoreError>;

    /// Calls `each` for every entry (all hosts) until it returns `false`.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn ledger_scan(
        &self,
        each: &mut dyn FnMut(&HostKey, LedgerEntry) -> bool,
    ) -> Result<(), StoreError>;

    /// Calls `each` for every entry of a host that `belief` dropped, until it returns `false`. The default reads the whole
    /// ledger; a store that can find the entries of a host should override it.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn ledger_scan_of(
        &self,
        host: &HostKey,
        belief: BeliefId,
        each: &mut dyn FnMut(LedgerEntry) -> bool,
    ) -> Result<(), StoreError> {
        self.ledger_scan(&mut |of, entry| {
            let is_meant = of == host && entry.belief == belief;
            !is_meant || each(entry)
        })
    }

    /// Number of entries kept.
    fn ledger_len(&self) -> u64;

    /// Number of entries not kept because the ledger was full.
    fn ledger_overflow(&self) -> u64;
}

/// Small named values: counters and what the stages learned.
pub trait StateStore: fmt::Debug + Send + Sync {
    /// The value of a key.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn state(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Calls `each` for every key that starts with `prefix`, in order.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn state_scan(&self, prefix: &str, each: &mut dyn FnMut(&str, &[u8]))
    -> Result<(), StoreError>;
}

/// Everything that one page causes.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Commit {
    /// Fingerprints that are known from now on. One that is known already keeps its first reason, except that
    /// `Admitted` replaces `Dropped`.
    pub seen: Vec<(Fingerprint, SeenAs)>,
    /// Links to queue.
    pub queued: Vec<Queued>,
    /// Entries that are done and leave the queue. (A retry is a new entry in `queued`.)
    pub settled: Vec<Ticket>,
    /// Links dropped by belief. An entry with the key of one already kept replaces it.
    pub ledger: Vec<LedgerEntry>,
    /// Ledger entries taken back: host, class and key of each.
    pub recalled: Vec<(HostKey, Fingerprint, Fingerprint)>,
    /// Classes known as [`SeenAs::ClassOf`] one of these are forgotten.
    pub withdrawn: Vec<(HostKey, BeliefId)>,
    /// State to write; `None` removes the key.
    pub state: Vec<(String, Option<Vec<u8>>)>,
}

impl Commit {
    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
            && self.queued.is_empty()
            && self.settled.is_empty()
            && self.ledger.is_empty()
            && self.recalled.is_empty()
            && self.withdrawn.is_empty()
            && self.state.is_empty()
    }
}

/// A store: all four traits together, written in one commit.
///
/// # A store of one's own
///
/// A [`Commit`] and everything in it can be written and read with serde, in any format that keeps 64-bit numbers exact. What
/// a store must do is defined by a test suite in the repository's crate `nodust-tests` (a development dependency, together
/// with `proptest`). Run it like this, for a store that stays in memory or one that is closed and opened again:
///
/// ```ignore
/// use nodust_frontier::{MemoryStore, Store};
/// use nodust_tests::store_suite::Material;
///
/// struct InMemory(MemoryStore); // yours
///
/// impl Material for InMemory {
///     fn store(&self) -> &dyn Store {
///         &self.0
///     }
///     fn reopen(&mut self) -> bool {
///         false // `true` once it has closed the store and opened it again
///     }
/// }
///
/// nodust_tests::store_contracts!(|| InMemory(MemoryStore::default()));
/// ```
///
/// `tests/tests/own_store.rs` in the repository is a complete example, a file with one line per commit, run under that
/// suite.
pub trait Store: SeenStore + Queue + Ledger + StateStore {
    /// Writes a commit: all of it or nothing. After it returns, lookups and takes see it; after [`flush`](Self::flush)
    /// returns, a crash cannot undo it. After a crash without flush, a suffix of commits may be missing, never one in
    /// the middle.
    ///
    /// # Errors
    /// If the store cannot be written; nothing of the commit is visible then.
    fn commit(&self, commit: Commit) -> Result<(), StoreError>;

    /// Makes all commits durable.
    ///
    /// # Errors
    /// If the store cannot be written.
    fn flush(&self) -> Result<(), StoreError>;
}

const _: Option<&dyn Store> = None;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Candidate, Prediction, Probability, RawUrl, Via};

    #[test]
    fn a_commit_is_read_back_as_it_was_written() {
        let link = |text| {
            let link = Candidate::resolve(RawUrl::new(text), &Via::seed()).unwrap();
            link.seal(&Via::seed(), u64::MAX)
        };
        let belief = BeliefId::from_bits(u64::MAX - 1);
        let mut full = link("http://h.example:81/a%20b?q=%C3%A9");
        full.merged_by = Some(belief);
        full.probe = Some(Prediction {
            belief,
            probability: Probability::new(0.95).unwrap(),
        });
        full.recalled_from = Some(belief);
        full.led_from = Some(Fingerprint::from_parts(u64::MAX, 1));
        full.found_on = Some(7);
        full.waits_again = true;
        let host = full.url.host().clone();
        let commit = Commit {
            seen: vec![
                (full.key, SeenAs::Admitted),
                (full.class, SeenAs::ClassOf(belief)),
                (full.key, SeenAs::Dropped),
            ],
            queued: vec![Queued {
                admitted: full.clone(),
                attempt: 3,
            }],
            settled: vec![Ticket {
                host: host.clone(),
                position: u64::MAX,
                priority: 200,
            }],
            ledger: [Some("predict".into()), None]
                .map(|stage| LedgerEntry {
                    belief,
                    stage,
                    admitted: link("https://h.example/"),
                })
                .into(),
            recalled: vec![(host.clone(), full.class, full.key)],
            withdrawn: vec![(host, belief)],
            state: vec![("a".into(), Some(vec![0, 255])), ("b".into(), None)],
        };
        let text = serde_json::to_string(&commit).unwrap();
        let read: Commit = serde_json::from_str(&text).unwrap();
        assert_eq!(format!("{read:?}"), format!("{commit:?}"));
        assert_eq!(read.queued, commit.queued);
        assert_eq!(read.ledger, commit.ledger);
    }

    #[test]
    fn what_is_no_canonical_url_is_not_read_back_as_one() {
        let read = |url: &str| serde_json::from_value::<crate::CanonicalUrl>(url.into());
        assert!(read("http://h.example/~u").is_ok());
        for url in [
            "http://h.example/%7eu",
            "http://h.example/#top",
            "HTTP://h.example/",
            "http://h.example",
            "ftp://h.example/",
            "/a",
        ] {
            let told = read(url).unwrap_err().to_string();
            assert!(told.contains("no canonical URL"), "{url}: {told}");
        }
    }
}
