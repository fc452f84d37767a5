//! Towers, curves, pairings and Poseidon on the weights, against the libraries that compute them natively.
//!
//! Everything runs on rows; the layers below are tested on tensors too, where fields are.

mod bls12_381;
mod bn254;
mod curve25519;
mod poseidon;
mod secp256k1;
mod towers;

use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use std::{fmt::Debug, sync::LazyLock};
use svmllm::{
    alu::wide::Number,
    tables::{Boundary, Evaluator, Indexed, Weights, alphabet::Bit},
};

static EVALUATOR: LazyLock<Indexed> = LazyLock::new(|| Indexed::new(&Weights::generate()).unwrap());

/// The weights on rows.
fn evaluator() -> &'static Indexed {
    &EVALUATOR
}

/// Runs a property on so many values of a strategy, the same ones every time.
fn check<S: Strategy>(cases: u32, strategy: S, property: impl Fn(S::Value))
where
    S::Value: Debug,
{
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let outcome = TestRunner::new_with_rng(config, rng).run(&strategy, |value| {
        property(value);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

/// The number that bytes of the little order are; those that are missing are 0.
fn number<const N: usize>(bytes: &[u8]) -> Number<Indexed, N> {
    let mut padded = bytes.to_vec();
    padded.resize(8 * N, 0);
    std::array::from_fn(|i| EVALUATOR.embed(u64::from_le_bytes(padded[8 * i..8 * i + 8].try_into().unwrap())))
}

/// Several numbers, one after the other.
fn numbers<const N: usize>(bytes: &[u8]) -> Vec<Number<Indexed, N>> {
    bytes.chunks(8 * N).map(number).collect()
}

/// The bytes of a number in the little order.
fn bytes<const N: usize>(number: &Number<Indexed, N>) -> Vec<u8> {
    number.iter().flat_map(|word| EVALUATOR.read_out(word).unwrap().to_le_bytes()).collect()
}

/// The bytes of numbers, one after the other.
fn all_bytes<const N: usize>(numbers: &[Number<Indexed, N>]) -> Vec<u8> {
    numbers.iter().flat_map(bytes).collect()
}

fn is_on(bit: &<Indexed as Evaluator>::Digit<Bit>) -> bool {
    EVALUATOR.read_digit::<Bit>(bit).unwrap() == 1
}

fn bit(on: bool) -> <Indexed as Evaluator>::Digit<Bit> {
    EVALUATOR.embed_digit::<Bit>(usize::from(on))
}

/// The other order of bytes, in chunks.
fn flip(bytes: &[u8], width: usize) -> Vec<u8> {
    bytes.chunks(width).flat_map(|chunk| chunk.iter().rev().copied()).collect()
}

/// 32 bytes, among them small numbers and those with all bits on.
fn thirty_two() -> impl Strategy<Value = [u8; 32]> + Clone {
    let edges: Vec<[u8; 32]> = [0u8, 1, 2, 3, 0x10, 0xff]
        .into_iter()
        .flat_map(|low| {
            let mut small = [0; 32];
            small[0] = low;
            let mut high = [0xff; 32];
            high[0] = low;
            [small, high]
        })
        .collect();
    prop_oneof![4 => any::<[u8; 32]>(), 1 => proptest::sample::select(edges)]
}
