//! The loop: lease, fetch, extract, observe.
//!
//! One task hands out leases, one task per lease asks the server, and [`admission`](crate::admission)
//! takes the page from there. A task that waits for a host (after its robots.txt, say) takes up no
//! place, so that a slow host never holds up another.

use std::{
    collections::HashSet,
    io,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use nodust_frontier::{
    CanonicalUrl, Chain, Decision, DecisionSink, DropReason, Dropped, Exploration, FetchFailure,
    Fingerprint, FrontierError, HostKey, Lease, LocalFrontier, MalformedUrl, Probability, Store,
    StoreError, Turn,
};
use tokio::{
    sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use crate::{
    CrawlConfig,
    admission::{Border, Fetched},
    config::ConfigError,
    fetch::{Answer, FetchError, Fetcher, Want},
    guard::Guard,
    politeness::{Politeness, retry_after},
    progress::Progress,
    records::{Decisions, LineFile},
    report::{Ending, Report, Run},
    robots::{Answered, Robots},
    sitemap,
};

/// Tells a crawl to stop in order, from anywhere.
pub type Shutdown = CancellationToken;

/// Why a crawl could not go on.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// A switch has no such position.
    #[error("configuration: {0}")]
    Config(#[from] ConfigError),
    /// There is nowhere to begin.
    #[error("{0}")]
    Seeds(String),
    /// The frontier or its store failed.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
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
/// Seeds offered at once.
const SEEDS_AT_ONCE: usize = 1000;
/// Between two flushes of store and files.
const FLUSH_EVERY: Duration = Duration::from_secs(1);

/// What a crawl judges links with, and where it keeps them.
#[derive(Debug)]
pub struct Parts {
    /// The stages.
    pub chain: Chain,
    /// The store; `None` for one in memory.
    pub store: Option<Arc<dyn Store>>,
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
    places: Arc<Semaphore>,
    /// Something changed that the loop may be waiting for.
    pub(crate) wake: Notify,
    pub(crate) stop: CancellationToken,
    ending: OnceLock<Ending>,
    failure: Mutex<Option<CrawlError>>,
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

    fn end(&self, why: Ending) {
        let _ = self.ending.set(why);
        self.stop.cancel();
    }

    fn fail(&self, error: CrawlError) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert(error);
        drop(failure);
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
    let parts = Parts {
        chain: Chain::new(),
        store: None,
    };
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
    let guard = Guard::new(seeds.iter().map(CanonicalUrl::as_url));
    let fetcher = Fetcher::new(config.fetch_limits(), guard)?;

    let (frontier, log, decisions) = open(&config, parts)?;
    let resumed = frontier.totals();
    if seeds.is_empty() && resumed.queued == 0 {
        return Err(CrawlError::Seeds(match broken_seeds.first() {
            Some((seed, why)) => format!("no seed is a URL: {seed:?} is not, because {why}"),
            None => "there is nothing to crawl: name at least one seed".to_owned(),
        }));
    }
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
    let shared = Arc::new(Shared {
        places: Arc::new(Semaphore::new(config.concurrency)),
        budget: config.max_pages.unwrap_or(u64::MAX).into(),
        border,
        politeness,
        fetcher,
        robots,
        decisions,
        wake: Notify::new(),
        stop: shutdown.child_token(),
        ending: OnceLock::new(),
        failure: Mutex::default(),
        leases: 0.into(),
        counters: Counters::default(),
        told: Mutex::default(),
        sitemaps,
        config,
    });
    admit_seeds(&shared, &seeds, resumed.total.offered > 0).await?;
    crawl(&shared, sitemaps_waiting, resumed.total.fetched).await;
    shared.border.flush().await?;
    let failure = shared
        .failure
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let Some(error) = failure {
        return Err(error);
    }
    finish(&shared, &frontier, began)
}

type Opened = (Arc<LocalFrontier>, Option<Arc<LineFile>>, Arc<Decisions>);

/// Opens frontier and files. Files are written on when the store knows of an earlier run.
fn open(config: &CrawlConfig, parts: Parts) -> Result<Opened, CrawlError> {
    let store = parts
        .store
        .unwrap_or_else(|| Arc::new(nodust_frontier::MemoryStore::default()));
    let goes_on = store.seen_len() > 0;
    let file = |path: &Option<std::path::PathBuf>| {
        path.as_deref()
            .map(|path| {
                if goes_on {
                    LineFile::resume(path)
                } else {
                    LineFile::create(path)
                }
                .map_err(|error| {
                    let what = format!("could not open {}: {error}", path.display());
                    CrawlError::Records(io::Error::new(error.kind(), what))
                })
            })
            .transpose()
    };
    let log = file(&config.log)?.map(Arc::new);
    let decisions = Arc::new(Decisions::new(file(&config.decisions)?));
    let share = Probability::new(config.exploration).ok_or(ConfigError {
        field: "exploration",
        problem: "must lie between 0 and 1",
    })?;
    let frontier = LocalFrontier::builder(parts.chain)
        .store(store)
        .exploration(Exploration::new(share, config.seed))
        .max_redirects(config.max_redirects)
        .sink(Arc::clone(&decisions) as Arc<dyn DecisionSink>)
        .build()?;
    Ok((Arc::new(frontier), log, decisions))
}

fn finish(shared: &Shared, frontier: &LocalFrontier, began: Instant) -> Result<Report, CrawlError> {
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
        },
    );
    if let Some(path) = &shared.config.report {
        let file = LineFile::create(path).map_err(|error| {
            let what = format!("could not create {}: {error}", path.display());
            CrawlError::Records(io::Error::new(error.kind(), what))
        })?;
        file.line(&report);
        file.finish().map_err(CrawlError::Records)?;
    }
    Ok(report)
}

/// Seeds as URLs: one without scheme is tried as a host name.
fn parse_seeds(seeds: &[String]) -> (Vec<CanonicalUrl>, Vec<(String, MalformedUrl)>) {
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

async fn admit_seeds(
    shared: &Shared,
    seeds: &[CanonicalUrl],
    goes_on: bool,
) -> Result<(), CrawlError> {
    let mut admitted = 0;
    let mut first_drop = None;
    for some in seeds.chunks(SEEDS_AT_ONCE) {
        let links = some.iter().map(|seed| seed.as_str().to_owned()).collect();
        let decisions = shared.border.admit(None, links).await?;
        for (decision, seed) in decisions.into_iter().zip(some) {
            match decision {
                Decision::Admitted(_) | Decision::Known => admitted += 1,
                Decision::Dropped(why) => {
                    tracing::warn!("seed {seed} is left out: {why}");
                    first_drop.get_or_insert((seed.clone(), why));
                }
            }
        }
    }
    match first_drop {
        Some((seed, why)) if admitted == 0 && !goes_on => Err(CrawlError::Seeds(format!(
            "no seed is wanted: {seed} was dropped, {why}"
        ))),
        _ => Ok(()),
    }
}

/// Hands out leases until there is nothing left, or a reason to stop.
async fn crawl(
    shared: &Arc<Shared>,
    mut sitemaps: mpsc::UnboundedReceiver<(CanonicalUrl, Vec<String>)>,
    fetched_before: u64,
) {
    let mut tasks: JoinSet<()> = JoinSet::new();
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
            () = tokio::time::sleep(wait.min(Duration::from_secs(3600))) => {}
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
        Some(Turn::Wait(time)) => Begun::NoneFor(time),
        Some(Turn::Idle) => Begun::NoneNow,
        Some(Turn::Drained) => Begun::NothingLeft(Ending::Complete),
    })
}

/// What came of a lease.
enum Attempt {
    /// A request was made.
    Made(Fetched),
    /// None was: it is not allowed, or cannot be now.
    NotMade(FetchFailure),
    /// None was, because the crawl stops: the lease is offered again when it goes on.
    Stopped,
}

/// One lease, from its host's robots.txt to its observation.
async fn work(shared: &Arc<Shared>, lease: Lease, place: Option<OwnedSemaphorePermit>) {
    let host = lease.url().host().clone();
    let attempt = attempt(shared, &lease, &host, place).await;
    let fetched = match attempt {
        Attempt::Made(fetched) => fetched,
        Attempt::NotMade(failure) => {
            shared.politeness.unused(&host);
            Fetched::Failed(failure)
        }
        Attempt::Stopped => return,
    };
    let is_over = !matches!(&fetched, Fetched::Failed(failure) if failure.retry_after.is_some() || failure.made_no_request());
    if is_over {
        shared.count(|counters| &counters.pages, 1);
    } else {
        shared.budget.fetch_add(1, Ordering::Relaxed);
    }
    match shared.border.observe(lease, fetched).await {
        Ok(counts) => {
            shared.count(|counters| &counters.nofollow_links, counts.nofollow_links);
            shared.count(
                |counters| &counters.links_over_limit,
                counts.links_over_limit,
            );
        }
        Err(error) => shared.fail(error),
    }
}

async fn attempt(
    shared: &Arc<Shared>,
    lease: &Lease,
    host: &HostKey,
    mut place: Option<OwnedSemaphorePermit>,
) -> Attempt {
    let url = lease.url().as_url();
    if url.as_str().len() > shared.config.max_url_bytes {
        let detail = format!("longer than {} octets", shared.config.max_url_bytes);
        return refuse(shared, lease, "limits", FetchFailure::TOO_LONG, detail);
    }
    if place.is_none() {
        place = Arc::clone(&shared.places).acquire_owned().await.ok();
    }
    if let Err(refusal) = shared.fetcher.guard().check(url).await {
        let detail = refusal.to_string();
        if refusal.code() == FetchFailure::PRIVATE_ADDRESS {
            return refuse(shared, lease, "guard", refusal.code(), detail);
        }
        return Attempt::NotMade(failure(shared, lease, FetchError::from(refusal)));
    }
    if shared.config.robots {
        let lookup = shared.robots.lookup(url).await;
        let rules = match lookup.answered {
            Answered::Rules(rules) => rules,
            Answered::Later(wait) => {
                shared.politeness.refused(host, Some(wait));
                return Attempt::NotMade(FetchFailure {
                    code: FetchFailure::ROBOTS_UNREACHABLE,
                    detail: "its robots.txt is not to be had for now".to_owned(),
                    status: None,
                    retry_after: (lease.attempt() < shared.config.max_retries).then_some(wait),
                });
            }
            Answered::GivenUp => {
                let detail = "its robots.txt was not to be had".to_owned();
                return refuse(
                    shared,
                    lease,
                    "robots",
                    FetchFailure::ROBOTS_UNREACHABLE,
                    detail,
                );
            }
        };
        if let Some(delay) = rules.crawl_delay() {
            shared.politeness.crawl_delay(host, delay);
        }
        if lookup.asked && shared.config.sitemaps && !rules.sitemaps().is_empty() {
            let files = rules.sitemaps().to_vec();
            let _ = shared.sitemaps.send((lease.url().clone(), files));
            shared.wake.notify_one();
        }
        if !rules.allows(url.as_str()) {
            let detail = "its robots.txt disallows it".to_owned();
            return refuse(shared, lease, "robots", FetchFailure::ROBOTS, detail);
        }
        if lookup.asked {
            // That was the host's request for now. Others may use the place meanwhile.
            drop(place.take());
            shared.wake.notify_one();
            tokio::select! {
                () = shared.politeness.turn(host) => {}
                () = shared.stop.cancelled() => return Attempt::Stopped,
            }
            place = Arc::clone(&shared.places).acquire_owned().await.ok();
        }
    }
    let fetched = ask(shared, lease, host).await;
    drop(place);
    Attempt::Made(fetched)
}

/// The request itself.
async fn ask(shared: &Arc<Shared>, lease: &Lease, host: &HostKey) -> Fetched {
    let admitted = lease.admitted();
    let was_told = lock(&shared.told).remove(&admitted.key);
    if !was_told {
        shared.decisions.fetched(admitted, admitted.probe);
    }
    let mut has_answered = false;
    let answer = shared
        .fetcher
        .get(
            lease.url().as_url(),
            Want::Text,
            shared.config.max_body_bytes,
            || {
                has_answered = true;
                shared.politeness.answered(host);
            },
        )
        .await;
    if !has_answered {
        shared.politeness.answered(host);
    }
    let fetched = match answer {
        Ok(answer) => judge_status(shared, lease, host, answer),
        Err(error) => {
            tracing::debug!("{}: {error}", lease.url());
            Fetched::Failed(failure(shared, lease, error))
        }
    };
    if matches!(&fetched, Fetched::Failed(failure) if failure.retry_after.is_some()) {
        lock(&shared.told).insert(admitted.key);
    }
    fetched
}

/// Closes the host when the answer asks for it, and decides whether another try is worth it.
fn judge_status(shared: &Shared, lease: &Lease, host: &HostKey, answer: Answer) -> Fetched {
    let code = match answer.status {
        429 => "http_429",
        500 => "http_500",
        502 => "http_502",
        503 => "http_503",
        504 => "http_504",
        _ => {
            shared.politeness.content(host);
            return Fetched::Answer(answer);
        }
    };
    let mut wait = shared.config.retry_wait(lease.attempt());
    if matches!(answer.status, 429 | 503) {
        let asked = answer
            .retry_after
            .as_deref()
            .and_then(|field| retry_after(field, std::time::SystemTime::now()));
        wait = wait.max(shared.politeness.refused(host, asked));
    }
    if lease.attempt() >= shared.config.max_retries {
        return Fetched::Answer(answer);
    }
    Fetched::Failed(FetchFailure {
        code,
        detail: format!("status {}", answer.status),
        status: Some(answer.status),
        retry_after: Some(wait),
    })
}

fn failure(shared: &Shared, lease: &Lease, error: FetchError) -> FetchFailure {
    let again = error.worth_retrying && lease.attempt() < shared.config.max_retries;
    FetchFailure {
        code: error.code,
        detail: error.detail,
        status: error.status,
        retry_after: again.then(|| shared.config.retry_wait(lease.attempt())),
    }
}

/// A link that will not be asked for: told as a drop.
fn refuse(
    shared: &Shared,
    lease: &Lease,
    stage: &'static str,
    code: &'static str,
    detail: String,
) -> Attempt {
    tracing::debug!("{}: {detail}", lease.url());
    let dropped = Dropped {
        stage,
        reason: DropReason::Other {
            code,
            detail: detail.clone().into(),
        },
    };
    shared
        .decisions
        .dropped(lease.url().as_str(), &dropped, None);
    Attempt::NotMade(FetchFailure {
        code,
        detail,
        status: None,
        retry_after: None,
    })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows how it goes, flushes now and then, and ends the crawl when its time is over.
async fn watch(shared: Arc<Shared>, fetched_before: u64) {
    let mut progress = Progress::begin(fetched_before, shared.config.max_pages);
    let deadline = shared
        .config
        .max_duration_secs
        .map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut flush_at = Instant::now() + FLUSH_EVERY;
    let mut beat = tokio::time::interval(progress.interval());
    loop {
        tokio::select! {
            _ = beat.tick() => {}
            () = shared.stop.cancelled() => {
                progress.end();
                return;
            }
        }
        let now = Instant::now();
        if deadline.is_some_and(|deadline| now >= deadline) {
            shared.end(Ending::MaxDuration);
        }
        let in_flight = shared.config.concurrency - shared.places.available_permits();
        progress.update(&shared.border.frontier.totals(), in_flight);
        if now >= flush_at {
            if let Err(error) = shared.border.flush().await {
                shared.fail(error);
            }
            flush_at = Instant::now() + FLUSH_EVERY;
        }
    }
}

/// A token that Ctrl-C and SIGTERM cancel; the second of them ends the process at once.
///
/// # Panics
/// Outside a Tokio runtime.
pub fn shutdown_on_signals() -> Shutdown {
    let token = Shutdown::new();
    let cancelled = token.clone();
    tokio::spawn(async move {
        signal().await;
        tracing::warn!("stopping: requests under way may end; press Ctrl-C again to end at once");
        cancelled.cancel();
        signal().await;
        std::process::exit(130);
    });
    token
}

#[cfg(unix)]
async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        let _ = tokio::signal::ctrl_c().await;
        return;
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}

#[cfg(not(unix))]
async fn signal() {
    let _ = tokio::signal::ctrl_c().await;
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
