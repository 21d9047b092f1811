//! Who holds one of the places for requests at the same time?
//!
//! A request holds its place until its page is observed, and lends it to others while it waits for what is no work: the turn of its host,
//! or a server that does not begin to answer.

use std::{sync::Arc, time::Duration};

use tokio::sync::OwnedSemaphorePermit;

use super::Shared;

/// A server that has not begun to answer after this part of the time that it is given at most may be long in doing so.
const PART: u32 = 6;
/// Requests at most that wait so without a place.
pub(super) const MOST_WAITS: usize = 256;

/// Waits, while others use the place; whether the crawl goes on.
pub(super) async fn without_place(
    shared: &Shared,
    place: &mut Option<OwnedSemaphorePermit>,
    waited_for: impl Future<Output = ()>,
) -> bool {
    lend(shared, place);
    tokio::select! {
        () = waited_for => {}
        () = shared.stop.cancelled() => return false,
    }
    take_back(shared, place).await;
    true
}

/// What a server answers. Hosts that accept connections and never answer, as many as there are places, would hold up all others: so the
/// place is lent where no answer has begun for long, and taken back before anything is made of what came.
pub(super) async fn unless_silent<T>(
    shared: &Shared,
    place: &mut Option<OwnedSemaphorePermit>,
    has_begun: impl Fn() -> bool,
    asked: impl Future<Output = T>,
) -> T {
    tokio::pin!(asked);
    let long = Duration::from_secs(shared.config.header_timeout_secs) / PART;
    tokio::select! {
        answer = &mut asked => return answer,
        () = tokio::time::sleep(long) => {}
    }
    let waits = Arc::clone(&shared.long_waits).try_acquire_owned();
    if has_begun() || waits.is_err() {
        return asked.await;
    }
    lend(shared, place);
    let answer = asked.await;
    take_back(shared, place).await;
    answer
}

fn lend(shared: &Shared, place: &mut Option<OwnedSemaphorePermit>) {
    drop(place.take());
    shared.wake.notify_one();
}

async fn take_back(shared: &Shared, place: &mut Option<OwnedSemaphorePermit>) {
    *place = Arc::clone(&shared.places).acquire_owned().await.ok();
}
