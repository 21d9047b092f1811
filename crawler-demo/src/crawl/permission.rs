//! Whether the host's robots.txt permits a request, and is known yet.

use std::{sync::Arc, time::Duration};

use nodust_frontier::{FetchFailure, HostKey, Lease};
use tokio::sync::OwnedSemaphorePermit;

use super::{
    Shared, Unread,
    lease::{Attempt, refuse},
    places::{Place, without_place},
};
use crate::robots::{Answered, Lookup, Rules};

/// What is made of a lease that may not be asked for, or not now; `None` where it may.
pub(super) async fn by_robots(
    shared: &Arc<Shared>,
    lease: &Lease,
    host: &HostKey,
    place: &mut Option<OwnedSemaphorePermit>,
) -> Option<Attempt> {
    let Some(Lookup {
        answered,
        asked,
        waited,
    }) = look_up(shared, lease, place).await
    else {
        return Some(Attempt::Stopped);
    };
    let rules = match answered {
        Answered::Rules(rules) => rules,
        Answered::Later(wait) | Answered::NotItsTurn(wait) => {
            if asked {
                let why = "its robots.txt is not to be had";
                shared.politeness.refused(host, Some(wait), why);
            }
            // There is nothing to wait for at a host that was given up: the link waits in the store.
            let wait = if shared.politeness.is_given_up(host) {
                Duration::ZERO
            } else {
                wait
            };
            let detail = "its robots.txt is not to be had for now".to_owned();
            return Some(without_robots(shared, lease, detail, wait).after(waited));
        }
        Answered::GivenUp(why) => {
            let detail = format!("its robots.txt was not to be had: {why}");
            // Nothing is asked for its links: after so many of them the host is given up, unless its other scheme answers, and those that
            // were in vain till then wait in the store with the others. Each is one of these, however often it is offered.
            if asked || lease.attempt() == 0 {
                (shared.politeness).refused(host, Some(Duration::ZERO), &detail);
            }
            // Behind the others of its host.
            let wait = shared.config.retry_wait(0);
            return Some(without_robots(shared, lease, detail, wait).after(waited));
        }
    };
    if let Some(delay) = rules.crawl_delay() {
        shared.politeness.crawl_delay(host, delay);
    }
    if asked && shared.config.sitemaps {
        note_sitemaps(shared, lease, &rules).await;
    }
    if !rules.allows(lease.url().as_str()) {
        let detail = "its robots.txt disallows it".to_owned();
        return Some(refuse(shared, lease, "robots", FetchFailure::ROBOTS, detail).after(waited));
    }
    // That was the host's request for now.
    let stopped = waited && !without_place(shared, place, shared.politeness.turn(host)).await;
    stopped.then_some(Attempt::Stopped)
}

/// What is known of the host's file, once other hosts that it redirects to had their turn; `None` when the crawl stops first.
async fn look_up(
    shared: &Shared,
    lease: &Lease,
    place: &mut Option<OwnedSemaphorePermit>,
) -> Option<Lookup> {
    let mut waited = false;
    loop {
        let held = Place::new(shared, place.take());
        let asked = shared.robots.lookup(lease.url().as_url());
        let mut lookup = held.unless_silent(asked).await;
        *place = held.into_held().await;
        waited |= lookup.waited;
        lookup.waited = waited;
        let Answered::NotItsTurn(wait) = lookup.answered else {
            return Some(lookup);
        };
        if !without_place(shared, place, tokio::time::sleep(wait)).await {
            return None;
        }
    }
}

/// Has the sitemaps read that the file names, in this run or a later one.
async fn note_sitemaps(shared: &Shared, lease: &Lease, rules: &Rules) {
    if rules.sitemaps().is_empty() {
        return;
    }
    let unread = Unread {
        page: lease.url().clone(),
        files: Some(rules.sitemaps().to_vec()),
    };
    if let Err(error) = shared.border.note_sitemaps(unread.page.clone()).await {
        shared.fail(error);
    }
    let _ = shared.sitemaps.send(unread);
    shared.wake.notify_one();
}

/// A link that is not asked for, since nobody knows whether it may be: it is offered again, unless this was the last time.
fn without_robots(shared: &Shared, lease: &Lease, detail: String, wait: Duration) -> Attempt {
    let code = FetchFailure::ROBOTS_UNREACHABLE;
    if lease.attempt() >= shared.config.max_retries {
        return refuse(shared, lease, "robots", code, detail);
    }
    Attempt::NotMade {
        failure: FetchFailure {
            code,
            detail,
            status: None,
            retry_after: Some(wait),
            may_pass: true,
        },
        was_asked: false,
    }
}
