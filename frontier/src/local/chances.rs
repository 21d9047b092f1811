//! When does another spelling of a class get its chance?
//!
//! The page of a class may not be to be had under the spelling that came first. It cannot be fetched; or it redirects to where
//! other classes redirect, too: to a login that an old session leads to, or home, since nobody asks for `http:` any more. (A
//! URL that alone leads to its page is another matter: its other spellings lead there as well.) Then others that were dropped
//! in its favour are fetched, one by one. Where they lead to the same place again and again, they are left.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use url::Position;
use xxhash_rust::xxh3::xxh3_64;

use super::{Inner, LocalFrontier, admit::Referrer, recall::Then};
use crate::{
    Batch, CanonicalUrl, Commit, Fingerprint, FrontierError, HostKey, Lease, Outcome, Store,
    StoreError, chain::Slot,
};

/// Further spellings of a class that are fetched, one by one: those that wait in the ledger, or else the next that are found.
const MOST_OF_CLASS: u8 = 2;
/// Those of a sink that led there once more: so many, and for each that did not, are fetched.
const MOST_ALIKE: u32 = 8;
/// Classes that are remembered, and sinks; the oldest make room.
const MOST: usize = 1 << 16;

const CLASS_PREFIX: &str = "frontier/chance/";
const SINK_PREFIX: &str = "frontier/sink/";

/// A class whose page was not to be had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Chance {
    /// Spellings that were tried since.
    taken: u8,
    /// Where the first one led.
    sink: Option<u64>,
}

impl Chance {
    fn bytes(self) -> Vec<u8> {
        let mut bytes = vec![self.taken];
        bytes.extend(self.sink.iter().flat_map(|sink| sink.to_le_bytes()));
        bytes
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (taken, sink) = bytes.split_first()?;
        let sink = (!sink.is_empty()).then(|| sink.try_into().map(u64::from_le_bytes));
        Some(Self {
            taken: *taken,
            sink: sink.transpose().ok()?,
        })
    }
}

/// A path that URLs redirect to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sink {
    /// The one class whose URLs do so far.
    only: Option<(HostKey, Fingerprint)>,
    /// Chances after which another spelling led here, too, and after which one did not.
    alike: u32,
    other: u32,
}

impl Sink {
    const fn is_tried(&self) -> bool {
        self.alike < MOST_ALIKE.saturating_mul(self.other.saturating_add(1))
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = [self.alike.to_le_bytes(), self.other.to_le_bytes()].concat();
        if let Some((host, class)) = &self.only {
            bytes.extend(class.host().to_le_bytes());
            bytes.extend(class.url().to_le_bytes());
            bytes.extend(host.as_str().as_bytes());
        }
        bytes
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (alike, bytes) = bytes.split_first_chunk()?;
        let (other, bytes) = bytes.split_first_chunk()?;
        let only = match bytes.split_first_chunk() {
            Some((host, bytes)) => {
                let (url, name) = bytes.split_first_chunk()?;
                let class =
                    Fingerprint::from_parts(u64::from_le_bytes(*host), u64::from_le_bytes(*url));
                Some((HostKey::from_text(std::str::from_utf8(name).ok()?), class))
            }
            None => None,
        };
        Some(Self {
            only,
            alike: u32::from_le_bytes(*alike),
            other: u32::from_le_bytes(*other),
        })
    }
}

/// Values by name, of which the oldest make room, and which of them are not as they are in the store.
#[derive(Debug)]
struct Table<T> {
    all: FxHashMap<u64, T>,
    order: VecDeque<u64>,
    moved: FxHashSet<u64>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self {
            all: FxHashMap::default(),
            order: VecDeque::new(),
            moved: FxHashSet::default(),
        }
    }
}

impl<T: Default> Table<T> {
    fn get(&self, name: u64) -> Option<&T> {
        self.all.get(&name)
    }

    /// The value of a name, to be changed.
    fn of(&mut self, name: u64) -> &mut T {
        self.moved.insert(name);
        if !self.all.contains_key(&name) {
            self.order.push_back(name);
            while self.all.len() >= MOST
                && let Some(oldest) = self.order.pop_front()
            {
                self.remove(oldest);
            }
        }
        self.all.entry(name).or_default()
    }

    fn remove(&mut self, name: u64) -> Option<T> {
        let removed = self.all.remove(&name)?;
        self.moved.insert(name);
        // Names that are gone already are passed over when room is made.
        if self.order.len() > 2 * MOST {
            let (all, mut kept) = (&self.all, FxHashSet::default());
            self.order
                .retain(|name| all.contains_key(name) && kept.insert(*name));
        }
        Some(removed)
    }

    fn load(
        &mut self,
        store: &dyn Store,
        prefix: &str,
        read: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<(), StoreError> {
        store.state_scan(prefix, &mut |key, bytes| {
            let name = u64::from_str_radix(&key[prefix.len()..], 16);
            if let (Ok(name), Some(value)) = (name, read(bytes)) {
                self.all.insert(name, value);
                self.order.push_back(name);
            } else {
                tracing::warn!(key, "not readable, passed over");
            }
        })
    }

    fn write(&mut self, prefix: &str, bytes: impl Fn(&T) -> Vec<u8>, commit: &mut Commit) {
        for name in self.moved.drain() {
            let value = self.all.get(&name).map(&bytes);
            commit.state.push((format!("{prefix}{name:016x}"), value));
        }
    }
}

/// Which classes have a chance left.
#[derive(Debug, Default)]
pub(super) struct Chances {
    classes: Table<Chance>,
    sinks: Table<Sink>,
}

impl Chances {
    pub(super) fn load(store: &dyn Store) -> Result<Self, StoreError> {
        let mut chances = Self::default();
        chances.classes.load(store, CLASS_PREFIX, Chance::read)?;
        chances.sinks.load(store, SINK_PREFIX, Sink::read)?;
        Ok(chances)
    }

    /// Adds what moved to a commit.
    pub(super) fn write(&mut self, commit: &mut Commit) {
        (self.classes).write(CLASS_PREFIX, |chance| chance.bytes(), commit);
        self.sinks.write(SINK_PREFIX, Sink::bytes, commit);
    }

    fn has_left(&self, chance: Chance) -> bool {
        let sink = chance.sink.and_then(|sink| self.sinks.get(sink));
        chance.taken < MOST_OF_CLASS && sink.is_none_or(Sink::is_tried)
    }

    /// Whether a link of this class is fetched though the class is known: that takes a chance.
    pub(super) fn take(&mut self, class: Fingerprint) -> bool {
        let chance = self.classes.get(class.url()).copied();
        let has_left = chance.is_some_and(|chance| self.has_left(chance));
        if has_left {
            self.classes.of(class.url()).taken += 1;
        }
        has_left
    }

    /// The page of a class is not to be had under one spelling; `sink`: which leads there. Whether another may be tried.
    fn lost(&mut self, class: Fingerprint, sink: Option<u64>) -> bool {
        let chance = self.classes.of(class.url());
        chance.sink = chance.sink.or(sink);
        let chance = *chance;
        self.has_left(chance)
    }

    /// The page of a class was fetched.
    fn had(&mut self, class: Fingerprint) {
        let chance = self.classes.remove(class.url());
        let tried = chance.filter(|chance| chance.taken > 0);
        if let Some(sink) = tried.and_then(|chance| chance.sink) {
            self.sinks.of(sink).other += 1;
        }
    }

    /// A URL of a class leads to a sink; the classes for which that is no page of their own.
    fn leads(&mut self, sink: u64, class: (&HostKey, Fingerprint)) -> Vec<(HostKey, Fingerprint)> {
        let own = (class.0.clone(), class.1);
        let chance = self.classes.get(class.1.url());
        let is_alike = chance.is_some_and(|chance| chance.taken > 0 && chance.sink == Some(sink));
        let is_new = self.sinks.get(sink).is_none();
        let known = self.sinks.of(sink);
        known.alike += u32::from(is_alike);
        if is_new {
            known.only = Some(own);
            return Vec::new();
        }
        if known.only.as_ref().is_some_and(|(_, only)| *only == own.1) {
            return Vec::new();
        }
        known.only.take().into_iter().chain([own]).collect()
    }
}

/// What came of the page of a class.
pub(super) enum Page {
    Had,
    Lost,
    /// Another class has it.
    Elsewhere {
        sink: u64,
    },
}

impl Page {
    /// `target`: where it redirects, as it was judged; `at`: the URL of that.
    pub(super) fn of(
        outcome: &Outcome<'_>,
        referrer: &Referrer,
        target: &Batch,
        at: Option<&CanonicalUrl>,
    ) -> Self {
        match outcome {
            Outcome::Fetched(page) if page.is_success() => Self::Had,
            Outcome::Fetched(_) | Outcome::Failed(_) => Self::Lost,
            Outcome::Redirected { .. } => {
                let class = match target.slots().first() {
                    Some(Slot::Live(link) | Slot::Dropped(Some(link), _)) => Some(link.class_key()),
                    _ => None,
                };
                if referrer.classes().any(|own| Some(own) == class) {
                    return Self::Had;
                }
                let path = at.map_or("", |at| &at.as_url()[..Position::AfterPath]);
                Self::Elsewhere {
                    sink: xxh3_64(path.as_bytes()),
                }
            }
        }
    }
}

impl LocalFrontier {
    /// Lets another spelling of a class try, if its page was not to be had.
    pub(super) fn give_chances(
        &self,
        inner: &mut Inner,
        commit: &mut Commit,
        lease: &Lease,
        page: &Page,
    ) -> Result<(), FrontierError> {
        let (host, class) = (lease.url().host(), lease.admitted.class);
        let chances = &mut inner.chances;
        match page {
            Page::Had => chances.had(class),
            // Another page stands for the class.
            _ if lease.admitted.probe.is_some() => {}
            Page::Lost => self.give_chance(inner, commit, (host, class), None)?,
            Page::Elsewhere { sink } => {
                for (host, class) in chances.leads(*sink, (host, class)) {
                    self.give_chance(inner, commit, (&host, class), Some(*sink))?;
                }
            }
        }
        Ok(())
    }

    fn give_chance(
        &self,
        inner: &mut Inner,
        commit: &mut Commit,
        (host, class): (&HostKey, Fingerprint),
        sink: Option<u64>,
    ) -> Result<(), FrontierError> {
        if !inner.chances.lost(class, sink) {
            return Ok(());
        }
        // The ledger lies with the link that was dropped; static normalization merges `www.` and the
        // bare host.
        for host in [host.clone(), with_or_without_www(host)] {
            let heirs = self.store.dropped_in_class(&host, class, 1)?;
            if !heirs.is_empty() {
                inner.chances.take(class);
                return self.requeue_into(inner, commit, heirs, Then::Fetch);
            }
        }
        Ok(())
    }
}

fn with_or_without_www(host: &HostKey) -> HostKey {
    match host.as_str().strip_prefix("www.") {
        Some(bare) => HostKey::from_text(bare),
        None => HostKey::from_text(&format!("www.{host}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryStore;

    fn class(number: u64) -> Fingerprint {
        Fingerprint::from_parts(1, number)
    }

    #[test]
    fn what_is_written_is_read_back_and_what_is_damaged_is_passed_over() {
        let store = MemoryStore::default();
        let host = HostKey::from_text("h.example");
        let mut chances = Chances::default();
        assert!(chances.lost(class(1), None) && chances.take(class(1)));
        assert!(chances.leads(7, (&host, class(2))).is_empty());
        assert_eq!(chances.leads(7, (&host, class(3))).len(), 2);
        assert!(chances.leads(8, (&host, class(4))).is_empty());
        assert!(chances.lost(class(3), Some(7)) && chances.take(class(3)));
        chances.had(class(3));
        let mut commit = Commit::default();
        chances.write(&mut commit);
        commit
            .state
            .push((format!("{SINK_PREFIX}9"), Some(vec![1, 2])));
        commit
            .state
            .push((format!("{CLASS_PREFIX}x"), Some(vec![0])));
        store.commit(commit).unwrap();
        let read = Chances::load(&store).unwrap();
        assert_eq!(read.classes.all, chances.classes.all);
        assert_eq!(read.sinks.all, chances.sinks.all);
        assert_eq!(read.sinks.get(7).unwrap().other, 1);
    }

    #[test]
    fn the_oldest_make_room() {
        let mut chances = Chances::default();
        for number in 0..(MOST as u64 + 10) {
            chances.lost(class(number), None);
            if number % 2 == 1 {
                chances.had(class(number));
                chances.lost(class(number), None);
            }
        }
        assert!(chances.classes.all.len() <= MOST);
        assert!(!chances.take(class(0)) && chances.take(class(MOST as u64 + 9)));
    }
}
