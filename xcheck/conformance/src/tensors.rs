//! What suites of curves leave out on tensors, where it takes long: a sample of field operations on both
//! evaluators, and one scalar multiplication.

use anyhow::ensure;
use curve25519_dalek::{EdwardsPoint, Scalar};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::time::Instant;
use svmllm::{
    alu::{
        field::{self, Prime},
        wide::Number,
    },
    syscalls::curves::edwards,
    tables::{Boundary, Dense, Indexed},
};

/// Pairs of numbers whose sums, products and so on are computed, in each field.
const PAIRS: usize = 4;

/// What was compared.
#[derive(Serialize)]
pub struct Tensors {
    /// Field operations, each equal to that on rows.
    field_operations: usize,
    field_seconds: f64,
    /// A scalar times an Edwards point, equal to the library's.
    ed25519_mul_seconds: f64,
}

/// A product, a square, a difference, a sum of two products and a canonical form; of the first pair also
/// an inverse.
fn operations<E: Boundary, const N: usize>(
    e: &E,
    prime: Prime<N>,
    pairs: &[[[u64; N]; 2]],
) -> Result<Vec<[u64; N]>, E::Error> {
    let mut seen = Vec::new();
    for (index, pair) in pairs.iter().enumerate() {
        let [a, b] = pair.map(|number| number.map(|word| e.embed(word)));
        let mut found: Vec<Number<E, N>> = vec![
            prime.multiply(e, &a, &b),
            prime.square(e, &a),
            prime.subtract(e, &a, &b),
            prime.dot(e, &[(&a, &b), (&b, &b)]),
            prime.canonical(e, &a),
        ];
        if index == 0 {
            found.push(prime.invert(e, &a));
        }
        for number in found {
            let mut words = [0; N];
            for (word, read) in words.iter_mut().zip(&number) {
                *word = e.read_out(read)?;
            }
            seen.push(words);
        }
    }
    Ok(seen)
}

/// The operations of a field on both evaluators.
fn compare<const N: usize>(
    tensors: &Dense,
    rows: &Indexed,
    prime: Prime<N>,
    rng: &mut ChaCha8Rng,
) -> anyhow::Result<usize> {
    let mut pairs: Vec<[[u64; N]; 2]> = (1..PAIRS).map(|_| rng.random()).collect();
    pairs.push([[u64::MAX; N]; 2]);
    let (ours, theirs) = (operations(tensors, prime, &pairs)?, operations(rows, prime, &pairs)?);
    ensure!(ours == theirs, "evaluators differ in {prime:?}");
    Ok(ours.len())
}

/// Compares and times.
///
/// # Errors
/// A result is not the same on both evaluators, or not the library's.
pub fn measure(tensors: &Dense, rows: &Indexed, seed: u64) -> anyhow::Result<Tensors> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let begun = Instant::now();
    let mut field_operations = compare(tensors, rows, field::BLS12_381, &mut rng)?;
    for prime in [
        field::CURVE25519,
        field::CURVE25519_ORDER,
        field::SECP256K1,
        field::SECP256K1_ORDER,
        field::BN254,
        field::BN254_ORDER,
        field::BLS12_381_ORDER,
    ] {
        field_operations += compare(tensors, rows, prime, &mut rng)?;
    }
    let field_seconds = begun.elapsed().as_secs_f64();

    let scalar = Scalar::from_bytes_mod_order(rng.random());
    let point = EdwardsPoint::mul_base(&Scalar::from_bytes_mod_order(rng.random()));
    let number = |bytes: &[u8; 32]| -> Number<Dense, 4> {
        let (words, _) = bytes.as_chunks::<8>();
        std::array::from_fn(|i| tensors.embed(u64::from_le_bytes(words[i])))
    };
    let begun = Instant::now();
    let (ours, _) = edwards::decompress(tensors, &number(point.compress().as_bytes()));
    let product = edwards::compress(tensors, &edwards::multiply(tensors, &number(scalar.as_bytes()), &ours));
    let mut bytes = Vec::new();
    for word in &product {
        bytes.extend(tensors.read_out(word)?.to_le_bytes());
    }
    ensure!(bytes == (point * scalar).compress().as_bytes(), "the product on tensors is not the library's");
    Ok(Tensors { field_operations, field_seconds, ed25519_mul_seconds: begun.elapsed().as_secs_f64() })
}
