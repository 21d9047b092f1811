//! How did it go, per tool and function?

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::{Case, Kind, Outcome};

/// Counts of outcomes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Same answer.
    pub agree: usize,
    /// Another answer, by design.
    pub by_design: usize,
    /// Another answer.
    pub disagree: usize,
    /// No counterpart.
    pub not_applicable: usize,
}

impl Tally {
    /// Share of disagreements among the calls that could be compared; 0 when there is none.
    pub fn disagreement(&self) -> f64 {
        let compared = self.agree + self.by_design + self.disagree;
        if compared == 0 {
            0.0
        } else {
            self.disagree as f64 / compared as f64
        }
    }

    fn add(&mut self, other: &Self) {
        self.agree += other.agree;
        self.by_design += other.by_design;
        self.disagree += other.disagree;
        self.not_applicable += other.not_applicable;
    }
}

/// All outcomes, by tool and function.
#[derive(Clone, Debug, Default)]
pub struct Report {
    rows: BTreeMap<(String, String), (Option<Kind>, Tally)>,
    categories: BTreeMap<&'static str, usize>,
    reasons: BTreeMap<&'static str, usize>,
    disagreements: Vec<String>,
}

impl Report {
    /// Counts an outcome.
    pub fn count(&mut self, case: &Case, kind: Kind, outcome: &Outcome) {
        let key = (case.peer.clone(), case.function.clone());
        let (row_kind, tally) = self.rows.entry(key).or_default();
        *row_kind = Some(kind);
        match outcome {
            Outcome::Agree => tally.agree += 1,
            Outcome::ByDesign(categories) => {
                tally.by_design += 1;
                for category in categories {
                    *self.categories.entry(category).or_default() += 1;
                }
            }
            Outcome::Disagree(ours) => {
                tally.disagree += 1;
                self.disagreements.push(describe(case, ours));
            }
            Outcome::NotApplicable(reason) => {
                tally.not_applicable += 1;
                *self.reasons.entry(reason).or_default() += 1;
            }
        }
    }

    /// The tools that were met.
    pub fn peers(&self) -> BTreeSet<&str> {
        self.rows.keys().map(|(peer, _)| peer.as_str()).collect()
    }

    /// All functions of one kind of one tool together.
    pub fn tally(&self, peer: &str, kind: Kind) -> Tally {
        let mut sum = Tally::default();
        for ((of, _), (row_kind, tally)) in &self.rows {
            if of == peer && *row_kind == Some(kind) {
                sum.add(tally);
            }
        }
        sum
    }

    /// The calls that disagree, in words.
    pub fn disagreements(&self) -> &[String] {
        &self.disagreements
    }
}

fn describe(case: &Case, ours: &str) -> String {
    let short = |text: String| text.chars().take(200).collect::<String>();
    format!(
        "{} {}({} {}) expected {} ours {}",
        case.peer,
        case.function,
        short(serde_json::Value::Array(case.args.clone()).to_string()),
        short(serde_json::Value::Object(case.kwargs.clone()).to_string()),
        short(format!("{:?}", case.expected)),
        short(ours.to_owned()),
    )
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<19} {:<45} {:>6} {:>9} {:>9} {:>5}",
            "peer", "function", "agree", "by design", "disagree", "n/a"
        )?;
        for ((peer, function), (_, t)) in &self.rows {
            writeln!(
                f,
                "{peer:<19} {function:<45} {:>6} {:>9} {:>9} {:>5}",
                t.agree, t.by_design, t.disagree, t.not_applicable
            )?;
        }
        for (title, counts) in [("by design", &self.categories), ("n/a", &self.reasons)] {
            writeln!(f, "\n{title}, calls per category")?;
            for (name, count) in counts {
                writeln!(f, "{count:>6}  {name}")?;
            }
        }
        writeln!(f, "\ndisagreements")?;
        for line in &self.disagreements {
            writeln!(f, "  {line}")?;
        }
        Ok(())
    }
}
