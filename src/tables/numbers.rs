//! Numbers the curves need as constants.

use super::{
    moduli::{Limbs, MAX_WORDS, digits},
    poseidon,
    weights::Array,
};
use std::collections::BTreeMap;

/// Names a set of constants; each is one tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NumberSet {
    /// Of Curve25519.
    Curve25519,
    /// Of secp256k1.
    Secp256k1,
    /// Of BN254: b of the curve and, two numbers, of its twist; then what
    /// [`frobenius`](NumberConst::frobenius) gives.
    Bn254,
    /// Of BLS12-381, in the same order.
    Bls12381,
    /// Of Poseidon, for each width its round constants and its matrix.
    Poseidon,
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
/// 2 d.
pub const CURVE25519_2D: NumberConst = NumberConst::new(NumberSet::Curve25519, 2);
/// 1 over the root of -1 - d.
pub const CURVE25519_INVERSE_ROOT: NumberConst = NumberConst::new(NumberSet::Curve25519, 3);

const CURVE25519: [&str; 4] = [
    "52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3",
    "2b8324804fc1df0b2b4d00993dfbd7a72f431806ad2fe478c4ee1b274a0ea0b0",
    "2406d9dc56dffce7198e80f2eef3d13000e0149a8283b156ebd69b9426b2f159",
    "786c8905cfaffca216c27b91fe01d8409d2f16175a4172be99c8fdaa805d40ea",
];

/// b of secp256k1.
pub const SECP256K1_B: NumberConst = NumberConst::new(NumberSet::Secp256k1, 0);
/// x of the base point of secp256k1.
pub const SECP256K1_X: NumberConst = NumberConst::new(NumberSet::Secp256k1, 1);
/// y of the base point of secp256k1.
pub const SECP256K1_Y: NumberConst = NumberConst::new(NumberSet::Secp256k1, 2);
/// The order of secp256k1.
pub const SECP256K1_ORDER_DIGITS: NumberConst = NumberConst::new(NumberSet::Secp256k1, 3);

const SECP256K1: [&str; 4] = [
    "7",
    "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
    "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8",
    "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
];

const BN254: [&str; 13] = [
    "3",
    "2b149d40ceb8aaae81be18991be06ac3b5b4c5e559dbefa33267e6dc24a138e5",
    "9713b03af0fed4cd2cafadeed8fdf4a74fa084e52d1852e4a2bd0685c315d2",
    "1284b71c2865a7dfe8b99fdd76e68b605c521e08292f2176d60b35dadcc9e470",
    "246996f3b4fae7e6a6327cfe12150b8e747992778eeec7e5ca5cf05f80f362ac",
    "2fb347984f7911f74c0bec3cf559b143b78cc310c2c3330c99e39557176f553d",
    "16c9e55061ebae204ba4cc8bd75a079432ae2a1d0b7c9dce1665d51c640fcba2",
    "63cf305489af5dcdc5ec698b6e2f9b9dbaae0eda9c95998dc54014671a0135a",
    "7c03cbcac41049a0704b5a7ec796f2b21807dc98fa25bd282d37f632623b0e3",
    "5b54f5e64eea80180f3c0b75a181e84d33365f7be94ec72848a1f55921ea762",
    "2c145edbe7fd8aee9f3a80b03b0b1c923685d2ea1bdec763c13b4711cd2b8126",
    "183c1e74f798649e93a3661a4353ff4425c459b55aa1bd32ea2c810eab7692f",
    "12acf2ca76fd0675a27fb246c7729f7db080cb99678e2ac024c6b8ee6e0c2c4b",
];

const BLS12_381: [&str; 13] = [
    "4",
    "4",
    "4",
    "1904d3bf02bb0667c231beb4202c0d1f0fd603fd3cbd5f4f7b2443d784bab9c4f67ea53d63e7813d8d0775ed92235fb8",
    "fc3e2b36c4e03288e9e902231f9fb854a14787b6c7b36fec0c8ec971f63c5f282d5ac14d6c7ec22cf78a126ddc4af3",
    "0",
    "1a0111ea397fe699ec02408663d4de85aa0d857d89759ad4897d29650fb85f9b409427eb4f49fffd8bfd00000000aaac",
    "6af0e0437ff400b6831e36d6bd17ffe48395dabc2d3435e77f76e17009241c5ee67992f72ec05f4c81084fbede3cc09",
    "6af0e0437ff400b6831e36d6bd17ffe48395dabc2d3435e77f76e17009241c5ee67992f72ec05f4c81084fbede3cc09",
    "1a0111ea397fe699ec02408663d4de85aa0d857d89759ad4897d29650fb85f9b409427eb4f49fffd8bfd00000000aaad",
    "0",
    "5b2cfd9013a5fd8df47fa6b48b1e045f39816240c0b8fee8beadf4d8e9c0566c63a3e6e257f87329b18fae980078116",
    "144e4211384586c16bd3ad4afa99cc9170df3560e77982d0db45f3536814f0bd5871c1908bd478cd1ee605167ff82995",
];

impl NumberConst {
    const fn new(set: NumberSet, row: usize) -> Self {
        Self { set, row }
    }

    /// b of a pairing's first curve.
    pub const fn b(set: NumberSet) -> Self {
        Self::new(set, 0)
    }

    /// b of a pairing's twisted curve: the real part, or the imaginary one.
    pub const fn twist_b(set: NumberSet, part: usize) -> Self {
        assert!(part < 2);
        Self::new(set, 1 + part)
    }

    /// xi^((p - 1) k / 6), k from 1 to 5, where w^6 = xi: what the p-th power does to w^k. The real part,
    /// or the imaginary one.
    pub const fn frobenius(set: NumberSet, k: usize, part: usize) -> Self {
        assert!(1 <= k && k <= 5 && part < 2);
        Self::new(set, 1 + 2 * k + part)
    }
}

impl NumberConst {
    /// What Poseidon adds to a number of a state in a round.
    pub fn poseidon_round(width: usize, round: usize, lane: usize) -> Self {
        assert!(round < poseidon::rounds(width) && lane < width);
        Self::new(NumberSet::Poseidon, poseidon::start(width) + round * width + lane)
    }

    /// An entry of Poseidon's matrix.
    pub fn poseidon_matrix(width: usize, row: usize, column: usize) -> Self {
        assert!(row < width && column < width);
        let start = poseidon::start(width) + poseidon::rounds(width) * width;
        Self::new(NumberSet::Poseidon, start + row * width + column)
    }
}

impl NumberSet {
    /// Every set.
    pub const ALL: [Self; 5] =
        [Self::Curve25519, Self::Secp256k1, Self::Bn254, Self::Bls12381, Self::Poseidon];

    /// Name used in tensor names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Curve25519 => "curve25519",
            Self::Secp256k1 => "secp256k1",
            Self::Bn254 => "bn254",
            Self::Bls12381 => "bls12_381",
            Self::Poseidon => "poseidon",
        }
    }

    /// Words of a number.
    pub const fn words(self) -> usize {
        match self {
            Self::Bls12381 => 6,
            _ => 4,
        }
    }

    /// The numbers.
    fn numbers(self) -> Vec<Limbs> {
        let numbers: &[&str] = match self {
            Self::Curve25519 => &CURVE25519,
            Self::Secp256k1 => &SECP256K1,
            Self::Bn254 => &BN254,
            Self::Bls12381 => &BLS12_381,
            Self::Poseidon => return poseidon::constants().to_vec(),
        };
        numbers.iter().map(|hex| parse(hex)).collect()
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
