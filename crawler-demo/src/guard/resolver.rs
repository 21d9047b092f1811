//! Looks up the addresses of names.

use std::{fmt, io, net::IpAddr, sync::Arc, time::Duration};

use futures::future::BoxFuture;
use tokio::sync::Semaphore;

/// A resolver that takes longer has no answer.
const RESOLVE_TIME: Duration = Duration::from_secs(10);
/// Names at most that are looked up at the same time. Each takes one of the runtime's 512 threads for what blocks, and keeps it beyond the time after
/// which nobody waits any more; the store needs some of them.
const MOST_LOOKUPS: usize = 128;

type Found = io::Result<Vec<IpAddr>>;

/// Looks names up, by default with the system's resolver. A name that was found is looked up again after a minute, one that was not after
/// five seconds. After ten seconds without an answer, a name counts as not found.
///
/// ```
/// use nodust_crawler::guard::Resolver;
/// let fixed = Resolver::new(|_name| async { Ok(vec!["93.184.215.14".parse().map_err(std::io::Error::other)?]) });
/// # let _ = (fixed, Resolver::default());
/// ```
#[derive(Clone)]
pub struct Resolver {
    look_up: Arc<dyn Fn(String) -> BoxFuture<'static, Found> + Send + Sync>,
    lookups: Arc<Semaphore>,
}

impl Resolver {
    /// A resolver that uses this function. Each lookup must end: at most 128 are under way at the same time, including those that took so
    /// long that nobody waits for them any more.
    pub fn new<F>(look_up: impl Fn(String) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Found> + Send + 'static,
    {
        Self {
            look_up: Arc::new(move |name| Box::pin(look_up(name))),
            lookups: Arc::new(Semaphore::new(MOST_LOOKUPS)),
        }
    }

    /// Whether others take all lookups.
    pub(super) fn is_busy(&self) -> bool {
        self.lookups.available_permits() == 0
    }

    /// The addresses of a name, or why there are none.
    pub(super) async fn find(&self, name: &str) -> Result<Vec<IpAddr>, String> {
        let one_of_them = Arc::clone(&self.lookups).acquire_owned().await;
        let looked_up = (self.look_up)(name.to_owned());
        // On its own: a lookup that is given up goes on, and still is one of them.
        let looked_up = tokio::spawn(async move {
            let found = looked_up.await;
            drop(one_of_them);
            found
        });
        match tokio::time::timeout(RESOLVE_TIME, looked_up).await {
            Ok(Ok(found)) => found.map_err(|error| error.to_string()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(format!(
                "the resolver did not answer within {RESOLVE_TIME:?}"
            )),
        }
    }
}

impl Default for Resolver {
    fn default() -> Self {
        Self::new(|name| async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

impl fmt::Debug for Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Resolver")
    }
}
