//! Keys of functions and syscalls.

/// The 32-bit key of a name: MurmurHash3 (x86, 32 bits) with seed 0.
///
/// A syscall is called by the hash of its name; the ELF loader keys an internal function by the hash
/// of its slot number, eight bytes little-endian.
pub fn symbol_hash(name: &[u8]) -> u32 {
    let (blocks, tail) = name.as_chunks::<4>();
    let mut hash = 0u32;
    for block in blocks {
        hash ^= scramble(u32::from_le_bytes(*block));
        hash = hash.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    let last = tail.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
    hash ^= scramble(last);

    hash ^= name.len() as u32;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

fn scramble(word: u32) -> u32 {
    word.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_keys() {
        assert_eq!(symbol_hash(b""), 0);
        assert_eq!(symbol_hash(b"abort"), 0xb6fc_1a11);
        assert_eq!(symbol_hash(b"sol_log_"), 0x2075_59bd);
        assert_eq!(symbol_hash(b"entrypoint"), 0x71e3_cf81);
    }
}
