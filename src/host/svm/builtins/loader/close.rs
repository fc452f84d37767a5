//! Accounts of the loader are given up.

use solana_address::Address;
use solana_instruction_error::InstructionError;
use solana_loader_v3_interface::state::UpgradeableLoaderState as State;

use super::{super::super::invoke::InvokeContext, Result};
use crate::deltanet::HeadsBoundary;

/// Accounts: what is closed, who gets its balance, the authority, and the program if its data are closed.
pub(super) fn close<E: HeadsBoundary>(invoke: &mut InvokeContext<'_, E>) -> Result {
    invoke.need_accounts(2)?;
    let accounts = &invoke.context.current()?.accounts;
    if accounts[0].index == accounts[1].index {
        let error = InstructionError::InvalidArgument;
        return invoke.refuse("Recipient is the same as the account being closed", error);
    }
    let closed = invoke.key(0)?;
    let state = invoke.state(0)?;
    invoke.context.borrow(0)?.set_data_length(State::size_of_uninitialized())?;
    match state {
        State::Uninitialized => {
            hand_over(invoke)?;
            invoke.remark(format_args!("Closed Uninitialized {closed}"));
        }
        State::Buffer { authority_address } => {
            invoke.need_accounts(3)?;
            close_owned(invoke, authority_address)?;
            invoke.remark(format_args!("Closed Buffer {closed}"));
        }
        State::ProgramData { slot, upgrade_authority_address } => {
            invoke.need_accounts(4)?;
            let program = check_program(invoke, slot, &closed)?;
            close_owned(invoke, upgrade_authority_address)?;
            invoke.clock()?;
            invoke.withheld.insert(program);
            invoke.remark(format_args!("Closed Program {program}"));
        }
        State::Program { .. } => {
            let error = InstructionError::InvalidArgument;
            return invoke.refuse("Account does not support closing", error);
        }
    }
    Ok(())
}

/// Checks that account 3 is the program whose data, deployed in `slot`, are closed.
fn check_program<E: HeadsBoundary>(
    invoke: &mut InvokeContext<'_, E>,
    slot: u64,
    closed: &Address,
) -> Result<Address> {
    let loader = *invoke.context.program()?;
    let account = invoke.context.borrow(3)?;
    let (program, writable, owner) = (*account.key(), account.is_writable(), *account.owner());
    if !writable {
        return invoke.refuse("Program account is not writable", InstructionError::InvalidArgument);
    }
    if owner != loader {
        return invoke.refuse("Program account not owned by loader", InstructionError::IncorrectProgramId);
    }
    if invoke.clock()?.slot == slot {
        let error = InstructionError::InvalidArgument;
        return invoke.refuse("Program was deployed in this block already", error);
    }
    match invoke.state(3)? {
        State::Program { programdata_address } if programdata_address == *closed => Ok(program),
        State::Program { .. } => {
            let error = InstructionError::InvalidArgument;
            invoke.refuse("ProgramData account does not match ProgramData account", error)
        }
        _ => invoke.refuse("Invalid Program account", InstructionError::InvalidArgument),
    }
}

/// Gives the balance of account 0 to account 1.
fn hand_over<E: HeadsBoundary>(invoke: &mut InvokeContext<'_, E>) -> Result {
    let balance = invoke.context.borrow(0)?.lamports();
    invoke.context.borrow(1)?.add_lamports(balance)?;
    invoke.context.borrow(0)?.set_lamports(0)
}

/// Closes account 0 in the name of its authority, account 2.
fn close_owned<E: HeadsBoundary>(invoke: &mut InvokeContext<'_, E>, authority: Option<Address>) -> Result {
    let remarks = ["Account is immutable", "Incorrect authority provided", "Authority did not sign"];
    invoke.check_authority(authority, 2, remarks)?;
    hand_over(invoke)?;
    invoke.set_state(0, &State::Uninitialized)
}
