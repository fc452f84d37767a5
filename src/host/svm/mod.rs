//! Transactions over a store of accounts, every program in them on the machine.
//!
//! [`Svm`] does what LiteSVM does, in its order: it checks a transaction, loads its accounts, runs its
//! instructions and keeps what they leave. Builtin programs, serialization and the bookkeeping of calls are
//! host code; what a program computes comes out of the weights.

mod accounts;
mod alone;
mod budget;
mod builtins;
mod cache;
mod check;
mod context;
mod cpi;
mod defaults;
mod execute;
mod features;
mod history;
mod invoke;
mod load;
mod logs;
mod network;
#[cfg(feature = "precompiles")]
mod precompiles;
mod process;
mod programs;
mod recording;
mod rent;
mod serialization;
mod stakes;
mod sysvars;

use agave_feature_set::FeatureSet;
use agave_reserved_account_keys::ReservedAccountKeys;
use solana_account::{Account, AccountSharedData, ReadableAccount};
use solana_address::Address;
use solana_hash::Hash;
use solana_instruction_error::InstructionError;
use solana_sha256_hasher::hash;
use solana_signature::Signature;
use std::sync::Arc;

use accounts::Accounts;
pub use alone::InstructionOutcome;
use cache::Cache;
pub use features::mainnet_feature_set;
use history::History;
use network::Network;
pub use programs::ProgramLoadError;
pub use recording::{ProgramRun, Recording};
pub use sysvars::InvalidSysvarDataError;

use super::{EpochStake, Mode, elf::LoadOptions};
use crate::{deltanet::HeadsBoundary, types::TransactionResult};

/// Why an account or a program was not taken; LiteSVM's variants.
#[derive(Debug, thiserror::Error)]
pub enum SvmError {
    /// A sysvar's account does not hold that sysvar.
    #[error("{0}")]
    InvalidSysvarData(#[from] InvalidSysvarDataError),
    /// An executable account is no program.
    #[error("{0}")]
    Instruction(InstructionError),
    /// A file cannot be read.
    #[error("{0}")]
    InvalidPath(#[from] std::io::Error),
    /// There is no such loader.
    #[error("{0}")]
    InvalidLoader(String),
    /// A file is no program.
    #[error("{0}")]
    ProgramLoad(#[from] ProgramLoadError),
    /// Stakes add up to more than can be counted.
    #[error("Epoch stake arithmetic overflow")]
    EpochStakeOverflow,
}

impl From<InstructionError> for SvmError {
    fn from(error: InstructionError) -> Self {
        Self::Instruction(error)
    }
}

/// Whose rules apply where LiteSVM differs from a validator.
///
/// A validator takes the fee also of a transaction whose accounts cannot be loaded, and advances the nonce of
/// one that fails; it does not ask whether programs are marked executable, and counts their data as loaded; it
/// uses a program from the slot after its deployment on; it leaves alone what no program has written to; and it
/// makes some checks in another order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Rules {
    /// LiteSVM's.
    #[default]
    LiteSvm,
    /// Those of Agave's transaction processor.
    Agave,
}

/// Limits that replace what transactions ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComputeBudget {
    /// Compute units of a transaction.
    pub compute_unit_limit: u64,
    /// How deep instructions may be nested; 1 is no calls at all.
    pub max_instruction_stack_depth: usize,
    /// Most instructions of a transaction, called ones included.
    pub max_instruction_trace_length: usize,
    /// Heap of each program, in bytes.
    pub heap_size: u32,
}

impl ComputeBudget {
    /// The most a transaction can ask for, with the usual heap; deeper calls with SIMD-0268.
    pub fn new_with_defaults(simd_0268_active: bool) -> Self {
        Self {
            compute_unit_limit: u64::from(budget::MAX_COMPUTE_UNIT_LIMIT),
            max_instruction_stack_depth: if simd_0268_active { 9 } else { 5 },
            max_instruction_trace_length: check::MAX_TRACE_LENGTH,
            heap_size: budget::MIN_HEAP_BYTES,
        }
    }
}

/// Accounts, and transactions that change them. The evaluator runs the programs.
///
/// A fresh one is like LiteSVM's `default()`: it has no accounts at all. The `with_` methods add to it;
/// [`Self::new`] gives what LiteSVM's `new()` gives, except for the programs it ships, which
/// [`Self::add_program`] adds.
///
/// ```
/// use solana_account::Account;
/// use solana_address::Address;
/// use solana_message::{Message, VersionedMessage};
/// use solana_system_interface::instruction::transfer;
/// use solana_transaction::versioned::VersionedTransaction;
/// use svmllm::{
///     host::svm::Svm,
///     tables::{Indexed, Weights},
/// };
///
/// let network = Indexed::new(&Weights::generate())?;
/// let mut svm = Svm::new(&network).with_sigverify(false).with_blockhash_check(false);
/// let [from, to] = [1, 2].map(|byte| Address::new_from_array([byte; 32]));
/// svm.set_account(from, Account { lamports: 1_000_000_000, ..Account::default() })?;
/// let message = VersionedMessage::Legacy(Message::new(&[transfer(&from, &to, 1_000_000)], Some(&from)));
/// let transaction = VersionedTransaction { signatures: vec![Default::default()], message };
/// let meta = svm.send_transaction(transaction).map_err(|failed| failed.err)?;
/// assert_eq!(meta.compute_units_consumed, 150);
/// assert_eq!(svm.get_balance(&to), Some(1_000_000));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Svm<'e, E: HeadsBoundary> {
    network: Network<'e, E>,
    cache: Arc<Cache<E>>,
    mode: Mode,
    rules: Rules,
    accounts: Accounts,
    features: FeatureSet,
    reserved: ReservedAccountKeys,
    syscalls: Arc<[&'static str]>,
    latest_blockhash: Hash,
    history: History,
    compute_budget: Option<ComputeBudget>,
    sigverify: bool,
    blockhash_check: bool,
    lamports_per_signature: u64,
    log_bytes_limit: Option<usize>,
    epoch_stake: Arc<EpochStake>,
}

/// The evaluator is shared, everything else copied.
impl<E: HeadsBoundary> Clone for Svm<'_, E> {
    fn clone(&self) -> Self {
        Self {
            network: self.network.clone(),
            cache: Arc::clone(&self.cache),
            accounts: self.accounts.clone(),
            features: self.features.clone(),
            reserved: self.reserved.clone(),
            syscalls: Arc::clone(&self.syscalls),
            history: self.history.clone(),
            epoch_stake: Arc::clone(&self.epoch_stake),
            ..*self
        }
    }
}

impl<'e, E: HeadsBoundary> Svm<'e, E> {
    /// No accounts, no features, no checks.
    pub fn bare(evaluator: &'e E) -> Self {
        Self::on(Network::Borrowed(evaluator))
    }

    /// The same on an evaluator that it keeps alive.
    pub fn shared(evaluator: Arc<E>) -> Self {
        Self::on(Network::Shared(evaluator))
    }

    fn on(network: Network<'e, E>) -> Self {
        let features = FeatureSet::default();
        let syscalls = features::syscalls(&features);
        Self {
            network,
            cache: Arc::default(),
            mode: Mode::Lazy,
            rules: Rules::LiteSvm,
            accounts: Accounts::new(load_options(&features, &syscalls)),
            reserved: reserved_keys(&features),
            features,
            syscalls,
            latest_blockhash: hash(b"genesis"),
            history: History::default(),
            compute_budget: None,
            sigverify: false,
            blockhash_check: false,
            lamports_per_signature: 5_000,
            log_bytes_limit: Some(10_000),
            epoch_stake: Arc::default(),
        }
    }

    /// Mainnet's features, builtins, sysvars and feature accounts, all checks on.
    pub fn new(evaluator: &'e E) -> Self {
        Self::bare(evaluator)
            .with_feature_set(mainnet_feature_set())
            .with_builtins()
            .with_sysvars()
            .with_feature_accounts()
            .with_sigverify(true)
            .with_blockhash_check(true)
    }

    /// How steps are computed.
    pub fn with_mode(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    /// Whose rules apply.
    pub fn with_rules(self, rules: Rules) -> Self {
        Self { rules, ..self }
    }

    /// Other features. Set them before builtins, sysvars, feature accounts and programs, which depend on them.
    pub fn with_feature_set(mut self, features: FeatureSet) -> Self {
        self.cache = Arc::default();
        self.syscalls = features::syscalls(&features);
        self.accounts.options = load_options(&features, &self.syscalls);
        self.reserved = reserved_keys(&features);
        self.features = features;
        self
    }

    /// Whether signatures are checked, and transactions refused that were processed before.
    pub fn with_sigverify(self, sigverify: bool) -> Self {
        Self { sigverify, ..self }
    }

    /// Whether a transaction needs the latest blockhash or a nonce.
    pub fn with_blockhash_check(self, blockhash_check: bool) -> Self {
        Self { blockhash_check, ..self }
    }

    /// Limits that replace what transactions ask for.
    pub fn with_compute_budget(self, budget: ComputeBudget) -> Self {
        Self { compute_budget: Some(budget), ..self }
    }

    /// The log of a transaction stays below this number of bytes.
    pub fn with_log_bytes_limit(self, limit: Option<usize>) -> Self {
        Self { log_bytes_limit: limit, ..self }
    }

    /// How many transactions are remembered.
    pub fn with_transaction_history(mut self, capacity: usize) -> Self {
        self.history.set_capacity(capacity);
        self
    }

    /// Active features.
    pub fn feature_set(&self) -> &FeatureSet {
        &self.features
    }

    /// Names of the syscalls there are.
    pub fn syscalls(&self) -> Arc<[&'static str]> {
        Arc::clone(&self.syscalls)
    }

    /// The limits that replace what transactions ask for.
    pub fn get_compute_budget(&self) -> Option<ComputeBudget> {
        self.compute_budget
    }

    /// Whether signatures are checked.
    pub fn get_sigverify(&self) -> bool {
        self.sigverify
    }

    /// The result of a transaction that was processed lately.
    pub fn get_transaction(&self, signature: &Signature) -> Option<&TransactionResult> {
        self.history.get(signature)
    }

    /// The account at an address.
    pub fn get_account(&self, address: &Address) -> Option<Account> {
        self.accounts.get(address).cloned().map(Into::into)
    }

    /// The account at an address, without a copy of its data.
    pub fn get_shared_account(&self, address: &Address) -> Option<&AccountSharedData> {
        self.accounts.get(address)
    }

    /// The balance at an address, in lamports.
    pub fn get_balance(&self, address: &Address) -> Option<u64> {
        self.accounts.get(address).map(ReadableAccount::lamports)
    }

    /// All accounts, in no particular order.
    pub fn accounts(&self) -> impl Iterator<Item = (&Address, &AccountSharedData)> {
        self.accounts.iter()
    }

    /// Puts an account; one without lamports is removed. An executable one is loaded as a program.
    ///
    /// # Errors
    /// It is a program that does not load, or a sysvar that does not read.
    pub fn set_account(&mut self, address: Address, account: Account) -> Result<(), SvmError> {
        self.accounts.set(address, account.into())
    }

    /// Puts an account as it is: it need not have lamports, and nothing is loaded from it.
    pub fn put_account(&mut self, address: Address, account: Account) {
        self.accounts.insert(address, account.into());
    }

    /// The blockhash that transactions must name.
    pub fn latest_blockhash(&self) -> Hash {
        self.latest_blockhash
    }

    /// Balance that makes data of this length exempt from rent, in lamports; `u64::MAX` if the data is too
    /// long for an account.
    pub fn minimum_balance_for_rent_exemption(&self, data_len: usize) -> u64 {
        let rent = self.accounts.sysvars.rent.clone().unwrap_or_default();
        rent.try_minimum_balance(data_len).unwrap_or(u64::MAX).max(1)
    }
}

/// How programs are loaded.
fn load_options(features: &FeatureSet, syscalls: &[&str]) -> LoadOptions {
    LoadOptions::execution()
        .with_versions(features::versions(features))
        .with_syscalls(syscalls.iter().copied())
}

/// Accounts that no transaction may write.
fn reserved_keys(features: &FeatureSet) -> ReservedAccountKeys {
    let mut reserved = ReservedAccountKeys::default();
    reserved.update_active_set(features);
    reserved
}
