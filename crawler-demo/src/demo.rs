//! Shows what the chain saves on a site whose truth is known.
//!
//! The built-in [`site`](crate::site) is crawled twice on loopback: plain (without filters, normalization and anything
//! learned), and through the chain. What the server was asked for tells which contents each crawl reached.

use std::{collections::BTreeSet, fmt, io};

use nodust_middleware::Config;
use serde::Serialize;

use crate::{
    CrawlConfig, CrawlError, Report, Shutdown, run,
    site::{ServerHandle, Site, SiteConfig},
};

/// Requests at the same time.
const CONCURRENCY: usize = 16;

/// A crawl of the built-in site, compared with the truth.
#[derive(Debug, Serialize)]
pub struct Side {
    /// The crawl's own report.
    #[serde(flatten)]
    pub report: Report,
    /// What it reached, by the truth.
    pub contents: Contents,
}

/// What a crawl reached, by the site's own truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Contents {
    /// Different contents on the site that links lead to.
    pub there: usize,
    /// Of these: fetched at least once.
    pub reached: usize,
    /// Of these: never fetched.
    pub lost: usize,
    /// Pages fetched whose content had been fetched before.
    pub duplicates_fetched: usize,
}

/// Both crawls.
#[derive(Debug, Serialize)]
pub struct Demo {
    /// Without filters, normalization, rules and prediction.
    pub plain: Side,
    /// Through the chain as it is configured.
    pub nodust: Side,
}

/// A chain that drops nothing but what is malformed or out of scope.
pub fn plain_settings() -> Config {
    let mut settings = Config {
        no_filter: true,
        no_normalize: true,
        no_rules: true,
        ..Config::default()
    };
    settings.predict.enabled = false;
    settings
}

/// Crawls the site twice, with `settings` the second time.
///
/// # Errors
/// If loopback cannot be listened on, a crawl fails, or `shutdown` comes before both are done.
///
/// # Panics
/// Outside a Tokio runtime.
pub async fn demo(
    site: SiteConfig,
    settings: &Config,
    shutdown: &Shutdown,
) -> Result<Demo, DemoError> {
    let site = Site::new(site);
    let server = site
        .serve(([127, 0, 0, 1], 0).into())
        .await
        .map_err(DemoError::Listen)?;
    Ok(Demo {
        plain: side(&site, &server, &plain_settings(), shutdown).await?,
        nodust: side(&site, &server, settings, shutdown).await?,
    })
}

async fn side(
    site: &Site,
    server: &ServerHandle,
    settings: &Config,
    shutdown: &Shutdown,
) -> Result<Side, DemoError> {
    server.forget_hits();
    let config = CrawlConfig {
        seeds: vec![server.start_url()],
        concurrency: CONCURRENCY,
        per_host: CONCURRENCY,
        delay_ms: 0,
        chain: settings.clone(),
        ..CrawlConfig::default()
    };
    let report = run(config, shutdown.clone()).await?;
    if shutdown.is_cancelled() {
        return Err(DemoError::Stopped);
    }
    let contents = contents(site, server);
    Ok(Side { report, contents })
}

/// Compares what the server was asked for with what there is.
fn contents(site: &Site, server: &ServerHandle) -> Contents {
    let there = site.walk().contents();
    let mut reached = BTreeSet::new();
    let mut fetched = 0;
    for path in server.hits().keys() {
        if let Some(content) = site.truth(&format!("http://{}{path}", server.addr())) {
            fetched += 1;
            reached.insert(content);
        }
    }
    Contents {
        there: there.len(),
        reached: reached.len(),
        lost: there.difference(&reached).count(),
        duplicates_fetched: fetched - reached.len(),
    }
}

/// Why the demonstration failed.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// There is no address to listen on.
    #[error("cannot listen on 127.0.0.1: {0}; the demonstration needs the loopback interface")]
    Listen(#[source] io::Error),
    /// It was told to stop before both crawls were done.
    #[error("stopped before both crawls were done, so there is nothing to compare")]
    Stopped,
    /// A crawl failed.
    #[error(transparent)]
    Crawl(#[from] CrawlError),
}

impl fmt::Display for Demo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut row = |name: &str, plain: &str, nodust: &str| {
            writeln!(f, "{name:<34} {plain:>9} {nodust:>9}")
        };
        let (plain, nodust) = (&self.plain, &self.nodust);
        let mut numbers = |name: &str, plain: u64, nodust: u64| {
            row(name, &plain.to_string(), &nodust.to_string())
        };
        numbers(
            "URLs fetched",
            plain.report.total.fetched,
            nodust.report.total.fetched,
        )?;
        let refetched = [plain, nodust].map(|side| side.report.total.refetched);
        if refetched != [0, 0] {
            numbers("  and once more", refetched[0], refetched[1])?;
        }
        let stages: BTreeSet<_> = (plain.report.total.saved_by.keys())
            .chain(nodust.report.total.saved_by.keys())
            .collect();
        for stage in stages {
            let saved = |side: &Side| {
                side.report
                    .total
                    .saved_by
                    .get(stage)
                    .copied()
                    .unwrap_or_default()
            };
            numbers(&format!("  saved by {stage}"), saved(plain), saved(nodust))?;
        }
        let mut counts =
            |name: &str, plain: usize, nodust: usize| numbers(name, plain as u64, nodust as u64);
        counts(
            "different contents reached",
            plain.contents.reached,
            nodust.contents.reached,
        )?;
        counts("  lost", plain.contents.lost, nodust.contents.lost)?;
        counts(
            "duplicates fetched",
            plain.contents.duplicates_fetched,
            nodust.contents.duplicates_fetched,
        )?;
        let explored = [plain, nodust].map(|side| side.report.total.explored);
        if explored != [0, 0] {
            numbers("believed duplicates explored", explored[0], explored[1])?;
        }
        row(
            "seconds",
            &format!("{:.1}", plain.report.run.seconds),
            &format!("{:.1}", nodust.report.run.seconds),
        )
    }
}
