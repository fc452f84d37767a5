//! The static checks a program must pass before it runs.

use super::Version;
use super::isa::{self, Form, ImmRule, Row, SOURCE, Slot};

/// Why a program is refused: the variants of solana-sbpf's `VerifierError`, with the same fields and
/// the same `Display` text. The slot number comes last, except in
/// [`LDDWCannotBeLast`](Self::LDDWCannotBeLast), which needs none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifierError {
    /// The text is not a whole number of slots.
    #[error("program length must be a multiple of 8 octets")]
    ProgramLengthNotMultiple,
    /// Never returned; kept for the reference's sake.
    #[error("Deprecated")]
    ProgramTooLarge(usize),
    /// The text is empty.
    #[error("no program set, call prog_set() to load one")]
    NoProgram,
    /// Division or remainder by the immediate 0.
    #[error("division by 0 (insn #{0})")]
    DivisionByZero(usize),
    /// A byte swap of a width other than 16, 32 or 64.
    #[error("unsupported argument for LE/BE (insn #{0})")]
    UnsupportedLEBEArgument(usize),
    /// The text ends in the first half of an `lddw`.
    #[error("LD_DW instruction cannot be last in program")]
    LDDWCannotBeLast,
    /// The slot after an `lddw` has an opcode of its own.
    #[error("incomplete LD_DW instruction (insn #{0})")]
    IncompleteLDDW(usize),
    /// Never returned; kept for the reference's sake.
    #[error("infinite loop (insn #{0})")]
    InfiniteLoop(usize),
    /// A jump to a slot outside the text: target (wrapped when negative), slot.
    #[error("jump out of code to #{0} (insn #{1})")]
    JumpOutOfCode(usize, usize),
    /// A jump to a slot with opcode 0: target, slot.
    #[error("jump to middle of LD_DW at #{0} (insn #{1})")]
    JumpToMiddleOfLDDW(usize, usize),
    /// A source register above r10.
    #[error("invalid source register (insn #{0})")]
    InvalidSourceRegister(usize),
    /// The destination is the frame pointer.
    #[error("cannot write into register r10 (insn #{0})")]
    CannotWriteR10(usize),
    /// A destination register above r10.
    #[error("invalid destination register (insn #{0})")]
    InvalidDestinationRegister(usize),
    /// An opcode the version does not have: opcode, slot.
    #[error("unknown eBPF opcode {0:#2x} (insn #{1:?})")]
    UnknownOpCode(u8, usize),
    /// An immediate shift by the width or more: count, width, slot.
    #[error("Shift with overflow of {0}-bit value by {1} (insn #{2:?})")]
    ShiftWithOverflow(u64, u64, usize),
    /// A `callx` through something else than r0 to r9.
    #[error("Invalid register specified at instruction {0}")]
    InvalidRegister(usize),
    /// Never returned; kept for the reference's sake.
    #[error("Invalid function at instruction {0}")]
    InvalidFunction(usize),
    /// Never returned; kept for the reference's sake.
    #[error("Invalid syscall code {0}")]
    InvalidSyscall(u32),
    /// The frame pointer is moved by something else than a multiple of 64.
    #[error("Unaligned immediate (insn #{0})")]
    UnalignedImmediate(usize),
}

impl VerifierError {
    /// The name of the variant, as the reference spells it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::ProgramLengthNotMultiple => "ProgramLengthNotMultiple",
            Self::ProgramTooLarge(..) => "ProgramTooLarge",
            Self::NoProgram => "NoProgram",
            Self::DivisionByZero(..) => "DivisionByZero",
            Self::UnsupportedLEBEArgument(..) => "UnsupportedLEBEArgument",
            Self::LDDWCannotBeLast => "LDDWCannotBeLast",
            Self::IncompleteLDDW(..) => "IncompleteLDDW",
            Self::InfiniteLoop(..) => "InfiniteLoop",
            Self::JumpOutOfCode(..) => "JumpOutOfCode",
            Self::JumpToMiddleOfLDDW(..) => "JumpToMiddleOfLDDW",
            Self::InvalidSourceRegister(..) => "InvalidSourceRegister",
            Self::CannotWriteR10(..) => "CannotWriteR10",
            Self::InvalidDestinationRegister(..) => "InvalidDestinationRegister",
            Self::UnknownOpCode(..) => "UnknownOpCode",
            Self::ShiftWithOverflow(..) => "ShiftWithOverflow",
            Self::InvalidRegister(..) => "InvalidRegister",
            Self::InvalidFunction(..) => "InvalidFunction",
            Self::InvalidSyscall(..) => "InvalidSyscall",
            Self::UnalignedImmediate(..) => "UnalignedImmediate",
        }
    }
}

/// Checks `text`, the bare instruction slots of a program, and reports the first fault.
///
/// Call targets are not checked, nor that the last instruction ends the program: the machine meets
/// those when it runs.
pub fn verify(text: &[u8], version: Version) -> Result<(), VerifierError> {
    let (slots, rest) = text.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(VerifierError::ProgramLengthNotMultiple);
    }
    if slots.is_empty() {
        return Err(VerifierError::NoProgram);
    }
    let mut pc = 0;
    while let Some(&bytes) = slots.get(pc) {
        let slot = Slot::from_bytes(bytes);
        let Some(row) = isa::decode(version, slot.opcode) else {
            return Err(VerifierError::UnknownOpCode(slot.opcode, pc));
        };
        check_operands(slots, pc, slot, row, version)?;
        if row.form == Form::Wide {
            // Like the reference, blame the second half for the first half's registers.
            pc += 1;
        }
        check_registers(pc, slot, row, version)?;
        pc += 1;
    }
    Ok(())
}

fn check_operands(
    slots: &[[u8; 8]],
    pc: usize,
    slot: Slot,
    row: &Row,
    version: Version,
) -> Result<(), VerifierError> {
    match row.form {
        Form::Binary if slot.opcode & SOURCE == 0 => check_immediate(pc, slot, row.rule, version),
        Form::Swap if ![16, 32, 64].contains(&slot.imm) => Err(VerifierError::UnsupportedLEBEArgument(pc)),
        Form::Wide => match slots.get(pc + 1) {
            None => Err(VerifierError::LDDWCannotBeLast),
            Some([0, ..]) => Ok(()),
            Some(_) => Err(VerifierError::IncompleteLDDW(pc)),
        },
        Form::Jump | Form::Branch => check_jump(slots, pc, slot),
        Form::CallReg if !(0..10).contains(&slot.callx_register(version)) => {
            Err(VerifierError::InvalidRegister(pc))
        }
        _ => Ok(()),
    }
}

fn check_immediate(pc: usize, slot: Slot, rule: ImmRule, version: Version) -> Result<(), VerifierError> {
    // Sign-extended, so that a negative shift count is too large for any width.
    let imm = slot.imm as u64;
    match rule {
        ImmRule::NonZero if imm == 0 => Err(VerifierError::DivisionByZero(pc)),
        ImmRule::Below(width) if imm >= width => Err(VerifierError::ShiftWithOverflow(imm, width, pc)),
        ImmRule::Any if moves_frame_pointer(slot, version) && !imm.is_multiple_of(64) => {
            Err(VerifierError::UnalignedImmediate(pc))
        }
        _ => Ok(()),
    }
}

fn check_jump(slots: &[[u8; 8]], pc: usize, slot: Slot) -> Result<(), VerifierError> {
    let target = (pc + 1).wrapping_add_signed(slot.offset.into());
    match slots.get(target) {
        None => Err(VerifierError::JumpOutOfCode(target, pc)),
        Some([0, ..]) => Err(VerifierError::JumpToMiddleOfLDDW(target, pc)),
        Some(_) => Ok(()),
    }
}

/// Every instruction is held to this, whether or not it uses the fields.
fn check_registers(pc: usize, slot: Slot, row: &Row, version: Version) -> Result<(), VerifierError> {
    if slot.src > 10 {
        return Err(VerifierError::InvalidSourceRegister(pc));
    }
    match slot.dst {
        0..10 => Ok(()),
        10 if row.form.is_store() || moves_frame_pointer(slot, version) => Ok(()),
        10 => Err(VerifierError::CannotWriteR10(pc)),
        _ => Err(VerifierError::InvalidDestinationRegister(pc)),
    }
}

fn moves_frame_pointer(slot: Slot, version: Version) -> bool {
    isa::moves_frame_pointer(version) && slot.opcode == isa::ADD64_IMM && slot.dst == isa::FRAME_POINTER
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::assemble;

    fn check(source: &str, version: Version) -> Result<(), VerifierError> {
        verify(&assemble(source, version).unwrap().text, version)
    }

    #[test]
    fn length() {
        assert_eq!(verify(&[], Version::V0), Err(VerifierError::NoProgram));
        assert_eq!(verify(&[0x95; 7], Version::V0), Err(VerifierError::ProgramLengthNotMultiple));
    }

    #[test]
    fn lddw_blames_its_second_half_for_registers() {
        assert_eq!(check("lddw r10, 1\nexit", Version::V0), Err(VerifierError::CannotWriteR10(1)));
        assert_eq!(check(".fill 1, 0x18", Version::V0), Err(VerifierError::LDDWCannotBeLast));
        assert_eq!(check(".fill 1, 0x18\nexit", Version::V0), Err(VerifierError::IncompleteLDDW(0)));
    }

    #[test]
    fn jumps() {
        assert_eq!(check("ja -2", Version::V0), Err(VerifierError::JumpOutOfCode(usize::MAX, 0)));
        assert_eq!(check("ja +1\nlddw r1, 1", Version::V0), Err(VerifierError::JumpToMiddleOfLDDW(2, 0)));
    }

    #[test]
    fn frame_pointer_moves_in_versions_1_and_2() {
        let by = |imm: u64| format!(".fill 1, {:#x}", 0x0a07 | imm << 32);
        assert_eq!(check(&by(64), Version::V0), Err(VerifierError::CannotWriteR10(0)));
        assert_eq!(check(&by(64), Version::V1), Ok(()));
        assert_eq!(check(&by(63), Version::V2), Err(VerifierError::UnalignedImmediate(0)));
    }
}
