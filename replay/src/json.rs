//! A transaction with its accounts in our own JSON form.
//!
//! ```json
//! {
//!   "transaction": "the transaction's bytes in base 64",
//!   "programs": [{"address": "base 58", "loader": "base 58", "elf": "base 64"}],
//!   "accounts": [
//!     {"address": "base 58", "lamports": 1000, "owner": "base 58", "data": "base 64", "executable": false,
//!      "rent_epoch": 0}
//!   ],
//!   "settings": {
//!     "compute_units": 1400000, "heap": 32768, "log_bytes_limit": 10000,
//!     "inactive_features": ["base 58"], "checks_blockhash": false
//!   },
//!   "expected": {
//!     "result": "ok", "compute_units": 150, "fee": 5000, "logs": ["..."],
//!     "return_data": {"program": "base 58", "data": "base 64"},
//!     "accounts": [{"address": "base 58", "lamports": 999, "owner": "base 58"}]
//!   }
//! }
//! ```
//!
//! The store is that of a fresh LiteSVM with mainnet's features, without the programs it ships: those a transaction
//! calls are among `programs`. Signatures are not checked. All fields of `settings` may be left out, so may
//! `programs`, `accounts`, `expected` and each field of that; an account's `owner` is the System Program, its `data`
//! empty, its `executable` false, its `rent_epoch` zero if left out. `result` is `ok` or Agave's error as Rust
//! prints it, such as `InstructionError(0, Custom(1))`. An account of `expected` without lamports must not be there.

use std::sync::Arc;

use base64::{Engine, prelude::BASE64_STANDARD};
use serde::{Deserialize, Serialize, de::Error as _};
use solana_account::Account;
use solana_address::Address;
use solana_transaction::versioned::VersionedTransaction;
use svmllm::{
    host::svm::{ComputeBudget, Svm, mainnet_feature_set},
    tables::Indexed,
    types::{FailedTransactionMetadata, TransactionMetadata},
};

use crate::{Layout, ReplayError, Replayed, Replayer, compare, compare_account, compare_bytes};

/// Bytes, in base 64 where they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytes(
    /// They.
    pub Vec<u8>,
);

impl Serialize for Bytes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&BASE64_STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        BASE64_STANDARD.decode(text).map(Self).map_err(D::Error::custom)
    }
}

/// An address, in base 58 where it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Key(
    /// It.
    pub Address,
);

impl Serialize for Key {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Self).map_err(D::Error::custom)
    }
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramFile {
    /// Its address.
    pub address: Key,
    /// Its loader.
    pub loader: Key,
    /// Its ELF file.
    pub elf: Bytes,
}

/// An account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccountState {
    /// Its address.
    pub address: Key,
    /// Its balance.
    pub lamports: u64,
    /// Its owner.
    #[serde(default)]
    pub owner: Key,
    /// Its data.
    #[serde(default)]
    pub data: Bytes,
    /// Whether it is a program.
    #[serde(default)]
    pub executable: bool,
    /// When it next pays rent.
    #[serde(default)]
    pub rent_epoch: u64,
}

impl AccountState {
    /// An account as it is written.
    pub fn new(address: Address, account: &Account) -> Self {
        Self {
            address: Key(address),
            lamports: account.lamports,
            owner: Key(account.owner),
            data: Bytes(account.data.clone()),
            executable: account.executable,
            rent_epoch: account.rent_epoch,
        }
    }

    fn account(&self) -> Account {
        Account {
            lamports: self.lamports,
            data: self.data.0.clone(),
            owner: self.owner.0,
            executable: self.executable,
            rent_epoch: self.rent_epoch,
        }
    }
}

/// Settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Compute units that replace what the transaction asks for; `heap` must be there too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compute_units: Option<u64>,
    /// Heap that replaces what the transaction asks for, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heap: Option<u32>,
    /// The log stays below this number of bytes; all of it is kept if this is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_bytes_limit: Option<usize>,
    /// Features of mainnet that are not active.
    pub inactive_features: Vec<Key>,
    /// Whether the transaction must name the latest blockhash, or a nonce.
    pub checks_blockhash: bool,
}

/// Data returned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Returned {
    /// The program called last.
    pub program: Key,
    /// The data.
    pub data: Bytes,
}

/// What a transaction came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Expected {
    /// `ok` or the error.
    pub result: Option<String>,
    /// Compute units used.
    pub compute_units: Option<u64>,
    /// The fee, in lamports.
    pub fee: Option<u64>,
    /// The log.
    pub logs: Option<Vec<String>>,
    /// Data returned.
    pub return_data: Option<Returned>,
    /// Accounts afterwards.
    pub accounts: Vec<AccountState>,
}

/// A transaction with what it runs on and, perhaps, what it came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transaction {
    /// Its bytes.
    pub transaction: Bytes,
    /// Programs.
    #[serde(default)]
    pub programs: Vec<ProgramFile>,
    /// Accounts.
    #[serde(default)]
    pub accounts: Vec<AccountState>,
    /// Settings.
    #[serde(default)]
    pub settings: Settings,
    /// What it came to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expected>,
}

impl Transaction {
    /// A transaction without accounts, programs and expectations.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(transaction: &VersionedTransaction) -> Result<Self, ReplayError> {
        let bytes = wincode::serialize(transaction);
        let bytes = bytes.map_err(|error| ReplayError::invalid("the transaction", error))?;
        Ok(Self { transaction: Bytes(bytes), ..Self::default() })
    }
}

/// The store a transaction runs in.
fn store(replayer: &Replayer, file: &Transaction) -> Result<Svm<'static, Indexed>, ReplayError> {
    let settings = &file.settings;
    let mut features = mainnet_feature_set();
    for feature in &settings.inactive_features {
        features.deactivate(&feature.0);
    }
    let mut store = Svm::shared(Arc::clone(&replayer.network))
        .with_feature_set(features)
        .with_builtins()
        .with_sysvars()
        .with_feature_accounts()
        .with_blockhash_check(settings.checks_blockhash)
        .with_log_bytes_limit(settings.log_bytes_limit);
    match (settings.compute_units, settings.heap) {
        (None, None) => {}
        (Some(compute_unit_limit), Some(heap_size)) => {
            let budget = ComputeBudget::new_with_defaults(false);
            store = store.with_compute_budget(ComputeBudget { compute_unit_limit, heap_size, ..budget });
        }
        _ => return Err(ReplayError::invalid("the settings", "units and heap go together")),
    }
    for program in &file.programs {
        store
            .add_program(program.address.0, &program.elf.0, program.loader.0)
            .map_err(|error| ReplayError::invalid("a program", error))?;
    }
    for (address, elf) in &replayer.programs {
        store
            .add_program(*address, elf, solana_sdk_ids::bpf_loader_upgradeable::ID)
            .map_err(|error| ReplayError::invalid("a program", error))?;
    }
    for account in &file.accounts {
        store
            .set_account(account.address.0, account.account())
            .map_err(|error| ReplayError::invalid("an account", error))?;
    }
    Ok(store)
}

/// Replays a transaction.
pub(crate) fn replay(replayer: &Replayer, file: &[u8]) -> Result<Replayed, ReplayError> {
    let file: Transaction = serde_json::from_slice(file)?;
    let transaction: VersionedTransaction = wincode::deserialize(&file.transaction.0)
        .map_err(|error| ReplayError::invalid("the transaction", error))?;
    let before = store(replayer, &file)?;
    let mut store = before.clone();
    let (result, meta) = match store.send_transaction(transaction) {
        Ok(meta) => ("ok".to_owned(), meta),
        Err(FailedTransactionMetadata { err, meta }) => (format!("{err:?}"), meta),
    };
    let differences = file.expected.as_ref().map(|expected| differences(expected, &result, &meta, &store));
    let mut changed: Vec<(Address, Option<Account>)> = (store.accounts())
        .filter(|(address, account)| before.get_shared_account(address) != Some(account))
        .map(|(address, account)| (*address, Some(account.clone().into())))
        .collect();
    let gone = before.accounts().filter(|(address, _)| store.get_shared_account(address).is_none());
    changed.extend(gone.map(|(address, _)| (*address, None)));
    changed.sort_by_key(|(address, _)| *address);
    let TransactionMetadata { logs, compute_units_consumed: units, .. } = meta;
    Ok(Replayed { layout: Layout::Json, result, units, logs, changed, differences })
}

/// In what a transaction did not come to what was expected.
fn differences(
    expected: &Expected,
    result: &str,
    meta: &TransactionMetadata,
    store: &Svm<'static, Indexed>,
) -> Vec<String> {
    let mut differences = Vec::new();
    if let Some(expected) = &expected.result {
        compare(&mut differences, "result", &expected.as_str(), &result);
    }
    if let Some(expected) = &expected.compute_units {
        compare(&mut differences, "compute units", expected, &meta.compute_units_consumed);
    }
    if let Some(expected) = &expected.fee {
        compare(&mut differences, "fee", expected, &meta.fee);
    }
    if let Some(expected) = &expected.logs {
        compare(&mut differences, "logs", expected, &meta.logs);
    }
    if let Some(expected) = &expected.return_data {
        compare(
            &mut differences,
            "program of the return data",
            &expected.program.0,
            &meta.return_data.program_id,
        );
        compare_bytes(&mut differences, "return data", &expected.data.0, &meta.return_data.data);
    }
    for recorded in &expected.accounts {
        let address = recorded.address.0;
        match store.get_account(&address) {
            None => compare(&mut differences, &format!("account {address} lamports"), &recorded.lamports, &0),
            Some(got) => {
                compare_account(&mut differences, &address, &recorded.account(), &got);
                let field = format!("account {address} rent epoch");
                compare(&mut differences, &field, &recorded.rent_epoch, &got.rent_epoch);
            }
        }
    }
    differences
}
