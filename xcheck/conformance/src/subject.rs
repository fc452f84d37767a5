//! The same syscall on the weights.

use crate::call::{Call, Effects, PROGRAM_ID};
use std::collections::BTreeMap;
use svmllm::{
    deltanet::HeadsBoundary,
    host::{
        EbpfError, Ended, Environment, HEAP_ADDRESS, Machine, Mode, Program, RunError, STACK_ADDRESS, Setup,
        SyscallError, Version, symbol_key, syscall_names::ALL_SYSCALLS,
    },
    tables::alphabet::Region,
};

/// Bytes of a stack frame; as many are a gap after it.
const FRAME: usize = 4096;

/// Runs a syscall: a program of one call makes it.
///
/// # Errors
/// The run cannot be set up, or ends in a way that is none of the reference's.
pub fn run<E: HeadsBoundary>(evaluator: &E, call: &Call) -> anyhow::Result<Effects>
where
    E::Error: Send + Sync,
{
    let mut text = vec![0x85, 0, 0, 0];
    text.extend(symbol_key(call.name.as_bytes()).to_le_bytes());
    text.extend([0x95, 0, 0, 0, 0, 0, 0, 0]);
    let mut program = Program::from_text(Version::V0, text, 0, BTreeMap::new());
    program.image = call.rodata.clone();
    let mut memory = vec![(HEAP_ADDRESS, call.heap[..call.heap.len().min(call.heap_length)].to_vec())];
    for (frame, bytes) in call.stack.chunks(FRAME).enumerate() {
        memory.push((STACK_ADDRESS + 2 * (frame * FRAME) as u64, bytes.to_vec()));
    }
    let setup = Setup {
        input: call.input(),
        heap: call.heap_length,
        // One unit pays for the instruction that calls.
        budget: call.units + 1,
        registers: (1..).zip(call.arguments).collect(),
        memory,
    };
    let environment = Environment {
        program_id: PROGRAM_ID,
        aligned: !call.first_loader,
        syscalls: ALL_SYSCALLS.into(),
        sysvars: call.sysvars.clone().into(),
        return_data: call.return_data.clone().unwrap_or_default(),
        ..Environment::default()
    };
    let mut machine = Machine::new(evaluator, &program, &setup, &environment, Mode::Lazy)?;
    let ended = machine.step()?.cloned();
    Ok(Effects {
        result: match ended {
            None => Ok(machine.register(0)?),
            Some(Ended::Error(error)) => Err(code(&error)?),
            Some(other) => anyhow::bail!("a call ended with {other:?}"),
        },
        units: machine.remaining()?,
        heap: machine.bytes(Region::Heap)?,
        stack: machine.bytes(Region::Stack)?,
        input: machine.bytes(Region::Input)?,
    })
}

/// The family and number by which the reference's harness reports an error: one more than the variant's
/// place in its enumeration.
fn code(error: &RunError) -> anyhow::Result<(i32, i64)> {
    Ok(match error {
        RunError::Syscall(SyscallError::Access(EbpfError::AccessViolation(..))) => (1, 12),
        RunError::Syscall(SyscallError::Access(EbpfError::StackAccessViolation(..))) => (1, 13),
        RunError::Vm(EbpfError::UnsupportedInstruction) => (1, 15),
        RunError::Vm(other) => anyhow::bail!("no syscall fails with {other}"),
        RunError::Instruction(error) => {
            let serialized = bincode::serialize(error)?;
            (3, i64::from(serialized[0]) + 1)
        }
        RunError::Syscall(error) => (
            2,
            match error {
                SyscallError::Access(other) => anyhow::bail!("no access fails with {other}"),
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
                // The harness has no number for these.
                SyscallError::Poseidon(_) => -1,
            },
        ),
    })
}
