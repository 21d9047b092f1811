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

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    os::unix::process::ExitStatusExt as _,
    path::Path,
    process::{Command, Output, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use nodust_frontier::{Ledger as _, SledOptions, SledStore, StateStore as _, Stats, Store as _};
use nodust_middleware::{learn::online::rules_in_store, rules::RuleFile};
use nodust_tests::dice::mix;
use serde_json::{Value, json};

/// Items of the recorded shop. From `HONEST` on, the parameter that meant nothing says what is shown.
const ITEMS: u64 = 1500;
const HONEST: u64 = 1200;
/// Kills of one replay, at most.
const KILLS: u64 = 10;
/// Kills that must have met a replay which had begun, over all rounds.
const AT_WORK: u64 = 6;
const ROUNDS: u64 = 12;

/// Who learns.
const PREDICTION: &str = "[predict]\nenabled = true\n";
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
fn record(path: &Path, honest: u64) {
    record_with(path, honest, links);
}

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

fn nodust(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nodust-under-test"));
    command
        .args(args)
        .env("RUST_LOG", "warn")
        .stdin(Stdio::null());
    command
}

fn replay(folder: &Path) -> Command {
    replay_with(folder, PREDICTION)
}

fn replay_with(folder: &Path, learners: &str) -> Command {
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let config = path("nodust.toml");
    let rules = r#"{"format": "nodust-rules", "version": 1, "sites": [{"hosts": ["shop.example"],
        "rules": [{"rule": "has:query.id => drop:query.visit"}]}]}"#;
    std::fs::write(path("rules.json"), rules).unwrap();
    std::fs::write(
        &config,
        format!("{learners}[store]\nflush = {{ every_ms = 20 }}\n"),
    )
    .unwrap();
    nodust(&[
        "replay",
        &path("log.jsonl"),
        "--config",
        &config,
        "--store",
        &path("store"),
        "--report",
        &path("report.json"),
    ])
}

fn checked(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(!said.contains("not restored"), "{said}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// All that must be equal in the end.
#[derive(Debug, PartialEq)]
struct End {
    beliefs: Value,
    rules: RuleFile,
    ledger: BTreeSet<String>,
    stats: Stats,
    known_twice: u64,
}

impl End {
    fn of(folder: &Path) -> Self {
        let store = folder.join("store");
        let listed = nodust(&["beliefs", "--format", "json", "--store"])
            .arg(&store)
            .output()
            .unwrap();
        let beliefs = serde_json::from_str(&checked(&listed)).unwrap();
        let store = SledStore::open(&store, &SledOptions::default()).unwrap();
        let mut ledger = BTreeSet::new();
        store
            .ledger_scan(&mut |_, entry| {
                ledger.insert(format!("{} {}", entry.belief, entry.admitted.url));
                true
            })
            .unwrap();
        let mut stats = Stats::of_store(&store).unwrap();
        // Each run offers the first page of the log again, and finds that it is known.
        let known_twice = stats.total.known;
        for counts in std::iter::once(&mut stats.total).chain(stats.hosts.values_mut()) {
            counts.offered -= counts.known;
            counts.known = 0;
        }
        assert!(store.state("frontier/total").unwrap().is_some());
        store.flush().unwrap();
        Self {
            beliefs,
            rules: rules_in_store(&store).unwrap(),
            ledger,
            stats,
            known_twice,
        }
    }
}

/// Replays a log to its end, with kills at instants drawn from `[0, span)` after each start.
///
/// Gives what is there in the end, and how many processes were killed.
fn killed(log: &Path, learners: &str, span: Duration, draw: u64) -> (End, u64) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(log, folder.path().join("log.jsonl")).unwrap();
    let mut kills = 0;
    while kills < KILLS {
        let mut child = replay_with(folder.path(), learners)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let share = (mix(draw * 1000 + kills) % 1000) as u32;
        sleep(span * share / 1000);
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        if output.status.signal() == Some(9) {
            kills += 1;
        } else {
            checked(&output);
            break;
        }
    }
    checked(&replay_with(folder.path(), learners).output().unwrap());
    (End::of(folder.path()), kills)
}

/// Replays a log undisturbed, then with kills, and compares what is there in the end.
///
/// How long a replay takes differs from machine to machine and from minute to minute, so the instants are
/// drawn as shares of what the undisturbed one took. Every round must end as the undisturbed one did; the
/// rounds go on, with kills closer together or further apart, until enough kills have met replays at work.
fn killed_like_undisturbed(honest: u64, learners: &str) -> End {
    let calm = tempfile::tempdir().unwrap();
    let log = calm.path().join("log.jsonl");
    if learners == BEHIND_RULES {
        record_with(&log, honest, links_of_visitors);
    } else {
        record(&log, honest);
    }
    let started = Instant::now();
    checked(&replay_with(calm.path(), learners).output().unwrap());
    let mut span = started.elapsed() / 2;
    let expected = End::of(calm.path());

    let mut met_at_work = 0;
    for round in 0..ROUNDS {
        let (found, kills) = killed(&log, learners, span, round);
        // Each run that had its store open and committed anything adds one; the last one was not killed.
        let begun = found.known_twice - expected.known_twice;
        met_at_work += begun.min(kills);
        let found = End {
            known_twice: expected.known_twice,
            ..found
        };
        assert_eq!(found.beliefs, expected.beliefs);
        assert_eq!(found.rules, expected.rules);
        assert_eq!(found.ledger, expected.ledger);
        assert_eq!(found.stats, expected.stats);
        if met_at_work >= AT_WORK {
            return expected;
        }
        // Few kills: the replay was done before them. Many that met nothing: they came before it began.
        span = if kills < KILLS { span / 2 } else { span * 2 };
    }
    panic!("only {met_at_work} kills in {ROUNDS} rounds met a replay at work");
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
    record(&folder.join("log.jsonl"), ITEMS);
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
