//! The standard chain: the stages of a crawl, in their order.
//!
//! Scrub comes first, so that all later stages see the URL that would be fetched. Then come the cheap questions,
//! whether it is in scope and wanted; then normalization, which names the class of what is left; and last prediction,
//! which is asked about new links only.
//!
//! ```
//! use nodust_middleware::{Config, standard_chain};
//!
//! let config = Config::from_toml("no_filter = true")?;
//! let chain = standard_chain(&config, &["http://e.org/".parse().expect("it is a URL")])?;
//! let names: Vec<_> = chain.stages().map(|stage| stage.name()).collect();
//! assert_eq!(names, ["scrub", "scope", "normalize", "predict"]);
//! # Ok::<(), nodust_middleware::ConfigError>(())
//! ```

use std::{path::Path, sync::Arc};

use nodust_frontier::{CanonicalUrl, Chain};

use crate::{
    Config, ConfigError,
    filter::{Filter, Scope},
    learn::online::Learner,
    normalize::{Equivalences, Normalize},
    predict::{BeliefFile, ExchangeError, Predict, Trust},
    rules::{RuleBook, RuleFile, Rules, Site},
    scrub::Scrub,
};

/// The stages of a crawl that starts at these seeds: scrub, scope, filter and normalize, and also rules and predict if
/// the configuration asks for them.
///
/// Name all seeds. A seed that is not named here but admitted later is fetched, but all its links are dropped as out of scope,
/// except links to hosts that are in scope anyway (or if [`Config::scope`] is `any`). To add seeds while the crawl goes on, see
/// [`standard_chain_within`].
///
/// With a frontier of your own, leave [`Config::rules`] off (`no_rules`), both the file and `learn`. A rule says, by their class, that two
/// URLs are one page, and a wrong rule loses everything that it hides. That is different only if the frontier treats classes as
/// [`LocalFrontier`](nodust_frontier::LocalFrontier) does: it remembers [on whose word](nodust_frontier::Candidate::merged_by) each is
/// known, keeps the links that are dropped for it, explores some, and follows [`Effects`](nodust_frontier::Effects) when a rule falls
/// (`withdrawn`, `renamed`, `known`).
///
/// Add a stage of your own at the end with [`Chain::then`], or elsewhere with [`Chain::before`].
///
/// # Errors
/// If a setting makes no sense, or a blacklist or rules file cannot be read.
pub fn standard_chain(config: &Config, seeds: &[CanonicalUrl]) -> Result<Chain, ConfigError> {
    let scope = Scope::for_seeds(&config.scope, seeds);
    standard_chain_within(config, seeds, Arc::new(scope))
}

/// The [`standard_chain`] with a scope that the caller keeps, to add further seeds while the crawl goes on
/// ([`Scope::admit_seeds`]). Add them to the scope before they are admitted to the frontier. The scope does not store
/// them: after a restart, name all seeds.
///
/// ```
/// use std::sync::Arc;
/// use nodust_middleware::{Config, chain::standard_chain_within, filter::Scope, frontier::{CanonicalUrl, RawUrl, Via}};
///
/// let config = Config::default();
/// let seeds: [CanonicalUrl; 1] = ["http://e.org/".parse()?];
/// let scope = Arc::new(Scope::for_seeds(&config.scope, &seeds));
/// let chain = standard_chain_within(&config, &seeds, Arc::clone(&scope))?;
///
/// let later: CanonicalUrl = "http://later.example/".parse()?;
/// let is_wanted = || {
///     let trace = chain.explain(&Via::page(&later), RawUrl::new("/a"));
///     trace.drop_step().is_none()
/// };
/// assert!(!is_wanted());
/// scope.admit_seeds(std::slice::from_ref(&later));
/// assert!(is_wanted());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a setting makes no sense, or a blacklist or rules file cannot be read.
pub fn standard_chain_within(
    config: &Config,
    seeds: &[CanonicalUrl],
    scope: Arc<Scope>,
) -> Result<Chain, ConfigError> {
    config.validate()?;
    let mut chain = Chain::new()
        .then(Scrub::new(config.scrub.clone()))
        .then(scope);
    if !config.no_filter {
        chain = chain.then(Filter::new(&config.filter)?);
    }
    if !config.no_normalize {
        chain = chain.then(Normalize::new(&config.normalize));
    }
    let book = Arc::new(RuleBook::default());
    if let Some(rules) = rules(config, &book, seeds)? {
        chain = chain.then(rules);
    }
    if config.predict.enabled {
        let mut settings = config.predict.clone();
        settings.sort_parameters &= !config.no_normalize && config.normalize.sort_parameters;
        settings.plus_is_space &= !config.no_normalize && config.normalize.plus_is_space;
        let mut predict = Predict::new(settings).with_rules(book);
        if let Some(path) = &config.predict.beliefs {
            let file = beliefs(path)?;
            match of_no_seed(&file, seeds) {
                Some(warning) => tracing::warn!("{}: {warning}", path.display()),
                None => tell_beliefs(path, &file, config.predict.trust),
            }
            predict = predict.with_beliefs(file, config.predict.trust);
        }
        chain = chain.then(predict);
    }
    Ok(chain)
}

/// Beliefs that were formed elsewhere; what this program cannot use of them is told.
fn beliefs(path: &Path) -> Result<BeliefFile, ConfigError> {
    let file = BeliefFile::read(path).map_err(|why| match why {
        ExchangeError::Read { path, source } => ConfigError::Read {
            key: Some("predict.beliefs"),
            path,
            source,
        },
        source => ConfigError::Beliefs {
            path: path.to_owned(),
            source,
        },
    })?;
    if let Some(what) = file.passed_over() {
        tracing::warn!("of the beliefs in {}, {what}", path.display());
    }
    Ok(file)
}

/// Says that beliefs were read, and what is done with them.
fn tell_beliefs(path: &Path, file: &BeliefFile, trust: Trust) {
    tracing::info!(
        beliefs = file.sites.values().map(Vec::len).sum::<usize>(),
        sites = file.sites.len(),
        "read {}: {}",
        path.display(),
        match trust {
            Trust::Prior => "tested from the first page, with less to prove",
            Trust::Active => "active ones are acted upon at once",
        }
    );
}

/// Sites that are told where a file of beliefs has none of a seed's.
const SITES_TOLD: usize = 5;

/// What is to be said of a file of beliefs where none is of the site of a seed: it is of use only if the crawl gets to its sites by links.
fn of_no_seed(file: &BeliefFile, seeds: &[CanonicalUrl]) -> Option<String> {
    if seeds.is_empty() || seeds.iter().any(|seed| file.is_of_site_of(seed)) {
        return None;
    }
    let told = (file.sites.iter()).filter(|(_, beliefs)| !beliefs.is_empty());
    let all: Vec<&str> = told.map(|(site, _)| site.as_str()).collect();
    if all.is_empty() {
        return Some("there are no beliefs in it".to_owned());
    }
    Some(format!(
        "none of its beliefs is of a site that a seed is on: they are of {}",
        first_of(&all)
    ))
}

/// The same of a file of rules, of which each is for hosts with their ports.
fn for_no_seed(file: &RuleFile, seeds: &[CanonicalUrl]) -> Option<String> {
    let of_hosts = file.by_host();
    let is_for = |seed: &CanonicalUrl| of_hosts.site(seed.host().as_str()).is_some();
    let sites = || file.sites.iter().filter(|site| !site.rules.is_empty());
    let is_for_all = sites().any(Site::is_everywhere);
    if seeds.is_empty() || is_for_all || seeds.iter().any(is_for) {
        return None;
    }
    let all: Vec<&str> = sites().map(Site::name).collect();
    if all.is_empty() {
        return Some("there are no rules in it".to_owned());
    }
    Some(format!(
        "none of its rules is for a host, and its port, that a seed is on (links may lead there): they are for {}",
        first_of(&all)
    ))
}

/// The first of some names, and that there are more.
fn first_of(names: &[&str]) -> String {
    let more = if names.len() > SITES_TOLD {
        ", …"
    } else {
        ""
    };
    let first = &names[..names.len().min(SITES_TOLD)];
    format!("{}{more}", first.join(", "))
}

/// The stage that applies rewrite rules, if there is anything for it to do.
fn rules(
    config: &Config,
    book: &Arc<RuleBook>,
    seeds: &[CanonicalUrl],
) -> Result<Option<Rules>, ConfigError> {
    if config.no_rules || (config.rules.file.is_none() && !config.rules.learn) {
        return Ok(None);
    }
    let mut file = RuleFile::default();
    if let Some(path) = config.rules.file.as_deref() {
        let text = crate::file::text(path).map_err(|source| ConfigError::Read {
            key: Some("rules.file"),
            path: path.to_owned(),
            source,
        })?;
        file = RuleFile::parse(&text).map_err(|source| ConfigError::Rules {
            path: path.to_owned(),
            source,
        })?;
        if let Some(warning) = for_no_seed(&file, seeds) {
            tracing::warn!("{}: {warning}", path.display());
        }
    }
    if !config.no_normalize && config.normalize.www {
        file = file.without_www();
    }
    file.publish_to(book);
    let mut stage = Rules::new(Arc::clone(book));
    if config.rules.learn || (config.rules.audit && file.has_audited()) {
        let same = (!config.no_normalize).then(|| Equivalences::new(&config.normalize));
        stage = stage.with_learner(Learner::new(Arc::clone(book), file, same, &config.rules));
    }
    Ok(Some(stage))
}

#[cfg(test)]
mod tests {
    use nodust_frontier::{Batch, RawUrl, Via, chain::Slot};
    use proptest::prelude::*;

    use super::*;

    fn chain(toml: &str) -> Chain {
        let seeds = ["http://e.org/".parse().unwrap()];
        standard_chain(&Config::from_toml(toml).unwrap(), &seeds).unwrap()
    }

    #[test]
    fn without_filters_scope_and_validity_stay_in_force() {
        let page = "http://e.org/".parse().unwrap();
        let via = Via::page(&page);
        let stage = |chain: &Chain, link: &str| {
            let trace = chain.explain(&via, RawUrl::new(link));
            trace.drop_step().map(|step| step.stage)
        };
        let (all, plain) = (chain(""), chain("no_filter = true"));
        for (link, with, without) in [
            ("/a.jpg", Some("filter"), None),
            ("http://x.org/", Some("scope"), Some("scope")),
            ("mailto:a@b.c", Some("resolve"), Some("resolve")),
            ("/a", None, None),
        ] {
            assert_eq!(stage(&all, link), with, "{link}");
            assert_eq!(stage(&plain, link), without, "{link}");
        }
    }

    #[test]
    fn rules_of_a_file_name_the_class_behind_normalization_unless_switched_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rules.json");
        let rules = r#"{"format":"nodust-rules","version":1,"sites":[
            {"hosts":["e.org"],"rules":[{"rule":"has:query.t => drop:query.f"}]}]}"#;
        std::fs::write(&path, rules).unwrap();
        let text = format!("[rules]\nfile = {:?}", path.to_str().unwrap());
        let class = |text: &str| {
            let mut batch = Batch::default();
            let links = [RawUrl::new("http://www.e.org/?t=1&f=2&utm_source=x")];
            let seeds = ["http://www.e.org/".parse().unwrap()];
            let chain = standard_chain(&Config::from_toml(text).unwrap(), &seeds).unwrap();
            chain.judge(&Via::seed(), &links, &mut batch);
            let link = batch.survivors().next().unwrap();
            link.class().to_owned()
        };
        assert!(class(&text).ends_with("//e.org/?t=1"), "{}", class(&text));
        assert!(class(&format!("no_rules = true\n{text}")).ends_with("//e.org/?f=2&t=1"));
        let broken = "[rules]\nfile = 'nowhere'";
        assert!(standard_chain(&Config::from_toml(broken).unwrap(), &[]).is_err());
    }

    #[test]
    fn a_rule_about_a_host_with_www_acts_behind_normalization_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rules.json");
        let rules = r#"{"format":"nodust-rules","version":1,"sites":[{"hosts":["e.org", "m.e.org"],
            "rules":[{"rule":"is:host=www.e.org => set:host=m.e.org"}]}]}"#;
        std::fs::write(&path, rules).unwrap();
        let class = |more: &str| {
            let text = format!("{more}\n[rules]\nfile = {:?}", path.to_str().unwrap());
            let links = [RawUrl::new("https://www.e.org/a")];
            let mut batch = Batch::default();
            let seeds = ["http://www.e.org/".parse().unwrap()];
            let chain = standard_chain(&Config::from_toml(&text).unwrap(), &seeds).unwrap();
            chain.judge(&Via::seed(), &links, &mut batch);
            batch.survivors().next().unwrap().class().to_owned()
        };
        for more in ["", "no_normalize = true", "[normalize]\nwww = false"] {
            assert_eq!(class(more), "https://m.e.org/a", "{more}");
        }
    }

    #[test]
    fn rules_for_no_seeds_host_are_told_with_the_hosts_that_they_are_for() {
        let told = |host: &str, seed: &str| {
            let file = format!(
                r#"{{"format": "nodust-rules", "version": 1, "sites": [{{"hosts": ["{host}"], "rules": [{{"rule": "=> drop:query.s"}}]}}]}}"#
            );
            for_no_seed(&RuleFile::parse(&file).unwrap(), &[seed.parse().unwrap()])
        };
        assert_eq!(told("e.org", "http://www.e.org/a"), None);
        assert_eq!(told("*", "http://f.org/"), None);
        let why = told("e.org:8099", "http://e.org:8100/").unwrap();
        assert!(why.ends_with("they are for e.org:8099"), "{why}");
        let none = RuleFile::default();
        let seeds = ["http://e.org/".parse().unwrap()];
        assert!(for_no_seed(&none, &seeds).is_some_and(|why| why.contains("no rules")));
    }

    #[test]
    fn beliefs_of_no_seeds_site_are_told_with_the_sites_that_they_are_of() {
        let told = |sites: &[&str], seeds: &[&str]| {
            let claim =
                r#"[{"text": "sid is ignored | host | 0000000000000001", "standing": "active"}]"#;
            let sites: Vec<String> = (sites.iter())
                .map(|site| format!("\"{site}\": {claim}"))
                .collect();
            let sites = sites.join(", ");
            let file =
                format!(r#"{{"format": "nodust-beliefs", "version": 1, "sites": {{{sites}}}}}"#);
            let seeds: Vec<CanonicalUrl> = seeds.iter().map(|s| s.parse().unwrap()).collect();
            of_no_seed(&BeliefFile::from_json(&file).unwrap(), &seeds).unwrap_or_default()
        };
        assert_eq!(
            told(&["e.org"], &["http://x.org/", "http://www.e.org/"]),
            ""
        );
        assert_eq!(told(&["e.org"], &[]), "");
        assert!(told(&["e.org", "f.org"], &["http://x.org/"]).ends_with("are of e.org, f.org"));
        assert!(told(&[], &["http://x.org/"]).contains("no beliefs"));
        let many = ["a.de", "b.de", "c.de", "d.de", "e.de", "f.de"];
        assert!(told(&many, &["http://x.org/"]).ends_with("e.de, …"));
    }

    #[test]
    fn rules_are_learned_where_that_is_asked_for() {
        let has_rules = |toml: &str| chain(toml).stages().any(|stage| stage.name() == "rules");
        assert!(!has_rules(""));
        assert!(has_rules("[rules]\nlearn = true"));
        assert!(!has_rules("no_rules = true\n[rules]\nlearn = true"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_batch_is_judged_as_its_links_one_by_one(
            links in prop::collection::vec("(http:|//e\\.org|/[a-z]{1,3}|/tag|\\.jpg|\\?utm_source=1|\\PC){0,6}", 0..8),
        ) {
            let chain = chain("");
            let page = "http://e.org/".parse().unwrap();
            let via = Via::page(&page);
            let raw: Vec<_> = links.iter().map(|l| RawUrl::new(l)).collect();
            let mut batch = Batch::default();
            chain.judge(&via, &raw, &mut batch);
            for (slot, link) in batch.slots().iter().zip(&raw) {
                let trace = chain.explain(&via, *link);
                let last = trace.steps().last().unwrap();
                match slot {
                    Slot::Live(candidate) => {
                        prop_assert_eq!(last.url.as_deref(), Some(candidate.url().as_str()));
                        prop_assert_eq!(last.class.as_deref(), Some(candidate.class()));
                    }
                    _ => prop_assert!(trace.drop_step().is_some()),
                }
            }
        }
    }
}
