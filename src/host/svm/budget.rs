//! What a transaction asks of the compute budget.

use agave_feature_set::{FeatureSet, bls_pubkey_management_in_vote_account};
use solana_address::Address;
use solana_instruction_error::InstructionError;
use solana_message::{SanitizedMessage, compiled_instruction::CompiledInstruction};
use solana_sdk_ids::{
    bpf_loader, bpf_loader_deprecated, bpf_loader_upgradeable, compute_budget, ed25519_program, loader_v4,
    secp256k1_program, system_program, vote,
};
use solana_transaction_error::TransactionError;

/// Most compute units of a transaction.
pub(super) const MAX_COMPUTE_UNIT_LIMIT: u32 = 1_400_000;
/// Smallest heap of a program, in bytes; also the usual one.
pub(super) const MIN_HEAP_BYTES: u32 = 32 * 1024;
/// Largest heap of a program, in bytes.
pub(super) const MAX_HEAP_BYTES: u32 = 256 * 1024;
/// Most bytes of account data a transaction may load.
const MAX_LOADED_BYTES: u32 = 64 * 1024 * 1024;
/// Compute units a builtin's instruction adds to the limit if none is requested.
const BUILTIN_UNITS: u32 = 3_000;
/// Compute units any other instruction adds.
const INSTRUCTION_UNITS: u32 = 200_000;

/// The limits a transaction runs under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    /// Compute units.
    pub units: u32,
    /// Heap of each program, in bytes.
    pub heap: u32,
    /// Priority fee, in lamports.
    pub priority_fee: u64,
    /// Account data, in bytes.
    pub loaded_bytes: u32,
}

/// A compute-budget instruction.
enum Request {
    Heap(u32),
    Units(u32),
    Price(u64),
    LoadedBytes(u32),
}

/// Reads an instruction; bytes that follow it do not matter.
fn parse(data: &[u8]) -> Option<Request> {
    let (tag, rest) = data.split_first()?;
    let word = || rest.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
    match tag {
        1 => word().map(Request::Heap),
        2 => word().map(Request::Units),
        3 => rest.first_chunk().map(|bytes| Request::Price(u64::from_le_bytes(*bytes))),
        4 => word().map(Request::LoadedBytes),
        _ => None,
    }
}

/// Keeps the first request of a kind.
fn request_once<T>(slot: &mut Option<T>, value: T, index: u8) -> Result<(), TransactionError> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(TransactionError::DuplicateInstruction(index)),
    }
}

/// Whether the default limit counts this program's instructions as a builtin's.
fn counts_as_builtin(program: &Address, features: &FeatureSet) -> bool {
    let builtins = [
        system_program::ID,
        compute_budget::ID,
        bpf_loader_upgradeable::ID,
        bpf_loader_deprecated::ID,
        bpf_loader::ID,
        loader_v4::ID,
        secp256k1_program::ID,
        ed25519_program::ID,
    ];
    builtins.contains(program)
        || (*program == vote::ID && !features.is_active(&bls_pubkey_management_in_vote_account::ID))
}

fn is_heap_size(bytes: u32) -> bool {
    (MIN_HEAP_BYTES..=MAX_HEAP_BYTES).contains(&bytes) && bytes.is_multiple_of(1024)
}

/// What the compute-budget instructions of a message ask for.
#[derive(Default)]
pub(super) struct Requests {
    /// With the number of the instruction that asks.
    heap: Option<(u8, u32)>,
    units: Option<u32>,
    price: Option<u64>,
    loaded_bytes: Option<u32>,
    /// Compute units if none are requested.
    default_units: u32,
}

/// A compute-budget instruction that is not understood.
fn malformed(index: u8) -> TransactionError {
    TransactionError::InstructionError(index, InstructionError::InvalidInstructionData)
}

impl Requests {
    /// Reads the instructions of a message.
    ///
    /// # Errors
    /// A request that is not understood or doubled.
    pub fn read<'a>(
        instructions: impl Iterator<Item = (&'a Address, &'a CompiledInstruction)>,
        features: &FeatureSet,
    ) -> Result<Self, TransactionError> {
        let mut requests = Self::default();
        for (index, (program, instruction)) in instructions.enumerate() {
            let units = if counts_as_builtin(program, features) { BUILTIN_UNITS } else { INSTRUCTION_UNITS };
            requests.default_units = requests.default_units.saturating_add(units);
            if *program != compute_budget::ID {
                continue;
            }
            let index = index as u8;
            match parse(&instruction.data).ok_or(malformed(index))? {
                Request::Heap(bytes) => request_once(&mut requests.heap, (index, bytes), index)?,
                Request::Units(number) => request_once(&mut requests.units, number, index)?,
                Request::Price(micro_lamports) => request_once(&mut requests.price, micro_lamports, index)?,
                Request::LoadedBytes(bytes) => request_once(&mut requests.loaded_bytes, bytes, index)?,
            }
        }
        Ok(requests)
    }

    /// The limits that come of them.
    ///
    /// # Errors
    /// A request that is out of range.
    fn limits(self) -> Result<Limits, TransactionError> {
        let heap = match self.heap {
            Some((index, bytes)) if !is_heap_size(bytes) => return Err(malformed(index)),
            Some((_, bytes)) => bytes,
            None => MIN_HEAP_BYTES,
        };
        let units = self.units.unwrap_or(self.default_units).min(MAX_COMPUTE_UNIT_LIMIT);
        if self.loaded_bytes == Some(0) {
            return Err(TransactionError::InvalidLoadedAccountsDataSizeLimit);
        }
        let micro_lamports = u128::from(self.price.unwrap_or(0)) * u128::from(units);
        Ok(Limits {
            units,
            heap,
            priority_fee: u64::try_from(micro_lamports.div_ceil(1_000_000)).unwrap_or(u64::MAX),
            loaded_bytes: self.loaded_bytes.unwrap_or(MAX_LOADED_BYTES).min(MAX_LOADED_BYTES),
        })
    }
}

impl Limits {
    /// The limits a message asks for by its instructions, or by its configuration if it has one.
    ///
    /// # Errors
    /// A request that is not understood, doubled or out of range.
    pub fn of(message: &SanitizedMessage, features: &FeatureSet) -> Result<Self, TransactionError> {
        let SanitizedMessage::V1(message) = message else {
            return Requests::read(message.program_instructions_iter(), features)?.limits();
        };
        let config = &message.message.config;
        let heap = config.heap_size.unwrap_or(MIN_HEAP_BYTES);
        if !is_heap_size(heap) {
            return Err(TransactionError::SanitizeFailure);
        }
        Ok(Self {
            units: config.compute_unit_limit.unwrap_or(0).min(MAX_COMPUTE_UNIT_LIMIT),
            heap,
            priority_fee: config.priority_fee.unwrap_or(0),
            loaded_bytes: config.loaded_accounts_data_size_limit.unwrap_or(0).min(MAX_LOADED_BYTES),
        })
    }
}
