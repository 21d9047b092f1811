//! What would simpler learners of rewrite rules find?
//!
//! [`per_parameter`] asks of each query parameter alone whether it can go. [`pairwise`] is the induction of Dasgupta,
//! Kumar and Sasturkar ("De-duping URLs via rewrite rules", KDD 2008) in the form in which Lei et al. (WWW 2010) compare
//! with it: every pair of URLs of a cluster makes a rule, and a value that varies over at least `fan_out` rules of one
//! transformation becomes a wildcard. It is given the advantage that other parts may vary at the same time.

use std::collections::{BTreeMap, BTreeSet};

use nodust_middleware::{
    learn::{Sample, eval},
    rules::{Condition, Edit, Key, Parts, Rule, SiteRules},
};
use rustc_hash::FxHashMap;

/// Merged pairs that a rule needs.
const SUPPORT: u128 = 3;
/// Rules that are tried on all URLs.
const TRIED: usize = 2_000;

/// Rules that hold on their own.
fn qualified(samples: &[Sample], rules: Vec<Rule>, fpr_max: f64) -> Vec<Rule> {
    let mut kept: Vec<(u128, Rule)> = rules
        .into_iter()
        .filter_map(|rule| {
            let alone = SiteRules::new("", [rule.clone()]);
            let counts = eval::evaluate_with(samples, &|url| Some(classify(&alone, url)));
            let holds = counts.support >= SUPPORT && counts.fpr() <= fpr_max;
            holds.then_some((counts.support, rule))
        })
        .collect();
    kept.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    kept.into_iter().map(|(_, rule)| rule).collect()
}

/// The class of a URL under rules.
pub fn classify(rules: &SiteRules, url: &str) -> String {
    rules
        .canon(url)
        .map_or_else(|| url.to_owned(), |canon| canon.class)
}

/// Drops each parameter that can go alone.
pub fn per_parameter(samples: &[Sample], fpr_max: f64) -> Vec<Rule> {
    let mut names: BTreeMap<Key, u32> = BTreeMap::new();
    for sample in samples {
        for (key, _) in Parts::parse(&sample.url).iter().flat_map(Parts::pairs) {
            if matches!(key, Key::Query(_) | Key::PathParam(_)) {
                *names.entry(key).or_default() += 1;
            }
        }
    }
    let rules = names
        .into_iter()
        .filter(|(_, n)| *n >= 3)
        .map(|(key, _)| Rule::new(vec![Condition::Has(key.clone())], vec![Edit::Drop(key)]));
    qualified(samples, rules.collect(), fpr_max)
}

/// The parts of the URL that a rule was made from.
type Context = Vec<(Key, String)>;

/// What a pair of URLs says: the edits, and the values of the source at each key.
fn transformation(from: &Parts<'_>, to: &Parts<'_>) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    let (a, b) = (from.pairs(), to.pairs());
    let editable = |key: &Key| !matches!(key, Key::Len | Key::Ext);
    for (key, value) in b.iter().filter(|(key, _)| editable(key)) {
        if from.get(key).as_ref() == Some(value) {
            continue;
        }
        let source = a.iter().find(|(k, v)| {
            editable(k)
                && k != key
                && v == value
                && !value.is_empty()
                && to.get(k).as_ref() != Some(v)
        });
        edits.push(match source {
            Some((k, _)) => Edit::Copy(k.clone(), key.clone()),
            None => Edit::Set(key.clone(), (&**value).into()),
        });
    }
    for (key, _) in a.iter().rev().filter(|(key, _)| editable(key)) {
        if !to.has(key) {
            edits.push(Edit::Drop(key.clone()));
        }
    }
    (!edits.is_empty()).then_some(edits)
}

/// Induces rules from all pairs of URLs of a cluster.
pub fn pairwise(samples: &[Sample], fan_out: usize, giant: usize, fpr_max: f64) -> Vec<Rule> {
    let mut clusters: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for sample in samples {
        clusters
            .entry(sample.cluster)
            .or_default()
            .push(&sample.url);
    }
    let mut groups: FxHashMap<Vec<Edit>, Vec<Context>> = FxHashMap::default();
    for mut urls in clusters.into_values().filter(|c| c.len() < giant) {
        urls.sort_unstable_by_key(|url| (url.len(), *url));
        let parts: Vec<Parts<'_>> = urls.iter().filter_map(|url| Parts::parse(url)).collect();
        for (i, from) in parts.iter().enumerate() {
            for to in &parts[..i] {
                if let Some(edits) = transformation(from, to) {
                    let context = from.pairs().into_iter().filter(|(key, _)| *key != Key::Ext);
                    let context = context.map(|(key, value)| (key, value.into_owned()));
                    groups.entry(edits).or_default().push(context.collect());
                }
            }
        }
    }
    let mut rules: FxHashMap<Rule, usize> = FxHashMap::default();
    for (edits, contexts) in groups {
        let mut values: FxHashMap<(&Key, usize), BTreeSet<&str>> = FxHashMap::default();
        for context in &contexts {
            for (key, value) in context {
                values
                    .entry((key, context.len()))
                    .or_default()
                    .insert(value);
            }
        }
        for context in &contexts {
            let conditions = context.iter().map(|(key, value)| {
                if values[&(key, context.len())].len() >= fan_out {
                    Condition::Has(key.clone())
                } else {
                    Condition::Is(key.clone(), value.as_str().into())
                }
            });
            let rule = Rule::new(conditions.collect(), edits.clone());
            *rules.entry(rule).or_default() += 1;
        }
    }
    let mut rules: Vec<(Rule, usize)> = rules.into_iter().filter(|(_, n)| *n >= 2).collect();
    rules.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    rules.truncate(TRIED);
    let rules = rules.into_iter().map(|(rule, _)| rule).collect();
    qualified(samples, rules, fpr_max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_baselines_learn_a_session_parameter() {
        let samples: Vec<Sample> = (0..20)
            .flat_map(|n| {
                let page = format!("{n}");
                [
                    Sample::new(format!("http://e.org/v?t={n}"), &page),
                    Sample::new(format!("http://e.org/v?s={}&t={n}", n * 3), &page),
                ]
            })
            .collect();
        for rules in [
            per_parameter(&samples, 0.01),
            pairwise(&samples, 5, 20, 0.01),
        ] {
            let rules = SiteRules::new("", rules);
            assert_eq!(
                classify(&rules, "http://e.org/v?s=1&t=77"),
                "http://e.org/v?t=77"
            );
        }
    }
}
