//! Finds values of one URL that are in another part of the other URL.

use std::borrow::Cow;

use super::names::holds_name;
use crate::{
    cut::around,
    rules::{Condition, Edit, Key, Parts, Rule, Wrap},
};

/// Rules that turn `from` into `to` by moving one value to another part.
pub(super) fn moves(from: &Parts<'_>, to: &Parts<'_>) -> Vec<Rule> {
    let mut rules = Vec::new();
    let mut missing =
        (to.query.iter()).filter(|p| from.query.iter().all(|other| other.name != p.name));
    let (Some(missing), None) = (missing.next(), missing.next()) else {
        return rules;
    };
    let target = &Key::query(&missing.name);
    let Some(value) = to.get(target).filter(|v| !v.is_empty()) else {
        return rules;
    };
    let others_agree = |ignored: Option<&str>| {
        let names = from.query.iter().map(|p| &*p.name);
        let mut others = names.filter(|name| Some(*name) != ignored);
        others.all(|name| to.query_value(name) == from.query_value(name))
    };
    for name in from.query.iter().map(|p| &*p.name) {
        if to.query_value(name).is_none()
            && from.query_value(name) == Some(value.clone())
            && from.segs == to.segs
            && others_agree(Some(name))
        {
            let source = Key::query(name);
            rules.push(Rule::new(
                vec![
                    Condition::Has(source.clone()),
                    Condition::No(target.clone()),
                ],
                vec![Edit::Move(source, target.clone())],
            ));
        }
    }
    if !others_agree(None) {
        return rules;
    }
    let plain = value.replace("%2F", "/");
    for i in 0..from.segs.len().min(4) {
        let rest = Key::Rest(i as u8);
        if from.get(&rest).as_deref() != Some(&*plain) || to.segs.len() < i {
            continue;
        }
        let mut conditions = vec![Condition::Has(rest.clone()), Condition::No(target.clone())];
        let mut edits = vec![Edit::Move(rest, target.clone())];
        for (j, segment) in to.segs.iter().enumerate() {
            if from.segs[..i].get(j) != Some(segment) {
                edits.push(Edit::Set(Key::Seg(j as u8), (&**segment).into()));
            }
        }
        for (j, segment) in from.segs[..i].iter().enumerate() {
            conditions.push(Condition::Is(Key::Seg(j as u8), (&**segment).into()));
        }
        if i == 0 {
            conditions.push(Condition::No(Key::Ext));
        }
        rules.push(Rule::new(conditions, edits));
        break;
    }
    rules.extend(unwrapped(from, to, &value, target));
    rules
}

/// The value stands within the last segment, with something around it.
fn unwrapped(from: &Parts<'_>, to: &Parts<'_>, value: &str, target: &Key) -> Option<Rule> {
    let (last, before) = from.segs.split_last()?;
    let (prefix, suffix) = around(last, value)?;
    let wrap = Wrap::new(prefix, suffix)?;
    let at = before.len();
    let seg = |at: usize| Key::Seg(at as u8);
    let is = |(at, segment): (usize, &Cow<'_, str>)| Condition::Is(seg(at), (&**segment).into());
    let mut conditions: Vec<Condition> = before.iter().enumerate().map(is).collect();
    conditions.push(Condition::Is(Key::Len, from.segs.len().to_string().into()));
    conditions.push(Condition::No(target.clone()));
    conditions.extend(holds_name((at, (prefix, suffix)), from.segs.len())?);
    let rest = Key::Rest(at as u8);
    let mut edits = vec![
        Edit::Unwrap(seg(at), wrap),
        Edit::Move(rest, target.clone()),
    ];
    if to.segs.len() < at {
        return None;
    }
    for (at, segment) in to.segs.iter().enumerate() {
        if before.get(at) != Some(segment) {
            edits.push(Edit::Set(seg(at), (&**segment).into()));
        }
    }
    Some(Rule::new(conditions, edits))
}
