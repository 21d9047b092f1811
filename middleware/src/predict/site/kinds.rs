//! Was a claim ever tried on values like this one?
//!
//! That `id` does not matter behind the pages of some namespaces says nothing of a namespace that was never
//! met. Per belief it is noted which *kinds* of values its trials had that did not fail: what stands before the first
//! `:`, `/` or `|` of a value, all others being of one kind. Where new kinds have become rare (the share of
//! unseen ones is estimated by that of the kinds seen once: Good, *Biometrika* 1953), a link with a new one
//! is fetched: if it is no copy, the claim is not made of its kind. Where they have not, kinds tell nothing.

use rustc_hash::FxHashMap;

use crate::predict::{
    codec::{In, Out},
    form::{Edit, Form, Param, hash_of},
};

/// Kinds of values; more, and they tell nothing.
const MOST: usize = 24;
/// Trials before kinds tell anything.
const LEAST: u32 = 30;
/// Kinds are rare while those seen once are at most one in this many trials.
const RARE: u32 = 20;

/// No namespace.
const PLAIN: u64 = 1;

/// Name of the kind of the values that an edit calls irrelevant here; 0 where it names them, or there are none.
pub(super) fn kind_of(edit: &Edit, before: &Form<'_>) -> u32 {
    let values = before.params.iter().filter(|(name, _)| match edit {
        Edit::AllParams => true,
        Edit::Params(edits) => edits
            .iter()
            .any(|edit| matches!(edit, Param::Any(one) | Param::Wild(one) if one == name)),
        _ => false,
    });
    let kinds = values.map(|(_, value)| kind_of_value(value));
    // Whatever the order, and however many plain ones there are.
    let kind = kinds.reduce(|all, one| match (all, one) {
        (PLAIN, one) => one,
        (all, PLAIN) => all,
        (all, one) if all == one => all,
        (all, one) => all.wrapping_add(one),
    });
    kind.map_or(0, |kind| kind as u32 | 1)
}

fn kind_of_value(value: &str) -> u64 {
    let octets = value.as_bytes();
    let at = (0..octets.len()).find(|&at| match &octets[at..] {
        [b':' | b'/' | b'|', ..] => true,
        [b'%', rest @ ..] => {
            let escaped = rest.first_chunk::<2>();
            escaped.is_some_and(|e| matches!(e, b"3A" | b"3a" | b"2F" | b"2f" | b"7C" | b"7c"))
        }
        _ => false,
    });
    let before = at.map(|at| &value[..at]);
    match before {
        Some(name) if name.bytes().any(|b| !b.is_ascii_digit()) => hash_of(52, name),
        _ => PLAIN,
    }
}

/// What is known of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Known {
    Once,
    Again,
    /// A new kind that was tried, and failed.
    Excepted,
}

/// The kinds of values that one belief was tried on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Kinds {
    /// In order of their coming; empty when they are too many.
    seen: Vec<(u32, Known)>,
    trials: u32,
}

impl Kinds {
    /// Notes a trial; whether the belief is extended to its kind by it.
    fn note(&mut self, kind: u32, success: bool) -> bool {
        let is_strange = self.is_strange(kind);
        let known = self.seen.iter_mut().find(|(seen, _)| *seen == kind);
        match known {
            Some((_, Known::Excepted)) => return false,
            Some((_, known)) if success => *known = Known::Again,
            None if success || is_strange => {
                let is_told = self.trials == 0 || !self.seen.is_empty();
                if self.seen.len() == MOST {
                    self.seen = Vec::new();
                } else if is_told {
                    let known = if success {
                        Known::Once
                    } else {
                        Known::Excepted
                    };
                    self.seen.push((kind, known));
                }
            }
            _ => {}
        }
        self.trials = self.trials.saturating_add(u32::from(success));
        success && is_strange
    }

    fn is_strange(&self, kind: u32) -> bool {
        let of = |wanted: Known| {
            self.seen
                .iter()
                .filter(|(_, known)| *known == wanted)
                .count()
        };
        match self.seen.iter().find(|(seen, _)| *seen == kind) {
            Some((_, known)) => *known == Known::Excepted,
            None => {
                self.trials >= LEAST
                    && of(Known::Once) as u32 * RARE <= self.trials
                    && !self.seen.is_empty()
            }
        }
    }
}

fn known_of(byte: u8) -> Option<Known> {
    [Known::Once, Known::Again, Known::Excepted]
        .get(usize::from(byte))
        .copied()
}

/// The kinds of values that the beliefs of a site held for, by the beliefs' keys.
#[derive(Debug, Default)]
pub(super) struct KindsOfBeliefs(FxHashMap<u64, Kinds>);

impl KindsOfBeliefs {
    /// Notes a trial of a belief; whether it is extended to the kind by it.
    pub(super) fn note(&mut self, belief: u64, kind: u32, success: bool) -> bool {
        kind != 0 && self.0.entry(belief).or_default().note(kind, success)
    }

    /// Whether a belief was tried often, but not on this kind of value, or once and failed.
    pub(super) fn is_strange(&self, belief: u64, kind: u32) -> bool {
        kind != 0 && (self.0.get(&belief)).is_some_and(|kinds| kinds.is_strange(kind))
    }

    pub(super) fn bytes(&self) -> usize {
        let lists = self.0.values().map(|kinds| kinds.seen.capacity() * 8);
        self.0.capacity() * (size_of::<(u64, Kinds)>() + 1) * 8 / 7 + lists.sum::<usize>()
    }

    pub(super) fn write(&self, out: &mut Out) {
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_unstable_by_key(|(belief, _)| **belief);
        out.count(all.len());
        for (belief, Kinds { seen, trials }) in all {
            out.fixed64(*belief);
            out.number(u64::from(*trials));
            out.count(seen.len());
            for (kind, known) in seen {
                out.number(u64::from(*kind));
                out.byte(*known as u8);
            }
        }
    }

    pub(super) fn read(from: &mut In<'_>) -> Option<Self> {
        let mut all = FxHashMap::default();
        for _ in 0..from.count()? {
            let belief = from.fixed64()?;
            let trials = from.small()?;
            let seen = (0..from.count()?)
                .map(|_| Some((from.small()?, known_of(from.byte()?)?)))
                .collect::<Option<_>>()?;
            all.insert(belief, Kinds { seen, trials });
        }
        Some(Self(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_one_namespace_are_of_one_kind() {
        let kind = |url: &str| {
            let edit = Edit::Params(vec![Param::Any("id".into())]);
            kind_of(&edit, &Form::parse(url))
        };
        let of = |value: &str| kind(&format!("http://e.org/?id={value}&x=1"));
        assert_eq!(of("guide:a"), of("guide:b:c"));
        assert_eq!(of("guide:a"), of("guide%3Ab"));
        assert_ne!(of("guide:a"), of("wiki:a"));
        assert_eq!(of("17"), of("4"));
        assert_ne!(of("17"), of("wiki:a"));
        assert_eq!(of("10:30"), of("abc"), "a time is no namespace");
        assert_eq!(kind("http://e.org/?x=1"), 0, "nothing that is irrelevant");
    }

    #[test]
    fn a_new_kind_is_strange_where_kinds_are_few_and_not_where_they_are_many() {
        let mut all = KindsOfBeliefs::default();
        for trial in 0..100 {
            all.note(1, 10 + trial % 4, true);
            all.note(2, 10 + trial, true);
            all.note(3, 10 + trial % 20, true);
        }
        assert!(all.is_strange(1, 99) && !all.is_strange(1, 11));
        assert!(!all.is_strange(2, 999));
        assert!(all.is_strange(3, 99));
        assert!(!all.is_strange(4, 99), "never tried");
        assert!(all.note(1, 99, true) && !all.is_strange(1, 99));
        assert!(!all.note(1, 98, false) && all.is_strange(1, 98));
        assert!(!all.note(1, 98, true) && all.is_strange(1, 98), "excepted");
        assert!(
            !all.note(1, 11, false) && !all.is_strange(1, 11),
            "that counts elsewhere"
        );
        let mut out = Out::default();
        all.write(&mut out);
        let again = KindsOfBeliefs::read(&mut In(&out.0)).unwrap();
        assert_eq!(again.0, all.0);
    }
}
