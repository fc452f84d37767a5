//! The upgradeable loader: buffers become programs, and programs get new code.

mod close;
mod deploy;
mod extend;
mod upgrade;

use agave_feature_set::{
    disable_sbpf_v0_v1_v2_deployment, enable_bpf_loader_set_authority_checked_ix as set_authority_checked,
};
use solana_address::Address;
use solana_clock::Clock;
use solana_instruction::Instruction;
use solana_instruction_error::InstructionError;
use solana_loader_v3_interface::state::UpgradeableLoaderState as State;
use solana_sdk_ids::sysvar;
use std::fmt;

use super::{
    super::{
        context::BorrowedAccount,
        cpi::{Abort, Call},
        invoke::InvokeContext,
        programs,
    },
    system::READ_LIMIT,
};
use crate::{
    deltanet::HeadsBoundary,
    host::{Version, elf},
};

/// What comes of a step of an instruction.
type Result<T = ()> = std::result::Result<T, InstructionError>;

/// Where the file begins in a buffer.
const BUFFER_OFFSET: usize = State::size_of_buffer_metadata();
/// Where the file begins in a program's data.
const DATA_OFFSET: usize = State::size_of_programdata_metadata();

/// An instruction, by its number.
#[derive(wincode::SchemaRead)]
enum LoaderInstruction {
    InitializeBuffer,
    Write { offset: u32, bytes: Vec<u8> },
    DeployWithMaxDataLen { max_data_len: u64 },
    Upgrade,
    SetAuthority,
    Close,
    ExtendProgram { additional_bytes: u32 },
    SetAuthorityChecked,
}

/// Runs the current instruction.
pub(super) fn process<E: HeadsBoundary>(
    invoke: &mut InvokeContext<'_, E>,
) -> std::result::Result<(), Abort<E::Error>> {
    let data = &invoke.context.current()?.data;
    let instruction = wincode::deserialize(&data[..data.len().min(READ_LIMIT)])
        .map_err(|_| InstructionError::InvalidInstructionData)?;
    match instruction {
        LoaderInstruction::InitializeBuffer => Ok(invoke.initialize_buffer()?),
        LoaderInstruction::Write { offset, bytes } => Ok(invoke.write(offset, &bytes)?),
        LoaderInstruction::DeployWithMaxDataLen { max_data_len } => deploy::deploy(invoke, max_data_len),
        LoaderInstruction::Upgrade => Ok(upgrade::upgrade(invoke)?),
        LoaderInstruction::SetAuthority => Ok(invoke.set_authority()?),
        LoaderInstruction::SetAuthorityChecked => Ok(invoke.set_authority_checked()?),
        LoaderInstruction::Close => Ok(close::close(invoke)?),
        LoaderInstruction::ExtendProgram { additional_bytes } => extend::extend(invoke, additional_bytes),
    }
}

/// What a loader's account holds.
fn state(account: &BorrowedAccount<'_>) -> Result<State> {
    wincode::deserialize(account.data()).map_err(|_| InstructionError::InvalidAccountData)
}

/// Makes an account hold a state; what follows stays.
fn set_state(account: &mut BorrowedAccount<'_>, state: &State) -> Result {
    let bytes = wincode::serialize(state).map_err(|_| InstructionError::GenericError)?;
    account.write_data(&bytes)
}

/// Accounts of the instruction are named by their number in it.
impl<E: HeadsBoundary> InvokeContext<'_, E> {
    /// Notes why the instruction fails.
    fn refuse<T>(&mut self, why: impl fmt::Display, error: InstructionError) -> Result<T> {
        self.remark(format_args!("{why}"));
        Err(error)
    }

    /// What an account holds.
    fn state(&mut self, account: usize) -> Result<State> {
        state(&self.context.borrow(account)?)
    }

    /// Makes an account hold a state.
    fn set_state(&mut self, account: usize, state: &State) -> Result {
        set_state(&mut self.context.borrow(account)?, state)
    }

    /// Fails if two accounts are the same one: the runtime lends an account to one borrower at a time.
    fn borrow_apart(&self, accounts: &[usize]) -> Result {
        let frame = self.context.current()?;
        for (position, number) in accounts.iter().enumerate() {
            let index = frame.accounts.get(*number).ok_or(InstructionError::MissingAccount)?.index;
            if accounts[..position].iter().any(|earlier| frame.accounts[*earlier].index == index) {
                return Err(InstructionError::AccountBorrowFailed);
            }
        }
        Ok(())
    }

    /// The clock; fails unless an account is its sysvar.
    fn clock_at(&self, account: usize) -> Result<Clock> {
        if self.key(account)? != sysvar::clock::ID {
            return Err(InstructionError::InvalidArgument);
        }
        self.clock()
    }

    fn clock(&self) -> Result<Clock> {
        self.accounts.sysvars.get(&sysvar::clock::ID).ok_or(InstructionError::UnsupportedSysvar)
    }

    /// Fails unless an account is its authority and has signed; `whose` begins the remarks.
    fn check_authority(&mut self, authority: Option<Address>, account: usize, remarks: [&str; 3]) -> Result {
        let [immutable, incorrect, unsigned] = remarks;
        if authority.is_none() {
            return self.refuse(immutable, InstructionError::Immutable);
        }
        if authority != Some(self.key(account)?) {
            return self.refuse(incorrect, InstructionError::IncorrectAuthority);
        }
        if !self.has_signed(account)? {
            return self.refuse(unsigned, InstructionError::MissingRequiredSignature);
        }
        Ok(())
    }

    /// Fails unless the account signs that may change a buffer.
    fn check_buffer_authority(&mut self, authority: Option<Address>, account: usize) -> Result {
        let remarks =
            ["Buffer is immutable", "Incorrect buffer authority provided", "Buffer authority did not sign"];
        self.check_authority(authority, account, remarks)
    }

    /// Fails unless the account signs that may change a program.
    fn check_upgrade_authority(&mut self, authority: Option<Address>, account: usize) -> Result {
        let remarks = [
            "Program not upgradeable",
            "Incorrect upgrade authority provided",
            "Upgrade authority did not sign",
        ];
        self.check_authority(authority, account, remarks)
    }

    fn initialize_buffer(&mut self) -> Result {
        self.need_accounts(2)?;
        if self.state(0)? != State::Uninitialized {
            let error = InstructionError::AccountAlreadyInitialized;
            return self.refuse("Buffer account already initialized", error);
        }
        let authority_address = Some(self.key(1)?);
        self.set_state(0, &State::Buffer { authority_address })
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result {
        self.need_accounts(2)?;
        let State::Buffer { authority_address } = self.state(0)? else {
            return self.refuse("Invalid Buffer account", InstructionError::InvalidAccountData);
        };
        self.check_buffer_authority(authority_address, 1)?;
        let start = BUFFER_OFFSET.saturating_add(offset as usize);
        let end = start.saturating_add(bytes.len());
        let mut buffer = self.context.borrow(0)?;
        let data = buffer.data_mut()?;
        let length = data.len();
        match data.get_mut(start..end) {
            Some(place) => place.copy_from_slice(bytes),
            None => {
                let why = format_args!("Write overflow: {length} < {end}").to_string();
                return self.refuse(why, InstructionError::AccountDataTooSmall);
            }
        }
        Ok(())
    }

    fn set_authority(&mut self) -> Result {
        self.need_accounts(2)?;
        let new = self.key(2).ok();
        match self.state(0)? {
            State::Buffer { authority_address } => {
                if new.is_none() {
                    let error = InstructionError::IncorrectAuthority;
                    return self.refuse("Buffer authority is not optional", error);
                }
                self.check_buffer_authority(authority_address, 1)?;
                self.set_state(0, &State::Buffer { authority_address: new })?;
            }
            State::ProgramData { slot, upgrade_authority_address } => {
                self.check_upgrade_authority(upgrade_authority_address, 1)?;
                if new.is_none()
                    && self.features.is_active(&disable_sbpf_v0_v1_v2_deployment::ID)
                    && self.is_old_program(0)?
                {
                    return Err(InstructionError::InvalidAccountData);
                }
                self.set_state(0, &State::ProgramData { slot, upgrade_authority_address: new })?;
            }
            _ => {
                let error = InstructionError::InvalidArgument;
                return self.refuse("Account does not support authorities", error);
            }
        }
        self.remark(format_args!("New authority {new:?}"));
        Ok(())
    }

    /// Whether a program's data hold a file of a version before 3.
    fn is_old_program(&mut self, account: usize) -> Result<bool> {
        let account = self.context.borrow(account)?;
        let file = account.data().get(DATA_OFFSET..);
        Ok(file.and_then(|file| elf::version(file).ok()).is_some_and(|version| version < Version::V3))
    }

    fn set_authority_checked(&mut self) -> Result {
        if !self.features.is_active(&set_authority_checked::ID) {
            return Err(InstructionError::InvalidInstructionData);
        }
        self.need_accounts(3)?;
        let new = self.key(2)?;
        let state = match self.state(0)? {
            State::Buffer { authority_address } => {
                self.check_buffer_authority(authority_address, 1)?;
                State::Buffer { authority_address: Some(new) }
            }
            State::ProgramData { slot, upgrade_authority_address } => {
                self.check_upgrade_authority(upgrade_authority_address, 1)?;
                State::ProgramData { slot, upgrade_authority_address: Some(new) }
            }
            _ => {
                let error = InstructionError::InvalidArgument;
                return self.refuse("Account does not support authorities", error);
            }
        };
        if !self.has_signed(2)? {
            return self.refuse("New authority did not sign", InstructionError::MissingRequiredSignature);
        }
        self.set_state(0, &state)?;
        self.remark(format_args!("New authority {new:?}"));
        Ok(())
    }

    /// Loads a file the way new programs are and verifies it. The program is not run again in this
    /// transaction: new code is visible one slot later.
    fn verify_deployment(&mut self, program: Address, file: &[u8], only_new_versions: bool) -> Result {
        let mut options = self.accounts.options.clone().for_deployment();
        if only_new_versions {
            options = options.without_versions_before(Version::V3);
        }
        if let Err(error) = programs::load_elf(file, &options) {
            return self.refuse(error, InstructionError::InvalidAccountData);
        }
        self.withheld.insert(program);
        Ok(())
    }

    /// Whether old versions may no longer be deployed.
    fn only_new_versions(&self) -> bool {
        self.features.is_active(&disable_sbpf_v0_v1_v2_deployment::ID)
    }

    /// Calls a builtin with the accounts of the current instruction; `signers` sign with it.
    fn call_builtin(
        &mut self,
        instruction: Instruction,
        signers: &[Address],
    ) -> std::result::Result<(), Abort<E::Error>> {
        let accounts = instruction.accounts.iter();
        let call = Call {
            program: instruction.program_id,
            accounts: accounts.map(|meta| (meta.pubkey, meta.is_signer, meta.is_writable)).collect(),
            data: instruction.data,
        };
        self.prepare(call, signers)?;
        let (result, _) = self.process_instruction().map_err(Abort::Evaluator)?;
        Ok(result?)
    }

    /// Moves the file in a buffer into a program's data, and the buffer becomes empty.
    fn move_file(&mut self, buffer: usize, program_data: usize) -> Result {
        self.borrow_apart(&[program_data, buffer])?;
        let file = self.file_in_buffer(buffer)?;
        let mut data = self.context.borrow(program_data)?;
        let place = data.data_mut()?.get_mut(DATA_OFFSET..).ok_or(InstructionError::AccountDataTooSmall)?;
        let place = place.get_mut(..file.len()).ok_or(InstructionError::AccountDataTooSmall)?;
        place.copy_from_slice(&file);
        Ok(())
    }

    fn file_in_buffer(&mut self, buffer: usize) -> Result<Vec<u8>> {
        let buffer = self.context.borrow(buffer)?;
        let file = buffer.data().get(BUFFER_OFFSET..).ok_or(InstructionError::AccountDataTooSmall)?;
        Ok(file.to_vec())
    }

    /// Checks a buffer that is to become a program; gives the length of its file.
    fn check_buffer(&mut self, buffer: usize, authority: usize) -> Result<usize> {
        let loader = *self.context.program()?;
        let account = self.context.borrow(buffer)?;
        let (writable, owner, length) = (account.is_writable(), *account.owner(), account.data().len());
        if !writable {
            return self.refuse("Buffer account not writeable", InstructionError::InvalidArgument);
        }
        if owner != loader {
            return self.refuse("Buffer account not owned by loader", InstructionError::IncorrectProgramId);
        }
        let State::Buffer { authority_address } = self.state(buffer)? else {
            return self.refuse("Invalid Buffer account", InstructionError::InvalidArgument);
        };
        if authority_address != Some(self.key(authority)?) {
            let error = InstructionError::IncorrectAuthority;
            return self.refuse("Buffer and upgrade authority don't match", error);
        }
        if !self.has_signed(authority)? {
            let error = InstructionError::MissingRequiredSignature;
            return self.refuse("Upgrade authority did not sign", error);
        }
        match length.checked_sub(BUFFER_OFFSET) {
            None | Some(0) => self.refuse("Buffer account too small", InstructionError::InvalidAccountData),
            Some(length) => Ok(length),
        }
    }
}
