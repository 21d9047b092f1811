//! What can a crawler ask of its frontier?

use std::{
    fmt,
    time::{Duration, Instant},
};

use crate::{
    Admitted, Dropped, FrontierError, HostKey, Lease, Outcome, Prediction, RawUrl, Trace, Via,
};

/// Takes links, hands out URLs to fetch, and learns from what came back.
pub trait Frontier: fmt::Debug + Send + Sync {
    /// Offers links that come from no lease (seeds, sitemaps); `out` gets one decision per link, in
    /// order.
    ///
    /// # Errors
    /// When the store cannot answer or write; nothing of the batch is admitted then.
    fn admit(
        &self,
        via: &Via<'_>,
        links: &[RawUrl<'_>],
        out: &mut Vec<Decision>,
    ) -> Result<(), FrontierError>;

    /// The next URL whose host is due and whose gate is open. Links that waited are judged again here
    /// if a stage has learned something since.
    ///
    /// # Errors
    /// When the store cannot answer.
    fn lease(&self, now: Instant, gate: &dyn Gate) -> Result<Turn, FrontierError>;

    /// Ends a lease, admits the links of the page and lets every stage learn, all in one commit;
    /// `out` gets one decision per link of the outcome, in order.
    ///
    /// # Errors
    /// When the store cannot write; the URL is then offered again after a restart.
    fn observe(
        &self,
        lease: Lease,
        outcome: &Outcome<'_>,
        out: &mut Vec<Decision>,
    ) -> Result<(), FrontierError>;

    /// Judges a link as [`admit`](Self::admit) would, on the same code path, writes every step down
    /// and changes nothing.
    ///
    /// # Errors
    /// When the store cannot answer.
    fn explain(&self, via: &Via<'_>, link: RawUrl<'_>) -> Result<Trace, FrontierError>;

    /// Makes everything acknowledged so far durable.
    ///
    /// # Errors
    /// When the store cannot write.
    fn flush(&self) -> Result<(), FrontierError>;
}

const _: Option<&dyn Frontier> = None;

/// The frontier's answer about one link.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// New: it waits in the queue.
    Admitted(Admitted),
    /// This very spelling is known, so there was nothing to decide.
    Known,
    /// Not wanted, for good or to the ledger.
    Dropped(Dropped),
}

/// What to do next.
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every turn is a lease, and it is moved once"
)]
#[derive(Debug)]
pub enum Turn {
    /// Fetch this.
    Fetch(Lease),
    /// No host is due: ask again after this time, or when a lease was handed back.
    Wait(Duration),
    /// Nothing is queued, but leases are out and may bring links.
    Idle,
    /// Nothing is queued and no lease is out.
    Drained,
}

/// Says whether a host may be asked now, and if not, when to ask again.
pub trait Gate: Send + Sync {
    /// Asked right before a URL of `host` would be handed out; `Ok` counts as one request.
    ///
    /// # Errors
    /// [`NotYet`] when the host must not be asked now.
    fn check(&self, host: &HostKey, now: Instant) -> Result<(), NotYet>;
}

/// Why a host must wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotYet {
    /// For this long.
    For(Duration),
    /// Until one of its leases has been handed back.
    UntilReturned,
}

/// A gate that is always open, for replays and tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct Open;

impl Gate for Open {
    fn check(&self, _host: &HostKey, _now: Instant) -> Result<(), NotYet> {
        Ok(())
    }
}

/// Is told every decision at the moment it takes effect, in order. The frontier reports drops; who
/// fetches reports fetches, at the moment the request goes out.
pub trait DecisionSink: Send + Sync {
    /// A URL is fetched: `probe` when a belief would have dropped it and exploration fetches it.
    fn fetched(&self, url: &Admitted, probe: Option<Prediction>);
    /// A link is dropped, at discovery or while it waited. `url` is its wire URL, or the raw text of
    /// a link that is no URL.
    fn dropped(&self, url: &str, dropped: &Dropped, via: Option<&str>);
    /// What was told so far is about to be committed. A sink that writes what it is told now misses
    /// nothing of what a killed crawl has committed; it may have told what was not, and is told again.
    fn before_commit(&self) {}
}
