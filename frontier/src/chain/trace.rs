//! A record of how one link passes through the chain.

use std::fmt;

use crate::{BeliefId, Candidate, StageName, Verdict};

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

/// A sentence for the reader of a [`Trace`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What it is about: `seen-set`, `ledger`, `belief`, or `note` for anything else; `None` if it continues the note before it.
    pub about: Option<&'static str>,
    /// The sentence.
    pub text: String,
}

/// What would become of a link if it were found now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It would be queued and fetched.
    Wanted,
    /// A stage would drop it.
    Dropped,
    /// This spelling was queued before: it waits, is being fetched, or was tried.
    Known,
    /// This spelling waits to be fetched.
    Queued,
    /// This spelling was fetched.
    Fetched,
    /// This spelling was tried, and no usable answer came.
    Failed,
    /// This spelling was tried and failed, and is kept until a crawl is told to [retry](crate::LocalFrontier::retry_failed).
    ToRetry,
    /// This spelling no longer waits: it was fetched, failed, or was dropped while it waited.
    Tried,
    /// This spelling was dropped before, and is not judged again.
    DroppedBefore,
    /// This spelling was dropped on the word of this belief, and waits in the ledger in case the belief falls.
    InLedger(BeliefId),
    /// Another spelling of the page waits or was fetched.
    KnownPage,
    /// It would be queued and fetched, but all links to it met so far say `nofollow`.
    NotFollowed,
}

/// Everything that was said about one link, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    link: String,
    steps: Vec<Step>,
    /// What the stores know, and other remarks, in sentences.
    notes: Vec<Note>,
    /// What would become of the link; `None` if no store was asked.
    fate: Option<Fate>,
}

impl Trace {
    pub(crate) fn new(link: &str) -> Self {
        Self {
            link: link.to_owned(),
            steps: Vec::new(),
            notes: Vec::new(),
            fate: None,
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

    /// Leaves out what a stage said, and those behind it: they would not be asked.
    pub(crate) fn leave_out_from(&mut self, stage: StageName) {
        if let Some(at) = self.steps.iter().position(|step| step.stage == stage) {
            self.steps.truncate(at);
        }
    }

    /// Adds a sentence for the reader.
    pub fn note(&mut self, sentence: impl Into<String>) {
        self.note_of(Some("note"), sentence);
    }

    /// Adds a sentence about one part of the crawl.
    pub(crate) fn note_of(&mut self, about: Option<&'static str>, sentence: impl Into<String>) {
        let text = sentence.into();
        self.notes.push(Note { about, text });
    }

    /// Sets what would become of the link.
    pub fn conclude(&mut self, fate: Fate) {
        self.fate = Some(fate);
    }

    /// What would become of the link; `None` if no store was asked.
    pub const fn fate(&self) -> Option<Fate> {
        self.fate
    }

    /// The link as it was given.
    pub fn link(&self) -> &str {
        &self.link
    }

    /// What each stage said, in the order in which they ran.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Sentences about what the stores know, and other remarks.
    pub fn notes(&self) -> &[Note] {
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
            let (had_class, is_edited) = (class != url, step.url != url);
            if is_edited {
                writeln!(f, "{:<10} url   {}", "", step.url.as_deref().unwrap_or("-"))?;
            }
            if step.class != class && (had_class || step.class != step.url) {
                let named = step.class.as_deref().unwrap_or("-");
                write!(f, "{:<10} class {named}", "")?;
                if had_class && is_edited && step.class == step.url {
                    write!(
                        f,
                        " (what it was compared by is undone, as its URL was changed)"
                    )?;
                }
                writeln!(f)?;
            }
            url.clone_from(&step.url);
            class.clone_from(&step.class);
        }
        for Note { about, text } in &self.notes {
            writeln!(f, "{:<10} {text}", about.unwrap_or_default())?;
        }
        let Some(fate) = self.fate else {
            return Ok(());
        };
        let dropped = self.drop_step().and_then(|step| match &step.verdict {
            Verdict::Drop(reason) => Some((step.stage, reason)),
            Verdict::Pass => None,
        });
        write!(f, "\nFound now, it would ")?;
        match (fate, dropped) {
            (Fate::Wanted, _) => writeln!(f, "be fetched: no stage drops it and it is new."),
            (Fate::Known, _) => writeln!(
                f,
                "not be fetched again: this very URL waits to be fetched, or was."
            ),
            (Fate::Queued, _) => {
                writeln!(f, "not be queued again: this very URL waits to be fetched.")
            }
            (Fate::Fetched, _) => {
                writeln!(f, "not be fetched again: this very URL was fetched.")
            }
            (Fate::Failed, _) => writeln!(
                f,
                "not be fetched again: this very URL was tried, and failed."
            ),
            (Fate::ToRetry, _) => writeln!(
                f,
                "not be fetched again before a crawl is told to retry what failed (--retry-failed): this very URL was tried, and failed."
            ),
            (Fate::Tried, _) => writeln!(
                f,
                "not be fetched again: this very URL waits no more: it was fetched, or failed."
            ),
            (Fate::DroppedBefore, _) => writeln!(
                f,
                "not be fetched: this very URL was dropped before. What a filter drops is not judged again on its store, whatever is set since."
            ),
            (Fate::InLedger(belief), _) => {
                write!(
                    f,
                    "not be fetched: this very URL waits in the ledger, on the word of "
                )?;
                if belief == BeliefId::STATIC {
                    write!(f, "normalization")?;
                } else {
                    write!(f, "belief {belief}")?;
                }
                writeln!(f, ", and is fetched once that turns out wrong.")
            }
            (Fate::KnownPage, _) => writeln!(
                f,
                "not be fetched: another spelling of the same page waits to be fetched, or was."
            ),
            (Fate::NotFollowed, _) => writeln!(
                f,
                "not be fetched where its link or the page around it says nofollow, as all did so far, \
                 and else be fetched."
            ),
            (Fate::Dropped, Some((stage, reason))) => {
                write!(f, "not be fetched: the stage {stage} drops it ({reason})")?;
                if reason.belief().is_some() {
                    write!(f, ", unless exploration picks it")?;
                }
                writeln!(f, ".")
            }
            (Fate::Dropped, None) => writeln!(f, "not be fetched."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RawUrl, Via};

    #[test]
    fn a_class_that_an_edit_of_the_url_has_undone_is_told() {
        let mut link = Candidate::resolve(RawUrl::new("http://e.org/a?b=1"), &Via::seed()).unwrap();
        let mut trace = Trace::new("http://e.org/a?b=1");
        trace.push("resolve", Some(&link), Verdict::Pass);
        link.set_class("http://e.org/a".to_owned());
        trace.push("normalize", Some(&link), Verdict::Pass);
        link.edit_url(|url| url.set_scheme("https").unwrap_or_default())
            .unwrap();
        trace.push("secure", Some(&link), Verdict::Pass);
        let told = trace.to_string();
        let undone = "secure     pass\n           url   https://e.org/a?b=1\n           class https://e.org/a?b=1 (what";
        assert!(told.contains(undone), "{told}");
        assert_eq!(told.matches("undone").count(), 1, "{told}");
    }
}
