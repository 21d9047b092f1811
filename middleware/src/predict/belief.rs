//! Where does a belief hold, and what stage of its life has it reached?

use hashbrown::HashTable;
use nodust_frontier::BeliefId;
use serde::{Deserialize, Serialize};

use super::{
    codec::{In, Out},
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
const SCREENING: u8 = 6;
/// Successes in a row after which a belief that failed is tried anew.
const ANOTHER_TRY: u8 = 24;
/// Trials that an alias of a folder or host needs on each kind of page (folder, `.html`, …): as many as a
/// screening.
pub(super) const LITERAL_TRIALS: u32 = SCREENING as u32;
/// Pages of the screening that name their counterpart as canonical, which are enough.
const CONFIRMED: u8 = 2;
/// Trials that one value of a parameter may contribute to "any value".
const PER_VALUE: u8 = 25;

/// An edit in a context, with its evidence. Most never pass their screening: these take 32 bytes.
#[derive(Clone, Debug)]
pub struct Belief {
    /// Name of the context.
    pub context: u64,
    tested: Option<Box<Tested>>,
    /// Trials that could not be decided.
    pub undecided: u32,
    /// Wealth it started with.
    pub prior: f32,
    edit: u16,
    /// How general.
    pub level: Level,
    /// Where it stands.
    pub state: State,
    /// Trials of the screening and while asleep.
    streak: u8,
    /// Trials of the screening whose page named the counterpart as its canonical, as far as they matter.
    confirmed: u8,
    /// Failures in the screening.
    screened_out: bool,
}

/// What is kept of a belief that is tested, or of which more is to be known.
#[derive(Clone, Debug)]
struct Tested {
    evidence: Evidence,
    /// Of the trials that could not be decided, those on small pages; for aliases only.
    small: u32,
    /// Trials on pages that are little more than their own address: decided ones, and others; for aliases only.
    echoes: (u32, u32),
    /// Pages it was tried on and the pages that stood for them: the first pair and the last.
    examples: [(u32, u32); 2],
    /// Times it was tried anew.
    tries: u16,
    /// Trials of the screening that led to the last try.
    screened: u8,
    /// Times it was activated.
    risen: u16,
    /// Its name, if it was ever acted upon: links may wait in the ledger on its word.
    id: Option<BeliefId>,
    /// Whether one content or value has had its say: a narrower claim may be all that is true.
    is_full: bool,
    caps: Option<Box<Caps>>,
}

/// No example yet.
const NO_PAGES: (u32, u32) = (u32::MAX, u32::MAX);

impl Default for Tested {
    fn default() -> Self {
        Self {
            evidence: Evidence::default(),
            small: 0,
            echoes: (0, 0),
            examples: [NO_PAGES; 2],
            tries: 0,
            screened: 0,
            risen: 0,
            id: None,
            is_full: false,
            caps: None,
        }
    }
}

/// How often contents and values have counted: 24 bits of a name and 8 of a number.
#[derive(Clone, Debug, Default)]
struct Caps(HashTable<u32>);

impl Caps {
    const fn hash(entry: u32) -> u64 {
        ((entry >> 8) as u64)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(20)
    }

    fn count(&self, name: u64) -> u8 {
        let name = (name as u32) << 8;
        let found = (self.0).find(Self::hash(name), |entry| (entry ^ name) < 256);
        found.map_or(0, |entry| *entry as u8)
    }

    fn add(&mut self, name: u64) {
        let name = (name as u32) << 8;
        let is_it = |entry: &u32| (entry ^ name) < 256;
        let mut entry = (self
            .0
            .entry(Self::hash(name), is_it, |entry| Self::hash(*entry)))
        .or_insert(name);
        let counted = entry.get_mut();
        *counted += u32::from(*counted as u8 != u8::MAX);
    }
}

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
        }
    }

    /// Which edit.
    pub fn edit(&self) -> u32 {
        u32::from(self.edit)
    }

    fn tested(&mut self) -> &mut Tested {
        self.tested.get_or_insert_default()
    }

    /// What speaks for it.
    pub fn evidence(&self) -> Evidence {
        self.tested
            .as_ref()
            .map_or_else(Evidence::default, |tested| tested.evidence)
    }

    /// Gives it evidence from elsewhere.
    pub(super) fn set_evidence(&mut self, evidence: Evidence) {
        self.tested().evidence = evidence;
    }

    fn failures(&self) -> u32 {
        self.tested
            .as_ref()
            .map_or(0, |tested| tested.evidence.failures)
    }

    /// Times it was tried: each began anew.
    pub fn tries(&self) -> u16 {
        self.tested.as_ref().map_or(0, |tested| tested.tries)
    }

    /// Times it was activated.
    pub fn risen(&self) -> u16 {
        self.tested.as_ref().map_or(0, |tested| tested.risen)
    }

    /// Its name, if it was ever acted upon.
    pub fn id(&self) -> Option<BeliefId> {
        self.tested.as_ref()?.id
    }

    /// Whether one content or value has had its say: a narrower claim may be all that is true.
    pub(super) fn is_full(&self) -> bool {
        self.tested.as_ref().is_some_and(|tested| tested.is_full)
    }

    /// Pages it was tried on and the pages that stood for them, since it is tested: the first pair and the last.
    pub fn examples(&self) -> impl Iterator<Item = (u32, u32)> {
        let pairs = (self.tested.iter()).flat_map(|tested| tested.examples);
        pairs.filter(|pair| *pair != NO_PAGES)
    }

    /// Counts a trial that could not be decided. `of_alias`: whether it is about an alias, and what is known then:
    /// whether the pages are small, and little more than their own address.
    pub(super) fn leave_undecided(&mut self, of_alias: Option<(bool, bool)>) {
        self.undecided += 1;
        if let Some((is_small, is_echo)) = of_alias {
            let tested = self.tested();
            tested.small += u32::from(is_small);
            tested.echoes.1 += u32::from(is_echo);
        }
    }

    /// Counts a trial of an alias on a page that is little more than its own address.
    pub(super) fn count_echo(&mut self) {
        self.tested().echoes.0 += 1;
    }

    /// Notes a success: whether its page named the counterpart as its canonical, and the pair of pages.
    pub(super) fn note_success(&mut self, confirmed: bool, pages: (u32, u32)) {
        self.confirmed = (self.confirmed + u8::from(confirmed)).min(CONFIRMED);
        if let Some(tested) = &mut self.tested {
            let first = usize::from(tested.examples[0] != NO_PAGES);
            tested.examples[first] = pages;
        }
    }

    /// The e-value.
    pub fn e_value(&self) -> f64 {
        self.evidence().e_value(1.0)
    }

    /// Weight among all hypotheses, fixed before the first trial that counts.
    pub fn weight(&self) -> f64 {
        f64::from(self.prior)
    }

    /// Weight of all its tries: each began anew and counts as a hypothesis of its own.
    pub fn weight_of_tries(&self) -> f64 {
        self.weight() * f64::from(self.tries())
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
    pub fn is_doubted(&self) -> bool {
        match self.state {
            State::Active => false,
            State::Proposed => self.screened_out,
            State::Probation => self.failures() > 0 && self.evidence().log_e < 0.0,
            State::Withdrawn => true,
        }
    }

    /// Whether any of the last trials speaks against it.
    pub fn has_failed(&self) -> bool {
        self.failures() > 0 || self.is_doubted()
    }

    /// Whether too many of its trials could not be decided: it then says little about the next one. An
    /// alias that holds for a whole site must not be carried by those of its pages that are easy to tell,
    /// so it is asked of each kind of page apart, and more strictly.
    pub fn is_vague(&self, is_literal: bool) -> bool {
        let is_kind = is_literal && matches!(self.level, Level::Names);
        let share = if is_kind { 4 } else { 1 };
        self.undecided * share > self.seen()
    }

    fn echoes(&self) -> (u32, u32) {
        self.tested.as_ref().map_or((0, 0), |tested| tested.echoes)
    }

    /// Whether it is vague about small pages only, which can be told by equality alone.
    pub fn is_telling_of_large(&self) -> bool {
        let small = self.tested.as_ref().map_or(0, |tested| tested.small);
        (self.undecided - small) * 4 <= self.seen()
    }

    /// Whether too many of its trials could not be decided, pages that are little more than their own address
    /// left aside.
    pub fn is_vague_beside_echoes(&self) -> bool {
        let (told, untold) = self.echoes();
        (self.undecided - untold) * 4 > self.seen().saturating_sub(told)
    }

    /// Whether it was told on pages that are little more than their own address. What was told on others says
    /// nothing of these: under another address they may be other pages.
    pub fn is_telling_of_echoes(&self) -> bool {
        let (told, untold) = self.echoes();
        told >= LITERAL_TRIALS && untold * 4 <= told
    }

    /// Whether its e-value is high enough for it alone. Experience from other sites may count for some of
    /// the trials, never against any.
    pub fn has_enough(&self) -> bool {
        self.e_value() * self.weight().clamp(1.0, 3.0) >= super::evidence::ENOUGH
    }

    /// Trials so far, the screening of its last try included.
    pub fn seen(&self) -> u32 {
        let tested = self.tested.as_ref().map_or(0, |tested| {
            tested.evidence.trials + u32::from(tested.screened)
        });
        tested + u32::from(self.streak)
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
                    self.tested().is_full = true;
                    return Change::None;
                }
                let evidence = &mut self.tested().evidence;
                evidence.count(success, ratios);
                if evidence.log_e < -3.5 {
                    self.sleep(State::Withdrawn);
                    Change::None
                } else if self.has_enough() {
                    Change::Candidate
                } else {
                    Change::None
                }
            }
            State::Active => {
                if self.tested().evidence.watch(success, ratios) {
                    self.sleep(State::Withdrawn);
                    Change::Withdrawn
                } else {
                    Change::None
                }
            }
        }
    }

    /// Starts the tests: what was counted before does not count.
    pub(super) fn start(&mut self) {
        self.state = State::Probation;
        self.screened_out = false;
        let screened = std::mem::take(&mut self.streak);
        let tested = self.tested();
        tested.screened = screened;
        tested.evidence = Evidence::default();
        tested.tries = tested.tries.saturating_add(1);
        if tested.tries == 1 && self.confirmed >= CONFIRMED {
            // The site itself said so in the screening, and content agreed.
            self.prior *= 3.0;
        }
    }

    fn sleep(&mut self, state: State) {
        self.state = state;
        self.streak = 0;
        self.tested().caps = None;
    }

    pub(super) fn activate(&mut self, id: BeliefId) {
        self.state = State::Active;
        let tested = self.tested();
        tested.id = Some(id);
        tested.risen = tested.risen.saturating_add(1);
        tested.evidence.alarm = 0.0;
        tested.caps = None;
    }

    fn is_capped(&mut self, group: u64, value: u64, most: u8) -> bool {
        let caps = self.tested().caps.get_or_insert_default();
        if caps.count(group) >= most || (value != 0 && caps.count(value) >= PER_VALUE) {
            return true;
        }
        if most < u8::MAX {
            caps.add(group);
        }
        if value != 0 {
            caps.add(value);
        }
        false
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        let tested = (self.tested.as_ref()).map_or(0, |tested| {
            let caps = tested.caps.as_ref();
            size_of::<Tested>() + 8 + caps.map_or(0, |c| c.0.allocation_size() + 48)
        });
        size_of::<Self>() + tested
    }

    pub(super) fn write(&self, out: &mut Out) {
        let Self {
            context,
            tested,
            undecided,
            prior,
            edit: _,
            level,
            state,
            streak,
            confirmed,
            screened_out,
        } = self;
        out.byte(*level as u8);
        out.fixed64(*context);
        out.byte(match state {
            State::Proposed => 0,
            State::Probation => 1,
            State::Active => 2,
            State::Withdrawn => 3,
        });
        out.float(*prior);
        out.number(u64::from(*undecided));
        out.byte(*streak);
        out.byte(*confirmed);
        out.flag(*screened_out);
        out.flag(tested.is_some());
        if let Some(tested) = tested {
            tested.write(out);
        }
    }

    /// Reads what [`write`](Self::write) wrote of a belief about this edit.
    pub(super) fn read(from: &mut In<'_>, edit: u32) -> Option<Self> {
        let level: Level = *LEVELS.get(usize::from(from.byte()?))?;
        let context = from.fixed64()?;
        let state = match from.byte()? {
            0 => State::Proposed,
            1 => State::Probation,
            2 => State::Active,
            3 => State::Withdrawn,
            _ => return None,
        };
        let mut belief = Self::new(edit, level, context, from.float()?);
        belief.state = state;
        belief.undecided = from.small()?;
        belief.streak = from.byte()?;
        belief.confirmed = Some(from.byte()?).filter(|n| *n <= CONFIRMED)?;
        belief.screened_out = from.flag()?;
        if from.flag()? {
            let tested = Tested::read(from)?;
            belief.tested = Some(Box::new(tested)).filter(|t| t.small <= belief.undecided);
            belief.tested.as_ref()?;
        }
        Some(belief)
    }
}

impl Tested {
    fn write(&self, out: &mut Out) {
        let Self {
            evidence:
                Evidence {
                    log_e,
                    trials,
                    failures,
                    alarm,
                },
            small,
            echoes,
            examples,
            tries,
            screened,
            risen,
            id,
            is_full,
            caps,
        } = self;
        out.float(*log_e);
        out.float(*alarm);
        for number in [trials, failures, small, &echoes.0, &echoes.1] {
            out.number(u64::from(*number));
        }
        out.number(u64::from(*tries));
        out.byte(*screened);
        out.number(u64::from(*risen));
        out.flag(id.is_some());
        if let Some(id) = id {
            out.fixed64(id.to_bits());
        }
        out.flag(*is_full);
        for page in examples.iter().flat_map(|pair| [pair.0, pair.1]) {
            out.number(u64::from(page.wrapping_add(1)));
        }
        let mut caps: Vec<u32> = caps
            .iter()
            .flat_map(|caps| caps.0.iter().copied())
            .collect();
        caps.sort_unstable();
        out.count(caps.len());
        for entry in caps {
            out.fixed32(entry);
        }
    }

    fn read(from: &mut In<'_>) -> Option<Self> {
        let (log_e, alarm) = (from.float()?, from.float()?);
        let (trials, failures) = (from.small()?, from.small()?);
        let mut tested = Self {
            evidence: Evidence {
                log_e,
                trials,
                failures: Some(failures).filter(|failures| *failures <= trials)?,
                alarm,
            },
            small: from.small()?,
            echoes: (from.small()?, from.small()?),
            tries: u16::try_from(from.number()?).ok()?,
            screened: from.byte()?,
            risen: u16::try_from(from.number()?).ok()?,
            id: if from.flag()? {
                Some(BeliefId::from_bits(from.fixed64()?))
            } else {
                None
            },
            is_full: from.flag()?,
            ..Self::default()
        };
        for pair in &mut tested.examples {
            *pair = (from.small()?.wrapping_sub(1), from.small()?.wrapping_sub(1));
        }
        let caps = from.count()?;
        if caps > 0 {
            let table = &mut tested.caps.get_or_insert_default().0;
            for _ in 0..caps {
                let entry = from.fixed32()?;
                table.insert_unique(Caps::hash(entry), entry, |entry| Caps::hash(*entry));
            }
        }
        Some(tested)
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
