//! One instruction without a transaction around it, as fixtures describe it.

use solana_account::{Account, AccountSharedData};
use solana_address::Address;
use solana_hash::Hash;
use solana_instruction::Instruction;
use solana_instruction_error::InstructionError;
use solana_message::{LegacyMessage, Message, SanitizedMessage};
use solana_sdk_ids::sysvar;
#[expect(deprecated)]
use solana_sysvar::recent_blockhashes::RecentBlockhashes;
use std::collections::HashSet;

use super::{
    Svm,
    budget::{Limits, MIN_HEAP_BYTES},
    context::TransactionContext,
    invoke::InvokeContext,
    logs::Logs,
    process::top_level,
    serialization::{Input, serialize},
};
use crate::deltanet::HeadsBoundary;

/// What an instruction came to.
#[derive(Clone, Debug, PartialEq)]
pub struct InstructionOutcome {
    /// How it ended.
    pub result: Result<(), InstructionError>,
    /// Compute units used.
    pub units: u64,
    /// The log.
    pub logs: Vec<String>,
    /// Data returned.
    pub return_data: Vec<u8>,
    /// The accounts the instruction names as they are afterwards, also if it failed.
    pub accounts: Vec<(Address, Account)>,
}

impl<E: HeadsBoundary> Svm<'_, E> {
    /// Runs one instruction on these accounts: no signature, fee, rent or lock is asked for, and nothing is kept.
    /// Programs and sysvars are those of the store. The usual heap, and `units` compute units.
    ///
    /// # Errors
    /// An activation was not exactly one-hot.
    pub fn run_instruction(
        &self,
        instruction: &Instruction,
        accounts: &[(Address, Account)],
        units: u64,
    ) -> Result<InstructionOutcome, E::Error> {
        let mut invoke = self.alone(instruction, accounts, units);
        let (result, units) = invoke.process_top_level()?;
        let InvokeContext { context, logs, .. } = invoke;
        Ok(InstructionOutcome {
            result,
            units,
            logs: logs.into_lines(),
            return_data: context.return_data.data.clone(),
            accounts: context
                .into_accounts()
                .into_iter()
                .map(|(key, account)| (key, account.into()))
                .collect(),
        })
    }

    /// The input region of an instruction's program.
    ///
    /// # Errors
    /// The instruction cannot begin, or has too many accounts.
    pub fn instruction_input(
        &self,
        instruction: &Instruction,
        accounts: &[(Address, Account)],
        aligned: bool,
    ) -> Result<Vec<u8>, InstructionError> {
        let mut invoke = self.alone(instruction, accounts, 0);
        invoke.context.push()?;
        let Input { bytes, .. } = serialize(&invoke.context, aligned)?;
        Ok(bytes)
    }

    /// The last of the recent blockhashes, and the fee of a signature with it.
    #[expect(deprecated)]
    fn oldest_blockhash(&self) -> (Hash, u64) {
        let recent: Option<RecentBlockhashes> = self.accounts.sysvars.get(&sysvar::recent_blockhashes::ID);
        let last = recent.and_then(|list| list.last().cloned()).unwrap_or_default();
        (last.blockhash, last.fee_calculator.lamports_per_signature)
    }

    /// What an instruction runs in.
    fn alone(
        &self,
        instruction: &Instruction,
        accounts: &[(Address, Account)],
        units: u64,
    ) -> InvokeContext<'_, E> {
        let message = Message::new(std::slice::from_ref(instruction), None);
        let account = |key: &Address| {
            let known = accounts.iter().find(|(address, _)| address == key);
            (*key, known.map_or_else(AccountSharedData::default, |(_, account)| account.clone().into()))
        };
        let accounts = message.account_keys.iter().map(account).collect();
        let message = SanitizedMessage::Legacy(LegacyMessage::new(message, &HashSet::new()));
        let limits = Limits { units: 0, heap: MIN_HEAP_BYTES, priority_fee: 0, loaded_bytes: 0 };
        let budget = self.budget(limits);
        let (blockhash, lamports_per_signature) = self.oldest_blockhash();
        InvokeContext {
            evaluator: &self.network,
            cache: &self.cache,
            mode: self.mode,
            rules: self.rules,
            accounts: &self.accounts,
            features: &self.features,
            epoch_stake: &self.epoch_stake,
            syscalls: &self.syscalls,
            blockhash,
            lamports_per_signature,
            heap: budget.heap_size,
            context: TransactionContext::new(
                accounts,
                top_level(&message),
                budget.max_instruction_stack_depth,
                budget.max_instruction_trace_length,
            ),
            meter: units,
            logs: Logs::new(self.log_bytes_limit),
            withheld: HashSet::new(),
            recording: None,
        }
    }
}
