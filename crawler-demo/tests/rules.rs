//! What the commands about rules promise: learn, normalize, eval, rules.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail as loudly as the tests do"
)]

use std::{collections::HashMap, fmt::Write as _, fs, path::Path};

mod common;

use common::{json, nodust, nodust_fed, path, text};
use serde_json::Value;

/// Two shops: `ref` and the order of parameters do not matter, `id` and `page` do.
fn shops(field: &str) -> String {
    let mut lines = String::new();
    for n in 0..60 {
        for shop in ["a.example", "b.example"] {
            for page in 1..3 {
                for url in [
                    format!("http://{shop}/item?id={n}&page={page}"),
                    format!("http://{shop}/item?page={page}&id={n}"),
                    format!("http://{shop}/item?id={n}&page={page}&ref=r{}", n % 7),
                ] {
                    let line =
                        serde_json::json!({"url": url, field: format!("{shop} thing {n} {page}")});
                    writeln!(lines, "{line}").unwrap();
                }
            }
        }
    }
    lines
}

fn class_of(rules: &Path, url: &str) -> Value {
    let out = nodust_fed(
        &["normalize", "--rules", path(rules), "--format", "jsonl"],
        url.as_bytes(),
    );
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap()
}

#[test]
fn what_was_learned_from_a_file_normalizes_urls_never_seen() {
    let folder = tempfile::tempdir().unwrap();
    let rules = folder.path().join("rules.json");
    for (field, algorithm) in [("cluster", "both"), ("text", "classes"), ("text", "tree")] {
        let out = nodust_fed(
            &[
                "learn",
                "-",
                "--output",
                path(&rules),
                "--algorithm",
                algorithm,
            ],
            shops(field).as_bytes(),
        );
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        let row = class_of(&rules, "http://a.example/item?ref=new&page=9&id=900");
        assert_eq!(row["input"], "http://a.example/item?ref=new&page=9&id=900");
        assert_eq!(
            row["class"], "http://a.example/item?id=900&page=9",
            "{algorithm}"
        );
        assert_eq!(row["changed"], true);
        assert!(row["rule"].as_str().unwrap().contains("drop:query.ref"));
        assert_eq!(
            class_of(&rules, "http://c.example/item?ref=new")["changed"],
            false
        );
    }
}

#[test]
fn normalize_says_that_it_prints_no_urls_to_fetch() {
    let help = text(&nodust(&["normalize", "--help"]).stdout);
    assert!(
        help.contains("no URLs to fetch") && help.contains("One URL to fetch of each page"),
        "{help}"
    );
    let all = text(&nodust(&["--help"]).stdout);
    assert!(all.contains("no URLs to fetch"), "{all}");
}

#[test]
fn a_rule_that_stands_untried_says_so_and_why() {
    let folder = tempfile::tempdir().unwrap();
    let rules = folder.path().join("rules.json");
    let about = "{\"url\": \"http://a.example/about/\", \"cluster\": \"about\"}\n";
    let input = format!("{}{about}", shops("cluster"));
    let out = nodust_fed(&["learn", "-", "--output", path(&rules)], input.as_bytes());
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let told = text(&nodust(&["rules", "show", path(&rules)]).stdout);
    let (_, of_slash) = told.split_once("=> drop:slash\n").unwrap();
    let line = of_slash.lines().next().unwrap();
    assert!(
        line.contains("by usual, untried") && line.contains("most sites"),
        "{line}"
    );
    let (_, of_ref) = told.split_once("drop:query.ref\n").unwrap();
    assert!(
        of_ref.lines().next().unwrap().contains(" trials, 0 failed"),
        "{told}"
    );
}

#[test]
fn a_rule_is_shown_with_its_shares_and_how_sure_they_are() {
    let rules = r#"{"format":"nodust-rules","version":1,"sites":[{"hosts":["e.org"],"rules":[
        {"rule":"=> drop:query.a","evidence":{"support":5000,"trials":10,"saved":400}},
        {"rule":"=> drop:query.b","evidence":{"support":40,"false_pairs":4,"trials":40,"failures":4,"saved":40,"lost":4}}]}]}"#;
    let told = text(&nodust_fed(&["rules", "show", "-"], rules.as_bytes()).stdout);
    for words in [
        // Ten groups are ten cases, however many pairs they have.
        "merges 5000 pairs (fpr 0.00 %, 95 %: 0.00 to 27.75 %), 10 trials, 0 failed (0.0 to 27.8 %)",
        "saves 400, loses 0 (loss 0.00 %, 95 %: 0.00 to 27.75 %)",
        "merges 40 pairs (fpr 10.00 %, 95 %: 3.96 to 23.05 %), 40 trials, 4 failed (4.0 to 23.1 %)",
        "loses 4 (loss 10.00 %, 95 %: 3.96 to 23.05 %)",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let help = text(&nodust(&["rules", "show", "--help"]).stdout);
    assert!(help.contains("not independent"), "{help}");
}

#[test]
fn text_output_has_a_line_for_every_url_even_for_those_that_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let (rules, list) = (folder.path().join("r.json"), folder.path().join("urls"));
    fs::write(
        &rules,
        r#"{"format":"nodust-rules","version":1,"sites":[{"hosts":["e.org"],"rules":[{"rule":"has:query.s => drop:query.s","status":"pinned"}]}]}"#,
    )
    .unwrap();
    fs::write(
        &list,
        "http://www.e.org/a?s=1\nmailto:x\n\nhttp://e.org/b\n",
    )
    .unwrap();
    let out = nodust(&["normalize", "--rules", path(&rules), path(&list)]);
    assert_eq!(
        text(&out.stdout),
        "http://www.e.org/a\nmailto:x\nhttp://e.org/b\n"
    );
    assert!(
        text(&out.stderr).contains("line=2"),
        "{}",
        text(&out.stderr)
    );
}

#[test]
fn a_test_split_off_is_measured_for_each_host_and_all() {
    let folder = tempfile::tempdir().unwrap();
    let (data, report) = (folder.path().join("d.jsonl"), folder.path().join("r.json"));
    fs::write(&data, shops("cluster")).unwrap();
    let out = nodust(&[
        "eval",
        "--split",
        "0.3",
        path(&data),
        "--report",
        path(&report),
    ]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let report = json(&report);
    let hosts = report["hosts"].as_array().unwrap();
    assert_eq!(hosts.len(), 2);
    assert_eq!(hosts[0]["host"], "a.example");
    for figures in [&report["macro"], &report["micro"], &hosts[0], &hosts[1]] {
        assert!(
            (figures["compression"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-9,
            "{figures}"
        );
        assert_eq!(
            (figures["fpr"].as_f64(), figures["loss_rate"].as_f64()),
            (Some(0.0), Some(0.0))
        );
        assert_eq!(
            (
                figures["recall"].as_f64(),
                figures["dup_reduction"].as_f64()
            ),
            (Some(1.0), Some(1.0))
        );
        for name in ["urls", "clusters", "rules"] {
            assert!(figures[name].as_f64().unwrap() > 0.0, "{name}");
        }
        assert_eq!(
            figures["intervals"]["compression"]
                .as_array()
                .unwrap()
                .len(),
            2
        );
    }
    assert!(text(&out.stdout).contains("mean of hosts"));
}

#[test]
fn the_help_of_eval_explains_every_column_of_its_table() {
    let out = nodust_fed(
        &["eval", "-", "--split", "0.5"],
        shops("cluster").as_bytes(),
    );
    let table = text(&out.stdout);
    let help = text(&nodust(&["eval", "--help"]).stdout);
    let (_, columns) = help.split_once("The table").unwrap();
    for column in table.lines().next().unwrap().split_whitespace().skip(1) {
        let line = format!("\n  {column} ");
        assert!(columns.contains(&line), "{column}: {columns}");
    }
    let last = table.lines().last().unwrap();
    assert!(last.contains("nodust eval --help"), "{last}");
}

#[test]
fn eval_counts_pairs_as_they_would_be_counted_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let (rules, data) = (folder.path().join("r.json"), folder.path().join("d.jsonl"));
    let report = folder.path().join("report.json");
    // A rule that is wrong for some pages.
    fs::write(
        &rules,
        r#"{"format":"nodust-rules","version":1,"sites":[{"hosts":["e.org"],"rules":[{"rule":"has:query.s => drop:query.s"}]}]}"#,
    )
    .unwrap();
    let mut lines = String::new();
    let mut samples = Vec::new();
    for n in 0..40u64 {
        let (url, cluster) = (
            format!("http://e.org/{}?s={n}", n * n % 11),
            n * n % 11 + 20 * (n % 3 / 2),
        );
        writeln!(
            lines,
            "{}",
            serde_json::json!({"url": url, "cluster": cluster.to_string()})
        )
        .unwrap();
        samples.push((url.split('?').next().unwrap().to_owned(), cluster));
    }
    fs::write(&data, lines).unwrap();
    let out = nodust(&[
        "eval",
        "--rules",
        path(&rules),
        path(&data),
        "--report",
        path(&report),
    ]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let report = json(&report);
    let (mut merged, mut wrong, mut same, mut found) = (0u32, 0u32, 0u32, 0u32);
    for (i, a) in samples.iter().enumerate() {
        for b in &samples[..i] {
            merged += u32::from(a.0 == b.0);
            wrong += u32::from(a.0 == b.0 && a.1 != b.1);
            same += u32::from(a.1 == b.1);
            found += u32::from(a == b);
        }
    }
    let mut first = HashMap::new();
    for (form, cluster) in &samples {
        first.entry(form.clone()).or_insert(*cluster);
    }
    let clusters: std::collections::HashSet<u64> = samples.iter().map(|s| s.1).collect();
    let covered: std::collections::HashSet<u64> = first.values().copied().collect();
    let figures = &report["hosts"][0];
    for (name, expected) in [
        ("fpr", f64::from(wrong) / f64::from(merged)),
        ("recall", f64::from(found) / f64::from(same)),
        ("compression", 1.0 - first.len() as f64 / 40.0),
        (
            "loss_rate",
            1.0 - covered.len() as f64 / clusters.len() as f64,
        ),
        ("clusters", clusters.len() as f64),
        ("urls", 40.0),
    ] {
        assert!(
            (figures[name].as_f64().unwrap() - expected).abs() < 1e-12,
            "{name} {figures}"
        );
    }
}

#[test]
fn bad_lines_are_counted_and_named_and_a_file_without_a_good_one_fails() {
    let folder = tempfile::tempdir().unwrap();
    let (data, rules) = (folder.path().join("d.jsonl"), folder.path().join("r.json"));
    fs::write(
        &data,
        format!("{}no json\n{{\"url\":\"http://e.org/\"}}\n", shops("text")),
    )
    .unwrap();
    let out = nodust(&["learn", path(&data), "--output", path(&rules)]);
    assert_eq!(out.status.code(), Some(0));
    let log = text(&out.stderr);
    assert!(
        log.contains("d.jsonl:721 ") && log.contains("d.jsonl:722 "),
        "{log}"
    );
    fs::write(&data, "no json\n").unwrap();
    assert_eq!(nodust(&["learn", path(&data)]).status.code(), Some(2));
    assert_eq!(nodust(&["learn", "/nonexistent"]).status.code(), Some(2));
    assert_eq!(
        nodust(&["eval", "--rules", path(&data), path(&data)])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn calls_that_make_no_sense_end_with_2() {
    for args in [
        &["learn"][..],
        &["learn", "-", "--algorithm", "magic"],
        &["learn", "-", "--fpr-max", "2"],
        &["learn", "-", "--risk", "-1"],
        &["eval", "-"],
        &["eval", "-", "--split", "1"],
        &["eval", "-", "--split", "0.2", "--rules", "r.json"],
        &["normalize", "-"],
        &["rules"],
        &["rules", "import"],
    ] {
        assert_eq!(nodust(args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn rules_are_shown_compared_joined_and_imported() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let rules = |rules: &str| {
        format!(
            r#"{{"format":"nodust-rules","version":1,"sites":[{{"hosts":["e.org"],"rules":[{rules}]}}]}}"#
        )
    };
    let (old, new, list, joined) = (file("old"), file("new"), file("list"), file("joined"));
    let vetoed = r#"{"rule":"=> sort","status":"vetoed"}"#;
    fs::write(&old, rules(vetoed)).unwrap();
    fs::write(
        &new,
        rules(r#"{"rule":"=> sort"},{"rule":"=> lower-path","evidence":{"trials":9}}"#),
    )
    .unwrap();
    let shown = text(&nodust(&["rules", "show", path(&new), "--host", "www.e.org"]).stdout);
    assert!(
        shown.contains("=> lower-path") && shown.contains("9 trials"),
        "{shown}"
    );
    let diff = text(&nodust(&["rules", "diff", path(&old), path(&new)]).stdout);
    assert!(diff.contains("+ e.org: => lower-path"), "{diff}");
    assert!(diff.contains("~ e.org: => sort"), "{diff}");
    let out = nodust(&[
        "rules",
        "merge",
        path(&old),
        path(&new),
        "--output",
        path(&joined),
    ]);
    assert_eq!(out.status.code(), Some(0));
    let row = class_of(&joined, "http://e.org/A?b=1&a=2");
    assert_eq!(
        row["class"], "http://e.org/a?a=2&b=1",
        "drawn up anew, in order"
    );
    assert_eq!(row["rule"], "=> lower-path", "a veto outlives a merge");
    fs::write(
        &list,
        r#"{"providers":{"g":{"urlPattern":".*","rules":["gclid","utm_[a-z]+"]},"s":{"urlPattern":"^https?://s\\.org","rules":["x"]}}}"#,
    )
    .unwrap();
    let out = nodust(&["rules", "import", path(&list), "--output", path(&joined)]);
    assert_eq!(out.status.code(), Some(0));
    assert_eq!(
        class_of(&joined, "http://any.org/?gclid=7")["class"],
        "http://any.org/"
    );
    assert_eq!(class_of(&joined, "http://any.org/?x=7")["changed"], false);
}

#[test]
fn standard_input_can_be_read_once() {
    for command in [
        &["rules", "diff", "-", "-"][..],
        &["rules", "merge", "-", "/dev/stdin", "--output", "-"],
        &["eval", "--split", "0.2", "-", "-"],
    ] {
        let out = nodust_fed(command, b"");
        assert_eq!(out.status.code(), Some(2), "{command:?}");
        let told = text(&out.stderr);
        assert!(told.contains("standard input is named twice"), "{told}");
    }
}

#[test]
fn what_an_import_leaves_out_is_named_with_its_place() {
    let list = r#"{"providers":{
        "all":{"urlPattern":".*","rules":["gclid","utm_[a-z]+"],"exceptions":["^https?://t\\.org"]},
        "shop":{"urlPattern":"^https?://s\\.org","rules":["x"],"rawRules":["/ref=.*"]},
        "ads":{"urlPattern":"^https?://ads","completeProvider":true}}}"#;
    let out = nodust_fed(&["rules", "import", "-"], list.as_bytes());
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(0), "{told}");
    assert!(text(&out.stdout).contains("drop:query.gclid"));
    for line in [
        "provider all, rules[1] `utm_[a-z]+`: it is a pattern",
        r"provider all, exceptions[0] `^https?://t\.org`",
        "provider shop, rules[0] `x`: it holds for some URLs only",
        "provider shop, rawRules[0] `/ref=.*`: it changes the URL",
        "provider ads, completeProvider[0] `^https?://ads`: it blocks",
        "5 entries of standard input left out (1: it holds for some URLs only; 1: it is a pattern",
    ] {
        assert!(told.contains(line), "{line} is not in {told}");
    }
    for none in [
        r#"{"providers":{}}"#,
        r#"{"providers":{"s":{"urlPattern":"x","rules":["y"]}}}"#,
    ] {
        let out = nodust_fed(&["rules", "import", "-"], none.as_bytes());
        assert_eq!(out.status.code(), Some(2), "{none}");
        assert!(text(&out.stderr).contains("no entry that could become a rule"));
        assert!(out.stdout.is_empty(), "{none}");
    }
}

#[test]
fn learning_twice_gives_the_same_file_and_a_veto_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    for file in [&a, &b] {
        nodust_fed(
            &["learn", "-", "--output", path(file)],
            shops("text").as_bytes(),
        );
    }
    let learned = fs::read_to_string(&a).unwrap();
    assert_eq!(learned, fs::read_to_string(&b).unwrap());
    fs::write(&a, learned.replace("\"active\"", "\"vetoed\"")).unwrap();
    nodust_fed(
        &["learn", "-", "--known", path(&a), "--output", path(&b)],
        shops("text").as_bytes(),
    );
    let vetoed = fs::read_to_string(&b).unwrap();
    let rule = "=> sort";
    let kept: Value = serde_json::from_str(&vetoed).unwrap();
    let entries = kept["sites"][0]["rules"].as_array().unwrap();
    let of_sort: Vec<&Value> = entries.iter().filter(|e| e["rule"] == rule).collect();
    assert_eq!(of_sort.len(), 1);
    assert_eq!(of_sort[0]["status"], "vetoed");
}

#[cfg(unix)]
#[test]
fn rules_take_the_place_of_a_file_but_never_of_a_device_or_of_a_link() {
    use std::{io::Write as _, os::unix::fs::PermissionsExt as _};

    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("old"), "an older file").unwrap();
    std::os::unix::fs::symlink(at("old"), at("link")).unwrap();
    std::os::unix::fs::symlink("/dev/stdout", at("device")).unwrap();
    let learn = |name: &str| {
        let out = nodust_fed(
            &["learn", "-", "--output", path(&at(name))],
            shops("text").as_bytes(),
        );
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        text(&out.stdout)
    };
    std::os::unix::fs::symlink("not-yet", at("dangling")).unwrap();
    learn("file");
    let rules = fs::read_to_string(at("file")).unwrap();
    assert!(rules.contains("=> sort"), "{rules}");
    learn("link");
    assert!(at("link").is_symlink(), "the link still leads there");
    assert_eq!(fs::read_to_string(at("old")).unwrap(), rules);
    assert!(learn("device").contains(&rules), "it went down the pipe");
    assert!(at("device").is_symlink(), "what leads to a device stays");
    learn("dangling");
    assert!(at("dangling").is_symlink());
    assert_eq!(fs::read_to_string(at("not-yet")).unwrap(), rules);
    let mode = fs::Permissions::from_mode(0o600);
    fs::set_permissions(at("file"), mode.clone()).unwrap();
    learn("file");
    assert_eq!(
        fs::metadata(at("file")).unwrap().permissions().mode() & 0o777,
        0o600
    );
    // As a shell does it: what is written to standard output afterwards is in the same file.
    let output = fs::File::create(at("output")).unwrap();
    for _ in 0..2 {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_nodust"))
            .args(["learn", "-", "--output", "/dev/stdout"])
            .stdin(std::process::Stdio::piped())
            .stdout(output.try_clone().unwrap())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(shops("text").as_bytes()).unwrap();
        drop(input);
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(
        output.metadata().unwrap().len(),
        fs::metadata(at("output")).unwrap().len()
    );
    assert!(
        fs::read_to_string(at("output"))
            .unwrap()
            .starts_with(&rules)
    );
    let mut names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    let expected = [
        "dangling", "device", "file", "link", "not-yet", "old", "output",
    ];
    assert_eq!(names, expected, "nothing is left aside");
}
