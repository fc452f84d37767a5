//! Numbers of several words against big integers.

use super::*;
use crate::tables::{
    Boundary,
    alphabet::Nibble,
    testing::{Effort, byte_pairs, on_every_evaluator, word},
};
use num_bigint::BigUint;
use proptest::{collection::vec, prelude::*};
use std::cmp::Ordering;

on_every_evaluator!(one_word, across_words, four_words, six_words, products, carries);

fn natural(words: &[u64]) -> BigUint {
    words.iter().rev().fold(BigUint::default(), |x, word| (x << 64) + *word)
}

fn embed<E: Boundary, const N: usize>(e: &E, words: &[u64; N]) -> Number<E, N> {
    words.map(|word| e.embed(word))
}

fn read<E: Boundary, const N: usize>(e: &E, number: &Number<E, N>) -> BigUint {
    natural(&number.each_ref().map(|word| e.read_out(word).unwrap()))
}

/// Numbers of N words, among them those whose words are all zeros or ones, which carries run through.
fn number<const N: usize>() -> impl Strategy<Value = [u64; N]> + Clone {
    let words = prop_oneof![3 => word(), 1 => Just(0), 1 => Just(u64::MAX)];
    vec(words, N).prop_map(|words| words.try_into().unwrap())
}

fn check<E: Boundary, const N: usize>(e: &E, a: &[u64; N], b: &[u64; N]) {
    let (x, y) = (embed(e, a), embed(e, b));
    let bit = |digit| e.read_digit::<Bit>(&digit).unwrap() == 1;
    let (m, n, capacity) = (natural(a), natural(b), BigUint::from(1u32) << (64 * N));
    let (total, carry) = add(e, &x, &y);
    assert_eq!(read(e, &total), (&m + &n) % &capacity, "{a:x?} + {b:x?}");
    assert_eq!(bit(carry), &m + &n >= capacity, "carry of {a:x?} + {b:x?}");
    let (less, borrow) = subtract(e, &x, &y);
    assert_eq!(read(e, &less), (&m + &capacity - &n) % &capacity, "{a:x?} - {b:x?}");
    assert_eq!(bit(borrow), m < n, "borrow of {a:x?} - {b:x?}");
    let expected = match m.cmp(&n) {
        Ordering::Less => Carry::Generate,
        Ordering::Equal => Carry::Propagate,
        Ordering::Greater => Carry::Kill,
    };
    let found = e.read_digit::<Carry>(&compare(e, &x, &y)).unwrap();
    assert_eq!(found, expected as usize, "{a:x?} compared with {b:x?}");
    assert_eq!(bit(is_zero(e, &x)), m == BigUint::default(), "{a:x?} is 0");
    assert_eq!(bit(is_odd(e, &x)), a[0] % 2 == 1, "{a:x?} is odd");
    for on in [0, 1] {
        let chosen = select(e, &e.embed_digit::<Bit>(on), &x, &y);
        assert_eq!(read(e, &chosen), if on == 1 { n.clone() } else { m.clone() }, "{a:x?} or {b:x?}");
    }
}

/// Every pair of bytes at three places.
fn one_word<E: Boundary>(e: &E, effort: Effort) {
    effort.less(10).of(byte_pairs()).for_each(|(a, b)| check(e, &[a], &[b]));
}

/// Every pair of bytes across the end of a word, alone and below ones.
fn across_words<E: Boundary>(e: &E, effort: Effort) {
    let pairs = (0..=u16::MAX).map(|pair| (u64::from(pair & 255), u64::from(pair >> 8)));
    effort.less(4).of(pairs).for_each(|(a, b)| {
        let [a, b] = [a, b].map(|byte| [byte << 60, byte >> 4]);
        check(e, &a, &b);
        check(e, &[a[0] | 1, a[1] | u64::MAX << 4], &b);
    });
}

fn four_words<E: Boundary>(e: &E, effort: Effort) {
    effort.less(5).check((number(), number()), |(a, b)| check::<_, 4>(e, &a, &b));
    effort.less(20).check(number(), |a| check::<_, 4>(e, &a, &a));
}

fn six_words<E: Boundary>(e: &E, effort: Effort) {
    effort.less(5).check((number(), number()), |(a, b)| check::<_, 6>(e, &a, &b));
}

/// The digits of a product, from its columns: settled to small ones, and those to digits.
fn product<E: Boundary, const N: usize, const TWICE: usize>(e: &E, a: &[u64; N], b: &[u64; N]) {
    let columns = e.product_sums(&embed(e, a), &embed(e, b));
    let (found, above) = carry::<_, TWICE>(e, &e.spread(&columns, 32 * N));
    assert_eq!(read(e, &found), natural(a) * natural(b), "{a:x?} * {b:x?}");
    assert_eq!(e.read_out(&above).unwrap(), 0, "{a:x?} * {b:x?}");
}

/// Products and squares; in one word those of every pair of bytes, at both ends.
fn products<E: Boundary>(e: &E, effort: Effort) {
    let pairs = (0..=u16::MAX).map(|pair| (u64::from(pair & 255), u64::from(pair >> 8)));
    effort.less(4).of(pairs).for_each(|(a, b)| product::<_, 1, 2>(e, &[a], &[b << 56 | b]));
    let effort = effort.costly(4, 500);
    effort.check((number(), number()), |(a, b)| product::<_, 2, 4>(e, &a, &b));
    effort.check((number(), number()), |(a, b)| product::<_, 4, 8>(e, &a, &b));
    effort.check(number(), |a| product::<_, 4, 8>(e, &a, &a));
    effort.check((number(), number()), |(a, b)| product::<_, 6, 12>(e, &a, &b));
}

/// Columns of several numbers, up to the 127 that a staircase admits.
fn carries<E: Boundary>(e: &E, effort: Effort) {
    effort.costly(4, 300).check((number::<4>(), 1..=8usize), |(a, count)| {
        let x = embed(e, &a);
        let sums = (1..count).fold(e.digit_sums(&x), |sums, _| e.join(&sums, &e.digit_sums(&x)));
        let (low, above) = carry::<_, 4>(e, &sums);
        let found = read(e, &low) + (BigUint::from(e.read_out(&above).unwrap()) << 256);
        assert_eq!(found, natural(&a) * count, "{count} times {a:x?}");
        let digits = e.digit_sums(&[e.splat(&e.embed_digit::<Nibble>(count))]);
        assert_eq!(
            read(e, &carry::<_, 1>(e, &digits).0),
            BigUint::from(0x1111_1111_1111_1111 * count as u64)
        );
    });
}
