//! Does one of many patterns match, without asking each?
//!
//! One Aho-Corasick automaton looks for the texts that the patterns cannot match without; only where one
//! of them occurs is the set of patterns run. A pattern without such a text is found out when the set is
//! built and runs always, so no pattern is ever missed, it only costs more.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};
use regex::bytes::{RegexSet, RegexSetBuilder};
use regex_syntax::{
    ParserBuilder,
    hir::{Class, Hir, HirKind},
};

/// Shorter texts occur nearly everywhere and would let everything through.
const MIN_LITERAL: usize = 3;
/// Compiled size of a set, in bytes; larger sets are refused rather than slow.
const SIZE_LIMIT: usize = 256 << 20;

/// Patterns with one question: which of you, if any, matches first in your order?
#[derive(Debug, Default)]
pub struct PatternSet {
    literals: Option<AhoCorasick>,
    /// Patterns that have a mandatory text, and their places in the order of the whole set.
    guarded: Option<(RegexSet, Vec<usize>)>,
    /// Patterns that have none.
    always: Option<(RegexSet, Vec<usize>)>,
}

impl PatternSet {
    /// Compiles patterns of the `regex` crate's syntax. They are matched against the octets of a parsed
    /// URL, so classes such as `\w` are ASCII.
    ///
    /// # Errors
    /// When a pattern cannot be parsed, or the set is too large.
    pub fn new<P: AsRef<str>>(patterns: &[P]) -> Result<Self, regex::Error> {
        let mut literals = Vec::new();
        let (mut guarded, mut always) = ((Vec::new(), Vec::new()), (Vec::new(), Vec::new()));
        for (place, pattern) in patterns.iter().enumerate() {
            let pattern = pattern.as_ref();
            let group = match mandatory_texts(pattern) {
                Some(texts) => {
                    literals.extend(texts);
                    &mut guarded
                }
                None => &mut always,
            };
            group.0.push(pattern);
            group.1.push(place);
        }
        let literals = (!literals.is_empty())
            .then(|| {
                AhoCorasickBuilder::new()
                    .ascii_case_insensitive(true)
                    .build(&literals)
                    .map_err(|e| regex::Error::Syntax(e.to_string()))
            })
            .transpose()?;
        Ok(Self {
            literals,
            guarded: compile(guarded)?,
            always: compile(always)?,
        })
    }

    /// Place of the first pattern, in the order they were given, that matches.
    pub fn first_match(&self, text: &str) -> Option<usize> {
        let first = |set: &Option<(RegexSet, Vec<usize>)>| {
            let (set, places) = set.as_ref()?;
            set.matches(text.as_bytes())
                .iter()
                .next()
                .map(|i| places[i])
        };
        let guarded = match &self.literals {
            Some(literals) if literals.is_match(text) => first(&self.guarded),
            _ => None,
        };
        match (guarded, first(&self.always)) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// How many patterns have no mandatory text and run over every URL.
    pub fn always_run(&self) -> usize {
        self.always.as_ref().map_or(0, |(_, places)| places.len())
    }
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

/// Texts of which every match of the pattern holds at least one, in ASCII lower case.
fn mandatory_texts(pattern: &str) -> Option<Vec<Vec<u8>>> {
    let hir = ParserBuilder::new()
        .unicode(false)
        .utf8(false)
        .build()
        .parse(pattern)
        .ok()?;
    texts_of(&hir)
}

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
            mandatory_texts(pattern).map(|texts| {
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
