//! The groups of BN254 and their pairing.

pub mod operations;

use super::{
    pairing::{Miller, PointPair, Twist},
    sextic::{Element, Sextic},
    weierstrass::{Curve, Point},
};
use crate::{
    alu::field::{self, BN254 as F, Field, Pair, Prime, Quadratic},
    tables::{
        Evaluator, ModulusId,
        alphabet::Bit,
        numbers::{NumberConst, NumberSet},
    },
};

/// The quadratic extension of the base field.
pub const EXTENSION: Quadratic<4> = Quadratic(F);

/// The parameter x of the curve.
const X: usize = 4_965_661_367_192_848_881;

/// 6 x + 2 in hexadecimal digits, the highest first.
const LOOP: [usize; 17] = [1, 9, 13, 7, 9, 7, 0, 3, 9, 11, 14, 7, 6, 3, 11, 10, 8];

/// The first group's curve.
pub fn g1<E: Evaluator>(e: &E) -> Curve<E, Prime<4>> {
    Curve::new(e, F, field::constant(e, NumberConst::b(NumberSet::Bn254)))
}

/// The second group's curve.
pub fn g2<E: Evaluator>(e: &E) -> Curve<E, Quadratic<4>> {
    let b = [0, 1].map(|part| field::constant(e, NumberConst::twist_b(NumberSet::Bn254, part)));
    Curve::new(e, EXTENSION, b)
}

/// Whether a point of the second curve lies in the second group.
pub fn is_in_g2<E: Evaluator>(e: &E, p: &Point<Pair<E, 4>>) -> E::Digit<Bit> {
    let curve = g2(e);
    curve.is_infinity(e, &curve.multiply_by_modulus(e, ModulusId::Bn254Order, p))
}

fn miller<E: Evaluator>(e: &E) -> Miller<E, 4> {
    Miller { extension: Sextic::new(e, EXTENSION, 9, NumberSet::Bn254), curve: g2(e), twist: Twist::Divided }
}

/// The product of the pairings of some pairs: the textbook pairing to the power 2 x (6 x^2 + 3 x + 1), as
/// the library behind the reference has it.
pub fn pairing<E: Evaluator>(e: &E, pairs: &[PointPair<E, 4>]) -> Element<E, 4> {
    let miller = miller(e);
    let bits = LOOP.iter().flat_map(|digit| (0..4).rev().map(move |bit| digit >> bit & 1 == 1));
    let (mut f, multiples) = miller.run(e, bits.skip_while(|bit| !bit), pairs);
    for (mut t, pair) in multiples.into_iter().zip(pairs) {
        let once = power(e, &miller.extension, &pair.q);
        let [x, y] = power(e, &miller.extension, &once);
        f = miller.add(e, &f, &mut t, &once, pair);
        f = miller.add(e, &f, &mut t, &[x, EXTENSION.negate(e, &y)], pair);
    }
    final_power(e, &miller.extension, &f)
}

/// Whether the product of the pairings is 1.
pub fn pairing_is_one<E: Evaluator>(e: &E, pairs: &[PointPair<E, 4>]) -> E::Digit<Bit> {
    miller(e).extension.is_one(e, &pairing(e, pairs))
}

/// A point of the twist to the p-th power, as a point of the twist.
fn power<E: Evaluator>(e: &E, extension: &Sextic<E, 4>, q: &[Pair<E, 4>; 2]) -> [Pair<E, 4>; 2] {
    std::array::from_fn(|i| {
        let conjugate = EXTENSION.conjugate(e, &q[i]);
        EXTENSION.multiply(e, &conjugate, extension.frobenius_factor(2 + i))
    })
}

/// f^(2 x (6 x^2 + 3 x + 1) (p^12 - 1) / r).
///
/// The factor, without a divisor in common with r, makes the last part 1 + 6 x + 12 x^2 + 12 x^3 +
/// p (4 x + 6 x^2 + 12 x^3) + p^2 (6 x + 6 x^2 + 12 x^3) + p^3 (-1 + 4 x + 6 x^2 + 12 x^3) (Fuentes-Castaneda,
/// Knapp, Rodriguez-Henriquez 2011).
fn final_power<E: Evaluator>(e: &E, k: &Sextic<E, 4>, f: &Element<E, 4>) -> Element<E, 4> {
    let multiply = |a: &Element<E, 4>, b: &Element<E, 4>| k.multiply(e, a, b);
    let square = |a: &Element<E, 4>| k.cyclotomic_square(e, a);
    let power_x = |a: &Element<E, 4>| k.cyclotomic_power(e, a, X);
    let power_p = |a: &Element<E, 4>, times: usize| (0..times).fold(a.clone(), |a, _| k.frobenius(e, &a));
    let f = k.easy_power(e, f);
    // Powers by multiples of x: 2, 6, then 6 x^2 and 12 x^3.
    let two = square(&power_x(&f));
    let six = multiply(&square(&two), &two);
    let six_2 = power_x(&six);
    let twelve_3 = power_x(&square(&six_2));
    let third = multiply(&multiply(&six, &six_2), &twelve_3);
    let second = multiply(&third, &k.conjugate(e, &two));
    let first = multiply(&multiply(&third, &six_2), &f);
    let fourth = multiply(&second, &k.conjugate(e, &f));
    let low = multiply(&first, &power_p(&second, 1));
    let high = multiply(&power_p(&third, 2), &power_p(&fourth, 3));
    multiply(&low, &high)
}
