//! Observes a lease that comes back: learns, admits the page's links, and commits all of it together.

use std::{
    borrow::Cow,
    sync::{PoisonError, RwLockReadGuard, atomic::Ordering},
    time::Instant,
};

use url::Url;

use super::{
    Inner, LocalFrontier, SETTLED,
    admit::{Referrer, reason_of_class},
    back::Ending,
    chances::Page,
    recall::Then,
    rotation::later,
};
use crate::{
    Batch, BeliefId, Candidate, CanonicalUrl, Commit, Decision, Effects, FetchFailure, Fingerprint,
    FrontierError, Lease, LedgerEntry, Observation, Origin, Outcome, Phase, ProbeVerdict, Queued,
    RawUrl, SeenAs, Via,
};

/// Spellings of a class among which the target of a redirect is looked for.
const SPELLINGS_SEARCHED: usize = 4096;

/// Segments of a path down to which links of a page that is not there are followed wherever it lies.
const SHALLOW: usize = 3;

/// Pages observed between two occasions for the stages to put their state in order.
const CHECKPOINT_EVERY: u64 = 256;

impl LocalFrontier {
    pub(super) fn observe_lease(
        &self,
        lease: &Lease,
        outcome: &Outcome<'_>,
        out: &mut Vec<Decision>,
    ) -> Result<(), FrontierError> {
        let mut ending = self.ending(lease);
        let result = {
            let _under_way = self.observing();
            match outcome {
                Outcome::Failed(failure) if failure.retry_after.is_some() => {
                    self.retry(lease, failure, &mut ending)
                }
                _ => self.settle(lease, outcome, out),
            }
        };
        if matches!(outcome, Outcome::Fetched(page) if page.is_success()) {
            ending.has_come();
        }
        drop(ending);
        result?;
        if self.is_time_for_a_checkpoint() {
            self.checkpoint()?;
        }
        Ok(())
    }

    fn retry(
        &self,
        lease: &Lease,
        failure: &FetchFailure,
        ending: &mut Ending<'_>,
    ) -> Result<(), FrontierError> {
        self.changing(|inner| {
            inner
                .tally
                .count(&*self.store, lease.url().host(), |counts| {
                    counts.retried += u64::from(!failure.made_no_request());
                })?;
            // The entry stays in the store's queue, handed out: a restart offers it again at once.
            let at = later(Instant::now(), failure.retry_after.unwrap_or_default());
            let queued = Queued {
                admitted: lease.admitted.clone(),
                attempt: lease.attempt.saturating_add(1),
            };
            inner.rotation.retry_at(at, lease.ticket.clone(), queued);
            // Before anybody else can lease it once more: leases are known by their tickets.
            ending.now(inner);
            Ok(())
        })
    }

    fn settle(
        &self,
        lease: &Lease,
        outcome: &Outcome<'_>,
        out: &mut Vec<Decision>,
    ) -> Result<(), FrontierError> {
        let admitted = &lease.admitted;
        let base = match outcome {
            Outcome::Fetched(page) => page.base_url(&admitted.url),
            _ => None,
        };
        let points_to = target_of(outcome, base.as_ref().unwrap_or(admitted.url.as_url()));
        let mut effects = self.effects();
        self.chain.observe(
            &Observation {
                url: admitted,
                outcome,
                points_to: points_to.as_ref(),
            },
            &mut effects,
        );

        let via = Via::page(&admitted.url)
            .at_depth(admitted.depth)
            .after_redirects(admitted.redirects)
            .with_base(base.as_ref());
        let (via, links): (Via<'_>, Cow<'_, [RawUrl<'_>]>) = match outcome {
            Outcome::Fetched(page) if page.is_success() => (via, page.links.into()),
            Outcome::Fetched(page) if page.is_missing() => (
                via,
                links_beside(&admitted.url, base.as_ref(), page.links).into(),
            ),
            Outcome::Redirected { target, .. } => (
                via.found_by(Origin::Redirect),
                std::slice::from_ref(target).into(),
            ),
            _ => (via, Cow::default()),
        };
        let mut batch = self.take_batch();
        self.chain.judge(&via, &links, &mut batch);

        let settled = self.changing(|inner| {
            let found = (&via, &*links, points_to.as_ref());
            self.settle_judged(inner, lease, outcome, effects, found, &mut batch, out)
        });
        self.give_batch(batch);
        settled
    }

    /// The rest of it under the lock, once the stages have learned and judged the links.
    #[expect(
        clippy::too_many_arguments,
        reason = "all of it is the one page that is settled; a struct would only rename the list"
    )]
    fn settle_judged(
        &self,
        inner: &mut Inner,
        lease: &Lease,
        outcome: &Outcome<'_>,
        effects: Effects,
        (via, links, points_to): (&Via<'_>, &[RawUrl<'_>], Option<&CanonicalUrl>),
        batch: &mut Batch,
        out: &mut Vec<Decision>,
    ) -> Result<(), FrontierError> {
        let admitted = &lease.admitted;
        let mut commit = Commit {
            settled: vec![lease.ticket.clone()],
            ..Commit::default()
        };
        let end_stands = self.note_answer(inner, &mut commit, admitted, outcome)?;
        self.count_outcome(inner, lease, (outcome, end_stands), &effects)?;
        let own_class = Fingerprint::of_class(admitted.url.as_url(), admitted.url.as_str());
        if admitted.class != own_class {
            // It may have moved into another class since it was admitted.
            commit
                .seen
                .push((admitted.class, reason_of_class(admitted)));
        }
        let referrer = Referrer {
            class: admitted.class,
            led_from: admitted.led_from,
            is_followed: matches!(outcome, Outcome::Redirected { .. })
                && (admitted.probe.is_some() || admitted.generation == SETTLED),
            is_copy: admitted.leads_to_copies(outcome, &effects),
        };
        let page = Page::of(&admitted.url, outcome, &referrer, batch, points_to);
        let mut commit = self.admit_into(inner, commit, via, links, batch, Some(&referrer), out)?;
        if let (Outcome::Redirected { .. }, Some(target)) = (outcome, points_to) {
            self.recall_target(inner, &mut commit, &referrer, (via, target))?;
        }
        self.give_chances(inner, &mut commit, lease, &page)?;
        self.apply(inner, effects, commit)
    }

    /// A link may have been dropped because a URL that now leads to it stood for its class: then it
    /// is the page itself, and is fetched after all. So is one that a belief dropped, if its source is
    /// [followed](Referrer::is_followed).
    fn recall_target(
        &self,
        inner: &mut Inner,
        commit: &mut Commit,
        referrer: &Referrer,
        (via, target): (&Via<'_>, &CanonicalUrl),
    ) -> Result<(), FrontierError> {
        let key = Fingerprint::of(target.as_url(), target.as_str());
        let mut found = Vec::with_capacity(1);
        self.store.lookup(&[key], &mut found)?;
        if found.first() != Some(&Some(SeenAs::Dropped)) {
            return Ok(());
        }
        let in_class = |class| -> Result<Option<LedgerEntry>, FrontierError> {
            let all = (self.store).dropped_in_class(target.host(), class, SPELLINGS_SEARCHED)?;
            Ok(all.into_iter().find(|entry| entry.admitted.key == key))
        };
        let mut entry = None;
        for class in referrer.classes() {
            entry = entry.map_or_else(|| in_class(class), |entry| Ok(Some(entry)))?;
        }
        if entry.is_none()
            && referrer.is_followed
            && let Ok(mut link) = Candidate::resolve(RawUrl::new(target.as_str()), via)
        {
            // What drops it now does not matter: it was dropped before.
            let _ = self.chain.judge_again(Phase::BeforeSeen, via, &mut link);
            entry = in_class(link.class_key())?.filter(|entry| entry.belief != BeliefId::STATIC);
        }
        self.requeue_into(inner, commit, entry.into_iter().collect(), Then::Fetch)
    }

    fn count_outcome(
        &self,
        inner: &mut Inner,
        lease: &Lease,
        (outcome, end_stands): (&Outcome<'_>, bool),
        effects: &Effects,
    ) -> Result<(), FrontierError> {
        let made_no_request =
            matches!(outcome, Outcome::Failed(failure) if failure.made_no_request());
        let probe = (lease.admitted.probe).filter(|_| !made_no_request);
        if let Some(probe) = lease.admitted.probe {
            (inner.tally).is_back(&*self.store, probe.belief, &lease.ticket)?;
        }
        if end_stands {
            return Ok(());
        }
        let (duplicate, new) = match effects.probe_was_duplicate {
            Some(was) if probe.is_some() => (u64::from(was), u64::from(!was)),
            _ => (0, 0),
        };
        if let Some(probe) = probe {
            inner
                .tally
                .count_belief(&*self.store, probe.belief, lease.url().host(), |counts| {
                    counts.explored += 1;
                    counts.count_verdict(duplicate, new);
                })?;
        }
        inner
            .tally
            .count(&*self.store, lease.url().host(), |counts| {
                counts.waits_no_more(lease.admitted.waits_again);
                if lease.admitted.waits_again {
                    counts.returned += u64::from(!made_no_request);
                    counts.returned_new += u64::from(effects.is_new == Some(true));
                    counts.returned_known += u64::from(effects.is_new == Some(false));
                }
                match outcome {
                    Outcome::Fetched(page) => {
                        counts.fetched += 1;
                        counts.bytes += page.bytes;
                        counts.refetched += u64::from(page.refetched.is_some());
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
                counts.contents_new += effects.contents_new;
                counts.contents_known += effects.contents_known;
                counts.explored += u64::from(probe.is_some());
                counts.explored_duplicates += duplicate;
                counts.explored_new += new;
            })?;
        (effects.late_verdicts.iter()).try_for_each(|told| self.count_verdict(inner, told))
    }

    /// Counts what came of a probe of which nobody could tell when it came back: it was counted as explored then.
    fn count_verdict(&self, inner: &mut Inner, told: &ProbeVerdict) -> Result<(), FrontierError> {
        let (duplicate, new) = (
            u64::from(told.was_duplicate),
            u64::from(!told.was_duplicate),
        );
        (inner.tally).count_belief(&*self.store, told.belief, &told.host, |counts| {
            counts.count_verdict(duplicate, new);
        })?;
        inner.tally.count(&*self.store, &told.host, |counts| {
            counts.explored_duplicates += duplicate;
            counts.explored_new += new;
        })?;
        Ok(())
    }

    /// Lets the stages write down what they have not handed over, while no page is being observed:
    /// what they know is then exactly what is committed.
    pub(super) fn checkpoint(&self) -> Result<(), FrontierError> {
        let _alone = self.observing.write();
        self.changing(|inner| {
            let mut effects = self.effects();
            self.chain.checkpoint(&mut effects);
            self.apply(inner, effects, Commit::default())
        })
    }

    /// Effects for the stages to fill.
    pub(super) fn effects(&self) -> Effects {
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
}

/// Where a redirect or a `rel=canonical` points, from the page or its `<base href>`.
fn target_of(outcome: &Outcome<'_>, base: &Url) -> Option<CanonicalUrl> {
    let text = match outcome {
        Outcome::Redirected { target, .. } => target.as_str(),
        Outcome::Fetched(fetched) => fetched.canonical?,
        Outcome::Failed(_) => return None,
    };
    CanonicalUrl::resolve(text, Some(base)).ok()
}

/// The links of a page that is not there, but for those that lead deep down and deeper than it lies. Applications say
/// *not found* of what is not written yet, or empty, and link to pages from there that nothing else leads to; but a
/// page that answers under every address, with links relative to it, would lead on without end.
fn links_beside<'p>(
    page: &CanonicalUrl,
    base: Option<&Url>,
    links: &[RawUrl<'p>],
) -> Vec<RawUrl<'p>> {
    let base = base.unwrap_or_else(|| page.as_url());
    let depth = depth_of(page).max(SHALLOW);
    (links.iter().copied())
        .filter(|link| {
            CanonicalUrl::resolve(link.as_str(), Some(base))
                .is_ok_and(|target| depth_of(&target) <= depth)
        })
        .collect()
}

/// Segments of a path.
fn depth_of(url: &CanonicalUrl) -> usize {
    let segments = url.as_url().path().split('/');
    segments.filter(|segment| !segment.is_empty()).count()
}
