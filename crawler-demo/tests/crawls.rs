//! What a crawl from the command line promises: its store and files, its messages, whom it obeys.
//!
//! These tests run the real binary, and so live in its own package: only there does cargo build it for
//! them.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail as loudly as the tests do"
)]

use std::{
    fmt::Write as _,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::Duration,
};

mod common;
mod site;

use common::{nodust, nodust_fed, path, text};
use serde_json::Value;
use site::serve;

/// Calls nodust, which tells what a user reads who sets nothing.
fn nodust_telling(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nodust"))
        .args(args)
        .env_remove("RUST_LOG")
        .output()
        .unwrap()
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
fn a_store_in_a_folder_of_other_files_is_a_call_that_makes_no_sense() {
    let folder = tempfile::tempdir().unwrap();
    let photos = folder.path().join("photos");
    std::fs::create_dir(&photos).unwrap();
    std::fs::write(photos.join("a.jpg"), "a photograph").unwrap();
    let line = "{\"url\": \"http://s.example/\", \"links\": []}\n";
    for args in [&["crawl", "http://127.0.0.1:1/"][..], &["replay", "-"]] {
        let args = [args, &["--store", path(&photos)]].concat();
        let out = nodust_fed(&args, line.as_bytes());
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {told}");
        assert!(told.contains("name an empty folder"), "{args:?}: {told}");
        assert_eq!(std::fs::read_dir(&photos).unwrap().count(), 1, "{args:?}");
    }
}

/// Replays a log of so many pages on a store, with these switches.
fn replay_on(store: &Path, pages: usize, more: &[&str]) -> Output {
    let links: Vec<String> = (0..pages).map(|n| format!("\"/{n}\"")).collect();
    let mut log = format!(
        "{{\"url\": \"http://s.example/\", \"links\": [{}]}}\n",
        links.join(",")
    );
    for n in 0..pages {
        let _ = writeln!(log, "{{\"url\": \"http://s.example/{n}\", \"links\": []}}");
    }
    let args = [&["replay", "-", "--store", path(store)], more].concat();
    nodust_fed(&args, log.as_bytes())
}

#[test]
fn a_store_of_which_nothing_is_left_is_told_with_what_helps_and_can_be_moved_aside() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    for left in [None, Some(0), Some(100)] {
        assert_eq!(replay_on(&store, 10, &[]).status.code(), Some(0));
        let database = store.join("sled/db");
        match left {
            None => std::fs::remove_file(&database).unwrap(),
            Some(left) => {
                let octets = std::fs::read(&database).unwrap();
                std::fs::write(&database, &octets[..left]).unwrap();
            }
        }
        // The second time the switch was given that is no help here: it is not recommended.
        for more in [&[][..], &["--accept-loss"]] {
            let out = replay_on(&store, 10, more);
            let told = text(&out.stderr);
            assert_eq!(out.status.code(), Some(1), "{left:?}: {told}");
            assert!(
                told.contains("is damaged")
                    && told.contains("cannot be saved, not by --accept-loss either")
                    && told.contains(&format!("store move-aside {}", store.display())),
                "{left:?}: {told}"
            );
        }
        let out = nodust_telling(&["store", "move-aside", path(&store)]);
        assert_eq!(out.status.code(), Some(0));
        assert!(Path::new(text(&out.stdout).trim()).is_dir() && !store.exists());
        let told = text(&out.stderr);
        assert!(
            told.contains("log and decisions of that crawl") && told.contains("--overwrite"),
            "{told}"
        );
    }
}

#[test]
fn a_store_whose_octets_changed_is_told_without_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let (store, copy) = (folder.path().join("store"), folder.path().join("copy"));
    assert_eq!(replay_on(&store, 3000, &[]).status.code(), Some(0));
    let octets = std::fs::read(store.join("sled/db")).unwrap();
    for step in [997, 10_007, 50_021] {
        std::fs::create_dir_all(copy.join("sled/blobs")).unwrap();
        for name in ["format", "durable", "sled/conf"] {
            std::fs::copy(store.join(name), copy.join(name)).unwrap();
        }
        let mut changed = octets.clone();
        (changed.iter_mut().step_by(step).skip(1)).for_each(|octet| *octet ^= 8);
        std::fs::write(copy.join("sled/db"), changed).unwrap();
        let out = nodust(&["stats", "--store", path(&copy)]);
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{step}: {told}");
        assert!(
            told.contains("is damaged") && !told.contains("panicked"),
            "{step}: {told}"
        );
        std::fs::remove_dir_all(&copy).unwrap();
    }
}

#[test]
fn a_store_that_lost_its_last_commits_goes_on_where_that_is_accepted_and_says_how_many() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    assert_eq!(
        replay_on(&store, 300, &["--max-pages", "100"])
            .status
            .code(),
        Some(0)
    );
    // As if more had been durable than there is.
    let durable = store.join("durable");
    let left: u64 = std::fs::read_to_string(&durable).unwrap().parse().unwrap();
    std::fs::write(&durable, (left + 7).to_string()).unwrap();
    let lost = format!("of {} commits that were durable {left} are left", left + 7);
    let out = replay_on(&store, 300, &[]);
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{told}");
    assert!(
        told.contains(&lost) && told.contains("add --accept-loss to the command that crawls"),
        "{told}"
    );
    let out = replay_on(&store, 300, &["--accept-loss"]);
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(0), "{told}");
    assert!(told.contains(&lost), "{told}");
    let out = replay_on(&store, 300, &[]);
    let told = text(&out.stderr);
    assert_eq!(
        (out.status.code(), told.contains("durable")),
        (Some(0), false),
        "it is told once: {told}"
    );
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
        let args = ["crawl", "--delay", "0", "--store", path(&store)];
        nodust_telling(&[&args[..], more].concat())
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
    let out = nodust_telling(&["crawl", &url, "--config", path(&config)]);
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

/// A site of a start page that links to forty others.
fn star(path: &str) -> Option<String> {
    match path {
        "/" => Some((0..40).fold(String::new(), |links, n| {
            links + &format!("<a href=/{n}>{n}</a> ")
        })),
        _ => (path[1..].parse::<u8>().ok()).map(|n| format!("the page {n}")),
    }
}

/// Crawls of one site in one store, of which each is told where its log is and how many pages it may fetch.
struct Logging {
    site: String,
    folder: tempfile::TempDir,
}

impl Logging {
    fn new() -> Self {
        Self {
            site: serve(star),
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What the crawl says beside its result, its summary, and what its report says that the log lacks.
    fn crawl(&self, log: Option<&str>, pages: &str) -> (String, String, Option<u64>) {
        let (store, report) = (self.file("store"), self.file("report.json"));
        let log = log.map(|log| self.file(log));
        let mut args = vec!["crawl", &self.site, "--delay", "0", "--store", path(&store)];
        args.extend(["--report", path(&report), "--max-pages", pages]);
        args.extend(log.iter().flat_map(|log| ["--log", path(log)]));
        let out = nodust_telling(&args);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        let report: Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
        let lacks = report["run"]["not_in_log"].as_u64();
        (text(&out.stderr), text(&out.stdout), lacks)
    }
}

#[test]
fn a_log_that_is_gone_while_its_store_goes_on_is_told_and_counted() {
    let crawls = Logging::new();
    let (told, summary, lacks) = crawls.crawl(Some("log.jsonl"), "2");
    assert!(
        !told.contains("lacks") && !summary.contains("lacks"),
        "{told}{summary}"
    );
    assert_eq!(lacks, None);
    let aside = crawls.file("aside.jsonl");
    std::fs::rename(crawls.file("log.jsonl"), &aside).unwrap();
    // A device holds no lines of any run.
    let (told, _, lacks) = crawls.crawl(Some("/dev/null"), "1");
    assert!(told.contains("this one writes no log") && !told.contains("WARN"));
    assert_eq!(lacks, None);
    let (told, summary, lacks) = crawls.crawl(Some("log.jsonl"), "1");
    assert!(
        told.contains("log.jsonl begins with this run: it lacks 3 pages"),
        "{told}"
    );
    assert!(
        summary.contains("lacks 3 pages of earlier runs"),
        "{summary}"
    );
    assert_eq!(lacks, Some(3));
    let (told, summary, lacks) = crawls.crawl(Some("log.jsonl"), "1");
    assert!(!told.contains("WARN"), "it is told once: {told}");
    assert!(
        summary.contains("lacks 3 pages of earlier runs"),
        "{summary}"
    );
    assert_eq!(lacks, Some(3));
    // What the message asks for helps: of five pages two are in the log that is back.
    std::fs::rename(aside, crawls.file("log.jsonl")).unwrap();
    let (_, _, lacks) = crawls.crawl(Some("log.jsonl"), "1");
    assert_eq!(lacks, Some(3));
}

#[test]
fn a_crawl_that_was_killed_at_its_first_page_goes_on_by_the_same_command() {
    let crawls = Logging::new();
    let (store, log) = (crawls.file("store"), crawls.file("log.jsonl"));
    let mut first = Command::new(env!("CARGO_BIN_EXE_nodust"))
        .args([
            "crawl",
            "--delay",
            "0",
            &crawls.site,
            "--store",
            path(&store),
            "--log",
            path(&log),
        ])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let has_lines = || log.metadata().is_ok_and(|meta| meta.len() > 0);
    while !has_lines() && first.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    first.kill().unwrap();
    first.wait().unwrap();
    let (told, _, _) = crawls.crawl(Some("log.jsonl"), "1");
    assert!(!told.contains("WARN"), "{told}");
}

#[test]
fn pages_of_a_run_without_log_are_told_once_by_the_next_run_with_it() {
    for log in ["log.jsonl", "log.jsonl.gz"] {
        let crawls = Logging::new();
        crawls.crawl(Some(log), "3");
        let (told, _, lacks) = crawls.crawl(None, "4");
        assert!(
            told.contains(&format!("the last run on this store wrote {log}")),
            "{told}"
        );
        assert_eq!(lacks, None);
        let (told, _, _) = crawls.crawl(None, "1");
        assert!(!told.contains("writes no log"), "it is told once: {told}");
        let (told, _, lacks) = crawls.crawl(Some(log), "2");
        let gap = format!("{log} lacks 5 pages that earlier runs on this store fetched without it");
        assert!(told.contains(&gap), "{told}");
        assert_eq!(lacks, Some(5));
        let (told, _, lacks) = crawls.crawl(Some(log), "2");
        assert!(!told.contains("WARN"), "it is told once: {told}");
        assert_eq!(lacks, Some(5));
        // The same log by another name lacks no more, and a second gap is added to the first.
        std::fs::rename(crawls.file(log), crawls.file(&format!("b-{log}"))).unwrap();
        let log = format!("b-{log}");
        assert_eq!(crawls.crawl(Some(&log), "1").2, Some(5));
        crawls.crawl(None, "1");
        let (told, _, lacks) = crawls.crawl(Some(&log), "1");
        assert!(told.contains(&format!("{log} lacks 6 pages")), "{told}");
        assert_eq!(lacks, Some(6));
    }
}

#[test]
fn what_a_kill_took_from_a_log_is_told_when_the_crawl_goes_on() {
    let crawls = Logging::new();
    let packed = crawls.file("log.jsonl.gz");
    crawls.crawl(Some("log.jsonl.gz"), "3");
    let octets = std::fs::read(&packed).unwrap();
    crawls.crawl(Some("log.jsonl.gz"), "6");
    // As if the lines of the second run had not been packed, and then as if their writing had been cut off.
    std::fs::write(&packed, &octets).unwrap();
    let (told, _, lacks) = crawls.crawl(Some("log.jsonl.gz"), "1");
    assert!(
        told.contains("log.jsonl.gz lacks 6 pages") && told.contains("killed before it had packed"),
        "{told}"
    );
    assert!(!told.contains("torn"), "{told}");
    assert_eq!(lacks, Some(6));
    let mut octets = std::fs::read(&packed).unwrap();
    octets.truncate(octets.len() - 7);
    std::fs::write(&packed, &octets).unwrap();
    let (told, _, lacks) = crawls.crawl(Some("log.jsonl.gz"), "1");
    assert!(
        told.contains("the end of") && told.contains("was torn") && told.contains("lacks 7 pages"),
        "{told}"
    );
    assert_eq!(lacks, Some(7));
}

#[test]
fn a_store_that_holds_the_crawl_of_another_site_says_that_it_goes_on_too() {
    let [one, two] = [(), ()].map(|()| {
        serve(|path| match path {
            "/" => Some("<a href=/a>a</a> <a href=/b>b</a>".to_owned()),
            "/a" | "/b" => Some(format!("the page {path}")),
            _ => None,
        })
    });
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let crawl = |site: &str, more: &[&str]| {
        let args = ["crawl", site, "--delay", "0", "--store", path(&store)];
        let out = nodust_telling(&[&args[..], more].concat());
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        text(&out.stderr)
    };
    let again = "holds the crawl that began at ";
    assert!(!crawl(&one, &["--max-pages", "1"]).contains(again));
    assert!(!crawl(&one, &["--max-pages", "1"]).contains(again));
    let told = crawl(&two, &[]);
    let line = format!("{again}{one}/: it goes on, too, with 1 waiting link of 1 host.");
    assert!(
        told.contains(&line) && told.contains("another --store"),
        "{told}"
    );
    assert!(!crawl(&two, &[]).contains(again), "both are known now");
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
