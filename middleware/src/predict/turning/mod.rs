//! Learns which lines of a page change with each answer, whatever the page says.
//!
//! Quotations, recommended products and lists of visitors are too varied for each line to be chrome, and beside one text they make another
//! page each time. To tell them from what a page says, the page is fetched twice. Lines that only one of the two answers has form a
//! *stretch* between two lines that both have, each once. A *section* is the pages whose paths have one shape and that are chosen by the
//! same words. If pages of a section, one after the other, had other lines after such a line, or before it, what is there is left out of
//! later texts of that section before they are compared with anything. One page that has the same lines there ends that, and many more must
//! have other lines before it begins anew. So pages of a section in which something is left out go on being fetched twice now and then, and
//! soon after one whose lines stayed the same.

mod asked;
mod lines;
mod state;
#[cfg(test)]
mod tests;
mod told;

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use rustc_hash::FxHashMap;

use crate::heap::of_map;
pub(super) use asked::Asked;
use asked::Fetched;
use lines::{BEGIN, END, Fate, Line, fates, has_most, lines, lines_in_words, singles, told_by};
use told::{End, Side, Told};

/// Lines of a text beyond which it teaches nothing: to compare two of them takes time by their number and by how many differ.
const MOST_LINES: usize = 2000;
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
/// Pages more where one had the same lines that others were left out for.
const OWED: u16 = 12;
/// Pages of the section for which it is then in doubt what was found without these lines.
const DOUBT: u32 = 256;
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

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let sections = self.sections.len() * size_of::<(u64, Fetched)>();
        let ends = self.ends.len() * size_of::<((u64, End), Told)>();
        let acting: usize = self.acting.values().map(of_map).sum();
        2 * (sections + ends + self.words.len() * size_of::<u32>()) + of_map(&self.acting) + acting
    }
}
