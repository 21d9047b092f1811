//! How a crawl begins and ends.
//!
//! Seeds are read, the frontier and the files are opened; at the end, the report is put together.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use nodust_frontier::{
    CanonicalUrl, Decision, DecisionSink, Exploration, Fingerprint, LocalFrontier, MalformedUrl,
    Probability, Store,
};
use nodust_middleware::file::shown;

use super::{
    CrawlError, Parts, Shared,
    logged::{Logged, tell_late_decisions},
};
use crate::{
    CrawlConfig,
    config::ConfigError,
    files,
    records::{Before, Claim, Decisions, Kind, LineFile, OpenError, Resumed},
    report::{Ending, Numbers, Report, Run},
    words::counted,
};

/// Seeds offered at once.
const SEEDS_AT_ONCE: usize = 1000;

/// Seeds that are left out of which each is told; the rest is counted.
pub(crate) const TOLD_SEEDS: usize = 10;

/// Counts the seeds left out that were not told.
pub(crate) fn tell_more_left_out(left_out: usize) {
    if left_out > TOLD_SEEDS {
        let all = counted(left_out as u64, "seed");
        tracing::warn!("{all} left out in all; only the first {TOLD_SEEDS} were logged one by one");
    }
}

/// What a crawl works on.
pub(super) struct Opened {
    pub(super) frontier: Arc<LocalFrontier>,
    pub(super) log: Option<Arc<LineFile>>,
    pub(super) decisions: Arc<Decisions>,
    /// Pages of earlier runs that have no line in the log, if there is one.
    pub(super) not_in_log: Option<u64>,
}

/// Opens frontier and files. Files are written on when the store knows of an earlier run.
pub(super) fn open(config: &CrawlConfig, parts: Parts) -> Result<Opened, CrawlError> {
    let goes_on = (parts.store.as_ref()).is_some_and(|store| store.seen_len() > 0);
    if !goes_on {
        check_empties_nothing(config)?;
    }
    // Both are held before either is changed.
    let hold = |path: &Option<PathBuf>| path.as_deref().map(Claim::of).transpose();
    let mut log = hold(&config.log)?;
    let mut decisions = hold(&config.decisions)?;
    if let Some(path) = &config.report {
        // Better told now than after the crawl.
        Claim::of(path)?;
    }
    if let Some(store) = parts.store.as_deref().filter(|_| goes_on) {
        let own = check_own(log.as_mut(), Kind::Log, store)
            .and_then(|()| check_own(decisions.as_mut(), Kind::Decisions, store));
        if let Err(why) = own {
            log.into_iter().chain(decisions).for_each(Claim::forgo);
            return Err(why);
        }
    }
    let logged = match &parts.store {
        Some(store) => Logged::of(&**store)?,
        None => Logged::default(),
    };
    let open = |file: Option<Claim>, path: &Option<PathBuf>, counts: bool| {
        (file.zip(path.as_deref()))
            .map(|(file, path)| lines(file, path, goes_on, counts))
            .transpose()
    };
    let log = open(log, &config.log, true)?;
    let decisions = open(decisions, &config.decisions, false)?;
    let (decisions, decisions_before) =
        decisions.map_or((None, None), |d| (Some(d.file), d.before));
    let decisions = Arc::new(Decisions::new(decisions));
    if goes_on {
        decisions.resumed();
    }
    let share = Probability::new(config.exploration).ok_or(ConfigError {
        field: "exploration",
        problem: "must lie between 0 and 1",
    })?;
    let mut builder = LocalFrontier::builder(parts.chain);
    if let Some(store) = parts.store {
        builder = builder.store(store);
    }
    let frontier = builder
        .exploration(Exploration::new(share, config.seed))
        .max_redirects(config.max_redirects)
        .sink(Arc::clone(&decisions) as Arc<dyn DecisionSink>)
        .build()?;
    let pages = Numbers::from(&frontier.totals().total).answered();
    let store = &**frontier.store();
    let log_before = log.as_ref().and_then(|log| log.before.as_ref());
    let not_in_log = logged.note(store, config.log.as_deref().zip(log_before), pages)?;
    if let Some((path, before)) = config.decisions.as_deref().zip(decisions_before) {
        tell_late_decisions(path, &before, pages);
    }
    Ok(Opened {
        frontier: Arc::new(frontier),
        log: log.map(|log| Arc::new(log.file)),
        decisions,
        not_in_log,
    })
}

/// Refuses to empty the files of another crawl for one that begins anew, unless that was asked for.
pub(super) fn check_empties_nothing(config: &CrawlConfig) -> Result<(), CrawlError> {
    let mut files = config.log.iter().chain(&config.decisions);
    match files.find(|path| !config.overwrite && holds_something(path)) {
        Some(path) => {
            // Where another crawl writes it, that is what is to be told.
            Claim::of(path)?;
            Err(CrawlError::WouldOverwrite(path.clone()))
        }
        None => Ok(()),
    }
}

/// Refuses to go on in a file that is not of this kind, or in the log of another crawl.
fn check_own(file: Option<&mut Claim>, kind: Kind, store: &dyn Store) -> Result<(), CrawlError> {
    let Some(file) = file else { return Ok(()) };
    let first = file.first_url(kind)?.filter(|_| kind == Kind::Log);
    let Some(url) = first.and_then(|url| url.parse::<CanonicalUrl>().ok()) else {
        return Ok(());
    };
    let mut found = Vec::new();
    store.lookup(&[Fingerprint::of(url.as_url(), url.as_str())], &mut found)?;
    match found[..] {
        [None] => Err(OpenError::OfAnotherCrawl {
            path: file.path().to_owned(),
            first: url.to_string(),
        }
        .into()),
        _ => Ok(()),
    }
}

/// Empties a file of lines, or goes on in it, and tells where it was torn.
pub(crate) fn lines(
    file: Claim,
    path: &Path,
    goes_on: bool,
    counts: bool,
) -> Result<Resumed, CrawlError> {
    let opened = if goes_on {
        file.resumed(counts)?
    } else {
        Resumed {
            file: file.emptied()?,
            before: path.is_file().then(Before::default),
        }
    };
    let Some(before) = &opened.before else {
        return Ok(opened);
    };
    if before.torn > 0 {
        tracing::warn!(
            "{} ends in the middle of a line, as after a kill or on a full disk: {} after its last whole line are cut off",
            path.display(),
            counted(before.torn, "byte")
        );
    }
    if before.damaged.lines > 0 {
        tracing::warn!(
            "{} is damaged in {}: each line should be a JSON object with a \"url\". Nothing is cut off; learning from it \
             or replaying it leaves out what is damaged",
            path.display(),
            before.damaged
        );
    }
    Ok(opened)
}

/// Whether there is something in a file. Devices and pipes have nothing to lose.
fn holds_something(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.len() > 0)
}

pub(super) fn finish(
    shared: &Shared,
    frontier: &LocalFrontier,
    began: Instant,
) -> Result<Report, CrawlError> {
    let counters = &shared.counters;
    let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let report = Report::new(
        &frontier.stats()?,
        shared.ending.get().copied().unwrap_or(Ending::Stopped),
        Run {
            seconds: began.elapsed().as_secs_f64(),
            pages: read(&counters.pages),
            robots_requests: shared.robots.fetches(),
            sitemap_requests: read(&counters.sitemap_requests),
            nofollow_links: read(&counters.nofollow_links),
            links_over_limit: read(&counters.links_over_limit),
            first_failure: shared.first_failure.get().cloned(),
            without_page: shared.fates.told(),
            not_in_log: shared.not_in_log,
            missing: None,
            second_helping: shared.config.second_helping,
        },
    )
    .with_beliefs(&frontier.beliefs()?);
    Ok(match shared.config.store {
        Some(_) => report,
        None => Report {
            to_retry: 0,
            ..report
        },
    })
}

/// Writes the report, if a file was named for it. Where the disk is full, the one that was there stays.
pub(super) fn write_report(path: Option<&Path>, report: &Report) -> io::Result<()> {
    let Some(path) = path else { return Ok(()) };
    let mut octets = serde_json::to_vec(report)?;
    octets.push(b'\n');
    files::replace(path, &octets)
}

/// What is wrong with a seed, for whoever never thought of a page that it could stand on.
pub(crate) fn no_seed(seed: &str, why: MalformedUrl) -> String {
    let seed = shown(seed);
    match why {
        MalformedUrl::Relative => format!("{seed:?} is neither a URL nor a host name"),
        other => format!("{seed:?} is no seed: {other}"),
    }
}

/// That there is nothing to begin with, nor to go on with.
pub(super) fn nothing_to_do(broken_seeds: &[(String, MalformedUrl)]) -> CrawlError {
    CrawlError::Seeds(match broken_seeds.first() {
        Some((seed, why)) => format!("no seed can be used: {}", no_seed(seed, *why)),
        None => "there is nothing to crawl: name at least one seed".to_owned(),
    })
}

/// Seeds as URLs: one without scheme is tried as a host name.
pub(crate) fn parse_seeds(seeds: &[String]) -> (Vec<CanonicalUrl>, Vec<(String, MalformedUrl)>) {
    let mut good = Vec::with_capacity(seeds.len());
    let mut broken = Vec::new();
    for seed in seeds {
        let seed = seed.trim();
        let parsed = CanonicalUrl::resolve(seed, None).or_else(|why| {
            if seed.contains("://") || seed.contains('@') || seed.is_empty() {
                return Err(why);
            }
            CanonicalUrl::resolve(&format!("http://{seed}"), None).map_err(|_| why)
        });
        match parsed {
            Ok(url) => good.push(url),
            Err(why) => broken.push((seed.to_owned(), why)),
        }
    }
    (good, broken)
}

pub(super) async fn admit_seeds(
    shared: &Shared,
    seeds: &[CanonicalUrl],
    goes_on: bool,
) -> Result<(), CrawlError> {
    let mut admitted = 0;
    let mut dropped = 0;
    let mut first_drop = None;
    for some in seeds.chunks(SEEDS_AT_ONCE) {
        let links = some.iter().map(|seed| seed.as_str().to_owned()).collect();
        let decisions = shared.border.admit(None, links).await?;
        for (decision, seed) in decisions.into_iter().zip(some) {
            match decision {
                Decision::Admitted(_) | Decision::Known => admitted += 1,
                Decision::Dropped(why) => {
                    dropped += 1;
                    if dropped <= TOLD_SEEDS {
                        tracing::warn!("seed {seed} is left out: {why}");
                    }
                    (shared.fates).note(seed.as_str(), format!("left out ({why})"));
                    first_drop.get_or_insert((seed.clone(), why));
                }
            }
        }
    }
    tell_more_left_out(dropped);
    match first_drop {
        Some((seed, why)) if admitted == 0 && !goes_on => Err(CrawlError::Seeds(format!(
            "no seed is wanted: {seed} was dropped, {why}"
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_may_be_urls_or_host_names() {
        let seeds = [
            "http://a.example/x#y",
            "b.example",
            "localhost:8080/z",
            "mailto:x@y",
            " ",
        ];
        let (good, broken) = parse_seeds(&seeds.map(str::to_owned));
        let good: Vec<_> = good.iter().map(CanonicalUrl::as_str).collect();
        assert_eq!(
            good,
            [
                "http://a.example/x",
                "http://b.example/",
                "http://localhost:8080/z"
            ]
        );
        assert_eq!(broken.len(), 2);
    }
}
