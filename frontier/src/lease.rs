//! Who has this URL now?

use crate::{Admitted, CanonicalUrl, Ticket};

/// A URL handed out to be fetched. It must be handed back to the frontier that gave it out, which consumes it: to
/// [`Frontier::observe`](crate::Frontier::observe) with what came of it, or to
/// [`Frontier::release`](crate::Frontier::release) if it was not fetched. A lease that is
/// lost with the process is offered again after a restart.
///
/// # Leases are not to be dropped
///
/// A lease that is dropped is counted as out for ever: its URL is not offered again before a restart, links to its page wait
/// for it, and the crawl never comes to its [end](crate::Turn::Drained). So whatever may end early (a task that is cancelled, a future
/// under a timeout, a thread that panics) is to hold its lease in something that gives it back:
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
    /// A lease that a frontier of one's own gives out ([an example](crate::Frontier#a-frontier-of-ones-own)).
    ///
    /// `ticket` names the entry of the queue that is settled once the lease comes back, and is not looked at by anybody
    /// else; with a [`Queue`](crate::Queue) it is what [`take`](crate::Queue::take) gave. `admitted` is the link as it was
    /// [sealed](crate::Candidate::seal), and `attempt` how many fetches of it failed before.
    ///
    /// A frontier is to be handed no lease but its own. [`LocalFrontier`](crate::LocalFrontier) refuses those made here, and those
    /// of another `LocalFrontier` ([`ForeignLease`](crate::FrontierError::ForeignLease)): whoever wraps one passes its leases on.
    pub const fn new(ticket: Ticket, admitted: Admitted, attempt: u16) -> Self {
        Self {
            ticket,
            admitted,
            attempt,
            giver: 0,
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

    /// Fetches of this URL that failed before this one and were to be [tried again](crate::FetchFailure::retry_after). Who fetches
    /// bounds its tries by it; nobody else does. It begins anew with the process.
    pub fn attempt(&self) -> u16 {
        self.attempt
    }
}
