//! The chain of stages: runs them over all links of a page.

mod batch;
mod order;
mod state;
mod trace;

pub use batch::{Batch, Live, Slot};
pub use order::NoSuchStage;
pub(crate) use state::{STATE_OF_STAGES, state_prefix};
pub use trace::{Fate, Note, Step, Trace};

use crate::{
    Admitted, BeliefId, BeliefRecord, Candidate, CanonicalUrl, DropReason, Dropped, HostKey,
    Middleware, Phase, RawUrl, StageName, Untried, Verdict, Via,
};

/// The name under which resolving a link appears in drop reasons and counters.
pub const RESOLVE: &str = "resolve";

/// The stages in their order. Those of one [`Phase`] run in this order, and the first drop decides.
#[derive(Debug, Default)]
pub struct Chain {
    stages: Vec<Box<dyn Middleware>>,
}

impl Chain {
    /// A chain without stages: links are only resolved and spelled canonically.
    pub fn new() -> Self {
        Self::default()
    }

    /// Resolves the links and runs the stages that come before the seen-set. `batch` is emptied first
    /// and keeps its memory; slot `i` holds link `i`.
    pub fn judge(&self, via: &Via<'_>, links: &[RawUrl<'_>], batch: &mut Batch) {
        batch.fill(via, links);
        self.run(Phase::BeforeSeen, via, batch);
    }

    /// Runs the stages that come after the seen-set over what is left in the batch.
    pub fn predict(&self, via: &Via<'_>, batch: &mut Batch) {
        self.run(Phase::AfterSeen, via, batch);
    }

    fn run(&self, phase: Phase, via: &Via<'_>, batch: &mut Batch) {
        for stage in self.stages().filter(|s| s.phase() == phase) {
            stage.judge_all(&mut Live::new(batch, stage.name()), via);
        }
    }

    /// Judges a link that waited once more, with the stages of one phase. All of them run, because a later one builds
    /// on the class that an earlier one gives. But only those that have learned something about the host may drop it:
    /// the others said all they know before, when they had the page, too.
    ///
    /// # Errors
    /// The drop, if the link is not wanted any more.
    pub fn judge_again(
        &self,
        phase: Phase,
        via: &Via<'_>,
        link: &mut Candidate,
    ) -> Result<(), Dropped> {
        for stage in self.stages().filter(|s| s.phase() == phase) {
            if let Verdict::Drop(reason) = stage.judge(link, via)
                && stage.generation(link.host()) > 0
            {
                return Err(Dropped {
                    stage: stage.name(),
                    reason,
                });
            }
        }
        Ok(())
    }

    /// Records what each stage says about one link, on the same code path as [`judge`](Self::judge). The seen-set is
    /// not asked.
    pub fn explain(&self, via: &Via<'_>, link: RawUrl<'_>) -> Trace {
        let mut trace = Trace::new(link.as_str());
        let mut candidate = match Candidate::resolve(link, via) {
            Ok(candidate) => candidate,
            Err(why) => {
                trace.push(RESOLVE, None, Verdict::Drop(DropReason::Malformed(why)));
                return trace;
            }
        };
        trace.push(RESOLVE, Some(&candidate), Verdict::Pass);
        for phase in [Phase::BeforeSeen, Phase::AfterSeen] {
            for stage in self.stages().filter(|s| s.phase() == phase) {
                let verdict = stage.judge(&mut candidate, via);
                let dropped = matches!(verdict, Verdict::Drop(_));
                trace.push(stage.name(), Some(&candidate), verdict);
                if dropped {
                    return trace;
                }
            }
        }
        if via.is_seed() && self.stages().any(|s| s.phase() == Phase::AfterSeen) {
            trace.note("a seed: predictions do not drop it, though they may drop a link to it");
        }
        trace
    }

    /// Lets every stage do the heavy work that observing has left behind. Returns `false` if there was none. See
    /// [`Middleware::work`].
    pub fn work(&self) -> bool {
        self.stages().fold(false, |some, stage| stage.work() | some)
    }

    /// The stage that holds a belief.
    pub fn stage_of(&self, belief: BeliefId) -> Option<StageName> {
        self.stages()
            .find(|s| s.describe(belief).is_some())
            .map(Middleware::name)
    }

    /// How often a belief has been activated.
    pub fn belief_generation(&self, belief: BeliefId) -> u64 {
        self.stages().map(|s| s.belief_generation(belief)).sum()
    }

    /// Whether exploration may fetch a link that a belief drops: it may unless a stage knows that the fetch could tell
    /// nothing.
    pub fn explores(&self, link: &Candidate, belief: BeliefId) -> bool {
        self.stages().all(|s| s.explores(link, belief))
    }

    /// A belief that a drop relies on and that nothing in this crawl has tested.
    pub fn untried(&self, link: &Candidate, belief: BeliefId) -> Option<Untried> {
        self.stages().find_map(|s| s.untried(link, belief))
    }

    /// The version of what all stages together believe about a host.
    pub fn generation(&self, host: &HostKey) -> u64 {
        self.stages().map(|s| s.generation(host)).sum()
    }

    /// The name of the page that a URL is taken to bring, from the first stage that has one.
    pub fn page_name(&self, url: &CanonicalUrl) -> Option<u64> {
        self.stages().find_map(|s| s.page_name(url))
    }

    /// Whether any stage asks for a second answer for a URL whose page has come.
    pub fn wants_refetch(&self, admitted: &Admitted) -> bool {
        self.stages().any(|s| s.wants_refetch(admitted))
    }

    /// The record of a belief of any stage.
    pub fn belief(&self, belief: BeliefId) -> Option<BeliefRecord> {
        self.stages().find_map(|s| s.belief(belief))
    }

    /// Calls `each` with every belief of every stage that was ever tested.
    pub fn beliefs(&self, each: &mut dyn FnMut(BeliefRecord)) {
        for stage in self.stages() {
            stage.beliefs(each);
        }
    }

    /// Calls `each` with what another crawl should know about the beliefs of every stage.
    pub fn carried(&self, each: &mut dyn FnMut(BeliefId, String)) {
        for stage in self.stages() {
            stage.carried(each);
        }
    }

    /// Calls `each` with the beliefs of any stage that keep active ones from being acted upon for a link.
    pub fn muted(&self, link: &Candidate, each: &mut dyn FnMut(BeliefRecord)) {
        for stage in self.stages() {
            stage.muted(link, each);
        }
    }

    /// Calls `each` with what the stage `by` adds to its drop of a link; without `by`, with what each stage adds to
    /// passing a link that none drops.
    pub fn remarks(&self, by: Option<StageName>, link: &Candidate, each: &mut dyn FnMut(String)) {
        for stage in (self.stages()).filter(|stage| by.is_none_or(|by| stage.name() == by)) {
            stage.remarks(link, each);
        }
    }

    /// The text form of a belief of any stage.
    pub fn describe(&self, belief: BeliefId) -> Option<String> {
        self.stages().find_map(|s| s.describe(belief))
    }
}
