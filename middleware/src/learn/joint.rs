//! Learns rules from differences that were mostly met together.
//!
//! Where a session, a mark of where the reader came from and a title are each in a URL or not, two URLs of one page seldom differ in one
//! of them alone: on a small site each rule by itself has next to no pages that show it, though all of them have many. So each difference
//! (of a parameter, a host, a word of the path) that several pages have among others, and that none contradicts, is supposed not to matter;
//! behind what is supposed, other rules are learned from a third of the usual proof; and then each has to prove itself given the others, by
//! twice as many pages as it would need alone, none of which they already make one.

mod differences;

use std::collections::BTreeSet;

use super::{
    Options,
    barred::Barred,
    count::{Counts, Item, count},
    found::hash_of,
    luck::whole_of,
    needs::is_of_order,
    offers::{Offer, offers},
    select::active,
    table::{Row, Table},
};
use crate::rules::{Entry, Evidence, Rule, SiteRules};
use differences::{differences, is_of_path};

/// URLs up to which this is done: of more, enough differ in one thing.
pub(super) const MOST_URLS: usize = 2_000;
/// Rules that are supposed to be right, at most.
const MOST_SUPPOSED: usize = 24;
/// Times that rules are supposed behind those that are already.
const SUPPOSED_ROUNDS: usize = 3;
/// Proposals that are tried for each of these.
const MOST_PROPOSALS: usize = 150;
/// Times that a rule may be put in the place of one that did not prove itself; after that it is left out.
const ROUNDS: usize = 3;
/// Pages that must show a supposed rule right, for each that one needs that stands alone: many were tried, and each leans on the others.
const MORE_PAGES: u64 = 2;
/// Rules that may be applied to rows before this is given up, in all.
const MOST_WORK: usize = 2_000_000;

/// What the rules are learned with.
pub(super) struct Lesson<'a, 's> {
    /// The URLs as they are without rules.
    pub(super) table: &'a dyn Fn() -> Table<'s>,
    pub(super) options: &'a Options,
    pub(super) barred: Barred<'a>,
    /// Rules that are learned behind others that a table has adopted.
    pub(super) select: &'a dyn Fn(&mut Table<'s>, &SiteRules, &Options) -> Vec<Entry>,
}

impl<'s> Lesson<'_, 's> {
    /// The rules, and behind them those that prove themselves together.
    pub(super) fn extend(&self, mut rules: Vec<Entry>) -> Vec<Entry> {
        let known: Vec<Rule> = rules.iter().map(|entry| entry.rule.clone()).collect();
        let mut work = Work(MOST_WORK);
        let together = (self.suppose(&known, &mut work))
            .and_then(|open| self.within_bounds(&known, open, &mut work));
        let room = self.options.max_rules.saturating_sub(rules.len());
        rules.extend(together.into_iter().flatten().take(room));
        // As they are to run.
        rules.sort_by_key(|entry| is_of_order(&entry.rule));
        rules
    }

    /// The table that has adopted rules; `None` where that is too much work.
    fn behind<'r>(
        &self,
        rules: impl IntoIterator<Item = &'r Rule>,
        work: &mut Work,
    ) -> Option<Table<'s>> {
        let mut table = (self.table)();
        let mut chain = Vec::new();
        for rule in rules {
            work.take(table.rows.len())?;
            chain.push(rule.clone());
            table.adopt(rule, &SiteRules::new("", chain.clone()), None);
        }
        table.behind = SiteRules::new("", chain);
        Some(table)
    }

    /// Rules that are supposed to be right: what single differences suggest and nothing contradicts, and behind that what a third of the
    /// usual proof speaks for.
    fn suppose(&self, known: &[Rule], work: &mut Work) -> Option<Vec<(Rule, String)>> {
        let mut table = self.behind(known, work)?;
        let mut supposed: Vec<(Rule, String)> = Vec::new();
        let lenient = Options {
            min_trials: 1,
            max_proposals: self.options.max_proposals.min(MOST_PROPOSALS),
            ..self.options.clone()
        };
        let chain = |supposed: &[(Rule, String)]| {
            let supposed = supposed.iter().map(|(rule, _)| rule);
            SiteRules::new("", known.iter().chain(supposed).cloned())
        };
        for _ in 0..SUPPOSED_ROUNDS {
            let before = supposed.len();
            let all = differences(&table);
            // What was supposed meanwhile may have made another of a difference.
            let mut are_there: Option<BTreeSet<Rule>> = None;
            for rule in all {
                if supposed.len() >= MOST_SUPPOSED {
                    break;
                }
                let is_known =
                    known.contains(&rule) || supposed.iter().any(|(known, _)| *known == rule);
                if is_known || self.barred.bars(&rule) {
                    continue;
                }
                let there = || differences(&table).into_iter().collect();
                if is_of_path(&rule) && !are_there.get_or_insert_with(there).contains(&rule) {
                    continue;
                }
                work.take(table.rows.len())?;
                let deed = table.try_rule(&rule);
                if deed.changed == 0
                    || deed.failures as f64 > self.options.failures_max * deed.trials as f64
                {
                    continue;
                }
                supposed.push((rule.clone(), "jointly".to_owned()));
                let chain = chain(&supposed);
                table.adopt(&rule, &chain, None);
                table.behind = chain;
                are_there = None;
            }
            let room = MOST_SUPPOSED.saturating_sub(supposed.len());
            let others = (self.select)(&mut table, &chain(&supposed), &lenient);
            let others = others.into_iter().take(room);
            supposed.extend(others.map(|entry| (entry.rule, entry.by)));
            if supposed.len() == before || supposed.len() >= MOST_SUPPOSED {
                break;
            }
            let rules = known.iter().chain(supposed.iter().map(|(rule, _)| rule));
            table = self.behind(rules, work)?;
        }
        Some(supposed)
    }

    /// What of the rules proves itself, without those that do most harm where all together do too much.
    fn within_bounds(
        &self,
        known: &[Rule],
        mut open: Vec<(Rule, String)>,
        work: &mut Work,
    ) -> Option<Vec<Entry>> {
        let urls = (self.table)();
        let before = counts_of(&urls, known);
        let mut refused: Vec<Rule> = Vec::new();
        loop {
            let proved = self.prove(known, &refused, open, work)?;
            let rules: Vec<Rule> = (known.iter().cloned())
                .chain(proved.iter().map(|entry| entry.rule.clone()))
                .collect();
            let counts = counts_of(&urls, &rules);
            let keeps_bounds = |(counts, before): (&Counts, &Counts)| {
                counts.fpr() <= self.options.fpr_max.max(before.fpr())
                    && counts.loss_rate() <= self.options.loss_max.max(before.loss_rate())
            };
            let is_within = counts.iter().zip(&before).all(keeps_bounds);
            if is_within {
                return Some(proved);
            }
            let harm = |entry: &Entry| (entry.evidence.lost, entry.evidence.false_pairs);
            let worst = proved.iter().max_by_key(|entry| harm(entry))?;
            if harm(worst) == (0, 0) {
                return None;
            }
            let worst = worst.rule.clone();
            let others = proved.into_iter().filter(|entry| entry.rule != worst);
            open = others.map(|entry| (entry.rule, entry.by)).collect();
            refused.push(worst);
        }
    }

    /// What of the rules proves itself, each given all others. Those that were supposed last are asked first, since what they
    /// say may be said by others.
    fn prove(
        &self,
        known: &[Rule],
        refused: &[Rule],
        mut open: Vec<(Rule, String)>,
        work: &mut Work,
    ) -> Option<Vec<Entry>> {
        for round in 0.. {
            let mut proved: Vec<Entry> = Vec::new();
            let mut is_settled = true;
            for at in (0..open.len()).rev() {
                let (rule, by) = open.remove(at);
                let mut right = self.right(known, refused, &open, &rule, work)?;
                // From some time on rules only go, so that this ends.
                right.retain(|(own, _)| round < ROUNDS || *own == rule);
                is_settled &= matches!(&right[..], [(own, _)] if *own == rule);
                for (place, (rule, evidence)) in right.into_iter().enumerate() {
                    if open.iter().any(|(known, _)| *known == rule) {
                        continue;
                    }
                    open.insert((at + place).min(open.len()), (rule.clone(), by.clone()));
                    proved.push(active(rule, &by, evidence));
                }
            }
            if is_settled {
                proved.reverse();
                return Some(proved);
            }
        }
        None
    }

    /// What of a rule is right behind all others.
    fn right(
        &self,
        known: &[Rule],
        refused: &[Rule],
        others: &[(Rule, String)],
        rule: &Rule,
        work: &mut Work,
    ) -> Option<Vec<(Rule, Evidence)>> {
        let others = others.iter().map(|(rule, _)| rule);
        let table = self.behind(known.iter().chain(others), work)?;
        let barred = self.barred;
        let stays_out =
            |rule: &Rule| barred.bars(rule) || known.contains(rule) || refused.contains(rule);
        let strict = Options {
            min_trials: self.options.min_trials * MORE_PAGES,
            ..self.options.clone()
        };
        let mut proposals = vec![(rule.clone(), "")];
        let whole = whole_of(rule);
        if whole != *rule {
            proposals.push((whole, ""));
        }
        let mut heap = offers(&table, &strict, &proposals, &stays_out, false);
        let mut right: Vec<(Rule, Evidence)> = Vec::new();
        while let Some(Offer { rule, .. }) = heap.pop() {
            let deed = table.try_rule(&rule);
            // What another does already shows nothing more.
            let is_idle = right.iter().any(|(own, _)| is_part(&rule, own));
            if !is_idle && right.iter().all(|(own, _)| *own != rule) {
                right.push((rule, table.evidence(&deed)));
            }
        }
        Some(right)
    }
}

/// How often a rule may still be applied to a row.
#[derive(Debug)]
struct Work(usize);

impl Work {
    /// Takes so much of it, if there is as much.
    fn take(&mut self, rows: usize) -> Option<()> {
        self.0 = self.0.checked_sub(rows)?;
        Some(())
    }
}

/// What rules do to the URLs of a table, and to those without giants: an error page behind many addresses has more pairs than all others.
fn counts_of(urls: &Table<'_>, rules: &[Rule]) -> [Counts; 2] {
    let rules = SiteRules::new("", rules.iter().cloned());
    let item = |row: &Row<'_>| {
        let canon = rules.canon(&row.text);
        let class = canon.as_ref().map_or(&*row.text, |canon| &*canon.class);
        Item {
            form: hash_of(class),
            cluster: row.cluster,
            easy: 0,
        }
    };
    let mut items: Vec<Item> = urls.rows.iter().map(item).collect();
    let all = count(&items);
    items.retain(|item| !urls.is_giant(item.cluster));
    [all, count(&items)]
}

/// Whether a rule makes the edits of another under more conditions.
fn is_part(rule: &Rule, of: &Rule) -> bool {
    let conditions = &rule.pattern.0;
    rule.edits == of.edits
        && of
            .pattern
            .0
            .iter()
            .all(|condition| conditions.contains(condition))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use xxhash_rust::xxh3::xxh3_64;

    use crate::learn::{Options, Sample, learn};

    fn draw(things: &[u32]) -> u64 {
        let octets: Vec<u8> = things.iter().flat_map(|n| n.to_le_bytes()).collect();
        xxh3_64(&octets)
    }

    /// One of the spellings of an article: on a mirror, in print, with a session and a mark, and with an edition.
    fn spelling(article: u32, at: u32) -> (String, u64) {
        let has = |what: u32| draw(&[article, at, what]).is_multiple_of(2);
        let host = if has(1) { "m.e.org" } else { "e.org" };
        let print = if has(2) { "print/" } else { "" };
        let mut query = Vec::new();
        if has(3) {
            query.push(format!("sid={:x}", draw(&[article, at, 8])));
        }
        if has(4) {
            query.push(format!("via=p{}", draw(&[article, at, 9]) % 40));
        }
        let edition = draw(&[article, at, 5]) % 4;
        if edition > 0 {
            query.push(format!("edition={edition}"));
        }
        let query = if query.is_empty() {
            String::new()
        } else {
            format!("?{}", query.join("&"))
        };
        (
            format!("http://{host}/{print}article/{article}{query}"),
            edition,
        )
    }

    /// How many of the spellings of new articles become one with others of their page, after so many known ones; each of these was met in
    /// three. `matters`: whether an edition is a page of its own.
    fn told(articles: u32, matters: bool) -> f64 {
        let page = |article: u32, edition: u64| {
            let edition = if matters { edition } else { 0 };
            format!("article {article}, {edition}")
        };
        let samples: Vec<Sample> = (0..articles)
            .flat_map(|article| (0..3).map(move |at| (article, at)))
            .map(|(article, at)| {
                let (url, edition) = spelling(article, at);
                Sample::new(url, &page(article, edition))
            })
            .collect();
        let rules = learn(&samples, &Options::default()).compile();
        let mut classes: BTreeMap<String, String> = BTreeMap::new();
        let mut pages: BTreeMap<String, u32> = BTreeMap::new();
        let mut urls = 0;
        for (article, at) in (0..60).flat_map(|n| (0..8).map(move |at| (900 + n, at))) {
            let (url, edition) = spelling(article, at);
            let page = page(article, edition);
            let class = rules.canon(&url).map_or(url, |canon| canon.class);
            let known = classes.entry(class.clone()).or_insert_with(|| page.clone());
            assert_eq!(*known, page, "two pages are {class}");
            *pages.entry(page).or_default() += 1;
            urls += 1;
        }
        let copies = f64::from(urls) - pages.len() as f64;
        (f64::from(urls) - classes.len() as f64) / copies
    }

    #[test]
    fn what_is_only_met_together_is_learned_together() {
        let share = told(36, false);
        assert!(share > 0.9, "{share}");
    }

    #[test]
    fn what_matters_is_not_supposed_away() {
        let share = told(36, true);
        assert!(share > 0.9, "{share}");
    }

    #[test]
    fn rules_that_do_too_much_harm_together_are_not_taken() {
        // One mirrored article in ten is another one.
        let samples: Vec<Sample> = (0..300u32)
            .flat_map(|article| {
                let other = if article % 10 == 3 { " abroad" } else { "" };
                [
                    Sample::new(
                        format!("http://e.org/a/{article}"),
                        &format!("article {article}"),
                    ),
                    Sample::new(
                        format!("http://m.e.org/a/{article}?via={}", article % 7),
                        &format!("article {article}{other}"),
                    ),
                ]
            })
            .collect();
        let rules = learn(&samples, &Options::default()).rules;
        let about_hosts = rules
            .iter()
            .filter(|entry| entry.rule.to_string().contains("host"))
            .count();
        assert_eq!(about_hosts, 0);
    }
}
