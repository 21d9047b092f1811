//! What a newcomer runs into, and what is said then.

use std::fs;

use nodust_frontier::{SledOptions, SledStore};

use super::common::{nodust, nodust_at, nodust_fed, path, text};

#[test]
fn a_setting_in_the_wrong_section_is_told_where_it_belongs() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("c.toml");
    for (words, hint) in [
        ("delay_ms = 5", "`delay_ms` belongs under [crawl]"),
        (
            "[filter]\nmax_depth = 5",
            "`max_depth` belongs under [scope]",
        ),
        ("[crawl]\ndelay = 5", "did you mean `delay_ms`?"),
        (
            "[rules]\nfile = 'gone.json'",
            "name a file that is there (`file` under [rules]",
        ),
    ] {
        fs::write(&config, words).unwrap();
        let out = nodust(&["crawl", "http://127.0.0.1:1/", "--config", path(&config)]);
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{words}: {told}");
        assert!(told.contains(hint), "{words}: {told}");
    }
}

#[test]
fn a_file_that_settings_name_and_that_cannot_be_read_is_told_alike_whatever_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("c.toml");
    let seed = "http://127.0.0.1:1/";
    let (gone, dir) = (folder.path().join("gone"), folder.path().join("dir"));
    fs::create_dir(&dir).unwrap();
    for (file, why) in [
        (
            &gone,
            "No such file or directory (os error 2); name a file that is there",
        ),
        (&dir, "it is a folder; name a file"),
    ] {
        for (words, key, out) in [
            (
                "[filter]\nblacklists = ['F']",
                "filter.blacklists",
                "(`blacklists` under [filter])",
            ),
            (
                "[rules]\nfile = 'F'",
                "rules.file",
                "(`file` under [rules])",
            ),
            (
                "[predict]\nbeliefs = 'F'",
                "predict.beliefs",
                "(`beliefs` under [predict])",
            ),
        ] {
            fs::write(&config, words.replace('F', path(file))).unwrap();
            let out_of = nodust(&["crawl", seed, "--config", path(&config)]);
            let told = format!(
                "nodust: {}: {key}: cannot read {}: {why} {out}, or leave it out\n",
                path(&config),
                path(file)
            );
            assert_eq!(
                (out_of.status.code(), text(&out_of.stderr)),
                (Some(2), told)
            );
        }
        let out = nodust(&["crawl", seed, "--beliefs", path(file)]);
        let told = format!("nodust: --beliefs: cannot read {}: {why}\n", path(file));
        assert_eq!((out.status.code(), text(&out.stderr)), (Some(2), told));
        let out = nodust(&["crawl", seed, "--config", path(file)]);
        let told = format!("nodust: --config: cannot read {}: ", path(file));
        assert!(
            text(&out.stderr).starts_with(&told),
            "{}",
            text(&out.stderr)
        );
        assert_eq!(text(&out.stderr).matches("name a file").count(), 1);
    }
}

#[test]
fn a_setting_of_the_wrong_kind_is_told_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("c.toml");
    for (words, hint) in [
        ("[crawl]\ndelay_ms = 'fast'", "expected a whole number"),
        (
            "[crawl]\ndelay_ms = -1",
            "expected a whole number, 0 or more",
        ),
        ("[store]\ncache_bytes = '64 MiB'", "expected a whole number"),
        (
            "[predict]\nrisk = 3",
            "line 2: predict.risk: is 3; it must lie between",
        ),
    ] {
        fs::write(&config, words).unwrap();
        let out = nodust(&["crawl", "http://127.0.0.1:1/", "--config", path(&config)]);
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{words}: {told}");
        assert!(
            told.contains(hint) && told.contains("line 2"),
            "{words}: {told}"
        );
    }
}

#[test]
fn a_line_of_a_list_of_seeds_that_is_none_is_told_with_its_number() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("seeds.txt");
    fs::write(&list, "# mine\n\nnot a url\nftp://s.example/\n").unwrap();
    let out = nodust(&["crawl", "--seeds", path(&list)]);
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{told}");
    for words in [
        "seeds.txt:3: \"not a url\" is neither a URL nor a host name; left out",
        "seeds.txt:4: \"ftp://s.example/\" is no seed: its scheme is neither http nor https; left out",
        "none of them can be used (",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    // Others of the call are crawled all the same, and so is what a store has.
    let store = folder.path().join("store");
    let kept = ["--max-duration", "1", "--store", path(&store)];
    let others = [&["http://127.0.0.1:1/"], &kept[..]].concat();
    for more in [&others[..], &kept] {
        let out = nodust(&[&["crawl", "--seeds", path(&list)][..], more].concat());
        let told = text(&out.stderr);
        assert!(told.contains("seeds.txt:3: "), "{told}");
        assert!(!told.contains("none of them can be used"), "{told}");
    }
    let out = nodust(&["crawl", "not a url"]);
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{told}");
    assert!(told.contains("is neither a URL nor a host name"), "{told}");
}

#[test]
fn a_link_to_explain_without_its_scheme_is_told_what_was_meant() {
    for link in ["127.0.0.1:8099/articles", "s.example/a", "localhost:8099/a"] {
        let out = nodust(&["explain", link]);
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{told}");
        let meant = format!("did you mean http://{link}?");
        assert!(told.contains(&meant), "{told}");
    }
    for (link, code) in [
        ("/a", 2),
        ("a/b.html", 2),
        ("index.html", 2),
        ("mailto:ann@s.example", 0),
    ] {
        let out = nodust(&["explain", link]);
        assert_eq!(out.status.code(), Some(code), "{link}");
        assert!(!text(&out.stderr).contains("did you mean"), "{link}");
    }
}

#[test]
fn a_switch_that_is_given_twice_has_its_last_value() {
    let log = b"{\"url\": \"http://s.example/\", \"text\": \"a\"}\n";
    let args = [
        "replay",
        "-",
        "--seed",
        "1",
        "--seed",
        "2",
        "--no-filter",
        "--no-filter",
    ];
    let out = nodust_at("warn", &args, log);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let out = nodust(&["demo", "--pages", "5", "--pages", "0"]);
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{told}");
    assert!(told.contains("from 1 to 100000"), "{told}");
    // Of files of seeds all are read.
    let folder = tempfile::tempdir().unwrap();
    let [a, b, gone] = ["a.txt", "b.txt", "gone.txt"].map(|name| folder.path().join(name));
    for list in [&a, &b] {
        fs::write(list, "no host\nhttp://127.0.0.1:1/\n").unwrap();
    }
    let lists = [
        "--seeds",
        path(&a),
        "--seeds",
        path(&b),
        "--seeds",
        path(&gone),
    ];
    let told = text(&nodust(&[&["crawl"][..], &lists].concat()).stderr);
    for name in ["a.txt:1: ", "b.txt:1: ", "gone.txt"] {
        assert!(told.contains(name), "{name}: {told}");
    }
    // Octets that are no text are not made another URL of.
    fs::write(&a, b"http://127.0.0.1:1/\xe9t\xe9\n").unwrap();
    let out = nodust(&["crawl", "--seeds", path(&a)]);
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{told}");
    assert!(told.contains("a.txt:1: it is not UTF-8"), "{told}");
}

#[test]
fn a_store_in_use_is_to_be_waited_for_by_whoever_only_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("store");
    let log = b"{\"url\": \"http://s.example/\", \"text\": \"a\"}\n";
    let out = nodust_at("warn", &["replay", "-", "--store", path(&dir)], log);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let held = SledStore::open(&dir, &SledOptions::default()).unwrap();
    for args in [
        &["stats", path(&dir)][..],
        &["beliefs", "--store", path(&dir)],
        &["rules", "show", "--store", path(&dir)],
        &["explain", "http://s.example/", "--store", path(&dir)],
        &["store", "move-aside", "--store", path(&dir)],
    ] {
        let out = nodust(args);
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{args:?}: {told}");
        assert!(told.contains("wait for it, or stop it"), "{args:?}: {told}");
        assert!(!told.contains("another folder"), "{args:?}: {told}");
    }
    drop(held);
    let out = nodust(&["store", "move-aside", "--store", path(&dir)]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(!dir.exists());
}

#[test]
fn of_urls_that_a_log_lacks_the_first_are_named() {
    let log = b"{\"url\": \"http://s.example/\", \"text\": \"a\", \"links\": [\"/a\", \"/b\", \"/c\", \"/d\"]}\n";
    // Where so many are, that is worth a warning.
    let told = text(&nodust_at("warn", &["replay", "-"], log).stderr);
    assert!(told.contains("4 of 5 URLs (http://s.example/"), "{told}");
    assert!(
        told.contains(" and 1 more), so that the share saved says little; "),
        "{told}"
    );
}

#[test]
fn a_rule_that_cannot_be_read_is_told_with_where_rules_are_described() {
    let folder = tempfile::tempdir().unwrap();
    let (rules, config) = (folder.path().join("r.json"), folder.path().join("c.toml"));
    let words = r#"{"format": "nodust-rules", "version": 1, "sites": [{"hosts": ["s.example"], "rules": [{"rule": "x"}]}]}"#;
    fs::write(&rules, words).unwrap();
    fs::write(&config, "[rules]\nfile = 'r.json'\n").unwrap();
    for args in [
        &["rules", "show", path(&rules)][..],
        &["crawl", "http://127.0.0.1:1/", "--config", path(&config)],
    ] {
        let out = nodust(args);
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {told}");
        for words in ["r.json: its rules cannot be read: ", "docs/rules.md"] {
            assert!(told.contains(words), "{args:?}: {told}");
        }
    }
    let out = nodust(&["rules", "import", path(&config)]);
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{told}");
    assert!(
        told.contains("docs/rules.md") && !told.contains("they cannot"),
        "{told}"
    );
}

#[test]
fn rules_that_were_learned_of_hosts_in_any_spelling_are_read_again() {
    let line = |host: &str, n: usize, sid: usize| {
        format!("{{\"url\":\"http://{host}/p?id={n}&sid={sid}\",\"cluster\":\"{host} {n}\"}}\n")
    };
    let pages: String = (0..120)
        .flat_map(|at| ["Bücher.example", "*.s.example"].map(|host| line(host, at / 3, at)))
        .collect();
    let learned = nodust_fed(&["learn", "-"], pages.as_bytes());
    assert_eq!(learned.status.code(), Some(0), "{}", text(&learned.stderr));
    let shown = nodust_fed(&["rules", "show"], &learned.stdout);
    let found = text(&shown.stdout);
    assert_eq!(shown.status.code(), Some(0), "{}", text(&shown.stderr));
    assert!(found.contains("xn--bcher-kva.example"), "{found}");
    assert!(!found.contains("s.example"), "{found}");
}

#[test]
fn a_file_given_as_a_seed_and_a_url_given_as_a_file_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("seeds.txt");
    fs::write(&list, "http://127.0.0.1:1/\n").unwrap();
    for (args, hint) in [
        (["crawl", path(&list)], "give it as --seeds "),
        (
            ["replay", "https://s.example/"],
            "is a URL, and a file is read here",
        ),
        (
            ["learn", "https://s.example/"],
            "is a URL, and a file is read here",
        ),
    ] {
        let out = nodust(&args);
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {told}");
        assert!(told.contains(hint), "{args:?}: {told}");
    }
}

#[test]
fn results_of_all_commands_without_a_folder_to_go_to_are_told_alike() {
    let folder = tempfile::tempdir().unwrap();
    let (store, rules) = (
        folder.path().join("store"),
        folder.path().join("rules.json"),
    );
    let log = folder.path().join("log.jsonl");
    fs::write(&log, "{\"url\": \"http://s.example/\", \"text\": \"a\"}\n").unwrap();
    fs::write(
        &rules,
        "{\"format\":\"nodust-rules\",\"version\":1,\"sites\":[]}",
    )
    .unwrap();
    let out = nodust(&["replay", path(&log), "--store", path(&store)]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let gone = folder.path().join("none/out");
    let gone = path(&gone);
    for args in [
        &["beliefs", path(&store), "--export", gone][..],
        &["rules", "merge", path(&rules), "-o", gone],
        &["rules", "import", path(&rules), "-o", gone],
        &["normalize", "--rules", path(&rules), "-o", gone],
    ] {
        let out = nodust(args);
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {told}");
        assert!(told.contains("make it first"), "{args:?}: {told}");
    }
    for folder in [&["--store", path(&store)][..], &[path(&store)]] {
        let out = nodust_at("info", &[&["rules", "show"], folder].concat(), b"");
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(0), "{told}");
        assert!(
            told.contains("learn = true") && told.contains("nodust beliefs"),
            "{told}"
        );
    }
}

#[test]
fn what_was_left_out_of_a_list_is_told_in_words() {
    let list = b"http://s.example/\nhttp://s.example/a\n";
    let told = text(&nodust_at("info", &["sample", "-"], list).stderr);
    assert!(told.contains("; 1 start page left out"), "{told}");
    let log = b"{\"url\": \"http://s.example/\", \"status\": 404}\n\
                {\"url\": \"http://s.example/a\", \"text\": \"a\"}\n";
    let told = text(&nodust_at("info", &["learn", "-"], log).stderr);
    assert!(told.contains("; 1 line could teach nothing ("), "{told}");
    assert!(told.contains("unreadable=0"), "{told}");
    assert!(!told.contains("passed_over"), "{told}");
}

#[test]
fn a_store_where_no_folder_can_be_is_a_call_that_makes_no_sense() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let store = file.join("store");
    let out = nodust(&["crawl", "http://127.0.0.1:1/", "--store", path(&store)]);
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{told}");
    assert!(told.contains("name another folder"), "{told}");
    // Nothing was begun that could be lost.
    assert!(!told.contains("acknowledged"), "{told}");
}

#[test]
fn a_list_without_a_seed_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (empty, notes) = (
        folder.path().join("empty.txt"),
        folder.path().join("notes.txt"),
    );
    fs::write(&empty, "").unwrap();
    fs::write(&notes, "\n# none yet\n").unwrap();
    let out = nodust(&["crawl", "--seeds", path(&empty)]);
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{told}");
    assert!(told.contains("empty.txt holds no seed"), "{told}");
    let out = nodust(&["crawl", "--seeds", path(&empty), "--seeds", path(&notes)]);
    let told = text(&out.stderr);
    assert!(told.contains("notes.txt hold no seed"), "{told}");
}

#[test]
fn a_replay_that_goes_on_with_other_settings_or_another_log_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let log = |host: &str| {
        let lines =
            (0..5).map(|n| format!("{{\"url\":\"http://{host}/{n}\",\"text\":\"page {n}\"}}\n"));
        lines.collect::<String>()
    };
    let told = |switch: &str, host: &str| {
        let args = ["replay", "-", "--store", path(&store), switch];
        let args = args.iter().copied().filter(|arg| !arg.is_empty());
        let out = nodust_at("info", &args.collect::<Vec<_>>(), log(host).as_bytes());
        assert_eq!(out.status.code(), Some(0));
        text(&out.stderr)
    };
    let says = |told: &str| {
        [
            "nothing was left in",
            "predict.enabled was true and is false",
            "and http://b.example/0 (5 lines)",
        ]
        .map(|words| told.contains(words))
    };
    assert_eq!(says(&told("", "a.example")), [false; 3]);
    assert_eq!(says(&told("", "a.example")), [true, false, false]);
    assert_eq!(
        says(&told("--no-predict", "a.example")),
        [true, true, false]
    );
    assert_eq!(
        says(&told("--no-predict", "b.example")),
        [false, false, true]
    );
    assert_eq!(
        says(&told("--no-predict", "b.example")),
        [true, false, true]
    );
}
