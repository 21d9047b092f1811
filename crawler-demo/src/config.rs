//! The configuration of a crawl: what it does, and how far it may go.

use std::{path::PathBuf, time::Duration};

use nodust_frontier::store::sled::SledOptions;
use nodust_middleware::{
    filter::{FilterConfig, ScopeConfig},
    normalize::NormalizeConfig,
    predict::PredictConfig,
    rules::RulesConfig,
    scrub::ScrubConfig,
};
use serde::{Deserialize, Serialize};

use crate::{fetch, politeness, robots};

/// All settings of a crawl. The section `[crawl]` of a configuration file has the same names.
///
/// ```
/// use nodust_crawler::CrawlConfig;
/// let config: CrawlConfig = toml::from_str("concurrency = 8\ndelay_ms = 250")?;
/// assert_eq!(config.concurrency, 8);
/// assert_eq!(config.per_host, 1);
/// config.validate()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one switch of the command line"
)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CrawlConfig {
    /// Where to begin: URLs, or host names.
    pub seeds: Vec<String>,
    /// Folder of the store; without one, nothing outlives the crawl.
    pub store: Option<PathBuf>,
    /// File for a line per fetched URL. A crawl that goes on in its store appends to the file; one that begins anew
    /// refuses a file that is not empty.
    pub log: Option<PathBuf>,
    /// File for a line per decision, like the log.
    pub decisions: Option<PathBuf>,
    /// Whether a crawl that begins anew may empty the log and the decisions of another.
    #[serde(skip)]
    pub overwrite: bool,
    /// File for the report as JSON; an existing one is replaced.
    pub report: Option<PathBuf>,
    /// Most pages to fetch in this run, 1 or more; `None` for no limit.
    pub max_pages: Option<u64>,
    /// Seconds this run may take.
    pub max_duration_secs: Option<u64>,
    /// Most requests at the same time, over all hosts. Requests to which no answer has begun for a sixth of
    /// [`header_timeout_secs`](Self::header_timeout_secs) do not count (256 of them at most).
    pub concurrency: usize,
    /// Most requests at the same time to one host.
    pub per_host: usize,
    /// Milliseconds between an answer from a host and the next request to it.
    pub delay_ms: u64,
    /// Share of believed duplicates that are fetched all the same, to know how often beliefs are right. 0 turns this
    /// off: precision is then not known, and no rule of a file is found to be wrong.
    pub exploration: f64,
    /// Seed of all random choices (which duplicates are explored).
    pub seed: u64,
    /// Whether robots.txt is obeyed.
    pub robots: bool,
    /// Whether links that are marked `nofollow`, or whose page is, are not followed; off if the filters are off.
    pub nofollow: bool,
    /// Whether the sitemaps that robots.txt names are read.
    pub sitemaps: bool,
    /// Most sitemap files to read per site.
    pub max_sitemaps: usize,
    /// Sent as `User-Agent`; its first word is the name that robots.txt knows the crawler by.
    pub user_agent: String,
    /// Sent as `Accept-Language`.
    pub accept_language: Option<String>,
    /// Most redirects to follow in a row.
    pub max_redirects: u8,
    /// Most further tries of a URL after timeouts, broken connections, 408, 429, 500, 502, 503 and 504.
    pub max_retries: u16,
    /// Milliseconds before the first further try; doubles with each try. Also how long a host is first left alone after
    /// 429 or 503 without `Retry-After`.
    pub retry_ms: u64,
    /// Longest `Retry-After` that is heeded, in seconds.
    pub max_backoff_secs: u64,
    /// A host that refused (429, 503) or could not be reached this many times in a row is not asked again in this run;
    /// links that wait for it stay in the store for the next run.
    pub max_host_failures: u32,
    /// Most seconds in all that a host may make its links wait by refusals in a row. A host that asks for more
    /// (`Retry-After`) is not asked again in this run, as above.
    pub max_host_wait_secs: u64,
    /// Longest `Crawl-delay` that is heeded, in seconds.
    pub max_crawl_delay_secs: u64,
    /// Most octets of a body, on the wire and after decompression. Bodies take at most `concurrency` times as much
    /// memory.
    pub max_body_bytes: usize,
    /// Most octets of a URL; longer ones are not fetched.
    pub max_url_bytes: usize,
    /// Most links taken from one page.
    pub max_links: usize,
    /// Most seconds until a connection is established.
    pub connect_timeout_secs: u64,
    /// Most seconds until the headers of an answer have arrived.
    pub header_timeout_secs: u64,
    /// Most seconds until the whole answer has arrived. Also the longest that a robots.txt that redirects to another
    /// host waits for that host's turn.
    pub total_timeout_secs: u64,
    /// Seconds that requests under way get to finish when the crawl is told to stop.
    pub grace_secs: u64,
    /// Most characters of a page's text that the log keeps.
    pub log_text_chars: usize,
    /// Whether to fetch at the end what was dropped by belief and still waits in the ledger.
    pub second_helping: bool,
    /// Whether to ask again for what earlier runs on the store could not get and may be available by now (timeouts, 429, 5xx
    /// …).
    pub retry_failed: bool,
    /// How the store is kept; in a configuration file, the section `[store]`.
    #[serde(skip)]
    pub store_options: SledOptions,
    /// The stages; in a configuration file, the sections other than `[crawl]` and `[store]`.
    #[serde(skip)]
    pub chain: nodust_middleware::Config,
}

impl Default for CrawlConfig {
    fn default() -> Self {
        Self {
            seeds: Vec::new(),
            store: None,
            log: None,
            decisions: None,
            overwrite: false,
            report: None,
            max_pages: None,
            max_duration_secs: None,
            concurrency: 32,
            per_host: 1,
            delay_ms: 1000,
            exploration: 0.05,
            seed: 0,
            robots: true,
            nofollow: true,
            sitemaps: false,
            max_sitemaps: 100,
            user_agent: concat!(
                "nodust/",
                env!("CARGO_PKG_VERSION"),
                " (+https://github.com/nodust/nodust)"
            )
            .to_owned(),
            accept_language: None,
            max_redirects: 10,
            max_retries: 3,
            retry_ms: 2000,
            max_backoff_secs: 3600,
            max_host_failures: 10,
            max_host_wait_secs: 2 * 3600,
            max_crawl_delay_secs: 120,
            max_body_bytes: 8 * 1024 * 1024,
            max_url_bytes: 8 * 1024,
            max_links: 200_000,
            connect_timeout_secs: 10,
            header_timeout_secs: 30,
            total_timeout_secs: 60,
            grace_secs: 5,
            log_text_chars: 40_000,
            second_helping: false,
            retry_failed: false,
            store_options: SledOptions::default(),
            chain: nodust_middleware::Config::default(),
        }
    }
}

/// A configuration file: what [`nodust_middleware::Config`] has, and the crawler's own. One reader knows all sections, so
/// that it can name them where one is misspelled.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    crawl: CrawlConfig,
    store: SledOptions,
    scrub: ScrubConfig,
    scope: ScopeConfig,
    filter: FilterConfig,
    normalize: NormalizeConfig,
    rules: RulesConfig,
    predict: PredictConfig,
    no_filter: bool,
    no_normalize: bool,
    no_rules: bool,
}

impl File {
    fn into_config(self) -> CrawlConfig {
        CrawlConfig {
            store_options: self.store,
            chain: nodust_middleware::Config {
                no_filter: self.no_filter,
                no_normalize: self.no_normalize,
                no_rules: self.no_rules,
                scrub: self.scrub,
                scope: self.scope,
                filter: self.filter,
                normalize: self.normalize,
                rules: self.rules,
                predict: self.predict,
            },
            ..self.crawl
        }
    }
}

/// No time may be longer: sums of times must not overflow.
const YEAR_SECS: u64 = 365 * 24 * 3600;

/// The error for a setting with an invalid value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} {problem}")]
pub struct ConfigError {
    /// Which setting.
    pub field: &'static str,
    /// What is wrong, and what would be right.
    pub problem: &'static str,
}

impl CrawlConfig {
    /// Reads a configuration file: the sections `[crawl]` and `[store]`, and those of the stages.
    ///
    /// # Errors
    /// If the text is not a valid configuration, with line and key.
    ///
    /// ```
    /// use nodust_crawler::CrawlConfig;
    /// let config = CrawlConfig::from_toml("no_normalize = true\n[crawl]\ndelay_ms = 5\n[scope]\nmax_depth = 2")?;
    /// assert_eq!(config.delay_ms, 5);
    /// assert_eq!(config.chain.scope.max_depth, Some(2));
    /// let config = CrawlConfig::from_toml("[store]\nflush = { every_ms = 100 }\nledger_limit = 5")?;
    /// assert_eq!(config.store_options.ledger_limit, 5);
    /// let error = CrawlConfig::from_toml("[scope]\nmax_depth = 2\n[crawl]\ndelay = 5").unwrap_err();
    /// assert!(error.to_string().contains("line 4"));
    /// # Ok::<(), nodust_middleware::ConfigError>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<Self, nodust_middleware::ConfigError> {
        let file: File = toml::from_str(text).map_err(Box::new)?;
        let config = file.into_config();
        config.chain.validate_as_in(text)?;
        config.validate().map_err(|error| {
            let key = format!("crawl.{}", error.field);
            let why = error.problem.to_owned();
            let line = None;
            nodust_middleware::ConfigError::Setting { key, why, line }.in_text(text)
        })?;
        Ok(config)
    }

    /// Checks what the types do not check.
    ///
    /// # Errors
    /// The first setting that makes no sense.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let wrong = |field, problem| Err(ConfigError { field, problem });
        if self.concurrency == 0 {
            return wrong("concurrency", "must be 1 or more");
        }
        if self.per_host == 0 {
            return wrong("per_host", "must be 1 or more");
        }
        if self.max_pages == Some(0) {
            return wrong(
                "max_pages",
                "must be 1 or more; left out, there is no limit",
            );
        }
        if self.max_duration_secs == Some(0) {
            return wrong(
                "max_duration_secs",
                "must be 1 or more; left out, there is no limit",
            );
        }
        if !(0.0..=1.0).contains(&self.exploration) {
            return wrong("exploration", "must lie between 0 and 1");
        }
        if self.concurrency > 100_000 {
            return wrong("concurrency", "must be at most 100000");
        }
        if self.max_host_failures == 0 {
            return wrong("max_host_failures", "must be 1 or more");
        }
        let seconds = [
            ("max_backoff_secs", self.max_backoff_secs),
            ("max_host_wait_secs", self.max_host_wait_secs),
            ("max_crawl_delay_secs", self.max_crawl_delay_secs),
            ("connect_timeout_secs", self.connect_timeout_secs),
            ("header_timeout_secs", self.header_timeout_secs),
            ("total_timeout_secs", self.total_timeout_secs),
            ("grace_secs", self.grace_secs),
        ];
        for (field, value) in seconds {
            if value > YEAR_SECS {
                return wrong(field, "must be at most 31536000 (a year)");
            }
        }
        for (field, value) in [("delay_ms", self.delay_ms), ("retry_ms", self.retry_ms)] {
            if value > YEAR_SECS * 1000 {
                return wrong(field, "must be at most 31536000000 (a year)");
            }
        }
        for (field, is_none) in [
            ("connect_timeout_secs", self.connect_timeout_secs == 0),
            ("header_timeout_secs", self.header_timeout_secs == 0),
            ("total_timeout_secs", self.total_timeout_secs == 0),
            ("max_url_bytes", self.max_url_bytes == 0),
            ("max_body_bytes", self.max_body_bytes == 0),
            ("max_links", self.max_links == 0),
        ] {
            if is_none {
                return wrong(field, "must be 1 or more");
            }
        }
        let languages = self.accept_language.as_deref();
        if languages.is_some_and(|languages| languages.contains(|c: char| c.is_control())) {
            return wrong("accept_language", "must be one line");
        }
        if self.user_agent.trim().is_empty() || self.user_agent.contains(|c: char| c.is_control()) {
            return wrong("user_agent", "must be one line that is not empty");
        }
        Ok(())
    }

    pub(crate) fn fetch_limits(&self) -> fetch::Limits {
        fetch::Limits {
            max_body: self.max_body_bytes,
            connect_time: Duration::from_secs(self.connect_timeout_secs),
            header_time: Duration::from_secs(self.header_timeout_secs),
            total_time: Duration::from_secs(self.total_timeout_secs),
            idle_per_host: self.per_host,
            user_agent: self.user_agent.clone(),
            accept_language: self.accept_language.clone(),
        }
    }

    pub(crate) fn politeness_limits(&self) -> politeness::Limits {
        politeness::Limits {
            delay: Duration::from_millis(self.delay_ms),
            per_host: self.per_host,
            max_crawl_delay: Duration::from_secs(self.max_crawl_delay_secs),
            first_backoff: Duration::from_millis(self.retry_ms),
            max_backoff: Duration::from_secs(self.max_backoff_secs),
            give_up_after: self.max_host_failures,
            max_wait: Duration::from_secs(self.max_host_wait_secs),
        }
    }

    pub(crate) fn patience(&self) -> robots::Patience {
        robots::Patience {
            tries: u32::from(self.max_retries).max(1),
            // A server in trouble gets more time than a single page does.
            first_wait: Duration::from_millis(self.retry_ms.saturating_mul(5)),
            // Many hosts may redirect to one, which answers them one by one.
            longest_turn: Duration::from_secs(
                (self.total_timeout_secs.saturating_mul(10)).min(self.max_host_wait_secs),
            ),
        }
    }

    /// How long to wait before another try of a URL that failed this often before.
    pub(crate) fn retry_wait(&self, attempt: u16) -> Duration {
        Duration::from_millis(self.retry_ms)
            .saturating_mul(1 << attempt.min(10))
            .min(Duration::from_secs(YEAR_SECS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelled_section_is_told_all_that_there_are_and_the_nearest() {
        let told = CrawlConfig::from_toml("[scope]\n\n[crwal]\ndelay_ms = 5").unwrap_err();
        let told = told.to_string();
        assert!(
            told.contains("line 3") && told.ends_with("did you mean `crawl`?"),
            "{told}"
        );
        for section in [
            "crawl",
            "store",
            "scrub",
            "scope",
            "filter",
            "normalize",
            "rules",
            "predict",
        ] {
            assert!(told.contains(&format!("`{section}`")), "{section}: {told}");
        }
        let told = CrawlConfig::from_toml("[crawl]\ndelay = 5")
            .unwrap_err()
            .to_string();
        assert!(
            told.contains("line 2") && told.ends_with("did you mean `delay_ms`?"),
            "{told}"
        );
    }

    #[test]
    fn settings_without_sense_are_named_with_their_line_whatever_stands_before() {
        let text =
            "[crawl]\nuser_agent = \"\"\"me \\\n[scope]\"\"\"\n[filter.traps]\nsame_segment = 1";
        let told = CrawlConfig::from_toml(text).unwrap_err().to_string();
        assert!(
            told.starts_with("line 5: filter.traps.same_segment: "),
            "{told}"
        );
        for (setting, why) in [
            ("header_timeout_secs = 0", "must be 1 or more"),
            ("total_timeout_secs = 0", "must be 1 or more"),
            ("connect_timeout_secs = 0", "must be 1 or more"),
            ("max_url_bytes = 0", "must be 1 or more"),
            ("max_links = 0", "must be 1 or more"),
            ("accept_language = \"a\\nb\"", "must be one line"),
        ] {
            let told = CrawlConfig::from_toml(&format!("[crawl]\n{setting}")).unwrap_err();
            assert!(told.to_string().ends_with(why), "{told}");
        }
        for (text, line) in [
            ("[scope]\nmax_depth = 2\n\n[crawl]\nconcurrency = 0", 5),
            ("crawl = { concurrency = 0 }", 1),
        ] {
            let told = CrawlConfig::from_toml(text).unwrap_err().to_string();
            let expected = format!("line {line}: crawl.concurrency: must be 1 or more");
            assert_eq!(told, expected);
        }
        let told = CrawlConfig::from_toml("[crawl]\ndelay_ms = 5\nmax_pages = 0").unwrap_err();
        let told = told.to_string();
        assert!(
            told.starts_with("line 3: crawl.max_pages: must be 1 or more"),
            "{told}"
        );
        let fine = CrawlConfig::from_toml("[crawl]\nmax_pages = 1").unwrap();
        assert_eq!(fine.max_pages, Some(1));
    }

    #[test]
    fn numbers_too_large_to_reckon_with_are_refused() {
        let refused = |config: CrawlConfig| config.validate().unwrap_err().field;
        let fine = CrawlConfig::default;
        assert_eq!(
            refused(CrawlConfig {
                concurrency: usize::MAX,
                ..fine()
            }),
            "concurrency"
        );
        assert_eq!(
            refused(CrawlConfig {
                delay_ms: u64::MAX,
                ..fine()
            }),
            "delay_ms"
        );
        assert_eq!(
            refused(CrawlConfig {
                max_backoff_secs: u64::MAX,
                ..fine()
            }),
            "max_backoff_secs"
        );
    }
}
