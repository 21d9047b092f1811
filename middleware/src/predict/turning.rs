//! Which lines of a page are others at each answer, whatever the page says?
//!
//! A quotation, a product that is recommended, who is here: too many for each of them to be chrome, and beside one text
//! they make another page each time. What tells them from what a page says is to fetch the page twice. Lines that only one of the
//! two answers has stand in a *stretch* between two lines that both have, each once. Where most pages of a *section* (those whose paths
//! have one shape) that were fetched twice had other lines behind such a line, or before it, what stands there is left out of later texts
//! of that section, before they are compared with anything. Pages of a section in which that is done go on being fetched twice now
//! and then, so that what turned for a while is not left out any more when it stands.

use std::{borrow::Cow, collections::BTreeMap, ops::Range};

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
/// Pages whose stretch was another one, at least: of the section, and of all.
const TURNED: (u16, u32) = (2, 3);
/// So many times as often as it was the same, at least.
const MOSTLY: u16 = 4;
/// The same two where only one end of the stretch is known.
const TURNED_ALONE: u16 = 4;
const MOSTLY_ALONE: u16 = 8;
/// Stretch and lines that are left out may be so many times as long as the longest that turned.
const LONGER: usize = 2;
/// Sections, and ends of stretches in all of them, that are watched at most.
const SECTIONS: usize = 64;
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
    /// Pages that had other lines there in the other answer, and the same.
    turned: u16,
    stood: u16,
    /// The other end; 0 where that was not always one line.
    other: u32,
    /// The most lines between, and octets of the longest of them.
    lines: u16,
    octets: u16,
    /// Whether there were not always as many.
    is_uneven: bool,
}

impl Told {
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
        }
    }

    fn add(&mut self, more: Self) {
        if self.turned > 0 && more.turned > 0 {
            self.is_uneven |= more.is_uneven || self.lines != more.lines;
            self.other = if self.other == more.other {
                self.other
            } else {
                0
            };
        } else if more.turned > 0 {
            (self.is_uneven, self.other) = (more.is_uneven, more.other);
        }
        self.lines = self.lines.max(more.lines);
        self.octets = self.octets.max(more.octets);
        self.turned = self.turned.saturating_add(more.turned);
        self.stood = self.stood.saturating_add(more.stood);
    }

    /// The same of one page, of which both answers tell.
    fn once(mut self) -> Self {
        self.turned = self.turned.min(1);
        self.stood = if self.turned > 0 {
            0
        } else {
            self.stood.min(1)
        };
        self
    }

    const fn acts(self) -> bool {
        if self.other == 0 {
            !self.is_uneven
                && self.turned >= TURNED_ALONE
                && self.turned / MOSTLY_ALONE >= self.stood
        } else {
            self.turned >= TURNED.0 && self.turned / MOSTLY >= self.stood
        }
    }
}

/// How many pages a section has, how many of them were fetched twice, and of these had other lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Fetched {
    pages: u32,
    twice: u32,
    turned: u32,
}

impl Fetched {
    /// Whether a page more of a section of a site is to be fetched twice.
    fn is_due(self, site: Self) -> bool {
        let passed =
            |pages: &[u32]| pages.iter().filter(|pages| **pages <= self.pages).count() as u32;
        let due = if self.turned > 0 || site.twice < STILL {
            passed(&SOON) + self.pages / LATER
        } else {
            let left_out = if site.turned > 0 { 0 } else { FIRST };
            passed(&SELDOM[left_out..]) + self.pages / RARELY
        };
        self.twice < due
    }

    fn read(from: &mut In<'_>) -> Option<Self> {
        Some(Self {
            pages: from.small()?,
            twice: from.small()?,
            turned: from.small()?,
        })
    }

    fn write(self, out: &mut Out) {
        for number in [self.pages, self.twice, self.turned] {
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
        }
    })
    .collect()
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
            return None;
        }
        Some(self.sections.entry(section).or_default())
    }

    /// Whether a page of a section is to be fetched twice.
    pub(super) fn wants(&self, section: u64) -> bool {
        let section = self.sections.get(&section);
        section.is_some_and(|section| section.is_due(self.all))
    }

    /// Learns from two answers for one URL.
    pub(super) fn note(&mut self, section: u64, first: &str, second: &str) {
        let Some(fetched) = self.section(section) else {
            return;
        };
        fetched.twice += 1;
        self.all.twice += 1;
        let texts = [lines(first), lines(second)];
        if texts.iter().any(|lines| lines.len() > MOST_LINES) {
            return;
        }
        let fates = fates(&texts[0], &texts[1]);
        let singles = texts.each_ref().map(|lines| singles(lines));
        let mut told: BTreeMap<End, Told> = BTreeMap::new();
        for ((lines, fates), singles) in texts.iter().zip(&fates).zip(&singles) {
            let is_end = |at: usize| singles[at] && fates[at] != Fate::Turned;
            for (before, between, behind) in stretches(lines, is_end) {
                let ends = [
                    ((before, Side::Before), behind),
                    ((behind, Side::Behind), before),
                ];
                if !fates[between.clone()].contains(&Fate::Turned) {
                    for (end, _) in ends
                        .iter()
                        .filter(|(end, _)| self.ends.contains_key(&(section, *end)))
                    {
                        told.entry(*end).or_default().stood = 1;
                    }
                } else if between.len() <= LONGEST {
                    for (end, other) in ends {
                        told.entry(end)
                            .or_default()
                            .add(Told::of(other, &lines[between.clone()]));
                    }
                }
            }
        }
        if told.values().any(|told| told.turned > 0) {
            self.all.turned += 1;
            if let Some(fetched) = self.sections.get_mut(&section) {
                fetched.turned += 1;
            }
        }
        for (end, told) in told {
            self.tell((section, end), told.once());
        }
        self.let_act();
    }

    fn tell(&mut self, end: (u64, End), told: Told) {
        if self.ends.len() >= ENDS && !self.ends.contains_key(&end) {
            // What no second page has had makes room.
            self.ends.retain(|_, told| told.turned > 1);
            if self.ends.len() >= ENDS {
                return;
            }
        }
        self.ends.entry(end).or_default().add(told);
    }

    fn let_act(&mut self) {
        self.acting.clear();
        if self.all.turned < TURNED.1 {
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
        if !turns.contains(&true) {
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
        } = self;
        let mut out = Out::default();
        all.write(&mut out);
        out.count(sections.len());
        for (section, fetched) in sections {
            out.fixed64(*section);
            fetched.write(&mut out);
        }
        for ((section, (name, side)), told) in ends {
            let Told {
                turned,
                stood,
                other,
                lines,
                octets,
                is_uneven,
            } = told;
            out.fixed64(*section);
            out.fixed32(*name);
            out.flag(*side == Side::Behind);
            out.fixed32(*other);
            for number in [turned, stood, lines, octets] {
                out.number(u64::from(*number));
            }
            out.flag(*is_uneven);
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
        for _ in 0..from.count()? {
            let section = from.fixed64()?;
            turning.sections.insert(section, Fetched::read(&mut from)?);
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
            };
            turning.ends.insert((section, (name, side)), told);
        }
        turning.let_act();
        Some(turning)
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let sections = self.sections.len() * size_of::<(u64, Fetched)>();
        let ends = self.ends.len() * size_of::<((u64, End), Told)>();
        let acting: usize = self.acting.values().map(of_map).sum();
        2 * (sections + ends) + of_map(&self.acting) + acting
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
                if turning.wants(NEWS) {
                    turning.note(NEWS, &text, other);
                }
                turning.count(NEWS);
            }
        }
        assert_eq!(still.all.twice, 6);
        assert_eq!(lively.sections[&NEWS].twice, 21);
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
