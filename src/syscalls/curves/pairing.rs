//! Miller loops, shared by both curves.

use super::{
    sextic::{Element, Sextic},
    weierstrass::Curve,
};
use crate::{
    alu::{
        field::{Field, Pair, Quadratic},
        wide::Number,
    },
    tables::{Evaluator, alphabet::Bit},
};

/// How a twist maps into the curve over the extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twist {
    /// b' = b / xi: (x, y) is (x w^2, y w^3).
    Divided,
    /// b' = b xi: (x, y) is (x / w^2, y / w^3).
    Multiplied,
}

/// A pair of points, neither at infinity unless `skip` is on; then the pair counts as 1.
pub struct PointPair<E: Evaluator, const N: usize> {
    /// The first group's point.
    pub p: [Number<E, N>; 2],
    /// The second group's point.
    pub q: [Pair<E, N>; 2],
    /// Whether one of them is at infinity.
    pub skip: E::Digit<Bit>,
}

/// A multiple of the twist's point, with coordinates x / z and y / z.
pub struct Multiple<E: Evaluator, const N: usize> {
    x: Pair<E, N>,
    y: Pair<E, N>,
    z: Pair<E, N>,
}

/// A pairing-friendly curve.
pub struct Miller<E: Evaluator, const N: usize> {
    /// The extension pairings lie in.
    pub extension: Sextic<E, N>,
    /// The curve of the second group's points.
    pub curve: Curve<E, Quadratic<N>>,
    /// How it maps into the first curve.
    pub twist: Twist,
}

/// The coefficients of a line: that of y, that of x, and the constant.
type Line<E, const N: usize> = [Pair<E, N>; 3];

impl<E: Evaluator, const N: usize> Miller<E, N> {
    /// A pair's point of the twist, to begin with.
    pub fn start(&self, e: &E, pair: &PointPair<E, N>) -> Multiple<E, N> {
        let [x, y] = pair.q.clone();
        Multiple { x, y, z: self.extension.field.one(e) }
    }

    /// f times the line, at the pair's first point.
    fn times_line(
        &self,
        e: &E,
        f: &Element<E, N>,
        [of_y, of_x, constant]: &Line<E, N>,
        pair: &PointPair<E, N>,
    ) -> Element<E, N> {
        let field = self.extension.field;
        let (one, zero) = (field.one(e), field.zero(e));
        let [x, y] = &pair.p;
        let at_y = field.scale(e, of_y, y);
        let at_x = field.scale(e, of_x, x);
        let pick = |off: &Pair<E, N>, on: &Pair<E, N>| field.select(e, &pair.skip, off, on);
        match self.twist {
            Twist::Divided => {
                let terms = [(0, &pick(&at_y, &one)), (1, &pick(&at_x, &zero)), (3, &pick(constant, &zero))];
                self.extension.multiply_terms(e, f, &terms)
            }
            Twist::Multiplied => {
                let terms = [(0, &pick(constant, &one)), (2, &pick(&at_x, &zero)), (3, &pick(&at_y, &zero))];
                self.extension.multiply_terms(e, f, &terms)
            }
        }
    }

    /// Doubles the multiple; f times the tangent.
    pub fn double(
        &self,
        e: &E,
        f: &Element<E, N>,
        t: &mut Multiple<E, N>,
        pair: &PointPair<E, N>,
    ) -> Element<E, N> {
        let k = self.extension.field;
        let (xx, yy, zz) = (k.square(e, &t.x), k.square(e, &t.y), k.square(e, &t.z));
        let (xy, yz) = (k.multiply(e, &t.x, &t.y), k.multiply(e, &t.y, &t.z));
        let bzz = k.multiply(e, &self.curve.triple_b, &zz);
        let line = [k.add(e, &yz, &yz), k.sum(e, &[], &[&xx; 3]), k.subtract(e, &yy, &bzz)];
        let f = self.times_line(e, f, &line, pair);
        let triple = k.sum(e, &[&bzz; 3], &[]);
        let sum = k.add(e, &yy, &triple);
        let twelve = k.sum(e, &[&triple; 4], &[]);
        let minus_twelve = k.negate(e, &twelve);
        *t = Multiple {
            x: k.multiply(e, &k.add(e, &xy, &xy), &k.subtract(e, &yy, &triple)),
            y: k.dot(e, &[(&sum, &sum), (&minus_twelve, &bzz)]),
            z: k.multiply(e, &k.sum(e, &[&yz; 8], &[]), &yy),
        };
        f
    }

    /// Adds a point of the twist to the multiple; f times the line through both.
    pub fn add(
        &self,
        e: &E,
        f: &Element<E, N>,
        t: &mut Multiple<E, N>,
        [x, y]: &[Pair<E, N>; 2],
        pair: &PointPair<E, N>,
    ) -> Element<E, N> {
        let k = self.extension.field;
        let theta = k.subtract(e, &t.y, &k.multiply(e, y, &t.z));
        let lambda = k.subtract(e, &t.x, &k.multiply(e, x, &t.z));
        let minus_y = k.negate(e, y);
        let line = [lambda.clone(), k.negate(e, &theta), k.dot(e, &[(&theta, x), (&lambda, &minus_y)])];
        let f = self.times_line(e, f, &line, pair);
        let square = k.square(e, &lambda);
        let cube = k.multiply(e, &square, &lambda);
        let g = k.multiply(e, &square, &t.x);
        let h = k.sum(e, &[&cube, &k.multiply(e, &k.square(e, &theta), &t.z)], &[&g, &g]);
        let minus_cube = k.negate(e, &cube);
        *t = Multiple {
            x: k.multiply(e, &lambda, &h),
            y: k.dot(e, &[(&theta, &k.subtract(e, &g, &h)), (&minus_cube, &t.y)]),
            z: k.multiply(e, &t.z, &cube),
        };
        f
    }

    /// The product over all pairs of the loop over the bits of a number, the highest of them, 1, first;
    /// and the multiples it ends with.
    pub fn run(
        &self,
        e: &E,
        bits: impl Iterator<Item = bool>,
        pairs: &[PointPair<E, N>],
    ) -> (Element<E, N>, Vec<Multiple<E, N>>) {
        let mut multiples: Vec<_> = pairs.iter().map(|pair| self.start(e, pair)).collect();
        let mut f = self.extension.one(e);
        for (step, bit) in bits.skip(1).enumerate() {
            if step > 0 {
                f = self.extension.square(e, &f);
            }
            for (t, pair) in multiples.iter_mut().zip(pairs) {
                f = self.double(e, &f, t, pair);
                if bit {
                    f = self.add(e, &f, t, &pair.q, pair);
                }
            }
        }
        (f, multiples)
    }
}
