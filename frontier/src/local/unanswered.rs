//! URLs that could not be fetched and may be available another day.
//!
//! If a server is down for an hour, everything asked of it in that hour fails. After its tries, a URL is settled like any
//! other, so that a page that never answers does not hold up a crawl. If the trouble may pass, the link is kept, in the
//! commit that settles it. When it is asked for again, it stays kept and counted as it is until it is settled anew; then its
//! first fetch counts as a try of the new one.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::{
    Inner, LocalFrontier, SETTLED, known_duplicate,
    recall::{NEVER_JUDGED, RECALLED_AT_ONCE},
};
use crate::{
    Admitted, BeliefCounts, BeliefId, Commit, Dropped, FetchFailure, Fingerprint, FrontierError,
    HostKey, LedgerEntry, Origin, Outcome, Queued, Store, StoreError, stats::Counts,
};

/// State key prefix of the links that are kept.
const PREFIX: &str = "frontier/unanswered/";

/// Links that are kept at most: each takes some hundred octets of memory. Of further ones it is told that they are not.
const MOST: usize = 1 << 18;

/// What a link is kept as: the page that it stands for, and its own name.
type Name = (Fingerprint, Fingerprint);

/// The links that are kept.
#[derive(Debug, Default)]
pub(super) struct Unanswered {
    /// Those of one page beside each other, and whether each is asked for again.
    all: BTreeMap<Name, bool>,
    /// The page of each, when it was kept.
    pages: FxHashMap<Fingerprint, Fingerprint>,
    /// How many are asked for again.
    queued: usize,
    /// Whether it was told that there is no more room.
    is_told: bool,
}

impl Unanswered {
    pub(super) fn load(store: &dyn Store) -> Result<Self, StoreError> {
        let mut loaded = Self::default();
        store.state_scan(PREFIX, &mut |key, bytes| {
            if let Some(kept) = Kept::read(key, bytes) {
                loaded.put(name_as(&kept.admitted), kept.is_queued);
            }
        })?;
        Ok(loaded)
    }

    /// How many are kept, and not asked for again so far.
    pub(super) fn len(&self) -> u64 {
        (self.all.len() - self.queued) as u64
    }

    /// Whether there is room for one more; the first time that there is none is told.
    fn has_room(&mut self) -> bool {
        let has_room = self.all.len() < MOST;
        if !has_room && !std::mem::replace(&mut self.is_told, true) {
            tracing::warn!(
                "{MOST} links that could not be had are kept to be asked for again, and no more: further ones are given up"
            );
        }
        has_room
    }

    /// Whether a link is kept.
    pub(super) fn has(&self, own: Fingerprint) -> bool {
        self.pages.contains_key(&own)
    }

    fn put(&mut self, name: Name, is_queued: bool) {
        self.remove(name.1);
        self.all.insert(name, is_queued);
        self.pages.insert(name.1, name.0);
        self.queued += usize::from(is_queued);
    }

    /// Forgets a link, and answers what it was kept as.
    fn remove(&mut self, own: Fingerprint) -> Option<Name> {
        let name = (self.pages.remove(&own)?, own);
        let was_queued = self.all.remove(&name)?;
        self.queued -= usize::from(was_queued);
        Some(name)
    }

    /// Others of a page, and whether each is asked for again.
    fn beside(&self, (page, own): Name) -> impl Iterator<Item = (Name, bool)> {
        let of_page = (page, Fingerprint::from_parts(0, 0))..;
        (self.all.range(of_page))
            .map(|(name, is_queued)| (*name, *is_queued))
            .take_while(move |(other, _)| other.0 == page)
            .filter(move |(other, _)| other.1 != own)
    }

    /// Of each page that no link is asked for again of, the first.
    fn firsts(&self) -> Vec<Name> {
        let mut page = None;
        let is_first = |name: &Name| page.replace(name.0) != Some(name.0);
        let firsts = self.all.keys().copied().filter(is_first);
        let mut firsts: Vec<Name> = firsts.collect();
        firsts
            .retain(|name| !self.all[name] && !self.beside(*name).any(|(_, is_queued)| is_queued));
        firsts
    }
}

/// A link that is kept.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    admitted: Admitted,
    /// The code of its failure; `None` where the server answered with an error.
    failed_as: Option<String>,
    /// The status, if one came.
    status: Option<u16>,
    is_queued: bool,
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
        // It counts as one that waits no more when it is settled anew.
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
    /// Queues again the links whose fetches [failed](FetchFailure) or brought a server error, where the cause [may have
    /// passed](FetchFailure::may_pass) since. Each is judged like any other link that waited, and gets all its tries. Of several
    /// spellings of one page, only one is queued: the next follows if it fails, too, and none if it brings the page. Returns how
    /// many links now wait to be asked for again, including those that were queued before.
    ///
    /// ```
    /// use std::time::Instant;
    /// use nodust_frontier::{
    ///     Chain, FetchFailure, Frontier, LocalFrontier, Outcome, RawUrl, Turn, Via, frontier::Open,
    /// };
    ///
    /// let frontier = LocalFrontier::builder(Chain::new()).build()?;
    /// let mut decisions = Vec::new();
    /// frontier.admit(&Via::seed(), &[RawUrl::new("http://a.example/")], &mut decisions)?;
    /// if let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open)? {
    ///     let failure = FetchFailure {
    ///         code: "timeout",
    ///         detail: "no answer in 30 s, for the last time".to_owned(),
    ///         status: None,
    ///         retry_after: None,
    ///         may_pass: true,
    ///     };
    ///     frontier.observe(lease, &Outcome::Failed(failure), &mut decisions)?;
    /// }
    /// assert!(matches!(frontier.lease(Instant::now(), &Open)?, Turn::Drained));
    /// assert_eq!(frontier.totals().to_retry, 1);
    /// // Another day, on the same store:
    /// assert_eq!(frontier.retry_failed()?, 1);
    /// assert!(matches!(frontier.lease(Instant::now(), &Open)?, Turn::Fetch(_)));
    /// # Ok::<(), nodust_frontier::FrontierError>(())
    /// ```
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub fn retry_failed(&self) -> Result<u64, FrontierError> {
        self.changing(|inner| {
            let firsts = inner.unanswered.firsts();
            for some in firsts.chunks(RECALLED_AT_ONCE) {
                let mut commit = Commit::default();
                for name in some {
                    self.ask_again(inner, &mut commit, *name)?;
                }
                self.commit(inner, commit)?;
            }
            Ok(inner.unanswered.queued as u64)
        })
    }

    fn kept(&self, own: Fingerprint) -> Result<Option<Kept>, FrontierError> {
        let key = key_of(own);
        let bytes = self.store.state(&key)?;
        Ok(bytes.and_then(|bytes| Kept::read(&key, &bytes)))
    }

    /// Of a link that is kept, why it is.
    pub(super) fn kept_for(&self, own: Fingerprint) -> Result<Option<String>, FrontierError> {
        Ok(self
            .kept(own)?
            .map(|kept| match (kept.failed_as, kept.status) {
                (Some(code), _) => code,
                (None, Some(status)) => format!("status {status}"),
                (None, None) => "no answer".to_owned(),
            }))
    }

    /// Queues one again.
    fn ask_again(
        &self,
        inner: &mut Inner,
        commit: &mut Commit,
        name: Name,
    ) -> Result<(), FrontierError> {
        let Some(mut kept) = self.kept(name.1)? else {
            return Ok(());
        };
        kept.is_queued = true;
        commit.state.push((key_of(name.1), Some(kept.to_bytes())));
        inner.unanswered.put(name, true);
        commit.queued.push(Queued {
            admitted: Admitted {
                generation: match kept.admitted.generation {
                    SETTLED => SETTLED,
                    _ => NEVER_JUDGED,
                },
                ..kept.admitted
            },
            attempt: 0,
        });
        Ok(())
    }

    /// Notes what came of a link when it is settled: keeps it, if that may pass, and lets go of what is not needed any more. Answers
    /// whether its end before stands: it was asked for then, and could not be now.
    pub(super) fn note_answer(
        &self,
        inner: &mut Inner,
        commit: &mut Commit,
        admitted: &Admitted,
        outcome: &Outcome<'_>,
    ) -> Result<bool, FrontierError> {
        if let Outcome::Failed(failure) = outcome
            && failure.made_no_request()
            && inner.unanswered.has(admitted.key)
            && let Some(kept) = self.kept(admitted.key)?
            && kept.made_a_request()
        {
            let name = inner.unanswered.remove(admitted.key);
            let mut bytes = None;
            if let Some(name) = name.filter(|_| failure.may_pass) {
                inner.unanswered.put(name, false);
                let kept = Kept {
                    is_queued: false,
                    ..kept
                };
                bytes = Some(kept.to_bytes());
            }
            commit.state.push((key_of(admitted.key), bytes));
            return Ok(true);
        }
        self.note_new_end(inner, commit, admitted, outcome)?;
        Ok(false)
    }

    fn note_new_end(
        &self,
        inner: &mut Inner,
        commit: &mut Commit,
        admitted: &Admitted,
        outcome: &Outcome<'_>,
    ) -> Result<(), FrontierError> {
        let was = self.let_go(inner, commit, admitted)?;
        let name = was.unwrap_or_else(|| name_as(admitted));
        if outcome.may_pass() && inner.unanswered.has_room() {
            let (failed_as, status) = match outcome {
                Outcome::Failed(failure) => (Some(failure.code.to_owned()), failure.status),
                Outcome::Fetched(page) => (None, Some(page.status)),
                Outcome::Redirected { .. } => (None, None),
            };
            let kept = Kept {
                admitted: admitted.clone(),
                failed_as,
                status,
                is_queued: false,
            };
            inner.unanswered.put(name_as(admitted), false);
            commit.state.push((key_of(name.1), Some(kept.to_bytes())));
        }
        match outcome {
            Outcome::Fetched(page) if page.is_success() => self.page_is_had(inner, commit, name),
            // Where it leads may be the page, or not: its other spellings stay kept.
            Outcome::Redirected { .. } => Ok(()),
            _ if was.is_some() => {
                let others = inner.unanswered.beside(name);
                let mut behind = others.filter(|(other, is_queued)| !is_queued && *other > name);
                let next = behind.next();
                drop(behind);
                next.map_or(Ok(()), |(next, _)| self.ask_again(inner, commit, next))
            }
            _ => Ok(()),
        }
    }

    /// Lets go of the other spellings of a page that is there, whatever they did not bring: those that a belief made one with it wait in
    /// the ledger, in case it falls.
    fn page_is_had(
        &self,
        inner: &mut Inner,
        commit: &mut Commit,
        name: Name,
    ) -> Result<(), FrontierError> {
        let others: Vec<_> = inner.unanswered.beside(name).collect();
        for (other, _) in others.into_iter().filter(|(_, is_queued)| !is_queued) {
            let Some(Kept { admitted, .. }) = self.kept(other.1)? else {
                continue;
            };
            let Some(belief) = admitted.merged_by else {
                inner.unanswered.remove(other.1);
                commit.state.push((key_of(other.1), None));
                continue;
            };
            if !(inner.tally).has_fallen(&*self.store, belief, admitted.url.host())? {
                self.let_go(inner, commit, &admitted)?;
                self.drop_kept(inner, commit, admitted, belief)?;
            }
        }
        Ok(())
    }

    /// Puts a link into the ledger whose page was had under another spelling, as if it had been dropped while it waited.
    fn drop_kept(
        &self,
        inner: &mut Inner,
        commit: &mut Commit,
        mut admitted: Admitted,
        belief: BeliefId,
    ) -> Result<(), FrontierError> {
        let dropped = Dropped {
            stage: self.stage_to_credit(belief),
            reason: known_duplicate(belief),
        };
        let host = admitted.url.host();
        let waited_again = admitted.waits_again;
        (inner.tally).count(&*self.store, host, |counts| {
            counts.count_dropped_waiting(&dropped, waited_again);
        })?;
        (inner.tally).count_belief(&*self.store, belief, host, BeliefCounts::count_drop)?;
        self.tell_dropped(admitted.url.as_str(), &dropped, None);
        admitted.waits_again = false;
        commit.ledger.push(LedgerEntry {
            belief,
            stage: Some(dropped.stage.into()),
            admitted,
        });
        Ok(())
    }

    /// Notes that a link was dropped as it was leased: what it is a copy of stands for its other spellings, too.
    pub(super) fn note_dropped(
        &self,
        inner: &mut Inner,
        commit: &mut Commit,
        admitted: &Admitted,
    ) -> Result<(), FrontierError> {
        match self.let_go(inner, commit, admitted)? {
            Some(name) => self.page_is_had(inner, commit, name),
            None => Ok(()),
        }
    }

    /// Lets go of a link that is settled anew, be it fetched or dropped: what was counted of it is not its end. Answers what it was
    /// kept as, if it was.
    fn let_go(
        &self,
        inner: &mut Inner,
        commit: &mut Commit,
        admitted: &Admitted,
    ) -> Result<Option<Name>, FrontierError> {
        let Some(name) = inner.unanswered.remove(admitted.key) else {
            return Ok(None);
        };
        commit.state.push((key_of(admitted.key), None));
        let Some(kept) = self.kept(admitted.key)? else {
            return Ok(Some(name));
        };
        let host: &HostKey = admitted.url.host();
        if let Some(probe) = kept.admitted.probe.filter(|_| kept.made_a_request()) {
            (inner.tally).count_belief(&*self.store, probe.belief, host, |counts| {
                counts.explored = counts.explored.saturating_sub(1);
            })?;
        }
        (inner.tally).count(&*self.store, host, |counts| kept.uncount(counts))?;
        Ok(Some(name))
    }
}

/// What a link is kept as: one of the spellings of its class, but where it is fetched whatever is known of that. A probe is of a class that
/// another page stands for.
fn name_as(admitted: &Admitted) -> Name {
    let is_its_own =
        admitted.probe.is_some() || matches!(admitted.origin, Origin::Seed | Origin::Redirect);
    let page = if is_its_own {
        admitted.key
    } else {
        admitted.class
    };
    (page, admitted.key)
}

fn key_of(own: Fingerprint) -> String {
    format!("{PREFIX}{:016x}{:016x}", own.host(), own.url())
}
