//! Signed division.

use super::{divide, negate};
use crate::tables::{
    Evaluator, Word,
    alphabet::Bit,
    catalogue::{BIT_AND, BIT_NOT, NEGATIVE},
};

/// The result of a signed division.
pub struct SignedQuotient<E: Evaluator> {
    /// The quotient, rounded towards zero.
    pub quotient: Word<E>,
    /// What is left; it has the sign of the dividend.
    pub remainder: Word<E>,
    /// The quotient does not fit: the least number was divided by -1.
    pub overflow: E::Digit<Bit>,
}

/// Signed quotient and remainder of a / b, for numbers of 64 bits or, if `half`, of 32 bits extended by
/// their sign.
///
/// The magnitudes are divided and the signs put back. Of two negative numbers the quotient must not be
/// negative, which its sign bit shows at either width.
pub fn divide_signed<E: Evaluator>(
    e: &E,
    half: &E::Digit<Bit>,
    a: &Word<E>,
    b: &Word<E>,
) -> SignedQuotient<E> {
    let negative = |x: &Word<E>, lane| e.apply1(NEGATIVE, &e.lane(x, lane));
    let negate_if = |sign: &E::Digit<Bit>, x: &Word<E>| e.attend(sign, [x, &negate(e, x)]);
    let (left, right) = (negative(a, 15), negative(b, 15));
    let (quotient, remainder) = divide(e, &negate_if(&left, a), &negate_if(&right, b));
    let top = e.attend_digit(half, [&negative(&quotient, 15), &negative(&quotient, 7)]);
    let overflow = e.apply2(BIT_AND, &top, &e.apply2(BIT_AND, &left, &right));
    let differ = e.attend_digit(&left, [&right, &e.apply1(BIT_NOT, &right)]);
    SignedQuotient {
        quotient: negate_if(&differ, &quotient),
        remainder: negate_if(&left, &remainder),
        overflow,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{
        Boundary,
        testing::{Effort, edge_pairs, on_every_evaluator, word},
    };

    on_every_evaluator!(divides_words, divides_halves);

    fn check<E: Boundary>(e: &E, half: bool, a: i64, b: i64, expected: Option<(i64, i64)>) {
        let bit = e.embed_digit::<Bit>(usize::from(half));
        let result = divide_signed(e, &bit, &e.embed(a as u64), &e.embed(b as u64));
        let overflow = e.read_digit::<Bit>(&result.overflow).unwrap() == 1;
        assert_eq!(overflow, expected.is_none(), "{a} / {b}");
        if let Some((quotient, remainder)) = expected {
            assert_eq!(e.read_out(&result.quotient).unwrap(), quotient as u64, "{a} / {b}");
            assert_eq!(e.read_out(&result.remainder).unwrap(), remainder as u64, "{a} % {b}");
        }
    }

    fn word_pair<E: Boundary>(e: &E, (a, b): (u64, u64)) {
        let (a, b) = (a as i64, if b == 0 { 1 } else { b as i64 });
        check(e, false, a, b, a.checked_div(b).zip(a.checked_rem(b)));
    }

    fn half_pair<E: Boundary>(e: &E, (a, b): (u64, u64)) {
        let (a, b) = (a as i32, if b as i32 == 0 { 1 } else { b as i32 });
        let expected = a.checked_div(b).zip(a.checked_rem(b)).map(|(q, r)| (q.into(), r.into()));
        check(e, true, a.into(), b.into(), expected);
    }

    /// Every pair of signed bytes, some of them far up.
    fn bytes() -> impl Iterator<Item = (u64, u64)> {
        (0..=u16::MAX).map(|pair| (pair as i8 as u64, (pair >> 8) as i8 as u64))
    }

    fn divides_words<E: Boundary>(e: &E, effort: Effort) {
        effort.of(bytes()).for_each(|pair| word_pair(e, pair));
        effort.less(3).of(bytes()).for_each(|(a, b)| word_pair(e, (a << 56, b)));
        effort.of(edge_pairs()).for_each(|pair| word_pair(e, pair));
        effort.check((word(), word()), |pair| word_pair(e, pair));
    }

    fn divides_halves<E: Boundary>(e: &E, effort: Effort) {
        effort.less(3).of(bytes()).for_each(|(a, b)| half_pair(e, (a << 24, b)));
        effort.of(edge_pairs()).for_each(|pair| half_pair(e, pair));
        effort.check((word(), word()), |pair| half_pair(e, pair));
    }
}
