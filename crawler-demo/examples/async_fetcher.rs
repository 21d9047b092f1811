//! You have an async fetcher of your own: several tasks fetch, and a `LocalFrontier` says what comes next and learns from what came.
//! Run it with `cargo run --release -p nodust-crawler --example async_fetcher -- http://site.example/`; without a seed, it crawls a site
//! of its own on loopback. It reads no robots.txt (`nodust_crawler::robots` does), and asks for nothing again that was answered with 500.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use nodust_crawler::{
    Shutdown,
    extract::{self, Limits},
    politeness::{self, Politeness, is_for_good},
    shutdown_on_signals,
    site::{Site, SiteConfig},
};
use nodust_middleware::{
    Config,
    frontier::{
        FetchFailure, FetchedPage, Frontier, FrontierError, Lease, LocalFrontier, Outcome, RawUrl,
        Turn, Via,
    },
    standard_chain,
};
use reqwest::{Client, header, redirect::Policy};
use tokio::task::{JoinSet, spawn_blocking};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Pages that are fetched at the same time, and how often one is asked for.
const TASKS: usize = 8;
const TRIES: u16 = 3;

/// What all tasks share.
struct Crawl {
    frontier: LocalFrontier,
    gate: Politeness,
    client: Client,
    stop: Shutdown,
}

/// A lease that goes back whatever happens to the task that holds it: not fetched, if nobody said otherwise.
struct Held {
    crawl: Arc<Crawl>,
    lease: Option<Lease>,
}

impl Held {
    fn observe(mut self, outcome: &Outcome<'_>) -> Result<(), FrontierError> {
        let Some(lease) = self.lease.take() else {
            return Ok(());
        };
        // The host is free before its lease is back, since the frontier may offer its next URL from then on.
        self.crawl.gate.returned(lease.url().host());
        self.crawl.frontier.observe(lease, outcome, &mut Vec::new())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(lease) = self.lease.take() {
            self.crawl.gate.returned(lease.url().host());
            // Writes nothing, but waits for whoever does. Here that is at the end of the crawl, or after a panic.
            if let Err(error) = self.crawl.frontier.release(lease) {
                eprintln!("a URL is not offered again before a restart: {error}");
            }
        }
    }
}

/// What came of a request, with all that an [`Outcome`] borrows.
enum Answer {
    Page { status: u16, body: String },
    Moved { status: u16, target: String },
    Failed(FetchFailure),
}

/// Asks the server. Redirects are not followed here: the frontier judges where they lead, as it does any link.
async fn fetch(crawl: &Crawl, lease: &Lease) -> Answer {
    let (url, host) = (lease.url(), lease.url().host());
    // A URL that is always worth another try would be asked for for ever.
    let again = |wait: Duration| (lease.attempt() + 1 < TRIES).then_some(wait);
    let asked = async {
        let sent = crawl.client.get(url.as_url().clone()).send().await;
        crawl.gate.answered(host);
        let answer = sent?;
        let status = answer.status().as_u16();
        let field = |name| answer.headers().get(name).and_then(|it| it.to_str().ok());
        if let Some(wait) = (crawl.gate).refused_by(host, status, field(header::RETRY_AFTER)) {
            return Ok(Answer::Failed(FetchFailure {
                code: "refused",
                detail: format!("status {status}"),
                status: Some(status),
                retry_after: again(wait),
                may_pass: true,
            }));
        }
        crawl.gate.content(host);
        match field(header::LOCATION) {
            Some(target) if answer.status().is_redirection() => {
                return Ok(Answer::Moved {
                    status,
                    target: target.to_owned(),
                });
            }
            _ => {}
        }
        let is_html = field(header::CONTENT_TYPE).is_none_or(|media| media.contains("html"));
        // Yours bounds how much it reads.
        let body = if is_html {
            answer.text().await?
        } else {
            String::new()
        };
        Ok(Answer::Page { status, body })
    };
    asked.await.unwrap_or_else(|error: reqwest::Error| {
        let (code, wait) = if error.is_connect() {
            (
                "connect",
                crawl.gate.refused(host, None, &error.to_string()),
            )
        } else if error.is_timeout() {
            ("timeout", Duration::from_secs(1 << lease.attempt()))
        } else {
            ("broken_off", Duration::from_secs(1 << lease.attempt()))
        };
        Answer::Failed(FetchFailure {
            code,
            detail: error.to_string(),
            status: None,
            retry_after: again(wait),
            may_pass: true,
        })
    })
}

/// Reads the page and hands the lease back. Blocks: links are judged, and what they say is learned and stored.
fn observe(held: Held, answer: &Answer) -> Result<(), FrontierError> {
    let (status, body) = match answer {
        Answer::Page { status, body } => (*status, body),
        Answer::Moved { status, target } => {
            return held.observe(&Outcome::Redirected {
                status: *status,
                target: RawUrl::new(target),
            });
        }
        Answer::Failed(failure) => return held.observe(&Outcome::Failed(failure.clone())),
    };
    let page = extract::html(body, &Limits::default());
    let links: Vec<_> = (page.links.iter())
        .map(|link| RawUrl::new(&link.href).with_nofollow(link.nofollow || page.nofollow))
        .collect();
    held.observe(&Outcome::Fetched(FetchedPage {
        status,
        // Of an error page there is nothing to compare.
        text: (status == 200).then_some(&page.text),
        links: &links,
        base: page.base.as_deref(),
        canonical: page.canonical.as_deref(),
        bytes: body.len() as u64,
        ..FetchedPage::default()
    }))
}

/// One lease, from the request to its observation. A crawl that stops waits for no server, and for what is being stored.
async fn work(held: Held) -> Result<(), Failure> {
    let crawl = Arc::clone(&held.crawl);
    let Some(lease) = &held.lease else {
        return Ok(());
    };
    let answer = tokio::select! {
        answer = fetch(&crawl, lease) => answer,
        () = crawl.stop.cancelled() => {
            crawl.gate.answered(lease.url().host());
            return Ok(());
        }
    };
    if let Answer::Failed(failure) = &answer {
        eprintln!("{}: {}", lease.url(), failure.detail);
    }
    spawn_blocking(move || observe(held, &answer)).await??;
    Ok(())
}

/// Fetches until nothing is left, or the crawl is to stop.
async fn crawl(crawl: &Arc<Crawl>) -> Result<(), Failure> {
    let mut tasks = JoinSet::new();
    while !crawl.stop.is_cancelled() {
        let mut wait = None;
        if tasks.len() < TASKS {
            let here = Arc::clone(crawl);
            match spawn_blocking(move || here.frontier.lease(Instant::now(), &here.gate)).await?? {
                Turn::Fetch(lease) => {
                    let (crawl, lease) = (Arc::clone(crawl), Some(lease));
                    tasks.spawn(work(Held { crawl, lease }));
                    continue;
                }
                // All that is left waits for hosts that the gate gave up.
                Turn::Wait(time) if is_for_good(time) && tasks.is_empty() => break,
                Turn::Wait(time) => wait = Some(time),
                // What is under way may bring links.
                Turn::Idle if !tasks.is_empty() => {}
                Turn::Idle => return Err("a lease was lost".into()),
                Turn::Drained => break,
            }
        }
        tokio::select! {
            Some(done) = tasks.join_next() => done??,
            () = tokio::time::sleep(wait.unwrap_or_default()), if wait.is_some() => {}
            () = crawl.stop.cancelled() => {}
        }
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut limits = politeness::Limits::default();
    let (seed, _site) = if let Some(seed) = std::env::args().nth(1) {
        (seed, None)
    } else {
        let address = ([127, 0, 0, 1], 0).into();
        let site = Site::new(SiteConfig::default()).serve(address).await?;
        (limits.delay, limits.per_host) = (Duration::ZERO, TASKS);
        (site.start_url(), Some(site))
    };
    // For https, whatever provider of cryptography your client is built with.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let start = seed
        .parse()
        .map_err(|why| format!("{seed} is no URL: {why}"))?;
    let chain = standard_chain(&Config::default(), &[start])?;
    let shared = Arc::new(Crawl {
        // In memory; `.store(Arc::new(SledStore::open(folder, &SledOptions::default())?))` keeps it on disk, and goes on there.
        frontier: LocalFrontier::builder(chain).build()?,
        gate: Politeness::new(limits),
        client: Client::builder()
            .user_agent("async-fetcher-example")
            .redirect(Policy::none())
            .timeout(Duration::from_mins(1))
            .build()?,
        stop: shutdown_on_signals(),
    });
    let here = Arc::clone(&shared);
    let seeds = move || {
        let seeds = [RawUrl::new(&seed)];
        here.frontier.admit(&Via::seed(), &seeds, &mut Vec::new())
    };
    spawn_blocking(seeds).await??;
    crawl(&shared).await?;
    let is_stopped = shared.stop.is_cancelled();
    let stats = spawn_blocking(move || {
        shared.frontier.flush()?;
        shared.frontier.stats()
    });
    let stats = stats.await??;
    if is_stopped {
        println!("stopped before its end");
    }
    println!("fetched {}", stats.total.fetched);
    for (code, urls) in &stats.total.failed {
        println!("failed  {urls} by {code}");
    }
    for (stage, saved) in &stats.total.saved_by {
        println!("saved   {saved} by {stage}");
    }
    let failed: u64 = stats.total.failed.values().sum();
    if stats.total.fetched == failed && !is_stopped {
        return Err("not one page came".into());
    }
    Ok(())
}
