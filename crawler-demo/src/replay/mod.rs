//! Replays a recorded crawl: what would nodust have fetched of it?
//!
//! The same chain, frontier and predictor run over a log instead of the network, on one thread and without a clock, so
//! that equal logs and seeds give equal decisions.
//!
//! - **Graph mode**, if lines have `links`: begins at the first URL of each log, and at those of depth 0 that nothing
//!   led to (further seeds), and follows recorded links and redirects. Links that are also in the `nofollow` of their
//!   line are not followed. A URL that the log lacks counts as a failed fetch (`missing`) and reveals nothing.
//! - **Log mode**, if they have none: each line's URL is offered in order, as a link of its site's root, and fetched at
//!   once if it is wanted.
//!
//! ```
//! use nodust_crawler::replay::{Limits, Log, Record, replay};
//! use nodust_frontier::{Chain, LocalFrontier};
//!
//! let mut log = Log::default();
//! for url in ["http://a.example/", "http://a.example/b", "http://a.example/#top"] {
//!     log.push(Record { url: url.into(), text: Some("words".into()), ..Record::default() });
//! }
//! let frontier = LocalFrontier::builder(Chain::new()).build()?;
//! replay(&frontier, &log, None, &Limits::default())?;
//! assert_eq!(frontier.totals().total.fetched, 2);
//! # Ok::<(), nodust_frontier::FrontierError>(())
//! ```

mod log;

use std::time::{Duration, Instant};

use nodust_frontier::{
    CanonicalUrl, Decision, DecisionSink, FetchFailure, FetchedPage, Frontier as _, FrontierError,
    Lease, LocalFrontier, Outcome, RawUrl, Turn, Via, frontier::Open,
};
use rustc_hash::FxHashSet;

pub use log::{Log, Record};

use crate::report::Ending;

/// The name under which URLs that the log lacks are counted.
pub const MISSING: &str = "missing";

/// URLs that the log lacks of which each is named.
const NAMED: usize = 3;

/// How far a replay may go.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Most pages to fetch.
    pub max_pages: Option<u64>,
    /// Most time it may take.
    pub max_duration: Option<Duration>,
    /// Fetch at the end what still waits in the ledger.
    pub second_helping: bool,
    /// Go line by line, even if the lines have links.
    pub ignore_links: bool,
    /// Do not follow links that ask not to be followed, as in a crawl.
    pub nofollow: bool,
}

/// What a replay did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// Why it ended.
    pub ending: Ending,
    /// Pages fetched from the log.
    pub pages: u64,
    /// Time it took.
    pub took: Duration,
    /// The first few URLs that the log lacks.
    pub missing: Vec<String>,
}

/// Runs a frontier over a log. If the sink cannot keep the decisions, the replay ends as [`Ending::Failed`]: the sink knows
/// why.
///
/// # Errors
/// If the frontier's store fails.
pub fn replay(
    frontier: &LocalFrontier,
    log: &Log,
    sink: Option<&dyn DecisionSink>,
    limits: &Limits,
) -> Result<Replayed, FrontierError> {
    let mut replay = Replay {
        frontier,
        log,
        sink,
        limits,
        began: Instant::now(),
        pages: 0,
        missing: Vec::new(),
        decisions: Vec::new(),
    };
    let ending = match replay.run() {
        Err(FrontierError::Sink(_)) => Ending::Failed,
        ended => ended?,
    };
    Ok(Replayed {
        ending,
        pages: replay.pages,
        took: replay.began.elapsed(),
        missing: replay.missing,
    })
}

struct Replay<'a> {
    frontier: &'a LocalFrontier,
    log: &'a Log,
    sink: Option<&'a dyn DecisionSink>,
    limits: &'a Limits,
    began: Instant,
    pages: u64,
    missing: Vec<String>,
    decisions: Vec<Decision>,
}

impl Replay<'_> {
    fn run(&mut self) -> Result<Ending, FrontierError> {
        let is_graph = self.log.is_graph() && !self.limits.ignore_links;
        let mut ending = if is_graph {
            let starts = self.log.starts();
            let links: Vec<_> = starts.iter().map(|url| RawUrl::new(url)).collect();
            self.admit(&Via::seed(), &links)?;
            self.drain()?
        } else {
            self.line_by_line()?
        };
        if ending == Ending::Complete && self.limits.second_helping {
            // What comes back can bring new links, and those new entries of the ledger.
            while ending == Ending::Complete && self.frontier.second_helping()? > 0 {
                ending = self.drain()?;
            }
        }
        self.frontier.flush()?;
        Ok(ending)
    }

    fn line_by_line(&mut self) -> Result<Ending, FrontierError> {
        let log = self.log;
        let mut root: Option<CanonicalUrl> = None;
        for record in log.records() {
            let Ok(url) = record.url.parse::<CanonicalUrl>() else {
                continue;
            };
            if root.as_ref().is_none_or(|root| root.host() != url.host()) {
                root = CanonicalUrl::resolve("/", Some(url.as_url())).ok();
            }
            let via = root.as_ref().map_or(Via::seed(), Via::page);
            self.admit(&via, &[RawUrl::new(&record.url)])?;
            match self.drain()? {
                Ending::Complete => {}
                early => return Ok(early),
            }
        }
        Ok(Ending::Complete)
    }

    fn admit(&mut self, via: &Via<'_>, links: &[RawUrl<'_>]) -> Result<(), FrontierError> {
        self.decisions.clear();
        self.frontier.admit(via, links, &mut self.decisions)
    }

    /// Fetches all that waits.
    fn drain(&mut self) -> Result<Ending, FrontierError> {
        loop {
            if self.limits.max_pages.is_some_and(|most| self.pages >= most) {
                return Ok(Ending::MaxPages);
            }
            let now = Instant::now();
            if self
                .limits
                .max_duration
                .is_some_and(|most| now - self.began >= most)
            {
                return Ok(Ending::MaxDuration);
            }
            match self.frontier.lease(now, &Open)? {
                Turn::Fetch(lease) => self.fetch(lease)?,
                // The gate is open and nothing is tried again: a host was woken after `now`.
                Turn::Wait(_) => {}
                Turn::Idle | Turn::Drained => return Ok(Ending::Complete),
            }
        }
    }

    fn fetch(&mut self, lease: Lease) -> Result<(), FrontierError> {
        self.pages += 1;
        if let Some(sink) = self.sink {
            sink.fetched(lease.admitted(), lease.admitted().probe);
        }
        let record = self.log.get(lease.url());
        if record.is_none() && self.missing.len() < NAMED {
            self.missing.push(lease.url().to_string());
        }
        let links: Vec<RawUrl<'_>> = match record {
            Some(record) if !self.limits.ignore_links => {
                let unwanted: FxHashSet<&str> = (record.nofollow.iter())
                    .filter(|_| self.limits.nofollow)
                    .map(String::as_str)
                    .collect();
                (record.links.iter().flatten())
                    .map(|link| RawUrl::new(link).with_nofollow(unwanted.contains(link.as_str())))
                    .collect()
            }
            _ => Vec::new(),
        };
        // A page that refreshes to another has links of its own, and a crawl follows both.
        if let Some(record) = record
            && let Some(target) = record.redirect()
            && (200..300).contains(&record.status())
        {
            let others: Vec<_> = (links.iter().copied())
                .filter(|link| link.as_str() != target)
                .collect();
            let via = Via::page(lease.url()).at_depth(lease.admitted().depth);
            self.decisions.clear();
            self.frontier.admit(&via, &others, &mut self.decisions)?;
        }
        let outcome = match record {
            None => Outcome::Failed(FetchFailure {
                code: MISSING,
                detail: "the log does not have it".to_owned(),
                status: None,
                retry_after: None,
                may_pass: false,
            }),
            Some(record) => match record.redirect() {
                Some(target) => Outcome::Redirected {
                    status: record.status(),
                    target: RawUrl::new(target),
                },
                None => Outcome::Fetched(FetchedPage {
                    status: record.status(),
                    text: record.readable_text(),
                    refetched: record.readable_refetched(),
                    is_plain: record.is_plain(),
                    links: &links,
                    base: None,
                    canonical: record.canonical.as_deref(),
                    bytes: record.bytes.unwrap_or_default(),
                }),
            },
        };
        self.decisions.clear();
        self.frontier.observe(lease, &outcome, &mut self.decisions)
    }
}

#[cfg(test)]
mod tests {
    use nodust_frontier::Chain;

    use super::*;

    fn page(url: &str, links: &[&str]) -> Record {
        Record {
            url: url.into(),
            text: Some(format!("text of {url}")),
            links: Some(links.iter().map(|&link| link.to_owned()).collect()),
            ..Record::default()
        }
    }

    fn run(log: &Log, limits: &Limits) -> (Replayed, nodust_frontier::stats::Counts) {
        let frontier = LocalFrontier::builder(Chain::new()).build().unwrap();
        let done = replay(&frontier, log, None, limits).unwrap();
        let counts = frontier.totals().total;
        assert!(counts.is_balanced());
        (done, counts)
    }

    #[test]
    fn links_and_redirects_are_followed_and_what_the_log_lacks_is_missing() {
        let mut log = Log::default();
        log.push(page(
            "http://a.example/",
            &["/x", "/gone#top", "http://a.example/%7Eu"],
        ));
        log.push(Record {
            redirect_to: Some("/y".into()),
            status: Some(301),
            ..page("http://a.example/x", &["/never"])
        });
        log.push(page("http://a.example/y", &["/"]));
        log.push(page("http://a.example/~u", &[]));
        log.push(page("http://a.example/unlinked", &[]));
        let (done, counts) = run(&log, &Limits::default());
        assert_eq!(done.ending, Ending::Complete);
        assert_eq!((done.pages, counts.fetched, counts.redirected), (5, 5, 1));
        assert_eq!(counts.failed[MISSING], 1);
        assert_eq!(done.missing, ["http://a.example/gone"]);
    }

    #[test]
    fn the_links_of_a_page_that_refreshes_are_followed_too() {
        let mut log = Log::default();
        log.push(Record {
            redirect_to: Some("http://a.example/new".into()),
            ..page("http://a.example/", &["/other", "http://a.example/new"])
        });
        log.push(page("http://a.example/new", &[]));
        log.push(page("http://a.example/other", &[]));
        let (_, counts) = run(&log, &Limits::default());
        assert_eq!((counts.fetched, counts.redirected), (3, 1));
    }

    #[test]
    fn without_links_each_line_is_offered_once_in_order() {
        let mut log = Log::default();
        for url in [
            "http://a.example/1",
            "http://a.example/2",
            "http://a.example/1#x",
        ] {
            log.push(Record {
                links: None,
                ..page(url, &[])
            });
        }
        let (done, counts) = run(&log, &Limits::default());
        assert_eq!(done.pages, 2);
        assert_eq!((counts.offered, counts.known), (3, 1));
    }

    #[test]
    fn it_stops_where_it_is_told_to() {
        let mut log = Log::default();
        log.push(page("http://a.example/", &["/1", "/2", "/3"]));
        let limits = Limits {
            max_pages: Some(2),
            ..Limits::default()
        };
        let (done, counts) = run(&log, &limits);
        assert_eq!(done.ending, Ending::MaxPages);
        assert_eq!(counts.fetched, 2);
    }

    #[test]
    fn a_recorded_crawl_begins_at_all_its_seeds_and_not_where_they_redirect_to() {
        let mut log = Log::default();
        let at = |depth: u64, referer: Option<&str>, record: Record| Record {
            depth: Some(depth),
            referer: referer.map(str::to_owned),
            ..record
        };
        log.push(at(0, None, page("http://a.example/", &["/1"])));
        log.push(at(
            1,
            Some("http://a.example/"),
            page("http://a.example/1", &[]),
        ));
        log.push(Record {
            redirect_to: Some("http://b.example/new".into()),
            ..at(0, None, page("http://b.example/", &[]))
        });
        log.push(at(0, None, page("http://b.example/new", &[])));
        let map = Some("http://a.example/sitemap.xml");
        log.push(at(0, map, page("http://a.example/listed", &[])));
        assert_eq!(log.starts(), ["http://a.example/", "http://b.example/"]);
        let (_, counts) = run(&log, &Limits::default());
        assert_eq!(counts.fetched, 4);
    }

    #[test]
    fn a_file_of_decisions_is_no_log() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("d.jsonl");
        let line = r#"{"url": "http://a.example/", "decision": "fetch", "stage": null}"#;
        std::fs::write(&file, line).unwrap();
        let told = Log::read(&[&file]).unwrap_err().to_string();
        assert!(
            told.contains("looks like a file of decisions") && told.contains("--log"),
            "{told}"
        );
        let page = r#"{"url": "http://a.example/", "text": "a \"decision\" is made"}"#;
        std::fs::write(&file, page).unwrap();
        assert_eq!(Log::read(&[&file]).unwrap().records().len(), 1);
    }

    #[test]
    fn lines_that_are_no_records_are_counted_and_a_file_of_none_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let good = folder.path().join("good.jsonl");
        std::fs::write(&good, "{\"url\": \"http://a.example/\", \"text\": \"x\"}\nnonsense\n\n{\"url\": \"mailto:x\"}\n").unwrap();
        let log = Log::read(&[&good]).unwrap();
        assert_eq!((log.records().len(), log.skipped()), (1, 2));
        let bad = folder.path().join("bad.jsonl");
        std::fs::write(&bad, "nonsense\n").unwrap();
        let told = Log::read(&[&bad]).unwrap_err().to_string();
        assert!(told.contains("bad.jsonl"), "{told}");
    }
}
