//! Shifts by a count that is itself a word.

use crate::tables::{
    Evaluator, Word,
    alphabet::{Bit, Nibble, Quarter},
    catalogue::{SHIFT_BITS, SHIFT_DIGITS, SIGN_FILL},
};

/// A shift count, 0 to 63, split into whole digits and bits: 4 digits + bits.
pub struct ShiftCount<E: Evaluator> {
    digits: E::Digit<Nibble>,
    bits: E::Digit<Quarter>,
}

/// The low 6 bits of `count`, or its low 5 bits if `half`.
#[inline]
pub fn shift_count<E: Evaluator>(e: &E, count: &Word<E>, half: &E::Digit<Bit>) -> ShiftCount<E> {
    let low = e.lane(count, 0);
    ShiftCount {
        digits: e.apply3(SHIFT_DIGITS, &low, &e.lane(count, 1), half),
        bits: e.apply1(SHIFT_BITS, &low),
    }
}

/// a << count.
#[inline]
pub fn shift_left<E: Evaluator>(e: &E, a: &Word<E>, count: &ShiftCount<E>) -> Word<E> {
    e.shift_left(a, &count.digits, &count.bits)
}

/// a >> count, zeros coming in.
#[inline]
pub fn shift_right<E: Evaluator>(e: &E, a: &Word<E>, count: &ShiftCount<E>) -> Word<E> {
    e.shift_right(a, &count.digits, &count.bits, &e.digit::<Nibble, 0>())
}

/// a >> count, copies of bit 63 coming in.
#[inline]
pub fn shift_arithmetic<E: Evaluator>(e: &E, a: &Word<E>, count: &ShiftCount<E>) -> Word<E> {
    let fill = e.apply1(SIGN_FILL, &e.lane(a, 15));
    e.shift_right(a, &count.digits, &count.bits, &fill)
}
