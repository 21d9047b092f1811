//! Do our functions answer as those of other tools, except where we chose otherwise?
//!
//! Reads every `*.jsonl` of the folder `NODUST_CONFORMANCE_DIR`, or of `../shared/data/conformance` beside
//! the workspace; without either the test says so and passes. Run with `--nocapture` for the table.

#![expect(clippy::print_stdout, reason = "the table is what the test is run for")]

use std::path::{Path, PathBuf};

use nodust_tests::conformance::{
    Kind, Report, read_folder, replay,
    request::{OnTheWire, on_the_wire},
};
use serde_json::Value;

/// Disagreements allowed among courlan's filters, validation, domain and link functions.
const MAX_JUDGE: f64 = 0.03;
/// Disagreements allowed among the scrub, normalize and clean functions of each tool.
const MAX_REWRITE: f64 = 0.05;

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("NODUST_CONFORMANCE_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/conformance"),
        PathBuf::from,
    );
    if folder.is_dir() {
        return Some(folder);
    }
    println!(
        "skipped: no folder {}; set NODUST_CONFORMANCE_DIR",
        folder.display()
    );
    None
}

#[test]
fn answers_agree_or_deviate_by_design() {
    let Some(folder) = folder() else { return };
    let (cases, unreadable) = read_folder(&folder).expect("the folder was there a moment ago");
    let mut report = Report::default();
    for case in &cases {
        let (kind, outcome) = replay(case);
        report.count(case, kind, &outcome);
    }
    println!(
        "{} calls, {unreadable} rows skipped that are no calls\n\n{report}",
        cases.len()
    );
    let mut over = Vec::new();
    for peer in report.peers() {
        for (kind, limit) in [(Kind::Judge, MAX_JUDGE), (Kind::Rewrite, MAX_REWRITE)] {
            let tally = report.tally(peer, kind);
            let share = tally.disagreement();
            println!(
                "{peer} {kind:?}: {} of {} compared disagree ({:.2} %)",
                tally.disagree,
                tally.agree + tally.by_design + tally.disagree,
                share * 100.0
            );
            if share > limit {
                over.push(format!("{peer} {kind:?}: {share:.4} > {limit}"));
            }
        }
    }
    assert!(over.is_empty(), "{over:?}\n{:#?}", report.disagreements());
}

#[test]
fn nothing_is_destroyed_on_the_wire() {
    let Some(folder) = folder() else { return };
    let (cases, _) = read_folder(&folder).expect("the folder was there a moment ago");
    let mut counts = [0_usize; 3];
    let mut destroyed = Vec::new();
    for case in &cases {
        for value in case.args.iter().chain(case.kwargs.values()) {
            let Some(text) = value.as_str() else { continue };
            match on_the_wire(text) {
                OnTheWire::NoUrl => counts[0] += 1,
                OnTheWire::Same => counts[1] += 1,
                OnTheWire::Repaired => {
                    counts[2] += 1;
                    println!(
                        "repaired: {}",
                        Value::from(text.chars().take(120).collect::<String>())
                    );
                }
                OnTheWire::Destroyed => destroyed.push(text.to_owned()),
            }
        }
    }
    println!(
        "no URL {}, same request {}, repaired {}",
        counts[0], counts[1], counts[2]
    );
    assert!(destroyed.is_empty(), "{destroyed:#?}");
}
