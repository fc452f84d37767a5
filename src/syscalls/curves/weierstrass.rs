//! Points of the curves y^2 = x^3 + b, by formulas that have no exceptions.

use crate::{
    alu::{
        field::Field,
        wide::{self, Number},
    },
    tables::{
        Evaluator, ModulusId, Power,
        alphabet::Bit,
        catalogue::{BIT_AND, BIT_NOT},
    },
};

/// A curve y^2 = x^3 + b without points of order two.
pub struct Curve<E: Evaluator, F: Field<E>> {
    /// The field of the coordinates.
    pub field: F,
    /// b.
    b: F::Element,
    /// 3 b.
    pub(super) triple_b: F::Element,
}

/// A point x / z, y / z; at infinity z is 0, and x too.
#[derive(Clone, Debug)]
pub struct Point<T> {
    /// x times z.
    pub x: T,
    /// y times z.
    pub y: T,
    /// z.
    pub z: T,
}

/// A point by its coordinates, or the point at infinity.
#[derive(Clone, Debug)]
pub struct Affine<T, B> {
    /// x; at infinity 0.
    pub x: T,
    /// y; at infinity 0.
    pub y: T,
    /// Whether it is the point at infinity.
    pub infinity: B,
}

impl<E: Evaluator, F: Field<E>> Curve<E, F> {
    /// The curve with this b.
    pub fn new(e: &E, field: F, b: F::Element) -> Self {
        let triple_b = field.sum(e, &[&b; 3], &[]);
        Self { field, b, triple_b }
    }

    /// The point at infinity.
    pub fn infinity(&self, e: &E) -> Point<F::Element> {
        Point { x: self.field.zero(e), y: self.field.one(e), z: self.field.zero(e) }
    }

    /// The point with these coordinates.
    pub fn point(&self, e: &E, x: &F::Element, y: &F::Element) -> Point<F::Element> {
        Point { x: x.clone(), y: y.clone(), z: self.field.one(e) }
    }

    /// The point, or infinity where the bit is on.
    pub fn point_or_infinity(
        &self,
        e: &E,
        x: &F::Element,
        y: &F::Element,
        infinity: &E::Digit<Bit>,
    ) -> Point<F::Element> {
        self.select(e, infinity, &self.point(e, x, y), &self.infinity(e))
    }

    /// x^3 + b.
    pub fn right_side(&self, e: &E, x: &F::Element) -> F::Element {
        let f = self.field;
        f.add(e, &f.multiply(e, &f.square(e, x), x), &self.b)
    }

    /// Whether x and y satisfy the equation.
    pub fn contains(&self, e: &E, x: &F::Element, y: &F::Element) -> E::Digit<Bit> {
        self.field.equal(e, &self.field.square(e, y), &self.right_side(e, x))
    }

    /// A y for this x, canonical, the larger of both where the bit is on; and whether there is one.
    pub fn y(&self, e: &E, x: &F::Element, larger: &E::Digit<Bit>) -> (F::Element, E::Digit<Bit>) {
        let f = self.field;
        let (y, is_square) = f.root(e, &self.right_side(e, x));
        let y = f.canonical(e, &y);
        let other = f.canonical(e, &f.negate(e, &y));
        let is_larger = f.is_larger(e, &y);
        let differs = e.attend_digit(larger, [&is_larger, &not(e, &is_larger)]);
        (f.select(e, &differs, &y, &other), is_square)
    }

    /// p + q. Every pair of points is added by the same formula (Renes, Costello, Batina 2015, for a = 0).
    pub fn add(&self, e: &E, p: &Point<F::Element>, q: &Point<F::Element>) -> Point<F::Element> {
        let f = self.field;
        let (xx, yy, zz) = (f.multiply(e, &p.x, &q.x), f.multiply(e, &p.y, &q.y), f.multiply(e, &p.z, &q.z));
        let xy = f.dot(e, &[(&p.x, &q.y), (&p.y, &q.x)]);
        let yz = f.dot(e, &[(&p.y, &q.z), (&p.z, &q.y)]);
        let xz = f.dot(e, &[(&p.x, &q.z), (&p.z, &q.x)]);
        let (bzz, bxz) = (f.multiply(e, &self.triple_b, &zz), f.multiply(e, &self.triple_b, &xz));
        let (sum, difference) = (f.add(e, &yy, &bzz), f.subtract(e, &yy, &bzz));
        let triple = f.sum(e, &[&xx; 3], &[]);
        let minus_bxz = f.negate(e, &bxz);
        Point {
            x: f.dot(e, &[(&xy, &difference), (&yz, &minus_bxz)]),
            y: f.dot(e, &[(&sum, &difference), (&triple, &bxz)]),
            z: f.dot(e, &[(&yz, &sum), (&xy, &triple)]),
        }
    }

    /// p + p.
    pub fn double(&self, e: &E, p: &Point<F::Element>) -> Point<F::Element> {
        let f = self.field;
        let (yy, zz) = (f.square(e, &p.y), f.square(e, &p.z));
        let (xy, yz) = (f.multiply(e, &p.x, &p.y), f.multiply(e, &p.y, &p.z));
        let bzz = f.multiply(e, &self.triple_b, &zz);
        let eight = f.sum(e, &[&yy; 8], &[]);
        let (sum, difference) = (f.add(e, &yy, &bzz), f.sum(e, &[&yy], &[&bzz; 3]));
        Point {
            x: f.dot(e, &[(&xy, &difference), (&xy, &difference)]),
            y: f.dot(e, &[(&bzz, &eight), (&difference, &sum)]),
            z: f.multiply(e, &yz, &eight),
        }
    }

    /// -p.
    pub fn negate(&self, e: &E, p: &Point<F::Element>) -> Point<F::Element> {
        Point { x: p.x.clone(), y: self.field.negate(e, &p.y), z: p.z.clone() }
    }

    /// The first point, or the second where the bit is on.
    pub fn select(
        &self,
        e: &E,
        bit: &E::Digit<Bit>,
        off: &Point<F::Element>,
        on: &Point<F::Element>,
    ) -> Point<F::Element> {
        let of = |off: &F::Element, on: &F::Element| self.field.select(e, bit, off, on);
        Point { x: of(&off.x, &on.x), y: of(&off.y, &on.y), z: of(&off.z, &on.z) }
    }

    /// The first sixteen multiples of a point.
    fn multiples(&self, e: &E, p: &Point<F::Element>) -> [Point<F::Element>; 16] {
        let mut multiple = self.infinity(e);
        std::array::from_fn(|_| {
            let next = self.add(e, &multiple, p);
            std::mem::replace(&mut multiple, next)
        })
    }

    /// The sum of scalars times points. Each digit of a scalar reads the multiples of its point by
    /// attention.
    pub fn multiply_all<const N: usize>(
        &self,
        e: &E,
        terms: &[(&Number<E, N>, &Point<F::Element>)],
    ) -> Point<F::Element> {
        let terms: Vec<_> = terms.iter().map(|(scalar, p)| (*scalar, self.multiples(e, p))).collect();
        let lanes = (0..N).rev().flat_map(|word| (0..16).rev().map(move |lane| (word, lane)));
        lanes.enumerate().fold(self.infinity(e), |mut sum, (step, (word, lane))| {
            if step > 0 {
                sum = (0..4).fold(sum, |sum, _| self.double(e, &sum));
            }
            terms.iter().fold(sum, |sum, (scalar, multiples)| {
                let key = e.lane(&scalar[word], lane);
                let of = |part: fn(&Point<F::Element>) -> &F::Element| {
                    self.field.attend(e, &key, multiples.each_ref().map(part))
                };
                let term = Point { x: of(|p| &p.x), y: of(|p| &p.y), z: of(|p| &p.z) };
                self.add(e, &sum, &term)
            })
        })
    }

    /// A modulus times a point.
    pub fn multiply_by_modulus(&self, e: &E, modulus: ModulusId, p: &Point<F::Element>) -> Point<F::Element> {
        let multiples = self.multiples(e, p);
        modulus.exponent(Power::Whole).fold(self.infinity(e), |sum, digit| {
            let sum = (0..4).fold(sum, |sum, _| self.double(e, &sum));
            if digit == 0 { sum } else { self.add(e, &sum, &multiples[digit]) }
        })
    }

    /// A scalar times a point.
    pub fn multiply<const N: usize>(
        &self,
        e: &E,
        scalar: &Number<E, N>,
        p: &Point<F::Element>,
    ) -> Point<F::Element> {
        self.multiply_all(e, &[(scalar, p)])
    }

    /// Whether a point is the one at infinity.
    pub fn is_infinity(&self, e: &E, p: &Point<F::Element>) -> E::Digit<Bit> {
        self.field.is_zero(e, &p.z)
    }

    /// The coordinates of a point, canonical.
    pub fn affine(&self, e: &E, p: &Point<F::Element>) -> Affine<F::Element, E::Digit<Bit>> {
        let f = self.field;
        // The inverse of 0 is 0, which makes both coordinates 0 at infinity.
        let inverse = f.invert(e, &p.z);
        let of = |x: &F::Element| f.canonical(e, &f.multiply(e, x, &inverse));
        Affine { x: of(&p.x), y: of(&p.y), infinity: self.is_infinity(e, p) }
    }
}

/// Whether both bits are on.
pub(super) fn both<E: Evaluator>(e: &E, a: &E::Digit<Bit>, b: &E::Digit<Bit>) -> E::Digit<Bit> {
    e.apply2(BIT_AND, a, b)
}

/// The other bit.
pub(super) fn not<E: Evaluator>(e: &E, a: &E::Digit<Bit>) -> E::Digit<Bit> {
    e.apply1(BIT_NOT, a)
}

/// Whether at least one bit is on.
pub(super) fn either<E: Evaluator>(e: &E, a: &E::Digit<Bit>, b: &E::Digit<Bit>) -> E::Digit<Bit> {
    wide::either(e, a, b)
}
