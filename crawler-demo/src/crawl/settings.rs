//! Compares the settings with those of the last run on the store.
//!
//! A crawl may go on with other settings; what was decided before then stands. An operator who only forgot a switch, or
//! the configuration, should learn so at once, not the next morning.

use std::{
    collections::BTreeMap,
    path::{Path, absolute},
};

use nodust_frontier::{Commit, Store, StoreError};
use nodust_middleware::filter::FilterConfig;
use serde::Serialize;
use serde_json::Value;

use super::earlier::name;
use crate::CrawlConfig;

/// State under which the store keeps the settings of the last run.
const SETTINGS: &str = "crawl/settings";
/// Settings of `[crawl]` that have a say in what is fetched; those of the stages all have.
const DECIDE: [&str; 9] = [
    "exploration",
    "max_body_bytes",
    "max_links",
    "max_redirects",
    "max_url_bytes",
    "nofollow",
    "robots",
    "seed",
    "sitemaps",
];
/// The file that beliefs are imported from, and how far it is trusted.
const BELIEFS: &str = "predict.beliefs";
const TRUST: &str = "predict.trust";
/// Settings that name files: they are kept with their whole paths, as the next run, or whoever asks, may be started elsewhere.
const FILES: [&str; 3] = [BELIEFS, "rules.file", "filter.blacklists"];
/// Where the values come from of the filters that are not named.
const PROFILE: &str = "filter.profile";
/// Entries of a changed list that are told.
const TOLD: usize = 5;

/// Settings by their whole keys, as a configuration file has them.
type Settings = BTreeMap<String, Value>;

/// Says which settings are others than those of the last run, and writes down those of this one.
pub(crate) fn tell_changed(config: &CrawlConfig, store: &dyn Store) -> Result<(), StoreError> {
    let now = settings(config);
    let before: Option<Settings> =
        (store.state(SETTINGS)?).and_then(|octets| serde_json::from_slice(&octets).ok());
    if before.as_ref() == Some(&now) {
        return Ok(());
    }
    let mut before = before.unwrap_or_default();
    // Earlier versions kept paths as they were given: they are no change, and kept whole from now on.
    make_paths_whole(&mut before);
    let changed = changes(&before, &now);
    if !changed.is_empty() {
        tracing::warn!(
            "settings are not those of the last run on {}, and hold for links that are found from now on:\n  {}",
            name(config),
            changed.join("\n  ")
        );
    }
    let state = serde_json::to_vec(&now).expect("keys and values are JSON");
    store.commit(Commit {
        state: vec![(SETTINGS.to_owned(), Some(state))],
        ..Commit::default()
    })
}

/// The settings by which the last run on a store decided; `None` where it keeps none, or those of a version that had others.
pub(crate) fn of_last_run(store: &dyn Store) -> Result<Option<CrawlConfig>, StoreError> {
    let kept = store.state(SETTINGS)?;
    Ok(kept.and_then(|octets| config(serde_json::from_slice(&octets).ok()?)))
}

/// What differs in what decides, told of each setting.
pub(crate) fn differences(before: &CrawlConfig, now: &CrawlConfig) -> Vec<String> {
    changes(&settings(before), &settings(now))
}

/// What [`settings`] took apart.
fn config(settings: Settings) -> Option<CrawlConfig> {
    let mut whole = Value::Object(serde_json::Map::new());
    for (key, value) in settings {
        let table = key.split('.').try_fold(&mut whole, |table, name| {
            let table = table.as_object_mut()?;
            Some(
                table
                    .entry(name)
                    .or_insert_with(|| Value::Object(serde_json::Map::new())),
            )
        });
        *table? = value;
    }
    let crawl = whole.as_object_mut()?.remove("crawl")?;
    let mut config: CrawlConfig = serde_json::from_value(crawl).ok()?;
    config.chain = serde_json::from_value(whole).ok()?;
    Some(config)
}

fn settings(config: &CrawlConfig) -> Settings {
    let mut settings = Settings::new();
    let crawl = value(config);
    for key in DECIDE {
        if let Some(value) = crawl.get(key) {
            settings.insert(format!("crawl.{key}"), value.clone());
        }
    }
    flatten("", value(&config.chain), &mut settings);
    make_paths_whole(&mut settings);
    settings
}

fn make_paths_whole(settings: &mut Settings) {
    for key in FILES {
        match settings.get_mut(key) {
            Some(Value::Array(paths)) => paths.iter_mut().for_each(make_whole),
            Some(path) => make_whole(path),
            None => {}
        }
    }
}

/// Makes a path whole that is told from where this program runs.
fn make_whole(path: &mut Value) {
    let whole = path.as_str().and_then(|path| absolute(path).ok());
    if let Some(whole) = whole.as_deref().and_then(Path::to_str) {
        *path = whole.into();
    }
}

/// What cannot be written down, such as a path that is no UTF-8, is not compared.
fn value(settings: &impl Serialize) -> Value {
    serde_json::to_value(settings).unwrap_or_default()
}

fn flatten(key: &str, value: Value, into: &mut Settings) {
    let Value::Object(table) = value else {
        into.insert(key.to_owned(), value);
        return;
    };
    for (name, value) in table {
        let whole = if key.is_empty() {
            name
        } else {
            format!("{key}.{name}")
        };
        flatten(&whole, value, into);
    }
}

/// What is to be said of each setting that both runs know: another version has others.
fn changes(before: &Settings, now: &Settings) -> Vec<String> {
    let both = (now.iter()).filter_map(|(key, now)| Some((key, before.get(key)?, now)));
    let imports = now.get(BELIEFS).is_some_and(|file| !file.is_null());
    let of_profiles = (profile_of(before), profile_of(now));
    let follows = |key: &String, before: &Value, now: &Value| {
        key != PROFILE
            && of_profiles.0.get(key) == Some(before)
            && of_profiles.1.get(key) == Some(now)
    };
    both.filter(|(key, before, now)| before != now && (imports || *key != TRUST))
        .filter(|(key, before, now)| !follows(key, before, now))
        .map(|(key, before, now)| match (before, now) {
            (Value::Array(before), Value::Array(now)) => of_list(key, before, now),
            _ => format!(
                "{key} was {} and is {}{}",
                text(before),
                text(now),
                note(key, imports)
            ),
        })
        .collect()
}

/// The filters' settings of the profile that a run had. What follows from another one alone needs no word of its own.
fn profile_of(settings: &Settings) -> Settings {
    let mut of_profile = Settings::new();
    let profile =
        (settings.get(PROFILE)).and_then(|name| serde_json::from_value(name.clone()).ok());
    if let Some(profile) = profile {
        let filter = value(&FilterConfig::profile(profile));
        flatten("filter", filter, &mut of_profile);
    }
    of_profile
}

/// What a change means. What was imported is kept in the store, and needs no file any more.
fn note(key: &str, imports: bool) -> &'static str {
    match (key, imports) {
        (BELIEFS, true) => {
            " (what was imported before is kept; of this file, beliefs are taken in of which the site has none of its own)"
        }
        (BELIEFS, false) => " (what was imported before is kept)",
        (PROFILE, _) => ", with all that follows from it",
        (TRUST, _) => " (for what is taken in from now on)",
        _ => "",
    }
}

fn of_list(key: &str, before: &[Value], now: &[Value]) -> String {
    let without = |list: &[Value], other: &[Value]| {
        let only: Vec<_> = (list.iter().filter(|entry| !other.contains(entry)))
            .map(text)
            .collect();
        (!only.is_empty()).then(|| some_of(&only))
    };
    match (without(now, before), without(before, now)) {
        (Some(new), Some(gone)) => format!("{key} has gained {new} and lost {gone}"),
        (Some(new), None) => format!("{key} has gained {new}"),
        (None, Some(gone)) => format!("{key} has lost {gone}"),
        (None, None) => format!("{key} has another order"),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => "not set".to_owned(),
        other => other.to_string(),
    }
}

fn some_of(entries: &[String]) -> String {
    let told = entries[..entries.len().min(TOLD)].join(", ");
    match entries.len().saturating_sub(TOLD) {
        0 => told,
        more => format!("{told}, and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(before: &str, now: &str) -> Vec<String> {
        let of = |text: &str| settings(&CrawlConfig::from_toml(text).unwrap());
        changes(&of(before), &of(now))
    }

    #[test]
    fn a_changed_setting_is_told_by_its_key_before_and_now() {
        assert!(told("", "[crawl]\nexploration = 0.05").is_empty());
        assert!(told("", "[crawl]\ndelay_ms = 7\nmax_pages = 3").is_empty());
        assert_eq!(
            told("[scope]\nmax_depth = 3", "[crawl]\nexploration = 0.0"),
            [
                "crawl.exploration was 0.05 and is 0.0",
                "scope.max_depth was 3 and is not set"
            ]
        );
    }

    #[test]
    fn of_a_changed_list_what_is_more_and_what_is_gone_is_told() {
        let rules = |rules: &str| format!("[filter]\nrules = [{rules}]");
        let (a, b) = ("'include segment a'", "'include segment b'");
        for (before, now, change) in [
            (
                a,
                b,
                r#"has gained "include segment b" and lost "include segment a""#,
            ),
            ("", a, r#"has gained "include segment a""#),
            (b, "", r#"has lost "include segment b""#),
        ] {
            let change = format!("filter.rules {change}");
            assert_eq!(told(&rules(before), &rules(now)), [change]);
        }
        let order = told(&rules(&format!("{a}, {b}")), &rules(&format!("{b}, {a}")));
        assert_eq!(order, ["filter.rules has another order"]);
    }

    #[test]
    fn of_another_profile_nothing_is_told_that_follows_from_it() {
        let strict =
            "[filter]\nprofile = 'strict'\nnavigation_pages = false\n[predict]\nrisk = 0.05";
        assert_eq!(
            told("", strict),
            [
                "filter.profile was \"default\" and is \"strict\", with all that follows from it",
                "predict.risk was 0.02 and is 0.05"
            ]
        );
        let named = "[filter]\nprofile = 'strict'\nlogin_pages = false\ndrop_extensions = ['xyz']";
        let told = told("", named);
        assert_eq!(told.len(), 3, "{told:?}");
        assert!(told[0].starts_with("filter.drop_extensions has gained \"xyz\" and lost "));
        assert!(
            told[0].ends_with(" more") && told[0].len() < 120,
            "{}",
            told[0]
        );
        assert_eq!(told[1], "filter.login_pages was true and is false");
    }

    #[test]
    fn beliefs_that_were_imported_are_not_said_to_be_lost() {
        let with = "[predict]\nbeliefs = 'a.json'\ntrust = 'active'";
        let gone = told(with, "");
        assert!(
            gone.len() == 1
                && gone[0].starts_with("predict.beliefs was ")
                && gone[0].contains("a.json\" and is not set")
        );
        assert!(
            gone[0].ends_with("(what was imported before is kept)"),
            "{gone:?}"
        );
        let new = told("", with);
        assert!(new.len() == 2 && new[0].contains("of this file"), "{new:?}");
        assert!(new[1].contains("taken in from now on"), "{new:?}");
    }

    #[test]
    fn the_settings_of_the_last_run_are_read_back() {
        for text in [
            "",
            "[crawl]\nseed = 7\nrobots = false\n[scope]\nkind = 'any'\n[filter]\nprofile = 'strict'",
            "no_filter = true\n[filter]\ntraps = { max_segments = false }\nlanguage = { accept = ['de'] }\nrules = ['exclude param print']\n[predict]\nrisk = 0.05",
            "[rules]\nfile = 'r.json'\nlearn = true\n[normalize]\ntracking_parameters = false",
        ] {
            let given = CrawlConfig::from_toml(text).unwrap();
            let mut read = config(settings(&given)).unwrap();
            if let Some(file) = &mut read.chain.rules.file {
                assert!(file.is_absolute() && file.ends_with("r.json"));
                *file = "r.json".into();
            }
            assert_eq!(read.chain, given.chain, "{text}");
            assert!(differences(&read, &given).is_empty(), "{text}");
        }
        let mut other = settings(&CrawlConfig::default());
        other.insert("predict.no_such".to_owned(), Value::Null);
        assert!(config(other).is_none());
    }

    #[test]
    fn a_path_that_was_kept_as_it_was_given_is_no_change_and_kept_whole() {
        let store = nodust_frontier::MemoryStore::default();
        let config = CrawlConfig::from_toml("[rules]\nfile = 'r.json'").unwrap();
        let mut kept = settings(&config);
        kept.insert("rules.file".to_owned(), "r.json".into());
        store
            .commit(Commit {
                state: vec![(SETTINGS.to_owned(), serde_json::to_vec(&kept).ok())],
                ..Commit::default()
            })
            .unwrap();
        make_paths_whole(&mut kept);
        assert!(changes(&kept, &settings(&config)).is_empty());
        tell_changed(&config, &store).unwrap();
        let file = of_last_run(&store).unwrap().unwrap().chain.rules.file;
        assert!(file.unwrap().is_absolute());
    }

    #[test]
    fn settings_that_only_one_version_knows_are_not_told() {
        let now = settings(&CrawlConfig::default());
        let mut before = now.clone();
        before.remove("predict.risk");
        before.insert("predict.of_old".into(), Value::from(1));
        assert!(changes(&before, &now).is_empty());
    }
}
