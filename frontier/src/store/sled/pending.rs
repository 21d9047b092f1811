//! Commits that are not yet in the database.
//!
//! Commits gather in memory and are written together. sled makes two writes of its own for each batch, however small,
//! and lets them pile up behind a slow disk. Its pool of seven threads can then fill with writes that wait for a lock
//! whose holder waits for an eighth task: a deadlock (sled 0.34.7, issue 1412 there). Writing one batch at a time, and
//! waiting for it, leaves the pool room.
//!
//! Until commits are written, they are found here first: [`Pending`] is a layer over the database, and a reader sees
//! the two as one.

use std::{
    collections::{BTreeMap, btree_map},
    iter::Peekable,
    ops::Bound,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use sled::IVec;

/// Keys and their new values; `None` takes a key away.
type Changes = BTreeMap<IVec, Option<IVec>>;

/// Bytes of keys and values that may gather before somebody must write them.
const BYTES: usize = 256 * 1024;
/// Keys that may gather; sled's memory grows with the square of more than some thousand.
const KEYS: usize = 2048;
/// Changes that are made all together or not at all.
#[derive(Debug, Default)]
pub(super) struct Batch(Vec<(IVec, Option<IVec>)>);

impl Batch {
    pub(super) fn insert(&mut self, key: impl Into<IVec>, value: impl Into<IVec>) {
        self.0.push((key.into(), Some(value.into())));
    }

    pub(super) fn remove(&mut self, key: impl Into<IVec>) {
        self.0.push((key.into(), None));
    }
}

/// What lies over the database.
#[derive(Debug, Default)]
pub(super) struct Pending(RwLock<Layers>);

/// `new` lies over `old`, and `old`, which is being written, over the database.
#[derive(Debug, Default)]
struct Layers {
    new: Changes,
    bytes: usize,
    old: Arc<Changes>,
}

impl Pending {
    /// Whether there is room for a batch. Where there is none, what has gathered is to be written first.
    pub(super) fn has_room(&self, batch: &Batch) -> bool {
        self.read().new.len() + batch.0.len() <= KEYS
    }

    /// Adds a batch; answers whether so many bytes have gathered that they must be written.
    pub(super) fn add(&self, batch: Batch) -> bool {
        let mut layers = self.write();
        for (key, value) in batch.0 {
            layers.bytes += key.len() + value.as_ref().map_or(0, |value| value.len());
            layers.new.insert(key, value);
        }
        layers.bytes >= BYTES
    }

    /// Whether nothing is to be written.
    pub(super) fn is_empty(&self) -> bool {
        self.read().new.is_empty()
    }

    /// What is to be written, as one batch of sled's; `None` if there is nothing. It goes on lying over
    /// the database until [`written`](Self::written). One caller at a time.
    pub(super) fn begin(&self) -> Option<sled::Batch> {
        let old = {
            let mut layers = self.write();
            if layers.new.is_empty() {
                return None;
            }
            layers.bytes = 0;
            layers.old = Arc::new(std::mem::take(&mut layers.new));
            Arc::clone(&layers.old)
        };
        let mut batch = sled::Batch::default();
        for (key, value) in &*old {
            match value {
                Some(value) => batch.insert(key.clone(), value.clone()),
                None => batch.remove(key.clone()),
            }
        }
        Some(batch)
    }

    /// What [`begin`](Self::begin) answered is in the database.
    pub(super) fn written(&self) {
        let old = std::mem::take(&mut self.write().old);
        drop(old);
    }

    pub(super) fn get(&self, db: &sled::Tree, key: &[u8]) -> sled::Result<Option<IVec>> {
        let layers = self.read();
        let change = layers.new.get(key).or_else(|| layers.old.get(key)).cloned();
        // What lies in neither layer now is in the database, and at most a later value takes its place.
        drop(layers);
        change.map_or_else(|| db.get(key), Ok)
    }

    /// The first entry from `key` on.
    pub(super) fn first_from(
        &self,
        db: &sled::Tree,
        key: &[u8],
    ) -> sled::Result<Option<(IVec, IVec)>> {
        let layers = self.read();
        layers.from(db, Bound::Included(key)).next().transpose()
    }

    /// The last entry before `key`.
    pub(super) fn last_before(
        &self,
        db: &sled::Tree,
        key: &[u8],
    ) -> sled::Result<Option<(IVec, IVec)>> {
        let layers = self.read();
        let below = |changes: &Changes, bound: &[u8]| {
            let below = (Bound::Unbounded, Bound::Excluded(bound));
            let last = changes.range::<[u8], _>(below).next_back();
            last.map(|(key, value)| (key.clone(), value.clone()))
        };
        let mut bound = IVec::from(key);
        loop {
            let mut last = db.get_lt(&bound)?.map(|(key, value)| (key, Some(value)));
            for changes in [&*layers.old, &layers.new] {
                if let Some(change) = below(changes, &bound)
                    && last.as_ref().is_none_or(|(key, _)| *key <= change.0)
                {
                    last = Some(change);
                }
            }
            match last {
                None => return Ok(None),
                Some((key, Some(value))) => return Ok(Some((key, value))),
                Some((key, None)) => bound = key,
            }
        }
    }

    /// The first `count` entries from `from` on.
    pub(super) fn some(
        &self,
        db: &sled::Tree,
        from: Bound<&[u8]>,
        count: usize,
    ) -> sled::Result<Vec<(IVec, IVec)>> {
        self.read().from(db, from).take(count).collect()
    }

    fn read(&self) -> RwLockReadGuard<'_, Layers> {
        // Nothing panics under the lock but for want of memory.
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Layers> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Layers {
    fn from<'a>(&'a self, db: &sled::Tree, from: Bound<&[u8]>) -> Merged<'a> {
        let range = (from, Bound::Unbounded);
        Merged {
            new: self.new.range::<[u8], _>(range).peekable(),
            old: self.old.range::<[u8], _>(range).peekable(),
            db: db.range::<&[u8], _>(range).peekable(),
        }
    }
}

/// The entries of three layers in the order of their keys; the upper hides the lower.
struct Merged<'a> {
    new: Peekable<btree_map::Range<'a, IVec, Option<IVec>>>,
    old: Peekable<btree_map::Range<'a, IVec, Option<IVec>>>,
    db: Peekable<sled::Iter>,
}

impl Iterator for Merged<'_> {
    type Item = sled::Result<(IVec, IVec)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(Err(error)) = self.db.next_if(Result::is_err) {
                return Some(Err(error));
            }
            let in_db = self.db.peek().and_then(|entry| entry.as_ref().ok());
            let keys = [
                in_db.map(|(key, _)| key),
                self.old.peek().map(|(key, _)| *key),
                self.new.peek().map(|(key, _)| *key),
            ];
            let key = keys.into_iter().flatten().min()?.clone();
            let in_db = self
                .db
                .next_if(|entry| entry.as_ref().is_ok_and(|(other, _)| *other == key));
            let mut value = in_db.and_then(Result::ok).map(|(_, value)| value);
            for changes in [&mut self.old, &mut self.new] {
                if let Some((_, change)) = changes.next_if(|(other, _)| **other == key) {
                    value.clone_from(change);
                }
            }
            if let Some(value) = value {
                return Some(Ok((key, value)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// What a test does: put or take a key away, or let what has gathered go one step further down.
    #[derive(Clone, Debug)]
    enum Step {
        Change(u8, Option<u8>),
        Begin,
        Apply,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            6 => (0..24u8, proptest::option::of(any::<u8>())).prop_map(|(k, v)| Step::Change(k, v)),
            1 => Just(Step::Begin),
            1 => Just(Step::Apply),
        ];
        proptest::collection::vec(step, 0..80)
    }

    type Model = BTreeMap<Vec<u8>, Vec<u8>>;

    fn plain((key, value): &(IVec, IVec)) -> (Vec<u8>, Vec<u8>) {
        (key.to_vec(), value.to_vec())
    }

    fn same(pending: &Pending, db: &sled::Tree, model: &Model) -> Result<(), TestCaseError> {
        for key in 0..25u8 {
            let key = vec![key];
            let found = pending.get(db, &key).unwrap().map(|value| value.to_vec());
            prop_assert_eq!(found, model.get(&key).cloned());
            let first = model.range(key.clone()..).next();
            let found = pending.first_from(db, &key).unwrap().as_ref().map(plain);
            prop_assert_eq!(found.as_ref().map(|(k, v)| (k, v)), first);
            let last = model.range(..key.clone()).next_back();
            let found = pending.last_before(db, &key).unwrap().as_ref().map(plain);
            prop_assert_eq!(found.as_ref().map(|(k, v)| (k, v)), last);
        }
        let three = Bound::Excluded(&[2][..]);
        let all: Model = (pending.some(db, three, 30).unwrap().iter())
            .map(plain)
            .collect();
        prop_assert_eq!(all, model.clone().split_off(&vec![3]));
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn the_layers_read_as_one_map(steps in steps()) {
            let db = sled::Config::new().temporary(true).open().unwrap();
            let (pending, mut model) = (Pending::default(), Model::new());
            let mut under_way = None;
            for step in steps {
                match step {
                    Step::Change(key, value) => {
                        let mut batch = Batch::default();
                        if let Some(value) = value {
                            batch.insert(&[key], &[value]);
                            model.insert(vec![key], vec![value]);
                        } else {
                            batch.remove(&[key]);
                            model.remove(&vec![key]);
                        }
                        pending.add(batch);
                    }
                    Step::Begin if under_way.is_none() => under_way = pending.begin(),
                    Step::Begin => {}
                    Step::Apply => {
                        if let Some(batch) = under_way.take() {
                            db.apply_batch(batch).unwrap();
                            pending.written();
                        }
                    }
                }
                same(&pending, &db, &model)?;
            }
        }
    }

    #[test]
    fn whoever_adds_too_much_is_told_to_write_it() {
        let pending = Pending::default();
        let batch = |size: usize| {
            let mut batch = Batch::default();
            batch.insert(&[1], vec![0; size]);
            batch
        };
        assert!(!pending.add(batch(100)));
        assert!(pending.add(batch(BYTES)));
        assert!(pending.begin().is_some() && pending.begin().is_none());
        assert!(!pending.add(batch(100)));
    }
}
