//! The values of a part for which a rule holds.
//!
//! That a list looks the same sorted by date or by number says nothing about other orders that nobody has seen. A rule that leaves a part
//! out, whatever its value, is limited to the values for which it was confirmed, one rule for each, until there are so many that the next
//! one is unlikely to differ (*salient* and *trivial* values, Lei et al. 2010, section 3.2).

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use super::{deed::Deed, narrow::Accepts, prior, table::Table};
use crate::{
    letters::has_digit,
    rules::{Condition, Edit, Key, Parts, Rule},
};

/// Different values that must have been shown not to matter before no value is taken to.
const MANY: usize = 3;

/// So many words may be all that there are, and a rule is held to them, if next to none was met but once: by Good and Turing's estimate (1953)
/// what was met once has the share of what was never met. (Numbers go on.)
const CLOSED: usize = 8;
/// One in so many may have been met but once, of so many at least: fewer say little of what was not met.
const ONE_MET_ONCE_IN: usize = 50;

/// Parts of few values whose values are told together. They are all combinations, so that of more each is tried alone.
const TOGETHER: usize = 2;

/// Rules that are held to the values that showed them right, and what each does. One that is right whatever the values stays as it is, and so does
/// one with many parts of few values of which little could be said apart.
pub(super) fn hold(
    table: &Table<'_>,
    rule: Rule,
    deed: Deed,
    accepts: Accepts<'_>,
) -> Vec<(Rule, Deed)> {
    let (mut open, mut held) = (vec![(rule, deed)], Vec::new());
    while let Some((rule, deed)) = open.pop() {
        let few: Vec<(Key, BTreeSet<String>)> = keys_of_any_value(&rule)
            .into_iter()
            .filter_map(|key| Some((key.clone(), shown(table, &rule, &deed, &key)?)))
            .collect();
        if few.is_empty() {
            held.push((rule, deed));
            continue;
        }
        let right = narrowed(&rule, &few).into_iter().filter_map(|rule| {
            let deed = table.try_rule(&rule);
            accepts(&rule, &deed, 0).then_some((rule, deed))
        });
        let right: Vec<(Rule, Deed)> = right.collect();
        // One of many parts is seldom all that two URLs differ in.
        let is_little =
            || right.iter().map(|(_, deed)| saved(deed)).sum::<usize>() * 2 < saved(&deed);
        if few.len() > TOGETHER && is_little() {
            let rule = with_only_values(&rule, &few);
            let deed = table.try_rule(&rule);
            held.extend(accepts(&rule, &deed, 0).then_some((rule, deed)));
        } else {
            open.extend(right);
        }
    }
    held
}

/// URLs that need not be fetched.
fn saved(deed: &Deed) -> usize {
    deed.groups
        .iter()
        .map(|group| group.len().saturating_sub(1))
        .sum()
}

/// What is tried in the place of a rule, of which these parts had few values: one rule for each value of the first part and one without it, which are
/// narrowed further where that is not all; or, where these are too many, one for each part and its values.
fn narrowed(rule: &Rule, few: &[(Key, BTreeSet<String>)]) -> Vec<Rule> {
    let of_each = |rule: &Rule, (key, values): &(Key, BTreeSet<String>)| -> Vec<Rule> {
        let of_value = |value: &String| with_value(rule, key, value.clone());
        values.iter().map(of_value).collect()
    };
    if let [first, rest @ ..] = few
        && rest.len() < TOGETHER
    {
        let mut rules = of_each(rule, first);
        rules.extend(without(rule, |key| *key == first.0));
        return rules;
    }
    let is_few = |key: &Key| few.iter().any(|(own, _)| own == key);
    let alone = few.iter().filter_map(|one| {
        let rule = without(rule, |key| is_few(key) && *key != one.0)?;
        Some(of_each(&rule, one))
    });
    (alone.flatten().chain(without(rule, is_few))).collect()
}

/// Parts that the rule leaves out whatever their value is.
fn keys_of_any_value(rule: &Rule) -> Vec<Key> {
    let is_told = |key: &Key| {
        (rule.pattern.0.iter())
            .any(|condition| matches!(condition, Condition::Is(own, _) | Condition::Maybe(own, _) if own == key))
    };
    let of_any_value = rule.edits.iter().filter_map(|edit| match edit {
        Edit::Drop(key @ (Key::Query(name) | Key::PathParam(name)))
        | Edit::Mask(key @ (Key::Query(name) | Key::PathParam(name))) => {
            let is_for_any = prior::is_decoration(name) || prior::is_session(name);
            (!name.is_empty() && !is_for_any && !is_told(key)).then(|| key.clone())
        }
        Edit::Drop(key @ Key::Seg(_)) | Edit::Mask(key @ (Key::Seg(_) | Key::Tail(_))) => {
            (!is_told(key)).then(|| key.clone())
        }
        _ => None,
    });
    of_any_value.collect()
}

/// The values that were shown not to matter; `None` where they are many.
fn shown(table: &Table<'_>, rule: &Rule, deed: &Deed, key: &Key) -> Option<BTreeSet<String>> {
    // With the pages that showed it of each.
    let mut values: BTreeMap<String, usize> = BTreeMap::new();
    let mut spare = Parts::none();
    for group in table.telling(deed) {
        let of_group: BTreeSet<Option<String>> = (group.iter())
            .map(|at| {
                let parts = table.parts(*at, &mut spare);
                let value = parts.get(key).filter(|_| rule.pattern.matches(parts));
                value.map(Cow::into_owned)
            })
            .collect();
        if of_group.len() > 1 {
            for value in of_group.into_iter().flatten() {
                *values.entry(value).or_default() += 1;
            }
        }
        if values.len() > CLOSED {
            return None;
        }
    }
    let met: usize = values.values().sum();
    let met_once = values.values().filter(|times| **times == 1).count();
    let are_words = !values.keys().any(|value| has_digit(value));
    let are_all = || are_words && met >= ONE_MET_ONCE_IN && met_once * ONE_MET_ONCE_IN <= met;
    (values.len() < MANY || are_all()).then(|| values.into_keys().collect())
}

/// The rule for one value of the part.
fn with_value(rule: &Rule, key: &Key, value: String) -> Rule {
    let is_other = |condition: &&Condition| !matches!(condition, Condition::Has(own) if own == key);
    let mut conditions: Vec<Condition> = rule.pattern.0.iter().filter(is_other).cloned().collect();
    conditions.push(Condition::Is(key.clone(), value.into()));
    Rule::new(conditions, rule.edits.clone())
}

/// The rule for URLs in which parts of one value have that or are not there.
fn with_only_values(rule: &Rule, few: &[(Key, BTreeSet<String>)]) -> Rule {
    let only = few.iter().filter_map(|(key, values)| {
        let value = values.first().filter(|_| values.len() == 1)?;
        Some(Condition::Maybe(key.clone(), value.as_str().into()))
    });
    let conditions = rule.pattern.0.iter().cloned().chain(only);
    Rule::new(conditions.collect(), rule.edits.clone())
}

/// The rule without what it does to these parts, if it does anything else and does not ask for one of them.
fn without(rule: &Rule, is_one: impl Fn(&Key) -> bool) -> Option<Rule> {
    let is_other = |edit: &&Edit| !matches!(edit, Edit::Drop(own) | Edit::Mask(own) if is_one(own));
    let edits: Vec<Edit> = rule.edits.iter().filter(is_other).cloned().collect();
    let asks_for = |condition: &Condition| matches!(condition, Condition::Has(own) if is_one(own));
    (!edits.is_empty() && !rule.pattern.0.iter().any(asks_for))
        .then(|| Rule::new(rule.pattern.0.clone(), edits))
}

#[cfg(test)]
mod tests {
    use crate::learn::{Options, Sample, learn};

    /// What becomes of a URL by rules that are learned from forty lists, each met at these spellings of its own.
    fn becomes(spellings: &[&str], url: &str) -> String {
        let samples: Vec<Sample> = (0..40)
            .flat_map(|n| {
                let page = format!("list {n}");
                let of = move |tail: &&str| {
                    Sample::new(format!("http://e.org/list?id={n}{tail}"), &page)
                };
                spellings.iter().map(of).collect::<Vec<_>>()
            })
            .collect();
        let canon = learn(&samples, &Options::default()).compile().canon(url);
        canon.map_or_else(|| url.to_owned(), |canon| canon.class)
    }

    const PLAIN: &str = "http://e.org/list?id=900";
    const BY_NAME: &str = "http://e.org/list?id=900&sort=name";

    #[test]
    fn one_or_two_values_say_nothing_of_a_third() {
        for spellings in [
            &["", "&sort=date"][..],
            &["", "&sort=date", "&sort=size"],
            &["&sort=date", "&sort=size"],
        ] {
            assert_eq!(becomes(spellings, BY_NAME), BY_NAME, "{spellings:?}");
        }
        let by_date = "http://e.org/list?id=900&sort=date";
        assert_eq!(becomes(&["", "&sort=date", "&sort=size"], by_date), PLAIN);
    }

    #[test]
    fn three_numbers_speak_for_all_and_three_words_met_again_and_again_for_themselves() {
        let numbers = ["", "&sort=1", "&sort=2", "&sort=3"];
        assert_eq!(becomes(&numbers, BY_NAME), PLAIN);
        let words = ["", "&sort=date", "&sort=size", "&sort=type"];
        assert_eq!(becomes(&words, BY_NAME), BY_NAME);
        let by_type = "http://e.org/list?id=900&sort=type";
        assert_eq!(becomes(&words, by_type), PLAIN);
        // Escapes spell letters, whatever digits they are written with.
        let escaped = [
            "",
            "&sort=date",
            "&sort=gr%C3%B6%C3%9Fe",
            "&sort=last%20change",
        ];
        assert_eq!(becomes(&escaped, BY_NAME), BY_NAME);
        let numbers = ["", "&sort=a%201", "&sort=a%202", "&sort=a%203"];
        assert_eq!(becomes(&numbers, BY_NAME), PLAIN);
    }

    #[test]
    fn words_of_which_many_are_met_but_once_speak_for_all() {
        let mut samples = Vec::new();
        for n in 0..40 {
            let page = format!("list {n}");
            let word = match n {
                0 => "date",
                1 => "type",
                2 => "owner",
                _ => "size",
            };
            for tail in [String::new(), format!("&sort={word}")] {
                samples.push(Sample::new(
                    format!("http://e.org/list?id={n}{tail}"),
                    &page,
                ));
            }
        }
        let canon = learn(&samples, &Options::default())
            .compile()
            .canon(BY_NAME);
        assert_eq!(canon.unwrap().class, PLAIN);
    }

    #[test]
    fn names_of_the_index_free_no_segment() {
        let mut samples = Vec::new();
        for n in 0..30 {
            let page = format!("folder {n}");
            for name in ["", "index.html", "index.php", "default.asp"] {
                samples.push(Sample::new(
                    format!("http://e.org/files/f{n}/{name}"),
                    &page,
                ));
            }
        }
        let rules = learn(&samples, &Options::default()).compile();
        let class = |url: &str| rules.canon(url).map_or(url.to_owned(), |canon| canon.class);
        let folder = class("http://e.org/files/f900/");
        for name in ["index.html", "index.php", "default.asp"] {
            assert_eq!(class(&format!("http://e.org/files/f900/{name}")), folder);
        }
        assert_ne!(class("http://e.org/files/f900/lamp"), folder);
    }

    #[test]
    fn each_part_of_a_rule_is_held_on_its_own() {
        let spellings = ["", "&by=1&sort=date", "&by=2&sort=date", "&by=3&sort=date"];
        let of = |tail: &str| becomes(&spellings, &format!("{PLAIN}{tail}"));
        assert_eq!(of("&by=7&sort=date"), PLAIN);
        assert_ne!(of("&by=7&sort=name"), PLAIN);
    }

    #[test]
    fn many_parts_of_two_values_each_are_held_one_by_one() {
        let tail = |of: &dyn Fn(u32) -> u32| -> String {
            let part = |k| match of(k) {
                0 => String::new(),
                value => format!("&p{k}={value}"),
            };
            (0..4).map(part).collect()
        };
        let spellings: Vec<String> = (0..81_u32)
            .map(|n| tail(&|k| n / 3_u32.pow(k) % 3))
            .collect();
        let spellings: Vec<&str> = spellings.iter().map(String::as_str).collect();
        let of = |first: u32| {
            let tail = tail(&|k| if k == 0 { first } else { 1 + k % 2 });
            becomes(&spellings, &format!("{PLAIN}{tail}"))
        };
        assert_eq!(of(1), PLAIN);
        assert_eq!(of(3), format!("{PLAIN}&p0=3"));
    }

    #[test]
    fn many_parts_of_few_values_beside_a_session_are_left_out_together() {
        let spelled = |id: u64, n: u64| {
            let of = |k: u64| xxhash_rust::xxh3::xxh3_64_with_seed(&k.to_le_bytes(), id * 100 + n);
            let part = |k: u64| match of(k) % 3 {
                0 => String::new(),
                value => format!("&p{k}={value}"),
            };
            let parts: String = (0..6).map(part).collect();
            format!("http://e.org/list?id={id}{parts}&sid={:016x}", of(9))
        };
        let samples: Vec<Sample> = (0..40)
            .flat_map(|id| (0..20).map(move |n| Sample::new(spelled(id, n), &format!("list {id}"))))
            .collect();
        let rules = learn(&samples, &Options::default()).compile();
        let class = |n| rules.canon(&spelled(900, n)).map(|canon| canon.class);
        assert!(class(1).is_some() && (2..20).all(|n| class(n) == class(1)));
    }

    #[test]
    fn what_shows_how_a_page_looks_never_mattered_on_most_sites() {
        assert_eq!(
            becomes(&["", "&theme=dark"], &format!("{PLAIN}&theme=warm")),
            PLAIN
        );
    }

    #[test]
    fn of_parameters_that_come_together_each_is_held_to_its_only_value() {
        let together = ["", "&order=up&size=20&state=open&way=a"];
        let kept = |tail: &str| becomes(&together, &format!("{PLAIN}{tail}"));
        assert_eq!(kept("&order=up&size=20&state=open&way=a"), PLAIN);
        assert_ne!(kept("&order=up&size=20&state=closed&way=a"), PLAIN);
    }

    #[test]
    fn one_value_of_a_parameter_of_the_path_says_nothing_of_others() {
        let samples: Vec<Sample> = (0..40)
            .flat_map(|n| {
                let page = format!("item {n}");
                ["", ";lang=en"]
                    .map(|lang| Sample::new(format!("http://e.org/shop/item{n}{lang}"), &page))
            })
            .collect();
        let rules = learn(&samples, &Options::default()).compile();
        let class = |url: &str| rules.canon(url).map_or(url.to_owned(), |canon| canon.class);
        assert_eq!(
            class("http://e.org/shop/item900;lang=en"),
            "http://e.org/shop/item900"
        );
        let german = "http://e.org/shop/item900;lang=de";
        assert_eq!(class(german), german);
    }
}
