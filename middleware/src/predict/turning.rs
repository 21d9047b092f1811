//! Which lines of a page are others at each answer, whatever the page says?
//!
//! A quotation, a product that is recommended, who is here: too many for each of them to be chrome, and beside one text
//! they make another page each time. What tells them from what a page says is to fetch the page twice. Lines that only one of the
//! two answers has stand in a *stretch* between two lines that both have, each once. Where pages of a *section* (those whose paths
//! have one shape, and that are chosen by the same words) had other lines behind such a line, or before it, one after the other, what stands there is
//! left out of later texts of that section, before they are compared with anything. One page that has the same lines there ends that, and many more must have others
//! before it begins anew; so pages of a section in which something is left out go on being fetched twice now and then, and soon after one that stood.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::{Mutex, PoisonError},
};

use rustc_hash::FxHashMap;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use xxhash_rust::xxh3::xxh3_64;

use super::{
    codec::{In, Out},
    parts::{Parts, Put, Section},
};
use crate::heap::of_map;

/// Lines of the longest stretch.
const LONGEST: usize = 24;
/// Lines of a text beyond which it teaches nothing: to compare two of them takes time by their number and by how many differ.
const MOST_LINES: usize = 2000;
/// Pages in a row whose stretch was another one, at least; and where only one of its ends is known.
const TURNED: u16 = 2;
const TURNED_ALONE: u16 = 6;
/// So many times as many for each page whose stretch was the same, up to so many pages.
const MORE: u16 = 2;
const STOOD: u16 = 5;
/// Pages of a site that had other lines before any are left out.
const AT_LEAST: u32 = 3;
/// Words that are remembered of pages that were fetched twice.
const MOST_WORDS: usize = 8192;
/// Ends that a page brings which were on none before: of one that has more, none is watched.
const NEW: usize = 64;
/// Stretch and lines that are left out may be so many times as long as the longest that turned.
const LONGER: usize = 2;
/// Sections, and ends of stretches in all of them, that are watched at most.
const SECTIONS: usize = 256;
const ENDS: usize = 1024;
/// Pages of a section after each of which one is to be fetched twice, and after so many more, one more: where something turned.
const SOON: [u32; 6] = [4, 6, 9, 16, 32, 64];
const LATER: u32 = 128;
/// The same where nothing did yet, once so many pages of the site were fetched twice. Before, it is as if something had. The first pages are left
/// out where nothing turned on the whole site.
const STILL: u32 = 6;
const SELDOM: [u32; 4] = [4, 9, 16, 32];
const FIRST: usize = 2;
const RARELY: u32 = 512;
/// Pages more where one had the same lines that others were left out for.
const OWED: u16 = 12;
/// Pages of the section for which it is then in doubt what was found without these lines.
const DOUBT: u32 = 256;
/// Pages of a site, of however many sections, that may be fetched twice, and one more in so many: where something is left out, and where
/// nothing is.
const MOST: u32 = 16;
const ONE_IN: [u32; 2] = [32, 128];

/// What stands for the beginning of a text and for its end.
const BEGIN: u32 = 1;
const END: u32 = 2;

/// Which end of a stretch a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Side {
    Before,
    Behind,
}

/// A line that is an end of a stretch, by its name, and which.
type End = (u32, Side);

/// What pages that were fetched twice had at one end of a stretch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Told {
    /// Pages that had other lines there in the other answer, since the last that had the same.
    turned: u16,
    /// Pages that had the same, up to a number.
    stood: u16,
    /// The other end; 0 where that was not always one line.
    other: u32,
    /// The most lines between, and octets of the longest of them.
    lines: u16,
    octets: u16,
    /// Whether there were not always as many.
    is_uneven: bool,
    /// Whether it has acted since the last doubt.
    has_acted: bool,
}

impl Told {
    /// Of a page that had the same there.
    const STILL: Self = Self {
        turned: 0,
        stood: 1,
        other: 0,
        lines: 0,
        octets: 0,
        is_uneven: false,
        has_acted: false,
    };

    /// Of a page that had other lines there.
    fn of(other: u32, between: &[Line]) -> Self {
        let octets = between.iter().map(|line| line.at.len()).max();
        Self {
            turned: 1,
            stood: 0,
            other,
            lines: between.len() as u16,
            octets: u16::try_from(octets.unwrap_or_default()).unwrap_or(u16::MAX),
            is_uneven: false,
            has_acted: false,
        }
    }

    /// The same of what both answers of one page had there.
    fn of_both(one: Option<&Self>, other: Option<&Self>) -> Option<Self> {
        let (mut both, other) = match (one, other) {
            (Some(one), Some(other)) => (*one, *other),
            (one, other) => return one.or(other).copied(),
        };
        if both.turned == 0 {
            return Some(Self {
                is_uneven: true,
                ..other
            });
        }
        // Where one answer has nothing there, the lines are not always as many either.
        both.is_uneven = both.lines != other.lines;
        if other.turned > 0 && both.other != other.other {
            both.other = 0;
        }
        both.lines = both.lines.max(other.lines);
        both.octets = both.octets.max(other.octets);
        Some(both)
    }

    /// Adds what a page more had there.
    fn add(&mut self, page: Self) {
        if page.stood > 0 {
            self.turned = 0;
            self.stood = self.stood.saturating_add(1).min(STOOD);
            return;
        }
        if self.lines == 0 {
            (self.is_uneven, self.other) = (page.is_uneven, page.other);
        } else {
            self.is_uneven |= page.is_uneven || self.lines != page.lines;
            self.other = if self.other == page.other {
                self.other
            } else {
                0
            };
        }
        self.lines = self.lines.max(page.lines);
        self.octets = self.octets.max(page.octets);
        self.turned = self.turned.saturating_add(1);
    }

    /// Pages in a row that it takes to act.
    fn least(self) -> u16 {
        let least = if self.other == 0 {
            TURNED_ALONE
        } else {
            TURNED
        };
        least * MORE.pow(self.stood.min(STOOD).into())
    }

    fn acts(self) -> bool {
        (self.other != 0 || !self.is_uneven) && self.turned >= self.least()
    }
}

/// How many pages a section has, how many of them were fetched twice, and of these had other lines; and how many are to be at least, since one had the
/// same lines where others were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Fetched {
    pages: u32,
    twice: u32,
    turned: u32,
    owed: u32,
    /// Pages of it up to which it is in doubt what was left out before.
    doubted: u32,
}

impl Fetched {
    /// Pages of a section of a site that are to be fetched twice by now.
    fn due(self, site: Self) -> u32 {
        let passed =
            |pages: &[u32]| pages.iter().filter(|pages| **pages <= self.pages).count() as u32;
        let due = if self.turned > 0 || site.twice < STILL {
            passed(&SOON) + self.pages / LATER
        } else {
            let left_out = if site.turned > 0 { 0 } else { FIRST };
            passed(&SELDOM[left_out..]) + self.pages / RARELY
        };
        due.max(self.owed)
    }

    fn read(from: &mut In<'_>) -> Option<Self> {
        Some(Self {
            pages: from.small()?,
            twice: from.small()?,
            turned: from.small()?,
            owed: from.small()?,
            doubted: from.small()?,
        })
    }

    fn write(self, out: &mut Out) {
        for number in [self.pages, self.twice, self.turned, self.owed, self.doubted] {
            out.number(u64::from(number));
        }
    }
}

/// The stretches of a site that turn, or may.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Turning {
    sections: BTreeMap<u64, Fetched>,
    all: Fetched,
    /// By section.
    ends: BTreeMap<(u64, End), Told>,
    /// Those of the sections that have any which act. Follows from `ends`.
    acting: FxHashMap<u64, FxHashMap<End, Told>>,
    /// Whether any has acted, but for those that turned out to stand. Follows from `ends`.
    is_lively: bool,
    /// Words of pages that were fetched twice, as far as there is room.
    words: BTreeSet<u32>,
}

/// How many second answers were asked for: whether they come or not, and before they do, they are not asked for again.
#[derive(Debug, Default)]
pub(super) struct Asked(Mutex<(u32, FxHashMap<u64, u32>)>);

impl Asked {
    /// Whether one more is to be asked for in a section; it is, then.
    pub(super) fn wants(&self, section: u64, turning: &Turning) -> bool {
        let Some(known) = turning.sections.get(&section) else {
            return false;
        };
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (all, by_section) = &mut *asked;
        let of_section = by_section.entry(section).or_default();
        *all = (*all).max(turning.all.twice);
        *of_section = (*of_section).max(known.twice);
        let wants = *of_section < known.due(turning.all) && *all < turning.most();
        *all += u32::from(wants);
        *of_section += u32::from(wants);
        wants
    }
}

/// A line of a text.
#[derive(Clone, Debug)]
struct Line {
    /// With what ends it.
    at: Range<usize>,
    /// Name of its words as they stand.
    exact: u64,
    /// The same, digits aside.
    name: u32,
    /// Its words without digits.
    words: Vec<u32>,
}

/// What came of a line in the other answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Stood,
    /// Its numbers are others. What is chrome is told without numbers, so that it is nothing to mind.
    Counted,
    Turned,
}

/// The lines of a text that hold anything.
fn lines(text: &str) -> Vec<Line> {
    let (mut at, mut masked) = (0, Vec::new());
    let all = text.split_inclusive('\n').map(|line| {
        at += line.len();
        (at - line.len()..at, line.trim())
    });
    let own = all.filter(|(_, line)| !line.is_empty());
    own.map(|(at, line)| {
        masked.clear();
        for octet in line.bytes() {
            let is_digit = octet.is_ascii_digit();
            if !(is_digit && masked.last() == Some(&b'0')) {
                masked.push(if is_digit { b'0' } else { octet });
            }
        }
        Line {
            at,
            exact: xxh3_64(line.as_bytes()),
            name: xxh3_64(&masked) as u32,
            words: Vec::new(),
        }
    })
    .collect()
}

/// The same, each with its words.
fn lines_in_words(text: &str) -> Vec<Line> {
    let mut lines = lines(text);
    for line in &mut lines {
        let words = text[line.at.clone()].split(|sign: char| !sign.is_alphanumeric());
        let telling =
            words.filter(|word| !word.is_empty() && !word.bytes().any(|b| b.is_ascii_digit()));
        line.words = telling
            .map(|word| xxh3_64(word.as_bytes()) as u32)
            .collect();
    }
    lines
}

/// Which lines can be an end: those that no other one of the text is like, digits aside.
fn singles(lines: &[Line]) -> Vec<bool> {
    let mut met: FxHashMap<u32, u32> = FxHashMap::default();
    for line in lines {
        *met.entry(line.name).or_default() += 1;
    }
    lines.iter().map(|line| met[&line.name] == 1).collect()
}

/// What came of the lines of two answers.
fn fates(one: &[Line], other: &[Line]) -> [Vec<Fate>; 2] {
    let names = |lines: &[Line]| lines.iter().map(|line| line.name).collect::<Vec<_>>();
    let mut fates = [one, other].map(|lines| vec![Fate::Turned; lines.len()]);
    for op in capture_diff_slices(Algorithm::Myers, &names(one), &names(other)) {
        let DiffOp::Equal {
            old_index,
            new_index,
            len,
        } = op
        else {
            continue;
        };
        for (a, b) in (old_index..old_index + len).zip(new_index..) {
            let fate = if one[a].exact == other[b].exact {
                Fate::Stood
            } else {
                Fate::Counted
            };
            (fates[0][a], fates[1][b]) = (fate, fate);
        }
    }
    fates
}

/// The stretches of a text, by the lines that are their ends, of which `is_end` says whether one can be.
fn stretches(
    lines: &[Line],
    is_end: impl Fn(usize) -> bool,
) -> impl Iterator<Item = (u32, Range<usize>, u32)> {
    let all = (0..lines.len()).filter(move |at| is_end(*at));
    let ends = all
        .map(|at| (at, lines[at].name))
        .chain([(lines.len(), END)]);
    let mut before = (0, BEGIN);
    ends.map(move |(at, name)| {
        let stretch = (before.1, before.0..at, name);
        before = (at + 1, name);
        stretch
    })
}

/// What one of two answers says of the ends of its stretches.
fn told_by(lines: &[Line], fates: &[Fate]) -> BTreeMap<End, (Told, Range<usize>)> {
    let singles = singles(lines);
    let mut told = BTreeMap::new();
    let is_end = |at: usize| singles[at] && fates[at] != Fate::Turned;
    for (before, between, behind) in stretches(lines, is_end) {
        let ends = [
            ((before, Side::Before), behind),
            ((behind, Side::Behind), before),
        ];
        let of = &fates[between.clone()];
        // Lines of which a text has several are no ends, and may stand all the same.
        let has_turned = of.contains(&Fate::Turned) && !of.contains(&Fate::Stood);
        for (end, other) in ends {
            let here = if has_turned && between.len() <= LONGEST {
                Told::of(other, &lines[between.clone()])
            } else {
                Told::STILL
            };
            told.insert(end, (here, between.clone()));
        }
    }
    told
}

/// Whether some lines are at least half of those that count.
fn has_most(
    lines: &[Line],
    counts: impl Fn(usize) -> bool,
    is_one: impl Fn(usize) -> bool,
) -> bool {
    let octets = |at: &usize| lines[*at].at.len();
    let all: Vec<usize> = (0..lines.len()).filter(|at| counts(*at)).collect();
    let some: usize = all.iter().filter(|at| is_one(**at)).map(octets).sum();
    2 * some >= all.iter().map(octets).sum()
}

impl Turning {
    /// Counts a page of a section that came back.
    pub(super) fn count(&mut self, section: u64) {
        self.all.pages = self.all.pages.saturating_add(1);
        if let Some(section) = self.section(section) {
            section.pages = section.pages.saturating_add(1);
        }
    }

    fn section(&mut self, section: u64) -> Option<&mut Fetched> {
        if self.sections.len() >= SECTIONS && !self.sections.contains_key(&section) {
            // Those of which next to nothing came make room.
            self.sections.retain(|_, known| known.twice > 0);
            if self.sections.len() >= SECTIONS {
                return None;
            }
        }
        Some(self.sections.entry(section).or_default())
    }

    /// Pages that may be fetched twice by now.
    fn most(&self) -> u32 {
        MOST + self.all.pages / ONE_IN[usize::from(!self.is_lively)]
    }

    /// Whether anything is left out of pages of a section.
    pub(super) fn acts(&self, section: u64) -> bool {
        self.acting.contains_key(&section)
    }

    /// Whether something was left out of pages of a section that may have been what they say.
    pub(super) fn is_doubted(&self, section: u64) -> bool {
        let section = self.sections.get(&section);
        section.is_some_and(|section| section.pages < section.doubted)
    }

    /// Learns from two answers for one URL. From one that has not much of the other, nothing: it is another page, or none.
    pub(super) fn note(&mut self, section: u64, first: &str, second: &str) {
        let Some(fetched) = self.section(section) else {
            return;
        };
        fetched.twice = fetched.twice.saturating_add(1);
        self.all.twice = self.all.twice.saturating_add(1);
        let texts = [first, second].map(lines_in_words);
        if texts.iter().any(|lines| lines.len() > MOST_LINES) {
            return;
        }
        let fates = fates(&texts[0], &texts[1]);
        if texts.iter().zip(&fates).any(|(lines, fates)| {
            let own = |at: usize| self.is_own(&lines[at]);
            !has_most(lines, own, |at| fates[at] != Fate::Turned)
        }) {
            self.hear_words(&texts[0]);
            return;
        }
        let [one, other] = [0, 1].map(|answer| told_by(&texts[answer], &fates[answer]));
        let ends: BTreeSet<End> = one.keys().chain(other.keys()).copied().collect();
        let both = ends.into_iter().filter_map(|end| {
            let (one, other) = (one.get(&end), other.get(&end));
            let told = Told::of_both(one.map(|(told, _)| told), other.map(|(told, _)| told))?;
            let shares = one.zip(other).is_some_and(|((_, one), (_, other))| {
                self.share_own(&texts[0][one.clone()], &texts[1][other.clone()])
            });
            Some((end, if shares { Told::STILL } else { told }))
        });
        let (turned, stood): (Vec<_>, Vec<_>) = both.partition(|(_, told)| told.turned > 0);
        if !turned.is_empty() {
            self.all.turned = self.all.turned.saturating_add(1);
            if let Some(fetched) = self.section(section) {
                fetched.turned = fetched.turned.saturating_add(1);
            }
        }
        let is_known = |(end, _): &(End, Told)| self.ends.contains_key(&(section, *end));
        let is_crowded = turned.iter().filter(|told| !is_known(told)).count() > NEW;
        let mut told: Vec<(End, Told)> = stood.into_iter().filter(is_known).collect();
        told.extend(
            turned
                .into_iter()
                .filter(|told| !is_crowded || is_known(told)),
        );
        for (end, told) in told {
            self.tell((section, end), told);
        }
        self.let_act();
        self.hear_words(&texts[0]);
        self.hear_words(&texts[1]);
    }

    fn hear_words(&mut self, lines: &[Line]) {
        for word in lines.iter().flat_map(|line| &line.words) {
            if self.words.len() < MOST_WORDS {
                self.words.insert(*word);
            }
        }
    }

    /// Whether a line has words that no page before had: it is the page's own, and no menu.
    fn is_own(&self, line: &Line) -> bool {
        line.words.iter().any(|word| !self.words.contains(word))
    }

    /// Whether two stretches have a word in common that no page before had: what says the page's own beside something of the moment has not turned.
    fn share_own(&self, one: &[Line], other: &[Line]) -> bool {
        let other: BTreeSet<&u32> = other.iter().flat_map(|line| &line.words).collect();
        let mut words = one.iter().flat_map(|line| &line.words);
        words.any(|word| other.contains(word) && !self.words.contains(word))
    }

    fn tell(&mut self, end: (u64, End), told: Told) {
        if self.ends.len() >= ENDS && !self.ends.contains_key(&end) {
            // What no second page has had makes room.
            self.ends
                .retain(|_, told| told.turned > 1 || told.stood > 0);
            if self.ends.len() >= ENDS {
                return;
            }
        }
        let known = self.ends.entry(end).or_default();
        // The first time may be by chance.
        let stands = known.has_acted && known.turned == 0 && told.stood > 0;
        let acted = known.acts();
        known.add(told);
        known.has_acted = (known.has_acted && !stands) || known.acts();
        let (stopped, least) = (acted && !known.acts(), known.least());
        if let Some(fetched) = self.section(end.0).filter(|_| stopped || stands) {
            // Whether it stands from now on is to be known soon.
            let owed = u32::from(least.min(OWED));
            fetched.owed = fetched.twice.saturating_add(owed);
            if stands {
                fetched.doubted = fetched.pages.saturating_add(DOUBT);
            }
        }
    }

    fn let_act(&mut self) {
        self.acting.clear();
        self.is_lively = self.ends.values().any(|told| told.has_acted);
        if self.all.turned < AT_LEAST {
            return;
        }
        for ((section, end), told) in self.ends.iter().filter(|(_, told)| told.acts()) {
            self.acting.entry(*section).or_default().insert(*end, *told);
        }
    }

    /// A text of a section without what stands where lines turn.
    pub(super) fn without<'t>(&self, section: u64, text: &'t str) -> Cow<'t, str> {
        let Some(acting) = self.acting.get(&section) else {
            return text.into();
        };
        let lines = lines(text);
        let singles = singles(&lines);
        let name_at = |at: usize| match at.checked_sub(1) {
            None => Some(BEGIN),
            Some(line) if line == lines.len() => Some(END),
            Some(line) => singles[line].then(|| lines[line].name),
        };
        let mut turns = vec![false; lines.len()];
        // Counted from the beginning of the text, which is an end, too.
        for end in 0..lines.len() + 2 {
            let Some(name) = name_at(end) else { continue };
            for side in [Side::Before, Side::Behind] {
                let Some(told) = acting.get(&(name, side)) else {
                    continue;
                };
                let is_other = |at: &usize| name_at(*at) == Some(told.other);
                let far = LONGER * usize::from(told.lines) + 1;
                let stretch = match side {
                    Side::Before if told.other == 0 => Some(end..end + usize::from(told.lines)),
                    Side::Before => (end + 1..lines.len() + 2)
                        .take(far)
                        .find(is_other)
                        .map(|other| end..other - 1),
                    Side::Behind if told.other == 0 => end
                        .checked_sub(usize::from(told.lines) + 1)
                        .map(|from| from..end - 1),
                    Side::Behind => (0..end)
                        .rev()
                        .take(far)
                        .find(is_other)
                        .map(|other| other..end - 1),
                };
                let Some(stretch) = stretch.filter(|stretch| stretch.end <= lines.len()) else {
                    continue;
                };
                let most = LONGER * usize::from(told.octets);
                if lines[stretch.clone()]
                    .iter()
                    .all(|line| line.at.len() <= most)
                {
                    turns[stretch].fill(true);
                }
            }
        }
        if !turns.contains(&true) || !has_most(&lines, |_| true, |at| !turns[at]) {
            return text.into();
        }
        let left = lines.into_iter().zip(turns).filter(|(_, turns)| !turns);
        left.map(|(line, _)| &text[line.at]).collect()
    }

    /// Writes it down.
    pub(super) fn save(&self, put: &mut Put<'_>) {
        let Self {
            sections,
            all,
            ends,
            acting: _,
            is_lively: _,
            words,
        } = self;
        let mut out = Out::default();
        all.write(&mut out);
        out.count(sections.len());
        for (section, fetched) in sections {
            out.fixed64(*section);
            fetched.write(&mut out);
        }
        out.count(words.len());
        for word in words {
            out.fixed32(*word);
        }
        for ((section, (name, side)), told) in ends {
            let Told {
                turned,
                stood,
                other,
                lines,
                octets,
                is_uneven,
                has_acted,
            } = told;
            out.fixed64(*section);
            out.fixed32(*name);
            out.flag(*side == Side::Behind);
            out.fixed32(*other);
            for number in [turned, stood, lines, octets] {
                out.number(u64::from(*number));
            }
            out.flag(*is_uneven);
            out.flag(*has_acted);
        }
        put(Section::Turning, 0, out.0);
    }

    /// Reads what [`save`](Self::save) wrote.
    pub(super) fn load(parts: &Parts) -> Option<Self> {
        let mut from = parts.one(Section::Turning)?;
        let mut turning = Self {
            all: Fetched::read(&mut from)?,
            ..Self::default()
        };
        let sections = from.count().filter(|count| *count <= SECTIONS)?;
        for _ in 0..sections {
            let section = from.fixed64()?;
            turning.sections.insert(section, Fetched::read(&mut from)?);
        }
        let words = from.count().filter(|count| *count <= MOST_WORDS)?;
        for _ in 0..words {
            turning.words.insert(from.fixed32()?);
        }
        let short = |from: &mut In<'_>| u16::try_from(from.small()?).ok();
        while !from.is_empty() {
            let (section, name) = (from.fixed64()?, from.fixed32()?);
            let side = if from.flag()? {
                Side::Behind
            } else {
                Side::Before
            };
            let told = Told {
                other: from.fixed32()?,
                turned: short(&mut from)?,
                stood: short(&mut from)?,
                lines: short(&mut from)?,
                octets: short(&mut from)?,
                is_uneven: from.flag()?,
                has_acted: from.flag()?,
            };
            turning.ends.insert((section, (name, side)), told);
        }
        (turning.ends.len() <= ENDS).then_some(())?;
        turning.let_act();
        Some(turning)
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let sections = self.sections.len() * size_of::<(u64, Fetched)>();
        let ends = self.ends.len() * size_of::<((u64, End), Told)>();
        let acting: usize = self.acting.values().map(of_map).sum();
        2 * (sections + ends + self.words.len() * size_of::<u32>()) + of_map(&self.acting) + acting
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEWS: u64 = 7;
    const SHOP: u64 = 8;

    fn page(title: &str, quotes: &[&str]) -> String {
        let quotes = quotes.join("\n");
        format!("menu\nTitle: {title}\ntext of {title}\nWords of the day\n{quotes}\nimprint\n")
    }

    fn taught(section: u64, turning: &mut Turning) {
        for n in 0..4 {
            let answer = |k: &str| {
                page(
                    &format!("t{n}x"),
                    &[&format!("{k} {n} says"), "and so on", k],
                )
            };
            turning.note(section, &answer("anna"), &answer("bela"));
        }
    }

    #[test]
    fn what_was_another_line_in_the_second_answer_is_left_out_where_it_stood() {
        let mut turning = Turning::default();
        taught(NEWS, &mut turning);
        let left = |quotes: &[&str]| turning.without(NEWS, &page("new", quotes)).into_owned();
        // What stands between two lines that turn is no matter: it is there each time.
        let still = page("new", &["and so on"]);
        assert_eq!(left(&["carl 7 says", "and so on", "carl"]), still);
        assert_eq!(left(&["dora", "or eva says", "and so on", "dora"]), still);
        // Something else is no quotation: it is far too long.
        let long = "word ".repeat(20);
        assert!(left(&["dora says", "and so on", &long]).contains(&long));
        assert!(
            left(&["dora says"]).contains("dora"),
            "where the other end is not"
        );
        // Of a page without it nothing is left out, nor of another section.
        let other = "menu\nTitle: x\nimprint\ncarl says";
        assert_eq!(turning.without(NEWS, other), other);
        assert_eq!(
            turning.without(SHOP, &page("new", &["x"])),
            page("new", &["x"])
        );
    }

    #[test]
    fn what_stands_on_some_pages_is_not_left_out() {
        let mut turning = Turning::default();
        taught(NEWS, &mut turning);
        for n in 0..2 {
            let same = page(&format!("s{n}y"), &["eva says", "and so on", "eva"]);
            turning.note(NEWS, &same, &same);
        }
        let text = page("new", &["carl says", "and so on", "carl"]);
        assert_eq!(turning.without(NEWS, &text), text);
    }

    #[test]
    fn numbers_alone_teach_nothing() {
        let mut turning = Turning::default();
        for n in 0..9 {
            let answer = |k: u32| page(&format!("t{n}x"), &[&format!("read {k} times")]);
            turning.note(NEWS, &answer(n), &answer(n + 17));
        }
        assert_eq!(turning.all.turned, 0);
        let text = page("new", &["costs 7 crowns"]);
        assert_eq!(turning.without(NEWS, &text), text);
    }

    #[test]
    fn a_site_on_which_nothing_turns_is_seldom_asked_twice() {
        let mut still = Turning::default();
        let mut lively = Turning::default();
        taught(SHOP, &mut lively);
        for n in 0..2000 {
            let text = page(&format!("t{n}x"), &["all is well"]);
            let other = page(
                &format!("t{n}x"),
                &[if n % 2 == 0 { "anna" } else { "bela" }],
            );
            for (turning, other) in [(&mut still, &text), (&mut lively, &other)] {
                if Asked::default().wants(NEWS, turning) {
                    turning.note(NEWS, &text, other);
                }
                turning.count(NEWS);
            }
        }
        assert_eq!(still.all.twice, 6);
        assert_eq!(lively.sections[&NEWS].twice, 21);
    }

    #[test]
    fn second_answers_that_do_not_come_are_not_wanted_for_ever() {
        let (mut turning, asked) = (Turning::default(), Asked::default());
        let mut wanted = 0;
        for section in 0..100 {
            for _ in 0..20 {
                turning.count(section);
                wanted += u32::from(asked.wants(section, &turning));
            }
        }
        assert!((6..80).contains(&wanted), "{wanted}");
    }

    #[test]
    fn what_is_known_outlives_the_process() {
        let mut turning = Turning::default();
        taught(NEWS, &mut turning);
        turning.count(SHOP);
        let mut parts = Parts::default();
        turning.save(&mut |section, chunk, bytes| parts.put(section as u8, chunk, bytes));
        assert_eq!(Turning::load(&parts), Some(turning));
    }
}
