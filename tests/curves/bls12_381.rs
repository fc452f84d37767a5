//! The groups of BLS12-381 and their pairing, against ark.
//!
//! Encodings here are those of the big order, which ark writes too; the circuits take the little one.

use crate::{all_bytes, bytes, check, evaluator, flip, is_on, number, numbers, thirty_two};
use ark_bls12_381::{Bls12_381, Fq, Fq2, Fq6, Fq12, Fr, G1Affine, G2Affine};
use ark_ec::{AffineRepr, CurveGroup, pairing::Pairing};
use ark_ff::{BigInteger, Field, PrimeField};
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize};
use num_bigint::BigUint;
use proptest::prelude::*;
use svmllm::{
    alu::{field::Pair, wide::Number},
    syscalls::curves::bls12_381::operations::{self, First, Group, Read, Second},
    tables::Indexed,
};

/// The little order of an encoding, as numbers, and back.
fn little<P: AffineRepr>(bytes: &[u8]) -> Vec<[svmllm::tables::Word<Indexed>; 6]> {
    numbers(&flip(bytes, 48 * <P::BaseField as Field>::extension_degree() as usize))
}

fn big<P: AffineRepr>(numbers: &[[svmllm::tables::Word<Indexed>; 6]]) -> Vec<u8> {
    flip(&all_bytes(numbers), 48 * <P::BaseField as Field>::extension_degree() as usize)
}

fn long<P: CanonicalSerialize>(point: &P) -> Vec<u8> {
    let mut bytes = Vec::new();
    point.serialize_uncompressed(&mut bytes).unwrap();
    bytes
}

fn short<P: CanonicalSerialize>(point: &P) -> Vec<u8> {
    let mut bytes = Vec::new();
    point.serialize_compressed(&mut bytes).unwrap();
    bytes
}

fn multiples<P: AffineRepr<ScalarField = Fr>>() -> impl Strategy<Value = P> + Clone {
    prop_oneof![
        1 => Just(P::zero()),
        1 => Just(P::generator()),
        4 => thirty_two().prop_map(|scalar| {
            (P::generator() * Fr::from_le_bytes_mod_order(&scalar)).into_affine()
        }),
    ]
}

/// Points of the first curve, hardly any of them in the group.
fn stranger_1() -> impl Strategy<Value = G1Affine> + Clone {
    (any::<u64>(), any::<bool>()).prop_filter_map("is no x of a point", |(x, larger)| {
        G1Affine::get_point_from_x_unchecked(Fq::from(x), larger)
    })
}

/// The same of the second.
fn stranger_2() -> impl Strategy<Value = G2Affine> + Clone {
    (any::<[u64; 2]>(), any::<bool>()).prop_filter_map("is no x of a point", |([a, b], larger)| {
        G2Affine::get_point_from_x_unchecked(Fq2::new(Fq::from(a), Fq::from(b)), larger)
    })
}

/// Sums, differences and multiples; `is_member` is ark's.
fn group<P, G>(cases: u32, points: impl Strategy<Value = P> + Clone, is_member: fn(&P) -> bool)
where
    P: AffineRepr<ScalarField = Fr> + CanonicalSerialize,
    G: Group<Indexed>,
{
    let e = evaluator();
    check(cases, (points.clone(), points, thirty_two()), |(p, q, scalar)| {
        let read = |p: &P| operations::read::<_, G>(e, &little::<P>(&long(p)));
        let (x, y) = (read(&p), read(&q));
        assert!(is_on(&x.on_curve) && is_on(&y.on_curve));
        assert_eq!(is_on(&x.is_member(e)), is_member(&p));
        let same = |found: Vec<_>, expected: P::Group| {
            assert_eq!(big::<P>(&found), long(&expected.into_affine()), "{p}, {q}");
        };
        same(operations::add(e, &x, &y), p + q);
        same(operations::subtract(e, &x, &y), p.into_group() - q);
        same(operations::add(e, &x, &x), p + p);
        same(operations::subtract(e, &x, &x), P::zero().into_group());
        let limbs: Vec<u64> =
            scalar.as_chunks::<8>().0.iter().map(|limb| u64::from_le_bytes(*limb)).collect();
        same(operations::multiply(e, &number(&scalar), &x), p.mul_bigint(limbs));
    });
}

#[test]
fn first_group() {
    let points = prop_oneof![2 => multiples::<G1Affine>(), 1 => stranger_1()];
    group::<_, First>(8, points, G1Affine::is_in_correct_subgroup_assuming_on_curve);
}

#[test]
fn second_group() {
    let points = prop_oneof![2 => multiples::<G2Affine>(), 1 => stranger_2()];
    group::<_, Second>(3, points, G2Affine::is_in_correct_subgroup_assuming_on_curve);
}

#[test]
fn scalars_below_the_order() {
    let order = BigUint::from_bytes_le(&Fr::MODULUS.to_bytes_le());
    let below = |scalar: &BigUint| is_on(&operations::is_scalar(evaluator(), &number(&scalar.to_bytes_le())));
    assert!(below(&0u32.into()) && below(&(&order - 1u32)));
    assert!(!below(&order) && !below(&(&order + 1u32)) && !below(&((BigUint::from(1u32) << 256) - 1u32)));
}

/// Compressed points of the group, of the curve alone, and of nothing.
fn decompresses<P, G>(cases: u32, points: impl Strategy<Value = P> + Clone, width: usize)
where
    P: AffineRepr<ScalarField = Fr> + CanonicalSerialize + CanonicalDeserialize,
    G: Group<Indexed>,
{
    let e = evaluator();
    let agree = |encoding: &[u8]| {
        let read: Read<_, G> = operations::decompress(e, &little::<P>(encoding));
        let expected = P::deserialize_compressed(encoding).ok();
        let valid = is_on(&read.on_curve) && is_on(&read.is_member(e));
        assert_eq!(valid, expected.is_some(), "{encoding:x?}");
        if let Some(expected) = expected {
            assert_eq!(big::<P>(&read.write(e)), long(&expected), "{encoding:x?}");
        }
    };
    check(cases, (points, 0..8u8), |(p, flags)| {
        let good = short(&p);
        agree(&good);
        let mut other = good;
        other[0] = other[0] & 0x1f | flags << 5;
        agree(&other);
    });
    for first in [0x80, 0xa0, 0xc0, 0xe0, 0x40, 0x00, 0x9f] {
        let mut encoding = vec![0; width];
        encoding[0] = first;
        agree(&encoding);
        encoding[width - 1] = 1;
        agree(&encoding);
    }
    // The modulus, and below it.
    for below in [0u32, 1, 2] {
        let x = BigUint::from_bytes_le(&Fq::MODULUS.to_bytes_le()) - below;
        let mut encoding = x.to_bytes_be();
        encoding[0] |= 0x80;
        encoding.resize(width, 0);
        agree(&encoding);
    }
}

#[test]
fn first_group_decompressed() {
    decompresses::<G1Affine, First>(8, prop_oneof![2 => multiples(), 1 => stranger_1()], 48);
}

#[test]
fn second_group_decompressed() {
    decompresses::<G2Affine, Second>(3, prop_oneof![2 => multiples(), 1 => stranger_2()], 96);
}

/// Points with flags, beyond the modulus and off the curve.
#[test]
fn encodings_of_points() {
    let e = evaluator();
    let on = |bytes: &[u8]| {
        if bytes.len() == 96 {
            is_on(&operations::read::<_, First>(e, &little::<G1Affine>(bytes)).on_curve)
        } else {
            is_on(&operations::read::<_, Second>(e, &little::<G2Affine>(bytes)).on_curve)
        }
    };
    let modulus = BigUint::from_bytes_le(&Fq::MODULUS.to_bytes_le());
    for good in [long(&G1Affine::generator()), long(&G2Affine::generator())] {
        assert!(on(&good));
        for coordinate in 0..good.len() / 48 {
            let range = 48 * coordinate..48 * coordinate + 48;
            let x = BigUint::from_bytes_be(&good[range.clone()]);
            for wrong in [&x + &modulus, modulus.clone(), &modulus + 1u32, &x + 1u32] {
                let mut bytes = good.clone();
                let wrong = wrong.to_bytes_be();
                bytes[range.clone()].fill(0);
                bytes[range.end - wrong.len()..range.end].copy_from_slice(&wrong);
                assert!(!on(&bytes), "coordinate {coordinate}");
            }
        }
        for flags in 1..8 {
            let mut bytes = good.clone();
            bytes[0] |= flags << 5;
            assert!(!on(&bytes), "{flags}");
            let mut infinity = vec![0; good.len()];
            infinity[0] = flags << 5;
            assert_eq!(on(&infinity), flags == 2, "{flags}");
            infinity[good.len() - 1] = 1;
            assert!(!on(&infinity), "{flags}");
        }
        assert!(!on(&vec![0; good.len()]));
    }
    // x = 0 is that of a point of the first curve, of order three, but no library reads it.
    let mut small = vec![0; 96];
    small[95] = 2;
    assert!(!on(&small));
}

/// The exact value; ark's is also the textbook pairing to the third power.
#[test]
fn pairings() {
    let e = evaluator();
    let pairs = proptest::collection::vec((multiples::<G1Affine>(), multiples::<G2Affine>()), 0..3);
    check(2, pairs, |pairs| {
        let ours: Vec<_> = pairs
            .iter()
            .map(|(p, q)| {
                let p = operations::read::<_, First>(e, &little::<G1Affine>(&long(p)));
                (p, operations::read::<_, Second>(e, &little::<G2Affine>(&long(q))))
            })
            .collect();
        let product = operations::pairing(e, &ours);
        let expected =
            Bls12_381::multi_pairing(pairs.iter().map(|pair| pair.0), pairs.iter().map(|pair| pair.1));
        let part = |part: &Number<Indexed, 6>| Fq::from_le_bytes_mod_order(&bytes(part));
        let two = |[real, imaginary]: &Pair<Indexed, 6>| Fq2::new(part(real), part(imaginary));
        let [a, b, c, d, x, f] = product.each_ref().map(two);
        assert_eq!(Fq12::new(Fq6::new(a, c, x), Fq6::new(b, d, f)), expected.0);
    });
}
