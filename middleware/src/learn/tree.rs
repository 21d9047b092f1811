//! The pattern tree: how a site's URLs are built, and which ways of building them lead to the same pages.
//!
//! After Lei et al. ("A pattern tree-based approach to learning URL normalization rules", WWW 2010): URLs are split top
//! down by the key whose values tell most about the site and least about single pages. Nodes that hold the same
//! clusters are ways to the same pages, and how their keys correspond makes a rule. Where the printed algorithm goes
//! wrong, the code differs, and says so.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    columns::{ABSENT, Columns},
    deed::Deed,
    table::Table,
};
use crate::rules::{Condition, Edit, Key, Rule};

/// Smallest share of two nodes' URLs that lies in common clusters.
const OVERLAP: f64 = 0.5;
/// Smallest share of common clusters in which two keys have a value in common.
const AGREEMENT: f64 = 0.5;
/// A key varies within clusters as if by chance from this value of its fake-replace test on.
const FAKE_REPLACE: f64 = 0.05;
/// Deepest node.
const DEPTH: usize = 10;
/// Smallest node.
const LEAST: usize = 4;
/// Clusters with more nodes than this say nothing about any pair of them.
const NODES_OF_CLUSTER: usize = 40;
/// Pairs of nodes that are looked at, most common clusters first.
const PAIRS: usize = 400;

/// The key of a split, and what each child asks for and holds.
type Split = (u32, Vec<(Condition, Vec<u32>)>);

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) conditions: Vec<Condition>,
    rows: Vec<u32>,
    parent: Option<usize>,
}

#[derive(Debug)]
pub(crate) struct Tree<'t> {
    table: &'t Table<'t>,
    columns: Columns<'t>,
    pub(crate) nodes: Vec<Node>,
}

/// Rules that the tree of a table proposes; without two URLs of one page there are none.
pub(crate) fn propose(table: &Table<'_>) -> Vec<Rule> {
    if table.clusters().is_empty() {
        return Vec::new();
    }
    Tree::grow(table).rules()
}

/// Values that many URLs have, of counts in descending order (equation 5): those before the largest drop of the
/// logarithm. A count of one stands at the end as sentinel, and a drop below a factor of four, or to the
/// right of rare values, is none; otherwise keys like ids would have "frequent" values by chance.
pub(crate) fn salient(counts: &[usize], total: usize) -> usize {
    let least = (total / 100).max(5);
    let mut best = (0, 4f64.ln());
    for (i, count) in counts.iter().enumerate() {
        let next = counts.get(i + 1).copied().unwrap_or(1).max(1);
        let drop = (*count as f64).ln() - (next as f64).ln();
        if *count >= least && drop >= best.1 {
            best = (i + 1, drop);
        }
    }
    best.0
}

impl<'t> Tree<'t> {
    pub(crate) fn grow(table: &'t Table<'t>) -> Self {
        let mut tree = Self {
            table,
            columns: Columns::of(table),
            nodes: vec![Node {
                conditions: Vec::new(),
                rows: (0..table.rows.len() as u32).collect(),
                parent: None,
            }],
        };
        let mut open = vec![(0, Vec::new(), 0)];
        while let Some((at, used, depth)) = open.pop() {
            if depth >= DEPTH {
                continue;
            }
            if let Some((key, children)) = tree.split(at, &used) {
                let mut used: Vec<u32> = used;
                used.push(key);
                for (condition, rows) in children {
                    let conditions = [tree.nodes[at].conditions.as_slice(), &[condition]].concat();
                    tree.nodes.push(Node {
                        conditions,
                        rows,
                        parent: Some(at),
                    });
                    open.push((tree.nodes.len() - 1, used.clone(), depth + 1));
                }
            }
        }
        tree
    }

    /// The key of least entropy over its salient values, and the children it makes. Keys without a salient
    /// value are passed over (they stay `*`), keys with a single value make no nodes; ties go to the key that
    /// comes first in a URL.
    fn split(&self, at: usize, used: &[u32]) -> Option<Split> {
        let rows = &self.nodes[at].rows;
        if rows.len() < 2 * LEAST {
            return None;
        }
        let mut best: Option<(f64, u32, Vec<u32>)> = None;
        for (key, mut values) in self.columns.by_key(rows) {
            if used.contains(&key) {
                continue;
            }
            values.sort_unstable();
            let mut counts: Vec<(u32, usize)> = values
                .chunk_by(|a, b| a == b)
                .map(|run| (run[0], run.len()))
                .collect();
            if values.len() < rows.len() {
                counts.push((ABSENT, rows.len() - values.len()));
            }
            if counts.len() < 2 {
                continue;
            }
            counts.sort_unstable_by_key(|(_, n)| std::cmp::Reverse(*n));
            let numbers: Vec<usize> = counts.iter().map(|(_, n)| *n).collect();
            let salient = salient(&numbers, rows.len());
            let kept = &mut counts[..salient];
            // Absence alone is no reason to split: a key in one URL of a thousand would win at once.
            let is_told = kept.iter().any(|(v, n)| *v != ABSENT && *n >= LEAST);
            if !is_told {
                continue;
            }
            let rest: usize = numbers[salient..].iter().sum();
            let entropy: f64 = kept
                .iter()
                .map(|(_, n)| *n)
                .chain([rest])
                .filter(|n| *n > 0)
                .map(|n| {
                    let p = n as f64 / rows.len() as f64;
                    -p * p.ln()
                })
                .sum();
            if best.as_ref().is_none_or(|(e, ..)| entropy < *e - 1e-12) {
                kept.sort_unstable_by(|a, b| {
                    let text = |value| self.columns.text(value);
                    b.1.cmp(&a.1).then_with(|| text(a.0).cmp(&text(b.0)))
                });
                best = Some((entropy, key, kept.iter().map(|(v, _)| *v).collect()));
            }
        }
        let (_, key, kept) = best?;
        let name = self.columns.key(key);
        let mut children: Vec<(Condition, Vec<u32>)> = kept
            .iter()
            .map(|value| match self.columns.text(*value) {
                None => (Condition::No(name.clone()), Vec::new()),
                Some(v) => (Condition::Is(name.clone(), v.into()), Vec::new()),
            })
            .collect();
        let (mut trivial, mut absent) = (Vec::new(), Vec::new());
        for row in rows {
            let value = self.columns.value(*row, key);
            match kept.iter().position(|v| *v == value) {
                Some(i) => children[i].1.push(*row),
                None if value != ABSENT => trivial.push(*row),
                None => absent.push(*row),
            }
        }
        children.push((Condition::Has(name.clone()), trivial));
        children.push((Condition::No(name.clone()), absent));
        children.retain(|(_, rows)| rows.len() >= LEAST);
        (!children.is_empty()).then_some((key, children))
    }

    fn is_ancestor(&self, above: usize, below: usize) -> bool {
        let mut at = Some(below);
        while let Some(node) = at {
            if node == above {
                return true;
            }
            at = self.nodes[node].parent;
        }
        false
    }

    fn clusters(&self, rows: &[u32]) -> Vec<u64> {
        rows.iter().map(|row| self.table.cluster(*row)).collect()
    }

    /// Pairs of nodes that hold the same clusters, found by an inverted index (equation 6; the printed form
    /// gives a node an overlap of one half with itself).
    pub(crate) fn duplicates(&self) -> Vec<(usize, usize)> {
        // Cluster, node, rows of both.
        let mut index: Vec<(u64, usize, usize)> = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            let mut clusters = self.clusters(&node.rows);
            clusters.sort_unstable();
            let runs = clusters.chunk_by(|a, b| a == b);
            index.extend(runs.map(|run| (run[0], at, run.len())));
        }
        index.sort_unstable();
        let mut common: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        for nodes in index.chunk_by(|a, b| a.0 == b.0) {
            if nodes.len() > NODES_OF_CLUSTER {
                continue;
            }
            for (i, (_, s, n)) in nodes.iter().enumerate() {
                for (_, t, m) in &nodes[i + 1..] {
                    *common.entry((*s, *t)).or_default() += n + m;
                }
            }
        }
        let mut pairs: Vec<(usize, (usize, usize))> = common
            .into_iter()
            .filter(|((s, t), shared)| {
                let all = self.nodes[*s].rows.len() + self.nodes[*t].rows.len();
                *shared as f64 >= OVERLAP * all as f64
                    && !self.is_ancestor(*s, *t)
                    && !self.is_ancestor(*t, *s)
            })
            .map(|(pair, shared)| (shared, pair))
            .collect();
        pairs.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        pairs.truncate(PAIRS);
        pairs.into_iter().map(|(_, pair)| pair).collect()
    }

    fn rules(&self) -> Vec<Rule> {
        let mut rules = Vec::new();
        for node in &self.nodes {
            rules.extend(self.ignoring(node));
        }
        for (a, b) in self.duplicates() {
            let (a, b) = (&self.nodes[a], &self.nodes[b]);
            rules.extend(self.mapping(a, b));
            rules.extend(self.mapping(b, a));
        }
        rules.sort();
        rules.dedup();
        rules
    }

    /// A node that holds the same page several times: ignore what varies within pages. While that merges
    /// different pages, the key whose return helps most is taken back.
    fn ignoring(&self, node: &Node) -> Option<Rule> {
        let mut rows = node.rows.clone();
        rows.sort_by_key(|row| self.table.cluster(*row));
        let runs = rows.chunk_by(|a, b| self.table.cluster(*a) == self.table.cluster(*b));
        let of: Vec<&[u32]> = runs.filter(|rows| rows.len() > 1).collect();
        if of.len() < 2 {
            return None;
        }
        let is_page = |key: &Key| matches!(key, Key::Query(_) | Key::PathParam(_) | Key::Seg(_));
        let mut ignored: Vec<Key> = self
            .columns
            .keys(&node.rows)
            .into_iter()
            .filter(|key| is_page(self.columns.key(*key)))
            .filter(|key| self.fake_replace(*key, &of, &node.rows) >= FAKE_REPLACE)
            .map(|key| self.columns.key(key).clone())
            .collect();
        let rule = |ignored: &[Key]| {
            let edits = ignored.iter().map(|key| match key {
                Key::Seg(_) => Edit::Mask(key.clone()),
                _ => Edit::Drop(key.clone()),
            });
            Rule::new(node.conditions.clone(), edits.collect())
        };
        let harm = |deed: &Deed| (deed.failures as f64 + 0.5) / (deed.trials as f64 + 1.0);
        while !ignored.is_empty() && ignored.len() <= 8 {
            let whole = rule(&ignored);
            let deed = self.table.try_rule(&whole);
            if deed.trials > 0 && deed.failures * 20 <= deed.trials {
                return Some(whole);
            }
            if ignored.len() == 1 {
                // The pool may still find for which URLs it is right.
                return (deed.pages > 1).then_some(whole);
            }
            let least = (0..ignored.len()).min_by(|a, b| {
                let without = |i: usize| {
                    let mut fewer = ignored.clone();
                    fewer.remove(i);
                    harm(&self.table.try_rule(&rule(&fewer)))
                };
                without(*a).total_cmp(&without(*b))
            })?;
            ignored.remove(least);
        }
        None
    }

    /// How freely a key varies within clusters, relative to how it varies in the node: 0 for a key that names
    /// the page, 1 for one that has nothing to do with it. Absent counts as a value.
    fn fake_replace(&self, key: u32, clusters: &[&[u32]], rows: &[u32]) -> f64 {
        let mut values = Vec::new();
        let mut unequal = |rows: &[u32]| {
            if let [a, b] = rows {
                let is_same = self.columns.value(*a, key) == self.columns.value(*b, key);
                return if is_same { 0.0 } else { 1.0 };
            }
            values.clear();
            values.extend(rows.iter().map(|row| self.columns.value(*row, key)));
            values.sort_unstable();
            let runs = values.chunk_by(|a, b| a == b).map(|run| run.len() as f64);
            let n = rows.len() as f64;
            1.0 - runs.map(|c| c * (c - 1.0)).sum::<f64>() / (n * (n - 1.0))
        };
        let sum: f64 = clusters.iter().map(|rows| unequal(rows)).sum();
        if sum <= 0.0 {
            return 0.0;
        }
        sum / clusters.len() as f64 / unequal(rows)
    }

    /// The rule that turns URLs of `s` into URLs of `t`: constants of `t` are set, keys of `t` that vary take
    /// the value of the key of `s` that agrees most often, all else of `s` is dropped.
    fn mapping(&self, s: &Node, t: &Node) -> Option<Rule> {
        let mut of: FxHashMap<u64, u32> = FxHashMap::default();
        for row in &t.rows {
            of.entry(self.table.cluster(*row)).or_insert(*row);
        }
        let common: Vec<(u32, u32)> = s
            .rows
            .iter()
            .filter_map(|row| Some((*row, *of.get(&self.table.cluster(*row))?)))
            .collect();
        if common.len() < 2 {
            return None;
        }
        // The value of a key that is the same in all rows: `Some(None)` when it is absent from all.
        let constant = |rows: &[u32], key: u32| -> Option<Option<&str>> {
            let first = self.columns.value(rows[0], key);
            let is_one = rows
                .iter()
                .all(|row| self.columns.value(*row, key) == first);
            is_one.then(|| self.columns.text(first))
        };
        let (from, to) = (self.columns.keys(&s.rows), self.columns.keys(&t.rows));
        let agreement = |k: u32, l: u32| {
            let same = common.iter().filter(|(a, b)| {
                let value = self.columns.value(*a, k);
                value != ABSENT && value == self.columns.value(*b, l)
            });
            same.count() as f64 / common.len() as f64
        };
        let (mut copies, mut sets, mut moved) = (Vec::new(), Vec::new(), FxHashSet::default());
        for key in &to {
            let name = self.columns.key(*key);
            if matches!(name, Key::Len | Key::Ext | Key::Slash) || agreement(*key, *key) > AGREEMENT
            {
                continue;
            }
            if let Some(Some(value)) = constant(&t.rows, *key) {
                if constant(&s.rows, *key) != Some(Some(value)) {
                    sets.push(Edit::Set(name.clone(), value.into()));
                }
                continue;
            }
            let source = from
                .iter()
                .map(|k| (*k, self.columns.key(*k)))
                .filter(|(_, k)| matches!(k, Key::Seg(_) | Key::Query(_) | Key::PathParam(_)))
                .map(|(k, name)| (agreement(k, *key), name))
                .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)))
                .filter(|(share, _)| *share >= AGREEMENT)?;
            moved.insert(source.1.clone());
            copies.push(Edit::Copy(source.1.clone(), name.clone()));
        }
        let mut drops = Vec::new();
        for key in from.iter().rev() {
            let gone = !to.contains(key);
            let key = self.columns.key(*key);
            if gone
                && matches!(
                    key,
                    Key::Seg(_) | Key::Query(_) | Key::PathParam(_) | Key::Slash
                )
            {
                drops.push(Edit::Drop(key.clone()));
            }
        }
        // Queries first, as they may read segments that are then replaced.
        copies.sort_by_key(|edit| matches!(edit, Edit::Copy(_, Key::Seg(_))));
        let edits = [copies, sets, drops].concat();
        let mut conditions = s.conditions.clone();
        conditions.extend(moved.into_iter().map(Condition::Has));
        let len = self.columns.find(&Key::Len);
        if let Some(Some(len)) = len.and_then(|key| constant(&s.rows, key)) {
            conditions.push(Condition::Is(Key::Len, len.into()));
        }
        (!edits.is_empty()).then(|| Rule::new(conditions, edits))
    }
}

#[cfg(test)]
mod tests {
    use super::{Table, Tree, propose, salient};
    use crate::learn::{Algorithm, Options, Sample, learn};

    #[test]
    fn frequent_values_are_those_before_the_largest_drop() {
        assert_eq!(salient(&[900, 800, 3, 2, 1], 1706), 2);
        assert_eq!(salient(&[1; 500], 500), 0, "ids have no frequent values");
        assert_eq!(salient(&[3, 2, 2, 1, 1], 500), 0);
        assert_eq!(salient(&[500], 500), 1, "the sentinel ends the list");
    }

    /// A wiki that shows each page at `/wiki/X` and at `/index.php?title=X`, with `sid` now and then.
    fn wiki() -> Vec<Sample> {
        (0..60)
            .flat_map(|n| {
                let page = format!("page {n}");
                [
                    Sample::new(format!("http://e.org/wiki/P{n}"), &page),
                    Sample::new(format!("http://e.org/index.php?title=P{n}"), &page),
                    Sample::new(
                        format!("http://e.org/index.php?sid={}&title=P{n}", n % 9),
                        &page,
                    ),
                ]
            })
            .collect()
    }

    #[test]
    fn ways_to_the_same_pages_are_found() {
        let samples = wiki();
        let table = Table::new(&samples, 20);
        let tree = Tree::grow(&table);
        assert!(!tree.duplicates().is_empty());
        assert!(!propose(&table).is_empty());
    }

    #[test]
    fn the_tree_alone_learns_a_wiki() {
        let options = Options {
            algorithm: Algorithm::Tree,
            ..Options::default()
        };
        let rules = learn(&wiki(), &options).compile();
        let class = |url: &str| rules.canon(url).map_or(url.to_owned(), |c| c.class);
        let forms = [
            "wiki/New",
            "index.php?title=New",
            "index.php?sid=77&title=New",
        ]
        .map(|path| class(&format!("http://e.org/{path}")));
        assert!(forms.iter().all(|form| *form == forms[0]), "{forms:?}");
        assert_ne!(class("http://e.org/wiki/Other"), forms[0]);
    }
}
