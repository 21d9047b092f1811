//! The thread that does the heavy work that observed pages leave to the stages.
//!
//! It is a thread of its own, so that no page waits for a lesson. A crawl ends when the work under way is done.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use nodust_frontier::LocalFrontier;

/// How often it is asked whether there is anything to do.
const EVERY: Duration = Duration::from_millis(250);

/// The thread; it must be ended, or the store stays open.
#[derive(Debug)]
pub(super) struct Worker {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Worker {
    pub(super) fn start(frontier: Arc<LocalFrontier>) -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let is_over = Arc::clone(&stop);
        let thread = thread::Builder::new()
            .name("learn".to_owned())
            .spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    if !frontier.chain().work() {
                        thread::park_timeout(EVERY);
                    }
                }
            })?;
        Ok(Self { stop, thread })
    }

    pub(super) async fn end(self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
        let ended = tokio::task::spawn_blocking(|| self.thread.join()).await;
        if !matches!(ended, Ok(Ok(()))) {
            tracing::warn!("the thread that learns broke: later pages taught nothing");
        }
    }
}
