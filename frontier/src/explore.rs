//! Chooses the believed duplicates that are fetched all the same.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::{BeliefId, Fingerprint, Probability};

/// Decides by a keyed hash which links are explored: the same ones on retry, after a restart and on another machine.
#[derive(Clone, Copy, Debug)]
pub struct Exploration {
    share: Probability,
    seed: u64,
}

/// A share of 5 %, with the seed 0.
///
/// ```
/// use nodust_frontier::Exploration;
///
/// assert!((Exploration::default().share().get() - 0.05).abs() < 1e-9);
/// ```
impl Default for Exploration {
    fn default() -> Self {
        Self::new(Probability::FIVE_PERCENT, 0)
    }
}

impl Exploration {
    /// Explores a `share` of what beliefs would drop. A share of 0 turns exploration off; precision is then not known.
    pub const fn new(share: Probability, seed: u64) -> Self {
        Self { share, seed }
    }

    /// The share that is explored.
    pub const fn share(&self) -> Probability {
        self.share
    }

    /// Whether anything is explored.
    pub fn is_on(&self) -> bool {
        self.share.get() > 0.0
    }

    /// Whether a link is fetched though `belief`, in this `generation`, would drop it.
    ///
    /// `key` names the link ([`Candidate::key`](crate::Candidate::key)), `belief` is that of the drop
    /// ([`DropReason::belief`](crate::DropReason::belief)), and `generation` is how often that belief was activated
    /// ([`Chain::belief_generation`](crate::Chain::belief_generation)): for a belief that fell and rose again, other links are
    /// drawn. A link that is picked must be [marked as a probe](crate::Candidate::mark_probe) before it is
    /// [sealed](crate::Candidate::seal) or, if it waited in the queue, by [`Admitted::probe`](crate::Admitted::probe) before it is
    /// handed out. Otherwise, whoever observes its page does not know that it tests a belief. For some beliefs nothing is
    /// explored, whatever is picked here: [`Chain::explores`](crate::Chain::explores) tells.
    pub fn picks(&self, key: Fingerprint, belief: BeliefId, generation: u64) -> bool {
        let mut bytes = [0u8; 32];
        bytes[..8].copy_from_slice(&key.host().to_le_bytes());
        bytes[8..16].copy_from_slice(&key.url().to_le_bytes());
        bytes[16..24].copy_from_slice(&belief.to_bits().to_le_bytes());
        bytes[24..].copy_from_slice(&generation.to_le_bytes());
        let hash = xxh3_64_with_seed(&bytes, self.seed);
        // 53 bits make an exact double in [0, 1).
        ((hash >> 11) as f64) / ((1u64 << 53) as f64) < self.share.get()
    }
}
