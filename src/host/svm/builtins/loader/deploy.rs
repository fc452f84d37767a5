//! A buffer becomes a program.

use solana_address::Address;
use solana_instruction::AccountMeta;
use solana_instruction_error::InstructionError;
use solana_loader_v3_interface::state::UpgradeableLoaderState as State;
use solana_system_interface::{MAX_PERMITTED_DATA_LENGTH, instruction::create_account};

use super::super::{
    super::{cpi::Abort, invoke::InvokeContext},
    nonce::minimum_balance,
};
use crate::deltanet::HeadsBoundary;

/// Accounts: payer, program data, program, buffer, rent, clock, system program, authority.
pub(super) fn deploy<E: HeadsBoundary>(
    invoke: &mut InvokeContext<'_, E>,
    max_data_len: u64,
) -> Result<(), Abort<E::Error>> {
    invoke.need_accounts(4)?;
    let (payer, data_address) = (invoke.key(0)?, invoke.key(1)?);
    let rent = invoke.rent(4)?;
    let slot = invoke.clock_at(5)?.slot;
    invoke.need_accounts(8)?;
    let authority = invoke.key(7)?;
    if invoke.state(2)? != State::Uninitialized {
        let error = InstructionError::AccountAlreadyInitialized;
        return Ok(invoke.refuse("Program account already initialized", error)?);
    }
    let account = invoke.context.borrow(2)?;
    let (length, lamports, program) = (account.data().len(), account.lamports(), *account.key());
    if length < State::size_of_program() {
        let error = InstructionError::AccountDataTooSmall;
        return Ok(invoke.refuse("Program account too small", error)?);
    }
    if lamports < minimum_balance(&rent, length) {
        let error = InstructionError::ExecutableAccountNotRentExempt;
        return Ok(invoke.refuse("Program account not rent-exempt", error)?);
    }
    let file_length = invoke.check_buffer(3, 7)?;
    let buffer = invoke.key(3)?;
    let max_data_len = usize::try_from(max_data_len).unwrap_or(usize::MAX);
    let data_length = State::size_of_programdata(max_data_len);
    if max_data_len < file_length {
        let error = InstructionError::AccountDataTooSmall;
        return Ok(invoke.refuse("Max data length is too small to hold Buffer data", error)?);
    }
    if data_length as u64 > MAX_PERMITTED_DATA_LENGTH {
        return Ok(invoke.refuse("Max data length is too large", InstructionError::InvalidArgument)?);
    }
    let loader = *invoke.context.program()?;
    let (derived, _) = Address::find_program_address(&[program.as_ref()], &loader);
    if derived != data_address {
        return Ok(invoke.refuse("ProgramData address is not derived", InstructionError::InvalidArgument)?);
    }
    // The buffer's balance helps to pay for the program's data.
    invoke.borrow_apart(&[3, 0])?;
    let balance = invoke.context.borrow(3)?.lamports();
    invoke.context.borrow(0)?.add_lamports(balance)?;
    invoke.context.borrow(3)?.set_lamports(0)?;
    let lamports = minimum_balance(&rent, data_length).max(1);
    let mut create = create_account(&payer, &data_address, lamports, data_length as u64, &loader);
    // Named only so that its balance counts.
    create.accounts.push(AccountMeta::new(buffer, false));
    invoke.call_builtin(create, &[derived])?;
    let file = invoke.file_in_buffer(3)?;
    let only_new_versions = invoke.only_new_versions();
    invoke.verify_deployment(program, &file, only_new_versions)?;
    invoke.set_state(1, &State::ProgramData { slot, upgrade_authority_address: Some(authority) })?;
    invoke.move_file(3, 1)?;
    invoke.context.borrow(3)?.set_data_length(State::size_of_buffer(0))?;
    invoke.set_state(2, &State::Program { programdata_address: data_address })?;
    invoke.context.borrow(2)?.set_executable(&rent)?;
    invoke.remark(format_args!("Deployed program {program:?}"));
    Ok(())
}
