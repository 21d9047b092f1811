//! Admits a page's links: judge, look up, predict, commit.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    Inner, LocalFrontier, SETTLED,
    chances::FIRST,
    knowledge::{Knowledge, is_not_followed},
    known_duplicate,
};
use crate::{
    Admitted, Batch, BeliefCounts, BeliefId, Candidate, Commit, Decision, DropReason, Dropped,
    Fingerprint, FrontierError, HostKey, LedgerEntry, Origin, Phase, Prediction, Probability,
    Queued, RawUrl, SeenAs, Ticket, Via, chain::Slot, stats::Counts,
};

/// Stage that gets the credit for links of a class that static normalization knows.
pub(super) const NORMALIZE: &str = "normalize";
/// Stage that gets the credit when the one that held a belief is not in the chain any more.
pub(super) const LEARNED: &str = "learned";
/// Stage that ends chains of redirects.
pub(super) const REDIRECT: &str = "redirect";

/// A page whose links are being admitted, for what depends on it.
pub(super) struct Referrer {
    pub(super) class: Fingerprint,
    /// The class that the redirects which led to it began at, if it is another.
    pub(super) led_from: Option<Fingerprint>,
    /// It redirects, and was fetched whatever is believed: so is what it leads to, which may be all that tells whether that is
    /// right.
    pub(super) is_followed: bool,
    /// It was fetched to audit a belief only, and brought nothing new as far as anybody can tell, or it redirects and was found on such a page: its links
    /// are [of a copy](crate::Admitted::of_copy).
    pub(super) is_copy: bool,
}

impl Referrer {
    /// The classes of which no page was met but the URLs that led here.
    pub(super) fn classes(&self) -> impl Iterator<Item = Fingerprint> {
        [Some(self.class), self.led_from].into_iter().flatten()
    }

    /// The class that redirects began at which lead on to a URL of this one.
    fn began_at(&self, class: Fingerprint) -> Option<Fingerprint> {
        let first = self.led_from.unwrap_or(self.class);
        (first != class).then_some(first)
    }
}

impl LocalFrontier {
    /// Steps 2 to 6 of admission, under the lock: look up, predict, explore, seal, commit. `base`
    /// carries what else the page causes.
    pub(super) fn admit_judged(
        &self,
        inner: &mut Inner,
        via: &Via<'_>,
        links: &[RawUrl<'_>],
        batch: &mut Batch,
        referrer: Option<&Referrer>,
        out: &mut Vec<Decision>,
    ) -> Result<(), FrontierError> {
        let commit = self.admit_into(inner, Commit::default(), via, links, batch, referrer, out)?;
        self.commit(inner, commit)
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "all of it is the one page being admitted; a struct would only rename the list"
    )]
    pub(super) fn admit_into(
        &self,
        inner: &mut Inner,
        commit: Commit,
        via: &Via<'_>,
        links: &[RawUrl<'_>],
        batch: &mut Batch,
        referrer: Option<&Referrer>,
        out: &mut Vec<Decision>,
    ) -> Result<Commit, FrontierError> {
        let mut commit = commit;
        self.limit_redirects(via, batch);
        let knowledge = self.look_up(batch)?;
        // Links that were dropped before the seen-set was asked, and repeats within the page.
        let mut met: FxHashSet<u64> = FxHashSet::default();
        for (slot, known) in batch.slots_mut().iter_mut().zip(&knowledge) {
            let Some(known) = known else { continue };
            if is_not_followed(slot) {
                continue;
            }
            let repeats = !met.insert(known.key.url());
            if repeats || known.known.is_some() {
                *slot = Slot::Known;
            }
        }
        // Then those that are not followed here, since the same page may have the link once more, to be followed.
        for (slot, known) in batch.slots_mut().iter_mut().zip(&knowledge) {
            let Some(known) = known else { continue };
            if is_not_followed(slot)
                && (!met.insert(known.key.url())
                    || known.known.is_some()
                    || known.class_known.is_some())
            {
                *slot = Slot::Known;
            }
        }
        self.drop_known_classes(inner, via, batch, &knowledge, referrer);
        self.chain.predict(via, batch);
        self.explore(inner, batch, &knowledge, referrer)?;
        let page = (via, referrer);
        self.finish(inner, &mut commit, page, links, batch, knowledge, out)?;
        Ok(commit)
    }

    fn limit_redirects(&self, via: &Via<'_>, batch: &mut Batch) {
        if via.link_redirects() <= self.max_redirects {
            return;
        }
        let reason = DropReason::OutOfScope {
            rule: format!("max-redirects:{}", self.max_redirects).into(),
        };
        for slot in batch.slots_mut() {
            drop_slot(slot, REDIRECT, || reason.clone());
        }
    }

    /// Drops links whose page is known under another spelling, also one on the same page.
    fn drop_known_classes(
        &self,
        inner: &mut Inner,
        via: &Via<'_>,
        batch: &mut Batch,
        knowledge: &[Option<Knowledge>],
        referrer: Option<&Referrer>,
    ) {
        // Classes that the page itself has brought so far.
        let mut on_page: FxHashMap<u64, BeliefId> = FxHashMap::default();
        for (slot, known) in batch.slots_mut().iter_mut().zip(knowledge) {
            let (Slot::Live(link), Some(known)) = (&mut *slot, known) else {
                continue;
            };
            let follows_its_own_redirect = via.origin() == Origin::Redirect
                && referrer
                    .is_some_and(|referrer| referrer.classes().any(|class| class == known.class));
            let merged = if follows_its_own_redirect {
                None
            } else {
                known
                    .class_is_known()
                    .or_else(|| on_page.get(&known.class.url()).copied())
            };
            let Some(class_belief) = merged else {
                let by = link.merged_by().unwrap_or(BeliefId::STATIC);
                on_page.insert(known.class.url(), by);
                continue;
            };
            if self.takes_chance(inner, via, link, known) {
                link.set_priority(FIRST);
                on_page.insert(known.class.url(), class_belief);
                continue;
            }
            let belief = link.merged_by().unwrap_or(class_belief);
            let stage = self.stage_to_credit(belief);
            drop_slot(slot, stage, || known_duplicate(belief));
        }
    }

    /// Whether a link is fetched though its class is known, since that has a chance left. What a belief would drop takes none,
    /// or those that it would not drop had none left.
    fn takes_chance(
        &self,
        inner: &mut Inner,
        via: &Via<'_>,
        link: &Candidate,
        known: &Knowledge,
    ) -> bool {
        let is_wanted = || {
            let mut link = link.clone();
            let judged = self.chain.judge_again(Phase::AfterSeen, via, &mut link);
            judged.is_ok()
        };
        inner.chances.may_try(known.class)
            && is_wanted()
            && inner.chances.take(known.class, known.key)
    }

    /// Turns the chosen few of the links dropped by belief into probes. Where a probe led is no further one.
    fn explore(
        &self,
        inner: &mut Inner,
        batch: &mut Batch,
        knowledge: &[Option<Knowledge>],
        referrer: Option<&Referrer>,
    ) -> Result<(), FrontierError> {
        let is_followed = referrer.is_some_and(|referrer| referrer.is_followed);
        let is_copy = referrer.is_some_and(|referrer| referrer.is_copy);
        for (slot, known) in batch.slots_mut().iter_mut().zip(knowledge) {
            let (Slot::Dropped(Some(link), dropped), Some(known)) = (&mut *slot, known) else {
                continue;
            };
            let is_followed = is_followed && dropped.reason.belief().is_some();
            let probe = if is_followed {
                None
            } else {
                self.probe(inner, link, (known.key, is_copy), None, &dropped.reason)?
            };
            if let Some(prediction) = probe {
                link.mark_probe(prediction);
            }
            if is_followed || probe.is_some() {
                let Slot::Dropped(Some(link), _) = std::mem::replace(slot, Slot::Known) else {
                    unreachable!("the slot was matched as dropped with its link above");
                };
                *slot = Slot::Live(link);
            }
        }
        Ok(())
    }

    /// Whether exploration fetches a link that was dropped for this reason: by chance, or because it is among the
    /// first that an untried belief has a part in dropping on its host, which alone is asked of links
    /// [of a copy](crate::Admitted::of_copy). `ticket`: of a link that waited.
    pub(super) fn probe(
        &self,
        inner: &mut Inner,
        link: &Candidate,
        (key, of_copy): (Fingerprint, bool),
        ticket: Option<&Ticket>,
        reason: &DropReason,
    ) -> Result<Option<Prediction>, FrontierError> {
        let Some(belief) = reason.belief() else {
            return Ok(None);
        };
        let of = |belief| Prediction {
            belief,
            probability: Probability::new(1.0).expect("1 is a probability"),
        };
        let generation = self.chain.belief_generation(belief);
        let is_drawn = || !of_copy && self.exploration.picks(key, belief, generation);
        if is_drawn() && self.chain.explores(link, belief) {
            return Ok(Some(match reason {
                DropReason::PredictedDuplicate(prediction) => *prediction,
                _ => of(belief),
            }));
        }
        let is_merged = matches!(reason, DropReason::KnownDuplicate { .. });
        if !is_merged || !self.exploration.is_on() {
            return Ok(None);
        }
        let Some(untried) = self.chain.untried(link, belief) else {
            return Ok(None);
        };
        let names = (&untried, link.host());
        let is_first = (inner.tally).begins_probe(&*self.store, names, ticket)?;
        Ok(is_first.then(|| of(untried.belief)))
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "all of it is the one page being admitted; a struct would only rename the list"
    )]
    fn finish(
        &self,
        inner: &mut Inner,
        commit: &mut Commit,
        (via, referrer): (&Via<'_>, Option<&Referrer>),
        links: &[RawUrl<'_>],
        batch: &mut Batch,
        knowledge: Vec<Option<Knowledge>>,
        out: &mut Vec<Decision>,
    ) -> Result<(), FrontierError> {
        let page_host = via.page_url().map(|page| page.host().clone());
        let page = via.page_url().map(crate::CanonicalUrl::as_str);
        let store = &*self.store;
        let is_followed = referrer.is_some_and(|referrer| referrer.is_followed);
        let of_copy = referrer.is_some_and(|referrer| referrer.is_copy);
        let seal = |link: Candidate, generation| {
            let referrer = referrer.filter(|_| via.origin() == Origin::Redirect);
            let mut admitted = link.seal(via, generation);
            admitted.led_from = referrer.and_then(|referrer| referrer.began_at(admitted.class));
            admitted.of_copy = of_copy;
            admitted
        };
        for ((slot, known), raw) in batch.drain().zip(knowledge).zip(links) {
            match slot {
                Slot::Live(link) => {
                    let generation = if is_followed {
                        SETTLED
                    } else {
                        self.chain.generation(link.host())
                    };
                    let is_own_class = link.is_own_class();
                    let admitted = seal(link, generation);
                    inner.tally.count(store, admitted.url.host(), |counts| {
                        counts.offered += 1;
                        counts.admitted += 1;
                    })?;
                    commit.seen.push((admitted.key, SeenAs::Admitted));
                    if !is_own_class {
                        commit
                            .seen
                            .push((admitted.class, reason_of_class(&admitted)));
                    }
                    commit.queued.push(Queued {
                        admitted: admitted.clone(),
                        attempt: 0,
                    });
                    out.push(Decision::Admitted(admitted));
                }
                Slot::Known => {
                    let known_link = |counts: &mut Counts| {
                        counts.offered += 1;
                        counts.known += 1;
                    };
                    match &page_host {
                        Some(host) => inner.tally.count(store, host, known_link)?,
                        None => inner.tally.count_hostless(known_link),
                    }
                    out.push(Decision::Known);
                }
                Slot::Dropped(link, dropped) => {
                    self.count_drop(inner, page_host.as_ref(), link.as_ref(), &dropped)?;
                    if let (Some(link), Some(known)) = (&link, &known) {
                        let names = (link.host(), [known.class], known.key);
                        self.end_trial_of_dropped(inner, commit, names)?;
                    }
                    let url = link.as_ref().map_or(raw.as_str(), |l| l.url().as_str());
                    if dropped.reason == DropReason::NotFollowed {
                        self.tell_dropped(url, &dropped, page);
                        if let Some(known) = known {
                            commit.seen.push((known.class, SeenAs::Dropped));
                        }
                    } else if dropped.reason.is_out_of_reach() {
                        if inner.is_news(url) {
                            self.tell_dropped(url, &dropped, page);
                        }
                    } else {
                        self.tell_dropped(url, &dropped, page);
                        if let (Some(link), Some(known)) = (link, known) {
                            commit.seen.push((known.key, SeenAs::Dropped));
                            if let Some(belief) = ledger_belief(&dropped.reason) {
                                let generation = self.chain.generation(link.host());
                                commit.ledger.push(LedgerEntry {
                                    belief,
                                    stage: Some(dropped.stage.into()),
                                    admitted: seal(link, generation),
                                });
                            }
                        }
                    }
                    out.push(Decision::Dropped(dropped));
                }
            }
        }
        Ok(())
    }

    fn count_drop(
        &self,
        inner: &mut Inner,
        page_host: Option<&HostKey>,
        link: Option<&Candidate>,
        dropped: &Dropped,
    ) -> Result<(), FrontierError> {
        let change = |counts: &mut Counts| {
            counts.offered += 1;
            Counts::count(&mut counts.dropped, dropped.stage, dropped.reason.code());
            if !dropped.reason.is_out_of_reach() {
                counts.count_saved(dropped.stage);
            }
        };
        // A link out of reach counts for the page's host: foreign hosts are no hosts of this crawl.
        let host = if dropped.reason.is_out_of_reach() {
            page_host
        } else {
            link.map(Candidate::host).or(page_host)
        };
        match host {
            Some(host) => inner.tally.count(&*self.store, host, change)?,
            None => inner.tally.count_hostless(change),
        }
        if let (Some(belief), Some(link)) = (dropped.reason.belief(), link) {
            inner.tally.count_belief(
                &*self.store,
                belief,
                link.host(),
                BeliefCounts::count_drop,
            )?;
        }
        Ok(())
    }

    /// Writes a commit and wakes the hosts it brought links for.
    pub(super) fn commit(
        &self,
        inner: &mut Inner,
        mut commit: Commit,
    ) -> Result<(), FrontierError> {
        let mut hosts: Vec<HostKey> = Vec::new();
        for queued in &commit.queued {
            let host = queued.admitted.url.host();
            if hosts.last() != Some(host) {
                hosts.push(host.clone());
            }
        }
        inner.tally.write(&mut commit);
        inner.chances.write(&mut commit);
        if let Some(sink) = &self.sink {
            sink.before_commit().map_err(FrontierError::Sink)?;
        }
        self.store.commit(commit)?;
        let now = std::time::Instant::now();
        for host in &hosts {
            inner.rotation.wake(host, now);
        }
        Ok(())
    }
}

impl Inner {
    /// Whether this out-of-reach link was not written lately.
    fn is_news(&mut self, url: &str) -> bool {
        let name = xxhash_rust::xxh3::xxh3_64(url.as_bytes()).max(1);
        let at = name as usize % self.recent.len();
        let row = &mut self.recent[at];
        if row.contains(&name) {
            return false;
        }
        row.rotate_right(1);
        row[0] = name;
        true
    }
}

/// Who must fall for this drop to be undone; `None` for drops by fact.
pub(super) fn ledger_belief(reason: &DropReason) -> Option<BeliefId> {
    match reason {
        DropReason::KnownDuplicate { merged_by } => Some(merged_by.unwrap_or(BeliefId::STATIC)),
        other => other.belief(),
    }
}

/// Why the class of an admitted link is known.
pub(super) fn reason_of_class(admitted: &Admitted) -> SeenAs {
    admitted.merged_by.map_or(SeenAs::Admitted, SeenAs::ClassOf)
}

fn drop_slot(slot: &mut Slot, stage: &'static str, reason: impl FnOnce() -> DropReason) {
    if let Slot::Live(_) = slot
        && let Slot::Live(link) = std::mem::replace(slot, Slot::Known)
    {
        *slot = Slot::Dropped(
            Some(link),
            Dropped {
                stage,
                reason: reason(),
            },
        );
    }
}
