//! A crawl of a made-up site: a frontier with static normalization, a server that is a function, and what came of it.

use std::{collections::BTreeSet, sync::Arc, time::Instant};

use nodust_frontier::{
    Candidate, Chain, FetchedPage, Frontier, LocalFrontier, MemoryStore, Middleware, Outcome,
    RawUrl, StageName, Store, Turn, Verdict, Via, frontier::Open,
};
use url::Url;

/// What a server says of a URL.
#[derive(Debug)]
pub(crate) enum Answer {
    Page { content: String, links: Vec<String> },
    To(String),
    Status(u16),
}

/// How a crawl is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// Fetches under way at a time.
    pub(crate) at_once: usize,
    /// Fetches after which the process begins anew.
    pub(crate) restart_every: usize,
}

impl Manner {
    pub(crate) const ALL: [Self; 3] = [
        Self {
            at_once: 1,
            restart_every: usize::MAX,
        },
        Self {
            at_once: 1,
            restart_every: 7,
        },
        Self {
            at_once: 6,
            restart_every: usize::MAX,
        },
    ];
}

/// What came of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Crawl {
    /// All URLs in the order in which they were fetched.
    pub(crate) fetched: Vec<String>,
    pub(crate) contents: BTreeSet<String>,
}

/// Static normalization: `http:` is `https:`, `www.` does not matter, nor does a session.
#[derive(Debug)]
struct Spellings;

impl Middleware for Spellings {
    fn name(&self) -> StageName {
        "normalize"
    }
    fn judge(&self, link: &mut Candidate, _via: &Via<'_>) -> Verdict {
        let url = link.url();
        let host = url.host_str().unwrap_or_default();
        let query: Vec<&str> = url.query().unwrap_or_default().split('&').collect();
        let kept = query.into_iter().filter(|pair| !pair.is_empty());
        let kept: Vec<&str> = kept
            .filter(|pair| !pair.starts_with("PHPSESSID="))
            .collect();
        let mark = if kept.is_empty() { "" } else { "?" };
        let class = format!(
            "https://{}{}{mark}{}",
            host.trim_start_matches("www."),
            url.path(),
            kept.join("&")
        );
        if class != url.as_str() {
            link.set_class(class);
        }
        Verdict::Pass
    }
}

fn open(store: &Arc<MemoryStore>) -> LocalFrontier {
    LocalFrontier::builder(Chain::new().then(Spellings))
        .store(Arc::clone(store) as Arc<dyn Store>)
        .build()
        .unwrap()
}

/// Fetches until nothing is left; `site` plays the server.
pub(crate) fn crawl(seeds: &[&str], site: impl Fn(&Url) -> Answer, manner: Manner) -> Crawl {
    let store: Arc<MemoryStore> = Arc::default();
    let mut frontier = open(&store);
    let seeds: Vec<RawUrl<'_>> = seeds.iter().map(|url| RawUrl::new(url)).collect();
    (frontier.admit(&Via::seed(), &seeds, &mut Vec::new())).unwrap();
    let mut crawl = Crawl::default();
    let mut until_restart = manner.restart_every;
    loop {
        let mut leases = Vec::new();
        while leases.len() < manner.at_once
            && let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open).unwrap()
        {
            leases.push(lease);
        }
        if leases.is_empty() {
            break;
        }
        for lease in leases {
            crawl.fetched.push(lease.url().as_str().to_owned());
            let answer = site(lease.url().as_url());
            let links: Vec<RawUrl<'_>>;
            let outcome = match &answer {
                Answer::Page {
                    content,
                    links: all,
                } => {
                    crawl.contents.insert(content.clone());
                    links = all.iter().map(|link| RawUrl::new(link)).collect();
                    fetched(200, &links)
                }
                Answer::To(target) => Outcome::Redirected {
                    status: 302,
                    target: RawUrl::new(target),
                },
                Answer::Status(status) => fetched(*status, &[]),
            };
            (frontier.observe(lease, &outcome, &mut Vec::new())).unwrap();
            until_restart -= 1;
            if until_restart == 0 {
                frontier = open(&store);
                until_restart = manner.restart_every;
            }
        }
    }
    assert!(frontier.totals().total.is_balanced());
    crawl
}

fn fetched<'p>(status: u16, links: &'p [RawUrl<'p>]) -> Outcome<'p> {
    Outcome::Fetched(FetchedPage {
        status,
        links,
        ..FetchedPage::default()
    })
}
