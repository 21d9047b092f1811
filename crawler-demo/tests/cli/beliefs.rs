//! Files of beliefs: what cannot be used is told, once.

use super::common::{nodust, nodust_fed, path, text};

const PAGE: &[u8] = b"{\"url\": \"http://s.example/\", \"text\": \"a\"}\n";

/// A file with one belief; `more` stands before its sites, `of_belief` in it.
fn beliefs(more: &str, of_belief: &str) -> String {
    format!(
        r#"{{"format": "nodust-beliefs", "version": 1{more}, "sites": {{"s.example": [
            {{"text": "sid is ignored | host | 0000000000000001", "standing": "active"{of_belief}}}]}}}}"#
    )
}

#[test]
fn a_file_of_beliefs_that_is_not_there_is_told_once() {
    for args in [
        &["replay", "-", "--beliefs", "/nonexistent.json"][..],
        &[
            "crawl",
            "http://127.0.0.1:1/",
            "--beliefs",
            "/nonexistent.json",
        ],
    ] {
        let out = nodust_fed(args, PAGE);
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert_eq!(told.matches("/nonexistent.json").count(), 1, "{told}");
        assert_eq!(told.matches("No such file").count(), 1, "{told}");
    }
}

#[test]
fn beliefs_are_refused_where_nothing_is_predicted() {
    let folder = tempfile::tempdir().unwrap();
    let (file, config) = (folder.path().join("b.json"), folder.path().join("c.toml"));
    std::fs::write(&file, beliefs("", "")).unwrap();
    std::fs::write(&config, "[predict]\nenabled = false\n").unwrap();
    for more in [&["--no-predict"][..], &["--config", path(&config)]] {
        let out = nodust_fed(
            &[&["replay", "-", "--beliefs", path(&file)], more].concat(),
            PAGE,
        );
        assert_eq!(out.status.code(), Some(2), "{more:?}");
        assert!(
            text(&out.stderr).contains("--beliefs needs prediction"),
            "{more:?}"
        );
    }
    // A configuration may name some, and be used without prediction once.
    std::fs::write(&config, "[predict]\nbeliefs = 'b.json'\n").unwrap();
    let out = nodust_fed(
        &["replay", "-", "--config", path(&config), "--no-predict"],
        PAGE,
    );
    assert_eq!(
        (out.status.code(), text(&out.stderr)),
        (Some(0), String::new())
    );
}

#[test]
fn what_of_a_file_of_beliefs_is_not_used_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("b.json");
    let kinds = r#", "kinds": {"values": {"held": 60, "kinds": ["held | a=b | 77aa0013"]}}"#;
    for (more, of_belief, is_told) in [
        ("", kinds, false),
        (r#", "kinds": 4"#, kinds, false),
        (r#", "kinds": 9"#, "", false),
        (r#", "kinds": 9"#, kinds, true),
        (r#", "kinds": 9"#, r#", "exceptions": 1"#, true),
    ] {
        std::fs::write(&file, beliefs(more, of_belief)).unwrap();
        let out = nodust_fed(&["replay", "-", "--beliefs", path(&file)], PAGE);
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(0), "{told}");
        let names =
            told.contains("b.json, what 1 belief knows of kinds") && told.contains("`kinds` is 9");
        assert_eq!((names, told.is_empty()), (is_told, !is_told), "{told}");
    }
    for version in ["0", "2"] {
        let other = beliefs("", "").replace("\"version\": 1", &format!("\"version\": {version}"));
        std::fs::write(&file, other).unwrap();
        let out = nodust_fed(&["replay", "-", "--beliefs", path(&file)], PAGE);
        assert_eq!(out.status.code(), Some(2), "{version}");
        assert!(text(&out.stderr).contains(&format!("its version is {version}")));
    }
}

#[test]
fn beliefs_are_exported_to_standard_output_too() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let out = nodust_fed(&["replay", "-", "--store", path(&store)], PAGE);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let out = nodust(&["beliefs", path(&store), "--export", "-"]);
    assert!(text(&out.stdout).contains("\"format\": \"nodust-beliefs\""));
    assert!(text(&nodust(&["beliefs", "--help"]).stdout).contains("`-` for standard output"));
}

#[test]
fn beliefs_of_one_host_are_listed_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (file, store) = (folder.path().join("b.json"), folder.path().join("store"));
    let of_one = beliefs("", "");
    let (at, end) = (of_one.find("\"s.example\"").unwrap(), of_one.len() - 2);
    let of_other = of_one[at..end].replace("s.example", "other.example");
    std::fs::write(&file, format!("{}, {of_other}}}}}", &of_one[..end])).unwrap();
    let pages = [
        PAGE,
        b"{\"url\": \"http://other.example/\", \"text\": \"a\"}\n",
    ]
    .concat();
    let out = nodust_fed(
        &[
            "replay",
            "-",
            "--store",
            path(&store),
            "--beliefs",
            path(&file),
            "--scope",
            "any",
        ],
        &pages,
    );
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let listed = |args: &[&str]| text(&nodust(&[&["beliefs", path(&store)], args].concat()).stdout);
    let has =
        |told: &str| ["s.example", "other.example"].map(|site| told.contains(&format!("{site}  ")));
    assert_eq!(has(&listed(&[])), [true, true]);
    assert_eq!(
        has(&listed(&["--host", "WWW.s.example:8080"])),
        [true, false]
    );
    assert_eq!(has(&listed(&["--host", "other.example"])), [false, true]);
    let out = nodust(&["beliefs", path(&store), "--host", "example"]);
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{told}");
    assert!(told.contains("other.example, s.example"), "{told}");
    let exported = listed(&["--host", "s.example", "--export", "-"]);
    assert!(exported.contains("\"s.example\"") && !exported.contains("other.example"));
}
