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
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Command, Stdio},
};

mod common;
mod site;

use common::{nodust, nodust_fed, path, text};
use serde_json::Value;
use site::serve;

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
fn a_folder_that_is_no_store_is_refused_and_left_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let dir = path(folder.path());
    for args in [
        &["stats", "--store", dir][..],
        &["explain", "http://s.example/", "--store", dir],
        &["store", "move-aside", dir],
    ] {
        let out = nodust(args);
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert!(text(&out.stderr).contains("no store"), "{args:?}");
        assert_eq!(std::fs::read_dir(dir).unwrap().count(), 0, "{args:?}");
    }
}

#[test]
fn a_damaged_store_is_told_with_the_commands_that_help_and_can_be_moved_aside() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let log = "{\"url\": \"http://s.example/\", \"links\": [\"/a\"]}\n";
    let replay = || nodust_fed(&["replay", "-", "--store", path(&store)], log.as_bytes());
    assert_eq!(replay().status.code(), Some(0));
    std::fs::remove_dir_all(store.join("sled")).unwrap();
    let out = replay();
    assert_eq!(out.status.code(), Some(1));
    let told = text(&out.stderr);
    assert!(
        told.contains("store move-aside") && told.contains("--accept-loss"),
        "{told}"
    );
    let out = nodust(&["store", "move-aside", path(&store)]);
    assert_eq!(out.status.code(), Some(0));
    assert!(Path::new(text(&out.stdout).trim()).is_dir() && !store.exists());
    assert_eq!(replay().status.code(), Some(0));
}

#[test]
fn a_store_knows_its_seeds_and_goes_on_without_them() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let site = nodust_crawler::site::Site::new(nodust_crawler::site::SiteConfig {
        pages: 30,
        ..Default::default()
    });
    let server = runtime
        .block_on(async { site.serve(([127, 0, 0, 1], 0).into()).await })
        .unwrap();
    let report = folder.path().join("report.json");
    let crawl = |store: &str, more: &[&str]| {
        let store = folder.path().join(store);
        let mut args = vec!["crawl", "--store", path(&store), "--report", path(&report)];
        args.extend(["--delay", "0", "--concurrency", "1", "--exploration", "0"]);
        args.extend(more);
        let out = nodust(&args);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        let report: Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
        report["fetched"].as_u64().unwrap()
    };
    let start = server.start_url();
    let whole = crawl("whole", &[&start]);
    assert_eq!(crawl("parts", &[&start, "--max-pages", "1"]), 1);
    assert_eq!(crawl("parts", &[]), whole);
    // Complete now: that is no error, and the command says what can be done.
    let store = folder.path().join("parts");
    let again = |more: &[&str]| {
        let args = [
            &["crawl", "--delay", "0", "--store", path(&store)][..],
            more,
        ]
        .concat();
        Command::new(env!("CARGO_BIN_EXE_nodust"))
            .args(args)
            .env("RUST_LOG", "info")
            .output()
            .unwrap()
    };
    let out = again(&[]);
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(0), "{told}");
    assert!(
        told.contains("is complete") && told.contains("--second-helping"),
        "{told}"
    );
    let before = server.requests();
    let out = again(&["--second-helping"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(server.requests() > before + 1);
}

#[test]
fn a_crawl_that_waits_for_a_host_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config.toml");
    std::fs::write(&config, "[crawl]\nretry_ms = 20\nmax_host_failures = 3\n").unwrap();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", closed.local_addr().unwrap());
    drop(closed);
    let out = Command::new(env!("CARGO_BIN_EXE_nodust"))
        .args(["crawl", &url, "--config", path(&config)])
        .env("RUST_LOG", "info")
        .output()
        .unwrap();
    let told = text(&out.stderr);
    assert!(told.contains("is left alone for 100ms"), "{told}");
    assert!(told.contains("is given up for this run"), "{told}");
    // Each try is told, and the end says that nothing came of them, and why.
    assert!(told.contains("(try 1 of 3, the next in 100ms)"), "{told}");
    assert!(told.contains("(try 3 of 3)"), "{told}");
    assert_eq!(out.status.code(), Some(1));
    let last = told.lines().last().unwrap();
    let begin = "nodust: not one page could be fetched (robots_unreachable: 1); http://127.0.0.1:";
    assert!(
        last.starts_with(begin) && last.contains("refused"),
        "{told}"
    );
    let summary = text(&out.stdout);
    assert!(!summary.contains("complete"), "{summary}");
    assert!(
        summary.contains("not one page could be fetched"),
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
fn a_new_crawl_empties_no_log_of_another_unless_told_to_and_one_that_goes_on_writes_on() {
    let site = serve(|path| match path {
        "/" => Some("<a href=/a>a</a>".to_owned()),
        "/a" => Some("a page".to_owned()),
        _ => None,
    });
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let lines = |name: &str| std::fs::read_to_string(file(name)).unwrap().lines().count();
    let crawl = |more: &[&str]| {
        let (log, decisions) = (file("log"), file("decisions"));
        let args = [
            "crawl",
            &site,
            "--delay",
            "0",
            "--log",
            path(&log),
            "--decisions",
            path(&decisions),
        ];
        nodust(&[&args[..], more].concat())
    };
    let store = file("store");
    let kept = ["--store", path(&store), "--max-pages", "1"];
    assert_eq!(crawl(&kept).status.code(), Some(0));
    assert_eq!(lines("log"), 1);
    assert_eq!(crawl(&kept).status.code(), Some(0));
    assert_eq!(lines("log"), 2);
    // A store in which nothing was begun has nothing that goes on.
    let empty = file("empty");
    let begun = nodust(&["crawl", "::", "--store", path(&empty)]);
    assert_eq!(begun.status.code(), Some(2));
    let out = crawl(&["--store", path(&empty)]);
    assert_eq!(out.status.code(), Some(2), "{}", text(&out.stderr));
    assert_eq!(lines("log"), 2);
    for gone in ["log", "decisions"] {
        let out = crawl(&[]);
        assert_eq!(out.status.code(), Some(2));
        let told = text(&out.stderr);
        let name = file(gone);
        assert!(
            told.contains(path(&name)) && told.contains("--overwrite"),
            "{told}"
        );
        // The next is in the way, too.
        if gone == "log" {
            assert_eq!(lines("log"), 2);
            std::fs::remove_file(name).unwrap();
        }
    }
    assert_eq!(crawl(&["--overwrite"]).status.code(), Some(0));
    assert_eq!(lines("log"), 2);
    assert_eq!(lines("decisions"), 2);
}

#[test]
fn a_store_without_seeds_asks_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let log = "{\"url\": \"http://s.example/\", \"links\": [\"/a\"]}\n";
    let args = ["replay", "-", "--store", path(&store), "--max-pages", "1"];
    assert_eq!(nodust_fed(&args, log.as_bytes()).status.code(), Some(0));
    let out = nodust(&["crawl", "--store", path(&store)]);
    assert_eq!(out.status.code(), Some(2));
    assert!(
        text(&out.stderr).contains("name the seeds"),
        "{}",
        text(&out.stderr)
    );
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
    let out = nodust(&[
        "crawl",
        &site,
        "--delay",
        "0",
        "--store",
        &store,
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
    let dropped: Vec<_> = rows(&std::fs::read(&decisions).unwrap())
        .into_iter()
        .filter(|row| row["decision"] == "drop")
        .map(|row| {
            assert_eq!(
                (&row["stage"], &row["reason"]),
                (&"scope".into(), &"nofollow".into())
            );
            let path = |key: &str| row[key].as_str().unwrap().replace(&site, "");
            (path("url"), path("via"))
        })
        .collect();
    let pair = |url: &str, via: &str| (url.to_owned(), via.to_owned());
    assert_eq!(dropped, [pair("/edit", "/"), pair("/deep", "/meta")]);
    let report: Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
    assert_eq!(report["links"]["dropped"]["scope"]["nofollow"], 2);
    assert_eq!(report["saved"], 0);
    let told = |args: &[&str]| text(&nodust(&[&["explain"][..], args].concat()).stdout);
    let edit = format!("{site}/edit");
    assert!(told(&[&edit, "--store", &store]).contains("not be fetched where its link"));
    assert!(told(&[&format!("{site}/both"), "--store", &store]).contains("not be fetched again"));
    assert!(told(&[&edit]).contains("were its link or its page to say nofollow"));
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
