//! Both machines side by side: a second opinion on every transaction.

mod parting;
mod report;

use std::{collections::BTreeMap, path::Path, sync::Arc};

use agave_feature_set::FeatureSet;
use litesvm::LiteSVM;
use solana_account::{Account, AccountSharedData};
use solana_address::Address;
use solana_hash::Hash;
use solana_signature::Signature;
use solana_sysvar::Sysvar;
use solana_sysvar_id::SysvarId;
use solana_transaction::versioned::VersionedTransaction;
use svmllm::{
    NeuralSvm,
    host::svm::ComputeBudget,
    tables::Indexed,
    types::{FailedTransactionMetadata, SimulatedTransactionInfo, TransactionMetadata, TransactionResult},
};

use crate::{
    bank::{Bank, Simulation, lite_budget},
    outcome::Difference,
    transaction::{TransactionOutcome, compare},
};
pub use parting::{Parting, Step};
pub use report::Divergence;

/// What a method of [`Paired`] gives where the machines may differ.
pub type Agreed<T> = Result<T, Box<Divergence>>;

/// LiteSVM's methods on the weights and on LiteSVM itself, in the same state.
///
/// Every transaction runs on both; its result, its record and all accounts afterwards are compared. What reads
/// accounts and settings answers for both: after each transaction they are the same.
///
/// ```
/// use solana_address::Address;
/// use svmllm_xcheck::Paired;
///
/// let mut svm = Paired::new();
/// let to = Address::new_unique();
/// let sent = svm.airdrop(&to, 1_000_000_000)?; // what both say, or how they differ
/// assert!(sent.is_ok());
/// assert_eq!(svm.get_balance(&to), Some(1_000_000_000));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Paired {
    lite: LiteSVM,
    neural: NeuralSvm,
    features: FeatureSet,
}

/// Methods that change a setting of both.
macro_rules! settings {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*);)*) => {
        $($(#[$doc])*
        pub fn $name(self $(, $argument: $type)*) -> Self {
            let Self { lite, neural, features } = self;
            Self { lite: lite.$name($($argument),*), neural: neural.$name($($argument),*), features }
        })*
    };
}

/// Methods that change both, or are refused by both.
macro_rules! changes {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*);)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// One machine takes it and the other does not, or they refuse it for different reasons.
        pub fn $name(&mut self $(, $argument: $type)*) -> Agreed<Result<(), String>> {
            let expected = Bank::$name(&mut self.lite $(, $argument.clone())*);
            let actual = Bank::$name(&mut self.neural $(, $argument)*);
            agree(stringify!($name), expected, actual)
        })*
    };
}

impl Paired {
    /// Both as LiteSVM's `new` makes them.
    pub fn new() -> Self {
        let neural = NeuralSvm::new();
        Self { lite: LiteSVM::new(), neural, features: LiteSVM::mainnet_feature_set() }.shared()
    }

    /// The same with other weights.
    pub fn with_network(network: Arc<Indexed>) -> Self {
        let neural = NeuralSvm::with_network(network).into_basic();
        Self { lite: LiteSVM::new(), neural, features: LiteSVM::mainnet_feature_set() }.shared()
    }

    /// Gives each the account that the other pays airdrops from.
    fn shared(mut self) -> Self {
        let (ours, theirs) = (self.neural.airdrop_pubkey(), self.lite.airdrop_pubkey());
        if let Some(account) = self.neural.get_account(&ours) {
            self.lite.set_account(ours, account).expect("a wallet");
        }
        if let Some(account) = self.lite.get_account(&theirs) {
            self.neural.set_account(theirs, account).expect("a wallet");
        }
        self
    }

    /// The machine on the weights.
    pub fn neural(&self) -> &NeuralSvm {
        &self.neural
    }

    /// LiteSVM.
    pub fn lite(&self) -> &LiteSVM {
        &self.lite
    }

    /// Other features. Set them before builtins, sysvars, feature accounts and programs, which depend on them.
    pub fn with_feature_set(self, features: FeatureSet) -> Self {
        Self {
            lite: self.lite.with_feature_set(features.clone()),
            neural: self.neural.with_feature_set(features.clone()),
            features,
        }
    }

    /// The features of mainnet.
    pub fn with_mainnet_features(self) -> Self {
        self.with_feature_set(LiteSVM::mainnet_feature_set())
    }

    /// The feature set of mainnet.
    pub fn mainnet_feature_set() -> FeatureSet {
        LiteSVM::mainnet_feature_set()
    }

    /// Limits that replace what transactions ask for.
    pub fn with_compute_budget(self, budget: ComputeBudget) -> Self {
        Self {
            lite: self.lite.with_compute_budget(lite_budget(budget)),
            neural: self.neural.with_compute_budget(budget),
            features: self.features,
        }
    }

    /// Puts the account that pays for airdrops.
    pub fn with_lamports(self, lamports: u64) -> Self {
        let Self { lite, neural, features } = self;
        Self { lite: lite.with_lamports(lamports), neural: neural.with_lamports(lamports), features }.shared()
    }

    settings! {
        /// Whether signatures are checked.
        fn with_sigverify(sigverify: bool);
        /// Whether a transaction needs the latest blockhash or a nonce.
        fn with_blockhash_check(check: bool);
        /// The sysvars as they are when new.
        fn with_sysvars();
        /// An account for each active feature.
        fn with_feature_accounts();
        /// The accounts of the builtin programs.
        fn with_builtins();
        /// The programs LiteSVM ships.
        fn with_default_programs();
        /// The programs that check signatures.
        fn with_precompiles();
        /// How many transactions are remembered.
        fn with_transaction_history(capacity: usize);
        /// The log of a transaction stays below this number of bytes.
        fn with_log_bytes_limit(limit: Option<usize>);
    }

    changes! {
        /// Puts an account.
        fn set_account(address: Address, data: Account);
        /// Sets the stake of a vote account.
        fn set_epoch_stake(vote_account: Address, stake: u64);
        /// Replaces all stakes.
        fn set_epoch_stakes(stakes: Vec<(Address, u64)>);
        /// Puts a program under the upgradeable loader.
        fn add_program(program_id: Address, program_bytes: &[u8]);
        /// Puts a program from a file under the upgradeable loader.
        fn add_program_from_file(program_id: Address, path: &Path);
        /// Puts a program under one of the loaders v1 to v3.
        fn add_program_with_loader(program_id: Address, program_bytes: &[u8], loader_id: Address);
    }

    /// Runs a transaction on both and keeps what it does.
    ///
    /// # Errors
    /// The machines differ; each keeps what it did.
    pub fn send_transaction(&mut self, tx: impl Into<VersionedTransaction>) -> Agreed<TransactionResult> {
        let transaction = tx.into();
        let before = self.clone();
        let expected = Bank::send_transaction(&mut self.lite, transaction.clone());
        let actual = self.neural.send_transaction(transaction.clone());
        let difference = compare(&outcome(&expected), &outcome(&actual)).or_else(|| self.compare_accounts());
        match difference {
            None => Ok(actual),
            Some(difference) => Err(before.diverged("send_transaction", difference, transaction)),
        }
    }

    /// Runs a transaction on both and keeps nothing.
    ///
    /// # Errors
    /// The machines differ.
    pub fn simulate_transaction(&self, tx: impl Into<VersionedTransaction>) -> Agreed<Simulation> {
        let transaction = tx.into();
        let expected = Bank::simulate_transaction(&self.lite, transaction.clone());
        let actual = self.neural.simulate_transaction(transaction.clone());
        match compare(&simulated(&expected), &simulated(&actual)) {
            None => Ok(actual),
            Some(difference) => Err(self.diverged("simulate_transaction", difference, transaction)),
        }
    }

    /// Gives lamports to an account, by a transaction as any other.
    ///
    /// # Errors
    /// The machines differ.
    pub fn airdrop(&mut self, address: &Address, lamports: u64) -> Agreed<TransactionResult> {
        self.send_transaction(self.neural.airdrop_transaction(address, lamports))
    }

    /// The account that pays for airdrops.
    pub fn airdrop_pubkey(&self) -> Address {
        self.neural.airdrop_pubkey()
    }

    /// The least balance that makes data of this length exempt from rent, in lamports.
    pub fn minimum_balance_for_rent_exemption(&self, data_len: usize) -> u64 {
        self.neural.minimum_balance_for_rent_exemption(data_len)
    }

    /// The account at an address.
    pub fn get_account(&self, address: &Address) -> Option<Account> {
        self.neural.get_account(address)
    }

    /// All accounts that belong to a program, in no particular order.
    pub fn get_program_accounts(&self, program_id: &Address) -> Vec<(Address, Account)> {
        self.neural.get_program_accounts(program_id)
    }

    /// The balance at an address, in lamports.
    pub fn get_balance(&self, address: &Address) -> Option<u64> {
        self.neural.get_balance(address)
    }

    /// The blockhash that transactions must name.
    pub fn latest_blockhash(&self) -> Hash {
        self.neural.latest_blockhash()
    }

    /// The result of a transaction that was processed lately.
    pub fn get_transaction(&self, signature: &Signature) -> Option<&TransactionResult> {
        self.neural.get_transaction(signature)
    }

    /// All stake, in lamports.
    pub fn epoch_total_stake(&self) -> u64 {
        self.neural.epoch_total_stake()
    }

    /// The stake of a vote account, in lamports.
    pub fn epoch_stake(&self, vote_account: &Address) -> u64 {
        self.neural.epoch_stake(vote_account)
    }

    /// The limits that replace what transactions ask for.
    pub fn get_compute_budget(&self) -> Option<ComputeBudget> {
        self.neural.get_compute_budget()
    }

    /// Whether signatures are checked.
    pub fn get_sigverify(&self) -> bool {
        self.neural.get_sigverify()
    }

    /// Puts a sysvar.
    pub fn set_sysvar<T>(&mut self, sysvar: &T)
    where
        T: Sysvar + SysvarId + wincode::Serialize<Src = T>,
    {
        self.lite.set_sysvar(sysvar);
        self.neural.set_sysvar(sysvar);
    }

    /// A sysvar.
    ///
    /// # Panics
    /// There is none.
    pub fn get_sysvar<T>(&self) -> T
    where
        T: Sysvar + SysvarId + wincode::DeserializeOwned<Dst = T>,
    {
        self.neural.get_sysvar()
    }

    /// Replaces the latest blockhash.
    pub fn expire_blockhash(&mut self) {
        self.lite.expire_blockhash();
        self.neural.expire_blockhash();
    }

    /// Sets the clock's slot.
    pub fn warp_to_slot(&mut self, slot: u64) {
        self.lite.warp_to_slot(slot);
        self.neural.warp_to_slot(slot);
    }

    /// The first account that is not the same in both.
    fn compare_accounts(&self) -> Option<Difference> {
        let theirs = &self.lite.accounts_db().inner;
        let ours: BTreeMap<&Address, &AccountSharedData> = self.neural.host().accounts().collect();
        let mut addresses: Vec<&Address> = theirs.keys().chain(ours.keys().copied()).collect();
        addresses.sort_unstable();
        let address =
            addresses.into_iter().find(|address| theirs.get(*address) != ours.get(*address).copied())?;
        let with = |account: Option<&AccountSharedData>| {
            let account = account.cloned().map(Account::from);
            TransactionOutcome { accounts: BTreeMap::from([(*address, account)]), ..empty() }
        };
        compare(&with(theirs.get(address)), &with(ours.get(address).copied()))
    }

    /// Describes a difference; `self` is the state before the transaction.
    fn diverged(
        &self,
        method: &'static str,
        difference: Difference,
        transaction: VersionedTransaction,
    ) -> Box<Divergence> {
        let parting = parting::find(&self.lite, &self.neural, &self.features, &transaction);
        Box::new(Divergence { method, difference, parting })
    }
}

/// What both came to, if it is the same.
fn agree(
    method: &'static str,
    expected: Result<(), String>,
    actual: Result<(), String>,
) -> Agreed<Result<(), String>> {
    if expected == actual {
        return Ok(actual);
    }
    let difference = Difference {
        field: "result".into(),
        at: None,
        expected: format!("{expected:?}"),
        actual: format!("{actual:?}"),
    };
    Err(Box::new(Divergence { method, difference, parting: None }))
}

fn empty() -> TransactionOutcome {
    outcome(&Ok(TransactionMetadata::default()))
}

/// A result without accounts.
fn outcome(result: &TransactionResult) -> TransactionOutcome {
    let (result, meta) = match result {
        Ok(meta) => (Ok(()), meta),
        Err(FailedTransactionMetadata { err, meta }) => (Err(err.clone()), meta),
    };
    TransactionOutcome {
        result,
        signature: meta.signature,
        logs: meta.logs.clone(),
        inner_instructions: meta.inner_instructions.clone(),
        units: meta.compute_units_consumed,
        return_data: (meta.return_data.program_id, meta.return_data.data.clone()),
        fee: meta.fee,
        accounts: BTreeMap::new(),
    }
}

/// A simulation's result with the accounts it would leave.
fn simulated(simulation: &Simulation) -> TransactionOutcome {
    match simulation {
        Ok(SimulatedTransactionInfo { meta, post_accounts }) => TransactionOutcome {
            accounts: (post_accounts.iter())
                .map(|(address, account)| (*address, Some(account.clone().into())))
                .collect(),
            ..outcome(&Ok(meta.clone()))
        },
        Err(failed) => outcome(&Err(failed.clone())),
    }
}
