//! Sorted runs of the seen-set on disk.
//!
//! When the tables in memory have used up their share, their names are written to the store as sorted runs, and the
//! tables begin anew. Of a run, memory keeps a Bloom filter and the first name of each block. If the filter says
//! "surely new", nothing is read; otherwise one block is read, and the answer is exact.

use rustc_hash::FxHashMap;

use super::{
    super::SeenAs,
    bloom::Bloom,
    codec::{Reader, put_number},
    disk::Disk,
    keys,
    pending::Batch,
};
use crate::{BeliefId, StoreError};

/// Names of a block. sled reads up to 16 neighbouring values at once, so blocks are kept small.
const BLOCK_NAMES: usize = 512;
/// Blocks written as one batch.
const BATCH_BLOCKS: usize = 128;

/// What all names of a run are known as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Admitted = 0,
    Dropped = 1,
    ClassOf = 2,
}

impl Kind {
    const fn read(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Admitted),
            1 => Some(Self::Dropped),
            2 => Some(Self::ClassOf),
            _ => None,
        }
    }

    /// Bytes of an entry: a name, and in classes the belief.
    const fn width(self) -> usize {
        match self {
            Self::Admitted | Self::Dropped => 8,
            Self::ClassOf => 16,
        }
    }
}

/// A sorted run in the store.
#[derive(Debug)]
struct Run {
    number: u32,
    kind: Kind,
    count: u64,
    firsts: Vec<u64>,
    bloom: Option<Bloom>,
}

/// All runs, oldest first.
#[derive(Debug, Default)]
pub(super) struct Runs {
    list: Vec<Run>,
    /// Number of the next run; whatever stands in the store from here on was never finished.
    next: u32,
    /// Blocks of the log before this one are in runs.
    pub(super) first_block: u64,
    /// Names known when the log began.
    pub(super) base_len: u64,
    /// A belief that was withdrawn, and the first run in which it counts again.
    counts_from: FxHashMap<u64, u32>,
}

impl Runs {
    pub(super) fn open(disk: &Disk, max_bytes: usize) -> Result<Self, StoreError> {
        let mut runs = match disk.get(keys::MANIFEST)? {
            None => Self::default(),
            Some(bytes) => Self::read(&bytes)
                .ok_or_else(|| disk.damaged(keys::MANIFEST, "unreadable list of runs"))?,
        };
        remove_all(
            disk,
            &keys::of_number(keys::RUN, u64::from(runs.next) << 32),
            &[keys::RUN],
        )?;
        let mut bytes = 0;
        for run in &mut runs.list {
            run.load(disk, max_bytes.saturating_sub(bytes))?;
            bytes += run.bytes();
        }
        Ok(runs)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn bytes(&self) -> usize {
        self.list.iter().map(Run::bytes).sum()
    }

    pub(super) fn get(&self, disk: &Disk, name: u64) -> Result<Option<SeenAs>, StoreError> {
        for run in self.list.iter().rev() {
            let Some(found) = run.get(disk, name)? else {
                continue;
            };
            match found {
                SeenAs::ClassOf(belief) if !self.counts(run, belief.to_bits()) => {}
                other => return Ok(Some(other)),
            }
        }
        Ok(None)
    }

    fn counts(&self, run: &Run, belief: u64) -> bool {
        self.counts_from
            .get(&belief)
            .is_none_or(|&from| run.number >= from)
    }

    /// Forgets the classes of a belief in all runs there are; answers how many.
    pub(super) fn withdraw(&mut self, disk: &Disk, belief: u64) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        for run in &self.list {
            if run.kind == Kind::ClassOf && self.counts(run, belief) {
                run.each(disk, |_, by| forgotten += u64::from(by == belief))?;
            }
        }
        if self.list.iter().any(|run| run.kind == Kind::ClassOf) {
            self.counts_from.insert(belief, self.next);
        }
        Ok(forgotten)
    }

    /// Writes the blocks of a new run, which counts only once it is in the manifest.
    pub(super) fn write(
        &self,
        disk: &Disk,
        kind: Kind,
        number: u32,
        names: impl Iterator<Item = (u64, u64)>,
        count: usize,
        max_bytes: usize,
    ) -> Result<NewRun, StoreError> {
        let mut run = Run {
            number,
            kind,
            count: count as u64,
            firsts: Vec::with_capacity(count.div_ceil(BLOCK_NAMES)),
            bloom: Bloom::new(count, max_bytes.saturating_sub(self.bytes())),
        };
        let mut batch = Batch::default();
        let mut block = Vec::with_capacity(BLOCK_NAMES * kind.width());
        for (name, belief) in names {
            if block.is_empty() {
                run.firsts.push(name);
            }
            if let Some(bloom) = &mut run.bloom {
                bloom.insert(name);
            }
            block.extend_from_slice(&name.to_le_bytes());
            if kind == Kind::ClassOf {
                block.extend_from_slice(&belief.to_le_bytes());
            }
            if block.len() == BLOCK_NAMES * kind.width() {
                batch.insert(run.key(run.firsts.len() - 1), block.as_slice());
                block.clear();
                if run.firsts.len().is_multiple_of(BATCH_BLOCKS) {
                    disk.write(std::mem::take(&mut batch))?;
                }
            }
        }
        if !block.is_empty() {
            batch.insert(run.key(run.firsts.len() - 1), block);
        }
        disk.write(batch)?;
        Ok(NewRun(run))
    }

    /// Number of the next run.
    pub(super) const fn next(&self) -> u32 {
        self.next
    }

    /// The manifest with these runs added, when the log up to `first_block` is in them.
    pub(super) fn manifest_with(&self, new: &[NewRun], first_block: u64, base_len: u64) -> Vec<u8> {
        let mut out = Vec::new();
        put_number(&mut out, u64::from(self.next) + new.len() as u64);
        put_number(&mut out, first_block);
        put_number(&mut out, base_len);
        put_number(&mut out, (self.list.len() + new.len()) as u64);
        for run in self.list.iter().chain(new.iter().map(|new| &new.0)) {
            put_number(&mut out, u64::from(run.number));
            out.push(run.kind as u8);
            put_number(&mut out, run.count);
            put_number(&mut out, run.firsts.len() as u64);
        }
        for (belief, from) in &self.counts_from {
            put_number(&mut out, *belief);
            put_number(&mut out, u64::from(*from));
        }
        out
    }

    /// Takes over what was written.
    pub(super) fn add(&mut self, new: Vec<NewRun>, first_block: u64, base_len: u64) {
        self.next += new.len() as u32;
        self.first_block = first_block;
        self.base_len = base_len;
        self.list.extend(new.into_iter().map(|new| new.0));
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut from = Reader(bytes);
        let next = u32::try_from(from.number()?).ok()?;
        let first_block = from.number()?;
        let base_len = from.number()?;
        let mut runs = Vec::new();
        for _ in 0..from.number()? {
            let number = u32::try_from(from.number()?).ok()?;
            let kind = Kind::read(from.byte()?)?;
            let count = from.number()?;
            // The firsts are read from the blocks; their number tells whether one is missing.
            let firsts = usize::try_from(from.number()?).ok()?;
            let blocks = usize::try_from(count).ok()?.div_ceil(BLOCK_NAMES);
            (firsts == blocks && number < next).then_some(())?;
            runs.push(Run {
                number,
                kind,
                count,
                firsts: Vec::new(),
                bloom: None,
            });
        }
        let mut counts_from = FxHashMap::default();
        while !from.is_empty() {
            let belief = from.number()?;
            counts_from.insert(belief, u32::try_from(from.number()?).ok()?);
        }
        Some(Self {
            list: runs,
            next,
            first_block,
            base_len,
            counts_from,
        })
    }
}

/// A run that was written and does not count yet.
#[derive(Debug)]
pub(super) struct NewRun(Run);

impl Run {
    fn key(&self, block: usize) -> Vec<u8> {
        keys::of_number(keys::RUN, u64::from(self.number) << 32 | block as u64)
    }

    fn bytes(&self) -> usize {
        self.firsts.capacity() * 8 + self.bloom.as_ref().map_or(0, Bloom::bytes)
    }

    fn get(&self, disk: &Disk, name: u64) -> Result<Option<SeenAs>, StoreError> {
        if self
            .bloom
            .as_ref()
            .is_some_and(|bloom| !bloom.may_contain(name))
        {
            return Ok(None);
        }
        let Some(block) = self
            .firsts
            .partition_point(|&first| first <= name)
            .checked_sub(1)
        else {
            return Ok(None);
        };
        let key = self.key(block);
        let bytes = disk
            .get(&key)?
            .ok_or_else(|| disk.damaged(&key, "missing block of the seen-set"))?;
        let width = self.kind.width();
        let entry = |at: usize| Reader(&bytes[at * width..]);
        let (mut low, mut high) = (0, bytes.len() / width);
        while low < high {
            let middle = low.midpoint(high);
            let mut entry = entry(middle);
            match entry.fixed() {
                Some(found) if found < name => low = middle + 1,
                Some(found) if found > name => high = middle,
                Some(_) => {
                    return Ok(Some(match self.kind {
                        Kind::Admitted => SeenAs::Admitted,
                        Kind::Dropped => SeenAs::Dropped,
                        Kind::ClassOf => {
                            SeenAs::ClassOf(BeliefId::from_bits(entry.fixed().unwrap_or_default()))
                        }
                    }));
                }
                None => return Err(disk.damaged(&key, "unreadable block of the seen-set")),
            }
        }
        Ok(None)
    }

    /// Calls `each` with every name and, in classes, its belief.
    fn each(&self, disk: &Disk, mut each: impl FnMut(u64, u64)) -> Result<Vec<u64>, StoreError> {
        let prefix = &self.key(0)[..5];
        let mut firsts = Vec::new();
        let mut count = 0;
        disk.scan(prefix, prefix, |key, block| {
            let mut entries = Reader(block);
            while !entries.is_empty() {
                let belief = self.kind == Kind::ClassOf;
                let read = entries
                    .fixed()
                    .and_then(|name| Some((name, if belief { entries.fixed()? } else { 0 })));
                let Some((name, belief)) = read else {
                    return Err(disk.damaged(key, "unreadable block of the seen-set"));
                };
                if entries.0.len() + self.kind.width() == block.len() {
                    firsts.push(name);
                }
                count += 1;
                each(name, belief);
            }
            Ok(true)
        })?;
        if count != self.count {
            return Err(disk.damaged(prefix, "a run of the seen-set has lost names"));
        }
        Ok(firsts)
    }

    fn load(&mut self, disk: &Disk, max_bytes: usize) -> Result<(), StoreError> {
        let mut bloom = Bloom::new(self.count as usize, max_bytes);
        self.firsts = self.each(disk, |name, _| {
            if let Some(bloom) = &mut bloom {
                bloom.insert(name);
            }
        })?;
        self.bloom = bloom;
        Ok(())
    }
}

/// Removes all entries from `start` on whose keys begin with `prefix`.
fn remove_all(disk: &Disk, start: &[u8], prefix: &[u8]) -> Result<(), StoreError> {
    loop {
        let mut batch = Batch::default();
        let mut count = 0;
        disk.scan(prefix, start, |key, _| {
            batch.remove(key);
            count += 1;
            Ok(count < BATCH_BLOCKS)
        })?;
        if count == 0 {
            return Ok(());
        }
        disk.write(batch)?;
    }
}

/// Removes the blocks of the log before `first`; a crash in between leaves some, which do not count.
pub(super) fn remove_log(disk: &Disk, first: u64) -> Result<(), StoreError> {
    let end = keys::of_number(keys::BLOCK, first);
    loop {
        let mut batch = Batch::default();
        let mut count = 0;
        disk.scan(&[keys::BLOCK], &[keys::BLOCK], |key, _| {
            if key.as_ref() < end.as_slice() {
                batch.remove(key);
                count += 1;
                Ok(count < BATCH_BLOCKS)
            } else {
                Ok(false)
            }
        })?;
        if count == 0 {
            return Ok(());
        }
        disk.write(batch)?;
    }
}
