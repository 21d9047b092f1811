//! What of a frontier whose sink cannot keep what it is told, or of which a stage panics?

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop with the error"
)]

mod common;

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use common::{leased, page, seed};
use nodust_frontier::{
    Admitted, Candidate, Chain, DecisionSink, Dropped, Frontier as _, FrontierError, HostKey,
    LocalFrontier, Middleware, Open, Phase, Prediction, RawUrl, SledStore, StageName, Store,
    Verdict, Via, store::sled::SledOptions,
};

/// A file on a disk that may be full.
#[derive(Default)]
struct Disk {
    is_full: AtomicBool,
}

impl DecisionSink for Disk {
    fn fetched(&self, _url: &Admitted, _probe: Option<Prediction>) {}
    fn dropped(&self, _url: &str, _dropped: &Dropped, _via: Option<&str>) {}
    fn before_commit(&self) -> io::Result<()> {
        if self.is_full.load(Ordering::SeqCst) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }
}

fn store_in(folder: &tempfile::TempDir) -> Arc<dyn Store> {
    Arc::new(SledStore::open(folder.path().join("store"), &SledOptions::default()).unwrap())
}

/// Whether nothing can be done any more, but to look.
fn is_out_of_step(frontier: &LocalFrontier) -> bool {
    let links = [RawUrl::new("http://e.org/late")];
    let tried = [
        frontier.admit(&Via::seed(), &links, &mut Vec::new()),
        frontier.lease(Instant::now(), &Open).map(drop),
        frontier.second_helping().map(drop),
        frontier.retry_failed().map(drop),
        frontier.flush(),
    ];
    (tried.iter()).all(|tried| matches!(tried, Err(FrontierError::OutOfStep)))
}

/// Pages fetched, links offered and links that wait.
fn figures(frontier: &LocalFrontier) -> (u64, u64, u64) {
    let stats = frontier.stats().unwrap();
    assert!(stats.total.is_balanced());
    (stats.total.fetched, stats.total.offered, stats.queued)
}

#[test]
fn what_the_sink_could_not_keep_is_neither_committed_nor_counted_and_comes_again() {
    let (disk, folder) = (Arc::new(Disk::default()), tempfile::tempdir().unwrap());
    let build = || {
        LocalFrontier::builder(Chain::new())
            .store(store_in(&folder))
            .sink(Arc::clone(&disk) as Arc<dyn DecisionSink>)
            .build()
            .unwrap()
    };
    let links = [RawUrl::new("/c"), RawUrl::new("/d")];
    let frontier = build();
    seed(&frontier, &["http://e.org/a", "http://e.org/b"]);
    let (a, b) = (leased(&frontier), leased(&frontier));
    disk.is_full.store(true, Ordering::SeqCst);
    let refused = frontier.observe(a, &page(&links), &mut Vec::new());
    assert!(
        matches!(&refused, Err(FrontierError::Sink(why)) if why.kind() == io::ErrorKind::StorageFull),
        "{refused:?}"
    );
    // There is room again, but what was counted for the page is not what the store has.
    disk.is_full.store(false, Ordering::SeqCst);
    assert!(is_out_of_step(&frontier));
    let late = frontier.observe(b, &page(&[]), &mut Vec::new());
    assert!(matches!(late, Err(FrontierError::OutOfStep)), "{late:?}");
    assert_eq!(figures(&frontier), (0, 2, 2));
    drop(frontier);
    let frontier = build();
    assert_eq!(figures(&frontier), (0, 2, 2));
    let a = leased(&frontier);
    frontier.observe(a, &page(&links), &mut Vec::new()).unwrap();
    assert_eq!(figures(&frontier), (1, 4, 3));
}

/// Panics where it judges links to `/bad` once pages were met.
#[derive(Debug, Default)]
struct Panics {
    has_met_pages: AtomicBool,
}

impl Middleware for Panics {
    fn name(&self) -> StageName {
        "panics"
    }
    fn phase(&self) -> Phase {
        Phase::AfterSeen
    }
    fn judge(&self, link: &mut Candidate, _via: &Via<'_>) -> Verdict {
        let panics = self.has_met_pages.load(Ordering::SeqCst) && link.url().path() == "/bad";
        assert!(!panics, "a stage panics");
        Verdict::Pass
    }
    fn generation(&self, _host: &HostKey) -> u64 {
        u64::from(self.has_met_pages.load(Ordering::SeqCst))
    }
}

/// Seeds, and what makes a stage panic.
type Case<'c> = (&'c [&'c str], &'c dyn Fn(&LocalFrontier) -> bool);

#[test]
fn a_stage_that_panics_where_links_are_counted_or_handed_out_ends_the_frontier_and_loses_nothing() {
    let on_page = |frontier: &LocalFrontier| {
        let links = [RawUrl::new("/c"), RawUrl::new("/bad")];
        let lease = leased(frontier);
        let observed = AssertUnwindSafe(|| frontier.observe(lease, &page(&links), &mut Vec::new()));
        catch_unwind(observed).is_err()
    };
    let waiting = |frontier: &LocalFrontier| {
        let lease = AssertUnwindSafe(|| frontier.lease(Instant::now(), &Open).map(drop));
        catch_unwind(lease).is_err()
    };
    let cases: [Case<'_>; 2] = [
        (&["http://e.org/a", "http://e.org/b"], &on_page),
        (&["http://e.org/a"], &waiting),
    ];
    for (seeds, panics) in cases {
        let folder = tempfile::tempdir().unwrap();
        let stage = Arc::new(Panics::default());
        let build = |chain| {
            let builder = LocalFrontier::builder(chain).store(store_in(&folder));
            builder.build().unwrap()
        };
        let frontier = build(Chain::new().then(Arc::clone(&stage)));
        seed(&frontier, seeds);
        if seeds.len() == 1 {
            let lease = leased(&frontier);
            let links = [RawUrl::new("/bad"), RawUrl::new("/c")];
            frontier
                .observe(lease, &page(&links), &mut Vec::new())
                .unwrap();
        }
        let before = figures(&frontier);
        stage.has_met_pages.store(true, Ordering::SeqCst);
        assert!(panics(&frontier));
        assert_eq!(figures(&frontier), before);
        assert!(is_out_of_step(&frontier));
        drop(frontier);
        let again = build(Chain::new());
        assert_eq!(figures(&again), before);
        assert_eq!(before.2, 2, "both wait");
        let urls = [leased(&again), leased(&again)];
        assert_ne!(urls[0].url(), urls[1].url());
    }
}
