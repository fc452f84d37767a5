//! Long division in base 16.

use crate::tables::{
    Evaluator, Word,
    alphabet::{Bit, Carry, Nibble, Quarter},
    catalogue::{BIT_NOT, CARRY_OUT, DECREMENT, QUOTIENT, SUBTRACT, SUBTRACT_BORROW, WordConst},
};

/// A number below 2^68: sixteen digits and one above.
struct Long<E: Evaluator> {
    low: Word<E>,
    top: E::Digit<Nibble>,
}

/// The divisor times a power of two, 2^0 to 2^3.
fn multiple<E: Evaluator, const BITS: usize>(e: &E, divisor: &Word<E>) -> Long<E> {
    let (none, zero) = (e.digit::<Nibble, 0>(), e.word(WordConst::Zero));
    let bits = e.digit::<Quarter, BITS>();
    let above = e.merge(&e.shift_down(divisor, 15, &none), &zero, 1);
    // The digit above the word is what a word shifted down by fifteen digits would carry there.
    let carried = e.shift_left(&above, &none, &bits);
    Long { low: e.shift_left(divisor, &none, &bits), top: e.lane(&carried, 1) }
}

/// a - b where that is not negative: the difference and whether it was (no borrow).
fn try_subtract<E: Evaluator>(e: &E, a: &Long<E>, b: &Long<E>) -> (Long<E>, E::Digit<Bit>) {
    let (low, borrow) = e.sub_words(&a.low, &b.low, &e.digit::<Bit, 0>());
    let through = e.digit::<Carry, { Carry::Propagate as usize }>();
    let top = e.apply3(DECREMENT, &e.apply2(SUBTRACT, &a.top, &b.top), &through, &borrow);
    let left = e.apply2(CARRY_OUT, &e.apply2(SUBTRACT_BORROW, &a.top, &b.top), &borrow);
    (Long { low, top }, e.apply1(BIT_NOT, &left))
}

/// Unsigned quotient and remainder of a / b.
///
/// Sixteen rounds, one per digit of `a` from the highest: the remainder takes the digit in, and 8, 4,
/// 2 and 1 times the divisor are taken away where they fit; which ones fit is the quotient's digit.
/// With b = 0 the quotient is all ones and the remainder is a.
pub fn divide<E: Evaluator>(e: &E, a: &Word<E>, b: &Word<E>) -> (Word<E>, Word<E>) {
    let zero = e.digit::<Nibble, 0>();
    let multiples =
        [multiple::<E, 3>(e, b), multiple::<E, 2>(e, b), multiple::<E, 1>(e, b), multiple::<E, 0>(e, b)];
    let mut quotient = e.word(WordConst::Zero);
    let mut remainder = Long::<E> { low: e.word(WordConst::Zero), top: zero.clone() };
    for lane in (0..16).rev() {
        remainder =
            Long { top: e.lane(&remainder.low, 15), low: e.shift_up(&remainder.low, 1, &e.lane(a, lane)) };
        let bits = [0, 1, 2, 3].map(|k| {
            let (less, fits) = try_subtract(e, &remainder, &multiples[k]);
            remainder = Long {
                low: e.attend(&fits, [&remainder.low, &less.low]),
                top: e.attend_digit(&fits, [&remainder.top, &less.top]),
            };
            fits
        });
        let digit = e.apply4(QUOTIENT, &bits[0], &bits[1], &bits[2], &bits[3]);
        quotient = e.shift_up(&quotient, 1, &digit);
    }
    (quotient, remainder.low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{
        Boundary,
        testing::{Effort, edge_pairs, on_every_evaluator, word},
    };

    on_every_evaluator!(divides);

    fn check<E: Boundary>(e: &E, (a, b): (u64, u64)) {
        let (quotient, remainder) = divide(e, &e.embed(a), &e.embed(b));
        let result = (e.read_out(&quotient).unwrap(), e.read_out(&remainder).unwrap());
        let expected = (a.checked_div(b).unwrap_or(u64::MAX), a.checked_rem(b).unwrap_or(a));
        assert_eq!(result, expected, "{a:#x} / {b:#x}");
    }

    /// Every pair of bytes; again with the divisor so high that its multiples need the digit above.
    fn divides<E: Boundary>(e: &E, effort: Effort) {
        let bytes = || (0..=u16::MAX).map(|pair| (u64::from(pair & 255), u64::from(pair >> 8)));
        effort.of(bytes()).for_each(|pair| check(e, pair));
        effort.less(3).of(bytes()).for_each(|(a, b)| check(e, (a << 56 | !0 >> 8, b << 56 | 1)));
        effort.of(edge_pairs()).for_each(|pair| check(e, pair));
        effort.check((word(), word()), |pair| check(e, pair));
    }
}
