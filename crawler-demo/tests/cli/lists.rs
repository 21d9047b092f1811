//! Lists of URLs, cleaned and drawn from.

use std::fmt::Write as _;

use super::{
    common::{nodust, nodust_at, nodust_fed, path, text},
    cut_off, rows, unread,
};

/// A file of rules in which there are none.
const NO_RULES: &str = r#"{"format": "nodust-rules", "version": 1, "sites": []}"#;

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
fn lines_that_sample_skips_are_told() {
    let list = [
        &b"http://s.example/a\n\xff\n"[..],
        &vec![b'x'; 600_000],
        b"\n#",
        &vec![b'x'; 600_000],
        b"\nhttp://s.example/b",
    ];
    let out = nodust_at("info", &["sample"], &list.concat());
    assert_eq!(text(&out.stdout).lines().count(), 2);
    let told = text(&out.stderr);
    assert!(
        told.contains("standard input:2 is skipped: it is not UTF-8"),
        "{told}"
    );
    assert!(
        told.contains("standard input:3 is skipped: it is too long"),
        "{told}"
    );
    assert!(
        told.contains("skipped=2") && told.contains("comments=1"),
        "{told}"
    );
}

#[test]
fn comments_in_a_list_are_no_urls_for_any_command() {
    let folder = tempfile::tempdir().unwrap();
    let rules = folder.path().join("rules.json");
    std::fs::write(&rules, NO_RULES).unwrap();
    let list = b"# what was found today\nhttp://s.example/a\n  # the rest\nhttp://s.example/b\n";
    for args in [
        &["clean"][..],
        &["clean", "--format", "jsonl"],
        &["sample"],
        &["normalize", "--rules", path(&rules)],
    ] {
        let out = nodust_fed(args, list);
        assert_eq!(out.status.code(), Some(0), "{args:?}");
        let (found, told) = (text(&out.stdout), text(&out.stderr));
        assert_eq!(found.lines().count(), 2, "{args:?}: {found}");
        assert!(!found.contains('#') && told.is_empty(), "{args:?}: {told}");
        let help = text(&nodust(&[args[0], "--help"]).stdout);
        assert!(help.contains("begin with `#`"), "{args:?}: {help}");
    }
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
    let out = unread(&["clean"], list.as_bytes());
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
fn a_list_that_breaks_off_is_named_with_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let mut list = String::new();
    for i in 0..20_000u64 {
        let word = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        writeln!(list, "http://s.example/{i}/{word:x}").unwrap();
    }
    let whole = list.lines().count();
    let (list, rules) = (cut_off(list.as_bytes()), file("rules.json"));
    std::fs::write(file("list.gz"), &list).unwrap();
    std::fs::write(&rules, NO_RULES).unwrap();
    let list = file("list.gz");
    for (args, code) in [
        (&["clean", path(&list)][..], 1),
        (&["sample", path(&list)], 1),
        (&["normalize", "--rules", path(&rules), path(&list)], 1),
        // A crawl does not begin with a part of its seeds.
        (&["crawl", "--seeds", path(&list)], 2),
    ] {
        let out = nodust(args);
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(code), "{args:?}: {told}");
        let end = format!("{} breaks off in line ", path(&list));
        let (_, end) = told
            .split_once(&end)
            .unwrap_or_else(|| panic!("{args:?}: {told}"));
        let (line, why) = end.split_once(": ").unwrap();
        assert_eq!(why.trim_end(), "its end is missing", "{args:?}");
        let line: usize = line.parse().unwrap();
        assert!(
            (whole / 3..whole * 2 / 3).contains(&line),
            "{args:?}: {line}"
        );
        if args[0] == "sample" {
            let drawn = text(&out.stdout).lines().count();
            assert_eq!(drawn, 100, "it draws from what was read");
        }
    }
}

#[test]
fn two_results_do_not_mix_on_standard_output() {
    let list = b"http://s.example/a\nnonsense\n";
    for name in ["-", "/dev/stdout", "/dev/fd/1"] {
        let out = nodust_fed(&["clean", "--discarded", name], list);
        assert_eq!(out.status.code(), Some(2));
        assert_eq!(text(&out.stdout), "");
        let told = text(&out.stderr);
        assert!(told.contains("name a file for one of them"), "{told}");
    }
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept.txt");
    let out = nodust_fed(&["clean", "--discarded", "-", "-o", path(&kept)], list);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert_eq!(text(&out.stdout), "nonsense\n");
}

#[test]
fn a_log_in_place_of_a_list_is_refused_with_what_makes_a_list_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let log = "{\"url\":\"http://s.example/\",\"text\":\"a\"}\n".repeat(3);
    let (rules, log_file) = (file("rules.json"), file("log.jsonl"));
    std::fs::write(&rules, NO_RULES).unwrap();
    std::fs::write(&log_file, &log).unwrap();
    for args in [
        &["clean"][..],
        &["sample"],
        &["normalize", "--rules", path(&rules)],
        &["crawl", "--seeds"],
    ] {
        for input in [path(&log_file), "-"] {
            let out = nodust_fed(&[args, &[input]].concat(), log.as_bytes());
            let told = text(&out.stderr);
            assert_eq!(out.status.code(), Some(2), "{args:?}: {told}");
            let way_out = format!("jq -r .url | nodust {}", args[0]);
            assert!(
                told.contains(&way_out) && out.stdout.is_empty(),
                "{args:?}: {told}"
            );
        }
    }
}

#[test]
fn a_log_is_known_wherever_the_url_stands_and_a_list_by_its_later_lines() {
    let url = "\"url\":\"http://s.example/\"";
    let late = format!(
        "{{\"status\":200,\"text\":\"{}\",{url}}}\n",
        "a".repeat(30_000)
    );
    for log in [
        format!("{{\"status\":200,{url}}}\n"),
        format!("{{ {url}}}\n"),
        format!("\u{feff}{{{url}}}\n"),
        format!("\r\n\r\n\r\n\r\n{{{url}}}\n"),
        late,
    ] {
        for command in [&["clean"][..], &["sample"], &["crawl", "--seeds", "-"]] {
            let out = nodust_fed(command, log.as_bytes());
            let told = text(&out.stderr);
            assert_eq!(out.status.code(), Some(2), "{command:?}: {told}");
            assert!(told.contains("standard input holds JSON"), "{told}");
        }
    }
    // More lines than are looked at, none of them lost.
    let mut list = String::from("{\"url\"}\n{\"url\"}\n");
    for i in 0..20_000 {
        writeln!(list, "http://s.example/{i}").unwrap();
    }
    let out = nodust_fed(&["clean"], list.as_bytes());
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let found = text(&out.stdout);
    assert!(list.lines().skip(2).eq(found.lines()));
}

#[test]
fn json_on_several_lines_is_no_list_and_a_host_in_brackets_is() {
    let rules = format!("\n{}", NO_RULES.replace(',', ",\n  ").replace('{', "{\n  "));
    let urls = "[\n  \"http://s.example/\"\n]\n";
    for (json, looks) in [(rules.as_str(), "a rules file"), (urls, "JSON")] {
        for command in [&["clean"][..], &["sample"], &["crawl", "--seeds", "-"]] {
            let out = nodust_fed(command, json.as_bytes());
            let told = text(&out.stderr);
            assert_eq!(out.status.code(), Some(2), "{command:?}: {told}");
            let words = format!("standard input looks like {looks}");
            assert!(told.contains(&words), "{command:?}: {told}");
            assert!(
                told.contains("is not a list of URLs"),
                "{command:?}: {told}"
            );
        }
    }
    let out = nodust_fed(&["clean"], b"[::1]/a\nhttp://s.example/\n");
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(text(&out.stdout).contains("http://s.example/"));
}

#[test]
fn a_host_that_begins_like_bzip2_is_no_packed_list() {
    for (list, is_packed) in [(&b"BZhang.example\n"[..], false), (b"BZh91AY&SY", true)] {
        let out = nodust_fed(&["clean"], list);
        let told = text(&out.stderr);
        assert_eq!(told.contains("packed with bzip2"), is_packed, "{told}");
    }
}

#[test]
fn a_list_may_begin_with_a_mark_and_have_line_ends_of_windows_and_one_packed_otherwise_is_told() {
    let list = b"\xef\xbb\xbfhttp://s.example/a\r\n\r\nhttp://s.example/b\r\n";
    for command in ["clean", "sample"] {
        let out = nodust_fed(&[command], list);
        let found = text(&out.stdout);
        let mut found: Vec<_> = found.lines().collect();
        found.sort_unstable();
        assert_eq!(
            found,
            ["http://s.example/a", "http://s.example/b"],
            "{command}"
        );
        let out = nodust_fed(&[command], b"\x28\xb5\x2f\xfd\x04\x58\n");
        assert_eq!(out.status.code(), Some(2), "{command}");
        let told = text(&out.stderr);
        assert!(
            told.contains("standard input: it is packed with zstd"),
            "{command}: {told}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_takes_no_more_is_named() {
    use std::{
        io::Write as _,
        process::{Command, Stdio},
    };

    for command in ["clean", "sample"] {
        let out = nodust_fed(&[command, "-o", "/dev/full"], b"http://s.example/a\n");
        assert_eq!(out.status.code(), Some(1), "{command}");
        let told = text(&out.stderr);
        assert!(
            told.contains("could not write to /dev/full: No space"),
            "{told}"
        );
    }
    let rules = NO_RULES.as_bytes();
    for (args, input) in [
        (&["rules", "merge", "-", "-o", "-"][..], rules),
        (
            &["learn", "-", "-o", "-"],
            b"{\"url\":\"http://s.example/\",\"text\":\"a\"}\n",
        ),
    ] {
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_nodust"))
            .args(args)
            .stdin(Stdio::piped())
            .stdout(full)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let out = child.wait_with_output().unwrap();
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{args:?}: {told}");
        assert!(
            told.contains("nodust: could not write to standard output: No space"),
            "{args:?}: {told}"
        );
    }
}

#[test]
fn where_nobody_reads_on_lists_stop_and_end_with_0_in_any_format() {
    let folder = tempfile::tempdir().unwrap();
    let rules = folder.path().join("rules.json");
    std::fs::write(&rules, NO_RULES).unwrap();
    // More than is written at a time.
    let urls: Vec<_> = (0..5000)
        .map(|n| format!("http://s.example/{n}\n"))
        .collect();
    let urls = urls.concat();
    for format in ["text", "jsonl"] {
        for args in [
            &["normalize", "--rules", path(&rules), "-"][..],
            &["clean", "-"],
        ] {
            let args = [args, &["--format", format]].concat();
            let out = unread(&args, urls.as_bytes());
            let told = text(&out.stderr);
            assert_eq!(out.status.code(), Some(0), "{args:?}: {told}");
            assert!(!told.contains("ipe"), "{args:?}: {told}");
        }
    }
}
