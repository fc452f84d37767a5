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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{
        Boundary,
        testing::{EDGES, Effort, on_every_evaluator, word},
    };
    use proptest::prelude::*;

    on_every_evaluator!(shifts_by_every_count);

    fn check<E: Boundary>(e: &E, a: u64, count: u64, half: bool) {
        let (x, bit) = (e.embed(a), e.embed_digit::<Bit>(usize::from(half)));
        let by = shift_count(e, &e.embed(count), &bit);
        let masked = count & if half { 31 } else { 63 };
        let results = [shift_left(e, &x, &by), shift_right(e, &x, &by), shift_arithmetic(e, &x, &by)]
            .map(|word| e.read_out(&word).unwrap());
        assert_eq!(results, [a << masked, a >> masked, (a as i64 >> masked) as u64], "{a:#x} by {count}");
    }

    /// Counts 0 to 255: the masks must drop bits 5, 6 and 7.
    fn shifts_by_every_count<E: Boundary>(e: &E, effort: Effort) {
        let counts = EDGES.into_iter().flat_map(|a| (0..256).map(move |count| (a, count)));
        for (a, count) in effort.of(counts) {
            check(e, a, count, false);
            check(e, a, count, true);
        }
        effort.check((word(), word(), any::<bool>()), |(a, count, half)| check(e, a, count, half));
    }
}
