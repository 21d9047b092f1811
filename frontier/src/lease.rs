//! Who has this URL now?

use crate::{Admitted, CanonicalUrl, Ticket};

/// A URL handed out to be fetched. It must be handed back to
/// [`Frontier::observe`](crate::Frontier::observe), which consumes it; a lease that is lost with the
/// process is offered again after a restart.
#[must_use = "hand the lease back to `Frontier::observe`, or its host may never be asked again"]
#[derive(Debug)]
pub struct Lease {
    pub(crate) ticket: Ticket,
    pub(crate) admitted: Admitted,
    pub(crate) attempt: u16,
}

impl Lease {
    /// What to fetch.
    pub fn url(&self) -> &CanonicalUrl {
        &self.admitted.url
    }

    /// The admitted link, with its class, depth and whether it is a probe.
    pub fn admitted(&self) -> &Admitted {
        &self.admitted
    }

    /// Fetches of this URL that failed before this one.
    pub fn attempt(&self) -> u16 {
        self.attempt
    }
}
