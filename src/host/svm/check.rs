//! What can be said of a transaction before its accounts are loaded.

use agave_feature_set::{
    enable_tx_v1, increase_tx_account_lock_limit, limit_instruction_accounts, raise_cpi_nesting_limit_to_8,
};
use solana_address::Address;
use solana_hash::Hash;
use solana_message::{SanitizedMessage, VersionedMessage, compiled_instruction::CompiledInstruction};
use solana_nonce::{
    NONCED_TX_MARKER_IX_INDEX,
    state::{Data, DurableNonce},
};
use solana_nonce_account::verify_nonce_account;
use solana_transaction::{
    sanitized::{MAX_TX_ACCOUNT_LOCKS, SanitizedTransaction},
    versioned::{VersionedTransaction, sanitized::SanitizedVersionedTransaction},
};
use solana_transaction_error::TransactionError;

use super::{
    ComputeBudget, Rules, Svm,
    budget::{Limits, Requests},
    context::MAX_ACCOUNTS_PER_INSTRUCTION,
};
use crate::deltanet::HeadsBoundary;

type Result<T> = std::result::Result<T, TransactionError>;

/// Most instructions of a transaction, called ones included.
pub(super) const MAX_TRACE_LENGTH: usize = 64;

/// A transaction that may be tried.
pub(super) struct Checked {
    /// The transaction.
    pub transaction: SanitizedTransaction,
    /// What it asks for.
    pub limits: Limits,
    /// What it pays, in lamports.
    pub fee: u64,
    /// The nonce account that stands for a recent blockhash, and what it holds.
    pub nonce: Option<(Address, Data)>,
}

impl<E: HeadsBoundary> Svm<'_, E> {
    /// Checks a transaction.
    ///
    /// # Errors
    /// Why it is refused.
    pub(super) fn check(&self, transaction: VersionedTransaction) -> Result<Checked> {
        let agave = self.rules == Rules::Agave;
        if agave {
            self.check_form(&transaction)?;
        }
        let transaction = SanitizedVersionedTransaction::try_from(transaction)?;
        if agave && !matches!(transaction.get_message().message, VersionedMessage::V1(_)) {
            // A validator reads them first, and applies them later.
            Requests::read(transaction.get_message().program_instructions_iter(), &self.features)?;
        }
        let transaction = SanitizedTransaction::try_new(
            transaction,
            // Nothing looks at the hash of the message.
            Hash::default(),
            false,
            &self.accounts,
            &self.reserved.active,
        )?;
        let message = transaction.message();
        let more_locks = self.features.is_active(&increase_tx_account_lock_limit::ID);
        let limit = if more_locks { MAX_TX_ACCOUNT_LOCKS } else { 64 };
        SanitizedTransaction::validate_account_locks(message, limit)?;
        if self.sigverify && !agave {
            transaction.verify()?;
        }
        let age = || if self.blockhash_check { self.check_age(message) } else { Ok(None) };
        let limits = || Limits::of(message, &self.features);
        let (nonce, limits) = if agave {
            let limits = limits()?;
            (age()?, limits)
        } else {
            (age()?, limits()?)
        };
        if self.sigverify && self.history.get(transaction.signature()).is_some() {
            return Err(TransactionError::AlreadyProcessed);
        }
        let fee = self.fee(message, limits);
        Ok(Checked { transaction, limits, fee, nonce })
    }

    /// What a validator asks of a transaction before it looks at the parts. Its size is for those to judge
    /// who receive it.
    fn check_form(&self, transaction: &VersionedTransaction) -> Result<()> {
        let message = &transaction.message;
        if matches!(message, VersionedMessage::V1(_)) && !self.features.is_active(&enable_tx_v1::ID) {
            return Err(TransactionError::UnsupportedVersion);
        }
        let instructions = message.instructions();
        let fits = |instruction: &CompiledInstruction| {
            instruction.accounts.len() <= MAX_ACCOUNTS_PER_INSTRUCTION
                || !self.features.is_active(&limit_instruction_accounts::ID)
        };
        if instructions.len() > MAX_TRACE_LENGTH {
            return Err(TransactionError::SanitizeFailure);
        }
        if self.sigverify {
            transaction.verify_and_hash_message()?;
        }
        if instructions.iter().all(fits) { Ok(()) } else { Err(TransactionError::SanitizeFailure) }
    }

    /// A message must name the latest blockhash, or the nonce of an account that it advances first.
    fn check_age(&self, message: &SanitizedMessage) -> Result<Option<(Address, Data)>> {
        let blockhash = message.recent_blockhash();
        if *blockhash == self.latest_blockhash {
            return Ok(None);
        }
        if blockhash == DurableNonce::from_blockhash(&self.latest_blockhash).as_hash() {
            return Err(TransactionError::BlockhashNotFound);
        }
        let address = message.get_durable_nonce().ok_or(TransactionError::BlockhashNotFound)?;
        let account = self.accounts.get(address).ok_or(TransactionError::BlockhashNotFound)?;
        let data = verify_nonce_account(account, blockhash).ok_or(TransactionError::BlockhashNotFound)?;
        let mut signers = message.get_ix_signers(usize::from(NONCED_TX_MARKER_IX_INDEX));
        if signers.any(|signer| *signer == data.authority) {
            Ok(Some((*address, data)))
        } else {
            Err(TransactionError::BlockhashNotFound)
        }
    }

    fn fee(&self, message: &SanitizedMessage, limits: Limits) -> u64 {
        let signatures = message.get_signature_details().total_signatures();
        signatures.saturating_mul(self.lamports_per_signature).saturating_add(limits.priority_fee)
    }

    /// What a transaction runs under.
    pub(super) fn budget(&self, limits: Limits) -> ComputeBudget {
        let deeper = self.features.is_active(&raise_cpi_nesting_limit_to_8::ID);
        self.compute_budget.unwrap_or(ComputeBudget {
            compute_unit_limit: u64::from(limits.units),
            heap_size: limits.heap,
            ..ComputeBudget::new_with_defaults(deeper)
        })
    }
}
