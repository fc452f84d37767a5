//! The sysvars that programs read through the runtime.

use solana_account::{AccountSharedData, ReadableAccount};
use solana_address::Address;
use solana_clock::Clock;
use solana_epoch_rewards::EpochRewards;
use solana_epoch_schedule::EpochSchedule;
use solana_last_restart_slot::LastRestartSlot;
use solana_rent::Rent;
use solana_sdk_ids::sysvar;
use solana_slot_hashes::SlotHashes;
use solana_stake_history::StakeHistory;
#[expect(deprecated)]
use solana_sysvar::{fees::Fees, recent_blockhashes::RecentBlockhashes};
use std::{collections::HashMap, sync::Arc};

use crate::host::Sysvars;

/// Data of a sysvar's account that is not that sysvar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSysvarDataError {
    /// Clock.
    #[error("Invalid Clock sysvar data.")]
    Clock,
    /// Epoch rewards.
    #[error("Invalid EpochRewards sysvar data.")]
    EpochRewards,
    /// Epoch schedule.
    #[error("Invalid EpochSchedule sysvar data.")]
    EpochSchedule,
    /// Fees.
    #[error("Invalid Fees sysvar data.")]
    Fees,
    /// Last restart slot.
    #[error("Invalid LastRestartSlot sysvar data.")]
    LastRestartSlot,
    /// Recent blockhashes.
    #[error("Invalid RecentBlockhashes sysvar data.")]
    RecentBlockhashes,
    /// Rent.
    #[error("Invalid Rent sysvar data.")]
    Rent,
    /// Slot hashes.
    #[error("Invalid SlotHashes sysvar data.")]
    SlotHashes,
    /// Stake history.
    #[error("Invalid StakeHistory sysvar data.")]
    StakeHistory,
}

/// Sysvars as the runtime keeps them: for each the bytes of its account, if they can be read.
#[derive(Clone)]
pub(super) struct SysvarCache {
    bytes: HashMap<Address, Arc<Vec<u8>>>,
    /// As programs are given them.
    pub shared: Arc<Sysvars>,
    /// What rent costs.
    pub rent: Option<Rent>,
}

impl Default for SysvarCache {
    fn default() -> Self {
        Self { bytes: HashMap::new(), shared: Arc::new(shared(&HashMap::new())), rent: None }
    }
}

/// The sysvars that programs can read.
fn shared(bytes: &HashMap<Address, Arc<Vec<u8>>>) -> Sysvars {
    let get = |address| bytes.get(&address).map(|bytes| bytes.to_vec());
    Sysvars {
        clock: get(sysvar::clock::ID),
        epoch_schedule: get(sysvar::epoch_schedule::ID),
        epoch_rewards: get(sysvar::epoch_rewards::ID),
        rent: get(sysvar::rent::ID),
        last_restart_slot: get(sysvar::last_restart_slot::ID),
        fees: get(sysvar::fees::ID),
        slot_hashes: get(sysvar::slot_hashes::ID),
        stake_history: get(sysvar::stake_history::ID),
    }
}

/// Whether `data` can be read as the sysvar with this address, and its error if not. `None` for addresses that
/// are no cached sysvar's.
#[expect(deprecated)]
fn check(address: &Address, data: &[u8]) -> Option<Result<(), InvalidSysvarDataError>> {
    type Error = InvalidSysvarDataError;
    let (readable, error) = match *address {
        sysvar::clock::ID => (wincode::deserialize::<Clock>(data).is_ok(), Error::Clock),
        sysvar::epoch_rewards::ID => {
            (wincode::deserialize::<EpochRewards>(data).is_ok(), Error::EpochRewards)
        }
        sysvar::epoch_schedule::ID => {
            (wincode::deserialize::<EpochSchedule>(data).is_ok(), Error::EpochSchedule)
        }
        sysvar::fees::ID => (wincode::deserialize::<Fees>(data).is_ok(), Error::Fees),
        sysvar::last_restart_slot::ID => {
            (wincode::deserialize::<LastRestartSlot>(data).is_ok(), Error::LastRestartSlot)
        }
        sysvar::recent_blockhashes::ID => {
            (wincode::deserialize::<RecentBlockhashes>(data).is_ok(), Error::RecentBlockhashes)
        }
        sysvar::rent::ID => (wincode::deserialize::<Rent>(data).is_ok(), Error::Rent),
        sysvar::slot_hashes::ID => (wincode::deserialize::<SlotHashes>(data).is_ok(), Error::SlotHashes),
        sysvar::stake_history::ID => {
            (wincode::deserialize::<StakeHistory>(data).is_ok(), Error::StakeHistory)
        }
        _ => return None,
    };
    Some(if readable { Ok(()) } else { Err(error) })
}

impl SysvarCache {
    /// Takes over an account; nothing happens if it is no sysvar's.
    ///
    /// # Errors
    /// The data cannot be read as the sysvar. It is forgotten then.
    pub fn update(
        &mut self,
        address: &Address,
        account: &AccountSharedData,
    ) -> Result<(), InvalidSysvarDataError> {
        let Some(checked) = check(address, account.data()) else { return Ok(()) };
        match checked {
            Ok(()) => self.bytes.insert(*address, account.data_clone()),
            Err(_) => self.bytes.remove(address),
        };
        self.shared = Arc::new(shared(&self.bytes));
        if *address == sysvar::rent::ID {
            self.rent = self.get(address);
        }
        checked
    }

    /// A sysvar.
    pub fn get<T>(&self, address: &Address) -> Option<T>
    where
        T: for<'a> wincode::SchemaRead<'a, wincode::config::DefaultConfig, Dst = T>,
    {
        wincode::deserialize(self.bytes.get(address)?).ok()
    }

    /// The slot of the clock, 0 if there is none.
    pub fn slot(&self) -> u64 {
        self.get::<Clock>(&sysvar::clock::ID).map_or(0, |clock| clock.slot)
    }

    /// Whether the list of recent blockhashes has entries; `None` without that sysvar.
    #[expect(deprecated)]
    pub fn has_recent_blockhashes(&self) -> Option<bool> {
        self.get::<RecentBlockhashes>(&sysvar::recent_blockhashes::ID).map(|list| !list.is_empty())
    }
}
