//! What would a rule merge among the URLs we know?
//!
//! A [`Table`] holds the distinct classes of a site with their clusters. A rule that is accepted is applied to
//! it, so that later rules are judged on top of earlier ones, as they will be when they run.

use std::{
    borrow::Cow,
    cell::{OnceCell, RefCell},
    mem::size_of,
    sync::Arc,
};

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::{Sample, rows::Rows};
use crate::rules::{Condition, Edit, Key, Parts, Rule, SiteRules};

/// A class of the site. What no rule has changed yet is borrowed from the samples.
#[derive(Debug)]
pub(crate) struct Row<'s> {
    pub(crate) text: Cow<'s, str>,
    pub(crate) parts: Parts<'s>,
    pub(crate) cluster: u64,
    /// When it was first met, in whatever the samples count; 0 where they do not say.
    pub(crate) met: u32,
    hash: u64,
    pub(super) shape: u64,
}

/// Path length, script and query names: URLs of one shape identify their pages by the same parts.
pub(super) fn shape(parts: &Parts<'_>) -> u64 {
    let script = parts.ext().and_then(|_| parts.segs.last());
    let script = script.filter(|_| !parts.query.is_empty() || parts.segs.len() == 1);
    let script = script.map_or("", |s| s);
    let mut hash = xxh3_64_with_seed(script.as_bytes(), parts.segs.len() as u64);
    let mut add = |name: &str| hash = xxh3_64_with_seed(name.as_bytes(), hash);
    match parts.query.as_slice() {
        [] => {}
        [only] => add(&only.name),
        several => {
            let mut names: Vec<&str> = several.iter().map(|p| &*p.name).collect();
            names.sort_unstable();
            names.dedup();
            names.into_iter().for_each(add);
        }
    }
    hash
}

fn name_mark(name: &str) -> u64 {
    xxh3_64_with_seed(name.as_bytes(), 1 << 8)
}

fn seg_mark(at: u8, value: &str) -> u64 {
    xxh3_64_with_seed(value.as_bytes(), u64::from(at))
}

impl<'s> Row<'s> {
    /// What rows are put in order by.
    fn key(&self) -> (&str, u64) {
        (&self.text, self.cluster)
    }

    fn new(text: Cow<'s, str>, parts: Parts<'s>, cluster: u64, met: u32) -> Self {
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

/// Sorts numbers of samples by text, then cluster; those of one run have their first `depth` octets in common.
/// Eight octets at a time: URLs of a site have long beginnings in common.
fn sort_by_text(run: &mut [(u64, u32)], samples: &[(&Sample, u32)], depth: usize) {
    let text = |at: u32| samples[at as usize].0.url.as_bytes();
    let Some((first, others)) = run.split_first() else {
        return;
    };
    // What all have in common needs no round of its own.
    let first = text(first.1).get(depth..).unwrap_or(&[]);
    let common = others.iter().fold(first.len(), |common, (_, at)| {
        let pairs = first[..common]
            .iter()
            .zip(text(*at).get(depth..).unwrap_or(&[]));
        pairs.take_while(|(a, b)| a == b).count()
    });
    let depth = depth + common;
    let octets = |at: u32| {
        samples[at as usize]
            .0
            .url
            .as_bytes()
            .get(depth..)
            .unwrap_or(&[])
    };
    for (key, at) in run.iter_mut() {
        let mut word = [0; 8];
        let rest = octets(*at);
        let len = rest.len().min(8);
        word[..len].copy_from_slice(&rest[..len]);
        *key = u64::from_be_bytes(word);
    }
    run.sort_unstable_by_key(|(key, _)| *key);
    for equal in run.chunk_by_mut(|a, b| a.0 == b.0) {
        match equal {
            [] | [_] => {}
            // Where a text ends, octets of zero may be its own or stand for none.
            _ if equal.len() < 16 || equal.iter().any(|(_, at)| octets(*at).len() <= 8) => {
                let key = |at: u32| (octets(at), samples[at as usize].0.cluster);
                equal.sort_unstable_by(|a, b| key(a.1).cmp(&key(b.1)));
            }
            _ => sort_by_text(equal, samples, depth + 8),
        }
    }
}

/// Distinct classes, in order of their text: nothing depends on the order in which pages came.
#[derive(Debug, Default)]
pub(crate) struct Table<'s> {
    pub(crate) rows: Vec<Row<'s>>,
    giants: FxHashSet<u64>,
    /// Giants that lie behind several paths.
    walls: FxHashSet<u64>,
    /// Pairs of clusters, the smaller first, that may be one.
    pub(super) doubts: FxHashSet<(u64, u64)>,
    index: Index,
    found: RefCell<Found>,
}

/// Ways to find rows; each is made when it is first asked for.
#[derive(Debug, Default)]
struct Index {
    by_hash: OnceCell<FxHashMap<u64, u32>>,
    /// Rows in ascending order by what they have: a query key, or a value at a place of the path.
    having: OnceCell<FxHashMap<u64, Vec<u32>>>,
    shapes: OnceCell<FxHashMap<u64, u32>>,
}

/// Paths that a giant lies behind if it is a wall.
const WALL_PATHS: usize = 3;
/// Rows of a table that still has an index of its segments: of a larger one most are met once.
const MOST_INDEXED: usize = 30_000;
/// Rows that a rule is applied to before they are written: few, so that they are still at hand.
const AT_ONCE: usize = 64;
/// Octets that tables of a kind remember at most.
const MOST_REMEMBERED: usize = 64 << 20;

impl<'s> Table<'s> {
    /// The classes of these samples. Clusters with `giant` or more of them are error pages, login walls and empty
    /// pages: such a page is no evidence about the site's pages, only about the URLs that lead to it.
    pub(crate) fn new(samples: impl IntoIterator<Item = &'s Sample>, giant: usize) -> Self {
        Self::of(
            samples.into_iter().map(|sample| (sample, 0)).collect(),
            giant,
        )
    }

    /// The same for samples that say when they were met.
    pub(crate) fn with_times(samples: &'s [(Sample, u32)], giant: usize) -> Self {
        Self::of(samples.iter().map(|(s, at)| (s, *at)).collect(), giant)
    }

    /// Keeps one row of each class: the one with the smallest name of a cluster.
    #[expect(clippy::needless_pass_by_value, reason = "it is made for this")]
    fn of(samples: Vec<(&'s Sample, u32)>, giant: usize) -> Self {
        let mut sizes: FxHashMap<u64, usize> = FxHashMap::default();
        for (sample, _) in &samples {
            *sizes.entry(sample.cluster).or_default() += 1;
        }
        sizes.retain(|_, size| *size >= giant);
        let mut order: Vec<(u64, u32)> = (0..samples.len() as u32).map(|at| (0, at)).collect();
        sort_by_text(&mut order, &samples, 0);
        let mut rows: Vec<Row<'s>> = Vec::with_capacity(samples.len());
        for (sample, met) in order.into_iter().map(|(_, at)| samples[at as usize]) {
            match rows.last_mut().filter(|last| last.text == sample.url) {
                Some(last) => last.met = last.met.min(met),
                None => {
                    if let Some(parts) = Parts::parse(&sample.url) {
                        let text = Cow::Borrowed(&*sample.url);
                        rows.push(Row::new(text, parts, sample.cluster, met));
                    }
                }
            }
        }
        let mut paths: FxHashMap<u64, FxHashSet<u64>> = FxHashMap::default();
        for row in rows.iter().filter(|row| sizes.contains_key(&row.cluster)) {
            let path = xxh3_64(row.parts.segs.join("/").as_bytes());
            paths.entry(row.cluster).or_default().insert(path);
        }
        paths.retain(|_, paths| paths.len() >= WALL_PATHS);
        Self {
            rows,
            giants: sizes.into_keys().collect(),
            walls: paths.into_keys().collect(),
            ..Self::default()
        }
    }

    /// The same, if these pairs of clusters (the smaller first) may be one content.
    pub(crate) fn with_doubts(mut self, doubts: FxHashSet<(u64, u64)>) -> Self {
        self.doubts = doubts;
        self
    }

    pub(super) fn by_hash(&self) -> &FxHashMap<u64, u32> {
        let rows = || (0u32..).zip(&self.rows).map(|(at, row)| (row.hash, at));
        self.index.by_hash.get_or_init(|| rows().collect())
    }

    pub(super) fn shapes(&self) -> &FxHashMap<u64, u32> {
        self.index.shapes.get_or_init(|| {
            let mut shapes = FxHashMap::default();
            for row in &self.rows {
                *shapes.entry(row.shape).or_default() += 1;
            }
            shapes
        })
    }

    fn having(&self) -> &FxHashMap<u64, Vec<u32>> {
        self.index.having.get_or_init(|| {
            let mut having: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
            let is_large = self.rows.len() > MOST_INDEXED;
            for (at, row) in (0u32..).zip(&self.rows) {
                let names = row.parts.query.iter().map(|p| name_mark(&p.name));
                let segs = (0..=u8::MAX).zip(&row.parts.segs).filter(|_| !is_large);
                for mark in names.chain(segs.map(|(i, value)| seg_mark(i, value))) {
                    let rows = having.entry(mark).or_default();
                    if rows.last() != Some(&at) {
                        rows.push(at);
                    }
                }
            }
            having
        })
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
        Some(self.having().get(&mark).map_or(&[][..], Vec::as_slice))
    }

    /// The rows that satisfy a condition; remembered until a rule is adopted.
    fn holding(&self, condition: &Condition) -> Arc<Rows> {
        if let Some(rows) = self.found.borrow().holding.get(condition) {
            return Arc::clone(rows);
        }
        let mut rows = Rows::none(self.rows.len());
        // The index knows all that have a name.
        let is_known = matches!(condition, Condition::Has(Key::Query(_)));
        let mut ask = |at: usize| {
            if is_known || condition.holds(&self.rows[at].parts) {
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

    /// Rows among which are all that the rule may change, and the conditions of its pattern that they still are to be
    /// asked for.
    fn likely<'r>(&self, rule: &'r Rule) -> (Rows, Vec<&'r Condition>) {
        let mut rows: Option<Rows> = None;
        let mut keep = |more: &Rows| match &mut rows {
            Some(rows) => rows.keep(more),
            None => rows = Some(more.clone()),
        };
        let is_large = self.rows.len() > MOST_INDEXED;
        let (found, rest): (Vec<_>, Vec<_>) =
            (rule.pattern.0.iter()).partition(|c| !is_large || self.candidates(c).is_some());
        for condition in found {
            keep(&self.holding(condition));
        }
        if let [
            Edit::Drop(key @ Key::Query(_))
            | Edit::Mask(key @ Key::Query(_))
            | Edit::Move(key @ Key::Query(_), _),
        ] = rule.edits.as_slice()
        {
            keep(&self.holding(&Condition::Has(key.clone())));
        }
        (rows.unwrap_or_else(|| Rows::all(self.rows.len())), rest)
    }

    /// What the rule makes of each row that it changes, in order.
    pub(super) fn changes(&self, rule: &Rule) -> Vec<Change> {
        let (rows, rest) = self.likely(rule);
        let (mut parts, mut text) = (Parts::none(), String::new());
        let mut compute = |at: usize| {
            let row = &self.rows[at];
            parts.borrow_from(&row.parts);
            if !rule.edit(&mut parts) {
                return Form::SAME;
            }
            text.clear();
            parts.render_into(&mut text);
            if text == row.text {
                return Form::SAME;
            }
            Form::of(&text, &parts)
        };
        let mut changes = Vec::new();
        let mut push = |at: usize, form: Form| {
            if form != Form::SAME {
                let at = at as u32;
                changes.push(Change { form, at });
            }
        };
        // What no index finds is asked of those that are left.
        let holds = |at: usize| rest.iter().all(|c| c.holds(&self.rows[at].parts));
        if rows.count() * 8 < self.rows.len() || self.rows.len() > MOST_REMEMBERED / 1024 {
            let rows = rows.iter().filter(|at| holds(*at));
            rows.for_each(|at| push(at, compute(at)));
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
        for at in rows.iter().filter(|at| holds(*at)) {
            if forms[at] == Form::UNKNOWN {
                forms[at] = compute(at);
            }
            push(at, forms[at]);
        }
        changes
    }

    /// The rows that the rule would change.
    pub(crate) fn changed_by<'t>(
        &'t self,
        rule: &Rule,
    ) -> impl Iterator<Item = &'t Row<'s>> + use<'t, 's> {
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

    pub(super) fn shape_of(&self, at: u32) -> u64 {
        self.rows[at as usize].shape
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
        let (rows, rest) = self.likely(rule);
        let mut likely = rows.iter().peekable();
        while likely.peek().is_some() {
            let mut changed: Vec<(usize, String)> = Vec::new();
            let mut parts = Parts::none();
            for at in likely.by_ref().take(AT_ONCE) {
                let row = &self.rows[at];
                if rest.iter().all(|c| c.holds(&row.parts)) {
                    parts.borrow_from(&row.parts);
                    let class = chain.class_of(&row.text, &mut parts);
                    changed.extend(class.map(|class| (at, class)));
                }
            }
            drop(parts);
            for (at, class) in changed {
                let row = &mut self.rows[at];
                if let Some(parts) = Parts::parse(&class) {
                    let parts = parts.taken_over(std::mem::replace(&mut row.parts, Parts::none()));
                    *row = Row::new(class.into(), parts, row.cluster, row.met);
                }
            }
        }
        // Most edits leave the order as it is.
        if !self.rows.is_sorted_by(|a, b| a.key() <= b.key()) {
            self.rows.sort_by(|a, b| a.key().cmp(&b.key()));
        }
        self.rows.dedup_by(|row, first| {
            let is_same = row.hash == first.hash && row.text == first.text;
            if is_same {
                first.met = first.met.min(row.met);
            }
            is_same
        });
        self.index = Index::default();
        *self.found.get_mut() = Found::default();
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

    /// Whether it is that of a text.
    pub(super) fn is_of(self, text: &str) -> bool {
        self.hash == xxh3_64(text.as_bytes()).max(2)
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
