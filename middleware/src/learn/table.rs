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

use super::Sample;
use crate::rules::{Condition, Edit, Evidence, Key, Parts, Rule};

/// A class of the site. What no rule has changed yet is borrowed from the samples.
#[derive(Debug)]
pub(crate) struct Row<'s> {
    pub(crate) text: Cow<'s, str>,
    pub(crate) parts: Parts<'s>,
    pub(crate) cluster: u64,
    /// When it was first met, in whatever the samples count; 0 where they do not say.
    pub(crate) met: u32,
    hash: u64,
    shape: u64,
}

/// Path length, script and query names: URLs of one shape identify their pages by the same parts.
fn shape(parts: &Parts<'_>) -> u64 {
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
    /// Pairs of clusters, the smaller first, that may be one.
    doubts: FxHashSet<(u64, u64)>,
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

/// Rows of a table that still has an index of its segments: of a larger one most are met once.
const MOST_INDEXED: usize = 30_000;
/// Octets that tables of a kind remember at most.
const MOST_REMEMBERED: usize = 64 << 20;

/// What a rule does to a table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deed {
    /// Classes that become one, at least two in each group.
    pub(crate) groups: Groups,
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

/// Groups of rows, in the order of their rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    rows: Vec<u32>,
    /// Where each begins and ends.
    spans: Vec<(u32, u32)>,
}

impl Groups {
    /// Number of groups.
    pub(crate) const fn len(&self) -> usize {
        self.spans.len()
    }

    /// The rows of each group.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.spans.iter().map(|span| self.group(*span))
    }

    fn group(&self, (from, to): (u32, u32)) -> &[u32] {
        &self.rows[from as usize..to as usize]
    }

    fn push(&mut self, group: &[u32]) {
        let from = self.rows.len() as u32;
        self.rows.extend_from_slice(group);
        self.spans.push((from, self.rows.len() as u32));
    }

    fn sort(&mut self) {
        let mut spans = std::mem::take(&mut self.spans);
        spans.sort_unstable_by(|a, b| self.group(*a).cmp(self.group(*b)));
        self.spans = spans;
    }
}

impl Deed {
    /// All that shows the rule right.
    pub(crate) const fn shown(&self) -> u64 {
        self.pages + self.in_giants
    }
}

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
        Self {
            rows,
            giants: sizes.into_keys().collect(),
            ..Self::default()
        }
    }

    /// The same, if these pairs of clusters (the smaller first) may be one content.
    pub(crate) fn with_doubts(mut self, doubts: FxHashSet<(u64, u64)>) -> Self {
        self.doubts = doubts;
        self
    }

    fn by_hash(&self) -> &FxHashMap<u64, u32> {
        let rows = || (0u32..).zip(&self.rows).map(|(at, row)| (row.hash, at));
        self.index.by_hash.get_or_init(|| rows().collect())
    }

    fn shapes(&self) -> &FxHashMap<u64, u32> {
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
                let segs = (0u8..).zip(&row.parts.segs).filter(|_| !is_large);
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
        let is_large = self.rows.len() > MOST_INDEXED;
        let (found, rest): (Vec<_>, Vec<_>) =
            (rule.pattern.0.iter()).partition(|c| !is_large || self.candidates(c).is_some());
        for condition in found {
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
        let mut rows = rows.unwrap_or_else(|| Rows::all(self.rows.len()));
        // What no index finds is asked of those that are left.
        let holds = |at: usize| rest.iter().all(|c| c.holds(&self.rows[at].parts));
        if !rest.is_empty() {
            rows.retain(holds);
        }
        rows
    }

    /// What the rule makes of each row that it changes, in order.
    fn changes(&self, rule: &Rule) -> Vec<Change> {
        let rows = self.matching(rule);
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
            Form {
                hash: xxh3_64(text.as_bytes()).max(2),
                shape: shape(&parts),
            }
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
    pub(crate) fn changed_by<'t>(
        &'t self,
        rule: &Rule,
    ) -> impl Iterator<Item = &'t Row<'s>> + use<'t, 's> {
        let changes = self.changes(rule).into_iter();
        changes.map(|change| &self.rows[change.at as usize])
    }

    /// What the rule would do.
    pub(crate) fn try_rule(&self, rule: &Rule) -> Deed {
        let mut changes = self.changes(rule);
        let mut deed = Deed {
            changed: changes.len(),
            ..Deed::default()
        };
        let mut is_changed = Rows::none(self.rows.len());
        let mut left: FxHashMap<u64, u32> = FxHashMap::default();
        for change in &changes {
            is_changed.insert(change.at as usize);
            *left.entry(self.rows[change.at as usize].shape).or_default() += 1;
        }
        changes.sort_unstable_by_key(|change| (change.form.hash, change.at));
        let mut merged_shapes = FxHashSet::<u64>::default();
        let mut pages = FxHashSet::default();
        let (mut group, mut clusters) = (Vec::<u32>::new(), Vec::<u64>::new());
        for changed in changes.chunk_by(|a, b| a.form.hash == b.form.hash) {
            let known = self.by_hash().get(&changed[0].form.hash);
            let known = known.filter(|at| !is_changed.holds(**at as usize));
            if changed.len() + usize::from(known.is_some()) < 2 {
                continue;
            }
            group.clear();
            group.extend(changed.iter().map(|change| change.at));
            group.extend(known);
            clusters.clear();
            clusters.extend(group.iter().map(|at| self.cluster(*at)));
            clusters.sort_unstable();
            let n = group.len() as u64;
            let same: u64 = clusters
                .chunk_by(|a, b| a == b)
                .map(|run| run.len() as u64 * (run.len() as u64 - 1) / 2)
                .sum();
            clusters.dedup();
            if self.is_unclear(&clusters) {
                continue;
            }
            if let [cluster] = clusters[..] {
                if self.is_giant(cluster) {
                    // Many URLs that all lead to it tell more than two, but far less than as many pages would.
                    deed.in_giants += 1 + u64::from((group.len() - 1).ilog2());
                } else {
                    pages.insert(cluster);
                }
                merged_shapes.extend(changed.iter().map(|change| change.form.shape));
            }
            deed.trials += 1;
            deed.failures += u64::from(clusters.len() > 1);
            deed.support += n * (n - 1) / 2;
            deed.false_pairs += n * (n - 1) / 2 - same;
            deed.saved += n - 1;
            deed.lost += clusters.len() as u64 - 1;
            deed.groups.push(&group);
        }
        deed.groups.sort();
        deed.pages = pages.len() as u64;
        let is_natural = |shape: &u64| {
            self.shapes().get(shape).copied().unwrap_or(0) > left.get(shape).copied().unwrap_or(0)
        };
        let is_orphan = |change: &&Change| {
            let shape = &change.form.shape;
            !merged_shapes.contains(shape) && !is_natural(shape)
        };
        deed.orphans = changes.iter().filter(is_orphan).map(|c| c.at).collect();
        deed.orphans.sort_unstable();
        deed
    }

    /// Whether nobody can tell if these contents are one: such a group speaks neither for a rule nor against it.
    fn is_unclear(&self, clusters: &[u64]) -> bool {
        let is_doubtful = |a: u64, b: u64| self.doubts.contains(&(a.min(b), a.max(b)));
        clusters.len() > 1
            && !self.doubts.is_empty()
            && (1..clusters.len())
                .all(|i| clusters[..i].iter().any(|a| is_doubtful(*a, clusters[i])))
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
        let pair = |group: &[u32], other: u32| {
            [group[0], other].map(|at| self.rows[at as usize].text.to_string())
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
        for at in self.matching(rule).iter() {
            let row = &mut self.rows[at];
            let mut parts = row.parts.clone();
            if !rule.edit(&mut parts) {
                continue;
            }
            let text = parts.render();
            if text != row.text {
                *row = Row::new(text.into(), parts, row.cluster, row.met);
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
struct Form {
    hash: u64,
    shape: u64,
}

impl Form {
    const UNKNOWN: Self = Self { hash: 0, shape: 0 };
    const SAME: Self = Self { hash: 1, shape: 0 };
}

#[derive(Clone, Copy, Debug)]
struct Change {
    form: Form,
    at: u32,
}

/// What was found out about the rows as they are now.
#[derive(Debug, Default)]
struct Found {
    holding: FxHashMap<Condition, Arc<Rows>>,
    edited: FxHashMap<Vec<Edit>, Vec<Form>>,
}

/// A set of rows, one bit each.
#[derive(Clone, Debug)]
struct Rows(Vec<u64>);

impl Rows {
    fn none(len: usize) -> Self {
        Self(vec![0; len.div_ceil(64)])
    }

    fn all(len: usize) -> Self {
        let mut rows = Self(vec![u64::MAX; len.div_ceil(64)]);
        if let Some(last) = rows.0.last_mut().filter(|_| !len.is_multiple_of(64)) {
            *last = (1 << (len % 64)) - 1;
        }
        rows
    }

    fn insert(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    fn holds(&self, at: usize) -> bool {
        self.0[at / 64] & (1 << (at % 64)) != 0
    }

    fn keep(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine &= theirs;
        }
    }

    fn retain(&mut self, holds: impl Fn(usize) -> bool) {
        for (at, word) in self.0.iter_mut().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                if !holds(at * 64 + bit) {
                    *word &= !(1 << bit);
                }
            }
        }
    }

    fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        (self.0.iter().enumerate()).flat_map(|(at, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(at * 64 + bit)
            })
        })
    }
}
