//! Replays what others have recorded: transactions, instructions, programs and syscalls.
//!
//! [`Replayer::replay`] takes a file in one of five layouts, runs it on the weights, and compares with what the
//! file says it came to:
//!
//! | layout | a file holds |
//! | --- | --- |
//! | [`json`] | a transaction with its accounts, in our own form |
//! | [`mollusk`] | an instruction, as Mollusk writes `.fix` files |
//! | [`firedancer`] | an instruction, a program or a syscall, as Firedancer's tools write them |

pub mod firedancer;
pub mod json;
pub mod mollusk;
mod store;

use std::{fmt::Debug, sync::Arc};

use agave_feature_set::{FEATURE_NAMES, FeatureSet};
use solana_account::Account;
use solana_address::Address;
use svmllm::tables::Indexed;

/// A file's layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layout {
    /// A transaction in our own JSON form.
    Json,
    /// Mollusk's instruction.
    Mollusk,
    /// Firedancer's instruction.
    Instr,
    /// Firedancer's syscall.
    Syscall,
    /// Firedancer's program.
    VmInterp,
}

impl Layout {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Mollusk => "mollusk",
            Self::Instr => "instr",
            Self::Syscall => "syscall",
            Self::VmInterp => "vm_interp",
        }
    }
}

/// What a replay came to.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The file's layout.
    pub layout: Layout,
    /// How it ended: `ok`, or the error.
    pub result: String,
    /// Compute units used.
    pub units: u64,
    /// The log.
    pub logs: Vec<String>,
    /// Accounts that have changed; `None` if there is none any more.
    pub changed: Vec<(Address, Option<Account>)>,
    /// In what this differs from what the file records; `None` if it records nothing.
    pub differences: Option<Vec<String>>,
}

/// Why a file cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// It is in none of the layouts.
    #[error("neither JSON nor a fixture of a known layout: {0}")]
    Unknown(prost::DecodeError),
    /// It is JSON of another form.
    #[error("not a transaction in JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Something that must be there is not.
    #[error("the file has no {0}")]
    Missing(&'static str),
    /// Something is not what it must be.
    #[error("{what} is wrong: {why}")]
    Invalid {
        /// What.
        what: &'static str,
        /// Why.
        why: String,
    },
    /// It asks for something that is not replayed.
    #[error("{0} is not replayed")]
    Unsupported(String),
}

impl ReplayError {
    fn invalid(what: &'static str, why: impl ToString) -> Self {
        Self::Invalid { what, why: why.to_string() }
    }
}

/// Replays files on a network.
#[derive(Clone)]
pub struct Replayer {
    network: Arc<Indexed>,
    programs: Vec<(Address, Vec<u8>)>,
}

impl Replayer {
    /// Replays on these weights.
    pub fn new(network: Arc<Indexed>) -> Self {
        Self { network, programs: Vec::new() }
    }

    /// Adds an ELF file that fixtures call by its address without bringing it.
    pub fn with_program(mut self, address: Address, elf: Vec<u8>) -> Self {
        self.programs.push((address, elf));
        self
    }

    /// Replays a file.
    ///
    /// # Errors
    /// It is in none of the layouts, or says something that cannot be.
    pub fn replay(&self, file: &[u8]) -> Result<Replayed, ReplayError> {
        match file.trim_ascii_start().first() {
            Some(b'{') => json::replay(self, file),
            _ => match firedancer::replay(self, file) {
                Some(replayed) => replayed,
                None => mollusk::replay(self, file),
            },
        }
    }
}

/// Notes a field that is not as recorded.
fn compare<T: PartialEq + Debug>(differences: &mut Vec<String>, field: &str, recorded: &T, got: &T) {
    if recorded != got {
        differences.push(format!("{field}: recorded {recorded:?}, got {got:?}"));
    }
}

/// Notes bytes that are not as recorded, by the first place where they differ.
fn compare_bytes(differences: &mut Vec<String>, field: &str, recorded: &[u8], got: &[u8]) {
    compare(differences, &format!("{field} length"), &recorded.len(), &got.len());
    if let Some(at) = recorded.iter().zip(got).position(|(recorded, got)| recorded != got) {
        differences.push(format!("{field} at {at}: recorded {:#04x}, got {:#04x}", recorded[at], got[at]));
    }
}

/// Notes what of an account is not as recorded.
fn compare_account(differences: &mut Vec<String>, address: &Address, recorded: &Account, got: &Account) {
    let field = |name: &str| format!("account {address} {name}");
    compare(differences, &field("lamports"), &recorded.lamports, &got.lamports);
    compare(differences, &field("owner"), &recorded.owner, &got.owner);
    compare(differences, &field("executable"), &recorded.executable, &got.executable);
    compare_bytes(differences, &field("data"), &recorded.data, &got.data);
}

/// Features named by the first eight bytes of their addresses.
fn feature_set(prefixes: &[u64]) -> FeatureSet {
    let mut features = FeatureSet::default();
    for address in FEATURE_NAMES.keys() {
        let prefix = address.as_array().first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        if prefix.is_some_and(|prefix| prefixes.contains(&prefix)) {
            features.activate(address, 0);
        }
    }
    features
}

/// An address from its bytes.
fn address(what: &'static str, bytes: &[u8]) -> Result<Address, ReplayError> {
    Address::try_from(bytes).map_err(|_| ReplayError::invalid(what, "an address has 32 bytes"))
}
