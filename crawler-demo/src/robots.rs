//! Obeys robots.txt.
//!
//! Follows RFC 9309: what the status of `/robots.txt` means (section 2.3.1), groups and longest match (2.2), the first 500
//! KiB (2.5), a cache of at most a day (2.4). Rules are evaluated by the `texting_robots` crate, with care: it gives up a
//! whole file for one rule that it cannot compile, knows a user agent only by its exact name, and takes escapes as they
//! are written, so files are tidied up before it sees them.
//!
//! ```
//! use nodust_crawler::robots::Rules;
//! let rules = Rules::parse("nodust", b"User-agent: nodust/1.0\nDisallow: /private\nCrawl-delay: 2");
//! assert!(rules.allows("http://e.org/public"));
//! assert!(!rules.allows("http://e.org/private/x"));
//! assert_eq!(rules.crawl_delay(), Some(std::time::Duration::from_secs(2)));
//! ```

mod rules;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use nodust_frontier::HostKey;
use tokio::sync::OnceCell;
use url::Url;

pub use rules::Rules;

use crate::{
    fetch::{Answer, FetchError, Fetcher, Want},
    politeness::Politeness,
};

/// The product token of this crawler (RFC 9309, section 2.2.1).
pub const AGENT: &str = "nodust";
/// The most octets that are read of a file.
pub const MAX_BYTES: usize = 500 * 1024;
/// Redirects that are followed.
const MAX_REDIRECTS: usize = 5;
/// How long a file counts.
const FRESH: Duration = Duration::from_hours(24);
/// Origins that are remembered.
const MAX_ORIGINS: usize = 10_000;

/// The product token of a `User-Agent` header.
pub fn product_token(user_agent: &str) -> &str {
    let end = user_agent
        .find(|c: char| !(c.is_ascii_alphabetic() || matches!(c, '_' | '-')))
        .unwrap_or(user_agent.len());
    if end == 0 { AGENT } else { &user_agent[..end] }
}

/// What is known about the robots.txt of an origin.
#[derive(Clone, Debug)]
pub enum Answered {
    /// These rules hold.
    Rules(Arc<Rules>),
    /// It redirects to another host, which may not be asked yet: look it up again after this time.
    NotItsTurn(Duration),
    /// The server has trouble: nothing may be fetched for now. Look it up again after this time.
    Later(Duration),
    /// The server had trouble each time it was asked: nothing will be fetched. Holds the last error.
    GivenUp(Arc<str>),
}

/// How patient to be with servers in trouble.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// The number of tries before an origin is given up for a day.
    pub tries: u32,
    /// Time to the second try; it doubles with each.
    pub first_wait: Duration,
    /// If a robots.txt redirects to another host: how long that host's turn is waited for before that counts as
    /// trouble.
    pub longest_turn: Duration,
}

#[derive(Debug)]
struct Known {
    until: Instant,
    progress: Progress,
    answered: Answered,
}

/// How far the origin's file has been asked for.
#[derive(Clone, Debug, Default)]
struct Progress {
    /// Tries that failed.
    tries: u32,
    /// Where this try goes on, when it is that host's turn.
    redirected: Option<Redirected>,
}

/// A redirect to another host, which is waited for.
#[derive(Clone, Debug)]
struct Redirected {
    to: Url,
    hop: usize,
    since: Instant,
}

#[derive(Debug)]
struct Slot {
    before: Progress,
    known: OnceCell<Known>,
}

/// What came of following a robots.txt's redirects.
enum Followed {
    ToItsEnd(Result<Answer, FetchError>),
    /// As far as a host whose turn comes after this time.
    SoFar(Redirected, Duration),
}

/// The robots.txt of many origins, each fetched once at a time.
#[derive(Debug)]
pub struct Robots {
    agent: String,
    fetcher: Fetcher,
    politeness: Arc<Politeness>,
    patience: Patience,
    origins: Mutex<HashMap<String, Arc<Slot>>>,
    fetches: std::sync::atomic::AtomicU64,
}

/// An answer, and whether the server was asked for it just now.
#[derive(Debug)]
pub struct Lookup {
    /// What is known.
    pub answered: Answered,
    /// Whether this lookup made requests.
    pub asked: bool,
    /// Whether the host was asked while this lookup waited, so that its next request must wait in turn.
    pub waited: bool,
}

impl Robots {
    /// A cache in which nothing is known yet.
    pub fn new(
        user_agent: &str,
        fetcher: Fetcher,
        politeness: Arc<Politeness>,
        patience: Patience,
    ) -> Self {
        Self {
            agent: product_token(user_agent).to_owned(),
            fetcher,
            politeness,
            patience,
            origins: Mutex::default(),
            fetches: 0.into(),
        }
    }

    /// Requests made for robots.txt files.
    pub fn fetches(&self) -> u64 {
        self.fetches.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Guards the table; never held across an await.
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Slot>>> {
        self.origins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what is known about the origin of `url`, and asks its server if nothing is. The caller holds the host's
    /// lease, whose one request this may use up.
    pub async fn lookup(&self, url: &Url) -> Lookup {
        let slot = self.slot(url);
        let mut asked = false;
        let waited = !slot.known.initialized();
        let known = slot
            .known
            .get_or_init(|| async {
                asked = true;
                self.ask(url, slot.before.clone()).await
            })
            .await;
        Lookup {
            answered: known.answered.clone(),
            asked,
            waited,
        }
    }

    fn slot(&self, url: &Url) -> Arc<Slot> {
        let now = Instant::now();
        // Who asks is not part of it: it may stand before the host.
        let origin = url.origin().ascii_serialization();
        let mut origins = self.lock();
        let mut before = Progress::default();
        if let Some(slot) = origins.get(&origin) {
            match slot.known.get() {
                Some(known) if known.until <= now => before = known.progress.clone(),
                _ => return Arc::clone(slot),
            }
        }
        if origins.len() >= MAX_ORIGINS {
            // Who waits for another host's turn goes on from there.
            let goes_on = |known: &Known| known.until > now || known.progress.redirected.is_some();
            origins.retain(|_, slot| slot.known.get().is_none_or(goes_on));
            if origins.len() >= MAX_ORIGINS {
                // Forgetting costs a second fetch, keeping would cost memory without bound.
                let waits = |slot: &Slot| {
                    (slot.known.get()).is_none_or(|known| known.progress.redirected.is_some())
                };
                origins.retain(|_, slot| waits(slot));
            }
            if origins.len() >= MAX_ORIGINS {
                origins.retain(|_, slot| slot.known.get().is_none());
            }
        }
        let slot = Arc::new(Slot {
            before,
            known: OnceCell::new(),
        });
        origins.insert(origin, Arc::clone(&slot));
        slot
    }

    async fn ask(&self, url: &Url, before: Progress) -> Known {
        let tries = before.tries;
        let outcome = match self.follow(url, before.redirected).await {
            Followed::ToItsEnd(outcome) => outcome,
            Followed::SoFar(redirected, wait) => {
                return Known {
                    until: Instant::now() + wait,
                    progress: Progress {
                        tries,
                        redirected: Some(redirected),
                    },
                    answered: Answered::NotItsTurn(wait),
                };
            }
        };
        let answered = match outcome {
            Ok(answer) if answer.is_success() => {
                Answered::Rules(Arc::new(Rules::parse(&self.agent, &answer.body)))
            }
            // A redirect here leads nowhere, or through too many hops: as good as no file.
            Ok(answer) if answer.status < 500 && answer.status != 429 => {
                Answered::Rules(Arc::default())
            }
            outcome => {
                // Without the user and the password that may stand before the host.
                let origin = url.origin().ascii_serialization();
                let why = match &outcome {
                    Ok(answer) => format!("status {}", answer.status),
                    Err(error) => error.to_string(),
                };
                let asked = outcome.ok().and_then(|answer| answer.retry_after);
                let asked =
                    asked.and_then(|field| self.politeness.asked(&HostKey::of(url), &field));
                let (nth, of) = (tries + 1, self.patience.tries);
                if nth >= of {
                    tracing::warn!(
                        "robots.txt of {origin} is not to be had: {why} (try {nth} of {of}); without it, nothing may be \
                         fetched there, and its links wait or fail"
                    );
                    Answered::GivenUp(why.into())
                } else {
                    let wait = self.patience.first_wait.saturating_mul(1 << tries.min(16));
                    let wait = asked.map_or(wait, |asked| asked.max(wait));
                    tracing::info!(
                        "robots.txt of {origin} is not to be had: {why} (try {nth} of {of}, the next in {wait:.0?})"
                    );
                    Answered::Later(wait)
                }
            }
        };
        let (fresh, tries) = match answered {
            Answered::Later(wait) => (wait, tries + 1),
            _ => (FRESH, 0),
        };
        Known {
            until: Instant::now() + fresh,
            progress: Progress {
                tries,
                redirected: None,
            },
            answered,
        }
    }

    /// Asks for the file, or goes on where it redirected to, until another host's turn is to be waited for: whoever
    /// waits holds no place meanwhile.
    async fn follow(&self, url: &Url, redirected: Option<Redirected>) -> Followed {
        let home = HostKey::of(url);
        let (mut url, first_hop, mut since) = match redirected {
            Some(Redirected { to, hop, since }) => (to, hop, Some(since)),
            None => (file_of(url), 0, None),
        };
        for hop in first_hop.. {
            let host = HostKey::of(&url);
            let is_guest = host != home;
            if is_guest {
                // Nobody holds a lease of that host for this.
                let since = since.take().unwrap_or_else(Instant::now);
                if let Err(wait) = self.politeness.check_other(&host) {
                    // The crawl of that host comes first, but not for ever.
                    if since.elapsed() + wait > self.patience.longest_turn {
                        return Followed::ToItsEnd(Err(FetchError {
                            code: "busy",
                            detail: format!(
                                "it redirects to {host}, which may not be asked for now"
                            ),
                            status: None,
                            worth_retrying: true,
                        }));
                    }
                    return Followed::SoFar(
                        Redirected {
                            to: url,
                            hop,
                            since,
                        },
                        wait,
                    );
                }
            } else if hop > 0 {
                self.politeness.turn(&host).await;
            }
            self.fetches
                .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let answer = self
                .fetcher
                .get(&url, Want::Beginning, MAX_BYTES, async {
                    self.politeness.answered(&host);
                })
                .await;
            if is_guest {
                if answer.is_err() {
                    self.politeness.answered(&host);
                }
                self.politeness.other_returned(&host);
                if let Ok(answer) = &answer {
                    let asked = answer.retry_after.as_deref();
                    self.politeness.refused_by(&host, answer.status, asked);
                }
            }
            let target = match &answer {
                Ok(answer) if answer.is_redirect() && hop < MAX_REDIRECTS => {
                    answer.location.as_deref().and_then(|to| url.join(to).ok())
                }
                // The address is refused, not the server in trouble: the page will be, too.
                Err(error) if error.code == "private_address" => {
                    return Followed::ToItsEnd(Ok(Answer {
                        status: 404,
                        ..Answer::default()
                    }));
                }
                _ => return Followed::ToItsEnd(answer),
            };
            match target.filter(|to| matches!(to.scheme(), "http" | "https")) {
                Some(target) => url = target,
                None => return Followed::ToItsEnd(answer),
            }
        }
        unreachable!("the loop returns at its last hop")
    }
}

/// The address of the origin's file.
fn file_of(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_path("/robots.txt");
    url.set_query(None);
    url.set_fragment(None);
    url
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::Guard;

    #[test]
    fn a_file_that_waits_for_the_turn_of_another_host_is_not_forgotten_among_many() {
        let config = crate::CrawlConfig::default();
        let politeness = Arc::new(Politeness::new(config.politeness_limits()));
        let fetcher = Fetcher::new(config.fetch_limits(), Guard::new([])).unwrap();
        let robots = Robots::new("nodust", fetcher, politeness, config.patience());
        let url = |n: usize| Url::parse(&format!("http://h{n}.example/page")).unwrap();
        let put = |n: usize, wait: Option<u64>| {
            let redirected = wait.map(|_| Redirected {
                to: url(0),
                hop: 1,
                since: Instant::now(),
            });
            let answered = wait.map_or(Answered::Rules(Arc::default()), |secs| {
                Answered::NotItsTurn(Duration::from_secs(secs))
            });
            let known = Known {
                until: Instant::now() + wait.map_or(FRESH, Duration::from_secs),
                progress: Progress {
                    tries: 0,
                    redirected,
                },
                answered,
            };
            assert!(robots.slot(&url(n)).known.set(known).is_ok());
        };
        // Its time has come: who asks again goes on from there.
        put(1, Some(0));
        for n in 2..=MAX_ORIGINS + 10 {
            put(n, None);
        }
        assert!(robots.lock().len() <= MAX_ORIGINS);
        let again = robots.slot(&url(1));
        assert!(!again.known.initialized());
        assert!(
            again
                .before
                .redirected
                .as_ref()
                .is_some_and(|it| it.hop == 1)
        );
        assert!(!robots.slot(&url(2)).known.initialized(), "made room");
    }
}
