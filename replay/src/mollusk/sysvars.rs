//! Sysvars in Mollusk's fixtures.

use prost::Message;
use solana_account::Account;
use solana_address::Address;
use solana_hash::Hash;
use solana_sdk_ids::sysvar;
use solana_sysvar::recent_blockhashes;
use wincode::config::DefaultConfig;

use crate::ReplayError;

/// `Clock`.
#[derive(Clone, PartialEq, Eq, Message)]
#[expect(missing_docs, reason = "the sysvar's own fields")]
pub struct Clock {
    #[prost(uint64, tag = "1")]
    pub slot: u64,
    #[prost(int64, tag = "2")]
    pub epoch_start_timestamp: i64,
    #[prost(uint64, tag = "3")]
    pub epoch: u64,
    #[prost(uint64, tag = "4")]
    pub leader_schedule_epoch: u64,
    #[prost(int64, tag = "5")]
    pub unix_timestamp: i64,
}

/// `EpochRewards`.
#[derive(Clone, PartialEq, Eq, Message)]
#[expect(missing_docs, reason = "the sysvar's own fields")]
pub struct EpochRewards {
    #[prost(uint64, tag = "1")]
    pub distribution_starting_block_height: u64,
    #[prost(uint64, tag = "2")]
    pub num_partitions: u64,
    #[prost(bytes = "vec", tag = "3")]
    pub parent_blockhash: Vec<u8>,
    #[prost(bytes = "vec", tag = "4")]
    pub total_points: Vec<u8>,
    #[prost(uint64, tag = "5")]
    pub total_rewards: u64,
    #[prost(uint64, tag = "6")]
    pub distributed_rewards: u64,
    #[prost(bool, tag = "7")]
    pub active: bool,
}

/// `EpochSchedule`.
#[derive(Clone, PartialEq, Eq, Message)]
#[expect(missing_docs, reason = "the sysvar's own fields")]
pub struct EpochSchedule {
    #[prost(uint64, tag = "1")]
    pub slots_per_epoch: u64,
    #[prost(uint64, tag = "2")]
    pub leader_schedule_slot_offset: u64,
    #[prost(bool, tag = "3")]
    pub warmup: bool,
    #[prost(uint64, tag = "4")]
    pub first_normal_epoch: u64,
    #[prost(uint64, tag = "5")]
    pub first_normal_slot: u64,
}

/// `Rent`.
#[derive(Clone, PartialEq, Message)]
#[expect(missing_docs, reason = "the sysvar's own fields")]
pub struct Rent {
    #[prost(uint64, tag = "1")]
    pub lamports_per_byte_year: u64,
    #[prost(double, tag = "2")]
    pub exemption_threshold: f64,
    #[prost(uint32, tag = "3")]
    pub burn_percent: u32,
}

/// An entry of `SlotHashes`.
#[derive(Clone, PartialEq, Eq, Message)]
#[expect(missing_docs, reason = "the sysvar's own fields")]
pub struct SlotHashEntry {
    #[prost(uint64, tag = "1")]
    pub slot: u64,
    #[prost(bytes = "vec", tag = "2")]
    pub hash: Vec<u8>,
}

/// `SlotHashes`.
#[derive(Clone, PartialEq, Eq, Message)]
#[expect(missing_docs, reason = "the sysvar's own fields")]
pub struct SlotHashes {
    #[prost(message, repeated, tag = "1")]
    pub slot_hashes: Vec<SlotHashEntry>,
}

/// An entry of `StakeHistory`.
#[derive(Clone, PartialEq, Eq, Message)]
#[expect(missing_docs, reason = "the sysvar's own fields")]
pub struct StakeHistoryEntry {
    #[prost(uint64, tag = "1")]
    pub epoch: u64,
    #[prost(uint64, tag = "2")]
    pub effective: u64,
    #[prost(uint64, tag = "3")]
    pub activating: u64,
    #[prost(uint64, tag = "4")]
    pub deactivating: u64,
}

/// `StakeHistory`.
#[derive(Clone, PartialEq, Eq, Message)]
#[expect(missing_docs, reason = "the sysvar's own fields")]
pub struct StakeHistory {
    #[prost(message, repeated, tag = "1")]
    pub stake_history: Vec<StakeHistoryEntry>,
}

/// An entry of `RecentBlockhashes`.
#[derive(Clone, PartialEq, Eq, Message)]
#[expect(missing_docs, reason = "the sysvar's own fields")]
pub struct RecentBlockhashEntry {
    #[prost(bytes = "vec", tag = "1")]
    pub blockhash: Vec<u8>,
    #[prost(uint64, tag = "2")]
    pub lamports_per_signature: u64,
}

/// `RecentBlockhashes`.
#[derive(Clone, PartialEq, Eq, Message)]
#[expect(missing_docs, reason = "the sysvar's own fields")]
pub struct RecentBlockhashes {
    #[prost(message, repeated, tag = "1")]
    pub entries: Vec<RecentBlockhashEntry>,
}

/// All of them; one that is left out is as it is when new.
#[derive(Clone, PartialEq, Message)]
#[expect(missing_docs, reason = "the sysvars' own names")]
pub struct Sysvars {
    #[prost(message, optional, tag = "1")]
    pub clock: Option<Clock>,
    #[prost(message, optional, tag = "2")]
    pub epoch_rewards: Option<EpochRewards>,
    #[prost(message, optional, tag = "3")]
    pub epoch_schedule: Option<EpochSchedule>,
    #[prost(message, optional, tag = "4")]
    pub rent: Option<Rent>,
    #[prost(message, optional, tag = "5")]
    pub slot_hashes: Option<SlotHashes>,
    #[prost(message, optional, tag = "6")]
    pub stake_history: Option<StakeHistory>,
    #[prost(message, optional, tag = "7")]
    pub recent_blockhashes: Option<RecentBlockhashes>,
}

fn hash(bytes: &[u8]) -> Result<Hash, ReplayError> {
    let bytes: [u8; 32] = bytes.try_into().map_err(|_| ReplayError::invalid("a hash", "it has 32 bytes"))?;
    Ok(Hash::new_from_array(bytes))
}

/// A sysvar's account.
fn account<T: wincode::SchemaWrite<DefaultConfig, Src = T>>(
    address: Address,
    sysvar: &T,
) -> Result<(Address, Account), ReplayError> {
    let data = wincode::serialize(sysvar).map_err(|error| ReplayError::invalid("a sysvar", error))?;
    Ok((address, Account { lamports: 1, data, owner: sysvar::ID, ..Account::default() }))
}

impl Sysvars {
    /// The sysvars' accounts.
    #[expect(deprecated)]
    pub(super) fn accounts(self) -> Result<Vec<(Address, Account)>, ReplayError> {
        let clock = self.clock.map_or_else(Default::default, |clock| solana_clock::Clock {
            slot: clock.slot,
            epoch_start_timestamp: clock.epoch_start_timestamp,
            epoch: clock.epoch,
            leader_schedule_epoch: clock.leader_schedule_epoch,
            unix_timestamp: clock.unix_timestamp,
        });
        let rewards = match self.epoch_rewards {
            None => Default::default(),
            Some(rewards) => solana_epoch_rewards::EpochRewards {
                distribution_starting_block_height: rewards.distribution_starting_block_height,
                num_partitions: rewards.num_partitions,
                parent_blockhash: hash(&rewards.parent_blockhash)?,
                total_points: u128::from_le_bytes(
                    (rewards.total_points.as_slice().try_into())
                        .map_err(|_| ReplayError::invalid("the points of rewards", "they have 16 bytes"))?,
                ),
                total_rewards: rewards.total_rewards,
                distributed_rewards: rewards.distributed_rewards,
                active: rewards.active,
            },
        };
        let schedule = self.epoch_schedule.map_or_else(Default::default, |schedule| {
            solana_epoch_schedule::EpochSchedule {
                slots_per_epoch: schedule.slots_per_epoch,
                leader_schedule_slot_offset: schedule.leader_schedule_slot_offset,
                warmup: schedule.warmup,
                first_normal_epoch: schedule.first_normal_epoch,
                first_normal_slot: schedule.first_normal_slot,
            }
        });
        let rent = self.rent.map_or_else(Default::default, |rent| solana_rent::Rent {
            lamports_per_byte: rent.lamports_per_byte_year,
            exemption_threshold: rent.exemption_threshold.to_le_bytes(),
            burn_percent: rent.burn_percent as u8,
        });
        let mut hashes = Vec::new();
        for entry in self.slot_hashes.unwrap_or_default().slot_hashes {
            hashes.push((entry.slot, hash(&entry.hash)?));
        }
        let mut history = solana_stake_history::StakeHistory::default();
        for entry in self.stake_history.unwrap_or_default().stake_history {
            let StakeHistoryEntry { epoch, effective, activating, deactivating } = entry;
            let entry = solana_stake_history::StakeHistoryEntry { effective, activating, deactivating };
            history.add(epoch, entry);
        }
        let mut recent = Vec::new();
        for entry in self.recent_blockhashes.unwrap_or_default().entries {
            recent.push((hash(&entry.blockhash)?, entry.lamports_per_signature));
        }
        let recent: recent_blockhashes::RecentBlockhashes = (recent.iter().enumerate())
            .map(|(number, (hash, lamports))| {
                recent_blockhashes::IterItem(u64::MAX - number as u64, hash, *lamports)
            })
            .collect();
        let mut accounts = vec![
            account(sysvar::clock::ID, &clock)?,
            account(sysvar::epoch_rewards::ID, &rewards)?,
            account(sysvar::epoch_schedule::ID, &schedule)?,
            account(sysvar::rent::ID, &rent)?,
            account(sysvar::slot_hashes::ID, &solana_slot_hashes::SlotHashes::new(&hashes))?,
            account(sysvar::stake_history::ID, &history)?,
        ];
        accounts.push(account(sysvar::recent_blockhashes::ID, &recent)?);
        Ok(accounts)
    }
}
