//! How does the crawl go, and when must it stop?

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use super::{Shared, Shutdown};
use crate::{progress::Progress, report::Ending};

/// Between two flushes of store and files: a little less than a beat, so that none is missed by a hair.
const FLUSH_EVERY: Duration = Duration::from_millis(900);

/// Shows how it goes, flushes now and then, and ends the crawl when its time is over.
pub(super) async fn watch(shared: Arc<Shared>) {
    let mut progress = Progress::begin(shared.config.max_pages);
    let deadline = shared
        .config
        .max_duration_secs
        // A time too far to be told is none.
        .and_then(|seconds| Instant::now().checked_add(Duration::from_secs(seconds)));
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
        let pages = shared.counters.pages.load(Ordering::Relaxed);
        let left_alone = shared.politeness.left_alone(now);
        progress.update(
            &shared.border.frontier.totals(),
            pages,
            in_flight,
            left_alone,
        );
        if now >= flush_at {
            if let Err(error) = shared.flush().await {
                shared.fail(error);
            }
            flush_at = now + FLUSH_EVERY;
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
        tracing::warn!(
            "stopping: requests under way may end; a second Ctrl-C or SIGTERM ends it at once"
        );
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
