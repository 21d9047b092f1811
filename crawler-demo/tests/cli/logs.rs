//! Logs, replayed and learned from, whole or not.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{
    common::{json, nodust, nodust_at, nodust_fed, path, text},
    cut_off, rows,
};

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
    let report = json(&file("report.json"));
    assert_eq!(report["fetched"], 5);
    assert_eq!(report["saved"], 1);
    assert_eq!(report["plain"], 6);
    assert_eq!(report["failed_by"]["missing"], 1);
    let missing = serde_json::json!({"urls": 1, "of": 5, "share": 0.2});
    assert_eq!(report["run"]["missing"], missing);

    let stats = nodust(&["stats", "--json", "--store", path(&file("one.jsonl.store"))]);
    let stats: Value = serde_json::from_slice(&stats.stdout).unwrap();
    assert_eq!(stats["fetched"], 5);
    let table = nodust(&["stats", "--store", path(&file("one.jsonl.store"))]);
    assert!(text(&table.stdout).contains("s.example"));
    let same = nodust(&["stats", path(&file("one.jsonl.store"))]);
    assert_eq!(same.stdout, table.stdout);
}

#[test]
fn decisions_that_are_there_are_replaced_by_a_replay_that_begins_anew_and_written_on_by_one_that_goes_on()
 {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let (log, decisions, store) = (file("log"), file("decisions"), file("store"));
    std::fs::write(
        &log,
        "{\"url\": \"http://s.example/1\", \"text\": \"one\"}\n",
    )
    .unwrap();
    std::fs::write(&decisions, "old\n").unwrap();
    let run = |more: &[&str]| {
        let args = [
            &["replay", path(&log), "--decisions", path(&decisions)][..],
            more,
        ];
        let out = nodust(&args.concat());
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        rows(&std::fs::read(&decisions).unwrap())
    };
    for more in [&[][..], &[], &["--store", path(&store)]] {
        assert_eq!(run(more).len(), 1);
    }
    let lines = run(&["--store", path(&store)]);
    assert!(
        lines.len() >= 2 && lines[1]["decision"] == "resume",
        "{lines:?}"
    );
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

/// A log of many pages, as it is and packed, cut off in the middle of a line.
fn cut_logs(folder: &Path) -> [PathBuf; 2] {
    let mut log = String::new();
    for n in 0..2000u64 {
        let word = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        writeln!(
            log,
            r#"{{"url": "http://s.example/{n}?t={word}", "text": "a page of {word:x}"}}"#
        )
        .unwrap();
    }
    let files = ["log.jsonl", "log.jsonl.gz"].map(|name| folder.join(name));
    std::fs::write(&files[0], &log[..log.len() - 10]).unwrap();
    std::fs::write(&files[1], cut_off(log.as_bytes())).unwrap();
    files
}

#[test]
fn of_a_log_that_breaks_off_what_stands_before_is_used_and_the_exit_code_is_1() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    for log in cut_logs(folder.path()) {
        let (log, rules) = (path(&log), file("rules.json"));
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
            assert!(!told.contains("is skipped"), "{args:?}: {told}");
            assert!(!out.stdout.is_empty() || rules.exists(), "{args:?}");
        }
        std::fs::remove_file(rules).unwrap();
    }
    assert!(text(&nodust(&["--help"]).stdout).contains("breaks off"));
}

#[test]
fn a_log_whose_crawl_was_killed_in_its_first_second_is_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let pages = r#"{"url": "http://s.example/", "text": "a"}"#;
    std::fs::write(file("pages.jsonl"), pages).unwrap();
    for (name, octets) in [("nothing.gz", &b""[..]), ("header.gz", &[0x1f, 0x8b, 8, 0])] {
        std::fs::write(file(name), octets).unwrap();
        let (empty, pages) = (file(name), file("pages.jsonl"));
        let word = format!("{name} is empty: a crawl that has just begun, or was ended");
        for args in [&["replay"][..], &["learn"], &["eval", "--split", "0.5"]] {
            let out = nodust(&[args, &[path(&empty)]].concat());
            let told = text(&out.stderr);
            assert_eq!(out.status.code(), Some(2), "{args:?}: {told}");
            assert!(told.contains(&word), "{args:?}: {told}");
            // One of many is no reason to leave the others.
            let out = nodust(&[args, &[path(&empty), path(&pages)]].concat());
            let told = text(&out.stderr);
            assert!(told.contains(&word), "{args:?}: {told}");
            assert_eq!(out.status.code(), Some(0), "{args:?}: {told}");
        }
    }
}

#[test]
fn the_last_line_of_a_log_needs_no_end() {
    let line = "{\"url\": \"http://s.example/\", \"text\": \"a\"}";
    for (end, code, told) in [
        ("", 0, ""),
        ("\n", 0, ""),
        ("\nnonsense", 0, "standard input:2 is skipped"),
        ("\n{\"url\": \n", 0, "standard input:2 is skipped"),
        ("\n{\"url\": ", 1, "standard input breaks off in line 2"),
    ] {
        for command in ["replay", "learn"] {
            let out = nodust_fed(&[command, "-"], format!("{line}{end}").as_bytes());
            let all = text(&out.stderr) + &text(&out.stdout);
            assert_eq!(out.status.code(), Some(code), "{command} {end:?}: {all}");
            assert!(all.contains(told), "{command} {end:?}: {all}");
        }
    }
}

#[test]
fn lines_of_a_log_that_are_no_records_are_told_by_their_number_and_what_they_should_be() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    let lines = [
        r#"{"url": "http://s.example/", "text": "a"}"#,
        "nonsense",
        r#"{"url": "mailto:x", "text": "b"}"#,
        r#"{"text": "c"}"#,
        r#"{"url": "http://s.example/d", "text": 4}"#,
        r#""http://s.example/e""#,
    ];
    std::fs::write(&log, lines.join("\n") + "\n").unwrap();
    let log = path(&log);
    for args in [&["replay", log][..], &["learn", log]] {
        let out = nodust(args);
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(0), "{args:?}: {told}");
        let should_be = "is skipped: it should be a JSON object with a \"url\" (";
        for line in [
            format!("{log}:2 {should_be}expected ident at column 2)"),
            format!("{log}:3 is skipped: `mailto:x`: its scheme"),
            format!("{log}:4 {should_be}"),
            format!(
                "{log}:5 is skipped: a field of it holds what it should not (invalid type: integer `4`"
            ),
            format!("{log}:6 {should_be}"),
            "5 lines skipped".to_owned(),
        ] {
            assert!(told.contains(&line), "{args:?}: {line} is not in {told}");
        }
        assert!(!told.contains("struct"), "{told}");
    }
}

#[test]
fn a_test_of_no_host_is_no_result() {
    let line = "{\"url\": \"http://s.example/\", \"text\": \"a\"}\n";
    let args = ["eval", "-", "--split", "0.5", "--min-urls", "9"];
    let out = nodust_fed(&args, line.as_bytes());
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("no host has 9 URLs"));
    assert!(out.stdout.is_empty());
}

#[test]
fn where_no_line_can_be_used_the_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty");
    std::fs::write(&empty, "").unwrap();
    for args in [&["learn"][..], &["eval", "--split", "0.5"], &["replay"]] {
        for (file, input) in [(path(&empty), ""), ("-", "nonsense\nnonsense\n")] {
            let out = nodust_fed(&[args, &[file]].concat(), input.as_bytes());
            let told = text(&out.stderr);
            assert_eq!(out.status.code(), Some(2), "{args:?}: {told}");
            let last = told.lines().last().unwrap();
            let name = if file == "-" { "standard input" } else { file };
            assert!(
                last.contains(name) && last.contains("nodust crawl --log"),
                "{args:?}: {told}"
            );
            assert_eq!(
                told.contains("none of 2 lines is sound"),
                file == "-",
                "{args:?}: {told}"
            );
        }
    }
}

#[test]
fn a_replay_of_a_log_that_lacks_nothing_is_complete() {
    let log = "{\"url\": \"http://s.example/\", \"links\": [\"/\"]}\n";
    let summary = text(&nodust_fed(&["replay", "-"], log.as_bytes()).stdout);
    assert!(
        summary.contains("complete") && !summary.contains("missing"),
        "{summary}"
    );
}

#[test]
fn pages_that_a_log_lacks_are_named_with_a_hint_only_where_they_are_many() {
    for (missing, is_told) in [(1, false), (2, true)] {
        let links: Vec<_> = (0..150 + missing).map(|n| format!("\"/{n}\"")).collect();
        let mut log = format!(
            "{{\"url\": \"http://s.example/\", \"links\": [{}]}}\n",
            links.join(",")
        );
        for n in 0..150 {
            writeln!(log, "{{\"url\": \"http://s.example/{n}\", \"links\": []}}").unwrap();
        }
        let out = nodust_at("info", &["replay", "-"], log.as_bytes());
        let (told, summary) = (text(&out.stderr), text(&out.stdout));
        let of = 151 + missing;
        let named = format!(": {missing} of {of} URLs (http://s.example/150");
        assert!(told.contains(&named), "{told}");
        assert_eq!(told.contains("--no-filter"), is_told, "{told}");
        assert_eq!(
            told.contains("; its crawl left them out"),
            !is_told,
            "{told}"
        );
        assert!(
            summary.contains(&format!("missing            {missing} ")),
            "{summary}"
        );
        assert!(
            summary.contains(&format!(
                "missing     {missing} of {of} URLs that links led to"
            )) && !summary.contains("complete"),
            "{summary}"
        );
    }
}

#[test]
fn a_url_that_nobody_could_read_is_cut_where_it_is_told() {
    let seed = format!("mailto:{}", "é".repeat(1_000_000));
    let log = format!(
        "{{\"url\":\"http://s.example/\",\"text\":\"a\"}}\n{{\"url\":\"{seed}\",\"text\":\"b\"}}\n"
    );
    for (args, input) in [
        (&["replay", "-"][..], &log),
        (&["learn", "-"], &log),
        (&["crawl", "--seeds", "-"], &seed),
    ] {
        let out = nodust_at("warn", args, input.as_bytes());
        let told = text(&out.stderr);
        assert!(
            told.contains("é…") && told.len() < 2000,
            "{args:?}: {}",
            told.len()
        );
    }
}

#[test]
fn a_replay_that_reaches_no_page_fails_and_says_what_would_judge_them_all() {
    let log = [
        r#"{"url": "http://s.example/old", "status": 404, "links": []}"#,
        r#"{"url": "http://s.example/a", "text": "one", "links": []}"#,
    ]
    .join("\n");
    let out = nodust_fed(&["replay", "-"], log.as_bytes());
    assert_eq!(out.status.code(), Some(1));
    let told = text(&out.stderr);
    assert!(
        told.contains("http://s.example/old") && told.contains("--line-by-line"),
        "{told}"
    );
    let out = nodust_fed(&["replay", "-", "--line-by-line"], log.as_bytes());
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let dead = r#"{"url": "http://s.example/old", "status": 404, "links": []}"#;
    let out = nodust_fed(&["replay", "-"], dead.as_bytes());
    assert_eq!(out.status.code(), Some(1));
}
