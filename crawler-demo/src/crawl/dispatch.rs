//! Hands out leases: which host is asked next, and when the crawl is over.

use std::{
    mem,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use nodust_frontier::Turn;
use tokio::{sync::mpsc, task::JoinSet};

use super::{CrawlError, lease::work, shared::Shared, unread::Unread, watch::watch};
use crate::{politeness::is_for_good, report::Ending, sitemap, words::counted};

/// Leases that may be out at the same time, those of hosts that are waited for included.
const MOST_LEASES: usize = 4096;
/// Leases asked for at once.
const LEASES_AT_ONCE: usize = 16;

/// Hands out leases until there is nothing left, or a reason to stop.
pub(super) async fn crawl(shared: &Arc<Shared>, mut sitemaps: mpsc::UnboundedReceiver<Unread>) {
    let mut tasks: JoinSet<()> = JoinSet::new();
    let mut second_helping = shared.config.second_helping;
    let watch = tokio::spawn(watch(Arc::clone(shared)));
    while !shared.stop.is_cancelled() {
        while let Some(done) = tasks.try_join_next() {
            note_panic(shared, done);
        }
        while let Ok(unread) = sitemaps.try_recv() {
            let shared = Arc::clone(shared);
            tasks.spawn(async move {
                if let Err(error) = sitemap::crawl(&shared, unread).await {
                    shared.fail(error);
                }
                shared.wake.notify_one();
            });
        }
        let wait = match begin_some(shared, &mut tasks).await {
            Ok(Begun::Some) => continue,
            Ok(Begun::NoneFor(wait)) => wait,
            Ok(Begun::NothingLeft(Ending::Complete | Ending::HostsGivenUp))
                if tasks.is_empty() && sitemaps.is_empty() && mem::take(&mut second_helping) =>
            {
                match shared.border.second_helping().await {
                    Ok(links) => {
                        tracing::info!("{} came back from the ledger", counted(links, "link"));
                    }
                    Err(error) => shared.fail(error),
                }
                continue;
            }
            Ok(Begun::NothingLeft(ending)) if tasks.is_empty() && sitemaps.is_empty() => {
                shared.end(ending);
                break;
            }
            // What runs may bring more.
            Ok(Begun::NothingLeft(_) | Begun::NoneNow) => Duration::MAX,
            Err(error) => {
                shared.fail(error);
                break;
            }
        };
        tokio::select! {
            () = shared.wake.notified() => {}
            () = shared.stop.cancelled() => {}
            Some(done) = tasks.join_next() => note_panic(shared, done),
            () = tokio::time::sleep(wait.min(Duration::from_hours(1))) => {}
        }
    }
    // Told to stop: what is under way may come to its end, for a while.
    let grace = tokio::time::sleep(Duration::from_secs(shared.config.grace_secs));
    tokio::pin!(grace);
    loop {
        tokio::select! {
            done = tasks.join_next() => match done {
                Some(done) => note_panic(shared, done),
                None => break,
            },
            () = &mut grace => {
                // Their leases are offered again when the crawl goes on.
                tasks.shutdown().await;
                break;
            }
        }
    }
    watch.abort();
    // What it holds keeps log and decisions held.
    let _ = watch.await;
}

fn note_panic(shared: &Shared, done: Result<(), tokio::task::JoinError>) {
    if let Err(error) = done
        && error.is_panic()
    {
        shared.fail(CrawlError::Panicked {
            detail: error.to_string(),
        });
    }
}

/// What came of an attempt to begin fetches.
enum Begun {
    /// Some were begun.
    Some,
    /// None can be before this time, unless something comes back.
    NoneFor(Duration),
    /// None can be until something comes back.
    NoneNow,
    /// None will be, unless what is under way brings more.
    NothingLeft(Ending),
}

async fn begin_some(shared: &Arc<Shared>, tasks: &mut JoinSet<()>) -> Result<Begun, CrawlError> {
    let budget = shared.budget.load(Ordering::Relaxed);
    if budget == 0 {
        return Ok(Begun::NothingLeft(Ending::MaxPages));
    }
    let leases = shared.leases.load(Ordering::Relaxed);
    let room = MOST_LEASES
        .saturating_sub(leases)
        .min(shared.places.available_permits())
        .min(LEASES_AT_ONCE)
        .min(usize::try_from(budget).unwrap_or(usize::MAX));
    if room == 0 {
        return Ok(Begun::NoneNow);
    }
    let turns = shared.border.lease(room).await?;
    let some = !turns.leases.is_empty();
    for lease in turns.leases {
        shared.budget.fetch_sub(1, Ordering::Relaxed);
        shared.leases.fetch_add(1, Ordering::Relaxed);
        // A place that was free is taken by nobody but tasks that come back from a wait, which may
        // make this one wait in turn.
        let place = Arc::clone(&shared.places).try_acquire_owned().ok();
        let numbered = (shared.in_order.as_ref()).map(|order| order.next(lease.url().host()));
        let shared = Arc::clone(shared);
        tasks.spawn(async move {
            work(&shared, lease, place, numbered).await;
            shared.leases.fetch_sub(1, Ordering::Relaxed);
            shared.wake.notify_one();
        });
    }
    Ok(match turns.then {
        _ if some => Begun::Some,
        None | Some(Turn::Fetch(_)) => Begun::Some,
        Some(Turn::Wait(time)) if is_for_good(time) => Begun::NothingLeft(Ending::HostsGivenUp),
        Some(Turn::Wait(time)) => Begun::NoneFor(time),
        Some(Turn::Idle) => Begun::NoneNow,
        Some(Turn::Drained) => Begun::NothingLeft(Ending::Complete),
    })
}
