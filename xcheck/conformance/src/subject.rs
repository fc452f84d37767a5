//! The same syscall on the weights.

use crate::call::{Call, Effects, PROGRAM_ID};
use std::collections::BTreeMap;
use svmllm::{
    deltanet::HeadsBoundary,
    host::{
        Ended, Environment, HEAP_ADDRESS, Machine, Mode, Program, STACK_ADDRESS, Setup, Version, symbol_key,
        syscall_names::ALL_SYSCALLS,
    },
    tables::alphabet::Region,
};
use svmllm_replay::firedancer::error_number;

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
            Some(Ended::Error(error)) => Err(error_number(&error)),
            Some(other) => anyhow::bail!("a call ended with {other:?}"),
        },
        units: machine.remaining()?,
        heap: machine.bytes(Region::Heap)?,
        stack: machine.bytes(Region::Stack)?,
        input: machine.bytes(Region::Input)?,
    })
}
