//! Compares the lines of two answers.

use std::{collections::BTreeMap, ops::Range};

use rustc_hash::FxHashMap;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use xxhash_rust::xxh3::xxh3_64;

use super::told::{End, Side, Told};

/// Lines of the longest stretch.
const LONGEST: usize = 24;

/// What stands for the beginning of a text and for its end.
pub(super) const BEGIN: u32 = 1;
pub(super) const END: u32 = 2;

/// A line of a text.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// With what ends it.
    pub(super) at: Range<usize>,
    /// Name of its words as they stand.
    pub(super) exact: u64,
    /// The same, digits aside.
    pub(super) name: u32,
    /// Its words without digits.
    pub(super) words: Vec<u32>,
}

/// What came of a line in the other answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Stood,
    /// Its numbers are others. What is chrome is told without numbers, so that it is nothing to mind.
    Counted,
    Turned,
}

/// The lines of a text that hold anything.
pub(super) fn lines(text: &str) -> Vec<Line> {
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
pub(super) fn lines_in_words(text: &str) -> Vec<Line> {
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
pub(super) fn singles(lines: &[Line]) -> Vec<bool> {
    let mut met: FxHashMap<u32, u32> = FxHashMap::default();
    for line in lines {
        *met.entry(line.name).or_default() += 1;
    }
    lines.iter().map(|line| met[&line.name] == 1).collect()
}

/// What came of the lines of two answers.
pub(super) fn fates(one: &[Line], other: &[Line]) -> [Vec<Fate>; 2] {
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
pub(super) fn told_by(lines: &[Line], fates: &[Fate]) -> BTreeMap<End, (Told, Range<usize>)> {
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
pub(super) fn has_most(
    lines: &[Line],
    counts: impl Fn(usize) -> bool,
    is_one: impl Fn(usize) -> bool,
) -> bool {
    let octets = |at: &usize| lines[*at].at.len();
    let all: Vec<usize> = (0..lines.len()).filter(|at| counts(*at)).collect();
    let some: usize = all.iter().filter(|at| is_one(**at)).map(octets).sum();
    2 * some >= all.iter().map(octets).sum()
}
