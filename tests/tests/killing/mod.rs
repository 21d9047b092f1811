//! Replays of a recorded crawl by the real binary, which are sent SIGKILL at instants drawn from a fixed seed and called again.

use std::{
    collections::BTreeSet,
    os::unix::process::ExitStatusExt as _,
    path::Path,
    process::{Command, Output, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use nodust_frontier::{Ledger as _, SledOptions, SledStore, StateStore as _, Stats, Store as _};
use nodust_middleware::{learn::online::rules_in_store, rules::RuleFile};
use nodust_tests::dice::mix;
use serde_json::Value;

/// Kills of one replay, at most.
const KILLS: u64 = 10;
/// Kills that must have met a replay which had begun, over all rounds.
const AT_WORK: u64 = 6;
const ROUNDS: u64 = 12;

/// Prediction alone learns.
pub(crate) const PREDICTION: &str = "[predict]\nenabled = true\n";

pub(crate) fn nodust(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nodust-under-test"));
    command
        .args(args)
        .env("RUST_LOG", "warn")
        .stdin(Stdio::null());
    command
}

pub(crate) fn replay_with(folder: &Path, learners: &str) -> Command {
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

pub(crate) fn checked(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(!said.contains("not restored"), "{said}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// All that must be equal in the end.
#[derive(Debug, PartialEq)]
pub(crate) struct End {
    pub(crate) beliefs: Value,
    pub(crate) rules: RuleFile,
    pub(crate) ledger: BTreeSet<String>,
    pub(crate) stats: Stats,
    known_twice: u64,
}

impl End {
    pub(crate) fn of(folder: &Path) -> Self {
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
pub(crate) fn like_undisturbed(record: impl FnOnce(&Path), learners: &str) -> End {
    let calm = tempfile::tempdir().unwrap();
    let log = calm.path().join("log.jsonl");
    record(&log);
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
