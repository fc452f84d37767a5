//! The extension of degree twelve as polynomials in w, w^6 = xi, over the quadratic extension.

use crate::{
    alu::field::{self, Field, Pair, Prepared, Quadratic},
    tables::{
        Evaluator,
        alphabet::Bit,
        catalogue::BIT_AND,
        numbers::{NumberConst, NumberSet},
    },
};

/// An element: the coefficients of 1, w, ..., w^5.
pub type Element<E, const N: usize> = [Pair<E, N>; 6];

/// The extension, with what its p-th power needs.
pub struct Sextic<E: Evaluator, const N: usize> {
    /// The quadratic extension below.
    pub field: Quadratic<N>,
    /// xi is this plus i: 1 or 9.
    real: usize,
    /// xi^((p - 1) k / 6) for k = 1 to 5.
    frobenius: [Pair<E, N>; 5],
}

impl<E: Evaluator, const N: usize> Sextic<E, N> {
    /// The extension with w^6 = `real` + i.
    pub fn new(e: &E, field: Quadratic<N>, real: usize, set: NumberSet) -> Self {
        let power = |k| [0, 1].map(|part| field::constant(e, NumberConst::frobenius(set, k + 1, part)));
        Self { field, real, frobenius: std::array::from_fn(power) }
    }

    /// xi^((p - 1) k / 6), k from 1 to 5.
    pub fn frobenius_factor(&self, k: usize) -> &Pair<E, N> {
        &self.frobenius[k - 1]
    }

    /// 1.
    pub fn one(&self, e: &E) -> Element<E, N> {
        std::array::from_fn(|k| if k == 0 { self.field.one(e) } else { self.field.zero(e) })
    }

    /// xi times an element of the quadratic extension.
    pub fn times_xi(&self, e: &E, [x, y]: &Pair<E, N>) -> Pair<E, N> {
        let f = self.field.0;
        if self.real == 1 {
            return [f.subtract(e, x, y), f.add(e, x, y)];
        }
        let rest = self.real - 1;
        let most = |part: &crate::alu::wide::Number<E, N>| f.sum(e, &vec![part; rest], &[]);
        [f.sum(e, &[&most(x), x], &[y]), f.sum(e, &[&most(y), y, x], &[])]
    }

    fn prepare(&self, e: &E, a: &Pair<E, N>) -> [Prepared<E, N>; 2] {
        [self.field.prepare(e, a), self.field.prepare(e, &self.times_xi(e, a))]
    }

    /// a times the sum of some terms, each the power of w and its coefficient.
    pub fn multiply_terms(&self, e: &E, a: &Element<E, N>, terms: &[(usize, &Pair<E, N>)]) -> Element<E, N> {
        let terms: Vec<_> = terms.iter().map(|(power, b)| (*power, self.prepare(e, b))).collect();
        std::array::from_fn(|k| {
            let pairs: Vec<_> = terms
                .iter()
                .map(
                    |(power, [b, xi_b])| {
                        if *power <= k { (&a[k - power], b) } else { (&a[k + 6 - power], xi_b) }
                    },
                )
                .collect();
            self.field.dot_prepared(e, &pairs)
        })
    }

    /// a b.
    pub fn multiply(&self, e: &E, a: &Element<E, N>, b: &Element<E, N>) -> Element<E, N> {
        self.multiply_terms(e, a, &std::array::from_fn::<_, 6, _>(|power| (power, &b[power])))
    }

    /// a^2.
    pub fn square(&self, e: &E, a: &Element<E, N>) -> Element<E, N> {
        let prepared = a.each_ref().map(|a| self.prepare(e, a));
        let doubled = a.each_ref().map(|a| self.field.add(e, a, a));
        std::array::from_fn(|k| {
            // i + j is k or k + 6; each product of two different factors counts twice.
            let whole = (0..=k).map(|i| (i, k - i, 0));
            let wrapped = (k + 1..6).map(|i| (i, k + 6 - i, 1));
            let pairs: Vec<_> = whole
                .chain(wrapped)
                .filter(|(i, j, _)| i <= j)
                .map(|(i, j, xi)| (if i == j { &a[i] } else { &doubled[i] }, &prepared[j][xi]))
                .collect();
            self.field.dot_prepared(e, &pairs)
        })
    }

    /// a^2 for an a that a final exponentiation has made: one whose p^6-th power is its inverse, and whose
    /// (p^4 - p^2 + 1)-th power is 1 (Granger, Scott 2010).
    pub fn cyclotomic_square(&self, e: &E, a: &Element<E, N>) -> Element<E, N> {
        let f = self.field;
        let of = |x: &Pair<E, N>, y: &Pair<E, N>| {
            // The square of x + y w^3: the part without w^3, and half the one with it.
            let xi_y = self.times_xi(e, y);
            (f.dot(e, &[(x, x), (y, &xi_y)]), f.multiply(e, x, y), f.multiply(e, x, &xi_y))
        };
        let (t0, t1, _) = of(&a[0], &a[3]);
        let (t2, t3, _) = of(&a[1], &a[4]);
        let (t4, _, t5) = of(&a[2], &a[5]);
        let even = |t: &Pair<E, N>, a: &Pair<E, N>| f.sum(e, &[t; 3], &[a; 2]);
        let odd = |t: &Pair<E, N>, a: &Pair<E, N>| f.sum(e, &[t, t, t, t, t, t, a, a], &[]);
        [
            even(&t0, &a[0]),
            odd(&t5, &a[1]),
            even(&t2, &a[2]),
            odd(&t1, &a[3]),
            even(&t4, &a[4]),
            odd(&t3, &a[5]),
        ]
    }

    /// a^(p^6): w becomes -w.
    pub fn conjugate(&self, e: &E, a: &Element<E, N>) -> Element<E, N> {
        std::array::from_fn(|k| if k % 2 == 0 { a[k].clone() } else { self.field.negate(e, &a[k]) })
    }

    /// a^p.
    pub fn frobenius(&self, e: &E, a: &Element<E, N>) -> Element<E, N> {
        std::array::from_fn(|k| {
            let conjugate = self.field.conjugate(e, &a[k]);
            if k == 0 { conjugate } else { self.field.multiply(e, &conjugate, &self.frobenius[k - 1]) }
        })
    }

    /// 1 / a.
    pub fn invert(&self, e: &E, a: &Element<E, N>) -> Element<E, N> {
        let f = self.field;
        let conjugate = self.conjugate(e, a);
        // The norm to the extension by v = w^2 has no odd powers of w.
        let [x, _, y, _, z, _] = self.multiply(e, a, &conjugate);
        let (xi_y, xi_z) = (self.times_xi(e, &y), self.times_xi(e, &z));
        let a0 = f.subtract(e, &f.square(e, &x), &f.multiply(e, &xi_y, &z));
        let a1 = f.subtract(e, &f.multiply(e, &xi_z, &z), &f.multiply(e, &x, &y));
        let a2 = f.subtract(e, &f.square(e, &y), &f.multiply(e, &x, &z));
        let norm = f.dot(e, &[(&x, &a0), (&xi_z, &a1), (&xi_y, &a2)]);
        let inverse = f.invert(e, &norm);
        let parts = [a0, a1, a2].map(|part| f.multiply(e, &part, &inverse));
        self.multiply_terms(e, &conjugate, &[(0, &parts[0]), (2, &parts[1]), (4, &parts[2])])
    }

    /// a to a power known when the circuit is written, for an a as in
    /// [`cyclotomic_square`](Self::cyclotomic_square).
    pub fn cyclotomic_power(&self, e: &E, a: &Element<E, N>, power: usize) -> Element<E, N> {
        (0..power.ilog2()).rev().fold(a.clone(), |x, bit| {
            let x = self.cyclotomic_square(e, &x);
            if power >> bit & 1 == 1 { self.multiply(e, &x, a) } else { x }
        })
    }

    /// a^((p^6 - 1) (p^2 + 1)), for an a that is not 0.
    pub fn easy_power(&self, e: &E, a: &Element<E, N>) -> Element<E, N> {
        let a = self.multiply(e, &self.conjugate(e, a), &self.invert(e, a));
        self.multiply(e, &self.frobenius(e, &self.frobenius(e, &a)), &a)
    }

    /// Whether a is 1.
    pub fn is_one(&self, e: &E, a: &Element<E, N>) -> E::Digit<Bit> {
        let first = self.field.equal(e, &a[0], &self.field.one(e));
        a[1..].iter().fold(first, |one, part| e.apply2(BIT_AND, &one, &self.field.is_zero(e, part)))
    }

    /// Every number of it below the modulus.
    pub fn canonical(&self, e: &E, a: &Element<E, N>) -> Element<E, N> {
        a.each_ref().map(|part| self.field.canonical(e, part))
    }
}
