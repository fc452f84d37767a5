//! Linear expressions over named columns of the residual stream.

use std::{
    collections::BTreeMap,
    ops::{Add, Mul, Neg, Sub},
};

/// A number of a column, before columns have places.
pub(super) type Column = usize;

/// A linear expression: a constant, and a coefficient for some columns.
#[derive(Clone, Debug, Default)]
pub(super) struct Expr {
    pub terms: BTreeMap<Column, f64>,
    pub constant: f64,
}

impl Expr {
    pub fn constant(constant: f64) -> Self {
        Self { terms: BTreeMap::new(), constant }
    }

    pub fn column(column: Column) -> Self {
        Self { terms: BTreeMap::from([(column, 1.0)]), constant: 0.0 }
    }
}

/// 1.
pub(super) fn one() -> Expr {
    Expr::constant(1.0)
}

/// 0.
pub(super) fn zero() -> Expr {
    Expr::default()
}

/// The other bit.
pub(super) fn not(bit: &Expr) -> Expr {
    1.0 - bit.clone()
}

/// The sum.
pub(super) fn sum<'a>(terms: impl IntoIterator<Item = &'a Expr>) -> Expr {
    terms.into_iter().fold(zero(), |total, term| total + term)
}

/// The sum of the terms, less their number but one: 1 if all are 1, and an integer below 1 if not.
pub(super) fn all<'a>(terms: impl IntoIterator<Item = &'a Expr>) -> Expr {
    terms.into_iter().fold(one(), |total, term| total + term - 1.0)
}

/// For each bit, itself or its opposite, so that all are 1 if the bits are those of `value`.
pub(super) fn literals(bits: &[Expr], value: usize) -> Vec<Expr> {
    bits.iter().enumerate().map(|(i, bit)| if value >> i & 1 == 1 { bit.clone() } else { not(bit) }).collect()
}

/// 1 if the bits are those of `value`, and an integer below 1 if not.
pub(super) fn is(bits: &[Expr], value: usize) -> Expr {
    all(&literals(bits, value))
}

/// The number that the bits write, the lowest first.
pub(super) fn number(bits: &[Expr]) -> Expr {
    bits.iter().enumerate().fold(zero(), |total, (i, bit)| total + bit * f64::from(1_u32 << i))
}

impl Add<&Expr> for Expr {
    type Output = Self;
    fn add(mut self, other: &Expr) -> Self {
        for (column, weight) in &other.terms {
            *self.terms.entry(*column).or_default() += weight;
        }
        self.constant += other.constant;
        self
    }
}

impl Add for Expr {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self + &other
    }
}

impl Add<f64> for Expr {
    type Output = Self;
    fn add(mut self, other: f64) -> Self {
        self.constant += other;
        self
    }
}

impl Sub<f64> for Expr {
    type Output = Self;
    fn sub(self, other: f64) -> Self {
        self + -other
    }
}

impl Neg for Expr {
    type Output = Self;
    fn neg(self) -> Self {
        &self * -1.0
    }
}

impl Sub for Expr {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Sub<&Expr> for Expr {
    type Output = Self;
    fn sub(self, other: &Expr) -> Self {
        self + &(other * -1.0)
    }
}

impl Sub<Expr> for f64 {
    type Output = Expr;
    fn sub(self, other: Expr) -> Expr {
        -other + self
    }
}

impl Mul<f64> for &Expr {
    type Output = Expr;
    fn mul(self, factor: f64) -> Expr {
        let terms = self.terms.iter().map(|(column, weight)| (*column, weight * factor)).collect();
        Expr { terms, constant: self.constant * factor }
    }
}

impl Mul<f64> for Expr {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        &self * factor
    }
}

impl Sub<f64> for &Expr {
    type Output = Expr;
    fn sub(self, other: f64) -> Expr {
        self.clone() - other
    }
}

impl Add<f64> for &Expr {
    type Output = Expr;
    fn add(self, other: f64) -> Expr {
        self.clone() + other
    }
}

impl Add<&Expr> for &Expr {
    type Output = Expr;
    fn add(self, other: &Expr) -> Expr {
        self.clone() + other
    }
}

impl Sub<&Expr> for &Expr {
    type Output = Expr;
    fn sub(self, other: &Expr) -> Expr {
        self.clone() - other
    }
}
