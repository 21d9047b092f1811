//! Where does a belief hold, and what stage of its life has it reached?

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::{
    evidence::{Evidence, Ratios},
    form::{Edit, Form, Param, join},
};

/// From the most specific to the most general; the names are those of `MaybeDont`'s hypotheses where they
/// mean the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Given path and the rest of the query (hypothesis 4).
    PathAndRest,
    /// Given the path (hypotheses 3 and 6).
    Path,
    /// Given the shape of the path and the names of all parameters.
    Names,
    /// Given the shape of the path.
    Shape,
    /// On the whole host (hypotheses 2 and 5).
    Host,
}

/// All levels, most specific first.
pub(super) const LEVELS: [Level; 5] = [
    Level::PathAndRest,
    Level::Path,
    Level::Names,
    Level::Shape,
    Level::Host,
];

impl Level {
    /// The name in a belief's text form.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PathAndRest => "path_and_rest",
            Self::Path => "path",
            Self::Names => "names",
            Self::Shape => "shape",
            Self::Host => "host",
        }
    }

    /// The level of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        LEVELS.into_iter().find(|level| level.name() == name)
    }

    /// Trials that one content may contribute, so that many copies of one page (a login form, a soft error)
    /// do not stand for many pages. Where the claim is about one page, every URL that brings it is a trial.
    pub(super) const fn per_content(self, edit: &Edit) -> u8 {
        match self {
            Self::PathAndRest => u8::MAX,
            Self::Path if matches!(edit, Edit::AllParams) => u8::MAX,
            Self::Path | Self::Names => 20,
            Self::Shape => 8,
            Self::Host => 4,
        }
    }
}

/// Names of the contexts of an edit on one URL, one a level; `None` where a level means nothing.
pub(super) fn contexts(edit: &Edit, before: &Form<'_>, after: &Form<'_>) -> [Option<u64>; 5] {
    let host = join(11, super::form::hash_of(1, &before.origin));
    if edit.is_literal() {
        // Folders are mirrored, their generated listings may not be: the kind of the last segment tells.
        let kind = join(22, before.kind_key());
        let whole = if matches!(edit, Edit::Origin { .. }) {
            12
        } else {
            host
        };
        return [None, None, Some(kind), None, Some(whole)];
    }
    let shape = before.shape_key();
    match edit {
        Edit::Params(_) => [
            Some(join(13, after.key())),
            Some(join(14, before.path_key())),
            Some(join(15, join(shape, before.names_key()))),
            Some(join(16, shape)),
            Some(host),
        ],
        Edit::AllParams => [
            None,
            Some(join(14, before.path_key())),
            Some(join(15, join(shape, before.names_key()))),
            None,
            None,
        ],
        Edit::Head { .. } => [
            None,
            Some(join(17, after.path_key())),
            None,
            Some(join(18, after.shape_key())),
            None,
        ],
        Edit::Tail { .. } => [
            None,
            None,
            Some(join(
                19,
                join(after.shape_key(), before.segments.len() as u64),
            )),
            None,
            None,
        ],
        Edit::Segments { .. } => [
            Some(join(23, after.key())),
            None,
            None,
            Some(join(20, after.shape_key())),
            None,
        ],
        _ => [None, None, None, Some(join(21, shape)), Some(host)],
    }
}

/// Where a belief stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Its first trials only decide whether it is worth testing; they do not count.
    #[default]
    Proposed,
    /// Counted, not acted upon.
    Probation,
    /// Acted upon.
    Active,
    /// It turned out wrong. A long run of successes gives it another try.
    Withdrawn,
}

/// Successes in a row that make a proposed belief worth testing. They count neither for nor against it, so
/// that what fails here is no hypothesis that was tried.
const SCREENING: u32 = 6;
/// Successes in a row after which a belief that failed is tried anew.
const ANOTHER_TRY: u32 = 24;
/// Trials that an alias of a folder or host needs on each kind of page (folder, `.html`, …): as many as a
/// screening.
pub(super) const LITERAL_TRIALS: u32 = SCREENING;
/// Trials that one value of a parameter may contribute to "any value".
const PER_VALUE: u8 = 25;

/// An edit in a context, with its evidence.
#[derive(Clone, Debug)]
pub struct Belief {
    /// Which edit.
    pub edit: u32,
    /// How general.
    pub level: Level,
    /// Name of the context.
    pub context: u64,
    /// Where it stands.
    pub state: State,
    /// What speaks for it.
    pub evidence: Evidence,
    /// Trials of the screening and while asleep.
    pub streak: u32,
    /// Failures in the screening.
    pub screened_out: bool,
    /// Trials that could not be decided.
    pub undecided: u32,
    /// Of these, on small pages.
    pub small: u32,
    /// Trials on pages that are little more than their own address: decided ones, and others.
    pub echoes: (u32, u32),
    /// Times it was tried anew.
    pub tries: u16,
    /// Times it was activated.
    pub risen: u16,
    /// Wealth it started with.
    pub prior: f32,
    /// Trials whose page named the counterpart as its canonical.
    pub confirmed: u32,
    /// Whether it was ever acted upon: links may wait in the ledger on its word.
    pub was_active: bool,
    /// Pages it was tried on and the pages that stood for them: the first pair and the last.
    pub examples: [(u32, u32); 2],
    /// Whether one content or value has had its say: a narrower claim may be all that is true.
    pub(super) is_full: bool,
    pub(super) caps: Option<Box<FxHashMap<u64, u8>>>,
}

/// No example yet.
pub(super) const NO_PAGES: (u32, u32) = (u32::MAX, u32::MAX);

/// What a trial did to a belief.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Nothing that matters to others.
    None,
    /// It has evidence enough to be considered.
    Candidate,
    /// It must not be acted upon any more.
    Withdrawn,
}

impl Belief {
    pub(super) fn new(edit: u32, level: Level, context: u64, prior: f32) -> Self {
        Self {
            edit,
            level,
            context,
            state: State::Proposed,
            evidence: Evidence::default(),
            streak: 0,
            screened_out: false,
            undecided: 0,
            small: 0,
            echoes: (0, 0),
            tries: 0,
            risen: 0,
            prior,
            confirmed: 0,
            was_active: false,
            examples: [NO_PAGES; 2],
            is_full: false,
            caps: None,
        }
    }

    /// The e-value.
    pub fn e_value(&self) -> f64 {
        self.evidence.e_value(1.0)
    }

    /// Weight among all hypotheses, fixed before the first trial that counts.
    pub fn weight(&self) -> f64 {
        f64::from(self.prior)
    }

    /// Weight of all its tries: each began anew and counts as a hypothesis of its own.
    pub fn weight_of_tries(&self) -> f64 {
        self.weight() * f64::from(self.tries)
    }

    /// Whether it was ever tested: the number of these corrects for many hypotheses.
    pub const fn is_tried(&self) -> bool {
        !matches!(self.state, State::Proposed)
    }

    /// Whether its e-value is that of a running or stopped test, not of one that was given up.
    pub const fn is_counted(&self) -> bool {
        matches!(self.state, State::Probation | State::Active)
    }

    /// Whether the last trials speak against it.
    pub const fn is_doubted(&self) -> bool {
        match self.state {
            State::Active => false,
            State::Proposed => self.screened_out,
            State::Probation => self.evidence.failures > 0 && self.evidence.log_e < 0.0,
            State::Withdrawn => true,
        }
    }

    /// Whether any of the last trials speaks against it.
    pub const fn has_failed(&self) -> bool {
        self.evidence.failures > 0 || self.is_doubted()
    }

    /// Whether too many of its trials could not be decided: it then says little about the next one. An
    /// alias that holds for a whole site must not be carried by those of its pages that are easy to tell,
    /// so it is asked of each kind of page apart, and more strictly.
    pub const fn is_vague(&self, is_literal: bool) -> bool {
        let is_kind = is_literal && matches!(self.level, Level::Names);
        let share = if is_kind { 4 } else { 1 };
        self.undecided * share > self.seen()
    }

    /// Whether it is vague about small pages only, which can be told by equality alone.
    pub const fn is_telling_of_large(&self) -> bool {
        (self.undecided - self.small) * 4 <= self.seen()
    }

    /// Whether too many of its trials could not be decided, pages that are little more than their own address
    /// left aside.
    pub const fn is_vague_beside_echoes(&self) -> bool {
        let (told, untold) = self.echoes;
        (self.undecided - untold) * 4 > self.seen().saturating_sub(told)
    }

    /// Whether it was told on pages that are little more than their own address. What was told on others says
    /// nothing of these: under another address they may be other pages.
    pub const fn is_telling_of_echoes(&self) -> bool {
        let (told, untold) = self.echoes;
        told >= LITERAL_TRIALS && untold * 4 <= told
    }

    /// Whether its e-value is high enough for it alone. Experience from other sites may count for some of
    /// the trials, never against any.
    pub fn has_enough(&self) -> bool {
        self.e_value() * self.weight().clamp(1.0, 3.0) >= super::evidence::ENOUGH
    }

    /// Trials so far, screening included.
    pub const fn seen(&self) -> u32 {
        self.evidence.trials + self.streak
    }

    /// Counts a trial: `group` names the content, of which at most `most` trials count, `value` what it calls
    /// irrelevant.
    pub(super) fn count(
        &mut self,
        success: bool,
        group: u64,
        value: u64,
        most: u8,
        ratios: &Ratios,
    ) -> Change {
        match self.state {
            State::Proposed => {
                if success {
                    self.streak += 1;
                } else {
                    self.screened_out = true;
                    self.streak = 0;
                }
                let needed = if self.screened_out {
                    ANOTHER_TRY
                } else {
                    SCREENING
                };
                if self.streak >= needed {
                    self.start();
                }
                Change::None
            }
            State::Withdrawn => {
                self.streak = if success { self.streak + 1 } else { 0 };
                if self.streak >= ANOTHER_TRY {
                    self.start();
                }
                Change::None
            }
            State::Probation => {
                if success && self.is_capped(group, value, most) {
                    self.is_full = true;
                    return Change::None;
                }
                self.evidence.count(success, ratios);
                if self.evidence.log_e < -3.5 {
                    self.sleep(State::Withdrawn);
                    Change::None
                } else if self.has_enough() {
                    Change::Candidate
                } else {
                    Change::None
                }
            }
            State::Active => {
                if self.evidence.watch(success, ratios) {
                    self.sleep(State::Withdrawn);
                    Change::Withdrawn
                } else {
                    Change::None
                }
            }
        }
    }

    /// Keeps the first pair of pages that it held for, and the last.
    pub(super) fn note_example(&mut self, pages: (u32, u32)) {
        let first = usize::from(self.examples[0] != NO_PAGES);
        self.examples[first] = pages;
    }

    /// Starts the tests: what was counted before does not count.
    pub(super) fn start(&mut self) {
        self.state = State::Probation;
        self.evidence = Evidence::default();
        self.streak = 0;
        self.screened_out = false;
        self.tries = self.tries.saturating_add(1);
        if self.tries == 1 && self.confirmed >= 2 {
            // The site itself said so in the screening, and content agreed.
            self.prior *= 3.0;
        }
    }

    fn sleep(&mut self, state: State) {
        self.state = state;
        self.streak = 0;
        self.caps = None;
    }

    pub(super) fn activate(&mut self) {
        self.state = State::Active;
        self.was_active = true;
        self.risen = self.risen.saturating_add(1);
        self.evidence.alarm = 0.0;
        self.caps = None;
    }

    fn is_capped(&mut self, group: u64, value: u64, most: u8) -> bool {
        let caps = self.caps.get_or_insert_default();
        if caps.get(&group).is_some_and(|n| *n >= most)
            || (value != 0 && caps.get(&value).is_some_and(|n| *n >= PER_VALUE))
        {
            return true;
        }
        if most < u8::MAX {
            *caps.entry(group).or_default() += 1;
        }
        if value != 0 {
            *caps.entry(value).or_default() += 1;
        }
        false
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + 24 + self.caps.as_ref().map_or(0, |c| c.capacity() * 18)
    }
}

/// What the edit calls irrelevant on this form, to be capped; 0 where it is literal.
pub(super) fn value_of(edit: &Edit, before: &Form<'_>) -> u64 {
    let Edit::Params(edits) = edit else { return 0 };
    let mut hash = 0;
    for edit in edits {
        if let Param::Any(name) | Param::Wild(name) = edit {
            for (key, value) in &before.params {
                if key == name {
                    hash = join(hash ^ 31, super::form::hash_of(4, value));
                }
            }
        }
    }
    hash
}

/// Weight of a hypothesis: more where experience from other sites speaks for it, less for one of very many
/// narrow contexts. The sum of all weights is what the correction divides by, so that the guarantee holds
/// with weights as without (weighted e-BH: Wang and Ramdas, JRSS-B 2022).
pub(super) fn prior(edit: &Edit, level: Level) -> f32 {
    let narrow = match level {
        // Kinds of pages check an alias that is claimed for all; few are wanted on their own.
        Level::Names if edit.is_literal() => 0.25,
        Level::PathAndRest => 0.2,
        Level::Path | Level::Shape => 0.5,
        Level::Names | Level::Host => 1.0,
    };
    // Large sets are many and mostly chance.
    let simple = match edit {
        Edit::Params(edits) => edits.iter().skip(1).fold(1.0, |w, _| w * 0.25),
        Edit::Segments { at, .. } => at.iter().skip(1).fold(1.0, |w, _| w * 0.5),
        _ => 1.0,
    };
    narrow * simple * prior_of(edit)
}

fn prior_of(edit: &Edit) -> f32 {
    match edit {
        // One claim for a whole site, which each kind of its pages has to confirm.
        Edit::Origin { .. } | Edit::Prefix { .. } => 6.0,
        Edit::Case | Edit::QueryCase | Edit::Order => 3.0,
        Edit::Suffix { from, to } => {
            let natural = |s: &[String]| {
                s.is_empty()
                    || s.iter().all(|x| {
                        x.is_empty() || x.starts_with("index.") || x.starts_with("default.")
                    })
            };
            if natural(from) && natural(to) {
                3.0
            } else {
                1.0
            }
        }
        Edit::Params(edits) => edits
            .iter()
            .map(|edit| name_prior(edit.name()))
            .fold(8.0, f32::min),
        // What an alias says better.
        Edit::Segments { .. } => 0.5,
        _ => 1.0,
    }
}

fn name_prior(name: &str) -> f32 {
    let low = name.trim_start_matches(';').to_ascii_lowercase();
    let session = [
        "sid",
        "phpsessid",
        "jsessionid",
        "sessionid",
        "session_id",
        "aspsessionid",
        "cfid",
        "cftoken",
        "gclid",
        "fbclid",
        "msclkid",
        "dclid",
        "yclid",
        "mc_cid",
        "mc_eid",
    ];
    let view = [
        "sort",
        "order",
        "dir",
        "replytocom",
        "print",
        "printable",
        "ref",
        "referer",
        "referrer",
        "from",
        "highlight",
        "hilit",
        "source",
        "tracking",
        "affiliate",
        "partner",
        "sectok",
        "share",
        "redirect",
        "token",
    ];
    if session.contains(&low.as_str()) || low.starts_with("utm_") {
        8.0
    } else if view.contains(&low.as_str()) {
        3.0
    } else {
        1.0
    }
}
