//! Judges a link that waited again, so that what was learned in the meantime counts.

use super::{
    Inner, LocalFrontier, SETTLED, admit::ledger_belief, chances::classes_of,
    knowledge::class_known_by, known_duplicate, recall::NO_CLASS,
};
use crate::{
    Admitted, BeliefCounts, Candidate, Commit, Dropped, FrontierError, LedgerEntry, Origin, Phase,
    Ticket, Via,
};

/// What became of a link that waited.
pub(super) enum Waiting {
    /// It is still wanted.
    Wanted,
    /// It went to the ledger; its entry is settled.
    Dropped,
}

/// Whether a link is fetched whatever was learned: seeds, probes and links recalled for good.
pub(super) fn is_exempt(admitted: &Admitted) -> bool {
    admitted.generation == SETTLED || admitted.probe.is_some() || admitted.origin == Origin::Seed
}

impl LocalFrontier {
    /// Judges a link once more if a stage has learned anything about its host: what it believes may be
    /// the same, and yet the page that the link is a copy of was only fetched meanwhile. Some are
    /// [exempt](is_exempt).
    pub(super) fn judge_waiting(
        &self,
        inner: &mut Inner,
        ticket: &Ticket,
        admitted: &mut Admitted,
    ) -> Result<Waiting, FrontierError> {
        if is_exempt(admitted) {
            return Ok(Waiting::Wanted);
        }
        let generation = self.chain.generation(admitted.url.host());
        if generation == 0 && admitted.generation == 0 {
            return Ok(Waiting::Wanted);
        }
        admitted.generation = generation;
        let via = admitted.via();
        let mut link = Candidate::of_admitted(admitted);
        let class = admitted.class;
        let is_kept = inner.unanswered.has(admitted.key);
        let judged = self.judge_link_again((&via, is_kept), &mut link, admitted)?;
        if admitted.class != class {
            inner.chances.leaves_class(class, admitted.key);
        }
        let Err(dropped) = judged else {
            return Ok(Waiting::Wanted);
        };
        let dropped_by = ledger_belief(&dropped.reason);
        if dropped_by.is_some() && dropped_by == admitted.recalled_from {
            // It fell, and may stand again by now, but not on this link's account.
            return Ok(Waiting::Wanted);
        }
        if let Some(prediction) = self.probe(
            inner,
            &link,
            (admitted.key, admitted.of_copy),
            Some(ticket),
            &dropped.reason,
        )? {
            admitted.probe = Some(prediction);
            return Ok(Waiting::Wanted);
        }
        self.drop_waiting(inner, ticket, admitted.clone(), &dropped)?;
        Ok(Waiting::Dropped)
    }

    fn judge_link_again(
        &self,
        (via, is_kept): (&Via<'_>, bool),
        link: &mut Candidate,
        admitted: &mut Admitted,
    ) -> Result<Result<(), Dropped>, FrontierError> {
        if via.origin() == Origin::Redirect || is_kept {
            // Known by the class of the URL that led to it, or by one that it had itself before it failed, it would be a
            // duplicate of itself. What it may be a copy of is another question.
            return Ok(self.chain.judge_again(Phase::AfterSeen, via, link));
        }
        if let Err(dropped) = self.chain.judge_again(Phase::BeforeSeen, via, link) {
            return Ok(Err(dropped));
        }
        let class = link.class_key();
        if class != admitted.class {
            let mut found = Vec::with_capacity(2);
            self.store
                .lookup(&[class, link.class_spelling_key()], &mut found)?;
            if let Some(class_belief) = class_known_by(found[0], found[1], link.is_own_class()) {
                let belief = link.merged_by().unwrap_or(class_belief);
                if admitted.class.url() == NO_CLASS {
                    admitted.class = class;
                    admitted.merged_by = link.merged_by();
                }
                return Ok(Err(Dropped {
                    stage: self.stage_to_credit(belief),
                    reason: known_duplicate(belief),
                }));
            }
            admitted.class = class;
            admitted.merged_by = link.merged_by();
            // The class becomes known when the page is settled. Were it known now, this very link would
            // be taken for a duplicate of itself when the gate sends it back, or after a restart.
        }
        Ok(self.chain.judge_again(Phase::AfterSeen, via, link))
    }

    fn drop_waiting(
        &self,
        inner: &mut Inner,
        ticket: &Ticket,
        mut admitted: Admitted,
        dropped: &Dropped,
    ) -> Result<(), FrontierError> {
        let mut commit = Commit {
            settled: vec![ticket.clone()],
            ..Commit::default()
        };
        self.note_dropped(inner, &mut commit, &admitted)?;
        let waited_again = std::mem::take(&mut admitted.waits_again);
        inner
            .tally
            .count(&*self.store, admitted.url.host(), |counts| {
                counts.count_dropped_waiting(dropped, waited_again);
            })?;
        if let Some(belief) = dropped.reason.belief() {
            let host = admitted.url.host();
            inner
                .tally
                .count_belief(&*self.store, belief, host, BeliefCounts::count_drop)?;
        }
        self.tell_dropped(admitted.url.as_str(), dropped, None);
        let names = (admitted.url.host(), classes_of(&admitted), admitted.key);
        self.end_trial_of_dropped(inner, &mut commit, names)?;
        let entry = ledger_belief(&dropped.reason).map(|belief| LedgerEntry {
            belief,
            stage: Some(dropped.stage.into()),
            admitted,
        });
        commit.ledger.extend(entry);
        self.commit(inner, commit)
    }
}
