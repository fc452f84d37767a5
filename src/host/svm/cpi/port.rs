//! The calling program's memory and meter, with the runtime's rules for pointers.

use solana_instruction_error::InstructionError;

use super::Abort;
use crate::{
    deltanet::HeadsBoundary,
    host::{Machine, SyscallError},
};

/// A paused machine.
pub(crate) struct Port<'m, 'e, E: HeadsBoundary> {
    /// The machine.
    pub machine: &'m mut Machine<'e, E>,
    /// Pointers must be aligned.
    pub aligned: bool,
}

/// How a pointer is used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// To read.
    Load,
    /// To write, and perhaps read.
    Store,
}

impl<E: HeadsBoundary> Port<'_, '_, E> {
    /// Pays for something.
    pub fn charge(&mut self, units: u64) -> Result<(), Abort<E::Error>> {
        match self.machine.charge(units).map_err(Abort::Evaluator)? {
            true => Ok(()),
            false => Err(InstructionError::ComputationalBudgetExceeded.into()),
        }
    }

    /// Reads what a pointer to `length` bytes, at least one, points at.
    pub fn read(
        &self,
        address: u64,
        length: u64,
        alignment: u64,
        access: Access,
    ) -> Result<Vec<u8>, Abort<E::Error>> {
        let store = access == Access::Store;
        let bytes = self.machine.read(address, length, store).map_err(Abort::Evaluator)??;
        if self.aligned && !address.is_multiple_of(alignment) {
            return Err(SyscallError::UnalignedPointer.into());
        }
        Ok(bytes)
    }

    /// Reads a number that a pointer points at.
    pub fn number(&self, address: u64, alignment: u64, access: Access) -> Result<u64, Abort<E::Error>> {
        Ok(word(&self.read(address, 8, alignment, access)?, 0))
    }

    /// Reads the `count` items of `size` bytes that a slice consists of. Nothing is looked at if there are
    /// none.
    pub fn list(
        &self,
        address: u64,
        count: u64,
        size: u64,
        alignment: u64,
        access: Access,
    ) -> Result<Vec<u8>, Abort<E::Error>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let length = count.saturating_mul(size);
        if i64::try_from(length).is_err() {
            return Err(SyscallError::InvalidLength.into());
        }
        self.read(address, length, alignment, access)
    }

    /// Writes bytes, perhaps none.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Abort<E::Error>> {
        if !bytes.is_empty() {
            self.machine.write(address, bytes).map_err(Abort::Evaluator)??;
        }
        Ok(())
    }
}

/// The 8-byte number at an offset of a structure.
///
/// # Panics
/// The structure is shorter.
pub(crate) fn word(bytes: &[u8], offset: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[offset..offset + 8]);
    u64::from_le_bytes(word)
}
