//! Poseidon over the scalar field of BN254, against light-poseidon.

use crate::{bytes, check, evaluator, is_on, number, thirty_two};
use ark_bn254::Fr;
use ark_ff::{BigInteger, One, PrimeField, Zero};
use light_poseidon::{Poseidon, PoseidonHasher};
use svmllm::syscalls::curves::poseidon;

fn agree(inputs: &[Fr]) {
    let ours: Vec<_> = inputs.iter().map(|input| number(&input.into_bigint().to_bytes_le())).collect();
    let expected = Poseidon::<Fr>::new_circom(inputs.len()).unwrap().hash(inputs).unwrap();
    let found = bytes(&poseidon::hash(evaluator(), &ours));
    assert_eq!(found, expected.into_bigint().to_bytes_le(), "{inputs:?}");
}

#[test]
fn every_width() {
    for count in 1..=12u64 {
        agree(&(0..count).map(|k| Fr::from(k + 1)).collect::<Vec<_>>());
        agree(&(0..count).map(|k| if k % 2 == 0 { -Fr::one() } else { Fr::zero() }).collect::<Vec<_>>());
    }
}

#[test]
fn any_elements() {
    check(8, [thirty_two(), thirty_two(), thirty_two()], |inputs| {
        agree(&inputs.map(|input| Fr::from_le_bytes_mod_order(&input)));
    });
}

#[test]
fn takes_what_is_below_the_order() {
    let order = num_bigint::BigUint::from_bytes_le(&Fr::MODULUS.to_bytes_le());
    let input =
        |input: num_bigint::BigUint| is_on(&poseidon::is_input(evaluator(), &number(&input.to_bytes_le())));
    assert!(input(0u32.into()) && input(1u32.into()) && input(&order - 1u32));
    assert!(!input(order.clone()) && !input(&order + 1u32) && !input(&order * 2u32));
    assert!(!input((num_bigint::BigUint::from(1u32) << 256) - 1u32));
}
