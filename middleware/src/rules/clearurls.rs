//! How does a list of trackers in the form of `ClearURLs` become rules?
//!
//! Only parameter names that are plain text, of providers that hold for every URL, are taken: `rules` and
//! `referralMarketing` name parameters to drop.
//! The rules are pinned: they stand on the word of whoever brought the list, as static normalization does, and no
//! fetches are spent on checking each of them on each host. Give one the status `active` to have it audited.
//! Raw rules, redirections and names that need a regular expression are counted, not guessed.

use serde::Deserialize;
use std::collections::BTreeMap;

use super::{
    edit::Edit,
    file::{RuleFile, RuleFileError, Site},
    parts::Key,
    pattern::Condition,
    rule::{Entry, Rule, Status},
};

#[derive(Deserialize)]
struct List {
    providers: BTreeMap<String, Provider>,
}

#[derive(Deserialize)]
struct Provider {
    #[serde(rename = "urlPattern", default)]
    url_pattern: String,
    #[serde(default)]
    rules: Vec<String>,
    #[serde(rename = "referralMarketing", default)]
    referral: Vec<String>,
    #[serde(rename = "rawRules", default)]
    raw: Vec<String>,
    #[serde(default)]
    redirections: Vec<String>,
}

/// Rules for every host, and how many lines of the list could not be taken.
#[derive(Debug)]
pub struct Imported {
    /// The rules, for the host `*`.
    pub rules: RuleFile,
    /// Lines that hold only for some hosts, need a regular expression, or change the URL itself.
    pub left_out: usize,
}

/// Reads a list. The file is the user's; none is shipped.
///
/// # Errors
/// When the text is not JSON of that form.
///
/// ```
/// let list = r#"{"providers":{"all":{"urlPattern":".*","rules":["fbclid","utm_[a-z]+"]}}}"#;
/// let imported = nodust_middleware::rules::import_clearurls(list)?;
/// assert_eq!(imported.rules.sites[0].rules[0].rule.to_string(), "has:query.fbclid => drop:query.fbclid");
/// assert_eq!(imported.left_out, 1);
/// # Ok::<(), nodust_middleware::rules::RuleFileError>(())
/// ```
pub fn import_clearurls(text: &str) -> Result<Imported, RuleFileError> {
    let list: List = serde_json::from_str(text)?;
    let mut rules = Vec::new();
    let mut left_out = 0;
    for provider in list.providers.values() {
        let names = provider.rules.iter().chain(&provider.referral);
        left_out += provider.raw.len() + provider.redirections.len();
        for name in names {
            let plain = name.trim_start_matches("(?:%3F)?").replace("\\.", ".");
            let is_plain = !plain.is_empty()
                && plain
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
            if provider.url_pattern != ".*" || !is_plain {
                left_out += 1;
                continue;
            }
            let key = Key::query(&plain);
            rules.push(Entry {
                rule: Rule::new(vec![Condition::Has(key.clone())], vec![Edit::Drop(key)]),
                status: Status::Pinned,
                by: "clearurls".to_owned(),
                evidence: super::Evidence::default(),
            });
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
