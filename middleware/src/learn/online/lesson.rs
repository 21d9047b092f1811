//! Learns rules from a host's pages and proves them on the pages that came later.

use std::sync::Arc;

use nodust_frontier::{BeliefRecord, Standing};
use rustc_hash::FxHashSet;

use super::{Held, RuleSource};
use crate::{
    learn::{
        Options, Sample, accept::pages_needed, barred::Barred, deed::Deed, learn_behind,
        needs::is_of_order, offers::tighten, select::in_order_first, table::Table,
    },
    rules::{Entry, Evidence, Rule, SiteRules, Status},
};

/// Share of the pages that are learned from; the later ones prove.
const LEARNED_FROM: f64 = 0.6;
/// What one failure among later pages costs in pages that show the rule right.
const FAILURE: u64 = 50;

/// A URL that was met, as it is classed now.
#[derive(Clone, Debug)]
pub(super) struct Sighting {
    pub(super) class: String,
    pub(super) cluster: u64,
    /// Pages that were known before it.
    pub(super) at: u32,
}

/// All that a lesson needs, so that it can be held anywhere.
#[derive(Debug)]
pub(super) struct Homework {
    pub(super) host: String,
    pub(super) sightings: Vec<Sighting>,
    pub(super) pages: u32,
    /// Pairs of contents, the smaller first, of which nobody can tell whether they are one.
    pub(super) doubts: FxHashSet<(u64, u64)>,
    pub(super) rules: Vec<Held>,
    /// All rules that run, those of a file included.
    pub(super) in_force: Arc<SiteRules>,
}

/// What came out.
#[derive(Debug)]
pub(super) struct Lesson {
    pub(super) host: String,
    /// Pages that were known.
    pub(super) pages: u32,
    /// The rules as they were.
    pub(super) before: Vec<Held>,
    /// And as they are to be.
    pub(super) rules: Vec<Held>,
}

impl Homework {
    /// Learns from the first pages, and puts what was learned now or before to the proof on the later ones.
    /// Rules in force stay where they are: the classes are what they make of the URLs.
    /// `least`: later pages that must have shown a rule right, on top of those that its kind needs to be proposed.
    pub(super) fn learn(self, options: &Options, least: u64, barred: Barred<'_>) -> Lesson {
        let cut = (f64::from(self.pages) * LEARNED_FROM) as u32;
        let sample = |s: &Sighting| Sample {
            url: s.class.clone(),
            cluster: s.cluster,
        };
        let early = self.sightings.iter().filter(|s| s.at < cut);
        let early: Vec<Sample> = early.map(sample).collect();
        let in_force = Some(&*self.in_force);
        let learned = learn_behind(&early, options, barred, &self.doubts, in_force);
        let all: Vec<(Sample, u32)> = (self.sightings.iter().map(|s| (sample(s), s.at))).collect();
        let mut table =
            Table::to_prove_on(&all, |(s, at)| (s, *at), options.giant, options.threads)
                .with_doubts(self.doubts);
        let mut rules: Vec<Held> =
            (self.rules.iter().filter(|held| held.is_active()).cloned()).collect();
        let mut tried = Vec::new();
        // What runs, and what this lesson has proved.
        let mut chain = SiteRules::clone(&self.in_force);
        for Entry { rule, by, .. } in in_order_first(learned.rules) {
            let of_rule = |rule: &Rule| self.rules.iter().find(|held| held.entry.rule == *rule);
            let born = |rule: &Rule| of_rule(rule).map_or(cut, |held| held.born.min(cut));
            if of_rule(&rule).is_some_and(Held::is_active) {
                continue;
            }
            let rule = needed_late(&table, rule, born);
            let is_known = |held: &Held| held.entry.rule == rule;
            if barred.bars(&rule) || rules.iter().chain(&tried).any(is_known) {
                continue;
            }
            let before = of_rule(&rule);
            let born = born(&rule);
            let with_rule = chain.followed_by(&SiteRules::new("", [rule.clone()]));
            // One that would have URLs go in circles has shown nothing.
            let deed = table
                .try_behind(&rule, &with_rule, None)
                .unwrap_or_default();
            let proof = Proof::of(&table, &deed, born);
            let is_proved =
                proof.is_enough(least + pages_needed(&rule, options)) && deed.orphans.is_empty();
            let mut evidence = table.evidence(&deed);
            proof.write(&mut evidence);
            let activations = before.map_or(0, |held| held.activations);
            let held = Held {
                entry: Arc::new(Entry {
                    rule,
                    status: if is_proved {
                        Status::Active
                    } else if activations > 0 {
                        Status::Withdrawn
                    } else {
                        Status::Probation
                    },
                    by,
                    evidence,
                }),
                born,
                activations: activations + u32::from(is_proved),
                source: RuleSource::Crawl,
                compared: 0,
                alone: before
                    .filter(|held| held.entry.status != Status::Withdrawn)
                    .map_or(0, |held| held.alone),
                doubt: None,
            };
            if is_proved {
                table.adopt(&held.entry.rule, &with_rule, None);
                chain = with_rule;
                rules.push(held);
            } else {
                tried.push(held);
            }
        }
        rules.sort_by_key(|held| !self.rules.contains(held) && is_of_order(&held.entry.rule));
        rules.append(&mut tried);
        // What fell is remembered: it answers for what it dropped, and starts with its failures.
        for held in &self.rules {
            if held.activations > 0
                && !rules
                    .iter()
                    .any(|other| other.entry.rule == held.entry.rule)
            {
                rules.push(held.clone());
            }
        }
        Lesson {
            host: self.host,
            pages: self.pages,
            before: self.rules,
            rules,
        }
    }
}

/// The rule without edits that no page needs that was met late enough.
fn needed_late(table: &Table<'_>, mut rule: Rule, born: impl Fn(&Rule) -> u32) -> Rule {
    loop {
        let born = born(&rule);
        let is_late = |group: &[u32]| is_late(table, group, born);
        let needed = table.needed(&rule, &table.try_rule(&rule), is_late);
        if needed == rule {
            return rule;
        }
        rule = tighten(table, needed);
    }
}

/// Whether there is a URL in a group that was met late enough.
fn is_late(table: &Table<'_>, group: &[u32], born: u32) -> bool {
    (group.iter()).any(|at| table.rows[*at as usize].met >= born)
}

/// What the groups say in which there is a URL that was met late enough.
#[derive(Clone, Copy, Debug, Default)]
struct Proof {
    /// Different pages among the groups that are one page each.
    pages: u64,
    trials: u64,
    failures: u64,
}

impl Proof {
    fn of(table: &Table<'_>, deed: &Deed, born: u32) -> Self {
        let mut proof = Self::default();
        let mut pages = FxHashSet::default();
        for group in deed.groups.iter().filter(|g| is_late(table, g, born)) {
            proof.trials += 1;
            if !table.is_pure(group) {
                proof.failures += 1;
            } else if !table.is_giant(table.cluster(group[0])) {
                pages.insert(table.cluster(group[0]));
            }
        }
        proof.pages = pages.len() as u64;
        proof
    }

    /// Whether it is, for a rule that needs so many pages.
    const fn is_enough(&self, pages: u64) -> bool {
        self.pages >= pages + FAILURE * self.failures
    }

    fn write(&self, evidence: &mut Evidence) {
        evidence.trials = self.trials;
        evidence.failures = self.failures;
    }
}

/// A learned rule as reports tell it. It has no e-value: what it needs are pages, see [`Proof::is_enough`].
pub(super) fn record(host: &str, held: &Held) -> BeliefRecord {
    let Entry {
        rule,
        status,
        evidence,
        ..
    } = &*held.entry;
    BeliefRecord {
        id: rule.belief(host),
        site: host.to_owned(),
        text: rule.to_string(),
        standing: match status {
            Status::Active | Status::Pinned => Standing::Active,
            Status::Probation => Standing::Probation,
            Status::Vetoed | Status::Withdrawn => Standing::Withdrawn,
        },
        trials: evidence.trials,
        failures: evidence.failures,
        earlier_trials: 0,
        earlier_failures: 0,
        undecided: 0,
        e_value: 1.0,
        exceptions: 0,
        examples: (evidence.examples.iter().take(2))
            .map(|pair| rule.show(pair))
            .map(|shown| (shown.copy, shown.original))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rustc_hash::FxHashSet;

    use super::{Barred, Homework, Lesson};
    use crate::{
        learn::Options,
        rules::{Edit, RulesConfig, SiteRules},
    };

    /// A lesson on pages, each a URL and what it shows, behind rules that are in force.
    fn lesson(pages: &[(String, u64)], in_force: &[&str]) -> Lesson {
        lesson_with(RulesConfig::default().proof.into(), pages, in_force)
    }

    /// The same where rules need so many later pages.
    fn lesson_with(least: u64, pages: &[(String, u64)], in_force: &[&str]) -> Lesson {
        let rules = in_force.iter().map(|rule| rule.parse().unwrap());
        let sightings = (0u32..)
            .zip(pages)
            .map(|(at, (url, cluster))| super::Sighting {
                class: format!("http://e.com/{url}"),
                cluster: *cluster,
                at,
            });
        let homework = Homework {
            host: "e.com".to_owned(),
            sightings: sightings.collect(),
            pages: pages.len() as u32,
            doubts: FxHashSet::default(),
            rules: Vec::new(),
            in_force: Arc::new(SiteRules::new("", rules)),
        };
        homework.learn(&Options::default(), least, Barred::default())
    }

    fn active(lesson: &Lesson) -> Vec<String> {
        let active = lesson.rules.iter().filter(|held| held.is_active());
        active.map(|held| held.entry.rule.to_string()).collect()
    }

    /// Of things that all have two addresses, with and without a slash at the end; and late two coins.
    fn with_coins() -> Vec<(String, u64)> {
        let things =
            (0..60u64).flat_map(|n| [(format!("thing/{n}"), n), (format!("thing/{n}/"), n)]);
        let coins = (0..6u64).map(|n| (format!("coin/{n}/"), 1000 + n));
        things.chain(coins).collect()
    }

    #[test]
    fn what_a_new_rule_makes_is_where_one_in_force_begins() {
        let pages = with_coins();
        assert_eq!(active(&lesson(&pages, &[])), ["=> drop:slash"]);
        // Both rules together make one coin of six.
        let coin = "is:seg.0=coin no:slash => drop:seg.1";
        let lesson = lesson(&pages, &[coin]);
        assert!(active(&lesson).iter().all(|rule| rule != "=> drop:slash"));
    }

    #[test]
    fn what_a_crawl_cannot_prove_takes_no_place_among_its_rules() {
        let things = (0..60u64).map(|n| (format!("thing?id={n}"), n));
        let login = (0..100u64).map(|n| (format!("login?from{n}=x"), 1000));
        let pages: Vec<(String, u64)> = login.chain(things).collect();
        let lesson = lesson(&pages, &[]);
        let keeps = |held: &&super::Held| matches!(held.entry.rule.edits[..], [Edit::Keep(_)]);
        assert_eq!(lesson.rules.iter().filter(keeps).count(), 0);
    }

    #[test]
    fn a_rule_acts_when_as_many_later_pages_as_are_asked_for_show_it_right() {
        let pages: Vec<(String, u64)> = (0..100u64)
            .flat_map(|n| {
                [
                    (format!("thing?id={n}"), n),
                    (format!("thing?id={n}&v=x{n}"), n),
                ]
            })
            .collect();
        let is_dropped = |lesson: &Lesson| {
            active(lesson)
                .iter()
                .any(|rule| rule.ends_with("drop:query.v"))
        };
        // Two in five of the pages are later ones, and a rule of its kind needs three to be proposed.
        assert!(is_dropped(&lesson_with(37, &pages, &[])));
        let waits = lesson_with(38, &pages, &[]);
        assert!(!is_dropped(&waits));
        let held = waits
            .rules
            .iter()
            .find(|held| held.entry.rule.to_string().ends_with("drop:query.v"));
        assert_eq!(held.unwrap().entry.evidence.trials, 40);
    }

    #[test]
    fn what_only_early_pages_needed_is_not_proved() {
        let early =
            (0..72u64).flat_map(|n| [(format!("new/{n}"), n), (format!("old/{n}?s={n}"), n)]);
        let late = (100..148u64)
            .flat_map(|n| [(format!("old/{n}?s=1"), n), (format!("old/{n}?s={n}"), n)]);
        let pages: Vec<(String, u64)> = early.chain(late).collect();
        let moves = |rule: &String| rule.contains("seg.0=new");
        let active = active(&lesson(&pages, &[]));
        assert!(
            !active.is_empty() && !active.iter().any(moves),
            "{active:?}"
        );
    }
}
