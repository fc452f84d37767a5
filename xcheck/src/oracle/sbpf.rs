//! solana-sbpf's interpreter, configured as Agave configures it.

use std::{ptr::NonNull, sync::Arc};

use anyhow::{anyhow, bail, ensure};
use solana_sbpf::{
    aligned_memory::AlignedMemory,
    ebpf,
    elf::Executable,
    error::{EbpfError as SbpfError, ProgramResult},
    interpreter::Interpreter,
    memory_region::{AccessType as SbpfAccess, MemoryMapping, MemoryRegion},
    program::{BuiltinProgram, FunctionRegistry, SBPFVersion},
    verifier::RequisiteVerifier,
    vm::{CallFrame, Config, ContextObject, EbpfVm, ExecutionMode},
};
use svmllm::host::{AccessType, EbpfError, Program, Version};

use super::Oracle;
use crate::{
    case::{Case, PROGRAM_ADDRESS, Place},
    outcome::Outcome,
};

/// The version of solana-sbpf this crate is pinned to.
pub const VERSION: &str = "0.21.1";

const ENTRYPOINT: &[u8] = b"entrypoint";

/// What the VM shares with its host: the meter, the memory and the log.
struct Context {
    remaining: u64,
    mapping: MemoryMapping,
    logs: Vec<String>,
}

impl ContextObject for Context {
    fn consume(&mut self, amount: u64) {
        self.remaining = self.remaining.saturating_sub(amount);
    }

    fn get_remaining(&self) -> u64 {
        self.remaining
    }

    fn active_mapping_ptr(&mut self) -> NonNull<MemoryMapping> {
        NonNull::from_mut(&mut self.mapping)
    }
}

/// The key under which version 0 registers an internal function.
pub fn function_key(pc: usize) -> u32 {
    ebpf::hash_symbol_name(&(pc as u64).to_le_bytes())
}

/// The key under which version 0 registers the entry point.
pub fn entrypoint_key() -> u32 {
    ebpf::hash_symbol_name(ENTRYPOINT)
}

/// solana-sbpf's interpreter.
pub struct Sbpf {
    loader: Arc<BuiltinProgram<Context>>,
    memory: Memory,
}

impl Sbpf {
    /// An interpreter without syscalls that records every step.
    pub fn new() -> Self {
        Self::with_config(config(true))
    }

    /// An interpreter for timing: it records nothing.
    pub fn untraced() -> Self {
        Self::with_config(config(false))
    }

    fn with_config(config: Config) -> Self {
        Self { loader: Arc::new(BuiltinProgram::new_loader(config)), memory: Memory::new() }
    }

    /// Runs a case as an embedder would; gives the nanoseconds the run took and the instructions counted.
    ///
    /// Loading and the set-up of memory are left out.
    pub fn time(&mut self, case: &Case) -> anyhow::Result<(u64, u64)> {
        self.timed(case, ExecutionMode::Interpreted)
    }

    /// The same, compiled by the JIT; compiling is not counted.
    ///
    /// # Errors
    /// The case cannot be run, or the JIT does not know this processor.
    pub fn time_compiled(&mut self, case: &Case) -> anyhow::Result<(u64, u64)> {
        self.timed(case, ExecutionMode::Jit)
    }

    fn timed(&mut self, case: &Case, mut mode: ExecutionMode) -> anyhow::Result<(u64, u64)> {
        let ((timing, compiled), ..) = self.with_vm(case, |vm, executable, frames| {
            let compiled = if matches!(mode, ExecutionMode::Jit) { compile(executable) } else { Ok(()) };
            let start = std::time::Instant::now();
            let (instructions, _) = vm.execute_program(executable, &mut mode, frames);
            ((start.elapsed().as_nanos() as u64, instructions), compiled)
        })?;
        compiled.map(|()| timing)
    }

    /// Runs a case with solana-sbpf's own loading of the program's file, without syscalls.
    ///
    /// # Errors
    /// The file cannot be loaded, or the case cannot be run.
    pub fn run_file(&mut self, file: &[u8], case: &Case) -> anyhow::Result<Outcome> {
        let executable = Executable::from_elf(file, self.loader.clone()).map_err(failure)?;
        executable.verify::<RequisiteVerifier>().map_err(failure)?;
        let run = self.with_executable(&executable, case, run_traced)?;
        self.outcome(case, run)
    }

    fn load(&self, program: &Program) -> anyhow::Result<Executable<Context>> {
        let bare = program.image == program.text && program.text_address == PROGRAM_ADDRESS;
        ensure!(bare, "only programs made from bare text can be run");
        let mut functions = FunctionRegistry::default();
        functions.register_function(entrypoint_key(), ENTRYPOINT, program.entry_pc)?;
        for (&key, &pc) in &program.functions {
            functions.register_function(key, Vec::new(), pc)?;
        }
        let version = sbpf_version(program.version);
        let executable = Executable::from_text_bytes(&program.text, self.loader.clone(), version, functions)
            .map_err(failure)?;
        executable.verify::<RequisiteVerifier>().map_err(failure)?;
        Ok(executable)
    }

    /// Sets up memory and VM for a case and runs `body` in it; gives back its result, the compute units
    /// left and the log.
    fn with_vm<T>(
        &mut self,
        case: &Case,
        body: impl FnOnce(&mut EbpfVm<Context>, &Executable<Context>, &mut [CallFrame]) -> T,
    ) -> anyhow::Result<(T, u64, Vec<String>)> {
        let executable = self.load(&case.program)?;
        self.with_executable(&executable, case, body)
    }

    /// The same, with a program of its own instead of the case's.
    fn with_executable<T>(
        &mut self,
        executable: &Executable<Context>,
        case: &Case,
        body: impl FnOnce(&mut EbpfVm<Context>, &Executable<Context>, &mut [CallFrame]) -> T,
    ) -> anyhow::Result<(T, u64, Vec<String>)> {
        self.memory.reset(case)?;
        let mapping = self.memory.map(executable)?;
        let config = executable.get_config();
        let mut context = Context { remaining: case.budget, mapping, logs: Vec::new() };
        let mut frames = vec![CallFrame::default(); config.max_call_depth];
        let version = executable.get_sbpf_version();
        let mut vm = EbpfVm::new(self.loader.clone(), version, &mut context, config.stack_size());
        vm.registers[1] = ebpf::MM_INPUT_START;
        for &(register, value) in &case.registers {
            ensure!(register <= 10, "there is no register r{register}");
            vm.registers[usize::from(register)] = value;
        }
        let result = body(&mut vm, executable, &mut frames);
        drop(vm);
        Ok((result, context.remaining, context.logs))
    }
}

#[cfg(all(not(target_os = "windows"), target_arch = "x86_64"))]
fn compile(executable: &Executable<Context>) -> anyhow::Result<()> {
    executable.jit_compile().map_err(failure)
}

#[cfg(not(all(not(target_os = "windows"), target_arch = "x86_64")))]
fn compile(_: &Executable<Context>) -> anyhow::Result<()> {
    anyhow::bail!("the JIT compiles for x86-64 only")
}

impl Default for Sbpf {
    fn default() -> Self {
        Self::new()
    }
}

impl Oracle for Sbpf {
    fn name(&self) -> &'static str {
        "solana-sbpf"
    }

    fn version(&self) -> &'static str {
        VERSION
    }

    fn run(&mut self, case: &Case) -> anyhow::Result<Outcome> {
        let run = self.with_vm(case, run_traced)?;
        self.outcome(case, run)
    }
}

/// How a run ended, its last registers, and the registers before each step.
type Run = (ProgramResult, [u64; 11], Vec<[u64; 12]>);

impl Sbpf {
    /// What can be seen after a run.
    fn outcome(
        &self,
        case: &Case,
        ((status, registers, trace), remaining, logs): (Run, u64, Vec<String>),
    ) -> anyhow::Result<Outcome> {
        Ok(Outcome {
            status: match status {
                ProgramResult::Ok(r0) => Ok(r0),
                ProgramResult::Err(error) => Err(convert(error)?),
            },
            instructions: case.budget - remaining,
            remaining,
            registers,
            trace,
            stack: used(self.memory.stack.as_slice()),
            heap: used(self.memory.heap.as_slice()),
            input: self.memory.input.as_slice().to_vec(),
            logs,
        })
    }
}

/// Drives the interpreter step by step, because only that way the registers at the end can be seen.
fn run_traced(vm: &mut EbpfVm<Context>, executable: &Executable<Context>, frames: &mut [CallFrame]) -> Run {
    vm.registers[11] = executable.get_entrypoint_instruction_offset() as u64;
    vm.previous_instruction_meter = vm.context().get_remaining();
    vm.due_insn_count = 0;
    let registers = vm.registers;
    let mut interpreter = Interpreter::new(vm, executable, registers, frames);
    // A failing indirect call has already pushed its frame, so the registers are kept from before.
    let mut before = interpreter.reg;
    while interpreter.step() {
        before = interpreter.reg;
    }
    let due = vm.due_insn_count;
    vm.context().consume(due);
    let status = std::mem::replace(&mut vm.program_result, ProgramResult::Ok(0));
    let mut registers = [0; 11];
    registers.copy_from_slice(&before[..11]);
    (status, registers, std::mem::take(&mut vm.register_trace))
}

/// Memory without the zero pages at its end.
fn used(memory: &[u8]) -> Vec<u8> {
    const PAGE: usize = 4096;
    let pages =
        memory.chunks(PAGE).rposition(|page| page != &[0; PAGE][..page.len()]).map_or(0, |last| last + 1);
    memory[..memory.len().min(pages * PAGE)].to_vec()
}

type Region = AlignedMemory<{ ebpf::HOST_ALIGN }>;

/// The memory behind the regions of one run.
struct Memory {
    stack: Region,
    heap: Region,
    input: Region,
}

impl Memory {
    fn new() -> Self {
        Self {
            stack: Region::zero_filled(crate::case::STACK_SIZE),
            heap: Region::zero_filled(0),
            input: Region::zero_filled(0),
        }
    }

    /// Makes everything as a case has it before the run.
    fn reset(&mut self, case: &Case) -> anyhow::Result<()> {
        self.stack.as_slice_mut().fill(0);
        self.heap = Region::zero_filled(case.heap);
        self.input = Region::from_slice(&case.input);
        for (address, bytes) in &case.memory {
            match case.place(*address, bytes.len())? {
                Place::Stack(range) => self.stack.as_slice_mut()[range].copy_from_slice(bytes),
                Place::Heap(range) => self.heap.as_slice_mut()[range].copy_from_slice(bytes),
            }
        }
        Ok(())
    }

    fn map(&mut self, executable: &Executable<Context>) -> anyhow::Result<MemoryMapping> {
        let (config, version) = (executable.get_config(), executable.get_sbpf_version());
        let gap = if version.stack_frame_gaps() { config.stack_frame_size as u64 } else { 0 };
        let regions = vec![
            executable.get_ro_region(),
            MemoryRegion::new_gapped(&raw mut *self.stack.as_slice_mut(), ebpf::MM_STACK_START, gap),
            MemoryRegion::new(&raw mut *self.heap.as_slice_mut(), ebpf::MM_HEAP_START),
            MemoryRegion::new(&raw mut *self.input.as_slice_mut(), ebpf::MM_INPUT_START),
        ];
        // SAFETY: the regions point into `executable` and into allocations that `self` owns. The only
        // caller, `with_executable`, keeps both until the run is over, touches neither meanwhile, and drops the
        // mapping at its end. The writable ones are plain bytes, for which every value is valid.
        unsafe { MemoryMapping::new(regions, config, version) }.map_err(failure)
    }
}

/// The configuration Agave uses for programs on the mainnet feature set.
fn config(tracing: bool) -> Config {
    Config {
        max_call_depth: 64,
        stack_frame_size: 4096,
        enable_address_translation: true,
        enable_stack_frame_gaps: true,
        instruction_meter_checkpoint_distance: 10_000,
        enable_instruction_meter: true,
        enable_register_tracing: tracing,
        enable_symbol_and_section_labels: false,
        reject_broken_elfs: false,
        noop_instruction_rate: 256,
        sanitize_user_provided_values: true,
        enabled_sbpf_versions: SBPFVersion::V0..=SBPFVersion::V3,
        optimize_rodata: false,
        aligned_memory_mapping: true,
        allow_memory_region_zero: true,
    }
}

fn sbpf_version(version: Version) -> SBPFVersion {
    match version {
        Version::V0 => SBPFVersion::V0,
        Version::V1 => SBPFVersion::V1,
        Version::V2 => SBPFVersion::V2,
        Version::V3 => SBPFVersion::V3,
    }
}

fn access(access: SbpfAccess) -> AccessType {
    match access {
        SbpfAccess::Load => AccessType::Load,
        SbpfAccess::Store => AccessType::Store,
    }
}

/// An error that is not the program's; it cannot cross threads itself.
fn failure(error: SbpfError) -> anyhow::Error {
    anyhow!("{error}")
}

/// The error of a run, or a failure if no run can return it.
fn convert(error: SbpfError) -> anyhow::Result<EbpfError> {
    Ok(match error {
        SbpfError::CallDepthExceeded => EbpfError::CallDepthExceeded,
        SbpfError::DivideByZero => EbpfError::DivideByZero,
        SbpfError::DivideOverflow => EbpfError::DivideOverflow,
        SbpfError::ExecutionOverrun => EbpfError::ExecutionOverrun,
        SbpfError::CallOutsideTextSegment => EbpfError::CallOutsideTextSegment,
        SbpfError::ExceededMaxInstructions => EbpfError::ExceededMaxInstructions,
        SbpfError::AccessViolation(what, address, len, region) => {
            EbpfError::AccessViolation(access(what), address, len, region)
        }
        SbpfError::StackAccessViolation(what, address, len, frame) => {
            EbpfError::StackAccessViolation(access(what), address, len, frame)
        }
        SbpfError::UnsupportedInstruction => EbpfError::UnsupportedInstruction,
        other => bail!("a run cannot end with {other}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        case::{CaseId, HEAP_ADDRESS, STACK_ADDRESS},
        generate::{
            code::{Anchor, Code, link},
            random,
        },
    };

    fn run(functions: &[Code], budget: u64) -> Outcome {
        let order: Vec<usize> = (0..functions.len()).collect();
        Sbpf::new()
            .run(&Case {
                id: CaseId { suite: "test", seed: 0, index: 0 },
                program: link(functions, &order, 0),
                input: vec![1; 8],
                heap: 64,
                budget,
                registers: vec![(0, 7)],
                memory: vec![(HEAP_ADDRESS + 60, vec![1, 2, 3, 4]), (STACK_ADDRESS, vec![9])],
            })
            .unwrap()
    }

    fn code(ops: &[(&str, u8, u8, i16, i32)]) -> Code {
        let mut code = Code::new(Version::V0);
        for &(name, dst, src, offset, immediate) in ops {
            code.op(name, dst, src, offset, immediate);
        }
        code
    }

    /// Stepping changes nothing but that the last registers can be seen.
    #[test]
    fn stepping_equals_executing() {
        for index in 0..300 {
            let case = random::case(Version::V0, CaseId { suite: "random", seed: 3, index });
            let stepped = Sbpf::new().run(&case).unwrap();
            let ((instructions, status, trace), remaining, _) = Sbpf::new()
                .with_vm(&case, |vm, executable, frames| {
                    let mut mode = ExecutionMode::Interpreted;
                    let (instructions, status) = vm.execute_program(executable, &mut mode, frames);
                    (instructions, status, std::mem::take(&mut vm.register_trace))
                })
                .unwrap();
            let status = Result::from(status).map_err(|error| convert(error).unwrap());
            assert_eq!(
                (stepped.instructions, stepped.status, stepped.trace, stepped.remaining),
                (instructions, status, trace, remaining),
                "{}",
                case.id
            );
        }
    }

    #[test]
    fn registers_and_memory_start_as_the_case_says() {
        let outcome = run(&[code(&[("exit", 0, 0, 0, 0)])], 5);
        assert_eq!(outcome.status, Ok(7));
        assert_eq!((outcome.instructions, outcome.remaining), (1, 4));
        assert_eq!(outcome.trace, [[7, 0x4_0000_0000, 0, 0, 0, 0, 0, 0, 0, 0, 0x2_0000_1000, 0]]);
        assert_eq!(outcome.heap[60..], [1, 2, 3, 4]);
        assert_eq!((outcome.stack[0], outcome.stack.len()), (9, 4096));
        assert_eq!(outcome.input, [1; 8]);
    }

    #[test]
    fn the_meter_beats_the_end_of_the_text() {
        let text = code(&[("mov64_imm", 3, 0, 0, 5)]);
        let short = run(std::slice::from_ref(&text), 1);
        assert_eq!((short.status, short.instructions), (Err(EbpfError::ExceededMaxInstructions), 1));
        assert_eq!(short.registers[3], 5);
        let enough = run(&[text], 2);
        assert_eq!((enough.status, enough.instructions), (Err(EbpfError::ExecutionOverrun), 2));
        assert_eq!(enough.trace.len(), 1);
    }

    #[test]
    fn a_failing_indirect_call_leaves_the_registers() {
        let outcome = run(&[code(&[("callx", 0, 0, 0, 0), ("exit", 0, 0, 0, 0)])], 10);
        assert_eq!(outcome.status, Err(EbpfError::CallOutsideTextSegment));
        assert_eq!(outcome.registers[10], 0x2_0000_1000);
    }

    #[test]
    fn the_64th_nested_call_fails() {
        let mut text = Code::new(Version::V0);
        text.call(Anchor::Start(0), 0);
        text.exit();
        let outcome = run(&[text], 1000);
        assert_eq!((outcome.status, outcome.instructions), (Err(EbpfError::CallDepthExceeded), 64));
        assert_eq!(outcome.registers[10], 0x2_0000_1000 + 63 * 0x2000);
    }

    #[test]
    fn a_store_may_pass_its_frame_into_the_next() {
        let outcome = run(&[code(&[("stdw", 10, 0, -4, -1), ("exit", 0, 0, 0, 0)])], 10);
        assert_eq!(outcome.status, Ok(7));
        assert_eq!(outcome.stack[4090..4102], [0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0]);
    }

    #[test]
    fn what_does_not_verify_is_refused() {
        let text = code(&[("mov64_imm", 10, 0, 0, 5), ("exit", 0, 0, 0, 0)]);
        let id = CaseId { suite: "test", seed: 0, index: 0 };
        let case = Case { program: link(&[text], &[0], 0), ..random::case(Version::V0, id) };
        assert!(Sbpf::new().run(&case).unwrap_err().to_string().contains("r10"));
    }
}
