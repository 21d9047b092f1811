//! Selects the proposed rules that are taken, and their order.
//!
//! Proposals that hold up on their own, narrowed if need be, make a pool. From it, a selection without conflicts is
//! taken ([`graph`]), or greedily what saves most. Either way, each rule is judged once more on top of those taken
//! before, in the passes in which they will run together. Since every rule taken changes what is left to explain,
//! proposals are made anew until none is taken.

use std::{collections::BinaryHeap, sync::Arc};

use rustc_hash::FxHashSet;

use super::{
    Options, Selection,
    accept::accepts,
    barred::Barred,
    classes,
    deed::Deed,
    graph::{self, Candidate},
    luck::Wholes,
    made::Made,
    narrow::Narrower,
    needs::is_of_order,
    offers::{Offer, frequent_names, offer, offers, tighten},
    prior::{self, usual},
    sections::Sections,
    sinks,
    table::Table,
};
use crate::rules::{Edit, Entry, Evidence, Key, Rule, SiteRules, Status};

/// Times that proposals are made anew.
const ROUNDS: usize = 5;
/// Times that proposals of a round are chosen from, if some of those chosen do not hold up on top of others.
const CHOICES: usize = 4;

/// Whether a second pass of the rule finds nothing that the first left to do, whatever the URL.
fn does_all_at_once(rule: &Rule) -> bool {
    rule.edits
        .iter()
        .all(|edit| matches!(edit, Edit::Drop(Key::Query(_)) | Edit::Set(Key::Scheme, _)))
}

/// Rules taken so far, and what they did together.
#[derive(Debug, Default)]
struct Taken<'b> {
    entries: Vec<Entry>,
    support: u64,
    false_pairs: u64,
    lost: f64,
    /// Pages of the site.
    clusters: usize,
    /// Rules that run before them.
    in_force: SiteRules,
    /// Rules that are never taken.
    barred: Barred<'b>,
    /// The last of them is still to be adopted by the table.
    is_behind: bool,
    /// What the table's rows then become, where that is known.
    made: Option<Arc<Made>>,
}

impl<'b> Taken<'b> {
    fn new(table: &Table<'_>, in_force: Option<&SiteRules>, barred: Barred<'b>) -> Self {
        Self {
            barred,
            clusters: table.cluster_count(),
            in_force: in_force.cloned().unwrap_or_default(),
            ..Self::default()
        }
    }

    fn has(&self, rule: &Rule) -> bool {
        self.entries.iter().any(|entry| entry.rule == *rule)
    }

    fn stays_out(&self, rule: &Rule) -> bool {
        self.barred.bars(rule) || self.has(rule)
    }

    /// All rules that run, and one more behind them.
    fn chain(&self, rule: &Rule) -> SiteRules {
        let rules = self.entries.iter().map(|entry| &entry.rule);
        let rules = SiteRules::new("", rules.chain([rule]).cloned());
        self.in_force.followed_by(&rules)
    }

    /// Has the table adopt all of them; it takes time, so that the last one is never adopted for nothing.
    fn settle(&mut self, table: &mut Table<'_>) {
        if std::mem::take(&mut self.is_behind)
            && let Some(Entry { rule, .. }) = self.entries.last()
        {
            let rules = self.entries.iter().map(|entry| entry.rule.clone());
            let rules = SiteRules::new("", rules);
            let made = self.made.take();
            table.adopt(rule, &self.in_force.followed_by(&rules), made.as_deref());
        }
    }

    /// The rule without edits that no page needs any more, and what it would do behind these, if it may be taken. `alone`:
    /// what the rule does to the table by itself, where that is known.
    fn admits(
        &self,
        table: &Table<'_>,
        options: &Options,
        rule: &Rule,
        alone: Option<Deed>,
    ) -> Option<(Rule, Deed)> {
        let may = |deed: &Deed| {
            let support = (self.support + deed.support) as f64;
            deed.changed > 0
                && accepts(options, options.failures_max, rule, deed, 0)
                && (self.false_pairs + deed.false_pairs) as f64 <= options.fpr_max * support
                && self.lost + deed.lost <= options.loss_max * self.clusters as f64
        };
        if self.entries.len() >= options.max_rules || self.barred.bars(rule) {
            return None;
        }
        let alone = alone.unwrap_or_else(|| table.try_rule(rule));
        // What it makes may be what a rule taken before has turned into something else: only behind that does it show anything.
        if alone.trials == 0 && rule.edits.len() == 1 && !self.entries.is_empty() {
            let deed = table.try_behind(rule, &self.chain(rule), Some(alone));
            return Some((rule.clone(), deed.filter(may)?));
        }
        if !may(&alone) {
            return None;
        }
        let needed = table.needed(rule, &alone, |_| true);
        if needed != *rule {
            let needed = tighten(table, needed);
            let is_known = self.has(&needed);
            return (!is_known).then(|| self.admits(table, options, &needed, None))?;
        }
        if self.entries.is_empty() && self.in_force.is_empty() && does_all_at_once(rule) {
            return Some((needed, alone));
        }
        let deed = table.try_behind(rule, &self.chain(rule), Some(alone));
        Some((needed, deed.filter(may)?))
    }

    fn add(&mut self, table: &Table<'_>, rule: &Rule, by: &str, deed: &Deed) {
        self.support += deed.support;
        self.false_pairs += deed.false_pairs;
        self.lost += deed.lost;
        let evidence = table.evidence(deed);
        self.entries.push(active(rule.clone(), by, evidence));
        self.is_behind = true;
        // What does not settle under rules that were there before may do so behind one more.
        self.made = deed.made.clone().filter(|_| self.in_force.is_empty());
    }

    /// Takes a rule if it may be taken, and says so. `alone`: what it does to the table by itself, where that is known.
    fn take(
        &mut self,
        table: &mut Table<'_>,
        options: &Options,
        rule: &Rule,
        by: &str,
        alone: Option<Deed>,
    ) -> bool {
        let alone = alone.filter(|_| !self.is_behind);
        self.settle(table);
        let admitted = self.admits(table, options, rule, alone);
        if let Some((rule, deed)) = &admitted {
            self.add(table, rule, by, deed);
        }
        admitted.is_some()
    }

    /// Takes of the offers those about the order of parameters that pages speak for: every rule puts what it changes in
    /// order, and what another has put in order speaks for them no more.
    fn order_first(
        &mut self,
        table: &mut Table<'_>,
        options: &Options,
        heap: &mut BinaryHeap<Offer>,
    ) {
        let is_first = |offer: &Offer| offer.worth > 0 && is_of_order(&offer.rule);
        let (mut first, rest): (Vec<Offer>, Vec<Offer>) = heap.drain().partition(is_first);
        *heap = rest.into();
        first.sort_unstable_by(|a, b| b.cmp(a));
        for Offer { rule, by, .. } in first {
            self.take(table, options, &rule, by, None);
        }
    }

    /// All of them as they are to run: rules about order alone behind the others, which leave them less to answer for.
    fn into_entries(mut self) -> Vec<Entry> {
        self.entries.sort_by_key(|entry| is_of_order(&entry.rule));
        self.entries
    }

    /// Takes the offer that is worth most, again and again.
    fn greedily(&mut self, table: &mut Table<'_>, options: &Options, mut heap: BinaryHeap<Offer>) {
        while let Some(Offer {
            rule, by, worth, ..
        }) = heap.pop()
        {
            self.settle(table);
            // What was taken meanwhile may have done part of its work.
            let Some((rule, deed)) = self.admits(table, options, &rule, None) else {
                continue;
            };
            let again = offer(rule.clone(), &deed, by);
            if again.worth < worth && heap.peek().is_some_and(|next| next.worth > again.worth) {
                heap.push(again);
                continue;
            }
            self.add(table, &rule, by, &deed);
        }
    }

    /// Takes the offers that a graph of them chooses. What does not hold up on top of others has kept its rivals out for nothing:
    /// it is left aside, and there is another choice.
    fn by_graph(&mut self, table: &mut Table<'_>, options: &Options, heap: BinaryHeap<Offer>) {
        let mut offers: Vec<Offer> = heap.into_sorted_vec().into_iter().rev().collect();
        for _ in 0..CHOICES {
            self.settle(table);
            let candidates: Vec<Candidate<'_>> = (offers.iter())
                .map(|offer| Candidate {
                    rule: &offer.rule,
                    share: offer.worth as f64 / (offer.changed as f64).max(1.0),
                    worth: offer.worth as f64,
                })
                .collect();
            let mut tried = FxHashSet::default();
            let mut is_refused = false;
            for at in graph::choose(table, &candidates) {
                let offer = &offers[at];
                is_refused |= !self.take(table, options, &offer.rule, offer.by, None);
                tried.insert(offer.rule.clone());
            }
            if !is_refused {
                break;
            }
            offers.retain(|offer| !tried.contains(&offer.rule) && !self.has(&offer.rule));
        }
    }
}

/// Takes rules for a table, in the order in which they are to be applied. `extra` are proposals from elsewhere;
/// `in_force` are the rules of a crawl that is under way, behind which the new ones are to run; `apart`: whether rules that say two
/// things are taken apart.
pub(crate) fn select(
    table: &mut Table<'_>,
    options: &Options,
    extra: &dyn Fn(&Table<'_>) -> Vec<Rule>,
    barred: Barred<'_>,
    in_force: Option<&SiteRules>,
    apart: bool,
) -> Vec<Entry> {
    let mut taken = Taken::new(table, in_force, barred);
    for _ in 0..ROUNDS {
        taken.settle(table);
        let mut proposals: Vec<(Rule, &'static str)> = Vec::new();
        if options.algorithm.uses_classes() {
            let least = options.min_trials.min(2) as u32;
            let proposed = classes::propose(table, options.max_proposals, least, options.threads);
            proposals.extend(proposed.into_iter().map(|(rule, _)| (rule, "classes")));
        }
        // A crawl proves rules by many pages, of which such an address has one.
        if in_force.is_none() {
            proposals.extend((sinks::propose(table).into_iter()).map(|rule| (rule, sinks::NAME)));
        }
        proposals.extend(usual(table).into_iter().map(|rule| (rule, "usual")));
        proposals.extend(extra(table).into_iter().map(|rule| (rule, "tree")));
        let still: Vec<_> = proposals
            .iter()
            .filter_map(|(rule, by)| Some((without_paging(rule)?, *by)))
            .collect();
        proposals.extend(still);
        let is_of_piece = |edit: &Edit| matches!(edit, Edit::MaskPiece(..));
        proposals.retain(|(rule, _)| options.pieces || !rule.edits.iter().any(is_of_piece));
        let mut known = FxHashSet::default();
        proposals.retain(|(rule, _)| known.insert(rule.clone()) && !taken.has(rule));
        let stays_out = |rule: &Rule| taken.stays_out(rule);
        let mut heap = offers(table, options, &proposals, &stays_out, apart);
        let before = taken.entries.len();
        if options.selection != Selection::Naive {
            taken.order_first(table, options, &mut heap);
        }
        match options.selection {
            Selection::Naive => {
                while let Some(Offer { rule, by, .. }) = heap.pop() {
                    let evidence = table.evidence(&table.try_rule(&rule));
                    taken.entries.push(active(rule, by, evidence));
                }
                taken.entries.truncate(options.max_rules);
                break;
            }
            Selection::Joint => taken.greedily(table, options, heap),
            Selection::Graph => taken.by_graph(table, options, heap),
        }
        if taken.entries.len() == before {
            break;
        }
    }
    taken.into_entries()
}

/// Puts rules that a sample of the pages gave to the proof on all of them, in their order. What does not hold up
/// is narrowed or left.
pub(crate) fn confirm(
    table: &mut Table<'_>,
    options: &Options,
    rules: Vec<Entry>,
    barred: Barred<'_>,
    in_force: Option<&SiteRules>,
) -> Vec<Entry> {
    let mut taken = Taken::new(table, in_force, barred);
    let names = frequent_names(table);
    let sections = Sections::of(table);
    for Entry { rule, by, .. } in in_order_first(rules) {
        taken.settle(table);
        let wholes = Wholes::new(options.fpr_max);
        // That of the rule as it is was asked when it was proposed.
        let is_luck =
            |own: &Rule, deed: &Deed| *own != rule && wholes.may_be_luck(table, &names, own, deed);
        let loose = |rule: &Rule, deed: &Deed, added: usize| {
            accepts(options, options.failures_max, rule, deed, added) && !is_luck(rule, deed)
        };
        let deed = table.try_rule(&rule);
        let mut narrower = Narrower::new(table, &rule, deed, &names);
        let Some(at) = narrower.find(&loose) else {
            continue;
        };
        let (rule, deed) = narrower.into_step(at);
        let held = sections.hold(table, rule, deed);
        let right: Vec<(Rule, Deed)> = held
            .rules
            .into_iter()
            .filter(|(rule, deed)| held.is_everywhere || loose(rule, deed, 0))
            .collect();
        for (rule, deed) in right {
            if !taken.has(&rule) {
                taken.take(table, options, &rule, &by, Some(deed));
            }
        }
    }
    taken.into_entries()
}

/// Rules as they are to be proved: those about order alone before the others, which leave nothing to show them.
pub(super) fn in_order_first(mut rules: Vec<Entry>) -> Vec<Entry> {
    rules.sort_by_key(|entry| !is_of_order(&entry.rule));
    rules
}

/// The same rule, but leaves alone what turns pages.
fn without_paging(rule: &Rule) -> Option<Rule> {
    let stays =
        |edit: &&Edit| !matches!(edit, Edit::Drop(Key::Query(name)) if prior::is_paging(name));
    let edits: Vec<Edit> = rule.edits.iter().filter(stays).cloned().collect();
    let is_less = !edits.is_empty() && edits.len() < rule.edits.len();
    is_less.then(|| Rule::new(rule.pattern.0.clone(), edits))
}

pub(super) fn active(rule: Rule, by: &str, evidence: Evidence) -> Entry {
    Entry {
        rule,
        status: Status::Active,
        by: by.to_owned(),
        evidence,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::Sample;

    #[test]
    fn what_a_refused_rule_kept_out_is_chosen_after_all() {
        let samples: Vec<Sample> = (0..40)
            .flat_map(|n| {
                [("a", "same"), ("b", "same"), ("c", "other")].map(|(path, page)| {
                    let url = format!("http://e.org/{path}?id={n}");
                    Sample::new(url, &format!("{page} {n}"))
                })
            })
            .collect();
        let mut table = Table::new(&samples, 20);
        let offer = |rule: &str, worth| Offer {
            worth,
            changed: 40,
            rule: rule.parse().unwrap(),
            by: "tests",
        };
        let wrong = offer("is:seg.0=a => set:seg.0=c", 40);
        let right = offer("is:seg.0=a => set:seg.0=b", 39);
        let expected = right.rule.clone();
        let mut taken = Taken::new(&table, None, Barred::default());
        let heap = BinaryHeap::from([wrong, right]);
        taken.by_graph(&mut table, &Options::default(), heap);
        let rules: Vec<&Rule> = taken.entries.iter().map(|entry| &entry.rule).collect();
        assert_eq!(rules, [&expected]);
    }

    #[test]
    fn a_rule_loses_the_edits_that_others_leave_it_nothing_to_show_by() {
        let samples: Vec<Sample> = (0..40)
            .flat_map(|n| {
                ["new/{}", "old/{}", "old/{}?s=1", "old/{}?s=2"].map(|url| {
                    let path = url.replace("{}", &n.to_string());
                    Sample::new(format!("http://e.org/{path}"), &format!("page {n}"))
                })
            })
            .collect();
        let options = Options::default();
        let [sessions, both, folder] = [
            "has:query.s is:seg.0=old => drop:query.s",
            "has:seg.1 is:seg.0=old => set:seg.0=new drop:query.s",
            "has:seg.1 is:seg.0=old => set:seg.0=new",
        ]
        .map(|rule| rule.parse::<Rule>().unwrap());
        let vetoes = std::slice::from_ref(&folder);
        for (vetoed, expected) in [(&[][..], &folder), (vetoes, &sessions)] {
            let mut table = Table::new(&samples, 20);
            let barred = Barred {
                vetoed,
                ..Barred::default()
            };
            let mut taken = Taken::new(&table, None, barred);
            assert!(taken.take(&mut table, &options, &sessions, "tests", None));
            let may = taken.take(&mut table, &options, &both, "tests", None);
            assert_eq!(may, vetoed.is_empty());
            let last = taken.entries.last().unwrap();
            assert_eq!((&last.rule, last.evidence.trials), (expected, 40));
        }
    }

    #[test]
    fn index_pages_are_told_behind_a_rule_about_letter_case() {
        let samples: Vec<Sample> = (0..60)
            .flat_map(|n| {
                let paths = [
                    format!("Docs/Page{n}"),
                    format!("docs/page{n}"),
                    format!("Docs/Page{n}/default.asp"),
                ];
                paths.map(|path| Sample::new(format!("http://e.org/{path}"), &format!("page {n}")))
            })
            .collect();
        let rules = crate::learn::learn(&samples, &Options::default()).compile();
        let class = |path: &str| {
            let url = format!("http://e.org/{path}");
            rules.canon(&url).map_or(url, |canon| canon.class)
        };
        assert_eq!(class("Docs/Page900/default.asp"), class("docs/page900"));
    }
}
