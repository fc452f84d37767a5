//! What a step reads and changes.

use super::memory::{Extent, Memory};
use crate::{
    deltanet::Heads,
    tables::{
        Word,
        alphabet::{Bit, Fault, Nibble, Size, Version},
    },
};

/// The constant part of a run: the program and the layout of its memory.
pub struct Image<E: Heads> {
    /// Instruction set.
    pub version: E::Digit<Version>,
    /// Instruction slots.
    pub slots: E::Slots,
    /// Number of slots.
    pub slot_count: Word<E>,
    /// Address of slot 0.
    pub text_address: Word<E>,
    /// Slot numbers of internal functions, by call key.
    pub functions: E::Dictionary,
    /// Numbers of syscalls, by call key.
    pub syscalls: E::Dictionary,
    /// The regions from address 0 on, one every 2^32.
    pub extents: [Extent<E>; 5],
    /// Every other 4096 bytes of the stack region are a gap.
    pub gaps: E::Digit<Bit>,
    /// How far a call moves the frame pointer.
    pub frame_stride: Word<E>,
}

/// The part of a run that steps change.
pub struct State<E: Heads> {
    /// Registers 0 to 10; rows 11 to 15 are never used by verified programs.
    pub registers: E::Bank,
    /// Number of the next slot.
    pub pc: Word<E>,
    /// Units left.
    pub meter: Word<E>,
    /// Calls not yet returned from.
    pub depth: Word<E>,
    /// What those calls saved.
    pub frames: E::Frames,
    /// Bytes of the regions.
    pub memory: Memory<E>,
}

impl<E: Heads> State<E> {
    /// Register `key`.
    pub fn register(&self, e: &E, key: &E::Digit<Nibble>) -> Word<E> {
        e.bank_read(&self.registers, key)
    }
}

/// A memory access that failed.
pub struct Access<E: Heads> {
    /// First byte.
    pub address: Word<E>,
    /// Width.
    pub size: E::Digit<Size>,
}

/// Why a run stopped.
pub enum Stop<E: Heads> {
    /// The program returned from its first frame; r0 is its result.
    Exit,
    /// An instruction failed. It has been paid for, nothing else has changed.
    Fault(E::Digit<Fault>, Access<E>),
    /// A syscall was called: its number. The program counter is still at the call.
    Syscall(Word<E>),
}
