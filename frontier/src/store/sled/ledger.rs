//! The ledger on disk: what was dropped on the word of a belief, and may come back.

use std::collections::HashMap;

use super::{
    super::LedgerEntry,
    codec,
    disk::Disk,
    keys::{self, LEDGER},
    pending::Batch,
};
use crate::{BeliefId, Fingerprint, HostKey, StoreError};

/// What a commit changes in the number of entries.
#[derive(Debug, Default)]
pub(super) struct Change {
    pub(super) added: u64,
    pub(super) removed: u64,
    pub(super) overflowed: u64,
}

/// Adds recalls and then new entries to a batch; entries beyond `free` places are counted, not kept.
pub(super) fn change(
    disk: &Disk,
    recalled: &[(HostKey, Fingerprint, Fingerprint)],
    kept: &[LedgerEntry],
    free: u64,
    batch: &mut Batch,
) -> Result<Change, StoreError> {
    let mut change = Change::default();
    // Keys that this commit has touched, and whether they are there now.
    let mut touched: HashMap<Vec<u8>, bool> = HashMap::new();
    for (host, class, name) in recalled {
        let key = keys::of_dropped(host.as_str(), *class, *name);
        let is_there = match touched.get(&key) {
            Some(&is_there) => is_there,
            None => disk.contains(&key)?,
        };
        if is_there {
            change.removed += 1;
            batch.remove(key.as_slice());
        }
        touched.insert(key, false);
    }
    for entry in kept {
        let link = &entry.admitted;
        let key = keys::of_dropped(link.url.host().as_str(), link.class, link.key);
        let is_there = match touched.get(&key) {
            Some(&is_there) => is_there,
            None => disk.contains(&key)?,
        };
        if !is_there {
            if change.added >= free.saturating_add(change.removed) {
                change.overflowed += 1;
                continue;
            }
            change.added += 1;
        }
        batch.insert(key.as_slice(), codec::ledger_entry(entry));
        touched.insert(key, true);
    }
    Ok(change)
}

pub(super) fn scan_of(
    disk: &Disk,
    host: &HostKey,
    belief: BeliefId,
    each: &mut dyn FnMut(LedgerEntry) -> bool,
) -> Result<(), StoreError> {
    let prefix = keys::of_host(LEDGER, host.as_str());
    disk.scan(&prefix, &prefix, |key, value| {
        // Most are those of others, and need not be taken apart.
        if codec::ledger_belief(value).is_some_and(|other| other != belief) {
            return Ok(true);
        }
        let entry = read(disk, key, value)?;
        Ok(entry.belief != belief || each(entry))
    })
}

pub(super) fn dropped_in_class(
    disk: &Disk,
    host: &HostKey,
    class: Fingerprint,
    limit: usize,
) -> Result<Vec<LedgerEntry>, StoreError> {
    let prefix = keys::of_class(host.as_str(), class);
    let mut found = Vec::new();
    disk.scan(&prefix, &prefix, |key, value| {
        if found.len() >= limit {
            return Ok(false);
        }
        found.push(read(disk, key, value)?);
        Ok(true)
    })?;
    Ok(found)
}

pub(super) fn scan(
    disk: &Disk,
    each: &mut dyn FnMut(&HostKey, LedgerEntry) -> bool,
) -> Result<(), StoreError> {
    disk.scan(&[LEDGER], &[LEDGER], |key, value| {
        let entry = read(disk, key, value)?;
        let host = entry.admitted.url.host().clone();
        Ok(each(&host, entry))
    })
}

fn read(disk: &Disk, key: &[u8], value: &[u8]) -> Result<LedgerEntry, StoreError> {
    codec::read_ledger_entry(value).ok_or_else(|| disk.damaged(key, "unreadable ledger entry"))
}
