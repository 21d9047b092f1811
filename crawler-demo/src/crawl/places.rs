//! The places for requests at the same time.
//!
//! A request holds its place until its page is observed, and lends it to others while it only waits: for the turn of its host, for its
//! address, or for a server to begin its answer. Bodies are read only with a place.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::sync::OwnedSemaphorePermit;

use super::{Shared, lock};

/// A server that has not begun to answer after this part of the time that it is given at most may be long in doing so.
const PART: u32 = 6;
/// Requests at most that wait so without a place, those for robots.txt and sitemaps among them.
pub(super) const MOST_WAITS: usize = 256;
/// Waits, while others use the place; whether the crawl goes on.
pub(super) async fn without_place(
    shared: &Shared,
    place: &mut Option<OwnedSemaphorePermit>,
    waited_for: impl Future<Output = ()>,
) -> bool {
    drop(place.take());
    shared.wake.notify_one();
    tokio::select! {
        () = waited_for => {}
        () = shared.stop.cancelled() => return false,
    }
    *place = Arc::clone(&shared.places).acquire_owned().await.ok();
    true
}

/// A place that others use while a server is silent: hosts that accept connections and never answer, as many as there are places, would
/// hold up all others.
pub(crate) struct Place<'s> {
    shared: &'s Shared,
    has_begun: AtomicBool,
    held: Mutex<Held>,
}

/// One of the places, or of those that wait without one.
struct Held {
    place: Option<OwnedSemaphorePermit>,
    wait: Option<OwnedSemaphorePermit>,
}

impl<'s> Place<'s> {
    pub(crate) fn new(shared: &'s Shared, place: Option<OwnedSemaphorePermit>) -> Self {
        Self {
            shared,
            has_begun: AtomicBool::new(false),
            held: Mutex::new(Held { place, wait: None }),
        }
    }

    /// The server has begun to answer: before more of it is read, its place is taken back.
    pub(crate) async fn answers(&self) {
        self.has_begun.store(true, Ordering::Relaxed);
        self.take_back().await;
    }

    /// What was asked of a server. Where it does not [begin to answer](Self::answers) for long, others use the place meanwhile.
    pub(crate) async fn unless_silent<T>(&self, asked: impl Future<Output = T>) -> T {
        tokio::pin!(asked);
        let long = Duration::from_secs(self.shared.config.header_timeout_secs) / PART;
        let room = async {
            tokio::time::sleep(long).await;
            Arc::clone(&self.shared.long_waits).acquire_owned().await
        };
        let room = tokio::select! {
            answer = &mut asked => return answer,
            room = room => room,
        };
        if let Ok(room) = room
            && !self.has_begun.load(Ordering::Relaxed)
        {
            let mut held = lock(&self.held);
            (held.place, held.wait) = (None, Some(room));
            drop(held);
            self.shared.wake.notify_one();
        }
        asked.await
    }

    /// The place, taken back if it was lent.
    pub(crate) async fn into_held(self) -> Option<OwnedSemaphorePermit> {
        self.take_back().await;
        lock(&self.held).place.take()
    }

    async fn take_back(&self) {
        if lock(&self.held).place.is_some() {
            return;
        }
        let place = Arc::clone(&self.shared.places).acquire_owned().await.ok();
        *lock(&self.held) = Held { place, wait: None };
    }
}
