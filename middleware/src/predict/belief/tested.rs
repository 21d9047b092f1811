//! What is known about a tested belief, and how it is stored.

use nodust_frontier::BeliefId;

use crate::{
    heap::{BLOCK, push_with_few},
    predict::{
        codec::{In, Out},
        evidence::Evidence,
        exchange::SharedBelief,
    },
};

/// What is kept of a belief that is tested, or of which more is to be known.
#[derive(Clone, Debug)]
pub(super) struct Tested {
    pub(super) evidence: Evidence,
    /// Pages it was tried on and the pages that stood for them: the first two pairs, then plain ones for a while.
    pub(super) examples: [(u32, u32); 2],
    /// Times it was tried anew.
    pub(super) tries: u16,
    /// Trials of the screening that led to the last try.
    pub(super) screened: u8,
    /// Whether one content or value has had its say: a narrower claim may be all that is true.
    pub(super) is_full: bool,
    /// Successes until it is acted upon again, after a failure.
    pub(super) to_hold: u8,
    pub(super) caps: Caps,
    rare: Option<Box<Rare>>,
}

/// What there is of few beliefs that are tested: of aliases, of those that were ever acted upon, or were told elsewhere, or are
/// tested again.
#[derive(Clone, Debug)]
pub(super) struct Rare {
    /// Of the trials that could not be decided, those on small pages; for aliases only.
    pub(super) small: u32,
    /// Trials on pages that are little more than their own address: decided ones, and others; for aliases only.
    pub(super) echoes: (u32, u32),
    /// Times it was activated.
    pub(super) risen: u16,
    /// Its name, if it was ever acted upon: links may wait in the ledger on its word.
    pub(super) id: Option<BeliefId>,
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
pub(in crate::predict) const NO_PAGES: (u32, u32) = (u32::MAX, u32::MAX);

impl Default for Tested {
    fn default() -> Self {
        Self {
            evidence: Evidence::default(),
            examples: [NO_PAGES; 2],
            tries: 0,
            screened: 0,
            is_full: false,
            to_hold: 0,
            caps: Caps::default(),
            rare: None,
        }
    }
}

/// Of most there is nothing rare.
static NOTHING: Rare = Rare {
    small: 0,
    echoes: (0, 0),
    risen: 0,
    id: None,
    told: None,
    earlier: (0, 0),
    advance: None,
    names: 0,
    of_two: 0,
};

/// How often contents and values have counted: 24 bits of a name and 8 of a number, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Caps(Vec<u32>);

impl Caps {
    /// Memory held, in bytes.
    const fn bytes(&self) -> usize {
        match self.0.capacity() {
            0 => 0,
            room => room * size_of::<u32>() + BLOCK,
        }
    }

    /// Where a name is, or would be.
    fn place(&self, name: u64) -> Result<usize, usize> {
        let name = name as u32 & NAME;
        self.0.binary_search_by_key(&name, |entry| entry >> 8)
    }

    pub(super) fn count(&self, name: u64) -> u8 {
        self.place(name).map_or(0, |at| self.0[at] as u8)
    }

    pub(super) fn add(&mut self, name: u64) {
        match self.place(name) {
            Ok(at) => self.0[at] += u32::from(self.0[at] as u8 != u8::MAX),
            Err(at) => {
                push_with_few(&mut self.0, 0);
                self.0[at..].rotate_right(1);
                self.0[at] = (name as u32) << 8 | 1;
            }
        }
    }
}

/// What is kept of a name.
const NAME: u32 = u32::MAX >> 8;

impl Tested {
    /// Begins to count anew; what was counted stays in the record.
    pub(super) fn set_aside(&mut self) {
        let Evidence {
            trials, failures, ..
        } = std::mem::take(&mut self.evidence);
        if trials > 0 || self.rare.is_some() {
            let rare = self.rare_mut();
            rare.earlier.0 = rare.earlier.0.saturating_add(trials);
            rare.earlier.1 = rare.earlier.1.saturating_add(failures);
            rare.of_two = 0;
            rare.names = 0;
        }
    }

    pub(super) fn rare(&self) -> &Rare {
        self.rare.as_deref().unwrap_or(&NOTHING)
    }

    pub(super) fn rare_mut(&mut self) -> &mut Rare {
        self.rare.get_or_insert_with(|| Box::new(NOTHING.clone()))
    }

    /// Memory held beside its own, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let rare = self.rare.as_ref().map_or(0, |rare| {
            let told = rare.told.as_ref().map_or(0, |told| told.bytes());
            size_of::<Rare>() + BLOCK + told
        });
        self.caps.bytes() + rare
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
            examples,
            tries,
            screened,
            is_full,
            to_hold,
            caps,
            rare: _,
        } = self;
        let Rare {
            small,
            echoes,
            risen,
            id,
            told,
            earlier,
            advance,
            names,
            of_two,
        } = self.rare();
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
        out.count(caps.0.len());
        for entry in &caps.0 {
            out.fixed32(*entry);
        }
    }

    pub(super) fn read(from: &mut In<'_>) -> Option<Self> {
        let (log_e, alarm) = (from.float()?, from.float()?);
        let (trials, failures) = (from.small()?, from.small()?);
        let evidence = Evidence {
            log_e,
            trials,
            failures: Some(failures).filter(|failures| *failures <= trials)?,
            alarm,
        };
        let (small, echoes) = (from.small()?, (from.small()?, from.small()?));
        let tries = u16::try_from(from.number()?).ok()?;
        let screened = from.byte()?;
        let mut rare = Rare {
            small,
            echoes,
            risen: u16::try_from(from.number()?).ok()?,
            id: from.belief()?,
            ..NOTHING.clone()
        };
        let flags = Some(from.byte()?).filter(|flags| *flags < 2 * OF_TWO)?;
        if flags & TOLD != 0 {
            rare.told = Some(serde_json::from_slice(from.bytes()?).ok()?);
        }
        if flags & EARLIER != 0 {
            rare.earlier = (from.small()?, from.small()?);
        }
        if flags & ADVANCE != 0 {
            rare.advance = Some(from.float()?);
        }
        if flags & OF_TWO != 0 {
            rare.of_two = from.byte()?;
        }
        let mut tested = Self {
            evidence,
            tries,
            screened,
            is_full: flags & FULL != 0,
            to_hold: from.byte()?,
            ..Self::default()
        };
        rare.names = from.number()?;
        tested.rare = Some(Box::new(rare)).filter(|rare| !rare.is_nothing());
        for pair in &mut tested.examples {
            *pair = (from.small()?.wrapping_sub(1), from.small()?.wrapping_sub(1));
        }
        for _ in 0..from.count()? {
            let entry = from.fixed32()?;
            // In the order in which they were written.
            if (tested.caps.0.last()).is_some_and(|last| last >> 8 >= entry >> 8) {
                return None;
            }
            push_with_few(&mut tested.caps.0, entry);
        }
        Some(tested)
    }
}

impl Rare {
    fn is_nothing(&self) -> bool {
        let Self {
            small,
            echoes,
            risen,
            id,
            told,
            earlier,
            advance,
            names,
            of_two,
        } = self;
        let numbers = [*small, echoes.0, echoes.1, earlier.0, earlier.1];
        let is_any = [id.is_some(), told.is_some(), advance.is_some()];
        numbers == [0; 5] && is_any == [false; 3] && (*risen, *names, *of_two) == (0, 0, 0)
    }
}
