//! Transactions.

use solana_address::Address;
use solana_message::{Message, VersionedMessage};
use solana_signature::Signature;
use solana_signer::Signer;
use solana_system_interface::instruction::transfer;
use solana_transaction::versioned::VersionedTransaction;

use super::{NeuralSvm, airdrop_keypair};
use crate::types::{FailedTransactionMetadata, SimulatedTransactionInfo, TransactionResult};

impl NeuralSvm {
    /// Runs a transaction and keeps what it does.
    ///
    /// # Errors
    /// The transaction failed. If it was processed its fee is paid, nothing else has changed.
    pub fn send_transaction(&mut self, tx: impl Into<VersionedTransaction>) -> TransactionResult {
        self.svm.send_transaction(tx)
    }

    /// Runs a transaction and keeps nothing.
    ///
    /// # Errors
    /// The transaction failed.
    pub fn simulate_transaction(
        &self,
        tx: impl Into<VersionedTransaction>,
    ) -> Result<SimulatedTransactionInfo, FailedTransactionMetadata> {
        self.svm.simulate_transaction(tx)
    }

    /// The result of a transaction that was processed lately.
    pub fn get_transaction(&self, signature: &Signature) -> Option<&TransactionResult> {
        self.svm.get_transaction(signature)
    }

    /// The account that pays for airdrops.
    pub fn airdrop_pubkey(&self) -> Address {
        airdrop_keypair().pubkey()
    }

    /// Gives lamports to an account, by a transaction as any other.
    ///
    /// # Errors
    /// That transaction failed.
    pub fn airdrop(&mut self, address: &Address, lamports: u64) -> TransactionResult {
        self.send_transaction(self.airdrop_transaction(address, lamports))
    }

    /// The transaction that [`Self::airdrop`] sends.
    pub fn airdrop_transaction(&self, address: &Address, lamports: u64) -> VersionedTransaction {
        let payer = airdrop_keypair();
        let instruction = transfer(&payer.pubkey(), address, lamports);
        let message =
            Message::new_with_blockhash(&[instruction], Some(&payer.pubkey()), &self.latest_blockhash());
        let signature = payer.sign_message(&message.serialize());
        VersionedTransaction { signatures: vec![signature], message: VersionedMessage::Legacy(message) }
    }
}
