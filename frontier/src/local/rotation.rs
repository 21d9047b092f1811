//! Chooses the host that may be asked next.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    time::{Duration, Instant},
};

use rustc_hash::FxHashMap;

use crate::{HostKey, Queued, Ticket};

/// Hosts with something to fetch, ordered by the time they are due; first due, first served.
#[derive(Debug, Default)]
pub(super) struct Rotation {
    due: BinaryHeap<Reverse<(Instant, u64, HostKey)>>,
    hosts: FxHashMap<HostKey, HostState>,
    /// Failed fetches that wait for another try.
    retries: BinaryHeap<Reverse<Retry>>,
    turns: u64,
    leases: usize,
}

/// A host that is due so much later than it is woken for was given up, and something of it came all the same.
const FAR: Duration = Duration::from_hours(24);
/// Longer than any crawl, and no more than a clock can be moved on by.
const FOR_GOOD: Duration = Duration::from_hours(24 * 3650);

/// Entries of the schedule that are left where they are, beside one for each host and another.
const FEW_STALE: usize = 64;

/// So long after `now`; however long that is, no later than when nobody waits any more.
pub(super) fn later(now: Instant, wait: Duration) -> Instant {
    now + wait.min(FOR_GOOD)
}

#[derive(Debug, Default)]
struct HostState {
    /// When it is due.
    scheduled: Option<Instant>,
    leases: u32,
    ready: Vec<(Ticket, Queued)>,
    /// Something of it failed, and nothing else was handed out since.
    has_failed: bool,
}

#[derive(Debug)]
struct Retry {
    at: Instant,
    turn: u64,
    ticket: Ticket,
    queued: Queued,
}

impl PartialEq for Retry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Retry {}
impl PartialOrd for Retry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Retry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.turn).cmp(&(other.at, other.turn))
    }
}

/// What the rotation has to offer.
pub(super) enum Next {
    /// This host is due.
    Host(HostKey),
    /// None is due before this time has passed.
    Wait(Duration),
    /// Nothing is scheduled.
    Nothing,
}

impl Rotation {
    /// The host has something to fetch.
    pub(super) fn wake(&mut self, host: &HostKey, at: Instant) {
        let state = match self.hosts.get_mut(host) {
            Some(state) => state,
            None => self.hosts.entry(host.clone()).or_default(),
        };
        if (state.scheduled).is_none_or(|due| due.saturating_duration_since(at) > FAR) {
            state.scheduled = Some(at);
            self.turns += 1;
            self.due.push(Reverse((at, self.turns, host.clone())));
            if self.due.len() > 2 * self.hosts.len() + FEW_STALE {
                let hosts = &self.hosts;
                (self.due).retain(|Reverse((at, _, host))| is_scheduled(hosts, *at, host));
            }
        }
    }

    /// The next host that is due; it leaves the schedule until woken again.
    pub(super) fn next(&mut self, now: Instant) -> Next {
        self.release_retries(now);
        self.forget_stale();
        let Some(Reverse((at, _, _))) = self.due.peek() else {
            return match self.retries.peek() {
                Some(Reverse(retry)) => Next::Wait(retry.at.saturating_duration_since(now)),
                None => Next::Nothing,
            };
        };
        if *at > now {
            let until_host = at.saturating_duration_since(now);
            let until_retry = self
                .retries
                .peek()
                .map(|Reverse(retry)| retry.at.saturating_duration_since(now));
            return Next::Wait(until_retry.map_or(until_host, |retry| retry.min(until_host)));
        }
        let Some(Reverse((_, _, host))) = self.due.pop() else {
            return Next::Nothing;
        };
        if let Some(state) = self.hosts.get_mut(&host) {
            state.scheduled = None;
        }
        Next::Host(host)
    }

    /// Leaves out hosts that were woken for an earlier time since.
    fn forget_stale(&mut self) {
        let hosts = &self.hosts;
        let is_stale = |(at, _, host): &(Instant, u64, HostKey)| !is_scheduled(hosts, *at, host);
        while self.due.peek().is_some_and(|Reverse(due)| is_stale(due)) {
            self.due.pop();
        }
    }

    fn release_retries(&mut self, now: Instant) {
        while self
            .retries
            .peek()
            .is_some_and(|Reverse(retry)| retry.at <= now)
        {
            let Some(Reverse(retry)) = self.retries.pop() else {
                return;
            };
            let host = retry.ticket.host.clone();
            self.hosts
                .entry(host.clone())
                .or_default()
                .ready
                .push((retry.ticket, retry.queued));
            self.wake(&host, now);
        }
    }

    /// A failed fetch waits for another try.
    pub(super) fn retry_at(&mut self, at: Instant, ticket: Ticket, queued: Queued) {
        if let Some(state) = self.hosts.get_mut(&ticket.host) {
            state.has_failed = true;
        }
        self.turns += 1;
        let turn = self.turns;
        self.retries.push(Reverse(Retry {
            at,
            turn,
            ticket,
            queued,
        }));
    }

    /// Whether another URL of this host comes before what failed is tried again: one that fails each time is no reason to take the
    /// host for one that does not answer.
    pub(super) fn wants_another(&self, host: &HostKey) -> bool {
        self.hosts.get(host).is_some_and(|state| state.has_failed)
    }

    /// A retry of this host whose time has come, or what else was [given back](Self::put_ready).
    pub(super) fn take_ready(&mut self, host: &HostKey) -> Option<(Ticket, Queued)> {
        self.hosts.get_mut(host)?.ready.pop()
    }

    /// Gives back what [`take_ready`](Self::take_ready) gave, or what is to be fetched as it is once its host may be asked.
    pub(super) fn put_ready(&mut self, ticket: Ticket, queued: Queued) {
        if let Some(state) = self.hosts.get_mut(&ticket.host) {
            state.ready.push((ticket, queued));
        }
    }

    pub(super) fn lease_out(&mut self, host: &HostKey) {
        self.leases += 1;
        let state = self.hosts.entry(host.clone()).or_default();
        state.leases += 1;
        state.has_failed = false;
    }

    /// A lease came back: the host may have been waiting for that.
    pub(super) fn lease_back(&mut self, host: &HostKey, now: Instant) {
        self.leases = self.leases.saturating_sub(1);
        if let Some(state) = self.hosts.get_mut(host) {
            state.leases = state.leases.saturating_sub(1);
        }
        self.wake(host, now);
    }

    pub(super) fn leases(&self) -> usize {
        self.leases
    }

    /// Whether a lease of the host is out, which wakes it when it comes back.
    pub(super) fn has_leases(&self, host: &HostKey) -> bool {
        self.hosts.get(host).is_some_and(|state| state.leases > 0)
    }

    /// Whether anything of the host waits for another try.
    pub(super) fn has_retries(&self, host: &HostKey) -> bool {
        (self.hosts.get(host)).is_some_and(|state| !state.ready.is_empty())
            || (self.retries.iter()).any(|Reverse(retry)| retry.ticket.host == *host)
    }

    /// The host has nothing to fetch: forget it unless something of it is still under way.
    pub(super) fn rest(&mut self, host: &HostKey) {
        let is_idle = self.hosts.get(host).is_some_and(|state| {
            state.scheduled.is_none() && state.leases == 0 && state.ready.is_empty()
        });
        if is_idle {
            self.hosts.remove(host);
        }
    }
}

/// Whether the host is due at this time indeed.
fn is_scheduled(hosts: &FxHashMap<HostKey, HostState>, at: Instant, host: &HostKey) -> bool {
    hosts
        .get(host)
        .is_some_and(|state| state.scheduled == Some(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_that_was_given_up_is_woken_when_something_of_it_comes_and_no_other_earlier_than_it_may()
     {
        let mut rotation = Rotation::default();
        let now = Instant::now();
        let (given_up, left_alone) = (HostKey::from_text("a"), HostKey::from_text("b"));
        rotation.wake(&given_up, later(now, Duration::MAX));
        rotation.wake(&left_alone, now + Duration::from_secs(9));
        rotation.wake(&given_up, now);
        rotation.wake(&left_alone, now);
        assert!(matches!(rotation.next(now), Next::Host(host) if host == given_up));
        assert!(matches!(rotation.next(now), Next::Wait(wait) if wait == Duration::from_secs(9)));
        let later = now + Duration::from_secs(10);
        assert!(matches!(rotation.next(later), Next::Host(host) if host == left_alone));
        assert!(matches!(rotation.next(later), Next::Nothing));
    }

    #[test]
    fn a_host_that_is_given_up_again_and_again_takes_no_more_room_each_time() {
        let mut rotation = Rotation::default();
        let now = Instant::now();
        let host = HostKey::from_text("a");
        for _ in 0..1_000 {
            rotation.wake(&host, later(now, Duration::MAX));
            rotation.wake(&host, now);
            assert!(matches!(rotation.next(now), Next::Host(_)));
        }
        assert!(rotation.due.len() < 100);
        rotation.wake(&host, now);
        assert!(matches!(rotation.next(now), Next::Host(_)));
    }
}
