//! A program from its instruction slots.
//!
//! The read-only data are the slots, and also the whole program region. `call_whitelist` is a set of slots, one
//! bit each, the first in the lowest bit of the first byte: where functions begin. Registers at the end, heap,
//! stack, input, compute units and the error are compared; the program counter and the number of frames are not.

use std::collections::BTreeMap;

use prost::Message;
use protosol::protos::{SyscallEffects, SyscallFixture, VmContext};
use svmllm::host::{Ended, Program, Version, pc_key, verify};

use super::{
    error_number,
    syscall::{Surroundings, compare_memory},
};
use crate::{Layout, ReplayError, Replayed, Replayer, compare};

/// The error that stands for a program that does not verify.
const REFUSED: i64 = -2;

/// Replays a fixture.
pub(super) fn replay(replayer: &Replayer, file: &[u8]) -> Result<Replayed, ReplayError> {
    let fixture = SyscallFixture::decode(file).map_err(ReplayError::Unknown)?;
    let input = fixture.input.ok_or(ReplayError::Missing("input"))?;
    let surroundings = Surroundings::read(replayer, &input)?;
    let Surroundings { vm, context, .. } = &surroundings;
    let program = program(vm)?;
    if let Err(error) = verify(&program.text, program.version) {
        let mut differences = Vec::new();
        if let Some(output) = &fixture.output {
            compare(&mut differences, "error", &output.error, &REFUSED);
        }
        return Ok(Replayed {
            layout: Layout::VmInterp,
            result: format!("refused: {error}"),
            units: 0,
            logs: Vec::new(),
            changed: Vec::new(),
            differences: fixture.output.map(|_| differences),
        });
    }
    let mut machine = surroundings.machine(replayer, &program, registers(vm), context.cu_avail)?;
    let Ok(ended) = machine.run();
    let status = match ended {
        Ended::Exit(r0) => Ok(r0),
        Ended::Error(error) => Err(error),
        Ended::Invoke(_) => return Err(ReplayError::Unsupported("a call of a program".into())),
    };
    let Ok(remaining) = machine.remaining();
    let Ok(logs) = machine.take_logs();
    let mut differences = Vec::new();
    if let Some(output) = &fixture.output {
        let error = status.as_ref().err().map_or((0, 0), error_number);
        compare(&mut differences, "error", &(output.error_kind, output.error), &error);
        compare(&mut differences, "compute units left", &output.cu_avail, &remaining);
        let Ok(registers) = machine.registers();
        for (number, (recorded, got)) in recorded_registers(output).iter().zip(&registers).enumerate() {
            compare(&mut differences, &format!("r{number}"), recorded, got);
        }
        compare_memory(&mut differences, output, &machine);
    }
    Ok(Replayed {
        layout: Layout::VmInterp,
        result: status.as_ref().map_or_else(ToString::to_string, |r0| format!("ok, r0 {r0:#x}")),
        units: context.cu_avail.saturating_sub(remaining),
        logs,
        changed: Vec::new(),
        differences: fixture.output.map(|_| differences),
    })
}

/// The program of a fixture.
fn program(vm: &VmContext) -> Result<Program, ReplayError> {
    let version = match vm.sbpf_version {
        0 => Version::V0,
        1 => Version::V1,
        2 => Version::V2,
        3 => Version::V3,
        other => return Err(ReplayError::Unsupported(format!("version {other}"))),
    };
    let entry = usize::try_from(vm.entry_pc).unwrap_or(usize::MAX);
    if entry >= vm.rodata.len() / 8 {
        return Err(ReplayError::invalid("the entry", "it is outside of the program"));
    }
    let bits = vm.call_whitelist.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1));
    let functions: BTreeMap<u32, usize> =
        bits.enumerate().filter(|(_, set)| *set).map(|(pc, _)| (pc_key(pc), pc)).collect();
    Ok(Program::from_text(version, vm.rodata.clone(), entry, functions))
}

/// Registers that are not as the machine starts them.
fn registers(vm: &VmContext) -> Vec<(u8, u64)> {
    let all = [vm.r0, vm.r1, vm.r2, vm.r3, vm.r4, vm.r5, vm.r6, vm.r7, vm.r8, vm.r9, vm.r10];
    // A frame pointer of zero stands for the machine's own.
    (0..).zip(all).filter(|(number, value)| *number != 10 || *value != 0).collect()
}

/// Registers 0 to 10 at the end.
fn recorded_registers(output: &SyscallEffects) -> [u64; 11] {
    [
        output.r0, output.r1, output.r2, output.r3, output.r4, output.r5, output.r6, output.r7, output.r8,
        output.r9, output.r10,
    ]
}
