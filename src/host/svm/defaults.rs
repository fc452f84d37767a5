//! What a fresh store holds, and programs put into it.

use agave_feature_set::{deprecate_rent_exemption_threshold, zk_elgamal_proof_program_enabled};
use solana_account::{Account, AccountSharedData, ReadableAccount};
use solana_address::Address;
use solana_clock::Clock;
use solana_epoch_rewards::EpochRewards;
use solana_epoch_schedule::EpochSchedule;
use solana_last_restart_slot::LastRestartSlot;
use solana_loader_v3_interface::state::UpgradeableLoaderState;
use solana_rent::{DEFAULT_LAMPORTS_PER_BYTE, Rent};
use solana_sdk_ids::{
    bpf_loader, bpf_loader_deprecated, bpf_loader_upgradeable, config, feature, native_loader, stake, sysvar,
};
use solana_slot_hashes::SlotHashes;
use solana_slot_history::SlotHistory;
use solana_stake_history::StakeHistory;
use solana_sysvar::Sysvar;
#[expect(deprecated)]
use solana_sysvar::{
    fees::Fees,
    recent_blockhashes::{IterItem, RecentBlockhashes},
};

use solana_sysvar_id::SysvarId;

use crate::deltanet::HeadsBoundary;

use super::{Svm, SvmError, builtins::Builtin, features::mainnet_slot, programs::load_elf};

/// An account with this data.
fn account(lamports: u64, data: Vec<u8>, owner: Address, executable: bool) -> AccountSharedData {
    Account { lamports, data, owner, executable, rent_epoch: 0 }.into()
}

impl<E: HeadsBoundary> Svm<'_, E> {
    /// Puts the accounts of the builtin programs.
    pub fn with_builtins(mut self) -> Self {
        for (builtin, address, name) in Builtin::ALL {
            let enabled = builtin != Builtin::ZkElGamalProof
                || self.features.is_active(&zk_elgamal_proof_program_enabled::ID);
            if enabled {
                self.accounts.insert(address, account(1, name.into(), native_loader::ID, true));
            }
        }
        self
    }

    /// Puts a sysvar; one that cannot be written is left as it is.
    pub fn set_sysvar<T>(&mut self, sysvar: &T)
    where
        T: Sysvar + SysvarId + wincode::Serialize<Src = T>,
    {
        let size = if T::id() == sysvar::slot_hashes::ID { solana_slot_hashes::SIZE } else { 0 };
        self.put_sysvar(T::id(), sysvar, size);
    }

    /// A sysvar, as its account has it; `None` if there is none that can be read.
    pub fn try_get_sysvar<T>(&self) -> Option<T>
    where
        T: Sysvar + SysvarId + wincode::DeserializeOwned<Dst = T>,
    {
        T::deserialize_from(self.accounts.get(&T::id())?.data()).ok()
    }

    /// Puts a sysvar's account: its bytes, and zeros up to `size`.
    fn put_sysvar<T>(&mut self, address: Address, sysvar: &T, size: usize)
    where
        T: wincode::SchemaWrite<wincode::config::DefaultConfig, Src = T>,
    {
        // What was just written can be read.
        if let Ok(mut data) = wincode::serialize(sysvar) {
            data.resize(size.max(data.len()), 0);
            let _ = self.accounts.set(address, account(1, data, sysvar::ID, false));
        }
    }

    /// Puts the sysvars.
    #[expect(deprecated)]
    pub fn with_sysvars(mut self) -> Self {
        let slot = mainnet_slot();
        self.put_sysvar(sysvar::clock::ID, &Clock { slot, ..Clock::default() }, 0);
        self.put_sysvar(sysvar::epoch_rewards::ID, &EpochRewards::default(), 0);
        self.put_sysvar(sysvar::epoch_schedule::ID, &EpochSchedule::default(), 0);
        let fees = Fees::default();
        self.put_sysvar(sysvar::fees::ID, &fees, 0);
        self.put_sysvar(sysvar::last_restart_slot::ID, &LastRestartSlot::default(), 0);
        let blockhash = self.latest_blockhash;
        self.put_recent_blockhash(fees.fee_calculator.lamports_per_signature);
        let mut rent = Rent::default();
        if !self.features.is_active(&deprecate_rent_exemption_threshold::ID) {
            rent.exemption_threshold = 2.0f64.to_le_bytes();
            rent.lamports_per_byte = DEFAULT_LAMPORTS_PER_BYTE / 2;
        }
        self.put_sysvar(sysvar::rent::ID, &rent, 0);
        let hashes = SlotHashes::new(&[(slot, blockhash)]);
        self.put_sysvar(sysvar::slot_hashes::ID, &hashes, solana_slot_hashes::SIZE);
        self.put_sysvar(sysvar::slot_history::ID, &SlotHistory::default(), 0);
        self.put_sysvar(sysvar::stake_history::ID, &StakeHistory::default(), 0);
        // The stake program's configuration: a list of no keys, a warm-up rate, a penalty.
        let mut data = vec![0; 17];
        data[8..16].copy_from_slice(&0.25f64.to_le_bytes());
        data[16] = (5 * u32::from(u8::MAX) / 100) as u8;
        self.accounts.insert(stake::config::ID, account(1, data, config::ID, false));
        self
    }

    /// Makes the latest blockhash the only recent one.
    #[expect(deprecated)]
    fn put_recent_blockhash(&mut self, lamports_per_signature: u64) {
        let blockhash = self.latest_blockhash;
        let list = RecentBlockhashes::from_iter([IterItem(0, &blockhash, lamports_per_signature)]);
        self.put_sysvar(sysvar::recent_blockhashes::ID, &list, 0);
    }

    /// Replaces the latest blockhash; transactions that name the old one are no longer accepted.
    pub fn expire_blockhash(&mut self) {
        self.latest_blockhash = solana_sha256_hasher::hash(self.latest_blockhash.as_ref());
        self.put_recent_blockhash(self.lamports_per_signature);
    }

    /// Sets the clock's slot.
    pub fn warp_to_slot(&mut self, slot: u64) {
        let clock: Clock = self.accounts.sysvars.get(&sysvar::clock::ID).unwrap_or_default();
        self.put_sysvar(sysvar::clock::ID, &Clock { slot, ..clock }, 0);
    }

    /// Puts an account for each active feature.
    pub fn with_feature_accounts(mut self) -> Self {
        const SIZE: usize = 9;

        let lamports = self.minimum_balance_for_rent_exemption(SIZE);
        for (address, slot) in self.features.active() {
            let mut data = vec![1];
            data.extend(slot.to_le_bytes());
            self.accounts.insert(*address, account(lamports, data, feature::ID, false));
        }
        self
    }

    /// Puts a program from an ELF file under one of the loaders v1 to v3.
    ///
    /// # Errors
    /// The file is no program, or the loader none of these.
    pub fn add_program(&mut self, program: Address, file: &[u8], loader: Address) -> Result<(), SvmError> {
        match loader {
            bpf_loader_upgradeable::ID => {
                let (data_address, _) = Address::find_program_address(&[program.as_ref()], &loader);
                let slot = self.accounts.sysvars.slot();
                let header = UpgradeableLoaderState::ProgramData { slot, upgrade_authority_address: None };
                let mut data = wincode::serialize(&header).unwrap_or_default();
                data.resize(UpgradeableLoaderState::size_of_programdata_metadata(), 0);
                data.extend(file);
                let lamports = self.minimum_balance_for_rent_exemption(data.len());
                self.accounts.insert(data_address, account(lamports, data, loader, false));
                let state = UpgradeableLoaderState::Program { programdata_address: data_address };
                let data = wincode::serialize(&state).unwrap_or_default();
                let lamports = self.minimum_balance_for_rent_exemption(data.len());
                self.accounts.insert(program, account(lamports, data, loader, true));
            }
            bpf_loader::ID | bpf_loader_deprecated::ID => {
                let lamports = self.minimum_balance_for_rent_exemption(file.len());
                self.accounts.insert(program, account(lamports, file.to_vec(), loader, true));
            }
            _ => return Err(SvmError::InvalidLoader(format!("Unsupported loader: {loader}"))),
        }
        self.accounts.insert_program(program, load_elf(file, &self.accounts.options)?);
        Ok(())
    }
}
