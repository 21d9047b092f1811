//! What the `nodust` command promises to whoever calls it: exit codes, help, files, pipes.
//!
//! These tests run the real binary, and so live in its own package: only there does cargo build it for
//! them.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail as loudly as the tests do"
)]

mod apart;
mod beliefs;
mod codes;
#[path = "../common/mod.rs"]
mod common;
mod explain;
mod lists;
mod logs;
mod stumbles;
mod wrong;

use std::{
    io::Write as _,
    process::{Command, Output, Stdio},
};

use common::{nodust, text};
use serde_json::Value;

fn rows(octets: &[u8]) -> Vec<Value> {
    text(octets)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// What is left of a packed file whose end is missing.
fn cut_off(octets: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(octets).unwrap();
    let mut packed = packed.finish().unwrap();
    packed.truncate(packed.len() / 2);
    packed
}

/// Calls nodust with these octets on standard input where whoever should read its output is gone.
fn unread(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_nodust"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    // It may end before all is written.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

#[test]
fn help_and_version_succeed_and_name_every_subcommand() {
    let help = nodust(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    for name in [
        "crawl", "demo", "clean", "sample", "explain", "replay", "stats",
    ] {
        assert!(text(&help.stdout).contains(name), "{name}");
        assert_eq!(nodust(&[name, "--help"]).status.code(), Some(0), "{name}");
    }
    assert_eq!(nodust(&["--version"]).status.code(), Some(0));
    for code in [
        "  0    done",
        "  1    the run failed",
        "  2    the call made no sense",
        "  130  ended",
    ] {
        assert!(text(&help.stdout).contains(code), "{code}");
    }
}

#[test]
fn the_switches_of_the_contract_are_there() {
    let help = text(&nodust(&["crawl", "--help"]).stdout);
    for switch in [
        "--seeds",
        "--store",
        "--config",
        "--max-pages",
        "--max-depth",
        "--max-duration",
        "--concurrency",
        "--delay",
        "--scope",
        "--exploration",
        "--no-filter",
        "--no-normalize",
        "--no-rules",
        "--no-predict",
        "--seed",
        "--log",
        "--decisions",
        "--report",
    ] {
        assert!(help.contains(switch), "{switch}");
    }
}

#[test]
fn a_replay_explains_its_switches_in_its_own_words_and_a_crawl_in_its() {
    let flat = |command: &str| {
        let help = text(&nodust(&[command, "--help"]).stdout);
        help.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (replay, crawl) = (flat("replay"), flat("crawl"));
    for word in [
        "--overwrite",
        "--seeds",
        "fetched",
        "a second",
        "robots.txt",
        "--delay",
        "--concurrency",
    ] {
        assert!(!replay.contains(word), "{word}: {replay}");
    }
    assert!(!crawl.contains("replay"), "{crawl}");
    assert!(replay.contains("Pages taken from the log at most"));
    let out = nodust(&["replay", "x", "--seed", "http://s.example/"]);
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2));
    assert!(told.contains("begins where its log does"), "{told}");
}

#[test]
fn a_call_that_makes_no_sense_ends_with_2_and_says_what_to_do() {
    for (args, hint) in [
        (&["crawl"][..], "--seeds FILE"),
        (
            &["crawl", "http://127.0.0.1:1/", "--exploration", "2"],
            "from 0",
        ),
        (
            &["crawl", "http://127.0.0.1:1/", "--scope", "galaxy"],
            "domain",
        ),
        (
            &[
                "crawl",
                "http://127.0.0.1:1/",
                "--config",
                "/nonexistent.toml",
            ],
            "/nonexistent.toml",
        ),
        (
            &["crawl", "--seeds", "/nonexistent.txt"],
            "/nonexistent.txt",
        ),
        (&["clean", "--language", "english"], "two letters"),
        (&["clean", "/nonexistent.txt"], "/nonexistent.txt"),
        (&["replay", "/nonexistent.jsonl"], "/nonexistent.jsonl"),
        (
            &["crawl", "http://127.0.0.1:1/", "--store", "Cargo.toml"],
            "name a folder",
        ),
        (
            &["crawl", "http://127.0.0.1:1/", "--store", "Cargo.toml/"],
            "name a folder",
        ),
        (&["stats", "--store", "/nonexistent"], "--store"),
        (&["stats", "/nonexistent"], "crawl --store"),
        (&["beliefs", "/nonexistent"], "crawl --store"),
        (&["eval", "x.jsonl"], "--rules <RULES>|--split <S>"),
        (&["explain", "/a", "--via", "nowhere"], "absolute"),
        (&["explain", "/a"], "--via"),
        (&["explain", ""], "give a URL"),
        (
            &["crawl", "http://127.0.0.1:1/", "--delay", "1s"],
            "1000 is a second",
        ),
        (
            &["replay", "x", "--max-duration", "10m"],
            "600 is ten minutes",
        ),
        (
            &["crawl", "http://127.0.0.1:1/", "--max-duration", "0"],
            "1 or more",
        ),
        (
            &["crawl", "--seed", "http://127.0.0.1:1/"],
            "given without a switch",
        ),
        (
            &["crawl", "http://127.0.0.1:1/", "--delay", "-1"],
            "1000 is a second",
        ),
        (
            &["crawl", "http://127.0.0.1:1/", "--log", "-"],
            "- is not one",
        ),
        (&["replay", "x", "--decisions", "-"], "- is not one"),
        (&["sample", "--per-host", "0"], "1 or more"),
        (
            &["sample", "--exclude-min", "5", "--exclude-max", "2"],
            "every host",
        ),
        (
            &["crawl", "http://127.0.0.1:1/", "--max-pages", "0"],
            "there is no limit",
        ),
        (
            &["crawl", "http://127.0.0.1:1/", "--store", "/dev/null"],
            "name a folder",
        ),
        (
            &["crawl", "http://127.0.0.1:1/", "--accept-loss"],
            "give --store DIR",
        ),
        (&["replay", "x", "--accept-loss"], "give --store DIR"),
        (&["fly"], "--help"),
    ] {
        let out = nodust(args);
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert!(
            text(&out.stderr).contains(hint),
            "{args:?}: {}",
            text(&out.stderr)
        );
    }
}
