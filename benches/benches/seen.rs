//! What does it cost to remember a URL?
//!
//! The seen-set of the store on disk beside plain sled with one key per URL: inserts and checks a
//! second, bytes of memory and disk per URL, time to reopen. Not a criterion benchmark, because it
//! measures one growing store and not one call. Sizes in millions come from `NODUST_BENCH_SEEN`
//! (default `1,10`; `1,10,50` for the whole table); plain sled is left out above 10 million, where it
//! takes minutes and gigabytes. Each size runs in a process of its own, so that memory is its own.

use std::{
    env, fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use nodust_frontier::{
    Commit, Fingerprint, SeenAs, SeenStore, Store, StoreError,
    store::sled::{FlushPolicy, SledOptions, SledStore},
};

/// Fingerprints written together, as by a page with about 60 new links.
const PAGE: u64 = 64;
const PLAIN_LIMIT: u64 = 10;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

#[expect(clippy::print_stdout, reason = "its output is the result")]
fn main() -> Outcome<()> {
    let arguments: Vec<String> = env::args().collect();
    if let Some(at) = arguments.iter().position(|a| a == "measure") {
        let millions: u64 = arguments[at + 2].parse()?;
        return measure(&arguments[at + 1], millions);
    }
    let sizes = env::var("NODUST_BENCH_SEEN").unwrap_or_else(|_| "1,10".into());
    println!(
        "{:<7} {:>5}  {:>10} {:>10} {:>10} {:>8} {:>8} {:>9}",
        "store", "keys", "inserts/s", "old/s", "new/s", "RAM B", "disk B", "reopen s"
    );
    for size in sizes.split(',') {
        let millions: u64 = size.trim().parse()?;
        for store in ["nodust", "sled"] {
            if store == "sled" && millions > PLAIN_LIMIT {
                continue;
            }
            let status = Command::new(env::current_exe()?)
                .args(["measure", store, &millions.to_string()])
                .status()?;
            if !status.success() {
                return Err(format!("{store} at {millions} M ended with {status}").into());
            }
        }
    }
    Ok(())
}

/// The fingerprint with this number: spread over all 64 bits, each number another.
fn name(number: u64) -> Fingerprint {
    let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    Fingerprint::from_parts(number % 1000, bits ^ (bits >> 31))
}

trait Remembers {
    fn insert(&self, names: &[Fingerprint]) -> Outcome<()>;
    fn count_known(&self, names: &[Fingerprint]) -> Outcome<usize>;
    fn flush(&self) -> Outcome<()>;
}

impl Remembers for SledStore {
    fn insert(&self, names: &[Fingerprint]) -> Outcome<()> {
        let seen = names.iter().map(|name| (*name, SeenAs::Admitted)).collect();
        Ok(self.commit(Commit {
            seen,
            ..Commit::default()
        })?)
    }

    fn count_known(&self, names: &[Fingerprint]) -> Outcome<usize> {
        let mut found = Vec::with_capacity(names.len());
        self.lookup(names, &mut found)?;
        Ok(found.iter().flatten().count())
    }

    fn flush(&self) -> Outcome<()> {
        Ok(Store::flush(self)?)
    }
}

struct Plain(sled::Db);

impl Remembers for Plain {
    fn insert(&self, names: &[Fingerprint]) -> Outcome<()> {
        let mut batch = sled::Batch::default();
        for name in names {
            batch.insert(&name.url().to_be_bytes(), &[0u8]);
        }
        Ok(self.0.apply_batch(batch)?)
    }

    fn count_known(&self, names: &[Fingerprint]) -> Outcome<usize> {
        let mut known = 0;
        for name in names {
            known += usize::from(self.0.contains_key(name.url().to_be_bytes())?);
        }
        Ok(known)
    }

    fn flush(&self) -> Outcome<()> {
        self.0.flush()?;
        Ok(())
    }
}

fn open_ours(path: &Path) -> Result<SledStore, StoreError> {
    let mut options = SledOptions {
        flush: FlushPolicy::EveryMs(500),
        ..SledOptions::default()
    };
    if let Some(bytes) = env::var("NODUST_BENCH_SEEN_MEMORY")
        .ok()
        .and_then(|b| b.parse().ok())
    {
        options.seen_memory_bytes = bytes;
    }
    SledStore::open(path, &options)
}

fn open_plain(path: &Path) -> sled::Result<Plain> {
    let config = sled::Config::new().path(path).cache_capacity(64 << 20);
    Ok(Plain(config.flush_every_ms(Some(500)).open()?))
}

#[expect(clippy::print_stdout, reason = "its output is the result")]
fn measure(store: &str, millions: u64) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let total = millions * 1_000_000;
    let before = resident_bytes();
    let (writing, old, new, ram, reopened) = if store == "sled" {
        let (writing, old, new, ram) = fill(&open_plain(folder.path())?, total, before)?;
        let began = Instant::now();
        let plain = open_plain(folder.path())?;
        (
            writing,
            old,
            new,
            ram,
            (
                began.elapsed(),
                plain.0.contains_key(name(0).url().to_be_bytes())?,
            ),
        )
    } else {
        let (writing, old, new, ram) = fill(&open_ours(folder.path())?, total, before)?;
        let began = Instant::now();
        let ours = open_ours(folder.path())?;
        (
            writing,
            old,
            new,
            ram,
            (began.elapsed(), ours.seen_len() == total),
        )
    };
    assert!(reopened.1, "what was written is there after reopening");
    println!(
        "{store:<7} {millions:>3} M  {:>10.0} {:>10.0} {:>10.0} {:>8.1} {:>8.1} {:>9.2}",
        rate(total, writing),
        rate(1_000_000, old),
        rate(1_000_000, new),
        ram as f64 / total as f64,
        bytes_of(folder.path())? as f64 / total as f64,
        reopened.0.as_secs_f64(),
    );
    Ok(())
}

fn fill(
    store: &impl Remembers,
    total: u64,
    before: u64,
) -> Outcome<(Duration, Duration, Duration, u64)> {
    let began = Instant::now();
    for first in (0..total).step_by(PAGE as usize) {
        let page: Vec<_> = (first..total.min(first + PAGE)).map(name).collect();
        store.insert(&page)?;
    }
    store.flush()?;
    let writing = began.elapsed();
    let ram = resident_bytes().saturating_sub(before);
    let old = check(store, total, |n| n.wrapping_mul(7919) % total, 1_000_000)?;
    let new = check(store, total, |n| total + n, 0)?;
    Ok((writing, old, new, ram))
}

fn check(
    store: &impl Remembers,
    _total: u64,
    number: impl Fn(u64) -> u64,
    expected: usize,
) -> Outcome<Duration> {
    let began = Instant::now();
    let mut known = 0;
    for first in (0..1_000_000).step_by(PAGE as usize) {
        let page: Vec<_> = (first..first + PAGE).map(|n| name(number(n))).collect();
        known += store.count_known(&page)?;
    }
    assert_eq!(known, expected, "the store answers exactly");
    Ok(began.elapsed())
}

fn rate(count: u64, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64()
}

/// Resident memory of this process; 0 where the system does not tell.
fn resident_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok())
        .unwrap_or(0)
        * 1024
}

fn bytes_of(folder: &Path) -> Outcome<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        bytes += if entry.file_type()?.is_dir() {
            bytes_of(&entry.path())?
        } else {
            entry.metadata()?.len()
        };
    }
    Ok(bytes)
}
