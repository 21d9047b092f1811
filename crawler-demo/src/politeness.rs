//! May this host be asked now?
//!
//! A host is asked one request at a time (or as many as the configuration allows), and after an answer
//! began to arrive, not again before its delay is over. Counting from the answer and not from the
//! request is what makes the promise hold on the server's own clock: it never sees two requests closer
//! together than the delay, however long one of them travelled. `429`, `503` and `Retry-After` close
//! the host for longer, and so do failures to reach it; one that fails so many times in a row, or would
//! have the crawl wait for longer than it is ready to in all, is given up until the next run. Each host has
//! its own state, so that a slow one holds up nobody else; hosts that have been quiet are forgotten.
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

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use governor::{
    Quota, RateLimiter,
    clock::{Clock, MonotonicClock},
    middleware::NoOpMiddleware,
    state::{InMemoryState, NotKeyed},
};
use nodust_frontier::{Gate, HostKey, NotYet};

use crate::words::counted;

type Limiter = RateLimiter<NotKeyed, InMemoryState, MonotonicClock, NoOpMiddleware<Instant>>;

/// How much may be asked of a host.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Between the answer to a request and the next request.
    pub delay: Duration,
    /// Requests at the same time.
    pub per_host: usize,
    /// A longer `Crawl-delay` counts as this.
    pub max_crawl_delay: Duration,
    /// First wait after a 429 or 503 without `Retry-After`; it doubles with each one that follows.
    pub first_backoff: Duration,
    /// Longest such wait, and longest `Retry-After` that is believed.
    pub max_backoff: Duration,
    /// A host that refused or could not be reached this many times in a row is asked no more.
    pub give_up_after: u32,
    /// Nor is one whose waits in a row, with the next, would come to more than this.
    pub max_wait: Duration,
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

/// How soon to ask again about a host that is busy with a request that is no lease (a sitemap).
const POLL: Duration = Duration::from_millis(50);
/// A wait that a reader of the log should know of.
const WORTH_TELLING: Duration = Duration::from_secs(30);
/// The state of quiet hosts is given up when it holds this many hosts, and again at each doubling.
const FORGET_FROM: usize = 4096;

/// What the gate says of a host that was given up: so long that no run lasts until then.
const FOR_GOOD: Duration = Duration::from_hours(24 * 3650);

/// Whether a wait is that for a host which was given up.
pub const fn is_for_good(wait: Duration) -> bool {
    // The wait was counted from a little earlier.
    wait.as_secs() > FOR_GOOD.as_secs() / 2
}

/// State of all hosts; the [`Gate`] of the frontier.
#[derive(Debug)]
pub struct Politeness {
    limits: Limits,
    hosts: Mutex<Hosts>,
}

#[derive(Debug)]
struct Hosts {
    map: HashMap<HostKey, Host>,
    forget_at: usize,
}

#[derive(Debug)]
struct Host {
    limiter: Option<Limiter>,
    delay: Duration,
    leases: usize,
    others: usize,
    closed_until: Option<Instant>,
    /// Refusals (429, 503) and failures to reach it in a row.
    refusals: u32,
    /// How long it was left alone for these, in all.
    waited: Duration,
    /// So many that it is left alone for good.
    given_up: bool,
    /// Requests permitted since the delay began.
    taken: u32,
    /// Until then its state matters.
    busy_until: Instant,
}

impl Host {
    fn new(delay: Duration, now: Instant) -> Self {
        Self {
            limiter: limiter(delay),
            delay,
            leases: 0,
            others: 0,
            closed_until: None,
            refusals: 0,
            waited: Duration::ZERO,
            given_up: false,
            taken: 0,
            busy_until: now,
        }
    }

    fn ask(&mut self, limits: &Limits, now: Instant) -> Result<(), NotYet> {
        if self.given_up {
            return Err(NotYet::For(FOR_GOOD));
        }
        if self.leases + self.others >= limits.per_host {
            return Err(if self.leases > 0 {
                NotYet::UntilReturned
            } else {
                NotYet::For(POLL)
            });
        }
        if let Some(wait) = self.closed_for(now) {
            return Err(NotYet::For(wait));
        }
        match self.limiter.as_ref().map(RateLimiter::check) {
            None | Some(Ok(())) => {
                self.taken = self.taken.saturating_add(1);
                Ok(())
            }
            Some(Err(not_until)) => {
                let wait = not_until.wait_time_from(MonotonicClock.now());
                Err(NotYet::For(wait.max(Duration::from_millis(1))))
            }
        }
    }

    fn closed_for(&self, now: Instant) -> Option<Duration> {
        self.closed_until
            .and_then(|until| until.checked_duration_since(now))
            .filter(|wait| !wait.is_zero())
    }

    /// The delay begins anew.
    fn restart(&mut self, now: Instant) {
        if let Some(fresh) = limiter(self.delay) {
            // Its only cell: the next is there once the delay is over.
            let _ = fresh.check();
            self.limiter = Some(fresh);
        }
        self.taken = 0;
        self.busy_until = self.busy_until.max(now + self.delay);
    }

    fn is_idle(&self, now: Instant) -> bool {
        self.leases + self.others == 0
            && !self.given_up
            && self.busy_until <= now
            && self.closed_for(now).is_none()
    }
}

fn limiter(delay: Duration) -> Option<Limiter> {
    // One cell, refilled once per delay; no limiter without a delay.
    let quota = Quota::with_period(delay)?;
    Some(RateLimiter::direct_with_clock(quota, MonotonicClock))
}

impl Politeness {
    /// No host has been asked yet.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            hosts: Mutex::new(Hosts {
                map: HashMap::new(),
                forget_at: FORGET_FROM,
            }),
        }
    }

    /// What was configured.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Guards all hosts; never held across an await.
    fn lock(&self) -> MutexGuard<'_, Hosts> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, key: &HostKey, change: impl FnOnce(&mut Host, Instant) -> T) -> T {
        let now = Instant::now();
        let mut hosts = self.lock();
        hosts.forget_idle(now);
        let host = hosts
            .map
            .entry(key.clone())
            .or_insert_with(|| Host::new(self.limits.delay, now));
        change(host, now)
    }

    /// Asks for a request that is no lease (a sitemap); hand it back with
    /// [`other_returned`](Self::other_returned).
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

    /// A request that was no lease is over.
    pub fn other_returned(&self, key: &HostKey) {
        self.with(key, |host, _| host.others = host.others.saturating_sub(1));
    }

    /// A lease is over, whatever came of it.
    pub fn returned(&self, key: &HostKey) {
        self.with(key, |host, _| host.leases = host.leases.saturating_sub(1));
    }

    /// The host has begun to answer, or was given up: its delay begins now.
    pub fn answered(&self, key: &HostKey) {
        self.with(key, Host::restart);
    }

    /// Nothing was sent after all: the request that [`Gate::check`] counted was none, and the next may
    /// be made at once. Does nothing if the host was asked since, or is being asked, by anybody else.
    pub fn unused(&self, key: &HostKey) {
        self.with(key, |host, _| {
            if host.taken == 1 && host.leases + host.others <= 1 {
                host.taken = 0;
                // With a burst of one, a limiter that said yes was full before, as a new one is.
                host.limiter = limiter(host.delay);
            }
        });
    }

    /// How long the holder of a lease must wait before another request to the same host; counts as
    /// that request when there is nothing to wait for.
    pub fn again(&self, key: &HostKey) -> Option<Duration> {
        self.with(key, |host, now| {
            if let Some(wait) = host.closed_for(now) {
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

    /// The host's robots.txt names a delay. The longer of this and the configured one counts.
    pub fn crawl_delay(&self, key: &HostKey, delay: Duration) {
        let delay = delay.min(self.limits.max_crawl_delay);
        self.with(key, |host, now| {
            if delay > host.delay {
                host.delay = delay;
                host.restart(now);
            }
        });
    }

    /// The host answered 429 or 503, or could not be reached: it is left alone, for as long as it says
    /// or longer each time, and for good after too many in a row or when that would take too long in all.
    /// What fails while it is left alone was under way before, and counts as the same refusal. Returns for
    /// how long; no time when it was given up, since there is nothing to wait for.
    pub fn refused(&self, key: &HostKey, retry_after: Option<Duration>) -> Duration {
        self.with(key, |host, now| {
            let is_same = host.refusals > 0 && host.closed_for(now).is_some();
            if !is_same {
                host.refusals = host.refusals.saturating_add(1);
            }
            let doubled = self
                .limits
                .first_backoff
                .saturating_mul(1 << host.refusals.saturating_sub(1).min(16));
            let wait = retry_after.unwrap_or(doubled).min(self.limits.max_backoff);
            let more = wait.saturating_sub(host.closed_for(now).unwrap_or_default());
            let in_all = host.waited.saturating_add(more);
            let too_often = host.refusals >= self.limits.give_up_after;
            if host.given_up || too_often || in_all > self.limits.max_wait {
                if !host.given_up {
                    host.given_up = true;
                    tell_given_up(key, host.refusals, in_all, too_often);
                }
                return Duration::ZERO;
            }
            host.waited = in_all;
            if !is_same {
                tell_wait(key, host.refusals, wait);
            }
            let until = now + wait;
            host.closed_until = Some(host.closed_until.map_or(until, |old| old.max(until)));
            host.busy_until = host.busy_until.max(until);
            wait
        })
    }

    /// The host answered as it should.
    pub fn content(&self, key: &HostKey) {
        self.with(key, |host, _| {
            host.refusals = 0;
            host.waited = Duration::ZERO;
            host.given_up = false;
        });
    }

    /// Whether the host is asked no more in this run.
    pub fn is_given_up(&self, key: &HostKey) -> bool {
        self.with(key, |host, _| host.given_up)
    }

    /// Hosts whose state is kept.
    pub fn hosts(&self) -> usize {
        self.lock().map.len()
    }
}

/// Says that the crawl waits, and for how long: the first time, and whenever it is for long.
fn tell_wait(key: &HostKey, refusals: u32, wait: Duration) {
    if wait.is_zero() {
        return;
    }
    if refusals == 1 || wait >= WORTH_TELLING {
        tracing::info!(
            "{key} refused or could not be reached ({refusals} in a row): it is left alone for {wait:.0?}"
        );
    } else {
        tracing::debug!("{key} is left alone for {wait:.0?} ({refusals} in a row)");
    }
}

fn tell_given_up(key: &HostKey, refusals: u32, in_all: Duration, too_often: bool) {
    if too_often {
        tracing::warn!(
            "{key} is given up for this run: it refused or could not be reached {} in a row",
            counted(refusals.into(), "time")
        );
    } else {
        tracing::warn!(
            "{key} is given up for this run: with the wait it asks for, that would be {in_all:.0?} (max_host_wait_secs allows less)"
        );
    }
}

impl Hosts {
    fn forget_idle(&mut self, now: Instant) {
        if self.map.len() >= self.forget_at {
            self.map.retain(|_, host| !host.is_idle(now));
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

/// How long a `Retry-After` field asks to wait: seconds or a date (RFC 9110, section 10.2.3).
pub fn retry_after(field: &str, now: std::time::SystemTime) -> Option<Duration> {
    let field = field.trim();
    if let Ok(seconds) = field.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(field).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

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
    fn refusals_back_off_further_each_time_until_the_host_is_content() {
        let gate = Politeness::new(Limits {
            delay: Duration::ZERO,
            first_backoff: Duration::from_millis(50),
            ..Limits::default()
        });
        let a = host("a");
        for expected in [50, 100] {
            let wait = gate.refused(&a, None);
            assert_eq!(wait, Duration::from_millis(expected));
            // What was under way at the same time is no refusal of its own.
            assert_eq!(gate.refused(&a, None), wait);
            std::thread::sleep(wait + Duration::from_millis(5));
        }
        assert_eq!(
            gate.refused(&a, Some(Duration::from_secs(9))),
            Duration::from_secs(9)
        );
        assert!(wait(&gate, "a") > Duration::from_secs(8));
        gate.content(&a);
        assert_eq!(gate.refused(&a, None), Duration::from_millis(50));
        assert_eq!(
            gate.refused(&a, Some(Duration::from_hours(24))),
            gate.limits.max_backoff
        );
    }

    #[test]
    fn a_host_that_refuses_for_ever_is_given_up() {
        let gate = Politeness::new(Limits {
            delay: Duration::ZERO,
            give_up_after: 3,
            max_backoff: Duration::ZERO,
            ..Limits::default()
        });
        let a = host("a");
        for _ in 0..3 {
            assert!(gate.check(&a, Instant::now()).is_ok());
            gate.refused(&a, Some(Duration::from_hours(1)));
            gate.returned(&a);
        }
        assert!(gate.is_given_up(&a) && is_for_good(wait(&gate, "a")));
        assert!(gate.check_other(&a).is_err_and(is_for_good));
    }

    #[test]
    fn a_host_that_would_have_the_crawl_wait_too_long_in_all_is_given_up() {
        let gate = Politeness::new(Limits {
            max_wait: Duration::from_secs(10),
            ..Limits::default()
        });
        let a = host("a");
        // Asks for more at once than the crawl is ready to wait.
        assert_eq!(
            gate.refused(&a, Some(Duration::from_secs(11))),
            Duration::ZERO
        );
        assert!(gate.is_given_up(&a));
        // What it asks for while it is left alone is waited for together, and only what is more counts.
        let b = host("b");
        let (four, nine) = (Duration::from_secs(4), Duration::from_secs(9));
        assert_eq!(gate.refused(&b, Some(four)), four);
        assert_eq!(gate.refused(&b, Some(four)), four);
        assert_eq!(gate.refused(&b, Some(nine)), nine);
        assert!(!gate.is_given_up(&b));
        gate.refused(&b, Some(Duration::from_secs(20)));
        assert!(gate.is_given_up(&b));
        gate.content(&b);
        assert_eq!(gate.refused(&b, Some(nine)), nine);
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

    #[test]
    fn retry_after_is_read_as_seconds_and_as_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        assert_eq!(retry_after("120", now), Some(Duration::from_mins(2)));
        assert_eq!(
            retry_after("Sun, 06 Nov 1994 08:50:37 GMT", now),
            Some(Duration::from_mins(1))
        );
        assert_eq!(
            retry_after("Sat, 06 Nov 1993 08:50:37 GMT", now),
            Some(Duration::ZERO)
        );
        assert_eq!(retry_after("soon", now), None);
    }
}
