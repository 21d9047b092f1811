//! What the `nodust` command promises to whoever calls it: exit codes, help, files, pipes.
//!
//! These tests run the real binary, and so live in its own package: only there does cargo build it for
//! them.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail as loudly as the tests do"
)]

use std::{
    fmt::Write as _,
    io::Write as _,
    process::{Command, Stdio},
};

mod common;

use common::{nodust, nodust_fed, path, text};
use serde_json::Value;

fn rows(octets: &[u8]) -> Vec<Value> {
    text(octets)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
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
        "0 done",
        "1 the run failed",
        "2 the call made no sense",
        "130 ended",
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
        (&["stats", "--store", "/nonexistent"], "--store"),
        (&["stats", "/nonexistent"], "crawl --store"),
        (&["beliefs", "/nonexistent"], "crawl --store"),
        (&["eval", "x.jsonl"], "--rules <RULES>|--split <S>"),
        (&["explain", "/a", "--via", "nowhere"], "absolute"),
        (&["explain", "/a"], "--via"),
        (
            &["crawl", "http://127.0.0.1:1/", "--delay", "1s"],
            "1000 is a second",
        ),
        (
            &["replay", "x", "--max-duration", "10m"],
            "600 is ten minutes",
        ),
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

#[test]
fn a_run_that_fails_ends_with_1_and_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let dir = path(folder.path());
    for args in [&["clean", dir][..], &["replay", dir]] {
        let out = nodust(args);
        assert_eq!(out.status.code(), Some(1), "{args:?}");
        assert!(text(&out.stderr).contains(dir), "{args:?}");
    }
}

#[test]
fn a_folder_in_place_of_a_file_is_called_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let dir = path(folder.path());
    let line = "{\"url\": \"http://s.example/\", \"text\": \"a\"}\n";
    for args in [
        &["clean", dir][..],
        &["learn", dir],
        &["rules", "show", dir],
        &["crawl", "--seeds", dir],
        &["crawl", "http://s.example/", "--config", dir],
        &["crawl", "http://s.example/", "--log", dir],
        &["crawl", "http://s.example/", "--report", dir],
        &["clean", "-", "--output", dir],
        &["replay", "-", "--decisions", dir],
        &["replay", "-", "--report", dir],
    ] {
        let out = nodust_fed(args, line.as_bytes());
        let told = text(&out.stderr);
        assert!(matches!(out.status.code(), Some(1 | 2)), "{args:?}");
        assert!(
            told.contains(dir) && told.contains("is a folder"),
            "{args:?}: {told}"
        );
    }
}

#[test]
fn clean_keeps_urls_and_sets_the_rest_aside() {
    let folder = tempfile::tempdir().unwrap();
    let (list, rest) = (
        folder.path().join("list.txt"),
        folder.path().join("rest.txt.gz"),
    );
    std::fs::write(
        &list,
        b"HTTPS://Site.example/%7Eann#top\nhttps://site.example/a.jpg\n\xff\n\nnonsense\n",
    )
    .unwrap();
    let out = nodust(&["clean", path(&list), "--discarded", path(&rest)]);
    assert_eq!(out.status.code(), Some(0));
    assert_eq!(text(&out.stdout), "https://site.example/~ann\n");
    assert!(text(&out.stderr).contains("no UTF-8"));
    let rest = nodust(&["clean", path(&rest), "--format", "jsonl"]);
    let rest = rows(&rest.stdout);
    let reasons: Vec<_> = rest
        .iter()
        .map(|row| row["stage"].as_str().unwrap())
        .collect();
    assert_eq!(reasons, ["filter", "resolve"]);
    assert_eq!(rest[0]["input"], "https://site.example/a.jpg");
    assert_eq!(rest[0]["verdict"], "drop");
}

#[test]
fn clean_reads_standard_input_and_keeps_one_of_each_class_on_request() {
    let list = b"http://s.example/a?utm_source=x\nhttp://s.example/a\nhttp://s.example/b\n";
    let all = nodust_fed(&["clean"], list);
    assert_eq!(text(&all.stdout).lines().count(), 3);
    let unique = nodust_fed(&["clean", "--unique"], list);
    assert_eq!(
        text(&unique.stdout),
        "http://s.example/a?utm_source=x\nhttp://s.example/b\n"
    );
    let classes = nodust_fed(&["clean", "--class", "--unique"], list);
    assert_eq!(text(&classes.stdout).lines().count(), 2);
    assert!(!text(&classes.stdout).contains("utm_source"));
}

#[test]
fn clean_says_how_to_have_each_page_once() {
    let help = text(&nodust(&["clean", "--help"]).stdout);
    assert!(help.contains("--class --unique"), "{help}");
    assert!(help.contains("--output"), "{help}");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let list = "http://s.example/a/page/of/some/length\n".repeat(200_000);
    let mut child = Command::new(env!("CARGO_BIN_EXE_nodust"))
        .arg("clean")
        .env("RUST_LOG", "error")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    // The pipe may break before all is written: that is what the test is about.
    let _ = child.stdin.take().unwrap().write_all(list.as_bytes());
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
}

#[test]
fn sample_draws_so_many_of_each_host() {
    let mut list = String::new();
    for i in 0..50 {
        writeln!(list, "http://h{}.example/page{i}", i % 2).unwrap();
    }
    let one = nodust_fed(&["sample", "--per-host", "3"], list.as_bytes());
    assert_eq!(text(&one.stdout).lines().count(), 6);
    let again = nodust_fed(&["sample", "--per-host", "3"], list.as_bytes());
    assert_eq!(one.stdout, again.stdout);
    let other = nodust_fed(
        &["sample", "--per-host", "3", "--seed", "9"],
        list.as_bytes(),
    );
    assert_ne!(one.stdout, other.stdout);
}

#[test]
fn explain_names_stage_and_reason() {
    let out = nodust(&["explain", "/a.jpg", "--via", "http://s.example/"]);
    assert_eq!(out.status.code(), Some(0));
    let told = text(&out.stdout);
    assert!(told.contains("filter") && told.contains("DROP"), "{told}");
    let out = nodust(&["explain", "http://s.example/a?utm_source=x"]);
    assert!(text(&out.stdout).contains("class"), "{}", text(&out.stdout));
}

#[test]
fn explain_ends_with_what_would_become_of_the_link_and_why() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let log = "{\"url\": \"http://s.example/\", \"links\": [\"/a\", \"/a.jpg\"]}\n";
    let out = nodust_fed(&["replay", "-", "--store", path(&store)], log.as_bytes());
    assert_eq!(out.status.code(), Some(0));
    for (link, end) in [
        ("http://s.example/new", "be fetched: no stage drops it"),
        ("http://s.example/a", "waits to be fetched, or was."),
        ("http://s.example/a?utm_source=x", "another spelling"),
        ("http://s.example/a.jpg", "dropped before"),
        ("http://s.example/b.jpg", "the stage filter drops it"),
        ("http://t.example/", "(beyond scope:host)"),
    ] {
        let args = ["explain", link, "--via", "http://s.example/", "--store"];
        let out = nodust(&[&args[..], &[path(&store)]].concat());
        let told = text(&out.stdout);
        let last = told.lines().last().unwrap();
        assert!(
            last.starts_with("Found now") && last.contains(end),
            "{link}: {told}"
        );
    }
}

#[test]
fn explain_says_which_stages_of_the_crawl_it_did_not_ask() {
    explains_a_crawl_with_a_rule("pinned", "judged by rules, too");
    explains_a_crawl_with_a_rule("active", "not those of a file");
}

/// A rule that is audited leaves state in the store, one that is pinned does not.
fn explains_a_crawl_with_a_rule(status: &str, note: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let rules = r#"{"format": "nodust-rules", "version": 1, "sites": [{"hosts": ["s.example"], "rules":
        [{"rule": "has:query.v => drop:query.v", "status": "STATUS"}]}]}"#;
    std::fs::write(file("rules.json"), rules.replace("STATUS", status)).unwrap();
    std::fs::write(file("c.toml"), "[rules]\nfile = 'rules.json'\n").unwrap();
    let (config, store) = (file("c.toml"), file("store"));
    let with_config = ["--config", path(&config)];
    let page = |v: usize| {
        format!("{{\"url\": \"http://s.example/a?v={v}\", \"text\": \"one and the same\"}}\n")
    };
    let links = (10..30)
        .map(|v| format!("\"/a?v={v}\""))
        .collect::<Vec<_>>();
    let mut log = format!(
        "{{\"url\": \"http://s.example/\", \"links\": [{}]}}\n",
        links.join(", ")
    );
    log.extend((10..30).map(page));
    let args = ["replay", "-", "--store", path(&store)];
    let out = nodust_fed(&[&args[..], &with_config].concat(), log.as_bytes());
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let link = "http://s.example/a?v=3";
    let args = [
        "explain",
        link,
        "--via",
        "http://s.example/",
        "--store",
        path(&store),
    ];
    let told = text(&nodust(&args).stdout);
    assert!(told.contains(note), "{told}");
    assert!(told.contains("give its --config"), "{told}");
    let told = text(&nodust(&[&args[..], &with_config].concat()).stdout);
    assert!(!told.contains("--config"), "{told}");
    assert!(
        told.contains("class is known") || told.contains("another spelling"),
        "{told}"
    );
    let help = text(&nodust(&["explain", "--help"]).stdout);
    assert!(help.contains("the one given to the crawl"), "{help}");
}

#[test]
fn explain_asks_the_rules_that_a_crawl_learned_without_its_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let (config, store) = (folder.path().join("c.toml"), folder.path().join("store"));
    std::fs::write(&config, "[rules]\nlearn = true\n").unwrap();
    let log = "{\"url\": \"http://s.example/\", \"text\": \"a\", \"links\": [\"/a\"]}\n";
    let args = [
        "replay",
        "-",
        "--store",
        path(&store),
        "--config",
        path(&config),
    ];
    let out = nodust_fed(&args, log.as_bytes());
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let out = nodust(&["explain", "http://s.example/b", "--store", path(&store)]);
    let told = text(&out.stdout);
    assert!(told.contains("\nrules "), "{told}");
}

#[test]
fn replay_writes_decisions_and_report_and_stats_reads_its_store() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let log = [
        r#"{"url": "http://s.example/", "links": ["/a", "/a?utm_source=x", "/b", "/lost", "http://other.example/", "/a"]}"#,
        r#"{"url": "http://s.example/a", "status": 200, "links": []}"#,
        r#"{"url": "http://s.example/b", "status": 301, "redirect_to": "/b/", "links": []}"#,
        r#"{"url": "http://s.example/b/", "links": ["/"]}"#,
    ]
    .join("\n");
    std::fs::write(file("log.jsonl"), log).unwrap();
    let run = |decisions: &str| {
        let out = nodust(&[
            "replay",
            path(&file("log.jsonl")),
            "--decisions",
            path(&file(decisions)),
            "--report",
            path(&file("report.json")),
            "--store",
            path(&file(&format!("{decisions}.store"))),
        ]);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    };
    run("one.jsonl");
    run("two.jsonl");
    let one = std::fs::read(file("one.jsonl")).unwrap();
    assert_eq!(one, std::fs::read(file("two.jsonl")).unwrap());
    let fetched: Vec<_> = rows(&one)
        .iter()
        .filter(|row| row["decision"] == "fetch")
        .map(|row| row["url"].as_str().unwrap().to_owned())
        .collect();
    let site = |path: &str| format!("http://s.example{path}");
    assert_eq!(
        fetched,
        [
            site("/"),
            site("/a"),
            site("/b"),
            site("/lost"),
            site("/b/")
        ]
    );
    let report: Value =
        serde_json::from_slice(&std::fs::read(file("report.json")).unwrap()).unwrap();
    assert_eq!(report["fetched"], 5);
    assert_eq!(report["saved"], 1);
    assert_eq!(report["plain"], 6);
    assert_eq!(report["failed_by"]["missing"], 1);

    let stats = nodust(&["stats", "--json", "--store", path(&file("one.jsonl.store"))]);
    let stats: Value = serde_json::from_slice(&stats.stdout).unwrap();
    assert_eq!(stats["fetched"], 5);
    let table = nodust(&["stats", "--store", path(&file("one.jsonl.store"))]);
    assert!(text(&table.stdout).contains("s.example"));
    let same = nodust(&["stats", path(&file("one.jsonl.store"))]);
    assert_eq!(same.stdout, table.stdout);
}

#[test]
fn a_log_without_links_is_replayed_line_by_line() {
    let log = concat!(
        "{\"url\": \"http://s.example/1\", \"text\": \"one\"}\n",
        "{\"url\": \"http://t.example/2\", \"text\": \"two\"}\n",
        "{\"url\": \"http://s.example/1?utm_source=x\", \"text\": \"one\"}\n",
        "{\"url\": \"http://s.example/1\", \"text\": \"one\"}\n",
    );
    let out = nodust_fed(
        &["replay", "-", "--decisions", "/dev/stdout"],
        log.as_bytes(),
    );
    let told = text(&out.stdout);
    assert_eq!(told.matches("\"decision\":\"fetch\"").count(), 2, "{told}");
    assert_eq!(told.matches("\"decision\":\"drop\"").count(), 1, "{told}");
}

/// A log of many pages, packed, and then cut off in the middle.
fn cut_log(file: &std::path::Path) {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    for n in 0..2000u64 {
        let word = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        writeln!(
            packed,
            r#"{{"url": "http://s.example/{n}?t={word}", "text": "a page of {word:x}"}}"#
        )
        .unwrap();
    }
    let packed = packed.finish().unwrap();
    std::fs::write(file, &packed[..packed.len() / 2]).unwrap();
}

#[test]
fn of_a_log_that_breaks_off_what_stands_before_is_used_and_the_exit_code_is_1() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let (log, rules) = (file("log.jsonl.gz"), file("rules.json"));
    cut_log(&log);
    let log = path(&log);
    for args in [
        &["replay", log][..],
        &["learn", log, "-o", path(&rules)],
        &["eval", log, "--split", "0.5"],
    ] {
        let out = nodust(args);
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{args:?}: {told}");
        let end = format!("{log} breaks off in line ");
        assert!(
            told.contains(&end) && told.contains("its end is missing"),
            "{args:?}: {told}"
        );
        assert!(!out.stdout.is_empty() || rules.exists(), "{args:?}");
    }
    std::fs::write(file("none.gz"), [0x1f, 0x8b, 8, 0]).unwrap();
    for command in ["replay", "learn"] {
        let out = nodust(&[command, path(&file("none.gz"))]);
        assert_eq!(out.status.code(), Some(1), "{command}");
        let told = text(&out.stderr);
        assert!(
            told.contains("none.gz breaks off in line 1"),
            "{command}: {told}"
        );
    }
    assert!(text(&nodust(&["--help"]).stdout).contains("breaks off"));
}

#[test]
fn lines_of_a_log_that_are_no_records_are_told_by_their_number() {
    let lines = "{\"url\": \"http://s.example/\", \"text\": \"a\"}\nnonsense\n{\"url\": \"mailto:x\", \"text\": \"b\"}\n";
    for args in [&["replay", "-"][..], &["learn", "-"]] {
        let out = nodust_fed(args, lines.as_bytes());
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(0), "{args:?}: {told}");
        for line in ["line=2", "line=3", "2 lines skipped"] {
            assert!(told.contains(line), "{args:?}: {line} is not in {told}");
        }
    }
}

#[test]
fn what_is_read_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pages.jsonl");
    let line = "{\"url\":\"http://s.example/\",\"text\":\"a text\"}\n";
    std::fs::write(&file, line).unwrap();
    let data = path(&file);
    for args in [
        &["clean", data, "-o", data][..],
        &["clean", data, "--discarded", data],
        &["sample", data, "-o", data],
        &["normalize", "--rules", data, "-o", data],
        &["learn", data, "-o", data],
        &["eval", data, "--split", "0.5", "--report", data],
        &["replay", data, "--decisions", data],
        &["replay", data, "--report", data],
    ] {
        let out = nodust(args);
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert!(text(&out.stderr).contains("name another file"), "{args:?}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), line, "{args:?}");
    }
}
