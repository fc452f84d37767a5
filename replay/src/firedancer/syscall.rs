//! One syscall, made by a program of one instruction.

use std::collections::BTreeMap;

use prost::Message;
use protosol::protos::{
    InputDataRegion, InstrContext, SyscallContext, SyscallEffects, SyscallFixture, VmContext,
};
use solana_account::Account;
use solana_address::Address;
use solana_sdk_ids::{bpf_loader_deprecated, sysvar};
use svmllm::{
    host::{
        Ended, Environment, HEAP_ADDRESS, Machine, Mode, Program, ReturnData, STACK_ADDRESS, Setup, Sysvars,
        Version, symbol_key, syscall_names::ALL_SYSCALLS,
    },
    tables::alphabet::Region,
};

use super::{error_number, features, read_context};
use crate::{Layout, ReplayError, Replayed, Replayer, address, compare, compare_bytes};

/// Bytes of a stack frame; in version 0 as many are a gap after it.
const FRAME: usize = 4096;

/// Replays a fixture.
pub(super) fn replay(replayer: &Replayer, file: &[u8]) -> Result<Replayed, ReplayError> {
    let fixture = SyscallFixture::decode(file).map_err(ReplayError::Unknown)?;
    let input = fixture.input.ok_or(ReplayError::Missing("input"))?;
    let surroundings = Surroundings::read(replayer, &input)?;
    let Surroundings { vm, context, .. } = &surroundings;
    let name = &input.syscall_invocation.as_ref().ok_or(ReplayError::Missing("syscall"))?.function_name;
    let known = ALL_SYSCALLS.iter().find(|known| known.as_bytes() == name);
    let name = known.ok_or_else(|| {
        ReplayError::Unsupported(format!("the syscall {:?}", String::from_utf8_lossy(name)))
    })?;
    let mut text = vec![0x85, 0, 0, 0];
    text.extend(symbol_key(name.as_bytes()).to_le_bytes());
    text.extend([0x95, 0, 0, 0, 0, 0, 0, 0]);
    let mut program = Program::from_text(Version::V0, text, 0, BTreeMap::new());
    program.image = vm.rodata.clone();
    // One unit pays for the instruction that calls.
    let budget = context.cu_avail.saturating_add(1);
    let registers = (1..).zip([vm.r1, vm.r2, vm.r3, vm.r4, vm.r5]).collect();
    let mut machine = surroundings.machine(replayer, &program, registers, budget)?;
    let Ok(ended) = machine.step();
    let status = match ended.cloned() {
        None => {
            let Ok(r0) = machine.register(0);
            Ok(r0)
        }
        Some(Ended::Error(error)) => Err(error),
        Some(Ended::Invoke(_)) => return Err(ReplayError::Unsupported("a call of a program".into())),
        Some(Ended::Exit(r0)) => Ok(r0),
    };
    let result = status.as_ref().map_or_else(ToString::to_string, |r0| format!("ok, r0 {r0:#x}"));
    let (error, r0) = match &status {
        Ok(r0) => ((0, 0), *r0),
        Err(error) => (error_number(error), 0),
    };
    let Ok(remaining) = machine.remaining();
    let Ok(logs) = machine.take_logs();
    let mut differences = Vec::new();
    if let Some(output) = &fixture.output {
        compare(&mut differences, "error", &(output.error_kind, output.error), &error);
        compare(&mut differences, "r0", &output.r0, &r0);
        compare(&mut differences, "compute units left", &output.cu_avail, &remaining);
        compare_memory(&mut differences, output, &machine);
    }
    Ok(Replayed {
        layout: Layout::Syscall,
        result,
        units: context.cu_avail.saturating_sub(remaining),
        logs,
        changed: Vec::new(),
        differences: fixture.output.map(|_| differences),
    })
}

/// Compares the heap, the stack and the input.
pub(super) fn compare_memory(
    differences: &mut Vec<String>,
    output: &SyscallEffects,
    machine: &Machine<'_, svmllm::tables::Indexed>,
) {
    let regions = [("heap", &output.heap, Region::Heap), ("stack", &output.stack, Region::Stack)];
    for (name, recorded, region) in regions {
        let Ok(got) = machine.bytes(region);
        compare_bytes(differences, name, recorded, &got);
    }
    let Ok(got) = machine.bytes(Region::Input);
    for InputDataRegion { offset, content, .. } in &output.input_data_regions {
        let start = usize::try_from(*offset).unwrap_or(usize::MAX);
        let got = got.get(start..).unwrap_or_default();
        compare_bytes(
            differences,
            &format!("input at {offset}"),
            content,
            &got[..content.len().min(got.len())],
        );
    }
}

/// What a program or a syscall runs in.
pub(super) struct Surroundings {
    /// Registers, memory and version.
    pub vm: VmContext,
    /// The instruction.
    pub context: InstrContext,
    input: Vec<u8>,
    heap: Vec<u8>,
    stack: Vec<u8>,
    environment: Environment,
}

impl Surroundings {
    /// Reads them.
    pub fn read(replayer: &Replayer, input: &SyscallContext) -> Result<Self, ReplayError> {
        let vm = input.vm_ctx.clone().ok_or(ReplayError::Missing("vm context"))?;
        let context = input.instr_ctx.clone().ok_or(ReplayError::Missing("instruction context"))?;
        let invocation = input.syscall_invocation.clone().unwrap_or_default();
        let (accounts, instruction) = read_context(&context)?;
        let program = accounts.iter().find(|(known, _)| *known == instruction.program_id);
        let aligned = program.is_none_or(|(_, account)| account.owner != bpf_loader_deprecated::ID);
        let store = replayer.store(features(&context), &accounts);
        let input = store
            .instruction_input(&instruction, &accounts, aligned)
            .map_err(|error| ReplayError::invalid("the instruction", error))?;
        let return_data = match &vm.return_data {
            None => ReturnData::default(),
            Some(kept) => ReturnData {
                program_id: address("the program of the return data", &kept.program_id)?.to_bytes(),
                data: kept.data.clone(),
            },
        };
        let environment = Environment {
            program_id: instruction.program_id.to_bytes(),
            aligned,
            syscalls: store.syscalls(),
            sysvars: sysvars(&accounts).into(),
            return_data,
            ..Environment::default()
        };
        let heap = invocation.heap_prefix;
        Ok(Self { vm, context, input, heap, stack: invocation.stack_prefix, environment })
    }

    /// A machine in these surroundings.
    pub fn machine<'e>(
        &self,
        replayer: &'e Replayer,
        program: &Program,
        registers: Vec<(u8, u64)>,
        budget: u64,
    ) -> Result<Machine<'e, svmllm::tables::Indexed>, ReplayError> {
        let heap_length = usize::try_from(self.vm.heap_max).unwrap_or(usize::MAX);
        let mut memory = Vec::new();
        let heap = &self.heap[..self.heap.len().min(heap_length)];
        if !heap.is_empty() {
            memory.push((HEAP_ADDRESS, heap.to_vec()));
        }
        let gap = if program.version == Version::V0 { 2 } else { 1 };
        for (frame, bytes) in self.stack.chunks(FRAME).enumerate() {
            memory.push((STACK_ADDRESS + (gap * frame * FRAME) as u64, bytes.to_vec()));
        }
        let setup = Setup { input: self.input.clone(), heap: heap_length, budget, registers, memory };
        Machine::new(&*replayer.network, program, &setup, &self.environment, Mode::Lazy)
            .map_err(|error| ReplayError::invalid("the machine's state", error))
    }
}

/// The sysvars among accounts.
fn sysvars(accounts: &[(Address, Account)]) -> Sysvars {
    let get = |address: Address| {
        let account = accounts.iter().find(|(known, _)| *known == address);
        account.filter(|(_, account)| account.lamports > 0).map(|(_, account)| account.data.clone())
    };
    Sysvars {
        clock: get(sysvar::clock::ID),
        epoch_schedule: get(sysvar::epoch_schedule::ID),
        epoch_rewards: get(sysvar::epoch_rewards::ID),
        rent: get(sysvar::rent::ID),
        last_restart_slot: get(sysvar::last_restart_slot::ID),
        fees: get(sysvar::fees::ID),
        slot_hashes: get(sysvar::slot_hashes::ID),
        stake_history: get(sysvar::stake_history::ID),
    }
}
