//! Comparisons behind the conditional jumps.

use crate::tables::{
    Evaluator, Word,
    alphabet::Carry,
    catalogue::{AND, FLIP_SIGN, WordConst},
};

/// How a compares with b, both signed: with the sign bits inverted, signed order is unsigned order.
#[inline]
pub fn compare_signed<E: Evaluator>(e: &E, a: &Word<E>, b: &Word<E>) -> E::Digit<Carry> {
    let flip = |x: &Word<E>| {
        let top = e.apply1(FLIP_SIGN, &e.lane(x, 15));
        e.merge(x, &e.splat(&top), 15)
    };
    e.compare(&flip(a), &flip(b))
}

/// How a & b compares with 0: equal if they share no bit.
#[inline]
pub fn test<E: Evaluator>(e: &E, a: &Word<E>, b: &Word<E>) -> E::Digit<Carry> {
    e.compare(&e.zip2(AND, a, b), &e.word(WordConst::Zero))
}
