//! Programs: which loader an account belongs to, and its ELF file ready to run.

use solana_account::{AccountSharedData, ReadableAccount};
use solana_address::Address;
use solana_instruction_error::InstructionError;
use solana_loader_v3_interface::state::UpgradeableLoaderState;
use solana_sdk_ids::{bpf_loader, bpf_loader_deprecated, bpf_loader_upgradeable, loader_v4};
use std::sync::Arc;

use crate::host::{
    Program, VerifierError,
    elf::{self, ElfError, LoadOptions},
    verify,
};

/// What is known of a program's account.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    /// It can be run.
    Loaded(Arc<Program>),
    /// It has no code.
    Closed,
}

/// Why a file is no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramLoadError {
    /// The loader refused it.
    #[error("{0}")]
    Elf(#[from] ElfError),
    /// The verifier refused it.
    #[error("Verifier error: {0}")]
    Verifier(#[from] VerifierError),
}

/// Loads and verifies an ELF file for execution.
pub(super) fn load_elf(file: &[u8], options: &LoadOptions) -> Result<Entry, ProgramLoadError> {
    let program = elf::load(file, options)?;
    verify(&program.text, program.version)?;
    Ok(Entry::Loaded(Arc::new(program)))
}

/// Whether programs owned by this account are run from ELF files.
pub(super) fn is_loader(owner: &Address) -> bool {
    [bpf_loader_deprecated::ID, bpf_loader::ID, bpf_loader_upgradeable::ID, loader_v4::ID].contains(owner)
}

/// A program's file: the data of an account from a byte on.
pub(super) struct ProgramFile {
    /// The data.
    pub data: Arc<Vec<u8>>,
    /// Where the file begins.
    pub offset: usize,
}

/// The file in use at a slot of a program's account; `find` gives other accounts. What loader v3 deployed at a
/// slot is in use from the next one on.
pub(super) fn deployed<'a>(
    account: &AccountSharedData,
    slot: u64,
    find: impl Fn(&Address) -> Option<&'a AccountSharedData>,
) -> Option<ProgramFile> {
    match *account.owner() {
        bpf_loader_upgradeable::ID => {
            let UpgradeableLoaderState::Program { programdata_address } =
                wincode::deserialize(account.data()).ok()?
            else {
                return None;
            };
            let data = find(&programdata_address).filter(|data| *data.owner() == *account.owner())?;
            let UpgradeableLoaderState::ProgramData { slot: deployed, .. } =
                wincode::deserialize(data.data()).ok()?
            else {
                return None;
            };
            let offset = UpgradeableLoaderState::size_of_programdata_metadata();
            (deployed < slot).then(|| ProgramFile { data: data.data_clone(), offset })
        }
        _ => Some(ProgramFile { data: account.data_clone(), offset: 0 }),
    }
}

/// Loads the program of an executable account. `find` gives other accounts.
///
/// # Errors
/// `IncorrectProgramId` for an owner that is no loader, else `InvalidAccountData`.
pub(super) fn load_account<'a>(
    account: &AccountSharedData,
    options: &LoadOptions,
    find: impl Fn(&Address) -> Option<&'a AccountSharedData>,
) -> Result<Entry, InstructionError> {
    /// Bytes before the file in an account of loader v4.
    const LOADER_V4_OFFSET: usize = 48;

    let load = |file: Option<&[u8]>| {
        file.and_then(|file| load_elf(file, options).ok()).ok_or(InstructionError::InvalidAccountData)
    };
    match *account.owner() {
        bpf_loader_deprecated::ID | bpf_loader::ID => load(Some(account.data())),
        bpf_loader_upgradeable::ID => {
            let Ok(UpgradeableLoaderState::Program { programdata_address }) =
                wincode::deserialize(account.data())
            else {
                return Err(InstructionError::InvalidAccountData);
            };
            let Some(data) = find(&programdata_address) else { return Ok(Entry::Closed) };
            load(data.data().get(UpgradeableLoaderState::size_of_programdata_metadata()..))
        }
        loader_v4::ID => load(account.data().get(LOADER_V4_OFFSET..)),
        _ => Err(InstructionError::IncorrectProgramId),
    }
}
