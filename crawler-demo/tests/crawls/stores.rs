//! What a crawl keeps in its store, and what is told of one that is damaged or somebody else's.

use std::{fmt::Write as _, path::Path, process::Output};

use nodust_frontier::{SledStore, store::sled::SledOptions};

use super::{
    common::{json, nodust, nodust_fed, path, text},
    nodust_telling,
    site::serve,
};

#[test]
fn a_folder_that_is_no_store_is_refused_and_left_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let dir = path(folder.path());
    for args in [
        &["stats", "--store", dir][..],
        &["explain", "http://s.example/", "--store", dir],
        &["store", "move-aside", dir],
    ] {
        let out = nodust(args);
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert!(text(&out.stderr).contains("no store"), "{args:?}");
        assert_eq!(std::fs::read_dir(dir).unwrap().count(), 0, "{args:?}");
    }
}

#[test]
fn a_store_in_a_folder_of_other_files_is_a_call_that_makes_no_sense() {
    let folder = tempfile::tempdir().unwrap();
    let photos = folder.path().join("photos");
    std::fs::create_dir(&photos).unwrap();
    std::fs::write(photos.join("a.jpg"), "a photograph").unwrap();
    let line = "{\"url\": \"http://s.example/\", \"links\": []}\n";
    for args in [&["crawl", "http://127.0.0.1:1/"][..], &["replay", "-"]] {
        let args = [args, &["--store", path(&photos)]].concat();
        let out = nodust_fed(&args, line.as_bytes());
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {told}");
        assert!(told.contains("name an empty folder"), "{args:?}: {told}");
        assert_eq!(std::fs::read_dir(&photos).unwrap().count(), 1, "{args:?}");
    }
}

/// Replays a log of so many pages on a store, with these switches.
fn replay_on(store: &Path, pages: usize, more: &[&str]) -> Output {
    let links: Vec<String> = (0..pages).map(|n| format!("\"/{n}\"")).collect();
    let mut log = format!(
        "{{\"url\": \"http://s.example/\", \"links\": [{}]}}\n",
        links.join(",")
    );
    for n in 0..pages {
        let _ = writeln!(log, "{{\"url\": \"http://s.example/{n}\", \"links\": []}}");
    }
    let args = [&["replay", "-", "--store", path(store)], more].concat();
    nodust_fed(&args, log.as_bytes())
}

#[test]
fn a_store_of_which_nothing_is_left_is_told_with_what_helps_and_can_be_moved_aside() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    for left in [None, Some(0), Some(100)] {
        assert_eq!(replay_on(&store, 10, &[]).status.code(), Some(0));
        let database = store.join("sled/db");
        match left {
            None => std::fs::remove_file(&database).unwrap(),
            Some(left) => {
                let octets = std::fs::read(&database).unwrap();
                std::fs::write(&database, &octets[..left]).unwrap();
            }
        }
        // The second time the switch was given that is no help here: it is not recommended.
        for more in [&[][..], &["--accept-loss"]] {
            let out = replay_on(&store, 10, more);
            let told = text(&out.stderr);
            assert_eq!(out.status.code(), Some(1), "{left:?}: {told}");
            assert!(
                told.contains("is damaged")
                    && told.contains("cannot be saved, not by --accept-loss either")
                    && told.contains(&format!("store move-aside {}", store.display())),
                "{left:?}: {told}"
            );
        }
        let out = nodust_telling(&["store", "move-aside", path(&store)]);
        assert_eq!(out.status.code(), Some(0));
        assert!(Path::new(text(&out.stdout).trim()).is_dir() && !store.exists());
        let told = text(&out.stderr);
        assert!(
            told.contains("log and decisions of that crawl") && told.contains("--overwrite"),
            "{told}"
        );
    }
}

#[test]
fn a_store_whose_octets_changed_is_told_without_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let (store, copy) = (folder.path().join("store"), folder.path().join("copy"));
    assert_eq!(replay_on(&store, 3000, &[]).status.code(), Some(0));
    let octets = std::fs::read(store.join("sled/db")).unwrap();
    for step in [997, 10_007, 50_021] {
        std::fs::create_dir_all(copy.join("sled/blobs")).unwrap();
        for name in ["format", "durable", "sled/conf"] {
            std::fs::copy(store.join(name), copy.join(name)).unwrap();
        }
        let mut changed = octets.clone();
        (changed.iter_mut().step_by(step).skip(1)).for_each(|octet| *octet ^= 8);
        std::fs::write(copy.join("sled/db"), changed).unwrap();
        let out = nodust(&["stats", "--store", path(&copy)]);
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{step}: {told}");
        assert!(
            told.contains("is damaged") && !told.contains("panicked"),
            "{step}: {told}"
        );
        std::fs::remove_dir_all(&copy).unwrap();
    }
}

#[test]
fn a_store_that_lost_its_last_commits_goes_on_where_that_is_accepted_and_says_how_many() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    assert_eq!(
        replay_on(&store, 300, &["--max-pages", "100"])
            .status
            .code(),
        Some(0)
    );
    // As if more had been durable than there is.
    let durable = store.join("durable");
    let left: u64 = std::fs::read_to_string(&durable).unwrap().parse().unwrap();
    std::fs::write(&durable, (left + 7).to_string()).unwrap();
    let lost = format!("of {} commits that were durable {left} are left", left + 7);
    let out = replay_on(&store, 300, &[]);
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{told}");
    assert!(
        told.contains(&lost) && told.contains("add --accept-loss to the command that crawls"),
        "{told}"
    );
    let out = replay_on(&store, 300, &["--accept-loss"]);
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(0), "{told}");
    assert!(told.contains(&lost), "{told}");
    let out = replay_on(&store, 300, &[]);
    let told = text(&out.stderr);
    assert_eq!(
        (out.status.code(), told.contains("durable")),
        (Some(0), false),
        "it is told once: {told}"
    );
}

#[test]
fn a_store_knows_its_seeds_and_goes_on_without_them() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let site = nodust_crawler::site::Site::new(nodust_crawler::site::SiteConfig {
        pages: 30,
        ..Default::default()
    });
    let server = runtime
        .block_on(async { site.serve(([127, 0, 0, 1], 0).into()).await })
        .unwrap();
    let report = folder.path().join("report.json");
    let crawl = |store: &str, more: &[&str]| {
        let store = folder.path().join(store);
        let mut args = vec!["crawl", "--store", path(&store), "--report", path(&report)];
        args.extend(["--delay", "0", "--concurrency", "1", "--exploration", "0"]);
        args.extend(more);
        let out = nodust(&args);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        let report = json(&report);
        report["fetched"].as_u64().unwrap()
    };
    let start = server.start_url();
    let whole = crawl("whole", &[&start]);
    assert_eq!(crawl("parts", &[&start, "--max-pages", "1"]), 1);
    assert_eq!(crawl("parts", &[]), whole);
    // Complete now: that is no error, and the command says what can be done.
    let store = folder.path().join("parts");
    let again = |more: &[&str]| {
        let args = ["crawl", "--delay", "0", "--store", path(&store)];
        nodust_telling(&[&args[..], more].concat())
    };
    let out = again(&[]);
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(0), "{told}");
    assert!(
        told.contains("is complete") && told.contains("--second-helping"),
        "{told}"
    );
    let before = server.requests();
    let out = again(&["--second-helping"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(server.requests() > before + 1);
}

#[test]
fn a_store_that_holds_the_crawl_of_another_site_says_that_it_goes_on_too() {
    let [one, two] = [(), ()].map(|()| {
        serve(|path| match path {
            "/" => Some("<a href=/a>a</a> <a href=/b>b</a>".to_owned()),
            "/a" | "/b" => Some(format!("the page {path}")),
            _ => None,
        })
    });
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let crawl = |site: &str, more: &[&str]| {
        let args = ["crawl", site, "--delay", "0", "--store", path(&store)];
        let out = nodust_telling(&[&args[..], more].concat());
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        text(&out.stderr)
    };
    let again = "holds the crawl that began at ";
    assert!(!crawl(&one, &["--max-pages", "1"]).contains(again));
    assert!(!crawl(&one, &["--max-pages", "1"]).contains(again));
    let told = crawl(&two, &[]);
    let line = format!("{again}{one}/: it goes on, too, with 1 waiting link of 1 host.");
    assert!(
        told.contains(&line) && told.contains("another --store"),
        "{told}"
    );
    assert!(!crawl(&two, &[]).contains(again), "both are known now");
}

#[test]
fn a_store_without_seeds_asks_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    drop(SledStore::open(&store, &SledOptions::default()).unwrap());
    let out = nodust(&["crawl", "--store", path(&store)]);
    assert_eq!(out.status.code(), Some(2));
    assert!(
        text(&out.stderr).contains("name the seeds"),
        "{}",
        text(&out.stderr)
    );
}

#[test]
fn settings_that_are_not_those_of_the_last_run_are_told_once() {
    let site = serve(|path| (path == "/").then(|| "a page".to_owned()));
    let folder = tempfile::tempdir().unwrap();
    let (store, config) = (folder.path().join("store"), folder.path().join("c.toml"));
    std::fs::write(&config, "[predict]\nrisk = 0.01\n").unwrap();
    let crawl = |more: &[&str]| {
        let args = ["crawl", &site, "--delay", "0", "--store", path(&store)];
        let out = nodust(&[&args[..], more].concat());
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(0), "{told}");
        told
    };
    let with_config = ["--config", path(&config)];
    assert_eq!(crawl(&with_config), "");
    // How much is fetched, and how fast, has no say in what is decided.
    let same = ["--concurrency", "2", "--max-pages", "7"];
    assert_eq!(crawl(&[&with_config[..], &same].concat()), "");
    let told = crawl(&["--exploration", "0"]);
    for change in [
        "crawl.exploration was 0.05 and is 0.0",
        "predict.risk was 0.01 and is 0.02",
        path(&store),
    ] {
        assert!(told.contains(change), "{change}: {told}");
    }
    assert_eq!(crawl(&["--exploration", "0"]), "");
}
