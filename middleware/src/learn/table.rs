//! What would a rule merge among the URLs we know?
//!
//! A [`Table`] holds the distinct classes of a site with their clusters. A rule that is accepted is applied to
//! it, so that later rules are judged on top of earlier ones, as they will be when they run.

use std::{cell::RefCell, mem::size_of, sync::Arc};

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::{Sample, rows::Rows};
use crate::rules::{Condition, Edit, Key, Parts, Rule, SiteRules};

/// A class of the site.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) text: String,
    pub(crate) parts: Parts<'static>,
    pub(crate) cluster: u64,
    /// When it was first met, in whatever the samples count; 0 where they do not say.
    pub(crate) met: u32,
    hash: u64,
    pub(super) shape: u64,
}

/// Path length, script and query names: URLs of one shape identify their pages by the same parts.
pub(super) fn shape(parts: &Parts<'_>) -> u64 {
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
    fn new(text: String, parts: Parts<'static>, cluster: u64, met: u32) -> Self {
        Self {
            hash: xxh3_64(text.as_bytes()).max(2),
            shape: shape(&parts),
            text,
            parts,
            cluster,
            met,
        }
    }
}

/// Distinct classes, in order of their text: nothing depends on the order in which pages came.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) rows: Vec<Row>,
    pub(super) by_hash: FxHashMap<u64, u32>,
    giants: FxHashSet<u64>,
    /// Giants that lie behind several paths.
    walls: FxHashSet<u64>,
    /// Rows in ascending order by what they have: a query key, or a value at a place of the path.
    having: FxHashMap<u64, Vec<u32>>,
    pub(super) shapes: FxHashMap<u64, u32>,
    /// Pairs of clusters, the smaller first, that may be one.
    pub(super) doubts: FxHashSet<(u64, u64)>,
    found: RefCell<Found>,
}

/// Paths that a giant lies behind if it is a wall.
const WALL_PATHS: usize = 3;
/// Rows of a table that still has an index of its segments: of a larger one most are met once.
const MOST_INDEXED: usize = 30_000;
/// Octets that tables of a kind remember at most.
const MOST_REMEMBERED: usize = 64 << 20;

impl Table {
    /// The classes of these samples. Clusters with `giant` or more of them are error pages, login walls and empty
    /// pages: such a page is no evidence about the site's pages, only about the URLs that lead to it.
    pub(crate) fn new(samples: &[Sample], giant: usize) -> Self {
        Self::of(samples.iter().map(|sample| (sample, 0)), giant)
    }

    /// The same for samples that say when they were met.
    pub(crate) fn with_times(samples: &[(Sample, u32)], giant: usize) -> Self {
        Self::of(samples.iter().map(|(sample, at)| (sample, *at)), giant)
    }

    fn of<'s>(samples: impl Iterator<Item = (&'s Sample, u32)> + Clone, giant: usize) -> Self {
        let mut sizes: FxHashMap<u64, usize> = FxHashMap::default();
        for (sample, _) in samples.clone() {
            *sizes.entry(sample.cluster).or_default() += 1;
        }
        sizes.retain(|_, size| *size >= giant);
        let rows: Vec<Row> = samples
            .filter_map(|(s, met)| {
                let parts = Parts::parse(&s.url)?.into_owned();
                Some(Row::new(s.url.clone(), parts, s.cluster, met))
            })
            .collect();
        let mut paths: FxHashMap<u64, FxHashSet<u64>> = FxHashMap::default();
        for row in rows.iter().filter(|row| sizes.contains_key(&row.cluster)) {
            let path = xxh3_64(row.parts.segs.join("/").as_bytes());
            paths.entry(row.cluster).or_default().insert(path);
        }
        paths.retain(|_, paths| paths.len() >= WALL_PATHS);
        let mut table = Self {
            rows,
            giants: sizes.into_keys().collect(),
            walls: paths.into_keys().collect(),
            ..Self::default()
        };
        table.collapse();
        table
    }

    /// The same, if these pairs of clusters (the smaller first) may be one content.
    pub(crate) fn with_doubts(mut self, doubts: FxHashSet<(u64, u64)>) -> Self {
        self.doubts = doubts;
        self
    }

    /// Keeps one row of each class: the one with the most frequent cluster.
    fn collapse(&mut self) {
        let mut old: Vec<Option<Row>> =
            (std::mem::take(&mut self.rows).into_iter().map(Some)).collect();
        let mut order: Vec<u32> = (0..old.len() as u32).collect();
        let key = |at: &u32| {
            old[*at as usize]
                .as_ref()
                .map(|row| (row.text.as_str(), row.cluster))
        };
        order.sort_unstable_by(|a, b| key(a).cmp(&key(b)));
        for row in order.into_iter().filter_map(|at| old[at as usize].take()) {
            match self.rows.last_mut().filter(|last| last.text == row.text) {
                Some(last) => last.met = last.met.min(row.met),
                None => self.rows.push(row),
            }
        }
        *self.found.get_mut() = Found::default();
        self.by_hash = (0u32..)
            .zip(&self.rows)
            .map(|(at, row)| (row.hash, at))
            .collect();
        self.having.clear();
        let is_large = self.rows.len() > MOST_INDEXED;
        for (at, row) in (0u32..).zip(&self.rows) {
            let names = row.parts.query.iter().map(|p| name_mark(&p.name));
            let segs = (0u8..).zip(&row.parts.segs).filter(|_| !is_large);
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

    /// The class that the rule's edits make of a row, if they make another one.
    pub(super) fn rewritten(&self, rule: &Rule, at: usize) -> Option<(String, Parts<'_>)> {
        let row = &self.rows[at];
        let mut parts = row.parts.borrowed();
        if !rule.edit(&mut parts) {
            return None;
        }
        let text = parts.render();
        (text != row.text).then_some((text, parts))
    }

    /// Rows among which are all that satisfy the condition; `None`: it may be any.
    fn candidates(&self, condition: &Condition) -> Option<&[u32]> {
        let mark = match condition {
            Condition::Is(Key::Seg(i), value) if self.rows.len() <= MOST_INDEXED => {
                seg_mark(*i, value)
            }
            Condition::Is(Key::Query(name), _)
            | Condition::Has(Key::Query(name))
            | Condition::Like(Key::Query(name), _)
            | Condition::Starts(Key::Query(name), _) => name_mark(name),
            _ => return None,
        };
        Some(self.having.get(&mark).map_or(&[][..], Vec::as_slice))
    }

    /// The rows that satisfy a condition; remembered until a rule is adopted.
    fn holding(&self, condition: &Condition) -> Arc<Rows> {
        if let Some(rows) = self.found.borrow().holding.get(condition) {
            return Arc::clone(rows);
        }
        let mut rows = Rows::none(self.rows.len());
        let mut ask = |at: usize| {
            if condition.holds(&self.rows[at].parts) {
                rows.insert(at);
            }
        };
        match self.candidates(condition) {
            Some(some) => some.iter().for_each(|at| ask(*at as usize)),
            None => (0..self.rows.len()).for_each(ask),
        }
        let rows = Arc::new(rows);
        let mut found = self.found.borrow_mut();
        if (found.holding.len() + 1) * self.rows.len() / 8 > MOST_REMEMBERED {
            found.holding.clear();
        }
        found.holding.insert(condition.clone(), Arc::clone(&rows));
        rows
    }

    /// The rows that satisfy the rule's pattern and that its edits may change.
    fn matching(&self, rule: &Rule) -> Rows {
        let mut rows: Option<Rows> = None;
        for condition in &rule.pattern.0 {
            let more = self.holding(condition);
            match &mut rows {
                Some(rows) => rows.keep(&more),
                None => rows = Some(Rows::clone(&more)),
            }
        }
        if let [
            Edit::Drop(key @ Key::Query(_))
            | Edit::Mask(key @ Key::Query(_))
            | Edit::Move(key @ Key::Query(_), _),
        ] = rule.edits.as_slice()
        {
            let more = self.holding(&Condition::Has(key.clone()));
            match &mut rows {
                Some(rows) => rows.keep(&more),
                None => rows = Some(Rows::clone(&more)),
            }
        }
        rows.unwrap_or_else(|| Rows::all(self.rows.len()))
    }

    /// What the rule makes of each row that it changes, in order.
    pub(super) fn changes(&self, rule: &Rule) -> Vec<Change> {
        let rows = self.matching(rule);
        let compute = |at: usize| match self.rewritten(rule, at) {
            None => Form::SAME,
            Some((text, parts)) => Form::of(&text, &parts),
        };
        let mut changes = Vec::new();
        let mut push = |at: usize, form: Form| {
            if form != Form::SAME {
                let at = at as u32;
                changes.push(Change { form, at });
            }
        };
        if rows.count() * 8 < self.rows.len() || self.rows.len() > MOST_REMEMBERED / 1024 {
            rows.iter().for_each(|at| push(at, compute(at)));
            return changes;
        }
        // Rules with the same edits and other conditions are tried by the hundred.
        let mut found = self.found.borrow_mut();
        if (found.edited.len() + 1) * self.rows.len() * size_of::<Form>() > MOST_REMEMBERED {
            found.edited.clear();
        }
        let forms = match found.edited.get_mut(&rule.edits) {
            Some(forms) => forms,
            None => (found.edited.entry(rule.edits.clone()))
                .or_insert_with(|| vec![Form::UNKNOWN; self.rows.len()]),
        };
        for at in rows.iter() {
            if forms[at] == Form::UNKNOWN {
                forms[at] = compute(at);
            }
            push(at, forms[at]);
        }
        changes
    }

    /// The rows that the rule would change.
    pub(crate) fn changed_by<'t>(&'t self, rule: &Rule) -> impl Iterator<Item = &'t Row> + use<'t> {
        let changes = self.changes(rule).into_iter();
        changes.map(|change| &self.rows[change.at as usize])
    }

    /// Whether so many URLs lead to the page that it is hardly one of the site's contents.
    pub(crate) fn is_giant(&self, cluster: u64) -> bool {
        self.giants.contains(&cluster)
    }

    /// Whether it is shown in place of what lies behind several paths: a login page, mostly.
    pub(crate) fn is_wall(&self, cluster: u64) -> bool {
        self.walls.contains(&cluster)
    }

    pub(crate) fn cluster(&self, at: u32) -> u64 {
        self.rows[at as usize].cluster
    }

    pub(crate) fn is_pure(&self, group: &[u32]) -> bool {
        group
            .windows(2)
            .all(|two| self.cluster(two[0]) == self.cluster(two[1]))
    }

    /// Applies the rule for good, behind the others of `chain`, which ends with it.
    pub(crate) fn adopt(&mut self, rule: &Rule, chain: &SiteRules) {
        let mut new = Vec::new();
        for at in self.matching(rule).iter() {
            if self.rewritten(rule, at).is_none() {
                continue;
            }
            let row = &self.rows[at];
            if let Some(canon) = chain.canon(&row.text)
                && let Some(parts) = Parts::parse(&canon.class)
            {
                let parts = parts.into_owned();
                new.push((at, Row::new(canon.class, parts, row.cluster, row.met)));
            }
        }
        for (at, row) in new {
            self.rows[at] = row;
        }
        self.collapse();
    }
}

/// What edits make of a row: hash of the text, and the new shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) hash: u64,
    pub(super) shape: u64,
}

impl Form {
    const UNKNOWN: Self = Self { hash: 0, shape: 0 };
    const SAME: Self = Self { hash: 1, shape: 0 };

    pub(super) fn of(text: &str, parts: &Parts<'_>) -> Self {
        Self {
            hash: xxh3_64(text.as_bytes()).max(2),
            shape: shape(parts),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) form: Form,
    pub(super) at: u32,
}

/// What was found out about the rows as they are now.
#[derive(Debug, Default)]
struct Found {
    holding: FxHashMap<Condition, Arc<Rows>>,
    edited: FxHashMap<Vec<Edit>, Vec<Form>>,
}
