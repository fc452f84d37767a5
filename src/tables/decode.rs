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
/// The operation is on 32 bits: shift counts are masked and quotients overflow accordingly.
pub const HALF: Group<Bit> = Group::new(6);
/// The result goes to the destination register.
pub const WRITES: Group<Bit> = Group::new(7);
/// How a factor or divisor is cut down once more: some immediates are extended by zeros.
pub const NARROW_SECOND: Group<Extend> = Group::new(8);
/// Where a call through a register finds its number.
pub const CALLEE: Group<Callee> = Group::new(9);

/// The groups' alphabets, in order.
pub const GROUPS: [AlphabetId; 10] = [
    AlphabetId::Unit,
    AlphabetId::Condition,
    AlphabetId::Size,
    AlphabetId::Bit,
    AlphabetId::Extend,
    AlphabetId::Extend,
    AlphabetId::Bit,
    AlphabetId::Bit,
    AlphabetId::Extend,
    AlphabetId::Callee,
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
    half: bool,
    writes: bool,
    narrow_second: Extend,
    callee: Callee,
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
            half: false,
            writes: false,
            narrow_second: Extend::Whole,
            callee: Callee::Immediate,
        }
    }
}

/// Letters of the control gates for a phase and an opcode, one per entry of [`GROUPS`].
pub fn letters(phase: usize, opcode: u8) -> [usize; GROUPS.len()] {
    let row = match Phase::LETTERS[phase] {
        Phase::Overrun => Row::of(Unit::Overrun),
        Phase::Exhausted => Row::of(Unit::Exhausted),
        Phase::V0 | Phase::V1 => legacy(opcode),
        Phase::V2 => reencoded(opcode),
        Phase::V3 => strict(opcode),
    };
    [
        row.unit as usize,
        row.condition as usize,
        row.size as usize,
        usize::from(row.register),
        row.narrow as usize,
        row.extend as usize,
        usize::from(row.half),
        usize::from(row.writes),
        row.narrow_second as usize,
        row.callee as usize,
    ]
}

/// The instruction set of v0 and v1.
fn legacy(opcode: u8) -> Row {
    let register = opcode & 0x08 != 0;
    match opcode & 0x07 {
        0x00 if opcode == 0x18 => Row { writes: true, ..Row::of(Unit::LoadConstant) },
        class @ 0x01..=0x03 if opcode & 0xe0 == 0x60 => memory(class, opcode),
        0x04 => legacy_arithmetic(opcode, register, true),
        0x07 => legacy_arithmetic(opcode, register, false),
        0x05 => jump(opcode, register),
        _ => Row::of(Unit::Unsupported),
    }
}

/// The instruction set of v2: memory instructions among the arithmetic, class 6 for products and
/// quotients, constants in two halves.
fn reencoded(opcode: u8) -> Row {
    let register = opcode & 0x08 != 0;
    match opcode & 0x07 {
        0x04 => moved_memory(opcode, register, true)
            .unwrap_or_else(|| reencoded_arithmetic(opcode, register, true)),
        0x07 => moved_memory(opcode, register, false)
            .unwrap_or_else(|| reencoded_arithmetic(opcode, register, false)),
        0x06 => products(opcode, register),
        0x05 => Row { callee: Callee::Source, ..jump(opcode, register) },
        _ => Row::of(Unit::Unsupported),
    }
}

/// The instruction set of v3: v0's with jumps on 32 bits and static calls.
fn strict(opcode: u8) -> Row {
    let register = opcode & 0x08 != 0;
    match opcode & 0x07 {
        0x05 => {
            let row = Row { callee: Callee::Destination, ..jump(opcode, register) };
            if row.unit == Unit::Call { Row { unit: Unit::CallStatic, ..row } } else { row }
        }
        0x06 => half_jump(opcode, register),
        _ => legacy(opcode),
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

/// v2's memory instructions: loads in the 32-bit class, stores in the 64-bit class.
fn moved_memory(opcode: u8, register: bool, half: bool) -> Option<Row> {
    let size = match opcode >> 4 {
        0x2 => Size::Byte,
        0x3 => Size::Half,
        0x8 => Size::Word,
        0x9 => Size::Double,
        _ => return None,
    };
    match (half, register) {
        (true, true) => Some(Row { size, writes: true, ..Row::of(Unit::Load) }),
        (true, false) => None,
        (false, _) => Some(Row { size, register, ..Row::of(Unit::Store) }),
    }
}

/// The units every version's arithmetic has, by the high digit of the opcode.
fn arithmetic_unit(opcode: u8) -> Option<Unit> {
    Some(match opcode >> 4 {
        0x0 => Unit::Add,
        0x1 => Unit::Subtract,
        0x4 => Unit::Or,
        0x5 => Unit::And,
        0x6 => Unit::ShiftLeft,
        0x7 => Unit::ShiftRight,
        0xa => Unit::Xor,
        0xb => Unit::Move,
        0xc => Unit::ShiftArithmetic,
        _ => return None,
    })
}

/// 64-bit and 32-bit arithmetic. In 32 bits sums, differences and products are extended by their sign,
/// everything else by zeros.
fn legacy_arithmetic(opcode: u8, register: bool, half: bool) -> Row {
    let unit = match opcode >> 4 {
        0x2 => Unit::Multiply,
        0x3 => Unit::Divide,
        0x8 if !register => Unit::Negate,
        0x9 => Unit::Remainder,
        0xd if half && !register => return Row { writes: true, ..Row::of(Unit::LittleEndian) },
        0xd if half => return Row { writes: true, ..Row::of(Unit::BigEndian) },
        _ => match arithmetic_unit(opcode) {
            Some(unit) => unit,
            None => return Row::of(Unit::Unsupported),
        },
    };
    let extend = match unit {
        Unit::Add | Unit::Subtract | Unit::Multiply => Extend::Sign,
        _ => Extend::Zero,
    };
    sized(unit, register, half, extend)
}

/// v2's arithmetic. In 32 bits a moved register is extended by its sign, everything else by zeros; an
/// immediate is what is subtracted from.
fn reencoded_arithmetic(opcode: u8, register: bool, half: bool) -> Row {
    match opcode >> 4 {
        0x1 if !register => sized(Unit::SubtractFrom, register, half, Extend::Zero),
        0xb if half && register => sized(Unit::Move, register, half, Extend::Sign),
        0xd if half && register => Row { writes: true, ..Row::of(Unit::BigEndian) },
        0xf if !half && !register => sized(Unit::OrHigh, register, half, Extend::Whole),
        _ => match arithmetic_unit(opcode) {
            Some(unit) => sized(unit, register, half, Extend::Zero),
            None => Row::of(Unit::Unsupported),
        },
    }
}

/// A row of arithmetic; `extend` counts in 32 bits only.
fn sized(unit: Unit, register: bool, half: bool, extend: Extend) -> Row {
    let row = Row { register, writes: true, ..Row::of(unit) };
    let narrow = match unit {
        Unit::ShiftArithmetic | Unit::DivideSigned | Unit::RemainderSigned => Extend::Sign,
        _ => Extend::Zero,
    };
    if half { Row { narrow, extend, half, ..row } } else { row }
}

/// v2's products, quotients and remainders. Bit 4 of the opcode says 64 bits; there the immediates of
/// unsigned operations are extended by zeros, but for the low half of a product.
fn products(opcode: u8, register: bool) -> Row {
    let half = opcode & 0x10 == 0;
    let unit = match opcode & 0xe0 {
        0x20 if !half => Unit::MultiplyHigh,
        0x40 => Unit::Divide,
        0x60 => Unit::Remainder,
        0x80 => Unit::Multiply,
        0xa0 if !half => Unit::MultiplyHighSigned,
        0xc0 => Unit::DivideSigned,
        0xe0 => Unit::RemainderSigned,
        _ => return Row::of(Unit::Unsupported),
    };
    let unsigned = matches!(unit, Unit::MultiplyHigh | Unit::Divide | Unit::Remainder);
    let narrow_second = if unsigned && !register && !half { Extend::Zero } else { Extend::Whole };
    Row { narrow_second, ..sized(unit, register, half, Extend::Zero) }
}

/// Jumps, calls and exit.
fn jump(opcode: u8, register: bool) -> Row {
    let (unit, condition) = match opcode >> 4 {
        0x0 if !register => (Unit::Jump, Condition::Equal),
        0x8 if register => (Unit::CallRegister, Condition::Equal),
        0x8 => (Unit::Call, Condition::Equal),
        0x9 if !register => (Unit::Exit, Condition::Equal),
        _ => match comparison(opcode) {
            Some(comparison) => comparison,
            None => return Row::of(Unit::Unsupported),
        },
    };
    Row { condition, register, ..Row::of(unit) }
}

/// Jumps that compare low halves.
fn half_jump(opcode: u8, register: bool) -> Row {
    let Some((unit, condition)) = comparison(opcode) else {
        return Row::of(Unit::Unsupported);
    };
    let narrow = if unit == Unit::CompareSigned { Extend::Sign } else { Extend::Zero };
    Row { condition, register, narrow, ..Row::of(unit) }
}

/// The conditional jumps, by the high digit of the opcode.
fn comparison(opcode: u8) -> Option<(Unit, Condition)> {
    use Condition::*;
    Some(match opcode >> 4 {
        0x1 => (Unit::Compare, Equal),
        0x2 => (Unit::Compare, Greater),
        0x3 => (Unit::Compare, GreaterEqual),
        0x4 => (Unit::Test, NotEqual),
        0x5 => (Unit::Compare, NotEqual),
        0x6 => (Unit::CompareSigned, Greater),
        0x7 => (Unit::CompareSigned, GreaterEqual),
        0xa => (Unit::Compare, Less),
        0xb => (Unit::Compare, LessEqual),
        0xc => (Unit::CompareSigned, Less),
        0xd => (Unit::CompareSigned, LessEqual),
        _ => return None,
    })
}
