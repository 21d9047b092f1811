//! The scope: what the operator asked to crawl.
//!
//! Scope is a stage of its own because it stays in force when filters are switched off. It also drops links that their
//! page asks not to follow, if the fetcher marks them
//! ([`RawUrl::with_nofollow`](nodust_frontier::RawUrl::with_nofollow)). Seeds are always in scope. Redirect targets are
//! judged like links: a page that has moved out of scope is not fetched. There is one exception: if a seed itself
//! redirects to another host of its site (`e.org` to `www.e.org`), that host is what the operator meant, and is in
//! scope from its first answer on.
//!
//! A port answers one scheme: if a seed names a non-default port, links to the other scheme on that port are out of
//! scope until a redirect has led to such a URL and it was answered.
//!
//! ```
//! use nodust_middleware::filter::{Scope, ScopeConfig};
//!
//! let seeds = ["http://shop.example:8080/".parse()?];
//! let scope = Scope::for_seeds(&ScopeConfig::default(), &seeds);
//! assert!(scope.holds(&"http://shop.example:8080/cart".parse()?));
//! assert!(!scope.holds(&"http://shop.example/cart".parse()?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arc_swap::ArcSwap;
use hashbrown::HashSet;
use nodust_frontier::{
    Candidate, CanonicalUrl, DropReason, Effects, Live, Middleware, Observation, Origin, Outcome,
    RuleName, StageName, Verdict, Via,
};
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};
use url::Url;

use super::hosts::{parents, site_of};

/// Name of the stage.
pub const SCOPE: StageName = "scope";

/// How far from the seeds a crawl may go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScopeKind {
    /// The hosts of the seeds, with their ports.
    #[default]
    Host,
    /// The registrable domains of the seeds, on any host and port below them. An address or a name
    /// without a registrable domain stands for itself.
    Domain,
    /// The hosts and domains of a list (`hosts`), and the hosts of the seeds.
    List,
    /// Everywhere.
    Any,
}

/// Where a crawl stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScopeConfig {
    /// How far from the seeds a crawl may go.
    pub kind: ScopeKind,
    /// Hosts that are in scope besides those of the seeds, whatever the kind, with their ports; `*.example.org` means a
    /// host and all below it, on any port. With `kind = "any"`, they have no effect.
    pub hosts: Vec<String>,
    /// Most links between a page and its seed.
    pub max_depth: Option<u16>,
    /// Longest URL, in bytes; servers refuse longer ones at 8 KiB or earlier.
    pub max_url_bytes: usize,
}

impl Default for ScopeConfig {
    fn default() -> Self {
        Self {
            kind: ScopeKind::Host,
            hosts: Vec::new(),
            max_depth: None,
            max_url_bytes: 8192,
        }
    }
}

impl ScopeConfig {
    /// Key and reason of the first setting that makes no sense.
    pub(crate) fn validate(&self) -> Result<(), (String, String)> {
        if self.max_url_bytes < 16 {
            return Err((
                "max_url_bytes".into(),
                "no URL is that short; at least 16".into(),
            ));
        }
        if self.kind == ScopeKind::List && self.hosts.is_empty() {
            return Err((
                "kind".into(),
                "`list` needs a list: name hosts (`hosts = [\"example.org\", \"*.example.net\"]`), or say \
                 `host` to stay on those of the seeds"
                    .into(),
            ));
        }
        match self.hosts.iter().find(|host| !is_plausible_host(host)) {
            Some(host) => Err((
                "hosts".into(),
                format!(
                    "`{host}` is no host: write `example.org`, `example.org:8080` or `*.example.org` (all hosts: `kind = \"any\"`)"
                ),
            )),
            None => Ok(()),
        }
    }
}

fn is_plausible_host(text: &str) -> bool {
    let name = text.strip_prefix("*.").unwrap_or(text);
    !name.contains(['/', '*'])
        && Url::parse(&format!("http://{name}/")).is_ok_and(|url| url.username().is_empty())
}

type Set = HashSet<Box<str>, FxBuildHasher>;

#[derive(Clone, Debug, Default)]
struct Allowed {
    /// Hosts with their ports.
    hosts: Set,
    /// Of hosts whose port is not the usual one, what they answer on it.
    origins: Set,
    /// Sites, or hosts with all below them.
    domains: Set,
    /// Where a seed's redirect may lead: see [`sites_of`].
    sites: Set,
}

/// The stage that keeps a crawl where it belongs.
#[derive(Debug)]
pub struct Scope {
    kind: ScopeKind,
    allowed: ArcSwap<Allowed>,
    max_depth: Option<u16>,
    max_url_bytes: usize,
    outside: RuleName,
    too_deep: RuleName,
    too_long: RuleName,
}

impl Scope {
    /// The scope of a crawl that starts at these seeds.
    pub fn for_seeds(config: &ScopeConfig, seeds: &[CanonicalUrl]) -> Self {
        let kind = match config.kind {
            ScopeKind::Host => "host",
            ScopeKind::Domain => "domain",
            ScopeKind::List => "list",
            ScopeKind::Any => "any",
        };
        let mut allowed = Allowed::default();
        for host in &config.hosts {
            match host.strip_prefix("*.") {
                Some(domain) => allowed.domains.insert(spelled(domain)),
                None => allowed.hosts.insert(spelled(host)),
            };
        }
        let scope = Self {
            kind: config.kind,
            allowed: ArcSwap::from_pointee(allowed),
            max_depth: config.max_depth,
            max_url_bytes: config.max_url_bytes,
            outside: format!("scope:{kind}").into(),
            too_deep: format!("scope:max-depth={}", config.max_depth.unwrap_or(u16::MAX)).into(),
            too_long: format!("scope:max-url-bytes={}", config.max_url_bytes).into(),
        };
        scope.admit_seeds(seeds);
        scope
    }

    /// Adds the hosts (or sites) of further seeds to the scope while the crawl runs
    /// ([`standard_chain_within`](crate::standard_chain_within)).
    pub fn admit_seeds(&self, seeds: &[CanonicalUrl]) {
        if self.kind == ScopeKind::Any || seeds.is_empty() {
            return;
        }
        self.allowed.rcu(|now| {
            let mut next = Allowed::clone(now);
            for seed in seeds {
                let is_new = next.hosts.insert(seed.host().as_str().into());
                // A host that the configuration lists is in scope whatever the scheme.
                if seed.as_url().port().is_some()
                    && (is_new || is_other_scheme(&next, seed.as_url()))
                {
                    next.origins.insert(origin_of(seed.as_url()).into());
                }
                next.sites.extend(sites_of(seed.as_url()));
                if self.kind == ScopeKind::Domain {
                    let host = seed.as_url().host_str().unwrap_or_default();
                    next.domains.insert(site_of(host).into());
                }
            }
            Arc::new(next)
        });
    }

    /// Takes a host into scope, or one more scheme of a host.
    fn take_in(&self, name: &str) {
        self.allowed.rcu(|now| {
            let mut next = Allowed::clone(now);
            let names = if name.contains("://") {
                &mut next.origins
            } else {
                &mut next.hosts
            };
            names.insert(name.into());
            Arc::new(next)
        });
    }

    /// Whether a URL is on the hosts or sites of this scope, whatever its depth and length.
    pub fn holds(&self, url: &Url) -> bool {
        let allowed = self.allowed.load();
        self.kind == ScopeKind::Any || holds(&allowed, url) && !is_other_scheme(&allowed, url)
    }

    /// Whether a link, or a redirect, leads to what is in scope.
    fn leads_to(allowed: &Allowed, url: &Url, via: &Via<'_>) -> bool {
        let is_redirect = via.origin() == Origin::Redirect;
        if holds(allowed, url) {
            is_redirect || !is_other_scheme(allowed, url)
        } else {
            is_redirect && via.link_depth() == 0 && is_where_a_seed_leads(allowed, url)
        }
    }

    fn check(&self, allowed: &Allowed, link: &Candidate, via: &Via<'_>) -> Verdict {
        let rule = if via.is_seed() {
            return Verdict::Pass;
        } else if self.kind != ScopeKind::Any && !Self::leads_to(allowed, link.url(), via) {
            &self.outside
        } else if self.max_depth.is_some_and(|max| via.link_depth() > max) {
            &self.too_deep
        } else if link.url().as_str().len() > self.max_url_bytes {
            &self.too_long
        } else if link.nofollow() {
            return Verdict::Drop(DropReason::NotFollowed);
        } else {
            return Verdict::Pass;
        };
        Verdict::Drop(DropReason::OutOfScope { rule: rule.clone() })
    }
}

fn spelled(host: &str) -> Box<str> {
    match Url::parse(&format!("http://{host}/")) {
        Ok(url) => url[url::Position::BeforeHost..url::Position::AfterPort].into(),
        Err(_) => host.to_ascii_lowercase().into(),
    }
}

fn origin_of(url: &Url) -> &str {
    &url[..url::Position::AfterPort]
}

fn holds(allowed: &Allowed, url: &Url) -> bool {
    allowed
        .hosts
        .contains(&url[url::Position::BeforeHost..url::Position::AfterPort])
        || (!allowed.domains.is_empty()
            && url
                .host_str()
                .is_some_and(|host| parents(host).any(|name| allowed.domains.contains(name))))
}

/// Whether a URL differs in its scheme alone from a host that answers another one on this port.
fn is_other_scheme(allowed: &Allowed, url: &Url) -> bool {
    if url.port().is_none() || allowed.origins.is_empty() {
        return false;
    }
    let other = if url.scheme() == "http" {
        "https"
    } else {
        "http"
    };
    let rest = &url[url::Position::AfterScheme..url::Position::AfterPort];
    !allowed.origins.contains(origin_of(url))
        && allowed.origins.contains(&*format!("{other}{rest}"))
}

/// The site of a URL and its host without `www.`, and both with the port if that is not the usual one.
fn sites_of(url: &Url) -> impl Iterator<Item = Box<str>> {
    let host = url.host_str().unwrap_or_default();
    let bare = host.strip_prefix("www.").unwrap_or(host);
    [site_of(host), bare].into_iter().flat_map(move |name| {
        let with_port = url.port().map(|port| format!("{name}:{port}").into());
        with_port.into_iter().chain([name.into()])
    })
}

/// Whether a URL is of a seed's site. A port of its own must be a seed's, too.
fn is_where_a_seed_leads(allowed: &Allowed, url: &Url) -> bool {
    let port = url.port().map(|port| format!(":{port}"));
    sites_of(url)
        .filter(|site| port.as_ref().is_none_or(|port| site.ends_with(&**port)))
        .any(|site| allowed.sites.contains(&site))
}

impl Middleware for Scope {
    fn name(&self) -> StageName {
        SCOPE
    }

    fn judge(&self, link: &mut Candidate, via: &Via<'_>) -> Verdict {
        self.check(&self.allowed.load(), link, via)
    }

    fn judge_all(&self, live: &mut Live<'_>, via: &Via<'_>) {
        let allowed = self.allowed.load();
        live.each(|link| self.check(&allowed, link, via));
    }

    /// A page that a seed redirected to brings its host into scope, before its links are judged.
    fn observe(&self, seen: &Observation<'_>, effects: &mut Effects) {
        let page = seen.url;
        let has_answered = !matches!(seen.outcome, Outcome::Failed(_));
        if self.kind == ScopeKind::Any || page.origin != Origin::Redirect || !has_answered {
            return;
        }
        let (allowed, url) = (self.allowed.load(), page.url.as_url());
        let name = if holds(&allowed, url) {
            is_other_scheme(&allowed, url).then(|| origin_of(url))
        } else {
            let is_meant = page.depth == 0 && is_where_a_seed_leads(&allowed, url);
            is_meant.then(|| page.url.host().as_str())
        };
        let Some(name) = name else { return };
        tracing::info!("{name} is in scope from now on: a redirect leads there");
        self.take_in(name);
        effects.state.push((name.to_owned(), Some(Vec::new())));
    }

    fn restore(&self, key: &str, _value: &[u8]) -> Result<(), String> {
        self.take_in(key);
        Ok(())
    }
}
