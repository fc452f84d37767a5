//! High halves of products.

use super::{add, subtract};
use crate::tables::{
    Evaluator, Word,
    alphabet::{Bit, Nibble},
    catalogue::{NEGATIVE, WordConst},
};

/// The high 64 bits of a * b, both unsigned.
///
/// The sixteen low columns of digit products are those of a * b modulo 2^64. With both factors back to
/// front the same sums give the fifteen columns above them, also back to front. Each column, at most
/// 3600, settles to three digits; the three numbers of 32 digits they form add up to the product.
#[inline(never)]
pub fn multiply_high<E: Evaluator>(e: &E, a: &Word<E>, b: &Word<E>) -> Word<E> {
    let none = e.digit::<Nibble, 0>();
    let low = e.settle(&e.product_columns(a, b));
    // Column 30 comes first and column 15, which belongs to the low half, last.
    let high = e
        .settle(&e.product_columns(&e.reverse(a), &e.reverse(b)))
        .map(|digits| e.shift_down(&e.reverse(&digits), 1, &none));
    let (sum, carry) = e.add_words(&low[0], &e.shift_up(&low[1], 1, &none), &e.digit::<Bit, 0>());
    let (_, second_carry) = e.add_words(&sum, &e.shift_up(&low[2], 2, &none), &e.digit::<Bit, 0>());
    // What the low columns leave above digit 15.
    let once = e.shift_up(&high[1], 1, &e.lane(&low[1], 15));
    let twice = e.shift_up(&e.shift_up(&high[2], 1, &e.lane(&low[2], 15)), 1, &e.lane(&low[2], 14));
    let (sum, _) = e.add_words(&high[0], &once, &carry);
    e.add_words(&sum, &twice, &second_carry).0
}

/// The high 64 bits of a * b, both signed.
///
/// A negative factor x stands for x - 2^64, so that the other factor comes off the high half.
#[inline(never)]
pub fn multiply_high_signed<E: Evaluator>(e: &E, a: &Word<E>, b: &Word<E>) -> Word<E> {
    let zero = e.word(WordConst::Zero);
    let if_negative =
        |sign: &Word<E>, x: &Word<E>| e.attend(&e.apply1(NEGATIVE, &e.lane(sign, 15)), [&zero, x]);
    let excess = add(e, &if_negative(a, b), &if_negative(b, a));
    subtract(e, &multiply_high(e, a, b), &excess)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{
        Boundary,
        testing::{Effort, edge_pairs, on_every_evaluator, word},
    };

    on_every_evaluator!(high_halves);

    fn check<E: Boundary>(e: &E, (a, b): (u64, u64)) {
        let (x, y) = (e.embed(a), e.embed(b));
        let unsigned = (u128::from(a) * u128::from(b)) >> 64;
        let signed = (i128::from(a as i64) * i128::from(b as i64)) >> 64;
        assert_eq!(e.read_out(&multiply_high(e, &x, &y)).unwrap(), unsigned as u64, "{a:#x} * {b:#x}");
        assert_eq!(e.read_out(&multiply_high_signed(e, &x, &y)).unwrap(), signed as u64, "{a:#x} * {b:#x}");
    }

    /// Every pair of bytes on top, above zeros and above ones; a digit at every place times another.
    fn high_halves<E: Boundary>(e: &E, effort: Effort) {
        for below in [0, u64::MAX >> 8] {
            let tops = (0..=u16::MAX).map(|pair| (u64::from(pair & 255), u64::from(pair >> 8)));
            let pairs = tops.map(|(a, b)| (a << 56 | below, b << 56 | below));
            effort.of(pairs).for_each(|pair| check(e, pair));
        }
        let places = (0..256).map(|places| (15 << (4 * (places & 15)), 15 << (4 * (places >> 4))));
        effort.of(places).for_each(|pair| check(e, pair));
        effort.of(edge_pairs()).for_each(|pair| check(e, pair));
        effort.check((word(), word()), |pair| check(e, pair));
    }
}
