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

/// A point that was read.
pub struct Read<E: Evaluator, G: Group<E> + ?Sized> {
    point: Affine<Coordinate<E, G>, E::Digit<Bit>>,
    /// Whether it is a canonical encoding of a point of the curve.
    pub on_curve: E::Digit<Bit>,
}

impl<E: Evaluator, G: Group<E>> Read<E, G> {
    fn point(&self, e: &E) -> Point<Coordinate<E, G>> {
        G::curve(e).point_or_infinity(e, &self.point.x, &self.point.y, &self.point.infinity)
    }

    /// Whether the point lies in the group.
    pub fn is_member(&self, e: &E) -> E::Digit<Bit> {
        G::contains(e, &self.point(e))
    }

    /// The encoding of the point, which has canonical coordinates.
    pub fn write(&self, e: &E) -> Vec<Number<E, 6>> {
        let field = G::curve(e).field;
        let or_zero = |a| field.select(e, &self.point.infinity, a, &field.zero(e));
        write::<E, G>(e, &or_zero(&self.point.x), &or_zero(&self.point.y), &self.point.infinity)
    }
}

/// Whether every number is below the modulus.
fn all_below<E: Evaluator>(e: &E, numbers: &[Number<E, 6>]) -> E::Digit<Bit> {
    numbers.iter().fold(e.digit::<Bit, 1>(), |below, number| both(e, &below, &not(e, &F.exceeds(e, number))))
}

/// Reads a point.
pub fn read<E: Evaluator, G: Group<E>>(e: &E, encoding: &[Number<E, 6>]) -> Read<E, G> {
    let last = encoding.len() / 2 - 1;
    let wrong = flag::<E, { COMPRESSED | LARGER }, 6>(e, &encoding[last]);
    let infinity = flag::<E, INFINITY, 6>(e, &encoding[last]);
    let mut numbers = encoding.to_vec();
    numbers[last] = keep::<E, { COMPRESSED | LARGER | REST }, 6>(e, &numbers[last]);
    let zero = all_zero(e, &numbers.iter().collect::<Vec<_>>());
    let (x, y) = numbers.split_at(numbers.len() / 2);
    let (x, y) = (G::read(x), G::read(y));
    let curve = G::curve(e);
    let finite = both(e, &all_below(e, &numbers), &curve.contains(e, &x, &y));
    // The library takes no point with x = 0, not even where the group does not matter.
    let finite = both(e, &finite, &not(e, &curve.field.is_zero(e, &x)));
    let right = e.attend_digit(&infinity, [&finite, &zero]);
    Read { point: Affine { x, y, infinity }, on_curve: both(e, &not(e, &wrong), &right) }
}

fn write<E: Evaluator, G: Group<E>>(
    e: &E,
    x: &Coordinate<E, G>,
    y: &Coordinate<E, G>,
    infinity: &E::Digit<Bit>,
) -> Vec<Number<E, 6>> {
    let mut numbers = G::write(x);
    let last = numbers.len() - 1;
    numbers[last] = put_flag::<E, INFINITY, 6>(e, &numbers[last], infinity);
    numbers.extend(G::write(y));
    numbers
}

fn write_point<E: Evaluator, G: Group<E>>(e: &E, p: &Point<Coordinate<E, G>>) -> Vec<Number<E, 6>> {
    let Affine { x, y, infinity } = G::curve(e).affine(e, p);
    write::<E, G>(e, &x, &y, &infinity)
}

/// p + q on the curve; they need not be in the group.
pub fn add<E: Evaluator, G: Group<E>>(e: &E, p: &Read<E, G>, q: &Read<E, G>) -> Vec<Number<E, 6>> {
    write_point::<E, G>(e, &G::curve(e).add(e, &p.point(e), &q.point(e)))
}

/// p - q on the curve; they need not be in the group.
pub fn subtract<E: Evaluator, G: Group<E>>(e: &E, p: &Read<E, G>, q: &Read<E, G>) -> Vec<Number<E, 6>> {
    let curve = G::curve(e);
    write_point::<E, G>(e, &curve.add(e, &p.point(e), &curve.negate(e, &q.point(e))))
}

/// A scalar times a point.
pub fn multiply<E: Evaluator, G: Group<E>>(
    e: &E,
    scalar: &Number<E, 4>,
    p: &Read<E, G>,
) -> Vec<Number<E, 6>> {
    write_point::<E, G>(e, &G::curve(e).multiply(e, scalar, &p.point(e)))
}

/// Whether a scalar is below the groups' order.
pub fn is_scalar<E: Evaluator>(e: &E, scalar: &Number<E, 4>) -> E::Digit<Bit> {
    not(e, &ORDER.exceeds(e, scalar))
}

/// Reads a point from the compressed encoding of its x.
pub fn decompress<E: Evaluator, G: Group<E>>(e: &E, encoding: &[Number<E, 6>]) -> Read<E, G> {
    let last = encoding.len() - 1;
    let compressed = flag::<E, COMPRESSED, 6>(e, &encoding[last]);
    let infinity = flag::<E, INFINITY, 6>(e, &encoding[last]);
    let larger = flag::<E, LARGER, 6>(e, &encoding[last]);
    let mut numbers = encoding.to_vec();
    numbers[last] = keep::<E, REST, 6>(e, &numbers[last]);
    let zero = all_zero(e, &numbers.iter().collect::<Vec<_>>());
    let x = G::read(&numbers);
    let (y, is_square) = G::curve(e).y(e, &x, &larger);
    let finite = both(e, &all_below(e, &numbers), &is_square);
    let proper = both(e, &zero, &not(e, &larger));
    let right = e.attend_digit(&infinity, [&finite, &proper]);
    Read { point: Affine { x, y, infinity }, on_curve: both(e, &compressed, &right) }
}

/// A point of each group.
pub type Paired<E> = (Read<E, First>, Read<E, Second>);

/// The product of the pairings of points in their groups; see [`pairing`](super::pairing).
pub fn pairing<E: Evaluator>(e: &E, pairs: &[Paired<E>]) -> Element<E, 6> {
    let pairs: Vec<_> = pairs
        .iter()
        .map(|(Read { point: p, .. }, Read { point: q, .. })| {
            let skip = either(e, &p.infinity, &q.infinity);
            PointPair { p: [p.x.clone(), p.y.clone()], q: [q.x.clone(), q.y.clone()], skip }
        })
        .collect();
    super::pairing(e, &pairs)
}

/// The numbers of a pairing in the order in which the little-endian encoding has them.
pub fn in_order<T: Clone>(product: &[[T; 2]; 6]) -> Vec<T> {
    [0, 2, 4, 1, 3, 5].iter().flat_map(|&power| product[power].to_vec()).collect()
}
