//! Prime fields: one implementation over the modulus.
//!
//! An element is a number of N words that stands for its residue; it need not be below the modulus
//! unless a function says so ([`Prime::canonical`]). With D = 16 N digits, a product is 2 D columns; the
//! high ones are settled and folded into the low ones by a constant linear layer, and what then stands
//! above the highest digit is replaced by its residue.

mod curve25519;
mod extension;

use crate::{
    alu::wide::{self, Number},
    tables::{
        Evaluator, ModulusId, ModulusNumber, Power,
        alphabet::Bit,
        catalogue::{LOW_BIT, WordConst},
        numbers::NumberConst,
    },
};

pub use curve25519::{curve_ratio, even, is_on_curve, sqrt_ratio, without_sign};
pub use extension::{Field, Pair, Prepared, Quadratic};

/// A prime field whose elements take N words.
#[derive(Clone, Copy, Debug)]
pub struct Prime<const N: usize> {
    id: ModulusId,
}

impl<const N: usize> Prime<N> {
    const fn new(id: ModulusId) -> Self {
        assert!(id.words() == N);
        Self { id }
    }
}

/// 2^255 - 19.
pub const CURVE25519: Prime<4> = Prime::new(ModulusId::Curve25519);
/// The order of the Ed25519 base point.
pub const CURVE25519_ORDER: Prime<4> = Prime::new(ModulusId::Curve25519Order);
/// The field of secp256k1.
pub const SECP256K1: Prime<4> = Prime::new(ModulusId::Secp256k1);
/// The order of secp256k1.
pub const SECP256K1_ORDER: Prime<4> = Prime::new(ModulusId::Secp256k1Order);
/// The base field of BN254.
pub const BN254: Prime<4> = Prime::new(ModulusId::Bn254);
/// The scalar field of BN254.
pub const BN254_ORDER: Prime<4> = Prime::new(ModulusId::Bn254Order);
/// The base field of BLS12-381.
pub const BLS12_381: Prime<6> = Prime::new(ModulusId::Bls12381);
/// The scalar field of BLS12-381.
pub const BLS12_381_ORDER: Prime<4> = Prime::new(ModulusId::Bls12381Order);

impl<const N: usize> Prime<N> {
    /// Digits of an element.
    const DIGITS: usize = 16 * N;

    /// 0.
    pub fn zero<E: Evaluator>(self, e: &E) -> Number<E, N> {
        std::array::from_fn(|_| e.word(WordConst::Zero))
    }

    /// 1.
    pub fn one<E: Evaluator>(self, e: &E) -> Number<E, N> {
        std::array::from_fn(|i| e.word(if i == 0 { WordConst::One } else { WordConst::Zero }))
    }

    /// The element that the columns, each below 128, stand for.
    #[inline]
    fn settle<E: Evaluator>(self, e: &E, sums: &E::Sums) -> Number<E, N> {
        let (mut low, mut top) = wide::carry::<E, N>(e, sums);
        for _ in 0..self.id.reductions() {
            // The highest digit goes with those above, so that what remains is small.
            let highest = e.lane(&low[N - 1], 15);
            low[N - 1] = e.merge(&low[N - 1], &e.word(WordConst::Zero), 15);
            let residue = e.residue(self.id, &e.shift_up(&top, 1, &highest));
            (low, top) = wide::carry::<E, N>(e, &e.join(&e.digit_sums(&low), &residue));
        }
        low
    }

    /// a b.
    #[inline]
    pub fn multiply<E: Evaluator>(self, e: &E, a: &Number<E, N>, b: &Number<E, N>) -> Number<E, N> {
        let columns = e.product_sums(a, b);
        let high = e.spread(&e.part(&columns, Self::DIGITS, Self::DIGITS), Self::DIGITS);
        let columns = e.join(&e.part(&columns, 0, Self::DIGITS), &e.fold(self.id, &high));
        self.settle(e, &e.spread(&columns, Self::DIGITS + 3))
    }

    /// The sum of some products: at most 16 of numbers of four words, 12 of numbers of six.
    ///
    /// Columns are added before they are settled, as many products as stay below 65,536; of each such
    /// group they are settled twice, to at most 18, so that four groups can be folded at once.
    pub fn dot<E: Evaluator>(self, e: &E, pairs: &[(&Number<E, N>, &Number<E, N>)]) -> Number<E, N> {
        if let [(a, b)] = pairs {
            return self.multiply(e, a, b);
        }
        let group = if N <= 4 { 4 } else { 3 };
        assert!(pairs.len() <= 4 * group, "a sum of too many products for a staircase");
        let width = 2 * Self::DIGITS + 1;
        let groups = pairs.chunks(group).map(|pairs| {
            let products = pairs.iter().map(|(a, b)| e.product_sums(a, b));
            let columns = products.reduce(|sum, product| e.join(&sum, &product));
            columns.map(|columns| e.spread(&columns, width))
        });
        let groups = groups.flatten().map(|columns| e.spread(&columns, width));
        let Some(columns) = groups.reduce(|sum, group| e.join(&sum, &group)) else {
            return self.zero(e);
        };
        let high = e.part(&columns, Self::DIGITS, Self::DIGITS + 1);
        let columns = e.join(&e.part(&columns, 0, Self::DIGITS), &e.fold(self.id, &high));
        self.settle(e, &e.spread(&columns, Self::DIGITS + 3))
    }

    /// a^2.
    #[inline]
    pub fn square<E: Evaluator>(self, e: &E, a: &Number<E, N>) -> Number<E, N> {
        self.multiply(e, a, a)
    }

    /// a^(2^count).
    pub fn square_times<E: Evaluator>(self, e: &E, a: &Number<E, N>, count: usize) -> Number<E, N> {
        (0..count).fold(a.clone(), |x, _| self.square(e, &x))
    }

    /// The sum of some elements minus that of others. The number of the former and twice that of the
    /// latter are at most 8 together.
    #[inline]
    pub fn sum<E: Evaluator>(self, e: &E, plus: &[&Number<E, N>], minus: &[&Number<E, N>]) -> Number<E, N> {
        assert!(plus.len() + 2 * minus.len() <= 8, "a sum of too many terms for a staircase");
        let mut sums: Option<E::Sums> = None;
        let mut join = |term: E::Sums| {
            sums = Some(match sums.take() {
                Some(sums) => e.join(&sums, &term),
                None => term,
            });
        };
        for term in plus {
            join(e.digit_sums(term));
        }
        for term in minus {
            join(e.complement_sums(term));
            join(e.modulus_sums(self.id, ModulusNumber::Difference));
        }
        sums.map_or_else(|| self.zero(e), |sums| self.settle(e, &sums))
    }

    /// a + b.
    #[inline]
    pub fn add<E: Evaluator>(self, e: &E, a: &Number<E, N>, b: &Number<E, N>) -> Number<E, N> {
        self.sum(e, &[a, b], &[])
    }

    /// a plus a constant.
    #[inline]
    pub fn add_constant<E: Evaluator>(self, e: &E, a: &Number<E, N>, number: NumberConst) -> Number<E, N> {
        self.settle(e, &e.join(&e.digit_sums(a), &e.number_sums(number)))
    }

    /// a - b.
    #[inline]
    pub fn subtract<E: Evaluator>(self, e: &E, a: &Number<E, N>, b: &Number<E, N>) -> Number<E, N> {
        self.sum(e, &[a], &[b])
    }

    /// -a.
    #[inline]
    pub fn negate<E: Evaluator>(self, e: &E, a: &Number<E, N>) -> Number<E, N> {
        self.sum(e, &[], &[a])
    }

    /// a + a.
    #[inline]
    pub fn double<E: Evaluator>(self, e: &E, a: &Number<E, N>) -> Number<E, N> {
        self.sum(e, &[a, a], &[])
    }

    /// The element as a number below the modulus.
    pub fn canonical<E: Evaluator>(self, e: &E, a: &Number<E, N>) -> Number<E, N> {
        (0..self.id.halvings()).rev().fold(a.clone(), |a, halving| {
            let (less, fits) = self.less_multiple(e, &a, halving);
            wide::select(e, &fits, &a, &less)
        })
    }

    /// a minus 2^halving times the modulus, and whether that is not negative.
    fn less_multiple<E: Evaluator>(
        self,
        e: &E,
        a: &Number<E, N>,
        halving: usize,
    ) -> (Number<E, N>, E::Digit<Bit>) {
        let complement = e.modulus_sums(self.id, ModulusNumber::Complement(halving));
        let (less, top) = wide::carry(e, &e.join(&e.digit_sums(a), &complement));
        (less, e.apply1(LOW_BIT, &e.lane(&top, 0)))
    }

    /// Whether a number is not below the modulus.
    pub fn exceeds<E: Evaluator>(self, e: &E, a: &Number<E, N>) -> E::Digit<Bit> {
        self.less_multiple(e, a, 0).1
    }

    /// Whether a is 0.
    pub fn is_zero<E: Evaluator>(self, e: &E, a: &Number<E, N>) -> E::Digit<Bit> {
        wide::is_zero(e, &self.canonical(e, a))
    }

    /// Whether a is b.
    pub fn equal<E: Evaluator>(self, e: &E, a: &Number<E, N>, b: &Number<E, N>) -> E::Digit<Bit> {
        self.is_zero(e, &self.subtract(e, a, b))
    }

    /// a to a power that is fixed by the modulus.
    ///
    /// The exponent's digits, known when the circuit is written, say which of the first powers of `a` is
    /// the next factor.
    pub fn power<E: Evaluator>(self, e: &E, a: &Number<E, N>, power: Power) -> Number<E, N> {
        let mut powers = vec![self.one(e), a.clone()];
        for k in 2..16 {
            powers.push(self.multiply(e, &powers[k - 1], a));
        }
        let mut digits = self.id.exponent(power);
        let first = digits.next().map_or_else(|| self.one(e), |digit| powers[digit].clone());
        digits.fold(first, |x, digit| {
            let x = self.square_times(e, &x, 4);
            if digit == 0 { x } else { self.multiply(e, &x, &powers[digit]) }
        })
    }

    /// 1 / a; 0 for 0.
    pub fn invert<E: Evaluator>(self, e: &E, a: &Number<E, N>) -> Number<E, N> {
        self.power(e, a, Power::Inverse)
    }
}

/// A constant as digits.
pub fn constant<E: Evaluator, const N: usize>(e: &E, number: NumberConst) -> Number<E, N> {
    wide::carry(e, &e.number_sums(number)).0
}

#[cfg(test)]
mod tests;
