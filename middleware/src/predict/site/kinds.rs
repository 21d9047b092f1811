//! Was a claim ever tried on values like this one?
//!
//! That `id` does not matter behind the pages of some namespaces says nothing of a namespace that was never
//! met. Per belief it is noted which *kinds* of values its successful trials had: what stands before the first `:`, `/` or `|` of a value, all others being of one kind; of the claim about all parameters, also which there are. Where new kinds have become rare (the share of
//! unseen ones is estimated by that of the kinds seen once: Good, *Biometrika* 1953), a link with a new one
//! is fetched: if it is no copy, the claim is not made of its kind. Where they have not, kinds tell nothing.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::predict::{
    codec::{In, Out},
    form::{Edit, Form, Hashed, hash_of, join},
};

/// Kinds of values; more, and they tell nothing.
const MOST: usize = 24;
/// Trials before kinds tell anything.
const LEAST: u32 = 30;
/// Trials that nobody could decide after which a new kind is taken for one like the others: a claim that holds
/// where it can be told is acted upon where it cannot, unless that is too often the case.
const ENOUGH_UNDECIDED: u8 = 3;
/// Kinds are rare while those seen once are at most one in this many trials.
const RARE: u32 = 20;

/// No namespace.
const PLAIN: u64 = 1;

/// Name of the kind of the values that an edit calls irrelevant here; 0 where it names them, or there are none.
pub(super) fn kind_of(edit: &Hashed, before: &Form<'_>) -> u32 {
    let is_all = matches!(**edit, Edit::AllParams);
    let all = before.params.iter().filter(|_| is_all);
    let values = (all.map(|(_, value)| value)).chain(edit.irrelevant(before));
    let mut is_any = false;
    let mut kinds = SmallVec::<[u64; 8]>::new();
    for value in values {
        is_any = true;
        kinds.extend(kind_of_value(value));
    }
    if !is_any {
        return 0;
    }
    // Whatever the order, and however many plain ones there are.
    if kinds.len() > 1 {
        kinds.sort_unstable();
        kinds.dedup();
    }
    let kind = kinds.into_iter().reduce(join).unwrap_or(PLAIN);
    // A name that was never met is as new as a namespace.
    let kind = if is_all {
        join(kind, before.names_key())
    } else {
        kind
    };
    kind as u32 | 1
}

/// The kind of a value that has a namespace.
fn kind_of_value(value: &str) -> Option<u64> {
    let octets = value.as_bytes();
    let mut signs = (0..)
        .zip(octets)
        .filter(|(_, b)| matches!(b, b':' | b'/' | b'|' | b'%'));
    let is_end = |(at, sign): &(usize, &u8)| {
        **sign != b'%' || {
            let escaped = octets[at + 1..].first_chunk::<2>();
            escaped.is_some_and(|e| matches!(e, b"3A" | b"3a" | b"2F" | b"2f" | b"7C" | b"7c"))
        }
    };
    let at = signs.find(is_end).map(|(at, _)| at);
    let name = &value[..at?];
    (name.bytes().any(|b| !b.is_ascii_digit())).then(|| hash_of(52, name))
}

/// What is known of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Once,
    Again,
    /// A new kind that was tried, and failed.
    Excepted,
    /// A new kind that was tried so often, and nobody could tell.
    Undecided(u8),
}

/// The kinds of values that one belief was tried on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Kinds {
    /// In order of their coming.
    seen: Vec<(u32, Known)>,
    trials: u32,
    /// Whether kinds are too many to tell anything; the exceptions found before stay.
    is_open: bool,
}

impl Kinds {
    /// Notes a trial that could not be decided: whether the belief is extended to a new kind by it.
    fn note_undecided(&mut self, kind: u32) -> bool {
        if !self.is_strange(kind) {
            return false;
        }
        let Some((_, known)) = self.seen.iter_mut().find(|(seen, _)| *seen == kind) else {
            self.seen.push((kind, Known::Undecided(1)));
            return false;
        };
        match known {
            Known::Undecided(times) if *times + 1 < ENOUGH_UNDECIDED => *times += 1,
            Known::Undecided(_) => *known = Known::Again,
            _ => return false,
        }
        *known == Known::Again
    }

    /// Notes a decided trial: whether the belief is extended to a new kind by it, or that kind excepted.
    fn note(&mut self, kind: u32, success: bool) -> Option<bool> {
        let is_strange = self.is_strange(kind);
        self.trials = self.trials.saturating_add(u32::from(success));
        let known = self.seen.iter_mut().find(|(seen, _)| *seen == kind);
        match known {
            Some((_, Known::Excepted)) => return None,
            Some((_, known)) => {
                if success {
                    *known = Known::Again;
                } else if is_strange {
                    *known = Known::Excepted;
                }
            }
            None if is_strange && !success => self.seen.push((kind, Known::Excepted)),
            // What is dropped from now on is not counted: that must not make it look rare.
            None if is_strange => self.seen.push((kind, Known::Again)),
            None if success && !self.is_open => self.seen.push((kind, Known::Once)),
            None => {}
        }
        if self.seen.len() > MOST && !self.is_open {
            self.is_open = true;
            self.seen.retain(|(_, known)| *known == Known::Excepted);
        }
        is_strange.then_some(success)
    }

    fn is_strange(&self, kind: u32) -> bool {
        if let Some((_, known)) = self.seen.iter().find(|(seen, _)| *seen == kind) {
            return matches!(known, Known::Excepted | Known::Undecided(_));
        }
        let once = self.seen.iter().filter(|(_, known)| *known == Known::Once);
        !self.is_open && self.trials >= LEAST && once.count() as u32 * RARE <= self.trials
    }

    fn exceptions(&self) -> usize {
        let excepted = self
            .seen
            .iter()
            .filter(|(_, known)| *known == Known::Excepted);
        excepted.count()
    }
}

const fn known_of(byte: u8) -> Option<Known> {
    Some(match byte {
        0 => Known::Once,
        1 => Known::Again,
        2 => Known::Excepted,
        _ if byte - 2 < ENOUGH_UNDECIDED => Known::Undecided(byte - 2),
        _ => return None,
    })
}

/// The kinds of values that the beliefs of a site held for, by the beliefs' keys.
#[derive(Debug, Default)]
pub(super) struct KindsOfBeliefs(FxHashMap<u64, Kinds>);

impl KindsOfBeliefs {
    /// Notes a decided trial of a belief: whether it is extended to a new kind by it, or that kind excepted.
    pub(super) fn note(&mut self, belief: u64, kind: u32, success: bool) -> Option<bool> {
        (kind != 0).then(|| self.0.entry(belief).or_default().note(kind, success))?
    }

    /// Notes a trial of a belief that could not be decided: whether it is extended to a new kind by it.
    pub(super) fn note_undecided(&mut self, belief: u64, kind: u32) -> bool {
        kind != 0 && (self.0.get_mut(&belief)).is_some_and(|kinds| kinds.note_undecided(kind))
    }

    /// Kinds that a belief was found not to hold for.
    pub(super) fn exceptions(&self, belief: u64) -> usize {
        self.0.get(&belief).map_or(0, Kinds::exceptions)
    }

    /// Whether a belief was tried often, but not on this kind of value, or once and failed.
    pub(super) fn is_strange(&self, belief: u64, kind: impl FnOnce() -> u32) -> bool {
        self.0.get(&belief).is_some_and(|kinds| {
            let kind = kind();
            kind != 0 && kinds.is_strange(kind)
        })
    }

    pub(super) fn bytes(&self) -> usize {
        let lists = self.0.values().map(|kinds| kinds.seen.capacity() * 8);
        self.0.capacity() * (size_of::<(u64, Kinds)>() + 1) * 8 / 7 + lists.sum::<usize>()
    }

    /// Writes what is known of one belief.
    pub(super) fn write(&self, belief: u64, out: &mut Out) {
        let known = self.0.get(&belief);
        out.flag(known.is_some());
        let Some(kinds) = known else { return };
        let Kinds {
            seen,
            trials,
            is_open,
        } = kinds;
        out.number(u64::from(*trials));
        out.flag(*is_open);
        out.count(seen.len());
        for (kind, known) in seen {
            out.number(u64::from(*kind));
            out.byte(match known {
                Known::Once => 0,
                Known::Again => 1,
                Known::Excepted => 2,
                Known::Undecided(times) => 2 + times,
            });
        }
    }

    /// Reads what was written of one belief.
    pub(super) fn read(&mut self, belief: u64, from: &mut In<'_>) -> Option<()> {
        if from.flag()? {
            let (trials, is_open) = (from.small()?, from.flag()?);
            let seen = (0..from.count()?)
                .map(|_| Some((from.small()?, known_of(from.byte()?)?)))
                .collect::<Option<_>>()?;
            let kinds = Kinds {
                seen,
                trials,
                is_open,
            };
            self.0.insert(belief, kinds);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::form::Param;

    #[test]
    fn values_of_one_namespace_are_of_one_kind() {
        let kind = |url: &str| {
            let edit = Edit::Params(vec![Param::Any("id".into())]).into();
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
        assert!(all.is_strange(1, || 99) && !all.is_strange(1, || 11));
        assert!(!all.is_strange(2, || 999));
        assert!(all.is_strange(3, || 99));
        assert!(!all.is_strange(4, || 99), "never tried");
        assert_eq!(all.note(1, 99, true), Some(true));
        assert!(!all.is_strange(1, || 99));
        assert_eq!(all.note(1, 98, false), Some(false));
        assert_eq!(all.note(1, 98, true), None);
        assert!(all.is_strange(1, || 98), "excepted");
        assert_eq!(all.note(1, 11, false), None);
        assert!(!all.is_strange(1, || 11), "that counts elsewhere");
        for times in 1..=3 {
            assert!(all.is_strange(1, || 97));
            assert_eq!(all.note_undecided(1, 97), times == 3);
        }
        assert!(!all.is_strange(1, || 97));
        all.note_undecided(1, 96);
        assert_eq!(all.note(1, 96, false), Some(false));
        assert!(
            all.is_strange(1, || 96),
            "the first that could be told failed"
        );
        for kind in 200..230 {
            all.note(1, kind, true);
        }
        assert!(!all.is_strange(1, || 999), "they are too many now");
        assert!(all.is_strange(1, || 98), "what was excepted stays so");
        assert_eq!(all.exceptions(1), 2);
        let mut out = Out::default();
        let mut again = KindsOfBeliefs::default();
        for belief in 0..5 {
            all.write(belief, &mut out);
        }
        let mut from = In(&out.0);
        for belief in 0..5 {
            again.read(belief, &mut from).unwrap();
        }
        assert_eq!(again.0, all.0);
    }
}
