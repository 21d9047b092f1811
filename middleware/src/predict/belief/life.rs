//! What a trial, and what is found out elsewhere, does to a belief.

use nodust_frontier::BeliefId;

use super::{
    ANOTHER_TRY, About, Belief, CONFIRMED, Change, HOLDS_AGAIN, Level, OF_ONE_PAGE, SCREENING,
    State, tested::Caps,
};
use crate::predict::evidence::Ratios;

impl Belief {
    /// Counts a trial: `group` names the content, of which at most `most` trials count, `value` what it calls
    /// irrelevant. A literal claim can only be right or wrong as a whole, so that one failure ends it: the pages of
    /// one folder may be those of another up to a kind of page that nothing in a URL tells.
    pub(in crate::predict) fn count(
        &mut self,
        success: bool,
        group: u64,
        value: u64,
        most: u8,
        about: About,
        ratios: &Ratios,
    ) -> Change {
        // What is said of one page is wrong with the first other one: each that is missed is a content of its own. What is said
        // of places where it was right before need bear no failure: those places are left out where it was not.
        let is_literal =
            about == About::Alias || most == OF_ONE_PAGE || self.level == Level::WhereHeld;
        match self.state {
            State::Proposed => {
                if success {
                    self.streak += 1;
                } else {
                    self.screened_out = true;
                    self.streak = 0;
                }
                let needed = if self.screened_out {
                    ANOTHER_TRY
                } else {
                    SCREENING
                };
                if self.streak >= needed {
                    self.start();
                }
                Change::None
            }
            State::Withdrawn => {
                self.streak = if success { self.streak + 1 } else { 0 };
                if self.streak >= ANOTHER_TRY {
                    self.start();
                }
                Change::None
            }
            State::Probation => {
                if success && self.is_capped(group, (value, ratios.per_value), most, about) {
                    return Change::None;
                }
                let evidence = &mut self.tested().evidence;
                evidence.count(success, is_literal, ratios);
                if evidence.log_e < -3.5 || (is_literal && !success) {
                    self.sleep(State::Withdrawn);
                    Change::None
                } else if self.is_alone && self.has_enough() {
                    Change::Candidate
                } else {
                    Change::None
                }
            }
            State::Active => {
                let tested = self.tested();
                tested.to_hold = if success {
                    tested.to_hold.saturating_sub(1)
                } else {
                    HOLDS_AGAIN
                };
                let is_alarmed = tested.evidence.watch(success, is_literal, ratios);
                if is_alarmed || self.is_spent() || (is_literal && !success) {
                    self.sleep(State::Withdrawn);
                    Change::Withdrawn
                } else {
                    Change::None
                }
            }
        }
    }

    /// Takes back one failure, which turned out to be of a kind that it does not speak of any more; `is_last`: whether
    /// it knows of no other.
    pub(in crate::predict) fn forgive(&mut self, is_last: bool, ratios: &Ratios) {
        if !self.is_counted() {
            self.screened_out &= self.state != State::Proposed || !is_last;
        } else if let Some(tested) = &mut self.tested
            && tested.evidence.failures > 0
        {
            tested.evidence.forgive(ratios);
            tested.to_hold = 0;
        }
    }

    /// Withdraws it, as what its exceptions were known by is no name any more, or what it was tried on; whether it was
    /// acted upon.
    pub(in crate::predict) fn begin_anew(&mut self) -> bool {
        let was_active = self.state == State::Active;
        if self.is_counted() {
            self.sleep(State::Withdrawn);
        }
        was_active
    }

    /// Starts the tests: what was counted before does not count.
    pub(in crate::predict) fn start(&mut self) {
        self.state = State::Probation;
        self.screened_out = false;
        let screened = std::mem::take(&mut self.streak);
        let tested = self.tested();
        tested.screened = screened;
        tested.set_aside();
        if tested.rare().told.is_some() {
            // It was tried before, in another crawl.
            tested.tries = tested.tries.max(1);
        }
        tested.tries = tested.tries.saturating_add(1);
        if tested.tries == 1 && self.confirmed >= CONFIRMED {
            // The site itself said so in the screening, and content agreed.
            self.prior *= 3.0;
        }
    }

    /// Gives it a part of its weight, before its first trial that counts.
    pub(in crate::predict) fn weigh(&mut self, part: f32) {
        self.prior *= part;
    }

    fn sleep(&mut self, state: State) {
        self.state = state;
        self.streak = 0;
        self.tested().caps = Caps::default();
    }

    pub(in crate::predict) fn activate(&mut self, id: BeliefId) {
        self.state = State::Active;
        let tested = self.tested();
        let rare = tested.rare_mut();
        rare.id = Some(id);
        rare.risen = rare.risen.saturating_add(1);
        tested.evidence.alarm = 0.0;
        tested.to_hold = 0;
        tested.caps = Caps::default();
    }

    fn is_capped(
        &mut self,
        group: u64,
        (value, per_value): (u64, u8),
        most: u8,
        about: About,
    ) -> bool {
        let tested = self.tested();
        let caps = &mut tested.caps;
        let by_group = caps.count(group) >= most;
        let by_value = value != 0 && caps.count(value) >= per_value;
        if by_group || by_value {
            tested.is_full |= by_group || matches!(about, About::Query | About::Head);
            return true;
        }
        if most != OF_ONE_PAGE {
            caps.add(group);
        }
        if value != 0 {
            caps.add(value);
        }
        false
    }
}
