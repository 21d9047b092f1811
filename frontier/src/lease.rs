//! Who has this URL now?

use crate::{Admitted, CanonicalUrl, Ticket};

/// A URL handed out to be fetched. It must be handed back to
/// [`Frontier::observe`](crate::Frontier::observe) of the frontier that gave it out, which consumes it; a lease that is
/// lost with the process is offered again after a restart.
#[must_use = "hand the lease back to `Frontier::observe`, or its host may never be asked again"]
#[derive(Debug)]
pub struct Lease {
    pub(crate) ticket: Ticket,
    pub(crate) admitted: Admitted,
    pub(crate) attempt: u16,
}

impl Lease {
    /// A lease that a frontier of one's own gives out ([an example](crate::Frontier#a-frontier-of-ones-own)).
    ///
    /// `ticket` names the entry of the queue that is settled once the lease comes back, and is not looked at by anybody
    /// else; with a [`Queue`](crate::Queue) it is what [`take`](crate::Queue::take) gave. `admitted` is the link as it was
    /// [sealed](crate::Candidate::seal), and `attempt` how many fetches of it failed before.
    ///
    /// A frontier is to be handed no lease but its own: [`LocalFrontier`](crate::LocalFrontier) does not check that, and
    /// would settle and count what it never gave out.
    pub const fn new(ticket: Ticket, admitted: Admitted, attempt: u16) -> Self {
        Self {
            ticket,
            admitted,
            attempt,
        }
    }

    /// What to fetch.
    pub fn url(&self) -> &CanonicalUrl {
        &self.admitted.url
    }

    /// The admitted link, with its class, depth and whether it is a probe.
    pub fn admitted(&self) -> &Admitted {
        &self.admitted
    }

    /// The entry of the queue that it was made of.
    pub const fn ticket(&self) -> &Ticket {
        &self.ticket
    }

    /// Fetches of this URL that failed before this one.
    pub fn attempt(&self) -> u16 {
        self.attempt
    }
}
