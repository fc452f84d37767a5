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

/// See [`Evaluator::extend`].
pub fn extend<E: Evaluator>(e: &E, how: &E::Digit<Extend>, a: &Word<E>) -> Word<E> {
    let sign = e.splat(&e.apply1(SIGN_FILL, &e.lane(a, 7)));
    e.attend(how, [a, &e.merge(a, &e.word(WordConst::Zero), 8), &e.merge(a, &sign, 8)])
}
