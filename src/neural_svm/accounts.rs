//! Accounts and programs.

use solana_account::{Account, ReadableAccount};
use solana_address::Address;
use solana_sdk_ids::bpf_loader_upgradeable;
use solana_signer::Signer;
use std::path::Path;

use super::{NeuralSvm, airdrop_keypair};
use crate::host::svm::SvmError;

impl NeuralSvm {
    /// Puts the account that pays for airdrops.
    pub fn with_lamports(mut self, lamports: u64) -> Self {
        self.svm.put_account(airdrop_keypair().pubkey(), Account { lamports, ..Account::default() });
        self
    }

    /// The least balance, in lamports, that makes data of this length exempt from rent; `u64::MAX` if the data
    /// is too long for an account.
    pub fn minimum_balance_for_rent_exemption(&self, data_len: usize) -> u64 {
        self.svm.minimum_balance_for_rent_exemption(data_len)
    }

    /// The account at an address.
    pub fn get_account(&self, address: &Address) -> Option<Account> {
        self.svm.get_account(address)
    }

    /// All accounts that belong to a program, in no particular order.
    pub fn get_program_accounts(&self, program_id: &Address) -> Vec<(Address, Account)> {
        let owned = self.svm.accounts().filter(|(_, account)| account.owner() == program_id);
        owned.map(|(address, account)| (*address, account.clone().into())).collect()
    }

    /// Puts an account; one without lamports is removed. An executable one is loaded as a program.
    ///
    /// # Errors
    /// It is a program that does not load, or a sysvar that does not read.
    pub fn set_account(&mut self, address: Address, data: Account) -> Result<(), SvmError> {
        self.svm.set_account(address, data)
    }

    /// The balance at an address, in lamports.
    pub fn get_balance(&self, address: &Address) -> Option<u64> {
        self.svm.get_balance(address)
    }

    /// Sets the stake of a vote account, in lamports, which also changes the total.
    ///
    /// # Errors
    /// The total overflows.
    pub fn set_epoch_stake(&mut self, vote_account: Address, stake: u64) -> Result<(), SvmError> {
        self.svm.set_epoch_stake(vote_account, stake)
    }

    /// Replaces all stakes.
    ///
    /// # Errors
    /// The total overflows.
    pub fn set_epoch_stakes(
        &mut self,
        stakes: impl IntoIterator<Item = (Address, u64)>,
    ) -> Result<(), SvmError> {
        self.svm.set_epoch_stakes(stakes)
    }

    /// All stake, in lamports.
    pub fn epoch_total_stake(&self) -> u64 {
        self.svm.epoch_total_stake()
    }

    /// The stake of a vote account, in lamports.
    pub fn epoch_stake(&self, vote_account: &Address) -> u64 {
        self.svm.epoch_stake(vote_account)
    }

    /// Puts a program from a file under the upgradeable loader.
    ///
    /// # Errors
    /// The file cannot be read, or is no program.
    pub fn add_program_from_file(
        &mut self,
        program_id: impl Into<Address>,
        path: impl AsRef<Path>,
    ) -> Result<(), SvmError> {
        self.add_program(program_id, &std::fs::read(path)?)
    }

    /// Puts a program under the upgradeable loader.
    ///
    /// # Errors
    /// The bytes are no program.
    pub fn add_program(
        &mut self,
        program_id: impl Into<Address>,
        program_bytes: &[u8],
    ) -> Result<(), SvmError> {
        self.add_program_with_loader(program_id, program_bytes, bpf_loader_upgradeable::ID)
    }

    /// Puts a program under one of the loaders v1 to v3.
    ///
    /// # Errors
    /// The bytes are no program, or the loader none of these.
    pub fn add_program_with_loader(
        &mut self,
        program_id: impl Into<Address>,
        program_bytes: &[u8],
        loader_id: Address,
    ) -> Result<(), SvmError> {
        self.svm.add_program(program_id.into(), program_bytes, loader_id)
    }
}
