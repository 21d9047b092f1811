//! Reads and writes rules files.

use std::collections::HashSet;

use nodust_frontier::CanonicalUrl;
use serde::{Deserialize, Deserializer, de::Error as _};

use super::{FORMAT, RuleFile, VERSION};
use crate::rules::{Rule, Status, book::site_name, site::EVERYWHERE};

/// Why a text is not a rules file.
#[derive(Debug, thiserror::Error)]
pub enum RuleFileError {
    /// Not JSON, or JSON of another shape, or a rule that does not parse.
    #[error("its rules cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// JSON of something else, or of another version, such as that of a later program.
    #[error(
        "these are `{format}` rules of version {version}; this program reads `{FORMAT}` of version {VERSION}"
    )]
    Format {
        /// Format named in the file.
        format: String,
        /// Version named in the file.
        version: u32,
    },
}

impl RuleFile {
    /// Reads a file's text.
    ///
    /// # Errors
    /// If it is not a rules file of this version, or a rule that is applied gives URLs a host outside its site.
    pub fn parse(text: &str) -> Result<Self, RuleFileError> {
        /// What is asked first: the rest of another version may have another form.
        #[derive(Deserialize)]
        struct Kind {
            format: String,
            version: u32,
        }
        let Kind { format, version } = serde_json::from_str(text)?;
        if format != FORMAT || version != VERSION {
            return Err(RuleFileError::Format { format, version });
        }
        let mut file: Self = serde_json::from_str(text)?;
        file.heed_vetoes();
        let mut known = HashSet::new();
        let hosts = file.sites.iter().flat_map(|site| &site.hosts);
        if let Some(host) = hosts.into_iter().find(|host| !known.insert(host.as_str())) {
            return Err(serde_json::Error::custom(format!(
                "`{host}` stands there twice: all rules of a host belong into one list, in the order in which they are applied"
            ))
            .into());
        }
        if let Some(why) = file.fault_of_hosts() {
            return Err(serde_json::Error::custom(why).into());
        }
        let mut rules = file.sites.iter().flat_map(|site| &site.rules);
        match rules.find(|entry| !entry.evidence.is_sound()) {
            None => Ok(file),
            Some(entry) => Err(serde_json::Error::custom(format!(
                "the evidence of `{}` has parts that are more than the whole: failures are among its trials, false_pairs \
                 among its support, lost among what it saved",
                entry.rule
            ))
            .into()),
        }
    }

    /// Of a rule that stands twice in a list a person's word stands, or the first. What is vetoed for every host acts on none that
    /// nobody has pinned it for.
    fn heed_vetoes(&mut self) {
        for site in &mut self.sites {
            let read = std::mem::take(site);
            site.join(&read);
        }
        let everywhere = self.site(EVERYWHERE).into_iter();
        let everywhere = everywhere.flat_map(|site| &site.rules);
        let vetoed: HashSet<Rule> = everywhere
            .filter(|entry| entry.status == Status::Vetoed)
            .map(|entry| entry.rule.clone())
            .collect();
        for entry in self.sites.iter_mut().flat_map(|site| &mut site.rules) {
            if entry.status == Status::Active && vetoed.contains(&entry.rule) {
                // Nobody has said so of this host.
                entry.status = Status::Withdrawn;
            }
        }
    }

    /// The text to write, indented for readers.
    ///
    /// # Errors
    /// If a value cannot be written as JSON (a count that is not a finite number).
    pub fn to_text(&self) -> Result<String, RuleFileError> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

/// Reads the hosts of a site. One as no URL has it would match nothing, and its rules would be missed by nobody.
pub(super) fn hosts<'d, D: Deserializer<'d>>(input: D) -> Result<Vec<String>, D::Error> {
    let hosts = Vec::<String>::deserialize(input)?;
    if hosts.is_empty() {
        return Err(D::Error::custom(format!(
            "a site without hosts: its rules would never be applied (`{EVERYWHERE}` stands for every host)"
        )));
    }
    match hosts.iter().find(|host| !is_host(host)) {
        None => {
            // A host may be named with and without `www.`.
            let mut known = HashSet::new();
            let names = hosts.iter().map(|host| site_name(host).to_owned());
            Ok(names.filter(|host| known.insert(host.clone())).collect())
        }
        Some(host) => Err(D::Error::custom(format!(
            "`{host}` is no host: lower case, without scheme, path and usual port; only `{EVERYWHERE}` alone stands for every \
             host"
        ))),
    }
}

/// Whether URLs have this host, with the scheme http and with https.
fn is_host(host: &str) -> bool {
    let is_of = |scheme: &str| {
        CanonicalUrl::resolve(&format!("{scheme}://{host}/"), None)
            .is_ok_and(|url| url.host().as_str() == host)
    };
    host == EVERYWHERE || !host.contains('*') && ["http", "https"].into_iter().all(is_of)
}

#[cfg(test)]
mod tests {
    use super::RuleFile;
    use crate::learn::{Options, Sample, group_by_site, learn};
    use crate::rules::{Entry, Site, Status};

    #[test]
    fn a_file_reads_back_as_it_was_written() {
        let rules = RuleFile::new(vec![Site {
            hosts: vec!["e.org".to_owned()],
            rules: vec![Entry {
                status: Status::Active,
                ..Entry::by_hand("has:query.a => drop:query.a".parse().unwrap())
            }],
        }]);
        assert_eq!(RuleFile::parse(&rules.to_text().unwrap()).unwrap(), rules);
    }

    #[test]
    fn what_is_learned_of_any_host_is_read_back() {
        let hosts = [
            "e.org",
            "e.org.",
            "www.www.e.org",
            "www",
            "www.",
            "www..",
            "e..org",
            "..",
            "www.e.org.:81",
        ];
        let pages = hosts.iter().flat_map(|host| {
            (0..40).flat_map(move |n| {
                let url = format!("http://{host}/v?t={n}");
                let page = format!("{host} {n}");
                [
                    Sample::new(format!("{url}&s={}", n * 7919), &page),
                    Sample::new(url, &page),
                ]
            })
        });
        let sites = group_by_site(pages.collect(), 1.0, 20).into_iter();
        let sites = sites.map(|site| Site {
            hosts: site.hosts,
            rules: learn(&site.samples, &Options::default()).rules,
        });
        let file = RuleFile::new(sites.collect());
        assert!(file.sites.len() > 4 && file.sites.iter().all(|site| !site.rules.is_empty()));
        assert_eq!(RuleFile::parse(&file.to_text().unwrap()).unwrap(), file);
    }

    fn read(sites: &str) -> Result<RuleFile, String> {
        let text = format!(r#"{{"format":"nodust-rules","version":1,"sites":[{sites}]}}"#);
        RuleFile::parse(&text).map_err(|error| error.to_string())
    }

    #[test]
    fn what_a_person_vetoed_is_not_applied_wherever_else_it_stands() {
        let file = read(
            r#"{"hosts":["*"],"rules":[{"rule":"=> drop:query.a","status":"vetoed"}]},
               {"hosts":["e.org"],"rules":[
                 {"rule":"=> drop:query.a","status":"active"},
                 {"rule":"=> drop:query.b","status":"pinned"},
                 {"rule":"=> drop:query.b","status":"vetoed"},
                 {"rule":"=> drop:query.b","status":"active"},
                 {"rule":"=> drop:query.c","status":"active"}]},
               {"hosts":["f.org"],"rules":[{"rule":"=> drop:query.a","status":"pinned"}]}"#,
        )
        .unwrap();
        let class = |host: &str| {
            let url = format!("http://{host}/?a=1&b=1&c=1");
            file.rules_for([host])
                .canon(&url)
                .map_or(url, |canon| canon.class)
        };
        assert_eq!(class("e.org"), "http://e.org/?a=1&b=1");
        assert_eq!(class("f.org"), "http://f.org/?b=1&c=1", "the nearer word");
        assert_eq!(file.site("e.org").unwrap().rules.len(), 3);
    }

    #[test]
    fn a_host_has_one_name_and_stands_in_a_file_once() {
        let rules = r#""rules":[{"rule":"=> drop:query.a"}]"#;
        let file = read(&format!(r#"{{"hosts":["www.e.org","e.org"],{rules}}}"#)).unwrap();
        assert_eq!(file.sites[0].hosts, ["e.org"]);
        assert!(file.site("www.e.org").is_some());
        let twice = read(&format!(
            r#"{{"hosts":["e.org"],{rules}}},{{"hosts":["www.e.org"],{rules}}}"#
        ));
        assert!(twice.unwrap_err().contains("`e.org` stands there twice"));
    }

    #[test]
    fn other_files_are_refused_with_the_reason() {
        for (text, words) in [
            ("{}", "cannot be read"),
            (r#"{"format":"x","version":9,"sites":[]}"#, "version 9"),
            (
                r#"{"format":"nodust-rules","version":2,"sections":{}}"#,
                "of version 2; this program reads `nodust-rules` of version 1",
            ),
            (
                r#"{"format":"nodust-rules","version":1,"sites":[{"hosts":["e.org"],"rules":[{"rule":"x"}]}]}"#,
                "`x`",
            ),
        ] {
            assert!(
                RuleFile::parse(text)
                    .unwrap_err()
                    .to_string()
                    .contains(words),
                "{text}"
            );
        }
    }

    #[test]
    fn parts_that_are_more_than_the_whole_and_sites_without_hosts_are_refused() {
        let read = |hosts: &str, evidence: &str| {
            RuleFile::parse(&format!(
                r#"{{"format":"nodust-rules","version":1,"sites":[{{"hosts":[{hosts}],"rules":[
                   {{"rule":"has:query.a => drop:query.a","status":"active","by":"hand","evidence":{{{evidence}}}}}]}}]}}"#
            ))
            .map_err(|error| error.to_string())
        };
        let host = r#""e.org""#;
        assert!(read(host, r#""trials":3,"failures":3"#).is_ok());
        for evidence in [
            r#""trials":3,"failures":4"#,
            r#""support":1,"false_pairs":2"#,
            r#""lost":1"#,
        ] {
            let told = read(host, evidence).unwrap_err();
            assert!(told.contains("`has:query.a => drop:query.a`"), "{told}");
        }
        let told = read("", "").unwrap_err();
        assert!(told.contains("a site without hosts"), "{told}");
    }

    #[test]
    fn hosts_that_no_url_has_are_refused() {
        let read = |host: &str| {
            RuleFile::parse(&format!(
                r#"{{"format":"nodust-rules","version":1,"sites":[{{"hosts":["s.example","{host}"],"rules":[]}}]}}"#
            ))
        };
        for host in [
            "E.ORG",
            "http://e.org",
            "http://e.org/",
            "e.org/",
            "*.e.org",
            "e.org:80",
            "e.org:443",
            "u@e.org",
            " e.org",
            "",
        ] {
            let told = read(host).unwrap_err().to_string();
            assert!(told.contains(&format!("`{host}` is no host")), "{told}");
        }
        for host in [
            "*",
            "e.org",
            "www.e.org",
            "e.org.",
            "www.e.org.:81",
            "www",
            "www.",
            "www.www.e.org",
            "e..org",
            "e.org:8080",
            "10.0.0.1:81",
            "[::1]:81",
            "a_b.e.org",
            "localhost",
        ] {
            assert!(read(host).is_ok(), "{host}");
        }
    }
}
