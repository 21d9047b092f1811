//! Finds the proposed rules that hold up on their own, narrowed and taken apart if need be, and what each would save.

use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::{
    Options,
    accept::accepts,
    deed::Deed,
    halves::halves,
    limits::{limited, moves_few, takes_names},
    luck::{Wholes, is_whole},
    narrow::{Accepts, Narrower},
    parallel,
    prior::{self, pages_for_usual},
    sections::{Held, Sections},
    table::Table,
    values,
    wider::wider_of,
};
use crate::rules::{Condition, Edit, Key, Parts, Rule};

/// Pages that only the removal of a paging parameter makes one, if it is to be removed.
const PAGING_PAGES: u64 = 3;
/// Sections in which a rule is right and wrong that it is narrowed in.
const MIXED_SECTIONS: usize = 4;
/// Query names that rules may ask the absence of.
const NAMES: usize = 48;

/// A rule and what it would save; the heap's greatest is the one to take first.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Offer {
    /// URLs saved, less ten for each page lost.
    pub(super) worth: u64,
    pub(super) changed: usize,
    pub(super) rule: Rule,
    pub(super) by: &'static str,
}

impl Ord for Offer {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let size = |rule: &Rule| rule.edits.len() * 2 + rule.pattern.0.len();
        self.worth
            .cmp(&other.worth)
            // Among rules that save the same, the one that touches least, then the shortest.
            .then_with(|| other.changed.cmp(&self.changed))
            .then_with(|| size(&other.rule).cmp(&size(&self.rule)))
            .then_with(|| other.rule.cmp(&self.rule))
            .then_with(|| other.by.cmp(self.by))
    }
}

impl PartialOrd for Offer {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

pub(super) fn offer(rule: Rule, deed: &Deed, by: &'static str) -> Offer {
    Offer {
        worth: deed.saved.saturating_sub((10.0 * deed.lost).round() as u64),
        changed: deed.changed,
        rule,
        by,
    }
}

/// What of a proposal may be taken.
#[derive(Debug, Default)]
struct Judged {
    offers: Vec<Offer>,
    /// It may as it was proposed, and each URL that it changes becomes one with others of its page: what does the same in
    /// fewer places saves less, and is no safer.
    says_enough: bool,
}

/// The rule without the edits that no merged page speaks for.
fn prune(table: &Table<'_>, mut rule: Rule, deed: Deed) -> (Rule, Deed) {
    let mut deed = deed;
    let mut at = rule.edits.len();
    while at > 0 && rule.edits.len() > 1 {
        at -= 1;
        if !matches!(
            rule.edits[at],
            Edit::Drop(Key::Query(_) | Key::PathParam(_)) | Edit::Mask(_)
        ) {
            continue;
        }
        let mut fewer = rule.clone();
        fewer.edits.remove(at);
        let without = table.try_rule(&fewer);
        let own = deed.shown().saturating_sub(without.shown());
        // What turns pages must be seen to be without effect on several, not to have come along with others.
        let is_risky =
            matches!(&rule.edits[at], Edit::Drop(Key::Query(name)) if prior::is_paging(name));
        let is_idle = own == 0 && without.saved >= deed.saved;
        if (is_idle || is_risky && own < PAGING_PAGES)
            && without.shown() > 0
            && without.orphans.is_empty()
        {
            (rule, deed) = (fewer, without);
        }
    }
    (rule, deed)
}

/// The rule with edits that pages need all, narrowed anew where it has lost one that they do not.
fn upheld(
    table: &Table<'_>,
    (rule, deed): (&Rule, &Deed),
    names: &[Box<str>],
    accepts: Accepts<'_>,
) -> Option<(Rule, Deed)> {
    let needed = table.needed(rule, deed, |_| true);
    if needed == *rule {
        return Some((needed, deed.clone()));
    }
    let deed = table.try_rule(&needed);
    let mut narrower = Narrower::new(table, &needed, deed, names);
    let at = narrower.find(accepts)?;
    let (rule, deed) = narrower.into_step(at);
    upheld(table, (&rule, &deed), names, accepts)
}

/// The steps at which a rule may be taken, each where it may act, with what is asked of it there.
fn where_held<'a>(
    table: &Table<'_>,
    sections: &Sections,
    narrower: &Narrower<'_, '_>,
    found: [(Option<usize>, Accepts<'a>); 2],
) -> Vec<(Held, Accepts<'a>)> {
    let mut tried: Vec<(Held, Accepts<'a>)> = Vec::new();
    let mut last = None;
    for (at, accepts) in found
        .into_iter()
        .filter_map(|(at, accepts)| Some((at?, accepts)))
    {
        // Mostly both are content with the same.
        let held = match tried.last() {
            Some((held, _)) if last == Some(at) && held.is_everywhere => break,
            Some((held, _)) if last == Some(at) => held.clone(),
            _ => {
                let (rule, deed) = narrower.step(at);
                let (rule, deed) = prune(table, rule, deed);
                sections.hold(table, rule, deed)
            }
        };
        last = Some(at);
        tried.push((held, accepts));
    }
    tried
}

/// The rules that may be taken as they are held; and of the sections in which they are right and wrong, those with most pages that show
/// them right, narrowed within.
fn where_right(
    (table, sections): (&Table<'_>, &Sections),
    held: &Held,
    names: &[Box<str>],
    accepts: Accepts<'_>,
) -> Vec<(Rule, Deed)> {
    let may = |(rule, deed): &&(Rule, Deed)| held.is_everywhere || accepts(rule, deed, 0);
    let (right, others): (Vec<_>, Vec<_>) = held.rules.iter().partition(may);
    let mut mixed: Vec<_> = (others.into_iter())
        .filter(|(_, deed)| deed.failures > 0 && deed.shown() > 1)
        .collect();
    mixed.sort_by_key(|(_, deed)| std::cmp::Reverse(deed.shown()));
    let narrowed = mixed
        .into_iter()
        .take(MIXED_SECTIONS)
        .filter_map(|(rule, deed)| {
            let mut narrower = Narrower::new(table, rule, deed.clone(), names);
            let at = narrower.find(accepts)?;
            let (rule, deed) = narrower.into_step(at);
            let (rule, deed) = sections.within_folders(table, rule, deed);
            accepts(&rule, &deed, 0).then_some((rule, deed))
        });
    right.into_iter().cloned().chain(narrowed).collect()
}

/// What of the proposals may be taken, narrowed where need be; `apart`: and taken apart.
pub(super) fn offers(
    table: &Table<'_>,
    options: &Options,
    proposals: &[(Rule, &'static str)],
    stays_out: &(dyn Fn(&Rule) -> bool + Sync),
    apart: bool,
) -> BinaryHeap<Offer> {
    let names = frequent_names(table);
    let sections = Sections::of(table);
    // Strictly right rules, and rules right but for the noise that fetching pages at different times makes.
    let wholes = Wholes::new(options.fpr_max);
    let strict = |rule: &Rule, deed: &Deed, added: usize| {
        accepts(options, options.fpr_max, rule, deed, added)
            && !wholes.may_be_luck(table, &names, rule, deed)
    };
    let loose = |rule: &Rule, deed: &Deed, added: usize| {
        accepts(options, options.failures_max, rule, deed, added)
            && !wholes.may_be_luck(table, &names, rule, deed)
    };
    let judge = |(rule, by): &(Rule, &'static str)| {
        let deed = table.try_rule(rule);
        if deed.changed == 0 || (deed.trials == 0 && pages_for_usual(rule).is_none()) {
            return Judged::default();
        }
        let mut judged = Judged::default();
        let is_usual = pages_for_usual(rule).is_some() && !stays_out(rule);
        if is_usual && loose(rule, &deed, 0) {
            judged.offers.push(offer(rule.clone(), &deed, by));
            return judged;
        }
        let proposed = rule;
        let changed = deed.changed;
        let mut narrower = Narrower::new(table, rule, deed, &names);
        let found =
            [&strict as Accepts<'_>, &loose].map(|accepts| (narrower.find(accepts), accepts));
        // Of a rule about a whole site that is wrong somewhere, each section is tried, not the first one alone that it can be narrowed to.
        let is_wrong_somewhere = found.iter().all(|(at, _)| *at != Some(0)) && is_whole(proposed);
        let in_sections = is_wrong_somewhere.then(|| {
            let (rule, deed) = narrower.step(0);
            sections.split(table, &rule, &deed)
        });
        let mut tried = where_held(table, &sections, &narrower, found);
        tried.extend(
            in_sections
                .flatten()
                .map(|held| (held, &loose as Accepts<'_>)),
        );
        for (held, accepts) in tried {
            let right = where_right((table, &sections), &held, &names, accepts);
            let upheld = (right.iter())
                .filter_map(|(rule, deed)| upheld(table, (rule, deed), &names, accepts));
            let right = upheld.flat_map(|(rule, deed)| values::hold(table, rule, deed, accepts));
            for (rule, deed) in right {
                if takes_names(table, &rule, &deed) || moves_few(table, &rule, &deed) {
                    continue;
                }
                let whole = limited(table, tighten(table, rule.clone()), &deed);
                if stays_out(&whole) {
                    continue;
                }
                let both = if apart {
                    halves(table, &rule, &deed, accepts)
                } else {
                    None
                };
                let Some(both) = both else {
                    judged.says_enough |= rule.edits == proposed.edits
                        && deed.failures == 0
                        && deed.changed == changed
                        && deed.groups.changed_rows() == changed;
                    judged.offers.push(offer(whole, &deed, by));
                    continue;
                };
                for (half, deed) in both {
                    let half = limited(table, tighten(table, half), &deed);
                    if !stays_out(&half) {
                        judged.offers.push(offer(half, &deed, by));
                    }
                }
            }
        }
        judged.offers.dedup();
        judged
    };
    let rules: Vec<&Rule> = proposals.iter().map(|(rule, _)| rule).collect();
    let wider = wider_of(&rules);
    let mut judged: Vec<Judged> = Vec::new();
    judged.resize_with(proposals.len(), Judged::default);
    for has_wider in [false, true] {
        let some: Vec<usize> = (0..proposals.len())
            .filter(|at| wider[*at].is_some() == has_wider)
            .filter(|at| wider[*at].is_none_or(|wide| !judged[wide].says_enough))
            .collect();
        let said = parallel::map(options.threads, &some, |at| judge(&proposals[*at]));
        for (at, said) in some.into_iter().zip(said) {
            judged[at] = said;
        }
    }
    judged
        .into_iter()
        .flat_map(|judged| judged.offers)
        .collect()
}

/// Adds what holds for every class that the rule changes: the query names that were always there. A rule seen
/// at work only beside `t` says nothing about URLs without `t`, which may need what it drops.
pub(super) fn tighten(table: &Table<'_>, rule: Rule) -> Rule {
    let touches_query = rule.edits.iter().any(|edit| {
        matches!(
            edit,
            Edit::Drop(Key::Query(_))
                | Edit::Mask(Key::Query(_))
                | Edit::Set(Key::Query(_), _)
                | Edit::First(Key::Query(_))
                | Edit::Unique(Key::Query(_))
                | Edit::SortItems(Key::Query(_), _)
        )
    });
    if !touches_query {
        return rule;
    }
    let edited = |name: &str| {
        rule.edits.iter().any(|edit| match edit {
            Edit::Drop(Key::Query(own))
            | Edit::Mask(Key::Query(own))
            | Edit::Set(Key::Query(own), _)
            | Edit::First(Key::Query(own))
            | Edit::Unique(Key::Query(own))
            | Edit::SortItems(Key::Query(own), _) => **own == *name,
            _ => false,
        })
    };
    let mut common: Option<Vec<Box<str>>> = None;
    let mut spare = Parts::none();
    for change in table.changes(&rule) {
        let query = &table.parts(change.at, &mut spare).query;
        let names = query.iter().map(|p| &*p.name);
        match &mut common {
            None => common = Some(names.filter(|name| !edited(name)).map(Box::from).collect()),
            Some(common) => common.retain(|name| query.iter().any(|p| p.name == **name)),
        }
    }
    let mut conditions = rule.pattern.0.clone();
    for name in common.unwrap_or_default() {
        let key = Key::Query(name);
        let known =
            |c: &Condition| matches!(c, Condition::Is(k, _) | Condition::Has(k) if *k == key);
        if !conditions.iter().any(known) {
            conditions.push(Condition::Has(key));
        }
    }
    Rule::new(conditions, rule.edits)
}

/// Names that are in the queries of most URLs.
pub(super) fn frequent_names(table: &Table<'_>) -> Vec<Box<str>> {
    let mut count: FxHashMap<Box<str>, usize> = FxHashMap::default();
    let mut spare = Parts::none();
    for (rows, first) in table.kinds().iter() {
        let query = &table.parts(first, &mut spare).query;
        let mut names: Vec<&str> = query.iter().map(|p| &*p.name).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            *count.entry(name.into()).or_default() += rows as usize;
        }
    }
    let mut names: Vec<(Box<str>, usize)> = count.into_iter().filter(|(_, n)| *n >= 3).collect();
    names.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    names.truncate(NAMES);
    names.into_iter().map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::{Options, Table, offers};
    use crate::learn::{Sample, learn};

    /// The names of those whose proposals led to offers.
    fn offered(samples: &[Sample], proposals: &[(&str, &'static str)]) -> Vec<&'static str> {
        let table = Table::new(samples, 20);
        let proposals: Vec<_> = (proposals.iter())
            .map(|(rule, by)| (rule.parse().unwrap(), *by))
            .collect();
        let heap = offers(&table, &Options::default(), &proposals, &|_| false, false);
        let mut names: Vec<_> = heap.iter().map(|offer| offer.by).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    #[test]
    fn what_a_wider_proposal_says_is_left_out_unless_that_had_to_be_narrowed() {
        let proposals = [
            ("has:query.s => drop:query.s", "wide"),
            ("is:seg.0=b is:query.s=1 => drop:query.s", "narrow"),
        ];
        let pages = |sometimes_matters: bool| -> Vec<Sample> {
            let pages = ["a", "b", "c", "d"].into_iter().flat_map(|folder| {
                (0..30).flat_map(move |n| {
                    let url = format!("http://e.org/{folder}/{n}");
                    let page = format!("{folder} {n}");
                    let other = if sometimes_matters && folder == "b" {
                        format!("{page}, other")
                    } else {
                        page.clone()
                    };
                    [
                        Sample::new(&url, &page),
                        Sample::new(format!("{url}?s=1"), &page),
                        Sample::new(format!("{url}?s=2"), &other),
                        Sample::new(format!("{url}?s=3"), &page),
                    ]
                })
            });
            pages.collect()
        };
        assert_eq!(offered(&pages(false), &proposals), ["wide"]);
        assert_eq!(offered(&pages(true), &proposals), ["narrow", "wide"]);
    }

    #[test]
    fn a_section_in_which_a_rule_is_right_and_wrong_is_narrowed_within() {
        let titled = |folder: &'static str| {
            (0..40).flat_map(move |n| {
                let page = format!("{folder} {n}");
                ["", "/some-title", "/another-title"]
                    .map(|title| Sample::new(format!("http://e.org/{folder}/{n}{title}"), &page))
            })
        };
        let tags = (0..5).map(|n| {
            Sample::new(
                format!("http://e.org/questions/tagged/t{n}"),
                &n.to_string(),
            )
        });
        let samples: Vec<Sample> = titled("users")
            .chain(titled("questions"))
            .chain(tags)
            .collect();
        let rules = learn(&samples, &Options::default()).compile();
        let class = |path: &str| {
            let url = format!("http://e.org/{path}");
            rules.canon(&url).map_or(url, |canon| canon.class)
        };
        for folder in ["users", "questions"] {
            let of = |tail: &str| class(&format!("{folder}/900{tail}"));
            assert_eq!(of("/new-title"), of(""), "{folder}");
        }
        assert_ne!(class("questions/tagged/a"), class("questions/tagged/b"));
    }
}
