//! How long single operations take, on the weights and in the libraries behind the reference.

use crate::generate::points;
use ark_ff::{Fp, MontBackend, MontConfig, PrimeField};
use curve25519_dalek::{EdwardsPoint, Scalar};
use k256::ecdsa::{SigningKey, VerifyingKey};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use solana_bls12_381_syscall as bls;
use solana_bn254::prelude as bn254;
use std::{hint::black_box, time::Instant};
use svmllm::{
    alu::{field, wide::Number},
    syscalls::curves::{bls12_381, bn254::operations, edwards, poseidon, secp256k1},
    tables::{Boundary, Indexed, alphabet::Bit},
};

/// Rounds; each measures both sides, one after the other.
const ROUNDS: usize = 5;

/// 2^255 - 19, for the library that takes any modulus.
#[derive(MontConfig)]
#[modulus = "57896044618658097711785492504343953926634992332820282019728792003956564819949"]
#[generator = "2"]
struct Field255;

/// The base field of BLS12-381.
#[derive(MontConfig)]
#[modulus = "4002409555221667393417789825735904156556882819939007885332058136124031650490837864442687629129015664037894272559787"]
#[generator = "2"]
struct Field381;

/// An operation and the medians of its times, in nanoseconds.
#[derive(Serialize)]
pub struct Row {
    name: &'static str,
    svmllm_ns: f64,
    reference_ns: f64,
    ratio: f64,
}

fn time(repeats: u32, run: &mut impl FnMut()) -> f64 {
    let begun = Instant::now();
    for _ in 0..repeats {
        run();
    }
    begun.elapsed().as_nanos() as f64 / f64::from(repeats)
}

/// Measures both; the library, which is faster, runs a hundred times as often.
fn row(name: &'static str, repeats: u32, mut ours: impl FnMut(), mut theirs: impl FnMut()) -> Row {
    let mut times = [[0.0; ROUNDS]; 2];
    for round in 0..ROUNDS {
        times[0][round] = time(repeats, &mut ours);
        times[1][round] = time(repeats.saturating_mul(100), &mut theirs);
    }
    let [svmllm_ns, reference_ns] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2]
    });
    Row { name, svmllm_ns, reference_ns, ratio: svmllm_ns / reference_ns }
}

/// The number that bytes of the little order are.
fn number<const N: usize>(e: &Indexed, bytes: &[u8]) -> Number<Indexed, N> {
    let (words, _) = bytes.as_chunks::<8>();
    std::array::from_fn(|i| e.embed(words.get(i).map_or(0, |word| u64::from_le_bytes(*word))))
}

fn numbers<const K: usize, const N: usize>(e: &Indexed, bytes: &[u8]) -> [Number<Indexed, N>; K] {
    std::array::from_fn(|k| number(e, bytes.get(8 * N * k..).unwrap_or_default()))
}

/// Every row.
///
/// # Errors
/// A library refuses an input made for it.
pub fn measure(e: &Indexed, seed: u64) -> anyhow::Result<Vec<Row>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut rows = Vec::new();

    let (a, b): ([u8; 32], [u8; 32]) = (rng.random(), rng.random());
    let [x, y] = [a, b].map(|bytes| number::<4>(e, &bytes));
    let [f, g] = [a, b].map(|bytes| Fp::<MontBackend<Field255, 4>, 4>::from_le_bytes_mod_order(&bytes));
    rows.push(row(
        "field_mul_255",
        20_000,
        || _ = black_box(field::CURVE25519.multiply(e, &x, &y)),
        || _ = black_box(black_box(f) * black_box(g)),
    ));

    let (a, b): ([u8; 32], [u8; 32]) = (rng.random(), rng.random());
    let [p, q] = [a, b].map(|bytes| number::<6>(e, &bytes));
    let [f, g] = [a, b].map(|bytes| Fp::<MontBackend<Field381, 6>, 6>::from_le_bytes_mod_order(&bytes));
    rows.push(row(
        "field_mul_381",
        20_000,
        || _ = black_box(field::BLS12_381.multiply(e, &p, &q)),
        || _ = black_box(black_box(f) * black_box(g)),
    ));

    let scalar = Scalar::from_bytes_mod_order(rng.random());
    let point = EdwardsPoint::mul_base(&scalar);
    let ours = edwards::decompress(e, &number(e, point.compress().as_bytes())).0;
    let by = number(e, scalar.as_bytes());
    rows.push(row(
        "ed25519_mul",
        5,
        || _ = black_box(edwards::multiply(e, &by, &ours)),
        || _ = black_box(black_box(point) * black_box(scalar)),
    ));

    let hash: [u8; 32] = rng.random();
    let key = SigningKey::from_slice(&rng.random::<[u8; 32]>())?;
    let (signature, id) = key.sign_prehash_recoverable(&hash)?;
    let [r, s] = numbers::<2, 4>(e, &points::flip(&signature.to_bytes(), 32));
    let digest = number(e, &points::flip(&hash, 32));
    let [odd, high] = [id.is_y_odd(), id.is_x_reduced()].map(|bit| e.embed_digit::<Bit>(usize::from(bit)));
    rows.push(row(
        "secp256k1_recover",
        5,
        || {
            let signature = secp256k1::read(e, [&r, &s], [&odd, &high]);
            black_box(secp256k1::recover(e, &digest, &signature));
        },
        || _ = black_box(VerifyingKey::recover_from_prehash(&hash, &signature, id)),
    ));

    let inputs: [[u8; 32]; 2] = [[1; 32], [2; 32]];
    let elements = inputs.map(|input| number::<4>(e, &input));
    rows.push(row(
        "poseidon_2",
        5,
        || _ = black_box(poseidon::hash(e, &elements)),
        || {
            let (parameters, order) =
                (solana_poseidon::Parameters::Bn254X5, solana_poseidon::Endianness::LittleEndian);
            drop(black_box(solana_poseidon::hashv(parameters, order, &[&inputs[0], &inputs[1]])));
        },
    ));

    let scalar: [u8; 32] = rng.random();
    let (p, q) = (points::bn254_first(&mut rng), points::bn254_member(&mut rng));
    let first = || operations::read_g1(e, &numbers(e, &points::flip(&p, 32)));
    let second = || operations::read_g2(e, &numbers(e, &points::flip(&q, 64)));
    let by = number(e, &points::flip(&scalar, 32));
    let input = [&*p, &scalar].concat();
    rows.push(row(
        "bn254_g1_mul",
        5,
        || _ = black_box(operations::multiply_g1(e, &first(), &by)),
        || _ = black_box(bn254::alt_bn128_g1_multiplication_be(&input)),
    ));
    let mut input = [0; 160];
    input[..128].copy_from_slice(&q);
    input[128..].copy_from_slice(&scalar);
    rows.push(row(
        "bn254_g2_mul",
        2,
        || {
            let q = second();
            black_box((operations::is_member(e, &q), operations::multiply_g2(e, &q, &by)));
        },
        || _ = black_box(bn254::alt_bn128_g2_multiplication_be(&input)),
    ));
    let input = [&*p, &*q, &*p, &*q].concat();
    rows.push(row(
        "bn254_pairing_2",
        1,
        || {
            let pairs = [(first(), second()), (first(), second())];
            for (_, q) in &pairs {
                black_box(operations::is_member(e, q));
            }
            black_box(operations::check_pairing(e, &pairs));
        },
        || _ = black_box(bn254::alt_bn128_pairing_be(&input)),
    ));

    let (p, q) = (points::bls12_381_member(&mut rng, false), points::bls12_381_member(&mut rng, true));
    let ours_p: [Number<Indexed, 6>; 2] = numbers(e, &points::flip(&p, 48));
    let ours_q: [Number<Indexed, 6>; 4] = numbers(e, &points::flip(&q, 96));
    let first = [bls::PodG1Point(p.as_slice().try_into()?); 2];
    let second = [bls::PodG2Point(q.as_slice().try_into()?); 2];
    rows.push(row(
        "bls12_381_pairing_2",
        1,
        || {
            use bls12_381::operations::{First, Second, pairing, read};
            let pair = || (read::<_, First>(e, &ours_p), read::<_, Second>(e, &ours_q));
            let pairs = [pair(), pair()];
            for (p, q) in &pairs {
                black_box((p.is_member(e), q.is_member(e)));
            }
            black_box(pairing(e, &pairs));
        },
        || {
            let order = bls::Endianness::BE;
            _ = black_box(bls::bls12_381_pairing_map(bls::Version::V0, &first, &second, order));
        },
    ));
    Ok(rows)
}
