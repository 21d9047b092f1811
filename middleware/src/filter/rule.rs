//! The operator's rules that include or exclude links.
//!
//! Rules are tried in the order they were written, and the first match decides, so the effect of a rule can be read off
//! its place in the file. A rule prints in the form it parses from, so it can be copied from a log into a
//! configuration.
//!
//! ```
//! use nodust_middleware::filter::Rule;
//!
//! let rule: Rule = "exclude segment calendar".parse()?;
//! assert!(rule.matches(&"http://e.org/calendar/2031".parse()?));
//! assert_eq!(rule.to_string(), "exclude segment calendar");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use url::Url;

use super::{extension::path_extension, hosts::is_within};

/// One line of an operator's include/exclude list: `include` or `exclude`, what is looked at, and a value.
///
/// | form | matches when |
/// |---|---|
/// | `host shop.example:8080` | host and port are exactly these |
/// | `domain example.org` | the host is this or lies below it |
/// | `prefix /private/` | path and query begin like this |
/// | `segment calendar` | one path segment is this |
/// | `extension pdf` | the path ends in this extension, in any case |
/// | `param sid` or `param do=diff` | the query has this parameter (with this value) |
/// | `contains /-/` | this text stands anywhere in the URL |
/// | `regex ^https?://[^/]+/tag/` | the pattern matches the URL |
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Rule {
    includes: bool,
    what: What,
    value: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Host,
    Domain,
    Prefix,
    Segment,
    Extension,
    Param,
    Contains,
    Regex,
}

const NAMES: &[(&str, What)] = &[
    ("host", What::Host),
    ("domain", What::Domain),
    ("prefix", What::Prefix),
    ("segment", What::Segment),
    ("extension", What::Extension),
    ("param", What::Param),
    ("contains", What::Contains),
    ("regex", What::Regex),
];

/// Why a text is not a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// It does not begin with `include` or `exclude`.
    #[error("`{0}`: a rule begins with `include` or `exclude`")]
    Action(String),
    /// Its second word is unknown.
    #[error(
        "`{0}`: the second word of a rule is one of host, domain, prefix, segment, extension, param, contains, regex"
    )]
    What(String),
    /// It has no value.
    #[error("`{0}`: a value is missing")]
    Value(String),
    /// The pattern cannot be parsed.
    #[error("`{0}`: {1}")]
    Pattern(String, String),
}

impl Rule {
    /// Whether a match lets the link in.
    pub const fn includes(&self) -> bool {
        self.includes
    }

    /// The pattern, if it is a `regex` rule.
    pub fn pattern(&self) -> Option<&str> {
        matches!(self.what, What::Regex).then_some(self.value.as_str())
    }

    /// Whether the rule matches this URL. Compiles the pattern of a `regex` rule each time; [`Filter`](super::Filter)
    /// compiles it once.
    pub fn matches(&self, url: &Url) -> bool {
        match self.pattern() {
            Some(pattern) => regex::bytes::RegexBuilder::new(pattern)
                .unicode(false)
                .build()
                .is_ok_and(|regex| regex.is_match(url.as_str().as_bytes())),
            None => self.matches_plain(url),
        }
    }

    /// The same for all rules but patterns, which it answers with no.
    pub(super) fn matches_plain(&self, url: &Url) -> bool {
        let value = self.value.as_str();
        match self.what {
            What::Host => {
                let host = &url[url::Position::BeforeHost..url::Position::AfterPort];
                without_dot(host) == value
            }
            What::Domain => url
                .host_str()
                .is_some_and(|host| is_within(without_dot(host), value)),
            What::Prefix => {
                url[url::Position::BeforePath..url::Position::AfterQuery].starts_with(value)
            }
            What::Segment => url.path().split('/').any(|segment| segment == value),
            What::Extension => {
                path_extension(url.path()).is_some_and(|e| e.eq_ignore_ascii_case(value))
            }
            What::Param => url.query().is_some_and(|query| has_param(query, value)),
            What::Contains => {
                memchr::memmem::find(url.as_str().as_bytes(), value.as_bytes()).is_some()
            }
            What::Regex => false,
        }
    }
}

/// A host without the dot that may end its name (RFC 1034, section 3.1).
fn without_dot(host: &str) -> &str {
    host.strip_suffix('.').unwrap_or(host)
}

/// A host as it stands in URLs: in lower case, its labels in ASCII, without the port that http has anyway, and the dots behind it.
fn spelled_host(host: &str) -> String {
    let url = Url::parse(&format!("http://{host}/")).ok();
    let spelled = url.filter(|url| url.path() == "/" && url.query().is_none());
    spelled.map_or_else(
        || host.to_ascii_lowercase(),
        |url| {
            let host = &url[url::Position::BeforeHost..url::Position::AfterPort];
            host.trim_end_matches('.').to_owned()
        },
    )
}

/// A piece of a URL as it stands in URLs: what is not ASCII, and blanks, are escaped.
fn spelled(piece: &str) -> String {
    const ESCAPED: &percent_encoding::AsciiSet = &percent_encoding::CONTROLS.add(b' ');
    percent_encoding::utf8_percent_encode(piece, ESCAPED).to_string()
}

fn has_param(query: &str, wanted: &str) -> bool {
    query.split('&').any(|pair| {
        pair == wanted
            || (!wanted.contains('=') && pair.split('=').next().is_some_and(|name| name == wanted))
    })
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let text = text.trim();
        let (action, rest) = text.split_once(' ').unwrap_or((text, ""));
        let includes = match action {
            "include" => true,
            "exclude" => false,
            _ => return Err(RuleError::Action(text.to_owned())),
        };
        let rest = rest.trim_start();
        let (name, value) = rest.split_once(' ').unwrap_or((rest, ""));
        let what = NAMES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, what)| *what)
            .ok_or_else(|| RuleError::What(text.to_owned()))?;
        let mut value = value.trim().to_owned();
        match what {
            What::Host | What::Domain => value = spelled_host(&value),
            What::Prefix | What::Segment | What::Param | What::Contains => {
                value = spelled(&value);
            }
            What::Extension => {
                value.make_ascii_lowercase();
                value = value
                    .trim_matches(|c: char| c == '.' || c.is_whitespace())
                    .to_owned();
            }
            What::Regex => {
                regex::bytes::RegexBuilder::new(&value)
                    .unicode(false)
                    .build()
                    .map_err(|e| RuleError::Pattern(text.to_owned(), e.to_string()))?;
            }
        }
        if value.is_empty() {
            return Err(RuleError::Value(text.to_owned()));
        }
        Ok(Self {
            includes,
            what,
            value,
        })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let action = if self.includes { "include" } else { "exclude" };
        let name = NAMES
            .iter()
            .find(|(_, what)| *what == self.what)
            .map_or("", |(name, _)| name);
        write!(f, "{action} {name} {}", self.value)
    }
}

impl TryFrom<String> for Rule {
    type Error = RuleError;
    fn try_from(text: String) -> Result<Self, RuleError> {
        text.parse()
    }
}

impl From<Rule> for String {
    fn from(rule: Rule) -> Self {
        rule.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matches(rule: &str, url: &str) -> bool {
        rule.parse::<Rule>()
            .unwrap()
            .matches(&Url::parse(url).unwrap())
    }

    #[test]
    fn each_form_looks_at_its_part_of_the_url() {
        assert!(matches("exclude host e.org:81", "http://e.org:81/"));
        assert!(!matches("exclude host e.org", "http://e.org:81/"));
        assert!(matches("exclude domain E.org", "http://a.e.org:81/"));
        assert!(!matches("exclude domain e.org", "http://the.org/"));
        assert!(matches("include prefix /a?b", "http://e.org/a?b=1"));
        assert!(matches("exclude extension .JPG", "http://e.org/a.jpg?x"));
        assert!(matches("exclude param sid", "http://e.org/?a=1&sid"));
        assert!(!matches("exclude param do=diff", "http://e.org/?do=show"));
        assert!(matches("exclude contains =1&", "http://e.org/?a=1&sid"));
        assert!(matches("exclude regex /\\d{4}/$", "http://e.org/2011/"));
    }

    #[test]
    fn a_rule_may_be_written_as_people_write() {
        for (rule, url) in [
            ("exclude host müller.example:80", "http://müller.example/"),
            ("exclude domain Müller.example", "http://a.müller.example./"),
            ("exclude domain e.org.", "https://e.org/"),
            ("exclude prefix /a b/ü", "http://e.org/a b/übung"),
            ("exclude segment größe", "http://e.org/x/größe/1"),
            ("exclude param q=ü", "http://e.org/?a=1&q=ü"),
            ("exclude contains straße", "http://e.org/?q=hauptstraße"),
            (
                "exclude contains stra%C3%9Fe",
                "http://e.org/?q=hauptstraße",
            ),
        ] {
            assert!(matches(rule, url), "{rule} {url}");
        }
        assert!(!matches("exclude host e.org:80", "http://e.org:81/"));
        assert!(!matches("exclude domain e.org", "http://e.org.uk/"));
    }

    #[test]
    fn a_text_that_is_no_rule_says_why() {
        for (text, word) in [
            ("drop host e.org", "include"),
            ("exclude hosts e.org", "second word"),
            ("exclude host ", "missing"),
            ("exclude host ..", "missing"),
            ("exclude regex (", "unclosed"),
        ] {
            let error = text.parse::<Rule>().unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn a_rule_prints_what_it_parses(
            action in "include|exclude",
            name in "host|domain|prefix|segment|extension|param|contains|regex",
            value in "\\PC{1,20}",
        ) {
            if let Ok(rule) = format!("{action} {name} {value}").parse::<Rule>() {
                prop_assert_eq!(rule.to_string().parse::<Rule>(), Ok(rule));
            }
        }

        #[test]
        fn any_text_is_a_rule_or_an_error(text in "\\PC{0,40}") {
            let _ = text.parse::<Rule>();
        }
    }
}
