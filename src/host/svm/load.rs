//! Loading the accounts of a transaction.

use solana_account::{Account, AccountSharedData, ReadableAccount, WritableAccount};
use solana_address::Address;
use solana_instructions_sysvar::construct_instructions_data;
use solana_loader_v3_interface::state::UpgradeableLoaderState;
use solana_message::SanitizedMessage;
use solana_nonce::{
    state::{Data, DurableNonce, State},
    versions::Versions,
};
use solana_rent::Rent;
use solana_sdk_ids::{bpf_loader_upgradeable, native_loader, sysvar};
use solana_transaction_error::TransactionError;

use super::{
    Rules, Svm,
    check::Checked,
    programs,
    rent::{RentState, is_exempt, pay_fee},
};
use crate::deltanet::HeadsBoundary;

type Result<T> = std::result::Result<T, TransactionError>;
type Keyed = (Address, AccountSharedData);

/// Bytes an account counts for besides its data.
const ACCOUNT_BYTES: usize = 64;
/// Bytes a lookup table counts for.
const LOOKUP_TABLE_BYTES: usize = 8248;

/// The accounts of a transaction, ready for its instructions.
pub(super) struct Loaded {
    /// The message's accounts; LiteSVM appends the loaders of its programs.
    pub accounts: Vec<Keyed>,
    /// Rent states of the message's accounts.
    pub rent_states: Vec<RentState>,
    /// Accounts to keep if the transaction fails.
    pub rollback: Vec<Keyed>,
}

/// A transaction whose accounts cannot be loaded.
pub(super) struct Unloadable {
    /// Why.
    pub error: TransactionError,
    /// Accounts to keep, if it is processed for its fee alone.
    pub rollback: Option<Vec<Keyed>>,
}

impl From<TransactionError> for Unloadable {
    fn from(error: TransactionError) -> Self {
        Self { error, rollback: None }
    }
}

/// How many bytes of account data may still be loaded.
struct Room(usize);

impl Room {
    fn take(&mut self, bytes: usize) -> Result<()> {
        let rest = self.0.checked_sub(bytes);
        self.0 = rest.ok_or(TransactionError::MaxLoadedAccountsDataSizeExceeded)?;
        Ok(())
    }
}

impl<E: HeadsBoundary> Svm<'_, E> {
    /// Loads the accounts of a transaction and takes the fee from its payer.
    ///
    /// # Errors
    /// Why that is not possible.
    pub(super) fn load(&self, checked: &Checked, rent: &Rent) -> std::result::Result<Loaded, Unloadable> {
        match self.rules {
            Rules::LiteSvm => self.load_as_litesvm(checked, rent).map_err(Unloadable::from),
            Rules::Agave => self.load_as_agave(checked, rent),
        }
    }

    fn load_as_litesvm(&self, checked: &Checked, rent: &Rent) -> Result<Loaded> {
        let message = checked.transaction.message();
        let mut room = Room(checked.limits.loaded_bytes as usize);
        room.take(message.message_address_table_lookups().len() * LOOKUP_TABLE_BYTES)?;
        let keys = message.account_keys();
        let mut accounts: Vec<Keyed> = Vec::with_capacity(keys.len() + 1);
        let mut rent_states = Vec::with_capacity(keys.len());
        let mut rollback = None;
        for (index, key) in keys.iter().enumerate() {
            if *key == sysvar::instructions::ID {
                rent_states.push(RentState::Uninitialized);
                let account = instructions_account(message).ok_or(TransactionError::SanitizeFailure)?;
                accounts.push((*key, account));
                continue;
            }
            let (mut account, size) = self.load_account(key, message.is_writable(index), rent);
            rent_states.push(RentState::of(rent, &account));
            if rollback.is_none() && (!message.is_invoked(index) || message.is_instruction_account(index)) {
                let (before, after) = pay_fee(&mut account, rent, checked.fee)?;
                before.check(after, key, index)?;
                rollback = Some(self.paid(key, checked.fee));
            }
            room.take(size)?;
            accounts.push((*key, account));
        }
        let rollback = rollback.ok_or(TransactionError::AccountNotFound)?;
        self.append_loaders(message, &mut accounts)?;
        Ok(Loaded { accounts, rent_states, rollback })
    }

    /// Checks the programs of a message, and appends the accounts of their loaders.
    fn append_loaders(&self, message: &SanitizedMessage, accounts: &mut Vec<Keyed>) -> Result<()> {
        let first_loader = accounts.len();
        for instruction in message.instructions() {
            let (key, program) = &accounts[usize::from(instruction.program_id_index)];
            if *key == native_loader::ID {
                continue;
            }
            if !program.executable() {
                return Err(TransactionError::InvalidProgramForExecution);
            }
            let owner = *program.owner();
            if owner == native_loader::ID || accounts[first_loader..].iter().any(|(key, _)| *key == owner) {
                continue;
            }
            let is_loader =
                |loader: &&AccountSharedData| *loader.owner() == native_loader::ID && loader.executable();
            let loader = self.accounts.get(&owner).filter(is_loader);
            let loader = loader.ok_or(TransactionError::InvalidProgramForExecution)?;
            accounts.push((owner, loader.clone()));
        }
        Ok(())
    }

    fn load_as_agave(&self, checked: &Checked, rent: &Rent) -> std::result::Result<Loaded, Unloadable> {
        let message = checked.transaction.message();
        let payer = message.fee_payer();
        let (mut account, size) = self.load_account(payer, true, rent);
        let (before, state) = pay_fee(&mut account, rent, checked.fee)?;
        if !before.may_become(state) {
            return Err(TransactionError::InsufficientFundsForRent { account_index: 0 }.into());
        }
        let rollback = match &checked.nonce {
            None => self.paid(payer, checked.fee),
            Some((address, data)) => {
                let advanced = self.advanced(data);
                let mut kept = account.clone();
                if address == payer {
                    kept.data_as_mut_slice()[..advanced.len()].copy_from_slice(&advanced);
                    vec![(*payer, kept)]
                } else {
                    let mut nonce = self.accounts.get(address).cloned().unwrap_or_default();
                    nonce.data_as_mut_slice()[..advanced.len()].copy_from_slice(&advanced);
                    vec![(*payer, kept), (*address, nonce)]
                }
            }
        };
        match self.load_rest(checked, rent, (account, size, state)) {
            Ok((accounts, rent_states)) => Ok(Loaded { accounts, rent_states, rollback }),
            Err(error) => Err(Unloadable { error, rollback: Some(rollback) }),
        }
    }

    /// Loads the accounts after the fee payer.
    fn load_rest(
        &self,
        checked: &Checked,
        rent: &Rent,
        (payer, payer_size, payer_state): (AccountSharedData, usize, RentState),
    ) -> Result<(Vec<Keyed>, Vec<RentState>)> {
        let message = checked.transaction.message();
        let keys = message.account_keys();
        let mut room = Room(checked.limits.loaded_bytes as usize);
        room.take(message.message_address_table_lookups().len() * LOOKUP_TABLE_BYTES)?;
        let mut accounts: Vec<Keyed> = Vec::with_capacity(keys.len());
        let mut rent_states = vec![payer_state];
        let mut program_data: Vec<Address> = Vec::new();
        let mut payer = Some((payer, payer_size));
        for (index, key) in keys.iter().enumerate() {
            let (account, size) = match payer.take() {
                Some(payer) => payer,
                None if *key == sysvar::instructions::ID => {
                    let account = instructions_account(message)
                        .ok_or(TransactionError::MaxLoadedAccountsDataSizeExceeded)?;
                    (account, 0)
                }
                None => self.load_account(key, message.is_writable(index), rent),
            };
            if index > 0 {
                rent_states.push(RentState::of(rent, &account));
            }
            room.take(size)?;
            // The data of a program counts once, whether it is named or not.
            if *account.owner() == bpf_loader_upgradeable::ID
                && let Ok(UpgradeableLoaderState::Program { programdata_address }) =
                    wincode::deserialize(account.data())
                && !keys.iter().any(|key| *key == programdata_address)
                && !program_data.contains(&programdata_address)
                && let Some(data) = self.accounts.get(&programdata_address)
            {
                room.take(ACCOUNT_BYTES + data.data().len())?;
                program_data.push(programdata_address);
            }
            accounts.push((*key, account));
        }
        for (program, _) in message.program_instructions_iter() {
            let account = self.accounts.get(program).ok_or(TransactionError::ProgramAccountNotFound)?;
            if *account.owner() != native_loader::ID && !programs::is_loader(account.owner()) {
                return Err(TransactionError::InvalidProgramForExecution);
            }
        }
        Ok((accounts, rent_states))
    }

    /// An account, and how many bytes it counts for.
    fn load_account(&self, key: &Address, writable: bool, rent: &Rent) -> (AccountSharedData, usize) {
        let Some(account) = self.accounts.get(key) else {
            return (Account { rent_epoch: u64::MAX, ..Account::default() }.into(), 0);
        };
        let mut account = account.clone();
        if writable && is_exempt(rent, account.lamports(), account.data().len()) {
            account.set_rent_epoch(u64::MAX);
        }
        let size = ACCOUNT_BYTES + account.data().len();
        (account, size)
    }

    /// The stored account of a fee payer that can pay, without the fee.
    fn paid(&self, payer: &Address, fee: u64) -> Vec<Keyed> {
        let mut account = self.accounts.get(payer).cloned().unwrap_or_default();
        account.set_lamports(account.lamports().saturating_sub(fee));
        vec![(*payer, account)]
    }

    /// What a nonce account holds once it has been used.
    fn advanced(&self, data: &Data) -> Vec<u8> {
        let nonce = DurableNonce::from_blockhash(&self.latest_blockhash);
        let data = Data::new(data.authority, nonce, self.lamports_per_signature);
        wincode::serialize(&Versions::new(State::Initialized(data))).unwrap_or_default()
    }
}

/// The instructions sysvar of a message; `None` if it would be too long.
fn instructions_account(message: &SanitizedMessage) -> Option<AccountSharedData> {
    let data = construct_instructions_data(&message.decompile_instructions()).ok()?;
    Some(Account { data, owner: sysvar::ID, ..Account::default() }.into())
}
