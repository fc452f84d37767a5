//! What the syscalls do with encoded points of BLS12-381.
//!
//! Encodings are the little-endian ones, as numbers: x and y for the first group, and for the second the
//! real and imaginary part of x, then those of y. The last number of x carries three flags in its highest
//! bits: that the encoding is compressed, the point at infinity, and which y of two it is.

use super::{g1, g2, is_in_g1, is_in_g2};
use crate::{
    alu::{
        field::{BLS12_381 as F, BLS12_381_ORDER as ORDER, Field, Pair},
        wide::Number,
    },
    syscalls::curves::{
        encoding::{all_zero, flag, keep, put_flag},
        pairing::PointPair,
        sextic::Element,
        weierstrass::{Affine, Curve, Point, both, either, not},
    },
    tables::{Evaluator, alphabet::Bit},
};

/// Bit 383 of a number, in its highest digit.
const COMPRESSED: usize = 8;
/// Bit 382.
const INFINITY: usize = 4;
/// Bit 381.
const LARGER: usize = 2;
/// All bits below.
const REST: usize = 1;

/// The encoding of a point of the first group.
pub type G1<E> = [Number<E, 6>; 2];
/// The encoding of a point of the second group.
pub type G2<E> = [Number<E, 6>; 4];

/// What both groups have.
pub trait Group<E: Evaluator> {
    /// The field of the coordinates.
    type Field: Field<E>;
    /// The curve.
    fn curve(e: &E) -> Curve<E, Self::Field>;
    /// Whether a point of the curve lies in the group.
    fn contains(e: &E, p: &Point<Coordinate<E, Self>>) -> E::Digit<Bit>;
    /// Numbers as a coordinate.
    fn read(numbers: &[Number<E, 6>]) -> Coordinate<E, Self>;
    /// A coordinate as numbers.
    fn write(coordinate: &Coordinate<E, Self>) -> Vec<Number<E, 6>>;
}

/// A coordinate of a group's points.
pub type Coordinate<E, G> = <<G as Group<E>>::Field as Field<E>>::Element;

/// The first group.
pub struct First;
/// The second group.
pub struct Second;

impl<E: Evaluator> Group<E> for First {
    type Field = crate::alu::field::Prime<6>;

    fn curve(e: &E) -> Curve<E, Self::Field> {
        g1(e)
    }

    fn contains(e: &E, p: &Point<Number<E, 6>>) -> E::Digit<Bit> {
        is_in_g1(e, p)
    }

    fn read(numbers: &[Number<E, 6>]) -> Number<E, 6> {
        numbers[0].clone()
    }

    fn write(coordinate: &Number<E, 6>) -> Vec<Number<E, 6>> {
        vec![coordinate.clone()]
    }
}

impl<E: Evaluator> Group<E> for Second {
    type Field = crate::alu::field::Quadratic<6>;

    fn curve(e: &E) -> Curve<E, Self::Field> {
        g2(e)
    }

    fn contains(e: &E, p: &Point<Pair<E, 6>>) -> E::Digit<Bit> {
        is_in_g2(e, p)
    }

    fn read(numbers: &[Number<E, 6>]) -> Pair<E, 6> {
        [numbers[0].clone(), numbers[1].clone()]
    }

    fn write(coordinate: &Pair<E, 6>) -> Vec<Number<E, 6>> {
        coordinate.to_vec()
    }
}

/// A point of an encoding, and whether it is one of the curve.
#[allow(clippy::type_complexity)] // a point and a bit
fn read<E: Evaluator, G: Group<E>>(
    e: &E,
    encoding: &[Number<E, 6>],
) -> (Affine<Coordinate<E, G>, E::Digit<Bit>>, E::Digit<Bit>) {
    let last = encoding.len() / 2 - 1;
    let wrong = flag::<E, { COMPRESSED | LARGER }, 6>(e, &encoding[last]);
    let infinity = flag::<E, INFINITY, 6>(e, &encoding[last]);
    let mut numbers = encoding.to_vec();
    numbers[last] = keep::<E, { COMPRESSED | LARGER | REST }, 6>(e, &numbers[last]);
    let zero = all_zero(e, &numbers.iter().collect::<Vec<_>>());
    let (x, y) = numbers.split_at(numbers.len() / 2);
    let (x, y) = (G::read(x), G::read(y));
    let below = numbers
        .iter()
        .fold(e.digit::<Bit, 1>(), |below, number| both(e, &below, &not(e, &F.exceeds(e, number))));
    let curve = G::curve(e);
    let finite = both(e, &below, &curve.contains(e, &x, &y));
    // The library takes no point with x = 0, not even where the group does not matter.
    let finite = both(e, &finite, &not(e, &curve.field.is_zero(e, &x)));
    let right = e.attend_digit(&infinity, [&finite, &zero]);
    (Affine { x, y, infinity }, both(e, &not(e, &wrong), &right))
}

fn point<E: Evaluator, G: Group<E>>(
    e: &E,
    encoding: &[Number<E, 6>],
) -> (Point<Coordinate<E, G>>, E::Digit<Bit>) {
    let (affine, valid) = read::<E, G>(e, encoding);
    (G::curve(e).point_or_infinity(e, &affine.x, &affine.y, &affine.infinity), valid)
}

fn write<E: Evaluator, G: Group<E>>(e: &E, p: &Point<Coordinate<E, G>>) -> Vec<Number<E, 6>> {
    let affine = G::curve(e).affine(e, p);
    let mut numbers = G::write(&affine.x);
    let last = numbers.len() - 1;
    numbers[last] = put_flag::<E, INFINITY, 6>(e, &numbers[last], &affine.infinity);
    numbers.extend(G::write(&affine.y));
    numbers
}

/// Whether an encoding is that of a point of the group.
pub fn validate<E: Evaluator, G: Group<E>>(e: &E, encoding: &[Number<E, 6>]) -> E::Digit<Bit> {
    let (p, valid) = point::<E, G>(e, encoding);
    both(e, &valid, &G::contains(e, &p))
}

/// p + q, and whether both are points of the curve; they need not be in the group.
pub fn add<E: Evaluator, G: Group<E>>(
    e: &E,
    p: &[Number<E, 6>],
    q: &[Number<E, 6>],
) -> (Vec<Number<E, 6>>, E::Digit<Bit>) {
    let ((p, first), (q, second)) = (point::<E, G>(e, p), point::<E, G>(e, q));
    (write::<E, G>(e, &G::curve(e).add(e, &p, &q)), both(e, &first, &second))
}

/// p - q, and whether both are points of the curve; they need not be in the group.
pub fn subtract<E: Evaluator, G: Group<E>>(
    e: &E,
    p: &[Number<E, 6>],
    q: &[Number<E, 6>],
) -> (Vec<Number<E, 6>>, E::Digit<Bit>) {
    let curve = G::curve(e);
    let ((p, first), (q, second)) = (point::<E, G>(e, p), point::<E, G>(e, q));
    (write::<E, G>(e, &curve.add(e, &p, &curve.negate(e, &q))), both(e, &first, &second))
}

/// A scalar times a point, and whether the scalar is below the order and the point in the group.
pub fn multiply<E: Evaluator, G: Group<E>>(
    e: &E,
    scalar: &Number<E, 4>,
    p: &[Number<E, 6>],
) -> (Vec<Number<E, 6>>, E::Digit<Bit>) {
    let (p, valid) = point::<E, G>(e, p);
    let valid = both(e, &valid, &G::contains(e, &p));
    let product = G::curve(e).multiply(e, scalar, &p);
    (write::<E, G>(e, &product), both(e, &valid, &not(e, &ORDER.exceeds(e, scalar))))
}

/// A point of the group from the compressed encoding of its x, and whether there is one.
pub fn decompress<E: Evaluator, G: Group<E>>(
    e: &E,
    encoding: &[Number<E, 6>],
) -> (Vec<Number<E, 6>>, E::Digit<Bit>) {
    let last = encoding.len() - 1;
    let compressed = flag::<E, COMPRESSED, 6>(e, &encoding[last]);
    let infinity = flag::<E, INFINITY, 6>(e, &encoding[last]);
    let larger = flag::<E, LARGER, 6>(e, &encoding[last]);
    let mut numbers = encoding.to_vec();
    numbers[last] = keep::<E, REST, 6>(e, &numbers[last]);
    let zero = all_zero(e, &numbers.iter().collect::<Vec<_>>());
    let below = numbers
        .iter()
        .fold(e.digit::<Bit, 1>(), |below, number| both(e, &below, &not(e, &F.exceeds(e, number))));
    let curve = G::curve(e);
    let x = G::read(&numbers);
    let (y, is_square) = curve.y(e, &x, &larger);
    let finite = both(e, &below, &is_square);
    let proper = both(e, &zero, &not(e, &larger));
    let right = e.attend_digit(&infinity, [&finite, &proper]);
    let p = curve.point_or_infinity(e, &x, &y, &infinity);
    let valid = both(e, &both(e, &compressed, &right), &G::contains(e, &p));
    (write::<E, G>(e, &p), valid)
}

/// The product of the pairings, and whether every point is in its group; see [`pairing`](super::pairing).
pub fn pairing<E: Evaluator>(e: &E, pairs: &[(G1<E>, G2<E>)]) -> (Element<E, 6>, E::Digit<Bit>) {
    let mut valid = e.digit::<Bit, 1>();
    let pairs: Vec<_> = pairs
        .iter()
        .map(|(p, q)| {
            let members = both(e, &validate::<E, First>(e, p), &validate::<E, Second>(e, q));
            valid = both(e, &valid, &members);
            let ((p, _), (q, _)) = (read::<E, First>(e, p), read::<E, Second>(e, q));
            let skip = either(e, &p.infinity, &q.infinity);
            PointPair { p: [p.x, p.y], q: [q.x, q.y], skip }
        })
        .collect();
    (super::pairing(e, &pairs), valid)
}

/// The numbers of a pairing in the order in which the little-endian encoding has them.
pub fn in_order<T: Clone>(product: &[[T; 2]; 6]) -> Vec<T> {
    [0, 2, 4, 1, 3, 5].iter().flat_map(|&power| product[power].to_vec()).collect()
}
