//! The constants of Poseidon over the scalar field of BN254, with the S-box x^5.
//!
//! They come from the generator of the Poseidon paper: a shift register of 80 bits whose output is
//! thinned out, and a Cauchy matrix.

use super::moduli::{Limbs, MAX_WORDS, ModulusId, digits, subtract};
use std::sync::LazyLock;

/// Most numbers of a state: twelve inputs and one that is 0.
pub const MAX_WIDTH: usize = 13;

/// Rounds in which every number goes through the S-box, half of them first and half last.
pub const FULL_ROUNDS: usize = 8;

const ID: ModulusId = ModulusId::Bn254Order;

/// Rounds between those, in which only the first number does, for a state of `width` numbers (2 to 13).
pub const fn partial_rounds(width: usize) -> usize {
    [56, 57, 56, 60, 60, 63, 64, 63, 60, 66, 60, 65][width - 2]
}

/// All rounds for a state of `width` numbers.
pub const fn rounds(width: usize) -> usize {
    FULL_ROUNDS + partial_rounds(width)
}

/// Where the constants of a width begin: those of its rounds, and then its matrix.
pub(crate) const fn start(width: usize) -> usize {
    let (mut row, mut smaller) = (0, 2);
    while smaller < width {
        row += smaller * rounds(smaller) + smaller * smaller;
        smaller += 1;
    }
    row
}

/// The constants of every width, in order.
pub(crate) fn constants() -> &'static [Limbs] {
    static CONSTANTS: LazyLock<Vec<Limbs>> = LazyLock::new(|| {
        let widths: Vec<_> = (2..=MAX_WIDTH).map(drawn).collect();
        let sums: Vec<Limbs> = widths.iter().flat_map(|(_, sums)| sums.iter().copied()).collect();
        let mut entries = inverses(&sums).into_iter();
        let all = widths.into_iter().flat_map(|(mut constants, sums)| {
            constants.extend(entries.by_ref().take(sums.len()));
            constants
        });
        all.collect()
    });
    &CONSTANTS
}

/// The round constants of a width, and the sums whose inverses are its matrix.
fn drawn(width: usize) -> (Vec<Limbs>, Vec<Limbs>) {
    let mut grain = Grain::new(width);
    let count = width * rounds(width);
    let constants: Vec<Limbs> = std::iter::repeat_with(|| grain.number())
        .filter(|x| subtract(x, &ID.limbs()).1)
        .take(count)
        .collect();
    let ends: Vec<Limbs> = std::iter::repeat_with(|| grain.number())
        .take(2 * width)
        // 254 bits are less than twice the modulus.
        .map(reduced)
        .collect();
    let (rows, columns) = ends.split_at(width);
    let sums = rows.iter().flat_map(|x| columns.iter().map(|y| ID.plus(*x, *y))).collect();
    (constants, sums)
}

fn reduced(x: Limbs) -> Limbs {
    let (less, borrow) = subtract(&x, &ID.limbs());
    if borrow { x } else { less }
}

/// The inverse of each number, by one inversion of their product.
fn inverses(numbers: &[Limbs]) -> Vec<Limbs> {
    let one = [1, 0, 0, 0, 0, 0];
    let mut product = one;
    let mut before = Vec::new();
    for x in numbers {
        before.push(product);
        product = ID.times(product, *x);
    }
    let exponent: Vec<usize> = digits(&subtract(&ID.limbs(), &[2, 0, 0, 0, 0, 0]).0, 64).collect();
    let mut inverse = exponent.iter().rev().fold(one, |x, digit| {
        let fourth = (0..4).fold(x, |x, _| ID.times(x, x));
        (0..*digit).fold(fourth, |x, _| ID.times(x, product))
    });
    let mut all = vec![[0; MAX_WORDS]; numbers.len()];
    for (k, x) in numbers.iter().enumerate().rev() {
        all[k] = ID.times(inverse, before[k]);
        inverse = ID.times(inverse, *x);
    }
    all
}

/// The shift register: 80 bits, the oldest on top.
struct Grain(u128);

impl Grain {
    fn new(width: usize) -> Self {
        // A prime field, the S-box x^alpha, 254 bits, the width, the rounds, and thirty ones.
        let parts = [
            (1, 2),
            (0, 4),
            (254, 12),
            (width as u128, 12),
            (FULL_ROUNDS as u128, 10),
            (partial_rounds(width) as u128, 10),
            ((1 << 30) - 1, 30),
        ];
        let mut grain = Self(parts.into_iter().fold(0, |state, (value, bits)| state << bits | value));
        for _ in 0..160 {
            grain.step();
        }
        grain
    }

    fn step(&mut self) -> bool {
        let bit = |place: u32| self.0 >> (79 - place) & 1;
        let next = bit(0) ^ bit(13) ^ bit(23) ^ bit(38) ^ bit(51) ^ bit(62);
        self.0 = (self.0 << 1 | next) & ((1 << 80) - 1);
        next == 1
    }

    /// The next bit of the output: of each two bits, the second where the first is 1.
    fn bit(&mut self) -> bool {
        loop {
            let (first, second) = (self.step(), self.step());
            if first {
                return second;
            }
        }
    }

    /// A number of 254 bits, the highest first.
    fn number(&mut self) -> Limbs {
        let mut limbs = [0; MAX_WORDS];
        for place in (0..254).rev() {
            limbs[place / 64] |= u64::from(self.bit()) << (place % 64);
        }
        limbs
    }
}
