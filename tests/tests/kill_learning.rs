//! Does a crawl that is killed again and again learn what an undisturbed one learns?
//!
//! The real binary replays a recorded crawl with prediction on and a store on disk, is sent SIGKILL at
//! instants drawn from a fixed seed, and is called again. A replay fetches one page at a time, so that
//! everything must be equal in the end: what was fetched, dropped and saved, the ledger, and every belief
//! with its evidence. A crawl with many requests at a time promises less, because the order in which
//! answers come differs from run to run with or without kills: of each page in flight, what it taught is
//! learned once, when it is fetched again. The same is asked of rewrite rules that are learned in the crawl, beside
//! prediction and alone, and of one that a file brings.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail as loudly as the tests do"
)]

mod killing;

use std::{collections::BTreeSet, fmt::Write as _, path::Path, process::Command};

use killing::{End, PREDICTION, checked, like_undisturbed, nodust, replay_with};
use nodust_tests::dice::mix;
use serde_json::{Value, json};

/// Items of the recorded shop. From `HONEST` on, the parameter that meant nothing says what is shown.
const ITEMS: u64 = 1500;
const HONEST: u64 = 1200;

/// Rules alone are learned.
const RULES: &str = "[predict]\nenabled = false\n[rules]\nlearn = true\n";
/// A rule that a file brings, and that is audited.
const AUDITED: &str = "[predict]\nenabled = false\n[rules]\nfile = 'rules.json'\n";
const BOTH: &str = "[predict]\nenabled = true\n[rules]\nlearn = true\n";
/// Prediction behind a rule that a file brings: it knows pages by what that makes of their URLs.
const BEHIND_RULES: &str = "[predict]\nenabled = true\n[rules]\nfile = 'rules.json'\n";

fn words(seed: u64) -> String {
    (0..90).fold(String::new(), |mut text, n| {
        write!(text, "w{:x}", mix(seed * 1000 + n) % 0xf_ffff).unwrap();
        text.push(if n % 12 == 11 { '\n' } else { ' ' });
        text
    })
}

fn item(id: u64) -> String {
    format!("http://shop.example/item?id={id}")
}

/// Links of an item: the next one, two earlier ones with the parameter, and a short link.
fn links(id: u64) -> [String; 4] {
    let visit = |to: u64, n: u64| format!("{}&visit={}", item(to), mix(id * 31 + n) % 1000);
    [
        item(id + 1),
        visit(id.saturating_sub(9), 1),
        visit(id.saturating_sub(30), 2),
        format!("http://shop.example/go?id={}", id + 2),
    ]
}

fn short(id: u64) -> String {
    format!("http://shop.example/dp/{id}")
}

/// Links of an item of a shop that names none of them without the parameter: the next one, by either of its addresses,
/// and two earlier ones.
fn links_of_visitors(id: u64) -> [String; 4] {
    let [_, near, far, _] = links(id);
    let next = format!("{}&visit={}", item(id + 1), mix(id * 31 + 7) % 1000);
    [next, short(id + 1), near, far]
}

/// Writes the log of a crawl that fetched every page; up to item `honest` the parameter means nothing.
fn record_with(path: &Path, honest: u64, links: fn(u64) -> [String; 4]) {
    let mut log = String::new();
    let mut write = |line: Value| writeln!(log, "{line}").unwrap();
    let page = |url: &str, id: u64, text: u64| {
        let links = links(id);
        let shown: &[String] = if id + 2 < ITEMS { &links } else { &[] };
        json!({
            "url": url,
            "status": 200,
            "text": format!("welcome to our shop\n{}\nitem {text}", words(text)),
            "links": shown,
        })
    };
    for id in 0..ITEMS {
        write(page(&item(id), id, id));
        write(page(&short(id), id, id));
        let go = format!("http://shop.example/go?id={id}");
        write(json!({"url": go, "status": 301, "redirect_to": item(id)}));
    }
    let visits: BTreeSet<String> = (0..ITEMS)
        .flat_map(links)
        .filter(|link| link.contains("&visit="))
        .collect();
    for link in visits {
        let url: url::Url = link.parse().unwrap();
        let mut values = url.query_pairs().map(|(_, v)| v.parse::<u64>().unwrap());
        let (id, visit) = (values.next().unwrap(), values.next().unwrap());
        let own = if id < honest { 0 } else { 7_919 * (visit + 1) };
        write(page(&link, id, id + own));
    }
    std::fs::write(path, log).unwrap();
}

fn replay(folder: &Path) -> Command {
    replay_with(folder, PREDICTION)
}

/// What is there in the end of a replay of the shop, killed or not.
fn killed_like_undisturbed(honest: u64, learners: &str) -> End {
    let links = if learners == BEHIND_RULES {
        links_of_visitors
    } else {
        links
    };
    like_undisturbed(|log| record_with(log, honest, links), learners)
}

fn busiest(end: &End) -> u64 {
    let beliefs = end.beliefs["sites"]["shop.example"].as_array().unwrap();
    let dropped = beliefs
        .iter()
        .filter_map(|belief| belief["dropped"].as_u64());
    dropped.max().unwrap()
}

#[test]
fn a_replay_killed_at_random_instants_ends_as_one_never_disturbed() {
    let end = killed_like_undisturbed(ITEMS, PREDICTION);
    assert!(busiest(&end) > 2000 && end.ledger.len() > 2000);
}

/// Whether a link that waits in the ledger is of an item where the parameter meant nothing.
fn is_of_old_item(link: &str) -> bool {
    let id = link
        .split_once("id=")
        .and_then(|(_, rest)| rest.split('&').next()?.parse().ok());
    id.is_some_and(|id: u64| id < HONEST)
}

/// From `HONEST` on the belief is wrong: all that it dropped comes back, also where a kill interrupts that. On old items
/// it proves itself again, and it or a narrower one may drop what is left of these.
#[test]
fn what_a_fallen_belief_dropped_is_fetched_whenever_the_replay_is_killed() {
    let end = killed_like_undisturbed(HONEST, PREDICTION);
    let total = &end.stats.total;
    assert!(busiest(&end) > 2000 && total.recalled > 2000, "{total:?}");
    let left = end.ledger.len() as u64;
    assert_eq!(
        total.fetched + left,
        total.admitted,
        "what is found is fetched"
    );
    assert!(end.ledger.iter().all(|link| is_of_old_item(link)));
}

/// What the learned rules saved.
fn saved_by_rules(end: &End) -> u64 {
    end.stats.total.saved_by.get("rules").copied().unwrap_or(0)
}

#[test]
fn rules_learned_in_a_replay_that_is_killed_are_those_of_one_never_disturbed() {
    let end = killed_like_undisturbed(ITEMS, RULES);
    assert!(saved_by_rules(&end) > 1000, "{:?}", end.stats.total);
    assert!(!end.rules.sites.is_empty() && end.ledger.len() > 1000);
}

/// From `HONEST` on the rule is wrong: it falls, and all that it dropped comes back.
#[test]
fn what_a_fallen_rule_dropped_is_fetched_whenever_the_replay_is_killed() {
    let end = killed_like_undisturbed(HONEST, RULES);
    let total = &end.stats.total;
    assert!(total.recalled > 1000, "{total:?}");
    assert_eq!(total.saved(), 0, "what is found is fetched");
    assert!(end.ledger.is_empty());
}

/// From `HONEST` on the rule of a file is wrong: it falls, too, and all that it dropped comes back.
#[test]
fn what_a_fallen_rule_of_a_file_dropped_is_fetched_whenever_the_replay_is_killed() {
    let end = killed_like_undisturbed(HONEST, AUDITED);
    let total = &end.stats.total;
    assert!(total.recalled > 1000, "{total:?}");
    assert_eq!(total.saved(), 0, "what is found is fetched");
    assert!(end.ledger.is_empty());
    let rule = &end.rules.sites[0].rules[0];
    assert_eq!(rule.status, nodust_middleware::rules::Status::Withdrawn);
}

#[test]
fn rules_and_beliefs_learned_side_by_side_survive_kills_together() {
    let end = killed_like_undisturbed(ITEMS, BOTH);
    let total = &end.stats.total;
    assert!(total.saved() > 2000 && end.ledger.len() > 2000, "{total:?}");
}

/// What prediction saved.
fn saved_by_prediction(end: &End) -> u64 {
    end.stats
        .total
        .saved_by
        .get("predict")
        .copied()
        .unwrap_or(0)
}

/// Text forms of beliefs that were ever acted upon about the two addresses of an item, which only the rule's names tell.
fn of_addresses(end: &End) -> Vec<&Value> {
    let beliefs = end.beliefs["sites"]["shop.example"].as_array().unwrap();
    let is_it = |belief: &&Value| belief["text"].as_str().unwrap().contains("/dp/");
    beliefs.iter().filter(is_it).collect()
}

#[test]
fn what_prediction_knows_by_the_names_that_rules_give_survives_kills() {
    let end = killed_like_undisturbed(ITEMS, BEHIND_RULES);
    assert!(saved_by_rules(&end) > 1000 && saved_by_prediction(&end) > 1000);
    let active = |belief: &&Value| belief["standing"] == "active";
    assert!(of_addresses(&end).iter().any(active), "{:?}", end.beliefs);
}

/// From `HONEST` on the rule is wrong, and what prediction learned by its names is learned anew.
#[test]
fn what_a_rule_dropped_that_fell_before_prediction_is_fetched_whenever_the_replay_is_killed() {
    let end = killed_like_undisturbed(HONEST, BEHIND_RULES);
    let total = &end.stats.total;
    assert!(total.recalled > 1000, "{total:?}");
    assert_eq!(end.ledger.len() as u64, total.saved());
    let rule = &end.rules.sites[0].rules[0];
    assert_eq!(rule.status, nodust_middleware::rules::Status::Withdrawn);
    let of_addresses = of_addresses(&end);
    let active = |belief: &&Value| belief["standing"] == "active";
    assert!(!of_addresses.is_empty() && !of_addresses.iter().any(active));
}

#[test]
fn beliefs_are_listed_exported_imported_explained_and_their_drops_fetched_on_demand() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    record_with(&folder.join("log.jsonl"), ITEMS, links);
    let mut first = replay(folder);
    checked(&first.args(["--max-pages", "3500"]).output().unwrap());
    let report: Value =
        serde_json::from_slice(&std::fs::read(folder.join("report.json")).unwrap()).unwrap();
    let top = &report["beliefs"][0];
    assert_eq!(top["verdict"], "active", "{top}");
    assert_eq!(top["host"], "shop.example");
    for name in ["trials", "e_value", "dropped", "explored", "text"] {
        assert!(!top[name].is_null(), "{name}");
    }
    let store = folder.join("store");
    let call = |args: &[&str]| checked(&nodust(args).arg("--store").arg(&store).output().unwrap());

    let listed = call(&["beliefs"]);
    let text = top["text"].as_str().unwrap();
    assert!(
        listed.contains(text) && listed.contains("active"),
        "{listed}"
    );
    let export = folder.join("beliefs.json");
    call(&["beliefs", "--export", export.to_str().unwrap()]);
    let exported: Value = serde_json::from_slice(&std::fs::read(&export).unwrap()).unwrap();
    assert_eq!(exported["format"], "nodust-beliefs");
    assert_eq!(exported["version"], 1);
    let beliefs = exported["sites"]["shop.example"].as_array().unwrap();
    let with_kinds = beliefs.iter().filter(|belief| belief["kinds"].is_object());
    assert!(with_kinds.count() > 0, "{exported}");

    let told = call(&["explain", &format!("{}&visit=4711", item(100))]);
    for part in [text, "trials", "e-value", "explored", "example: "] {
        assert!(told.contains(part), "{part} is not in\n{told}");
    }
    assert_eq!(told.matches("\n           example: ").count(), 2, "{told}");

    // Another crawl of the same site, with what this one knows.
    let saved = |more: &[&str]| {
        let other = tempfile::tempdir().unwrap();
        std::fs::copy(folder.join("log.jsonl"), other.path().join("log.jsonl")).unwrap();
        let mut replay = replay(other.path());
        replay.args(["--max-pages", "3500"]).args(more);
        checked(&replay.output().unwrap());
        let report = std::fs::read(other.path().join("report.json")).unwrap();
        let report: Value = serde_json::from_slice(&report).unwrap();
        report["saved_by"]["predict"].as_u64().unwrap_or(0)
    };
    let beliefs = ["--beliefs", export.to_str().unwrap()];
    let trusted = ["--beliefs", export.to_str().unwrap(), "--trust-beliefs"];
    let (alone, prior, active) = (saved(&[]), saved(&beliefs), saved(&trusted));
    assert!(alone < prior && prior < active, "{alone} {prior} {active}");
    std::fs::write(&export, r#"{"format": "nodust-beliefs", "version": 7}"#).unwrap();
    let refused = replay(folder).args(beliefs).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("version is 7"));

    // What waits in the ledger is fetched by a later process.
    let before = End::of(folder);
    assert!(!before.ledger.is_empty());
    let mut rest = replay(folder);
    checked(&rest.arg("--second-helping").output().unwrap());
    let after = End::of(folder);
    assert_eq!((after.stats.ledger, after.stats.queued), (0, 0));
    assert_eq!(after.stats.total.saved_by.get("predict"), None);
}
