//! What was learned about one site.
//!
//! A page that was fetched is compared with the page that each edit on trial says it equals: one trial per edit and
//! newcomer, never pairs. Content that was met before nominates new edits. Beliefs with enough evidence make up the
//! canonical form of a URL, and a URL is a predicted duplicate if a page with its canonical form was *fetched*: a value
//! never seen together with the rest of this URL is no reason to drop.

mod addresses;
mod beliefs;
mod canonical;
mod company;
mod compare;
mod firsts;
mod gone;
mod heard;
mod held;
mod idle;
mod index;
mod judge;
mod kind;
mod kinds;
mod leading;
mod learn;
mod members;
mod named;
mod near;
mod numbers;
mod pages;
mod pair;
mod propose;
mod redirect;
mod referrer;
mod refile;
mod refused;
mod report;
mod selectors;
mod settle;
mod share;
mod shown;
mod shows;
mod sources;
mod state;
#[cfg(test)]
pub(super) mod tests;
mod trial;
mod walls;
mod warm;
mod way;
mod words;

use nodust_frontier::BeliefId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    belief::{Belief, Level},
    config::PredictConfig,
    evidence::Ratios,
    form::{Edit, Form, Hashed, Present, join, part_from},
    text::Claim,
    turning::{Asked, Turning},
    yields::Yields,
};
use crate::sign::{ChromeBook, ClusterId, Clusters, Sameness, push_tightly};
use beliefs::Beliefs;
use canonical::Applied;
use company::Company;
use firsts::Firsts;
use gone::Gone;
use index::Index;
pub(super) use kind::KINDS;
use kinds::KindsOfBeliefs;
use leading::Leading;
pub(super) use learn::Facts;
use members::Members;
use near::Near;
use numbers::Numbers;
use pages::Pages;
use refile::Round;
use refused::Refused;
use selectors::Selectors;
use shown::{Shown, ShownOfBeliefs};
use sources::Sources;
use walls::Walls;
use warm::Warming;

pub(crate) use named::bit_of_host;
pub(super) use pages::name_of;

#[derive(Clone, Debug)]
struct OnTrial {
    edit: Hashed,
    /// Edits of a part of the parameters that it is about, and of which.
    parts: Vec<(Present, u32)>,
    /// What its successes showed of the parameters of its set.
    shown: Shown,
    active: u32,
    successes: u32,
    failures: u32,
    /// Failures since the last success.
    in_a_row: u32,
    /// Contents that it was read from before its first trial, and the last of them.
    read: u8,
    read_of: ClusterId,
    /// Of an alias that was ever tested: how many of its kind were before it.
    peers: Option<u16>,
}

/// Failures in a row after which an edit is not indexed any more.
const ASLEEP: u32 = 12;
/// Failures from which on, and for each success, an edit that sleeps is not tried any more.
const GIVEN_UP: u32 = 64;

impl OnTrial {
    /// An edit that was not tried yet.
    fn of(edit: Edit) -> Self {
        Self {
            edit: edit.into(),
            parts: Vec::new(),
            shown: Shown::default(),
            active: 0,
            successes: 0,
            failures: 0,
            in_a_row: 0,
            read: 0,
            read_of: 0,
            peers: None,
        }
    }

    /// Counts a trial; one that says nothing is none, but no failure either.
    const fn count(&mut self, success: Option<bool>) {
        match success {
            Some(false) => {
                self.failures += 1;
                self.in_a_row += 1;
                return;
            }
            Some(true) => self.successes += 1,
            None => {}
        }
        self.in_a_row = 0;
    }

    /// Whether it holds so often that what it fails for may be an exception.
    const fn is_mostly_right(&self) -> bool {
        self.successes >= MOSTLY.1 && self.successes >= self.failures * MOSTLY.0
    }

    /// Edits that nearly always fail are not indexed any more, only checked in passing. One that fails in
    /// one section of a site may hold in another.
    const fn is_asleep(&self) -> bool {
        self.active == 0 && self.failures > self.successes && self.in_a_row >= ASLEEP
    }

    /// Edits that never hold, or next to never, are not even checked, until pages of one content have differed in just
    /// that often enough. (Of filters of lists that come in all combinations, each set of names would be tried on each
    /// page, and what failed for each rest kept.)
    const fn is_given_up(&self) -> bool {
        self.is_asleep() && self.failures >= GIVEN_UP && self.failures >= self.successes * GIVEN_UP
    }
}

/// Successes for each failure, and in all, from which on failures of an edit may be exceptions.
const MOSTLY: (u32, u32) = (3, 10);

/// Pages that a place in the path explains for each one that is read anew all the same.
const READ_ANEW: u32 = 8;

impl OnTrial {
    /// Whether this trial is one of those after which an alias is looked for that says better what a place in
    /// the path says: which folders are one, instead of that it does not matter which.
    fn is_vague(&self) -> bool {
        matches!(*self.edit, Edit::Segments { .. })
            && self.active == 0
            && self.successes % READ_ANEW == READ_ANEW / 2
    }
}

/// The late result of a probe that redirected, known once the content of its target is: the target was fetched, or
/// redirected on to a page that was.
#[derive(Debug)]
pub struct LateVerdict {
    /// The URL that was fetched as a probe.
    pub url: Box<str>,
    /// The belief that predicted it to be a duplicate.
    pub belief: BeliefId,
    /// Whether the page that it led to was a duplicate.
    pub was_duplicate: bool,
}

/// What an observation changed for a site.
#[derive(Debug, Default)]
pub struct Learned {
    /// Beliefs that fell.
    pub withdrawn: Vec<BeliefId>,
    /// Beliefs that stand, but whose drops may have relied on one that fell. Those drops must be judged anew.
    pub shaken: Vec<BeliefId>,
    /// Budgets that let links pass again, and beliefs that stand with one more exception. What they dropped must be
    /// judged anew.
    pub reopened: Vec<BeliefId>,
    /// For a page fetched as a probe: whether it brought what was predicted.
    pub was_duplicate: Option<bool>,
    /// Whether the page brought content that was not met before. `None` if that cannot be told: while the first pages are only
    /// counted, or for a page that is nothing but chrome.
    pub is_new: Option<bool>,
    /// Number of pages whose content is now known to be new: this one, and those that waited for the first chrome.
    pub contents_new: u64,
    /// Number of pages whose content is now known to have been met before.
    pub contents_known: u64,
    /// Results of URLs that were fetched as probes before, and led to this page, or to this URL and on.
    pub late: Vec<LateVerdict>,
    /// Beliefs for which exploration must draw anew, with the number of the draw.
    pub risen: Vec<(BeliefId, u64)>,
    /// Whether a probe was compared, and nobody can tell.
    pub(super) is_undecided: bool,
    /// Whether an active belief fell, or drops may have leaned on something else that does not hold any more.
    pub(super) has_fallen: bool,
}

impl Learned {
    /// Adds what came of a further event.
    pub(super) fn add(&mut self, more: Self) {
        let Self {
            withdrawn,
            shaken,
            reopened,
            was_duplicate,
            is_new,
            contents_new,
            contents_known,
            late,
            risen,
            is_undecided,
            has_fallen,
        } = more;
        self.withdrawn.extend(withdrawn);
        self.reopened.extend(reopened);
        // The later list is of what stands in the end.
        if has_fallen {
            self.shaken = shaken;
        }
        self.was_duplicate = was_duplicate;
        self.is_new = is_new;
        self.contents_new += contents_new;
        self.contents_known += contents_known;
        self.late.extend(late);
        self.risen.extend(risen);
        self.is_undecided = is_undecided;
        self.has_fallen |= has_fallen;
    }

    /// Tells of the page whether its content was met before.
    fn tell_content(&mut self, is_new: Option<bool>) {
        self.is_new = is_new;
        self.contents_new += u64::from(is_new == Some(true));
        self.contents_known += u64::from(is_new == Some(false));
    }

    /// Adds what came of another URL than the one that is observed: what it says of a probe or of a page is not said of this one.
    fn add_all_but_verdict(&mut self, more: Self) {
        let own = (self.was_duplicate, self.is_undecided, self.is_new);
        self.add(more);
        (self.was_duplicate, self.is_undecided, self.is_new) = own;
    }

    /// Whether a probe was compared with nothing yet.
    const fn has_found_nothing(&self) -> bool {
        self.was_duplicate.is_none() && !self.is_undecided
    }

    /// Notes what came of a probe.
    fn found(&mut self, verdict: Sameness) {
        match verdict {
            Sameness::Same => self.was_duplicate = Some(true),
            Sameness::Different => self.was_duplicate = Some(false),
            Sameness::Unknown => self.is_undecided = true,
        }
    }
}

/// Everything known about one site.
#[derive(Debug)]
pub struct Site {
    name: Box<str>,
    config: PredictConfig,
    ratios: Ratios,
    /// The same for claims that are many and right by chance for most: half the risk.
    careful: Ratios,
    book: ChromeBook,
    turning: Turning,
    /// Second answers that were asked for. Follows from `turning` when it is read back.
    asked: Asked,
    clusters: Clusters,
    warming: Option<Warming>,
    pages: Pages,
    members: Members,
    firsts: Firsts,
    sources: Sources,
    edits: Vec<OnTrial>,
    refused: Refused,
    /// Edits of a part of what those that are active are about. Follows from `edits`.
    parts_of_active: FxHashSet<u32>,
    /// Edits that are acted upon where they were right before. Follows from `beliefs`.
    where_held: FxHashSet<u32>,
    numbers: Numbers,
    /// All edits by what they apply to, those that can be undone by what comes out, and the same of those that
    /// are active.
    index: Index,
    results: Index,
    active: Index,
    active_results: Index,
    beliefs: Beliefs,
    selectors: Selectors,
    company: Company,
    /// What values those beliefs were tried on.
    kinds: KindsOfBeliefs,
    /// What their trials showed of the parameters of their sets.
    shown: ShownOfBeliefs,
    ids: FxHashMap<BeliefId, u64>,
    yields: Yields,
    /// Shapes that were ever over their budget.
    budgets: FxHashMap<BeliefId, u64>,
    /// Mark of the rewrite rules of all its hosts; 0 where there are none.
    rules: u64,
    gone: Gone,
    walls: Walls,
    /// Copies that led to what no other page leads to.
    leading: Leading,
    near: Near,
    /// Bits of the hosts of which pages were learned from by names that were not filed.
    unfiled: u64,
    /// While it learns from a name: the bit of the host that this is of.
    naming: u64,
    candidates: bool,
    stale: bool,
    round: Round,
    since_settled: usize,
    generation: u64,
    /// Whether memory was so short that no page is remembered any more.
    is_closed: bool,
}

fn belief_key(edit: u32, level: Level, context: u64) -> u64 {
    join(join(u64::from(edit) + 1, level as u64), context)
}

/// The context of a belief that has a key.
fn context_of(key: u64, edit: u32, level: Level) -> u64 {
    part_from(join(u64::from(edit) + 1, level as u64), key)
}

fn claim_of(edit: &Edit, belief: &Belief) -> Claim {
    Claim {
        edit: edit.clone(),
        level: belief.level,
        context: belief.context,
    }
}

/// How often exploration has drawn anew for a belief.
fn draw_of(belief: &Belief) -> u64 {
    u64::from(belief.risen().saturating_sub(1))
}

impl Site {
    /// A site about which nothing is known.
    pub fn new(name: &str, config: &PredictConfig) -> Self {
        Self {
            name: name.into(),
            ratios: Ratios::for_risk(config.risk),
            careful: Ratios::careful(config.risk),
            config: PredictConfig {
                beliefs: None,
                ..config.clone()
            },
            book: ChromeBook::default(),
            turning: Turning::default(),
            asked: Asked::default(),
            clusters: Clusters::default(),
            warming: Some(Warming::default()),
            pages: Pages::default(),
            members: Members::default(),
            firsts: Firsts::default(),
            sources: Sources::default(),
            edits: Vec::new(),
            refused: Refused::default(),
            parts_of_active: FxHashSet::default(),
            where_held: FxHashSet::default(),
            numbers: Numbers::default(),
            index: Index::default(),
            results: Index::default(),
            active: Index::default(),
            active_results: Index::default(),
            beliefs: Beliefs::default(),
            selectors: Selectors::default(),
            company: Company::default(),
            kinds: KindsOfBeliefs::default(),
            shown: ShownOfBeliefs::default(),
            ids: FxHashMap::default(),
            yields: Yields::default(),
            budgets: FxHashMap::default(),
            rules: 0,
            gone: Gone::default(),
            walls: Walls::default(),
            leading: Leading::default(),
            near: Near::default(),
            unfiled: 0,
            naming: 0,
            candidates: false,
            stale: false,
            round: Round::default(),
            since_settled: 0,
            generation: 0,
            is_closed: false,
        }
    }

    /// A URL taken apart as this site compares them.
    pub(super) fn form<'u>(&self, url: &'u str) -> Form<'u> {
        Form::parse(url).alike(self.config.alike())
    }

    /// Whether memory was so short that no page is remembered any more.
    pub(crate) const fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// The settings it learns under.
    pub(crate) const fn settings(&self) -> &PredictConfig {
        &self.config
    }

    /// Learns under other settings from now on; trials made so far keep their weight.
    pub(crate) fn configure(&mut self, config: &PredictConfig) {
        if config.alike() != self.config.alike() {
            // Forms have other names: each is found by what its page's URL says.
            self.stale = true;
            self.round.is_urgent = true;
        }
        self.config = PredictConfig {
            beliefs: None,
            ..config.clone()
        };
        self.ratios = Ratios::for_risk(config.risk);
        self.careful = Ratios::for_risk(config.risk / 2.0);
        self.is_closed = false;
        if !self.pages.is_empty() {
            // Budgets may be others, and what is enough.
            self.candidates = true;
            self.generation += 1;
        }
    }

    /// Beliefs and budgets for which exploration has drawn anew, with the number of the draw.
    pub(crate) fn draws(&self) -> Vec<(BeliefId, u64)> {
        let beliefs = (self.ids.iter())
            .filter_map(|(id, key)| Some((*id, draw_of(&*self.beliefs.get(*key)?))));
        let budgets = (self.budgets.iter()).map(|(id, shape)| (*id, self.draws_of_budget(*shape)));
        beliefs
            .chain(budgets)
            .filter(|(_, draw)| *draw > 0)
            .collect()
    }

    fn draws_of_budget(&self, shape: u64) -> u64 {
        self.yields.reopened(shape)
    }

    /// A number that grows with every change of what would be dropped.
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    pub(super) fn budget_id(&self, shape: u64) -> BeliefId {
        BeliefId::of(&self.name, &format!("budget|{shape:016x}"))
    }

    pub(super) fn id_of(&self, belief: &Belief) -> BeliefId {
        let made = || BeliefId::of(&self.name, &self.claim_of(belief).to_string());
        belief.id().unwrap_or_else(made)
    }

    pub(super) fn claim_of(&self, belief: &Belief) -> Claim {
        claim_of(&self.edits[belief.edit() as usize].edit, belief)
    }
}
