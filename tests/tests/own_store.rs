//! Can a store be written by somebody else? The smallest one that outlives its process, under the suite of all stores.
//!
//! It answers from memory, writes each commit as a line of JSON, and plays the lines again when it is opened. A line that
//! was cut short is the last commit, which nobody was told is durable: it is cut off.

#![expect(clippy::unwrap_used, reason = "a failed test is a panic")]

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use nodust_frontier::{
    BeliefId, Commit, Fingerprint, HostKey, Ledger, LedgerEntry, MemoryStore, Queue, Queued,
    SeenAs, SeenStore, StateStore, Store, StoreError, Ticket,
};
use nodust_tests::store_suite::Material;

#[derive(Debug)]
struct Journal {
    memory: MemoryStore,
    // Held from writing a commit to showing it, so that both have one order.
    file: Mutex<File>,
}

fn failed(operation: &'static str) -> impl FnOnce(io::Error) -> StoreError {
    move |source| StoreError::Io {
        operation,
        source: source.into(),
    }
}

impl Journal {
    fn open(path: &Path) -> Result<Self, StoreError> {
        let memory = MemoryStore::default();
        let text = match fs::read_to_string(path) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => String::new(),
            text => text.map_err(failed("read the journal"))?,
        };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        for line in text[..whole].lines() {
            let commit = serde_json::from_str(line).map_err(|why| StoreError::Damaged {
                path: path.to_owned(),
                detail: why.to_string(),
            })?;
            memory.commit(commit)?;
        }
        let file = (OpenOptions::new().create(true).append(true).open(path))
            .and_then(|file| file.set_len(whole as u64).map(|()| file))
            .map_err(failed("open the journal"))?;
        Ok(Self {
            memory,
            file: Mutex::new(file),
        })
    }
}

impl Store for Journal {
    fn commit(&self, commit: Commit) -> Result<(), StoreError> {
        let mut line = serde_json::to_vec(&commit).expect("a commit is plain data");
        line.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&line).map_err(failed("write a commit"))?;
        self.memory.commit(commit)
    }

    fn flush(&self) -> Result<(), StoreError> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.sync_data().map_err(failed("flush the journal"))
    }
}

impl SeenStore for Journal {
    fn lookup(
        &self,
        keys: &[Fingerprint],
        found: &mut Vec<Option<SeenAs>>,
    ) -> Result<(), StoreError> {
        self.memory.lookup(keys, found)
    }

    fn seen_len(&self) -> u64 {
        self.memory.seen_len()
    }
}

impl Queue for Journal {
    fn take(&self, host: &HostKey) -> Result<Option<(Ticket, Queued)>, StoreError> {
        self.memory.take(host)
    }

    fn put_back(&self, ticket: &Ticket) {
        self.memory.put_back(ticket);
    }

    fn hosts(&self) -> Result<Vec<HostKey>, StoreError> {
        self.memory.hosts()
    }

    fn queue_len(&self) -> u64 {
        self.memory.queue_len()
    }
}

impl Ledger for Journal {
    fn dropped_by(
        &self,
        host: &HostKey,
        belief: BeliefId,
        limit: usize,
    ) -> Result<Vec<LedgerEntry>, StoreError> {
        self.memory.dropped_by(host, belief, limit)
    }

    fn dropped_in_class(
        &self,
        host: &HostKey,
        class: Fingerprint,
        limit: usize,
    ) -> Result<Vec<LedgerEntry>, StoreError> {
        self.memory.dropped_in_class(host, class, limit)
    }

    fn ledger_scan(
        &self,
        each: &mut dyn FnMut(&HostKey, LedgerEntry) -> bool,
    ) -> Result<(), StoreError> {
        self.memory.ledger_scan(each)
    }

    fn ledger_len(&self) -> u64 {
        self.memory.ledger_len()
    }

    fn ledger_overflow(&self) -> u64 {
        self.memory.ledger_overflow()
    }
}

impl StateStore for Journal {
    fn state(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.memory.state(key)
    }

    fn state_scan(
        &self,
        prefix: &str,
        each: &mut dyn FnMut(&str, &[u8]),
    ) -> Result<(), StoreError> {
        self.memory.state_scan(prefix, each)
    }
}

struct InAFile {
    store: Journal,
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl InAFile {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        Self {
            store: Journal::open(&path).unwrap(),
            path,
            _folder: folder,
        }
    }
}

impl Material for InAFile {
    fn store(&self) -> &dyn Store {
        &self.store
    }

    fn reopen(&mut self) -> bool {
        self.store = Journal::open(&self.path).unwrap();
        true
    }
}

nodust_tests::store_contracts!(InAFile::new);

#[test]
fn a_line_that_was_cut_short_is_cut_off() {
    let mut store = InAFile::new();
    let state = |key: &str| Commit {
        state: vec![(key.to_owned(), Some(vec![1]))],
        ..Commit::default()
    };
    store.store.commit(state("a")).unwrap();
    store.store.commit(state("b")).unwrap();
    let length = fs::metadata(&store.path).unwrap().len();
    let file = OpenOptions::new().write(true).open(&store.path).unwrap();
    file.set_len(length - 2).unwrap();
    store.reopen();
    store.store.commit(state("c")).unwrap();
    store.reopen();
    let known = |key| store.store.state(key).unwrap().is_some();
    assert_eq!(["a", "b", "c"].map(known), [true, false, true]);
}
