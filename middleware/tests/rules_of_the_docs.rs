//! Do the tables of `docs/rules.md` say what the rules do, and leave nothing out?

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail as loudly as the tests do"
)]

use std::collections::BTreeSet;

use nodust_middleware::rules::{Condition, Edit, Key, Parts, Rule, RuleFile, import_clearurls};

const DOCS: &str = include_str!("../../docs/rules.md");

/// What stands below a heading.
fn section(heading: &str) -> &'static str {
    let (_, rest) = DOCS.split_once(&format!("\n## {heading}\n")).unwrap();
    rest.split("\n## ").next().unwrap()
}

/// The cells of the rows of a section's table that are code, without their marks; a row begins with one.
fn rows(heading: &str) -> Vec<Vec<&'static str>> {
    let code = |cell: &'static str| cell.trim().strip_prefix('`')?.strip_suffix('`');
    let rows = section(heading)
        .lines()
        .filter(|line| line.starts_with("| `"));
    rows.map(|row| row.split('|').filter_map(code).collect())
        .collect()
}

fn json(heading: &str) -> &'static str {
    let (_, rest) = section(heading).split_once("```json\n").unwrap();
    rest.split("```").next().unwrap()
}

#[test]
fn every_part_has_the_value_that_is_said() {
    let (_, url) = section("Parts").split_once("Of `").unwrap();
    let parts = Parts::parse(url.split('`').next().unwrap()).unwrap();
    let mut told = BTreeSet::new();
    for row in rows("Parts") {
        let key: Key = row[0].parse().unwrap();
        assert_eq!(parts.get(&key).as_deref(), Some(row[1]), "{key}");
        told.insert(match key {
            Key::Scheme => 0,
            Key::Host => 1,
            Key::Len => 2,
            Key::Seg(_) => 3,
            Key::Tail(_) => 4,
            Key::Rest(_) => 5,
            Key::Ext => 6,
            Key::Slash => 7,
            Key::PathParam(_) => 8,
            Key::Query(_) => 9,
        });
    }
    assert_eq!(told.len(), 10, "one row for each kind");
}

#[test]
fn every_condition_holds_where_it_is_said_to() {
    let mut told = BTreeSet::new();
    for row in rows("Conditions") {
        let [text, holds, not] = row[..] else {
            panic!("{row:?}")
        };
        let condition: Condition = text.parse().unwrap();
        assert!(condition.holds(&Parts::parse(holds).unwrap()), "{text}");
        assert!(!condition.holds(&Parts::parse(not).unwrap()), "{text}");
        told.insert(match condition {
            Condition::Is(..) => 0,
            Condition::Maybe(..) => 1,
            Condition::Has(_) => 2,
            Condition::No(_) => 3,
            Condition::Like(..) => 4,
            Condition::Starts(..) => 5,
            Condition::Same(..) => 6,
            Condition::Only(_) => 7,
        });
    }
    assert_eq!(told.len(), 8, "one row for each kind");
}

#[test]
fn every_edit_makes_what_is_said() {
    let mut told = BTreeSet::new();
    for row in rows("Edits") {
        let [text, of, makes] = row[..] else {
            panic!("{row:?}")
        };
        let rule: Rule = format!("=> {text}").parse().unwrap();
        let mut parts = Parts::parse(of).unwrap();
        assert!(rule.apply(&mut parts), "{text}");
        assert_eq!(parts.render(), makes, "{text}");
        told.insert(match rule.edits[0] {
            Edit::Sort => 0,
            Edit::Drop(_) => 1,
            Edit::Keep(_) => 2,
            Edit::Mask(_) => 3,
            Edit::MaskDigits(..) => 4,
            Edit::Lower(_) => 5,
            Edit::LowerPath => 6,
            Edit::Set(..) => 7,
            Edit::Move(..) => 8,
            Edit::Copy(..) => 9,
            Edit::MaskPiece(..) => 10,
            Edit::Unwrap(..) => 11,
            Edit::Wrap(..) => 12,
            Edit::Respell(..) => 13,
            Edit::Unique(_) => 14,
            Edit::First(_) => 15,
            Edit::SortItems(..) => 16,
        });
    }
    assert_eq!(told.len(), 17, "one row for each kind");
}

#[test]
fn the_files_that_are_shown_are_read() {
    let file = RuleFile::parse(json("The file")).unwrap();
    let rules = file.sites[0].compile();
    let canon = rules.canon("http://forum.example/?f=2&sid=1").unwrap();
    assert_eq!(canon.class, "http://forum.example/?f=2", "f is vetoed");
    let imported = import_clearurls(json("Lists for `nodust rules import`")).unwrap();
    assert!(imported.left_out.is_empty());
    assert_eq!(imported.rules.sites[0].rules.len(), 3);
}
