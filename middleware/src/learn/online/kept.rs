//! The rules of a host that are in the store.
//!
//! Rules are written as a whole, each time under a new number, since pages that come back at the same time may be
//! committed in another order than they were observed in. Whichever is written last, the highest number counts.

use super::{
    Host,
    held::{self, Held},
    state,
};

/// Where rules stand below a host's name, before their number.
const RULES: &str = "rules";

/// The number of the rules that stand there below a host's name; `None` where something else does.
pub(super) fn number(rest: &str) -> Option<u64> {
    let number = rest.strip_prefix(RULES)?;
    // As earlier programs wrote it.
    if number.is_empty() {
        return Some(0);
    }
    u64::from_str_radix(number.strip_prefix('/')?, 16).ok()
}

fn key(host: &str, number: u64) -> String {
    match number {
        0 => format!("{host}/{RULES}"),
        _ => format!("{host}/{RULES}/{number:x}"),
    }
}

/// What of a host's rules is in the store.
#[derive(Debug, Default)]
pub(super) struct RulesKept {
    /// Of the rules written last.
    number: u64,
    /// Of those that are of no use any more.
    outdated: Vec<u64>,
    are_outdated: bool,
}

impl RulesKept {
    /// The host has other rules than the store.
    pub(super) const fn outdate(&mut self) {
        self.are_outdated = true;
    }

    pub(super) const fn are_outdated(&self) -> bool {
        self.are_outdated
    }

    /// Writes the rules of a host in place of those before.
    pub(super) fn write(&mut self, host: &Host, entries: &mut Vec<(String, Option<Vec<u8>>)>) {
        self.number += 1;
        self.are_outdated = false;
        let rules = state::rules(host.rules());
        entries.push((key(host.name(), self.number), Some(rules)));
        let outdated = self.outdated.drain(..);
        entries.extend(outdated.map(|number| (key(host.name(), number), None)));
        self.outdated.push(self.number);
    }
}

/// Rules of a host as a store holds them, until all are read.
#[derive(Debug, Default)]
pub(super) struct RulesFound {
    last: Option<(u64, Vec<Held>)>,
    numbers: Vec<u64>,
}

impl RulesFound {
    /// Takes rules of this number.
    pub(super) fn take(&mut self, number: u64, value: &[u8]) -> Result<(), String> {
        self.numbers.push(number);
        let mut json = serde_json::Deserializer::from_slice(value);
        let rules = held::readable(&mut json).and_then(|rules| json.end().map(|()| rules));
        let rules = rules.map_err(|why| why.to_string())?;
        if self.last.as_ref().is_none_or(|(last, _)| *last < number) {
            self.last = Some((number, rules));
        }
        Ok(())
    }

    /// Whether there are any that can be read.
    pub(super) const fn is_some(&self) -> bool {
        self.last.is_some()
    }

    /// The rules that count, and what is in the store.
    pub(super) fn put_together(self) -> (Vec<Held>, RulesKept) {
        let kept = RulesKept {
            number: self.numbers.iter().copied().max().unwrap_or(0),
            outdated: self.numbers,
            are_outdated: false,
        };
        (self.last.map(|(_, rules)| rules).unwrap_or_default(), kept)
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, sync::Arc};

    use super::{super::held::RuleSource, *};
    use crate::rules::{Entry, SiteRules};

    type Store = BTreeMap<String, Vec<u8>>;

    fn host(rules: &[&str]) -> Host {
        let mut host = Host::new("site.example", Arc::new(SiteRules::default()));
        let held = |text: &&str| {
            let entry = Entry::by_hand(text.parse().unwrap());
            Held::said(Arc::new(entry), RuleSource::File)
        };
        host.restore(rules.iter().map(held).collect());
        host
    }

    fn commit(store: &mut Store, entries: Vec<(String, Option<Vec<u8>>)>) {
        for (key, value) in entries {
            match value {
                Some(value) => drop(store.insert(key, value)),
                None => drop(store.remove(&key)),
            }
        }
    }

    fn read(store: &Store) -> (Vec<String>, RulesKept) {
        let mut found = RulesFound::default();
        for (key, value) in store {
            let (host, rest) = key.split_once('/').unwrap();
            assert_eq!(host, "site.example");
            found.take(number(rest).unwrap(), value).unwrap();
        }
        let (rules, kept) = found.put_together();
        let text = |held: &Held| held.entry.rule.to_string();
        (rules.iter().map(text).collect(), kept)
    }

    #[test]
    fn the_rules_written_last_count_in_whatever_order_they_arrive() {
        let mut kept = RulesKept::default();
        let mut store = Store::new();
        let texts = [
            &["has:query.sid => drop:query.sid"][..],
            &[
                "has:query.sid => drop:query.sid",
                "has:query.ref => drop:query.ref",
            ],
            &["has:query.ref => drop:query.ref"],
        ];
        let writes: Vec<_> = texts
            .iter()
            .map(|rules| {
                let mut entries = Vec::new();
                kept.write(&host(rules), &mut entries);
                entries
            })
            .collect();
        for entries in writes.into_iter().rev() {
            commit(&mut store, entries);
            assert_eq!(read(&store).0, texts[2]);
        }
        // What arrived too late goes with the next rules, also after a restart.
        let mut entries = Vec::new();
        read(&store).1.write(&host(texts[0]), &mut entries);
        commit(&mut store, entries);
        assert_eq!(store.len(), 1);
        assert_eq!(read(&store).0, texts[0]);
    }

    #[test]
    fn a_rule_that_is_known_no_more_costs_the_others_nothing() {
        let mut kept = RulesKept::default();
        let mut entries = Vec::new();
        let texts = [
            "has:query.sid => drop:query.sid",
            "has:query.ref => drop:query.ref",
        ];
        kept.write(&host(&texts), &mut entries);
        let mut store = Store::new();
        commit(&mut store, entries);
        for value in store.values_mut() {
            let text = String::from_utf8(std::mem::take(value)).unwrap();
            assert!(text.contains(texts[0]));
            *value = text.replace(texts[0], "lower:host").into_bytes();
        }
        assert_eq!(read(&store).0, [texts[1]]);
        // What is no list of rules is none.
        let mut found = RulesFound::default();
        for broken in ["{}", "[] x", "", "7"] {
            assert!(found.take(1, broken.as_bytes()).is_err());
        }
    }

    #[test]
    fn rules_of_an_earlier_program_are_read_and_replaced() {
        let mut store = Store::new();
        let texts = ["has:query.sid => drop:query.sid"];
        store.insert(
            "site.example/rules".into(),
            state::rules(host(&texts).rules()),
        );
        let (rules, mut kept) = read(&store);
        assert_eq!(rules, texts);
        let mut entries = Vec::new();
        kept.write(&host(&[]), &mut entries);
        commit(&mut store, entries);
        assert_eq!(store.len(), 1);
        assert!(read(&store).0.is_empty());
    }
}
