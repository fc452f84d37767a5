//! Fields of an instruction slot.
//!
//! Lanes of a slot: 0 and 1 the opcode, 2 the destination, 3 the source, 4 to 7 the offset, 8 to 15 the
//! immediate.

use crate::{
    deltanet::Heads,
    tables::{
        Word,
        alphabet::Nibble,
        catalogue::SIGN_FILL,
        decode::{CALLEE, NARROW_SECOND, REGISTER},
    },
};

/// Number of the destination register.
#[inline(always)]
pub fn destination<E: Heads>(e: &E, slot: &Word<E>) -> E::Digit<Nibble> {
    e.lane(slot, 2)
}

/// Number of the source register.
#[inline(always)]
pub fn source<E: Heads>(e: &E, slot: &Word<E>) -> E::Digit<Nibble> {
    e.lane(slot, 3)
}

/// The immediate, sign-extended.
#[inline(always)]
pub fn immediate<E: Heads>(e: &E, slot: &Word<E>) -> Word<E> {
    e.shift_down(slot, 8, &e.apply1(SIGN_FILL, &e.lane(slot, 15)))
}

/// The immediate as a call key: zero-extended.
#[inline(always)]
pub fn key<E: Heads>(e: &E, slot: &Word<E>) -> Word<E> {
    e.shift_down(slot, 8, &e.digit::<Nibble, 0>())
}

/// The offset, sign-extended.
#[inline(always)]
pub fn offset<E: Heads>(e: &E, slot: &Word<E>) -> Word<E> {
    let fill = e.splat(&e.apply1(SIGN_FILL, &e.lane(slot, 7)));
    e.merge(&e.shift_down(slot, 4, &e.digit::<Nibble, 0>()), &fill, 4)
}

/// The second operand: the source register or the immediate.
#[inline(always)]
pub fn operand<E: Heads>(e: &E, control: &E::Control, slot: &Word<E>, registers: &E::Bank) -> Word<E> {
    let register = e.bank_read(registers, &source(e, slot));
    e.attend(&e.gates(control, REGISTER), [&immediate(e, slot), &register])
}

/// A second operand, already narrowed, as a factor or divisor.
#[inline(always)]
pub fn second<E: Heads>(e: &E, control: &E::Control, operand: &Word<E>) -> Word<E> {
    e.extend(&e.gates(control, NARROW_SECOND), operand)
}

/// The address a call through a register leads to.
#[inline]
pub fn callee<E: Heads>(e: &E, control: &E::Control, slot: &Word<E>, registers: &E::Bank) -> Word<E> {
    let fields = [&e.lane(slot, 8), &source(e, slot), &destination(e, slot)];
    e.bank_read(registers, &e.attend_digit(&e.gates(control, CALLEE), fields))
}

/// The 64-bit constant of a slot and the one after it.
#[inline(always)]
pub fn constant<E: Heads>(e: &E, slot: &Word<E>, second: &Word<E>) -> Word<E> {
    e.merge(&e.shift_down(slot, 8, &e.digit::<Nibble, 0>()), second, 8)
}
