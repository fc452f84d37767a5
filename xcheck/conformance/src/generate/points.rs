//! Encoded points of pairing-friendly curves, good and spoilt. The big order of bytes is worked in.

use blstrs::{G1Affine, G2Affine};
use rand::{Rng, RngCore};
use rand_chacha::ChaCha8Rng;
use solana_bls12_381_syscall as bls;
use solana_bn254::{compression::prelude as compression, prelude as bn254};

/// A modulus or an order, in the big order.
pub type Modulus = &'static [u8];

/// The base field of BN254.
pub const BN254: Modulus =
    b"\x30\x64\x4e\x72\xe1\x31\xa0\x29\xb8\x50\x45\xb6\x81\x81\x58\x5d\x97\x81\x6a\x91\x68\x71\xca\x8d\x3c\x20\x8c\x16\xd8\x7c\xfd\x47";
/// The order of BN254.
pub const BN254_ORDER: Modulus =
    b"\x30\x64\x4e\x72\xe1\x31\xa0\x29\xb8\x50\x45\xb6\x81\x81\x58\x5d\x28\x33\xe8\x48\x79\xb9\x70\x91\x43\xe1\xf5\x93\xf0\x00\x00\x01";
/// The base field of BLS12-381.
pub const BLS12_381: Modulus =
    b"\x1a\x01\x11\xea\x39\x7f\xe6\x9a\x4b\x1b\xa7\xb6\x43\x4b\xac\xd7\x64\x77\x4b\x84\xf3\x85\x12\xbf\x67\x30\xd2\xa0\xf6\xb0\xf6\x24\x1e\xab\xff\xfe\xb1\x53\xff\xff\xb9\xfe\xff\xff\xff\xff\xaa\xab";
/// The order of BLS12-381.
pub const BLS12_381_ORDER: Modulus =
    b"\x73\xed\xa7\x53\x29\x9d\x7d\x48\x33\x39\xd8\x08\x09\xa1\xd8\x05\x53\xbd\xa4\x02\xff\xfe\x5b\xfe\xff\xff\xff\xff\x00\x00\x00\x01";

/// Bytes of each `width` the other way round: from one order to the other.
pub fn flip(bytes: &[u8], width: usize) -> Vec<u8> {
    bytes.chunks(width).flat_map(|chunk| chunk.iter().rev().copied()).collect()
}

fn bytes<const N: usize>(rng: &mut ChaCha8Rng) -> [u8; N] {
    let mut bytes = [0; N];
    rng.fill_bytes(&mut bytes);
    bytes
}

/// A modulus, and a small number more.
fn near(modulus: Modulus, more: i8) -> Vec<u8> {
    let mut number = modulus.to_vec();
    if let Some(last) = number.last_mut() {
        *last = last.wrapping_add_signed(more);
    }
    number
}

/// A scalar: mostly below the order.
pub fn scalar(rng: &mut ChaCha8Rng, order: Modulus) -> Vec<u8> {
    match rng.random_range(0..12) {
        0 => vec![0; 32],
        1 => near(order, 0),
        2 => near(order, -1),
        3 => near(order, 1),
        4 => vec![0xff; 32],
        5 => bytes::<32>(rng).to_vec(),
        6 => near(&[0; 32], rng.random_range(1..20)),
        _ => {
            let mut scalar = bytes::<32>(rng).to_vec();
            scalar[0] &= 0x1f;
            scalar
        }
    }
}

/// A point of the first group of BN254.
pub fn bn254_first(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut input = vec![0; 96];
    (input[31], input[63]) = (1, 2);
    rng.fill_bytes(&mut input[64..]);
    bn254::alt_bn128_g1_multiplication_be(&input).unwrap_or_default()
}

/// The negative of a point of the first group of BN254.
pub fn bn254_negative(point: &[u8]) -> Vec<u8> {
    let less_one = near(BN254_ORDER, -1);
    bn254::alt_bn128_g1_multiplication_be(&[point, &less_one].concat()).unwrap_or_default()
}

/// A point of the second group's curve of BN254, sometimes not of the group.
pub fn bn254_second(rng: &mut ChaCha8Rng) -> Vec<u8> {
    const GENERATOR: &[u8; 128] = b"\x19\x8e\x93\x93\x92\x0d\x48\x3a\x72\x60\xbf\xb7\x31\xfb\x5d\x25\xf1\xaa\x49\x33\x35\xa9\xe7\x12\x97\xe4\x85\xb7\xae\xf3\x12\xc2\x18\x00\xde\xef\x12\x1f\x1e\x76\x42\x6a\x00\x66\x5e\x5c\x44\x79\x67\x43\x22\xd4\xf7\x5e\xda\xdd\x46\xde\xbd\x5c\xd9\x92\xf6\xed\x09\x06\x89\xd0\x58\x5f\xf0\x75\xec\x9e\x99\xad\x69\x0c\x33\x95\xbc\x4b\x31\x33\x70\xb3\x8e\xf3\x55\xac\xda\xdc\xd1\x22\x97\x5b\x12\xc8\x5e\xa5\xdb\x8c\x6d\xeb\x4a\xab\x71\x80\x8d\xcb\x40\x8f\xe3\xd1\xe7\x69\x0c\x43\xd3\x7b\x4c\xe6\xcc\x01\x66\xfa\x7d\xaa";
    if rng.random_bool(0.1) {
        loop {
            let mut x = bytes::<64>(rng);
            (x[0], x[32]) = (x[0] & 0x9f, x[32] & 0x1f);
            if let Ok(point) = compression::alt_bn128_g2_decompress_be(&x) {
                return point.to_vec();
            }
        }
    }
    let mut input = [0; 160];
    input[..128].copy_from_slice(GENERATOR);
    rng.fill_bytes(&mut input[128..]);
    bn254::alt_bn128_g2_multiplication_be(&input).unwrap_or_default()
}

/// A point of the first group's curve of BLS12-381, sometimes not of the group.
pub fn bls12_381_first(rng: &mut ChaCha8Rng) -> Vec<u8> {
    const GENERATOR: [u8; 48] = *b"\x97\xf1\xd3\xa7\x31\x97\xd7\x94\x26\x95\x63\x8c\x4f\xa9\xac\x0f\xc3\x68\x8c\x4f\x97\x74\xb9\x05\xa1\x4e\x3a\x3f\x17\x1b\xac\x58\x6c\x55\xe8\x3f\xf9\x7a\x1a\xef\xfb\x3a\xf0\x0a\xdb\x22\xc6\xbb";
    if rng.random_bool(0.1) {
        loop {
            let mut x = bytes::<48>(rng);
            x[0] = x[0] & 0x2f | 0x80;
            if let Some(point) = G1Affine::from_compressed_unchecked(&x).into_option() {
                return point.to_uncompressed().to_vec();
            }
        }
    }
    let mut scalar = bytes::<32>(rng);
    scalar[0] &= 0x3f;
    let order = bls::Endianness::BE;
    bls::bls12_381_g1_decompress(bls::Version::V0, &bls::PodG1Compressed(GENERATOR), order)
        .and_then(|point| {
            bls::bls12_381_g1_multiplication(bls::Version::V0, &point, &bls::PodScalar(scalar), order)
        })
        .map_or_else(Vec::new, |point| point.0.to_vec())
}

/// A point of the second group's curve of BLS12-381, sometimes not of the group.
pub fn bls12_381_second(rng: &mut ChaCha8Rng) -> Vec<u8> {
    const GENERATOR: [u8; 96] = *b"\x93\xe0\x2b\x60\x52\x71\x9f\x60\x7d\xac\xd3\xa0\x88\x27\x4f\x65\x59\x6b\xd0\xd0\x99\x20\xb6\x1a\xb5\xda\x61\xbb\xdc\x7f\x50\x49\x33\x4c\xf1\x12\x13\x94\x5d\x57\xe5\xac\x7d\x05\x5d\x04\x2b\x7e\x02\x4a\xa2\xb2\xf0\x8f\x0a\x91\x26\x08\x05\x27\x2d\xc5\x10\x51\xc6\xe4\x7a\xd4\xfa\x40\x3b\x02\xb4\x51\x0b\x64\x7a\xe3\xd1\x77\x0b\xac\x03\x26\xa8\x05\xbb\xef\xd4\x80\x56\xc8\xc1\x21\xbd\xb8";
    if rng.random_bool(0.1) {
        loop {
            let mut x = bytes::<96>(rng);
            (x[0], x[48]) = (x[0] & 0x2f | 0x80, x[48] & 0x0f);
            if let Some(point) = G2Affine::from_compressed_unchecked(&x).into_option() {
                return point.to_uncompressed().to_vec();
            }
        }
    }
    let mut scalar = bytes::<32>(rng);
    scalar[0] &= 0x3f;
    let order = bls::Endianness::BE;
    bls::bls12_381_g2_decompress(bls::Version::V0, &bls::PodG2Compressed(GENERATOR), order)
        .and_then(|point| {
            bls::bls12_381_g2_multiplication(bls::Version::V0, &point, &bls::PodScalar(scalar), order)
        })
        .map_or_else(Vec::new, |point| point.0.to_vec())
}

/// The short encoding of a point of BN254.
pub fn bn254_compressed(point: &[u8]) -> Vec<u8> {
    let first = compression::alt_bn128_g1_compress_be(point).map(Vec::from);
    first.or_else(|_| compression::alt_bn128_g2_compress_be(point).map(Vec::from)).unwrap_or_default()
}

/// The short encoding of a point of BLS12-381.
pub fn bls12_381_compressed(point: &[u8]) -> Vec<u8> {
    if let Ok(point) = point.try_into() {
        let point = G1Affine::from_uncompressed_unchecked(point).into_option();
        return point.map_or_else(Vec::new, |point| point.to_compressed().to_vec());
    }
    let point = point.try_into().ok().and_then(|point| G2Affine::from_uncompressed_unchecked(point).into());
    point.map_or_else(Vec::new, |point: G2Affine| point.to_compressed().to_vec())
}

/// An encoding at the edges of what is right, sometimes. `flags` is the byte that holds them.
pub fn spoil(rng: &mut ChaCha8Rng, point: &mut [u8], modulus: Modulus, flags: usize) {
    let width = modulus.len();
    let at = rng.random_range(0..point.len() / width) * width;
    match rng.random_range(0..24) {
        0 => point.fill(0),
        1 => point[flags] ^= 1 << rng.random_range(5..8),
        2 => point[flags] ^= rng.random_range(1..8) << 5,
        3 => point[at..at + width].copy_from_slice(&near(modulus, rng.random_range(-1..=1))),
        4 => point[at..at + width].fill(0),
        5 => {
            // The same number, not below the modulus.
            let mut carry = 0;
            for (digit, more) in point[at..at + width].iter_mut().rev().zip(modulus.iter().rev()) {
                let sum = u16::from(*digit) + u16::from(*more) + carry;
                (*digit, carry) = (sum as u8, sum >> 8);
            }
        }
        6 => point[rng.random_range(0..point.len())] ^= 1 << rng.random_range(0..8),
        7 => rng.fill_bytes(point),
        8 => {
            point.fill(0);
            point[flags] = rng.random_range(1..8) << 5;
        }
        9 => {
            // x = 0, y = 2: of order three, where it is a point.
            point.fill(0);
            point[point.len() - 1] = 2;
        }
        _ => {}
    }
}

/// A point of the second group of BN254.
pub fn bn254_member(rng: &mut ChaCha8Rng) -> Vec<u8> {
    loop {
        let point = bn254_second(rng);
        // A pairing checks the group.
        if bn254::alt_bn128_pairing_be(&[&[0; 64], &*point].concat()).is_ok() {
            return point;
        }
    }
}

/// A point of a group of BLS12-381.
pub fn bls12_381_member(rng: &mut ChaCha8Rng, second: bool) -> Vec<u8> {
    loop {
        let point = if second { bls12_381_second(rng) } else { bls12_381_first(rng) };
        let order = bls::Endianness::BE;
        let is_member = match (<&[u8; 96]>::try_from(&*point), <&[u8; 192]>::try_from(&*point)) {
            (Ok(point), _) => {
                bls::bls12_381_g1_point_validation(bls::Version::V0, &bls::PodG1Point(*point), order)
            }
            (_, Ok(point)) => {
                bls::bls12_381_g2_point_validation(bls::Version::V0, &bls::PodG2Point(*point), order)
            }
            _ => false,
        };
        if is_member {
            return point;
        }
    }
}
