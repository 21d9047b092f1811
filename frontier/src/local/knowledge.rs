//! What is known about a link before it is admitted.

use super::LocalFrontier;
use crate::{
    Batch, BeliefId, Candidate, DropReason, Fingerprint, FrontierError, SeenAs, chain::Slot,
};

/// What seen-set and page know about a link.
pub(super) struct Knowledge {
    pub(super) key: Fingerprint,
    /// Of a link that is not followed, and has no class: the name that remembers that.
    pub(super) class: Fingerprint,
    pub(super) class_spelling: Fingerprint,
    pub(super) is_own_class: bool,
    pub(super) known: Option<SeenAs>,
    pub(super) class_known: Option<SeenAs>,
    pub(super) class_spelling_known: Option<SeenAs>,
}

impl Knowledge {
    fn of(link: &Candidate, is_followed: bool) -> Self {
        let key = link.key();
        Self {
            key,
            class: if is_followed {
                link.class_key()
            } else {
                link.not_followed_key()
            },
            class_spelling: if link.is_own_class() {
                key
            } else {
                link.class_spelling_key()
            },
            is_own_class: link.is_own_class(),
            known: None,
            class_known: None,
            class_spelling_known: None,
        }
    }

    /// The belief on whose word the page is known under another spelling.
    pub(super) fn class_is_known(&self) -> Option<BeliefId> {
        class_known_by(
            self.class_known,
            self.class_spelling_known,
            self.is_own_class,
        )
    }
}

impl LocalFrontier {
    /// What seen-set and page know about each link of a batch.
    pub(super) fn look_up(&self, batch: &Batch) -> Result<Vec<Option<Knowledge>>, FrontierError> {
        let mut all: Vec<Option<Knowledge>> = batch
            .slots()
            .iter()
            .map(|slot| match slot {
                Slot::Live(link) | Slot::Dropped(Some(link), _) => {
                    Some(Knowledge::of(link, !is_not_followed(slot)))
                }
                _ => None,
            })
            .collect();
        let keys: Vec<Fingerprint> = all
            .iter()
            .flatten()
            .flat_map(|k| [k.key, k.class, k.class_spelling])
            .collect();
        let mut found = Vec::with_capacity(keys.len());
        self.store.lookup(&keys, &mut found)?;
        for (known, answers) in all.iter_mut().flatten().zip(found.chunks_exact(3)) {
            known.known = answers[0];
            known.class_known = answers[1];
            known.class_spelling_known = answers[2];
        }
        Ok(all)
    }
}

/// The belief on whose word a class is known ([`BeliefId::STATIC`] for static normalization), given
/// what the seen-set says of the class and of the spelling that stands for it.
pub(super) fn class_known_by(
    class: Option<SeenAs>,
    spelling: Option<SeenAs>,
    is_own_class: bool,
) -> Option<BeliefId> {
    match (class, spelling) {
        (Some(SeenAs::ClassOf(belief)), _) => Some(belief),
        (Some(_), _) => Some(BeliefId::STATIC),
        (None, Some(SeenAs::Admitted)) if !is_own_class => Some(BeliefId::STATIC),
        _ => None,
    }
}

/// Whether a link is dropped since its page asks not to follow it.
pub(super) fn is_not_followed(slot: &Slot) -> bool {
    matches!(slot, Slot::Dropped(_, dropped) if dropped.reason == DropReason::NotFollowed)
}
