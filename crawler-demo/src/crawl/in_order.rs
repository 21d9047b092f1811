//! The order in which pages of a host are learned from, if several are requested at the same time.
//!
//! It is the order of their requests, if they come soon enough. A page and the copies that it leads to are neighbours in the queue. If a
//! copy is answered first, it counts as new and the page as the copy, and correct budgets and claims would be unlearned.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use nodust_frontier::HostKey;
use tokio_util::sync::CancellationToken;

use super::lock;

/// A page waits for those that were asked for before it as long as it took itself, but not less and not longer than this. For one that was waited for in
/// vain none waits any more.
const LEAST_WAIT: Duration = Duration::from_millis(200);
const LONGEST_WAIT: Duration = Duration::from_secs(2);

type UnderWay = Mutex<HashMap<HostKey, Vec<Arc<Place>>>>;

/// What those behind a lease wait for.
#[derive(Debug, Default)]
struct Place {
    done: CancellationToken,
    /// Whether it was waited for in vain.
    is_late: AtomicBool,
}

/// Leases under way, by host, in their order.
#[derive(Debug, Default)]
pub(super) struct InOrder(Arc<UnderWay>);

impl InOrder {
    /// The next lease of a host; when it is dropped, its page has taught what it can.
    pub(super) fn next(&self, host: &HostKey) -> Numbered {
        let own = Arc::<Place>::default();
        let mut hosts = lock(&self.0);
        let under_way = hosts.entry(host.clone()).or_default();
        let before = under_way.clone();
        under_way.push(Arc::clone(&own));
        Numbered {
            order: Arc::clone(&self.0),
            host: host.clone(),
            before,
            own,
            sent: OnceLock::new(),
        }
    }
}

/// A lease with its place in the order.
pub(super) struct Numbered {
    order: Arc<UnderWay>,
    host: HostKey,
    before: Vec<Arc<Place>>,
    own: Arc<Place>,
    sent: OnceLock<Instant>,
}

impl Numbered {
    /// Its request is sent.
    pub(super) fn sent(&self) {
        let _ = self.sent.set(Instant::now());
    }

    /// Waits for the leases before it, but not for long.
    pub(super) async fn turn(&self) {
        let took = self.sent.get().map(Instant::elapsed).unwrap_or_default();
        let wait = took.clamp(LEAST_WAIT, LONGEST_WAIT);
        let all = async {
            for lease in self.before.iter().filter(|lease| !lease.is_late()) {
                lease.done.cancelled().await;
            }
        };
        if tokio::time::timeout(wait, all).await.is_err() {
            for lease in self
                .before
                .iter()
                .filter(|lease| !lease.done.is_cancelled())
            {
                lease.is_late.store(true, Ordering::Relaxed);
            }
        }
    }
}

impl Place {
    fn is_late(&self) -> bool {
        self.is_late.load(Ordering::Relaxed)
    }
}

impl Drop for Numbered {
    fn drop(&mut self) {
        self.own.done.cancel();
        let mut hosts = lock(&self.order);
        if let Some(under_way) = hosts.get_mut(&self.host) {
            under_way.retain(|lease| !lease.done.is_cancelled());
            if under_way.is_empty() {
                hosts.remove(&self.host);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_page_waits_for_those_before_it_on_its_host_and_not_for_long() {
        let order = InOrder::default();
        let (a, b) = (HostKey::from_text("a"), HostKey::from_text("b"));
        let (first, second, other) = (order.next(&a), order.next(&a), order.next(&b));
        let third = order.next(&a);
        let took = async |lease: &Numbered| {
            let begun = Instant::now();
            lease.turn().await;
            begun.elapsed()
        };
        assert!(took(&first).await < LEAST_WAIT);
        assert!(took(&other).await < LEAST_WAIT);
        assert!(took(&second).await >= LEAST_WAIT);
        assert!(took(&second).await < LEAST_WAIT, "the first one is late");
        assert!(took(&third).await >= LEAST_WAIT, "the second is not");
        drop((first, second));
        assert!(took(&third).await < LEAST_WAIT);
        drop((third, other));
        assert!(lock(&order.0).is_empty());
    }
}
