//! In which order is a commit written that is too large for one batch?

use std::collections::HashSet;

use super::super::Commit;
use crate::StoreError;

/// Items of a commit that are written as one batch; sled's memory grows with the square of more.
const ITEMS: usize = 2048;

/// Hands a commit on, in one piece if it is small enough, else in several: ledger, queue, recalls,
/// seen-set, settled, state. A crash in between leaves links that are queued but not known as seen, which
/// are fetched twice at worst.
pub(super) fn in_safe_order(
    mut commit: Commit,
    mut write: impl FnMut(Commit) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let items = commit.seen.len()
        + commit.queued.len()
        + commit.settled.len()
        + commit.ledger.len()
        + commit.recalled.len()
        + commit.withdrawn.len()
        + commit.state.len();
    if items <= ITEMS {
        return write(commit);
    }
    // In one piece, recalls come before new entries; here they come after, and must not take those back.
    let kept: HashSet<_> = commit
        .ledger
        .iter()
        .map(|e| (e.admitted.url.host(), e.admitted.class, e.admitted.key))
        .collect();
    let mut recalled = std::mem::take(&mut commit.recalled);
    recalled.retain(|(host, class, key)| !kept.contains(&(host, *class, *key)));
    drop(kept);

    write(Commit {
        withdrawn: commit.withdrawn,
        ..Commit::default()
    })?;
    pieces(commit.ledger, |ledger| {
        write(Commit {
            ledger,
            ..Commit::default()
        })
    })?;
    pieces(commit.queued, |queued| {
        write(Commit {
            queued,
            ..Commit::default()
        })
    })?;
    pieces(recalled, |recalled| {
        write(Commit {
            recalled,
            ..Commit::default()
        })
    })?;
    pieces(commit.seen, |seen| {
        write(Commit {
            seen,
            ..Commit::default()
        })
    })?;
    pieces(commit.settled, |settled| {
        write(Commit {
            settled,
            ..Commit::default()
        })
    })?;
    pieces(commit.state, |state| {
        write(Commit {
            state,
            ..Commit::default()
        })
    })
}

fn pieces<T>(
    items: Vec<T>,
    mut write: impl FnMut(Vec<T>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut items = items.into_iter().peekable();
    while items.peek().is_some() {
        write(items.by_ref().take(ITEMS).collect())?;
    }
    Ok(())
}
