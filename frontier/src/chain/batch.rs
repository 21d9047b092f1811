//! The links of one page while they are judged.

use crate::{Candidate, DropReason, Dropped, RawUrl, StageName, Verdict, Via};

use super::RESOLVE;

/// What has become of one link so far.
#[derive(Clone, Debug)]
pub enum Slot {
    /// Still wanted.
    Live(Candidate),
    /// This exact spelling is known: there is nothing to decide.
    Known,
    /// Dropped. The candidate is there unless the link could not be resolved.
    Dropped(Option<Candidate>, Dropped),
}

/// All links of a page: slot `i` holds link `i`. Reused from page to page.
#[derive(Debug, Default)]
pub struct Batch {
    slots: Vec<Slot>,
}

impl Batch {
    pub(super) fn fill(&mut self, via: &Via<'_>, links: &[RawUrl<'_>]) {
        self.slots.clear();
        // Links of one host often stand together, and then share its key.
        let mut last = via.page_url().map(|page| page.host().clone());
        self.slots.extend(links.iter().map(|link| {
            match Candidate::resolve_beside(*link, via, last.as_ref()) {
                Ok(candidate) => {
                    if last.as_ref() != Some(candidate.host()) {
                        last = Some(candidate.host().clone());
                    }
                    Slot::Live(candidate)
                }
                Err(why) => Slot::Dropped(
                    None,
                    Dropped {
                        stage: RESOLVE,
                        reason: DropReason::Malformed(why),
                    },
                ),
            }
        }));
    }

    /// One slot per link, in the order of the links.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The slots, for a frontier to change between the two phases.
    pub fn slots_mut(&mut self) -> &mut [Slot] {
        &mut self.slots
    }

    /// Takes the slots out and keeps the allocated memory.
    pub fn drain(&mut self) -> impl Iterator<Item = Slot> + '_ {
        self.slots.drain(..)
    }

    /// The links still wanted.
    pub fn survivors(&self) -> impl Iterator<Item = &Candidate> {
        self.slots.iter().filter_map(|slot| match slot {
            Slot::Live(candidate) => Some(candidate),
            _ => None,
        })
    }
}

/// The links of a batch that are still wanted, as one stage sees them. It marks each drop with the stage, so that a
/// stage cannot misreport itself.
#[derive(Debug)]
pub struct Live<'b> {
    batch: &'b mut Batch,
    stage: StageName,
}

impl<'b> Live<'b> {
    pub(super) fn new(batch: &'b mut Batch, stage: StageName) -> Self {
        Self { batch, stage }
    }

    /// Judges each link that is still wanted, in order.
    pub fn each(&mut self, mut judge: impl FnMut(&mut Candidate) -> Verdict) {
        for slot in &mut self.batch.slots {
            let Slot::Live(candidate) = slot else {
                continue;
            };
            if let Verdict::Drop(reason) = judge(candidate) {
                let dropped = Dropped {
                    stage: self.stage,
                    reason,
                };
                let Slot::Live(candidate) = std::mem::replace(slot, Slot::Known) else {
                    unreachable!("the slot was matched as live above");
                };
                *slot = Slot::Dropped(Some(candidate), dropped);
            }
        }
    }
}
