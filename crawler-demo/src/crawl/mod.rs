//! The loop: lease, fetch, extract, observe.
//!
//! One task hands out leases, one task per lease asks the server, and `admission`
//! takes the page from there. A task that waits for a host (after its robots.txt, say) takes up no
//! place, so that a slow host never holds up another.

mod earlier;
mod learn;
mod lease;
mod logged;
mod settings;
mod start;
mod watch;

use std::{
    collections::HashSet,
    io, mem,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use nodust_frontier::{
    CanonicalUrl, Chain, Fingerprint, FrontierError, SledStore, Store, StoreError, Turn,
};
use nodust_middleware::{filter::ScopeKind, standard_chain};
use tokio::{
    sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

pub use watch::shutdown_on_signals;

use crate::{
    CrawlConfig,
    admission::Border,
    config::ConfigError,
    fetch::Fetcher,
    guard::Guard,
    politeness::{Politeness, is_for_good},
    records::{Decisions, OpenError},
    report::{Ending, Report},
    robots::Robots,
    sitemap,
    words::counted,
};
pub(crate) use earlier::known_seeds;
use earlier::{remember_seeds, tell_begun_elsewhere, tell_complete};
use learn::Worker;
use lease::work;
use settings::tell_changed;
pub(crate) use start::parse_seeds;
use start::{Opened, admit_seeds, finish, open};
use watch::watch;

/// Tells a crawl to stop in order, from anywhere.
pub type Shutdown = CancellationToken;

/// Why a crawl could not go on.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// A switch has no such position.
    #[error("configuration: {0}")]
    Config(#[from] ConfigError),
    /// The stages cannot be put together.
    #[error("configuration: {0}")]
    Chain(#[from] nodust_middleware::ConfigError),
    /// There is nowhere to begin.
    #[error("{0}")]
    Seeds(String),
    /// A log or decisions of another crawl, which may be all that is left of days of fetching, would be emptied.
    #[error("{} is there already, and this crawl begins anew", .0.display())]
    WouldOverwrite(std::path::PathBuf),
    /// The frontier or its store failed.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// Log, decisions or report cannot be opened to be written.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Log, decisions or report could not be written.
    #[error("{0}; free the cause and run the same command again")]
    Records(#[source] io::Error),
    /// The HTTP client could not be built.
    #[error("the HTTP client could not be set up: {0}")]
    Client(#[from] reqwest::Error),
    /// A part of the crawler broke: that is a fault of this program.
    #[error(
        "the crawler broke ({detail}); run the same command again to go on, and please report this"
    )]
    Panicked {
        /// What it said.
        detail: String,
    },
}

impl From<StoreError> for CrawlError {
    fn from(error: StoreError) -> Self {
        Self::Frontier(error.into())
    }
}

/// Leases that may be out at the same time, those of hosts that are waited for included.
const MOST_LEASES: usize = 4096;
/// Leases asked for at once.
const LEASES_AT_ONCE: usize = 16;

/// What a crawl judges links with, and where it keeps them.
#[derive(Debug)]
pub struct Parts {
    /// The stages.
    pub chain: Chain,
    /// The store; `None` for one in memory.
    pub store: Option<Arc<dyn Store>>,
}

impl Parts {
    /// The parts that a configuration asks for.
    ///
    /// # Errors
    /// When the stages cannot be put together or the store cannot be opened.
    pub fn of(config: &CrawlConfig) -> Result<Self, CrawlError> {
        let store = match &config.store {
            Some(folder) => {
                let store = SledStore::open(folder, &config.store_options)?;
                Some(Arc::new(store) as Arc<dyn Store>)
            }
            None => None,
        };
        let (mut seeds, broken) = parse_seeds(&config.seeds);
        if let Some(store) = &store {
            seeds.extend(known_seeds(&**store)?);
        }
        let scope = &config.chain.scope;
        if seeds.is_empty() && scope.kind != ScopeKind::Any && scope.hosts.is_empty() {
            return Err(CrawlError::Seeds(match broken.first() {
                Some((seed, why)) => format!("no seed is a URL: {seed:?} is not, because {why}"),
                None => "no seed is known, so that every link would be out of scope: name the \
                         seeds of this crawl, or go anywhere with --scope any"
                    .to_owned(),
            }));
        }
        Ok(Self {
            chain: standard_chain(&config.chain, &seeds)?,
            store,
        })
    }
}

/// Counters of this run.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) pages: AtomicU64,
    pub(crate) sitemap_requests: AtomicU64,
    nofollow_links: AtomicU64,
    links_over_limit: AtomicU64,
}

/// What all tasks of a crawl share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) config: CrawlConfig,
    pub(crate) border: Border,
    pub(crate) politeness: Arc<Politeness>,
    pub(crate) fetcher: Fetcher,
    robots: Robots,
    decisions: Arc<Decisions>,
    pub(crate) places: Arc<Semaphore>,
    /// Places of pages that are observed and not yet durable: a kill now would have them fetched again,
    /// so they still count as under way.
    not_durable: Mutex<Vec<OwnedSemaphorePermit>>,
    /// Something changed that the loop may be waiting for.
    pub(crate) wake: Notify,
    pub(crate) stop: CancellationToken,
    ending: OnceLock<Ending>,
    failure: Mutex<Option<CrawlError>>,
    /// The first URL of this run that was given up, and why.
    first_failure: OnceLock<String>,
    /// Pages of earlier runs that the log lacks, if there is one.
    not_in_log: Option<u64>,
    leases: AtomicUsize,
    /// Pages that may still be begun.
    budget: AtomicU64,
    counters: Counters,
    /// Links whose fetch was told, and which failed since: a further try is told no second time.
    told: Mutex<HashSet<Fingerprint>>,
    /// Sitemaps to read: of this page's site, these files.
    sitemaps: mpsc::UnboundedSender<(CanonicalUrl, Vec<String>)>,
}

impl Shared {
    pub(crate) fn count(&self, counter: impl Fn(&Counters) -> &AtomicU64, by: u64) {
        counter(&self.counters).fetch_add(by, Ordering::Relaxed);
    }

    /// Whether a page may still be begun.
    pub(crate) fn has_budget(&self) -> bool {
        self.budget.load(Ordering::Relaxed) > 0
    }

    /// Whether no page may be begun any more, whatever comes of those under way.
    pub(crate) fn is_used_up(&self) -> bool {
        !self.has_budget() && self.leases.load(Ordering::Relaxed) == 0
    }

    /// Gives the place of an observed page back, once the page is durable. With a store, this keeps what
    /// a kill has fetched again within the requests at the same time.
    async fn observed(&self, place: OwnedSemaphorePermit) -> Result<(), CrawlError> {
        if self.config.store.is_none() {
            return Ok(());
        }
        let durable = {
            let mut places = lock(&self.not_durable);
            places.push(place);
            if places.len() < self.config.concurrency.div_ceil(4) {
                return Ok(());
            }
            std::mem::take(&mut *places)
        };
        self.border.sync().await?;
        drop(durable);
        self.wake.notify_one();
        Ok(())
    }

    /// Makes store and files durable.
    async fn flush(&self) -> Result<(), CrawlError> {
        let durable = std::mem::take(&mut *lock(&self.not_durable));
        self.border.flush().await?;
        drop(durable);
        self.wake.notify_one();
        Ok(())
    }

    fn end(&self, why: Ending) {
        let _ = self.ending.set(why);
        self.stop.cancel();
    }

    fn fail(&self, error: CrawlError) {
        lock(&self.failure).get_or_insert(error);
        self.stop.cancel();
    }
}

/// Crawls with the stages that the configuration asks for.
///
/// # Errors
/// When the crawl could not begin or go on; what was acknowledged until then is kept.
///
/// # Panics
/// Outside a Tokio runtime.
pub async fn run(config: CrawlConfig, shutdown: Shutdown) -> Result<Report, CrawlError> {
    config.validate()?;
    let parts = Parts::of(&config)?;
    run_with(config, parts, shutdown).await
}

/// Crawls with these stages and this store.
///
/// # Errors
/// When the crawl could not begin or go on; what was acknowledged until then is kept.
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
    for (seed, why) in &broken_seeds {
        tracing::warn!("seed {seed:?} is left out: {why}");
    }
    let politeness = Arc::new(Politeness::new(config.politeness_limits()));
    let known = match &parts.store {
        Some(store) => known_seeds(&**store)?,
        None => Vec::new(),
    };
    let guard = Guard::new(seeds.iter().chain(&known).map(CanonicalUrl::as_url));
    let fetcher = Fetcher::new(config.fetch_limits(), guard)?;

    let Opened {
        frontier,
        log,
        decisions,
        not_in_log,
    } = open(&config, parts)?;
    let resumed = frontier.totals();
    if seeds.is_empty() && resumed.queued == 0 && !known.is_empty() {
        tell_complete(&config, &resumed);
    } else if seeds.is_empty() && resumed.queued == 0 {
        return Err(CrawlError::Seeds(match broken_seeds.first() {
            Some((seed, why)) => format!("no seed is a URL: {seed:?} is not, because {why}"),
            None => "there is nothing to crawl: name at least one seed".to_owned(),
        }));
    }
    tell_begun_elsewhere(&config, &**frontier.store(), &known, &seeds)?;
    tell_changed(&config, &**frontier.store())?;
    remember_seeds(&**frontier.store(), &known, &seeds)?;
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
    let learns = config.chain.rules.learn && !config.chain.no_rules;
    let shared = Arc::new(Shared {
        places: Arc::new(Semaphore::new(config.concurrency)),
        budget: config.max_pages.unwrap_or(u64::MAX).into(),
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
        not_in_log,
        leases: 0.into(),
        counters: Counters::default(),
        told: Mutex::default(),
        sitemaps,
        config,
    });
    admit_seeds(&shared, &seeds, resumed.total.offered > 0).await?;
    // Killed before the store has its first commits, a crawl would begin anew, and find its own log in the way.
    shared.border.sync().await?;
    let worker = if learns {
        Some(Worker::start(Arc::clone(&frontier)).map_err(CrawlError::Records)?)
    } else {
        None
    };
    crawl(&shared, sitemaps_waiting, resumed.total.fetched).await;
    if let Some(worker) = worker {
        worker.end().await;
    }
    shared.flush().await?;
    let failure = lock(&shared.failure).take();
    if let Some(error) = failure {
        return Err(error);
    }
    finish(&shared, &frontier, began)
}

/// Hands out leases until there is nothing left, or a reason to stop.
async fn crawl(
    shared: &Arc<Shared>,
    mut sitemaps: mpsc::UnboundedReceiver<(CanonicalUrl, Vec<String>)>,
    fetched_before: u64,
) {
    let mut tasks: JoinSet<()> = JoinSet::new();
    let mut second_helping = shared.config.second_helping;
    let watch = tokio::spawn(watch(Arc::clone(shared), fetched_before));
    while !shared.stop.is_cancelled() {
        while let Some(done) = tasks.try_join_next() {
            note_panic(shared, done);
        }
        while let Ok((page, files)) = sitemaps.try_recv() {
            let shared = Arc::clone(shared);
            tasks.spawn(async move {
                if let Err(error) = sitemap::crawl(&shared, &page, files).await {
                    shared.fail(error);
                }
                shared.wake.notify_one();
            });
        }
        let wait = match begin_some(shared, &mut tasks).await {
            Ok(Begun::Some) => continue,
            Ok(Begun::NoneFor(wait)) => wait,
            Ok(Begun::NothingLeft(Ending::Complete))
                if tasks.is_empty() && sitemaps.is_empty() && mem::take(&mut second_helping) =>
            {
                match shared.border.second_helping().await {
                    Ok(links) => {
                        tracing::info!("{} came back from the ledger", counted(links, "link"));
                    }
                    Err(error) => shared.fail(error),
                }
                continue;
            }
            Ok(Begun::NothingLeft(ending)) if tasks.is_empty() && sitemaps.is_empty() => {
                shared.end(ending);
                break;
            }
            // What runs may bring more.
            Ok(Begun::NothingLeft(_) | Begun::NoneNow) => Duration::MAX,
            Err(error) => {
                shared.fail(error);
                break;
            }
        };
        tokio::select! {
            () = shared.wake.notified() => {}
            () = shared.stop.cancelled() => {}
            Some(done) = tasks.join_next() => note_panic(shared, done),
            () = tokio::time::sleep(wait.min(Duration::from_hours(1))) => {}
        }
    }
    // Told to stop: what is under way may come to its end, for a while.
    let grace = tokio::time::sleep(Duration::from_secs(shared.config.grace_secs));
    tokio::pin!(grace);
    loop {
        tokio::select! {
            done = tasks.join_next() => match done {
                Some(done) => note_panic(shared, done),
                None => break,
            },
            () = &mut grace => {
                // Their leases are offered again when the crawl goes on.
                tasks.shutdown().await;
                break;
            }
        }
    }
    watch.abort();
    // What it holds keeps log and decisions held.
    let _ = watch.await;
}

fn note_panic(shared: &Shared, done: Result<(), tokio::task::JoinError>) {
    if let Err(error) = done
        && error.is_panic()
    {
        shared.fail(CrawlError::Panicked {
            detail: error.to_string(),
        });
    }
}

/// What came of an attempt to begin fetches.
enum Begun {
    /// Some were begun.
    Some,
    /// None can be before this time, unless something comes back.
    NoneFor(Duration),
    /// None can be until something comes back.
    NoneNow,
    /// None will be, unless what is under way brings more.
    NothingLeft(Ending),
}

async fn begin_some(shared: &Arc<Shared>, tasks: &mut JoinSet<()>) -> Result<Begun, CrawlError> {
    let budget = shared.budget.load(Ordering::Relaxed);
    if budget == 0 {
        return Ok(Begun::NothingLeft(Ending::MaxPages));
    }
    let leases = shared.leases.load(Ordering::Relaxed);
    let room = MOST_LEASES
        .saturating_sub(leases)
        .min(shared.places.available_permits())
        .min(LEASES_AT_ONCE)
        .min(usize::try_from(budget).unwrap_or(usize::MAX));
    if room == 0 {
        return Ok(Begun::NoneNow);
    }
    let turns = shared.border.lease(room).await?;
    let some = !turns.leases.is_empty();
    for lease in turns.leases {
        shared.budget.fetch_sub(1, Ordering::Relaxed);
        shared.leases.fetch_add(1, Ordering::Relaxed);
        // A place that was free is taken by nobody but tasks that come back from a wait, which may
        // make this one wait in turn.
        let place = Arc::clone(&shared.places).try_acquire_owned().ok();
        let shared = Arc::clone(shared);
        tasks.spawn(async move {
            work(&shared, lease, place).await;
            shared.leases.fetch_sub(1, Ordering::Relaxed);
            shared.wake.notify_one();
        });
    }
    Ok(match turns.then {
        _ if some => Begun::Some,
        None | Some(Turn::Fetch(_)) => Begun::Some,
        Some(Turn::Wait(time)) if is_for_good(time) => Begun::NothingLeft(Ending::HostsGivenUp),
        Some(Turn::Wait(time)) => Begun::NoneFor(time),
        Some(Turn::Idle) => Begun::NoneNow,
        Some(Turn::Drained) => Begun::NothingLeft(Ending::Complete),
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
