//! What a crawl writes into its log, and what is told of one that lacks pages.

use std::{
    path::PathBuf,
    process::{Command, Stdio},
    time::Duration,
};

use serde_json::Value;

use super::{
    common::{json, nodust, path, text},
    nodust_telling,
    site::{serve, serve_answers},
};

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

/// The base of a page is that of its markup, and not of its headers. A replay knows no bases.
#[test]
fn a_log_tells_a_canonical_so_that_a_replay_takes_it_for_what_the_crawl_did() {
    let site = serve_answers(|path| {
        let based = "<base href=/base/>a";
        let (status, body) = match path {
            "/" => (
                "200 OK",
                "<a href=/dir/based>b</a><a href=/dir/sent>s</a><a href=/dir/header>h</a>",
            ),
            "/dir/based" => ("200 OK", "<base href=/base/><link rel=canonical href=x>b"),
            "/dir/sent" => ("200 OK", "<link rel=canonical href=x>c"),
            "/dir/header" => ("200 OK\r\nLink: <x>; rel=canonical, <y>; rel=next", based),
            _ => ("404 Not Found", ""),
        };
        (status, body.to_owned())
    });
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let out = nodust(&["crawl", &site, "--delay", "0", "--log", path(&log)]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let lines = std::fs::read_to_string(&log).unwrap();
    let told = |end: &str| {
        let lines = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let mut lines = lines.filter(|line: &Value| line["url"] == format!("{site}{end}"));
        lines.next().unwrap()
    };
    for (page, canonical) in [
        ("/dir/based", format!("{site}/base/x")),
        ("/dir/sent", "x".to_owned()),
        ("/dir/header", format!("{site}/dir/x")),
    ] {
        assert_eq!(told(page)["canonical"], canonical, "{page}");
    }
    assert_eq!(told("/dir/header")["links"][0], format!("{site}/dir/y"));
}

#[cfg(unix)]
#[test]
fn a_crawl_changes_no_file_that_a_running_crawl_writes_nor_any_other_before_it_knows() {
    let crawls = Logging::new();
    let (log, decisions) = (crawls.file("log.jsonl"), crawls.file("decisions.jsonl"));
    let other = crawls.file("other.jsonl");
    std::fs::write(&other, "kept\n").unwrap();
    // Behind its first page it waits, so that nothing is written while the others are refused.
    let slow = serve(|path| {
        if path.len() > 1 && path != "/robots.txt" {
            std::thread::sleep(Duration::from_hours(1));
        }
        star(path)
    });
    let mut running = Command::new(env!("CARGO_BIN_EXE_nodust"))
        .args(["crawl", &slow, "--delay", "0"])
        .args(["--log", path(&log), "--decisions", path(&decisions)])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let held = || [&log, &decisions].map(|file| std::fs::read_to_string(file).unwrap_or_default());
    // The first page and the second that is asked for are the last decisions.
    let is_slow = |[log, decisions]: [String; 2]| !log.is_empty() && decisions.lines().count() == 2;
    while !is_slow(held()) && running.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let before = held();
    for switches in [
        &["crawl", &crawls.site, "--log", path(&log), "--overwrite"][..],
        // Emptying it is not advised either.
        &["crawl", &crawls.site, "--log", path(&log)],
        &[
            "crawl",
            &crawls.site,
            "--log",
            path(&other),
            "--decisions",
            path(&decisions),
            "--overwrite",
        ],
        &["replay", path(&log), "--decisions", path(&decisions)],
    ] {
        let out = nodust(switches);
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{told}");
        assert!(
            told.contains("is being written by another command that is still running"),
            "{told}"
        );
        assert!(!told.contains("--overwrite"), "{told}");
    }
    assert!(running.try_wait().unwrap().is_none(), "it still runs");
    assert_eq!(held(), before);
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "kept\n");
    running.kill().unwrap();
    running.wait().unwrap();
    // Whoever held it is gone, however it ended.
    let out = nodust(&[
        "crawl",
        &crawls.site,
        "--delay",
        "0",
        "--max-pages",
        "1",
        "--log",
        path(&log),
        "--overwrite",
    ]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
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
        let report = json(&report);
        let lacks = (report["run"]
            .get("not_in_log")
            .expect("it is in every report"))
        .as_u64();
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
    assert_eq!(lacks, Some(0));
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
fn a_log_that_is_gone_or_shortened_since_the_last_run_wrote_it_is_told() {
    let crawls = Logging::new();
    let log = crawls.file("log.jsonl");
    crawls.crawl(Some("log.jsonl"), "3");
    let text = std::fs::read_to_string(&log).unwrap();
    let first = text.find('\n').unwrap() + 1;
    std::fs::write(&log, &text[..first]).unwrap();
    let (told, _, lacks) = crawls.crawl(Some("log.jsonl"), "1");
    assert!(told.contains("it was changed since"), "{told}");
    assert_eq!(lacks, Some(2));
    std::fs::remove_file(&log).unwrap();
    let (told, _, lacks) = crawls.crawl(Some("log.jsonl"), "1");
    assert!(told.contains("begins with this run"), "{told}");
    assert_eq!(lacks, Some(4));
}

#[test]
fn damage_inside_a_plain_log_is_told_with_its_line_when_the_crawl_goes_on() {
    let crawls = Logging::new();
    let log = crawls.file("log.jsonl");
    crawls.crawl(Some("log.jsonl"), "3");
    let text = std::fs::read_to_string(&log).unwrap();
    let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
    let quote = lines[1].rfind("\":").unwrap();
    lines[1].replace_range(quote..=quote, "\0");
    let damaged = lines.join("\n") + "\n";
    std::fs::write(&log, &damaged).unwrap();
    let (told, _, lacks) = crawls.crawl(Some("log.jsonl"), "1");
    assert!(
        told.contains("log.jsonl is damaged in line 2: each line should be"),
        "{told}"
    );
    assert_eq!(lacks, Some(1));
    let after = std::fs::read_to_string(&log).unwrap();
    assert!(after.starts_with(&damaged) && after.lines().count() == 4);
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
        let gap = format!(
            "{log} lacks 5 pages that earlier runs on this store fetched: these did not write it"
        );
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
        assert!(
            told.contains(&format!("{log} lacks 6 pages, 1 more than before, that")),
            "{told}"
        );
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
        told.contains("log.jsonl.gz lacks 6 pages") && told.contains("before it had packed"),
        "{told}"
    );
    assert!(!told.contains("middle of a line"), "{told}");
    assert_eq!(lacks, Some(6));
    let mut octets = std::fs::read(&packed).unwrap();
    octets.truncate(octets.len() - 7);
    std::fs::write(&packed, &octets).unwrap();
    let (told, _, lacks) = crawls.crawl(Some("log.jsonl.gz"), "1");
    assert!(
        told.contains("ends in the middle of a line") && told.contains("lacks 7 pages"),
        "{told}"
    );
    assert_eq!(lacks, Some(7));
}

#[test]
fn a_crawl_that_goes_on_touches_no_file_that_is_not_its_own() {
    let crawls = Logging::new();
    crawls.crawl(Some("log.jsonl"), "2");
    let other = serve(star);
    let theirs = crawls.file("theirs.jsonl");
    let store = crawls.file("their store");
    let out = nodust(&[
        "crawl",
        &other,
        "--delay",
        "0",
        "--store",
        path(&store),
        "--log",
        path(&theirs),
    ]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let notes = crawls.file("notes.txt");
    std::fs::write(&notes, "what was found\nwhat is to be done").unwrap();
    let store = crawls.file("store");
    let go_on = |files: &[&str]| {
        let args = [
            "crawl",
            &crawls.site,
            "--delay",
            "0",
            "--store",
            path(&store),
        ];
        nodust(&[&args[..], files].concat())
    };
    for (switch, file, why) in [
        ("--log", &notes, "looks like a text"),
        ("--decisions", &notes, "looks like a text"),
        (
            "--decisions",
            &crawls.file("log.jsonl"),
            "looks like a log of a crawl",
        ),
        ("--log", &theirs, "is the log of another crawl"),
    ] {
        let before = std::fs::read(file).unwrap();
        let out = go_on(&[switch, path(file)]);
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{told}");
        assert!(told.contains(why) && told.contains(switch), "{told}");
        assert_eq!(std::fs::read(file).unwrap(), before, "{switch} {why}");
    }
    let fresh = crawls.file("fresh.jsonl");
    let files = ["--log", path(&fresh), "--decisions", path(&notes)];
    assert_eq!(go_on(&files).status.code(), Some(2));
    assert!(!fresh.exists(), "nothing was done");
    // Nothing was fetched meanwhile, and its own log is gone on with.
    let (told, _, lacks) = crawls.crawl(Some("log.jsonl"), "1");
    assert!(!told.contains("WARN"), "{told}");
    assert_eq!(lacks, Some(0));
}
