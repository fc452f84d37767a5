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
    /// Registers 0 to 10 and the program counter before each instruction.
    pub steps: Vec<[u64; 12]>,
}

impl<E: HeadsBoundary> Svm<'_, E> {
    /// Runs a transaction, keeps nothing, and tells what its programs did. They are in the order in which they
    /// began. It takes many times as long as to run it alone.
    ///
    /// # Errors
    /// An activation was not exactly one-hot.
    pub fn record_transaction(
        &self,
        transaction: impl Into<VersionedTransaction>,
    ) -> Result<Vec<ProgramRun>, E::Error> {
        Ok(self.execute_transaction(transaction.into(), Some(Vec::new()))?.runs)
    }
}

/// Runs a machine until it stops, and notes its steps.
pub(super) fn run_recorded<E: HeadsBoundary>(
    machine: &mut Machine<'_, E>,
    run: &mut ProgramRun,
) -> Result<Ended, E::Error> {
    loop {
        let registers = machine.registers()?;
        let ended = machine.step()?.cloned();
        run.steps.push(registers);
        if let Some(ended) = ended {
            return Ok(ended);
        }
    }
}
