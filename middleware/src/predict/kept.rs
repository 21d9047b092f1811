//! What the store has of a site, and what must be written next.
//!
//! The store has a site's *head*, its *chunks* and its *journal*. The head says which chunks count, and which entry of
//! the journal is the first that they do not include. Chunks are never overwritten: a new one has a new name, and is
//! written before the head that names it and before the old one is removed. So a commit of any length may be cut off
//! anywhere, and what is found afterwards is the state before or the state after. Everything carries a checksum.
//!
//! What chunks and journal contain does not matter here: the learner of rules keeps its hosts in the same way.

mod found;

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_64;

use super::{PredictConfig, Site, codec::Out, journal::Event, parts::Put};
pub(crate) use found::Found;

/// Of the state of a site as a whole. Grows with every change of what stands in a chunk or in the journal, and of
/// what is learned from a journal.
const VERSION: u8 = 60;
/// Observations between two times that a site is written down: at least, as a share of its pages, and at
/// most. Walking over all of it then costs little a page however large it is, and reading the journal
/// back takes no more than seconds.
const LEAST: u64 = 256;
const SHARE: u64 = 32;
const MOST: u64 = 4096;
/// Octets in the journal after which the site is written down, however few pages they are.
const MOST_BYTES: usize = 16 << 20;
/// Keys of no use that are removed with one page.
const SWEPT_AT_ONCE: usize = 256;

pub(crate) type Entries = Vec<(String, Option<Vec<u8>>)>;
type ChunkName = (u8, u32);

/// What of a site is in the store.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// Number of the next entry of the journal.
    next: u64,
    /// Number of the first that the chunks do not hold.
    first: u64,
    /// Octets in the journal.
    journalled: usize,
    /// How often the site was written down.
    epoch: u64,
    /// Of each chunk: when it was written, and its checksum.
    chunks: BTreeMap<ChunkName, (u64, u64)>,
    /// Told to the site, and not yet in the journal.
    unwritten: Vec<Vec<u8>>,
    /// Keys that are of no use any more.
    garbage: Vec<String>,
    /// Whether the head in the store, if there is one, is not to be believed: the next entry brings another.
    headless: bool,
}

fn head_key(site: &str) -> String {
    format!("{site}/h")
}

fn chunk_key(site: &str, (section, chunk): ChunkName, epoch: u64) -> String {
    format!("{site}/c/{section:02x}{chunk:08x}/{epoch:x}")
}

fn journal_key(site: &str, number: u64) -> String {
    format!("{site}/j/{number:016x}")
}

impl Kept {
    /// Notes an event that goes into the journal with the next one.
    pub(super) fn remember(&mut self, event: &Event<'_>) {
        let mut out = Out::default();
        event.write(&mut out);
        self.note(out.0);
    }

    /// The same for one that is packed already.
    pub(crate) fn note(&mut self, event: Vec<u8>) {
        self.unwritten.push(event);
    }

    /// Writes an event to the journal.
    pub(super) fn journal(&mut self, site: &str, event: &Event<'_>, entries: &mut Entries) {
        self.remember(event);
        self.write_noted(site, entries);
    }

    /// Writes what was noted to the journal.
    pub(crate) fn write_noted(&mut self, site: &str, entries: &mut Entries) {
        if std::mem::take(&mut self.headless) {
            entries.push((head_key(site), Some(self.head())));
        }
        for event in self.unwritten.drain(..) {
            self.journalled += event.len();
            entries.push((journal_key(site, self.next), Some(sealed(event))));
            self.next += 1;
        }
        self.sweep(entries);
    }

    fn sweep(&mut self, entries: &mut Entries) {
        let from = self.garbage.len().saturating_sub(SWEPT_AT_ONCE);
        entries.extend(self.garbage.drain(from..).map(|key| (key, None)));
    }

    /// Events that are not in the journal yet.
    #[cfg(test)]
    pub(super) const fn noted(&self) -> usize {
        self.unwritten.len()
    }

    /// Whether it is time to write the site down.
    pub(super) fn is_due(&self, site: &Site) -> bool {
        !site.is_warming() && self.is_long(site.pages())
    }

    /// Whether the journal of a site with so many pages is long enough.
    pub(crate) fn is_long(&self, pages: usize) -> bool {
        self.next - self.first >= (pages as u64 / SHARE).clamp(LEAST, MOST)
            || self.journalled >= MOST_BYTES
    }

    /// Writes down what has changed since the last time, and lets the journal begin anew.
    pub(super) fn write_down(&mut self, site: &Site, entries: &mut Entries) {
        self.write_whole(site.name(), &|put| site.save(put), entries);
    }

    /// The same for anything that hands out its chunks.
    pub(crate) fn write_whole(
        &mut self,
        name: &str,
        save: &dyn Fn(&mut Put<'_>),
        entries: &mut Entries,
    ) {
        self.epoch += 1;
        let epoch = self.epoch;
        let mut old = std::mem::take(&mut self.chunks);
        let mut now = BTreeMap::new();
        save(&mut |section, chunk, bytes| {
            let (chunk, hash) = ((section as u8, chunk), xxh3_64(&bytes));
            match old.get(&chunk) {
                Some(&(written, before)) if before == hash => {
                    old.remove(&chunk);
                    now.insert(chunk, (written, hash));
                }
                _ => {
                    entries.push((chunk_key(name, chunk, epoch), Some(bytes)));
                    now.insert(chunk, (epoch, hash));
                }
            }
        });
        let first = std::mem::replace(&mut self.first, self.next);
        self.chunks = now;
        self.headless = false;
        entries.push((head_key(name), Some(self.head())));
        for (chunk, (written, _)) in old {
            entries.push((chunk_key(name, chunk, written), None));
        }
        for number in first..self.next {
            entries.push((journal_key(name, number), None));
        }
        self.journalled = 0;
        self.sweep(entries);
    }

    fn head(&self) -> Vec<u8> {
        let mut out = Out::default();
        out.number(self.first);
        out.number(self.epoch);
        for ((section, chunk), (written, hash)) in &self.chunks {
            out.byte(*section);
            out.number(u64::from(*chunk));
            out.number(*written);
            out.fixed64(*hash);
        }
        sealed(out.0)
    }
}

/// A site of which nothing is known, and the settings noted under which it begins.
pub(super) fn begin(name: &str, config: &PredictConfig, kept: &mut Kept) -> Site {
    let site = Site::new(name, config);
    kept.remember(&Event::Settings(Box::new(site.settings().clone())));
    site
}

/// Version, checksum and value.
fn sealed(value: Vec<u8>) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len() + 9);
    out.push(VERSION);
    out.extend_from_slice(&xxh3_64(&value).to_le_bytes());
    out.extend(value);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::{
        codec::In,
        parts::{Parts, Section},
    };

    const NAME: &str = "e.org";

    type Store = BTreeMap<String, Vec<u8>>;

    fn commit(store: &mut Store, entries: Entries) {
        for (key, value) in entries {
            match value {
                Some(value) => store.insert(key, value),
                None => store.remove(&key),
            };
        }
    }

    /// Notes a number, as learners note pages.
    fn note(number: u64, kept: &mut Kept, store: &mut Store) {
        let mut out = Out::default();
        out.fixed64(number);
        kept.note(out.0);
        let mut entries = Entries::new();
        kept.write_noted(NAME, &mut entries);
        commit(store, entries);
    }

    fn write_whole(numbers: &[u64], kept: &mut Kept, store: &mut Store) {
        let mut entries = Entries::new();
        let save = |put: &mut Put<'_>| {
            for (chunk, number) in (0..).zip(numbers) {
                let mut out = Out::default();
                out.fixed64(*number);
                put(Section::Pages, chunk, out.0);
            }
        };
        kept.write_whole(NAME, &save, &mut entries);
        commit(store, entries);
    }

    /// The numbers that the store holds, and what was found wrong.
    fn open(store: &Store) -> (Vec<u64>, Kept, Vec<String>) {
        let mut found = Found::default();
        for (key, value) in store {
            found.take(NAME, &key[NAME.len() + 1..], value).unwrap();
        }
        let mut problems = Vec::new();
        let load = |parts: Option<&Parts>| match parts {
            None => Some(Vec::new()),
            Some(parts) => {
                let chunks = parts.of(Section::Pages);
                chunks.map(|(_, mut from)| from.fixed64()).collect()
            }
        };
        let tell = |numbers: &mut Vec<u64>, from: &mut In<'_>| {
            numbers.push(from.fixed64()?);
            Some(())
        };
        let (numbers, kept) = found.put_together(NAME, &mut problems, |_| Vec::new(), load, tell);
        (numbers, kept, problems)
    }

    #[test]
    fn what_was_learned_after_a_damage_outlives_a_kill_amid_the_sweeping() {
        let (mut store, mut kept) = (Store::new(), Kept::default());
        let many: Vec<u64> = (0..600).collect();
        write_whole(&many, &mut kept, &mut store);
        for number in 600..1200 {
            note(number, &mut kept, &mut store);
        }
        let (numbers, _, problems) = open(&store);
        assert_eq!(numbers, (0..1200).collect::<Vec<_>>());
        assert!(problems.is_empty(), "{problems:?}");

        for damage in ["/h", "/c/0200000007/1"] {
            let mut store = store.clone();
            let head = store.get_mut(&format!("{NAME}{damage}")).unwrap();
            head.truncate(5);
            let (numbers, mut kept, problems) = open(&store);
            assert!(numbers.is_empty());
            assert_eq!(
                problems,
                ["what was learned of e.org is damaged; it is learned anew"]
            );
            for number in [7, 8] {
                note(number, &mut kept, &mut store);
            }
            assert!(store.len() > 600, "the sweeping has only begun");
            let (numbers, mut kept, problems) = open(&store);
            assert_eq!(numbers, [7, 8]);
            assert!(problems.is_empty(), "{problems:?}");
            for number in 9..20 {
                note(number, &mut kept, &mut store);
            }
            assert_eq!(
                store.len(),
                1 + 13,
                "all is swept away but the head and the journal"
            );
            write_whole(&[1, 2, 3], &mut kept, &mut store);
            assert_eq!(open(&store).0, [1, 2, 3]);
        }
    }
}
