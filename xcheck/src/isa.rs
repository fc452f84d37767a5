//! The instruction sets, as data for generators and coverage.

use std::sync::LazyLock;

use svmllm::host::Version;

use crate::case::PROGRAM_ADDRESS;

/// Size of one instruction slot in bytes.
pub const SLOT: usize = 8;

/// What an instruction's operands are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A 64-bit immediate in two slots.
    Lddw,
    /// Register from memory; the number is the size in bytes.
    Load(u64),
    /// Memory from an immediate.
    StoreImm(u64),
    /// Memory from a register.
    StoreReg(u64),
    /// Arithmetic with an immediate that may be anything.
    AluImm,
    /// Arithmetic with a register that may hold anything.
    AluReg,
    /// A shift by an immediate below the number given.
    ShiftImm(i32),
    /// A shift by a register.
    ShiftReg,
    /// Division or remainder by an immediate, which must not be zero.
    DivideImm,
    /// Division or remainder by a register; the number is the width in bits.
    DivideReg(u32),
    /// Arithmetic on one register.
    Negate,
    /// Byte order, with the width as the immediate.
    Endian,
    /// An unconditional jump.
    Jump,
    /// A conditional jump that compares with an immediate.
    BranchImm,
    /// A conditional jump that compares two registers.
    BranchReg,
    /// A call by key.
    Call,
    /// A call by address.
    Callx,
    /// Return, or the end.
    Exit,
}

/// An opcode with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opcode {
    /// The first byte of the slot.
    pub code: u8,
    /// A name such as `add64_imm`.
    pub name: String,
    /// What its operands are.
    pub kind: Kind,
}

/// Every version.
pub const VERSIONS: [Version; 4] = [Version::V0, Version::V1, Version::V2, Version::V3];

/// All opcodes of a version.
pub fn opcodes(version: Version) -> &'static [Opcode] {
    static TABLES: LazyLock<[Vec<Opcode>; 4]> = LazyLock::new(|| VERSIONS.map(table));
    &TABLES[version as usize]
}

/// Finds an opcode by its byte.
pub fn find(version: Version, code: u8) -> Option<&'static Opcode> {
    static BY_CODE: LazyLock<[[Option<&'static Opcode>; 256]; 4]> = LazyLock::new(|| {
        VERSIONS.map(|version| {
            let mut by_code = [None; 256];
            for opcode in opcodes(version) {
                by_code[usize::from(opcode.code)] = Some(opcode);
            }
            by_code
        })
    });
    BY_CODE[version as usize][usize::from(code)]
}

/// Finds an opcode by its name.
///
/// # Panics
///
/// Panics if there is no such opcode.
pub fn named(version: Version, name: &str) -> &'static Opcode {
    opcodes(version)
        .iter()
        .find(|opcode| opcode.name == name)
        .unwrap_or_else(|| panic!("no opcode {name} in {version:?}"))
}

/// Whether frames have gaps between them.
pub fn has_gaps(version: Version) -> bool {
    version == Version::V0
}

/// Whether the program moves its frame pointer itself.
pub fn moves_frame_pointer(version: Version) -> bool {
    matches!(version, Version::V1 | Version::V2)
}

/// Where the read-only data starts.
pub fn data_address(version: Version) -> u64 {
    if version == Version::V3 { 0 } else { PROGRAM_ADDRESS }
}

/// Encodes a call through a register.
pub fn encode_callx(version: Version, register: u8) -> [u8; SLOT] {
    let code = named(version, "callx").code;
    match version {
        Version::V0 | Version::V1 => encode(code, 0, 0, 0, register.into()),
        Version::V2 => encode(code, 0, register, 0, 0),
        Version::V3 => encode(code, register, 0, 0, 0),
    }
}

/// Encodes the load of a 64-bit constant: one instruction of two slots or, in version 2, two.
pub fn encode_constant(version: Version, dst: u8, value: u64) -> [[u8; SLOT]; 2] {
    let (low, high) = (value as i32, (value >> 32) as i32);
    let (first, second) = match version {
        Version::V2 => ((named(version, "mov32_imm").code, dst), (named(version, "hor64_imm").code, dst)),
        _ => ((named(version, "lddw").code, dst), (0, 0)),
    };
    [encode(first.0, first.1, 0, 0, low), encode(second.0, second.1, 0, 0, high)]
}

/// Conditional jumps, by the high digit of the opcode.
const BRANCHES: [(u8, &str); 11] = [
    (0x10, "jeq"),
    (0x20, "jgt"),
    (0x30, "jge"),
    (0x40, "jset"),
    (0x50, "jne"),
    (0x60, "jsgt"),
    (0x70, "jsge"),
    (0xa0, "jlt"),
    (0xb0, "jle"),
    (0xc0, "jslt"),
    (0xd0, "jsle"),
];

fn table(version: Version) -> Vec<Opcode> {
    let mut table = Vec::new();
    let mut add = |code: u8, name: String, kind: Kind| table.push(Opcode { code, name, kind });
    let reencoded = version == Version::V2;

    if reencoded {
        for (mode, suffix, size) in [(0x20, "b", 1), (0x30, "h", 2), (0x80, "w", 4), (0x90, "dw", 8)] {
            add(0x0c | mode, format!("ldx{suffix}"), Kind::Load(size));
            add(0x07 | mode, format!("st{suffix}"), Kind::StoreImm(size));
            add(0x0f | mode, format!("stx{suffix}"), Kind::StoreReg(size));
        }
        add(0xf7, "hor64_imm".into(), Kind::AluImm);
        for (operation, name, widths) in [
            (0x20, "uhmul", &[64][..]),
            (0x40, "udiv", &[32, 64]),
            (0x60, "urem", &[32, 64]),
            (0x80, "lmul", &[32, 64]),
            (0xa0, "shmul", &[64]),
            (0xc0, "sdiv", &[32, 64]),
            (0xe0, "srem", &[32, 64]),
        ] {
            for &bits in widths {
                let code = 0x06 | operation | if bits == 64 { 0x10 } else { 0 };
                let (immediate, register) = match name {
                    "uhmul" | "lmul" | "shmul" => (Kind::AluImm, Kind::AluReg),
                    _ => (Kind::DivideImm, Kind::DivideReg(bits)),
                };
                add(code, format!("{name}{bits}_imm"), immediate);
                add(code | 0x08, format!("{name}{bits}_reg"), register);
            }
        }
    } else {
        add(0x18, "lddw".into(), Kind::Lddw);
        for (mode, suffix, size) in [(0x10, "b", 1), (0x08, "h", 2), (0x00, "w", 4), (0x18, "dw", 8)] {
            add(0x61 | mode, format!("ldx{suffix}"), Kind::Load(size));
            add(0x62 | mode, format!("st{suffix}"), Kind::StoreImm(size));
            add(0x63 | mode, format!("stx{suffix}"), Kind::StoreReg(size));
        }
    }
    for (class, bits) in [(0x04, 32), (0x07, 64)] {
        for (operation, name) in [
            (0x00, "add"),
            (0x10, "sub"),
            (0x20, "mul"),
            (0x30, "div"),
            (0x40, "or"),
            (0x50, "and"),
            (0x60, "lsh"),
            (0x70, "rsh"),
            (0x90, "mod"),
            (0xa0, "xor"),
            (0xb0, "mov"),
            (0xc0, "arsh"),
        ] {
            let (immediate, register) = match name {
                "mul" | "div" | "mod" if reencoded => continue,
                "div" | "mod" => (Kind::DivideImm, Kind::DivideReg(bits)),
                "lsh" | "rsh" | "arsh" => (Kind::ShiftImm(bits as i32), Kind::ShiftReg),
                _ => (Kind::AluImm, Kind::AluReg),
            };
            add(operation | class, format!("{name}{bits}_imm"), immediate);
            add(operation | class | 0x08, format!("{name}{bits}_reg"), register);
        }
        if !reencoded {
            add(0x80 | class, format!("neg{bits}"), Kind::Negate);
        }
    }
    if !reencoded {
        add(0xd4, "le".into(), Kind::Endian);
    }
    add(0xdc, "be".into(), Kind::Endian);
    add(0x05, "ja".into(), Kind::Jump);
    for (operation, name) in BRANCHES {
        add(0x05 | operation, format!("{name}_imm"), Kind::BranchImm);
        add(0x0d | operation, format!("{name}_reg"), Kind::BranchReg);
        if version == Version::V3 {
            add(0x06 | operation, format!("{name}32_imm"), Kind::BranchImm);
            add(0x0e | operation, format!("{name}32_reg"), Kind::BranchReg);
        }
    }
    add(0x85, "call".into(), Kind::Call);
    add(0x8d, "callx".into(), Kind::Callx);
    add(0x95, "exit".into(), Kind::Exit);
    table
}

/// Encodes one slot.
pub fn encode(code: u8, dst: u8, src: u8, offset: i16, immediate: i32) -> [u8; SLOT] {
    let [o0, o1] = offset.to_le_bytes();
    let [i0, i1, i2, i3] = immediate.to_le_bytes();
    [code, dst | src << 4, o0, o1, i0, i1, i2, i3]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use solana_sbpf::{
        program::SBPFVersion,
        verifier::{RequisiteVerifier, Verifier},
        vm::Config,
    };

    use super::*;

    /// The reference's verifier knows exactly these opcodes.
    #[test]
    fn the_tables_are_the_instruction_sets() {
        let references = [SBPFVersion::V0, SBPFVersion::V1, SBPFVersion::V2, SBPFVersion::V3];
        for ((version, reference), count) in VERSIONS.into_iter().zip(references).zip([91, 91, 100, 113]) {
            let accepted = (0..=255_u8).filter(|&code| {
                let mut text = encode(code, 0, 0, 0, 16).to_vec();
                text.extend(if code == 0x18 { [0; 8] } else { encode(0x95, 0, 0, 0, 0) });
                let immediate_of_callx = code == 0x8d;
                if immediate_of_callx {
                    text[4] = 1;
                }
                RequisiteVerifier::verify(&text, &Config::default(), reference).is_ok()
            });
            let known: BTreeSet<u8> = opcodes(version).iter().map(|opcode| opcode.code).collect();
            assert_eq!(known.len(), opcodes(version).len());
            assert_eq!(accepted.collect::<BTreeSet<_>>(), known, "{version:?}");
            assert_eq!(known.len(), count, "{version:?}");
        }
    }
}
