//! Does a replay that is killed again and again know which copies lead to what no other page leads to?
//!
//! A gallery has albums of three parts with the same words. What the parts of the first albums show is shown by the first part, too; later
//! ones have pictures of their own, which nothing else links to.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail as loudly as the tests do"
)]

mod killing;

use std::{fmt::Write as _, path::Path};

use killing::{End, PREDICTION, like_undisturbed};
use nodust_tests::dice::mix;
use serde_json::{Value, json};

/// Albums of the gallery, and those whose parts are one.
const ALBUMS: u64 = 560;
const PLAIN: u64 = 200;

fn words(seed: u64) -> String {
    (0..90).fold(String::new(), |mut text, n| {
        write!(text, "w{:x}", mix(seed * 1000 + n) % 0xf_ffff).unwrap();
        text.push(if n % 12 == 11 { '\n' } else { ' ' });
        text
    })
}

fn album(id: u64, part: u64) -> String {
    match part {
        0 => format!("http://gallery.example/album?id={id}"),
        part => format!("http://gallery.example/album?id={id}&part={part}"),
    }
}

fn picture(id: u64, part: u64) -> String {
    format!("http://gallery.example/picture/{}", id * 10 + part)
}

/// Writes the log of a crawl that fetched every page.
fn record(path: &Path) {
    let mut log = String::new();
    let mut write = |url: &str, text: u64, links: &[String]| {
        let text = format!("welcome to our gallery\n{}\nnumber {text}", words(text));
        let page = json!({"url": url, "status": 200, "text": text, "links": links});
        writeln!(log, "{page}").unwrap();
    };
    for id in 0..ALBUMS {
        for part in 0..3 {
            let mut links = vec![album(id, 1), album(id, 2)];
            if id + 1 < ALBUMS {
                links.insert(0, album(id + 1, 0));
            }
            let shown = if id < PLAIN { 0 } else { part };
            links.push(picture(id, shown));
            write(&album(id, part), id, &links);
            write(&picture(id, part), 100_000 + id * 10 + part, &[]);
        }
    }
    std::fs::write(path, log).unwrap();
}

/// The belief that parts do not matter, by what is told of it.
fn of_parts(end: &End) -> &Value {
    let beliefs = end.beliefs["sites"]["gallery.example"].as_array().unwrap();
    let is_it = |belief: &&Value| belief["text"].as_str().unwrap().starts_with("part ");
    beliefs.iter().find(is_it).unwrap()
}

#[test]
fn what_copies_lead_to_is_met_whenever_the_replay_is_killed() {
    let end = like_undisturbed(record, PREDICTION);
    let total = &end.stats.total;
    let of_parts = of_parts(&end);
    assert_eq!(of_parts["standing"], "probation", "{of_parts}");
    let dropped = of_parts["dropped"].as_u64().unwrap();
    assert!(dropped > 200 && total.recalled >= dropped, "{of_parts}");
    assert!(end.ledger.is_empty(), "{:?}", end.ledger);
    let plain = ALBUMS * 3 + PLAIN + (ALBUMS - PLAIN) * 3;
    assert_eq!(total.fetched, plain, "{total:?}");
}
