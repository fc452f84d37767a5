//! The version 0 instruction set, as data for generators and coverage.

use std::sync::LazyLock;

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

/// All opcodes of version 0.
pub fn opcodes() -> &'static [Opcode] {
    static TABLE: LazyLock<Vec<Opcode>> = LazyLock::new(table);
    &TABLE
}

/// Finds an opcode by its byte.
pub fn find(code: u8) -> Option<&'static Opcode> {
    static BY_CODE: LazyLock<[Option<&'static Opcode>; 256]> = LazyLock::new(|| {
        let mut by_code = [None; 256];
        for opcode in opcodes() {
            by_code[usize::from(opcode.code)] = Some(opcode);
        }
        by_code
    });
    BY_CODE[usize::from(code)]
}

/// Finds an opcode by its name.
///
/// # Panics
///
/// Panics if there is no such opcode.
pub fn named(name: &str) -> &'static Opcode {
    opcodes().iter().find(|opcode| opcode.name == name).unwrap_or_else(|| panic!("no opcode {name}"))
}

fn table() -> Vec<Opcode> {
    let mut table = Vec::new();
    let mut add = |code: u8, name: String, kind: Kind| table.push(Opcode { code, name, kind });

    add(0x18, "lddw".into(), Kind::Lddw);
    for (mode, suffix, size) in [(0x10, "b", 1), (0x08, "h", 2), (0x00, "w", 4), (0x18, "dw", 8)] {
        add(0x61 | mode, format!("ldx{suffix}"), Kind::Load(size));
        add(0x62 | mode, format!("st{suffix}"), Kind::StoreImm(size));
        add(0x63 | mode, format!("stx{suffix}"), Kind::StoreReg(size));
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
                "div" | "mod" => (Kind::DivideImm, Kind::DivideReg(bits)),
                "lsh" | "rsh" | "arsh" => (Kind::ShiftImm(bits as i32), Kind::ShiftReg),
                _ => (Kind::AluImm, Kind::AluReg),
            };
            add(operation | class, format!("{name}{bits}_imm"), immediate);
            add(operation | class | 0x08, format!("{name}{bits}_reg"), register);
        }
        add(0x80 | class, format!("neg{bits}"), Kind::Negate);
    }
    add(0xd4, "le".into(), Kind::Endian);
    add(0xdc, "be".into(), Kind::Endian);
    add(0x05, "ja".into(), Kind::Jump);
    for (operation, name) in [
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
    ] {
        add(0x05 | operation, format!("{name}_imm"), Kind::BranchImm);
        add(0x0d | operation, format!("{name}_reg"), Kind::BranchReg);
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
    fn the_table_is_the_instruction_set() {
        let accepted = (0..=255_u8).filter(|&code| {
            let mut text = encode(code, 0, 0, 0, 16).to_vec();
            text.extend(if code == 0x18 { [0; 8] } else { encode(0x95, 0, 0, 0, 0) });
            let immediate_of_callx = code == 0x8d;
            if immediate_of_callx {
                text[4] = 1;
            }
            RequisiteVerifier::verify(&text, &Config::default(), SBPFVersion::V0).is_ok()
        });
        let known: BTreeSet<u8> = opcodes().iter().map(|opcode| opcode.code).collect();
        assert_eq!(known.len(), opcodes().len());
        assert_eq!(accepted.collect::<BTreeSet<_>>(), known);
        assert_eq!(known.len(), 91);
    }
}
