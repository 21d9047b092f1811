//! The contract of a stage of the chain.
//!
//! Judging reads, observing learns. Stages do not call each other: the [`Chain`](crate::Chain) is a list that runs from
//! first to last, and the first drop decides.

use std::fmt;

use crate::{
    Admitted, BeliefId, BeliefRecord, Candidate, CanonicalUrl, Fingerprint, HostKey, Live,
    Observation, SeenAs, StageName, Verdict, Via,
};

/// When a stage is asked: before or after the seen-set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Its answer depends on the link alone, or decides which class the link is looked up by.
    BeforeSeen,
    /// Its answer matters only for links whose spelling and class are new (prediction).
    AfterSeen,
}

/// One stage of the chain. Judging reads, observing learns.
pub trait Middleware: fmt::Debug + Send + Sync {
    /// A stable lowercase name. It appears in drop reasons, counters and traces, and names the state that the stage keeps. It must be
    /// unique in the chain (two stages of one name would be given each other's state) and contain no `/`. A renamed stage begins without
    /// what was learned under the old name.
    fn name(&self) -> StageName;

    /// When the stage is asked.
    fn phase(&self) -> Phase {
        Phase::BeforeSeen
    }

    /// Decides about one link, and may rewrite it.
    ///
    /// Equal inputs must give equal verdicts until something is observed or a rule set is published: no clock, no
    /// randomness, no I/O.
    fn judge(&self, link: &mut Candidate, via: &Via<'_>) -> Verdict;

    /// Judges all links of a page. Override it to take one snapshot for the whole page.
    fn judge_all(&self, live: &mut Live<'_>, via: &Via<'_>) {
        live.each(|link| self.judge(link, via));
    }

    /// The version of what this stage believes about `host`. It grows when an earlier verdict may no longer hold. A
    /// link that waited in the queue is judged again by the stages whose generation grew. A link that was dropped is
    /// not: it comes back only if the belief that dropped it is [withdrawn](Effects::withdrawn) or
    /// [shaken](Effects::shaken) (see [`DropReason::Other`](crate::DropReason::Other)).
    fn generation(&self, host: &HostKey) -> u64 {
        let _ = host;
        0
    }

    /// Does the heavy work that observing has left behind. Returns `false` if there was none. Whoever drives the
    /// frontier calls it now and then, from a thread that may be kept busy. If it is never called, a stage does this
    /// work in [`checkpoint`](Self::checkpoint), so that a replay is the same each time.
    fn work(&self) -> bool {
        false
    }

    /// Learns from what came back. Must be cheap and not block; heavy work belongs in a learner.
    ///
    /// [`LocalFrontier`](crate::LocalFrontier) calls it from every thread that hands a lease back, for several pages at a
    /// time and outside its lock; the pages are committed afterwards, one by one. Pages of two threads may be committed in
    /// another order than they were observed in, whatever locks the stage takes. See [`Effects::state`] for what that
    /// means for state that is kept.
    fn observe(&self, seen: &Observation<'_>, effects: &mut Effects) {
        let _ = (seen, effects);
    }

    /// The text form of a belief of this stage, for reports and `explain`. Beliefs that have fallen must still be
    /// known: what they saved is subtracted from this stage's savings.
    fn describe(&self, belief: BeliefId) -> Option<String> {
        self.belief(belief).map(|record| record.text)
    }

    /// The record of a belief of this stage, also of a fallen one. A frontier may be built on a store where links wait
    /// on the word of a belief of this stage. If that belief is not [active](crate::Standing::Active), or the stage
    /// neither knows it nor can [describe](Self::describe) it, the links are queued again.
    fn belief(&self, belief: BeliefId) -> Option<BeliefRecord> {
        let _ = belief;
        None
    }

    /// A name for the page that this stage takes the URL to bring, the same for all URLs that it takes for copies of that page.
    /// While one of them is being fetched, the others wait, and are judged again when it has come. So fetching several URLs of a
    /// host at a time costs no duplicates that fetching them one by one would not. `None` if it takes no two URLs for one page.
    fn page_name(&self, url: &CanonicalUrl) -> Option<u64> {
        let _ = url;
        None
    }

    /// Whether a second answer for this URL would tell this stage something: which lines of a page change each time. Called by
    /// [`Frontier::wants_refetch`](crate::Frontier::wants_refetch), for several pages at a time, when the first answer has come and was not
    /// observed yet. It should not be so for all pages under way at once, nor again and again where second answers do not come.
    fn wants_refetch(&self, admitted: &Admitted) -> bool {
        let _ = admitted;
        false
    }

    /// Calls `each` with every belief that was ever tested, in no particular order.
    fn beliefs(&self, each: &mut dyn FnMut(BeliefRecord)) {
        let _ = each;
    }

    /// Calls `each` with what another crawl should know about beliefs beyond their records, in a form that this stage reads. It
    /// may look at everything that was learned: only [`LocalFrontier::carried`](crate::LocalFrontier::carried) calls it.
    fn carried(&self, each: &mut dyn FnMut(BeliefId, String)) {
        let _ = each;
    }

    /// Calls `each` with beliefs that keep active ones from being acted upon for a link, most often the active one
    /// itself, because too many of their trials could not be decided. Only [`explain`](crate::Frontier::explain) calls
    /// it.
    fn muted(&self, link: &Candidate, each: &mut dyn FnMut(BeliefRecord)) {
        let _ = (link, each);
    }

    /// Says in sentences what the drop reason does not: of which page a dropped link is taken for a copy, and under which
    /// name; or, for a link that this stage passes, why its beliefs are not acted upon there. Only
    /// [`explain`](crate::Frontier::explain) calls it, for a link that this stage has just dropped, or that none has.
    fn remarks(&self, link: &Candidate, each: &mut dyn FnMut(String)) {
        let _ = (link, each);
    }

    /// How often the belief has been activated. Exploration draws anew each time, so that a belief that fell and rose
    /// again is not audited only by the same links.
    fn belief_generation(&self, belief: BeliefId) -> u64 {
        let _ = belief;
        0
    }

    /// Whether exploration may fetch a link that this belief drops. Not if a probe would cost a fetch and tell nothing:
    /// no page can contradict a belief that a person stated.
    fn explores(&self, link: &Candidate, belief: BeliefId) -> bool {
        let _ = (link, belief);
        true
    }

    /// For a link whose class is known on the word of `belief`: one of the beliefs that made the class and that is
    /// acted upon though nothing in this crawl has tested it. Exploration then fetches the link, whatever the lot says:
    /// a belief that was wrong from the start might otherwise hide everything that could contradict it.
    fn untried(&self, link: &Candidate, belief: BeliefId) -> Option<Untried> {
        let _ = (link, belief);
        None
    }

    /// Takes back what this stage wrote through [`Effects::state`] in an earlier run. Called once per stored entry,
    /// before anything is judged.
    ///
    /// # Errors
    /// A sentence for the operator if the state cannot be read; the frontier logs it, counts it and goes on without
    /// that state.
    fn restore(&self, key: &str, value: &[u8]) -> Result<(), String> {
        let _ = (key, value);
        Ok(())
    }

    /// Puts together what [`restore`](Self::restore) was given, if that needs all of it. Called once, after the last
    /// entry and before anything is judged. Returns a sentence for each part that could not be read and begins anew;
    /// the frontier logs and counts them.
    fn restored(&self) -> Vec<String> {
        Vec::new()
    }

    /// Writes what is not yet handed over to [`Effects::state`], and may combine earlier entries. Called after
    /// [`restored`](Self::restored), now and then, and before a flush, always while no observation is under way: what
    /// the stage knows then is exactly what is committed.
    fn checkpoint(&self, effects: &mut Effects) {
        let _ = effects;
    }
}

const _: Option<&dyn Middleware> = None; // stays dyn-compatible

/// A belief that is acted upon without having been tested in this crawl.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Untried {
    /// Its name; the probe is made for it.
    pub belief: BeliefId,
    /// Most probes per host that may be under way for it at a time.
    pub at_once: u64,
    /// No more probes are made once this many links have been explored for it, by lot or not.
    pub most: u64,
}

/// The late result of a probe that could not be judged when it came back: it redirected to a page that was not known, or
/// there was nothing yet to compare it with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeVerdict {
    /// The host of the URL that was explored.
    pub host: HostKey,
    /// The belief that it was explored for.
    pub belief: BeliefId,
    /// Whether the content was known.
    pub was_duplicate: bool,
}

/// What a stage wants done because of an observation. Becomes durable with the page that caused it.
#[derive(Debug, Default)]
pub struct Effects {
    /// Beliefs that fell. Their links come back from the ledgers of all hosts on which they dropped some, not only the
    /// one named here, and the classes they merged are forgotten.
    pub withdrawn: Vec<(HostKey, BeliefId)>,
    /// Beliefs that stand, though what some of their drops relied on has changed. Each of their links in the ledger, on
    /// all hosts, is judged again, and comes back unless the same belief would drop it now.
    pub shaken: Vec<BeliefId>,
    /// Beliefs that stand but may now make other classes than before, because one that ran with them has fallen. The
    /// classes that they merged are forgotten, except those in [`known`](Self::known). Of the links that they dropped,
    /// on all hosts, those whose class has changed or is no longer known are queued, to be judged again by all stages.
    pub renamed: Vec<(HostKey, BeliefId)>,
    /// Classes to count as known, because a new rule set names pages fetched earlier differently.
    pub known: Vec<(Fingerprint, SeenAs)>,
    /// Learned state to keep: key (unique within the stage; by convention it starts with the host) and value, `None` to forget.
    /// [`Chain::observe`](crate::Chain::observe) and [`Chain::checkpoint`](crate::Chain::checkpoint) return keys with the stage's name
    /// before them, in the form that [`Chain::restore`](crate::Chain::restore) takes.
    ///
    /// It is written with the page that caused it. A page that was handed in after another one was done is committed after
    /// it. For pages handed in at the same time, no order is promised: of two values for one key that
    /// [`observe`](Middleware::observe) wrote, the older one may be the one that stays. So in `observe`, write what does not
    /// depend on the order: a value that is always the same, or a key for each observation (its number, for example), which
    /// [`checkpoint`](Middleware::checkpoint) may combine later. A value that replaces the last one, such as a sum, belongs
    /// in `checkpoint`, which runs alone. After a crash, such a value lacks what was observed since the last checkpoint
    /// (some hundreds of pages at most, fewer with a [`flush`](crate::Frontier::flush) now and then), whereas a key for each
    /// observation misses nothing that was committed.
    pub state: Vec<(String, Option<Vec<u8>>)>,
    /// Whether nobody keeps [`state`](Self::state), so that a stage may save itself the work.
    pub forgets_state: bool,
    /// For an explored page: whether its content turned out to be known. `None` if that cannot be told.
    pub probe_was_duplicate: Option<bool>,
    /// For any page: whether its content was not met before. `None` if that cannot be told. If several stages say so, the last one
    /// counts.
    pub is_new: Option<bool>,
    /// Number of pages whose content is known, from this observation on, not to have been met before: this page, and others that had to
    /// wait for it. Added up over the stages that say so, usually one per chain.
    pub contents_new: u64,
    /// The same for contents that were met before. Pages in neither figure could not be judged.
    pub contents_known: u64,
    /// Late results of URLs that were explored before. For a URL that redirected, the result comes when the page it led to
    /// is fetched, or when the URL it led to redirects on to a page that was fetched. For a page, it comes when it is known
    /// what it can be compared with.
    pub late_verdicts: Vec<ProbeVerdict>,
    /// Whether the stage that holds the belief for which the page was explored has judged the probe, if only to say
    /// that it cannot tell. What other stages make of the page is then no verdict on the belief.
    pub probe_is_judged: bool,
}
