//! Calls of curves and fields that succeed, for what the host sees of them. What else they come to is
//! tested in `curve_calls` and `curves`.

use crate::call::{Call, Case, HEAP, words};
use ark_ec::AffineRepr;
use ark_ff::{BigInteger, PrimeField};
use ark_serialize::CanonicalSerialize;
use curve25519_dalek::{EdwardsPoint, RistrettoPoint, Scalar};
use light_poseidon::{Poseidon, PoseidonBytesHasher};

fn one() -> [u8; 32] {
    Scalar::ONE.to_bytes()
}

/// An element of the n-th group over 2^255 - 19.
fn element(n: u64) -> Vec<u8> {
    let seven = Scalar::from(7u8);
    match n {
        1 => EdwardsPoint::mul_base(&seven).compress().to_bytes().to_vec(),
        _ => RistrettoPoint::mul_base(&seven).compress().to_bytes().to_vec(),
    }
}

fn neutral(n: u64) -> Vec<u8> {
    if n == 1 { one().to_vec() } else { vec![0; 32] }
}

/// The long and the short encoding, in the little order, of a point of the n-th group of BLS12-381.
fn bls12_381(n: u64) -> [Vec<u8>; 2] {
    let (mut long, mut short) = (Vec::new(), Vec::new());
    let width = if n == 1 {
        let p = ark_bls12_381::G1Affine::generator();
        p.serialize_uncompressed(&mut long).and(p.serialize_compressed(&mut short)).unwrap();
        48
    } else {
        let p = ark_bls12_381::G2Affine::generator();
        p.serialize_uncompressed(&mut long).and(p.serialize_compressed(&mut short)).unwrap();
        96
    };
    [long, short].map(|bytes| bytes.chunks(width).flat_map(|part| part.iter().rev().copied()).collect())
}

/// The point at infinity, in the little order.
fn bls12_381_infinity(n: u64) -> Vec<u8> {
    let width = 48 * n as usize;
    let mut bytes = vec![0; 2 * width];
    bytes[width - 1] = 0x40;
    bytes
}

/// Inputs one after the other in the heap, and room for a result.
fn with_result(name: &'static str, arguments: [u64; 5], inputs: &[&[u8]], cost: u64, result: &[u8]) -> Case {
    let inputs = inputs.concat();
    let to = HEAP + inputs.len() as u64;
    let call = Call::new(name, arguments).heap([inputs, vec![0xee; result.len()]].concat());
    call.returns(0, cost).writes(to, result)
}

/// By the n-th selector of those over 2^255 - 19 and then of BLS12-381, little and big order in turn.
pub fn validate(n: u64) -> Case {
    let call = |selector, point: Vec<u8>, cost| {
        Call::new("sol_curve_validate_point", [selector, HEAP]).heap(point).returns(0, cost)
    };
    match n {
        1 => call(0, element(1), 159),
        2 => call(1, element(2), 169),
        3 => call(5, bls12_381(1)[0].clone(), 1565),
        _ => call(6, bls12_381(2)[0].clone(), 1968),
    }
}

/// Multiplies by 1, adds nothing, or subtracts it, in the n-th group over 2^255 - 19.
pub fn operate(n: u64, operation: u64) -> Case {
    let cost = [[473, 475, 2177], [521, 519, 2208]][n as usize - 1][operation as usize];
    let (p, nothing) = (element(n), neutral(n));
    let inputs: [&[u8]; 2] = if operation == 2 { [&one(), &p] } else { [&p, &nothing] };
    let arguments = [n - 1, operation, HEAP, HEAP + 32, HEAP + 64];
    with_result("sol_curve_group_op", arguments, &inputs, cost, &p)
}

/// The same in the n-th group of BLS12-381.
pub fn operate_bls12_381(n: u64, operation: u64) -> Case {
    let cost = [[128, 129, 4627], [203, 204, 8255]][n as usize - 1][operation as usize];
    let ([p, _], nothing) = (bls12_381(n), bls12_381_infinity(n));
    let inputs: [&[u8]; 2] = if operation == 2 { [&one(), &p] } else { [&p, &nothing] };
    let right = HEAP + inputs[0].len() as u64;
    let arguments = [4 + n, operation, HEAP, right, right + inputs[1].len() as u64];
    with_result("sol_curve_group_op", arguments, &inputs, cost, &p)
}

/// Once a point, and n - 1 times nothing.
pub fn multiscalar(n: u64) -> Case {
    let scalars = [&one()[..], &vec![0; 32 * (n as usize - 1)]].concat();
    let points = vec![element(1); n as usize].concat();
    let arguments = [0, HEAP, HEAP + 32 * n, n, HEAP + 64 * n];
    let cost = 2273 + 758 * (n - 1);
    with_result("sol_curve_multiscalar_mul", arguments, &[&scalars, &points], cost, &element(1))
}

pub fn decompress(n: u64) -> Case {
    let [long, short] = bls12_381(n);
    let arguments = [4 + n, HEAP, HEAP + short.len() as u64, 0, 0];
    with_result("sol_curve_decompress", arguments, &[&short], [2100, 3050][n as usize - 1], &long)
}

/// n pairs of points at infinity.
pub fn pairing_map(n: u64) -> Case {
    let [first, second] = [1, 2].map(|group| vec![bls12_381_infinity(group); n as usize].concat());
    let mut result = vec![0; 576];
    result[0] = 1;
    let arguments = [4, n, HEAP, HEAP + 96 * n, HEAP + 288 * n];
    let cost = 25_445 + 13_023 * (n - 1);
    with_result("sol_curve_pairing_map", arguments, &[&first, &second], cost, &result)
}

/// The x of the base point and 1 as a signature.
pub fn recover() -> Case {
    use libsecp256k1::{Message, PublicKey, RecoveryId, SecretKey, Signature};
    let mut one = one();
    one.reverse();
    let base = PublicKey::from_secret_key(&SecretKey::parse(&one).unwrap()).serialize();
    let (hash, signature) = ([3; 32], [&base[1..33], &one].concat());
    let parsed = Signature::parse_standard_slice(&signature).unwrap();
    let key = libsecp256k1::recover(&Message::parse(&hash), &parsed, &RecoveryId::parse(0).unwrap()).unwrap();
    let arguments = [HEAP, 0, HEAP + 32, HEAP + 96, 0];
    with_result("sol_secp256k1_recover", arguments, &[&hash, &signature], 25_000, &key.serialize()[1..])
}

fn bn254_numbers(numbers: &[ark_bn254::Fq]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.into_bigint().to_bytes_le()).collect()
}

/// The long and the short encoding, in the little order, of a point of the n-th group of BN254.
fn bn254(n: u64) -> [Vec<u8>; 2] {
    let mut short = Vec::new();
    if n == 1 {
        let p = ark_bn254::G1Affine::generator();
        p.serialize_compressed(&mut short).unwrap();
        [bn254_numbers(&[p.x, p.y]), short]
    } else {
        let p = ark_bn254::G2Affine::generator();
        p.serialize_compressed(&mut short).unwrap();
        [bn254_numbers(&[p.x.c0, p.x.c1, p.y.c0, p.y.c1]), short]
    }
}

/// Adds nothing (0 and 4) or multiplies by 1 (2 and 6), in the little order.
pub fn bn254_operate(operation: u64) -> Case {
    let ([p, _], cost) = match operation {
        0 => (bn254(1), 334),
        2 => (bn254(1), 3840),
        4 => (bn254(2), 535),
        _ => (bn254(2), 15_670),
    };
    let other = if operation.is_multiple_of(4) { vec![0; p.len()] } else { one().to_vec() };
    let length = (p.len() + other.len()) as u64;
    let arguments = [0x80 | operation, HEAP, length, HEAP + length, 0];
    with_result("sol_alt_bn128_group_op", arguments, &[&p, &other], cost, &p)
}

/// n pairs of points at infinity.
pub fn bn254_pairing(n: u64) -> Case {
    let length = 192 * n;
    let arguments = [0x83, HEAP, length, HEAP + length, 0];
    let cost = 36_364 + 12_121 * (n - 1) + 85 + length + 32;
    with_result("sol_alt_bn128_group_op", arguments, &[&vec![0; length as usize]], cost, &one())
}

/// 0 and 2 compress, 1 and 3 decompress, in the little order.
pub fn bn254_compression(operation: u64) -> Case {
    let [long, short] = bn254(1 + operation / 2);
    let (from, to) = if operation.is_multiple_of(2) { (long, short) } else { (short, long) };
    let cost = [130, 498, 186, 13_710][operation as usize];
    let length = from.len() as u64;
    let arguments = [0x80 | operation, HEAP, length, HEAP + length, 0];
    with_result("sol_alt_bn128_compression", arguments, &[&from], cost, &to)
}

/// n inputs in the little order.
pub fn poseidon(n: u64) -> Case {
    let inputs: Vec<[u8; 32]> = (0..n as u8).map(|k| [k; 32]).collect();
    let list: Vec<u64> = (0..n).flat_map(|k| [HEAP + 16 * n + 32 * k, 32]).collect();
    let mut hasher = Poseidon::<ark_bn254::Fr>::new_circom(n as usize).unwrap();
    let slices: Vec<&[u8]> = inputs.iter().map(|input| &input[..]).collect();
    let hash = hasher.hash_bytes_le(&slices).unwrap();
    let arguments = [0, 1, HEAP, n, HEAP + 48 * n];
    with_result("sol_poseidon", arguments, &[&words(&list), &inputs.concat()], 542 + 61 * n * n, &hash)
}
