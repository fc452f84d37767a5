//! LiteSVM's methods as a trait, so that one body of a test runs on every machine that has them.

mod convert;
mod watched;

use std::path::Path;

use agave_feature_set::FeatureSet;
use litesvm::LiteSVM;
use solana_account::Account;
use solana_address::Address;
use solana_hash::Hash;
use solana_signature::Signature;
use solana_sysvar::Sysvar;
use solana_sysvar_id::SysvarId;
use solana_transaction::versioned::VersionedTransaction;
use svmllm::{
    NeuralSvm,
    host::svm::ComputeBudget,
    types::{FailedTransactionMetadata, SimulatedTransactionInfo, TransactionResult},
};

pub use convert::{Ours, lite_budget, transaction_result};
pub use watched::{Call, Watched};

/// What came of a simulation.
pub type Simulation = Result<SimulatedTransactionInfo, FailedTransactionMetadata>;

/// Declares the trait, implements it by the methods of the same names, and lists them.
macro_rules! bank {
    (
        builders { $(fn $builder:ident($($builder_arg:ident: $builder_type:ty),*);)* }
        reads { $(fn $read:ident($($read_arg:ident: $read_type:ty),*) -> $read_result:ty;)* }
        writes { $(fn $write:ident($($write_arg:ident: $write_type:ty),*) -> $write_result:ty;)* }
    ) => {
        /// The methods of LiteSVM; results in svmllm's types, errors by their text.
        #[expect(missing_docs, reason = "they are LiteSVM's")]
        pub trait Bank: Clone + Default {
            fn new() -> Self;
            fn mainnet_feature_set() -> FeatureSet;
            fn with_compute_budget(self, budget: ComputeBudget) -> Self;
            fn set_sysvar<T>(&mut self, sysvar: &T)
            where
                T: Sysvar + SysvarId + wincode::Serialize<Src = T>;
            fn get_sysvar<T>(&self) -> T
            where
                T: Sysvar + SysvarId + wincode::DeserializeOwned<Dst = T>;
            $(fn $builder(self $(, $builder_arg: $builder_type)*) -> Self;)*
            $(fn $read(&self $(, $read_arg: $read_type)*) -> $read_result;)*
            $(fn $write(&mut self $(, $write_arg: $write_type)*) -> $write_result;)*
        }

        bank!(@for LiteSVM, lite_budget,
            $($builder($($builder_arg: $builder_type),*),)*;
            $($read($($read_arg: $read_type),*) -> $read_result,)*;
            $($write($($write_arg: $write_type),*) -> $write_result,)*);
        bank!(@for NeuralSvm, std::convert::identity,
            $($builder($($builder_arg: $builder_type),*),)*;
            $($read($($read_arg: $read_type),*) -> $read_result,)*;
            $($write($($write_arg: $write_type),*) -> $write_result,)*);

        /// The names of all methods.
        pub const METHODS: &[&str] = &[
            "new", "default", "clone", "mainnet_feature_set", "with_compute_budget", "set_sysvar", "get_sysvar",
            $(stringify!($builder),)*
            $(stringify!($read),)*
            $(stringify!($write),)*
        ];

        impl<B: Bank> Bank for Watched<B> {
            fn new() -> Self {
                Self::begin("new", B::new())
            }

            fn mainnet_feature_set() -> FeatureSet {
                B::mainnet_feature_set()
            }

            fn with_compute_budget(self, budget: ComputeBudget) -> Self {
                self.build("with_compute_budget", |bank| bank.with_compute_budget(budget))
            }

            fn set_sysvar<T>(&mut self, sysvar: &T)
            where
                T: Sysvar + SysvarId + wincode::Serialize<Src = T>,
            {
                self.write("set_sysvar", |bank| bank.set_sysvar(sysvar));
            }

            fn get_sysvar<T>(&self) -> T
            where
                T: Sysvar + SysvarId + wincode::DeserializeOwned<Dst = T>,
            {
                self.note_only("get_sysvar");
                self.bank.get_sysvar()
            }

            $(fn $builder(self $(, $builder_arg: $builder_type)*) -> Self {
                self.build(stringify!($builder), |bank| bank.$builder($($builder_arg),*))
            })*
            $(fn $read(&self $(, $read_arg: $read_type)*) -> $read_result {
                self.read(stringify!($read), |bank| bank.$read($($read_arg),*))
            })*
            $(fn $write(&mut self $(, $write_arg: $write_type)*) -> $write_result {
                self.write(stringify!($write), |bank| bank.$write($($write_arg),*))
            })*
        }
    };
    (@for $bank:ty, $budget:path,
        $($builder:ident($($builder_arg:ident: $builder_type:ty),*),)*;
        $($read:ident($($read_arg:ident: $read_type:ty),*) -> $read_result:ty,)*;
        $($write:ident($($write_arg:ident: $write_type:ty),*) -> $write_result:ty,)*
    ) => {
        impl Bank for $bank {
            fn new() -> Self {
                <$bank>::new()
            }

            fn mainnet_feature_set() -> FeatureSet {
                <$bank>::mainnet_feature_set()
            }

            fn with_compute_budget(self, budget: ComputeBudget) -> Self {
                <$bank>::with_compute_budget(self, $budget(budget))
            }

            fn set_sysvar<T>(&mut self, sysvar: &T)
            where
                T: Sysvar + SysvarId + wincode::Serialize<Src = T>,
            {
                <$bank>::set_sysvar(self, sysvar)
            }

            fn get_sysvar<T>(&self) -> T
            where
                T: Sysvar + SysvarId + wincode::DeserializeOwned<Dst = T>,
            {
                <$bank>::get_sysvar(self)
            }

            $(fn $builder(self $(, $builder_arg: $builder_type)*) -> Self {
                <$bank>::$builder(self $(, $builder_arg)*)
            })*
            $(fn $read(&self $(, $read_arg: $read_type)*) -> $read_result {
                Ours::ours(<$bank>::$read(self $(, $read_arg)*))
            })*
            $(fn $write(&mut self $(, $write_arg: $write_type)*) -> $write_result {
                Ours::ours(<$bank>::$write(self $(, $write_arg)*))
            })*
        }
    };
}

bank! {
    builders {
        fn with_sigverify(sigverify: bool);
        fn with_blockhash_check(check: bool);
        fn with_sysvars();
        fn with_feature_set(feature_set: FeatureSet);
        fn with_mainnet_features();
        fn with_feature_accounts();
        fn with_builtins();
        fn with_lamports(lamports: u64);
        fn with_default_programs();
        fn with_precompiles();
        fn with_transaction_history(capacity: usize);
        fn with_log_bytes_limit(limit: Option<usize>);
    }
    reads {
        fn minimum_balance_for_rent_exemption(data_len: usize) -> u64;
        fn get_account(address: &Address) -> Option<Account>;
        fn get_program_accounts(program_id: &Address) -> Vec<(Address, Account)>;
        fn epoch_total_stake() -> u64;
        fn epoch_stake(vote_account: &Address) -> u64;
        fn get_balance(address: &Address) -> Option<u64>;
        fn latest_blockhash() -> Hash;
        fn get_transaction(signature: &Signature) -> Option<TransactionResult>;
        fn airdrop_pubkey() -> Address;
        fn simulate_transaction(tx: VersionedTransaction) -> Simulation;
        fn get_compute_budget() -> Option<ComputeBudget>;
        fn get_sigverify() -> bool;
    }
    writes {
        fn set_account(address: Address, data: Account) -> Result<(), String>;
        fn set_epoch_stake(vote_account: Address, stake: u64) -> Result<(), String>;
        fn set_epoch_stakes(stakes: Vec<(Address, u64)>) -> Result<(), String>;
        fn airdrop(address: &Address, lamports: u64) -> TransactionResult;
        fn add_program_from_file(program_id: Address, path: &Path) -> Result<(), String>;
        fn add_program(program_id: Address, program_bytes: &[u8]) -> Result<(), String>;
        fn add_program_with_loader(
            program_id: Address,
            program_bytes: &[u8],
            loader_id: Address
        ) -> Result<(), String>;
        fn send_transaction(tx: VersionedTransaction) -> TransactionResult;
        fn expire_blockhash() -> ();
        fn warp_to_slot(slot: u64) -> ();
    }
}
