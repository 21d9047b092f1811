//! The table of known URLs, on which rules are tried.
//!
//! A [`Table`] holds the distinct classes of a site with their clusters. An accepted rule is applied to it, so that
//! later rules are judged on top of earlier ones, as they will run.
//!
//! There are two kinds of tables. Proposals are made and tried by the hundred on a table whose rows are sorted and stay
//! taken apart. To prove the few chosen rules on all URLs, a table of the other kind keeps only their texts, in the order
//! they came.

use std::{cmp::Ordering, sync::OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use super::{
    Sample,
    found::{Form, Found, hash_of},
    groups::Groups,
    kinds::{Kinds, shape},
    made::{Made, Text},
    needs::{hash_in_order, length_put_together},
    parallel,
    part::sizes,
    places::Places,
    rows::Rows,
    texts::in_order,
};
use crate::rules::{Parts, Rule, SiteRules};

/// A class of the site. What no rule has changed yet is borrowed from the samples.
#[derive(Debug)]
pub(crate) struct Row<'s> {
    pub(crate) text: Text<'s>,
    pub(crate) cluster: u64,
    pub(super) hash: u64,
    pub(super) shape: u64,
    /// When it was first met, in whatever the samples count; 0 where they do not say.
    pub(crate) met: u32,
    /// Octets of the text, if putting its parts together gives as many; 0 where that is not seen at a glance.
    length: u32,
    /// URLs that rules made this class of.
    urls: u32,
}

impl<'s> Row<'s> {
    /// What rows are put in order by.
    fn key(&self) -> (&str, u64) {
        (&self.text, self.cluster)
    }

    fn new(text: Text<'s>, shape: u64, cluster: u64, met: u32) -> Self {
        Self {
            hash: hash_of(&text),
            length: length_put_together(&text).unwrap_or(0),
            text,
            cluster,
            shape,
            met,
            urls: 1,
        }
    }

    /// Takes over what rules make of it.
    fn become_other(&mut self, text: Text<'s>, form: Form) {
        self.length = length_put_together(&text).unwrap_or(0);
        self.text = text;
        (self.hash, self.shape) = (form.hash, form.shape);
    }
}

/// Distinct classes. Nothing that is told of them depends on the order in which pages came.
#[derive(Debug, Default)]
pub(crate) struct Table<'s> {
    pub(crate) rows: Vec<Row<'s>>,
    /// The parts of all rows, which then are in order of their text; or none, and the rows are in any order.
    pub(super) apart: Vec<Parts<'s>>,
    giants: FxHashSet<u64>,
    /// Giants that lie behind several paths.
    walls: FxHashSet<u64>,
    /// Pairs of clusters, the smaller first, that may be one.
    pub(super) doubts: FxHashSet<(u64, u64)>,
    pub(super) index: Index,
    pub(super) found: Found,
    /// Rules that run behind each rule that is tried: what it makes of a URL may be where one of them begins.
    pub(super) behind: SiteRules,
    /// Threads that it may be asked on at once.
    pub(super) threads: usize,
}

/// Ways to find rows; each is made when it is first asked for.
#[derive(Debug, Default)]
pub(super) struct Index {
    places: OnceLock<Places>,
    kinds: OnceLock<Kinds>,
    /// Rows in ascending order by what they have: a query key, or a value at a place of the path.
    pub(super) having: OnceLock<FxHashMap<u64, Vec<u32>>>,
    /// The clusters of the rows: they are asked for in any order.
    clusters: OnceLock<Vec<u64>>,
    /// The lengths of the rows.
    lengths: OnceLock<Vec<u32>>,
    /// The URLs of the rows, unless each has one.
    urls: OnceLock<Option<Vec<u32>>>,
    /// How many rows each cluster has.
    sizes: OnceLock<FxHashMap<u64, u32>>,
    /// Rows of one cluster.
    equals: OnceLock<Groups>,
    /// The hashes of rows that are taken apart, with their parameters in order.
    in_order: OnceLock<Vec<u64>>,
}

/// Paths that a giant lies behind if it is a wall.
const WALL_PATHS: usize = 3;
/// Pieces of a table that a rule is applied to on each thread before they are written: few, so that they are still at
/// hand.
const AT_ONCE: usize = 8;
/// Samples that are read at once.
const READ: usize = 1 << 12;

impl<'s> Table<'s> {
    /// The classes of these samples, taken apart. Clusters with `giant` or more of them are error pages, login walls and
    /// empty pages: such a page is no evidence about the site's pages, only about the URLs that lead to it.
    pub(crate) fn new(samples: impl IntoIterator<Item = &'s Sample>, giant: usize) -> Self {
        let samples = in_order(samples.into_iter());
        let mut table = Self {
            giants: giants(samples.iter().copied(), giant),
            ..Self::default()
        };
        // Of each class the row with the smallest name of a cluster.
        for sample in samples {
            if table
                .rows
                .last()
                .is_some_and(|last| *last.text == sample.url)
            {
                continue;
            }
            if let Some(parts) = Parts::parse(&sample.url) {
                let text = Text::Given(&sample.url);
                let row = Row::new(text, shape(&parts), sample.cluster, 0);
                table.rows.push(row);
                table.apart.push(parts);
            }
        }
        table.find_walls();
        table
    }

    /// The classes of samples, which say when they were met, to prove rules on that were proposed elsewhere. It is read
    /// and asked on so many threads.
    pub(crate) fn to_prove_on<T: Sync>(
        samples: &'s [T],
        sample: impl Fn(&'s T) -> (&'s Sample, u32) + Copy + Sync,
        giant: usize,
        threads: usize,
    ) -> Self {
        let mut table = Self {
            giants: giants(samples.iter().map(|one| sample(one).0), giant),
            rows: Vec::with_capacity(samples.len()),
            threads,
            ..Self::default()
        };
        let pieces: Vec<&[T]> = samples.chunks(READ).collect();
        let rows = parallel::map(threads, &pieces, |piece| {
            let mut parts = Parts::none();
            let mut rows = Vec::with_capacity(piece.len());
            for (sample, met) in piece.iter().map(sample) {
                if parts.read(&sample.url) {
                    let text = Text::Given(&sample.url);
                    rows.push(Row::new(text, shape(&parts), sample.cluster, met));
                }
            }
            rows
        });
        for rows in rows {
            table.rows.extend(rows);
        }
        table.unite();
        // What was met twice is one URL.
        for row in &mut table.rows {
            row.urls = 1;
        }
        table.find_walls();
        table
    }

    fn find_walls(&mut self) {
        let mut paths: FxHashMap<u64, FxHashSet<u64>> = FxHashMap::default();
        let mut parts = Parts::none();
        for (at, row) in (0u32..).zip(&self.rows) {
            if self.giants.contains(&row.cluster) {
                let segs = &self.parts(at, &mut parts).segs;
                let path = xxh3_64(segs.join("/").as_bytes());
                paths.entry(row.cluster).or_default().insert(path);
            }
        }
        paths.retain(|_, paths| paths.len() >= WALL_PATHS);
        self.walls = paths.into_keys().collect();
    }

    /// Keeps one row of each class, of rows in any order. As in all that a rule merges, a hash stands for its text.
    fn unite(&mut self) {
        let mut places = Places::of(self.rows.iter().map(|row| row.hash));
        let mut goes = Rows::none(self.rows.len());
        for equal in places.equals() {
            let rows = equal.iter().map(|(_, at)| *at as usize);
            let Some(stays) = rows.clone().min_by_key(|at| self.rows[*at].cluster) else {
                continue;
            };
            for at in rows.filter(|at| *at != stays) {
                self.rows[stays].met = self.rows[stays].met.min(self.rows[at].met);
                self.rows[stays].urls += self.rows[at].urls;
                goes.insert(at);
            }
        }
        if goes.count() > 0 {
            places = places.without(|at| goes.holds(at as usize));
            let mut at = 0;
            self.rows.retain(|_| {
                at += 1;
                !goes.holds(at - 1)
            });
        }
        self.index = Index {
            places: OnceLock::from(places),
            ..Index::default()
        };
    }

    /// The same, if these pairs of clusters (the smaller first) may be one content.
    pub(crate) fn with_doubts(mut self, doubts: FxHashSet<(u64, u64)>) -> Self {
        self.doubts = doubts;
        self
    }

    /// The parts of a row; `spare` is where they are put if the row has to be taken apart.
    pub(super) fn parts<'p, 't: 'p>(&'t self, at: u32, spare: &'p mut Parts<'t>) -> &'p Parts<'t> {
        if let Some(parts) = self.apart.get(at as usize) {
            return parts;
        }
        spare.read(&self.rows[at as usize].text);
        spare
    }

    /// The same, to be changed.
    pub(super) fn take_apart<'t>(&'t self, at: usize, parts: &mut Parts<'t>) {
        match self.apart.get(at) {
            Some(apart) => parts.borrow_from(apart),
            None => {
                parts.read(&self.rows[at].text);
            }
        }
    }

    /// How rows are put in order: by their text.
    pub(super) fn order(&self, a: u32, b: u32) -> Ordering {
        if self.apart.is_empty() {
            let text = |at: u32| &*self.rows[at as usize].text;
            text(a).cmp(text(b))
        } else {
            a.cmp(&b)
        }
    }

    /// The row with a text of this hash.
    pub(super) fn at(&self, hash: u64) -> Option<u32> {
        let places = || Places::of(self.rows.iter().map(|row| row.hash));
        self.index.places.get_or_init(places).get(hash)
    }

    pub(super) fn kinds(&self) -> &Kinds {
        let kinds = || Kinds::of(self.rows.iter().map(|row| row.shape));
        self.index.kinds.get_or_init(kinds)
    }

    /// Rows of each cluster that has at least two, clusters in order of their first row.
    pub(crate) fn clusters(&self) -> &Groups {
        self.index.equals.get_or_init(|| {
            let mut known: FxHashMap<u64, u32> = FxHashMap::default();
            known.reserve(self.rows.len());
            let number = |row: &Row<'_>| {
                let next = known.len() as u32;
                *known.entry(row.cluster).or_insert(next)
            };
            let numbers: Vec<u32> = self.rows.iter().map(number).collect();
            Groups::by_number(&numbers, known.len())
        })
    }

    /// Of each row that is taken apart the hash of its text with its parameters in order.
    pub(super) fn in_parameter_orders(&self) -> &[u64] {
        let rows = || self.rows.iter().zip(&self.apart);
        let hashes = || rows().map(|(row, parts)| hash_in_order(row.hash, parts));
        self.index.in_order.get_or_init(|| hashes().collect())
    }

    /// Number of different pages.
    pub(crate) fn cluster_count(&self) -> usize {
        let clusters: FxHashSet<u64> = self.rows.iter().map(|row| row.cluster).collect();
        clusters.len()
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
        let clusters = || self.rows.iter().map(|row| row.cluster).collect();
        self.index.clusters.get_or_init(clusters)[at as usize]
    }

    /// Octets of what the parts of each row are put together to; 0 where that is not seen at a glance.
    pub(super) fn lengths(&self) -> &[u32] {
        let lengths = || self.rows.iter().map(|row| row.length).collect();
        self.index.lengths.get_or_init(lengths)
    }

    /// The URLs of each row; `None` where each has one.
    pub(super) fn urls(&self) -> Option<&[u32]> {
        let urls = || {
            let is_united = self.rows.iter().any(|row| row.urls > 1);
            is_united.then(|| self.rows.iter().map(|row| row.urls).collect())
        };
        self.index.urls.get_or_init(urls).as_deref()
    }

    /// How many rows a cluster has.
    pub(super) fn size(&self, cluster: u64) -> u32 {
        let sizes = || {
            let mut sizes: FxHashMap<u64, u32> = FxHashMap::default();
            for row in &self.rows {
                *sizes.entry(row.cluster).or_default() += 1;
            }
            sizes
        };
        let sizes = self.index.sizes.get_or_init(sizes);
        sizes.get(&cluster).copied().unwrap_or(0)
    }

    pub(crate) fn is_pure(&self, group: &[u32]) -> bool {
        group
            .windows(2)
            .all(|two| self.cluster(two[0]) == self.cluster(two[1]))
    }

    /// Applies the rule for good, behind the others of `chain`, which ends with it. `made`: what becomes of the rows,
    /// where that is known.
    pub(crate) fn adopt(&mut self, rule: &Rule, chain: &SiteRules, made: Option<&Made>) {
        if let Some(made) = made.filter(|_| self.apart.is_empty()) {
            for (at, form, text) in made.rows() {
                self.rows[at].become_other(text, form);
            }
            self.found = Found::default();
            self.unite();
            return;
        }
        let (rows, rest) = self.likely(rule);
        let threads = self.threads.max(1);
        for pieces in rows.pieces().chunks(AT_ONCE * threads) {
            let changed = parallel::map(threads, pieces, |piece| {
                let (mut parts, mut spare) = (Parts::none(), Parts::none());
                let class = |at: usize| {
                    self.take_apart(at, &mut parts);
                    let holds = rest.iter().all(|c| c.holds(&parts));
                    let text = holds.then(|| &self.rows[at].text)?;
                    let (class, shape) = chain.class_of(text, &mut parts, &mut spare, shape)?;
                    // What is no URL any more stays as it is.
                    Some((at, Text::alone(class)?, shape?))
                };
                piece.rows().filter_map(class).collect::<Vec<_>>()
            });
            for (at, class, shape) in changed.into_iter().flatten() {
                if let Some(old) = self.apart.get_mut(at)
                    && let Some(new) = Parts::of_class(&class)
                {
                    *old = new.taken_over(std::mem::replace(old, Parts::none()));
                }
                let form = Form::new(&class, shape);
                self.rows[at].become_other(class, form);
            }
        }
        self.found = Found::default();
        if self.apart.is_empty() {
            self.unite();
            return;
        }
        self.index = Index::default();
        let rows = std::mem::take(&mut self.rows).into_iter();
        let mut rows: Vec<_> = rows.zip(std::mem::take(&mut self.apart)).collect();
        // Most edits leave the order as it is.
        rows.sort_by(|(a, _), (b, _)| a.key().cmp(&b.key()));
        rows.dedup_by(|(row, _), (first, _)| {
            let is_same = row.hash == first.hash && *row.text == *first.text;
            if is_same {
                first.met = first.met.min(row.met);
                first.urls += row.urls;
            }
            is_same
        });
        (self.rows, self.apart) = rows.into_iter().unzip();
    }
}

/// Clusters with so many samples.
fn giants<'s>(samples: impl Iterator<Item = &'s Sample>, giant: usize) -> FxHashSet<u64> {
    let mut sizes = sizes(samples);
    sizes.retain(|_, size| *size >= giant);
    sizes.into_keys().collect()
}
