//! How long one host must be left alone.

use std::time::{Duration, Instant};

use governor::{
    Quota, RateLimiter,
    clock::{Clock, MonotonicClock},
    middleware::NoOpMiddleware,
    state::{InMemoryState, NotKeyed},
};
use nodust_frontier::NotYet;

use super::{
    Limits,
    refusals::{FOR_GOOD, Refusals},
};

type Limiter = RateLimiter<NotKeyed, InMemoryState, MonotonicClock, NoOpMiddleware<Instant>>;

/// How soon to ask again about a host that is busy with a request that is no lease (a sitemap).
pub(super) const POLL: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub(super) struct Host {
    pub(super) limiter: Option<Limiter>,
    pub(super) delay: Duration,
    pub(super) leases: usize,
    pub(super) others: usize,
    pub(super) refusals: Refusals,
    /// Requests permitted since the delay began.
    pub(super) taken: u32,
    /// Until then its state matters.
    busy_until: Instant,
}

impl Host {
    pub(super) fn new(delay: Duration, now: Instant) -> Self {
        Self {
            limiter: limiter(delay),
            delay,
            leases: 0,
            others: 0,
            refusals: Refusals::default(),
            taken: 0,
            busy_until: now,
        }
    }

    pub(super) fn ask(&mut self, limits: &Limits, now: Instant) -> Result<(), NotYet> {
        if self.refusals.is_given_up() {
            return Err(NotYet::For(FOR_GOOD));
        }
        if self.leases + self.others >= limits.per_host {
            return Err(if self.leases > 0 {
                NotYet::UntilReturned
            } else {
                NotYet::For(POLL)
            });
        }
        if let Some(wait) = self.refusals.closed_for(now) {
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

    /// The delay begins anew.
    pub(super) fn restart(&mut self, now: Instant) {
        if let Some(fresh) = limiter(self.delay) {
            // Its only cell: the next is there once the delay is over.
            let _ = fresh.check();
            self.limiter = Some(fresh);
        }
        self.taken = 0;
        self.busy_until = self.busy_until.max(now + self.delay);
    }

    pub(super) fn is_idle(&self, now: Instant) -> bool {
        self.leases + self.others == 0
            && !self.refusals.is_given_up()
            && self.busy_until <= now
            && self.refusals.closed_for(now).is_none()
    }
}

pub(super) fn limiter(delay: Duration) -> Option<Limiter> {
    // One cell, refilled once per delay; no limiter without a delay.
    let quota = Quota::with_period(delay)?;
    Some(RateLimiter::direct_with_clock(quota, MonotonicClock))
}
