//! Long division in base 16.

use crate::tables::{
    Evaluator, Word,
    alphabet::{Bit, Nibble, Quarter},
    catalogue::{BIT_AND, BIT_NOT, EQUAL, NON_ZERO, QUOTIENT, WordConst},
};

/// The divisor times a power of two, 2^0 to 2^3, modulo 2^64.
struct Multiple<E: Evaluator> {
    low: Word<E>,
    /// Whether nothing was lost above 2^64.
    whole: E::Digit<Bit>,
}

fn multiple<E: Evaluator, const BITS: usize>(e: &E, divisor: &Word<E>) -> Multiple<E> {
    let (none, zero) = (e.digit::<Nibble, 0>(), e.word(WordConst::Zero));
    let bits = e.digit::<Quarter, BITS>();
    let highest = e.merge(&e.shift_down(divisor, 15, &none), &zero, 1);
    // What is lost is what the highest digit alone would carry into the next.
    let lost = e.lane(&e.shift_left(&highest, &none, &bits), 1);
    Multiple { low: e.shift_left(divisor, &none, &bits), whole: e.apply1(EQUAL, &e.apply1(NON_ZERO, &lost)) }
}

/// Unsigned quotient and remainder of a / b.
///
/// Sixteen rounds, one per digit of `a` from the highest: the remainder takes the digit in, and 8, 4,
/// 2 and 1 times the divisor are taken away where they fit; which ones fit is the quotient's digit.
/// With b = 0 the quotient is all ones and the remainder is a.
pub fn divide<E: Evaluator>(e: &E, a: &Word<E>, b: &Word<E>) -> (Word<E>, Word<E>) {
    let multiples =
        [multiple::<E, 3>(e, b), multiple::<E, 2>(e, b), multiple::<E, 1>(e, b), multiple::<E, 0>(e, b)];
    let mut quotient = e.word(WordConst::Zero);
    // Never above the part of `a` taken in so far, hence below 2^64.
    let mut remainder = e.word(WordConst::Zero);
    for lane in (0..16).rev() {
        remainder = e.shift_up(&remainder, 1, &e.lane(a, lane));
        let bits = [0, 1, 2, 3].map(|k| {
            let Multiple { low, whole } = &multiples[k];
            let (less, borrow) = e.sub_words(&remainder, low, &e.digit::<Bit, 0>());
            let fits = e.apply2(BIT_AND, whole, &e.apply1(BIT_NOT, &borrow));
            remainder = e.attend(&fits, [&remainder, &less]);
            fits
        });
        let digit = e.apply4(QUOTIENT, &bits[0], &bits[1], &bits[2], &bits[3]);
        quotient = e.shift_up(&quotient, 1, &digit);
    }
    (quotient, remainder)
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
