//! In which order do the pages of a host teach, where several are asked for at the same time?
//!
//! In that of their requests, if they come soon enough. A page and the copies that it leads to stand side by side in the queue. Where the copy is
//! answered first it passes for what is new, and the page for the copy: budgets and claims would be unlearned that hold.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use nodust_frontier::HostKey;
use tokio_util::sync::CancellationToken;

use super::lock;

/// A page waits for those that were asked for before it as long as it took itself, but not less and not longer than this.
const LEAST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(2);

type UnderWay = Mutex<HashMap<HostKey, Vec<CancellationToken>>>;

/// Leases under way, by host, in their order.
#[derive(Debug, Default)]
pub(super) struct InOrder(Arc<UnderWay>);

impl InOrder {
    /// The next lease of a host; when it is dropped, its page has taught what it can.
    pub(super) fn next(&self, host: &HostKey) -> Numbered {
        let done = CancellationToken::new();
        let mut hosts = lock(&self.0);
        let under_way = hosts.entry(host.clone()).or_default();
        let before = under_way.clone();
        under_way.push(done.clone());
        Numbered {
            order: Arc::clone(&self.0),
            host: host.clone(),
            before,
            done,
            since: Instant::now(),
        }
    }
}

/// A lease with its place in the order.
pub(super) struct Numbered {
    order: Arc<UnderWay>,
    host: HostKey,
    before: Vec<CancellationToken>,
    done: CancellationToken,
    since: Instant,
}

impl Numbered {
    /// Waits for the leases before it, but not for long.
    pub(super) async fn turn(&self) {
        let wait = (self.since.elapsed()).clamp(LEAST_WAIT, LONGEST_WAIT);
        let all = async {
            for lease in &self.before {
                lease.cancelled().await;
            }
        };
        let _ = tokio::time::timeout(wait, all).await;
    }
}

impl Drop for Numbered {
    fn drop(&mut self) {
        self.done.cancel();
        let mut hosts = lock(&self.order);
        if let Some(under_way) = hosts.get_mut(&self.host) {
            under_way.retain(|lease| !lease.is_cancelled());
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
        let took = async |lease: &Numbered| {
            let begun = Instant::now();
            lease.turn().await;
            begun.elapsed()
        };
        assert!(took(&first).await < LEAST_WAIT);
        assert!(took(&other).await < LEAST_WAIT);
        assert!(took(&second).await >= LEAST_WAIT);
        drop(first);
        assert!(took(&second).await < LEAST_WAIT);
        drop((second, other));
        assert!(lock(&order.0).is_empty());
    }
}
