//! Which URLs could not be had, and may be another day?
//!
//! A server that is down for an hour takes with it what is asked of it in that hour: after its tries a URL is settled like
//! any other, so that a page which never answers holds up no crawl. Where the trouble may have been a passing one its link is
//! kept, in the commit that settles it, until it is asked for again.

use serde::{Deserialize, Serialize};

use super::{
    Inner, LocalFrontier,
    recall::{NEVER_JUDGED, RECALLED_AT_ONCE},
};
use crate::{
    Admitted, Commit, FetchFailure, Fingerprint, FrontierError, Lease, Outcome, Queued, Store,
    StoreError, stats::Counts,
};

/// State key prefix of the links that are kept.
const PREFIX: &str = "frontier/unanswered/";

/// How many links are kept.
#[derive(Debug, Default)]
pub(super) struct Unanswered(u64);

impl Unanswered {
    pub(super) fn load(store: &dyn Store) -> Result<Self, StoreError> {
        let mut links = 0;
        store.state_scan(PREFIX, &mut |_, _| links += 1)?;
        Ok(Self(links))
    }

    pub(super) const fn len(&self) -> u64 {
        self.0
    }

    /// Keeps the link of a lease, if what came of it may pass, in the commit that settles it.
    pub(super) fn note(&mut self, commit: &mut Commit, lease: &Lease, outcome: &Outcome<'_>) {
        if !outcome.may_pass() {
            return;
        }
        let link = Kept {
            admitted: lease.admitted.clone(),
            failed_as: match outcome {
                Outcome::Failed(failure) => Some(failure.code.to_owned()),
                _ => None,
            },
        };
        self.0 += 1;
        let key = key_of(lease.admitted.key);
        commit.state.push((key, Some(link.to_bytes())));
    }
}

/// Whether a link is kept.
pub(super) fn is_kept(store: &dyn Store, name: Fingerprint) -> Result<bool, StoreError> {
    Ok(store.state(&key_of(name))?.is_some())
}

/// A link that is kept.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    admitted: Admitted,
    /// The code of its failure; `None` where the server answered with an error.
    failed_as: Option<String>,
}

impl Kept {
    fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("links are texts and numbers, which JSON can hold")
    }

    fn read(key: &str, bytes: &[u8]) -> Option<Self> {
        let read = serde_json::from_slice(bytes);
        read.inspect_err(|why| tracing::warn!(key, "a link that failed is not readable: {why}"))
            .ok()
    }

    fn made_a_request(&self) -> bool {
        let code = self.failed_as.as_deref();
        !code.is_some_and(FetchFailure::is_before_a_request)
    }

    /// Takes its end out of what was counted: what was a fetch was a try of one.
    fn uncount(&self, counts: &mut Counts) {
        let less_one = |n: &mut u64| *n = n.saturating_sub(1);
        match &self.failed_as {
            None => less_one(&mut counts.broken),
            Some(code) => {
                if let Some(n) = counts.failed.get_mut(code) {
                    less_one(n);
                    if *n == 0 {
                        counts.failed.remove(code);
                    }
                }
            }
        }
        counts.waiting_again += u64::from(self.admitted.waits_again);
        if !self.made_a_request() {
            return;
        }
        less_one(&mut counts.fetched);
        counts.retried += 1;
        if self.admitted.probe.is_some() {
            less_one(&mut counts.explored);
        }
        if self.admitted.waits_again {
            less_one(&mut counts.returned);
        }
    }
}

impl LocalFrontier {
    /// Queues again the links whose fetches [failed](FetchFailure) or brought an error of the server, where that
    /// [may have passed](FetchFailure::may_pass) since: each is judged like any other link that waited, and has all its tries. Returns
    /// how many there are.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn retry_failed(&self) -> Result<u64, FrontierError> {
        let mut inner = self.inner();
        let mut keys: Vec<String> = Vec::new();
        self.store
            .state_scan(PREFIX, &mut |key, _| keys.push(key.to_owned()))?;
        let mut all = 0;
        for some in keys.chunks(RECALLED_AT_ONCE) {
            let mut commit = Commit::default();
            for key in some {
                if let Some(bytes) = self.store.state(key)?
                    && let Some(kept) = Kept::read(key, &bytes)
                {
                    self.ask_again(&mut inner, &mut commit, kept)?;
                    commit.state.push((key.clone(), None));
                }
            }
            let queued = commit.queued.len() as u64;
            self.commit(&mut inner, commit)?;
            inner.unanswered.0 = inner.unanswered.0.saturating_sub(queued);
            all += queued;
        }
        Ok(all)
    }

    fn ask_again(
        &self,
        inner: &mut Inner,
        commit: &mut Commit,
        kept: Kept,
    ) -> Result<(), FrontierError> {
        let host = kept.admitted.url.host();
        if let Some(probe) = kept.admitted.probe.filter(|_| kept.made_a_request()) {
            (inner.tally).count_belief(&*self.store, probe.belief, host, |counts| {
                counts.explored = counts.explored.saturating_sub(1);
            })?;
        }
        (inner.tally).count(&*self.store, host, |counts| kept.uncount(counts))?;
        commit.queued.push(Queued {
            admitted: Admitted {
                // Whether it is worth exploring is asked anew.
                probe: None,
                generation: NEVER_JUDGED,
                ..kept.admitted
            },
            attempt: 0,
        });
        Ok(())
    }
}

fn key_of(name: Fingerprint) -> String {
    format!("{PREFIX}{:016x}{:016x}", name.host(), name.url())
}
