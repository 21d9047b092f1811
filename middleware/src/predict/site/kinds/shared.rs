//! How are kinds carried from one crawl to another?

use super::{Kinds, KindsOfBeliefs, Known, MOST, Ways};
use crate::predict::exchange::{KnownKind, SharedKind, SharedKinds, SharedWay, Trust};

impl Known {
    const fn shared(self) -> KnownKind {
        match self {
            Self::Once => KnownKind::HeldOnce,
            Self::Again | Self::Told => KnownKind::Held,
            Self::Excepted | Self::Doubted => KnownKind::Excepted,
            Self::Undecided(1) => KnownKind::UndecidedOnce,
            Self::Undecided(_) => KnownKind::UndecidedTwice,
            Self::Failed => KnownKind::FailedOnce,
        }
    }

    const fn of(shared: KnownKind) -> Self {
        match shared {
            KnownKind::HeldOnce => Self::Once,
            KnownKind::Held => Self::Again,
            KnownKind::Excepted => Self::Excepted,
            KnownKind::UndecidedOnce => Self::Undecided(1),
            KnownKind::UndecidedTwice => Self::Undecided(2),
            KnownKind::FailedOnce => Self::Failed,
        }
    }
}

impl Kinds {
    /// What another crawl is to know; the kinds have no words yet.
    fn shared(&self) -> SharedWay {
        let kind = |(hash, known): &(u32, Known)| SharedKind {
            known: known.shared(),
            words: None,
            hash: *hash,
        };
        SharedWay {
            held: self.trials,
            too_many: self.is_open,
            kinds: self.seen.iter().map(kind).collect(),
            unnamed: Vec::new(),
        }
    }

    /// What was found out elsewhere. Who trusts it has one page of each kind show that it holds here, too; who does not doubts
    /// the exceptions, and finds out all else anew.
    fn of_elsewhere(shared: &SharedWay, trust: Trust) -> Self {
        let mut kinds = Self::default();
        let is_trusted = trust == Trust::Active;
        if is_trusted {
            kinds.trials = shared.held;
            kinds.is_open = shared.too_many;
        }
        // A file may say anything: no more than what is found out is remembered.
        let (mut exceptions, mut others) = (0, 0);
        for kind in shared.kinds.iter().filter(|kind| kind.hash != 0) {
            let known = match Known::of(kind.known) {
                Known::Excepted if is_trusted => Known::Excepted,
                Known::Excepted => Known::Doubted,
                Known::Again if is_trusted && !shared.too_many => Known::Told,
                known if is_trusted && !shared.too_many => known,
                _ => continue,
            };
            let count = if known.is_excepted() {
                &mut exceptions
            } else {
                &mut others
            };
            if *count < MOST && kinds.seen.iter().all(|(hash, _)| *hash != kind.hash) {
                *count += 1;
                kinds.add(kind.hash, known);
            }
        }
        kinds
    }
}

impl KindsOfBeliefs {
    /// What another crawl is to know of a belief.
    pub(in crate::predict::site) fn shared(&self, belief: u64) -> SharedKinds {
        let mut shared = SharedKinds::default();
        if let Some(ways) = self.0.get(&belief) {
            for (way, kinds) in shared.ways_mut().into_iter().zip(ways.iter()) {
                *way = kinds.shared();
            }
        }
        shared
    }

    /// Takes in what was found out of a belief elsewhere.
    pub(in crate::predict::site) fn take_in(
        &mut self,
        belief: u64,
        shared: &SharedKinds,
        trust: Trust,
    ) {
        let ways: Ways = (shared.ways()).map(|way| Kinds::of_elsewhere(way, trust));
        if ways != Ways::default() {
            self.0.insert(belief, ways.into());
        }
    }
}
