//! Syscalls of curves and Poseidon: data with points that are right, and arguments that mostly find them.

use curve25519_dalek::{constants, scalar::Scalar};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::{DATA, pointer};
use crate::{
    case::HEAP_ADDRESS,
    generate::spl::{chance, one},
};

/// Transactions.
pub const SIZE: u64 = 900;

/// The syscalls.
pub const SYSCALLS: [&str; 9] = [
    "sol_curve_validate_point",
    "sol_curve_group_op",
    "sol_curve_multiscalar_mul",
    "sol_curve_decompress",
    "sol_curve_pairing_map",
    "sol_secp256k1_recover",
    "sol_alt_bn128_group_op",
    "sol_alt_bn128_compression",
    "sol_poseidon",
];

// Where things are in the data.
const SCALARS: u64 = 0;
const EDWARDS: u64 = 64;
const RISTRETTO: u64 = 128;
const BN254: u64 = 192;
const BLS12_381: u64 = 384;
/// Addresses and lengths of the inputs of Poseidon.
const INPUTS: u64 = 432;

/// The generator of the first group of BLS12-381, compressed, big end first (the curve's specification).
const BLS12_381_GENERATOR: &str =
    "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb";

/// Scalars, points of each curve, and some spoiled bytes.
pub fn data(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let scalars = [Scalar::from(rng.random::<u128>()), Scalar::from(rng.random::<u64>())];
    let mut data = vec![0; DATA];
    let mut put = |at: u64, bytes: &[u8]| data[at as usize..][..bytes.len()].copy_from_slice(bytes);
    for (number, scalar) in (0..).zip(&scalars) {
        put(SCALARS + 32 * number, scalar.as_bytes());
        let edwards = constants::ED25519_BASEPOINT_POINT * scalar;
        put(EDWARDS + 32 * number, edwards.compress().as_bytes());
        let ristretto = constants::RISTRETTO_BASEPOINT_POINT * scalar;
        put(RISTRETTO + 32 * number, ristretto.compress().as_bytes());
    }
    // The generator (1, 2) twice, big end first, and a scalar after it.
    for point in 0..2 {
        put(BN254 + 64 * point + 31, &[1]);
        put(BN254 + 64 * point + 63, &[2]);
    }
    put(BN254 + 128 + 24, &rng.random::<[u8; 8]>());
    put(BLS12_381, &hex::decode(BLS12_381_GENERATOR).unwrap_or_default());
    for (number, place) in (0..).zip([SCALARS, BN254, BN254 + 32, SCALARS + 32]) {
        put(INPUTS + 16 * number, &(HEAP_ADDRESS + place).to_le_bytes());
        put(INPUTS + 16 * number + 8, &32u64.to_le_bytes());
    }
    for _ in 0..one(rng, &[0, 0, 0, 1, 4]) {
        let at = rng.random_range(0..DATA);
        data[at] ^= rng.random::<u8>();
    }
    data
}

/// The address of something in the data, or of anything.
fn at(place: u64, rng: &mut ChaCha8Rng) -> u64 {
    if chance(rng, 88) { HEAP_ADDRESS + place } else { pointer(rng, 1) }
}

/// Arguments that fit the syscall more often than not.
pub fn arguments(name: &str, rng: &mut ChaCha8Rng) -> [u64; 5] {
    let curve = if chance(rng, 90) { one(rng, &[0, 0, 1, 1, 5, 6, 0x85, 0x86]) } else { rng.random() };
    let place = |curve: u64, rng: &mut ChaCha8Rng| {
        let second = 32 * rng.random_range(0..2);
        match curve {
            0 => EDWARDS + second,
            1 => RISTRETTO + second,
            _ => BLS12_381,
        }
    };
    let out = if chance(rng, 90) { HEAP_ADDRESS + 1024 } else { pointer(rng, 1) };
    let few = if chance(rng, 90) { rng.random_range(0..3) } else { one(rng, &[8, 17, 512, 513, u64::MAX]) };
    match name {
        "sol_curve_validate_point" => [curve, at(place(curve, rng), rng), 0, 0, 0],
        "sol_curve_group_op" => {
            let operation = if chance(rng, 92) { rng.random_range(0..3) } else { rng.random() };
            let left = if operation == 2 { SCALARS } else { place(curve, rng) };
            [curve, operation, at(left, rng), at(place(curve, rng), rng), out]
        }
        "sol_curve_multiscalar_mul" => {
            let points = if curve == 1 { RISTRETTO } else { EDWARDS };
            [curve, at(SCALARS, rng), at(points, rng), few, out]
        }
        "sol_curve_decompress" => {
            let curve = if chance(rng, 80) { one(rng, &[0x85, 0x85, 5, 6, 0x86]) } else { curve };
            [curve, at(BLS12_381, rng), out, 0, 0]
        }
        "sol_curve_pairing_map" => {
            let curve = if chance(rng, 80) { one(rng, &[4, 0x84]) } else { curve };
            [curve, few, at(BLS12_381, rng), at(BN254, rng), out]
        }
        "sol_secp256k1_recover" => {
            let recovery = if chance(rng, 90) { rng.random_range(0..4) } else { rng.random() };
            [at(EDWARDS, rng), recovery, at(RISTRETTO, rng), out, 0]
        }
        "sol_alt_bn128_group_op" => {
            let operation =
                if chance(rng, 90) { one(rng, &[0, 0, 2, 2, 3, 4, 6, 0x80, 0x82]) } else { rng.random() };
            let fits = match operation {
                0 => 128,
                2 => 96,
                3 => 192 * few.min(2),
                _ => one(rng, &[0, 64, 96, 128, 192, 256]),
            };
            let length = if chance(rng, 85) { fits } else { rng.random_range(0..300) };
            let start = if operation == 2 { BN254 + 64 } else { BN254 };
            [operation, at(start, rng), length, out, 0]
        }
        "sol_alt_bn128_compression" => {
            let operation =
                if chance(rng, 90) { one(rng, &[0, 0, 1, 2, 3, 0x80, 0x81]) } else { rng.random() };
            let fits = one(rng, &[32, 64, 64, 64, 128]);
            let length = if chance(rng, 90) { fits } else { rng.random_range(0..200) };
            [operation, at(BN254, rng), length, out, 0]
        }
        _ => {
            let order = if chance(rng, 90) { rng.random_range(0..2) } else { rng.random() };
            let count = if chance(rng, 90) { rng.random_range(1..3) } else { one(rng, &[0, 12, 13]) };
            let list = HEAP_ADDRESS + INPUTS;
            [
                one(rng, &[0, 0, 0, 0, 1]),
                order,
                if chance(rng, 80) { list } else { pointer(rng, 8) },
                count,
                out,
            ]
        }
    }
}
