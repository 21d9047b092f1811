//! What a server in trouble did not give is had another day.

use std::{
    fs,
    path::Path,
    process::Output,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use super::{
    common::{nodust, nodust_at, path, text},
    nodust_telling,
    site::serve_answers,
};

/// A site of which all but the first page is out of order until it is told otherwise.
fn site(in_order: &Arc<AtomicBool>) -> String {
    let in_order = Arc::clone(in_order);
    serve_answers(move |path| {
        let page = match path {
            "/" => "<p>One. <a href=/a>a</a> <a href=/b>b</a> <a href=/gone>c</a>",
            _ if path != "/robots.txt" && !in_order.load(Ordering::SeqCst) => {
                return ("503 Service Unavailable", String::new());
            }
            "/a" => "<p>Two, with words of its own. <a href=/c>c</a>",
            "/b" => "<p>Three, and quite another text.",
            "/c" => "<p>Four, which only the second leads to.",
            _ => return ("404 Not Found", String::new()),
        };
        ("200 OK", page.to_owned())
    })
}

/// Writes a configuration with these keys of the crawl.
fn configure(file: &Path, keys: &str) {
    let keys = keys.replace(", ", "\n");
    fs::write(file, format!("[crawl]\n{keys}\n")).unwrap();
}

#[test]
fn what_was_out_of_order_in_one_run_is_had_in_a_later_one_that_asks_for_it() {
    let in_order = Arc::default();
    let site = site(&in_order);
    let folder = tempfile::tempdir().unwrap();
    let (store, config) = (folder.path().join("st"), folder.path().join("c.toml"));
    configure(&config, "max_retries = 1, retry_ms = 10, delay_ms = 0");
    let kept = ["--store", path(&store), "--config", path(&config)];
    let crawl = |more: &[&str]| -> Output {
        let out = nodust_telling(&[&["crawl", &site], &kept[..], more].concat());
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        out
    };
    let numbers = || {
        let told = nodust(&["stats", path(&store), "--json"]).stdout;
        let told: serde_json::Value = serde_json::from_slice(&told).unwrap();
        ["fetched", "broken", "retried", "to_retry"].map(|name| told[name].as_u64().unwrap())
    };
    let told = text(&crawl(&[]).stderr);
    assert!(told.contains("3 URLs could not be fetched"), "{told}");
    assert!(told.contains("--retry-failed"), "{told}");
    // Each was tried twice.
    assert_eq!(numbers(), [4, 3, 3, 3]);
    let listed = text(&nodust(&["stats", path(&store)]).stdout);
    assert!(listed.contains("3 URLs could not be fetched"), "{listed}");

    in_order.store(true, Ordering::SeqCst);
    crawl(&[]);
    assert_eq!(numbers(), [4, 3, 3, 3], "not asked for unless it is wanted");
    let told = text(&crawl(&["--retry-failed"]).stderr);
    assert!(told.contains("3 URLs that could not be fetched"), "{told}");
    // The page that is not there is not to be had another day.
    assert_eq!(numbers(), [5, 1, 6, 0]);
    let told = text(&crawl(&["--retry-failed"]).stderr);
    assert!(told.contains("nothing to retry"), "{told}");
    assert_eq!(numbers(), [5, 1, 6, 0]);
}

#[test]
fn a_site_that_was_down_as_a_whole_is_crawled_when_it_is_up() {
    let in_order = Arc::new(AtomicBool::new(false));
    let up = Arc::clone(&in_order);
    let site = serve_answers(move |path| match path {
        "/" if up.load(Ordering::SeqCst) => ("200 OK", "<p>Here it is, at last.".to_owned()),
        _ if up.load(Ordering::SeqCst) => ("404 Not Found", String::new()),
        "/robots.txt" => ("404 Not Found", String::new()),
        _ => ("500 Internal Server Error", String::new()),
    });
    let folder = tempfile::tempdir().unwrap();
    let (store, config) = (folder.path().join("st"), folder.path().join("c.toml"));
    configure(&config, "max_retries = 0");
    let crawl = |more: &[&str]| {
        let kept = ["--store", path(&store), "--config", path(&config)];
        nodust(&[&["crawl", &site], &kept[..], more].concat())
    };
    for _ in 0..2 {
        let out = crawl(&[]);
        assert_eq!(out.status.code(), Some(1), "{}", text(&out.stdout));
    }
    let told = text(&crawl(&[]).stderr);
    assert!(told.contains("--retry-failed"), "{told}");
    in_order.store(true, Ordering::SeqCst);
    let out = crawl(&["--retry-failed"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let summary = text(&out.stdout);
    assert!(summary.contains("fetched     1 "), "{summary}");
}

#[test]
fn nothing_can_be_asked_for_again_without_a_store() {
    let out = nodust_at(
        "warn",
        &["crawl", "http://h.example/", "--retry-failed"],
        b"",
    );
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{told}");
    assert!(told.contains("give --store DIR"), "{told}");
}

#[test]
fn a_replay_takes_the_page_that_came_at_last_and_not_the_trouble_before() {
    let in_order = Arc::default();
    let site = site(&in_order);
    let folder = tempfile::tempdir().unwrap();
    let (store, log) = (folder.path().join("st"), folder.path().join("log.jsonl"));
    let config = folder.path().join("c.toml");
    configure(&config, "max_retries = 0, delay_ms = 0");
    for more in [&[][..], &["--retry-failed"]] {
        let kept = [
            "--store",
            path(&store),
            "--config",
            path(&config),
            "--log",
            path(&log),
        ];
        let out = nodust(&[&["crawl", &site], &kept[..], more].concat());
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        in_order.store(true, Ordering::SeqCst);
    }
    for how in [&[][..], &["--line-by-line"]] {
        let out = nodust(&[&["replay", path(&log)], how].concat());
        let told = text(&out.stdout);
        assert!(
            told.contains("fetched     5 (0 redirects, 1 broken"),
            "{told}"
        );
    }
}

#[test]
fn links_of_a_host_without_its_robots_txt_wait_however_many_runs_go_by() {
    let in_order = Arc::new(AtomicBool::new(true));
    let up = Arc::clone(&in_order);
    let site = serve_answers(move |path| match path {
        "/robots.txt" if !up.load(Ordering::SeqCst) => ("503 Service Unavailable", String::new()),
        "/robots.txt" => ("404 Not Found", String::new()),
        "/" => {
            let links: Vec<_> = (0..30).map(|n| format!("<a href=/{n}>{n}</a>")).collect();
            ("200 OK", links.concat())
        }
        _ => ("200 OK", format!("<p>The page {path}.")),
    });
    let folder = tempfile::tempdir().unwrap();
    let (store, config) = (folder.path().join("st"), folder.path().join("c.toml"));
    configure(
        &config,
        "max_retries = 1, retry_ms = 10, delay_ms = 0, max_host_failures = 5",
    );
    let crawl = |more: &[&str]| {
        let kept = ["--store", path(&store), "--config", path(&config)];
        let out = nodust(&[&["crawl", &site], &kept[..], more].concat());
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        text(&out.stdout)
    };
    crawl(&["--max-pages", "3"]);
    in_order.store(false, Ordering::SeqCst);
    for _ in 0..2 {
        let told = crawl(&[]);
        assert!(told.contains("waiting     28 queued"), "{told}");
        assert!(told.contains("failed      0 "), "{told}");
        assert!(!told.contains("to retry"), "{told}");
    }
    in_order.store(true, Ordering::SeqCst);
    let told = crawl(&[]);
    assert!(told.contains("fetched     31 "), "{told}");
    assert!(told.contains("failed      0 "), "{told}");
}

#[test]
fn a_host_that_breaks_all_connections_off_is_given_up() {
    let site = serve_answers(|path| match path {
        "/robots.txt" => ("404 Not Found", String::new()),
        "/" => {
            let links: Vec<_> = (0..30).map(|n| format!("<a href=/{n}>{n}</a>")).collect();
            ("200 OK", links.concat())
        }
        _ => ("", String::new()),
    });
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("c.toml");
    configure(
        &config,
        "max_retries = 0, retry_ms = 10, delay_ms = 0, max_host_failures = 3",
    );
    let store = folder.path().join("st");
    let kept = ["--store", path(&store), "--config", path(&config)];
    let out = nodust(&[&["crawl", &site], &kept[..]].concat());
    let (told, summary) = (text(&out.stderr), text(&out.stdout));
    assert!(told.contains("is given up for this run"), "{told}");
    assert!(summary.contains("waiting     27 queued"), "{summary}");
    assert!(summary.contains("to retry    3 of the broken"), "{summary}");
}

#[test]
fn a_host_that_was_given_up_keeps_no_other_from_its_second_helping() {
    let site = serve_answers(|path| match path {
        "/robots.txt" => ("404 Not Found", String::new()),
        "/" => (
            "200 OK",
            "<a href=/a>a</a> <a href='/a?utm_source=x'>a</a>".to_owned(),
        ),
        _ => ("200 OK", "<p>One page.".to_owned()),
    });
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("c.toml");
    configure(
        &config,
        "max_retries = 0, retry_ms = 10, delay_ms = 0, max_host_failures = 1",
    );
    // Of two links of a host that is not there the second waits.
    let dead = ["http://127.0.0.1:1/", "http://127.0.0.1:1/x"];
    let out = nodust(&[
        "crawl",
        &site,
        dead[0],
        dead[1],
        "--config",
        path(&config),
        "--second-helping",
    ]);
    let told = text(&out.stdout);
    assert!(told.contains("fetched     3 "), "{told}");
    assert!(
        told.contains("waiting     1 queued, 0 in the ledger"),
        "{told}"
    );
}

#[test]
fn a_server_out_of_order_is_not_asked_more_than_twice_as_often_as_there_may_be_pages() {
    let asked = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&asked);
    let site = serve_answers(move |path| match path {
        "/robots.txt" => ("404 Not Found", String::new()),
        "/" => {
            let links: Vec<_> = (0..60).map(|n| format!("<a href=/{n}>{n}</a>")).collect();
            ("200 OK", links.concat())
        }
        _ => {
            counted.fetch_add(1, Ordering::SeqCst);
            ("500 Internal Server Error", String::new())
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("c.toml");
    configure(
        &config,
        "max_retries = 5, retry_ms = 10, delay_ms = 0, max_host_failures = 1000",
    );
    let out = nodust(&[
        "crawl",
        &site,
        "--config",
        path(&config),
        "--max-pages",
        "5",
    ]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(
        text(&out.stdout).contains("as many pages as allowed"),
        "{out:?}"
    );
    let asked = asked.load(Ordering::SeqCst);
    assert!((5..=9).contains(&asked), "{asked}");
}
