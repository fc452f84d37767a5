//! Powers against big integers.

use super::*;
use crate::tables::{
    Boundary,
    testing::{Effort, on_every_evaluator, word},
};
use num_bigint::BigUint;
use proptest::{collection::vec, prelude::*};

on_every_evaluator!(powers, adds_to_products, knows_its_moduli);

fn natural(words: &[u64]) -> BigUint {
    words.iter().rev().fold(BigUint::default(), |x, word| (x << 64) + *word)
}

fn embed<E: Boundary>(e: &E, words: &[u64]) -> Vec<Word<E>> {
    words.iter().map(|word| e.embed(*word)).collect()
}

fn read<E: Boundary>(e: &E, limbs: &[Limb<E>]) -> BigUint {
    let words: Vec<u64> = limbs.iter().flatten().map(|word| e.read_out(word).unwrap()).collect();
    natural(&words)
}

/// Numbers of so many words.
fn number(words: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u64>> {
    prop_oneof![4 => vec(word(), words.clone()), 1 => vec(Just(u64::MAX), words.clone()), 1 => vec(Just(0), words)]
}

/// Moduli: odd, above 1, some with nothing but zeros on top.
fn modulus(words: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u64>> {
    (number(words), 0..3usize).prop_map(|(mut words, zeros)| {
        words[0] |= 1;
        let above = words.len().saturating_sub(zeros).max(1);
        words[above..].fill(0);
        if natural(&words) == BigUint::from(1u32) {
            words[0] = 3;
        }
        words
    })
}

fn check<E: Boundary>(e: &E, base: &[u64], exponent: &[u64], modulus: &[u64]) {
    let (x, n) = (limbs(e, &embed(e, base)), limbs(e, &embed(e, modulus)));
    let power = Modulus::new(e, n).power(e, &x, &embed(e, exponent));
    let expected = natural(base).modpow(&natural(exponent), &natural(modulus));
    assert_eq!(read(e, &power), expected, "{base:x?} ^ {exponent:x?} % {modulus:x?}");
}

/// Up to three limbs; bases that are longer and shorter than their modulus, and none.
fn powers<E: Boundary>(e: &E, effort: Effort) {
    effort.costly(1, 24).check((number(0..4), number(0..2), modulus(1..4)), |(base, exponent, modulus)| {
        check(e, &base, &exponent[..exponent.len().min(1)], &modulus);
    });
    effort.costly(0, 12).check((number(0..14), number(0..2), modulus(4..13)), |(base, exponent, modulus)| {
        check(e, &base, &exponent, &modulus);
    });
}

fn adds_to_products<E: Boundary>(e: &E, effort: Effort) {
    effort.costly(10, 2_000).check([number(4..5), number(4..5), number(4..5), number(4..5)], |numbers| {
        let [a, b, c, d] = numbers.each_ref().map(|number| limbs(e, &embed(e, number)).remove(0));
        let (low, high) = multiply_add(e, [&a, &b], [&c, &d]);
        let [a, b, c, d] = numbers.each_ref().map(|number| natural(number));
        assert_eq!(read(e, &[low, high]), a * b + c + d, "{numbers:x?}");
    });
}

fn knows_its_moduli<E: Boundary>(e: &E, _: Effort) {
    let numbers: [&[u64]; 11] = [
        &[],
        &[0],
        &[1],
        &[2],
        &[3],
        &[1, 0, 0, 0, 0],
        &[1, 0, 0, 0, 1],
        &[0, 0, 0, 0, 1],
        &[1, 1],
        &[u64::MAX; 8],
        &[1 << 63],
    ];
    for number in numbers {
        let found = is_modulus(e, &limbs(e, &embed(e, number)));
        let expected = number.first().is_some_and(|low| low % 2 == 1) && natural(number) > 1u32.into();
        assert_eq!(e.read_digit::<Bit>(&found).unwrap() == 1, expected, "{number:x?}");
    }
}
