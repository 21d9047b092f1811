//! Rules files.
//!
//! `rules.json`, format 1:
//!
//! ```json
//! { "format": "nodust-rules", "version": 1,
//!   "sites": [ { "hosts": ["forum.example"],
//!                "rules": [ { "rule": "has:query.sid => drop:query.sid", "status": "active",
//!                             "by": "classes", "evidence": { "support": 91, "trials": 40, "saved": 60 } } ] } ] }
//! ```
//!
//! Rules of a site are applied in the order of the file. Hosts are written without `www.`. The host `*` has rules for every host, which are
//! applied after the host's own; what a host vetoes is not applied there. Counts of `evidence` that are left out are 0.

mod abroad;
mod diff;
mod text;

use std::{
    collections::{BTreeSet, HashMap, HashSet, hash_map},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use super::{
    book::{RuleBook, site_name},
    rule::{Entry, Rule, Status},
    site::{EVERYWHERE, SiteRules},
};

pub use diff::Change;
pub use text::RuleFileError;

const FORMAT: &str = "nodust-rules";
const VERSION: u32 = 1;

/// The contents of a rules file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleFile {
    format: String,
    version: u32,
    /// Sites, in the order of their first host.
    pub sites: Vec<Site>,
}

/// Hosts that share one list of rules.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Site {
    /// The hosts, without `www.`; the first names the site.
    #[serde(deserialize_with = "text::hosts")]
    pub hosts: Vec<String>,
    /// The rules, in the order in which they are applied.
    pub rules: Vec<Entry>,
}

impl Site {
    /// The rules to apply.
    pub fn compile(&self) -> SiteRules {
        let name = self.name();
        let vetoed = self.rules.iter().filter(|e| e.status == Status::Vetoed);
        SiteRules::of_entries(name, &self.rules).without(vetoed.map(|e| e.rule.clone()).collect())
    }

    /// Its name: its first host.
    pub(crate) fn name(&self) -> &str {
        self.hosts.first().map_or("", String::as_str)
    }

    /// Rules that are applied until the pages of a crawl speak against them.
    pub(crate) fn audited(&self) -> impl Iterator<Item = &Entry> {
        self.rules.iter().filter(|e| e.status == Status::Active)
    }

    /// The rules to apply but for those that have fallen, in which each that is audited may fall, and behind them
    /// some that a crawl has learned, each with the trials that speak for it.
    pub(crate) fn compile_audited(
        &self,
        name: &str,
        is_audited: bool,
        fallen: Vec<Rule>,
        learned: impl IntoIterator<Item = (Rule, u64)>,
    ) -> SiteRules {
        let applied = self.rules.iter();
        let applied = applied.filter(|e| e.status.is_applied() && !fallen.contains(&e.rule));
        let rules = applied.map(|entry| {
            let may_fall = is_audited && entry.status == Status::Active;
            let trials = may_fall.then_some(entry.evidence.trials);
            (entry.rule.clone(), trials)
        });
        let learned = (learned.into_iter()).map(|(rule, trials)| (rule, Some(trials)));
        let rules = SiteRules::audited(name, rules.chain(learned));
        let mut vetoed = fallen;
        let said = (self.rules.iter()).filter(|e| e.status == Status::Vetoed);
        vetoed.extend(said.map(|e| e.rule.clone()));
        rules.without(vetoed)
    }

    /// Takes over the hosts and rules of another; of a rule that both hold, what a person said stands, and a veto before a pin.
    fn join(&mut self, other: &Self) {
        self.add(other, |mine, its| {
            if its.status.outweighs(mine.status) {
                *mine = its.clone();
            }
        });
    }

    /// Adds what a newer one knows of the same hosts. A rule that both hold takes status and evidence of the newer, unless
    /// a person pinned or vetoed it here.
    fn renew(&mut self, newer: &Self) {
        self.add_but(newer, |old, new| old.is_by_hand() && !new.is_by_hand());
    }

    /// Adds another site of the same file that has turned out to be the same one: the later word stands, unless the one here
    /// is a person's, and a veto before a pin.
    fn add_beside(&mut self, other: &Self) {
        self.add_but(other, Status::outweighs);
    }

    /// Adds hosts and rules. A rule that both hold takes status and evidence of the other, unless its status here `stands`.
    fn add_but(&mut self, other: &Self, stands: impl Fn(Status, Status) -> bool) {
        self.add(other, |mine, its| {
            let is_kept = stands(mine.status, its.status);
            let status = if is_kept { mine.status } else { its.status };
            *mine = Entry {
                status,
                ..its.clone()
            };
        });
    }

    /// Adds hosts and rules; `meet` says what becomes of one that is here already.
    fn add(&mut self, other: &Self, meet: impl Fn(&mut Entry, &Entry)) {
        self.add_hosts(&other.hosts);
        let mut places = self.places();
        for entry in &other.rules {
            match places.entry(entry.rule.clone()) {
                hash_map::Entry::Vacant(place) => {
                    place.insert(self.rules.len());
                    self.rules.push(entry.clone());
                }
                hash_map::Entry::Occupied(place) => meet(&mut self.rules[*place.get()], entry),
            }
        }
    }

    fn add_hosts(&mut self, others: &[String]) {
        let mut known: HashSet<String> = self.hosts.iter().cloned().collect();
        for host in others {
            if known.insert(host.clone()) {
                self.hosts.push(host.clone());
            }
        }
    }

    /// Where each rule stands; of one that stands twice, the first place.
    fn places(&self) -> HashMap<Rule, usize> {
        let mut places = HashMap::new();
        for (at, entry) in self.rules.iter().enumerate() {
            places.entry(entry.rule.clone()).or_insert(at);
        }
        places
    }

    /// Whether its rules hold for all sites.
    pub(crate) fn is_everywhere(&self) -> bool {
        self.hosts.iter().any(|host| host == EVERYWHERE)
    }
}

/// The sites of a file, indexed by host; [`RuleFile::site`] scans all of them.
#[derive(Clone, Debug)]
pub struct SitesByHost<'f> {
    of_host: HashMap<&'f str, &'f Site>,
    everywhere: Option<SiteRules>,
}

impl<'f> SitesByHost<'f> {
    /// The rules of a host.
    pub fn site(&self, host: &str) -> Option<&'f Site> {
        self.of_host.get(site_name(host)).copied()
    }

    /// The rules that are applied to a site with these hosts: those of the first host that has any, and those for every
    /// host.
    pub fn rules_for<'h>(&self, hosts: impl IntoIterator<Item = &'h str>) -> SiteRules {
        let own = hosts.into_iter().find_map(|host| self.site(host));
        let own = own.map(Site::compile).unwrap_or_default();
        match &self.everywhere {
            Some(everywhere) => own.followed_by(everywhere),
            None => own,
        }
    }
}

impl Default for RuleFile {
    fn default() -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            sites: Vec::new(),
        }
    }
}

impl RuleFile {
    /// A file with these sites.
    pub fn new(mut sites: Vec<Site>) -> Self {
        sites.sort_by(|a, b| a.hosts.cmp(&b.hosts));
        Self {
            sites,
            ..Self::default()
        }
    }

    /// The same rules for a crawl in which a host and its `www.` are one: they were learned of URLs as they are
    /// fetched, and act on classes. Of rules that become one the first stands.
    #[must_use]
    pub(crate) fn without_www(mut self) -> Self {
        for site in &mut self.sites {
            let mut known = HashSet::new();
            for entry in &mut site.rules {
                entry.rule = entry.rule.without_www();
            }
            site.rules.retain(|entry| known.insert(entry.rule.clone()));
        }
        self
    }

    /// Whether there is a rule that pages may speak against.
    pub(crate) fn has_audited(&self) -> bool {
        (self.sites.iter()).any(|site| site.audited().next().is_some())
    }

    /// The rules of a host.
    pub fn site(&self, host: &str) -> Option<&Site> {
        let host = site_name(host);
        self.sites
            .iter()
            .find(|s| s.hosts.iter().any(|h| h == host))
    }

    /// The sites indexed by host, for many lookups.
    pub fn by_host(&self) -> SitesByHost<'_> {
        let mut of_host = HashMap::new();
        for site in &self.sites {
            for host in &site.hosts {
                of_host.entry(host.as_str()).or_insert(site);
            }
        }
        SitesByHost {
            everywhere: of_host.get(EVERYWHERE).map(|site| site.compile()),
            of_host,
        }
    }

    /// The rules that are applied to a site with these hosts: those of the first host that has any, and those for every
    /// host.
    pub fn rules_for<'h>(&self, hosts: impl IntoIterator<Item = &'h str>) -> SiteRules {
        self.by_host().rules_for(hosts)
    }

    /// Publishes the rules of all sites to a book.
    pub fn publish_to(&self, book: &RuleBook) {
        let mut of_hosts = Vec::new();
        for site in &self.sites {
            if site.is_everywhere() {
                book.publish_everywhere(site.compile());
            } else {
                let rules = Arc::new(site.compile());
                of_hosts.extend((site.hosts.iter()).map(|host| (host.clone(), Arc::clone(&rules))));
            }
        }
        // At once: each time all hosts are copied.
        book.publish_shared(&of_hosts);
    }

    /// Adds the rules of `newer`. A rule that is in both takes status and evidence from `newer`, unless a person pinned or
    /// vetoed it in the older file; new rules go to the end. If sites of `newer` become one, a veto in any of them takes
    /// precedence over a pin.
    pub fn merge(&mut self, newer: &Self) {
        /// What becomes one site: what was known of it, and what the newer file says.
        #[derive(Default)]
        struct Both {
            old: Option<Site>,
            new: Option<Site>,
        }

        let old = std::mem::take(&mut self.sites).into_iter();
        let mut sites: Vec<Both> = old
            .map(|site| Both {
                old: Some(site),
                new: None,
            })
            .collect();
        // Of each host all sites that have it: a file written by hand may name one twice.
        let mut of_host: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, both) in sites.iter().enumerate() {
            for host in both.old.iter().flat_map(|site| &site.hosts) {
                of_host.entry(host.clone()).or_default().push(at);
            }
        }
        for site in &newer.sites {
            // Hosts that were two sites so far may turn out to be one.
            let known = site.hosts.iter().filter_map(|host| of_host.get(host));
            let known: BTreeSet<usize> = known.flatten().copied().collect();
            let mut both = Both::default();
            for known in known {
                let Both { old, new } = std::mem::take(&mut sites[known]);
                both.old = match (both.old, old) {
                    (Some(mut mine), Some(more)) => {
                        mine.join(&more);
                        Some(mine)
                    }
                    (mine, more) => mine.or(more),
                };
                both.new = match (both.new, new) {
                    (Some(mut mine), Some(more)) => {
                        mine.add_beside(&more);
                        Some(mine)
                    }
                    (mine, more) => mine.or(more),
                };
            }
            match &mut both.new {
                Some(new) => new.add_beside(site),
                None => both.new = Some(site.clone()),
            }
            // Whoever names any of these hosts later means the same site.
            let hosts = [&both.old, &both.new].into_iter().flatten();
            for host in hosts.flat_map(|site| &site.hosts) {
                of_host.entry(host.clone()).or_default().push(sites.len());
            }
            sites.push(both);
        }
        let one = |both: Both| match (both.old, both.new) {
            (Some(mut old), Some(new)) => {
                old.renew(&new);
                Some(old)
            }
            (old, new) => old.or(new),
        };
        self.sites = sites.into_iter().filter_map(one).collect();
        self.sites.sort_by(|a, b| a.hosts.cmp(&b.hosts));
    }
}

#[cfg(test)]
mod tests {
    use super::{Entry, RuleFile, Site, Status};

    fn file(host: &str, rules: &[(&str, Status)]) -> RuleFile {
        let rules = rules.iter().map(|(text, status)| Entry {
            status: *status,
            ..Entry::by_hand(text.parse().unwrap())
        });
        RuleFile::new(vec![Site {
            hosts: vec![host.to_owned()],
            rules: rules.collect(),
        }])
    }

    #[test]
    fn a_merge_leaves_each_host_in_one_site() {
        let mut all = file("a.org", &[("=> sort", Status::Pinned)]);
        all.merge(&file("b.org", &[("=> sort", Status::Active)]));
        assert_eq!(all.sites.len(), 2);
        let mut both = file("a.org", &[("=> lower-path", Status::Active)]);
        both.sites[0].hosts.push("b.org".to_owned());
        all.merge(&both);
        assert_eq!(all.sites.len(), 1);
        assert_eq!(all.sites[0].hosts, ["a.org", "b.org"]);
        assert_eq!(all.sites[0].rules.len(), 2);
        assert_eq!(all.sites[0].rules[0].status, Status::Pinned);
    }

    #[test]
    fn of_sites_that_a_merge_makes_one_a_veto_stands_before_a_pin() {
        let rule = "has:query.s => drop:query.s";
        let mut old = file("a.org", &[(rule, Status::Active)]);
        old.sites[0].hosts.push("b.org".to_owned());
        for [of_a, of_b] in [
            [Status::Vetoed, Status::Pinned],
            [Status::Pinned, Status::Vetoed],
            [Status::Vetoed, Status::Active],
        ] {
            let mut newer = file("a.org", &[(rule, of_a)]);
            newer
                .sites
                .append(&mut file("b.org", &[(rule, of_b)]).sites);
            let mut all = old.clone();
            all.merge(&newer);
            assert_eq!(all.sites.len(), 1);
            assert_eq!(all.sites[0].hosts, ["a.org", "b.org"]);
            let of_rule: Vec<Status> = all.sites[0].rules.iter().map(|e| e.status).collect();
            assert_eq!(of_rule, [Status::Vetoed], "{of_a} and {of_b}");
        }
        // A newer file may take back what an older one said.
        let mut all = file("a.org", &[(rule, Status::Vetoed)]);
        all.merge(&file("a.org", &[(rule, Status::Pinned)]));
        assert_eq!(all.sites[0].rules[0].status, Status::Pinned);
    }

    #[test]
    fn rules_for_every_host_come_behind_its_own_unless_it_vetoes_them() {
        let drop = |name: &str| format!("has:query.{name} => drop:query.{name}");
        let mut all = file(
            "*",
            &[(&drop("a"), Status::Active), (&drop("b"), Status::Active)],
        );
        all.merge(&file(
            "e.org",
            &[(&drop("c"), Status::Active), (&drop("b"), Status::Vetoed)],
        ));
        let book = super::RuleBook::default();
        all.publish_to(&book);
        let class = |host: &str| {
            let url = format!("http://{host}/?a=1&b=2&c=3");
            let made = book.read().canon(host, &url).unwrap().class;
            let alone = all.rules_for([host]).canon(&url).unwrap().class;
            assert_eq!(made, alone);
            made
        };
        assert_eq!(class("e.org"), "http://e.org/?b=2");
        assert_eq!(class("f.org"), "http://f.org/?c=3");
    }

    #[test]
    fn a_merge_keeps_the_word_of_a_person() {
        let mut old = file(
            "e.org",
            &[
                ("=> sort", Status::Vetoed),
                ("=> lower-path", Status::Active),
            ],
        );
        let new = file(
            "e.org",
            &[
                ("=> sort", Status::Active),
                ("=> lower-path", Status::Withdrawn),
            ],
        );
        let changes = old.diff(&new);
        assert_eq!(changes.len(), 2);
        old.merge(&new);
        assert_eq!(old.sites[0].rules[0].status, Status::Vetoed);
        assert_eq!(old.sites[0].rules[1].status, Status::Withdrawn);
        assert!(old.site("www.e.org").unwrap().compile().is_empty());
    }
}
