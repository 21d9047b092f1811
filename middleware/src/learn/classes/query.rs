//! Edits that would make two queries equal.

use std::collections::BTreeSet;

use super::Proposal;
use crate::{
    cut::narrowest,
    items,
    letters::lower,
    rules::{Condition, Edit, Key, Parts},
};

/// Largest number of query parameters in which compared URLs may differ.
const QUERY_DIFFERENCES: usize = 8;

/// The signs between items that two texts have in two orders.
pub(super) fn sorts<'t>(one: &'t str, other: &'t str) -> impl Iterator<Item = Box<str>> + use<'t> {
    let signs = items::SIGNS.into_iter();
    let signs = signs.filter(move |sign| items::are_one_set(one, other, sign));
    signs.map(Into::into)
}

/// Edits of a piece of a value or of the order of its items that make two values of it one.
fn within<'t>(key: &'t Key, one: &'t str, other: &'t str) -> impl Iterator<Item = Edit> + use<'t> {
    let piece = narrowest(one, other);
    let piece = piece.map(|(sign, cut)| Edit::MaskPiece(key.clone(), cut, sign.into()));
    let orders = sorts(one, other).map(|sign| Edit::SortItems(key.clone(), sign));
    piece.into_iter().chain(orders)
}

/// `None` when the queries differ in too much; empty when they hold the same.
pub(super) fn query_differences(a: &Parts<'_>, b: &Parts<'_>) -> Option<Vec<Proposal>> {
    let mut keys: Vec<Key> = a
        .query
        .iter()
        .chain(&b.query)
        .filter(|p| a.query_value(&p.name) != b.query_value(&p.name))
        .map(|p| Key::query(&p.name))
        .collect();
    keys.sort();
    keys.dedup();
    if keys.len() > QUERY_DIFFERENCES {
        return None;
    }
    let Some(first) = keys.first() else {
        return Some(Vec::new());
    };
    let drops: Vec<Edit> = keys.iter().cloned().map(Edit::Drop).collect();
    let mut proposals = Vec::new();
    let differ_in_case = |key: &Key| match (a.get(key), b.get(key)) {
        (Some(va), Some(vb)) => lower(&va) == lower(&vb),
        _ => false,
    };
    if keys.iter().all(differ_in_case) {
        let has = keys.iter().cloned().map(Condition::Has).collect();
        proposals.push((has, keys.iter().cloned().map(Edit::Lower).collect()));
    }
    let values = |parts: &Parts<'_>, key: &Key| -> Vec<Option<String>> {
        let own = parts
            .query
            .iter()
            .filter(|p| matches!(key, Key::Query(name) if p.name == **name));
        own.map(|p| p.value.as_deref().map(str::to_owned)).collect()
    };
    // Both have them, and one has several values.
    let lists: Vec<_> = keys
        .iter()
        .map(|key| (values(a, key), values(b, key)))
        .collect();
    if lists
        .iter()
        .all(|(x, y)| x.len().min(y.len()) > 0 && x.len().max(y.len()) > 1)
    {
        let distinct = |list: &[Option<String>]| list.iter().cloned().collect::<BTreeSet<_>>();
        let has = || -> Vec<Condition> { keys.iter().cloned().map(Condition::Has).collect() };
        if lists.iter().all(|(x, y)| distinct(x) == distinct(y)) {
            proposals.push((has(), keys.iter().cloned().map(Edit::Unique).collect()));
        }
        if lists.iter().all(|(x, y)| x[0] == y[0]) {
            proposals.push((has(), keys.iter().cloned().map(Edit::First).collect()));
        }
    }
    if keys.len() == 1 {
        let key = first;
        proposals.push((vec![Condition::Has(key.clone())], drops));
        let (va, vb) = (a.get(key), b.get(key));
        match (va, vb) {
            (Some(va), Some(vb)) => {
                let mask = Edit::Mask(key.clone());
                proposals.push((vec![Condition::Has(key.clone())], vec![mask]));
                let within = within(key, &va, &vb);
                proposals
                    .extend(within.map(|edit| (vec![Condition::Has(key.clone())], vec![edit])));
                for (from, to) in [(&va, &vb), (&vb, &va)] {
                    proposals.push((
                        vec![Condition::Is(key.clone(), (&**from).into())],
                        vec![Edit::Set(key.clone(), (&**to).into())],
                    ));
                }
            }
            (Some(only), None) | (None, Some(only)) => {
                let is = Condition::Is(key.clone(), (&*only).into());
                proposals.push((vec![is], vec![Edit::Drop(key.clone())]));
            }
            (None, None) => {}
        }
        return Some(proposals);
    }
    proposals.push((Vec::new(), drops.clone()));
    // The same with the values seen, and each difference on its own in case others hide it.
    for side in [a, b] {
        if keys.iter().all(|key| side.has(key)) {
            let is = keys
                .iter()
                .filter_map(|key| Some(Condition::Is(key.clone(), side.get(key)?.into())));
            proposals.push((is.collect(), drops.clone()));
        }
    }
    let one_sided: Vec<Condition> = keys
        .iter()
        .filter_map(|key| match (a.get(key), b.get(key)) {
            (Some(v), None) | (None, Some(v)) => Some(Condition::Is(key.clone(), v.into())),
            _ => None,
        })
        .collect();
    for condition in one_sided {
        if let Condition::Is(key, _) = &condition {
            let drop = vec![Edit::Drop(key.clone())];
            proposals.push((vec![Condition::Has(key.clone())], drop.clone()));
            proposals.push((vec![condition], drop));
        }
    }
    Some(proposals)
}
