//! May this address be connected to?
//!
//! A page on the public web must not be able to send the crawler to machines that only its operator can
//! reach: loopback, private networks, link-local addresses (cloud metadata services live there) and the
//! like. What counts is the address that is really connected to: literal addresses are checked before
//! the request, names when they are resolved, in the very resolver that the HTTP client connects by, so
//! that a name cannot change between check and use. Addresses on which a seed lies are allowed: the
//! operator asked for them.
//!
//! ```
//! use nodust_crawler::guard::is_public;
//! assert!(is_public("93.184.215.14".parse()?));
//! assert!(!is_public("169.254.169.254".parse()?));
//! assert!(!is_public("::ffff:10.0.0.1".parse()?));
//! # Ok::<(), std::net::AddrParseError>(())
//! ```

use std::{
    collections::{HashMap, HashSet},
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

/// Names are asked for again after this time. The system's resolver keeps the true times to live to
/// itself; a minute is the shortest that large sites use.
const NAME_TTL: Duration = Duration::from_mins(1);
/// A resolver that takes longer has no answer.
const RESOLVE_TIME: Duration = Duration::from_secs(10);
/// Names that are remembered; at this number those that have expired are forgotten, or all.
const NAMES: usize = 16 * 1024;

/// Why an address will not be connected to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is none of the public web's.
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
    /// Short stable name for counters.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Private { .. } => "private_address",
            Self::Unresolved { .. } => "dns",
        }
    }
}

/// Decides which addresses may be connected to, and resolves names.
#[derive(Clone)]
pub struct Guard(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    allowed: HashSet<IpAddr>,
    /// Seed names that were not resolved yet: the first answer says where the seed lies.
    seeds: HashSet<String>,
    names: HashMap<String, (Instant, Result<Vec<IpAddr>, Refusal>)>,
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard")
            .field("allowed", &self.lock().allowed)
            .finish_non_exhaustive()
    }
}

impl Guard {
    /// Only public addresses, and those on which one of these seeds lies.
    pub fn new<'s>(seeds: impl IntoIterator<Item = &'s Url>) -> Self {
        let mut state = State::default();
        for seed in seeds {
            match seed.host() {
                Some(Host::Ipv4(address)) => {
                    state.allowed.insert(address.into());
                }
                Some(Host::Ipv6(address)) => {
                    state.allowed.insert(address.into());
                }
                Some(Host::Domain(name)) => {
                    state.seeds.insert(name.to_owned());
                }
                None => {}
            }
        }
        Self(Arc::new(Mutex::new(state)))
    }

    /// Guards the names and addresses; never held across an await.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks where a URL would lead. The answer for a name is kept, and is what a request made soon
    /// after connects to.
    ///
    /// # Errors
    /// Why it will not be connected to.
    pub async fn check(&self, url: &Url) -> Result<(), Refusal> {
        match url.host() {
            Some(Host::Ipv4(address)) => self.check_literal(address.into()),
            Some(Host::Ipv6(address)) => self.check_literal(address.into()),
            Some(Host::Domain(name)) => self.addresses(name).await.map(drop),
            None => Err(Refusal::Unresolved {
                host: String::new(),
                detail: "the URL names no host".to_owned(),
            }),
        }
    }

    /// Checks the address of a connection that was made.
    ///
    /// # Errors
    /// Why nothing may be read from it.
    pub fn check_literal(&self, address: IpAddr) -> Result<(), Refusal> {
        if is_public(address) || self.lock().allowed.contains(&address) {
            Ok(())
        } else {
            Err(Refusal::Private {
                host: address.to_string(),
                address,
            })
        }
    }

    /// The addresses of a name that may be connected to.
    ///
    /// # Errors
    /// When there are none.
    pub async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, Refusal> {
        let now = Instant::now();
        if let Some((until, answer)) = self.lock().names.get(name)
            && *until > now
        {
            return answer.clone();
        }
        let found = tokio::time::timeout(RESOLVE_TIME, tokio::net::lookup_host((name, 0))).await;
        let found = match found {
            Ok(Ok(found)) => Ok(found.map(|address| address.ip()).collect()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(format!(
                "the resolver did not answer within {RESOLVE_TIME:?}"
            )),
        };
        self.lock().settle(name, found, now)
    }
}

impl State {
    fn settle(
        &mut self,
        name: &str,
        found: Result<Vec<IpAddr>, String>,
        now: Instant,
    ) -> Result<Vec<IpAddr>, Refusal> {
        let answer = self.permitted(name, found);
        if self.names.len() >= NAMES {
            self.names.retain(|_, (until, _)| *until > now);
            if self.names.len() >= NAMES {
                self.names.clear();
            }
        }
        // A failure is kept shorter: it may be the network's and not the name's.
        let ttl = if answer.is_ok() {
            NAME_TTL
        } else {
            NAME_TTL / 12
        };
        self.names
            .insert(name.to_owned(), (now + ttl, answer.clone()));
        answer
    }

    fn permitted(
        &mut self,
        name: &str,
        found: Result<Vec<IpAddr>, String>,
    ) -> Result<Vec<IpAddr>, Refusal> {
        let unresolved = |detail: String| Refusal::Unresolved {
            host: name.to_owned(),
            detail,
        };
        let found = found.map_err(unresolved)?;
        let first = *found
            .first()
            .ok_or_else(|| unresolved("the resolver gave none".to_owned()))?;
        if self.seeds.remove(name) {
            self.allowed.extend(&found);
        }
        let permitted: Vec<_> = found
            .into_iter()
            .filter(|address| is_public(*address) || self.allowed.contains(address))
            .collect();
        if permitted.is_empty() {
            return Err(Refusal::Private {
                host: name.to_owned(),
                address: first,
            });
        }
        Ok(permitted)
    }
}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let this = self.clone();
        Box::pin(async move {
            let addresses = this.addresses(name.as_str()).await?;
            // Port 0 stands for the port of the URL.
            let found: Addrs = Box::new(addresses.into_iter().map(|ip| SocketAddr::new(ip, 0)));
            Ok(found)
        })
    }
}

/// Whether an address belongs to the public internet, by the special-purpose registries of RFC 6890 and
/// its successors. An IPv6 address that stands for an IPv4 address is judged as that.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !(address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        || a == 0 // "this network"
        || a >= 240 // reserved, broadcast
        || a == 100 && (64..128).contains(&b) // shared by carriers (RFC 6598)
        || a == 192 && b == 0 && c == 0 // protocol assignments
        || a == 192 && b == 88 && c == 99 // 6to4 relays
        || a == 198 && (18..20).contains(&b)) // benchmarks
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(inner) = address.to_ipv4_mapped() {
        return is_public_v4(inner);
    }
    match address.segments() {
        // NAT64 (RFC 6052), 6to4 (RFC 3056)
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
            let octets = (u32::from(high) << 16 | u32::from(low)).to_be_bytes();
            is_public_v4(octets.into())
        }
        // Teredo, documentation
        [0x2001, 0 | 0xdb8, ..] => false,
        // Global unicast is 2000::/3; all else is local, reserved or multicast.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        text.parse().unwrap()
    }

    #[test]
    fn what_is_not_public_is_known() {
        for text in [
            "127.0.0.1",
            "127.9.9.9",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "100.100.100.200",
            "0.0.0.0",
            "255.255.255.255",
            "224.0.0.1",
            "192.0.0.192",
            "198.18.0.1",
            "240.0.0.1",
            "::",
            "::1",
            "::127.0.0.1",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "::ffff:127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001:db8::1",
            "2001:0:1::1",
            "64:ff9b:1::1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
        for text in [
            "1.1.1.1",
            "100.63.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "2606:4700:4700::1111",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
        ] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[tokio::test]
    async fn literal_addresses_are_refused_unless_a_seed_lies_there() {
        let guard = Guard::new([&url("http://127.0.0.1:8000/")]);
        assert!(guard.check(&url("http://127.0.0.1:9/")).await.is_ok());
        for text in [
            "http://127.0.0.2/",
            "http://[::1]/",
            "http://0x7f.2/",
            "http://2130706434/",
        ] {
            let refusal = guard.check(&url(text)).await.unwrap_err();
            assert_eq!(refusal.code(), "private_address", "{text}");
        }
    }

    #[tokio::test]
    async fn a_name_that_leads_home_is_refused_unless_it_is_a_seed() {
        let guard = Guard::new([&url("http://public.example/")]);
        let refusal = guard.check(&url("http://localhost/")).await.unwrap_err();
        assert_eq!(refusal.code(), "private_address");
        let guard = Guard::new([&url("http://localhost/")]);
        assert!(guard.check(&url("http://localhost/")).await.is_ok());
        assert!(guard.check(&url("http://127.0.0.1/")).await.is_ok());
    }

    #[test]
    fn a_seed_name_that_moves_into_a_private_network_later_is_refused() {
        let mut state = State::default();
        state.seeds.insert("seed.example".to_owned());
        let public = vec!["93.184.215.14".parse().unwrap()];
        let private = vec!["10.0.0.1".parse().unwrap()];
        assert!(state.permitted("seed.example", Ok(public)).is_ok());
        assert!(state.permitted("seed.example", Ok(private)).is_err());
    }

    #[test]
    fn names_are_forgotten_in_time() {
        let mut state = State::default();
        for n in 0..3 * NAMES {
            let _ = state.settle(&n.to_string(), Err("none".to_owned()), Instant::now());
        }
        assert!(state.names.len() <= NAMES);
    }
}
