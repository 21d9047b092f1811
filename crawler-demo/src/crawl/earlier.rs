//! What earlier runs on a store mean for this one.
//!
//! It remembers where they began, and reports what they left.

use std::collections::HashSet;

use nodust_frontier::{
    CanonicalUrl, Commit, FrontierError, LocalFrontier, Stats, Store, StoreError,
};

use super::unread::{self, Unread};
use crate::{CrawlConfig, report::Numbers, words::counted};

/// State under which the store keeps where the crawl began.
const SEEDS: &str = "crawl/seeds";

/// Where earlier runs on this store began: of each host and scheme one seed, which is what scope and guard need.
pub(crate) fn known_seeds(store: &dyn Store) -> Result<Vec<CanonicalUrl>, StoreError> {
    let Some(bytes) = store.state(SEEDS)? else {
        return Ok(Vec::new());
    };
    let seeds: Vec<String> = serde_json::from_slice(&bytes).unwrap_or_else(|why| {
        tracing::warn!("the seeds of earlier runs are not readable, name them again: {why}");
        Vec::new()
    });
    Ok(seeds.iter().filter_map(|seed| seed.parse().ok()).collect())
}

/// Adds seeds to those that the store knows, so that a later run needs not name them.
pub(super) fn remember_seeds(
    store: &dyn Store,
    known: &[CanonicalUrl],
    seeds: &[CanonicalUrl],
) -> Result<(), StoreError> {
    let mut names: HashSet<_> = known.iter().map(place_of).collect();
    let before = known.len();
    let mut all = known.to_vec();
    for seed in seeds {
        if names.insert(place_of(seed)) {
            all.push(seed.clone());
        }
    }
    if all.len() == before {
        return Ok(());
    }
    let list: Vec<_> = all.iter().map(CanonicalUrl::as_str).collect();
    let list = serde_json::to_vec(&list).expect("strings are JSON");
    store.commit(Commit {
        state: vec![(SEEDS.to_owned(), Some(list))],
        ..Commit::default()
    })
}

/// Scheme, host and port.
fn place_of(seed: &CanonicalUrl) -> String {
    seed.as_url()[..url::Position::AfterPort].to_owned()
}

/// Queues again what could not be had and may be by now, if that is wanted.
pub(super) fn ask_again(
    config: &CrawlConfig,
    frontier: &LocalFrontier,
) -> Result<(), FrontierError> {
    if config.retry_failed && config.store.is_some() {
        match frontier.retry_failed()? {
            0 => tracing::info!(
                "there is nothing to retry: {} keeps no URL that could not be fetched and may be available by now",
                name(config)
            ),
            urls => tracing::info!(
                "{} that could not be fetched before: queued to be asked for again",
                counted(urls, "URL")
            ),
        }
    }
    Ok(())
}

/// Sitemaps that earlier runs did not read to their end, if such are wanted.
pub(super) fn sitemaps_left(
    config: &CrawlConfig,
    store: &dyn Store,
) -> Result<Vec<Unread>, StoreError> {
    if !config.sitemaps || !config.robots {
        return Ok(Vec::new());
    }
    let left = unread::left(store)?;
    if !left.is_empty() {
        tracing::info!(
            "sitemaps of {} were not read to their end: they are read now",
            counted(left.len() as u64, "host")
        );
    }
    Ok(left)
}

/// What to do where not one page came and no URL waits.
pub(crate) fn way_on(to_retry: u64) -> &'static str {
    match to_retry {
        0 => "give another --store to try anew",
        _ => "run it again with --retry-failed, or give another --store to try anew",
    }
}

/// What a message calls the store.
pub(super) fn name(config: &CrawlConfig) -> String {
    match &config.store {
        Some(folder) => folder.display().to_string(),
        None => "this store".to_owned(),
    }
}

/// Says that nothing waits in a store, and what can be done with it.
pub(super) fn tell_complete(config: &CrawlConfig, stats: &Stats) {
    let folder = name(config);
    if Numbers::from(&stats.total).is_without_page() {
        tracing::warn!(
            "the crawl in {folder} is over: not one of its URLs could be fetched, and they are not asked for again: {}",
            way_on(stats.to_retry)
        );
        return;
    }
    tracing::info!(
        "the crawl in {folder} is complete: {} fetched, and nothing waits. Name further seeds to go on from there, or \
         another folder to begin anew; `nodust stats --store {folder}` has its numbers",
        counted(stats.total.fetched, "URL")
    );
    if stats.ledger > 0 && !config.second_helping {
        tracing::info!(
            "its ledger keeps {} dropped as duplicates: --second-helping fetches them",
            counted(stats.ledger, "link")
        );
    }
}

/// Says that a crawl goes on which began elsewhere, where seeds are named that it did not know.
pub(super) fn tell_begun_elsewhere(
    config: &CrawlConfig,
    store: &dyn Store,
    known: &[CanonicalUrl],
    seeds: &[CanonicalUrl],
) -> Result<(), StoreError> {
    let places: HashSet<_> = known.iter().map(place_of).collect();
    let (Some(first), false) = (
        known.first(),
        seeds.iter().all(|seed| places.contains(&place_of(seed))),
    ) else {
        return Ok(());
    };
    let others = match known.len() - 1 {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let waiting = match store.queue_len() {
        0 => "nothing of it waits".to_owned(),
        links => format!(
            "it goes on, too, with {} of {}",
            counted(links, "waiting link"),
            counted(store.hosts()?.len() as u64, "host")
        ),
    };
    tracing::info!(
        "{} holds the crawl that began at {first}{others}: {waiting}. The summary counts both crawls; name another --store \
         for a fresh start",
        name(config)
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use nodust_frontier::MemoryStore;

    use super::{super::parse_seeds, *};

    #[test]
    fn a_store_knows_one_seed_of_each_host_and_scheme_of_all_runs() {
        let store = MemoryStore::default();
        assert!(known_seeds(&store).unwrap().is_empty());
        for run in [
            &["http://a.example/1", "http://a.example/2"][..],
            &[
                "http://b.example/",
                "https://b.example/",
                "https://b.example/2",
            ],
        ] {
            let (seeds, _) = parse_seeds(&run.iter().map(|&s| s.to_owned()).collect::<Vec<_>>());
            let known = known_seeds(&store).unwrap();
            remember_seeds(&store, &known, &seeds).unwrap();
        }
        let known = known_seeds(&store).unwrap();
        let known: Vec<_> = known.iter().map(CanonicalUrl::as_str).collect();
        assert_eq!(
            known,
            [
                "http://a.example/1",
                "http://b.example/",
                "https://b.example/"
            ]
        );
    }
}
