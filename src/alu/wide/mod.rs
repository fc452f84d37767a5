//! Numbers of several words.

pub mod modular;

use crate::tables::{
    Evaluator, Word,
    alphabet::{Bit, Carry, Nibble},
    catalogue::{BIT_AND, BIT_NOT, LOW_BIT, PREFIX},
};

/// A number of N words, the least significant first.
pub type Number<E, const N: usize> = [Word<E>; N];

/// The digits of the number that the columns, each below 128, stand for: N words of them, and those
/// above.
#[inline]
pub fn carry<E: Evaluator, const N: usize>(e: &E, sums: &E::Sums) -> (Number<E, N>, Word<E>) {
    let mut left_over = e.digit::<Nibble, 0>();
    let mut carry = e.digit::<Bit, 0>();
    let mut word = |index| {
        let [digits, left] = e.settle_sums(sums, index);
        let moved = e.shift_up(&left, 1, &left_over);
        let (sum, leaving) = e.add_words(&digits, &moved, &carry);
        left_over = e.lane(&left, 15);
        carry = leaving;
        sum
    };
    let low = std::array::from_fn(&mut word);
    let top = word(N);
    (low, top)
}

/// a + b modulo 16^(16 N), and the carry that leaves.
#[inline]
pub fn add<E: Evaluator, const N: usize>(
    e: &E,
    a: &Number<E, N>,
    b: &Number<E, N>,
) -> (Number<E, N>, E::Digit<Bit>) {
    let mut carry = e.digit::<Bit, 0>();
    let sum = std::array::from_fn(|i| {
        let (word, leaving) = e.add_words(&a[i], &b[i], &carry);
        carry = leaving;
        word
    });
    (sum, carry)
}

/// a - b modulo 16^(16 N), and the borrow that leaves: whether a is less than b.
#[inline]
pub fn subtract<E: Evaluator, const N: usize>(
    e: &E,
    a: &Number<E, N>,
    b: &Number<E, N>,
) -> (Number<E, N>, E::Digit<Bit>) {
    let mut borrow = e.digit::<Bit, 0>();
    let difference = std::array::from_fn(|i| {
        let (word, leaving) = e.sub_words(&a[i], &b[i], &borrow);
        borrow = leaving;
        word
    });
    (difference, borrow)
}

/// How a compares with b.
#[inline]
pub fn compare<E: Evaluator, const N: usize>(e: &E, a: &Number<E, N>, b: &Number<E, N>) -> E::Digit<Carry> {
    let equal = e.digit::<Carry, { Carry::Propagate as usize }>();
    // What lies above decides, unless it is equal.
    a.iter()
        .zip(b)
        .fold(equal.clone(), |below, (a, b)| e.apply4(PREFIX, &e.compare(a, b), &below, &equal, &equal))
}

/// The first number, or the second where the bit is on.
#[inline]
pub fn select<E: Evaluator, const N: usize>(
    e: &E,
    bit: &E::Digit<Bit>,
    off: &Number<E, N>,
    on: &Number<E, N>,
) -> Number<E, N> {
    std::array::from_fn(|i| e.attend(bit, [&off[i], &on[i]]))
}

/// Whether every digit is 0.
#[inline]
pub fn is_zero<E: Evaluator, const N: usize>(e: &E, a: &Number<E, N>) -> E::Digit<Bit> {
    let mut words = a.iter();
    let first = words.next().map_or_else(|| e.digit::<Bit, 1>(), |word| e.is_zero(word));
    words.fold(first, |zero, word| e.apply2(BIT_AND, &zero, &e.is_zero(word)))
}

/// Bit 0.
#[inline]
pub fn is_odd<E: Evaluator, const N: usize>(e: &E, a: &Number<E, N>) -> E::Digit<Bit> {
    e.apply1(LOW_BIT, &e.lane(&a[0], 0))
}

/// Either bit.
#[inline]
pub fn either<E: Evaluator>(e: &E, a: &E::Digit<Bit>, b: &E::Digit<Bit>) -> E::Digit<Bit> {
    let neither = e.apply2(BIT_AND, &e.apply1(BIT_NOT, a), &e.apply1(BIT_NOT, b));
    e.apply1(BIT_NOT, &neither)
}

#[cfg(test)]
mod tests;
