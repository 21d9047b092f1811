//! The stage that applies all filters, the cheapest and most often decisive first.

use std::{io, path::PathBuf};

use hashbrown::{HashMap, HashSet};
use nodust_frontier::{Candidate, DropReason, Middleware, RuleName, StageName, Verdict, Via};
use rustc_hash::FxBuildHasher;
use url::Url;

use super::{
    Blacklist, FilterConfig, PatternSet, Rule,
    extension::{MAX_EXTENSION, extension_filter, names_a_file_type, path_extension},
    hosts::{is_within, parents},
    language::{host_language, language_of_tag, language_of_value, path_language},
    structure,
    trap::find_trap,
};

/// Name of the stage.
pub const FILTER: StageName = "filter";

/// Why the filters could not be built.
#[derive(Debug, thiserror::Error)]
pub enum FilterError {
    /// A setting makes no sense.
    #[error("filter.{key}: {why}")]
    Setting {
        /// Key below `filter`.
        key: String,
        /// What is wrong with it.
        why: String,
    },
    /// A blacklist cannot be read.
    #[error("filter.blacklists: cannot read {}: {source}", path.display())]
    Blacklist {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// What the operator wants, compiled.
#[derive(Debug)]
pub struct Filter {
    config: FilterConfig,
    rules: Rules,
    blacklists: Vec<Blacklist>,
    /// Avoided hosts, and the rule names they carry.
    avoid: HashMap<Box<str>, RuleName, FxBuildHasher>,
    extensions: HashMap<Box<str>, RuleName, FxBuildHasher>,
    patterns: PatternSet,
    pattern_names: Vec<RuleName>,
    params: HashSet<Box<str>, FxBuildHasher>,
}

/// Include and exclude rules; patterns among them are compiled into one set.
#[derive(Debug)]
struct Rules {
    list: Vec<(Rule, RuleName)>,
    patterns: PatternSet,
    /// Place in the list of each pattern of the set.
    places: Vec<usize>,
}

impl Rules {
    fn new(rules: &[Rule]) -> Result<Self, regex::Error> {
        let (places, texts): (Vec<_>, Vec<_>) = rules
            .iter()
            .enumerate()
            .filter_map(|(place, rule)| Some((place, rule.pattern()?)))
            .unzip();
        Ok(Self {
            list: rules
                .iter()
                .map(|rule| (rule.clone(), rule.to_string().into()))
                .collect(),
            patterns: PatternSet::new(&texts)?,
            places,
        })
    }

    fn first_match(&self, url: &Url) -> Option<&(Rule, RuleName)> {
        if self.list.is_empty() {
            return None;
        }
        let pattern = self
            .patterns
            .first_match(url.as_str())
            .map_or(usize::MAX, |i| self.places[i]);
        let plain = self
            .list
            .iter()
            .take(pattern)
            .position(|(rule, _)| rule.matches_plain(url))
            .unwrap_or(usize::MAX);
        self.list.get(plain.min(pattern))
    }
}

impl Filter {
    /// Compiles a configuration and loads its blacklists.
    ///
    /// # Errors
    /// If a setting makes no sense or a blacklist cannot be read.
    pub fn new(config: &FilterConfig) -> Result<Self, FilterError> {
        config
            .validate()
            .map_err(|(key, why)| FilterError::Setting { key, why })?;
        let setting = |key: &str, error: &regex::Error| FilterError::Setting {
            key: key.to_owned(),
            why: error.to_string(),
        };
        let blacklists = config
            .blacklists
            .iter()
            .map(|path| {
                Blacklist::open(path).map_err(|source| FilterError::Blacklist {
                    path: path.clone(),
                    source,
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let mut patterns = Vec::new();
        let mut pattern_names = Vec::new();
        for (name, list) in &config.patterns {
            for pattern in list {
                patterns.push(format!("(?i:{pattern})"));
                pattern_names.push(RuleName::from(format!("{name}:{pattern}")));
            }
        }
        let patterns = PatternSet::new(&patterns).map_err(|e| setting("patterns", &e))?;
        if patterns.always_run() > 0 {
            tracing::info!(
                patterns = patterns.always_run(),
                "patterns without a text that must occur run over every URL"
            );
        }
        let names = |list: &[String], kind: &str| {
            list.iter()
                .map(|item| {
                    let item = item.to_ascii_lowercase();
                    let rule = RuleName::from(format!("{kind}:{item}"));
                    (item.into_boxed_str(), rule)
                })
                .collect()
        };
        Ok(Self {
            rules: Rules::new(&config.rules).map_err(|e| setting("rules", &e))?,
            blacklists,
            avoid: names(&config.avoid_hosts, "avoid-host"),
            extensions: names(&config.drop_extensions, "extension"),
            patterns,
            pattern_names,
            params: config
                .language
                .params
                .iter()
                .map(|p| p.as_str().into())
                .collect(),
            config: config.clone(),
        })
    }

    /// The rule by which a URL is unwanted, if there is one; `hreflang` is the language that its link names, `from` the
    /// host of the page that links to it.
    pub fn find(&self, url: &Url, hreflang: Option<&str>, from: Option<&str>) -> Option<RuleName> {
        if let Some((rule, name)) = self.rules.first_match(url) {
            return (!rule.includes()).then(|| name.clone());
        }
        self.by_extension(url)
            .or_else(|| self.by_host(url, from))
            .or_else(|| self.by_structure(url).map(RuleName::from))
            .or_else(|| {
                let place = self.patterns.first_match(url.as_str())?;
                self.pattern_names.get(place).cloned()
            })
            .or_else(|| self.by_language(url, hreflang))
            .or_else(|| find_trap(&self.config.traps, url).map(RuleName::from))
    }

    fn by_extension(&self, url: &Url) -> Option<RuleName> {
        let path = url.path();
        if let Some(extension) = path_extension(path)
            && let Some(rule) = self.extension_rule(extension)
            && !self.is_title(path)
        {
            return Some(rule.clone());
        }
        if self.config.only_page_extensions && !extension_filter(path) {
            return Some("extension:not-a-page".into());
        }
        (self.config.file_types_anywhere && names_a_file_type(url.as_str()))
            .then(|| "file-type".into())
    }

    fn extension_rule(&self, extension: &str) -> Option<&RuleName> {
        let mut lower = [0; MAX_EXTENSION];
        let lower = lower.get_mut(..extension.len())?;
        lower.copy_from_slice(extension.as_bytes());
        lower.make_ascii_lowercase();
        self.extensions.get(std::str::from_utf8(lower).ok()?)
    }

    /// Whether the path lies in a folder whose file names are titles of pages.
    fn is_title(&self, path: &str) -> bool {
        let folders = path.rsplit('/').skip(1);
        !self.config.page_folders.is_empty()
            && folders
                .into_iter()
                .any(|folder| self.config.page_folders.iter().any(|f| f == folder))
    }

    fn by_host(&self, url: &Url, from: Option<&str>) -> Option<RuleName> {
        if let Some(listed) = self.blacklists.iter().find_map(|list| list.find(url)) {
            return Some(listed.to_string().into());
        }
        if self.avoid.is_empty() {
            return None;
        }
        let (name, rule) =
            parents(url.host_str()?).find_map(|name| self.avoid.get_key_value(name))?;
        (!from.is_some_and(|from| is_within(from, name))).then(|| rule.clone())
    }

    fn by_structure(&self, url: &Url) -> Option<&'static str> {
        let (config, text) = (&self.config, url.as_str());
        let path = url.path();
        if config.feeds && is_feed(path) {
            return Some("feed");
        }
        if (config.login_pages || config.legal_pages) && structure::is_not_crawlable(text) {
            let is_legal = structure::is_legal_page(text);
            if is_legal && config.legal_pages {
                return Some("legal-page");
            }
            if !is_legal && config.login_pages {
                return Some("login-page");
            }
        }
        if config.navigation_pages && structure::is_navigation_page(text) {
            return Some("navigation-page");
        }
        if config.site_structure
            && (structure::is_feed_or_archive(text) || structure::is_site_structure(text))
        {
            return Some("site-structure");
        }
        (config.index_pages
            && url.query().is_none_or(str::is_empty)
            && structure::is_index_page(path))
        .then_some("index-page")
    }

    fn by_language(&self, url: &Url, hreflang: Option<&str>) -> Option<RuleName> {
        let config = &self.config.language;
        if config.accept.is_empty() {
            return None;
        }
        let (place, language) = hreflang
            .filter(|_| config.hreflang)
            .and_then(language_of_tag)
            .map(|language| ("hreflang", language))
            .or_else(|| {
                let query = url.query()?;
                query.split('&').find_map(|pair| {
                    let (name, value) = pair.split_once('=')?;
                    self.params
                        .contains(name)
                        .then(|| language_of_value(value))
                        .flatten()
                        .map(|language| ("param", language))
                })
            })
            .or_else(|| {
                let language = config.path.then(|| path_language(url.path())).flatten()?;
                Some(("path", language))
            })
            .or_else(|| {
                let host = url.host_str().filter(|_| config.host)?;
                Some(("host", host_language(host)?))
            })?;
        (!config.accept.iter().any(|wanted| wanted == language))
            .then(|| format!("language:{place}={language}").into())
    }
}

/// A feed by the last segment of its path.
fn is_feed(path: &str) -> bool {
    const NAMES: [&str; 7] = [
        "feed", "rss", "atom", "rss2", "feed.xml", "rss.xml", "atom.xml",
    ];
    let path = path.strip_suffix('/').unwrap_or(path);
    // All of the names end in one of these letters, and hardly any other segment does.
    matches!(
        path.as_bytes().last().map(u8::to_ascii_lowercase),
        Some(b'd' | b's' | b'm' | b'2' | b'l')
    ) && {
        let start = memchr::memrchr(b'/', path.as_bytes()).map_or(0, |slash| slash + 1);
        let segment = &path[start..];
        NAMES.iter().any(|name| segment.eq_ignore_ascii_case(name))
    }
}

impl Middleware for Filter {
    fn name(&self) -> StageName {
        FILTER
    }

    fn judge(&self, link: &mut Candidate, via: &Via<'_>) -> Verdict {
        if via.is_seed() && !self.config.judge_seeds {
            return Verdict::Pass;
        }
        let from = via.page_url().and_then(|page| page.as_url().host_str());
        match self.find(link.url(), link.hreflang(), from) {
            None => Verdict::Pass,
            Some(rule) => Verdict::Drop(DropReason::Excluded { rule }),
        }
    }
}

#[cfg(test)]
mod tests {
    use nodust_frontier::{Batch, Chain, RawUrl, chain::Slot};
    use proptest::prelude::*;

    use super::{super::Profile, *};

    fn filter(toml: &str) -> Filter {
        Filter::new(&toml::from_str(toml).unwrap()).unwrap()
    }

    fn rule(filter: &Filter, url: &str) -> Option<String> {
        let url = Url::parse(url).unwrap();
        filter.find(&url, None, None).map(|rule| rule.to_string())
    }

    #[test]
    fn by_default_pages_and_what_leads_to_them_pass() {
        let filter = filter("");
        for url in [
            "https://www.onet.pl/a",
            "https://timesofindia.indiatimes.com/a/articleshow/1.cms",
            "https://e.org/users/j.smith",
            "https://e.org/whois/example.com",
            "https://t.co/abc",
            "http://163.com/a",
            "https://e.org/tag/rust/",
            "https://e.org/page/2",
            "https://e.org/2011/11/",
            "https://e.org/index.php",
            "https://e.org/contact",
            "https://e.org/wiki/Node.js",
            "https://e.org/wiki/File:A.jpg",
            "https://e.org/?image=a.jpg",
            "http://[::1]:81/a",
            "https://e.org/a.txt",
            "https://essex.example/sussex",
        ] {
            assert_eq!(rule(&filter, url), None, "{url}");
        }
    }

    #[test]
    fn each_drop_names_its_rule() {
        let filter =
            filter("rules = ['include segment keep', 'exclude regex ^https?://[^/]+/private']");
        for (url, wanted) in [
            ("https://e.org/a.JPG?w=1", "extension:jpg"),
            ("https://e.org/feed/", "feed"),
            ("https://e.org/login?next=1", "login-page"),
            (
                "https://e.org/private/x",
                "exclude regex ^https?://[^/]+/private",
            ),
            ("https://e.org/ab/ab/ab/", "trap:repeated-segments"),
        ] {
            assert_eq!(rule(&filter, url).as_deref(), Some(wanted), "{url}");
        }
        assert_eq!(rule(&filter, "https://e.org/keep/a.jpg"), None);
        let share = rule(&filter, "https://www.facebook.com/sharer/sharer.php?u=x").unwrap();
        assert!(share.starts_with("share:"), "{share}");
        let ad = rule(&filter, "https://ad.doubleclick.net/x").unwrap();
        assert!(ad.starts_with("advertising:"), "{ad}");
    }

    #[test]
    fn the_strict_profile_keeps_articles_only() {
        let filter = filter("profile = 'strict'");
        for (url, wanted) in [
            ("https://e.org/tag/rust/", Some("navigation-page")),
            ("https://e.org/2011/11/", Some("site-structure")),
            ("https://e.org/index.php", Some("index-page")),
            ("https://e.org/index.php?id=7", None),
            ("https://e.org/impressum.html", Some("legal-page")),
            ("https://e.org/a.nsf", Some("extension:not-a-page")),
            ("https://e.org/get?f=a.jpg", Some("file-type")),
            ("https://m.facebook.com/x", Some("avoid-host:facebook.com")),
            ("https://www.onet.pl/a", None),
        ] {
            assert_eq!(rule(&filter, url).as_deref(), wanted, "{url}");
        }
    }

    #[test]
    fn avoided_hosts_are_left_alone_from_outside_only() {
        let filter = filter("avoid_hosts = ['reddit.com']");
        let url = Url::parse("https://www.reddit.com/r/rust").unwrap();
        assert!(filter.find(&url, None, Some("e.org")).is_some());
        assert!(filter.find(&url, None, Some("old.reddit.com")).is_none());
    }

    #[test]
    fn a_language_may_be_named_in_four_places() {
        let filter = filter("[language]\naccept = ['de', 'en']");
        let rule = |url: &str, hreflang| {
            let url = Url::parse(url).unwrap();
            filter.find(&url, hreflang, None).map(|r| r.to_string())
        };
        assert_eq!(rule("http://e.org/fr/a", None).unwrap(), "language:path=fr");
        assert_eq!(
            rule("http://fr.wikipedia.org/a", None).unwrap(),
            "language:host=fr"
        );
        assert_eq!(
            rule("http://e.org/?lang=fr", None).unwrap(),
            "language:param=fr"
        );
        assert_eq!(
            rule("http://e.org/", Some("fr-CH")).unwrap(),
            "language:hreflang=fr"
        );
        for (url, hreflang) in [
            ("http://e.org/fr/a", Some("de")),
            ("http://e.org/de/fr/a", None),
            ("http://e.org/xy/a", None),
            ("http://en.wikipedia.org/", None),
        ] {
            assert_eq!(rule(url, hreflang), None, "{url}");
        }
    }

    #[test]
    fn seeds_pass_unless_the_operator_wants_them_judged() {
        let mut config = FilterConfig::default();
        for (judge_seeds, passes) in [(false, true), (true, false)] {
            config.judge_seeds = judge_seeds;
            let filter = Filter::new(&config).unwrap();
            let mut link =
                Candidate::resolve(RawUrl::new("http://e.org/a.jpg"), &Via::seed()).unwrap();
            let verdict = filter.judge(&mut link, &Via::seed());
            assert_eq!(verdict == Verdict::Pass, passes);
        }
    }

    #[test]
    fn blacklists_name_file_and_line_and_a_missing_one_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("bad.txt");
        std::fs::write(&path, "# bad\nbad.example\n").unwrap();
        let mut config = FilterConfig {
            blacklists: vec![path.clone()],
            ..FilterConfig::default()
        };
        let filter = Filter::new(&config).unwrap();
        assert_eq!(
            rule(&filter, "http://www.bad.example/").unwrap(),
            format!("blacklist:{}:2", path.display())
        );
        config.blacklists = vec![dir.path().join("none.txt")];
        let error = Filter::new(&config).unwrap_err().to_string();
        assert!(error.contains("none.txt"), "{error}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_batch_is_judged_as_its_links_one_by_one(
            links in prop::collection::vec("(/[a-z]{1,3}|/tag|/en|/login|\\.jpg|\\?p=1|\\PC){0,6}", 0..8),
            strict in any::<bool>(),
        ) {
            let profile = if strict { Profile::Strict } else { Profile::Default };
            let chain = Chain::new().then(Filter::new(&FilterConfig::profile(profile)).unwrap());
            let page = "http://e.org/".parse().unwrap();
            let via = Via::page(&page);
            let raw: Vec<_> = links.iter().map(|l| RawUrl::new(l)).collect();
            let mut batch = Batch::default();
            chain.judge(&via, &raw, &mut batch);
            for (slot, link) in batch.slots().iter().zip(&raw) {
                let trace = chain.explain(&via, *link);
                prop_assert_eq!(matches!(slot, Slot::Dropped(..)), trace.drop_step().is_some());
            }
        }
    }
}
