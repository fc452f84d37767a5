//! A program gets the code in a buffer.

use solana_instruction_error::InstructionError;
use solana_loader_v3_interface::state::UpgradeableLoaderState as State;

use super::{
    super::{super::invoke::InvokeContext, nonce::minimum_balance},
    DATA_OFFSET, Result,
};
use crate::deltanet::HeadsBoundary;

/// Accounts: program data, program, buffer, spill, rent, clock, authority.
pub(super) fn upgrade<E: HeadsBoundary>(invoke: &mut InvokeContext<'_, E>) -> Result {
    invoke.need_accounts(3)?;
    let data_address = invoke.key(0)?;
    let rent = invoke.rent(4)?;
    let slot = invoke.clock_at(5)?.slot;
    invoke.need_accounts(7)?;
    let authority = invoke.key(6)?;
    let loader = *invoke.context.program()?;
    let account = invoke.context.borrow(1)?;
    let (program, writable, owner) = (*account.key(), account.is_writable(), *account.owner());
    if !writable {
        return invoke.refuse("Program account not writeable", InstructionError::InvalidArgument);
    }
    if owner != loader {
        return invoke.refuse("Program account not owned by loader", InstructionError::IncorrectProgramId);
    }
    match invoke.state(1)? {
        State::Program { programdata_address } if programdata_address == data_address => {}
        State::Program { .. } => {
            let error = InstructionError::InvalidArgument;
            return invoke.refuse("Program and ProgramData account mismatch", error);
        }
        _ => return invoke.refuse("Invalid Program account", InstructionError::InvalidAccountData),
    }
    let file_length = invoke.check_buffer(2, 6)?;
    let buffer_balance = invoke.context.borrow(2)?.lamports();
    let data = invoke.context.borrow(0)?;
    let (length, balance) = (data.data().len(), data.lamports());
    let required = minimum_balance(&rent, length).max(1);
    if length < State::size_of_programdata(file_length) {
        let error = InstructionError::AccountDataTooSmall;
        return invoke.refuse("ProgramData account not large enough", error);
    }
    if balance.saturating_add(buffer_balance) < required {
        let error = InstructionError::InsufficientFunds;
        return invoke.refuse("Buffer account balance too low to fund upgrade", error);
    }
    let State::ProgramData { slot: deployed, upgrade_authority_address } = invoke.state(0)? else {
        return invoke.refuse("Invalid ProgramData account", InstructionError::InvalidAccountData);
    };
    if deployed == slot {
        let error = InstructionError::InvalidArgument;
        return invoke.refuse("Program was deployed in this block already", error);
    }
    invoke.check_upgrade_authority(upgrade_authority_address, 6)?;
    let file = invoke.file_in_buffer(2)?;
    let only_new_versions = invoke.only_new_versions();
    invoke.verify_deployment(program, &file, only_new_versions)?;
    invoke.set_state(0, &State::ProgramData { slot, upgrade_authority_address: Some(authority) })?;
    invoke.move_file(2, 0)?;
    let mut data = invoke.context.borrow(0)?;
    let rest = data.data_mut()?.get_mut(DATA_OFFSET + file.len()..);
    rest.ok_or(InstructionError::AccountDataTooSmall)?.fill(0);
    // What rent does not need goes to the spill account.
    invoke.borrow_apart(&[0, 2, 3])?;
    let spare = balance.saturating_add(buffer_balance).saturating_sub(required);
    invoke.context.borrow(3)?.add_lamports(spare)?;
    invoke.context.borrow(2)?.set_lamports(0)?;
    invoke.context.borrow(0)?.set_lamports(required)?;
    invoke.context.borrow(2)?.set_data_length(State::size_of_buffer(0))?;
    invoke.remark(format_args!("Upgraded program {program:?}"));
    Ok(())
}
