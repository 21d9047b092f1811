//! A site with a headline that is another one at each answer.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    sync::{Arc, Mutex},
};

use super::{
    common::{nodust, path, text},
    site::serve_answers,
};

const ARTICLES: u64 = 150;

/// Words of letters, the same for the same number.
fn words(seed: u64, count: usize) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state >> 40
    };
    let word = |_| {
        let mut number = next();
        let letters = std::iter::from_fn(|| {
            let letter = char::from(b'a' + (number % 23) as u8);
            number /= 23;
            (number > 0).then_some(letter)
        });
        letters.collect::<String>()
    };
    (0..count).map(word).collect::<Vec<_>>().join(" ")
}

/// Requests by path, and all of them.
type Asked = Arc<Mutex<(BTreeMap<String, u64>, u64)>>;

/// Articles that link to each other, with sessions, below a headline of the moment.
fn site(asked: &Asked) -> String {
    let asked = Arc::clone(asked);
    serve_answers(move |path| {
        let answer = {
            let mut asked = asked.lock().unwrap();
            *asked.0.entry(path.to_owned()).or_default() += 1;
            asked.1 += 1;
            asked.1
        };
        let name = path.split('?').next().unwrap_or_default();
        let Some(number) = name.strip_prefix("/news/").and_then(|n| n.parse().ok()) else {
            return match path {
                "/" => ("200 OK", "<p>Welcome. <a href=/news/1>news</a>".to_owned()),
                _ => ("404 Not Found", String::new()),
            };
        };
        let headline = words(1_000_000 + answer, 6);
        let mut page = format!(
            "<p>Just in<p>{headline}<p>Our article<h1>{}</h1>",
            words(number, 3)
        );
        for part in 1..6 {
            let _ = write!(page, "<p>{}", words(number * 1000 + part, 12));
        }
        for next in [2 * number, 2 * number + 1]
            .into_iter()
            .filter(|next| *next <= ARTICLES)
        {
            for visit in 0..3 {
                let session = words(next * 7 + 500_000 + visit, 1);
                let _ = write!(page, "<p><a href=/news/{next}?s={session}>more</a>");
            }
            let _ = write!(page, "<p><a href=/news/{next}>more</a>");
        }
        ("200 OK", page)
    })
}

fn numbers(report: &std::path::Path) -> [u64; 3] {
    let report: serde_json::Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
    ["fetched", "refetched", "saved"].map(|name| report[name].as_u64().unwrap())
}

#[test]
fn copies_are_found_all_the_same_and_each_request_is_told() {
    let asked = Asked::default();
    let site = site(&asked);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (log, report) = (at("log.jsonl"), at("report.json"));
    let crawl = |more: &[&str]| {
        let always = [
            "crawl",
            &site,
            "--delay",
            "0",
            "--per-host",
            "1",
            "--no-filter",
        ];
        let out = nodust(&[&always[..], &["--report", path(&report)], more].concat());
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        let requests = std::mem::take(&mut *asked.lock().unwrap());
        let articles = requests.0.keys().filter_map(|path| path.split('?').next());
        let articles: std::collections::BTreeSet<&str> =
            articles.filter(|path| path.contains("news")).collect();
        assert_eq!(articles.len() as u64, ARTICLES);
        let [fetched, refetched, saved] = numbers(&report);
        // That of robots.txt besides.
        assert_eq!(fetched + refetched + 1, requests.1);
        assert_eq!(
            refetched,
            requests.0.values().filter(|times| **times > 1).count() as u64
        );
        (text(&out.stdout), fetched, refetched, saved)
    };
    let (told, fetched, refetched, saved) = crawl(&["--log", path(&log), "--refetch"]);
    assert!((3..20).contains(&refetched), "{refetched}");
    assert!(saved > 150, "{told}");
    assert!(
        told.contains(&format!("refetched   {refetched} pages once more")),
        "{told}"
    );
    // The log tells of both answers, so that a replay finds what the crawl did.
    let lines = fs::read_to_string(&log).unwrap();
    assert_eq!(lines.matches("\"refetched\":").count() as u64, refetched);
    let out = nodust(&[
        "replay",
        path(&log),
        "--refetch",
        "--no-filter",
        "--report",
        path(&report),
    ]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert_eq!(numbers(&report), [fetched, refetched, saved]);

    let (told, without, refetched, _) = crawl(&[]);
    assert_eq!(refetched, 0);
    assert!(without > fetched + 100, "{without} after {fetched}");
    assert!(!told.contains("refetched"), "{told}");
}

#[test]
fn a_log_of_a_crawl_that_predicts_nothing_tells_a_replay_enough() {
    let asked = Asked::default();
    let site = site(&asked);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (log, report) = (at("log.jsonl"), at("report.json"));
    let plain = [
        "--delay",
        "0",
        "--no-filter",
        "--no-normalize",
        "--no-rules",
        "--no-predict",
    ];
    let out = nodust(
        &[
            &[
                "crawl",
                &site,
                "--log",
                path(&log),
                "--max-pages",
                "600",
                "--refetch",
            ],
            &plain[..],
        ]
        .concat(),
    );
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let twice = fs::read_to_string(&log)
        .unwrap()
        .matches("\"refetched\":")
        .count();
    assert!((3..15).contains(&twice), "{twice}");
    nodust(&[
        "replay",
        path(&log),
        "--refetch",
        "--no-filter",
        "--report",
        path(&report),
    ]);
    let [_, refetched, saved] = numbers(&report);
    assert!(refetched > 2 && saved > 100, "{refetched} {saved}");
}

/// A site of pages in a row, each of which gives its second answer, and all later ones, as `second` says.
fn row(asked: &Asked, second: fn() -> (&'static str, String)) -> String {
    let asked = Arc::clone(asked);
    serve_answers(move |path| {
        let times = {
            let mut asked = asked.lock().unwrap();
            asked.1 += 1;
            let times = asked.0.entry(path.to_owned()).or_default();
            *times += 1;
            *times
        };
        let number = path.strip_prefix("/news/").and_then(|n| n.parse().ok());
        match (number, path) {
            (Some(_), _) if times > 1 => second(),
            (Some(number), _) => {
                let (text, next) = (words(number, 40), (number + 1).min(300));
                ("200 OK", format!("<p>{text}<p><a href=/news/{next}>on</a>"))
            }
            (None, "/") => ("200 OK", "<p>Welcome. <a href=/news/1>news</a>".to_owned()),
            _ => ("404 Not Found", String::new()),
        }
    })
}

#[test]
fn second_answers_that_do_not_come_are_not_asked_for_again_and_again() {
    let asked = Asked::default();
    let site = row(&asked, || ("500 Internal Server Error", String::new()));
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.json");
    let always = ["crawl", &site, "--refetch", "--delay", "0"];
    let out = nodust(&[&always[..], &["--report", path(&report)]].concat());
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let [fetched, refetched, _] = numbers(&report);
    assert_eq!(fetched, 301);
    assert!((1..30).contains(&refetched), "{refetched}");
    assert_eq!(asked.lock().unwrap().1, fetched + refetched + 1);
}

#[test]
fn a_crawl_that_ends_while_a_second_answer_hangs_keeps_the_first() {
    let asked = Asked::default();
    let site = row(&asked, || {
        // Longer than the crawl may take.
        std::thread::sleep(std::time::Duration::from_mins(1));
        ("", String::new())
    });
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (log, store) = (at("log.jsonl"), at("store"));
    let always = [
        "crawl",
        &site,
        "--refetch",
        "--delay",
        "0",
        "--max-duration",
        "8",
    ];
    let files = ["--log", path(&log), "--store", path(&store)];
    let out = nodust(&[&always[..], &files].concat());
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let twice = asked
        .lock()
        .unwrap()
        .0
        .iter()
        .find(|(_, times)| **times > 1)
        .map(|(path, _)| path.clone());
    let twice = twice.expect("a page is fetched twice");
    let lines = fs::read_to_string(&log).unwrap();
    assert!(
        lines.contains(&format!("{twice}\"")),
        "{twice} is not in the log"
    );
}
