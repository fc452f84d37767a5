//! Sums and products in the prime fields, which reach the layers that only wide numbers use.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use svmllm::{
    alu::{
        field::{self, Prime},
        wide::Number,
    },
    deltanet::HeadsBoundary,
    tables::{
        alphabet::Bit,
        numbers::{self, NumberConst, NumberSet},
        poseidon,
    },
};

use super::Witness;

/// Something computed with wide numbers.
#[derive(Clone, Copy, Debug)]
pub enum Sum {
    /// In a field of four words: a b, a - b and a below the modulus, and whether a already was.
    Four(Prime<4>, [[u64; 4]; 2]),
    /// The same in the field of six words.
    Six(Prime<6>, [[u64; 6]; 2]),
    /// In a field of four words, of the largest number: as many terms and as many products as a sum takes.
    LargestFour(Prime<4>),
    /// The same in the field of six words.
    LargestSix(Prime<6>),
    /// A constant.
    Constant(NumberConst, NumberSet),
}

impl Witness for Sum {
    type Outcome = Vec<u64>;

    fn run<E: HeadsBoundary>(&self, e: &E) -> Result<Vec<u64>, E::Error> {
        match self {
            Self::Four(prime, numbers) => results(e, *prime, numbers),
            Self::Six(prime, numbers) => results(e, *prime, numbers),
            Self::LargestFour(prime) => largest_results(e, *prime, 16),
            Self::LargestSix(prime) => largest_results(e, *prime, 12),
            Self::Constant(constant, set) if set.words() == 6 => {
                read(e, &field::constant::<E, 6>(e, *constant))
            }
            Self::Constant(constant, _) => read(e, &field::constant::<E, 4>(e, *constant)),
        }
    }
}

/// The fields of four words.
const FIELDS: [Prime<4>; 7] = [
    field::CURVE25519,
    field::CURVE25519_ORDER,
    field::SECP256K1,
    field::SECP256K1_ORDER,
    field::BN254,
    field::BN254_ORDER,
    field::BLS12_381_ORDER,
];

fn read<E: HeadsBoundary, const N: usize>(e: &E, number: &Number<E, N>) -> Result<Vec<u64>, E::Error> {
    number.iter().map(|word| e.read_out(word)).collect()
}

fn results<E: HeadsBoundary, const N: usize>(
    e: &E,
    prime: Prime<N>,
    numbers: &[[u64; N]; 2],
) -> Result<Vec<u64>, E::Error> {
    let [a, b] = numbers.map(|number| number.map(|word| e.embed(word)));
    let mut seen = Vec::new();
    for number in [prime.multiply(e, &a, &b), prime.subtract(e, &a, &b), a.clone()] {
        seen.extend(read(e, &prime.canonical(e, &number))?);
    }
    seen.push(e.read_digit::<Bit>(&prime.exceeds(e, &a))? as u64);
    Ok(seen)
}

/// What only the largest sums reach: the highest steps of staircases, and the column above a product's.
fn largest_results<E: HeadsBoundary, const N: usize>(
    e: &E,
    prime: Prime<N>,
    products: usize,
) -> Result<Vec<u64>, E::Error> {
    let a = [u64::MAX; N].map(|word| e.embed(word));
    let mut seen = read(e, &prime.canonical(e, &prime.sum(e, &[&a; 8], &[])))?;
    seen.extend(read(e, &prime.canonical(e, &prime.dot(e, &vec![(&a, &a); products])))?);
    Ok(seen)
}

/// A number of some kind: of every size, with many ones, or with large digits only, so that together they
/// reach every digit that the highest places of a product come to.
fn number<const N: usize>(rng: &mut ChaCha8Rng, round: usize) -> [u64; N] {
    let mut words: [u64; N] = std::array::from_fn(|_| rng.random());
    match round % 8 {
        // Only low words, so that hardly anything is carried out of a product.
        0 => std::array::from_fn(|word| if word <= round / 8 % 3 { words[word] } else { 0 }),
        1 => words.map(|word| if word % 8 < 5 { u64::MAX } else { word }),
        2 => words.map(|word| if word % 2 == 0 { u64::MAX } else { 0 }),
        3 => words.map(|word| word | 0xcccc_cccc_cccc_cccc),
        4 => {
            words[N - 1] >>= rng.random_range(0..64);
            words
        }
        _ => words,
    }
}

/// Sums of every field.
fn fields(rng: &mut ChaCha8Rng) -> Vec<Sum> {
    let mut sums = Vec::new();
    for round in 0..256 {
        // Both of the same kind in every eighth round, and of any two kinds elsewhere.
        let other = round + round / 8 % 8;
        for prime in FIELDS {
            sums.push(Sum::Four(prime, [number(rng, round), number(rng, other)]));
        }
        sums.push(Sum::Six(field::BLS12_381, [number(rng, round), number(rng, other)]));
    }
    sums
}

/// The largest sums of every field.
pub fn largest() -> Vec<Sum> {
    FIELDS.map(Sum::LargestFour).into_iter().chain([Sum::LargestSix(field::BLS12_381)]).collect()
}

/// Every constant.
fn constants() -> Vec<Sum> {
    use NumberSet::{Bls12381, Bn254, Curve25519, Poseidon, Secp256k1};
    let mut all: Vec<Sum> = [
        numbers::CURVE25519_D,
        numbers::CURVE25519_IMAGINARY,
        numbers::CURVE25519_2D,
        numbers::CURVE25519_INVERSE_ROOT,
    ]
    .map(|number| Sum::Constant(number, Curve25519))
    .to_vec();
    all.extend(
        [numbers::SECP256K1_B, numbers::SECP256K1_X, numbers::SECP256K1_Y, numbers::SECP256K1_ORDER_DIGITS]
            .map(|number| Sum::Constant(number, Secp256k1)),
    );
    for set in [Bn254, Bls12381] {
        let parts = [0, 1];
        let mut of_set = vec![NumberConst::b(set)];
        of_set.extend(parts.map(|part| NumberConst::twist_b(set, part)));
        of_set.extend((1..=5).flat_map(|k| parts.map(|part| NumberConst::frobenius(set, k, part))));
        all.extend(of_set.into_iter().map(|number| Sum::Constant(number, set)));
    }
    for width in 2..=poseidon::MAX_WIDTH {
        let rounds = (0..poseidon::rounds(width))
            .flat_map(|round| (0..width).map(move |lane| NumberConst::poseidon_round(width, round, lane)));
        let matrix = (0..width)
            .flat_map(|row| (0..width).map(move |column| NumberConst::poseidon_matrix(width, row, column)));
        all.extend(rounds.chain(matrix).map(|number| Sum::Constant(number, Poseidon)));
    }
    all
}

/// Sums in fields, then every constant.
pub fn all(seed: u64) -> Vec<Sum> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    [fields(&mut rng), constants()].concat()
}
