//! The crawl, from its seeds to its report.
//!
//! Lease, fetch, extract, observe: one task hands out leases (`dispatch`), one task per lease asks the server (`lease`), and `admission`
//! takes the page from there. A task that waits for a host (after its robots.txt, say, or for an answer that does not begin) occupies no
//! place (`places`), so that a slow host never holds up another.

mod dispatch;
mod earlier;
mod error;
mod fates;
mod in_order;
mod learn;
mod lease;
mod left_alone;
mod logged;
mod permission;
mod places;
mod settings;
mod shared;
mod start;
mod unread;
mod watch;

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, OnceLock},
    time::{Instant, SystemTime},
};

use nodust_frontier::{CanonicalUrl, Chain, LocalFrontier, SledStore, Store};
use nodust_middleware::{filter::ScopeKind, predict::Refetch, standard_chain};
use tokio::sync::{Notify, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

pub use error::CrawlError;
pub use watch::shutdown_on_signals;

use crate::{
    CrawlConfig,
    admission::Border,
    fetch::Fetcher,
    guard::{Guard, Resolver},
    politeness::Politeness,
    purpose::Purpose,
    report::{Ending, Report},
    robots::Robots,
};
use dispatch::crawl;
use earlier::{ask_again, remember_seeds, sitemaps_left, tell_begun_elsewhere, tell_complete};
pub(crate) use earlier::{known_seeds, way_on};
use fates::Fates;
use in_order::InOrder;
use learn::Worker;
pub(crate) use left_alone::keep as keep_left_alone;
pub(crate) use places::Place;
pub(crate) use settings::{differences, of_last_run, tell_changed};
use shared::lock;
pub(crate) use shared::{Counters, Shared};
use start::{
    Opened, admit_seeds, check_empties_nothing, finish, nothing_to_do, open, write_report,
};
pub(crate) use start::{TOLD_SEEDS, lines, no_seed, parse_seeds, tell_more_left_out};
pub(crate) use unread::{Unread, forget as forget_sitemaps, note as note_sitemaps};

/// Tells a crawl to stop in order, from anywhere.
pub type Shutdown = CancellationToken;

/// The parts of a crawl: what judges links, what keeps them, and what finds hosts.
#[derive(Debug)]
pub struct Parts {
    /// The stages.
    pub chain: Chain,
    /// The store; `None` for one in memory.
    pub store: Option<Arc<dyn Store>>,
    /// Where the names of hosts are looked up.
    pub resolver: Resolver,
}

impl Parts {
    /// The parts that a configuration asks for.
    ///
    /// # Errors
    /// If the stages cannot be put together or the store cannot be opened.
    pub fn of(config: &CrawlConfig) -> Result<Self, CrawlError> {
        let open = |folder: &PathBuf| -> Result<_, CrawlError> {
            let store = SledStore::open(folder, &config.store_options)?;
            Ok(Arc::new(store) as Arc<dyn Store>)
        };
        let folder = config.store.as_ref();
        let known_store = (folder.filter(|folder| SledStore::is_in(folder)))
            .map(open)
            .transpose()?;
        let (mut seeds, broken) = parse_seeds(&config.seeds);
        if let Some(store) = &known_store {
            Purpose::Crawl.check(&**store, folder.map(PathBuf::as_path))??;
            seeds.extend(known_seeds(&**store)?);
        }
        let scope = &config.chain.scope;
        if seeds.is_empty() && scope.kind != ScopeKind::Any && scope.hosts.is_empty() {
            return Err(CrawlError::Seeds(match broken.first() {
                Some((seed, why)) => format!("no seed can be used: {}", no_seed(seed, *why)),
                None => "no seed is known, so that every link would be out of scope: name the \
                         seeds of this crawl, or go anywhere with --scope any"
                    .to_owned(),
            }));
        }
        let mut chain = standard_chain(&config.chain, &seeds)?;
        if config.log.is_some() && !config.chain.predict.enabled && config.chain.predict.refetch {
            chain = chain.then(Refetch::default());
        }
        // Where the call makes no sense, no folder is left behind.
        let store = match known_store {
            None => folder.map(open).transpose()?,
            known => known,
        };
        Ok(Self {
            chain,
            store,
            resolver: Resolver::default(),
        })
    }
}

/// Crawls with the stages that the configuration asks for.
///
/// # Errors
/// If the crawl could not begin or go on; what was acknowledged until then is kept.
///
/// # Panics
/// Outside a Tokio runtime.
pub async fn run(config: CrawlConfig, shutdown: Shutdown) -> Result<Report, CrawlError> {
    config.validate()?;
    if !config.store.as_ref().is_some_and(SledStore::is_in) {
        check_empties_nothing(&config)?;
    }
    let parts = Parts::of(&config)?;
    run_with(config, parts, shutdown).await
}

/// Crawls with these stages and this store.
///
/// # Errors
/// If the crawl could not begin or go on; what was acknowledged until then is kept.
///
/// # Panics
/// Outside a Tokio runtime.
pub async fn run_with(
    config: CrawlConfig,
    parts: Parts,
    shutdown: Shutdown,
) -> Result<Report, CrawlError> {
    config.validate()?;
    let began = Instant::now();
    let (seeds, broken_seeds) = parse_seeds(&config.seeds);
    for (seed, why) in broken_seeds.iter().take(TOLD_SEEDS) {
        tracing::warn!("{}; left out", no_seed(seed, *why));
    }
    tell_more_left_out(broken_seeds.len());
    let politeness = Arc::new(Politeness::new(config.politeness_limits()));
    let known = match &parts.store {
        Some(store) => {
            Purpose::Crawl.check(&**store, config.store.as_deref())??;
            known_seeds(&**store)?
        }
        None => Vec::new(),
    };
    let guard = Guard::new(seeds.iter().chain(&known).map(CanonicalUrl::as_url))
        .with_resolver(parts.resolver.clone());
    let fetcher = Fetcher::new(config.fetch_limits(), guard)?;

    let Opened {
        frontier,
        log,
        decisions,
        not_in_log,
    } = open(&config, parts)?;
    ask_again(&config, &frontier)?;
    let resumed = frontier.totals();
    let sitemaps_left = sitemaps_left(&config, &**frontier.store())?;
    if seeds.is_empty() && resumed.queued == 0 && sitemaps_left.is_empty() {
        if known.is_empty() {
            return Err(nothing_to_do(&broken_seeds));
        }
        tell_complete(&config, &resumed);
    }
    Purpose::Crawl.note(&**frontier.store())?;
    tell_begun_elsewhere(&config, &**frontier.store(), &known, &seeds)?;
    tell_changed(&config, &**frontier.store())?;
    remember_seeds(&**frontier.store(), &known, &seeds)?;
    let left_alone = left_alone::heed(&politeness, &**frontier.store(), SystemTime::now())?;
    let robots = Robots::new(
        &config.user_agent,
        fetcher.clone(),
        Arc::clone(&politeness),
        config.patience(),
    );
    let border = Border::new(
        Arc::clone(&frontier),
        Arc::clone(&politeness),
        log,
        Arc::clone(&decisions),
        &config,
    );
    let (sitemaps, sitemaps_waiting) = mpsc::unbounded_channel();
    for unread in sitemaps_left {
        let _ = sitemaps.send(unread);
    }
    let learns = config.chain.rules.learn && !config.chain.no_rules;
    let shared = Arc::new(Shared {
        places: Arc::new(Semaphore::new(config.concurrency)),
        long_waits: Arc::new(Semaphore::new(places::MOST_WAITS)),
        in_order: teaches_in_order(&config).then(InOrder::default),
        budget: config.max_pages.unwrap_or(u64::MAX).into(),
        free_tries: config.max_pages.unwrap_or(u64::MAX).into(),
        border,
        politeness,
        fetcher,
        robots,
        decisions,
        not_durable: Mutex::default(),
        wake: Notify::new(),
        stop: shutdown.child_token(),
        ending: OnceLock::new(),
        failure: Mutex::default(),
        first_failure: OnceLock::new(),
        fates: Fates::default(),
        not_in_log,
        leases: 0.into(),
        counters: Counters::default(),
        told: Mutex::default(),
        sitemaps,
        config,
    });
    for (host, wait) in left_alone {
        let why = format!("it asked an earlier run to be left alone, and still is for {wait:.0?}");
        shared.fates.note(host.as_str(), why);
    }
    admit_seeds(&shared, &seeds, resumed.total.offered > 0).await?;
    // Killed before the store has its first commits, a crawl would begin anew, and find its own log in the way.
    shared.border.sync().await?;
    let worker = if learns {
        Some(Worker::start(Arc::clone(&frontier)).map_err(CrawlError::Records)?)
    } else {
        None
    };
    crawl(&shared, sitemaps_waiting).await;
    if let Some(worker) = worker {
        worker.end().await;
    }
    end(&shared, &frontier, began).await
}

/// Whether it matters which of two pages of a host comes first, and it is not as it is.
const fn teaches_in_order(config: &CrawlConfig) -> bool {
    let rules = &config.chain.rules;
    let learns = config.chain.predict.enabled || (rules.learn && !config.chain.no_rules);
    config.per_host > 1 && learns
}

/// Makes all durable and puts the report together; where a file of lines cannot be written, too.
async fn end(
    shared: &Arc<Shared>,
    frontier: &LocalFrontier,
    began: Instant,
) -> Result<Report, CrawlError> {
    let flushed = shared.flush().await;
    let failure = lock(&shared.failure).take().or(flushed.err());
    let lines = match failure {
        None => Ok(()),
        Some(CrawlError::Records(source)) => Err(source),
        Some(other) => return Err(other),
    };
    let mut report = finish(shared, frontier, began)?;
    if lines.is_err() {
        report.ending = Ending::Failed;
    }
    match lines.and(write_report(shared.config.report.as_deref(), &report)) {
        Ok(()) => Ok(report),
        Err(source) => Err(CrawlError::Unwritten {
            report: Box::new(report),
            source,
        }),
    }
}
