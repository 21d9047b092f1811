//! Saves and restores the places where lines change.

use super::{
    ENDS, MOST_WORDS, SECTIONS, Turning,
    asked::Fetched,
    told::{Side, Told},
};
use crate::predict::{
    codec::{In, Out},
    parts::{Parts, Put, Section},
};

impl Turning {
    /// Writes it down.
    pub(in crate::predict) fn save(&self, put: &mut Put<'_>) {
        let Self {
            sections,
            all,
            ends,
            acting: _,
            is_lively: _,
            words,
        } = self;
        let mut out = Out::default();
        all.write(&mut out);
        out.count(sections.len());
        for (section, fetched) in sections {
            out.fixed64(*section);
            fetched.write(&mut out);
        }
        out.count(words.len());
        for word in words {
            out.fixed32(*word);
        }
        for ((section, (name, side)), told) in ends {
            let Told {
                turned,
                stood,
                other,
                lines,
                octets,
                is_uneven,
                has_acted,
            } = told;
            out.fixed64(*section);
            out.fixed32(*name);
            out.flag(*side == Side::Behind);
            out.fixed32(*other);
            for number in [turned, stood, lines, octets] {
                out.number(u64::from(*number));
            }
            out.flag(*is_uneven);
            out.flag(*has_acted);
        }
        put(Section::Turning, 0, out.0);
    }

    /// Reads what [`save`](Self::save) wrote.
    pub(in crate::predict) fn load(parts: &Parts) -> Option<Self> {
        let mut from = parts.one(Section::Turning)?;
        let mut turning = Self {
            all: Fetched::read(&mut from)?,
            ..Self::default()
        };
        let sections = from.count().filter(|count| *count <= SECTIONS)?;
        for _ in 0..sections {
            let section = from.fixed64()?;
            turning.sections.insert(section, Fetched::read(&mut from)?);
        }
        let words = from.count().filter(|count| *count <= MOST_WORDS)?;
        for _ in 0..words {
            turning.words.insert(from.fixed32()?);
        }
        let short = |from: &mut In<'_>| u16::try_from(from.small()?).ok();
        while !from.is_empty() {
            let (section, name) = (from.fixed64()?, from.fixed32()?);
            let side = if from.flag()? {
                Side::Behind
            } else {
                Side::Before
            };
            let told = Told {
                other: from.fixed32()?,
                turned: short(&mut from)?,
                stood: short(&mut from)?,
                lines: short(&mut from)?,
                octets: short(&mut from)?,
                is_uneven: from.flag()?,
                has_acted: from.flag()?,
            };
            turning.ends.insert((section, (name, side)), told);
        }
        (turning.ends.len() <= ENDS).then_some(())?;
        turning.let_act();
        Some(turning)
    }
}
