//! Roots in the field of Curve25519, and what they decide of Edwards points.

use super::{CURVE25519 as F, constant};
use crate::{
    alu::wide::{self, Number},
    tables::{
        Evaluator,
        alphabet::{Bit, Nibble},
        catalogue::AND,
        numbers::{CURVE25519_D, CURVE25519_IMAGINARY},
    },
};

/// a^((p - 5) / 8), that is a^(2^252 - 3).
fn power_p58<E: Evaluator>(e: &E, a: &Number<E, 4>) -> Number<E, 4> {
    // From x = a^(2^m - 1) and y = a^(2^n - 1), a^(2^(m + n) - 1).
    let ones = |x: &Number<E, 4>, n: usize, y: &Number<E, 4>| F.multiply(e, &F.square_times(e, x, n), y);
    let two = ones(a, 1, a);
    let four = ones(&two, 2, &two);
    let five = ones(&four, 1, a);
    let ten = ones(&five, 5, &five);
    let twenty = ones(&ten, 10, &ten);
    let forty = ones(&twenty, 20, &twenty);
    let fifty = ones(&forty, 10, &ten);
    let hundred = ones(&fifty, 50, &fifty);
    let two_hundred = ones(&hundred, 100, &hundred);
    let most = ones(&two_hundred, 50, &fifty);
    ones(&most, 2, a)
}

/// r = u v^3 (u v^7)^((p - 5) / 8) and v r^2: the latter is u times a fourth root of 1.
fn candidate<E: Evaluator>(e: &E, u: &Number<E, 4>, v: &Number<E, 4>) -> (Number<E, 4>, Number<E, 4>) {
    let v3 = F.multiply(e, &F.square(e, v), v);
    let v7 = F.multiply(e, &F.square(e, &v3), v);
    let root = F.multiply(e, &F.multiply(e, u, &v3), &power_p58(e, &F.multiply(e, u, &v7)));
    let check = F.multiply(e, v, &F.square(e, &root));
    (root, check)
}

/// Whether u / v has a root, and the even one, canonical.
///
/// Where it has none, the even root of u / v times the even root of -1 is given instead. For u = 0 the
/// root is 0; for v = 0 and another u there is none and 0 is given.
pub fn sqrt_ratio<E: Evaluator>(e: &E, u: &Number<E, 4>, v: &Number<E, 4>) -> (E::Digit<Bit>, Number<E, 4>) {
    let (root, check) = candidate(e, u, v);
    let imaginary = constant(e, CURVE25519_IMAGINARY);
    let correct = F.equal(e, &check, u);
    let flipped = F.is_zero(e, &F.add(e, &check, u));
    let flipped_imaginary = F.is_zero(e, &F.add(e, &check, &F.multiply(e, u, &imaginary)));
    let turn = wide::either(e, &flipped, &flipped_imaginary);
    let root = wide::select(e, &turn, &root, &F.multiply(e, &root, &imaginary));
    (wide::either(e, &correct, &flipped), even(e, &root))
}

/// The even one of a and -a, canonical.
pub fn even<E: Evaluator>(e: &E, a: &Number<E, 4>) -> Number<E, 4> {
    let a = F.canonical(e, a);
    let negated = F.canonical(e, &F.negate(e, &a));
    wide::select(e, &wide::is_odd(e, &a), &a, &negated)
}

/// Whether 32 bytes are the encoding of a point of the Edwards curve: there is an x for the y that all
/// bits but the highest make up.
///
/// That y need not be below the modulus, and the sign of x, the highest bit, decides nothing, not even
/// where x is 0.
pub fn is_on_curve<E: Evaluator>(e: &E, encoding: &Number<E, 4>) -> E::Digit<Bit> {
    let (u, v) = curve_ratio(e, &without_sign(e, encoding));
    let (_, check) = candidate(e, &u, &v);
    wide::either(e, &F.equal(e, &check, &u), &F.is_zero(e, &F.add(e, &check, &u)))
}

/// A number with its highest bit made 0.
pub fn without_sign<E: Evaluator>(e: &E, encoding: &Number<E, 4>) -> Number<E, 4> {
    let [a, b, c, d] = encoding;
    let top = e.apply2(AND, &e.lane(d, 15), &e.digit::<Nibble, 7>());
    [a.clone(), b.clone(), c.clone(), e.merge(d, &e.splat(&top), 15)]
}

/// u and v such that x^2 = u / v for the points with this y: y^2 - 1 and d y^2 + 1.
pub fn curve_ratio<E: Evaluator>(e: &E, y: &Number<E, 4>) -> (Number<E, 4>, Number<E, 4>) {
    let one = F.one(e);
    let square = F.square(e, y);
    let v = F.add(e, &F.multiply(e, &square, &constant(e, CURVE25519_D)), &one);
    (F.subtract(e, &square, &one), v)
}
