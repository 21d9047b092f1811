//! Ends a lease, whatever came of it.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Inner, LocalFrontier, under_way::Back};
use crate::{FrontierError, Lease, Queued, Ticket};

/// A number for a frontier that no other of this process has, so that it knows its leases.
pub(super) fn new_giver() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1); // 0: a frontier of somebody else
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A lease that has come back, and ends when this does: its host must not wait for it for ever, whatever goes wrong, be it a
/// stage that panics.
pub(super) struct Ending<'f> {
    frontier: &'f LocalFrontier,
    ticket: &'f Ticket,
    back: Back,
    is_over: bool,
}

impl Ending<'_> {
    /// Its page has come.
    pub(super) fn has_come(&mut self) {
        self.back = Back::WithPage;
    }

    /// Ends it at once.
    pub(super) fn now(&mut self, inner: &mut Inner) {
        self.frontier.lease_back(inner, self.ticket, self.back);
        self.is_over = true;
    }
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.now(&mut self.frontier.inner());
        }
    }
}

impl LocalFrontier {
    /// The lease, if it is one of this frontier.
    pub(super) fn own(&self, lease: Lease) -> Result<Lease, FrontierError> {
        if lease.giver == self.giver {
            return Ok(lease);
        }
        Err(FrontierError::ForeignLease {
            lease: Box::new(lease),
        })
    }

    /// Ends a lease when what it answers goes: without a page, unless [told otherwise](Ending::has_come).
    pub(super) fn ending<'f>(&'f self, lease: &'f Lease) -> Ending<'f> {
        Ending {
            frontier: self,
            ticket: &lease.ticket,
            back: Back::Without,
            is_over: false,
        }
    }

    /// Takes back what was not fetched. As where a gate sends a link away, what the store does not know of it (that it failed
    /// before, or was chosen to be explored) is kept in memory; all else is at its place in the queue as if it had not been taken.
    pub(super) fn take_unfetched(&self, lease: Lease) {
        let Lease {
            ticket,
            admitted,
            attempt,
            ..
        } = lease;
        let inner = &mut self.inner();
        if attempt > 0 || admitted.probe.is_some() {
            let queued = Queued { admitted, attempt };
            inner.rotation.put_ready(ticket.clone(), queued);
        } else {
            self.store.put_back(&ticket);
        }
        self.lease_back(inner, &ticket, Back::Unfetched);
    }
}
