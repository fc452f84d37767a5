//! The execution units with a result: what each one computes from its operands.

use super::decode;
use crate::{
    alu,
    deltanet::Heads,
    tables::{
        Word,
        alphabet::{Nibble, Size, Unit},
        catalogue::{SWAP_SIZE, TAKE},
        decode::{CONDITION, HALF},
    },
};

/// The result of `unit` on operands already narrowed; `None` for units that have none or need more
/// than operands (divisions have several results, see [`alu::divide`] and [`alu::divide_signed`]).
#[inline(always)]
pub fn result<E: Heads>(
    e: &E,
    unit: Unit,
    control: &E::Control,
    slot: &Word<E>,
    left: &Word<E>,
    right: &Word<E>,
) -> Option<Word<E>> {
    let count = || alu::shift_count(e, right, &e.gates(control, HALF));
    Some(match unit {
        Unit::Move => right.clone(),
        Unit::Add => alu::add(e, left, right),
        Unit::Subtract => alu::subtract(e, left, right),
        Unit::SubtractFrom => alu::subtract(e, right, left),
        Unit::And => alu::bitwise_and(e, left, right),
        Unit::Or => alu::bitwise_or(e, left, right),
        Unit::OrHigh => alu::bitwise_or(e, left, &e.shift_up(right, 8, &e.digit::<Nibble, 0>())),
        Unit::Xor => alu::bitwise_xor(e, left, right),
        Unit::ShiftLeft => alu::shift_left(e, left, &count()),
        Unit::ShiftRight => alu::shift_right(e, left, &count()),
        Unit::ShiftArithmetic => alu::shift_arithmetic(e, left, &count()),
        Unit::Multiply => alu::multiply(e, left, right),
        Unit::MultiplyHigh => alu::multiply_high(e, left, &decode::second(e, control, right)),
        Unit::MultiplyHighSigned => alu::multiply_high_signed(e, left, right),
        Unit::Negate => alu::negate(e, left),
        Unit::LittleEndian => alu::keep_bytes(e, &swap_size(e, slot), left),
        Unit::BigEndian => alu::swap_bytes(e, &swap_size(e, slot), left),
        _ => return None,
    })
}

/// Width of a byte swap, which its immediate gives in bits.
fn swap_size<E: Heads>(e: &E, slot: &Word<E>) -> E::Digit<Size> {
    e.apply1(SWAP_SIZE, &e.lane(slot, 9))
}

/// Whether the conditional jump `unit` is taken.
#[inline(always)]
pub fn taken<E: Heads>(
    e: &E,
    unit: Unit,
    control: &E::Control,
    left: &Word<E>,
    right: &Word<E>,
) -> E::Digit<crate::tables::alphabet::Bit> {
    let outcome = match unit {
        Unit::CompareSigned => alu::compare_signed(e, left, right),
        Unit::Test => alu::test(e, left, right),
        _ => e.compare(left, right),
    };
    e.apply2(TAKE, &e.gates(control, CONDITION), &outcome)
}
