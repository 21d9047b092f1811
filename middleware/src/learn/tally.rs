//! What comes of merging a few classes.

use rustc_hash::FxHashMap;

use super::table::Table;

/// What comes of making a few classes one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) classes: u64,
    /// Pairs of URLs that were not one class before, and those of them that are different pages.
    pub(super) pairs: u64,
    pub(super) false_pairs: u64,
}

const MILLION: u64 = 1_000_000;

/// Pages some of whose rows are made one with rows of others.
#[derive(Debug, Default)]
pub(super) struct Missed(FxHashMap<u64, (usize, u64)>);

impl Missed {
    /// Notes that so many rows of a page are among so many that become one class, of which one is fetched, whichever.
    fn note(&mut self, cluster: u64, own: usize, all: usize) {
        let (rows, chance) = self.0.entry(cluster).or_insert((0, MILLION));
        *rows += own;
        *chance = *chance * (all - own) as u64 / all as u64;
    }

    /// Pages that are to be missed, as none of them has a row elsewhere, which would be seen there; `size`: rows of a page.
    pub(super) fn lost(&self, size: impl Fn(u64) -> usize) -> f64 {
        let wholly = self
            .0
            .iter()
            .filter(|(cluster, (rows, _))| size(**cluster) == *rows);
        let chances: u64 = wholly.map(|(_, (_, chance))| chance).sum();
        chances as f64 / MILLION as f64
    }
}

impl Table<'_> {
    /// What it does to make these classes one; `is_pure`: they are one page.
    pub(super) fn tally(&self, group: &[u32], is_pure: bool, missed: &mut Missed) -> Tally {
        let pairs = |n: u64| n * n.saturating_sub(1) / 2;
        let urls = self.urls();
        let of = |at: u32| urls.map_or(1, |urls| u64::from(urls[at as usize]));
        let merged = |rows: &mut dyn Iterator<Item = u32>| {
            let (mut all, mut before) = (0, 0);
            for at in rows {
                all += of(at);
                before += pairs(of(at));
            }
            pairs(all) - before
        };
        let mut tally = Tally {
            classes: group.len() as u64,
            pairs: merged(&mut group.iter().copied()),
            ..Tally::default()
        };
        if is_pure {
            return tally;
        }
        let mut rows: Vec<(u64, u32)> = group.iter().map(|at| (self.cluster(*at), *at)).collect();
        rows.sort_unstable();
        let mut same = 0;
        for run in rows.chunk_by(|a, b| a.0 == b.0) {
            same += merged(&mut run.iter().map(|(_, at)| *at));
            missed.note(run[0].0, run.len(), rows.len());
        }
        tally.false_pairs = tally.pairs - same;
        tally
    }
}
