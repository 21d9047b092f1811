//! Leases: URLs handed out to be fetched.

use crate::{Admitted, CanonicalUrl, Ticket};

/// A URL handed out to be fetched. It must be handed back to the frontier that gave it out, which consumes it: to
/// [`Frontier::observe`](crate::Frontier::observe) with what came of it, or to
/// [`Frontier::release`](crate::Frontier::release) if it was not fetched. A lease that is lost with the process is
/// offered again after a restart.
///
/// # Leases are not to be dropped
///
/// A lease that is dropped counts as out for ever: its URL is not offered again before a restart, links to its page wait for it, and
/// the crawl never comes to its [end](crate::Turn::Drained). So code that may end early (a task that is cancelled, a future under a
/// timeout, a thread that panics) should hold its lease in a guard that gives it back:
///
/// ```
/// use std::time::Instant;
/// use nodust_frontier::{
///     Chain, Frontier, FrontierError, Lease, LocalFrontier, Open, Outcome, Turn, Via,
/// };
///
/// struct Held<'f> {
///     frontier: &'f dyn Frontier, // or an `Arc<dyn Frontier>`, in tasks
///     lease: Option<Lease>,
/// }
///
/// impl Held<'_> {
///     fn observe(mut self, outcome: &Outcome<'_>) -> Result<(), FrontierError> {
///         match self.lease.take() {
///             Some(lease) => self.frontier.observe(lease, outcome, &mut Vec::new()),
///             None => Ok(()),
///         }
///     }
/// }
///
/// impl Drop for Held<'_> {
///     fn drop(&mut self) {
///         if let Some(lease) = self.lease.take() {
///             let _ = self.frontier.release(lease); // tell it to your log
///         }
///     }
/// }
///
/// let frontier = LocalFrontier::builder(Chain::new()).build()?;
/// frontier.admit(&Via::seed(), &["http://a.example/".into()], &mut Vec::new())?;
/// let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open)? else { panic!("a seed waits") };
/// drop(Held { frontier: &frontier, lease: Some(lease) }); // the task was cancelled
/// assert!(matches!(frontier.lease(Instant::now(), &Open)?, Turn::Fetch(_)));
/// # Ok::<(), FrontierError>(())
/// ```
#[must_use = "hand the lease back to `Frontier::observe` or `Frontier::release`, or its URL, and links to its page, are not fetched before a restart"]
#[derive(Debug)]
pub struct Lease {
    pub(crate) ticket: Ticket,
    pub(crate) admitted: Admitted,
    pub(crate) attempt: u16,
    /// Number of the [`LocalFrontier`](crate::LocalFrontier) that gave it out; 0 of any other.
    pub(crate) giver: u64,
}

impl Lease {
    /// A lease given out by a frontier of your own ([an example](crate::Frontier#a-frontier-of-ones-own)).
    ///
    /// `ticket` names the queue entry that is settled once the lease comes back, and nobody else looks at it; with a
    /// [`Queue`](crate::Queue), it is what [`take`](crate::Queue::take) returned. `admitted` is the link as it was
    /// [sealed](crate::Candidate::seal), and `attempt` is how many fetches of it failed before.
    ///
    /// Hand a frontier only its own leases. [`LocalFrontier`](crate::LocalFrontier) refuses those made here, and those of another
    /// `LocalFrontier` ([`ForeignLease`](crate::FrontierError::ForeignLease)): whoever wraps one passes its leases on.
    pub const fn new(ticket: Ticket, admitted: Admitted, attempt: u16) -> Self {
        Self {
            ticket,
            admitted,
            attempt,
            giver: 0,
        }
    }

    /// The URL to fetch.
    pub fn url(&self) -> &CanonicalUrl {
        &self.admitted.url
    }

    /// The admitted link, with its class, its depth and whether it is a probe.
    pub fn admitted(&self) -> &Admitted {
        &self.admitted
    }

    /// The queue entry that it was made from.
    pub const fn ticket(&self) -> &Ticket {
        &self.ticket
    }

    /// Number of earlier fetches of this URL that failed and were to be [tried again](crate::FetchFailure::retry_after). Whoever
    /// fetches bounds its tries by it; nobody else does. It starts at 0 in each process.
    pub fn attempt(&self) -> u16 {
        self.attempt
    }
}
