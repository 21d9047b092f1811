//! The beliefs of a crawl, as reports show them.

use std::fmt;

use nodust_frontier::{BeliefCounts, BeliefRecord, Standing};
use serde::{Deserialize, Serialize};

use crate::{report::Share, words::counted};

/// One belief, with what came of acting on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Belief {
    /// Its name, as drop reasons give it: 16 hexadecimal digits.
    pub id: String,
    /// The registrable domain, or the host without one, that it is about.
    pub host: String,
    /// What it says, in the form that is read back.
    pub text: String,
    /// How far it has come.
    pub verdict: Standing,
    /// Trials that have counted since it has been tested: its e-value is made of these.
    pub trials: u64,
    /// Of these, failed.
    pub failures: u64,
    /// Trials before that: in another crawl, or before it fell and was tested anew.
    #[serde(default)]
    pub earlier_trials: u64,
    /// Of these, failed.
    #[serde(default)]
    pub earlier_failures: u64,
    /// Trials that could not be decided. If there are too many, the belief is not acted upon though active.
    #[serde(default)]
    pub undecided: u64,
    /// Evidence for it.
    pub e_value: f64,
    /// Kinds of URLs (namespaces of values) for which it was found not to hold, and is not acted upon.
    pub exceptions: u64,
    /// Links that it dropped.
    pub dropped: u64,
    /// Of these, taken back.
    pub recalled: u64,
    /// Links that it would have dropped and that were fetched to test it.
    pub explored: u64,
    /// Of these, duplicates.
    pub explored_duplicates: u64,
    /// Of the explored that could be judged: the share that were duplicates.
    pub precision: Option<Share>,
    /// Pairs of URLs that it held for: one that would be dropped, and the one that stands for it.
    pub examples: Vec<(String, String)>,
}

impl From<&(BeliefRecord, BeliefCounts)> for Belief {
    fn from((record, counts): &(BeliefRecord, BeliefCounts)) -> Self {
        Self {
            id: record.id.to_string(),
            host: record.site.clone(),
            text: record.text.clone(),
            verdict: record.standing,
            trials: record.trials,
            failures: record.failures,
            earlier_trials: record.earlier_trials,
            earlier_failures: record.earlier_failures,
            undecided: record.undecided,
            e_value: record.e_value,
            exceptions: record.exceptions,
            dropped: counts.dropped,
            recalled: counts.recalled,
            explored: counts.explored,
            explored_duplicates: counts.explored_duplicates,
            precision: Share::of(
                counts.explored_duplicates,
                counts.explored_duplicates + counts.explored_new,
            ),
            examples: record.examples.clone(),
        }
    }
}

impl Belief {
    /// The number of explored links that could be judged. The others were too short to be compared, failed, or have
    /// nothing left to be compared with.
    pub fn judged(&self) -> u64 {
        self.precision.map_or(0, |share| share.of)
    }

    /// What speaks for it and against it.
    fn tell_evidence(&self) -> String {
        let (trials, failures) = (self.trials, self.failures);
        let budget = BeliefRecord::tell_budget(&self.text, self.verdict, trials, failures);
        budget.unwrap_or_else(|| {
            format!(
                "{}: {}, {failures} failed{}{}{}",
                self.verdict,
                counted(trials, "trial"),
                BeliefRecord::tell_undecided(self.undecided),
                BeliefRecord::tell_e_value(self.e_value),
                BeliefRecord::tell_earlier(self.earlier_trials, self.earlier_failures),
            )
        })
    }

    /// Whether it is a budget, which is reported like a belief.
    pub fn is_budget(&self) -> bool {
        self.text.starts_with(BeliefRecord::BUDGET)
    }

    /// A pair of URLs that shows which ones it is about, if its text has only a name for them.
    pub fn place_shown(&self) -> Option<&(String, String)> {
        let level = self.text.split(" | ").nth(1)?;
        self.examples.first().filter(|_| level != "host")
    }

    /// Its standing, in words.
    pub fn tell_verdict(&self) -> String {
        match (self.is_budget(), self.verdict) {
            (true, Standing::Active) => "used up".to_owned(),
            (true, _) => "open again".to_owned(),
            (false, verdict) => verdict.to_string(),
        }
    }

    /// The words for the links that were explored.
    pub fn tell_explored(&self) -> String {
        match (self.explored, self.judged()) {
            (0, _) => "0 explored".to_owned(),
            (explored, 0) => format!(
                "{explored} explored, none judged (they failed, led elsewhere, had too little text, were alike in part only, or had nothing to be compared with)"
            ),
            (explored, judged) => format!(
                "{explored} explored, {} of {judged} judged were duplicates",
                self.explored_duplicates
            ),
        }
    }
}

/// Beliefs on probation that a report names; those with the best evidence.
const ON_PROBATION: usize = 100;

/// Everything that was learned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    /// The beliefs, those that dropped most first.
    pub beliefs: Vec<Belief>,
}

impl Learned {
    /// Makes a list of these beliefs, in this order.
    pub const fn new(beliefs: Vec<Belief>) -> Self {
        Self { beliefs }
    }

    /// The beliefs that a report names: all that were ever acted upon or have fallen, and the best of those on
    /// probation.
    pub fn for_report(beliefs: &[(BeliefRecord, BeliefCounts)]) -> Vec<Belief> {
        let mut on_probation = 0;
        beliefs
            .iter()
            .filter(|(record, counts)| {
                if record.standing != Standing::Probation || counts.dropped > 0 {
                    return true;
                }
                on_probation += 1;
                on_probation <= ON_PROBATION
            })
            .map(Belief::from)
            .collect()
    }
}

impl fmt::Display for Learned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.beliefs.is_empty() {
            return f.write_str("nothing was learned that could be acted upon\n");
        }
        for belief in &self.beliefs {
            writeln!(f, "{}  {}", belief.host, belief.text)?;
            writeln!(
                f,
                "    {}; {} dropped, {} came back; {} (belief {})",
                belief.tell_evidence(),
                belief.dropped,
                belief.recalled,
                belief.tell_explored(),
                belief.id,
            )?;
            for (copy, original) in &belief.examples {
                writeln!(f, "    {copy}\n      = {original}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = r#"{"beliefs": [{"id": "007807f09449b9a8", "host": "e.org", "text": "sid is ignored",
        "verdict": "active", "trials": 67, "failures": 0, "e_value": 22.2, "exceptions": 0, "dropped": 0,
        "recalled": 0, "explored": 0, "explored_duplicates": 0, "precision": null, "examples": []}]}"#;

    #[test]
    fn what_could_not_be_decided_is_told_where_there_is_any_and_old_reports_are_read() {
        let mut learned: Learned = serde_json::from_str(OLD).unwrap();
        assert_eq!(learned.beliefs[0].undecided, 0);
        assert!(learned.to_string().contains("67 trials, 0 failed, e-value"));
        learned.beliefs[0].undecided = 90;
        let told = learned.to_string();
        assert!(
            told.contains("67 trials, 0 failed, 90 more undecided, e-value"),
            "{told}"
        );
    }

    #[test]
    fn a_budget_is_told_in_words_of_its_own() {
        let learned: Learned = serde_json::from_str(OLD).unwrap();
        let mut belief = learned.beliefs[0].clone();
        belief.text =
            "budget of URLs like http://e.org/calendar?month=1 | d8805150b2a70413".to_owned();
        (belief.trials, belief.failures, belief.e_value) = (54, 7, 1.0);
        assert_eq!(belief.tell_verdict(), "used up");
        let told = Learned::new(vec![belief.clone()]).to_string();
        let words = "used up: 54 pages were fetched, 7 of them brought new content; 0 dropped";
        assert!(told.contains(words), "{told}");
        belief.verdict = Standing::Withdrawn;
        assert_eq!(belief.tell_verdict(), "open again");
    }

    #[test]
    fn of_what_could_not_be_compared_no_share_is_told() {
        let learned: Learned = serde_json::from_str(OLD).unwrap();
        let mut belief = learned.beliefs[0].clone();
        assert_eq!(belief.tell_explored(), "0 explored");
        belief.explored = 7;
        assert!(
            belief
                .tell_explored()
                .starts_with("7 explored, none judged (")
        );
        belief.explored_duplicates = 4;
        belief.precision = Share::of(4, 5);
        assert_eq!(
            belief.tell_explored(),
            "7 explored, 4 of 5 judged were duplicates"
        );
    }
}
