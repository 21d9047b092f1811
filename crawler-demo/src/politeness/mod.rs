//! Decides whether a host may be asked now.
//!
//! A host gets one request at a time (or as many as the configuration allows), and after an answer began to arrive, none
//! before its delay is over. Because the delay is counted from the answer and not from the request, the promise holds on
//! the server's own clock: it never sees two requests closer together than the delay, however long one of them travelled.
//! A host that refuses is left alone for longer, or for good: see `refusals`. Each host has its own state, so that a slow
//! one holds up nobody else; hosts that have been quiet are forgotten.
//!
//! ```
//! use std::time::{Duration, Instant};
//! use nodust_crawler::politeness::{Limits, Politeness};
//! use nodust_frontier::{Gate, HostKey, NotYet};
//!
//! let gate = Politeness::new(Limits { delay: Duration::from_secs(1), ..Limits::default() });
//! let host = HostKey::from_text("shop.example");
//! assert!(gate.check(&host, Instant::now()).is_ok());
//! assert_eq!(gate.check(&host, Instant::now()), Err(NotYet::UntilReturned));
//! gate.returned(&host);
//! assert!(matches!(gate.check(&host, Instant::now()), Err(NotYet::For(_))));
//! ```

mod host;
mod refusals;

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use governor::clock::{Clock, MonotonicClock};
use nodust_frontier::{Gate, HostKey, NotYet};

use host::{Host, POLL, limiter};
use refusals::FOR_GOOD;
pub use refusals::{is_for_good, retry_after};

/// Limits on the requests to a host.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time between the answer to a request and the next request.
    pub delay: Duration,
    /// Most requests at the same time.
    pub per_host: usize,
    /// A longer `Crawl-delay` counts as this.
    pub max_crawl_delay: Duration,
    /// First wait after a 429 or 503 without `Retry-After`; it doubles with each one that follows.
    pub first_backoff: Duration,
    /// Longest such wait, and longest `Retry-After` that is heeded.
    pub max_backoff: Duration,
    /// A host that refused or could not be reached this many times in a row is not asked again.
    pub give_up_after: u32,
    /// A host whose waits in a row, including the next, would exceed this is not asked again either.
    pub max_wait: Duration,
}

impl Limits {
    /// How much of a time that a host asks for is believed.
    fn believed(&self, wait: Duration) -> Duration {
        wait.min(self.max_backoff).min(FOR_GOOD)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            delay: Duration::from_secs(1),
            per_host: 1,
            max_crawl_delay: Duration::from_mins(2),
            first_backoff: Duration::from_secs(2),
            max_backoff: Duration::from_hours(1),
            give_up_after: 10,
            max_wait: Duration::from_hours(2),
        }
    }
}

/// The state of quiet hosts is given up when it holds this many hosts, and again at each doubling.
const FORGET_FROM: usize = 4096;

/// The state of all hosts; the [`Gate`] of the frontier.
#[derive(Debug)]
pub struct Politeness {
    limits: Limits,
    hosts: Mutex<Hosts>,
    /// Held while what hosts asked for is written, so that no older word is written after a newer one.
    keeping: Mutex<()>,
}

#[derive(Debug)]
struct Hosts {
    map: HashMap<HostKey, Host>,
    forget_at: usize,
    /// Hosts that asked for it, and until when; those that were not kept yet.
    asked: HashMap<HostKey, SystemTime>,
}

impl Politeness {
    /// The state when no host has been asked yet.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            hosts: Mutex::new(Hosts {
                map: HashMap::new(),
                forget_at: FORGET_FROM,
                asked: HashMap::new(),
            }),
            keeping: Mutex::default(),
        }
    }

    /// The limits as configured.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Guards all hosts; never held across an await.
    fn lock(&self) -> MutexGuard<'_, Hosts> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, key: &HostKey, change: impl FnOnce(&mut Host, Instant) -> T) -> T {
        let now = Instant::now();
        change(self.lock().of(key, &self.limits, now), now)
    }

    /// Asks for a request without a lease (for a sitemap); hand it back with [`other_returned`](Self::other_returned).
    ///
    /// # Errors
    /// How long to wait.
    pub fn check_other(&self, key: &HostKey) -> Result<(), Duration> {
        self.with(key, |host, now| match host.ask(&self.limits, now) {
            Ok(()) => {
                host.others += 1;
                Ok(())
            }
            Err(NotYet::For(wait)) => Err(wait),
            Err(NotYet::UntilReturned) => Err(POLL),
        })
    }

    /// Says that a request without a lease is over.
    pub fn other_returned(&self, key: &HostKey) {
        self.with(key, |host, _| host.others = host.others.saturating_sub(1));
    }

    /// Says that a lease is over, whatever came of it.
    pub fn returned(&self, key: &HostKey) {
        self.with(key, |host, _| host.leases = host.leases.saturating_sub(1));
    }

    /// Says that the host has begun to answer, or that the request was given up: the host's delay begins now.
    pub fn answered(&self, key: &HostKey) {
        self.with(key, Host::restart);
    }

    /// Says that nothing was sent after all: the request that [`Gate::check`] counted was not made, and the next may be
    /// made at once. Does nothing if somebody else has asked the host since, or is asking it.
    pub fn unused(&self, key: &HostKey) {
        self.with(key, |host, _| {
            if host.taken == 1 && host.leases + host.others <= 1 {
                host.taken = 0;
                // With a burst of one, a limiter that said yes was full before, as a new one is.
                host.limiter = limiter(host.delay);
            }
        });
    }

    /// How long the holder of a lease must wait before another request to the same host. Counts as that request if
    /// there is nothing to wait for.
    pub fn again(&self, key: &HostKey) -> Option<Duration> {
        self.with(key, |host, now| {
            if let Some(wait) = host.refusals.closed_for(now) {
                return Some(wait);
            }
            let Some(refused) = host.limiter.as_ref().and_then(|l| l.check().err()) else {
                host.taken = host.taken.saturating_add(1);
                return None;
            };
            Some(
                refused
                    .wait_time_from(MonotonicClock.now())
                    .max(Duration::from_millis(1)),
            )
        })
    }

    /// Waits until the holder of a lease may make another request to the same host.
    pub async fn turn(&self, key: &HostKey) {
        while let Some(wait) = self.again(key) {
            tokio::time::sleep(wait).await;
        }
    }

    /// The same, but ends at once if the host refuses. Returns whether it is the holder's turn.
    pub async fn turn_unless_closed(&self, key: &HostKey) -> bool {
        loop {
            let is_closed = |host: &mut Host, now| {
                host.refusals.is_given_up() || host.refusals.closed_for(now).is_some()
            };
            if self.with(key, is_closed) {
                return false;
            }
            let Some(wait) = self.again(key) else {
                return true;
            };
            tokio::time::sleep(wait).await;
        }
    }

    /// The time between two requests to the host.
    pub fn delay_of(&self, key: &HostKey) -> Duration {
        self.with(key, |host, _| host.delay)
    }

    /// Sets the delay that the host's robots.txt names. The longer of this and the configured one counts.
    pub fn crawl_delay(&self, key: &HostKey, delay: Duration) {
        let delay = delay.min(self.limits.max_crawl_delay);
        self.with(key, |host, now| {
            if delay > host.delay {
                host.delay = delay;
                host.restart(now);
            }
        });
    }

    /// Says that the host answered 429 or 503, or could not be reached. It is left alone for as long as it says, or
    /// longer each time, and for good after too many refusals in a row or if that would take too long in all. What
    /// fails while it is left alone was under way before, and counts as the same refusal. Returns how long it is left
    /// alone; zero if it was given up, since there is nothing to wait for. `why` is logged.
    pub fn refused(&self, key: &HostKey, retry_after: Option<Duration>, why: &str) -> Duration {
        self.with(key, |host, now| {
            (host.refusals).add(key, &self.limits, retry_after, why, now)
        })
    }

    /// The same for an answer with the status 429 or 503, for as long as its `Retry-After` asks. `None` for all other answers.
    pub fn refused_by(
        &self,
        key: &HostKey,
        status: u16,
        retry_after: Option<&str>,
    ) -> Option<Duration> {
        matches!(status, 429 | 503).then(|| {
            let asked = retry_after.and_then(|field| self.asked(key, field));
            self.refused(key, asked, &format!("status {status}"))
        })
    }

    /// Returns how long an answer's field `Retry-After` asks to leave the host alone, as far as that is heeded. It is noted for a
    /// later run ([`keep_asked`](Self::keep_asked)); for this run, see [`refused`](Self::refused).
    pub fn asked(&self, key: &HostKey, field: &str) -> Option<Duration> {
        let (now, clock) = (Instant::now(), SystemTime::now());
        let wait = self.limits.believed(retry_after(field, clock)?);
        let mut hosts = self.lock();
        let host = hosts.of(key, &self.limits, now);
        // A shorter time that it asks for later does not shorten the first.
        let left = host.refusals.ask(now + wait).saturating_duration_since(now);
        if let Some(until) = clock.checked_add(left).filter(|_| !left.is_zero()) {
            hosts.asked.insert(key.clone(), until);
        }
        Some(wait)
    }

    /// Calls `keep` with the hosts that have asked to be left alone since the last call, and until when: for a later run, which passes them
    /// to [`leave_alone`](Self::leave_alone). `keep` is not called if there are none. What it fails to keep is lost.
    ///
    /// # Errors
    /// Those of `keep`.
    pub fn keep_asked<E>(
        &self,
        keep: impl FnOnce(Vec<(HostKey, SystemTime)>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.lock().asked.is_empty() {
            return Ok(());
        }
        let _one_at_a_time = self.keeping.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = std::mem::take(&mut self.lock().asked);
        let mut asked: Vec<_> = asked.into_iter().collect();
        asked.sort_unstable();
        if asked.is_empty() {
            return Ok(());
        }
        keep(asked)
    }

    /// Leaves a host alone for this time, as it asked in an earlier run, but no longer than the limits allow: of a longer time, only a part
    /// is waited for, and a host that would make the crawl wait for longer in all is not asked again in this run. Returns how much of the
    /// time is heeded.
    pub fn leave_alone(&self, key: &HostKey, wait: Duration) -> Duration {
        let wait = self.limits.believed(wait);
        self.with(key, |host, now| {
            host.refusals.go_on(key, &self.limits, wait, now);
        });
        wait
    }

    /// Says that the host answered as it should.
    pub fn content(&self, key: &HostKey) {
        self.with(key, |host, _| host.refusals.end());
    }

    /// Whether the host is not asked again in this run.
    pub fn is_given_up(&self, key: &HostKey) -> bool {
        self.with(key, |host, _| host.refusals.is_given_up())
    }

    /// How many hosts are left alone because they refused, and for how much longer the first of them is.
    pub fn left_alone(&self, now: Instant) -> Option<(usize, Duration)> {
        let hosts = self.lock();
        let waits = (hosts.map.values())
            .filter(|host| !host.refusals.is_given_up())
            .filter_map(|host| host.refusals.closed_for(now));
        waits.fold(None, |all, wait| {
            let (hosts, first) = all.unwrap_or((0, wait));
            Some((hosts + 1, first.min(wait)))
        })
    }

    /// The number of hosts whose state is kept.
    pub fn hosts(&self) -> usize {
        self.lock().map.len()
    }
}

impl Hosts {
    fn of(&mut self, key: &HostKey, limits: &Limits, now: Instant) -> &mut Host {
        self.forget_idle(now);
        (self.map.entry(key.clone())).or_insert_with(|| Host::new(limits.delay, now))
    }

    fn forget_idle(&mut self, now: Instant) {
        if self.map.len() >= self.forget_at {
            self.map.retain(|_, host| !host.is_idle(now));
            let clock = SystemTime::now();
            self.asked.retain(|_, until| *until > clock);
            self.forget_at = (self.map.len() * 2).max(FORGET_FROM);
        }
    }
}

impl Gate for Politeness {
    fn check(&self, key: &HostKey, now: Instant) -> Result<(), NotYet> {
        self.with(key, |host, _| {
            host.ask(&self.limits, now)?;
            host.leases += 1;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polite(delay_ms: u64, per_host: usize) -> Politeness {
        Politeness::new(Limits {
            delay: Duration::from_millis(delay_ms),
            per_host,
            first_backoff: Duration::from_secs(1),
            ..Limits::default()
        })
    }

    fn host(name: &str) -> HostKey {
        HostKey::from_text(name)
    }

    fn wait(gate: &Politeness, name: &str) -> Duration {
        match gate.check(&host(name), Instant::now()) {
            Err(NotYet::For(wait)) => wait,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_delay_counts_from_the_answer() {
        let gate = polite(200, 1);
        assert!(gate.check(&host("a"), Instant::now()).is_ok());
        std::thread::sleep(Duration::from_millis(50));
        gate.answered(&host("a"));
        gate.returned(&host("a"));
        assert!(wait(&gate, "a") > Duration::from_millis(180));
        assert!(gate.check(&host("b"), Instant::now()).is_ok());
    }

    #[test]
    fn a_request_that_was_never_sent_costs_no_delay() {
        let gate = polite(60_000, 1);
        for _ in 0..3 {
            assert!(gate.check(&host("a"), Instant::now()).is_ok());
            gate.unused(&host("a"));
            gate.returned(&host("a"));
        }
    }

    #[test]
    fn without_delay_only_the_number_of_requests_counts() {
        let gate = polite(0, 2);
        let now = Instant::now();
        assert!(gate.check(&host("a"), now).is_ok());
        assert!(gate.check(&host("a"), now).is_ok());
        assert_eq!(gate.check(&host("a"), now), Err(NotYet::UntilReturned));
        gate.answered(&host("a"));
        gate.returned(&host("a"));
        assert!(gate.check(&host("a"), now).is_ok());
    }

    #[test]
    fn a_lease_gives_back_no_request_but_its_own() {
        let gate = polite(60_000, 1);
        assert!(gate.check(&host("a"), Instant::now()).is_ok());
        gate.answered(&host("a"));
        gate.unused(&host("a"));
        gate.returned(&host("a"));
        assert!(wait(&gate, "a") > Duration::from_secs(50));
    }

    #[test]
    fn a_crawl_delay_only_lengthens_the_delay() {
        let gate = polite(500, 1);
        gate.crawl_delay(&host("a"), Duration::from_millis(10));
        assert!(gate.check(&host("a"), Instant::now()).is_ok());
        gate.crawl_delay(&host("b"), Duration::from_secs(7));
        assert!(wait(&gate, "b") > Duration::from_secs(6));
    }

    #[test]
    fn a_request_that_is_no_lease_is_never_waited_for_by_its_return() {
        let gate = polite(0, 1);
        assert!(gate.check_other(&host("a")).is_ok());
        assert_eq!(
            gate.check(&host("a"), Instant::now()),
            Err(NotYet::For(POLL))
        );
        gate.other_returned(&host("a"));
        assert!(gate.check(&host("a"), Instant::now()).is_ok());
    }

    #[test]
    fn quiet_hosts_are_forgotten() {
        let gate = polite(0, 1);
        for n in 0..3 * FORGET_FROM {
            let key = host(&n.to_string());
            assert!(gate.check(&key, Instant::now()).is_ok());
            gate.returned(&key);
        }
        assert!(gate.hosts() <= FORGET_FROM);
    }
}
