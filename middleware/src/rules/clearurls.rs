//! Imports lists of trackers in the form of `ClearURLs` as rules.
//!
//! Only parameter names that are plain text, of providers that hold for every URL, are taken: `rules` and `referralMarketing`
//! name parameters to drop. The rules are pinned: like static normalization, they rest on the operator's word, and no fetches
//! are spent on checking each of them on each host. Give a rule the status `active` to have it audited. What is not taken
//! (raw rules, redirections, exceptions, names that need a regular expression, everything that holds only for some URLs) is
//! reported with its place, not guessed.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::Value;

use super::{
    edit::Edit,
    file::{RuleFile, RuleFileError, Site},
    parts::Key,
    pattern::Condition,
    rule::{Entry, Rule, Status},
};

#[derive(Deserialize)]
struct List {
    #[serde(deserialize_with = "providers")]
    providers: Vec<(String, Provider)>,
}

#[derive(Deserialize)]
struct Provider {
    #[serde(rename = "urlPattern", default)]
    url_pattern: String,
    #[serde(default, deserialize_with = "list_or_null")]
    rules: Vec<Value>,
    #[serde(
        rename = "referralMarketing",
        default,
        deserialize_with = "list_or_null"
    )]
    referral: Vec<Value>,
    #[serde(rename = "rawRules", default, deserialize_with = "list_or_null")]
    raw: Vec<Value>,
    #[serde(default, deserialize_with = "list_or_null")]
    redirections: Vec<Value>,
    #[serde(default, deserialize_with = "list_or_null")]
    exceptions: Vec<Value>,
    #[serde(rename = "completeProvider", default)]
    is_blocked: bool,
}

/// Reads all providers in the order of their names; one that stands twice counts twice.
fn providers<'d, D: Deserializer<'d>>(input: D) -> Result<Vec<(String, Provider)>, D::Error> {
    struct All;
    impl<'d> Visitor<'d> for All {
        type Value = Vec<(String, Provider)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("providers by their names")
        }

        fn visit_map<A: MapAccess<'d>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut all = Vec::new();
            while let Some(one) = map.next_entry()? {
                all.push(one);
            }
            all.sort_by(|(a, _): &(String, Provider), (b, _)| a.cmp(b));
            Ok(all)
        }
    }
    input.deserialize_map(All)
}

/// Reads a list of entries; `null` is a list of none.
fn list_or_null<'d, D: Deserializer<'d>>(input: D) -> Result<Vec<Value>, D::Error> {
    Option::deserialize(input).map(Option::unwrap_or_default)
}

impl Provider {
    /// All entries, with the name of the list in which each stands and its place there; an error is what is no text.
    fn entries(&self) -> impl Iterator<Item = (&'static str, usize, Result<&str, &Value>)> {
        [
            (RULES, &self.rules),
            (REFERRAL, &self.referral),
            (RAW, &self.raw),
            (REDIRECTIONS, &self.redirections),
            (EXCEPTIONS, &self.exceptions),
        ]
        .into_iter()
        .flat_map(|(list, entries)| {
            let entries = entries.iter().enumerate();
            entries.map(move |(at, entry)| (list, at, entry.as_str().ok_or(entry)))
        })
        .chain((self.is_blocked).then_some((BLOCKED, 0, Ok(self.url_pattern.as_str()))))
    }

    /// The name of the parameter that an entry says to drop from every URL, or why it says no such thing.
    fn name_in<'e>(&self, list: &str, entry: &'e str) -> Result<&'e str, Why> {
        match list {
            RAW | REDIRECTIONS => return Err(Why::ChangesUrl),
            EXCEPTIONS => return Err(Why::Exception),
            BLOCKED => return Err(Why::Blocks),
            _ if self.url_pattern != EVERY_URL => return Err(Why::SomeUrls),
            _ => {}
        }
        let plain = entry.trim_start_matches("(?:%3F)?");
        let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
        if !plain.is_empty() && plain.bytes().all(is_plain) {
            Ok(plain)
        } else {
            Err(Why::Pattern)
        }
    }
}

const RULES: &str = "rules";
const REFERRAL: &str = "referralMarketing";
const RAW: &str = "rawRules";
const REDIRECTIONS: &str = "redirections";
const EXCEPTIONS: &str = "exceptions";
const BLOCKED: &str = "completeProvider";
/// The pattern of providers that hold for every URL.
const EVERY_URL: &str = ".*";

/// The rules, for every host, and the entries that could not be taken.
#[derive(Debug)]
pub struct Imported {
    /// The rules, for the host `*`.
    pub rules: RuleFile,
    /// Entries that no rule was made from, in the order of the providers' names.
    pub left_out: Vec<LeftOut>,
}

/// An entry of a list that no rule was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its provider.
    pub provider: String,
    /// The provider's list that it is in: `rules`, `rawRules` and so on.
    pub list: &'static str,
    /// Its place in that list, from 0.
    pub at: usize,
    /// What it says.
    pub entry: String,
    /// Why it was left out.
    pub why: Why,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            provider,
            list,
            at,
            entry,
            why,
        } = self;
        write!(f, "provider {provider}, {list}[{at}] `{entry}`: {why}")
    }
}

/// Why an entry of a list was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Why {
    /// It holds only for the URLs that the provider's pattern names.
    SomeUrls,
    /// It is not a plain name.
    Pattern,
    /// It is not the name of a parameter, but changes the URL itself.
    ChangesUrl,
    /// It names URLs that the provider's rules do not apply to.
    Exception,
    /// It names URLs that are not to be fetched at all.
    Blocks,
    /// It is not a text.
    NoText,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SomeUrls => "it holds for some URLs only",
            Self::Pattern => "it is a pattern, and no name of one parameter",
            Self::ChangesUrl => "it changes the URL itself",
            Self::Exception => "it is an exception, and rules act on every URL",
            Self::Blocks => "it blocks whole URLs, which is for a blacklist",
            Self::NoText => "it is no text",
        })
    }
}

/// Reads a list. The user provides the file; none is shipped.
///
/// # Errors
/// If the text is not JSON of that form.
///
/// ```
/// let list = r#"{"providers":{"all":{"urlPattern":".*","rules":["fbclid","utm_[a-z]+"]}}}"#;
/// let imported = nodust_middleware::rules::import_clearurls(list)?;
/// assert_eq!(imported.rules.sites[0].rules[0].rule.to_string(), "has:query.fbclid => drop:query.fbclid");
/// assert_eq!(
///     imported.left_out[0].to_string(),
///     "provider all, rules[1] `utm_[a-z]+`: it is a pattern, and no name of one parameter"
/// );
/// # Ok::<(), nodust_middleware::rules::RuleFileError>(())
/// ```
pub fn import_clearurls(text: &str) -> Result<Imported, RuleFileError> {
    let list: List = serde_json::from_str(text)?;
    let mut rules = Vec::new();
    let mut left_out = Vec::new();
    for (name, provider) in &list.providers {
        for (list, at, entry) in provider.entries() {
            let name_in = |entry| provider.name_in(list, entry);
            match entry.map_or(Err(Why::NoText), name_in) {
                Ok(plain) => {
                    let key = Key::query(plain);
                    rules.push(Entry {
                        rule: Rule::new(vec![Condition::Has(key.clone())], vec![Edit::Drop(key)]),
                        status: Status::Pinned,
                        by: "clearurls".to_owned(),
                        evidence: super::Evidence::default(),
                    });
                }
                Err(why) => left_out.push(LeftOut {
                    provider: name.clone(),
                    list,
                    at,
                    entry: entry.map_or_else(Value::to_string, str::to_owned),
                    why,
                }),
            }
        }
    }
    rules.sort_by(|a, b| a.rule.cmp(&b.rule));
    rules.dedup_by(|a, b| a.rule == b.rule);
    Ok(Imported {
        rules: RuleFile::new(vec![Site {
            hosts: vec!["*".to_owned()],
            rules,
        }]),
        left_out,
    })
}

#[cfg(test)]
mod tests {
    use super::{Why, import_clearurls};

    #[test]
    fn providers_of_one_name_count_both_and_what_is_no_text_or_no_list_is_left_out_by_itself() {
        let list = r#"{"providers":{
            "all":{"urlPattern":".*","rules":["fbclid",null,"gclid",7]},
            "none":{"urlPattern":".*","rules":null,"exceptions":null},
            "all":{"urlPattern":".*","referralMarketing":["ref"]}}}"#;
        let imported = import_clearurls(list).unwrap();
        let rules = imported.rules.sites[0].rules.iter();
        let names: Vec<String> = rules.map(|entry| entry.rule.edits[0].to_string()).collect();
        assert_eq!(
            names,
            ["drop:query.fbclid", "drop:query.gclid", "drop:query.ref"]
        );
        let left_out: Vec<_> = (imported.left_out.iter())
            .map(|one| (one.at, one.entry.as_str(), one.why))
            .collect();
        assert_eq!(left_out, [(1, "null", Why::NoText), (3, "7", Why::NoText)]);
        for broken in [r#"{"providers":[]}"#, r#"{"providers":{"all":7}}"#, "{}"] {
            assert!(import_clearurls(broken).is_err());
        }
    }
}
