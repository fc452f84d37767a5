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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{
        Boundary,
        testing::{Effort, byte_pairs, edge_pairs, on_every_evaluator, word},
    };

    on_every_evaluator!(arithmetic, negates, combines_bits);

    /// An operation of two words and what it has to return.
    type Case<E> = (&'static str, fn(&E, &Word<E>, &Word<E>) -> Word<E>, fn(u64, u64) -> u64);

    fn check<E: Boundary>(e: &E, cases: &[Case<E>], (a, b): (u64, u64)) {
        let (x, y) = (e.embed(a), e.embed(b));
        for (name, circuit, native) in cases {
            let result = e.read_out(&circuit(e, &x, &y)).unwrap();
            assert_eq!(result, native(a, b), "{a:#x} {name} {b:#x}");
        }
    }

    fn arithmetic<E: Boundary>(e: &E, effort: Effort) {
        let cases: [Case<E>; 3] = [
            ("+", add, u64::wrapping_add),
            ("-", subtract, u64::wrapping_sub),
            ("*", multiply, u64::wrapping_mul),
        ];
        effort.of(edge_pairs()).for_each(|pair| check(e, &cases, pair));
        effort.check((word(), word()), |pair| check(e, &cases, pair));
    }

    fn negates<E: Boundary>(e: &E, effort: Effort) {
        effort.check(word(), |a| {
            assert_eq!(e.read_out(&negate(e, &e.embed(a))).unwrap(), a.wrapping_neg(), "{a:#x}");
        });
    }

    fn combines_bits<E: Boundary>(e: &E, effort: Effort) {
        let cases: [Case<E>; 3] = [
            ("&", bitwise_and, |a, b| a & b),
            ("|", bitwise_or, |a, b| a | b),
            ("^", bitwise_xor, |a, b| a ^ b),
        ];
        effort.of(byte_pairs()).for_each(|pair| check(e, &cases, pair));
        effort.check((word(), word()), |pair| check(e, &cases, pair));
    }
}
