//! Was a claim ever tried on values like this one?
//!
//! That `id` does not matter behind the pages of some namespaces says nothing of a namespace that was never
//! met, that three languages show one page says nothing of a fourth, and what holds beside some parameters of a
//! script need not hold beside others. Per belief it is noted which *kinds* its successful trials were of, in four ways:
//! by namespace (what stands before the first `:`, `/` or `|` of a value, all others being of one kind), by value,
//! for claims about a path, by the names of the parameters, and by what stands beside (folder, action, namespaces). Where new kinds have become rare (the share of
//! unseen ones is estimated by that of the kinds seen once: Good, *Biometrika* 1953), a link with a new one
//! is fetched: if it is no copy, the claim is not made of its kind. Nor is it of one that failed twice and never held. Where
//! new ones have not become rare, kinds tell nothing: of numbers and names each value is new. What held elsewhere, of a belief that another
//! crawl formed, is as good as new until one page of this crawl was a copy, too.

mod shared;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

use super::kind::Kind;
use crate::{
    heap::{BLOCK, of_map},
    predict::codec::{In, Out},
};

/// Kinds of values; more, and they tell nothing.
const MOST: usize = 40;
/// Trials before kinds tell anything.
const LEAST: u32 = 30;
/// Trials that nobody could decide after which a new kind is taken for one like the others: a claim that holds
/// where it can be told is acted upon where it cannot, unless that is too often the case.
const ENOUGH_UNDECIDED: u8 = 3;
/// Trials of other kinds that held before one that never did is an exception.
const HELD: u32 = 6;
/// Kinds are rare while those seen once are at most one in this many trials.
const RARE: u32 = 20;

/// What is known of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Once,
    Again,
    /// A new kind that was tried, and failed.
    Excepted,
    /// A new kind that was tried so often, and nobody could tell.
    Undecided(u8),
    /// It was tried once, and failed.
    Failed,
    /// It was an exception elsewhere: what it shows first tells whether it is one here.
    Doubted,
    /// It held elsewhere: the first page of it tells whether it does here.
    Told,
}

impl Known {
    const fn is_excepted(self) -> bool {
        matches!(self, Self::Excepted | Self::Doubted)
    }
}

/// The kinds of values that one belief was tried on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Kinds {
    /// In order of their coming.
    seen: Box<[(u32, Known)]>,
    trials: u32,
    /// Whether kinds are too many to tell anything; the exceptions found before stay.
    is_open: bool,
}

impl Kinds {
    fn add(&mut self, kind: u32, known: Known) {
        self.change(|seen| {
            seen.reserve_exact(1);
            seen.push((kind, known));
        });
    }

    /// They change seldom, and there are many: no room is kept for more.
    fn change(&mut self, change: impl FnOnce(&mut Vec<(u32, Known)>)) {
        let mut seen = std::mem::take(&mut self.seen).into_vec();
        change(&mut seen);
        self.seen = seen.into_boxed_slice();
    }

    /// Notes a trial that could not be decided: whether the belief is extended to a new kind by it.
    fn note_undecided(&mut self, kind: u32) -> bool {
        if !self.is_strange(kind) {
            return false;
        }
        let Some((_, known)) = self.seen.iter_mut().find(|(seen, _)| *seen == kind) else {
            if self.seen.len() <= MOST {
                self.add(kind, Known::Undecided(1));
            }
            return false;
        };
        match known {
            Known::Undecided(times) if *times + 1 < ENOUGH_UNDECIDED => *times += 1,
            Known::Undecided(_) => *known = Known::Again,
            Known::Told => *known = Known::Undecided(1),
            _ => return false,
        }
        *known == Known::Again
    }

    /// Notes a decided trial: whether the belief is extended to a new kind by it, or that kind excepted.
    fn note(&mut self, kind: u32, success: bool) -> Option<bool> {
        let is_strange = self.is_strange(kind);
        self.trials = self.trials.saturating_add(u32::from(success));
        let has_room = is_strange && self.exceptions() < MOST;
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
            // What is dropped from now on is not counted: that must not make it look rare.
            None if is_strange && success => self.add(kind, Known::Again),
            None if has_room => self.add(kind, Known::Excepted),
            // What is forgotten is as strange as before.
            None if is_strange => {}
            None if success && !self.is_open => self.add(kind, Known::Once),
            None if !success && !self.is_open => self.add(kind, Known::Failed),
            None => {}
        }
        if !self.is_open && self.seen.len() > MOST && self.seen.len() - self.exceptions() > MOST {
            self.is_open = true;
            self.change(|seen| seen.retain(|(_, known)| known.is_excepted()));
        }
        is_strange.then_some(success)
    }

    /// Makes a kind an exception that failed before, and never held; whether it is such a one.
    fn except(&mut self, kind: u32) -> bool {
        if self.trials < HELD || self.exceptions() >= MOST {
            return false;
        }
        let failed = self
            .seen
            .iter_mut()
            .find(|known| **known == (kind, Known::Failed));
        failed.map(|(_, known)| *known = Known::Excepted).is_some()
    }

    /// Whether any kind may be [strange](Self::is_strange).
    const fn tells(&self) -> bool {
        !(self.seen.is_empty() && (self.is_open || self.trials < LEAST))
    }

    fn forget_failures(&mut self) {
        if self.seen.iter().any(|(_, known)| *known == Known::Failed) {
            self.change(|seen| seen.retain(|(_, known)| *known != Known::Failed));
        }
    }

    fn is_strange(&self, kind: u32) -> bool {
        if let Some((_, known)) = self.seen.iter().find(|(seen, _)| *seen == kind) {
            return known.is_excepted() || matches!(known, Known::Undecided(_) | Known::Told);
        }
        let once = self.seen.iter().filter(|(_, known)| *known == Known::Once);
        !self.is_open && self.trials >= LEAST && once.count() as u32 * RARE <= self.trials
    }

    fn write(&self, out: &mut Out) {
        let Self {
            seen,
            trials,
            is_open,
        } = self;
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
                Known::Failed => FAILED,
                Known::Doubted => DOUBTED,
                Known::Told => TOLD,
            });
        }
    }

    fn read(from: &mut In<'_>) -> Option<Self> {
        Some(Self {
            trials: from.small()?,
            is_open: from.flag()?,
            seen: (0..from.count()?)
                .map(|_| Some((from.small()?, known_of(from.byte()?)?)))
                .collect::<Option<_>>()?,
        })
    }

    fn exceptions(&self) -> usize {
        let excepted = self.seen.iter().filter(|(_, known)| known.is_excepted());
        excepted.count()
    }
}

/// How a kind that failed once is written.
const FAILED: u8 = u8::MAX;
/// How a kind is written that was an exception elsewhere.
const DOUBTED: u8 = FAILED - 1;
/// How a kind is written that held elsewhere.
const TOLD: u8 = FAILED - 2;

const fn known_of(byte: u8) -> Option<Known> {
    Some(match byte {
        0 => Known::Once,
        1 => Known::Again,
        2 => Known::Excepted,
        _ if byte - 2 < ENOUGH_UNDECIDED => Known::Undecided(byte - 2),
        FAILED => Known::Failed,
        DOUBTED => Known::Doubted,
        TOLD => Known::Told,
        _ => return None,
    })
}

/// The kinds by namespace, by value, by the names of parameters and by what stands beside.
type Ways = [Kinds; 4];
/// The last of these.
const BESIDE: usize = 3;

/// The kinds of values that the beliefs of a site held for, by the beliefs' keys.
#[derive(Debug, Default)]
pub(super) struct KindsOfBeliefs(FxHashMap<u64, Box<Ways>>);

impl KindsOfBeliefs {
    /// Notes a decided trial of a belief: whether it is extended to a new kind by it, or that kind excepted.
    pub(super) fn note(&mut self, belief: u64, kind: Kind, success: bool) -> Option<bool> {
        if kind == [0; 4] {
            return None;
        }
        let ways = self.0.entry(belief).or_default();
        let is_strange = |(kinds, kind): &(&Kinds, u32)| *kind != 0 && kinds.is_strange(*kind);
        let first = ways.iter().zip(kind).position(|both| is_strange(&both));
        let noted = ways.iter_mut().zip(kind).enumerate();
        // One failure tells of one way; where two are new, nobody knows of which.
        let noted = noted.filter(|(at, _)| success || first.is_none_or(|first| first == *at));
        let noted = noted.map(|(_, both)| both).filter(|(_, kind)| *kind != 0);
        let noted = noted.filter_map(|(kinds, kind)| kinds.note(kind, success));
        noted.reduce(|one, other| one && other)
    }

    /// Makes the kind of a failed trial an exception, if it failed before and never held, and tells then whether that way
    /// knows of no other failure. What is beside comes first: where a folder fails, each value fails there.
    pub(super) fn except(&mut self, belief: u64, kind: Kind) -> Option<bool> {
        let ways = self.0.get_mut(&belief)?;
        let excepted = (0..ways.len())
            .rev()
            .find(|way| kind[*way] != 0 && ways[*way].except(kind[*way]))?;
        // The failure before was noted in other ways, too: it is taken back once.
        let others = ways.iter_mut().enumerate();
        let others = others.filter(|(way, _)| *way != excepted);
        others.for_each(|(_, kinds)| kinds.forget_failures());
        Some(
            ways[excepted]
                .seen
                .iter()
                .all(|(_, known)| *known != Known::Failed),
        )
    }

    /// Forgets failures that do not count any more, as a test of the belief begins.
    pub(super) fn start(&mut self, belief: u64) {
        let ways = self.0.get_mut(&belief).into_iter();
        let ways = ways.flat_map(|ways| ways.iter_mut());
        ways.for_each(Kinds::forget_failures);
    }

    /// Forgets what was beside, where names of that have changed: the beliefs that had exceptions by it.
    pub(super) fn forget_beside(&mut self) -> Vec<u64> {
        let mut beliefs = Vec::new();
        for (belief, ways) in &mut self.0 {
            if ways[BESIDE].exceptions() > 0 {
                beliefs.push(*belief);
            }
            ways[BESIDE] = Kinds::default();
        }
        // In an order that does not depend on how the table grew.
        beliefs.sort_unstable();
        beliefs
    }

    /// Whether anything is known of the kinds of a belief.
    pub(super) fn knows(&self, belief: u64) -> bool {
        self.0.contains_key(&belief)
    }

    /// Notes a trial of a belief that could not be decided: whether it is extended to a new kind by it.
    pub(super) fn note_undecided(&mut self, belief: u64, kind: Kind) -> bool {
        let Some(ways) = self.0.get_mut(&belief) else {
            return false;
        };
        let noted = ways.iter_mut().zip(kind).filter(|(_, kind)| *kind != 0);
        noted.fold(false, |any, (kinds, kind)| {
            kinds.note_undecided(kind) || any
        })
    }

    /// Kinds that a belief was found not to hold for.
    pub(super) fn exceptions(&self, belief: u64) -> usize {
        let ways = self.0.get(&belief).map_or(&[][..], |ways| &ways[..]);
        ways.iter().map(Kinds::exceptions).sum()
    }

    /// Whether a belief was tried often, but not on this kind of value, or failed on it.
    pub(super) fn is_strange(&self, belief: u64, kind: impl FnOnce() -> Kind) -> bool {
        self.0.get(&belief).is_some_and(|ways| {
            let mut kinds = ways.iter().zip(kind());
            kinds.any(|(kinds, kind)| kind != 0 && kinds.is_strange(kind))
        })
    }

    /// The same, of which no more is asked for than can tell: `kind` names the kind in one of the ways.
    pub(super) fn is_strange_in_a_way(&self, belief: u64, kind: impl Fn(usize) -> u32) -> bool {
        let is_strange = |kinds: &Kinds, kind: u32| kind != 0 && kinds.is_strange(kind);
        self.0.get(&belief).is_some_and(|ways| {
            let mut ways = (0..).zip(ways.iter()).filter(|(_, kinds)| kinds.tells());
            ways.any(|(way, kinds)| is_strange(kinds, kind(way)))
        })
    }

    pub(super) fn bytes(&self) -> usize {
        let list = |kinds: &Kinds| match &*kinds.seen {
            [] => 0,
            seen => size_of_val(seen) + BLOCK,
        };
        let one = |ways: &Ways| size_of::<Ways>() + BLOCK + ways.iter().map(list).sum::<usize>();
        of_map(&self.0) + self.0.values().map(|ways| one(ways)).sum::<usize>()
    }

    /// Writes what is known of one belief.
    pub(super) fn write(&self, belief: u64, out: &mut Out) {
        let known = self.0.get(&belief);
        out.flag(known.is_some());
        for kinds in known.into_iter().flat_map(|ways| ways.iter()) {
            kinds.write(out);
        }
    }

    /// Reads what was written of one belief.
    pub(super) fn read(&mut self, belief: u64, from: &mut In<'_>) -> Option<()> {
        if from.flag()? {
            let mut ways = Ways::default();
            for kinds in &mut ways {
                *kinds = Kinds::read(from)?;
            }
            self.0.insert(belief, ways.into());
        }
        Some(())
    }
}
