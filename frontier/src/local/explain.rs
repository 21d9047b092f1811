//! Tells what would become of a link if it were found now, and what the stores know about it. Changes nothing.

use std::collections::{BTreeSet, HashSet};

use super::{
    LocalFrontier,
    admit::{LEARNED, REDIRECT},
    knowledge::class_known_by,
};
use crate::{
    BeliefCounts, BeliefId, BeliefRecord, Candidate, Fate, FrontierError, LedgerEntry, Middleware,
    Phase, RawUrl, SeenAs, StageName, Standing, Trace, Verdict, Via,
    chain::{RESOLVE, STATE_OF_STAGES, Slot},
};

/// Spellings of a class that are read from the ledger to explain one of them: as many as fit in memory at ease.
const SPELLINGS_LOOKED_THROUGH: usize = 1 << 16;

/// What notes are about.
const SEEN_SET: Option<&str> = Some("seen-set");
const LEDGER: Option<&str> = Some("ledger");
const BELIEF: Option<&str> = Some("belief");

/// Said of a belief that made a class, where no stage knows it.
const NOBODY_KNOWS: &str = "it has fallen, or is a rule of a file that was not given";

impl LocalFrontier {
    /// The stages that dropped links or learned something in this store and are not in the chain:
    /// [`explain`](crate::Frontier::explain) cannot tell what they would say.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn stages_missed(&self) -> Result<BTreeSet<String>, FrontierError> {
        let total = self.totals().total;
        let mut missed: BTreeSet<String> = (total.dropped.into_keys())
            .chain(total.dropped_waiting.into_keys())
            .collect();
        self.store.state_scan(STATE_OF_STAGES, &mut |key, _| {
            let stage = key[STATE_OF_STAGES.len()..].split('/').next();
            missed.extend(stage.map(str::to_owned));
        })?;
        for here in self.chain.stages().map(Middleware::name) {
            missed.remove(here);
        }
        // The frontier's own, whatever the chain.
        for own in [RESOLVE, REDIRECT, LEARNED] {
            missed.remove(own);
        }
        Ok(missed)
    }

    pub(super) fn note_what_is_known(
        &self,
        via: &Via<'_>,
        link: RawUrl<'_>,
        trace: &mut Trace,
    ) -> Result<(), FrontierError> {
        // Beliefs that have something to do with the link.
        let mut named: Vec<BeliefId> = Vec::new();
        let mut batch = self.take_batch();
        self.chain.judge(via, &[link], &mut batch);
        let candidate = match batch.slots().first() {
            Some(Slot::Live(candidate)) => Some(candidate),
            Some(Slot::Dropped(candidate, _)) => candidate.as_ref(),
            _ => None,
        };
        let is_out_of_reach = trace.drop_step().is_some_and(
            |step| matches!(&step.verdict, Verdict::Drop(reason) if reason.is_out_of_reach()),
        );
        let mut fate = if trace.drop_step().is_some() {
            Fate::Dropped
        } else {
            Fate::Wanted
        };
        if let Some(candidate) = candidate {
            let mut found = Vec::new();
            self.store.lookup(
                &[
                    candidate.key(),
                    candidate.class_key(),
                    candidate.class_spelling_key(),
                    candidate.not_followed_key(),
                ],
                &mut found,
            )?;
            let is_not_followed = found[3].is_some();
            let is_judged_before = trace.drop_step().is_some()
                && !is_out_of_reach
                && self.dropped_behind_seen_set(trace).is_none();
            let waits = match found[0] {
                Some(_) => self.ledger_entry_of(candidate, is_judged_before)?,
                None => None,
            };
            let (known, words) = match (found[0], &waits) {
                (Some(SeenAs::Admitted | SeenAs::ClassOf(_)), None) => {
                    self.whereabouts(candidate)?
                }
                (seen, _) => (
                    Fate::DroppedBefore,
                    words_of_spelling(seen, is_not_followed).to_owned(),
                ),
            };
            trace.note_of(SEEN_SET, words);
            if !candidate.is_own_class() || found[1].is_some() {
                named.extend(self.note_class(found[1], found[2], found[0].is_some(), trace));
            }
            let class = class_known_by(found[1], found[2], candidate.is_own_class());
            if found[0].is_none()
                && class.is_some()
                && let Some(stage) = self.dropped_behind_seen_set(trace)
            {
                // A crawl asks the seen-set first.
                trace.leave_out_from(stage);
                trace.note_of(SEEN_SET, format!("so {stage} is not asked"));
                fate = Fate::Wanted;
            }
            fate = match (found[0], &waits) {
                (None, _) if is_out_of_reach => fate,
                (Some(_), Some(entry)) => Fate::InLedger(entry.belief),
                (Some(_), None) => known,
                (None, _) if fate == Fate::Wanted && class.is_some() => Fate::KnownPage,
                (None, _) if fate == Fate::Wanted && is_not_followed => Fate::NotFollowed,
                (None, _) => fate,
            };
            let of_class =
                self.store
                    .dropped_in_class(candidate.host(), candidate.class_key(), 3)?;
            let others = (of_class.into_iter()).filter(|e| e.admitted.key != candidate.key());
            for entry in waits.into_iter().chain(others) {
                let who = if entry.belief == BeliefId::STATIC {
                    "by normalization".to_owned()
                } else {
                    named.push(entry.belief);
                    format!("on the word of belief {}", entry.belief)
                };
                trace.note_of(
                    LEDGER,
                    format!("{} waits there, dropped {who}", entry.admitted.url),
                );
            }
        }
        if let Some(candidate) = candidate.filter(|_| fate != Fate::KnownPage) {
            self.note_words_of_stages(candidate, trace);
        }
        self.give_batch(batch);
        let deciding = trace.drop_step().and_then(|step| match &step.verdict {
            Verdict::Drop(reason) => reason.belief(),
            Verdict::Pass => None,
        });
        let mut told = HashSet::new();
        for belief in deciding.into_iter().chain(named) {
            if told.insert(belief) {
                self.note_belief(belief, trace)?;
            }
        }
        trace.conclude(fate);
        Ok(())
    }

    /// Adds whether a class is known, as itself or as a spelling, of a link that is known or not; the belief that made it known.
    fn note_class(
        &self,
        class: Option<SeenAs>,
        spelling: Option<SeenAs>,
        is_known: bool,
        trace: &mut Trace,
    ) -> Option<BeliefId> {
        match (class, spelling) {
            (Some(SeenAs::ClassOf(belief)), _) => {
                let text = self.chain.describe(belief);
                let text = text.as_deref().unwrap_or(NOBODY_KNOWS);
                trace.note_of(
                    SEEN_SET,
                    format!("its class is known by belief {belief} ({text})"),
                );
                return Some(belief);
            }
            (Some(_), _) | (None, Some(SeenAs::Admitted)) => {
                // Which of them made it known is not noted.
                let who = if is_known { "a" } else { "another" };
                trace.note_of(
                    SEEN_SET,
                    format!("its class is known: {who} spelling of its page was queued"),
                );
            }
            _ => trace.note_of(SEEN_SET, "its class is new"),
        }
        None
    }

    /// The stage that dropped the link, if it is one of those behind the seen-set.
    fn dropped_behind_seen_set(&self, trace: &Trace) -> Option<StageName> {
        let by = trace.drop_step()?.stage;
        let is_it =
            |stage: &dyn Middleware| stage.name() == by && stage.phase() == Phase::AfterSeen;
        self.chain.stages().any(is_it).then_some(by)
    }

    /// Adds what the stages have to say: that which dropped it why, or else all what keeps them from that.
    fn note_words_of_stages(&self, link: &Candidate, trace: &mut Trace) {
        let by = trace.drop_step().map(|step| step.stage);
        if by.is_none() {
            (self.chain).muted(link, &mut |record| note_muted(&record, trace));
        }
        (self.chain).remarks(by, link, &mut |remark| trace.note(remark));
    }

    /// The ledger's entry of this very spelling, under the class that it has now or had when nothing was known of it; or, unless the
    /// stages before the seen-set drop it anyway, under one that a rule made which is not known here.
    fn ledger_entry_of(
        &self,
        link: &Candidate,
        is_dropped_anyway: bool,
    ) -> Result<Option<LedgerEntry>, FrontierError> {
        for class in [link.class_key(), link.key()] {
            let entries =
                self.store
                    .dropped_in_class(link.host(), class, SPELLINGS_LOOKED_THROUGH)?;
            let own = entries.into_iter().find(|e| e.admitted.key == link.key());
            if own.is_some() {
                return Ok(own);
            }
        }
        let mut own = None;
        if !is_dropped_anyway {
            self.store.ledger_scan(&mut |host, entry| {
                let is_it = host == link.host() && entry.admitted.key == link.key();
                own = is_it.then_some(entry);
                own.is_none()
            })?;
        }
        Ok(own)
    }

    /// Adds what a belief says, what speaks for it and two pairs of URLs that it held for.
    fn note_belief(&self, belief: BeliefId, trace: &mut Trace) -> Result<(), FrontierError> {
        let Some(record) = self.chain.belief(belief) else {
            let text = self.chain.describe(belief);
            let text = text.as_deref().unwrap_or(NOBODY_KNOWS);
            trace.note_of(BELIEF, format!("{belief}: {text}"));
            return Ok(());
        };
        let counts = BeliefCounts::of_belief(&*self.store, belief)?;
        let judged = counts.explored_duplicates + counts.explored_new;
        let open = match counts.explored.saturating_sub(judged) {
            0 => String::new(),
            open => format!("; of {open} nothing could be told"),
        };
        trace.note_of(
            BELIEF,
            format!("{belief} on {}: {}", record.site, record.text),
        );
        trace.note_of(
            None,
            format!(
                "its evidence: {}; links: {} dropped ({} came back), {} explored, {} of them duplicates and {} new{open}",
                evidence_of(&record),
                counts.dropped,
                counts.recalled,
                counts.explored,
                counts.explored_duplicates,
                counts.explored_new,
            ),
        );
        for (copy, original) in &record.examples {
            trace.note_of(None, format!("example: {copy} = {original}"));
        }
        Ok(())
    }
}

/// What is known of a spelling that is new, was dropped, or waits in the ledger.
fn words_of_spelling(seen: Option<SeenAs>, is_not_followed: bool) -> &'static str {
    match seen {
        None if is_not_followed => {
            "this spelling was met, but only where its link or the page around it says nofollow"
        }
        None => "this spelling is new",
        Some(SeenAs::Dropped) => "this spelling was dropped before",
        Some(_) => "this spelling was queued before, and dropped while it waited",
    }
}

/// What speaks for a belief and against it.
fn evidence_of(record: &BeliefRecord) -> String {
    let (trials, failures) = (record.trials, record.failures);
    let budget = BeliefRecord::tell_budget(&record.text, record.standing, trials, failures);
    budget.unwrap_or_else(|| {
        format!(
            "{}, {trials} {}, {failures} failed{}{}{}",
            record.standing,
            if trials == 1 { "trial" } else { "trials" },
            BeliefRecord::tell_undecided(record.undecided),
            BeliefRecord::tell_e_value(record.e_value),
            BeliefRecord::tell_earlier(record.earlier_trials, record.earlier_failures),
        )
    })
}

/// Adds why a belief that is active is not acted upon.
fn note_muted(record: &BeliefRecord, trace: &mut Trace) {
    let what = if record.standing == Standing::Active {
        "active, but not acted upon here"
    } else {
        "keeps an active one from being acted upon here"
    };
    trace.note_of(
        BELIEF,
        format!("{} on {}: {}", record.id, record.site, record.text),
    );
    let (undecided, trials) = (record.undecided, record.trials);
    trace.note_of(
        None,
        format!("{what}: {undecided} of its trials could not be decided, {trials} counted"),
    );
}
