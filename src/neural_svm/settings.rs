//! What a machine is set to, one `with_` method each.

use agave_feature_set::FeatureSet;

use super::NeuralSvm;
use crate::host::svm::{ComputeBudget, Svm, mainnet_feature_set};
use crate::tables::Indexed;

impl NeuralSvm {
    fn map(self, change: impl FnOnce(Svm<'static, Indexed>) -> Svm<'static, Indexed>) -> Self {
        Self { svm: change(self.svm) }
    }

    /// Limits that replace what transactions ask for.
    pub fn with_compute_budget(self, compute_budget: ComputeBudget) -> Self {
        self.map(|svm| svm.with_compute_budget(compute_budget))
    }

    /// Whether signatures are checked, and transactions refused that were processed before.
    pub fn with_sigverify(self, sigverify: bool) -> Self {
        self.map(|svm| svm.with_sigverify(sigverify))
    }

    /// Whether a transaction needs the latest blockhash or a nonce.
    pub fn with_blockhash_check(self, check: bool) -> Self {
        self.map(|svm| svm.with_blockhash_check(check))
    }

    /// The sysvars as they are when new.
    pub fn with_sysvars(self) -> Self {
        self.map(Svm::with_sysvars)
    }

    /// Other features. Set them before builtins, sysvars, feature accounts and programs, which depend on them.
    pub fn with_feature_set(self, feature_set: FeatureSet) -> Self {
        self.map(|svm| svm.with_feature_set(feature_set))
    }

    /// The feature set of mainnet.
    pub fn mainnet_feature_set() -> FeatureSet {
        mainnet_feature_set()
    }

    /// The features of mainnet.
    pub fn with_mainnet_features(self) -> Self {
        self.with_feature_set(mainnet_feature_set())
    }

    /// An account for each active feature.
    pub fn with_feature_accounts(self) -> Self {
        self.map(Svm::with_feature_accounts)
    }

    /// The accounts of the builtin programs.
    pub fn with_builtins(self) -> Self {
        self.map(Svm::with_builtins)
    }

    /// The accounts of the programs that check signatures.
    #[cfg(feature = "precompiles")]
    pub fn with_precompiles(self) -> Self {
        self.map(Svm::with_precompiles)
    }

    /// How many transactions are remembered.
    pub fn with_transaction_history(self, capacity: usize) -> Self {
        self.map(|svm| svm.with_transaction_history(capacity))
    }

    /// The log of a transaction stays below this number of bytes.
    pub fn with_log_bytes_limit(self, limit: Option<usize>) -> Self {
        self.map(|svm| svm.with_log_bytes_limit(limit))
    }

    /// The limits that replace what transactions ask for.
    pub fn get_compute_budget(&self) -> Option<ComputeBudget> {
        self.svm.get_compute_budget()
    }

    /// Whether signatures are checked.
    pub fn get_sigverify(&self) -> bool {
        self.svm.get_sigverify()
    }
}
