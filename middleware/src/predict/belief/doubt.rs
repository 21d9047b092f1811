//! What speaks against acting upon a belief, short of its being wrong?
//!
//! Trials that failed of late, and trials that nobody could decide.

use super::{Belief, LITERAL_TRIALS, Level, SCREENING, State};

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

    /// Whether no trial ever spoke against it, from its screening on.
    pub fn is_spotless(&self) -> bool {
        let screened = self.tested.as_ref().map_or(0, |tested| tested.screened);
        !self.has_failed() && self.tries() <= 1 && screened <= SCREENING
    }

    /// Whether too many of its trials could not be decided: it then says little about the next one. An
    /// alias that holds for a whole site must not be carried by those of its pages that are easy to tell,
    /// so it is asked of each kind of page apart, and more strictly; as is a claim that has proved itself on other
    /// actions, not on this one.
    pub fn is_vague(&self, is_literal: bool) -> bool {
        let share = match self.level {
            Level::Names if is_literal => 4,
            Level::Action if self.state != State::Active => 2,
            _ => 1,
        };
        self.undecided * share > self.seen()
    }

    /// Whether it is vague, and be it an alias, not about small pages only: it is not acted upon, nor are wider ones where
    /// it knows. Where only small pages cannot be told, large ones may be dropped.
    pub fn is_mute(&self, is_literal: bool) -> bool {
        self.is_vague(is_literal) && !(is_literal && self.is_telling_of_large())
    }

    fn echoes(&self) -> (u32, u32) {
        self.rare().map_or((0, 0), |rare| rare.echoes)
    }

    /// Whether it is vague about small pages only, which can be told by equality alone.
    pub fn is_telling_of_large(&self) -> bool {
        let small = self.rare().map_or(0, |rare| rare.small);
        (self.undecided - small) * 4 <= self.seen()
    }

    /// Whether too many of its trials could not be decided, pages that are little more than their own address
    /// left aside.
    pub fn is_vague_beside_echoes(&self) -> bool {
        let (told, untold) = self.echoes();
        (self.undecided - untold) * 4 > self.seen().saturating_sub(told)
    }

    /// Whether it was told on pages that are little more than their own address. What was told on others says
    /// nothing of these: under another address they may be other pages.
    pub fn is_telling_of_echoes(&self) -> bool {
        let (told, untold) = self.echoes();
        told >= LITERAL_TRIALS && untold * 4 <= told
    }
}
