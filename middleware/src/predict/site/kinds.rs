//! Notes the kinds of URLs that a claim was tried on.
//!
//! That `id` does not matter for the pages of some namespaces says nothing about a namespace that was never met. That three languages show
//! one page says nothing about a fourth, and what holds beside some parameters of a script need not hold beside others. So the *kinds* of a
//! belief's successful trials are noted, in four ways: by namespace (what is before the first `:`, `/` or `|` of a value, all other values
//! being one kind); by value; for claims about a path, by the names of the parameters; and by what stands beside (folder, action,
//! namespaces). If new kinds have become rare (the share of unseen ones is estimated by that of the kinds seen once: Good, *Biometrika*
//! 1953), a link with a new kind is fetched. If it is no copy, the claim is not made about its kind; nor is it about a kind that failed
//! twice and never held. If new kinds have not become rare, kinds tell nothing: numbers and names have new values each time. For a belief
//! that another crawl formed, a kind that held there counts as new until one page of this crawl was a copy, too.

mod shared;
#[cfg(test)]
mod tests;

use std::ops::Range;

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

/// Ways in which kinds are told apart: by namespace, by value, by the names of parameters and by what stands beside.
pub(super) const WAYS: usize = 4;
/// The last of these.
const BESIDE: usize = WAYS - 1;

/// The kinds of values that one belief was tried on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Kinds {
    /// Way by way, in order of their coming. They change seldom, and there are many: no room is kept for more.
    seen: Box<[(u32, Known)]>,
    ways: [Way; WAYS],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Way {
    trials: u32,
    /// Kinds that were seen.
    seen: u16,
    /// Whether kinds are too many to tell anything; the exceptions found before stay.
    is_open: bool,
}

impl Kinds {
    fn range(&self, way: usize) -> Range<usize> {
        let seen = |way: &Way| usize::from(way.seen);
        let from = self.ways[..way].iter().map(seen).sum();
        from..from + seen(&self.ways[way])
    }

    fn seen(&self, way: usize) -> &[(u32, Known)] {
        &self.seen[self.range(way)]
    }

    fn find_mut(&mut self, way: usize, kind: u32) -> Option<&mut Known> {
        let range = self.range(way);
        let mut seen = self.seen[range].iter_mut();
        Some(&mut seen.find(|(seen, _)| *seen == kind)?.1)
    }

    fn add(&mut self, way: usize, kind: u32, known: Known) {
        let end = self.range(way).end;
        let mut seen = std::mem::take(&mut self.seen).into_vec();
        seen.reserve_exact(1);
        seen.insert(end, (kind, known));
        self.seen = seen.into_boxed_slice();
        self.ways[way].seen += 1;
    }

    fn retain(&mut self, way: usize, is_kept: impl Fn(Known) -> bool) {
        let range = self.range(way);
        let (mut at, mut kept) = (0, 0);
        let mut seen = std::mem::take(&mut self.seen).into_vec();
        seen.retain(|(_, known)| {
            let is_of_way = range.contains(&at);
            at += 1;
            let is_kept = !is_of_way || is_kept(*known);
            kept += u16::from(is_of_way && is_kept);
            is_kept
        });
        self.seen = seen.into_boxed_slice();
        self.ways[way].seen = kept;
    }

    /// Forgets what is known in one way.
    fn forget(&mut self, way: usize) {
        self.retain(way, |_| false);
        self.ways[way] = Way::default();
    }

    /// Notes a trial that could not be decided: whether the belief is extended to a new kind by it.
    fn note_undecided(&mut self, way: usize, kind: u32) -> bool {
        if !self.is_strange(way, kind) {
            return false;
        }
        let Some(known) = self.find_mut(way, kind) else {
            if self.seen(way).len() <= MOST {
                self.add(way, kind, Known::Undecided(1));
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
    fn note(&mut self, way: usize, kind: u32, success: bool) -> Option<bool> {
        let is_strange = self.is_strange(way, kind);
        let of_way = &mut self.ways[way];
        of_way.trials = of_way.trials.saturating_add(u32::from(success));
        let is_open = of_way.is_open;
        let has_room = is_strange && self.exceptions(way) < MOST;
        match self.find_mut(way, kind) {
            Some(Known::Excepted) => return None,
            Some(known) => {
                if success {
                    *known = Known::Again;
                } else if is_strange {
                    *known = Known::Excepted;
                }
            }
            // What is dropped from now on is not counted: that must not make it look rare.
            None if is_strange && success => self.add(way, kind, Known::Again),
            None if has_room => self.add(way, kind, Known::Excepted),
            // What is forgotten is as strange as before.
            None if is_strange => {}
            None if success && !is_open => self.add(way, kind, Known::Once),
            None if !success && !is_open => self.add(way, kind, Known::Failed),
            None => {}
        }
        let seen = self.seen(way).len();
        if !is_open && seen > MOST && seen - self.exceptions(way) > MOST {
            self.ways[way].is_open = true;
            self.retain(way, Known::is_excepted);
        }
        is_strange.then_some(success)
    }

    /// Makes a kind an exception that failed before, and never held; whether it is such a one.
    fn except(&mut self, way: usize, kind: u32) -> bool {
        if self.ways[way].trials < HELD || self.exceptions(way) >= MOST {
            return false;
        }
        let failed = self.find_mut(way, kind);
        let failed = failed.filter(|known| **known == Known::Failed);
        failed.map(|known| *known = Known::Excepted).is_some()
    }

    /// Whether any kind may be [strange](Self::is_strange).
    fn tells(&self, way: usize) -> bool {
        let Way {
            trials,
            seen,
            is_open,
        } = self.ways[way];
        !(seen == 0 && (is_open || trials < LEAST))
    }

    fn has_failures(&self, way: usize) -> bool {
        let mut seen = self.seen(way).iter();
        seen.any(|(_, known)| *known == Known::Failed)
    }

    fn forget_failures(&mut self, way: usize) {
        if self.has_failures(way) {
            self.retain(way, |known| known != Known::Failed);
        }
    }

    fn is_strange(&self, way: usize, kind: u32) -> bool {
        let seen = self.seen(way);
        if let Some((_, known)) = seen.iter().find(|(seen, _)| *seen == kind) {
            return known.is_excepted() || matches!(known, Known::Undecided(_) | Known::Told);
        }
        let Way {
            trials, is_open, ..
        } = self.ways[way];
        let once = seen.iter().filter(|(_, known)| *known == Known::Once);
        !is_open && trials >= LEAST && once.count() as u32 * RARE <= trials
    }

    fn write(&self, out: &mut Out) {
        for way in 0..WAYS {
            let Way {
                trials,
                seen: _,
                is_open,
            } = self.ways[way];
            out.number(u64::from(trials));
            out.flag(is_open);
            let seen = self.seen(way);
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
    }

    fn read(from: &mut In<'_>) -> Option<Self> {
        let mut ways = [Way::default(); WAYS];
        let mut seen = Vec::new();
        for way in &mut ways {
            way.trials = from.small()?;
            way.is_open = from.flag()?;
            // Far more than there ever are, and far fewer than there is room to count.
            let many = from.count().filter(|many| *many < 16 * MOST)?;
            way.seen = many as u16;
            for _ in 0..way.seen {
                seen.push((from.small()?, known_of(from.byte()?)?));
            }
        }
        Some(Self {
            seen: seen.into(),
            ways,
        })
    }

    fn exceptions(&self, way: usize) -> usize {
        let excepted = self
            .seen(way)
            .iter()
            .filter(|(_, known)| known.is_excepted());
        excepted.count()
    }

    /// Memory held beside its own, in bytes.
    const fn bytes(&self) -> usize {
        match &*self.seen {
            [] => 0,
            seen => size_of_val(seen) + BLOCK,
        }
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

/// The kinds of values that the beliefs of a site held for, by the beliefs' keys.
#[derive(Debug, Default)]
pub(super) struct KindsOfBeliefs(FxHashMap<u64, Box<Kinds>>);

/// The ways in which a value has a kind, with these.
fn named(kind: Kind) -> impl DoubleEndedIterator<Item = (usize, u32)> {
    let ways = kind.into_iter().enumerate();
    ways.filter(|(_, kind)| *kind != 0)
}

impl KindsOfBeliefs {
    /// Notes a decided trial of a belief: whether it is extended to a new kind by it, or that kind excepted.
    pub(super) fn note(&mut self, belief: u64, kind: Kind, success: bool) -> Option<bool> {
        if kind == [0; WAYS] {
            return None;
        }
        let kinds = self.0.entry(belief).or_default();
        let first = named(kind).find(|(way, kind)| kinds.is_strange(*way, *kind));
        // One failure tells of one way; where two are new, nobody knows of which.
        let noted =
            named(kind).filter(|(way, _)| success || first.is_none_or(|(first, _)| first == *way));
        let noted = noted.filter_map(|(way, kind)| kinds.note(way, kind, success));
        noted.reduce(|one, other| one && other)
    }

    /// Makes the kind of a failed trial an exception, if it failed before and never held, and tells then whether that way
    /// knows of no other failure. What is beside comes first: where a folder fails, each value fails there.
    pub(super) fn except(&mut self, belief: u64, kind: Kind) -> Option<bool> {
        let kinds = self.0.get_mut(&belief)?;
        let (excepted, _) = named(kind)
            .rev()
            .find(|(way, kind)| kinds.except(*way, *kind))?;
        // The failure before was noted in other ways, too: it is taken back once.
        for way in (0..WAYS).filter(|way| *way != excepted) {
            kinds.forget_failures(way);
        }
        Some(!kinds.has_failures(excepted))
    }

    /// Forgets failures that do not count any more, as a test of the belief begins.
    pub(super) fn start(&mut self, belief: u64) {
        if let Some(kinds) = self.0.get_mut(&belief) {
            (0..WAYS).for_each(|way| kinds.forget_failures(way));
        }
    }

    /// Forgets what was beside, where names of that have changed: the beliefs that had exceptions by it.
    pub(super) fn forget_beside(&mut self) -> Vec<u64> {
        let mut beliefs = Vec::new();
        for (belief, kinds) in &mut self.0 {
            if kinds.exceptions(BESIDE) > 0 {
                beliefs.push(*belief);
            }
            kinds.forget(BESIDE);
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
        let Some(kinds) = self.0.get_mut(&belief) else {
            return false;
        };
        named(kind).fold(false, |any, (way, kind)| {
            kinds.note_undecided(way, kind) || any
        })
    }

    /// Kinds that a belief was found not to hold for.
    pub(super) fn exceptions(&self, belief: u64) -> usize {
        let kinds = self.0.get(&belief);
        kinds.map_or(0, |kinds| (0..WAYS).map(|way| kinds.exceptions(way)).sum())
    }

    /// Whether a belief was tried often, but not on this kind of value, or failed on it.
    pub(super) fn is_strange(&self, belief: u64, kind: impl FnOnce() -> Kind) -> bool {
        let kinds = self.0.get(&belief);
        kinds.is_some_and(|kinds| named(kind()).any(|(way, kind)| kinds.is_strange(way, kind)))
    }

    /// The first way in which it is, if there is one, of which no more is asked for than can tell: `kind` names the kind in one of the
    /// ways.
    pub(super) fn strange_way(&self, belief: u64, kind: impl Fn(usize) -> u32) -> Option<usize> {
        let kinds = self.0.get(&belief)?;
        let is_strange = |way: usize, kind: u32| kind != 0 && kinds.is_strange(way, kind);
        let mut ways = (0..WAYS).filter(|way| kinds.tells(*way));
        ways.find(|way| is_strange(*way, kind(*way)))
    }

    pub(super) fn bytes(&self) -> usize {
        let lists = self.0.values().map(|kinds| kinds.bytes());
        of_map(&self.0) + self.0.len() * (size_of::<Kinds>() + BLOCK) + lists.sum::<usize>()
    }

    /// Writes what is known of one belief.
    pub(super) fn write(&self, belief: u64, out: &mut Out) {
        let known = self.0.get(&belief);
        out.flag(known.is_some());
        if let Some(kinds) = known {
            kinds.write(out);
        }
    }

    /// Reads what was written of one belief.
    pub(super) fn read(&mut self, belief: u64, from: &mut In<'_>) -> Option<()> {
        if from.flag()? {
            self.0.insert(belief, Kinds::read(from)?.into());
        }
        Some(())
    }
}
