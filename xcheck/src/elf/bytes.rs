//! Little-endian numbers in files that may be broken.

/// The `width`-byte number at `at`; bytes behind the end count as zeros.
pub fn get(bytes: &[u8], at: usize, width: usize) -> u64 {
    (0..width).rev().fold(0, |value, i| value << 8 | u64::from(bytes.get(at + i).copied().unwrap_or(0)))
}

/// Overwrites the `width`-byte number at `at`; what would lie behind the end is dropped.
pub fn put(bytes: &mut [u8], at: usize, width: usize, value: u64) {
    for (byte, new) in bytes.iter_mut().skip(at).take(width).zip(value.to_le_bytes()) {
        *byte = new;
    }
}

/// Where the fields of the file header and of the tables' records are, and how long they are.
pub mod field {
    /// Offset in the record and width in bytes.
    pub type Field = (usize, usize);

    pub const HEADER_SIZE: usize = 64;
    pub const SEGMENT_SIZE: usize = 56;
    pub const SECTION_SIZE: usize = 64;

    /// Fields of the file header, the 16 bytes of the identification one by one.
    pub const HEADER: [Field; 29] = [
        (0, 1),
        (1, 1),
        (2, 1),
        (3, 1),
        (4, 1),
        (5, 1),
        (6, 1),
        (7, 1),
        (8, 1),
        (9, 1),
        (10, 1),
        (11, 1),
        (12, 1),
        (13, 1),
        (14, 1),
        (15, 1),
        (16, 2),
        (18, 2),
        (20, 4),
        (24, 8),
        (32, 8),
        (40, 8),
        (48, 4),
        (52, 2),
        (54, 2),
        (56, 2),
        (58, 2),
        (60, 2),
        (62, 2),
    ];
    pub const OS_ABI: Field = (7, 1);
    pub const KIND: Field = (16, 2);
    pub const MACHINE: Field = (18, 2);
    pub const ENTRY: Field = (24, 8);
    pub const SEGMENTS: Field = (32, 8);
    pub const SECTIONS: Field = (40, 8);
    pub const FLAGS: Field = (48, 4);
    pub const SEGMENT_COUNT: Field = (56, 2);
    pub const SECTION_COUNT: Field = (60, 2);
    pub const NAMES_INDEX: Field = (62, 2);

    pub const SEGMENT: [Field; 8] = [(0, 4), (4, 4), (8, 8), (16, 8), (24, 8), (32, 8), (40, 8), (48, 8)];
    pub const P_KIND: Field = SEGMENT[0];
    pub const P_ADDRESS: Field = SEGMENT[3];
    pub const P_FILE_SIZE: Field = SEGMENT[5];
    pub const P_MEMORY_SIZE: Field = SEGMENT[6];

    pub const SECTION: [Field; 10] =
        [(0, 4), (4, 4), (8, 8), (16, 8), (24, 8), (32, 8), (40, 4), (44, 4), (48, 8), (56, 8)];
    pub const S_NAME: Field = SECTION[0];
    pub const S_KIND: Field = SECTION[1];
    pub const S_FLAGS: Field = SECTION[2];
    pub const S_ADDRESS: Field = SECTION[3];
    pub const S_OFFSET: Field = SECTION[4];
    pub const S_SIZE: Field = SECTION[5];

    pub const SYMBOL: [Field; 6] = [(0, 4), (4, 1), (5, 1), (6, 2), (8, 8), (16, 8)];
    /// Both a dynamic entry and a relocation are two numbers, of which the second one may be two halves.
    pub const PAIR: [Field; 4] = [(0, 8), (8, 8), (8, 4), (12, 4)];
    /// Opcode, registers, offset, immediate of an instruction slot.
    pub const SLOT: [Field; 4] = [(0, 1), (1, 1), (2, 2), (4, 4)];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_cut_at_the_end() {
        let mut bytes = [0; 4];
        put(&mut bytes, 2, 4, 0x0403_0201);
        assert_eq!(bytes, [0, 0, 1, 2]);
        assert_eq!(get(&bytes, 1, 8), 0x02_0100);
    }
}
