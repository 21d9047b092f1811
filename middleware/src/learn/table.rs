//! What would a rule merge among the URLs we know?
//!
//! A [`Table`] holds the distinct classes of a site with their clusters. A rule that is accepted is applied to
//! it, so that later rules are judged on top of earlier ones, as they will be when they run.

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::Sample;
use crate::rules::{Condition, Edit, Evidence, Key, Mask, Parts, Rule};

/// A class of the site.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) text: String,
    pub(crate) parts: Parts<'static>,
    pub(crate) cluster: u64,
    mask: Mask,
    hash: u64,
    shape: u64,
}

/// Path length, script and query names: URLs of one shape identify their pages by the same parts.
fn shape(parts: &Parts<'_>) -> u64 {
    let mut names: Vec<&str> = parts.query.iter().map(|p| &*p.name).collect();
    names.sort_unstable();
    names.dedup();
    let script = parts.ext().and_then(|_| parts.segs.last());
    let script = script.filter(|_| !names.is_empty() || parts.segs.len() == 1);
    let text = format!(
        "{} {} {}",
        parts.segs.len(),
        script.map_or("", |s| s),
        names.join("&")
    );
    xxh3_64(text.as_bytes())
}

fn name_mark(name: &str) -> u64 {
    xxh3_64_with_seed(name.as_bytes(), 1 << 8)
}

fn seg_mark(at: u8, value: &str) -> u64 {
    xxh3_64_with_seed(value.as_bytes(), u64::from(at))
}

impl Row {
    fn new(text: String, parts: Parts<'static>, cluster: u64) -> Self {
        Self {
            mask: Mask::of(&text),
            hash: xxh3_64(text.as_bytes()),
            shape: shape(&parts),
            text,
            parts,
            cluster,
        }
    }
}

/// Distinct classes, in order of their text: nothing depends on the order in which pages came.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) rows: Vec<Row>,
    by_hash: FxHashMap<u64, u32>,
    giants: FxHashSet<u64>,
    /// Rows in ascending order by what they have: a query key, or a value at a place of the path.
    having: FxHashMap<u64, Vec<u32>>,
    shapes: FxHashMap<u64, u32>,
}

/// What a rule does to a table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deed {
    /// Classes that become one, at least two in each group.
    pub(crate) groups: Vec<Vec<u32>>,
    /// Classes that it changes.
    pub(crate) changed: usize,
    /// Changed classes whose new shape is known neither from the site nor from a merge: what is left of them
    /// may not say any more which page it is.
    pub(crate) orphans: Vec<u32>,
    /// Different pages among the groups that are one page each. Groups of one page (a short list, say) say the
    /// same thing again and again.
    pub(crate) pages: u64,
    /// The same for groups of large clusters, which are counted one by one, but never like pages.
    pub(crate) in_giants: u64,
    /// Counts over the groups.
    pub(crate) trials: u64,
    pub(crate) failures: u64,
    pub(crate) support: u64,
    pub(crate) false_pairs: u64,
    pub(crate) saved: u64,
    pub(crate) lost: u64,
}

impl Deed {
    /// All that shows the rule right.
    pub(crate) const fn shown(&self) -> u64 {
        self.pages + self.in_giants
    }
}

impl Table {
    /// The classes of these samples. Clusters with `giant` or more of them are error pages, login walls and empty
    /// pages: such a page is no evidence about the site's pages, only about the URLs that lead to it.
    pub(crate) fn new(samples: &[Sample], giant: usize) -> Self {
        let mut sizes: FxHashMap<u64, usize> = FxHashMap::default();
        for sample in samples {
            *sizes.entry(sample.cluster).or_default() += 1;
        }
        sizes.retain(|_, size| *size >= giant);
        let mut rows: Vec<Row> = samples
            .iter()
            .filter_map(|s| {
                let parts = Parts::parse(&s.url)?.into_owned();
                Some(Row::new(s.url.clone(), parts, s.cluster))
            })
            .collect();
        rows.sort_by(|a, b| (&a.text, a.cluster).cmp(&(&b.text, b.cluster)));
        let mut table = Self {
            rows,
            giants: sizes.into_keys().collect(),
            ..Self::default()
        };
        table.collapse();
        table
    }

    /// Keeps one row of each class: the one with the most frequent cluster.
    fn collapse(&mut self) {
        let mut old = std::mem::take(&mut self.rows);
        old.sort_by(|a, b| (&a.text, a.cluster).cmp(&(&b.text, b.cluster)));
        for row in old {
            if self.rows.last().is_none_or(|last| last.text != row.text) {
                self.rows.push(row);
            }
        }
        self.by_hash = (0u32..)
            .zip(&self.rows)
            .map(|(at, row)| (row.hash, at))
            .collect();
        self.having.clear();
        for (at, row) in (0u32..).zip(&self.rows) {
            let names = row.parts.query.iter().map(|p| name_mark(&p.name));
            let segs = (0u8..).zip(&row.parts.segs);
            for mark in names.chain(segs.map(|(i, value)| seg_mark(i, value))) {
                let rows = self.having.entry(mark).or_default();
                if rows.last() != Some(&at) {
                    rows.push(at);
                }
            }
        }
        self.shapes.clear();
        for row in &self.rows {
            *self.shapes.entry(row.shape).or_default() += 1;
        }
    }

    /// Rows of each cluster that has at least two, clusters in order of their first row.
    pub(crate) fn clusters(&self) -> Vec<Vec<u32>> {
        let mut of: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        for (at, row) in (0u32..).zip(&self.rows) {
            of.entry(row.cluster).or_default().push(at);
        }
        let mut clusters: Vec<Vec<u32>> = of.into_values().filter(|c| c.len() > 1).collect();
        clusters.sort_unstable_by_key(|c| c[0]);
        clusters
    }

    /// Number of different pages.
    pub(crate) fn cluster_count(&self) -> usize {
        let clusters: FxHashSet<u64> = self.rows.iter().map(|row| row.cluster).collect();
        clusters.len()
    }

    /// The class that the rule makes of a row, if it makes another one.
    fn rewritten(&self, rule: &Rule, needs: Mask, at: usize) -> Option<(String, Parts<'static>)> {
        let row = &self.rows[at];
        if !row.mask.covers(needs) || !rule.pattern.matches(&row.parts) {
            return None;
        }
        let mut parts = row.parts.clone();
        if !rule.apply(&mut parts) {
            return None;
        }
        let text = parts.render();
        (text != row.text).then_some((text, parts))
    }

    /// Rows that the rule may change; `None`: it may change any.
    fn candidates(&self, rule: &Rule) -> Option<&[u32]> {
        let of_condition = |condition: &Condition| match condition {
            Condition::Is(Key::Seg(i), value) => Some(seg_mark(*i, value)),
            Condition::Is(Key::Query(name), _)
            | Condition::Has(Key::Query(name))
            | Condition::Like(Key::Query(name), _)
            | Condition::Starts(Key::Query(name), _) => Some(name_mark(name)),
            _ => None,
        };
        let of_edits = match rule.edits.as_slice() {
            [
                Edit::Drop(Key::Query(name))
                | Edit::Mask(Key::Query(name))
                | Edit::Move(Key::Query(name), _),
            ] => Some(name_mark(name)),
            _ => None,
        };
        let marks = rule.pattern.0.iter().filter_map(of_condition);
        marks
            .chain(of_edits)
            .map(|mark| self.having.get(&mark).map_or(&[][..], Vec::as_slice))
            .min_by_key(|rows| rows.len())
    }

    /// Positions of the rows that the rule may change, ascending.
    fn candidate_rows<'t>(&'t self, rule: &Rule) -> impl Iterator<Item = usize> + use<'t> {
        let some = self.candidates(rule);
        let count = some.map_or(self.rows.len(), <[u32]>::len);
        (0..count).map(move |i| some.map_or(i, |rows| rows[i] as usize))
    }

    /// The rows that the rule would change.
    pub(crate) fn changed_by<'t>(&'t self, rule: &'t Rule) -> impl Iterator<Item = &'t Row> {
        let needs = rule.pattern.needs();
        self.candidate_rows(rule)
            .filter(move |at| self.rewritten(rule, needs, *at).is_some())
            .map(|at| &self.rows[at])
    }

    /// What the rule would do.
    pub(crate) fn try_rule(&self, rule: &Rule) -> Deed {
        let needs = rule.pattern.needs();
        let mut deed = Deed::default();
        let mut forms: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        let mut is_changed = FxHashSet::default();
        let mut new_shapes: FxHashMap<u32, u64> = FxHashMap::default();
        let mut left: FxHashMap<u64, u32> = FxHashMap::default();
        for at in self.candidate_rows(rule) {
            if let Some((text, parts)) = self.rewritten(rule, needs, at) {
                new_shapes.insert(at as u32, shape(&parts));
                *left.entry(self.rows[at].shape).or_default() += 1;
                forms
                    .entry(xxh3_64(text.as_bytes()))
                    .or_default()
                    .push(at as u32);
                is_changed.insert(at as u32);
            }
        }
        deed.changed = is_changed.len();
        for (form, mut group) in forms {
            if let Some(at) = self
                .by_hash
                .get(&form)
                .filter(|at| !is_changed.contains(at))
            {
                group.push(*at);
            }
            if group.len() > 1 {
                deed.groups.push(group);
            }
        }
        deed.groups.sort_unstable();
        let mut merged_shapes = FxHashSet::<u64>::default();
        let mut pages = FxHashSet::default();
        let mut in_giants = 0;
        for group in deed.groups.iter().filter(|g| self.is_pure(g)) {
            let cluster = self.cluster(group[0]);
            if self.is_giant(cluster) {
                // Many URLs that all lead to it tell more than two, but far less than as many pages would.
                in_giants += 1 + u64::from((group.len() - 1).ilog2());
            } else {
                pages.insert(cluster);
            }
            merged_shapes.extend(group.iter().filter_map(|at| new_shapes.get(at)));
        }
        deed.pages = pages.len() as u64;
        deed.in_giants = in_giants;
        let is_natural = |shape: &u64| {
            self.shapes.get(shape).copied().unwrap_or(0) > left.get(shape).copied().unwrap_or(0)
        };
        deed.orphans = new_shapes
            .iter()
            .filter(|(_, shape)| !merged_shapes.contains(shape) && !is_natural(shape))
            .map(|(at, _)| *at)
            .collect();
        deed.orphans.sort_unstable();
        for group in &deed.groups {
            let mut clusters: Vec<u64> = group.iter().map(|at| self.cluster(*at)).collect();
            clusters.sort_unstable();
            let n = group.len() as u64;
            let same: u64 = clusters
                .chunk_by(|a, b| a == b)
                .map(|run| run.len() as u64 * (run.len() as u64 - 1) / 2)
                .sum();
            clusters.dedup();
            deed.trials += 1;
            deed.failures += u64::from(clusters.len() > 1);
            deed.support += n * (n - 1) / 2;
            deed.false_pairs += n * (n - 1) / 2 - same;
            deed.saved += n - 1;
            deed.lost += clusters.len() as u64 - 1;
        }
        deed
    }

    /// Whether so many URLs lead to the page that it is hardly one of the site's contents.
    pub(crate) fn is_giant(&self, cluster: u64) -> bool {
        self.giants.contains(&cluster)
    }

    pub(crate) fn cluster(&self, at: u32) -> u64 {
        self.rows[at as usize].cluster
    }

    pub(crate) fn is_pure(&self, group: &[u32]) -> bool {
        group
            .windows(2)
            .all(|two| self.cluster(two[0]) == self.cluster(two[1]))
    }

    /// The evidence that a rule's deed is, with up to three examples of each kind.
    pub(crate) fn evidence(&self, deed: &Deed) -> Evidence {
        let pair = |group: &Vec<u32>, other: u32| {
            [group[0], other].map(|at| self.rows[at as usize].text.clone())
        };
        Evidence {
            support: deed.support,
            false_pairs: deed.false_pairs,
            trials: deed.trials,
            failures: deed.failures,
            saved: deed.saved,
            lost: deed.lost,
            examples: deed
                .groups
                .iter()
                .filter(|g| self.is_pure(g))
                .take(3)
                .map(|g| pair(g, g[1]))
                .collect(),
            counterexamples: deed
                .groups
                .iter()
                .filter_map(|g| {
                    let other = g
                        .iter()
                        .find(|at| self.cluster(**at) != self.cluster(g[0]))?;
                    Some(pair(g, *other))
                })
                .take(3)
                .collect(),
        }
    }

    /// Applies the rule for good.
    pub(crate) fn adopt(&mut self, rule: &Rule) {
        let needs = rule.pattern.needs();
        let candidates: Vec<usize> = self.candidate_rows(rule).collect();
        for at in candidates {
            if let Some((text, parts)) = self.rewritten(rule, needs, at) {
                self.rows[at] = Row::new(text, parts, self.rows[at].cluster);
            }
        }
        self.collapse();
    }
}
