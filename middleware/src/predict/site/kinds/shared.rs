//! Carries kinds from one crawl to another.

use super::{Kinds, KindsOfBeliefs, Known, MOST, WAYS};
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
    fn shared(&self, way: usize) -> SharedWay {
        let kind = |(hash, known): &(u32, Known)| SharedKind {
            known: known.shared(),
            words: None,
            hash: *hash,
        };
        SharedWay {
            held: self.ways[way].trials,
            too_many: self.ways[way].is_open,
            kinds: self.seen(way).iter().map(kind).collect(),
            unnamed: Vec::new(),
        }
    }

    /// Takes in what was found out elsewhere in one way. Who trusts it has one page of each kind show that it holds here, too; who does not doubts
    /// the exceptions, and finds out all else anew.
    fn take_in(&mut self, way: usize, shared: &SharedWay, trust: Trust) {
        let is_trusted = trust == Trust::Active;
        if is_trusted {
            self.ways[way].trials = shared.held;
            self.ways[way].is_open = shared.too_many;
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
            if *count < MOST && self.find_mut(way, kind.hash).is_none() {
                *count += 1;
                self.add(way, kind.hash, known);
            }
        }
    }
}

impl KindsOfBeliefs {
    /// What another crawl is to know of a belief.
    pub(in crate::predict::site) fn shared(&self, belief: u64) -> SharedKinds {
        let mut shared = SharedKinds::default();
        if let Some(kinds) = self.0.get(&belief) {
            for (way, of_way) in (0..).zip(shared.ways_mut()) {
                *of_way = kinds.shared(way);
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
        let mut kinds = Kinds::default();
        for (way, of_way) in (0..WAYS).zip(shared.ways()) {
            kinds.take_in(way, of_way, trust);
        }
        if kinds != Kinds::default() {
            self.0.insert(belief, kinds.into());
        }
    }
}
