//! A belief of a site, and how far it has come.

mod doubt;
mod level;
mod life;
mod prior;
mod seed;
mod stored;
mod tested;
mod told;

use nodust_frontier::BeliefId;
use serde::{Deserialize, Serialize};

use super::{
    evidence::{ENOUGH, Evidence, Ratios},
    form::Edit,
};
use crate::heap::BLOCK;
pub(super) use tested::NO_PAGES;
use tested::{Rare, Tested};

pub(super) use doubt::Scrutiny;
pub use level::Level;
use level::OF_ONE_PAGE;
pub(super) use level::{LEVELS, MANY_HOSTS, context, has_names, value_of};
pub(super) use prior::{part_among, prior, prior_of, prior_under_full};
pub(super) use seed::{Priors, Seed};

/// Where a belief stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Its first trials only decide whether it is worth testing; they do not count.
    #[default]
    Proposed,
    /// Its trials count, but it is not acted upon.
    Probation,
    /// Acted upon.
    Active,
    /// It turned out wrong. A long run of successes gives it another try.
    Withdrawn,
}

/// Examples are chosen among the successes before so many trials: choosing takes URLs apart.
const EXAMPLES_FROM: u32 = 16;
/// Successes in a row that make a proposed belief worth testing. They count neither for nor against it, so
/// that what fails here is no hypothesis that was tried.
const SCREENING: u8 = 6;
/// Successes in a row after which a belief that failed is tried anew.
const ANOTHER_TRY: u8 = 24;
/// Trials that an alias of a folder or host needs on each kind of page (folder, `.html`, …): as many as a
/// screening.
pub(in crate::predict) const LITERAL_TRIALS: u32 = SCREENING as u32;
/// Successes after a failure before it is acted upon again: of a site that has changed, three failures more in a row end it.
const HOLDS_AGAIN: u8 = 6;
/// Pages of the screening that name their counterpart as canonical, which are enough.
const CONFIRMED: u8 = 2;
/// Pairs of pages that both had an optional piece, from which on one of them may stand for the other.
const OF_TWO: u8 = 24;
/// Evidence at which an active belief is withdrawn. (Below 1, one claim in nine that fails for one page in a hundred would
/// be within 200 trials, which the risk allows twice over; here two in a hundred are.)
const SPENT: f64 = 1.0 / ENOUGH;

/// An edit in a context, with its evidence. Most never pass their screening (`seed.rs`).
#[derive(Clone, Debug)]
pub struct Belief {
    /// Name of the context.
    pub context: u64,
    tested: Option<Box<Tested>>,
    /// Trials that could not be decided.
    pub undecided: u32,
    /// The wealth that it started with.
    pub prior: f32,
    edit: u16,
    /// How general it is.
    pub level: Level,
    /// Where it stands.
    pub state: State,
    /// Trials of the screening and while asleep.
    streak: u8,
    /// Trials of the screening whose page named the counterpart as its canonical, as far as they matter.
    confirmed: u8,
    /// Failures in the screening.
    screened_out: bool,
    /// Whether it is a claim of its own: see [`stand_alone`](Self::stand_alone).
    is_alone: bool,
}

/// What a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::predict) enum About {
    /// Hosts or folders that are one, or a title that nobody reads: that holds for all of their pages or is wrong, so that one
    /// failure ends it.
    Alias,
    /// The path.
    Path,
    /// The folders that the path begins with, or one of them: what is true of one of them only is an alias.
    Head,
    /// Parameters: what is true of one value of theirs only is a claim of its own.
    Query,
}

impl About {
    pub(in crate::predict) fn of(edit: &Edit) -> Self {
        match edit {
            _ if edit.is_literal() || edit.is_one_of_many() => Self::Alias,
            Edit::Params(_) | Edit::AllParams => Self::Query,
            Edit::Head { .. } | Edit::Folders | Edit::Superfluous { .. } => Self::Head,
            _ => Self::Path,
        }
    }
}

/// What a trial did to a belief.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::predict) enum Change {
    /// Nothing that matters to others.
    None,
    /// It has evidence enough to be considered.
    Candidate,
    /// It must not be acted upon any more.
    Withdrawn,
}

impl Belief {
    pub(in crate::predict) fn new(edit: u32, level: Level, context: u64, prior: f32) -> Self {
        Self {
            context,
            tested: None,
            undecided: 0,
            prior,
            edit: edit as u16,
            level,
            state: State::Proposed,
            streak: 0,
            confirmed: 0,
            screened_out: false,
            is_alone: false,
        }
    }

    /// Notes that no wider claim of the same edit says it, too. While one does, and nothing speaks against that one,
    /// this is no claim of its own: it is not acted upon, and not corrected for. (Claims that are nested are tested in
    /// turn in Meinshausen, *Biometrika* 2008, too, but there from the wide ones that hold to narrower ones.)
    pub(in crate::predict) const fn stand_alone(&mut self) {
        self.is_alone = true;
    }

    /// Whether it is among the hypotheses that are tested: it is a claim of its own, and had a trial that counts.
    pub(in crate::predict) fn is_in_family(&self) -> bool {
        self.is_alone && self.weight_of_tries() > 0.0
    }

    /// The number of its edit.
    pub fn edit(&self) -> u32 {
        u32::from(self.edit)
    }

    fn tested(&mut self) -> &mut Tested {
        self.tested.get_or_insert_default()
    }

    fn rare(&self) -> Option<&Rare> {
        self.tested.as_ref().map(|tested| tested.rare())
    }

    /// Its evidence.
    pub fn evidence(&self) -> Evidence {
        self.tested
            .as_ref()
            .map_or_else(Evidence::default, |tested| tested.evidence)
    }

    fn failures(&self) -> u32 {
        self.tested
            .as_ref()
            .map_or(0, |tested| tested.evidence.failures)
    }

    /// How often its test was begun anew.
    pub fn tries(&self) -> u16 {
        self.tested.as_ref().map_or(0, |tested| tested.tries)
    }

    /// How often it was activated.
    pub fn risen(&self) -> u16 {
        self.rare().map_or(0, |rare| rare.risen)
    }

    /// Bits of the hosts by whose names it was tried since it is tested.
    pub(in crate::predict) fn names(&self) -> u64 {
        self.rare().map_or(0, |rare| rare.names)
    }

    /// Notes that a trial was by names of these hosts, if it counted.
    pub(in crate::predict) fn note_names(&mut self, hosts: u64, is_counted: bool) {
        if hosts != 0 && is_counted {
            self.tested().rare_mut().names |= hosts;
        }
    }

    /// Its name, if it was ever acted upon.
    pub fn id(&self) -> Option<BeliefId> {
        self.rare()?.id
    }

    /// Whether one content or value has had its say: a narrower claim may be all that is true.
    pub(in crate::predict) fn is_full(&self) -> bool {
        self.tested.as_ref().is_some_and(|tested| tested.is_full)
    }

    /// Whether a value has contributed as many trials as one may.
    pub(in crate::predict) fn is_filled_by(&self, value: u64, ratios: &Ratios) -> bool {
        let caps = self.tested.as_ref().map(|tested| &tested.caps);
        value != 0 && caps.is_some_and(|caps| caps.count(value) >= ratios.per_value)
    }

    /// Pages it was tried on since it has been tested, each with the page that stood for it: two pairs.
    pub fn examples(&self) -> impl Iterator<Item = (u32, u32)> {
        let pairs = (self.tested.iter()).flat_map(|tested| tested.examples);
        pairs.filter(|pair| *pair != NO_PAGES)
    }

    /// Notes a success: whether its page named the counterpart as its canonical, and the pair of pages. It becomes an example
    /// while there are few; of the others those that are plain: their pages differ in nothing else.
    pub(in crate::predict) fn note_success(
        &mut self,
        confirmed: bool,
        pages: (u32, u32),
        is_plain: impl FnOnce() -> bool,
    ) {
        self.confirmed = (self.confirmed + u8::from(confirmed)).min(CONFIRMED);
        let Some(tested) = &mut self.tested else {
            return;
        };
        let [first, last] = &mut tested.examples;
        if *first == NO_PAGES {
            *first = pages;
        } else if *last == NO_PAGES {
            *last = pages;
        } else if tested.evidence.trials < EXAMPLES_FROM && is_plain() {
            *first = std::mem::replace(last, pages);
        }
    }

    /// Notes a success on two pages of which each had what the edit takes away.
    pub(in crate::predict) fn note_success_of_two(&mut self) {
        if let Some(tested) = &mut self.tested {
            let rare = tested.rare_mut();
            rare.of_two = rare.of_two.saturating_add(1);
        }
    }

    /// Whether it was found right often enough of two pages of which each has what the edit takes away: that a page is there
    /// with it and without does not say so.
    pub(in crate::predict) fn tells_of_two(&self) -> bool {
        self.rare().is_some_and(|rare| rare.of_two >= OF_TWO)
    }

    /// The e-value.
    pub fn e_value(&self) -> f64 {
        self.evidence().e_value(1.0)
    }

    /// Its weight among all hypotheses, fixed before the first trial that counts. Weight from another crawl is lost with
    /// the first page of this crawl that speaks against it.
    pub fn weight(&self) -> f64 {
        f64::from(self.weight_now())
    }

    pub(in crate::predict) fn weight_now(&self) -> f32 {
        let advance = self.advance().filter(|_| self.is_as_told());
        advance.unwrap_or(self.prior)
    }

    /// The weight of all its tries. Each try began anew and counts as a hypothesis of its own, from its first trial on.
    pub fn weight_of_tries(&self) -> f64 {
        let is_idle = self.is_counted() && self.evidence().trials == 0;
        match self.tries().saturating_sub(u16::from(is_idle)) {
            0 => 0.0,
            tries => {
                let first = self.advance().unwrap_or(self.prior);
                f64::from(first) + f64::from(self.prior) * f64::from(tries - 1)
            }
        }
    }

    /// Whether it was ever tested. The number of such beliefs is what the correction for many hypotheses uses.
    pub const fn is_tried(&self) -> bool {
        !matches!(self.state, State::Proposed)
    }

    /// Whether its e-value is that of a running or stopped test, not of one that was given up.
    pub const fn is_counted(&self) -> bool {
        matches!(self.state, State::Probation | State::Active)
    }

    /// The e-value by which it stands or falls. Experience from other sites may count for some of the trials, never
    /// against any.
    fn own_e_value(&self) -> f64 {
        self.evidence().e_value(self.weight().clamp(1.0, 3.0))
    }

    /// Whether its e-value would suffice if it were the only hypothesis.
    pub fn has_enough(&self) -> bool {
        self.own_e_value() >= ENOUGH
    }

    /// Whether as much speaks against it as was asked to speak for it: what it was tried on since it is active speaks for an
    /// error rate that the test rejects. The change detector looks for worse ones only, and never sees these.
    fn is_spent(&self) -> bool {
        self.own_e_value() < SPENT
    }

    /// Whether it is active, but failed a moment ago: what it would drop is fetched until it has held for a while, or has
    /// fallen.
    pub(in crate::predict) fn is_suspect(&self) -> bool {
        let to_hold = self.tested.as_ref().map_or(0, |tested| tested.to_hold);
        self.state == State::Active && to_hold > 0
    }

    /// Its trials so far, including the screening of its last try.
    pub fn seen(&self) -> u32 {
        let tested = self.tested.as_ref().map_or(0, |tested| {
            tested.evidence.trials + u32::from(tested.screened)
        });
        tested + u32::from(self.streak)
    }

    /// Memory held beside its own, in bytes.
    pub(in crate::predict) fn bytes_of_evidence(&self) -> usize {
        let tested = self.tested.as_ref();
        tested.map_or(0, |tested| size_of::<Tested>() + BLOCK + tested.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether an active claim falls, and after how many trials, if they fail at this rate.
    fn falls_after(rate: f64, run: u64, most: u32) -> Option<u32> {
        let ratios = Ratios::for_risk(0.02);
        let mut belief = Belief::new(0, Level::Names, 7, 1.0);
        belief.stand_alone();
        belief.start();
        let mut count = |success, group| belief.count(success, group, 0, 20, About::Query, &ratios);
        let needed = (0..100).find(|at| matches!(count(true, *at), Change::Candidate));
        assert_eq!(needed, Some(64));
        belief.activate(BeliefId::of("e.org", "claim"));
        (0..most).find(|at| {
            let draw = xxhash_rust::xxh3::xxh3_64_with_seed(&at.to_le_bytes(), run);
            let success = (draw >> 11) as f64 / (1u64 << 53) as f64 >= rate;
            let group = u64::from(*at);
            let change = belief.count(success, group, 0, 20, About::Query, &ratios);
            matches!(change, Change::Withdrawn)
        })
    }

    #[test]
    fn a_claim_worse_than_the_risk_falls_and_one_that_was_taken_for_good_stays() {
        let runs = 500;
        let fallen = |rate, most| {
            let all = (0..runs).map(|run| falls_after(rate, run, most));
            let mut after: Vec<u32> = all.flatten().collect();
            after.sort_unstable();
            after
        };
        // Fewer than one trial in three, which is what the change detector looks for.
        let (near, far) = (fallen(0.03, 2000), fallen(0.1, 2000));
        assert!(near.len() > 450 && near[225] < 400, "{}", near.len());
        assert!(far.len() == 500 && far[250] < 60, "{}", far[250]);
        // 100,000 trials at half the risk.
        let within = fallen(0.01, 200);
        assert!(within.len() <= 15, "{}", within.len());
        // The error rate that activation takes for good.
        let good = fallen(0.005, 2000);
        assert!(good.len() <= 5, "{}", good.len());
    }
}
