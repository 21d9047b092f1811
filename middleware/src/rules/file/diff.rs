//! The differences between two rules files, for each of their hosts.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt,
};

use super::{RuleFile, Site};
use crate::rules::rule::{Entry, Rule, Status};

/// Hosts that are named of a site with many.
const NAMED: usize = 3;

/// One difference between two rules files.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The hosts that it concerns, all of one site in either file.
    pub hosts: Vec<String>,
    /// The rule's text.
    pub rule: String,
    /// Its status before; `None` if it was not there.
    pub from: Option<Status>,
    /// Its status after; `None` if it is gone.
    pub to: Option<Status>,
    /// Whether it is applied at another place among the rules that both files apply.
    pub is_moved: bool,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match (self.from, self.to) {
            (None, _) => '+',
            (_, None) => '-',
            _ => '~',
        };
        let named = &self.hosts[..self.hosts.len().min(NAMED)];
        write!(f, "{sign} {}", named.join(", "))?;
        match self.hosts.len() - named.len() {
            0 => {}
            more => write!(f, " and {more} more")?,
        }
        write!(f, ": {}", self.rule)?;
        match (self.from, self.to) {
            (Some(from), Some(to)) if from != to => write!(f, " ({from} to {to})")?,
            _ => {}
        }
        if self.is_moved {
            f.write_str(" (at another place)")?;
        }
        Ok(())
    }
}

impl RuleFile {
    /// The differences from `self` to `newer`, by hosts and rule. The name of a site and the order of its hosts make no difference.
    pub fn diff(&self, newer: &Self) -> Vec<Change> {
        let (old, new) = (self.of_hosts(), newer.of_hosts());
        let hosts: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
        // Of hosts that share their rules in either file the same is to be said.
        let mut alike: BTreeMap<(Option<usize>, Option<usize>), Vec<String>> = BTreeMap::new();
        for host in hosts {
            let sites = (old.get(host).copied(), new.get(host).copied());
            alike.entry(sites).or_default().push(host.to_owned());
        }
        let mut changes: Vec<Change> = (alike.into_iter())
            .flat_map(|((from, to), hosts)| {
                changes_of(&hosts, self.rules_at(from), newer.rules_at(to))
            })
            .collect();
        changes.sort_by(|a, b| (&a.hosts, &a.rule).cmp(&(&b.hosts, &b.rule)));
        changes
    }

    /// The rules of the site at a place, if there is one.
    fn rules_at(&self, place: Option<usize>) -> &[Entry] {
        place.map_or(&[], |at| &self.sites[at].rules)
    }

    /// The site of each host, by its place.
    fn of_hosts(&self) -> HashMap<&str, usize> {
        let mut places = HashMap::new();
        for (at, Site { hosts, .. }) in self.sites.iter().enumerate() {
            for host in hosts {
                places.entry(host.as_str()).or_insert(at);
            }
        }
        places
    }
}

/// What differs between two lists of rules.
fn changes_of(hosts: &[String], old: &[Entry], new: &[Entry]) -> Vec<Change> {
    let places = |entries: &[Entry]| -> HashMap<Rule, usize> {
        let entries = entries.iter().enumerate();
        entries.map(|(at, e)| (e.rule.clone(), at)).collect()
    };
    let (in_old, in_new) = (places(old), places(new));
    let of_both: Vec<(usize, usize)> = (old.iter().enumerate())
        .filter_map(|(from, entry)| Some((from, *in_new.get(&entry.rule)?)))
        .filter(|&(from, to)| old[from].status.is_applied() && new[to].status.is_applied())
        .collect();
    let in_order = longest_ascent(&of_both);
    let moved: BTreeSet<usize> = (of_both.iter())
        .filter(|both| !in_order.contains(both))
        .map(|&(from, _)| from)
        .collect();
    let change = |entry: &Entry, from: Option<usize>, to: Option<usize>| Change {
        hosts: hosts.to_vec(),
        rule: entry.rule.to_string(),
        from: from.map(|at| old[at].status),
        to: to.map(|at| new[at].status),
        is_moved: from.is_some_and(|at| moved.contains(&at)),
    };
    let gone_or_else = (old.iter().enumerate())
        .map(|(from, entry)| change(entry, Some(from), in_new.get(&entry.rule).copied()));
    let come = (new.iter().enumerate())
        .filter(|(_, entry)| !in_old.contains_key(&entry.rule))
        .map(|(to, entry)| change(entry, None, Some(to)));
    (gone_or_else.chain(come))
        .filter(|change| change.from != change.to || change.is_moved)
        .collect()
}

/// The most pairs of those given, in the order of their first numbers, of which the second ascend, too (patience sorting, Fredman 1975).
fn longest_ascent(pairs: &[(usize, usize)]) -> BTreeSet<(usize, usize)> {
    // The pair that ends a run of each length with the least number, and what comes before each in its run.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::new();
    for (at, &(_, second)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < second);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    std::iter::successors(ends.last().copied(), |&at| before[at])
        .map(|at| pairs[at])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hosts of a site, and its rules.
    type Listed<'t> = (&'t [&'t str], &'t [(&'t str, Status)]);

    fn file(sites: &[Listed<'_>]) -> RuleFile {
        let sites = sites.iter().map(|(hosts, rules)| Site {
            hosts: hosts.iter().map(|&host| host.to_owned()).collect(),
            rules: (rules.iter())
                .map(|(text, status)| Entry {
                    status: *status,
                    ..Entry::by_hand(text.parse().unwrap())
                })
                .collect(),
        });
        RuleFile::new(sites.collect())
    }

    fn told(old: &RuleFile, new: &RuleFile) -> Vec<String> {
        old.diff(new).iter().map(Change::to_string).collect()
    }

    const SORT: (&str, Status) = ("=> sort", Status::Active);
    const CASE: (&str, Status) = ("=> lower-path", Status::Active);
    const DROP: (&str, Status) = ("=> drop:query.a", Status::Active);

    #[test]
    fn a_site_is_the_same_whichever_of_its_hosts_comes_first() {
        let old = file(&[(&["a.org", "b.org"], &[SORT])]);
        let new = file(&[(&["b.org", "a.org"], &[SORT])]);
        assert_eq!(told(&old, &new), [""; 0]);
    }

    #[test]
    fn what_only_some_hosts_of_a_site_have_is_said_of_them() {
        let old = file(&[(&["a.org"], &[SORT]), (&["c.org"], &[CASE])]);
        let new = file(&[(&["a.org", "b.org", "c.org"], &[SORT])]);
        let seen = told(&old, &new);
        let wanted = [
            "+ b.org: => sort",
            "- c.org: => lower-path",
            "+ c.org: => sort",
        ];
        assert_eq!(seen, wanted);
    }

    #[test]
    fn many_hosts_are_counted() {
        let hosts = ["a.org", "b.org", "c.org", "d.org", "e.org"];
        let new = file(&[(&hosts, &[SORT])]);
        let seen = told(&RuleFile::default(), &new);
        assert_eq!(seen, ["+ a.org, b.org, c.org and 2 more: => sort"]);
    }

    #[test]
    fn another_order_is_told_by_the_fewest_rules_that_moved() {
        let old = file(&[(&["a.org"], &[SORT, CASE, DROP])]);
        let new = file(&[(&["a.org"], &[DROP, SORT, CASE])]);
        let seen = told(&old, &new);
        assert_eq!(seen, ["~ a.org: => drop:query.a (at another place)"]);
    }

    #[test]
    fn the_place_of_what_is_not_applied_makes_no_difference() {
        let veto = (DROP.0, Status::Vetoed);
        let old = file(&[(&["a.org"], &[SORT, veto])]);
        let new = file(&[(&["a.org"], &[veto, SORT])]);
        assert_eq!(told(&old, &new), [""; 0]);
        let new = file(&[(&["a.org"], &[DROP, SORT])]);
        assert_eq!(
            told(&old, &new),
            ["~ a.org: => drop:query.a (vetoed to active)"]
        );
    }
}
