//! Limits a rule about places of the path to what its trials had in common.
//!
//! That titles behind the number of a question do not matter (`/questions/17/why`) says nothing of `/questions/tagged/rust`, which may be met later. A
//! rule that takes whatever stands at a place asks for the length of the path, for numbers, and for folders that all URLs have which showed it.

use std::{borrow::Cow, collections::BTreeSet};

use super::{
    classes::respelling,
    deed::Deed,
    narrow::{is_number, starts},
    table::Table,
};
use crate::rules::{Condition, Edit, Key, Parts, Rule};

/// Different values that must have been met in two places to be taken from one to the other.
const MOVED: usize = 3;

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
    let telling = table.telling(deed);
    for at in telling.iter().copied().flatten() {
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
    let begins = begins(table, &rule, &telling);
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
    rule.narrowed(more.chain(begins).collect::<Vec<_>>())
}

/// What all names of each segment that the rule takes begin with, of those that showed it right: what a session in the path begins with (`(S(`), say.
fn begins(table: &Table<'_>, rule: &Rule, telling: &[&[u32]]) -> Vec<Condition> {
    let mut begins = Vec::new();
    let mut spare = Parts::none();
    let is_told = |key: &Key| {
        (rule.pattern.0.iter()).any(|condition| match condition {
            Condition::Is(own, _) | Condition::Like(own, _) | Condition::Starts(own, _) => {
                own == key
            }
            _ => false,
        })
    };
    for edit in &rule.edits {
        let Edit::Drop(key @ Key::Seg(_)) = edit else {
            continue;
        };
        if is_told(key) {
            continue;
        }
        let mut common: Option<Vec<Condition>> = None;
        for at in telling.iter().copied().flatten() {
            let parts = table.parts(*at, &mut spare);
            if !rule.pattern.matches(parts) {
                continue;
            }
            match (&mut common, parts.get(key)) {
                (_, None) => {}
                (None, Some(name)) => common = Some(starts(key, &name)),
                (Some(common), Some(_)) => common.retain(|condition| condition.holds(parts)),
            }
            if common.as_ref().is_some_and(Vec::is_empty) {
                break;
            }
        }
        begins.extend(common.unwrap_or_default().pop());
    }
    begins
}

/// What may be said of a URL's path that others have, too.
fn limits(parts: &Parts<'_>) -> Vec<Condition> {
    let mut limits = vec![Condition::Is(Key::Len, parts.segs.len().to_string().into())];
    limits.extend((0..SEGMENTS).zip(&parts.segs).map(|(at, segment)| {
        if is_number(segment) {
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
        let (mut numbered, mut numbers) = (0, BTreeSet::new());
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
            if let Some(number) = number_of_both(&one, &other) {
                numbered += 1;
                numbers.insert(number.to_owned());
            }
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
        // Of these, each page has its own.
        if numbered * 2 > trials && numbers.len() * 2 > numbered {
            return true;
        }
    }
    false
}

/// Whether a rule that moves a value somewhere else was shown by one value, or by two: both URLs may hold it by chance, as the usual one of each.
pub(super) fn moves_few(table: &Table<'_>, rule: &Rule, deed: &Deed) -> bool {
    let mut spare = Parts::none();
    let moved = rule.edits.iter().filter_map(|edit| match edit {
        Edit::Move(from @ Key::Query(_), Key::Query(_)) => Some(from),
        _ => None,
    });
    for key in moved {
        let mut values = BTreeSet::new();
        for at in table.telling(deed).into_iter().flatten() {
            let parts = table.parts(*at, &mut spare);
            if rule.pattern.matches(parts) {
                values.extend(parts.get(key).map(Cow::into_owned));
            }
            if values.len() >= MOVED {
                break;
            }
        }
        if values.len() < MOVED {
            return true;
        }
    }
    false
}

/// The number that two segments begin with, which end or go on behind a sign: `600111-107`, `600111-108` and `600111`.
fn number_of_both<'a>(one: &'a str, other: &str) -> Option<&'a str> {
    let len = one.bytes().take_while(u8::is_ascii_digit).count();
    let goes_on = |text: &str| {
        (text.as_bytes().get(len))
            .is_none_or(|sign| sign.is_ascii() && !sign.is_ascii_alphanumeric())
    };
    (len > 0 && one.get(..len) == other.get(..len) && goes_on(one) && goes_on(other))
        .then(|| &one[..len])
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

    #[test]
    fn what_all_sessions_in_a_path_begin_with_is_asked_for() {
        let samples: Vec<Sample> = (0..40)
            .flat_map(|n| {
                let page = format!("item {n}");
                [String::new(), format!("(S(x{n}))/"), format!("(S(y{n}))/")].map(|session| {
                    Sample::new(format!("http://e.org/{session}shop/item?id={n}"), &page)
                })
            })
            .collect();
        let plain = "http://e.org/shop/item?id=900";
        let of = |session: &str| {
            let url = format!("http://e.org/{session}/shop/item?id=900");
            class(&samples, &url)
        };
        assert_eq!(of("(S(z))"), plain);
        assert_ne!(of("de"), plain);
    }

    #[test]
    fn a_number_that_names_the_page_is_not_left_out_with_what_stands_behind_it() {
        let samples: Vec<Sample> = (0..40)
            .flat_map(|n| {
                let page = format!("advertisement {n}");
                [7, 8, 9].map(|place| {
                    let url = format!("http://e.org/ads/lamp-{n}/{}-{}", 600 + n, place + n % 5);
                    Sample::new(url, &page)
                })
            })
            .collect();
        let of = |number: u32| class(&samples, &format!("http://e.org/ads/lamp-900/{number}-3"));
        assert_ne!(of(900), of(901));
    }

    #[test]
    fn values_that_are_the_usual_ones_of_two_parameters_were_not_moved() {
        let samples: Vec<Sample> = (0..40)
            .flat_map(|n| {
                let page = format!("topic {n}");
                ["l=0", "kind=0"]
                    .map(|usual| Sample::new(format!("http://e.org/topic?id={n}&{usual}"), &page))
            })
            .collect();
        let of = |param: &str| class(&samples, &format!("http://e.org/topic?id=900&{param}"));
        assert_ne!(of("l=4"), of("kind=4"));
    }

    #[test]
    fn forms_to_log_in_say_nothing_of_what_else_a_segment_may_be_left_out_before() {
        let samples: Vec<Sample> = (0..40)
            .flat_map(|n| {
                let page = format!("issue {n}");
                let form = "name and password";
                [
                    (format!("{n}"), &*page),
                    (format!("show/{n}"), &*page),
                    (format!("{n}/edit"), form),
                ]
                .map(|(path, page)| Sample::new(format!("http://e.org/issues/{path}"), page))
            })
            .collect();
        let of = |path: &str| class(&samples, &format!("http://e.org/issues/{path}"));
        assert_eq!(of("show/900"), of("900"));
        assert_ne!(of("900/watchers"), of("901/watchers"));
    }
}
