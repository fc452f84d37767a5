//! What the programs of a transaction did, instruction by instruction.

use solana_address::Address;
use solana_transaction::versioned::VersionedTransaction;
use std::sync::Arc;

use super::Svm;
use crate::{
    deltanet::HeadsBoundary,
    host::{Ended, Machine, Program},
};

/// One run of a program.
#[derive(Clone, Debug)]
pub struct ProgramRun {
    /// The instruction it ran for: its number among all of the transaction, those of the top level first, the
    /// called ones in the order of their calls.
    pub instruction: usize,
    /// Its address.
    pub address: Address,
    /// The program.
    pub program: Arc<Program>,
}

/// What the programs of a transaction did.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Runs of programs in the order in which they began.
    pub runs: Vec<ProgramRun>,
    /// Everything executed, in order: the number of the run, and registers 0 to 10 and the program counter
    /// before the instruction.
    pub steps: Vec<(usize, [u64; 12])>,
}

impl<E: HeadsBoundary> Svm<'_, E> {
    /// Runs a transaction, keeps nothing, and tells what its programs did. It takes many times as long as to
    /// run it alone.
    ///
    /// # Errors
    /// An activation was not exactly one-hot.
    pub fn record_transaction(
        &self,
        transaction: impl Into<VersionedTransaction>,
    ) -> Result<Recording, E::Error> {
        Ok(self.execute_transaction(transaction.into(), Some(Recording::default()))?.recording)
    }
}

impl Recording {
    /// Runs a machine until it stops, and notes its steps.
    pub(super) fn run<E: HeadsBoundary>(
        &mut self,
        machine: &mut Machine<'_, E>,
        run: usize,
    ) -> Result<Ended, E::Error> {
        loop {
            self.steps.push((run, machine.registers()?));
            if let Some(ended) = machine.step()? {
                return Ok(ended.clone());
            }
        }
    }
}
