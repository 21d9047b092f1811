//! Do the pages of documentation lead somewhere, and are their words explained?

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail as loudly as the tests do"
)]

use std::{
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    (Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()).to_owned()
}

/// The pages of the repository's root and of `docs/`.
fn pages() -> Vec<PathBuf> {
    let is_page = |path: &PathBuf| path.extension().is_some_and(|ext| ext == "md");
    ([root(), root().join("docs")].iter())
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(is_page)
        .collect()
}

#[test]
fn links_within_the_documentation_lead_to_files_that_are_there() {
    let mut links = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for (_, behind) in text
            .match_indices("](")
            .map(|(at, sign)| text.split_at(at + sign.len()))
        {
            let target = behind.split(')').next().unwrap();
            let file = target.split('#').next().unwrap();
            let is_within =
                !file.is_empty() && !target.contains("://") && !target.contains([' ', '\n']);
            if is_within {
                links += 1;
                let leads_to = page.parent().unwrap().join(file);
                assert!(leads_to.exists(), "{}: {target}", page.display());
            }
        }
    }
    assert!(links > 10, "{links}");
}

#[test]
fn rows_of_tables_have_as_many_cells_as_their_headers() {
    let mut rows = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let mut cells = None;
        for (number, line) in text.lines().enumerate() {
            if !line.starts_with('|') {
                cells = None;
                continue;
            }
            let here = line.replace("\\|", "").matches('|').count();
            let header = *cells.get_or_insert(here);
            assert_eq!(here, header, "{}:{}: {line}", page.display(), number + 1);
            rows += 1;
        }
    }
    assert!(rows > 300, "{rows}");
}

#[test]
fn words_that_the_readme_and_the_command_use_are_explained() {
    let glossary = fs::read_to_string(root().join("docs/glossary.md")).unwrap();
    let explained: String = (glossary.lines())
        .filter_map(|line| Some(line.strip_prefix("- ")?.split(": ").next()?.to_lowercase()))
        .collect::<Vec<_>>()
        .join("\n");
    for word in [
        "dust",
        "frontier",
        "chain",
        "stage",
        "seed",
        "scope",
        "filter",
        "seen-set",
        "ledger",
        "store",
        "log",
        "decisions",
        "replay",
        "nofollow",
        "class",
        "canonical",
        "cluster",
        "shingle",
        "chrome",
        "signature",
        "fingerprint",
        "prediction",
        "belief",
        "trial",
        "e-value",
        "risk",
        "probation",
        "active",
        "withdrawn",
        "explored",
        "probe",
        "precision",
        "kind",
        "shape",
        "yield",
        "budget",
        "rule",
        "pinned",
        "plain",
        "saved",
        "lost",
    ] {
        assert!(explained.contains(word), "{word}");
    }
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.contains("(docs/glossary.md)"));
}

/// Names of all fields of an object, and of the objects in it.
fn fields(value: &serde_json::Value, into: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(all) => {
            for (name, value) in all {
                into.push(name.clone());
                // Hosts and reasons are no fields.
                if ![
                    "hosts",
                    "saved_by",
                    "failed_by",
                    "dropped",
                    "dropped_waiting",
                ]
                .contains(&name.as_str())
                {
                    fields(value, into);
                }
            }
        }
        serde_json::Value::Array(all) => all.iter().for_each(|value| fields(value, into)),
        _ => {}
    }
}

#[test]
fn every_field_of_a_report_is_explained() {
    use nodust_crawler::report::{Ending, Lack, Report, Run, Share};
    use nodust_frontier::{BeliefCounts, BeliefId, BeliefRecord, Standing, Stats};
    let text = "sid is ignored";
    let belief = BeliefRecord {
        id: BeliefId::of("e.org", text),
        site: "e.org".to_owned(),
        text: text.to_owned(),
        standing: Standing::Active,
        trials: 54,
        failures: 0,
        earlier_trials: 0,
        earlier_failures: 0,
        undecided: 0,
        e_value: 1.0,
        exceptions: 0,
        examples: Vec::new(),
    };
    let run = Run {
        missing: Some(Lack::default()),
        first_failure: Some(String::new()),
        without_page: vec![String::new()],
        ..Run::default()
    };
    let mut report = Report::new(&Stats::default(), Ending::Complete, run)
        .with_beliefs(&[(belief, BeliefCounts::default())]);
    report.total.precision = Share::of(1, 2);
    let mut names = Vec::new();
    fields(&serde_json::to_value(&report).unwrap(), &mut names);
    assert!(names.len() > 50, "{names:?}");
    let page = fs::read_to_string(root().join("docs/files.md")).unwrap();
    let missing = names
        .iter()
        .filter(|name| !page.contains(&format!("`{name}`")));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&String>::new());
}
