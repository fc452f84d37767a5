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
