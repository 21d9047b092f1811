//! What a run keeps is its own: a crawl's store and a replay's stay apart, and neither is mixed up with results.

use std::{fs, path::Path, process::Output};

use super::{
    common::{nodust, path, text},
    site::serve,
};

/// A page that links to two others.
fn site() -> String {
    serve(|path| {
        let page = match path {
            "/" => "<p>One. <a href=/a>a</a> <a href=/b>b</a>",
            "/a" => "<p>Two, with words of its own.",
            "/b" => "<p>Three, and quite another text.",
            _ => return None,
        };
        Some(page.to_owned())
    })
}

fn crawl(site: &str, more: &[&str]) -> Output {
    nodust(&[&["crawl", site, "--delay", "0"], more].concat())
}

fn numbers(store: &Path) -> String {
    text(&nodust(&["stats", path(store), "--json"]).stdout)
}

/// A replay took the links that a crawl had left in its queue, and counted them as missing.
#[test]
fn a_replay_refuses_the_store_of_a_crawl_and_a_crawl_that_of_a_replay() {
    let site = site();
    let folder = tempfile::tempdir().unwrap();
    let (store, log) = (folder.path().join("crawl"), folder.path().join("log.jsonl"));
    let kept = ["--store", path(&store), "--log", path(&log)];
    let out = crawl(&site, &[&kept[..], &["--max-pages", "1"]].concat());
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let before = numbers(&store);
    assert!(before.contains("\"queued\": 2"), "{before}");
    let out = nodust(&["replay", path(&log), "--store", path(&store)]);
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{told}");
    assert!(told.contains("keeps a crawl, which a replay"), "{told}");
    assert!(told.contains("name another folder"), "{told}");
    assert_eq!(numbers(&store), before);
    let out = crawl(&site, &kept);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(numbers(&store).contains("\"fetched\": 3"));

    let replayed = folder.path().join("replay");
    let replay = || nodust(&["replay", path(&log), "--store", path(&replayed)]);
    for _ in 0..2 {
        assert_eq!(replay().status.code(), Some(0));
    }
    let before = numbers(&replayed);
    for seeds in [&[][..], &[site.as_str()]] {
        let out = nodust(&[&["crawl", "--store", path(&replayed)], seeds].concat());
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{told}");
        assert!(told.contains("keeps a replay, which a crawl"), "{told}");
        assert_eq!(numbers(&replayed), before);
    }
}

#[test]
fn results_do_not_go_into_the_folder_of_the_store_whether_it_is_there_or_not() {
    let site = site();
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("st");
    for is_there in [false, true] {
        for name in ["format", "x", "sub/x"] {
            let file = store.join(name);
            for switch in ["--report", "--log", "--decisions"] {
                let out = crawl(&site, &["--store", path(&store), switch, path(&file)]);
                let told = text(&out.stderr);
                assert_eq!(out.status.code(), Some(2), "{switch} {name}: {told}");
                assert!(
                    told.contains("lies in the folder of a store"),
                    "{switch} {name}: {told}"
                );
                assert_eq!(store.exists(), is_there, "{switch} {name}");
            }
        }
        fs::create_dir_all(&store).unwrap();
    }
    let out = crawl(&site, &["--store", path(&store)]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let report = store.join("report.json");
    let others = folder.path().join("others");
    for kept in [&[][..], &["--store", path(&others)]] {
        let out = crawl(&site, &[kept, &["--report", path(&report)]].concat());
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{told}");
        assert!(told.contains("lies in the folder of a store"), "{told}");
    }
}

#[test]
fn a_call_that_makes_no_sense_leaves_no_store_behind() {
    let folder = tempfile::tempdir().unwrap();
    let (store, log) = (folder.path().join("st"), folder.path().join("log.jsonl"));
    let (store_name, seed) = (path(&store), "http://127.0.0.1:9/");
    fs::write(&log, "{\"url\": \"http://s.example/\"}\n").unwrap();
    let gone = folder.path().join("gone.json");
    for (args, hint) in [
        (&[][..], "name a seed"),
        (&["--scope", "any"], "name a seed"),
        (&[seed, "--log", path(&log)], "--overwrite"),
        (&[seed, "--beliefs", path(&gone)], "--beliefs"),
    ] {
        let out = nodust(&[&["crawl", "--store", store_name], args].concat());
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {told}");
        assert!(told.contains(hint), "{args:?}: {told}");
        assert!(!store.exists(), "{args:?}");
    }
}

#[test]
fn where_the_report_cannot_be_written_the_summary_is_printed_all_the_same() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let site = site();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    let pages = "{\"url\": \"http://s.example/\", \"text\": \"a\"}\n";
    fs::write(&log, pages).unwrap();
    for out in [
        crawl(&site, &["--report", "/dev/full"]),
        crawl(&site, &["--log", "/dev/full"]),
        nodust(&["replay", path(&log), "--report", "/dev/full"]),
        nodust(&["replay", path(&log), "--decisions", "/dev/full"]),
    ] {
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{told}");
        assert!(told.contains("/dev/full"), "{told}");
        assert!(text(&out.stdout).contains("fetched  "), "{told}");
    }
}

#[test]
fn what_comes_of_odd_seeds_is_told() {
    let site = serve(|path| {
        // Each leads on to a longer one.
        let turn = path.strip_prefix("/turn")?;
        let refresh = format!("<meta http-equiv=refresh content='0; url=/turn{turn}x'>");
        Some(refresh)
    });
    let out = crawl(&format!("{site}/turn"), &[]);
    let told = text(&out.stderr);
    assert!(told.contains("max_redirects allows no more"), "{told}");
}
