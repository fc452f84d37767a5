//! The 32-bit keys that `call` instructions carry.

/// The key of a syscall or function name.
pub fn symbol_key(name: &[u8]) -> u32 {
    murmur3_32(name)
}

/// The key of an internal function of versions 0 to 2: its slot, hashed as eight little-endian bytes.
pub fn pc_key(pc: usize) -> u32 {
    murmur3_32(&(pc as u64).to_le_bytes())
}

/// MurmurHash3_x86_32 with seed 0.
fn murmur3_32(bytes: &[u8]) -> u32 {
    let (blocks, tail) = bytes.as_chunks::<4>();
    let mut hash = blocks.iter().fold(0u32, |hash, block| {
        (hash ^ scramble(*block)).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64)
    });
    if !tail.is_empty() {
        let mut padded = [0; 4];
        padded[..tail.len()].copy_from_slice(tail);
        hash ^= scramble(padded);
    }
    // The algorithm defines the length modulo 2^32.
    hash ^= bytes.len() as u32;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

fn scramble(block: [u8; 4]) -> u32 {
    u32::from_le_bytes(block).wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_vectors() {
        // From the table of the algorithm's Wikipedia page and from SMHasher, seed 0.
        for (bytes, hash) in [
            (&b""[..], 0),
            (b"test", 0xba6b_d213),
            (b"Hello, world!", 0xc036_3e43),
            (b"The quick brown fox jumps over the lazy dog", 0x2e4f_f723),
        ] {
            assert_eq!(murmur3_32(bytes), hash);
        }
    }

    #[test]
    fn keys_that_deployed_programs_carry() {
        assert_eq!(symbol_key(b"entrypoint"), 0x71e3_cf81);
        assert_eq!(symbol_key(b"abort"), 0xb6fc_1a11);
        assert_eq!(pc_key(0), murmur3_32(&[0; 8]));
    }
}
