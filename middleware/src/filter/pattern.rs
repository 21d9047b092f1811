//! Matches one text against many patterns without running each.
//!
//! One search looks for the texts that the patterns cannot match without. Only the patterns whose text occurs are run,
//! and each is compiled when that first happens. A pattern without such a text is recognised when the set is built and
//! always run: it costs more, but is never missed.

use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};
use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use regex_syntax::{
    ParserBuilder,
    hir::{Class, Hir, HirKind},
};
use rustc_hash::FxHashMap;

/// Shorter texts occur nearly everywhere and would let everything through.
const MIN_LITERAL: usize = 4;
/// Compiled size of a set, in bytes; larger sets are refused rather than slow.
const SIZE_LIMIT: usize = 256 << 20;
/// Parts of a pattern, repetitions counted out, up to which it surely compiles within the limit of one.
const SURELY_COMPILES: usize = 2000;
/// Texts that one pattern may bring, and octets of a class that is spelled out in them.
const MOST_TEXTS: usize = 64;
const MOST_OCTETS: usize = 4;
/// Texts beyond this many have too many grams: an automaton takes their place.
const MOST_GRAMS: usize = 1024;
/// Longest text, in bytes, that is put into lower case without memory of its own.
const ON_STACK: usize = 256;

/// A set of patterns that tells which of them, in their order, is the first to match.
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
    all: Vec<Vec<u8>>,
    /// For each text, the guarded pattern that it belongs to.
    owners: Vec<usize>,
    /// Finds some hundred texts.
    grams: Option<Grams>,
    /// Finds more.
    automaton: Option<AhoCorasick>,
}

impl Texts {
    fn new(all: Vec<Vec<u8>>, owners: Vec<usize>) -> Result<Self, regex::Error> {
        let few = all.len() <= MOST_GRAMS;
        let automaton = (!few)
            .then(|| AhoCorasickBuilder::new().build(&all))
            .transpose()
            .map_err(|e| regex::Error::Syntax(e.to_string()))?;
        Ok(Self {
            grams: few.then(|| Grams::of(&all)),
            all,
            owners,
            automaton,
        })
    }

    /// The guarded patterns, in their order, of which a text occurs in `lower`.
    fn candidates(&self, lower: &[u8]) -> Vec<usize> {
        let mut found = Vec::new();
        if let Some(grams) = &self.grams {
            grams.each_text_in(lower, &self.all, |text| found.push(self.owners[text]));
        } else if let Some(automaton) = &self.automaton {
            let matches = automaton.find_overlapping_iter(lower);
            found.extend(matches.map(|m| self.owners[m.pattern().as_usize()]));
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Four octets of each text, the least common of it: where none of them occurs, no text does. One
/// look-up in a small table per octet, which for some hundred texts is several times faster than an
/// automaton whose states do not stay in the cache.
#[derive(Debug)]
struct Grams {
    /// Bit `n` is set when a gram of that hash is wanted.
    bits: Box<[u64; GRAM_BITS / 64]>,
    /// For each gram, the texts that it was taken from, and where in them it stands.
    texts: FxHashMap<u32, Vec<(usize, usize)>>,
}

const GRAM_BITS: usize = 1 << 16;

impl Grams {
    fn of(texts: &[Vec<u8>]) -> Self {
        let mut this = Self {
            bits: Box::new([0; GRAM_BITS / 64]),
            texts: FxHashMap::default(),
        };
        for (number, text) in texts.iter().enumerate() {
            let rarest = grams_of(text)
                .enumerate()
                .min_by_key(|(_, gram)| commonness(*gram));
            if let Some((offset, gram)) = rarest {
                let bit = Self::bit(gram);
                this.bits[bit / 64] |= 1 << (bit % 64);
                this.texts.entry(gram).or_default().push((number, offset));
            }
        }
        this
    }

    /// Calls `found` with the number of each text that occurs in `lower`, once per place.
    fn each_text_in(&self, lower: &[u8], texts: &[Vec<u8>], mut found: impl FnMut(usize)) {
        for (at, gram) in grams_of(lower).enumerate() {
            let bit = Self::bit(gram);
            if self.bits[bit / 64] & (1 << (bit % 64)) == 0 {
                continue;
            }
            for &(number, offset) in self.texts.get(&gram).into_iter().flatten() {
                let begins = at.checked_sub(offset).and_then(|start| lower.get(start..));
                if begins.is_some_and(|rest| rest.starts_with(&texts[number])) {
                    found(number);
                }
            }
        }
    }

    const fn bit(gram: u32) -> usize {
        (gram.wrapping_mul(0x9e37_79b1) >> 16) as usize
    }
}

fn grams_of(text: &[u8]) -> impl Iterator<Item = u32> + '_ {
    text.windows(MIN_LITERAL)
        .map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]))
}

/// How often four octets may be met in URLs, by their letters; only the order matters.
fn commonness(gram: u32) -> u32 {
    gram.to_le_bytes()
        .iter()
        .map(|octet| match octet {
            b'/' | b'.' | b'-' | b'w' | b't' | b'p' | b'e' | b'a' | b'o' | b'i' | b's' => 4,
            b'c' | b'm' | b'n' | b'r' | b'h' | b'l' | b'd' | b'=' | b'?' | b'&' => 3,
            b'u' | b'g' | b'b' | b'y' | b'f' | b'v' | b'k' | b'0'..=b'9' => 2,
            _ => 1,
        })
        .sum()
}

impl PatternSet {
    /// Compiles patterns in the `regex` crate's syntax. They are matched against the octets of a parsed URL, so classes
    /// such as `\w` are ASCII.
    ///
    /// # Errors
    /// If a pattern cannot be parsed, or is too large.
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

    /// The index of the first pattern, in the order given, that matches.
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

    /// The number of patterns that have no mandatory text and are run on every URL.
    pub fn always_run(&self) -> usize {
        self.always.as_ref().map_or(0, |(_, places)| places.len())
    }
}

fn compile_one(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern)
        .unicode(false)
        .size_limit(SIZE_LIMIT)
        .build()
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
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(Class::Bytes(_)) => 1,
        HirKind::Class(Class::Unicode(class)) => 4 * class.ranges().len(),
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
    if let Some(all) = exact_texts(hir) {
        return long_enough(all);
    }
    match hir.kind() {
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

/// All texts that a part matches, in lower case, if they are few.
fn exact_texts(hir: &Hir) -> Option<Vec<Vec<u8>>> {
    let texts = match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => vec![Vec::new()],
        HirKind::Literal(literal) => vec![literal.0.to_ascii_lowercase()],
        HirKind::Class(class) => single_octets(class)?,
        HirKind::Capture(capture) => exact_texts(&capture.sub)?,
        HirKind::Repetition(repetition) if repetition.min == 0 && repetition.max == Some(1) => {
            let mut texts = exact_texts(&repetition.sub)?;
            texts.push(Vec::new());
            texts
        }
        HirKind::Repetition(_) => return None,
        HirKind::Alternation(branches) => {
            let mut all = Vec::new();
            for branch in branches {
                all.extend(exact_texts(branch)?);
            }
            all
        }
        HirKind::Concat(parts) => {
            let mut all = vec![Vec::new()];
            for part in parts {
                all = joined(&all, &exact_texts(part)?)?;
            }
            all
        }
    };
    (texts.len() <= MOST_TEXTS).then_some(texts)
}

/// Each of `heads` followed by each of `tails`, if that is not too much.
fn joined(heads: &[Vec<u8>], tails: &[Vec<u8>]) -> Option<Vec<Vec<u8>>> {
    (heads.len() * tails.len() <= MOST_TEXTS).then(|| {
        heads
            .iter()
            .flat_map(|head| tails.iter().map(move |tail| [&**head, &**tail].concat()))
            .collect()
    })
}

/// The octets of a class, letter case aside, if they are few.
fn single_octets(class: &Class) -> Option<Vec<Vec<u8>>> {
    let Class::Bytes(bytes) = class else {
        return None;
    };
    let mut octets: Vec<u8> = Vec::new();
    for range in bytes.ranges() {
        for octet in range.start()..=range.end() {
            let lower = octet.to_ascii_lowercase();
            if !octets.contains(&lower) {
                octets.push(lower);
            }
            if octets.len() > MOST_OCTETS {
                return None;
            }
        }
    }
    Some(octets.into_iter().map(|octet| vec![octet]).collect())
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

/// Of the runs of fixed texts in a sequence and the parts that bring texts of their own, those whose
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
    let mut run = vec![Vec::new()];
    for part in parts {
        let exact = exact_texts(part);
        if let Some(longer) = exact.as_deref().and_then(|texts| joined(&run, texts)) {
            run = longer;
            continue;
        }
        offer(long_enough(run));
        run = exact.unwrap_or_else(|| {
            offer(texts_of(part));
            vec![Vec::new()]
        });
    }
    offer(long_enough(run));
    best
}

fn long_enough(texts: Vec<Vec<u8>>) -> Option<Vec<Vec<u8>>> {
    texts
        .iter()
        .all(|text| text.len() >= MIN_LITERAL)
        .then_some(texts)
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
            texts("(?i://ad\\.|//ads\\.)"),
            Some(vec!["//ad.".into(), "//ads.".into()])
        );
        assert_eq!(
            texts("[/-]porno?\\b"),
            Some(vec![
                "-porno".into(),
                "-porn".into(),
                "/porno".into(),
                "/porn".into()
            ])
        );
        assert_eq!(
            texts("(?i)/calendar/[0-9]+"),
            Some(vec!["/calendar/".into()])
        );
        assert_eq!(
            texts("(fool|ba[rz]+quux)x"),
            Some(vec!["fool".into(), "quux".into()])
        );
        assert_eq!(texts("a?b*[0-9]"), None);
        assert_eq!(texts("(abcd)?"), None);
        assert_eq!(texts("(abc)+"), None);
        assert_eq!(texts("(abcd)+"), Some(vec!["abcd".into()]));
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
            pattern in "(\\(\\?i\\))?[abc]{1,6}[.?*+|]?[abcABC]{0,6}(\\[ab\\])?[abc]{0,5}",
            text in "[abcABC]{0,20}",
        ) {
            if let Ok(regex) = regex::bytes::RegexBuilder::new(&pattern).unicode(false).build() {
                let set = PatternSet::new(&[&pattern]).unwrap();
                prop_assert_eq!(set.first_match(&text).is_some(), regex.is_match(text.as_bytes()));
            }
        }
    }
}
