//! Sums, differences, products, bitwise operations and extension.

use crate::tables::{
    Evaluator, Word,
    alphabet::{Bit, Extend},
    catalogue::{AND, OR, WordConst, XOR},
};

/// a + b modulo 2^64.
#[inline]
pub fn add<E: Evaluator>(e: &E, a: &Word<E>, b: &Word<E>) -> Word<E> {
    e.add_words(a, b, &e.digit::<Bit, 0>()).0
}

/// a - b modulo 2^64.
#[inline]
pub fn subtract<E: Evaluator>(e: &E, a: &Word<E>, b: &Word<E>) -> Word<E> {
    e.sub_words(a, b, &e.digit::<Bit, 0>()).0
}

/// -a modulo 2^64.
#[inline]
pub fn negate<E: Evaluator>(e: &E, a: &Word<E>) -> Word<E> {
    subtract(e, &e.word(WordConst::Zero), a)
}

/// a * b modulo 2^64.
#[inline]
pub fn multiply<E: Evaluator>(e: &E, a: &Word<E>, b: &Word<E>) -> Word<E> {
    e.multiply(a, b)
}

/// a & b.
#[inline]
pub fn bitwise_and<E: Evaluator>(e: &E, a: &Word<E>, b: &Word<E>) -> Word<E> {
    e.zip2(AND, a, b)
}

/// a | b.
#[inline]
pub fn bitwise_or<E: Evaluator>(e: &E, a: &Word<E>, b: &Word<E>) -> Word<E> {
    e.zip2(OR, a, b)
}

/// a ^ b.
#[inline]
pub fn bitwise_xor<E: Evaluator>(e: &E, a: &Word<E>, b: &Word<E>) -> Word<E> {
    e.zip2(XOR, a, b)
}

/// The word as it is, or its low 32 bits extended by zeros or by the sign.
#[inline]
pub fn extend<E: Evaluator>(e: &E, how: &E::Digit<Extend>, a: &Word<E>) -> Word<E> {
    e.extend(how, a)
}
