//! The instruction sets of sBPF as one table, which the verifier, the assembler and the disassembler
//! share.

use super::Version;

/// How an instruction is written, and so which fields of its slot it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `op dst, imm`; with [`SOURCE`] set, `op dst, src`.
    Binary,
    /// `op dst, imm`; the form with [`SOURCE`] can be written, but no machine has it.
    BinaryImm,
    /// `op dst`.
    Unary,
    /// `op dst` with the width in bits appended to the name and kept in the immediate.
    Swap,
    /// `op dst, imm64`: two slots, the second with the high half and opcode 0.
    Wide,
    /// `op dst, [src+off]`.
    Load,
    /// `op [dst+off], imm`.
    StoreImm,
    /// `op [dst+off], src`.
    StoreReg,
    /// `op off`.
    Jump,
    /// `op dst, imm, off`; with [`SOURCE`] set, `op dst, src, off`.
    Branch,
    /// `op imm`.
    Call,
    /// `op reg`; the version says which field holds the register.
    CallReg,
    /// `op`.
    Exit,
}

impl Form {
    /// Whether the operation also exists with [`SOURCE`] set.
    const fn has_source_form(self) -> bool {
        matches!(self, Self::Binary | Self::Branch)
    }

    /// Whether `dst` is the base of an address that is written to, rather than a result.
    pub(super) const fn is_store(self) -> bool {
        matches!(self, Self::StoreImm | Self::StoreReg)
    }
}

/// What the verifier asks of an immediate operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImmRule {
    /// Nothing.
    Any,
    /// A divisor.
    NonZero,
    /// A shift count below this width.
    Below(u64),
}

/// One operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The mnemonic; one that ends in `64` may also be written without it.
    pub(super) name: &'static str,
    /// The opcode, without [`SOURCE`] where the form has both.
    pub(super) opcode: u8,
    /// How it is written.
    pub(super) form: Form,
    /// What the verifier asks of its immediate.
    pub(super) rule: ImmRule,
    /// Bit `v` is set when version `v` has the operation.
    versions: u8,
}

impl Row {
    const fn in_version(&self, version: usize) -> bool {
        self.versions >> version & 1 == 1
    }
}

/// The opcode bit that makes the second operand a register.
pub(super) const SOURCE: u8 = 0x08;
/// `add64 dst, imm`, which versions 1 and 2 also use to move the frame pointer.
pub(super) const ADD64_IMM: u8 = 0x07;
/// `or64 dst, imm`.
pub(super) const OR64_IMM: u8 = 0x47;
/// The frame pointer's number.
pub(super) const FRAME_POINTER: u8 = 10;

const NEVER: u8 = 0b0000;
const ALL: u8 = 0b1111;
const V2: u8 = 0b0100;
const V3: u8 = 0b1000;
const NOT_V2: u8 = ALL & !V2;

const fn row(name: &'static str, opcode: u8, form: Form, versions: u8) -> Row {
    Row { name, opcode, form, rule: ImmRule::Any, versions }
}

const fn ruled(name: &'static str, opcode: u8, versions: u8, rule: ImmRule) -> Row {
    Row { name, opcode, form: Form::Binary, rule, versions }
}

const ROWS: &[Row] = {
    use Form::*;
    use ImmRule::*;
    &[
        // 32-bit arithmetic
        row("add32", 0x04, Binary, ALL),
        row("sub32", 0x14, Binary, ALL),
        row("mul32", 0x24, Binary, NOT_V2),
        ruled("div32", 0x34, NOT_V2, NonZero),
        row("or32", 0x44, Binary, ALL),
        row("and32", 0x54, Binary, ALL),
        ruled("lsh32", 0x64, ALL, Below(32)),
        ruled("rsh32", 0x74, ALL, Below(32)),
        row("neg32", 0x84, Unary, NOT_V2),
        ruled("mod32", 0x94, NOT_V2, NonZero),
        row("xor32", 0xa4, Binary, ALL),
        row("mov32", 0xb4, Binary, ALL),
        ruled("arsh32", 0xc4, ALL, Below(32)),
        row("le", 0xd4, Swap, NOT_V2),
        row("be", 0xdc, Swap, ALL),
        row("hor32", 0xf4, BinaryImm, NEVER),
        // 64-bit arithmetic
        row("add64", ADD64_IMM, Binary, ALL),
        row("sub64", 0x17, Binary, ALL),
        row("mul64", 0x27, Binary, NOT_V2),
        ruled("div64", 0x37, NOT_V2, NonZero),
        row("or64", OR64_IMM, Binary, ALL),
        row("and64", 0x57, Binary, ALL),
        ruled("lsh64", 0x67, ALL, Below(64)),
        ruled("rsh64", 0x77, ALL, Below(64)),
        row("neg64", 0x87, Unary, NOT_V2),
        ruled("mod64", 0x97, NOT_V2, NonZero),
        row("xor64", 0xa7, Binary, ALL),
        row("mov64", 0xb7, Binary, ALL),
        ruled("arsh64", 0xc7, ALL, Below(64)),
        row("hor64", 0xf7, BinaryImm, V2),
        // products, quotients and remainders
        row("uhmul64", 0x36, Binary, V2),
        ruled("udiv32", 0x46, V2, NonZero),
        ruled("udiv64", 0x56, V2, NonZero),
        ruled("urem32", 0x66, V2, NonZero),
        ruled("urem64", 0x76, V2, NonZero),
        row("lmul32", 0x86, Binary, V2),
        row("lmul64", 0x96, Binary, V2),
        row("shmul64", 0xb6, Binary, V2),
        ruled("sdiv32", 0xc6, V2, NonZero),
        ruled("sdiv64", 0xd6, V2, NonZero),
        ruled("srem32", 0xe6, V2, NonZero),
        ruled("srem64", 0xf6, V2, NonZero),
        // memory
        row("lddw", 0x18, Wide, NOT_V2),
        row("ldxw", 0x61, Load, NOT_V2),
        row("ldxh", 0x69, Load, NOT_V2),
        row("ldxb", 0x71, Load, NOT_V2),
        row("ldxdw", 0x79, Load, NOT_V2),
        row("stw", 0x62, StoreImm, NOT_V2),
        row("sth", 0x6a, StoreImm, NOT_V2),
        row("stb", 0x72, StoreImm, NOT_V2),
        row("stdw", 0x7a, StoreImm, NOT_V2),
        row("stxw", 0x63, StoreReg, NOT_V2),
        row("stxh", 0x6b, StoreReg, NOT_V2),
        row("stxb", 0x73, StoreReg, NOT_V2),
        row("stxdw", 0x7b, StoreReg, NOT_V2),
        row("ldxb", 0x2c, Load, V2),
        row("ldxh", 0x3c, Load, V2),
        row("ldxw", 0x8c, Load, V2),
        row("ldxdw", 0x9c, Load, V2),
        row("stb", 0x27, StoreImm, V2),
        row("sth", 0x37, StoreImm, V2),
        row("stw", 0x87, StoreImm, V2),
        row("stdw", 0x97, StoreImm, V2),
        row("stxb", 0x2f, StoreReg, V2),
        row("stxh", 0x3f, StoreReg, V2),
        row("stxw", 0x8f, StoreReg, V2),
        row("stxdw", 0x9f, StoreReg, V2),
        // jumps
        row("ja", 0x05, Jump, ALL),
        row("jeq64", 0x15, Branch, ALL),
        row("jgt64", 0x25, Branch, ALL),
        row("jge64", 0x35, Branch, ALL),
        row("jset64", 0x45, Branch, ALL),
        row("jne64", 0x55, Branch, ALL),
        row("jsgt64", 0x65, Branch, ALL),
        row("jsge64", 0x75, Branch, ALL),
        row("jlt64", 0xa5, Branch, ALL),
        row("jle64", 0xb5, Branch, ALL),
        row("jslt64", 0xc5, Branch, ALL),
        row("jsle64", 0xd5, Branch, ALL),
        row("jeq32", 0x16, Branch, V3),
        row("jgt32", 0x26, Branch, V3),
        row("jge32", 0x36, Branch, V3),
        row("jset32", 0x46, Branch, V3),
        row("jne32", 0x56, Branch, V3),
        row("jsgt32", 0x66, Branch, V3),
        row("jsge32", 0x76, Branch, V3),
        row("jlt32", 0xa6, Branch, V3),
        row("jle32", 0xb6, Branch, V3),
        row("jslt32", 0xc6, Branch, V3),
        row("jsle32", 0xd6, Branch, V3),
        row("call", 0x85, Call, ALL),
        row("callx", 0x8d, CallReg, ALL),
        row("exit", 0x95, Exit, ALL),
    ]
};

/// For every version and opcode, the row that has it.
static DECODED: [[Option<&Row>; 256]; 4] = {
    let mut decoded = [[None; 256]; 4];
    let mut version = 0;
    while version < 4 {
        let mut row = 0;
        while row < ROWS.len() {
            if ROWS[row].in_version(version) {
                enter(&mut decoded[version], ROWS[row].opcode, &ROWS[row]);
                if ROWS[row].form.has_source_form() {
                    enter(&mut decoded[version], ROWS[row].opcode | SOURCE, &ROWS[row]);
                }
            }
            row += 1;
        }
        version += 1;
    }
    decoded
};

const fn enter(decoded: &mut [Option<&'static Row>; 256], opcode: u8, row: &'static Row) {
    assert!(decoded[opcode as usize].is_none(), "two operations share an opcode");
    decoded[opcode as usize] = Some(row);
}

/// The operation that `version` has under `opcode`.
pub(super) fn decode(version: Version, opcode: u8) -> Option<&'static Row> {
    DECODED[version as usize][opcode as usize]
}

/// The operation with this mnemonic. One that `version` lacks is found too: only the verifier refuses
/// those.
pub(super) fn find(version: Version, mnemonic: &str) -> Option<&'static Row> {
    let mut named = ROWS.iter().filter(|row| match row.form {
        Form::Swap => {
            mnemonic.strip_prefix(row.name).is_some_and(|width| ["16", "32", "64"].contains(&width))
        }
        _ => row.name == mnemonic || row.name.strip_suffix("64") == Some(mnemonic),
    });
    named.clone().find(|row| row.in_version(version as usize)).or_else(|| named.next())
}

/// The fields of an instruction slot. Registers are 0 to 15 as encoded, valid or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) opcode: u8,
    pub(super) dst: u8,
    pub(super) src: u8,
    pub(super) offset: i16,
    pub(super) imm: i32,
}

impl Slot {
    pub(super) fn from_bytes(bytes: [u8; 8]) -> Self {
        let [opcode, registers, o0, o1, i0, i1, i2, i3] = bytes;
        Self {
            opcode,
            dst: registers & 0xf,
            src: registers >> 4,
            offset: i16::from_le_bytes([o0, o1]),
            imm: i32::from_le_bytes([i0, i1, i2, i3]),
        }
    }

    pub(super) fn to_bytes(self) -> [u8; 8] {
        let [o0, o1] = self.offset.to_le_bytes();
        let [i0, i1, i2, i3] = self.imm.to_le_bytes();
        [self.opcode, self.src << 4 | self.dst, o0, o1, i0, i1, i2, i3]
    }

    /// The register that this `callx` names, in range or not.
    pub(super) fn callx_register(&self, version: Version) -> i32 {
        match version {
            Version::V0 | Version::V1 => self.imm,
            Version::V2 => self.src.into(),
            Version::V3 => self.dst.into(),
        }
    }
}

/// Whether the program moves its frame pointer itself.
pub(super) fn moves_frame_pointer(version: Version) -> bool {
    matches!(version, Version::V1 | Version::V2)
}

/// Whether the source field of a `call` tells functions, by relative slot, from syscalls.
pub(super) fn has_static_calls(version: Version) -> bool {
    version == Version::V3
}
