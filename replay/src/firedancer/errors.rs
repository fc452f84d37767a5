//! Numbers that stand for errors.

use solana_instruction_error::InstructionError;
use svmllm::host::{EbpfError, RunError, SyscallError};

/// Errors of the machine.
const EBPF: i32 = 1;
/// Errors of syscalls.
const SYSCALL: i32 = 2;
/// Errors of instructions.
const INSTRUCTION: i32 = 3;

/// One more than the variant's place in Agave's enumeration.
pub(super) fn instruction_error_number(error: &InstructionError) -> i32 {
    let bytes = bincode::serialize(error).unwrap_or_default();
    bytes.first_chunk().map_or(0, |bytes| i32::from_le_bytes(*bytes)).saturating_add(1)
}

/// One more than the variant's place in solana-sbpf's enumeration.
fn ebpf_error_number(error: &EbpfError) -> i64 {
    match error {
        EbpfError::CallDepthExceeded => 3,
        EbpfError::DivideByZero => 5,
        EbpfError::DivideOverflow => 6,
        EbpfError::ExecutionOverrun => 7,
        EbpfError::CallOutsideTextSegment => 8,
        EbpfError::ExceededMaxInstructions => 9,
        EbpfError::AccessViolation(..) => 12,
        EbpfError::StackAccessViolation(..) => 13,
        EbpfError::UnsupportedInstruction => 15,
    }
}

/// The kind and number of an error, as fixtures have them.
pub fn error_number(error: &RunError) -> (i32, i64) {
    match error {
        RunError::Vm(error) | RunError::Syscall(SyscallError::Access(error)) => {
            (EBPF, ebpf_error_number(error))
        }
        RunError::Instruction(error) => (INSTRUCTION, i64::from(instruction_error_number(error))),
        RunError::Syscall(error) => {
            let number = match error {
                SyscallError::Access(error) => return (EBPF, ebpf_error_number(error)),
                SyscallError::InvalidString(..) => 1,
                SyscallError::Abort => 2,
                SyscallError::Panic(..) => 3,
                SyscallError::BadSeeds(_) => 6,
                SyscallError::ProgramNotSupported(_) => 7,
                SyscallError::UnalignedPointer => 8,
                SyscallError::TooManySigners => 9,
                SyscallError::CopyOverlapping => 12,
                SyscallError::ReturnDataTooLarge(..) => 13,
                SyscallError::TooManySlices => 14,
                SyscallError::InvalidLength => 15,
                SyscallError::MaxInstructionDataLenExceeded { .. } => 16,
                SyscallError::MaxInstructionAccountsExceeded { .. } => 17,
                SyscallError::MaxInstructionAccountInfosExceeded { .. } => 18,
                SyscallError::InvalidAttribute => 19,
                SyscallError::InvalidPointer => 20,
                // There is no number for these.
                SyscallError::Poseidon(_) => -1,
            };
            (SYSCALL, number)
        }
    }
}
