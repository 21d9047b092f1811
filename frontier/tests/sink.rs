//! What of a sink that cannot keep what it is told?

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use nodust_frontier::{
    Admitted, Chain, DecisionSink, Dropped, Frontier as _, FrontierError, LocalFrontier,
    MemoryStore, Prediction, Queue as _, RawUrl, SeenStore as _, Store, Via,
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

#[test]
fn what_the_sink_could_not_keep_is_not_committed_and_can_be_told_again() {
    let (disk, store) = (Arc::new(Disk::default()), Arc::new(MemoryStore::default()));
    let build = || {
        LocalFrontier::builder(Chain::new())
            .store(Arc::clone(&store) as Arc<dyn Store>)
            .sink(Arc::clone(&disk) as Arc<dyn DecisionSink>)
            .build()
            .unwrap()
    };
    let admit = |frontier: &LocalFrontier, url| {
        frontier.admit(&Via::seed(), &[RawUrl::new(url)], &mut Vec::new())
    };
    let frontier = build();
    admit(&frontier, "http://e.org/a").unwrap();
    disk.is_full.store(true, Ordering::SeqCst);
    let refused = admit(&frontier, "http://e.org/b");
    assert!(
        matches!(&refused, Err(FrontierError::Sink(why)) if why.kind() == io::ErrorKind::StorageFull),
        "{refused:?}"
    );
    assert_eq!((store.queue_len(), store.seen_len()), (1, 1));
    drop(frontier);
    // The next run, on a disk with room.
    disk.is_full.store(false, Ordering::SeqCst);
    admit(&build(), "http://e.org/b").unwrap();
    assert_eq!((store.queue_len(), store.seen_len()), (2, 2));
}
