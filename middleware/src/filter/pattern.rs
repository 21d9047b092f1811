//! Does one of many patterns match, without asking each?
//!
//! One search looks for the texts that the patterns cannot match without; only the patterns whose text
//! occurs are run, and compiled when that happens for the first time. A pattern without such a text is
//! found out when the set is built and runs always, so no pattern is ever missed, it only costs more.

use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, packed};
use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use regex_syntax::{
    ParserBuilder,
    hir::{Class, Hir, HirKind},
};

/// Shorter texts occur nearly everywhere and would let everything through.
const MIN_LITERAL: usize = 3;
/// Compiled size of a set, in bytes; larger sets are refused rather than slow.
const SIZE_LIMIT: usize = 256 << 20;
/// Parts of a pattern, repetitions counted out, up to which it surely compiles within the limit of one.
const SURELY_COMPILES: usize = 2000;
/// As many texts as a packed search still tells apart faster than an automaton would.
const PACKED: usize = 128;
/// Longest text, in bytes, that is put into lower case without memory of its own.
const ON_STACK: usize = 256;

/// Patterns with one question: which of you, if any, matches first in your order?
#[derive(Debug, Default)]
pub struct PatternSet {
    texts: Option<Texts>,
    /// Patterns that have a mandatory text, in their order.
    guarded: Vec<Guarded>,
    /// Patterns that have none, and their places in the order of the whole set.
    always: Option<(RegexSet, Vec<usize>)>,
}

/// A pattern that is compiled when its text is found for the first time.
#[derive(Debug)]
struct Guarded {
    /// Place in the order of the whole set.
    place: usize,
    pattern: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Guarded {
    fn is_match(&self, text: &[u8]) -> bool {
        self.compiled
            .get_or_init(|| match compile_one(&self.pattern) {
                Ok(regex) => Some(regex),
                Err(error) => {
                    // Patterns large enough for this are compiled when the set is built.
                    tracing::error!(pattern = self.pattern, %error, "this pattern matches nothing");
                    None
                }
            })
            .as_ref()
            .is_some_and(|regex| regex.is_match(text))
    }
}

/// The mandatory texts of all guarded patterns.
#[derive(Debug)]
struct Texts {
    /// Answers "none of them occurs" fastest; only for as many texts as it can tell apart well.
    packed: Option<packed::Searcher>,
    all: Vec<Vec<u8>>,
    /// For each text, the guarded pattern that it belongs to.
    owners: Vec<usize>,
    automaton: OnceLock<Option<AhoCorasick>>,
}

impl Texts {
    fn new(all: Vec<Vec<u8>>, owners: Vec<usize>) -> Result<Self, regex::Error> {
        let packed = packed::Config::new()
            .heuristic_pattern_limits(false)
            .builder()
            .extend(&all)
            .build()
            .filter(|_| all.len() <= PACKED);
        let this = Self {
            packed,
            all,
            owners,
            automaton: OnceLock::new(),
        };
        if this.packed.is_none() {
            let automaton = this.build().map_err(|e| regex::Error::Syntax(e.to_string()))?;
            // Freshly made: nobody has set it.
            let _ = this.automaton.set(Some(automaton));
        }
        Ok(this)
    }

    fn build(&self) -> Result<AhoCorasick, aho_corasick::BuildError> {
        AhoCorasickBuilder::new().build(&self.all)
    }

    /// The guarded patterns, in their order, of which a text occurs in `lower`.
    fn candidates(&self, lower: &[u8]) -> Vec<usize> {
        if self.packed.as_ref().is_some_and(|p| p.find(lower).is_none()) {
            return Vec::new();
        }
        let automaton = self.automaton.get_or_init(|| self.build().ok());
        let Some(automaton) = automaton else {
            // Too many texts for one automaton: all patterns have to be asked.
            return (0..=self.owners.last().copied().unwrap_or_default()).collect();
        };
        let mut found: Vec<usize> = automaton
            .find_overlapping_iter(lower)
            .map(|m| self.owners[m.pattern().as_usize()])
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl PatternSet {
    /// Compiles patterns of the `regex` crate's syntax. They are matched against the octets of a parsed
    /// URL, so classes such as `\w` are ASCII.
    ///
    /// # Errors
    /// When a pattern cannot be parsed, or is too large.
    pub fn new<P: AsRef<str>>(patterns: &[P]) -> Result<Self, regex::Error> {
        let (mut texts, mut owners) = (Vec::new(), Vec::new());
        let mut guarded = Vec::new();
        let mut always = (Vec::new(), Vec::new());
        for (place, pattern) in patterns.iter().enumerate() {
            let pattern = pattern.as_ref();
            let hir = parse(pattern)?;
            if let Some(found) = texts_of(&hir) {
                let compiled = OnceLock::new();
                if parts_of(&hir) > SURELY_COMPILES {
                    let _ = compiled.set(Some(compile_one(pattern)?));
                }
                owners.resize(owners.len() + found.len(), guarded.len());
                texts.extend(found);
                guarded.push(Guarded {
                    place,
                    pattern: pattern.to_owned(),
                    compiled,
                });
            } else {
                always.0.push(pattern);
                always.1.push(place);
            }
        }
        Ok(Self {
            texts: (!texts.is_empty())
                .then(|| Texts::new(texts, owners))
                .transpose()?,
            guarded,
            always: compile(always)?,
        })
    }

    /// Place of the first pattern, in the order they were given, that matches.
    pub fn first_match(&self, text: &str) -> Option<usize> {
        let guarded = self.first_guarded(text.as_bytes());
        let always = self.always.as_ref().and_then(|(set, places)| {
            let first = set.matches(text.as_bytes()).iter().next()?;
            Some(places[first])
        });
        match (guarded, always) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    fn first_guarded(&self, text: &[u8]) -> Option<usize> {
        let texts = self.texts.as_ref()?;
        let mut buffer = [0; ON_STACK];
        let candidates = match buffer.get_mut(..text.len()) {
            Some(lower) => {
                lower.copy_from_slice(text);
                lower.make_ascii_lowercase();
                texts.candidates(lower)
            }
            None => texts.candidates(&text.to_ascii_lowercase()),
        };
        candidates
            .into_iter()
            .map(|i| &self.guarded[i])
            .find(|guarded| guarded.is_match(text))
            .map(|guarded| guarded.place)
    }

    /// How many patterns have no mandatory text and run over every URL.
    pub fn always_run(&self) -> usize {
        self.always.as_ref().map_or(0, |(_, places)| places.len())
    }
}

fn compile_one(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).unicode(false).build()
}

fn compile(
    (patterns, places): (Vec<&str>, Vec<usize>),
) -> Result<Option<(RegexSet, Vec<usize>)>, regex::Error> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let set = RegexSetBuilder::new(patterns)
        .unicode(false)
        .size_limit(SIZE_LIMIT)
        .build()?;
    Ok(Some((set, places)))
}

fn parse(pattern: &str) -> Result<Hir, regex::Error> {
    ParserBuilder::new()
        .unicode(false)
        .utf8(false)
        .build()
        .parse(pattern)
        .map_err(|e| regex::Error::Syntax(e.to_string()))
}

/// Parts of a pattern with its repetitions counted out: what its compiled size grows with.
fn parts_of(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Capture(capture) => 1 + parts_of(&capture.sub),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min.saturating_add(1));
            parts_of(&repetition.sub).saturating_mul(times.max(1) as usize)
        }
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts
            .iter()
            .fold(1, |sum: usize, part| sum.saturating_add(parts_of(part))),
    }
}

/// Texts of which every match of the pattern holds at least one, in ASCII lower case.
fn texts_of(hir: &Hir) -> Option<Vec<Vec<u8>>> {
    match hir.kind() {
        HirKind::Literal(literal) => long_enough(literal.0.to_ascii_lowercase()),
        HirKind::Capture(capture) => texts_of(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => texts_of(&repetition.sub),
        HirKind::Alternation(branches) => {
            let mut all = Vec::new();
            for branch in branches {
                all.extend(texts_of(branch)?);
            }
            Some(all)
        }
        HirKind::Concat(parts) => best_of_concat(parts),
        _ => None,
    }
}

/// Texts that most URLs hold: of little use to tell those that a pattern may match.
const COMMON: &[&[u8]] = &[
    b"https://",
    b"http://",
    b"http",
    b"://",
    b"www.",
    b".com/",
    b".com",
    b".org/",
    b".org",
    b".net/",
    b".html",
    b".htm",
    b".php",
    b"index",
    b"news",
];

/// How well a text tells URLs apart: its length, but little for a text that most URLs hold.
fn weight(text: &[u8]) -> usize {
    if COMMON.contains(&text) {
        1
    } else {
        text.len()
    }
}

/// Of the runs of fixed text in a sequence and the parts that bring texts of their own, the one whose
/// worst text tells most.
fn best_of_concat(parts: &[Hir]) -> Option<Vec<Vec<u8>>> {
    let mut best: Option<Vec<Vec<u8>>> = None;
    let mut offer = |texts: Option<Vec<Vec<u8>>>| {
        let worst = |texts: &[Vec<u8>]| texts.iter().map(|text| weight(text)).min();
        if let Some(texts) = texts
            && best.as_ref().is_none_or(|b| worst(b) < worst(&texts))
        {
            best = Some(texts);
        }
    };
    let mut run = Vec::new();
    for part in parts {
        if !append_fixed(part, &mut run) {
            offer(long_enough(std::mem::take(&mut run)));
            offer(texts_of(part));
        }
    }
    offer(long_enough(run));
    best
}

/// Appends a part that is one text but for the case of its letters; `false` for all other parts.
fn append_fixed(part: &Hir, run: &mut Vec<u8>) -> bool {
    match part.kind() {
        HirKind::Literal(literal) => run.extend(literal.0.to_ascii_lowercase()),
        HirKind::Class(class) => match letter_in_both_cases(class) {
            Some(letter) => run.push(letter),
            None => return false,
        },
        HirKind::Look(_) | HirKind::Empty => {}
        _ => return false,
    }
    true
}

fn letter_in_both_cases(class: &Class) -> Option<u8> {
    let Class::Bytes(bytes) = class else {
        return None;
    };
    match bytes.ranges() {
        [upper, lower]
            if upper.start() == upper.end()
                && lower.start() == lower.end()
                && upper.start().is_ascii_uppercase()
                && upper.start().to_ascii_lowercase() == lower.start() =>
        {
            Some(lower.start())
        }
        _ => None,
    }
}

fn long_enough(text: Vec<u8>) -> Option<Vec<Vec<u8>>> {
    (text.len() >= MIN_LITERAL).then(|| vec![text])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn mandatory_texts_survive_groups_cases_and_alternatives() {
        let texts = |pattern: &str| {
            texts_of(&parse(pattern).unwrap()).map(|texts| {
                texts
                    .into_iter()
                    .map(|t| String::from_utf8(t).unwrap())
                    .collect::<Vec<_>>()
            })
        };
        assert_eq!(
            texts("(?i)/calendar/[0-9]+"),
            Some(vec!["/calendar/".into()])
        );
        assert_eq!(
            texts("(foo|ba[rz]+qux)x"),
            Some(vec!["foo".into(), "qux".into()])
        );
        assert_eq!(texts("a?b*[0-9]"), None);
        assert_eq!(texts("(abc)?"), None);
        assert_eq!(texts("(abc)+"), Some(vec!["abc".into()]));
    }

    #[test]
    fn a_pattern_without_mandatory_text_runs_always() {
        let set = PatternSet::new(&["[0-9]{4}$", "login"]).unwrap();
        assert_eq!(set.always_run(), 1);
        assert_eq!(set.first_match("http://e.org/2011"), Some(0));
        assert_eq!(set.first_match("http://e.org/login"), Some(1));
        assert_eq!(set.first_match("http://e.org/login/2011"), Some(0));
        assert_eq!(set.first_match("http://e.org/"), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn the_prefilter_never_hides_a_match(
            pattern in "(\\(\\?i\\))?[abc]{1,4}[.?*+|]?[abcABC]{0,4}(\\[ab\\])?[abc]{0,3}",
            text in "[abcABC]{0,12}",
        ) {
            if let Ok(regex) = regex::bytes::RegexBuilder::new(&pattern).unicode(false).build() {
                let set = PatternSet::new(&[&pattern]).unwrap();
                prop_assert_eq!(set.first_match(&text).is_some(), regex.is_match(text.as_bytes()));
            }
        }
    }
}
