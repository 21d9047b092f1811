//! Takes links back from the ledger when the belief that dropped them falls.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Inner, LocalFrontier, SETTLED, knowledge::class_known_by, tally::hosts_of_belief};
use crate::{
    BeliefId, Candidate, Commit, Dropped, Effects, Fingerprint, FrontierError, HostKey,
    LedgerEntry, Origin, Phase, SeenAs, Standing,
};

/// Ledger entries that return in one commit: few enough for a store to write it, with its counters, in one
/// piece. A kill between pieces loses no entry, but would count it where it no longer is.
pub(super) const RECALLED_AT_ONCE: usize = 256;

/// Links that are held in memory between two readings of a ledger: of a long one many are those of other beliefs.
const JUDGED_AT_ONCE: usize = 1 << 16;

/// State key prefix of withdrawals whose ledger has not come back wholly yet.
pub(super) const WITHDRAWING: &str = "frontier/withdrawing/";
/// Its value where the belief stands.
pub(super) const RENAMED: &[u8] = b"renamed";

/// The half of a fingerprint that names the class of a link that has none: whatever it turns out to be is looked
/// up when the link is judged.
pub(super) const NO_CLASS: u64 = 0;

/// State key of the shaken beliefs whose ledgers have not been judged again wholly yet: their names, eight
/// octets each.
pub(super) const SHAKEN: &str = "frontier/shaken";

/// What is to become of a link that comes back from the ledger, when its turn has come.
#[derive(Clone, Copy, Debug)]
pub(super) enum Then {
    /// It is fetched, whatever is believed.
    Fetch,
    /// It is judged like any other.
    Judge,
    /// It is judged, but the belief that dropped it has lost its say.
    JudgeByOthers,
    /// It is judged like one of which no class is known yet.
    JudgeAnew,
}

/// Generation of a link that must be judged anew when leased: no sum of generations reaches it.
pub(super) const NEVER_JUDGED: u64 = SETTLED - 1;

impl LocalFrontier {
    /// Writes a commit together with what the stages asked for, then lets the ledgers of fallen
    /// beliefs come back.
    pub(super) fn apply(
        &self,
        inner: &mut Inner,
        mut effects: Effects,
        mut commit: Commit,
    ) -> Result<(), FrontierError> {
        // What falls together comes back in the order in which a process that goes on after a kill finds it.
        in_order_of_keys(&mut effects.withdrawn);
        in_order_of_keys(&mut effects.renamed);
        commit.state.extend(effects.state);
        for (host, belief) in &effects.withdrawn {
            commit
                .state
                .push((withdrawal_key(host, *belief), Some(Vec::new())));
            inner.tally.withdraw(&*self.store, *belief)?;
        }
        self.forget_classes_of_fallen(inner, &mut commit)?;
        commit.seen.extend(effects.known);
        commit.withdrawn.extend(effects.withdrawn.iter().cloned());
        for (host, belief) in &effects.renamed {
            commit
                .state
                .push((withdrawal_key(host, *belief), Some(RENAMED.to_vec())));
        }
        commit.withdrawn.extend(effects.renamed.iter().cloned());
        if !effects.shaken.is_empty() {
            let names = (effects.shaken.iter()).flat_map(|belief| belief.to_bits().to_le_bytes());
            commit
                .state
                .push((SHAKEN.to_owned(), Some(names.collect())));
        }
        self.commit(inner, commit)?;
        for (host, belief) in &effects.withdrawn {
            self.finish_withdrawal(inner, host, *belief)?;
        }
        self.finish_renaming(inner, &effects.renamed)?;
        self.judge_ledger_again(inner, &effects.shaken)
    }

    /// A link that was under way while the belief fell that made its class is a page of that class no more.
    fn forget_classes_of_fallen(
        &self,
        inner: &mut Inner,
        commit: &mut Commit,
    ) -> Result<(), FrontierError> {
        let Some(host) = commit.settled.first().map(|ticket| ticket.host.clone()) else {
            return Ok(());
        };
        for (class, why) in std::mem::take(&mut commit.seen) {
            let mut has_fallen = false;
            if let SeenAs::ClassOf(belief) = why {
                // It may have risen again, and not have dropped anything since.
                let is_active = || {
                    let belief = self.chain.belief(belief);
                    belief.is_some_and(|belief| belief.standing == Standing::Active)
                };
                has_fallen = (inner.tally).has_fallen(&*self.store, belief, &host)? && !is_active();
            }
            if !has_fallen {
                commit.seen.push((class, why));
            }
        }
        Ok(())
    }

    pub(super) fn finish_withdrawal(
        &self,
        inner: &mut Inner,
        host: &HostKey,
        belief: BeliefId,
    ) -> Result<(), FrontierError> {
        // The stage names one host; the belief may have spoken for others of the same site.
        let mut hosts = hosts_of_belief(&*self.store, belief, |counts| counts.dropped > 0)?;
        if !hosts.contains(host) {
            hosts.push(host.clone());
        }
        for host in &hosts {
            loop {
                let entries = self.store.dropped_by(host, belief, JUDGED_AT_ONCE)?;
                if entries.is_empty() {
                    break;
                }
                self.requeue_all(inner, entries, Then::JudgeByOthers)?;
            }
        }
        let commit = Commit {
            state: vec![(withdrawal_key(host, belief), None)],
            ..Commit::default()
        };
        self.commit(inner, commit)
    }

    /// Takes back what standing beliefs dropped into classes that they do not make any more, or that no page has
    /// any more. Whatever is dropped as it was stays in the ledger.
    pub(super) fn finish_renaming(
        &self,
        inner: &mut Inner,
        renamed: &[(HostKey, BeliefId)],
    ) -> Result<(), FrontierError> {
        if renamed.is_empty() {
            return Ok(());
        }
        let ledgers = self.ledgers_of(renamed.iter().map(|(_, belief)| *belief))?;
        // A store that is being read must not be asked: first all classes, then which of them are known.
        let mut classes: FxHashMap<Fingerprint, Fingerprint> = FxHashMap::default();
        for (host, belief) in &ledgers {
            self.store.ledger_scan_of(host, *belief, &mut |entry| {
                if let Some(link) = self.is_named_as_ever(&entry) {
                    classes.insert(link.class_key(), link.class_spelling_key());
                }
                true
            })?;
        }
        let known = self.known_classes(&classes.into_iter().collect::<Vec<_>>())?;
        self.take_back(inner, &ledgers, Then::JudgeAnew, &|entry| {
            let stays = || {
                let link = self.is_named_as_ever(entry);
                link.is_some_and(|link| known.contains(&link.class_key()))
            };
            !self.is_of_another_chain(entry) && !stays()
        })?;
        let finished = renamed.iter();
        let finished = finished.map(|(host, belief)| (withdrawal_key(host, *belief), None));
        let commit = Commit {
            state: finished.collect(),
            ..Commit::default()
        };
        self.commit(inner, commit)
    }

    /// Of classes, each with the spelling that equals it, those that some page has.
    fn known_classes(
        &self,
        classes: &[(Fingerprint, Fingerprint)],
    ) -> Result<FxHashSet<Fingerprint>, FrontierError> {
        let mut known = FxHashSet::default();
        let mut found = Vec::new();
        for some in classes.chunks(RECALLED_AT_ONCE) {
            let keys: Vec<Fingerprint> = some.iter().flat_map(|(a, b)| [*a, *b]).collect();
            found.clear();
            self.store.lookup(&keys, &mut found)?;
            for ((class, spelling), found) in some.iter().zip(found.chunks_exact(2)) {
                if class_known_by(found[0], found[1], class == spelling).is_some() {
                    known.insert(*class);
                }
            }
        }
        Ok(known)
    }

    /// The link of a ledger entry, if the belief that dropped it still makes the class of it that it made then.
    fn is_named_as_ever(&self, entry: &LedgerEntry) -> Option<Candidate> {
        let admitted = &entry.admitted;
        let mut link = Candidate::of_admitted(admitted);
        let via = admitted.via();
        let judged = self
            .chain
            .judge_again(Phase::BeforeSeen, &via, &mut link)
            .is_ok();
        let is_same = link.merged_by() == Some(entry.belief) && link.class_key() == admitted.class;
        (judged && is_same).then_some(link)
    }

    /// Takes back what shaken beliefs dropped and would not drop now.
    pub(super) fn judge_ledger_again(
        &self,
        inner: &mut Inner,
        shaken: &[BeliefId],
    ) -> Result<(), FrontierError> {
        if shaken.is_empty() {
            return Ok(());
        }
        let ledgers = self.ledgers_of(shaken.iter().copied())?;
        self.take_back(inner, &ledgers, Then::Judge, &|entry| {
            !self.is_still_dropped(entry)
        })?;
        let commit = Commit {
            state: vec![(SHAKEN.to_owned(), None)],
            ..Commit::default()
        };
        self.commit(inner, commit)
    }

    /// The hosts on which these beliefs have dropped anything, each with the belief: the ledger of a crawl of many
    /// sites is long, and that of a belief is on few of them.
    fn ledgers_of(
        &self,
        beliefs: impl Iterator<Item = BeliefId>,
    ) -> Result<Vec<(HostKey, BeliefId)>, FrontierError> {
        let beliefs: BTreeSet<BeliefId> = beliefs.collect();
        let mut ledgers = Vec::new();
        for belief in beliefs {
            let hosts = hosts_of_belief(&*self.store, belief, |counts| counts.dropped > 0)?;
            ledgers.extend(hosts.into_iter().map(|host| (host, belief)));
        }
        Ok(ledgers)
    }

    /// Queues those entries of these ledgers again that are wanted back.
    fn take_back(
        &self,
        inner: &mut Inner,
        ledgers: &[(HostKey, BeliefId)],
        then: Then,
        is_wanted: &dyn Fn(&LedgerEntry) -> bool,
    ) -> Result<(), FrontierError> {
        let mut is_done = false;
        while !is_done {
            let mut back = Vec::new();
            for (host, belief) in ledgers {
                self.store.ledger_scan_of(host, *belief, &mut |entry| {
                    if is_wanted(&entry) {
                        back.push(entry);
                    }
                    back.len() < JUDGED_AT_ONCE
                })?;
                if back.len() >= JUDGED_AT_ONCE {
                    break;
                }
            }
            is_done = back.len() < JUDGED_AT_ONCE;
            // In an order that does not depend on how the store keeps them.
            back.sort_unstable_by_key(|entry| entry.admitted.key);
            self.requeue_all(inner, back, then)?;
        }
        Ok(())
    }

    /// Puts many ledger entries back into the queue, in pieces.
    fn requeue_all(
        &self,
        inner: &mut Inner,
        entries: Vec<LedgerEntry>,
        then: Then,
    ) -> Result<(), FrontierError> {
        let mut entries = entries.into_iter();
        while entries.len() > 0 {
            let some = entries.by_ref().take(RECALLED_AT_ONCE).collect();
            self.requeue(inner, some, then)?;
        }
        Ok(())
    }

    /// Whether the belief that dropped a link would drop it now, or merge it as it did. Asks no store: one
    /// is being read. What a stage dropped that is not in this chain waits for it.
    pub(super) fn is_still_dropped(&self, entry: &LedgerEntry) -> bool {
        if self.is_of_another_chain(entry) {
            return true;
        }
        let admitted = &entry.admitted;
        let via = admitted.via();
        let mut link = Candidate::of_admitted(admitted);
        let by = |dropped: Dropped| dropped.reason.belief() == Some(entry.belief);
        match self.chain.judge_again(Phase::BeforeSeen, &via, &mut link) {
            Err(dropped) => by(dropped),
            Ok(()) if link.merged_by() == Some(entry.belief) => true,
            Ok(()) => (self.chain)
                .judge_again(Phase::AfterSeen, &via, &mut link)
                .is_err_and(by),
        }
    }

    /// Whether a link was dropped by a stage that this chain lacks.
    fn is_of_another_chain(&self, entry: &LedgerEntry) -> bool {
        let has_stage = |name| self.chain.stages().any(|stage| stage.name() == name);
        entry.stage.as_deref().is_some_and(|name| !has_stage(name))
    }

    /// Puts ledger entries back into the queue.
    pub(super) fn requeue(
        &self,
        inner: &mut Inner,
        entries: Vec<LedgerEntry>,
        then: Then,
    ) -> Result<(), FrontierError> {
        let mut commit = Commit::default();
        self.requeue_into(inner, &mut commit, entries, then)?;
        self.commit(inner, commit)
    }

    /// The same as part of a commit that is not written yet.
    pub(super) fn requeue_into(
        &self,
        inner: &mut Inner,
        commit: &mut Commit,
        entries: Vec<LedgerEntry>,
        then: Then,
    ) -> Result<(), FrontierError> {
        for LedgerEntry {
            belief,
            stage,
            mut admitted,
        } in entries
        {
            // Who holds the belief now need not be who was credited with the drop.
            let stage = stage.unwrap_or_else(|| self.stage_to_credit(belief).into());
            inner
                .tally
                .count(&*self.store, admitted.url.host(), |counts| {
                    counts.recalled += 1;
                    counts.waiting_again += 1;
                    counts.uncount_saved(&stage);
                })?;
            inner
                .tally
                .count_belief(&*self.store, belief, admitted.url.host(), |counts| {
                    counts.recalled += 1;
                })?;
            commit
                .recalled
                .push((admitted.url.host().clone(), admitted.class, admitted.key));
            commit.seen.push((admitted.key, SeenAs::Admitted));
            // Seeds and targets of redirects are not looked up again. What was dropped while it waited is known by
            // the class that it waited under: looked up, it would be a duplicate of itself.
            let has_no_class = matches!(then, Then::JudgeAnew)
                && admitted.merged_by == Some(belief)
                && !matches!(admitted.origin, Origin::Seed | Origin::Redirect);
            if has_no_class {
                admitted.class = Fingerprint::from_parts(admitted.class.host(), NO_CLASS);
                admitted.merged_by = None;
            } else if admitted.merged_by.is_none() {
                commit.seen.push((admitted.class, SeenAs::Admitted));
            }
            admitted.waits_again = true;
            (admitted.generation, admitted.recalled_from) = match then {
                Then::Fetch => (SETTLED, None),
                Then::Judge | Then::JudgeAnew => (NEVER_JUDGED, None),
                Then::JudgeByOthers => (NEVER_JUDGED, Some(belief)),
            };
            commit.queued.push(crate::Queued {
                admitted,
                attempt: 0,
            });
        }
        Ok(())
    }
}

pub(super) fn in_order_of_keys(beliefs: &mut [(HostKey, BeliefId)]) {
    beliefs.sort_by_cached_key(|(host, belief)| withdrawal_key(host, *belief));
}

fn withdrawal_key(host: &HostKey, belief: BeliefId) -> String {
    format!("{WITHDRAWING}{belief}/{host}")
}
