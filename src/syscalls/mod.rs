//! Syscalls: micro-programs of circuits in the reference's order (charge, translate, compute, write).
//!
//! Host code sequences them and sees only observations. A family is a file; what it shares with the
//! others is [`Call`].

mod address;
mod alt_bn128;
mod big_mod_exp;
mod bls12_381;
mod call;
mod context;
mod curve25519;
pub mod curves;
mod encoded;
mod hash;
pub mod hashes;
mod log;
mod memory;
mod memory_operations;
mod poseidon;
mod return_data;
mod secp256k1;
mod sysvar;
mod text;

pub use address::{Sealed, seal};
pub use call::{Abort, Call, Failure, Returns};
pub use context::{Blob, Context, ReturnData, Sibling, Sysvar, SysvarIndex};
pub use memory::{Place, Slice};
pub use return_data::MAX_RETURN_DATA;
pub use text::{Line, Piece};

use crate::{
    machine::{Image, Lazy, State},
    tables::{
        Site, Word,
        alphabet::{Bit, Nibble, Syscall},
        catalogue::SYSCALL,
    },
};
use hashes::{Blake3, Keccak256, Sha256, Sha512};
use memory::Align;

/// What a syscall comes to.
pub enum Called<S: Lazy> {
    /// It returned; its result is in r0.
    Returned,
    /// It ends the program.
    Aborted(Abort<S>),
    /// It calls another program, which is the host's to run.
    Invoke(Syscall),
}

/// Runs the syscall with a number.
///
/// # Errors
/// An observed activation is not one-hot.
pub fn call<S: Lazy>(
    e: &S,
    image: &Image<S>,
    state: &mut State<S>,
    context: &mut Context<S>,
    number: &Word<S>,
) -> Result<Called<S>, S::Error> {
    let which = e.apply2(SYSCALL, &e.lane(number, 0), &e.lane(number, 1));
    let which = e.observe_gate(&which, Site::Syscall)?;
    let mut call = Call::new(e, image, state, context);
    let result = match which {
        Syscall::Abort => call.abort(),
        Syscall::Panic => call.panic(),
        Syscall::Log => call.log(),
        Syscall::Log64 => call.log_64(),
        Syscall::LogPubkey => call.log_pubkey(),
        Syscall::LogComputeUnits => call.log_compute_units(),
        Syscall::LogData => call.log_data(),
        Syscall::Sha256 => call.hash::<Sha256<S>>("Sha256"),
        Syscall::Keccak256 => call.hash::<Keccak256<S>>("Keccak256"),
        Syscall::Blake3 => call.hash::<Blake3<S>>("Blake3"),
        Syscall::Sha512 => call.hash::<Sha512<S>>("Sha512"),
        Syscall::CreateProgramAddress => call.create_program_address(),
        Syscall::TryFindProgramAddress => call.try_find_program_address(),
        Syscall::Secp256k1Recover => call.secp256k1_recover(),
        Syscall::CurveValidatePoint => call.curve_validate_point(),
        Syscall::CurveGroupOp => call.curve_group_op(),
        Syscall::CurveMultiscalarMul => call.curve_multiscalar_mul(),
        Syscall::CurveDecompress => call.curve_decompress(),
        Syscall::CurvePairingMap => call.curve_pairing_map(),
        Syscall::AltBn128GroupOp => call.alt_bn128_group_op(),
        Syscall::AltBn128Compression => call.alt_bn128_compression(),
        Syscall::Poseidon => call.poseidon(),
        Syscall::BigModExp => call.big_mod_exp(),
        Syscall::Memcpy => call.memcpy(),
        Syscall::Memmove => call.memmove(),
        Syscall::Memset => call.memset(),
        Syscall::Memcmp => call.memcmp(),
        Syscall::GetClockSysvar => call.get(SysvarIndex::Clock, &e.literal::<40>(), Align::Eight),
        Syscall::GetEpochScheduleSysvar => {
            call.get(SysvarIndex::EpochSchedule, &e.literal::<40>(), Align::Eight)
        }
        Syscall::GetFeesSysvar => call.get(SysvarIndex::Fees, &e.literal::<8>(), Align::Eight),
        Syscall::GetRentSysvar => call.get(SysvarIndex::Rent, &e.literal::<24>(), Align::Eight),
        Syscall::GetLastRestartSlot => {
            call.get(SysvarIndex::LastRestartSlot, &e.literal::<8>(), Align::Eight)
        }
        Syscall::GetEpochRewardsSysvar => {
            call.get(SysvarIndex::EpochRewards, &e.literal::<96>(), Align::Sixteen)
        }
        Syscall::GetSysvar => call.get_sysvar(),
        Syscall::GetEpochStake => call.get_epoch_stake(),
        Syscall::GetStackHeight => call.get_stack_height(),
        Syscall::RemainingComputeUnits => call.remaining_compute_units(),
        Syscall::AllocFree => call.alloc_free(),
        Syscall::SetReturnData => call.set_return_data(),
        Syscall::GetReturnData => call.get_return_data(),
        Syscall::GetProcessedSiblingInstruction => call.get_processed_sibling_instruction(),
        Syscall::InvokeSignedC | Syscall::InvokeSignedRust => return Ok(Called::Invoke(which)),
    };
    match result {
        Ok(value) => {
            e.bank_write(&mut state.registers, &e.digit::<Nibble, 0>(), &e.digit::<Bit, 1>(), &value);
            Ok(Called::Returned)
        }
        Err(Failure::Abort(abort)) => Ok(Called::Aborted(abort)),
        Err(Failure::Observation(error)) => Err(error),
    }
}
