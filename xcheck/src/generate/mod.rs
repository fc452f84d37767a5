//! Deterministic generators of cases.

pub mod body;
pub mod bundle;
pub mod calls;
pub mod code;
pub mod drill;
pub mod fault;
pub mod handmade;
pub mod loader;
pub mod opcodes;
pub mod own;
pub mod random;
pub mod small;
pub mod spl;
pub mod system;
pub mod thorough;

use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use svmllm::host::Version;

use crate::case::CaseId;

/// The generator of one case, independent of every other suite, seed and index.
pub fn rng(suite: &str, seed: u64, index: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    for (slot, byte) in key[8..].iter_mut().zip(suite.bytes()) {
        *slot = byte;
    }
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(index);
    rng
}

/// The generator of a case of a version.
fn stream(version: Version, id: CaseId) -> ChaCha8Rng {
    rng(id.suite, id.seed, (version as u64) << 48 | id.index)
}

/// Values at which 64-bit and 32-bit arithmetic turns.
pub const EDGES: [u64; 16] = [
    0,
    1,
    2,
    u64::MAX,
    u64::MAX - 1,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_ffff,
    0x1_0000_0000,
    0xffff_ffff_0000_0000,
    0xffff_ffff_8000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x8000_0000_0000_0001,
    0x0123_4567_89ab_cdef,
];

/// Immediates at which arithmetic turns.
pub const IMMEDIATE_EDGES: [i32; 16] = [
    0,
    1,
    2,
    -1,
    -2,
    i32::MAX,
    i32::MAX - 1,
    i32::MIN,
    i32::MIN + 1,
    0x7f,
    0x80,
    -0x80,
    0xffff,
    0x1_0000,
    -0x1_0000,
    0x1234_5678,
];

/// A 64-bit value, more often than not near an edge.
pub fn value(rng: &mut impl Rng) -> u64 {
    match rng.random_range(0..8) {
        0..=2 => *EDGES.choose(rng).expect("edges"),
        3 => (1_u64 << rng.random_range(0..64)).wrapping_add_signed(rng.random_range(-1..=1)),
        4 => rng.random_range(0..256),
        5 => i64::from(rng.random::<i32>()) as u64,
        6 => u64::from(rng.random::<u32>()),
        _ => rng.random(),
    }
}

/// An immediate, more often than not near an edge.
pub fn immediate(rng: &mut impl Rng) -> i32 {
    match rng.random_range(0..4) {
        0 => *IMMEDIATE_EDGES.choose(rng).expect("edges"),
        1 => (1_i32 << rng.random_range(0..31)).wrapping_add(rng.random_range(-1..=1)),
        2 => rng.random_range(-128..128),
        _ => rng.random(),
    }
}

/// An offset of a memory instruction.
pub fn offset(rng: &mut impl Rng) -> i16 {
    match rng.random_range(0..4) {
        0 => 0,
        1 => *[1, -1, 7, -8, i16::MAX, i16::MIN, 0x7f, -0x80].choose(rng).expect("offsets"),
        2 => rng.random_range(-64..64),
        _ => rng.random(),
    }
}

/// Random bytes.
pub fn bytes(rng: &mut impl Rng, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    rng.fill_bytes(&mut bytes);
    bytes
}
