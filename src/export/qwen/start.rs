//! From a program and its set-up to a prompt, and from a trace to what of the program is needed.

use std::collections::BTreeSet;

use super::{
    draft::Registers,
    prompt::{Start, cells},
    tokens::Trap,
};
use crate::host::{EbpfError, HEAP_ADDRESS, Program, STACK_ADDRESS, Setup, Version};

const PROGRAM_ADDRESS: u64 = 0x1_0000_0000;
const INPUT_ADDRESS: u64 = 0x4_0000_0000;

/// A program or set-up for which there is no prompt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// The checkpoint has the instruction set of version 0.
    #[error("programs of version {0:?} are not in the checkpoint, only those of version V0")]
    Version(Version),
    /// A preset of other registers than r0 to r9.
    #[error("r{0} cannot be set")]
    Register(u8),
}

impl Start {
    /// The whole program, and what it starts from.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn new(program: &Program, setup: &Setup) -> Result<Self, StartError> {
        if program.version != Version::V0 {
            return Err(StartError::Version(program.version));
        }
        let mut registers = [0; 10];
        registers[1] = INPUT_ADDRESS;
        for (register, value) in &setup.registers {
            *registers.get_mut(usize::from(*register)).ok_or(StartError::Register(*register))? = *value;
        }
        let mut start = Self {
            slots: cells(&program.text),
            functions: program.functions.iter().map(|(key, pc)| (*key, *pc as u64)).collect(),
            program: cells(&program.image),
            input: cells(&setup.input),
            registers,
            lengths: [program.image.len() as u64, setup.heap as u64, setup.input.len() as u64],
            budget: setup.budget,
            text_length: program.text.len() as u64 / 8,
            text_offset: program.text_address - PROGRAM_ADDRESS,
            entry: program.entry_pc as u64,
            ..Self::default()
        };
        for (address, bytes) in &setup.memory {
            let (region, first) = match address.checked_sub(HEAP_ADDRESS) {
                Some(offset) => (&mut start.heap, offset),
                None => (&mut start.stack, without_gaps(address - STACK_ADDRESS)),
            };
            for (at, byte) in (first..).zip(bytes) {
                region.entry(at / 8).or_default()[(at % 8) as usize] = *byte;
            }
        }
        Ok(start)
    }

    /// Leaves out slots, functions and cells of the program that a run does not touch. A run that does
    /// touch them then traps.
    pub fn keep_touched(&mut self, trace: &[Registers]) {
        let (mut slots, mut keys) = (BTreeSet::new(), BTreeSet::new());
        for state in trace {
            let pc = state[11];
            slots.insert(pc);
            let Some(slot) = self.slots.get(&pc) else { continue };
            match slot[0] {
                0x18 => {
                    slots.insert(pc + 1);
                }
                0x85 => {
                    keys.insert(u32::from_le_bytes([slot[4], slot[5], slot[6], slot[7]]));
                }
                _ => {}
            }
        }
        let loaded = self.loaded(trace);
        self.slots.retain(|pc, _| slots.contains(pc));
        self.functions.retain(|key, _| keys.contains(key));
        self.program.retain(|cell, _| loaded.contains(&(1, *cell)));
    }

    /// Leaves out cells of stack, heap and input that a run does not load. A run that does load them finds zeros.
    pub fn keep_loaded(&mut self, trace: &[Registers]) {
        let loaded = self.loaded(trace);
        for (region, cells) in [(2, &mut self.stack), (3, &mut self.heap), (4, &mut self.input)] {
            cells.retain(|cell, _| loaded.contains(&(region, *cell)));
        }
    }

    /// Regions and cells that loads touch.
    fn loaded(&self, trace: &[Registers]) -> BTreeSet<(u64, u64)> {
        let mut cells = BTreeSet::new();
        for state in trace {
            let Some(slot) = self.slots.get(&state[11]).filter(|slot| slot[0] & 7 == 1) else { continue };
            let offset = i16::from_le_bytes([slot[2], slot[3]]);
            let base = state[usize::from(slot[1] >> 4).min(10)];
            let size = [4, 2, 1, 8][usize::from(slot[0] >> 3 & 3)];
            let address = base.wrapping_add_signed(offset.into());
            let (region, offset) = (address >> 32, address & 0xffff_ffff);
            let first = if region == 2 { without_gaps(offset) } else { offset };
            cells.extend((first / 8..=(first + size - 1) / 8).map(|cell| (region, cell)));
        }
        cells
    }
}

/// A stack offset without the gaps between frames.
const fn without_gaps(offset: u64) -> u64 {
    offset / 8192 * 4096 + offset % 4096
}

impl Trap {
    /// The fault of an instruction with this opcode.
    pub const fn of(error: &EbpfError, opcode: Option<u8>) -> Self {
        match error {
            EbpfError::CallDepthExceeded => Self::Depth,
            EbpfError::DivideByZero | EbpfError::DivideOverflow => Self::Division,
            EbpfError::ExecutionOverrun => Self::Overrun,
            EbpfError::CallOutsideTextSegment => Self::Text,
            EbpfError::ExceededMaxInstructions => Self::Meter,
            EbpfError::AccessViolation(..) => Self::Access,
            EbpfError::StackAccessViolation(..) => Self::Stack,
            // The reference has one error for both.
            EbpfError::UnsupportedInstruction => match opcode {
                Some(0x85) => Self::Function,
                _ => Self::Unsupported,
            },
        }
    }
}
