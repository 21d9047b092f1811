//! Tells what has become of a link that was queued.
//!
//! The seen-set knows that it was queued, and the queue whether it still waits. How a fetch ended is counted by host and not
//! kept by URL: so of a link that no longer waits, only what is true of all links of its host can be said.

use super::LocalFrontier;
use crate::{Candidate, Fate, FetchFailure, FrontierError, HostKey, Ticket, stats::Counts};

/// Entries of a host's queue that are looked through for one.
const ENTRIES_LOOKED_THROUGH: usize = 1 << 13;

/// What a look at the queue of a host says of one spelling.
#[derive(Debug, PartialEq, Eq)]
enum InQueue {
    Yes,
    No,
    /// The queue is longer than is looked through.
    Perhaps,
}

impl LocalFrontier {
    /// What became of a spelling that was queued and does not wait in the ledger, and the sentence that says so.
    pub(super) fn whereabouts(&self, link: &Candidate) -> Result<(Fate, String), FrontierError> {
        let host = link.host();
        // Nobody takes from the queue or settles meanwhile.
        let inner = self.inner();
        let in_queue = self.is_in_queue(link)?;
        let counts = inner.tally.of_host(&*self.store, host)?;
        let told = match in_queue {
            InQueue::Yes => (Fate::Queued, "and waits to be fetched".to_owned()),
            InQueue::No if inner.under_way.has_of(host) || inner.rotation.has_retries(host) => (
                Fate::Known,
                "and waits, is being fetched, or was".to_owned(),
            ),
            InQueue::No => match self.kept_for(link.key())? {
                Some(why) => (
                    Fate::ToRetry,
                    format!("was tried, and failed ({why}); it is kept"),
                ),
                None => what_came_of_all(&counts),
            },
            InQueue::Perhaps => (Fate::Known, "and waits to be fetched, or was".to_owned()),
        };
        Ok((
            told.0,
            format!("this spelling was queued before, {}", told.1),
        ))
    }

    /// Takes entry after entry of the queue, as to fetch them, and puts all of them back.
    fn is_in_queue(&self, link: &Candidate) -> Result<InQueue, FrontierError> {
        let (host, key): (&HostKey, _) = (link.host(), link.key());
        let mut taken: Vec<Ticket> = Vec::new();
        let found = loop {
            if taken.len() == ENTRIES_LOOKED_THROUGH {
                break Ok(InQueue::Perhaps);
            }
            match self.store.take(host) {
                Ok(None) => break Ok(InQueue::No),
                Ok(Some((ticket, queued))) => {
                    taken.push(ticket);
                    if queued.admitted.key == key {
                        break Ok(InQueue::Yes);
                    }
                }
                Err(error) => break Err(error.into()),
            }
        };
        // The last one first, so that what memory holds of the queue is a whole beginning at any time.
        for ticket in taken.iter().rev() {
            self.store.put_back(ticket);
        }
        found
    }
}

/// What came of the links of a host that wait no more; of one of them, if it was the same for all.
fn what_came_of_all(counts: &Counts) -> (Fate, String) {
    let failed: u64 = counts.failed.values().sum();
    let unasked: u64 = (counts.failed.iter())
        .filter(|(code, _)| FetchFailure::is_before_a_request(code))
        .map(|(_, failed)| failed)
        .sum();
    let answered = counts.fetched.saturating_sub(failed - unasked);
    let dropped: u64 = (counts.dropped_waiting.values())
        .flat_map(|codes| codes.values())
        .sum();
    let mut codes = Vec::with_capacity(counts.failed.len());
    codes.extend(counts.failed.iter().map(|(code, n)| format!("{code} {n}")));
    let codes = codes.join(", ");
    match (answered, failed, dropped) {
        (1.., 0, 0) => (Fate::Fetched, "and was fetched".to_owned()),
        (0, 1.., 0) => (
            Fate::Failed,
            format!("was tried, and failed, as all of its host did ({codes})"),
        ),
        (0, 0, _) => (Fate::Tried, "and waits no more".to_owned()),
        _ => {
            let failed = match failed {
                0 => String::new(),
                _ => format!(", {failed} failed ({codes})"),
            };
            let dropped = match dropped {
                0 => String::new(),
                _ => format!(", {dropped} were dropped while they waited"),
            };
            let told = format!(
                "and was tried. What came of it is kept by host alone: of its URLs there {answered} were answered{failed}{dropped}"
            );
            (Fate::Tried, told)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(answered: u64, failed: &[(&str, u64)]) -> Counts {
        let asked = failed
            .iter()
            .filter(|(code, _)| !FetchFailure::is_before_a_request(code));
        Counts {
            fetched: answered + asked.map(|(_, n)| n).sum::<u64>(),
            failed: (failed.iter())
                .map(|(code, n)| ((*code).to_owned(), *n))
                .collect(),
            ..Counts::default()
        }
    }

    #[test]
    fn of_one_link_is_said_what_is_true_of_all_of_its_host() {
        let (fate, told) = what_came_of_all(&counts(3, &[]));
        assert_eq!((fate, &*told), (Fate::Fetched, "and was fetched"));
        let (fate, told) = what_came_of_all(&counts(0, &[("robots", 1), ("timeout", 2)]));
        assert_eq!(fate, Fate::Failed);
        assert!(told.contains("(robots 1, timeout 2)"), "{told}");
        let (fate, told) = what_came_of_all(&counts(3, &[("robots", 1), ("timeout", 2)]));
        assert_eq!(fate, Fate::Tried);
        assert!(
            told.contains("3 were answered, 3 failed (robots 1, timeout 2)"),
            "{told}"
        );
        let mut dropped = counts(3, &[]);
        Counts::count(&mut dropped.dropped_waiting, "predict", "over_budget");
        let (fate, told) = what_came_of_all(&dropped);
        assert_eq!(fate, Fate::Tried);
        assert!(told.contains("1 were dropped while they waited"), "{told}");
    }
}
