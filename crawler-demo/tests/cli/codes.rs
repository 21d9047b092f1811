//! Like mistakes end with like exit codes: 2 for a call or a file that cannot be, 1 for a run that failed.

use super::{
    common::{nodust, nodust_fed, path, text},
    cut_off, unread,
};

#[test]
fn a_file_that_is_not_there_or_not_what_was_asked_for_ends_with_2_whatever_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shopping.txt");
    std::fs::write(&file, "milk\nbread\n").unwrap();
    let list = folder.path().join("list.txt");
    std::fs::write(&list, "http://s.example/\n").unwrap();
    let (list, gone) = (path(&list), folder.path().join("gone"));
    let seed = "http://127.0.0.1:1/";
    for file in [path(&file), path(&gone)] {
        for args in [
            &["replay", file][..],
            &["learn", file],
            &["learn", file, "--known", file],
            &["eval", file, "--split", "0.5"],
            &["eval", file, "--rules", file],
            &["rules", "show", file],
            &["rules", "diff", file, file],
            &["rules", "merge", file],
            &["rules", "import", file],
            &["normalize", list, "--rules", file],
            &["stats", file],
            &["beliefs", file],
            &["rules", "show", "--store", file],
            &["store", "move-aside", file],
            &["crawl", seed, "--config", file],
            &["crawl", seed, "--beliefs", file],
        ] {
            let out = nodust(args);
            let told = text(&out.stderr);
            assert_eq!(out.status.code(), Some(2), "{args:?}: {told}");
            assert!(told.contains(file), "{args:?}: {told}");
            assert!(!told.contains("WARN"), "{args:?}: {told}");
            assert!(out.stdout.is_empty(), "{args:?}");
        }
    }
}

#[test]
fn what_fails_on_the_way_ends_with_1() {
    let full = std::path::Path::new("/dev/full");
    if !full.exists() {
        return;
    }
    let list = "http://s.example/\n".repeat(100);
    let out = nodust_fed(&["clean", "-o", "/dev/full"], list.as_bytes());
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stderr));
    let mut urls = String::new();
    for n in 0..5000u64 {
        use std::fmt::Write as _;
        let word = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        writeln!(urls, "http://s.example/{n}?t={word}").unwrap();
    }
    let out = nodust_fed(&["clean"], &cut_off(urls.as_bytes()));
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stderr));
}

#[test]
fn where_nobody_reads_the_result_the_run_ends_as_it_would_have() {
    let line = "{\"url\": \"http://s.example/\", \"text\": \"a\"}\n";
    let cut = format!("{line}{{\"url\": \"http://s.ex");
    for args in [
        &["replay", "-"][..],
        &["learn", "-"],
        &["eval", "-", "--split", "0.5"],
    ] {
        let out = unread(args, cut.as_bytes());
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{args:?}: {told}");
        assert!(told.contains("nodust: standard input breaks off"), "{told}");
        let out = unread(args, line.as_bytes());
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(0), "{args:?}: {told}");
        assert!(!told.contains("ipe"), "{args:?}: {told}");
    }
}

#[cfg(unix)]
#[test]
fn where_nobody_reads_the_decisions_any_more_the_run_has_failed() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("decisions");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    // More than a pipe holds.
    let lines: Vec<_> = (0..5000)
        .map(|n| format!("{{\"url\": \"http://s.example/{n}\", \"text\": \"a\"}}\n"))
        .collect();
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || drop(std::fs::File::open(pipe).unwrap())
    });
    let args = ["replay", "-", "--decisions", path(&pipe)];
    let out = nodust_fed(&args, lines.concat().as_bytes());
    reader.join().unwrap();
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{told}");
    assert!(told.contains("decisions"), "{told}");
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_or_written_ends_with_2() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret");
    std::fs::write(&file, "http://s.example/\n").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(&file).is_ok() {
        return; // The system refuses this user nothing.
    }
    for args in [
        &["clean", path(&file)][..],
        &["clean", "-", "-o", path(&file)],
    ] {
        let out = nodust_fed(args, b"http://s.example/\n");
        assert_eq!(out.status.code(), Some(2), "{}", text(&out.stderr));
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
        let input = if args[0] == "clean" {
            "http://s.example/\n"
        } else {
            line
        };
        let out = nodust_fed(args, input.as_bytes());
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert!(
            told.contains(dir) && told.contains("is a folder"),
            "{args:?}: {told}"
        );
    }
}

#[test]
fn an_output_without_a_folder_is_told_before_the_work_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("none/out");
    let out = path(&out);
    for args in [
        &["clean", "-o", out][..],
        &["sample", "-o", out],
        &["learn", "-", "-o", out],
        &["eval", "-", "--split", "0.5", "--report", out],
        &["replay", "-", "--report", out],
        &["replay", "-", "--decisions", out],
        &["crawl", "http://127.0.0.1:1/", "--log", out],
        &["crawl", "http://127.0.0.1:1/", "--report", out],
    ] {
        // Were the input read, that would be told instead.
        let told = nodust_fed(args, b"nonsense\n");
        assert_eq!(told.status.code(), Some(2), "{args:?}");
        let told = text(&told.stderr);
        assert!(
            told.contains(out) && told.contains("make it first") && !told.contains("skipped"),
            "{args:?}: {told}"
        );
    }
}
