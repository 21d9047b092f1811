//! Do leases, failures, links that wait for pages and beliefs add up where several threads crawl?

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop with the error"
)]

use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use nodust_frontier::{
    BeliefId, Candidate, CanonicalUrl, Chain, DropReason, Effects, Exploration, FetchFailure,
    FetchedPage, Frontier as _, HostKey, LocalFrontier, Middleware, Observation, Open, Outcome,
    Phase, Prediction, Probability, RawUrl, StageName, Turn, Verdict, Via,
};

/// Pages of a host, each with a copy that is told by its name (`/p1!copy`), and as many that are told after a while (`/copy1`).
const PAGES: usize = 60;

/// Pages after which it takes some for copies.
const LEARNED: u64 = 20;

/// Learns that pages called so are copies, and which page a URL brings.
#[derive(Debug, Default)]
struct Learns {
    pages: AtomicU64,
}

impl Middleware for Learns {
    fn name(&self) -> StageName {
        "learns"
    }
    fn phase(&self) -> Phase {
        Phase::AfterSeen
    }
    fn generation(&self, _host: &HostKey) -> u64 {
        self.pages.load(Ordering::SeqCst)
    }
    fn judge(&self, link: &mut Candidate, _via: &Via<'_>) -> Verdict {
        let has_learned = self.pages.load(Ordering::SeqCst) > LEARNED;
        match Probability::new(0.9) {
            Some(probability) if has_learned && link.url().path().starts_with("/copy") => {
                let belief = BeliefId::of("h.example", "copies");
                Verdict::Drop(DropReason::PredictedDuplicate(Prediction {
                    belief,
                    probability,
                }))
            }
            _ => Verdict::Pass,
        }
    }
    fn page_name(&self, url: &CanonicalUrl) -> Option<u64> {
        let page = url.as_str().split('!').next()?;
        Some(page.bytes().fold(7, |name, octet| {
            u64::from(octet)
                .wrapping_add(name)
                .wrapping_mul(0x9E37_79B9)
        }))
    }
    fn observe(&self, _seen: &Observation<'_>, _effects: &mut Effects) {
        self.pages.fetch_add(1, Ordering::SeqCst);
    }
}

/// A lot for each occasion.
struct Lots(u64);

impl Lots {
    fn draw(&mut self, of: u64) -> u64 {
        self.0 = (self.0)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % of
    }
}

/// What threads have done.
#[derive(Default)]
struct Done {
    out: HashSet<String>,
    fetched: Vec<String>,
}

/// Crawls until nothing is left. Some leases are given back, and some fetches fail at first.
fn crawl(frontier: &LocalFrontier, done: &Mutex<Done>, mut lots: Lots) {
    loop {
        let lease = match frontier.lease(Instant::now(), &Open).unwrap() {
            Turn::Fetch(lease) => lease,
            Turn::Drained => return,
            Turn::Idle => {
                std::thread::yield_now();
                continue;
            }
            Turn::Wait(time) => {
                std::thread::sleep(time.min(Duration::from_millis(1)));
                continue;
            }
        };
        let url = lease.url().to_string();
        let is_out_once = done.lock().unwrap().out.insert(url.clone());
        assert!(is_out_once, "{url} is leased twice at a time");
        if lots.draw(8) == 0 {
            std::thread::yield_now();
        }
        done.lock().unwrap().out.remove(&url);
        match lots.draw(10) {
            0..3 => frontier.release(lease).unwrap(),
            3 if lease.attempt() < 3 => {
                let failure = FetchFailure {
                    code: "timeout",
                    detail: String::new(),
                    status: None,
                    retry_after: Some(Duration::ZERO),
                    may_pass: true,
                };
                let failed = Outcome::Failed(failure);
                frontier.observe(lease, &failed, &mut Vec::new()).unwrap();
            }
            _ => {
                done.lock().unwrap().fetched.push(url);
                let texts: Vec<String> = match lease.url().as_url().path() {
                    "/" => (0..PAGES)
                        .flat_map(|n| {
                            [format!("/p{n}"), format!("/p{n}!copy"), format!("/copy{n}")]
                        })
                        .collect(),
                    _ => vec!["/".to_owned()],
                };
                let links: Vec<RawUrl<'_>> = texts.iter().map(|text| RawUrl::new(text)).collect();
                let page = Outcome::Fetched(FetchedPage {
                    status: 200,
                    links: &links,
                    ..FetchedPage::default()
                });
                frontier.observe(lease, &page, &mut Vec::new()).unwrap();
            }
        }
    }
}

#[test]
fn nothing_is_left_or_fetched_twice_where_four_threads_crawl() {
    for round in 0..120 {
        let share = Probability::new(0.5).unwrap();
        let frontier = LocalFrontier::builder(Chain::new().then(Arc::new(Learns::default())))
            .exploration(Exploration::new(share, round))
            .build()
            .unwrap();
        let seeds = ["http://h.example/", "http://i.example/"].map(RawUrl::new);
        frontier
            .admit(&Via::seed(), &seeds, &mut Vec::new())
            .unwrap();
        let done = Mutex::new(Done::default());
        std::thread::scope(|threads| {
            for thread in 0..4 {
                let (frontier, done) = (&frontier, &done);
                threads.spawn(move || crawl(frontier, done, Lots(round * 7919 + thread + 1)));
            }
        });
        let fetched = done.into_inner().unwrap().fetched;
        let stats = frontier.totals();
        assert_eq!(
            stats.queued, 0,
            "round {round}: links wait, and it is said to be drained"
        );
        assert!(stats.total.is_balanced());
        assert_eq!(stats.total.fetched as usize, fetched.len());
        let once: HashSet<&String> = fetched.iter().collect();
        assert_eq!(once.len(), fetched.len());
        assert_eq!(once.len() as u64 + stats.ledger, 2 * (1 + 3 * PAGES as u64));
    }
}
