//! The border between async code and the frontier.
//!
//! Servers are asked on the runtime. Reading a page, judging its links and writing to the store happen on blocking
//! threads, one job per page, as many at a time as there are processors. Without a store on disk, none of this blocks,
//! and a small page is read where it arrives: a change of threads would cost more than it saves. Nothing else in the
//! crawler touches the frontier.

mod answer;
mod line;
mod reading;
mod redirect;

use std::{sync::Arc, time::Instant};

use nodust_frontier::{
    CanonicalUrl, Decision, FetchFailure, Frontier, FrontierError, HostKey, Lease, LocalFrontier,
    Origin, Outcome, RawUrl, Turn, Via,
};
use tokio::sync::Semaphore;

use crate::{
    CrawlError,
    crawl::{forget_sitemaps, keep_left_alone, note_sitemaps},
    extract,
    fetch::Answer,
    politeness::Politeness,
    records::{Decisions, LineFile},
    referers::Referers,
    robots,
};

/// The frontier, as the async world sees it.
#[derive(Clone, Debug)]
pub(crate) struct Border {
    pub(crate) frontier: Arc<LocalFrontier>,
    pub(crate) gate: Arc<Politeness>,
    pub(crate) log: Option<Arc<LineFile>>,
    pub(crate) decisions: Arc<Decisions>,
    /// Kept when there is a log, which alone tells them.
    pub(crate) referers: Option<Arc<Referers>>,
    pub(crate) limits: extract::Limits,
    pub(crate) log_text_chars: usize,
    pub(crate) nofollow: bool,
    /// Whether any page may be fetched twice.
    refetches: bool,
    processors: Arc<Semaphore>,
    /// The store is in memory: the frontier answers without waiting.
    is_immediate: bool,
}

/// Octets of a body that is read where it arrives, when the store is in memory: well below a
/// millisecond's work.
const SMALL_BODY: usize = 64 * 1024;

/// What the frontier has to offer.
#[derive(Debug)]
pub(crate) struct Turns {
    pub(crate) leases: Vec<Lease>,
    /// What came after the last lease; `None` when there may be more.
    pub(crate) then: Option<Turn>,
}

/// What came back for a lease, not yet read.
#[derive(Debug)]
pub(crate) enum Fetched {
    Answer { answer: Answer, again: Again },
    Failed(FetchFailure),
}

/// What came back for it a second time, asked for to learn what is another each time.
#[derive(Debug)]
pub(crate) enum Again {
    NotAsked,
    /// No answer that can be compared with the first.
    Nothing,
    Page(Box<Answer>),
}

/// What a page brought, for the crawl's own counters.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageCounts {
    /// Whether it was there to be read.
    pub(crate) is_page: bool,
    /// Of a page from which the crawl begins (a seed, what a sitemap names) that was there and is no text: the type that its server gives it.
    pub(crate) unread_as: Option<String>,
    /// Of a redirect: its target, and what came of that.
    pub(crate) target: Option<(String, Decision)>,
    pub(crate) nofollow_links: u64,
    pub(crate) links_over_limit: u64,
}

impl Border {
    pub(crate) fn new(
        frontier: Arc<LocalFrontier>,
        gate: Arc<Politeness>,
        log: Option<Arc<LineFile>>,
        decisions: Arc<Decisions>,
        config: &crate::CrawlConfig,
    ) -> Self {
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            frontier,
            gate,
            referers: log.is_some().then(Arc::default),
            log,
            decisions,
            limits: extract::Limits {
                agent: robots::product_token(&config.user_agent).into(),
                max_links: config.max_links,
                ..extract::Limits::default()
            },
            log_text_chars: config.log_text_chars,
            nofollow: config.nofollow && !config.chain.no_filter,
            refetches: config.chain.predict.refetch,
            processors: Arc::new(Semaphore::new(processors)),
            // Learning now and then looks at all pages of a site, which is no small matter.
            is_immediate: config.store.is_none()
                && config.log.is_none()
                && !config.chain.predict.enabled,
        }
    }

    /// Runs a job on a blocking thread, when a processor is free.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Self) -> Result<T, CrawlError> + Send + 'static,
    ) -> Result<T, CrawlError> {
        let permit = Arc::clone(&self.processors).acquire_owned().await;
        self.run_now(move |this| {
            let result = job(this);
            drop(permit);
            result
        })
        .await
    }

    async fn run_now<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Self) -> Result<T, CrawlError> + Send + 'static,
    ) -> Result<T, CrawlError> {
        let this = self.clone();
        let done = tokio::task::spawn_blocking(move || job(&this));
        done.await.unwrap_or_else(|error| {
            Err(CrawlError::Panicked {
                detail: error.to_string(),
            })
        })
    }

    /// Notes that the sitemaps of this page's host are to be read, until they [have been](Self::forget_sitemaps).
    pub(crate) async fn note_sitemaps(&self, page: CanonicalUrl) -> Result<(), CrawlError> {
        self.run(move |this| Ok(note_sitemaps(&**this.frontier.store(), &page)?))
            .await
    }

    /// The sitemaps of this page's host have been read.
    pub(crate) async fn forget_sitemaps(&self, page: CanonicalUrl) -> Result<(), CrawlError> {
        self.run(move |this| Ok(forget_sitemaps(&**this.frontier.store(), &page)?))
            .await
    }

    /// At most `most` leases. They do not queue behind pages that wait for a processor, or servers would
    /// stand idle meanwhile.
    pub(crate) async fn lease(&self, most: usize) -> Result<Turns, CrawlError> {
        let job = move |this: &Self| {
            let mut turns = Turns {
                leases: Vec::new(),
                then: None,
            };
            while turns.leases.len() < most {
                match this.frontier.lease(Instant::now(), &*this.gate)? {
                    Turn::Fetch(lease) => turns.leases.push(lease),
                    other => {
                        turns.then = Some(other);
                        break;
                    }
                }
            }
            Ok(turns)
        };
        if self.is_immediate {
            return job(self);
        }
        self.run_now(job).await
    }

    /// Takes everything back from the ledger, and answers how much that was.
    pub(crate) async fn second_helping(&self) -> Result<u64, CrawlError> {
        self.run_now(|this| Ok(this.frontier.second_helping()?))
            .await
    }

    /// Offers links that come from no lease. Answers how many were admitted, known and dropped, and why
    /// the first was dropped.
    pub(crate) async fn admit(
        &self,
        page: Option<CanonicalUrl>,
        links: Vec<String>,
    ) -> Result<Vec<Decision>, CrawlError> {
        self.run(move |this| {
            let via = match &page {
                Some(page) => Via::page(page).found_by(Origin::Sitemap),
                None => Via::seed(),
            };
            let links: Vec<RawUrl<'_>> = links.iter().map(|link| RawUrl::new(link)).collect();
            let mut out = Vec::with_capacity(links.len());
            this.frontier.admit(&via, &links, &mut out)?;
            if let (Some(referers), Some(page)) = (&this.referers, &page) {
                referers.found(page.as_str(), &out);
            }
            Ok(out)
        })
        .await
    }

    /// Whether a second answer for the URL of a lease would teach anything.
    pub(crate) async fn wants_refetch(&self, lease: &Lease) -> bool {
        if !self.refetches {
            return false;
        }
        let admitted = lease.admitted().clone();
        let asked = self.run_now(move |this| Ok(this.frontier.chain().wants_refetch(&admitted)));
        asked.await.unwrap_or(false)
    }

    /// Reads what came back, writes its line and hands the lease back.
    pub(crate) async fn observe(
        &self,
        lease: Lease,
        fetched: Fetched,
    ) -> Result<PageCounts, CrawlError> {
        let is_small = match &fetched {
            Fetched::Answer { answer, .. } => answer.body.len() <= SMALL_BODY,
            Fetched::Failed(_) => true,
        };
        if self.is_immediate && is_small {
            return self.observe_now(lease, fetched);
        }
        self.run(move |this| this.observe_now(lease, fetched)).await
    }

    /// Makes the store durable. Waits for no processor: pages wait for this.
    pub(crate) async fn sync(&self) -> Result<(), CrawlError> {
        self.run_now(|this| Ok(this.frontier.flush()?)).await
    }

    /// Makes everything so far durable.
    pub(crate) async fn flush(&self) -> Result<(), CrawlError> {
        self.run(|this| {
            // Lines first: after a kill, a line too many is better than one too few.
            for file in this.log.as_deref().into_iter().chain(this.decisions.file()) {
                file.finish().map_err(CrawlError::Records)?;
            }
            // What hosts asked for is to hold for later runs, too.
            keep_left_alone(&this.gate, &**this.frontier.store()).map_err(FrontierError::from)?;
            Ok(this.frontier.flush()?)
        })
        .await
    }

    fn observe_now(&self, lease: Lease, fetched: Fetched) -> Result<PageCounts, CrawlError> {
        let host = lease.url().host().clone();
        match fetched {
            Fetched::Failed(failure) => {
                if failure.retry_after.is_none()
                    && let Some(referers) = &self.referers
                {
                    referers.take(lease.admitted().key);
                }
                let outcome = Outcome::Failed(failure);
                self.hand_back(&host, lease, &outcome)?;
                Ok(PageCounts::default())
            }
            Fetched::Answer { answer, again } => {
                self.observe_answer(&host, lease, (&answer, &again))
            }
        }
    }

    /// The host is free before the lease is: the frontier asks the gate again as soon as it has it.
    fn hand_back(
        &self,
        host: &HostKey,
        lease: Lease,
        outcome: &Outcome<'_>,
    ) -> Result<Vec<Decision>, CrawlError> {
        self.gate.returned(host);
        let mut decisions = Vec::new();
        let page = (self.referers.as_ref()).map(|known| (known, lease.url().as_str().to_owned()));
        let handed: Result<(), FrontierError> =
            self.frontier.observe(lease, outcome, &mut decisions);
        handed?;
        if let Some((referers, page)) = page {
            referers.found(&page, &decisions);
        }
        self.flush_lines()?;
        Ok(decisions)
    }

    fn flush_lines(&self) -> Result<(), CrawlError> {
        for file in self.log.as_deref().into_iter().chain(self.decisions.file()) {
            file.flush().map_err(CrawlError::Records)?;
        }
        Ok(())
    }
}
