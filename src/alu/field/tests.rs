//! Fields against big integers, and Edwards points against their reference.

use super::*;
use crate::tables::{
    Boundary,
    testing::{Effort, on_every_evaluator, word},
};
use curve25519_dalek::edwards::CompressedEdwardsY;
use num_bigint::BigUint;
use proptest::{collection::vec, prelude::*, sample::select};

on_every_evaluator!(multiplies, sums_products, adds, powers, roots, ratios, canonical_form, knows_the_curve);

fn natural(limbs: &[u64]) -> BigUint {
    limbs.iter().rev().fold(BigUint::default(), |x, limb| (x << 64) + *limb)
}

fn limbs<const N: usize>(x: &BigUint) -> [u64; N] {
    let mut digits = x.to_u64_digits();
    digits.resize(N, 0);
    digits.try_into().unwrap()
}

fn modulus<const N: usize>(field: Prime<N>) -> BigUint {
    natural(&field.id.limbs()[..N])
}

fn embed<E: Boundary, const N: usize>(e: &E, limbs: &[u64; N]) -> Number<E, N> {
    limbs.map(|limb| e.embed(limb))
}

fn read<E: Boundary, const N: usize>(e: &E, number: &Number<E, N>) -> BigUint {
    natural(&number.each_ref().map(|word| e.read_out(word).unwrap()))
}

/// Numbers of N words: any, around multiples of the modulus, powers of two and their neighbours.
fn number<const N: usize>(field: Prime<N>) -> impl Strategy<Value = [u64; N]> + Clone {
    let p = modulus(field);
    let capacity = BigUint::from(1u32) << (64 * N);
    let mut edges = Vec::new();
    for multiple in 0..=16u32 {
        for offset in 0..5u32 {
            let x = &p * multiple + offset;
            edges.extend((x >= 2u32.into()).then(|| x - 2u32).filter(|x| *x < capacity));
        }
    }
    edges.extend((1..4u32).map(|below| &capacity - below));
    edges.extend((0..64 * N).step_by(4).map(|bit| BigUint::from(1u32) << bit));
    edges.extend((4..64 * N).step_by(4).map(|bit| (BigUint::from(1u32) << bit) - 1u32));
    let edges: Vec<[u64; N]> = edges.iter().map(limbs).collect();
    let words = vec(word(), N).prop_map(|words| <[u64; N]>::try_from(words).unwrap());
    prop_oneof![2 => words, 1 => select(edges)]
}

/// Runs a check in every field.
macro_rules! in_every_field {
    ($check:ident, $e:expr, $effort:expr) => {
        $check($e, $effort, CURVE25519);
        $check($e, $effort, CURVE25519_ORDER);
        $check($e, $effort, SECP256K1);
        $check($e, $effort, SECP256K1_ORDER);
        $check($e, $effort, BN254);
        $check($e, $effort, BN254_ORDER);
        $check($e, $effort, BLS12_381);
        $check($e, $effort, BLS12_381_ORDER);
    };
}

fn multiplies<E: Boundary>(e: &E, effort: Effort) {
    fn check<E: Boundary, const N: usize>(e: &E, effort: Effort, field: Prime<N>) {
        let p = modulus(field);
        effort.costly(10, 600).check((number(field), number(field)), |(a, b)| {
            let (x, y) = (embed(e, &a), embed(e, &b));
            let product = read(e, &field.multiply(e, &x, &y));
            assert_eq!(product % &p, natural(&a) * natural(&b) % &p, "{a:x?} * {b:x?}, {field:?}");
            let square = read(e, &field.square(e, &x));
            assert_eq!(square % &p, natural(&a).pow(2) % &p, "{a:x?}^2, {field:?}");
        });
    }
    in_every_field!(check, e, effort);
}

/// As many products at once as a sum takes, of the largest numbers too.
fn sums_products<E: Boundary>(e: &E, effort: Effort) {
    fn check<E: Boundary, const N: usize>(e: &E, effort: Effort, field: Prime<N>) {
        let p = modulus(field);
        let most = if N <= 4 { 16 } else { 12 };
        let agree = |pairs: &[([u64; N], [u64; N])]| {
            let ours: Vec<_> = pairs.iter().map(|(a, b)| (embed(e, a), embed(e, b))).collect();
            let ours: Vec<_> = ours.iter().map(|(a, b)| (a, b)).collect();
            let expected = pairs.iter().fold(BigUint::default(), |x, (a, b)| x + natural(a) * natural(b));
            assert_eq!(read(e, &field.dot(e, &ours)) % &p, expected % &p, "{pairs:x?}, {field:?}");
        };
        let pairs = vec((number(field), number(field)), 0..=most);
        effort.costly(1, 60).check(pairs, |pairs| agree(&pairs));
        agree(&vec![([u64::MAX; N], [u64::MAX; N]); most]);
    }
    in_every_field!(check, e, effort);
}

fn adds<E: Boundary>(e: &E, effort: Effort) {
    fn check<E: Boundary, const N: usize>(e: &E, effort: Effort, field: Prime<N>) {
        let p = modulus(field);
        effort.costly(10, 600).check((number(field), number(field)), |(a, b)| {
            let (x, y) = (embed(e, &a), embed(e, &b));
            let (a, b) = (natural(&a) % &p, natural(&b) % &p);
            let check = |found: Number<E, N>, expected: BigUint| {
                assert_eq!(read(e, &found) % &p, expected % &p, "{a:x}, {b:x}, {field:?}");
            };
            check(field.add(e, &x, &y), &a + &b);
            check(field.subtract(e, &x, &y), &a + &p - &b);
            check(field.negate(e, &x), &p - &a);
            check(field.sum(e, &[&x; 8], &[]), &a * 8u32);
            check(field.sum(e, &[&x, &x], &[&y; 3]), &a * 2u32 + (&p - &b) * 3u32);
        });
    }
    in_every_field!(check, e, effort);
}

fn powers<E: Boundary>(e: &E, effort: Effort) {
    fn check<E: Boundary, const N: usize>(e: &E, effort: Effort, field: Prime<N>) {
        let p = modulus(field);
        effort.costly(1, 5).check(number(field), |a| {
            let inverse = read(e, &field.invert(e, &embed(e, &a)));
            let a = natural(&a);
            assert_eq!(inverse % &p, a.modpow(&(&p - 2u32), &p), "{a:x}, {field:?}");
        });
    }
    in_every_field!(check, e, effort);
}

/// The moduli that are 3 modulo 4.
fn roots<E: Boundary>(e: &E, effort: Effort) {
    fn check<E: Boundary, const N: usize>(e: &E, effort: Effort, field: Prime<N>) {
        let p = modulus(field);
        let agree = |a: [u64; N]| {
            let (root, is_root) = Field::root(field, e, &embed(e, &a));
            let is_root = e.read_digit::<Bit>(&is_root).unwrap() == 1;
            let a = natural(&a) % &p;
            let half = (&p - 1u32) / 2u32;
            assert_eq!(is_root, a.modpow(&half, &p) <= 1u32.into(), "{a:x}, {field:?}");
            let root = read(e, &root) % &p;
            assert!(!is_root || &root * &root % &p == a, "{root:x} of {a:x}, {field:?}");
        };
        effort.costly(1, 6).check(number(field), agree);
        for edge in [BigUint::default(), 1u32.into(), &p - 1u32] {
            agree(limbs(&edge));
        }
    }
    if effort.is_few() {
        return check(e, effort, SECP256K1);
    }
    check(e, effort, SECP256K1);
    check(e, effort, BN254);
    check(e, effort, BLS12_381);
}

/// Roots of ratios modulo 2^255 - 19: for each of the four fourth roots of 1 that may be left over.
fn ratios<E: Boundary>(e: &E, effort: Effort) {
    let (field, p) = (CURVE25519, modulus(CURVE25519));
    let imaginary = BigUint::from(2u32).modpow(&((&p - 1u32) / 4u32), &p);
    effort.costly(2, 60).check((number(field), number(field), 0..4u32), |(root, v, turn)| {
        let (root, v) = (natural(&root) % &p, natural(&v) % &p);
        let u = &root * &root * &v % &p * imaginary.modpow(&turn.into(), &p) % &p;
        let (is_square, found) = sqrt_ratio(e, &embed(e, &limbs(&u)), &embed(e, &limbs(&v)));
        let is_square = e.read_digit::<Bit>(&is_square).unwrap() == 1;
        let found = read(e, &found);
        assert!(found < p && !found.bit(0), "{found:x} is canonical and even");
        let square = &found * &found * &v % &p;
        if turn % 2 == 0 || u == BigUint::default() {
            assert!(is_square && square == u, "{u:x} / {v:x}");
        } else {
            assert!(!is_square && square == &u * &imaginary % &p, "{u:x} / {v:x}");
        }
    });
    let (is_square, found) = sqrt_ratio(e, &field.one(e), &field.zero(e));
    assert_eq!((e.read_digit::<Bit>(&is_square).unwrap(), read(e, &found)), (0, BigUint::default()));
}

fn canonical_form<E: Boundary>(e: &E, effort: Effort) {
    fn check<E: Boundary, const N: usize>(e: &E, effort: Effort, field: Prime<N>) {
        let p = modulus(field);
        effort.costly(10, 600).check(number(field), |limbs| {
            let (x, a) = (embed(e, &limbs), natural(&limbs));
            let bit = |digit| e.read_digit::<Bit>(&digit).unwrap() == 1;
            assert_eq!(read(e, &field.canonical(e, &x)), &a % &p, "{a:x}, {field:?}");
            assert_eq!(bit(field.exceeds(e, &x)), a >= p, "{a:x}, {field:?}");
            assert_eq!(bit(field.is_zero(e, &x)), &a % &p == BigUint::default(), "{a:x}, {field:?}");
        });
    }
    in_every_field!(check, e, effort);
}

/// Every small y, both signs, y that are not below the modulus, and any.
fn knows_the_curve<E: Boundary>(e: &E, effort: Effort) {
    let check = |limbs: [u64; 4]| {
        let mut bytes = [0; 32];
        for (limb, chunk) in limbs.iter().zip(bytes.chunks_exact_mut(8)) {
            chunk.copy_from_slice(&limb.to_le_bytes());
        }
        let expected = CompressedEdwardsY(bytes).decompress().is_some();
        let found = e.read_digit::<Bit>(&is_on_curve(e, &embed(e, &limbs))).unwrap() == 1;
        assert_eq!(found, expected, "{limbs:x?}");
    };
    let small = (0..20).chain((0..40).map(|k| u64::MAX - k));
    let encodings = small.flat_map(|low| {
        let above = if low < 20 { 0 } else { u64::MAX };
        [0, 1 << 63].map(|sign| [low, above, above, above & (u64::MAX >> 1) | sign])
    });
    let encodings: Vec<_> = encodings.collect();
    effort.costly(4, 240).check(select(encodings), check);
    effort.costly(2, 100).check(number(CURVE25519), check);
}
