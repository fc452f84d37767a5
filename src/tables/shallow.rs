//! Whole-word operations of small depth, written with single table passes, wiring and sums.
//!
//! Depth in table layers: `add_words` and `sub_words` 4, `compare` and `is_zero` 3 or 4, shifts 1 after
//! the attention, `multiply` 8 (product, two-level staircase, staircase, adder).

use super::{alphabet::*, catalogue::*, evaluator::*};

/// For every lane, the carry behaviour of it and everything below it.
///
/// Two radix-4 prefix passes: after the first a lane knows itself and three below, after the second
/// all sixteen.
fn prefix<E: Evaluator>(e: &E, states: &E::Lanes<Carry>) -> E::Lanes<Carry> {
    let through = e.digit::<Carry, { Carry::Propagate as usize }>();
    let pass = |x: &E::Lanes<Carry>, step: usize| {
        let below = |k: usize| e.shift_up(x, k * step, &through);
        e.zip4(PREFIX, x, &below(1), &below(2), &below(3))
    };
    pass(&pass(states, 1), 4)
}

/// Settles carries: `table` adds to each digit what `states` below it lets through.
fn ripple<E: Evaluator>(
    e: &E,
    table: Table3<Nibble, Carry, Bit, Nibble>,
    digits: &Word<E>,
    states: &E::Lanes<Carry>,
    carry: &E::Digit<Bit>,
) -> (Word<E>, E::Digit<Bit>) {
    let all = prefix(e, states);
    let below = e.shift_up(&all, 1, &e.digit::<Carry, { Carry::Propagate as usize }>());
    let sum = e.zip3(table, digits, &below, &e.splat(carry));
    (sum, e.apply2(CARRY_OUT, &e.lane(&all, 15), carry))
}

/// See [`Evaluator::add_words`].
pub fn add_words<E: Evaluator>(
    e: &E,
    a: &Word<E>,
    b: &Word<E>,
    carry: &E::Digit<Bit>,
) -> (Word<E>, E::Digit<Bit>) {
    ripple(e, INCREMENT, &e.zip2(ADD, a, b), &e.zip2(ADD_CARRY, a, b), carry)
}

/// See [`Evaluator::sub_words`].
pub fn sub_words<E: Evaluator>(
    e: &E,
    a: &Word<E>,
    b: &Word<E>,
    borrow: &E::Digit<Bit>,
) -> (Word<E>, E::Digit<Bit>) {
    ripple(e, DECREMENT, &e.zip2(SUBTRACT, a, b), &e.zip2(SUBTRACT_BORROW, a, b), borrow)
}

/// See [`Evaluator::compare`].
pub fn compare<E: Evaluator>(e: &E, a: &Word<E>, b: &Word<E>) -> E::Digit<Carry> {
    e.lane(&prefix(e, &e.zip2(SUBTRACT_BORROW, a, b)), 15)
}

/// See [`Evaluator::is_zero`].
pub fn is_zero<E: Evaluator>(e: &E, a: &Word<E>) -> E::Digit<Bit> {
    e.apply1(EQUAL, &e.lane(&prefix(e, &e.map(NON_ZERO, a)), 15))
}

/// See [`Evaluator::increment`].
pub fn increment<E: Evaluator>(e: &E, a: &Word<E>) -> Word<E> {
    add_words(e, a, &e.word(WordConst::One), &e.digit::<Bit, 0>()).0
}

/// See [`Evaluator::decrement`].
pub fn decrement<E: Evaluator>(e: &E, a: &Word<E>) -> (Word<E>, E::Digit<Bit>) {
    sub_words(e, a, &e.word(WordConst::One), &e.digit::<Bit, 0>())
}

/// See [`Evaluator::shift_left`].
pub fn shift_left<E: Evaluator>(
    e: &E,
    a: &Word<E>,
    digits: &E::Digit<Nibble>,
    bits: &E::Digit<Quarter>,
) -> Word<E> {
    let zero = e.digit::<Nibble, 0>();
    let moved = e.attend_up(digits, a, &zero);
    e.zip3(SHIFT_UP, &moved, &e.shift_up(&moved, 1, &zero), &e.splat(bits))
}

/// See [`Evaluator::shift_right`].
pub fn shift_right<E: Evaluator>(
    e: &E,
    a: &Word<E>,
    digits: &E::Digit<Nibble>,
    bits: &E::Digit<Quarter>,
    fill: &E::Digit<Nibble>,
) -> Word<E> {
    let moved = e.attend_down(digits, a, fill);
    e.zip3(SHIFT_DOWN, &moved, &e.shift_down(&moved, 1, fill), &e.splat(bits))
}

/// See [`Evaluator::multiply`].
///
/// Columns of digit products (at most 3600) become three digits each; those, moved to their places,
/// are columns again (at most 45), a digit and a small carry each; one addition joins the two.
pub fn multiply<E: Evaluator>(e: &E, a: &Word<E>, b: &Word<E>) -> Word<E> {
    let [low, middle, high] = e.settle(&e.product_columns(a, b));
    let [digits, carries] = e.settle_small(&e.digit_columns(&low, &middle, &high));
    let carries = e.shift_up(&carries, 1, &e.digit::<Nibble, 0>());
    e.add_words(&digits, &carries, &e.digit::<Bit, 0>()).0
}

/// See [`Evaluator::sum_words`].
///
/// Columns of digits (at most 255) become two digits each, the high one a carry into the next place;
/// one addition joins the two.
pub fn sum_words<E: Evaluator, const N: usize>(e: &E, words: [&Word<E>; N]) -> Word<E> {
    let [digits, carries, _] = e.settle(&e.sum_columns(words));
    let carries = e.shift_up(&carries, 1, &e.digit::<Nibble, 0>());
    e.add_words(&digits, &carries, &e.digit::<Bit, 0>()).0
}

/// See [`Evaluator::sum_halves`].
///
/// As [`sum_words`], but nothing leaves lane 7: no digit, and of a carry what a kill lets through.
pub fn sum_halves<E: Evaluator, const N: usize>(e: &E, words: [&Word<E>; N]) -> Word<E> {
    let zero = e.digit::<Nibble, 0>();
    let kill = e.splat(&e.digit::<Carry, { Carry::Kill as usize }>());
    let [digits, carries, _] = e.settle(&e.sum_columns(words));
    let carries = e.shift_up(&carries, 1, &zero);
    let carries = e.merge(&e.merge(&carries, &e.splat(&zero), 8), &carries, 9);
    let states = e.zip2(ADD_CARRY, &digits, &carries);
    let states = e.merge(&e.merge(&states, &kill, 7), &states, 8);
    ripple(e, INCREMENT, &e.zip2(ADD, &digits, &carries), &states, &e.digit::<Bit, 0>()).0
}

/// The digit for `bits` (0 to 3) below a whole digit.
fn quarter<E: Evaluator>(e: &E, bits: usize) -> E::Digit<Quarter> {
    match bits {
        0 => e.digit::<Quarter, 0>(),
        1 => e.digit::<Quarter, 1>(),
        2 => e.digit::<Quarter, 2>(),
        _ => e.digit::<Quarter, 3>(),
    }
}

/// See [`Evaluator::roll`].
pub fn roll<E: Evaluator, const N: usize>(e: &E, a: &Word<E>) -> Word<E> {
    let near = e.roll_lanes(a, N / 4);
    if N.is_multiple_of(4) {
        return near;
    }
    e.zip3(SHIFT_DOWN, &near, &e.roll_lanes(&near, 1), &e.splat(&quarter(e, N % 4)))
}

/// See [`Evaluator::roll_halves`].
pub fn roll_halves<E: Evaluator, const LOW: usize, const HIGH: usize>(e: &E, a: &Word<E>) -> Word<E> {
    let near = e.merge(&e.roll_half_lanes(a, LOW / 4), &e.roll_half_lanes(a, HIGH / 4), 8);
    if LOW.is_multiple_of(4) && HIGH.is_multiple_of(4) {
        return near;
    }
    let bits = e.merge(&e.splat(&quarter(e, LOW % 4)), &e.splat(&quarter(e, HIGH % 4)), 8);
    e.zip3(SHIFT_DOWN, &near, &e.roll_half_lanes(&near, 1), &bits)
}

/// See [`Evaluator::shift_halves`].
pub fn shift_halves<E: Evaluator, const N: usize>(e: &E, a: &Word<E>) -> Word<E> {
    let zero = e.digit::<Nibble, 0>();
    let low = e.merge(a, &e.splat(&zero), 8);
    let moved = |count| e.merge(&e.shift_down(&low, count, &zero), &e.shift_down(a, count, &zero), 8);
    if N.is_multiple_of(4) {
        return moved(N / 4);
    }
    e.zip3(SHIFT_DOWN, &moved(N / 4), &moved(N / 4 + 1), &e.splat(&quarter(e, N % 4)))
}

/// See [`Evaluator::extend`].
pub fn extend<E: Evaluator>(e: &E, how: &E::Digit<Extend>, a: &Word<E>) -> Word<E> {
    let sign = e.splat(&e.apply1(SIGN_FILL, &e.lane(a, 7)));
    e.attend(how, [a, &e.merge(a, &e.word(WordConst::Zero), 8), &e.merge(a, &sign, 8)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::testing::{Effort, byte_pairs, edge_pairs, on_every_evaluator, word};
    use proptest::prelude::*;

    // Every body runs the evaluator's own form and the shallow one.
    on_every_evaluator!(
        adds, subtracts, compares, counts, finds_zero, shifts, extends, multiplies, sums, rolls
    );

    /// A circuit of one word, and one of two.
    type One<E, R> = fn(&E, &Word<E>) -> R;
    type Two<E, R> = fn(&E, &Word<E>, &Word<E>) -> R;
    type Carrying<E> = fn(&E, &Word<E>, &Word<E>, &<E as Evaluator>::Digit<Bit>) -> Carried<E>;
    type Carried<E> = (Word<E>, <E as Evaluator>::Digit<Bit>);

    /// Both forms against `native(a, b, carry)`, which returns the word and the carry that leaves.
    fn carries<E: Boundary>(
        e: &E,
        effort: Effort,
        forms: [Carrying<E>; 2],
        native: impl Fn(u64, u64, u64) -> (u64, bool),
    ) {
        let check = |a: u64, b: u64, carry: bool| {
            let (x, y, bit) = (e.embed(a), e.embed(b), e.embed_digit::<Bit>(usize::from(carry)));
            for form in forms {
                let (word, leaving) = form(e, &x, &y, &bit);
                let result = (e.read_out(&word).unwrap(), e.read_digit(&leaving).unwrap() == 1);
                assert_eq!(result, native(a, b, u64::from(carry)), "{a:#x}, {b:#x}, {carry}");
            }
        };
        for (a, b) in effort.of(byte_pairs()) {
            check(a, b, false);
            check(a, b, true);
        }
        effort.check((word(), word(), any::<bool>()), |(a, b, carry)| check(a, b, carry));
    }

    fn adds<E: Boundary>(e: &E, effort: Effort) {
        carries(e, effort, [E::add_words, add_words], |a, b, carry| {
            let sum = u128::from(a) + u128::from(b) + u128::from(carry);
            (sum as u64, sum >> 64 == 1)
        });
    }

    fn subtracts<E: Boundary>(e: &E, effort: Effort) {
        carries(e, effort, [E::sub_words, sub_words], |a, b, borrow| {
            let taken = u128::from(b) + u128::from(borrow);
            (a.wrapping_sub(b).wrapping_sub(borrow), u128::from(a) < taken)
        });
    }

    fn compares<E: Boundary>(e: &E, effort: Effort) {
        let forms: [Two<E, E::Digit<Carry>>; 2] = [E::compare, compare];
        let check = |(a, b): (u64, u64)| {
            for form in forms {
                let outcome = Carry::LETTERS[e.read_digit(&form(e, &e.embed(a), &e.embed(b))).unwrap()];
                let expected = match a.cmp(&b) {
                    std::cmp::Ordering::Less => Carry::Generate,
                    std::cmp::Ordering::Equal => Carry::Propagate,
                    std::cmp::Ordering::Greater => Carry::Kill,
                };
                assert_eq!(outcome, expected, "{a:#x}, {b:#x}");
            }
        };
        effort.of(byte_pairs()).for_each(check);
        effort.check((word(), word()), check);
        effort.check(word(), |a| check((a, a)));
    }

    fn counts<E: Boundary>(e: &E, effort: Effort) {
        let up: [One<E, Word<E>>; 2] = [E::increment, increment];
        let down: [One<E, Carried<E>>; 2] = [E::decrement, decrement];
        let check = |a: u64| {
            let x = e.embed(a);
            for form in up {
                assert_eq!(e.read_out(&form(e, &x)).unwrap(), a.wrapping_add(1), "{a:#x}");
            }
            for form in down {
                let (less, was_zero) = form(e, &x);
                assert_eq!(e.read_out(&less).unwrap(), a.wrapping_sub(1), "{a:#x}");
                assert_eq!(e.read_digit(&was_zero).unwrap() == 1, a == 0, "{a:#x}");
            }
        };
        effort.of(byte_pairs()).for_each(|(a, _)| check(a));
        effort.check(word(), check);
        check(0);
    }

    fn finds_zero<E: Boundary>(e: &E, effort: Effort) {
        let forms: [One<E, E::Digit<Bit>>; 2] = [E::is_zero, is_zero];
        let check = |a: u64| {
            for form in forms {
                assert_eq!(e.read_digit(&form(e, &e.embed(a))).unwrap() == 1, a == 0, "{a:#x}");
            }
        };
        check(0);
        (0..64).for_each(|bit| check(1 << bit));
        effort.check(word(), check);
    }

    fn shifts<E: Boundary>(e: &E, effort: Effort) {
        type Left<E> =
            fn(&E, &Word<E>, &<E as Evaluator>::Digit<Nibble>, &<E as Evaluator>::Digit<Quarter>) -> Word<E>;
        type Right<E> = fn(
            &E,
            &Word<E>,
            &<E as Evaluator>::Digit<Nibble>,
            &<E as Evaluator>::Digit<Quarter>,
            &<E as Evaluator>::Digit<Nibble>,
        ) -> Word<E>;
        let left: [Left<E>; 2] = [E::shift_left, shift_left];
        let right: [Right<E>; 2] = [E::shift_right, shift_right];
        let check = |a: u64, count: usize| {
            let x = e.embed(a);
            let (digits, bits) = (e.embed_digit(count / 4), e.embed_digit(count % 4));
            for form in left {
                assert_eq!(
                    e.read_out(&form(e, &x, &digits, &bits)).unwrap(),
                    a << count,
                    "{a:#x} << {count}"
                );
            }
            for (fill, ones) in [(0, 0), (15, u64::MAX)] {
                for form in right {
                    let shifted = e.read_out(&form(e, &x, &digits, &bits, &e.embed_digit(fill))).unwrap();
                    let expected = (u128::from(ones) << 64 | u128::from(a)) >> count;
                    assert_eq!(shifted, expected as u64, "{a:#x} >> {count}, fill {fill}");
                }
            }
        };
        let bytes = || (0..=255u64).flat_map(|a| [a, a << 28, a << 56]);
        for (a, count) in effort.of(bytes().flat_map(|a| (0..64).map(move |count| (a, count)))) {
            check(a, count);
        }
        effort.check((word(), 0usize..64), |(a, count)| check(a, count));
    }

    /// Two, seven and as many words as there may be.
    fn sums<E: Boundary>(e: &E, effort: Effort) {
        fn check<E: Boundary, const N: usize>(e: &E, values: &[u64; N]) {
            let words = values.map(|value| e.embed(value));
            let sum = values.iter().fold(0, |sum: u64, value| sum.wrapping_add(*value));
            let half =
                |shift: u32| values.iter().fold(0, |sum: u32, v| sum.wrapping_add((v >> shift) as u32));
            let halves = u64::from(half(0)) | u64::from(half(32)) << 32;
            let whole = [e.sum_words(words.each_ref()), sum_words(e, words.each_ref())];
            let split = [e.sum_halves(words.each_ref()), sum_halves(e, words.each_ref())];
            assert_eq!(whole.map(|word| e.read_out(&word).unwrap()), [sum; 2], "{values:x?}");
            assert_eq!(split.map(|word| e.read_out(&word).unwrap()), [halves; 2], "{values:x?}");
        }
        effort.of(byte_pairs()).for_each(|(a, b)| check(e, &[a, b]));
        effort.of(edge_pairs()).for_each(|(a, b)| check(e, &[a, b, a, b, b, a, a]));
        effort.check(prop::array::uniform7(word()), |values| check(e, &values));
        effort.less(2).check(prop::array::uniform16(word()), |values| check(e, &values));
        check(e, &[u64::MAX; ADDENDS]);
    }

    fn rolls<E: Boundary>(e: &E, effort: Effort) {
        fn check<E: Boundary, const N: usize, const M: usize>(e: &E, a: u64) {
            let x = e.embed(a);
            let read = |word: Word<E>| e.read_out(&word).unwrap();
            let halves = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
            let (low, high) = (a as u32, (a >> 32) as u32);
            let (n, m) = (N as u32, M as u32);
            let rolled = a.rotate_right(n + m);
            let in_halves = halves(low.rotate_right(n), high.rotate_right(m));
            let down = halves(low >> n, high >> n);
            assert_eq!([read(e.roll::<N>(&x)), read(roll::<_, N>(e, &x))], [a.rotate_right(n); 2]);
            assert_eq!(read(e.roll::<N>(&e.roll::<M>(&x))), rolled, "{a:x} by {N} and {M}");
            let both = [read(e.roll_halves::<N, M>(&x)), read(roll_halves::<_, N, M>(e, &x))];
            assert_eq!(both, [in_halves; 2], "{a:x} by {N} and {M}");
            let both = [read(e.shift_halves::<N>(&x)), read(shift_halves::<_, N>(e, &x))];
            assert_eq!(both, [down; 2], "{a:x} by {N}");
        }
        let all = |a: u64| {
            check::<E, 0, 1>(e, a);
            check::<E, 1, 4>(e, a);
            check::<E, 2, 0>(e, a);
            check::<E, 3, 31>(e, a);
            check::<E, 4, 8>(e, a);
            check::<E, 10, 28>(e, a);
            check::<E, 31, 7>(e, a);
        };
        // Every byte with every digit above it, in each half and between them.
        let windows = (0..1u64 << 12).map(|bits| bits | bits << 28 | bits << 50);
        effort.of(windows).for_each(all);
        effort.less(3).check(word(), all);
    }

    fn extends<E: Boundary>(e: &E, effort: Effort) {
        type How<E> = fn(&E, &<E as Evaluator>::Digit<Extend>, &Word<E>) -> Word<E>;
        let forms: [How<E>; 2] = [E::extend, extend];
        effort.check(word(), |a| {
            for (how, expected) in
                [(Extend::Whole, a), (Extend::Zero, a & 0xffff_ffff), (Extend::Sign, a as u32 as i32 as u64)]
            {
                for form in forms {
                    let extended = form(e, &e.embed_digit(how as usize), &e.embed(a));
                    assert_eq!(e.read_out(&extended).unwrap(), expected, "{how:?} of {a:#x}");
                }
            }
        });
    }

    fn multiplies<E: Boundary>(e: &E, effort: Effort) {
        let forms: [Two<E, Word<E>>; 2] = [E::multiply, multiply];
        let check = |(a, b): (u64, u64)| {
            for form in forms {
                let product = form(e, &e.embed(a), &e.embed(b));
                assert_eq!(e.read_out(&product).unwrap(), a.wrapping_mul(b), "{a:#x} * {b:#x}");
            }
        };
        effort.less(7).of(byte_pairs()).for_each(check);
        effort.of(edge_pairs()).for_each(check);
        effort.check((word(), word()), check);
    }
}
