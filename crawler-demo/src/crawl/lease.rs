//! What happens to one lease, from its host's robots.txt to its observation.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use nodust_frontier::{DecisionSink, DropReason, Dropped, FetchFailure, HostKey, Lease};
use tokio::sync::OwnedSemaphorePermit;
use url::Url;

use super::{Shared, in_order::Numbered, lock, permission::by_robots, places::Place};
use crate::{
    admission::{Again, Fetched},
    fetch::{Answer, FetchError, Kind, Want, kind},
    guard::Refusal,
};

/// Hosts that are asked more seldom are not asked for a second answer, which would take up a place for so long.
const LONGEST_DELAY: Duration = Duration::from_secs(5);
/// How long a second answer is waited for, and the host's turn.
const SECOND_ANSWER: Duration = Duration::from_secs(10);

/// What came of a lease.
pub(super) enum Attempt {
    /// A request was made.
    Made(Fetched),
    /// None was: it is not allowed, or cannot be now.
    NotMade {
        failure: FetchFailure,
        /// Whether the host was asked for its robots.txt instead.
        was_asked: bool,
    },
    /// None was, because the crawl stops: the lease is offered again when it goes on.
    Stopped,
}

impl Attempt {
    /// The same, after the host was asked for its robots.txt or not.
    pub(super) fn after(self, was_asked: bool) -> Self {
        match self {
            Self::NotMade { failure, .. } => Self::NotMade { failure, was_asked },
            other => other,
        }
    }
}

/// One lease, from its host's robots.txt to its observation.
pub(super) async fn work(
    shared: &Arc<Shared>,
    lease: Lease,
    mut place: Option<OwnedSemaphorePermit>,
    numbered: Option<Numbered>,
) {
    let host = lease.url().host().clone();
    let attempt = attempt(shared, &lease, &host, &mut place, numbered.as_ref()).await;
    let fetched = match attempt {
        Attempt::Made(fetched) => fetched,
        Attempt::NotMade { failure, was_asked } => {
            if !was_asked {
                shared.politeness.unused(&host);
            }
            place = None;
            Fetched::Failed(failure)
        }
        Attempt::Stopped => return,
    };
    let url = lease.url().as_str().to_owned();
    let status = match &fetched {
        Fetched::Failed(failure) => {
            shared.fates.failed(&url, failure);
            if failure.retry_after.is_none() {
                (shared.first_failure).get_or_init(|| format!("{url}: {}", failure.detail));
            }
            None
        }
        Fetched::Answer { answer, .. } => Some(answer.status),
    };
    // What failed teaches little.
    if let Some(numbered) = &numbered
        && matches!(fetched, Fetched::Answer { .. })
    {
        tokio::select! {
            () = numbered.turn() => {}
            () = shared.stop.cancelled() => {}
        }
    }
    match &fetched {
        Fetched::Failed(failure) if failure.made_no_request() => shared.give_back(),
        Fetched::Failed(failure) if failure.retry_after.is_some() => shared.give_back_try(),
        _ => shared.count(|counters| &counters.pages, 1),
    }
    match shared.border.observe(lease, fetched).await {
        Ok(counts) => {
            if let Some(status) = status {
                shared.fates.answered(&url, status, &counts);
            }
            shared.count(|counters| &counters.nofollow_links, counts.nofollow_links);
            shared.count(
                |counters| &counters.links_over_limit,
                counts.links_over_limit,
            );
        }
        Err(error) => return shared.fail(error),
    }
    if let Some(place) = place
        && let Err(error) = shared.observed(place).await
    {
        shared.fail(error);
    }
}

async fn attempt(
    shared: &Arc<Shared>,
    lease: &Lease,
    host: &HostKey,
    place: &mut Option<OwnedSemaphorePermit>,
    numbered: Option<&Numbered>,
) -> Attempt {
    let url = lease.url().as_url();
    if url.as_str().len() > shared.config.max_url_bytes {
        let detail = format!("longer than {} octets", shared.config.max_url_bytes);
        return refuse(shared, lease, "limits", FetchFailure::TOO_LONG, detail);
    }
    let Some(checked) = checked(shared, url, place).await else {
        return Attempt::Stopped;
    };
    if let Err(refusal) = checked {
        let detail = refusal.to_string();
        if refusal.code() == FetchFailure::PRIVATE_ADDRESS {
            return refuse(shared, lease, "guard", refusal.code(), detail);
        }
        let wait = shared.politeness.refused(host, None, &detail);
        return Attempt::NotMade {
            failure: failure(shared, lease, FetchError::from(refusal), wait),
            was_asked: false,
        };
    }
    if place.is_none() {
        *place = Arc::clone(&shared.places).acquire_owned().await.ok();
    }
    if shared.config.robots
        && let Some(refusal) = by_robots(shared, lease, host, place).await
    {
        return refusal;
    }
    if let Some(numbered) = numbered {
        numbered.sent();
    }
    let mut fetched = ask(shared, lease, host, place).await;
    if let Fetched::Answer { answer, again } = &mut fetched
        && answer.is_success()
        && kind(answer.content_type.as_deref(), &answer.body) == Kind::Markup
        && shared.border.wants_refetch(lease).await
    {
        *again = ask_again(shared, lease, host, answer).await;
    }
    Attempt::Made(fetched)
}

/// Whether a URL's address may be connected to; `None` when the crawl stops first. While a name is looked up, which takes ten seconds where nobody
/// answers, others use the place: names that are dead, as many as there are places, would hold up all hosts.
async fn checked(
    shared: &Shared,
    url: &Url,
    place: &mut Option<OwnedSemaphorePermit>,
) -> Option<Result<(), Refusal>> {
    let guard = shared.fetcher.guard();
    if guard.knows(url) {
        return Some(guard.check(url).await);
    }
    drop(place.take());
    shared.wake.notify_one();
    tokio::select! {
        checked = guard.check(url) => Some(checked),
        () = shared.stop.cancelled() => None,
    }
}

/// A second answer for the same URL, that can be done without: neither a host that refuses nor the end of a crawl waits for it. The place is kept, as
/// the first one is.
async fn ask_again(shared: &Shared, lease: &Lease, host: &HostKey, first: &Answer) -> Again {
    if shared.politeness.delay_of(host) > LONGEST_DELAY {
        return Again::NotAsked;
    }
    tokio::select! {
        is_open = shared.politeness.turn_unless_closed(host) => if !is_open {
            return Again::NotAsked;
        },
        () = shared.stop.cancelled() => return Again::NotAsked,
        () = tokio::time::sleep(SECOND_ANSWER) => return Again::NotAsked,
    }
    let answer = tokio::select! {
        answer = get(shared, lease, host, None) => answer,
        () = shared.stop.cancelled() => {
            shared.politeness.answered(host);
            return Again::Nothing;
        }
        () = tokio::time::sleep(SECOND_ANSWER) => {
            shared.politeness.answered(host);
            return Again::Nothing;
        }
    };
    match answer {
        Ok(answer) => {
            let asked = answer.retry_after.as_deref();
            (shared.politeness).refused_by(host, answer.status, asked);
            if answer.status == first.status && answer.content_type == first.content_type {
                Again::Page(answer.into())
            } else {
                Again::Nothing
            }
        }
        Err(error) => {
            tracing::debug!("{}, once more: {error}", lease.url());
            if error.is_of_the_host() {
                (shared.politeness).refused(host, None, &error.to_string());
            }
            Again::Nothing
        }
    }
}

/// Sends a request and waits for the body of the answer, which is read once its place is there.
async fn get(
    shared: &Shared,
    lease: &Lease,
    host: &HostKey,
    place: Option<&Place<'_>>,
) -> Result<Answer, FetchError> {
    let has_answered = AtomicBool::new(false);
    let answered = async {
        has_answered.store(true, Ordering::Relaxed);
        shared.politeness.answered(host);
        if let Some(place) = place {
            place.answers().await;
        }
    };
    let answer = shared
        .fetcher
        .get(
            lease.url().as_url(),
            Want::Text,
            shared.config.max_body_bytes,
            answered,
        )
        .await;
    if !has_answered.load(Ordering::Relaxed) {
        shared.politeness.answered(host);
    }
    answer
}

/// The request itself.
async fn ask(
    shared: &Arc<Shared>,
    lease: &Lease,
    host: &HostKey,
    place: &mut Option<OwnedSemaphorePermit>,
) -> Fetched {
    let admitted = lease.admitted();
    let was_told = lock(&shared.told).remove(&admitted.key);
    if !was_told {
        shared.decisions.fetched(admitted, admitted.probe);
    }
    let held = Place::new(shared, place.take());
    let answer = held
        .unless_silent(get(shared, lease, host, Some(&held)))
        .await;
    *place = held.into_held().await;
    let fetched = match answer {
        Ok(answer) => judge_status(shared, lease, host, answer),
        Err(error) => {
            tracing::debug!("{}: {error}", lease.url());
            let mut wait = Duration::ZERO;
            // A page that breaks its own connection off each time is one refusal, and not as many as it is tried.
            let is_last = lease.attempt() >= shared.config.max_retries;
            if error.is_of_the_host() || (error.is_broken_off() && is_last) {
                wait = shared.politeness.refused(host, None, &error.to_string());
            }
            Fetched::Failed(failure(shared, lease, error, wait))
        }
    };
    if matches!(&fetched, Fetched::Failed(failure) if failure.retry_after.is_some()) {
        lock(&shared.told).insert(admitted.key);
    }
    fetched
}

/// Closes the host when the answer asks for it, and decides whether another try is worth it.
fn judge_status(shared: &Shared, lease: &Lease, host: &HostKey, answer: Answer) -> Fetched {
    let code = match answer.status {
        408 => "http_408",
        429 => "http_429",
        500 => "http_500",
        502 => "http_502",
        503 => "http_503",
        504 => "http_504",
        _ => {
            shared.politeness.content(host);
            return answered(answer);
        }
    };
    let mut wait = shared.config.retry_wait(lease.attempt());
    let asked = answer.retry_after.as_deref();
    if let Some(host_wait) = (shared.politeness).refused_by(host, answer.status, asked) {
        wait = wait.max(host_wait);
    }
    if lease.attempt() >= shared.config.max_retries {
        return answered(answer);
    }
    Fetched::Failed(FetchFailure {
        code,
        detail: format!("status {}", answer.status),
        status: Some(answer.status),
        retry_after: Some(wait),
        may_pass: true,
    })
}

const fn answered(answer: Answer) -> Fetched {
    Fetched::Answer {
        answer,
        again: Again::NotAsked,
    }
}

/// What a further try must wait for: its own time, and the host's.
fn failure(shared: &Shared, lease: &Lease, error: FetchError, host_wait: Duration) -> FetchFailure {
    let again = error.worth_retrying && lease.attempt() < shared.config.max_retries;
    FetchFailure {
        code: error.code,
        detail: error.detail,
        status: error.status,
        retry_after: again.then(|| shared.config.retry_wait(lease.attempt()).max(host_wait)),
        // A certificate that ran out is another one tomorrow, though not in a minute.
        may_pass: error.worth_retrying || error.code == "tls",
    }
}

/// A link that will not be asked for: told as a drop.
pub(super) fn refuse(
    shared: &Shared,
    lease: &Lease,
    stage: &'static str,
    code: &'static str,
    detail: String,
) -> Attempt {
    tracing::debug!("{}: {detail}", lease.url());
    let dropped = Dropped {
        stage,
        reason: DropReason::Other {
            code,
            detail: detail.clone().into(),
        },
    };
    shared
        .decisions
        .dropped(lease.url().as_str(), &dropped, None);
    Attempt::NotMade {
        failure: FetchFailure {
            code,
            detail,
            status: None,
            retry_after: None,
            may_pass: code == FetchFailure::ROBOTS_UNREACHABLE,
        },
        was_asked: false,
    }
}
