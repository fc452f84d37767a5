//! The prime moduli, as the program that writes the weights knows them.
//!
//! A number is written in `16 * words` digits; with D of them, 16^D is the *capacity* of a modulus.

/// Most words a number takes.
pub const MAX_WORDS: usize = 6;

/// Digits above the capacity, the highest below it among them, that one reduction takes away.
pub const RESIDUE_DIGITS: usize = 4;

/// Names a prime modulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ModulusId {
    /// 2^255 - 19, the field of Curve25519.
    Curve25519,
    /// The order of the Ed25519 base point.
    Curve25519Order,
    /// The field of secp256k1.
    Secp256k1,
    /// The order of secp256k1.
    Secp256k1Order,
    /// The base field of BN254.
    Bn254,
    /// The order of BN254's groups, its scalar field.
    Bn254Order,
    /// The base field of BLS12-381.
    Bls12381,
    /// The order of BLS12-381's groups, its scalar field.
    Bls12381Order,
}

/// A power fixed by the modulus p.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Power {
    /// p - 2: the inverse.
    Inverse,
    /// (p + 1) / 4: a root, if there is one, where p is 3 modulo 4.
    Root,
    /// p.
    Whole,
}

/// A natural number in 64-bit limbs, the least significant first.
pub(crate) type Limbs = [u64; MAX_WORDS];

impl ModulusId {
    /// Every modulus.
    pub const ALL: [Self; 8] = [
        Self::Curve25519,
        Self::Curve25519Order,
        Self::Secp256k1,
        Self::Secp256k1Order,
        Self::Bn254,
        Self::Bn254Order,
        Self::Bls12381,
        Self::Bls12381Order,
    ];

    /// Name used in tensor names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Curve25519 => "curve25519",
            Self::Curve25519Order => "curve25519_order",
            Self::Secp256k1 => "secp256k1",
            Self::Secp256k1Order => "secp256k1_order",
            Self::Bn254 => "bn254",
            Self::Bn254Order => "bn254_order",
            Self::Bls12381 => "bls12_381",
            Self::Bls12381Order => "bls12_381_order",
        }
    }

    /// Words a number takes.
    pub const fn words(self) -> usize {
        match self {
            Self::Bls12381 => 6,
            _ => 4,
        }
    }

    /// Digits of a number.
    pub const fn digits(self) -> usize {
        16 * self.words()
    }

    /// The modulus.
    pub(crate) const fn limbs(self) -> Limbs {
        match self {
            Self::Curve25519 => [0xffff_ffff_ffff_ffed, u64::MAX, u64::MAX, u64::MAX >> 1, 0, 0],
            Self::Curve25519Order => {
                [0x5812_631a_5cf5_d3ed, 0x14de_f9de_a2f7_9cd6, 0, 0x1000_0000_0000_0000, 0, 0]
            }
            Self::Secp256k1 => [0xffff_fffe_ffff_fc2f, u64::MAX, u64::MAX, u64::MAX, 0, 0],
            Self::Secp256k1Order => {
                [0xbfd2_5e8c_d036_4141, 0xbaae_dce6_af48_a03b, u64::MAX - 1, u64::MAX, 0, 0]
            }
            Self::Bn254 => [
                0x3c20_8c16_d87c_fd47,
                0x9781_6a91_6871_ca8d,
                0xb850_45b6_8181_585d,
                0x3064_4e72_e131_a029,
                0,
                0,
            ],
            Self::Bn254Order => [
                0x43e1_f593_f000_0001,
                0x2833_e848_79b9_7091,
                0xb850_45b6_8181_585d,
                0x3064_4e72_e131_a029,
                0,
                0,
            ],
            Self::Bls12381 => [
                0xb9fe_ffff_ffff_aaab,
                0x1eab_fffe_b153_ffff,
                0x6730_d2a0_f6b0_f624,
                0x6477_4b84_f385_12bf,
                0x4b1b_a7b6_434b_acd7,
                0x1a01_11ea_397f_e69a,
            ],
            Self::Bls12381Order => [
                0xffff_ffff_0000_0001,
                0x53bd_a402_fffe_5bfe,
                0x3339_d808_09a1_d805,
                0x73ed_a753_299d_7d48,
                0,
                0,
            ],
        }
    }

    /// How many times a number of two columns' worth has to be reduced before it fits the capacity: once
    /// where four residues and what stays below the highest digit do, twice elsewhere.
    pub const fn reductions(self) -> usize {
        match self {
            Self::Secp256k1 | Self::Secp256k1Order | Self::Bls12381Order => 2,
            _ => 1,
        }
    }

    /// The largest j with 2^j times the modulus below the capacity, plus one: subtracting 2^j times the
    /// modulus where it fits, for each such j from the top, leaves a number below the modulus.
    pub const fn halvings(self) -> usize {
        self.limbs()[self.words() - 1].leading_zeros() as usize + 1
    }

    /// The digits of an exponent, the highest that is not 0 first.
    pub fn exponent(self, power: Power) -> impl Iterator<Item = usize> {
        let small = |x: u64| [x, 0, 0, 0, 0, 0];
        let exponent = match power {
            Power::Inverse => subtract(&self.limbs(), &small(2)).0,
            Power::Root => halved(&add(&self.limbs(), &small(1)).0, 2),
            Power::Whole => self.limbs(),
        };
        let mut all: Vec<usize> = digits(&exponent, 16 * MAX_WORDS).collect();
        while all.last() == Some(&0) {
            all.pop();
        }
        all.into_iter().rev()
    }

    /// x 16^`places` modulo the modulus, for x below it.
    pub(crate) fn shifted(self, x: Limbs, places: usize) -> Limbs {
        (0..4 * places).fold(x, |x, _| self.doubled(x))
    }

    /// 2 x modulo the modulus, for x below it.
    pub(crate) fn doubled(self, x: Limbs) -> Limbs {
        self.plus(x, x)
    }

    /// x + y modulo the modulus, both below it.
    pub(crate) fn plus(self, x: Limbs, y: Limbs) -> Limbs {
        let (sum, carry) = add(&x, &y);
        let (less, borrow) = subtract(&sum, &self.limbs());
        // Six limbs hold every sum: a 256-bit one never carries, nor does one of 381 bits.
        debug_assert!(!carry);
        if borrow { sum } else { less }
    }

    /// x y modulo the modulus, both below it.
    pub(crate) fn times(self, x: Limbs, y: Limbs) -> Limbs {
        (0..64 * self.words()).rev().fold([0; MAX_WORDS], |sum, bit| {
            let sum = self.doubled(sum);
            if y[bit / 64] >> (bit % 64) & 1 == 1 { self.plus(sum, x) } else { sum }
        })
    }

    /// -x modulo the modulus, for x below it.
    pub(crate) fn negated(self, x: Limbs) -> Limbs {
        if x == [0; MAX_WORDS] { x } else { subtract(&self.limbs(), &x).0 }
    }

    /// 16^D minus 2^`halving` times the modulus.
    pub(crate) fn complement(self, halving: usize) -> Limbs {
        let multiple = (0..halving).fold(self.limbs(), |x, _| add(&x, &x).0);
        let mut below = subtract(&[0; MAX_WORDS], &multiple).0;
        below[self.words()..].fill(0);
        below
    }

    /// What added to a + (16^D - 1 - b) gives a - b: 1 - 16^D modulo the modulus.
    pub(crate) fn difference(self) -> Limbs {
        let one = [1, 0, 0, 0, 0, 0];
        self.plus(one, self.negated(self.shifted(one, self.digits())))
    }
}

/// x / 2^count, rounded down, for a count of 1 to 63.
fn halved(x: &Limbs, count: u32) -> Limbs {
    std::array::from_fn(|i| x[i] >> count | x.get(i + 1).map_or(0, |above| above << (64 - count)))
}

/// The digits of a number, `count` of them.
pub(crate) fn digits(x: &Limbs, count: usize) -> impl Iterator<Item = usize> {
    let x = *x;
    (0..count).map(move |k| (x[k / 16] >> (4 * (k % 16))) as usize & 15)
}

/// x + y, and whether a carry leaves.
pub(crate) const fn add(x: &Limbs, y: &Limbs) -> (Limbs, bool) {
    let (mut out, mut carry, mut i) = ([0; MAX_WORDS], false, 0);
    while i < MAX_WORDS {
        let (sum, first) = x[i].overflowing_add(y[i]);
        let (sum, second) = sum.overflowing_add(carry as u64);
        out[i] = sum;
        carry = first | second;
        i += 1;
    }
    (out, carry)
}

/// x - y, and whether a borrow leaves.
pub(crate) const fn subtract(x: &Limbs, y: &Limbs) -> (Limbs, bool) {
    let (mut out, mut borrow, mut i) = ([0; MAX_WORDS], false, 0);
    while i < MAX_WORDS {
        let (difference, first) = x[i].overflowing_sub(y[i]);
        let (difference, second) = difference.overflowing_sub(borrow as u64);
        out[i] = difference;
        borrow = first | second;
        i += 1;
    }
    (out, borrow)
}
