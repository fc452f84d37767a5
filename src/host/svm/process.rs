//! Transactions from the first check to the last.

use solana_account::{AccountSharedData, ReadableAccount};
use solana_address::Address;
use solana_message::{
    SanitizedMessage,
    compiled_instruction::CompiledInstruction,
    inner_instruction::{InnerInstruction, InnerInstructionsList},
};
use solana_rent::Rent;
use solana_transaction::versioned::VersionedTransaction;
use solana_transaction_error::TransactionError;
use std::{collections::HashSet, convert::Infallible};

use super::{
    Rules, Svm,
    check::Checked,
    context::{Frame, InstructionAccount, TransactionContext},
    invoke::InvokeContext,
    load::{Loaded, Unloadable},
    logs::Logs,
    recording::Recording,
    rent::RentState,
};
use crate::{
    deltanet::HeadsBoundary,
    types::{
        FailedTransactionMetadata, SimulatedTransactionInfo, TransactionMetadata, TransactionResult,
        TransactionReturnData,
    },
};

/// What came of a transaction.
pub(super) struct Executed {
    result: Result<(), TransactionError>,
    meta: TransactionMetadata,
    /// Whether it was processed: then it is remembered, and some of `rollback` is kept if it failed.
    included: bool,
    /// Accounts to keep if it succeeded.
    accounts: Vec<(Address, AccountSharedData)>,
    /// Accounts to keep if it failed.
    rollback: Vec<(Address, AccountSharedData)>,
    /// What programs did, if that was to be noted.
    pub recording: Recording,
}

impl Executed {
    /// A transaction that did not begin.
    fn refused(error: TransactionError) -> Self {
        Self {
            result: Err(error),
            meta: TransactionMetadata::default(),
            included: false,
            accounts: Vec::new(),
            rollback: Vec::new(),
            recording: Recording::default(),
        }
    }
}

impl<E: HeadsBoundary<Error = Infallible>> Svm<'_, E> {
    /// Runs a transaction and keeps what it does.
    ///
    /// # Errors
    /// The transaction failed. If it was processed its fee is paid, nothing else has changed.
    #[expect(clippy::result_large_err, reason = "it is LiteSVM's type")]
    pub fn send_transaction(&mut self, transaction: impl Into<VersionedTransaction>) -> TransactionResult {
        match self.try_send_transaction(transaction.into()) {
            Ok(result) => result,
        }
    }

    /// Runs a transaction and keeps nothing.
    ///
    /// # Errors
    /// The transaction failed.
    #[expect(clippy::result_large_err, reason = "it is LiteSVM's type")]
    pub fn simulate_transaction(
        &self,
        transaction: impl Into<VersionedTransaction>,
    ) -> Result<SimulatedTransactionInfo, FailedTransactionMetadata> {
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
    ) -> Result<TransactionResult, E::Error> {
        let Executed { result, meta, included, accounts, rollback, .. } =
            self.execute_transaction(transaction, None)?;
        let signature = meta.signature;
        let result = match result {
            Ok(()) => {
                self.accounts.commit(accounts);
                Ok(meta)
            }
            Err(err) => {
                match self.rules {
                    // LiteSVM keeps a payer who has nothing left.
                    Rules::LiteSvm => {
                        rollback.into_iter().for_each(|(key, account)| self.accounts.insert(key, account));
                    }
                    Rules::Agave => self.accounts.commit(rollback),
                }
                Err(FailedTransactionMetadata { err, meta })
            }
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
    ) -> Result<Result<SimulatedTransactionInfo, FailedTransactionMetadata>, E::Error> {
        let Executed { result, meta, accounts, .. } = self.execute_transaction(transaction, None)?;
        Ok(match result {
            Ok(()) => Ok(SimulatedTransactionInfo { meta, post_accounts: accounts }),
            Err(err) => Err(FailedTransactionMetadata { err, meta }),
        })
    }

    /// Runs a transaction. `recording` is to be filled with what its programs do.
    pub(super) fn execute_transaction(
        &self,
        transaction: VersionedTransaction,
        recording: Option<Recording>,
    ) -> Result<Executed, E::Error> {
        match self.check(transaction) {
            Ok(checked) => self.process(&checked, recording),
            Err(error) => Ok(Executed::refused(error)),
        }
    }

    /// Loads the accounts of a checked transaction and runs its instructions.
    fn process(&self, checked: &Checked, recording: Option<Recording>) -> Result<Executed, E::Error> {
        let Checked { transaction, limits, fee, .. } = checked;
        let (message, signature, fee) = (transaction.message(), *transaction.signature(), *fee);
        let rent = self.accounts.sysvars.rent.clone().unwrap_or_default();
        let Loaded { accounts, rent_states, rollback } = match self.load(checked, &rent) {
            Ok(loaded) => loaded,
            Err(Unloadable { error, rollback }) => {
                let mut refused = Executed::refused(error);
                if let Some(rollback) = rollback {
                    refused.meta.signature = signature;
                    refused = Executed { included: true, rollback, ..refused };
                }
                // LiteSVM names the fee, but does not take it.
                if refused.included || self.rules == Rules::LiteSvm {
                    refused.meta.fee = fee;
                }
                return Ok(refused);
            }
        };
        let budget = self.budget(*limits);
        let balance = total(&accounts);
        let mut invoke = InvokeContext {
            evaluator: &*self.network,
            cache: &self.cache,
            mode: self.mode,
            rules: self.rules,
            accounts: &self.accounts,
            features: &self.features,
            epoch_stake: &self.epoch_stake,
            syscalls: &self.syscalls,
            blockhash: match self.rules {
                Rules::LiteSvm => *message.recent_blockhash(),
                Rules::Agave => self.latest_blockhash,
            },
            lamports_per_signature: self.lamports_per_signature,
            heap: budget.heap_size,
            context: TransactionContext::new(
                accounts,
                top_level(message),
                budget.max_instruction_stack_depth,
                budget.max_instruction_trace_length,
            ),
            meter: budget.compute_unit_limit,
            logs: Logs::new(self.log_bytes_limit),
            withheld: HashSet::new(),
            recording,
        };
        let mut consumed = 0u64;
        let mut result = Ok(());
        for index in 0..message.instructions().len() {
            let (outcome, units) = invoke.process_top_level()?;
            consumed = consumed.saturating_add(units);
            if let Err(error) = outcome {
                result = Err(TransactionError::InstructionError(index as u8, error));
                break;
            }
        }
        let InvokeContext { context, logs, recording, .. } = invoke;
        result = result.and_then(|()| check_rent(message, &context, &rent, &rent_states));
        let meta = TransactionMetadata {
            signature,
            logs: logs.into_lines(),
            inner_instructions: inner_instructions(context.trace(), message.instructions().len()),
            compute_units_consumed: consumed,
            return_data: match self.rules {
                // A validator does not name a program that has returned nothing.
                Rules::Agave if context.return_data.data.is_empty() => TransactionReturnData::default(),
                _ => context.return_data.clone(),
            },
            fee,
        };
        let is_kept = |index: usize| match self.rules {
            Rules::LiteSvm => message.is_writable(index),
            Rules::Agave => {
                message.is_writable(index)
                    && (index == 0 || context.is_touched(index))
                    && (!message.is_invoked(index) || message.is_instruction_account(index))
            }
        };
        let kept: Vec<bool> = (0..context.account_count()).map(is_kept).collect();
        let accounts = context.into_accounts();
        if self.rules == Rules::Agave && result.is_ok() && total(&accounts) != balance {
            result = Err(TransactionError::UnbalancedTransaction);
        }
        let accounts = accounts.into_iter().zip(kept).filter_map(|(pair, kept)| kept.then_some(pair));
        let recording = recording.unwrap_or_default();
        Ok(Executed { result, meta, included: true, accounts: accounts.collect(), rollback, recording })
    }
}

/// The lamports of all accounts.
fn total(accounts: &[(Address, AccountSharedData)]) -> u128 {
    accounts.iter().map(|(_, account)| u128::from(account.lamports())).sum()
}

/// The instructions of a message.
pub(super) fn top_level(message: &SanitizedMessage) -> Vec<Frame> {
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
) -> Result<(), TransactionError> {
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
