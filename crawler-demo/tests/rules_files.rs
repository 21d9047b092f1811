//! What people write into rules files, and how it is measured.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail as loudly as the tests do"
)]

use std::{fmt::Write as _, fs};

mod common;

use common::{json, nodust, nodust_at, nodust_fed, path, text};
use serde_json::Value;

/// Rules, each with its status.
type Rules<'r> = &'r [(&'r str, &'r str)];

/// A shop whose `ref` does not matter.
fn shop() -> String {
    let mut lines = String::new();
    for n in 0..60 {
        for url in [
            format!("http://a.example/item?id={n}"),
            format!("http://a.example/item?id={n}&ref=r{}", n % 7),
        ] {
            let line = serde_json::json!({"url": url, "cluster": n});
            writeln!(lines, "{line}").unwrap();
        }
    }
    lines
}

/// A rules file of sites, each with its hosts and rules of a status.
fn rules_of(sites: &[(&[&str], Rules<'_>)]) -> String {
    let sites: Vec<Value> = sites
        .iter()
        .map(|(hosts, rules)| {
            let rules: Vec<Value> = rules
                .iter()
                .map(|(rule, status)| serde_json::json!({"rule": rule, "status": status}))
                .collect();
            serde_json::json!({"hosts": hosts, "rules": rules})
        })
        .collect();
    serde_json::json!({"format": "nodust-rules", "version": 1, "sites": sites}).to_string()
}

#[test]
fn what_a_person_said_of_any_host_outlives_learning() {
    let folder = tempfile::tempdir().unwrap();
    let (known, learned) = (folder.path().join("known"), folder.path().join("learned"));
    let said: Rules<'_> = &[
        ("=> drop:query.pin", "pinned"),
        ("=> drop:query.veto", "vetoed"),
    ];
    let of_all: Rules<'_> = &[("has:query.ref => drop:query.ref", "vetoed")];
    fs::write(
        &known,
        rules_of(&[
            (&["*"], of_all),
            (&["a.example", "elsewhere.example"], said),
        ]),
    )
    .unwrap();
    let out = nodust_fed(
        &[
            "learn",
            "-",
            "--known",
            path(&known),
            "--output",
            path(&learned),
        ],
        shop().as_bytes(),
    );
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let file = json(&learned);
    for host in ["a.example", "elsewhere.example"] {
        let shown = nodust(&["rules", "show", "--json", "--host", host, path(&learned)]);
        let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
        assert_eq!(shown["sites"].as_array().unwrap().len(), 1, "{file}");
        for (rule, status) in said {
            let rules = shown["sites"][0]["rules"].as_array().unwrap();
            let stands = |entry: &&Value| entry["rule"] == *rule && entry["status"] == *status;
            assert_eq!(rules.iter().filter(stands).count(), 1, "{host}: {rule}");
        }
    }
    let active = file
        .to_string()
        .matches(r#""rule":"has:query.ref => drop:query.ref","status":"active""#)
        .count();
    assert_eq!(active, 0, "{file}");
    let unknown = nodust(&[
        "rules",
        "show",
        "--json",
        "--host",
        "nope.example",
        path(&learned),
    ]);
    assert_eq!(unknown.status.code(), Some(2));
}

/// What `eval` makes of a rules file on these lines, all hosts together.
fn pooled(rules: &str, lines: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let (file, report) = (folder.path().join("rules"), folder.path().join("report"));
    fs::write(&file, rules).unwrap();
    let out = nodust_fed(
        &[
            "eval",
            "--rules",
            path(&file),
            "-",
            "--report",
            path(&report),
        ],
        lines.as_bytes(),
    );
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    json(&report)["micro"].clone()
}

#[test]
fn merges_across_the_hosts_of_a_site_are_measured() {
    let rules = rules_of(&[(
        &["a.example", "b.example"],
        &[("=> set:host=a.example", "active")],
    )]);
    for (are_mirrors, fpr, loss) in [(true, 0.0, 0.0), (false, 1.0, 0.5)] {
        let mut lines = String::new();
        for n in 0..30 {
            for host in ["a.example", "b.example"] {
                let page = if are_mirrors {
                    String::new()
                } else {
                    host.to_owned()
                };
                let line = serde_json::json!({"url": format!("http://{host}/{n}"), "cluster": format!("{n} {page}")});
                writeln!(lines, "{line}").unwrap();
            }
        }
        let micro = pooled(&rules, &lines);
        assert_eq!(
            (micro["fpr"].as_f64(), micro["loss_rate"].as_f64()),
            (Some(fpr), Some(loss))
        );
        assert_eq!(micro["urls"].as_f64(), Some(60.0));
    }
}

#[test]
fn one_address_in_two_spellings_is_one_line() {
    let lines = r#"{"url":"http://e.org/1","cluster":"a"}
{"url":"http://e.org/1#x","cluster":"b"}
{"url":"HTTP://E.org:80/1","cluster":"b"}
"#;
    let rules = rules_of(&[(&["e.org"], &[("=> lower-path", "active")])]);
    assert_eq!(pooled(&rules, lines)["urls"].as_f64(), Some(1.0));
}

#[test]
fn edits_that_name_more_than_they_do_are_refused() {
    for edit in ["lower-path:seg.1", "sort:x", "drop:slash.1", "drop:ext.2"] {
        let rules = rules_of(&[(&["e.org"], &[(&format!("=> {edit}"), "active")])]);
        let out = nodust_fed(&["rules", "show", "-"], rules.as_bytes());
        assert_eq!(out.status.code(), Some(2), "{edit}");
        assert!(text(&out.stderr).contains("nothing follows"), "{edit}");
    }
}

#[test]
fn a_rule_that_leads_to_a_host_of_another_list_is_refused_wherever_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(
        at("rules"),
        rules_of(&[
            (&["a.example"], &[("=> set:host=b.example", "active")]),
            (&["b.example"], &[("=> set:host=a.example", "active")]),
        ]),
    )
    .unwrap();
    fs::write(at("urls"), "http://a.example/\n").unwrap();
    let config = format!("[rules]\nfile = {:?}\n", path(&at("rules")));
    fs::write(at("config"), config).unwrap();
    let (rules, urls, config) = (at("rules"), at("urls"), at("config"));
    for args in [
        &["normalize", "--rules", path(&rules), path(&urls)][..],
        &["eval", "--rules", path(&rules), path(&urls)],
        &["rules", "show", path(&rules)],
        &["crawl", "http://a.example/", "--config", path(&config)],
    ] {
        let out = nodust(args);
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{told}");
        assert!(
            told.contains("`=> set:host=b.example` cannot be applied")
                && told.contains("`b.example` is none of the hosts of its site (a.example)"),
            "{told}"
        );
    }
}

#[test]
fn hosts_that_a_person_made_one_are_learned_as_one_and_the_file_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let (known, learned) = (folder.path().join("known"), folder.path().join("learned"));
    let pinned: Rules<'_> = &[("is:host=b.example => set:host=a.example", "pinned")];
    fs::write(&known, rules_of(&[(&["a.example", "b.example"], pinned)])).unwrap();
    // Of one of the hosts nothing was met, or pages that do not tell that they are one.
    let other = shop()
        .replace("a.example", "b.example")
        .replace("\"cluster\":", "\"cluster\":2000");
    for lines in [shop(), other.clone(), shop() + &other] {
        let args = [
            "learn",
            "-",
            "--known",
            path(&known),
            "--output",
            path(&learned),
        ];
        let out = nodust_fed(&args, lines.as_bytes());
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        let shown = nodust(&["rules", "show", "--json", path(&learned)]);
        assert_eq!(shown.status.code(), Some(0), "{}", text(&shown.stderr));
        let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
        let sites = shown["sites"].as_array().unwrap();
        assert_eq!(sites.len(), 1, "{shown}");
        assert_eq!(sites[0]["hosts"].as_array().unwrap().len(), 2, "{shown}");
    }
}

#[test]
fn urls_that_do_not_settle_are_told_once_and_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rules");
    let rules: Rules<'_> = &[
        ("=> copy:rest.0>rest.1", "active"),
        ("=> lower-path", "active"),
    ];
    fs::write(&file, rules_of(&[(&["e.org"], rules)])).unwrap();
    let list = "http://e.org/A\nhttp://e.org/\nhttp://f.org/A\nhttp://e.org/B\n";
    let normalize = |format: &str| {
        let args = ["normalize", "--rules", path(&file), "--format", format, "-"];
        nodust_fed(&args, list.as_bytes())
    };
    let out = normalize("text");
    assert_eq!(text(&out.stdout), list, "they are left as they are");
    let told = text(&out.stderr);
    assert_eq!(told.matches("2 URLs did not settle").count(), 1, "{told}");
    assert!(
        told.contains("first http://e.org/A (=> copy:rest.0>rest.1"),
        "{told}"
    );
    let rows = text(&normalize("jsonl").stdout);
    let settled: Vec<bool> = rows
        .lines()
        .map(|line| !line.contains(r#""settled":false"#))
        .collect();
    assert_eq!(settled, [false, true, true, false], "{rows}");
    assert_eq!(rows.matches("settled").count(), 2, "{rows}");
}

#[test]
fn lines_that_contradict_an_earlier_one_are_told_apart() {
    let lines = shop()
        + r#"{"url":"http://a.example/item?id=1","cluster":"another"}
{"url":"http://a.example/item?id=2","cluster":2}
"#;
    let out = nodust_at("info", &["learn", "-"], lines.as_bytes());
    let told = text(&out.stderr);
    assert!(
        told.contains("1 line named another cluster than an earlier line of the same URL")
            && told.contains("http://a.example/item?id=1"),
        "{told}"
    );
    assert!(told.contains("contradictions=1"), "{told}");
    assert!(told.contains("1 line could teach nothing"), "{told}");
    let out = nodust_fed(&["eval", "-", "--split", "0.5"], lines.as_bytes());
    assert!(text(&out.stderr).contains("1 line named another cluster"));
}

#[test]
fn intervals_of_one_host_are_those_of_the_host_and_null_where_there_is_no_number() {
    let lines = shop();
    let folder = tempfile::tempdir().unwrap();
    let (file, report) = (folder.path().join("rules"), folder.path().join("report"));
    fs::write(
        &file,
        rules_of(&[(&["a.example"], &[("=> lower-path", "active")])]),
    )
    .unwrap();
    let args = [
        "eval",
        "--rules",
        path(&file),
        "-",
        "--report",
        path(&report),
    ];
    let out = nodust_fed(&args, lines.as_bytes());
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let report = json(&report);
    let of = |part: &Value, figure: &str| part["intervals"][figure].clone();
    let (host, micro, mean) = (&report["hosts"][0], &report["micro"], &report["macro"]);
    for figure in ["compression", "fpr", "recall", "easy_recall", "loss_rate"] {
        assert_eq!(of(micro, figure), of(host, figure), "{figure}");
        assert_eq!(of(mean, figure), Value::Null, "{figure}");
    }
    assert_eq!(of(micro, "fpr"), Value::Null, "no pair is merged");
    let recall = of(micro, "recall");
    assert!(recall[0].as_f64() == Some(0.0) && recall[1].as_f64() > Some(0.0));
}
