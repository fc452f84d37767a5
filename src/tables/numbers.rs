//! Numbers the curves need as constants.

use super::{
    moduli::{Limbs, MAX_WORDS, digits},
    weights::Array,
};
use std::collections::BTreeMap;

/// Names a set of constants; each is one tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NumberSet {
    /// Of Curve25519.
    Curve25519,
}

/// A constant: a row of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberConst {
    pub(crate) set: NumberSet,
    pub(crate) row: usize,
}

/// d of the Edwards curve -x^2 + y^2 = 1 + d x^2 y^2.
pub const CURVE25519_D: NumberConst = NumberConst::new(NumberSet::Curve25519, 0);
/// The even root of -1.
pub const CURVE25519_IMAGINARY: NumberConst = NumberConst::new(NumberSet::Curve25519, 1);

const CURVE25519: [&str; 2] = [
    "52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3",
    "2b8324804fc1df0b2b4d00993dfbd7a72f431806ad2fe478c4ee1b274a0ea0b0",
];

impl NumberConst {
    const fn new(set: NumberSet, row: usize) -> Self {
        Self { set, row }
    }
}

impl NumberSet {
    /// Every set.
    pub const ALL: [Self; 1] = [Self::Curve25519];

    /// Name used in tensor names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Curve25519 => "curve25519",
        }
    }

    /// Words of a number.
    pub const fn words(self) -> usize {
        match self {
            Self::Curve25519 => 4,
        }
    }

    /// The numbers.
    fn numbers(self) -> Vec<Limbs> {
        match self {
            Self::Curve25519 => CURVE25519.iter().map(|hex| parse(hex)).collect(),
        }
    }
}

/// A number from its hexadecimal digits.
fn parse(hex: &str) -> Limbs {
    let mut limbs = [0; MAX_WORDS];
    for (k, digit) in hex.bytes().rev().enumerate() {
        let digit = char::from(digit).to_digit(16).unwrap_or_else(|| unreachable!("{hex} is hexadecimal"));
        limbs[k / 16] |= u64::from(digit) << (4 * (k % 16));
    }
    limbs
}

/// Writes every tensor: a number a row, a digit a column.
pub(crate) fn write(tensors: &mut BTreeMap<String, Array>) {
    for set in NumberSet::ALL {
        let numbers = set.numbers();
        let columns = 16 * set.words();
        let data = numbers.iter().flat_map(|x| digits(x, columns)).map(|digit| digit as f32).collect();
        tensors.insert(format!("number.{}", set.name()), Array { shape: vec![numbers.len(), columns], data });
    }
}
