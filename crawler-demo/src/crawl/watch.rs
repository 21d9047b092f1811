//! Reports the crawl's progress, and stops it when it must.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use super::{Shared, Shutdown, places::MOST_WAITS};
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
        let lent = MOST_WAITS - shared.long_waits.available_permits();
        let in_flight = shared.config.concurrency - shared.places.available_permits() + lent;
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

/// Signals that come so soon after the first are the same one: `timeout` sends each to the command, and to all of its group.
const ONE_SIGNAL: Duration = Duration::from_millis(200);

/// A token that Ctrl-C and SIGTERM cancel. The second signal ends the process at once, unless it comes together with the first. A thread of
/// its own waits for signals, so that nothing in the crawl delays it.
pub fn shutdown_on_signals() -> Shutdown {
    let token = Shutdown::new();
    let cancelled = token.clone();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        match runtime {
            Ok(runtime) => runtime.block_on(end_on_signals(&cancelled)),
            Err(why) => tracing::warn!("signals end the crawl at once: {why}"),
        }
    });
    token
}

async fn end_on_signals(token: &Shutdown) {
    let mut signals = Signals::new();
    signals.next().await;
    tracing::warn!(
        "stopping: requests under way may end; a second Ctrl-C or SIGTERM ends it at once"
    );
    token.cancel();
    let first = Instant::now();
    loop {
        signals.next().await;
        if first.elapsed() >= ONE_SIGNAL {
            std::process::exit(130);
        }
    }
}

/// Ctrl-C and SIGTERM, none of which is missed between two waits.
#[cfg(unix)]
struct Signals([Option<tokio::signal::unix::Signal>; 2]);

#[cfg(unix)]
impl Signals {
    fn new() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        Self([SignalKind::interrupt(), SignalKind::terminate()].map(|kind| signal(kind).ok()))
    }

    async fn next(&mut self) {
        let [interrupt, terminate] = &mut self.0;
        tokio::select! {
            Some(()) = received(interrupt) => {}
            Some(()) = received(terminate) => {}
            // Neither can be waited for.
            else => std::future::pending().await,
        }
    }
}

#[cfg(unix)]
async fn received(signal: &mut Option<tokio::signal::unix::Signal>) -> Option<()> {
    signal.as_mut()?.recv().await
}

/// Ctrl-C.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    const fn new() -> Self {
        Self
    }

    async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
