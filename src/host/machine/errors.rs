//! The reference's errors, read out of what stopped the machine.

use super::Machine;
use crate::{
    deltanet::HeadsBoundary,
    host::{AccessType, EbpfError, PoseidonError, RunError, SeedsError, SyscallError},
    machine::{self, Access},
    syscalls::{Abort, MAX_RETURN_DATA},
    tables::{
        Word,
        alphabet::{Bit, Fault, Gate, Region, Size},
    },
};
use solana_instruction_error::InstructionError;

impl<E: HeadsBoundary> Machine<'_, E> {
    /// The reference's error for a fault.
    pub(super) fn fault(&self, fault: &E::Digit<Fault>, access: &Access<E>) -> Result<EbpfError, E::Error> {
        let e = self.evaluator;
        let length = || Ok(1 << e.read_digit::<Size>(&access.size)?);
        Ok(match Fault::LETTERS[e.read_digit(fault)?] {
            Fault::DivideByZero => EbpfError::DivideByZero,
            Fault::DivideOverflow => EbpfError::DivideOverflow,
            Fault::CallDepth => EbpfError::CallDepthExceeded,
            Fault::CallOutside => EbpfError::CallOutsideTextSegment,
            Fault::Overrun => EbpfError::ExecutionOverrun,
            Fault::Exhausted => EbpfError::ExceededMaxInstructions,
            Fault::Load => self.violation(AccessType::Load, &access.address, length()?)?,
            Fault::Store => self.violation(AccessType::Store, &access.address, length()?)?,
            Fault::Unsupported | Fault::None => EbpfError::UnsupportedInstruction,
        })
    }

    /// The error of an access of `length` bytes that is not allowed.
    pub(super) fn violation(
        &self,
        kind: AccessType,
        address: &Word<E>,
        length: u64,
    ) -> Result<EbpfError, E::Error> {
        let e = self.evaluator;
        let place = machine::place(e, &self.image, address);
        let address = e.read_out(address)?;
        if e.read_digit::<Bit>(&place.in_frame)? == 1 {
            let frame = e.read_out(&place.frame)? as i64;
            return Ok(EbpfError::StackAccessViolation(kind, address, length, frame));
        }
        let region = match <Region as Gate>::LETTERS[e.read_digit(&place.region)?] {
            Region::Nowhere => "unallocated",
            Region::Null => "allocated",
            Region::Program => "program",
            Region::Stack => "stack",
            Region::Heap => "heap",
            Region::Input => "input",
        };
        Ok(EbpfError::AccessViolation(kind, address, length, region))
    }

    /// The reference's error for what ended a syscall.
    pub(super) fn abort(&self, abort: &Abort<E>) -> Result<RunError, E::Error> {
        let e = self.evaluator;
        Ok(match abort {
            Abort::Budget => RunError::Instruction(InstructionError::ComputationalBudgetExceeded),
            Abort::ArithmeticOverflow => RunError::Instruction(InstructionError::ArithmeticOverflow),
            Abort::UnsupportedSysvar => RunError::Instruction(InstructionError::UnsupportedSysvar),
            Abort::Access { store, address, length } => {
                let kind = if *store { AccessType::Store } else { AccessType::Load };
                SyscallError::from(self.violation(kind, address, e.read_out(length)?)?).into()
            }
            other => RunError::Syscall(self.syscall_error(other)?),
        })
    }

    fn syscall_error(&self, abort: &Abort<E>) -> Result<SyscallError, E::Error> {
        let e = self.evaluator;
        Ok(match abort {
            Abort::Unaligned => SyscallError::UnalignedPointer,
            Abort::InvalidLength => SyscallError::InvalidLength,
            Abort::InvalidString(text) => {
                let bytes = self.slice(text)?;
                // The weights have found that it is not UTF-8; the text of the error says where.
                match String::from_utf8(bytes) {
                    Ok(_) => SyscallError::InvalidLength,
                    Err(error) => SyscallError::InvalidString(error.utf8_error(), error.into_bytes()),
                }
            }
            Abort::Panic { file, line, column } => {
                let file = String::from_utf8_lossy(&self.slice(file)?).into_owned();
                SyscallError::Panic(file, e.read_out(line)?, e.read_out(column)?)
            }
            Abort::BadSeeds => SyscallError::BadSeeds(SeedsError::MaxSeedLengthExceeded),
            Abort::CopyOverlapping => SyscallError::CopyOverlapping,
            Abort::ReturnDataTooLarge(length) => {
                SyscallError::ReturnDataTooLarge(e.read_out(length)?, MAX_RETURN_DATA as u64)
            }
            Abort::TooManySlices => SyscallError::TooManySlices,
            Abort::InvalidPointer => SyscallError::InvalidPointer,
            Abort::InvalidAttribute => SyscallError::InvalidAttribute,
            Abort::PoseidonParameters => PoseidonError::InvalidParameters.into(),
            Abort::PoseidonOrder => PoseidonError::InvalidEndianness.into(),
            Abort::Abort
            | Abort::Budget
            | Abort::ArithmeticOverflow
            | Abort::UnsupportedSysvar
            | Abort::Access { .. } => SyscallError::Abort,
        })
    }
}
