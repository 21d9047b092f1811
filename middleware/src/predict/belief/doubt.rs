//! Doubts about a belief: reasons not to act upon it, short of its being wrong.
//!
//! These are trials that failed of late, and trials that could not be decided.

use super::{Belief, LITERAL_TRIALS, Level, SCREENING, State};
use crate::predict::form::Edit;

/// How much of what a claim says has to be told by trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::predict) enum Scrutiny {
    Usual,
    /// It is about an alias that holds for a whole site.
    Literal,
    /// So many of its kind are proposed that some are right by chance where it is easy to tell.
    OneOfMany,
}

impl Scrutiny {
    pub(in crate::predict) fn of(edit: &Edit) -> Self {
        if edit.is_literal() {
            Self::Literal
        } else if edit.is_one_of_many() {
            Self::OneOfMany
        } else {
            Self::Usual
        }
    }
}

impl Belief {
    /// Counts a trial that could not be decided. `of_alias`: whether it is about an alias, and what is known then:
    /// whether the pages are small, and little more than their own address.
    pub(in crate::predict) fn leave_undecided(&mut self, of_alias: Option<(bool, bool)>) {
        self.undecided += 1;
        if let Some((is_small, is_echo)) = of_alias {
            let rare = self.tested().rare_mut();
            rare.small += u32::from(is_small);
            rare.echoes.1 += u32::from(is_echo);
        }
    }

    /// Counts a trial of an alias on a page that is little more than its own address.
    pub(in crate::predict) fn count_echo(&mut self) {
        self.tested().rare_mut().echoes.0 += 1;
    }

    /// Whether the last trials speak against it.
    pub fn is_doubted(&self) -> bool {
        match self.state {
            State::Active => false,
            State::Proposed => self.screened_out,
            State::Probation => self.failures() > 0 && self.evidence().log_e < 0.0,
            State::Withdrawn => true,
        }
    }

    /// Whether any of the last trials speaks against it.
    pub fn has_failed(&self) -> bool {
        self.failures() > 0 || self.is_doubted()
    }

    /// Whether no trial has ever spoken against it, from its screening on.
    pub fn is_spotless(&self) -> bool {
        let screened = self.tested.as_ref().map_or(0, |tested| tested.screened);
        !self.has_failed() && self.tries() <= 1 && screened <= SCREENING
    }

    /// Whether too many of its trials could not be decided: it then says little about the next one. An alias that holds
    /// for a whole site must not rest only on those pages that are easy to decide, so each kind of page is checked
    /// separately, and more strictly. So is a claim that has proved itself on other actions, not on this one, and one of many.
    pub(in crate::predict) fn is_vague(&self, scrutiny: Scrutiny) -> bool {
        let share = match (self.level, scrutiny) {
            (Level::Names, Scrutiny::Literal) => 4,
            (_, Scrutiny::OneOfMany) => 2,
            (Level::Action, _) if self.state != State::Active => 2,
            _ => 1,
        };
        self.undecided * share > self.seen()
    }

    /// Whether it is vague and, if it is an alias, not only about small pages. It is then not acted upon, nor are wider
    /// beliefs on the URLs that it is about. If only small pages cannot be decided, large ones may be dropped.
    pub(in crate::predict) fn is_mute(&self, scrutiny: Scrutiny) -> bool {
        self.is_vague(scrutiny) && !(scrutiny == Scrutiny::Literal && self.is_telling_of_large())
    }

    fn echoes(&self) -> (u32, u32) {
        self.rare().map_or((0, 0), |rare| rare.echoes)
    }

    /// Whether it is vague only about small pages, which can be decided only by equality.
    pub fn is_telling_of_large(&self) -> bool {
        let small = self.rare().map_or(0, |rare| rare.small);
        (self.undecided - small) * 4 <= self.seen()
    }

    /// Whether too many of its trials could not be decided, not counting pages that are little more than their own
    /// address.
    pub fn is_vague_beside_echoes(&self) -> bool {
        let (told, untold) = self.echoes();
        (self.undecided - untold) * 4 > self.seen().saturating_sub(told)
    }

    /// Whether it was decided on pages that are little more than their own address. What other pages show says nothing
    /// about these: under another address they may be other pages.
    pub fn is_telling_of_echoes(&self) -> bool {
        let (told, untold) = self.echoes();
        told >= LITERAL_TRIALS && untold * 4 <= told
    }
}
