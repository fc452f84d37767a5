//! A program's data get more room.

use agave_feature_set::loader_v3_minimum_extend_program_size;
use solana_instruction_error::InstructionError;
use solana_loader_v3_interface::{
    instruction::MINIMUM_EXTEND_PROGRAM_BYTES, state::UpgradeableLoaderState as State,
};
use solana_system_interface::{MAX_PERMITTED_DATA_LENGTH, instruction::transfer};

use super::{
    super::{
        super::{cpi::Abort, invoke::InvokeContext},
        nonce::minimum_balance,
    },
    DATA_OFFSET, Result,
};
use crate::deltanet::HeadsBoundary;

/// Accounts: program data, program, and for what rent needs the system program and a payer.
pub(super) fn extend<E: HeadsBoundary>(
    invoke: &mut InvokeContext<'_, E>,
    additional_bytes: u32,
) -> std::result::Result<(), Abort<E::Error>> {
    check_accounts(invoke, additional_bytes)?;
    let (data_address, program) = (invoke.key(0)?, invoke.key(1)?);
    let data = invoke.context.borrow(0)?;
    let (old_length, balance) = (data.data().len(), data.lamports());
    let length = old_length.saturating_add(additional_bytes as usize);
    check_length(invoke, additional_bytes, old_length, length)?;
    let slot = invoke.clock()?.slot;
    let State::ProgramData { slot: deployed, upgrade_authority_address } = invoke.state(0)? else {
        return Ok(invoke.refuse("ProgramData state is invalid", InstructionError::InvalidAccountData)?);
    };
    if deployed == slot {
        let error = InstructionError::InvalidArgument;
        return Ok(invoke.refuse("Program was extended in this block already", error)?);
    }
    if upgrade_authority_address.is_none() {
        let why = "Cannot extend ProgramData accounts that are not upgradeable";
        return Ok(invoke.refuse(why, InstructionError::Immutable)?);
    }
    let rent = invoke.accounts.sysvars.rent.clone().ok_or(InstructionError::UnsupportedSysvar)?;
    let payment = minimum_balance(&rent, length).max(1).saturating_sub(balance);
    if payment > 0 {
        let payer = invoke.key(3)?;
        invoke.call_builtin(transfer(&payer, &data_address, payment), &[])?;
    }
    let mut data = invoke.context.borrow(0)?;
    data.set_data_length(length)?;
    let file = data.data().get(DATA_OFFSET..).ok_or(InstructionError::AccountDataTooSmall)?.to_vec();
    invoke.verify_deployment(program, &file, false)?;
    invoke.set_state(0, &State::ProgramData { slot, upgrade_authority_address })?;
    invoke.remark(format_args!("Extended ProgramData account by {additional_bytes} bytes"));
    Ok(())
}

fn check_accounts<E: HeadsBoundary>(invoke: &mut InvokeContext<'_, E>, additional_bytes: u32) -> Result {
    if additional_bytes == 0 {
        let error = InstructionError::InvalidInstructionData;
        return invoke.refuse("Additional bytes must be greater than 0", error);
    }
    let loader = *invoke.context.program()?;
    let data = invoke.context.borrow(0)?;
    let (data_address, owner, writable) = (*data.key(), *data.owner(), data.is_writable());
    if owner != loader {
        return invoke.refuse("ProgramData owner is invalid", InstructionError::InvalidAccountOwner);
    }
    if !writable {
        return invoke.refuse("ProgramData is not writable", InstructionError::InvalidArgument);
    }
    invoke.borrow_apart(&[0, 1])?;
    let program = invoke.context.borrow(1)?;
    let (owner, writable) = (*program.owner(), program.is_writable());
    if !writable {
        return invoke.refuse("Program account is not writable", InstructionError::InvalidArgument);
    }
    if owner != loader {
        let error = InstructionError::InvalidAccountOwner;
        return invoke.refuse("Program account not owned by loader", error);
    }
    match invoke.state(1)? {
        State::Program { programdata_address } if programdata_address == data_address => Ok(()),
        State::Program { .. } => {
            let error = InstructionError::InvalidArgument;
            invoke.refuse("Program account does not match ProgramData account", error)
        }
        _ => invoke.refuse("Invalid Program account", InstructionError::InvalidAccountData),
    }
}

fn check_length<E: HeadsBoundary>(
    invoke: &mut InvokeContext<'_, E>,
    additional_bytes: u32,
    old_length: usize,
    length: usize,
) -> Result {
    if length as u64 > MAX_PERMITTED_DATA_LENGTH {
        let why = format!(
            "Extended ProgramData length of {length} bytes exceeds max account data length of \
             {MAX_PERMITTED_DATA_LENGTH} bytes"
        );
        return invoke.refuse(why, InstructionError::InvalidRealloc);
    }
    let room = MAX_PERMITTED_DATA_LENGTH.saturating_sub(old_length as u64);
    if invoke.features.is_active(&loader_v3_minimum_extend_program_size::ID)
        && additional_bytes < MINIMUM_EXTEND_PROGRAM_BYTES
        && u64::from(additional_bytes) != room
    {
        let why = format!(
            "ExtendProgram requires a minimum of {MINIMUM_EXTEND_PROGRAM_BYTES} additional bytes or to extend \
             to maximum size, but only {additional_bytes} were requested"
        );
        return invoke.refuse(why, InstructionError::InvalidArgument);
    }
    Ok(())
}
