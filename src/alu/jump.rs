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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{
        Boundary,
        testing::{Effort, edge_pairs, on_every_evaluator, word},
    };
    use std::cmp::Ordering;

    on_every_evaluator!(compares_signed, tests_bits);

    fn outcome<E: Boundary>(e: &E, digit: &E::Digit<Carry>) -> Ordering {
        match Carry::LETTERS[e.read_digit(digit).unwrap()] {
            Carry::Generate => Ordering::Less,
            Carry::Propagate => Ordering::Equal,
            Carry::Kill => Ordering::Greater,
        }
    }

    fn compares_signed<E: Boundary>(e: &E, effort: Effort) {
        let check = |(a, b): (u64, u64)| {
            let found = outcome(e, &compare_signed(e, &e.embed(a), &e.embed(b)));
            assert_eq!(found, (a as i64).cmp(&(b as i64)), "{a:#x}, {b:#x}");
        };
        // The top bytes decide the sign.
        let tops = (0..=u16::MAX).map(|pair| (u64::from(pair & 255) << 56, u64::from(pair >> 8) << 56));
        effort.of(tops).for_each(check);
        effort.of(edge_pairs()).for_each(check);
        effort.check((word(), word()), check);
    }

    fn tests_bits<E: Boundary>(e: &E, effort: Effort) {
        let check = |(a, b): (u64, u64)| {
            let found = outcome(e, &test(e, &e.embed(a), &e.embed(b)));
            assert_eq!(found == Ordering::Equal, a & b == 0, "{a:#x}, {b:#x}");
        };
        effort.of((0..64 * 64).map(|i| (1u64 << (i % 64), 1u64 << (i / 64)))).for_each(check);
        effort.of(edge_pairs()).for_each(check);
        effort.check((word(), word()), |(a, b)| {
            check((a, b));
            check((a, !a & b));
        });
    }
}
