//! Is this link part of what the operator asked to crawl?
//!
//! Scope is a stage of its own because it stays in force when filters are switched off. Links that their
//! page asks not to follow are dropped here, too, where the fetcher says so
//! ([`RawUrl::with_nofollow`](nodust_frontier::RawUrl::with_nofollow)). Seeds are always in scope. Redirect
//! targets are judged like links: a page that has moved out of scope is not fetched. One exception: where a
//! seed itself redirects to another host of its site (`e.org` to `www.e.org`), that host is what the operator
//! meant, and is in scope from its first answer on.
//!
//! One port answers one scheme: where a seed names a port that is not the usual one, links to the other scheme on that
//! port are out of scope, until a redirect has led to one and it was answered.
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

use std::sync::Arc;

use arc_swap::ArcSwap;
use hashbrown::HashSet;
use nodust_frontier::{
    Candidate, CanonicalUrl, DropReason, Effects, Live, Middleware, Observation, Origin, RuleName,
    StageName, Verdict, Via,
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
    /// How far from the seeds.
    pub kind: ScopeKind,
    /// Hosts that are in scope besides those of the seeds, whatever the kind, with their ports; `*.example.org` for a
    /// host and all below it, on any port. With `kind = "any"` they change nothing.
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
                    "`{host}` is no host: write `example.org`, `example.org:8080` or `*.example.org`"
                ),
            )),
            None => Ok(()),
        }
    }
}

fn is_plausible_host(text: &str) -> bool {
    let name = text.strip_prefix("*.").unwrap_or(text);
    !name.contains('/')
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

    /// Takes the hosts (or sites) of further seeds into scope, while the crawl runs.
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

    /// Whether a URL lies within the hosts or sites of this scope, whatever its depth and length.
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
        if self.kind == ScopeKind::Any || page.origin != Origin::Redirect {
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

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use nodust_frontier::{
        Chain, Decision, Fate, FetchedPage, Frontier as _, LocalFrontier, MemoryStore, Outcome,
        RawUrl, Store, Turn, frontier::Open,
    };

    use super::*;

    fn scope(kind: ScopeKind, seed: &str) -> Scope {
        let config = ScopeConfig {
            kind,
            max_depth: Some(3),
            ..ScopeConfig::default()
        };
        Scope::for_seeds(&config, &[seed.parse().unwrap()])
    }

    fn rule(scope: &Scope, link: &str, via: &Via<'_>) -> Option<String> {
        let mut link = Candidate::resolve(RawUrl::new(link), via).unwrap();
        match scope.judge(&mut link, via) {
            Verdict::Pass => None,
            Verdict::Drop(reason) => Some(reason.rule().unwrap().to_string()),
        }
    }

    #[test]
    fn host_scope_is_the_host_with_its_port() {
        let scope = scope(ScopeKind::Host, "http://e.org:81/");
        let page = "http://e.org:81/a".parse().unwrap();
        let via = Via::page(&page);
        assert_eq!(rule(&scope, "/b", &via), None);
        for other in ["http://e.org/", "http://www.e.org:81/", "https://e.org:81/"] {
            assert_eq!(rule(&scope, other, &via).as_deref(), Some("scope:host"));
        }
        let redirect = Via::page(&page).found_by(Origin::Redirect);
        assert_eq!(
            rule(&scope, "https://e.org:81/", &redirect.at_depth(2)),
            None
        );
        scope.admit_seeds(&["https://e.org:81/a".parse().unwrap()]);
        assert_eq!(
            rule(&scope, "https://e.org:81/b", &via),
            None,
            "a seed of its own"
        );
        assert_eq!(rule(&scope, "http://e.org:81/b", &via), None);
        let usual = self::scope(ScopeKind::Host, "http://e.org/");
        assert!(usual.holds(&"https://e.org/".parse().unwrap()));
    }

    #[test]
    fn domain_scope_is_the_site_on_any_host_and_port() {
        let wide = scope(ScopeKind::Domain, "http://www.example.co.uk/");
        assert!(wide.holds(&"https://a.example.co.uk:81/".parse().unwrap()));
        assert!(!wide.holds(&"https://other.co.uk/".parse().unwrap()));
        let address = scope(ScopeKind::Domain, "http://127.0.0.1:81/");
        assert!(address.holds(&"http://127.0.0.1:82/".parse().unwrap()));
        assert!(!address.holds(&"http://127.0.0.2:81/".parse().unwrap()));
        let v6 = scope(ScopeKind::Domain, "http://[::1]/");
        assert!(v6.holds(&"http://[::1]:82/".parse().unwrap()));
        let shared = scope(ScopeKind::Domain, "http://me.github.io/");
        assert!(!shared.holds(&"http://you.github.io/".parse().unwrap()));
    }

    #[test]
    fn listed_hosts_are_in_scope_too_whatever_its_kind() {
        for kind in [ScopeKind::List, ScopeKind::Host, ScopeKind::Domain] {
            let config = ScopeConfig {
                kind,
                hosts: vec!["*.Example.org".into(), "host.example:8080".into()],
                ..ScopeConfig::default()
            };
            let seed = "http://seed.example/".parse().unwrap();
            let scope = Scope::for_seeds(&config, &[seed]);
            assert!(scope.holds(&"http://seed.example/a".parse().unwrap()));
            assert!(scope.holds(&"http://a.example.org/".parse().unwrap()));
            assert!(scope.holds(&"http://host.example:8080/".parse().unwrap()));
            assert!(!scope.holds(&"http://host.example/".parse().unwrap()));
        }
    }

    #[test]
    fn seeds_pass_and_later_ones_widen_the_scope() {
        let scope = scope(ScopeKind::Host, "http://e.org/");
        assert_eq!(rule(&scope, "http://other.org/", &Via::seed()), None);
        let other = "http://other.org/a".parse().unwrap();
        assert!(!scope.holds(&other));
        scope.admit_seeds(&["http://other.org/".parse().unwrap()]);
        assert!(scope.holds(&other));
    }

    #[test]
    fn a_seed_may_redirect_within_its_site_and_a_page_may_not() {
        let scope = scope(ScopeKind::Host, "http://e.org/");
        let page = "http://e.org/".parse().unwrap();
        let of_seed = Via::page(&page).found_by(Origin::Redirect);
        for passes in [
            "https://www.e.org/",
            "https://shop.e.org/",
            "https://e.org/",
        ] {
            assert_eq!(rule(&scope, passes, &of_seed), None, "{passes}");
        }
        for other in [
            "https://x.org/",
            "https://www.e.org:8443/",
            "http://e.org.x.org/",
        ] {
            assert!(rule(&scope, other, &of_seed).is_some(), "{other}");
        }
        let of_page = of_seed.at_depth(1);
        assert!(rule(&scope, "https://www.e.org/", &of_page).is_some());
        assert!(rule(&scope, "https://www.e.org/", &Via::page(&page)).is_some());
        let local = self::scope(ScopeKind::Host, "http://www.localhost:81/");
        assert_eq!(rule(&local, "http://localhost:81/", &of_seed), None);
        assert_eq!(rule(&local, "http://localhost/", &of_seed), None);
        assert!(rule(&local, "http://localhost:82/", &of_seed).is_some());
    }

    #[test]
    fn a_port_that_answered_both_schemes_has_both_after_a_restart() {
        let store: Arc<MemoryStore> = Arc::default();
        let frontier = || {
            let chain = Chain::new().then(scope(ScopeKind::Host, "http://e.org:81/"));
            let store = Arc::clone(&store) as Arc<dyn Store>;
            LocalFrontier::builder(chain).store(store).build().unwrap()
        };
        let lease = |frontier: &LocalFrontier| match frontier.lease(Instant::now(), &Open) {
            Ok(Turn::Fetch(lease)) => lease,
            other => panic!("{other:?}"),
        };
        let admits = |frontier: &LocalFrontier, link: &str| {
            let page = "http://e.org:81/".parse().unwrap();
            let mut decisions = Vec::new();
            frontier
                .admit(&Via::page(&page), &[RawUrl::new(link)], &mut decisions)
                .unwrap();
            matches!(decisions[..], [Decision::Admitted(_)])
        };
        let first = frontier();
        assert!(!admits(&first, "https://e.org:81/a"));
        assert!(admits(&first, "http://e.org:81/login"));
        let moved = Outcome::Redirected {
            status: 302,
            target: RawUrl::new("https://e.org:81/login"),
        };
        let mut told = Vec::new();
        first.observe(lease(&first), &moved, &mut told).unwrap();
        let page = Outcome::Fetched(FetchedPage {
            status: 200,
            ..FetchedPage::default()
        });
        first.observe(lease(&first), &page, &mut told).unwrap();
        assert!(admits(&first, "https://e.org:81/b"));
        drop(first);
        let second = frontier();
        assert!(admits(&second, "https://e.org:81/c"));
        assert!(admits(&second, "http://e.org:81/d"));
    }

    #[test]
    fn where_a_seed_redirects_to_stays_in_scope_after_a_restart() {
        let store: Arc<MemoryStore> = Arc::default();
        let frontier = || {
            let chain = Chain::new().then(scope(ScopeKind::Host, "http://e.org/"));
            let store = Arc::clone(&store) as Arc<dyn Store>;
            LocalFrontier::builder(chain).store(store).build().unwrap()
        };
        let lease = |frontier: &LocalFrontier| match frontier.lease(Instant::now(), &Open) {
            Ok(Turn::Fetch(lease)) => lease,
            other => panic!("{other:?}"),
        };
        let first = frontier();
        first
            .admit(
                &Via::seed(),
                &[RawUrl::new("http://e.org/")],
                &mut Vec::new(),
            )
            .unwrap();
        let moved = Outcome::Redirected {
            status: 301,
            target: RawUrl::new("https://www.e.org/"),
        };
        first
            .observe(lease(&first), &moved, &mut Vec::new())
            .unwrap();
        let links = [RawUrl::new("/a"), RawUrl::new("https://shop.e.org/")];
        let page = Outcome::Fetched(FetchedPage {
            status: 200,
            links: &links,
            ..FetchedPage::default()
        });
        let mut decisions = Vec::new();
        first.observe(lease(&first), &page, &mut decisions).unwrap();
        assert!(matches!(
            decisions[..],
            [Decision::Admitted(_), Decision::Dropped(_)]
        ));
        drop(first);

        let second = frontier();
        let lease = lease(&second);
        assert_eq!(lease.url().as_str(), "https://www.e.org/a");
        decisions.clear();
        let links = [RawUrl::new("/b")];
        let page = Outcome::Fetched(FetchedPage {
            status: 200,
            links: &links,
            ..FetchedPage::default()
        });
        second.observe(lease, &page, &mut decisions).unwrap();
        assert!(matches!(decisions[..], [Decision::Admitted(_)]));
    }

    #[test]
    fn a_link_that_is_not_followed_on_one_page_is_new_on_another_and_told_once() {
        let chain = Chain::new().then(scope(ScopeKind::Host, "http://e.org/"));
        let frontier = LocalFrontier::builder(chain).build().unwrap();
        let page = "http://e.org/".parse().unwrap();
        let link = |text| RawUrl::new(text);
        let not = |text| RawUrl::new(text).with_nofollow(true);
        let found = |links: &[RawUrl<'_>]| {
            let mut decisions = Vec::new();
            frontier
                .admit(&Via::page(&page), links, &mut decisions)
                .unwrap();
            let word = |decision: &Decision| match decision {
                Decision::Admitted(_) => "admitted",
                Decision::Known => "known",
                Decision::Dropped(dropped) => dropped.reason.code(),
            };
            decisions.iter().map(word).collect::<Vec<_>>()
        };
        let fate = |text| {
            frontier
                .explain(&Via::page(&page), RawUrl::new(text))
                .unwrap()
                .fate()
        };
        // The same page may have a link both ways, in either order.
        assert_eq!(
            found(&[
                not("/a"),
                not("/b"),
                link("/a"),
                not("/b"),
                not("http://x.org/")
            ]),
            ["known", "nofollow", "admitted", "known", "out_of_scope"]
        );
        assert_eq!(fate("/b"), Some(Fate::NotFollowed));
        assert_eq!(found(&[not("/b"), not("/a")]), ["known", "known"]);
        assert_eq!(found(&[link("/b")]), ["admitted"]);
        assert_eq!(fate("/b"), Some(Fate::Known));
        let counts = frontier.totals().total;
        assert!(counts.is_balanced());
        assert_eq!(counts.dropped[SCOPE]["nofollow"], 1);
        assert_eq!(counts.saved(), 0);
    }

    #[test]
    fn depth_and_length_have_limits_and_redirects_are_judged() {
        let scope = scope(ScopeKind::Host, "http://e.org/");
        let page = "http://e.org/a".parse().unwrap();
        let deep = Via::page(&page).at_depth(3);
        assert_eq!(
            rule(&scope, "/b", &deep).as_deref(),
            Some("scope:max-depth=3")
        );
        let redirect = deep.found_by(Origin::Redirect);
        assert_eq!(rule(&scope, "/b", &redirect), None);
        assert_eq!(
            rule(&scope, "http://x.org/", &redirect).as_deref(),
            Some("scope:host")
        );
        let long = format!("/{}", "a".repeat(9000));
        assert_eq!(
            rule(&scope, &long, &Via::page(&page)).as_deref(),
            Some("scope:max-url-bytes=8192")
        );
    }
}
