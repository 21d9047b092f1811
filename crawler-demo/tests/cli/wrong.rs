//! A file that is not what was asked for is told by what it looks like.

use std::{fs, io::Write as _, path::Path};

use super::common::{nodust, nodust_fed, path, text};

/// Files that a newcomer may take for a log, with what is told of each.
fn files(folder: &Path) -> Vec<(String, &'static str)> {
    let decision = "{\"url\":\"http://e.org/\",\"decision\":\"fetch\",\"stage\":null}\n";
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(decision.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let files: [(&str, &[u8], &str); 9] = [
        ("README.md", b"# A project\n\nIt does things.\n", "a text"),
        ("program", b"\x7fELF\x02\0\0\n\0\0\n", "a binary file"),
        (
            "pages.csv",
            b"url,cluster\nhttp://e.org/,1\n",
            "a table (CSV)",
        ),
        ("d.jsonl", decision.as_bytes(), "a file of decisions"),
        ("d.jsonl.gz", &packed, "a file of decisions"),
        (
            "urls.txt",
            b"http://e.org/\nhttp://e.org/2\n",
            "a list of URLs",
        ),
        (
            "r.json",
            b"{\"fetched\": 1, \"plain\": 2}",
            "the report of a crawl",
        ),
        (
            "rules.json",
            b"{\n  \"format\": \"nodust-rules\",\n  \"version\": 1,\n  \"sites\": []\n}\n",
            "a rules file",
        ),
        ("other.json", b"{\"name\": \"e\"}\n", "JSON of another kind"),
    ];
    (files.iter())
        .map(|(name, octets, looks)| {
            let file = folder.join(name);
            fs::write(&file, octets).unwrap();
            (path(&file).to_owned(), *looks)
        })
        .collect()
}

#[test]
fn a_file_that_is_no_log_is_told_once_with_what_it_looks_like_and_what_was_expected() {
    let folder = tempfile::tempdir().unwrap();
    for (file, looks) in files(folder.path()) {
        for args in [&["replay"][..], &["learn"], &["eval", "--split", "0.5"]] {
            let out = nodust(&[args, &[&file]].concat());
            let told = text(&out.stderr);
            assert_eq!(out.status.code(), Some(2), "{args:?} {file}: {told}");
            assert_eq!(told.lines().count(), 1, "{args:?} {file}: {told}");
            for words in [
                &format!("{file} looks like {looks}"),
                "line 1: it ",
                "no log of a crawl",
                "`nodust crawl --log`",
            ] {
                assert!(told.contains(words), "{args:?} {file} {words}: {told}");
            }
        }
    }
}

#[test]
fn beside_a_good_log_a_file_that_is_none_is_refused_too() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    fs::write(&log, "{\"url\": \"http://e.org/\", \"text\": \"a\"}\n").unwrap();
    let list = folder.path().join("urls.txt");
    fs::write(&list, "http://e.org/\n").unwrap();
    for command in ["replay", "learn"] {
        let out = nodust(&[command, path(&log), path(&list)]);
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{command}: {told}");
        assert!(
            told.contains("looks like a list of URLs"),
            "{command}: {told}"
        );
    }
}

#[test]
fn of_a_good_log_with_many_bad_lines_ten_are_told_and_all_counted() {
    let good = "{\"url\": \"http://e.org/\", \"text\": \"a\"}\n";
    let decision = "{\"url\": \"http://e.org/b\", \"decision\": \"drop\"}\n";
    let log = format!("{}{good}{decision}", "nonsense\n".repeat(50));
    for command in ["replay", "learn"] {
        let out = nodust_fed(&[command, "-"], log.as_bytes());
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(0), "{command}: {told}");
        assert_eq!(
            told.matches("is skipped: ").count(),
            10,
            "{command}: {told}"
        );
        assert!(told.contains("51 lines skipped"), "{command}: {told}");
    }
}

#[test]
fn a_file_that_is_no_rules_file_is_told_with_what_it_looks_like() {
    let folder = tempfile::tempdir().unwrap();
    let mut all = files(folder.path());
    all.retain(|(file, _)| !file.ends_with("rules.json"));
    let pages = [
        (
            "log.jsonl",
            "{\"url\":\"http://e.org/\",\"status\":200}\n",
            "looks like a log of a crawl",
        ),
        (
            "c.jsonl",
            "{\"url\":\"http://e.org/\",\"cluster\":1}\n",
            "looks like lines of URLs and clusters",
        ),
        (
            "b.json",
            "{\"format\":\"nodust-beliefs\",\"version\":1,\"sites\":{}}",
            "looks like a file of beliefs",
        ),
        ("empty", "", "holds nothing"),
        (
            "later.json",
            "{\"format\":\"nodust-rules\",\"version\":2,\"groups\":[]}",
            "of version 2; this program reads `nodust-rules` of version 1",
        ),
    ];
    for (name, words, looks) in pages {
        let file = folder.path().join(name);
        fs::write(&file, words).unwrap();
        all.push((path(&file).to_owned(), looks));
    }
    for (file, looks) in &all {
        for args in [
            &["rules", "show", file][..],
            &["normalize", "--rules", file],
        ] {
            let out = nodust_fed(args, b"http://e.org/\n");
            let told = text(&out.stderr);
            assert_eq!(out.status.code(), Some(2), "{args:?}: {told}");
            assert!(
                told.contains(file) && told.contains(looks),
                "{args:?}: {told}"
            );
            let names_what_is_wanted = told.contains("no rules file, such as `nodust learn`");
            assert!(names_what_is_wanted || file.contains("later"), "{told}");
        }
    }
}

#[test]
fn settings_that_name_a_file_of_another_kind_say_what_it_looks_like() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    fs::write(&log, "{\"url\":\"http://e.org/\",\"status\":200}\n").unwrap();
    let config = folder.path().join("c.toml");
    fs::write(&config, "[rules]\nfile = 'log.jsonl'\n").unwrap();
    let table = folder.path().join("top.csv");
    fs::write(&table, "1,a.example\n2,b.example\n").unwrap();
    let (log, config, table) = (path(&log), path(&config), path(&table));
    let seed = "http://127.0.0.1:1/";
    for (args, words) in [
        (&["crawl", seed, "--config", config][..], "looks like a log"),
        (&["crawl", seed, "--config", log], "looks like a log"),
        (&["crawl", seed, "--beliefs", log], "looks like a log"),
        (&["replay", log, "--beliefs", log], "looks like a log"),
        (&["crawl", "--seeds", table], "looks like a table (CSV)"),
    ] {
        let out = nodust(args);
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {told}");
        assert!(told.contains(words), "{args:?}: {told}");
    }
}
