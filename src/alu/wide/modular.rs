//! Powers modulo an odd number that is known only when the circuit runs (Montgomery 1985).
//!
//! Numbers are limbs of 256 bits, the least significant first; how many there are is known when the
//! circuit is written. With R = 2^(256 L) for L limbs, x stands as x R modulo n, and the product of two
//! such numbers, divided by R, needs no division: n times a multiple chosen by -1 / n modulo 2^256 makes
//! the low limb 0, which is then dropped.

use super::{Number, add, either, subtract};
use crate::tables::{
    Evaluator, Word,
    alphabet::Bit,
    catalogue::{BIT_AND, BIT_NOT, WordConst},
};

/// Words of a limb.
pub const LIMB_WORDS: usize = 4;
/// Digits of a limb.
const DIGITS: usize = 16 * LIMB_WORDS;
/// Bits of a limb, and their logarithm.
const BITS: usize = 4 * DIGITS;
const LOG_BITS: usize = BITS.ilog2() as usize;

/// 256 bits of a number.
pub type Limb<E> = Number<E, LIMB_WORDS>;

fn zero<E: Evaluator>(e: &E) -> Limb<E> {
    std::array::from_fn(|_| e.word(WordConst::Zero))
}

fn one<E: Evaluator>(e: &E) -> Limb<E> {
    std::array::from_fn(|i| e.word(if i == 0 { WordConst::One } else { WordConst::Zero }))
}

/// Words as limbs, the last of which is filled with zeros.
pub fn limbs<E: Evaluator>(e: &E, words: &[Word<E>]) -> Vec<Limb<E>> {
    let limb = |words: &[Word<E>]| {
        std::array::from_fn(|i| words.get(i).cloned().unwrap_or_else(|| e.word(WordConst::Zero)))
    };
    words.chunks(LIMB_WORDS).map(limb).collect()
}

/// a b + c + d as its low and its high limb: it is always below 2^512.
///
/// A column of the product settles to digits that add up to at most 60; with a digit of c and one of d it
/// stays below the 128 that the staircase admits.
fn multiply_add<E: Evaluator>(e: &E, [a, b]: [&Limb<E>; 2], [c, d]: [&Limb<E>; 2]) -> (Limb<E>, Limb<E>) {
    let product = e.spread(&e.product_sums(a, b), 2 * DIGITS);
    let sums = e.join(&product, &e.join(&e.digit_sums(c), &e.digit_sums(d)));
    let ([l0, l1, l2, l3, h0, h1, h2, h3], _) = super::carry::<E, { 2 * LIMB_WORDS }>(e, &sums);
    ([l0, l1, l2, l3], [h0, h1, h2, h3])
}

/// a + b in as many limbs, and the carry that leaves.
fn sum<E: Evaluator>(e: &E, a: &[Limb<E>], b: &[Limb<E>]) -> (Vec<Limb<E>>, E::Digit<Bit>) {
    let mut carry = e.digit::<Bit, 0>();
    let limb = |(a, b): (&Limb<E>, &Limb<E>)| {
        std::array::from_fn(|i| {
            let (word, leaving) = e.add_words(&a[i], &b[i], &carry);
            carry = leaving;
            word
        })
    };
    let limbs = a.iter().zip(b).map(limb).collect();
    (limbs, carry)
}

/// a - b in as many limbs, and the borrow that leaves.
fn difference<E: Evaluator>(e: &E, a: &[Limb<E>], b: &[Limb<E>]) -> (Vec<Limb<E>>, E::Digit<Bit>) {
    let mut borrow = e.digit::<Bit, 0>();
    let limb = |(a, b): (&Limb<E>, &Limb<E>)| {
        std::array::from_fn(|i| {
            let (word, leaving) = e.sub_words(&a[i], &b[i], &borrow);
            borrow = leaving;
            word
        })
    };
    let limbs = a.iter().zip(b).map(limb).collect();
    (limbs, borrow)
}

/// Whether a number can be a [`Modulus`]: it is odd and above 1.
pub fn is_modulus<E: Evaluator>(e: &E, limbs: &[Limb<E>]) -> E::Digit<Bit> {
    let Some((lowest, others)) = limbs.split_first() else {
        return e.digit::<Bit, 0>();
    };
    let (less, _) = subtract(e, lowest, &one(e));
    let is_one = others
        .iter()
        .fold(super::is_zero(e, &less), |zero, limb| e.apply2(BIT_AND, &zero, &super::is_zero(e, limb)));
    e.apply2(BIT_AND, &super::is_odd(e, lowest), &e.apply1(BIT_NOT, &is_one))
}

/// An odd modulus above 1, with what reductions by it need.
pub struct Modulus<E: Evaluator> {
    /// n, in L limbs; the highest may be 0.
    limbs: Vec<Limb<E>>,
    /// -1 / n modulo 2^256.
    inverse: Limb<E>,
    /// R^2 modulo n.
    square: Vec<Limb<E>>,
}

impl<E: Evaluator> Modulus<E> {
    /// Prepares a number that [`is_modulus`] admits.
    pub fn new(e: &E, limbs: Vec<Limb<E>>) -> Self {
        let count = limbs.len();
        let mut this = Self { inverse: minus_inverse(e, &limbs[0]), limbs, square: Vec::new() };
        // 2^L R, whose square is 2^(2 L) R, and so on up to 2^(256 L) R = R^2.
        let mut power = this.small(e, one(e));
        for _ in 0..(BITS + 1) * count {
            power = this.add(e, &power, &power);
        }
        for _ in 0..LOG_BITS {
            power = this.multiply(e, &power, &power);
        }
        this.square = power;
        this
    }

    /// A number of one limb.
    fn small(&self, e: &E, limb: Limb<E>) -> Vec<Limb<E>> {
        let mut limbs = vec![limb];
        limbs.resize_with(self.limbs.len(), || zero(e));
        limbs
    }

    /// A number below 2 n, whose bit above the highest limb is `top`, modulo n.
    fn reduce(&self, e: &E, a: Vec<Limb<E>>, top: &E::Digit<Bit>) -> Vec<Limb<E>> {
        let (less, borrow) = difference(e, &a, &self.limbs);
        let fits = either(e, top, &e.apply1(BIT_NOT, &borrow));
        a.iter().zip(&less).map(|(a, less)| super::select(e, &fits, a, less)).collect()
    }

    /// a + b modulo n, both below it.
    fn add(&self, e: &E, a: &[Limb<E>], b: &[Limb<E>]) -> Vec<Limb<E>> {
        let (sum, carry) = sum(e, a, b);
        self.reduce(e, sum, &carry)
    }

    /// a b / R modulo n, for an a below n and any b of as many limbs.
    fn multiply(&self, e: &E, a: &[Limb<E>], b: &[Limb<E>]) -> Vec<Limb<E>> {
        let nothing = zero(e);
        // Below 2 n after every round: (2 n + n (2^256 - 1) + n (2^256 - 1)) / 2^256 is.
        let mut total: Vec<Limb<E>> = vec![nothing.clone(); a.len()];
        let mut top = e.digit::<Bit, 0>();
        for b in b {
            let mut carry = nothing.clone();
            for (sum, a) in total.iter_mut().zip(a) {
                (*sum, carry) = multiply_add(e, [a, b], [sum, &carry]);
            }
            let above = super::select(e, &top, &nothing, &one(e));
            let (high, overflow) = add(e, &carry, &above);
            let (multiple, _) = multiply_add(e, [&total[0], &self.inverse], [&nothing; 2]);
            // The lowest limb becomes 0; the others move one down.
            let (_, mut carry) = multiply_add(e, [&multiple, &self.limbs[0]], [&total[0], &nothing]);
            for (k, n) in self.limbs.iter().enumerate().skip(1) {
                (total[k - 1], carry) = multiply_add(e, [&multiple, n], [&total[k], &carry]);
            }
            let (highest, leaving) = add(e, &high, &carry);
            if let Some(last) = total.last_mut() {
                *last = highest;
            }
            top = either(e, &overflow, &leaving);
        }
        self.reduce(e, total, &top)
    }

    /// `base` to the power of `exponent`, modulo n; the exponent is words, the least significant first.
    ///
    /// Each digit of the exponent reads the first sixteen powers by attention.
    pub fn power(&self, e: &E, base: &[Limb<E>], exponent: &[Word<E>]) -> Vec<Limb<E>> {
        let count = self.limbs.len();
        // Horner's rule in R, of which a product by R^2 is worth one.
        let reduced = base.chunks(count).rev().fold(self.small(e, zero(e)), |sum, chunk| {
            let mut chunk = chunk.to_vec();
            chunk.resize_with(count, || zero(e));
            self.add(e, &self.multiply(e, &sum, &self.square), &self.multiply(e, &self.square, &chunk))
        });
        let unit = self.small(e, one(e));
        let mut powers = vec![self.multiply(e, &self.square, &unit), reduced];
        for k in 2..16 {
            powers.push(self.multiply(e, &powers[k - 1], &powers[1]));
        }
        let lanes = exponent.iter().rev().flat_map(|word| (0..16).rev().map(move |lane| (word, lane)));
        let result = lanes.enumerate().fold(powers[0].clone(), |result, (step, (word, lane))| {
            let key = e.lane(word, lane);
            let factor: Vec<Limb<E>> = (0..count)
                .map(|limb| {
                    std::array::from_fn(|i| {
                        e.attend::<_, _, 16>(&key, std::array::from_fn(|k| &powers[k][limb][i]))
                    })
                })
                .collect();
            if step == 0 {
                return factor;
            }
            let fourth = (0..4).fold(result, |x, _| self.multiply(e, &x, &x));
            self.multiply(e, &fourth, &factor)
        });
        self.multiply(e, &result, &unit)
    }
}

/// -1 / n modulo 2^256, for an odd n.
///
/// n is its own inverse modulo 8, and each step of Newton's method doubles how many bits are right.
fn minus_inverse<E: Evaluator>(e: &E, n: &Limb<E>) -> Limb<E> {
    let nothing = zero(e);
    let low = |a: &Limb<E>, b: &Limb<E>| multiply_add(e, [a, b], [&nothing; 2]).0;
    let (two, _) = add(e, &one(e), &one(e));
    let mut inverse = n.clone();
    let mut right = 3;
    while right < BITS {
        inverse = low(&inverse, &subtract(e, &two, &low(n, &inverse)).0);
        right *= 2;
    }
    subtract(e, &nothing, &inverse).0
}

#[cfg(test)]
#[path = "modular_tests.rs"]
mod tests;
