//! What a crawl from the command line promises: its store and files, its messages, whom it obeys.
//!
//! These tests run the real binary, and so live in its own package: only there does cargo build it for
//! them.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail as loudly as the tests do"
)]

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Command, Output, Stdio},
};

#[path = "../common/mod.rs"]
mod common;
mod kept;
mod logs;
mod nothing;
mod refetch;
mod retry;
mod site;
mod stores;

use common::{json, nodust, nodust_at, path, text};
use serde_json::Value;
use site::serve;

/// Calls nodust, which tells what a user reads who sets nothing.
fn nodust_telling(args: &[&str]) -> Output {
    nodust_at("info", args, b"")
}

#[test]
fn a_crawl_that_waits_for_a_host_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config.toml");
    std::fs::write(&config, "[crawl]\nretry_ms = 20\nmax_host_failures = 3\n").unwrap();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", closed.local_addr().unwrap());
    drop(closed);
    let out = nodust_telling(&["crawl", &url, "--config", path(&config)]);
    let told = text(&out.stderr);
    assert!(
        told.contains("(its robots.txt is not to be had; 1 in a row): it is left alone for 100ms"),
        "{told}"
    );
    assert!(told.contains("is given up for this run"), "{told}");
    // Each try is told, and the end says that nothing came of them, and why.
    assert!(told.contains("(try 1 of 3, the next in 100ms)"), "{told}");
    assert!(told.contains("(try 3 of 3)"), "{told}");
    assert_eq!(out.status.code(), Some(1));
    let last = told.lines().last().unwrap();
    let begin = "nodust: not one page could be fetched: the hosts refused or could not be reached; http://127.0.0.1:";
    assert!(
        last.starts_with(begin) && last.contains("refused"),
        "{told}"
    );
    let summary = text(&out.stdout);
    assert!(!summary.contains("complete"), "{summary}");
    assert!(
        summary.contains("what is left waits for hosts that refused"),
        "{summary}"
    );
}

#[test]
fn a_crawl_whose_only_host_was_given_up_has_failed_and_can_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let (config, store) = (
        folder.path().join("config.toml"),
        folder.path().join("store"),
    );
    std::fs::write(&config, "[crawl]\nretry_ms = 20\nmax_host_failures = 1\n").unwrap();
    let url = "http://127.0.0.1:1/";
    let args = [
        "crawl",
        url,
        "--store",
        path(&store),
        "--config",
        path(&config),
    ];
    for _ in 0..2 {
        let out = nodust(&args);
        assert_eq!(out.status.code(), Some(1), "{}", text(&out.stdout));
        let told = text(&out.stderr);
        assert!(told.contains("not one page could be fetched"), "{told}");
        assert!(
            text(&out.stdout).contains("1 queued"),
            "{}",
            text(&out.stdout)
        );
    }
}

#[test]
fn links_that_say_nofollow_are_dropped_with_that_reason() {
    let site = serve(|path| {
        let links = match path {
            "/" => {
                "<a rel=nofollow href=/edit>e</a><a rel=nofollow href=/both>b</a><a href=/meta>m</a><a href=/both>b</a>"
            }
            "/meta" => "<meta name=robots content=nofollow><a href=/deep>d</a><a href=/>h</a>",
            "/both" => "<a rel=nofollow href=/edit>e</a>",
            _ => return None,
        };
        Some(format!("<title>{path}</title><p>{path}</p>{links}"))
    });
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (store, decisions, report) = (file("store"), file("d.jsonl"), file("r.json"));
    let log = file("log.jsonl");
    let out = nodust(&[
        "crawl",
        &site,
        "--delay",
        "0",
        "--store",
        &store,
        "--log",
        &log,
        "--decisions",
        &decisions,
        "--report",
        &report,
    ]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(
        text(&out.stdout).contains("nofollow    2 links"),
        "{}",
        text(&out.stdout)
    );
    let dropped_by = |decisions: &str| -> Vec<(String, String)> {
        text(&std::fs::read(decisions).unwrap())
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .filter(|row| row["decision"] == "drop")
            .map(|row| {
                assert_eq!(
                    (&row["stage"], &row["reason"]),
                    (&"scope".into(), &"nofollow".into())
                );
                let path = |key: &str| row[key].as_str().unwrap().replace(&site, "");
                (path("url"), path("via"))
            })
            .collect()
    };
    let pair = |url: &str, via: &str| (url.to_owned(), via.to_owned());
    let expected = [pair("/edit", "/"), pair("/deep", "/meta")];
    assert_eq!(dropped_by(&decisions), expected);
    let again = file("again.jsonl");
    nodust(&["replay", &log, "--decisions", &again]);
    assert_eq!(
        dropped_by(&again),
        expected,
        "a replay does not follow them either"
    );
    let report = json(Path::new(&report));
    assert_eq!(report["links"]["dropped"]["scope"]["nofollow"], 2);
    assert_eq!(report["saved"], 0);
    let told = |args: &[&str]| text(&nodust(&[&["explain"][..], args].concat()).stdout);
    let edit = format!("{site}/edit");
    assert!(told(&[&edit, "--store", &store]).contains("not be fetched where its link"));
    assert!(told(&[&format!("{site}/both"), "--store", &store]).contains("not be fetched again"));
    assert!(told(&[&edit]).contains("were its link or its page to say nofollow"));
}

#[test]
fn the_demonstration_loses_nothing_and_saves_something() {
    let out = nodust(&["demo", "--json", "--pages", "100"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let both: Value = serde_json::from_slice(&out.stdout).unwrap();
    for side in ["plain", "nodust"] {
        assert_eq!(both[side]["contents"]["lost"], 0, "{side}");
        // The one page that robots.txt forbids.
        assert_eq!(
            both[side]["failed_by"],
            serde_json::json!({"robots": 1}),
            "{side}"
        );
    }
    assert!(both["nodust"]["fetched"].as_u64() < both["plain"]["fetched"].as_u64());
    assert_eq!(both["plain"]["saved"], 0);
}

#[test]
fn the_built_in_site_is_served_until_it_is_told_to_stop() {
    let mut serving = Command::new(env!("CARGO_BIN_EXE_nodust"))
        .args(["demo", "--pages", "100", "--serve", "0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = String::new();
    BufReader::new(serving.stdout.take().unwrap())
        .read_line(&mut told)
        .unwrap();
    let site = told.split(' ').next().unwrap();
    let port = site.trim_end_matches('/').rsplit(':').next().unwrap();
    let second = nodust(&["demo", "--serve", port]);
    let why = text(&second.stderr);
    assert_eq!(second.status.code(), Some(1), "{why}");
    assert!(
        why.contains(&format!("127.0.0.1:{port}; name another port")),
        "{why}"
    );
    let out = nodust(&["crawl", site, "--delay", "0", "--max-pages", "5"]);
    serving.kill().unwrap();
    serving.wait().unwrap();
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(
        text(&out.stdout).contains("fetched     5"),
        "{}",
        text(&out.stdout)
    );
}
