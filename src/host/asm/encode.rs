//! Instructions to slots.

use super::parser::Operand::{self, Integer, Label, Memory, Register};
use super::{AsmErrorKind, Assembler, Version};
use crate::host::isa::{self, Form, Row, SOURCE, Slot};
use crate::host::symbol_key;

/// The opcode of `call`, which `syscall` shares.
const CALL: u8 = 0x85;

impl Assembler<'_> {
    /// Adds the slots of one instruction.
    pub(super) fn instruction(&mut self, name: &str, operands: &[Operand<'_>]) -> Result<(), AsmErrorKind> {
        let slot = match isa::find(self.version, name) {
            Some(row) => self.encode(name, row, operands)?,
            None if name == "syscall" => syscall(operands)?,
            None => return Err(AsmErrorKind::UnknownInstruction(name.to_owned())),
        };
        self.slots.push(slot.to_bytes());
        if let (0x18, [_, Integer(imm)]) = (slot.opcode, operands) {
            let high = Slot { imm: (imm >> 32) as i32, ..Slot::default() };
            self.slots.push(high.to_bytes());
        }
        Ok(())
    }

    fn encode(&mut self, name: &str, row: &Row, operands: &[Operand<'_>]) -> Result<Slot, AsmErrorKind> {
        let opcode = row.opcode;
        match (row.form, operands) {
            (Form::Binary | Form::BinaryImm, &[Register(dst), Register(src)]) => {
                slot(opcode | SOURCE, dst, src, 0, 0)
            }
            (Form::Binary, [Register(10), Integer(_)])
                if opcode == isa::ADD64_IMM && !isa::moves_frame_pointer(self.version) =>
            {
                // Where the frame pointer cannot be moved, the reference puts an instruction that does
                // nothing.
                slot(isa::OR64_IMM, 0, 0, 0, 0)
            }
            (Form::Binary | Form::BinaryImm, &[Register(dst), Integer(imm)]) => slot(opcode, dst, 0, 0, imm),
            (Form::Unary, &[Register(dst)]) => slot(opcode, dst, 0, 0, 0),
            (Form::Swap, &[Register(dst)]) => {
                let width = name[row.name.len()..].parse().unwrap_or(0);
                slot(opcode, dst, 0, 0, width)
            }
            (Form::Wide, &[Register(dst), Integer(imm)]) => slot(opcode, dst, 0, 0, (imm as i32).into()),
            (Form::Load, &[Register(dst), Memory(src, offset)])
            | (Form::StoreReg, &[Memory(dst, offset), Register(src)]) => slot(opcode, dst, src, offset, 0),
            (Form::StoreImm, &[Memory(dst, offset), Integer(imm)]) => slot(opcode, dst, 0, offset, imm),
            (Form::Jump, &[target]) => slot(opcode, 0, 0, self.jump(name, target)?, 0),
            (Form::Branch, &[Register(dst), Register(src), target]) => {
                slot(opcode | SOURCE, dst, src, self.jump(name, target)?, 0)
            }
            (Form::Branch, &[Register(dst), Integer(imm), target]) => {
                slot(opcode, dst, 0, self.jump(name, target)?, imm)
            }
            (Form::Call, &[target]) => self.call(name, target),
            (Form::CallReg, &[Register(register)]) => match self.version {
                Version::V0 | Version::V1 => slot(opcode, 0, 0, 0, register),
                Version::V2 => slot(opcode, 0, register, 0, 0),
                Version::V3 => slot(opcode, register, 0, 0, 0),
            },
            (Form::Exit, []) => slot(opcode, 0, 0, 0, 0),
            _ => Err(AsmErrorKind::Operands(name.to_owned())),
        }
    }

    /// The offset of a jump from the slot being written.
    fn jump(&self, name: &str, target: Operand<'_>) -> Result<i64, AsmErrorKind> {
        match target {
            Integer(offset) => Ok(offset),
            Label(label) => Ok(self.relative(self.label(label)?)),
            _ => Err(AsmErrorKind::Operands(name.to_owned())),
        }
    }

    /// A call of an internal function. Only a number registers its target: labels do so by their name.
    fn call(&mut self, name: &str, target: Operand<'_>) -> Result<Slot, AsmErrorKind> {
        let target = match target {
            Label(label) => self.label(label)?,
            Integer(offset) => {
                let next = self.slots.len() as i64 + 1;
                let target = offset.checked_add(next).ok_or(AsmErrorKind::Immediate(offset))?;
                self.register(target as u32, target as usize, false)?;
                target
            }
            _ => return Err(AsmErrorKind::Operands(name.to_owned())),
        };
        if isa::has_static_calls(self.version) {
            slot(CALL, 0, 1, 0, self.relative(target))
        } else {
            slot(CALL, 0, 0, 0, target)
        }
    }

    fn label(&self, label: &str) -> Result<i64, AsmErrorKind> {
        let pc = self.labels.get(label).ok_or_else(|| AsmErrorKind::LabelNotFound(label.to_owned()))?;
        Ok(*pc as i64)
    }

    fn relative(&self, target: i64) -> i64 {
        target - self.slots.len() as i64 - 1
    }
}

fn syscall(operands: &[Operand<'_>]) -> Result<Slot, AsmErrorKind> {
    match *operands {
        [Label(name)] => slot(CALL, 0, 0, 0, (symbol_key(name.as_bytes()) as i32).into()),
        [Integer(key)] => slot(CALL, 0, 0, 0, key),
        _ => Err(AsmErrorKind::Operands("syscall".to_owned())),
    }
}

fn slot(opcode: u8, dst: i64, src: i64, offset: i64, imm: i64) -> Result<Slot, AsmErrorKind> {
    let register = |number: i64| match u8::try_from(number) {
        Ok(number @ 0..16) => Ok(number),
        _ => Err(AsmErrorKind::Register(number)),
    };
    Ok(Slot {
        opcode,
        dst: register(dst)?,
        src: register(src)?,
        offset: offset.try_into().map_err(|_| AsmErrorKind::Offset(offset))?,
        imm: imm.try_into().map_err(|_| AsmErrorKind::Immediate(imm))?,
    })
}
