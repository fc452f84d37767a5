//! What a transaction gives back: LiteSVM's own types, field for field.

mod pretty;

use solana_account::AccountSharedData;
use solana_address::Address;
use solana_instruction_error::InstructionError;
use solana_message::inner_instruction::InnerInstructionsList;
use solana_program_error::ProgramError;
use solana_signature::Signature;
use solana_transaction_error::TransactionError;

/// Data returned by a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransactionReturnData {
    /// The program that was called last, even if it returned nothing.
    pub program_id: Address,
    /// The data, at most 1024 bytes.
    pub data: Vec<u8>,
}

/// The record of a transaction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransactionMetadata {
    /// Its first signature; zeros if it was refused before it was loaded.
    pub signature: Signature,
    /// Its log.
    pub logs: Vec<String>,
    /// For each instruction, the instructions that were called on its behalf.
    pub inner_instructions: InnerInstructionsList,
    /// Compute units used by its instructions.
    pub compute_units_consumed: u64,
    /// Data returned by the program called last.
    pub return_data: TransactionReturnData,
    /// Fee, in lamports.
    pub fee: u64,
}

impl TransactionMetadata {
    /// The log with colours for a terminal.
    pub fn pretty_logs(&self) -> String {
        pretty::format(&self.logs)
    }
}

/// The record of a transaction that was not committed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SimulatedTransactionInfo {
    /// The record.
    pub meta: TransactionMetadata,
    /// The writable accounts as the transaction would leave them.
    pub post_accounts: Vec<(Address, AccountSharedData)>,
}

/// The record of a transaction that failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{err}")]
pub struct FailedTransactionMetadata {
    /// Why it failed.
    pub err: TransactionError,
    /// The record.
    pub meta: TransactionMetadata,
}

/// A program's error, as that of the first instruction.
impl From<ProgramError> for FailedTransactionMetadata {
    fn from(error: ProgramError) -> Self {
        let error = InstructionError::Custom(u64::from(error) as u32);
        Self { err: TransactionError::InstructionError(0, error), meta: TransactionMetadata::default() }
    }
}

/// The outcome of a transaction.
pub type TransactionResult = Result<TransactionMetadata, FailedTransactionMetadata>;
