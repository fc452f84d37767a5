//! The System Program: it creates accounts and moves lamports.

use agave_feature_set::create_account_allow_prefund;
use solana_address::Address;
use solana_instruction_error::InstructionError;
use solana_sdk_ids::system_program;
use solana_system_interface::{
    MAX_PERMITTED_DATA_LENGTH, error::SystemError, instruction::SystemInstruction,
};
use std::fmt;

use super::{super::invoke::InvokeContext, nonce};
use crate::deltanet::HeadsBoundary;

pub(super) type Result<T = ()> = std::result::Result<T, InstructionError>;

/// Instruction data is read no further than a packet reaches, in bytes.
pub(super) const READ_LIMIT: usize = 1232;

/// An account's address, and the base it is derived from if that signs in its stead.
struct Target {
    address: Address,
    base: Option<Address>,
}

/// As it appears in the log.
impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Address").field("address", &self.address).field("base", &self.base).finish()
    }
}

/// What an address is derived from.
struct Seed<'a> {
    base: &'a Address,
    seed: &'a str,
    owner: &'a Address,
}

impl Seed<'_> {
    fn derive(&self) -> Result<Address> {
        // An address error turns up as the custom error of its number.
        Address::create_with_seed(self.base, self.seed, self.owner)
            .map_err(|error| InstructionError::from(error as u64))
    }
}

/// Runs the current instruction.
pub(super) fn process<E: HeadsBoundary>(invoke: &mut InvokeContext<'_, E>) -> Result {
    let data = &invoke.context.current()?.data;
    let instruction = wincode::deserialize(&data[..data.len().min(READ_LIMIT)])
        .map_err(|_| InstructionError::InvalidInstructionData)?;
    match instruction {
        SystemInstruction::CreateAccount { lamports, space, owner } => {
            invoke.need_accounts(2)?;
            let target = invoke.target(1, None)?;
            invoke.create(&target, lamports, space, &owner)
        }
        SystemInstruction::CreateAccountWithSeed { base, seed, lamports, space, owner } => {
            invoke.need_accounts(2)?;
            let target = invoke.target(1, Some(Seed { base: &base, seed: &seed, owner: &owner }))?;
            invoke.create(&target, lamports, space, &owner)
        }
        SystemInstruction::Assign { owner } => {
            invoke.need_accounts(1)?;
            let target = invoke.target(0, None)?;
            invoke.assign(0, &target, &owner)
        }
        SystemInstruction::Transfer { lamports } => {
            invoke.need_accounts(2)?;
            invoke.transfer(0, 1, lamports)
        }
        SystemInstruction::TransferWithSeed { lamports, from_seed, from_owner } => {
            invoke.need_accounts(3)?;
            invoke.transfer_with_seed(&from_seed, &from_owner, lamports)
        }
        SystemInstruction::AdvanceNonceAccount => nonce::advance(invoke),
        SystemInstruction::WithdrawNonceAccount(lamports) => nonce::withdraw(invoke, lamports),
        SystemInstruction::InitializeNonceAccount(authority) => nonce::initialize(invoke, authority),
        SystemInstruction::AuthorizeNonceAccount(authority) => nonce::authorize(invoke, authority),
        SystemInstruction::UpgradeNonceAccount => nonce::upgrade(invoke),
        SystemInstruction::Allocate { space } => {
            invoke.need_accounts(1)?;
            let target = invoke.target(0, None)?;
            invoke.allocate(0, &target, space)
        }
        SystemInstruction::AllocateWithSeed { base, seed, space, owner } => {
            invoke.need_accounts(1)?;
            let target = invoke.target(0, Some(Seed { base: &base, seed: &seed, owner: &owner }))?;
            invoke.allocate_and_assign(0, &target, space, &owner)
        }
        SystemInstruction::AssignWithSeed { base, seed, owner } => {
            invoke.need_accounts(1)?;
            let target = invoke.target(0, Some(Seed { base: &base, seed: &seed, owner: &owner }))?;
            invoke.assign(0, &target, &owner)
        }
        SystemInstruction::CreateAccountAllowPrefund { lamports, space, owner } => {
            if !invoke.features.is_active(&create_account_allow_prefund::ID) {
                return Err(InstructionError::InvalidInstructionData);
            }
            invoke.need_accounts(if lamports > 0 { 2 } else { 1 })?;
            let target = invoke.target(0, None)?;
            invoke.allocate_and_assign(0, &target, space, &owner)?;
            if lamports > 0 { invoke.transfer(1, 0, lamports) } else { Ok(()) }
        }
    }
}

/// Accounts of the instruction are named by their number in it.
impl<E: HeadsBoundary> InvokeContext<'_, E> {
    /// Fails unless the instruction has at least `count` accounts.
    pub(super) fn need_accounts(&self, count: usize) -> Result {
        let enough = self.context.current()?.accounts.len() >= count;
        if enough { Ok(()) } else { Err(InstructionError::MissingAccount) }
    }

    /// The address of an account.
    pub(super) fn key(&self, account: usize) -> Result<Address> {
        let accounts = &self.context.current()?.accounts;
        let account = accounts.get(account).ok_or(InstructionError::MissingAccount)?;
        Ok(*self.context.key(account.index))
    }

    /// Whether an account has signed.
    pub(super) fn has_signed(&self, account: usize) -> Result<bool> {
        let accounts = &self.context.current()?.accounts;
        accounts.get(account).map(|account| account.signer).ok_or(InstructionError::MissingAccount)
    }

    /// Whether the account with this address has signed.
    pub(super) fn is_signer(&self, address: &Address) -> Result<bool> {
        let accounts = &self.context.current()?.accounts;
        Ok(accounts.iter().any(|account| account.signer && self.context.key(account.index) == address))
    }

    /// An account to be changed; a derived one must have the address that its seed gives.
    fn target(&mut self, account: usize, seed: Option<Seed<'_>>) -> Result<Target> {
        let address = self.key(account)?;
        let Some(seed) = seed else { return Ok(Target { address, base: None }) };
        let derived = seed.derive()?;
        if address != derived {
            self.remark(format_args!("Create: address {address} does not match derived address {derived}"));
            return Err(SystemError::AddressWithSeedMismatch.into());
        }
        Ok(Target { address, base: Some(*seed.base) })
    }

    fn target_signs(&self, target: &Target) -> Result<bool> {
        self.is_signer(&target.base.unwrap_or(target.address))
    }

    fn allocate(&mut self, account: usize, target: &Target, space: u64) -> Result {
        if !self.target_signs(target)? {
            self.remark(format_args!("Allocate: 'to' account {target:?} must sign"));
            return Err(InstructionError::MissingRequiredSignature);
        }
        let mut borrowed = self.context.borrow(account)?;
        if !borrowed.data().is_empty() || *borrowed.owner() != system_program::ID {
            self.remark(format_args!("Allocate: account {target:?} already in use"));
            return Err(SystemError::AccountAlreadyInUse.into());
        }
        if space > MAX_PERMITTED_DATA_LENGTH {
            self.remark(format_args!("Allocate: requested {space}, max allowed {MAX_PERMITTED_DATA_LENGTH}"));
            return Err(SystemError::InvalidAccountDataLength.into());
        }
        borrowed.set_data_length(space as usize)
    }

    fn assign(&mut self, account: usize, target: &Target, owner: &Address) -> Result {
        if self.context.borrow(account)?.owner() == owner {
            return Ok(());
        }
        if !self.target_signs(target)? {
            self.remark(format_args!("Assign: account {target:?} must sign"));
            return Err(InstructionError::MissingRequiredSignature);
        }
        self.context.borrow(account)?.set_owner(owner)
    }

    fn allocate_and_assign(
        &mut self,
        account: usize,
        target: &Target,
        space: u64,
        owner: &Address,
    ) -> Result {
        self.allocate(account, target, space)?;
        self.assign(account, target, owner)
    }

    /// Makes account 1 an account of `owner`, paid for by account 0.
    fn create(&mut self, target: &Target, lamports: u64, space: u64, owner: &Address) -> Result {
        if self.context.borrow(1)?.lamports() > 0 {
            self.remark(format_args!("Create Account: account {target:?} already in use"));
            return Err(SystemError::AccountAlreadyInUse.into());
        }
        self.allocate_and_assign(1, target, space, owner)?;
        self.transfer(0, 1, lamports)
    }

    fn transfer(&mut self, from: usize, to: usize, lamports: u64) -> Result {
        if !self.has_signed(from)? {
            let key = self.key(from)?;
            self.remark(format_args!("Transfer: `from` account {key} must sign"));
            return Err(InstructionError::MissingRequiredSignature);
        }
        self.transfer_verified(from, to, lamports)
    }

    /// Moves lamports from account 0, derived from account 1, to account 2.
    fn transfer_with_seed(&mut self, seed: &str, owner: &Address, lamports: u64) -> Result {
        let base = self.key(1)?;
        if !self.has_signed(1)? {
            self.remark(format_args!("Transfer: 'from' account {base:?} must sign"));
            return Err(InstructionError::MissingRequiredSignature);
        }
        let derived = Seed { base: &base, seed, owner }.derive()?;
        let key = self.key(0)?;
        if key != derived {
            self.remark(format_args!(
                "Transfer: 'from' address {key} does not match derived address {derived}"
            ));
            return Err(SystemError::AddressWithSeedMismatch.into());
        }
        self.transfer_verified(0, 2, lamports)
    }

    fn transfer_verified(&mut self, from: usize, to: usize, lamports: u64) -> Result {
        let mut payer = self.context.borrow(from)?;
        if !payer.data().is_empty() {
            self.remark(format_args!("Transfer: `from` must not carry data"));
            return Err(InstructionError::InvalidArgument);
        }
        let balance = payer.lamports();
        if lamports > balance {
            self.remark(format_args!("Transfer: insufficient lamports {balance}, need {lamports}"));
            return Err(SystemError::ResultWithNegativeLamports.into());
        }
        payer.sub_lamports(lamports)?;
        self.context.borrow(to)?.add_lamports(lamports)
    }
}
