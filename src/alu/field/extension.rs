//! What points and towers need of a field, and the quadratic extension by a root of -1.

use super::{Number, Prime};
use crate::{
    alu::wide,
    tables::{
        Evaluator, Power,
        alphabet::{Bit, Nibble},
        catalogue::{BIT_AND, LESS},
    },
};

/// A field.
pub trait Field<E: Evaluator>: Copy {
    /// An element; it need not be in canonical form.
    type Element: Clone;

    /// 0.
    fn zero(self, e: &E) -> Self::Element;
    /// 1.
    fn one(self, e: &E) -> Self::Element;
    /// The sum of at most three products.
    fn dot(self, e: &E, pairs: &[(&Self::Element, &Self::Element)]) -> Self::Element;
    /// See [`Prime::sum`].
    fn sum(self, e: &E, plus: &[&Self::Element], minus: &[&Self::Element]) -> Self::Element;
    /// 1 / a; 0 for 0.
    fn invert(self, e: &E, a: &Self::Element) -> Self::Element;
    /// Whether a is 0.
    fn is_zero(self, e: &E, a: &Self::Element) -> E::Digit<Bit>;
    /// Every number of it below the modulus.
    fn canonical(self, e: &E, a: &Self::Element) -> Self::Element;
    /// The first element, or the second where the bit is on.
    fn select(self, e: &E, bit: &E::Digit<Bit>, off: &Self::Element, on: &Self::Element) -> Self::Element;
    /// Attention over sixteen elements.
    fn attend(self, e: &E, key: &E::Digit<Nibble>, values: [&Self::Element; 16]) -> Self::Element;
    /// A root of a, and whether there is one. The modulus has to be 3 modulo 4.
    fn root(self, e: &E, a: &Self::Element) -> (Self::Element, E::Digit<Bit>);

    /// Whether a canonical element is larger than its negative; imaginary parts are compared first.
    fn is_larger(self, e: &E, a: &Self::Element) -> E::Digit<Bit>;

    /// a b.
    fn multiply(self, e: &E, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.dot(e, &[(a, b)])
    }
    /// a^2.
    fn square(self, e: &E, a: &Self::Element) -> Self::Element {
        self.multiply(e, a, a)
    }
    /// a + b.
    fn add(self, e: &E, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.sum(e, &[a, b], &[])
    }
    /// a - b.
    fn subtract(self, e: &E, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.sum(e, &[a], &[b])
    }
    /// -a.
    fn negate(self, e: &E, a: &Self::Element) -> Self::Element {
        self.sum(e, &[], &[a])
    }
    /// Whether a is b.
    fn equal(self, e: &E, a: &Self::Element, b: &Self::Element) -> E::Digit<Bit> {
        self.is_zero(e, &self.subtract(e, a, b))
    }
}

impl<E: Evaluator, const N: usize> Field<E> for Prime<N> {
    type Element = Number<E, N>;

    fn zero(self, e: &E) -> Number<E, N> {
        self.zero(e)
    }

    fn one(self, e: &E) -> Number<E, N> {
        self.one(e)
    }

    fn dot(self, e: &E, pairs: &[(&Number<E, N>, &Number<E, N>)]) -> Number<E, N> {
        self.dot(e, pairs)
    }

    fn sum(self, e: &E, plus: &[&Number<E, N>], minus: &[&Number<E, N>]) -> Number<E, N> {
        self.sum(e, plus, minus)
    }

    fn invert(self, e: &E, a: &Number<E, N>) -> Number<E, N> {
        self.invert(e, a)
    }

    fn is_zero(self, e: &E, a: &Number<E, N>) -> E::Digit<Bit> {
        self.is_zero(e, a)
    }

    fn canonical(self, e: &E, a: &Number<E, N>) -> Number<E, N> {
        self.canonical(e, a)
    }

    fn select(self, e: &E, bit: &E::Digit<Bit>, off: &Number<E, N>, on: &Number<E, N>) -> Number<E, N> {
        wide::select(e, bit, off, on)
    }

    fn attend(self, e: &E, key: &E::Digit<Nibble>, values: [&Number<E, N>; 16]) -> Number<E, N> {
        std::array::from_fn(|i| e.attend(key, values.map(|value| &value[i])))
    }

    fn root(self, e: &E, a: &Number<E, N>) -> (Number<E, N>, E::Digit<Bit>) {
        let root = self.power(e, a, Power::Root);
        let is_root = self.equal(e, &self.square(e, &root), a);
        (root, is_root)
    }

    fn is_larger(self, e: &E, a: &Number<E, N>) -> E::Digit<Bit> {
        let negative = self.canonical(e, &self.negate(e, a));
        e.apply1(LESS, &wide::compare(e, &negative, a))
    }
}

/// The extension of a prime field by a root i of -1; an element is its real and its imaginary part.
#[derive(Clone, Copy, Debug)]
pub struct Quadratic<const N: usize>(pub Prime<N>);

/// An element of a quadratic extension.
pub type Pair<E, const N: usize> = [Number<E, N>; 2];

impl<const N: usize> Quadratic<N> {
    /// The element with i replaced by -i.
    pub fn conjugate<E: Evaluator>(self, e: &E, [real, imaginary]: &Pair<E, N>) -> Pair<E, N> {
        [real.clone(), self.0.negate(e, imaginary)]
    }

    /// a times an element of the prime field.
    pub fn scale<E: Evaluator>(self, e: &E, a: &Pair<E, N>, by: &Number<E, N>) -> Pair<E, N> {
        [self.0.multiply(e, &a[0], by), self.0.multiply(e, &a[1], by)]
    }

    /// The sum of products with the negated imaginary part of each second factor at hand.
    pub fn dot_prepared<E: Evaluator>(self, e: &E, pairs: &[(&Pair<E, N>, &Prepared<E, N>)]) -> Pair<E, N> {
        let real: Vec<_> =
            pairs.iter().flat_map(|(a, b)| [(&a[0], &b.element[0]), (&a[1], &b.minus_imaginary)]).collect();
        let imaginary: Vec<_> =
            pairs.iter().flat_map(|(a, b)| [(&a[0], &b.element[1]), (&a[1], &b.element[0])]).collect();
        [self.0.dot(e, &real), self.0.dot(e, &imaginary)]
    }

    /// What [`dot_prepared`](Self::dot_prepared) needs of a factor.
    pub fn prepare<E: Evaluator>(self, e: &E, element: &Pair<E, N>) -> Prepared<E, N> {
        Prepared { element: element.clone(), minus_imaginary: self.0.negate(e, &element[1]) }
    }
}

/// A factor with its imaginary part negated.
pub struct Prepared<E: Evaluator, const N: usize> {
    element: Pair<E, N>,
    minus_imaginary: Number<E, N>,
}

impl<E: Evaluator, const N: usize> Field<E> for Quadratic<N> {
    type Element = Pair<E, N>;

    fn zero(self, e: &E) -> Pair<E, N> {
        [self.0.zero(e), self.0.zero(e)]
    }

    fn one(self, e: &E) -> Pair<E, N> {
        [self.0.one(e), self.0.zero(e)]
    }

    fn dot(self, e: &E, pairs: &[(&Pair<E, N>, &Pair<E, N>)]) -> Pair<E, N> {
        let prepared: Vec<_> = pairs.iter().map(|(_, b)| self.prepare(e, b)).collect();
        let pairs: Vec<_> = pairs.iter().zip(&prepared).map(|((a, _), b)| (*a, b)).collect();
        self.dot_prepared(e, &pairs)
    }

    fn sum(self, e: &E, plus: &[&Pair<E, N>], minus: &[&Pair<E, N>]) -> Pair<E, N> {
        std::array::from_fn(|part| {
            let of = |terms: &[&Pair<E, N>]| terms.iter().map(|term| term[part].clone()).collect::<Vec<_>>();
            let (plus, minus) = (of(plus), of(minus));
            self.0.sum(e, &plus.iter().collect::<Vec<_>>(), &minus.iter().collect::<Vec<_>>())
        })
    }

    fn invert(self, e: &E, a: &Pair<E, N>) -> Pair<E, N> {
        let norm = self.0.dot(e, &[(&a[0], &a[0]), (&a[1], &a[1])]);
        self.scale(e, &self.conjugate(e, a), &self.0.invert(e, &norm))
    }

    fn is_zero(self, e: &E, a: &Pair<E, N>) -> E::Digit<Bit> {
        e.apply2(BIT_AND, &self.0.is_zero(e, &a[0]), &self.0.is_zero(e, &a[1]))
    }

    fn canonical(self, e: &E, a: &Pair<E, N>) -> Pair<E, N> {
        a.each_ref().map(|part| self.0.canonical(e, part))
    }

    fn select(self, e: &E, bit: &E::Digit<Bit>, off: &Pair<E, N>, on: &Pair<E, N>) -> Pair<E, N> {
        std::array::from_fn(|part| wide::select(e, bit, &off[part], &on[part]))
    }

    fn attend(self, e: &E, key: &E::Digit<Nibble>, values: [&Pair<E, N>; 16]) -> Pair<E, N> {
        std::array::from_fn(|part| Field::attend(self.0, e, key, values.map(|value| &value[part])))
    }

    /// With n the norm of a = x + i y and s a root of it, a root of a is r + i y / (2 r), where r^2 is
    /// (x + s) / 2 or (x - s) / 2, whichever is a square; r = 0 leaves i times the root of -x.
    fn root(self, e: &E, a: &Pair<E, N>) -> (Pair<E, N>, E::Digit<Bit>) {
        let f = self.0;
        let [x, y] = a;
        let (s, _) = f.root(e, &f.dot(e, &[(x, x), (y, y)]));
        let half = f.invert(e, &f.sum(e, &[&f.one(e), &f.one(e)], &[]));
        let (first, is_square) = f.root(e, &f.multiply(e, &f.add(e, x, &s), &half));
        let (second, _) = f.root(e, &f.multiply(e, &f.subtract(e, x, &s), &half));
        let r = wide::select(e, &is_square, &second, &first);
        let other = f.multiply(e, y, &f.invert(e, &f.double(e, &r)));
        let (alone, _) = f.root(e, &f.negate(e, x));
        let root = [r.clone(), wide::select(e, &f.is_zero(e, &r), &other, &alone)];
        let is_root = self.equal(e, &self.square(e, &root), a);
        (root, is_root)
    }

    fn is_larger(self, e: &E, a: &Pair<E, N>) -> E::Digit<Bit> {
        let [real, imaginary] = a.each_ref().map(|part| self.0.is_larger(e, part));
        e.attend_digit(&wide::is_zero(e, &a[1]), [&imaginary, &real])
    }
}
