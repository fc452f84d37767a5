//! Messages, for the tables that only hashes use.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use svmllm::deltanet::HeadsBoundary;

use super::Witness;
use crate::hashes::Function;

/// A message and the function that hashes it.
#[derive(Debug)]
pub struct Message(Function, Vec<u8>);

impl Witness for Message {
    type Outcome = Vec<u8>;

    fn run<E: HeadsBoundary>(&self, e: &E) -> Result<Vec<u8>, E::Error> {
        self.0.weights(e, &[&self.1])
    }

    fn native(&self) -> Option<Vec<u8>> {
        Some(self.0.native(&self.1))
    }
}

/// Messages of one block, enough to reach every row of a table of three digits, and one that ends in each
/// block of a chunk.
pub fn messages(seed: u64) -> Vec<Message> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut message = |length: usize| -> Vec<u8> { (0..length).map(|_| rng.random()).collect() };
    let mut messages = Vec::new();
    for _ in 0..24 {
        messages
            .extend([Function::Sha512, Function::Keccak256].map(|function| Message(function, message(64))));
    }
    messages.extend((0..16).map(|blocks| Message(Function::Blake3, message(64 * blocks + 1))));
    messages
}
