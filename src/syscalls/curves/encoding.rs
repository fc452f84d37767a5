//! Orders of bytes, and flags in the highest bits of a number.

use super::weierstrass::{both, not};
use crate::{
    alu::wide::{self, Number},
    tables::{
        Evaluator,
        alphabet::{Bit, Nibble},
        catalogue::{AND, EQUAL, NON_ZERO, OR},
    },
};

/// A number whose bytes come the other way round: the words in the opposite order, and the bytes of each.
pub fn reverse_bytes<E: Evaluator, const N: usize>(e: &E, a: &Number<E, N>) -> Number<E, N> {
    std::array::from_fn(|i| e.reverse_bytes(&a[N - 1 - i]))
}

/// The digit of a number that holds its four highest bits.
fn top<E: Evaluator, const N: usize>(e: &E, a: &Number<E, N>) -> E::Digit<Nibble> {
    e.lane(&a[N - 1], 15)
}

fn with_top<E: Evaluator, const N: usize>(e: &E, a: &Number<E, N>, top: &E::Digit<Nibble>) -> Number<E, N> {
    let mut a = a.clone();
    a[N - 1] = e.merge(&a[N - 1], &e.splat(top), 15);
    a
}

/// Whether one of the highest four bits that `MASK` names is on.
pub fn flag<E: Evaluator, const MASK: usize, const N: usize>(e: &E, a: &Number<E, N>) -> E::Digit<Bit> {
    let masked = e.apply2(AND, &top(e, a), &e.digit::<Nibble, MASK>());
    not(e, &e.apply1(EQUAL, &e.apply1(NON_ZERO, &masked)))
}

/// A number of whose highest four bits only those that `MASK` names are left.
pub fn keep<E: Evaluator, const MASK: usize, const N: usize>(e: &E, a: &Number<E, N>) -> Number<E, N> {
    with_top(e, a, &e.apply2(AND, &top(e, a), &e.digit::<Nibble, MASK>()))
}

/// A number with the highest bits that `MASK` names put on where `bit` is on.
pub fn put_flag<E: Evaluator, const MASK: usize, const N: usize>(
    e: &E,
    a: &Number<E, N>,
    bit: &E::Digit<Bit>,
) -> Number<E, N> {
    let on = with_top(e, a, &e.apply2(OR, &top(e, a), &e.digit::<Nibble, MASK>()));
    wide::select(e, bit, a, &on)
}

/// Whether every number is 0.
pub fn all_zero<E: Evaluator, const N: usize>(e: &E, numbers: &[&Number<E, N>]) -> E::Digit<Bit> {
    numbers.iter().fold(e.digit::<Bit, 1>(), |zero, number| both(e, &zero, &wide::is_zero(e, number)))
}
