//! A frontier in one process: chain, store and rotation of hosts.
//!
//! Judging runs outside the lock; looking up, predicting and committing run under it, for about as long as the store
//! needs for one page.

mod admit;
mod back;
mod builder;
mod chances;
mod explain;
mod knowledge;
mod observe;
mod recall;
mod rotation;
mod tally;
mod unanswered;
mod under_way;
mod unfinished;
mod waiting;
mod whereabouts;

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, atomic::AtomicU64},
    time::{Duration, Instant},
};

pub use builder::LocalFrontierBuilder;

use crate::{
    Batch, BeliefCounts, BeliefId, BeliefRecord, Chain, Decision, DecisionSink, DropReason,
    Exploration, Frontier, FrontierError, Gate, HostKey, Lease, LedgerEntry, NotYet, Outcome,
    Queued, RawUrl, Stats, Store, Ticket, Trace, Turn, Via,
};
use chances::Chances;
use recall::{RECALLED_AT_ONCE, Then};
use rotation::{Next, Rotation, later};
use tally::Tally;
use unanswered::Unanswered;
use under_way::{UnderWay, Waits};
use waiting::{Waiting, is_exempt};

/// Generation of a link that is not judged again: it is to be fetched whatever beliefs say.
pub(crate) const SETTLED: u64 = u64::MAX;

/// How long a host waits whose gate counts on a lease that is back already, or was never given out: as good as no time for the
/// crawl, and long enough for whoever handed the lease back to tell the gate.
const UNTIL_TOLD: Duration = Duration::from_millis(10);

/// Chain, store and rotation of hosts in one process.
///
/// ```
/// use std::time::Instant;
/// use nodust_frontier::{
///     Chain, FetchedPage, Frontier, LocalFrontier, Outcome, RawUrl, Turn, Via, frontier::Open,
/// };
///
/// let frontier = LocalFrontier::builder(Chain::new()).build()?;
/// let mut decisions = Vec::new();
/// frontier.admit(&Via::seed(), &[RawUrl::new("http://a.example/")], &mut decisions)?;
/// while let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open)? {
///     let links = [RawUrl::new("/about"), RawUrl::new("/#top")];
///     let page = FetchedPage { status: 200, links: &links, ..FetchedPage::default() };
///     frontier.observe(lease, &Outcome::Fetched(page), &mut decisions)?;
/// }
/// assert_eq!(frontier.stats()?.total.fetched, 2);
/// # Ok::<(), nodust_frontier::FrontierError>(())
/// ```
pub struct LocalFrontier {
    chain: Chain,
    store: Arc<dyn Store>,
    exploration: Exploration,
    sink: Option<Arc<dyn DecisionSink>>,
    max_redirects: u8,
    // Guards the order of lookup and commit: two pages with the same new link must not both admit it.
    inner: Mutex<Inner>,
    batches: Mutex<Vec<Batch>>,
    // Read by whoever observes a page, from learning to commit; written for a checkpoint of the stages.
    observing: RwLock<()>,
    observed: AtomicU64,
    forgets_state: bool,
    not_restored: u64,
    /// Its number, by which it knows its leases.
    giver: u64,
}

struct Inner {
    rotation: Rotation,
    tally: Tally,
    /// Out-of-reach links written lately, newest first, in the row that the low bits of their name
    /// choose: a cache that can only miss, so that a link on every page is written once and memory
    /// stays bounded.
    recent: Vec<[u64; 4]>,
    chances: Chances,
    under_way: UnderWay,
    unanswered: Unanswered,
    /// Something failed half-way: what is here is not what the store has.
    is_out_of_step: bool,
}

/// A link that may be fetched next.
struct Offer {
    ticket: Ticket,
    queued: Queued,
    /// It failed, or was given back: it is fetched as it is.
    is_retry: bool,
}

impl Offer {
    fn of((ticket, queued): (Ticket, Queued), is_retry: bool) -> Self {
        Self {
            ticket,
            queued,
            is_retry,
        }
    }
}

impl fmt::Debug for LocalFrontier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalFrontier")
            .field("chain", &self.chain)
            .field("store", &self.store)
            .field("exploration", &self.exploration)
            .finish_non_exhaustive()
    }
}

impl LocalFrontier {
    /// A builder of a frontier that judges with `chain`, in memory unless told otherwise.
    pub fn builder(chain: Chain) -> LocalFrontierBuilder {
        LocalFrontierBuilder::new(chain)
    }

    /// The chain that it judges with.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The store behind it.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The counters, in total and per host.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn stats(&self) -> Result<Stats, FrontierError> {
        let inner = self.inner();
        let mut stats = Tally::snapshot(&*self.store)?;
        stats.total = if inner.is_out_of_step || self.inner.is_poisoned() {
            Tally::load(&*self.store)?.total().clone()
        } else {
            inner.tally.total().clone()
        };
        stats.to_retry = inner.unanswered.len();
        Ok(stats)
    }

    /// Number of parts of the stages' state that could not be read when the frontier was built, and began anew.
    pub fn not_restored(&self) -> u64 {
        self.not_restored
    }

    /// Every belief that was ever tested, with what came of it, ordered by how much it dropped, most first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn beliefs(&self) -> Result<Vec<(BeliefRecord, BeliefCounts)>, FrontierError> {
        let counts = {
            // No page is half counted.
            let _inner = self.inner();
            BeliefCounts::of_store(&*self.store)?
        };
        let mut all = Vec::new();
        self.chain.beliefs(&mut |belief| {
            let counts = counts.get(&belief.id).copied().unwrap_or_default();
            all.push((belief, counts));
        });
        all.sort_by(|(a, x), (b, y)| {
            y.dropped
                .cmp(&x.dropped)
                .then_with(|| b.e_value.total_cmp(&a.e_value))
                .then_with(|| (&a.site, &a.text).cmp(&(&b.site, &b.text)))
        });
        Ok(all)
    }

    /// Calls `each` with what another crawl should know about beliefs beyond [their records](Self::beliefs), in the form of the
    /// stage that holds them.
    pub fn carried(&self, each: &mut dyn FnMut(BeliefId, String)) {
        self.chain.carried(each);
    }

    /// The counters of the whole crawl and the queue's length, without the hosts. Cheap.
    pub fn totals(&self) -> Stats {
        let inner = self.inner();
        let mut stats = Tally::sizes(&*self.store);
        stats.total = inner.tally.total().clone();
        stats.to_retry = inner.unanswered.len();
        stats
    }

    /// Takes everything back from the ledger: each link is fetched, whatever beliefs say. Returns how many links came
    /// back.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub fn second_helping(&self) -> Result<u64, FrontierError> {
        self.changing(|inner| {
            let mut recalled = 0;
            loop {
                let mut entries: Vec<LedgerEntry> = Vec::with_capacity(RECALLED_AT_ONCE);
                self.store.ledger_scan(&mut |_, entry| {
                    entries.push(entry);
                    entries.len() < RECALLED_AT_ONCE
                })?;
                if entries.is_empty() {
                    return Ok(recalled);
                }
                recalled += entries.len() as u64;
                self.requeue(inner, entries, Then::Fetch)?;
            }
        })
    }

    /// To look at it, or to end a lease, which is to be done whatever happened.
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a change. Where it fails, or a stage panics meanwhile, links may be counted or handed out of which the store knows
    /// nothing: that must not be written later on, so that nothing is changed any more.
    fn changing<T>(
        &self,
        change: impl FnOnce(&mut Inner) -> Result<T, FrontierError>,
    ) -> Result<T, FrontierError> {
        let Ok(mut inner) = self.inner.lock() else {
            self.inner().is_out_of_step = true;
            return Err(FrontierError::OutOfStep);
        };
        if inner.is_out_of_step {
            return Err(FrontierError::OutOfStep);
        }
        let changed = change(&mut inner);
        inner.is_out_of_step = changed.is_err();
        changed
    }

    fn take_batch(&self) -> Batch {
        let mut pool = self.batches.lock().unwrap_or_else(PoisonError::into_inner);
        pool.pop().unwrap_or_default()
    }

    fn give_batch(&self, batch: Batch) {
        let mut pool = self.batches.lock().unwrap_or_else(PoisonError::into_inner);
        if pool.len() < 64 {
            pool.push(batch);
        }
    }
}

impl Frontier for LocalFrontier {
    fn admit(
        &self,
        via: &Via<'_>,
        links: &[RawUrl<'_>],
        out: &mut Vec<Decision>,
    ) -> Result<(), FrontierError> {
        let mut batch = self.take_batch();
        self.chain.judge(via, links, &mut batch);
        let result =
            self.changing(|inner| self.admit_judged(inner, via, links, &mut batch, None, out));
        self.give_batch(batch);
        result
    }

    fn lease(&self, now: Instant, gate: &dyn Gate) -> Result<Turn, FrontierError> {
        self.changing(|inner| {
            loop {
                let host = match inner.rotation.next(now) {
                    Next::Host(host) => host,
                    Next::Wait(time) => return Ok(Turn::Wait(time)),
                    Next::Nothing if inner.rotation.leases() > 0 => return Ok(Turn::Idle),
                    Next::Nothing => return Ok(Turn::Drained),
                };
                if let Some(lease) = self.lease_from(inner, &host, now, gate)? {
                    return Ok(Turn::Fetch(lease));
                }
            }
        })
    }

    fn wants_refetch(&self, lease: &Lease) -> bool {
        self.chain.wants_refetch(lease.admitted())
    }

    fn observe(
        &self,
        lease: Lease,
        outcome: &Outcome<'_>,
        out: &mut Vec<Decision>,
    ) -> Result<(), FrontierError> {
        self.observe_lease(&self.own(lease)?, outcome, out)
    }

    fn release(&self, lease: Lease) -> Result<(), FrontierError> {
        self.take_unfetched(self.own(lease)?);
        Ok(())
    }

    fn explain(&self, via: &Via<'_>, link: RawUrl<'_>) -> Result<Trace, FrontierError> {
        let mut trace = self.chain.explain(via, link);
        self.note_what_is_known(via, link, &mut trace)?;
        Ok(trace)
    }

    fn flush(&self) -> Result<(), FrontierError> {
        let written_down = self.checkpoint();
        // What was committed before that failed is made durable all the same.
        self.store.flush()?;
        written_down
    }
}

impl LocalFrontier {
    /// The next URL of a host that is due, if its gate is open.
    fn lease_from(
        &self,
        inner: &mut Inner,
        host: &HostKey,
        now: Instant,
        gate: &dyn Gate,
    ) -> Result<Option<Lease>, FrontierError> {
        let Some(Offer {
            ticket,
            mut queued,
            is_retry,
        }) = self.next_of(&mut inner.rotation, host)?
        else {
            inner.rotation.rest(host);
            return Ok(None);
        };
        let was_probe = queued.admitted.probe.is_some();
        if !is_retry
            && let Waiting::Dropped = self.judge_waiting(inner, &ticket, &mut queued.admitted)?
        {
            inner.rotation.wake(host, now);
            return Ok(None);
        }
        let names = self.names_of(&queued.admitted);
        if !is_retry
            && !is_exempt(&queued.admitted)
            && let Some(Waits { with_many }) = inner.under_way.wait(&ticket, names)
        {
            if !with_many {
                inner.rotation.wake(host, now);
            }
            return Ok(None);
        }
        if let Err(not_yet) = gate.check(host, now) {
            // What was chosen to be explored is counted as under way, and is not chosen again.
            if is_retry || (!was_probe && queued.admitted.probe.is_some()) {
                inner.rotation.put_ready(ticket, queued);
            } else {
                self.store.put_back(&ticket);
            }
            let wait = match not_yet {
                NotYet::For(time) => Some(time.max(Duration::from_millis(1))),
                // The lease wakes its host when it comes back.
                NotYet::UntilReturned if inner.rotation.has_leases(host) => None,
                NotYet::UntilReturned => Some(UNTIL_TOLD),
            };
            if let Some(wait) = wait {
                inner.rotation.wake(host, later(now, wait));
            }
            return Ok(None);
        }
        inner.under_way.begin(&ticket, names);
        inner.rotation.lease_out(host);
        inner.rotation.wake(host, now);
        Ok(Some(Lease {
            ticket,
            admitted: queued.admitted,
            attempt: queued.attempt,
            giver: self.giver,
        }))
    }

    /// What a host has to fetch next. Behind a failure something else comes before what failed, if there is anything.
    fn next_of(
        &self,
        rotation: &mut Rotation,
        host: &HostKey,
    ) -> Result<Option<Offer>, FrontierError> {
        let of_queue = || -> Result<Option<Offer>, FrontierError> {
            Ok(self.store.take(host)?.map(|entry| Offer::of(entry, false)))
        };
        let another = if rotation.wants_another(host) {
            of_queue()?
        } else {
            None
        };
        let first = another.or_else(|| Some(Offer::of(rotation.take_ready(host)?, true)));
        first.map_or_else(of_queue, |first| Ok(Some(first)))
    }

    /// The stage that gets the credit for a drop.
    fn stage_to_credit(&self, belief: BeliefId) -> &'static str {
        if belief == BeliefId::STATIC {
            return admit::NORMALIZE;
        }
        self.chain.stage_of(belief).unwrap_or(admit::LEARNED)
    }

    fn tell_dropped(&self, url: &str, dropped: &crate::Dropped, via: Option<&str>) {
        if let Some(sink) = &self.sink {
            sink.dropped(url, dropped, via);
        }
    }
}

/// Drop reason of a link whose class is known on the word of `belief`.
fn known_duplicate(belief: BeliefId) -> DropReason {
    DropReason::KnownDuplicate {
        merged_by: (belief != BeliefId::STATIC).then_some(belief),
    }
}
