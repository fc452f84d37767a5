//! Decoding: a constant matrix from (phase, opcode) to named control gates.
//!
//! One hidden unit per (phase, opcode) pair; the rows below are what its column of the second matrix
//! writes. A new instruction set is new rows, not new code.

use super::alphabet::*;
use std::marker::PhantomData;

/// A group of control gates, exactly one of which is on.
#[derive(Clone, Copy, Debug)]
pub struct Group<A> {
    /// Position in [`GROUPS`].
    pub index: usize,
    kind: PhantomData<fn() -> A>,
}

impl<A: Alphabet> Group<A> {
    const fn new(index: usize) -> Self {
        Self { index, kind: PhantomData }
    }
}

/// Which execution unit runs.
pub const UNIT: Group<Unit> = Group::new(0);
/// The condition of a jump.
pub const CONDITION: Group<Condition> = Group::new(1);
/// The width of a memory access.
pub const SIZE: Group<Size> = Group::new(2);
/// The second operand is a register, not the immediate.
pub const REGISTER: Group<Bit> = Group::new(3);
/// How the operands are cut down before they reach the unit.
pub const NARROW: Group<Extend> = Group::new(4);
/// How the result is extended after it.
pub const EXTEND: Group<Extend> = Group::new(5);
/// Shift counts are masked to 32 bits.
pub const NARROW_SHIFT: Group<Bit> = Group::new(6);
/// The result goes to the destination register.
pub const WRITES: Group<Bit> = Group::new(7);

/// The groups' alphabets, in order.
pub const GROUPS: [AlphabetId; 8] = [
    AlphabetId::Unit,
    AlphabetId::Condition,
    AlphabetId::Size,
    AlphabetId::Bit,
    AlphabetId::Extend,
    AlphabetId::Extend,
    AlphabetId::Bit,
    AlphabetId::Bit,
];

/// One row of the control matrix.
#[derive(Clone, Copy, Debug)]
struct Row {
    unit: Unit,
    condition: Condition,
    size: Size,
    register: bool,
    narrow: Extend,
    extend: Extend,
    narrow_shift: bool,
    writes: bool,
}

impl Row {
    const fn of(unit: Unit) -> Self {
        Self {
            unit,
            condition: Condition::Equal,
            size: Size::Double,
            register: false,
            narrow: Extend::Whole,
            extend: Extend::Whole,
            narrow_shift: false,
            writes: false,
        }
    }
}

/// Letters of the control gates for a phase and an opcode, one per entry of [`GROUPS`].
pub fn letters(phase: usize, opcode: u8) -> [usize; GROUPS.len()] {
    let row = match Phase::LETTERS[phase] {
        Phase::Overrun => Row::of(Unit::Overrun),
        Phase::Exhausted => Row::of(Unit::Exhausted),
        Phase::V0 => legacy(opcode),
        // Not part of the instruction sets written so far.
        Phase::V1 | Phase::V2 | Phase::V3 => Row::of(Unit::Unsupported),
    };
    [
        row.unit as usize,
        row.condition as usize,
        row.size as usize,
        usize::from(row.register),
        row.narrow as usize,
        row.extend as usize,
        usize::from(row.narrow_shift),
        usize::from(row.writes),
    ]
}

/// The v0 instruction set.
fn legacy(opcode: u8) -> Row {
    let register = opcode & 0x08 != 0;
    match opcode & 0x07 {
        0x00 if opcode == 0x18 => Row { writes: true, ..Row::of(Unit::LoadConstant) },
        class @ 0x01..=0x03 if opcode & 0xe0 == 0x60 => memory(class, opcode),
        0x04 => arithmetic(opcode, register, true),
        0x07 => arithmetic(opcode, register, false),
        0x05 => jump(opcode, register),
        _ => Row::of(Unit::Unsupported),
    }
}

/// Loads (class 1), stores of an immediate (2) and stores of a register (3).
fn memory(class: u8, opcode: u8) -> Row {
    let size = match opcode & 0x18 {
        0x00 => Size::Word,
        0x08 => Size::Half,
        0x10 => Size::Byte,
        _ => Size::Double,
    };
    let unit = if class == 0x01 { Unit::Load } else { Unit::Store };
    Row { size, register: class == 0x03, writes: class == 0x01, ..Row::of(unit) }
}

/// 64-bit and 32-bit arithmetic. In 32 bits v0 sign-extends sums, differences and products and
/// zero-extends everything else.
fn arithmetic(opcode: u8, register: bool, half: bool) -> Row {
    let unit = match opcode >> 4 {
        0x0 => Unit::Add,
        0x1 => Unit::Subtract,
        0x2 => Unit::Multiply,
        0x3 => Unit::Divide,
        0x4 => Unit::Or,
        0x5 => Unit::And,
        0x6 => Unit::ShiftLeft,
        0x7 => Unit::ShiftRight,
        0x8 if !register => Unit::Negate,
        0x9 => Unit::Remainder,
        0xa => Unit::Xor,
        0xb => Unit::Move,
        0xc => Unit::ShiftArithmetic,
        0xd if half => {
            let unit = if register { Unit::BigEndian } else { Unit::LittleEndian };
            return Row { writes: true, ..Row::of(unit) };
        }
        _ => return Row::of(Unit::Unsupported),
    };
    let row = Row { register, writes: true, ..Row::of(unit) };
    if !half {
        return row;
    }
    let extend = match unit {
        Unit::Add | Unit::Subtract | Unit::Multiply => Extend::Sign,
        _ => Extend::Zero,
    };
    let narrow = if unit == Unit::ShiftArithmetic { Extend::Sign } else { Extend::Zero };
    Row { narrow, extend, narrow_shift: true, ..row }
}

/// Jumps, calls and exit.
fn jump(opcode: u8, register: bool) -> Row {
    use Condition::*;
    let (unit, condition) = match opcode >> 4 {
        0x0 if !register => (Unit::Jump, Equal),
        0x1 => (Unit::Compare, Equal),
        0x2 => (Unit::Compare, Greater),
        0x3 => (Unit::Compare, GreaterEqual),
        0x4 => (Unit::Test, NotEqual),
        0x5 => (Unit::Compare, NotEqual),
        0x6 => (Unit::CompareSigned, Greater),
        0x7 => (Unit::CompareSigned, GreaterEqual),
        0x8 if register => (Unit::CallRegister, Equal),
        0x8 => (Unit::Call, Equal),
        0x9 if !register => (Unit::Exit, Equal),
        0xa => (Unit::Compare, Less),
        0xb => (Unit::Compare, LessEqual),
        0xc => (Unit::CompareSigned, Less),
        0xd => (Unit::CompareSigned, LessEqual),
        _ => return Row::of(Unit::Unsupported),
    };
    Row { condition, register, ..Row::of(unit) }
}
