//! Can a wrong rule of a file hide a part of a site that only few links lead to?
//!
//! The site has a list of few pages, and things that nothing but these pages leads to. A rule that was learned
//! elsewhere takes all pages of the list for one.

#![expect(clippy::unwrap_used, reason = "a test may panic, also in its helpers")]

use std::{collections::BTreeSet, path::Path, process::Command};

use nodust_crawler::CrawlConfig;
use nodust_tests::{
    dice::mix,
    in_time,
    server::{Reply, Server},
};
use serde_json::Value;

const WRONG: &str = r#"{"format": "nodust-rules", "version": 1, "sites": [{"hosts": ["*"],
    "rules": [{"rule": "has:query.page => drop:query.page", "status": "active"}]}]}"#;

const OTHERS: u64 = 60;
const LISTS: u64 = 6;

fn page(target: &str) -> Reply {
    let links: Vec<String> = match target.split_once("page=") {
        None if target == "/" => (0..OTHERS)
            .map(|n| format!("/other/{n}"))
            .chain((0..LISTS).map(|n| format!("/list?page={n}")))
            .collect(),
        Some((_, n)) => vec![format!("/thing/{n}"), "/".to_owned()],
        None => Vec::new(),
    };
    let seed = target.bytes().fold(7, |seed, b| mix(seed + u64::from(b)));
    let words = (0..80).map(|n| format!("w{:x}", mix(seed.wrapping_add(n)) % 0xf_ffff));
    let links = links.iter().map(|to| format!("<a href='{to}'>x</a>"));
    let body: Vec<String> = words.chain(links).collect();
    Reply::html(format!("<p>{}</p>", body.join(" ")))
}

/// The pages of the list and the things among the URLs that were fetched.
fn hidden_parts(decisions: &Path) -> (BTreeSet<String>, u64) {
    let decisions = std::fs::read_to_string(decisions).unwrap();
    let decisions = decisions.lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        (text("url"), text("decision"))
    });
    let mut explored = 0;
    let mut found = BTreeSet::new();
    for (url, decision) in decisions {
        explored += u64::from(decision == "explore");
        let is_hidden = url.contains("/list?") || url.contains("/thing/");
        if is_hidden && ["fetch", "explore"].contains(&decision.as_str()) {
            found.insert(url);
        }
    }
    (found, explored)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_rule_over_few_links_of_a_small_site_loses_nothing() {
    let server = Server::start("127.0.0.1", page).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("rules.json"), WRONG).unwrap();
    for seed in 0..3 {
        let mut config = CrawlConfig {
            seeds: vec![server.url("/")],
            log: Some(path("log.jsonl")),
            decisions: Some(path("decisions")),
            overwrite: true,
            delay_ms: 0,
            per_host: 4,
            seed,
            ..CrawlConfig::default()
        };
        config.chain.rules.file = Some(path("rules.json"));
        let report = in_time(config).await;
        let (found, explored) = hidden_parts(&path("decisions"));
        assert_eq!(found.len() as u64, 2 * LISTS, "{found:?}");
        assert!(explored >= 2 && report.total.explored == explored);
    }
    // A replay of what was recorded comes to the same.
    std::fs::write(path("nodust.toml"), "[rules]\nfile = 'rules.json'\n").unwrap();
    for seed in ["0", "1", "2"] {
        let (log, config, decisions) = (path("log.jsonl"), path("nodust.toml"), path("replayed"));
        let mut replay = Command::new(env!("CARGO_BIN_EXE_nodust-under-test"));
        replay.arg("replay").arg(&log).arg("--config").arg(&config);
        replay.arg("--decisions").arg(&decisions);
        let out = replay.args(["--seed", seed]).output().unwrap();
        assert!(out.status.success(), "{out:?}");
        let (found, explored) = hidden_parts(&decisions);
        assert_eq!(found.len() as u64, 2 * LISTS, "{found:?}");
        assert!(explored >= 2);
    }
}
