//! The hash functions, by the weights and by the crates that compute them natively.

use sha2::Digest as _;
use svmllm::{
    deltanet::HeadsBoundary,
    syscalls::hashes::{Blake3, Hasher, Keccak256, Sha256, Sha512, blake3, keccak, sha256, sha512},
    tables::{Indexed, Word},
};

/// A hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// SHA-256.
    Sha256,
    /// SHA-512.
    Sha512,
    /// Keccak-256.
    Keccak256,
    /// BLAKE3.
    Blake3,
}

impl Function {
    /// Every function.
    pub const ALL: [Self; 4] = [Self::Sha256, Self::Sha512, Self::Keccak256, Self::Blake3];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sha256 => "sha256",
            Self::Sha512 => "sha512",
            Self::Keccak256 => "keccak256",
            Self::Blake3 => "blake3",
        }
    }

    /// Bytes of a block.
    pub fn block(self) -> usize {
        match self {
            Self::Sha256 | Self::Blake3 => 64,
            Self::Sha512 => 128,
            Self::Keccak256 => 136,
        }
    }

    /// The digest by the function's crate.
    pub fn native(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha256 => sha2::Sha256::digest(bytes).to_vec(),
            Self::Sha512 => sha2::Sha512::digest(bytes).to_vec(),
            Self::Keccak256 => sha3::Keccak256::digest(bytes).to_vec(),
            Self::Blake3 => ::blake3::hash(bytes).as_bytes().to_vec(),
        }
    }

    /// The digest of some slices, one behind the other, by the weights.
    ///
    /// # Errors
    /// An activation is not one-hot.
    pub fn weights<E: HeadsBoundary>(self, e: &E, slices: &[&[u8]]) -> Result<Vec<u8>, E::Error> {
        match self {
            Self::Sha256 => digest::<E, Sha256<E>>(e, slices),
            Self::Sha512 => digest::<E, Sha512<E>>(e, slices),
            Self::Keccak256 => digest::<E, Keccak256<E>>(e, slices),
            Self::Blake3 => digest::<E, Blake3<E>>(e, slices),
        }
    }

    /// Something that computes one block more each time it is called.
    pub fn blocks(self, e: &Indexed) -> Box<dyn FnMut() + '_> {
        fn words<const N: usize>(e: &Indexed) -> [Word<Indexed>; N] {
            use svmllm::tables::Boundary;
            std::array::from_fn(|i| e.embed(0x9e37_79b9_7f4a_7c15u64.rotate_left(i as u32)))
        }
        match self {
            Self::Sha256 => {
                let (mut state, block) = (sha256::start(e), words(e));
                Box::new(move || state = sha256::compress(e, &state, &block))
            }
            Self::Sha512 => {
                let (mut state, block) = (sha512::start(e), words(e));
                Box::new(move || state = sha512::compress(e, &state, &block))
            }
            Self::Keccak256 => {
                let (mut state, block) = (words(e), words(e));
                Box::new(move || state = keccak::absorb(e, &state, &block))
            }
            Self::Blake3 => {
                use svmllm::tables::Evaluator;
                let (mut value, block) = (blake3::start(e), words(e));
                let [counter, length] = words(e);
                let flags = e.digit::<svmllm::tables::alphabet::Nibble, 0>();
                Box::new(move || value = blake3::compress(e, &value, &block, &counter, &length, &flags))
            }
        }
    }
}

fn digest<E: HeadsBoundary, H: Hasher<E>>(e: &E, slices: &[&[u8]]) -> Result<Vec<u8>, E::Error> {
    let mut hasher = H::new(e);
    for bytes in slices.iter().flat_map(|slice| slice.chunks(8)) {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        hasher.update(e, &e.embed(u64::from_le_bytes(word)), &e.embed_digit(bytes.len()))?;
    }
    let mut bytes = Vec::new();
    for word in hasher.finish(e)?.as_ref() {
        bytes.extend(e.read_out(word)?.to_le_bytes());
    }
    Ok(bytes)
}
