//! Programs calling programs.
//!
//! A calling program describes the call and the accounts it hands on in its own memory. All of that is read and
//! written through the machine's port, in the order in which the runtime does it: which of several faults is
//! reported depends on it.

mod abi;
mod port;

use solana_account::ReadableAccount;
use solana_address::Address;
use solana_instruction_error::InstructionError;
use solana_loader_v3_interface::instruction::{
    is_close_instruction, is_set_authority_checked_instruction, is_set_authority_instruction,
    is_upgrade_instruction,
};
use solana_sdk_ids::{bpf_loader, bpf_loader_deprecated, bpf_loader_upgradeable, native_loader};

use super::{
    context::{Frame, InstructionAccount, MAX_DATA_INCREASE},
    invoke::{Failure, InvokeContext},
    serialization::AccountPlace,
};
use crate::{
    deltanet::HeadsBoundary,
    host::{Abi, EbpfError, Machine, SyscallError},
};
pub(super) use abi::Call;
use abi::CallerAccount;
pub(super) use port::Port;

/// Compute units of a call.
const INVOKE_UNITS: u64 = 946;
/// Bytes a compute unit pays for.
const BYTES_PER_UNIT: u64 = 250;

/// Why a call ends the calling program, or the whole run.
pub(super) enum Abort<X> {
    /// The program fails.
    Failure(Failure),
    /// An activation was not exactly one-hot.
    Evaluator(X),
}

impl<X> From<InstructionError> for Abort<X> {
    fn from(error: InstructionError) -> Self {
        Self::Failure(Failure::Instruction(error))
    }
}

impl<X> From<SyscallError> for Abort<X> {
    fn from(error: SyscallError) -> Self {
        Self::Failure(Failure::Other(error.to_string()))
    }
}

impl<X> From<EbpfError> for Abort<X> {
    fn from(error: EbpfError) -> Self {
        Self::Failure(Failure::Other(error.to_string()))
    }
}

/// An account handed on to the called program.
struct Shared {
    /// Its number among the caller's accounts.
    number: usize,
    /// Whether the callee may change it, so that the caller must see it anew.
    writable: bool,
    /// As the caller has it.
    caller: CallerAccount,
}

impl<E: HeadsBoundary> InvokeContext<'_, E> {
    /// Does the call that a paused machine asks for, and leaves the caller's memory as the runtime leaves it.
    ///
    /// # Errors
    /// The call failed, and with it the calling program; or an activation was not exactly one-hot.
    pub(super) fn invoke(
        &mut self,
        machine: &mut Machine<'_, E>,
        abi: Abi,
        aligned: bool,
        places: &[AccountPlace],
    ) -> Result<(), Abort<E::Error>> {
        let mut arguments = [0; 5];
        for (number, argument) in arguments.iter_mut().enumerate() {
            *argument = machine.register(number + 1).map_err(Abort::Evaluator)?;
        }
        let [instruction, infos, info_count, seeds, seeds_count] = arguments;
        let mut port = Port { machine, aligned };
        port.charge(INVOKE_UNITS)?;
        let call = abi::read_call(&mut port, abi, instruction)?;
        let signers = abi::read_signers(&mut port, seeds, seeds_count)?;
        self.check_callable(&call)?;
        self.prepare(call, &signers)?;
        let shared = self.read_accounts(&mut port, abi, infos, info_count, places)?;
        for account in &shared {
            self.take_over(account)?;
        }
        self.meter = port.machine.remaining().map_err(Abort::Evaluator)?;
        let returned = self.process_instruction();
        port.machine.set_remaining(self.meter);
        returned.map_err(Abort::Evaluator)?.0?;
        for account in shared.iter().filter(|account| account.writable) {
            self.give_back(&mut port, account)?;
        }
        Ok(())
    }

    /// Programs may call neither the loaders nor most of their management.
    fn check_callable(&self, call: &Call) -> Result<(), SyscallError> {
        use agave_feature_set::enable_bpf_loader_set_authority_checked_ix as set_authority_checked;
        let allowed = match call.program {
            native_loader::ID | bpf_loader::ID | bpf_loader_deprecated::ID => false,
            bpf_loader_upgradeable::ID => {
                is_upgrade_instruction(&call.data)
                    || is_set_authority_instruction(&call.data)
                    || is_set_authority_checked_instruction(&call.data)
                        && self.features.is_active(&set_authority_checked::ID)
                    || is_close_instruction(&call.data)
            }
            _ => true,
        };
        let allowed = allowed && !self.is_precompile(&call.program);
        if allowed { Ok(()) } else { Err(SyscallError::ProgramNotSupported(call.program.to_string())) }
    }

    /// Makes the call the next instruction, if the caller may hand on what it asks for. An account named
    /// several times has the privileges of all its namings.
    pub(super) fn prepare(&mut self, call: Call, signers: &[Address]) -> Result<(), InstructionError> {
        let mut accounts = Vec::with_capacity(call.accounts.len());
        for (key, signer, writable) in &call.accounts {
            let Some(index) = self.context.find(key) else {
                self.remark(format_args!("Instruction references an unknown account {key}"));
                return Err(InstructionError::MissingAccount);
            };
            accounts.push(InstructionAccount { index, signer: *signer, writable: *writable });
        }
        for number in 0..accounts.len() {
            let same = |account: &&InstructionAccount| account.index == accounts[number].index;
            let signer = accounts.iter().filter(same).any(|account| account.signer);
            let writable = accounts.iter().filter(same).any(|account| account.writable);
            let index = accounts[number].index;
            accounts[number] = InstructionAccount { index, signer, writable };
        }
        let caller = self.context.current()?;
        let mut escalated = None;
        for (number, account) in accounts.iter().enumerate() {
            if accounts[..number].iter().any(|earlier| earlier.index == account.index) {
                continue;
            }
            let own = caller.position(account.index).ok_or(InstructionError::MissingAccount)?;
            let (own, key) = (caller.accounts[own], self.context.key(account.index));
            if account.writable && !own.writable {
                escalated = Some((*key, "writable"));
            } else if account.signer && !own.signer && !signers.contains(key) {
                escalated = Some((*key, "signer"));
            }
            if escalated.is_some() {
                break;
            }
        }
        if let Some((key, privilege)) = escalated {
            self.remark(format_args!("{key}'s {privilege} privilege escalated"));
            return Err(InstructionError::PrivilegeEscalation);
        }
        let program = self.context.find(&call.program).filter(|index| caller.position(*index).is_some());
        let Some(program) = program else {
            self.remark(format_args!("Unknown program {}", call.program));
            return Err(InstructionError::MissingAccount);
        };
        let caller = Some(self.context.current_index()?);
        self.context.prepare(Frame { program, accounts, data: call.data, caller, height: 0 });
        Ok(())
    }

    /// Reads the accounts that the callee gets, as the caller has them.
    fn read_accounts(
        &mut self,
        port: &mut Port<'_, '_, E>,
        abi: Abi,
        infos: u64,
        count: u64,
        places: &[AccountPlace],
    ) -> Result<Vec<Shared>, Abort<E::Error>> {
        let infos = abi::read_infos(port, abi, infos, count)?;
        let accounts = self.context.prepared().map(|frame| frame.accounts.clone()).unwrap_or_default();
        let mut shared = Vec::with_capacity(accounts.len());
        for (position, account) in accounts.iter().enumerate() {
            if accounts[..position].iter().any(|earlier| earlier.index == account.index) {
                continue;
            }
            let number = self.context.current()?.position(account.index);
            let number = number.ok_or(InstructionError::MissingAccount)?;
            let known = self.context.account(account.index);
            if known.executable() {
                port.charge(known.data().len() as u64 / BYTES_PER_UNIT)?;
                continue;
            }
            let key = *self.context.key(account.index);
            let Some(info) = infos.iter().find(|info| info.key == key) else {
                self.remark(format_args!("Instruction references an unknown account {key}"));
                return Err(InstructionError::MissingAccount.into());
            };
            let place = places.get(number).ok_or(InstructionError::MissingAccount)?;
            let caller = info.translate(port, &mut self.logs, place)?;
            port.charge(caller.data.len() as u64 / BYTES_PER_UNIT)?;
            shared.push(Shared { number, writable: account.writable, caller });
        }
        Ok(shared)
    }

    /// Makes what the caller has done to an account so far known to the callee.
    fn take_over(&mut self, shared: &Shared) -> Result<(), InstructionError> {
        let mut account = self.context.borrow(shared.number)?;
        if account.lamports() != shared.caller.lamports {
            account.set_lamports(shared.caller.lamports)?;
        }
        account.update_data(&shared.caller.data)?;
        if *account.owner() != shared.caller.owner {
            account.set_owner(&shared.caller.owner)?;
        }
        Ok(())
    }

    /// Shows the caller what the callee has done to an account.
    fn give_back(&mut self, port: &mut Port<'_, '_, E>, shared: &Shared) -> Result<(), Abort<E::Error>> {
        let place = &shared.caller.place;
        let account = self.context.borrow(shared.number)?;
        port.write(place.lamports, &account.lamports().to_le_bytes())?;
        port.write(place.owner, account.owner().as_ref())?;
        let increase = if port.aligned { MAX_DATA_INCREASE } else { 0 };
        let (before, after) = (shared.caller.data.len(), account.data().len());
        if after > place.original_len + increase {
            self.remark(format_args!(
                "Account data size realloc limited to {increase} in inner instructions"
            ));
            return Err(InstructionError::InvalidRealloc.into());
        }
        if before != after {
            let cut = vec![0; before.saturating_sub(after)];
            port.write(place.data + after as u64, &cut)?;
            let length = (after as u64).to_le_bytes();
            port.write(shared.caller.length_address, &length)?;
            port.write(place.data - 8, &length)?;
        }
        port.write(place.data, account.data())
    }
}
