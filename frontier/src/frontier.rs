//! The interface between a crawler and its frontier.

use std::{
    fmt, io,
    time::{Duration, Instant},
};

use crate::{
    Admitted, Dropped, FrontierError, HostKey, Lease, Outcome, Prediction, RawUrl, Trace, Via,
};

/// Takes links, hands out URLs to fetch, and learns from what came back.
///
/// [`LocalFrontier`](crate::LocalFrontier) is an implementation, and can be wrapped.
///
/// # Blocking
///
/// Calls block. Those of [`LocalFrontier`](crate::LocalFrontier) take a lock and may wait for the disk: to read the queue, to write if the
/// store flushes each commit (`FlushPolicy::EachCommit`), and every 256th page while the stages put their state in order. From async code,
/// call them in `tokio::task::spawn_blocking`, or from a thread of their own that is reached by channels. An [`Outcome`] borrows text and
/// links: move what owns them into the closure, and make the outcome there.
///
/// # A frontier of one's own
///
/// The chain judges; the frontier remembers and orders. The one below is first come, first served, in memory. It tries nothing twice, and
/// ends with its process. For prediction to save much, and to be found out where it is wrong, two things are missing. Links that waited
/// must be [judged again](crate::Chain::judge_again). And some of what is dropped must be [explored](crate::Exploration::picks), except
/// links of a page that was explored itself and brought nothing new ([`Admitted::leads_to_copies`]): if each page had links of its own,
/// exploring those would never end. This frontier also keeps nothing of what the stages ask for ([`Effects`](crate::Effects)), so that what
/// a belief dropped does not come back when the belief falls. The example `own_frontier` of `nodust-middleware` does all this, and keeps
/// what was learned for the next process:
///
/// ```
/// use std::{
///     collections::{HashSet, VecDeque},
///     sync::Mutex,
///     time::Instant,
/// };
/// use nodust_frontier::{
///     Batch, CanonicalUrl, Chain, Decision, Effects, FetchedPage, Fingerprint, Frontier, FrontierError, Gate, Lease, NotYet,
///     Observation, Open, Origin, Outcome, Queued, RawUrl, Slot, Ticket, Trace, Turn, Via,
/// };
///
/// const MOST_REDIRECTS: u8 = 10; // in a row: some sites redirect without end
///
/// #[derive(Debug, Default)]
/// struct Fifo {
///     chain: Chain,
///     state: Mutex<State>,
/// }
///
/// #[derive(Debug, Default)]
/// struct State {
///     known: HashSet<Fingerprint>,
///     waiting: VecDeque<Queued>,
///     given_out: u64,
///     is_out: u64,
/// }
///
/// impl Frontier for Fifo {
///     fn admit(
///         &self,
///         via: &Via<'_>,
///         links: &[RawUrl<'_>],
///         out: &mut Vec<Decision>,
///     ) -> Result<(), FrontierError> {
///         let mut batch = Batch::default();
///         self.chain.judge(via, links, &mut batch);
///         let mut state = self.state.lock().unwrap();
///         for slot in batch.slots_mut() {
///             let Slot::Live(link) = slot else { continue };
///             let (spelling, class) = (link.key(), link.class_key());
///             // Where a redirect leads is often of the class that it comes from (`http` to `https`, or to `www.`), and is the page all
///             // the same: it is new if its spelling is. So spellings that were not admitted are not noted as known.
///             let is_target = via.origin() == Origin::Redirect;
///             let is_known = state.known.contains(&class) && !is_target;
///             if is_known || state.known.contains(&spelling) {
///                 *slot = Slot::Known;
///             } else {
///                 state.known.extend([spelling, class]);
///             }
///         }
///         self.chain.predict(via, &mut batch); // of those that are new
///         out.extend(batch.drain().map(|slot| match slot {
///             Slot::Live(link) => {
///                 let admitted = link.seal(via, 0);
///                 state.waiting.push_back(Queued { admitted: admitted.clone(), attempt: 0 });
///                 Decision::Admitted(admitted)
///             }
///             Slot::Known => Decision::Known,
///             Slot::Dropped(_, dropped) => Decision::Dropped(dropped),
///         }));
///         Ok(())
///     }
///
///     fn lease(&self, now: Instant, gate: &dyn Gate) -> Result<Turn, FrontierError> {
///         let mut state = self.state.lock().unwrap();
///         let Some(next) = state.waiting.front() else {
///             return Ok(if state.is_out > 0 { Turn::Idle } else { Turn::Drained });
///         };
///         match gate.check(next.admitted.url.host(), now) {
///             Err(NotYet::For(time)) => return Ok(Turn::Wait(time)),
///             Err(NotYet::UntilReturned) => return Ok(Turn::Idle),
///             Ok(()) => {}
///         }
///         let Queued { admitted, attempt } = state.waiting.pop_front().expect("it was seen above");
///         state.is_out += 1;
///         state.given_out += 1;
///         let ticket = Ticket {
///             host: admitted.url.host().clone(),
///             position: state.given_out,
///             priority: admitted.priority,
///         };
///         Ok(Turn::Fetch(Lease::new(ticket, admitted, attempt)))
///     }
///
///     fn observe(
///         &self,
///         lease: Lease,
///         outcome: &Outcome<'_>,
///         out: &mut Vec<Decision>,
///     ) -> Result<(), FrontierError> {
///         let target = match outcome {
///             Outcome::Redirected { target, .. } => {
///                 CanonicalUrl::resolve(target.as_str(), Some(lease.url().as_url())).ok()
///             }
///             _ => None,
///         };
///         let seen = Observation { url: lease.admitted(), outcome, points_to: target.as_ref() };
///         self.chain.observe(&seen, &mut Effects::default());
///         let base = match outcome {
///             Outcome::Fetched(page) => page.base_url(lease.url()),
///             _ => None,
///         };
///         let via = Via::page(lease.url())
///             .at_depth(lease.admitted().depth)
///             .after_redirects(lease.admitted().redirects)
///             .with_base(base.as_ref());
///         match outcome {
///             Outcome::Fetched(page) if page.is_success() => self.admit(&via, page.links, out)?,
///             Outcome::Redirected { target, .. } if lease.admitted().redirects < MOST_REDIRECTS => {
///                 self.admit(&via.found_by(Origin::Redirect), &[*target], out)?;
///             }
///             _ => {}
///         }
///         self.state.lock().unwrap().is_out -= 1;
///         Ok(())
///     }
///
///     fn release(&self, lease: Lease) -> Result<(), FrontierError> {
///         let mut state = self.state.lock().unwrap();
///         let (admitted, attempt) = (lease.admitted().clone(), lease.attempt());
///         state.waiting.push_front(Queued { admitted, attempt });
///         state.is_out -= 1;
///         Ok(())
///     }
///
///     fn explain(&self, via: &Via<'_>, link: RawUrl<'_>) -> Result<Trace, FrontierError> {
///         Ok(self.chain.explain(via, link))
///     }
///
///     fn flush(&self) -> Result<(), FrontierError> {
///         Ok(())
///     }
/// }
///
/// let frontier = Fifo::default();
/// let mut decisions = Vec::new();
/// frontier.admit(&Via::seed(), &["http://a.example/".into()], &mut decisions)?;
/// let mut fetched = Vec::new();
/// while let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open)? {
///     fetched.push(lease.url().to_string());
///     let links = ["/about", "/#top"].map(RawUrl::new);
///     let page = FetchedPage { status: 200, links: &links, ..FetchedPage::default() };
///     frontier.observe(lease, &Outcome::Fetched(page), &mut decisions)?;
/// }
/// assert_eq!(fetched, ["http://a.example/", "http://a.example/about"]);
/// # Ok::<(), FrontierError>(())
/// ```
pub trait Frontier: fmt::Debug + Send + Sync {
    /// Offers links that come from no lease (seeds, sitemaps); `out` gets one decision per link, in order. After a crash, no page
    /// brings these links again: offer them at each start (what is known stays known), or [`flush`](Self::flush).
    ///
    /// # Errors
    /// If the store cannot answer or write; nothing of the batch is admitted then.
    fn admit(
        &self,
        via: &Via<'_>,
        links: &[RawUrl<'_>],
        out: &mut Vec<Decision>,
    ) -> Result<(), FrontierError>;

    /// Returns the next URL whose host is due and whose gate is open. Links that waited are judged again here if a
    /// stage has learned something since. The lease must be handed back to [`observe`](Self::observe) or
    /// [`release`](Self::release), [whatever happens](Lease#leases-are-not-to-be-dropped).
    ///
    /// # Errors
    /// If the store cannot answer.
    fn lease(&self, now: Instant, gate: &dyn Gate) -> Result<Turn, FrontierError>;

    /// Whether a stage asks for a second answer for the URL of a lease whose page has come and was not observed yet. Hand the second answer
    /// in with the page, as [`FetchedPage::refetched`](crate::FetchedPage::refetched). This is so for few pages, and whoever fetches may
    /// ignore it. Ask once per lease: what was asked for is counted.
    fn wants_refetch(&self, lease: &Lease) -> bool {
        let _ = lease;
        false
    }

    /// Ends a lease, admits the links of the page and lets every stage learn, all in one commit. `out` gets one decision per link that is
    /// followed, in order. Followed are all links of a page that [was there](crate::FetchedPage::is_success), the target of a redirect,
    /// those [links](crate::FetchedPage::links) of a [missing](crate::FetchedPage::is_missing) page that do not lead deep down, and none of
    /// any other answer (403, 429, 503, …) or failure. Hand in every lease that was tried, also if it failed: the stages learn from that,
    /// and what waits for the page goes on.
    ///
    /// If a stage panics, the lease has ended all the same. Nothing is committed, and the URL is offered again after a restart. If it
    /// panicked while new links were judged, the frontier does nothing any more ([`OutOfStep`](FrontierError::OutOfStep)).
    ///
    /// # Errors
    /// If the store cannot write. The URL is then offered again after a restart, unless the failed write was the stages' periodic
    /// checkpoint beside the page. Afterwards the frontier is [`OutOfStep`](FrontierError::OutOfStep).
    /// [`ForeignLease`](FrontierError::ForeignLease) if the lease is of another frontier; nothing is done then.
    fn observe(
        &self,
        lease: Lease,
        outcome: &Outcome<'_>,
        out: &mut Vec<Decision>,
    ) -> Result<(), FrontierError>;

    /// Gives back a lease whose URL was not fetched: because the crawl stops, a task was cancelled, or the fetcher has no room. The URL is
    /// queued again at its place, no try is counted, and links that waited for its page go on, as does its host. Nothing is written,
    /// because the URL never left the store's queue. The [`Gate`] is not told: for it, a request was made.
    ///
    /// A URL that is given back may be the next one to be leased. Hand what was tried and failed to [`observe`](Self::observe) instead, or
    /// it would be tried for ever. [`Lease`] shows how to give a lease back whatever happens to the task that holds it.
    ///
    /// ```
    /// use std::time::Instant;
    /// use nodust_frontier::{Chain, Frontier, LocalFrontier, Open, Turn, Via};
    ///
    /// let frontier = LocalFrontier::builder(Chain::new()).build()?;
    /// frontier.admit(&Via::seed(), &["http://a.example/".into()], &mut Vec::new())?;
    /// let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open)? else { panic!("a seed waits") };
    /// assert!(matches!(frontier.lease(Instant::now(), &Open)?, Turn::Idle));
    /// frontier.release(lease)?;
    /// let Turn::Fetch(again) = frontier.lease(Instant::now(), &Open)? else { panic!("it is queued again") };
    /// assert_eq!((again.url().as_str(), again.attempt()), ("http://a.example/", 0));
    /// # Ok::<(), nodust_frontier::FrontierError>(())
    /// ```
    ///
    /// # Errors
    /// [`ForeignLease`](FrontierError::ForeignLease) when the lease is of another frontier; nothing is done then.
    fn release(&self, lease: Lease) -> Result<(), FrontierError>;

    /// Judges a link as [`admit`](Self::admit) would, on the same code path, records every step and changes nothing.
    ///
    /// With [`Via::seed`], it is judged as a seed. Neither predictions nor filters drop seeds, so a URL that would be dropped
    /// as a link is wanted as a seed. To ask about a link, give the page it is on ([`Via::page`]).
    ///
    /// # Errors
    /// If the store cannot answer.
    fn explain(&self, via: &Via<'_>, link: RawUrl<'_>) -> Result<Trace, FrontierError>;

    /// Makes everything acknowledged so far durable.
    ///
    /// # Errors
    /// If the store cannot write.
    fn flush(&self) -> Result<(), FrontierError>;
}

const _: Option<&dyn Frontier> = None;

/// The frontier's answer about one link.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// New: it waits in the queue.
    Admitted(Admitted),
    /// This exact spelling is known, so there was nothing to decide.
    Known,
    /// Not wanted: for good, or kept in the ledger.
    Dropped(Dropped),
}

/// What to do next.
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every turn is a lease, and it is moved once"
)]
#[must_use = "a `Turn::Fetch` holds a lease that is to be handed back, and the others say when to ask again"]
#[derive(Debug)]
pub enum Turn {
    /// Fetch this URL.
    Fetch(Lease),
    /// No host is due: ask again after this time, or when a lease has been handed back.
    ///
    /// The time is what the [`Gate`] says. A gate that gives hosts up may say *years*: `nodust_crawler::politeness::Politeness` says ten if
    /// only such hosts are left. The caller then ends its loop (`nodust_crawler::politeness::is_for_good` tells) once no lease is out; what
    /// is queued stays in the store for another run.
    Wait(Duration),
    /// Nothing can be handed out before a lease comes back: its page may bring links, or what is queued waits for it.
    Idle,
    /// Nothing is queued and no lease is out: the crawl is at its end. Never returned while something is queued, whatever the [`Gate`]
    /// says.
    Drained,
}

/// Decides whether a host may be asked now, and if not, when to ask again.
///
/// A gate that counts requests under way must be told of an answer before the lease goes back to [`Frontier::observe`] or
/// [`Frontier::release`]: the frontier asks the gate again as soon as it has the lease. A gate that is told afterwards may say
/// [`UntilReturned`](NotYet::UntilReturned) once more though no lease of the host is out. [`LocalFrontier`](crate::LocalFrontier) then
/// asks again 10 ms later, each time, which costs the host that time and the caller some turns.
pub trait Gate: Send + Sync {
    /// Called right before a URL of `host` would be handed out; `Ok` counts as one request.
    ///
    /// [`LocalFrontier`](crate::LocalFrontier) calls it under its lock: a gate that calls the frontier from here (`totals`, `stats`,
    /// `beliefs`, `lease`, …) deadlocks. What the gate needs to know of the frontier must be passed to it from outside.
    ///
    /// # Errors
    /// [`NotYet`] if the host must not be asked now.
    fn check(&self, host: &HostKey, now: Instant) -> Result<(), NotYet>;
}

/// Why a host must wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotYet {
    /// For this long.
    For(Duration),
    /// Until one of its leases has been handed back. For a host that has a lease out, as the frontier counts: the gate is asked again for
    /// the host when one comes back. If none is out, [`LocalFrontier`](crate::LocalFrontier) asks again after 10 ms. So a gate that waits
    /// for something else, such as leases of other hosts, should say [`For`](Self::For).
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

/// Receives every decision at the moment it takes effect, in order. The frontier reports drops; whoever fetches reports
/// fetches, at the moment the request goes out.
///
/// [`LocalFrontier`](crate::LocalFrontier) reports drops and commits under its lock: a sink that calls the frontier from there (`totals`,
/// `stats`, `beliefs`, `lease`, …) deadlocks. Work that needs the frontier must go to another thread, which the sink must not wait for.
pub trait DecisionSink: Send + Sync {
    /// A URL is fetched. `probe` is set if a belief would have dropped it and exploration fetches it.
    fn fetched(&self, url: &Admitted, probe: Option<Prediction>);
    /// A link is dropped, at discovery or while it waited. `url` is its wire URL, or the raw text of
    /// a link that is no URL.
    fn dropped(&self, url: &str, dropped: &Dropped, via: Option<&str>);
    /// What was reported so far is about to be committed. A sink that writes it now misses nothing that a killed crawl
    /// has committed. It may have written what was not committed, which is then reported again.
    ///
    /// # Errors
    /// If it could not be written. Then nothing is committed, the caller of the frontier gets [`FrontierError::Sink`], and the frontier
    /// does nothing any more.
    fn before_commit(&self) -> io::Result<()> {
        Ok(())
    }
}
