//! What is in scope, and what comes into it.

use std::time::Instant;

use nodust_frontier::{
    Chain, Decision, Fate, FetchFailure, FetchedPage, Frontier as _, Lease, LocalFrontier,
    MemoryStore, Outcome, RawUrl, Store, Turn, frontier::Open,
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

/// A crawl of a host that keeps what it knows in a store.
fn frontier(seed: &str, store: &Arc<MemoryStore>) -> LocalFrontier {
    let chain = Chain::new().then(scope(ScopeKind::Host, seed));
    let store = Arc::clone(store) as Arc<dyn Store>;
    LocalFrontier::builder(chain).store(store).build().unwrap()
}

fn lease(frontier: &LocalFrontier) -> Lease {
    match frontier.lease(Instant::now(), &Open) {
        Ok(Turn::Fetch(lease)) => lease,
        other => panic!("{other:?}"),
    }
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
    let frontier = || frontier("http://e.org:81/", &store);
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
fn what_does_not_answer_brings_no_host_into_scope() {
    let scope = scope(ScopeKind::Host, "http://e.org/");
    let start = "http://e.org/".parse().unwrap();
    let via = Via::page(&start).found_by(Origin::Redirect);
    let target = Candidate::resolve(RawUrl::new("https://www.e.org/"), &via).unwrap();
    let target = target.seal(&via, 0);
    let failed = Outcome::Failed(FetchFailure {
        code: "timeout",
        detail: String::new(),
        status: None,
        retry_after: None,
        may_pass: true,
    });
    let page = Outcome::Fetched(FetchedPage {
        status: 200,
        ..FetchedPage::default()
    });
    for (outcome, is_in) in [(failed, false), (page, true)] {
        let seen = Observation {
            url: &target,
            outcome: &outcome,
            points_to: None,
        };
        let mut effects = Effects::default();
        scope.observe(&seen, &mut effects);
        assert_eq!(scope.holds(target.url.as_url()), is_in);
        assert_eq!(effects.state.len(), usize::from(is_in));
    }
}

#[test]
fn where_a_seed_redirects_to_stays_in_scope_after_a_restart() {
    let store: Arc<MemoryStore> = Arc::default();
    let frontier = || frontier("http://e.org/", &store);
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
    assert_eq!(fate("/b"), Some(Fate::Queued));
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

#[test]
fn hosts_that_no_url_has_are_refused() {
    let config = |host: &str| ScopeConfig {
        hosts: vec![host.to_owned()],
        ..ScopeConfig::default()
    };
    for host in ["*", "*.*", "a.*.org", "e.org/x", "a b"] {
        let (key, why) = config(host).validate().unwrap_err();
        assert!(
            key == "hosts" && why.contains("is no host"),
            "{host}: {why}"
        );
    }
    for host in ["e.org", "*.e.org", "e.org:8080"] {
        assert!(config(host).validate().is_ok(), "{host}");
    }
}
