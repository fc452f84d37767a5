//! Edwards points and Ristretto elements, against curve25519-dalek.

use crate::{bytes, check, evaluator, is_on, number, thirty_two};
use curve25519_dalek::{
    EdwardsPoint, RistrettoPoint, Scalar,
    constants::EIGHT_TORSION,
    edwards::CompressedEdwardsY,
    ristretto::CompressedRistretto,
    traits::{Identity, VartimeMultiscalarMul},
};
use proptest::{prelude::*, sample::select};
use svmllm::syscalls::curves::{edwards, ristretto};

fn points() -> impl Strategy<Value = EdwardsPoint> + Clone {
    (any::<[u8; 32]>(), 0..8usize, 0..6u8).prop_map(|(scalar, torsion, kind)| match kind {
        // Of small order, the identity among them.
        0 => EIGHT_TORSION[torsion],
        // Outside the group.
        1 => EdwardsPoint::mul_base(&Scalar::from_bytes_mod_order(scalar)) + EIGHT_TORSION[torsion],
        _ => EdwardsPoint::mul_base(&Scalar::from_bytes_mod_order(scalar)),
    })
}

fn scalars() -> impl Strategy<Value = Scalar> + Clone {
    let edges = [Scalar::ZERO, Scalar::ONE, -Scalar::ONE, Scalar::from(8u8), Scalar::from(u64::MAX)];
    prop_oneof![
        1 => select(edges.to_vec()),
        2 => any::<[u8; 32]>().prop_map(Scalar::from_bytes_mod_order)
    ]
}

/// Encodings: canonical and not, of points and of none.
fn encodings() -> impl Strategy<Value = [u8; 32]> + Clone {
    // y from the modulus on, and below, with either sign.
    let around: Vec<[u8; 32]> = (0xd8..=0xffu8)
        .flat_map(|low| {
            [0x7f, 0xff].map(|top| {
                let mut bytes = [0xff; 32];
                (bytes[0], bytes[31]) = (low, top);
                bytes
            })
        })
        .collect();
    let small: Vec<[u8; 32]> = (0..24u8)
        .flat_map(|low| {
            [0, 0x80].map(|top| {
                let mut bytes = [0; 32];
                (bytes[0], bytes[31]) = (low, top);
                bytes
            })
        })
        .collect();
    prop_oneof![
        2 => points().prop_map(|point| point.compress().to_bytes()),
        2 => select(around),
        2 => select(small),
        2 => thirty_two(),
    ]
}

#[test]
fn edwards_encodings() {
    let e = evaluator();
    check(120, encodings(), |encoding| {
        let (point, valid) = edwards::decompress(e, &number(&encoding));
        let expected = CompressedEdwardsY(encoding).decompress();
        assert_eq!(is_on(&valid), expected.is_some(), "{encoding:x?}");
        if let Some(expected) = expected {
            assert_eq!(bytes(&edwards::compress(e, &point)), expected.compress().to_bytes(), "{encoding:x?}");
        }
    });
}

#[test]
fn edwards_sums() {
    let e = evaluator();
    let read = |point: &EdwardsPoint| edwards::decompress(e, &number(point.compress().as_bytes())).0;
    let same = |ours: &edwards::Point<_>, theirs: EdwardsPoint| {
        assert_eq!(bytes(&edwards::compress(e, ours)), theirs.compress().to_bytes());
    };
    check(24, (points(), points()), |(p, q)| {
        let (x, y) = (read(&p), read(&q));
        same(&edwards::add(e, &x, &y), p + q);
        same(&edwards::subtract(e, &x, &y), p - q);
        // The same formula adds equal points, opposite ones and the neutral one.
        same(&edwards::add(e, &x, &x), p + p);
        same(&edwards::double(e, &x), p + p);
        same(&edwards::subtract(e, &x, &x), EdwardsPoint::identity());
        same(&edwards::add(e, &x, &edwards::identity(e)), p);
        same(&edwards::negate(e, &x), -p);
    });
}

#[test]
fn edwards_multiples() {
    let e = evaluator();
    let terms = proptest::collection::vec((scalars(), points()), 0..5);
    check(10, terms, |terms| {
        let ours: Vec<_> = terms
            .iter()
            .map(|(scalar, point)| {
                let point = edwards::decompress(e, &number(point.compress().as_bytes())).0;
                (number(scalar.as_bytes()), point)
            })
            .collect();
        let ours: Vec<_> = ours.iter().map(|(scalar, point)| (scalar, point)).collect();
        let sum = edwards::multiply_all(e, &ours);
        let expected = EdwardsPoint::vartime_multiscalar_mul(
            terms.iter().map(|(scalar, _)| scalar),
            terms.iter().map(|(_, point)| point),
        );
        assert_eq!(bytes(&edwards::compress(e, &sum)), expected.compress().to_bytes());
        if let [(scalar, point), ..] = &*ours {
            let product = bytes(&edwards::compress(e, &edwards::multiply(e, scalar, point)));
            assert_eq!(product, (terms[0].1 * terms[0].0).compress().to_bytes());
        }
    });
}

#[test]
fn scalars_below_the_order() {
    let e = evaluator();
    let order = num_bigint::BigUint::from_bytes_le((-Scalar::ONE).as_bytes()) + 1u32;
    for (number, below) in [(&order - 1u32, true), (order.clone(), false), (&order + 1u32, false)] {
        assert_eq!(is_on(&edwards::is_scalar(e, &crate::number(&number.to_bytes_le()))), below);
    }
    check(60, thirty_two(), |scalar| {
        let expected = bool::from(Scalar::from_canonical_bytes(scalar).is_some());
        assert_eq!(is_on(&edwards::is_scalar(e, &number(&scalar))), expected, "{scalar:x?}");
    });
}

#[test]
fn ristretto_encodings() {
    let e = evaluator();
    let elements = any::<[u8; 32]>().prop_map(|scalar| {
        RistrettoPoint::mul_base(&Scalar::from_bytes_mod_order(scalar)).compress().to_bytes()
    });
    // Of the other sign, or with the highest bit on.
    let spoiled = (elements.clone(), any::<bool>()).prop_map(|(mut bytes, low)| {
        bytes[if low { 0 } else { 31 }] ^= if low { 1 } else { 0x80 };
        bytes
    });
    check(120, prop_oneof![1 => encodings(), 1 => elements, 1 => spoiled], |encoding| {
        let (point, valid) = ristretto::decompress(e, &number(&encoding));
        let expected = CompressedRistretto(encoding).decompress();
        assert_eq!(is_on(&valid), expected.is_some(), "{encoding:x?}");
        if expected.is_some() {
            assert_eq!(bytes(&ristretto::compress(e, &point)), encoding, "{encoding:x?}");
        }
    });
}

/// Sums and multiples of elements, whichever points they are classes of.
#[test]
fn ristretto_sums() {
    let e = evaluator();
    check(8, (any::<[[u8; 32]; 2]>(), scalars(), 0..4usize), |(seeds, scalar, torsion)| {
        let [p, q] = seeds.map(|seed| RistrettoPoint::mul_base(&Scalar::from_bytes_mod_order(seed)));
        let [x, y] = [p, q].map(|p| ristretto::decompress(e, &number(p.compress().as_bytes())).0);
        let same = |ours: &edwards::Point<_>, theirs: RistrettoPoint| {
            assert_eq!(bytes(&ristretto::compress(e, ours)), theirs.compress().to_bytes());
        };
        same(&edwards::add(e, &x, &y), p + q);
        same(&edwards::subtract(e, &x, &y), p - q);
        same(&edwards::subtract(e, &x, &x), RistrettoPoint::identity());
        same(&edwards::multiply(e, &number(scalar.as_bytes()), &x), p * scalar);
        // Points of order four make no difference.
        let torsion = EIGHT_TORSION[2 * torsion].compress();
        let torsion = edwards::decompress(e, &number(torsion.as_bytes())).0;
        same(&edwards::add(e, &x, &torsion), p);
    });
}
