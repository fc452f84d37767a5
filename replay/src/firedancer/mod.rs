//! Firedancer's fixtures: protocol buffers by the schema of the crate `protosol`.
//!
//! The entry point in a fixture's metadata says which of the three layouts it has:
//!
//! | entry point begins with | layout |
//! | --- | --- |
//! | `sol_compat_instr_execute` | [`instr`]: one instruction |
//! | `sol_compat_vm_syscall_execute` | [`syscall`]: one syscall |
//! | `sol_compat_vm_interp` | [`vm_interp`]: a program from its instruction slots |

mod errors;
pub mod instr;
pub mod syscall;
pub mod vm_interp;

use prost::Message;
use protosol::protos::{AcctState, FixtureMetadata, InstrContext};
use solana_account::Account;
use solana_address::Address;
use solana_instruction::{AccountMeta, Instruction};

pub use errors::error_number;

use crate::{ReplayError, Replayed, Replayer, address};

/// Entry points whose fixtures are replayed.
pub mod entry_points {
    /// Of one instruction.
    pub const INSTR: &str = "sol_compat_instr_execute_v1";
    /// Of one syscall.
    pub const SYSCALL: &str = "sol_compat_vm_syscall_execute_v1";
    /// Of a program.
    pub const VM_INTERP: &str = "sol_compat_vm_interp_v1";
}

/// What all fixtures begin with.
#[derive(Clone, PartialEq, Message)]
struct Head {
    #[prost(message, optional, tag = "1")]
    metadata: Option<FixtureMetadata>,
}

/// Replays a fixture; `None` if it is none of Firedancer's.
pub(crate) fn replay(replayer: &Replayer, file: &[u8]) -> Option<Result<Replayed, ReplayError>> {
    let entry_point = Head::decode(file).ok()?.metadata?.fn_entrypoint;
    let begins = |known: &str| entry_point.starts_with(known.trim_end_matches("_v1"));
    Some(if begins(entry_points::INSTR) {
        instr::replay(replayer, file)
    } else if begins(entry_points::SYSCALL) {
        syscall::replay(replayer, file)
    } else if begins(entry_points::VM_INTERP) {
        vm_interp::replay(replayer, file)
    } else if entry_point.starts_with("sol_compat_") {
        Err(ReplayError::Unsupported(format!("the entry point {entry_point}")))
    } else {
        return None;
    })
}

/// An account of a fixture; none is asked for rent.
fn read_account(state: AcctState) -> Result<(Address, Account), ReplayError> {
    let AcctState { address: key, lamports, data, executable, owner } = state;
    let owner = address("an account's owner", &owner)?;
    Ok((address("an account", &key)?, Account { lamports, data, owner, executable, rent_epoch: u64::MAX }))
}

/// The accounts and the instruction of a context.
fn read_context(context: &InstrContext) -> Result<(Vec<(Address, Account)>, Instruction), ReplayError> {
    let accounts: Vec<_> =
        context.accounts.iter().cloned().map(read_account).collect::<Result<_, ReplayError>>()?;
    let mut metas = Vec::new();
    for account in &context.instr_accounts {
        let (pubkey, _) = (accounts.get(account.index as usize))
            .ok_or_else(|| ReplayError::invalid("an instruction account", "there is none of its number"))?;
        metas.push(AccountMeta {
            pubkey: *pubkey,
            is_signer: account.is_signer,
            is_writable: account.is_writable,
        });
    }
    let program_id = address("the program", &context.program_id)?;
    Ok((accounts, Instruction { program_id, accounts: metas, data: context.data.clone() }))
}

/// Active features of a context.
fn features(context: &InstrContext) -> agave_feature_set::FeatureSet {
    let prefixes = context.features.as_ref().map(|features| features.features.as_slice());
    crate::feature_set(prefixes.unwrap_or_default())
}
