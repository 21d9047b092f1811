//! Chooses, of very many URLs, those that rules are proposed from.
//!
//! These are all URLs of some pages, drawn by hash, and all or some URLs of each page that very many URLs lead to. Otherwise a login page
//! that a third of all URLs lead to would be drawn or not, and with it what is proposed for a third of the site. The rules are checked
//! against all URLs.

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{Options, Sample, sinks, table::Table};
use crate::rules::{Entry, Status};

/// Of pages that have more than this part of the URLs that proposals come from, some URLs are drawn.
const LARGE: usize = 64;
/// Seeds of what is drawn for all learners, and for sinks.
const FOR_ALL: u64 = 7;
const FOR_SINKS: u64 = 11;

/// How many of the samples each cluster has.
pub(super) fn sizes<'s>(samples: impl IntoIterator<Item = &'s Sample>) -> FxHashMap<u64, usize> {
    let mut sizes: FxHashMap<u64, usize> = FxHashMap::default();
    for sample in samples {
        *sizes.entry(sample.cluster).or_default() += 1;
    }
    sizes
}

/// Whether a name is among so many drawn out of all; all are where there are no more.
fn is_drawn(name: &[u8], seed: u64, (most, all): (usize, usize)) -> bool {
    let share = most as f64 / all as f64;
    let hash = xxh3_64_with_seed(name, seed);
    all <= most || ((hash >> 11) as f64) < share * (1u64 << 53) as f64
}

/// The samples that proposals come from; `None`: all.
pub(super) fn some_pages<'s>(samples: &'s [Sample], options: &Options) -> Option<Vec<&'s Sample>> {
    let most = options.max_proposed_from;
    if samples.len() <= most.saturating_mul(2) {
        return None;
    }
    let mut sizes = sizes(samples);
    let large = options.giant.max(most / LARGE);
    sizes.retain(|_, size| *size > large);
    let of_large: usize = sizes.values().sum();
    let is_drawn = |sample: &&Sample| {
        if sizes.contains_key(&sample.cluster) {
            is_drawn(sample.url.as_bytes(), FOR_ALL, (most, of_large))
        } else {
            let cluster = sample.cluster.to_le_bytes();
            is_drawn(&cluster, FOR_ALL, (most, samples.len()))
        }
    };
    Some(samples.iter().filter(is_drawn).collect())
}

/// Rules for pages that very many URLs lead to, proposed from more of these URLs beside the part of all: what speaks for
/// such a rule is their number, of which a part has too few.
pub(super) fn of_sinks<'s>(
    samples: &'s [Sample],
    part: Vec<&'s Sample>,
    options: &Options,
) -> Vec<Entry> {
    let mut sizes = sizes(samples);
    sizes.retain(|_, size| *size >= options.giant);
    let most_of_one = options.max_proposed_from / LARGE * 2;
    let most = 4 * options.max_proposed_from;
    let of_all = sizes.values().map(|size| (*size).min(most_of_one)).sum();
    let is_large = |sample: &&Sample| {
        sizes.get(&sample.cluster).is_some_and(|size| {
            let cluster = sample.cluster.to_le_bytes();
            is_drawn(&cluster, FOR_SINKS, (most, of_all))
                && is_drawn(sample.url.as_bytes(), FOR_SINKS, (most_of_one, *size))
        })
    };
    let mut larges = samples.iter().filter(is_large).peekable();
    if larges.peek().is_none() {
        return Vec::new();
    }
    let others = part.into_iter().filter(|sample| !is_large(sample));
    let table = Table::new(larges.chain(others), options.giant);
    let mut rules = sinks::propose(&table);
    rules.truncate(options.max_proposals);
    let entry = |rule| Entry {
        status: Status::Active,
        by: sinks::NAME.to_owned(),
        ..Entry::by_hand(rule)
    };
    rules.into_iter().map(entry).collect()
}
