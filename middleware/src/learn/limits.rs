//! Limits a rule about places of the path to what its trials had in common.
//!
//! That titles behind the number of a question do not matter (`/questions/17/why`) says nothing of `/questions/tagged/rust`, which may be met later. A
//! rule that takes whatever stands at a place asks for the length of the path, for numbers, and for folders that all URLs have which showed it.

use std::collections::BTreeSet;

use super::{classes::respelling, deed::Deed, table::Table};
use crate::rules::{Condition, Edit, Key, Parts, Rule};

/// Segments that are looked at.
const SEGMENTS: u8 = 8;

/// The part of the path that the edit takes whatever it is.
fn taken(edit: &Edit) -> Option<&Key> {
    match edit {
        Edit::Mask(key @ (Key::Seg(_) | Key::Tail(_)))
        | Edit::Drop(key @ Key::Seg(_))
        | Edit::MaskPiece(key @ (Key::Seg(_) | Key::Tail(_)), ..) => Some(key),
        _ => None,
    }
}

/// Whether the rule takes something whatever it is.
fn takes_any(rule: &Rule) -> bool {
    let is_told = |key: &Key| {
        (rule.pattern.0.iter())
            .any(|condition| matches!(condition, Condition::Is(own, _) if own == key))
    };
    rule.edits.iter().filter_map(taken).any(|key| !is_told(key))
}

/// The rule with what all URLs had that showed it right.
pub(super) fn limited(table: &Table<'_>, rule: Rule, deed: &Deed) -> Rule {
    if !takes_any(&rule) {
        return rule;
    }
    let mut common: Option<Vec<Condition>> = None;
    let mut spare = Parts::none();
    for at in deed
        .groups
        .iter()
        .filter(|group| table.is_pure(group))
        .flatten()
    {
        let parts = table.parts(*at, &mut spare);
        if !rule.pattern.matches(parts) {
            continue;
        }
        match &mut common {
            None => common = Some(limits(parts)),
            Some(common) => common.retain(|condition| condition.holds(parts)),
        }
        if common.as_ref().is_some_and(Vec::is_empty) {
            break;
        }
    }
    let is_edited = |key: &Key| rule.edits.iter().filter_map(taken).any(|own| own == key);
    let is_told = |key: &Key| {
        (rule.pattern.0.iter())
            .any(|condition| matches!(condition, Condition::Is(own, _) | Condition::Like(own, _) if own == key))
    };
    let more = common
        .unwrap_or_default()
        .into_iter()
        .filter(|condition| match condition {
            Condition::Is(key, _) | Condition::Like(key, _) => !is_edited(key) && !is_told(key),
            _ => false,
        });
    rule.narrowed(more.collect::<Vec<_>>())
}

/// What may be said of a URL's path that others have, too.
fn limits(parts: &Parts<'_>) -> Vec<Condition> {
    let mut limits = vec![Condition::Is(Key::Len, parts.segs.len().to_string().into())];
    limits.extend((0..SEGMENTS).zip(&parts.segs).map(|(at, segment)| {
        if !segment.is_empty() && segment.bytes().all(|octet| octet.is_ascii_digit()) {
            Condition::Like(Key::Seg(at), "#".into())
        } else {
            Condition::Is(Key::Seg(at), (&**segment).into())
        }
    }));
    limits
}

/// Whether a rule that takes whole segments was shown mostly by names that stay the same: of `lake.html` and `lake_large.html` only what stands around
/// the name may be said not to matter.
pub(super) fn takes_names(table: &Table<'_>, rule: &Rule, deed: &Deed) -> bool {
    let masks = rule.edits.iter().filter_map(|edit| match edit {
        Edit::Mask(key @ (Key::Seg(_) | Key::Tail(_))) => Some(key),
        _ => None,
    });
    let (mut first, mut second) = (Parts::none(), Parts::none());
    for key in masks {
        let (mut trials, mut respelled) = (0, 0);
        let mut ways = BTreeSet::new();
        for group in deed.groups.iter().filter(|group| table.is_pure(group)) {
            let Some(one) = table.parts(group[0], &mut first).get(key) else {
                continue;
            };
            let other = group[1..].iter().find_map(|at| {
                let other = table.parts(*at, &mut second).get(key)?;
                (other != one).then(|| other.into_owned())
            });
            let Some(other) = other else { continue };
            trials += 1;
            if one.eq_ignore_ascii_case(&other) {
                respelled += 1;
            } else if let Some(way) = respelling(&one, &other) {
                respelled += 1;
                ways.insert(way);
            }
        }
        if respelled * 2 > trials && ways.len() * 2 <= trials {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use crate::learn::{Options, Sample, learn};

    fn class(samples: &[Sample], url: &str) -> String {
        let canon = learn(samples, &Options::default()).compile().canon(url);
        canon.map_or_else(|| url.to_owned(), |canon| canon.class)
    }

    #[test]
    fn titles_behind_numbers_say_nothing_of_names_behind_words() {
        let samples: Vec<Sample> = (0..40)
            .flat_map(|n| {
                ["w{n}y", "h{n}", "{n}o"].map(|title| {
                    let title = title.replace("{n}", &n.to_string());
                    let url = format!("http://e.org/questions/{n}/{title}");
                    Sample::new(url, &format!("question {n}"))
                })
            })
            .collect();
        let number = |title: &str| class(&samples, &format!("http://e.org/questions/900/{title}"));
        assert_eq!(number("a"), number("b"));
        let word = |tag: &str| class(&samples, &format!("http://e.org/questions/tagged/{tag}"));
        assert_ne!(word("a"), word("b"));
    }

    #[test]
    fn what_stands_around_a_name_speaks_for_no_other_name() {
        let samples: Vec<Sample> = (0..40)
            .flat_map(|n| {
                ["", "_large", "_print"].map(|size| {
                    Sample::new(
                        format!("http://e.org/day{n}/lake{n}{size}.html"),
                        &format!("lake {n}"),
                    )
                })
            })
            .collect();
        let of = |name: &str| class(&samples, &format!("http://e.org/day900/{name}.html"));
        assert_eq!(of("hill_large"), of("hill"));
        assert_ne!(of("hill"), of("wood"));
    }
}
