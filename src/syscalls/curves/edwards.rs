//! The group of the curve -x^2 + y^2 = 1 + d x^2 y^2 over 2^255 - 19.

use super::weierstrass::not;
use crate::{
    alu::{
        field::{self, CURVE25519 as F, CURVE25519_ORDER},
        wide::{self, Number},
    },
    tables::{
        Evaluator,
        alphabet::{Bit, Nibble},
        catalogue::{NEGATIVE, OR},
        numbers::CURVE25519_2D,
    },
};

/// Coordinates x / z and y / z, and t = x y / z.
pub struct Point<E: Evaluator> {
    /// x times z.
    pub x: Number<E, 4>,
    /// y times z.
    pub y: Number<E, 4>,
    /// z.
    pub z: Number<E, 4>,
    /// x y times z.
    pub t: Number<E, 4>,
}

impl<E: Evaluator> Clone for Point<E> {
    fn clone(&self) -> Self {
        Self { x: self.x.clone(), y: self.y.clone(), z: self.z.clone(), t: self.t.clone() }
    }
}

/// The neutral element.
pub fn identity<E: Evaluator>(e: &E) -> Point<E> {
    Point { x: F.zero(e), y: F.one(e), z: F.one(e), t: F.zero(e) }
}

/// p + q, by the formula that holds for every pair of points.
pub fn add<E: Evaluator>(e: &E, p: &Point<E>, q: &Point<E>) -> Point<E> {
    add_with(e, &field::constant(e, CURVE25519_2D), p, q)
}

fn add_with<E: Evaluator>(e: &E, two_d: &Number<E, 4>, p: &Point<E>, q: &Point<E>) -> Point<E> {
    let a = F.multiply(e, &F.subtract(e, &p.y, &p.x), &F.subtract(e, &q.y, &q.x));
    let b = F.multiply(e, &F.add(e, &p.y, &p.x), &F.add(e, &q.y, &q.x));
    let c = F.multiply(e, &F.multiply(e, &p.t, two_d), &q.t);
    let d = F.multiply(e, &p.z, &q.z);
    completed(
        e,
        &F.subtract(e, &b, &a),
        &F.sum(e, &[&d, &d], &[&c]),
        &F.sum(e, &[&d, &d, &c], &[]),
        &F.add(e, &b, &a),
    )
}

/// The point x = e f, y = g h, z = f g, t = e h.
fn completed<E: Evaluator>(
    e: &E,
    x: &Number<E, 4>,
    f: &Number<E, 4>,
    g: &Number<E, 4>,
    h: &Number<E, 4>,
) -> Point<E> {
    Point { x: F.multiply(e, x, f), y: F.multiply(e, g, h), z: F.multiply(e, f, g), t: F.multiply(e, x, h) }
}

/// p + p.
pub fn double<E: Evaluator>(e: &E, p: &Point<E>) -> Point<E> {
    let (a, b, c) = (F.square(e, &p.x), F.square(e, &p.y), F.square(e, &p.z));
    let xy = F.multiply(e, &p.x, &p.y);
    completed(
        e,
        &F.double(e, &xy),
        &F.sum(e, &[&b], &[&a, &c, &c]),
        &F.subtract(e, &b, &a),
        &F.sum(e, &[], &[&a, &b]),
    )
}

/// -p.
pub fn negate<E: Evaluator>(e: &E, p: &Point<E>) -> Point<E> {
    Point { x: F.negate(e, &p.x), y: p.y.clone(), z: p.z.clone(), t: F.negate(e, &p.t) }
}

/// p - q.
pub fn subtract<E: Evaluator>(e: &E, p: &Point<E>, q: &Point<E>) -> Point<E> {
    add(e, p, &negate(e, q))
}

/// The sum of scalars times points.
pub fn multiply_all<E: Evaluator>(e: &E, terms: &[(&Number<E, 4>, &Point<E>)]) -> Point<E> {
    let two_d = field::constant(e, CURVE25519_2D);
    let terms: Vec<(_, [Point<E>; 16])> = terms
        .iter()
        .map(|(scalar, p)| {
            let mut multiple = identity(e);
            let multiples = std::array::from_fn(|_| {
                let next = add_with(e, &two_d, &multiple, p);
                std::mem::replace(&mut multiple, next)
            });
            (*scalar, multiples)
        })
        .collect();
    let lanes = (0..4).rev().flat_map(|word| (0..16).rev().map(move |lane| (word, lane)));
    lanes.enumerate().fold(identity(e), |mut sum, (step, (word, lane))| {
        if step > 0 {
            sum = (0..4).fold(sum, |sum, _| double(e, &sum));
        }
        terms.iter().fold(sum, |sum, (scalar, multiples)| {
            let key = e.lane(&scalar[word], lane);
            let of = |part: fn(&Point<E>) -> &Number<E, 4>| {
                field::Field::attend(F, e, &key, multiples.each_ref().map(part))
            };
            let term = Point { x: of(|p| &p.x), y: of(|p| &p.y), z: of(|p| &p.z), t: of(|p| &p.t) };
            add_with(e, &two_d, &sum, &term)
        })
    })
}

/// A scalar times a point.
pub fn multiply<E: Evaluator>(e: &E, scalar: &Number<E, 4>, p: &Point<E>) -> Point<E> {
    multiply_all(e, &[(scalar, p)])
}

/// Whether a scalar is below the group's order.
pub fn is_scalar<E: Evaluator>(e: &E, scalar: &Number<E, 4>) -> E::Digit<Bit> {
    not(e, &CURVE25519_ORDER.exceeds(e, scalar))
}

/// The point that 32 bytes encode, and whether they encode one; see [`field::is_on_curve`].
pub fn decompress<E: Evaluator>(e: &E, encoding: &Number<E, 4>) -> (Point<E>, E::Digit<Bit>) {
    let y = field::without_sign(e, encoding);
    let (u, v) = field::curve_ratio(e, &y);
    let (valid, x) = field::sqrt_ratio(e, &u, &v);
    let sign = e.apply1(NEGATIVE, &e.lane(&encoding[3], 15));
    let x = wide::select(e, &sign, &x, &F.negate(e, &x));
    let t = F.multiply(e, &x, &y);
    (Point { x, y, z: F.one(e), t }, valid)
}

/// The 32 bytes that encode a point: y, with the lowest bit of x on top.
pub fn compress<E: Evaluator>(e: &E, p: &Point<E>) -> Number<E, 4> {
    let inverse = F.invert(e, &p.z);
    let x = F.canonical(e, &F.multiply(e, &p.x, &inverse));
    let [a, b, c, d] = F.canonical(e, &F.multiply(e, &p.y, &inverse));
    let top = e.lane(&d, 15);
    let signed = e.apply2(OR, &top, &e.digit::<Nibble, 8>());
    let top = e.attend_digit(&wide::is_odd(e, &x), [&top, &signed]);
    [a, b, c, e.merge(&d, &e.splat(&top), 15)]
}
