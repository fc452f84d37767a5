//! Transactions from the first check to the last.

use agave_feature_set::{increase_tx_account_lock_limit, raise_cpi_nesting_limit_to_8};
use solana_account::{Account, AccountSharedData, ReadableAccount, WritableAccount};
use solana_address::Address;
use solana_hash::Hash;
use solana_instructions_sysvar::construct_instructions_data;
use solana_message::{
    SanitizedMessage,
    compiled_instruction::CompiledInstruction,
    inner_instruction::{InnerInstruction, InnerInstructionsList},
};
use solana_nonce::{NONCED_TX_MARKER_IX_INDEX, state::DurableNonce};
use solana_nonce_account::{get_system_account_kind, verify_nonce_account};
use solana_rent::Rent;
use solana_sdk_ids::{native_loader, sysvar};
use solana_transaction::{
    sanitized::{MAX_TX_ACCOUNT_LOCKS, SanitizedTransaction},
    versioned::{VersionedTransaction, sanitized::SanitizedVersionedTransaction},
};
use solana_transaction_error::TransactionError;
use std::convert::Infallible;

use super::{
    ComputeBudget, Svm,
    budget::Limits,
    context::{Frame, InstructionAccount, TransactionContext},
    invoke::InvokeContext,
    logs::Logs,
    rent::{RentState, fee_payer_minimum, is_exempt, pay_fee},
};
use crate::{
    deltanet::HeadsBoundary,
    types::{FailedTransactionMetadata, SimulatedTransactionInfo, TransactionMetadata, TransactionResult},
};

/// Bytes an account counts for besides its data.
const ACCOUNT_BYTES: usize = 64;
/// Bytes a lookup table counts for.
const LOOKUP_TABLE_BYTES: usize = 8248;
/// Most instructions of a transaction, called ones included.
const MAX_TRACE_LENGTH: usize = 64;

type Result<T> = std::result::Result<T, TransactionError>;

/// What came of a transaction.
struct Executed {
    result: Result<()>,
    meta: TransactionMetadata,
    /// Whether its instructions began: then it is remembered and, if it failed, pays its fee.
    included: bool,
    payer: Option<Address>,
    accounts: Vec<(Address, AccountSharedData)>,
}

impl Executed {
    /// A transaction that did not begin.
    fn refused(error: TransactionError, fee: u64) -> Self {
        Self {
            result: Err(error),
            meta: TransactionMetadata { fee, ..TransactionMetadata::default() },
            included: false,
            payer: None,
            accounts: Vec::new(),
        }
    }
}

/// The accounts of a transaction, ready for its instructions.
struct Loaded {
    accounts: Vec<(Address, AccountSharedData)>,
    payer: Address,
    /// Rent states of the message's accounts.
    rent_states: Vec<RentState>,
}

impl<E: HeadsBoundary<Error = Infallible>> Svm<'_, E> {
    /// Runs a transaction and keeps what it does.
    ///
    /// # Errors
    /// The transaction failed. If it had begun its fee is paid, nothing else has changed.
    pub fn send_transaction(&mut self, transaction: impl Into<VersionedTransaction>) -> TransactionResult {
        match self.try_send_transaction(transaction.into()) {
            Ok(result) => result,
        }
    }

    /// Runs a transaction and keeps nothing.
    ///
    /// # Errors
    /// The transaction failed.
    pub fn simulate_transaction(
        &self,
        transaction: impl Into<VersionedTransaction>,
    ) -> std::result::Result<SimulatedTransactionInfo, FailedTransactionMetadata> {
        match self.try_simulate_transaction(transaction.into()) {
            Ok(result) => result,
        }
    }
}

impl<E: HeadsBoundary> Svm<'_, E> {
    /// Runs a transaction and keeps what it does, as [`Self::send_transaction`] does.
    ///
    /// # Errors
    /// An activation was not exactly one-hot; nothing has changed. Failures of the transaction are in its
    /// result.
    pub fn try_send_transaction(
        &mut self,
        transaction: VersionedTransaction,
    ) -> std::result::Result<TransactionResult, E::Error> {
        let executed = self.execute_transaction(transaction)?;
        let Executed { mut result, meta, included, payer, accounts } = executed;
        if included
            && result.is_err()
            && let Some(payer) = payer
        {
            result = self.withdraw_fee(&payer, meta.fee).and(result);
        }
        let signature = meta.signature;
        let result = match result {
            Ok(()) => {
                self.accounts.commit(accounts);
                Ok(meta)
            }
            Err(err) => Err(FailedTransactionMetadata { err, meta }),
        };
        if included {
            self.history.add(signature, result.clone());
        }
        Ok(result)
    }

    /// Runs a transaction and keeps nothing, as [`Self::simulate_transaction`] does.
    ///
    /// # Errors
    /// An activation was not exactly one-hot. Failures of the transaction are in its result.
    pub fn try_simulate_transaction(
        &self,
        transaction: VersionedTransaction,
    ) -> std::result::Result<std::result::Result<SimulatedTransactionInfo, FailedTransactionMetadata>, E::Error>
    {
        let Executed { result, meta, accounts, .. } = self.execute_transaction(transaction)?;
        Ok(match result {
            Ok(()) => Ok(SimulatedTransactionInfo { meta, post_accounts: accounts }),
            Err(err) => Err(FailedTransactionMetadata { err, meta }),
        })
    }

    fn execute_transaction(
        &self,
        transaction: VersionedTransaction,
    ) -> std::result::Result<Executed, E::Error> {
        match self.check(transaction) {
            Ok((transaction, limits)) => self.process(&transaction, limits),
            Err(error) => Ok(Executed::refused(error, 0)),
        }
    }

    /// Loads the accounts of a checked transaction and runs its instructions.
    fn process(
        &self,
        transaction: &SanitizedTransaction,
        limits: Limits,
    ) -> std::result::Result<Executed, E::Error> {
        let message = transaction.message();
        let fee = self.fee(message, limits);
        let rent = self.accounts.sysvars.rent.clone().unwrap_or_default();
        let Loaded { accounts, payer, rent_states } = match self.load(message, limits, fee, &rent) {
            Ok(loaded) => loaded,
            Err(error) => return Ok(Executed::refused(error, fee)),
        };
        let budget = self.compute_budget.unwrap_or_else(|| self.budget(limits));
        let context = TransactionContext::new(
            accounts,
            top_level(message),
            budget.max_instruction_stack_depth,
            budget.max_instruction_trace_length,
        );
        let mut invoke = InvokeContext {
            evaluator: self.evaluator,
            cache: &self.cache,
            mode: self.mode,
            accounts: &self.accounts,
            features: &self.features,
            epoch_stake: &self.epoch_stake,
            syscalls: &self.syscalls,
            blockhash: *message.recent_blockhash(),
            lamports_per_signature: self.lamports_per_signature,
            heap: budget.heap_size,
            context,
            meter: budget.compute_unit_limit,
            logs: Logs::new(self.log_bytes_limit),
        };
        let mut consumed = 0u64;
        let mut result = Ok(());
        for index in 0..message.instructions().len() {
            let (outcome, units) = invoke.process_instruction()?;
            consumed = consumed.saturating_add(units);
            if let Err(error) = outcome {
                result = Err(TransactionError::InstructionError(index as u8, error));
                break;
            }
        }
        let InvokeContext { context, logs, .. } = invoke;
        let result = result.and_then(|()| check_rent(message, &context, &rent, &rent_states));
        let meta = TransactionMetadata {
            signature: *transaction.signature(),
            logs: logs.into_lines(),
            inner_instructions: inner_instructions(context.trace(), message.instructions().len()),
            compute_units_consumed: consumed,
            return_data: context.return_data.clone(),
            fee,
        };
        let accounts = context.into_accounts().into_iter().enumerate();
        let written = accounts.filter(|(index, _)| message.is_writable(*index)).map(|(_, pair)| pair);
        Ok(Executed { result, meta, included: true, payer: Some(payer), accounts: written.collect() })
    }
}

impl<E: HeadsBoundary> Svm<'_, E> {
    /// What can be said of a transaction without its accounts.
    fn check(&self, transaction: VersionedTransaction) -> Result<(SanitizedTransaction, Limits)> {
        let transaction = SanitizedTransaction::try_new(
            SanitizedVersionedTransaction::try_from(transaction)?,
            // Nothing looks at the hash of the message.
            Hash::default(),
            false,
            &self.accounts,
            &self.reserved.active,
        )?;
        let more_locks = self.features.is_active(&increase_tx_account_lock_limit::ID);
        let limit = if more_locks { MAX_TX_ACCOUNT_LOCKS } else { 64 };
        SanitizedTransaction::validate_account_locks(transaction.message(), limit)?;
        if self.sigverify {
            transaction.verify()?;
        }
        if self.blockhash_check && !self.is_recent(transaction.message()) {
            return Err(TransactionError::BlockhashNotFound);
        }
        let limits = Limits::of(transaction.message(), &self.features)?;
        if self.sigverify && self.history.get(transaction.signature()).is_some() {
            return Err(TransactionError::AlreadyProcessed);
        }
        Ok((transaction, limits))
    }

    /// Whether a message names the latest blockhash, or the nonce of an account that it advances first.
    fn is_recent(&self, message: &SanitizedMessage) -> bool {
        let blockhash = message.recent_blockhash();
        if *blockhash == self.latest_blockhash {
            return true;
        }
        if blockhash == DurableNonce::from_blockhash(&self.latest_blockhash).as_hash() {
            return false;
        }
        let nonce = message
            .get_durable_nonce()
            .and_then(|address| self.accounts.get(address))
            .and_then(|account| verify_nonce_account(account, blockhash));
        nonce.is_some_and(|data| {
            message
                .get_ix_signers(usize::from(NONCED_TX_MARKER_IX_INDEX))
                .any(|signer| *signer == data.authority)
        })
    }

    fn fee(&self, message: &SanitizedMessage, limits: Limits) -> u64 {
        let signatures = message.get_signature_details().total_signatures();
        signatures.saturating_mul(self.lamports_per_signature).saturating_add(limits.priority_fee)
    }

    fn budget(&self, limits: Limits) -> ComputeBudget {
        let deeper = self.features.is_active(&raise_cpi_nesting_limit_to_8::ID);
        ComputeBudget {
            compute_unit_limit: u64::from(limits.units),
            max_instruction_stack_depth: if deeper { 9 } else { 5 },
            max_instruction_trace_length: MAX_TRACE_LENGTH,
            heap_size: limits.heap,
        }
    }

    /// Loads the accounts of a message and takes the fee from its payer.
    fn load(&self, message: &SanitizedMessage, limits: Limits, fee: u64, rent: &Rent) -> Result<Loaded> {
        let mut room = limits.loaded_bytes as usize;
        let mut count = |bytes: usize| -> Result<()> {
            room = room.checked_sub(bytes).ok_or(TransactionError::MaxLoadedAccountsDataSizeExceeded)?;
            Ok(())
        };
        count(message.message_address_table_lookups().len() * LOOKUP_TABLE_BYTES)?;
        let keys = message.account_keys();
        let mut accounts = Vec::with_capacity(keys.len() + 1);
        let mut rent_states = Vec::with_capacity(keys.len());
        let mut payer = None;
        for (index, key) in keys.iter().enumerate() {
            if *key == sysvar::instructions::ID {
                rent_states.push(RentState::Uninitialized);
                accounts.push((*key, instructions_account(message)?));
                continue;
            }
            let stored = self.accounts.get(key);
            let size = stored.map_or(0, |account| ACCOUNT_BYTES + account.data().len());
            let mut account = stored.cloned().unwrap_or_else(absent_account);
            rent_states.push(RentState::of(rent, &account));
            if message.is_writable(index) && is_exempt(rent, account.lamports(), account.data().len()) {
                account.set_rent_epoch(u64::MAX);
            }
            if payer.is_none() && (!message.is_invoked(index) || message.is_instruction_account(index)) {
                pay_fee(&mut account, key, index, rent, fee)?;
                payer = Some(*key);
            }
            count(size)?;
            accounts.push((*key, account));
        }
        let payer = payer.ok_or(TransactionError::AccountNotFound)?;
        self.load_loaders(message, &mut accounts)?;
        Ok(Loaded { accounts, payer, rent_states })
    }

    /// Checks the programs of a message, and appends the accounts of their loaders.
    fn load_loaders(
        &self,
        message: &SanitizedMessage,
        accounts: &mut Vec<(Address, AccountSharedData)>,
    ) -> Result<()> {
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
            let loader = self
                .accounts
                .get(&owner)
                .filter(|loader| *loader.owner() == native_loader::ID && loader.executable());
            let loader = loader.ok_or(TransactionError::InvalidProgramForExecution)?;
            accounts.push((owner, loader.clone()));
        }
        Ok(())
    }

    /// Takes the fee of a failed transaction.
    fn withdraw_fee(&mut self, payer: &Address, fee: u64) -> Result<()> {
        let rent = self.accounts.sysvars.rent.clone().unwrap_or_default();
        let account = self.accounts.get_mut(payer).ok_or(TransactionError::AccountNotFound)?;
        let minimum = get_system_account_kind(account).map_or(0, |kind| fee_payer_minimum(&rent, &kind));
        let needed = fee.checked_add(minimum).filter(|needed| *needed <= account.lamports());
        needed.ok_or(TransactionError::InsufficientFundsForFee)?;
        account.set_lamports(account.lamports() - fee);
        Ok(())
    }
}

/// What stands for an account that does not exist.
fn absent_account() -> AccountSharedData {
    Account { rent_epoch: u64::MAX, ..Account::default() }.into()
}

/// The instructions sysvar of a message.
fn instructions_account(message: &SanitizedMessage) -> Result<AccountSharedData> {
    let data = construct_instructions_data(&message.decompile_instructions())
        .map_err(|_| TransactionError::SanitizeFailure)?;
    Ok(Account { data, owner: sysvar::ID, ..Account::default() }.into())
}

/// The instructions of a message.
fn top_level(message: &SanitizedMessage) -> Vec<Frame> {
    let account = |index: &u8| {
        let index = usize::from(*index);
        InstructionAccount { index, signer: message.is_signer(index), writable: message.is_writable(index) }
    };
    let frame = |instruction: &CompiledInstruction| Frame {
        program: usize::from(instruction.program_id_index),
        accounts: instruction.accounts.iter().map(account).collect(),
        data: instruction.data.clone(),
        caller: None,
        height: 1,
    };
    message.instructions().iter().map(frame).collect()
}

/// Checks the rent of what may have changed.
fn check_rent(
    message: &SanitizedMessage,
    context: &TransactionContext,
    rent: &Rent,
    before: &[RentState],
) -> Result<()> {
    for (index, before) in before.iter().enumerate() {
        if message.is_writable(index) {
            let after = RentState::of(rent, context.account(index));
            before.check(after, context.key(index), index)?;
        }
    }
    Ok(())
}

/// The called instructions of a trace by the top-level instruction that led to them.
fn inner_instructions(trace: &[Frame], top_level: usize) -> InnerInstructionsList {
    let mut list = vec![Vec::new(); top_level];
    let mut ancestors: Vec<usize> = (0..top_level).collect();
    for frame in &trace[top_level..] {
        let ancestor = frame.caller.map_or(0, |caller| ancestors[caller]);
        ancestors.push(ancestor);
        list[ancestor].push(InnerInstruction {
            instruction: CompiledInstruction {
                program_id_index: frame.program as u8,
                accounts: frame.accounts.iter().map(|account| account.index as u8).collect(),
                data: frame.data.clone(),
            },
            stack_height: frame.height as u8,
        });
    }
    list
}
