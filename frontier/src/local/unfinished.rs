//! Finishes withdrawals that an earlier process began.

use rustc_hash::FxHashMap;

use super::{
    LocalFrontier,
    recall::{RENAMED, SHAKEN, WITHDRAWING, in_order_of_keys},
    tally::beliefs_with_a_ledger,
};
use crate::{BeliefId, Commit, Effects, FrontierError, HostKey, Standing};

impl LocalFrontier {
    /// Takes back what beliefs dropped that no stage of the chain holds any more: their state could not
    /// be read, or they fell as it was. What a stage dropped that is not in this chain waits for it. The
    /// links of a belief that is known but does not act now (a budget that was raised) are judged again.
    pub(super) fn recall_orphans(&self) -> Result<(), FrontierError> {
        let mut orphans: Vec<(HostKey, BeliefId)> = Vec::new();
        let mut resting: Vec<BeliefId> = Vec::new();
        let ledgers = beliefs_with_a_ledger(&*self.store)?;
        // Most of very many are asked for at once.
        let mut standings: FxHashMap<BeliefId, Standing> = FxHashMap::default();
        if !ledgers.is_empty() {
            (self.chain).beliefs(&mut |record| {
                standings.entry(record.id).or_insert(record.standing);
            });
        }
        for (belief, host) in ledgers {
            let standing = standings.get(&belief).copied();
            let standing = standing.or_else(|| Some(self.chain.belief(belief)?.standing));
            if let Some(standing) = standing {
                if standing != Standing::Active {
                    resting.push(belief);
                }
                continue;
            }
            if self.chain.describe(belief).is_some() {
                continue;
            }
            let waiting = self.store.dropped_by(&host, belief, 1)?;
            let Some(first) = waiting.first() else {
                continue;
            };
            // Of some beliefs a stage knows only when it judges: of what two rules do together, for one.
            let is_held = self.is_still_dropped(first) || self.chain.describe(belief).is_some();
            if !is_held && first.stage.is_some() {
                orphans.push((host, belief));
            }
        }
        if orphans.is_empty() && resting.is_empty() {
            return Ok(());
        }
        resting.sort_unstable();
        resting.dedup();
        let effects = Effects {
            withdrawn: orphans,
            shaken: resting,
            ..self.effects()
        };
        self.apply(&mut self.inner(), effects, Commit::default())
    }

    /// Completes withdrawals that an earlier process began.
    pub(super) fn finish_withdrawals(&self) -> Result<(), FrontierError> {
        let mut fallen: Vec<(HostKey, BeliefId)> = Vec::new();
        let mut renamed: Vec<(HostKey, BeliefId)> = Vec::new();
        self.store.state_scan(WITHDRAWING, &mut |key, value| {
            let name = &key[WITHDRAWING.len()..];
            if let Some((belief, host)) = name.split_once('/')
                && let Ok(bits) = u64::from_str_radix(belief, 16)
            {
                let pending = match value {
                    RENAMED => &mut renamed,
                    _ => &mut fallen,
                };
                pending.push((HostKey::from_text(host), BeliefId::from_bits(bits)));
            }
        })?;
        in_order_of_keys(&mut fallen);
        in_order_of_keys(&mut renamed);
        let mut inner = self.inner();
        for (host, belief) in fallen {
            self.finish_withdrawal(&mut inner, &host, belief)?;
        }
        self.finish_renaming(&mut inner, &renamed)?;
        let shaken = self.store.state(SHAKEN)?.unwrap_or_default();
        let shaken: Vec<BeliefId> = (shaken.chunks_exact(8))
            .filter_map(|name| {
                Some(BeliefId::from_bits(u64::from_le_bytes(
                    name.try_into().ok()?,
                )))
            })
            .collect();
        self.judge_ledger_again(&mut inner, &shaken)
    }
}
