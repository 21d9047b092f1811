//! What `explain` says of a link.

use super::common::{nodust, nodust_fed, path, text};

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
fn explain_says_that_robots_txt_is_not_asked_of_what_would_be_fetched() {
    let told = |link| {
        let args = ["explain", link, "--via", "http://s.example/"];
        text(&nodust(&args).stdout)
    };
    let wanted = told("http://s.example/a");
    assert!(wanted.contains("robots.txt is not asked"), "{wanted}");
    let dropped = told("http://s.example/a.jpg");
    assert!(!dropped.contains("robots.txt"), "{dropped}");
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
        (
            "http://s.example/a",
            "waits no more: it was fetched, or failed.",
        ),
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
fn explain_says_which_stages_of_the_crawl_it_did_not_ask() {
    explains_a_crawl_with_a_rule("pinned");
    explains_a_crawl_with_a_rule("active");
}

/// A rule that is audited leaves state in the store, one that is pinned does not.
fn explains_a_crawl_with_a_rule(status: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let rules = r#"{"format": "nodust-rules", "version": 1, "sites": [{"hosts": ["s.example"], "rules":
        [{"rule": "has:query.v => drop:query.v", "status": "STATUS"}]}]}"#;
    std::fs::write(file("rules.json"), rules.replace("STATUS", status)).unwrap();
    std::fs::write(file("c.toml"), "[rules]\nfile = 'rules.json'\n").unwrap();
    let (config, store) = (file("c.toml"), file("store"));
    let with_config = ["--config", path(&config)];
    let page = |v: usize| {
        format!("{{\"url\": \"http://s.example/a?v={v}\", \"text\": \"one and the same\"}}\n")
    };
    let links = (10..30)
        .map(|v| format!("\"/a?v={v}\""))
        .collect::<Vec<_>>();
    let mut log = format!(
        "{{\"url\": \"http://s.example/\", \"links\": [{}]}}\n",
        links.join(", ")
    );
    log.extend((10..30).map(page));
    let args = ["replay", "-", "--store", path(&store)];
    let out = nodust_fed(&[&args[..], &with_config].concat(), log.as_bytes());
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let link = "http://s.example/a?v=3";
    let args = [
        "explain",
        link,
        "--via",
        "http://s.example/",
        "--store",
        path(&store),
    ];
    for config in [&[][..], &with_config] {
        let told = text(&nodust(&[&args[..], config].concat()).stdout);
        assert!(!told.contains("--config"), "{told}");
        assert!(
            told.contains("class is known") || told.contains("another spelling"),
            "{told}"
        );
    }
    std::fs::write(file("other.toml"), "[scope]\nkind = 'any'\n").unwrap();
    let other = file("other.toml");
    let told = text(&nodust(&[&args[..], &["--config", path(&other)]].concat()).stdout);
    assert!(
        told.contains("other settings than those of the last run")
            && told.contains(r#"scope.kind was "host" and is "any""#),
        "{told}"
    );
    std::fs::remove_file(file("rules.json")).unwrap();
    let told = text(&nodust(&args).stdout);
    assert!(told.contains("judged by rules, too"), "{told}");
    assert!(
        told.contains("the crawl had the rules of ")
            && told.contains("rules.json, which is not there any more"),
        "{told}"
    );
    // What the rule dropped is found in the ledger, though nothing here makes its class.
    let of_spelling = |v: usize| {
        let link = format!("http://s.example/a?v={v}");
        text(&nodust(&["explain", &link, "--store", path(&store)]).stdout)
    };
    let all: Vec<String> = (10..30).map(of_spelling).collect();
    assert!(all.iter().all(|told| !told.contains("is not judged again")));
    let waits = |told: &&String| {
        told.contains("waits in the ledger, on the word of belief")
            && told.contains("a rule of a file that was not given")
    };
    // (One that is audited has its first links fetched.)
    let waiting = all.iter().filter(waits).count();
    assert_eq!(waiting > 10, status == "pinned", "{}", all[7]);
    std::fs::write(file("rules.json"), "no rules").unwrap();
    let told = text(&nodust(&args).stdout);
    assert!(
        told.contains("judged without (") && told.contains("Found now"),
        "{told}"
    );
}

#[test]
fn explain_asks_the_rules_that_a_crawl_learned_without_its_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let (config, store) = (folder.path().join("c.toml"), folder.path().join("store"));
    std::fs::write(&config, "[rules]\nlearn = true\n").unwrap();
    let log = "{\"url\": \"http://s.example/\", \"text\": \"a\", \"links\": [\"/a\"]}\n";
    let args = [
        "replay",
        "-",
        "--store",
        path(&store),
        "--config",
        path(&config),
    ];
    let out = nodust_fed(&args, log.as_bytes());
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let out = nodust(&["explain", "http://s.example/b", "--store", path(&store)]);
    let told = text(&out.stdout);
    assert!(told.contains("\nrules "), "{told}");
}

#[test]
fn explain_says_that_a_link_may_lie_too_deep() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let log = "{\"url\": \"http://s.example/\", \"text\": \"a\", \"links\": [\"/a\"]}\n";
    let args = ["replay", "-", "--store", path(&store), "--max-depth", "2"];
    assert_eq!(nodust_fed(&args, log.as_bytes()).status.code(), Some(0));
    let explained = |link| text(&nodust(&["explain", link, "--store", path(&store)]).stdout);
    let told = explained("http://s.example/new");
    assert!(told.contains("more than 2 links deep"), "{told}");
    let told = explained("http://s.example/a.jpg");
    assert!(!told.contains("links deep"), "{told}");
}

#[test]
fn explain_judges_by_the_switches_of_the_last_run() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let log = "{\"url\": \"http://s.example/\", \"text\": \"a\", \"links\": [\"/a\"]}\n";
    let explained = || {
        let args = ["explain", "http://s.example/a.jpg", "--store", path(&store)];
        text(&nodust(&args).stdout)
    };
    let run = |switches: &[&str]| {
        let args = [&["replay", "-", "--store", path(&store)], switches].concat();
        let out = nodust_fed(&args, log.as_bytes());
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    };
    run(&[]);
    assert!(explained().contains("\nfilter     DROP"), "{}", explained());
    run(&["--no-filter", "--no-predict"]);
    let told = explained();
    assert!(
        !told.contains("\nfilter ") && !told.contains("\npredict "),
        "{told}"
    );
    assert!(told.contains("it would be fetched"), "{told}");
}
