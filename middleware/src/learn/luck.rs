//! Tells whether a part of a rule may have been right by luck.
//!
//! If languages change one page in five, they change none of the ten pages of one folder in one case of ten, and of twenty folders two look as if
//! languages meant nothing there. So a rule that was narrowed answers for the *whole* that it was cut from: the rule with the same edits wherever it
//! can act. Had the failures of the whole fallen anywhere by chance, so few would have fallen into the part with the probability that the
//! hypergeometric distribution gives (Fisher's exact test, one-sided).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::{deed::Deed, explain::Unexplained, sinks::is_of_sink, table::Table};
use crate::rules::{Condition, Edit, Key, Rule, digit_shape};

/// The probability of so few failures by chance from which on a part is not believed. Many parts of a whole are tried.
pub(super) const LUCK: f64 = 0.05;

/// Whole rules that were tried on a table, with what is left of them when failures that a condition explains are taken out.
#[derive(Debug)]
pub(super) struct Wholes {
    known: Mutex<FxHashMap<Rule, Arc<Whole>>>,
    /// A part of what fails no more often needs no luck.
    fpr_max: f64,
}

/// What a whole does.
#[derive(Debug)]
struct Whole {
    trials: Tried,
    failures_fall: Option<Unexplained>,
}

impl Whole {
    fn of(table: &Table<'_>, rule: &Rule, names: &[Box<str>]) -> Self {
        let deed = table.try_rule(rule);
        Self {
            trials: Tried {
                all: deed.trials,
                failing: deed.failures,
            },
            failures_fall: (deed.failures > 0).then(|| Unexplained::of(table, rule, &deed, names)),
        }
    }
}

impl Wholes {
    /// Of rules that may fail so often.
    pub(super) fn new(fpr_max: f64) -> Self {
        Self {
            known: Mutex::default(),
            fpr_max,
        }
    }

    /// Whether a rule that did this may be right by luck alone, as a part of a rule that is often wrong.
    pub(super) fn may_be_luck(
        &self,
        table: &Table<'_>,
        names: &[Box<str>],
        rule: &Rule,
        deed: &Deed,
    ) -> bool {
        let whole = whole_of(rule);
        // A sink is one page, and what shows it are its URLs.
        if whole == *rule || is_of_sink(rule, deed) {
            return false;
        }
        let known = self.answers().get(&whole).map(Arc::clone);
        let known = known.unwrap_or_else(|| {
            let known = Arc::new(Whole::of(table, &whole, names));
            self.answers().insert(whole, Arc::clone(&known));
            known
        });
        let Some(failures) = &known.failures_fall else {
            return false;
        };
        let (part, rest, groups) = failures.part(table, &rule.pattern);
        // Where most of the part was taken out itself, all that the whole did is what it is to be held against.
        let is_taken_out = groups as f64 * failures.scale() * 2.0 < deed.trials as f64;
        let (part, all) = if is_taken_out {
            let part = Tried {
                all: deed.trials,
                failing: deed.failures,
            };
            (part, known.trials)
        } else {
            (part, rest)
        };
        !all.fails_at_most(self.fpr_max) && part.may_be_luck(all)
    }

    fn answers(&self) -> MutexGuard<'_, FxHashMap<Rule, Arc<Whole>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Trials, and how many of them failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tried {
    pub(super) all: u64,
    pub(super) failing: u64,
}

impl Tried {
    fn fails_at_most(self, share: f64) -> bool {
        self.failing as f64 <= share * self.all as f64
    }

    /// Whether so few failures here, where so many of `whole` fail, are no surprise, given how many parts of that size there are.
    fn may_be_luck(self, whole: Self) -> bool {
        let parts = whole.all.max(self.all) as f64 / self.all.max(1) as f64;
        whole.failing > self.failing && self.ln_of_at_most(whole) + parts.ln() >= LUCK.ln()
    }

    /// The natural logarithm of the probability that of so many trials so few or fewer fail by chance, if they are drawn from `whole`: at most 0.
    pub(super) fn ln_of_at_most(self, whole: Self) -> f64 {
        let (trials, failures) = (self.all, self.failing);
        let failing = whole.failing.max(failures);
        let all = whole.all.max(trials + (failing - failures));
        let rest = all - trials;
        if failures >= failing.min(trials) {
            return 0.0;
        }
        // The fewest failures that the part can have, and their probability: all others fall into the rest, or the rest holds nothing but failures.
        let fewest = failing.saturating_sub(rest);
        let (drawn, few) = match () {
            () if fewest > 0 => (rest, failing),
            () if failing < trials => (failing, rest),
            () => (trials, all - failing),
        };
        let mut term: f64 = (0..drawn)
            .map(|i| ((few - i) as f64 / (all - i) as f64).ln())
            .sum();
        let mut sum = term;
        for k in fewest..failures {
            let ratio = (failing - k) as f64 * (trials - k) as f64
                / ((k + 1) as f64 * (rest + k + 1 - failing) as f64);
            term += ratio.ln();
            // ln(e^sum + e^term)
            let (less, more) = (sum.min(term), sum.max(term));
            sum = more + (less - more).exp().ln_1p();
        }
        sum.min(0.0)
    }
}

/// Whether the rule asks for nothing but what its edits need.
pub(super) fn is_whole(rule: &Rule) -> bool {
    whole_of(rule) == *rule
}

/// The rule with these edits wherever they can be made. Of one that takes a number for another (`v1` for `v4`) the one that takes all numbers there for
/// one.
pub(super) fn whole_of(rule: &Rule) -> Rule {
    let shapes: Vec<(&Key, String)> = rule
        .edits
        .iter()
        .filter_map(|edit| numbered(rule, edit))
        .collect();
    let shape_of = |key: &Key| shapes.iter().find(|(own, _)| *own == key);
    let edits = rule.edits.iter().map(|edit| match edit {
        Edit::Set(key, _) if shape_of(key).is_some() => Edit::Mask(key.clone()),
        _ => edit.clone(),
    });
    let conditions = rule.pattern.0.iter().filter_map(|condition| {
        if let Condition::Is(key, _) = condition
            && let Some((key, shape)) = shape_of(key)
        {
            return Some(Condition::Like((*key).clone(), shape.as_str().into()));
        }
        let key = match condition {
            Condition::Is(key, _)
            | Condition::Maybe(key, _)
            | Condition::Has(key)
            | Condition::No(key)
            | Condition::Like(key, _)
            | Condition::Starts(key, _) => key,
            Condition::Same(..) | Condition::Only(_) => return Some(condition.clone()),
        };
        match key {
            Key::Query(_) | Key::PathParam(_) => {
                let edits = rule.edits.iter().filter_map(|edit| is_about(edit, key));
                Some(if edits.max()? {
                    condition.clone()
                } else {
                    Condition::Has(key.clone())
                })
            }
            Key::Len => rule
                .edits
                .iter()
                .any(is_by_place)
                .then(|| condition.clone()),
            _ => rule
                .edits
                .iter()
                .any(|edit| is_about(edit, key).is_some())
                .then(|| condition.clone()),
        }
    });
    Rule::new(conditions.collect(), edits.collect())
}

/// The part that the edit gives another number, and the shape of its value with either.
fn numbered<'r>(rule: &'r Rule, edit: &'r Edit) -> Option<(&'r Key, String)> {
    let Edit::Set(key @ (Key::Seg(_) | Key::Tail(_) | Key::Query(_)), new) = edit else {
        return None;
    };
    let old = rule
        .pattern
        .0
        .iter()
        .find_map(|condition| match condition {
            Condition::Is(own, old) if own == key => Some(old),
            _ => None,
        })?;
    let shape = digit_shape(old)?;
    (digit_shape(new).as_ref() == Some(&shape)).then_some((key, shape))
}

/// If the edit is about the part: whether what it makes of it depends on what it is.
fn is_about(edit: &Edit, key: &Key) -> Option<bool> {
    let is_meant = edit.source() == Some(key) || edit.target() == Some(key);
    is_meant.then_some(!matches!(edit, Edit::Drop(_) | Edit::Mask(_)))
}

/// Whether the edit takes whatever stands at a place of the path, which depends on how long the path is.
const fn is_by_place(edit: &Edit) -> bool {
    match edit {
        Edit::LowerPath => true,
        Edit::Drop(key)
        | Edit::Mask(key)
        | Edit::MaskDigits(key, _)
        | Edit::MaskPiece(key, ..)
        | Edit::SortItems(key, _)
        | Edit::Move(key, _)
        | Edit::Copy(key, _) => matches!(key, Key::Seg(_) | Key::Tail(_) | Key::Rest(_)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use xxhash_rust::xxh3::xxh3_64;

    use super::{Tried, Wholes, whole_of};
    use crate::{
        learn::{Options, Sample, learn, table::Table},
        rules::Rule,
    };

    /// The same by counting all ways to draw.
    fn by_counting(part: Tried, whole: Tried) -> f64 {
        let ways = |n: u64, k: u64| -> f64 {
            if k > n {
                0.0
            } else {
                (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product()
            }
        };
        let of = |k| ways(whole.failing, k) * ways(whole.all - whole.failing, part.all - k);
        (0..=part.failing.min(part.all)).map(of).sum::<f64>() / ways(whole.all, part.all)
    }

    proptest! {
        #[test]
        fn the_probability_is_that_of_all_ways_to_draw(
            all in 1u64..30, failing in 0u64..30, trials in 1u64..30, failures in 0u64..30
        ) {
            let whole = Tried { all, failing: failing.min(all) };
            let trials = trials.min(all);
            let fewest = whole.failing.saturating_sub(all - trials);
            let part = Tried { all: trials, failing: failures.clamp(fewest, trials.min(whole.failing).max(fewest)) };
            let expected = by_counting(part, whole);
            prop_assert!((part.ln_of_at_most(whole).exp() - expected).abs() < 1e-9, "{:?} {:?}", part, whole);
        }
    }

    #[test]
    fn large_numbers_are_probabilities_too() {
        for ((trials, failures), (all, failing)) in [
            ((600, 300), (1_200, 600)),
            ((6_000, 180), (7_900, 1_035)),
            ((40_000, 160), (42_000, 1_000)),
        ] {
            let part = Tried {
                all: trials,
                failing: failures,
            };
            let ln = part.ln_of_at_most(Tried { all, failing });
            assert!(ln.is_finite() && ln <= 0.0, "{part:?}: {ln}");
        }
        let half = Tried {
            all: 600,
            failing: 300,
        };
        assert!(
            half.ln_of_at_most(Tried {
                all: 1_200,
                failing: 600
            }) > -1.0
        );
    }

    #[test]
    fn the_whole_of_a_rule_has_its_edits_wherever_they_can_be_made() {
        for (rule, whole) in [
            (
                "is:seg.0=docs is:query.lang=nl => drop:query.lang",
                "has:query.lang => drop:query.lang",
            ),
            (
                "is:host=e.org is:len=2 is:seg.0=a => mask:seg.1",
                "is:len=2 => mask:seg.1",
            ),
            (
                "is:len=4 is:seg.1=latest => set:seg.1=v",
                "is:seg.1=latest => set:seg.1=v",
            ),
            (
                "is:len=4 is:seg.1=v5 => set:seg.1=v4",
                "like:seg.1=v# => mask:seg.1",
            ),
            ("=> sort", "=> sort"),
        ] {
            let [rule, whole] = [rule, whole].map(|rule| rule.parse::<Rule>().unwrap());
            assert_eq!(whole_of(&rule), whole, "{rule}");
        }
    }

    /// Items of so many folders in two languages each; `differs` says which items are translated.
    fn items(folders: u64, differs: impl Fn(u64, u64) -> bool) -> Vec<Sample> {
        let items = (0..folders).flat_map(|folder| (0..12).map(move |n| (folder, n)));
        let of = |(folder, n): (u64, u64)| {
            let languages = ["de", "en", "fr"];
            languages.map(|language| {
                let translated = if differs(folder, n) { language } else { "" };
                Sample::new(
                    format!("http://e.org/f{folder}/item?id={n}&lang={language}"),
                    &format!("item {folder} {n} {translated}"),
                )
            })
        };
        items.flat_map(of).collect()
    }

    /// The rules that leave the language out.
    fn about_language(samples: &[Sample]) -> usize {
        let rules = learn(samples, &Options::default()).rules;
        rules
            .iter()
            .filter(|entry| entry.rule.to_string().contains("lang"))
            .count()
    }

    #[test]
    fn folders_in_which_a_rule_happened_to_be_right_are_not_believed() {
        let by_chance = |folder: u64, n: u64| xxh3_64(&[folder as u8, n as u8]).is_multiple_of(5);
        assert_eq!(about_language(&items(30, by_chance)), 0);
        // That it is always wrong elsewhere says nothing of those.
        let or_always = |folder: u64, n: u64| folder >= 30 || by_chance(folder, n);
        assert_eq!(about_language(&items(40, or_always)), 0);
    }

    #[test]
    fn folders_beside_one_in_which_a_rule_is_always_wrong_are_believed() {
        let samples = items(8, |folder, _| folder == 5);
        let rules = learn(&samples, &Options::default()).compile();
        let class = |folder: u64, language: &str| {
            let url = format!("http://e.org/f{folder}/item?id=900&lang={language}");
            rules.canon(&url).map_or(url, |canon| canon.class)
        };
        for folder in 0..8 {
            assert_eq!(
                class(folder, "de") == class(folder, "fr"),
                folder != 5,
                "{folder}"
            );
        }
    }

    #[test]
    fn a_part_of_what_hardly_ever_fails_needs_no_luck() {
        let of_folder: Rule = "is:seg.0=f3 has:query.lang => drop:query.lang"
            .parse()
            .unwrap();
        let may_be_luck = |wrong: u64| {
            let samples = items(20, |folder, n| folder >= 20 - wrong && n == folder % 12);
            let table = Table::new(&samples, 20);
            let deed = table.try_rule(&of_folder);
            Wholes::new(0.01).may_be_luck(&table, &[], &of_folder, &deed)
        };
        assert_eq!([1, 2, 3].map(may_be_luck), [false, false, true]);
    }
}
