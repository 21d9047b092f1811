//! The configuration of the chain, in one file.
//!
//! One field per stage of the chain, each with defaults, so that an empty file is a valid configuration. An unknown key
//! or a senseless value is an error that names key and line: a misspelled filter that silently does nothing would cost
//! a crawl.
//!
//! ```
//! use nodust_middleware::{Config, filter::ScopeKind};
//!
//! let config = Config::from_toml("[scope]\nkind = 'domain'\nmax_depth = 5\n[filter]\nprofile = 'strict'")?;
//! assert_eq!(config.scope.kind, ScopeKind::Domain);
//!
//! let error = Config::from_toml("[filter]\n\n[filter.traps]\nsame_segment = 1").unwrap_err();
//! assert!(error.to_string().starts_with("line 4: filter.traps.same_segment: "));
//! # Ok::<(), nodust_middleware::ConfigError>(())
//! ```

use std::{io, path::Path, path::PathBuf};

use serde::{Deserialize, Serialize};
use toml::de::{DeTable, DeValue};

use crate::{
    filter::{FilterConfig, FilterError, ScopeConfig},
    normalize::NormalizeConfig,
    predict::{ExchangeError, PredictConfig},
    rules::{RuleFileError, RulesConfig},
    scrub::ScrubConfig,
};

/// Settings of the whole chain.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Leave out the filter; validity and scope stay in force.
    pub no_filter: bool,
    /// Leave out normalization: only equal spellings are one page.
    pub no_normalize: bool,
    /// Leave out the rewrite rules.
    pub no_rules: bool,
    /// What may be changed on the wire.
    pub scrub: ScrubConfig,
    /// Where the crawl stays.
    pub scope: ScopeConfig,
    /// What is wanted within it.
    pub filter: FilterConfig,
    /// Which spellings are one page.
    pub normalize: NormalizeConfig,
    /// Which rewrite rules name a link's class.
    pub rules: RulesConfig,
    /// Whether and how duplicates are predicted.
    pub predict: PredictConfig,
}

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}cannot read {}: {source}", key.map(|key| format!("{key}: ")).unwrap_or_default(), path.display())]
    Read {
        /// The full key of the setting that names the file; `None` for the configuration itself.
        key: Option<&'static str>,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is not TOML, or has an unknown key or type; the text names the line, the key, and what is allowed there.
    #[error("{}{}", in_plain_words(.0.to_string().trim_end()), meant(.0.message()))]
    Toml(#[from] Box<toml::de::Error>),
    /// A setting makes no sense.
    #[error("{}{key}: {why}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
    Setting {
        /// The whole key.
        key: String,
        /// What is wrong with it.
        why: String,
        /// The line of the file, from 1, if it could be found.
        line: Option<usize>,
    },
    /// The rules file is not a valid one.
    #[error("the rules file {}: {source}", path.display())]
    Rules {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: RuleFileError,
    },
    /// The file of beliefs is not a valid one.
    #[error("the file of beliefs {}: {source}", path.display())]
    Beliefs {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: ExchangeError,
    },
    /// The filters cannot be built.
    #[error(transparent)]
    Filter(#[from] FilterError),
}

impl ConfigError {
    /// Adds the line of the text that has the senseless setting.
    #[must_use]
    pub fn in_text(self, text: &str) -> Self {
        match self {
            Self::Setting { key, why, .. } => Self::Setting {
                line: line_of(text, &key),
                key,
                why,
            },
            other => other,
        }
    }
}

impl Config {
    /// Reads and checks a configuration of the chain. The sections `[crawl]` and `[store]` belong to the command, and are
    /// unknown here; `nodust_crawler::CrawlConfig::from_toml` reads the whole file.
    ///
    /// # Errors
    /// If the text is not a configuration, with line and key. A section that is not of the chain, such as those two, is an
    /// error.
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        let config: Self = toml::from_str(text).map_err(Box::new)?;
        config.validate_as_in(text)?;
        Ok(config)
    }

    /// [`validate`](Self::validate)s what was read from this text, and names the line of a senseless setting. For
    /// callers who have sections of their own in the file.
    ///
    /// # Errors
    /// The first setting that makes no sense.
    pub fn validate_as_in(&self, text: &str) -> Result<(), ConfigError> {
        self.validate().map_err(|error| error.in_text(text))
    }

    /// Reads and checks a file; blacklists and rules that it names are looked for beside it. As with [`from_toml`](Self::from_toml), it
    /// must have none of the command's sections (`[crawl]`, `[store]`).
    ///
    /// # Errors
    /// If the file cannot be read or is not a configuration.
    pub fn from_file(path: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path).map_err(|source| ConfigError::Read {
            key: None,
            path: path.to_owned(),
            source,
        })?;
        let mut config = Self::from_toml(&text)?;
        if let Some(folder) = path.parent() {
            config.look_beside(folder);
        }
        Ok(config)
    }

    /// Makes the names of blacklists and rules files relative to this folder.
    pub fn look_beside(&mut self, folder: &Path) {
        for file in self
            .filter
            .blacklists
            .iter_mut()
            .chain(&mut self.rules.file)
            .chain(&mut self.predict.beliefs)
        {
            *file = folder.join(&*file);
        }
    }

    /// Checks all settings that their types do not check.
    ///
    /// # Errors
    /// The first setting that makes no sense.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let below = |stage: &'static str| {
            move |(key, why): (String, String)| ConfigError::Setting {
                key: format!("{stage}.{key}"),
                why,
                line: None,
            }
        };
        self.scope.validate().map_err(below("scope"))?;
        self.filter.validate().map_err(below("filter"))?;
        self.predict.validate().map_err(below("predict"))
    }
}

/// What the types of the program's settings are called in a sentence.
const TYPES: [(&str, &str); 8] = [
    ("u64", "a whole number, 0 or more"),
    ("usize", "a whole number, 0 or more"),
    ("u32", "a whole number from 0 to 4294967295"),
    ("u16", "a whole number from 0 to 65535"),
    ("u8", "a whole number from 0 to 255"),
    ("f64", "a number"),
    ("a boolean", "true or false"),
    ("a sequence", "a list, such as [\"a\", \"b\"]"),
];

/// The same complaint, with the type that was expected in words of whoever writes a configuration.
fn in_plain_words(complaint: &str) -> String {
    let plain = complaint
        .rsplit_once(", expected ")
        .and_then(|(before, kind)| {
            let (_, words) = TYPES.iter().find(|(name, _)| *name == kind)?;
            let is_quoted = before.contains("type: string") && kind != "a sequence";
            let way_out = if is_quoted { ", without quotes" } else { "" };
            Some(format!("{before}, expected {words}{way_out}"))
        });
    plain.unwrap_or_else(|| complaint.to_owned())
}

/// How alike (Jaro-Winkler) a name and what was meant by it are at least. Slips are above 0.9 mostly, and names that
/// begin alike by chance below 0.8.
const ALIKE: f64 = 0.85;

/// Which of the names that a reader of TOML expected was probably meant by the one that it does not know; as a line of its
/// own, or nothing.
fn meant(complaint: &str) -> String {
    // "unknown field `a`, expected one of `b`, `c`": every other part stands in backticks.
    let mut names = complaint.split('`').skip(1).step_by(2);
    let given = names.next().unwrap_or_default();
    let nearest = names
        .map(|name| (strsim::jaro_winkler(given, name), name))
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    nearest.map_or_else(String::new, |(_, name)| format!("\ndid you mean `{name}`?"))
}

/// The line that sets a key.
fn line_of(text: &str, key: &str) -> Option<usize> {
    let document = DeTable::parse(text).ok()?;
    let (mut table, mut rest) = (document.get_ref(), key);
    loop {
        // A name in quotes may have dots of its own.
        let ((name, value), below) = if let Some(found) = table.get_key_value(rest) {
            (found, "")
        } else {
            let (name, below) = rest.split_once('.')?;
            (table.get_key_value(name)?, below)
        };
        match value.get_ref() {
            DeValue::Table(inner) if !below.is_empty() => (table, rest) = (inner, below),
            _ => return Some(text[..name.span().start].matches('\n').count() + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Config::from_toml(text).unwrap_err().to_string()
    }

    #[test]
    fn an_empty_file_is_a_configuration_and_all_defaults_survive_a_file() {
        assert_eq!(Config::from_toml("").unwrap(), Config::default());
        let text = toml::to_string(&Config::default()).unwrap();
        assert_eq!(Config::from_toml(&text).unwrap(), Config::default());
    }

    #[test]
    fn an_unknown_key_is_named_with_its_line() {
        let error = error("[scope]\nkind = 'host'\nmax_dept = 3\n");
        assert!(
            error.contains("line 3") && error.contains("max_dept"),
            "{error}"
        );
    }

    #[test]
    fn the_nearest_name_is_told_of_one_that_is_not_known() {
        for (text, name) in [
            ("[filtr]", Some("filter")),
            ("[scope]\nmax_dept = 3", Some("max_depth")),
            ("[filter]\nfeed = true", Some("feeds")),
            ("[filter.traps]\nsame_segmnt = 3", Some("same_segment")),
            ("[scope]\nkind = 'hosts'", Some("host")),
            ("[zebra]", None),
            ("[filter]\nfeeds = 3", None),
            ("a b", None),
        ] {
            let error = error(text);
            let told = error.lines().find_map(|l| l.strip_prefix("did you mean `"));
            assert_eq!(told.map(|t| t.trim_end_matches("`?")), name, "{error}");
        }
    }

    #[test]
    fn a_bad_value_is_named_with_its_line() {
        for (text, start) in [
            ("[scope]\nhosts = ['a b']", "line 2: scope.hosts: `a b`"),
            (
                "[scope]\nkind = 'list'",
                "line 2: scope.kind: `list` needs a list",
            ),
            (
                "[filter]\n[filter.patterns]\n\"x\" = ['(']",
                "line 3: filter.patterns.x: ",
            ),
            (
                "[filter]\ntraps = { same_segment = 1 }",
                "line 2: filter.traps.same_segment: ",
            ),
            (
                "filter.traps.same_segment = 1",
                "line 1: filter.traps.same_segment: ",
            ),
            (
                "[filter.patterns]\n'a.b' = [\n]\n'b.c' = ['(']",
                "line 4: filter.patterns.b.c: ",
            ),
            // What looks like a header or a setting within a text is none.
            (
                "[filter.patterns]\na = ['''\n[scope]\nx = 1''']\nx = ['(']",
                "line 5: filter.patterns.x: ",
            ),
        ] {
            let error = error(text);
            assert!(error.starts_with(start), "{error}");
        }
        for key in ["risk = 3", "threshold = 1"] {
            let told = error(&format!("[predict]\n{key}"));
            let name = key.split(' ').next().unwrap();
            let start = format!("line 2: predict.{name}: is ");
            assert!(told.starts_with(&start), "{told}");
            assert_eq!(told.matches("predict").count(), 1, "{told}");
        }
        for (text, words) in [
            ("[predict]\nbudget = 'x'", "expected a whole number from 0"),
            (
                "[predict]\nmax_pages = -1",
                "expected a whole number, 0 or more",
            ),
            (
                "[scope]\nmax_depth = 70000",
                "a whole number from 0 to 65535",
            ),
            ("[predict]\nrisk = 'low'", "expected a number"),
            ("[filter]\nfeeds = 1", "expected true or false"),
            ("[filter]\navoid_hosts = 'a'", "expected a list"),
        ] {
            let told = error(text);
            assert!(told.contains("line 2") && told.contains(words), "{told}");
        }
        let rule = error("[filter]\nrules = ['drop x']\n");
        assert!(
            rule.contains("line 2") && rule.contains("begins with"),
            "{rule}"
        );
        assert!(error("[scope]\nkind = 'planet'").contains("planet"));
        // The command's own sections, which its reader takes out.
        for section in ["crawl", "store"] {
            let told = error(&format!("[scope]\n[{section}]\n"));
            assert!(told.contains("line 2") && told.contains(section), "{told}");
        }
    }

    #[test]
    fn blacklists_are_looked_for_beside_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("crawl.toml");
        std::fs::write(&path, "[filter]\nblacklists = ['ads.txt', '/abs.txt']").unwrap();
        let config = Config::from_file(&path).unwrap();
        assert_eq!(
            config.filter.blacklists,
            [dir.path().join("ads.txt"), PathBuf::from("/abs.txt")]
        );
        assert!(Config::from_file(&dir.path().join("none.toml")).is_err());
    }
}
