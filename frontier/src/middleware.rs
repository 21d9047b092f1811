//! What does every stage of the chain promise?
//!
//! Judging reads, observing learns. Stages do not call each other: the [`Chain`](crate::Chain) is a
//! list that runs in reading order, and the first drop decides.

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
    /// Stable lowercase name; appears in drop reasons, counters and traces, and names the state that the stage keeps. No other stage of the chain
    /// has it (two of one name would be given each other's state), and there is no `/` in it. Another name is another stage: it
    /// begins without what was learned under the old one.
    fn name(&self) -> StageName;

    /// When it is asked.
    fn phase(&self) -> Phase {
        Phase::BeforeSeen
    }

    /// Decides about one link and may rewrite it.
    ///
    /// Equal inputs give equal verdicts until something is observed or a rule set is published: no
    /// clock, no chance, no I/O.
    fn judge(&self, link: &mut Candidate, via: &Via<'_>) -> Verdict;

    /// Judges all links of a page. Override to take one snapshot for the whole page.
    fn judge_all(&self, live: &mut Live<'_>, via: &Via<'_>) {
        live.each(|link| self.judge(link, via));
    }

    /// Version of what this stage believes about `host`; grows when an earlier verdict may no longer
    /// hold. A link that waited in the queue is judged again by the stages whose generation grew. One that was
    /// dropped is not: it comes back only if a belief dropped it that is [withdrawn](Effects::withdrawn)
    /// or [shaken](Effects::shaken) ([`DropReason::Other`](crate::DropReason::Other) tells more).
    fn generation(&self, host: &HostKey) -> u64 {
        let _ = host;
        0
    }

    /// Does the heavy work that observing has left behind; `false` when there was none. Whoever drives the
    /// frontier calls it now and then from a thread that may be kept busy. Stages whose work was never
    /// asked for do it in [`checkpoint`](Self::checkpoint), so that a replay is the same each time.
    fn work(&self) -> bool {
        false
    }

    /// Learns from what came back. Cheap and non-blocking; heavy work belongs to a learner.
    ///
    /// [`LocalFrontier`](crate::LocalFrontier) calls it from every thread that hands a lease back, several pages at a time
    /// and outside its lock; the pages are committed afterwards, one by one. Pages of two threads may be committed in
    /// another order than they were observed in, whatever locks the stage takes: see [`Effects::state`] for what that
    /// means for state that is kept.
    fn observe(&self, seen: &Observation<'_>, effects: &mut Effects) {
        let _ = (seen, effects);
    }

    /// The text form of a belief of this stage, for reports and `explain`. A belief that has fallen must
    /// still be known: what it saved is taken off this stage's savings.
    fn describe(&self, belief: BeliefId) -> Option<String> {
        self.belief(belief).map(|record| record.text)
    }

    /// All that is to be said about a belief of this stage, fallen ones included. When a frontier is built
    /// on a store where links wait on the word of a belief of this stage that is not
    /// [active](crate::Standing::Active), or that it neither knows nor can [describe](Self::describe), they
    /// are queued again.
    fn belief(&self, belief: BeliefId) -> Option<BeliefRecord> {
        let _ = belief;
        None
    }

    /// A name for the page that this stage takes the URL to bring, the same for all URLs that it takes for copies of it. While one
    /// of them is being fetched, the others wait, and are judged again when it has come: so fetching several URLs of a host at a
    /// time costs no duplicates that fetching them one by one would not. `None` where it takes no two URLs for one page.
    fn page_name(&self, url: &CanonicalUrl) -> Option<u64> {
        let _ = url;
        None
    }

    /// Whether a second answer for this URL would tell this stage something: which lines of a page are others each time. Asked by
    /// [`Frontier::wants_refetch`](crate::Frontier::wants_refetch), when the first one has come and was not observed yet, several pages at a time. Not
    /// of as many as are under way at once, nor again and again where second answers do not come.
    fn wants_refetch(&self, admitted: &Admitted) -> bool {
        let _ = admitted;
        false
    }

    /// Shows every belief that was ever tested, in no particular order.
    fn beliefs(&self, each: &mut dyn FnMut(BeliefRecord)) {
        let _ = each;
    }

    /// Shows what another crawl is to know of beliefs that their records do not say, in a form that this stage reads. It may look
    /// at all that was learned: asked by [`LocalFrontier::carried`](crate::LocalFrontier::carried) only.
    fn carried(&self, each: &mut dyn FnMut(BeliefId, String)) {
        let _ = each;
    }

    /// Shows beliefs that keep active ones from being acted upon for a link, most often the active one itself: too many
    /// of their trials could not be decided. Asked by [`explain`](crate::Frontier::explain) only.
    fn muted(&self, link: &Candidate, each: &mut dyn FnMut(BeliefRecord)) {
        let _ = (link, each);
    }

    /// Says in sentences what this stage drops a link for that its reason does not: of which page it is taken for a copy, and
    /// under which name; or, of a link that it passes, why what it believes is not acted upon there. Asked by
    /// [`explain`](crate::Frontier::explain) only, of a link that this stage has just dropped, or that none has.
    fn remarks(&self, link: &Candidate, each: &mut dyn FnMut(String)) {
        let _ = (link, each);
    }

    /// How often the belief has been activated. Exploration draws anew each time, so that a belief
    /// that fell and rose again is not audited by the same links only.
    fn belief_generation(&self, belief: BeliefId) -> u64 {
        let _ = belief;
        0
    }

    /// Whether exploration may fetch a link that this belief drops. Not where nothing would come of it: no page
    /// speaks against a belief that stands on somebody's word, so that a probe would cost a fetch and tell nothing.
    fn explores(&self, link: &Candidate, belief: BeliefId) -> bool {
        let _ = (link, belief);
        true
    }

    /// Of the beliefs that made the class of a link that is known on the word of `belief`: one that acts though
    /// nothing in this crawl has put it to the test. Exploration then fetches the link, whatever chance says: a
    /// belief that was wrong from the start might otherwise hide all that could contradict it.
    fn untried(&self, link: &Candidate, belief: BeliefId) -> Option<Untried> {
        let _ = (link, belief);
        None
    }

    /// Takes back what this stage wrote through [`Effects::state`] in an earlier run. Called once per
    /// stored entry, before anything is judged.
    ///
    /// # Errors
    /// A sentence for the operator when the state cannot be read; the frontier logs it, counts it and
    /// goes on without.
    fn restore(&self, key: &str, value: &[u8]) -> Result<(), String> {
        let _ = (key, value);
        Ok(())
    }

    /// Puts together what [`restore`](Self::restore) was given, if that needs all of it. Called once,
    /// after the last entry and before anything is judged. Answers a sentence for each part that could
    /// not be read and begins anew; the frontier logs and counts them.
    fn restored(&self) -> Vec<String> {
        Vec::new()
    }

    /// Writes what is not yet handed over through [`Effects::state`], and may put earlier entries
    /// together. Called after [`restored`](Self::restored), now and then, and before a flush, always
    /// while no observation is under way: what the stage knows then is exactly what is committed.
    fn checkpoint(&self, effects: &mut Effects) {
        let _ = effects;
    }
}

const _: Option<&dyn Middleware> = None; // stays dyn-compatible

/// A belief that acts without having been tested in this crawl.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Untried {
    /// Its name: the probe is made for it.
    pub belief: BeliefId,
    /// Probes of a host that may be under way for it at a time.
    pub at_once: u64,
    /// None is made once so many links were explored for it, by chance or not.
    pub most: u64,
}

/// What came of a probe that nobody could tell of when it came back: it redirected to a page that was not known, or there was
/// nothing yet to compare it with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeVerdict {
    /// Host of the URL that was explored.
    pub host: HostKey,
    /// The belief that it was explored for.
    pub belief: BeliefId,
    /// Whether the content was known.
    pub was_duplicate: bool,
}

/// What a stage wants done because of an observation; becomes durable with the page that caused it.
#[derive(Debug, Default)]
pub struct Effects {
    /// Beliefs that fell: their links come back from the ledgers of all hosts on which they dropped
    /// some, the one named here or others, and the classes they merged are forgotten.
    pub withdrawn: Vec<(HostKey, BeliefId)>,
    /// Beliefs that stand though what some of their drops leaned on has changed. Each of their links is
    /// judged again where it lies in the ledger, on all hosts, and comes back unless the same belief
    /// would drop it now.
    pub shaken: Vec<BeliefId>,
    /// Beliefs that stand, but may make other classes than they did, since one that ran with them has fallen.
    /// The classes that they merged are forgotten but for those in [`known`](Self::known). Of the links that they
    /// dropped, on all hosts, those of another class now, or of one that is not known any more, are queued to be judged
    /// again by all.
    pub renamed: Vec<(HostKey, BeliefId)>,
    /// Classes to count as known, because a new rule set names pages fetched earlier differently.
    pub known: Vec<(Fingerprint, SeenAs)>,
    /// Learned state to keep: key (unique within the stage; by convention starts with the host) and
    /// value, `None` to forget. From [`Chain::observe`](crate::Chain::observe) and [`Chain::checkpoint`](crate::Chain::checkpoint) keys come
    /// out with the stage's name before them, as [`Chain::restore`](crate::Chain::restore) takes them back.
    ///
    /// It is written with the page that caused it. A page that was handed in after another one was done is committed
    /// after it; for pages that are handed in at the same time no order is promised, so that of two values for one key that
    /// [`observe`](Middleware::observe) wrote, the older one may be the one that stays. There, write what does not depend on
    /// the order: a value that is always the same, or a key for each observation (its number, for one), which
    /// [`checkpoint`](Middleware::checkpoint) may put together later. A value that replaces the last one, such as a sum,
    /// belongs into `checkpoint`, which runs alone; what was observed since the last one is missing from it after a
    /// crash (some hundreds of pages at most, and fewer with a [`flush`](crate::Frontier::flush) now and then), where a key
    /// for each observation misses nothing of what was committed.
    pub state: Vec<(String, Option<Vec<u8>>)>,
    /// Nobody keeps [`state`](Self::state): a stage may save itself the work.
    pub forgets_state: bool,
    /// Of an explored page: whether its content turned out to be known. `None` if nobody can tell.
    pub probe_was_duplicate: Option<bool>,
    /// Of any page: whether its content is one that was not met before. `None` if nobody can tell. Of several stages that say so the
    /// last one counts.
    pub is_new: Option<bool>,
    /// Added up over the stages that say so, one of a chain as a rule: of so many pages it is known from now on that their content was not met before: of this one, and of others that had to wait for it.
    pub contents_new: u64,
    /// The same of contents that were met before. Of the pages in neither figure nobody can tell.
    pub contents_known: u64,
    /// What came of URLs that were explored before: of one that redirected, told when the page is fetched that it led to, or
    /// the URL that it led to redirects on to one that was; of a page, told when it is known what it can be compared with.
    pub late_verdicts: Vec<ProbeVerdict>,
    /// The stage that holds the belief for which the page was explored has spoken, if only to say that it cannot
    /// tell: what other stages make of the page is not what the belief said.
    pub probe_is_judged: bool,
}
