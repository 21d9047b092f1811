//! Tells whether a part of a rule may have been right by luck.
//!
//! If languages change one page in five, they change none of the ten pages of one folder in one case of ten, and of twenty folders two look as if
//! languages meant nothing there. So a rule that was narrowed answers for the *whole* that it was cut from: the rule with the same edits wherever it
//! can act. Had the failures of the whole fallen anywhere by chance, so few would have fallen into the part with the probability that the
//! hypergeometric distribution gives (Fisher's exact test, one-sided).

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::{deed::Deed, explain::unexplained, sinks::is_of_sink, table::Table};
use crate::rules::{Condition, Edit, Key, Rule, digit_shape};

/// The probability of so few failures by chance from which on a part is not believed. Many parts of a whole are tried.
pub(super) const LUCK: f64 = 0.05;

/// Whole rules that were tried on a table.
#[derive(Debug, Default)]
pub(super) struct Wholes(Mutex<FxHashMap<Rule, Whole>>);

/// Trials and failures of a whole.
#[derive(Clone, Copy, Debug)]
struct Whole {
    all: (u64, u64),
    /// Without those that conditions explain, if anybody has asked.
    unexplained: Option<(u64, u64)>,
}

impl Wholes {
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
        if whole == *rule || is_of_sink(rule) {
            return false;
        }
        let part = (deed.trials, deed.failures);
        let mut tried = None;
        let mut known = self.known(&whole).unwrap_or_else(|| {
            let deed = tried.insert(table.try_rule(&whole));
            let known = Whole {
                all: (deed.trials, deed.failures),
                unexplained: None,
            };
            self.know(&whole, known);
            known
        });
        if !is_likely(part, known.all, LUCK) {
            return false;
        }
        let unexplained = known.unexplained.unwrap_or_else(|| {
            let deed = tried.unwrap_or_else(|| table.try_rule(&whole));
            let unexplained = unexplained(table, &whole, &deed, names);
            known.unexplained = Some(unexplained);
            self.know(&whole, known);
            unexplained
        });
        is_likely(part, unexplained, LUCK)
    }

    fn answers(&self) -> MutexGuard<'_, FxHashMap<Rule, Whole>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self, whole: &Rule) -> Option<Whole> {
        self.answers().get(whole).copied()
    }

    fn know(&self, whole: &Rule, known: Whole) {
        self.answers().insert(whole.clone(), known);
    }
}

/// The rule with these edits wherever they can be made. Of one that takes a number for another (`v1` for `v4`) the one that takes all numbers there for
/// one.
fn whole_of(rule: &Rule) -> Rule {
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
                match edits.max()? {
                    false => Some(Condition::Has(key.clone())),
                    true => Some(condition.clone()),
                }
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

/// If the edit changes the part: whether what it makes of it depends on what it is.
fn is_about(edit: &Edit, key: &Key) -> Option<bool> {
    match edit {
        Edit::Sort | Edit::Keep(_) | Edit::LowerPath => None,
        Edit::Drop(own) | Edit::Mask(own) => (own == key).then_some(false),
        Edit::MaskDigits(own, _)
        | Edit::MaskPiece(own, ..)
        | Edit::Lower(own)
        | Edit::Set(own, _)
        | Edit::Unwrap(own, _)
        | Edit::Respell(own, ..)
        | Edit::Unique(own)
        | Edit::First(own)
        | Edit::Wrap(own, _) => (own == key).then_some(true),
        Edit::Move(from, to) | Edit::Copy(from, to) => (from == key || to == key).then_some(true),
    }
}

/// Whether the edit takes whatever stands at a place of the path, which depends on how long the path is.
const fn is_by_place(edit: &Edit) -> bool {
    match edit {
        Edit::LowerPath => true,
        Edit::Drop(key)
        | Edit::Mask(key)
        | Edit::MaskDigits(key, _)
        | Edit::MaskPiece(key, ..)
        | Edit::Move(key, _)
        | Edit::Copy(key, _) => matches!(key, Key::Seg(_) | Key::Tail(_) | Key::Rest(_)),
        _ => false,
    }
}

/// Whether of a part's trials so few or fewer fail by chance with at least this probability, given how many of all fail.
fn is_likely(part: (u64, u64), all: (u64, u64), least: f64) -> bool {
    all.1 > part.1 && ln_of_at_most(part, all) >= least.ln()
}

/// The natural logarithm of the probability that of a part's trials so few or fewer fail by chance, given how many of all trials fail; about that where
/// it is next to nothing.
pub(super) fn ln_of_at_most((trials, failures): (u64, u64), (all, failing): (u64, u64)) -> f64 {
    let failing = failing.max(failures);
    let all = all.max(trials + (failing - failures));
    let rest = all - trials;
    // The fewest failures that the part can have.
    let fewest = failing.saturating_sub(rest);
    if failures >= failing.min(trials) {
        return 0.0;
    }
    if fewest > failures {
        return f64::NEG_INFINITY;
    }
    // That of the fewest: all others fall into the rest, or the rest holds nothing but failures.
    let mut ln = 0.0;
    let (drawn, few) = match () {
        () if fewest > 0 => (rest, failing),
        () if failing < trials => (failing, rest),
        () => (trials, all - failing),
    };
    for i in 0..drawn {
        ln += ((few - i) as f64 / (all - i) as f64).ln();
    }
    let mut sum = 1.0;
    let mut term = 1.0;
    for k in fewest..failures {
        term *= (failing - k) as f64 * (trials - k) as f64
            / ((k + 1) as f64 * (rest + k + 1 - failing) as f64);
        sum += term;
    }
    ln + f64::ln(sum)
}
