//! A lease comes back: learn, admit the page's links, and commit all of it together.

use std::{
    sync::{PoisonError, RwLockReadGuard, atomic::Ordering},
    time::Instant,
};

use rustc_hash::FxHashSet;

use super::{
    Inner, LocalFrontier,
    admit::{Source, reason_of_class},
    tally::{beliefs_with_a_ledger, hosts_of_belief},
    waiting::Then,
};
use crate::{
    BeliefId, Candidate, CanonicalUrl, Commit, Decision, Effects, FetchFailure, Fingerprint,
    FrontierError, HostKey, Lease, LedgerEntry, Observation, Origin, Outcome, Phase, Queued,
    RawUrl, SeenAs, Standing, Via,
};

/// A class whose page could not be fetched gets this many further spellings fetched, one by one: those
/// that wait in the ledger, or else the next that are found.
pub(super) const SECOND_CHANCES: u8 = 2;

/// Classes whose second chances are remembered.
const CHANCES_IN_MEMORY: usize = 1 << 16;

/// Spellings of a class among which the target of a redirect is looked for.
const SPELLINGS_SEARCHED: usize = 4096;

/// Ledger entries that return in one commit: few enough for a store to write it, with its counters, in one
/// piece. A kill between pieces loses no entry, but would count it where it no longer is.
const RECALLED_AT_ONCE: usize = 256;

/// Pages observed between two occasions for the stages to put their state in order.
const CHECKPOINT_EVERY: u64 = 256;

/// State key prefix of withdrawals whose ledger has not come back wholly yet.
const WITHDRAWING: &str = "frontier/withdrawing/";

/// State key of the shaken beliefs whose ledgers have not been judged again wholly yet: their names, eight
/// octets each.
const SHAKEN: &str = "frontier/shaken";

impl LocalFrontier {
    pub(super) fn observe_lease(
        &self,
        lease: &Lease,
        outcome: &Outcome<'_>,
        out: &mut Vec<Decision>,
    ) -> Result<(), FrontierError> {
        let host = lease.url().host().clone();
        let result = {
            let _under_way = self.observing();
            match outcome {
                Outcome::Failed(failure) if failure.retry_after.is_some() => {
                    self.retry(lease, failure)
                }
                _ => self.settle(lease, outcome, out),
            }
        };
        // Whatever went wrong, the host must not wait for this lease for ever.
        self.inner().rotation.lease_back(&host, Instant::now());
        result?;
        if self.is_time_for_a_checkpoint() {
            self.checkpoint()?;
        }
        Ok(())
    }

    fn retry(&self, lease: &Lease, failure: &FetchFailure) -> Result<(), FrontierError> {
        let mut inner = self.inner();
        inner
            .tally
            .count(&*self.store, lease.url().host(), |counts| {
                counts.retried += u64::from(!failure.made_no_request());
            })?;
        // The entry stays in the store's queue, handed out: a restart offers it again at once.
        let at = Instant::now() + failure.retry_after.unwrap_or_default();
        let queued = Queued {
            admitted: lease.admitted.clone(),
            attempt: lease.attempt.saturating_add(1),
        };
        inner.rotation.retry_at(at, lease.ticket.clone(), queued);
        Ok(())
    }

    fn settle(
        &self,
        lease: &Lease,
        outcome: &Outcome<'_>,
        out: &mut Vec<Decision>,
    ) -> Result<(), FrontierError> {
        let admitted = &lease.admitted;
        let points_to = target_of(outcome, &admitted.url);
        let mut effects = self.effects();
        self.chain.observe(
            &Observation {
                url: admitted,
                outcome,
                points_to: points_to.as_ref(),
            },
            &mut effects,
        );

        let base = match outcome {
            Outcome::Fetched(page) => page
                .base
                .and_then(|base| admitted.url.as_url().join(base).ok()),
            _ => None,
        };
        let via = Via::page(&admitted.url)
            .at_depth(admitted.depth)
            .after_redirects(admitted.redirects)
            .with_base(base.as_ref());
        let (via, links): (Via<'_>, &[RawUrl<'_>]) = match outcome {
            Outcome::Fetched(page) if page.is_success() => (via, page.links),
            Outcome::Redirected { target, .. } => {
                (via.found_by(Origin::Redirect), std::slice::from_ref(target))
            }
            _ => (via, &[]),
        };
        let mut batch = self.take_batch();
        self.chain.judge(&via, links, &mut batch);

        let mut inner = self.inner();
        self.count_outcome(&mut inner, lease, outcome, &effects)?;
        let mut commit = Commit {
            settled: vec![lease.ticket.clone()],
            ..Commit::default()
        };
        let own_class = Fingerprint::of_class(admitted.url.as_url(), admitted.url.as_str());
        if admitted.class != own_class {
            // It may have moved into another class since it was admitted.
            commit
                .seen
                .push((admitted.class, reason_of_class(admitted)));
        }
        let source = Source {
            class: admitted.class,
        };
        let mut commit = self.admit_into(
            &mut inner,
            commit,
            &via,
            links,
            &mut batch,
            Some(&source),
            out,
        )?;
        self.give_batch(batch);
        if let (Outcome::Redirected { .. }, Some(target)) = (outcome, &points_to) {
            self.recall_target(&mut inner, &mut commit, lease, target)?;
        }
        if is_lost(outcome) {
            if admitted.probe.is_none() {
                self.give_second_chance(&mut inner, &mut commit, lease)?;
            }
        } else {
            inner.second_chances.remove(&admitted.class.url());
        }
        self.apply(&mut inner, effects, commit)
    }

    /// A link may have been dropped because the URL that now redirects to it stood for its class: then it
    /// is the page itself, and is fetched after all.
    fn recall_target(
        &self,
        inner: &mut Inner,
        commit: &mut Commit,
        lease: &Lease,
        target: &CanonicalUrl,
    ) -> Result<(), FrontierError> {
        let key = Fingerprint::of(target.as_url(), target.as_str());
        let mut found = Vec::with_capacity(1);
        self.store.lookup(&[key], &mut found)?;
        if found.first() != Some(&Some(SeenAs::Dropped)) {
            return Ok(());
        }
        let mut entries =
            self.store
                .dropped_in_class(target.host(), lease.admitted.class, SPELLINGS_SEARCHED)?;
        entries.retain(|entry| entry.admitted.key == key);
        self.requeue_into(inner, commit, entries, Then::Fetch)
    }

    fn count_outcome(
        &self,
        inner: &mut Inner,
        lease: &Lease,
        outcome: &Outcome<'_>,
        effects: &Effects,
    ) -> Result<(), FrontierError> {
        let is_probe = lease.admitted.probe.is_some();
        let made_no_request =
            matches!(outcome, Outcome::Failed(failure) if failure.made_no_request());
        if let Some(probe) = lease.admitted.probe
            && !made_no_request
        {
            inner
                .tally
                .count_belief(&*self.store, probe.belief, lease.url().host(), |counts| {
                    counts.explored += 1;
                    match effects.probe_was_duplicate {
                        Some(true) => counts.explored_duplicates += 1,
                        Some(false) => counts.explored_new += 1,
                        None => {}
                    }
                })?;
        }
        inner
            .tally
            .count(&*self.store, lease.url().host(), |counts| {
                match outcome {
                    Outcome::Fetched(page) => {
                        counts.fetched += 1;
                        counts.bytes += page.bytes;
                        counts.broken += u64::from(!page.is_success());
                    }
                    Outcome::Redirected { .. } => {
                        counts.fetched += 1;
                        counts.redirected += 1;
                    }
                    Outcome::Failed(failure) => {
                        *counts.failed.entry(failure.code.to_owned()).or_default() += 1;
                        if failure.made_no_request() {
                            return;
                        }
                        counts.fetched += 1;
                    }
                }
                if is_probe {
                    counts.explored += 1;
                    match effects.probe_was_duplicate {
                        Some(true) => counts.explored_duplicates += 1,
                        Some(false) => counts.explored_new += 1,
                        None => {}
                    }
                }
            })?;
        Ok(())
    }

    /// Lets the stages write down what they have not handed over, while no page is being observed:
    /// what they know is then exactly what is committed.
    pub(super) fn checkpoint(&self) -> Result<(), FrontierError> {
        let _alone = self.observing.write();
        let mut inner = self.inner();
        let mut effects = self.effects();
        self.chain.checkpoint(&mut effects);
        self.apply(&mut inner, effects, Commit::default())
    }

    /// Effects for the stages to fill.
    fn effects(&self) -> Effects {
        Effects {
            forgets_state: self.forgets_state,
            ..Effects::default()
        }
    }

    /// Held while a page is observed, from the first stage that learns to the commit.
    fn observing(&self) -> RwLockReadGuard<'_, ()> {
        self.observing
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn is_time_for_a_checkpoint(&self) -> bool {
        let before = self.observed.fetch_add(1, Ordering::Relaxed);
        before % CHECKPOINT_EVERY == CHECKPOINT_EVERY - 1
    }

    /// Writes a commit together with what the stages asked for, then lets the ledgers of fallen
    /// beliefs come back.
    pub(super) fn apply(
        &self,
        inner: &mut Inner,
        effects: Effects,
        mut commit: Commit,
    ) -> Result<(), FrontierError> {
        commit.seen.extend(effects.known);
        commit.state.extend(effects.state);
        for (host, belief) in &effects.withdrawn {
            commit
                .state
                .push((withdrawal_key(host, *belief), Some(Vec::new())));
        }
        commit.withdrawn.extend(effects.withdrawn.iter().cloned());
        if !effects.shaken.is_empty() {
            let names = (effects.shaken.iter()).flat_map(|belief| belief.to_bits().to_le_bytes());
            commit
                .state
                .push((SHAKEN.to_owned(), Some(names.collect())));
        }
        // With the page that caused it: nobody would remember it after a kill.
        for (host, class) in &effects.recall {
            let entries = (self.store).dropped_in_class(host, *class, RECALLED_AT_ONCE)?;
            self.requeue_into(inner, &mut commit, entries, Then::Fetch)?;
        }
        self.commit(inner, commit)?;
        for (host, belief) in &effects.withdrawn {
            self.finish_withdrawal(inner, host, *belief)?;
        }
        self.judge_ledger_again(inner, &effects.shaken)?;
        for (host, class) in &effects.recall {
            loop {
                let entries = self
                    .store
                    .dropped_in_class(host, *class, RECALLED_AT_ONCE)?;
                if entries.is_empty() {
                    break;
                }
                self.requeue(inner, entries, Then::Fetch)?;
            }
        }
        Ok(())
    }

    fn finish_withdrawal(
        &self,
        inner: &mut Inner,
        host: &HostKey,
        belief: BeliefId,
    ) -> Result<(), FrontierError> {
        // The stage names one host; the belief may have spoken for others of the same site.
        let mut hosts = hosts_of_belief(&*self.store, belief)?;
        if !hosts.contains(host) {
            hosts.push(host.clone());
        }
        for host in &hosts {
            loop {
                let entries = self.store.dropped_by(host, belief, RECALLED_AT_ONCE)?;
                if entries.is_empty() {
                    break;
                }
                self.requeue(inner, entries, Then::JudgeByOthers)?;
            }
        }
        let commit = Commit {
            state: vec![(withdrawal_key(host, belief), None)],
            ..Commit::default()
        };
        self.commit(inner, commit)
    }

    /// Takes back what shaken beliefs dropped and would not drop now.
    fn judge_ledger_again(
        &self,
        inner: &mut Inner,
        shaken: &[BeliefId],
    ) -> Result<(), FrontierError> {
        if shaken.is_empty() {
            return Ok(());
        }
        let shaken: FxHashSet<BeliefId> = shaken.iter().copied().collect();
        let mut back = Vec::new();
        self.store.ledger_scan(&mut |_, entry| {
            if shaken.contains(&entry.belief) && !self.is_still_dropped(&entry) {
                back.push(entry);
            }
            true
        })?;
        // In an order that does not depend on how the store keeps them.
        back.sort_unstable_by_key(|entry| entry.admitted.key);
        let mut back = back.into_iter();
        loop {
            let some: Vec<LedgerEntry> = back.by_ref().take(RECALLED_AT_ONCE).collect();
            if some.is_empty() {
                break;
            }
            self.requeue(inner, some, Then::Judge)?;
        }
        let commit = Commit {
            state: vec![(SHAKEN.to_owned(), None)],
            ..Commit::default()
        };
        self.commit(inner, commit)
    }

    /// Whether the belief that dropped a link would drop it now. Asks no store: one is being read.
    fn is_still_dropped(&self, entry: &LedgerEntry) -> bool {
        let admitted = &entry.admitted;
        let via = Via::seed()
            .found_by(admitted.origin)
            .at_depth(admitted.depth.saturating_sub(1));
        let mut link = Candidate::of_admitted(admitted);
        let again = self.chain.judge_again(Phase::AfterSeen, &via, &mut link);
        again.is_err_and(|dropped| dropped.reason.belief() == Some(entry.belief))
    }

    /// Takes back what beliefs dropped that no stage of the chain holds any more: their state could not
    /// be read, or they fell as it was. What a stage dropped that is not in this chain waits for it.
    pub(super) fn recall_orphans(&self) -> Result<(), FrontierError> {
        let mut orphans: Vec<(HostKey, BeliefId)> = Vec::new();
        for (belief, host) in beliefs_with_a_ledger(&*self.store)? {
            let is_held = match self.chain.belief(belief) {
                Some(record) => record.standing == Standing::Active,
                None => self.chain.describe(belief).is_some(),
            };
            if is_held {
                continue;
            }
            let waiting = self.store.dropped_by(&host, belief, 1)?;
            let stage = waiting.first().and_then(|entry| entry.stage.as_deref());
            if stage.is_some_and(|name| self.chain.stages().any(|stage| stage.name() == name)) {
                orphans.push((host, belief));
            }
        }
        if orphans.is_empty() {
            return Ok(());
        }
        tracing::info!(
            beliefs = orphans.len(),
            "links that waited on the word of beliefs no longer held are queued again"
        );
        let effects = Effects {
            withdrawn: orphans,
            ..self.effects()
        };
        self.apply(&mut self.inner(), effects, Commit::default())
    }

    /// Completes withdrawals that an earlier process began.
    pub(super) fn finish_withdrawals(&self) -> Result<(), FrontierError> {
        let mut pending: Vec<(HostKey, BeliefId)> = Vec::new();
        self.store.state_scan(WITHDRAWING, &mut |key, _| {
            let name = &key[WITHDRAWING.len()..];
            if let Some((belief, host)) = name.split_once('/')
                && let Ok(bits) = u64::from_str_radix(belief, 16)
            {
                pending.push((HostKey::from_text(host), BeliefId::from_bits(bits)));
            }
        })?;
        let mut inner = self.inner();
        for (host, belief) in pending {
            self.finish_withdrawal(&mut inner, &host, belief)?;
        }
        let shaken = self.store.state(SHAKEN)?.unwrap_or_default();
        let shaken: Vec<BeliefId> = (shaken.chunks_exact(8))
            .filter_map(|name| {
                Some(BeliefId::from_bits(u64::from_le_bytes(
                    name.try_into().ok()?,
                )))
            })
            .collect();
        self.judge_ledger_again(&mut inner, &shaken)
    }

    /// The page that stood for its class could not be fetched: another spelling may be luckier.
    fn give_second_chance(
        &self,
        inner: &mut Inner,
        commit: &mut Commit,
        lease: &Lease,
    ) -> Result<(), FrontierError> {
        let class = lease.admitted.class;
        if inner.second_chances.len() >= CHANCES_IN_MEMORY {
            inner.second_chances.clear();
        }
        let used = *inner.second_chances.entry(class.url()).or_default();
        if used >= SECOND_CHANCES {
            return Ok(());
        }
        // The ledger lies with the link that was dropped; static normalization merges `www.` and the
        // bare host.
        let host = lease.url().host();
        for host in [host.clone(), with_or_without_www(host)] {
            let heirs = self.store.dropped_in_class(&host, class, 1)?;
            if !heirs.is_empty() {
                inner.second_chances.insert(class.url(), used + 1);
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

fn withdrawal_key(host: &HostKey, belief: BeliefId) -> String {
    format!("{WITHDRAWING}{belief}/{host}")
}

/// Where a redirect or a `rel=canonical` points.
fn target_of(outcome: &Outcome<'_>, page: &CanonicalUrl) -> Option<CanonicalUrl> {
    let text = match outcome {
        Outcome::Redirected { target, .. } => target.as_str(),
        Outcome::Fetched(fetched) => fetched.canonical?,
        Outcome::Failed(_) => return None,
    };
    CanonicalUrl::resolve(text, Some(page.as_url())).ok()
}

/// Whether the page behind a URL was not to be had.
fn is_lost(outcome: &Outcome<'_>) -> bool {
    match outcome {
        Outcome::Fetched(page) => !page.is_success(),
        Outcome::Redirected { .. } => false,
        Outcome::Failed(_) => true,
    }
}
