//! Finds the failures of a rule that a condition explains: a folder in which it is always wrong, a value that matters.
//!
//! Such failures say nothing of other folders and values. The others fall where they will, and a part that has none of them may have been lucky
//! ([`super::luck`]).

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{
    deed::Deed,
    luck::{LUCK, ln_of_at_most},
    narrow::{features, some},
    table::Table,
};
use crate::rules::{Condition, Key, Parts, Rule};

/// Times that an explanation is looked for, at most.
const ROUNDS: usize = 12;
/// Different pages that are enough to tell that a rule is wrong about all paths of a length.
const MANY_PAGES: usize = 8;
/// Orders in which failures are dealt to the values of a part, to see whether they fall as unevenly as they do.
const DEALS: u64 = 400;
/// As many deals are made in any case, and no more if that takes more failures than so many.
const FEWEST_DEALS: u64 = 100;
const MOST_DEALT: u64 = 400_000;
/// One deal in so many may be as uneven.
const ONE_IN: usize = 100;

/// A URL that a rule changes: numbers of the conditions that hold for it, ascending, and its page.
#[derive(Debug)]
struct Member {
    conditions: Vec<u32>,
    page: u64,
}

/// URLs that become one.
#[derive(Debug)]
struct Group {
    members: Vec<Member>,
    /// The page of what the rule makes of them, if that was known.
    known: Option<u64>,
}

impl Group {
    fn is_trial(&self) -> bool {
        self.members.len() + usize::from(self.known.is_some()) > 1
    }

    /// The page that all should be: what is known of what they become, or that of most; `None` where nobody can tell.
    fn page(&self) -> Option<u64> {
        if self.known.is_some() {
            return self.known;
        }
        let mut pages: SmallVec<[u64; 8]> = self.members.iter().map(|member| member.page).collect();
        pages.sort_unstable();
        let runs = || pages.chunk_by(|a, b| a == b);
        let most = runs().map(<[u64]>::len).max()?;
        let mut of_most = runs().filter(|run| run.len() == most);
        let page = of_most.next()?[0];
        of_most.next().is_none().then_some(page)
    }

    fn fails(&self) -> bool {
        let page = self.page();
        self.members.iter().any(|member| Some(member.page) != page)
    }
}

/// Groups in which a condition holds for some member, and those of them in which it holds for one that is another page.
#[derive(Clone, Copy, Debug, Default)]
struct Vote {
    all: u64,
    failing: u64,
}

/// What a rule does, as far as it can be explained.
#[derive(Debug)]
struct Groups {
    conditions: Vec<Condition>,
    groups: Vec<Group>,
}

/// The trials and failures of a rule that did this, without the URLs whose failures are explained.
pub(super) fn unexplained(
    table: &Table<'_>,
    rule: &Rule,
    deed: &Deed,
    names: &[Box<str>],
) -> (u64, u64) {
    let mut groups = Groups::of(table, rule, deed, names);
    let of_sample = groups.groups.len().max(1) as f64;
    for _ in 0..ROUNDS {
        let (all, failing) = groups.told();
        if failing == 0 {
            break;
        }
        let votes = groups.votes();
        let explained = groups.unlikely(&votes, (all, failing));
        let explained =
            explained.map_or_else(|| groups.uneven(&votes), |condition| vec![condition]);
        if explained.is_empty() {
            break;
        }
        groups.leave_out(&explained);
    }
    let (all, failing) = groups.told();
    let scale = deed.groups.spans.len() as f64 / of_sample;
    let scaled = |n: u64| (n as f64 * scale).round() as u64;
    (scaled(all), scaled(failing))
}

impl Groups {
    fn of(table: &Table<'_>, rule: &Rule, deed: &Deed, names: &[Box<str>]) -> Self {
        let mut numbers: FxHashMap<Condition, u32> = FxHashMap::default();
        let mut conditions = Vec::new();
        let mut spare = Parts::none();
        let mut groups = Vec::new();
        for span in some(&deed.groups.spans) {
            let member = |at: &u32| {
                let mut own: Vec<u32> = features(table.parts(*at, &mut spare), names)
                    .into_iter()
                    .filter(|condition| !rule.pattern.0.contains(condition))
                    .map(|condition| {
                        let next = conditions.len() as u32;
                        let number = *numbers.entry(condition.clone()).or_insert(next);
                        if number == next {
                            conditions.push(condition);
                        }
                        number
                    })
                    .collect();
                own.sort_unstable();
                own.dedup();
                Member {
                    conditions: own,
                    page: table.cluster(*at),
                }
            };
            let changed = deed.groups.changed(*span);
            let members = changed.iter().map(member).collect();
            let known = deed.groups.group(*span).get(changed.len());
            groups.push(Group {
                members,
                known: known.map(|at| table.cluster(*at)),
            });
        }
        Self { conditions, groups }
    }

    /// Trials and failures.
    fn told(&self) -> (u64, u64) {
        let failing = self.groups.iter().filter(|group| group.fails()).count();
        (self.groups.len() as u64, failing as u64)
    }

    /// Those about each condition.
    fn votes(&self) -> Vec<Vote> {
        let mut votes = vec![Vote::default(); self.conditions.len()];
        let mut holds: FxHashMap<u32, bool> = FxHashMap::default();
        for group in &self.groups {
            let page = group.page();
            for member in &group.members {
                for condition in &member.conditions {
                    *holds.entry(*condition).or_default() |= Some(member.page) != page;
                }
            }
            for (condition, fails) in holds.drain() {
                let vote = &mut votes[condition as usize];
                vote.all += 1;
                vote.failing += u64::from(fails);
            }
        }
        votes
    }

    /// The condition under which most failures fall that would not by chance.
    fn unlikely(&self, votes: &[Vote], (all, failing): (u64, u64)) -> Option<u32> {
        let numbered = || (0u32..).zip(votes).filter(|(_, vote)| vote.all > 1);
        let is_often_wrong =
            |(_, vote): &(u32, &Vote)| vote.failing > 1 && vote.failing * all > failing * vote.all;
        let unlikely = numbered().filter(is_often_wrong).map(|(condition, vote)| {
            // So many failures are so few successes.
            let ln = ln_of_at_most((vote.all, vote.all - vote.failing), (all, all - failing));
            (ln, condition)
        });
        let order = |a: &(f64, u32), b: &(f64, u32)| {
            let by_name = || self.conditions[a.1 as usize].cmp(&self.conditions[b.1 as usize]);
            a.0.total_cmp(&b.0).then_with(by_name)
        };
        let tried = numbered().count() as f64;
        let is_shallow = |(condition, _): &(u32, &Vote)| self.is_all_else(*condition);
        if let Some((condition, _)) = (0u32..)
            .zip(votes)
            .filter(|(_, vote)| vote.failing == vote.all)
            .find(is_shallow)
        {
            return Some(condition);
        }
        let (ln, condition) = unlikely.min_by(order)?;
        (ln + tried.ln() <= LUCK.ln()).then_some(condition)
    }

    /// Whether the condition is about the length of the path, and all URLs of that length become one though they are many pages: no group is right there.
    fn is_all_else(&self, condition: u32) -> bool {
        if !matches!(
            self.conditions[condition as usize],
            Condition::Is(Key::Len, _)
        ) {
            return false;
        }
        let holds = |member: &&Member| member.conditions.binary_search(&condition).is_ok();
        let pages: BTreeSet<u64> = self
            .groups
            .iter()
            .flat_map(|group| &group.members)
            .filter(holds)
            .map(|member| member.page)
            .collect();
        pages.len() >= MANY_PAGES
    }

    /// The values of a part that mostly fail, if failures fall to the values of that part more unevenly than they would by chance.
    fn uneven(&self, votes: &[Vote]) -> Vec<u32> {
        let mut parts: BTreeMap<&Key, Vec<u32>> = BTreeMap::new();
        for ((condition, vote), number) in self.conditions.iter().zip(votes).zip(0..) {
            if let Condition::Is(key, _) = condition
                && vote.all > 1
            {
                parts.entry(key).or_default().push(number);
            }
        }
        let mut explained = Vec::new();
        for (_, mut values) in parts {
            values.sort_unstable_by(|a, b| {
                self.conditions[*a as usize].cmp(&self.conditions[*b as usize])
            });
            let of_values: Vec<Vote> = values.iter().map(|at| votes[*at as usize]).collect();
            if is_uneven(&of_values) {
                let mostly_fails = |at: &&u32| {
                    let vote = votes[**at as usize];
                    vote.failing * 2 >= vote.all
                };
                explained.extend(values.iter().filter(mostly_fails));
            }
        }
        explained
    }

    /// Leaves out the members that one of the conditions holds for.
    fn leave_out(&mut self, conditions: &[u32]) {
        for group in &mut self.groups {
            group.members.retain(|member| {
                let holds = |condition: &u32| member.conditions.binary_search(condition).is_ok();
                !conditions.iter().any(holds)
            });
        }
        self.groups.retain(Group::is_trial);
    }
}

/// Whether failures fall more unevenly than in nearly all of many orders in which they are dealt.
fn is_uneven(votes: &[Vote]) -> bool {
    let failing: u64 = votes.iter().map(|vote| vote.failing).sum();
    let all: u64 = votes.iter().map(|vote| vote.all).sum();
    if votes.len() < 2 || failing < 2 || failing == all {
        return false;
    }
    let unevenness = |failing: &[u64]| -> f64 {
        let of_each = votes.iter().zip(failing);
        of_each
            .map(|(vote, failing)| (failing * failing) as f64 / vote.all as f64)
            .sum()
    };
    let met: Vec<u64> = votes.iter().map(|vote| vote.failing).collect();
    let met = unevenness(&met) - 1e-9;
    // Cards of each value, of which the first so many fail in a random order.
    let mut cards: Vec<u32> = (0u32..)
        .zip(votes)
        .flat_map(|(value, vote)| (0..vote.all).map(move |_| value))
        .collect();
    let mut dealt = vec![0; votes.len()];
    let reaches = |deal: &u64| {
        dealt.fill(0);
        for place in 0..failing {
            let drawn = xxh3_64_with_seed(&place.to_le_bytes(), *deal) % (all - place) + place;
            cards.swap(place as usize, drawn as usize);
            dealt[cards[place as usize] as usize] += 1;
        }
        unevenness(&dealt) >= met
    };
    let deals = (MOST_DEALT / failing).clamp(FEWEST_DEALS, DEALS);
    let by_chance = (0..deals)
        .filter(reaches)
        .take(deals as usize / ONE_IN + 1)
        .count();
    by_chance <= deals as usize / ONE_IN
}
