//! Instruction slots as text that [`assemble`](super::assemble) turns back into the same slots.

use super::isa::{self, Form, Row, SOURCE, Slot};
use super::{Program, Version, symbol_key, syscall_names::ALL_SYSCALLS};

/// The whole text of a program, one instruction a line.
///
/// Assembling it for the same version gives the same text. The functions are not in it, nor is the
/// entry: those belong to the program.
pub fn disassemble(program: &Program) -> String {
    let mut lines = String::new();
    let mut pc = 0;
    while let Some(slot) = slot_at(&program.text, pc) {
        lines.push_str(&instruction_text(program, pc));
        lines.push('\n');
        pc += if instruction(program, pc, slot).is_some() && is_wide(program.version, slot) { 2 } else { 1 };
    }
    lines
}

/// One line for the instruction at slot `pc`, such as `ldxdw r1, [r2-8]`.
///
/// What the assembler cannot write, be it an unknown opcode or an instruction with something in a
/// field it does not use, is given as `.fill 1, SLOT`. A call is followed by a comment that says where
/// it leads.
pub fn instruction_text(program: &Program, pc: usize) -> String {
    match slot_at(&program.text, pc) {
        None => "# outside of the text".to_owned(),
        Some(slot) => instruction(program, pc, slot)
            .unwrap_or_else(|| format!(".fill 1, {:#x}", u64::from_le_bytes(slot.to_bytes()))),
    }
}

fn slot_at(text: &[u8], pc: usize) -> Option<Slot> {
    text.as_chunks::<8>().0.get(pc).copied().map(Slot::from_bytes)
}

fn is_wide(version: Version, slot: Slot) -> bool {
    isa::decode(version, slot.opcode).is_some_and(|row| row.form == Form::Wide)
}

/// Nothing for a slot that the assembler would write differently.
fn instruction(program: &Program, pc: usize, slot: Slot) -> Option<String> {
    let version = program.version;
    let row = isa::decode(version, slot.opcode)?;
    if slot != used_fields(version, row, slot) {
        return None;
    }
    let Row { name, form, .. } = *row;
    let Slot { dst, src, offset, imm, .. } = slot;
    let from_register = slot.opcode & SOURCE != 0;
    Some(match form {
        Form::Binary | Form::BinaryImm if from_register => format!("{name} r{dst}, r{src}"),
        // The assembler replaces this one where it is not allowed.
        Form::Binary
            if slot.opcode == isa::ADD64_IMM
                && dst == isa::FRAME_POINTER
                && !isa::moves_frame_pointer(version) =>
        {
            return None;
        }
        Form::Binary | Form::BinaryImm => format!("{name} r{dst}, {imm}"),
        Form::Unary => format!("{name} r{dst}"),
        Form::Swap if [16, 32, 64].contains(&imm) => format!("{name}{imm} r{dst}"),
        Form::Swap => return None,
        Form::Wide => {
            let high = slot_at(&program.text, pc + 1)?;
            if high != (Slot { imm: high.imm, ..Slot::default() }) {
                return None;
            }
            let value = u64::from(high.imm as u32) << 32 | u64::from(imm as u32);
            format!("{name} r{dst}, {value:#x}")
        }
        Form::Load => format!("{name} r{dst}, [r{src}{offset:+}]"),
        Form::StoreImm => format!("{name} [r{dst}{offset:+}], {imm}"),
        Form::StoreReg => format!("{name} [r{dst}{offset:+}], r{src}"),
        Form::Jump => format!("{name} {offset:+}"),
        Form::Branch if from_register => format!("{name} r{dst}, r{src}, {offset:+}"),
        Form::Branch => format!("{name} r{dst}, {imm}, {offset:+}"),
        Form::Call => call(program, pc, slot)?,
        Form::CallReg => {
            let register = slot.callx_register(version);
            (register >= 0).then(|| format!("{name} r{register}"))?
        }
        Form::Exit => name.to_owned(),
    })
}

/// Only `syscall` writes a key as it stands: `call` takes a distance, which versions 0 to 2 store as a
/// slot number.
fn call(program: &Program, pc: usize, slot: Slot) -> Option<String> {
    let imm = slot.imm;
    match (isa::has_static_calls(program.version), slot.src) {
        (true, 1) => {
            let target = (pc as i64 + 1).checked_add(imm.into())?;
            Some(format!("call {imm:+}  # slot {target}"))
        }
        (false, 0) if let Some(target) = program.functions.get(&(imm as u32)) => {
            Some(format!("syscall {imm}  # slot {target}"))
        }
        (_, 0) => Some(match syscall_name(imm as u32) {
            Some(name) => format!("syscall {name}"),
            None => format!("syscall {imm}  # key {imm:#x}"),
        }),
        _ => None,
    }
}

/// The syscall whose name has this key.
fn syscall_name(key: u32) -> Option<&'static str> {
    ALL_SYSCALLS.into_iter().find(|name| symbol_key(name.as_bytes()) == key)
}

/// `slot` with 0 in the fields that the form does not use.
fn used_fields(version: Version, row: &Row, slot: Slot) -> Slot {
    let opcode = slot.opcode;
    let Slot { dst, src, offset, imm, .. } = slot;
    let none = Slot { opcode, ..Slot::default() };
    let from_register = opcode & SOURCE != 0;
    match row.form {
        Form::Binary | Form::BinaryImm if from_register => Slot { dst, src, ..none },
        Form::Binary | Form::BinaryImm | Form::Swap | Form::Wide => Slot { dst, imm, ..none },
        Form::Unary => Slot { dst, ..none },
        Form::Load | Form::StoreReg => Slot { imm: 0, ..slot },
        Form::StoreImm => Slot { src: 0, ..slot },
        Form::Jump => Slot { offset, ..none },
        Form::Branch if from_register => Slot { imm: 0, ..slot },
        Form::Branch => Slot { src: 0, ..slot },
        Form::Call => Slot { src, imm, ..none },
        Form::CallReg => match version {
            Version::V0 | Version::V1 => Slot { imm, ..none },
            Version::V2 => Slot { src, ..none },
            Version::V3 => Slot { dst, ..none },
        },
        Form::Exit => none,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::host::assemble;

    const VERSIONS: [Version; 4] = [Version::V0, Version::V1, Version::V2, Version::V3];

    #[test]
    fn readable() {
        let source =
            "lddw r1, 0x100000002\nldxdw r2, [r1-8]\njeq64 r2, 0, +1\nadd64 r0, -1\nsyscall sol_log_\nexit\n";
        assert_eq!(disassemble(&assemble(source, Version::V0).unwrap()), source);
    }

    #[test]
    fn unused_fields_are_kept() {
        let program = assemble(".fill 1, 0x195", Version::V0).unwrap();
        assert_eq!(instruction_text(&program, 0), ".fill 1, 0x195");
    }

    proptest! {
        /// Half of the slots are plain instructions, the rest any bytes at all.
        #[test]
        fn assembles_back(
            slots in proptest::collection::vec((any::<u64>(), any::<bool>()), 0..16),
            version in 0usize..4,
        ) {
            let version = VERSIONS[version];
            let tidy = |(slot, tidy): (u64, bool)| {
                let slot = Slot::from_bytes(slot.to_le_bytes());
                let row = isa::decode(version, slot.opcode).filter(|_| tidy);
                row.map_or(slot, |row| used_fields(version, row, slot)).to_bytes()
            };
            let text = slots.into_iter().flat_map(tidy).collect();
            let program = Program::from_text(version, text, 0, BTreeMap::new());
            let again = assemble(&disassemble(&program), version);
            prop_assert_eq!(again.map(|again| again.text), Ok(program.text));
        }
    }
}
