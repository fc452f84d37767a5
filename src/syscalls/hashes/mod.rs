//! The hash functions of the syscalls: SHA-256, SHA-512, Keccak-256 and BLAKE3.
//!
//! The function of one block of each is a straight-line circuit. What feeds it is a [`Hasher`]: bytes
//! are staged in a page of memory and counted in the weights, and the driver observes only single bits,
//! such as whether they make a block.

pub mod blake3;
mod buffer;
pub mod keccak;
mod sha2;
pub mod sha256;
pub mod sha512;

use crate::{
    machine::Lazy,
    tables::{Word, alphabet::Nibble},
};

pub use blake3::Blake3;
pub use keccak::Keccak256;
pub use sha256::Sha256;
pub use sha512::Sha512;

/// A hash of bytes that come a word at a time.
pub trait Hasher<S: Lazy>: Sized {
    /// The digest's words as they go to memory, the first byte in the two lowest lanes of the first.
    type Digest: AsRef<[Word<S>]>;
    /// Words of the digest.
    const WORDS: usize;

    /// The hash of nothing yet.
    fn new(e: &S) -> Self;

    /// Takes in the low bytes of `bytes`, as many as `count` says: 0 to 8. Fewer than 2^61 are taken in
    /// all.
    ///
    /// # Errors
    /// An observed activation is not one-hot.
    fn update(&mut self, e: &S, bytes: &Word<S>, count: &S::Digit<Nibble>) -> Result<(), S::Error>;

    /// The digest of what was taken in.
    ///
    /// # Errors
    /// An observed activation is not one-hot.
    fn finish(self, e: &S) -> Result<Self::Digest, S::Error>;
}

#[cfg(test)]
mod tests;
