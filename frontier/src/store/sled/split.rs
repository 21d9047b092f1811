//! Splits a commit that is too large for one batch, in a safe order.

use std::collections::HashSet;

use rustc_hash::FxHashMap;

use super::super::Commit;
use crate::{Admitted, StoreError};

/// Items of a commit that are written as one batch; sled's memory grows with the square of more.
const ITEMS: usize = 2048;

/// Hands a commit on, in one piece if it is small enough, else in several: links, each with what makes it
/// known, then recalls, then settled together with state. A crash in between leaves the page that caused the
/// commit to be fetched once more; the links that were written are known by then and are not queued again.
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
        withdrawn: std::mem::take(&mut commit.withdrawn),
        ..Commit::default()
    })?;
    for part in by_link(&mut commit) {
        write(part)?;
    }
    pieces(recalled, |recalled| {
        write(Commit {
            recalled,
            ..Commit::default()
        })
    })?;
    // What the page taught goes with it: written apart, a crash in between would forget it or count it twice.
    let mut last = Commit {
        settled: commit.settled,
        state: commit.state,
        ..Commit::default()
    };
    while last.settled.len() + last.state.len() > ITEMS {
        let most = ITEMS.min(last.state.len());
        let first = Commit {
            state: last.state.drain(..most).collect(),
            settled: if most == 0 {
                last.settled.drain(..ITEMS).collect()
            } else {
                Vec::new()
            },
            ..Commit::default()
        };
        write(first)?;
    }
    write(last)
}

/// Takes the links out of a commit, in parts of which each holds queue or ledger entries together with
/// their own names of the seen-set; names that belong to no entry come last.
fn by_link(commit: &mut Commit) -> Vec<Commit> {
    // An entry brings at most itself and two names.
    const ENTRIES: usize = ITEMS / 3;
    let mut parts: Vec<Commit> = Vec::new();
    let mut part_of: FxHashMap<u64, usize> = FxHashMap::default();
    let mut note = |admitted: &Admitted, part: usize| {
        for name in [admitted.key, admitted.class] {
            part_of.entry(name.url()).or_insert(part);
        }
    };
    let mut entries = 0;
    for entry in std::mem::take(&mut commit.ledger) {
        let part = part_for(&mut parts, &mut entries, ENTRIES);
        note(&entry.admitted, part);
        parts[part].ledger.push(entry);
    }
    for entry in std::mem::take(&mut commit.queued) {
        let part = part_for(&mut parts, &mut entries, ENTRIES);
        note(&entry.admitted, part);
        parts[part].queued.push(entry);
    }
    let mut others = Vec::new();
    for (name, reason) in std::mem::take(&mut commit.seen) {
        match part_of.get(&name.url()) {
            Some(&part) => parts[part].seen.push((name, reason)),
            None => others.push((name, reason)),
        }
    }
    parts.extend(others.chunks(ITEMS).map(|seen| Commit {
        seen: seen.to_vec(),
        ..Commit::default()
    }));
    parts
}

/// The part that the next entry goes to.
fn part_for(parts: &mut Vec<Commit>, entries: &mut usize, most: usize) -> usize {
    if entries.is_multiple_of(most) {
        parts.push(Commit::default());
    }
    *entries += 1;
    parts.len() - 1
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Candidate, LedgerEntry, Queued, RawUrl, SeenAs, Ticket, Via};

    fn link(n: usize) -> Admitted {
        let text = format!("http://h.example/{n}");
        let link = Candidate::resolve(RawUrl::new(&text), &Via::seed()).unwrap();
        link.seal(&Via::seed(), 0)
    }

    #[test]
    fn a_link_and_its_names_are_written_together_and_the_page_is_settled_last_with_what_it_taught()
    {
        let links: Vec<Admitted> = (0..5000).map(link).collect();
        let commit = Commit {
            seen: links.iter().map(|l| (l.key, SeenAs::Admitted)).collect(),
            ledger: links[..1000]
                .iter()
                .map(|l| LedgerEntry {
                    belief: crate::BeliefId::STATIC,
                    stage: None,
                    admitted: l.clone(),
                })
                .collect(),
            queued: links[1000..]
                .iter()
                .map(|l| Queued {
                    admitted: l.clone(),
                    attempt: 0,
                })
                .collect(),
            settled: vec![Ticket {
                host: links[0].url.host().clone(),
                position: 0,
                priority: 0,
            }],
            state: (0..ITEMS + 100)
                .map(|n| (n.to_string(), Some(Vec::new())))
                .collect(),
            ..Commit::default()
        };
        let mut parts = Vec::new();
        in_safe_order(commit, |part| {
            parts.push(part);
            Ok(())
        })
        .unwrap();
        let mut written = 0;
        for part in &parts {
            let entries = part.queued.iter().map(|q| &q.admitted);
            let entries = entries.chain(part.ledger.iter().map(|l| &l.admitted));
            let keys: HashSet<_> = entries.map(|a| a.key).collect();
            assert_eq!(keys, part.seen.iter().map(|(key, _)| *key).collect());
            assert!(part.seen.len() + keys.len() <= ITEMS);
            written += keys.len();
        }
        assert_eq!(written, links.len());
        let settling = parts.iter().position(|part| !part.settled.is_empty());
        assert_eq!(settling, Some(parts.len() - 1));
        let taught = parts.iter().flat_map(|part| &part.state);
        assert_eq!(taught.count(), ITEMS + 100);
        assert!(!parts[parts.len() - 1].state.is_empty());
    }
}
