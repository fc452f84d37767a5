//! The machine and LiteSVM side by side.

use std::sync::LazyLock;

use litesvm::LiteSVM;
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use solana_account::Account;
use solana_address::{Address, address};
use solana_hash::Hash;
use solana_instruction::{AccountMeta, Instruction};
use solana_message::{Message, VersionedMessage};
use solana_sdk_ids::{
    address_lookup_table, bpf_loader, bpf_loader_deprecated, bpf_loader_upgradeable, stake,
};
use solana_signature::Signature;
use solana_transaction::versioned::VersionedTransaction;
use svmllm::{
    host::svm::Svm,
    tables::{Indexed, Weights},
    types::{FailedTransactionMetadata, TransactionMetadata, TransactionResult, TransactionReturnData},
};

pub const TOKEN: Address = address!("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
pub const TOKEN_2022: Address = address!("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb");
pub const MEMO_1: Address = address!("Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo");
pub const MEMO_4: Address = address!("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");
pub const ATA: Address = address!("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");

static NETWORK: LazyLock<Indexed> =
    LazyLock::new(|| Indexed::new(&Weights::generate()).expect("generated weights are in order"));

/// The programs LiteSVM ships, with their loaders.
pub const SHIPPED: [(Address, Address); 7] = [
    (TOKEN, bpf_loader_upgradeable::ID),
    (TOKEN_2022, bpf_loader_upgradeable::ID),
    (MEMO_1, bpf_loader_deprecated::ID),
    (MEMO_4, bpf_loader::ID),
    (ATA, bpf_loader::ID),
    (address_lookup_table::ID, bpf_loader_upgradeable::ID),
    (stake::ID, bpf_loader_upgradeable::ID),
];

/// Both, in the same state.
#[derive(Clone)]
pub struct Both {
    pub lite: LiteSVM,
    pub svm: Svm<'static, Indexed>,
}

static FRESH: LazyLock<Both> = LazyLock::new(|| {
    let lite = LiteSVM::new();
    let mut svm = Svm::new(&*NETWORK).with_precompiles();
    for (address, loader) in SHIPPED {
        let elf = lite.accounts_db().try_program_elf_bytes(&address).expect("it ships");
        svm.add_program(address, elf, loader).expect("it loads");
    }
    let airdrop = lite.airdrop_pubkey();
    let account = lite.get_account(&airdrop).expect("it has lamports");
    svm.set_account(airdrop, account).expect("it is an ordinary account");
    Both { lite, svm }
});

impl Both {
    /// Both as they are when new, with all programs.
    pub fn new() -> Self {
        FRESH.clone()
    }

    /// The same without checks of signatures and blockhashes.
    pub fn unchecked() -> Self {
        let Self { lite, svm } = Self::new();
        Self {
            lite: lite.with_sigverify(false).with_blockhash_check(false),
            svm: svm.with_sigverify(false).with_blockhash_check(false),
        }
    }

    /// What runs the machine's programs.
    pub fn evaluator(&self) -> &'static Indexed {
        &NETWORK
    }

    pub fn set_account(&mut self, address: Address, account: Account) {
        self.lite.set_account(address, account.clone()).expect("LiteSVM takes it");
        self.svm.set_account(address, account).expect("the machine takes it");
    }

    /// Sends a transaction to both; the results and the named accounts must be the same.
    pub fn send(&mut self, what: &str, transaction: VersionedTransaction) -> TransactionResult {
        let keys: Vec<Address> = transaction.message.static_account_keys().to_vec();
        let expected = convert(self.lite.send_transaction(transaction.clone()));
        let actual = self.svm.send_transaction(transaction);
        assert_eq!(record(&expected).logs, record(&actual).logs, "{what}: log");
        assert_eq!(expected, actual, "{what}");
        for key in keys {
            let (expected, actual) = (self.lite.get_account(&key), self.svm.get_account(&key));
            assert_eq!(expected, actual, "{what}: account {key}");
            let data = |account: Option<Account>| account.map(|account| account.data);
            assert!(data(expected) == data(actual), "{what}: data of account {key}");
        }
        actual
    }

    /// Sends instructions in a transaction with rubbish signatures.
    pub fn run(&mut self, what: &str, payer: Address, instructions: &[Instruction]) -> TransactionResult {
        self.send(what, unsigned(payer, instructions, Hash::default()))
    }
}

/// A transaction with rubbish signatures.
pub fn unsigned(payer: Address, instructions: &[Instruction], blockhash: Hash) -> VersionedTransaction {
    let message = Message::new_with_blockhash(instructions, Some(&payer), &blockhash);
    let signatures = vec![Signature::from([7; 64]); usize::from(message.header.num_required_signatures)];
    VersionedTransaction { signatures, message: VersionedMessage::Legacy(message) }
}

/// The record of a transaction, whatever came of it.
fn record(result: &TransactionResult) -> &TransactionMetadata {
    match result {
        Ok(meta) => meta,
        Err(failed) => &failed.meta,
    }
}

/// LiteSVM's result in the machine's types.
pub fn convert(result: litesvm::types::TransactionResult) -> TransactionResult {
    let meta = |meta: litesvm::types::TransactionMetadata| TransactionMetadata {
        signature: meta.signature,
        logs: meta.logs,
        inner_instructions: meta.inner_instructions,
        compute_units_consumed: meta.compute_units_consumed,
        return_data: TransactionReturnData {
            program_id: meta.return_data.program_id,
            data: meta.return_data.data,
        },
        fee: meta.fee,
    };
    match result {
        Ok(done) => Ok(meta(done)),
        Err(failed) => Err(FailedTransactionMetadata { err: failed.err, meta: meta(failed.meta) }),
    }
}

pub fn random(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

pub fn random_address(random: &mut ChaCha8Rng) -> Address {
    let mut bytes = [0; 32];
    random.fill_bytes(&mut bytes);
    Address::new_from_array(bytes)
}

pub fn pick<T: Copy>(random: &mut ChaCha8Rng, from: &[T]) -> T {
    from[random.random_range(0..from.len())]
}

pub fn meta(pubkey: Address, is_signer: bool, is_writable: bool) -> AccountMeta {
    AccountMeta { pubkey, is_signer, is_writable }
}

pub fn account(lamports: u64, data: Vec<u8>, owner: Address) -> Account {
    Account { lamports, data, owner, executable: false, rent_epoch: 0 }
}
