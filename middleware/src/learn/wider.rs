//! Finds proposed rules that say nothing beyond what a wider one says.
//!
//! One difference between two URLs proposes many rules: drop the parameter wherever it is, beside others, or only with
//! this value. If the widest of them proves right wherever it acts, the others need not be tried.

use rustc_hash::FxHashMap;

use crate::rules::{Edit, Rule};

/// Rules with the same edits that one is compared with at most: those that ask for least.
const MOST_COMPARED: usize = 16;

/// For each rule the position of one that does the same wherever this one does, and elsewhere; of several the one that
/// asks for least. None of those that are named has itself a wider one.
pub(super) fn wider_of(rules: &[&Rule]) -> Vec<Option<usize>> {
    let mut order: Vec<usize> = (0..rules.len()).collect();
    order.sort_by_key(|at| rules[*at].pattern.0.len());
    let mut known: FxHashMap<&[Edit], Vec<usize>> = FxHashMap::default();
    let mut wider = vec![None; rules.len()];
    for at in order {
        let wide = known.entry(&rules[at].edits).or_default();
        let pattern = &rules[at].pattern;
        let is_wider = |other: &&usize| pattern.implies(&rules[**other].pattern);
        wider[at] = wide.iter().find(is_wider).copied();
        if wider[at].is_none() && wide.len() < MOST_COMPARED {
            wide.push(at);
        }
    }
    wider
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::wider_of;
    use crate::rules::{Parts, Rule};

    #[test]
    fn rules_that_ask_for_more_have_a_wider_one() {
        let rules = [
            "is:seg.0=a is:query.s=1 => drop:query.s",
            "has:query.s => drop:query.s",
            "has:query.t => drop:query.s",
            "has:query.s has:query.t => drop:query.s",
            "is:query.s=1 => drop:query.t",
            "is:query.s=2 => drop:query.t",
            "starts:query.s=x is:len=1 => drop:query.s",
        ];
        let rules: Vec<Rule> = rules.map(|rule| rule.parse().unwrap()).into();
        let wider = wider_of(&rules.iter().collect::<Vec<_>>());
        assert_eq!(wider, [Some(1), None, None, Some(1), None, None, Some(1)]);
    }

    proptest! {
        #[test]
        fn a_wider_rule_matches_what_the_other_does(
            patterns in proptest::collection::vec(
                "((has|no):query\\.[ab]|(is|maybe|starts):(query\\.[ab]|seg\\.0)=[12]|like:query\\.a=#)( (has|no):query\\.[ab]| is:query\\.[ab]=[12]){0,2}",
                2..6,
            ),
            urls in proptest::collection::vec("http://e\\.org/[12](\\?[ab]=[12]{0,2}(&[ab]=[12])?)?", 8),
        ) {
            let rules: Vec<Rule> = patterns
                .iter()
                .map(|pattern| format!("{pattern} => drop:slash").parse().unwrap())
                .collect();
            let wider = wider_of(&rules.iter().collect::<Vec<_>>());
            for (rule, wide) in rules.iter().zip(wider) {
                let Some(wide) = wide else { continue };
                for url in &urls {
                    let parts = Parts::parse(url).unwrap();
                    let wide = &rules[wide].pattern;
                    prop_assert!(!rule.pattern.matches(&parts) || wide.matches(&parts), "{} {}", rule, url);
                }
            }
        }
    }
}
