//! The rules that single differences between URLs of one page suggest, whatever else these URLs differ in.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    learn::table::Table,
    letters::has_digit,
    rules::{Condition, Edit, Key, Parts, Rule},
};

/// Pages that must have a difference.
const LEAST_PAGES: u32 = 3;
/// URLs of a page that are compared.
const MEMBERS: usize = 24;

/// Rules about one difference between URLs of so many pages, whatever else they differ in; that of most pages first.
pub(super) fn differences(table: &Table<'_>) -> Vec<Rule> {
    let (mut hosts, mut words) = (BTreeMap::new(), BTreeMap::new());
    for parts in &table.apart {
        *hosts.entry(&*parts.host).or_insert(0usize) += 1;
        if let Some(first) = parts.segs.first() {
            *words.entry(&**first).or_insert(0usize) += 1;
        }
    }
    let mut pages: BTreeMap<Rule, u32> = BTreeMap::new();
    for cluster in table.clusters().iter() {
        if table.is_giant(table.cluster(cluster[0])) {
            continue;
        }
        let mut of_page = BTreeSet::new();
        let first = &table.apart[cluster[0] as usize];
        for at in cluster.iter().take(MEMBERS).skip(1) {
            let parts = &table.apart[*at as usize];
            of_page.extend(params(first, parts));
            of_page.extend(segments(first, parts));
            of_page.extend(segments(parts, first));
            of_page.extend(renamed(first, parts, &words));
            if first.host != parts.host {
                let rank = |host: &str| (hosts.get(host).copied(), host.to_owned());
                let (from, to) = if rank(&first.host) < rank(&parts.host) {
                    (first, parts)
                } else {
                    (parts, first)
                };
                of_page.insert(Rule::new(
                    vec![Condition::Is(Key::Host, (&*from.host).into())],
                    vec![Edit::Set(Key::Host, (&*to.host).into())],
                ));
            }
        }
        for rule in of_page {
            *pages.entry(rule).or_default() += 1;
        }
    }
    let mut rules: Vec<(Rule, u32)> = pages
        .into_iter()
        .filter(|(_, pages)| *pages >= LEAST_PAGES)
        .collect();
    rules.sort_by(|(a, m), (b, n)| {
        let by_kind = is_of_path(a).cmp(&is_of_path(b));
        by_kind.then(n.cmp(m)).then_with(|| a.cmp(b))
    });
    rules.into_iter().map(|(rule, _)| rule).collect()
}

/// Whether the rule is about a word of the path.
pub(super) fn is_of_path(rule: &Rule) -> bool {
    rule.edits.iter().any(|edit| {
        matches!(
            edit,
            Edit::Drop(Key::Seg(_) | Key::Tail(_)) | Edit::Set(Key::Seg(_), _)
        )
    })
}

/// Rules that leave out the parameters in which two URLs differ.
fn params(a: &Parts<'_>, b: &Parts<'_>) -> Vec<Rule> {
    let names = |parts: &Parts<'_>| -> Vec<Key> {
        let query = parts.query.iter().map(|param| Key::query(&param.name));
        let path = parts.path_params.iter();
        let path = path.map(|param| Key::PathParam((*param.name).into()));
        query.chain(path).collect()
    };
    let all = names(a).into_iter().chain(names(b));
    all.filter(|key| a.get(key) != b.get(key))
        .map(|key| Rule::new(vec![Condition::Has(key.clone())], vec![Edit::Drop(key)]))
        .collect()
}

/// Rules that leave out words before and behind the path that only the longer of two has.
fn segments(one: &Parts<'_>, other: &Parts<'_>) -> Vec<Rule> {
    if one.segs.len() <= other.segs.len() {
        return Vec::new();
    }
    let ends = [
        (Key::Seg(0), one.segs.first()),
        (Key::Tail(0), one.segs.last()),
    ];
    let is_own = |segment: &str| {
        !segment.is_empty()
            && !has_digit(segment)
            && other.segs.iter().all(|other| **other != *segment)
    };
    ends.into_iter()
        .filter_map(|(key, segment)| {
            let segment = segment.filter(|segment| is_own(segment))?;
            Some(Rule::new(
                vec![Condition::Is(key.clone(), (&**segment).into())],
                vec![Edit::Drop(key)],
            ))
        })
        .collect()
}

/// The rule that gives the rarer of two words before the path the name of the other.
fn renamed(a: &Parts<'_>, b: &Parts<'_>, words: &BTreeMap<&str, usize>) -> Option<Rule> {
    let (Some(x), Some(y)) = (a.segs.first(), b.segs.first()) else {
        return None;
    };
    if a.segs.len() != b.segs.len() || a.segs.len() < 2 || x == y || has_digit(x) || has_digit(y) {
        return None;
    }
    let rank = |word: &str| (words.get(word).copied(), word.to_owned());
    let (from, to) = if rank(x) < rank(y) { (x, y) } else { (y, x) };
    Some(Rule::new(
        vec![Condition::Is(Key::Seg(0), (&**from).into())],
        vec![Edit::Set(Key::Seg(0), (&**to).into())],
    ))
}
