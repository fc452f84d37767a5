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
    Miller {
        extension: Sextic::new(e, EXTENSION, 9, NumberSet::Bn254),
        curve: g2(e),
        twist: Twist::Divided,
    }
}

/// The product of the pairings of some pairs.
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

/// f^((p^12 - 1) / r).
fn final_power<E: Evaluator>(e: &E, k: &Sextic<E, 4>, f: &Element<E, 4>) -> Element<E, 4> {
    let multiply = |a: &Element<E, 4>, b: &Element<E, 4>| k.multiply(e, a, b);
    let conjugate = |a: &Element<E, 4>| k.conjugate(e, a);
    let square = |a: &Element<E, 4>| k.cyclotomic_square(e, a);
    let power = |a: &Element<E, 4>| k.frobenius(e, a);
    let f = k.easy_power(e, f);
    let fx = k.cyclotomic_power(e, &f, X);
    let fx2 = k.cyclotomic_power(e, &fx, X);
    let fx3 = k.cyclotomic_power(e, &fx2, X);
    // The exponent (p^4 - p^2 + 1) / r as a polynomial in p and x (Scott and others 2009).
    let fp = power(&f);
    let fp2 = power(&fp);
    let y0 = multiply(&multiply(&fp, &fp2), &power(&fp2));
    let y1 = conjugate(&f);
    let fx2p = power(&fx2);
    let y2 = power(&fx2p);
    let y3 = conjugate(&power(&fx));
    let y4 = conjugate(&multiply(&fx, &fx2p));
    let y5 = conjugate(&fx2);
    let y6 = conjugate(&multiply(&fx3, &power(&fx3)));
    let t0 = multiply(&multiply(&square(&y6), &y4), &y5);
    let t1 = multiply(&multiply(&y3, &y5), &t0);
    let t0 = multiply(&t0, &y2);
    let t1 = square(&multiply(&square(&t1), &t0));
    let t0 = multiply(&t1, &y1);
    let t1 = multiply(&t1, &y0);
    multiply(&square(&t0), &t1)
}
