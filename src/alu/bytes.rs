//! Byte order: wiring alone.

use crate::tables::{
    Evaluator, Word,
    alphabet::{Nibble, Size},
    catalogue::WordConst,
};

/// The low bytes of `a`, as many as `size` says; the others become zero.
#[inline]
pub fn keep_bytes<E: Evaluator>(e: &E, size: &E::Digit<Size>, a: &Word<E>) -> Word<E> {
    let zero = e.word(WordConst::Zero);
    e.attend(size, [&e.merge(a, &zero, 2), &e.merge(a, &zero, 4), &e.merge(a, &zero, 8), a])
}

/// The low bytes of `a` in the opposite order; the others become zero.
#[inline]
pub fn swap_bytes<E: Evaluator>(e: &E, size: &E::Digit<Size>, a: &Word<E>) -> Word<E> {
    let zero = e.digit::<Nibble, 0>();
    let swapped = e.reverse_bytes(a);
    let low = |lanes: usize| e.shift_down(&swapped, 16 - lanes, &zero);
    e.attend(size, [&low(2), &low(4), &low(8), &swapped])
}
