//! The System Program's instructions for nonce accounts.

use solana_address::Address;
use solana_instruction_error::InstructionError;
use solana_nonce::{
    state::{Data, DurableNonce, State},
    versions::Versions,
};
use solana_rent::Rent;
use solana_sdk_ids::{system_program, sysvar};
use solana_system_interface::error::SystemError;
use std::collections::HashSet;

use super::{
    super::{context::BorrowedAccount, invoke::InvokeContext},
    system::Result,
};
use crate::deltanet::HeadsBoundary;

fn read(account: &BorrowedAccount<'_>) -> Result<Versions> {
    wincode::deserialize(account.data()).map_err(|_| InstructionError::InvalidAccountData)
}

fn write(account: &mut BorrowedAccount<'_>, versions: &Versions) -> Result {
    let bytes = wincode::serialize(versions).map_err(|_| InstructionError::GenericError)?;
    account.write_data(&bytes)
}

/// The least balance of an account with data of this length.
pub(super) fn minimum_balance(rent: &Rent, size: usize) -> u64 {
    rent.try_minimum_balance(size).unwrap_or(u64::MAX)
}

impl<E: HeadsBoundary> InvokeContext<'_, E> {
    /// Fails unless an account is the list of recent blockhashes; tells whether that has entries.
    fn recent_blockhashes(&self, account: usize) -> Result<bool> {
        if self.key(account)? != sysvar::recent_blockhashes::ID {
            return Err(InstructionError::InvalidArgument);
        }
        self.accounts.sysvars.has_recent_blockhashes().ok_or(InstructionError::UnsupportedSysvar)
    }

    /// Fails unless an account is the rent sysvar; gives the rent.
    pub(super) fn rent(&self, account: usize) -> Result<Rent> {
        if self.key(account)? != sysvar::rent::ID {
            return Err(InstructionError::InvalidArgument);
        }
        self.accounts.sysvars.rent.clone().ok_or(InstructionError::UnsupportedSysvar)
    }

    /// What a nonce account holds after this transaction.
    fn next_nonce(&self) -> DurableNonce {
        DurableNonce::from_blockhash(&self.blockhash)
    }

    fn nonce_data(&self, authority: Address) -> Versions {
        let data = Data::new(authority, self.next_nonce(), self.lamports_per_signature);
        Versions::new(State::Initialized(data))
    }

    /// Account 0 of an instruction whose log lines begin with `what`; it must be writable.
    fn nonce_account(&mut self, what: &str) -> Result<BorrowedAccount<'_>> {
        let writable = self.context.borrow(0)?.is_writable();
        if !writable {
            let key = self.key(0)?;
            self.remark(format_args!("{what} nonce account: Account {key} must be writeable"));
            return Err(InstructionError::InvalidArgument);
        }
        self.context.borrow(0)
    }

    fn invalid_state(&mut self, what: &str) -> InstructionError {
        if let Ok(key) = self.key(0) {
            self.remark(format_args!("{what} nonce account: Account {key} state is invalid"));
        }
        InstructionError::InvalidAccountData
    }

    fn missing_signature(&mut self, what: &str, key: &Address, must: &str) -> InstructionError {
        self.remark(format_args!("{what} nonce account: Account {key} must {must}"));
        InstructionError::MissingRequiredSignature
    }

    fn insufficient(&mut self, what: &str, balance: u64, need: u64) -> InstructionError {
        self.remark(format_args!("{what} nonce account: insufficient lamports {balance}, need {need}"));
        InstructionError::InsufficientFunds
    }

    fn not_expired(&mut self, what: &str) -> InstructionError {
        self.remark(format_args!("{what} nonce account: nonce can only advance once per slot"));
        SystemError::NonceBlockhashNotExpired.into()
    }

    fn no_blockhashes(&mut self, what: &str) -> InstructionError {
        self.remark(format_args!("{what} nonce account: recent blockhash list is empty"));
        SystemError::NonceNoRecentBlockhashes.into()
    }
}

/// Stores the next nonce in account 0.
pub(super) fn advance<E: HeadsBoundary>(invoke: &mut InvokeContext<'_, E>) -> Result {
    const WHAT: &str = "Advance";
    invoke.need_accounts(1)?;
    if !invoke.recent_blockhashes(1)? {
        return Err(invoke.no_blockhashes(WHAT));
    }
    let State::Initialized(data) = State::from(read(&invoke.nonce_account(WHAT)?)?) else {
        return Err(invoke.invalid_state(WHAT));
    };
    if !invoke.is_signer(&data.authority)? {
        return Err(invoke.missing_signature(WHAT, &data.authority, "be a signer"));
    }
    if data.durable_nonce == invoke.next_nonce() {
        return Err(invoke.not_expired(WHAT));
    }
    let next = invoke.nonce_data(data.authority);
    write(&mut invoke.context.borrow(0)?, &next)
}

/// Moves lamports from account 0 to account 1.
pub(super) fn withdraw<E: HeadsBoundary>(invoke: &mut InvokeContext<'_, E>, lamports: u64) -> Result {
    const WHAT: &str = "Withdraw";
    invoke.need_accounts(2)?;
    invoke.recent_blockhashes(2)?;
    let rent = invoke.rent(3)?;
    let from = invoke.nonce_account(WHAT)?;
    let (key, balance, size) = (*from.key(), from.lamports(), from.data().len());
    let signer = match State::from(read(&from)?) {
        State::Uninitialized if lamports > balance => {
            return Err(invoke.insufficient(WHAT, balance, lamports));
        }
        State::Uninitialized => key,
        State::Initialized(data) if lamports == balance => {
            if data.durable_nonce == invoke.next_nonce() {
                return Err(invoke.not_expired(WHAT));
            }
            if invoke.is_signer(&data.authority)? {
                write(&mut invoke.context.borrow(0)?, &Versions::new(State::Uninitialized))?;
            }
            data.authority
        }
        State::Initialized(data) => {
            let minimum = minimum_balance(&rent, size);
            let need = lamports.checked_add(minimum).ok_or(InstructionError::InsufficientFunds)?;
            if need > balance {
                return Err(invoke.insufficient(WHAT, balance, need));
            }
            data.authority
        }
    };
    if !invoke.is_signer(&signer)? {
        return Err(invoke.missing_signature(WHAT, &signer, "sign"));
    }
    invoke.context.borrow(0)?.sub_lamports(lamports)?;
    invoke.context.borrow(1)?.add_lamports(lamports)
}

/// Makes account 0 a nonce account.
pub(super) fn initialize<E: HeadsBoundary>(invoke: &mut InvokeContext<'_, E>, authority: Address) -> Result {
    const WHAT: &str = "Initialize";
    invoke.need_accounts(1)?;
    if !invoke.recent_blockhashes(1)? {
        return Err(invoke.no_blockhashes(WHAT));
    }
    let rent = invoke.rent(2)?;
    let account = invoke.nonce_account(WHAT)?;
    let (balance, minimum) = (account.lamports(), minimum_balance(&rent, account.data().len()));
    let State::Uninitialized = State::from(read(&account)?) else {
        return Err(invoke.invalid_state(WHAT));
    };
    if balance < minimum {
        return Err(invoke.insufficient(WHAT, balance, minimum));
    }
    let first = invoke.nonce_data(authority);
    write(&mut invoke.context.borrow(0)?, &first)
}

/// Gives account 0 another authority.
pub(super) fn authorize<E: HeadsBoundary>(invoke: &mut InvokeContext<'_, E>, authority: Address) -> Result {
    const WHAT: &str = "Authorize";
    invoke.need_accounts(1)?;
    let versions = read(&invoke.nonce_account(WHAT)?)?;
    let State::Initialized(data) = versions.state() else { return Err(invoke.invalid_state(WHAT)) };
    let old = data.authority;
    if !invoke.is_signer(&old)? {
        return Err(invoke.missing_signature(WHAT, &old, "sign"));
    }
    let changed =
        versions.authorize(&HashSet::from([old]), authority).map_err(|_| InstructionError::GenericError)?;
    write(&mut invoke.context.borrow(0)?, &changed)
}

/// Brings account 0 to the current version.
pub(super) fn upgrade<E: HeadsBoundary>(invoke: &mut InvokeContext<'_, E>) -> Result {
    invoke.need_accounts(1)?;
    let mut account = invoke.context.borrow(0)?;
    if *account.owner() != system_program::ID {
        return Err(InstructionError::InvalidAccountOwner);
    }
    if !account.is_writable() {
        return Err(InstructionError::InvalidArgument);
    }
    let upgraded = read(&account)?.upgrade().ok_or(InstructionError::InvalidArgument)?;
    write(&mut account, &upgraded)
}
