//! The execution units with a result: what each one computes from its operands.

use crate::{
    alu,
    deltanet::Heads,
    tables::{
        Word,
        alphabet::{Size, Unit},
        catalogue::{SWAP_SIZE, TAKE},
        decode::{CONDITION, NARROW_SHIFT},
    },
};

/// The result of `unit` on operands already narrowed; `None` for units that have none or need more
/// than operands (division has two results, see [`alu::divide`]).
#[inline(always)]
pub fn result<E: Heads>(
    e: &E,
    unit: Unit,
    control: &E::Control,
    slot: &Word<E>,
    left: &Word<E>,
    right: &Word<E>,
) -> Option<Word<E>> {
    let count = || alu::shift_count(e, right, &e.gates(control, NARROW_SHIFT));
    Some(match unit {
        Unit::Move => right.clone(),
        Unit::Add => alu::add(e, left, right),
        Unit::Subtract => alu::subtract(e, left, right),
        Unit::And => alu::bitwise_and(e, left, right),
        Unit::Or => alu::bitwise_or(e, left, right),
        Unit::Xor => alu::bitwise_xor(e, left, right),
        Unit::ShiftLeft => alu::shift_left(e, left, &count()),
        Unit::ShiftRight => alu::shift_right(e, left, &count()),
        Unit::ShiftArithmetic => alu::shift_arithmetic(e, left, &count()),
        Unit::Multiply => alu::multiply(e, left, right),
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
