//! The store an instruction of a fixture runs in.

use std::sync::Arc;

use agave_feature_set::FeatureSet;
use solana_account::Account;
use solana_address::Address;
use solana_sdk_ids::{bpf_loader_upgradeable, sysvar};
use svmllm::{
    host::svm::{Rules, Svm},
    tables::Indexed,
};

use crate::Replayer;

impl Replayer {
    /// A store with these features and accounts. Its sysvars are those among the accounts, and its programs
    /// those that load, whatever their flags say.
    pub(crate) fn store(
        &self,
        features: FeatureSet,
        accounts: &[(Address, Account)],
    ) -> Svm<'static, Indexed> {
        let mut store = Svm::shared(Arc::clone(&self.network))
            .with_rules(Rules::Agave)
            .with_log_bytes_limit(None)
            .with_feature_set(features)
            .with_builtins();
        for (address, account) in accounts {
            store.put_account(*address, account.clone());
        }
        for (address, account) in accounts {
            // A sysvar that does not read is not there.
            if account.owner == sysvar::ID && account.lamports > 0 {
                let _ = store.set_account(*address, Account { executable: false, ..account.clone() });
            }
        }
        for (address, elf) in &self.programs {
            let loader =
                accounts.iter().find(|(known, _)| known == address).map(|(_, account)| account.owner);
            let _ = store.add_program(*address, elf, loader.unwrap_or(bpf_loader_upgradeable::ID));
        }
        store
    }
}
