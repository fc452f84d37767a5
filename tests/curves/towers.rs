//! The extensions of degree two, six and twelve of BN254 and BLS12-381, against ark.

use crate::{bytes, check, evaluator, is_on, number};
use ark_ff::{BigInteger, CyclotomicMultSubgroup, Field as _, One, PrimeField, Zero};
use proptest::prelude::*;
use svmllm::{
    alu::field::{Field as _, Pair, Prime, Quadratic},
    syscalls::curves::sextic::{Element, Sextic},
    tables::{Indexed, numbers::NumberSet},
};

/// An element of a prime field as numbers that stand for it: itself, or some multiples of the modulus above.
fn representative<F: PrimeField>(x: &F, multiples: u64, capacity: usize) -> Vec<u8> {
    let modulus = num_bigint::BigUint::from_bytes_le(&F::MODULUS.to_bytes_le());
    let number = num_bigint::BigUint::from_bytes_le(&x.into_bigint().to_bytes_le());
    let higher = &number + modulus * multiples;
    if higher.bits() as usize <= capacity { higher.to_bytes_le() } else { number.to_bytes_le() }
}

/// Elements of a prime field: edges, and any.
fn base<F: PrimeField>() -> impl Strategy<Value = F> + Clone {
    let edges = [F::zero(), F::one(), -F::one(), F::from(2u64), -F::from(2u64), F::from(u64::MAX)];
    prop_oneof![
        1 => proptest::sample::select(edges.to_vec()),
        3 => proptest::collection::vec(any::<u8>(), 64).prop_map(|bytes| F::from_le_bytes_mod_order(&bytes)),
    ]
}

/// The tests of one curve's extensions.
macro_rules! tower {
    ($name:ident, $ark:ident, $words:literal, $prime:ident, $real:literal, $set:ident) => {
        mod $name {
            use super::*;
            use svmllm::alu::field::$prime as P;
            use $ark::{Fq, Fq2, Fq6, Fq12};

            const PRIME: Prime<$words> = P;
            const PAIRS: Quadratic<$words> = Quadratic(P);

            fn sextic() -> Sextic<Indexed, $words> {
                Sextic::new(evaluator(), PAIRS, $real, NumberSet::$set)
            }

            fn ours(x: &Fq2, multiples: u64) -> Pair<Indexed, $words> {
                [x.c0, x.c1].map(|part| number(&representative(&part, multiples, 64 * $words)))
            }

            fn theirs([real, imaginary]: &Pair<Indexed, $words>) -> Fq2 {
                let part = |part| Fq::from_le_bytes_mod_order(&bytes(part));
                Fq2::new(part(real), part(imaginary))
            }

            /// The coefficients of 1, w, ..., w^5.
            fn coefficients(x: &Fq12) -> [Fq2; 6] {
                [x.c0.c0, x.c1.c0, x.c0.c1, x.c1.c1, x.c0.c2, x.c1.c2]
            }

            fn element(x: &Fq12, multiples: u64) -> Element<Indexed, $words> {
                coefficients(x).map(|part| ours(&part, multiples))
            }

            fn read(x: &Element<Indexed, $words>) -> Fq12 {
                let [a, b, c, d, e, f] = x.each_ref().map(theirs);
                Fq12::new(Fq6::new(a, c, e), Fq6::new(b, d, f))
            }

            fn two() -> impl Strategy<Value = Fq2> + Clone {
                (base::<Fq>(), base::<Fq>()).prop_map(|(real, imaginary)| Fq2::new(real, imaginary))
            }

            fn six() -> impl Strategy<Value = Fq6> + Clone {
                (two(), two(), two()).prop_map(|(a, b, c)| Fq6::new(a, b, c))
            }

            fn twelve() -> impl Strategy<Value = Fq12> + Clone {
                (six(), six()).prop_map(|(a, b)| Fq12::new(a, b))
            }

            #[test]
            fn pairs() {
                let e = evaluator();
                check(40, (two(), two(), two(), two(), 0..4u64), |(a, b, c, d, k)| {
                    let [x, y, z, w] = [a, b, c, d].map(|element| ours(&element, k));
                    assert_eq!(theirs(&PAIRS.multiply(e, &x, &y)), a * b);
                    assert_eq!(theirs(&PAIRS.square(e, &x)), a.square());
                    assert_eq!(theirs(&PAIRS.dot(e, &[(&x, &y), (&z, &w)])), a * b + c * d);
                    assert_eq!(theirs(&PAIRS.dot(e, &[(&x, &y), (&z, &w), (&w, &w)])), a * b + c * d + d * d);
                    assert_eq!(theirs(&PAIRS.sum(e, &[&x, &y], &[&z])), a + b - c);
                    assert_eq!(theirs(&PAIRS.negate(e, &x)), -a);
                    assert_eq!(theirs(&PAIRS.scale(e, &x, &y[0])), a * Fq2::new(b.c0, Fq::zero()));
                    assert_eq!(theirs(&PAIRS.conjugate(e, &x)), Fq2::new(a.c0, -a.c1));
                    assert!(is_on(&PAIRS.equal(e, &x, &ours(&a, 0))));
                    assert_eq!(is_on(&PAIRS.equal(e, &x, &y)), a == b);
                    assert_eq!(is_on(&PAIRS.is_zero(e, &x)), a == Fq2::zero());
                });
            }

            #[test]
            fn inverses_and_roots() {
                let e = evaluator();
                check(12, (two(), base::<Fq>(), 0..4u64), |(a, b, k)| {
                    let x = ours(&a, k);
                    assert_eq!(theirs(&PAIRS.invert(e, &x)), a.inverse().unwrap_or_default());
                    for square in [a, a.square(), Fq2::new(b, Fq::zero()), Fq2::new(Fq::zero(), b)] {
                        let (root, is_root) = PAIRS.root(e, &ours(&square, k));
                        assert_eq!(is_on(&is_root), square.sqrt().is_some(), "{square}");
                        if is_on(&is_root) {
                            assert_eq!(theirs(&root).square(), square);
                        }
                    }
                    let (root, is_root) = PRIME.root(e, &ours(&a, k)[0]);
                    assert_eq!(is_on(&is_root), a.c0.sqrt().is_some());
                    if is_on(&is_root) {
                        assert_eq!(Fq::from_le_bytes_mod_order(&bytes(&root)).square(), a.c0);
                    }
                });
            }

            /// Which of an element and its negative is larger, imaginary parts first.
            #[test]
            fn order() {
                let e = evaluator();
                check(40, (two(), any::<bool>()), |(a, real)| {
                    let a = if real { Fq2::new(a.c0, Fq::zero()) } else { a };
                    let larger = |x: Fq| x.into_bigint() > (-x).into_bigint();
                    let expected = if a.c1.is_zero() { larger(a.c0) } else { larger(a.c1) };
                    assert_eq!(is_on(&PAIRS.is_larger(e, &ours(&a, 0))), expected, "{a}");
                });
            }

            /// Even powers of w alone are the extension of degree six.
            #[test]
            fn sixes() {
                let (e, tower) = (evaluator(), sextic());
                check(8, (six(), six(), 0..4u64), |(a, b, k)| {
                    let [x, y] = [a, b].map(|a| element(&Fq12::new(a, Fq6::zero()), k));
                    assert_eq!(read(&tower.multiply(e, &x, &y)), Fq12::new(a * b, Fq6::zero()));
                    assert_eq!(read(&tower.square(e, &x)), Fq12::new(a.square(), Fq6::zero()));
                    let inverse = a.inverse().unwrap_or_default();
                    assert_eq!(read(&tower.invert(e, &x)), Fq12::new(inverse, Fq6::zero()));
                });
            }

            #[test]
            fn twelves() {
                let (e, tower) = (evaluator(), sextic());
                check(10, (twelve(), twelve(), 0..4u64), |(a, b, k)| {
                    let (x, y) = (element(&a, k), element(&b, k));
                    assert_eq!(read(&tower.multiply(e, &x, &y)), a * b);
                    assert_eq!(read(&tower.square(e, &x)), a.square());
                    assert_eq!(read(&tower.invert(e, &x)), a.inverse().unwrap_or_default());
                    assert_eq!(read(&tower.conjugate(e, &x)), Fq12::new(a.c0, -a.c1));
                    assert_eq!(read(&tower.frobenius(e, &x)), a.frobenius_map(1));
                    let twice = tower.frobenius(e, &tower.frobenius(e, &x));
                    assert_eq!(read(&twice), a.frobenius_map(2));
                    let xi = Fq2::new(Fq::from($real as u64), Fq::one());
                    assert_eq!(theirs(&tower.times_xi(e, &x[1])), coefficients(&a)[1] * xi);
                    let [_, c, _, d, _, f] = coefficients(&b);
                    let sparse = Fq12::new(Fq6::zero(), Fq6::new(c, d, f));
                    let terms = [(1, &y[1]), (3, &y[3]), (5, &y[5])];
                    assert_eq!(read(&tower.multiply_terms(e, &x, &terms)), a * sparse);
                    assert!(!is_on(&tower.is_one(e, &x)) || a == Fq12::one());
                    assert_eq!(read(&tower.canonical(e, &x)), a);
                });
                assert!(is_on(&tower.is_one(e, &element(&Fq12::one(), 1))));
                assert!(!is_on(&tower.is_one(e, &element(&-Fq12::one(), 0))));
            }

            /// What a final exponentiation makes of elements.
            #[test]
            fn cyclotomic() {
                let (e, tower) = (evaluator(), sextic());
                check(4, twelve().prop_filter("is not 0", |a| !a.is_zero()), |a| {
                    let easy = a.frobenius_map(6) * a.inverse().unwrap();
                    let easy = easy.frobenius_map(2) * easy;
                    let x = tower.easy_power(e, &element(&a, 0));
                    assert_eq!(read(&x), easy);
                    assert_eq!(read(&tower.cyclotomic_square(e, &x)), easy.cyclotomic_square());
                    assert_eq!(easy.cyclotomic_square(), easy.square());
                    for power in [1, 2, 3, 5, 0xd201] {
                        assert_eq!(read(&tower.cyclotomic_power(e, &x, power)), easy.pow([power as u64]));
                    }
                    assert_eq!(read(&tower.conjugate(e, &x)), easy.inverse().unwrap());
                });
            }
        }
    };
}

tower!(bn254, ark_bn254, 4, BN254, 9, Bn254);
tower!(bls12_381, ark_bls12_381, 6, BLS12_381, 1, Bls12381);
