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
    luck::{LUCK, Tried},
    narrow::{features, some},
    table::Table,
};
use crate::rules::{Condition, Key, Parts, Pattern, Rule};

/// Times that an explanation is looked for, at most.
const ROUNDS: usize = 12;
/// Pages that a group makes another wrongly, from which on it is more than one failure.
const SEVERAL: usize = 4;
/// Different pages that are enough to tell that a rule is wrong about all paths of a length.
const MANY_PAGES: usize = 8;
/// Orders in which failures are dealt to the values of a part, to see whether they fall as unevenly as they do.
const DEALS: u64 = 400;
/// As many deals are made in any case, and no more if that takes more failures than so many.
const FEWEST_DEALS: u64 = 100;
const MOST_DEALT: u64 = 400_000;
/// One deal in so many may be as uneven.
const ONE_IN: usize = 100;

/// The share of groups that are not larger than those that are large.
const NEARLY_ALL: (usize, usize) = (9, 10);
/// Members of a group that are looked at.
const MEMBERS: usize = 24;

/// A URL that a rule changes: its row, numbers of the conditions that hold for it, ascending, and its page.
#[derive(Debug)]
struct Member {
    at: u32,
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

    /// Different pages that become one, less that one.
    fn wrong(&self) -> usize {
        let own = self.members.iter().map(|member| member.page);
        distinct(own.chain(self.known)).saturating_sub(1)
    }
}

fn distinct(pages: impl Iterator<Item = u64>) -> usize {
    let mut pages: SmallVec<[u64; 8]> = pages.collect();
    pages.sort_unstable();
    pages.dedup();
    pages.len()
}

/// How many URLs nearly all groups of one page have beside the first.
fn others(groups: &[Group]) -> usize {
    let right = groups.iter().filter(|group| group.wrong() == 0);
    let size = |group: &Group| group.members.len() + usize::from(group.known.is_some());
    let mut others: Vec<usize> = right.map(|group| size(group).saturating_sub(1)).collect();
    others.sort_unstable();
    let most = others.get(others.len() * NEARLY_ALL.0 / NEARLY_ALL.1);
    most.map_or(1, |most| (*most).max(1))
}

/// What a rule does where failures are not explained.
#[derive(Debug)]
pub(super) struct Unexplained {
    conditions: Vec<Condition>,
    groups: Vec<Group>,
    /// Of so many groups one was looked at.
    scale: f64,
    /// So many other URLs nearly all pages have at most, of those that are one page each.
    others: usize,
    /// Its trials, and those of them that fail.
    tried: Tried,
}

impl Unexplained {
    /// Of a rule that did this.
    pub(super) fn of(table: &Table<'_>, rule: &Rule, deed: &Deed, names: &[Box<str>]) -> Self {
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
                    at: *at,
                    conditions: own,
                    page: table.cluster(*at),
                }
            };
            let changed = deed.groups.changed(*span);
            let members = changed.iter().take(MEMBERS).map(member).collect();
            let known = deed.groups.group(*span).get(changed.len());
            groups.push(Group {
                members,
                known: known.map(|at| table.cluster(*at)),
            });
        }
        let scale = deed.groups.spans.len() as f64 / groups.len().max(1) as f64;
        let mut left = Self {
            others: others(&groups),
            conditions,
            groups,
            scale,
            tried: Tried::default(),
        };
        left.explain();
        left.tried = left.told();
        left
    }

    /// Takes out what can be explained.
    fn explain(&mut self) {
        for _ in 0..ROUNDS {
            let all = self.told();
            if all.failing == 0 {
                break;
            }
            let votes = self.votes();
            let explained = (self.all_else(&votes)).or_else(|| self.unlikely(&votes, all));
            let explained =
                explained.map_or_else(|| self.uneven(&votes), |condition| vec![condition]);
            if explained.is_empty() {
                break;
            }
            self.leave_out(&explained);
        }
    }

    /// How many groups stand behind each that was looked at.
    pub(super) const fn scale(&self) -> f64 {
        self.scale
    }

    /// The trials among what is left of the URLs that satisfy a pattern, and all; and how many groups the former are.
    pub(super) fn part(&self, table: &Table<'_>, pattern: &Pattern) -> (Tried, Tried, u64) {
        let mut spare = Parts::none();
        let mut part = Tried::default();
        let mut groups = 0;
        for group in &self.groups {
            let own = group
                .members
                .iter()
                .filter(|member| pattern.matches(table.parts(member.at, &mut spare)));
            let pages: SmallVec<[u64; 8]> =
                own.map(|member| member.page).chain(group.known).collect();
            let is_changed = pages.len() > usize::from(group.known.is_some());
            if is_changed && pages.len() > 1 {
                self.count(&mut part, distinct(pages.into_iter()) - 1);
                groups += 1;
            }
        }
        (part, self.tried, groups)
    }

    /// Trials and failures.
    fn told(&self) -> Tried {
        let mut told = Tried::default();
        for group in &self.groups {
            self.count(&mut told, group.wrong());
        }
        told
    }

    /// Counts a trial in which so many pages are made another. A folder whose many pages all become one (`/box?u=…`) fails as often as
    /// these would, had they come in groups as large as those of one page are. A few may be languages of one that is translated.
    fn count(&self, tried: &mut Tried, wrong: usize) {
        let failing = if wrong < SEVERAL {
            wrong.min(1)
        } else {
            wrong.div_ceil(self.others)
        };
        let failing = failing as u64;
        tried.failing += failing;
        tried.all += failing.max(1);
    }

    /// Those about each condition.
    fn votes(&self) -> Vec<Tried> {
        let mut votes = vec![Tried::default(); self.conditions.len()];
        let mut holds: FxHashMap<u32, SmallVec<[u64; 4]>> = FxHashMap::default();
        for group in &self.groups {
            let page = group.page();
            for member in &group.members {
                let is_wrong = Some(member.page) != page;
                for condition in &member.conditions {
                    let wrong = holds.entry(*condition).or_default();
                    wrong.extend(is_wrong.then_some(member.page));
                }
            }
            for (condition, wrong) in holds.drain() {
                // Where nobody can tell which page is meant, URLs under a condition that agree with each other fail no more.
                let is_of_some = page.is_none() && wrong.len() > 1;
                let wrong = distinct(wrong.into_iter()) - usize::from(is_of_some);
                self.count(&mut votes[condition as usize], wrong);
            }
        }
        votes
    }

    /// The condition under which most failures fall that would not by chance.
    fn unlikely(&self, votes: &[Tried], whole: Tried) -> Option<u32> {
        let numbered = || (0u32..).zip(votes).filter(|(_, vote)| vote.all > 1);
        let is_often_wrong = |(_, vote): &(u32, &Tried)| {
            vote.failing > 1 && vote.failing * whole.all > whole.failing * vote.all
        };
        let unlikely = numbered().filter(is_often_wrong).map(|(condition, vote)| {
            // So many failures are so few successes.
            let successes = |tried: Tried| Tried {
                all: tried.all,
                failing: tried.all - tried.failing,
            };
            let ln = successes(*vote).ln_of_at_most(successes(whole));
            (ln, condition)
        });
        let order = |a: &(f64, u32), b: &(f64, u32)| {
            let by_name = || self.conditions[a.1 as usize].cmp(&self.conditions[b.1 as usize]);
            a.0.total_cmp(&b.0).then_with(by_name)
        };
        let tried = numbered().count() as f64;
        let (ln, condition) = unlikely.min_by(order)?;
        (ln + tried.ln() <= LUCK.ln()).then_some(condition)
    }

    /// The condition about a length of the path at which no group is right, all URLs of that length becoming one though they are many pages.
    fn all_else(&self, votes: &[Tried]) -> Option<u32> {
        let is_never_right = |number: &u32| {
            let vote = votes[*number as usize];
            let condition = &self.conditions[*number as usize];
            matches!(condition, Condition::Is(Key::Len, _)) && vote.failing == vote.all
        };
        let is_many = |number: &u32| {
            let holds = |member: &&Member| member.conditions.binary_search(number).is_ok();
            let members = self.groups.iter().flat_map(|group| &group.members);
            let pages: BTreeSet<u64> = members.filter(holds).map(|member| member.page).collect();
            pages.len() >= MANY_PAGES
        };
        (0..votes.len() as u32).filter(is_never_right).find(is_many)
    }

    /// The values of a part that mostly fail, if failures fall to the values of that part more unevenly than they would by chance.
    fn uneven(&self, votes: &[Tried]) -> Vec<u32> {
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
            let of_values: Vec<Tried> = values.iter().map(|at| votes[*at as usize]).collect();
            if is_uneven(&of_values) {
                let mostly_fails = |at: &&u32| {
                    let vote = votes[**at as usize];
                    vote.failing > 1 && vote.failing * 2 >= vote.all
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
fn is_uneven(votes: &[Tried]) -> bool {
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
    let times = (MOST_DEALT / failing).clamp(FEWEST_DEALS, DEALS);
    let by_chance = (0..times)
        .filter(reaches)
        .take(times as usize / ONE_IN + 1)
        .count();
    by_chance <= times as usize / ONE_IN
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_64;

    use super::{Tried, Unexplained};
    use crate::{
        learn::{Sample, table::Table},
        rules::{Pattern, Rule},
    };

    /// What is left of `has:query.v => drop:query.v` on items with a plain address and two values of `v` each, some of which matter.
    fn left(matters: impl Fn(u8, u8) -> bool) -> Tried {
        let items = (0..120u8).flat_map(|n| {
            let plain = (String::new(), format!("item {n}"));
            let of = |v: u8| {
                let page = if matters(n, v) {
                    format!("item {n}, {v}")
                } else {
                    format!("item {n}")
                };
                (format!("?v={v}"), page)
            };
            let values = [n % 10, (n + 3) % 10].map(of);
            let spellings = [[plain].as_slice(), &values].concat();
            spellings.into_iter().map(move |(query, page)| {
                Sample::new(format!("http://e.org/f{}/{n}{query}", n % 6), &page)
            })
        });
        let samples: Vec<Sample> = items.collect();
        let table = Table::new(&samples, 20);
        let rule: Rule = "has:query.v => drop:query.v".parse().unwrap();
        let deed = table.try_rule(&rule);
        let left = Unexplained::of(&table, &rule, &deed, &[]);
        left.part(&table, &Pattern::default()).1
    }

    #[test]
    fn failures_of_a_folder_or_of_values_are_explained_and_others_are_not() {
        assert_eq!(
            left(|n, _| n % 6 == 2),
            Tried {
                all: 100,
                failing: 0
            }
        );
        assert_eq!(left(|_, v| v == 4).failing, 0);
        assert_eq!(left(|_, v| v < 3).failing, 0);
        let by_chance = left(|n, _| xxh3_64(&[n]).is_multiple_of(4));
        assert_eq!(by_chance.all, 120);
        assert!(by_chance.failing > 20, "{by_chance:?}");
        let both = left(|n, _| n % 6 == 2 || xxh3_64(&[n]).is_multiple_of(4));
        assert!(both.all == 100 && both.failing > 15, "{both:?}");
    }

    #[test]
    fn a_folder_whose_pages_all_become_one_is_many_failures() {
        // Of each two or three URLs.
        let items = (0..90u32).flat_map(|n| {
            let at =
                move |v: u32| Sample::new(format!("http://e.org/item/{n}?v={v}"), &format!("{n}"));
            (n..n + 2 + n % 2).map(at)
        });
        let left = |many: u32| {
            let boxes = (0..many)
                .map(|v| Sample::new(format!("http://e.org/box?v={v}"), &format!("box {v}")));
            let samples: Vec<Sample> = items.clone().chain(boxes).collect();
            let table = Table::new(&samples, 20);
            let rule: Rule = "has:query.v => drop:query.v".parse().unwrap();
            let left = Unexplained::of(&table, &rule, &table.try_rule(&rule), &[]);
            left.part(&table, &Pattern::default()).1
        };
        // A few pages may be one that changed, or was translated.
        let (all, failing) = (91, 1);
        assert_eq!(left(4), Tried { all, failing });
        let (all, failing) = (90, 0);
        assert_eq!(left(9), Tried { all, failing });
    }
}
