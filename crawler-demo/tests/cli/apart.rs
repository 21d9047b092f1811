//! Results go to files of their own.

use std::{
    fs,
    process::{Command, Output, Stdio},
};

use nodust_crawler::records::Claim;

use super::common::{nodust, nodust_fed, path, text};

#[test]
fn what_is_read_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pages.jsonl");
    let line = "{\"url\":\"http://s.example/\",\"text\":\"a text\"}\n";
    fs::write(&file, line).unwrap();
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
        assert_eq!(fs::read_to_string(&file).unwrap(), line, "{args:?}");
    }
    let seeds = "http://127.0.0.1:9/\n";
    fs::write(&file, seeds).unwrap();
    let out = nodust(&["crawl", "--seeds", data, "--report", data]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("name another file"));
    assert_eq!(fs::read_to_string(&file).unwrap(), seeds);
}

#[test]
fn settings_that_are_read_are_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let beliefs = folder.path().join("beliefs.json");
    fs::write(
        &beliefs,
        "{\"format\":\"nodust-beliefs\",\"version\":1,\"sites\":{}}",
    )
    .unwrap();
    let list = folder.path().join("ads.txt");
    fs::write(&list, "ads.example\n").unwrap();
    let config = folder.path().join("nodust.toml");
    fs::write(&config, "[filter]\nblacklists = ['ads.txt']\n").unwrap();
    let (beliefs, list, config) = (path(&beliefs), path(&list), path(&config));
    let settings = ["--config", config, "--beliefs", beliefs];
    for (command, output) in [("crawl", "--report"), ("replay", "--decisions")] {
        for read in [beliefs, list, config] {
            let before = fs::read(read).unwrap();
            let out = nodust(
                &[
                    &[command, "http://127.0.0.1:9/", output, read],
                    &settings[..],
                ]
                .concat(),
            );
            assert_eq!(out.status.code(), Some(2), "{command} {read}");
            assert!(
                text(&out.stderr).contains("is read"),
                "{}",
                text(&out.stderr)
            );
            assert_eq!(fs::read(read).unwrap(), before);
        }
    }
}

#[test]
fn two_results_are_not_written_to_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("pages.jsonl");
    fs::write(
        &data,
        "{\"url\":\"http://s.example/\",\"text\":\"a text\"}\n",
    )
    .unwrap();
    let (data, one) = (path(&data), folder.path().join("one.jsonl"));
    let seed = "http://127.0.0.1:9/";
    let (out, folder_name) = (path(&one), path(folder.path()));
    // The same file by another name.
    let again = format!("{folder_name}/./one.jsonl");
    for args in [
        &["clean", data, "-o", out, "--discarded", out][..],
        &["replay", data, "--decisions", out, "--report", &again],
        &["crawl", seed, "--log", out, "--decisions", out],
        &["crawl", seed, "--log", out, "--report", &again],
    ] {
        let told = nodust(args);
        assert_eq!(told.status.code(), Some(2), "{args:?}");
        assert!(text(&told.stderr).contains("two results"), "{args:?}");
        assert!(!one.exists(), "{args:?}");
    }
    let quiet = ["clean", "-o", "/dev/null", "--discarded", "/dev/null"];
    assert_eq!(
        nodust_fed(&quiet, b"http://s.example/\n").status.code(),
        Some(0),
        "a device holds nothing"
    );
}

#[test]
fn what_the_configuration_of_clean_names_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        path(&file).to_owned()
    };
    let list = file("bl.txt", "ads.example\n");
    let rules = file(
        "r.json",
        "{\"format\":\"nodust-rules\",\"version\":1,\"sites\":[]}",
    );
    let config = file(
        "cc.toml",
        "[filter]\nblacklists = ['bl.txt']\n[rules]\nfile = 'r.json'\n",
    );
    for read in [&list, &rules, &config] {
        for output in ["-o", "--discarded"] {
            let before = fs::read(read).unwrap();
            let args = ["clean", "--config", &config, output, read];
            let out = nodust_fed(&args, b"http://s.example/\n");
            let told = text(&out.stderr);
            assert_eq!(out.status.code(), Some(2), "{args:?}: {told}");
            assert!(told.contains("is read"), "{args:?}: {told}");
            assert_eq!(fs::read(read).unwrap(), before, "{args:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_is_read_is_known_by_another_name_and_as_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("big.txt");
    fs::write(&file, "http://s.example/\n").unwrap();
    let other = folder.path().join("h.txt");
    fs::hard_link(&file, &other).unwrap();
    for args in [
        ["clean", path(&file), "-o", path(&other)],
        ["clean", "-", "-o", path(&file)],
        ["clean", "/dev/stdin", "-o", path(&other)],
        ["sample", "-", "-o", path(&file)],
    ] {
        let out = Command::new(env!("CARGO_BIN_EXE_nodust"))
            .args(args)
            .stdin(Stdio::from(fs::File::open(&file).unwrap()))
            .output()
            .unwrap();
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {told}");
        assert!(told.contains("is read"), "{args:?}: {told}");
        assert_eq!(
            fs::read_to_string(&file).unwrap(),
            "http://s.example/\n",
            "{args:?}"
        );
    }
}

#[cfg(unix)]
#[test]
fn no_command_writes_over_what_a_running_crawl_writes() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        path(&file).to_owned()
    };
    let line = "{\"url\":\"http://s.example/\",\"text\":\"a text\"}\n";
    let list = file("list.txt", "http://s.example/a\n");
    let rules = file(
        "r.json",
        "{\"format\":\"nodust-rules\",\"version\":1,\"sites\":[]}",
    );
    let pages = file("pages.jsonl", line);
    let log = file("log.jsonl", line);
    let store = path(&folder.path().join("store")).to_owned();
    let out = nodust(&["replay", &pages, "--store", &store]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let held = Claim::of(log.as_ref()).unwrap();
    for args in [
        &["clean", &list, "-o", &log][..],
        &["clean", &list, "--discarded", &log],
        &["sample", &list, "-o", &log],
        &["normalize", "--rules", &rules, &list, "-o", &log],
        &["learn", &pages, "-o", &log],
        &["rules", "merge", &rules, "-o", &log],
        &["eval", &pages, "--rules", &rules, "--report", &log],
        &["replay", &pages, "--report", &log],
        &["replay", &pages, "--decisions", &log],
        &["crawl", "http://127.0.0.1:9/", "--report", &log],
        &["beliefs", &store, "--export", &log],
    ] {
        let out = nodust(args);
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{args:?}: {told}");
        assert!(told.contains("still running"), "{args:?}: {told}");
        assert_eq!(told.matches("log.jsonl").count(), 1, "{args:?}: {told}");
        assert_eq!(fs::read_to_string(&log).unwrap(), line, "{args:?}");
    }
    drop(held);
    // A command that another test begins just now holds what this process held, until it is another program.
    let merge = || nodust(&["rules", "merge", &rules, "-o", &log]);
    let is_free = |out: &Output| !text(&out.stderr).contains("still running");
    let out = (0..50).map(|_| merge()).find(is_free).unwrap();
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
}

#[test]
fn nothing_is_written_into_the_folder_of_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let pages = folder.path().join("pages.jsonl");
    fs::write(&pages, "{\"url\":\"http://s.example/\",\"text\":\"a\"}\n").unwrap();
    let out = nodust(&["replay", path(&pages), "--store", path(&store)]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let format = store.join("format");
    let before = fs::read(&format).unwrap();
    for args in [
        &["beliefs", path(&store), "--export", path(&format)][..],
        &["learn", path(&pages), "-o", path(&format)],
        &["clean", path(&pages), "-o", path(&format)],
    ] {
        let out = nodust(args);
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {told}");
        assert!(told.contains("is part of the store"), "{args:?}: {told}");
        assert_eq!(fs::read(&format).unwrap(), before, "{args:?}");
    }
    let beside = store.join("beliefs.json");
    let out = nodust(&["beliefs", path(&store), "--export", path(&beside)]);
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{told}");
    assert!(told.contains("name a file outside"), "{told}");
    assert!(!beside.exists());
    let outside = folder.path().join("beliefs.json");
    for _ in 0..2 {
        let out = nodust(&["beliefs", path(&store), "--export", path(&outside)]);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    }
}
