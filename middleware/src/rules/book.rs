//! The rules in force.
//!
//! A [`RuleSet`] never changes; the [`RuleBook`] swaps whole sets while links are being judged. A reader takes one
//! snapshot per page.

use std::{collections::HashMap, sync::Arc};

use arc_swap::{ArcSwap, Guard};
use nodust_frontier::BeliefId;

use super::site::{Canon, SiteRules};

/// The rules of all sites at one time.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    sites: HashMap<Box<str>, OfSite>,
    everywhere: Arc<SiteRules>,
    generation: u64,
    /// Grows with every change of anything.
    version: u64,
}

/// What is not in force any more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fallen {
    /// Hosts that lack a rule of before, as they are named by [`site_name`].
    pub(crate) hosts: Vec<Box<str>>,
    /// Whether all that have no rules of their own do.
    pub(crate) is_everywhere: bool,
}

/// Rules of one site.
#[derive(Clone, Debug, Default)]
struct OfSite {
    generation: u64,
    own: Arc<SiteRules>,
    /// Its own, and behind them those for all sites.
    all: Arc<SiteRules>,
}

impl OfSite {
    fn new(generation: u64, own: Arc<SiteRules>, everywhere: &Arc<SiteRules>) -> Self {
        let all = if everywhere.is_empty() {
            Arc::clone(&own)
        } else {
            Arc::new(own.followed_by(everywhere))
        };
        Self {
            generation,
            own,
            all,
        }
    }
}

/// The name under which rules of a host are kept: classes know neither `www.` nor upper case. The name of a name is itself, so that
/// a file that is written with names is read back as it was.
pub(crate) fn site_name(host: &str) -> &str {
    let mut name = host;
    while let Some(rest) = name.strip_prefix("www.") {
        // Without it no host would be left.
        if rest.is_empty() || rest.starts_with('.') {
            break;
        }
        name = rest;
    }
    name
}

impl RuleSet {
    /// The rules of a host, if it has any.
    pub fn site(&self, host: &str) -> Option<&Arc<SiteRules>> {
        self.sites
            .get(site_name(host))
            .map(|site| &site.all)
            .or_else(|| (!self.everywhere.is_empty()).then_some(&self.everywhere))
    }

    /// The class of a URL under the rules of `host`.
    pub fn canon(&self, host: &str, url: &str) -> Option<Canon> {
        self.site(host)?.canon(url)
    }

    /// A number that grows whenever the rules of the host change.
    pub fn generation(&self, host: &str) -> u64 {
        self.sites
            .get(site_name(host))
            .map_or(self.generation, |site| site.generation)
    }

    /// Grows whenever any rules change.
    pub(crate) const fn version(&self) -> u64 {
        self.version
    }

    /// What of `before` is not in force any more.
    pub(crate) fn fallen_since(&self, before: &Self) -> Fallen {
        let now = |host| {
            self.sites
                .get(host)
                .map_or(&self.everywhere, |now| &now.all)
        };
        let lacking = (before.sites.iter()).filter(|&(host, of)| now(host).lacks_any_of(&of.all));
        // Those that had none of their own before may have vetoed one for all.
        let new = (self.sites.iter()).filter(|&(host, _)| !before.sites.contains_key(host));
        let vetoing = new.filter(|(_, of)| of.all.lacks_any_of(&before.everywhere));
        let mut hosts: Vec<_> = lacking
            .chain(vetoing)
            .map(|(host, _)| host.clone())
            .collect();
        hosts.sort_unstable();
        Fallen {
            hosts,
            is_everywhere: self.everywhere.lacks_any_of(&before.everywhere),
        }
    }

    /// A number that tells the rules of a host that has some of its own from others.
    pub(crate) fn marks(&self) -> impl Iterator<Item = (&str, u64)> {
        let own = (self.sites.iter()).filter(|(_, site)| !site.all.is_empty());
        own.map(|(host, site)| (&**host, site.all.mark_for(host)))
    }

    /// The same of the rules for all sites.
    pub(crate) fn mark_everywhere(&self) -> u64 {
        self.everywhere.mark_for("")
    }

    /// The text of the rule that a belief stands for.
    pub fn describe(&self, belief: BeliefId) -> Option<String> {
        self.sites
            .values()
            .map(|site| &site.own)
            .chain([&self.everywhere])
            .flat_map(|rules| rules.beliefs())
            .find(|(id, _)| *id == belief)
            .map(|(_, rule)| rule.to_string())
    }

    /// Hosts with rules of their own.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.sites.keys().map(AsRef::as_ref)
    }
}

/// The rule set in force, shared by the stage that applies it and whoever publishes rules.
///
/// ```
/// use nodust_middleware::rules::{RuleBook, SiteRules};
///
/// let book = RuleBook::default();
/// book.publish([("e.org".into(), SiteRules::new("e.org", ["has:query.a => drop:query.a".parse()?]))]);
/// assert_eq!(book.read().canon("www.e.org", "http://e.org/?a=1").unwrap().class, "http://e.org/");
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Default)]
pub struct RuleBook {
    current: ArcSwap<RuleSet>,
}

impl RuleBook {
    /// Takes a snapshot. Take one per page and keep it until the page is done.
    pub fn read(&self) -> Guard<Arc<RuleSet>> {
        self.current.load()
    }

    /// Replaces the rules of these hosts; all other hosts keep theirs. Empty rules remove a host's rules.
    pub fn publish(&self, changes: impl IntoIterator<Item = (String, SiteRules)>) {
        let changes = changes.into_iter();
        let changes: Vec<_> = changes
            .map(|(host, rules)| (host, Arc::new(rules)))
            .collect();
        self.publish_shared(&changes);
    }

    /// The same; hosts may share a list.
    pub(crate) fn publish_shared(&self, changes: &[(String, Arc<SiteRules>)]) {
        self.current.rcu(|old| {
            let mut new = RuleSet::clone(old);
            new.version += 1;
            for (host, rules) in changes {
                let slot = new.sites.entry(site_name(host).into()).or_default();
                // Removed rules leave their generation behind, or queued links would not be judged again.
                let generation = slot.generation.max(new.generation) + 1;
                *slot = OfSite::new(generation, Arc::clone(rules), &new.everywhere);
            }
            new
        });
    }

    /// Replaces the rules for all hosts (imported tracker lists, say); they are applied after a host's own.
    pub fn publish_everywhere(&self, rules: SiteRules) {
        let rules = Arc::new(rules);
        self.current.rcu(|old| {
            let mut new = RuleSet::clone(old);
            new.version += 1;
            new.everywhere = Arc::clone(&rules);
            new.generation += 1;
            for site in new.sites.values_mut() {
                let generation = site.generation.max(new.generation) + 1;
                *site = OfSite::new(generation, Arc::clone(&site.own), &rules);
            }
            new
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{RuleBook, SiteRules, site_name};

    #[test]
    fn the_name_of_a_name_is_itself() {
        for (host, name) in [
            ("www.e.org", "e.org"),
            ("www.www.e.org", "e.org"),
            ("www", "www"),
            ("www.www", "www"),
            ("www.", "www."),
            ("www..org", "www..org"),
            ("www.e.org.:81", "e.org.:81"),
        ] {
            assert_eq!(site_name(host), name);
            assert_eq!(site_name(name), name);
        }
    }

    #[test]
    fn publishing_changes_only_the_named_hosts_and_their_generation() {
        let book = RuleBook::default();
        let rules = |line: &str| SiteRules::new("e.org", [line.parse().unwrap()]);
        book.publish([("e.org".to_owned(), rules("has:query.a => drop:query.a"))]);
        let before = book.read().generation("e.org");
        let held = book.read();
        book.publish([("e.org".to_owned(), rules("has:query.b => drop:query.b"))]);
        assert!(book.read().generation("e.org") > before);
        assert_eq!(book.read().generation("f.org"), 0);
        assert!(held.canon("e.org", "http://e.org/?a=1").is_some());
        assert!(book.read().canon("e.org", "http://e.org/?a=1").is_none());
        book.publish([("e.org".to_owned(), SiteRules::default())]);
        assert!(book.read().generation("e.org") > before + 1);
    }

    #[test]
    fn what_has_fallen_is_told_of_hosts_and_of_all_and_marks_tell_rules_apart() {
        let book = RuleBook::default();
        let rules = |lines: &[&str]| {
            SiteRules::new("e.org", lines.iter().map(|line| line.parse().unwrap()))
        };
        let snapshot = || std::sync::Arc::clone(&book.read());
        let publish = |lines: &[&str]| {
            let before = snapshot();
            book.publish([("e.org".to_owned(), rules(lines))]);
            let fallen = snapshot().fallen_since(&before);
            assert!(snapshot().version() > before.version() && !fallen.is_everywhere);
            fallen.hosts.len()
        };
        let (a, b) = ("=> drop:query.a", "=> drop:query.b");
        let mark = || snapshot().marks().map(|(_, mark)| mark).next();
        assert_eq!((publish(&[a]), publish(&[a, b])), (0, 0));
        let of_both = mark();
        assert_eq!((publish(&[b]), publish(&[b]), publish(&[])), (1, 0, 1));
        assert!(mark().is_none() && snapshot().mark_everywhere() == 0);
        assert_eq!(publish(&[b, a]), 0);
        assert!(of_both.is_some() && mark() == of_both);

        book.publish_everywhere(rules(&["=> drop:query.c"]));
        let before = snapshot();
        book.publish_everywhere(rules(&["=> drop:query.d"]));
        let fallen = snapshot().fallen_since(&before);
        assert!(fallen.is_everywhere && fallen.hosts == ["e.org".into()]);
        // A host that has rules of its own may have vetoed one for all.
        let before = snapshot();
        let vetoes = rules(&[a]).without(vec!["=> drop:query.d".parse().unwrap()]);
        book.publish([("f.org".to_owned(), vetoes)]);
        assert_eq!(snapshot().fallen_since(&before).hosts, ["f.org".into()]);
    }
}
