//! What the syscalls do with encoded points of BN254.
//!
//! Encodings are the little-endian ones, as numbers: x and y for the first group, and for the second the
//! real and imaginary part of x, then those of y. The highest number carries two flags: bit 255, which
//! says which y of two it is, and bit 254, the point at infinity.

use super::{EXTENSION, g1, g2, is_in_g2, pairing_is_one};
use crate::{
    alu::{
        field::{BN254 as F, Field, Pair},
        wide::{self, Number},
    },
    syscalls::curves::{
        encoding::{all_zero, flag, keep, put_flag},
        pairing::PointPair,
        weierstrass::{Affine, Curve, Point, both, either, not},
    },
    tables::{Evaluator, alphabet::Bit},
};

/// Bit 255 of a number, in its highest digit.
const NEGATIVE: usize = 8;
/// Bit 254.
const INFINITY: usize = 4;
/// All bits below.
const REST: usize = 3;

/// A point that was read: its coordinates, and what is right with them.
pub struct Read<E: Evaluator, T> {
    point: Affine<T, E::Digit<Bit>>,
    /// Whether the numbers are below the modulus and the flags make sense.
    readable: E::Digit<Bit>,
    /// Whether it is readable, and on the curve or at infinity.
    pub on_curve: E::Digit<Bit>,
}

/// A point of the first group that was read.
pub type Read1<E> = Read<E, Number<E, 4>>;
/// A point of the second group's curve that was read.
pub type Read2<E> = Read<E, Pair<E, 4>>;

/// The encoding of a point of the first group.
pub type G1<E> = [Number<E, 4>; 2];
/// The encoding of a point of the second group.
pub type G2<E> = [Number<E, 4>; 4];

fn read<E: Evaluator, F2: Field<E>>(
    e: &E,
    curve: &Curve<E, F2>,
    encoding: &[Number<E, 4>],
    element: fn(&[Number<E, 4>]) -> F2::Element,
) -> Read<E, F2::Element> {
    let mut numbers = encoding.to_vec();
    let highest = numbers.len() - 1;
    let negative = flag::<E, NEGATIVE, 4>(e, &numbers[highest]);
    let infinite = flag::<E, INFINITY, 4>(e, &numbers[highest]);
    numbers[highest] = keep::<E, REST, 4>(e, &numbers[highest]);
    let zero = all_zero(e, &encoding.iter().collect::<Vec<_>>());
    let readable = numbers.iter().fold(not(e, &both(e, &negative, &infinite)), |readable, number| {
        both(e, &readable, &not(e, &F.exceeds(e, number)))
    });
    let (x, y) = numbers.split_at(numbers.len() / 2);
    let (x, y) = (element(x), element(y));
    let infinity = either(e, &zero, &infinite);
    let on_curve = both(e, &readable, &either(e, &infinity, &curve.contains(e, &x, &y)));
    Read { point: Affine { x, y, infinity }, readable, on_curve }
}

/// Reads a point of the first group.
pub fn read_g1<E: Evaluator>(e: &E, encoding: &G1<E>) -> Read1<E> {
    read(e, &g1(e), encoding, |numbers| numbers[0].clone())
}

/// Reads a point of the second group's curve.
pub fn read_g2<E: Evaluator>(e: &E, encoding: &G2<E>) -> Read2<E> {
    read(e, &g2(e), encoding, |numbers| [numbers[0].clone(), numbers[1].clone()])
}

impl<E: Evaluator, T: Clone> Read<E, T> {
    fn on<F2: Field<E, Element = T>>(&self, e: &E, curve: &Curve<E, F2>) -> Point<T> {
        curve.point_or_infinity(e, &self.point.x, &self.point.y, &self.point.infinity)
    }
}

/// Whether a point of the second curve is in the second group.
pub fn is_member<E: Evaluator>(e: &E, p: &Read2<E>) -> E::Digit<Bit> {
    is_in_g2(e, &p.on(e, &g2(e)))
}

fn flat<T: Clone>([a, b]: &[T; 2], [c, d]: &[T; 2]) -> [T; 4] {
    [a, b, c, d].map(T::clone)
}

/// p + q in the first group. Infinity is written as zeros.
pub fn add_g1<E: Evaluator>(e: &E, p: &Read1<E>, q: &Read1<E>) -> G1<E> {
    let curve = g1(e);
    let sum = curve.affine(e, &curve.add(e, &p.on(e, &curve), &q.on(e, &curve)));
    [sum.x, sum.y]
}

/// p + q on the second group's curve.
pub fn add_g2<E: Evaluator>(e: &E, p: &Read2<E>, q: &Read2<E>) -> G2<E> {
    let curve = g2(e);
    let sum = curve.affine(e, &curve.add(e, &p.on(e, &curve), &q.on(e, &curve)));
    flat(&sum.x, &sum.y)
}

/// A scalar of any 256 bits times a point of the first group.
pub fn multiply_g1<E: Evaluator>(e: &E, p: &Read1<E>, scalar: &Number<E, 4>) -> G1<E> {
    let curve = g1(e);
    let product = curve.affine(e, &curve.multiply(e, scalar, &p.on(e, &curve)));
    [product.x, product.y]
}

/// A scalar of any 256 bits times a point of the second group's curve.
pub fn multiply_g2<E: Evaluator>(e: &E, p: &Read2<E>, scalar: &Number<E, 4>) -> G2<E> {
    let curve = g2(e);
    let product = curve.affine(e, &curve.multiply(e, scalar, &p.on(e, &curve)));
    flat(&product.x, &product.y)
}

/// Whether the product of the pairings is 1; every point is in its group.
pub fn check_pairing<E: Evaluator>(e: &E, pairs: &[(Read1<E>, Read2<E>)]) -> E::Digit<Bit> {
    let pairs: Vec<_> = pairs
        .iter()
        .map(|(Read { point: p, .. }, Read { point: q, .. })| {
            let skip = either(e, &p.infinity, &q.infinity);
            PointPair { p: [p.x.clone(), p.y.clone()], q: [q.x.clone(), q.y.clone()], skip }
        })
        .collect();
    pairing_is_one(e, &pairs)
}

/// Flags for the compressed encoding of a point.
fn put_flags<E: Evaluator>(
    e: &E,
    x: &Number<E, 4>,
    larger: &E::Digit<Bit>,
    infinity: &E::Digit<Bit>,
) -> Number<E, 4> {
    let larger = both(e, larger, &not(e, infinity));
    put_flag::<E, INFINITY, 4>(e, &put_flag::<E, NEGATIVE, 4>(e, x, &larger), infinity)
}

/// The compressed encoding of a point, which need not be on the curve, and whether it can be read. All
/// zeros stay zeros.
pub fn compress_g1<E: Evaluator>(e: &E, p: &G1<E>) -> (Number<E, 4>, E::Digit<Bit>) {
    let read = read_g1(e, p);
    let x = wide::select(e, &read.point.infinity, &read.point.x, &F.zero(e));
    let flagged = put_flags(e, &x, &Field::is_larger(F, e, &read.point.y), &read.point.infinity);
    let zero = all_zero(e, &p.each_ref());
    (wide::select(e, &zero, &flagged, &F.zero(e)), read.readable)
}

/// Like [`compress_g1`], in the second group.
pub fn compress_g2<E: Evaluator>(e: &E, p: &G2<E>) -> ([Number<E, 4>; 2], E::Digit<Bit>) {
    let read = read_g2(e, p);
    let [real, imaginary] = EXTENSION.select(e, &read.point.infinity, &read.point.x, &EXTENSION.zero(e));
    let larger = EXTENSION.is_larger(e, &read.point.y);
    let flagged = put_flags(e, &imaginary, &larger, &read.point.infinity);
    let zero = all_zero(e, &p.each_ref());
    ([real, wide::select(e, &zero, &flagged, &F.zero(e))], read.readable)
}

/// A point from its x and the flags, and whether there is one; it need not be in the group.
fn decompress<E: Evaluator, F2: Field<E>>(
    e: &E,
    curve: &Curve<E, F2>,
    encoding: &[Number<E, 4>],
    element: fn(&[Number<E, 4>]) -> F2::Element,
) -> ([F2::Element; 2], E::Digit<Bit>) {
    let f = curve.field;
    let mut numbers = encoding.to_vec();
    let highest = numbers.len() - 1;
    let negative = flag::<E, NEGATIVE, 4>(e, &numbers[highest]);
    let infinite = flag::<E, INFINITY, 4>(e, &numbers[highest]);
    numbers[highest] = keep::<E, REST, 4>(e, &numbers[highest]);
    let readable = numbers.iter().fold(not(e, &both(e, &negative, &infinite)), |readable, number| {
        both(e, &readable, &not(e, &F.exceeds(e, number)))
    });
    let x = element(&numbers);
    let (y, is_square) = curve.y(e, &x, &negative);
    let infinity = either(e, &infinite, &all_zero(e, &encoding.iter().collect::<Vec<_>>()));
    let zero = f.zero(e);
    let point = [f.select(e, &infinity, &x, &zero), f.select(e, &infinity, &y, &zero)];
    (point, both(e, &readable, &either(e, &infinity, &is_square)))
}

/// A point of the first group from its compressed encoding, and whether there is one.
pub fn decompress_g1<E: Evaluator>(e: &E, encoding: &Number<E, 4>) -> (G1<E>, E::Digit<Bit>) {
    decompress(e, &g1(e), std::slice::from_ref(encoding), |numbers| numbers[0].clone())
}

/// A point of the second group's curve from its compressed encoding, and whether there is one.
pub fn decompress_g2<E: Evaluator>(e: &E, encoding: &[Number<E, 4>; 2]) -> (G2<E>, E::Digit<Bit>) {
    let element = |numbers: &[Number<E, 4>]| [numbers[0].clone(), numbers[1].clone()];
    let ([x, y], valid) = decompress(e, &g2(e), encoding, element);
    (flat(&x, &y), valid)
}
