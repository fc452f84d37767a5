//! One bare program on the machine: bytes in, bytes out.

mod context;
mod errors;
mod loaded;
mod port;
mod text;

use loaded::Spare;
pub use loaded::{LoadedProgram, LoadedSysvars};

use super::{EbpfError, Effect, Environment, Program, RunError, Version};
use crate::{
    deltanet::HeadsBoundary,
    machine::{self, Extent, Image, Memory, State, Stop},
    syscalls::{self, Called, Context},
    tables::{
        Site, Word,
        alphabet::{self, Bit, Halt, Nibble, Region, Syscall},
    },
};

/// Where the stack region starts.
pub const STACK_ADDRESS: u64 = 0x2_0000_0000;
/// Where the heap starts.
pub const HEAP_ADDRESS: u64 = 0x3_0000_0000;
/// Where the input starts; also r1 at entry.
pub const INPUT_ADDRESS: u64 = 0x4_0000_0000;
/// Bytes of the stack: 64 frames of 4096.
pub const STACK_BYTES: usize = 64 * 4096;
/// Largest heap or input accepted, in bytes: a region spans 2^32 addresses.
pub const MAX_REGION_BYTES: usize = 1 << 30;

/// How steps are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    /// Observe the unit, compute that one.
    #[default]
    Lazy,
    /// Compute every unit, observe only whether the run goes on.
    Full,
}

/// What a run starts from besides the program.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Bytes of the input region.
    pub input: Vec<u8>,
    /// Bytes of the heap region.
    pub heap: usize,
    /// Compute units.
    pub budget: u64,
    /// Registers that differ from their value at entry: (number, value).
    pub registers: Vec<(u8, u64)>,
    /// Bytes of heap or stack that are not zero: (address, bytes).
    pub memory: Vec<(u64, Vec<u8>)>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            input: Vec::new(),
            heap: 32 * 1024,
            budget: 1_400_000,
            registers: Vec::new(),
            memory: Vec::new(),
        }
    }
}

/// A run that cannot start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// There is no such register, or it is not a program's to set.
    #[error("there is no register r{0}")]
    Register(u8),
    /// A preset lies outside heap and stack.
    #[error("{length} bytes at address {address:#x} are not all in the heap or a stack frame")]
    Memory {
        /// First byte.
        address: u64,
        /// Number of bytes.
        length: usize,
    },
    /// A region would be too large.
    #[error("a region of {0} bytes is too large")]
    TooLarge(usize),
    /// The text is not whole slots.
    #[error("the text is not a whole number of 8-byte slots")]
    Text,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The program returned; r0.
    Exit(u64),
    /// An instruction or a syscall failed.
    Error(RunError),
    /// The program calls another: a pause, which [`Machine::resume`] ends.
    Invoke(Abi),
}

/// How a program that calls another describes the call in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abi {
    /// `sol_invoke_signed_c`.
    C,
    /// `sol_invoke_signed_rust`.
    Rust,
}

/// A program, its memory and its registers on an evaluator.
pub struct Machine<'e, E: HeadsBoundary> {
    evaluator: &'e E,
    image: Image<E>,
    state: State<E>,
    context: Context<E>,
    mode: Mode,
    budget: Word<E>,
    lengths: [usize; 5],
    gaps: bool,
    /// Some memory was not zero at the start.
    preset: bool,
    /// Passes through the step.
    passes: u64,
    ended: Option<Ended>,
}

/// Index of a region among the RAMs.
const fn index(region: Region) -> usize {
    region as usize
}

impl<'e, E: HeadsBoundary> Machine<'e, E> {
    /// Puts a program into memory, ready for its first instruction.
    ///
    /// The program is taken as it is: run the verifier first for what a validator would refuse.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn new(
        evaluator: &'e E,
        program: &Program,
        setup: &Setup,
        environment: &Environment,
        mode: Mode,
    ) -> Result<Self, SetupError> {
        let program = LoadedProgram::new(evaluator, program, &environment.syscalls)?;
        let sysvars = LoadedSysvars::new(evaluator, &environment.sysvars);
        Self::start(evaluator, &program, &sysvars, setup, environment, mode)
    }

    /// The same with a program and sysvars that are embedded already; those of the environment do not count
    /// then, nor its syscalls.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn start(
        evaluator: &'e E,
        program: &LoadedProgram<E>,
        sysvars: &LoadedSysvars<E>,
        setup: &Setup,
        environment: &Environment,
        mode: Mode,
    ) -> Result<Self, SetupError> {
        for length in [setup.heap, setup.input.len()] {
            if length > MAX_REGION_BYTES {
                return Err(SetupError::TooLarge(length));
            }
        }
        let e = evaluator;
        let gaps = program.version == Version::V0;
        let Spare { regions: [null, image], mut stack, heap: (mut heap, _) } =
            program.memories(e, setup.heap);
        if !setup.memory.is_empty() {
            let mut bytes = (vec![0; STACK_BYTES], vec![0; setup.heap]);
            for (address, preset_bytes) in &setup.memory {
                preset(&mut bytes.0, &mut bytes.1, gaps, *address, preset_bytes)
                    .ok_or(SetupError::Memory { address: *address, length: preset_bytes.len() })?;
            }
            (stack, heap) = (e.ram(&bytes.0), e.ram(&bytes.1));
        }
        let rams = [null, image, stack, heap, e.ram(&setup.input)];
        let [null_length, image_length] = program.lengths();
        let lengths = [null_length, image_length, STACK_BYTES, setup.heap, setup.input.len()];
        let widths = [1, 2, 4, 8].map(|bytes| e.embed(bytes));
        let extents = std::array::from_fn(|region| {
            let length = lengths[region];
            let covered = if gaps && region == index(Region::Stack) { 2 * length } else { length };
            let writable = e.embed_digit::<Bit>(usize::from(region >= index(Region::Stack)));
            Extent::new(e, &e.embed(length as u64), &e.embed(covered as u64), &widths, writable)
        });
        let mut registers = e.bank();
        let mut set = |register: u8, value: u64| {
            let key = e.embed_digit::<Nibble>(usize::from(register));
            e.bank_write(&mut registers, &key, &e.embed_digit::<Bit>(1), &e.embed(value));
        };
        set(1, INPUT_ADDRESS);
        set(10, frame_pointer(program.version));
        for (register, value) in &setup.registers {
            if usize::from(*register) > machine::FRAME_POINTER {
                return Err(SetupError::Register(*register));
            }
            set(*register, *value);
        }
        let version = e.embed_digit::<alphabet::Version>(program.version as usize);
        Ok(Self {
            evaluator,
            image: Image {
                frame_stride: machine::frame_stride(e, &version),
                version,
                slot_count: program.slot_count.clone(),
                slots: program.slots.clone(),
                text_address: program.text_address.clone(),
                functions: program.functions.clone(),
                syscalls: program.syscalls.clone(),
                extents,
                gaps: e.embed_digit::<Bit>(usize::from(gaps)),
            },
            state: State {
                registers,
                pc: program.entry_pc.clone(),
                meter: e.embed(setup.budget),
                depth: e.embed(0),
                frames: e.frames(),
                memory: Memory { rams },
            },
            context: context::embed(e, environment, sysvars, setup.heap),
            mode,
            budget: e.embed(setup.budget),
            lengths,
            gaps,
            preset: !setup.memory.is_empty(),
            passes: 0,
            ended: None,
        })
    }

    /// Leaves the machine's memories to later runs of the same program, which start faster with them.
    pub fn finish(self, program: &LoadedProgram<E>) {
        if self.preset {
            return;
        }
        let heap_length = self.lengths[index(Region::Heap)];
        let [null, image, mut stack, mut heap, _] = self.state.memory.rams;
        self.evaluator.clear_ram(&mut stack, STACK_BYTES);
        self.evaluator.clear_ram(&mut heap, heap_length);
        program.keep(Spare { regions: [null, image], stack, heap: (heap, heap_length) });
    }

    /// Runs one instruction; `Some` once the program has ended, after which nothing changes.
    ///
    /// # Errors
    /// An activation was not exactly one-hot.
    pub fn step(&mut self) -> Result<Option<&Ended>, E::Error> {
        if self.ended.is_none() {
            let stop = match self.mode {
                Mode::Lazy => machine::lazy_step(self.evaluator, &self.image, &mut self.state)?,
                Mode::Full => self.full_step()?,
            };
            self.passes += 1;
            if let Some(stop) = stop {
                self.ended = self.end(stop)?;
            }
        }
        Ok(self.ended.as_ref())
    }

    /// Runs until the program ends.
    ///
    /// # Errors
    /// An activation was not exactly one-hot.
    pub fn run(&mut self) -> Result<Ended, E::Error> {
        loop {
            if let Some(ended) = self.run_for(u64::MAX)? {
                return Ok(ended.clone());
            }
        }
    }

    /// Runs at most `steps` instructions; `Some` once the program has ended.
    ///
    /// # Errors
    /// An activation was not exactly one-hot.
    pub fn run_for(&mut self, steps: u64) -> Result<Option<&Ended>, E::Error> {
        if self.mode == Mode::Lazy && self.ended.is_none() {
            let mut left = steps;
            while left > 0 && self.ended.is_none() {
                left -= 1;
                if let Some(stop) = machine::lazy_step(self.evaluator, &self.image, &mut self.state)? {
                    self.ended = self.end(stop)?;
                }
            }
            self.passes += steps - left;
        } else {
            for _ in 0..steps {
                if self.step()?.is_some() {
                    break;
                }
            }
        }
        Ok(self.ended.as_ref())
    }

    /// Instructions executed so far, the failing one included.
    pub fn instructions(&self) -> u64 {
        // The last pass of a run out of units executes nothing.
        let unpaid = self.ended == Some(Ended::Error(EbpfError::ExceededMaxInstructions.into()));
        self.passes - u64::from(unpaid)
    }

    fn full_step(&mut self) -> Result<Option<Stop<E>>, E::Error> {
        let step = machine::full_step(self.evaluator, &self.image, &mut self.state);
        Ok(match self.evaluator.observe_gate(&step.halt, Site::Halt)? {
            Halt::Continue => None,
            Halt::Exit => Some(Stop::Exit),
            Halt::Fault => Some(Stop::Fault(step.fault, step.access)),
            Halt::Syscall => Some(Stop::Syscall(step.syscall)),
        })
    }

    /// What a stop means: a syscall runs and the program goes on, anything else ends it.
    fn end(&mut self, stop: Stop<E>) -> Result<Option<Ended>, E::Error> {
        let number = match stop {
            Stop::Exit => return Ok(Some(Ended::Exit(self.register(0)?))),
            Stop::Fault(fault, access) => return Ok(Some(Ended::Error(self.fault(&fault, &access)?.into()))),
            Stop::Syscall(number) => number,
        };
        let (e, image) = (self.evaluator, &self.image);
        match syscalls::call(e, image, &mut self.state, &mut self.context, &number)? {
            Called::Returned => self.go_on(),
            Called::Aborted(abort) => Ok(Some(Ended::Error(self.abort(&abort)?))),
            Called::Invoke(Syscall::InvokeSignedC) => Ok(Some(Ended::Invoke(Abi::C))),
            Called::Invoke(_) => Ok(Some(Ended::Invoke(Abi::Rust))),
        }
    }

    /// Leaves the call of a syscall that returned.
    fn go_on(&mut self) -> Result<Option<Ended>, E::Error> {
        match machine::after_syscall(self.evaluator, &self.image, &mut self.state)? {
            Some(stop) => self.end(stop),
            None => Ok(None),
        }
    }

    /// Ends the pause of [`Ended::Invoke`]: the call returns `r0` and the program can go on. Does nothing
    /// in any other state.
    ///
    /// # Errors
    /// An activation was not exactly one-hot.
    pub fn resume(&mut self, r0: u64) -> Result<(), E::Error> {
        if matches!(self.ended, Some(Ended::Invoke(_))) {
            let e = self.evaluator;
            let (zero, on) = (e.embed_digit::<Nibble>(0), e.embed_digit::<Bit>(1));
            e.bank_write(&mut self.state.registers, &zero, &on, &e.embed(r0));
            self.ended = self.go_on()?;
        }
        Ok(())
    }

    /// The value of register `number`, 0 to 10.
    ///
    /// # Errors
    /// The activation is not exactly one-hot.
    ///
    /// # Panics
    /// `number` is above 15.
    pub fn register(&self, number: usize) -> Result<u64, E::Error> {
        let e = self.evaluator;
        e.read_out(&self.state.register(e, &e.embed_digit::<Nibble>(number)))
    }

    /// Registers 0 to 10 and the program counter, as a register trace has them before an instruction.
    ///
    /// # Errors
    /// An activation is not exactly one-hot.
    pub fn registers(&self) -> Result<[u64; 12], E::Error> {
        let mut all = [0; 12];
        for (number, value) in all.iter_mut().take(11).enumerate() {
            *value = self.register(number)?;
        }
        all[11] = self.evaluator.read_out(&self.state.pc)?;
        Ok(all)
    }

    /// Whether the next pass executes an instruction: there is one, and a unit to pay for it.
    ///
    /// # Errors
    /// An activation is not exactly one-hot.
    pub fn will_execute(&self) -> Result<bool, E::Error> {
        let e = self.evaluator;
        let (_, empty) = e.decrement(&self.state.meter);
        let (_, present) = e.fetch(&self.image.slots, &self.state.pc);
        Ok(self.ended.is_none() && e.read_digit::<Bit>(&empty)? == 0 && e.read_digit::<Bit>(&present)? == 1)
    }

    /// What the next instruction will change, as a full step computes it.
    ///
    /// # Errors
    /// An activation is not exactly one-hot.
    pub fn effect(&self) -> Result<Effect, E::Error> {
        Effect::read(self.evaluator, &machine::effect(self.evaluator, &self.image, &self.state))
    }

    /// Units used so far: one for each instruction, the failing one included.
    ///
    /// # Errors
    /// The activation is not exactly one-hot.
    pub fn used(&self) -> Result<u64, E::Error> {
        let e = self.evaluator;
        let (used, _) = e.sub_words(&self.budget, &self.state.meter, &e.embed_digit::<Bit>(0));
        e.read_out(&used)
    }
}

/// Where the frame pointer starts: at the end of the first frame, or at the end of the stack where the
/// program moves it.
fn frame_pointer(version: Version) -> u64 {
    match version {
        Version::V0 | Version::V3 => STACK_ADDRESS + 4096,
        Version::V1 | Version::V2 => STACK_ADDRESS + STACK_BYTES as u64,
    }
}

/// Writes preset bytes into the stack or heap; `None` if they do not lie in one of them.
fn preset(stack: &mut [u8], heap: &mut [u8], gaps: bool, address: u64, bytes: &[u8]) -> Option<()> {
    let (region, offset) = resolve(gaps, address)?;
    let target = match region {
        Region::Stack => stack,
        Region::Heap => heap,
        _ => return None,
    };
    target.get_mut(offset..offset.checked_add(bytes.len())?)?.copy_from_slice(bytes);
    Some(())
}

/// The region an address points at and the offset among its bytes; `None` for a gap of the stack and for
/// addresses beyond the regions.
///
/// With `gaps`, the stack's frames of 4096 bytes have gaps of the same size between them.
fn resolve(gaps: bool, address: u64) -> Option<(Region, usize)> {
    let offset = address as u32 as usize;
    match address >> 32 {
        0 => Some((Region::Null, offset)),
        1 => Some((Region::Program, offset)),
        2 if !gaps => Some((Region::Stack, offset)),
        2 if offset & 0x1000 != 0 => None,
        2 => Some((Region::Stack, (offset >> 13 << 12) | offset & 0xfff)),
        3 => Some((Region::Heap, offset)),
        4 => Some((Region::Input, offset)),
        _ => None,
    }
}
