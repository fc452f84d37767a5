//! What a program sees besides its memory, as plain host data.

use super::syscall_names::MAINNET_SYSCALLS;
use sha2::{Digest as _, Sha256};
use std::{collections::BTreeMap, sync::Arc};

/// An account's address.
pub type Address = [u8; 32];

/// What syscalls answer from. The default is one top-level instruction without accounts, with the sysvars
/// of a fresh LiteSVM and no return data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// The running program.
    pub program_id: Address,
    /// Pointers to types must be aligned: so for every loader but the first.
    pub aligned: bool,
    /// 1 for an instruction of the transaction itself, one more for each level of calls below it.
    pub stack_height: u64,
    /// Names of the syscalls there are.
    pub syscalls: Arc<[&'static str]>,
    /// The sysvars.
    pub sysvars: Arc<Sysvars>,
    /// The last return data of the transaction.
    pub return_data: ReturnData,
    /// What `sol_get_epoch_stake` answers.
    pub epoch_stake: Arc<EpochStake>,
    /// Instructions of the same caller that have run, the last one first.
    pub siblings: Vec<Sibling>,
}

impl Default for Environment {
    fn default() -> Self {
        Self {
            program_id: [0; 32],
            aligned: true,
            stack_height: 1,
            syscalls: MAINNET_SYSCALLS.into(),
            sysvars: Arc::default(),
            return_data: ReturnData::default(),
            epoch_stake: Arc::default(),
            siblings: Vec::new(),
        }
    }
}

impl Environment {
    /// No syscalls at all: the machine alone.
    pub fn bare() -> Self {
        Self { syscalls: Arc::from([]), ..Self::default() }
    }
}

/// Bytes a program leaves for its caller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReturnData {
    /// Who left them.
    pub program_id: Address,
    /// At most 1024 bytes.
    pub data: Vec<u8>,
}

/// Stake by vote account, in lamports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EpochStake {
    /// Of the whole cluster.
    pub total: u64,
    /// Of each vote account.
    pub by_vote_account: BTreeMap<Address, u64>,
}

/// An instruction that has run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sibling {
    /// Its program.
    pub program_id: Address,
    /// Its data.
    pub data: Vec<u8>,
    /// Its accounts: address, signer, writable.
    pub accounts: Vec<(Address, bool, bool)>,
}

/// The bytes of the sysvar accounts that syscalls read; `None` for one the runtime does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the sysvars' own names
pub struct Sysvars {
    pub clock: Option<Vec<u8>>,
    pub epoch_schedule: Option<Vec<u8>>,
    pub epoch_rewards: Option<Vec<u8>>,
    pub rent: Option<Vec<u8>>,
    pub last_restart_slot: Option<Vec<u8>>,
    pub fees: Option<Vec<u8>>,
    pub slot_hashes: Option<Vec<u8>>,
    pub stake_history: Option<Vec<u8>>,
}

/// The slot a fresh LiteSVM is at.
pub const DEFAULT_SLOT: u64 = 440_208_000;

impl Default for Sysvars {
    fn default() -> Self {
        let words = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let mut schedule = words(&[432_000, 432_000]);
        schedule.push(1);
        schedule.extend(words(&[14, 524_256]));
        let mut rent = words(&[6960, 1.0f64.to_bits()]);
        rent.push(50);
        let mut slot_hashes = words(&[1, DEFAULT_SLOT]);
        slot_hashes.extend(Sha256::digest(b"genesis"));
        Self {
            clock: Some(words(&[DEFAULT_SLOT, 0, 0, 0, 0])),
            epoch_schedule: Some(schedule),
            epoch_rewards: Some(vec![0; 81]),
            rent: Some(rent),
            last_restart_slot: Some(vec![0; 8]),
            fees: Some(vec![0; 8]),
            slot_hashes: Some(slot_hashes),
            stake_history: Some(vec![0; 8]),
        }
    }
}

/// Addresses of the sysvar accounts in the order of the fields of [`Sysvars`], in base 58.
pub const SYSVAR_IDS: [&str; 8] = [
    "SysvarC1ock11111111111111111111111111111111",
    "SysvarEpochSchedu1e111111111111111111111111",
    "SysvarEpochRewards1111111111111111111111111",
    "SysvarRent111111111111111111111111111111111",
    "SysvarLastRestartS1ot1111111111111111111111",
    "SysvarS1otHashes111111111111111111111111111",
    "SysvarStakeHistory1111111111111111111111111",
    "SysvarFees111111111111111111111111111111111",
];

/// A sysvar as the machine is given it.
pub(super) struct Entry<'a> {
    /// Address of the account.
    pub id: Address,
    /// Bytes of the account.
    pub account: &'a [u8],
    /// Bytes of the structure in memory, for those that have a getter.
    pub image: Option<Vec<u8>>,
}

impl Sysvars {
    /// The data of the accounts of [`SYSVAR_IDS`].
    pub fn accounts(&self) -> [Option<&[u8]>; 8] {
        [
            &self.clock,
            &self.epoch_schedule,
            &self.epoch_rewards,
            &self.rent,
            &self.last_restart_slot,
            &self.slot_hashes,
            &self.stake_history,
            &self.fees,
        ]
        .map(Option::as_deref)
    }

    /// The sysvars in the order of [`SysvarIndex`](crate::syscalls::SysvarIndex).
    pub(super) fn entries(&self) -> [Option<Entry<'_>>; 8] {
        let accounts = self.accounts();
        std::array::from_fn(|index| {
            let account = accounts[index]?;
            let mut id = [0; 32];
            bs58::decode(SYSVAR_IDS[index]).onto(&mut id).ok()?;
            Some(Entry { id, account, image: image(index, account) })
        })
    }
}

/// The structure in memory of a sysvar account: the account's bytes with the padding of its fields.
fn image(index: usize, account: &[u8]) -> Option<Vec<u8>> {
    let size = match index {
        0 | 1 => 40,
        2 => 96,
        3 => 24,
        4 | 7 => 8,
        _ => return None,
    };
    let mut image = account.to_vec();
    // The flag of an epoch schedule is followed by seven bytes of padding.
    if index == 1 && image.len() > 17 {
        image.splice(17..17, [0; 7]);
    }
    image.resize(size, 0);
    Some(image)
}
