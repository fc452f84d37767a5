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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{
        Boundary,
        testing::{Effort, on_every_evaluator, word},
    };

    on_every_evaluator!(keeps_and_swaps);

    fn keeps_and_swaps<E: Boundary>(e: &E, effort: Effort) {
        effort.check(word(), |a| {
            for (size, kept, swapped) in [
                (Size::Byte, u64::from(a as u8), u64::from(a as u8)),
                (Size::Half, u64::from(a as u16), u64::from((a as u16).swap_bytes())),
                (Size::Word, u64::from(a as u32), u64::from((a as u32).swap_bytes())),
                (Size::Double, a, a.swap_bytes()),
            ] {
                let (size, x) = (e.embed_digit::<Size>(size as usize), e.embed(a));
                assert_eq!(e.read_out(&keep_bytes(e, &size, &x)).unwrap(), kept, "{a:#x}");
                assert_eq!(e.read_out(&swap_bytes(e, &size, &x)).unwrap(), swapped, "{a:#x}");
            }
        });
    }
}
