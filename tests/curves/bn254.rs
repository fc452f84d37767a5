//! The groups of BN254 and their pairing, against ark.

use crate::{all_bytes, bit, bytes, check, evaluator, is_on, number, numbers, thirty_two};
use ark_bn254::{Bn254, Fq, Fq2, Fq6, Fq12, Fr, G1Affine, G2Affine};
use ark_ec::{AffineRepr, CurveGroup, pairing::Pairing};
use ark_ff::{BigInteger, PrimeField, Zero};
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize, Compress, Validate};
use num_bigint::BigUint;
use proptest::prelude::*;
use svmllm::{
    alu::{field::Pair, wide::Number},
    syscalls::curves::{
        bn254::{self, operations},
        pairing::PointPair,
    },
    tables::Indexed,
};

type Read1 = operations::Read1<Indexed>;
type Read2 = operations::Read2<Indexed>;

fn field_bytes(x: &Fq) -> Vec<u8> {
    x.into_bigint().to_bytes_le()
}

/// x and y, or zeros at infinity.
fn encode_1(p: &G1Affine) -> Vec<u8> {
    p.xy().map_or_else(|| vec![0; 64], |(x, y)| [field_bytes(&x), field_bytes(&y)].concat())
}

fn encode_2(p: &G2Affine) -> Vec<u8> {
    let parts = |x: Fq2| [field_bytes(&x.c0), field_bytes(&x.c1)].concat();
    p.xy().map_or_else(|| vec![0; 128], |(x, y)| [parts(x), parts(y)].concat())
}

fn read_1(bytes: &[u8]) -> Read1 {
    operations::read_g1(evaluator(), &numbers(bytes).try_into().unwrap())
}

fn read_2(bytes: &[u8]) -> Read2 {
    operations::read_g2(evaluator(), &numbers(bytes).try_into().unwrap())
}

fn first() -> impl Strategy<Value = G1Affine> + Clone {
    prop_oneof![
        1 => Just(G1Affine::zero()),
        1 => Just(G1Affine::generator()),
        4 => thirty_two().prop_map(|scalar| {
            (G1Affine::generator() * Fr::from_le_bytes_mod_order(&scalar)).into_affine()
        }),
    ]
}

/// Points of the group.
fn member() -> impl Strategy<Value = G2Affine> + Clone {
    prop_oneof![
        1 => Just(G2Affine::zero()),
        4 => thirty_two().prop_map(|scalar| {
            (G2Affine::generator() * Fr::from_le_bytes_mod_order(&scalar)).into_affine()
        }),
    ]
}

/// Points of the curve, hardly any of them in the group.
fn stranger() -> impl Strategy<Value = G2Affine> + Clone {
    (any::<u64>(), any::<u64>(), any::<bool>()).prop_filter_map("is no x of a point", |(a, b, larger)| {
        G2Affine::get_point_from_x_unchecked(Fq2::new(Fq::from(a), Fq::from(b)), larger)
    })
}

#[test]
fn first_group() {
    let e = evaluator();
    check(20, (first(), first(), thirty_two()), |(p, q, scalar)| {
        let (x, y) = (read_1(&encode_1(&p)), read_1(&encode_1(&q)));
        assert!(is_on(&x.on_curve) && is_on(&y.on_curve));
        let minus = read_1(&encode_1(&-p));
        for (a, b, sum) in [(&x, &y, p + q), (&x, &x, p + p), (&x, &minus, G1Affine::zero().into_group())] {
            assert_eq!(all_bytes(&operations::add_g1(e, a, b)), encode_1(&sum.into_affine()));
        }
        let product = p.mul_bigint(scalar_limbs(&scalar)).into_affine();
        let found = operations::multiply_g1(e, &x, &number(&scalar));
        assert_eq!(all_bytes(&found), encode_1(&product), "{p} * {scalar:x?}");
    });
}

fn scalar_limbs(scalar: &[u8; 32]) -> [u64; 4] {
    let (limbs, _) = scalar.as_chunks::<8>();
    std::array::from_fn(|i| u64::from_le_bytes(limbs[i]))
}

#[test]
fn second_group() {
    let e = evaluator();
    let points = prop_oneof![member(), stranger()];
    check(5, (points.clone(), points, thirty_two()), |(p, q, scalar)| {
        let (x, y) = (read_2(&encode_2(&p)), read_2(&encode_2(&q)));
        assert!(is_on(&x.on_curve) && is_on(&y.on_curve));
        let minus = read_2(&encode_2(&-p));
        for (a, b, sum) in [(&x, &y, p + q), (&x, &x, p + p), (&x, &minus, G2Affine::zero().into_group())] {
            assert_eq!(all_bytes(&operations::add_g2(e, a, b)), encode_2(&sum.into_affine()));
        }
        assert_eq!(is_on(&operations::is_member(e, &x)), p.is_in_correct_subgroup_assuming_on_curve());
        // As long as a scalar is not reduced, the order of the point does not matter.
        let product = p.mul_bigint(scalar_limbs(&scalar)).into_affine();
        let found = operations::multiply_g2(e, &x, &number(&scalar));
        assert_eq!(all_bytes(&found), encode_2(&product), "{p} * {scalar:x?}");
    });
}

fn modulus() -> BigUint {
    BigUint::from_bytes_le(&Fq::MODULUS.to_bytes_le())
}

/// 32 bytes of a number.
fn bytes_of(number: &BigUint) -> Vec<u8> {
    let mut bytes = number.to_bytes_le();
    bytes.resize(32, 0);
    bytes
}

/// A coordinate beyond the modulus, off the curve, and every combination of the flags.
#[test]
fn encodings_of_points() {
    let p = G1Affine::generator();
    let q = G2Affine::generator();
    let on = |bytes: &[u8]| {
        if bytes.len() == 64 { is_on(&read_1(bytes).on_curve) } else { is_on(&read_2(bytes).on_curve) }
    };
    for good in [encode_1(&p), encode_2(&q)] {
        assert!(on(&good));
        for coordinate in 0..good.len() / 32 {
            let range = 32 * coordinate..32 * coordinate + 32;
            let x = BigUint::from_bytes_le(&good[range.clone()]);
            // The same residue, and the smallest numbers that are none.
            for wrong in [&x + modulus(), modulus(), modulus() + 1u32, &x + 1u32] {
                let mut bytes = good.clone();
                bytes[range.clone()].copy_from_slice(&bytes_of(&wrong));
                assert!(!on(&bytes), "coordinate {coordinate} is {wrong:x}");
            }
        }
        let last = good.len() - 1;
        for (flags, valid) in [(0x80, true), (0x40, true), (0xc0, false)] {
            let mut bytes = good.clone();
            bytes[last] |= flags;
            assert_eq!(on(&bytes), valid, "{flags:#x}");
            // Infinity, whatever the coordinates are, as long as they are some.
            let mut anything = vec![1; good.len()];
            anything[last] = flags;
            assert_eq!(on(&anything), flags == 0x40, "{flags:#x}");
            let mut zeros = vec![0; good.len()];
            zeros[last] = flags;
            assert_eq!(on(&zeros), flags == 0x40, "{flags:#x}");
        }
        assert!(on(&vec![0; good.len()]));
        // Flags belong to the highest number alone.
        for at in (31..last).step_by(32) {
            let mut bytes = good.clone();
            bytes[at] |= 0x40;
            assert!(!on(&bytes), "byte {at}");
        }
    }
    let e = evaluator();
    let mut infinite = encode_1(&p);
    infinite[63] |= 0x40;
    let sum = operations::add_g1(e, &read_1(&infinite), &read_1(&encode_1(&p)));
    assert_eq!(all_bytes(&sum), encode_1(&p));
}

fn serialized<P: CanonicalSerialize>(point: &P) -> Vec<u8> {
    let mut bytes = Vec::new();
    point.serialize_compressed(&mut bytes).unwrap();
    bytes
}

#[test]
fn compression() {
    let e = evaluator();
    check(16, (first(), prop_oneof![member(), stranger()]), |(p, q)| {
        let (x, readable) = operations::compress_g1(e, &numbers(&encode_1(&p)).try_into().unwrap());
        assert!(is_on(&readable));
        // All zeros stay zeros, where ark writes a flag.
        let expected = if p.is_zero() { vec![0; 32] } else { serialized(&p) };
        assert_eq!(bytes(&x), expected);
        let (x, readable) = operations::compress_g2(e, &numbers(&encode_2(&q)).try_into().unwrap());
        assert!(is_on(&readable));
        let expected = if q.is_zero() { vec![0; 64] } else { serialized(&q) };
        assert_eq!(all_bytes(&x), expected);
        for p in [p, -p] {
            let (found, valid) = operations::decompress_g1(e, &number(&serialized(&p)));
            assert!(is_on(&valid));
            assert_eq!(all_bytes(&found), encode_1(&p));
        }
        for q in [q, -q] {
            let (found, valid) = operations::decompress_g2(e, &numbers(&serialized(&q)).try_into().unwrap());
            assert!(is_on(&valid));
            assert_eq!(all_bytes(&found), encode_2(&q));
        }
    });
}

/// Any x, with any flags.
#[test]
fn decompression_of_anything() {
    let e = evaluator();
    check(24, (thirty_two(), thirty_two(), any::<bool>(), 0..4u8), |(mut low, mut high, small, flags)| {
        if small {
            low[31] &= 0x1f;
            high[31] &= 0x1f;
        }
        high[31] = high[31] & 0x3f | flags << 6;
        let (point, valid) = operations::decompress_g1(e, &number(&high));
        let expected = G1Affine::deserialize_with_mode(&high[..], Compress::Yes, Validate::No).ok();
        assert_eq!(is_on(&valid), expected.is_some() || high == [0; 32], "{high:x?}");
        if let Some(expected) = expected.filter(|_| is_on(&valid)) {
            assert_eq!(all_bytes(&point), encode_1(&expected), "{high:x?}");
        }
        let both = [low, high].concat();
        let (point, valid) = operations::decompress_g2(e, &numbers(&both).try_into().unwrap());
        let expected = G2Affine::deserialize_with_mode(&both[..], Compress::Yes, Validate::No).ok();
        assert_eq!(is_on(&valid), expected.is_some() || both == [0; 64], "{both:x?}");
        if let Some(expected) = expected.filter(|_| is_on(&valid)) {
            assert_eq!(all_bytes(&point), encode_2(&expected), "{both:x?}");
        }
    });
}

/// The exact value of pairings, infinity among the points.
#[test]
fn pairings() {
    let e = evaluator();
    check(2, proptest::collection::vec((first(), member()), 1..3), |pairs| {
        let ours: Vec<PointPair<Indexed, 4>> = pairs
            .iter()
            .map(|(p, q)| {
                let (p_bytes, q_bytes) = (numbers(&encode_1(p)), numbers(&encode_2(q)));
                let [x, y] = p_bytes.try_into().unwrap();
                let [a, b, c, d] = q_bytes.try_into().unwrap();
                PointPair { p: [x, y], q: [[a, b], [c, d]], skip: bit(p.is_zero() || q.is_zero()) }
            })
            .collect();
        let product = bn254::pairing(e, &ours);
        let expected = Bn254::multi_pairing(pairs.iter().map(|pair| pair.0), pairs.iter().map(|pair| pair.1));
        let part = |part: &Number<Indexed, 4>| Fq::from_le_bytes_mod_order(&bytes(part));
        let two = |[real, imaginary]: &Pair<Indexed, 4>| Fq2::new(part(real), part(imaginary));
        let [a, b, c, d, x, f] = product.each_ref().map(two);
        assert_eq!(Fq12::new(Fq6::new(a, c, x), Fq6::new(b, d, f)), expected.0);
    });
}

#[test]
fn bilinear() {
    let e = evaluator();
    let read = |p: G1Affine, q: G2Affine| (read_1(&encode_1(&p)), read_2(&encode_2(&q)));
    check(2, (thirty_two(), thirty_two()), |(a, b)| {
        let [a, b] = [a, b].map(|scalar| Fr::from_le_bytes_mod_order(&scalar));
        let (p, q) = (G1Affine::generator(), G2Affine::generator());
        let product = (p * -(a * b)).into_affine();
        let one = [read((p * a).into_affine(), (q * b).into_affine()), read(product, q)];
        assert!(is_on(&operations::check_pairing(e, &one)));
        let other = [read((p * (a + Fr::from(1u64))).into_affine(), (q * b).into_affine()), read(product, q)];
        assert_eq!(is_on(&operations::check_pairing(e, &other)), b.is_zero());
    });
    assert!(is_on(&operations::check_pairing(e, &[])));
    let nothing =
        [read(G1Affine::zero(), G2Affine::generator()), read(G1Affine::generator(), G2Affine::zero())];
    assert!(is_on(&operations::check_pairing(e, &nothing)));
}
