//! Decides which addresses may be connected to.
//!
//! A page on the public web must not be able to send the crawler to machines that only its operator can reach:
//! loopback, private networks, link-local addresses (cloud metadata services are there) and the like. What counts is
//! the address that is really connected to. Literal addresses are checked before the request; names when they are
//! resolved, in the very resolver that the HTTP client uses; and every connection once more before anything is read
//! from it.
//!
//! The operator's seeds are the only exception, as far as they go: a seed that names an address allows that address and
//! port; a seed that names a host allows that name and port to connect to the addresses of the first answer for it.
//! Another name that leads to the same private address is refused, and so is the seed's own name once it moves to
//! another private address. No name allows addresses of link-local and metadata services. Ports 80 and 443 count as
//! one: sites send readers from `http` to `https`.
//!
//! ```
//! use nodust_crawler::guard::is_public;
//! assert!(is_public("93.184.215.14".parse()?));
//! assert!(!is_public("169.254.169.254".parse()?));
//! assert!(!is_public("::ffff:10.0.0.1".parse()?));
//! # Ok::<(), std::net::AddrParseError>(())
//! ```

mod public;
mod resolver;

use std::{
    collections::{HashMap, HashSet},
    fmt,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

use public::is_link_local;
pub use public::is_public;
pub use resolver::Resolver;

/// Names are asked for again after this time. The system's resolver keeps the true times to live to
/// itself; a minute is the shortest that large sites use.
const NAME_TTL: Duration = Duration::from_mins(1);
/// What a name was found at serves for so long after its time where others take all lookups.
const STALE: Duration = Duration::from_hours(1);
/// Names that are remembered; at this number those that have expired are forgotten, or all.
const NAMES: usize = 16 * 1024;

/// Why an address will not be connected to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is not an address of the public web.
    #[error("{host} lies at {address}, which is not public, and no seed lies there")]
    Private {
        /// The host asked for.
        host: String,
        /// Its address.
        address: IpAddr,
    },
    /// The name has no address.
    #[error("{host} has no address: {detail}")]
    Unresolved {
        /// The host asked for.
        host: String,
        /// What the resolver said.
        detail: String,
    },
}

impl Refusal {
    /// A short stable name for counters.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Private { .. } => "private_address",
            Self::Unresolved { .. } => "dns",
        }
    }
}

/// Decides which addresses may be connected to, and resolves names.
#[derive(Clone)]
pub struct Guard {
    state: Arc<Mutex<State>>,
    resolver: Resolver,
}

#[derive(Default)]
struct State {
    /// Addresses and ports that seeds name.
    allowed: HashSet<(IpAddr, u16)>,
    /// Names and ports that seeds name.
    seeds: HashMap<String, Seed>,
    /// What the resolver said of a name, and until when that counts.
    names: HashMap<String, (Instant, Result<Vec<IpAddr>, String>)>,
}

/// A host that seeds name.
#[derive(Debug, Default)]
struct Seed {
    ports: HashSet<u16>,
    /// Where the first answer of the resolver said that it lies.
    lies_at: Option<HashSet<IpAddr>>,
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        f.debug_struct("Guard")
            .field("allowed", &state.allowed)
            .field("seeds", &state.seeds)
            .finish_non_exhaustive()
    }
}

impl Guard {
    /// A guard that allows only public addresses, and those of these seeds.
    pub fn new<'s>(seeds: impl IntoIterator<Item = &'s Url>) -> Self {
        let mut state = State::default();
        for seed in seeds {
            state.add_seed(seed);
        }
        Self {
            state: Arc::new(Mutex::new(state)),
            resolver: Resolver::default(),
        }
    }

    /// The same guard, with another way of looking names up.
    #[must_use]
    pub fn with_resolver(self, resolver: Resolver) -> Self {
        Self { resolver, ..self }
    }

    /// Guards the names and addresses; never held across an await.
    fn lock(&self) -> MutexGuard<'_, State> {
        (self.state.lock()).unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks where a URL would lead. The answer for a name is kept, and a request made soon after connects to it.
    ///
    /// # Errors
    /// Why it will not be connected to.
    pub async fn check(&self, url: &Url) -> Result<(), Refusal> {
        match url.host() {
            Some(Host::Ipv4(address)) => self.check_connection(url, address.into()),
            Some(Host::Ipv6(address)) => self.check_connection(url, address.into()),
            Some(Host::Domain(name)) => {
                let found = self.resolved(name).await;
                self.lock().permitted(name, port_of(url), found).map(drop)
            }
            None => Err(Refusal::Unresolved {
                host: String::new(),
                detail: "the URL names no host".to_owned(),
            }),
        }
    }

    /// Checks the address of a connection that was made for a URL.
    ///
    /// # Errors
    /// Why nothing may be read from it.
    pub fn check_connection(&self, url: &Url, address: IpAddr) -> Result<(), Refusal> {
        let host = url.host_str().unwrap_or_default();
        if self.lock().is_permitted(host, port_of(url), address) {
            Ok(())
        } else {
            Err(Refusal::Private {
                host: host.to_owned(),
                address,
            })
        }
    }

    /// The addresses of a name that may be connected to on at least one port.
    ///
    /// # Errors
    /// If there are none.
    pub async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, Refusal> {
        let found = self.resolved(name).await;
        self.lock().permitted(name, None, found)
    }

    /// Whether a [check](Self::check) of this URL waits for no resolver.
    pub(crate) fn knows(&self, url: &Url) -> bool {
        match url.host() {
            Some(Host::Domain(name)) => self.known(name, Instant::now()).is_some(),
            _ => true,
        }
    }

    /// What is known of a name. While names that nobody answers for take all lookups, others stay where they were.
    fn known(&self, name: &str, now: Instant) -> Option<Result<Vec<IpAddr>, String>> {
        let is_busy = self.resolver.is_busy();
        let state = self.lock();
        let (until, answer) = state.names.get(name)?;
        if *until <= now && is_busy && answer.is_ok() && now < *until + STALE {
            return Some(answer.clone());
        }
        (*until > now).then(|| answer.clone())
    }

    async fn resolved(&self, name: &str) -> Result<Vec<IpAddr>, String> {
        let now = Instant::now();
        if let Some(answer) = self.known(name, now) {
            return answer;
        }
        let found = self.resolver.find(name).await;
        self.lock().remember(name, found.clone(), Instant::now());
        found
    }
}

impl State {
    fn add_seed(&mut self, seed: &Url) {
        let ports = port_of(seed).into_iter().flat_map(|port| match port {
            // One site, by either way.
            80 | 443 => vec![80, 443],
            other => vec![other],
        });
        match seed.host() {
            Some(Host::Ipv4(address)) => self.allowed.extend(ports.map(|p| (address.into(), p))),
            Some(Host::Ipv6(address)) => {
                let address = IpAddr::from(address).to_canonical();
                self.allowed.extend(ports.map(|port| (address, port)));
            }
            Some(Host::Domain(name)) => {
                let seed = self.seeds.entry(name.to_owned()).or_default();
                seed.ports.extend(ports);
            }
            None => {}
        }
    }

    /// Keeps what the resolver said of a name.
    fn remember(&mut self, name: &str, found: Result<Vec<IpAddr>, String>, now: Instant) {
        if let Ok(addresses) = &found
            && !addresses.is_empty()
            && let Some(seed) = self.seeds.get_mut(name)
        {
            seed.lies_at.get_or_insert_with(|| {
                let addresses = addresses.iter().map(IpAddr::to_canonical);
                addresses.filter(|at| !is_link_local(*at)).collect()
            });
        }
        if self.names.len() >= NAMES {
            self.names.retain(|_, (until, _)| *until > now);
            if self.names.len() >= NAMES {
                self.names.clear();
            }
        }
        // A failure is kept shorter: it may be the network's and not the name's.
        let ttl = if found.is_ok() {
            NAME_TTL
        } else {
            NAME_TTL / 12
        };
        self.names.insert(name.to_owned(), (now + ttl, found));
    }

    /// Whether `host` on `port` (`None`: on any) may be found at `address`.
    fn is_permitted(&self, host: &str, port: Option<u16>, address: IpAddr) -> bool {
        if is_public(address) {
            return true;
        }
        let address = address.to_canonical();
        if let Some(seed) = self.seeds.get(host) {
            let is_there = seed
                .lies_at
                .as_ref()
                .is_some_and(|at| at.contains(&address));
            return is_there && port.is_none_or(|port| seed.ports.contains(&port));
        }
        // A literal address stands for itself; a name is not allowed what an address is.
        let is_literal = host
            .trim_matches(['[', ']'])
            .parse::<IpAddr>()
            .is_ok_and(|literal| literal.to_canonical() == address);
        is_literal && port.is_some_and(|port| self.allowed.contains(&(address, port)))
    }

    fn permitted(
        &self,
        name: &str,
        port: Option<u16>,
        found: Result<Vec<IpAddr>, String>,
    ) -> Result<Vec<IpAddr>, Refusal> {
        let unresolved = |detail: String| Refusal::Unresolved {
            host: name.to_owned(),
            detail,
        };
        let mut permitted = found.map_err(unresolved)?;
        let first = *permitted
            .first()
            .ok_or_else(|| unresolved("the resolver gave none".to_owned()))?;
        permitted.retain(|address| self.is_permitted(name, port, *address));
        if permitted.is_empty() {
            return Err(Refusal::Private {
                host: name.to_owned(),
                address: first,
            });
        }
        Ok(permitted)
    }
}

fn port_of(url: &Url) -> Option<u16> {
    url.port_or_known_default()
}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let this = self.clone();
        Box::pin(async move {
            // Nobody tells which port is meant: the URL was checked with its port just before, and the
            // connection is again.
            let addresses = this.addresses(name.as_str()).await?;
            // Port 0 stands for the port of the URL.
            let found: Addrs = Box::new(addresses.into_iter().map(|ip| SocketAddr::new(ip, 0)));
            Ok(found)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        text.parse().unwrap()
    }

    #[tokio::test]
    async fn literal_addresses_are_refused_unless_a_seed_lies_there_on_that_port() {
        let guard = Guard::new([&url("http://127.0.0.1:8000/"), &url("http://10.0.0.1/")]);
        for text in [
            "http://127.0.0.1:8000/x",
            "https://127.0.0.1:8000/",
            "http://[::ffff:127.0.0.1]:8000/",
            "http://10.0.0.1/",
            "https://10.0.0.1/",
        ] {
            assert!(guard.check(&url(text)).await.is_ok(), "{text}");
        }
        for text in [
            "http://127.0.0.1:9/",
            "http://127.0.0.1/",
            "http://10.0.0.1:8000/",
            "http://127.0.0.2:8000/",
            "http://[::1]/",
            "http://0x7f.2/",
            "http://2130706434/",
        ] {
            let refusal = guard.check(&url(text)).await.unwrap_err();
            assert_eq!(refusal.code(), "private_address", "{text}");
        }
    }

    #[tokio::test]
    async fn a_name_that_leads_home_is_refused_unless_it_is_a_seed_on_that_port() {
        let guard = Guard::new([&url("http://public.example/"), &url("http://127.0.0.1/")]);
        let refusal = guard.check(&url("http://localhost/")).await.unwrap_err();
        assert_eq!(refusal.code(), "private_address");
        let guard = Guard::new([&url("http://localhost/")]);
        assert!(guard.check(&url("http://localhost/")).await.is_ok());
        assert!(guard.check(&url("http://localhost:81/")).await.is_err());
        assert!(guard.check(&url("http://127.0.0.1/")).await.is_err());
    }

    /// What a guard says of a name on a port, once the resolver gave these addresses for it.
    fn told(guard: &Guard, text: &str, addresses: &[&str]) -> Result<Vec<IpAddr>, Refusal> {
        let found: Vec<IpAddr> = addresses.iter().map(|a| a.parse().unwrap()).collect();
        let url = url(text);
        let name = url.host_str().unwrap();
        let mut state = guard.lock();
        state.remember(name, Ok(found.clone()), Instant::now());
        state.permitted(name, port_of(&url), Ok(found))
    }

    #[test]
    fn another_name_at_the_private_address_of_a_seed_is_refused() {
        let guard = Guard::new([&url("http://wiki.intra:8080/")]);
        assert!(told(&guard, "http://wiki.intra:8080/", &["10.0.0.1"]).is_ok());
        assert!(told(&guard, "http://evil.example:8080/", &["10.0.0.1"]).is_err());
        assert!(told(&guard, "http://wiki.intra:22/", &["10.0.0.1"]).is_err());
        // The same holds for the connection itself.
        let home = "10.0.0.1".parse().unwrap();
        let met = |text: &str| guard.check_connection(&url(text), home);
        assert!(met("http://wiki.intra:8080/x").is_ok());
        assert!(met("http://evil.example:8080/").is_err());
        assert!(met("http://wiki.intra:22/").is_err());
        assert!(met("http://10.0.0.1:8080/").is_err());
    }

    #[test]
    fn a_seed_name_that_moves_into_a_private_network_later_is_refused() {
        let guard = Guard::new([&url("http://seed.example/")]);
        assert!(told(&guard, "http://seed.example/", &["93.184.215.14"]).is_ok());
        assert!(told(&guard, "http://seed.example/", &["10.0.0.1"]).is_err());
        // Of a mixed answer, what is public stays.
        let mixed = told(&guard, "http://seed.example/", &["10.0.0.1", "1.1.1.1"]).unwrap();
        assert_eq!(mixed, ["1.1.1.1".parse::<IpAddr>().unwrap()]);
    }

    #[test]
    fn no_name_is_allowed_a_link_local_address_not_even_a_seed() {
        for address in [
            "169.254.169.254",
            "fe80::1",
            "febf::1",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "fd00:ec2::254",
            "100.100.100.200",
        ] {
            let guard = Guard::new([&url("http://seed.example/")]);
            let answer = told(&guard, "http://seed.example/", &[address]);
            assert!(answer.is_err(), "{address}");
        }
    }

    #[test]
    fn names_are_forgotten_in_time() {
        let mut state = State::default();
        for n in 0..3 * NAMES {
            state.remember(&n.to_string(), Err("none".to_owned()), Instant::now());
        }
        assert!(state.names.len() <= NAMES);
    }
}
