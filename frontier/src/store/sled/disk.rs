//! All access to sled, with its failures turned into errors.
//!
//! Everything that touches sled goes through [`Disk`]: an error or a panic of sled becomes a [`StoreError`]. After a
//! write has failed, nothing is written any more, because sled may then hold in memory what it could not put on disk.
//! Writes gather in [`Pending`] first.

use std::{
    fs::{self, File},
    io,
    ops::Bound,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use sled::IVec;

use super::{
    FlushPolicy, SledOptions,
    blobs::Blobs,
    folder::{self, DATABASE, io_error},
    panics,
    pending::{Batch, Pending},
};
use crate::StoreError;

/// sled lets go of its own lock a little after its last handle is gone.
const PATIENCE: Duration = Duration::from_secs(3);

/// Between two rounds of sled's own thread, which also moves what is left in old segments: the longer its
/// rounds, the more writes it starts at once (see [`Pending`]).
const HOUSEKEEPING_MS: u64 = 20;

/// Entries read in one go by a scan at its beginning, and at most.
const CHUNK: (usize, usize) = (4, 256);

pub(super) struct Disk {
    shared: Arc<Shared>,
    flush_each: bool,
    is_new: bool,
    /// Commits that were noted as durable; held while noting, since many may flush at the same time.
    noted: Mutex<u64>,
    /// The thread that writes what has gathered, and what ends it when it is dropped.
    writer: Option<(Sender<()>, JoinHandle<()>)>,
    _lock: File,
}

/// What the thread that writes works on, too.
struct Shared {
    // `None` only while it is being dropped.
    db: Option<sled::Db>,
    // For a full fsync: sled itself asks for the written ranges alone.
    file: File,
    path: PathBuf,
    pending: Pending,
    blobs: Blobs,
    /// Held by the one who writes what has gathered.
    writing: Mutex<()>,
    /// Whether something was written and not yet asked to be on the disk.
    unsynced: AtomicBool,
    failed: OnceLock<String>,
}

impl Disk {
    pub(super) fn open(path: &Path, options: &SledOptions) -> Result<Self, StoreError> {
        fs::create_dir_all(path).map_err(|source| StoreError::NotMade {
            path: path.to_owned(),
            source,
        })?;
        folder::check_is_ours(path)?;
        let lock = folder::lock(path)?;
        let marked = folder::read_marker(path)?;
        let database = path.join(DATABASE);
        if marked && !database.join("db").is_file() {
            return Err(StoreError::Damaged {
                path: path.to_owned(),
                detail: "its database file is missing".into(),
            });
        }
        remove_unfinished_snapshots(&database)
            .map_err(io_error("remove what an interrupted write left"))?;
        let config = sled::Config::new()
            .path(&database)
            .cache_capacity(options.cache_bytes.max(1 << 20))
            .mode(sled::Mode::LowSpace)
            .flush_every_ms(Some(HOUSEKEEPING_MS));
        let shared = Arc::new(Shared {
            db: Some(open_database(&config, path)?),
            file: File::open(database.join("db")).map_err(io_error("open the database file"))?,
            path: path.to_owned(),
            pending: Pending::default(),
            blobs: Blobs::of(&database),
            writing: Mutex::default(),
            unsynced: AtomicBool::new(false),
            failed: OnceLock::new(),
        });
        let writer = match options.flush {
            FlushPolicy::EachCommit => None,
            FlushPolicy::EveryMs(ms) => Some(
                write_every(Duration::from_millis(ms.max(1)), Arc::clone(&shared))
                    .map_err(io_error("start the thread that writes"))?,
            ),
        };
        Ok(Self {
            shared,
            flush_each: matches!(options.flush, FlushPolicy::EachCommit),
            is_new: !marked,
            noted: Mutex::default(),
            writer,
            _lock: lock,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.shared.path
    }

    /// Whether the store was not completely set up before.
    pub(super) const fn is_new(&self) -> bool {
        self.is_new
    }

    pub(super) fn damaged(&self, key: &[u8], what: &str) -> StoreError {
        StoreError::Damaged {
            path: self.path().to_owned(),
            detail: format!("{what} under key {}", key.escape_ascii()),
        }
    }

    pub(super) fn get(&self, key: &[u8]) -> Result<Option<IVec>, StoreError> {
        let (db, pending) = (self.shared.db(), &self.shared.pending);
        self.shared.run_read(|| pending.get(db, key))
    }

    pub(super) fn contains(&self, key: &[u8]) -> Result<bool, StoreError> {
        Ok(self.get(key)?.is_some())
    }

    /// The first entry from `key` on.
    pub(super) fn first_from(&self, key: &[u8]) -> Result<Option<(IVec, IVec)>, StoreError> {
        let (db, pending) = (self.shared.db(), &self.shared.pending);
        self.shared.run_read(|| pending.first_from(db, key))
    }

    /// The last entry before `key`.
    pub(super) fn last_before(&self, key: &[u8]) -> Result<Option<(IVec, IVec)>, StoreError> {
        let (db, pending) = (self.shared.db(), &self.shared.pending);
        self.shared.run_read(|| pending.last_before(db, key))
    }

    /// Calls `each` for the entries whose keys begin with `prefix`, from `start` on, until it answers
    /// `false`. What is written meanwhile may be seen or not; `each` may itself read.
    pub(super) fn scan(
        &self,
        prefix: &[u8],
        start: &[u8],
        mut each: impl FnMut(&IVec, &IVec) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        let (db, pending) = (self.shared.db(), &self.shared.pending);
        let (mut count, most) = CHUNK;
        let mut after: Option<IVec> = None;
        loop {
            let from = match &after {
                Some(key) => Bound::Excluded(&**key),
                None => Bound::Included(start),
            };
            let chunk = self.shared.run_read(|| pending.some(db, from, count))?;
            let is_last = chunk.len() < count;
            for (key, value) in &chunk {
                if !key.starts_with(prefix) || !each(key, value)? {
                    return Ok(());
                }
            }
            let Some((last, _)) = chunk.into_iter().next_back().filter(|_| !is_last) else {
                return Ok(());
            };
            after = Some(last);
            count = (2 * count).min(most);
        }
    }

    /// Writes a batch: every later read sees it, and after a crash all of it is there, or nothing.
    pub(super) fn write(&self, batch: Batch) -> Result<(), StoreError> {
        self.check()?;
        if !self.shared.pending.has_room(&batch) {
            self.shared.write_pending()?;
        }
        let must_write = self.shared.pending.add(batch);
        if self.flush_each {
            self.shared.sync()
        } else if must_write {
            self.shared.write_pending()
        } else {
            Ok(())
        }
    }

    /// Makes all batches durable.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        self.shared.sync()
    }

    /// Writes down that the store holds at least this many durable commits. Called after
    /// [`sync`](Self::sync): a database that later has fewer has lost some, and says so.
    pub(super) fn note_durable(&self, commits: u64) -> Result<(), StoreError> {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever flushed later may have come first.
        if commits > *noted {
            let written = folder::note_durable(self.path(), commits);
            if let Err(error) = &written {
                // A full disk, most likely: nothing more is written, as after any failed write.
                let _ = self.shared.failed.set(error.to_string());
            }
            written?;
            *noted = commits;
        }
        Ok(())
    }

    pub(super) fn noted_durable(&self) -> u64 {
        folder::noted_durable(self.path())
    }

    /// Declares the store complete: from now on a missing database is damage, not a new store.
    pub(super) fn mark(&self) -> Result<(), StoreError> {
        folder::mark(self.path())
    }

    pub(super) fn size_on_disk(&self) -> Result<u64, StoreError> {
        self.shared
            .run("measure", || self.shared.db().size_on_disk())
    }

    /// An error if a write has failed.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.shared.run("go on", || Ok(()))
    }

    /// Whether a write has failed.
    pub(super) fn has_failed(&self) -> bool {
        self.shared.failed.get().is_some()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.writer.take() {
            drop(stop);
            // It catches what sled panics with.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn db(&self) -> &sled::Db {
        self.db
            .as_ref()
            .expect("it is taken out in `drop`, after which nobody can ask")
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.write_pending()?;
        // What is written from now on marks it again: it may be in this sync, or has to wait for the next.
        self.unsynced.store(false, Ordering::SeqCst);
        self.run_write("flush", || self.file.sync_all().map_err(sled::Error::from))
    }

    /// Hands what has gathered to sled, and waits until sled has handed it to the operating system.
    fn write_pending(&self) -> Result<(), StoreError> {
        let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.run_write("write", || {
            if let Some(batch) = self.pending.begin() {
                self.db().apply_batch(batch)?;
                self.pending.written();
                self.blobs.sync()?;
                self.db().flush()?;
                // Not before: a sync under way could take the mark and miss the batch.
                self.unsynced.store(true, Ordering::SeqCst);
            } else {
                self.blobs.sync()?;
                self.db().flush()?;
            }
            Ok(())
        })
    }

    fn run<T>(
        &self,
        operation: &'static str,
        work: impl FnOnce() -> sled::Result<T>,
    ) -> Result<T, StoreError> {
        if let Some(cause) = self.failed.get() {
            return Err(StoreError::Io {
                operation,
                source: format!("an earlier call failed: {cause}").into(),
            });
        }
        match panics::catch(work) {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => Err(from_sled(&self.path, operation, error)),
            Err(panic) => Err(StoreError::Io {
                operation,
                source: format!("sled panicked: {panic}").into(),
            }),
        }
    }

    /// Where a file cannot be read, sled has mostly failed to write before, on a thread of its own.
    fn run_read<T>(&self, work: impl FnOnce() -> sled::Result<T>) -> Result<T, StoreError> {
        self.run("read", work).inspect_err(|error| {
            if matches!(error, StoreError::Io { .. }) {
                let _ = self.failed.set(error.to_string());
            }
        })
    }

    fn run_write<T>(
        &self,
        operation: &'static str,
        work: impl FnOnce() -> sled::Result<T>,
    ) -> Result<T, StoreError> {
        self.run(operation, work).inspect_err(|error| {
            // The first cause stays.
            let _ = self.failed.set(error.to_string());
        })
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let db = self.db.take();
        // sled flushes in `drop`, and panics where it cannot.
        if let Err(panic) = panics::catch(|| drop(db)) {
            tracing::error!(path = %self.path.display(), "closing the store failed: {panic}");
        }
    }
}

/// Starts the thread that writes what has gathered every so often, and makes it durable.
fn write_every(time: Duration, shared: Arc<Shared>) -> io::Result<(Sender<()>, JoinHandle<()>)> {
    let (stop, stopped) = channel();
    let thread = thread::Builder::new()
        .name("nodust-store".into())
        .spawn(move || {
            while stopped.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                if shared.pending.is_empty() && !shared.unsynced.load(Ordering::SeqCst) {
                    continue;
                }
                if let Err(error) = shared.sync() {
                    // Every further call of the store answers with this error.
                    tracing::error!(path = %shared.path.display(), %error, "writing the store");
                    return;
                }
            }
        })?;
    Ok((stop, thread))
}

/// sled writes a snapshot beside the last one and then renames it, but takes what a kill left of it for the
/// latest snapshot when it opens the database, and refuses it. The last whole one is still there.
fn remove_unfinished_snapshots(database: &Path) -> io::Result<()> {
    if !database.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(database)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("snap.") && name.ends_with(".generating") {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// Opens the database. Where its file ends too early sled may panic once: it has made good the end of the file by then, and opens it the second
/// time. Whether anything is lacking is told by [what was durable](Disk::noted_durable).
fn open_database(config: &sled::Config, path: &Path) -> Result<sled::Db, StoreError> {
    let began = Instant::now();
    let mut has_panicked = false;
    loop {
        match panics::catch(|| config.open()) {
            Ok(Ok(db)) => return Ok(db),
            Ok(Err(sled::Error::Io(cause))) if cause.to_string().contains("acquire lock") => {
                if began.elapsed() > PATIENCE {
                    return Err(StoreError::InUse {
                        path: path.to_owned(),
                    });
                }
                thread::sleep(Duration::from_millis(10));
            }
            Ok(Err(error)) => return Err(from_sled(path, "open the database", error)),
            Err(panic) if !has_panicked => {
                tracing::warn!(path = %path.display(), "the database is opened once more: {panic}");
                has_panicked = true;
            }
            Err(panic) => {
                return Err(StoreError::Damaged {
                    path: path.to_owned(),
                    detail: format!("sled cannot make sense of its database: {panic}"),
                });
            }
        }
    }
}

fn from_sled(path: &Path, operation: &'static str, error: sled::Error) -> StoreError {
    let path = path.to_owned();
    match error {
        sled::Error::Io(cause) if cause.kind() == io::ErrorKind::UnexpectedEof => {
            StoreError::Damaged {
                path,
                detail: format!("a file ends too early: {cause}"),
            }
        }
        sled::Error::Io(cause) => StoreError::Io {
            operation,
            source: Box::new(cause),
        },
        sled::Error::Corruption { .. } => StoreError::Damaged {
            path,
            detail: "sled reads what it did not write".into(),
        },
        other => StoreError::Damaged {
            path,
            detail: other.to_string(),
        },
    }
}
