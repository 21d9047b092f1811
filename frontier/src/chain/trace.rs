//! The journey of one link, written down.

use std::fmt;

use crate::{Candidate, StageName, Verdict};

/// What one stage said.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Which stage.
    pub stage: StageName,
    /// What would be fetched, after the stage.
    pub url: Option<String>,
    /// What the link is compared by, after the stage.
    pub class: Option<String>,
    /// What the stage said.
    pub verdict: Verdict,
}

/// All that was said about one link, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    link: String,
    steps: Vec<Step>,
    /// What the stores know, in sentences.
    notes: Vec<String>,
}

impl Trace {
    pub(crate) fn new(link: &str) -> Self {
        Self {
            link: link.to_owned(),
            steps: Vec::new(),
            notes: Vec::new(),
        }
    }

    pub(crate) fn push(
        &mut self,
        stage: StageName,
        candidate: Option<&Candidate>,
        verdict: Verdict,
    ) {
        self.steps.push(Step {
            stage,
            url: candidate.map(|c| c.url().as_str().to_owned()),
            class: candidate.map(|c| c.class().to_owned()),
            verdict,
        });
    }

    /// Adds a sentence for the reader.
    pub fn note(&mut self, sentence: impl Into<String>) {
        self.notes.push(sentence.into());
    }

    /// The link as it was given.
    pub fn link(&self) -> &str {
        &self.link
    }

    /// What each stage said, in running order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Sentences about what the stores know.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The step that dropped the link, if one did.
    pub fn drop_step(&self) -> Option<&Step> {
        self.steps
            .iter()
            .find(|step| matches!(step.verdict, Verdict::Drop(_)))
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "link   {}", self.link)?;
        let (mut url, mut class) = (None, None);
        for step in &self.steps {
            match &step.verdict {
                Verdict::Pass => writeln!(f, "{:<10} pass", step.stage)?,
                Verdict::Drop(reason) => writeln!(f, "{:<10} DROP  {reason}", step.stage)?,
            }
            if step.url != url {
                writeln!(f, "{:<10} url   {}", "", step.url.as_deref().unwrap_or("-"))?;
                url.clone_from(&step.url);
            }
            if step.class != class && step.class != step.url {
                writeln!(
                    f,
                    "{:<10} class {}",
                    "",
                    step.class.as_deref().unwrap_or("-")
                )?;
            }
            class.clone_from(&step.class);
        }
        for note in &self.notes {
            writeln!(f, "{:<10} {note}", "note")?;
        }
        Ok(())
    }
}
