//! What a rule does to the pages of a table, and what that says about the rule.

use std::{borrow::Cow, sync::Arc};

use rustc_hash::FxHashSet;

use super::{
    found::{Change, Form},
    groups::{ALONE, Groups, Span},
    kinds::shape,
    made::{Made, Piece},
    needs::sorts,
    parallel,
    places::sort_by_hash,
    rows::{PIECE, Rows},
    table::Table,
    tally::Missed,
};
use crate::rules::{Evidence, Parts, Rule, SiteRules};

/// Examples of what a rule does right, and of what it does wrong.
const EXAMPLES: usize = 3;

/// What a rule does to a table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deed {
    /// Classes that become one, at least two in each group; where they are one page, no two that differ in the order of
    /// their parameters alone, unless the rule is about that.
    pub(crate) groups: Groups,
    /// Classes that it changes.
    pub(crate) changed: usize,
    /// Changed classes whose new shape is known neither from the site nor from a merge, in any order: what is left of
    /// them may not say any more which page it is.
    pub(crate) orphans: Vec<u32>,
    /// Different pages among the groups that are one page each. Groups of one page (a short list, say) say the
    /// same thing again and again.
    pub(crate) pages: u64,
    /// The same for groups of large clusters, which are counted one by one, but never like pages.
    pub(crate) in_giants: u64,
    /// Groups of one wall.
    pub(crate) of_walls: u64,
    /// Counts over the groups; pairs are of the URLs that the classes were made of.
    pub(crate) trials: u64,
    pub(crate) failures: u64,
    pub(crate) support: u64,
    pub(crate) false_pairs: u64,
    pub(crate) saved: u64,
    /// Pages that are seen no more if one class of each group is fetched, whichever.
    pub(crate) lost: f64,
    /// What becomes of the rows if the rule is adopted, of a table that holds texts alone; unless not even it tells.
    pub(super) made: Option<Arc<Made>>,
}

impl Deed {
    /// All that shows the rule right.
    pub(crate) const fn shown(&self) -> u64 {
        self.pages + self.in_giants
    }
}

impl Table<'_> {
    /// What the rule would do.
    pub(crate) fn try_rule(&self, rule: &Rule) -> Deed {
        if !self.behind.is_empty() {
            let rule_alone = SiteRules::new("", [rule.clone()]);
            let chain = self.behind.followed_by(&rule_alone);
            return self.try_behind(rule, &chain, None).unwrap_or_default();
        }
        let (changes, made) = self.changes_for_good(rule);
        Deed {
            made: made.map(Arc::new),
            ..self.weigh(rule, changes)
        }
    }

    /// What the rule does at the end of a chain whose other rules the table has adopted: what it makes of a URL may
    /// be where one of them begins. `None`: they would turn a URL back or in circles. `alone`: what it does by itself,
    /// where that is known.
    pub(crate) fn try_behind(
        &self,
        rule: &Rule,
        chain: &SiteRules,
        alone: Option<Deed>,
    ) -> Option<Deed> {
        let made = alone.and_then(|alone| alone.made);
        let changes = made.map_or_else(|| self.changes(rule), |made| made.changes());
        let pieces: Vec<&[Change]> = changes.chunks(PIECE).collect();
        let pieces = parallel::map(self.threads, &pieces, |changes| {
            let (mut parts, mut spare) = (Parts::none(), Parts::none());
            let mut piece = Piece::default();
            for change in *changes {
                let at = change.at as usize;
                self.take_apart(at, &mut parts);
                let text = &self.rows[at].text;
                let (class, shape) = chain.class_of(text, &mut parts, &mut spare, shape)?;
                let form = if change.form.is_of(&class) {
                    change.form
                } else {
                    Form::new(&class, shape?)
                };
                let is_told = shape == Some(form.shape);
                piece.push(Change { form, ..*change }, &class, !is_told);
            }
            Some(piece)
        });
        let pieces: Vec<Piece> = pieces.into_iter().collect::<Option<_>>()?;
        let changes: Vec<&[Change]> = pieces.iter().map(Piece::changes).collect();
        let deed = self.weigh(rule, changes.concat());
        Some(Deed {
            made: Made::of(pieces).map(Arc::new),
            ..deed
        })
    }

    /// What comes of these changes by the rule.
    fn weigh(&self, rule: &Rule, mut changes: Vec<Change>) -> Deed {
        let mut deed = Deed {
            changed: changes.len(),
            ..Deed::default()
        };
        let sorts = sorts(rule);
        let kinds = self.kinds();
        let mut is_changed = Rows::none(self.rows.len());
        let mut left = vec![0; kinds.len()];
        for change in &changes {
            is_changed.insert(change.at as usize);
            left[kinds.of_row(change.at)] += 1;
        }
        sort_by_hash(&mut changes, |change| change.form.hash, |change| change.at);
        let mut merged_shapes = FxHashSet::<u64>::default();
        let mut last_shape = None;
        let mut pages = Vec::new();
        let mut clusters = Vec::<u64>::new();
        let mut missed = Missed::default();
        for changed in changes.chunk_by(|a, b| a.form.hash == b.form.hash) {
            let known = self.at(changed[0].form.hash);
            let known = known.filter(|at| !is_changed.holds(*at as usize));
            if changed.len() + usize::from(known.is_some()) < 2 {
                continue;
            }
            let span = deed.groups.push(changed, known);
            clusters.clear();
            let group = deed.groups.group(span);
            clusters.extend(group.iter().map(|at| self.cluster(*at)));
            let is_pure = clusters.iter().all(|cluster| *cluster == clusters[0]);
            let tally = if is_pure {
                clusters.truncate(1);
                if !sorts {
                    self.forget_order(&mut deed.groups);
                }
                self.tally(deed.groups.last().unwrap_or_default(), true, &mut missed)
            } else {
                clusters.sort_unstable();
                clusters.dedup();
                // Whether they are one page nobody can tell, so neither whether one is missed.
                if self.is_unclear(&clusters) {
                    deed.groups.pop();
                    continue;
                }
                self.tally(group, false, &mut missed)
            };
            let n = tally.classes;
            // Those that only the order of their parameters told apart say nothing of what else the rule does.
            if n < 2 {
                deed.groups.pop();
                continue;
            }
            if let [cluster] = clusters[..] {
                if self.is_giant(cluster) {
                    // Many URLs that all lead to it tell more than two, but far less than as many pages would.
                    deed.in_giants += 1 + u64::from((n - 1).ilog2());
                    deed.of_walls += u64::from(self.is_wall(cluster));
                } else {
                    pages.push(cluster);
                }
                for change in changed {
                    // Most are of the shape of the one before.
                    if last_shape != Some(change.form.shape) {
                        merged_shapes.insert(change.form.shape);
                        last_shape = Some(change.form.shape);
                    }
                }
            }
            deed.trials += 1;
            deed.failures += u64::from(clusters.len() > 1);
            deed.support += tally.pairs;
            deed.false_pairs += tally.false_pairs;
            deed.saved += n - 1;
        }
        deed.lost = missed.lost(|cluster| self.size(cluster) as usize);
        pages.sort_unstable();
        pages.dedup();
        deed.pages = pages.len() as u64;
        let is_natural = |shape: u64| {
            let of_site = kinds.find(shape);
            of_site.is_some_and(|(number, rows)| rows > left[number])
        };
        let is_orphan = |change: &&Change| {
            let shape = change.form.shape;
            !merged_shapes.contains(&shape) && !is_natural(shape)
        };
        deed.orphans = changes.iter().filter(is_orphan).map(|c| c.at).collect();
        deed
    }

    /// Whether nobody can tell if these contents are one: such a group speaks neither for a rule nor against it. Not all pairs were
    /// compared, so that a chain of doubts is enough.
    fn is_unclear(&self, clusters: &[u64]) -> bool {
        let is_doubtful = |a: u64, b: u64| self.doubts.contains(&(a.min(b), a.max(b)));
        clusters.len() > 1
            && !self.doubts.is_empty()
            && (1..clusters.len())
                .all(|i| clusters[..i].iter().any(|a| is_doubtful(*a, clusters[i])))
    }

    /// The groups that show a rule right and say what it may act upon: those of pages with many addresses (mostly login and error pages) only where
    /// there is no other.
    pub(super) fn telling<'g>(&self, deed: &'g Deed) -> Vec<&'g [u32]> {
        let pure = || deed.groups.iter().filter(|group| self.is_pure(group));
        let of_pages: Vec<&[u32]> = (pure())
            .filter(|group| !self.is_giant(self.cluster(group[0])))
            .collect();
        if of_pages.is_empty() {
            return pure().collect();
        }
        of_pages
    }

    /// The groups with their rows in order, that of what the rule makes of the others last.
    pub(super) fn in_order<'g>(&self, groups: &'g Groups) -> Vec<Cow<'g, [u32]>> {
        let spans = groups.spans.iter();
        spans.map(|span| self.one_in_order(groups, *span)).collect()
    }

    fn one_in_order<'g>(&self, groups: &'g Groups, span: Span) -> Cow<'g, [u32]> {
        let mut group = Cow::Borrowed(groups.group(span));
        let order = |a: &u32, b: &u32| self.order(*a, *b);
        if !groups
            .changed(span)
            .is_sorted_by(|a, b| order(a, b).is_le())
        {
            let changed = (span.changed - span.from) as usize;
            group.to_mut()[..changed].sort_unstable_by(order);
        }
        group
    }

    /// The first groups of each kind, which are one page and which are not, in the order of their first rows.
    fn first_groups<'g>(&self, groups: &'g Groups) -> [Vec<Cow<'g, [u32]>>; 2] {
        // Texts are compared in the order in which they lie in memory.
        let mut of = vec![ALONE; self.rows.len()];
        for (number, span) in (0u32..).zip(&groups.spans) {
            for at in groups.changed(*span) {
                of[*at as usize] = number;
            }
        }
        let is_pure: Vec<bool> = groups.iter().map(|group| self.is_pure(group)).collect();
        // Of each kind the first rows met so far, with their groups.
        let mut first = [const { Vec::<(u32, u32)>::new() }; 2];
        for (at, number) in (0u32..).zip(of).filter(|(_, number)| *number != ALONE) {
            let first = &mut first[usize::from(!is_pure[number as usize])];
            let place = first.partition_point(|(other, _)| self.order(*other, at).is_lt());
            if place == EXAMPLES || first[..place].iter().any(|(_, of)| *of == number) {
                continue;
            }
            first.retain(|(_, of)| *of != number);
            first.truncate(EXAMPLES - 1);
            first.insert(place, (at, number));
        }
        first.map(|first| {
            let spans = first
                .iter()
                .map(|(_, number)| groups.spans[*number as usize]);
            spans.map(|span| self.one_in_order(groups, span)).collect()
        })
    }

    /// The evidence that a rule's deed is, with the first examples of each kind.
    pub(crate) fn evidence(&self, deed: &Deed) -> Evidence {
        let pair = |group: &[u32], other: u32| {
            [group[0], other].map(|at| self.rows[at as usize].text.to_string())
        };
        let [right, wrong] = self.first_groups(&deed.groups);
        let other = |g: &[u32]| {
            let mut others = g.iter();
            others
                .find(|at| self.cluster(**at) != self.cluster(g[0]))
                .copied()
        };
        Evidence {
            support: deed.support,
            false_pairs: deed.false_pairs,
            trials: deed.trials,
            failures: deed.failures,
            saved: deed.saved,
            lost: deed.lost.round() as u64,
            examples: right.iter().map(|g| pair(g, g[1])).collect(),
            counterexamples: (wrong.iter())
                .filter_map(|g| Some(pair(g, other(g)?)))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashSet;

    use crate::{
        learn::{Sample, table::Table},
        rules::{Rule, SiteRules},
    };

    fn pages(paths: &[&str]) -> Vec<Sample> {
        let page = |path: &&str| Sample::new(format!("http://e.com/{path}"), path);
        paths.iter().map(page).collect()
    }

    /// A table of these pages that has adopted all rules but the last; that one; and all of them.
    fn behind<'s>(samples: &'s [Sample], rules: &[&str]) -> (Table<'s>, Rule, SiteRules) {
        let mut table = Table::new(samples, 20);
        let rules: Vec<Rule> = rules.iter().map(|rule| rule.parse().unwrap()).collect();
        for at in 1..rules.len() {
            let chain = SiteRules::new("", rules[..at].to_vec());
            table.adopt(&rules[at - 1], &chain, None);
        }
        let last = rules.last().unwrap().clone();
        (table, last, SiteRules::new("", rules))
    }

    #[test]
    fn what_a_rule_makes_is_where_an_earlier_one_begins() {
        let samples = pages(&["coin/a/", "coin/b/"]);
        let (table, slash, chain) = behind(
            &samples,
            &["is:seg.0=coin no:slash => drop:seg.1", "=> drop:slash"],
        );
        assert_eq!(table.try_rule(&slash).failures, 0);
        let deed = table.try_behind(&slash, &chain, None).unwrap();
        assert_eq!(deed.failures, 1, "both become /coin in the second pass");
    }

    /// What is proved on the texts alone is what is found out about the same URLs taken apart and in order.
    #[test]
    fn tables_of_both_kinds_say_the_same() {
        let mut samples = Vec::new();
        for n in (0..40).rev() {
            let page = format!("page {}", n % 30);
            for url in [
                format!("a/{n}?x=1"),
                format!("a/{n}?x=2&y"),
                format!("b/{n}.html"),
                format!("A/{n}/?y&y=1"),
            ] {
                samples.push(Sample::new(format!("http://e.com/{url}"), &page));
            }
        }
        samples.extend_from_within(3..9);
        let rules = [
            "has:query.x => drop:query.x",
            "=> drop:query.y drop:query.x",
            "is:seg.0=b is:ext=html => set:seg.0=a drop:ext",
            "has:slash no:query.x => drop:slash lower-path",
            "is:len=2 only:x&y => drop:seg.1",
            "=> sort",
        ];
        let mut apart = Table::new(&samples, 20);
        let mut texts = Table::to_prove_on(&samples, |sample| (sample, 0), 20, 2);
        for at in 0..rules.len() {
            let chain: Vec<Rule> = rules[..=at].iter().map(|r| r.parse().unwrap()).collect();
            for text in rules {
                let rule: Rule = text.parse().unwrap();
                let said = [&apart, &texts].map(|table| {
                    let deed = table.try_rule(&rule);
                    let counts = (deed.changed, deed.orphans.len(), deed.shown());
                    (counts, table.evidence(&deed))
                });
                assert_eq!(said[0], said[1], "{rule} behind {at}");
            }
            let site = SiteRules::new("", chain.clone());
            for table in [&mut apart, &mut texts] {
                table.adopt(&chain[at], &site, None);
            }
            assert_eq!(apart.rows.len(), texts.rows.len(), "{}", chain[at]);
        }
    }

    #[test]
    fn pairs_are_of_the_urls_that_classes_were_made_of() {
        let samples: Vec<Sample> = (0..10)
            .flat_map(|n| {
                // Each of the last two pages has another one in the second folder.
                let other = if n < 8 {
                    format!("page {n}")
                } else {
                    format!("other {n}")
                };
                let urls = ["a", "b"].into_iter().zip([format!("page {n}"), other]);
                urls.flat_map(move |(folder, page)| {
                    (0..3).map(move |s| {
                        Sample::new(format!("http://e.com/{folder}/{n}?s={s}"), &page)
                    })
                })
            })
            .collect();
        let drop_s: Rule = "has:query.s => drop:query.s".parse().unwrap();
        let fold: Rule = "is:seg.0=b => set:seg.0=a".parse().unwrap();
        for mut table in [
            Table::new(&samples, 20),
            Table::to_prove_on(&samples, |sample| (sample, 0), 20, 1),
        ] {
            assert_eq!(table.try_rule(&drop_s).support, 20 * 3);
            table.adopt(&drop_s, &SiteRules::new("", [drop_s.clone()]), None);
            let deed = table.try_rule(&fold);
            // Three URLs by three of each page.
            assert_eq!((deed.trials, deed.support, deed.false_pairs), (10, 90, 18));
            assert_eq!((deed.failures, deed.saved), (2, 10));
        }
    }

    #[test]
    fn a_page_that_has_a_class_elsewhere_is_not_lost() {
        let page = |url: &str, page: &str| Sample::new(format!("http://e.com/{url}"), page);
        // What is shown at `a?s=3` was fetched elsewhere, too; the page of `a` is missed where that is fetched in its stead.
        let mut samples = vec![page("a", "a"), page("a?s=1", "a"), page("a?s=3", "b")];
        let drop_s: Rule = "has:query.s => drop:query.s".parse().unwrap();
        let lost = |samples: &[Sample]| Table::new(samples, 20).try_rule(&drop_s).lost;
        assert!((lost(&samples) - 1.0).abs() < 1e-5);
        samples.push(page("b", "b"));
        assert!((lost(&samples) - 1.0 / 3.0).abs() < 1e-5);
        // Both pages are shown in two places, and one is fetched of each: either is missed one time in four.
        let twice = ["a", "b"].map(|path| {
            [
                page(&format!("{path}?s=1"), "a"),
                page(&format!("{path}?s=2"), "b"),
            ]
        });
        assert!((lost(&twice.concat()) - 0.5).abs() < 1e-5);
    }

    #[test]
    fn no_page_is_missed_where_nobody_can_tell_two_apart() {
        let page = |url: &str, page: &str| Sample::new(format!("http://e.com/{url}"), page);
        let samples = [page("a", "a"), page("a?s=1", "b")];
        let [a, b] = [samples[0].cluster, samples[1].cluster];
        let drop_s: Rule = "has:query.s => drop:query.s".parse().unwrap();
        let table = || Table::new(&samples, 20);
        assert!((table().try_rule(&drop_s).lost - 1.0).abs() < 1e-5);
        let doubts = FxHashSet::from_iter([(a.min(b), a.max(b))]);
        let deed = table().with_doubts(doubts).try_rule(&drop_s);
        assert!(deed.lost.abs() < 1e-5);
        assert_eq!((deed.trials, deed.failures, deed.support), (0, 0, 0));
    }

    #[test]
    fn a_rule_that_closes_a_circle_does_nothing_that_counts() {
        let step = |from: &str, to: &str| format!("is:seg.0={from} => set:seg.0={to}");
        let rules = [step("a", "b"), step("c", "a"), step("b", "c")];
        let rules = rules.each_ref().map(String::as_str);
        let samples = pages(&["b/x"]);
        let (table, last, chain) = behind(&samples, &rules);
        assert_eq!(table.try_rule(&last).changed, 1);
        assert!(table.try_behind(&last, &chain, None).is_none());
    }
}
