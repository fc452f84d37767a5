//! The groups of BLS12-381 and their pairing.

pub mod operations;

use super::{
    pairing::{Miller, PointPair, Twist},
    sextic::{Element, Sextic},
    weierstrass::{Curve, Point},
};
use crate::{
    alu::{
        field::{self, BLS12_381 as F, Pair, Prime, Quadratic},
        wide::Number,
    },
    tables::{
        Evaluator, ModulusId,
        alphabet::Bit,
        numbers::{NumberConst, NumberSet},
    },
};

/// The quadratic extension of the base field.
pub const EXTENSION: Quadratic<6> = Quadratic(F);

/// Minus the parameter x of the curve, which is negative.
const X: usize = 0xd201_0000_0001_0000;

/// The first group's curve.
pub fn g1<E: Evaluator>(e: &E) -> Curve<E, Prime<6>> {
    Curve::new(e, F, field::constant(e, NumberConst::b(NumberSet::Bls12381)))
}

/// The second group's curve.
pub fn g2<E: Evaluator>(e: &E) -> Curve<E, Quadratic<6>> {
    let b = [0, 1].map(|part| field::constant(e, NumberConst::twist_b(NumberSet::Bls12381, part)));
    Curve::new(e, EXTENSION, b)
}

/// Whether a point of the first curve lies in the first group.
pub fn is_in_g1<E: Evaluator>(e: &E, p: &Point<Number<E, 6>>) -> E::Digit<Bit> {
    let curve = g1(e);
    curve.is_infinity(e, &curve.multiply_by_modulus(e, ModulusId::Bls12381Order, p))
}

/// Whether a point of the second curve lies in the second group.
pub fn is_in_g2<E: Evaluator>(e: &E, p: &Point<Pair<E, 6>>) -> E::Digit<Bit> {
    let curve = g2(e);
    curve.is_infinity(e, &curve.multiply_by_modulus(e, ModulusId::Bls12381Order, p))
}

/// The product of the pairings of some pairs, canonical: the textbook pairing to the third power.
///
/// The numbers of the result stand at the powers of w, that of i below the imaginary part.
pub fn pairing<E: Evaluator>(e: &E, pairs: &[PointPair<E, 6>]) -> Element<E, 6> {
    let miller = Miller {
        extension: Sextic::new(e, EXTENSION, 1, NumberSet::Bls12381),
        curve: g2(e),
        twist: Twist::Multiplied,
    };
    let bits = (0..usize::BITS).rev().map(|bit| X >> bit & 1 == 1);
    let (f, _) = miller.run(e, bits, pairs);
    let k = &miller.extension;
    // x is negative.
    let f = k.conjugate(e, &f);
    k.canonical(e, &final_power(e, k, &f))
}

/// f^(3 (p^12 - 1) / r).
fn final_power<E: Evaluator>(e: &E, k: &Sextic<E, 6>, f: &Element<E, 6>) -> Element<E, 6> {
    let multiply = |a: &Element<E, 6>, b: &Element<E, 6>| k.multiply(e, a, b);
    let power_x = |a: &Element<E, 6>| k.conjugate(e, &k.cyclotomic_power(e, a, X));
    let f = k.easy_power(e, f);
    // 3 (p^4 - p^2 + 1) / r = (x - 1)^2 (x + p) (x^2 + p^2 - 1) + 3.
    let less_one = |a: &Element<E, 6>| multiply(&power_x(a), &k.conjugate(e, a));
    let a = less_one(&less_one(&f));
    let a = multiply(&power_x(&a), &k.frobenius(e, &a));
    let squares = multiply(&power_x(&power_x(&a)), &k.frobenius(e, &k.frobenius(e, &a)));
    let a = multiply(&squares, &k.conjugate(e, &a));
    multiply(&a, &multiply(&k.cyclotomic_square(e, &f), &f))
}
