//! Finds rules that lead to hosts outside their site.
//!
//! What a rule makes of a URL is looked up under the host that the URL then has. If that host has other rules, or none,
//! applying the rules twice does not give the same result, and merges across hosts are missed by code that goes host by
//! host.

use super::{RuleFile, Site};
use crate::rules::{Edit, Entry, Key, Rule, Status, book::site_name, site::EVERYWHERE};

impl Site {
    /// Why a rule must not be applied to these hosts, if it gives URLs a host outside of them.
    ///
    /// ```
    /// use nodust_middleware::rules::Site;
    ///
    /// let mut site = Site { hosts: vec!["a.org".into()], rules: Vec::new() };
    /// let rule = "is:host=b.org => set:host=a.org".parse()?;
    /// assert!(site.leads_abroad(&rule).is_none());
    /// let rule = "=> set:host=www.b.org".parse()?;
    /// assert!(site.leads_abroad(&rule).is_some());
    /// site.hosts.push("b.org".into());
    /// assert!(site.leads_abroad(&rule).is_none());
    /// # Ok::<(), String>(())
    /// ```
    pub fn leads_abroad(&self, rule: &Rule) -> Option<String> {
        rule.edits.iter().find_map(|edit| {
            // A host cannot be taken away.
            let is_of_host =
                edit.target() == Some(&Key::Host) && !matches!(edit, Edit::Drop(_));
            if !is_of_host {
                return None;
            }
            let hosts = self.hosts.join(", ");
            if self.is_everywhere() {
                return Some(format!(
                    "`{edit}` would give the URLs of every host (`{EVERYWHERE}`) another one: put the rule under a site whose `hosts` are \
                     those that are one"
                ));
            }
            match edit {
                Edit::Set(_, host) if self.has(host) => None,
                Edit::Set(_, host) => Some(format!(
                    "`{host}` is none of the hosts of its site ({hosts}): list all that the rule is about, this one, too, as `hosts` of \
                     one site"
                )),
                Edit::Move(..) | Edit::Copy(..) => Some(format!(
                    "`{edit}` gives URLs any host: name the host (`set:host=…`), and list it among the `hosts` of the site"
                )),
                _ if self.hosts.len() > 1 => None,
                _ => Some(format!(
                    "`{edit}` makes hosts one, and its site has but one ({hosts}): list all that are one as `hosts` of one site"
                )),
            }
        })
    }

    /// Whether it speaks about a host.
    fn has(&self, host: &str) -> bool {
        self.hosts.iter().any(|own| own == site_name(host))
    }

    /// The first of the rules applied that leads abroad, and why.
    fn first_abroad(&self) -> Option<(&Rule, String)> {
        let mut applied = self.rules.iter().filter(|entry| entry.status.is_applied());
        applied.find_map(|Entry { rule, .. }| Some((rule, self.leads_abroad(rule)?)))
    }
}

impl RuleFile {
    /// Why the file must not be applied: the rule that leads to hosts of another site.
    pub(super) fn fault_of_hosts(&self) -> Option<String> {
        let mut abroad = self.sites.iter().filter_map(Site::first_abroad);
        if let Some((rule, why)) = abroad.next() {
            return Some(format!("`{rule}` cannot be applied: {why}"));
        }
        let masks = |entry: &&Entry| {
            entry.status.is_applied() && entry.rule.edits.contains(&Edit::Mask(Key::Host))
        };
        let mut masking = (self.sites.iter()).filter_map(|site| site.rules.iter().find(masks));
        let _ = masking.next()?;
        let second = masking.next()?;
        Some(format!(
            "`{}` cannot be applied: another site masks its host, too, so that pages of both would have one name; set one of \
             the hosts instead (`set:host=…`)",
            second.rule
        ))
    }

    /// Joins sites whose rules give URLs each other's hosts, and adds hosts that no site has, so that what a crawl found out host by
    /// host becomes a valid file.
    #[must_use]
    pub fn with_hosts_together(mut self) -> Self {
        let mut at = 0;
        while let Some(site) = self.sites.get(at) {
            let applied = site.rules.iter().filter(|entry| entry.status.is_applied());
            let mut set =
                applied
                    .flat_map(|entry| &entry.rule.edits)
                    .filter_map(|edit| match edit {
                        Edit::Set(Key::Host, host) if !site.has(host) => Some(site_name(host)),
                        _ => None,
                    });
            let missing = set.next().filter(|_| !site.is_everywhere());
            let Some(missing) = missing.map(str::to_owned) else {
                at += 1;
                continue;
            };
            match self.sites.iter().position(|site| site.has(&missing)) {
                None => self.sites[at].hosts.push(missing),
                Some(other) => {
                    let (first, second) = (at.min(other), at.max(other));
                    let more = self.sites.remove(second);
                    let fell = |rule: &Rule| {
                        let mut same = more.rules.iter().filter(|entry| entry.rule == *rule);
                        same.any(|entry| entry.status == Status::Withdrawn)
                    };
                    // What fell on one of them is not to be trusted on both.
                    for entry in &mut self.sites[first].rules {
                        if entry.status == Status::Active && fell(&entry.rule) {
                            entry.status = Status::Withdrawn;
                        }
                    }
                    self.sites[first].join(&more);
                    at = first;
                }
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::{Entry, RuleFile, Site, Status};

    fn read(sites: &[(&[&str], &str, Status)]) -> Result<RuleFile, String> {
        RuleFile::parse(&file(sites).to_text().unwrap()).map_err(|error| error.to_string())
    }

    fn file(sites: &[(&[&str], &str, Status)]) -> RuleFile {
        let sites = sites.iter().map(|(hosts, rule, status)| Site {
            hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
            rules: vec![Entry {
                status: *status,
                ..Entry::by_hand(rule.parse().unwrap())
            }],
        });
        RuleFile::new(sites.collect())
    }

    #[test]
    fn rules_that_lead_to_a_host_of_another_list_are_refused_by_name() {
        for (hosts, rule, words) in [
            (
                &["a.org"][..],
                "=> set:host=b.org",
                "`b.org` is none of the hosts",
            ),
            (&["a.org"], "=> set:host=a.org:8080", "`a.org:8080` is none"),
            (
                &["a.org:8080"],
                "is:host=a.org:8080 => set:host=a.org",
                "`a.org` is none",
            ),
            (&["a.org", "b.org"], "=> set:host=c.org", "(a.org, b.org)"),
            (&["a.org"], "=> mask:host", "has but one (a.org)"),
            (&["a.org", "b.org"], "=> copy:query.h>host", "any host"),
            (
                &["a.org", "b.org"],
                "=> drop:ext move:seg.0>host",
                "any host",
            ),
            (&["*"], "=> set:host=a.org", "every host (`*`)"),
            (&["*"], "=> mask:host", "every host (`*`)"),
            (&["*"], "=> digits:0:host", "every host (`*`)"),
            (&["*"], "=> copy:query.h>host", "every host (`*`)"),
        ] {
            for status in [Status::Active, Status::Pinned] {
                let told = read(&[(hosts, rule, status)]).unwrap_err();
                assert!(told.contains(words), "{told}");
                assert!(told.contains(&format!("`{rule}`")), "{told}");
            }
            // What is not applied does no harm.
            for status in [Status::Vetoed, Status::Withdrawn, Status::Probation] {
                assert!(read(&[(hosts, rule, status)]).is_ok(), "{rule}");
            }
        }
    }

    #[test]
    fn rules_that_make_hosts_of_their_list_one_are_read() {
        let active = Status::Active;
        for (hosts, rule) in [
            (&["a.org"][..], "is:host=www.a.org => set:host=a.org"),
            (&["a.org"], "=> set:host=www.a.org"),
            (&["www.a.org"], "=> set:host=a.org"),
            (&["a.org", "b.org"], "is:host=b.org => set:host=a.org"),
            (&["a.org", "a.org:8080"], "=> set:host=a.org:8080"),
            (&["a.org", "b.org"], "=> mask:host"),
            (&["*"], "is:host=a.org => drop:query.s"),
        ] {
            assert!(read(&[(hosts, rule, active)]).is_ok(), "{rule}");
        }
        let two = [
            (&["a.org", "b.org"][..], "=> mask:host", active),
            (&["c.org", "d.org"], "is:len=1 => mask:host", active),
        ];
        let told = read(&two).unwrap_err();
        assert!(told.contains("another site masks its host"), "{told}");
        assert!(read(&[two[0], (two[1].0, two[1].1, Status::Vetoed)]).is_ok());
    }

    #[test]
    fn what_was_found_out_host_by_host_becomes_a_file_that_can_be_read() {
        let rule = "is:host=b.org => set:host=a.org";
        let (active, vetoed) = (Status::Active, Status::Vetoed);
        let apart = file(&[
            (&["a.org"], rule, active),
            (&["b.org"], rule, active),
            (&["c.org"], "=> set:host=www.d.org", active),
            (&["e.org"], "=> set:host=a.org", vetoed),
        ]);
        assert!(RuleFile::parse(&apart.to_text().unwrap()).is_err());
        let one = apart.with_hosts_together();
        let hosts: Vec<Vec<String>> = one.sites.iter().map(|site| site.hosts.clone()).collect();
        assert_eq!(
            hosts,
            [
                vec!["a.org", "b.org"],
                vec!["c.org", "d.org"],
                vec!["e.org"]
            ]
        );
        assert_eq!(one.sites[0].rules.len(), 1);
        assert_eq!(RuleFile::parse(&one.to_text().unwrap()).unwrap(), one);
    }
}
