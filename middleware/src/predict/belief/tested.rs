//! What is known of a belief that is tested, and how does it outlive the process?

use hashbrown::HashTable;
use nodust_frontier::BeliefId;

use crate::predict::{
    codec::{In, Out},
    evidence::Evidence,
    exchange::SharedBelief,
};

/// What is kept of a belief that is tested, or of which more is to be known.
#[derive(Clone, Debug)]
pub(super) struct Tested {
    pub(super) evidence: Evidence,
    /// Of the trials that could not be decided, those on small pages; for aliases only.
    pub(super) small: u32,
    /// Trials on pages that are little more than their own address: decided ones, and others; for aliases only.
    pub(super) echoes: (u32, u32),
    /// Pages it was tried on and the pages that stood for them: the first two pairs, then plain ones for a while.
    pub(super) examples: [(u32, u32); 2],
    /// Times it was tried anew.
    pub(super) tries: u16,
    /// Trials of the screening that led to the last try.
    pub(super) screened: u8,
    /// Times it was activated.
    pub(super) risen: u16,
    /// Its name, if it was ever acted upon: links may wait in the ledger on its word.
    pub(super) id: Option<BeliefId>,
    /// Whether one content or value has had its say: a narrower claim may be all that is true.
    pub(super) is_full: bool,
    /// Successes until it is acted upon again, after a failure.
    pub(super) to_hold: u8,
    pub(super) caps: Option<Box<Caps>>,
    /// What was told of it elsewhere.
    pub(super) told: Option<Box<SharedBelief>>,
    /// Trials, and of these failures, of what was told elsewhere and of tries before the last one, as far as `evidence` has
    /// none of them.
    pub(super) earlier: (u32, u32),
    /// Weight that it has on the word of another crawl, until a page of this one speaks against it.
    pub(super) advance: Option<f32>,
    /// Bits of the hosts by whose names it was tried: what rules make of their pages' URLs.
    pub(super) names: u64,
    /// Successes on pairs of pages of which each had what it takes away; for optional pieces only.
    pub(super) of_two: u8,
}

/// Flags, as they are written: what is told is there in few beliefs.
const FULL: u8 = 1;
const TOLD: u8 = 2;
const EARLIER: u8 = 4;
const ADVANCE: u8 = 8;
const OF_TWO: u8 = 16;

/// No example yet.
pub(super) const NO_PAGES: (u32, u32) = (u32::MAX, u32::MAX);

impl Default for Tested {
    fn default() -> Self {
        Self {
            evidence: Evidence::default(),
            small: 0,
            echoes: (0, 0),
            examples: [NO_PAGES; 2],
            tries: 0,
            screened: 0,
            risen: 0,
            id: None,
            is_full: false,
            to_hold: 0,
            caps: None,
            told: None,
            earlier: (0, 0),
            advance: None,
            names: 0,
            of_two: 0,
        }
    }
}

/// How often contents and values have counted: 24 bits of a name and 8 of a number.
#[derive(Clone, Debug, Default)]
pub(super) struct Caps(HashTable<u32>);

impl Caps {
    const fn hash(entry: u32) -> u64 {
        ((entry >> 8) as u64)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(20)
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.0.allocation_size() + 48
    }

    pub(super) fn count(&self, name: u64) -> u8 {
        let name = (name as u32) << 8;
        let found = (self.0).find(Self::hash(name), |entry| (entry ^ name) < 256);
        found.map_or(0, |entry| *entry as u8)
    }

    pub(super) fn add(&mut self, name: u64) {
        let name = (name as u32) << 8;
        let is_it = |entry: &u32| (entry ^ name) < 256;
        let mut entry = (self
            .0
            .entry(Self::hash(name), is_it, |entry| Self::hash(*entry)))
        .or_insert(name);
        let counted = entry.get_mut();
        *counted += u32::from(*counted as u8 != u8::MAX);
    }
}

impl Tested {
    /// Begins to count anew; what was counted stays in the record.
    pub(super) fn set_aside(&mut self) {
        let Evidence {
            trials, failures, ..
        } = std::mem::take(&mut self.evidence);
        self.earlier.0 = self.earlier.0.saturating_add(trials);
        self.earlier.1 = self.earlier.1.saturating_add(failures);
        self.of_two = 0;
    }

    pub(super) fn write(&self, out: &mut Out) {
        let Self {
            evidence:
                Evidence {
                    log_e,
                    trials,
                    failures,
                    alarm,
                },
            small,
            echoes,
            examples,
            tries,
            screened,
            risen,
            id,
            is_full,
            to_hold,
            caps,
            told,
            earlier,
            advance,
            names,
            of_two,
        } = self;
        out.float(*log_e);
        out.float(*alarm);
        for number in [trials, failures, small, &echoes.0, &echoes.1] {
            out.number(u64::from(*number));
        }
        out.number(u64::from(*tries));
        out.byte(*screened);
        out.number(u64::from(*risen));
        out.belief(*id);
        let flags = [
            (*is_full, FULL),
            (told.is_some(), TOLD),
            (*earlier != (0, 0), EARLIER),
            (advance.is_some(), ADVANCE),
            (*of_two > 0, OF_TWO),
        ];
        let flag = |(is_there, flag)| if is_there { flag } else { 0 };
        out.byte(flags.into_iter().map(flag).sum());
        if let Some(told) = told {
            out.bytes(&serde_json::to_vec(told).expect("texts and numbers are JSON"));
        }
        if *earlier != (0, 0) {
            out.number(u64::from(earlier.0));
            out.number(u64::from(earlier.1));
        }
        if let Some(weight) = advance {
            out.float(*weight);
        }
        if *of_two > 0 {
            out.byte(*of_two);
        }
        out.byte(*to_hold);
        out.number(*names);
        for page in examples.iter().flat_map(|pair| [pair.0, pair.1]) {
            out.number(u64::from(page.wrapping_add(1)));
        }
        let mut caps: Vec<u32> = caps
            .iter()
            .flat_map(|caps| caps.0.iter().copied())
            .collect();
        caps.sort_unstable();
        out.count(caps.len());
        for entry in caps {
            out.fixed32(entry);
        }
    }

    pub(super) fn read(from: &mut In<'_>) -> Option<Self> {
        let (log_e, alarm) = (from.float()?, from.float()?);
        let (trials, failures) = (from.small()?, from.small()?);
        let mut tested = Self {
            evidence: Evidence {
                log_e,
                trials,
                failures: Some(failures).filter(|failures| *failures <= trials)?,
                alarm,
            },
            small: from.small()?,
            echoes: (from.small()?, from.small()?),
            tries: u16::try_from(from.number()?).ok()?,
            screened: from.byte()?,
            risen: u16::try_from(from.number()?).ok()?,
            id: from.belief()?,
            ..Self::default()
        };
        let flags = Some(from.byte()?).filter(|flags| *flags < 2 * OF_TWO)?;
        tested.is_full = flags & FULL != 0;
        if flags & TOLD != 0 {
            tested.told = Some(serde_json::from_slice(from.bytes()?).ok()?);
        }
        if flags & EARLIER != 0 {
            tested.earlier = (from.small()?, from.small()?);
        }
        if flags & ADVANCE != 0 {
            tested.advance = Some(from.float()?);
        }
        if flags & OF_TWO != 0 {
            tested.of_two = from.byte()?;
        }
        tested.to_hold = from.byte()?;
        tested.names = from.number()?;
        for pair in &mut tested.examples {
            *pair = (from.small()?.wrapping_sub(1), from.small()?.wrapping_sub(1));
        }
        let caps = from.count()?;
        if caps > 0 {
            let table = &mut tested.caps.get_or_insert_default().0;
            for _ in 0..caps {
                let entry = from.fixed32()?;
                table.insert_unique(Caps::hash(entry), entry, |entry| Caps::hash(*entry));
            }
        }
        Some(tested)
    }
}
