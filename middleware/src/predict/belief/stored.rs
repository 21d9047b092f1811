//! A belief in the store.

use super::{Belief, CONFIRMED, LEVELS, Level, State, Tested};
use crate::predict::codec::{In, Out};

impl Belief {
    pub(in crate::predict) fn write(&self, out: &mut Out) {
        let Self {
            context,
            tested,
            undecided,
            prior,
            edit: _,
            level,
            state,
            streak,
            confirmed,
            screened_out,
            is_alone,
        } = self;
        out.byte(*level as u8);
        out.fixed64(*context);
        out.byte(match state {
            State::Proposed => 0,
            State::Probation => 1,
            State::Active => 2,
            State::Withdrawn => 3,
        });
        out.float(*prior);
        out.number(u64::from(*undecided));
        out.byte(*streak);
        out.byte(*confirmed);
        out.flag(*screened_out);
        out.flag(*is_alone);
        out.flag(tested.is_some());
        if let Some(tested) = tested {
            tested.write(out);
        }
    }

    /// Reads what [`write`](Self::write) wrote of a belief about this edit.
    pub(in crate::predict) fn read(from: &mut In<'_>, edit: u32) -> Option<Self> {
        let level: Level = *LEVELS.get(usize::from(from.byte()?))?;
        let context = from.fixed64()?;
        let state = match from.byte()? {
            0 => State::Proposed,
            1 => State::Probation,
            2 => State::Active,
            3 => State::Withdrawn,
            _ => return None,
        };
        let mut belief = Self::new(edit, level, context, from.float()?);
        belief.state = state;
        belief.undecided = from.small()?;
        belief.streak = from.byte()?;
        belief.confirmed = Some(from.byte()?).filter(|n| *n <= CONFIRMED)?;
        belief.screened_out = from.flag()?;
        belief.is_alone = from.flag()?;
        if from.flag()? {
            let tested = Tested::read(from)?;
            belief.tested = Some(Box::new(tested)).filter(|t| t.rare().small <= belief.undecided);
            belief.tested.as_ref()?;
        }
        Some(belief)
    }
}
