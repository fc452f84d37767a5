//! Stakes that programs can ask for.

use solana_address::Address;
use std::sync::Arc;

use super::{Svm, SvmError};
use crate::{deltanet::HeadsBoundary, host::EpochStake};

impl<E: HeadsBoundary> Svm<'_, E> {
    /// Sets the stake of a vote account, in lamports, which also changes the total.
    ///
    /// # Errors
    /// The total overflows; nothing has changed then.
    pub fn set_epoch_stake(&mut self, vote_account: Address, stake: u64) -> Result<(), SvmError> {
        let stakes = Arc::make_mut(&mut self.epoch_stake);
        let old = stakes.by_vote_account.get(&vote_account.to_bytes()).copied().unwrap_or(0);
        let total = stakes.total.checked_sub(old).and_then(|rest| rest.checked_add(stake));
        stakes.total = total.ok_or(SvmError::EpochStakeOverflow)?;
        match stake {
            0 => stakes.by_vote_account.remove(&vote_account.to_bytes()),
            _ => stakes.by_vote_account.insert(vote_account.to_bytes(), stake),
        };
        Ok(())
    }

    /// Replaces all stakes; the total is their sum. Of several for one account the last counts for it, and all
    /// for the total.
    ///
    /// # Errors
    /// The total overflows; nothing has changed then.
    pub fn set_epoch_stakes(
        &mut self,
        stakes: impl IntoIterator<Item = (Address, u64)>,
    ) -> Result<(), SvmError> {
        let mut replaced = EpochStake::default();
        for (vote_account, stake) in stakes.into_iter().filter(|(_, stake)| *stake > 0) {
            replaced.total = replaced.total.checked_add(stake).ok_or(SvmError::EpochStakeOverflow)?;
            replaced.by_vote_account.insert(vote_account.to_bytes(), stake);
        }
        self.epoch_stake = Arc::new(replaced);
        Ok(())
    }

    /// All stake, in lamports.
    pub fn epoch_total_stake(&self) -> u64 {
        self.epoch_stake.total
    }

    /// The stake of a vote account, in lamports.
    pub fn epoch_stake(&self, vote_account: &Address) -> u64 {
        self.epoch_stake.by_vote_account.get(&vote_account.to_bytes()).copied().unwrap_or(0)
    }
}
